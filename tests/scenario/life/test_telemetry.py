"""Telemetry of a run: its samples, its metrics, and the messages on unknown values."""
import json
import math
import os
import re
import signal
import subprocess
import zlib

import numpy as np
import pytest

from run_tools import (base_config, load_result, read_zst_lines, run_profllm, start_profllm,
                       write_config)
from sim_tools import Server
from wait_tools import wait_for

pytestmark = pytest.mark.long_file

GPU_KEYS = {"memory_used_bytes", "utilization", "memory_utilization", "power_w", "energy_j",
            "temperature_c", "sm_clock_mhz", "memory_clock_mhz", "pcie_rx_bytes_per_s",
            "pcie_tx_bytes_per_s", "nvlink_rx_bytes", "nvlink_tx_bytes", "ecc_uncorrected",
            "throttle"}


@pytest.fixture
def pretend(bin_dir, tmp_path):
    """Returns the environment of a host with simulated GPUs that no other test locks."""
    library = bin_dir.parent / "lib" / "libnvml-pretend.so"
    seed = zlib.crc32(str(tmp_path).encode())

    def make(gpus="2xH100", **settings):
        names = {f"PRETEND_{name.upper()}": str(value) for name, value in settings.items()}
        return {"PROFLLM_NVML_LIB": str(library), "PRETEND_GPUS": gpus,
                "PRETEND_SEED": str(seed), **names}
    return make


def config_with(telemetry=None, gpus=None, **benchmark):
    """About a second of load."""
    config = base_config(**{"num_prompts": 40, "request_rate": 40, "seed": 3, **benchmark})
    config["telemetry"] = {"interval": "20ms", "server_metrics": "50ms", **(telemetry or {})}
    config["launch"]["gpus"] = [] if gpus is None else gpus
    return config


def play(bin_dir, folder, config, env=None, patience=1, status=0):
    done = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o",
                       folder / "r.json", "-q", env=env, patience=patience)
    assert done.returncode == status, done.stderr
    return load_result(folder / "r.json")


def lines_by_source(folder):
    found = {}
    for line in read_zst_lines(folder / "r.series.jsonl.zst"):
        found.setdefault((line["source"], line["id"]), []).append(line)
    return found


def check_of(result, name):
    check, = [check for check in result["quality"]["checks"] if check["id"] == name]
    return check


# ---- energy ----

def integral(curve, begin_s, end_s):
    """Returns the energy of the pretend library, in J, by independent closed formulas."""
    name, *numbers = curve.split(":")
    low, high, period = (float(number) for number in (numbers + ["0", "1"])[:3])

    def to(t):
        if name == "const":
            return low * t
        if name == "sine":
            return ((low + high) / 2 * t
                    - (high - low) / 2 * period / (2 * math.pi)
                    * math.cos(2 * math.pi * t / period))
        whole, share = divmod(t / period, 1)
        return low * t + (high - low) * period * (whole / 2 + share * share / 2)
    return to(end_s) - to(begin_s)


def astray_where_stalled(curve, lines, begin_s, end_s):
    """Returns the error of linear interpolation, in J, over gaps between samples of more than 30 ms."""
    astray = 0
    for line, after in zip(lines, lines[1:]):
        (t0, p0), (t1, p1) = ((one["t_ns"] / 1e9, one["values"]["power_w"]) for one in (line, after))
        low, high = max(t0, begin_s), min(t1, end_s)
        if t1 - t0 > 0.030 and low < high:
            middle_w = p0 + (p1 - p0) * ((low + high) / 2 - t0) / (t1 - t0)
            astray += middle_w * (high - low) - integral(curve, low, high)
    return astray


