"""profllm-dashboard as an HTTP server: its responses follow api/openapi.yaml, whatever is sent."""
import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import quote

import jsonschema
import pytest
from dashboard_tools import CONTRACT, GOOD, Dashboard, faults_of, little, resolved, results
from field_tools import expected
from run_tools import PATIENCE, environment
from test_fields import is_same
from test_schema_check import mutated
from validate_tools import pointer

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("db") / "d.db") as one:
        done = one.upload("/api/upload/batch", list(results(3)))
        assert done["counts"]["stored"] == 3
        yield one
        assert one.stop() == (0, "", "")


def talk(dashboard, data, shut=True):
    """Sends these bytes; returns the response bytes up to the end of the connection."""
    host, port = dashboard.host.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=60 * PATIENCE) as peer:
        peer.sendall(data)
        if shut:
            peer.shutdown(socket.SHUT_WR)
        came = b""
        try:
            while piece := peer.recv(65536):
                came += piece
        except ConnectionResetError:
            pass
    return came


def test_the_contract_is_well_formed():
    """The examples fit their schemas, and every $ref has a target."""
    def walk(part):
        if isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                assert resolved(part)
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)
    walk(CONTRACT)
    for name, schema in CONTRACT["components"]["schemas"].items():
        for example in schema.get("examples", []):
            assert faults_of({"$ref": f"#/components/schemas/{name}"}, example) == []


def test_rows_and_contract_go_together(source_dir):
    rows = re.findall(r'^ROUTE\("(\w+)", "([^"]+)"', (source_dir / "src/tbl/routes.h").read_text(), re.M)
    assert rows and len(set(rows)) == len(rows)
    assert set(rows) == {(method.upper(), path) for path, operations in CONTRACT["paths"].items() for method in operations}


def request_schemas():
    """Returns (schema, a valid request) of each checked body and of each query, with $refs turned into $defs."""
    def turned(part):
        """Returns the schema with all schemas that it refers to: responses have keywords that requests do not need."""
        schemas, left = {}, [json.dumps(part)]
        while left:
            for name in re.findall('"#/components/schemas/([^"]+)"', left.pop()):
                if name not in schemas:
                    schemas[name] = CONTRACT["components"]["schemas"][name]
                    left.append(json.dumps(schemas[name]))
        return json.loads(json.dumps({**part, "$defs": schemas}).replace("#/components/schemas/", "#/$defs/"))
    def body(path):
        return turned(CONTRACT["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"])
    tree = CONTRACT["components"]["schemas"]["Filter"]["examples"][0]
    sort = [{"field": "run.name", "dir": "asc"}, {"field": "run.suite", "dir": "desc"}]
    columns = ["run.name", "run.suite"]
    yield body("/api/filters/apply"), {"filter": tree, "sort": sort, "columns": columns, "limit": 3, "offset": 0,
                                       "facets": ["run.name"], "metrics": ["results.p99_ttft_ms"], "cursor": "x", "budget_ms": 5}
    yield turned({"$ref": "#/components/schemas/Filter"}), tree
    yield body("/api/upload/batch"), [{"run_id": "x"}]
    yield body("/api/filters/presets"), {"name": "n", "description": "d", "filter": tree, "sort": sort, "columns": columns,
                                         "chart": {"x": "run.name"}, "is_default": True}
    yield body("/api/views"), {"state": "a=b%20c"}
    yield body("/api/export/csv"), {"filter": tree, "sort": sort, "columns": columns, "provenance": True, "link": "http://localhost/?a=b"}
    for path, query in (("/api/filters/options", {"fields": "a,b", "filter": tree, "search": "x", "limit": 5, "budget_ms": 5}),
                        ("/api/filters/values", {"field": "a", "filter": tree, "search": "x", "limit": 5, "offset": 1}),
                        ("/api/data/experiments", {"limit": 5, "offset": 1, "sort": "-a", "columns": "a,b", "filter": tree, "cursor": "x"})):
        members = [resolved(one) for one in CONTRACT["paths"][path]["get"]["parameters"]]
        schemas = {one["name"]: one.get("schema") or one["content"]["application/json"]["schema"] for one in members}
        assert set(schemas) == set(query)
        required = [one["name"] for one in members if one.get("required")]
        yield turned({"type": "object", "properties": schemas, "required": required, "additionalProperties": False}), query


