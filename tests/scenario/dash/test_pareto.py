"""Frontiers of `POST /api/analysis/pareto`: configurations, means, states, hypervolume and history compared with plain Python."""
import itertools
import random

import numpy
import pytest
from dashboard_tools import Dashboard

PATH = "/api/analysis/pareto"
USER, GPU = "derived.tokens_per_s_per_user", "derived.output_throughput_per_gpu"
REPEATS = 4
VERSIONS = ["0.9.2", "0.10.0"]


def result(number, limit, version, gpu, simulated=False, verdict="trusted", **results):
    """One run: a higher max_num_seqs gives more throughput and less speed per user; 0.10.0 is 10 % faster."""
    rng = random.Random(number)
    speed = 1.1 if version == "0.10.0" else 1.0
    throughput = 100 * limit / (1 + limit / 64) * speed * rng.gauss(1, 0.02)
    tpot = (5 + limit / 8) / speed * rng.gauss(1, 0.02)
    return {
        "run_id": f"run-{number}", "suite": "pareto", "status": "completed", "quality": {"verdict": verdict},
        "timestamp": f"2026-10-{1 + number % 28:02d}T00:00:00Z",
        "config": {"server": {"model": "some/model", "max_num_seqs": limit}, "benchmark": {}},
        "results": {"output_throughput": throughput, "median_tpot_ms": tpot, "completed": 100, "failed": 0, **results},
        "system": {"hardware_info": {"gpu_name": gpu, "gpu_count": 2}},
        "environment": {"engine": {"name": "vllm", "version": version, "simulated": simulated}},
    }


def made():
    numbers = itertools.count()
    documents = [result(next(numbers), limit, version, gpu)
                 for gpu in ("A100", "H100") for version in VERSIONS for limit in (4, 8, 16, 32, 64, 128) for _ in range(REPEATS)]
    documents += [result(next(numbers), 64, "0.10.0", "A100", simulated=True, output_throughput=1e6) for _ in range(3)]
    documents += [result(next(numbers), 64, "0.10.0", "A100", verdict="client_limited", output_throughput=1e6)]
    documents += [result(next(numbers), 64, "0.10.0", "A100", median_tpot_ms=None)]
    return documents


@pytest.fixture
def stored(dashboard):
    documents = made()
    random.Random(1).shuffle(documents)
    dashboard.upload("/api/upload/batch", documents)
    return dashboard, documents


def ask(dashboard, **question):
    answer = dashboard.post(PATH, question)
    assert answer.status == 200, answer.json
    return answer.json


def is_usable(document):
    return document["quality"]["verdict"] == "trusted" and not document["environment"]["engine"]["simulated"] and \
        document["results"]["median_tpot_ms"] is not None


def means_of(documents, *, gpu=None, keep=lambda document: True):
    """Returns {(max_num_seqs, version, GPU): means of both metrics}."""
    found = {}
    for document in documents:
        name = document["system"]["hardware_info"]["gpu_name"]
        if is_usable(document) and keep(document) and gpu in (None, name):
            key = (document["config"]["server"]["max_num_seqs"], document["environment"]["engine"]["version"], name)
            found.setdefault(key, []).append((1000 / document["results"]["median_tpot_ms"], document["results"]["output_throughput"] / 2))
    return {key: numpy.mean(runs, axis=0) for key, runs in found.items()}


def frontier_of(means):
    return {key for key, point in means.items()
            if not any((other >= point).all() and (other > point).any() for other in means.values())}


def volume_of(points, reference):
    """The area under the staircase."""
    area, height = 0.0, reference[1]
    for x, y in sorted(points, key=lambda point: -point[0]):
        if y > height and x > reference[0]:
            area += (x - reference[0]) * (y - height)
            height = y
    return area


def knee_of(means):
    """The configuration furthest above the line through the ends, if any is."""
    points = numpy.array(list(means.values()))
    sums = ((points - points.min(axis=0)) / (points.max(axis=0) - points.min(axis=0))).sum(axis=1)
    return [list(means)[sums.argmax()]] if sums.max() > 1 + 1e-9 else []


def keys_of(points, documents):
    """The configuration of each point; all its runs are of the same one."""
    keys = []
    for point in points:
        names = {(one["config"]["server"]["max_num_seqs"], one["environment"]["engine"]["version"], one["system"]["hardware_info"]["gpu_name"])
                 for one in (documents[i - 1] for i in point["ids"])}
        assert len(names) == 1
        keys.append(names.pop())
    return keys


