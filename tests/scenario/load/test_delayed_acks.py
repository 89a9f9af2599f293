"""

The client delays acknowledgements only if requests before the load showed that the server does not wait for them: a
server with Nagle's algorithm would otherwise delay each event by 40 ms.


"""
import json
import statistics

import pytest
from odd_server import CLOSE, DONE, HANG, LAST_CHUNK, OddServer, Pause, chunk, event, head, tokens, usage, whole
from run_tools import read_zst_lines, run_profllm
from test_odd_tls import TlsServer, context_of
from tls_tools import make_certificate
from wait_tools import wait_for

EVENTS = 12
REQUESTS = 5
GAP_S = 0.005
HELD_S = 0.040  # what Linux lets an acknowledgement wait at least
UNMEASURED = ("--ready-check-timeout-sec", 20, "--num-warmups", 2)


def spaced(events=EVENTS, pauses=()):
    """Returns a response of small segments, one by one, that closes its connection; a long pause follows some of them."""
    steps = [head("200 OK", "text/event-stream", "Transfer-Encoding: chunked")]
    for i, one in enumerate(tokens(events)):
        steps += [chunk(one), Pause(2 * HELD_S if i in pauses else GAP_S)]
    return [*steps, chunk(event(usage(events))), chunk(DONE), LAST_CHUNK, Pause(GAP_S), CLOSE]


def seen(delayed, play):
    """

    Returns whether one of three runs was as expected: acknowledgements delayed or not, and events not delayed. A client
    without the processor shows nothing about a server, and may be late itself; but a server that waits is never taken
    for one that does not.


    """
    for _ in range(3):
        result, gap, acks = play()
        said = result["system"]["client"]["delayed_acks"]
        assert delayed or not said
        if said is delayed and gap < 0.95 * HELD_S and (acks is None or (acks < 0.9) is delayed):
            return True
    print(f"delayed_acks {said}, gap {gap:.3f} s, acknowledgements a segment {acks}")
    return False


def serve(bin_dir, folder, server, *words):
    """

    Returns the result; the longest gap between two events, in s, of the request where it is shortest, because a busy
    machine also causes gaps, but not in each request; and the median number of acknowledgements per segment.


    """
    done = run_profllm(
        bin_dir, "bench", "serve", "--base-url", f"{server.url}/case:spaced", "--model", "odd",
        "--prompt-token-ids", "--random-input", 8, "--random-output", EVENTS, "--vocab-size", 1000,
        "--num-prompts", REQUESTS, "--max-concurrency", 1, "--output", folder / "r.json", "--overwrite", *words)
    assert done.returncode == 0, done.stderr
    records = read_zst_lines(folder / "r.requests.jsonl.zst")
    gaps = [max(b[0] - a[0] for a, b in zip(one["events"], one["events"][1:])) / 1e9 for one in records]
    wait_for(lambda: not server.connections, "the last answer is counted")
    acks = statistics.median(came / sent for came, sent in server.completed[-REQUESTS:])
    return json.loads((folder / "r.json").read_text()), min(gaps), acks


@pytest.mark.parametrize("words, delayed", [((), True), (UNMEASURED, True), (("--immediate-acks",), False)])
def test_they_wait_where_the_server_was_seen_not_to(bin_dir, tmp_path, words, delayed):
    with OddServer({"spaced": spaced()}) as server:
        assert seen(delayed, lambda: serve(bin_dir, tmp_path, server, *words))


@pytest.mark.parametrize("words", [(), UNMEASURED, ("--immediate-acks",)])
def test_a_server_that_waits_for_them_is_not_held_up(bin_dir, tmp_path, words):
    with OddServer({"spaced": spaced()}, nagle=True) as server:
        assert seen(False, lambda: serve(bin_dir, tmp_path, server, *words))


def test_after_a_pause_they_wait_again(bin_dir, tmp_path):
    """

    Linux acknowledges at once from the first time that 40 ms were not enough for a second segment to arrive: after one
    of two pauses with an odd number of segments between them.


    """
    with OddServer({"spaced": spaced(60, (4, 7))}) as server:
        assert any(serve(bin_dir, tmp_path, server)[2] < 0.8 for _ in range(3))


@pytest.mark.parametrize("last", [CLOSE, HANG])
def test_a_server_that_answers_one_request_only_shows_nothing(bin_dir, tmp_path, last):
    with OddServer({"spaced": spaced()}) as server:
        server.helpers = {"/case:spaced/health": [whole(b""), last]}
        result, _, _ = serve(bin_dir, tmp_path, server)
        assert result["status"] == "completed" and result["system"]["client"]["delayed_acks"] is False


@pytest.mark.parametrize("nagle", [False, True])
def test_under_tls(bin_dir, tmp_path, nagle):
    """The segments of the handshake are not counted as a response's."""
    context = context_of(make_certificate(tmp_path, "own"))
    with TlsServer({"spaced": spaced()}, context, nagle=nagle) as server:
        # records are not segments here
        assert seen(not nagle, lambda: (*serve(bin_dir, tmp_path, server, "--insecure")[:2], None))


def test_of_a_server_of_ours(bin_dir, tmp_path):
    experiment = {"server": {"model": "sim/test", "max_model_len": 2048},
                  "benchmark": {"dataset_name": "random", "random_input_len": 8, "random_output_len": 8,
                                "num_prompts": 4, "ignore_eos": True}}
    (tmp_path / "e.yaml").write_text(json.dumps(experiment))

    def play(*words):
        done = run_profllm(bin_dir, "run", "--sim", "--config", tmp_path / "e.yaml", "--output", tmp_path / "r.json",
                           "--overwrite", *words)
        assert done.returncode == 0, done.stderr
        result = json.loads((tmp_path / "r.json").read_text())
        assert result["config"]["benchmark"]["immediate_acks"] is bool(words)
        return result, 0, None

    assert seen(True, play)
    assert seen(False, lambda: play("--set", "benchmark.immediate_acks=true"))