@pytest.mark.release_only  # the check is walked by its own tests and a fuzz target
def test_requests_are_judged_as_by_jsonschema(bin_dir):
    """Compares verdicts and pointers for randomly broken requests."""
    rng = random.Random("requests")
    cases = [(schema, document) for schema, good in request_schemas()
             for document in (good, *(mutated(rng, good) for _ in range(1000 if LONG else 100)))]
    asked = "".join(json.dumps({"schema": schema, "document": document}) + "\n" for schema, document in cases)
    done = subprocess.run([bin_dir.parent / "tests/schema_driver"], input=asked, capture_output=True, text=True, check=True)
    wrong = 0
    for (schema, document), line in zip(cases, done.stdout.splitlines(), strict=True):
        wanted = {pointer(fault.absolute_path) for fault in jsonschema.Draft202012Validator(schema).iter_errors(document)}
        said = json.loads(line)
        assert said.get("fits") == (not wanted) and set(said["pointers"]) == wanted, (document, said)
        wrong += bool(wanted)
    assert len(cases) // 4 < wrong < len(cases)


def test_the_contract_is_served_as_it_is(dashboard, source_dir):
    answer = dashboard.get("/api/openapi.yaml")
    assert answer.status == 200 and answer.body == (source_dir / "api/openapi.yaml").read_bytes()


def test_each_data_route_answers(dashboard):
    health = dashboard.get("/api/health").json
    assert health["status"] == "ok" and health["total"] == 3 and health["data_version"] > 0
    assert len(dashboard.get("/api/fields").json["fields"]) > 1000
    page = dashboard.post("/api/filters/apply", {"columns": ["results.p99_ttft_ms"], "facets": ["run.status"],
                                                 "sort": [{"field": "results.p99_ttft_ms", "dir": "desc"}]}).json
    assert [row["cells"] for row in page["rows"]] == [{"results.p99_ttft_ms": 102.0}, {"results.p99_ttft_ms": 101.0},
                                                      {"results.p99_ttft_ms": 100.0}]
    assert (page["count"], page["total"], list(page["facets"])) == (3, 3, ["run.status"])
    same = dashboard.get("/api/data/experiments?sort=-results.p99_ttft_ms&columns=results.p99_ttft_ms&limit=2&offset=1").json
    assert same["rows"] == page["rows"][1:] and same["count"] == 3
    filter_ = quote(json.dumps({"field": "results.p99_ttft_ms", "op": "ge", "value": 101}))
    options = dashboard.get(f"/api/filters/options?fields=run.status,run.run_id&filter={filter_}&search=000002").json
    assert options["count"] == 2 and list(options["options"]) == ["run.status", "run.run_id"]
    assert [one["value"] for one in options["options"]["run.run_id"]["values"]] == ["exp_20260101_000000_000002"]


def test_pages_by_a_cursor(dashboard):
    filter_ = {"field": "results.p99_ttft_ms", "op": "not_null"}
    whole = dashboard.post("/api/filters/apply", {"filter": filter_, "sort": [{"field": "results.p99_ttft_ms", "dir": "desc"}], "columns": []}).json
    rows, more = [], ""
    while True:
        page = dashboard.get(f"/api/data/experiments?filter={quote(json.dumps(filter_))}&sort=-results.p99_ttft_ms&columns=run.name&limit=1{more}").json
        rows += [row["id"] for row in page["rows"]]
        if page["next_cursor"] is None:
            break
        more = "&cursor=" + quote(page["next_cursor"])
    assert rows == [row["id"] for row in whole["rows"]] and len(rows) == whole["count"] >= 3
    problem = dashboard.get(f"/api/data/experiments?sort=results.p99_ttft_ms{more}")
    assert problem.status == 422 and problem.json["pointer"] == "/cursor"


