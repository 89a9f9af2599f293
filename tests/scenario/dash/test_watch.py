"""Watched directories, by `import --watch` and by `serve --watch`: complete files, however they arrive."""
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from artifact_tools import write_result
from dashboard_tools import Dashboard, little
from run_tools import PATIENCE, environment
from wait_tools import wait_for


class Watch:
    """`import --watch` and its output, one line per event."""

    def __init__(self, bin_dir, db, *folders, preload=None, args=(), before=()):
        words = [word for folder in folders for word in ("--watch", folder)]
        # outside the watched directory, because the disk of the database may be full
        self.out = folders[0].with_name(f"{time.monotonic_ns()}.out")
        self.err = self.out.with_suffix(".err")
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen([*before, bin_dir / "profllm-dashboard", "import", "--db", db, "--json", *words, *args], stdout=out,
                                            stderr=err, stdin=subprocess.DEVNULL, env=environment(preload))

    def watching(self):
        """Writes after this are reported when the file is closed."""
        def has_watch():
            for info in Path(f"/proc/{self.process.pid}/fdinfo").iterdir():
                with contextlib.suppress(OSError):
                    if "inotify wd:" in info.read_text():
                        return True
            return False
        wait_for(has_watch, "the folder is watched", process=self.process)
        return self

    def events(self):
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def stored(self):
        """Returns the run_ids in the order in which they were reported."""
        return [one["run_id"] for one in self.events() if one["state"] == "stored" and "artifact" not in one]

    def artifacts(self):
        return sorted(one["artifact"] for one in self.events() if one["state"] == "stored" and "artifact" in one)

    def wait(self, count, what="stored"):
        return wait_for(lambda: len(getattr(self, what)()) >= count and getattr(self, what)(), f"{count} are {what}", seconds=60)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(60 * PATIENCE)
        return self.process.returncode, self.err.read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    made.mkdir()
    return made


@pytest.fixture
def db(tmp_path):
    return tmp_path / "d.db"


def write(path, number, **keys):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(little(number, **keys)))
    return f"small-{number}"


def of_long_ago(path):
    """Makes the file old, so that the start does not watch it for two seconds for changes."""
    os.utime(path, (1e9, 1e9))


def test_existing_and_new_files(bin_dir, db, folder):
    write(folder / "a.json", 0)
    with Watch(bin_dir, db, folder) as watch:
        watch.wait(1)
        write(folder / "b.json", 1)
        watch.wait(2)
        # renamed in, as rsync and profllm do
        write(folder / ".c.json.tmp", 2)
        (folder / ".c.json.tmp").rename(folder / "c.json")
        assert watch.wait(3) == ["small-0", "small-1", "small-2"]
        assert watch.stop() == (0, "")


def test_new_folders(bin_dir, db, folder, tmp_path):
    with Watch(bin_dir, db, folder) as watch:
        write(folder / "x/y/z/a.json", 0)
        write(tmp_path / "moved/deep/b.json", 1)
        (tmp_path / "moved").rename(folder / "moved")
        assert set(watch.wait(2)) == {"small-0", "small-1"}
        write(folder / "moved/deep/c.json", 2)
        write(folder / "x/y/d.json", 3)
        assert set(watch.wait(4)) == {f"small-{i}" for i in range(4)}


def test_never_half_a_file(bin_dir, db, folder):
    """A slowly written file is read when it is closed, and is not reported before."""
    text = json.dumps(little(0))
    with Watch(bin_dir, db, folder) as watch, (watch.watching() and folder / "slow.json").open("w") as file:
        for part in (text[:10], text[10:20], text[20:]):
            file.write(part)
            file.flush()
            time.sleep(0.2)
        assert watch.events() == []
        file.close()
        watch.wait(1)
        assert [one["state"] for one in watch.events()] == ["stored"]


def test_files_that_appeared_while_it_was_down(bin_dir, db, folder):
    write(folder / "a.json", 0)
    of_long_ago(folder / "a.json")
    with Watch(bin_dir, db, folder) as watch:
        watch.wait(1)
        watch.stop(signal.SIGKILL)
    write(folder / "b.json", 1)
    of_long_ago(folder / "b.json")
    with Watch(bin_dir, db, folder) as watch:
        assert watch.wait(1) == ["small-1"]


@pytest.mark.parametrize("choice, changes", [("keep", ["deleted"]), ("replace", ["deleted", "replaced"])])
def test_a_choice_at_every_start(bin_dir, db, folder, choice, changes):
    """The file has other content with a known run_id: an accepted one is a duplicate at the next start, and a deleted one
    stays deleted."""
    write(folder / "a.json", 0)
    of_long_ago(folder / "a.json")
    with Watch(bin_dir, db, folder, args=("--on-conflict", choice)) as watch:
        watch.wait(1)
        write(folder / "b.json", 0, suite="other")
        watch.wait(2)
        watch.stop()
    if choice == "replace":
        (folder / "a.json").unlink()
    with Dashboard(bin_dir, db) as dashboard:
        deleted, *others = dashboard.ids()
        assert dashboard.ask("DELETE", f"/api/data/experiments/{deleted}").status == 204
    for number in (1, 2):
        write(folder / f"new-{number}.json", number)
        for one in folder.iterdir():
            of_long_ago(one)
        with Watch(bin_dir, db, folder, args=("--on-conflict", choice)) as watch:
            assert watch.wait(1) == [f"small-{number}"]
            watch.stop()
    with Dashboard(bin_dir, db) as dashboard:
        assert len(dashboard.ids()) == len(others) + 2
        assert [one["kind"] for one in dashboard.get(f"/api/data/experiments/{deleted}/changes").json["changes"]] == changes


