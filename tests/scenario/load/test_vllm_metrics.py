"""

Events of a chat that vLLM's client counts: all up to 0.32, those with output from 0.33 on.

The model below follows vLLM's two clients in Python and shares no code with the program. The rules of the clients are
tested on streams, on records, and on runs with a server that sends each event alone.


"""
import json

import pytest
from metrics_tools import evaluate, record_of
from odd_server import CHUNKED, LAST_CHUNK, OddServer, Pause, chunk, event, head, stream, usage, whole, DONE
from run_tools import base_config, load_result, run_profllm, write_config
from test_stream_shapes import CONTENT, bytes_of, chat, play, text

MS = 1_000_000
EMPTY_TEXT = 32
RULES = ("0.32", "0.33")


def counts(delta):
    """Returns whether 0.33's client counts the delta as a chunk; 0.32's counts each."""
    if any(delta.get(key) for key in ("content", "reasoning", "tool_calls", "function_call")):
        return True
    return delta.get("content") == "" and "role" not in delta


DELTAS = {
    "role": {"role": "assistant"}, "role-null": {"role": "assistant", "content": None},
    "role-empty": {"role": "assistant", "content": ""}, "role-text": {"role": "assistant", "content": "a"},
    "text": {"content": "a"}, "blank": {"content": " "}, "empty": {"content": ""}, "nothing": {}, "null": {"content": None},
    "reasoning": {"reasoning": "r"}, "reasoning-empty": {"reasoning": ""}, "reasoning-null": {"reasoning": None, "content": ""},
    "tool": {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": ""}}]}, "tool-none": {"tool_calls": []},
    "function": {"function_call": {"name": "f"}}}


@pytest.mark.parametrize("name", DELTAS)
@pytest.mark.parametrize("finish", [None, "stop"])
def test_each_event_is_marked_as_the_client_of_0_33_counts_it(bin_dir, name, finish):
    delta = DELTAS[name]
    record, = play(bin_dir, [("openai-chat", bytes_of([chat({"content": "first"}), chat(delta, finish), chat({}, "stop"), DONE_WORD]))])
    assert record["error"] is None
    marks = [bool(flags & (CONTENT | EMPTY_TEXT)) for _, _, flags, *_ in record["events"]]
    assert marks == [True, counts(delta), False]
    assert "output_chunks" not in record


def test_events_of_completions_are_not_marked(bin_dir):
    record, = play(bin_dir, [("openai", bytes_of([text("a"), text(""), text("", "stop"), DONE_WORD]))])
    assert [flags & EMPTY_TEXT for _, _, flags, *_ in record["events"]] == [0, 0, 0]


DONE_WORD = "[DONE]"
# time in ms, tokens, flags of its mark: what a chat of vLLM sends
ROLE, TOKEN, EMPTY, END = (0, 0), (1, CONTENT), (1, EMPTY_TEXT), (0, 4)
STREAMS = {
    "usual": [(10, ROLE), (40, TOKEN), (60, TOKEN), (90, TOKEN), (91, END)],
    "no role": [(40, TOKEN), (60, TOKEN), (90, (1, CONTENT | 4))],
    "partial characters": [(10, ROLE), (40, EMPTY), (60, TOKEN), (80, EMPTY), (90, TOKEN), (95, END)],
    "one token": [(10, ROLE), (40, TOKEN), (41, END)],
    "role and end in a read with tokens": [(40, ROLE), (40, (1, CONTENT | 1)), (60, TOKEN), (60, (0, 4 | 1))],
    "keep-alives as empty events": [(10, ROLE), (20, ROLE), (30, ROLE), (40, TOKEN), (70, TOKEN), (90, END)],
    "without output": [(10, ROLE), (40, END)],
}


def modelled(events, rule):
    """Returns ttft, itls, e2el in ms; None: no chunk."""
    times = [at for at, (_, flags) in events if rule == "0.32" or flags & (CONTENT | EMPTY_TEXT)]
    if not times:
        return None, [], events[-1][0]
    return times[0], [b - a for a, b in zip(times, times[1:])], times[-1]


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("rule", RULES)
def test_metrics_follow_the_rule(bin_dir, name, rule):
    events = STREAMS[name]
    tokens = sum(count for _, (count, _) in events)
    record = record_of([[at * MS, count, flags] for at, (count, flags) in events], output_tokens=tokens,
                       **({"output_chunks": True} if rule == "0.33" else {}))
    results = evaluate(record, bin_dir=bin_dir)
    ttft, itls, e2el = modelled(events, rule)
    assert results["mean_ttft_ms"] == (pytest.approx(ttft) if ttft is not None else None)
    assert results["mean_e2el_ms"] == pytest.approx(e2el)
    assert results["mean_itl_ms"] == (pytest.approx(sum(itls) / len(itls)) if itls else None)
    assert results["mean_tpot_ms"] == (pytest.approx((e2el - ttft) / (tokens - 1)) if tokens > 1 else None)
    assert results["max_output_tokens_per_s"] == (len(itls) + 1 if ttft is not None else None)
    # ours are of tokens, whatever vLLM's client counts
    first = next((at for at, (_, flags) in events if flags & CONTENT), None)
    assert results["mean_first_token_ms"] == (pytest.approx(first) if first is not None else None)


@pytest.mark.parametrize("rule", RULES)
def test_a_stream_without_output_is_reported_under_both_rules(bin_dir, rule):
    events = [[at * MS, count, flags] for at, (count, flags) in STREAMS["without output"]]
    record = record_of(events, output_tokens=0, **({"output_chunks": True} if rule == "0.33" else {}))
    quality = evaluate(record, quality=True, bin_dir=bin_dir)
    check, = [one for one in quality["checks"] if one["id"] == "empty_output"]
    assert (check["status"], check["value"]) == ("over_limit", 1)


@pytest.mark.parametrize("rule", RULES)
def test_bounds_and_identities_hold(bin_dir, rule):
    """With late reads, the bounds are those of the counted chunks, and the times of a request add up."""
    record = record_of([[10 * MS, 0, 0], [40 * MS, 1, CONTENT, 30 * MS], [40 * MS, 1, CONTENT | 1], [90 * MS, 1, CONTENT],
                        [90 * MS, 0, 5]], output_tokens=3, **({"output_chunks": True} if rule == "0.33" else {}))
    quality = evaluate(record, record, quality=True, bin_dir=bin_dir)
    check, = [one for one in quality["checks"] if one["id"] == "record_identity"]
    assert check["status"] == "passed"
    results = evaluate(record, record, bin_dir=bin_dir)
    for key in ("mean_ttft_ms", "mean_itl_ms", "mean_e2el_ms", "mean_tpot_ms"):
        low, high = results[f"{key}_client_error"]
        assert low <= 0 <= high
    # 10 ms late: TTFT by 0.33 ends with that event, by 0.32 with the one before
    assert (results["mean_ttft_ms_client_error"][0] < -9) == (rule == "0.33")


# ---- runs ------------------------------------------------------------------------------------------

TIMES = {"metrics": {"queue_time_ms": 1.5, "time_to_first_token_ms": 12.25, "prompt_tokens": 4}}


def spaced(*events, seconds=0.01):
    return [head("200 OK", "text/event-stream", CHUNKED), *[step for one in events for step in (chunk(one), Pause(seconds))], LAST_CHUNK]


def conversation(*extra):
    return [event(chat({"role": "assistant", "content": ""})), *[event(chat({"content": f" t{i}"})) for i in range(3)],
            event(chat({}, "length")), *extra, DONE]


def serve(bin_dir, server, folder, *words, ok=True):
    done = run_profllm(bin_dir, "bench", "serve", "--base-url", server.url, "--endpoint", "/case:chat/v1/chat/completions", "--model", "odd",
                       "--backend", "openai-chat", "--vocab-size", 1000, "--random-input", 4, "--random-output", 3, "--num-prompts", 3, "--max-concurrency", 1,
                       "--save-result", "--save-detailed", "--result-filename", "r.json", *words, cwd=folder)
    assert not ok or done.returncode == 0, done.stderr
    return json.loads((folder / "r.json").read_text()) if ok else done


def version(text, owner="vllm"):
    return {"/version": [whole({"version": text})],
            "/v1/models": [whole({"object": "list", "data": [{"id": "odd", "root": "odd", "owned_by": owner}]})]}


@pytest.mark.parametrize("release,owner,words,rule", [
    ("0.32.0", "vllm", [], "0.32"), ("0.11.0+cu129", "vllm", [], "0.32"), ("0.33.0", "vllm", [], "0.33"),
    ("0.33.0+cpu", "vllm", [], "0.33"), ("0.34.0", "vllm", [], "0.33"), ("0.33.0rc1", "vllm", [], "0.32"),
    # another program's version is not a release of vLLM
    ("0.4.6", "sglang", [], "0.33"), ("what", "vllm", [], "0.33"), ("0.1.dev9+gabc", "vllm", [], "0.33"), (None, None, [], "0.33"),
    ("0.33.0", "vllm", ["--vllm-metrics", "0.32"], "0.32"), ("0.32.0", "vllm", ["--vllm-metrics", "0.33"], "0.33")])
def test_the_servers_release_decides_unless_asked(bin_dir, tmp_path, release, owner, words, rule):
    with OddServer({"chat": spaced(*conversation(event(usage(3))))}) as server:
        server.helpers = version(release, owner) if release else {}
        flat = serve(bin_dir, server, tmp_path, *words)
    assert [len(gaps) for gaps in flat["itls"]] == [4 if rule == "0.32" else 2] * 3
    assert flat["output_lens"] == [3] * 3
    result = flat["profllm"]
    assert result["config"]["benchmark"]["vllm_metrics"] == rule
    first, ttft = result["results"]["mean_first_token_ms"], result["results"]["mean_ttft_ms"]
    assert (first - ttft > 5) == (rule == "0.32") and (rule == "0.32" or first == ttft)


@pytest.mark.parametrize("release,owner,newer", [("0.34.0", "vllm", True), ("0.33.0", "vllm", False), ("0.34.0", "sglang", False)])
def test_a_server_newer_than_the_reference_is_announced(bin_dir, tmp_path, release, owner, newer):
    """Announced once, as for a target release: the release of a foreign server is known only from its own report."""
    with OddServer({"chat": [stream(*conversation(event(usage(3))))]}) as server:
        server.helpers = version(release, owner)
        done = serve(bin_dir, server, tmp_path, ok=False)
    assert done.returncode == 0 and done.stderr.count("is newer than 0.33.0") == newer
    target = json.loads((tmp_path / "r.json").read_text())["profllm"]["launch"]["target"]
    assert ("note" in target) == newer


def test_other_backends_have_no_rule(bin_dir, tmp_path):
    config = base_config(num_prompts=2)
    write_config(tmp_path, config)
    assert run_profllm(bin_dir, "run", "-c", "experiment.yaml", "-o", "r.json", cwd=tmp_path).returncode == 0
    assert load_result(tmp_path / "r.json")["config"]["benchmark"]["vllm_metrics"] is None
    done = run_profllm(bin_dir, "run", "-c", "experiment.yaml", "--dry-run", "--set", "benchmark.vllm_metrics=0.32", cwd=tmp_path)
    assert "benchmark.vllm_metrics" in done.stdout + done.stderr and "openai-chat" in done.stdout + done.stderr


def test_a_rule_that_no_release_has_is_refused(bin_dir, tmp_path):
    with OddServer({}) as server:
        done = serve(bin_dir, server, tmp_path, "--vllm-metrics", "0.31", ok=False)
    assert done.returncode == 2 and "--vllm-metrics" in done.stderr and "'0.32', '0.33'" in done.stderr


def test_the_target_release_decides_where_the_server_says_none(bin_dir, tmp_path):
    results = {}
    for release, rule in (("0.32.0", "0.32"), ("0.33.0", "0.33")):
        config = base_config(num_prompts=3, backend="openai-chat", random_output_len=6)
        config["launch"]["vllm_version"] = release
        write_config(tmp_path, config)
        done = run_profllm(bin_dir, "run", "-c", "experiment.yaml", "-o", f"{rule}.json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        results[rule] = load_result(tmp_path / f"{rule}.json")
        assert results[rule]["config"]["benchmark"]["vllm_metrics"] == rule
        # it is what was asked for that a repetition asks for
        assert "vllm_metrics" not in results[rule]["config"]["experiment"].get("benchmark", {})
    done = run_profllm(bin_dir, "compare", "0.32.json", "0.33.json", "--json", cwd=tmp_path)
    cautions = {one["kind"]: [field["field"] for field in one.get("fields", [])] for one in json.loads(done.stdout)["cautions"]}
    assert "benchmark.vllm_metrics" in cautions["client"]


# ---- the server's own times ------------------------------------------------------------------------

@pytest.mark.parametrize("metrics,queue,ttft", [
    ({"queue_time_ms": 1.5, "time_to_first_token_ms": 12.25}, 1.5 / 1000, 12.25 / 1000),
    ({"queue_time_ms": 0, "time_to_first_token_ms": 7}, 0.0, 7 / 1000),
    ({"queue_time_ms": None, "time_to_first_token_ms": 3e-2, "other": {"queue_time_ms": 9}}, None, 3e-2 / 1000),
    ({"queue_time_ms": "4", "time_to_first_token_ms": True}, None, None),
    ({}, None, None), (None, None, None), ([1], None, None), ("x", None, None)])
def test_the_servers_times_are_in_the_flat_file(bin_dir, tmp_path, metrics, queue, ttft):
    last = event({**usage(3), "metrics": metrics})
    with OddServer({"chat": [stream(*conversation(last))]}) as server:
        flat = serve(bin_dir, server, tmp_path)
    keys = list(flat)
    if queue is None and ttft is None:
        assert "server_queue_times" not in flat and "server_ttfts" not in flat
        return
    assert keys[keys.index("rtfx") + 1:][:2] == ["server_queue_times", "server_ttfts"]
    assert flat["server_queue_times"] == [queue] * 3 and flat["server_ttfts"] == [ttft] * 3


def test_a_later_event_overwrites_the_servers_times(bin_dir, tmp_path):
    events = conversation(event({**usage(3), **TIMES}), event({"choices": [], "metrics": {"queue_time_ms": 8}}))
    with OddServer({"chat": [stream(*events)]}) as server:
        flat = serve(bin_dir, server, tmp_path)
        assert flat["server_queue_times"] == [8 / 1000] * 3 and flat["server_ttfts"] == [None] * 3
        # as the other lists of requests
        done = run_profllm(bin_dir, "bench", "serve", "--base-url", server.url, "--endpoint", "/case:chat/v1/chat/completions", "--model", "odd",
                           "--backend", "openai-chat", "--vocab-size", 1000, "--random-input", 4, "--random-output", 3, "--num-prompts", 3, "--save-result",
                           "--result-filename", "short.json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "server_queue_times" not in json.loads((tmp_path / "short.json").read_text())
