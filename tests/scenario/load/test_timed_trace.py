"""Recorded requests are replayed: prompts by hash ids, times by the simulator's log, hit rates, forms of files."""

import json
import os
import random
import subprocess

import numpy as np
import pytest

import run_tools
from sim_tools import Server
from test_wire import sent

LONG = os.environ.get("PROFLLM_TEST_LONG") == "1"
VOCABULARY = 1000
WORDS = ["--dataset-name", "timed_trace", "--vocab-size", VOCABULARY, "--request-id-prefix", "t"]


def fnv(value, data):
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return value


def chunk(block, length, allowed):
    """Returns the tokens of a chunk of this hash and length: docs/reference/datasets.md."""
    key = fnv(block, length.to_bytes(8, "little"))
    return random.Random((key ^ key >> 32) % 2 ** 32).choices(allowed, k=length)


def prompt_of(ids, length, size, allowed):
    tokens = []
    for name in ids:
        tokens += chunk(fnv(0xcbf29ce484222325, str(name).encode()), min(size, length - len(tokens)), allowed)
        if len(tokens) == length:
            break
    return tokens


def trace_file(tmp_path, rows, name="trace.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row(t, length, output, ids=None):
    return {"timestamp": t, "input_length": length, "output_length": output, **({} if ids is None else {"hash_ids": ids})}


def bodies(got):
    return [(next(line.split(": ")[1] for line in lines if line.startswith("x-request-id: ")), json.loads(body))
            for _, lines, body in got]


def run(bin_dir, tmp_path, *words, sim=(), status=0):
    """Returns (result, {request id: time of its arrival in ns}) of a run against a simulator."""
    log, out = tmp_path / "sim.log", tmp_path / "r.json"
    for path in (log, out):
        path.unlink(missing_ok=True)
    with Server(bin_dir, "--sim-step", "1ms", "--max-model-len", 100000, "--num-gpu-blocks-override", 100000,
                "--max-num-seqs", 4096, "--sim-log", log, *sim, model="org/tiny") as server:
        done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--output", out,
                               *map(str, [*WORDS, *words])], capture_output=True, text=True, timeout=900, check=False,
                              cwd=tmp_path, env=run_tools.environment())
        assert done.returncode == status, done.stderr + done.stdout
    events = [json.loads(line) for line in log.read_text().splitlines()]
    return json.loads(out.read_text()), {e["request_id"]: e["t_ns"] for e in events if e["event"] == "request" and e["request_id"]}


def arrivals(times, count):
    """Returns the arrivals in ms after the first one, by the number of the request."""
    found = np.array([times[f"t{i}"] for i in range(count)], dtype=float)
    return (found - found[0]) / 1e6


def test_prompts_follow_from_the_hash_ids(bin_dir, tmp_path):
    rows = [row(0, 37, 3, [7, "x", 2.5]), row(0.001, 32, 4, [7, "x"]), row(0.002, 40, 5, [7, 8]), row(0.003, 5, 6, [9])]
    got, _ = sent(bin_dir, tmp_path, *WORDS, "--dataset-path", trace_file(tmp_path, rows), "--prompt-token-ids")
    found = dict(bodies(got))
    assert sorted(found) == ["t0", "t1", "t2", "t3"]
    for i, one in enumerate(rows):
        body = found[f"t{i}"]
        assert len(body["prompt"]) == min(one["input_length"], 16 * len(one["hash_ids"]))
        assert body["max_tokens"] == one["output_length"] and body["ignore_eos"] is True
    prompts = [found[f"t{i}"]["prompt"] for i in range(4)]
    assert prompts[0][:32] == prompts[1] and prompts[0][:16] == prompts[2][:16] and prompts[0][16:32] != prompts[2][16:32]
    # the same in every process, whatever the seed
    again, _ = sent(bin_dir, tmp_path, *WORDS, "--dataset-path", trace_file(tmp_path, rows), "--seed", 9)
    assert dict(bodies(again)) == found


