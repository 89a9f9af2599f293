"""A completions server in Python whose failures a test selects, request by request."""
import collections
import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler


def event(data):
    text = data if isinstance(data, str) else json.dumps(data)
    return f"data: {text}\n\n".encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", content_type="application/json", headers=()):
        self.send_response(status)
        if not self.server.owner.keeps:
            self.send_header("Connection", "close")
        for name, value in [("Content-Type", content_type), ("Content-Length", len(body)), *headers]:
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # pylint: disable=invalid-name
        owner = self.server.owner
        if self.path in owner.redirects:
            self.answer(301, headers=[("Location", owner.redirects[self.path])])
        elif self.path == "/health":
            self.answer(200)
        elif self.path == "/v1/models":
            self.answer(200, json.dumps({"data": [{"id": "m", "object": "model"}]}).encode())
        else:
            self.answer(404)

    def do_POST(self):  # pylint: disable=invalid-name
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/completions" or self.path in owner.redirects:
            to = owner.redirects.get(self.path)
            self.answer(307 if to else 404, headers=[("Location", to)] if to else [])
            return
        fault = owner.enter(self.headers.get("x-request-id"), self.client_address)
        try:
            self.fail(fault) if fault else self.stream(body["max_tokens"])
        finally:
            owner.leave()

    def fail(self, fault):
        """"reset", "close", or (status, headers)."""
        if fault in ("reset", "close"):
            if fault == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        status, headers = fault
        self.answer(status, b'{"error": {"message": "come again"}}', headers=headers)

    def stream(self, tokens):
        choice = {"index": 0, "text": "t ", "finish_reason": None}
        events = [event({"choices": [choice]}) for _ in range(tokens - 1)]
        events += [event({"choices": [{**choice, "finish_reason": "length"}]}),
                   event({"choices": [], "usage": {"prompt_tokens": 8, "completion_tokens": tokens}}),
                   event("[DONE]")]
        self.answer(200, b"".join(events), "text/event-stream")


class FlakyServer:
    """

    `faults(request_id, number)` returns the fault of try `number` (from 1) of a request; None: a good response.
    `keeps`: the connection stays open after a response.


    """

    def __init__(self, faults=lambda request_id, number: None, address="127.0.0.1", port=0, tls=None, keeps=True):
        self.faults, self.redirects, self.keeps = faults, {}, keeps
        self.lock = threading.Lock()
        self.tries = collections.Counter()
        self.peers = collections.Counter()
        self.open = self.open_peak = 0
        self.owner = self
        self.address, self.port, self.tls = address, port, tls
        self.timer = None
        self.listen()

    def listen(self):
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        self.socket = socket.create_server((self.address, self.port), family=family, backlog=256, reuse_port=True)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.socket,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                connection, peer = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection, peer), daemon=True).start()

    def serve(self, connection, peer):
        try:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            Handler(connection, peer, self)
        except OSError:
            pass
        finally:
            connection.close()

    def vanish(self, seconds):
        """Refuses connections for this time; no other process gets the port."""
        holder = socket.socket(self.socket.family)
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind((self.address, self.port))
        self.stop_listening()

        def come_back():
            self.listen()
            holder.close()

        self.timer = threading.Timer(seconds, come_back)
        self.timer.start()

    def stop_listening(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def enter(self, request_id, peer):
        with self.lock:
            self.open += 1
            self.open_peak = max(self.open_peak, self.open)
            if request_id is None:
                return None
            self.tries[request_id] += 1
            self.peers[peer] += 1
            return self.faults(request_id, self.tries[request_id])

    def leave(self):
        with self.lock:
            self.open -= 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.timer is not None:
            self.timer.join()
        self.stop_listening()
