"""Configurations that keep limits (`POST /api/analysis/slo`): means, headroom, feasibility, costs and goodput, compared with plain Python and with the
metrics of a run."""
import copy
import math
import random

import numpy
import pytest
from run_tools import base_config, load_result, run_profllm, write_config

PATH = "/api/analysis/slo"
STORED = (1, 5, 10, 25, 75, 90, 95, 99, 99.9)


def ask(dashboard, **question):
    answer = dashboard.post(PATH, question)
    assert answer.status == 200, answer.json
    return answer.json


def result(number, limit, *, gpu="H100", gpus=1, ttft=100.0, throughput=1000.0, failed=0, **results):
    return {
        "run_id": f"run-{number}", "suite": "slo", "status": "completed", "quality": {"verdict": "trusted"},
        "config": {"server": {"model": "some/model", "max_num_seqs": limit}, "benchmark": {}},
        "results": {"p99_ttft_ms": ttft, "median_ttft_ms": ttft / 2, "output_throughput": throughput, "input_throughput": 4 * throughput,
                    "completed": 100, "failed": failed, "duration": 10.0, **results},
        "system": {"hardware_info": {"gpu_name": gpu, "gpu_count": gpus}},
        "environment": {"engine": {"name": "vllm", "version": "0.10.0", "simulated": False}},
    }


def test_feasible_configurations_headroom_and_costs(dashboard):
    spread = random.Random(3)
    cases = {8: (80, 1000, 1, "H100"), 16: (97.5, 1500, 1, "H100"), 32: (140, 2000, 1, "H100"), 64: (70, 1600, 2, "A100")}
    documents = [result(100 * limit + i, limit, ttft=ttft * (1 + 0.01 * spread.uniform(-1, 1)) + (3 if limit == 16 and i % 2 else 0), throughput=rate, gpus=gpus,
                        gpu=gpu, energy_per_token_j=2.0 if gpu == "H100" else 0.5)
                 for limit, (ttft, rate, gpus, gpu) in cases.items() for i in range(4)]
    documents += [result(1, 128, ttft=50, throughput=500), result(2, 256, failed=50, p99_ttft_ms=None)]
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard, limits=[{"latency": "ttft", "percentile": 99, "max": 100}, {"field": "derived.failed_share", "max": 0.1},
                                    {"field": "results.output_throughput", "min": 400}],
                 prices=[{"gpu": "H100", "per_hour": 3.6}, {"gpu": "B200", "per_hour": 9}], carbon_g_per_kwh=360)
    assert [(one["field"], one["min"], one["max"], one["kept_count"], one["known_count"]) for one in answer["limits"]] == \
        [("results.p99_ttft_ms", None, 100, 4, 5), ("derived.failed_share", None, 0.1, 5, 6), ("results.output_throughput", 400, None, 6, 6)]
    assert (answer["count"], answer["configuration_count"], answer["feasible_count"], answer["more_count"]) == (18, 6, 4, 0)
    limit_of = {i: document["config"]["server"]["max_num_seqs"] for i, document in enumerate(documents, 1)}
    found = {limit_of[one["ids"][0]]: one for one in answer["configurations"]}
    assert list(found) == [16, 8, 64, 128, 32, 256]
    assert {limit: one["feasible"] for limit, one in found.items()} == \
        {16: "perhaps", 8: "surely", 64: "surely", 128: "unknown", 32: "not", 256: "unknown"}
    assert {limit: one["kept"] for limit, one in found.items()} == {16: True, 8: True, 64: True, 128: True, 32: False, 256: False}
    for limit in (8, 32):
        mean = numpy.mean([one["results"]["p99_ttft_ms"] for one in documents if one["config"]["server"]["max_num_seqs"] == limit])
        value = found[limit]["values"][0]
        assert value["mean"] == pytest.approx(mean) and value["headroom"] == pytest.approx(1 - mean / 100) and value["kept"] == (limit == 8)
    assert found[8]["values"][2]["headroom"] == pytest.approx(1000 / 400 - 1) and found[256]["values"][0]["mean"] is None
    # 3.6 per hour are 0.001 per second, for 1,500 tokens
    assert found[16]["costs"] == pytest.approx({"output_throughput_per_gpu": 1500, "energy_per_token_j": 2.0, "price_per_million_output_tokens": 0.001 / 1500 * 1e6,
                                                "price_per_million_input_tokens": 0.001 / 6000 * 1e6,
                                                "carbon_g_per_million_output_tokens": 2e6 / 3.6e6 * 360})
    assert found[64]["costs"]["price_per_million_output_tokens"] is None and found[64]["costs"]["output_throughput_per_gpu"] == 800
    cheapest = answer["cheapest"]
    assert (cheapest["gpu"]["ids"], cheapest["watt"]["ids"], cheapest["price"]["ids"]) == (found[16]["ids"], found[64]["ids"], found[16]["ids"])
    assert cheapest["watt"]["value"] == 0.5
    few = ask(dashboard, limits=[{"latency": "ttft", "percentile": 99, "max": 1}], limit=2)
    assert few["cheapest"] == {"gpu": None, "watt": None, "price": None} and (len(few["configurations"]), few["more_count"]) == (2, 4)


