"""The column snapshot: a start that reads it answers like one that reads the database, whatever happened in between; a
snapshot that does not fit is not used; kills and full disks at any moment leave no wrong row."""
import functools
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from dashboard_tools import Dashboard, little, results
from database_tools import ask, change, is_address
from import_tools import run_dashboard
from query_tools import made_results, random_tree
from run_tools import PATIENCE
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
COUNT = 2040   # more than ROWS_MIN of src/store/column_snapshot/column_snapshot.c
RANDOM = COUNT - 8 if LONG else 120  # with values in many columns
CHANGES = 1100 # more than CHANGES_MIN
KILLS = 40 if LONG else 2
ROUNDS = 6 if LONG else 1
SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED")) and not LONG
SOURCES = ("database", "column_snapshot")
REFUSED = re.compile(r"^profllm-dashboard: warning: column snapshot '[^']+': not used, all results are read from the database: (.+)$", re.M)


def documents(seed=40):
    return made_results(random.Random(seed), RANDOM) + [little(f"few-{i}") for i in range(COUNT - 8 - RANDOM)] + list(results(8))


def batch(dashboard, items, query=""):
    """Returns the job without the entries of its items."""
    lines = "\n".join(json.dumps(item) for item in items).encode()
    answer = dashboard.post(f"/api/upload/batch{query}", lines, media="application/x-ndjson")
    assert answer.status == 202, answer.body
    wait_for(lambda: dashboard.get(f"{answer.json['status_url']}?limit=0").json["state"] == "done", "the job is done", seconds=60)
    return dashboard.get(f"{answer.json['status_url']}?limit=0").json


class Store:
    """A database with results, its directory, and its column snapshot."""

    def __init__(self, bin_dir, db, folder):
        self.bin_dir, self.db, self.data = bin_dir, db, folder / "data"
        self.file = self.data / "columns" if is_address(db) else Path(f"{Path(db).resolve()}.columns")
        self.temporary = Path(f"{self.file}.new")

    def serve(self, *args, env=None):
        return Dashboard(self.bin_dir, self.db, "--data", self.data, *args, env=env)

    def without(self):
        return self.serve("--no-column-snapshot")

    def write(self):
        """Serves until the snapshot is written again."""
        self.file.unlink(missing_ok=True)
        with self.serve() as one:
            wait_for(self.file.exists, "the column snapshot is written")
            assert one.stop()[0] == 0

    def answers(self, expected=None, *args):
        """Starts, asks everything, and stops. Returns the answers, and its log."""
        with self.serve(*args) as one:
            source = one.get("/api/health").json["results_source"]
            assert expected in (None, source), one.stop()
            found = asked(one)
            status, _, err = one.stop()
        assert status == 0, err
        return found, err

    def plain(self):
        """Returns the answers of a start that reads the database."""
        return self.answers("database", "--no-column-snapshot")[0]

    def check(self, expected, plain=None):
        """Compares a start that may use the snapshot with one that does not, whose answers are plain(); returns its log."""
        found, err = self.answers(expected)
        assert found == (plain or self.plain())
        return err


@functools.cache
def questions():
    rng = random.Random(5)
    some = made_results(rng, 60)
    requests = [{"facets": True, "limit": 50}, {"limit": 200, "sort": [{"field": "run.run_id", "dir": "desc"}]}]
    requests += [{"filter": random_tree(rng, some), "facets": True, "limit": 5} for _ in range(12 if LONG else 2)]
    return [json.dumps(request).encode() for request in requests]


def asked(dashboard):
    """Returns the answers to many questions, without what differs between two processes."""
    out = []
    for question in questions():
        # other tests check the form of such responses
        answer = dashboard.ask("POST", "/api/filters/apply", question, {"Content-Type": "application/json"}, check=False)
        body = answer.json if answer.status == 200 else {"status": answer.status}
        body.pop("elapsed_ms", None)
        body.pop("data_version", None)
        out.append(body)
    columns = json.dumps({"columns": ["run.run_id", "results.p99_ttft_ms", "server.model"]}).encode()
    exported = dashboard.ask("POST", "/api/export/json", columns, {"Content-Type": "application/json"}, check=False)
    out.append(sorted(map(json.dumps, exported.json["rows"])))
    out.append(dashboard.get("/api/health").json["total"])
    return out


@pytest.fixture(scope="module")
def filled(bin_dir, tmp_path_factory):
    """An SQLite file with results, its column snapshot and its answers; tests use copies."""
    folder = tmp_path_factory.mktemp("filled")
    store = Store(bin_dir, folder / "d.db", folder)
    with store.without() as one:
        assert batch(one, documents())["counts"]["stored"] == COUNT
        time.sleep(2)  # an option turns it off
        answers = asked(one)
        assert one.stop()[0] == 0
    assert not store.file.exists()
    store.write()
    return store, answers


