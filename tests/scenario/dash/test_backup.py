"""`profllm-dashboard backup`, `restore` and `check --backup`: a snapshot has the rows, documents and artifacts of one data version, also
under load; damage is found; kills and full disks leave the earlier snapshots usable."""
import concurrent.futures
import fcntl
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import threading
import time
from urllib.parse import quote

import pytest
from artifact_tools import write_result
from backup_tools import STATE, backup, check, contents, files_of, restore, snapshots, socket_of, version_of
from dashboard_tools import Dashboard, little, results
from database_tools import ask, change, is_address, writing
from import_tools import dashboard_command, import_json, run_dashboard
from run_tools import PATIENCE, environment
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
SEED = 40
INDEX = {"field_chunks", "field_rows", "field_segments"}
LOADS = 40 if LONG else 2  # backups while others write
KILLS = 60 if LONG else 1 if os.environ.get("PROFLLM_SANITIZED") else 3


@pytest.fixture
def data(tmp_path):
    return tmp_path / "files"


def fill(bin_dir, folder, db, data, count=3, first=0):
    """Stores results with artifacts; returns {SHA-256: …} of the files."""
    folder.mkdir(exist_ok=True)
    rng = random.Random(SEED + first)
    paths = [write_result(folder, number, rng=rng)[0] for number in range(first, first + count)]
    import_json(bin_dir, *paths, "--db", db, "--data", data)


def same_store(bin_dir, one, other, one_data, other_data, tables=None):
    found = contents(other)
    assert found == (tables or contents(one))
    assert files_of(other_data) == files_of(one_data)
    check(bin_dir, "--db", other, "--data", other_data)


def test_a_restored_store_has_the_same_contents(bin_dir, database, tmp_path, data):
    db, target, new, new_data = database.with_tables(tmp_path), tmp_path / "b", database.new(tmp_path, "new.db"), tmp_path / "new.files"
    fill(bin_dir, tmp_path / "r", db, data)
    with Dashboard(bin_dir, db, "--data", data) as one:
        one.ask("PATCH", "/api/data/experiments/1", json.dumps({"tags": {"team": "red"}, "notes": "n"}), {"Content-Type": "application/json"})
        one.ask("DELETE", "/api/data/experiments/2")
        one.post("/api/filters/presets", {"name": "p", "filter": {"and": []}})
        told = one.rows(columns=["results.p99_ttft_ms", "tags.team", "stored.notes"])
        # online: the dashboard serves meanwhile
        made = backup(bin_dir, db, target, "--data", data)
        assert one.stop()[0] == 0
    manifest = made["snapshot"]
    assert manifest["data_version"] == version_of(db) and manifest["counts"]["benchmark_runs"] == 3
    assert manifest["artifacts"] == {"count": 12, "bytes": sum(path.stat().st_size for path in data.glob("??/*")), "missing": 0}
    assert made["copied_files"] == 12 and made["missing_artifacts"] == 0
    assert check(bin_dir, "--backup", target) == {"snapshots": 1, "files": 14, "bytes": sum(
        path.stat().st_size for path in [*target.glob("artifacts/??/*"), *target.glob("snapshots/*/[ad]*")]), "faults": 0, "problems": []}
    restored = restore(bin_dir, target, new, "--data", new_data)
    assert restored["snapshot"] == manifest
    same_store(bin_dir, db, new, data, new_data)
    # readers of either store have never seen this version
    assert version_of(new) > 10 ** 12
    with Dashboard(bin_dir, new, "--data", new_data) as one:
        assert one.rows(columns=["results.p99_ttft_ms", "tags.team", "stored.notes"]) == told
        assert one.upload("/api/upload/json", little(1))["counts"]["stored"] == 1
        one.stop()
    # only its owner can read it
    assert all(path.stat().st_mode & 0o077 == 0 for path in target.rglob("*"))


