"""Measures whether the cost of a write, of a filter during writes and of a start grows with the number of stored results.
For each number of results: single uploads until they are accepted and until the last one is stored, filters over 64
connections alone and with some of the connections uploading, and the start. --program NAME=FILE measures another build
over its own databases in the same run. All databases are prepared before the first measurement, and each measurement
runs on a copy. --databases DIR keeps them for a later run."""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import sqlite3
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
UPLOADS, UPLOADS_OF_SMALL = 300, 30  # a build that reads the whole table for each write takes seconds for one upload to a million
WAIT_S = 120
READERS, WRITERS, FILTERS = 60, 4, 1200
STARTS = 3
BATCH = 10_000
SEED = 8


def small_result(number):
    """Returns the smallest result that differs from the next one."""
    return {"date": f"20260101-{number % 240000:06d}", "backend": "vllm", "model_id": f"lab/model-{number % 7}", "num_prompts": 10, "request_rate": "inf",
            "max_concurrency": 1 << number % 9, "completed": 10, "duration": 1.0 + number, "output_throughput": 10.0 + number, "mean_ttft_ms": 5.0}


def small_body(rows):
    return "\n".join(json.dumps(small_result(number)) for number in range(rows)).encode(), rows


def copy_rows(db, rows):
    """Copies the results of the database by SQL until it has so many. Copies have other keys, numbers and times, and the document they copy."""
    with contextlib.closing(sqlite3.connect(db)) as base, base:
        names = [row[1] for row in base.execute("PRAGMA table_info(benchmark_runs)")]
        (have,), (version,) = base.execute("SELECT max(id) FROM benchmark_runs").fetchone(), base.execute("SELECT data_version FROM store_state").fetchone()
        for first in range(have, rows, have):
            version += 1
            new = {"id": f"id + {first}", "content_sha256": "lower(hex(randomblob(32)))", "near_key": "lower(hex(randomblob(32)))", "changed": str(version),
                   "results.output_throughput": f'"results.output_throughput" + {first}', "results.duration": f'"results.duration" + {first}'}
            base.execute(f"""INSERT INTO benchmark_runs ({", ".join(f'"{name}"' for name in names)})
                             SELECT {", ".join(new.get(name, f'"{name}"') for name in names)} FROM benchmark_runs WHERE id <= ?""", (min(have, rows - first),))
            base.execute(f"INSERT INTO benchmark_documents (id, bytes, notes) SELECT id + {first}, bytes, notes FROM benchmark_documents WHERE id <= ?",
                         (min(have, rows - first),))
        base.execute("UPDATE store_state SET data_version = ?", (version,))


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

    def state_of(self, job):
        for is_last in (False, True):
            try:
                self.connection.request("GET", job + "?limit=0")
                return json.loads(self.connection.getresponse().read())
            except (http.client.RemoteDisconnected, BrokenPipeError):
                # the server closes a connection that was idle while another one was waited for
                if is_last:
                    raise
                self.connection.close()

    def wait(self, until):
        """How many are not stored at that time."""
        for number, job in enumerate(self.jobs):
            while True:
                said = self.state_of(job)
                if said["state"] == "done":
                    break
                if time.perf_counter() > until:
                    return len(self.jobs) - number
                time.sleep(0.002)
            if said["counts"].get("stored") != 1:
                raise OSError(f"{job}: {said['counts']}")
        return 0


def measure_uploads(server, count):
    uploads, start = Uploads(server.address, 0), time.perf_counter()
    cpu = server.cpu_s()
    for _ in range(count):
        uploads.send()
    accepted_s = time.perf_counter() - start
    uploads.wait(float("inf"))
    return {"uploads": count, "accepted_s": accepted_s, "stored_s": time.perf_counter() - start, "cpu_s": server.cpu_s() - cpu}


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
    until = time.perf_counter() + WAIT_S
    waiting = sum(uploads.wait(until) for uploads in writers)
    sent = [one for uploads in writers for one in uploads.ms]
    return {"filters_per_s": len(ms) / seconds, "p50_ms": percentile(ms, 50), "p99_ms": percentile(ms, 99), "uploads_per_s": len(sent) / seconds,
            "upload_p99_ms": percentile(sent, 99), "waiting": waiting, "refused": sum(uploads.refused for uploads in writers)}


