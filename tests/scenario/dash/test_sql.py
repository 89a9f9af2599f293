"""Random filters compared with SQL: the counts, order, pages, statistics and facets of POST /api/filters/apply equal those
of SELECTs on the same database (sql_tools.py; for PostgreSQL, by that server), over hundreds or thousands of results, and while
others upload more, change and delete some."""
import collections
import concurrent.futures
import json
import os
import random

import numpy as np
import pytest
from dashboard_tools import Dashboard
from database_tools import ask
from query_tools import TEXTS, made_results
from sql_tools import NUMBERS, Snapshot, canonical, found, instant, of_json, to_json

pytestmark = pytest.mark.long_file

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
SLOW = bool(os.environ.get("PROFLLM_SANITIZED"))
TREES = 10_000 if LONG else 60
ROWS = 400 if SLOW else 2000 if LONG else 800
ROWS_MIN = 100 if SLOW else 500  # with fewer, some of the fields below have no value
ODD = 100 if SLOW else 400
SEED = 20261123
COLUMNS = 120  # in addition to those below
# what is odd in some way: words among numbers, infinite ones, times, JSON, lists with an order, often null or not there
SOME = ["run.timestamp", "run.status", "run.suite", "run.name", "quality.verdict", "environment.engine.simulated", "environment.hostname",
        "error.cause", "server.model", "server.tensor_parallel_size", "server.max_model_len", "server.max_num_seqs", "server.enforce_eager",
        "server.enable_prefix_caching", "server.compilation_config", "server.gpu_memory_utilization", "benchmark.request_rate",
        "benchmark.max_concurrency", "benchmark.request_timeout", "benchmark.goodput", "results.output_throughput", "results.p99_ttft_ms",
        "results.completed", "results.request_goodput", "launch.phases.ready_s", "launch.target.version"]
# no columns: looked up in documents
LOOSE = {"tags.ticket": "json", "tags.team": "json", "tags.note": "json", "tags.any": "json", "server.prefill_lookahead_tokens": "json",
         "server.compilation_config.mode": "text"}
# computed with the stored prices: no columns of the database (test_costs.py)
PRICED = {"derived.cost_per_hour", "derived.cost_per_million_output_tokens", "derived.cost_per_million_input_tokens", "derived.carbon_per_million_output_tokens"}
STATES = ["is_null", "not_null", "is_recorded", "is_explicit"]


class Played:
    """A server, its database, and the fields that filters may use."""

    def __init__(self, dashboard, path, count=COLUMNS):
        self.dashboard, self.path = dashboard, path
        self.connection = dashboard.connect()
        rows = {row["id"]: row for row in dashboard.get("/api/fields").json["fields"]}
        self.words = {field for field, row in rows.items() if row["words"]}
        columns = [field for field, row in rows.items() if row["column"] and field not in PRICED]
        chosen = dict.fromkeys(SOME + random.Random(SEED).sample(columns, count))
        self.fields = {field: rows[field]["type"] for field in chosen}

    def apply(self, check=False, **request):
        answer = self.dashboard.ask("POST", "/api/filters/apply", json.dumps(request), {"Content-Type": "application/json"},
                                    self.connection, check=check)
        assert answer.status == 200, (answer.body, request)
        return answer.json

    def documents(self):
        out = {}
        for one in range(1, self.apply(limit=0)["total"] + 1):
            out[one] = json.loads(self.dashboard.ask("GET", f"/api/data/experiments/{one}/raw", connection=self.connection, check=False).body)
        return out


def upload(dashboard, documents):
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    return dashboard.upload("/api/upload/batch", lines.encode(), "application/x-ndjson")


