"""Exports: every cell as in the API, for any content; harmless in a spreadsheet; of one snapshot."""
import csv
import io
import json
import math
import random
import signal
import socket
import threading

import pytest
from dashboard_tools import Dashboard, little, results
from wait_tools import wait_for

CSV, JSON, APPLY = "/api/export/csv", "/api/export/json", "/api/filters/apply"
DANGER = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
TEXTS = ["", " ", "null", "true", "inf", "-inf", "1", "-1.5", "'", "'quoted", "''", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1",
         "\uff1dcmd", "=cmd|' /C calc'!A0", '=HYPERLINK("http://evil.example","x")', 'a "quote"', "a,b", "a;b", "a\r\nb", " blanks ", "#no comment",
         "<script>alert(1)</script>", "\u202eevil\u202c", "é\u0301", "\U0001f4a9", "x" * 300, '",=1', ";=1", "a\x1bb", "nan", "[1]", '{"a": 1}', "a,", '"']
NUMBERS = [0, -1, 0.5, 0.1, 1e-7, 1e22, 5e-324, 1.7976931348623157e308, 123456789012345.67, 1 / 3, 100.00000000000001, 2**53, 9e15, -0.1]
NONE = {"field": "run.run_id", "op": "eq", "value": "none has this"}
FIELDS = ["server.model", "server.seed", "server.quantization", "server.hf_overrides", "server.enforce_eager", "benchmark.request_rate",
          "results.mean_ttft_ms", "server.not_known_yet", "server.hf_overrides.b", "run.run_id"]


def documents():
    rng = random.Random("export")
    for i in range(240):
        server = {"model": TEXTS[i % len(TEXTS)]}
        if i % 3:
            server["seed"] = None if i % 3 == 1 else i
        if i % 4:
            server["quantization"] = rng.choice([None, rng.choice(TEXTS)])
        if i % 5:
            server["hf_overrides"] = rng.choice([None, {}, {"b": rng.choice(TEXTS), "a": [1, 2.5, None, '",=']}])
        if i % 2:
            server["enforce_eager"] = bool(i % 4 == 1)
        if i % 7 == 0:
            server["not_known_yet"] = rng.choice(TEXTS)
        yield little(i, config={"server": server, "benchmark": {"request_rate": rng.choice(["inf", "-inf", 4, 0.25])}},
                     results={"mean_ttft_ms": rng.choice([*NUMBERS, None])})


@pytest.fixture(scope="module")
def dashboard(bin_dir, database, tmp_path_factory):
    with Dashboard(bin_dir, database.new(tmp_path_factory.mktemp("db"))) as one:
        done = one.upload("/api/upload/batch", list(documents()))
        assert done["counts"]["stored"] == 240, [item for item in done["items"] if item["state"] != "stored"][:3]
        done = one.upload("/api/upload/batch", list(results(5)))
        assert done["counts"]["stored"] == 5
        yield one
        assert one.stop() == (0, "", "")


@pytest.fixture(scope="module")
def numeric(dashboard):
    """Returns the fields whose CSV cells may be numbers."""
    return {field["id"] for field in dashboard.get("/api/fields").json["fields"] if field["type"] in ("number", "count")}


def split(text):
    """Returns the header lines as a dict, and the table."""
    front = {}
    while text.startswith("# "):
        line, text = text.split("\r\n", 1)
        name, value = line[2:].split(": ", 1)
        assert name not in front
        front[name] = value
    return front, list(csv.reader(io.StringIO(text, newline=""), strict=True))


def api_rows(dashboard, **request):
    """Returns all rows of the API, page by page."""
    rows = []
    while True:
        page = dashboard.post(APPLY, {**request, "limit": 200, "offset": len(rows)}).json
        rows += page["rows"]
        if len(rows) == page["count"]:
            return rows


