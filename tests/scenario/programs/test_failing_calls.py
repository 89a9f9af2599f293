"""
One call of a program fails (tests/doubles/failing_calls.c): memory, open, write, fsync, rename, fstat, mmap, accept, send. Whatever
the call, the program does not crash, says what is wrong where it does not succeed, keeps every result that it acknowledged, and
the same command succeeds afterwards. Memory that runs out may end a program by one line, by design (src/base/mem.c).

By itself a few calls of each kind, by a seed; with PROFLLM_TEST_LONG=1 every call, and 200 of those for memory.
"""
import contextlib
import os
import random
import signal
import sqlite3
import struct
import subprocess
import time
from pathlib import Path

import pytest
from run_tools import base_config, environment, load_result, processes_with, write_config
from sweep_tools import summary, sweep_args, sweep_config

FULL = bool(os.environ.get("PROFLLM_TEST_LONG"))
SEED = 20
KINDS = ["malloc", "open", "write", "fsync", "rename", "fstat", "mmap", "accept", "send"]
FILE_BYTES = 4096
TIMEOUT_S = 120

pytestmark = pytest.mark.release_only  # a sanitizer brings an allocator of its own


class Failing:
    """A program whose calls are counted, and one of which fails: "KIND:N"."""

    def __init__(self, bin_dir, program, folder, call):
        self.bin_dir, self.program, self.folder = bin_dir, program, Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "calls"
        self.file.write_bytes(bytes(FILE_BYTES))
        self.env = environment({"LD_PRELOAD": str(bin_dir.parent / "tests/failing_calls.so"), "PROFLLM_FAIL_PROGRAM": program,
                                "PROFLLM_FAIL_CALL": call, "PROFLLM_FAIL_FILE": str(self.file)})

    def counts(self):
        numbers = struct.unpack(f"<{len(KINDS)}Q", self.file.read_bytes()[:8 * len(KINDS)])
        return dict(zip(KINDS, numbers))

    def start(self, *args):
        return subprocess.Popen([self.bin_dir / self.program, *map(str, args)], env=self.env, cwd=self.folder, text=True, errors="replace",
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *args):
        process = self.start(*args)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail(f"hangs: {process.communicate()}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def plain(bin_dir, program, *args):
    return subprocess.run([bin_dir / program, *map(str, args)], env=environment(), text=True, capture_output=True,
                          timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)


def check_end(done, call):
    """No crash, and words for what did not succeed."""
    if done.returncode == -signal.SIGABRT:
        assert call.startswith("malloc") and "out of memory" in done.stderr, done.stderr
    else:
        assert done.returncode >= 0, f"signal {-done.returncode}: {done.stderr}"
    assert done.returncode == 0 or done.stderr.strip(), "it says nothing"


def chosen(kind, count, some):
    if FULL:
        some = 200 if kind == "malloc" else count
    return sorted(random.Random(f"{SEED} {kind}").sample(range(1, count + 1), min(some, count)))


@pytest.fixture(scope="module")
def document(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("document")
    done = plain(bin_dir, "profllm", "run", "-c", write_config(folder, base_config(num_prompts=6)), "-o", folder / "r.json")
    assert done.returncode == 0, done.stderr
    return folder / "r.json"


def rows_of(db):
    with contextlib.closing(sqlite3.connect(db)) as connection:
        return connection.execute("SELECT count(*) FROM benchmark_runs").fetchone()[0]


def check_database(bin_dir, db, document):
    """It takes the result, or has it; nothing in it is torn."""
    done = plain(bin_dir, "profllm-dashboard", "import", "--db", db, document)
    assert (done.returncode, rows_of(db)) == (0, 1), done.stderr
    with contextlib.closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    checked = plain(bin_dir, "profllm-dashboard", "check", "--db", db)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def calls_of(bin_dir, program, folder, *args):
    failing = Failing(bin_dir, program, folder, "malloc:0")
    assert failing.run(*args).returncode == 0
    return failing.counts()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("accept", "send")])
