#!/usr/bin/env python3
"""A small server for `make test-gpu`: OpenAI's completions from a random transformer, with batches; needs torch only.

    gpu_server.py serve MODEL --host HOST --port PORT [--profiler-config JSON]   (other arguments are accepted)

One thread runs the engine: a step computes one prompt, or one token of all running sequences. /start_profile and /stop_profile run
torch's profiler in that thread. The log says what torch sees, for the checks (gpu_checks.py).
"""
import argparse
import json
import os
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import torch
from torch.nn.functional import scaled_dot_product_attention as attention

SLOTS, LENGTH = 64, 1024


class Model:
    """Random weights: the texts have no meaning, the work is that of a decoder."""

    def __init__(self, device):
        big = device.type == "cuda"
        self.device, self.kind = device, torch.bfloat16 if big else torch.float32
        self.width, self.heads, self.depth = (2048, 16, 16) if big else (64, 4, 2)
        torch.manual_seed(0)
        width = self.width
        self.embed = self.random(256, width)
        self.layers = [(self.random(width, 3 * width), self.random(width, width), self.random(width, 4 * width), self.random(4 * width, width))
                       for _ in range(self.depth)]
        room = (self.depth, SLOTS, self.heads, LENGTH, width // self.heads)
        self.keys, self.values = (torch.zeros(room, device=device, dtype=self.kind) for _ in range(2))

    def random(self, rows, columns):
        return torch.randn(rows, columns, device=self.device, dtype=self.kind) / rows**0.5

    def run(self, tokens, slots, at):
        """tokens [batch, length] of these slots, from position `at` of each; returns the next token of each."""
        batch, length = tokens.shape
        x = self.embed[tokens]
        places = at[:, None] + torch.arange(length, device=self.device)
        seen = torch.arange(LENGTH, device=self.device)[None, None, None, :] <= places[:, None, :, None]
        for depth, (in_, out, up, down) in enumerate(self.layers):
            q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in (x @ in_).chunk(3, dim=-1))
            for row, slot in enumerate(slots):
                begin = int(at[row])
                self.keys[depth, slot, :, begin:begin + length] = k[row]
                self.values[depth, slot, :, begin:begin + length] = v[row]
            mixed = attention(q, self.keys[depth, slots], self.values[depth, slots], attn_mask=seen)
            x = x + mixed.transpose(1, 2).reshape(batch, length, -1) @ out
            x = x + torch.relu(x @ up) @ down
            x = x / x.float().pow(2).mean(-1, keepdim=True).sqrt().to(x.dtype)
        return (x[:, -1] @ self.embed.T).argmax(-1).tolist()


class Sequence:
    def __init__(self, prompt, most):
        self.tokens = list(prompt.encode())[-(LENGTH - most - 1):] or [32]
        self.prompt_len, self.most = len(self.tokens), most
        self.out, self.slot, self.left = queue.Queue(), None, False


