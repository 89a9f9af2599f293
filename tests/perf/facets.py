#!/usr/bin/python3
"""Requests over many results: the in-process mirror, compared with SQLite and PostgreSQL over the same rows and filters,
and with profllm-dashboard over HTTP. The results are synthetic (src/demo/); docs/performance.md explains the tables."""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import dashboard_load
import sql_peers
import tables
from harness import cores, on_core, percentile

BASE = 4000  # results; rows beyond are sweeps of these again
SIZES = (10_000, 100_000, 1_000_000)
ORDERS = ("clustered", "shuffled")
FACETS, METRICS = 190, 60
SHOWN, MEASURED = 20, 10  # columns of a page; metrics that are summed up
VALUES_MAX = 300  # different ones that a facet of the narrow table has, no more
FILTERS = 100
TIMES = 3
PEER_FILTERS = 4
SEED = 1
QUESTIONS = {"facets": "count and all facets", "page": "count and 50 sorted rows as JSON", "metrics": "mean, p50, p95 of 10 metrics"}


class Driver:
    def __init__(self, program, base):
        self.child = subprocess.Popen([program, str(base)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      preexec_fn=on_core(cores()[1]))

    def ask(self, **line):
        self.child.stdin.write(json.dumps(line).encode() + b"\n")
        self.child.stdin.flush()
        said = self.child.stdout.readline()
        if not said:
            sys.exit("facet_driver ended early")
        return json.loads(said)

    def answer(self, **request):
        said = self.ask(ask=request)
        if "error" in said:
            sys.exit(f"facet_driver: {said['error']}")
        return said["answer"]

    def close(self):
        self.child.stdin.close()
        self.child.wait()


# ---- columns and filters ---------------------------------------------------------------------------


def narrow(fields):
    """(facets, metrics): columns of few values, those that vary first; figures of many."""
    metrics = [row["id"] for row in fields if row["type"] == "number" and row["id"].startswith("results.")]
    metrics.sort(key=lambda one: -next(row["distinct"] for row in fields if row["id"] == one))
    metrics = metrics[:METRICS]
    few = [row for row in fields if row["id"] not in metrics and row["distinct"] <= VALUES_MAX and row["type"] in ("count", "yes", "text", "number")]
    few.sort(key=lambda row: row["distinct"] < 2)
    return [row["id"] for row in few[:FACETS]], metrics


def some_term(rng, driver, facets, metrics):
    """One that leaves some of the rows: values of a facet, or a range of a metric."""
    if rng.random() < 0.3:
        field = rng.choice(metrics)
        facet = driver.answer(facets=[field], columns=[], limit=0)["facets"][field]
        low, high = sorted(facet["min"] + (facet["max"] - facet["min"]) * rng.random() ** 3 for _ in range(2))
        return {"field": field, "op": "between", "value": [low, high]}
    field = rng.choice(facets)
    facet = driver.answer(facets=[field], columns=[], limit=0)["facets"][field]
    values = [one["value"] for one in facet["values"]]
    chosen = rng.sample(values, rng.randint(1, max(1, len(values) // 2)))
    return {"field": field, "op": "in", "value": chosen}


def some_filters(rng, driver, facets, metrics, count):
    """Returns filters of 1 to 4 predicates on different fields, which use existing values only."""
    varied = [field for field, facet in driver.answer(facets=facets, columns=[], limit=0)["facets"].items()
              if facet["distinct"] > 1 and not any(isinstance(one["value"], str) for one in facet.get("words", []))]
    terms = [some_term(rng, driver, varied, metrics) for _ in range(60)]
    filters = []
    while len(filters) < count:
        chosen = rng.sample(terms, rng.randint(1, 4))
        if len({one["field"] for one in chosen}) == len(chosen):
            filters.append({"and": chosen})
    return filters


def questions(filters, facets, metrics, rng):
    """{name: [request]}"""
    out = {name: [] for name in QUESTIONS}
    for tree in filters:
        out["facets"].append({"filter": tree, "columns": [], "limit": 0, "facets": facets})
        out["page"].append({"filter": tree, "sort": [{"field": rng.choice(metrics), "dir": "desc"}], "columns": metrics[:SHOWN], "limit": 50})
        out["metrics"].append({"filter": tree, "columns": [], "limit": 0, "metrics": metrics[:MEASURED]})
    return out


# ---- measuring -------------------------------------------------------------------------------------


def summary(ms):
    return {"p50_ms": percentile(ms, 50), "p99_ms": percentile(ms, 99), "max_ms": max(ms), "samples": len(ms)}


def measure_question(driver, requests):
    """{p50_ms …}, or {failure}: what this build does not answer."""
    ms = []
    driver.ask(time=requests[0], times=2)  # what is made once
    for request in requests:
        said = driver.ask(time=request, times=TIMES)
        if "error" in said:
            return {"failure": said["error"]}
        ms += said["ms"]
    return summary(ms)


def measure_rows(driver, rows, order, ids, facets, metrics, peers):
    filled = driver.ask(fill={"rows": rows, "order": order, "ids": ids})
    rng = random.Random(SEED)
    filters = some_filters(rng, driver, facets, metrics, FILTERS if rows < 1_000_000 else FILTERS // 2)
    # as the page asks at the real width: of numbers of very many values the counts alone
    asked = questions(filters, facets if ids else True, metrics, rng)
    out = {"rows": rows, "order": order, "facets": len(facets), "columns": len(ids) if ids else None, **filled,
           "questions": {name: measure_question(driver, requests) for name, requests in asked.items()}, "peers": {}}
    for peer in peers:
        out["peers"][peer.name] = peer.compare(driver, {"rows": rows, "order": order, "ids": ids}, asked, PEER_FILTERS)
    return out


def measure(build, sizes=SIZES, peer_rows=100_000, wide_rows=100_000, http_rows=100_000, base=BASE, postgres=True):
    """All of it; a part that is not wanted has 0 rows."""
    load_before = os.getloadavg()
    driver = Driver(build / "tests" / "facet_driver", base)
    fields = driver.ask(describe=True)["fields"]
    facets, metrics = narrow(fields)
    every = [row["id"] for row in fields if row["distinct"] > 1 and row["type"] in ("count", "yes", "text", "number", "json", "time")]
    out = {"narrow": [], "wide": [], "excluded": {}, "varied": sum(row["distinct"] > 1 for row in fields if row["id"] in facets)}
    types = {row["id"]: row["type"] for row in fields}
    with tempfile.TemporaryDirectory() as name:
        peers, out["excluded"] = sql_peers.open_all(pathlib.Path(name), types, postgres)
        try:
            for rows in sizes:
                for order in ORDERS:
                    kept = peers if rows <= peer_rows and order == "clustered" else []
                    out["narrow"].append(measure_rows(driver, rows, order, facets + metrics, facets, metrics, kept))
                if rows <= wide_rows:
                    out["wide"].append(measure_rows(driver, rows, "clustered", None, every, metrics, []))
        finally:
            for peer in peers:
                peer.close()
            driver.close()
        out["http"] = dashboard_load.measure(build / "bin" / "profllm-dashboard", pathlib.Path(name), http_rows) if http_rows else None
    out["load_average"] = {"before": load_before[0], "after": os.getloadavg()[0]}
    return out


# ---- tables ----------------------------------------------------------------------------------------


def ms_text(row, key):
    return tables.number(row[key], 2 if row[key] < 100 else 0) if key in row else f"– ({row['failure']})"


def memory_table(results):
    tables.head("rows in memory", "columns", "order", "bytes a row", "by the columns' own count", "made and taken in, s")
    for row in results["narrow"] + results["wide"]:
        tables.line(f"{row['rows']:,}", row["columns"] or "all", row["order"], tables.number(row["bytes_a_row"], 0),
                    tables.number(row["counted_bytes_a_row"], 0), tables.number(row["seconds"]))


def question_table(results):
    tables.head("rows", "columns", "order", "what", "p50 ms", "p99 ms")
    for row in results["narrow"] + results["wide"]:
        for name, what in QUESTIONS.items():
            said = row["questions"][name]
            told = what.replace("all facets", f"{row['facets']} facets" if row["columns"] else f"all facets ({row['facets']} vary)")
            tables.line(f"{row['rows']:,}", row["columns"] or "all", row["order"], told, ms_text(said, "p50_ms"), ms_text(said, "p99_ms"))


def peer_table(results):
    if not any(row["peers"] for row in results["narrow"]):
        return
    tables.head("rows", "what", "ours, same filters: p50 ms", "peer", "p50 ms", "peer / ours")
    for row in results["narrow"]:
        for peer, said in row["peers"].items():
            for name, one in said.items():
                if "failure" in one:
                    tables.line(f"{row['rows']:,}", QUESTIONS[name], f"– ({one['failure']})", peer, "–", "–")
                else:
                    tables.line(f"{row['rows']:,}", QUESTIONS[name], ms_text(one, "ours_ms"), peer, ms_text(one, "peer_ms"), tables.number(one["ratio"]))


def table(results):
    memory_table(results)
    question_table(results)
    peer_table(results)
    for name, why in results["excluded"].items():
        print(f"\nNo rows of {name}: {why}.")
    if results["http"]:
        dashboard_load.table(results["http"])
    loads = results["load_average"]
    print(f"\nOf the {FACETS} facets {results['varied']} vary. Load average {loads['before']:.2f} before, {loads['after']:.2f} after.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")).parent)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="rows of the narrow table, parted by commas")
    parser.add_argument("--peer-rows", type=int, default=100_000, help="SQLite and PostgreSQL up to so many; 0: without them")
    parser.add_argument("--wide-rows", type=int, default=100_000, help="every column up to so many rows")
    parser.add_argument("--http-rows", type=int, default=100_000, help="results of the server's database; 0: without it")
    parser.add_argument("--base", type=int, default=BASE, help="results that are made whole")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    results = measure(args.build.resolve(), [int(one) for one in args.sizes.split(",")], args.peer_rows, args.wide_rows,
                      args.http_rows, args.base)
    table(results)
    if args.json:
        args.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
