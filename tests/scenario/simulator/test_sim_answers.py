"""Responses of profllm-sim: they have vLLM's form, with its own names."""
import json
import random
import re

import pytest
from sim_tools import Server

# The captured streams' requests, as far as their answers tell.
STREAMS = {
    "completions_stream.txt": ("/v1/completions", {
        "prompt": " ab cd", "max_tokens": 4, "stream_options": {"include_usage": True}}),
    "completions_stream_cont.txt": ("/v1/completions", {
        "prompt": " ab cd", "max_tokens": 4,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True}}),
    "completions_n2_stream.txt": ("/v1/completions", {
        "prompt": " ab", "max_tokens": 2, "n": 2, "stream_options": {"include_usage": True}}),
    "completions_batch_stream.txt": ("/v1/completions", {
        "prompt": [" ab", " cd"], "max_tokens": 2}),
    "completions_logprobs_stream.txt": ("/v1/completions", {
        "prompt": " ab", "max_tokens": 3, "logprobs": 1}),
    "chat_stream.txt": ("/v1/chat/completions", {
        "messages": [{"role": "user", "content": "hi"}], "max_completion_tokens": 4,
        "stream_options": {"include_usage": True}}),
    "chat_stream_cont.txt": ("/v1/chat/completions", {
        "messages": [{"role": "user", "content": "hi"}], "max_completion_tokens": 4,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True}}),
}


@pytest.fixture(scope="module")
def server(bin_dir):
    with Server(bin_dir, "--max-model-len", 2048, "--sim-step", "1ms") as running:
        yield running


