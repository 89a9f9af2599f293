"""From exec to the first connect() of `bench serve`, by strace: any connect, and the first measured request's."""

import collections
import re
import shutil
import statistics
import subprocess

from harness import ClientFailed, cores, on_core

RUNS = 20
REQUESTS = 64
LINE = re.compile(r"^(\d+) +(\d+\.\d+) (execve|connect)\((.*)", re.M)


def times_of(trace, port):
    """
    Seconds from exec to (the first connect() of any kind, that of the first measured request). Measured
    requests are those of the thread that connects most often to the server: a worker does nothing else.
    """
    calls = [(int(pid), float(at), name, rest) for pid, at, name, rest in LINE.findall(trace)]
    start = next(at for _, at, name, _ in calls if name == "execve")
    connects = [(pid, at) for pid, at, name, _ in calls if name == "connect"]
    to_server = [(pid, at) for pid, at, name, rest in calls if name == "connect" and f"htons({port})" in rest]
    worker, count = collections.Counter(pid for pid, _ in to_server).most_common(1)[0]
    if count < REQUESTS:
        raise ClientFailed(f"{count} connects by one thread, not {REQUESTS}")
    return connects[0][1] - start, next(at for pid, at in to_server if pid == worker) - start


def measure(program, folder, simulator, runs=RUNS):
    """None where there is no strace; else medians and maxima in ms."""
    if shutil.which("strace") is None:
        return {"skipped": "no strace here"}
    trace = folder / "strace.txt"
    first, measured = [], []
    with simulator as sim:
        command = [program, "bench", "serve", "--base-url", f"http://127.0.0.1:{sim.port}", "--model", "perf",
                   "--dataset-name", "random", "--prompt-token-ids", "--random-input-len", "8",
                   "--random-output-len", "32", "--num-prompts", str(REQUESTS), "--ignore-eos"]
        for _ in range(runs):
            done = subprocess.run(
                ["strace", "--seccomp-bpf", "-f", "-ttt", "-e", "trace=execve,connect", "-o", trace, *command],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                preexec_fn=on_core(cores()[1]))
            if done.returncode != 0:
                last = done.stdout.strip().splitlines()[-1:] or [""]
                return {"skipped": f"strace or bench serve ended with {done.returncode}: {last[0][:200]}"}
            any_s, measured_s = times_of(trace.read_text(encoding="utf-8"), sim.port)
            first.append(1e3 * any_s)
            measured.append(1e3 * measured_s)
    return {name: {"runs": runs, "median_ms": statistics.median(times), "max_ms": max(times)}
            for name, times in (("first connect() of any kind", first), ("of the first measured request", measured))}


def table(rows):
    if "skipped" in rows:
        print(f"\nFrom exec to connect(): skipped, {rows['skipped']}.")
        return
    print("\n| `bench serve` with token ids, from exec to | runs | median | most |")
    print("|---|---|---|---|")
    for name, row in rows.items():
        print(f"| {name} | {row['runs']} | {row['median_ms']:.1f} ms | {row['max_ms']:.1f} ms |")
