"""Every leaf of a result equals its field as the program prints it; what has no field is listed here, with the reason."""
import copy
import json
import re

import pytest
from run_tools import base_config, run_profllm, write_config
from test_result_schema import make_result

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
    """(dotted place, value): lists are leaves, and so is what is empty."""
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
    """How the entries of a list become one value."""
    if one == "each":
        return values
    if not values or None in values:
        return None
    if one == "same":
        return values[0] if all(value == values[0] for value in values) else None
    return {"sum": sum, "mean": lambda some: sum(some) / len(some), "max": max, "min": min}[one](values)


def list_leaves(place, entries, rows):
    """A field for each key that the entries have."""
    for key in dict.fromkeys(key for entry in entries for key in entry):
        row = rows[f"{place}.{key}"]
        yield row["id"], summed([entry.get(key) for entry in entries], row["one"])


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


def expected(document, rows):
    """(id, value) of everything in a document of ours that has a field."""
    for place, value in leaves("", document):
        id_ = id_of(place)
        if any(re.fullmatch(pattern, place) for pattern in NO_FIELD):
            continue
        if place == "quality.checks":
            yield from quality_leaves(value)
        elif place == "results.errors":
            yield from failure_leaves(value, rows)
        elif isinstance(value, list) and id_ not in rows and any(row.startswith(f"{id_}.") for row in rows):
            yield from list_leaves(id_, value, rows)
        elif value is None and any(row.startswith(f"{id_}.") for row in rows) and id_ not in rows:
            continue  # a section that is not there: nothing in it is recorded
        elif isinstance(value, str) and rows.get(id_, {}).get("unit") == "s" and DURATION.fullmatch(value):
            yield id_, pytest.approx(seconds(value), rel=1e-12)
        else:
            yield id_, value


def is_same(told, value):
    return told["value"] == value and isinstance(told["value"], bool) == isinstance(value, bool) and \
        told["state"] == ("null" if value is None else "value")


@pytest.fixture(scope="module")
def rows(bin_dir):
    return {row["id"]: row for row in json.loads(run_profllm(bin_dir, "schema", "--fields", "--json").stdout)}


@pytest.fixture(scope="module")
def run(bin_dir, tmp_path_factory, patience):
    """Results of one experiment, the second time on another port, with another label and other logging."""
    folder = tmp_path_factory.mktemp("runs")

    def result(name, *sets):
        config = base_config(num_prompts=5)
        config["launch"]["env"] = {"A.DOTTED_NAME": "1"}
        done = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / f"{name}.json", "--quiet",
                           *[word for pair in sets for word in ("--set", pair)], patience=patience)
        assert done.returncode == 0, done.stderr
        return folder / f"{name}.json"
    return [result("one"), result("two", "benchmark.label=other", "server.uvicorn_log_level=warning",
                                  "launch.ready_timeout=99s", "output.series=false"),
            result("three", "server.max_num_seqs=17")]


def values(bin_dir, files, *ids):
    """{id: value} of each file."""
    done = run_profllm(bin_dir, "schema", "--fields", "--json", *[word for id_ in ids for word in ("--field", id_)], *files)
    assert done.returncode == 0, done.stderr
    return [entry["fields"] for entry in json.loads(done.stdout)]


def compare(bin_dir, path, wanted, rows):
    """All of it in two calls: of the rows, and of what is read from the document by its id alone."""
    (told,) = values(bin_dir, [path])
    assert set(told) == set(rows)
    unlisted = [id_ for id_ in wanted if id_ not in rows]
    told.update(values(bin_dir, [path], *unlisted)[0] if unlisted else {})
    different = {id_: (told[id_], value) for id_, value in wanted.items() if not is_same(told[id_], value)}
    assert not different
    recorded = {id_ for id_, value in told.items() if value["state"] != "not_recorded"}
    # nothing is made up: what is recorded is a leaf, has leaves in it, or follows from some
    assert {id_ for id_ in recorded - set(wanted) if not id_.startswith("derived.") and
            not any(other.startswith(f"{id_}.") for other in wanted)} == set()
    return told


def two_gpus(document):
    (gpu,) = document["system"]["gpus"]
    other = {**gpu, "index": 1, "uuid": "GPU-2", "memory_peak_bytes": 5, "energy_j": None, "utilization_mean": 11.5}
    document["system"]["gpus"].append(other)
    document["launch"]["gpus"].append({**document["launch"]["gpus"][0], "name": "another"})
    return document


