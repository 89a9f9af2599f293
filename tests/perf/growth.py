"""Whether the cost of a write, of a filter beside writes and of a start grows with the results that are stored. For each number of
results: single uploads until they are accepted and until the last one is stored, filters over 64 connections alone and with some of
the connections uploading, and the start. With --program NAME=FILE, also of other builds, over databases of their own in the same run."""
import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

import dashboard_load
import ingest
import tables
from harness import percentile

ROWS = (0, 10_000, 100_000)
SMALL_ROWS = 1_000_000
UPLOADS = 300
READERS, WRITERS, FILTERS = 60, 4, 1200
STARTS = 3
BATCH = 10_000
SEED = 8


def small_result(number):
    """As little as a result can be and still be told from the next one."""
    return {"date": f"20260101-{number % 240000:06d}", "backend": "vllm", "model_id": f"lab/model-{number % 7}", "num_prompts": 10, "request_rate": "inf",
            "max_concurrency": 1 << number % 9, "completed": 10, "duration": 1.0 + number, "output_throughput": 10.0 + number, "mean_ttft_ms": 5.0}


def small_bodies(rows):
    for first in range(0, rows, BATCH):
        numbers = range(first, min(first + BATCH, rows))
        yield "\n".join(json.dumps(small_result(number)) for number in numbers).encode(), len(numbers)


class Uploads:
    """A connection that uploads one result at a time, and the jobs that came of it."""

    def __init__(self, address, first):
        self.connection = http.client.HTTPConnection(*address, timeout=600)
        self.rng, self.number, self.jobs, self.ms, self.refused = random.Random(SEED + first), first, [], [], 0

    def send(self):
        self.number += 1
        body = json.dumps(ingest.vllm_result(self.rng, self.number))
        start = time.perf_counter()
        while True:
            self.connection.request("POST", "/api/upload/json", body, {"Content-Type": "application/json"})
            reply = self.connection.getresponse()
            said = reply.read()
            if reply.status != 503:
                break
            self.refused += 1
            time.sleep(0.02)
        if reply.status != 202:
            raise OSError(f"/api/upload/json answers {reply.status}: {said[:300]}")
        self.ms.append(1e3 * (time.perf_counter() - start))
        self.jobs.append(json.loads(said)["status_url"])

    def wait(self):
        for job in self.jobs:
            while True:
                self.connection.request("GET", job + "?limit=0")
                said = json.loads(self.connection.getresponse().read())
                if said["state"] == "done":
                    break
                time.sleep(0.002)
            if said["counts"].get("stored") != 1:
                raise OSError(f"{job}: {said['counts']}")


def measure_uploads(server):
    uploads, start = Uploads(server.address, 0), time.perf_counter()
    cpu = server.cpu_s()
    for _ in range(UPLOADS):
        uploads.send()
    accepted_s = time.perf_counter() - start
    uploads.wait()
    return {"uploads": UPLOADS, "accepted_s": accepted_s, "stored_s": time.perf_counter() - start, "cpu_s": server.cpu_s() - cpu}


def measure_mixed(server, numbers):
    """Filters from READERS connections while WRITERS upload without a pause."""
    requests, writers, stop = list(dashboard_load.requests_of(server, numbers)), [Uploads(server.address, 10_000 * (1 + i)) for i in range(WRITERS)], threading.Event()

    def write(uploads):
        while not stop.is_set():
            uploads.send()

    threads = [threading.Thread(target=write, args=(uploads,)) for uploads in writers]
    for thread in threads:
        thread.start()
    try:
        ms, seconds = dashboard_load.play(server.address, requests, READERS)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    for uploads in writers:
        uploads.wait()
    sent = [one for uploads in writers for one in uploads.ms]
    return {"filters_per_s": len(ms) / seconds, "p50_ms": percentile(ms, 50), "p99_ms": percentile(ms, 99), "uploads_per_s": len(sent) / seconds,
            "upload_p99_ms": percentile(sent, 99), "refused": sum(uploads.refused for uploads in writers)}


def starts(program, db):
    seconds = []
    for _ in range(STARTS):
        with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
            seconds.append(server.start_s)
    return sorted(seconds)[STARTS // 2]


def measure_at(program, db):
    out = {"start_s": starts(program, db)}
    with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
        out["uploads"] = measure_uploads(server)
        requests = list(dashboard_load.requests_of(server, range(FILTERS)))
        ms, seconds = dashboard_load.play(server.address, requests, READERS + WRITERS)
        out["alone"] = {"filters_per_s": len(ms) / seconds, "p50_ms": percentile(ms, 50), "p99_ms": percentile(ms, 99)}
        out["mixed"] = measure_mixed(server, range(FILTERS, 2 * FILTERS))
        out["bytes"] = server.resident_bytes()
    return out


def fill(program, db, rows, is_small):
    if is_small:
        with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
            ingest.send(server, list(small_bodies(rows)))
    elif rows:
        with dashboard_load.Server(program, "demo", db, "--rows", str(rows)):
            pass


def measure(programs, rows=ROWS, small_rows=SMALL_ROWS):
    """[{program, rows, documents, start_s, uploads, alone, mixed, bytes}]; programs: {name: path}."""
    out = []
    for count, is_small in [*((count, False) for count in rows), *([(small_rows, True)] if small_rows else [])]:
        for name, program in programs.items():
            folder = pathlib.Path(tempfile.mkdtemp())
            try:
                fill(program, folder / "growing.db", count, is_small)
                out.append({"program": name, "rows": count, "documents": "small" if is_small else "of real width", **measure_at(program, folder / "growing.db")})
            finally:
                shutil.rmtree(folder)
    return out


def table(rows):
    print("\n### Writes, filters beside writes, and starts as results grow (SQLite)\n")
    tables.head("build", "results", f"{UPLOADS} uploads accepted s", "stored s", "of none", "server's CPU s",
                "filters alone, p50 ms", "p99 ms", f"beside {WRITERS} uploading, p50 ms", "p99 ms", "of alone", "uploads a second", "start s")
    for row in rows:
        none = next(one for one in rows if one["program"] == row["program"])["uploads"]["stored_s"]
        tables.line(row["program"], f"{row['rows']:,} {row['documents']}" if row["rows"] else "none", tables.number(row["uploads"]["accepted_s"], 2),
                    tables.number(row["uploads"]["stored_s"], 2), tables.number(row["uploads"]["stored_s"] / none, 2), tables.number(row["uploads"]["cpu_s"], 2),
                    tables.number(row["alone"]["p50_ms"], 0), tables.number(row["alone"]["p99_ms"], 0), tables.number(row["mixed"]["p50_ms"], 0),
                    tables.number(row["mixed"]["p99_ms"], 0), tables.number(row["mixed"]["p99_ms"] / row["alone"]["p99_ms"], 1),
                    tables.number(row["mixed"]["uploads_per_s"], 0), tables.number(row["start_s"], 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")).parent)
    parser.add_argument("--program", action="append", default=[], metavar="NAME=FILE", help="another build of profllm-dashboard, measured beside")
    parser.add_argument("--rows", default=",".join(str(count) for count in ROWS))
    parser.add_argument("--small-rows", type=int, default=SMALL_ROWS, help="results of a further database of small documents; 0: without it")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    programs = {"this": args.build.resolve() / "bin" / "profllm-dashboard", **dict(one.split("=", 1) for one in args.program)}
    found = measure(programs, [int(count) for count in args.rows.split(",")], args.small_rows)
    table(found)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
    import scratch

    scratch.start()
    main()
