"""`profllm gate` and `profllm bisect`: of existing results, and of the simulator, measured in turn."""
import json
import os
import random
import re

import pytest
from outputs_tools import check_output
from run_tools import PATIENCE, run_profllm, start_profllm, write_config
from sweep_tools import nothing_left, runs, sweep_config
from wait_tools import wait_for

PASS, NOT_JUDGED, INVALID, UNDECIDED, REGRESSION = 0, 1, 2, 4, 7
METRICS = ("output_throughput", "median_ttft_ms", "median_tpot_ms")


def document(seed, speed=1.0, cv=0.02, concurrency=8, **more):
    """Returns a small result: `speed` multiplies its latencies."""
    factor = speed * (1 + cv * random.Random(seed).gauss(0, 1))
    return {"run_id": f"run_{seed}", "status": "completed",
            "config": {"server": {"model": "some/model"}, "benchmark": {"dataset_name": "random", "max_concurrency": concurrency, "num_prompts": 100}},
            "results": {"output_throughput": 1000 / factor, "median_ttft_ms": 20 * factor, "median_tpot_ms": 5 * factor, "completed": 100, "failed": 0},
            "environment": {"engine": {"name": "vllm", "version": "0.32.0", "simulated": False}}, **more}


def group(folder, runs=20, first=0, **more):
    folder.mkdir(exist_ok=True)
    for i in range(runs):
        made = document(1000 * len(folder.name) + first + i, **more)
        (folder / f"r{first + i}.json").write_text(json.dumps(made))
    return folder


def gate(bin_dir, *args, status):
    done = run_profllm(bin_dir, "gate", *args, "--json", patience=5 * PATIENCE)
    assert done.returncode == status, (done.stdout, done.stderr)
    return json.loads(done.stdout)


def judged(report):
    return {(cell["label"], test["field"]): test for cell in report["cells"] for test in cell["metrics"]}


def test_results_pass_fail_or_are_not_decided(bin_dir, tmp_path):
    base = group(tmp_path / "base", 20)
    report = gate(bin_dir, "--base", base, "--candidate", group(tmp_path / "equal", 20), status=PASS)
    assert report["state"] == "pass" and not report["missing"] and not report["added"]
    assert {field for _, field in judged(report)} == {f"results.{name}" for name in METRICS}
    for test in judged(report).values():
        assert test["state"] == "pass" and test["low"] < test["ratio"] < test["high"] and not test["paired"]
    report = gate(bin_dir, "--base", base, "--candidate", group(tmp_path / "slower", 20, speed=1.06), status=REGRESSION)
    assert {test["state"] for test in judged(report).values()} == {"regression"}
    throughput = judged(report)["all runs", "results.output_throughput"]
    assert throughput["ratio"] == pytest.approx(1 / 1.06, rel=0.02) and throughput["high"] < 1
    report = gate(bin_dir, "--base", base, "--candidate", group(tmp_path / "faster", 20, speed=0.9), status=PASS)
    assert all("better" in test["sentence"] for test in judged(report).values())
    report = gate(bin_dir, "--base", base, "--candidate", group(tmp_path / "few", 2), status=UNDECIDED)
    assert all(test["more_runs_count"] is None or test["more_runs_count"] > 0 for test in judged(report).values())


def test_results_without_default_metrics_name_the_option(bin_dir, tmp_path):
    """Such as those of pooling requests."""
    for name in ("base", "candidate"):
        for file in group(tmp_path / name, 8).iterdir():
            made = json.loads(file.read_text())
            made["results"] = {"mean_e2el_ms": made["results"]["median_ttft_ms"], "completed": 100, "failed": 0}
            file.write_text(json.dumps(made))
    sides = ["--base", tmp_path / "base", "--candidate", tmp_path / "candidate"]
    text = "the baseline has no default metric; select others with --metrics"
    done = run_profllm(bin_dir, "gate", *sides)
    assert done.returncode == NOT_JUDGED and text in done.stdout, done.stdout + done.stderr
    done = run_profllm(bin_dir, "gate", *sides, "--metrics", "mean_e2el_ms")
    assert done.returncode in (PASS, UNDECIDED) and text not in done.stdout, done.stdout + done.stderr


