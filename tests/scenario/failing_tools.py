"""Starts programs of which one call fails (tests/doubles/failing_calls.c), for each of many calls, and collects what went wrong.

    counts = counts_of(bin_dir, "profllm", folder, "run", …)
    each_call("run", "open", counts, folder, check)      # check(folder of its own, "open:7") for each call that is chosen
"""
import os
import random
import re
import signal
import struct
import subprocess
from pathlib import Path

import pytest
from run_tools import environment

FULL = bool(os.environ.get("PROFLLM_TEST_LONG"))
SANITIZED = os.environ.get("PROFLLM_SANITIZED") == "address"
# In a long run: so many calls of a kind fail in each workload, by the seed where a workload has more of them.
CALLS_MAX = int(os.environ.get("PROFLLM_FAIL_CALLS", "60" if SANITIZED else "200"))
SEED = 20
SOURCE = Path(__file__).resolve().parents[1] / "doubles/failing_calls.c"
KINDS = re.findall(r"^\tX\((\w+), \w+\)", SOURCE.read_text(), re.M)
FILE_BYTES = 4096
TIMEOUT_S = 120


def preloaded(bin_dir, folder, call):
    """
    The environment that loads it. It comes before ASan's library, so that an allocation can fail and ASan has the others.

    OpenSSL leaks part of its table of names where its own first digest finds no memory: with `malloc` its leaks do not count.
    """
    out = {"LD_PRELOAD": str(bin_dir.parent / "tests/failing_calls.so")}
    if SANITIZED:
        out["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    if SANITIZED and call.startswith("malloc"):
        known = folder / "known_leaks"
        known.write_text("leak:libcrypto.so\n")
        out["LSAN_OPTIONS"] = f"suppressions={known}:print_suppressions=0"
    return out


def is_crash_of_openssl(report):
    """
    Returns whether OpenSSL takes a lock that it could not allocate: its frame is the first one, except for those of the C library.

    The frames are ASan's, or those of tests/doubles/failing_calls.c.
    """
    stack = re.search(r"^SEGV \(signal \d+\):\n((?:\S+\[0x[0-9a-f]+\]\n?)+)", report, re.M)
    if stack:
        modules = [Path(re.match(r"[^([]*", line)[0]).name for line in stack[1].splitlines()]
        first = next((module for module in modules if not module.startswith(("failing_calls.so", "libc.so", "libpthread.so"))), "")
        return first.startswith(("libcrypto.so", "libssl.so"))
    first = re.search(r"SEGV[^\0]*?#\d+ .*?(libcrypto\.so|\.\./src/)", report)
    return first is not None and first[1] == "libcrypto.so"


class Failing:
    """A program whose calls are counted, and of which one fails: "KIND:N"; N 0: none."""

    def __init__(self, bin_dir, program, folder, call):
        self.bin_dir, self.program, self.folder = bin_dir, program, Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "calls"
        self.file.write_bytes(bytes(FILE_BYTES))
        self.env = environment({**preloaded(bin_dir, self.folder, call), "PROFLLM_FAIL_PROGRAM": program,
                                "PROFLLM_FAIL_CALL": call, "PROFLLM_FAIL_FILE": str(self.file)})

    def counts(self):
        return dict(zip(KINDS, struct.unpack(f"<{len(KINDS)}Q", self.file.read_bytes()[:8 * len(KINDS)])))

    def start(self, *args):
        return subprocess.Popen([self.bin_dir / self.program, *map(str, args)], env=self.env, cwd=self.folder, text=True, errors="replace",
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *args):
        return ended(self.start(*args))


def ended(process):
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"does not end: {process.communicate()}") from None
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def plain(bin_dir, program, *args):
    """Runs a program without failing calls."""
    return subprocess.run([bin_dir / program, *map(str, args)], env=environment(), text=True, capture_output=True,
                          timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)


def counts_of(bin_dir, program, folder, *args):
    failing = Failing(bin_dir, program, folder, "malloc:0")
    done = failing.run(*args)
    assert done.returncode == 0, done.stderr
    return failing.counts()


def check_end(done, call):
    """Checks for no crash, and one message for each failure. An allocation failure may end a program with one line
    (src/base/mem.h)."""
    if call.startswith("malloc") and is_crash_of_openssl(done.stderr):
        return
    if done.returncode == -signal.SIGABRT:
        assert "malloc" in call and "out of memory" in done.stderr and "Sanitizer" not in done.stderr, done.stderr
        return
    assert done.returncode >= 0, f"signal {-done.returncode}: {done.stderr}"
    errors = [line for line in done.stderr.splitlines() if ": error: " in line]
    assert len(errors) <= 1, f"more than one message: {errors}"
    # a run that failed has a report, which goes to standard output
    assert done.returncode == 0 or done.stderr.strip() or "Status: failed" in done.stdout, f"exits with {done.returncode} and says nothing"


def each_call(workload, kind, counts, folder, check, usual=1):
    """Calls check(separate directory, call) for each chosen call, `usual` of them by default; reports all failures at the end."""
    count, faults = counts[kind], []
    assert count > 0, f"{workload} has no call of kind {kind}"
    numbers = random.Random(f"{SEED} {workload} {kind}").sample(range(1, count + 1), min(CALLS_MAX if FULL else usual, count))
    for number in sorted(numbers):
        call = f"{kind}:{number}"
        try:
            check(Path(folder) / f"{kind}-{number}", call)
        except Exception as fault:  # whatever: a program that hangs, an answer that is none, a file that is missing
            faults.append(f"{call}: {type(fault).__name__}: {str(fault)[:1500]}")
    print(f"torture {workload} {kind}: {len(numbers)} of {count} calls failed, {len(faults)} faults")
    assert not faults, f"{len(faults)} of {len(numbers)}:\n" + "\n".join(faults)


def some_kinds(count, *kinds):
    """Parametrizes `kind`; by default with some of them, by the seed. Under ASan, an allocation is one of them."""
    if not FULL:
        rng, always = random.Random(f"{SEED} {kinds}"), []
        if SANITIZED:
            always = [rng.choice([kind for kind in kinds if "malloc" in kind])]
        kinds = sorted(always + rng.sample([kind for kind in kinds if kind not in always], count - len(always)))
    return pytest.mark.parametrize("kind", kinds)
