"""
One call of a program fails (tests/doubles/failing_calls.c): memory, files, sockets, threads, SQLite, libpq. Whatever the call, the
program does not crash, reports in one message what is wrong where it does not succeed, keeps every result that it acknowledged,
and the same command succeeds afterwards. Memory that is gone may end a program with one line, by design (src/base/mem.h).

A usual run fails one call of each of some kinds, by a seed; with PROFLLM_TEST_LONG=1 each call of each kind fails, and of those kinds
that have more, PROFLLM_FAIL_CALLS (200; 60 under ASan). Under ASan a leak is a fault.
After an allocation that ends a program by design, nothing is left to leak: those of SQLite and of libraries matter there.
"""
import contextlib
import ctypes
import http.client
import json
import os
import shutil
import signal
import sqlite3
import time

import pytest
from dashboard_tools import Dashboard
from database_tools import ask, is_address
from failing_tools import Failing, check_end, counts_of, each_call, ended, is_crash_of_openssl, plain, some_kinds
from run_tools import base_config, load_result, processes_with, start_profllm, write_config
from sweep_tools import summary, sweep_args, sweep_config
from wait_tools import wait_for

SANITIZED = os.environ.get("PROFLLM_SANITIZED") == "address"
release_only = pytest.mark.release_only

MEMORY = ["malloc", "json_malloc"]
FILES = ["open", "read", "write", "fsync", "rename", "unlink", "fstat"]
SOCKETS = ["accept", "send", "receive"]
SQLITE = ["truncate", "mmap", "sqlite_malloc", "sqlite_open", "sqlite_prepare", "sqlite_bind", "sqlite_step", "sqlite_exec"]
POSTGRES = ["libpq_malloc", "pq", "pq_lost", "pq_answer", "pq_sync"]


