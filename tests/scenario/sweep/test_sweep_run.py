"""Sweeps with the simulator: one server for all loads of its configuration, no loss by a kill, and no run measured twice."""
import json
import os
import random
import signal
import socket
import time
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from dashboard_tools import Dashboard
from run_tools import PATIENCE, load_result, processes_with, run_profllm, start_profllm, write_config
from sweep_tools import journal, nothing_left, runs, starts, summary, sweep_args, sweep_config
from wait_tools import wait_for

pytestmark = pytest.mark.long_file

SEED = 20262
LONG = "PROFLLM_TEST_LONG" in os.environ
SEQS = [2 + i for i in range(25 if LONG else 4)]
LOADS = [1 + i for i in range(8 if LONG else 4)]
KILLS = 5 if LONG else 2
# 100 kills in all, each sweep with moments of its own; every other one has two servers up at once
SWEEPS = [(SEED + i, 1 + i % 2) for i in range(20)] if LONG else [(SEED, 2)]


def test_one_server_for_all_loads_of_it(bin_dir, source_dir, tmp_path):
    log = tmp_path / "sim.jsonl"
    config = sweep_config({"server.max_num_seqs": [2, 3], "benchmark.max_concurrency": [1, 2]})
    config["launch"]["extra_args"] += ["--sim-log", str(log)]
    done = run_profllm(bin_dir, *sweep_args(write_config(tmp_path, config), tmp_path / "s"))
    assert done.returncode == 0 and "warning:" not in done.stderr, done.stderr
    rows = summary(tmp_path / "s")
    assert [row["label"] for row in rows] == [f"max_num_seqs={a} max_concurrency={b}" for a in (2, 3) for b in (1, 2)]
    assert [row["status"] for row in rows] == ["completed"] * 4
    assert len(starts(tmp_path / "s")) == 2
    schema = json.loads((source_dir / "api/result.schema.json").read_text())
    results = [load_result(tmp_path / "s" / row["result"]) for row in rows]
    for row, result in zip(rows, results):
        jsonschema.Draft202012Validator(schema).validate(result)
        assert result["tags"]["sweep_point"] == row["label"] and result["tags"]["sweep"].startswith("swp_")
        assert result["config"]["server"]["max_num_seqs"] == row["parameters"]["server.max_num_seqs"]
        assert result["results"]["completed"] == 4 and result["results"]["request_throughput"] == row["request_throughput"]
        assert "caches_stay" not in row
    pids = [result["launch"]["pid"] for result in results]
    assert pids[0] == pids[1] != pids[2] == pids[3] and len({result["run_id"] for result in results}) == 4
    # the last run on a server reports how it ended, the others that it continued
    assert [result["launch"]["exit"]["stop_s"] is None for result in results] == [True, False, True, False]
    assert nothing_left(tmp_path / "s")
    again = run_profllm(bin_dir, *sweep_args(tmp_path / "experiment.yaml", tmp_path / "s"))
    assert again.returncode == 2 and "use --resume" in again.stderr


def load_log(path):
    """Returns from the simulator's log: tokens found in the prefix cache by the requests of each run, and the caches
    emptied between two runs."""
    hits, emptied = [], []
    for line in map(json.loads, path.read_text().splitlines()):
        if line["event"] == "reset":
            if len(emptied) < len(hits):
                emptied.append([])
            emptied[-1].append(line["cache"])
        elif line["event"] == "end" and line["request_id"]:
            if len(hits) == len(emptied):
                hits.append(0)
            hits[-1] += line["cached_tokens"]
    return hits, emptied


def test_caches_are_emptied_between_runs(bin_dir, tmp_path):
    """Between loads and repeats of one server: all runs send the same prompts, and none finds them in the cache."""
    config = sweep_config({"benchmark.max_concurrency": [1, 2]}, random_input_len=64)
    logs = tmp_path / "emptied", tmp_path / "kept"
    config["launch"]["extra_args"] += ["--sim-log", str(logs[0])]
    done = run_profllm(bin_dir, *sweep_args(write_config(tmp_path, config), tmp_path / "s", "--repeats", "2"))
    assert done.returncode == 0, done.stderr
    assert len(starts(tmp_path / "s")) == 1
    hits, emptied = load_log(logs[0])
    assert hits == [0] * 4 and emptied == [["prefix", "mm", "encoder"]] * 3
    # a server that may not be told to: its second run finds every whole block of the first
    config["launch"]["extra_args"][-1] = str(logs[1])
    config["launch"]["env"] = {"VLLM_SERVER_DEV_MODE": "0"}
    done = run_profllm(bin_dir, *sweep_args(write_config(tmp_path, config), tmp_path / "t"))
    assert done.returncode == 0 and done.stderr.count("did not empty its caches") == 1, done.stderr
    hits, emptied = load_log(logs[1])
    assert emptied == [] and hits == [4 * 48]
    assert [row.get("caches_stay") for row in summary(tmp_path / "t")] == [None, True]


