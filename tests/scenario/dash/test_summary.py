"""Statistics of results in groups (query/groups/summary.h), over the mirror: every number compared with numpy on the
documents, over random filters and groupings; and `GET /api/data/summary`."""
import json
import math
import os
import random
from urllib.parse import quote

import numpy
import pytest
from dashboard_tools import little
from query_tools import FIELDS, MISSING, NO_COLUMNS, NULL, Rows, canonical, kind, made_results, matching, place, random_tree, shown, when
from test_filters import Driver

try:
    from scipy import stats
except ImportError:
    stats = None
SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))
RESULTS = 200 if SANITIZED else 700
QUESTIONS = 60 if SANITIZED else 300
SEED = 20261123
METRICS = ["results.p99_ttft_ms", "results.completed", "benchmark.request_rate", "server.max_model_len", "results.p97.5_ttft_ms",
           "server.tensor_parallel_size", "server.newer_than_the_rows"]
PERCENTILES = {"min": 0, "p5": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95, "max": 100}
# 97.5 % of Student's t, by degrees of freedom; all others where scipy is installed
T_975 = {1: 12.706204736432095, 2: 4.302652729696142, 3: 3.182446305284263, 9: 2.2621571627409915, 99: 1.9842169515086827}


@pytest.fixture(scope="module")
def made(bin_dir):
    one = Driver(bin_dir)
    rows = Rows(made_results(random.Random(SEED), RESULTS))
    for i, document in enumerate(rows.documents):
        one.tell(document=document, id=i + 1)
    yield one, rows
    one.close()


def t_975(freedom):
    return float(stats.t.isf(0.025, freedom)) if stats else T_975.get(freedom)


def is_close(found, wanted):
    return math.isclose(found, float(wanted), rel_tol=1e-9, abs_tol=1e-300)


def key_of(rows, fields, i):
    """Returns the key as JSON; a missing entry is not recorded."""
    values = {field: rows.cells[field][i][0] for field in fields}
    return canonical({field: None if value is NULL else shown(value) for field, value in values.items() if value is not MISSING})


def order_of(rows, fields, i):
    """Returns the sort key of groups."""
    key = []
    for field in fields:
        value = rows.cells[field][i][0]
        nothing = 2 if value is MISSING else 1 if value is NULL else 0
        key.append((nothing, () if nothing else place(field, value) + ((value,) if FIELDS[field][0] == "time" and when(value) else ())))
    return key


def check_metric(said, cells):
    numbers = [value for value in cells if value is not MISSING and value is not NULL and kind(value) == "number"]
    finite = numpy.array([value for value in numbers if math.isfinite(value)])
    assert said["n"] == len(finite)
    assert said["not_recorded"] == sum(value is MISSING for value in cells) and said["null"] == sum(value is NULL for value in cells)
    assert said["infinite"] == len(numbers) - len(finite)
    assert said["words"] == len(cells) - len(numbers) - said["not_recorded"] - said["null"]
    if len(finite) == 0:
        assert {said[key] for key in ("mean", "std", "low", "high", *PERCENTILES)} == {None}
        return
    with numpy.errstate(all="ignore"):  # 1e300 squared
        mean, deviation = finite.mean(), finite.std(ddof=1) if len(finite) > 1 else math.nan
    for key, wanted in zip(PERCENTILES, numpy.percentile(finite, list(PERCENTILES.values()))):
        assert said[key] == wanted or is_close(said[key], wanted), key
    assert is_close(said["mean"], mean)
    if not math.isfinite(deviation):
        assert said["std"] in (None, "inf")
        return
    assert is_close(said["std"], deviation)
    t = t_975(len(finite) - 1)
    if t is not None:
        half = t * deviation / math.sqrt(len(finite))
        size = max(abs(mean), half)
        assert math.isclose(said["low"], mean - half, abs_tol=1e-9 * size)
        assert math.isclose(said["high"], mean + half, abs_tol=1e-9 * size)