@pytest.fixture(autouse=True, scope="module")
def data_home(tmp_path_factory):
    """The directory for the files of a dashboard with a PostgreSQL database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module")
def document(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("document")
    done = plain(bin_dir, "profllm", "run", "-c", write_config(folder, base_config(num_prompts=6)), "-o", folder / "r.json")
    assert done.returncode == 0, done.stderr
    return folder / "r.json"


@pytest.fixture(scope="module")
def alone(document, tmp_path_factory):
    """The same result without its artifacts."""
    return shutil.copy(document, tmp_path_factory.mktemp("alone") / "r.json")


# ---- crashes --------------------------------------------------------------------------------------


@release_only
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGBUS])
def test_reports_the_stack_of_a_crash(bin_dir, tmp_path, number):
    failing = Failing(bin_dir, "profllm-dashboard", tmp_path, "malloc:0")
    process = failing.start("serve", "--db", tmp_path / "d.db", "--port", 0)
    assert until_listening(process) is not None
    # to the thread of main(): another one may have no function of ours on its stack
    assert ctypes.CDLL(None).tgkill(process.pid, process.pid, number) == 0
    done = ended(process)
    assert done.returncode == -number and f"SEGV (signal {number:d}):\n" in done.stderr, done.stderr
    assert "/profllm-dashboard(" in done.stderr, done.stderr
    with pytest.raises(AssertionError, match=f"signal {number:d}: "):
        check_end(done, "malloc:1")


@pytest.mark.parametrize("modules, is_known", [
    (["failing_calls.so(+0x2030)", "libc.so.6(+0x3c050)", "libc.so.6(__pthread_rwlock_rdlock+0x0)",
      "libcrypto.so.3(CRYPTO_THREAD_read_lock+0x9)", "../bin/profllm(+0x22e710)"], True),
    (["failing_calls.so(+0x2030)", "libc.so.6(+0x3c050)", "libssl.so.3(SSL_CTX_new_ex+0x9)", "../bin/profllm(+0x22e710)"], True),
    (["failing_calls.so(+0x2030)", "libc.so.6(+0x3c050)", "../bin/profllm(+0x22e710)", "libcrypto.so.3(EVP_MD_fetch+0x2a)"], False),
    (["failing_calls.so(+0x2030)", "libc.so.6(+0x3c050)", "libc.so.6(strlen+0x1)", "../bin/profllm(+0x22e710)"], False),
    (["failing_calls.so(+0x2030)", "libc.so.6(+0x3c050)", "libjansson.so.4(json_decref+0x2)", "libcrypto.so.3(+0x2a)"], False),
    (["failing_calls.so(+0x2030)", "libc.so.6(+0x3c050)"], False),
])
def test_knows_a_crash_of_openssl(modules, is_known):
    stack = "".join(f"/lib/{module}[0x7f555fc55030]\n" for module in modules)
    assert is_crash_of_openssl(f"profllm: warning: one line\nSEGV (signal 11):\n{stack}") == is_known


# ---- ingest of one document ----------------------------------------------------------------------


def rows_of(db):
    return ask(db, "SELECT count(*) FROM benchmark_runs")[0][0]


def check_database(bin_dir, db):
    """Checks that nothing in it is torn, and that its rows match its documents."""
    if not is_address(db):
        with contextlib.closing(sqlite3.connect(db)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    checked = plain(bin_dir, "profllm-dashboard", "check", "--db", db)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def check_ingest(bin_dir, db, document, folder, call):
    done = Failing(bin_dir, "profllm-dashboard", folder, call).run("import", "--db", db, document)
    check_end(done, call)
    if done.returncode == 0:
        assert rows_of(db) == 1
    # it takes the result, or has the very same one
    again = plain(bin_dir, "profllm-dashboard", "import", "--db", db, document)
    assert (again.returncode, rows_of(db)) == (0, 1), again.stdout + again.stderr
    check_database(bin_dir, db)


@pytest.fixture(scope="module")
def ingest_counts(bin_dir, document, tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts")
    return counts_of(bin_dir, "profllm-dashboard", folder, "import", "--db", folder / "d.db", document)


@some_kinds(4 if SANITIZED else 8, *MEMORY, *FILES, *SQLITE)
def test_ingest(bin_dir, tmp_path, document, ingest_counts, kind):
    each_call("ingest", kind, ingest_counts, tmp_path,
              lambda folder, call: check_ingest(bin_dir, folder.with_suffix(".db"), document, folder, call))


@pytest.fixture(scope="module")
def postgres_counts(bin_dir, alone, postgres, tmp_path_factory):
    return counts_of(bin_dir, "profllm-dashboard", tmp_path_factory.mktemp("counts"), "import", "--db", postgres.new(), alone)


@some_kinds(1 if SANITIZED else 4, *MEMORY, *POSTGRES[:-1], "open", "send", "receive", "connect")
def test_ingest_into_postgres(bin_dir, tmp_path, alone, postgres, postgres_counts, kind):
    each_call("ingest, PostgreSQL", kind, postgres_counts, tmp_path,
              lambda folder, call: check_ingest(bin_dir, postgres.new(), alone, folder, call))


@release_only
def test_no_memory_for_the_response_to_a_sync(bin_dir, tmp_path, alone, postgres, postgres_counts):
    """libpq consumes the response, reports nothing and stays busy: the import must not wait for it."""
    each_call("ingest, PostgreSQL", "pq_sync", postgres_counts, tmp_path,
              lambda folder, call: check_ingest(bin_dir, postgres.new(), alone, folder, call), usual=4)


# ---- start-up of a dashboard ---------------------------------------------------------------------


def until_listening(process):
    """Returns the address; None: the process ended instead."""
    line = process.stdout.readline()
    return line.split()[-1] if line.startswith("listening on ") else None


class Client:
    """Sends requests to a dashboard that may not respond, and keeps the acknowledged ones."""

    def __init__(self, url):
        self.host, self.stored, self.notes = url.removeprefix("http://"), {}, {}

    def ask(self, method, path, value=None):
        """Returns None without a response."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            connection.request(method, path, json.dumps(value).encode() if value is not None else None, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        return None

    def upload(self, result):
        answer = self.ask("POST", "/api/upload/json", result)
        if answer is None or answer[0] != 202:
            return
        self.stored[result["run_id"]] = result
        status_url, until = json.loads(answer[1])["status_url"], time.monotonic() + 10
        while answer is not None and json.loads(answer[1]).get("state") != "done" and time.monotonic() < until:
            time.sleep(0.02)
            answer = self.ask("GET", status_url)

    def say(self, run_id, notes):
        answer = self.ask("PATCH", f"/api/data/experiments/{run_id}", {"notes": notes})
        if answer is not None and answer[0] == 200:
            self.notes[run_id] = notes


def played(failing, db, *results):
    """Starts a dashboard, uploads these results and notes on each, and ends it; returns its acknowledgements and its end."""
    process = failing.start("serve", "--db", db, "--port", 0)
    url, client = until_listening(process), None
    if url is not None:
        client = Client(url)
        for result in results:
            client.upload(result)
            client.say(result["run_id"], "the fan was off")
    process.terminate()
    return client, ended(process)


