"""Faults that profllm-sim simulates on request, seen from a client; and its log of them."""
import http.client
import json
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from sim_tools import Server, by_request, in_threads, read_log
from wait_tools import wait_for

COMPLETION = {"prompt": " ab cd", "max_tokens": 8, "stream_options": {"include_usage": True}}


def faulty(bin_dir, tmp_path, *args):
    return Server(bin_dir, "--sim-step", "1ms", "--sim-log", tmp_path / "log", *args)


def raw_request(server, name, body, path="/v1/completions"):
    """Sends a request on a separate socket; returns the socket."""
    data = json.dumps(body).encode()
    plug = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    plug.sendall(b"POST %s HTTP/1.1\r\nhost: x\r\nx-request-id: %s\r\ncontent-length: %d\r\n\r\n"
                 % (path.encode(), name.encode(), len(data)) + data)
    return plug


def read_all(plug):
    """Returns all bytes until the end, and whether the end was a reset."""
    got = b""
    try:
        while piece := plug.recv(65536):
            got += piece
    except ConnectionResetError:
        return got, True
    finally:
        plug.close()
    return got, False


def outcome(server, name, body=COMPLETION, stream=True):
    """Returns how a request ended: "status", "stream_error", "truncated", "bad_json", "cut" or "good"."""
    connection = server.connect()
    connection.request("POST", "/v1/completions", json.dumps({**body, "stream": stream}),
                       {"x-request-id": name})
    try:
        answer = connection.getresponse()
        text = answer.read().decode()
    except (ConnectionResetError, http.client.IncompleteRead, http.client.RemoteDisconnected):
        return "cut"
    finally:
        connection.close()
    if answer.status != 200:
        assert json.loads(text)["error"]["code"] == answer.status
        return "status"
    if not stream:
        try:
            json.loads(text)
        except ValueError:
            return "bad_json"
        return "good"
    done = False
    for line in text.splitlines():
        if line == "data: [DONE]":
            done = True
        elif line.startswith("data: "):
            try:
                event = json.loads(line[6:])
            except ValueError:
                return "bad_json"
            if "error" in event:
                return "stream_error"
    return "good" if done else "truncated"


RATES = {
    "--sim-error-rate": ("status", "status", "error"),
    "--sim-reset-rate": ("cut", "cut", "aborted"),
    "--sim-stream-error-rate": ("stream_error", "status", "error"),
    "--sim-truncate-rate": ("truncated", "cut", "error"),
    "--sim-bad-json-rate": ("bad_json", "bad_json", "error"),
}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("option", RATES)
def test_a_share_of_requests_fails(bin_dir, tmp_path, option, stream):
    expected = RATES[option][0 if stream else 1]
    body = dict(COMPLETION) if stream else {"prompt": " ab", "max_tokens": 8}
    with faulty(bin_dir, tmp_path, option, "0.3") as server:
        got = [outcome(server, f"r{i}", body, stream) for i in range(20)]
        assert outcome(server, "", body, stream) == expected or len(got) == 20
    assert got.count(expected) == 6
    assert got.count("good") == 14
    ends = {name: lines[-1] for name, lines in by_request(read_log(tmp_path / "log")).items()}
    for i, how in enumerate(got):
        assert ends[f"r{i}"]["event"] == "end"
        assert ends[f"r{i}"]["status"] == ("completed" if how == "good" else RATES[option][2])


