"""Killed tests leave neither files nor processes."""
import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from wait_tools import wait_for

pytestmark = pytest.mark.release_only  # nothing of ours runs in them

KILLS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
# what a test of ours is at when it is killed: files of its own, a server that has left its session and environment
BUSY = """
trap '' TERM INT
mkdir -p "$1/closed/within" && touch "$1/closed/within/file" && chmod 0 "$1/closed"
env -i setsid sh -c 'trap "" TERM INT; while :; do sleep 0.1; done' busy "$1" &
: >"$2"
while :; do sleep 0.1; done
"""
PROGRAM = """
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/scratch.h"

static void test_scratch(void **state)
{
	char path[SCRATCH_PATH];

	(void)state;
	scratch_folder(path);
	strcat(path, "/file");
	assert_true(mkdir(path, 0700) == 0);
	if (getenv("READY") != NULL) {
		close(open(getenv("READY"), O_CREAT | O_WRONLY, 0600));
		pause();
	}
	assert_null(getenv("FAIL"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_scratch) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
"""


def started_in(folder):
    """Returns the processes that know the directory."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if any(str(folder).encode() in Path("/proc", pid, name).read_bytes() for name in ("environ", "cmdline")):
                found.append(pid)
    return found


class Place:
    """A temporary directory in place of /tmp, and a file that shows that a test is in the middle of its work."""

    def __init__(self, folder):
        self.temporary, self.ready = folder / "tmp", folder / "ready"
        self.temporary.mkdir()
        self.env = {name: value for name, value in os.environ.items()
                    if name not in ("PROFLLM_TEST_SCRATCH", "PROFLLM_LOCK_DIR")
                    and not name.startswith(("PYTEST_", "COV_"))}
        self.env |= {"TMPDIR": str(self.temporary), "PYTHONDONTWRITEBYTECODE": "1"}

    def kill_in_the_middle(self, number, command, **options):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   env=self.env, **options)
        wait_for(self.ready.exists, "the test is at work", process=process)
        assert os.listdir(self.temporary) and started_in(self.temporary)
        process.send_signal(number)
        process.wait()

    def wait_until_clean(self):
        wait_for(lambda: not os.listdir(self.temporary) and not started_in(self.temporary), "nothing is left")


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.mark.parametrize("number, words", [
    *((number, []) for number in KILLS), (signal.SIGKILL, ["-n", "1"]), (signal.SIGTERM, ["-n", "1"])])
def test_pytest(place, tmp_path, source_dir, number, words):
    file = tmp_path / "test_busy.py"
    file.write_text("import subprocess\n\n\ndef test_busy(tmp_path):\n"
                    f"    subprocess.run(['sh', '-c', {BUSY!r}, 'busy', tmp_path, {str(place.ready)!r}])\n")
    place.env["PYTHONPATH"] = str(source_dir / "tests/scenario")
    place.kill_in_the_middle(number, [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "conftest", *words,
                                      file], cwd=tmp_path)
    place.wait_until_clean()


@pytest.fixture
def runner(place, source_dir, tmp_path):
    """Runs tools/run-tests of a tree whose one check is busy."""
    tools = tmp_path / "tree" / "tools"
    tools.mkdir(parents=True)
    for name in ("run-tests", "scratch.py"):
        shutil.copy(source_dir / "tools" / name, tools)
    for name, text in (("build", "#!/bin/sh\n"), ("check-layers", f'#!/bin/sh\nset -- "$TMPDIR" "{place.ready}"\n{BUSY}')):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    areas = tmp_path / "tree/tests/areas.txt"
    areas.parent.mkdir()
    areas.touch()
    return [sys.executable, tools / "run-tests", "lint"]


@pytest.mark.parametrize("number", KILLS)
def test_runner(place, runner, number):
    place.kill_in_the_middle(number, runner)
    place.wait_until_clean()


def test_remains_of_a_killed_keeper_are_removed_by_the_next_run(place, source_dir):
    """As after a power cut: the remains are removed, but those of a running run stay."""
    left, held = place.temporary / "profllm-t12345678", place.temporary / "profllm-t87654321"
    left.mkdir()
    held.mkdir()
    descriptor = os.open(held, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    subprocess.run([sys.executable, "-c", "import scratch; scratch.start()"], check=True,
                   env={**place.env, "PYTHONPATH": str(source_dir / "tools")})
    os.close(descriptor)
    assert os.listdir(place.temporary) == [held.name]


@pytest.mark.parametrize("end, status", [("sys.exit(3)", 3), ("pass", 0), ("os.kill(os.getpid(), 15)", 143)])
def test_the_known_process_ends_as_the_worker_does(place, source_dir, end, status):
    text = f"import os, scratch, sys, tempfile; scratch.start(); print(tempfile.mkdtemp()); sys.stdout.flush(); {end}"
    done = subprocess.run([sys.executable, "-c", text], env={**place.env, "PYTHONPATH": str(source_dir / "tools")},
                          capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, "")
    assert Path(done.stdout).parent.parent == place.temporary
    assert os.listdir(place.temporary) == []


@pytest.fixture
def program(tmp_path, source_dir):
    (tmp_path / "test.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-D_GNU_SOURCE", f"-I{source_dir / 'tests/unit'}", tmp_path / "test.c", "-lcmocka", "-o",
                    tmp_path / "test"], check=True)
    return tmp_path / "test"


def test_unit_test_that_fails(place, program):
    done = subprocess.run([program], env={**place.env, "FAIL": "1"}, capture_output=True)
    assert done.returncode == 1 and b"FAILED" in done.stderr
    assert os.listdir(place.temporary) == []


def test_unit_test_that_is_killed(place, program):
    """Only the next run can clean up after it."""
    place.env["READY"] = str(place.ready)
    place.kill_in_the_middle(signal.SIGKILL, [program])
    assert len(os.listdir(place.temporary)) == 1
    del place.env["READY"]
    subprocess.run([program], env=place.env, check=True, capture_output=True)
    assert os.listdir(place.temporary) == []
