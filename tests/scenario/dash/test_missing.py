"""Missing combinations of `POST /api/analysis/missing`: a grid with combinations removed, its experiment files, and repeats that settle a frontier."""
import copy
import itertools
import json
import math
import random
import statistics

import numpy
import pytest
import yaml
from dashboard_tools import Dashboard
from run_tools import run_profllm

PATH = "/api/analysis/missing"
TP, SEQS, CONCURRENCY, PROMPTS = "server.tensor_parallel_size", "server.max_num_seqs", "benchmark.max_concurrency", "benchmark.num_prompts"
GPU = "system.hardware_info.gpu_name"
AXES = {TP: [1, 2, 4, 8], SEQS: [16, 32, 64], CONCURRENCY: [4, 8, 16, 32], GPU: ["A100", "H100"]}


def ask(dashboard, **question):
    answer = dashboard.post(PATH, question)
    assert answer.status == 200, answer.json
    return answer.json


def seconds_of(tp, seqs, concurrency, gpu):
    return 60 + 10 * tp + seqs / 8 + concurrency + (30 if gpu == "A100" else 0)


def result(number, tp, seqs, concurrency, gpu, *, server=None, benchmark=None, spread=0.02, **more):
    """One run of the simulator's experiment with these values; the number of prompts follows the concurrency."""
    rng = random.Random(number)
    server = {"model": "sim/test", "max_model_len": 2048, "tensor_parallel_size": tp, "max_num_seqs": seqs, **(server or {})}
    benchmark = {"dataset_name": "random", "random_input_len": 32, "random_output_len": 8, "max_concurrency": concurrency,
                 "num_prompts": 10 * concurrency, **(benchmark or {})}
    launch = {"command": ["profllm-sim", "serve"]}
    throughput = 100 * concurrency * tp ** 0.7 * (1 + seqs / 1000) * rng.gauss(1, spread)
    return {
        "run_id": f"run-{number}", "suite": "grid", "status": "completed", "quality": {"verdict": "trusted"}, "duration": seconds_of(tp, seqs, concurrency, gpu),
        "config": {"server": server, "benchmark": benchmark,
                   "experiment": {"name": f"tp{tp}-{number}", "server": server, "launch": launch, "benchmark": benchmark}},
        "results": {"output_throughput": throughput, "median_tpot_ms": (5 + concurrency / tp) * rng.gauss(1, spread), "completed": 100, "failed": 0},
        "system": {"hardware_info": {"gpu_name": gpu, "gpu_count": tp}},
        "environment": {"engine": {"name": "vllm", "version": "0.32.0", "simulated": False}}, **more,
    }


def grid_without(share, seed=7):
    """Returns the documents of the grid, and the combinations that were removed, in the order of the axes."""
    cells = list(itertools.product(*AXES.values()))
    removed = set(random.Random(seed).sample(cells, round(share * len(cells))))
    return [result(number, *cell) for number, cell in enumerate(cells) if cell not in removed], removed


def combinations(answer):
    """Returns {values in the order of AXES: entry} of the missing combinations."""
    order = [field["field"] for field in answer["fields"]]
    return {tuple(dict(zip(order, one["values"]))[axis] for axis in AXES): one for one in answer["missing"]}


def points_of(file):
    return yaml.safe_load(file["text"])["sweep"]["points"]


@pytest.fixture(scope="module")
def tenth():
    return grid_without(0.1)