def kill_all(process):
    """Kills all processes of the sweep at once."""
    children = [process.pid]
    for pid in children:
        try:
            children += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        except OSError:
            pass
    for pid in children:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.communicate()


def wait_to_kill(rng, folder, process, until):
    """Waits for the moment of a kill: after `until` finished runs, or then within another run, or at another server start;
    plus a random time."""
    left = until - len(runs(folder))
    wait_for(lambda: len(runs(folder)) >= until, f"{until} runs", 30 + 2 * left, process=process)
    what = rng.choice(["row", "run", "server"])
    before = len(starts(folder))
    if what == "run":  # in the middle of one: its own journal exists
        wait_for(lambda: any((folder / "cells").glob("*.journal")), "a run", process=process)
    elif what == "server" and len(set(starts(folder))) < len(SEQS):
        wait_for(lambda: len(starts(folder)) > before, "a server's start", process=process)
    time.sleep(rng.uniform(0, 0.1 if LONG else 0.02))


@pytest.mark.parametrize("seed,jobs", SWEEPS)
def test_killed_and_resumed(bin_dir, tmp_path, seed, jobs):
    """Kills at moments that the journal shows, plus a random time; finished runs do not change."""
    rng = random.Random(seed)
    mark = f"KILLED_SWEEP={tmp_path}"
    config, folder = write_config(tmp_path, sweep_config({"server.max_num_seqs": SEQS, "benchmark.max_concurrency": LOADS})), tmp_path / "s"
    how = ["--resume", "--jobs", str(jobs), "--job-cpus", "0"]
    total = len(SEQS) * len(LOADS)
    for kill in range(KILLS):
        known = {row["run"]: row["run_id"] for row in runs(folder)}
        until = len(known) + rng.randint(1, max(1, (total - len(known)) // (KILLS - kill + 1)))
        process = start_profllm(bin_dir, *sweep_args(config, folder, *how), env=dict([mark.split("=")]))
        wait_to_kill(rng, folder, process, until)
        kill_all(process)
        now = {row["run"]: row["run_id"] for row in runs(folder)}
        assert known.items() <= now.items() and len(now) < total
    done = run_profllm(bin_dir, *sweep_args(config, folder, *how), patience=5 * PATIENCE, env=dict([mark.split("=")]))
    assert done.returncode == 0, done.stderr
    rows = summary(folder)
    assert {(row["parameters"]["server.max_num_seqs"], row["parameters"]["benchmark.max_concurrency"]) for row in rows} == {
        (a, b) for a in SEQS for b in LOADS}
    assert len(rows) == total and all(row["status"] == "completed" and not row["removed"] for row in rows)
    # none was measured twice: the journal has one row per run, and the result is that row's
    assert set(Counter(row["run"] for row in runs(folder)).values()) == {1}
    assert now.items() <= {row["run"]: row["run_id"] for row in rows}.items()
    assert all(load_result(folder / row["result"])["run_id"] == row["run_id"] for row in rows)
    assert len(starts(folder)) <= len(SEQS) + KILLS * jobs
    # also of the runs that were killed, whose ids no row has
    assert not list((folder / "cells").glob("*.journal")) and nothing_left(folder) and processes_with(mark) == []


def test_gaps_of_the_journal(bin_dir, tmp_path):
    """A truncated last line; a result without a line because of a kill; and a changed file."""
    folder = tmp_path / "s"
    config = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [1, 2]}))
    assert run_profllm(bin_dir, *sweep_args(config, folder)).returncode == 0
    first = {row["run"]: row["run_id"] for row in runs(folder)}
    lines = (folder / "sweep.jsonl").read_text().splitlines(keepends=True)
    (folder / "sweep.jsonl").write_text("".join(lines[:-1]) + lines[-1][:40])
    config = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [2, 3]}))
    done = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--json", "--resume", "-o", folder, config)
    assert json.loads(done.stdout)["forecast"]["known"] == 1
    done = run_profllm(bin_dir, *sweep_args(config, folder, "--resume", "--json"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"runs": 2, "finished": 2, "failed": 0, "partial": 0, "not_uploaded": 0, "folder": str(folder)}
    rows = summary(folder)
    assert [(row["parameters"]["benchmark.max_concurrency"], row["removed"]) for row in rows] == [(2, False), (3, False), (1, True)]
    assert first.items() <= {row["run"]: row["run_id"] for row in rows}.items()
    assert len(starts(folder)) == 2


def test_failures_are_rows(bin_dir, tmp_path):
    """A server that does not start is started once; --retry starts it again, and then it starts."""
    folder, program = tmp_path / "s", tmp_path / "serve"
    program.write_text(f"#!/bin/sh\n[ -e {tmp_path}/mended ] || exit 3\nexec {bin_dir}/profllm-sim \"$@\"\n")
    program.chmod(0o755)
    config = sweep_config({"launch.command": [[str(program), "serve"], ["profllm-sim", "serve"]],
                           "benchmark.max_concurrency": [1, 2]})
    path = write_config(tmp_path, config)
    done = run_profllm(bin_dir, *sweep_args(path, folder))
    assert done.returncode == 1, done.stderr
    assert [row["status"] for row in summary(folder)] == ["launch_failed"] * 2 + ["completed"] * 2
    assert len(starts(folder)) == 2
    same = run_profllm(bin_dir, *sweep_args(path, folder, "--resume"))
    assert same.returncode == 1 and len(starts(folder)) == 2
    (tmp_path / "mended").touch()
    done = run_profllm(bin_dir, *sweep_args(path, folder, "--resume", "--retry", "launch_failed"))
    assert done.returncode == 0, done.stderr
    assert [row["status"] for row in summary(folder)] == ["completed"] * 4 and len(starts(folder)) == 3
    wrong = run_profllm(bin_dir, *sweep_args(path, folder, "--resume", "--retry", "launch-failed"))
    assert wrong.returncode == 2 and "expected failed, launch_failed" in wrong.stderr


@pytest.mark.release_only
def test_blocks_are_shuffled(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config({"server.max_num_seqs": [2, 3], "benchmark.max_concurrency": [1, 2]}))
    args = ["--order", "interleaved", "--repeats", "2", "--seed", "4"]
    assert run_profllm(bin_dir, *sweep_args(config, tmp_path / "s", *args)).returncode == 0
    order = [(row["repeat"], row["server"], row["combination"]) for row in runs(tmp_path / "s")]
    assert [repeat for repeat, _, _ in order] == [1] * 4 + [2] * 4
    blocks = [order[:4], order[4:]]
    assert {cell for _, _, cell in blocks[0]} == {cell for _, _, cell in blocks[1]} and len(set(order)) == 8
    assert [cell for _, _, cell in blocks[0]] != [cell for _, _, cell in blocks[1]]
    servers = [[server for _, server, _ in block] for block in blocks]
    assert all(sum(a != b for a, b in zip(block, block[1:])) == 1 for block in servers)
    # a server continues if the next block begins with it
    assert len(starts(tmp_path / "s")) == 4 - (servers[0][-1] == servers[1][0])
    assert {row["run"] for row in summary(tmp_path / "s")} == {
        cell if repeat == 1 else f"{cell}.{repeat}" for repeat, _, cell in order}


def test_interrupted(bin_dir, tmp_path):
    """^C ends the current run in an orderly way; it is unfinished, and is run again."""
    folder = tmp_path / "s"
    config = write_config(tmp_path, sweep_config({"benchmark.num_prompts": [4, 100000]}, max_concurrency=1))
    process = start_profllm(bin_dir, *sweep_args(config, folder))
    wait_for(lambda: runs(folder) and any((folder / "cells").glob("*.journal")), "the second run", process=process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60 * PATIENCE)
    assert process.returncode == 130, err
    assert "1 of 2 runs finished" in out
    assert [row["status"] for row in summary(folder)][0] == "completed"
    assert summary(folder)[1]["status"] in ("interrupted", "missing")
    assert nothing_left(folder)
    done = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--resume", "-o", folder, config)
    assert "remaining: 1 run, 1 server start, about" in done.stdout


@pytest.mark.release_only
def test_a_dashboard_that_never_responds_costs_little(bin_dir, tmp_path):
    """It accepts connections only: the first timeout is reported, and later results are tried for a short time."""
    config = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [1, 2, 3]}))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        begin = time.monotonic()
        done = run_profllm(bin_dir, *sweep_args(config, tmp_path / "s", "--upload", url, "--no-live"))
        assert time.monotonic() - begin < 60 * PATIENCE
    assert done.returncode == 8 and "3 were not uploaded; use --resume" in done.stdout
    assert done.stderr.count("was not uploaded") == 1, done.stderr


