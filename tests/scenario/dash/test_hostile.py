"""Hostile uploads: each is refused with a clear message, or cut off; memory stays bounded, nothing is written elsewhere,
and other clients are served meanwhile."""
import contextlib
import gzip
import hashlib
import io
import json
import os
import resource
import socket
import threading
import time

import pytest
from dashboard_tools import Dashboard, form, little
from run_tools import PATIENCE
from wait_tools import wait_for

SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))
UPLOADS = ("/api/upload/json", "/api/upload/batch", "/api/upload/raw")
MIB = 1 << 20
MORE_MAX = 640 * MIB  # a body of 64 MiB, its copies and what is read of it
GIB = 1 << 30


@pytest.fixture
def dashboard(bin_dir, tmp_path):
    """A dashboard with one result and a connection that stays open; its memory grows by at most MORE_MAX."""
    home = tmp_path / "home"
    home.mkdir()
    with Dashboard(bin_dir, home / "d.db") as one:
        assert one.upload("/api/upload/json", little(0))["counts"]["stored"] == 1
        before = resident_most(one)
        yield one
        is_served(one)
        if not SANITIZED:
            assert resident_most(one) - before < MORE_MAX
        assert one.stop()[:2] == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]


def resident_most(dashboard):
    with open(f"/proc/{dashboard.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def is_served(dashboard):
    answer = dashboard.post("/api/filters/apply", {"filter": {"field": "run.run_id", "op": "eq", "value": "small-0"}})
    assert answer.status == 200 and answer.json["count"] == 1


def is_refused(answer, *statuses):
    assert answer.status in statuses, (answer.status, answer.body[:300])
    assert answer.headers["Content-Type"] == "application/problem+json" and answer.json["detail"]


def connect(dashboard):
    host, port = dashboard.host.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=120)


def head(dashboard, path, *lines, method="POST", media="application/json"):
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {dashboard.host}", f"Content-Type: {media}", *lines, "", ""]).encode()


def read_all(peer):
    """Returns everything received until the end, however the connection ends."""
    came = b""
    with contextlib.suppress(ConnectionError):
        while piece := peer.recv(65536):
            came += piece
    return came


def send_all(peer, pieces):
    """Sends until the other side closes; returns the number of sent bytes."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        for piece in pieces:
            peer.sendall(piece)
            sent += len(piece)
    return sent


DEEP = ["[" * 10_000 + "]" * 10_000, "[" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000, '{"run_id": "deep", "tags": ' + "[" * 10_000 + "]" * 10_000 + "}"]


def test_ten_thousand_levels(dashboard):
    for number, text in enumerate(DEEP, 1):
        for path in UPLOADS[:2]:
            is_refused(dashboard.post(path, text.encode()), 400, 422)
        lines = dashboard.upload("/api/upload/batch", text.encode() + b"\n" + json.dumps(little(number)).encode(), "application/x-ndjson")
        assert lines["counts"]["rejected"] == 1 and lines["counts"]["stored"] == 1, text[:50]


def test_duplicate_keys(dashboard):
    for text in ('{"run_id": "a", "run_id": "b"}', '{"run_id": "a", "tags": {"x": 1, "x": 2}}'):
        is_refused(dashboard.post("/api/upload/json", text.encode()), 400, 422)
    job = dashboard.upload("/api/upload/batch", b'{"run_id": "a", "run_id": "b"}\n' + json.dumps(little(2)).encode(), "application/x-ndjson")
    assert job["counts"]["rejected"] == 1 and job["counts"]["stored"] == 1


@pytest.mark.release_only  # so much takes its time
def test_a_gibibyte_of_one_string(dashboard):
    """With and without a Content-Length."""
    with connect(dashboard) as peer:
        peer.sendall(head(dashboard, "/api/upload/json", f"Content-Length: {GIB + 11}"))
        assert read_all(peer).startswith(b"HTTP/1.1 413 ")
    chunk = b"100000\r\n" + b"x" * MIB + b"\r\n"
    with connect(dashboard) as peer:
        peer.sendall(head(dashboard, "/api/upload/json", "Transfer-Encoding: chunked") + b'2\r\n{"\r\n')
        sent = send_all(peer, (chunk for _ in range(1024)))
        read_all(peer)
    # as far as a client is listened to that would else see no answer
    assert sent < 400 * MIB


def packed(pieces):
    """Returns a gzip file of much larger data."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
        for piece in pieces:
            file.write(piece)
    return out.getvalue()


