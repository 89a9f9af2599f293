"""`profllm sweep serve`: vLLM's sweep of servers and loads, its names, files and commands, and its fixed faults."""
import csv
import io
import json
import os
import random
import re
import shlex
import signal

import pytest
from run_tools import run_profllm, start_profllm
from vllm_sweep_tools import Sweep, folder_of, markers, processes_on
from wait_tools import wait_for

SERVE = [{"max_num_seqs": 2}, {"max_num_seqs": 4}]
BENCH = [{"max_concurrency": 1, "num_prompts": 2}, {"max_concurrency": 2, "num_prompts": 2}]


@pytest.fixture
def sweep(bin_dir, tmp_path):
    return Sweep(bin_dir, tmp_path)


def random_value(rng, depth=0):
    kinds = [lambda: rng.randint(-10**6, 10**12), lambda: rng.choice([True, False, None]), lambda: rng.uniform(-1, 1) * 10 ** rng.randint(-20, 20),
             lambda: "".join(rng.choices("ab 'é\"\\\t./\u200b☃\U0001f600\x7f{", k=rng.randint(0, 5)))]
    if depth < 2:
        kinds += [lambda: [random_value(rng, depth + 1) for _ in range(rng.randint(0, 3))],
                  lambda: {rng.choice("abc'é"): random_value(rng, depth + 1) for _ in range(rng.randint(0, 2))}]
    return rng.choice(kinds)()


def words_of(command):
    """Returns the words of a command, in which control characters are written as $'\\xHH', which shlex does not know."""
    return shlex.split(re.sub(r"'\$'((?:\\x[0-9a-f]{2})+)''", lambda match: bytes.fromhex(match[1].replace("\\x", "")).decode(), command))


def test_names_are_pythons(sweep):
    """Random values, written by str() and shlex; the values of flags are those of vLLM (lists are JSON)."""
    rng = random.Random(7)
    params = [{f"k{i}.n": rng.randint(0, 10**6), f"key_{i}": random_value(rng)} for i in range(400)]
    done = sweep.run("serve", "--dry-run", "--num-runs", 1, bench=params)
    files = [line.removeprefix("Output file: ") for line in done.stdout.split("\n") if line.startswith("Output file: ")]
    assert files == [f"results/e/{folder_of({}, one)}/run=0.json" for one in params]
    commands = [line.removeprefix("Command: ") for line in done.stdout.split("\n") if line.startswith("Command: ")][1:]
    for i, (one, command) in enumerate(zip(params, commands, strict=True)):
        value = one[f"key_{i}"]
        if value is True or value is False:
            words = [f"--key-{i}" if value else f"--no-key-{i}"]
        else:
            words = [f"--key-{i}", json.dumps(value) if isinstance(value, (dict, list)) else str(value)]
        assert words_of(command)[1:] == [f"--k{i}.n", str(one[f"k{i}.n"]), *words, "--percentile-metrics", "ttft,tpot,itl,e2el",
                                         "--save-result", "--result-dir", f"results/e/{folder_of({}, one)}",
                                         "--result-filename", "run=0.json"]
    assert not sweep.root.exists()


def test_tree_and_files(sweep):
    """One server for both of its loads; each file equals the output of json.dump() and pandas, key by key."""
    sweep.serve_cmd += f" --sim-log {sweep.log}"
    done = sweep.run("serve", "--num-runs", 2, "--warmup-num-prompts", 1, serve=SERVE, bench=BENCH)
    folders = [folder_of(one, other) for one in SERVE for other in BENCH]
    assert folders[0] == "SERVE--max_num_seqs=2-BENCH--max_concurrency=1-num_prompts=2"
    assert sweep.tree() == sorted([f"{folder}/{name}" for folder in folders for name in ("run=0.json", "run=1.json", "summary.json",
                                                                                       "warmup.json")] + ["summary.csv"])
    rows = []
    for folder, serve, bench in zip(folders, [one for one in SERVE for _ in BENCH], BENCH * 2):
        text = (sweep.root / folder / "summary.json").read_text()
        runs = json.loads(text)
        assert text == json.dumps(runs, indent=4)
        for number, run in enumerate(runs):
            text = (sweep.root / folder / f"run={number}.json").read_text()
            assert json.loads(text) == run and text == json.dumps(run, indent=4)
            assert list(run) == ["date", "label", "num_prompts", "request_rate", "max_concurrency", "request_throughput", "mean_e2el_ms",
                                 "p99_e2el_ms", "mean_ttft_ms", "run_number", *serve]
            assert run["run_number"] == number and {**serve, **bench}.items() <= run.items()
        warm = json.loads((sweep.root / folder / "warmup.json").read_text())
        assert warm["run_number"] == -1 and warm["num_prompts"] == 1
        rows += runs
    table = list(csv.reader(io.StringIO((sweep.root / "summary.csv").read_text())))
    assert table[0] == ["", *rows[0]] and [line[0] for line in table[1:]] == [str(i) for i in range(8)]
    assert [line[1:] for line in table[1:]] == [["" if value is None else str(value) for value in row.values()] for row in rows]
    # the warm-up first, then the runs; parameters in the command as well
    calls = sweep.calls()
    assert [call[call.index("--result-filename") + 1] for call in calls[:3]] == ["warmup.json", "run=0.json", "run=1.json"]
    assert calls[0][:4] == ["--max-concurrency", "1", "--num-prompts", "1"] and len(calls) == 12
    assert markers(done.stdout)[:5] == ["[BEGIN SERVER]", "[BEGIN BENCHMARK]", "[END BENCHMARK]", "[BEGIN BENCHMARK]", "[END BENCHMARK]"]
    assert markers(done.stdout).count("[BEGIN SERVER]") == markers(done.stdout).count("[END SERVER]") == 2
    assert "Experiment has been saved at: results/e" in done.stdout and "[8/8]" in done.stderr and processes_on(sweep.port) == []
    assert "max_num_seqs" in (sweep.root / "SERVE-max_num_seqs=2.log").read_text() or (sweep.root / "SERVE-max_num_seqs=2.log").exists()


