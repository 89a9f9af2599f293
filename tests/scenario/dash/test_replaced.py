"""Other data replaces the database while dashboards run, by other means than `profllm-dashboard restore`: a dump that is loaded, a
copy over the file. All processes notice it, whatever data version the other data has."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from dashboard_tools import GOOD, Dashboard
from database_tools import Postgres, ask, is_address
from import_tools import run_dashboard
from run_tools import TIMEOUT_S
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
APPLY = "/api/filters/apply"


SERIES = ["first", "former", "other", "later", "there", "late"]


def run_ids(series):
    return f"exp_20260101_{SERIES.index(series):06}_"


def made(number, series):
    """Returns a result whose fields tell to which series it belongs, with a field that has no column."""
    return {**GOOD, "run_id": f"{run_ids(series)}{number:06x}", "suite": series, "results": {**GOOD["results"], "p99_ttft_ms": float(number)},
            "config": {**GOOD["config"], "server": {**GOOD["config"]["server"], "compilation_config": {f"only_{series}": number}}}}


def some(series, first, count):
    return [made(number, series) for number in range(first, first + count)]


def dump(db, path):
    if is_address(db):
        subprocess.run(["pg_dump", "-Fc", "-f", path, db], check=True, timeout=TIMEOUT_S)
    else:
        copy(db, path)


def copy(source, target):
    end = time.monotonic() + TIMEOUT_S

    def look(*_):
        assert time.monotonic() < end, f"{target} is locked"
    with contextlib.closing(sqlite3.connect(source)) as one, contextlib.closing(sqlite3.connect(target)) as other:
        one.backup(other, progress=look)


def load(db, path, is_whole=True):
    """Loads a dump over a database that is in use. is_whole: in one transaction."""
    if not is_address(db):
        copy(path, db)
        return
    # statements of the dashboards hold no lock for long
    how = ["--single-transaction"] if is_whole else []
    done = subprocess.run(["pg_restore", "--clean", *how, "-d", db, path], capture_output=True, text=True, timeout=TIMEOUT_S, env=Postgres.environment())
    assert done.returncode == 0, done.stderr


def is_free(db):
    """Whether no process holds a lock that would block load()."""
    if is_address(db):
        busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
        return ask(db, busy) == [(0,)]
    with contextlib.closing(sqlite3.connect(db, timeout=0, isolation_level=None)) as one:
        try:
            one.execute("BEGIN IMMEDIATE")
            one.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return False
        return one.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()[0] == 0


def is_stopped(dashboard):
    threads = Path(f"/proc/{dashboard.process.pid}/task").glob("*/stat")
    return all(thread.read_text().rpartition(")")[2].split()[0] == "T" for thread in threads)


def pause(dashboards, db):
    """Stops the processes at a time when none of them has a transaction."""
    def is_paused():
        for each in dashboards:
            each.process.send_signal(signal.SIGSTOP)
        wait_for(lambda: all(map(is_stopped, dashboards)), "all processes stop")
        if is_free(db):
            return True
        for each in dashboards:
            each.process.send_signal(signal.SIGCONT)
        time.sleep(0.2)
        return False
    wait_for(is_paused, "all processes are between transactions")


def of_sql(db):
    return [run_id for (run_id,) in ask(db, "SELECT run_id FROM benchmark_runs WHERE deleted = 0 ORDER BY run_id")]


def version_of(db):
    return ask(db, "SELECT data_version FROM store_state")[0][0]


def count(one, field, op, value):
    answer = one.post(APPLY, {"filter": {"field": field, "op": op, "value": value}, "limit": 0})
    assert answer.status == 200, answer.body
    return answer.json["count"]


def check_same(dashboards, db, series):
    """Each dashboard answers from the rows that SQL sees."""
    expected = of_sql(db)
    for one in dashboards:
        assert [row["run_id"] for row in one.rows()] == expected
        counts = {name: len([each for each in expected if each.startswith(run_ids(name))]) for name in series}
        for name in series:
            assert count(one, "run.suite", "eq", name) == counts[name]
            # a field without a column: from the index, or from documents
            assert count(one, f"server.compilation_config.only_{name}", "ge", 0) == counts[name]
        facet = one.post(APPLY, {"limit": 0, "facets": ["run.suite"]}).json["facets"]["run.suite"]["values"]
        assert {item["value"]: item["count"] for item in facet} == {name: each for name, each in counts.items() if each}
        page = one.post(APPLY, {"limit": 200, "sort": [{"field": "run.run_id", "dir": "asc"}]}).json["rows"]
        for row in (page[0], page[-1]):
            answer = one.get(f"/api/data/experiments/{row['id']}")
            assert answer.status == 200 and answer.json["run_id"] == row["run_id"], answer.body


def store(one, results):
    done = one.upload("/api/upload/batch", results)
    counts = done["counts"]
    assert counts["stored"] == len(results), (counts, done["items"][:1])


def check_stored(bin_dir, db):
    done = run_dashboard(bin_dir, "check", "--db", db)
    assert done.returncode == 0, done.stdout + done.stderr


def start(stack, bin_dir, db):
    """SQLite: one process works on uploads."""
    return [stack.enter_context(Dashboard(bin_dir, db)) for _ in range(2 if is_address(db) else 1)]


@pytest.mark.one_database
@pytest.mark.parametrize("after", ["earlier", "equal", "later"])
def test_an_older_dump_is_loaded(bin_dir, database, tmp_path, after):
    """after: the version that the loaded data has reached when the dashboards answer again."""
    db = database.with_tables(tmp_path)
    with contextlib.ExitStack() as stack:
        dashboards = start(stack, bin_dir, db)
        one, other = dashboards[0], dashboards[-1]
        store(one, some("first", 0, 30))
        dump(db, tmp_path / "dump")
        store(other, some("former", 0, 12))
        for each in dashboards:
            assert each.ask("DELETE", f"/api/data/experiments/{each.ids()[0]}").status == 204
            check_same(dashboards, db, ["first", "former"])
        former = version_of(db)
        asked = {"limit": 10, "sort": [{"field": "run.run_id", "dir": "asc"}]}
        cursors = [each.post(APPLY, asked).json["next_cursor"] for each in dashboards]
        tagged = {each: each.get("/api/data/experiments?limit=5") for each in dashboards}
        assert all(each.get("/api/data/experiments?limit=5", **{"If-None-Match": tagged[each].headers["ETag"]}).status == 304 for each in dashboards)

        pause(dashboards, db)
        load(db, tmp_path / "dump")
        assert version_of(db) < former
        if after != "earlier":
            # another program writes before a dashboard looks
            rows = former - version_of(db) + (0 if after == "equal" else 3)
            assert rows > 0
            (tmp_path / "other.jsonl").write_text("".join(json.dumps(each) + "\n" for each in some("other", 0, rows)))
            done = run_dashboard(bin_dir, "import", tmp_path / "other.jsonl", "--db", db)
            assert done.returncode == 0, done.stderr
        assert after == "earlier" or version_of(db) - former == (0 if after == "equal" else 3)
        for each in dashboards:
            each.process.send_signal(signal.SIGCONT)
        check_same(dashboards, db, ["first", "former", "other"])
        assert version_of(db) > former
        for each, cursor in zip(dashboards, cursors, strict=True):
            refused = each.post(APPLY, {**asked, "cursor": cursor})
            assert refused.status == 422 and "present database" in refused.json["detail"], refused.body
            assert each.get("/api/data/experiments?limit=5", **{"If-None-Match": tagged[each].headers["ETag"]}).status == 200
        # they follow again
        for number, each in enumerate(dashboards):
            store(each, some("later", 10 * number, 10))
            check_same(dashboards, db, ["first", "former", "other", "later"])
        for each in dashboards:
            assert each.stop()[0] == 0
    check_stored(bin_dir, db)


def test_another_database_with_the_same_version(bin_dir, database, tmp_path):
    """The versions are equal, and so are the ids: the rows differ."""
    (tmp_path / "there").mkdir()
    db, there = database.with_tables(tmp_path), database.with_tables(tmp_path / "there")
    with Dashboard(bin_dir, there) as one:
        store(one, some("there", 0, 20))
        assert one.stop()[0] == 0
    with contextlib.ExitStack() as stack:
        dashboards = start(stack, bin_dir, db)
        store(dashboards[0], some("first", 0, 20))
        check_same(dashboards, db, ["first", "there"])
        dump(there, tmp_path / "dump")
        assert version_of(db) == version_of(there)
        load(db, tmp_path / "dump")
        check_same(dashboards, db, ["first", "there"])
        assert len(dashboards[0].rows(filter={"field": "run.suite", "op": "eq", "value": "there"})) == 20
        # a document is compressed with a dictionary of the present database only
        store(dashboards[-1], some("later", 0, 5))
        check_same(dashboards, db, ["first", "there", "later"])
        for each in dashboards:
            assert each.stop()[0] == 0
    check_stored(bin_dir, db)


def test_writers_notice_it_before_readers(bin_dir, database, tmp_path):
    """An import that has begun before the data were replaced stores no document that the present data cannot decompress."""
    db = database.with_tables(tmp_path)
    with contextlib.ExitStack() as stack:
        dashboards = start(stack, bin_dir, db)
        store(dashboards[0], some("first", 0, 3))
        dump(db, tmp_path / "dump")
        store(dashboards[0], some("former", 0, 40))
        pause(dashboards, db)
        load(db, tmp_path / "dump")
        for each in dashboards:
            each.process.send_signal(signal.SIGCONT)
        answers = [dashboards[0].post("/api/upload/json", made(number, "late")) for number in range(10)]
        for answer in answers:
            assert answer.status == 202 or (answer.status == 503 and answer.headers["Retry-After"]), answer.body
            if answer.status == 202:
                dashboards[0].done(answer.json["status_url"])
        check_same(dashboards, db, ["first", "former", "late"])
        for each in dashboards:
            assert each.stop()[0] == 0
    check_stored(bin_dir, db)


def test_a_dump_that_is_loaded_in_pieces(bin_dir, postgres, tmp_path):
    """Until its last statement, the dashboards answer with what they have, or refuse; after it, with all rows."""
    db = postgres.with_tables()
    with Dashboard(bin_dir, db) as one, Dashboard(bin_dir, db) as other:
        store(one, some("first", 0, 30))
        dump(db, tmp_path / "dump")
        store(other, some("former", 0, 12))
        check_same([one, other], db, ["first", "former"])
        text = subprocess.run(["pg_restore", "--clean", "-f", "-", tmp_path / "dump"], check=True, capture_output=True, text=True).stdout
        # a statement, or a table with its rows
        parts, lines = [], []
        for line in text.splitlines(keepends=True):
            lines.append(line)
            is_rows = any(each.startswith("COPY ") for each in lines)
            if line == "\\.\n" or (line.endswith(";\n") and not is_rows):
                parts.append("".join(lines))
                lines = []
        waiting = ""
        for number, part in enumerate(parts):
            waiting += part
            if number % (7 if LONG else 28) == 0 or "COPY " in part:
                Postgres.sql(db, waiting)
                waiting = ""
                for each in (one, other):
                    answer = each.post(APPLY, {"limit": 0})
                    assert answer.status == 503 or (answer.status == 200 and answer.json["total"] in (42, 30)), (part, answer.body)
        Postgres.sql(db, waiting)
        wait_for(lambda: all(each.post(APPLY, {"limit": 0}).status == 200 for each in (one, other)), "they answer")
        check_same([one, other], db, ["first", "former"])
        assert one.stop()[0] == other.stop()[0] == 0
    check_stored(bin_dir, db)
