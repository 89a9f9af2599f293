"""Files of other programs: results without samples, results that contradict themselves; each is stored with its facts."""
import json
import random
import statistics

import pytest
from dashboard_tools import Dashboard
from import_tools import import_json, run_dashboard
from run_tools import run_profllm
from sim_tools import Server


def percentile(values, percent):
    """Returns a percentile by numpy's default method."""
    values = sorted(values)
    rank = (len(values) - 1) * percent / 100
    low = int(rank)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (rank - low)


def family(name, seconds, percents=(50, 90, 99)):
    values = [1000 * value for value in seconds]
    if not values:
        return {f"{statistic}_{name}_ms": 0.0 for statistic in ["mean", "median", "std", *[f"p{p}" for p in percents]]}
    return {f"mean_{name}_ms": statistics.fmean(values), f"median_{name}_ms": statistics.median(values),
            f"std_{name}_ms": statistics.pstdev(values), **{f"p{p}_{name}_ms": percentile(values, p) for p in percents}}


def flat(count=40, failed=0, tokens=(2, 60), seed=7, lists=False, latencies=False, rounded=None, e2el=True, **keys):
    """Returns the file that vLLM's client writes for such requests, by its formulas."""
    rng = random.Random(seed)
    at, requests = 0.0, []
    for i in range(count + failed):
        at += rng.expovariate(20)
        ok = i % (count + failed) >= failed
        output = rng.randint(*tokens) if ok else 0
        requests.append({"start": at, "input": rng.randint(5, 900), "output": output, "ttft": rng.uniform(0.02, 0.2) if ok else 0.0,
                         "itl": [rng.uniform(0.005, 0.03) for _ in range(output - 1)], "error": "" if ok else "Bad Gateway"})
    for one in requests:
        one["latency"] = one["ttft"] + sum(one["itl"])
    done = [one for one in requests if not one["error"]]
    duration = max([at, *[one["start"] + one["latency"] for one in done]]) + 0.01
    inputs, outputs = sum(one["input"] for one in done), sum(one["output"] for one in done)
    result = {"date": "20260301-101112", "endpoint_type": "openai", "backend": "openai", "label": None, "model_id": "some/model",
              "tokenizer_id": "some/model", "num_prompts": count + failed, "request_rate": 20.0, "burstiness": 1.0, "max_concurrency": None,
              "duration": duration, "completed": count, "failed": failed, "total_input_tokens": inputs, "total_output_tokens": outputs,
              "request_throughput": count / duration, "request_goodput": None, "output_throughput": outputs / duration,
              "total_token_throughput": (inputs + outputs) / duration, "max_output_tokens_per_s": float(min(outputs, 400)),
              "max_concurrent_requests": min(count, 12), "rtfx": 0.0}
    if lists:
        result |= {"input_lens": [one["input"] for one in requests], "output_lens": [one["output"] for one in requests],
                   "ttfts": [one["ttft"] for one in requests], "itls": [one["itl"] for one in requests],
                   "start_times": [one["start"] for one in requests], "generated_texts": ["x" for _ in requests],
                   "errors": [one["error"] for one in requests]}
    if lists or latencies:
        result |= {"latencies": [one["latency"] for one in requests]}
    result |= family("ttft", [one["ttft"] for one in done])
    result |= family("tpot", [(one["latency"] - one["ttft"]) / (one["output"] - 1) for one in done if one["output"] > 1])
    result |= family("itl", [gap for one in done for gap in one["itl"]])
    if e2el:
        result |= family("e2el", [one["latency"] for one in done])
    if rounded is not None:
        result = {key: round(value, rounded) if isinstance(value, float) else value for key, value in result.items()}
    return result | keys


def beyond(bin_dir, tmp_path, *documents):
    """Returns the checks that each document does not pass, with the texts of the import."""
    paths = []
    for i, document in enumerate(documents):
        path = tmp_path / f"{i}.json"
        path.write_text(json.dumps(document))
        paths.append(path)
    told = import_json(bin_dir, *paths, "--db", tmp_path / "checks.db")
    assert [result["state"] for result in told["results"]] == ["stored"] * len(documents)
    return [{fault["message"].split(": ")[0]: fault["message"] for fault in result["faults"]} for result in told["results"]]


def cells(bin_dir, db, *columns, **request):
    with Dashboard(bin_dir, db) as dashboard:
        return {row["cells"]["run.name"]: [row["cells"].get(column, "-") for column in columns]
                for row in dashboard.rows(columns=["run.name", *columns], **request)}


# ---- families without samples ----------------------------------------------------------------------


