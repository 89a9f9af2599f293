"""Files that others write: results without samples, results that contradict themselves; each stored as what it is."""
import json
import random
import statistics

import pytest
from dashboard_tools import Dashboard
from import_tools import import_json, run_dashboard
from run_tools import run_profllm


def percentile(values, percent):
    """numpy's default."""
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
    """What vLLM's client writes of such requests, by its formulas."""
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
    """Of each: the checks that it does not pass, with what the import says of them."""
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
    """No wait for a slot, no failure: 0 is what they are."""
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
    "counts": (put(completed=30, failed=10), "the lists hold 40 requests, 40 of them finished; 'completed' is 30"),
}


@pytest.mark.parametrize("check", CONTRADICTIONS)
def test_contradiction_is_stored_and_named(bin_dir, tmp_path, check):
    cases = CONTRADICTIONS[check]
    told = beyond(bin_dir, tmp_path, *[change(flat()) for change, _ in cases.values()])
    for (name, (_, says)), faults in zip(cases.items(), told):
        assert says in faults.get(check, ""), (name, faults)
    # by the check they are found, and by the verdict the worse ones
    names = {f"{i}.json" for i in range(len(cases))}
    assert cells(bin_dir, tmp_path / "checks.db", filter={"field": f"quality.{check}.status", "op": "eq", "value": "beyond"}).keys() == names
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
def test_what_vllm_writes_is_not_accused(bin_dir, tmp_path, change):
    """Of many seeds, so that samples of every shape are among them."""
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
    """The import's note, and the comparison's caution."""
    (tmp_path / "good.json").write_text(json.dumps(flat()))
    (tmp_path / "odd.json").write_text(json.dumps(off("output_throughput", 100)(flat())))
    done = run_dashboard(bin_dir, "import", "good.json", "odd.json", "--db", "a.db", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.count("note: ") == 1 and "note: totals_agreement: " in done.stdout
    done = run_profllm(bin_dir, "compare", tmp_path / "good.json", tmp_path / "odd.json")
    assert "not trusted" in done.stdout and "degraded" in done.stdout
