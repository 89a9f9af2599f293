"""/v1/responses, adapters, speculative decoding, sleep and profiles of profllm-sim."""
import gzip
import json
import subprocess

import pytest
from sim_tools import Server, by_request, read_log
from wait_tools import wait_for
from test_sim_answers import captured, form
from test_sim_faults import outcome, parse_events, raw_request, read_all


@pytest.fixture(scope="module")
def server(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms") as running:
        yield running


def responses(server, body, headers=None):
    """Returns the events of a stream: [(type by the event: line, data)]."""
    status, head, text = server.ask("POST", "/v1/responses", {"stream": True, **body}, headers)
    assert status == 200 and head["content-type"] == "text/event-stream; charset=utf-8"
    messages = []
    for message in text.decode().split("\n\n"):
        if message:
            lines = message.split("\n")
            assert len(lines) == 2 and lines[0].startswith("event: ")
            messages.append((lines[0][7:], json.loads(lines[1].removeprefix("data: "))))
    return messages


def test_whole_responses_have_vllms_form(server, test_data_dir):
    answer = server.post("/v1/responses", {"input": "hi", "max_output_tokens": 4})
    assert form(answer) == form(json.loads(captured(test_data_dir, "responses.txt")[2]))
    assert answer["status"] == "incomplete"
    assert answer["usage"]["output_tokens"] == 4
    tokens = server.post("/tokenize", {"prompt": answer["output"][0]["content"][0]["text"]})
    assert tokens["count"] == 4


def test_a_stream_of_responses(server):
    events = responses(server, {"input": "hi there", "max_output_tokens": 3})
    types = [name for name, _ in events]
    assert types == ["response.created", "response.in_progress", "response.output_item.added",
                     "response.content_part.added"] + ["response.output_text.delta"] * 3 + [
        "response.output_text.done", "response.content_part.done", "response.output_item.done",
        "response.incomplete"]
    for i, (name, data) in enumerate(events):
        assert data["type"] == name and data["sequence_number"] == i
    text = "".join(data["delta"] for name, data in events if name.endswith("text.delta"))
    last = events[-1][1]["response"]
    assert last["output"][0]["content"][0]["text"] == text == events[7][1]["text"]
    assert last["usage"]["output_tokens"] == 3
    assert last["usage"]["total_tokens"] == 3 + last["usage"]["input_tokens"]
    whole = server.post("/v1/responses", {"input": "hi there", "max_output_tokens": 3})
    assert whole["output"][0]["content"][0]["text"] == text
    assert form(whole) == form(last)


def test_a_response_that_ends_itself_is_completed(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms", "--sim-eos-rate", "1") as server:
        events = responses(server, {"input": "hi", "max_output_tokens": 3})
        assert events[-1][0] == "response.completed"
        assert events[-1][1]["response"]["status"] == "completed"
        assert events[-1][1]["response"]["incomplete_details"] is None


def test_input_of_responses_counts_as_chat_does(server):
    def count(body):
        return server.post("/v1/responses", {"max_output_tokens": 1, **body})[
            "usage"]["input_tokens"]

    def chat(messages):
        return server.post("/v1/chat/completions", {"messages": messages, "max_tokens": 1})[
            "usage"]["prompt_tokens"]

    user = {"role": "user", "content": " ab cd"}
    assert count({"input": " ab cd"}) == chat([user])
    assert count({"input": [user]}) == chat([user])
    assert count({"input": [{"role": "user", "content": [
        {"type": "input_text", "text": " ab cd"}]}]}) == chat([user])
    assert count({"input": " ab cd", "instructions": " be"}) == chat([
        {"role": "system", "content": " be"}, user])


def test_bad_responses_are_refused(server):
    assert server.ask("POST", "/v1/responses", {})[0] == 400
    assert server.ask("POST", "/v1/responses", {"input": 3})[0] == 400
    assert server.ask("POST", "/v1/responses", {"input": "a", "model": "nope"})[0] == 404
    assert server.ask("POST", "/v1/responses", {"input": "a", "max_output_tokens": 0})[0] == 400


@pytest.mark.parametrize("name", ["comments", "crlf", "no_space", "lines", "fields"])
def test_responses_in_other_forms(bin_dir, server, name):
    body = {"input": "hi", "max_output_tokens": 2, "stream": True}
    plain = parse_events(server.ask("POST", "/v1/responses", body)[2].decode())
    with Server(bin_dir, "--sim-step", "1ms", "--sim-event-form", name) as other:
        odd = parse_events(other.ask("POST", "/v1/responses", body)[2].decode())
    assert [form(json.loads(event)) for event in odd] == [
        form(json.loads(event)) for event in plain]


def test_faults_of_responses(bin_dir, tmp_path):
    body = {"input": "hi", "max_output_tokens": 8}
    with Server(bin_dir, "--sim-step", "1ms", "--sim-log", tmp_path / "log",
                "--sim-stream-error-rate", "1") as server:
        events = responses(server, body, {"x-request-id": "e"})
    assert events[-1] == ("error", {"error": {
        "message": "Internal server error", "type": "InternalServerError", "param": None,
        "code": 500}})
    lines = by_request(read_log(tmp_path / "log"))["e"]
    assert lines[-1]["status"] == "error" and lines[-1]["tokens"] == 4
    tokens = [line["tokens"] for line in lines if line["event"] == "token"]
    assert tokens == [0, 0, 1, 1, 1, 1]  # created, the item opened, then the text
    with Server(bin_dir, "--sim-step", "1ms", "--sim-merge", "3", "--sim-no-usage") as server:
        events = responses(server, body)
    assert [name for name, _ in events].count("response.output_text.delta") == 3
    assert events[-1][1]["response"]["usage"] is None


def test_adapters_are_models(bin_dir):
    extra = json.dumps({"name": "chat", "path": "/b", "base_model_name": "tiny"})
    with Server(bin_dir, "--sim-step", "1ms", "--enable-lora", "--lora-modules", "sql=/adapters/a",
                extra, "--served-model-name", "base", "other") as server:
        models = json.loads(server.get("/v1/models"))["data"]
        assert [(model["id"], model["root"], model["parent"]) for model in models] == [
            ("base", "tiny", None), ("other", "tiny", None), ("sql", "/adapters/a", "base"),
            ("chat", "/b", "base")]
        assert models[2]["max_model_len"] is None
        for name in "base", "sql", "chat":
            answer = server.post("/v1/completions", {"model": name, "prompt": "a"})
            assert answer["model"] == name
        status, _, body = server.ask("POST", "/v1/completions", {"model": "nope", "prompt": "a"})
        assert status == 404
        assert json.loads(body)["error"]["message"].startswith("The model `nope` does not exist.")


@pytest.mark.parametrize("args", [["--lora-modules", "a=b"],
                                  ["--enable-lora", "--lora-modules", "nameless"],
                                  ["--enable-lora", "--lora-modules", "{}"],
                                  ["--speculative-config", "{}x"],
                                  ["--speculative-config", '{"num_speculative_tokens": 0}']])
def test_wrong_values_are_refused(bin_dir, args):
    done = subprocess.run([str(bin_dir / "profllm-sim"), "serve", "tiny", *args],
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2 and f"error: {args[-2]}" in done.stderr.replace("argument ", "")


@pytest.mark.parametrize("args", [["--speculative-config", '{"method": "ngram", '
                                   '"num_speculative_tokens": 4}'],
                                  ["-sc", '{"num_speculative_tokens": 4}'],
                                  ["--speculative-config.num_speculative_tokens", "4"],
                                  ["--spec-tokens=4"]])
def test_speculative_decoding(bin_dir, tmp_path, args):
    body = {"prompt": " ab cd", "max_tokens": 60, "return_token_ids": True,
            "stream_options": {"include_usage": True}}
    with Server(bin_dir, "--sim-step", "1ms") as server:
        plain, _ = server.stream("/v1/completions", body)
        assert not any("spec_decode" in name for name in server.metrics())
    with Server(bin_dir, "--sim-step", "1ms", "--sim-log", tmp_path / "log", *args) as server:
        events, _ = server.stream("/v1/completions", body, {"x-request-id": "s"})
        metrics = server.metrics()
    counts = [len(event["choices"][0]["token_ids"]) for event in events[:-2]]
    assert sum(counts) == 60 and max(counts) == 5 and counts[0] == 1

    def ids(events):
        return [i for event in events[:-2] for i in event["choices"][0]["token_ids"]]

    assert ids(events) == ids(plain)
    drafts, drafted, accepted = (
        sum(value for name, value in metrics.items()
            if name.split("{")[0] == f"vllm:spec_decode_num_{family}_total")
        for family in ("drafts", "draft_tokens", "accepted_tokens"))
    at = [value for name, value in sorted(metrics.items())
          if name.startswith("vllm:spec_decode_num_accepted_tokens_per_pos_total{")]
    assert len(at) == 4 and sum(at) == accepted and at == sorted(at, reverse=True)
    # every event after the first is one step: its token, and the accepted drafts
    assert accepted + len(counts) == 60
    assert len(counts) - 2 <= drafts <= len(counts) - 1
    assert drafted <= 4 * drafts
    lines = [line["tokens"] for line in by_request(read_log(tmp_path / "log"))["s"]
             if line["event"] == "token"]
    assert lines == counts


def test_drafts_are_accepted_as_often_as_documented(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms", "--spec-tokens", "3", "--disable-log-stats") as server:
        for i in range(20):
            server.post("/v1/completions", {"prompt": [100 + i], "max_tokens": 300})
        drafts = server.metric("vllm:spec_decode_num_drafts_total")
        accepted = server.metric("vllm:spec_decode_num_accepted_tokens_total")
    # 0.7 + 0.49 + 0.343 = 1.533 of three; four standard deviations
    assert drafts > 2000
    assert accepted / drafts == pytest.approx(1.533, abs=0.11)


def test_a_server_that_sleeps(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms") as server:
        assert json.loads(server.get("/is_sleeping")) == {"is_sleeping": False}
        assert server.post("/sleep?level=2", {}) == {"status": "sleeping", "level": 2}
        assert json.loads(server.get("/is_sleeping")) == {"is_sleeping": True}
        state = {name: value for name, value in server.metrics().items() if "sleep_state" in name}
        assert [name for name, value in state.items() if value] == [
            name for name in state if 'sleep_state="discard_all"' in name]
        plug = raw_request(server, "z", {"prompt": "a", "max_tokens": 2})
        wait_for(lambda: server.metric("vllm:num_requests_waiting") == 1, "it waits")
        assert server.get("/health") == b""
        server.ask("POST", "/wake_up")
        got = plug.recv(65536)
        assert got.startswith(b"HTTP/1.1 200 OK")
        plug.close()
        assert json.loads(server.get("/is_sleeping")) == {"is_sleeping": False}


def test_profiles_only_where_a_profiler_is_set_up(bin_dir, server, tmp_path):
    assert server.ask("POST", "/start_profile")[0] == 404
    for args in (["--profiler-config", json.dumps({"profiler": "torch", "torch_profiler_dir": str(tmp_path / "p")})],
                 ["--profiler-config.profiler", "torch"]):
        with Server(bin_dir, *args) as profiled:
            assert profiled.ask("POST", "/start_profile")[0] == 200
            assert profiled.ask("POST", "/stop_profile")[0] == 200


def events_of(path):
    data = path.read_bytes()
    document = json.loads(gzip.decompress(data) if path.name.endswith(".gz") else data)
    assert document["simulated"] is True
    return document["distributedInfo"]["rank"], document["traceEvents"]


@pytest.mark.parametrize("packed", [True, False])
def test_a_trace_of_each_rank(bin_dir, tmp_path, packed):
    """The steps of the profile, and only those: each token of a single request is one step."""
    words = ["--profiler-config.profiler", "torch", "--profiler-config.torch_profiler_dir", tmp_path / "deep" / "traces",
             "--tensor-parallel-size", 2, "--sim-step", "2ms", *([] if packed else ["--profiler-config.torch_profiler_use_gzip", "false"])]
    body = json.dumps({"model": "tiny", "prompt": "a b c", "max_tokens": 5, "ignore_eos": True})
    with Server(bin_dir, *words) as server:
        assert server.ask("POST", "/stop_profile")[0] == 200  # without a start it writes nothing
        assert server.ask("POST", "/v1/completions", body)[0] == 200
        for _ in range(2):
            assert server.ask("POST", "/start_profile")[0] == 200
            assert server.ask("POST", "/v1/completions", body)[0] == 200
            assert server.ask("POST", "/stop_profile")[0] == 200
        assert server.ask("POST", "/v1/completions", body)[0] == 200
    paths = sorted((tmp_path / "deep" / "traces").iterdir())
    assert len(paths) == 4 and all(path.name.endswith(".pt.trace.json" + ".gz" * packed) for path in paths)
    for path in paths:
        rank, events = events_of(path)
        assert f"_tp{rank}_" in path.name and f"_rank{rank}." in path.name
        gemm = [event for event in events if event["name"] == "simulated_gemm"]
        assert [(event["pid"], event["dur"]) for event in gemm] == [(rank, 1000)] * 5
        assert len([event for event in events if event["cat"] == "user_annotation"]) == 5
        assert all(later["ts"] - event["ts"] >= 1999 for event, later in zip(gemm, gemm[1:], strict=False))


def test_a_trace_that_is_written_late(bin_dir, tmp_path):
    """The response comes before the file is complete; a server that ends meanwhile leaves a truncated one."""
    config = json.dumps({"profiler": "torch", "torch_profiler_dir": str(tmp_path)})
    for delay, is_whole in (("100ms", True), ("1h", False)):
        with Server(bin_dir, "--profiler-config", config, "--sim-trace-delay", delay) as server:
            assert server.ask("POST", "/start_profile")[0] == 200
            assert server.ask("POST", "/stop_profile")[0] == 200
            path, = tmp_path.iterdir()
            if is_whole:
                wait_for(lambda path=path: whole(path), "the file is complete")
        assert whole(path) == is_whole
        path.unlink()


def whole(path):
    try:
        gzip.decompress(path.read_bytes())
    except EOFError:
        return False
    return True


def test_a_trace_that_cannot_be_written(bin_dir, tmp_path):
    (tmp_path / "file").write_text("")
    with Server(bin_dir, "--profiler-config", json.dumps({"profiler": "torch", "torch_profiler_dir": str(tmp_path / "file" / "p")})) as server:
        assert server.ask("POST", "/start_profile")[0] == 200
        assert server.ask("POST", "/stop_profile")[0] == 500
        assert server.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize("path", ["/v1/models", "/v1/responses", "/v1/completions"])
def test_a_key_guards_the_api(bin_dir, path):
    method = "GET" if path == "/v1/models" else "POST"
    with Server(bin_dir, "--api-key", "s3cret") as server:
        assert server.ask(method, path)[0] == 401
        status, _, body = server.ask(method, path, None, {"authorization": "Bearer wrong"})
        assert (status, json.loads(body)) == (401, {"error": "Unauthorized"})
        good = {"authorization": "Bearer s3cret"}
        assert server.ask(method, path, "{}", good)[0] == (200 if method == "GET" else 400)
        assert server.ask("GET", "/health")[0] == 200
        assert "s3cret" not in "\n".join(server.lines)


def test_whole_answers_end_well_among_faulty_ones(bin_dir, tmp_path):
    """All faults at once: each share is reached, no request has two, and the log agrees."""
    kinds = ["error", "stream-error", "truncate", "bad-json"]
    args = [word for kind in kinds for word in (f"--sim-{kind}-rate", "0.1")]
    with Server(bin_dir, "--sim-step", "1ms", "--sim-log", tmp_path / "log", *args) as server:
        body = {"prompt": " ab", "max_tokens": 8, "stream_options": {"include_usage": True}}
        got = [outcome(server, f"r{i}", body) for i in range(53)]
    assert {name: got.count(name) for name in set(got)} == {
        "status": 5, "stream_error": 5, "truncated": 5, "bad_json": 5, "good": 33}
    ends = by_request(read_log(tmp_path / "log"))
    assert sum(lines[-1]["status"] == "completed" for lines in ends.values()) == 33
    assert all(lines[-1]["event"] == "end" for lines in ends.values())


def test_a_crash_closes_a_connection_that_was_read(bin_dir, tmp_path):
    server = Server(bin_dir, "--sim-step", "1ms", "--sim-crash-after", "0")
    got, _ = read_all(raw_request(server, "r", {"input": "hi", "stream": True},
                                  path="/v1/responses"))
    assert b"event: response.created" in got
    assert b'event: error\ndata: {"error":{"message":"EngineCore encountered' in got
    assert server.stop() == 1


def test_the_key_may_come_from_the_environment(bin_dir, monkeypatch):
    monkeypatch.setenv("VLLM_API_KEY", "from-env")
    with Server(bin_dir) as server:
        assert server.ask("GET", "/v1/models")[0] == 401
        good = {"authorization": "Bearer from-env"}
        assert server.ask("GET", "/v1/models", None, good)[0] == 200