def test_a_family_without_samples_is_null(bin_dir, tmp_path):
    """vLLM writes 0.0 for it; it never sorts before a measured one."""
    documents = {"good": flat(), "all-failed": flat(count=0, failed=40), "one-token": flat(tokens=(1, 1)),
                 "one-token-lists": flat(tokens=(1, 1), lists=True), "all-failed-lists": flat(count=0, failed=9, lists=True)}
    # before 0.11.1 without `failed`, and before the peaks
    old = flat(count=0, failed=20)
    documents["old"] = {key: value for key, value in old.items() if key not in ("failed", "max_output_tokens_per_s", "rtfx")}
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    told = import_json(bin_dir, *[tmp_path / f"{name}.json" for name in documents], "--db", tmp_path / "a.db")
    assert {result["name"]: result["faults"] for result in told["results"]} == {f"{name}.json": [] for name in documents}
    columns = ["results.mean_ttft_ms", "results.p99_tpot_ms", "results.std_itl_ms", "results.median_e2el_ms", "results.output_throughput",
               "results.completed", "results.request_throughput", "results.max_concurrent_requests"]
    got = cells(bin_dir, tmp_path / "a.db", *columns, sort=[{"field": "results.mean_ttft_ms", "dir": "asc"}])
    good, one = documents["good"], documents["one-token"]
    assert got["good.json"] == [good[column.removeprefix("results.")] for column in columns]
    assert got["one-token.json"] == [one["mean_ttft_ms"], None, None, *[one[column.removeprefix("results.")] for column in columns[3:]]]
    assert got["one-token-lists.json"][1:3] == [None, None]
    for name in ("all-failed", "all-failed-lists", "old"):
        assert got[f"{name}.json"] == [None] * 5 + [0, 0.0, None], name
    assert list(got)[0] in ("good.json", "one-token.json", "one-token-lists.json")
    done = run_profllm(bin_dir, "compare", tmp_path / "good.json", tmp_path / "all-failed.json")
    assert done.stdout.count("nothing to compare") >= 12


def test_zero_that_was_measured_stays(bin_dir, tmp_path):
    """Without a wait for a slot and without a failure, 0 is the measured value."""
    queue = {f"{statistic}_client_queue_time_ms": 0.0 for statistic in ("mean", "median", "std", "p99")}
    (tmp_path / "a.json").write_text(json.dumps(flat(**queue)))
    import_json(bin_dir, tmp_path / "a.json", "--db", tmp_path / "a.db")
    columns = ["results.mean_client_queue_time_ms", "results.failed", "results.rtfx"]
    assert cells(bin_dir, tmp_path / "a.db", *columns)["a.json"] == [0.0, 0, 0.0]


# ---- contradictions ----------------------------------------------------------------------------------


def off(key, factor):
    return lambda document: {**document, key: document[key] * factor}


def put(**keys):
    return lambda document: {**document, **keys}


def without(*names, **keys):
    return lambda document: {**{key: value for key, value in document.items() if key not in names}, **keys}


def zeros(*families):
    return lambda document: {**document, **{key: 0.0 for key in document if key.endswith(tuple(f"_{name}_ms" for name in families))}}


def shorter(name):
    return lambda document: {**document, name: document[name][:-1]}


def scaled(key):
    return lambda document: {**document, key: [2 * value for value in document[key]]}


CONTRADICTIONS = {
    "totals_agreement": {
        "output throughput": (off("output_throughput", 100), "output_throughput: found"),
        "request throughput": (off("request_throughput", 0.9), "request_throughput: found"),
        "throughput of no requests": (put(request_throughput=0.0), "request_throughput: found 0, expected"),
        "sum of tokens": (off("total_output_tokens", 2), "throughput: found"),
        "input tokens": (off("total_input_tokens", 10), "total_token_throughput: found"),
        "duration": (off("duration", 1.5), "throughput: found"),
        "no duration": (put(duration=0.0), "duration: found 0"),
        "more than asked": (put(num_prompts=30), "completed + failed: found 40, expected at most num_prompts, 30"),
        "more than asked, old": (without("failed", num_prompts=30), "expected at most num_prompts, 30"),
        "more in flight than allowed": (put(max_concurrency=1), "max_concurrency: found 1"),
        "goodput above throughput": (put(request_goodput=1e6), "request_goodput: found"),
        "longer than the run": (put(p99_e2el_ms=1e6), "p99_e2el_ms: found 1e+06, expected at most the duration"),
        "tokens of nothing": (put(completed=0, failed=40, request_throughput=0.0), "total_output_tokens: found"),
    },
    "statistics_order": {
        "p90 above p99": (put(p90_ttft_ms=199.0, p99_ttft_ms=120.0), "p90_ttft_ms: found 199, expected at most 120, p99_ttft_ms"),
        "median above p90": (off("median_itl_ms", 3), "median_itl_ms: found"),
        "mean far from median": (off("mean_ttft_ms", 9), "ttft_ms: found"),
        "mean below half of the median": (off("mean_tpot_ms", 0.4), "mean_tpot_ms: found"),
        "p99 beyond the spread": (off("p99_e2el_ms", 2.5), "p99_e2el_ms: found"),
        "no spread": (put(std_ttft_ms=0.0), "ttft_ms: found"),
        "TTFT above E2EL": (lambda document: {**document, **{f"{k}_e2el_ms": document[f"{k}_e2el_ms"] / 20 for k in
                                                              ("mean", "median", "std", "p50", "p90", "p99")}}, "ttft_ms: found"),
        "median TTFT above that of E2EL": (put(median_e2el_ms=1.0, p50_e2el_ms=1.0), "found"),
        "one percentile alone": (put(p10_ttft_ms=500.0), "p10_ttft_ms: found 500"),
    },
    "impossible_zeros": {
        "TTFT": (zeros("ttft"), "; TTFT"),
        "E2EL": (zeros("e2el"), "; E2EL"),
        "TPOT": (zeros("tpot"), "; TPOT"),
        "ITL": (zeros("itl"), "; ITL"),
        "all": (zeros("ttft", "tpot", "e2el"), "; TTFT, E2EL, TPOT"),
    },
    "request_count": {
        "fewer": (put(num_prompts=55), "missing"),
        "many fewer": (put(num_prompts=4000), "missing"),
        "failed not counted": (put(num_prompts=41), "missing"),
        "none failed": (put(num_prompts=80, failed=0), "missing"),
    },
}
OF_LISTS = {
    "mean": (off("mean_ttft_ms", 1.05), "mean_ttft_ms: found"),
    "percentile": (off("p99_itl_ms", 1.3), "p99_itl_ms: found"),
    "tokens": (scaled("output_lens"), ": found"),
    "times": (scaled("ttfts"), "_ms: found"),
    "one list shorter": (shorter("ttfts"), "found"),
    "texts shorter": (shorter("generated_texts"), "generated_texts: found 39 items, expected 40"),
    "starts shorter": (shorter("start_times"), "start_times: found 39 items, expected 40"),
    "counts": (put(completed=30, failed=10), "the lists have 40 requests, 40 of them finished, but 'completed' is 30"),
}


