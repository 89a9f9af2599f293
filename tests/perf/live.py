"""Live runs: what 100 listeners cost the dashboard, idle and with a snapshot per second, and whether the metrics of a run with a live view differ
from those of a run without one (paired runs, in turn).

  /usr/bin/python3 tests/perf/live.py    alone, with PROFLLM_BIN or build/bin"""
import contextlib
import json
import os
import pathlib
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))

from live_tools import snapshot  # noqa: E402

LISTENERS = 100
SECONDS = 10
PAIRS = 5
RATE, PROMPTS = 100, 800
METRICS = ("median_ttft_ms", "median_tpot_ms", "output_throughput")


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_kib(pid):
    return next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS:"))


@contextlib.contextmanager
def dashboard(bin_dir, folder):
    process = subprocess.Popen([bin_dir / "profllm-dashboard", "serve", "--db", folder / "live.db", "--port", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(20)


def post(url, run_id, sequence):
    body = json.dumps(snapshot(run_id, sequence)).encode()
    request = urllib.request.Request(f"{url}/api/live/{run_id}", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 204


def listen(url, path, count):
    """Opens streams that a thread reads."""
    host, port = url.removeprefix("http://").split(":")
    streams = []
    for _ in range(count):
        one = socket.create_connection((host, int(port)))
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n\r\n".encode())
        streams.append(one)
    bytes_read = [0]

    def read():
        while streams:
            for one in select.select(streams, [], [], 0.2)[0]:
                try:
                    bytes_read[0] += len(one.recv(65536))
                except OSError:
                    return

    threading.Thread(target=read, daemon=True).start()
    return streams, bytes_read


def listeners(bin_dir):
    """{what: {cpu_percent, rss_kib, bytes_per_s}}"""
    rows = {}
    with tempfile.TemporaryDirectory() as folder, dashboard(bin_dir, pathlib.Path(folder)) as (process, url):
        def measure(name, sends):
            before, begun = cpu_s(process.pid), time.monotonic()
            for second in range(SECONDS):
                if sends:
                    post(url, "one", 1000 * len(rows) + second)
                time.sleep(max(begun + second + 1 - time.monotonic(), 0))
            rows[name] = {"cpu_percent": 100 * (cpu_s(process.pid) - before) / (time.monotonic() - begun), "rss_kib": rss_kib(process.pid)}

        measure("no listener", False)
        post(url, "one", 0)
        measure("no listener, one run", True)
        post(url, "one", 5000)
        for path, name in (("/api/live", f"{LISTENERS} listeners of the list"), ("/api/live/one", f"{LISTENERS} listeners of the run")):
            streams, bytes_read = listen(url, path, LISTENERS)
            time.sleep(6)  # the run becomes silent
            measure(f"{name}, idle", False)
            at = bytes_read[0]
            rows_before = len(rows)
            begun = time.monotonic()
            for second in range(SECONDS):
                if second == 0:
                    before = cpu_s(process.pid)
                post(url, "one", 10_000 * (rows_before + 1) + second)
                time.sleep(max(begun + second + 1 - time.monotonic(), 0))
            rows[f"{name}, one run"] = {"cpu_percent": 100 * (cpu_s(process.pid) - before) / (time.monotonic() - begun), "rss_kib": rss_kib(process.pid),
                                        "bytes_per_s": (bytes_read[0] - at) / SECONDS}
            for one in list(streams):
                one.close()
            streams.clear()
            time.sleep(2)
    return rows


def run(bin_dir, folder, url, live):
    config, output = folder / "live.yaml", folder / "live.json"
    config.write_text(json.dumps({
        "name": "live", "server": {"model": "sim/perf", "max_model_len": 2048},
        "launch": {"command": [str(bin_dir / "profllm-sim"), "serve"], "extra_args": ["--sim-step", "5ms"]},
        "benchmark": {"backend": "openai", "dataset_name": "random", "random_input_len": 32, "random_output_len": 20, "num_prompts": PROMPTS,
                      "request_rate": RATE, "seed": 1}}))
    begun = os.times()
    done = subprocess.run([bin_dir / "profllm", "run", "-q", "--overwrite", "-c", config, "-o", output, "--upload", url, *([] if live else ["--no-live"])],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"live: {done.stderr}")
    ended = os.times()
    result = json.loads(output.read_text())
    return {**{name: result["results"][name] for name in METRICS}, "lateness": result["results"].get("p99_send_lateness_ms"),
            "cpu_s": ended.children_user + ended.children_system - begun.children_user - begun.children_system,
            "duration_s": result["results"]["duration"], "ci": {name: result["results"].get("ci", {}).get(name) for name in METRICS}}


def pairs(bin_dir):
    """[(without, with)], alternating which of the two comes first."""
    rows = []
    with tempfile.TemporaryDirectory() as name, dashboard(bin_dir, pathlib.Path(name)) as (_, url):
        for number in range(PAIRS):
            order = (False, True) if number % 2 == 0 else (True, False)
            by_live = {live: run(bin_dir, pathlib.Path(name), url, live) for live in order}
            rows.append((by_live[False], by_live[True]))
    return rows


def measure(bin_dir):
    return {"listeners": listeners(bin_dir), "pairs": pairs(bin_dir)}


def table(rows):
    print(f"\n| dashboard, {SECONDS} s each | CPU, % of a core | resident memory | sent |")
    print("|---|---|---|---|")
    for name, row in rows["listeners"].items():
        sent = f"{row['bytes_per_s'] / 1024:.0f} KiB/s" if "bytes_per_s" in row else ""
        print(f"| {name} | {row['cpu_percent']:.2f} | {row['rss_kib'] / 1024:.1f} MiB | {sent} |")
    print(f"\n| metric, {PAIRS} pairs of runs | without live | with live | mean difference | its 95 % interval |")
    print("|---|---|---|---|---|")
    for name in (*METRICS, "cpu_s"):
        off, on = ([pair[i][name] for pair in rows["pairs"]] for i in (0, 1))
        differences = [b - a for a, b in zip(off, on)]
        half = 2.776 * statistics.stdev(differences) / PAIRS ** 0.5  # Student's t with 4 degrees of freedom
        mean = statistics.mean(differences)
        print(f"| {name} | {statistics.mean(off):.4g} | {statistics.mean(on):.4g} | {mean:+.3g} | {mean - half:+.3g} to {mean + half:+.3g} |")


if __name__ == "__main__":
    table(measure(pathlib.Path(os.environ.get("PROFLLM_BIN", pathlib.Path(__file__).resolve().parents[2] / "build" / "bin"))))
