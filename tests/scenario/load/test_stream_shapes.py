"""

Forms of event streams, by server, and which of their events carry tokens.

Each form is played whole, cut in two at every byte, and byte by byte (tests/tools/stream_driver.c). The record must be
the one that the model below makes from the same JSON. The model shares no code with the program: it reads the events
with Python's json module.


"""
import json
import subprocess

import pytest
from metrics_tools import evaluate, record_of
from odd_server import LAST_CHUNK, OddServer, Pause, chunk, good, head, stream
from run_tools import run_profllm

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"
CONTENT, FINISH, GUESSED = 2, 4, 16
DONE = "[DONE]"
PING = object()


def chat(delta, finish=None, index=0, **more):
    return {"id": "c", "object": "chat.completion.chunk", "choices": [
        {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}], **more}


def text(words, finish=None, index=0, **more):
    return {"id": "c", "object": "text_completion", "choices": [
        {"index": index, "text": words, "logprobs": None, "finish_reason": finish}], **more}


def usage(output, prompt=7):
    return {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}


def total(output):
    return {"id": "c", "choices": [], "usage": usage(output)}


def response(kind, **more):
    return {"type": f"response.{kind}", **more}


ROLE = chat({"role": "assistant", "content": ""})
WORDS = [chat({"content": f" w{i}"}) for i in range(4)]
TEXTS = [text(f" w{i}") for i in range(4)]