@pytest.mark.parametrize("check", CONTRADICTIONS)
def test_contradiction_is_stored_and_named(bin_dir, tmp_path, check):
    cases = CONTRADICTIONS[check]
    told = beyond(bin_dir, tmp_path, *[change(flat()) for change, _ in cases.values()])
    for (name, (_, says)), faults in zip(cases.items(), told):
        assert says in faults.get(check, ""), (name, faults)
    # by the check they are found, and by the verdict the worse ones
    names = {f"{i}.json" for i in range(len(cases))}
    assert cells(bin_dir, tmp_path / "checks.db", filter={"field": f"quality.{check}.status", "op": "eq", "value": "over_limit"}).keys() == names
    verdicts = cells(bin_dir, tmp_path / "checks.db", "quality.verdict", "results.completed")
    for name, (verdict, completed) in verdicts.items():
        assert verdict == ("degraded" if completed and check != "request_count" else None), name


def test_lists_that_contradict_the_summary(bin_dir, tmp_path):
    told = beyond(bin_dir, tmp_path, flat(lists=True), *[change(flat(lists=True)) for change, _ in OF_LISTS.values()],
                  *[change(flat(latencies=True)) for change in (shorter("latencies"), put(completed=39, failed=1))], flat(latencies=True))
    assert told[0] == told[-1] == {}
    for (name, (_, says)), faults in zip(OF_LISTS.items(), told[1:]):
        assert says in faults.get("lists_agreement", ""), (name, faults)
    assert ": found 40, expected 39" in told[-3]["lists_agreement"]
    assert "completed: found 39, expected 40" in told[-2]["lists_agreement"]


@pytest.mark.parametrize("change", [{}, {"rounded": 2}, {"rounded": 1}, {"rounded": 0}, {"lists": True}, {"latencies": True}, {"failed": 7},
                                    {"count": 1}, {"count": 2}, {"count": 3, "failed": 1}, {"count": 500}, {"e2el": False}, {"tokens": (1, 3)}])
def test_files_of_vllm_pass_the_checks(bin_dir, tmp_path, change):
    """Covers many seeds, so that they include samples of every shape."""
    documents = [flat(seed=seed, **change) for seed in range(25)]
    old = [without("failed", "request_goodput", **{"request_goodput:": None})(document) for document in documents[:2]]
    assert beyond(bin_dir, tmp_path, *documents, *old) == [{}] * 27


def test_offline_files_that_contradict_themselves(bin_dir, tmp_path):
    latency = {"avg_latency": 0.5, "latencies": [0.4, 0.6], "percentiles": {"10": 0.42, "50": 0.5, "99": 0.598}}
    throughput = {"elapsed_time": 2.0, "num_requests": 100, "total_num_tokens": 4000, "requests_per_second": 50.0, "tokens_per_second": 2000.0}
    told = beyond(bin_dir, tmp_path, latency, throughput, {**latency, "avg_latency": 0.9}, {**latency, "percentiles": {"99": 0.1}},
                  {**latency, "avg_latency": 0, "latencies": [0, 0], "percentiles": {}}, {**throughput, "tokens_per_second": 4000.0},
                  {**throughput, "elapsed_time": 0})
    assert told[:2] == [{}, {}]
    assert [list(faults) for faults in told[2:]] == [["lists_agreement"]] * 2 + [["impossible_zeros"]] + [["totals_agreement"]] * 2