@pytest.mark.release_only
def test_results_are_sent(bin_dir, tmp_path):
    """Sends also the results that a stopped dashboard did not accept: at the end, or when the sweep resumes."""
    folder = tmp_path / "s"
    config = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [1, 2]}))
    down = run_profllm(bin_dir, *sweep_args(config, folder, "--upload", "http://127.0.0.1:1"))
    assert down.returncode == 8 and "2 were not uploaded; use --resume" in down.stdout
    single = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [1]}), "single.json")
    down = run_profllm(bin_dir, *sweep_args(single, tmp_path / "single", "--upload", "http://127.0.0.1:1"))
    assert down.returncode == 8 and "1 were not uploaded; use --resume" in down.stdout
    config = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [1, 2, 3]}))
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        done = run_profllm(bin_dir, *sweep_args(config, folder, "--resume", "--json", "--upload", dashboard.url))
        assert done.returncode == 0 and json.loads(done.stdout)["not_uploaded"] == 0, done.stderr
        assert len(dashboard.ids()) == 3
        sent = [line["sent"] for line in journal(folder) if "sent" in line]
        assert sorted(sent) == sorted(row["run"] for row in summary(folder))
        # each once: stored results are not sent again
        again = run_profllm(bin_dir, *sweep_args(config, folder, "--resume", "--upload", dashboard.url))
        assert again.returncode == 0 and [line["sent"] for line in journal(folder) if "sent" in line] == sent