def test_exactly_the_removed_combinations_are_proposed(dashboard, bin_dir, tmp_path, tenth):
    documents, removed = tenth
    # three runs of some: a file of one more run each, apart from those of the missing combinations
    again = [{**document, "run_id": f"again-{i}-{document['run_id']}"} for document in documents[:40] for i in range(2)]
    dashboard.upload("/api/upload/batch", documents + again)
    answer = ask(dashboard)
    assert any(one["more_runs"] == 1 for one in answer["repeats"])
    assert {one["field"]: one["values"] for one in answer["fields"]} == AXES
    assert {one["field"]: (one["settable"], [other["field"] for other in one["followers"]]) for one in answer["fields"]} == \
        {TP: (True, []), SEQS: (True, []), CONCURRENCY: (True, [PROMPTS]), GPU: (False, [])}
    assert (answer["count"], answer["grid_count"], answer["present_count"], answer["missing_count"], answer["more_count"], answer["too_large"]) == \
        (166, 96, 86, 10, 0, False)
    assert set(combinations(answer)) == removed and not answer["invalid"]
    # one file per GPU model, which a file cannot set
    planned = {}
    files = [answer["files"][at] for at in sorted({one["file"] for one in answer["missing"]})]
    assert all(file["name"].startswith("missing-") for file in files)
    assert {json.dumps(file["on"]) for file in files} == {json.dumps({GPU: gpu}) for *_, gpu in removed}
    for file in files:
        assert (file["problem"], file["secrets"], file["repeats"]) == (None, False, 1)
        for point in points_of(file):
            assert point[PROMPTS] == 10 * point[CONCURRENCY]
            planned[point[TP], point[SEQS], point[CONCURRENCY], file["on"][GPU]] = file
        path = tmp_path / file["name"]
        path.write_text(file["text"])
        assert file["command"] == f"profllm sweep run --output-dir {path.stem} {path.name}"
        done = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--json", path)
        assert done.returncode == 0, done.stderr
        plan = json.loads(done.stdout)
        assert [run["parameters"] for run in plan["combinations"]] == points_of(file), plan
        assert not any("problems" in run for run in plan["combinations"])
    assert set(planned) == removed
    # the expected duration is the median of the most similar combinations
    measured = {cell for cell in itertools.product(*AXES.values())} - removed
    for cell, one in combinations(answer).items():
        def distance(other):
            return sum(a != b for a, b in zip(cell[:3], other)) + 1000 * (cell[3] != other[3])
        least = min(map(distance, measured))
        similar = [seconds_of(*other) for other in measured if distance(other) == least]
        assert one["seconds"] == pytest.approx(statistics.median(similar)) and one["seconds_runs"] >= len(similar)
        assert (one["seconds_low"], one["seconds_high"]) == (min(similar), max(similar))
        assert len(one["nearest"]["differs"]) == 1
    assert sum(one["seconds"] for one in answer["missing"]) == pytest.approx(sum(file["seconds"] for file in files))


@pytest.mark.release_only
def test_both_databases_give_the_same_answer(bin_dir, tmp_path, tenth, postgres):
    documents, removed = tenth
    answers = []
    for db in (tmp_path / "a.db", postgres.new()):
        with Dashboard(bin_dir, db) as one:
            one.upload("/api/upload/batch", documents)
            answers.append(ask(one, filter={"field": GPU, "op": "eq", "value": "H100"}))
            answers[-1].pop("data_version")
    assert answers[0] == answers[1]
    assert len(answers[0]["missing"]) == sum(gpu == "H100" for *_, gpu in removed)


def test_a_combination_that_the_rules_refuse_is_apart(dashboard, bin_dir, tmp_path):
    def one(number, expert, balanced):
        return result(number, 2, 16, 4, "H100", server={"enable_expert_parallel": expert, "enable_eplb": balanced})
    dashboard.upload("/api/upload/batch", [one(1, True, True), one(2, True, False), one(3, False, False)])
    answer = ask(dashboard)
    assert answer["missing"] == [] and answer["missing_count"] == 1 and answer["more_count"] == 0
    order = [field["field"] for field in answer["fields"]]
    assert [dict(zip(order, one["values"])) for one in answer["invalid"]] == [{"server.enable_expert_parallel": False, "server.enable_eplb": True}]
    assert "eplb_needs_expert_parallel" in answer["invalid"][0]["problems"][0]["message"]


