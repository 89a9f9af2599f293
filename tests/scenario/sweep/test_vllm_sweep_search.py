"""`profllm sweep serve_workload | serve_sla | startup`: the values that vLLM would measure, in its directories."""
import csv
import io
import json
import math
import shlex
import sys

import numpy as np
import pytest
from run_tools import run_profllm
from vllm_sweep_tools import Sweep, folder_of, markers


@pytest.fixture
def sweep(bin_dir, tmp_path):
    return Sweep(bin_dir, tmp_path)


def client(rate=math.inf, concurrency=math.inf, limit=40.0):
    """Returns (throughput, mean latency in ms) of the simulated client."""
    return min(rate, 4.0 * concurrency, limit), 250.0 * max(1.0, min(concurrency, rate, 1e6) / 8)


def between(lo, hi, count):
    return sorted({int(np.round(value)) for value in np.linspace(lo, hi, count)[1:-1]})


def table(sweep):
    return list(csv.DictReader(io.StringIO((sweep.root / "summary.csv").read_text())))


def test_workload_by_rate(sweep):
    """Serial, batch, and rates between their throughputs; a resumed sweep runs nothing and starts no server."""
    serve, bench = {"max_num_seqs": 4}, {"random_input_len": 8}
    how = dict(serve=[serve], bench=[bench])
    done = sweep.run("serve_workload", "--num-runs", 1, "--workload-iters", 5, "--continue-on-error",
                     bench_cmd=f"{sweep.client} --num-prompts=30", **how)
    lo, hi = math.ceil(client(1, 1)[0]), math.floor(client(30, 30)[0])
    values = between(lo, hi, 5)
    assert values == [8, 16, 23]
    rows = table(sweep)
    assert [int(row["request_rate"]) for row in rows] == [1, *values, 30]
    assert [row["max_concurrency"] for row in rows] == ["1.0", "", "", "", "30.0"]
    ends = [folder_of(serve, {**bench, "max_concurrency": value}, ("WL-", f"request_rate={value}")) for value in (1, 30)]
    folders = [folder_of(serve, bench, ("WL-", f"request_rate={value}")) for value in values]
    assert folders[0] == "SERVE--max_num_seqs=4-BENCH--random_input_len=8-WL--request_rate=8"
    assert {path.parent.name for path in sweep.root.glob("*/summary.json")} == {*ends, *folders}
    run = json.loads((sweep.root / ends[0] / "run=0.json").read_text())
    assert (run["request_rate"], run["max_concurrency"], run["random_input_len"], run["run_number"]) == (1, 1, 8, 0)
    assert list(run)[-3:] == ["run_number", "max_num_seqs", "random_input_len"]
    assert markers(done.stdout)[0] == "[WL START]" and markers(done.stdout)[-2:] == ["[WL END]", "[END SERVER]"]
    again = sweep.run("serve_workload", "--num-runs", 1, "--workload-iters", 5, resume=True,
                      bench_cmd=f"{sweep.client} --num-prompts=30", **how)
    assert "[BEGIN SERVER]" not in again.stdout and table(sweep) == rows


def test_workload_by_concurrency(sweep):
    """By Little's law; a named combination gives all directories its name; a failure without a run ends it."""
    bench = [{"_benchmark_name": "fast", "num_prompts": 64}]
    sweep.run("serve_workload", "--num-runs", 1, "--workload-var", "max_concurrency", "--workload-iters", 4, bench=bench)
    rate, latency = client(concurrency=64)
    values = between(1, math.floor(rate * latency / 1000), 4)
    assert [int(row["max_concurrency"]) for row in table(sweep)] == [1, *values, 64]
    assert {path.parent.name for path in sweep.root.glob("*/summary.json")} == {
        f"BENCH--fast-WL--max_concurrency={value}" for value in (1, *values, 64)}
    (sweep.folder / "fail").write_text("max_concurrency=8")
    done = sweep.run("serve_workload", "--num-runs", 1, "--continue-on-error", "-e", "f", "--workload-var", "max_concurrency",
                     bench=[{"num_prompts": 8}], status=1)
    assert "Unable to establish both Workload Explorer endpoints" in done.stdout
    assert not (sweep.root.parent / "f" / "summary.csv").exists()
    dry = sweep.run("serve_workload", "--dry-run", "-e", "d", "--num-runs", 2, bench=bench)
    assert markers(dry.stdout).count("[BEGIN BENCHMARK]") == 4
    wrong = sweep.run("serve_workload", "--dry-run", bench=[{"request-rate": 3}], status=2)
    assert "found 'request-rate'" in wrong.stderr
    wrong = sweep.run("serve_workload", "--workload-iters", 1, status=2)
    assert "--workload-iters: found 1, expected 2" in wrong.stderr


