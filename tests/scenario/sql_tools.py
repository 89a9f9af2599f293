"""The filter language (docs/reference/filters.md) as SQL over the results in a database of profllm-dashboard.

`Snapshot` copies the cells of the database (docs/reference/dashboard.md, "The database") into a separate table, each as
four columns: its kind (NULL: not recorded; null, number, text, yes, json), its value as a number and as a text, and
whether it is explicit. SELECTs then compute all parts of a response, independently of the server: SQLite for a file,
the PostgreSQL server for its database, in the same words.


"""
import bisect
import itertools
import json
import sqlite3
import subprocess
from datetime import datetime, timedelta, timezone

from database_tools import Postgres, ask, is_address, list_of_pairs, literal
from query_tools import fold, when

STATES = {"is_null": "{k} = 'null'", "not_null": "{k} <> 'null'", "is_recorded": "{k} IS NOT NULL",
          "is_explicit": "{x}"}
SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
KINDS = ["number", "yes", "text", "json"]  # in this order, false before true
LISTS = {"quality.verdict": ["trusted", "degraded", "client_limited"],
         "run.status": ["completed", "partial", "failed", "launch_failed", "timeout", "interrupted"]}
NUMBERS = ("number", "count")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def plain(value):
    """Returns the value with whole numbers as such: 0 and 0.0 are one value."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def canonical(value):
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def instant(text):
    """Returns microseconds since 1970; NULL: the text is not a time."""
    at = when(text) if isinstance(text, str) else None
    return None if at is None else (at - EPOCH) // timedelta(microseconds=1)


def decoded(value, type_):
    """Returns (kind, value) of a column's value, for a field of that type."""
    if value is None:
        return None, None
    if value == b"":
        return "null", None
    if isinstance(value, bytes):
        text = value[1:].decode()
        return {"y": lambda: ("yes", int(float(text))), "n": lambda: ("number", float(text)), "t": lambda: ("text", text),
                "j": lambda: ("json", canonical(json.loads(text)))}[chr(value[0])]()
    if isinstance(value, str):
        return ("json", canonical(json.loads(value))) if type_ == "json" else ("text", value)
    return ("yes", int(value)) if type_ == "yes" else ("number", float(value))


def of_json(value):
    """Returns the same for a document's value whose field has no type."""
    if value is None:
        return "null", None
    if isinstance(value, bool):
        return "yes", int(value)
    if isinstance(value, (int, float)):
        return "number", float(value)
    return ("text", value) if isinstance(value, str) else ("json", canonical(value))


def to_json(kind, value):
    """Returns the value as in a response, or in a filter."""
    if kind in (None, "null"):
        return None
    if kind == "yes":
        return bool(value)
    if kind == "json":
        return json.loads(value)
    if kind == "number":
        return "inf" if value == float("inf") else "-inf" if value == float("-inf") else int(value) if value == int(value) and abs(value) < 2**53 else value
    return value


class InSqlite:
    """The rows of a file, in SQLite: a table in memory."""

    def __init__(self, path, fields, names):
        self.path, self.fields, self.names = path, fields, names
        self.db = sqlite3.connect(":memory:", check_same_thread=False)
        # SQL may ask it of what it leaves out afterwards
        self.db.create_function("fold", 1, lambda text: fold(text) if isinstance(text, str) else None, deterministic=True)
        self.db.create_function("instant", 1, instant, deterministic=True)
        self.db.execute(f"CREATE TABLE r (moment, id, run_id, changed, {', '.join(columns_of(names))})")
        self.columns = {row[1] for row in ask(path, "SELECT * FROM pragma_table_info('benchmark_runs')")}

    def take(self, loose):
        """loose: {id: {field: (kind, value, explicit)}} of fields without a column. Returns the data's version."""
        with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True) as file:
            file.execute("BEGIN")
            columns = [field for field in self.fields if field in self.columns]
            wanted = ", ".join(f'"{field}"' for field in columns)
            ((moment,),) = file.execute("SELECT data_version FROM store_state")
            for row in file.execute(f"SELECT id, run_id, changed, explicit_fields, {wanted} FROM benchmark_runs WHERE deleted = 0"):
                explicit = set(json.loads(row[3]))
                cells = {field: decoded(value, self.fields[field]) for field, value in zip(columns, row[4:], strict=True)}
                cells = {field: (*cell, cell[0] is not None and field in explicit) for field, cell in cells.items()}
                cells |= loose.get(row[0], {})
                there = [cell_of(cells.get(field, (None, None, False))) for field in self.names]
                self.db.execute(f"INSERT INTO r VALUES ({', '.join('?' * (len(there) * 4 + 4))})", [moment, *row[:3], *itertools.chain(*there)])
        file.close()
        return moment

    def ask(self, text, values=()):
        return self.db.execute(text, values).fetchall()


