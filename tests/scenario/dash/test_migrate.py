"""Databases of older programs are migrated to the present form with the same contents, even if the program is killed
meanwhile; rows of another reader are rebuilt."""
import contextlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import time

import pytest
from dashboard_tools import Dashboard, little, results
from database_tools import ask, change
from import_tools import dashboard_command, import_json, run_dashboard
from old_databases import BACK_TO_FORM_15, UNDO, back_to, of_form_1
from query_tools import made_results
from run_tools import environment

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
SEED = 18
KILLS = 60 if LONG else 4
ROWS = 400 if LONG else 60
GONE = ["results.p99_ttft_ms", "server.seed", "server.enforce_eager", "run.suite", "benchmark.request_rate", "server.compilation_config"]
TEXTS = ["run.suite", "server.compilation_config"]


def write(path, documents):
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def answers(bin_dir, db):
    """Returns all that documents say of all results, without the facts added by the store (stored.possible_duplicate),
    which older stores lacked."""
    with Dashboard(bin_dir, db) as one:
        rows = one.rows(columns=[field["id"] for field in one.get("/api/fields").json["fields"] if field["column"] and not field["id"].startswith("stored.")])
        facets = one.post("/api/filters/apply", {"limit": 0, "facets": True}).json["facets"]
        facets = {field: facet for field, facet in facets.items() if not field.startswith("stored.")}
        texts = [one.get(f"/api/data/experiments/{row['id']}/raw").body for row in rows]
        assert one.stop()[0] == 0
    return rows, facets, texts


@pytest.fixture
def old(bin_dir, tmp_path):
    """(a database of the first form, a job that was done in it, what one of today answers of the same results)"""
    import_json(bin_dir, write(tmp_path / "r.jsonl", [*results(4), *made_results(random.Random(SEED), 20)]), "--db", tmp_path / "now.db")
    fields = json.loads(run_dashboard(bin_dir, "fields", "--json").stdout)
    columns = [field["id"] for field in fields if field["column"] and field["id"] not in GONE and not field["id"].startswith("stored.")]
    told = answers(bin_dir, tmp_path / "now.db")
    return tmp_path / "old.db", of_form_1(tmp_path / "now.db", tmp_path / "old.db", columns, json.dumps(little("late")).encode()), told


def test_the_first_form_answers_the_same(bin_dir, old):
    db, job, told = old
    with Dashboard(bin_dir, db) as one:
        # what was taken before is stored now, and what was done is still told
        done = one.done("/api/upload/status/1")
        assert [item["state"] for item in done["items"]] == ["stored"] and done["items"][0]["run_id"] == "small-late"
        before = one.get(f"/api/upload/status/{job}").json
        assert before["state"] == "done" and [item["name"] for item in before["items"]] == ["r.json"]
        (late,) = [row["id"] for row in one.rows() if row["run_id"] == "small-late"]
        assert one.ask("DELETE", f"/api/data/experiments/{late}").status == 204
        one.stop()
    assert run_dashboard(bin_dir, "check", "--db", db).returncode == 0
    assert answers(bin_dir, db) == told
    assert ask(db, "PRAGMA integrity_check") == [("ok",)]


def test_marks_of_older_programs_are_repaired(bin_dir, tmp_path):
    """A store of form 9 has no inputs with its keys, and a mark of a result that was deleted since."""
    db = tmp_path / "a.db"
    figures = {"duration": 31.5, "mean_ttft_ms": 81.25, "mean_itl_ms": 9.875}
    sizes = [2, 2, 2, 8]
    documents = [{"run_id": f"r{i}", "config": {"server": {"tensor_parallel_size": size}}, "results": figures} for i, size in enumerate(sizes)]
    import_json(bin_dir, write(tmp_path / "r.jsonl", documents), "--db", db)
    change(db, BACK_TO_FORM_15 + 'DROP INDEX benchmark_runs_near; ALTER TABLE benchmark_runs DROP COLUMN near_inputs;'
               'CREATE INDEX benchmark_runs_near ON benchmark_runs (near_key); PRAGMA user_version = 9;'
               'DROP INDEX job_parts_sent_as; ALTER TABLE job_parts DROP COLUMN sent_as; CREATE INDEX job_parts_job ON job_parts (job);'
               'ALTER TABLE benchmark_runs DROP COLUMN upload; ALTER TABLE jobs DROP COLUMN author; ALTER TABLE job_items DROP COLUMN chosen_by; ALTER TABLE job_items DROP COLUMN expected;'
               'UPDATE benchmark_runs SET near = 1, "stored.possible_duplicate" = 1 WHERE id > 1; UPDATE benchmark_runs SET deleted = 1 WHERE id = 1')
    with Dashboard(bin_dir, db) as one:
        assert {row["id"]: row["cells"].get("stored.possible_duplicate") for row in one.rows(columns=["stored.possible_duplicate"])} == {2: None, 3: 2, 4: None}
        assert one.upload("/api/upload/json", {**documents[3], "run_id": "r4"})["items"][0]["possible_duplicates"] == [4]
        assert one.stop()[0] == 0
    assert run_dashboard(bin_dir, "check", "--db", db).returncode == 0