def test_prompts_equal_an_own_count(bin_dir, tmp_path):
    rows = [row(0, 50, 2, list(range(10))), row(0, 33, 2, [0, 1, 99])]
    got, _ = sent(bin_dir, tmp_path, *WORDS, "--dataset-path", trace_file(tmp_path, rows), "--timed-trace-chunk-hash-size", 8)
    found = dict(bodies(got))
    # as in vLLM, too few hash ids make a shorter prompt
    lengths = [50, 24]
    # the first ids of the simulator are special tokens, which no prompt has
    candidates = [list(range(first, VOCABULARY)) for first in range(16)]
    matching = [allowed for allowed in candidates
                if all(found[f"t{i}"]["prompt"] == prompt_of(one["hash_ids"], lengths[i], 8, allowed) for i, one in enumerate(rows))]
    assert len(matching) == 1


@pytest.mark.parametrize("speed", [1, 20])
def test_requests_arrive_at_their_times(bin_dir, tmp_path, speed):
    """Needs PROFLLM_TEST_LONG=1 for 100,000 requests and the limit of 2 ms at p99; the short form has a limit at the median."""
    count = 100000 if LONG else 200
    rng = np.random.default_rng(speed)
    at = np.cumsum(rng.exponential(0.0015 * speed, count))
    path = trace_file(tmp_path, [row(1000 * float(t), 16, 1, [i % 50]) for i, t in enumerate(at)])
    result, times = run(bin_dir, tmp_path, "--dataset-path", path, "--num-prompts", 0, "--timed-trace-sec-multiplier", 0.001,
                        "--timed-trace-speed", speed)
    assert result["results"]["completed"] == count
    # after the earliest arrival: the first request may be the late one
    late = arrivals(times, count) - 1000 * (at - at[0]) / speed
    late -= np.min(late)
    assert np.quantile(late, 0.99 if LONG else 0.5) <= 2, np.quantile(late, [0.5, 0.9, 0.99, 1])


def test_pauses_can_be_shortened_and_lines_out_of_order_are_sorted(bin_dir, tmp_path):
    path = trace_file(tmp_path, [row(100, 8, 1), row(160, 8, 1), row(99.95, 8, 1), row(160.02, 8, 1)])
    _, times = run(bin_dir, tmp_path, "--dataset-path", path, "--timed-trace-max-gap", "100ms", "--timed-trace-speed", 0.5)
    assert np.allclose(arrivals(times, 4), [0, 100, 300, 340], atol=30)
    _, times = run(bin_dir, tmp_path, "--dataset-path", path, "--no-self-timed")
    assert max(arrivals(times, 4)) < 1000


def test_gaps_of_sessions_can_be_shortened(bin_dir, tmp_path):
    """A pause is from the recorded end of a response; only later turns have one."""
    path = tmp_path / "trace"
    path.write_text("Timestamp,Request tokens,Response tokens,Session ID,Elapsed time\n0,8,1,a,5\n5.2,8,1,a,1\n30,8,1,a,1\n0.1,8,1,,\n")
    result, times = run(bin_dir, tmp_path, "--dataset-path", path, "--timed-trace-schedule", "gaps", "--timed-trace-max-gap", "300ms")
    assert result["results"]["sessions"]["completed"] == 1
    assert np.allclose(arrivals(times, 4), [0, 100, 200, 500], atol=40)


def test_a_time_that_never_comes_is_refused(bin_dir, tmp_path):
    path = trace_file(tmp_path, [row(0, 8, 1), row(1e300, 8, 1)])
    result, times = run(bin_dir, tmp_path, "--dataset-path", path, status=1)
    assert "request 1 is due 1e+300 s after the first one" in result["error"]["message"] and not times