# what SQLite is lent by Python, or calls otherwise
FUNCTIONS = """
CREATE SCHEMA IF NOT EXISTS asked;
SET search_path = asked, public;
SET timezone = 'UTC';
CREATE OR REPLACE FUNCTION instr(whole text, part text) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT strpos(whole, part)';
CREATE OR REPLACE FUNCTION fold(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT translate(t, {upper}, {lower}) $$;
CREATE OR REPLACE FUNCTION instant(t text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    IF t !~ '^\\d{{4}}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d([.]\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d)?$' THEN RETURN NULL; END IF;
    RETURN extract(epoch FROM t::timestamptz) * 1000000;
EXCEPTION WHEN data_exception THEN RETURN NULL; END $$;
"""


class InPostgres:
    """The rows of a database, in its own server: a table of one session, which SQL fills from the dashboard's."""

    def __init__(self, address, fields, names):
        self.fields, self.names = fields, names
        self.psql = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, encoding="utf-8", env=Postgres.environment())
        upper = "".join(c for c in map(chr, range(1, 0x11000)) if not 0xd800 <= ord(c) < 0xe000 and fold(c) != c)
        self.say(FUNCTIONS.format(upper=literal(upper), lower=literal(fold(upper))))
        self.columns = {name for (name,) in self.ask("SELECT attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid IN"
                                                     " ('benchmark_runs'::regclass, 'benchmark_texts'::regclass)")}
        kinds = {"k": "text", "n": "double precision", "s": "text", "x": "boolean"}
        columns = [f"{name} {kinds[name[-1]]}" for name in columns_of(names)]
        self.say(f"CREATE TEMP TABLE r (moment bigint, id bigint, run_id text, changed bigint, {', '.join(columns)});")

    def cell(self, field):
        """Returns SQL of its four columns: a value of the column's type is in the column, null and values of another kind
        are in other ones."""
        key, type_ = literal(field), self.fields[field]
        own, other = f'"{field}"', f"(other_kinds->>{key})"
        kind = "number" if type_ in NUMBERS else type_ if type_ in ("yes", "json") else "text"
        letters = " ".join(f"WHEN '{kind[0]}' THEN '{kind}'" for kind in KINDS)
        k = (f"CASE WHEN jsonb_exists(null_fields, {key}) THEN 'null' WHEN {other} IS NOT NULL THEN CASE left({other}, 1) {letters} END"
             f" WHEN {own} IS NOT NULL THEN '{kind}' END")
        number = {"number": own, "yes": f"{own}::int"}.get(kind, "NULL::float8")
        n = f"CASE WHEN left({other}, 1) IN ('y', 'n') THEN substr({other}, 2)::float8 ELSE {number} END"
        # as plain(): 0.0 inside of a value is 0
        whole = r"regexp_replace(%s, '([\[:,]-?[0-9]+)\.0+(?=[],}])', '\1', 'g')"
        own_text = whole % own if kind == "json" else own if kind == "text" else "NULL"
        s = (f"CASE left({other}, 1) WHEN 't' THEN substr({other}, 2) WHEN 'j' THEN {whole % f'substr({other}, 2)'}"
             f" ELSE {own_text} END")
        x = f"(jsonb_exists(explicit_fields, {key}) AND ({own} IS NOT NULL OR {other} IS NOT NULL OR jsonb_exists(null_fields, {key})))"
        return f"{k}, {n}, {s}, {x}"

    def take(self, loose):
        """As for SQLite; fields without a column come from `loose`."""
        names = {field: name for field, name in self.names.items() if field not in self.columns}
        rows = [(id_, *itertools.chain(*(cell_of(cells[field]) for field in names))) for id_, cells in loose.items()]
        values = ", ".join(f"({', '.join(map(sql_of, row))})" for row in rows)
        beside = f" LEFT JOIN (VALUES {values}) AS loose (id, {', '.join(columns_of(names))}) USING (id)" if rows and names else ""
        nothing = "NULL, NULL, NULL, false"
        cells = [self.cell(field) if field in self.columns else f"{name}k, {name}n::float8, {name}s, {name}x" if beside else nothing
                 for field, name in self.names.items()]
        self.say(f"INSERT INTO r SELECT data_version, id, run_id, changed, {', '.join(cells)} FROM store_state, benchmark_runs"
                 f" JOIN benchmark_texts USING (id){beside} WHERE deleted = 0;")
        return self.ask("SELECT max(moment) FROM r")[0][0]

    def say(self, text):
        """Returns the output of psql."""
        self.psql.stdin.write(text + "\n\\echo over\n")
        self.psql.stdin.flush()
        lines = []
        while (line := self.psql.stdout.readline()) != "over\n":
            assert line, ("".join(lines), text[:2000])
            lines.append(line)
        return lines

    def ask(self, text, values=()):
        pieces = text.split("?")
        text = pieces[0] + "".join(sql_of(value) + piece for value, piece in zip(values, pieces[1:], strict=True))
        # infinite numbers are texts in JSON
        return [tuple(float(value) if value in ("Infinity", "-Infinity") else value
                      for _, value in json.loads(line, object_pairs_hook=list_of_pairs))
                for line in self.say(f"SELECT row_to_json(asked) FROM ({text}) AS asked;")]

    def __del__(self):
        self.psql.kill()
        self.psql.communicate()