# name -> (adapter, events). A str is raw data, PING a comment. Every shape has four tokens unless `TOKENS` says otherwise.
SHAPES = {
    "vllm-chat": ("openai-chat", [ROLE, *WORDS[:3], chat({"content": " w3"}, "length"), total(4), DONE]),
    "vllm-chat-end-of-sequence": ("openai-chat", [ROLE, *WORDS[:3], chat({"content": ""}, "stop"), total(4), DONE]),
    "vllm-chat-half-a-character": ("openai-chat", [ROLE, WORDS[0], chat({"content": ""}), *WORDS[1:2],
                                                   chat({"content": "x"}, "length"), total(4), DONE]),
    "vllm-completions": ("openai", [*TEXTS[:3], text(" w3", "length"), total(4), DONE]),
    "vllm-completions-while-the-prompt-is-read": ("openai", [text(""), text(""), *TEXTS[:3], text("w3", "length"), total(4),
                                                             DONE]),
    "vllm-continuous-usage": ("openai", [text(f"w{i}", "length" if i == 3 else None, usage=usage(i + 1))
                                         for i in range(4)] + [total(4), DONE]),
    "vllm-token-ids": ("openai-chat", [ROLE, *[{"choices": [{"index": 0, "delta": {"content": ""}, "token_ids": [i]}]}
                                              for i in range(3)],
                                       {"choices": [{"index": 0, "delta": {"content": "w"}, "token_ids": [3],
                                                     "finish_reason": "stop"}]}, DONE]),
    "sglang-chat": ("openai-chat", [ROLE, *WORDS, chat({"role": None, "content": None}, "stop"), total(4), DONE]),
    "sglang-reasoning": ("openai-chat", [chat({"role": "assistant", "content": None, "reasoning_content": None}),
                                         *[chat({"role": None, "content": None, "reasoning_content": "hm"})] * 2,
                                         *WORDS[:2], chat({"content": None}, "stop"), total(4), DONE]),
    "llamacpp-chat": ("openai-chat", [chat({"role": "assistant", "content": None}), *WORDS, chat({}, "length"),
                                      {"choices": [], "usage": usage(4), "timings": {"predicted_n": 4}}, DONE]),
    "llamacpp-completions": ("openai", [*TEXTS, text("", "length", usage=usage(4)), DONE]),
    "tgi-chat": ("openai-chat", [*[chat({"role": "assistant", "content": f"w{i}"}) for i in range(3)],
                                 chat({"role": "assistant", "content": "w3"}, "length"), total(4), DONE]),
    "litellm": ("openai-chat", [chat({"role": "assistant", "content": "w0"}), *WORDS[1:], chat({}, "stop"), total(4), DONE]),
    "litellm-thinking-blocks": ("openai-chat", [
        *[chat({"role": "assistant", "content": "", "thinking_blocks": [{"type": "thinking", "thinking": "hm"}]})] * 2,
        *WORDS[:2], chat({}, "stop"), total(4), DONE]),
    "azure": ("openai-chat", [{"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, ROLE, *WORDS,
                              {"choices": [{"index": 0, "finish_reason": None, "content_filter_results": {},
                                            "content_filter_offsets": {"check_offset": 4}}]},
                              chat({}, "stop"), total(4), DONE]),
    "mistral-thinking": ("openai-chat", [
        chat({"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": ""}]}]}),
        *[chat({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]})] * 2,
        chat({"content": [{"type": "text", "text": "w"}]}), chat({"content": "w"}, "stop", usage=usage(4)), DONE]),
    "tool-calls": ("openai-chat", [ROLE, chat({"tool_calls": [{"index": 0, "id": "t", "type": "function",
                                                               "function": {"name": "f", "arguments": ""}}]}),
                                   *[chat({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
                                     for part in ("{", '"a"', "}")],
                                   chat({"tool_calls": [{"index": 0, "function": {"arguments": ""}}]}),
                                   chat({}, "tool_calls"), total(4), DONE]),
    "annotations": ("openai-chat", [ROLE, *WORDS, chat({"annotations": [{"type": "url_citation", "url": "u"}]}),
                                    chat({}, "stop"), total(4), DONE]),
    "openrouter-keep-alive": ("openai-chat", [PING, PING, *WORDS, PING, chat({}, "stop"), total(4), DONE]),
    "anthropic-like-pings": ("openai-chat", ["event:ping\ndata:{}", {"type": "ping"}, "data:null", "data:", *WORDS,
                                             chat({}, "stop"), total(4), DONE]),
    "no-done": ("openai-chat", [ROLE, *WORDS, chat({}, "stop"), total(4)]),
    "no-finish-reason": ("openai-chat", [*[{"choices": [{"index": 0, "delta": {"content": f"w{i}"}}], "usage": usage(i + 1)}
                                           for i in range(4)], DONE]),
    "usage-below": ("openai-chat", [ROLE, *WORDS, chat({}, "stop"), total(1), DONE]),
    "usage-always-zero": ("openai-chat", [*[{**event, "usage": usage(0)} for event in WORDS],
                                          chat({}, "stop", usage=usage(0)), DONE]),
    "merged-events": ("openai-chat", [ROLE, chat({"content": "w0 w1 w2"}), chat({"content": " w3"}, "length"), total(4), DONE]),
    "two-choices": ("openai", [text(f"w{i}", "length" if i > 1 else None, index=i % 2) for i in range(4)] + [total(4), DONE]),
    "responses": ("openai-responses", [response("created", response={"usage": None}),
                                       response("reasoning_text.delta", delta="hm"),
                                       response("output_text.delta", delta=""),
                                       *[response("output_text.delta", delta="w")] * 2,
                                       response("function_call_arguments.delta", delta="{"),
                                       response("output_text.done", text="ww"),
                                       response("completed", response={"usage": {"input_tokens": 7, "output_tokens": 4}})]),
}
TYPES = [b"text/event-stream; charset=utf-8", b"application/json", b"text/html", b"text/plain", b"application/octet-stream"]


# ---- the model -----------------------------------------------------------------------------------

LABELS = {"type", "id", "index", "format", "signature"}
OUTPUTS = ("content", "reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "tool_calls",
           "function_call", "refusal", "audio")


def has_output(value):
    if isinstance(value, str):
        return value != ""
    if isinstance(value, list):
        return any(has_output(item) for item in value)
    return isinstance(value, dict) and any(has_output(item) for key, item in value.items() if key not in LABELS)


def of_choice(choice):
    parts = [choice.get("text")] + [(choice.get("delta") or {}).get(key) for key in OUTPUTS]
    ids = choice.get("token_ids")
    return any(has_output(part) for part in parts) or bool(ids), len(ids) if ids is not None else None


def modelled(adapter, events):
    """Returns [(tokens, content, finish)], usage, [DONE]."""
    out, count, done = [], None, False
    counted = {}
    for event in events:
        if event is PING or isinstance(event, str) and event != DONE:
            continue
        if event == DONE:
            done = True
            break
        if adapter == "openai-responses":
            kind = event["type"].removeprefix("response.")
            if kind.endswith(".delta"):
                out.append([int(event["delta"] != ""), event["delta"] != "", False])
            if kind == "completed":
                count, done = event["response"]["usage"]["output_tokens"], True
            continue
        choices = event.get("choices") or []
        if event.get("usage"):
            count = event["usage"]["completion_tokens"]
        if not choices:
            continue
        choice, = choices
        content, ids = of_choice(choice)
        had, here = counted.get(choice["index"], 0), (event.get("usage") or {}).get("completion_tokens")
        if here is not None and here >= had + content:
            tokens = here - had
        else:
            tokens = ids if ids is not None else int(content)
        counted[choice["index"]] = had + tokens
        out.append([tokens, content, bool(choice.get("finish_reason"))])
    give(out, count)
    return out, count, done


def give(events, count):
    """Assigns the tokens of usage beyond the events with output to the empty events, if there are enough."""
    first = next(i for i, event in enumerate(events) if event[1])
    missing = (count or 0) - sum(event[0] for event in events)
    empty = [event for event in events[first:] if not event[1] and event[0] == 0]
    if not 0 < missing <= len(empty):
        return
    for event in sorted(empty, key=lambda event: not event[2])[:missing]:
        event[0] = 1


# ---- play ----------------------------------------------------------------------------------------

def bytes_of(events, kind=TYPES[0]):
    def one(event):
        if event is PING:
            return b": keep-alive\n\n"
        if isinstance(event, str) and event != DONE:
            return event.encode() + b"\n\n"
        return b"data: " + (event if event == DONE else json.dumps(event)).encode() + b"\n\n"

    parts = [one(event) for event in events]
    return HEAD % kind + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def play(bin_dir, rows):
    lines = "".join(f"{adapter} {data.hex()}\n" for adapter, data in rows)
    done = subprocess.run([bin_dir.parent / "tests" / "stream_driver"], input=lines, capture_output=True, text=True,
                          timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def records(bin_dir):
    rows = [(adapter, bytes_of(events)) for adapter, events in SHAPES.values()]
    return dict(zip(SHAPES, play(bin_dir, rows)))


@pytest.mark.parametrize("name", SHAPES)
def test_records_are_the_models(records, name):
    adapter, events = SHAPES[name]
    wanted, count, done = modelled(adapter, events)
    record = records[name]
    assert record["error"] is None, record
    assert [(tokens, bool(flags & CONTENT), bool(flags & FINISH)) for _, tokens, flags, *_ in record["events"]] \
        == [tuple(event) for event in wanted]
    assert record["output_tokens"] == (count if count is not None else sum(event[0] for event in wanted))
    assert record["token_source"] == ("usage" if count is not None else "ids")
    assert record.get("done_missing", False) == (not done)
    # no event without output is the first token, and the gaps between tokens are known unless events merge some
    results = evaluate(record)
    assert results["mean_first_token_ms"] is not None
    assert (results["mean_token_gap_ms"] is None) == (name == "merged-events")
    assert results["total_output_tokens"] == 4


KINDS = {
    "vllm-chat": {"role", "text"}, "vllm-completions": {"text"}, "sglang-reasoning": {"role", "reasoning", "text"},
    "litellm-thinking-blocks": {"reasoning", "text"}, "mistral-thinking": {"role", "reasoning", "text"},
    "tool-calls": {"role", "tool_call"}, "responses": {"reasoning", "text", "tool_call"}, "tgi-chat": {"text"}}


@pytest.mark.parametrize("name", KINDS)
def test_the_first_time_of_each_kind_of_output(records, name):
    """In one read all times are equal, and those of missing kinds are missing."""
    record = records[name]
    assert {key.removeprefix("first_").removesuffix("_ns") for key in record
            if key.startswith("first_") and key not in ("first_event_ns", "first_token_ns")} == KINDS[name]
    results = evaluate(record)
    for kind in ("role", "reasoning", "text", "tool_call"):
        assert (f"mean_first_{kind}_ms" in results) == (kind in KINDS[name])
        if kind in KINDS[name]:
            assert results[f"p99_first_{kind}_ms"] == pytest.approx(0.001)


def test_kinds_have_separate_times():
    one = record_of([[100 * MS, 0, 0], [200 * MS, 1, CONTENT], [500 * MS, 1, CONTENT]], output_tokens=2,
                    first_role_ns=1_100_000_000, first_reasoning_ns=1_200_000_000, first_text_ns=1_500_000_000)
    other = record_of([[300 * MS, 1, CONTENT]], output_tokens=1, first_text_ns=1_300_000_000)
    results = evaluate(one, other)
    assert [results[f"mean_first_{kind}_ms"] for kind in ("role", "reasoning", "text")] == pytest.approx([100, 200, 400])
    assert "mean_first_tool_call_ms" not in results
    assert results["mean_first_token_ms"] == pytest.approx(250)


@pytest.mark.parametrize("kind", TYPES)
def test_the_body_identifies_an_event_stream(bin_dir, kind):
    rows = [(adapter, bytes_of(SHAPES[name][1], kind)) for name, (adapter, _) in SHAPES.items() if name.startswith("vllm")]
    assert all(record["error"] is None for record in play(bin_dir, rows))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("body, says", [
    (b'{"error": {"message": "no such model"}}', "no such model"), (b' \n[1, 2]', "[1, 2]"),
    (b"<!DOCTYPE html><title>502</title>", "502"), (b"\n<html><h1>login</h1>", "login"), (b"upstream timed out", "")])
def test_other_content_types_are_refused_by_name(bin_dir, kind, body, says):
    data = HEAD % kind + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    record, = play(bin_dir, [("openai-chat", data)])
    message = record["error"]["message"]
    assert says in message
    if body.startswith(b"upstream") and kind == TYPES[0]:
        assert record["error"]["kind"] == "truncated"
    else:
        assert record["error"]["kind"] == "protocol" and "expected an event stream" in message
        assert kind.decode() in message or "a JSON document" in message or "an HTML page" in message


# ---- was the work the work that was asked for? -----------------------------------------------------

def check_of(quality, name):
    row, = [row for row in quality["checks"] if row["id"] == name]
    return row


MS = 1_000_000


def stream_of(tokens=10, gap=20 * MS, first=100 * MS, **more):
    return record_of([[first + i * gap, 1, CONTENT] for i in range(tokens)],
                     **{"output_tokens": tokens, "output_tokens_requested": 10, "prompt_tokens": 107, "prompt_tokens_requested": 100,
                        **more})


@pytest.mark.parametrize("records, how, name, wanted", [
    ([stream_of()] * 4, {"ignores_eos": True}, "output_length", ("passed", 0)),
    ([stream_of(3)] * 4, {"ignores_eos": True}, "output_length", ("over_limit", 1)),
    ([stream_of(30)] * 4, {"ignores_eos": True}, "output_length", ("over_limit", 1)),
    ([stream_of(30)] + [stream_of()] * 199, {"ignores_eos": True}, "output_length", ("passed", 0.005)),
    # an answer may end earlier: reported, not judged
    ([stream_of(3)] * 4, {}, "output_length", ("passed", 1)),
    ([stream_of(3)] * 4, {"min_tokens": 10}, "output_length", ("over_limit", 1)),
    ([stream_of(3)] * 4, {"min_tokens": 2}, "output_length", ("passed", 1)),
    ([stream_of(3)] * 4, {"ignores_eos": True, "max_tokens": 3}, "output_length", ("passed", 0)),
    ([stream_of(output_tokens=None, token_source="none")], {"ignores_eos": True}, "output_length", ("unknown", None)),
    ([stream_of()] * 4, {}, "prompt_length", ("passed", 0)),
    ([stream_of()] * 3 + [stream_of(prompt_tokens=120)], {}, "prompt_length", ("over_limit", 0.25)),
    ([stream_of(prompt_tokens=None)], {}, "prompt_length", ("unknown", None)),
    ([stream_of()] * 3 + [record_of([[MS, 0, FINISH]], output_tokens=0)], {}, "empty_output", ("over_limit", 0.25)),
    ([stream_of()] * 4, {}, "empty_output", ("passed", 0)),
    ([stream_of(output_tokens=6)] * 4, {}, "usage_contradiction", ("over_limit", 1)),
    ([stream_of(output_tokens=0)] + [stream_of()] * 3, {}, "usage_contradiction", ("over_limit", 0.25)),
    ([stream_of()] * 4, {}, "usage_contradiction", ("passed", 0)),
    # all tokens at once, or in reads that follow each other faster than any server generates
    ([stream_of(gap=0)] * 4, {}, "buffered_stream", ("over_limit", 1)),
    ([stream_of(gap=5000)] * 4, {}, "buffered_stream", ("over_limit", 1)),
    ([record_of([[100 * MS, 10, CONTENT]], output_tokens=10)], {}, "buffered_stream", ("over_limit", 1)),
    ([stream_of(gap=MS)] * 4, {}, "buffered_stream", ("passed", 0)),
    # this client read late: the tokens may have come apart
    ([record_of([[100 * MS, 1, CONTENT, 10 * MS], [100 * MS, 1, CONTENT | 1]], output_tokens=2)], {}, "buffered_stream",
     ("passed", 0)),
    ([stream_of(1)] * 4, {}, "buffered_stream", ("unknown", None)),
    ([record_of([[MS, 0, 0], [100 * MS, 1, CONTENT], [120 * MS, 1, CONTENT]], output_tokens=2)], {}, "empty_first_event",
     ("over_limit", 1)),
    ([record_of([[99 * MS, 0, 0], [100 * MS, 1, CONTENT], [120 * MS, 1, CONTENT]], output_tokens=2)], {}, "empty_first_event",
     ("passed", 0)),
    ([stream_of()] * 4, {}, "stream_end", ("passed", 0)),
    ([stream_of(done_missing=True)] * 4, {}, "stream_end", ("over_limit", 4)),
])
def test_checks_of_the_work(bin_dir, records, how, name, wanted):
    check = check_of(evaluate(*records, quality=True, bin_dir=bin_dir, **how), name)
    assert (check["status"], check["value"]) == (wanted[0], pytest.approx(wanted[1]) if wanted[1] is not None else None)


def test_the_check_names_the_requested_and_received_load(bin_dir):
    quality = evaluate(*[stream_of(3)] * 3, stream_of(), quality=True, bin_dir=bin_dir, ignores_eos=True)
    check = check_of(quality, "output_length")
    assert check["text"].endswith("; output 19 of 40 requested tokens, 3 of 4 requests differ")
    assert check["effect"] == "degraded" and quality["verdict"] == "degraded"


def test_a_family_without_samples_decides_no_verdict(bin_dir):
    """Chats of one token: the gap between the speaker's name and the token is not a latency between tokens."""
    late = record_of([[100 * MS, 0, 0, 99 * MS], [100 * MS, 1, CONTENT | 1]], output_tokens=1, output_tokens_requested=1)
    two = record_of([[100 * MS, 1, CONTENT, 99 * MS], [100 * MS, 1, CONTENT | 1]], output_tokens=2, output_tokens_requested=2)
    assert "itl" not in evaluate(late, late, quality=True, bin_dir=bin_dir)["measurement"]["metric"]
    assert evaluate(two, two, quality=True, bin_dir=bin_dir)["measurement"]["metric"] in ("mean_itl_ms", "mean_tpot_ms")


# ---- proxies -------------------------------------------------------------------------------------

PROXIES = [("Server: nginx/1.25.3", "nginx, by the header Server"), ("server: istio-envoy", "Envoy, by the header Server"),
           ("Server: cloudflare", "Cloudflare, by the header Server"), ("CF-RAY: 8f3a2b-FRA", "Cloudflare, by the header CF-RAY"),
           ("x-litellm-call-id: 7", "LiteLLM, by its x-litellm headers"), ("X-Accel-Buffering: yes", "nginx, by the header X-Accel-Buffering"),
           ("Via: 1.1 gateway.example", "a proxy, by the header Via"), ("Via: 1.1 a\r\nServer: Caddy", "Caddy, by the header Server"),
           ("x-kong-proxy-latency: 1", "Kong, by its x-kong headers"), ("Server: uvicorn", None), ("X-Via-Nginx: nginx", None)]


@pytest.mark.parametrize("header, named", PROXIES)
def test_a_proxy_that_buffers_is_named(bin_dir, tmp_path, header, named):
    """Names the proxy from its own responses, in the check and on the console; a stream that is not buffered names none."""
    head_lines = ("Transfer-Encoding: chunked", *header.split("\r\n"))
    spaced = [step for one in good(count=6) for step in (chunk(one), Pause(0.003))]
    rows = {"buffered": [stream(*good(count=6), lines=head_lines)],
            "flows": [head("200 OK", "text/event-stream", *head_lines), *spaced, LAST_CHUNK]}
    with OddServer(rows) as server:
        for row in rows:
            done = run_profllm(bin_dir, "bench", "serve", "--base-url", f"{server.url}/case:{row}", "--model", "odd",
                               "--prompt-token-ids", "--random-input", 8, "--random-output", 6,
                               "--vocab-size", 1000, "--num-prompts", 4, "--max-concurrency", 1, "--output", tmp_path / "r.json", "--overwrite")
            assert done.returncode == 0, done.stderr
            check = check_of(json.loads((tmp_path / "r.json").read_text())["quality"], "buffered_stream")
            assert check["status"] == ("over_limit" if row == "buffered" else "passed")
            says = "the responses came through" in check["text"]
            assert says == (row == "buffered" and named is not None)
            if says:
                assert check["text"].endswith(f"; the responses came through {named}")
                assert named in " ".join(done.stdout.split())