def captured(test_data_dir, name):
    """Returns (status, headers, body) of a captured response."""
    head, _, body = (test_data_dir / "data/real/http" / name).read_bytes().partition(b"\n\n")
    if b"\r\n" in head:
        head, _, body = (test_data_dir / "data/real/http" / name).read_bytes().partition(b"\r\n\r\n")
    lines = head.decode().splitlines()
    headers = dict(line.split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers, body


def events_of(body):
    return [json.loads(line[6:]) for line in body.decode().splitlines()
            if line.startswith("data: ") and line != "data: [DONE]"]


def form(value):
    """Returns the keys in order, and the kind of each value; all texts are equal, all numbers are equal."""
    if isinstance(value, dict):
        return [(key, form(item)) for key, item in value.items()]
    if isinstance(value, list):
        return ["list"] + [form(item) for item in value[:1]]
    if isinstance(value, bool) or value is None:
        return value
    return "number" if isinstance(value, (int, float)) else "text"


def form_of_event(event):
    """Returns the form of an event; the length and the words of a logprobs list depend on the model."""
    event = json.loads(json.dumps(event))
    for choice in event["choices"]:
        if isinstance(choice.get("logprobs"), dict) and "top_logprobs" in choice["logprobs"]:
            choice["logprobs"]["top_logprobs"] = [
                len(item) for item in choice["logprobs"]["top_logprobs"]]
    return form(event)


@pytest.mark.parametrize("name", STREAMS)
def test_streams_have_vllms_form(server, test_data_dir, name):
    path, body = STREAMS[name]
    events, _ = server.stream(path, body)
    _, headers, real = captured(test_data_dir, name)
    assert events.pop() == "[DONE]"
    real = events_of(real)
    # vLLM put two tokens into one event there; here each has its own
    if name != "completions_logprobs_stream.txt":
        assert len(events) == len(real)
    forms = [form_of_event(event) for event in events]
    assert forms[0] == form_of_event(real[0])
    assert forms[-1] == form_of_event(real[-1])
    for event in real:
        assert form_of_event(event) in forms
    status, mine, _ = server.ask("POST", path, {"stream": True, **body})
    assert status == 200
    assert mine["content-type"] == headers["content-type"]
    assert mine["server"] == "profllm-sim"


def test_whole_answers_have_vllms_form(server, test_data_dir):
    completion = server.post("/v1/completions", {"prompt": " ab cd ef", "max_tokens": 3,
                                                 "logprobs": 1})
    real = json.loads(captured(test_data_dir, "completions.txt")[2])
    for answer in completion, real:
        answer["choices"][0]["logprobs"]["top_logprobs"] = []
    assert form(completion) == form(real)
    chat = server.post("/v1/chat/completions", {
        "messages": [{"role": "user", "content": "hi"}], "max_tokens": 4})
    assert form(chat) == form(json.loads(captured(test_data_dir, "chat.txt")[2]))


ERRORS = {
    "err_json.txt": ("/v1/completions", b'{"model":'),
    "err_model.txt": ("/v1/completions", {"model": "nope", "prompt": "a"}),
    "err_range.txt": ("/v1/completions", {"prompt": "a", "temperature": -3}),
    "err_type.txt": ("/v1/completions", {"prompt": "a", "temperature": "hot"}),
    "err_toolong.txt": ("/v1/completions", {"prompt": "a", "max_tokens": 5000}),
    "err_toolong_prompt.txt": ("/v1/completions", {"prompt": [1] * 2100, "max_tokens": 5}),
    "nope.txt": ("/nope", {}),
    "rerank.txt": ("/rerank", {}),
    "embeddings.txt": ("/v1/embeddings", {}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_refusals_are_vllms(server, test_data_dir, name):
    path, body = ERRORS[name]
    status, headers, answer = server.ask("POST", path, body)
    real_status, real_headers, real = captured(test_data_dir, name)
    assert (status, answer) == (real_status, real)
    assert headers["content-type"] == real_headers["content-type"]


@pytest.mark.parametrize("name,method", [
    ("health", "GET"), ("ping", "GET"), ("load", "GET"), ("reset_prefix_cache", "POST"),
    ("reset_mm_cache", "POST"), ("reset_encoder_cache", "POST")])
def test_small_answers_are_vllms(server, test_data_dir, name, method):
    status, headers, body = server.ask(method, "/" + name)
    real_status, real_headers, real = captured(test_data_dir, name + ".txt")
    assert (status, body) == (real_status, real)
    assert headers.get("content-type") == real_headers.get("content-type")


def test_lists_have_vllms_form(server, test_data_dir):
    models = json.loads(server.get("/v1/models"))
    assert form(models) == form(json.loads(captured(test_data_dir, "v1_models.txt")[2]))
    assert models["data"][0]["owned_by"] == "profllm-sim"
    assert models["data"][0]["max_model_len"] == 2048
    tokens = server.post("/tokenize", {"prompt": "Hello world", "return_token_strs": True})
    assert form(tokens) == form(json.loads(captured(test_data_dir, "tokenize.txt")[2]))
    tokens = server.post("/tokenize", {"messages": [{"role": "user", "content": "Hello"}]})
    assert form(tokens) == form(json.loads(captured(test_data_dir, "tokenize_chat.txt")[2]))


def test_nothing_passes_for_vllm(server):
    status, headers, body = server.ask("GET", "/version")
    assert (status, headers["server"]) == (200, "profllm-sim")
    assert re.fullmatch(r"profllm-sim \d+\.\d+\.\d+", json.loads(body)["version"])
    answer = server.post("/v1/completions", {"prompt": "a", "max_tokens": 1})
    assert answer["system_fingerprint"].startswith("profllm-sim")
    assert json.loads(server.get("/server_info"))["profllm_sim"]["simulated"] is True
    assert any("simulated" in line for line in server.lines)


def labels_and_bounds(text):
    """Returns {family: ({label names}, [bounds])} of vLLM's families."""
    families = {}
    for line in text.splitlines():
        found = re.match(r"(vllm:[a-z0-9_]+)\{(.*)\} ", line)
        if not found or "_created" in line:
            continue
        labels = dict(re.findall(r'([a-z_]+)="([^"]*)"', found.group(2)))
        names, bounds = families.setdefault(found.group(1), (set(), []))
        names.update(labels)
        bounds.append(labels.get("le"))
    return families


def test_metrics_are_vllms_families(server, test_data_dir):
    server.post("/v1/completions", {"prompt": "a", "max_tokens": 2})
    mine = labels_and_bounds(server.get("/metrics").decode())
    real = labels_and_bounds(captured(test_data_dir, "metrics.txt")[2].decode())
    for family, (names, bounds) in mine.items():
        assert family in real, family
        if family == "vllm:cache_config_info":
            assert names <= real[family][0]
            continue
        assert names == real[family][0], family
        # vLLM cuts the bounds of some at the model's length
        missing = [bound for bound in real[family][1] if bound not in bounds]
        assert not missing, (family, missing)
    wanted = ["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc",
              "num_preemptions_total", "prompt_tokens_total", "generation_tokens_total",
              "request_success_total", "time_to_first_token_seconds_bucket",
              "inter_token_latency_seconds_sum", "e2e_request_latency_seconds_count",
              "iteration_tokens_total_sum", "prefix_cache_hits_total",
              "prefix_cache_queries_total", "request_queue_time_seconds_sum",
              "request_prefill_time_seconds_sum", "request_decode_time_seconds_sum"]
    for family in wanted:
        assert "vllm:" + family in mine, family
    assert "process_start_time_seconds" in server.metrics()


def test_usage_is_exact(server):
    ids = list(range(500, 537))
    for options, n in ({}, 1), ({"n": 3}, 3):
        events, _ = server.stream("/v1/completions", {
            "prompt": ids, "max_tokens": 11, "ignore_eos": True,
            "stream_options": {"include_usage": True}, **options})
        assert events[-1] == "[DONE]"
        usage = events[-2]["usage"]
        assert usage == {"prompt_tokens": 37, "total_tokens": 37 + 11 * n,
                         "completion_tokens": 11 * n}
        for choice in range(n):
            said = [event["choices"][0] for event in events[:-2]
                    if event["choices"][0]["index"] == choice]
            assert len(said) == 11
            assert [item["finish_reason"] for item in said] == [None] * 10 + ["length"]
            text = "".join(item["text"] for item in said)
            assert server.post("/tokenize", {"prompt": text})["count"] == 11


def test_chat_prompts_count_as_tokenize_says(server):
    messages = [{"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": " one two"},
                                             {"type": "text", "text": " three"}]}]
    count = server.post("/tokenize", {"messages": messages})["count"]
    answer = server.post("/v1/chat/completions", {"messages": messages, "max_tokens": 2})
    assert answer["usage"] == {**answer["usage"], "prompt_tokens": count, "completion_tokens": 2}
    plain = server.post("/tokenize", {"prompt": "Be brief. one two three"})["count"]
    assert count == plain + 5  # two roles, two ends, the assistant's turn
    status, _, body = server.ask("POST", "/v1/chat/completions", {"messages": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]})
    assert (status, json.loads(body)["error"]["type"]) == (400, "BadRequestError")
    for path, missing in ("/tokenize", "prompt"), ("/detokenize", "tokens"):
        status, _, body = server.ask("POST", path, {})
        assert (status, json.loads(body)["error"]["param"]) == (400, f"body.{missing}")


