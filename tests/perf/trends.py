"""Measures POST /api/analysis/regression over many series in the background, and filters meanwhile: 500 configurations with 6
metrics and 200 results each, one of ten with a step. Prints the time of the analysis, of another one after one new result, and
percentiles of filters alone and during the analysis.

  tests/perf/trends.py build [--configurations 500] [--points 200]
"""
import argparse
import http.client
import json
import pathlib
import sys
import tempfile
import threading
import time
from datetime import timedelta

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))
from dashboard_tools import Dashboard  # noqa: E402
from harness import percentile  # noqa: E402
from history_tools import METRICS, START, noisy, result  # noqa: E402

BATCH = 5000
ALONE_S = 10
STEP = 1.1


def documents(configurations, points):
    for number in range(configurations * points):
        point, configuration = divmod(number, configurations)
        factor = STEP if configuration % 10 == 0 and point >= points * 2 // 3 else 1
        metrics = {name: noisy(f"{number} {name}", level * (1 + configuration) * factor, 0.05) for name, level in METRICS.items()}
        yield result(number, START + timedelta(hours=point, seconds=configuration), metrics, server={"max_num_seqs": configuration + 1})


class Filters(threading.Thread):
    """Sends different filters over one connection until it is stopped."""

    def __init__(self, one):
        super().__init__()
        self.one, self.times, self.is_over = one, [], threading.Event()

    def run(self):
        connection = self.one.connect()
        while not self.is_over.is_set():
            number = len(self.times)
            body = json.dumps({"filter": {"field": "server.max_num_seqs", "op": "le", "value": number % 500 + 1}, "limit": 50,
                               "facets": ["server.max_num_seqs", "environment.hostname"], "columns": ["run.run_id"]}).encode()
            began = time.perf_counter()
            connection.request("POST", "/api/filters/apply", body, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            assert reply.status == 200, reply.read()
            reply.read()
            self.times.append((time.perf_counter() - began) * 1000)

    def stop(self):
        self.is_over.set()
        self.join()
        return {"count": len(self.times), "p50_ms": round(percentile(self.times, 50), 1), "p95_ms": round(percentile(self.times, 95), 1)}


def analysis(one):
    """Returns its seconds and the number of requests until it was complete."""
    began, requests = time.perf_counter(), 0
    while True:
        requests += 1
        answer = one.post("/api/analysis/regression", {"metrics": [f"results.{name}" for name in METRICS], "limit": 200}).json
        if not answer["incomplete"]:
            return round(time.perf_counter() - began, 2), requests, answer["counts"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--configurations", type=int, default=500)
    parser.add_argument("--points", type=int, default=200)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Dashboard(args.build / "bin", pathlib.Path(folder) / "trends.db") as one:
        part = []
        for document in documents(args.configurations, args.points):
            part.append(document)
            if len(part) == BATCH:
                one.upload("/api/upload/batch", part)
                part = []
        if part:
            one.upload("/api/upload/batch", part)
        filters = Filters(one)
        filters.start()
        time.sleep(ALONE_S)
        print("filters alone", filters.stop())
        filters = Filters(one)
        filters.start()
        print("analysis: seconds, requests, counts", *analysis(one))
        print("filters during it", filters.stop())
        before = one.get("/api/health").json["analysis"]
        one.upload("/api/upload/batch", [result(10**7, START + timedelta(hours=args.points), {name: 50.0 for name in METRICS},
                                                server={"max_num_seqs": 1})])
        print("after one new result", *analysis(one)[:2])
        after = one.get("/api/health").json["analysis"]
        print("series analyzed", after["analyzed_count"] - before["analyzed_count"], "of", after["cached_count"] - before["cached_count"])


if __name__ == "__main__":
    try:
        main()
    except http.client.HTTPException as failed:
        sys.exit(f"trends: {failed!r}")
