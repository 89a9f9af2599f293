"""Runs each command and checks its JSON output against api/outputs.schema.json."""
import json

import jsonschema
import pytest
from run_tools import base_config, run_profllm, write_config


@pytest.fixture(scope="module")
def place(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    write_config(folder, base_config(num_prompts=4))
    write_config(folder, {**base_config(num_prompts=4), "sweep": {"server.max_num_seqs": [4, 8]}}, "sweep.yaml")
    write_config(folder, {"server": {"model": "m", "no_such": 1}}, "wrong.yaml")
    assert run_profllm(bin_dir, "run", "-q", "--sim", "-c", "experiment.yaml", "-o", "r.json", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(("name", "words"), [
    ("run__dry_run__json", ["run", "--dry-run", "--json", "--sim", "-c", "experiment.yaml"]),
    ("run__dry_run__json", ["run", "--dry-run", "--json", "--sim", "-c", "wrong.yaml"]),
    ("run__brief", ["run", "--brief", "-q", "--sim", "-c", "experiment.yaml", "-o", "brief.json"]),
    ("sweep_run__json", ["sweep", "run", "--json", "-q", "--sim", "-o", "one", "sweep.yaml"]),
    ("sweep_run__brief", ["sweep", "run", "--brief", "-q", "--sim", "-o", "two", "sweep.yaml"]),
    ("sweep_run__dry_run__json", ["sweep", "run", "--dry-run", "--json", "sweep.yaml"]),
    ("compare__json", ["compare", "--json", "r.json", "r.json"]), ("compare__brief", ["compare", "--brief", "r.json", "r.json"]),
    ("gate__json", ["gate", "--json", "--base", "r.json", "--candidate", "r.json"]),
    ("validate__json", ["validate", "--json", "--explain", "experiment.yaml", "wrong.yaml"]),
    ("validate__schema__json", ["validate", "--schema", "result", "--json", "r.json"]), ("gpus__json", ["gpus", "--json"]),
    ("params__json", ["params", "--json"]), ("schema__json", ["schema", "--json"]), ("schema__fields__json", ["schema", "--fields", "--json"]),
    ("version__json", ["version", "--json"])])
def test_output_fits_its_schema(bin_dir, place, source_dir, name, words):
    schema = json.loads((source_dir / "api/outputs.schema.json").read_text())
    done = run_profllm(bin_dir, *words, cwd=place)
    answer = json.loads(done.stdout)
    jsonschema.Draft202012Validator({"$ref": f"#/$defs/profllm_{name}", "$defs": schema["$defs"]}).validate(answer)


def test_a_result_is_printed_as_its_file(bin_dir, place):
    done = run_profllm(bin_dir, "run", "--json", "-q", "--sim", "-c", "experiment.yaml", "-o", "same.json", cwd=place)
    assert json.loads(done.stdout) == json.loads((place / "same.json").read_text())
