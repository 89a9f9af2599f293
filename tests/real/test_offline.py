"""vLLM's own offline benchmarks as children: valid results with the figures of its files, key by key."""
import json

import jsonschema
import pytest
from real_tools import vllm_config
from run_tools import load_result, run_profllm, write_config

SMALL = {"input_len": 16, "output_len": 8}
KINDS = {
    "latency": {**SMALL, "batch_size": 2, "num_iters_warmup": 1, "num_iters": 3},
    "throughput": {"dataset_name": "random", "random_input_len": 16, "random_output_len": 8, "num_prompts": 8},
    "startup": {"num_iters_cold": 1, "num_iters_warmup": 0, "num_iters_warm": 1},
}


def run(bin_dir, folder, vllm, kind, launch=None):
    config = vllm_config(vllm, launch=launch)
    # the server's own arguments are none of the engine's
    config["server"] = {name: value for name, value in config["server"].items() if name != "served_model_name"}
    config["benchmark"] = {"kind": kind, "output_json": str(folder / "v.json"), **KINDS[kind]}
    done = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json", "--overwrite", "--force",
                       env=vllm.env, patience=20)
    return done, load_result(folder / "r.json")


@pytest.mark.parametrize("kind", KINDS)
def test_its_figures_are_ours(bin_dir, tmp_path, vllm, source_dir, kind):
    done, result = run(bin_dir, tmp_path, vllm, kind)
    assert done.returncode == 0, done.stderr + done.stdout
    jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text())).validate(result)
    told = json.loads((tmp_path / "v.json").read_text())
    assert {key: result["results"][key] for key in told if key != "model_id"} == {
        key: value for key, value in told.items() if key != "model_id"}
    assert result["config"]["benchmark"]["mode"] == "in_process" and not result["environment"]["engine"]["simulated"]


def test_a_bad_argument_is_named(bin_dir, tmp_path, vllm):
    done, result = run(bin_dir, tmp_path, vllm, "latency", {"extra_args": ["--nope"]})
    assert (done.returncode, result["status"], result["error"]["cause"]) == (3, "launch_failed", "invalid_argument")
