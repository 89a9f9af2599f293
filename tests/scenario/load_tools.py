"""Clients of a dashboard under load, each group in a process of its own: readers and writers, which check each response, and hostile
clients. Every choice comes from a seed. A group reports a dictionary through a pipe."""
import collections
import contextlib
import http.client
import json
import random
import socket
import threading
import time

SHOWN = 5  # faults that a group reports
ROWS = 200  # results that writers change; their number stays, so the memory of the dashboard should, too
TRIES = 2  # the dashboard may close a quiet connection: a request is sent again once
PATIENCE_S = 120


class Client:
    """A user with one connection."""

    def __init__(self, address, token, seed):
        self.address, self.token, self.rng = address, token, random.Random(seed)
        self.connection = None
        self.seconds = []
        self.counts = collections.Counter()
        self.faults = []

    def ask(self, method, path, body=None, expected=(200,), headers=None):
        """Returns the body, or None after 503, which must say when to retry."""
        begin = time.monotonic()
        for attempt in range(TRIES):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE_S)
            try:
                self.connection.request(method, path, body, {"Authorization": f"Bearer {self.token}", **(headers or {}),
                                                             **({"Content-Type": "application/json"} if body else {})})
                reply = self.connection.getresponse()
                text = reply.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                self.connection = None
                self.counts["closed"] += 1
                if attempt == TRIES - 1:
                    self.fault(f"{method} {path}: {error!r} after a retry")
                    return None
        self.seconds.append(time.monotonic() - begin)
        self.counts[reply.status] += 1
        if reply.status == 503:
            if reply.headers["Retry-After"] is None:
                self.fault(f"{method} {path}: 503 without Retry-After")
            time.sleep(0.05)
            return None
        if reply.status not in expected:
            self.fault(f"{method} {path}: {reply.status} {text[:200]!r}")
            return None
        return text

    def fault(self, text):
        if len(self.faults) < SHOWN:
            self.faults.append(text)
        self.counts["faults"] += 1

    def read(self):
        rng, number = self.rng, self.rng.randrange(1, ROWS + 1)
        choice = rng.random()
        if choice < 0.25:
            self.ask("GET", f"/api/data/experiments?limit={rng.choice((10, 50, 200))}")
        elif choice < 0.45:
            text = self.ask("POST", "/api/filters/apply", json.dumps({"filter": {
                "field": "results.mean_ttft_ms", "op": "gt", "value": rng.random() * 100}, "columns": ["run.run_id"], "limit": 20}))
            if text is not None and not 0 <= json.loads(text)["count"] <= ROWS:
                self.fault(f"found {text[:100]!r}, expected at most {ROWS} results")
        elif choice < 0.65:
            self.ask("GET", f"/api/data/experiments/{number}", expected=(200, 404, 410))
        elif choice < 0.75:
            self.ask("GET", "/api/fields", headers={"Accept-Encoding": rng.choice(("gzip", "br", "identity"))})
        elif choice < 0.85:
            self.ask("POST", "/api/data/points", json.dumps({"x": "results.mean_ttft_ms", "y": "results.mean_tpot_ms"}))
        elif choice < 0.9:
            self.ask("POST", "/api/export/csv", json.dumps({}))
        elif choice < 0.95:
            self.ask("GET", "/metrics")
        else:
            self.ask("GET", "/api/health", expected=(200,))

    def write(self):
        rng, number = self.rng, self.rng.randrange(ROWS)
        choice = rng.random()
        if choice < 0.6:
            document = {"run_id": f"load-{number}", "suite": "s", "results": {"mean_ttft_ms": rng.random() * 100, "mean_tpot_ms": rng.random()}}
            self.ask("POST", "/api/upload/json?on_conflict=replace", json.dumps(document), expected=(202,))
        elif choice < 0.9:
            self.ask("PATCH", f"/api/data/experiments/{number + 1}", json.dumps({"tags": {"load": str(rng.randrange(1000))}}), expected=(200, 404, 409, 410))
        else:
            self.ask("DELETE", f"/api/data/experiments/{number + 1}", expected=(204, 404, 410))
            self.ask("POST", f"/api/data/experiments/{number + 1}/restore", expected=(200, 404))


def work(pipe, address, token, kind, count, seconds, seed):
    """`count` clients, which work for `seconds`. kind: "read" or "write"."""
    clients = [Client(address, token, f"{seed} {kind} {number}") for number in range(count)]
    end = time.monotonic() + seconds

    def run(client):
        while time.monotonic() < end:
            client.read() if kind == "read" else client.write()
            time.sleep(client.rng.random() * (0.02 if kind == "read" else 0.05))

    threads = [threading.Thread(target=run, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = sum((client.counts for client in clients), collections.Counter())
    pipe.send({"seconds": [one for client in clients for one in client.seconds], "counts": dict(counts),
               "faults": [fault for client in clients for fault in client.faults][:SHOWN]})


def requests_of(rng, host):
    """Returns bytes of a hostile client: what it sends at once, and whether it reads."""
    line = rng.choice(("GET /api/data/experiments", "POST /api/upload/json", "GET /metrics", "\0\1\2", "GET " + "/a" * rng.randrange(40000)))
    head = f"{line} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer profllm_{rng.randrange(1 << 60):043x}\r\n"
    return rng.choice((b"", head[:rng.randrange(1, 40)].encode(), head.encode(), (head + "\r\n").encode() * 20,
                       (head + f"Content-Type: application/json\r\nContent-Length: {rng.randrange(1 << 20)}\r\n\r\n" + "[" * rng.randrange(5000)).encode(),
                       (head + "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nffffffff\r\n{").encode(), rng.randbytes(2000)))


def attack(pipe, address, host, token, count, seconds, seed):
    """`count` connections at a time: idle, slow, stalled, malformed, with wrong tokens, or reset. Each has an address of its own,
    because failures are limited per address. Some read slowly with a valid token."""
    rng = random.Random(f"{seed} attack")
    end = time.monotonic() + seconds
    peers, counts = [None] * count, collections.Counter()
    while time.monotonic() < end:
        at = rng.randrange(count)
        peer = peers[at]
        if peer is None:
            peer = peers[at] = socket.socket()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            with contextlib.suppress(OSError):
                peer.bind((f"127.0.{rng.randrange(1, 250)}.{rng.randrange(1, 250)}", 0))
            peer.setblocking(False)
            peer.connect_ex(address)
            counts["connections"] += 1
        elif rng.random() < 0.1:
            if rng.random() < 0.5:  # closing it with unread bytes, or at once, resets it
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            peer.close()
            peers[at] = None
        else:
            try:
                if rng.random() < 0.2:
                    peer.send(f"GET /api/fields HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode() * 8)
                else:
                    peer.send(requests_of(rng, host))
                if rng.random() < 0.3:
                    peer.recv(rng.choice((1, 100, 65536)))
            except BlockingIOError:
                pass
            except OSError:
                peer.close()
                peers[at] = None
        time.sleep(0.002)
    for peer in peers:
        if peer is not None:
            peer.close()
    pipe.send({"seconds": [], "counts": dict(counts), "faults": []})
