"""Every leaf of a result equals its field as the program prints it; field_tools.py lists the leaves without a field."""
import copy
import json
import re

import pytest
from field_tools import expected, expected_of_flat
from run_tools import base_config, run_profllm, write_config
from test_result_schema import make_result


def is_same(told, value):
    return told["value"] == value and isinstance(told["value"], bool) == isinstance(value, bool) and \
        told["state"] == ("null" if value is None else "value")


@pytest.fixture(scope="module")
def rows(bin_dir):
    return {row["id"]: row for row in json.loads(run_profllm(bin_dir, "schema", "--fields", "--json").stdout)}


@pytest.fixture(scope="module")
def run(bin_dir, tmp_path_factory, patience):
    """Results of one experiment, the second time with another port, another label and other logging."""
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
    """Returns {id: value} of each file."""
    done = run_profllm(bin_dir, "schema", "--fields", "--json", *[word for id_ in ids for word in ("--field", id_)], *files)
    assert done.returncode == 0, done.stderr
    return [entry["fields"] for entry in json.loads(done.stdout)]


def compare(bin_dir, path, wanted, rows):
    """Compares everything in two calls: fields with rows, and fields that are read from the document by id."""
    (told,) = values(bin_dir, [path])
    assert set(told) == set(rows)
    unlisted = [id_ for id_ in wanted if id_ not in rows]
    told.update(values(bin_dir, [path], *unlisted)[0] if unlisted else {})
    different = {id_: (told[id_], value) for id_, value in wanted.items() if not is_same(told[id_], value)}
    assert not different
    recorded = {id_ for id_, value in told.items() if value["state"] != "not_recorded"}
    # no field is invented: each recorded one is a leaf, contains leaves, or is computed from some
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
def test_every_leaf_of_vllms_file(bin_dir, rows, test_data_dir, name):
    path = test_data_dir / "data/real/bench" / f"{name}.json"
    document = json.loads(path.read_text())
    wanted = expected_of_flat(document)
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
    (["--field", "run.name"], "'--field' works only with --fields; add --fields"),
    (["--fields", "none.json"], "could not open 'none.json': No such file"),
])
def test_refusals(bin_dir, tmp_path, words, says):
    done = run_profllm(bin_dir, "schema", *words, cwd=tmp_path)
    assert done.returncode == 2 and says in done.stderr and done.stdout == ""
