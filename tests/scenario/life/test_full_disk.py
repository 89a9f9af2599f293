"""A full disk ends a run early with one error, and `profllm recover` makes the result when there is room."""
import os
import subprocess

import pytest
from host_tools import need
from journal_tools import journal_of
from run_tools import base_config, load_result, run_profllm, start_profllm, write_config

PROMPTS = 4000

# A disk with room for so many bytes of the files that end with FULL_DISK_END, in each process.
FULL_DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long used;

/* Is the file on the disk? */
static int is_on_disk(int fd)
{
	const char *folder = getenv("FULL_DISK"), *end = getenv("FULL_DISK_END");
	char link[64], path[4096] = "";
	struct stat st;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && readlink(link, path, sizeof(path) - 1) > 0 &&
	       strncmp(path, folder, strlen(folder)) == 0 && strlen(path) > strlen(end) &&
	       strcmp(path + strlen(path) - strlen(end), end) == 0;
}

ssize_t write(int fd, const void *data, size_t len)
{
	ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	long left = atol(getenv("FULL_DISK_ROOM")) - used;

	if (!is_on_disk(fd))
		return real(fd, data, len);
	if (left <= 0) {
		errno = ENOSPC;
		return -1;
	}
	len = (long)len < left ? len : (size_t)left;
	used += (long)len;
	return real(fd, data, len);
}

/* The C library's streams do not come by write() above. */
int fsync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

	if (used < atol(getenv("FULL_DISK_ROOM")) || !is_on_disk(fd))
		return real(fd);
	errno = ENOSPC;
	return -1;
}
"""


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory):
    """Returns the environment of a disk that is full after `room` bytes."""
    if os.environ.get("PROFLLM_SANITIZED"):
        pytest.skip("a sanitizer wants to be loaded before the library that plays the disk")
    folder = tmp_path_factory.mktemp("disk")
    (folder / "disk.c").write_text(FULL_DISK)
    subprocess.run([need("gcc"), "-shared", "-fPIC", "-o", "disk.so", "disk.c", "-ldl"], cwd=folder, check=True)
    return lambda files, room, end="": {"LD_PRELOAD": str(folder / "disk.so"), "FULL_DISK": str(files),
                                        "FULL_DISK_ROOM": str(room), "FULL_DISK_END": end}


def run_on(bin_dir, folder, disk, patience):
    config = base_config(num_prompts=PROMPTS, random_output_len=20, max_concurrency=8)
    process = start_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "out" / "r.json", "-q", env=disk)
    _, stderr = process.communicate(timeout=120 * patience)
    return process.returncode, stderr


@pytest.mark.parametrize("room, measured", [(100_000, False), (900_000, True)], ids=["at the start", "in the load"])
def test_the_run_ends_early_and_is_recovered(bin_dir, tmp_path, full_disk, patience, room, measured):
    output = tmp_path / "out" / "r.json"
    output.parent.mkdir()
    disk = full_disk(output.parent, room)
    status, stderr = run_on(bin_dir, tmp_path, disk, patience)
    assert status == 2, stderr
    lines = [line for line in stderr.splitlines() if "error:" in line or "warning:" in line]
    assert len(lines) == 1 and lines[0].endswith(": No space left on device"), stderr
    assert f"once the disk has room, 'profllm recover {output}' writes it from the journal" in lines[0]
    # no half-written file is left; the server may not have started
    assert {"r.json.journal"} <= {path.name for path in output.parent.iterdir()} <= {"r.json.journal", "r.server.log"}
    still_full = run_profllm(bin_dir, "recover", output, patience=patience, env={**disk, "FULL_DISK_ROOM": "0"})
    assert still_full.returncode == 2 and f"'{output.parent}/r." in still_full.stderr
    assert journal_of(output).exists() and not output.exists()
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(output)
    assert result["status"] == "interrupted" and not journal_of(output).exists()
    if measured:
        assert 0 < result["results"]["completed"] < PROMPTS
    else:
        assert result["results"] is None


def test_a_disk_without_any_room(bin_dir, tmp_path, full_disk, patience):
    """The message does not promise a journal."""
    output = tmp_path / "out" / "r.json"
    output.parent.mkdir()
    status, stderr = run_on(bin_dir, tmp_path, full_disk(output.parent, 1000), patience)
    assert status == 2 and "recover" not in stderr, stderr
    assert "error: the result could not be written: could not write " in stderr and stderr.endswith(": No space left on device\n")
    # and the next run takes the place of it
    again = run_profllm(bin_dir, "run", "-c", tmp_path / "experiment.yaml", "-o", output, "-q", "--set", "benchmark.num_prompts=4",
                        patience=patience)
    assert again.returncode == 0, again.stderr


def test_a_result_that_has_room_says_why_the_run_ended(bin_dir, tmp_path, full_disk, patience):
    """As with a quota on one file: the result contains the measured requests."""
    output = tmp_path / "out" / "r.json"
    output.parent.mkdir()
    status, stderr = run_on(bin_dir, tmp_path, full_disk(output.parent, 900_000, ".journal"), patience)
    assert status == 1, stderr
    result = load_result(output)
    assert (result["status"], result["error"]["cause"], result["error"]["stage"]) == ("failed", "disk_full", "measure")
    assert f"'{output}.journal'" in result["error"]["message"]
    assert 0 < result["results"]["completed"] < PROMPTS
    assert not journal_of(output).exists()
