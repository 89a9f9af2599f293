"""How fast results are taken in and are on the disk: files of `vllm bench serve` of 2 KB and our own of some 50 KB, in batches over
HTTP, into an SQLite file and into a database of a PostgreSQL server on the same disk (fsync on)."""
import http.client
import json
import os
import pathlib
import random
import sys
import tempfile
import time

import dashboard_load

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from dashboard_tools import results  # noqa: E402
from database_tools import Postgres, programs  # noqa: E402

SEED = 5
BATCH_BYTES = 4 << 20
KINDS = {"vLLM's": (10_000, 2), "our own": (1_000, 50)}
FLOORS = {("vLLM's", "SQLite"): 5000, ("our own", "SQLite"): 500}


def vllm_result(rng, number):
    """As `vllm bench serve --save-result` writes it."""
    out = {"date": f"20260101-{number % 1000000:06d}", "backend": "vllm", "model_id": "lab/model-8b", "tokenizer_id": "lab/model-8b",
           "num_prompts": 1000, "request_rate": rng.choice(["inf", 4.0, 8.0]), "burstiness": 1.0, "max_concurrency": 64,
           "duration": rng.uniform(10, 100), "completed": 1000, "failed": 0, "total_input_tokens": 256000, "total_output_tokens": 128000 + number,
           "request_throughput": rng.uniform(1, 50), "output_throughput": rng.uniform(100, 9000), "total_token_throughput": rng.uniform(100, 9000)}
    for what in ("ttft", "tpot", "itl", "e2el"):
        for statistic in ("mean", "median", "std", "p50", "p90", "p95", "p99"):
            out[f"{statistic}_{what}_ms"] = rng.uniform(5, 5000)
    out["note"] = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz ", k=max(0, 2000 - len(json.dumps(out)) - 12)))
    return out


def own_results(rng, count):
    """Yields results of realistic width, each with its own name and metrics."""
    for document in results(count):
        document["results"] = {key: value * rng.uniform(0.5, 2) if isinstance(value, float) else value for key, value in document["results"].items()}
        yield document


def batches(documents):
    """Bodies of NDJSON, with how many documents each has."""
    lines, size = [], 0
    for document in documents:
        lines.append(json.dumps(document, separators=(",", ":")))
        size += len(lines[-1])
        if size >= BATCH_BYTES:
            yield "\n".join(lines).encode(), len(lines)
            lines, size = [], 0
    if lines:
        yield "\n".join(lines).encode(), len(lines)


def send(server, bodies):
    """Seconds from the first byte of the first batch to the end of the last job."""
    connection = http.client.HTTPConnection(*server.address, timeout=600)
    start, jobs = time.perf_counter(), []
    for body, _ in bodies:
        while True:
            connection.request("POST", "/api/upload/batch", body, {"Content-Type": "application/x-ndjson"})
            reply = connection.getresponse()
            said = reply.read()
            if reply.status != 503:
                break
            time.sleep(0.02)
        if reply.status != 202:
            raise OSError(f"/api/upload/batch answers {reply.status}: {said[:300]}")
        jobs.append(json.loads(said)["status_url"])
    counts = {}
    for job in jobs:
        while True:
            connection.request("GET", job + "?limit=0")
            said = json.loads(connection.getresponse().read())
            if said["state"] == "done":
                break
            time.sleep(0.01)
        for key, value in said["counts"].items():
            counts[key] = counts.get(key, 0) + value
    seconds = time.perf_counter() - start
    wanted = sum(count for _, count in bodies)
    if counts.get("stored") != wanted:
        raise OSError(f"of {wanted} results: {counts}")
    return seconds


def measure_one(program, db, kind, bodies):
    count, size = sum(count for _, count in bodies), sum(len(body) for body, _ in bodies)
    with dashboard_load.Server(program, "serve", db, all_cores=True) as server:
        seconds = send(server, bodies)
        cpu_s, resident = server.cpu_s(), server.resident_bytes()
    return {"kind": kind, "files": count, "bytes": size / count, "seconds": seconds, "per_s": count / seconds, "server_cpu_us": cpu_s / count * 1e6,
            "resident_mb": resident / 1e6}


def measure(build, scale=1.0):
    """[{database, kind, files, bytes, seconds, per_s, server_cpu_us, resident_mb}]; scale: a part of the files."""
    program, rng, out = build / "bin" / "profllm-dashboard", random.Random(SEED), []
    server = Postgres("fsync=on", "shared_buffers=256MB", "max_wal_size=4GB") if programs() else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            for kind, (count, _) in KINDS.items():
                count = max(1, int(count * scale))
                documents = [vllm_result(rng, i) for i in range(count)] if kind == "vLLM's" else list(own_results(rng, count))
                bodies = list(batches(documents))
                names = {"SQLite": os.path.join(folder, f"{count}.db"), **({"PostgreSQL": server.new()} if server else {})}
                out += [{"database": name, **measure_one(program, db, kind, bodies)} for name, db in names.items()]
    finally:
        if server:
            server.close()
    return out


def table(rows):
    print("\n### Taking results in\n")
    print("| database | files | KB each | files a second | server's CPU, µs a file | to be reached |\n|---|---|---|---|---|---|")
    for row in rows:
        floor = FLOORS.get((row["kind"], row["database"]))
        print(f"| {row['database']} | {row['files']:,} of {row['kind']} | {row['bytes'] / 1000:.1f} | {row['per_s']:,.0f} | {row['server_cpu_us']:,.0f} |"
              f" {f'{floor:,}' if floor else '–'} |")


if __name__ == "__main__":
    import scratch

    scratch.start()
    table(measure(pathlib.Path(sys.argv[1]).resolve(), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0))