@pytest.mark.parametrize("curve", ["const:345.5", *(pytest.param(curve, marks=pytest.mark.release_only) for curve in ("sine:120:680:1.7", "ramp:300:400:2.3"))])
def test_energy_is_the_integral_of_power(bin_dir, tmp_path, patience, pretend, curve):
    config = config_with({"interval": "10ms"}, [0, 1], num_prompts=120)
    result = play(bin_dir, tmp_path, config, pretend(power=curve), patience)
    begin_s, end_s = (result["series"][f"measured_{edge}_ns"] / 1e9 for edge in ("begin", "end"))
    truth = integral(curve, begin_s, end_s)
    assert end_s - begin_s > 2 and len(result["system"]["gpus"]) == 2
    lines = lines_by_source(tmp_path)
    sampled = []
    for gpu in result["system"]["gpus"]:
        sampled.append(truth + astray_where_stalled(curve, lines["gpu", gpu["uuid"]], begin_s, end_s))
        assert gpu["energy_j"] == pytest.approx(sampled[-1], rel=0.005)
        assert gpu["energy_counter_j"] == pytest.approx(truth, rel=0.005)
        assert gpu["power_mean_w"] == pytest.approx(sampled[-1] / (end_s - begin_s), rel=0.005)
        assert gpu["power_coverage_share"] == pytest.approx(1, abs=0.001)
        if curve.startswith("const"):
            assert gpu["power_idle_before_w"] == gpu["power_idle_after_w"] == gpu["power_max_w"] == 345.5
            assert gpu["energy_above_idle_j"] is None or gpu["energy_above_idle_j"] < 0.01
        else:
            # it never comes to rest
            assert gpu["power_idle_after_w"] is None and gpu["power_idle_w"] == gpu["power_idle_before_w"]
    tokens = result["results"]["total_output_tokens"]
    assert result["results"]["energy_per_token_j"] == pytest.approx(sum(sampled) / tokens, rel=0.005)


def energy_of_lines(lines, begin_ns, end_ns):
    """Returns the energy by trapezoids between samples, in J, cut at both ends of the run."""
    times = np.array([line["t_ns"] for line in lines])
    power = np.array([line["values"]["power_w"] for line in lines])
    within = times[(times > begin_ns) & (times < end_ns)]
    at = np.concatenate([[begin_ns], within, [end_ns]])
    watts = np.interp(at, times, power)
    return float(np.sum((watts[1:] + watts[:-1]) / 2 * np.diff(at)) / 1e9)


# The power of the GPUs follows the server: it rises before the server is ready, and falls before it ends.
LOADED = """#!/bin/sh
trap : TERM
folder=$1
shift
mv "$folder/loaded" "$folder/settings"
"$@" & server=$!
wait
kill $server
wait
mv "$folder/after" "$folder/settings"
"""


def test_energy_without_the_idle_power(bin_dir, tmp_path, patience, pretend):
    """The third GPU is idle, and draws a bit less than before: its share is noise, not unknown."""
    def set_power(name, *watts):
        (tmp_path / name).write_text("".join(f"{i}.power=const:{w}\n" for i, w in enumerate(watts)))

    set_power("settings", 70, 90, 80)
    set_power("loaded", 570, 480, 79.5)
    set_power("after", 75, 94, 80)
    (tmp_path / "loaded.sh").write_text(LOADED)
    config = config_with({}, [0, 1, 2], num_prompts=60)
    config["launch"]["command"] = ["sh", str(tmp_path / "loaded.sh"), str(tmp_path), str(bin_dir / "profllm-sim"), "serve"]
    result = play(bin_dir, tmp_path, config, pretend("3xH100", file=tmp_path / "settings"), patience)
    begin, end = (result["series"][f"measured_{edge}_ns"] for edge in ("begin", "end"))
    lines, total, above = lines_by_source(tmp_path), 0, 0
    for gpu, before, after in zip(result["system"]["gpus"], (70, 90, 80), (75, 94, 80)):
        assert (gpu["power_idle_before_w"], gpu["power_idle_after_w"]) == (before, after)
        assert gpu["power_idle_w"] == (before + after) / 2
        energy = energy_of_lines(lines["gpu", gpu["uuid"]], begin, end)
        without = energy - (before + after) / 2 * (end - begin) / 1e9
        assert gpu["energy_j"] == pytest.approx(energy, rel=1e-9)
        if before == 80:
            assert gpu["energy_above_idle_j"] is None and without < 0
        else:
            assert gpu["energy_above_idle_j"] == pytest.approx(without, rel=1e-9) and without > 0
        total, above = total + energy, above + without
    tokens = result["results"]["total_output_tokens"]
    assert result["results"]["energy_per_token_j"] == pytest.approx(total / tokens, rel=1e-9)
    assert result["results"]["energy_per_token_idle_subtracted_j"] == pytest.approx(above / tokens, rel=1e-9)


def test_no_idle_power_with_a_foreign_server(bin_dir, tmp_path, patience, pretend):
    """A foreign server runs before and after the run; its memory costs power."""
    with Server(bin_dir, "--sim-step", "2ms") as server:
        config = config_with({}, [0], num_prompts=5)
        config["server"], config["launch"] = {}, {"url": f"http://127.0.0.1:{server.port}", "gpus": [0]}
        result = play(bin_dir, tmp_path, config, pretend(power="const:90"), patience)
    gpu, = result["system"]["gpus"]
    assert gpu["energy_j"] > 0 and result["results"]["energy_per_token_j"] > 0
    for key in ("power_idle_before_w", "power_idle_after_w", "power_idle_w", "energy_above_idle_j"):
        assert gpu[key] is None, key
    assert result["results"]["energy_per_token_idle_subtracted_j"] is None


