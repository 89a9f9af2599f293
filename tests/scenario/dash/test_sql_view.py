"""The view benchmark_results (docs/reference/sql.md): the values of the API, stable columns, and the examples of the page."""
import json
import random
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest
from dashboard_tools import GOOD, Dashboard
from database_tools import Postgres, ask, change
from import_tools import import_json
from query_tools import made_results

SOURCE = Path(__file__).resolve().parents[3]
PAGE = (SOURCE / "docs/reference/sql.md").read_text()
COMMITTED = [line.split() for line in (Path(__file__).parent.parent / "data/sql_view.txt").read_text().splitlines()]
SEED = 41
EXAMPLES = re.findall(r"```sql\n(SELECT.*?)```", PAGE, re.S)
FIXED = ["id", "run_id", "name", "form", "stored_at", "content_sha256", "explicit_fields"]
TYPES = {"number": "double", "count": "double", "yes": "boolean", "text": "text", "time": "text", "json": "text"}
IN_POSTGRES = {"double precision": "double", "boolean": "boolean", "text": "text", "bigint": "integer"}
IN_SQLITE = {"REAL": "double", "INTEGER": "boolean", "TEXT": "text"}


@pytest.fixture(scope="module")
def stored(bin_dir, database, tmp_path_factory):
    """A database for all tests, which leave its view complete."""
    tmp_path = tmp_path_factory.mktemp("view")
    db = database.with_tables(tmp_path)
    documents = [{**GOOD, "run_id": "exp_20260101_000000_00000a"}, *made_results(random.Random(SEED), 40)]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    assert import_json(bin_dir, tmp_path / "r.jsonl", "--db", db)["counts"]["stored"] == len(documents)
    return db


def count_of(db):
    return ask(db, "SELECT count(*) FROM benchmark_runs WHERE deleted = 0")[0][0]


def columns_of(db, database):
    """Returns [(name, type)] of the view, in its order."""
    if database.kind == "postgres":
        return [(name, IN_POSTGRES[kind]) for name, kind in ask(db, "SELECT column_name::text, data_type::text FROM information_schema.columns"
                                                                " WHERE table_name = 'benchmark_results' ORDER BY ordinal_position")]
    ((text,),) = ask(db, "SELECT sql FROM sqlite_master WHERE name = 'benchmark_results'")
    types = {name: IN_SQLITE[kind] for kind, name in re.findall(r'AS (\w+)\) AS "([^"]+)"', text)}
    return [(row[1], types.get(row[1], "integer" if row[1] == "id" else "text")) for row in ask(db, "SELECT * FROM pragma_table_info('benchmark_results')")]


def in_view(value, kind):
    """Returns the value of a cell of the API as the view has it."""
    if kind == "double":
        value = float(value) if value in ("inf", "-inf") else value
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    return value if isinstance(value, str) else None


def same(found, value, field):
    if field["type"] == "json":
        return (json.loads(found) if found is not None else None) == (value if isinstance(value, (dict, list)) else None)
    return (float(found) if found in ("Infinity", "-Infinity") else found) == in_view(value, TYPES[field["type"]])


def rows_of(db, names):
    """Returns {id: {name: value}}, some columns at a time: a row of PostgreSQL is a line of JSON."""
    found = {}
    for first in range(0, len(names), 300):
        some = names[first:first + 300]
        for id_, *row in ask(db, f"SELECT id, {', '.join(chr(34) + name + chr(34) for name in some)} FROM benchmark_results"):
            found.setdefault(id_, {}).update(zip(some, row, strict=True))
    return found


def check_equal(one, db):
    fields = {row["id"]: row for row in one.get("/api/fields").json["fields"] if row["column"] and not row["id"].startswith("derived.cost")
              and not row["id"].startswith("derived.carbon")}
    names = [name for name, _ in COMMITTED if name in fields]
    assert len(names) > 900
    view, cells, filled = rows_of(db, names), {}, 0
    for first in range(0, len(names), 200):
        for row in one.post("/api/filters/apply", {"columns": names[first:first + 200], "limit": 200}).json["rows"]:
            cells.setdefault(row["id"], {}).update(row["cells"])
    assert view.keys() == cells.keys() and len(view) == count_of(db)
    for id_, row in view.items():
        for name, found in row.items():
            value = cells[id_].get(name)
            assert same(found, value, fields[name]), (id_, name, found, value)
            filled += found is not None
    assert filled > 600


