"""The engine over sockets: /metrics matches the step tables, and all requests finish."""
import json
import re
import resource
import socket
import struct
import subprocess

import pytest
from sim_tools import Server, by_request, in_threads, parse_metrics, read_log
from wait_tools import wait_for

RUNNING = 'vllm:num_requests_running{engine="0",model_name="tiny"}'
WAITING = 'vllm:num_requests_waiting{engine="0",model_name="tiny"}'


def completion(server, prompt, max_tokens, request_id=None):
    return server.stream("/v1/completions", {
        "prompt": prompt, "max_tokens": max_tokens, "ignore_eos": True,
        "stream_options": {"include_usage": True}},
        {"x-request-id": request_id} if request_id else None)


def watch_metrics(server, until):
    """Returns all pairs of (running, waiting) seen until the function returns true."""
    seen = set()
    while not until():
        values = server.metrics()
        seen.add((values[RUNNING], values[WAITING]))
    return seen


def test_32_requests_at_8(bin_dir):
    finished = []
    with Server(bin_dir, "--max-num-seqs", 8, "--sim-step", "20ms") as server:
        def one(i):
            events, _ = completion(server, [i + 1] * 20, 40)
            finished.append(events[-2]["usage"]["completion_tokens"])

        def watch():
            # all begin at once, however long it takes until they are here
            wait_for(lambda: server.metrics()[WAITING] == 32, "all wait")
            assert server.ask("POST", "/wake_up")[0] == 200
            return watch_metrics(server, lambda: len(finished) == 32)

        assert server.ask("POST", "/sleep")[0] == 200
        work = [lambda i=i: one(i) for i in range(32)]
        work.append(watch)
        seen = in_threads(work)[-1]
        assert finished == [40] * 32
        assert max(running for running, _ in seen) == 8
        assert (8, 24) in seen
        assert all(waiting <= 24 for running, waiting in seen if running == 8)
        values = server.metrics()
        assert values[RUNNING] == 0 and values[WAITING] == 0
        assert server.metric("vllm:request_success_total") == 32
        assert server.metric("vllm:generation_tokens_total") == 1280
        assert server.metric("vllm:prompt_tokens_total") == 640
        assert server.metric("vllm:request_queue_time_seconds_count") == 32
        assert server.metric("vllm:iteration_tokens_total_sum") == 32 * (20 + 39)


def test_small_cache_preempts_and_all_finish(bin_dir):
    # 16 blocks of 4 tokens; 8 requests of 4 + 24 tokens want 56
    with Server(bin_dir, "--block-size", 4, "--num-gpu-blocks-override", 16, "--max-model-len", 64,
                "--sim-step", "1ms", "--no-enable-prefix-caching") as server:
        answers = in_threads([lambda i=i: completion(server, [100 * i + k for k in range(4)], 24)
                              for i in range(8)])
        for events, _ in answers:
            assert events[-2]["usage"]["completion_tokens"] == 24
            assert len(events) == 24 + 2
        assert server.metric("vllm:num_preemptions_total") > 0
        assert server.metric("vllm:request_success_total") == 8
        assert server.metric("vllm:request_num_preemptions_sum") == \
            server.metric("vllm:num_preemptions_total")
        assert server.metric("vllm:kv_cache_usage_perc") == 0


