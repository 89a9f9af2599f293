"""Measures the start of profllm-dashboard with many results, from the column snapshot and from the database, on SQLite and
PostgreSQL: seconds until the first response, CPU seconds of the server until then, and bytes per result in memory and in
the file. The page cache is warm. The results are synthetic; beyond BASE they are copies with other numbers and names and
without documents, which a start does not read."""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile
import time

import tables
from any_field import names_of
from dashboard_load import Server

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))

from database_tools import Postgres, ask, change, is_address, programs  # noqa: E402

BASE, ROWS, COLUMNS = 4096, (10_000, 100_000, 1_000_000), 250
POSTGRES_ROWS = 100_000  # at most
STARTS, MANY_ROWS = 3, 500_000  # with more, a start that reads the database is measured once
TARGETS_S = {1_000_000: 5, 100_000: 0.5}
TABLES = ("benchmark_runs", "benchmark_texts")
WRITTEN_S = 600
AT_ONCE = 100  # columns of a query
FLOATS = ("real", "double precision")
TIME = re.compile(r"\d{4}-\d\d-\d\d")


def tables_of(db):
    return TABLES if is_address(db) else TABLES[:1]


class Column:
    """A field's column, with what the first results have in it."""

    def __init__(self, table, name, recorded, distinct, kind, sample):
        self.table, self.name, self.recorded, self.kind = table, name, recorded, kind
        is_plain = sample is not None and not TIME.match(sample) and sample[:1] not in ("[", "{")
        self.differs = distinct * 2 > recorded and (is_plain or kind in FLOATS)

    def copied(self, first):
        """Returns the SQL of a copy's value: another one where most results differ."""
        if self.differs and self.kind in FLOATS:
            return f'"{self.name}" * {1 + first * 1e-9!r}'
        return f"\"{self.name}\" || '-{first}'" if self.differs and self.kind == "text" else f'"{self.name}"'


def columns_of(db):
    out, kind = [], "pg_typeof({0})::text" if is_address(db) else "typeof({0})"
    for table in tables_of(db):
        names = [name for name in names_of(db, table) if "." in name]
        for at in range(0, len(names), AT_ONCE):
            some = [f'"{name}"' for name in names[at:at + AT_ONCE]]
            (found,) = ask(db, "SELECT " + ", ".join(
                f"count({name}) AS a{at}, count(DISTINCT {name}) AS b{at}, (SELECT {kind.format(name)} FROM {table} WHERE {name} IS NOT NULL LIMIT 1) AS c{at},"
                f" max(CAST({name} AS TEXT)) AS d{at}" for at, name in enumerate(some)) + f" FROM {table}")
            out += [Column(table, name, *found[4 * i:4 * i + 4]) for i, name in enumerate(names[at:at + AT_ONCE])]
    return out