def text_of(cells, id_):
    """Returns a cell of CSV by the documented rules."""
    if id_ not in cells:
        return ""
    value = cells[id_]
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    if isinstance(value, str):
        return f"'{value}" if value in ("", "null") or value[0] in (*DANGER, "'") else value
    return value


def same_cell(got, wanted):
    if isinstance(wanted, str):
        return got == wanted
    return got not in ("", "null") and float(got) == wanted and math.copysign(1, float(got)) == math.copysign(1, wanted)


@pytest.mark.parametrize("request_", [
    {"columns": FIELDS}, {"columns": [], "sort": [{"field": "server.model", "dir": "desc"}]}, {"columns": ["run.run_id"] * 3},
    {"columns": FIELDS[::-1], "sort": [{"field": "results.mean_ttft_ms", "dir": "asc"}, {"field": "server.seed", "dir": "desc"}],
     "filter": {"or": [{"field": "server.quantization", "op": "is_recorded"}, {"field": "server.seed", "op": "is_null"}]}},
    {"columns": ["server.model"], "filter": NONE}])
def test_every_cell_is_the_one_of_the_api(dashboard, request_):
    rows = api_rows(dashboard, **request_)
    answer = dashboard.post(CSV, request_)
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    front, table = split(answer.body.decode())
    assert table[0] == ["id", *request_["columns"]] and front["count"] == str(len(rows))
    assert [row[0] for row in table[1:]] == [str(row["id"]) for row in rows]
    for row, line in zip(rows, table[1:], strict=True):
        assert len(line) == len(table[0])
        for id_, got in zip(table[0][1:], line[1:], strict=True):
            assert same_cell(got, text_of(row["cells"], id_)), (id_, row["cells"].get(id_), got)

    whole = dashboard.post(JSON, request_).json
    assert whole["rows"] == [{key: row[key] for key in ("id", "run_id", "cells")} for row in rows]
    assert whole["provenance"]["columns"] == request_["columns"] and whole["provenance"]["count"] == len(rows)


def test_a_column_that_is_named_twice_is_one_key(dashboard):
    def pairs_of(pairs):
        assert len(pairs) == len({key for key, _ in pairs}), pairs
        return dict(pairs)

    json.loads(dashboard.post(JSON, {"columns": ["run.run_id", "server.model", "run.run_id"]}).body, object_pairs_hook=pairs_of)


def test_numbers_are_the_same_to_the_last_bit(dashboard):
    rows = api_rows(dashboard, columns=["results.mean_ttft_ms"], filter={"field": "results.mean_ttft_ms", "op": "not_null"})
    table = split(dashboard.post(CSV, {"columns": ["results.mean_ttft_ms"], "filter": {"field": "results.mean_ttft_ms", "op": "not_null"}})
                  .body.decode())[1][1:]
    seen = set()
    for row, (_, text) in zip(rows, table, strict=True):
        value = row["cells"]["results.mean_ttft_ms"]
        assert float(text) == value and len(text) <= len(repr(float(value)))
        seen.add(value)
    assert seen == {0, *NUMBERS, *{row["cells"]["results.mean_ttft_ms"] for row in rows}}


def test_all_columns_that_one_of_the_rows_has(dashboard):
    for filter_ in ({"not": NONE}, {"field": "run.run_id", "op": "starts_with", "value": "small"}, NONE):
        rows = api_rows(dashboard, filter=filter_)
        recorded = set().union(*(row["cells"] for row in rows)) if rows else set()
        order = [field["id"] for field in dashboard.get("/api/fields").json["fields"] if field["column"]]
        wanted = [id_ for id_ in order if id_ in recorded]
        for request in ({"filter": filter_}, {"filter": filter_, "columns": None}):
            assert split(dashboard.post(CSV, request).body.decode())[1][0] == ["id", *wanted]
            whole = dashboard.post(JSON, request).json
            assert whole["provenance"]["columns"] == wanted and [row["cells"] for row in whole["rows"]] == [row["cells"] for row in rows]