def test_ingest(bin_dir, tmp_path, document, kind):
    count = calls_of(bin_dir, "profllm-dashboard", tmp_path / "all", "import", "--db", tmp_path / "all.db", document)[kind]
    assert count > 0
    for number in chosen(kind, count, 3):
        failing, db = Failing(bin_dir, "profllm-dashboard", tmp_path / str(number), f"{kind}:{number}"), tmp_path / f"{number}.db"
        done = failing.run("import", "--db", db, document)
        check_end(done, kind)
        if done.returncode == 0:
            assert rows_of(db) == 1
        check_database(bin_dir, db, document)


def until_listening(process):
    """The address; None: it ended instead."""
    line = process.stdout.readline()
    return line.split()[-1] if line.startswith("listening on ") else None


def serve(bin_dir, folder, document, call):
    """A dashboard starts, takes an upload, and ends. What was acknowledged is there afterwards. How many calls there were."""
    failing, db = Failing(bin_dir, "profllm-dashboard", folder, call), folder / "results.db"
    process = failing.start("serve", "--db", db, "--port", 0)
    url = until_listening(process)
    sent = plain(bin_dir, "profllm", "upload", document, "--to", url, "--wait", "1s") if url else None
    process.terminate()
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"does not end: {process.communicate()}")
    check_end(subprocess.CompletedProcess([], process.returncode, out, err), call)
    if call.endswith(":0"):
        assert sent.returncode == 0 and process.returncode == 0, sent.stderr + err
    if sent is not None and sent.returncode == 0:
        assert rows_of(db) == 1
    check_database(bin_dir, db, document)
    return failing.counts()


@pytest.mark.parametrize("kind", KINDS)
def test_serve(bin_dir, tmp_path, document, kind):
    count = serve(bin_dir, tmp_path / "all", document, f"{kind}:0")[kind]
    for number in chosen(kind, count, 2):
        serve(bin_dir, tmp_path / str(number), document, f"{kind}:{number}")


def check_nobody_left(run_id):
    deadline = time.monotonic() + TIMEOUT_S
    while processes_with(f"PROFLLM_RUN={run_id}"):
        assert time.monotonic() < deadline, "processes of the run are left"
        time.sleep(0.05)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mmap"])
def test_run(bin_dir, tmp_path, kind):
    """A run against the simulator: its result is whole, or there is none and the journal gives one."""
    config = write_config(tmp_path, base_config(num_prompts=6))
    count = calls_of(bin_dir, "profllm", tmp_path / "all", "run", "-c", config, "-o", tmp_path / "all.json")[kind]
    assert count > 0
    for number in chosen(kind, count, 2):
        folder = tmp_path / str(number)
        failing, path = Failing(bin_dir, "profllm", folder, f"{kind}:{number}"), folder / "r.json"
        done = failing.run("run", "-c", config, "-o", path)
        check_end(done, kind)
        recovered = plain(bin_dir, "profllm", "recover", folder)
        assert recovered.returncode in (0, 1, 2), recovered.stderr
        if done.returncode == 0:
            assert load_result(path)["status"] == "completed"
        if path.exists():
            result = load_result(path)
            assert result["status"] != "completed" or result["results"]["completed"] == 6
            check_nobody_left(result["run_id"])
        again = plain(bin_dir, "profllm", "run", "-c", config, "-o", folder / "again.json")
        assert again.returncode == 0, again.stderr


def test_sweep(bin_dir, tmp_path):
    """A run fails, or the sweep does: the same command resumes it, and every cell has its result."""
    config = write_config(tmp_path, sweep_config())
    counts = calls_of(bin_dir, "profllm", tmp_path / "all", *sweep_args(config, tmp_path / "all-sweep"))
    for kind in ["open", "write", "fsync", "rename"]:
        for number in chosen(kind, counts[kind], 1):
            folder = tmp_path / f"{kind}{number}"
            done = Failing(bin_dir, "profllm", folder, f"{kind}:{number}").run(*sweep_args(config, folder / "sweep"))
            check_end(done, kind)
            again = plain(bin_dir, "profllm", *sweep_args(config, folder / "sweep", *(["--resume"] if (folder / "sweep").exists() else [])))
            assert again.returncode in (0, 1), again.stderr
            # a run that the call made fail stays failed, and is a result
            rows = summary(folder / "sweep")
            assert len(rows) == 4 and all(row["status"] for row in rows)
            assert again.returncode or {row["status"] for row in rows} == {"completed"}
