"""Every field is a filter: fields that are not columns are answered by the field index, equal to a plain evaluation of the
documents, after a restart, after changes, while results arrive, and after kills. To show that no document is read, the test
makes the documents unreadable."""
import json
import os
import random
import signal
import subprocess
import threading
import time

import pytest
from dashboard_tools import GOOD, Dashboard, little
from database_tools import ask, change
from field_tools import expected
from import_tools import dashboard_command, import_json, run_dashboard
from run_tools import PATIENCE, environment
from wait_tools import wait_for

SEGMENT = 256
ROWS = SEGMENT + 24
SEED = 40
AT_A_TIME = 200  # columns per request
LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
EVERY = 1 if LONG else 13  # of which results all fields are compared: these are large
CHANGED = (3, 100, ROWS - 1)  # which become large
EXTRA = {"server.newer_than_the_rows": "config.server.newer_than_the_rows", "server.newer_object.x.y": "config.server.newer_object.x.y",
         "tags.team": "tags.team", "tags.2026": "tags.2026", "results.p97.5_ttft_ms": "results.p97.5_ttft_ms",
         "results.mean_ttft_ms_ci95.1": "results.mean_ttft_ms_ci95.1", "launch.env.NEW": "launch.env.NEW"}
MISSING = object()
GOOD_TEXT = json.dumps(GOOD)


def leaves_of(value, path=()):
    if isinstance(value, dict) and value:
        for key, inside in value.items():
            yield from leaves_of(inside, (*path, key))
    else:
        yield path


def at(document, path):
    for key in path:
        document = document[key]
    return document


def varied(rng, number, paths):
    """Returns a result that lacks some leaves, and has other values in some."""
    document = json.loads(GOOD_TEXT)  # ten times as fast as a deep copy
    document["run_id"] = f"exp_20260101_000000_{number:06x}"
    for path in rng.sample(paths, 60):
        *folders, key = path
        inside, value = at(document, folders), at(document, path)
        if isinstance(value, bool):
            inside[key] = rng.random() < 0.5
        elif isinstance(value, float) and value > 0:
            inside[key] = value * rng.choice([1, 0.5, rng.random()])
        elif isinstance(value, int) and value > 4 and path[0] == "config":
            inside[key] = value + rng.randint(0, 3)
        elif rng.random() < 0.5:
            del inside[key]
    server = document["config"]["server"]
    server["newer_than_the_rows"] = rng.choice([number, "two", None, [1, 2], True])
    if number % 3:
        server["newer_object"] = {"x": {"y": rng.choice([1, 2.5, "z"])}}
        document["config"]["server_explicit"] = [*document["config"].get("server_explicit", []), "newer_object"]
    document["tags"] = {"team": rng.choice(["a", "b"]), "2026": str(number), **document.get("tags", {})}
    document["results"]["p97.5_ttft_ms"] = rng.random()
    document["launch"].setdefault("env", {})["NEW"] = rng.choice(["x", "y"])
    return document


def small(rng, number):
    """Returns a result with the fields that filters of these tests name."""
    server = {"model": "m", "newer_than_the_rows": rng.choice([number, "two", None, [1, 2], True])}
    if number % 3:
        server |= {"newer_object": {"x": {"y": rng.choice([1, 2.5, "z"])}}}
    return {"run_id": f"exp_20260101_000000_{number:06x}", "suite": "s", "config": {"server": server, "server_explicit": [*server][2:]},
            "tags": {"team": rng.choice(["a", "b"]), "2026": str(number)}, "launch": {"env": {"NEW": rng.choice(["x", "y"])}},
            "results": {"mean_ttft_ms": rng.random(), "p97.5_ttft_ms": rng.random()}}


def all_documents(seed=SEED, also=()):
    rng = random.Random(seed)
    paths = [path for path in leaves_of(GOOD) if len(path) > 2 and path[:2] != ("quality", "checks")]
    return [small(rng, number) if number % EVERY and number not in also else varied(rng, number, paths) for number in range(ROWS)]


def plain(document, rows):
    """Returns {field: value} of a document without the program's help."""
    values = dict(expected(document, rows))
    objects = {id_: path_of(id_) for id_, row in rows.items() if row["type"] == "json" and row["aggregation"] == "none"}
    for id_, path in {**objects, **EXTRA}.items():
        inside = value_at(document, path)
        if inside is not MISSING:
            values[id_] = inside
    return values


