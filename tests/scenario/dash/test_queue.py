"""Requests over all results wait in a queue while their connections sleep: each gets its response, in order, even if other
clients leave."""
import contextlib
import json
import os
import random
import signal
import socket
import threading

import pytest
from dashboard_tools import Dashboard, little, results
from database_tools import writing
from wait_tools import wait_for

APPLY = "/api/filters/apply"
# of real width, each read for every field that only documents have: with a sanitizer fewer take as long as many
READ = 40 if os.environ.get("PROFLLM_SANITIZED") else 150


def with_sixty(bin_dir, folder):
    with Dashboard(bin_dir, folder / "d.db") as one:
        one.upload("/api/upload/batch", list(results(60)))
        yield one
        if one.process.poll() is None:
            assert one.stop() == (0, "", "")


@pytest.fixture
def dashboard(bin_dir, tmp_path):
    """A dashboard for a test that changes it, or ends it."""
    yield from with_sixty(bin_dir, tmp_path)


@pytest.fixture(scope="module")
def shared(bin_dir, tmp_path_factory):
    yield from with_sixty(bin_dir, tmp_path_factory.mktemp("shared"))


def question(number):
    """A request that no other test sends."""
    return {"filter": {"field": "results.p99_ttft_ms", "op": "ge", "value": 100 + number % 60}, "facets": True, "limit": number // 60}


def bytes_of(dashboard, value, close=True):
    body = json.dumps(value).encode()
    return (f"POST {APPLY} HTTP/1.1\r\nHost: {dashboard.host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"{'Connection: close' if close else 'X: y'}\r\n\r\n").encode() + body


def connect(dashboard):
    host, port = dashboard.host.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=120)


def read_all(peer):
    came = b""
    while piece := peer.recv(65536):
        came += piece
    return came


def at_once(calls):
    results_ = [None] * len(calls)
    def run(i):
        results_[i] = calls[i]()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results_


def counted(answer):
    return {key: answer.json[key] for key in ("count", "rows", "facets")}


def test_many_ask_the_same_and_have_one_answer(dashboard):
    answers = at_once([lambda: dashboard.post(APPLY, question(3))] * 40)
    assert {answer.status for answer in answers} == {200} and len({answer.body for answer in answers}) == 1
    # in other words it is the same question, and it is still known
    again = dashboard.post(APPLY, json.dumps(dict(reversed(question(3).items())), indent=2).encode())
    assert again.body == answers[0].body
    other = dashboard.post(APPLY, question(4))
    assert other.json["count"] == answers[0].json["count"] - 1
    # and new data are another matter
    dashboard.upload("/api/upload/batch", list(results(1, first=77)))
    assert dashboard.post(APPLY, question(3)).json["count"] == answers[0].json["count"] + 1


def test_each_gets_the_response_to_its_request(shared):
    numbers = [number for number in range(48) for _ in range(2)]
    answers = at_once([lambda number=number: shared.post(APPLY, question(number)) for number in numbers])
    for number, answer in zip(numbers, answers, strict=True):
        if answer.status == 503:
            assert answer.headers["Retry-After"] == "1"
        else:
            assert answer.json["count"] == 60 - number
    assert sum(answer.status == 200 for answer in answers) > 60


def test_requests_of_one_connection_are_answered_in_their_order(shared):
    """All are sent before the first response; some take a place in the queue, some do not."""
    health = f"GET /api/health HTTP/1.1\r\nHost: {shared.host}\r\n\r\n".encode()
    wanted = list(range(8))
    with connect(shared) as peer:
        peer.sendall(b"".join(bytes_of(shared, {**question(number), "facets": []}, close=False) + health for number in wanted) +
                     bytes_of(shared, {"limit": 0}))
        came = read_all(peer)
    bodies = [json.loads(part.split(b"\r\n\r\n", 1)[1]) for part in came.split(b"HTTP/1.1 ")[1:]]
    assert [body.get("count") for body in bodies[0:-1:2]] == [60 - number for number in wanted]
    assert [body["status"] for body in bodies[1::2]] == ["ok"] * len(wanted) and bodies[-1]["count"] == 60


def test_clients_that_leave_hold_nothing_up(shared):
    rng = random.Random("leave")
    for number in range(150):
        peer = connect(shared)
        data = bytes_of(shared, question(number))
        peer.sendall(data[:rng.choice([len(data), len(data), len(data) // 2])])
        if rng.random() < 0.3:
            peer.shutdown(socket.SHUT_WR)
        if rng.random() < 0.5:  # with a reset
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        peer.close()
    for number in range(0, 60, 7):
        assert counted(shared.post(APPLY, question(number)))["count"] == 60 - number


def test_writers_that_wait_hold_no_reader_up(bin_dir, database, tmp_path):
    """Another process writes: a waiting writer gets a refusal after a while, all readers get responses."""
    db = database.new(tmp_path)
    with Dashboard(bin_dir, db) as one:
        preset = one.post("/api/filters/presets", {"name": "p"}).json["id"]
        job = one.post("/api/upload/batch", [little(number) for number in range(3)])
        assert one.job(job)["counts"]["stored"] == 3
        with writing(db):
            waiting = [connect(one) for _ in range(10)]
            for number, peer in enumerate(waiting):
                method, path, body = ("PUT", "/api/upload/artifact/small-1/trace/t", b"x") if number == 9 else \
                    ("POST", "/api/filters/presets", b'{"name": "q"}') if number == 8 else \
                    ("POST", "/api/upload/raw", json.dumps(little(number + 10)).encode())
                media = "application/json" if number == 8 else "application/octet-stream"
                peer.sendall(f"{method} {path} HTTP/1.1\r\nHost: {one.host}\r\nContent-Type: {media}\r\nContent-Length: {len(body)}\r\n"
                             "Connection: close\r\n\r\n".encode() + body)
            for path in ("/", "/api/fields", "/api/health", "/api/data/experiments", "/api/data/experiments/small-1",
                         "/api/data/experiments/small-1/artifacts", "/api/filters/presets", f"/api/filters/presets/{preset}",
                         job.json["status_url"]):
                assert one.get(path).status == 200
            assert one.post(APPLY, {"filter": {"field": "run.run_id", "op": "eq", "value": "small-2"}}).json["count"] == 1
            for peer in waiting:
                with peer:
                    head, body = read_all(peer).split(b"\r\n\r\n", 1)
                    assert head.startswith(b"HTTP/1.1 503 ") and b"\r\nRetry-After: 1\r\n" in head + b"\r\n", head
                    assert json.loads(body)["status"] == 503
        assert one.upload("/api/upload/json", little(3))["counts"]["stored"] == 1
        assert [row["run_id"] for row in one.rows()] == [f"small-{number}" for number in range(4)]
        assert len(one.get("/api/filters/presets").json["presets"]) == 1
        assert one.stop() == (0, "", "")


def test_a_stop_answers_all_that_came(dashboard):
    # some of them wait to be accepted when the signal comes
    peers = [connect(dashboard) for _ in range(60)]
    for number, peer in enumerate(peers):
        peer.sendall(bytes_of(dashboard, question(number)))
    assert dashboard.stop() == (0, "", "")
    for number, peer in enumerate(peers):
        with peer:
            came = read_all(peer)
        assert came.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 503 ")), came[:100]
        body = json.loads(came.split(b"\r\n\r\n", 1)[1])
        assert body.get("count") == 60 - number or body["detail"] == "the server is shutting down"


class Visitor(threading.Thread):
    """Sends one request per connection until the server accepts none; counts requests that got no response."""

    def __init__(self, dashboard, number):
        super().__init__(daemon=True)
        self.dashboard, self.number, self.answered, self.lost = dashboard, number, 0, []

    def run(self):
        while True:
            try:
                peer = connect(self.dashboard)
            except ConnectionRefusedError:
                return
            with peer:
                try:
                    peer.sendall(bytes_of(self.dashboard, question(self.number)))
                    came = read_all(peer)
                except OSError as fault:
                    came = repr(fault).encode()
            if came.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 503 ")):
                self.answered += 1
            else:
                self.lost.append(came[:100])


def test_a_stop_resets_no_connection(dashboard):
    """Clients connect until the end. Each gets a response, or cannot connect."""
    visitors = [Visitor(dashboard, number) for number in range(48)]
    for visitor in visitors:
        visitor.start()
    wait_for(lambda: all(visitor.answered for visitor in visitors), "all got a response")
    assert dashboard.stop() == (0, "", "")
    for visitor in visitors:
        visitor.join()
    assert not [fault for visitor in visitors for fault in visitor.lost]


def test_a_second_signal_abandons_running_work(bin_dir, tmp_path):
    """Each request names a field that only the documents contain: the server reads thousands of documents. Every request
    that was read gets an error response; the connections of the others are reset."""
    count = 60
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        one.upload("/api/upload/batch", [{**result, "tags": {f"t{j}": f"{i} {j}" for j in range(count)}} for i, result in enumerate(results(READ))])
        peers = [connect(one) for _ in range(count)]
        for number, peer in enumerate(peers):
            peer.sendall(bytes_of(one, {"limit": 0, "facets": [f"tags.t{number}"], "budget_ms": 60000}))
        assert peers[0].recv(1) == b"H"
        one.process.send_signal(signal.SIGINT)
        assert one.stop() == (0, "", "")
        came = []
        for peer in peers:
            with peer, contextlib.suppress(ConnectionResetError):
                came.append(read_all(peer))
    assert len(came) >= count // 2
    heads = [answer.split(b"\r\n", 1)[0].removeprefix(b"H") for answer in came]
    assert set(heads) <= {b"TTP/1.1 200 OK", b"TTP/1.1 503 Service Unavailable"}, heads
    assert heads.count(b"TTP/1.1 503 Service Unavailable") > 0
    for answer in came:
        body = json.loads(answer.split(b"\r\n\r\n", 1)[1])
        assert body.get("count") == READ or body["status"] == 503


def test_a_budget_excludes_unfinished_parts_and_is_not_cached(bin_dir, tmp_path):
    """The fields must be read from each document first, so the budget of a millisecond ends after the first facet."""
    fields = [f"tags.t{i}" for i in range(40)]
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        one.upload("/api/upload/batch", [{"run_id": f"r{i}", "schema_version": 1, "tags": {f"t{j}": f"{i} {j}" for j in range(40)}}
                                         for i in range(300)])
        names = []
        for path in (f"/api/filters/options?fields={','.join(fields)}&budget_ms=1", f"/api/filters/options?fields={','.join(fields)}"):
            answer = one.get(path)
            told, left = list(answer.json["options"]), answer.json["incomplete"]
            assert sorted(told + left) == sorted(fields) and told
            again = one.get(path, **{"If-None-Match": answer.headers["ETag"]})
            assert again.status == (200 if left else 304)
            names.append(left)
        assert names[1] == []
        assert one.stop() == (0, "", "")