@pytest.mark.release_only  # so much takes its time
def test_a_bomb_of_gzip(dashboard):
    zeros = packed(bytes(MIB) for _ in range(257))
    text = packed([b'{"run_id": "', *(b"x" * MIB for _ in range(128)), b'"}'])
    twice = packed([zeros])
    for bomb in (zeros, text, twice):
        answer = dashboard.post("/api/upload/raw?name=bomb.json.gz", bomb, "application/gzip")
        if answer.status == 202:
            job = dashboard.done(answer.json["status_url"])
            assert job["counts"]["stored"] == 0 and not any(item["retryable"] for item in job["items"])
            assert bomb is not zeros or "after decompression, it exceeds the limit of 256 MiB per upload" in job["items"][0]["message"]
        else:
            is_refused(answer, 400, 413, 415, 422)
        body, media = form(("bomb.json.gz", bomb), ("good.json", json.dumps(little(3)).encode()))
        answer = dashboard.post("/api/upload/batch", body, media)
        if answer.status == 202:
            assert all(item["state"] in ("rejected", "stored", "duplicate") for item in dashboard.done(answer.json["status_url"])["items"])
        else:
            is_refused(answer, 400, 413, 422)


ODD = ["../../../evil", "..%2f..%2fevil", "%2e%2e/evil", "%2e%2e%2fevil", "a%00b", "..", ".", "%2Fetc%2Fpasswd", "..%5c..%5cevil", "a%0Ab", "%ff%fe"]


def test_names_that_lead_elsewhere(dashboard):
    data = b"evil"
    for name, path in ((name, path) for name in ODD for path in (f"small-0/server_log/{name}", f"{name}/server_log/log", f"small-0/{name}/log")):
        answer = dashboard.ask("PUT", f"/api/upload/artifact/{path}", data, {"X-Content-SHA256": hashlib.sha256(data).hexdigest()}, check=False)
        # a run_id is a text of any kind, and no part of a path here; so is a backslash
        is_text = path.startswith(name) or "%5c" in name
        assert 400 <= answer.status < 500 or (answer.status in (200, 201) and is_text), (path, answer.status, answer.body)
        assert dashboard.ask("GET", f"/api/data/experiments/{path}", check=False).status in (400, 404)
    for name in ODD:
        answer = dashboard.post(f"/api/upload/json?name={name}", little(0))
        if answer.status == 202:
            assert dashboard.done(answer.json["status_url"])["counts"]["duplicate"] == 1, name
        else:
            is_refused(answer, 400, 422)


def test_a_hash_that_is_another(dashboard):
    data = b"what it is"
    for given in (hashlib.sha256(b"what it is not").hexdigest(), "0" * 63, "", "x" * 64):
        answer = dashboard.ask("PUT", "/api/upload/artifact/small-0/server_log/log", data, {"X-Content-SHA256": given})
        is_refused(answer, 400, 422)
    assert dashboard.get("/api/data/experiments/small-0/artifacts").json["artifacts"] == []


@pytest.mark.release_only  # so much takes its time
def test_a_body_that_never_ends(dashboard):
    """Sends as fast as possible, over a few connections at once."""
    piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
    sent = [0] * 3
    def run(at):
        with connect(dashboard) as peer:
            peer.sendall(head(dashboard, UPLOADS[at], "Transfer-Encoding: chunked", media="application/json" if at < 2 else "application/octet-stream"))
            sent[at] = send_all(peer, (piece for _ in range(1 << 20)))
            read_all(peer)
    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(sent))]
    for thread in threads:
        thread.start()
    is_served(dashboard)
    for thread in threads:
        thread.join()
    assert max(sent) < 400 * MIB


def trickle(dashboard, count, stop):
    """Keeps `count` connections: idle ones, and ones that send one byte of a request or read nothing of a response. A closed one
    is replaced at once."""
    host, port = dashboard.host.rsplit(":", 1)
    begun = [b"", b"GET / HTTP/1.1\r\nHost: a", head(dashboard, "/api/upload/json", "Content-Length: 100000") + b'{"run',
             head(dashboard, "/api/fields", method="GET") * 40]
    peers = [None] * count
    while not stop.is_set():
        for number, peer in enumerate(peers):
            if peer is None:
                peer = peers[number] = socket.socket()
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                peer.setblocking(False)
                peer.connect_ex((host, int(port)))
                continue
            try:
                peer.send(begun[number % len(begun)] if number % len(begun) == 3 else b"x" * (number % len(begun) > 0))
                if number % len(begun) == 0 and peer.recv(1) == b"":
                    raise ConnectionResetError
            except BlockingIOError:
                pass
            except OSError:
                peer.close()
                peers[number] = None
    for peer in peers:
        if peer is not None:
            peer.close()


