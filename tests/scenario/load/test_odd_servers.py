"""

Servers that misbehave, over real sockets: in each case the run ends, loses no request, keeps the valid numbers and
reports the fault. odd_rows.py is the table.


"""
import json
import os
import random
import re
import signal
import threading
import time

import pytest
from odd_rows import CHUNKED, HEAD, TABLES, Row
from odd_server import (CLOSE, HANG, LAST_CHUNK, RESET, SECOND_TIME, OddServer, Pause, chunk, event, good, head, stream,
                        tokens, whole)
from run_tools import base_config, read_zst_lines, run_profllm, start_profllm, write_config

CONTENT = 2


class Play:
    """One `bench serve` whose request i is for the i-th of `names`, and its outcome."""

    def __init__(self, bin_dir, folder, server, names, *words, backend="openai", cap=1, patience=1, env=None,
                 prompt="case:{}"):
        folder.mkdir(exist_ok=True)
        self.names = list(names)
        data = folder / "prompts.jsonl"
        data.write_text("".join(json.dumps({"prompt": prompt.format(name)}) + "\n" for name in self.names))
        self.done = run_profllm(
            bin_dir, "bench", "serve", "--base-url", server.url, "--backend", backend, "--model", "odd",
            "--dataset-name", "custom", "--dataset-path", data, "--skip-chat-template", "--disable-shuffle",
            "--custom-output-len", 4, "--num-prompts", len(self.names), "--max-concurrency", cap,
            "--output", folder / "r.json", "--save-result", "--save-detailed", "--result-dir", folder,
            "--result-filename", "flat.json", *words, patience=patience, env=env)
        assert (folder / "r.json").exists(), self.done.stderr
        self.result = json.loads((folder / "r.json").read_text())
        self.results = self.result["results"]
        self.records = read_zst_lines(folder / "r.requests.jsonl.zst") if self.results else []
        self.flat = json.loads((folder / "flat.json").read_text()) if self.results else None
        self.by_name = dict(zip(self.names, self.records))

    def check_sums(self, rows):
        """Checks that nothing is lost, and that the exit status and the counts by kind match the records."""
        good_ones = sum(rows[name].kind is None for name in self.names)
        assert [record["index"] for record in self.records] == list(range(len(self.names)))
        assert (self.results["completed"], self.results["failed"]) == (good_ones, len(self.names) - good_ones)
        assert sum(error["count"] for error in self.results["errors"]) == self.results["failed"]
        assert self.done.returncode == (1 if self.results["failed"] else 0)
        assert self.results["total_output_tokens"] == sum(
            record["output_tokens"] for record in self.records if record["error"] is None)


def check_record(record, row, text):
    error = record["error"]
    if row.kind is None:
        assert error is None, error
        assert record["status"] == 200
    else:
        assert error is not None, "expected a failure"
        assert row.says in (error["message"] or ""), error
        assert (error["kind"], error["status"]) == (row.kind, row.status), error
        assert record["status"] == row.status
        assert len(error["message"].encode()) <= 5000
    if row.events is not ...:
        assert len(record["events"]) == row.events
    if row.tokens is not ...:
        assert record["output_tokens"] == row.tokens
    if row.finish is not ...:
        assert record["finish_reason"] == row.finish
    if row.source:
        assert record["token_source"] == row.source
    if row.prompt is not None:
        assert record["prompt_tokens"] == row.prompt
    if row.text is not None:
        assert text == row.text
    if hasattr(row, "flags"):
        assert record["events"][0][2] & CONTENT == row.flags
    times = [record[name] for name in ("acted_ns", "headers_ns", "end_ns") if record[name] is not None]
    assert times == sorted(times)


@pytest.fixture(scope="module")
def plays(bin_dir, tmp_path_factory, patience):
    """Plays each table once with one request at a time, so that each row's connection meets the next row."""
    done = {}

    def play(table, cap=1):
        if (table, cap) not in done:
            backend, rows = TABLES[table]
            words = ["--extra-body", '{"stream": false}'] if table == "one-piece" else []
            with OddServer({name: row.steps for name, row in rows.items()}) as server:
                done[table, cap] = Play(bin_dir, tmp_path_factory.mktemp(table), server, rows, *words, cap=cap,
                                        backend=backend, patience=patience)
        return done[table, cap]

    return play


