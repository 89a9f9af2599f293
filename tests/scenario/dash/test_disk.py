"""A full disk, and a read-only or unreachable database: writes are refused (503 or 507, a problem document), reads work,
accepted results are not lost, and the server recovers without help."""
import hashlib
import os
import random
import re
import shutil
import sqlite3
import subprocess

import pytest
from dashboard_tools import Dashboard, little
from database_tools import NOT_FOUND, Postgres, programs
from wait_tools import wait_for

APPLY, PRESETS = "/api/filters/apply", "/api/filters/presets"
ROOM = 24 << 20
NOTICED = re.compile(r"^profllm-dashboard: warning: .*$", re.M)


def noise(seed, size):
    """Returns a text that does not compress."""
    return random.Random(seed).randbytes(size // 2).hex()


def count(dashboard):
    answer = dashboard.post(APPLY, {"limit": 1})
    assert answer.status == 200, answer.body
    return answer.json["count"]


def put(dashboard, run_id, data):
    return dashboard.ask("PUT", f"/api/upload/artifact/{run_id}/server_log/log", data, {"X-Content-SHA256": hashlib.sha256(data).hexdigest()})


def refused(answer, *statuses):
    """Checks for a problem document with one of these statuses, and for Retry-After with 503."""
    assert answer.status in statuses, (answer.status, answer.body)
    assert answer.headers["Content-Type"] == "application/problem+json" and answer.json["detail"]
    assert (answer.headers["Retry-After"] is not None) == (answer.status == 503)


def ended_well(done):
    """Checks that it ended with 0, and that its log has only warnings on what it waited for, and why."""
    status, out, err = done
    assert (status, out) == (0, "") and NOTICED.sub("", err).strip() == "", err


@pytest.fixture
def disk(tmp_path):
    """A small separate disk."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", place], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"could not mount a tmpfs: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk):
    """Fills the disk to the last page."""
    with open(disk / "filler", "wb", buffering=0) as filler:
        for size in (1 << 20, 4096):
            try:
                while True:
                    filler.write(bytes(size))
            except OSError:
                pass


def test_a_full_disk(bin_dir, disk):
    """The disk may become full at any moment, also during artifacts."""
    accepted, jobs = 30, []
    with Dashboard(bin_dir, disk / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(i) for i in range(accepted)])["counts"]["stored"] == accepted
        assert put(one, "small-1", b"before" * 1000).status in (200, 201)
        for play in range(3):
            fill(disk)
            refusals = 0
            for number in range(6):
                document = little(1000 * play + 100 + number, notes=noise(number, 400_000))
                answer = one.post("/api/upload/json", document)
                if answer.status == 202:
                    jobs.append(answer.json["status_url"])
                else:
                    refused(answer, 503, 507)
                    refusals += 1
                assert count(one) >= accepted
            assert refusals > 0
            refused(put(one, "small-2", noise(play, 300_000).encode()), 503, 507)
            refused(one.post(PRESETS, {"name": f"large {play}", "description": "x" * 1000, "chart": {"x": noise(play, 60_000)}}), 503, 507)
            assert one.post("/api/export/csv", {"columns": ["run.run_id"]}).status == 200
            (disk / "filler").unlink()
            # what was accepted is stored by itself, and what is sent again is taken
            wait_for(lambda: one.post("/api/upload/json", little(9000 + play)).status == 202, "there is room again")
            for job in jobs:
                assert one.done(job)["counts"]["stored"] == 1
            accepted += 1
            wait_for(lambda: count(one) == accepted + len(jobs), "all are stored")
        assert put(one, "small-2", b"after").status in (200, 201)
        ended_well(one.stop())
    with sqlite3.connect(disk / "d.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Dashboard(bin_dir, disk / "d.db") as one:
        assert count(one) == accepted + len(jobs)
        assert one.stop() == (0, "", "")


def test_a_full_folder_of_files(bin_dir, disk, tmp_path):
    """The database, on another disk, has room: results are stored, artifacts are refused whole, and accepted when there is
    room."""
    files = disk / "files"
    before, large = b"before" * 1000, noise(1, 2_000_000).encode()
    with Dashboard(bin_dir, tmp_path / "d.db", "--data", files) as one:
        assert one.upload("/api/upload/batch", [little(i) for i in range(4)])["counts"]["stored"] == 4
        assert put(one, "small-1", before).status == 201
        kept = {path for path in files.rglob("*") if path.is_file()}
        for play in range(2):
            fill(disk)
            # before the first byte, and in between: there is room for some
            refused(put(one, "small-2", large), 507)
            with open(disk / "filler", "r+b") as filler:
                filler.truncate(filler.seek(0, os.SEEK_END) - 1_000_000)
            refused(put(one, "small-2", large), 507)
            assert {path for path in files.rglob("*") if path.is_file()} == kept
            assert one.get("/api/data/experiments/small-2/artifacts").json["artifacts"] == []
            # uploads of results continue
            assert one.upload("/api/upload/json", little(10 + play))["counts"]["stored"] == 1 and count(one) == 5 + play
            assert one.get("/api/data/experiments/small-1/artifacts/server_log/log").body == before
            (disk / "filler").unlink()
        assert put(one, "small-2", large).status == 201
        assert one.get("/api/data/experiments/small-2/artifacts/server_log/log").body == large
        ended_well(one.stop())
    assert len([path for path in files.rglob("*") if path.is_file()]) == len(kept) + 1


def can_be_made_read_only(path):
    done = subprocess.run(["chattr", "+i", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"could not make a file immutable: {done.stderr.strip()}")


def test_a_file_that_may_only_be_read(bin_dir, tmp_path):
    """A read-only file is refused, also while it is open."""
    db = tmp_path / "d.db"
    locked = [db, tmp_path / "d.db-wal"]
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/batch", [little(i) for i in range(5)])["counts"]["stored"] == 5
        for path in locked:
            can_be_made_read_only(path)
        try:
            refused(one.post("/api/upload/json", little(5)), 503)
            refused(one.post(PRESETS, {"name": "one"}), 503)
            assert count(one) == 5 and one.get("/api/data/experiments/small-1").status == 200 and one.get(PRESETS).json["presets"] == []
        finally:
            for path in locked:
                subprocess.run(["chattr", "-i", path], check=True)
        assert one.upload("/api/upload/json", little(5))["counts"]["stored"] == 1
        assert one.post(PRESETS, {"name": "one"}).status == 201 and count(one) == 6
        ended_well(one.stop())


@pytest.fixture
def postgres():
    if programs() is None:
        if os.environ.get("CI"):
            pytest.fail(NOT_FOUND)
        pytest.skip(NOT_FOUND)
    server = Postgres("fsync=on")
    try:
        yield server
    finally:
        server.close()


@pytest.mark.release_only  # PostgreSQL is slow with a sanitizer
def test_a_database_that_may_only_be_read(bin_dir, postgres):
    db = postgres.new()
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/batch", [little(i) for i in range(5)])["counts"]["stored"] == 5
        for state in ("on", "off"):
            postgres.sql(postgres.address("postgres"), f"ALTER SYSTEM SET default_transaction_read_only = {state};")
            postgres.sql(postgres.address("postgres"), "SELECT pg_reload_conf();")
            if state == "on":
                names = map(str, range(10**9))
                wait_for(lambda: one.post(PRESETS, {"name": next(names)}).status == 503, "it may only be read")
                refused(one.post("/api/upload/json", little(5)), 503)
                assert count(one) == 5 and one.get("/api/data/experiments/small-1").status == 200
        wait_for(lambda: one.post("/api/upload/json", little(5)).status == 202, "it may be written")
        wait_for(lambda: count(one) == 6, "it is stored")
        ended_well(one.stop())


@pytest.mark.release_only  # PostgreSQL is slow with a sanitizer
def test_a_database_that_is_away(bin_dir, postgres):
    """The database disappears twice, once with work to do: accepted results are stored after its return, without any restart."""
    db = postgres.new()
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/batch", [little(i) for i in range(5)])["counts"]["stored"] == 5
        stored = 5
        for play in range(2):
            answer = one.post("/api/upload/batch", [little(100 * play + 10 + i, notes=noise(i, 2000)) for i in range(60)]) if play else None
            postgres.stop()
            wait_for(lambda: one.get("/api/health/ready").status == 503, "it is noticed")
            assert one.get("/api/health/ready").json["reasons"] == ["database"]
            refused(one.post("/api/upload/json", little(7)), 503)
            refused(one.post(PRESETS, {"name": "one"}), 503)
            # of memory: as many as were known
            assert stored <= count(one) <= stored + 60
            assert one.post(APPLY, {"filter": {"field": "run.suite", "op": "eq", "value": "s"}, "facets": True}).status == 200
            refused(one.get("/api/data/experiments/small-1/raw"), 503)
            postgres.start()
            assert one.get("/api/health").status == 200
            wait_for(lambda: one.get("/api/health/ready").json == {"ready": True, "reasons": []}, "it is back")
            if answer is not None:
                assert one.done(answer.json["status_url"])["counts"]["stored"] == 60
                stored += 60
            wait_for(lambda: one.post("/api/upload/json", little(1000 + play)).status == 202, "it may be written to")
            stored += 1
            wait_for(lambda: count(one) == stored, "all are there")
        ended_well(one.stop())


@pytest.mark.parametrize("how", ["moved", "deleted", "replaced"])
def test_a_database_file_that_has_gone(bin_dir, tmp_path, how):
    """A database file without its name is lost at the end: nothing is accepted, and the log says why."""
    db, away = tmp_path / "d.db", tmp_path / "away.db"
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/batch", [little(i) for i in range(5)])["counts"]["stored"] == 5
        if how == "replaced":
            shutil.copy(db, away)
            away.rename(db)
        else:
            db.rename(away)
        if how == "deleted":
            away.unlink()
        for answer in (one.post("/api/upload/json", little(7)), one.post(PRESETS, {"name": "one"})):
            refused(answer, 503)
            assert "was moved, deleted or replaced" in answer.json["detail"] and str(db) in answer.json["detail"]
        wait_for(lambda: one.get("/api/health/ready").status == 503, "the monitor notices it")
        ready = one.get("/api/health/ready").json
        assert ready["reasons"] == ["database"] and "was moved, deleted or replaced" in ready["message"]
        assert one.get("/api/health").json["database"]["state"] == "lost"
        assert count(one) == 5
        if how == "moved":
            away.rename(db)
            assert one.upload("/api/upload/json", little(7))["counts"]["stored"] == 1
            wait_for(lambda: one.get("/api/health/ready").status == 200, "the monitor finds it again")
        status, _, err = one.stop()
        assert status == 0 and 1 <= err.count("was moved, deleted or replaced") < 20, err


def test_a_database_by_two_names(bin_dir, tmp_path):
    """Locks and logs are named after a database: with a hard link, two servers would write it at once."""
    db, second, soft = tmp_path / "d.db", tmp_path / "second.db", tmp_path / "soft.db"
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/json", little(1))["counts"]["stored"] == 1
        for name, text in ((soft, "is in use by process"), (second, "found 2 hard links to this database, expected one")):
            if name == soft:
                soft.symlink_to(db)
            else:
                os.link(db, second)
            done = subprocess.run([bin_dir / "profllm-dashboard", "serve", "--db", name, "--port", "0"], capture_output=True, text=True,
                                  check=False, timeout=60)
            assert done.returncode in (2, 5) and text in done.stderr and done.stdout == "", done.stderr
        assert one.upload("/api/upload/json", little(2))["counts"]["stored"] == 1
        ended_well(one.stop())
    second.unlink()
    with Dashboard(bin_dir, db) as one:
        assert count(one) == 2