def test_prefix_hits_are_whole_blocks(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms", "--block-size", 16) as server:
        ids = list(range(70))
        completion(server, ids, 1)
        assert server.metric("vllm:prefix_cache_hits_total") == 0
        completion(server, ids, 1)
        # 70 = 4 blocks and 6
        assert server.metric("vllm:prefix_cache_hits_total") == 64
        completion(server, ids[:64], 1)
        # the last token is computed: 3 blocks of 64
        assert server.metric("vllm:prefix_cache_hits_total") == 64 + 48
        assert server.metric("vllm:prefix_cache_queries_total") == 70 + 70 + 64
        assert server.metric("vllm:prompt_tokens_cached_total") == 112
        assert server.post("/reset_prefix_cache", {}) == {"success": True}
        completion(server, ids, 1)
        assert server.metric("vllm:prefix_cache_hits_total") == 112


def test_chunked_prefill_takes_four_steps(bin_dir):
    with Server(bin_dir, "--max-num-batched-tokens", 512, "--sim-step", "5ms") as server:
        completion(server, list(range(2048)), 2)
        assert server.metric("vllm:iteration_tokens_total_count") == 5
        assert server.metric("vllm:iteration_tokens_total_sum") == 2049


def test_a_client_that_leaves_frees_its_place(bin_dir, tmp_path):
    log = tmp_path / "log"
    with Server(bin_dir, "--max-num-seqs", 1, "--sim-step", "2ms", "--sim-log", log) as server:
        body = json.dumps({"prompt": "a", "max_tokens": 7000, "stream": True}).encode()
        leaver = socket.create_connection(("127.0.0.1", server.port))
        leaver.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nx-request-id: leaver\r\n"
                       b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert leaver.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
        wait_for(lambda: server.metrics()[RUNNING] == 1, "the request runs")
        leaver.close()
        events, _ = completion(server, "b", 3)
        assert events[-2]["usage"]["completion_tokens"] == 3
        assert server.metrics()[
            'vllm:request_success_total{engine="0",model_name="tiny",'
            'finished_reason="abort"}'] == 1
    lines = by_request(read_log(log))["leaver"]
    assert lines[-1]["event"] == "end" and lines[-1]["status"] == "aborted"
    assert lines[-1]["tokens"] == sum(line.get("tokens", 0) for line in lines[1:-1])


def check_against_log(lines, events, times, tokens):
    """Checks that the log lines of one request match its client's view."""
    assert [line["event"] for line in lines] == \
        ["request"] + ["token"] * (len(lines) - 2) + ["end"]
    said = [event for event in events if event != "[DONE]" and event["choices"]]
    assert [(line["choice"], line["index"]) for line in lines[1:-1]] == \
        [(event["choices"][0]["index"], i) for i, event in enumerate(said)]
    assert sum(line["tokens"] for line in lines[1:-1]) == tokens
    assert lines[-1]["tokens"] == tokens and lines[-1]["status"] == "completed"
    stamps = [line["t_ns"] for line in lines]
    assert stamps == sorted(stamps)
    assert all(sent <= came for sent, came in zip(stamps[1:-1], times))


def test_the_log_matches_the_clients(bin_dir, tmp_path):
    log = tmp_path / "log"
    with Server(bin_dir, "--sim-step", "3ms", "--sim-log", log, "--max-num-seqs", 5) as server:
        def chat(i):
            return server.stream("/v1/chat/completions", {
                "messages": [{"role": "user", "content": "hello"}], "n": 2,
                "max_completion_tokens": 3 + i}, {"x-request-id": f"chat-{i}"})

        work = [lambda i=i: completion(server, [i] * 9, 1 + i, f"text-{i}") for i in range(12)]
        work += [lambda i=i: chat(i) for i in range(4)]
        answers = in_threads(work)
        completion(server, "no id", 2)
        assert server.stop() == 0
    requests = by_request(read_log(log))
    assert len(requests) == 16
    for i in range(12):
        check_against_log(requests[f"text-{i}"], *answers[i], tokens=1 + i)
        assert requests[f"text-{i}"][0]["prompt_tokens"] == 9
    for i in range(4):
        check_against_log(requests[f"chat-{i}"], *answers[12 + i], tokens=2 * (3 + i))
        roles = [line["tokens"] for line in requests[f"chat-{i}"][1:3]]
        assert roles == [0, 0]
    nameless = [line for line in read_log(log) if line["request_id"] is None]
    assert [line["event"] for line in nameless] == ["request", "token", "token", "end"]


def test_requests_cut_and_merged_anywhere(bin_dir, tmp_path):
    capture = tmp_path / "capture"
    body = b'{"prompt":"x","max_tokens":2}'
    request = (b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
               % len(body) + body)
    with Server(bin_dir, "--sim-step", "1ms", "--sim-capture", capture) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as wire:
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for i in range(len(request)):
                wire.sendall(request[i:i + 1])
            wire.sendall(request * 3)
            got = b""
            while got.count(b'"finish_reason":"length"') < 4:
                piece = wire.recv(65536)
                assert piece
                got += piece
        assert server.stop() == 0
    assert capture.read_bytes() == request * 4


def test_early_stops_by_chance(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms", "--sim-eos-rate", "0.5") as server:
        whole = server.post("/v1/completions", {"prompt": "a", "max_tokens": 300})
        assert whole["choices"][0]["finish_reason"] == "stop"
        assert whole["usage"]["completion_tokens"] < 300
        kept = server.post("/v1/completions", {"prompt": "a", "max_tokens": 300,
                                               "ignore_eos": True})
        assert kept["choices"][0]["finish_reason"] == "length"
        assert kept["usage"]["completion_tokens"] == 300


def test_more_clients_than_descriptors(bin_dir):
    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))

    with Server(bin_dir, preexec=few_descriptors) as server:
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
        for wire in waiting:
            wire.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        for wire in waiting:
            assert wire.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")
            wire.close()