# ---- lines ----

def test_lines_are_whole_and_in_order(bin_dir, tmp_path, patience, pretend, source_dir):
    jsonschema = pytest.importorskip("jsonschema")
    result = play(bin_dir, tmp_path, config_with({}, [1]), pretend(power="const:200"), patience)
    schema = jsonschema.Draft202012Validator(
        json.loads((source_dir / "api/series.schema.json").read_text()))
    uuid = result["launch"]["gpus"][0]["uuid"]
    lines = lines_by_source(tmp_path)
    assert set(lines) == {("gpu", uuid), ("host", None), ("server", None), ("client", None),
                          ("server_metrics", None), ("load", None)}
    assert sum(len(part) for part in lines.values()) == result["series"]["samples"]
    begin, end = (result["series"][f"measured_{edge}_ns"] for edge in ("begin", "end"))
    for (source, _), part in lines.items():
        times = [line["t_ns"] for line in part]
        assert times == sorted(times)
        assert [fault.message for line in part[:3] for fault in schema.iter_errors(line)] == []
        assert times[0] < end and times[-1] > begin
        assert len({tuple(line["values"]) for line in part}) == 1, source
    # from before the server's start to after its end; one line a tick, and one of the last look
    ticks = result["system"]["telemetry"]["ticks"]
    for source in (("gpu", uuid), ("host", None), ("client", None)):
        assert len(lines[source]) == ticks + 1
        assert lines[source][0]["t_ns"] < lines["server", None][0]["t_ns"]
        assert lines[source][-1]["t_ns"] > lines["server", None][-1]["t_ns"]
    assert set(lines["gpu", uuid][0]["values"]) == GPU_KEYS
    pages = lines["server_metrics", None]
    assert pages[0]["t_ns"] < begin + 3e9 and pages[-1]["t_ns"] > begin
    cost = result["system"]["telemetry"]
    assert len(pages) == cost["metrics_requested"] - cost["metrics_gaps"]
    counts = [page["values"]["generation_tokens"] for page in pages]
    assert counts == sorted(counts) and counts[-1] > 0


def test_figures_are_those_of_the_lines(bin_dir, tmp_path, patience, pretend):
    """Compares the sums of the run with those computed from its file."""
    env = pretend(power="sine:100:600:0.9", set="utilization=37;memory_used=200MiB;sm_clock=1410")
    result = play(bin_dir, tmp_path, config_with({}, [0], num_prompts=80), env, patience)
    begin, end = (result["series"][f"measured_{edge}_ns"] for edge in ("begin", "end"))
    lines = lines_by_source(tmp_path)

    def mean(source, key):
        points = [(line["t_ns"], line["values"][key]) for line in lines[source]]
        total = covered = 0.0
        for (t0, v0), (t1, v1) in zip(points, points[1:]):
            a, b = max(t0, begin), min(t1, end)
            if a < b:
                at = [v0 + (v1 - v0) * (t - t0) / (t1 - t0) for t in (a, b)]
                total += sum(at) / 2 * (b - a)
                covered += b - a
        return total / covered

    gpu, = result["system"]["gpus"]
    source = ("gpu", gpu["uuid"])
    assert gpu["power_mean_w"] == pytest.approx(mean(source, "power_w"), rel=1e-9)
    assert gpu["utilization_mean"] == pytest.approx(37)
    assert result["system"]["avg_gpu_utilization"] == pytest.approx(37)
    assert gpu["memory_peak_bytes"] == 200 * 2**20
    assert result["system"]["peak_gpu_memory_gb"] == pytest.approx(200 * 2**20 / 1e9)
    assert gpu["sm_clock_min_mhz"] == pytest.approx(1410)
    hardware = result["system"]["hardware_info"]
    assert hardware["gpu_count"] == 1 and hardware["simulated"] is True
    assert "H100" in hardware["gpu_name"]
    host, server = result["system"]["host"], result["system"]["server"]
    assert host["memory_mean_bytes"] == pytest.approx(
        mean(("host", None), "memory_used_bytes"), rel=1e-6)
    assert server["memory_mean_bytes"] == pytest.approx(
        mean(("server", None), "memory_bytes"), rel=1e-6)
    assert 0 < host["cpu_share_mean"] <= host["cpu_share_max"] <= 1
    assert server["memory_peak_bytes"] == max(
        line["values"]["memory_bytes"] for line in lines["server", None])