def test_new_clients_are_served_at_once(dashboard):
    """While more idle, slow and stalled clients than the dashboard has connections come again and again."""
    stop = threading.Event()
    flood = threading.Thread(target=trickle, args=(dashboard, 400, stop))
    flood.start()
    durations = []
    try:
        for _ in range(20):
            time.sleep(0.1)
            begin = time.monotonic()
            with contextlib.closing(connect(dashboard)) as peer:
                time.sleep(0.05)  # in which the flood fills all connections
                peer.sendall(head(dashboard, "/api/health", "Connection: close", method="GET"))
                assert peer.makefile("rb").read().startswith(b"HTTP/1.1 200 ")
            durations.append(time.monotonic() - begin)
    finally:
        stop.set()
        flood.join()
    # a client that had to wait for the others would wait for the limit of 60 s
    assert sorted(durations)[-3] < 5 * PATIENCE, durations


def flood(dashboard, count, stop):
    """Opens connections that send nothing, each of which replaces the oldest of `count`."""
    host, port = dashboard.host.rsplit(":", 1)
    peers = []
    while not stop.is_set():
        peer = socket.socket()
        peer.setblocking(False)
        peer.connect_ex((host, int(port)))
        peers.append(peer)
        if len(peers) > count:
            peers.pop(0).close()
            time.sleep(0.0005)
    for peer in peers:
        peer.close()


def test_an_upload_that_makes_progress_survives_new_clients(dashboard):
    """At 200 KB/s, while several hundred clients connect each second."""
    stop = threading.Event()
    text = json.dumps(little(1)).encode().ljust(600_000)
    begun = threading.Thread(target=flood, args=(dashboard, 400, stop))
    with contextlib.closing(connect(dashboard)) as peer:
        peer.sendall(head(dashboard, "/api/upload/json", f"Content-Length: {len(text)}", "Connection: close") + text[:100_000])
        time.sleep(0.1 * PATIENCE)
        begun.start()
        try:
            for begin in range(100_000, len(text), 20_000):
                time.sleep(0.1)
                peer.sendall(text[begin:begin + 20_000])
            assert peer.makefile("rb").read().startswith(b"HTTP/1.1 202 ")
        finally:
            stop.set()
            begun.join()


@pytest.mark.release_only  # a thousand are more than a sanitizer serves in time
def test_a_thousand_slow_clients(dashboard):
    """Each request has started and sends no more; they are more than the allowed connections."""
    count = 1000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3 * count)), hard))
    begun = [b"POST /api/up", b"GET / HTTP/1.1\r\nHost: a", head(dashboard, "/api/upload/json", "Content-Length: 1000") + b'{"run',
             head(dashboard, "/api/upload/raw", "Transfer-Encoding: chunked", media="application/octet-stream") + b"10\r\nab", b""]
    host, port = dashboard.host.rsplit(":", 1)
    with contextlib.ExitStack() as stack:
        peers = []
        for _ in range(count):
            peer = stack.enter_context(socket.socket())
            peer.setblocking(False)
            peer.connect_ex((host, int(port)))
            peers.append(peer)
        def speak():
            for number, peer in enumerate(peers):
                with contextlib.suppress(OSError):
                    peer.send(begun[number % len(begun)])
        speak()
        for _ in range(3):
            is_served(dashboard)
            speak()
        assert dashboard.upload("/api/upload/json", little(5))["counts"]["stored"] == 1
    wait_for(lambda: dashboard.get("/api/health").status == 200, "it is itself again")


def test_a_new_database_is_its_owners(bin_dir, tmp_path):
    """The log and the index belong to the owner, too; an existing file keeps its mode."""
    before = os.umask(0o022)
    try:
        with Dashboard(bin_dir, tmp_path / "d.db") as one:
            one.upload("/api/upload/json", little(0))
            assert {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("d.db*") if path.is_file()} == \
                dict.fromkeys(["d.db", "d.db-jobs", "d.db-shm", "d.db-wal"], 0o600)
            assert one.stop()[:2] == (0, "")
        (tmp_path / "d.db").chmod(0o640)
        with Dashboard(bin_dir, tmp_path / "d.db") as one:
            one.upload("/api/upload/json", little(1))
            assert (tmp_path / "d.db").stat().st_mode & 0o777 == 0o640
            assert one.stop()[:2] == (0, "")
    finally:
        os.umask(before)
