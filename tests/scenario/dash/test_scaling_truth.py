"""Scaling of real runs against the simulator: efficiency and KV cache by the formulas of docs/reference/simulator.md."""
import math
import os

import numpy
import pytest
from run_tools import base_config, load_result, run_profllm, write_config

PROMPT, OUTPUT, REQUESTS = 32, 24, 8
# llama-3-8b-h100
PARAMETERS, WEIGHTS, LAYERS, HIDDEN, KV = 8.03e9, 16.06e9, 32, 4096, 131072
BYTES_PER_S, FLOPS, LINK, LATENCY_S = 3.35e12 * 0.8, 989.4e12 * 0.6, 450e9, 8e-6
LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))


def step_s(tensor, pipeline, sequences, context):
    """One step in which each sequence computes one token."""
    parts = min(pipeline, sequences)
    tokens = sequences / parts
    read = sequences * context
    reduce = 2 * LAYERS * (LATENCY_S + tokens * HIDDEN * 2 * 2 * (tensor - 1) / tensor / LINK) if tensor > 1 else 0
    return (0.9e-3 + 1.5e-6 * sequences + max(WEIGHTS / (tensor * BYTES_PER_S), 2 * PARAMETERS * tokens / (tensor * FLOPS))
            + max(read * KV / (tensor * BYTES_PER_S), 4 * LAYERS * HIDDEN * read / (tensor * FLOPS)) / parts
            + reduce + (pipeline - 1) * (LATENCY_S + tokens * HIDDEN * 2 / LINK))


def tpot_s(tensor, pipeline):
    return numpy.mean([step_s(tensor, pipeline, REQUESTS, PROMPT + made) for made in range(1, OUTPUT)])


def blocks(tensor, pipeline):
    return math.floor((tensor * pipeline * (80e9 * 0.92 - 2e9) - WEIGHTS) / (KV * 16))


def measure(bin_dir, folder, name, **server):
    config = base_config(random_input_len=PROMPT, random_output_len=OUTPUT, num_prompts=REQUESTS, max_concurrency=REQUESTS)
    config["name"], config["server"] = name, {**config["server"], **server}
    # slow steps, so that a busy host delays tokens by a small part of one
    config["launch"]["extra_args"] = ["--sim-speed", "0.1"]
    path = folder / f"{name}.json"
    done = run_profllm(bin_dir, "run", "--config", write_config(folder, config, f"{name}.yaml"), "--output", path)
    assert done.returncode == 0, done.stderr
    return load_result(path)


@pytest.mark.parametrize("axis, key, sizes", [("tensor", "tensor_parallel_size", (1, 2, 4, 8)), ("pipeline", "pipeline_parallel_size", (1, 2, 4))])
def test_efficiency_is_that_of_the_formula(bin_dir, dashboard, tmp_path, axis, key, sizes):
    results = [measure(bin_dir, tmp_path, f"{axis}-{size}-{run}", **{key: size}) for size in sizes for run in range(3 if LONG else 1)]
    dashboard.upload("/api/upload/batch", results)
    answer = dashboard.post("/api/analysis/scaling", {
        "axis": axis, "metric": {"field": "derived.tokens_per_s_per_user"}, "panels": ["launch.facts.kv_cache_tokens"], "untrusted": True}).json
    [line] = answer["lines"]
    assert [point["size"] for point in line["points"]] == list(sizes)
    base = tpot_s(1, 1)
    for point in line["points"]:
        size = point["size"]
        layout = (size, 1) if axis == "tensor" else (1, size)
        assert point["ideal"] == size
        assert point["efficiency"]["value"] == pytest.approx(base / tpot_s(*layout) / size, rel=0.02)
        assert point["panels"][0]["mean"] == blocks(*layout) * 16