@pytest.mark.sanitize_all
@pytest.mark.parametrize("table, name", [(table, name) for table, (_, rows) in TABLES.items() for name in rows])
def test_row(plays, table, name):
    play = plays(table)
    check_record(play.by_name[name], TABLES[table][1][name],
                 play.flat["generated_texts"][play.names.index(name)])


@pytest.mark.threads
@pytest.mark.parametrize("cap", [1, 32])
@pytest.mark.parametrize("table", TABLES)
def test_sums(plays, table, cap):
    """Plays also many requests at once, where each row meets other neighbors."""
    play, rows = plays(table, cap), TABLES[table][1]
    play.check_sums(rows)
    if cap > 1:
        for name, record in play.by_name.items():
            check_record(record, rows[name], play.flat["generated_texts"][play.names.index(name)])


def played(bin_dir, folder, rows, *words, patience=1, **kwargs):
    """Plays a run over these rows, and checks each."""
    with OddServer({name: row.steps for name, row in rows.items()}) as server:
        play = Play(bin_dir, folder, server, rows, *words, patience=patience, **kwargs)
    play.check_sums(rows)
    for name, record in play.by_name.items():
        check_record(record, rows[name], None)
    return play, server


@pytest.mark.threads
def test_a_storm(bin_dir, tmp_path, patience):
    """Plays all rows of completions at once, several times, in random order, with two workers."""
    rows = {name: row for table in ("framing", "ends", "statuses", "events", "usages", "errors")
            for name, row in TABLES[table][1].items()}
    names = list(rows) * (10 if os.environ.get("PROFLLM_TEST_LONG") else 2)
    random.Random(7).shuffle(names)
    with OddServer({name: row.steps for name, row in rows.items()}) as server:
        play = Play(bin_dir, tmp_path, server, names, "--threads", 2, cap=128, patience=patience)
    play.check_sums(rows)
    for name, record in zip(play.names, play.records):
        check_record(record, rows[name], rows[name].text)


ANSWER = stream(*good())


def test_cut_at_every_byte(bin_dir, tmp_path, patience):
    rows = {f"at-{i}": Row(ANSWER[:i], Pause(0.001), ANSWER[i:], source="usage") for i in range(1, len(ANSWER))}
    played(bin_dir, tmp_path, rows, cap=16, patience=patience)


def recorded(path):
    """Returns the recorded response of a real server; each event is a chunk again."""
    first, body = path.read_bytes().split(b"\r\n\r\n", 1)
    return first + b"\r\n\r\n" + b"".join(chunk(part + b"\n\n") for part in body.split(b"\n\n") if part) + LAST_CHUNK


@pytest.mark.parametrize("name, backend, events", [
    ("completions_stream", "openai", 4), ("completions_stream_cont", "openai", 4),
    ("completions_n2_stream", "openai", 4), ("completions_batch_stream", "openai", 4),
    ("chat_stream", "openai-chat", 5), ("chat_stream_cont", "openai-chat", 5)])
def test_recorded_answers_in_many_pieces(bin_dir, tmp_path, test_data_dir, patience, name, backend, events):
    data = recorded(test_data_dir / "data" / "real" / "http" / f"{name}.txt")
    rng = random.Random(name)
    rows = {}
    for i in range(2000 if os.environ.get("PROFLLM_TEST_LONG") else 40):
        cuts = sorted(rng.sample(range(1, len(data)), rng.randint(1, 40)))
        pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)])]
        steps = [step for piece in pieces for step in (piece, Pause(rng.choice([0, 0.0002, 0.001])))]
        rows[f"pieces-{i}"] = Row(*steps, events=events)
    played(bin_dir, tmp_path, rows, cap=16, backend=backend, patience=patience)


