"""100,000 requests of one result: the first response for its page (lanes, curves and the first rows), pages, sorts and zooms, as the web UI
requests them, next to a reader in Python that parses the same lines and computes one percentile curve with numpy. Also the time of
`profllm report` for a result with these requests.

  /usr/bin/python3 tests/perf/request_rows.py    alone, with PROFLLM_BIN or build/bin"""
import hashlib
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
from timeline import ask_ms

COUNT = 100_000
TOKENS = 32
BEGIN_NS = 10**12
OPENS, ASKS = 3, 10
SEED = 4
FIRST = ("curve=true&lanes=600&limit=0", "limit=50&offset=0")


def lines(rng):
    """Yields the records of a run as `profllm run` writes them."""
    for index in range(COUNT):
        acted = BEGIN_NS + index * 2_000_000
        times = [acted + rng.randrange(10**7, 3 * 10**8)]
        for _ in range(TOKENS - 1):
            times.append(times[-1] + rng.randrange(5 * 10**6, 3 * 10**7))
        yield {"index": index, "request_id": f"bench-{index}", "try": 1, "tries": 1, "retried": False, "planned_ns": acted, "queued_ns": None,
               "acted_ns": acted, "connected_ns": None, "handshake_ns": None, "sent_ns": acted + 40_000, "headers_ns": times[0], "first_event_ns": times[0],
               "first_token_ns": times[0], "end_ns": times[-1], "first_text_ns": times[0], "events": [[t, 1, 2] for t in times],
               "prompt_tokens_requested": 512, "prompt_tokens": 512, "output_tokens_requested": TOKENS, "output_tokens": TOKENS, "token_source": "usage",
               "finish_reason": "length", "status": 200, "error": None}


def write(path):
    size = 0
    with subprocess.Popen(["zstd", "-q", "-f", "-o", path], stdin=subprocess.PIPE, text=True) as packer:
        for line in lines(random.Random(SEED)):
            text = json.dumps(line, separators=(",", ":")) + "\n"
            size += len(text)
            packer.stdin.write(text)
    return size


def peer_ms(path):
    """Returns the time until Python has the percentiles of the gaps, from the file."""
    begin = time.perf_counter()
    text = subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE, check=True).stdout
    gaps = np.concatenate([np.diff([event[0] for event in json.loads(line)["events"]]) for line in text.splitlines()])
    np.percentile(gaps, range(101))
    return (time.perf_counter() - begin) * 1e3


def report_ms(program, packed, folder):
    """Returns the times of whole commands that write a report as HTML, text and Markdown."""
    name = packed.name
    artifact = {"kind": "requests", "name": name, "size": packed.stat().st_size, "sha256": hashlib.sha256(packed.read_bytes()).hexdigest()}
    result = {"run_id": "long", "suite": "perf", "status": "completed", "results": {"mean_ttft_ms": 1.5, "completed": COUNT}, "artifacts": [artifact]}
    (folder / "r.json").write_text(json.dumps(result))
    times = []
    for form in ("--html", "--terminal", "--markdown"):
        begin = time.perf_counter()
        text = subprocess.run([program, "report", "r.json", form], cwd=folder, stdout=subprocess.PIPE, check=True, text=True).stdout
        times.append((time.perf_counter() - begin) * 1e3)
        if "TTFT histogram" not in text:
            sys.exit("report: the requests are missing")
    return times


def measure(program):
    found = {"first response": [], "page": [], "sort": [], "zoom with lanes and curves": []}
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        size = write(folder / "requests.zst")
        for start in range(OPENS):
            with dashboard_load.Server(program, "serve", folder / "d.db", all_cores=True) as server:
                if start == 0:
                    server.ask("POST", "/api/upload/json", {"run_id": "long", "suite": "perf", "results": {"mean_ttft_ms": 1.5}})
                    send(server, (folder / "requests.zst").read_bytes())
                    while server.ask("GET", "/api/data/experiments/long")[0] != 200:
                        time.sleep(0.05)
                path = "/api/data/experiments/long/requests?"
                found["first response"].append(sum(ask_ms(server, path + query)[0] for query in FIRST))
                for _ in range(ASKS):
                    found["page"].append(ask_ms(server, f"{path}limit=50&offset={rng.randrange(COUNT)}")[0])
                    found["sort"].append(ask_ms(server, f"{path}limit=50&sort={rng.choice(('-ttft_ms', 'request_id', '-e2el_ms'))}")[0])
                    begin = rng.uniform(0, 150)
                    found["zoom with lanes and curves"].append(ask_ms(server, f"{path}{FIRST[0]}&from_s={begin}&to_s={begin + 10}")[0])
        found["report, one command"] = report_ms(program.with_name("profllm"), folder / "requests.zst", folder)
        peer = peer_ms(folder / "requests.zst")
    return {"bytes": size, "ms": found, "peer_ms": peer}


def send(server, data):
    import http.client  # noqa: PLC0415

    connection = http.client.HTTPConnection(*server.address, timeout=60)
    connection.request("PUT", "/api/upload/artifact/long/requests/requests.zst", data, {"Content-Type": "application/octet-stream"})
    if connection.getresponse().status not in (200, 201):
        sys.exit("requests: the artifact was refused")
    connection.close()


def table(rows):
    print(f"\n{COUNT:,} requests of {TOKENS} chunks, {rows['bytes'] / 1e6:.0f} MB of records")
    tables.head("what", "times", "median ms", "most ms", "target ms", "× Python and numpy")
    for what, list_ms in rows["ms"].items():
        median = statistics.median(list_ms)
        target = 1000 if what == "first response" else ""
        tables.line(what, len(list_ms), f"{median:.0f}", f"{max(list_ms):.0f}", target, f"{median / rows['peer_ms']:.3f}")
    tables.line("Python and numpy, one curve", 1, f"{rows['peer_ms']:.0f}", f"{rows['peer_ms']:.0f}", "", 1)


if __name__ == "__main__":
    table(measure(pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")) / "profllm-dashboard"))