def test_contradiction_in_words(bin_dir, tmp_path):
    """The import prints a note, and the comparison a caution."""
    (tmp_path / "good.json").write_text(json.dumps(flat()))
    (tmp_path / "odd.json").write_text(json.dumps(off("output_throughput", 100)(flat())))
    done = run_dashboard(bin_dir, "import", "good.json", "odd.json", "--db", "a.db", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.count("note: ") == 1 and "note: totals_agreement: " in done.stdout
    done = run_profllm(bin_dir, "compare", tmp_path / "good.json", tmp_path / "odd.json")
    assert "not trusted" in done.stdout and "degraded" in done.stdout


# ---- the console table -------------------------------------------------------------------------------

TITLES = {"ttft": "Time to First Token", "tpot": "Time per Output Token (excl. 1st token)", "itl": "Inter-token Latency",
          "e2el": "End-to-end Latency"}


def table(result, width=50, percents=(99,), since="0.33", families=("ttft", "tpot", "itl", "e2el"), total="Total token throughput (tok/s):"):
    """Returns the client's console table of that result."""
    lines = [" Serving Benchmark Result ".center(width, "=")]

    def line(label, value, form=".2f"):
        lines.append(f"{label:<40} {format(value, form):<10}")
    line("Successful requests:", result["completed"], "d")
    if since >= "0.11.1":
        line("Failed requests:", result["failed"], "d")
    if result["max_concurrency"]:
        line("Maximum request concurrency:", result["max_concurrency"], "d")
    if result["request_rate"] != "inf" and since >= "0.11":
        line("Request rate configured (RPS):", result["request_rate"])
    line("Benchmark duration (s):", result["duration"])
    line("Total input tokens:", result["total_input_tokens"], "d")
    line("Total generated tokens:", result["total_output_tokens"], "d")
    line("Request throughput (req/s):", result["request_throughput"])
    if result["request_goodput"] is not None:
        line("Request goodput (req/s):", result["request_goodput"])
    line("Output token throughput (tok/s):", result["output_throughput"])
    if since >= "0.11":
        line("Peak output token throughput (tok/s):", result["max_output_tokens_per_s"])
        line("Peak concurrent requests:", float(result["max_concurrent_requests"]))
    line(total, result["total_token_throughput"])
    for key in families:
        name = key.upper()
        lines.append(TITLES[key].center(width, "-"))
        line(f"Mean {name} (ms):", result[f"mean_{key}_ms"])
        line(f"Median {name} (ms):", result[f"median_{key}_ms"])
        for percent in percents:
            line(f"P{percent} {name} (ms):", result[f"p{percent}_{key}_ms"])
    return "\n".join([*lines, "=" * width]) + "\n"


NAMESPACE = ("Namespace(subparser='bench', bench_type='serve', dispatch_function=<function Serve.cmd at 0x7f0a>, seed=7, num_prompts=40, "
             "dataset_name='random', dataset_path=None, random_input_len=128, random_output_len=64, random_range_ratio='0.25', "
             "limits={{'image': 255, 'video': 1}}, buckets={{(256, 256, 1): 0.5}}, label=None, backend='vllm', base_url='http://u:pw@h:1', "
             "header=['Authorization=Bearer sk-very-secret'], max_concurrency={cap}, model='org/it\\'s-7B', tokenizer=\"/models/x\", "
             "request_rate={rate}, burstiness=1.0, ignore_eos=True, metadata=['tensor_parallel_size=4', 'gpu=H100'], goodput=['ttft:200'], "
             "extra_body={{'api_key': 'sk-very-secret'}}, logging_config=LoggingConfig(level='INFO', name='a)b,c=1'))\n")
NOISE = ("INFO 03-01 10:11:12 [__init__.py:239] Automatically detected platform cuda.\n[transformers] Ignoring something\n"
         "Starting initial single prompt test run...\nTraffic request rate: 20.0\nBurstiness factor: 1.0 (Poisson process)\n"
         "Maximum request concurrency: None\n  0%|          | 0/40 [00:00<?, ?it/s]\r100%|##########| 40/40 [00:11<00:00,  5.37it/s]\n")
COLUMNS = ["results.completed", "results.duration", "results.total_output_tokens", "results.output_throughput", "results.total_token_throughput",
           "results.mean_ttft_ms", "results.median_tpot_ms", "results.p99_itl_ms", "results.mean_e2el_ms"]


def rounded(result):
    values = [result[column.removeprefix("results.")] for column in COLUMNS]
    return [round(value, 2) if isinstance(value, float) else value for value in values]


def stored(bin_dir, tmp_path, text, name="run.log", columns=COLUMNS):
    """Returns (rows, output of the import) of a file with that text."""
    (tmp_path / name).write_text(text)
    told = import_json(bin_dir, tmp_path / name, "--db", tmp_path / "console.db")
    return cells(bin_dir, tmp_path / "console.db", *columns), told["results"]


def prefixed(prefix):
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.split("\n")[:-1])


