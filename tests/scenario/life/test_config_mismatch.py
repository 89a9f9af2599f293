"""The check config_mismatch compares the server's report of its configuration with the settings."""
import json
import re
import subprocess
import threading

import pytest
from run_tools import base_config, environment, load_result, run_profllm, write_config

SET = {"model": "sim/test", "max_model_len": 2048, "enable_prefix_caching": False, "seed": 7,
       "dtype": "half", "gpu_memory_utilization": 0.8, "max_num_seqs": 32,
       "served_model_name": ["a", "b"], "tensor_parallel_size": 1}


@pytest.fixture
def simulator(bin_dir):
    """Starts one on a port of the kernel's choice and returns its address."""
    started = []

    def start(*args):
        process = subprocess.Popen(
            [str(bin_dir / "profllm-sim"), "serve", "sim/other", "--host", "127.0.0.1", "--port", "0",
             "--sim-step", "2ms", *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment())
        started.append(process)
        port = next(match[1] for match in
                    (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in process.stdout) if match)
        threading.Thread(target=process.stdout.read, daemon=True).start()
        return f"http://127.0.0.1:{port}"

    yield start
    for process in started:
        process.kill()
        process.wait(timeout=30)


def run(bin_dir, folder, server, *faults, **more):
    config = base_config(num_prompts=4)
    config["server"] = server
    config["launch"]["extra_args"] += faults
    config.update(more)
    done = run_profllm(bin_dir, "run", "--config", write_config(folder, config), "--output",
                       folder / "r.json", "--overwrite")
    assert done.returncode == 0, done.stderr
    return done, load_result(folder / "r.json")


def check_of(result, name="config_mismatch"):
    return next(check for check in result["quality"]["checks"] if check["id"] == name)


def test_a_server_that_runs_as_asked_is_not_accused(bin_dir, tmp_path):
    done, result = run(bin_dir, tmp_path, {**SET, "max_model_len": "2K"})
    check = check_of(result)
    assert (check["status"], check["value"]) == ("passed", 0)
    assert "differences" not in check
    assert "config_mismatch" not in done.stdout


@pytest.mark.parametrize("fault, argument, asked, reported", [
    ("max_model_len=1024", "max_model_len", 2048, 1024),
    ("enable_prefix_caching=true", "enable_prefix_caching", False, True),
    ("gpu_memory_utilization=0.5", "gpu_memory_utilization", 0.8, 0.5),
    ("max_num_seqs=8", "max_num_seqs", 32, 8),
    ("dtype=bfloat16", "dtype", "half", "bfloat16"),
])
def test_another_value_degrades_and_is_named(bin_dir, tmp_path, fault, argument, asked, reported):
    done, result = run(bin_dir, tmp_path, SET, f"--sim-start-with={fault}")
    check = check_of(result)
    assert (check["status"], check["value"], check["effect"]) == ("over_limit", 1, "degraded")
    assert check["differences"] == [{"argument": argument, "requested": asked, "reported": reported,
                                     "source": "log"}]
    assert result["quality"]["verdict"] in ("degraded", "client_limited")
    told = re.sub(r"\s+", " ", done.stdout)
    shown = [value if isinstance(value, str) else json.dumps(value) for value in (asked, reported)]
    assert f"{argument}: requested {shown[0]}, reported {shown[1]} (log)" in told


def test_two_differences_are_two(bin_dir, tmp_path):
    _, result = run(bin_dir, tmp_path, SET, "--sim-start-with", "max_model_len=1024",
                    "--sim-start-with=enable_prefix_caching=true")
    check = check_of(result)
    assert check["value"] == 2
    assert [one["argument"] for one in check["differences"]] == ["max_model_len",
                                                                 "enable_prefix_caching"]


def test_values_that_vllm_resolves_do_not_count(bin_dir, tmp_path):
    _, result = run(bin_dir, tmp_path, {"model": "sim/test", "max_model_len": None,
                                        "dtype": "auto", "kv_cache_dtype": "auto"},
                    "--sim-start-with=max_model_len=1024", "--sim-start-with=dtype=bfloat16")
    assert (check_of(result)["status"], check_of(result)["value"]) == ("passed", 0)


def test_a_running_server_is_asked_too(bin_dir, tmp_path, simulator):
    """Without a log, /server_info, /metrics and /v1/models report."""
    url = simulator("--max-model-len", "1024", "--gpu-memory-utilization", "0.5", "--seed", "3")
    config = base_config(num_prompts=4)
    config["launch"] = {"url": url}
    config["server"] = {"max_model_len": 2048, "gpu_memory_utilization": 0.8, "seed": 4}
    done = run_profllm(bin_dir, "run", "--config", write_config(tmp_path, config), "--output",
                       tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    found = {one["argument"]: one["source"]
             for one in check_of(load_result(tmp_path / "r.json"))["differences"]}
    assert found == {"max_model_len": "/server_info", "seed": "/server_info",
                     "gpu_memory_utilization": "/metrics"}


def test_the_table_and_a_filter_show_it(bin_dir, tmp_path):
    run(bin_dir, tmp_path, SET, "--sim-start-with=max_model_len=1024")
    done = run_profllm(bin_dir, "schema", "--fields", "--field", "quality.config_mismatch.value",
                       tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    assert re.search(r"quality\.config_mismatch\.value\W+1\b", done.stdout), done.stdout


@pytest.mark.parametrize("fault, says", [
    ("no_such=1", "--sim-start-with: invalid value: 'no_such=1'"),
    ("max_model_len", "--sim-start-with: invalid value: 'max_model_len'"),
    ("max_model_len=x", "--max-model-len: invalid value: 'x'"),
])
def test_the_simulator_refuses_invalid_arguments(bin_dir, tmp_path, fault, says):
    config = base_config()
    config["launch"]["extra_args"] += [f"--sim-start-with={fault}"]
    done = run_profllm(bin_dir, "run", "--config", write_config(tmp_path, config), "--output",
                       tmp_path / "r.json")
    assert done.returncode == 3
    assert says in (tmp_path / "r.server.log").read_text()