def test_frontiers_equal_those_of_plain_python(stored):
    dashboard, documents = stored
    answer = ask(dashboard, group_by=["system.hardware_info.gpu_name"], reference=[0, 0])
    assert (answer["count"], answer["total"], answer["simulated"], answer["excluded"], answer["untrusted_excluded"], answer["unmeasured"]) == \
        (96, 101, 3, 3, 1, 1)
    assert [(one["field"], one["direction"]) for one in answer["metrics"]] == [(USER, "higher"), (GPU, "higher")]
    assert [group["key"]["system.hardware_info.gpu_name"] for group in answer["groups"]] == ["A100", "H100"]
    for group in answer["groups"]:
        means = means_of(documents, gpu=group["key"]["system.hardware_info.gpu_name"])
        on = frontier_of(means)
        keys = keys_of(group["points"], documents)
        assert len(keys) == len(set(keys)) == len(means) == group["configuration_count"] and group["more_count"] == 0
        for point, key in zip(group["points"], keys):
            assert len(point["ids"]) == REPEATS and point["ids"] == sorted(point["ids"])
            assert point["frontier"] == (key in on)
            assert numpy.allclose([value["mean"] for value in point["values"]], means[key], rtol=1e-12)
            assert all(value["low"] < value["mean"] < value["high"] for value in point["values"])
            assert bool(point["dominated_by"]) == (key not in on)
        assert group["frontier_count"] == len(on) and group["dominated_share"] == pytest.approx(1 - len(on) / len(means))
        assert group["hypervolume"]["value"] == pytest.approx(volume_of(means.values(), (0, 0)), rel=1e-9)
        assert group["hypervolume"]["low"] < group["hypervolume"]["high"]
        # 10 % less in both metrics, with a CV of 2 %
        said = dict(zip(keys, (point["membership"] for point in group["points"])))
        assert all(said[key] == "not" for key in means if key[1] == "0.9.2")
        assert sum(said[key] == "surely" for key in means if key[1] == "0.10.0") >= 4
        assert [key for key, point in zip(keys, group["points"]) if point["knee"]] == knee_of({key: means[key] for key in on})


@pytest.mark.one_database
def test_runs_are_excluded_unless_requested(stored):
    dashboard, _ = stored
    answer = ask(dashboard, simulated=True, untrusted=True)
    assert (answer["count"], answer["excluded"], answer["untrusted_excluded"]) == (100, 0, 0)
    only = ask(dashboard, filter={"field": "environment.engine.simulated", "op": "eq", "value": True})
    assert (only["count"], only["simulated"], only["excluded"], only["configuration_count"]) == (3, 3, 0, 1)


@pytest.mark.one_database
def test_value_at_a_limit_is_that_of_a_configuration(stored):
    dashboard, documents = stored
    limits = [{"field": USER, "value": 80}, {"field": USER, "value": 1e9}, {"field": GPU, "value": 500, "wanted": USER}]
    [group] = ask(dashboard, limits=limits)["groups"]
    means = means_of(documents)
    first, second, third = group["limits"]
    assert first["value"] == pytest.approx(max(y for x, y in means.values() if x >= 80))
    assert first["low"] < first["value"] < first["high"] and first["feasible_share"] == 1
    [key] = keys_of([first], documents)
    assert means[key][1] == pytest.approx(first["value"])
    assert (second["value"], second["ids"], second["feasible_share"]) == (None, [], 0)
    assert third["value"] == pytest.approx(max(x for x, y in means.values() if y >= 500))


@pytest.mark.parametrize("since", [{"version": "0.10.0"}, {"time": "2026-10-15T00:00:00Z"}])
@pytest.mark.one_database
def test_moves_since_a_release_or_a_time(stored, since):
    dashboard, documents = stored
    answer = ask(dashboard, filter={"field": "system.hardware_info.gpu_name", "op": "eq", "value": "A100"}, since=since)
    [group] = answer["groups"]
    is_early = (lambda one: one["environment"]["engine"]["version"] == "0.9.2") if "version" in since else \
        (lambda one: one["timestamp"] < since["time"])
    before = frontier_of(means_of(documents, gpu="A100", keep=is_early))
    now = frontier_of(means_of(documents, gpu="A100"))
    assert set(keys_of(group["entered"], documents)) == now - before
    assert set(keys_of(group["left"], documents)) == before - now
    assert all(point["dominated_by"] for point in group["left"])
    assert ask(dashboard)["groups"][0]["entered"] is None


@pytest.mark.one_database
def test_three_metrics_and_directions(stored):
    dashboard, documents = stored
    metrics = [{"field": USER}, {"field": GPU}, {"field": "server.max_num_seqs", "direction": "lower"}]
    [group] = ask(dashboard, metrics=metrics)["groups"]
    means = {key: numpy.array([*point, -key[0]]) for key, point in means_of(documents).items()}
    assert {key for point, key in zip(group["points"], keys_of(group["points"], documents)) if point["frontier"]} == frontier_of(means)
    turned = ask(dashboard, metrics=[{"field": USER, "direction": "lower"}, {"field": GPU}])["groups"][0]
    flipped = {key: point * [-1, 1] for key, point in means_of(documents).items()}
    assert turned["frontier_count"] == len(frontier_of(flipped))