def test_links_and_values_in_a_table(sweep):
    """Links pairs with equal keys; columns that some rows lack, and texts with commas."""
    serve = [{"max_num_seqs": 1}, {"max_num_seqs": 2}]
    bench = [{"max_concurrency": 1.0, "extra": "a,b"}, {"max_concurrency": 2, "big": 7, "flag": True}, {"max_concurrency": 3}, {}]
    sweep.run("serve", "--num-runs", 1, "--link-vars", "max_num_seqs=max_concurrency", "--after-bench-cmd", "mkdir -p after", serve=serve,
              bench=bench)
    assert (sweep.folder / "after").is_dir()
    table = list(csv.DictReader(io.StringIO((sweep.root / "summary.csv").read_text())))
    assert [(row["max_concurrency"], row["extra"], row["big"], row["flag"]) for row in table] == [
        ("1.0", "a,b", "", ""), ("2.0", "", "7.0", "True")]
    wrong = sweep.run("serve", "--link-vars", "a=b", "--dry-run", status=2)
    assert "nothing would run" in wrong.stderr


def test_resume_after_a_kill(sweep):
    """kill -9 in the middle: finished runs stay, the warm-up is repeated, no server remains, and unfinished runs are run."""
    (sweep.folder / "hold").write_text("max_num_seqs=4-BENCH--num_prompts=3/run=1")
    holding = sweep.folder / "holding"
    how = dict(serve=SERVE, bench=[{"num_prompts": 3}])
    process = start_in(sweep, "serve", "--num-runs", 2, "--warmup-num-prompts", 1, **how)
    wait_for(holding.exists, "the last run", process=process)
    first = {path: (sweep.root / path).read_bytes() for path in sweep.tree()}
    process.kill()
    process.communicate()
    (sweep.folder / "hold").unlink()
    # one that no parameters were set in was not over
    torn = sweep.root / folder_of(SERVE[1], how["bench"][0]) / "run=0.json"
    plain = json.loads(torn.read_text())
    del plain["run_number"]
    torn.write_text(json.dumps(plain))
    calls = len(sweep.calls())
    done = sweep.run("serve", "--num-runs", 2, "--warmup-num-prompts", 1, resume=True, **how)
    assert [call[call.index("--result-filename") + 1] for call in sweep.calls()[calls:]] == ["warmup.json", "run=0.json", "run=1.json"]
    assert markers(done.stdout).count("[BEGIN SERVER]") == 1 and markers(done.stdout).count("[SKIPPED BENCHMARK]") == 2
    kept = {path: text for path, text in first.items() if "max_num_seqs=2" in path}
    assert len(kept) == 4 and all((sweep.root / path).read_bytes() == text for path, text in kept.items())
    assert len((sweep.root / "summary.csv").read_text().splitlines()) == 5 and processes_on(sweep.port) == []
    again = sweep.run("serve", "--num-runs", 2, resume=True, **how)
    assert markers(again.stdout) == ["[SKIPPED BENCHMARK]"] * 4
    there = sweep.run("serve", status=2, **how)
    assert "use --resume" in there.stderr