def test_pipelined_requests_are_answered_one_after_the_other(bin_dir):
    """As in uvicorn: in order, each response is sent separately."""
    paths = ("/health", "/v1/models", "/nowhere", "/version")
    with Server(bin_dir) as server, socket.create_connection(("127.0.0.1", server.port)) as wire:
        wire.sendall("".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n" for path in paths).encode())
        wire.shutdown(socket.SHUT_WR)
        came = b""
        while more := wire.recv(65536):
            came += more
        segments = struct.unpack_from("I", wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 160), 152)[0]
    answers = [part.split(b"\r\n\r\n", 1) for part in came.split(b"HTTP/1.1 ")[1:]]
    assert [head[:3] for head, _ in answers] == [b"200", b"200", b"404", b"200"]
    assert [body.split(b'"')[1:2] for _, body in answers] == [[], [b"object"], [b"detail"], [b"version"]]
    assert segments == len(paths)


def test_the_key_guards_v1(bin_dir):
    with Server(bin_dir, "--api-key", "secret", "--sim-step", "1ms") as server:
        assert server.ask("GET", "/health")[0] == 200
        assert server.ask("GET", "/v1/models")[0] == 401
        assert server.ask("GET", "/v1/models", headers={"Authorization": "Bearer x"})[0] == 401
        status, _, _ = server.ask("GET", "/v1/models", headers={"Authorization": "Bearer secret"})
        assert status == 200
        assert not any("secret" in line for line in server.lines)


def test_the_log_lines_are_vllms(bin_dir):
    with Server(bin_dir, "--max-model-len", 1024, "--num-gpu-blocks-override", 640,
                "--sim-startup", "50ms") as server:
        server.get("/health")
        assert server.stop() == 0
        text = "\n".join(server.lines)
    stamp = r"\((APIServer|EngineCore) pid=\d+\) INFO \d\d-\d\d \d\d:\d\d:\d\d \[\w+\.py:\d+\] "
    assert re.search(stamp + r"GPU KV cache size: 10,240 tokens\n", text)
    assert re.search(stamp + r"Maximum concurrency for 1,024 tokens per request: 10\.00x\n", text)
    assert re.search(stamp + r"Loading weights took [\d.]+ seconds\n", text)
    assert re.search(stamp + r"Route: /v1/completions, Methods: POST\n", text)
    assert re.search(r'INFO:     127\.0\.0\.1:\d+ - "GET /health HTTP/1\.1" 200 OK\n', text)
    assert text.endswith("INFO:     Application shutdown complete.")


def run(bin_dir, *args):
    return subprocess.run([bin_dir / "profllm-sim", *map(str, args)], capture_output=True,
                          text=True, timeout=60, check=False)


def test_bad_starts_end_with_one_line(bin_dir):
    with Server(bin_dir) as server:
        taken = run(bin_dir, "serve", "m", "--host", "127.0.0.1", "--port", server.port)
        assert taken.returncode == 1
        assert "OSError: [Errno 98] Address already in use" in taken.stderr
    for args, status, text in [
            (["serve", "m", "--sim-nothing"], 2, "unrecognized arguments: --sim-nothing"),
            (["serve"], 2, "required: model"),
            (["serve", "m", "--sim-log", "/no/such/log"], 1, "could not write '/no/such/log'"),
            (["serve", "m", "--max-model-len", "9999", "--num-gpu-blocks-override", "3"], 1,
             "max_model_len (9999) is larger than the KV cache (48 tokens)"),
            (["serve", "m", "--max-num-batched-tokens", "64", "--no-enable-chunked-prefill"], 1,
             "max_num_batched_tokens (64) is smaller than max_model_len (8192)"),
            (["serve", "m", "--gpu-memory-utilization", "0.1"], 1,
             "No available memory for the cache blocks")]:
        ended = run(bin_dir, *args)
        assert (ended.returncode, text in ended.stderr) == (status, True), ended.stderr
    assert run(bin_dir, "--version").stdout.startswith("profllm-sim ")
    assert "--sim-step" in run(bin_dir, "--help").stdout