def test_answered_before_it_was_read(bin_dir, tmp_path, patience):
    """A server refuses a long request with a message and closes: the message is kept, not the reset."""
    refusal = whole({"detail": "the prompt is too long"}, "413 Content Too Large", "application/json",
                    "Connection: close")
    with OddServer({"early": [refusal, CLOSE], "silent": [CLOSE]}) as server:
        for name, kind, status in (("early", "http_status", 413), ("silent", None, None)):
            play = Play(bin_dir, tmp_path / name, server, [name] * 2, "--endpoint", "/early/v1/completions", cap=2,
                        patience=patience, prompt="case:{} " + "x" * 6_000_000)
            assert (play.results["completed"], play.results["failed"]) == (0, 2)
            for record in play.records:
                if kind:
                    assert (record["error"]["kind"], record["status"]) == (kind, status)
                    assert record["error"]["message"] == "the prompt is too long"
                else:
                    assert record["error"]["kind"] in ("send", "reset") and record["status"] is None


def test_kept_connection_that_is_closed_on_the_next_request(bin_dir, tmp_path, patience):
    """Such a request is sent once more, and fails if it gets no response again."""
    rows = {"first": Row(ANSWER), "again": Row(CLOSE, SECOND_TIME, ANSWER), "third": Row(ANSWER),
            "reset": Row(RESET, SECOND_TIME, ANSWER), "fourth": Row(ANSWER),
            "never": Row(CLOSE, kind="reset", says="closed the connection", status=None, tokens=None, events=0,
                         finish=None)}
    _, server = played(bin_dir, tmp_path, rows, patience=patience)
    assert server.asked == {"first": 1, "again": 2, "third": 1, "reset": 2, "fourth": 1, "never": 2}


def test_surplus_belongs_to_no_request(bin_dir, tmp_path, patience):
    """Complete responses without a request follow each response, in its own segment or in the next."""
    lie = stream(*good(count=99))
    rows = {f"r{i}": Row(ANSWER + lie if i % 2 else ANSWER + lie[:50]) for i in range(50)}
    played(bin_dir, tmp_path, rows, patience=patience)


@pytest.mark.parametrize("choices", [1, 2])
def test_a_server_that_names_no_finish_reason(bin_dir, tmp_path, patience, choices):
    config = base_config(num_prompts=6, extra_body={"n": choices})
    config["launch"]["extra_args"] += ["--sim-no-finish"]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json", "-q",
                       patience=patience)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["results"]["completed"] == 6 and result["results"]["total_output_tokens"] == 6 * 8 * choices
    for record in read_zst_lines(tmp_path / "r.requests.jsonl.zst"):
        assert record["error"] is None and record["finish_reason"] is None
    check, = [check for check in result["quality"]["checks"] if check["id"] == "finish_reasons"]
    assert (check["status"], check["value"], check["effect"]) == ("over_limit", 6, "info")


def test_silence(bin_dir, tmp_path, patience):
    """The run ends by stall_timeout; the received part of each request is kept."""
    rows = {"none": [HANG], "head": [HEAD, HANG], "two": [HEAD + b"".join(map(chunk, tokens(4)[:2])), HANG],
            "good": [ANSWER]}
    with OddServer(rows) as server:
        play = Play(bin_dir, tmp_path, server, rows, "--stall-timeout", "2s", cap=4, patience=patience)
    assert play.done.returncode == 4 and play.result["status"] == "timeout"
    assert [record["error"] and record["error"]["kind"] for record in play.records] == ["stalled"] * 3 + [None]
    assert [len(record["events"]) for record in play.records] == [0, 0, 2, 4]
    assert (play.results["completed"], play.results["failed"]) == (1, 3)


def test_pings_are_not_a_response(bin_dir, tmp_path, patience):
    """A server that only sends pings ends by request_timeout."""
    rows = {"pings": [HEAD] + [chunk(b": ping\n\n"), Pause(0.05)] * 60, "good": [ANSWER]}
    with OddServer(rows) as server:
        play = Play(bin_dir, tmp_path, server, rows, "--request-timeout", "2s", cap=2, patience=patience)
    assert play.done.returncode == 1
    assert [record["error"] and record["error"]["kind"] for record in play.records] == ["timeout", None]


FLOOD_S = 20


@pytest.mark.parametrize("piece", [b"\n", b": x\n", b"data:\n\n", b"data: x\n"],
                         ids=["newlines", "comments", "empty events", "an endless event"])
