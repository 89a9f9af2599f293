"""Sides of `POST /api/data/compare`: the numbers of `profllm compare`, over stored results; sides are ids, or filters."""
import json
import math
import os
import random
import sys

import numpy
import pytest
from dashboard_tools import Dashboard
from query_tools import FIELDS, MISSING, NO_COLUMNS, NULL, Rows, canonical, kind, made_results, matching, random_tree, shown
from run_tools import run_profllm
from test_filters import Driver

PATH = "/api/data/compare"
SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))
RESULTS = 150 if SANITIZED else 400
LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
QUESTIONS = 300 if LONG else 15 if SANITIZED else 60
SEED = 20261124
METRICS = ["results.p99_ttft_ms", "results.completed", "benchmark.request_rate", "server.max_model_len", "results.p97.5_ttft_ms"]


def result(number, speed=1.0, suite="one", simulated=False, **server):
    rng = random.Random(number)
    ttft = 20 * speed * rng.gauss(1, 0.02)
    return {
        "run_id": f"run-{number}", "suite": suite, "status": "completed", "quality": {"verdict": "trusted"},
        "config": {"server": {"model": "some/model", "max_num_seqs": 256, **server},
                   "benchmark": {"request_rate": "inf", "goodput": ["ttft:100", "tpot:50"], "request_timeout": "30s"}},
        "results": {"mean_ttft_ms": ttft, "mean_ttft_ms_ci95": [ttft * 0.97, ttft * 1.02], "median_ttft_ms": ttft * 0.9, "p99_ttft_ms": ttft * 3,
                    "output_throughput": 1000 / speed * rng.gauss(1, 0.01), "request_goodput": None, "completed": 200, "failed": 0},
        "environment": {"engine": {"simulated": simulated}, "gpu_models": ["H100", "H100"]},
    }


def suite(name):
    return {"field": "run.suite", "op": "eq", "value": name}


@pytest.fixture(scope="module")
def stored(bin_dir, tmp_path_factory):
    """(dashboard, documents): two sets of runs, a few simulated ones, ids from 1."""
    documents = [result(i) for i in range(8)] + [result(100 + i, 1.1, "two", max_num_seqs=512 if i else 1024) for i in range(7)] + \
        [result(200 + i, 0.2, "two", simulated=True) for i in range(3)]
    with Dashboard(bin_dir, tmp_path_factory.mktemp("compare") / "d.db") as dashboard:
        dashboard.upload("/api/upload/batch", documents)
        yield dashboard, documents


def ask(stored, sides, **more):
    answer = stored[0].post(PATH, {"sides": sides, **more})
    assert answer.status == 200, answer.json
    return answer.json