def keep_columns(db, columns, count):
    """Removes the values of all but so many columns, which are spread over the list."""
    some = [column for column in columns if column.recorded > 0]
    kept = [some[i * len(some) // count] for i in range(count)] if count < len(some) else some
    for table in tables_of(db):
        gone = [column.name for column in columns if column.table == table and column not in kept]
        if gone:
            change(db, f"UPDATE {table} SET " + ", ".join(f'"{name}" = NULL' for name in gone))
    return kept


def copy_rows(db, kept, have, rows):
    for first in range(have, rows, have):
        most = min(have, rows - first)
        new = {"id": f"id + {first}", "content_sha256": f"substr(content_sha256, 1, 50) || '-{first}'", "run_id": f"run_id || '-{first}'"}
        texts = []
        for table in tables_of(db):
            copied = {**new, **{column.name: column.copied(first) for column in kept if column.table == table}}
            names = names_of(db, table)
            quoted, values = ", ".join(f'"{name}"' for name in names), ", ".join(copied.get(name, f'"{name}"') for name in names)
            texts.append(f"INSERT INTO {table} ({quoted}) SELECT {values} FROM {table} WHERE id <= {most}")
        change(db, ";".join(texts))
    change(db, "UPDATE store_state SET data_version = data_version + 1; UPDATE benchmark_runs SET changed = (SELECT data_version FROM store_state)")


def snapshot_of(db, data):
    return data / "columns" if is_address(db) else pathlib.Path(f"{db}.columns")


def fill(program, db, data, rows, columns):
    base = min(BASE, rows)
    with Server(program, "demo", db, "--rows", str(base)):
        pass
    kept = keep_columns(db, columns_of(db), columns)
    copy_rows(db, kept, base, rows)
    if is_address(db):
        change(db, "ANALYZE")
    snapshot_of(db, data).unlink(missing_ok=True)
    return len(kept)


def start(program, db, data, rows, *words):
    """Returns seconds until the first response, the CPU seconds until then, bytes in memory and the source of the results."""
    begin = time.perf_counter()
    with Server(program, "serve", db, "--data", str(data), *words, all_cores=True) as server:
        found = server.apply(filter={"field": "run.status", "op": "is_recorded"}, limit=1)
        seconds, cpu = time.perf_counter() - begin, server.cpu_s()
        health = json.loads(server.ask("GET", "/api/health")[1])
        if found["total"] != rows:
            sys.exit(f"{db}: found {found['total']} results, expected {rows}")
        return {"s": seconds, "cpu_s": cpu, "bytes": server.resident_bytes(), "source": health["results_source"]}


def starts(program, db, data, rows, source, count, *words):
    """Returns the start of the median time."""
    measured = [start(program, db, data, rows, *words) for _ in range(count)]
    if any(each["source"] != source for each in measured):
        sys.exit(f"{db}: found a start from {[each['source'] for each in measured]}, expected {source}")
    return sorted(measured, key=lambda each: each["s"])[count // 2]


def write_snapshot(program, db, data):
    file = snapshot_of(db, data)
    with Server(program, "serve", db, "--data", str(data), all_cores=True):
        end = time.monotonic() + WRITTEN_S
        while not file.exists():
            if time.monotonic() > end:
                sys.exit(f"{file}: not written within {WRITTEN_S} s")
            time.sleep(0.05)
    return file.stat().st_size


def measure_one(program, db, data, rows, columns):
    kept = fill(program, db, data, rows, columns)
    from_database = starts(program, db, data, rows, "database", 1 if rows > MANY_ROWS else STARTS, "--no-column-snapshot")
    file_bytes = write_snapshot(program, db, data)
    from_file = starts(program, db, data, rows, "column_snapshot", STARTS)
    return {"rows": rows, "columns": kept, "database": from_database, "file": from_file, "file_bytes": file_bytes}


def measure(build, rows=ROWS, columns=COLUMNS, postgres_rows=POSTGRES_ROWS):
    """[{kind, rows, columns, database, file, file_bytes}]"""
    program, out = build / "bin" / "profllm-dashboard", []
    for count in rows:
        with tempfile.TemporaryDirectory() as folder:
            out.append({"kind": "SQLite", **measure_one(program, str(pathlib.Path(folder) / "a.db"), pathlib.Path(folder) / "data", count, columns)})
        print(json.dumps(out[-1]), file=sys.stderr, flush=True)
    some = [count for count in rows if count <= postgres_rows]
    if not programs() or not some:
        return out
    server = Postgres("shared_buffers=256MB", "max_wal_size=4GB")
    try:
        for count in some:
            with tempfile.TemporaryDirectory() as folder:
                out.append({"kind": "PostgreSQL", **measure_one(program, server.new(), pathlib.Path(folder) / "data", count, columns)})
            print(json.dumps(out[-1]), file=sys.stderr, flush=True)
    finally:
        server.close()
    return out


def table(rows):
    print("\n## Starts with many results")
    tables.head("database", "results", "columns", "from the database, s", "CPU s", "from the column snapshot, s", "CPU s", "file, B per result",
                "memory, B per result", "target, s", "met")
    for row in rows:
        target = TARGETS_S.get(row["rows"]) if row["columns"] <= COLUMNS or row["rows"] < max(TARGETS_S) else None
        tables.line(row["kind"], f"{row['rows']:,}", row["columns"], tables.number(row["database"]["s"], 2), tables.number(row["database"]["cpu_s"], 2),
                    tables.number(row["file"]["s"], 2), tables.number(row["file"]["cpu_s"], 2), tables.number(row["file_bytes"] / row["rows"], 0),
                    tables.number(row["file"]["bytes"] / row["rows"], 0), "–" if target is None else f"≤ {target}",
                    "–" if target is None else "yes" if row["file"]["s"] <= target else "no")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("PROFLLM_BIN", "build/bin")).parent)
    parser.add_argument("--rows", default=",".join(map(str, ROWS)), help="numbers of results, with commas between them")
    parser.add_argument("--columns", type=int, default=COLUMNS, help="columns with values")
    parser.add_argument("--postgres-rows", type=int, default=POSTGRES_ROWS, help="most results in PostgreSQL; 0: without it")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    found = measure(args.build.resolve(), [int(count) for count in args.rows.split(",")], args.columns, args.postgres_rows)
    table(found)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
