"""Every route of api/openapi.yaml by requests that are made from its schemas: ones that fit, and ones that break a single
rule. Responses follow the contract (Dashboard.ask() checks each of them), and are never a 5xx."""
import json
import os
import random
import re
import string
from urllib.parse import quote

import pytest
from dashboard_tools import CONTRACT, Dashboard, faults_of, little, resolved, results, validator
from live_tools import send as send_live

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
ROUNDS = 100 if LONG else 8  # requests that fit, of each route, which then are broken
JSON_TYPES = {"null": None, "boolean": True, "integer": 3, "number": 1.5, "string": "text", "array": [], "object": {}}
FIELDS = ["run.run_id", "run.suite", "server.tensor_parallel_size", "results.mean_ttft_ms", "run.timestamp", "server.enable_prefix_caching",
          "server.compilation_config.mode", "tags.any"]
SWEEP = {"sweep": "small-1", "experiment": {"server": {"model": "m"}}, "runs": [
    {"run": status, "combination": status, "label": status, "parameters": {"server.seed": 1}, "status": status} for status in ("missing", "failed", "partial")]}
ALPHABETS = [string.digits, string.ascii_letters + string.digits + "_-", "aZ09 ,;=&%#'\"<>\\/", "".join(map(chr, range(33, 127))),
             "äΣ\U0001f4a9\u202e\x01\n\t"]