@pytest.fixture
def unchanged(filled):
    """The answers of a store without changes."""
    return filled[1]


@pytest.fixture
def store(filled, tmp_path):
    filled, _ = filled
    for path in filled.db.parent.glob("d.db*"):
        if path.is_file():
            shutil.copy2(path, tmp_path)
    return Store(filled.bin_dir, tmp_path / "d.db", tmp_path)


def found_reason(err):
    reasons = REFUSED.findall(err)
    assert len(reasons) == 1, err
    return reasons[0]


# ---- equal answers -------------------------------------------------------------------------------


def test_a_start_reads_it(store, unchanged):
    assert store.file.stat().st_mode & 0o7777 == 0o600 and not store.temporary.exists()
    assert unchanged == store.plain()
    with store.serve() as one:
        assert asked(one) == unchanged
        metrics = one.get("/metrics").body.decode()
        assert f'profllm_dashboard_start_results{{source="column_snapshot"}} {COUNT}.0\n' in metrics
        assert 'profllm_dashboard_start_results{source="database"} 0.0\n' in metrics
        status, _, err = one.stop()
    assert status == 0 and "not used" not in err, err


def edit(dashboard, rng, number):
    """Makes changes of each kind."""
    ids = dashboard.ids()
    for one in rng.sample(ids, 12):
        assert dashboard.ask("DELETE", f"/api/data/experiments/{one}").status == 204
        if rng.random() < 0.4:
            assert dashboard.ask("POST", f"/api/data/experiments/{one}/restore").status == 200
    for one in rng.sample(sorted(dashboard.ids()), 8):
        body = json.dumps({"tags": {"edited": str(number), "rack": f"r{rng.randrange(4)}"}}).encode()
        answer = dashboard.ask("PATCH", f"/api/data/experiments/{one}", body, {"Content-Type": "application/json"})
        assert answer.status == 200, answer.body
    replaced = made_results(random.Random(1000 + number), 30)
    assert batch(dashboard, replaced, "?on_conflict=replace")["counts"]["rejected"] == 0
    assert batch(dashboard, [little(f"new-{number}-{i}", tags={"n": i}) for i in range(25)])["counts"]["stored"] == 25


def test_changes_in_between_are_read(store):
    rng = random.Random(7)
    for number in range(2 * ROUNDS):
        with store.without() as one:
            edit(one, rng, number)
            assert one.stop()[0] == 0
        if number % 2:
            done = run_dashboard(store.bin_dir, "prune", "--db", store.db, "--data", store.data)
            assert done.returncode == 0 and done.stdout.startswith("removed "), done
        if number % 2 or LONG:
            plain = store.plain()
            store.check("column_snapshot", plain)
    # a new snapshot of all that has dead rows in none of its places
    store.write()
    store.check("column_snapshot", plain)


def test_a_stop_writes_many_changes(store):
    before = store.file.stat().st_ino
    with store.serve() as one:
        time.sleep(2)  # nothing changed
        assert one.stop()[0] == 0
    assert store.file.stat().st_ino == before
    with store.serve() as one:
        batch(one, [little(f"many-{i}") for i in range(CHANGES)])
        assert one.stop()[0] == 0
    assert store.file.stat().st_ino != before
    with store.serve() as one:
        read = re.findall(r'^profllm_dashboard_start_results{source="\w+"} (\d+)\.0$', one.get("/metrics").body.decode(), re.M)
        # the thread may have written it while they arrived
        assert sum(map(int, read)) == COUNT + CHANGES and int(read[0]) >= COUNT + 1000
    store.check("column_snapshot")


def test_ingest_and_filters_go_on_while_it_is_written(store):
    with store.serve() as one:
        for part in range(3):
            batch(one, [little(f"part-{part}-{i}") for i in range(CHANGES)])
            assert one.get("/api/health").json["total"] == COUNT + CHANGES * (part + 1)
        wait_for(lambda: one.get("/api/health").json["ready"], "it is ready")
        os.kill(one.process.pid, signal.SIGKILL)
    store.check(None)


# ---- what does not fit ---------------------------------------------------------------------------


def flipped(store):
    data = bytearray(store.file.read_bytes())
    data[random.Random(1).randrange(208, len(data))] ^= 16
    store.file.write_bytes(data)