@pytest.mark.one_database
def test_a_second_backup_copies_only_new_artifacts(bin_dir, database, tmp_path, data):
    db, target = database.with_tables(tmp_path), tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data)
    first = backup(bin_dir, db, target, "--data", data)
    fill(bin_dir, tmp_path / "r", db, data, count=1, first=9)
    before = {path: path.stat().st_mtime_ns for path in target.glob("artifacts/??/*")}
    second = backup(bin_dir, db, target, "--data", data)
    assert first["copied_files"] == 12 and second["copied_files"] == 4 and second["snapshot"]["artifacts"]["count"] == 16
    assert {path: path.stat().st_mtime_ns for path in before} == before
    names = [first["snapshot"]["name"], second["snapshot"]["name"]]
    assert snapshots(target) == names
    listed = run_dashboard(bin_dir, "backup", target, "--list")
    assert listed.returncode == 0 and [line.split(":")[0] for line in listed.stdout.splitlines()] == names
    # the older one can be restored
    old, old_data = database.new(tmp_path, "old.db"), tmp_path / "old.files"
    restore(bin_dir, target, old, "--data", old_data, "--snapshot", names[0])
    assert len(files_of(old_data)) == 12 and ask(old, "SELECT count(*) n FROM benchmark_runs") == [(3,)]
    check(bin_dir, "--db", old, "--data", old_data)
    # --keep removes the older one, and artifacts that no snapshot has
    with Dashboard(bin_dir, db, "--data", data) as one:
        for id_ in one.ids():
            assert one.ask("DELETE", f"/api/data/experiments/{id_}").status == 204
        one.stop()
    assert run_dashboard(bin_dir, "prune", "--db", db, "--data", data).returncode == 0
    third = backup(bin_dir, db, target, "--data", data, "--keep", 1)
    assert third["removed_snapshots"] == 2 and snapshots(target) == [third["snapshot"]["name"]]
    assert list(target.glob("artifacts/??/*")) == []
    assert check(bin_dir, "--backup", target)["faults"] == 0