def sql_of(value):
    """Returns a value as PostgreSQL reads it."""
    if isinstance(value, float):
        return f"'{value!r}'::float8"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else literal(value) + "::text" * isinstance(value, str)


def columns_of(names):
    return [name + what for name in names.values() for what in "knsx"]


def cell_of(cell):
    """Returns (kind, value, explicit) as the four columns."""
    kind, value, explicit = cell
    is_number = kind in ("number", "yes")
    return kind, float(value) if is_number else None, None if is_number else value, explicit


class Snapshot:
    def __init__(self, path, fields, documents=None):
        """fields: {id: type}; documents: {id of a result: its document}, for fields without a column."""
        self.path, self.fields, self.names = path, fields, {field: f"f{i}" for i, field in enumerate(fields)}
        self.base = (InPostgres if is_address(path) else InSqlite)(path, fields, self.names)
        self.moments = []
        self.take(documents)
        self.kinds = {field: [(kind, text if kind in ("text", "json") else number) for kind, number, text in self.ask(
            f"SELECT DISTINCT {self.k(field)}, {self.n(field)}, {self.s(field)} FROM r WHERE {self.k(field)} <> 'null' ORDER BY 1, 2, 3")]
            for field in fields}

    def take(self, documents=None):
        """Copies the present data; earlier copies stay, for requests of those versions."""
        edits = {id_: json.loads(tags) if isinstance(tags, str) else tags for id_, tags in
                 ask(self.path, "SELECT id, tags FROM benchmark_edits WHERE tags IS NOT NULL")}
        loose = {}
        for id_, document in (documents or {}).items():
            if id_ in edits:
                kept = {name: value for name, value in (document.get("tags") or {}).items() if name not in edits[id_]}
                document = {**document, "tags": kept | {name: value for name, value in edits[id_].items() if value is not None}}
            loose[id_] = {field: (*found(document, field), argument_is_explicit(document, field))
                          for field in self.fields if field not in self.base.columns}
        self.moments.append(self.base.take(loose))

    def k(self, field):
        return self.names[field] + "k"

    def n(self, field):
        return self.names[field] + "n"

    def s(self, field):
        return self.names[field] + "s"

    def v(self, field, kind):
        return self.n(field) if kind in ("number", "yes") else self.s(field)

    def cells(self, field):
        return f"{self.k(field)}, {self.n(field)}, {self.s(field)}"

    def ask(self, text, values=()):
        return self.base.ask(text, values)

    def where(self, tree, values):
        """Returns a condition that is never NULL; appends the values of its ?."""
        for word, between in (("and", " AND "), ("or", " OR ")):
            if word in tree:
                return "(" + between.join(self.where(one, values) for one in tree[word]) + ")"
        if "not" in tree:
            return f"(NOT {self.where(tree['not'], values)})"
        return f"coalesce({self.predicate(tree['field'], tree['op'], tree.get('value'), values)}, false)"

    def predicate(self, field, op, operand, values):
        k, s = self.k(field), self.s(field)
        if op in STATES:
            return STATES[op].format(k=k, x=self.names[field] + "x")
        if op in ("eq", "in", "ne", "not_in"):
            operands = operand if op in ("in", "not_in") else [operand]
            among = "(" + " OR ".join(f"coalesce({self.equal(field, one, values)}, false)" for one in operands) + ")"
            return among if op in ("eq", "in") else f"({k} <> 'null' AND NOT {among})"
        if op in ("contains", "starts_with"):
            values.append(operand)
            return f"({k} IN ('text', 'json') AND instr(fold({s}), fold(?)) {'>= 1' if op == 'contains' else '= 1'})"
        if op == "between":
            return f"({self.ordered(field, '>=', operand[0], values)} AND {self.ordered(field, '<=', operand[1], values)})"
        return self.ordered(field, SIGNS[op], operand, values)

    def meant(self, field, operand):
        if self.fields[field] in NUMBERS and operand in ("inf", "-inf"):
            return "number", float(operand)
        return of_json(operand)

    def equal(self, field, operand, values):
        kind, value = self.meant(field, operand)
        k, v = self.k(field), self.v(field, kind)
        values.append(float(value) if kind == "yes" else value)
        if self.fields[field] == "time" and instant(value) is not None:
            values.append(value)
            return f"({k} = '{kind}' AND ({v} = ? OR instant({v}) = instant(?)))"
        return f"({k} = '{kind}' AND {v} = ?)"

    def ordered(self, field, sign, operand, values):
        kind, value = self.meant(field, operand)
        k, v = self.k(field), self.v(field, kind)
        values.append(float(value) if kind == "yes" else value)
        if self.fields[field] == "time":
            return f"({k} = 'text' AND instant({v}) {sign} instant(?))"
        return f"({k} = '{kind}' AND {v} {sign} ?)"

    def order(self, sort):
        keys = []
        for field, dir_ in sort:
            k, n, s = self.k(field), self.n(field), self.s(field)
            keys.append(f"CASE WHEN {k} IS NULL THEN 2 WHEN {k} = 'null' THEN 1 ELSE 0 END")
            keys.append(f"CASE {k} " + " ".join(f"WHEN '{kind}' THEN {i}" for i, kind in enumerate(KINDS)) + f" END {dir_}")
            if self.fields[field] == "time":
                keys += [f"instant({s}) IS NULL {dir_}", f"instant({s}) {dir_}", f"CASE WHEN instant({s}) IS NULL THEN {s} END {dir_}"]
                continue
            if words := list_of(field):
                keys.append(f"CASE {s} " + " ".join(f"WHEN '{word}' THEN {i}" for i, word in enumerate(words)) + f" ELSE 99 END {dir_}")
            keys += [f"{n} {dir_}", f"{s} {dir_}"]
        return ", ".join([*keys, "id DESC"])

    def rows(self, tree, version):
        """Returns (condition, values) of a filter in the data of that version: the first copy that had reached it."""
        values = [self.moments[bisect.bisect_left(self.moments, version)], version]
        return f"moment = ? AND changed <= ?{f' AND {self.where(tree, values)}' if tree else ''}", values

    def page(self, request, version):
        """Returns {count, total, rows} as POST /api/filters/apply does."""
        where, values = self.rows(request.get("filter"), version)
        shown = request.get("columns", [])
        cells = "".join(f", {self.cells(field)}" for field in shown)
        order = self.order([(one["field"], one.get("dir", "asc")) for one in request.get("sort", [])])
        found_ = self.ask(f"SELECT id, run_id{cells} FROM r WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
                          [*values, request.get("limit", 50), request.get("offset", 0)])
        rows = [{"id": row[0], "run_id": row[1],
                 "cells": {field: to_json(*cell) for field, cell in zip(shown, map(of_cells, batched(row[2:])), strict=True) if cell[0] is not None}}
                for row in found_]
        all_, of_all = self.rows(None, version)
        return {"count": self.ask(f"SELECT count(*) FROM r WHERE {where}", values)[0][0],
                "total": self.ask(f"SELECT count(*) FROM r WHERE {all_}", of_all)[0][0], "rows": rows}

    def ids(self, tree, version):
        where, values = self.rows(tree, version)
        return [row[0] for row in self.ask(f"SELECT id FROM r WHERE {where} ORDER BY id DESC", values)]

    def numbers(self, tree, field, version):
        where, values = self.rows(tree, version)
        return [row[0] for row in self.ask(f"SELECT {self.n(field)} FROM r WHERE {where} AND {self.k(field)} = 'number'", values)]

    def facet(self, tree, field, version):
        where, values = self.rows(without(tree, field) if tree else None, version)
        x = self.names[field] + "x"
        groups = [(*of_cells(row[:3]), *row[3:]) for row in self.ask(
            f"SELECT {self.cells(field)}, count(*), sum(CASE WHEN {x} THEN 1 ELSE 0 END) FROM r WHERE {where} GROUP BY 1, 2, 3", values)]
        there = [group for group in groups if group[0] not in (None, "null")]
        numeric = self.fields[field] in NUMBERS or (self.fields[field] == "json" and any(group[0] == "number" for group in there))
        count = sum(group[2] for group in groups)
        missing = sum(group[2] for group in groups if group[0] is None)
        facet = {"count": count, "recorded": count - missing, "missing": missing, "explicit": sum(group[3] for group in groups),
                 "null": sum(group[2] for group in groups if group[0] == "null"),
                 "values": tally(group for group in there if not (numeric and group[0] == "text"))}
        facet["distinct"] = len(facet["values"])
        if numeric:
            facet["words"] = tally(group for group in there if group[0] == "text")
            numbers = [group[1] for group in there if group[0] == "number"]
            facet["ends"] = (min(numbers), max(numbers)) if numbers else None
        if self.fields[field] == "time":
            times = [instant(group[1]) for group in there if instant(group[1]) is not None]
            facet["ends"] = (min(times), max(times)) if times else None
        return facet


