"""`profllm compare`: two to eight results, without a dashboard."""
import copy
import json
import math
import os
import pty
import random
import re
import statistics
import subprocess

import pytest
from run_tools import base_config, command, environment, load_result, read_terminal, read_zst_lines, run_profllm, write_config
from sim_tools import by_request, read_log

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))


def document(name="one", seed=1, speed=1.0, **more):
    """Returns a small result whose latencies are `speed` times 20 ms, with some random variation."""
    rng = random.Random(seed)
    ttft, rate = 20 * speed * rng.gauss(1, 0.01), 1000 / speed * rng.gauss(1, 0.01)
    made = {
        "run_id": f"run_{name}_{seed}", "name": name, "status": "completed",
        "config": {"server": {"model": "some/model", "dtype": "bfloat16", "max_num_seqs": 256},
                   "benchmark": {"dataset_name": "random", "random_input_len": 128, "num_prompts": 100, "request_rate": 5.0}},
        "results": {"mean_ttft_ms": ttft, "mean_ttft_ms_ci95": [ttft * 0.98, ttft * 1.02], "p99_ttft_ms": ttft * 3,
                    "p99_ttft_ms_ci95": None, "output_throughput": rate, "request_goodput": None, "completed": 100, "failed": 0},
        "environment": {"engine": {"name": "vllm", "version": "0.32.0", "simulated": False}},
        "quality": {"verdict": "trusted"},
    }
    for path, value in more.items():
        *folders, key = path.split("__")
        place = made
        for folder in folders:
            place = place.setdefault(folder, {})
        place[key] = value
    return made


def write(path, document_):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document_))
    return path


def group(folder, speed=1.0, runs=10, first=1, **more):
    for i in range(runs):
        write(folder / f"r{i}.json", document(folder.name, first + i, speed, **more))
    return folder