def operations():
    for path, methods in CONTRACT["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def test_a_response_outside_the_contract_is_found():
    """Also after an equal and a similar one fitted, whose check is not repeated."""
    facet = {"$ref": "#/components/schemas/Facet"}
    fits = resolved(facet)["examples"][0]
    assert not faults_of(facet, fits) and not faults_of(facet, fits) and not faults_of({"type": "array", "items": facet}, [fits, fits])
    for change in ({"other": 1}, {"values": [{"value": "s", "count": -1}]}, {"values": [{"value": "s", "count": 1, "more": 2}]}, {"null": -1}):
        assert faults_of(facet, {**fits, **change}), change
        assert faults_of({"type": "array", "items": facet}, [fits, {**fits, **change}]), change


# ---- requests that fit ---------------------------------------------------------------------------


def a_text(rng, schema):
    """Draws until the text fits."""
    least = schema.get("minLength", 0)
    for i in range(10_000):
        length = rng.choice([least, least + 1, rng.randint(least, least + 30), min(schema.get("maxLength", 40), 60)])
        text = "".join(rng.choices(ALPHABETS[i % len(ALPHABETS)], k=length))
        if least <= len(text) <= schema.get("maxLength", 10**9) and re.search(schema.get("pattern", ""), text):
            return text
    raise AssertionError(schema)


def a_predicate(rng):
    """Returns a random predicate, often a meaningful one."""
    return rng.choice([
        {"field": "run.run_id", "op": rng.choice(["eq", "ne", "contains", "starts_with"]), "value": rng.choice(["small-1", "s", ""])},
        {"field": "server.tensor_parallel_size", "op": "in", "value": [1, 2]}, {"field": "results.mean_ttft_ms", "op": "lt", "value": "inf"},
        {"field": "results.mean_ttft_ms", "op": "between", "value": [0, 5.5]}, {"field": "run.timestamp", "op": "is_null"},
        {"field": "tags.any", "op": "is_recorded"}, {"field": "run.timestamp", "op": "ge", "value": "2026-01-01T00:00:00Z"}])


NAMED = {
    "FieldId": lambda rng: rng.choice(FIELDS) if rng.random() < 0.9 else a_text(rng, {"minLength": 1, "maxLength": 300}),
    "SortList": lambda rng: [rng.choice(["", "", "-"]) + rng.choice(FIELDS) for _ in range(rng.randint(1, 3))],
    "Filter": lambda rng: a_filter(rng, 3),
    "Sha256": lambda rng: "".join(rng.choices("0123456789abcdef", k=64)),
}


def a_filter(rng, depth):
    kind = rng.choice(["and", "or", "not", "leaf", "leaf"]) if depth else "leaf"
    if kind == "leaf" and rng.random() < 0.2:
        schema = CONTRACT["components"]["schemas"]["Operator"]
        return {"field": NAMED["FieldId"](rng), "op": rng.choice(schema["enum"]), "value": rng.choice([None, True, 1, "x", [1, "a"], {"a": 1}])}
    if kind == "leaf":
        return a_predicate(rng)
    return {kind: a_filter(rng, depth - 1) if kind == "not" else [a_filter(rng, depth - 1) for _ in range(rng.randint(0, 3))]}


def valid(rng, schema):
    """Returns a value that fits the schema."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return NAMED[name](rng) if name in NAMED else valid(rng, resolved(schema))
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return valid(rng, rng.choice(schema["anyOf"]))
    kind = schema.get("type", "null")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        names = [name for name in schema.get("properties", {}) if name in schema.get("required", []) or rng.random() < 0.4]
        return {name: valid(rng, schema["properties"][name]) for name in names}
    if kind == "array":
        least = schema.get("minItems", 0)
        count = rng.choice([least, rng.randint(max(least, 1), max(least, min(3, schema.get("maxItems", 3))))])
        return [valid(rng, schema.get("items", {})) for _ in range(count)]
    if kind == "integer":
        low, high = schema.get("minimum", -5), schema.get("maximum", 100)
        return rng.choice([low, high, rng.randint(low, min(high, low + 30))])
    if kind == "string":
        return a_text(rng, schema)
    return {"boolean": rng.random() < 0.5, "number": 0.5 if "exclusiveMaximum" in schema else 1.5, "null": None}[kind]


# ---- requests that break a rule ------------------------------------------------------------------


def fits(schema, value):
    return validator(json.dumps(schema)).is_valid(value)


def breaks_of(schema, value):
    """Yields (rule, another value) for each rule of the schema at this value, without those of nested values."""
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds:
        for kind, other in JSON_TYPES.items():
            if kind not in kinds and not (kind == "integer" and "number" in kinds):
                yield f"type {kind}", other
    if "enum" in schema:
        yield "enum", "none-of-them"
    if "minimum" in schema:
        yield "minimum", schema["minimum"] - 1
    if "maximum" in schema:
        yield "maximum", schema["maximum"] + 1
    for bound in ("exclusiveMinimum", "exclusiveMaximum"):
        if bound in schema:
            yield bound, schema[bound]
    if schema.get("minLength"):
        yield "minLength", "x" * (schema["minLength"] - 1)
    if "maxLength" in schema:
        yield "maxLength", "x" * (schema["maxLength"] + 1)
    if "pattern" in schema:
        for text in ("", " ", "\n", "a b", "x\n", "é" * 13, "0", "x" * 65):
            yield "pattern", text
    if isinstance(value, list) and schema.get("minItems"):
        yield "minItems", value[:schema["minItems"] - 1]
    if isinstance(value, list) and "maxItems" in schema:
        yield "maxItems", ((value or [None]) * (schema["maxItems"] + 1))[:schema["maxItems"] + 1]
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name in value:
                yield f"required {name}", {key: item for key, item in value.items() if key != name}
        if schema.get("additionalProperties") is False:
            yield "additionalProperties", {**value, "x-not-known": 1}
    if "oneOf" in schema and isinstance(value, dict):
        yield "oneOf none", {}
        yield "oneOf two", {**value, "and": [a_predicate(random.Random(0))], "not": a_predicate(random.Random(0))}


def broken(schema, value):
    """Yields (rule, the complete value with one rule broken), at every place in it."""
    schema = resolved(schema)
    yield from breaks_of(schema, value)
    for part in schema.get("anyOf", []):
        if fits(part, value):
            yield from broken(part, value)
    if isinstance(value, dict):
        for name, item in value.items():
            for rule, other in broken(schema.get("properties", {}).get(name, {}), item):
                yield f"{name}: {rule}", {**value, name: other}
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            for rule, other in broken(schema["items"], item):
                yield f"{i}: {rule}", [*value[:i], other, *value[i + 1:]]


def short(rule):
    """Returns the rule without its place in a tree or a list, where it is the same rule."""
    return rule if LONG else re.sub(r"(?:(?:and|or|not|\d+): )+(?=.)", "", rule)


# ---- requests as they are sent -------------------------------------------------------------------


def schema_of(parameter):
    return parameter["schema"] if "schema" in parameter else parameter["content"]["application/json"]["schema"]


class Route:
    """One operation, with one schema for each part of its requests."""

    def __init__(self, method, path, operation):
        self.method, self.path = method, path
        parameters = [resolved(one) for one in operation.get("parameters", [])]
        self.words = [one for one in parameters if one["in"] == "path"]
        query = [one for one in parameters if one["in"] == "query"]
        self.as_json = {one["name"] for one in query if "content" in one}
        self.lists = {one["name"] for one in query if "content" not in one and resolved(schema_of(one)).get("type") == "array"}
        self.texts = {one["name"] for one in query if self.is_text(one)}
        self.query = {"type": "object", "properties": {one["name"]: schema_of(one) for one in query},
                      "required": [one["name"] for one in query if one.get("required")], "additionalProperties": False}
        self.content = operation.get("requestBody", {}).get("content", {})
        self.body = self.content.get("application/json", {}).get("schema")
        self.most = operation.get("requestBody", {}).get("x-bytes-max", 0)

    @staticmethod
    def is_text(parameter):
        return "content" not in parameter and resolved(schema_of(parameter)).get("type") in ("string", "array")

    def valid(self, rng, ids):
        words = {one["name"]: rng.choice([*ids, valid(rng, schema_of(one))]) for one in self.words}
        body = valid(rng, self.body) if self.body else {"run_id": a_text(rng, {"minLength": 1, "maxLength": 20})}
        return words, valid(rng, self.query), body

    def send(self, dashboard, words, query, body, media="application/json"):
        path = self.path
        for name, word in words.items():
            path = path.replace("{" + name + "}", quote(word, safe=""))
        members = [f"{quote(name, safe='')}={quote(self.member(name, value), safe='')}" for name, value in query.items()]
        has_body = bool(self.content)
        data = json.dumps(body).encode() if has_body and not isinstance(body, bytes) else body if has_body else None
        answer = dashboard.ask(self.method, path + ("?" + "&".join(members) if members else ""), data,
                               {"Content-Type": media} if has_body and media else {})
        assert answer.status < 500, (self.method, path, members, data, answer.body[:500])
        return answer

    def member(self, name, value):
        if isinstance(value, str) and name not in self.as_json:
            return value
        if isinstance(value, list) and name in self.lists:
            return ",".join(map(str, value))
        return json.dumps(value)


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    documents = [little(i, config={"server": {"tensor_parallel_size": i % 3}}, results={"mean_ttft_ms": i / 3}) for i in range(40)]
    with Dashboard(bin_dir, tmp_path_factory.mktemp("db") / "d.db") as one:
        assert one.upload("/api/upload/batch", [*documents, *results(1)])["counts"]["stored"] == 41
        trace = one.ask("PUT", "/api/upload/artifact/small-0/trace/rank0.json", b'{"traceEvents": []}', {"Content-Type": "application/json"})
        log = one.ask("PUT", "/api/upload/artifact/small-0/server_log/s.log", b"one\ntwo\n", {"Content-Type": "text/plain"})
        records = one.ask("PUT", "/api/upload/artifact/small-0/requests/r.jsonl", b'{"index": 0}\n', {"Content-Type": "text/plain"})
        assert (trace.status, log.status, records.status) == (201, 201, 201)
        send_live(one, "small-0")
        yield one
        status, out, err = one.stop()
        # states of the watches that these requests add
        assert (status, out) == (0, "") and all(": watch '" in line for line in err.splitlines()), err


def ids_of(dashboard):
    """Returns the existing ids, after restoring what the previous route deleted."""
    for one in ("1", "small-1"):
        assert dashboard.ask("POST", f"/api/data/experiments/{one}/restore").status == 200
    presets = [str(preset["id"]) for preset in dashboard.get("/api/filters/presets").json["presets"]]
    assert dashboard.ask("PUT", "/api/data/sweeps/small-1", json.dumps(SWEEP), {"Content-Type": "application/json"}).status == 204
    notes = dashboard.get("/api/annotations").json["annotations"] or [dashboard.post("/api/annotations", {"version": "1", "text": "t"}).json]
    watches = dashboard.get("/api/analysis/watches").json["watches"] or [dashboard.post("/api/analysis/watches", {"name": "w", "question": {}}).json]
    for one in watches[:-20]:  # their number has a limit
        assert dashboard.ask("DELETE", f"/api/analysis/watches/{one['id']}").status == 204
    return ["1", "small-1", dashboard.post("/api/views", {"state": "a=b"}).json["id"], *presets[-2:], str(notes[-1]["id"]), str(watches[-1]["id"])]


@pytest.fixture(params=list(operations()), ids=lambda one: f"{one[0]} {one[1]}")
def route(request):
    return Route(*request.param)


def test_requests_that_fit(dashboard, route):
    rng = random.Random(f"{route.method} {route.path}")
    statuses = set()
    for _ in range(ROUNDS):
        words, query, body = route.valid(rng, ids_of(dashboard))
        assert fits(route.query, query) and (route.body is None or fits(route.body, body))
        statuses.add(route.send(dashboard, words, query, body).status)
    # 404: unknown id; 409: name in use; 410: deleted; 422: a rule that a schema cannot express
    assert statuses <= {200, 201, 202, 204, 404, 409, 410, 422}


def test_each_route_can_answer_well(dashboard, route):
    """Each route succeeds at least once, so that the other tests do not check refusals only."""
    if (route.method, route.path) == ("POST", "/api/session"):
        return  # this dashboard has no tokens (test_access.py)
    if route.path == "/api/baselines/{id}":
        return  # nor baselines, which only a command adds while no server runs (test_baselines.py)
    rng = random.Random(f"well {route.method} {route.path}")
    # of one that is rejected and kept there is something to be read again
    job = dashboard.upload("/api/upload/json", {"run_id": 1})["job_id"] if route.path.endswith("/retry") else "1"
    for _ in range(200):
        words, query, body = route.valid(rng, ids_of(dashboard))
        if "job_id" in words:
            words["job_id"] = job
        if "index" in words:
            words |= {"index": "0", "job_id": dashboard.upload("/api/upload/json", little(1, suite="another"))["job_id"]}
        if "run_id" in words and "run" in body:
            body["run"]["run_id"] = words["run_id"]
        elif "run_id" in words and route.method == "GET":
            words["run_id"] = "small-0"
        if "sweep" in body:
            body["sweep"] = words["id"]
        if "kind" in words:
            words |= {"kind": "trace", "name": "rank0.json", **({"id": "1"} if "id" in words else {})}
        elif "name" in words and route.path.endswith("/traces/{name}"):
            words |= {"id": "1", "name": "rank0.json"}
        if route.send(dashboard, words, query, body).status < 300:
            return
    raise AssertionError("never")


def test_requests_that_break_a_rule(dashboard, route):
    rng = random.Random(f"broken {route.method} {route.path}")
    cases = {}
    for _ in range(ROUNDS):
        words, query, body = route.valid(rng, ["1"])
        for rule, other in broken(route.query, query):
            if ("query", short(rule)) in cases:
                continue
            # in a query string all is text: what is one already cannot be of another type
            changed = [name for name in {*query, *other} if query.get(name) != other.get(name)] if isinstance(other, dict) else None
            if changed and not fits(route.query, other) and not (rule.split(": ")[-1].startswith("type") and changed[0] in route.texts):
                cases["query", short(rule)] = words, other, body
        for rule, other in broken(route.body, body) if route.body else ():
            if ("body", short(rule)) not in cases and not fits(route.body, other):
                cases["body", short(rule)] = words, query, other
    for case, request in cases.items():
        answer = route.send(dashboard, *request)
        assert answer.status == 422 and "pointer" in answer.json, (case, request, answer.status, answer.body[:300])
    if route.body or route.query["properties"]:
        assert cases


def test_paths_that_break_a_rule(dashboard, route):
    rng = random.Random(f"path {route.method} {route.path}")
    for one in route.words:
        for rule, other in breaks_of(resolved(schema_of(one)), "x"):
            if isinstance(other, str) and other and not fits(resolved(schema_of(one)), other):
                words, query, body = route.valid(rng, ["1"])
                assert route.send(dashboard, {**words, one["name"]: other}, query, body).status in (404, 422), rule


def test_bodies_that_are_none(dashboard, route):
    words, query, body = route.valid(random.Random(f"none {route.method} {route.path}"), ["1"])
    if not route.content:
        answer = dashboard.ask(route.method, route.path.replace("{", "").replace("}", ""), b"{}", {"Content-Type": "application/json"})
        assert answer.status == 413
        return
    if "*/*" not in route.content:
        for media in (None, "text/plain", "application/jso", "application/json-x"):
            assert route.send(dashboard, words, query, body, media).status == 415
    if route.body:
        for text in (b"", b"{", b"\xff", b'{"a": 1, "a": 2}', b"[" * 5000, b"NaN"):
            assert route.send(dashboard, words, query, text).status == 400
    if route.most < 1 << 21:
        assert route.send(dashboard, words, query, b'"' + b"x" * route.most + b'"').status == 413


def test_queries_that_cannot_be_read(dashboard, route):
    words, query, body = route.valid(random.Random(f"twice {route.method} {route.path}"), ["1"])
    path = re.sub("{.*?}", "1", route.path)
    data, media = (json.dumps(body).encode(), {"Content-Type": "application/json"}) if route.content else (None, {})
    for text, status in (("a=1", 422), ("%", 400), ("&".join(f"a{i}=" for i in range(101)), 400),
                         *((f"{name}=1&{name}=1", 400) for name in route.query["properties"]),
                         *((f"{name}={{", 400) for name in route.as_json)):
        assert dashboard.ask(route.method, f"{path}?{text}", data, media).status == status, text


def test_methods_that_a_path_does_not_have(dashboard):
    for path, methods in CONTRACT["paths"].items():
        allowed = {method.upper() for method in methods}
        allowed |= {"HEAD"} if "GET" in allowed else set()
        for method in {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"} - allowed:
            answer = dashboard.ask(method, re.sub("{.*?}", "1", path), check=False)
            assert answer.status == 405 and set(answer.headers["Allow"].split(", ")) == allowed, (method, path)