def first_root(values, margins):
    """Returns the first root of the PCHIP curve, by numpy's polynomials."""
    x, y = np.array(values, float), np.array(margins, float)
    h, d = np.diff(x), np.diff(y) / np.diff(x)
    if len(x) == 2:
        m = np.array([d[0], d[0]])
    else:
        m = np.zeros(len(x))
        for k in range(1, len(x) - 1):
            if d[k - 1] * d[k] > 0:
                w1, w2 = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
                m[k] = (w1 + w2) / (w1 / d[k - 1] + w2 / d[k])
        for end, near, far in ((0, 0, 1), (-1, -1, -2)):
            slope = ((2 * h[near] + h[far]) * d[near] - h[near] * d[far]) / (h[near] + h[far])
            if np.sign(slope) != np.sign(d[near]):
                slope = 0.0
            elif np.sign(d[near]) != np.sign(d[far]) and abs(slope) > 3 * abs(d[near]):
                slope = 3 * d[near]
            m[end] = slope
    for k in range(len(h)):
        a = (m[k] + m[k + 1] - 2 * d[k]) / h[k] ** 2
        b = (3 * d[k] - 2 * m[k] - m[k + 1]) / h[k]
        roots = [root.real for root in np.roots([a, b, m[k], y[k]]) if abs(root.imag) < 1e-9 and -1e-9 <= root.real <= h[k] * (1 + 1e-12)]
        if roots:
            return x[k] + min(roots)
    return None


def by_spline(margin, known):
    """Version B: returns the values to measure in addition to the known ones, and the result."""
    history, order = dict(known), []
    while True:
        best = max([value for value, one in history.items() if one <= 0], default=1)
        worst = min([value for value, one in history.items() if one > 0], default=8192)
        if best + 1 >= worst:
            return order, best
        if 8192 not in history:
            value = 8192
        elif 1 not in history:
            value = 1
        else:
            root = first_root(*zip(*sorted(history.items())))
            value = int(root) if root is not None else (best + worst) // 2
            value += value in history
        history[value] = margin(value)
        order.append(value)


def by_halves(passes, estimate):
    order, value, left, right = [65536], math.ceil(estimate), 0, None
    while right is None or right - left > 1:
        order.append(value)
        if passes(value):
            left = value
        else:
            right = value
        value = 2 * value if right is None else (left + right) // 2
    return order, left


def margin_of(limits, value):
    rate, latency = client(rate=value)
    figures = {"p99_e2el_ms": 2 * latency, "request_throughput": rate, "mean_ttft_ms": 10.0}
    return max(figures[key] - float(text[2:]) if text[0] == "<" else float(text[2:]) - figures[key] for key, text in limits.items())


def measured(sweep, calls):
    return [int(call[call.index("--request-rate") + 1]) for call in sweep.calls()[calls:]]


def test_limits_by_the_later_rules(sweep):
    """The same values in the same order as the rules with numpy; runs are shared by all limits."""
    limits = [{"p99_e2el_ms": "<=1200"}, {"p99_e2el_ms": "<=2222.5", "mean_ttft_ms": "<=11"}, {"p99_e2el_ms": "<=1"}]
    (sweep.folder / "sla.json").write_text(json.dumps(limits))
    done = sweep.run("serve_sla", "--sla-params", "sla.json", "--num-runs", 1, bench=[{"random_input_len": 8}])
    known, order, best = {}, [], []
    for one in limits:
        values, found = by_spline(lambda value: margin_of(one, value), {value: margin_of(one, value) for value in known})
        known |= dict.fromkeys(values)
        order += values
        best.append(found)
    assert measured(sweep, 0) == order and best == [19, 35, 1]
    base = sweep.root / "BENCH--random_input_len=8"
    assert {path.name for path in base.iterdir()} == {f"request_rate={value}" for value in order} | {
        "SLA--p99_e2el_ms<=1200.00.json", "SLA--p99_e2el_ms<=2222.50-mean_ttft_ms<=11.00.json", "SLA--p99_e2el_ms<=1.00.json"}
    kept = json.loads((base / "SLA--p99_e2el_ms<=1200.00.json").read_text())
    assert kept == json.loads((base / "request_rate=19" / "summary.json").read_text()) and kept[0]["request_rate"] == 19
    assert [int(row["request_rate"]) for row in table(sweep)] == best and "no value is within the limits" in done.stdout
    calls = len(sweep.calls())
    again = sweep.run("serve_sla", "--sla-params", "sla.json", "--num-runs", 1, bench=[{"random_input_len": 8}], resume=True)
    assert len(sweep.calls()) == calls and "[BEGIN SERVER]" not in again.stdout


