"""Conversations: history, pauses and limits by the simulator's log; metrics by turn and by session equal numpy's."""

import json
import random
import subprocess

import numpy as np
import pytest

import run_tools
from sim_tools import Server
from test_wire import requests_in

PATH = "/v1/chat/completions"
WORDS = ["--backend", "openai-chat", "--multi-turn", "--request-id-prefix", "c"]


class Run:
    """A run against a simulator: its result, records, log and the received bodies by x-request-id."""

    def __init__(self, bin_dir, tmp_path, *words, sim=(), status=0):
        log, wire, out = (tmp_path / name for name in ("sim.log", "wire", "r.json"))
        for path in (log, wire, out):
            path.unlink(missing_ok=True)
        with Server(bin_dir, "--sim-step", "2ms", "--sim-log", log, "--sim-capture", wire, "--max-model-len", 100000, *sim,
                    model="org/tiny") as server:
            done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--output", out,
                                   *map(str, [*WORDS, *words])], capture_output=True, text=True, timeout=300, check=False,
                                  cwd=tmp_path, env=run_tools.environment())
        assert done.returncode == status, done.stderr + done.stdout
        self.stderr, self.stdout = done.stderr, done.stdout
        self.result = json.loads(out.read_text())
        self.results = self.result["results"]
        lines = subprocess.run(["zstd", "-dc", tmp_path / "r.requests.jsonl.zst"], capture_output=True, text=True, check=True).stdout
        self.records = [json.loads(line) for line in lines.splitlines()]
        self.bodies, self.session_of = {}, {}
        for first, head, body in requests_in(wire):
            if first == f"POST {PATH} HTTP/1.1":
                found = dict(line.split(": ", 1) for line in head)
                self.bodies[found["x-request-id"]] = json.loads(body)
                self.session_of[found["x-request-id"]] = found["X-Session-ID"]
        self.began, self.ended, self.tokens, self.cached = {}, {}, {}, {}
        for line in log.read_text().splitlines():
            event = json.loads(line)
            name = event.get("request_id")
            if name is None:
                continue
            if event["event"] == "request":
                self.began[name] = event["t_ns"]
            elif event["event"] == "end":
                self.ended[name] = event["t_ns"]
                self.cached[name] = event["cached_tokens"]
            elif event["event"] == "token":
                self.tokens.setdefault(name, []).append(event["t_ns"])

    def sessions(self):
        """Returns the records of each session, in the order of its turns."""
        found = {}
        for record in self.records:
            found.setdefault(record["session"], {})[record["turn"]] = record
        return [[turns[t] for t in range(len(turns))] for _, turns in sorted(found.items())]


def chunks(record):
    return [event[0] for event in record["events"] if event[2] & 34]


def assert_history(run, session):
    """Each turn's body has the messages and the responses before it."""
    before = []
    names = {run.session_of[record["request_id"]] for record in session}
    assert len(names) == 1
    for record in session:
        messages = run.bodies[record["request_id"]]["messages"]
        assert messages[:len(before)] == before
        before = messages
    for record, following in zip(session, session[1:]):
        own = run.bodies[record["request_id"]]["messages"]
        added = run.bodies[following["request_id"]]["messages"][len(own):]
        assert added[0]["role"] == "assistant" and added[0]["content"] and len(added) == 2 and added[1]["role"] == "user"
    texts = [message["content"] for message in before if message["role"] == "assistant"]
    assert len(texts) == len(session) - 1 == len(set(texts))