@pytest.mark.parametrize("change", [lambda document: document, two_gpus, lambda document: {**document, "results": None}])
def test_every_leaf_of_a_made_up_result(bin_dir, rows, tmp_path, change):
    document = change(make_result())
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document))
    wanted = dict(expected(document, rows))
    assert len(wanted) > 900 or document["results"] is None
    told = compare(bin_dir, path, wanted, rows)
    assert told["server.max_num_seqs"] == {"state": "value", "value": 8, "explicit": True, "source": "explicit"}
    assert told["benchmark.num_prompts"]["explicit"] and not told["benchmark.seed"]["explicit"]


def test_every_leaf_of_runs(bin_dir, rows, run):
    for path in run[:2]:
        document = json.loads(path.read_text())
        told = compare(bin_dir, path, dict(expected(document, rows)), rows)
        assert {id_.removeprefix("server.") for id_, value in told.items()
                if value["explicit"] and re.fullmatch(r"server\.\w+", id_)} == set(document["config"]["server_explicit"])


@pytest.mark.parametrize("name", ["py-random", "rs-random"])
def test_every_leaf_of_vllms_file(bin_dir, rows, shared_dir, name):
    path = shared_dir / "data/real/bench" / f"{name}.json"
    document = json.loads(path.read_text())
    wanted = {}
    for key, value in document.items():
        if key not in NO_FLAT_FIELD:
            place = "benchmark" if key in FLAT_OPTIONS else "results"
            wanted[FLAT_NAMES.get(key, f"{place}.{key}")] = value
    wanted["run.timestamp"] = re.sub(r"^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$", r"\1-\2-\3T\4:\5:\6",
                                     document["date"])
    wanted["tags"] = {}
    assert {id_ for id_ in wanted if id_ not in rows} == set()
    compare(bin_dir, path, wanted, rows)


def test_an_experiment_keeps_its_input_key(bin_dir, run, rows, tmp_path):
    document = json.loads(run[0].read_text())
    paths = list(run)
    inputs = ["server.model", "server.max_model_len", "benchmark.num_prompts", "benchmark.random_input_len", "benchmark.seed",
              "benchmark.request_rate", "benchmark.max_concurrency", "benchmark.dataset_sha256"]
    others = [id_ for id_, row in rows.items() if row["role"] == "provenance" and
              re.fullmatch(r"(server|benchmark|launch)\.\w+", id_)]
    assert {rows[id_]["role"] for id_ in inputs} == {"input"} and len(others) > 80
    for id_ in inputs + others:
        changed = copy.deepcopy(document)
        section, key = id_.split(".")
        place = changed["launch"] if section == "launch" else changed["config"][section]
        place[key] = 77
        if section == "server":
            changed["config"]["server_source"][key] = "explicit"
            changed["config"]["server_explicit"].append(key)
        paths.append(tmp_path / f"{id_}.json")
        paths[-1].write_text(json.dumps(changed))
    one, two, three, *changed = [told["derived.input_key"]["value"] for told in
                                 values(bin_dir, paths, "derived.input_key")]
    assert one == two and re.fullmatch("[0-9a-f]{32}", one)
    assert len({one, three, *changed[:len(inputs)]}) == len(inputs) + 2
    assert set(changed[len(inputs):]) == {one}


def test_columns_are_counted(bin_dir, rows):
    columns = sum(row["column"] for row in rows.values())
    assert columns <= 1000
    done = run_profllm(bin_dir, "schema", "--fields")
    assert done.stdout.splitlines()[-1] == f"{len(rows)} fields, {columns} of them columns"


@pytest.mark.parametrize("words,says", [
    (["--fields", "--field", "server.tensor_paralel_size"],
     "--field: unknown field 'server.tensor_paralel_size' (did you mean 'server.tensor_parallel_size'?)"),
    (["--field", "run.name"], "found '--field', expected --fields with it"),
    (["--fields", "none.json"], "cannot open 'none.json': No such file"),
])
def test_what_is_refused(bin_dir, tmp_path, words, says):
    done = run_profllm(bin_dir, "schema", *words, cwd=tmp_path)
    assert done.returncode == 2 and says in done.stderr and done.stdout == ""