LOGS = {
    "the table alone": lambda text: text,
    "with its options": lambda text: NAMESPACE.format(cap=None, rate="20.0") + NOISE + text + "Results saved to x.json\n\nreal 1m2s\n",
    "among log lines": lambda text: NOISE + text.replace("Benchmark duration", "(APIServer pid=1) INFO 10:11 [loggers.py:123] Engine 000: "
                                                         "Avg prompt throughput: 1.0 tokens/s\nBenchmark duration", 1),
    "of a container": prefixed("bench-1  | "),
    "of journald": prefixed("Mar 01 10:11:12 node7 python3[4711]: "),
    "of srun": prefixed("0: "),
    "with colors and CRLF": lambda text: text.replace("Mean", "\033[1mMean\033[0m").replace("\n", "\r\n"),
    "behind a progress bar": lambda text: "100%|####| 40/40 [00:11<00:00,  5.37it/s]" + text,
    "without its last line": lambda text: text[:text.rindex("=" * 50)],
    "in Markdown": lambda text: f"# Result\n\n```\n{text}```\n",
    "after a byte order mark": lambda text: "\ufeff" + text,
}


@pytest.mark.parametrize("log", LOGS)
def test_console_table(bin_dir, tmp_path, log):
    result = flat()
    rows, (told,) = stored(bin_dir, tmp_path, LOGS[log](table(result)))
    assert (told["state"], told["form"], told["name"], told["faults"]) == ("stored", "console", "run.log", [])
    assert rows == {"run.log": rounded(result)}
    assert cells(bin_dir, tmp_path / "console.db", filter={"field": "tags.console", "op": "eq", "value": "vllm bench serve"}).keys() == rows.keys()


RELEASES = {
    "0.8": {"since": "0.8", "families": ("ttft", "tpot", "itl"), "total": "Total Token throughput (tok/s):"},
    "0.10": {"since": "0.10", "total": "Total Token throughput (tok/s):"},
    "0.11": {"since": "0.11", "total": "Total Token throughput (tok/s):"},
    "0.13": {"since": "0.13"},
    "percentiles": {"percents": (50, 90, 99)},
    "of the client in Rust": {"width": 60},
}


@pytest.mark.parametrize("release", RELEASES)
def test_console_table_of_a_release(bin_dir, tmp_path, release):
    """Facts that a table lacks are not recorded."""
    result = flat(request_goodput=1.25, max_concurrency=30)
    (row,), _ = [list(part) for part in stored(bin_dir, tmp_path, table(result, **RELEASES[release]), columns=[
        *COLUMNS[:8], "results.failed", "benchmark.num_prompts", "benchmark.max_concurrency", "results.request_goodput",
        "results.p90_ttft_ms", "results.std_ttft_ms", "quality.verdict"])[0].values()], None
    counted = RELEASES[release].get("since", "0.33") >= "0.11.1"
    assert row[:8] == rounded(result)[:8]
    assert row[8:] == [0, 40 if counted else "-", 30, 1.25, round(result["p90_ttft_ms"], 2) if release == "percentiles" else "-", "-", None] or \
        (not counted and row[8] == "-")


def test_options_of_the_console(bin_dir, tmp_path):
    columns = ["server.model", "benchmark.tokenizer", "benchmark.num_prompts", "benchmark.dataset_name", "benchmark.random_input_len",
               "benchmark.request_rate", "benchmark.max_concurrency", "benchmark.backend", "benchmark.seed", "server.tensor_parallel_size", "tags.gpu"]
    text = NAMESPACE.format(cap=16, rate="inf") + NOISE.replace("20.0", "inf") + table(flat(request_rate="inf", max_concurrency=16))
    rows, _ = stored(bin_dir, tmp_path, text, columns=columns)
    assert rows["run.log"] == ["org/it's-7B", "/models/x", 40, "random", 128, "inf", 16, "vllm", 7, 4, "H100"]
    # nothing secret is kept of the log
    assert all(b"sk-very-secret" not in path.read_bytes() and b"u:pw" not in path.read_bytes() for path in tmp_path.glob("console.db*"))


def test_several_tables_in_one_file(bin_dir, tmp_path):
    """Each table has the options before it; a run without a table gets none."""
    results = [flat(seed=seed, request_rate="inf") for seed in range(3)]
    one, two, three = (table(result) for result in results)
    lost = NAMESPACE.format(cap=99, rate="inf") + "Traceback (most recent call last):\n"
    text = NAMESPACE.format(cap=8, rate="5.0") + NOISE + one + lost + two + NAMESPACE.format(cap=4, rate="inf") + three[:-30] + one
    rows, told = stored(bin_dir, tmp_path, text, columns=[*COLUMNS, "benchmark.max_concurrency"])
    lines = [1 + text[:at].count("\n") for at in range(len(text)) if text.startswith("============ Serving", at)]
    assert [result["name"] for result in told] == [f"run.log:{line}" for line in lines]
    # the last one is the first again, without its options
    assert [result["state"] for result in told] == ["stored"] * 4
    assert [rows[f"run.log:{line}"] for line in lines] == [rounded(results[0]) + [8], rounded(results[1]) + [99], rounded(results[2]) + [4],
                                                           rounded(results[0]) + ["-"]]
    done = run_profllm(bin_dir, "compare", tmp_path / "run.log", tmp_path / "run.log")
    assert done.returncode == 2 and "found several tables of vllm bench serve, expected one" in done.stderr