def assert_figures(run):
    """results.by_turn and results.sessions equal numpy's, from the records."""
    sessions = run.sessions()
    turns = max(map(len, sessions))
    for t, entry in enumerate(run.results["by_turn"]):
        records = [session[t] for session in sessions if len(session) > t]
        good = [record for record in records if record["error"] is None]
        assert entry["turn"] == t and entry["completed"] == len(good)
        assert entry["not_sent"] == sum(record["acted_ns"] is None for record in records)
        assert entry["failed"] == len(records) - len(good) - entry["not_sent"]
        ttft = np.array([(chunks(record)[0] - record["acted_ns"]) / 1e6 for record in good])
        e2el = np.array([(chunks(record)[-1] - record["acted_ns"]) / 1e6 for record in good])
        n = np.array([record["output_tokens"] for record in good])
        tpot = (e2el - ttft)[n > 1] / (n[n > 1] - 1)
        for name, values in (("ttft", ttft), ("tpot", tpot), ("e2el", e2el)):
            for key, value in (("mean", np.mean(values)), ("median", np.median(values)), ("p90", np.percentile(values, 90)),
                               ("p99", np.percentile(values, 99))):
                assert entry[f"{key}_{name}_ms"] == pytest.approx(value, rel=1e-9, abs=1e-9), (t, key, name)
        assert entry["mean_prompt_tokens"] == pytest.approx(np.mean([record["prompt_tokens"] for record in good]), rel=1e-12)
        assert entry["mean_output_tokens"] == pytest.approx(np.mean(n), rel=1e-12)
    assert len(run.results["by_turn"]) == turns
    whole = [session for session in sessions if all(record["error"] is None for record in session)]
    took = np.array([(chunks(session[-1])[-1] - session[0]["acted_ns"]) / 1e6 for session in whole])
    waited = np.array([sum(chunks(record)[-1] - record["acted_ns"] for record in session) / 1e6 for session in whole])
    found = run.results["sessions"]
    assert (found["count"], found["completed"], found["failed"]) == (len(sessions), len(whole), len(sessions) - len(whole))
    assert found["mean_turns"] == pytest.approx(np.mean([len(session) for session in sessions]), rel=1e-12)
    for name, values in (("duration_ms", took), ("wait_share", waited / took)):
        for key, value in (("mean", np.mean(values)), ("median", np.median(values)), ("p90", np.percentile(values, 90)),
                           ("p99", np.percentile(values, 99))):
            assert found[f"{key}_{name}"] == pytest.approx(value, rel=1e-9), (key, name)
    # the server's log has the same spans, but for the way there and back
    for session, span_ms in zip(whole, took):
        logged_ms = (run.tokens[session[-1]["request_id"]][-1] - run.began[session[0]["request_id"]]) / 1e6
        assert abs(logged_ms - span_ms) < 50


def assert_order(run, pause_ms=0, late_ms=20):
    """No session overtakes itself, and each pause is at least the planned one."""
    late = []
    for session in run.sessions():
        for record, following in zip(session, session[1:]):
            pause = (run.began[following["request_id"]] - run.tokens[record["request_id"]][-1]) / 1e6
            assert pause >= pause_ms - 0.5
            late.append(pause - pause_ms)
    assert np.median(late) < late_ms


def assert_cached(run):
    """The cached share of each turn, and the records, equal the server's log; the table shows both."""
    shares = []
    for t, entry in enumerate(run.results["by_turn"]):
        records = [record for record in run.records if record["turn"] == t and record["error"] is None]
        logged = [run.cached[record["request_id"]] for record in records]
        assert [record.get("cached_tokens", 0) for record in records] == logged
        shares.append(sum(logged) / sum(record["prompt_tokens"] for record in records))
        assert entry["cached_prompt_share"] == pytest.approx(shares[-1], rel=1e-9)
        for label, value in (("median TTFT (ms)", entry["median_ttft_ms"]), ("P99 TTFT (ms)", entry["p99_ttft_ms"]),
                             ("cached prompt tokens (%)", 100 * shares[-1])):
            assert f"{f'Turn {t + 1} {label}:':<40} {value:<10.2f}\n" in run.stdout
    assert f"{'P99 session duration (ms):':<40} {run.results['sessions']['p99_duration_ms']:<10.2f}\n" in run.stdout
    return shares


def most_at_once(spans):
    changes = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    return max(np.cumsum([change for _, change in changes]))


def test_generated_conversations(bin_dir, tmp_path):
    run = Run(bin_dir, tmp_path, "--num-prompts", 12, "--random-input-len", 24, "--per-turn-input-len", 9, "--random-output-len", 7,
              "--multi-turn-num-turns", 4, "--multi-turn-delay-ms", 30, "--multi-turn-concurrency", 3,
              sim=["--enable-prompt-tokens-details"])
    sessions = run.sessions()
    assert len(sessions) == 12 and all(len(session) == 4 for session in sessions)
    for session in sessions:
        assert_history(run, session)
        for t, record in enumerate(session):
            body = run.bodies[record["request_id"]]
            assert body["max_completion_tokens"] == body["min_tokens"] == record["output_tokens"] == 7 and "ignore_eos" not in body
            # role and end of each message, and the start of the response
            assert record["prompt_tokens"] == 24 + 9 * t + 7 * t + 2 * (2 * t + 1) + 1
    assert_order(run, 30)
    assert_figures(run)
    spans = [(run.began[session[0]["request_id"]], run.tokens[session[-1]["request_id"]][-1]) for session in sessions]
    assert most_at_once(spans) == 3
    results = run.results
    assert results["completed"] == 48 and results["peak_in_flight"] <= 3
    assert results["prefix_cache_hit_rate"] == pytest.approx(results["expected_prefix_cache_hit_rate"], abs=0.02)
    assert results["prefix_cache_hit_rate"] > 0.4
    shares = assert_cached(run)
    assert shares[0] < shares[1] < shares[2] < shares[3]