def test_limits_by_the_former_rules(sweep):
    """Doubled and halved; the command line has its former form."""
    limits = {"p99_e2el_ms": "<=1200", "request_throughput": ">=5"}
    (sweep.folder / "sla.json").write_text(json.dumps([limits]))
    sweep.run("serve_sla", "--sla-params", "sla.json", "--num-runs", 1, "--sla-rules", "0.12.0")
    order, best = by_halves(lambda value: margin_of(limits, value) <= 0, client()[0])
    assert measured(sweep, 0) == order and best == 19
    assert len(json.loads((sweep.root / "SLA--p99_e2el_ms<=1200.00-request_throughput>=5.00.json").read_text())) == 1
    args = [word for word in sweep.args("serve_sla", "--sla-params", "sla.json", "--num-runs", 1, "--sla-rules", "A") if word not in ("-e", "e")]
    done = run_profllm(sweep.bin_dir, *args, "--resume", "e", cwd=sweep.folder)
    assert done.returncode == 0 and measured(sweep, len(order)) == [], done.stderr


@pytest.mark.parametrize("text, told", [
    ('[{"a": 3}]', "'a': found 3"), ('[{"a": "=3"}]', "'a': found"), ('[{"a": "<=x"}]', "'a': found"), ("[{}]", "has no limit"),
    ('{"a": {}}', "has no limit"),
    ('[{"a": "<=0.001", "b": ">1"}, {"a": "<=0.002", "b": ">1"}]', "'SLA--a<=0.00-b>1.00.json'")])
def test_limits_that_are_none(sweep, text, told):
    (sweep.folder / "sla.json").write_text(text)
    assert told in sweep.run("serve_sla", "--sla-params", "sla.json", status=2).stderr


def test_rules_that_are_none(sweep):
    (sweep.folder / "sla.json").write_text('[{"a": ">3"}]')
    assert "--sla-rules: found '0.20.0'" in sweep.run("serve_sla", "--sla-params", "sla.json", "--sla-rules", "0.20.0", status=2).stderr
    assert "--sla-params FILE is missing" in sweep.run("serve_sla", status=2).stderr


STARTUP = """#!{python} -S
import json, sys
argv = sys.argv[1:]
with open(argv[argv.index("--output-json") + 1], "w") as file:
    json.dump({{"avg_cold_startup_time": 2.5, "argv": argv}}, file)
"""