def of_cells(cells):
    """Returns (kind, value) of the first three of the four columns."""
    kind, number, text = cells
    return kind, {"number": number, "yes": number}.get(kind, text)


def batched(cells):
    return [cells[i:i + 3] for i in range(0, len(cells), 3)]


def list_of(field):
    """Returns the words that define the order of its texts, best first."""
    is_check = field.startswith("quality.") and field.endswith(".status")
    return ["passed", "over_limit", "unknown"] if is_check else LISTS.get(field)


def tally(groups):
    return {canonical(to_json(kind, value)): count for kind, value, count, _ in groups}


def found(document, field):
    """Returns (kind, value) of tags.NAME, or of server.NAME.KEY."""
    place = document
    for key in {"tags": ["tags"], "server": ["config", "server"]}[field.split(".")[0]] + field.split(".")[1:]:
        if not isinstance(place, dict) or key not in place:
            return None, None
        place = place[key]
    return of_json(place)


def argument_is_explicit(document, field):
    """A missing argument is not explicit."""
    names = ((document or {}).get("config") or {}).get("server_explicit") or []
    return field.startswith("server.") and found(document, field)[0] is not None and field.split(".")[1] in names


def speaks_of(tree):
    if "field" in tree:
        return {tree["field"]}
    return set().union(*map(speaks_of, tree.get("and") or tree.get("or") or [tree["not"]]))


def without(tree, field):
    """Returns the filter without the terms of its top-level `and` that use this field alone; None: nothing remains."""
    terms = [one for one in tree.get("and", [tree]) if speaks_of(one) != {field}]
    return {"and": terms} if terms else None