def path_of(id_):
    for beginning, folder in {"run.": "", "server.": "config.server.", "benchmark.": "config.benchmark.", "experiment.": "config.experiment."}.items():
        if id_.startswith(beginning):
            return folder + id_.removeprefix(beginning)
    return id_


def value_at(inside, path):
    """Keys may have dots and be numbers."""
    while path and isinstance(inside, dict):
        key = next((key for key in inside if path == key or path.startswith(f"{key}.")), None)
        if key is None:
            return MISSING
        inside, path = inside[key], path[len(key) + 1:]
    if path and isinstance(inside, list) and path.isdigit():
        return inside[int(path)]
    return MISSING if path else inside


def fields_of(one):
    rows = {row["id"]: row for row in one.get("/api/fields").json["fields"]}
    return rows, [*(id_ for id_, row in rows.items() if not row["column"]), *EXTRA]


def asked(one, request, check=True):
    body, headers = json.dumps(request).encode(), {"Content-Type": "application/json"}
    answer = one.ask("POST", "/api/filters/apply", body, headers, check=check)
    while answer.status == 503 and "budget_ms is used up" in answer.json["detail"]:  # the same request continues
        answer = one.ask("POST", "/api/filters/apply", body, headers, check=check)
    assert answer.status == 200, answer.body
    return answer


def cells_of(one, ids):
    """Returns {run_id: {field: value}} of these fields."""
    found = {}
    for first in range(0, len(ids), AT_A_TIME):
        offset, total = 0, 1
        while offset < total:
            request = {"columns": ids[first:first + AT_A_TIME], "limit": 200, "offset": offset}
            # other tests check the form of such responses
            answer = asked(one, request, check=False)
            for row in answer.json["rows"]:
                found.setdefault(row["run_id"], {}).update(row["cells"])
            offset, total = offset + 200, answer.json["count"]
    return found


def check_all(one, documents, ids, rows, also=()):
    found = cells_of(one, ids)
    assert found.keys() == {document["run_id"] for document in documents}
    for document in [*documents[::EVERY], *also]:
        wanted = plain(document, rows)
        cells = found[document["run_id"]]
        for id_ in ids:
            value = cells.get(id_, MISSING)
            assert value == wanted.get(id_, MISSING) or (value is None and wanted.get(id_, MISSING) is None), (document["run_id"], id_)


def count(one, id_, op, value=None):
    tree = {"field": id_, "op": op, **({} if value is None else {"value": value})}
    return asked(one, {"filter": tree, "limit": 0}).json["count"]


def break_documents(database, db):
    zero = "'\\x00'" if database.kind == "postgres" else "x'00'"
    change(db, f"UPDATE benchmark_documents SET bytes = {zero}")


def write_lines(path, documents):
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


@pytest.fixture(scope="module")
def filled(bin_dir, database, tmp_path_factory):
    """(database, documents as text); tests use copies."""
    folder, documents = tmp_path_factory.mktemp("filled"), all_documents()
    db = database.with_tables(folder)
    said = import_json(bin_dir, write_lines(folder / "r.jsonl", documents), "--db", db)
    assert said["counts"]["stored"] == ROWS, said
    assert ask(db, "SELECT count(*) FROM field_segments") == [(1,)]
    return db, json.dumps(documents)


@pytest.fixture
def stored(database, filled, tmp_path):
    """(database, documents)"""
    db, documents = filled
    return database.copy(db, tmp_path), json.loads(documents)


def test_every_field_equals_the_documents(bin_dir, database, stored):
    db, documents = stored
    with Dashboard(bin_dir, db) as one:
        rows, ids = fields_of(one)
        check_all(one, documents, ids[::1 if LONG else 8], rows)
        # states, and the values that the user has set
        values = [document["config"]["server"]["newer_than_the_rows"] for document in documents]
        newer = "server.newer_than_the_rows"
        assert count(one, newer, "is_null") == sum(value is None for value in values)
        assert count(one, newer, "is_recorded") == ROWS
        assert count(one, newer, "eq", "two") == values.count("two")
        there = sum("newer_object" in document["config"]["server"] for document in documents)
        assert count(one, "server.newer_object.x.y", "is_explicit") == there < ROWS
        assert one.stop()[0] == 0
    break_documents(database, db)
    with Dashboard(bin_dir, db) as one:
        check_all(one, documents, ids, rows)
        assert one.stop()[0] == 0