def test_the_view_has_the_values_of_the_api(bin_dir, stored):
    """Numbers, infinite too; values of another type, unset and missing ones are NULL. Deleted results are left out."""
    db, count = stored, count_of(stored)
    with Dashboard(bin_dir, db) as one:
        check_equal(one, db)
        for id_ in (2, 3):
            assert one.ask("DELETE", f"/api/data/experiments/{id_}").status in (200, 204)
        assert one.ask("POST", "/api/data/experiments/3/restore").status in (200, 204)
        check_equal(one, db)
        one.stop()
    assert count_of(db) == count - 1
    odd = ask(db, "SELECT count(*) FROM benchmark_results WHERE \"server.max_model_len\" IS NULL")[0][0]
    assert 0 < odd < count - 1


def test_columns_stay(database, stored):
    """Users' queries depend on them. Append new columns to data/sql_view.txt; never remove one or change its type."""
    found = columns_of(stored, database)
    assert [name for name, _ in found[:len(FIXED)]] == FIXED
    types = dict(found)
    assert {name: types.get(name) for name, _ in COMMITTED} == dict(COMMITTED)
    assert sorted(types.keys() - dict(COMMITTED).keys()) == []
    shown = dict(re.findall(r"^\| `([^`]+)` \| (\w+) \|", PAGE, re.M))
    assert {name: {"time": "text", "JSON": "text"}.get(kind, kind) for name, kind in shown.items()} == dict(COMMITTED)


def test_examples(stored):
    assert len(EXAMPLES) >= 4
    for text in EXAMPLES:
        assert ask(stored, text) or "launch_failed" in text


def view_without(db, database, names):
    """Replaces the view by that of an older program, which lacked these columns."""
    ((text,),) = ask(db, "SELECT pg_get_viewdef('benchmark_results'::regclass)" if database.kind == "postgres"
                     else "SELECT sql FROM sqlite_master WHERE name = 'benchmark_results'")
    for name in names:
        text, count = re.subn(r'\s*benchmark_\w+\."' + re.escape(name) + '",' if database.kind == "postgres"
                              else r', CAST\(CASE WHEN typeof\("' + re.escape(name) + r'"\)[^,]*(?:, \'real\'\)[^,]*)? AS "' + re.escape(name) + '"', "", text)
        assert count == 1, (name, text[:500])
    change(db, "DROP VIEW benchmark_results; " + ("CREATE VIEW benchmark_results AS " if database.kind == "postgres" else "") + text.rstrip("; "))


def test_new_columns_follow_the_others(bin_dir, database, stored):
    """Other columns keep their order, and roles their rights. A view that is missing is made."""
    db = stored
    lacked = ["server.seed", "results.p99_ttft_ms", "run.suite"]
    before = columns_of(db, database)
    view_without(db, database, lacked)
    assert len(columns_of(db, database)) == len(before) - 3
    if database.kind == "postgres":
        change(db, "DROP ROLE IF EXISTS grantee; CREATE ROLE grantee; GRANT SELECT ON benchmark_results TO grantee")
    with Dashboard(bin_dir, db) as one:
        found = columns_of(db, database)
        assert found[:-3] == [pair for pair in before if pair[0] not in lacked]
        assert sorted(found[-3:]) == sorted(pair for pair in before if pair[0] in lacked)
        check_equal(one, db)
        one.stop()
    if database.kind == "postgres":
        assert ask(db, "SELECT has_table_privilege('grantee', 'benchmark_results', 'SELECT')") == [(True,)]
        change(db, "REVOKE ALL ON benchmark_results FROM grantee; DROP ROLE grantee")
    change(db, "DROP VIEW benchmark_results")
    with Dashboard(bin_dir, db) as one:
        assert columns_of(db, database) == before
        one.stop()


def test_read_only(database, stored):
    """The page's ways to open the database: the view can be read, and nothing else can."""
    db, count = stored, count_of(stored)
    if database.kind == "sqlite":
        reader = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
        assert reader.execute("SELECT count(*) FROM benchmark_results").fetchall() == [(count,)]
        with pytest.raises(sqlite3.OperationalError):
            reader.execute("UPDATE benchmark_runs SET deleted = 1")
        reader.close()
        return
    (role,) = re.findall(r"```sql\n(CREATE ROLE.*?)```", PAGE, re.S)
    change(db, role)
    try:
        address = db.replace("profllm@", "reader@", 1)
        assert ask(address, "SELECT count(*) FROM benchmark_results") == [(count,)]
        for text in ("SELECT * FROM benchmark_runs", "SELECT * FROM sessions", "DELETE FROM benchmark_runs"):
            done = subprocess.run(["psql", "-XqAt", address, "-c", text], capture_output=True, text=True, env=Postgres.environment(), check=False)
            assert done.returncode != 0 and "permission denied" in done.stderr, (text, done)
    finally:
        change(db, "DROP OWNED BY reader; DROP ROLE reader")
