#!/usr/bin/python3
"""Filters, pages and facets over many results in memory, beside SQLite with a column a field doing the same SELECTs."""
import argparse
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import time

import tables

ROWS = 10_000
TIMES = 20
PLACES = {"server": "config.server", "benchmark": "config.benchmark"}
NARROW = {"server": 170, "benchmark": 20, "results": 60}  # 190 facets and 60 figures
SHOWN = 20
PAGE = 200


def fields_of(program):
    """Columns that stand in a document as they are called."""
    said = json.loads(subprocess.run([program, "schema", "--fields", "--json"], capture_output=True, check=True).stdout)
    return [field for field in said if field["column"] and field["one"] == "none" and field["type"] in ("number", "count", "yes", "text")
            and field["id"].split(".")[0] in ("server", "benchmark", "results", "launch", "environment")
            and not field["id"].startswith("results.errors.")]


def narrowed(fields):
    count = dict.fromkeys(NARROW, 0)
    for field in fields:
        section = field["id"].split(".")[0]
        if count.get(section, 0) < NARROW.get(section, 0):
            count[section] += 1
            yield field


def some_value(rng, field, at):
    """An input is one of a few, most of them alike in all results; a figure is its own."""
    if field["role"] == "output" and field["type"] in ("number", "count"):
        return rng.expovariate(0.01) if field["type"] == "number" else rng.randint(0, 100_000)
    choices = 1 if at % 4 else rng.choice((2, 3, 8, 40))
    chosen = rng.randrange(choices)
    return {"yes": chosen % 2 == 0, "text": f"{field['label']}-{chosen}"}.get(field["type"], 2 ** (chosen % 30))


def documents(rng, fields, rows):
    paths = []
    for field in fields:
        section, _, key = field["id"].partition(".")
        # a figure's key may have dots in it
        folder, key = (section, key) if section == "results" else (f"{PLACES.get(section, section)}.{key}".rsplit(".", 1))
        paths.append((folder.split("."), key))
    for i in range(rows):
        document = {"run_id": f"r{i}"}
        for at, (field, (folders, key)) in enumerate(zip(fields, paths, strict=True)):
            if rng.random() < 0.02:
                continue
            inner = document
            for folder in folders:
                inner = inner.setdefault(folder, {})
            inner[key] = some_value(rng, field, at)
        yield document


class Driver:
    def __init__(self, program):
        self.child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def tell(self, **line):
        self.child.stdin.write(json.dumps(line).encode() + b"\n")

    def ask(self, **line):
        self.tell(**line)
        self.child.stdin.flush()
        said = json.loads(self.child.stdout.readline())
        if "error" in said:
            raise SystemExit(said["error"])
        return said


def filled_database(driver, ids, rows):
    """The same cells, as the columns have them."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE r (id INTEGER PRIMARY KEY, " + ", ".join(f'"{one}"' for one in ids) + ")")
    insert = f"INSERT INTO r VALUES ({', '.join('?' * (len(ids) + 1))})"
    for offset in range(0, rows, PAGE):
        page = driver.ask(apply={"columns": ids, "limit": PAGE, "offset": offset})["answer"]["rows"]
        database.executemany(insert, [[row["id"], *(row["cells"].get(one) for one in ids)] for row in page])
    return database


def ms_of(call, times):
    out = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        out.append(1e3 * (time.perf_counter() - start))
    return statistics.median(out)


def compare(driver, database, fields, rows):
    ids = [field["id"] for field in fields]
    inputs = [field["id"] for at, field in enumerate(fields) if field["role"] == "input" and field["type"] == "count" and at % 4 == 0][:2]
    figure = next(field["id"] for field in fields if field["role"] == "output" and field["type"] == "number")
    tree = {"and": [{"field": inputs[0], "op": "in", "value": [1, 2, 4]}, {"field": inputs[1], "op": "ge", "value": 1},
                    {"field": figure, "op": "between", "value": [1, 300]}]}
    where = f'"{inputs[0]}" IN (1, 2, 4) AND "{inputs[1]}" >= 1 AND "{figure}" BETWEEN 1 AND 300'
    shown = ids[:SHOWN]
    page = {"filter": tree, "sort": [{"field": figure, "dir": "desc"}], "columns": shown, "limit": 50}
    facets = {"filter": tree, "columns": [], "limit": 0, "facets": ids}
    count = database.execute(f"SELECT count(*) FROM r WHERE {where}").fetchone()[0]
    said = driver.ask(apply=page)["answer"]
    assert said["count"] == count, (said["count"], count)
    selected = ", ".join(f'"{one}"' for one in shown)

    def sql_page():
        database.execute(f"SELECT count(*) FROM r WHERE {where}").fetchone()
        return json.dumps(database.execute(f'SELECT id, {selected} FROM r WHERE {where} ORDER BY "{figure}" DESC LIMIT 50').fetchall())

    def sql_facets():
        for one in ids:
            database.execute(f'SELECT "{one}", count(*) FROM r WHERE {where} GROUP BY 1 ORDER BY 2 DESC LIMIT 50').fetchall()

    out = {"rows": rows, "fields": len(ids), "count": count}
    for name, request, call, times in (("page", page, sql_page, TIMES), ("facets", facets, sql_facets, 1)):
        ours = sorted(driver.ask(time=request, times=TIMES)["ms"])
        sql_ms = ms_of(call, times)
        out[name] = {"ms": statistics.median(ours), "max_ms": ours[-1], "sqlite_ms": sql_ms, "ratio": sql_ms / statistics.median(ours)}
    return out


def measure(build, rows=ROWS):
    """[figures at 190 facets and 60 figures, at every field that a made document can have]"""
    out = []
    every = fields_of(build / "bin" / "profllm")
    for fields in (list(narrowed(every)), every):
        driver = Driver(build / "tests" / "query_driver")
        for i, document in enumerate(documents(random.Random(1), fields, rows)):
            driver.tell(document=document, id=i + 1, forget=True)
        database = filled_database(driver, [field["id"] for field in fields], rows)
        out.append(compare(driver, database, fields, rows))
        driver.child.stdin.close()
        driver.child.wait()
    return out


def table(results):
    tables.head("results in memory", "fields", "what", "median ms", "most ms", "SQLite ms", "SQLite / ours")
    for row in results:
        for name, what in (("page", "count and 50 sorted rows"), ("facets", "count and a facet of each field")):
            one = row[name]
            tables.line(row["rows"], row["fields"], what, tables.number(one["ms"], 2), tables.number(one["max_ms"], 2),
                        tables.number(one["sqlite_ms"]), tables.number(one["ratio"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")).parent)
    parser.add_argument("--rows", type=int, default=ROWS)
    args = parser.parse_args()
    table(measure(args.build.resolve(), args.rows))


if __name__ == "__main__":
    main()