class Engine(threading.Thread):
    def __init__(self, model, trace_dir):
        super().__init__(daemon=True)
        self.model, self.trace_dir = model, trace_dir
        self.inbox, self.running, self.free = queue.Queue(), [], list(range(SLOTS))
        self.profiler, self.waiting = None, []

    def call(self, what):
        """Runs a function between two steps, in the thread of the engine; returns its result."""
        answer = queue.Queue()
        self.inbox.put((what, answer))
        return answer.get()

    def start_profile(self):
        kinds = [torch.profiler.ProfilerActivity.CPU]
        if self.model.device.type == "cuda":
            kinds.append(torch.profiler.ProfilerActivity.CUDA)
        self.profiler = torch.profiler.profile(activities=kinds)
        self.profiler.start()

    def stop_profile(self):
        if self.profiler:
            self.profiler.stop()
            os.makedirs(self.trace_dir, exist_ok=True)
            self.profiler.export_chrome_trace(f"{self.trace_dir}/dp0_pp0_tp0_rank0.{time.time_ns()}.pt.trace.json.gz")
            self.profiler = None

    def take(self):
        while not self.inbox.empty() or not (self.running or self.waiting):
            one = self.inbox.get()
            if isinstance(one, Sequence):
                self.waiting.append(one)
            else:
                one[1].put(one[0]())

    def say(self, sequence, token):
        sequence.tokens.append(token)
        sequence.out.put(chr(97 + token % 26))
        if sequence.left or len(sequence.tokens) - sequence.prompt_len >= sequence.most:
            sequence.out.put(None)
            self.running.remove(sequence)
            self.free.append(sequence.slot)

    @torch.inference_mode()
    def run(self):
        tensor = lambda rows: torch.tensor(rows, device=self.model.device)  # noqa: E731
        while True:
            self.take()
            if self.waiting and self.free:
                new = self.waiting.pop(0)
                new.slot = self.free.pop()
                self.running.append(new)
                self.say(new, self.model.run(tensor([new.tokens]), [new.slot], tensor([0]))[0])
            elif self.running:
                now = list(self.running)
                found = self.model.run(tensor([[one.tokens[-1]] for one in now]), [one.slot for one in now],
                                       tensor([len(one.tokens) - 1 for one in now]))
                for one, token in zip(now, found):
                    self.say(one, token)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def log_message(self, *_):
        pass

    def answer(self, status, data, media="application/json"):
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        engine = self.server.engine
        if self.path == "/health":
            self.answer(200, b"")
        elif self.path == "/version":
            self.answer(200, {"version": "gpu-server"})
        elif self.path == "/v1/models":
            self.answer(200, {"object": "list", "data": [{"id": self.server.name, "object": "model", "max_model_len": LENGTH}]})
        elif self.path == "/metrics":
            self.answer(200, f"vllm:num_requests_running {len(engine.running)}\nvllm:num_requests_waiting {len(engine.waiting)}\n".encode(),
                        "text/plain")
        else:
            self.answer(404, {"detail": "Not Found"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        engine = self.server.engine
        if self.path in ("/start_profile", "/stop_profile") and engine.trace_dir:
            engine.call(getattr(engine, self.path[1:]))
            self.answer(200, b"")
        elif self.path == "/v1/completions":
            self.complete(json.loads(body))
        else:
            self.answer(404, {"detail": "Not Found"})

    def complete(self, request):
        sequence = Sequence(request["prompt"], min(int(request.get("max_tokens") or 16), LENGTH // 2))
        self.server.engine.inbox.put(sequence)
        usage = {"prompt_tokens": sequence.prompt_len, "completion_tokens": sequence.most, "total_tokens": sequence.prompt_len + sequence.most}
        pieces = iter(sequence.out.get, None)
        if not request.get("stream"):
            self.answer(200, {"object": "text_completion", "usage": usage,
                              "choices": [{"index": 0, "text": "".join(pieces), "finish_reason": "length"}]})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for count, piece in enumerate(pieces, 1):
                self.event({"choices": [{"index": 0, "text": piece, "finish_reason": "length" if count == sequence.most else None}]})
            self.event({"choices": [], "usage": usage})
            self.event("[DONE]")
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            sequence.left = True

    def event(self, data):
        text = data if isinstance(data, str) else json.dumps({"id": "cmpl-0", "object": "text_completion", "model": self.server.name, **data})
        message = f"data: {text}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(message), message))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main():
    words = argparse.ArgumentParser()
    words.add_argument("serve")
    words.add_argument("model")
    words.add_argument("--host", default="127.0.0.1")
    words.add_argument("--port", type=int, default=8000)
    words.add_argument("--profiler-config", type=json.loads, default={})
    args, _ = words.parse_known_args()
    has_cuda = torch.cuda.is_available()
    count = torch.cuda.device_count() if has_cuda else 0
    print(f"torch sees {count} devices: {[torch.cuda.get_device_name(i) for i in range(count)]}", flush=True)
    trace_dir = args.profiler_config.get("torch_profiler_dir") or os.environ.get("VLLM_TORCH_PROFILER_DIR")
    engine = Engine(Model(torch.device("cuda" if has_cuda else "cpu")), trace_dir)
    engine.start()
    server = Server((args.host, args.port), Handler)
    server.engine, server.name = engine, Path(args.model).name
    print("Application startup complete.", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