def test_interrupted(sweep):
    """^C ends client and server, and the output says how to resume."""
    (sweep.folder / "hold").write_text("run=0")
    process = start_in(sweep, "serve", bench=[{"num_prompts": 3}])
    wait_for((sweep.folder / "holding").exists, "the first run", process=process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130 and "Use `--resume`" in told and processes_on(sweep.port) == []
    assert sweep.tree() == []


def start_in(sweep, kind, *more, **how):
    here = os.getcwd()
    os.chdir(sweep.folder)
    try:
        return start_profllm(sweep.bin_dir, *sweep.args(kind, *more, **how))
    finally:
        os.chdir(here)


def test_a_folder_of_vllms(sweep):
    """A directory of vLLM's is resumed: complete runs are kept, a failed one of a summary is retried."""
    serve, bench = {"max_num_seqs": 2}, {"max_concurrency": 1}
    folder = sweep.root / folder_of(serve, bench)
    folder.mkdir(parents=True)
    runs = [{"date": "d", "request_throughput": 1.5, "run_number": number, **serve, **bench} for number in (0, 2)]
    for run in runs:
        (folder / f"run={run['run_number']}.json").write_text(json.dumps(run, indent=4))
    (folder / "run=1.failure.json").write_text(json.dumps({"run_number": 1, "error_type": "RuntimeError", "error": "x",
                                                           "serve_overrides": serve, "bench_overrides": bench}, indent=2) + "\n")
    (folder / "summary.json").write_text(json.dumps(runs, indent=4))
    done = sweep.run("serve", serve=[serve], bench=[bench], resume=True)
    assert markers(done.stdout) == ["[SKIPPED BENCHMARK]", "[BEGIN SERVER]", "[BEGIN BENCHMARK]", "[END BENCHMARK]", "[SKIPPED BENCHMARK]",
                                    "[END SERVER]"]
    summary = json.loads((folder / "summary.json").read_text())
    assert [run["run_number"] for run in summary] == [0, 1, 2] and summary[0] == runs[0]
    assert sorted(path.name for path in folder.glob("*.json")) == ["run=0.json", "run=1.json", "run=2.json", "summary.json"]


def test_failures(sweep):
    """Failures of runs and servers are recorded and skipped, or end the sweep; --resume retries them and removes their files."""
    bench = [{"max_concurrency": 1}, {"max_concurrency": 2}]
    (sweep.folder / "fail").write_text("max_concurrency=1")
    sweep.run("serve", "--num-runs", 2, "--continue-on-error", bench=bench, status=1)
    folder = sweep.root / "BENCH--max_concurrency=1"
    text = (folder / "run=0.failure.json").read_text()
    failure = json.loads(text)
    assert text == json.dumps(failure, indent=2) + "\n"
    assert list(failure) == ["run_number", "error_type", "error", "serve_overrides", "bench_overrides"]
    assert failure["run_number"] == 0 and failure["bench_overrides"] == bench[0] and "it broke" in failure["error"]
    assert sorted(path.name for path in folder.glob("*.json")) == ["run=0.failure.json", "run=1.failure.json"]
    (sweep.folder / "fail").write_text("max_concurrency=1/run=1")
    done = sweep.run("serve", "--num-runs", 2, bench=bench, resume=True, status=1)
    assert "it broke" in done.stderr and "Use `--resume`" in done.stderr and processes_on(sweep.port) == []
    (sweep.folder / "fail").unlink()
    sweep.run("serve", "--num-runs", 2, bench=bench, resume=True)
    assert sorted(path.name for path in folder.glob("*.json")) == ["run=0.json", "run=1.json", "summary.json"]


def test_a_server_that_came_later_is_warmed_up_too(sweep):
    (sweep.folder / "kill").write_text("run=0")
    done = sweep.run("serve", "--num-runs", 3, "--warmup-num-prompts", 1, "--continue-on-error", "--json", status=1, bench=[{"max_concurrency": 1}])
    assert [call[call.index("--result-filename") + 1] for call in sweep.calls()] == ["warmup.json", "run=0.json", "warmup.json", "run=1.json", "run=2.json"]
    told = json.loads(done.stdout)
    assert (told["measured"], told["failed"], told["servers_started"]) == (2, 1, 2)


def test_unfinished_runs_are_not_reported_as_skipped(sweep):
    bench = [{"max_concurrency": 1}]
    sweep.run("serve", "--num-runs", 2, bench=bench)
    half = sweep.root / "BENCH--max_concurrency=1" / "run=1.json"
    run = json.loads(half.read_text())
    del run["run_number"]  # as its client wrote it before the sweep was killed
    half.write_text(json.dumps(run))
    told = sweep.run("serve", "--num-runs", 2, "--dry-run", bench=bench, resume=True).stdout
    assert told.count("[SKIPPED BENCHMARK]") == 1 and told.index("[SKIPPED BENCHMARK]") < told.index("[BEGIN BENCHMARK]")


def test_servers_that_do_not_start(sweep):
    how = dict(serve=[{"no_such_flag": 1}, {"max_num_seqs": 2}], bench=[{"max_concurrency": 1}])
    done = sweep.run("serve", "--num-runs", 1, status=3, **how)
    assert "the server ended before it was ready" in done.stderr and "no-such-flag" in done.stderr
    done = sweep.run("serve", "--num-runs", 1, "--continue-on-error", "--json", status=1, resume=True, **how)
    assert json.loads(done.stdout) == {"combinations": 2, "measured": 1, "reused": 0, "failed": 1, "servers_started": 2,
                                       "folder": "results/e"}
    failure = json.loads((sweep.root / "SERVE-no_such_flag=1-failure.json").read_text())
    assert failure["run_number"] is None and failure["serve_overrides"] == {"no_such_flag": 1}


def test_our_client_and_a_pretended_vllm(sweep):
    """A command line as users write it for vLLM: `vllm` is a simulator and our client; flags with '=' are replaced."""
    vllm = sweep.folder / "vllm"
    vllm.write_text(f"#!/bin/sh\ncase $1 in serve) shift; exec {sweep.bin_dir}/profllm-sim serve \"$@\";; esac\n"
                    f"exec {sweep.bin_dir}/profllm \"$@\"\n")
    vllm.chmod(0o755)
    (sweep.folder / "serve.json").write_text(json.dumps(SERVE[:1]))
    line = f"vllm bench sweep serve --serve-cmd '{vllm} serve tiny --host 127.0.0.1 --port={sweep.port} --max_num_seqs=9' \
        --bench-cmd '{vllm} bench serve --model tiny --host 127.0.0.1 --port {sweep.port} --num-prompts 2 --random-input-len 8 \
        --random-output-len 2' --serve-params serve.json --num-runs 1 --output-dir results --experiment-name e --show-stdout"
    done = run_profllm(sweep.bin_dir, *shlex.split(line)[1:], cwd=sweep.folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "--max-num-seqs 2" in done.stdout and "--max_num_seqs=9" not in done.stdout and "Serving Benchmark Result" in done.stdout
    run, = json.loads((sweep.root / "SERVE--max_num_seqs=2/summary.json").read_text())
    assert run["completed"] == 2 and run["max_num_seqs"] == 2 and run["request_throughput"] > 0


@pytest.mark.parametrize("args, told", [
    (["--bench-cmd", "x"], "--serve-cmd COMMAND is missing"), (["--serve-cmd", "x"], "--bench-cmd COMMAND is missing"),
    (["--serve-cmd", "x y", "--bench-cmd", "z"], "--after-bench-cmd"),
    (["--serve-cmd", "profllm-sim", "--bench-cmd", "vllm bench serve"], "'profllm bench serve …'"),
    (["--serve-cmd", "a'b", "--bench-cmd", "z"], "an unclosed quote"),
    (["--serve-cmd", "profllm-sim", "--bench-cmd", "true", "--num-runs", "0"], "--num-runs: found 0, expected 1"),
    (["--serve-cmd", "profllm-sim", "--bench-cmd", "true", "--bench-params", "bad.json"], "bad.json: item 1: found 3"),
    (["--serve-cmd", "profllm-sim", "--bench-cmd", "true", "--bench-params", "same.json"], "would use the same directory"),
    (["--serve-cmd", "profllm-sim", "--bench-cmd", "true", "--bench-params", "long.json"], "expected at most 255"),
    (["--serve-cmd", "profllm-sim", "--bench-cmd", "true", "--resume"], "--resume works only with --experiment-name"),
    (["--serve-cmd", "profllm-sim", "--bench-cmd", "true", "--resume", "-e", "x"], "does not exist")])
def test_reported_before_anything_starts(bin_dir, tmp_path, args, told):
    (tmp_path / "bad.json").write_text("[3]")
    (tmp_path / "same.json").write_text('[{"a": "x/y"}, {"a": "x_y"}]')
    (tmp_path / "long.json").write_text(json.dumps([{"a": "x" * 300}]))
    done = run_profllm(bin_dir, "sweep", "serve", *args, cwd=tmp_path, env={"PATH": "/bin:/usr/bin"})
    assert done.returncode == 2 and told in done.stderr and not (tmp_path / "results").exists(), done.stderr