def test_a_flood_does_not_stop_the_clock(bin_dir, tmp_path, patience, piece):
    """A server sends without pause: request_timeout ends the request, and others continue meanwhile."""
    def flood(connection):
        until, block = time.monotonic() + FLOOD_S, piece * (8_000_000 // len(piece))
        try:
            while time.monotonic() < until:
                connection.sendall(block)
        except OSError:
            pass

    rows = {"flood": [head(), flood], "good": [ANSWER]}
    names = ["flood", "good", "good", "good"]
    with OddServer(rows) as server:
        play = Play(bin_dir, tmp_path, server, names, "--request-timeout", "1s", cap=2, patience=patience)
    kinds = [record["error"] and record["error"]["kind"] for record in play.records]
    assert kinds[1:] == [None] * 3 and kinds[0] in ("timeout", "protocol")
    assert play.results["duration"] < FLOOD_S / 2


def test_the_output(bin_dir, tmp_path, patience):
    """A peer's bytes are escaped on a terminal."""
    evil = b"\x1b]0;owned\x07\x9b31m\xc2\x9b2J\x7f\x00bad \xff\xfe\r\nnews"
    rows = {"body": Row(whole(evil, "500 Internal Server Error", "text/plain"), kind="http_status", says="news",
                        status=500, tokens=None, events=0, finish=None),
            "event": Row(stream(event(evil.replace(b"\r\n", b" "))), kind="protocol", says="bad", tokens=None, events=0,
                         finish=None),
            "head": Row(head("200 OK", "text/event-stream", "Content-Length: \xff\x9b5"), CLOSE, kind="protocol",
                        says="content-length", status=None, tokens=None, events=0, finish=None)}
    play, _ = played(bin_dir, tmp_path, rows, patience=patience)
    shown = play.done.stdout + play.done.stderr
    assert "news" in shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown.replace("\r", ""))


def test_run_with_a_url(bin_dir, tmp_path, patience):
    """`profllm run` reports the same as `bench serve`."""
    rows = {"good": [ANSWER], "html": [whole(b"<html>log in", "200 OK", "text/html")]}
    data = tmp_path / "prompts.jsonl"
    data.write_text("".join(json.dumps({"prompt": f"case:{name}"}) + "\n" for name in rows))
    with OddServer(rows) as server:
        config = {"name": "odd", "launch": {"url": server.url}, "benchmark": {
            "dataset_name": "custom", "dataset_path": str(data), "skip_chat_template": True, "num_prompts": 2,
            "disable_shuffle": True, "custom_output_len": 4, "model": "odd"}}
        (tmp_path / "e.yaml").write_text(json.dumps(config))
        done = run_profllm(bin_dir, "run", "-c", tmp_path / "e.yaml", "-o", tmp_path / "r.json", patience=patience)
    result = json.loads((tmp_path / "r.json").read_text())
    assert done.returncode == 1 and result["status"] == "partial", done.stderr
    assert (result["results"]["completed"], result["results"]["failed"]) == (1, 1)
    assert "1 x protocol 200: response type: found 'text/html', expected an event stream: <html>log in" in done.stdout


def helper_play(bin_dir, folder, helpers, *words, patience=1, names=("good", "good")):
    with OddServer({"good": [ANSWER]}) as server:
        server.helpers = helpers
        return Play(bin_dir, folder, server, names, *words, patience=patience)


ODD_BODIES = {
    "no-json": [whole(b"<html>")], "empty": [whole(b"")], "no-body": [head("204 No Content", None)],
    "list": [whole([])], "text": [whole("x")], "data-null": [whole({"data": None})],
    "data-numbers": [whole({"data": [1, None, {}, {"id": 5}, {"id": None}, {"id": ""}]})],
    "deep": [whole(b"[" * 100000 + b"]" * 100000)], "mb": [whole(b'{"data": "' + b"x" * 1_000_000 + b'"}')],
    "no-utf8": [whole(b'{"data": [{"id": "\xff"}]}')], "nul": [whole(b'{"data": [{"id": "a\\u0000b"}]}')],
    "500": [whole({"detail": "no"}, "500 Internal Server Error")], "404": [whole(b"", "404 Not Found")],
    "302": [whole(b"", "302 Found", None, "Location: /elsewhere")],
    "cut": [head("200 OK", None, "Content-Length: 9"), CLOSE],
    "reset": [head("200 OK", None, "Content-Length: 9"), Pause(0.01), RESET], "close": [CLOSE],
    "no-http": [b"220 mail.example\r\n\r\n", CLOSE],
    "two-lengths": [head("200 OK", None, "Content-Length: 1", "Content-Length: 2")],
    "surplus": [whole({"data": []}) + ANSWER],
}


