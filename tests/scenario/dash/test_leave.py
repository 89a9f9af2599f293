"""Requests of a client that left are dropped, or abandoned while they are computed, unless another client sends the same."""
import contextlib
import json
import shutil
import socket
import sqlite3

import pytest
from dashboard_tools import Dashboard, results
from wait_tools import wait_for

APPLY = "/api/filters/apply"
FIELDS = 48
ROWS = 260  # the index has the names of fields for at least 256 results
RESET = b"\1\0\0\0\0\0\0\0"


def with_fields(result, fields):
    """Adds arguments of an unknown release: they are fields without columns."""
    return {**result, "config": {**result["config"], "server": {**result["config"]["server"], **fields}}}


@pytest.fixture(scope="module")
def store(bin_dir, tmp_path_factory):
    """A database of results with many fields of their own."""
    folder = tmp_path_factory.mktemp("store")
    with Dashboard(bin_dir, folder / "d.db") as one:
        one.upload("/api/upload/batch", [with_fields(result, {f"t{j}": f"{i} {j}" for j in range(FIELDS)}) for i, result in enumerate(results(ROWS))])
        assert one.stop() == (0, "", "")
    # without their index, the fields are read from the documents: slow enough that a client can leave meanwhile
    with contextlib.closing(sqlite3.connect(folder / "d.db")) as db, db:
        db.execute("UPDATE field_rows SET bytes = x'00'")
        db.execute("UPDATE field_chunks SET bytes = x'00'")
    return folder


@pytest.fixture
def dashboard(bin_dir, store, tmp_path):
    """A dashboard of a copy; the fields are read from every document at the first request."""
    shutil.copytree(store, tmp_path, dirs_exist_ok=True)
    with Dashboard(bin_dir, tmp_path / "d.db", "--verbose") as one:
        yield one


def question(*numbers):
    return {"limit": 0, "facets": [f"server.t{number}" for number in numbers], "budget_ms": 60000}


def ask(dashboard, value, behind=b""):
    """Opens a connection and sends the request, optionally followed by more bytes."""
    host, port = dashboard.host.rsplit(":", 1)
    peer = socket.create_connection((host, int(port)), timeout=120)
    body = json.dumps(value).encode()
    peer.sendall((f"POST {APPLY} HTTP/1.1\r\nHost: {dashboard.host}\r\nContent-Type: application/json\r\n"
                  f"Content-Length: {len(body)}\r\n\r\n").encode() + body + behind)
    return peer


def end(dashboard):
    """Returns the outcome of each request in its log, in the order in which they finished."""
    code, out, err = dashboard.stop()
    assert (code, out) == (0, "")
    return [line.split(APPLY)[1].split(" in ")[0].strip() for line in err.splitlines() if APPLY in line]


def answer_of(peer):
    came = b""
    while b"\r\n\r\n" not in came or b"data_version" not in came:
        piece = peer.recv(65536)
        assert piece, came
        came += piece
    assert came.startswith(b"HTTP/1.1 200 ")
    return came


@pytest.mark.parametrize("how", ["closed", "reset", "half"])
def test_requests_of_clients_that_left_are_not_computed(dashboard, how):
    peers = [ask(dashboard, question(number)) for number in range(FIELDS - 1)]
    dashboard.get("/api/health")
    for peer in peers:
        if how == "reset":
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        if how == "half":
            peer.shutdown(socket.SHUT_WR)
        else:
            peer.close()
    assert dashboard.post(APPLY, question(FIELDS - 1)).json["count"] == ROWS
    if how == "half":  # no answer comes to one that has closed its side
        assert {peer.recv(100) for peer in peers} == {b""}
        for peer in peers:
            peer.close()
    ends = end(dashboard)
    # if the reset arrives before the request was read, the log has no line
    assert how == "reset" or len(ends) == FIELDS
    assert sum(said.startswith("200 ") for said in ends) == 1
    assert any("which was canceled" in said for said in ends) and any("which was not started" in said for said in ends)
    # before its client could leave
    assert sum("which was complete" in said for said in ends) <= len(ends) // 4


def test_an_equal_request_gets_the_response_of_an_abandoned_one(dashboard):
    everything = question(*range(FIELDS))
    first = ask(dashboard, everything)
    second = ask(dashboard, everything)
    first.close()
    with second:
        came = answer_of(second)
    assert came.count(b'"server.t') == FIELDS
    # the log may mention the client that left after the other one
    assert sorted(said[:4] for said in end(dashboard)) == ["200 ", "disc"]


def test_an_abandoned_request_is_repeated(dashboard):
    everything = question(*range(FIELDS))
    for _ in range(3):
        ask(dashboard, everything).close()
    with ask(dashboard, everything) as last:
        assert answer_of(last).count(b'"server.t') == FIELDS
    assert sum(said.startswith("200 ") for said in end(dashboard)) == 1


def test_a_client_with_a_next_request_has_not_left(dashboard):
    health = f"GET /api/health HTTP/1.1\r\nHost: {dashboard.host}\r\nConnection: close\r\n\r\n".encode()
    with ask(dashboard, question(*range(FIELDS)), behind=health) as peer:
        came = b""
        while piece := peer.recv(65536):
            came += piece
    assert came.count(b"HTTP/1.1 200 ") == 2 and came.count(b'"server.t') == FIELDS
    assert end(dashboard)[0].startswith("200 ")


def test_clients_that_left_take_no_room_in_the_queue(dashboard):
    """More clients than the queue holds send requests and leave, three times: later clients get a response, not a refusal."""
    for number in range(3):
        peers = [ask(dashboard, {**question(i % FIELDS), "limit": number + 1, "offset": i}) for i in range(60)]
        for peer in peers:
            peer.close()
    answers = []
    def asked():
        answers.append(dashboard.post(APPLY, question(0)).status)
        return answers[-1] == 200
    wait_for(asked, "an answer", seconds=60)
    assert len(answers) == 1
    end(dashboard)