def test_wrong_configurations_are_never_compared(bin_dir, tmp_path):
    base = group(tmp_path / "base", 20)
    group(base, 20, first=20, concurrency=16)
    candidate = group(tmp_path / "candidate", 20)
    group(candidate, 20, first=20, concurrency=32, speed=2)
    report = gate(bin_dir, "--base", base, "--candidate", candidate, status=NOT_JUDGED)
    assert [cell["state"] for cell in report["cells"]] == ["pass"]
    [missing], [added] = report["missing"], report["added"]
    assert missing["count"] == added["count"] == 20 and "benchmark.max_concurrency" in missing["differs"]
    assert [cell["key"] for cell in report["releases"]["cells"]] == [report["cells"][0]["key"]]
    text = run_profllm(bin_dir, "gate", "--base", base, "--candidate", candidate).stdout
    assert re.search("missing in the candidate: .*max_concurrency=16", text)
    # the user may match them
    report = gate(bin_dir, "--base", base, "--candidate", candidate, "--vary", "benchmark.max_concurrency", status=REGRESSION)
    assert len(report["cells"]) == 1 and not report["missing"]


def test_lost_metrics_and_failed_runs_do_not_pass(bin_dir, tmp_path):
    base, candidate = group(tmp_path / "base", 10), group(tmp_path / "candidate", 10)
    for path in candidate.iterdir():
        made = json.loads(path.read_text())
        del made["results"]["median_ttft_ms"]
        path.write_text(json.dumps(made))
    report = gate(bin_dir, "--base", base, "--candidate", candidate, status=NOT_JUDGED)
    assert judged(report)["all runs", "results.median_ttft_ms"]["state"] == "not_judged"
    failed = group(tmp_path / "failed", 10)
    set_status(failed, 10, "failed")
    report = gate(bin_dir, "--base", base, "--candidate", failed, status=REGRESSION)
    assert report["candidate"]["failed"] == 10 and len(report["missing"]) == 1
    # nothing is known of either side
    set_status(base, 10, "failed")
    report = gate(bin_dir, "--base", base, "--candidate", failed, status=NOT_JUDGED)
    assert report["failed_runs"] == {"state": "pass", "max": 0, "sentence": None}


def set_status(folder, count, status):
    for path in sorted(folder.iterdir())[:count]:
        path.write_text(json.dumps({**json.loads(path.read_text()), "status": status}))


@pytest.mark.parametrize("base_failed, failed, share, status", [
    (0, 1, "0", REGRESSION), (0, 10, "0", REGRESSION), (0, 2, "10%", PASS), (0, 3, "10%", REGRESSION),
    (1, 1, "0", PASS), (1, 2, "0%", REGRESSION), (10, 10, "0", PASS), (3, 0, "0", PASS)])
def test_more_failed_runs_than_the_baseline_are_a_regression(bin_dir, tmp_path, base_failed, failed, share, status):
    """Whatever the remaining runs measure: 20 per side, equally fast."""
    base, candidate = group(tmp_path / "base", 20, cv=0.005), group(tmp_path / "candidate", 20, cv=0.005)
    set_status(base, base_failed, "partial")
    set_status(candidate, failed, "launch_failed")
    args = "--base", base, "--candidate", candidate, "--max-failed-runs", share
    report = gate(bin_dir, *args, status=status)
    assert {test["state"] for test in judged(report).values()} == {"pass"}
    assert (report["base"]["failed"], report["candidate"]["failed"]) == (base_failed, failed)
    reason = f"{failed} of 20 runs of the candidate did not complete, and {base_failed} of 20 of the baseline"
    worse = status == REGRESSION
    assert report["failed_runs"] == {"state": "regression" if worse else "pass", "max": pytest.approx(0.1 if share == "10%" else 0),
                                     "sentence": reason if worse else None}
    text = run_profllm(bin_dir, "gate", *args, "--markdown", tmp_path / "gate.md").stdout
    assert text.startswith(f"regression: {reason}; 0 of 3 tests" if worse else "pass: 3 of 3 tests")
    assert (reason in (tmp_path / "gate.md").read_text()) == worse