def test_unix_socket(bin_dir, tmp_path):
    path = tmp_path / "s"
    process = subprocess.Popen([bin_dir / "profllm-sim", "serve", "m", "--uds", str(path)],
                               stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "Application startup complete." in line:
            break
    with socket.socket(socket.AF_UNIX) as wire:
        wire.connect(str(path))
        wire.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        got = b""
        while piece := wire.recv(65536):
            got += piece
    process.terminate()
    process.stdout.close()
    assert process.wait(timeout=30) == 0
    assert parse_metrics(got.partition(b"\r\n\r\n")[2].decode())[RUNNING.replace("tiny", "m")] == 0
    # as vLLM: the file stays, and the next server cannot bind to it
    assert path.is_socket()
    again = run(bin_dir, "serve", "m", "--uds", str(path))
    assert again.returncode == 1 and "address already in use" in again.stderr.lower()


@pytest.mark.parametrize("method", ["GARBAGE", "GET  /x"])
def test_bytes_other_than_http(bin_dir, method):
    with Server(bin_dir) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as wire:
            wire.sendall(method.encode() + b"\r\n\r\n")
            assert wire.recv(65536).startswith(b"HTTP/1.1 400 Bad Request\r\n")
            assert wire.recv(1) == b""
        assert server.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize("late", [False, True], ids=["arrival-first", "late-arrival"])
def test_the_front_end_holds_each_request_before_the_engine(bin_dir, tmp_path, late):
    log = tmp_path / "sim.log"
    delay_ns = 30_000_000
    options = ["--sim-late-arrival"] if late else []
    with Server(bin_dir, "--sim-step", "5ms", "--sim-frontend-delay", "30ms", "--sim-log", log,
                "--enable-per-request-metrics", *options) as server:
        body = {"model": "tiny", "prompt": [5, 6, 7], "max_tokens": 3, "stream_options": {"include_usage": True}}
        events, _ = server.stream("/v1/completions", body, {"x-request-id": "one"})
        whole = server.post("/v1/completions", {**body, "stream_options": None, "n": 2})
        one = server.post("/v1/completions", {**body, "stream_options": None})
        families = {name: server.metric(f"vllm:{name}_seconds_sum") for name in
                    ("time_to_first_token", "e2e_request_latency", "request_queue_time", "request_prefill_time")}
    rows = [row for row in read_log(log) if row["event"] in ("request", "end")]
    ends = [row for row in rows if row["event"] == "end"]
    for request, end in zip(rows[::2], ends, strict=True):
        assert end["queued_ns"] - request["t_ns"] >= delay_ns
        assert end["queued_ns"] <= end["scheduled_ns"] < end["first_token_ns"] < end["last_token_ns"]
    # both choices of the second request count
    queued = sum(end["scheduled_ns"] - end["queued_ns"] for end in [*ends, ends[1]]) / 1e9
    prefill = sum(end["first_token_ns"] - end["scheduled_ns"] for end in [*ends, ends[1]]) / 1e9
    assert families["request_queue_time"] == pytest.approx(queued, abs=1e-9)
    assert families["request_prefill_time"] == pytest.approx(prefill, abs=1e-9)
    decode = sum(end["last_token_ns"] - end["first_token_ns"] for end in [*ends, ends[1]]) / 1e9
    held = sum(end["queued_ns"] - request["t_ns"]
               for request, end in [*zip(rows[::2], ends), (rows[2], ends[1])]) / 1e9
    extra = 0 if late else held
    assert families["time_to_first_token"] == pytest.approx(queued + prefill + extra, abs=1e-9)
    assert families["e2e_request_latency"] == pytest.approx(queued + prefill + decode + extra, abs=1e-9)
    times = events[-2]["metrics"]
    assert times["queue_time_ms"] == pytest.approx((ends[0]["scheduled_ns"] - ends[0]["queued_ns"]) / 1e6)
    assert times["time_to_first_token_ms"] == pytest.approx(
        (ends[0]["first_token_ns"] - ends[0]["scheduled_ns"]) / 1e6)
    decodes = [(end["last_token_ns"] - end["first_token_ns"]) / 1e6 for end in ends]
    assert times["generation_time_ms"] == pytest.approx(decodes[0])
    assert times["mean_itl_ms"] == pytest.approx(decodes[0] / 2)
    assert whole["metrics"] is None and one["metrics"]["generation_time_ms"] == pytest.approx(decodes[2])


def test_a_client_that_leaves_the_front_end_leaves_nothing(bin_dir, tmp_path):
    log = tmp_path / "sim.log"
    with Server(bin_dir, "--sim-frontend-delay", "1h", "--sim-log", log) as server:
        connection = server.connect()
        connection.request("POST", "/v1/completions", json.dumps({"model": "tiny", "prompt": [5], "max_tokens": 3}),
                           {"x-request-id": "gone"})
        wait_for(lambda: b" " in server.get("/metrics"), "the server reads")
        connection.close()
        wait_for(lambda: any(row["event"] == "end" for row in read_log(log)), "the end of the request")
        assert server.metric("vllm:num_requests_waiting") == server.metric("vllm:num_requests_running") == 0
    end = read_log(log)[-1]
    assert end["status"] == "aborted" and end["queued_ns"] is end["last_token_ns"] is None