def test_one_experiment_by_id_and_by_run_id(dashboard):
    row = dashboard.rows()[1]
    one = dashboard.get(f"/api/data/experiments/{row['id']}").json
    assert one == dashboard.get(f"/api/data/experiments/{row['run_id']}").json
    assert one["run_id"] == row["run_id"] and one["form"] == "native" and one["verdict"] == row["verdict"]
    assert one["verdict_sentence"].count("\n") == 2 and "1 request failed" in one["verdict_sentence"]
    assert one["document"]["results"]["p99_ttft_ms"] == 101.0
    raw = dashboard.get(f"/api/data/experiments/{row['id']}/raw")
    assert raw.headers["Content-Disposition"].startswith("attachment; filename=")
    assert json.loads(raw.body) == one["document"]
    for path in ("/api/data/experiments/999999", "/api/data/experiments/exp_none", "/api/data/experiments/0/raw",
                 "/api/upload/status/99999", "/api/upload/status/x", "/api/data/experiments/99999999999999999999"):
        assert dashboard.get(path).status == 404


def test_every_leaf_of_a_result_is_a_field_of_the_api(dashboard):
    fields = {row["id"]: row for row in dashboard.get("/api/fields").json["fields"]}
    one = dashboard.get(f"/api/data/experiments/{GOOD['run_id']}")
    assert one.status == 404
    told = dashboard.get("/api/data/experiments/exp_20260101_000000_000000").json
    wanted = dict(expected(told["document"], fields))
    assert len(wanted) > 900
    none = {"state": "not_recorded", "value": None}
    assert {id_: (told["fields"].get(id_), value) for id_, value in wanted.items()
            if not is_same(told["fields"].get(id_, none), value)} == {}


@pytest.mark.parametrize("path, nearest", [("/api/helth", "/api/health"), ("/api/filter/apply", "/api/filters/apply"),
                                           ("/api", None), ("/api/upload/jsno", "/api/upload/json")])
def test_an_unknown_path_gets_the_nearest_one(dashboard, path, nearest):
    problem = dashboard.get(path)
    assert problem.status == 404 and problem.headers["Content-Type"] == "application/problem+json"
    assert problem.json.get("nearest") == nearest and problem.json["instance"] == path


@pytest.mark.parametrize("method, path, allow", [("POST", "/api/health", "GET, HEAD"), ("GET", "/api/filters/apply", "POST"),
                                                 ("PUT", "/api/data/experiments/1", "GET, HEAD, PATCH, DELETE"), ("PUT", "/", "GET, HEAD"),
                                                 ("OPTIONS", "/api/upload/json", "POST")])
def test_another_method_gets_the_allowed_ones(dashboard, method, path, allow):
    answer = dashboard.ask(method, path, check=False)
    assert answer.status == 405 and answer.headers["Allow"] == allow


def test_head_is_a_get_without_its_body(dashboard):
    for path in ("/api/health", "/api/data/experiments", "/"):
        answer = dashboard.ask("HEAD", path)
        assert answer.status == 200 and answer.body == b"" and int(answer.headers["Content-Length"]) > 0