def test_chosen_fields_and_other_inputs(dashboard, tenth):
    documents, _ = tenth
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard, fields=[CONCURRENCY, PROMPTS])
    # every value of one with every value of the other
    assert answer["grid_count"] == 16 and answer["missing_count"] == 12
    assert {tuple(one["values"]) for one in answer["missing"]} == {(a, 10 * b) for a in AXES[CONCURRENCY] for b in AXES[CONCURRENCY] if a != b}
    assert {one["field"] for one in answer["others"]} == {TP, SEQS, GPU}
    assert ask(dashboard, fields=[CONCURRENCY], limit=0)["missing"] == []
    first = ask(dashboard, limit=3)
    assert len(first["missing"]) == 3 and first["more_count"] == 7 and first["missing_count"] == 10
    assert dashboard.post(PATH, {"fields": ["server.nothing"]}).json["pointer"] == "/fields/0"
    assert dashboard.post(PATH, {"metrics": [{"field": "server.nothing"}, {"field": "results.output_throughput"}]}).json["pointer"] == "/metrics/0/field"


def test_without_results_or_experiments(dashboard):
    answer = ask(dashboard)
    assert (answer["count"], answer["grid_count"], answer["missing"], answer["repeats"], answer["files"]) == (0, 0, [], [], [])
    documents = [result(number, tp, seqs, 4, "H100") for number, (tp, seqs) in enumerate([(1, 16), (2, 16), (1, 32)])]
    for document in documents:
        del document["config"]["experiment"]
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard)
    assert [(one["values"], one["file"]) for one in answer["missing"]] in ([([2, 32], -1)], [([32, 2], -1)]) and answer["files"] == []


def test_a_grid_that_is_too_large(dashboard):
    documents = []
    for number in range(40):
        document = result(number, 1, number + 1, 1, "H100", benchmark={"num_prompts": 100 + (number * 7) % 40, "random_input_len": 50 + number % 39})
        document["config"]["benchmark"].update(random_output_len=10 + number % 38)
        documents.append(document)
    documents += [copy.deepcopy(document) for document in documents]
    for number, document in enumerate(documents[40:], 100):
        document["run_id"] = f"run-{number}"
        document["config"]["server"]["max_num_seqs"] = 1 + (number * 3) % 40
        document["config"]["benchmark"]["num_prompts"] = 100 + (number * 11) % 40
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard)
    assert answer["too_large"] and answer["grid_count"] > 1e5 and answer["missing"] == [] and answer["missing_count"] is None


