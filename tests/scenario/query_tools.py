"""Random results, and the outcome of a filter, a sort and a facet by a plain evaluation of the documents:
`matches(document, tree)`, `sorted_ids(documents, ids, sort)`, `facet(documents, field)`."""
import functools
import json
import math
from datetime import datetime, timezone

MISSING, NULL = type("Missing", (), {})(), type("Null", (), {})()
ONE = ["eq", "ne", "lt", "le", "gt", "ge"]
STATES = ["is_null", "not_null", "is_recorded", "is_explicit"]
# fields of the server without a column
NO_COLUMNS = ("server.newer_than_the_rows", "server.compilation_config.mode")
# id: (type, path in the document)
FIELDS = {
    "server.tensor_parallel_size": ("number", "config.server.tensor_parallel_size"),
    "server.max_model_len": ("number", "config.server.max_model_len"),  # or a word
    "server.gpu_memory_utilization": ("number", "config.server.gpu_memory_utilization"),
    "server.enable_prefix_caching": ("yes", "config.server.enable_prefix_caching"),
    "server.model": ("text", "config.server.model"),
    "server.compilation_config": ("json", "config.server.compilation_config"),
    "server.compilation_config.mode": ("text", "config.server.compilation_config.mode"),  # of JSON: no column
    "server.newer_than_the_rows": ("json", "config.server.newer_than_the_rows"),
    "benchmark.request_rate": ("number", "config.benchmark.request_rate"),  # "inf"
    "benchmark.request_timeout": ("number", "config.benchmark.request_timeout"),  # "30s"
    "results.p99_ttft_ms": ("number", "results.p99_ttft_ms"),
    "results.p97.5_ttft_ms": ("number", "results.p97.5_ttft_ms"),  # no column
    "results.completed": ("number", "results.completed"),
    "run.timestamp": ("time", "timestamp"),
    "run.status": ("text", "status"),
    "run.suite": ("text", "suite"),
    "quality.verdict": ("text", "quality.verdict"),
    "environment.engine.simulated": ("yes", "environment.engine.simulated"),
    "tags.ticket": ("json", "tags.ticket"),
    "tags.any": ("json", "tags.any"),
}
WORDS_TOO = ["server.max_model_len"]
ORDERS = {"quality.verdict": ["trusted", "degraded", "client_limited"],
          "run.status": ["completed", "partial", "failed", "launch_failed", "timeout", "interrupted"]}
TEXTS = ["", "a", "A", "Meta-Llama-3-8B", "meta-llama-3-8b", "ΣΊΣΥΦΟΣ", "σίσυφος", "straße", "STRASSE", "STRAẞE", "\u212a2", "k2", "İstanbul",
         "istanbul", "ıstanbul", "ᾈδης", "ᾀδης", "ДОМ", "дом", "日本語", "🚀 fast", "e\u0301", "é", "É", "%_*?[", "a\\b", "\"", "x" * 300,
         "<script>", "\u202eabc", "10", "9", "inf", "true", "null", "ǅ", "ǆ", "Ǆ", "ſ", "s", "µ", "μ", "Μ"]
TICKETS = ["PERF-1", "PERF-12", "perf-120", "perf", "Über", "ÜBER-2"]


# ---- documents ------------------------------------------------------------------------------


def put(document, path, value):
    *folders, key = path.split(".") if "p97.5" not in path else ["results", "p97.5_ttft_ms"]
    for folder in folders:
        document = document.setdefault(folder, {})
        if not isinstance(document, dict):
            return
    document[key] = value


def some_time(rng):
    at = f"2026-{rng.randint(1, 3):02}-{rng.randint(1, 3):02}{rng.choice('TT ')}{rng.randint(0, 23):02}:{rng.choice([0, 30]):02}:00"
    return at + rng.choice(["", ".5", ".250000", ".123456789"]) + rng.choice(["Z", "Z", "+02:00", "-09:30", ""])