def starts(program, db):
    seconds = []
    for _ in range(STARTS):
        with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
            seconds.append(server.start_s)
    return sorted(seconds)[STARTS // 2]


def measure_at(program, db, uploads):
    out = {"load_average": os.getloadavg()[0], "start_s": starts(program, db)}
    with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
        out["uploads"] = measure_uploads(server, uploads)
        requests = list(dashboard_load.requests_of(server, range(FILTERS)))
        ms, seconds = dashboard_load.play(server.address, requests, READERS + WRITERS)
        out["alone"] = {"filters_per_s": len(ms) / seconds, "p50_ms": percentile(ms, 50), "p99_ms": percentile(ms, 99)}
        out["mixed"] = measure_mixed(server, range(FILTERS, 2 * FILTERS))
        out["bytes"] = server.resident_bytes()
    return out


def fill(program, db, rows, is_small):
    if is_small:
        with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
            ingest.send(server, [small_body(min(rows, BATCH))])
        copy_rows(db, rows)
    elif rows:
        with dashboard_load.Server(program, "demo", db, "--rows", str(rows)):
            pass


def prepare(programs, sizes, folder):
    """Makes each database that the folder lacks; one that was not completed is made again."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, is_small in sizes:
        for name, program in programs.items():
            db = folder / f"{name}-{count}{'-small' if is_small else ''}.db"
            if count and not db.exists():
                unfinished = folder / "unfinished"
                shutil.rmtree(unfinished, ignore_errors=True)
                unfinished.mkdir()
                fill(program, unfinished / "growing.db", count, is_small)
                (unfinished / "growing.db").rename(db)
                shutil.rmtree(unfinished)
            yield name, program, count, is_small, db


def measure(programs, rows=ROWS, small_rows=SMALL_ROWS, databases=None):
    """[{program, rows, documents, load_average, start_s, uploads, alone, mixed, bytes}]; programs: {name: path}."""
    sizes = [*((count, False) for count in rows), *([(small_rows, True)] if small_rows else [])]
    scratch_folder = pathlib.Path(tempfile.mkdtemp())
    out = []
    try:
        for name, program, count, is_small, db in list(prepare(programs, sizes, databases or scratch_folder / "databases")):
            folder = pathlib.Path(tempfile.mkdtemp(dir=scratch_folder))
            if count:
                shutil.copyfile(db, folder / "growing.db")
            out.append({"program": name, "rows": count, "documents": "small" if is_small else "of real width",
                        **measure_at(program, folder / "growing.db", UPLOADS_OF_SMALL if is_small else UPLOADS)})
            shutil.rmtree(folder)
            print(json.dumps(out[-1]), file=sys.stderr, flush=True)  # a run of many minutes that stops leaves what it has measured
    finally:
        shutil.rmtree(scratch_folder)
    return out


def table(rows):
    print("\n### Writes, filters beside writes, and starts as results grow (SQLite)\n")
    tables.head("build", "results", "uploads", "accepted s", "stored s", "each, ms", "of none", "server's CPU s",
                "filters alone, p50 ms", "p99 ms", f"beside {WRITERS} uploading, p50 ms", "p99 ms", "of alone", "uploads a second", "start s", "load average")
    for row in rows:
        none, uploads = next(one for one in rows if one["program"] == row["program"])["uploads"], row["uploads"]
        each_ms, none_ms = (1e3 * one["stored_s"] / one["uploads"] for one in (uploads, none))
        tables.line(row["program"], f"{row['rows']:,} {row['documents']}" if row["rows"] else "none", uploads["uploads"], tables.number(uploads["accepted_s"], 2),
                    tables.number(uploads["stored_s"], 2), tables.number(each_ms, 1), tables.number(each_ms / none_ms, 2), tables.number(uploads["cpu_s"], 2),
                    tables.number(row["alone"]["p50_ms"], 0), tables.number(row["alone"]["p99_ms"], 0), tables.number(row["mixed"]["p50_ms"], 0),
                    tables.number(row["mixed"]["p99_ms"], 0), tables.number(row["mixed"]["p99_ms"] / row["alone"]["p99_ms"], 1),
                    tables.number(row["mixed"]["uploads_per_s"], 0), tables.number(row["start_s"], 2), tables.number(row["load_average"], 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")).parent)
    parser.add_argument("--program", action="append", default=[], metavar="NAME=FILE", help="another build of profllm-dashboard, measured in the same run")
    parser.add_argument("--rows", default=",".join(str(count) for count in ROWS))
    parser.add_argument("--small-rows", type=int, default=SMALL_ROWS, help="results of a further database of small documents; 0: without it")
    parser.add_argument("--databases", type=pathlib.Path, metavar="DIR", help="keep the prepared databases in DIR and use those that exist")
    parser.add_argument("--prepare-only", action="store_true", help="prepare the databases of --databases and measure nothing")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    programs = {"this": args.build.resolve() / "bin" / "profllm-dashboard", **dict(one.split("=", 1) for one in args.program)}
    rows = [int(count) for count in args.rows.split(",") if count]
    if args.prepare_only:
        if args.databases is None:
            parser.error("--prepare-only: expected --databases DIR")
        list(prepare(programs, [*((count, False) for count in rows), *([(args.small_rows, True)] if args.small_rows else [])], args.databases))
        return
    found = measure(programs, rows, args.small_rows, args.databases)
    table(found)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
    import scratch

    scratch.start()
    main()