def test_it_describes_its_subject(dashboard):
    request = {"filter": {"field": "server.model", "op": "ne", "value": 'a",;=1+1\n\\"'}, "sort": [{"field": "run.run_id", "dir": "asc"}],
               "columns": ["run.run_id"], "link": "http://localhost/?f=1,=2;@3"}
    answer = dashboard.post(CSV, request)
    front, _ = split(answer.body.decode())
    count = dashboard.post(APPLY, {"filter": request["filter"], "limit": 0}).json
    assert list(front) == ["program", "exported_at", "data_version", "count", "filter", "sort", "link"]
    assert json.loads(front["filter"]) == request["filter"] and json.loads(front["sort"]) == request["sort"]
    assert front["link"] == "http://localhost/?f=1%2C=2%3B@3" and front["program"].startswith("profllm-dashboard ")
    assert int(front["count"]) == count["count"] and int(front["data_version"]) == count["data_version"]
    stamp = front["exported_at"][:19].replace("-", "").replace(":", "").replace("T", "-")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="profllm-results-{stamp}.csv"'

    whole = dashboard.post(JSON, request)
    said = whole.json["provenance"]
    assert {key: said[key] for key in ("filter", "sort", "columns", "link")} == {key: request[key] for key in ("filter", "sort", "columns", "link")}
    assert (said["count"], said["data_version"]) == (count["count"], count["data_version"])
    assert whole.headers["Content-Disposition"].endswith('.json"')

    bare = {**request, "provenance": False}
    assert dashboard.post(CSV, bare).body.startswith(b"id,run.run_id\r\n") and set(dashboard.post(JSON, bare).json) == {"rows"}
    nothing = split(dashboard.post(CSV, {"columns": []}).body.decode())[0]
    assert (nothing["filter"], nothing["sort"], nothing["link"]) == ("null", "[]", "")


def test_no_cell_is_a_formula(dashboard, numeric):
    """No cell starts a formula, for a correct reader, nor for a spreadsheet that splits a header line at every comma or
    semicolon."""
    request = {"columns": FIELDS, "filter": {"field": "server.model", "op": "not_in", "value": ["x,=1", "x;=1", "\",=1", "=1", "-1", "\"\"=1"]},
               "link": "http://localhost/?a=,=1;@2"}
    text = dashboard.post(CSV, request).body.decode()
    front, table = split(text)
    for line in table[1:]:
        for id_, cell in zip(table[0][1:], line[1:], strict=True):
            assert not cell.startswith(DANGER) or (id_ in numeric and math.isfinite(float(cell))), (id_, cell)
    for line in text.split("\r\n")[:len(front)]:
        assert all(not piece.removeprefix('"').startswith(DANGER) for piece in line.replace(";", ",").split(","))


def test_faults_are_reported_before_anything_is_sent(dashboard):
    for path in (CSV, JSON):
        for request, pointer in (({"columns": ["run.name", "run.nmae"]}, "/columns/1"), ({"sort": [{"field": "run.nmae", "dir": "asc"}]}, "/sort/0/field"),
                                 ({"filter": {"field": "run.nmae", "op": "is_null"}}, "/filter/field"), ({"link": "a\nb"}, "/link"),
                                 ({"link": "a\n"}, "/link"), ({"limit": 5}, ""), ({"columns": "run.name"}, "/columns")):
            problem = dashboard.post(path, request)
            assert problem.status == 422 and problem.json["pointer"] == pointer