def of_files(bin_dir, folder, *sides, **more):
    """Returns the output of `profllm compare` for the same documents."""
    names = []
    for i, documents in enumerate(sides):
        names.append(folder / f"side{i}")
        names[-1].mkdir()
        for document in documents:
            (names[-1] / f"{document['run_id']}.json").write_text(json.dumps(document))
    options = [word for key, value in more.items() for word in (f"--{key}", value)]
    done = run_profllm(bin_dir, "compare", *names, "--all", "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(answer, files):
    for part in ("effect", "cautions", "comparable", "unknown", "inputs", "metrics", "families", "incomplete"):
        assert answer[part] == files[part], part
    assert [(side["runs"], side["simulated"]) for side in answer["sides"]] == [(side["runs"], side["simulated"]) for side in files["sides"]]


def test_two_results_have_the_numbers_of_their_files(stored, bin_dir, tmp_path):
    answer = ask(stored, [{"ids": [1]}, {"ids": [9]}], equal=True)
    same(answer, of_files(bin_dir, tmp_path, stored[1][:1], stored[1][8:9]))
    assert [(side["name"], side["ids"], side["run_id"]) for side in answer["sides"]] == \
        [("experiment 1", [1], "run-0"), ("experiment 9", [9], "run-100")]
    assert answer["metrics"][1]["ratios"][0]["method"] == "within_runs" or answer["metrics"][2]["ratios"][0]["method"] == "within_runs"


def test_groups_have_the_numbers_of_their_folders(stored, bin_dir, tmp_path):
    answer = ask(stored, [{"label": "before", "filter": suite("one")}, {"filter": suite("two")}, {"ids": [10]}], equal=True, effect=0.02)
    same(answer, of_files(bin_dir, tmp_path, stored[1][:8], stored[1][8:15], stored[1][9:10], **{"min-effect": "2%"}))
    assert [side["name"] for side in answer["sides"]] == ["before", "7 experiments", "experiment 10"]
    assert answer["sides"][0]["ids"] == list(range(1, 9)) and [side.get("excluded") for side in answer["sides"]] == [0, 3, None]
    p99 = next(one for one in answer["metrics"] if one["field"] == "results.p99_ttft_ms")
    assert [one["method"] for one in p99["ratios"]] == ["bootstrap", "one_of_many"]
    [differs] = answer["inputs"]["differing"]
    assert differs["field"] == "server.max_num_seqs" and [value["distinct"] for value in differs["sides"]] == [1, 2, 1]


def test_ids_in_another_order_are_the_same_question(stored):
    one = ask(stored, [{"ids": [1, 2, 3, 4, 5]}, {"ids": [9, 10, 11, 12, 13]}])
    assert ask(stored, [{"ids": [5, 3, 4, 1, 2, 2]}, {"ids": [13, 12, 9, 10, 11]}]) == one


def test_unmatched_runs_are_excluded(stored):
    """One of `two` has another max_num_seqs (1024) than the others (512), and none of `one` records it: no field is left
    to match by."""
    sides = [{"filter": suite("one")}, {"filter": suite("two")}]
    apart = ask(stored, sides, match=True)
    assert apart["matched"] == {"inputs": [], "unmatched_inputs": ["server.max_num_seqs"], "cell_count": 1} and [side["unmatched"] for side in apart["sides"]] == [0, 0]
    several = ask(stored, [{"ids": [9, 10, 11]}, {"ids": [10, 12]}], match=True)
    assert several["matched"] == {"inputs": ["server.max_num_seqs"], "unmatched_inputs": [], "cell_count": 1}
    assert [(side["runs"], side["unmatched"], side["ids"]) for side in several["sides"]] == [(2, 1, [10, 11]), (2, 0, [10, 12])]


def test_simulated_ones_take_part_where_they_are_asked_for(stored):
    """Simulated results take part if their ids are given; a filter needs a word for it."""
    sides = [{"filter": suite("one")}, {"filter": suite("two")}]
    with_them = ask(stored, sides, simulated=True)
    assert [(side["runs"], side["simulated"], side["excluded"]) for side in with_them["sides"]] == [(8, 0, 0), (10, 3, 0)]
    assert [one["kind"] for one in with_them["cautions"]] == ["simulated"] and ask(stored, sides)["cautions"] == []
    named = ask(stored, [{"ids": [1]}, {"ids": [16]}])
    assert [side["simulated"] for side in named["sides"]] == [0, 1] and [one["kind"] for one in named["cautions"]] == ["simulated"]


def test_simulated_ones_alone_are_compared(stored):
    """As in charts, simulated results are excluded only if some side has others."""
    simulated = {"field": "environment.engine.simulated", "op": "eq", "value": True}
    one, many = {"and": [simulated, {"field": "run.suite", "op": "eq", "value": "two"}]}, {"filter": simulated}
    alone = ask(stored, [{"filter": one}, many])
    assert [(side["runs"], side["simulated"], side["excluded"]) for side in alone["sides"]] == [(3, 3, 0), (3, 3, 0)]
    beside = ask(stored, [{"ids": [1]}, many])
    assert [(side["runs"], side.get("excluded")) for side in beside["sides"]] == [(1, None), (0, 3)]


def chances(answer):
    return {(ratio["method"], ratio["p"], ratio["low"], ratio["more_runs_count"], ratio["finding"]) for metric in answer["metrics"] for ratio in metric["ratios"]}


def test_runs_on_both_sides_are_reported_without_a_p_value(stored, bin_dir, tmp_path):
    some, fewer, other = {"ids": [1, 2, 3, 4, 5, 6]}, {"ids": [1, 2, 3]}, {"ids": [4, 5, 6, 7, 8]}
    answer = ask(stored, [some, fewer, other], equal=True)
    assert [(one["kind"], one["fields"]) for one in answer["cautions"]] == [("shared", [])]
    assert answer["cautions"][0]["text"].startswith("3 runs are in A and in B, 3 in A and in C; ")
    against = [metric["ratios"] for metric in answer["metrics"] if metric["field"] == "results.p99_ttft_ms"][0]
    assert against[0] == {"ratio": against[0]["ratio"], "low": None, "high": None, "p": None, "method": "none", "finding": "no_interval", "more_runs_count": None,
                          "regression": False, "sentence": against[0]["sentence"]} and against[0]["sentence"].endswith("without a confidence interval")
    assert against[1]["method"] == "bootstrap" and against[1]["p"] is not None
    same(answer, of_files(bin_dir, tmp_path, stored[1][:6], stored[1][:3], stored[1][3:8]))
    assert chances(ask(stored, [some, some])) == {("none", None, None, None, "equal")}


def kinds_of(answer, part):
    return [one["kind"] for one in answer[part]]


def test_unrecorded_values_are_not_called_equal(stored):
    """The number of other servers is compared only if it is recorded."""
    answer = ask(stored, [{"filter": suite("one")}, {"filter": suite("two")}])
    assert answer["cautions"] == []
    assert kinds_of(answer, "comparable") == ["simulated", "status", "failures", "verdict", "output", "load", "neighbors", "model"]
    assert kinds_of(answer, "unknown") == ["dataset", "lengths", "precision", "client"]
    # of no run, or one side of none, nothing is known at all
    for sides in ([{"filter": suite("nobody's")}] * 2, [{"ids": [1]}, {"filter": suite("nobody's")}]):
        empty = ask(stored, sides)
        assert empty["cautions"] == empty["comparable"] == [] and len(empty["unknown"]) == 12


def test_a_side_without_a_row_has_nothing(stored):
    answer = ask(stored, [{"filter": suite("one")}, {"filter": suite("nobody's")}], metrics=["results.p99_ttft_ms"])
    assert answer["sides"][1] == {"name": "0 experiments", "runs": 0, "simulated": 0, "trusted": 0, "untrusted": 0, "not_completed": 0, "excluded": 0, "ids": []}
    assert answer["metrics"][0]["ratios"][0]["finding"] == "no_value" and answer["metrics"][0]["sides"][1]["value"] is None


@pytest.mark.parametrize("body, pointer", [
    ({"sides": [{"ids": [1]}]}, "/sides"), ({"sides": [{"ids": [1]}] * 9}, "/sides"), ({}, ""), ({"sides": [{"ids": [1]}, {"ids": []}]}, "/sides/1/ids"),
    ({"sides": [{"ids": [1]}, {"ids": [1, 999]}]}, "/sides/1/ids/1"), ({"sides": [{"ids": [1]}, {}]}, "/sides/1"),
    ({"sides": [{"ids": [1]}, {"ids": [2], "filter": suite("one")}]}, "/sides/1"),
    ({"sides": [{"ids": [1]}, {"filter": {"field": "run.suit", "op": "eq", "value": 1}}]}, "/sides/1/filter/field"),
    ({"sides": [{"ids": [1]}, {"ids": [2]}], "metrics": ["results.p99_tftt_ms"]}, "/metrics/0"),
    ({"sides": [{"ids": [1]}, {"ids": [2]}], "effect": 1}, "/effect"), ({"sides": [{"ids": [1]}, {"ids": [2]}], "effect": 0}, "/effect"),
    ({"sides": [{"ids": [1]}, {"ids": [2]}], "more": 1}, "")])
def test_faults_are_reported_with_their_location(stored, body, pointer):
    problem = stored[0].post(PATH, body)
    assert problem.status == 422 and problem.json["pointer"] == pointer, problem.json


# ---- over random documents -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(bin_dir):
    one = Driver(bin_dir)
    rows = Rows(made_results(random.Random(SEED), RESULTS))
    for i, document in enumerate(rows.documents):
        one.tell(document=document, id=i + 1)
    yield one, rows
    one.close()


def is_close(found, wanted):
    return math.isclose(found, float(wanted), rel_tol=1e-9, abs_tol=1e-300)


def check_figure(said, cells):
    there = [value for value in cells if value is not MISSING and value is not NULL]
    numbers = [value for value in there if kind(value) == "number"]
    finite = numpy.array(sorted(value for value in numbers if math.isfinite(value)))
    assert (said["n"], said["infinite"], said["words"]) == (len(finite), len(numbers) - len(finite), len(there) - len(numbers))
    assert said["null"] == sum(value is NULL for value in cells) and said["not_recorded"] == sum(value is MISSING for value in cells)
    assert (said["value"] is None) == (len(finite) == 0) and (len(finite) == 0 or is_close(said["value"], finite.mean()))
    return finite


def check_ratio(said, a, b):
    if len(a) == 0 or len(b) == 0:
        assert said["finding"] == "no_value" and said["ratio"] is None
    elif not (a.mean() > 0 and b.mean() > 0 and sys.float_info.min <= float(b.mean()) / float(a.mean()) < math.inf):
        assert said["ratio"] is None and said["finding"] in ("no_ratio", "equal")
    else:
        assert is_close(said["ratio"], b.mean() / a.mean())
        assert said["low"] is None or 0 <= said["low"] <= said["ratio"] * (1 + 1e-9)


def values_of(cells):
    there = [value for value in cells if value is not MISSING and value is not NULL]
    counts = {}
    for value in there:
        counts[canonical(shown(value))] = counts.get(canonical(shown(value)), 0) + 1
    return counts


def test_random_sides_have_numpys_figures_and_all_inputs(made):
    driver, rows = made
    rng = random.Random(SEED + 1)
    columns = [field for field in FIELDS if field.startswith(("server.", "benchmark.")) and field not in NO_COLUMNS]
    seen = set()
    for _ in range(QUESTIONS):
        trees = [random_tree(rng, rows.documents) for _ in range(rng.choice([2, 2, 3]))]
        said = driver.ask(compare={"sides": [{"filter": tree} for tree in trees], "metrics": METRICS, "simulated": True, "equal": True})["answer"]
        sides = [sorted(matching(rows, tree)) for tree in trees]
        assert [side["runs"] for side in said["sides"]] == [len(places) for places in sides]
        for metric, told in zip(METRICS, said["metrics"], strict=True):
            finite = [check_figure(figure, [rows.cells[metric][i][0] for i in places])
                      for figure, places in zip(told["sides"], sides, strict=True)]
            for ratio, other in zip(told["ratios"], finite[1:], strict=True):
                check_ratio(ratio, finite[0], other)
                seen.add(ratio["method"])
        differing = {one["field"]: one for one in said["inputs"]["differing"]}
        equal = {one["field"] for one in said["inputs"]["equal_fields"]}
        for field in columns:
            check_input(field, rows, sides, differing, equal, said["inputs"]["partly_recorded_fields"])
    assert {"none", "student", "bootstrap"} <= seen


def test_matched_cells_are_those_of_every_side(made):
    """Computed independently: cells as Python tuples, over the inputs of random documents."""
    driver, rows = made
    rng = random.Random(SEED + 2)
    columns = [field for field in FIELDS if field.startswith(("server.", "benchmark.")) and field not in NO_COLUMNS]
    kept_some = fell_some = 0
    for _ in range(QUESTIONS):
        trees = [random_tree(rng, rows.documents) for _ in range(rng.choice([2, 2, 3]))]
        question = {"sides": [{"filter": tree} for tree in trees], "metrics": METRICS[:1], "simulated": True}
        said = driver.ask(compare={**question, "match": True})["answer"]
        sides = [sorted(matching(rows, tree)) for tree in trees]
        values = {field: [[key_of(rows.cells[field][i][0]) for i in places] for places in sides] for field in columns if field in rows.cells}
        varying = [field for field, cells in values.items() if len(set().union(*cells)) > 1]
        by = [field for field in varying if set.intersection(*(set(side) for side in values[field]))]
        cells = [[tuple(values[field][s][i] for field in by) for i in range(len(places))] for s, places in enumerate(sides)]
        shared = set.intersection(*(set(side) for side in cells))
        assert sorted(said["matched"]["inputs"]) == sorted(by) and sorted(said["matched"]["unmatched_inputs"]) == sorted(set(varying) - set(by))
        assert said["matched"]["cell_count"] == len(shared)
        stored = [sum(cell in shared for cell in side) for side in cells]
        assert [(side["runs"], side["unmatched"]) for side in said["sides"]] == [(k, len(places) - k) for k, places in zip(stored, sides, strict=True)]
        kept_some += all(stored)
        fell_some += any(side["unmatched"] for side in said["sides"])
        assert "matched" not in driver.ask(compare=question)["answer"]
    assert kept_some and fell_some


def key_of(cell):
    return "missing" if cell is MISSING else "null" if cell is NULL else canonical(shown(cell) if not isinstance(cell, bool) else cell)


def test_without_a_budget_unfinished_parts_are_named(made):
    """With any budget, the first metric is present, and all others are present or listed."""
    said = made[0].ask(compare={"sides": [{"filter": {"field": "run.suite", "op": "is_recorded"}}] * 8, "metrics": METRICS, "budget_ms": 1})["answer"]
    there = [one["field"] for one in said["metrics"]]
    assert there and (there + said["incomplete"])[:len(METRICS)] == METRICS
    # what of percentiles there was no time for is named, too: those with a number here are of TTFT alone
    assert ("ttft_ms" in said["incomplete"]) != ("ttft_ms" in [one["key"] for one in said["families"]])


def check_input(field, rows, sides, differing, equal, partly):
    cells = [[rows.cells[field][i][0] for i in places] for places in sides]
    counts = [values_of(side) for side in cells]
    everything = [value for side in cells for value in side]
    different = len(set().union(*counts)) + any(value is NULL for value in everything)
    missing = any(value is MISSING for value in everything)
    assert (field in differing) == (different > 1), field
    assert (field in equal) == (different == 1 and not missing) and (field in partly) == (different == 1 and missing)
    for told, count, side in zip(differing.get(field, {}).get("sides", []), counts, cells):
        assert told["distinct"] == len(count) and told["null"] == sum(value is NULL for value in side)
        assert told["not_recorded"] == sum(value is MISSING for value in side)
        listed = {canonical(shown(one["value"]) if not isinstance(one["value"], bool) else one["value"]): one["count"] for one in told["values"]}
        assert all(count[text] == number for text, number in listed.items()) and len(listed) == min(20, len(count))


def test_other_servers_are_reported(bin_dir, tmp_path):
    """The API and the command compare a run with concurrent servers and one alone; but not two that were alone, in a sweep
    or not."""
    documents = [{**result(number), "launch": {"other_servers_max": beside}} for number, beside in enumerate((None, 0, 3, 1), 1)]
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        dashboard.upload("/api/upload/batch", documents)
        for number, (one, other, kinds) in enumerate(((1, 2, []), (3, 4, []), (1, 3, ["neighbors"]), (4, 2, ["neighbors"]))):
            answer = ask((dashboard, documents), [{"ids": [one]}, {"ids": [other]}])
            (tmp_path / str(number)).mkdir()
            files = of_files(bin_dir, tmp_path / str(number), [documents[one - 1]], [documents[other - 1]])
            assert [caution["kind"] for caution in answer["cautions"]] == kinds and answer["cautions"] == files["cautions"]
