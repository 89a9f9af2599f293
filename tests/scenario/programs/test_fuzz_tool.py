"""tools/fuzz: a target leaves no directory in /dev/shm or /tmp, however it ends."""
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from wait_tools import wait_for

pytestmark = pytest.mark.release_only  # runs no program of the build

TARGET = """#!/bin/sh
mkdir "$TMPDIR/profllm-fuzz-target" && touch "$TMPDIR/profllm-fuzz-target/file"
printf '%s' "$TMPDIR" >"$OUT.part" && mv "$OUT.part" "$OUT"
{end}
"""
PROGRAM = """
#include "{header}"
int main(void)
{{
	puts(scratch_write("file", "text", 4));
	fflush(stdout);
	_exit(0);
}}
"""


def tree(folder, source_dir, end):
    """Makes a source tree with the tool, and a built target that ends by this command."""
    (folder / "tools").mkdir()
    (folder / "build-fuzz/fuzz").mkdir(parents=True)
    (folder / "corpus").mkdir()
    shutil.copy(source_dir / "tools/fuzz", folder / "tools/fuzz")
    target = folder / "build-fuzz/fuzz/fuzz_some"
    target.write_text(TARGET.replace("{end}", end))
    target.chmod(0o755)
    return [folder / "tools/fuzz", "--one", "fuzz_some", folder / "corpus"], {**os.environ, "OUT": str(folder / "out"), "FUZZ_RUNS": ""}


@pytest.mark.parametrize("end, status", [("echo DONE", 0), ("exit 77", 1), ("kill -ABRT $$", 1)])
def test_target_ends(tmp_path, source_dir, end, status):
    command, env = tree(tmp_path, source_dir, end)
    done = subprocess.run(command, env=env, text=True, capture_output=True, timeout=60)
    assert done.returncode == status and done.stdout.startswith("FAILED fuzz_some" if status else "ok fuzz_some"), done
    scratch = Path((tmp_path / "out").read_text())
    assert scratch.name.startswith("profllm-fuzz-") and not scratch.exists()


def test_tool_is_killed(tmp_path, source_dir):
    """The next start removes the remains of a killed one, and nothing of a running one."""
    command, env = tree(tmp_path, source_dir, "read line <\"$OUT.wait\"")
    os.mkfifo(tmp_path / "out.wait")
    killed = subprocess.Popen(command, env=env, start_new_session=True)
    wait_for((tmp_path / "out").exists, "the target runs", process=killed)
    left = Path((tmp_path / "out").read_text())
    (tmp_path / "out").unlink()
    alive = subprocess.Popen(command, env=env, start_new_session=True)
    wait_for((tmp_path / "out").exists, "the second target runs", process=alive)
    used = Path((tmp_path / "out").read_text())
    assert left.exists()
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    (tmp_path / "again").mkdir()
    again, env = tree(tmp_path / "again", source_dir, "echo DONE")
    subprocess.run(again, env=env, check=True, timeout=60, capture_output=True)
    assert not left.exists() and used.exists()
    (tmp_path / "out.wait").write_text("end\n")
    alive.wait(timeout=60)
    assert not used.exists()


def test_directory_of_a_target(tmp_path, source_dir):
    """It is below TMPDIR, so that a crash leaves nothing elsewhere."""
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM.format(header=source_dir / "tests/fuzz/scratch.h"))
    subprocess.run(["cc", "-D_GNU_SOURCE", "-o", program, source], check=True)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program], env={**os.environ, "TMPDIR": folder}, text=True, capture_output=True, check=True)
        made = Path(done.stdout.strip())
        assert made.exists() and made.parent.parent == Path(folder)