def compare(bin_dir, *args, status=0):
    done = run_profllm(bin_dir, "compare", *args, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def metric(answer, field):
    return next(one for one in answer["metrics"] if one["field"] == field)


def caution_kinds(answer):
    return [one["kind"] for one in answer["cautions"]]


def test_rates_of_two_runs(bin_dir, tmp_path):
    """A rate is as certain as the runs allow, and so are the metrics derived from it."""
    tells = {"system__hardware_info__gpu_count": 4, "results__median_tpot_ms": 10.0, "results__median_tpot_ms_ci95": [9.0, 12.5]}
    a = write(tmp_path / "a.json", document(results__output_throughput=1000.0, results__output_throughput_ci95=[980.0, 1020.0], **tells))
    b = write(tmp_path / "b.json", document(seed=2, results__output_throughput=900.0, results__output_throughput_ci95=[890.0, 910.0], **tells))
    answer = compare(bin_dir, a, b)
    for field, by in (("results.output_throughput", 1), ("derived.output_throughput_per_gpu", 4)):
        found = metric(answer, field)
        assert [(side["low"], side["high"]) for side in found["sides"]] == [pytest.approx((980 / by, 1020 / by)), pytest.approx((890 / by, 910 / by))]
        [ratio] = found["ratios"]
        assert ratio["method"] == "within_runs" and ratio["finding"] == "worse" and ratio["ratio"] == pytest.approx(0.9)
        assert ratio["high"] == pytest.approx(0.9 * math.exp(math.hypot(math.log(910 / 900), math.log(1000 / 980))))
    user = metric(answer, "derived.tokens_per_s_per_user")["sides"][0]
    assert (user["value"], user["low"], user["high"]) == pytest.approx((100, 80, 1000 / 9))


def test_two_runs_by_the_intervals_within_them(bin_dir, tmp_path):
    a = write(tmp_path / "a.json", document(results__mean_ttft_ms=20.0, results__mean_ttft_ms_ci95=[19.0, 21.0]))
    b = write(tmp_path / "b.json", document(seed=2, results__mean_ttft_ms=24.0, results__mean_ttft_ms_ci95=[23.0, 25.0]))
    answer = compare(bin_dir, a, b)
    assert [(side["name"], side["runs"], side["simulated"]) for side in answer["sides"]] == [(str(a), 1, 0), (str(b), 1, 0)]
    ttft = metric(answer, "results.mean_ttft_ms")
    assert ttft["direction"] == "lower" and ttft["unit"] == "ms"
    assert ttft["sides"][0] == {"n": 1, "value": 20.0, "low": 19.0, "high": 21.0, "std": None, "null": 0, "not_recorded": 0, "infinite": 0,
                                "words": 0}
    [ratio] = ttft["ratios"]
    assert ratio["ratio"] == pytest.approx(1.2) and ratio["method"] == "within_runs" and ratio["finding"] == "worse"
    assert ratio["low"] == pytest.approx(1.2 * math.exp(-math.hypot(math.log(24 / 23), math.log(21 / 20))))
    assert ratio["regression"] and ratio["more_runs_count"] is None
    [p99] = metric(answer, "results.p99_ttft_ms")["ratios"]
    assert p99["method"] == "none" and p99["finding"] == "no_interval" and p99["low"] is None
    # a result of before there were any has no interval of its rates
    [rate] = metric(answer, "results.output_throughput")["ratios"]
    assert rate["method"] == "none" and rate["finding"] == "no_interval"
    # null, or recorded nowhere: no figure of the default list, and no invented one of a list
    assert not [one for one in answer["metrics"] if one["field"] in ("results.request_goodput", "results.mean_tpot_ms")]
    asked = compare(bin_dir, a, b, "--metrics", "request_goodput,mean_tpot_ms")["metrics"]
    assert [(one["sides"][0]["n"], one["sides"][0]["value"], one["sides"][0]["null"], one["sides"][0]["not_recorded"],
             one["ratios"][0]["finding"]) for one in asked] == [(0, None, 1, 0, "no_value"), (0, None, 0, 1, "no_value")]


def test_groups_by_their_runs(bin_dir, tmp_path):
    a, b = group(tmp_path / "before"), group(tmp_path / "after", speed=1.1, first=100)
    answer = compare(bin_dir, a, b)
    assert [side["runs"] for side in answer["sides"]] == [10, 10]
    [ratio] = metric(answer, "results.p99_ttft_ms")["ratios"]
    assert ratio["method"] == "bootstrap" and ratio["low"] < 1.1 < ratio["high"] and ratio["finding"] == "worse"
    [faster] = metric(compare(bin_dir, b, a), "results.p99_ttft_ms")["ratios"]
    assert faster["finding"] == "better" and not faster["regression"]
    family = next(one for one in answer["families"] if one["key"] == "ttft_ms")
    assert family["percentiles"] == [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9]
    at = family["percentiles"].index(99)
    assert [side["value"][at] for side in family["sides"]] == [side["value"] for side in metric(answer, "results.p99_ttft_ms")["sides"]]
    assert family["sides"][0]["value"][0] is None and family["sides"][0]["n"] == [0] * 8 + [10, 0]


@pytest.mark.parametrize("speed,effect,status", [(1.1, "5%", 7), (1.1, "0.05", 7), (1.1, "9.9%", 0), (1.1, "20%", 0), (0.9, "5%", 0), (1, "1%", 0)])
def test_exit_7_only_where_the_whole_interval_is_beyond(bin_dir, tmp_path, speed, effect, status):
    a, b = group(tmp_path / "before"), group(tmp_path / "after", speed=speed, first=100)
    done = run_profllm(bin_dir, "compare", a, b, "--fail-on-regression", "--min-effect", effect)
    assert done.returncode == status, done.stdout + done.stderr
    assert ("worse by more than" in done.stderr) == (status == 7)
    if status == 7:
        assert "results.p99_ttft_ms" in done.stderr and "results.output_throughput" in done.stderr
    assert run_profllm(bin_dir, "compare", a, b, "--min-effect", effect).returncode == 0


def test_without_an_interval_a_regression_is_unknown(bin_dir, tmp_path):
    a, b = write(tmp_path / "a.json", document()), write(tmp_path / "b.json", document(seed=2, speed=2))
    metrics = ["--metrics", "p99_ttft_ms,output_throughput"]
    done = run_profllm(bin_dir, "compare", a, b, "--fail-on-regression", *metrics)
    assert done.returncode == 0
    assert "no confidence interval, so regressions are unknown for: results.p99_ttft_ms, results.output_throughput" in done.stderr


GONE = {"results": None, "error": {"stage": "launch", "code": "LAUNCH", "message": "no server"}}


@pytest.mark.parametrize("candidate,said", [
    ({"status": "launch_failed", **GONE}, "'{}': found no run that completed, expected one"),
    ({"status": "failed", "results__output_throughput": 0}, "'{}': found no run that completed, expected one"),
    # whatever the status says
    ({"results": None}, "recorded by the baseline, but not by all candidates: results.output_throughput, derived.failed_share, results.mean_ttft_ms, results.p99_ttft_ms"),
    ({"results__output_throughput": 0}, "recorded by the baseline, but not by all candidates: results.output_throughput"),
    ({"results__output_throughput": 2000.0}, None), ({"quality__verdict": "degraded"}, None)])
def test_a_candidate_without_a_verdict_does_not_pass(bin_dir, tmp_path, candidate, said):
    a, b = group(tmp_path / "a", runs=5), group(tmp_path / "b", runs=5, first=100, **candidate)
    done = run_profllm(bin_dir, "compare", a, b, "--fail-on-regression", "--min-effect", "10%")
    assert done.returncode == (0 if said is None else 1), done.stdout + done.stderr
    if said is not None:
        assert done.stderr.splitlines()[-1].endswith(said.format(b)), done.stderr
    assert run_profllm(bin_dir, "compare", a, b).returncode == 0


def test_failed_requests_are_reported_as_a_caution(bin_dir, tmp_path):
    a = write(tmp_path / "a.json", document(results__completed=200))
    b = write(tmp_path / "b.json", document(results__completed=20, results__failed=180, results__output_throughput=2000.0))
    answer = compare(bin_dir, a, b)
    share = metric(answer, "derived.failed_share")
    assert [side["value"] for side in share["sides"]] == [0, 0.9] and share["direction"] == "lower" and share["unit"] == "share"
    [caution] = answer["cautions"]
    assert caution["kind"] == "failures" and [side["values"] for side in caution["fields"][0]["sides"]] == [[{"value": 0, "count": 1}], [{"value": 0.9, "count": 1}]]
    assert caution_kinds(compare(bin_dir, b, b)) == ["shared", "failures"] and caution_kinds(compare(bin_dir, a, a)) == ["shared"]
    text = run_profllm(bin_dir, "compare", a, b).stdout
    assert "failed requests: metrics cover only" in text and "derived.failed_share ↓" in text


def test_failures_that_are_not_recorded_are_neither_failures_nor_none(bin_dir, tmp_path):
    none, some = write(tmp_path / "none.json", document()), write(tmp_path / "some.json", document(seed=2, results__failed=5))
    silent = document(seed=3)
    del silent["results"]["failed"]
    silent = write(tmp_path / "silent.json", silent)
    nothing = write(tmp_path / "nothing.json", document(seed=4, results__completed=0))
    for others, kinds in (((silent,), []), ((nothing,), []), ((some,), ["failures"]), ((silent, some), ["failures"])):
        answer = compare(bin_dir, none, *others)
        assert caution_kinds(answer) == kinds, others
        unknown = [one["kind"] for one in answer["unknown"]]
        alike = [one["kind"] for one in answer["comparable"]]
        assert ("failures" in unknown) == (others == (silent,)) and ("failures" in alike) == (others == (nothing,)), others
    assert "failures" in [one["kind"] for one in compare(bin_dir, silent, none)["unknown"]]


def test_runs_without_a_verdict_cause_no_caution(bin_dir, tmp_path):
    a, b = (write(tmp_path / f"{i}.json", document(seed=i, quality__verdict=None)) for i in range(2))
    assert caution_kinds(compare(bin_dir, a, b)) == []
    trusted = write(tmp_path / "trusted.json", document(seed=3))
    assert caution_kinds(compare(bin_dir, a, trusted)) == ["verdict"]


def totals(seed, completed, inputs, outputs, **benchmark):
    """Returns a result as `vllm bench serve` writes it: sums of tokens, without the requested lengths."""
    made = document(seed=seed, results__completed=completed, results__total_input_tokens=inputs, results__total_output_tokens=outputs)
    del made["config"]["benchmark"]["random_input_len"]
    made["config"]["benchmark"].update(benchmark)
    return made


def test_lengths_without_a_request_are_compared_by_tokens_per_request(bin_dir, tmp_path):
    usual = write(tmp_path / "usual.json", totals(1, 100, 51200, 12800))
    files = {"near": totals(2, 200, 104000, 25500), "longer": totals(3, 100, 102400, 12800), "shorter": totals(4, 100, 51200, 6400),
             "asked": totals(5, 100, 51300, 12700, random_input_len=512)}
    files = {name: write(tmp_path / f"{name}.json", made) for name, made in files.items()}
    fields = {"near": [], "longer": ["derived.input_tokens_per_request"], "shorter": ["derived.output_tokens_per_request"], "asked": []}
    for name, path in files.items():
        answer = compare(bin_dir, usual, path)
        assert [field["field"] for caution in answer["cautions"] for field in caution["fields"]] == fields[name], name
        assert "lengths" in [one["kind"] for one in answer["cautions" if fields[name] else "comparable"]], name
    # lengths that all runs were asked for decide, whatever came of them
    asked = [write(tmp_path / f"{i}.json", totals(6 + i, 100, 51200 * (i + 1), 12800, random_input_len=512)) for i in range(2)]
    assert "lengths" in [one["kind"] for one in compare(bin_dir, *asked)["comparable"]]


def test_differences_come_first_and_equal_values_are_counted(bin_dir, tmp_path):
    a = group(tmp_path / "a", runs=3)
    b = group(tmp_path / "b", runs=3, config__server__max_num_seqs=512, config__server__seed=7)
    write(b / "r0.json", document("b", 1, config__server__max_num_seqs=1024))
    answer = compare(bin_dir, a, b, "--all")
    [differing] = answer["inputs"]["differing"]
    assert differing["field"] == "server.max_num_seqs" and differing["role"] == "input" and differing["between"]
    assert differing["sides"] == [
        {"values": [{"value": 256, "count": 3}], "distinct": 1, "null": 0, "not_recorded": 0},
        {"values": [{"value": 512, "count": 2}, {"value": 1024, "count": 1}], "distinct": 2, "null": 0, "not_recorded": 0}]
    assert answer["inputs"]["partly_recorded_fields"] == ["server.seed"] and answer["inputs"]["partly_recorded"] == 1
    equal = {one["field"]: one["value"] for one in answer["inputs"]["equal_fields"]}
    assert equal["server.model"] == "some/model" and equal["environment.engine.simulated"] is False
    assert answer["inputs"]["equal"] == len(equal)
    assert "equal_fields" not in compare(bin_dir, a, b)["inputs"]
    # mixed in the same way on both sides: it does not differ between them, and is listed after those that do
    mixed = compare(bin_dir, b, b)["inputs"]["differing"]
    assert [(one["field"], one["between"]) for one in mixed] == [("server.max_num_seqs", False)]


@pytest.mark.parametrize("change,kind", [
    ({"config__benchmark__dataset_name": "sharegpt"}, "dataset"), ({"config__benchmark__random_input_len": 256}, "lengths"),
    ({"config__benchmark__request_rate": "inf"}, "load"), ({"config__server__dtype": "float16"}, "precision"),
    ({"config__benchmark__backend": "openai-chat"}, "client"), ({"quality__verdict": "degraded"}, "verdict"),
    ({"status": "partial"}, "status"), ({"environment__engine__simulated": True}, "simulated"),
    ({"launch__other_servers_max": 3}, "neighbors"), ({"config__server__model": "some/other"}, "model")])
def test_incomparable_inputs_are_named(bin_dir, tmp_path, change, kind):
    a, b = write(tmp_path / "a.json", document()), write(tmp_path / "b.json", document(seed=2, **change))
    assert caution_kinds(compare(bin_dir, a, a)) == ["shared"]
    answer = compare(bin_dir, a, b)
    assert caution_kinds(answer) == [kind]
    assert [side["simulated"] for side in answer["sides"]] == [0, int(kind == "simulated")]
    assert [side["trusted"] for side in answer["sides"]] == [1, int(kind != "verdict")]
    assert [side["untrusted"] for side in answer["sides"]] == [0, int(kind == "verdict")]
    # one that all have raises a caution where it is bad of itself
    assert caution_kinds(compare(bin_dir, b, b)) == ["shared", *([kind] if kind in ("verdict", "status") else [])]
    text = run_profllm(bin_dir, "compare", a, b).stdout
    assert "Cautions" in text and answer["cautions"][0]["fields"][0]["field"] in text
    assert ("SIMULATED" in text) == (kind == "simulated") and ("1 run, not trusted" in text) == (kind == "verdict")


def test_neighbours_are_those_that_were_there(bin_dir, tmp_path):
    """A run with one to three other servers was not alone. A single run of a sweep was alone, and so was a run without a
    sweep, or of a program that does not record it."""
    made = {name: group(tmp_path / name, runs=2, first=first, **more) for first, (name, more) in enumerate({
        "one": {"launch__other_servers_max": 1}, "three": {"launch__other_servers_max": 3}, "last": {"launch__other_servers_max": 0}, "none": {"launch__other_servers_max": None}, "told": {}}.items())}
    for name, other, kinds in (("one", "three", []), ("last", "none", []), ("last", "told", []), ("none", "told", []),
                               ("one", "last", ["neighbors"]), ("none", "three", ["neighbors"]), ("told", "one", ["neighbors"])):
        assert caution_kinds(compare(bin_dir, made[name], made[other])) == kinds, (name, other)
    # within one side too
    write(made["one"] / "alone.json", document(seed=99, launch__other_servers_max=0))
    assert caution_kinds(compare(bin_dir, made["one"], made["three"])) == ["neighbors"]


def test_the_table_the_markdown_and_no_colour_in_a_pipe(bin_dir, tmp_path):
    a, b = group(tmp_path / "before"), group(tmp_path / "after", speed=1.1, first=100, config__server__max_num_seqs=512)
    text = run_profllm(bin_dir, "compare", a, b).stdout
    assert "\x1b" not in text
    answer = compare(bin_dir, a, b)
    words = metric(answer, "results.p99_ttft_ms")["ratios"][0]["sentence"]
    row = next(line for line in text.splitlines() if line.lstrip().startswith("p99_ttft_ms ↓"))
    assert row.endswith(words) and words.startswith("worse by ")
    assert "Different: 1 input" in text and "server.max_num_seqs  256  512" in text
    assert "\nCautions\n  not recorded by some runs: client\n\n\nDifferent" in text
    markdown = run_profllm(bin_dir, "compare", a, b, "--markdown").stdout
    assert "| metric | A | B | runs for 5 % | B compared with A |\n|---|--:|--:|--:|---|\n" in markdown
    assert any(line.startswith("| p99_ttft_ms ↓ |") and line.endswith(f"| {words} |") for line in markdown.splitlines())


def test_colour_on_a_terminal(bin_dir, tmp_path):
    a, b = group(tmp_path / "before"), group(tmp_path / "after", speed=1.1, first=100)
    leader, follower = pty.openpty()
    child = subprocess.Popen(command(bin_dir, "compare", a, b), env=environment(), stdout=follower, stdin=subprocess.DEVNULL)
    os.close(follower)
    seen = read_terminal(leader)
    assert child.wait() == 0 and b"\x1b[31mworse by" in seen


def test_three_sides_and_a_file_of_vllm(bin_dir, tmp_path):
    a = write(tmp_path / "a.json", document())
    flat = {"date": "20260101-000000", "backend": "vllm", "model_id": "m", "tokenizer_id": "m", "num_prompts": 10, "request_rate": "inf",
            "burstiness": 1.0, "max_concurrency": None, "duration": 2.0, "completed": 10, "failed": 0, "total_input_tokens": 100,
            "total_output_tokens": 200, "request_throughput": 5.0, "request_goodput": None, "output_throughput": 100.0,
            "total_token_throughput": 150.0, "mean_ttft_ms": 12.5, "median_ttft_ms": 12.0, "std_ttft_ms": 1.0, "p99_ttft_ms": 20.0,
            "mean_tpot_ms": 5.0, "median_tpot_ms": 5.0, "std_tpot_ms": 0.1, "p99_tpot_ms": 6.0, "mean_itl_ms": 5.0, "median_itl_ms": 5.0,
            "std_itl_ms": 0.1, "p99_itl_ms": 6.0}
    vllms = write(tmp_path / "flat.json", flat)
    answer = compare(bin_dir, a, vllms, a)
    ttft = metric(answer, "results.mean_ttft_ms")
    assert ttft["sides"][1]["value"] == 12.5 and len(ttft["ratios"]) == 2 and ttft["ratios"][1]["ratio"] == 1
    assert answer["inputs"]["partly_recorded"] > 0
    text = run_profllm(bin_dir, "compare", a, vllms, a).stdout
    assert "B compared with A" in text and "C compared with A" in text


@pytest.mark.parametrize("args,said", [
    (["a.json"], "found 1 result, expected 2 to 8 files or directories"),
    (["a.json"] * 9, "found 9 results, expected 2 to 8 files or directories"),
    (["a.json", "nowhere.json"], "nowhere.json"), (["a.json", "broken.json"], "broken.json:1:"), (["a.json", "empty"], "found no result"),
    (["a.json", "other.json"], "found neither 'run_id'"),
    (["a.json", "a.json", "--min-effect", "5"], "found '5', expected a share such as 5% or 0.05"),
    (["a.json", "a.json", "--min-effect", "0%"], "found '0%'"), (["a.json", "a.json", "--min-effect", ""], "found ''"),
    (["a.json", "a.json", "--metrics", "p99_tftt_ms"], "--metrics: unknown metric 'p99_tftt_ms' (did you mean 'p99_ttft_ms'?)"),
    (["a.json", "a.json", "--metrics", "foo"], "--metrics: unknown metric 'foo'\n"),
    (["a.json", "a.json", "--metrics", "run.name"], "is not numeric"),
    (["a.json", "a.json", "--json", "--markdown"], "--json and --markdown exclude each other")])
def test_a_fault_is_one_line(bin_dir, tmp_path, args, said):
    write(tmp_path / "a.json", document())
    (tmp_path / "broken.json").write_text("{\"run_id\": ")
    write(tmp_path / "other.json", {"what": "ever"})
    (tmp_path / "empty").mkdir()
    done = run_profllm(bin_dir, "compare", *args, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr


def test_names_of_others_do_nothing_to_a_terminal(bin_dir, tmp_path):
    a = write(tmp_path / "a.json", document())
    b = write(tmp_path / "b\x1b[31m|.json", document(seed=2, config__server__model="evil\x1b[2J\n| model " + "x" * 300))
    for form in ([], ["--markdown"]):
        text = run_profllm(bin_dir, "compare", a, b, *form).stdout
        assert "\x1b" not in text and "x" * 60 not in text
    assert "evil [2J \\| model" in text


def test_odd_numbers(bin_dir, tmp_path):
    """Infinite, zero and negative values are reported separately, and the table is complete."""
    odd = copy.deepcopy(document())
    odd["results"] |= {"mean_ttft_ms": 0, "median_ttft_ms": -3.5, "output_throughput": "inf"}
    a, b = write(tmp_path / "a.json", document(results__median_ttft_ms=-1.5)), write(tmp_path / "b.json", odd)
    answer = compare(bin_dir, a, b, "--metrics", "mean_ttft_ms,median_ttft_ms,output_throughput")
    assert [one["ratios"][0]["finding"] for one in answer["metrics"]] == ["no_ratio", "no_ratio", "no_value"]
    assert run_profllm(bin_dir, "compare", a, b).returncode == 0


@pytest.mark.parametrize("change, pointer", [
    ({"run_id": "r", "results": {"completed": "x"}}, "/results/completed"),
    ({"run_id": "r", "results": {"p90_ttft_ms": ["fast"]}}, "/results/p90_ttft_ms"),
    ({"num_prompts": 3, "completed": "x", "duration": 1}, "/completed")])
def test_a_metric_that_is_not_a_number_is_a_problem(bin_dir, tmp_path, change, pointer):
    """A result of profllm or of vllm: the problem names the file, the pointer, the value and the expected type."""
    a, b = write(tmp_path / "a.json", document()), write(tmp_path / "b.json", change)
    done = run_profllm(bin_dir, "compare", a, b)
    assert done.returncode == 2 and not done.stdout
    assert re.search(rf"'{b}': {pointer}: found .+, expected .+\n$", done.stderr), done.stderr


def run_set(bin_dir, folder, step, runs):
    folder.mkdir()
    for i in range(runs):
        config = base_config(num_prompts=100, random_output_len=20, max_concurrency=4, seed=i)
        config["launch"]["extra_args"] = ["--sim-step", step, "--sim-log", str(folder / f"r{i}.log")]
        path = write_config(folder, config, f"r{i}.yaml")
        done = run_profllm(bin_dir, "run", "--config", path, "--output", folder / f"r{i}.json")
        assert done.returncode == 0, done.stderr
    return folder


def sent_gap_ms(run):
    """The median gap between the tokens of a run, by the log of the simulator. A loaded host delays its steps as well as the client."""
    sent = by_request(read_log(run.with_suffix(".log")))
    gaps = []
    for record in read_zst_lines(run.with_suffix(".requests.jsonl.zst")):
        times = [line["t_ns"] for line in sent[record["request_id"]] if line["event"] == "token" and line["tokens"] > 0]
        gaps += [(late - early) / 1e6 for early, late in zip(times, times[1:])]
    assert len(gaps) == 100 * 19
    return statistics.median(gaps)


@pytest.mark.skipif(not LONG, reason="twenty runs of the simulator: PROFLLM_TEST_LONG=1")
def test_two_sets_of_runs_at_known_step_times_hold_the_truth(bin_dir, tmp_path):
    """
    Gaps between tokens are steps of the engine. The true ratio is that of the gaps that the simulator logged: the interval, moved by
    the client error bounds of the runs, contains it.
    """
    a, b = run_set(bin_dir, tmp_path / "a", "20ms", 10), run_set(bin_dir, tmp_path / "b", "25ms", 10)
    [ratio] = metric(compare(bin_dir, a, b), "results.median_itl_ms")["ratios"]
    assert ratio["method"] == "bootstrap" and ratio["finding"] == "worse"
    runs = [[folder / f"r{i}.json" for i in range(10)] for folder in (a, b)]
    logged_a, logged_b = (statistics.mean(sent_gap_ms(run) for run in side) for side in runs)
    truth = logged_b / logged_a
    assert abs(truth - 1.25) < 0.02 and abs(ratio["ratio"] - truth) < 0.005, (ratio, truth)
    results = [[load_result(run)["results"] for run in side] for side in runs]
    low_a, low_b = (statistics.mean(one["median_itl_ms"] + one["median_itl_ms_client_error"][0] for one in side) for side in results)
    high_a, high_b = (statistics.mean(one["median_itl_ms"] + one["median_itl_ms_client_error"][1] for one in side) for side in results)
    low, high = ratio["low"] / ratio["ratio"] * low_b / high_a, ratio["high"] / ratio["ratio"] * high_b / low_a
    assert low <= truth <= high, (ratio, truth, low, high)
    assert run_profllm(bin_dir, "compare", a, b, "--fail-on-regression", "--metrics", "median_itl_ms").returncode == 7
    # those of one step time differ by no more than a host's noise, neither as groups nor as single runs
    halves = [tmp_path / "even", tmp_path / "odd"]
    for i, half in enumerate(halves):
        half.mkdir()
        for run in range(i, 10, 2):
            (half / f"r{run}.json").write_text((a / f"r{run}.json").read_text())
    for sides in (halves, (a / "r0.json", a / "r1.json")):
        assert run_profllm(bin_dir, "compare", *sides, "--fail-on-regression", "--metrics", "median_itl_ms").returncode == 0