def test_numbers_of_turns_are_drawn(bin_dir, tmp_path):
    run = Run(bin_dir, tmp_path, "--num-prompts", 30, "--random-input-len", 8, "--random-output-len", 2, "--multi-turn-min-turns", 2,
              "--multi-turn-max-turns", 5, "--max-concurrency", 4, "--multi-turn-concurrency", 6, "--seed", 5)
    rng = random.Random(5)
    assert [len(session) for session in run.sessions()] == [rng.randint(2, 5) for _ in range(30)]
    assert run.results["peak_in_flight"] <= 4
    # due turns wait for the limit
    assert_order(run, late_ms=1000)
    assert any(record["queued_ns"] for record in run.records if record["turn"] > 0)
    # a conversation that waits for the end of another one is not due yet
    assert all(record["queued_ns"] in (None, record["planned_ns"]) for record in run.records)
    # the server reports no cached tokens
    assert all(entry["cached_prompt_share"] is None for entry in run.results["by_turn"])
    assert "cached prompt tokens" not in run.stdout
    assert_figures(run)


def test_shared_parts_replace_the_history(bin_dir, tmp_path):
    run = Run(bin_dir, tmp_path, "--num-prompts", 5, "--random-input-len", 64, "--random-output-len", 3,
              "--multi-turn-prefix-global-ratio", 0.5, "--multi-turn-prefix-conversation-ratio", 0.25,
              "--lora-modules", "a", "b", "--multi-turn-concurrency", 1000000, sim=["--enable-lora", "--lora-modules", "a=/x", "b=/y"])
    contents = [[run.bodies[record["request_id"]]["messages"] for record in session] for session in run.sessions()]
    assert all(len(messages) == 1 for session in contents for messages in session)
    texts = [[messages[0]["content"].split() for messages in session] for session in contents]
    assert len({tuple(words[:32]) for session in texts for words in session}) == 1
    assert all(len({tuple(words[:48]) for words in session}) == 1 for session in texts)
    assert len({tuple(words[:48]) for session in texts for words in session}) == 5
    assert len({tuple(words) for session in texts for words in session}) == 15
    assert all(len(words) == 64 for session in texts for words in session)
    # an adapter is that of a whole conversation
    models = [{run.bodies[record["request_id"]]["model"] for record in session} for session in run.sessions()]
    assert all(len(names) == 1 for names in models) and set.union(*models) == {"a", "b"}


def sharegpt(turns):
    """Returns a ShareGPT record with this number of turns of its user."""
    items = []
    for t in range(turns):
        items += [{"from": "human", "value": f"question {t} of {turns} \u00e9"}, {"from": "gpt", "value": " abe cad" * (t + 1)}]
    return {"id": "x", "conversations": items}


def test_sharegpt_takes_all_turns(bin_dir, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps([sharegpt(n) for n in (1, 2, 3, 4)] + [{"conversations": []}]))
    run = Run(bin_dir, tmp_path, "--dataset-name", "sharegpt", "--dataset-path", path, "--num-prompts", 9, "--multi-turn-min-turns", 2,
              "--multi-turn-max-turns", 3, "--request-rate", 50)
    sessions = run.sessions()
    assert sorted(len(session) for session in sessions) == [2, 3, 3]
    assert "3 conversations instead of 9" in run.stderr
    for session in sessions:
        assert_history(run, session)
        for t, record in enumerate(session):
            assert record["output_tokens_requested"] == 2 * (t + 1)
            assert run.bodies[record["request_id"]]["messages"][-1]["content"].startswith(f"question {t} of ")
            assert "tools" not in run.bodies[record["request_id"]]
    assert_order(run)
    assert_figures(run)


CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
AGENT = {"tools": TOOLS, "messages": [
    {"role": "system", "content": "You use tools."},
    {"role": "user", "content": "Find it."},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "output_tokens": 35},
    {"role": "tool", "tool_call_id": "call_1", "content": "found 7" * 20, "think_s": 0.2},
    {"role": "assistant", "content": "It is 7.", "output_tokens": 6},
    {"role": "user", "content": "Sure?", "think_s": 0.1},
]}