def test_random_groups_have_numpys_figures(made):
    driver, rows = made
    rng = random.Random(SEED + 1)
    sizes, cut = set(), 0
    for _ in range(QUESTIONS):
        tree = random_tree(rng, rows.documents)
        by = rng.sample(list(FIELDS), rng.randint(0, 3))
        metrics = rng.sample(METRICS, rng.randint(1, 3))
        limit = rng.choice([3, 200, 1000])
        said = driver.ask(summary={"filter": tree, "group_by": by or None, "metrics": metrics, "limit": limit, "simulated": True})["answer"]
        places = matching(rows, tree)
        wanted = {}
        for i in sorted(places):
            wanted.setdefault(key_of(rows, by, i), []).append(i)
        if not by:
            wanted = {"{}": sorted(places)}
        order = sorted(wanted, key=lambda key: order_of(rows, by, wanted[key][0])) if by else list(wanted)
        assert (said["count"], said["total"], said["incomplete"]) == (len(places), RESULTS, [])
        assert [canonical(group["key"]) for group in said["groups"]] == order[:limit], (tree, by)
        assert said["more_count"] == max(0, len(order) - limit)
        for group, key in zip(said["groups"], order):
            assert group["count"] == len(wanted[key]) and list(group["metrics"]) == metrics
            for metric in metrics:
                check_metric(group["metrics"][metric], [rows.cells[metric][i][0] for i in wanted[key]])
            sizes.add(min(len(wanted[key]), 100))
        cut += said["more_count"] > 0
    assert {0, 1, 2, 100} <= sizes and cut


def test_matched_groups_are_cells_of_every_group(made):
    """Rows that lack a field of group_by are excluded, too."""
    driver, rows = made
    rng = random.Random(SEED + 2)
    columns = [field for field in FIELDS if field.startswith(("server.", "benchmark.")) and field in rows.cells and field not in NO_COLUMNS]
    kept_some = 0
    for _ in range(20):
        tree, by = random_tree(rng, rows.documents), rng.sample(["run.status", "quality.verdict", "server.enable_prefix_caching"], rng.randint(1, 2))
        said = driver.ask(summary={"filter": tree, "group_by": by, "match": True, "simulated": True})["answer"]
        places = sorted(matching(rows, tree))
        groups = {}
        for i in places:
            if all(rows.cells[field][i][0] is not MISSING for field in by):
                groups.setdefault(key_of(rows, by, i), []).append(i)
        if len(groups) < 2:
            assert said["matched"] is None and said["count"] == len(places)
            continue
        value = {i: {field: key_of(rows, [field], i) for field in columns} for group in groups.values() for i in group}
        varying = [field for field in columns if len({of[field] for of in value.values()}) > 1]
        cells = [field for field in varying if set.intersection(*({value[i][field] for i in group} for group in groups.values()))]
        at = {i: tuple(of[field] for field in cells) for i, of in value.items()}
        shared = set.intersection(*({at[i] for i in group} for group in groups.values()))
        wanted = {key: sum(at[i] in shared for i in group) for key, group in groups.items()}
        matched = said["matched"]
        assert (sorted(matched["inputs"]), sorted(matched["unmatched_inputs"])) == (sorted(cells), sorted(set(varying) - set(cells)))
        assert (matched["group_count"], matched["cell_count"], matched["unmatched"]) == (len(groups), len(shared), len(places) - sum(wanted.values()))
        assert {canonical(group["key"]): group["count"] for group in said["groups"]} == {key: n for key, n in wanted.items() if n}
        kept_some += said["count"] > 0
    assert kept_some


@pytest.mark.parametrize("request_,pointer,expected", [
    ({"group_by": ["server.tensor_paralel_size"]}, "/group_by/0", "the id of a field"), ({"metrics": [7]}, "/metrics/0", "a string"),
    ({"group_by": "server.model"}, "/group_by", "a list"), ({"group_by": ["run.suite"] * 9}, "/group_by", "at most 8 items"),
    ({"metrics": ["run.suite"] * 201}, "/metrics", "at most 200 items"), ({"limit": 0}, "/limit", "at least 1"),
    ({"simulated": "yes"}, "/simulated", "true or false"), ({"match": 1}, "/match", "true or false"), ({"limit": 1001}, "/limit", "at most 1000"), ({"budget_ms": 0}, "/budget_ms", "at least 1"),
    ({"filter": {"field": "run.suite", "op": "lk"}}, "/filter/op", None), ({"by": []}, "", None), ([], "", "an object")])