def test_shares_of_failed_runs_are_compared_in_whole_runs(bin_dir, tmp_path):
    """1 of 19 is a larger share than 2 of 40, and not more failures."""
    base, candidate = group(tmp_path / "base", 40, cv=0.005), group(tmp_path / "candidate", 19, cv=0.005)
    set_status(base, 2, "failed")
    set_status(candidate, 1, "failed")
    gate(bin_dir, "--base", base, "--candidate", candidate, status=PASS)
    set_status(candidate, 2, "failed")
    gate(bin_dir, "--base", base, "--candidate", candidate, status=REGRESSION)


def test_interrupted_runs_are_no_failures(bin_dir, tmp_path):
    base, candidate = group(tmp_path / "base", 20), group(tmp_path / "candidate", 30)
    set_status(candidate, 10, "interrupted")
    report = gate(bin_dir, "--base", base, "--candidate", candidate, status=PASS)
    assert [report["candidate"][name] for name in ("runs", "failed", "interrupted")] == [20, 0, 10]
    assert "10 interrupted runs not counted" in run_profllm(bin_dir, "gate", "--base", base, "--candidate", candidate).stdout


def test_a_server_that_does_not_start_is_a_regression(bin_dir, tmp_path):
    """Measured in turn: the combination is given up after two rounds."""
    base, candidate = simulator(tmp_path, "base.yaml", "2ms"), simulator(tmp_path, "candidate.yaml", "no-time")
    report = gate(bin_dir, "--base", base, "--candidate", candidate, "-o", tmp_path / "out", "--vary", "experiment.launch", "--budget", "9", status=REGRESSION)
    assert report["rounds"] == 2 and (report["base"]["failed"], report["candidate"]["failed"]) == (0, 2)
    assert report["failed_runs"]["sentence"].startswith("2 of 2 runs of the candidate")


def test_a_requested_metric_that_the_baseline_lacks_is_not_skipped(bin_dir, tmp_path):
    base, candidate = group(tmp_path / "base"), group(tmp_path / "candidate")
    report = gate(bin_dir, "--base", base, "--candidate", candidate, "--metrics", "output_throughput,p99_ttft_ms", status=NOT_JUDGED)
    tests = judged(report)
    assert tests["all runs", "results.p99_ttft_ms"]["state"] == "not_judged" and tests["all runs", "results.output_throughput"]["state"] == "pass"
    # the default has metrics that not all results have
    for path in base.iterdir():
        made = json.loads(path.read_text())
        del made["results"]["median_tpot_ms"]
        path.write_text(json.dumps(made))
    assert len(judged(gate(bin_dir, "--base", base, "--candidate", candidate, status=PASS))) == 2


def test_a_candidate_that_serves_nothing_in_some_runs_does_not_pass(bin_dir, tmp_path):
    base, candidate = group(tmp_path / "base"), group(tmp_path / "candidate", 40)
    for path in sorted(candidate.iterdir())[::2]:
        made = json.loads(path.read_text())
        made["results"] = {"output_throughput": 0, "completed": 0, "failed": 100}
        path.write_text(json.dumps(made))
    report = gate(bin_dir, "--base", base, "--candidate", candidate, status=NOT_JUDGED)
    for test in judged(report).values():
        assert test["state"] == "not_judged" and "in 20 of 40 runs" in test["sentence"]
    # a single run may be chance, and a baseline that does the same has lost nothing
    for path in sorted(candidate.iterdir())[2::2]:
        path.unlink()
    assert gate(bin_dir, "--base", base, "--candidate", candidate, status=PASS)["candidate"]["runs"] == 21
    assert gate(bin_dir, "--base", candidate, "--candidate", candidate, status=PASS)["base"]["runs"] == 21


def test_copies_of_a_run_are_no_measurements(bin_dir, tmp_path):
    base, candidate = group(tmp_path / "base", 1), group(tmp_path / "candidate", 1)
    for folder in base, candidate:
        for i in range(12):
            (folder / f"copy{i}.json").write_text((folder / "r0.json").read_text())
    report = gate(bin_dir, "--base", base, "--candidate", candidate, status=UNDECIDED)
    assert [(report[side]["runs"], report[side]["copies"]) for side in ("base", "candidate")] == [(1, 12)] * 2
    assert "12 files not counted: copies of other runs" in run_profllm(bin_dir, "gate", "--base", base, "--candidate", candidate).stdout


