"""Sweeps with the simulator, and the contents of their directories."""
import csv
import json
from pathlib import Path

from run_tools import base_config, processes_with


def sweep_config(sweep=None, **benchmark):
    config = base_config(**{"num_prompts": 4, **benchmark})
    config["launch"]["gpus"] = []
    config["output"] = {"requests": False, "series": False}
    config["telemetry"] = {"server_metrics": None}
    return {**config, "sweep": sweep or {"server.max_num_seqs": [2, 3], "benchmark.max_concurrency": [1, 2]}}


def sweep_args(config, folder, *args):
    return "sweep", "run", config, "-o", folder, *args


def journal(folder):
    text = (Path(folder) / "sweep.jsonl").read_text() if (Path(folder) / "sweep.jsonl").exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def runs(folder):
    return [line for line in journal(folder) if "run" in line]


def starts(folder):
    return [line["start"] for line in journal(folder) if "start" in line]


def summary(folder):
    rows = json.loads((Path(folder) / "summary.json").read_text())["runs"]
    with open(Path(folder) / "summary.csv", newline="") as file:
        assert [row["run"] for row in csv.DictReader(file)] == [row["run"] for row in rows]
    return rows


def nothing_left(folder):
    """Returns whether no process of any run of the sweep exists: each carries the id of the first run of its server."""
    ids = {row["run_id"] for row in runs(folder) if row.get("run_id")}
    return not any(processes_with(f"PROFLLM_RUN={run_id}") for run_id in ids)