def check_acknowledged(bin_dir, db, stored, notes):
    """Checks that the dashboard has all of it after a restart, and accepts more."""
    with Dashboard(bin_dir, db) as one:
        wait_for(lambda: {row["run_id"] for row in one.rows()} >= set(stored), "what was acknowledged", 10)
        for run_id, result in stored.items():
            found = one.ask("GET", f"/api/data/experiments/{run_id}", check=False).json
            assert found["document"] == result, f"{run_id} is another"
            assert run_id not in notes or found["notes"] == notes[run_id], f"notes of {run_id}: {found['notes']}"
        assert one.upload("/api/upload/json", {"run_id": "after", "results": {"mean_ttft_ms": 1.5}})["counts"]["stored"] == 1
        assert one.stop() == (0, "", "")
    check_database(bin_dir, db)


def check_serve(bin_dir, db, results, stored, folder, call):
    client, done = played(Failing(bin_dir, "profllm-dashboard", folder, call), db, *results)
    check_end(done, call)
    known = {**stored, **(client.stored if client else {})}
    check_acknowledged(bin_dir, db, known, client.notes if client else {})


@pytest.fixture(scope="module")
def old_database(bin_dir, document, tmp_path_factory):
    """The directory of an SQLite database with one result."""
    folder = tmp_path_factory.mktemp("old")
    done = plain(bin_dir, "profllm-dashboard", "import", "--db", folder / "d.db", document)
    assert done.returncode == 0, done.stderr
    return folder


def counts_played(bin_dir, folder, db, result):
    failing = Failing(bin_dir, "profllm-dashboard", folder, "malloc:0")
    client, done = played(failing, db, result)
    assert done.returncode == 0 and client.stored and client.notes, done.stderr
    return failing.counts()