def test_agent_sessions(bin_dir, tmp_path):
    path = tmp_path / "agents.jsonl"
    path.write_text((json.dumps(AGENT) + "\n") * 6)
    run = Run(bin_dir, tmp_path, "--dataset-name", "custom", "--dataset-path", path, "--num-prompts", 0, "--custom-output-len", -1,
              "--multi-turn-concurrency", 4)
    sessions = run.sessions()
    assert len(sessions) == 6 and all(len(session) == 3 for session in sessions)
    for session in sessions:
        first, second, third = (run.bodies[record["request_id"]] for record in session)
        assert first["tools"] == second["tools"] == TOOLS
        assert first["messages"] == AGENT["messages"][:2]
        # results of tools follow the recorded call
        call = {key: value for key, value in AGENT["messages"][2].items() if key != "output_tokens"}
        result = {key: value for key, value in AGENT["messages"][3].items() if key != "think_s"}
        assert second["messages"] == [*AGENT["messages"][:2], call, result]
        # then the server's response is the history
        *before, response, last = third["messages"]
        assert before == second["messages"] and last == {"role": "user", "content": "Sure?"}
        assert response["role"] == "assistant" and response["content"] not in (None, "", "It is 7.")
        assert [record["output_tokens_requested"] for record in session] == [35, 6, 256]
        pauses = [(run.began[b["request_id"]] - run.tokens[a["request_id"]][-1]) / 1e6 for a, b in zip(session, session[1:])]
        assert 199 <= pauses[0] < 260 and 99 <= pauses[1] < 160
    assert_figures(run)
    assert run.results["sessions"]["mean_wait_share"] < 1
    # the first turns are alike, the second ones do not contain the response to the first, the third ones do
    hits = sum((first["prompt_tokens"] - 1) // 16 * 16 + (second["prompt_tokens"] + second["output_tokens"] - 1) // 16 * 16
               for first, second, _ in sessions) + 5 / 6 * sum(session[0]["prompt_tokens"] for session in sessions)
    total = sum(record["prompt_tokens"] for session in sessions for record in session)
    assert run.results["expected_prefix_cache_hit_rate"] == pytest.approx(hits / total, rel=1e-9)


def test_a_failed_turn_ends_its_conversation(bin_dir, tmp_path):
    run = Run(bin_dir, tmp_path, "--num-prompts", 40, "--random-input-len", 8, "--random-output-len", 3, "--multi-turn-concurrency", 5,
              "--max-error-share", 1, sim=["--sim-error-rate", "0.15"])
    sessions = run.sessions()
    failed = [session for session in sessions if any(record["error"] for record in session)]
    assert 0 < len(failed) < 40
    for session in failed:
        kinds = [record["error"] and record["error"]["kind"] for record in session]
        at = next(i for i, kind in enumerate(kinds) if kind)
        assert kinds[at] != "not_sent" and all(kind == "not_sent" for kind in kinds[at + 1:])
        assert all(record["error"]["message"] == "an earlier turn of the conversation failed" for record in session[at + 1:])
    assert_figures(run)


@pytest.mark.parametrize("words, message", [
    (["--backend", "openai"], "--backend: found text 'openai', expected openai-chat for --multi-turn"),
    (["--dataset-name", "prefix_repetition"], "expected random, sharegpt or custom for --multi-turn"),
    (["--multi-turn-min-turns", "4", "--multi-turn-max-turns", "2"], "--multi-turn-max-turns: found number 2, expected at least"),
    (["--threads", "2"], "--threads: found number 2, expected 1"),
    (["--extra-body", '{"messages": []}'], "--extra-body: found key 'messages', expected other keys"),
    (["--multi-turn-num-turns", "100000"], "--num-prompts: found number 1000000, expected at most 1000 for conversations of up to 100000"),
])
def test_combinations_that_make_no_sense_are_refused(bin_dir, words, message):
    done = subprocess.run([bin_dir / "profllm", "bench", "serve", *WORDS, *words, "--port", "1",
                           *(["--num-prompts", "1000000"] if "--multi-turn-num-turns" in words else [])], capture_output=True, text=True,
                          timeout=60, check=False, env=run_tools.environment())
    assert done.returncode == 2 and message in done.stderr, done.stderr


@pytest.mark.parametrize("text, message", [
    ('{"prompt": "x"}\n', "c.jsonl:1: expected an object with 'messages', a list"),
    ('{"messages": [{"text": "x"}]}\n', "c.jsonl:1: message 0: expected 'role' and 'content'"),
    ('{"messages": [{"role": "user", "content": "x", "think_s": -1}]}\n', "message 1: 'think_s': expected a number of seconds"),
    ('{"messages": [{"role": "assistant", "content": "x"}]}\n', "holds no conversation"),
])
def test_a_faulty_record_is_named(bin_dir, tmp_path, text, message):
    (tmp_path / "c.jsonl").write_text(text)
    done = subprocess.run([bin_dir / "profllm", "bench", "serve", *WORDS, "--dataset-name", "custom", "--dataset-path", tmp_path / "c.jsonl",
                           "--port", "1"], capture_output=True, text=True, timeout=60, check=False, env=run_tools.environment())
    assert done.returncode == 2 and message in done.stderr, done.stderr
