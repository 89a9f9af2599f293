"""Servers that speak vLLM's API, always give the same responses and record their requests.

Run it with an interpreter that has `tokenizers` and `jinja2` (vLLM's own). It reads one JSON object per line and writes
one in return: {"open": options} gives {"port"}; {"close": port} gives {"got"}: for each request its head lines as
received, its body as text and the arrival time of its head; {"quit": 1} ends it.

Options: "model" and "root" (in /v1/models), "tokens" (words per response), "gap_ms" between events, "no_tokenizer",
"no_usage", "spec" (counters of speculation that grow with each request), "faults" ({request number: status, or a word
for a fault in its stream}), "reason" (the phrase of an error status), "profile_status".


"""
import asyncio
import importlib.metadata
import json
import sys
import time
from pathlib import Path

import jinja2
import tokenizers

VERSION = importlib.metadata.version("vllm")  # by which ProfLLM counts like vLLM's client
WORDS = [" alpha", " b\u00e9ta", " \U0001f600", " \"quoted\"", " back\\slash", "\n", "", " omega"]
# events before those of a response, by the word in "faults"
ODD_CHOICES = {
    "null": [[{"index": 0, "text": None, "finish_reason": None}]],
    "empty": [[{"index": 0, "text": "", "finish_reason": None}]],
    "no_choice": [[]],
    "two_choices": [[{"index": 0, "text": "one"}, {"index": 1, "text": "two", "finish_reason": "stop"}]],
}
ODD_DELTAS = {
    "null": [{"content": None}],
    "empty": [{"content": ""}, {}],
    "reasoning": [{"reasoning_content": "so"}, {"reasoning": " it", "content": None}],
    "tool": [{"tool_calls": [{"index": 0, "id": "c", "type": "function",
                              "function": {"name": "f", "arguments": ""}}]},
             {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}],
    "refusal": [{"refusal": "no", "content": None}],
}
PHRASES = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
           429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}


class Tokens:
    """The tokenizer of a model's folder as vLLM's server answers with it."""

    def __init__(self, folder):
        self.tool = tokenizers.Tokenizer.from_file(str(Path(folder, "tokenizer.json")))
        config = json.loads(Path(folder, "tokenizer_config.json").read_text())
        env = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
        self.template = env.from_string(config["chat_template"])
        self.max_len = config["model_max_length"]

    def encode(self, text, specials):
        return self.tool.encode(text, add_special_tokens=specials).ids

    def laid_over(self, messages):
        return self.template.render(messages=messages, add_generation_prompt=True)

    def tokenize(self, body):
        if "messages" in body:
            ids = self.encode(self.laid_over(body["messages"]), body.get("add_special_tokens", False))
        else:
            ids = self.encode(body["prompt"], body.get("add_special_tokens", True))
        return {"count": len(ids), "max_model_len": self.max_len, "tokens": ids, "token_strs": None}

    def detokenize(self, body):
        return {"prompt": self.tool.decode(body["tokens"], skip_special_tokens=False)}

    def count(self, prompt):
        return len(prompt) if isinstance(prompt, list) else len(self.encode(prompt, True))


