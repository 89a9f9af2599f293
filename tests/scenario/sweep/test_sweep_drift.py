"""A machine that becomes slower during a sweep: in plain order, the last runs look worse; in shuffled blocks, they do not."""
import json
import math
import os

import pytest
from run_tools import run_profllm, write_config
from sweep_tools import summary, sweep_args, sweep_config

REPEATS = 4
REQUESTS = 2
CASES = [(1.0, 10)] + ([(0.1, 100)] if "PROFLLM_TEST_LONG" in os.environ else [])


def measure(bin_dir, folder, order, drift, step_ms):
    """Measures two servers with equal step times, with repeats; returns the results of each in a directory. Each request
    makes all later steps longer, on both servers: by `drift` over the sweep, however long that takes."""
    config = sweep_config({"server.max_num_seqs": [64, 65]}, num_prompts=REQUESTS, max_concurrency=REQUESTS,
                          random_output_len=9)
    count = folder / f"{order}.count"
    config["launch"]["extra_args"] = ["--sim-step", f"{step_ms}ms", "--sim-drift", str(drift / (2 * REPEATS * REQUESTS)),
                                      "--sim-drift-file", str(count)]
    done = run_profllm(bin_dir, *sweep_args(write_config(folder, config), folder / order, "--order", order, "--seed", "1",
                                            "--repeats", str(REPEATS)))
    assert done.returncode == 0, done.stderr
    assert count.stat().st_size == 2 * REPEATS * REQUESTS
    sides = {}
    for row in summary(folder / order):
        side = sides.setdefault(row["server"], folder / order / row["server"])
        side.mkdir(exist_ok=True)
        os.link(folder / order / row["result"], side / f"{row['repeat']}.json")
    return list(sides.values())


def compare(bin_dir, sides):
    done = run_profllm(bin_dir, "compare", *sides, "--metrics", "mean_tpot_ms", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["metrics"][0]["ratios"][0]


@pytest.mark.release_only
@pytest.mark.parametrize("drift,step_ms", CASES)
def test_shuffled_blocks_hold_the_truth(bin_dir, tmp_path, drift, step_ms):
    plain = compare(bin_dir, measure(bin_dir, tmp_path, "fewest-starts", drift, step_ms))
    blocks = compare(bin_dir, measure(bin_dir, tmp_path, "interleaved", drift, step_ms))
    # the truth is 1: the plain order is sure of something else, the other one is not, and nearer to it
    assert plain["low"] > 1
    assert blocks["low"] < 1 < blocks["high"] and blocks["finding"] == "no_difference"
    assert abs(math.log(blocks["ratio"])) < math.log(plain["ratio"]) / 2