@pytest.mark.one_database
def test_changes_are_followed(bin_dir, database, stored, tmp_path):
    """Replaced, edited, deleted, restored and pruned results, in a segment and after it."""
    db, documents = stored
    replaced = all_documents(SEED + 1, CHANGED)
    with Dashboard(bin_dir, db) as one:
        rows, ids = fields_of(one)
        first = {row["run_id"]: row["id"] for row in one.rows()}
        assert count(one, "tags.team", "eq", "a") == sum(document["tags"]["team"] == "a" for document in documents)
        for at_ in CHANGED:
            documents[at_] = replaced[at_]
        said = import_json(bin_dir, write_lines(tmp_path / "s.jsonl", [documents[at_] for at_ in CHANGED]), "--db", db,
                           "--on-conflict", "replace")
        assert said["counts"]["stored"] == 3, said
        for at_ in (5, 100, ROWS - 2):
            documents[at_]["tags"] = {**documents[at_]["tags"], "team": "c", "fresh": "yes"}
            answer = one.ask("PATCH", f"/api/data/experiments/{first[documents[at_]['run_id']]}",
                             json.dumps({"tags": {"team": "c", "fresh": "yes"}, "notes": f"note {at_}"}).encode(),
                             {"Content-Type": "application/json"})
            assert answer.status == 200, answer.body
        assert count(one, "tags.fresh", "eq", "yes") == 3 and count(one, "stored.notes", "eq", "note 100") == 1
        gone = [documents[at_] for at_ in (7, 101, ROWS - 3)]
        for document in gone:
            assert one.ask("DELETE", f"/api/data/experiments/{first[document['run_id']]}").status in (200, 204)
        back = gone.pop()
        changed = [back, *(documents[at_] for at_ in (3, 5, 100, ROWS - 1, ROWS - 2))]
        assert one.ask("POST", f"/api/data/experiments/{first[back['run_id']]}/restore").status in (200, 204)
        documents = [document for document in documents if document not in gone]
        assert count(one, "tags.2026", "is_recorded") == len(documents)
        assert one.stop()[0] == 0
    assert run_dashboard(bin_dir, "prune", "--db", db).returncode == 0
    break_documents(database, db)
    with Dashboard(bin_dir, db) as one:
        ids.append("tags.fresh")
        check_all(one, documents, [id_ for id_ in ids if id_ not in ("stored.notes", "tags", "tags.fresh")], rows, changed)
        assert count(one, "tags.fresh", "eq", "yes") == 3 and count(one, "stored.notes", "eq", "note 5") == 1
        assert one.stop()[0] == 0


@pytest.mark.one_database
def test_older_databases_are_indexed_in_the_background(bin_dir, database, stored):
    """Responses are correct meanwhile, and a kill loses nothing of the index."""
    db, documents = stored
    change(db, "DELETE FROM field_chunks; DELETE FROM field_segments; DELETE FROM field_rows")
    wanted = sum(document["tags"]["team"] == "a" for document in documents)
    indexed = "SELECT (SELECT count(*) FROM field_rows) + (SELECT count(*) FROM field_segments) * 256"
    for _ in range(3 if LONG else 1):
        with Dashboard(bin_dir, db) as one:
            before = ask(db, indexed)[0][0]
            wait_for(lambda before=before: ask(db, indexed)[0][0] > before or before >= ROWS, "more results are indexed", seconds=60)
            assert count(one, "tags.team", "eq", "a") == wanted
            one.process.kill()
            one.process.wait()
    with Dashboard(bin_dir, db) as one:
        wait_for(lambda: ask(db, indexed)[0][0] >= ROWS, "all results are indexed", seconds=60 * PATIENCE)
        one.stop()
    break_documents(database, db)
    with Dashboard(bin_dir, db) as one:
        rows, ids = fields_of(one)
        check_all(one, documents, ids[::1 if LONG else 4], rows)
        one.stop()