def test_repeats_settle_a_doubtful_point_first(dashboard):
    rng = random.Random(5)
    documents, number = [], itertools.count()
    for limit in (16, 32, 64):
        for _ in range(4):
            documents.append(result(next(number), 1, limit, 4, "H100"))
            speed = {16: 100, 32: 60, 64: 59.5}[limit]
            documents[-1]["results"] = {"output_throughput": {16: 100, 32: 200, 64: 201}[limit] * rng.gauss(1, 0.03),
                                        "median_tpot_ms": 1000 / (speed * rng.gauss(1, 0.03)), "completed": 100, "failed": 0}
    documents.append(result(next(number), 1, 128, 4, "H100"))
    documents[-1]["results"] = {"output_throughput": 500, "median_tpot_ms": 100, "completed": 100, "failed": 0}
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard, metrics=[{"field": "results.output_throughput"}, {"field": "results.median_tpot_ms"}])
    frontier = dashboard.post("/api/analysis/pareto", {"metrics": [{"field": "results.output_throughput"}, {"field": "results.median_tpot_ms"}]}).json
    points = {tuple(point["ids"]): point for group in frontier["groups"] for point in group["points"]}
    doubtful = {ids for ids, point in points.items() if point["membership"] == "perhaps"}
    repeats = {tuple(one["ids"]): one for one in answer["repeats"]}
    assert doubtful and {ids for ids, one in repeats.items() if one["reason"] == "settle"} == doubtful
    assert [one["reason"] for one in answer["repeats"]] == sorted((one["reason"] for one in answer["repeats"]), key=["settle", "spread", "narrow"].index) or \
        not all(one["settles"] for one in answer["repeats"] if one["reason"] == "settle")
    for ids in doubtful:
        one = repeats[ids]
        z = statistics.NormalDist().inv_cdf(max(one["share"], 1 - one["share"]))
        wanted = math.inf if z == 0 else max(1, math.ceil(len(ids) * ((1.645 / z) ** 2 - 1)))
        assert (one["more_runs"], one["settles"]) == ((wanted, True) if wanted <= 20 else (20, False))
    # a single run: its spread is unknown
    single = next(one for ids, one in repeats.items() if len(ids) == 1)
    assert (single["reason"], single["runs"], single["more_runs"], single["half_width"]) == ("spread", 1, 2, None)
    narrow = next((one for one in answer["repeats"] if one["reason"] == "narrow"), None)
    assert narrow is not None
    runs = [next(document for document in documents if document["run_id"] == f"run-{i - 1}")["results"] for i in narrow["ids"]]
    widths = {}
    for metric in ("output_throughput", "median_tpot_ms"):
        values = [run[metric] for run in runs]
        widths[f"results.{metric}"] = 3.182446305284263 * numpy.std(values, ddof=1) / math.sqrt(4) / numpy.mean(values)
    widest = max(widths, key=widths.get)
    assert narrow["metric"] == widest and narrow["half_width"] == pytest.approx(widths[widest], rel=1e-6)
    after = widths[widest] * (2.7764451051977987 / math.sqrt(5)) / (3.182446305284263 / math.sqrt(4))
    assert narrow["half_width_after"] == pytest.approx(after, rel=1e-6)
    assert narrow["gain_per_minute"] == pytest.approx((widths[widest] - after) / (narrow["seconds"] / 60), rel=1e-6)
    file = answer["files"][single["file"]]
    assert file["repeats"] == 2 and file["command"].startswith("profllm sweep run --repeats 2 --order interleaved ")
    assert points_of(file) == [{SEQS: 128}] and file["name"].startswith("repeat-")


def test_neighbors_of_the_frontier_come_first(dashboard):
    documents = [result(i, tp, seqs, 4, "H100") for i, (tp, seqs) in enumerate(itertools.product((1, 2, 4, 8), (16, 32, 64, 128)))
                 if (tp, seqs) not in ((1, 16), (4, 64))]
    for document in documents:
        server = document["config"]["server"]
        on = (server["tensor_parallel_size"], server["max_num_seqs"]) == (4, 128)
        document["results"] = {"output_throughput": 1000.0 if on else 10.0, "median_tpot_ms": 1.0 if on else 50.0, "completed": 1, "failed": 0}
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard, metrics=[{"field": "results.output_throughput"}, {"field": "results.median_tpot_ms"}])
    order = [field["field"] for field in answer["fields"]]
    values = [dict(zip(order, one["values"])) for one in answer["missing"]]
    assert [(one[TP], one[SEQS]) for one in values] == [(4, 64), (1, 16)]
    assert len(answer["missing"][0]["near_frontier"]) == 1 and answer["missing"][1]["near_frontier"] == []


def test_a_base_that_is_not_valid_gives_a_problem_and_a_secret_is_named(dashboard):
    documents = [result(number, tp, seqs, 4, "H100") for number, (tp, seqs) in enumerate([(1, 16), (2, 16), (1, 32)])]
    for document in documents:
        document["config"]["experiment"] = {**document["config"]["experiment"], "launch": {"command": ["profllm-sim"], "env": {"HF_TOKEN": "***"}}}
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard)
    file = answer["files"][answer["missing"][0]["file"]]
    assert file["secrets"] and "# *** replaces a secret" in file["text"]
