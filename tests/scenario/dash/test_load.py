"""A dashboard under load: 64 readers and 8 writers with slow and hostile clients. Its memory stays, no response is a 5xx but 503, and no
request fails after one retry. PROFLLM_LOAD_SECONDS sets the duration."""
import collections
import multiprocessing
import os
import signal
import threading
import time

import load_tools
import numpy as np
import pytest
from access_tools import Guarded
from import_tools import run_dashboard
from run_tools import PATIENCE

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))
SECONDS = int(os.environ.get("PROFLLM_LOAD_SECONDS", "3600" if LONG else "2" if SANITIZED else "3"))
SEED = os.environ.get("PROFLLM_LOAD_SEED", "40")
READERS, WRITERS, HOSTILE, GROUPS = 64, 8, 48, 4
MIB = 1 << 20
P99_S = 0.5  # of one request among all, on two processors


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def fill(one):
    documents = [{"run_id": f"load-{number}", "suite": "s", "results": {"mean_ttft_ms": number / 2, "mean_tpot_ms": number / 200}}
                 for number in range(load_tools.ROWS)]
    assert one.upload("/api/upload/batch", documents)["counts"]["stored"] == load_tools.ROWS


def start(one, seconds):
    """Returns the pipes of all groups of clients."""
    host, port = one.host.rsplit(":", 1)
    address, context = (host, int(port)), multiprocessing.get_context("spawn")
    groups = [(load_tools.work, address, one.tokens["read"], "read", READERS // GROUPS, seconds, f"{SEED} {number}") for number in range(GROUPS)]
    groups += [(load_tools.work, address, one.tokens["admin"], "write", WRITERS, seconds, SEED),
               (load_tools.attack, address, one.host, one.tokens["read"], HOSTILE, seconds, SEED)]
    pipes = []
    for target, *args in groups:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=target, args=(theirs, *args))
        process.start()
        theirs.close()
        pipes.append((process, ours))
    return pipes


def slope(samples):
    """Returns the growth in bytes per second over the last two thirds of the samples, (time, bytes) each."""
    times, sizes = np.array(samples[len(samples) // 3:], dtype=float).T
    return np.polyfit(times, sizes, 1)[0]


def read_log(file, lines, faults):
    """Keeps the last lines, and what a sanitizer reports."""
    for line in file:
        lines.append(line)
        if "Sanitizer" in line or (faults and len(faults) < 200):
            faults.append(line)


def watch(one, pipes, seconds):
    """Returns the memory over time, and the reports of the groups."""
    samples, begin = [], time.monotonic()
    while time.monotonic() - begin < seconds:
        samples.append((time.monotonic() - begin, resident(one.process.pid)))
        time.sleep(min(1, seconds / 30))
        assert one.process.poll() is None, one.process.stderr.read()[-4000:]
    reports = []
    for process, pipe in pipes:
        assert pipe.poll(120 * PATIENCE), "a group of clients has not ended"
        reports.append(pipe.recv())
        process.join()
    return samples, reports


@pytest.mark.threads
def test_readers_writers_and_hostile_clients(bin_dir, tmp_path):
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens") as one:
        # the audit log is longer than a pipe has room for
        lines, faults = collections.deque(maxlen=400), []
        reader = threading.Thread(target=read_log, args=(one.process.stderr, lines, faults))
        reader.start()
        fill(one)
        samples, reports = watch(one, start(one, SECONDS), SECONDS)
        assert one.get("/api/health").status == 200
        one.process.send_signal(signal.SIGTERM)
        status = one.process.wait(60 * PATIENCE)
        reader.join()
    assert status == 0 and not faults, "".join(faults or lines)
    counts = sum((collections.Counter(report["counts"]) for report in reports), collections.Counter())
    faults += [fault for report in reports for fault in report["faults"]]
    seconds = np.array([one for report in reports for one in report["seconds"]])
    p50, p99 = np.percentile(seconds, [50, 99])
    growth = slope(samples)
    print(f"\n{SECONDS} s: {len(seconds)} requests, p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms; memory {samples[len(samples) // 3][1] / MIB:.0f} to "
          f"{samples[-1][1] / MIB:.0f} MiB, slope {growth * 3600 / MIB:+.1f} MiB/h; {dict(counts)}")
    assert not faults and counts["faults"] == 0, faults
    assert counts[200] > 20 * SECONDS / PATIENCE and counts["connections"] > 5 * SECONDS / PATIENCE
    assert not [status for status in counts if isinstance(status, int) and status >= 500 and status != 503], counts
    assert counts[503] < len(seconds) / 20, counts
    assert p99 < P99_S * PATIENCE
    # a short run still fills its caches
    if not SANITIZED:
        assert growth * SECONDS < 32 * MIB, samples
    checked = run_dashboard(bin_dir, "check", "--db", tmp_path / "d.db")
    assert checked.returncode == 0, checked.stdout + checked.stderr