@pytest.mark.parametrize("wish, behind", [
    ({}, "\x03"), ({"chat_template_kwargs": {"enable_thinking": True, "other": [1]}}, "\x03"),
    ({"chat_template_kwargs": {"enable_thinking": False}}, "\x03<think>\n\n</think>\n\n"),
    ({"add_generation_prompt": False}, "")])
def test_one_template_for_all(server, wish, behind):
    """The template as text equals that of /detokenize, which yields the same number of tokens; chat counts them, too."""
    messages = [{"role": "system", "content": "Be  brief. é"}, {"role": "user", "content": " one two\n"}]
    made = server.post("/tokenize", {"messages": messages, **wish})
    text = server.post("/detokenize", {"tokens": made["tokens"]})["prompt"]
    assert text == "\x01Be  brief. é\x06\x02 one two\n\x06" + behind
    assert server.post("/tokenize", {"prompt": text})["tokens"] == made["tokens"]
    chat = server.post("/v1/chat/completions", {"messages": messages, "max_tokens": 2, **wish})
    text = server.post("/v1/completions", {"prompt": text, "max_tokens": 2})
    assert chat["usage"]["prompt_tokens"] == text["usage"]["prompt_tokens"] == made["count"]


def test_a_model_without_a_template(bin_dir):
    messages = [{"role": "user", "content": "x"}]
    with Server(bin_dir, "--sim-step", "1ms", "--sim-no-chat-template") as plain:
        for path, body in (("/tokenize", {"messages": messages}), ("/v1/chat/completions", {"messages": messages}),
                           ("/v1/responses", {"input": "x"})):
            status, _, answer = plain.ask("POST", path, body)
            error = json.loads(answer)["error"]
            assert (status, error["type"], error["code"]) == (400, "BadRequestError", 400)
            assert "no chat template" in error["message"] and "must be given" in error["message"]
        assert plain.post("/tokenize", {"prompt": "x"})["count"] == 1
        assert plain.post("/v1/completions", {"prompt": "x", "max_tokens": 2})["usage"]["completion_tokens"] == 2


def test_same_request_same_answer(server):
    body = {"prompt": " one two", "max_tokens": 8, "return_token_ids": True}
    first = server.post("/v1/completions", body)["choices"][0]
    events, _ = server.stream("/v1/completions", body)
    said = [event["choices"][0] for event in events[:-1]]
    assert "".join(item["text"] for item in said) == first["text"]
    assert sum((item["token_ids"] for item in said), []) == first["token_ids"]
    assert first["prompt_token_ids"] == said[0]["prompt_token_ids"]
    assert server.post("/detokenize", {"tokens": first["token_ids"]})["prompt"] == first["text"]
    other = server.post("/v1/completions", {**body, "seed": 5})["choices"][0]
    assert other["text"] != first["text"]


def test_tokens_make_the_round_trip(server):
    draw = random.Random(7)
    vocabulary = json.loads(server.get("/tokenizer_info"))["vocab_size"]
    assert vocabulary == 32000
    length = 0
    for count in 1, 2, 50, 1000, 1999:
        ids = [draw.randrange(vocabulary) for _ in range(count)]
        text = server.post("/detokenize", {"tokens": ids})["prompt"]
        back = server.post("/tokenize", {"prompt": text, "add_special_tokens": False})
        assert (back["count"], back["tokens"]) == (count, ids)
        length += len(text.encode())
    assert 4 < length / 3052 < 4.5
    for text in "", " ", "Grüße aus 北京 😀!", 'He said: "It\'s 2026", twice.\n\tEnd', "\u0001\u007f":
        ids = server.post("/tokenize", {"prompt": text})["tokens"]
        assert server.post("/detokenize", {"tokens": ids})["prompt"] == text


def test_methods_and_keep_alive(server):
    assert server.ask("GET", "/v1/completions")[0] == 405
    assert server.ask("POST", "/health")[0] == 405
    connection = server.connect()
    for _ in range(3):
        connection.request("POST", "/v1/completions", json.dumps({"prompt": "a", "stream": True,
                                                                  "max_tokens": 2}))
        answer = connection.getresponse()
        assert answer.read().endswith(b"data: [DONE]\n\n")
        connection.request("GET", "/health")
        assert connection.getresponse().read() == b""
    connection.close()