def test_requests_without_an_id_are_never_hit(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-error-rate", "1") as server:
        for _ in range(3):
            server.stream("/v1/completions", COMPLETION)
        assert outcome(server, "named") == "status"


def test_the_same_requests_are_hit_in_every_run(bin_dir, tmp_path):
    runs = []
    for _ in range(2):
        with faulty(bin_dir, tmp_path, "--sim-error-rate", "0.29", "--sim-truncate-rate", "0.1",
                    "--sim-error-status", "429", "--sim-retry-after", "7") as server:
            runs.append([outcome(server, f"r{i}") for i in range(40)])
            status, headers, _ = server.ask("POST", "/v1/completions", COMPLETION | {
                "stream": True}, {"x-request-id": "x"})
            assert status == 200 or headers["retry-after"] == "7"
    assert runs[0] == runs[1]
    assert runs[0].count("status") == 11
    assert runs[0].count("truncated") == 4


def test_an_error_carries_retry_after(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-error-rate", "1", "--sim-error-status", "503",
                "--sim-retry-after", "2") as server:
        status, headers, body = server.ask("POST", "/v1/completions", {
            "prompt": "a"}, {"x-request-id": "x"})
    assert (status, headers["retry-after"]) == (503, "2")
    assert json.loads(body) == {"error": {"message": "Internal server error", "param": None,
                                          "type": "ServiceUnavailableError", "code": 503}}


def test_half_of_the_tokens_come_before_the_fault(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-truncate-rate", "1") as server:
        outcome(server, "a")
    lines = by_request(read_log(tmp_path / "log"))["a"]
    assert [line["event"] for line in lines] == ["request"] + ["token"] * 4 + ["end"]
    assert lines[-1]["tokens"] == 4


def test_a_stalled_stream_stays_open(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-stall-rate", "0.5") as server:
        assert outcome(server, "a") == "good"
        plug = raw_request(server, "b", {**COMPLETION, "stream": True})
        got = b""
        while got.count(b"data: ") < 4:
            got += plug.recv(65536)
        # others are served meanwhile; for who asks the server this one runs on
        assert outcome(server, "c") == "good"
        assert server.metric("vllm:num_requests_running") == 1
        assert json.loads(server.get("/load"))["server_load"] == 1
        plug.setblocking(False)
        with pytest.raises(BlockingIOError):
            plug.recv(1)
        plug.close()
        wait_for(lambda: server.metric("vllm:num_requests_running") == 0, "the end")
    lines = by_request(read_log(tmp_path / "log"))["b"]
    assert lines[-1]["status"] == "aborted" and lines[-1]["tokens"] == 4


def test_usage_can_be_wrong_or_missing(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-wrong-usage", "-3") as server:
        events, _ = server.stream("/v1/completions", COMPLETION)
        assert events[-2]["usage"]["completion_tokens"] == 5
        assert events[-2]["usage"]["total_tokens"] == 5 + events[-2]["usage"]["prompt_tokens"]
        whole = server.post("/v1/completions", {"prompt": " ab", "max_tokens": 2})
        assert whole["usage"]["completion_tokens"] == 0
    with faulty(bin_dir, tmp_path, "--sim-no-usage") as server:
        events, _ = server.stream("/v1/completions", COMPLETION)
        assert not any("usage" in event for event in events[:-1])
        assert server.post("/v1/completions", {"prompt": " ab"})["usage"] is None


def test_finish_reasons_can_be_missing(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-no-finish") as server:
        events, _ = server.stream("/v1/completions", {**COMPLETION, "n": 2})
        choices = [choice for event in events[:-1] for choice in event["choices"]]
        assert {choice["index"] for choice in choices} == {0, 1}
        assert {choice["finish_reason"] for choice in choices} == {None}
        assert events[-2]["usage"]["completion_tokens"] == 2 * COMPLETION["max_tokens"]
        whole = server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}], "max_tokens": 2})
        assert whole["choices"][0]["finish_reason"] is None and whole["usage"]["completion_tokens"] == 2


@pytest.mark.parametrize("merged", [1, 3, 100])
def test_tokens_merged_into_events(bin_dir, tmp_path, merged):
    body = {**COMPLETION, "max_tokens": 8, "logprobs": 0, "return_token_ids": True}
    with faulty(bin_dir, tmp_path) as server:
        single, _ = server.stream("/v1/completions", body)
    with faulty(bin_dir, tmp_path, "--sim-merge", merged) as server:
        events, _ = server.stream("/v1/completions", body, {"x-request-id": "m"})
    counts = [len(event["choices"][0]["token_ids"]) for event in events[:-2]]
    assert counts == {1: [1] * 8, 3: [3, 3, 2], 100: [8]}[merged]

    def joined(events, member):
        return [item for event in events[:-2] for item in event["choices"][0]["logprobs"][member]]

    for member in "tokens", "text_offset", "token_logprobs":
        assert joined(events, member) == joined(single, member)
    assert "".join(event["choices"][0]["text"] for event in events[:-2]) == "".join(
        event["choices"][0]["text"] for event in single[:-2])
    tokens = [line["tokens"] for line in by_request(read_log(tmp_path / "log"))["m"]
              if line["event"] == "token"]
    assert tokens == counts


def test_stream_interval_leaves_the_first_token_alone(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--stream-interval", 3) as server:
        events, _ = server.stream("/v1/completions", {**COMPLETION, "return_token_ids": True})
    assert [len(event["choices"][0]["token_ids"]) for event in events[:-2]] == [1, 3, 3, 1]


FORMS = ["plain", "comments", "crlf", "no_space", "lines", "fields"]


def parse_events(text):
    """Returns the data of each message, by the standard for event streams."""
    messages, data = [], []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line == "":
            if data:
                messages.append("\n".join(data))
            data = []
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
    return messages


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
@pytest.mark.parametrize("form", FORMS)
def test_event_forms_say_the_same(bin_dir, tmp_path, form, path):
    body = {"prompt": " ab", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 5,
            "stream": True, "stream_options": {"include_usage": True}}
    texts = []
    for args in [], ["--sim-event-form", form]:
        with faulty(bin_dir, tmp_path, *args) as server:
            answer = server.ask("POST", path, body, {"x-request-id": "f"})[2].decode()
            texts.append([
                json.loads(event) if event != "[DONE]" else event
                for event in parse_events(answer)])
    for events in texts:
        assert events[-1] == "[DONE]"
        for event in events[:-1]:
            del event["id"], event["created"]
    assert texts[0] == texts[1]
    marks = {"plain": "data: {", "comments": ": ping\n\ndata: ", "crlf": "\r\n\r\n",
             "no_space": "data:{", "lines": "\ndata: ,", "fields": "event: message\nid: 1\n"}
    assert marks[form] in answer


def test_sends_are_cut_and_merged(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-cut", "7") as server:
        assert [outcome(server, f"c{i}") for i in range(5)] == ["good"] * 5
        assert outcome(server, "w", {"prompt": " ab"}, stream=False) == "good"
    with faulty(bin_dir, tmp_path, "--sim-merge-sends", "3") as server:
        assert outcome(server, "m") == "good"
    tokens = [line for line in by_request(read_log(tmp_path / "log"))["m"]
              if line["event"] == "token"]
    times = [line["t_ns"] for line in tokens]
    assert len(times) == 8
    assert [times.count(time) for time in sorted(set(times))] == [3, 3, 2]


def test_health_can_be_late(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-unhealthy", "2s") as server:
        assert server.ask("GET", "/health")[0] == 503
        wait_for(lambda: server.ask("GET", "/health")[0] == 200, "/health is well")


def test_metrics_can_fail(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-metrics-fault", "gone") as server:
        assert server.ask("GET", "/metrics")[0] == 404
    with faulty(bin_dir, tmp_path, "--sim-metrics-fault", "garbage") as server:
        status, _, body = server.ask("GET", "/metrics")
        assert status == 200 and b"\xff" in body
    with faulty(bin_dir, tmp_path, "--sim-metrics-fault", "reset_counters") as server:
        server.stream("/v1/completions", COMPLETION)
        seen = [server.metric("vllm:generation_tokens_total") for _ in range(10)]
        assert seen == [8] * 9 + [0]
        server.stream("/v1/completions", COMPLETION)
        assert server.metric("vllm:generation_tokens_total") == 8
        assert server.metric("vllm:e2e_request_latency_seconds_count") == 1


def test_connections_are_closed_unannounced(bin_dir, tmp_path):
    with faulty(bin_dir, tmp_path, "--sim-close-after", "2") as server:
        connection = server.connect()
        for _ in range(2):
            connection.request("GET", "/version")
            answer = connection.getresponse()
            assert answer.read() and answer.getheader("connection") is None
        assert connection.sock.recv(1) == b""
        connection.close()


def crashed(bin_dir, tmp_path, *args):
    """Starts three long streams and a short one; returns the server's exit status when it has died."""
    server = faulty(bin_dir, tmp_path, *args)

    def begin(name, max_tokens):
        plug = raw_request(server, name, {**COMPLETION, "stream": True, "max_tokens": max_tokens})
        plug.recv(1, socket.MSG_PEEK)
        return plug

    plugs = [begin(f"r{i}", 2000) for i in range(1, 4)]
    plugs.insert(0, begin("r0", 5))
    answers = in_threads([lambda plug=plug: read_all(plug) for plug in plugs])
    status = server.process.wait(timeout=60)
    server.reader.join()
    server.process.stdout.close()
    ends = {name: lines[-1]["status"]
            for name, lines in by_request(read_log(tmp_path / "log")).items()}
    return status, [answer for answer, _ in answers], ends, "\n".join(server.lines)


def test_the_engine_dies(bin_dir, tmp_path):
    status, answers, ends, text = crashed(bin_dir, tmp_path, "--sim-crash-after", "1")
    assert status == 1
    assert "EngineCore encountered a fatal error." in text
    assert "EngineDeadError: EngineCore encountered an issue." in text
    assert answers[0].endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n") and b'"error"' not in answers[0]
    assert ends == {"r0": "completed", "r1": "error", "r2": "error", "r3": "error"}
    for answer in answers[1:]:
        assert b'{"error":{"message":"EngineCore encountered an issue.' in answer
        assert answer.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


def test_the_engine_dies_on_the_first_request(bin_dir, tmp_path):
    server = faulty(bin_dir, tmp_path, "--sim-crash-after", "0")
    server.stream("/v1/completions", COMPLETION)  # not counted: no id
    got, _ = read_all(raw_request(server, "a", {**COMPLETION, "stream": True}))
    assert got.startswith(b"HTTP/1.1 200 OK") and b'{"error":{' in got
    assert server.stop() == 1


def test_the_head_process_dies_by_a_signal(bin_dir, tmp_path):
    for name, number in ("KILL", signal.SIGKILL), ("SIGSEGV", signal.SIGSEGV):
        status, answers, ends, _ = crashed(bin_dir, tmp_path, "--sim-crash-after", "1",
                                           "--sim-crash-signal", name)
        assert status == -number
        assert b"[DONE]" in answers[0]
        assert ends.pop("r0") == "completed"
        assert set(ends.values()) <= {"aborted"}


def test_the_engine_stalls(bin_dir, tmp_path):
    server = faulty(bin_dir, tmp_path, "--sim-hang-after", "1")
    assert outcome(server, "a") == "good"
    plug = raw_request(server, "b", {**COMPLETION, "stream": True})
    assert b"200 OK" in plug.recv(4096)
    assert server.ask("GET", "/health")[0] == 200
    assert server.metric("vllm:num_requests_waiting") == 1
    assert server.stop() == 0
    rest, _ = read_all(plug)
    assert b"data:" not in rest
    assert by_request(read_log(tmp_path / "log"))["b"][-1]["status"] == "aborted"


FAILURES = {
    "out_of_memory": (1, "torch.OutOfMemoryError: CUDA out of memory."),
    "kv_cache_too_small": (1, "is larger than the available KV cache memory"),
    "invalid_argument": (2, "error: argument --dtype: invalid choice"),
    "invalid_configuration": (1, "must be divisible by tensor parallel size"),
    "port_in_use": (1, "OSError: [Errno 98] Address already in use"),
    "model_not_found": (1, "OSError: some/model is not a local folder"),
    "gated_model": (1, "Access to model some/model is restricted."),
    "unsupported_model": (1, "are not supported for now."),
    "quantization_mismatch": (1, "does not match the quantization method"),
    "missing_dependency": (1, "ModuleNotFoundError: No module named"),
    "cuda_error": (1, "CUDA error: an illegal memory access"),
    "driver_mismatch": (1, "The NVIDIA driver on your system is too old"),
    "nccl_error": (1, "NCCL error: unhandled cuda error"),
    "disk_full": (1, "OSError: [Errno 28] No space left on device"),
    "unknown": (1, ""),
    "killed": (-signal.SIGKILL, ""),
    "segfault": (-signal.SIGSEGV, ""),
}


def start(bin_dir, *args):
    return subprocess.run(
        [str(bin_dir / "profllm-sim"), "serve", "some/model", "--port", "0", *args],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60)


@pytest.mark.parametrize("name", FAILURES)
def test_a_start_fails(bin_dir, name):
    done = start(bin_dir, "--sim-fail-start", name, "--sim-start-delay", "50ms")
    status, words = FAILURES[name]
    assert done.returncode == status, done.stdout
    assert words in done.stdout
    assert "Application startup complete." not in done.stdout
    assert words or "Error" not in done.stdout


def test_every_failure_is_here(bin_dir):
    text = subprocess.run([str(bin_dir / "profllm-sim"), "--help"], capture_output=True,
                          text=True, check=True).stdout
    names = text.split("Names for --sim-fail-start:")[1].splitlines()[0].split()
    assert set(names) == set(FAILURES)


PHASES = ["non-default args", "Initializing a simulated engine", "Starting to load model",
          "Loading weights took", "torch.compile took", "GPU KV cache size",
          "Graph capturing finished", "init engine (profile, create kv cache, warmup model) took",
          "Starting profllm-sim server on", "Application startup complete."]


def test_a_slow_start_has_its_phases(bin_dir):
    with Server(bin_dir, "--sim-start-delay", "400ms") as server:
        text = "\n".join(server.lines)
    places = [text.index(phase) for phase in PHASES]
    assert places == sorted(places)
    assert "Loading weights took 0.12 seconds" in text
    assert "torch.compile took 0.06 s in total" in text
    assert "took 0.30 s" in text


def test_a_slow_start_can_be_ended(bin_dir):
    process = subprocess.Popen(
        [str(bin_dir / "profllm-sim"), "serve", "tiny", "--port", "0", "--sim-start-delay", "10m"],
        stdout=subprocess.PIPE, text=True)
    # the first line is printed after a tenth of the delay; before that, the signal is blocked until the server handles
    # it
    kept = 1 << (signal.SIGTERM - 1)
    wait_for(lambda: int(re.search(r"SigBlk:\s*(\w+)", Path(
        f"/proc/{process.pid}/status").read_text()).group(1), 16) & kept, "signals are kept")
    process.send_signal(signal.SIGTERM)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Application startup complete." not in text


def test_every_option_is_documented(bin_dir, source_dir):
    text = subprocess.run([str(bin_dir / "profllm-sim"), "--help"], capture_output=True,
                          text=True, check=True).stdout
    page = (source_dir / "docs/reference/simulator.md").read_text()
    options = [word for word in text.split() if word.startswith("--sim-") and word != "--sim-...]"]
    assert len(options) > 25
    for option in options:
        assert f"`{option.rstrip(':)')}" in page, option