def test_texts_of_results_do_not_change_the_report(bin_dir, tmp_path):
    base, candidate = group(tmp_path / "base"), group(tmp_path / "candidate")
    for path in sorted(base.iterdir())[::2] + sorted(candidate.iterdir())[::2]:
        made = json.loads(path.read_text())
        made["config"]["benchmark"]["dataset_name"] = "a\x1b[31m`b\n| <img src=x> @org/team |"
        path.write_text(json.dumps(made))
    done = run_profllm(bin_dir, "gate", "--base", base, "--candidate", candidate, "--markdown", tmp_path / "gate.md")
    assert "\x1b" not in done.stdout and done.stdout.count("dataset_name=a") == len(METRICS)
    text = (tmp_path / "gate.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert "\x1b" not in text and len(rows) == 2 + 2 * len(METRICS)
    assert sum("<img src=x> @org/team" in re.search("`[^`]*`", row).group() for row in rows[2:]) == len(METRICS)


def test_a_path_may_have_any_bytes(bin_dir, tmp_path):
    base = group(tmp_path / "base")
    odd = os.fsencode(tmp_path) + b"/odd\xff"
    os.mkdir(odd)
    for path in base.iterdir():
        with open(odd + b"/" + os.fsencode(path.name), "w") as file:
            file.write(path.read_text())
    assert run_profllm(bin_dir, "gate", "--base", base, "--candidate", os.fsdecode(odd)).returncode == PASS


def test_markdown_is_a_table(bin_dir, tmp_path):
    base, candidate = group(tmp_path / "base"), group(tmp_path / "candidate", speed=1.1)
    done = run_profllm(bin_dir, "gate", "--base", base, "--candidate", candidate, "--markdown", tmp_path / "gate.md")
    assert done.returncode == REGRESSION and done.stdout.startswith("regression: 3 of 3 tests")
    lines = (tmp_path / "gate.md").read_text().splitlines()
    assert lines[0].startswith("### Performance gate: regression: 3 of 3 tests")
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + len(METRICS) and len({row.count("|") for row in rows}) == 1


@pytest.mark.parametrize("args", [("--base", "a.yaml"), ("--base", "a.yaml", "--candidate", "b.json"), ("--base", "a.yaml", "--candidate", "b.yaml"),
                                  ("--base", "a", "--candidate", "b", "--max-failed-runs", "2"), ("--base", "a", "--candidate", "b", "--resume"), ("--base", "no-such", "--candidate", "no-such")])
def test_wrong_usage_is_refused(bin_dir, args):
    assert run_profllm(bin_dir, "gate", *args).returncode == INVALID


def simulator(tmp_path, name, step, **sweep):
    config = sweep_config(sweep or {"benchmark.max_concurrency": [2]}, num_prompts=6)
    config["launch"]["extra_args"] = ["--sim-step", step]
    return write_config(tmp_path, config, name)


def test_files_are_measured_in_turn_until_decided(bin_dir, tmp_path):
    """A candidate with steps of six times the time fails after few rounds, on a busy host, too; a second call reads the results only."""
    base, candidate = simulator(tmp_path, "base.yaml", "4ms"), simulator(tmp_path, "candidate.yaml", "24ms")
    args = "--base", base, "--candidate", candidate, "-o", tmp_path / "out", "--metrics", "median_itl_ms", "--min-effect", "30%", "--vary", "experiment.launch"
    report = gate(bin_dir, *args, "--budget", "20", status=REGRESSION)
    [test] = judged(report).values()
    assert test["paired"] and test["count"] == report["rounds"] <= 15 and 2 < test["ratio"] < 9
    assert json.loads((tmp_path / "out/gate.json").read_text()) == report
    runs = sorted((tmp_path / "out").glob("*/cells/*.json"))
    assert len(runs) == 2 * report["rounds"]
    times = [path.stat().st_mtime_ns for path in runs]
    assert gate(bin_dir, *args, "--budget", "20", "--resume", status=REGRESSION) == report
    assert [path.stat().st_mtime_ns for path in runs] == times
    assert run_profllm(bin_dir, "gate", *args).returncode == INVALID  # the directory has a gate


def finished(folder):
    """Returns the finished runs of both sides, with the times of their files."""
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.glob("*/cells/*.json")}