def other_program(store):
    """The head of another form, with its checksum."""
    data = bytearray(store.file.read_bytes())
    data[8:16] = b"00000000"
    data[144:208] = hashlib.sha256(data[:144]).hexdigest().encode()
    store.file.write_bytes(data)


def linked(store):
    store.file.rename(f"{store.file}.real")
    store.file.symlink_to(f"{store.file}.real")


DAMAGES = {
    "flipped": (flipped, "damaged"),
    "head": (lambda store: store.file.write_bytes(b"\xff" + store.file.read_bytes()[1:]), "not a column snapshot"),
    "cut": (lambda store: os.truncate(store.file, store.file.stat().st_size // 2), "truncated"),
    "short": (lambda store: os.truncate(store.file, 100), "truncated"),
    "empty": (lambda store: os.truncate(store.file, 0), "truncated"),
    "longer": (lambda store: store.file.write_bytes(store.file.read_bytes() + b"x"), "truncated"),
    "zeros": (lambda store: store.file.write_bytes(bytes(store.file.stat().st_size)), "not a column snapshot"),
    "program": (other_program, "another version of the program"),
    "mode": (lambda store: store.file.chmod(0o666), "only this user can write"),
    "link": (linked, "could not open it"),
    "directory": (lambda store: (store.file.unlink(), store.file.mkdir()), "only this user can write"),
}


def test_a_damaged_one_is_not_used(store, unchanged):
    whole = store.file.read_bytes()
    for damage, (damaged, says) in DAMAGES.items():
        if SANITIZED and damage not in ("flipped", "cut", "directory"):
            continue
        store.file.unlink(missing_ok=True)
        store.file.write_bytes(whole)
        store.file.chmod(0o600)
        damaged(store)
        with store.serve() as one:
            health = one.get("/api/health").json
            assert (health["results_source"], health["total"]) == ("database", COUNT), damage
            if damage == "directory":  # it cannot be replaced either: one warning
                time.sleep(2.5)
            os.kill(one.process.pid, signal.SIGTERM if damage == "directory" else signal.SIGKILL)
            _, err = one.process.communicate()
        assert says in found_reason(err), damage
    assert err.count("could not write the column snapshot") == 1, err
    store.file.rmdir()
    store.file.write_bytes(whole)
    store.file.chmod(0o600)
    store.check("column_snapshot", unchanged)


def test_the_token_identifies_the_data(store, tmp_path):
    """A copy of the database from before the snapshot, that had as many other changes since, does not fit."""
    with store.without() as one:
        batch(one, [little(f"old-{i}") for i in range(10)])
        assert one.stop()[0] == 0
    earlier = tmp_path / "earlier"
    shutil.copy2(store.db, earlier)
    with store.without() as one:
        batch(one, [little(f"first-{i}") for i in range(20)])
        assert one.stop()[0] == 0
    store.write()
    # the earlier state comes back, and gets more and other changes
    for path in store.db.parent.glob("d.db-*"):
        path.unlink()
    shutil.copy2(earlier, store.db)
    with store.without() as one:
        batch(one, [little(f"second-{i}") for i in range(60)])
        assert one.stop()[0] == 0
    found, err = store.answers("database")
    assert "another database" in found_reason(err)
    assert found == store.plain()


def test_a_copy_with_the_token_fits(store, unchanged, tmp_path):
    (tmp_path / "copy").mkdir()
    copy = Store(store.bin_dir, tmp_path / "copy/e.db", tmp_path / "copy")
    shutil.copy2(store.db, copy.db)
    shutil.copy2(store.file, copy.file)
    copy.check("column_snapshot", unchanged)


def test_a_restored_database_is_read(store, tmp_path):
    words = ["--db", store.db, "--data", store.data]
    assert run_dashboard(store.bin_dir, "backup", *words, tmp_path / "backup").returncode == 0
    with store.without() as one:
        batch(one, [little(f"lost-{i}") for i in range(50)])
        assert one.stop()[0] == 0
    done = run_dashboard(store.bin_dir, "restore", *words, tmp_path / "backup", "--force")
    assert done.returncode == 0, done.stderr
    found, err = store.answers("database")
    assert "replaced" in found_reason(err)
    assert found == store.plain()


def test_a_replaced_database_gets_a_new_one(store):
    """A server that notices other data writes a file that fits it, although it has few changes."""
    before = store.file.stat().st_ino
    with store.serve() as one:
        assert one.get("/api/health").json["results_source"] == "column_snapshot"
        change(store.db, "UPDATE store_state SET data_version = data_version + 1, restored = data_version + 1, epoch = epoch + 1,"
                         " commits = commits + 1, mark = mark + 1;"
                         "UPDATE benchmark_runs SET \"run.suite\" = 'other' WHERE id < 100;"
                         "INSERT INTO store_marks (slot, mark) SELECT 16000, mark FROM store_state")
        asked(one)
        wait_for(lambda: store.file.stat().st_ino != before, "it is written")
        assert one.stop()[0] == 0
    store.check("column_snapshot")


def test_an_upgraded_database_is_read(store, unchanged):
    """A database in the form of an earlier program has no token; the table comes with the upgrade."""
    ((form,),) = ask(store.db, "PRAGMA user_version")
    change(store.db, f"DROP TABLE column_snapshots; PRAGMA user_version = {form - 1}")
    found, err = store.answers("database")
    assert "another database" in found_reason(err)
    assert found == unchanged


# ---- kills and disks -----------------------------------------------------------------------------


def kill_while_writing(store, size, rng):
    """Kills the server when the temporary file has some of its bytes, or just after the rename."""
    wanted = rng.choice([0, size, int(size * rng.random()), int(size * rng.random())])
    before = store.file.stat().st_ino if store.file.exists() else None
    with store.serve() as one:
        end = time.monotonic() + 5 * PATIENCE
        while time.monotonic() < end:
            try:
                if store.temporary.stat().st_size >= wanted:
                    break
            except FileNotFoundError:
                if store.file.exists() and store.file.stat().st_ino != before:
                    break
                time.sleep(0.0002)
        one.process.kill()
        one.process.communicate()


def test_kills_while_it_is_written(store):
    size, rng, used = store.file.stat().st_size, random.Random(3), set()
    for number in range(KILLS):
        if number % 2:
            store.file.unlink(missing_ok=True)
        else:
            with store.without() as one:
                batch(one, [little(f"kill-{number}-{i}") for i in range(CHANGES)])
                assert one.stop()[0] == 0
        kill_while_writing(store, size, rng)
        with store.serve() as one:
            used.add(one.get("/api/health").json["results_source"])
            found = asked(one)
            one.process.kill()
            one.process.communicate()
        assert found == store.plain()
    assert used <= set(SOURCES)
    # what kills left does not stay
    store.write()
    assert not store.temporary.exists()
    store.check("column_snapshot")


def test_a_full_disk_leaves_the_earlier_one(store, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48M", "tmpfs", disk], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"could not mount a tmpfs: {done.stderr.strip()}")
    try:
        small = Store(store.bin_dir, disk / "d.db", disk)
        shutil.copy2(store.db, small.db)
        shutil.copy2(store.file, small.file)
        with small.without() as one:
            batch(one, [little(f"full-{i}") for i in range(CHANGES)])
            assert one.stop()[0] == 0
        before = small.file.read_bytes()
        # room for half of it
        (disk / "filler").write_bytes(bytes(shutil.disk_usage(disk).free - len(before) // 2))
        with small.serve() as one:
            line = one.process.stderr.readline()
            while "could not write the column snapshot" not in line:
                line = one.process.stderr.readline()
            assert "the former one is kept" in line and "No space left" in line, line
            assert small.file.read_bytes() == before and not small.temporary.exists()
            assert one.get("/api/health").json["results_source"] == "column_snapshot"
            _, _, err = one.stop()
        assert "could not write" not in err, err
        assert small.file.read_bytes() == before
        (disk / "filler").unlink()
        small.check("column_snapshot")
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


# ---- PostgreSQL ----------------------------------------------------------------------------------


def test_processes_over_one_server(bin_dir, postgres, tmp_path):
    """Each process has a file of its own, and reads what the other changed."""
    db = postgres.with_tables()
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = Store(bin_dir, db, tmp_path / "one"), Store(bin_dir, db, tmp_path / "two")
    with one.serve() as here, two.serve() as there:
        assert batch(here, documents())["counts"]["stored"] == COUNT
        wait_for(lambda: one.file.exists() and two.file.exists(), "both have written it", seconds=60)
        assert asked(here) == asked(there)
        there.process.kill()
        there.process.communicate()
        edit(here, random.Random(9), 1)
        assert run_dashboard(bin_dir, "prune", "--db", db, "--data", one.data).returncode == 0
        with two.serve() as there:
            assert there.get("/api/health").json["results_source"] == "column_snapshot"
            assert asked(here) == asked(there)
    assert one.file.stat().st_mode & 0o7777 == 0o600
    one.check("column_snapshot")
    # another database of the same server
    other = Store(bin_dir, postgres.with_tables(), tmp_path / "one")
    with other.without() as there:
        batch(there, [little(i) for i in range(3)])
    assert "another database" in found_reason(other.answers("database")[1])