def rows_by_name(db, table):
    """Returns the rows as dicts: a migrated table has its columns in another order."""
    with sqlite3.connect(db) as file:
        file.row_factory = sqlite3.Row
        rows = [dict(row) for row in file.execute(f"SELECT * FROM {table} ORDER BY id")]
    file.close()
    return rows


def test_every_form_is_read_forever(bin_dir, tmp_path):
    """One database of each form: rows, documents and checks are the same after the migration (documents: test_earlier_files.py)."""
    now = tmp_path / "now.db"
    documents = [*results(1), *made_results(random.Random(SEED), 4), little("plain", launch={"other_servers_max": 1})]
    import_json(bin_dir, write(tmp_path / "r.jsonl", documents), "--db", now)
    ((present,),) = ask(now, "PRAGMA user_version")
    assert sorted(UNDO) == list(range(2, present + 1)), "a new step needs a row of UNDO in old_databases.py"
    runs, texts = rows_by_name(now, "benchmark_runs"), rows_by_name(now, "benchmark_documents")
    assert len(runs) == len(documents) and ask(now, "SELECT count(*) FROM dictionaries") != [(0,)]
    for form in range(1, present):
        db = tmp_path / f"{form}.db"
        shutil.copy(now, db)
        change(db, back_to(form, present))
        assert ask(db, "PRAGMA user_version") == [(form,)]
        found = run_dashboard(bin_dir, "check", "--json", "--db", db)
        assert found.returncode == 0, (form, found.stdout + found.stderr)
        assert json.loads(found.stdout)["results"] == len(documents)
        assert ask(db, "PRAGMA user_version") == [(present,)]
        assert rows_by_name(db, "benchmark_documents") == texts
        # the version of the last change and the marks of the first steps are made again
        for before, after in zip(runs, rows_by_name(db, "benchmark_runs"), strict=True):
            assert {name: (before[name], after[name]) for name in before if before[name] != after[name] and name not in ("changed", "near_key", "near_inputs")} == {}, form


def test_a_newer_form_is_left_alone(bin_dir, tmp_path):
    db = tmp_path / "a.db"
    import_json(bin_dir, write(tmp_path / "r.jsonl", results(1)), "--db", db)
    change(db, "PRAGMA user_version = 99")
    before = db.read_bytes()
    for words in (["serve", "--port", "0"], ["check"], ["reindex"]):
        done = run_dashboard(bin_dir, *words, "--db", db)
        assert done.returncode == 2 and "found database format 99, expected" in done.stderr and "use that version" in done.stderr
    assert db.read_bytes() == before


def drop(database, db, names):
    change(db, "DROP VIEW benchmark_results")
    if database.kind == "sqlite":
        return change(db, ";".join(f'ALTER TABLE benchmark_runs DROP COLUMN "{name}"' for name in names))
    return change(db, ";".join(f'ALTER TABLE {"benchmark_texts" if name in TEXTS else "benchmark_runs"} DROP COLUMN "{name}"' for name in names))


def columns_of(database, db):
    if database.kind == "sqlite":
        return {name for (name,) in ask(db, "SELECT name FROM pragma_table_info('benchmark_runs')")}
    return {name for (name,) in ask(db, "SELECT attname::text n FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid IN"
                                        " ('benchmark_runs'::regclass, 'benchmark_texts'::regclass)")}