def test_one_that_is_replaced(bin_dir, db, folder):
    write(folder / "a.json", 0)
    of_long_ago(folder / "a.json")
    with Watch(bin_dir, db, folder) as watch:
        watch.wait(1)
        write(folder / ".b", 1)
        (folder / ".b").rename(folder / "a.json")
        assert watch.wait(2) == ["small-0", "small-1"]
        write(folder / "a.json", 1, suite="other")
        wait_for(lambda: [one["state"] for one in watch.events()] == ["stored", "stored", "conflict"], "all are reported")
        (folder / "a.json").write_text("{")
        wait_for(lambda: watch.events()[-1]["state"] == "rejected", "all are reported")


def test_artifacts_of_a_result(bin_dir, db, folder, tmp_path):
    """Artifacts may arrive before the result, with it, or after it."""
    path, files = write_result(tmp_path, rng=random.Random(1))
    shutil.copy(tmp_path / "r0.server.log", folder)
    of_long_ago(folder / "r0.server.log")
    with Watch(bin_dir, db, folder) as watch:
        watch.watching()
        shutil.copy(path, folder)
        watch.wait(1)
        assert watch.wait(1, "artifacts") == ["server_log"]
        shutil.copy(tmp_path / "r0.requests.jsonl.zst", folder)
        watch.wait(2, "artifacts")
        shutil.copy(tmp_path / "r0.series.jsonl.zst", folder)
        shutil.copy(tmp_path / "r0.rank0.pt.trace.json.gz", folder)
        assert watch.wait(4, "artifacts") == sorted(files)
        assert watch.stop() == (0, "")
    with Dashboard(bin_dir, db) as dashboard:
        for kind, data in files.items():
            name, = [one.name for one in folder.iterdir() if one.read_bytes() == data]
            assert dashboard.get(f"/api/data/experiments/1/artifacts/{kind}/{name}").body == data


def test_artifacts_of_several_results(bin_dir, db, folder, tmp_path):
    """Each of several results without artifacts gets its own, in whatever order they arrive."""
    made = [write_result(tmp_path, number) for number in range(3)]
    with Watch(bin_dir, db, folder) as watch:
        watch.watching()
        for path, _ in made:
            shutil.copy(path, folder)
        watch.wait(len(made))
        for count, number in enumerate((1, 0, 2), 1):
            shutil.copy(tmp_path / f"r{number}.server.log", folder)
            assert watch.wait(count, "artifacts") == ["server_log"] * count
        assert watch.stop() == (0, "")
    with Dashboard(bin_dir, db) as dashboard:
        of_ids = {row["run_id"]: row["id"] for row in dashboard.rows()}
        for path, files in made:
            number = of_ids[json.loads(path.read_text())["run_id"]]
            name = f"{path.stem}.server.log"
            assert dashboard.get(f"/api/data/experiments/{number}/artifacts/server_log/{name}").body == files["server_log"]


def test_an_artifact_that_could_not_be_copied(bin_dir, db, folder, tmp_path):
    """A failed copy is reported once, and repeated when it is possible; the result is not reported again."""
    path, files = write_result(folder)
    for one in folder.iterdir():
        of_long_ago(one)
    with Watch(bin_dir, db, folder, args=("--data", tmp_path / "none" / "files")) as watch:
        wait_for(lambda: sum(one["state"] == "failed" for one in watch.events()) == len(files), "all have failed")
        (tmp_path / "none").mkdir()
        assert watch.wait(len(files), "artifacts") == sorted(files)
        # one cause, one line; standard output names each file
        assert len(watch.stored()) == 1 and watch.err.read_text().count("is not stored: ") == 1
        assert len(watch.events()) == 1 + 2 * len(files) and watch.stop()[0] == 0


@pytest.mark.parametrize("what", ["result", "beside"])
def test_unreadable_files(bin_dir, db, folder, what):
    """A file may become readable later, without a change of its content."""
    path, files = write_result(folder)
    hidden = path if what == "result" else path.with_name("r0.server.log")
    hidden.chmod(0)
    for one in folder.iterdir():
        of_long_ago(one)
    # who reads whatever its mode says does not here
    bounds = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    with Watch(bin_dir, db, folder, before=bounds) as watch:
        state = "rejected" if what == "result" else "failed"
        events = wait_for(lambda: [one for one in watch.events() if one["state"] == state], "it is told")
        assert len(events) == 1 and "Permission denied" in events[0]["message"]
        hidden.chmod(0o600)
        assert watch.wait(len(files), "artifacts") == sorted(files)
        assert len(watch.stored()) == 1 and len(watch.events()) == 2 + len(files) and watch.stop()[0] == 0


