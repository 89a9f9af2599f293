"""The expected fields of a result, computed from its document."""
import re

import pytest

# of a document: what no field stands for
NO_FIELD = {
    r"config\.server_source\..*": "the source of a value",
    r"config\.server_explicit": "explicit of a value",
    r"config\.params_overlay": "names of rows, not of the run",
    r"config\.experiment\.(suite|name)|config\.experiment\.tags(\..*)?": "as run.suite, run.name and tags",
    r"config\.experiment\.(server|benchmark)(\..*)?": "as asked; explicit of a value",
    r"artifacts": "files beside the result",
}
NO_FLAT_FIELD = {"input_lens", "output_lens", "ttfts", "itls", "latencies", "start_times", "queue_times",
                 "generated_texts", "errors",  # lists of single requests
                 "endpoint_type",  # which back end is, again
                 "max_model_len", "steady_state"}  # of vLLM's newer client: its own guess, and another window than ours
RENAMED = {"config.server.": "server.", "config.benchmark.": "benchmark.", "config.experiment.": "experiment."}
TOP = {"schema_version", "run_id", "suite", "name", "timestamp", "duration", "status"}
FLAT_NAMES = {"model_id": "benchmark.model", "tokenizer_id": "benchmark.tokenizer", "date": "run.timestamp"}
FLAT_OPTIONS = {"backend", "label", "num_prompts", "request_rate", "burstiness", "max_concurrency"}


def leaves(place, value):
    """Yields (dotted path, value): lists and empty objects are leaves."""
    if isinstance(value, dict) and value:
        for key, inside in value.items():
            yield from leaves(f"{place}.{key}" if place else key, inside)
    else:
        yield place, value


def id_of(place):
    for beginning, other in RENAMED.items():
        if place.startswith(beginning):
            return other + place[len(beginning):]
    return f"run.{place}" if place in TOP else place


def summed(values, one):
    """Returns the single value for the entries of a list."""
    if one == "each":
        return values
    if not values or None in values:
        return None
    if one == "same":
        return values[0] if all(value == values[0] for value in values) else None
    return {"sum": sum, "mean": lambda some: sum(some) / len(some), "max": max, "min": min}[one](values)


def list_leaves(place, entries, rows):
    """Yields a field for each key that the entries have."""
    for key in dict.fromkeys(key for entry in entries for key in entry):
        row = rows[f"{place}.{key}"]
        yield row["id"], summed([entry.get(key) for entry in entries], row["aggregation"])


def quality_leaves(checks):
    for check in checks:
        for key in check.keys() - {"id", "unit"}:
            yield f"quality.{check['id']}.{key}", check[key]


def failure_leaves(errors, rows):
    for kind in [id_.split(".")[2] for id_ in rows if re.match(r"results\.errors\.\w+\.count", id_)]:
        for key in ("count", "retried"):
            yield f"results.errors.{kind}.{key}", sum(entry[key] for entry in errors if entry["kind"] == kind)


DURATION = re.compile(r"([0-9.]+)(d|h|m|s|ms|us|ns|)")


def seconds(text):
    number, unit = DURATION.fullmatch(text).groups()
    return float(number) * {"": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "m": 60, "h": 3600, "d": 86400}[unit]


def folders_of(rows):
    """Returns what the ids of fields begin with, up to each dot."""
    return {id_[:at] for id_ in rows for at, letter in enumerate(id_) if letter == "."}


def expected(document, rows):
    """Yields (id, value) of everything in a result of ours that has a field."""
    folders = folders_of(rows)
    for place, value in leaves("", document):
        id_ = id_of(place)
        if any(re.fullmatch(pattern, place) for pattern in NO_FIELD):
            continue
        if place == "quality.checks":
            yield from quality_leaves(value)
        elif place == "results.errors":
            yield from failure_leaves(value, rows)
        elif isinstance(value, list) and id_ not in rows and id_ in folders:
            yield from list_leaves(id_, value, rows)
        elif value is None and id_ in folders and id_ not in rows:
            continue  # a section that is missing: nothing in it is recorded
        elif isinstance(value, str) and rows.get(id_, {}).get("unit") == "s" and DURATION.fullmatch(value):
            yield id_, pytest.approx(seconds(value), rel=1e-12)
        else:
            yield id_, value


class Anything:
    """Equals every value except None."""

    def __eq__(self, other):
        return other is not None


# what is checked of a file of vLLM's: its limit and its effect
FLAT_CHECKS = {"totals_agreement": (0.01, "degraded"), "statistics_order": (0.001, "degraded"), "impossible_zeros": (0, "degraded"),
               "lists_agreement": (0.01, "degraded"), "request_count": (0, "info")}


def expected_of_flat_checks(document):
    """Returns the expected checks of a result whose metrics agree with each other."""
    wanted = {"quality.verdict": None}
    for check, (limit, effect) in FLAT_CHECKS.items():
        if check != "lists_agreement" or "ttfts" in document or "latencies" in document:
            wanted |= {f"quality.{check}.value": Anything(), f"quality.{check}.status": "passed", f"quality.{check}.limit": limit,
                       f"quality.{check}.effect": effect, f"quality.{check}.text": Anything()}
    return wanted


def expected_of_flat(document):
    """Returns the same for a file of vLLM's."""
    wanted = {"tags": {}}
    for key, value in document.items():
        if key not in NO_FLAT_FIELD:
            place = "benchmark" if key in FLAT_OPTIONS else "results"
            wanted[FLAT_NAMES.get(key, f"{place}.{key}")] = value
    wanted["run.timestamp"] = re.sub(r"^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$", r"\1-\2-\3T\4:\5:\6",
                                     document["date"])
    wanted |= expected_of_flat_checks(document)
    wanted["server.model"] = document["model_id"]  # it names no server, and people filter by one model
    return wanted