def some_value(rng, field):
    """Returns a random value as a document has it."""
    made = {
        "server.tensor_parallel_size": lambda: rng.choice([1, 2, 4, 8, 8, 16]),
        "server.max_model_len": lambda: rng.choice(["auto", "auto", 1024, 4096, 8192, 131072]),
        "server.gpu_memory_utilization": lambda: rng.choice([0.9, 0.92, 0.5, 1, 0.30000000000000004, 0.3]),
        "server.enable_prefix_caching": lambda: rng.random() < 0.5,
        "server.compilation_config": lambda: rng.choice([{}, {"mode": 3}, {"mode": "none", "cudagraph": [1, 2.5, None]}, {"b": 1, "a": "é"}, [1], 3]),
        "server.newer_than_the_rows": lambda: rng.choice([1, 2.5, "two", True, ["x"], {"y": None}]),
        "benchmark.request_rate": lambda: rng.choice(["inf", "inf", 0.5, 10, 100, 1e300, 5e-324]),
        "benchmark.request_timeout": lambda: rng.choice(["30s", "500ms", 30, 3600, "2h", 0]),
        "results.p99_ttft_ms": lambda: rng.choice([rng.expovariate(0.01), 0, 0.0, -0.0, 12.5, float(rng.randint(1, 40))]),
        "results.p97.5_ttft_ms": lambda: rng.choice([rng.random(), 1.5, 2]),
        "results.completed": lambda: rng.choice([0, 10, 1000, 2**53 + 1, 9007199254740993, -1]),
        "run.timestamp": lambda: some_time(rng) if rng.random() < 0.95 else rng.choice(["yesterday", "2026-01-02", "20260101-120000"]),
        "run.status": lambda: rng.choice(["completed", "completed", "partial", "failed", "launch_failed", "odd"]),
        "quality.verdict": lambda: rng.choice(["trusted", "degraded", "client_limited"]),
        "environment.engine.simulated": lambda: rng.random() < 0.2,
        "tags.ticket": lambda: rng.choice(TICKETS),
        "tags.any": lambda: rng.choice([1, 2, -0.5, "1", "two", "Zwei", True, False, ["a", "b"], {"k": [1]}, "inf"]),
    }
    return made[field]() if field in made else rng.choice(TEXTS)


def made_results(rng, count):
    documents = []
    for i in range(count):
        document = {"run_id": f"run-{i}", "config": {"server": {}, "benchmark": {}, "server_explicit": []}, "results": {}}
        explicit = document["config"]["server_explicit"]
        for field, (_, path) in FIELDS.items():
            if field == "server.compilation_config.mode":
                continue  # inside of another
            fate = rng.random()
            if fate < 0.7:
                put(document, path, some_value(rng, field))
            elif fate < 0.85:
                put(document, path, None)
            if field.startswith("server.") and rng.random() < 0.4:
                explicit.append(field.split(".")[1])
        if rng.random() < 0.05:
            document["results"] = None  # a failed launch
        if rng.random() < 0.05:
            document["tags"] = None
        documents.append(document)
    return documents


# ---- what a document has --------------------------------------------------------------------