# ---- the lines of offline benchmarks ---------------------------------------------------------------

LATENCY = {"avg_latency": 1.2345678901234567, "percentiles": {"10": 1.0625, "25": 1.125, "50": 1.25, "75": 1.375, "90": 1.5, "99": 2.0}}
LATENCY_OPTIONS = ("Namespace(subparser='bench', bench_type='latency', model='org/m-7B', tensor_parallel_size=2, batch_size=8, input_len=32, "
                   "output_len=128, hf_token='hf_secret', allowed=['http://u:pw@h'])\n")
THROUGHPUT_OPTIONS = "Namespace(bench_type='throughput', model='org/m-8B', backend='vllm', num_prompts=1000, input_len=512, output_len=128, dtype='half')\n"
OFFLINE_COLUMNS = ["benchmark.kind", "results.avg_latency", "results.percentiles.99", "results.requests_per_second", "results.tokens_per_second",
                   "results.total_num_tokens"]


def latency_lines(result=LATENCY):
    return (f"Warming up...\nAvg latency: {result['avg_latency']} seconds\n"
            + "".join(f"{percent}% percentile latency: {value} seconds\n" for percent, value in result["percentiles"].items()))


def throughput_lines(requests=7.125, total=4560, output=912, old=False):
    if old:
        return f"Throughput: {requests:.2f} requests/s, {total:.2f} tokens/s\n"
    return (f"Throughput: {requests:.2f} requests/s, {total:.2f} total tokens/s, {output:.2f} output tokens/s\n"
            "Total num prompt tokens:  512000\nTotal num output tokens:  128000\n")


LATENCY_ROW = ["latency", LATENCY["avg_latency"], 2.0, "-", "-", "-"]
THROUGHPUT_ROW = ["throughput", "-", "-", 7.12, 4560.0, 640000]


@pytest.mark.parametrize("log", [name for name in LOGS if name not in ("without its last line",)])
@pytest.mark.parametrize("text,row", [(latency_lines(), LATENCY_ROW), (throughput_lines(), THROUGHPUT_ROW),
                                      (throughput_lines(old=True), THROUGHPUT_ROW[:5] + ["-"])], ids=["latency", "throughput", "old throughput"])
def test_lines_of_offline_benchmarks(bin_dir, tmp_path, log, text, row):
    rows, (told,) = stored(bin_dir, tmp_path, LOGS[log](text), columns=OFFLINE_COLUMNS)
    assert (told["state"], told["form"], told["name"], told["faults"]) == ("stored", "console", "run.log", [])
    assert rows == {"run.log": row}


def test_lines_between_those_of_offline_benchmarks(bin_dir, tmp_path):
    lines = latency_lines().splitlines(keepends=True)
    text = "".join(line + "(EngineCore pid=7) INFO 10:11 [loggers.py:1] Avg prompt throughput: 4.0 tokens/s, Avg generation throughput: 9.0 tokens/s\n"
                   for line in lines)
    rows, _ = stored(bin_dir, tmp_path, text, columns=OFFLINE_COLUMNS)
    assert rows == {"run.log": LATENCY_ROW}


def test_outputs_of_all_kinds_in_one_file(bin_dir, tmp_path):
    result = flat()
    parts = [LATENCY_OPTIONS + latency_lines(), NOISE + table(result), THROUGHPUT_OPTIONS + throughput_lines(), latency_lines({**LATENCY, "avg_latency": 3.5})]
    text = "".join(parts)
    columns = OFFLINE_COLUMNS + ["server.model", "server.tensor_parallel_size", "benchmark.num_prompts", "benchmark.batch_size", "server.dtype"]
    rows, told = stored(bin_dir, tmp_path, text, columns=columns)
    assert [one["form"] for one in told] == ["console"] * 4
    found = [rows[f"run.log:{text[:text.index(word)].count(chr(10)) + 1}"]
             for word in ("Avg latency: 1.2", "= Serving Benchmark Result", "Throughput: ", "Avg latency: 3.5")]
    assert found[0] == LATENCY_ROW + ["org/m-7B", 2, "-", 8, "-"]
    assert found[1][:6] == ["-"] * 6
    assert found[2] == THROUGHPUT_ROW + ["org/m-8B", "-", 1000, "-", "half"]
    assert found[3] == ["latency", 3.5, 2.0, "-", "-", "-", "-", "-", "-", "-", "-"]
    assert all(b"hf_secret" not in path.read_bytes() and b"u:pw" not in path.read_bytes() for path in tmp_path.glob("console.db*"))


@pytest.mark.parametrize("text", [
    "Avg latency: seconds\n", "Avg latency: -1 seconds\n", "Avg latency: nan seconds\n", "Avg latency: 1e999 seconds\n",
    "Avg latency: 1.5 seconds per batch\n", "MyAvg latency: 1.5 seconds\n", "50% percentile latency: 1 seconds\n",
    "Throughput: 1 requests/s\n", "Throughput: 1 requests/s, 2 total tokens/s\n", "Throughput: x requests/s, 2 tokens/s\n",
    "Throughput: 1 requests/s, 2 total tokens/s, 3 output tokens/s!\n", "Throughput: 1 requests/s, inf tokens/s\n"])
