"""Properties of PostgreSQL: several dashboards over one database, a server that disappears and returns, passwords, foreign
databases, the maximum width of a row. Behavior common to all databases is tested in the other files (the fixture
`database`)."""
import contextlib
import json
import signal
import subprocess
import threading
import time
import urllib.parse

import pytest
from dashboard_tools import GOOD, Dashboard, little, results
from database_tools import Postgres, ask, change, transaction, writing
from import_tools import dashboard_command, import_json, run_dashboard
from run_tools import TIMEOUT_S, environment
from wait_tools import wait_for

PAGE = 8192
HEAP_TUPLE_MAX = 8160  # MaxHeapTupleSize


@pytest.fixture
def db(postgres):
    return postgres.new()


@pytest.fixture
def dashboard(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        yield one


def locks(db, key, dashboard, granted):
    """Counts the connections of a dashboard that hold, or wait for, the advisory lock of this key."""
    ((count,),) = ask(db, "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory'"
                          f" AND l.classid = {key} AND l.granted = {granted} AND a.datname = current_database()"
                          f" AND a.application_name LIKE '%process {dashboard.process.pid}'")
    return count


# ---- several processes ---------------------------------------------------------------------------


@pytest.mark.threads
def test_two_dashboards_stay_in_step(bin_dir, db):
    with Dashboard(bin_dir, db) as one, Dashboard(bin_dir, db) as other:
        for number in range(6):
            here, there = (one, other) if number % 2 else (other, one)
            assert here.upload("/api/upload/json", little(number))["counts"]["stored"] == 1
            # at once, without a wait: each answer has what was stored before it was asked for
            assert [row["run_id"] for row in there.rows()] == [f"small-{i}" for i in range(number + 1)]
            assert there.get("/api/health").json["total"] == number + 1
        assert one.rows() == other.rows()
        # the same result, uploaded to both, is stored once
        jobs = [each.post("/api/upload/json", little("same")) for each in (one, other)]
        done = [each.job(job)["counts"] for each, job in zip((one, other), jobs, strict=True)]
        assert sorted(job["stored"] for job in done) == [0, 1] and sorted(job["duplicate"] for job in done) == [0, 1]
        # who works on uploads ends: the other one does
        one.stop(9)
        assert other.upload("/api/upload/json", little("behind"))["counts"]["stored"] == 1
        assert other.stop() == (0, "", "")


@pytest.mark.threads
def test_readers_see_late_commits(bin_dir, dashboard, db, tmp_path):
    """A writer, in any process, is alone from its first number to its commit; readers get responses meanwhile."""
    dashboard.upload("/api/upload/json", little(0))
    version = dashboard.get("/api/health").json["data_version"]
    (tmp_path / "r.json").write_text(json.dumps(little(1)))
    with writing(db, "UPDATE store_state SET data_version = data_version + 1"):
        other = subprocess.Popen(dashboard_command(bin_dir, "import", tmp_path / "r.json", "--db", db), env=environment(),
                                 stdout=subprocess.DEVNULL)
        answer = dashboard.post("/api/filters/apply", {})
        assert (answer.json["count"], answer.json["data_version"]) == (1, version)
    assert other.wait(TIMEOUT_S) == 0
    assert [row["run_id"] for row in dashboard.rows()] == ["small-0", "small-1"]
    assert ask(db, "SELECT data_version FROM store_state") == [(version + 2,)]


def test_uploads_and_questions_of_two_processes_at_once(bin_dir, db):
    with Dashboard(bin_dir, db) as one, Dashboard(bin_dir, db) as other:
        faults, counts = [], []

        def send(each, first):
            try:
                for i in range(first, first + 40, 10):
                    counts.append(each.upload("/api/upload/batch", [little(n) for n in range(i, i + 10)])["counts"])
            except AssertionError as fault:
                faults.append(fault)

        threads = [threading.Thread(target=send, args=pair) for pair in ((one, 0), (other, 0), (other, 40))]
        for thread in threads:
            thread.start()
        seen = 0
        while any(thread.is_alive() for thread in threads):
            total = one.post("/api/filters/apply", {"limit": 0}).json["total"]
            assert total >= seen
            seen = total
        assert not faults, faults
        assert sum(count["stored"] for count in counts) == 80 and sum(count["duplicate"] for count in counts) == 40
        assert len(one.rows()) == len(other.rows()) == 80
    assert ask(db, "SELECT count(*), count(DISTINCT content_sha256) FROM benchmark_runs") == [(80, 80)]


def test_a_part_of_which_another_process_takes_the_rest(bin_dir, db):
    """The process that works on a part sleeps until the server gives its locks to the other process."""
    count, at = 400, 150  # a transaction takes 128 of them
    lines = b"".join(json.dumps(little(number)).encode() + b"\n" for number in range(count))
    with Dashboard(bin_dir, db) as one, Dashboard(bin_dir, db) as other:
        # whoever comes to this result stops there, with all of its group, until the lock is free
        change(db, "CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1, 2); RETURN NEW; END $$;"
                   f"CREATE TRIGGER halt BEFORE INSERT ON benchmark_runs FOR EACH ROW WHEN (NEW.run_id = 'small-{at}') EXECUTE FUNCTION halt()")
        with transaction(db, "SELECT pg_advisory_xact_lock(1, 2)"):
            job = one.post("/api/upload/batch?on_conflict=keep", lines, "application/x-ndjson").json["status_url"]
            wait_for(lambda: locks(db, 1, one, False), "the first is amid the part")
            assert 0 < one.get(f"{job}?limit=0").json["counts"]["stored"] <= at
            one.process.send_signal(signal.SIGSTOP)
            change(db, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%process {one.process.pid}'")
            wait_for(lambda: locks(db, 1, other, False), "the other is amid the part")
            one.process.send_signal(signal.SIGCONT)
            wait_for(lambda: locks(db, 1346784333, one, False), "the first wants to write, too")
        counts = other.done(job)["counts"]
        assert counts["stored"] == sum(counts.values()) == count, counts
        assert one.stop()[0] == other.stop()[0] == 0
    assert ask(db, "SELECT count(*), count(DISTINCT run_id) FROM benchmark_runs") == [(count, count)]


# ---- a server that goes --------------------------------------------------------------------------


def test_the_database_goes_and_comes_back(bin_dir):
    with contextlib.closing(Postgres()) as server:
        db = server.new()
        with Dashboard(bin_dir, db) as one:
            assert one.upload("/api/upload/batch", list(results(5)))["counts"]["stored"] == 5
            before = one.rows()
            for _ in range(2):
                server.stop()
                # results in memory are returned, and the incomplete rest is reported
                assert one.rows() == before
                refused = one.post("/api/upload/json", little("late"))
                assert refused.status == 503 and refused.headers["Retry-After"] and "postgres://" in refused.json["detail"]
                assert one.get("/api/data/experiments/1").status == 503
                server.start()
                wait_for(lambda: one.get("/api/data/experiments/1").status == 200, "it is back")
            job = wait_for(lambda: (answer := one.post("/api/upload/json", little("late"))).status == 202 and one.job(answer), "it stores again")
            assert job["counts"]["stored"] == 1 and len(one.rows()) == 6
            # a connection that breaks while idle causes no error
            change(server.address("postgres"), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'd1'")
            assert one.upload("/api/upload/json", little("last"))["counts"]["stored"] == 1
            assert one.stop()[0] == 0
        done = run_dashboard(bin_dir, "check", "--db", db)
        assert done.returncode == 0, done.stdout


def test_a_cut_during_uploads_loses_nothing(bin_dir, postgres, db):
    """Connections break repeatedly while results arrive: each result is stored once in the end."""
    with Dashboard(bin_dir, db) as one:
        is_over = threading.Event()
        name = db.split("/@/")[-1].split("@/")[-1].split("?")[0]

        def cut():
            while not is_over.wait(0.05):
                Postgres.sql(postgres.address("postgres"), f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

        thread = threading.Thread(target=cut)
        thread.start()
        jobs = []
        try:
            for number in range(20):
                def send(number=number):
                    answer = one.post("/api/upload/batch", [little(f"{number}-{i}") for i in range(5)])
                    assert answer.status in (202, 503), answer.body
                    return answer.status == 202 and answer.json["status_url"]
                jobs.append(wait_for(send, "it is taken", seconds=60))
                time.sleep(0.02)
        finally:
            is_over.set()
            thread.join()
        for job in jobs:
            counts = wait_for(lambda job=job: (said := one.get(job)).status == 200 and said.json["state"] == "done" and said.json["counts"],
                              "the job is done", seconds=60)
            assert counts["stored"] + counts["duplicate"] == 5, counts
        assert len(one.rows()) == 100
        one.stop()
    assert ask(db, "SELECT count(*), count(DISTINCT run_id) FROM benchmark_runs") == [(100, 100)]


# ---- addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("address, says", [
    ("postgres://u:S3CRET@127.0.0.1:1/x", "could not open 'postgres://u@127.0.0.1:1/x'"),
    ("postgresql://u:S3CRET@127.0.0.1:1/x?connect_timeout=2", "could not open 'postgres://u@127.0.0.1:1/x'"),
    ("postgres://u@127.0.0.1:1/x?password=S3CRET", "could not open 'postgres://u@127.0.0.1:1/x'"),
    ("postgres://u:S3CRET@[1:2/x", "expected postgres://"), ("postgres://u:S3CRET@h/x?colour=blue", "expected postgres://"),
    ("postgres://u:S3CRET@%zz/x", "expected postgres://")])
def test_an_address_that_leads_nowhere(bin_dir, tmp_path, address, says):
    (tmp_path / "r.json").write_text("{}")
    for words in (["serve", "--port", "0"], ["import", "r.json"], ["check"], ["reindex"]):
        done = run_dashboard(bin_dir, *words, "--db", address, cwd=tmp_path)
        assert done.returncode == 2 and says in done.stderr, done.stderr
        assert "S3CRET" not in done.stderr + done.stdout and done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("postgres*"))


def test_passwords(bin_dir, postgres, tmp_path):
    """The password may be in the address, in PGPASSWORD, or in ~/.pgpass; no other one is used, and none is shown."""
    postgres.sql(postgres.address("postgres"), "CREATE ROLE guarded LOGIN PASSWORD 'S3 CRET/?'")
    rules = postgres.folder / "data/pg_hba.conf"
    rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
    postgres.process.send_signal(1)
    own = postgres.new()
    postgres.sql(own, "GRANT ALL ON SCHEMA public TO guarded")
    name = own.split("@/")[1].split("?")[0]
    host = urllib.parse.quote(str(postgres.folder), safe="")
    (tmp_path / "r.json").write_text(json.dumps(little()))
    (tmp_path / ".pgpass").write_text("*:*:*:guarded:S3 CRET/?\n")
    (tmp_path / ".pgpass").chmod(0o600)
    plain = f"postgres://guarded@/{name}?host={host}"
    wait_for(lambda: run_dashboard(bin_dir, "check", "--db", plain).returncode == 2, "the rules are read")
    for address, env in ((f"postgres://guarded:S3%20CRET%2F%3F@/{name}?host={host}", {}), (plain, {"PGPASSWORD": "S3 CRET/?"}),
                         (plain, {"HOME": str(tmp_path)}), (f"{plain}&password=S3%20CRET%2F%3F", {})):
        done = run_dashboard(bin_dir, "import", tmp_path / "r.json", "--db", address, "--json", env=env)
        assert done.returncode == 0, done.stderr
        assert "CRET" not in done.stdout + done.stderr
    for address in (plain, f"postgres://guarded:wrong@/{name}?host={host}"):
        done = run_dashboard(bin_dir, "check", "--db", address)
        assert done.returncode == 2 and "password" in done.stderr and "wrong" not in done.stderr


# ---- databases of others -------------------------------------------------------------------------


def test_foreign_tables_are_left_alone(bin_dir, postgres, tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(little()))
    theirs = postgres.new()
    change(theirs, "CREATE TABLE jobs (mine text)")
    done = run_dashboard(bin_dir, "import", tmp_path / "r.json", "--db", theirs)
    assert done.returncode == 2 and "has tables of another program" in done.stderr
    assert ask(theirs, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace") == [(1,)]
    # an additional schema
    change(theirs, "CREATE SCHEMA results")
    import_json(bin_dir, tmp_path / "r.json", "--db", theirs + "&options=-csearch_path%3Dresults")
    assert ask(theirs, "SELECT run_id FROM results.benchmark_runs") == [("small-0",)]
    # foreign tables
    beside = postgres.new()
    change(beside, "CREATE TABLE people (name text)")
    import_json(bin_dir, tmp_path / "r.json", "--db", beside)


def test_a_newer_form_is_refused(bin_dir, postgres, tmp_path):
    db = postgres.new()
    (tmp_path / "r.json").write_text(json.dumps(little()))
    import_json(bin_dir, tmp_path / "r.json", "--db", db)
    change(db, "UPDATE store_form SET form = 99; ALTER TABLE jobs RENAME TO work")
    done = run_dashboard(bin_dir, "import", tmp_path / "r.json", "--db", db)
    assert done.returncode == 2 and "format 99" in done.stderr
    assert "use that version" in done.stderr
    assert ask(db, "SELECT form FROM store_form") == [(99,)] and ask(db, "SELECT count(*) FROM work") == [(0,)]


def test_texts_have_to_be_utf_8(bin_dir, postgres):
    postgres.sql(postgres.address("postgres"), "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    done = run_dashboard(bin_dir, "serve", "--port", "0", "--db", postgres.address("latin"))
    assert done.returncode == 2 and "found LATIN1, expected UTF8" in done.stderr


# ---- how wide a row may be -----------------------------------------------------------------------


def types_of(db, table):
    return ask(db, f"SELECT attname::text AS n, atttypid::regtype::text AS t FROM pg_attribute WHERE attrelid = '{table}'::regclass"
                   " AND attnum > 0 AND NOT attisdropped")


def test_a_row_of_all_columns_fits_a_page(bin_dir, dashboard, db):
    """Measures a row with every number set, and with long texts that do not compress."""
    dashboard.upload("/api/upload/json", GOOD)
    change(db, "CREATE EXTENSION pageinspect")
    long = "(SELECT string_agg(md5(random()::text || i), '') FROM generate_series(1, 40) i)"
    # hashes and words of a list are as long as they are
    for table, fixed in (("benchmark_runs", {"id", "changed", "content_sha256", "form", "near_key", "near_inputs"}), ("benchmark_texts", {"id"})):
        values = {"double precision": "1.5", "boolean": "true", "text": long, "jsonb": f"jsonb_build_array({long}, {long}, {long})",
                  "bigint": "9007199254740993"}
        change(db, f"UPDATE {table} SET " + ", ".join(f'"{name}" = {values[type_]}' for name, type_ in types_of(db, table)
                                                      if name not in fixed and type_ in values))
        ((taken,),) = ask(db, f"SELECT max(lp_len) m FROM generate_series(0, pg_relation_size('{table}') / 8192 - 1) AS page(n),"
                              f" heap_page_items(get_raw_page('{table}', page.n::int))")
        print(table, len(types_of(db, table)), "columns:", taken, "bytes of", HEAP_TUPLE_MAX)
        assert taken <= HEAP_TUPLE_MAX * 0.85  # room for columns to come
    assert {type_ for table in ("benchmark_runs", "benchmark_texts") for _, type_ in types_of(db, table)} <= \
        {"bigint", "text", "jsonb", "boolean", "double precision"}


def test_columns_that_are_missing_are_filled(bin_dir, postgres, tmp_path):
    """The columns are missing as with a program that knew fewer fields; unknown ones stay."""
    db = postgres.new()
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(result) + "\n" for result in results(3)))
    import_json(bin_dir, tmp_path / "r.jsonl", "--db", db)
    asked = 'SELECT "results.p99_ttft_ms", "server.enforce_eager", "run.suite", other_kinds, null_fields, changed FROM benchmark_runs' \
            " JOIN benchmark_texts USING (id) ORDER BY id"
    before = ask(db, asked)
    change(db, 'DROP VIEW benchmark_results; ALTER TABLE benchmark_runs DROP COLUMN "results.p99_ttft_ms", DROP COLUMN "server.enforce_eager", ADD COLUMN theirs int DEFAULT 5;'
               'ALTER TABLE benchmark_texts DROP COLUMN "run.suite"')
    import_json(bin_dir, tmp_path / "r.jsonl", "--db", db)
    after = ask(db, asked)
    assert [row[:-1] for row in after] == [row[:-1] for row in before] and all(row[-1] > 3 for row in after)
    assert ask(db, "SELECT DISTINCT theirs FROM benchmark_runs") == [(5,)]


def test_values_of_fields_that_it_lacks_are_passed_over(bin_dir, db):
    """The values are stored as by a program that knew more fields."""
    with Dashboard(bin_dir, db) as one:
        one.upload("/api/upload/json", little(0))
        assert one.stop() == (0, "", "")
    change(db, "UPDATE benchmark_runs SET other_kinds = '{\"server.no_such_field\": \"x\", \"server.seed\": 5}'")
    with Dashboard(bin_dir, db) as one:
        assert [row["run_id"] for row in one.rows()] == ["small-0"]
        assert one.stop() == (0, "", "")


@pytest.mark.threads
def test_the_driver(bin_dir, db):
    """tests/unit/store/db/driver.c with a server: the contract is the same as for SQLite."""
    done = subprocess.run([bin_dir.parent / "tests/test_store_db_driver"], env=environment({"PROFLLM_TEST_POSTGRES": db}), text=True,
                          capture_output=True, timeout=TIMEOUT_S)
    assert done.returncode == 0 and "SKIPPED" not in done.stderr + done.stdout, done.stdout + done.stderr


def test_the_plans(bin_dir, db):
    """tests/unit/store/db/plans.c with a server: each statement of the store uses an index."""
    done = subprocess.run([bin_dir.parent / "tests/test_store_db_plans"], env=environment({"PROFLLM_TEST_POSTGRES": db}), text=True,
                          capture_output=True, timeout=TIMEOUT_S)
    assert done.returncode == 0 and "SKIPPED" not in done.stderr + done.stdout, done.stdout + done.stderr
