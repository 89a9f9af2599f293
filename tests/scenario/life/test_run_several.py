"""Several runs in one process, as in a sweep: no run affects another."""
import json
import signal
import subprocess

import pytest

from run_tools import (TIMEOUT_S, base_config, children_of, environment, load_result, marked_processes, write_config)


@pytest.fixture(scope="module")
def driver(bin_dir):
    path = bin_dir.parent / "tests" / "runs_driver"
    assert path.exists(), f"the build makes {path}"
    return path


def config_of(bin_dir, sim=(), **benchmark):
    config = base_config(**benchmark)
    # the driver lies elsewhere than the programs
    config["launch"]["command"] = [str(bin_dir / "profllm-sim"), "serve"]
    config["launch"]["extra_args"] += list(sim)
    config["launch"]["gpus"] = []
    return config


def write_runs(folder, configs):
    """Returns CONFIG OUTPUT of each, as the driver accepts them."""
    words = []
    for i, config in enumerate(configs):
        words += [write_config(folder, config, f"{i}.yaml"), folder / f"{i}.json"]
    return words


def play(driver, folder, configs, *flags, patience):
    done = subprocess.run([driver, *flags, *write_runs(folder, configs)], env=environment(), text=True,
                          capture_output=True, timeout=TIMEOUT_S * patience, stdin=subprocess.DEVNULL, check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["error"] for run in told] == [None] * len(configs), done.stderr
    results = [load_result(folder / f"{i}.json") for i in range(len(configs))]
    assert [run["status"] for run in told] == [result["status"] for result in results]
    for i, result in enumerate(results):
        assert marked_processes(result["run_id"]) == []
        assert not (folder / f"{i}.json.journal").exists()
    assert len({result["run_id"] for result in results}) == len(configs)
    return results


def window_of(result):
    return result["series"]["measured_begin_ns"], result["series"]["measured_end_ns"]


def test_one_after_the_other(driver, bin_dir, tmp_path, patience):
    first, second = play(driver, tmp_path, [config_of(bin_dir, num_prompts=20), config_of(bin_dir, num_prompts=30)],
                         "--one-by-one", patience=patience)
    assert [run["results"]["completed"] for run in (first, second)] == [20, 30]
    assert window_of(first)[1] <= window_of(second)[0]


def test_at_once(driver, bin_dir, tmp_path, patience):
    """Both measure at the same time, each with its own server, port, counters and log."""
    rate = {"request_rate": 20, "burstiness": 1e6}
    first, second = play(driver, tmp_path, [config_of(bin_dir, num_prompts=40, **rate),
                                            config_of(bin_dir, num_prompts=60, **rate)], patience=patience)
    assert [run["status"] for run in (first, second)] == ["completed", "completed"]
    assert [run["results"]["completed"] for run in (first, second)] == [40, 60]
    assert first["launch"]["port"] != second["launch"]["port"]
    begins, ends = zip(window_of(first), window_of(second))
    assert max(begins) < min(ends), "they are meant to overlap"


def test_a_server_that_dies_ends_its_own_run_only(driver, bin_dir, tmp_path, patience):
    dying, living = play(driver, tmp_path, [
        config_of(bin_dir, ["--sim-crash-after", "10", "--sim-crash-signal", "KILL"], num_prompts=60, request_rate=20),
        config_of(bin_dir, num_prompts=60, request_rate=20)], patience=patience)
    assert (dying["status"], dying["error"]["cause"]) == ("failed", "killed")
    assert living["status"] == "completed" and living["results"]["completed"] == 60


def test_a_signal_ends_them_all(driver, bin_dir, tmp_path, patience):
    configs = [config_of(bin_dir, num_prompts=2000, request_rate=10, disable_tqdm=True) for _ in range(2)]
    process = subprocess.Popen([driver, *write_runs(tmp_path, configs)], env=environment(), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        sending = 0
        while sending < 2:
            line = process.stderr.readline()
            assert line, "it ended before both sent their load"
            sending += "sending 2000 requests" in line
        assert len(children_of(process.pid)) == 2
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=TIMEOUT_S * patience)
    finally:
        process.kill()
        process.wait()
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["interrupted"] * 2
    for i in range(2):
        result = load_result(tmp_path / f"{i}.json")
        assert result["error"]["cause"] == "signal" and result["error"]["stage"] == "measure"
        assert marked_processes(result["run_id"]) == []