class Server:
    def __init__(self, tokens, options):
        self.tokens, self.options, self.got, self.listener = tokens, options, [], None

    async def open(self):
        self.listener = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.listener.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                arrived = time.monotonic()
                first, *lines = head[:-4].decode("latin-1").split("\r\n")
                length = next((int(line.split(":")[1]) for line in lines
                               if line.lower().startswith("content-length:")), 0)
                body = await reader.readexactly(length)
                method, path, _ = first.split(" ")
                self.got.append({"first": first, "path": path, "lines": lines, "arrived": arrived,
                                 "body": body.decode()})
                if not await self.answer(writer, method, path, lines, body):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, writer, method, path, lines, body):
        """False: the connection has ended."""
        value = json.loads(body) if body else None
        if path == "/v1/models":
            model = {"id": self.options["model"], "object": "model", "created": 0, "owned_by": "vllm",
                     "root": self.options["root"], "max_model_len": 2048}
            return await reply(writer, 200, {"object": "list", "data": [model]})
        if path == "/metrics":
            return await reply(writer, 200, self.figures(), "text/plain; version=0.0.4")
        if path in ("/start_profile", "/stop_profile"):
            return await reply(writer, self.options.get("profile_status", 200), None)
        if path in ("/tokenize", "/detokenize") and not self.options.get("no_tokenizer"):
            return await reply(writer, 200, getattr(self.tokens, path[1:])(value))
        if path == "/version":
            return await reply(writer, 200, {"version": VERSION})
        if path == "/health":
            return await reply(writer, 200, None)
        forms = {"/v1/completions": self.completion, "/v1/chat/completions": self.chat,
                 "/v1/responses": self.response}
        if method == "POST" and path in forms:
            return await self.generate(writer, forms[path], lines, value)
        return await reply(writer, 404, {"detail": "Not Found"})

    def figures(self):
        """Each measured request so far has drafted 4 times 3 tokens, of which 2, 1 and 1 were taken."""
        if not self.options.get("spec"):
            return "# HELP x y\nprocess_start_time_seconds 1.0\n"
        n = sum("x-request-id" in "".join(got["lines"]).lower() for got in self.got)
        label = '{engine="0",model_name="m"'
        rows = [f"vllm:spec_decode_num_drafts_total{label}}} {4.0 * n}",
                f"vllm:spec_decode_num_draft_tokens_total{label}}} {12.0 * n}",
                f"vllm:spec_decode_num_accepted_tokens_total{label}}} {7.0 * n}",
                *(f'vllm:spec_decode_num_accepted_tokens_per_pos_total{label},position="{k}"}} {c * n}'
                  for k, c in enumerate((4.0, 2.0, 1.0))),
                f"vllm:spec_decode_num_drafts_created{label}}} 1.7e+09"]
        return "\n".join(rows) + "\n"

    async def generate(self, writer, form, lines, body):
        number = next((line.rsplit("-", 1)[1] for line in lines
                       if line.lower().startswith("x-request-id: p-")), None)
        fault = self.options.get("faults", {}).get(number)
        if isinstance(fault, int):
            phrase = self.options.get("reason", PHRASES.get(fault, ""))
            return await reply(writer, fault, {"error": {"message": "no", "code": fault}}, phrase=phrase)
        if fault == "hang_up":
            return False
        count = min(self.options.get("tokens", 8), next(
            (body[key] for key in ("max_tokens", "max_completion_tokens", "max_output_tokens")
             if key in body), 1))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
                     b"transfer-encoding: chunked\r\n\r\n")
        events = list(form(body, count, fault))
        if fault == "merged":
            events = ["".join(events[i:i + 3]) for i in range(0, len(events), 3)]
        for event in events:
            data = event.encode()
            writer.write(b"%x\r\n%s\r\n" % (len(data), data))
            await writer.drain()
            await asyncio.sleep(self.options.get("gap_ms", 2) / 1000)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def usage(self, prompt, count):
        return {"prompt_tokens": prompt, "total_tokens": prompt + count, "completion_tokens": count}

    def completion(self, body, count, fault):
        head = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": body["model"]}
        for odd in ODD_CHOICES.get(fault, ()):
            yield event({**head, "choices": odd})
        for i in range(0 if fault == "no_tokens" else count):
            more = {"usage": self.usage(3, i + 1)} if fault == "usage_each" else {}
            yield event({**head, **more, "choices": [{
                "index": 0, "text": WORDS[i % 8], "logprobs": None,
                "finish_reason": "length" if i + 1 == count else None}]})
        if not self.options.get("no_usage"):
            yield event({**head, "choices": [],
                         "usage": self.usage(self.tokens.count(body["prompt"]), count)})
        yield "data: [DONE]\n\n"

    def chat(self, body, count, fault):
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
                "model": body["model"]}

        def chunk(delta, finish=None):
            return event({**head, "choices": [{"index": 0, "delta": delta, "logprobs": None,
                                               "finish_reason": finish}]})
        if fault != "no_tokens":
            yield chunk({"role": "assistant", "content": ""})
            for odd in ODD_DELTAS.get(fault, ()):
                yield chunk(odd)
            for i in range(count):
                yield chunk({"content": WORDS[i % 8]}, "length" if i + 1 == count else None)
            if fault == "finish_alone":
                yield chunk({}, "stop")
        if not self.options.get("no_usage"):
            text = "".join(part["text"] if isinstance(part, dict) else part
                           for message in body["messages"] for part in message["content"])
            yield event({**head, "choices": [], "usage": self.usage(self.tokens.count(text), count)})
        yield "data: [DONE]\n\n"

    def response(self, body, count, fault):
        def named(kind, **values):
            return f"event: {kind}\n" + event({"type": kind, "sequence_number": 0, **values})
        yield named("response.created", response={"id": "r", "status": "in_progress"})
        if fault == "reasoning":
            for text in ("so", " it", " is"):
                yield named("response.reasoning_text.delta", delta=text, item_id="r", output_index=0)
        for i in range(0 if fault == "no_tokens" else count):
            yield named("response.output_text.delta", delta=WORDS[i % 8], item_id="i", output_index=0,
                        content_index=0, logprobs=[])
        prompt = self.tokens.count(body["input"])
        usage = {"input_tokens": prompt, "output_tokens": count, "total_tokens": prompt + count}
        last = "incomplete" if fault == "incomplete" else "completed"
        yield named(f"response.{last}", response={
            "id": "r", "status": last,
            "usage": None if self.options.get("no_usage") else usage})


def event(value):
    return "data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n\n"


async def reply(writer, status, value, kind="application/json", phrase=None):
    data = b"" if value is None else (value if isinstance(value, str) else json.dumps(value)).encode()
    phrase = PHRASES.get(status, "") if phrase is None else phrase
    writer.write((f"HTTP/1.1 {status} {phrase}\r\ncontent-length: {len(data)}\r\n"
                  f"content-type: {kind}\r\n\r\n").encode() + data)
    await writer.drain()
    return True


async def main(folder):
    loop = asyncio.get_running_loop()
    tokens, servers = Tokens(folder), {}
    print(json.dumps({"ready": True}), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        if "open" in order:
            server = Server(tokens, order["open"])
            port = await server.open()
            servers[port] = server
            answer = {"port": port}
        elif "close" in order:
            server = servers.pop(order["close"])
            server.listener.close()
            answer = {"got": server.got}
        else:
            break
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