def test_server_is_all_of_its_processes(bin_dir, tmp_path, patience):
    config = config_with(num_prompts=120)
    config["launch"]["extra_args"] += ["--sim-processes", "3"]
    result = play(bin_dir, tmp_path, config, patience=patience)
    lines = lines_by_source(tmp_path)["server", None]
    assert result["system"]["server"]["processes_max"] == 4
    assert max(line["values"]["processes"] for line in lines) == 4
    cpu_s = [line["values"]["cpu_s"] for line in lines]
    assert cpu_s == sorted(cpu_s)
    for line in lines:
        assert line["values"]["cpu_share"] is None or line["values"]["cpu_share"] >= 0


# ---- what is not known ----

def test_power_that_vanishes_is_null(bin_dir, tmp_path, patience, pretend):
    result = play(bin_dir, tmp_path, config_with({}, [0]), pretend(vanish="power,throttle"),
                  patience)
    gpu, = result["system"]["gpus"]
    for key in ("power_mean_w", "power_max_w", "power_idle_before_w", "power_idle_after_w", "power_idle_w",
                "energy_j", "energy_above_idle_j",
                "throttled_share", "throttle_reasons"):
        assert gpu[key] is None, key
    assert gpu["power_coverage_share"] == 0
    assert gpu["energy_counter_j"] > 0
    assert result["results"]["energy_per_token_j"] is None
    assert result["results"]["energy_per_token_idle_subtracted_j"] is None
    assert check_of(result, "throttling")["status"] == "unknown"
    lines = lines_by_source(tmp_path)["gpu", gpu["uuid"]]
    assert {line["values"]["power_w"] for line in lines} == {None}


def test_counter_that_wraps_is_a_gap(bin_dir, tmp_path, patience, pretend):
    env = pretend(power="const:500", set="energy_wrap=60")
    result = play(bin_dir, tmp_path, config_with({}, [0]), env, patience)
    gpu, = result["system"]["gpus"]
    assert gpu["energy_counter_j"] is None
    assert gpu["energy_j"] > 100


def test_switches(bin_dir, tmp_path, patience, pretend):
    config = config_with({"gpu": False, "host": False, "server_metrics": None}, [0])
    result = play(bin_dir, tmp_path, config, pretend(), patience)
    assert {source for source, _ in lines_by_source(tmp_path)} == {"server", "client", "load"}
    assert result["system"]["gpus"] == [] and result["system"]["peak_gpu_memory_gb"] is None
    assert result["system"]["host"]["cpu_share_mean"] is None
    assert result["system"]["telemetry"]["metrics_requested"] == 0
    assert result["series"]["server_interval_ms"] is None
    assert check_of(result, "inflight_agreement")["status"] == "unknown"


def test_no_file_but_figures(bin_dir, tmp_path, patience, pretend):
    config = config_with({}, [0])
    config["output"] = {"series": False}
    result = play(bin_dir, tmp_path, config, pretend(power="const:100"), patience)
    assert result["series"] is None
    assert not (tmp_path / "r.series.jsonl.zst").exists()
    assert result["system"]["gpus"][0]["energy_j"] > 0
    assert result["system"]["server"]["cpu_share_mean"] is not None


def test_failed_launch_has_its_lines(bin_dir, tmp_path, patience, pretend):
    config = config_with({}, [0])
    config["launch"]["command"] = ["/bin/false"]
    config["launch"]["extra_args"] = []
    result = play(bin_dir, tmp_path, config, pretend(set="memory_used=300MiB"), patience, status=3)
    assert result["status"] == "launch_failed"
    gpu, = result["system"]["gpus"]
    assert gpu["memory_peak_bytes"] == 300 * 2**20
    assert gpu["energy_j"] is None and gpu["utilization_mean"] is None
    assert result["series"]["measured_begin_ns"] is None
    assert {"gpu", "host", "client"} <= {source for source, _ in lines_by_source(tmp_path)}


# ---- quality ----

def test_heat_is_reported(bin_dir, tmp_path, patience, pretend):
    env = pretend(set="throttle=hw_thermal,sw_power_cap")
    result = play(bin_dir, tmp_path, config_with({}, [0]), env, patience)
    gpu, = result["system"]["gpus"]
    assert set(gpu["throttle_reasons"]) == {"thermal", "power"}
    assert gpu["throttled_share"] == gpu["throttled_thermal_share"] == 1
    assert gpu["throttled_power_share"] == 1 and gpu["throttled_brake_share"] == 0
    check = check_of(result, "throttling")
    assert check["status"] == "over_limit" and check["value"] == 1
    assert result["quality"]["verdict"] != "trusted"


