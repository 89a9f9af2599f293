"""A server that returns the secrets that it received, in a way that its first argument names."""
import base64
import json
import os
import socket
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EVENT = {"id": "c", "object": "text_completion", "choices": [{"index": 0, "text": "x", "finish_reason": None}]}


def escaped(text):
    return "".join(f"\\u{ord(c):04x}" for c in text)


def spellings(text):
    return " ".join([urllib.parse.quote(text, safe=""), base64.b64encode(f"u:{text}".encode()).decode(),
                     base64.urlsafe_b64encode(text.encode()).decode(), text.encode().hex(), escaped(text), json.dumps(text)])


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kind = ""

    def log_message(self, *args):
        pass

    @property
    def secrets(self):
        return f"{self.headers.get('Authorization')} {self.headers.get('X-Api-Key')} {os.environ.get('HF_TOKEN', '')}"

    def answer(self, status, body, kind="application/json", **headers):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def stream(self, *events, end=True):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode())
        if end:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def do_GET(self):
        told = self.secrets if self.kind in ("models", "everything") else "m"
        if self.path == "/v1/models" and self.kind == "models_401":
            self.answer(401, {"error": {"message": f"Invalid key provided: {self.secrets}"}})
        elif self.path == "/v1/models":
            self.answer(200, {"data": [{"id": "m", "root": told, "owned_by": told, "note": [spellings(told), {told: told}]}]})
        elif self.path == "/version":
            self.answer(200, {"version": f"0.10.0+{told}"}, Server=told.replace(" ", "_"))
        elif self.path == "/server_info":
            self.answer(200, {"vllm_config": f"model='m', note='{told}'"})
        elif self.path == "/metrics":
            label = self.secrets if self.kind == "metrics" else "m"
            self.answer(200, f'vllm:cache_config_info{{block_size="16",note="{label}"}} 1\n'
                        f'vllm:num_requests_running{{model_name="{label}"}} 0\n'
                        f'vllm:request_success_total{{finished_reason="{label}"}} 0\n', "text/plain")
        elif self.path == "/health":
            self.answer(200, "")
        else:
            self.answer(404, {"error": f"no page for {self.secrets}"})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        secrets, kind = self.secrets, self.kind
        if self.path == "/tokenize" or self.path == "/detokenize":
            self.answer(500, {"error": {"message": f"no tokenizer for {secrets}"}})
        elif kind == "401":
            self.answer(401, {"error": {"message": f"Invalid key provided: {secrets}"}})
        elif kind == "500":
            self.answer(500, f"Internal error: {secrets}\n{spellings(secrets.split()[1])}", "text/plain")
        elif kind == "cut":
            self.answer(500, "x" * int(os.environ["CUT_AT"]) + secrets * 3, "text/plain")
        elif kind == "spelled":
            self.answer(400, json.dumps({"detail": spellings(secrets.split()[1]) + "@"}).replace("@", escaped(secrets)))
        elif kind == "event":
            self.stream(EVENT, {"error": {"message": f"engine died with {secrets}", "code": 500}})
        elif kind == "header":
            self.answer(200, "{}", f"text/{secrets.split()[1]}", X_Echo=secrets)
        elif kind == "redirect":
            self.answer(302, "", Location=f"http://127.0.0.1:1/{urllib.parse.quote(secrets)}?key={secrets.split()[1]}")
        elif kind == "json":
            self.stream(EVENT, '{"choices": [' + secrets, EVENT)
        elif kind == "reason":
            self.stream({**EVENT, "choices": [{"index": 0, "text": "x", "finish_reason": secrets.split()[1]}]})
        elif kind == "garbage":
            self.wfile.write(f"SSH-2.0 {secrets}\r\n\r\n".encode())
            self.close_connection = True
        elif kind == "status":
            self.wfile.write(f"HTTP/1.1 500 {secrets}\r\nContent-Length: zz{secrets}\r\n\r\n".encode())
            self.close_connection = True
        elif kind == "hang":
            print(f"waiting with {secrets}", end="", flush=True)
            self.stream(EVENT, f'{{"error": "{secrets[:20]}', end=False)
            time.sleep(30)
        elif kind == "crash":
            print(f"INFO got {secrets}", flush=True)
            try:
                raise RuntimeError(f"CUDA error with {secrets}")
            except RuntimeError:
                sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
            os._exit(1)
        else:
            text = f" {secrets} " if kind == "everything" else "x"
            events = [{**EVENT, "choices": [{"index": 0, "text": text, "finish_reason": "length"}]}]
            self.stream(*events, {**EVENT, "choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 1}})


def start(kind):
    """Serves in a thread; returns the server."""
    handler = type("Handler", (Echo,), {"kind": kind})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    kind, words = sys.argv[1], sys.argv[2:]
    secrets = [os.environ["HF_TOKEN"], os.environ.get("VLLM_API_KEY", "")]
    if kind in ("start", "crash", "everything"):
        for secret in secrets:
            # in two writes, so that no read has it whole
            sys.stdout.write(f"INFO args: {{'api_key': '{secret[:9]}")
            sys.stdout.flush()
            time.sleep(0.05)
            sys.stdout.write(f"{secret[9:]}'}} {spellings(secret)}\n")
            sys.stdout.flush()
    if kind == "start":
        raise SystemExit(f"ValueError: found api_key {secrets[1]}, expected {secrets[0]}")
    Echo.kind = kind
    ThreadingHTTPServer.address_family = socket.AF_INET
    ThreadingHTTPServer(("127.0.0.1", int(words[words.index("--port") + 1])), Echo).serve_forever()


if __name__ == "__main__":
    main()