FORMS = {
    "azure": ("TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,48,10\r\n2023-11-16 18:17:04.0319600,31,8\r\n",
              [(48, 10), (31, 8)], 52),
    "burstgpt": ("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,52,3,55,Conversation log\n"
                 "6,GPT-4,56,0,56,API log\n5.04,GPT-4,9,7,16,API log\n", [(52, 3), (9, 7)], 40),
    "vidur": ("arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,48,10\n0.052,31,8\n", [(48, 10), (31, 8)], 52),
    "otlp": (json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [
        {"startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001000000000", "attributes": [
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "48"}},
            {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "10"}}]},
        {"startTimeUnixNano": "1700000000000000000", "name": "a database"},
        {"startTimeUnixNano": 1700000000052000000, "attributes": [
            {"key": "gen_ai.usage.prompt_tokens", "value": {"intValue": 31}},
            {"key": "gen_ai.usage.completion_tokens", "value": {"intValue": 8}}]}]}]}]}, indent=1), [(48, 10), (31, 8)], 52),
}


@pytest.mark.parametrize("name", list(FORMS))
def test_forms_of_files(bin_dir, tmp_path, name):
    text, lengths, apart_ms = FORMS[name]
    path = tmp_path / "trace"
    path.write_bytes(text.encode())
    result, times = run(bin_dir, tmp_path, "--dataset-path", path)
    assert result["results"]["total_input_tokens"] == sum(a for a, _ in lengths)
    assert result["results"]["total_output_tokens"] == sum(b for _, b in lengths)
    assert abs(arrivals(times, 2)[1] - apart_ms) < 30
    assert result["results"]["expected_prefix_cache_hit_rate"] == 0


def spans(names, lengths):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [
        {"startTimeUnixNano": str(10 ** 18 + i * 10 ** 8), "attributes": [
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": str(length)}},
            {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "2"}},
            {"key": "gen_ai.conversation.id", "value": {"stringValue": name}}]}
        for i, (name, length) in enumerate(zip(names, lengths))]}]}]})


def test_conversations_of_spans_share_their_start(bin_dir, tmp_path):
    path = tmp_path / "spans.json"
    path.write_text(spans("abab", [64, 64, 112, 80]))
    result, _ = run(bin_dir, tmp_path, "--dataset-path", path)
    # 64 tokens of an earlier turn are whole blocks of 16
    assert result["results"]["expected_prefix_cache_hit_rate"] == pytest.approx(128 / 320)
    assert result["results"]["prefix_cache_hit_rate"] == pytest.approx(128 / 320, abs=0.02)


def session_rows(schedule):
    """BurstGPT's form with sessions: two turns of a, one of b between them; the trace has the end of each response."""
    return ("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type,Session ID,Elapsed time\n"
            "0,GPT-4,20,60,80,Conversation log,a,0.05\n0.02,GPT-4,30,2,32,Conversation log,b,0.01\n"
            f"{0.04 if schedule == 'timestamps' else 0.25},GPT-4,40,3,43,Conversation log,a,0.05\n")


@pytest.mark.parametrize("schedule, pause_ms", [("timestamps", 0), ("gaps", 200)])
def test_sessions_of_a_trace_keep_their_order(bin_dir, tmp_path, schedule, pause_ms):
    path = tmp_path / "trace"
    path.write_text(session_rows(schedule))
    result, times = run(bin_dir, tmp_path, "--dataset-path", path, "--timed-trace-schedule", schedule, sim=["--sim-step", "3ms"])
    lines = subprocess.run(["zstd", "-dc", tmp_path / "r.requests.jsonl.zst"], capture_output=True, text=True, check=True).stdout
    records = {(one["session"], one["turn"]): one for one in map(json.loads, lines.splitlines()) if "session" in one}
    assert list(records) == [(1, 0), (1, 1)]
    first, second = records[1, 0], records[1, 1]
    # 60 tokens take 180 ms: the second turn was recorded before their end
    pause = (times[second["request_id"]] - first["end_ns"]) / 1e6
    assert pause_ms - 1 <= pause < pause_ms + 30
    assert [entry["completed"] for entry in result["results"]["by_turn"]] == [1, 1]
    assert result["results"]["sessions"]["count"] == 1


