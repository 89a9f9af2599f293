"""

A server that misbehaves on demand, on raw sockets. The prompt selects how: "case:NAME" names a row of the given table;
a row is a list of steps, bytes to send or one of the actions below. All other paths (health, models, tokenize) get
correct responses.


"""
import json
import re
import socket
import struct
import threading
import time

# Actions; a function is called with the connection. After the last step a connection reads its next request, unless a
# step closed it.
CLOSE = "close"              # as a program that ends well
RESET = "reset"              # what the peer has not read may be lost
HALF = "half"                # no more is sent; received data is still read
SECOND_TIME = "second time"  # the steps after it are for a repeated request
HANG = "hang"                # says nothing until the peer goes


class Pause:
    """A pause between two sends, so that they are two segments and two reads of the peer."""

    def __init__(self, seconds):
        self.seconds = seconds


class Dribble:
    """Sends some bytes at a time, with pauses."""

    def __init__(self, data, size=1, seconds=0.001):
        self.data, self.size, self.seconds = data, size, seconds


def head(status="200 OK", kind="text/event-stream; charset=utf-8", *lines, version="HTTP/1.1"):
    """`kind` None: no Content-Type. Without a line on the body's length, the body ends with the connection."""
    first = f"{version} {status}"
    kinds = [f"Content-Type: {kind}"] if kind else []
    return ("\r\n".join([first, "Server: odd", *kinds, *lines]) + "\r\n\r\n").encode("latin-1")


CHUNKED = "Transfer-Encoding: chunked"


def chunk(data, extension=b""):
    return b"%x" % len(data) + extension + b"\r\n" + data + b"\r\n"


LAST_CHUNK = b"0\r\n\r\n"


def length(data):
    return f"Content-Length: {len(data)}"


def text_of(value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def event(value):
    """Returns a server-sent event with this JSON value, or these bytes, as its data."""
    return b"data: " + text_of(value) + b"\n\n"


DONE = event(b"[DONE]")


def usage(output, prompt=3):
    return {"choices": [], "usage": {"prompt_tokens": prompt, "total_tokens": 7, "completion_tokens": output}}


class Completions:
    backend = "openai"

    @staticmethod
    def token(text=" t", index=0, finish=None, **more):
        return {"choices": [{"index": index, "text": text, "logprobs": None, "finish_reason": finish}], **more}


class Chat:
    backend = "openai-chat"

    @staticmethod
    def token(text=" t", index=0, finish=None, **more):
        delta = text if isinstance(text, dict) else {"content": text}
        return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}], **more}


def tokens(count, kind=Completions):
    """Returns events of the given number of tokens, the last of them with a finish reason."""
    return [event(kind.token(f" t{i}", finish="length" if i == count - 1 else None)) for i in range(count)]


def good(kind=Completions, count=4):
    return [*tokens(count, kind), event(usage(count)), DONE]


def stream(*events, lines=(CHUNKED,), last=True):
    """Returns a complete response with one chunk per event, as vLLM sends it."""
    return b"".join([head("200 OK", "text/event-stream; charset=utf-8", *lines), *map(chunk, events),
                     LAST_CHUNK if last else b""])


def whole(value, status="200 OK", kind="application/json", *lines):
    body = text_of(value)
    return head(status, kind, length(body), *lines) + body


MODELS = {"object": "list", "data": [{"id": "odd", "root": "odd", "max_model_len": 100000000}]}