def test_failed_runs_leave_a_doubt_and_headroom_has_the_sign_of_the_limit_kept(dashboard):
    """Two of four runs crashed: the mean of the other two says nothing about these."""
    documents = [result(i, 8, ttft=50 + i / 10) for i in range(4)] + [result(10 + i, 16, ttft=50 + i / 10) for i in range(2)]
    documents += [result(20 + i, 16, p99_ttft_ms=None) for i in range(2)]
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard, limits=[{"latency": "ttft", "percentile": 99, "max": 100}])
    assert sorted((len(one["ids"]), one["kept"], one["feasible"]) for one in answer["configurations"] if one["ids"]) == \
        [(4, True, "perhaps"), (4, True, "surely")]
    below = ask(dashboard, limits=[{"latency": "ttft", "percentile": 99, "max": -100}, {"latency": "ttft", "percentile": 99, "max": 0}])
    above = ask(dashboard, limits=[{"field": "results.p99_ttft_ms", "min": -100}])
    assert all(one["values"][0]["headroom"] < 0 and one["values"][1]["headroom"] is None for one in below["configurations"])
    assert all(one["values"][0]["headroom"] > 0 for one in above["configurations"])


def test_numbers_that_overflow_are_null(dashboard):
    dashboard.upload("/api/upload/batch", [result(i, 8, throughput=1.7e308, input_throughput=1.0, energy_per_token_j=1e10) for i in range(2)])
    answer = ask(dashboard, limits=[{"field": "results.output_throughput", "min": 1}], prices=[{"gpu": "H100", "per_hour": 1e308}], carbon_g_per_kwh=1e308)
    assert answer["configurations"][0]["costs"]["carbon_g_per_million_output_tokens"] is None
    frontier = dashboard.post("/api/analysis/pareto", {"metrics": [{"field": "results.output_throughput"}, {"field": "results.p99_ttft_ms"}],
                                                       "limits": [{"field": "results.p99_ttft_ms", "value": 1e308}]})
    assert frontier.status == 200 and len(frontier.json["groups"][0]["points"]) == 1


def bounds_of(metrics, limits):
    """The bounds of docs/reference/slo.md, as shares of the completed requests."""
    count, broken, most = metrics["completed"], 0, metrics["completed"]
    for name, limit in limits.items():
        least, kept = 0, count
        for percentile in (*STORED, 50):
            value = metrics.get(f"median_{name}_ms" if percentile == 50 else f"p{percentile:g}_{name}_ms")
            position = round((count - 1) * percentile / 100, 6)
            if value is not None and value <= limit:
                least = max(least, math.floor(position) + 1)
            if value is not None and value > limit:
                kept = min(kept, math.ceil(position))
        broken += count - least
        most = most if name == "tpot" else min(most, kept)
    return max(0, count - broken) / count, most / count


def test_percentiles_bound_the_goodput(dashboard):
    rng = numpy.random.default_rng(5)
    documents, truths = [], []
    limits = {"ttft": 100.0, "tpot": 20.0, "e2el": 900.0}
    for number in range(80):
        count = int(rng.choice([1, 2, 7, 101, 500]))
        load = rng.lognormal(0, 0.5, count)  # the latencies of one request depend on each other
        samples = {"ttft": 60 * load ** rng.uniform(0, 2), "tpot": 15 * rng.lognormal(0, 0.3, count)}
        samples["e2el"] = samples["ttft"] + 40 * samples["tpot"]
        has_tpot = rng.random(count) > 0.1
        good = (samples["ttft"] <= limits["ttft"]) & (~has_tpot | (samples["tpot"] <= limits["tpot"])) & (samples["e2el"] <= limits["e2el"])
        metrics = {"completed": count, "duration": 4.0, "p99_ttft_ms": None}
        for name, values in samples.items():
            values = values[has_tpot] if name == "tpot" else values
            if len(values) > 0:
                metrics[f"median_{name}_ms"] = float(numpy.median(values))
                chosen = STORED if number % 2 else rng.choice(STORED, 2)
                metrics.update({f"p{p:g}_{name}_ms": float(numpy.percentile(values, p)) for p in chosen})
        documents.append(result(number, number + 1, **metrics))
        truths.append(good.sum() / 4.0)
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard, limits=[{"latency": name, "percentile": 90, "max": limit} for name, limit in limits.items()])
    assert len(answer["configurations"]) == 80
    widths = []
    for one in answer["configurations"]:
        goodput, truth = one["goodput"], truths[one["ids"][0] - 1]
        assert (goodput["method"], goodput["value"]) == ("percentiles", None) and "several limits" in goodput["note"]
        assert goodput["low"] <= truth + 1e-9 and truth <= goodput["high"] + 1e-9
        low, high = bounds_of(documents[one["ids"][0] - 1]["results"], limits)
        assert (goodput["good_share"]["low"], goodput["good_share"]["high"]) == pytest.approx((low, high))
        widths.append(high - low)
    assert min(widths) < 0.5
    nothing = ask(dashboard, limits=[{"latency": "itl", "percentile": 99, "max": 10}])["configurations"][0]["goodput"]
    assert (nothing["method"], nothing["low"], nothing["note"]) == (None, None, None)


