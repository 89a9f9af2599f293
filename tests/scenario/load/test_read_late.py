"""Events that waited in a stopped client's socket have their arrival times, though they are read at once."""
import os
import signal
import time

import pytest
from odd_server import CLOSE, DONE, HANG, LAST_CHUNK, OddServer, Pause, chunk, event, head, tokens, usage
from run_tools import read_zst_lines, start_profllm

EVENTS = 3
GAP_S = 0.002


def play(bin_dir, folder, behind):
    """

    Stops the client after `behind` events of the request, and continues it later. Returns the times at which the server
    sent each later event, the time of the continuation, and these events in the client's record.


    """
    noted = []
    client = []

    def stop(_):
        os.kill(client[0].pid, signal.SIGSTOP)
        time.sleep(GAP_S)

    def note(_):
        noted.append(time.monotonic_ns())

    def go_on(_):
        note(_)
        os.kill(client[0].pid, signal.SIGCONT)

    steps = [head("200 OK", "text/event-stream", "Transfer-Encoding: chunked"), Pause(GAP_S)]
    for i, one in enumerate(tokens(behind + EVENTS)):
        steps += [*([stop] if i == behind else []), *([note] if i >= behind else []), chunk(one), Pause(GAP_S)]
    steps += [go_on, chunk(event(usage(behind + EVENTS))), chunk(DONE), LAST_CHUNK, Pause(GAP_S), CLOSE]
    with OddServer({"late": steps}) as server:
        client.append(start_profllm(
            bin_dir, "bench", "serve", "--base-url", f"{server.url}/case:late", "--model", "odd", "--prompt-token-ids",
            "--random-input", 8, "--random-output", behind + EVENTS, "--vocab-size", 1000, "--num-prompts", 1,
            "--output", folder / "r.json", "--overwrite"))
        _, said = client[0].communicate(timeout=60)
        assert client[0].returncode == 0, said
    record = read_zst_lines(folder / "r.requests.jsonl.zst")[0]
    began = next(i for i, at in enumerate(noted) if at > record["acted_ns"])  # others were asked before
    return noted[began:began + EVENTS + 1], record["events"][behind:behind + EVENTS]


@pytest.mark.parametrize("behind", [0, 2])
def test_events_that_waited_are_distinguished(bin_dir, tmp_path, behind):
    """

    Linux keeps segments apart until they are acknowledged: if the client had no time to request delayed
    acknowledgements, or the server took longer than that, the test repeats. No event ever gets a time before it was
    sent, nor a wrong exact time.


    """
    for _ in range(20):
        noted, events = play(bin_dir, tmp_path, behind)
        assert len(events) == EVENTS
        for i, one in enumerate(events):
            assert noted[i] - 1e6 <= one[0] and one[-1 if len(one) > 3 else 0] <= noted[-1] + 1e6, (i, one, noted)
        if all(len(one) == 3 and one[0] <= noted[i + 1] + 1e6 for i, one in enumerate(events)):
            return
    pytest.fail(f"sent at {noted[:-1]}, on record as {events}")


def test_complete_responses_at_the_end_of_the_run_count(bin_dir, tmp_path):
    """The complete response waits in the socket of a stopped client, which then gets a stop signal."""
    client = []
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"prompt": "case:late"}\n')

    def stop(_):
        os.kill(client[0].pid, signal.SIGSTOP)
        time.sleep(GAP_S)

    def end(_):
        time.sleep(0.3)  # the client has a tick due when it continues
        os.kill(client[0].pid, signal.SIGINT)
        os.kill(client[0].pid, signal.SIGCONT)

    first, *others = tokens(EVENTS)
    steps = [head("200 OK", "text/event-stream", "Transfer-Encoding: chunked"), chunk(first), Pause(0.05), stop,
             *map(chunk, others), chunk(event(usage(EVENTS))), chunk(DONE), LAST_CHUNK, end, HANG]
    with OddServer({"late": steps}) as server:
        client.append(start_profllm(
            bin_dir, "bench", "serve", "--base-url", server.url, "--model", "odd", "--dataset-name", "custom",
            "--dataset-path", prompts, "--skip-chat-template", "--custom-output-len", EVENTS, "--num-prompts", 1,
            "--ready-check-timeout-sec", 0, "--output", tmp_path / "r.json"))
        _, said = client[0].communicate(timeout=60)
    assert client[0].returncode == 130, said
    (record,) = read_zst_lines(tmp_path / "r.requests.jsonl.zst")
    assert record["error"] is None, record["error"]
    assert sum(one[1] for one in record["events"]) == EVENTS