@pytest.mark.parametrize("path", ["/v1/models", "/version", "/metrics", "/server_info"])
@pytest.mark.parametrize("name", ODD_BODIES)
def test_odd_responses_outside_the_load(bin_dir, tmp_path, patience, path, name):
    """Odd responses to requests other than the load do not fail the run, as long as the model is known."""
    play = helper_play(bin_dir, tmp_path, {path: ODD_BODIES[name]}, patience=patience)
    if (path, name) == ("/v1/models", "302"):  # so would the load be: said before it is sent
        assert play.done.returncode == 3 and "'/elsewhere'" in play.result["error"]["message"]
        return
    assert play.done.returncode == 0, play.done.stderr
    assert play.results["completed"] == 2
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", play.done.stderr.replace("\r", ""))


@pytest.mark.parametrize("name", ["cut", "reset", "close", "no-http", "two-lengths", "500"])
def test_odd_health(bin_dir, tmp_path, patience, name):
    """Nothing is sent to an unhealthy server, and the reason is reported."""
    with OddServer({"good": [ANSWER]}) as server:
        server.helpers = {"/health": ODD_BODIES[name]}
        play = Play(bin_dir, tmp_path, server, ["good"] * 2, patience=patience)
        assert server.asked == {}
    assert play.done.returncode == 3 and play.result["status"] == "launch_failed"
    says = {"cut": "truncated", "reset": "reset", "close": "without a response", "no-http": "malformed HTTP response",
            "two-lengths": "content-length", "500": "'/health' returned status 500"}[name]
    assert says in play.result["error"]["message"], play.result["error"]


@pytest.mark.parametrize("name, says", [
    ("html", "'text/html', expected an event stream: <html>log in"), ("307", "redirected to 'https://elsewhere.example/'"),
    ("gzip", "'gzip'"), ("cut", "ended during the response"), ("500", "the engine died")])
def test_readiness_is_requested_and_missing(bin_dir, tmp_path, patience, name, says):
    """With a test request, a server that cannot answer is reported before the load, in its own words."""
    steps = {"html": [whole(b"<html>log in", "200 OK", "text/html")],
             "307": [whole(b"", "307 Temporary Redirect", None, "Location: https://elsewhere.example/")],
             "gzip": [head("200 OK", "text/event-stream", CHUNKED, "Content-Encoding: gzip") + LAST_CHUNK],
             "cut": [HEAD, CLOSE],
             "500": [whole({"error": {"message": "the engine died"}}, "500 Internal Server Error")]}
    play = helper_play(bin_dir, tmp_path, {"/v1/completions": steps[name]}, "--ready-check-timeout-sec", 1,
                       patience=patience)
    assert play.done.returncode == 3 and play.result["status"] == "launch_failed"
    assert says in play.result["error"]["message"]


def test_a_signal_while_the_tokenizer_is_asked_about(bin_dir, tmp_path):
    """A server that does not respond does not delay the end by the timeout of the request, a minute."""
    asked = threading.Event()
    with OddServer({"good": [ANSWER]}) as server:
        server.helpers = {"/tokenizer_info": [lambda _: asked.set(), HANG]}
        process = start_profllm(bin_dir, "bench", "serve", "--base-url", server.url, "--model", "odd", "--random-input", 8,
                                "--random-output", 4, "--num-prompts", 4, "--output", tmp_path / "r.json")
        assert asked.wait(60)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=40)
    assert process.returncode == 130, err
    assert json.loads((tmp_path / "r.json").read_text())["status"] == "interrupted"