def test_other_lines_are_not_output(bin_dir, tmp_path, text):
    (tmp_path / "run.log").write_text(text)
    (told,) = import_json(bin_dir, tmp_path / "run.log", "--db", tmp_path / "b.db", status=1)["results"]
    assert told["state"] == "rejected" and "not valid JSON" in told["message"]


def test_a_file_that_quotes_offline_lines_is_a_file(bin_dir, tmp_path):
    (tmp_path / "quotes.json").write_text(json.dumps({**flat(), "note": latency_lines() + throughput_lines()}, indent=1))
    (told,) = import_json(bin_dir, tmp_path / "quotes.json", "--db", tmp_path / "b.db")["results"]
    assert told["form"] == "flat"


def test_offline_lines_are_compared(bin_dir, tmp_path):
    for name, average in (("a.log", 2.0), ("b.log", 2.5)):
        (tmp_path / name).write_text(LATENCY_OPTIONS + latency_lines({**LATENCY, "avg_latency": average}))
    done = run_profllm(bin_dir, "compare", tmp_path / "a.log", tmp_path / "b.log", "--json")
    assert done.returncode == 0, done.stderr
    assert '"results.avg_latency"' in done.stdout


def test_console_tables_that_are_wrong(bin_dir, tmp_path):
    result = flat()
    contradicts = table({**result, "output_throughput": 100 * result["output_throughput"]})
    rows, (told,) = stored(bin_dir, tmp_path, contradicts, columns=["quality.verdict"])
    assert rows == {"run.log": ["degraded"]} and told["faults"][0]["message"].startswith("totals_agreement: ")
    for name, text in {"cut.log": table(result)[:120], "title.log": "====== Serving Benchmark Result ======\n"}.items():
        (tmp_path / name).write_text(text)
        (told,) = import_json(bin_dir, tmp_path / name, "--db", tmp_path / "b.db", status=1)["results"]
        assert told["state"] == "rejected" and "without 'Successful requests:' or 'Benchmark duration (s):'" in told["message"]
    # JSON whose text quotes a table is JSON
    (tmp_path / "quotes.json").write_text(json.dumps({**result, "note": table(result)}, indent=1))
    (told,) = import_json(bin_dir, tmp_path / "quotes.json", "--db", tmp_path / "b.db")["results"]
    assert told["form"] == "flat"


def test_console_table_without_samples(bin_dir, tmp_path):
    rows, (told,) = stored(bin_dir, tmp_path, table(flat(count=0, failed=40)))
    assert rows == {"run.log": [0, pytest.approx(rows["run.log"][1]), 0, None, None, None, None, None, None]} and told["faults"] == []


def test_console_table_is_uploaded_and_compared(bin_dir, tmp_path):
    """By HTTP, by import, and by profllm itself; the converted result is stored."""
    result = flat()
    (tmp_path / "run.log").write_text(NAMESPACE.format(cap=None, rate="20.0") + NOISE + table(result))
    (tmp_path / "flat.json").write_text(json.dumps(flat(seed=8)))
    with Dashboard(bin_dir, tmp_path / "up.db") as dashboard:
        done = run_profllm(bin_dir, "upload", tmp_path / "run.log", "--to", dashboard.url)
        assert done.returncode == 0, done.stderr
        job = dashboard.upload("/api/upload/raw", (tmp_path / "run.log").read_bytes(), media="text/plain")
        assert [item["state"] for item in job["items"]] == ["duplicate"]
        (row,) = dashboard.rows(columns=COLUMNS)
        assert [row["cells"][column] for column in COLUMNS] == rounded(result)
        entry = dashboard.get(f"/api/data/experiments/{row['id']}").json
        assert entry["form"] == "console" and entry["tags"]["console"] == "vllm bench serve"
        raw = json.loads(dashboard.get(f"/api/data/experiments/{row['id']}/raw").body)
        assert raw["console"] == "vllm bench serve" and raw["completed"] == 40 and raw["arguments"]["dataset_name"] == "random"
    done = run_profllm(bin_dir, "compare", tmp_path / "flat.json", tmp_path / "run.log")
    assert done.returncode == 0 and "mean_ttft_ms" in done.stdout
    assert run_dashboard(bin_dir, "check", "--db", tmp_path / "up.db").returncode == 0


# ---- datasets ------------------------------------------------------------------------------------------

TALKS = [(f"question {i} of them, with é and \U0001f600", f"answer {i} " * (i + 2)) for i in range(6)]


def sharegpt(talk, **more):
    return {"conversations": [{"from": "human", "value": talk[0]}, {"from": "gpt", "value": talk[1]}], **more}


def messages(talk, **more):
    return {"messages": [{"role": "user", "content": talk[0]}, {"role": "assistant", "content": talk[1]}], **more}


def parts(talk):
    return {"messages": [{"role": "system", "content": "be brief"},
                         {"role": "user", "content": [{"type": "text", "text": talk[0][:5]}, {"type": "text", "text": talk[0][5:]}]},
                         {"role": "assistant", "content": talk[1]}]}