@pytest.mark.one_database
def test_rows_of_points_and_cautions(stored):
    dashboard, documents = stored
    columns = ["server.max_num_seqs", "run.name"]
    answer = ask(dashboard, group_by=["environment.engine.version"], columns=columns)
    for point in (point for group in answer["groups"] for point in group["points"]):
        row, newest = point["row"], documents[point["ids"][-1] - 1]
        assert (row["id"], row["run_id"], row["simulated"], row["verdict"]) == (point["ids"][-1], newest["run_id"], False, "trusted")
        assert row["cells"]["server.max_num_seqs"] == newest["config"]["server"]["max_num_seqs"] and set(row["cells"]) <= set(columns)
    differing = {of["field"] for one in answer["cautions"] for of in one["fields"]}
    assert "system.hardware_info.gpu_name" in differing and "environment.engine.version" not in differing
    assert len({point["row"] for group in ask(dashboard)["groups"] for point in group["points"]}) == 1
    other = ask(dashboard, group_by=["system.hardware_info.gpu_name"])["cautions"]
    assert "system.hardware_info.gpu_name" not in {of["field"] for one in other for of in one["fields"]}


def test_limit_and_answers_of_any_order(stored, bin_dir, database, tmp_path):
    dashboard, documents = stored
    question = {"group_by": ["environment.engine.version"], "limits": [{"field": USER, "value": 60}]}
    answer = ask(dashboard, **question)
    few = ask(dashboard, **question, limit=5)
    assert [len(group["points"]) for group in few["groups"]] == [5, 0] and [group["more_count"] for group in few["groups"]] == [7, 12]
    other_order = list(reversed(documents))
    (tmp_path / "other").mkdir()
    with Dashboard(bin_dir, database.new(tmp_path / "other")) as other:
        other.upload("/api/upload/batch", other_order)
        again = ask(other, **question)
    runs = [{i: one["run_id"] for i, one in enumerate(each, 1)} for each in (documents, other_order)]

    def named(value, names):
        """Replaces ids by run_ids, whose order is that of the upload."""
        if isinstance(value, dict):
            return {key: sorted(names[i] for i in item) if key == "ids" else [] if key == "dominated_by" else named(item, names)
                    for key, item in value.items() if key != "data_version"}
        return [named(item, names) for item in value] if isinstance(value, list) else value

    assert named(answer, runs[0]) == named(again, runs[1])


def test_without_repeats_nothing_is_sure(dashboard):
    dashboard.upload("/api/upload/batch", [result(i, limit, "0.10.0", "A100") for i, limit in enumerate((4, 8, 16))])
    [group] = ask(dashboard)["groups"]
    assert not group["has_spread"] and {point["membership"] for point in group["points"]} == {"unknown"}
    assert group["hypervolume"]["low"] is None and group["points"][0]["values"][0]["low"] is None
    nothing = ask(dashboard, filter={"field": "run.suite", "op": "eq", "value": "none"})
    assert (nothing["count"], nothing["configuration_count"], nothing["reference"]) == (0, 0, [None, None])
    assert [group["points"] for group in nothing["groups"]] == [[]]


@pytest.mark.parametrize("question, pointer", [
    ({"metrics": [{"field": USER}, {"field": USER}]}, "/metrics/1/field"),
    ({"metrics": [{"field": USER}, {"field": "server.max_num_seqs"}]}, "/metrics/1/direction"),
    ({"metrics": [{"field": USER}, {"field": "results.nothing"}]}, "/metrics/1/field"),
    ({"metrics": [{"field": USER}]}, "/metrics"),
    ({"limits": [{"field": "results.p99_ttft_ms", "value": 1}]}, "/limits/0/field"),
    ({"limits": [{"field": USER, "value": 1, "wanted": "run.suite"}]}, "/limits/0/wanted"),
    ({"reference": [1, 2, 3]}, "/reference"),
    ({"since": {}}, "/since"),
    ({"since": {"time": "yesterday"}}, "/since/time"),
    ({"since": {"version": "new"}}, "/since/version"),
    ({"group_by": ["no"]}, "/group_by/0"),
    ({"columns": ["no"]}, "/columns/0"),
])
@pytest.mark.one_database
def test_faults(dashboard, question, pointer):
    answer = dashboard.post(PATH, question)
    assert (answer.status, answer.json["pointer"]) == (422, pointer), answer.json