def test_faults_are_reported_with_their_location(made, request_, pointer, expected):
    [fault] = made[0].ask(summary=request_)["faults"]
    assert fault["pointer"] == pointer and (expected is None or fault["expected"] == expected)


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_rows_are_excluded_among_others_and_counted(made, simulated):
    """The rule and the numbers are those of charts."""
    driver, rows = made
    rng = random.Random(SEED + 3)
    seen = set()
    for _ in range(30):
        tree = random_tree(rng, rows.documents)
        said = driver.ask(summary={"filter": tree, "metrics": ["results.p99_ttft_ms"], "simulated": simulated})["answer"]
        places = matching(rows, tree)
        others = [i for i in sorted(places) if rows.cells["environment.engine.simulated"][i][0] is not True]
        kept = sorted(places) if simulated or not others else others
        assert (said["count"], said["simulated"], said["excluded"]) == (len(kept), len(places) - len(others), len(places) - len(kept))
        check_metric(said["groups"][0]["metrics"]["results.p99_ttft_ms"], [rows.cells["results.p99_ttft_ms"][i][0] for i in kept])
        chart = driver.ask(points={"filter": tree, "form": "bins", "x": "run.status", "simulated": simulated})["answer"]
        assert (chart["simulated"], chart["excluded"].get("simulated", 0)) == (said["simulated"], said["excluded"])
        seen.add(said["excluded"] > 0)
    assert seen == {not simulated, False}


def test_a_field_named_twice_is_one(made):
    said = made[0].ask(summary={"group_by": ["run.status", "run.status"], "metrics": ["results.completed"] * 3})["answer"]
    assert all(list(group["metrics"]) == ["results.completed"] for group in said["groups"])


def test_without_a_budget_unfinished_parts_are_named(made):
    """With any budget, the first one is present, and all are listed."""
    said = made[0].ask(summary={"metrics": METRICS, "budget_ms": 1})["answer"]
    [group] = said["groups"]
    assert list(group["metrics"]) + said["incomplete"] == METRICS and group["metrics"]


def test_the_route(dashboard):
    rate = [10.0, 12.0, 11.0, 30.0, None]
    dashboard.upload("/api/upload/batch", [little(i, results={"output_throughput": rate[i]}, config={"server": {"dtype": "abb"[i % 3]}})
                                           for i in range(5)])
    a, b = dashboard.get("/api/data/summary?group_by=server.dtype&metrics=results.output_throughput").json["groups"]
    assert (a["key"], a["count"], a["metrics"]["results.output_throughput"]["mean"]) == ({"server.dtype": "a"}, 2, 20)
    assert (b["key"], b["count"]) == ({"server.dtype": "b"}, 3)
    figures = b["metrics"]["results.output_throughput"]
    assert (figures["n"], figures["null"], figures["mean"], figures["p50"]) == (2, 1, 11.5, 11.5)
    matched = dashboard.get("/api/data/summary?group_by=server.dtype&match=true").json["matched"]
    assert (matched["group_count"], matched["unmatched_inputs"], matched["unmatched"]) == (2, ["server.dtype"], 0)
    tree = quote(json.dumps({"field": "server.dtype", "op": "eq", "value": "b"}))
    # without metrics: the headline metrics, of which these results have one
    for query, groups in (("", 1), ("&group_by=server.dtype", 1)):
        said = dashboard.get(f"/api/data/summary?filter={tree}{query}").json
        assert [group["count"] for group in said["groups"]] == [3] * groups and said["incomplete"] == []
        assert [list(group["metrics"]) for group in said["groups"]] == [["results.output_throughput"]]
    whole = dashboard.get("/api/data/summary").json["groups"]
    assert [(group["count"], group["metrics"]["results.output_throughput"]["n"]) for group in whole] == [(5, 4)]
    assert [dashboard.get(f"/api/data/summary?simulated={word}").json["excluded"] for word in ("true", "false")] == [0, 0]  # there is nothing else
    problem = dashboard.get("/api/data/summary?group_by=server.dtyp")
    assert problem.status == 422 and problem.json["pointer"] == "/group_by/0" and problem.json["nearest"] == "server.dtype"