def test_power_cap_is_not_throttling(bin_dir, tmp_path, patience, pretend):
    env = pretend(set="throttle=sw_power_cap")
    result = play(bin_dir, tmp_path, config_with({}, [0]), env, patience)
    assert check_of(result, "throttling")["status"] == "passed"
    assert result["system"]["gpus"][0]["throttled_power_share"] == 1


def test_a_foreign_process_on_the_gpu(bin_dir, tmp_path, patience, pretend):
    """Another process takes the GPU during the load: before, the run would not have got the GPU."""
    settings = tmp_path / "settings"
    settings.write_text("")
    log = tmp_path / "sim.log"
    config = config_with({}, [0], num_prompts=120)
    config["launch"]["extra_args"] += ["--sim-log", str(log)]
    run = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                        tmp_path / "r.json", "-q", env=pretend(file=settings))
    other = subprocess.Popen(["sleep", "600"])
    try:
        wait_for(lambda: log.exists() and log.stat().st_size > 5000, "the load has begun",
                 30, run)
        (tmp_path / "next").write_text(f"processes={other.pid}:2GiB:python3\n")
        os.replace(tmp_path / "next", settings)
        run.communicate(timeout=60 * patience)
    finally:
        other.kill()
        other.wait()
    result = load_result(tmp_path / "r.json")
    assert check_of(result, "foreign_load")["status"] == "over_limit"


# ---- a server that already runs, ends ----

def test_server_that_restarted_in_the_run(bin_dir, tmp_path, patience):
    """Its final count exceeds the first one: only the pages in between show the restart."""
    config = config_with(num_prompts=80)
    config["launch"]["extra_args"] = ["--sim-metrics-fault", "reset_counters"]
    result = play(bin_dir, tmp_path, config, patience=patience)
    checks = {check["id"]: check for check in result["quality"]["checks"]}
    assert checks["server_restart"]["status"] == "over_limit"


def test_server_that_already_runs_is_not_looked_into(bin_dir, tmp_path, patience, pretend):
    with subprocess.Popen([bin_dir / "profllm-sim", "serve", "sim/x", "--port", "0",
                           "--sim-step", "2ms"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as server:
        try:
            port = None
            for line in server.stdout:
                match = re.search(r"http://[^:\s]+:(\d+)", line)
                if match:
                    port = match.group(1)
                    break
            assert port, "the simulator did not say where it listens"
            config = config_with()
            config["server"] = {}
            config["launch"] = {"url": f"http://127.0.0.1:{port}"}
            result = play(bin_dir, tmp_path, config, pretend(power="const:90"), patience)
        finally:
            server.kill()
    assert result["system"]["server"]["cpu_s"] is None
    sources = {source for source, _ in lines_by_source(tmp_path)}
    assert sources == {"gpu", "host", "client", "server_metrics", "load"}
    assert len(result["system"]["gpus"]) == 2


@pytest.mark.threads
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_stopped_while_all_is_looked_at(bin_dir, tmp_path, patience, pretend, name):
    """Telemetry, load and the stop at once."""
    log = tmp_path / "sim.log"
    config = config_with({"interval": "1ms", "server_metrics": "10ms"}, [0], num_prompts=4000)
    config["launch"]["extra_args"] += ["--sim-log", str(log)]
    run = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                        tmp_path / "r.json", "-q", env=pretend(power="sine:100:500:1"))
    wait_for(lambda: log.exists() and log.stat().st_size > 20000, "the load goes on", process=run)
    run.send_signal(getattr(signal, name))
    _, errors = run.communicate(timeout=60 * patience)
    assert run.returncode == 128 + getattr(signal, name), errors
    assert "ThreadSanitizer" not in errors
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "interrupted"
    assert result["system"]["gpus"][0]["energy_j"] is None or \
        result["system"]["gpus"][0]["energy_j"] > 0
    assert len(read_zst_lines(tmp_path / "r.series.jsonl.zst")) == result["series"]["samples"]


@pytest.mark.threads
def test_whole_run_under_the_sanitizer(bin_dir, tmp_path, patience, pretend):
    config = config_with({"interval": "1ms", "server_metrics": "10ms"}, [0, 1], threads=2)
    result = play(bin_dir, tmp_path, config, pretend(power="const:100"), patience)
    assert result["status"] == "completed"
    assert result["system"]["telemetry"]["ticks"] > 10