@pytest.fixture(scope="module")
def played(bin_dir, database, tmp_path_factory):
    path = database.new(tmp_path_factory.mktemp("sql"))
    rows, odd = max(ROWS // database.share, ROWS_MIN), ODD // database.share
    with Dashboard(bin_dir, path, "--rows", str(rows), command="demo") as dashboard:
        assert upload(dashboard, made_results(random.Random(SEED), odd))["counts"]["stored"] == odd
        yield Played(dashboard, path)


@pytest.fixture(scope="module")
def whole(played):
    """Returns (server, snapshot including the fields without columns)."""
    played.fields.update(LOOSE)
    return played, Snapshot(played.path, played.fields, played.documents())


# ---- random questions ----------------------------------------------------------------------------


def some_value(rng, snapshot, field):
    """Returns (kind, value), mostly of an existing one."""
    there = snapshot.kinds[field]
    if there and rng.random() < 0.95:
        kind, value = rng.choice(there)
    else:
        kind, value = {"yes": ("yes", 1), "text": ("text", rng.choice(TEXTS)), "time": ("text", "2026-03-01T00:00:00Z"),
                       "json": ("json", '{"a":1}')}.get(snapshot.fields[field], ("number", 7.0))
    if kind == "number" and abs(value) < 1e300 and rng.random() < 0.2:
        value *= rng.choice([0.99, 1.01, 0.5])
    return kind, value


def has_order(snapshot, field, kind, value):
    type_ = snapshot.fields[field]
    if type_ == "time":
        return kind == "text" and instant(value) is not None
    return (kind == "number" and type_ in (*NUMBERS, "json")) or (kind == "text" and type_ in ("text", "json"))


def some_word(rng, value):
    begin = rng.randrange(len(value) + 1)
    word = value[begin:begin + rng.randint(0, 5)]
    return rng.choice([word, word.upper(), word.swapcase()])


def random_predicate(rng, snapshot, words):
    field = rng.choice(list(snapshot.fields)) if rng.random() < 0.4 else rng.choice(SOME + [one for one in LOOSE if one in snapshot.fields])
    kind, value = some_value(rng, snapshot, field)
    ops = STATES + ["eq", "ne", "in", "not_in"] * 2
    if has_order(snapshot, field, kind, value):
        ops += ["lt", "le", "gt", "ge", "between", "between"]
    if snapshot.fields[field] in ("text", "time", "json") or field in words:
        ops += ["contains", "starts_with"] * 2
    op = rng.choice(ops)
    said = {"field": field, "op": op}
    if op in STATES:
        return said
    if op in ("contains", "starts_with"):
        return said | {"value": some_word(rng, value if isinstance(value, str) else "auto")}
    if op in ("in", "not_in"):
        return said | {"value": [to_json(*some_value(rng, snapshot, field)) for _ in range(rng.randint(1, 4))]}
    if op == "between":
        alike = [one for one in (some_value(rng, snapshot, field) for _ in range(6)) if one[0] == kind and has_order(snapshot, field, *one)]
        return said | {"value": [to_json(kind, value), to_json(*rng.choice(alike or [(kind, value)]))]}
    return said | {"value": to_json(kind, value)}


def random_tree(rng, snapshot, words, depth=0):
    fate = rng.random()
    if depth >= 4 or fate < 0.25 + 0.1 * depth:
        return random_predicate(rng, snapshot, words)
    if fate < 0.45:
        return {"not": random_tree(rng, snapshot, words, depth + 1)}
    return {rng.choice(["and", "and", "or"]): [random_tree(rng, snapshot, words, depth + 1) for _ in range(rng.randint(1, 4))]}


def random_request(rng, snapshot, words):
    fields = list(snapshot.fields)
    return {"filter": random_tree(rng, snapshot, words), "limit": rng.choice([1, 20, 200]), "offset": rng.choice([0, 0, 0, 7, 150, 3000]),
            "sort": [{"field": field, "dir": rng.choice(["asc", "desc"])} for field in rng.sample(fields, rng.randint(0, 3))],
            "columns": rng.sample(fields, 5), "facets": rng.sample(SOME, 2) + rng.sample(fields, 1),
            "metrics": rng.sample([field for field in fields if is_finite(snapshot, field)], 2)}


def is_finite(snapshot, field):
    """Returns whether the numbers have a meaningful mean."""
    return snapshot.fields[field] in NUMBERS and all(abs(value) < 1e100 for kind, value in snapshot.kinds[field] if kind == "number")


# ---- answers -------------------------------------------------------------------------------------


def check_answer(snapshot, request, said):
    version = said["data_version"]
    wanted = snapshot.page(request, version)
    assert (said["count"], said["total"]) == (wanted["count"], wanted["total"]), json.dumps(request, ensure_ascii=False)
    assert [{key: row[key] for key in ("id", "run_id", "cells")} for row in said["rows"]] == wanted["rows"], json.dumps(request, ensure_ascii=False)
    for field in request.get("facets", []):
        check_facet(said["facets"][field], snapshot.facet(request["filter"], field, version), snapshot.fields[field], (request, field))


    for field in request.get("metrics", []):
        check_metric(said["metrics"][field], snapshot.numbers(request["filter"], field, version), (request, field))


def check_metric(said, values, told):
    wanted = {"n": len(values), **dict.fromkeys(("mean", "std", "min", "p50", "p95", "max"))}
    if values:
        wanted |= {"mean": np.mean(values), "min": min(values), "max": max(values), "p50": np.percentile(values, 50), "p95": np.percentile(values, 95)}
    if len(values) > 1:
        wanted["std"] = np.std(values, ddof=1)
    # of numbers that are all alike the sums may leave a little
    most = max(map(abs, values), default=0)
    assert said == {key: value if value is None else pytest.approx(value, rel=1e-9, abs=1e-9 * most) for key, value in wanted.items()}, told


def as_tally(values):
    """Compares 2**53 as a number, because it may be written as a whole or a real one."""
    return {canonical(to_json(*of_json(one["value"]))): one["count"] for one in values}


def check_facet(said, wanted, type_, told):
    for key in ("count", "recorded", "null", "missing", "explicit", "distinct"):
        assert said[key] == wanted[key], (key, told)
    values = as_tally(said["values"])
    assert len(values) == len(said["values"]) and said["more_count"] == wanted["distinct"] - len(values), told
    if wanted["distinct"] <= 30:
        assert values == wanted["values"], told
    else:
        # of those that are as frequent as the last one any may be shown
        counts = sorted(wanted["values"].values(), reverse=True)
        assert [one["count"] for one in said["values"]] == counts[:len(values)], told
        assert all(wanted["values"][value] == count for value, count in values.items()), told
    if "words" in wanted:
        assert as_tally(said.get("words", [])) == wanted["words"], told
    if "ends" in wanted:
        ends = tuple(instant(said[key]) if type_ == "time" else float(said[key]) for key in ("min", "max")) if "min" in said else None
        assert ends == wanted["ends"], told
    if "histogram" in said:
        assert sum(said["histogram"]["counts"]) == sum(count for value, count in wanted["values"].items() if value not in ('"inf"', '"-inf"'))


@pytest.mark.release_only  # test_filters.py asks the same language in both
def test_random_questions_are_answered_as_sql_answers_them(whole, database):
    played, snapshot = whole
    rng = random.Random(SEED + 1)
    some = 0
    trees = TREES // database.share
    for number in range(trees):
        request = random_request(rng, snapshot, played.words)
        said = played.apply(check=number % 50 == 0, **request)
        check_answer(snapshot, request, said)
        some += 0 < said["count"] < said["total"]
    # many of them tell rows apart, else nothing was shown
    assert some > trees * 0.4


@pytest.mark.release_only  # test_filters.py asks the same language in both
def test_all_ids_of_a_filter_are_those_of_sql(whole, database):
    played, snapshot = whole
    rng = random.Random(SEED + 2)
    for _ in range(max(TREES // 20 // database.share, 2)):
        tree, ids = random_tree(rng, snapshot, played.words), []
        while True:
            said = played.apply(filter=tree, columns=[], limit=200, offset=len(ids))
            ids += [row["id"] for row in said["rows"]]
            if not said["rows"]:
                break
        assert ids == snapshot.ids(tree, said["data_version"]), json.dumps(tree, ensure_ascii=False)


@pytest.mark.release_only  # the requested program must be installed
def test_the_rows_have_all_kinds_of_nothing_and_of_values(whole):
    """Without these kinds, the comparison would prove little."""
    played, snapshot = whole
    kinds = {kind for field in snapshot.fields for (kind,) in snapshot.ask(f"SELECT DISTINCT {snapshot.k(field)} FROM r")}
    assert kinds == {None, "null", "number", "text", "yes", "json"}
    assert all({kind for kind, _ in snapshot.kinds[field]} >= {"number", "text"} for field in ("server.max_model_len",))
    assert float("inf") in {value for _, value in snapshot.kinds["benchmark.request_rate"]}
    for field in ("tags.ticket", "server.prefill_lookahead_tokens", "server.compilation_config.mode", "tags.any"):
        assert snapshot.kinds[field], field
    rng = random.Random(SEED + 1)
    ops = set()

    def walk(tree):
        for one in tree.get("and", []) + tree.get("or", []) + ([tree["not"]] if "not" in tree else []):
            walk(one)
        if "field" in tree:
            ops.add((snapshot.fields[tree["field"]], tree["op"]))

    for _ in range(2000):
        walk(random_tree(rng, snapshot, played.words))
    for type_, more in (("number", ["lt", "between"]), ("count", ["ge", "between"]), ("text", ["contains", "lt"]), ("time", ["le", "starts_with"]),
                        ("yes", []), ("json", ["contains", "starts_with"])):
        assert {(type_, op) for op in [*STATES, "eq", "ne", "in", "not_in", *more]} <= ops


class Writer:
    """Uploads, changes tags and notes, and deletes, one by one, and records the database after each step. (An upload only
    adds: the rows of one in several transactions show how far it was.)"""

    def __init__(self, dashboard, snapshot, documents):
        self.dashboard, self.snapshot, self.documents = dashboard, snapshot, documents
        self.rng, self.count, self.done = random.Random(SEED + 4), 0, collections.Counter()

    def upload(self, _):
        for document in (some := made_results(random.Random(self.count), self.rng.choice([1, 1, 10]))):
            document["run_id"] = f"later-{self.count}"
            self.count += 1
        assert upload(self.dashboard, some)["counts"]["stored"] == len(some)
        ids = {run_id: id_ for id_, run_id in ask(self.snapshot.path, "SELECT id, run_id FROM benchmark_runs WHERE run_id LIKE 'later-%'")}
        self.documents |= {ids[document["run_id"]]: document for document in some}

    def patch(self, id_):
        said = {"tags": {self.rng.choice(["ticket", "team"]): self.rng.choice([*TEXTS, None])}, "notes": f"{self.rng.random()}"}
        assert self.dashboard.ask("PATCH", f"/api/data/experiments/{id_}", json.dumps(said), {"Content-Type": "application/json"}).status == 200

    def delete(self, id_):
        assert self.dashboard.ask("DELETE", f"/api/data/experiments/{id_}").status == 204
        del self.documents[id_]

    def run(self, steps):
        for _ in range(steps):
            step = self.rng.choice([self.upload, self.patch, self.patch, self.delete])
            step(self.rng.choice(list(self.documents)))
            self.snapshot.take(self.documents)
            self.done[step.__name__] += 1


def test_responses_during_changes_are_snapshots(bin_dir, database, tmp_path):
    """Each response states the version of its data, which is not older than the changes known when it was requested; it
    contains exactly the database of that version."""
    path = database.new(tmp_path, "growing.db")
    with Dashboard(bin_dir, path, "--rows", "60", command="demo") as dashboard:
        played = Played(dashboard, path, 10)
        upload(dashboard, made_results(random.Random(SEED), 20))
        documents = played.documents()
        # a key that no document has is not a field
        played.fields.update({field: type_ for field, type_ in LOOSE.items()
                              if any(found(document, field)[0] is not None for document in documents.values())})
        snapshot = Snapshot(path, played.fields, documents)
        writer = Writer(dashboard, snapshot, documents)
        rng, asked = random.Random(SEED + 3), []
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            # under a sanitizer a question takes several of them
            steps = threads.submit(writer.run, 200 if LONG else 15 if database.kind == "postgres" else 50 if SLOW else 30)
            while not steps.done() or len(asked) < 20:
                request, known = random_request(rng, snapshot, played.words), snapshot.moments[-1]
                asked.append((request, known, played.apply(**request)))
            steps.result()
        assert set(writer.done) == {"upload", "patch", "delete"}
        versions = [said["data_version"] for _, _, said in asked]
        # time goes one way, and some of it went by
        assert versions == sorted(versions) and len(set(versions)) > 3
        assert all(known <= version <= snapshot.moments[-1] for (_, known, _), version in zip(asked, versions, strict=True))
        assert played.apply(limit=0)["total"] == len(snapshot.ids(None, snapshot.moments[-1])) == len(documents)
        for request, _, said in rng.sample(asked, min(len(asked), 2000 if LONG else 60)):
            check_answer(snapshot, request, said)
