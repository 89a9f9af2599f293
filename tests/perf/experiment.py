"""The page of an experiment with an hour of telemetry of eight GPUs (timeline.py) and 100,000 requests (request_rows.py) in a browser: from the address
to the painted timeline, lanes and rows, and from a key to the painted zoom.

  /usr/bin/python3 tests/perf/experiment.py    with PROFLLM_BIN or build/bin"""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import dashboard_load
import request_rows
import tables
import timeline

OPENS = 3
ROOT = pathlib.Path(__file__).resolve().parents[2]
SERIES = {"file": "series.zst", "interval_ms": 100, "measured_begin_ns": timeline.BEGIN_NS, "measured_end_ns": timeline.BEGIN_NS + timeline.HOURS_TICKS * timeline.TICK_NS}


def measure(program):
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        timeline.write(folder / "series.zst")
        request_rows.write(folder / "requests.zst")
        for start in range(OPENS):
            with dashboard_load.Server(program, "serve", folder / "d.db", all_cores=True) as server:
                if start == 0:
                    server.ask("POST", "/api/upload/json", {"run_id": "long", "suite": "perf", "results": {"mean_ttft_ms": 1.5}, "series": SERIES})
                    timeline.send(server, (folder / "series.zst").read_bytes())
                    request_rows.send(server, (folder / "requests.zst").read_bytes())
                    while server.ask("GET", "/api/data/experiments/long")[0] != 200:
                        time.sleep(0.05)
                url = f"http://{server.address[0]}:{server.address[1]}/experiments/long"
                done = subprocess.run([ROOT / "tools/web", "node", ROOT / "tests/perf/experiment.mjs", url], stdout=subprocess.PIPE, check=True, text=True)
                found.append(json.loads(done.stdout))
    return found


def table(found):
    print("\nPage of an experiment with an hour of telemetry and 100,000 requests")
    tables.head("what", "times", "median ms", "most ms", "target ms")
    for part in ("timeline", "lanes", "rows"):
        opens = [one["open"][part] for one in found]
        tables.line(f"from the address to the painted {part}", len(opens), f"{statistics.median(opens):.0f}", f"{max(opens):.0f}", 1000)
    for part, text, target in (("timeline", "painted timeline", 100), ("bins", "bins of the new range", ""), ("lanes", "painted lanes", "")):
        zooms = [zoom[part] for one in found for zoom in one["zooms"]]
        tables.line(f"from a key to the {text}", len(zooms), f"{statistics.median(zooms):.0f}", f"{max(zooms):.0f}", target)


if __name__ == "__main__":
    table(measure(pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")) / "profllm-dashboard"))
