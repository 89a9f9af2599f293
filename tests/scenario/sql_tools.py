"""The filter language (docs/reference/filters.md) as SQL over the results of a database of profllm-dashboard.

`Snapshot` takes the cells out of the file (docs/reference/dashboard.md, "The database") into a table of its own, each as
two columns: what it is (NULL: not recorded; null, number, text, yes, json) and its value, with explicitness beside
them. Everything that an answer has is then asked by SELECTs, which share nothing with how the server works."""
import json
import sqlite3
from datetime import datetime, timedelta, timezone

from database_tools import ask, is_address
from query_tools import fold, when

STATES = {"is_null": "{k} IS 'null'", "not_null": "{k} IS NOT NULL AND {k} IS NOT 'null'", "is_recorded": "{k} IS NOT NULL",
          "is_explicit": "{x}"}
SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
KINDS = ["number", "yes", "text", "json"]  # in this order, false before true
LISTS = {"quality.verdict": ["trusted", "degraded", "client_limited"],
         "run.status": ["completed", "partial", "failed", "launch_failed", "timeout", "interrupted"]}
NUMBERS = ("number", "count")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def instant(text):
    """Microseconds since 1970; NULL: it is no time."""
    at = when(text) if isinstance(text, str) else None
    return None if at is None else (at - EPOCH) // timedelta(microseconds=1)


def decoded(value, type_):
    """(kind, value) of what stands in a column of a field of that type."""
    if value is None:
        return None, None
    if value == b"":
        return "null", None
    if isinstance(value, bytes):
        text = value[1:].decode()
        return {"y": lambda: ("yes", int(float(text))), "n": lambda: ("number", float(text)), "t": lambda: ("text", text),
                "j": lambda: ("json", text)}[chr(value[0])]()
    if isinstance(value, str):
        return ("json" if type_ == "json" else "text"), value
    return ("yes", int(value)) if type_ == "yes" else ("number", float(value))


def of_json(value):
    """The same of a value of a document whose field is of no type."""
    if value is None:
        return "null", None
    if isinstance(value, bool):
        return "yes", int(value)
    if isinstance(value, (int, float)):
        return "number", float(value)
    return ("text", value) if isinstance(value, str) else ("json", canonical(value))


def to_json(kind, value):
    """As an answer has it, and a filter may."""
    if kind in (None, "null"):
        return None
    if kind == "yes":
        return bool(value)
    if kind == "json":
        return json.loads(value)
    if kind == "number":
        return "inf" if value == float("inf") else "-inf" if value == float("-inf") else int(value) if value == int(value) and abs(value) < 2**53 else value
    return value


def of_sqlite(path, fields):
    """(id, run_id, changed, fields that were set, {field: (kind, value)} of those that are columns) of each result."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
        file.execute("BEGIN")
        known = {row[1] for row in file.execute("PRAGMA table_info(benchmark_runs)")}
        columns = [field for field in fields if field in known]
        wanted = ", ".join(f'"{field}"' for field in columns)
        for row in file.execute(f"SELECT id, run_id, changed, explicit_fields, {wanted} FROM benchmark_runs"):
            yield *row[:3], set(json.loads(row[3])), {field: decoded(value, fields[field]) for field, value in zip(columns, row[4:], strict=True)}
    file.close()


def of_postgres(address, fields):
    """The same of PostgreSQL, where a column has its field's type alone, and what does not fit it stands beside it."""
    known = {name for (name,) in ask(address, "SELECT attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid IN"
                                              " ('benchmark_runs'::regclass, 'benchmark_texts'::regclass)")}
    columns = [field for field in fields if field in known]
    wanted = ", ".join(f'"{field}"' for field in columns)
    for row in ask(address, f"SELECT id, run_id, changed, explicit_fields, null_fields, other_kinds, {wanted}"
                            " FROM benchmark_runs JOIN benchmark_texts USING (id)"):
        nulls, others = set(row[4]), row[5]
        cells = {}
        for field, value in zip(columns, row[6:], strict=True):
            assert sum((value is not None, field in nulls, field in others)) <= 1, field
            if field in nulls:
                cells[field] = "null", None
            elif field in others:
                cells[field] = decoded(others[field].encode(), fields[field])
            elif value is None:
                cells[field] = None, None
            elif fields[field] in NUMBERS:
                cells[field] = "number", float(value)
            else:
                cells[field] = ("yes", int(value)) if fields[field] == "yes" else ("json" if fields[field] == "json" else "text", value)
        yield *row[:3], set(row[3]), cells