def run_of(bin_dir, folder, **benchmark):
    folder.mkdir()
    config = base_config(num_prompts=150, request_rate=400, random_output_len=24, max_concurrency=64, **benchmark)
    out = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json")
    assert out.returncode == 0, out.stderr
    return load_result(folder / "r.json")


def test_records_have_the_goodput_of_the_run(dashboard, bin_dir, tmp_path):
    run = run_of(bin_dir, tmp_path / "before")
    for attempt in range(5):  # a loaded host makes a run much slower or faster than the one before
        before = run["results"]
        limits = {"ttft": before["median_ttft_ms"], "e2el": before["p75_e2el_ms"], "tpot": before["p90_tpot_ms"]}
        folder = tmp_path / f"run-{attempt}"
        run = run_of(bin_dir, folder, goodput=[f"{name}:{limit!r}" for name, limit in limits.items()])
        goodput = run["results"]["request_goodput"]
        if 0 < goodput < run["results"]["request_throughput"]:
            break
    assert 0 < goodput < run["results"]["request_throughput"]
    # the same run without its goodput, with and without its records
    plain = copy.deepcopy(run)
    plain["run_id"] = f"{run['run_id'][:-6]}aaaaaa"
    plain["results"]["request_goodput"] = None
    bare = copy.deepcopy(plain)
    bare["run_id"] = f"{run['run_id'][:-6]}bbbbbb"
    for i, one in enumerate((run, plain, bare)):
        one["environment"]["engine"]["version"] = f"0.{i}.0"  # three configurations
    assert dashboard.upload("/api/upload/batch", [run, plain, bare])["counts"]["stored"] == 3
    data = (folder / "r.requests.jsonl.zst").read_bytes()
    answer = dashboard.ask("PUT", f"/api/upload/artifact/{plain['run_id']}/requests/r.requests.jsonl.zst", data,
                           {"Content-Type": "application/octet-stream"})
    assert answer.status == 201, answer.body
    question = {"limits": [{"latency": name, "percentile": 99, "max": limit} for name, limit in limits.items()]}
    found = {one["ids"][0]: one["goodput"] for one in ask(dashboard, **question)["configurations"]}
    assert [found[i]["method"] for i in (1, 2, 3)] == ["recorded", "records", "percentiles"]
    assert found[1]["value"] == found[2]["value"] == goodput
    assert found[1]["good_share"]["mean"] == pytest.approx(found[2]["good_share"]["mean"])
    assert found[3]["low"] <= goodput <= found[3]["high"]
    quick = {one["ids"][0]: one["goodput"]["method"] for one in ask(dashboard, **question, records=False)["configurations"]}
    assert quick == {1: "recorded", 2: "percentiles", 3: "percentiles"}
    other = {"limits": [{"latency": "ttft", "percentile": 99, "max": limits["ttft"] / 2}]}
    assert {one["ids"][0]: one["goodput"]["method"] for one in ask(dashboard, **other)["configurations"]}[1] == "percentiles"


@pytest.mark.parametrize("limits, pointer", [
    ([{"latency": "ttft", "max": 1}], "/limits/0"),
    ([{"latency": "ttft", "percentile": 99, "min": 1}], "/limits/0"),
    ([{"latency": "ttft", "percentile": 99, "field": "run.suite", "max": 1}], "/limits/0"),
    ([{"field": "derived.failed_share"}], "/limits/0"),
    ([{"field": "derived.failed_share", "min": 0, "max": 1}], "/limits/0"),
    ([{"field": "derived.failed_share", "max": 1}, {"field": "no", "max": 1}], "/limits/1/field"),
    ([], "/limits"),
])
def test_faults(dashboard, limits, pointer):
    answer = dashboard.post(PATH, {"limits": limits})
    assert (answer.status, answer.json["pointer"]) == (422, pointer), answer.json
