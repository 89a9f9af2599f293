"""

Silence: no byte from any stream for stall_timeout. The client waits for a server that works. A server that hangs ends
the run, and the error contains its last responses.


"""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from run_tools import run_profllm

SILENT_S = 2.5  # of each response; stall_timeout is a fifth of it
EVENT = 'data: {"choices": [{"index": 0, "text": " w", "finish_reason": %s}]}\n\n'
USAGE = 'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}\n\ndata: [DONE]\n\n'


class Server(ThreadingHTTPServer):
    """`silent`: "before" the first event, "within" the stream, or "whole" responses. `page`: the content of /metrics at a
    time."""

    daemon_threads = True

    def __init__(self, silent, page, health=200):
        self.silent, self.page, self.health, self.over = silent, page, health, threading.Event()
        self.health_later = health  # from the first measured request on: it is well while the run begins
        super().__init__(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text, kind="text/plain"):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/health":
            if self.server.health is None:
                self.server.over.wait(30)
            return self.answer(self.server.health or 200, "")
        if self.path == "/metrics" and self.server.page:
            return self.answer(200, self.server.page(time.monotonic()))
        if self.path == "/v1/models":
            return self.answer(200, json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}), "application/json")
        return self.answer(404, "")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("completions"):
            return self.answer(404, "")
        quick = "probe" in request["prompt"] or not self.headers.get("x-request-id")
        if not quick:
            self.server.health = self.server.health_later
        pause = (lambda: None) if quick else (lambda: self.server.over.wait(SILENT_S))
        if not request.get("stream"):
            pause()
            return self.answer(200, json.dumps({"choices": [{"index": 0, "text": " w w", "finish_reason": "length"}],
                                                "usage": {"prompt_tokens": 3, "completion_tokens": 2}}), "application/json")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        if self.server.silent == "before":
            pause()
        self.wfile.write((EVENT % "null").encode())
        self.wfile.flush()
        if self.server.silent == "within":
            pause()
        self.wfile.write((EVENT % '"length"' + USAGE).encode())
        self.close_connection = True


def page(running, moves=False):
    # a value that changes with each scrape is not progress of the engine
    return lambda now: (f"# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total {now if moves else 7}\n"
                        f"# TYPE http_requests_total counter\nhttp_requests_total {now}\nprocess_cpu_seconds_total {now}\n"
                        + (f"vllm:num_requests_running {running}\n" if running is not None else ""))


def play(bin_dir, folder, server, *words, patience=1, stall_s=SILENT_S / 5):
    data = folder / "prompts.jsonl"
    data.write_text('{"prompt": "a b c"}\n' * 2)
    done = run_profllm(
        bin_dir, "bench", "serve", "--base-url", f"http://127.0.0.1:{server.server_port}", "--backend", "openai", "--model", "m",
        "--dataset-name", "custom", "--dataset-path", data, "--skip-chat-template", "--custom-output-len", 2, "--num-prompts", 2,
        "--stall-timeout", f"{stall_s}s", "--output", folder / "r.json", *words, patience=patience)
    return done, json.loads((folder / "r.json").read_text())


@pytest.mark.parametrize("silent, asked, words", [
    ("before", None, ()),                       # no /metrics, no output yet: a prompt may be read
    ("before", page(running=2), ()),            # a prompt is read: the counters move when it is done
    ("before", page(running=2, moves=True), ()),
    ("within", page(running=2, moves=True), ()),
    ("within", page(running=3), ()),            # another one's prompt is read
    ("whole", None, ("--extra-body", '{"stream": false}')),
], ids=["prefill", "prefill-running", "prefill-moves", "within-moves", "another-prefill", "whole"])
def test_a_server_at_work_is_waited_for(bin_dir, tmp_path, patience, silent, asked, words):
    with Server(silent, asked) as server:
        done, result = play(bin_dir, tmp_path, server, *words, patience=patience)
    assert (done.returncode, result["status"]) == (0, "completed"), done.stderr
    assert result["results"]["completed"] == 2
    assert result["results"]["mean_e2el_ms"] >= SILENT_S * 1000


@pytest.mark.parametrize("silent, asked, health, says", [
    ("within", page(running=2), 200, "no counter of /metrics changed in 0.5 s; the server reports 2 running requests"),
    ("before", page(running=0), 200, "no counter of /metrics changed in 0.5 s; the server reports 0 running requests"),
    ("within", page(running=None), 200, "no counter of /metrics changed in 0.5 s"),
    ("within", None, 200, "has no /metrics"),
    ("before", page(running=2), 503, "/health: status 503"),
], ids=["no-progress", "nothing-runs", "not-reported", "no-metrics", "unwell"])
def test_a_server_that_hangs_ends_the_run(bin_dir, tmp_path, patience, silent, asked, health, says):
    with Server(silent, asked) as server:
        server.health_later = health
        done, result = play(bin_dir, tmp_path, server, patience=patience)
    assert (done.returncode, result["status"], result["error"]["cause"]) == (4, "timeout", "hang")
    assert "(500 ms)" in result["error"]["message"]
    assert says in result["error"]["message"]
    # a count that the server does not report is not shown as 0
    assert ("running requests" in result["error"]["message"]) == ("running requests" in says)


@pytest.mark.parametrize("asked", [page(running=2), None], ids=["running", "no-metrics"])
def test_an_engine_that_stops_while_it_reads_ends_the_run(bin_dir, tmp_path, patience, asked):
    """It runs requests that have no output, as in a long prefill, and no counter ever moves."""
    with Server("before", asked) as server:
        done, result = play(bin_dir, tmp_path, server, patience=patience, stall_s=SILENT_S / 50)
    assert (done.returncode, result["status"], result["error"]["cause"]) == (4, "timeout", "hang")
    if asked:
        assert "2 running requests; it may be processing a prompt, which is allowed for 20 times stall_timeout" in result["error"]["message"]


def test_counters_that_moved_in_between_give_time(bin_dir, tmp_path, patience):
    """Polls are short, and a long step may be between them."""
    with Server("before", lambda now: page(running=2)(0).replace("tokens_total 7", f"tokens_total {int(4 * now)}")) as server:
        done, result = play(bin_dir, tmp_path, server, patience=patience, stall_s=SILENT_S / 40)
    assert (done.returncode, result["status"]) == (0, "completed"), done.stderr