def test_filling_of_many_results_reports_its_progress(bin_dir, database, tmp_path):
    few, many = database.new(tmp_path, "few.db"), database.new(tmp_path, "many.db")
    for db, count in ((few, 20), (many, 600)):
        import_json(bin_dir, write(tmp_path / "r.jsonl", [{"run_id": f"r{i}", "results": {"mean_ttft_ms": i}} for i in range(count)]), "--db", db)
        drop(database, db, ["results.mean_ttft_ms"])
    log = opened(bin_dir, few)
    assert "filling 1 new columns from 20 stored documents" in log and "filled" not in log
    log = opened(bin_dir, many)
    assert re.findall(r"filled the new columns of (\d+) of 600 results", log) == [str(60 * i) for i in range(1, 11)]
    assert "filling" not in opened(bin_dir, many)


def opened(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        status, out, err = one.stop()
    assert status == 0
    return out + err


def test_columns_and_statuses_of_form_13_are_renamed(bin_dir, database, tmp_path):
    """A store of form 13 has fields and statuses of checks with the names of schema_version 2."""
    statuses = ["passed", "over_limit", "unknown", "other"]
    checks = [[{"id": id_, "status": status, "value": 0.5} for id_ in ("client_error", "concurrency_limited")] for status in statuses]
    documents = [{"run_id": f"r{i}", "schema_version": 1, "launch": {"other_servers_max": i or None}, "quality": {"verdict": None, "checks": checks[i]}}
                 for i in range(4)]
    db = database.new(tmp_path)
    import_json(bin_dir, write(tmp_path / "r.jsonl", documents), "--db", db)
    told = answers(bin_dir, db)
    texts = "benchmark_texts" if database.kind == "postgres" else "benchmark_runs"
    change(db, BACK_TO_FORM_15 + 'ALTER TABLE benchmark_runs RENAME COLUMN "launch.other_servers_max" TO "launch.beside";'
               'ALTER TABLE benchmark_runs RENAME COLUMN "quality.concurrency_limited.value" TO "quality.cap_held_rate.value";'
               f'ALTER TABLE {texts} RENAME COLUMN "quality.concurrency_limited.status" TO "quality.cap_held_rate.status";'
               + "".join(f"UPDATE {texts} SET \"quality.{id_}.status\" = '{former}' WHERE \"quality.{id_}.status\" = '{name}';"
                         for id_ in ("client_error", "cap_held_rate") for former, name in (("ok", "passed"), ("beyond", "over_limit")))
               + ("UPDATE store_form SET form = 13" if database.kind == "postgres" else "PRAGMA user_version = 13"))
    before = len(columns_of(database, db))
    assert answers(bin_dir, db) == told
    assert len(columns_of(database, db)) == before and "launch.beside" not in columns_of(database, db)
    assert run_dashboard(bin_dir, "check", "--db", db).returncode == 0


@pytest.mark.release_only  # what is killed leaves nothing to a sanitizer
def test_a_kill_leaves_the_old_form_or_the_new_one(bin_dir, database, tmp_path):
    """Columns come with their values, or not at all."""
    path = write(tmp_path / "r.jsonl", [*results(4), *made_results(random.Random(SEED), ROWS)])
    db = database.new(tmp_path)
    import_json(bin_dir, path, "--db", db)
    told = answers(bin_dir, db)
    drop(database, db, GONE)
    start = time.monotonic()
    assert run_dashboard(bin_dir, "check", "--db", db).returncode == 0
    whole = time.monotonic() - start
    rng = random.Random(SEED)
    seen = set()
    for number in range(KILLS):
        drop(database, db, GONE)
        process = subprocess.Popen(dashboard_command(bin_dir, "check", "--db", db), env=environment(), stdout=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            # the first are killed for sure before they are done, one is left alone
            process.wait(None if number == KILLS - 1 else rng.uniform(0, whole * (0.5 if number < 2 else 1)))
        process.kill()
        process.wait()
        there = set(GONE) & columns_of(database, db)
        assert there in (set(), set(GONE))
        seen.add(bool(there))
        done = run_dashboard(bin_dir, "check", "--db", db)
        assert done.returncode == 0, done.stdout + done.stderr
    assert True in seen
    assert answers(bin_dir, db) == told


def test_rows_of_another_reader_are_read_again(bin_dir, database, tmp_path):
    """Simulates a new row of the tables whose column an older program had filled in another way."""
    db = database.new(tmp_path)
    import_json(bin_dir, write(tmp_path / "r.jsonl", results(5)), "--db", db)
    told = answers(bin_dir, db)
    change(db, 'UPDATE benchmark_runs SET "results.p99_ttft_ms" = NULL, "server.seed" = 77 WHERE id <= 3')
    done = run_dashboard(bin_dir, "check", "--db", db, "--json")
    said = json.loads(done.stdout)
    assert (done.returncode, said["results"], said["differing"], said["broken"], said["faults"]) == (1, 5, 3, 0, 0)
    assert [one["id"] for one in said["problems"]] == [1, 2, 3] and all("results.p99_ttft_ms" in one["message"] for one in said["problems"])
    tree = json.dumps({"field": "run.run_id", "op": "eq", "value": "exp_20260101_000000_000001"})
    assert json.loads(run_dashboard(bin_dir, "reindex", "--db", db, "--dry-run", "--json").stdout)["written"] == 0
    with Dashboard(bin_dir, db) as one:
        # only what the filter means; a server that runs takes it in
        said = json.loads(run_dashboard(bin_dir, "reindex", "--db", db, "--filter", tree, "--json").stdout)
        assert (said["results"], said["written"], said["broken"]) == (1, 1, 0)
        cells = [row["cells"].get("results.p99_ttft_ms") for row in one.rows(columns=["results.p99_ttft_ms"])]
        assert cells == [None, 101.0, None, 103.0, 104.0]
        (tmp_path / "filter.json").write_text("null")
        assert json.loads(run_dashboard(bin_dir, "reindex", "--db", db, "--filter", f"@{tmp_path}/filter.json", "--json").stdout)["written"] == 2
        one.stop()
    assert answers(bin_dir, db) == told
    assert json.loads(run_dashboard(bin_dir, "reindex", "--db", db, "--json").stdout)["written"] == 0


def test_findings_of_check(bin_dir, database, tmp_path):
    db = database.new(tmp_path)
    import_json(bin_dir, write(tmp_path / "r.jsonl", [*results(3), *made_results(random.Random(SEED), 3)]), "--db", db)
    zero = "'\\x00'" if database.kind == "postgres" else "x'00'"
    change(db, f"UPDATE benchmark_documents SET bytes = {zero} WHERE id = 1; DELETE FROM benchmark_documents WHERE id = 2;"
               "INSERT INTO artifacts (run_id, kind, name, sha256, bytes, stored_at) VALUES"
               f" ('exp_20260101_000000_000000', 'trace', 'a', '{'0' * 64}', 5, '2026-01-01T00:00:00.000Z');"
               f"UPDATE benchmark_runs SET content_sha256 = '{'1' * 64}' WHERE id = 4; UPDATE benchmark_runs SET run_id = 'other' WHERE id = 5")
    done = run_dashboard(bin_dir, "check", "--db", db)
    assert done.returncode == 1
    for line in ("result 1: ", "result 2: its document is missing", "result 1: artifact 'a' of kind trace, of run 'exp_20260101_000000_000000': its file ",
                 f"result 4: content_sha256: found {'1' * 64}, expected ", "result 5: run_id: found 'other', expected '",
                 "6 results: 0 rows differ", "2 unreadable documents", "3 other problems; 0 files without a run"):
        assert line in done.stdout, done.stdout
    # what cannot be read stays as it is
    for name in ("reindex", "remap"):  # the present name, and a former one
        done = run_dashboard(bin_dir, name, "--db", db)
        assert done.returncode == 1 and "6 results: 0 rewritten, 2 unreadable documents" in done.stdout


@pytest.mark.parametrize("words, says", [
    (["--filter", "{"], "--filter"), (["--filter", '{"field": "server.sed", "op": "eq", "value": 1}'], "did you mean 'server.seed'?"),
    (["--filter", '{"field": "server.seed", "op": "equal", "value": 1}'], "--filter: /op: found \"equal\", expected one of \"eq\""),
    (["--filter", json.dumps({"and": [{"field": "server.seed", "op": "is_null"}] * 1000})], "--filter: /and/999: found an object, expected at most 1000 nodes"),
    (["--filter", "@none.json"], "none.json"), (["--db", "none.db"], "none.db")])
def test_what_reindex_is_not_given(bin_dir, tmp_path, words, says):
    import_json(bin_dir, write(tmp_path / "r.jsonl", results(1)), "--db", tmp_path / "a.db")
    done = run_dashboard(bin_dir, "reindex", *(words if "--db" in words else ["--db", "a.db", *words]), cwd=tmp_path)
    assert done.returncode == 2 and says in done.stderr and not (tmp_path / "none.db").exists()


def test_two_that_open_an_old_one_at_once(bin_dir, old):
    db, _, _ = old
    running = [subprocess.Popen(dashboard_command(bin_dir, "check", "--db", db), env=environment(), stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