class Snapshot:
    def __init__(self, path, fields, documents=None):
        """fields: {id: type}; documents: {id of a result: its document}, for fields that are no columns."""
        self.fields, self.names = fields, {field: f"f{i}" for i, field in enumerate(fields)}
        self.db = sqlite3.connect(":memory:")
        # SQL may ask it of what it leaves out afterwards
        self.db.create_function("fold", 1, lambda text: fold(text) if isinstance(text, str) else None, deterministic=True)
        self.db.create_function("instant", 1, instant, deterministic=True)
        names = [name + what for name in self.names.values() for what in "kvx"]
        self.db.execute(f"CREATE TABLE r (id INTEGER PRIMARY KEY, run_id, changed, {', '.join(names)})")
        insert = f"INSERT INTO r VALUES ({', '.join('?' * (len(names) + 3))})"
        for id_, run_id, changed, explicit, cells in (of_postgres if is_address(path) else of_sqlite)(path, fields):
            self.db.execute(insert, [id_, run_id, changed, *self.cells_of(explicit, cells, (documents or {}).get(id_))])
        self.kinds = {field: self.ask(f"SELECT DISTINCT {self.k(field)}, {self.v(field)} FROM r WHERE {self.k(field)} IS NOT NULL "
                                      f"AND {self.k(field)} IS NOT 'null'") for field in fields}

    def cells_of(self, explicit, there, document):
        for field in self.fields:
            if field in there:
                yield from (*there[field], there[field][0] is not None and field in explicit)
            else:
                yield from (*found(document, field), argument_is_explicit(document, field))

    def k(self, field):
        return self.names[field] + "k"

    def v(self, field):
        return self.names[field] + "v"

    def ask(self, text, values=()):
        return self.db.execute(text, values).fetchall()

    def where(self, tree, values):
        """A condition that is never NULL; the values of its ? are appended."""
        for word, between in (("and", " AND "), ("or", " OR ")):
            if word in tree:
                return "(" + between.join(self.where(one, values) for one in tree[word]) + ")"
        if "not" in tree:
            return f"(NOT {self.where(tree['not'], values)})"
        return f"coalesce({self.predicate(tree['field'], tree['op'], tree.get('value'), values)}, 0)"

    def predicate(self, field, op, operand, values):
        k, v = self.k(field), self.v(field)
        if op in STATES:
            return STATES[op].format(k=k, x=self.names[field] + "x")
        if op in ("eq", "in", "ne", "not_in"):
            operands = operand if op in ("in", "not_in") else [operand]
            among = "(" + " OR ".join(f"coalesce({self.equal(field, one, values)}, 0)" for one in operands) + ")"
            return among if op in ("eq", "in") else f"({k} IS NOT 'null' AND {k} IS NOT NULL AND NOT {among})"
        if op in ("contains", "starts_with"):
            values.append(operand)
            return f"({k} IN ('text', 'json') AND instr(fold({v}), fold(?)) {'>= 1' if op == 'contains' else '= 1'})"
        if op == "between":
            return f"({self.ordered(field, '>=', operand[0], values)} AND {self.ordered(field, '<=', operand[1], values)})"
        return self.ordered(field, SIGNS[op], operand, values)

    def meant(self, field, operand):
        if self.fields[field] in NUMBERS and operand in ("inf", "-inf"):
            return "number", float(operand)
        return of_json(operand)

    def equal(self, field, operand, values):
        k, v = self.k(field), self.v(field)
        kind, value = self.meant(field, operand)
        values.append(value)
        if self.fields[field] == "time" and instant(value) is not None:
            values.append(value)
            return f"({k} = '{kind}' AND ({v} = ? OR instant({v}) = instant(?)))"
        return f"({k} = '{kind}' AND {v} = ?)"

    def ordered(self, field, sign, operand, values):
        k, v = self.k(field), self.v(field)
        kind, value = self.meant(field, operand)
        values.append(value)
        if self.fields[field] == "time":
            return f"({k} = 'text' AND instant({v}) {sign} instant(?))"
        return f"({k} = '{kind}' AND {v} {sign} ?)"

    def order(self, sort):
        keys = []
        for field, dir_ in sort:
            k, v = self.k(field), self.v(field)
            keys.append(f"CASE WHEN {k} IS NULL THEN 2 ELSE {k} = 'null' END")
            keys.append(f"CASE {k} " + " ".join(f"WHEN '{kind}' THEN {i}" for i, kind in enumerate(KINDS)) + f" END {dir_}")
            if self.fields[field] == "time":
                keys += [f"instant({v}) IS NULL {dir_}", f"instant({v}) {dir_}", f"iif(instant({v}) IS NULL, {v}, NULL) {dir_}"]
                continue
            if words := list_of(field):
                keys.append(f"CASE {v} " + " ".join(f"WHEN '{word}' THEN {i}" for i, word in enumerate(words)) + f" ELSE 99 END {dir_}")
            keys.append(f"{v} {dir_}")
        return ", ".join([*keys, "id DESC"])

    def rows(self, tree, version):
        """(condition, values) of what a filter means in the data of that version."""
        values = [version]
        return f"changed <= ? AND {self.where(tree, values)}" if tree else "changed <= ?", values

    def page(self, request, version):
        """{count, total, rows} as POST /api/filters/apply has them."""
        where, values = self.rows(request.get("filter"), version)
        shown = request.get("columns", [])
        cells = "".join(f", {self.k(field)}, {self.v(field)}" for field in shown)
        order = self.order([(one["field"], one.get("dir", "asc")) for one in request.get("sort", [])])
        found_ = self.ask(f"SELECT id, run_id{cells} FROM r WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
                          [*values, request.get("limit", 50), request.get("offset", 0)])
        rows = [{"id": row[0], "run_id": row[1],
                 "cells": {field: to_json(*row[2 + 2 * i:4 + 2 * i]) for i, field in enumerate(shown) if row[2 + 2 * i] is not None}}
                for row in found_]
        return {"count": self.ask(f"SELECT count(*) FROM r WHERE {where}", values)[0][0],
                "total": self.ask("SELECT count(*) FROM r WHERE changed <= ?", [version])[0][0], "rows": rows}

    def ids(self, tree, version):
        where, values = self.rows(tree, version)
        return [row[0] for row in self.ask(f"SELECT id FROM r WHERE {where} ORDER BY id DESC", values)]

    def numbers(self, tree, field, version):
        where, values = self.rows(tree, version)
        return [row[0] for row in self.ask(f"SELECT {self.v(field)} FROM r WHERE {where} AND {self.k(field)} = 'number'", values)]

    def facet(self, tree, field, version):
        where, values = self.rows(without(tree, field) if tree else None, version)
        k, v, x = self.k(field), self.v(field), self.names[field] + "x"
        groups = self.ask(f"SELECT {k}, {v}, count(*), sum({x}) FROM r WHERE {where} GROUP BY 1, 2", values)
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


