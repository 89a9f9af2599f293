"""The time series of one long run: an hour of eight GPUs, sampled every 100 ms. Measures the first response for it and the responses of zooms, as the web
UI requests them, next to a reader in Python that parses the same lines and computes the same bins with numpy for every zoom.

  /usr/bin/python3 tests/perf/timeline.py    alone, with PROFLLM_BIN or build/bin"""
import http.client
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import dashboard_load
import numpy as np
import tables

HOURS_TICKS = 36_000
GPUS = 8
BEGIN_NS = 10**12
TICK_NS = 10**8
OPENS, ZOOMS = 3, 20
BINS = 800
SEED = 4
SHOWN = "load.in_flight,gpu.utilization,gpu.memory_used_bytes,gpu.power_w,gpu.sm_clock_mhz,gpu.temperature_c,host.cpu_share,server.cpu_share,client.cpu_share"


def lines(rng):
    """Yields the lines of a run as `profllm run` writes them: 130 values per tick."""
    host = ("cpu_share", "iowait_share", "steal_share", "throttled_share", "load_1m", "memory_used_bytes", "memory_available_bytes", "swap_used_bytes",
            "disk_read_bytes_per_s", "disk_written_bytes_per_s", "network_received_bytes_per_s", "network_sent_bytes_per_s")
    for tick in range(HOURS_TICKS):
        t_ns = BEGIN_NS + tick * TICK_NS
        for gpu in range(GPUS):
            values = {"memory_used_bytes": 75_000_000_000 + rng.randrange(10**9), "utilization": round(rng.random(), 2), "memory_utilization": 0.5,
                      "power_w": round(rng.uniform(300, 700), 3), "energy_j": round(tick * 60.0, 3), "temperature_c": 60 + gpu, "sm_clock_mhz": 1900 + gpu,
                      "memory_clock_mhz": 2619, "pcie_rx_bytes_per_s": rng.randrange(10**9), "pcie_tx_bytes_per_s": rng.randrange(10**9),
                      "nvlink_rx_bytes": tick * 10**8, "nvlink_tx_bytes": tick * 10**8, "ecc_uncorrected": 0, "throttle": 0}
            yield {"t_ns": t_ns + gpu * 30_000, "source": "gpu", "id": f"GPU-{gpu}", "values": values}
        yield {"t_ns": t_ns, "source": "host", "id": None, "values": {name: round(rng.random(), 9) for name in host}}
        for source in ("server", "client"):
            yield {"t_ns": t_ns, "source": source, "id": None, "values": {"cpu_share": round(rng.random(), 9), "memory_bytes": 9_809_920, "threads": 3}}


def write(path):
    values = 0
    with subprocess.Popen(["zstd", "-q", "-f", "-o", path], stdin=subprocess.PIPE, text=True) as packer:
        for line in lines(random.Random(SEED)):
            values += len(line["values"])
            packer.stdin.write(json.dumps(line, separators=(",", ":")) + "\n")
    return values


def send(server, data):
    connection = http.client.HTTPConnection(*server.address, timeout=60)
    connection.request("PUT", "/api/upload/artifact/long/series/series.zst", data, {"Content-Type": "application/octet-stream"})
    if connection.getresponse().status not in (200, 201):
        sys.exit("timeline: the artifact was refused")
    connection.close()


def ask_ms(server, path):
    begin = time.perf_counter()
    status, body = server.ask("GET", path)
    if status != 200:
        sys.exit(f"timeline: {path} answers {status}: {body[:200]}")
    return (time.perf_counter() - begin) * 1e3, json.loads(body)


def peer_ms(path):
    """Seconds until Python has the bins of one series, from the file."""
    begin = time.perf_counter()
    text = subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    samples = np.array([(line["t_ns"], line["values"]["power_w"]) for line in map(json.loads, text.splitlines()) if line["source"] == "gpu"])
    at = ((samples[:, 0] - BEGIN_NS) * BINS // (HOURS_TICKS * TICK_NS)).astype(int)
    low = np.full(BINS, np.inf)
    np.minimum.at(low, np.minimum(at, BINS - 1), samples[:, 1])
    return (time.perf_counter() - begin) * 1e3


def measure(program):
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        values = write(folder / "series.zst")
        db = folder / "d.db"
        opens, zooms = [], []
        for start in range(OPENS):
            with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
                if start == 0:
                    server.ask("POST", "/api/upload/json", {"run_id": "long", "suite": "perf", "results": {"mean_ttft_ms": 1.5}})
                    send(server, (folder / "series.zst").read_bytes())
                    while server.ask("GET", "/api/data/experiments/long")[0] != 200:
                        time.sleep(0.05)
                path = f"/api/data/experiments/long/series?bins={BINS}&series={SHOWN}"
                opens.append(ask_ms(server, path)[0])
                for _ in range(ZOOMS):
                    width = HOURS_TICKS * TICK_NS // rng.choice((1, 2, 5, 20, 100))
                    begin = BEGIN_NS + rng.randrange(HOURS_TICKS * TICK_NS - width + 1)
                    zooms.append(ask_ms(server, f"{path}&from_ns={begin}&to_ns={begin + width}")[0])
        peer = peer_ms(folder / "series.zst")
    return {"values": values, "open_ms": opens, "zoom_ms": zooms, "peer_ms": peer}


def table(rows):
    print(f"\nTimeline of {rows['values']:,} values, {BINS} bins")
    tables.head("what", "times", "median ms", "most ms", "target ms", "× Python and numpy")
    for what, list_ms, target in (("first response", rows["open_ms"], 1000), ("zoom", rows["zoom_ms"], 100)):
        median = statistics.median(list_ms)
        tables.line(what, len(list_ms), f"{median:.0f}", f"{max(list_ms):.0f}", target, f"{median / rows['peer_ms']:.4f}")
    tables.line("Python and numpy, one series", 1, f"{rows['peer_ms']:.0f}", f"{rows['peer_ms']:.0f}", "", 1)


if __name__ == "__main__":
    table(measure(pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")) / "profllm-dashboard"))