@pytest.fixture(scope="module")
def new_counts(bin_dir, document, tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts")
    return counts_played(bin_dir, folder, folder / "d.db", load_result(document))


@some_kinds(3 if SANITIZED else 6, *MEMORY, "open", "read", "write", "fsync", "unlink", "fstat", *SOCKETS, "thread", *SQLITE)
def test_serve_new_database(bin_dir, tmp_path, document, new_counts, kind):
    each_call("start-up, new database", kind, new_counts, tmp_path,
              lambda folder, call: check_serve(bin_dir, folder / "d.db", [load_result(document)], {}, folder, call))


class Old:
    """A dashboard of a database with one result, which receives another one."""

    def __init__(self, document):
        self.result = load_result(document)
        self.stored = {self.result["run_id"]: self.result}
        self.new = {**self.result, "run_id": "exp_20260101_000000_000001"}


@pytest.fixture(scope="module")
def old_counts(bin_dir, document, old_database, tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts") / "d"
    shutil.copytree(old_database, folder)
    return counts_played(bin_dir, folder, folder / "d.db", Old(document).new)


@release_only
@some_kinds(6, *MEMORY, "open", "read", "write", "fsync", "unlink", "fstat", *SOCKETS, "thread", *SQLITE)
def test_serve_old_database(bin_dir, tmp_path, document, old_database, old_counts, kind):
    old = Old(document)

    def check(folder, call):
        shutil.copytree(old_database, folder)
        check_serve(bin_dir, folder / "d.db", [old.new], old.stored, folder, call)

    each_call("start-up, existing database", kind, old_counts, tmp_path, check)


@pytest.fixture(scope="module")
def old_postgres(bin_dir, alone, postgres, tmp_path_factory):
    """Returns a function that makes a database with one result, and the counts of calls."""
    done = plain(bin_dir, "profllm-dashboard", "import", "--db", postgres.new(), alone)
    assert done.returncode == 0, done.stderr
    name = f"d{postgres.count}"

    def copy():
        postgres.count += 1
        postgres.sql(postgres.address("postgres"), f"CREATE DATABASE d{postgres.count} TEMPLATE {name}")
        return postgres.address(f"d{postgres.count}")

    return copy, counts_played(bin_dir, tmp_path_factory.mktemp("counts"), copy(), Old(alone).new)


@some_kinds(2 if SANITIZED else 4, *POSTGRES, "malloc", "send", "receive")
def test_serve_postgres(bin_dir, tmp_path, alone, old_postgres, kind):
    copy, counts = old_postgres
    old = Old(alone)
    each_call("start-up, PostgreSQL", kind, counts, tmp_path,
              lambda folder, call: check_serve(bin_dir, copy(), [old.new], old.stored, folder, call))


# ---- runs ----------------------------------------------------------------------------------------


def check_no_process_left(run_id):
    wait_for(lambda: not processes_with(f"PROFLLM_RUN={run_id}"), "the run's processes end")


def check_run(bin_dir, config, keys, folder, call):
    """Checks that the result is complete, or that it is missing and the journal yields one."""
    path = folder / "r.json"
    done = Failing(bin_dir, "profllm", folder, call).run("run", "-c", config, "-o", path)
    check_end(done, call)
    recovered = plain(bin_dir, "profllm", "recover", path)
    assert recovered.returncode in (0, 1, 2), recovered.stderr
    if done.returncode == 0:
        assert load_result(path)["status"] == "completed"
    if path.exists():
        result = load_result(path)
        assert result["status"] != "completed" or (result["results"]["completed"] == 6 and set(result) >= keys)
        check_no_process_left(result["run_id"])
    again = plain(bin_dir, "profllm", "run", "-c", config, "-o", folder / "again.json")
    assert again.returncode == 0, again.stderr


@pytest.fixture(scope="module")
def run_counts(bin_dir, tmp_path_factory):
    """Returns the experiment, the counts of calls, and the keys of its result."""
    folder = tmp_path_factory.mktemp("counts")
    config = write_config(folder, base_config(num_prompts=6))
    counts = counts_of(bin_dir, "profllm", folder, "run", "-c", config, "-o", folder / "r.json")
    return config, counts, set(load_result(folder / "r.json"))


@some_kinds(2 if SANITIZED else 8, *MEMORY, *FILES, *SOCKETS, "truncate", "connect", "thread", "process")
def test_run(bin_dir, tmp_path, run_counts, kind):
    config, counts, keys = run_counts
    each_call("run", kind, counts, tmp_path, lambda folder, call: check_run(bin_dir, config, keys, folder, call))


def check_sweep(bin_dir, config, folder, call):
    """A run or the sweep fails: the same command resumes it, and every combination has its result."""
    done = Failing(bin_dir, "profllm", folder, call).run(*sweep_args(config, folder / "sweep"))
    check_end(done, call)
    again = plain(bin_dir, "profllm", *sweep_args(config, folder / "sweep", *(["--resume"] if (folder / "sweep").exists() else [])))
    assert again.returncode in (0, 1), again.stderr
    # a run that the call made fail stays failed, and is a result
    rows = summary(folder / "sweep")
    assert len(rows) == 2 and all(row["status"] for row in rows), rows
    assert again.returncode or {row["status"] for row in rows} == {"completed"}, rows


@pytest.fixture(scope="module")
def sweep_counts(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts")
    config = write_config(folder, sweep_config({"benchmark.max_concurrency": [1, 2]}))
    return config, counts_of(bin_dir, "profllm", folder, *sweep_args(config, folder / "sweep"))


@some_kinds(2 if SANITIZED else 5, *MEMORY, *FILES, *SOCKETS, "connect", "thread", "process")
def test_sweep(bin_dir, tmp_path, sweep_counts, kind):
    config, counts = sweep_counts
    each_call("sweep run", kind, counts, tmp_path, lambda folder, call: check_sweep(bin_dir, config, folder, call))


# ---- recover of a killed run ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def killed(bin_dir, tmp_path_factory):
    """The directory of a run that was killed after some of its requests, and the number that `recover` finds."""
    folder = tmp_path_factory.mktemp("killed")
    config = base_config(num_prompts=200, max_concurrency=1)
    run = start_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json")
    journal = folder / "r.json.journal"
    wait_for(lambda: journal.exists() and journal.read_bytes().count(b',"record",') > 20, "requests in the journal", process=run)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    shutil.copytree(folder, folder.with_name("known"))
    counts = counts_of(bin_dir, "profllm", folder.with_name("known"), "recover", folder.with_name("known") / "r.json")
    return folder, load_result(folder.with_name("known") / "r.json"), counts


def check_recover(bin_dir, source, known, folder, call):
    shutil.copytree(source, folder)
    done = Failing(bin_dir, "profllm", folder, call).run("recover", folder / "r.json")
    check_end(done, call)
    again = plain(bin_dir, "profllm", "recover", folder / "r.json")
    assert again.returncode == 0, again.stderr
    found = load_result(folder / "r.json")
    assert found["status"] == known["status"] and found["results"]["completed"] == known["results"]["completed"]
    assert set(found) == set(known) and not (folder / "r.json.journal").exists()


@some_kinds(3 if SANITIZED else 5, *MEMORY, *FILES)
def test_recover(bin_dir, tmp_path, killed, kind):
    source, known, counts = killed
    each_call("recover", kind, counts, tmp_path, lambda folder, call: check_recover(bin_dir, source, known, folder, call))
