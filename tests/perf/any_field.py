"""Measures filters on fields that are not columns, over many results: the first query on each of 50 fields, which reads the
field index, a later one, and the same on columns; on SQLite and PostgreSQL. The results are synthetic; beyond BASE they are
copies of these, with their leaves."""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import tables
from harness import percentile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))

from database_tools import Postgres, ask, change, is_address, programs  # noqa: E402

BASE, ROWS, FIELDS = 4096, 100_000, 50
SEGMENT = 256  # results
TARGET_MS = 50


def number_of(data):
    """Returns the first number of packed ids, and the rest."""
    value, at = 0, 0
    while True:
        value |= (data[at] & 127) << 7 * at
        at += 1
        if data[at - 1] < 128:
            return value, data[at:]


def packed(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def names_of(db, table):
    if is_address(db):
        return [name for (name,) in ask(db, f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}' ORDER BY ordinal_position")]
    return [row[1] for row in ask(db, f"PRAGMA table_info({table})")]


def insert(db, table, most, **new):
    names = names_of(db, table)
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table} ({quoted}) SELECT {', '.join(new.get(name, chr(34) + name + chr(34)) for name in names)} FROM {table} WHERE id <= {most}"


def copy_segments(db, have, first):
    """Copies the segments of the first results, for the results that are so much later."""
    bytea = is_address(db)
    segments = ask(db, f"SELECT id, form, first_id, last_id, {'encode(ids, ' + chr(39) + 'hex' + chr(39) + ')' if bytea else 'ids'}"
                       f" FROM field_segments WHERE last_id <= {have}")
    last, texts = ask(db, "SELECT max(id) FROM field_segments")[0][0], []
    for number, (id_, form, first_id, last_id, ids) in enumerate(segments, last + 1):
        start, rest = number_of(bytes.fromhex(ids) if bytea else ids)
        data = (packed(start + first) + rest).hex()
        value = f"decode('{data}', 'hex')" if bytea else f"x'{data}'"
        texts.append(f"INSERT INTO field_segments (id, form, first_id, last_id, ids) {'OVERRIDING SYSTEM VALUE' if bytea else ''}"
                     f" VALUES ({number}, {form}, {first_id + first}, {last_id + first}, {value});"
                     f"INSERT INTO field_chunks (path, segment, bytes) SELECT path, {number}, bytes FROM field_chunks WHERE segment = {id_}")
    change(db, ";".join(texts))


def fill(program, db, rows):
    """Only whole segments are copied, so that every copy has its leaves."""
    have = BASE
    run = subprocess.Popen([program, "demo", "--rows", str(have + 1), "--db", db, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    run.stdout.readline()
    run.terminate()
    run.wait()
    texts = ["benchmark_texts"] if is_address(db) else []
    have = ask(db, f"SELECT max(last_id) FROM field_segments WHERE last_id <= {have}")[0][0]
    # SQLite's connections of Python do not cascade
    change(db, ";".join(f"DELETE FROM {table} WHERE id > {have}" for table in ["field_rows", "benchmark_documents", *texts, "benchmark_runs"]))
    for first in range(have, rows, have):
        most = min(have, (rows - first) // SEGMENT * SEGMENT)
        if most == 0:
            break
        change(db, ";".join([insert(db, "benchmark_runs", most, id=f"id + {first}", content_sha256=f"substr(content_sha256, 1, 50) || '-{first}'",
                                    run_id=f"run_id || '-{first}'"),
                             *(insert(db, table, most, id=f"id + {first}") for table in [*texts, "benchmark_documents"])]))
        copy_segments(db, most, first)
    change(db, "UPDATE store_state SET data_version = data_version + 1")
    # the copies have the change numbers of the results that they copy
    change(db, "DELETE FROM column_snapshots")


class Asker:
    def __init__(self, url):
        host, port = url.removeprefix("http://").rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=600)

    def ask(self, method, path, body=None):
        start = time.perf_counter()
        self.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        data = reply.read()
        ms = (time.perf_counter() - start) * 1000
        if reply.status != 200:
            sys.exit(f"{path}: {reply.status} {data[:300]}")
        return ms, json.loads(data)

    def filter_ms(self, field):
        ms, answer = self.ask("POST", "/api/filters/apply", {"filter": {"field": field, "op": "is_recorded"}, "limit": 0})
        return ms, answer["count"]


def chosen(fields, is_column):
    """Returns fields spread over the list, which is in the order of the sections."""
    some = [row["id"] for row in fields if row["column"] == is_column and not row["id"].startswith("derived.cost")]
    return some[::max(1, len(some) // FIELDS)][:FIELDS]


@contextlib.contextmanager
def serving(program, db):
    run = subprocess.Popen([program, "serve", "--db", db, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield Asker(run.stdout.readline().split()[-1])
    finally:
        run.terminate()
        run.wait()


def measure_one(program, db, rows):
    fill(program, db, rows)
    with serving(program, db) as asker:
        fields = asker.ask("GET", "/api/fields")[1]["fields"]
        asker.filter_ms("run.status")
        first, later, column = [], [], []
        for field in chosen(fields, False):
            ms, count = asker.filter_ms(field)
            first.append((ms, field, count))
            later.append(min(asker.filter_ms(field)[0] for _ in range(3)))
        for field in chosen(fields, True):
            column.append(min(asker.filter_ms(field)[0] for _ in range(3)))
        total = asker.ask("GET", "/api/health")[1]["total"]
    if [(total,)] != ask(db, "SELECT count(*) FROM benchmark_runs"):
        sys.exit(f"{db}: the server has {total} results, and not all of the database")
    worst = max(first)
    return {"rows": total, "first_ms": percentile([ms for ms, _, _ in first], 50), "worst_ms": worst[0], "worst": worst[1],
            "later_ms": percentile(later, 50), "column_ms": percentile(column, 50), "fields": len(first)}


def measure(build, rows=ROWS):
    program, result = build / "bin" / "profllm-dashboard", {}
    with tempfile.TemporaryDirectory() as folder:
        result["SQLite"] = measure_one(program, str(pathlib.Path(folder) / "a.db"), rows)
    if programs():
        server = Postgres("shared_buffers=256MB", "max_wal_size=4GB")
        try:
            result["PostgreSQL"] = measure_one(program, server.new(), rows)
        finally:
            server.stop()
    return result


def table(result):
    print("\n## Filters on fields that are not columns")
    tables.head("database", "results", "first query, median ms", "slowest of all, ms (field)", "later, median ms", "a column, median ms",
                f"≤ {TARGET_MS} ms")
    for name, row in result.items():
        tables.line(name, f"{row['rows']:,}", tables.number(row["first_ms"]), f"{tables.number(row['worst_ms'])} (`{row['worst']}`)",
                    tables.number(row["later_ms"], 2), tables.number(row["column_ms"], 2), "yes" if row["worst_ms"] <= TARGET_MS else "no")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")).parent)
    parser.add_argument("--rows", type=int, default=ROWS)
    args = parser.parse_args()
    table(measure(args.build.resolve(), args.rows))


if __name__ == "__main__":
    main()