def blocks_of(rows):
    """Returns the hit rate of an unlimited cache, counted by hash ids."""
    known, hits, total = set(), 0, 0
    for one in rows:
        chain, run_on = (), True
        for k, name in enumerate(one["hash_ids"][:one["input_length"] // 16]):
            chain += (name,)
            run_on = run_on and chain in known
            hits += 16 if run_on and 16 * (k + 1) < one["input_length"] else 0
            known.add(chain)
        total += one["input_length"]
    return hits / total


def trace_with_shared_starts(count, seed):
    rng = random.Random(seed)
    rows = []
    for i in range(count):
        start = [f"p{rng.randrange(5)}-{k}" for k in range(rng.randrange(0, 8))]
        ids = start + [f"u{i}-{k}" for k in range(rng.randrange(1, 6))]
        rows.append(row(i * 0.004, 16 * len(ids) - rng.randrange(3), 2, ids))
    return rows


def test_the_measured_hit_rate_is_the_expected_one(bin_dir, tmp_path):
    rows = trace_with_shared_starts(300, 4)
    result, _ = run(bin_dir, tmp_path, "--dataset-path", trace_file(tmp_path, rows), "--num-prompts", 0)
    expected = result["results"]["expected_prefix_cache_hit_rate"]
    assert expected == pytest.approx(blocks_of(rows), abs=1e-12) and expected > 0.2
    assert result["results"]["prefix_cache_hit_rate"] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("mark, expected", [("none", 1), ("run", 1), ("request", 0)])
def test_marks_keep_prompts_out_of_the_cache(bin_dir, tmp_path, mark, expected):
    rows = trace_with_shared_starts(60, 5)
    words = [*WORDS, "--dataset-path", trace_file(tmp_path, rows), "--cache-bust", mark]
    first, second = (dict(bodies(sent(bin_dir, tmp_path, *words)[0])) for _ in range(2))
    assert (first == second) == (mark == "none")
    assert [len(body["prompt"]) for body in first.values()] == [len(first[name]["prompt"]) for name in first]
    result, _ = run(bin_dir, tmp_path, *words[len(WORDS):])
    assert result["results"]["expected_prefix_cache_hit_rate"] == pytest.approx(expected * blocks_of(rows), abs=1e-12)


def test_chats_get_texts(bin_dir, tmp_path):
    got, _ = sent(bin_dir, tmp_path, *WORDS, "--dataset-path", trace_file(tmp_path, [row(0, 20, 3, [1, 2])]), "--backend", "openai-chat",
                  path="/v1/chat/completions")
    (_, body), = bodies(got)
    assert isinstance(body["messages"][0]["content"][0]["text"], str) and body["max_completion_tokens"] == 3


@pytest.mark.parametrize("text, message", [
    ("", "found '', expected JSON lines"),
    ("arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,0\n", "holds no request with a response"),
    ("a,b\n1,2\n", "found 'a,b', expected JSON lines, OTLP as JSON, or the columns of a trace"),
    ('{"timestamp": 0, "input_length": 3}\n', "trace:1: 'output_length' is missing; the record has 'timestamp', 'input_length'"),
    ('{"timestamp": -1, "input_length": 3, "output_length": 1}\n', "trace:1: 'timestamp': expected a number from 0"),
    ("arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,x\n", "trace:2: expected token counts as integers"),
    ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-36 1:1:1,1,1\n", "trace:2: found '2023-11-36 1:1:1', expected a number"),
    ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 99:1:1,1,1\n", "trace:2: found '2023-11-16 99:1:1', expected a number"),
    ("TIMESTAMP,ContextTokens,GeneratedTokens\n0,1,1\n\0\n1,1,1\n", "trace:3: found a NUL byte, expected text"),
    ('{"resourceSpans": [', "not valid JSON"),
])
def test_a_faulty_file_is_refused_at_once(bin_dir, tmp_path, text, message):
    path = tmp_path / "trace"
    path.write_text(text)
    done = subprocess.run([bin_dir / "profllm", "bench", "serve", *map(str, WORDS), "--dataset-path", path, "--port", "1"],
                          capture_output=True, text=True, timeout=60, check=False, env=run_tools.environment())
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