class OddServer:
    """

    One thread per connection; `asked` counts the requests of each row's name. Requests below /early/ get a response
    before their bodies are read.


    """

    def __init__(self, rows, address=("127.0.0.1", 0), family=socket.AF_INET, wrap=None, nagle=False):
        self.rows = rows
        self.asked = {}
        self.helpers = {}    # steps by path, for requests other than the load
        self.wrap = wrap     # what a fresh connection becomes: TLS
        self.nagle = nagle   # the kernel's default: a small segment waits until the one before is acknowledged
        self.connections = set()
        self.completed = []  # of each completion: (segments without data that came, segments sent) so far
        self.lock = threading.Lock()
        self.listener = socket.socket(family)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(address)
        self.listener.listen(512)
        self.port = self.listener.getsockname()[1]
        self.closing = False
        self.thread = threading.Thread(target=self._accept)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def _accept(self):
        while True:
            try:
                plug, _ = self.listener.accept()
            except OSError:
                return
            plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, not self.nagle)
            with self.lock:
                self.connections.add(plug)
            threading.Thread(target=self._serve, args=(plug,), daemon=True).start()

    def _serve(self, plug):
        raw = plug
        try:
            if self.wrap:
                plug = self.wrap(plug)
            if plug is not None:
                self._talk(plug, b"")
        except OSError:
            pass  # the client has gone first
        finally:
            with self.lock:
                self.connections.discard(raw)
            (plug or raw).close()
            raw.close()

    def _talk(self, plug, rest):
        while True:
            while b"\r\n\r\n" not in rest:
                more = plug.recv(65536)
                if not more:
                    return
                rest += more
            lines, rest = rest.split(b"\r\n\r\n", 1)
            path = lines.split(b" ", 2)[1].decode()
            found = re.search(rb"\r\ncontent-length: *(\d+)", lines, re.I)
            size = int(found[1]) if found else 0
            early = path.startswith("/early/")
            while len(rest) < size and not early:
                more = plug.recv(1 << 20)
                if not more:
                    return
                rest += more
            body, rest = rest[:size], rest[size:]
            steps = self._steps(path, body)
            ended = self._play(plug, steps)
            if path.endswith("/v1/completions"):
                self.completed.append(self._segments(plug))
            if ended is not None:
                return

    def _steps(self, path, body):
        if path in self.helpers:
            return self.helpers[path]
        if path.endswith("/health"):
            return [whole(b"")]
        if path.endswith("/v1/models"):
            return [whole(MODELS)]
        if path.endswith("/detokenize"):
            return [whole({"prompt": "x" * len(json.loads(body)["tokens"])})]
        if path.endswith("/tokenize"):
            words = re.findall(r"\S+", json.loads(body)["prompt"])
            return [whole({"count": len(words), "tokens": list(range(len(words))), "max_model_len": 1 << 20})]
        name = re.search(rb"case:([A-Za-z0-9_.-]+)", path.encode() + b" " + body)
        if not name or name[1].decode() not in self.rows:
            return [whole({"detail": "Not Found"}, "404 Not Found")]
        name = name[1].decode()
        with self.lock:
            times = self.asked[name] = self.asked.get(name, 0) + 1
        steps = self.rows[name]
        if SECOND_TIME in steps:
            at = steps.index(SECOND_TIME)
            return steps[:at] if times == 1 else steps[at + 1:]
        return steps

    @staticmethod
    def _segments(plug):
        info = plug.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 160)
        segs_in, data_in, data_out = (struct.unpack_from("I", info, at)[0] for at in (140, 152, 156))
        return segs_in - data_in, data_out

    @staticmethod
    def _play(plug, steps):
        """Plays the steps. Returns None if the connection stays open."""
        for step in steps:
            if isinstance(step, bytes):
                plug.sendall(step)
            elif isinstance(step, Pause):
                time.sleep(step.seconds)
            elif isinstance(step, Dribble):
                for at in range(0, len(step.data), step.size):
                    plug.sendall(step.data[at:at + step.size])
                    time.sleep(step.seconds)
            elif callable(step):
                step(plug)
            elif step == HALF:
                plug.shutdown(socket.SHUT_WR)
            elif step == HANG:
                while plug.recv(65536):
                    pass
                return HANG
            elif step == RESET:
                plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return RESET
            else:
                return CLOSE
        return None

    def close(self):
        # a listener that is only closed leaves accept() asleep
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        self.thread.join()
        with self.lock:
            for plug in self.connections:
                try:
                    plug.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