def test_every_answer_has_the_security_headers(dashboard):
    for path in ("/", "/api/health", "/api/nothing", "/experiments/7", "/nothing.js"):
        headers = dashboard.get(path).headers
        assert headers["Content-Security-Policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in headers


def test_the_page_is_at_each_of_its_routes(dashboard):
    index = dashboard.get("/")
    assert index.status == 200 and index.headers["Content-Type"] == "text/html; charset=utf-8"
    assert dashboard.get("/experiments/7?x=1").body == index.body
    assert dashboard.get("/nothing.js").status == 404
    assert dashboard.get("/", **{"If-None-Match": index.headers["ETag"]}).status == 304


def test_tags_change_with_the_data(dashboard):
    paths = ("/api/data/experiments", "/api/filters/options?fields=run.status", f"/api/data/experiments/{dashboard.ids()[0]}")
    tags = {path: dashboard.get(path).headers["ETag"] for path in paths}
    for path, tag in tags.items():
        again = dashboard.get(path, **{"If-None-Match": f'"other", {tag}'})
        assert again.status == 304 and again.body == b"" and again.headers["ETag"] == tag
        assert dashboard.get(path, **{"If-None-Match": '"other"'}).status == 200
    assert dashboard.upload("/api/upload/json", little(77))["counts"]["stored"] == 1
    for path, tag in tags.items():
        again = dashboard.get(path, **{"If-None-Match": tag})
        assert again.status == 200 and again.headers["ETag"] != tag
    # If-None-Match does not hide a missing resource or an invalid request
    tag = dashboard.get("/api/data/experiments").headers["ETag"]
    for given in ("*", tag):
        assert dashboard.get("/api/data/experiments/9999", **{"If-None-Match": given}).status == 404
        assert dashboard.get("/api/data/experiments?limit=oops", **{"If-None-Match": given}).status == 422
    assert dashboard.get("/api/data/experiments", **{"If-None-Match": "*"}).status == 304
    # nor is the answer to another question
    assert dashboard.get("/api/data/experiments?limit=1", **{"If-None-Match": tag}).status == 200
    fields = dashboard.get("/api/fields").headers["ETag"]
    assert dashboard.get("/api/fields", **{"If-None-Match": fields}).status == 304


def unpacked(answer):
    """Returns the decompressed body."""
    name = answer.headers["Content-Encoding"]
    command = {None: ["cat"], "gzip": ["gzip", "-dc"], "zstd": ["zstd", "-dqc"]}[name]
    return subprocess.run(command, input=answer.body, stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.parametrize("path", ["/api/fields", "/api/filters/options", "/api/data/experiments/1"])
def test_json_is_compressed_as_the_client_asks(dashboard, path):
    plain = dashboard.get(path)
    assert plain.headers["Content-Encoding"] is None and plain.headers["Vary"] == "Accept-Encoding"
    for accept, coding in (("gzip", "gzip"), ("zstd", "zstd"), ("gzip, deflate, br, zstd", "zstd"), ("gzip;q=1.0, zstd;q=0.5", "gzip"),
                           ("zstd;q=0, *", "gzip"), ("gzip;q=0", None), ("deflate", None), ("*;q=0", None)):
        # twice: the second may be one that was kept
        for _ in range(2):
            answer = dashboard.ask("GET", path, headers={"Accept-Encoding": accept}, check=False)
            assert (answer.status, answer.headers["Content-Encoding"], answer.headers["Vary"]) == (200, coding, "Accept-Encoding"), accept
            assert coding is None or len(answer.body) < len(plain.body) / 3
            assert unpacked(answer) == plain.body and int(answer.headers["Content-Length"]) == len(answer.body)
            assert answer.headers["ETag"] == plain.headers["ETag"]
    head = dashboard.ask("HEAD", path, headers={"Accept-Encoding": "zstd"}, check=False)
    assert head.headers["Content-Encoding"] == "zstd" and head.body == b""
    same = dashboard.ask("GET", path, headers={"Accept-Encoding": "gzip", "If-None-Match": plain.headers["ETag"]})
    assert (same.status, same.body, same.headers["Content-Encoding"]) == (304, b"", None)


def test_small_bodies_and_other_types_are_not_compressed(dashboard):
    for path in ("/api/health", "/api/data/experiments/99", "/api/data/experiments/1/raw"):
        answer = dashboard.ask("GET", path, headers={"Accept-Encoding": "gzip, zstd"}, check=False)
        assert answer.headers["Content-Encoding"] is None, path


def test_clients_of_every_coding_share_one_answer(dashboard):
    """Clients request the same new data at once: each gets it in its own encoding."""
    path = "/api/filters/options?fields=" + quote("results.p99_ttft_ms,server.model,run.name,results.output_throughput,server.dtype")
    codings = ["gzip", "zstd", "identity", "gzip;q=0.1, zstd"] * 6
    answers = [None] * len(codings)

    def ask(i):
        answers[i] = dashboard.ask("GET", path, headers={"Accept-Encoding": codings[i]}, check=False)
    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(codings))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({json.dumps({**json.loads(unpacked(answer)), "elapsed_ms": 0}) for answer in answers}) == 1
    assert {answer.headers["Content-Encoding"] for answer in answers} == {"gzip", "zstd", None}



@pytest.mark.parametrize("host, status", [
    ("localhost", 200), ("LOCALHOST:80", 200), ("127.0.0.1:9", 200), ("127.9.9.9", 200), ("[::1]:5", 200), ("[0:0:0:0:0:0:0:1]", 200),
    ("evil.example", 403), ("evil.example:8421", 403), ("localhost.evil.example", 403), ("127.0.0.1.evil.example", 403),
    ("127.0.0.1@evil.example", 403), ("10.0.0.1", 403), ("[::2]", 403), ("[::1", 403), ("localhost:x", 403), ("", 403), ("0x7f.1", 403)])
def test_only_names_of_the_loopback_are_answered(dashboard, host, status):
    came = talk(dashboard, f"GET /api/health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode(), shut=False)
    assert int(came.split()[1]) == status


def test_two_hosts_or_none_are_refused(dashboard):
    for head in ("", "Host: localhost\r\nHost: localhost\r\n"):
        came = talk(dashboard, f"GET /api/health HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode())
        assert came.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("heads", ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2\r\ncontent-length: 40",
                                   "Content-Length: 2\r\nTransfer-Encoding: chunked"])
def test_a_body_with_two_ends_is_refused(dashboard, heads):
    """Nothing after the head is read, neither as a body nor as a request."""
    smuggled = f"GET /api/health HTTP/1.1\r\nHost: {dashboard.host}\r\n\r\n"
    came = talk(dashboard, f"POST /api/filters/apply HTTP/1.1\r\nHost: {dashboard.host}\r\nContent-Type: application/json\r\n"
                           f"{heads}\r\n\r\n{{}}{smuggled}".encode())
    assert came.startswith(b"HTTP/1.1 400 ") and came.count(b"HTTP/1.1 ") == 1
    assert b"application/problem+json" in came and b"expected exactly one" in came and b"Connection: close" in came


def test_changes_from_other_sites_are_refused(dashboard):
    own = dashboard.url
    for origin, status in ((own, 200), (own.replace("http", "https"), 200), ("http://evil.example", 403), ("null", 403),
                           ("http://localhost:1", 403), (f"{own}.evil.example", 403), ("", 403)):
        answer = dashboard.post("/api/filters/apply", {}, Origin=origin)
        assert answer.status == status, origin
    assert dashboard.get("/api/health", Origin="http://evil.example").status == 200


def test_changes_from_pages_of_other_origins_are_refused(dashboard):
    """Browsers send Sec-Fetch-Site also without Origin."""
    for site, status in (("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403), ("", 403), ("SAME-ORIGIN", 403)):
        answer = dashboard.post("/api/filters/apply", {}, **{"Sec-Fetch-Site": site})
        assert answer.status == status, site
    assert dashboard.get("/api/health", **{"Sec-Fetch-Site": "cross-site"}).status == 200


@pytest.mark.parametrize("query, pointer", [
    ("limit=201", "/limit"), ("limit=a", "/limit"), ("limit=-1", "/limit"), ("limit=1.5", "/limit"), ("offset=9999999999999", "/offset"),
    ("sort=", "/sort/0"), ("columns=run.nmae", "/columns/0"), ("sort=run.name,-results.p99_ttft_m", "/sort/1/field"), ("lmit=1", "")])
def test_a_query_is_checked_by_the_contract(dashboard, query, pointer):
    problem = dashboard.get(f"/api/data/experiments?{query}")
    assert problem.status == 422 and problem.json["pointer"] == pointer
    nearest = {"columns=run.nmae": "run.name", "sort=run.name,-results.p99_ttft_m": "results.p99_ttft_ms", "lmit=1": "limit"}
    if query in nearest:
        assert problem.json["nearest"] == nearest[query]


@pytest.mark.parametrize("target", ["/api/health?%", "/api/health?a=%f", "/api/%zz", "/api/%00", "/api/health?a=%00", "/%ff",
                                    "/api/data/experiments?limit=1&limit=2", "/api/filters/options?filter={", "http://localhost/api/health",
                                    "/api/data/experiments?" + "&".join(f"a{i}=1" for i in range(101))])
def test_a_target_that_cannot_be_read_is_refused(dashboard, target):
    came = talk(dashboard, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert came.startswith(b"HTTP/1.1 400"), came[:200]


BODIES = {
    "cut": (b'{"filter": ', 400, {"line": 1}),
    "not UTF-8": (b'{"a":\n "\xff"}', 400, {"line": 2}),
    "NaN": (b'{"limit": NaN}', 400, {"line": 1, "column": 13}),
    "infinite": (b'{"limit": 1e999}', 400, {"line": 1}),
    "twice the same key": (b'{"limit": 1,\n"limit": 2}', 400, {"line": 2}),
    "behind the end": (b"{} {}", 400, {"line": 1}),
    "a NUL": (b'{"\\u0000": 1}', 400, {"line": 1}),
    "half of a pair": (b'{"a": "\\ud800"}', 400, {"line": 1}),
    "deep": (b"[" * 100_000, 400, {"line": 1}),
    "empty": (b"", 400, {"line": 1}),
    "a list": (b"[]", 422, {"pointer": ""}),
    "null": (b"null", 422, {"pointer": ""}),
    "unknown key": (b'{"fliter": {}}', 422, {"pointer": "", "nearest": "filter"}),
    "unknown operator": (b'{"filter": {"and": [{"field": "run.name", "op": "eqq", "value": 1}]}}', 422,
                         {"pointer": "/filter/and/0/op", "nearest": "eq"}),
    "unknown field": (b'{"filter": {"not": {"field": "server.tensor_paralel_size", "op": "eq", "value": 1}}}', 422,
                      {"pointer": "/filter/not/field", "nearest": "server.tensor_parallel_size"}),
    "another type": (b'{"filter": {"field": "results.p99_ttft_ms", "op": "lt", "value": "much"}}', 422, {"pointer": "/filter/value"}),
    "empty list": (b'{"filter": {"field": "run.name", "op": "in", "value": []}}', 422, {"pointer": "/filter/value"}),
    "too deep": (b'{"filter": ' + b'{"not":' * 40 + b'{"field":"run.name","op":"is_null"}' + b"}" * 41, 422, {}),
    "much too deep": (b'{"filter": ' + b'{"not":' * 1000 + b'{"field":"run.name","op":"is_null"}' + b"}" * 1001, 422, {}),
    "too many": (json.dumps({"filter": {"or": [{"field": "run.name", "op": "is_null"}] * 1001}}).encode(), 422, {}),
    "rows": (b'{"limit": 201}', 422, {"pointer": "/limit", "found": "201"}),
    "sort": (b'{"sort": [{"field": "run.name"}]}', 422, {"pointer": "/sort/0"}),
}


@pytest.mark.parametrize("name", BODIES)
def test_hostile_bodies_are_reported_with_their_location(dashboard, name):
    body, status, told = BODIES[name]
    problem = dashboard.post("/api/filters/apply", body)
    assert problem.status == status, problem.body[:500]
    assert {key: problem.json.get(key) for key in told} == told
    assert "pointer" in problem.json or "line" in problem.json


def test_request_values_are_text_in_responses(dashboard):
    """Script tags, right-to-left marks, control characters and 300 characters are returned as JSON text, in one line."""
    for text in ('<script>alert("x")</script>', "\u202eevil\u202c", "x" * 300, "a\r\nSet-Cookie: b=1", "\x1b[31m", "\U0001f4a9", "'\"&<>"):
        path = "/api/" + quote(text)
        answer = dashboard.get(path)
        assert answer.status == 404 and answer.headers["Content-Type"] == "application/problem+json"
        clean = re.sub(r"[\x00-\x1f]", " ", text)
        assert answer.json["instance"] == f"/api/{clean}" and "Set-Cookie" not in answer.headers
        problem = dashboard.post("/api/filters/apply", {text: 1})
        assert problem.status == 422 and clean[:20].strip() in problem.json["detail"]


@pytest.mark.parametrize("media", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_another_type_of_body_is_refused(dashboard, media):
    problem = dashboard.post("/api/filters/apply", b"{}", media)
    assert problem.status == 415 and "application/json" in problem.json["detail"]
    assert dashboard.post("/api/filters/apply", b"{}", "Application/JSON ; charset=utf-8").status == 200


def test_limits_hold_while_reading(dashboard):
    """A body beyond the limit is refused: by its Content-Length, and in chunks."""
    big = b" " * (1 << 20)
    assert dashboard.post("/api/filters/apply", big + b"{}").status == 413
    pieces = dashboard.ask("POST", "/api/filters/apply", iter([big, b"{}"]), {"Content-Type": "application/json"})
    assert pieces.status == 413
    exact = dashboard.post("/api/filters/apply", big[:-2] + b"{}")
    assert exact.status == 200
    # it waits for "100 Continue": refused before anything is sent
    head = ("POST /api/upload/raw HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            "Content-Length: 1000000000000\r\n\r\n")
    came = talk(dashboard, head.encode(), shut=False)
    assert came.startswith(b"HTTP/1.1 413") and b"connection: close" in came.lower()
    long = dashboard.ask("GET", "/api/health", headers={"X-Long": "x" * 70_000})
    assert long.status == 431
    assert dashboard.ask("GET", "/api/health", b"{}").status == 413


@pytest.mark.parametrize("data", [b"\r\n\r\n", b"GET\r\n\r\n", b"\0\0\0\0\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 400_000,
                                  b"POST /api/filters/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n{}",
                                  b"POST /api/filters/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5, 6\r\n\r\n{}",
                                  b"POST /api/filters/apply HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                  b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
                                  b"POST /api/upload/json HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                  b"Content-Length: 100\r\n\r\n{"])
def test_other_protocols_do_no_harm(dashboard, data):
    total = dashboard.get("/api/health").json["total"]
    came = talk(dashboard, data)
    assert came == b"" or came.startswith(b"HTTP/1.") and b" 20" not in came.split(b"\r\n")[0]
    assert dashboard.get("/api/health").json["total"] == total


@pytest.mark.threads
def test_many_ask_at_once(dashboard):
    """Readers and writers work concurrently, each over one connection."""
    faults = []

    def work(number):
        connection = dashboard.connect()
        try:
            for i in range(5):
                job = dashboard.ask("POST", "/api/upload/json", json.dumps(little(1000 + number * 100 + i)),
                                    {"Content-Type": "application/json"}, connection)
                page = dashboard.ask("POST", "/api/filters/apply", json.dumps({"facets": ["run.suite"], "limit": 5}),
                                     {"Content-Type": "application/json"}, connection)
                one = dashboard.ask("GET", f"/api/data/experiments/{1 + i % 2}/raw", None, {}, connection)
                if (job.status, page.status, one.status) != (202, 200, 200):
                    faults.append((job.body, page.body, one.body))
        except Exception as fault:  # reported by the thread that asserts
            faults.append(repr(fault))
        finally:
            connection.close()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    last = dashboard.upload("/api/upload/json", little(5000))
    assert last["counts"]["stored"] == 1
    assert dashboard.post("/api/filters/apply", {"filter": {"field": "run.suite", "op": "eq", "value": "s"}}).json["count"] >= 21


# ---- start and stop ------------------------------------------------------------------------------


def refused(bin_dir, *args):
    return subprocess.run([bin_dir / "profllm-dashboard", *args], capture_output=True, text=True, timeout=60 * PATIENCE,
                          env=environment())


def test_only_the_loopback_is_listened_on(bin_dir, tmp_path):
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        done = refused(bin_dir, "serve", "--db", tmp_path / "d.db", "--host", host)
        assert done.returncode == 2 and "loopback" in done.stderr and host in done.stderr
    assert not (tmp_path / "d.db").exists()
    done = refused(bin_dir, "serve", "--db", tmp_path / "d.db", "--port", "65536")
    assert done.returncode == 2 and "65536" in done.stderr


def test_a_port_that_is_taken(bin_dir, dashboard, tmp_path):
    done = refused(bin_dir, "serve", "--db", tmp_path / "d.db", "--port", dashboard.host.rsplit(":", 1)[1])
    assert done.returncode == 5 and done.stdout == "" and "in use" in done.stderr


def test_a_database_is_served_by_one(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        done = refused(bin_dir, "serve", "--db", tmp_path / "d.db", "--port", "0")
        assert done.returncode == 5 and done.stdout == "" and str(one.process.pid) in done.stderr


@pytest.mark.parametrize("host, number", [("127.0.0.1", signal.SIGINT), ("localhost", signal.SIGTERM), ("127.0.0.2", signal.SIGTERM)])
def test_a_signal_ends_it_well(bin_dir, tmp_path, host, number):
    with Dashboard(bin_dir, tmp_path / "d.db", "--host", host, "--verbose") as one:
        assert one.upload("/api/upload/json", little())["counts"]["stored"] == 1
        status, out, err = one.stop(number)
    assert (status, out) == (0, "") and "POST /api/upload/json 202" in err
    with Dashboard(bin_dir, tmp_path / "d.db") as again:
        assert again.get("/api/health").json["total"] == 1


def test_a_log_line_has_the_bytes_of_the_answer(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db", "--verbose") as one:
        assert one.upload("/api/upload/json", little())["counts"]["stored"] == 1
        asked = [("GET", "/api/health", None), ("GET", "/api/fields", None), ("GET", "/api/nothing", None), ("HEAD", "/api/health", None),
                 ("POST", "/api/export/csv", {"columns": ["run.run_id"]})]
        sizes = []
        for method, path, value in asked:
            answer = one.post(path, value) if value else one.ask(method, path)
            sizes.append((answer.status, len(answer.body) if method != "HEAD" else int(answer.headers["Content-Length"])))
        status, _, err = one.stop()
    assert status == 0 and [code for code, _ in sizes] == [200, 200, 404, 200, 200]
    for (method, path, _), (code, size) in zip(asked, sizes):
        assert re.search(rf"^{method} {path} {code} {size} bytes in [0-9.]+ ms, id [0-9a-f]{{16}}$", err, re.M), (method, path, size, err)


@pytest.mark.threads
def test_a_request_under_way_is_answered(bin_dir, tmp_path):
    """The signal arrives after the head was read; the body is read, and the response is sent."""
    body = json.dumps(little()).encode()
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        host, port = one.host.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=60 * PATIENCE) as peer:
            peer.sendall(b"POST /api/upload/json HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            assert peer.recv(65536).startswith(b"HTTP/1.1 100")
            one.process.send_signal(signal.SIGTERM)
            peer.sendall(body)
            came = b""
            while piece := peer.recv(65536):
                came += piece
        assert came.startswith(b"HTTP/1.1 202"), came
        assert one.process.wait(60 * PATIENCE) == 0
    with Dashboard(bin_dir, tmp_path / "d.db") as again:
        job = json.loads(came.split(b"\r\n\r\n", 1)[1])
        assert again.done(job["status_url"])["counts"]["stored"] == 1


def test_a_run_id_may_be_a_number(dashboard):
    assert dashboard.upload("/api/upload/json", little(run_id="471100"))["counts"]["stored"] == 1
    assert dashboard.get("/api/data/experiments/471100").json["run_id"] == "471100"
    assert dashboard.get(f"/api/data/experiments/{dashboard.ids()[0]}").json["id"] == dashboard.ids()[0]


def test_heads_that_the_library_refuses_leave_nothing(bin_dir, tmp_path):
    """The library closes such a connection after it has read the target, and does not report the end of the request."""
    heads = ["GET /api/health?" + "&".join(f"a{i}=1" for i in range(10_000)) + " HTTP/1.1\r\n",
             "GET /api/health?a=" + "b" * 30_000 + " HTTP/1.1\r\nCookie: c=" + "d" * 35_000 + "\r\n"]

    def resident_kb():
        text = Path(f"/proc/{one.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1])

    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        data = [f"{head}Host: {one.host}\r\n\r\n".encode() for head in heads]
        for i in range(200):
            talk(one, data[i % 2])
        before = resident_kb()
        for i in range(5000 if LONG else 400):
            came = talk(one, data[i % 2])
            assert not came.startswith(b"HTTP/1.1 2")
        assert SANITIZED or resident_kb() - before < 6000
        assert one.get("/api/health").status == 200
        # requests in progress are waited for
        begin = time.monotonic()
        assert one.stop()[0] == 0
        assert time.monotonic() - begin < 4 * PATIENCE