def lines(form):
    return "".join(json.dumps(form(talk)) + "\n" for talk in TALKS)


FORMS = {
    "an array": (json.dumps([sharegpt(talk) for talk in TALKS]), 0),
    "JSON lines": (lines(sharegpt), 0),
    "JSON lines of messages": (lines(messages), 0),
    "an array of messages": (json.dumps([messages(talk) for talk in TALKS], indent=2, ensure_ascii=False), 0),
    "parts and a system message": (lines(parts), 0),
    "a byte order mark": ("\ufeff" + json.dumps([sharegpt(talk) for talk in TALKS]), 0),
    "NaN beside the texts": (json.dumps([sharegpt(talk, score=float("nan") if i % 2 else 1.5) for i, talk in enumerate(TALKS)]), 3),
    "infinities in JSON lines": ("".join(json.dumps(messages(talk, logprob=float("-inf"))) + "\n" for talk in TALKS), 6),
}


def run_dataset(bin_dir, server, folder, text, *words, name="sharegpt", file="data.json"):
    """Returns (prompts, result) of a run over the file."""
    (folder / file).write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    done = run_profllm(bin_dir, "bench", "serve", "--port", server.port, "--dataset-name", name, "--dataset-path", folder / file, "--disable-shuffle",
                       "--num-prompts", 6, "--no-oversample", "--skip-chat-template", "--output", folder / "r.json", "--overwrite",
                       *words)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "r.json").read_text()), done


@pytest.fixture(scope="module")
def simulator(bin_dir, tmp_path_factory):
    with Server(bin_dir, "--sim-step", "1ms", "--max-model-len", 8192, model="org/tiny") as running:
        yield running


def notes_of(done):
    return [line for line in done.stderr.splitlines() if "values that JSON does not allow" in line]


@pytest.mark.parametrize("form", FORMS)
def test_conversations_in_every_form(bin_dir, simulator, tmp_path, form):
    """All forms yield the same prompts and lengths; replacements are counted."""
    text, mended = FORMS[form]
    result, done = run_dataset(bin_dir, simulator, tmp_path, text)
    count = [simulator.post("/tokenize", {"model": "org/tiny", "prompt": part})["count"] for talk in TALKS for part in talk]
    assert result["results"]["completed"] == 6
    assert result["results"]["total_input_tokens"] == sum(count[::2]) and result["results"]["total_output_tokens"] == sum(count[1::2])
    assert [f"{mended} records of" in line for line in notes_of(done)] == [True] * bool(mended)


@pytest.mark.parametrize("name, lines_of", [
    ("sharegpt", lambda prompts: json.dumps([sharegpt((prompt, "answer " * 8)) for prompt in prompts])),
    ("custom", lambda prompts: "".join(json.dumps({"prompt": prompt, "weight": 1}) + "\n" for prompt in prompts)),
    ("spec_bench", lambda prompts: "\ufeff" + "".join(json.dumps({"turns": [prompt], "score": float("nan")}) + "\n" for prompt in prompts)),
])
def test_half_a_surrogate_pair_does_not_lose_the_file(bin_dir, simulator, tmp_path, name, lines_of):
    prompts = [f"prompt number {i} of the file" + ("\ud83d" if i == 2 else "") for i in range(6)]
    result, done = run_dataset(bin_dir, simulator, tmp_path, lines_of(prompts), "--output-len", 8, name=name, file="data.jsonl")
    assert result["results"]["completed"] == 6
    count = [simulator.post("/tokenize", {"model": "org/tiny", "prompt": prompt.replace("\ud83d", "\ufffd")})["count"] for prompt in prompts]
    # spec_bench always has the template
    assert result["results"]["total_input_tokens"] == sum(count) + (18 if name == "spec_bench" else 0)
    (note,) = notes_of(done)
    assert ("6 records of" if name == "spec_bench" else "1 record of") in note
    assert f"(first: record {1 if name == 'spec_bench' else 3}" in note


@pytest.mark.parametrize("name", ["sharegpt", "custom", "spec_bench"])
@pytest.mark.parametrize("text, says", [
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 672000000\n", "found a Git LFS pointer instead of the dataset"),
    (b"\xff\xfe[\0", "found UTF-16 text, expected UTF-8"),
    (b"<!DOCTYPE html>\n<html>", "found an HTML page instead of the dataset"),
    (b'{"prompt": "a", "turns": ["a"], "messages": [}\n', ":1:"),
    (b'{"prompt": "a", "turns": ["a"], "messages": [{"content": "b"}]} {"x"', ":1:"),
])
def test_file_other_than_a_dataset(bin_dir, tmp_path, name, text, says):
    """One message with the file, before any request."""
    (tmp_path / "data.jsonl").write_bytes(text)
    done = run_profllm(bin_dir, "bench", "serve", "--model", "m", "--dataset-name", name, "--dataset-path", tmp_path / "data.jsonl")
    assert done.returncode == 2 and says in done.stderr and "data.jsonl" in done.stderr
    assert done.stderr.count("data.jsonl") <= 2, done.stderr