def test_a_killed_gate_resumes_without_repeating_finished_runs(bin_dir, tmp_path):
    """Killed in the middle of the third run or a later one, then of the fifth."""
    base, out = simulator(tmp_path, "base.yaml", "4ms"), tmp_path / "out"
    args = ["--base", base, "--candidate", base, "-o", out, "--min-effect", "0.0001%", "--metrics", "mean_ttft_ms", "--budget", "3"]
    before = {}
    for count in (2, 4):
        process = start_profllm(bin_dir, "gate", *args, *(["--resume"] if before else []))
        wait_for(lambda: len(finished(out)) >= count and any(out.glob("*/cells/*.journal")), f"run {count + 1}", process=process)
        process.kill()
        process.communicate()
        after = finished(out)
        assert before.items() <= after.items() and count <= len(after) < 6
        before = after
    report = gate(bin_dir, *args, "--resume", status=UNDECIDED)
    assert (report["rounds"], report["state"]) == (3, "undecided")
    assert before.items() <= finished(out).items() and len(finished(out)) == 6
    assert [report[side]["runs"] for side in ("base", "candidate")] == [3, 3]
    assert [report[side]["failed"] for side in ("base", "candidate")] == [0, 0]
    sides = [out / "base", out / "candidate"]
    assert all(len(runs(folder)) >= 3 for folder in sides)
    wait_for(lambda: all(map(nothing_left, sides)), "the end of all servers")


def test_budget_ends_without_a_decision(bin_dir, tmp_path):
    base = simulator(tmp_path, "base.yaml", "2ms")
    report = gate(bin_dir, "--base", base, "--candidate", base, "-o", tmp_path / "out", "--min-effect", "0.0001%", "--metrics", "mean_ttft_ms",
                  "--budget", "2", status=UNDECIDED)
    assert report["rounds"] == 2 and report["state"] == "undecided"


def test_bisection_finds_the_first_slower_release(bin_dir, tmp_path):
    config = sweep_config({"benchmark.max_concurrency": [2]}, num_prompts=6)
    config["launch"] = {"command": ["profllm-sim", "serve"], "gpus": [], "extra_args": ["--sim-step", "{release}ms"]}
    file = write_config(tmp_path, config, "serve.yaml")
    # releases are named by the time of a step
    names = ["4", "4.001", "4.002", "8", "8.001"]
    (tmp_path / "releases").write_text("# in their order\n" + "\n".join(names))
    args = ("bisect", "--good", "4", "--bad", "8.001", "--releases", tmp_path / "releases", "--metric", "median_itl_ms", "--min-effect", "30%",
            "--budget", "20", "-o", tmp_path / "found")
    done = run_profllm(bin_dir, *args, file, "--json", patience=10 * PATIENCE)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    check_output("profllm", "bisect__json", report)
    assert (report["first_bad"], report["last_good"], report["state"]) == ("8", "4.002", "found")
    assert 0 < report["error_probability_max"] <= 0.05
    assert [step["release"] for step in report["steps"]][0] == "8.001" and 3 <= len(report["steps"]) <= 4
    again = run_profllm(bin_dir, *args, file, "--json", "--resume")
    assert again.returncode == 0 and json.loads(again.stdout) == report
    text = run_profllm(bin_dir, *args, file, "--resume").stdout
    assert text.startswith("first bad release: 8 (last good: 4.002)")
    # another metric is decided again from the same runs
    other = [word if word != "median_itl_ms" else "median_e2el_ms" for word in args]
    done = run_profllm(bin_dir, *other, file, "--json", "--resume", patience=10 * PATIENCE)
    assert {step["test"]["field"] for step in json.loads(done.stdout)["steps"] if step["test"]} == {"results.median_e2el_ms"}


@pytest.mark.parametrize("args, words", [
    (("--good", "a", "--bad", "b"), "'a', which is not among the releases"),
    (("--good", "b", "--bad", "a", "--release", "a", "--release", "b"), "expected a release before"),
    (("--good", "0.10.0", "--bad", "0.11.0"), "is the same for each release"),
])
def test_wrong_releases_are_refused(bin_dir, tmp_path, args, words):
    file = simulator(tmp_path, "serve.yaml", "2ms")
    done = run_profllm(bin_dir, "bisect", *args, "--metric", "median_itl_ms", "-o", tmp_path / "out", file)
    assert done.returncode == INVALID and words in done.stderr, done.stderr
