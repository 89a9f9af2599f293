"""api/experiment.schema.json, which editors read, accepts the same experiments as the program."""
import json
import re
import subprocess
import sys

import jsonschema
import pytest
import yaml
from run_tools import run_profllm

VALUES = [True, "some text", 3, 1.5, -1, 0, "32k", {"a": 1}, {}, ["a"], [3], [], None, "auto", "3",
          [{"a": 1}]]
FILES_A_CALL = 1000
# what one value's schema cannot say: an argument that must not be, a file's name
BEYOND_A_SCHEMA = {("headless", True), ("config", "some text"), ("config", "32k"),
                   ("config", "auto"), ("config", "3")}


@pytest.fixture(scope="module")
def schema(source_dir):
    return json.loads((source_dir / "api/experiment.schema.json").read_text())


@pytest.fixture(scope="module")
def validator(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def table(bin_dir):
    return json.loads(run_profllm(bin_dir, "params", "--json").stdout)


def nested(dotted, value):
    for part in reversed(dotted.split(".")):
        value = {part: value}
    return value


def part_of(validator, *path):
    """Returns the validator of one part of the schema, which is far faster than that of the whole."""
    return validator.evolve(schema={"$ref": "#/$defs/" + "/".join(path)})


def place_of(validator, key):
    """Returns the part for "server.kv_events_config.hwm", "benchmark.backend" or "name"."""
    parent, _, name = key.rpartition(".")
    if not parent:
        return validator.evolve(schema=validator.schema["properties"][name])
    return part_of(validator, parent.removeprefix("server."), "properties", name)


def fields_of(fields, prefix=""):
    """Yields (dotted key, entry) of all keys inside an argument."""
    for key, entry in fields.items():
        yield prefix + key, entry
        yield from fields_of(entry.get("fields", {}), f"{prefix}{key}.")


ADAPTERS = ["a=b", "a=b=c", "a=b,c", '{"name": "a", "path": "b"}', ["a=b", {"name": "a", "path": "b"}],
            [{"name": "a"}], [{"name": "a", "path": 1}], {"name": "a", "path": "b"}, ["a=b", "c"]]


def values_for(entry):
    if entry.get("name") == "lora_modules":
        return VALUES + ADAPTERS
    return VALUES + ([entry["choices"][0], "Zz", [entry["choices"][0]]] if entry.get("choices") else [])


def other_releases(bin_dir):
    """Returns {name: releases that accept other values than the reference}."""
    rows = json.loads(run_profllm(bin_dir, "schema", "--json").stdout)["argument_history"]
    told = {"type", "cli_style", "choices", "computed"}
    return {row["name"]: [given["since"] for given in row["ranges"]
                          if told & set(given) or given.get("default", "") is None] for row in rows}


def program_takes(bin_dir, folder, documents, patience):
    """Returns for each document whether `validate` finds no fault in its values."""
    paths = []
    for i, document in enumerate(documents):
        paths.append(folder / f"{i}.json")
        paths[-1].write_text(json.dumps(document))
    files = []
    for start in range(0, len(paths), FILES_A_CALL):
        done = run_profllm(bin_dir, "validate", "--json", *paths[start:start + FILES_A_CALL],
                           patience=patience)
        files += json.loads(done.stdout)["files"]
    assert [file["file"] for file in files] == [str(path) for path in paths]
    return [not any(problem["severity"] == "error" and problem["rule"] is None
                    for problem in file["problems"]) for file in files]


def test_schema_is_made_from_the_rows(bin_dir, source_dir):
    done = subprocess.run([sys.executable, source_dir / "tools/make-schemas", "--check", bin_dir / "profllm"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.release_only  # nothing of ours runs in it
def test_examples_are_valid(source_dir, validator):
    paths = sorted((source_dir / "configs/examples").glob("*.yaml"))
    assert len(paths) >= 5
    for path in paths:
        assert [error.message for error in validator.iter_errors(yaml.safe_load(path.read_text()))] == []


WHOLE = """
suite: baseline_performance
name: llama3-8b-tp2
tags: {hardware: h100x8, ticket: PERF-12}
server:
  model: meta-llama/Meta-Llama-3-8B
  tensor_parallel_size: 2
  gpu-memory-utilization: 0.9
  max_model_len: 32k
  no_enable_prefix_caching: true
  compilation_config: {mode: 3, pass_config: {eliminate_noops: false}}
  speculative_config.num_speculative_tokens: 3
  hf_overrides: '{"a": 1}'
launch:
  command: [vllm, serve]
  url: null
  vllm_version: null
  platform: auto
  container: null
  env: {VLLM_LOGGING_LEVEL: INFO, N: 3}
  gpus: auto
  port: auto
  host: 127.0.0.1
  ready_timeout: 600s
  run_timeout: null
  stop_timeout: 30s
  extra_args: []
benchmark:
  kind: serve
  client: native
  backend: openai-chat
  dataset_name: sharegpt
  dataset_path: ShareGPT.json
  num_prompts: 1000
  request_rate: inf
  max_concurrency: null
  request_timeout: 6h
  stall_timeout: 60s
  max_error_share: 0.01
  repeats: 1
  stop_when: {ci_width: 5%, metric: median_ttft_ms}
telemetry: {interval: 100ms, gpu: true, host: true, server_metrics: 1s}
profiling: {enabled: false, profiler: torch, dir: traces, num_prompts: 4}
output: {requests: true, series: true, server_log_tail: 200}
"""


def test_every_key_of_the_design_exists(validator):
    assert [error.message for error in validator.iter_errors(yaml.safe_load(WHOLE))] == []


@pytest.mark.release_only  # nothing of ours runs in it
@pytest.mark.parametrize("gpus", ["all", "[]", "[0, 1]", "['0', GPU-1a2b, MIG-3c]"])
def test_forms_of_gpus(validator, gpus):
    assert validator.is_valid(yaml.safe_load(WHOLE.replace("gpus: auto", f"gpus: {gpus}")))


@pytest.mark.release_only  # nothing of ours runs in it
@pytest.mark.parametrize("old, new", [
    ("suite:", "suit:"), ("tensor_parallel_size: 2", "tensor_paralel_size: 2"),
    ("tensor_parallel_size: 2", "tensor_parallel_size: two"),
    ("tensor_parallel_size: 2", "tensor_parallel_size: 0"),
    ("gpu-memory-utilization: 0.9", "gpu-memory-utilization: 1.9"),
    ("max_model_len: 32k", "max_model_len: 32q"), ("mode: 3", "mode: 7"), ("mode: 3", "mod: 3"),
    ("eliminate_noops: false", "eliminate_nops: false"),
    ("num_speculative_tokens: 3", "num_speculativ_tokens: 3"),
    ("no_enable_prefix_caching", "no_tensor_parallel_size"),
    ("platform: auto", "platform: cude"), ("gpus: auto", "gpus: some"),
    ("gpus: auto", "gpus: [one]"), ("gpus: auto", "gpus: [-1]"), ("port: auto", "port: 70000"),
    ("ready_timeout: 600s", "ready_timeout: soon"), ("env: {", "environ: {"),
    ("backend: openai-chat", "backend: openai-chats"), ("num_prompts: 1000", "num_prompts: many"),
    ("request_rate: inf", "request_rat: inf"), ("interval: 100ms", "intervall: 100ms"),
    ("gpu: true", "gpu: maybe"), ("profiler: torch", "profiler: torsch"),
    ("server_log_tail: 200", "server_log_tail: -1"), ("output:", "outputs:"),
])
def test_faults_are_refused(validator, old, new):
    assert old in WHOLE
    assert not validator.is_valid(yaml.safe_load(WHOLE.replace(old, new)))


@pytest.mark.release_only  # ten thousand documents for jsonschema; the program's reader has fuzz targets
def test_every_argument_agrees_with_the_program(bin_dir, tmp_path, validator, table, patience):
    others = other_releases(bin_dir)
    cases = [(entry["name"], value) for entry in table for value in values_for(entry)]
    # the first keys of an object are not recorded: the program accepts any key there
    runs = [(i, release) for i, (name, value) in enumerate(cases)
            for release in [None] + (others.get(name, []) if not isinstance(value, dict) else [])]
    documents = [{"server": dict([cases[i]]), "launch": {"gpus": [], "vllm_version": release}} for i, release in runs]
    taken = [False] * len(cases)  # by any release
    for (i, _), is_taken in zip(runs, program_takes(bin_dir, tmp_path, documents, patience)):
        taken[i] |= is_taken
    choices_of_numbers = {entry["name"] for entry in table
                          if entry["type"] == "int" and entry["choices"]}
    for (name, value), is_taken in zip(cases, taken):
        if isinstance(value, (str, bool)) and (name, value) in BEYOND_A_SCHEMA:
            continue
        # a number in quotes is a choice too, which an editor need not offer
        if name in choices_of_numbers and value == "3":
            continue
        part = part_of(validator, "server", "properties", name)
        assert part.is_valid(value) == is_taken, (name, value)
    assert sum(taken) > 348


@pytest.mark.release_only  # ten thousand documents for jsonschema; the program's reader has fuzz targets
def test_the_schema_refuses_nothing_that_the_program_takes(bin_dir, tmp_path, source_dir, validator,
                                                           table, patience):
    cases = []
    for entry in table:
        for key, field in fields_of(entry.get("fields", {})):
            cases += [(f"server.{entry['name']}.{key}", value) for value in values_for(field)]
    for name in re.findall(r"^BENCH\(\w+, \w+, (\w+),", (source_dir / "src/tbl/bench_args.h").read_text(), re.M):
        cases += [(f"benchmark.{name}", value) for value in VALUES + ["inf", "6h", "1.5s", 10**13]]
    text = (source_dir / "src/tbl/experiment_keys.h").read_text()
    for key in re.findall(r'^KEY\(\w+,\s+"([^"]+)"', text, re.M):
        cases += [(key, value) for value in VALUES + ["6h", "all", "cuda", [0, 1], [-1], 70000]]
    documents = [nested(key, value) for key, value in cases]
    taken = program_takes(bin_dir, tmp_path, documents, patience)
    refused = [(key, value) for (key, value), is_taken in zip(cases, taken)
               if is_taken and not place_of(validator, key).is_valid(value)]
    # null where "null" is one of the names, and a number in quotes where numbers are the choices
    assert {key for key, _ in refused} <= {"server.kv_events_config.publisher",
                                           "server.attention_config.flash_attn_version"}, refused
    assert len(cases) > 6000 and sum(taken) > 1000


def test_names_in_other_spellings(schema, table):
    """Each spelling leads to the schema of the argument."""
    patterns = [(re.compile(pattern), value)
                for pattern, value in schema["$defs"]["server"]["patternProperties"].items()]
    own = schema["$defs"]["server"]["properties"]

    def places(name):
        return [value for pattern, value in patterns if pattern.search(name)]
    for entry in table:
        place = {"$ref": f"#/$defs/server/properties/{entry['name']}"}
        long = [alias[2:] for alias in entry["aliases"] if alias[:2] == "--"]
        for name in {entry["name"].replace("_", "-"), *long, *(a.replace("-", "_") for a in long)}:
            assert name in own or places(name) == [place], name
            assert places(name + "x") == []
        if entry["negative_flag"]:
            (opposite,) = places(entry["negative_flag"][2:])
            assert {"type": "boolean"} in opposite["anyOf"]
        for key, _ in fields_of(entry.get("fields", {})):
            (dotted,) = places(f"{entry['name']}.{key}")
            parent, _, last = f"{entry['name']}.{key}".rpartition(".")
            assert dotted == {"$ref": f"#/$defs/{parent}/properties/{last}"}


def test_keys_are_described_and_have_defaults(schema, table):
    described = schema["$defs"]["server"]["properties"]
    assert list(described) == [entry["name"] for entry in table]
    for entry in table:
        found = described[entry["name"]]
        assert found["description"].startswith(entry["help"])
        assert found["default"] == entry["default"]
        assert found.get("deprecated", False) == (entry["deprecated"] or not entry["in_reference"])
    for section in ("launch", "benchmark", "telemetry", "profiling", "output"):
        for key, found in schema["$defs"][section]["properties"].items():
            assert found["description"] and "default" in found, (section, key)