def list_of(field):
    """The words in whose order its texts stand, best first."""
    is_check = field.startswith("quality.") and field.endswith(".status")
    return ["ok", "beyond", "unknown"] if is_check else LISTS.get(field)


def tally(groups):
    return {canonical(to_json(kind, value)): count for kind, value, count, _ in groups}


def found(document, field):
    """(kind, value) of tags.NAME, or of server.NAME.KEY."""
    place = document
    for key in {"tags": ["tags"], "server": ["config", "server"]}[field.split(".")[0]] + field.split(".")[1:]:
        if not isinstance(place, dict) or key not in place:
            return None, None
        place = place[key]
    return of_json(place)


def argument_is_explicit(document, field):
    """What stands nowhere is not."""
    names = ((document or {}).get("config") or {}).get("server_explicit") or []
    return field.startswith("server.") and found(document, field)[0] is not None and field.split(".")[1] in names


def speaks_of(tree):
    if "field" in tree:
        return {tree["field"]}
    return set().union(*map(speaks_of, tree.get("and") or tree.get("or") or [tree["not"]]))


def without(tree, field):
    """Terms of the and at its top that speak of this field alone are left out; None: nothing is left."""
    terms = [one for one in tree.get("and", [tree]) if speaks_of(one) != {field}]
    return {"and": terms} if terms else None
