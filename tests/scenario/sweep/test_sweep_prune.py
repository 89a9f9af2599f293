"""Combinations that cannot work are skipped before anything starts, each with its rule; the others run."""
import json

import pytest
import yaml
from run_tools import run_profllm, write_config

HEADS = 32


def sweep_config(**sweep):
    return {"name": "prune", "server": {"model": "meta-llama/Meta-Llama-3-8B"}, "sweep": sweep}


def dry_run(bin_dir, config, *args):
    return run_profllm(bin_dir, "sweep", "run", "--dry-run", *args, config)


def broken(point):
    """Returns the rules that a point breaks on eight GPUs of 80 GB: 8B parameters take 15 GiB, of which 0.15 of one GPU
    has room for 12."""
    tp, pp, share, length = (point[f"server.{key}"] for key in (
        "tensor_parallel_size", "pipeline_parallel_size", "gpu_memory_utilization", "max_model_len"))
    rules = set()
    if HEADS % tp:
        rules.add("heads")
    if tp * pp > 8:
        rules.add("gpus")
    if length > 8192:
        rules.add("length")
    if share == 0.15 and tp * pp == 1:
        rules.add("memory")
    return rules


@pytest.mark.release_only
def test_of_a_thousand_exactly_the_bad_ones(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config(**{
        "server.tensor_parallel_size": [1, 2, 3, 4, 5],
        "server.pipeline_parallel_size": [1, 2, 4, 8],
        "server.gpu_memory_utilization": [0.15, 0.3, 0.5, 0.7, 0.9],
        "server.max_model_len": [2048, 8192, 16384, 4096, 1024],
        "benchmark.max_concurrency": [4, 16],
    }))
    done = dry_run(bin_dir, config, "--hardware", "h100x8", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert len(report["combinations"]) + len(report["skipped"]) == 1000
    assert not [cell for cell in report["combinations"] if broken(cell["parameters"])]
    said = {"heads": "attention_heads_divide_by_tp", "gpus": "gpus", "length": "max_model_len", "memory": "memory"}
    for cell in report["skipped"]:
        assert broken(cell["parameters"]), cell
        words = json.dumps(cell["problems"])
        assert all(said[rule] in words for rule in broken(cell["parameters"]) - {"memory"}), cell
        assert all((p["rule"] or p["reason"]) and p["line"] > 0 for p in cell["problems"]), cell


def test_a_fault_of_the_file_is_reported_once(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config(**{
        "server.gpu_memory_utilization": [0.5, 1.5], "server.max_num_seq": [1, 2],
        "benchmark.max_concurrency": [1, 2, 4]}))
    done = dry_run(bin_dir, config)
    assert done.returncode == 2 and done.stdout == ""
    errors = [line for line in done.stderr.splitlines() if not line.startswith("warning")]
    assert len(errors) == 2, errors
    assert "server.gpu_memory_utilization: found number 1.5" in errors[0] and "experiment.yaml:9:" in errors[0], errors
    assert "did you mean 'max_num_seqs'" in errors[1]


def test_nothing_is_left(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config(**{"server.tensor_parallel_size": [3, 5]}))
    done = dry_run(bin_dir, config, "--hardware", "h100x8")
    assert done.returncode == 2 and "every combination of" in done.stderr
    assert "0 runs on 0 server configurations" in done.stdout
    assert done.stdout.endswith("\nremaining: 0 runs, 0 server starts\n")


def test_expand_writes_files_that_run_accepts(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config(**{
        "server.tensor_parallel_size": [1, 2], "server.compilation_config.mode": [0, 3], "benchmark.request_rate": ["inf"]}))
    report = json.loads(run_profllm(bin_dir, "config", "expand", "--json", config).stdout)
    cells = report["combinations"]
    assert len(cells) == 4 and len({cell["id"] for cell in cells}) == 4 == len({cell["server"] for cell in cells})
    stream = run_profllm(bin_dir, "config", "expand", config).stdout
    documents = list(yaml.safe_load_all(stream))
    assert [document["server"] for document in documents] == [cell["experiment"]["server"] for cell in cells]
    one = run_profllm(bin_dir, "config", "expand", "--cell", cells[2]["id"], config).stdout
    assert yaml.safe_load(one) == documents[2]
    (tmp_path / "one.yaml").write_text(one)
    assert run_profllm(bin_dir, "validate", tmp_path / "one.yaml").returncode == 0
    wrong = run_profllm(bin_dir, "config", "expand", "--cell", "0", config)
    assert wrong.returncode == 2 and "unknown combination '0'; use 'profllm config expand --json" in wrong.stderr


def test_one_experiment_is_not_a_sweep(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config(**{"server.tensor_parallel_size": [1, 2]}))
    for done in (run_profllm(bin_dir, "validate", config), run_profllm(bin_dir, "run", "--dry-run", "-c", config)):
        assert done.returncode == 2 and "profllm sweep run" in done.stdout + done.stderr
    del (plain := sweep_config())["sweep"]
    done = dry_run(bin_dir, write_config(tmp_path, plain, "plain.yaml"))
    assert done.returncode == 2 and "sweep: found nothing, expected a mapping" in done.stderr


def test_examples(bin_dir, source_dir):
    files = sorted((source_dir / "configs/examples/sweeps").glob("*.yaml"))
    assert {file.stem for file in files} >= {"quantization", "kv-cache-dtype", "chunked-prefill", "parallelism", "prefix-cache-hash",
                                             "optimization-level", "kv-connectors"}
    for file in files:
        done = dry_run(bin_dir, file, "--hardware", "h100x8", "--json")
        assert done.returncode == 0, (file, done.stderr)
        report = json.loads(done.stdout)
        assert not report["skipped"] and report["runs"] == len(report["combinations"]) > 7, (file, report["skipped"])