def test_startup(bin_dir, tmp_path):
    """Server parameters that the benchmark lacks are omitted, also in the directory's name."""
    program = tmp_path / "start"
    program.write_text(STARTUP.format(python=sys.executable))
    program.chmod(0o755)
    (tmp_path / "serve.json").write_text(json.dumps([{"tensor_parallel_size": 1, "api_key": "x", "port": 3}, {"compilation_config.mode": 3}]))
    (tmp_path / "startup.json").write_text(json.dumps([{"num_iters_cold": 2, "max_concurrency": 3}]))
    line = ["sweep", "startup", "--startup-cmd", f"{program} --output_json x --output-json=y", "--serve-params", "serve.json",
            "--startup-params", "startup.json", "-o", "results", "-e", "e"]
    done = run_profllm(bin_dir, *line, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    root = tmp_path / "results" / "e"
    folders = ["SERVE--tensor_parallel_size=1-STARTUP--num_iters_cold=2", "SERVE--compilation_config.mode=3-STARTUP--num_iters_cold=2"]
    assert {path.parent.name for path in root.glob("*/summary.json")} == set(folders)
    run, = json.loads((root / folders[0] / "summary.json").read_text())
    assert list(run) == ["avg_cold_startup_time", "argv", "run_number", "tensor_parallel_size", "num_iters_cold"]
    assert run["argv"] == ["--tensor-parallel-size", "1", "--num-iters-cold", "2", "--output-json", f"results/e/{folders[0]}/run=0.json"]
    assert "Ignoring unsupported startup params for tensor_parallel_size=1-api_key=x-port=3: api_key, port\n" in done.stderr
    assert "max_concurrency" in done.stderr and len((root / "summary.csv").read_text().splitlines()) == 3
    strict = run_profllm(bin_dir, *line, "--resume", "--strict-params", cwd=tmp_path)
    assert strict.returncode == 2 and "api_key, port" in strict.stderr
    gone = run_profllm(bin_dir, "sweep", "startup", cwd=tmp_path, env={"PATH": "/bin"})
    assert gone.returncode == 2 and "--startup-cmd: vLLM is not installed" in gone.stderr


def test_startup_of_ours(bin_dir, tmp_path):
    """`profllm bench startup` in place of vLLM's: its metrics and keys."""
    done = run_profllm(bin_dir, "bench", "sweep", "startup", "--startup-cmd",
                       "profllm bench startup --model m --sim --quiet --num-iters-cold 1 --num-iters-warmup 0 --num-iters-warm 0",
                       "-o", "results", "-e", "e", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    run, = json.loads((tmp_path / "results/e/summary.json").read_text())
    assert run["run_number"] == 0 and run["avg_cold_startup_time"] > 0


def test_real_lines_are_judged_as_vllm_judges_them(bin_dir, tmp_path, test_data_dir):
    """bench-commands.jsonl: accepted or refused as labelled; serve_sla, which vLLM removed, is accepted."""
    seen = 0
    for row in map(json.loads, (test_data_dir / "data/commands/bench-commands.jsonl").read_text().splitlines()):
        kind = row["sub"].removeprefix("sweep ")
        if not row["sub"].startswith("sweep ") or kind.startswith("plot"):
            continue
        argv = list(row["argv"])
        for i, word in enumerate(argv):
            if word.endswith("params"):  # files of their authors
                (tmp_path / "p.json").write_text('[{"p99_ttft_ms": "<=3"}]' if "sla" in word else '[{}]')
                name = f"{word.strip('-')}.json"
                (tmp_path / "p.json").rename(tmp_path / name)
                argv[i + 1] = name
        done = run_profllm(bin_dir, "bench", "sweep", kind, *argv, "--dry-run", cwd=tmp_path)
        assert (done.returncode == 0) == (row["ok"] or kind == "serve_sla"), (row["id"], done.stderr)
        seen += 1
    assert seen > 4


def test_real_folders_have_these_names(bin_dir, tmp_path, test_data_dir):
    """A sweep that vLLM 0.25.1 ran: its directory's name, keys and texts are reproduced from its parameters."""
    files = list((test_data_dir / "data/results/vllm_bench_serve").glob("*sweep_v*summary*.json"))
    if not files:
        pytest.skip("no sweep among the data of others")
    for file in files:
        text = file.read_text()
        runs = json.loads(text)
        serve, bench = {"max_num_seqs": 4}, {"max_concurrency": 2, "num_prompts": 8}
        assert {**serve, **bench}.items() <= runs[0].items() and folder_of(serve, bench) in file.name
        root = tmp_path / "results" / "e" / folder_of(serve, bench)
        root.mkdir(parents=True)
        for run in runs:
            (root / f"run={run['run_number']}.json").write_text(json.dumps(run, indent=4))
        (tmp_path / "serve.json").write_text(json.dumps([serve]))
        (tmp_path / "bench.json").write_text(json.dumps([bench]))
        done = run_profllm(bin_dir, "sweep", "serve", *shlex.split(
            "--serve-cmd 'profllm-sim serve m' --bench-cmd true --serve-params serve.json --bench-params bench.json"),
            "--num-runs", len(runs), "-e", "e", "--resume", cwd=tmp_path)
        assert done.returncode == 0 and markers(done.stdout) == ["[SKIPPED BENCHMARK]"] * len(runs), done.stderr
        assert (root / "summary.json").read_text() == text.rstrip("\n")