def test_with_a_server_on_the_same_database(bin_dir, db, folder):
    with Dashboard(bin_dir, db) as dashboard, Watch(bin_dir, db, folder) as watch:
        watch.watching()
        for i in range(20):
            write(folder / f"{i}.json", i)
            dashboard.post("/api/upload/json", little(100 + i))
        watch.wait(20)
        wait_for(lambda: len(dashboard.ids()) == 40, "all are seen")
        assert watch.stop()[0] == 0 and dashboard.stop() == (0, "", "")


def test_by_the_server(bin_dir, db, folder):
    path, files = write_result(folder)
    for one in folder.iterdir():
        of_long_ago(one)
    with Dashboard(bin_dir, db, "--watch", folder, "--data", folder.parent / "files") as dashboard:
        wait_for(lambda: len(dashboard.ids()) == 1, "it is there")
        wait_for(lambda: len(dashboard.get("/api/data/experiments/1/artifacts").json["artifacts"]) == len(files), "so are those beside it")
        assert any((folder.parent / "files").iterdir()) and not db.with_name("d.db.files").exists()
        write(folder / "b.json", 1)
        wait_for(lambda: len(dashboard.ids()) == 2, "it has come")
        assert dashboard.stop() == (0, "", "")


def test_a_folder_that_is_none(bin_dir, db, tmp_path):
    for args in (["import", "--watch", tmp_path / "none"], ["serve", "--port", "0", "--watch", tmp_path / "none"]):
        done = subprocess.run([bin_dir / "profllm-dashboard", *args, "--db", db], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and "--watch: could not read directory" in done.stderr


LIMIT = """
#define _GNU_SOURCE
#include <errno.h>
int inotify_add_watch(int fd, const char *path, unsigned mask);
int inotify_add_watch(int fd, const char *path, unsigned mask)
{
	static int count;
	if (fd >= 0 && path && mask && count++ < 1)
		return count;
	errno = ENOSPC;
	return -1;
}
"""


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="a preload of its own")
def test_no_watches_left(bin_dir, db, folder, tmp_path):
    """One message; new files are found by polling, two seconds after their last write."""
    (tmp_path / "limit.c").write_text(LIMIT)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "limit.so", tmp_path / "limit.c"], check=True)
    for i in range(3):
        (folder / f"f{i}").mkdir()
    with Watch(bin_dir, db, folder, preload={"LD_PRELOAD": str(tmp_path / "limit.so"), "ASAN_OPTIONS": "verify_asan_link_order=0"}) as watch:
        write(folder / "f2/a.json", 0)
        write(folder / "new/b.json", 1)
        assert set(watch.wait(2)) == {"small-0", "small-1"}
        code, err = watch.stop()
    assert code == 0 and err.count("fs.inotify.max_user_watches") == 1 and len(err.splitlines()) == 1


def test_a_disk_that_was_full(bin_dir, db, folder):
    """A result that cannot be stored now is stored later, and is not reported as stored before."""
    if os.geteuid() != 0:
        pytest.skip("a file system of its own needs root")
    small = db.parent / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", small], capture_output=True).returncode:
        pytest.skip("could not mount a tmpfs: needs root and the right to mount")
    try:
        with Watch(bin_dir, small / "d.db", folder) as watch:
            write(folder / "a.json", 0)
            watch.wait(1)
            filler = small / "filler"
            with contextlib.suppress(OSError), filler.open("wb") as file:
                while True:
                    file.write(bytes(4096))
                    file.flush()
            for i in range(1, 40):
                write(folder / f"{i}.json", i)
            wait_for(lambda: "the import is paused" in watch.err.read_text(), "it is told that there is no room")
            before = len(watch.stored())
            filler.unlink()
            assert before < 40 and len(set(watch.wait(40))) == 40
            assert watch.stop()[0] == 0
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_many_at_once(bin_dir, db, folder):
    """Concurrent writers of many kinds, in directories that appear meanwhile; each file is imported once."""
    count = 2000 if os.environ.get("PROFLLM_TEST_LONG") else 150
    rng = random.Random(7)
    with Watch(bin_dir, db, folder) as watch:
        for i in range(count):
            where = folder / f"d{rng.randint(0, 9)}" / f"e{rng.randint(0, 3)}"
            if rng.random() < 0.5:
                write(where / f"{i}.json", i)
            else:
                write(folder / f".{i}", i)
                where.mkdir(parents=True, exist_ok=True)
                (folder / f".{i}").rename(where / f"{i}.json")
        assert sorted(watch.wait(count)) == sorted(f"small-{i}" for i in range(count))
        assert all(one["state"] == "stored" for one in watch.events()) and watch.stop() == (0, "")