def open_slowly(dashboard, version="1.1"):
    """Opens a connection and starts a response that is larger than the kernel's buffers, without reading it."""
    host, port = dashboard.host.rsplit(":", 1)
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.connect((host, int(port)))
    peer.sendall(f"POST {JSON} HTTP/{version}\r\nHost: {dashboard.host}\r\nContent-Type: application/json\r\n"
                 f"Content-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
    return peer, peer.recv(512)


@pytest.fixture(scope="module")
def wide(bin_dir, tmp_path_factory):
    """A database with some 8 MB of JSON, more than a socket buffers (tcp_wmem)."""
    db = tmp_path_factory.mktemp("wide") / "d.db"
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/batch", list(results(250)))["counts"]["stored"] == 250
        assert one.stop() == (0, "", "")
    return db


@pytest.mark.release_only  # exports that are long enough to change something meanwhile
def test_it_is_of_one_moment(bin_dir, wide):
    with Dashboard(bin_dir, wide) as one:
        version = one.get("/api/health").json["data_version"]
        peer, came = open_slowly(one)
        # more results are added, and the response of a later request includes them
        one.upload("/api/upload/batch", list(results(20, first=500)))
        assert split(one.post(CSV, {"columns": []}).body.decode())[0]["count"] == "270"
        with peer:
            while piece := peer.recv(65536):
                came += piece
        head, body = came.split(b"\r\n\r\n", 1)
        assert b"200 OK" in head and b"chunked" in head
        parts = []
        while body:
            size, body = body.split(b"\r\n", 1)
            parts.append(body[:int(size, 16)])
            body = body[int(size, 16) + 2:]
        text = b"".join(parts)
        assert len(text) > 6 << 20 and parts[-1] == b""
        whole = json.loads(text)
        assert (whole["provenance"]["count"], whole["provenance"]["data_version"], len(whole["rows"])) == (250, version, 250)
        assert one.stop() == (0, "", "")


def test_clients_that_leave_hold_nothing_up(bin_dir, wide):
    with Dashboard(bin_dir, wide) as one:
        for _ in range(20):
            peer, came = open_slowly(one)
            assert came.startswith(b"HTTP/1.1 200")
            peer.close()
        assert one.get("/api/health").json["status"] == "ok"
        assert one.stop() == (0, "", "")


def read_to_the_end(peer):
    came = b""
    while piece := peer.recv(65536):
        came += piece
    return came


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_client_that_does_not_read_on_holds_no_end_up(bin_dir, wide, version):
    """After a stop request, the server does not wait for clients; a client with half a file notices, also with HTTP 1.0."""
    with Dashboard(bin_dir, wide) as one:
        peer, came = open_slowly(one, version)
        with peer:
            assert came.startswith(b"HTTP/1.1 200")
            one.process.send_signal(signal.SIGINT)
            assert one.stop() == (0, "", "")
            with pytest.raises(ConnectionResetError):
                read_to_the_end(peer)


def test_the_number_at_a_time_is_limited(bin_dir, wide):
    """Each response is a snapshot of the results."""
    with Dashboard(bin_dir, wide) as one:
        peers = [open_slowly(one) for _ in range(16)]
        try:
            assert all(came.startswith(b"HTTP/1.1 200") for _, came in peers)
            refused = one.post(CSV, {"columns": []})
            assert refused.status == 503 and refused.headers["Retry-After"] == "5" and "16 downloads" in refused.json["detail"]
            assert one.post(APPLY, {"limit": 1}).status == 200
            peers.pop()[0].close()
            wait_for(lambda: one.post(CSV, {"columns": []}).status == 200, "there is room for another one")
            # what is refused for its own sake takes no room
            assert {one.post(CSV, {"columns": ["run.nmae"]}).status for _ in range(20)} == {422}
            assert one.post(CSV, {"columns": []}).status == 200
        finally:
            for peer, _ in peers:
                peer.close()
        wait_for(lambda: one.post(CSV, {"columns": []}).status == 200, "there is room")
        assert one.stop() == (0, "", "")


def test_many_at_a_time(dashboard):
    request = {"columns": FIELDS, "provenance": False}
    wanted, got = dashboard.post(CSV, request).body, []
    threads = [threading.Thread(target=lambda: got.append(dashboard.post(CSV, request).body)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [wanted] * 12