def damaged(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


@pytest.mark.one_database
def test_a_flipped_bit_is_refused(bin_dir, database, tmp_path, data):
    db, whole = database.with_tables(tmp_path), tmp_path / "whole"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    backup(bin_dir, db, whole, "--data", data)
    files = [path.relative_to(whole) for path in whole.rglob("*")
             if path.is_file() and path.name not in ("lock", "hold", "backup.json")]
    assert len(files) == 3 + 4
    for number, name in enumerate(files):
        target, new = tmp_path / f"b{number}", tmp_path / f"new{number}.db"
        shutil.copytree(whole, target)
        damaged(target / name)
        found = check(bin_dir, "--backup", target, status=1)
        assert found["faults"] > 0 and any(name.name in entry["message"] for entry in found["problems"])
        # a quick check sees sizes only, and what it reads
        is_read = name.name in ("manifest.json", "artifacts.list")
        assert check(bin_dir, "--backup", target, "--quick", status=int(is_read))["faults"] == is_read
        empty = database.new(tmp_path, new.name)
        done = restore(bin_dir, target, empty, "--data", tmp_path / f"new{number}.files", status=2)
        assert name.name in done.stderr and ("nothing was restored" in done.stderr or name.name == "manifest.json")
        assert is_address(empty) or not new.exists()
        assert not (tmp_path / f"new{number}.files").exists()
    # a missing and a short file
    gone = whole / next(name for name in files if name.parts[0] == "artifacts")
    gone.write_bytes(b"x")
    assert "expected" in check(bin_dir, "--backup", whole, "--quick", status=1)["problems"][0]["message"]
    gone.unlink()
    assert "is missing" in check(bin_dir, "--backup", whole, "--quick", status=1)["problems"][0]["message"]
    # the next backup repairs it
    assert backup(bin_dir, db, whole, "--data", data)["copied_files"] == 1
    assert check(bin_dir, "--backup", whole)["faults"] == 0


@pytest.mark.one_database
def test_artifacts_that_the_database_lacks_are_reported(bin_dir, database, tmp_path, data):
    db, target, new = database.with_tables(tmp_path), tmp_path / "b", database.new(tmp_path, "new.db")
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    gone, broken = sorted(data.glob("??/*"))[:2]
    gone.unlink()
    damaged(broken)
    made = backup(bin_dir, db, target, "--data", data, status=1)
    assert made["missing_artifacts"] == 2 and made["snapshot"]["artifacts"]["count"] == 2
    assert gone.name in made["problems"][0] and broken.name in made["problems"][1]
    restore(bin_dir, target, new, "--data", tmp_path / "new.files")
    assert len(files_of(tmp_path / "new.files")) == 2


def load(one, over, seed, names):
    """Uploads and deletes until the end."""
    rng, number = random.Random(seed), 0
    while not over.is_set():
        number += 1
        run = f"w{seed}-{number}"
        one.upload("/api/upload/batch", [little(f"{run}-{i}") for i in range(rng.randint(1, 4))])
        body = f"log of {run}".encode() * rng.randint(1, 50)
        assert one.ask("PUT", f"/api/upload/artifact/small-{run}-0/server_log/log.txt", body, {"Content-Type": "application/octet-stream"}).status in (200, 201)
        ids = one.ids()
        if ids and rng.random() < 0.7:
            one.ask("DELETE", f"/api/data/experiments/{rng.choice(ids)}", check=False)
        names.append(run)


def prunes(bin_dir, db, data, over):
    while not over.is_set():
        done = run_dashboard(bin_dir, "prune", "--db", db, "--data", data)
        assert done.returncode in (0, 5), done.stderr
        time.sleep(0.05)


def is_closed(db, files):
    """Every artifact of the database has its file, and every document its row: they are of one moment."""
    named = {sha256 for (sha256,) in ask(db, "SELECT DISTINCT sha256 s FROM artifacts")}
    assert named <= set(files) and all(name == digest for name, digest in files.items())
    assert ask(db, "SELECT (SELECT count(*) FROM benchmark_runs) a, (SELECT count(*) FROM benchmark_documents) b")[0][0] == \
        ask(db, "SELECT count(*) n FROM benchmark_documents")[0][0]
    # no row is newer than the version
    return named


def test_backups_under_load_are_of_one_moment(bin_dir, database, tmp_path, data):
    db, target, over, names = database.with_tables(tmp_path), tmp_path / "b", threading.Event(), []
    with Dashboard(bin_dir, db, "--data", data) as one:
        one.upload("/api/upload/batch", list(results(20)))
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            ends = [threads.submit(load, one, over, seed, names) for seed in range(2)]
            ends.append(threads.submit(prunes, bin_dir, db, data, over))
            try:
                wait_for(lambda: len(names) > 4 or any(end.done() for end in ends), "the load has begun")
                made = [backup(bin_dir, db, target, "--data", data)["snapshot"] for _ in range(max(1, LOADS // database.share))]
            finally:
                over.set()
            for end in ends:
                end.result()
        one.stop()
    assert check(bin_dir, "--backup", target)["faults"] == 0
    for number, manifest in enumerate(made):
        new, new_data = database.new(tmp_path, f"n{number}.db"), tmp_path / f"n{number}.files"
        restore(bin_dir, target, new, "--data", new_data, "--snapshot", manifest["name"])
        assert manifest["artifacts"]["missing"] == 0
        assert len(is_closed(new, files_of(new_data))) == manifest["artifacts"]["count"]
        found = contents(new)
        # opening a store compacts its index of fields, which is derived from the documents
        assert {table: len(rows) for table, rows in found.items() if table not in INDEX} == {
            table: count for table, count in manifest["counts"].items() if table not in INDEX | STATE}
        assert ask(new, "SELECT max(changed) n FROM benchmark_runs")[0][0] <= manifest["data_version"]
        check(bin_dir, "--db", new, "--data", new_data)
        shutil.rmtree(new_data)


@pytest.mark.one_database
def test_a_killed_backup_leaves_the_earlier_ones(bin_dir, database, tmp_path, data):
    db, target, rng = database.with_tables(tmp_path), tmp_path / "b", random.Random(SEED)
    fill(bin_dir, tmp_path / "r", db, data, count=8)
    begun = time.monotonic()
    first = backup(bin_dir, db, target, "--data", data)["snapshot"]["name"]
    took = time.monotonic() - begun
    for number in range(KILLS):
        fill(bin_dir, tmp_path / "r", db, data, count=2, first=20 + 2 * number)
        with subprocess.Popen(dashboard_command(bin_dir, "backup", target, "--db", db, "--data", data), env=environment(),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(rng.random() * took)
            process.kill()
        assert check(bin_dir, "--backup", target)["faults"] == 0
    assert snapshots(target)[0] == first
    last = backup(bin_dir, db, target, "--data", data, "--keep", 2)
    assert len(snapshots(target)) == 2 and not list((target / "snapshots").glob(".*")) and not list((target / "artifacts/incoming").iterdir())
    new, new_data = database.new(tmp_path, "new.db"), tmp_path / "new.files"
    restore(bin_dir, target, new, "--data", new_data)
    assert len(files_of(new_data)) == last["snapshot"]["artifacts"]["count"]
    same_store(bin_dir, db, new, data, new_data)


@pytest.mark.one_database
def test_a_killed_restore_is_repeated(bin_dir, database, tmp_path, data):
    db, target, rng = database.with_tables(tmp_path), tmp_path / "b", random.Random(SEED)
    fill(bin_dir, tmp_path / "r", db, data, count=6)
    backup(bin_dir, db, target, "--data", data)
    for number in range(KILLS):
        new, new_data = database.new(tmp_path, f"n{number}.db"), tmp_path / f"n{number}.files"
        with subprocess.Popen(dashboard_command(bin_dir, "restore", target, "--db", new, "--data", new_data), env=environment(),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(rng.random() * 0.3 * PATIENCE)
            process.kill()
            process.wait()
        # either nothing that looks like a database, or all of it
        if is_address(new):
            settled(new)
        complete = bool(ask(new, "SELECT to_regclass('benchmark_runs')::text t")[0][0]) if is_address(new) else new.exists()
        if not complete:
            restore(bin_dir, target, new, "--data", new_data)
        same_store(bin_dir, db, new, data, new_data)
        assert not list(tmp_path.glob("*.restoring*"))


def settled(db):
    """Waits for the end of a program of a killed restore, which ends with it, and for its transaction."""
    wait_for(lambda: ask(db, "SELECT count(*) n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                             " AND backend_type = 'client backend'") == [(0,)], "the server has noticed the kill")


def limited(bytes_):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    return limit


@pytest.mark.one_database
def test_a_full_disk_leaves_the_earlier_backup(bin_dir, database, tmp_path, data):
    """The limit of a file's size is a full disk for the database and for artifacts."""
    db, target = database.with_tables(tmp_path), tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=2)
    first = backup(bin_dir, db, target, "--data", data)["snapshot"]
    before = files_of(target / "artifacts")
    fill(bin_dir, tmp_path / "r", db, data, count=2, first=5)
    for bytes_ in (1, 1000, 20_000):
        done = subprocess.run(dashboard_command(bin_dir, "backup", target, "--db", db, "--data", data), env=environment(), capture_output=True,
                              text=True, preexec_fn=limited(bytes_), check=False)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
        assert snapshots(target) == [first["name"]] and not list((target / "snapshots").glob(".*"))
        assert check(bin_dir, "--backup", target)["faults"] == 0
        assert set(before) <= set(files_of(target / "artifacts"))
    new, new_data = database.new(tmp_path, "new.db"), tmp_path / "new.files"
    done = subprocess.run(dashboard_command(bin_dir, "restore", target, "--db", new, "--data", new_data), env=environment(), capture_output=True,
                          text=True, preexec_fn=limited(50_000), check=False)
    assert done.returncode == 2
    restore(bin_dir, target, new, "--data", new_data)
    assert len(files_of(new_data)) == first["artifacts"]["count"]
    backup(bin_dir, db, target, "--data", data)
    assert check(bin_dir, "--backup", target)["faults"] == 0


@pytest.mark.one_database
def test_a_small_disk(bin_dir, tmp_path, data):
    """A file system that is really full."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", disk], capture_output=True, check=False).returncode != 0:
        pytest.skip("could not mount a tmpfs: needs root and the right to mount")
    try:
        db = tmp_path / "d.db"
        fill(bin_dir, tmp_path / "r", db, data, count=1)
        first = backup(bin_dir, db, disk / "b", "--data", data)["snapshot"]["name"]
        folder = tmp_path / "big"
        folder.mkdir()
        fill(bin_dir, folder, db, data, count=1, first=50)
        with Dashboard(bin_dir, db, "--data", data) as one:
            assert one.ask("PUT", "/api/upload/artifact/big/server_log/log.txt", random.Random(SEED).randbytes(12 << 20),
                           {"Content-Type": "application/octet-stream"}).status == 201
            one.stop()
        done = run_dashboard(bin_dir, "backup", disk / "b", "--db", db, "--data", data)
        assert done.returncode == 2 and "No space left on device" in done.stderr
        assert snapshots(disk / "b") == [first] and check(bin_dir, "--backup", disk / "b")["faults"] == 0
        # what was copied in vain is removed, so that others have the space
        assert len(list((disk / "b/artifacts").glob("??/*"))) == 4
        restore(bin_dir, disk / "b", tmp_path / "new.db")
        check(bin_dir, "--db", tmp_path / "new.db")
    finally:
        subprocess.run(["umount", disk], check=False)


def test_an_existing_database_is_replaced_only_by_force(bin_dir, database, tmp_path, data):
    db, target, new, new_data = database.with_tables(tmp_path), tmp_path / "b", database.new(tmp_path, "new.db"), tmp_path / "new.files"
    fill(bin_dir, tmp_path / "r", db, data, count=2)
    backup(bin_dir, db, target, "--data", data)
    fill(bin_dir, tmp_path / "s", new, new_data, count=1, first=30)
    done = restore(bin_dir, target, new, "--data", new_data, status=5)
    assert "use --force to replace" in done.stderr and ask(new, "SELECT count(*) n FROM benchmark_runs") == [(1,)]
    with Dashboard(bin_dir, new, "--data", new_data) as one:
        assert len(one.ids()) == 1
        version = one.get("/api/health").json["data_version"]
        if is_address(new):
            # a dashboard that runs shows the restored results by itself, and stores new ones
            restore(bin_dir, target, new, "--data", new_data, "--force")
            wait_for(lambda: one.get("/api/health").json["data_version"] > version, "the restored results are loaded")
            assert [row["run_id"] for row in one.rows()] == [f"exp_20260101_000000_{i:06x}" for i in (0, 1)]
            assert one.get("/api/data/experiments/1/raw").status == 200
            assert one.upload("/api/upload/batch", list(results(1, first=70)))["counts"]["stored"] == 1
            assert len(one.rows()) == 3
        else:
            done = restore(bin_dir, target, new, "--data", new_data, "--force", status=5)
            assert "in use by another process" in done.stderr and len(one.ids()) == 1
        one.stop()
    restore(bin_dir, target, new, "--data", new_data, "--force")
    assert contents(new) == contents(db) and version_of(new) > version
    check(bin_dir, "--db", new, "--data", new_data)


@pytest.mark.parametrize("damage", ["shorter", "empty", "without a manifest"])
def test_a_damaged_list_removes_no_artifacts(bin_dir, tmp_path, data, damage):
    """--keep removes artifacts that no snapshot has; a snapshot whose list is damaged may have all of them."""
    db, target = tmp_path / "lab.db", tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=2)
    first = backup(bin_dir, db, target, "--data", data)["snapshot"]["name"]
    folder = target / "snapshots" / first
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    if damage == "without a manifest":
        (folder / "manifest.json").unlink()
    else:
        lines = whole["artifacts.list"].splitlines(keepends=True)
        (folder / "artifacts.list").write_bytes(b"".join(lines[:-1] if damage == "shorter" else []))
    with Dashboard(bin_dir, db, "--data", data) as one:
        for id_ in one.ids():
            assert one.ask("DELETE", f"/api/data/experiments/{id_}").status == 204
        one.stop()
    assert run_dashboard(bin_dir, "prune", "--db", db, "--data", data).returncode == 0
    done = run_dashboard(bin_dir, "backup", target, "--db", db, "--data", data, "--keep", 5)
    assert done.returncode == 2 and str(folder) in done.stderr
    # the new snapshot is complete, and the old one is repaired
    assert len(snapshots(target)) == 2 and len(list(target.glob("artifacts/??/*"))) == 8
    for name, content in whole.items():
        (folder / name).write_bytes(content)
    assert check(bin_dir, "--backup", target)["faults"] == 0


def test_other_files_next_to_snapshots_stay(bin_dir, tmp_path, data):
    """Files of a file manager or a user are no snapshots: they end no backup, count for no --keep, and are not removed."""
    db, target = tmp_path / "lab.db", tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    backup(bin_dir, db, target, "--data", data)
    others = [target / "snapshots" / name for name in (".DS_Store", "0 read me", "notes.txt", "20260101T000000Z.txt")]
    for path in others:
        path.touch()
    made = backup(bin_dir, db, target, "--data", data, "--keep", 2)
    assert made["removed_snapshots"] == 0 and all(path.exists() for path in others)
    assert check(bin_dir, "--backup", target)["snapshots"] == 2
    restore(bin_dir, target, tmp_path / "new.db", "--data", tmp_path / "new.files")


@pytest.mark.parametrize("left", ["nothing", "an empty file"])
def test_the_log_of_a_removed_database_is_not_applied(bin_dir, tmp_path, data, left):
    """SQLite would apply the log of a killed process to whatever file has the name of its database."""
    db, target = tmp_path / "lab.db", tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    backup(bin_dir, db, target, "--data", data)
    with Dashboard(bin_dir, db, "--data", data) as one:
        fill(bin_dir, tmp_path / "r", db, data, count=2, first=5)
        one.process.kill()
        one.process.wait()
    log = tmp_path / "lab.db-wal"
    before = log.read_bytes()
    assert len(before) > 0
    db.unlink()
    if left != "nothing":
        db.touch()
    done = run_dashboard(bin_dir, "restore", target, "--db", db, "--data", data)
    assert done.returncode == 5 and f"'{log}' exists, a log of a former database" in done.stderr
    assert log.read_bytes() == before
    restore(bin_dir, target, db, "--data", data, "--force")
    assert ask(db, "SELECT count(*) n FROM benchmark_runs") == [(1,)]
    check(bin_dir, "--db", db, "--data", data)


@pytest.mark.one_database
def test_newer_and_other_snapshots_are_refused(bin_dir, database, tmp_path, data):
    db, target = database.with_tables(tmp_path), tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    name = backup(bin_dir, db, target, "--data", data)["snapshot"]["name"]
    path = target / "snapshots" / name / "manifest.json"

    def rewritten(**keys):
        manifest = json.loads(path.read_text())
        manifest.update(keys)
        manifest.pop("sha256")
        manifest["sha256"] = seal(manifest)
        path.write_text(json.dumps(manifest))
        return manifest

    was = json.loads(path.read_text())
    assert seal({key: value for key, value in was.items() if key != "sha256"}) == was["sha256"]
    rewritten(database={**was["database"], "format": 9999})
    done = restore(bin_dir, target, database.new(tmp_path, "n.db"), status=2)
    assert "found database format 9999, expected at most" in done.stderr
    rewritten(database=was["database"], layout=7)
    assert "found layout 7, expected 1" in restore(bin_dir, target, database.new(tmp_path, "n.db"), status=2).stderr
    rewritten(layout=1)
    other = tmp_path / "n.db" if is_address(db) else "postgres://nobody@127.0.0.1:1/none"
    assert "--db: found " in restore(bin_dir, target, other, status=2).stderr
    for words, says in (([target, "--snapshot", "20010101T000000Z"], "snapshot '20010101T000000Z' is missing"), ([target, "--snapshot", ".."], "is missing"),
                        ([tmp_path / "none"], "is missing"), ([tmp_path / "r"], "is not a directory of backups")):
        done = restore(bin_dir, words[0], database.new(tmp_path, "n.db"), *words[1:], status=2)
        assert says in done.stderr, done.stderr


def seal(manifest):
    return hashlib.sha256(json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


@pytest.mark.one_database
def test_wrong_words(bin_dir, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/x").write_text("x")
    import_json(bin_dir, write_result(tmp_path)[0], "--db", tmp_path / "d.db")
    db = ["--db", tmp_path / "d.db"]
    for words, says in ((["backup", *db], "found 0 directories, expected one: TARGET"), (["backup", "a", "b", *db], "found 2 directories"),
                        (["backup", "", *db], "TARGET: found an empty name"), (["backup", "a", "--keep", "-1", *db], "--keep: found -1"),
                        (["backup", tmp_path / "other", *db], "is not a directory of backups"), (["backup", "a", "--db", tmp_path / "none.db"], "could not open"),
                        (["backup", tmp_path / "none/a", *db], "none"), (["restore", "a"], "--db: found nothing"), (["check", "--snapshot", "x"], "expected --backup"),
                        (["check", "--backup", "a", *db], "--backup: found --db"), (["check", "--backup", tmp_path / "other"], "is not a directory of backups")):
        done = run_dashboard(bin_dir, *words, cwd=tmp_path)
        assert done.returncode == 2 and says in done.stderr, (words, done.stderr)
    assert (tmp_path / "other/x").exists() and len(list((tmp_path / "other").iterdir())) == 1


@pytest.mark.one_database
def test_one_backup_at_a_time(bin_dir, tmp_path, data):
    db, target = tmp_path / "d.db", tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    backup(bin_dir, db, target, "--data", data)
    with open(target / "lock", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert "is in use by another process" in backup(bin_dir, db, target, "--data", data, status=5).stderr
        # several may read
        check(bin_dir, "--backup", target)
    backup(bin_dir, db, target, "--data", data)


@pytest.mark.one_database
def test_prune_waits_for_a_backup_to_remove_files(bin_dir, tmp_path, data):
    db = tmp_path / "d.db"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    with Dashboard(bin_dir, db, "--data", data) as one:
        assert one.ask("DELETE", "/api/data/experiments/1").status == 204
        one.stop()
    with open(data / "hold", "w", encoding="utf-8") as hold:
        fcntl.flock(hold, fcntl.LOCK_SH)
        with subprocess.Popen(dashboard_command(bin_dir, "prune", "--db", db, "--data", data), env=environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as prune:
            try:
                assert "waiting for a backup" in prune.stderr.readline()
                assert len(files_of(data)) == 4
                # uploads do not wait, and a server starts
                with Dashboard(bin_dir, db, "--data", data) as one:
                    assert one.ask("PUT", "/api/upload/artifact/r/server_log/log.txt", b"x", {"Content-Type": "application/octet-stream"}).status == 201
                    one.stop()
                fcntl.flock(hold, fcntl.LOCK_UN)
                assert prune.wait(30 * PATIENCE) == 0
            finally:
                prune.kill()
    assert len(files_of(data)) == 1


@pytest.mark.one_database
def test_a_write_does_not_wait_for_a_backup(bin_dir, tmp_path, data):
    """A backup reads while another process holds the lock of writers."""
    db, target = tmp_path / "d.db", tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    with writing(db, "UPDATE store_state SET data_version = data_version + 1"):
        made = backup(bin_dir, db, target, "--data", data)["snapshot"]
    assert made["data_version"] == version_of(db) - 1


def test_the_password_is_in_no_argument(bin_dir, database, tmp_path, data):
    """Only the environment of pg_dump has it; a missing or old pg_dump is refused."""
    if database.kind != "postgres":
        pytest.skip("SQLite has no password")
    db, tools, target = database.with_tables(tmp_path), tmp_path / "bin", tmp_path / "b"
    fill(bin_dir, tmp_path / "r", db, data, count=1)
    tools.mkdir()
    script = tools / "pg_dump"
    script.write_text('#!/bin/sh\necho "$PGPASSWORD" >>"' + str(tmp_path) + '/environment"\necho "$@" >>"' + str(tmp_path) + '/arguments"\n'
                      f'exec {shutil.which("pg_dump")} "$@"\n')
    script.chmod(0o755)
    secret = db.replace("profllm@", "profllm:s%2F3'cret@")
    env = {"PATH": f"{tools}:{os.environ['PATH']}"}
    done = run_dashboard(bin_dir, "backup", target, "--db", secret, "--data", data, env=env)
    assert done.returncode == 0, done.stderr
    assert "s/3'cret" in (tmp_path / "environment").read_text() and "cret" not in (tmp_path / "arguments").read_text()
    assert "cret" not in done.stdout + "".join(path.read_text() for path in target.rglob("manifest.json"))
    script.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.1'\n")
    done = run_dashboard(bin_dir, "backup", target, "--db", db, "--data", data, env=env)
    assert done.returncode == 2 and "'pg_dump': found version 'pg_dump (PostgreSQL) 9.6.1', expected" in done.stderr
    script.unlink()
    done = run_dashboard(bin_dir, "backup", target, "--db", db, "--data", data, env={"PATH": str(tools)})
    assert done.returncode == 2 and "'pg_dump' is missing from PATH" in done.stderr
    assert len(snapshots(target)) == 1 and socket_of(db)


def test_a_schema_of_its_own(bin_dir, database, tmp_path, data):
    """Only the tables of the schema are in the snapshot, which goes to a schema of the same name."""
    if database.kind != "postgres":
        pytest.skip("SQLite has no schemas")
    plain, other = database.new(tmp_path), database.new(tmp_path)
    option = "&options=" + quote('-csearch_path="Lab-x"', safe="")
    for db in (plain, other):
        change(db, 'CREATE SCHEMA "Lab-x"; CREATE TABLE public.jobs (other TEXT)')
    fill(bin_dir, tmp_path / "r", plain + option, data, count=1)
    made = backup(bin_dir, plain + option, tmp_path / "b", "--data", data)["snapshot"]
    assert made["database"]["schema"] == "Lab-x"
    done = restore(bin_dir, tmp_path / "b", database.new(tmp_path), "--data", tmp_path / "n.files", status=2)
    assert "schema: found public, expected Lab-x" in done.stderr
    restore(bin_dir, tmp_path / "b", other + option, "--data", tmp_path / "n.files")
    assert contents(other + option) == contents(plain + option)