def seconds(text):
    for unit, factor in (("ms", 1e-3), ("s", 1), ("h", 3600)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    return float(text)


def meaning(field, value):
    """Returns a JSON value as the field's: numbers are floats."""
    if value is None:
        return NULL
    if isinstance(value, bool) or isinstance(value, (dict, list)):
        return value
    if isinstance(value, (int, float)):
        return float(value) + 0.0
    if field == "benchmark.request_timeout":
        return seconds(value)
    if FIELDS[field][0] == "number" and value in ("inf", "-inf"):
        return float(value)
    return value


def found(document, path):
    keys = path.split(".") if "p97.5" not in path else ["results", "p97.5_ttft_ms"]
    for key in keys:
        if not isinstance(document, dict) or key not in document:
            return MISSING
        document = document[key]
    return (document,)


@functools.lru_cache(maxsize=None)
def when(text):
    """Returns the time of a text, or None if it is not a time."""
    try:
        at = datetime.fromisoformat(text) if ":" in text else None
    except ValueError:
        at = None
    return at if at is None or at.tzinfo else at.replace(tzinfo=timezone.utc)


class Rows:
    """The random documents with the meaning of each field, computed once."""

    def __init__(self, documents):
        self.documents = documents
        self.cells = {}
        self.groups = {}  # (value, explicit, places) of rows that are alike in a field
        for field, (_, path) in FIELDS.items():
            column = []
            for document in documents:
                there = found(document, path)
                state = MISSING if there is MISSING else meaning(field, there[0])
                argument = field.split(".")[1]
                explicit = field.startswith("server.") and argument in document["config"]["server_explicit"]
                column.append((state, explicit and state is not MISSING))
            self.cells[field] = column
            alike = {}
            for i, (value, explicit) in enumerate(column):
                key = (value if value in (MISSING, NULL) else (kind(value), canonical(value)), explicit)
                alike.setdefault(key, (value, explicit, []))[2].append(i)
            self.groups[field] = list(alike.values())


def kind(value):
    if isinstance(value, bool):
        return "yes"
    return "number" if isinstance(value, float) else "text" if isinstance(value, str) else "json"


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def equal(field, one, other):
    if kind(one) != kind(other):
        return False
    if kind(one) == "json":
        return canonical(one) == canonical(other)
    if FIELDS[field][0] == "time" and when(one) and when(other):
        return when(one) == when(other)
    return one == other


def fold(text):
    """Unicode's simple case folding: one character for one."""
    return "".join(c.casefold() if len(c.casefold()) == 1 else c.lower() if len(c.lower()) == 1 else c for c in text)


def compare(field, value, operand):
    """Returns -1, 0 or 1; None if the values have no order."""
    if kind(value) != kind(operand) or kind(value) not in ("number", "text"):
        return None
    if FIELDS[field][0] == "number" and kind(value) == "text":
        return None
    if FIELDS[field][0] == "time":
        value, operand = when(value), when(operand)
        if value is None or operand is None:
            return None
    return (value > operand) - (value < operand)


def holds(field, op, operand, value, explicit):
    missing, null = value is MISSING, value is NULL
    if op in STATES:
        return {"is_null": null, "not_null": not missing and not null, "is_recorded": not missing, "is_explicit": explicit}[op]
    if missing or null:
        return False
    if op in ("eq", "ne", "in", "not_in"):
        among = any(equal(field, value, meaning(field, one)) for one in (operand if "in" in op else [operand]))
        return among == (op in ("eq", "in"))
    if op in ("contains", "starts_with"):
        text = value if kind(value) == "text" else canonical(value) if kind(value) == "json" else None
        return text is not None and (fold(operand) in fold(text) if op == "contains" else fold(text).startswith(fold(operand)))
    ends = [meaning(field, one) for one in (operand if op == "between" else [operand])]
    order = [compare(field, value, end) for end in ends]
    if None in order:
        return False
    return {"lt": order[0] < 0, "le": order[0] <= 0, "gt": order[0] > 0, "ge": order[0] >= 0,
            "between": order[0] >= 0 and order[-1] <= 0}[op]


def matching(rows, tree):
    """Returns the indexes of the rows that match the filter, as a set."""
    every = set(range(len(rows.documents)))
    if "and" in tree:
        return every.intersection(*(matching(rows, one) for one in tree["and"]))
    if "or" in tree:
        return set().union(*(matching(rows, one) for one in tree["or"]))
    if "not" in tree:
        return every - matching(rows, tree["not"])
    field, op, operand = tree["field"], tree["op"], tree.get("value")
    return set().union(*(places for value, explicit, places in rows.groups[field] if holds(field, op, operand, value, explicit)))


# ---- trees ----------------------------------------------------------------------------------


def random_predicate(rng, documents):
    field = rng.choice(list(FIELDS) + ["run.timestamp"] * 3)  # the one of its type
    type_, path = FIELDS[field]
    there = [one[0] for one in (found(rng.choice(documents), path) for _ in range(20)) if one is not MISSING and one[0] is not None]
    value = (lambda: rng.choice(there) if there and rng.random() < 0.8 else some_value(rng, field)
             if field != "server.compilation_config.mode" else "none")
    ordered = (lambda one: compare(field, meaning(field, one), meaning(field, one)) == 0)
    ops = STATES + ["eq", "ne", "in", "not_in"] * 2
    some = [value() for _ in range(rng.randint(1, 5))]
    if ordered(some[0]):
        ops += ["lt", "le", "gt", "ge", "between", "between"]
    if type_ not in ("number", "yes") or field in WORDS_TOO:
        ops += ["contains", "starts_with"] * 2
    op = rng.choice(ops)
    if op in STATES:
        return {"field": field, "op": op}
    if op in ("contains", "starts_with"):
        text = rng.choice([one for one in there if isinstance(one, str)] or TEXTS)
        begin = 0 if op == "starts_with" else rng.randint(0, len(text))
        text = text[begin:begin + rng.randint(0, 4)]
        return {"field": field, "op": op, "value": rng.choice([text, text.upper(), text.lower(), text.swapcase()])}
    if op in ("in", "not_in"):
        return {"field": field, "op": op, "value": some}
    if op == "between":
        ends = [one for one in (value() for _ in range(9)) if ordered(one) and kind(meaning(field, one)) == kind(meaning(field, some[0]))]
        ends = (ends + [some[0], some[0]])[:2]
        if rng.random() < 0.9 and compare(field, meaning(field, ends[0]), meaning(field, ends[1])) > 0:
            ends.reverse()
        return {"field": field, "op": op, "value": ends}
    return {"field": field, "op": op, "value": some[0]}


def random_tree(rng, documents, depth=0):
    fate = rng.random()
    if depth >= 5 or fate < 0.3 + 0.1 * depth:
        return random_predicate(rng, documents)
    if fate < 0.5:
        return {"not": random_tree(rng, documents, depth + 1)}
    return {rng.choice(["and", "or"]): [random_tree(rng, documents, depth + 1) for _ in range(rng.choice([0, 1, 2, 2, 3, 4, 4, 4]))]}


# ---- order and facets -----------------------------------------------------------------------


def place(field, value):
    """Returns a sort key for the recorded values of a field."""
    kinds = ["number", "no", "yes", "text", "json"]
    at = kinds.index("yes" if value is True else "no" if value is False else kind(value))
    if kind(value) == "text":
        order = ORDERS.get(field, [])
        instant = when(value) if FIELDS[field][0] == "time" else None
        if instant is not None:
            return (at, 0, instant.timestamp(), "")
        return (at, 1, order.index(value) if value in order else len(order), value)
    return (at, 0, 0, canonical(value)) if kind(value) == "json" else (at, 0, value, "")


def sorted_places(rows, places, sort):
    """Returns the rows in the order of a response: `sort` is [(field, descends)]; equal rows are newest first."""
    out = sorted(places, reverse=True)
    for field, descends in reversed(sort):
        values = rows.cells[field]
        there = [i for i in out if not any(values[i][0] is state for state in (MISSING, NULL))]
        # stable both ways
        if descends:
            there = list(reversed(sorted(reversed(there), key=lambda i: place(field, values[i][0]))))
        else:
            there = sorted(there, key=lambda i: place(field, values[i][0]))
        out = there + [i for i in out if values[i][0] is NULL] + [i for i in out if values[i][0] is MISSING]
    return out


def shown(value):
    """Returns the value as in a response."""
    if isinstance(value, float):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return int(value) if value == int(value) and abs(value) < 9e15 else value
    return value


def speaks_only_of(tree, field):
    if "field" in tree:
        return tree["field"] == field
    children = [tree["not"]] if "not" in tree else tree.get("and", []) + tree.get("or", [])
    return bool(children) and all(speaks_only_of(one, field) for one in children)


def without_own(tree, field):
    """Returns the filter without the terms of its top-level `and` that use this field alone; None: nothing remains."""
    terms = tree["and"] if "and" in tree else [tree]
    left = [one for one in terms if not speaks_only_of(one, field)]
    return {"and": left} if left else None


def facet(rows, places, field):
    """Returns the part of FACET that does not depend on the choice of edges: counts, and the values as {canonical JSON:
    count}."""
    cells = [rows.cells[field][i] for i in places]
    there = [value for value, _ in cells if value is not MISSING and value is not NULL]
    numeric = FIELDS[field][0] == "number" or (FIELDS[field][0] == "json" and any(kind(value) == "number" for value in there))
    words = [value for value in there if numeric and kind(value) == "text"]
    values = [value for value in there if not (numeric and kind(value) == "text")]
    missing = sum(value is MISSING for value, _ in cells)
    return {"count": len(cells), "recorded": len(cells) - missing, "null": sum(value is NULL for value, _ in cells),
            "missing": missing, "explicit": sum(explicit for _, explicit in cells), "values": tally(values),
            "words": tally(words) if numeric else None, "ends": ends(field, there) if numeric or FIELDS[field][0] == "time" else None}


def ends(field, there):
    """Returns the minimum and maximum number or time; None: there are none."""
    if FIELDS[field][0] == "time":
        there = [when(value) for value in there if when(value)]
    else:
        there = [value for value in there if kind(value) == "number"]
    return (min(there), max(there)) if there else None


def tally(values):
    counts = {}
    for value in values:
        key = canonical(shown(value))
        counts[key] = counts.get(key, 0) + 1
    return counts