@pytest.mark.skipif(not LONG, reason="another cause of what test_field_index_hostile.py tests: PROFLLM_TEST_LONG")
@pytest.mark.one_database
def test_leaves_of_other_rules_are_made_again(bin_dir, database, stored):
    """A program with a column that this one lacks has written no leaf for it."""
    db, documents = stored
    wanted = sum(document["tags"]["team"] == "a" for document in documents)
    ((form, content),) = ask(db, "SELECT id, content FROM field_forms")
    other = {**json.loads(content), "columns": [*json.loads(content)["columns"], "tags.team"]}
    change(db, f"UPDATE field_forms SET content = '{json.dumps(other)}' WHERE id = {form}; DELETE FROM field_chunks WHERE path = "
               + ("convert_to('tags.team', 'UTF8')" if database.kind == "postgres" else "CAST('tags.team' AS BLOB)"))
    with Dashboard(bin_dir, db) as one:
        assert count(one, "tags.team", "eq", "a") == wanted
        wait_for(lambda: ask(db, f"SELECT count(*) FROM field_segments WHERE form = {form}") == [(0,)], "old leaves are gone", seconds=60)
        one.stop()
    break_documents(database, db)
    with Dashboard(bin_dir, db) as one:
        assert count(one, "tags.team", "eq", "a") == wanted
        one.stop()


@pytest.mark.threads
def test_queries_while_results_arrive(bin_dir, database, tmp_path):
    """Each response has a whole number of batches, and never fewer than were acknowledged before it was asked for."""
    db, batches, size = database.with_tables(tmp_path), 40 if LONG else 24, 25
    acknowledged, faults = [0], []

    def store(one):
        for batch in range(batches):
            some = [little(batch * size + i, tags={"n": batch, "all": 1}) for i in range(size)]
            one.upload("/api/upload/batch", some)
            acknowledged[0] = batch + 1

    with Dashboard(bin_dir, db) as one:
        writer = threading.Thread(target=store, args=[one])
        writer.start()
        while writer.is_alive():
            least = acknowledged[0]
            facet = one.post("/api/filters/apply", {"limit": 0, "filter": {"field": "tags.all", "op": "eq", "value": 1}, "facets": ["tags.n"]}).json
            if facet["count"] % size or facet["count"] < least * size or any(each["count"] != size for each in facet["facets"]["tags.n"]["values"]):
                faults.append((least, facet))
            time.sleep(0 if LONG else 0.01)
        writer.join()
        assert not faults, faults[0]
        assert count(one, "tags.n", "eq", batches - 1) == size and count(one, "tags.all", "is_recorded") == batches * size
        assert one.stop()[0] == 0
    assert ask(db, "SELECT count(*) FROM field_segments")[0][0] >= batches * size // SEGMENT - 1


def test_kills_while_results_arrive(bin_dir, database, tmp_path):
    """All stored results are indexed, whenever the process was killed."""
    db, rng = database.with_tables(tmp_path), random.Random(SEED)
    total = 600 if LONG else SEGMENT + 100
    documents = [little(number, tags={"n": number}) for number in range(total)]
    path = write_lines(tmp_path / "r.jsonl", documents)
    for _ in range(5 if LONG else 3):
        process = subprocess.Popen(dashboard_command(bin_dir, "import", path, "--db", db), env=environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.05, total / 1000) * PATIENCE)
        process.send_signal(signal.SIGKILL)
        process.wait()
    run_dashboard(bin_dir, "import", path, "--db", db)
    break_documents(database, db)
    with Dashboard(bin_dir, db) as one:
        assert count(one, "tags.n", "is_recorded") == total
        assert count(one, "tags.n", "between", [100, 199]) == 100
        assert one.stop()[0] == 0


@pytest.mark.one_database
def test_a_budget_limits_the_reading_of_documents(bin_dir, stored):
    """The same request continues, so a small budget ends, too. Each of a few requests reads a part of the documents."""
    db, documents = stored
    change(db, "DELETE FROM field_chunks; DELETE FROM field_segments; DELETE FROM field_rows")
    wanted = sum(document["tags"]["team"] == "a" for document in documents)
    request = {"filter": {"field": "launch.env.NEW", "op": "is_recorded"}, "facets": ["server.newer_object.x.y"], "limit": 0, "budget_ms": 1}
    with Dashboard(bin_dir, db) as one:
        answer, refused = one.post("/api/filters/apply", request), 0
        while answer.status == 503 and refused < 10 * ROWS:
            assert answer.headers["Retry-After"] == "1" and "budget_ms is used up" in answer.json["detail"], answer.body
            answer, refused = one.post("/api/filters/apply", request), refused + 1
        assert answer.status == 200 and answer.json["count"] == ROWS, answer.body
        assert refused > 0
        # without one, all are read
        assert one.get("/api/filters/values?field=tags.team").json["values"][0]["count"] in (wanted, ROWS - wanted)
        one.stop()
