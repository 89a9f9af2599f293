"""`POST /api/analysis/regression` and `/api/analysis/trends` (query/series): verdicts, incidents and lines of stored results."""
import json
import math
import random
from datetime import datetime, timedelta, timezone

import numpy
import pytest
from dashboard_tools import Dashboard
from history_tools import KERNEL, METRICS, START, TORCH, history, result, series

TTFT = "results.median_ttft_ms"


def analyze(dashboard, **request):
    """Returns the complete answer."""
    while True:
        answer = dashboard.post("/api/analysis/regression", request)
        assert answer.status == 200, answer.body
        if not answer.json["incomplete"]:
            return answer.json


def only(answer):
    (verdict,) = answer["series"]
    return verdict


def store(dashboard, documents):
    for first in range(0, len(documents), 1000):
        part = documents[first:first + 1000]
        assert dashboard.upload("/api/upload/batch", part)["counts"]["stored"] == len(part)


# ---- verdicts ------------------------------------------------------------------------------------


@pytest.mark.one_database
def test_a_step_is_found_where_it_is(dashboard):
    store(dashboard, series(60, 80, 0.03, seed="step", steps=[(40, 1.1)]))
    answer = analyze(dashboard, metrics=[TTFT])
    verdict = only(answer)
    assert (verdict["state"], verdict["trend"], answer["counts"]["by_state"]["regression"]) == ("regression", "worse", 1)
    (change,) = verdict["changes"]
    assert abs(change["index"] - 40) <= 2
    assert change["low"] < 1.1 < change["high"]
    ids = dashboard.ids()
    assert change["before_ids"] + change["after_ids"] == ids
    assert change["id_before"] == change["before_ids"][-1] and change["id_after"] == change["after_ids"][0]
    shown = only(analyze(dashboard, metrics=[TTFT], series=verdict["key"]))
    assert [point["id"] for point in shown["points"]] == ids
    segments = [(part["from_index"], part["to_index"]) for part in shown["segments"]]
    assert segments == [(0, change["index"] - 1), (change["index"], 59)]


@pytest.mark.one_database
@pytest.mark.parametrize(("request_", "pointer"), [
    ({"metrics": ["results.no_such"]}, "/metrics/0"),
    ({"order": {"by": "version", "field": "no.such"}}, "/order/field"),
    ({"vary": ["no.such"]}, "/vary/0"),
    ({"filter": {"field": "no.such", "op": "eq", "value": 1}}, "/filter/field")])
def test_unknown_fields_are_refused(dashboard, request_, pointer):
    answer = dashboard.post("/api/analysis/regression", request_)
    assert (answer.status, answer.json["pointer"]) == (422, pointer)


@pytest.mark.one_database
def test_too_little_to_judge_is_said(dashboard):
    """None of these is an error or a verdict."""
    cases = {
        "short": (series(6, 80, 0.03, seed="short", server={"max_num_seqs": 1}), "insufficient_data", "4 more points"),
        "constant": (series(20, 80, 0, seed="constant", first=1000, server={"max_num_seqs": 2}), "insufficient_data",
                     "all values are equal"),
        "hosts": (series(60, 80, 0.03, seed="hosts", first=2000, steps=[(40, 1.2)], server={"max_num_seqs": 3},
                         host=lambda i: f"node-{i // 40}"), "not_comparable", "no host measured both"),
    }
    negative, zero, missing = [series(20, 80, 0.03, seed=name, first=3000 + 1000 * i, server={"max_num_seqs": 4 + i})
                               for i, name in enumerate(["negative", "zero", "missing"])]
    negative[3]["results"]["median_ttft_ms"] = -1.5
    for document in zero:
        document["results"]["median_ttft_ms"] = 0
    for document in missing:
        document["results"] = {"median_e2el_ms": 5.0}
    cases |= {"negative": (negative, "not_comparable", "1 of 20 values are not above 0"),
              "zero": (zero, "not_comparable", "20 of 20 values are not above 0"),
              "missing": (missing, "insufficient_data", "20 of 20 points have no value")}
    for documents, _, _ in cases.values():
        store(dashboard, documents)
    answer = analyze(dashboard, metrics=[TTFT])
    found = {verdict["fields"][0]["value"]: verdict for verdict in answer["series"]}
    for i, (name, (_, state, reason)) in enumerate(cases.items()):
        verdict = found[i + 1]
        assert verdict["state"] == state, name
        assert any(reason in line for line in verdict["reasons"]), (name, verdict["reasons"])
    assert found[1]["missing_count"] == 4


@pytest.mark.one_database
def test_an_empty_store_has_no_series(dashboard):
    answer = analyze(dashboard)
    assert (answer["series"], answer["incidents"], answer["counts"]["series"], answer["counts"]["experiments"]) == ([], [], 0, 0)


# ---- configurations ------------------------------------------------------------------------------


@pytest.mark.one_database
def test_a_field_that_varies_becomes_a_cause(dashboard):
    """By default each value of an argument is a configuration of its own."""
    store(dashboard, series(60, 80, 0.03, seed="vary", steps=[(40, 1.15)],
                            server=lambda i: {"max_num_seqs": 64 if i < 40 else 256}))
    apart = analyze(dashboard, metrics=[TTFT])
    assert apart["counts"]["configurations"] == 2 and apart["incidents"] == []
    assert sorted(verdict["label"].split()[-1] for verdict in apart["series"]) == ["256", "64"]
    together = analyze(dashboard, metrics=[TTFT], vary=["server.max_num_seqs"])
    assert only(together)["state"] == "regression"
    (incident,) = together["incidents"]
    cause = incident["causes"][0]
    assert (cause["field"], cause["before"], cause["after"]) == ("server.max_num_seqs", 64, 256)
    assert only(together)["changes"][0]["incident"] == incident["id"]


@pytest.mark.one_database
def test_fields_that_are_kept_divide_a_configuration(dashboard):
    store(dashboard, series(60, 80, 0.03, seed="keep", driver=lambda i: f"580.{i % 2}"))
    assert only(analyze(dashboard, metrics=[TTFT]))["state"] == "not_comparable"
    kept = analyze(dashboard, metrics=[TTFT], keep=["environment.gpu_driver"])
    assert [verdict["state"] for verdict in kept["series"]] == ["stable"] * 2
    assert {verdict["fields"][0]["value"] for verdict in kept["series"]} == {"580.0", "580.1"}


@pytest.mark.one_database
def test_releases_are_in_their_own_order(dashboard):
    """Results of an old release may be newer."""
    releases = ["0.9.2", "0.10.0", "0.10.1rc1", "0.10.1", "0.11.0"]
    store(dashboard, series(60, 80, 0.03, seed="order", steps=[(36, 1.12)], version=lambda i: releases[i // 12]))
    late = series(3, 80, 0.03, seed="late", first=900, version="0.9.2", interval_h=24 * 30)
    store(dashboard, late[1:])
    answer = analyze(dashboard, metrics=[TTFT], order={"by": "version"})
    verdict = only(answer)
    assert answer["order"] == {"by": "version", "field": "environment.engine.version"}
    assert [change["label"] for change in verdict["changes"]] == ["0.10.1"]
    shown = only(analyze(dashboard, metrics=[TTFT], order={"by": "version"}, series=verdict["key"]))["points"]
    assert [point["version"] for point in shown] == [r for i, r in enumerate(releases) for _ in range(14 if i == 0 else 12)]


# ---- lists ---------------------------------------------------------------------------------------


@pytest.mark.one_database
def test_lists_are_selected_sorted_and_paged(dashboard):
    for i, size in enumerate([1.3, 1.12, 0.8, 1.0]):
        store(dashboard, series(60, 80, 0.03, seed=f"list {i}", first=1000 * i, steps=[(40, size)], server={"max_num_seqs": i + 1}))
    answer = analyze(dashboard, metrics=[TTFT])
    order = [(verdict["fields"][0]["value"], verdict["state"]) for verdict in answer["series"]]
    assert order == [(1, "regression"), (3, "improvement"), (2, "regression"), (4, "stable")]

    def listed(**request):
        part = analyze(dashboard, metrics=[TTFT], **request)
        assert part["counts"] == answer["counts"]
        return [verdict["fields"][0]["value"] for verdict in part["series"]], part["total"]

    assert listed(states=["regression"]) == ([1, 2], 2)
    assert listed(direction="better") == ([3], 1)
    assert listed(direction="worse", limit=1, offset=1) == ([2], 2)
    assert listed(limit=2) == ([1, 3], 4)


@pytest.mark.one_database
def test_sensitive_mode_halves_the_minimum_effect(dashboard):
    store(dashboard, series(60, 80, 0.005, seed="sensitive", steps=[(40, 1.035)]))
    assert only(analyze(dashboard, metrics=[TTFT]))["state"] == "stable"
    assert only(analyze(dashboard, metrics=[TTFT], mode="sensitive"))["state"] == "regression"
    assert only(analyze(dashboard, metrics=[TTFT], min_effect=0.02))["state"] == "regression"


@pytest.mark.one_database
def test_simulated_results_are_excluded(dashboard):
    documents = series(20, 80, 0.03, seed="real") + series(20, 80, 0.03, seed="simulated", first=1000)
    for document in documents[20:]:
        document["environment"]["engine"].update(name="profllm-sim", simulated=True)
    store(dashboard, documents)
    answer = analyze(dashboard, metrics=[TTFT])
    assert (answer["excluded"]["simulated"], answer["counts"]["experiments"]) == (20, 20)
    assert analyze(dashboard, metrics=[TTFT], simulated=True)["counts"]["configurations"] == 2


# ---- repeatable, and cached ----------------------------------------------------------------------


def portable(dashboard, body):
    """Returns the answer with run_ids instead of the ids of this database."""
    runs = {row["id"]: row["run_id"] for row in dashboard.rows()}
    answer = json.loads(body)
    del answer["data_version"]
    for verdict in answer["series"]:
        verdict["experiments"].update({key: runs[verdict["experiments"][key]] for key in ("first_id", "last_id")})
        for point in verdict.get("points", []):
            point["id"] = runs[point["id"]]
        for change in verdict["changes"]:
            change.update({key: runs[change[key]] for key in ("id_before", "id_after")})
            change.update({key: [runs[number] for number in change[key]] for key in ("before_ids", "after_ids")})
    return json.dumps(answer)


def test_the_same_data_give_the_same_bytes(bin_dir, db, database, tmp_path):
    documents = []
    for i, size in enumerate([1.12, 1.0, 0.9]):
        documents += series(40, 80, 0.03, seed=f"same {i}", first=1000 * i, steps=[(25, size)], server={"max_num_seqs": i + 1},
                            torch=lambda k: "2.9" if k < 25 else "2.10")
    request = {"metrics": [TTFT], "budget_ms": 60000}
    with Dashboard(bin_dir, db) as one:
        store(one, documents)
        first = one.post("/api/analysis/regression", request).body
        wanted = portable(one, first)
        one.stop()
    with Dashboard(bin_dir, db) as one:
        assert one.post("/api/analysis/regression", request).body == first
    (tmp_path / "other").mkdir()
    random.Random(7).shuffle(documents)
    for other in (database.new(tmp_path / "other"), tmp_path / "plain.db"):
        with Dashboard(bin_dir, other) as one:
            store(one, documents)
            assert portable(one, one.post("/api/analysis/regression", request).body) == wanted
            one.stop()


@pytest.mark.one_database
def test_a_short_budget_continues_with_the_next_request(dashboard):
    for i in range(12):
        store(dashboard, series(100, 80, 0.05, seed=f"budget {i}", first=1000 * i, server={"max_num_seqs": i + 1}))
    request = {"metrics": [TTFT], "budget_ms": 1}
    answers = [dashboard.post("/api/analysis/regression", request).json]
    assert answers[0]["incomplete"] == ["series"] and answers[0]["series"] == [] and answers[0]["counts"]["series"] == 12
    while answers[-1]["incomplete"]:
        answers.append(dashboard.post("/api/analysis/regression", request).json)
        assert len(answers) <= 12
    assert answers[-1] == analyze(dashboard, metrics=[TTFT], budget_ms=60000)


# ---- a history (issue K, Show 4) -----------------------------------------------------------------

NAMES = [f"results.{name}" for name in METRICS]


@pytest.fixture(scope="module")
def forty(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("forty") / "forty.db") as one:
        store(one, history())
        yield one
        assert one.stop() == (0, "", "")


def position_of(change):
    """Returns the index of a run in the history."""
    return (change["at"] / 1e6 - START.timestamp()) // (6 * 3600)


def test_a_history_of_forty_configurations(forty):
    answer = analyze(forty, metrics=NAMES, limit=1000, budget_ms=60000)
    assert (answer["counts"]["configurations"], answer["counts"]["series"]) == (40, 240)
    first, second = answer["incidents"]
    for incident, (_, metrics, field, (before, after)) in ((first, TORCH), (second, KERNEL)):
        cause = incident["causes"][0]
        assert (incident["state"], cause["field"], cause["before"], cause["after"]) == ("regression", f"environment.{field}", before, after)
        assert {member["metric"] for member in incident["series"]} == {f"results.{name}" for name in metrics}
        assert len(incident["series"]) == 20
    alarms = [verdict for verdict in answer["series"] if verdict["state"] not in ("stable", "suspect")]
    assert {member["key"] for incident in (first, second) for member in incident["series"]} == {verdict["key"] for verdict in alarms}
    assert len(alarms) == 40
    for verdict in alarms:
        (tp,) = [field["value"] for field in verdict["fields"] if field["field"] == "server.tensor_parallel_size"]
        place, metrics, _, _ = {8: TORCH, 4: KERNEL}[tp]
        size = metrics[verdict["metric"].removeprefix("results.")]
        (change,) = [change for change in verdict["changes"] if change["state"] != "stable"]
        assert verdict["state"] == "regression" and abs(position_of(change) - place) <= 2
        assert change["low"] <= size * 1.02 and change["high"] >= size * 0.98
    marked = [verdict for verdict in answer["series"] if verdict["markers"]]
    assert {verdict["fields"][0]["value"] for verdict in marked} == {2} and len(marked) == 60
    driver = only(analyze(forty, metrics=NAMES, series=marked[0]["key"]))
    (change,) = driver["hardware_changes"]
    assert [(part["field"], part["before"], part["after"]) for part in change["changes"]] == [
        ("environment.gpu_driver", "575.57", "580.95")]


def test_changes_within_a_release_are_incidents_with_causes(forty):
    """On an axis of releases all results of one release have one position: their changes need their order in time, too."""
    answer = analyze(forty, metrics=NAMES, order={"by": "version", "field": None}, limit=1000, budget_ms=60000)
    first, second = answer["incidents"]
    for incident, release, at, (_, _, field, _) in ((first, "0.31.0", 1, TORCH), (second, "0.31.1", 2, KERNEL)):
        assert incident["causes"][0]["field"] == f"environment.{field}" and len(incident["series"]) == 20
        assert (incident["from_at"], incident["to_at"]) == (at, at) and (incident["from_label"], incident["to_label"]) == (release, release)
    alarms = [verdict for verdict in answer["series"] if verdict["state"] == "regression"]
    assert {(change["at"], change["label"]) for verdict in alarms for change in verdict["changes"]} == {(1, "0.31.0"), (2, "0.31.1")}


def test_a_new_result_analyzes_its_own_series_only(forty):
    analyze(forty, metrics=NAMES, budget_ms=60000)
    before = forty.get("/api/health").json["analysis"]
    store(forty, [result(999999, START + timedelta(hours=6 * 130), {name: 50.0 for name in METRICS},
                         server={"tensor_parallel_size": 1, "max_num_seqs": 16}, host="node-1", torch="2.9.0", kernel="6.8.0-45")])
    analyze(forty, metrics=NAMES, budget_ms=60000)
    after = forty.get("/api/health").json["analysis"]
    assert after["analyzed_count"] - before["analyzed_count"] == 6
    assert after["cached_count"] - before["cached_count"] == 234


# ---- lines ---------------------------------------------------------------------------------------


def lines(dashboard, **request):
    answer = dashboard.post("/api/analysis/trends", {"metric": TTFT, **request})
    assert answer.status == 200, answer.body
    return answer.json


@pytest.mark.one_database
def test_lines_have_every_point_and_gaps(dashboard):
    documents = series(30, 80, 0.03, seed="lines")
    documents[7]["results"] = {"median_e2el_ms": 1.0}
    store(dashboard, documents)
    answer = lines(dashboard, band="minmax")
    (line,) = answer["lines"]
    values = [document["results"].get("median_ttft_ms") for document in documents]
    assert line["points"]["value"] == values
    assert (line["gap_count"], line["total_count"], line["thinned"]) == (1, 30, False)
    near = [value for value in values[8:23] if value is not None]
    assert (line["points"]["low"][15], line["points"]["high"][15]) == (min(near), max(near))
    assert answer["metric"]["direction"] == "lower"
    verdict = only(analyze(dashboard, metrics=[TTFT]))
    assert line["key"] == verdict["key"]


@pytest.mark.one_database
@pytest.mark.parametrize("aggregate", ["median", "mean"])
def test_points_of_one_version_are_combined(dashboard, aggregate):
    documents = series(30, 80, 0.03, seed="combined", version=lambda i: f"0.{8 + i // 10}.0")
    store(dashboard, documents)
    answer = lines(dashboard, aggregate=aggregate, band="ci95", order={"by": "version"})
    (line,) = answer["lines"]
    assert [label["label"] for label in answer["axis"]["labels"]] == ["0.8.0", "0.9.0", "0.10.0"]
    for i in range(3):
        values = [document["results"]["median_ttft_ms"] for document in documents[10 * i:10 * i + 10]]
        center = getattr(numpy, aggregate)(values)
        half = 2.2621571627409915 * numpy.std(values, ddof=1) / math.sqrt(10)
        assert line["points"]["value"][i] == pytest.approx(center, rel=1e-12)
        assert line["points"]["low"][i] == pytest.approx(numpy.mean(values) - half, rel=1e-9)
        assert line["points"]["high"][i] == pytest.approx(numpy.mean(values) + half, rel=1e-9)
        assert line["points"]["count"][i] == 10


@pytest.mark.one_database
def test_weeks_begin_on_monday(dashboard):
    documents = series(80, 80, 0.03, seed="weeks")
    store(dashboard, documents)
    (line,) = lines(dashboard, aggregate="median", bucket="week")["lines"]
    assert line["points"]["at"] == [int((START + timedelta(weeks=i)).timestamp() * 1e6) for i in range(3)]
    assert line["points"]["count"] == [28, 28, 24]


@pytest.mark.one_database
def test_a_thinned_line_keeps_the_extremes(dashboard):
    documents = series(200, 80, 0.05, seed="thin")
    store(dashboard, documents)
    (line,) = lines(dashboard, max_points=20)["lines"]
    values = [document["results"]["median_ttft_ms"] for document in documents]
    assert line["thinned"] and line["total_count"] == 200 and len(line["points"]["value"]) <= 20
    for i in range(10):
        part = values[20 * i:20 * i + 20]
        assert {min(part), max(part)} <= set(line["points"]["value"])


@pytest.mark.one_database
def test_lines_of_groups(dashboard):
    for i in range(4):
        store(dashboard, series(5 + i, 80, 0.03, seed=f"group {i}", first=100 * i,
                                server={"max_num_seqs": i + 1, "tensor_parallel_size": 1 + i % 2}))
    answer = lines(dashboard, group_by=["server.tensor_parallel_size"])
    assert [(line["fields"][0]["value"], line["total_count"]) for line in answer["lines"]] == [(2, 14), (1, 12)]
    assert lines(dashboard, limit=2)["total_lines"] == 4
    (everything,) = lines(dashboard, group_by=[])["lines"]
    assert everything["total_count"] == 26


# ---- decisions -----------------------------------------------------------------------------------


def decide(dashboard, verdict, kind, change=0, **keys):
    place = verdict["changes"][change]
    answer = dashboard.post("/api/analysis/decisions", {"series": verdict["key"], "metric": verdict["metric"], "at": place["at"],
                                                        "experiment_id": place["id_after"], "kind": kind, **keys})
    assert answer.status == 201, answer.body


def test_expected_cuts_the_history_and_survives_a_restart(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        store(one, series(60, 80, 0.03, seed="expected", steps=[(35, 1.15)]))
        verdict = only(analyze(one, metrics=[TTFT]))
        assert verdict["state"] == "regression"
        decide(one, verdict, "expected", author="Ada", note="new tokenizer")
        assert only(analyze(one, metrics=[TTFT]))["state"] == "stable"
        assert one.stop() == (0, "", "")
    with Dashboard(bin_dir, db) as one:
        after = only(analyze(one, metrics=[TTFT]))
        assert (after["state"], after["changes"]) == ("stable", [])
        assert [(placed["index"], placed["kind"]) for placed in after["decisions"]] == [(verdict["changes"][0]["index"], "expected")]
        # a late result at the beginning renumbers the points
        store(one, [result(70000, START - timedelta(hours=5), {"median_ttft_ms": 80.0})])
        assert only(analyze(one, metrics=[TTFT]))["state"] == "stable"
        decide(one, verdict, "none")
        assert only(analyze(one, metrics=[TTFT]))["state"] == "regression"


@pytest.mark.one_database
def test_a_decision_remains_without_its_result(dashboard):
    store(dashboard, series(60, 80, 0.03, seed="expected", steps=[(35, 1.15)]))
    verdict = only(analyze(dashboard, metrics=[TTFT]))
    decide(dashboard, verdict, "expected")
    assert dashboard.ask("DELETE", f"/api/data/experiments/{verdict['changes'][0]['id_after']}").status == 204
    after = only(analyze(dashboard, metrics=[TTFT]))
    assert (after["state"], [placed["index"] for placed in after["decisions"]]) == ("stable", [verdict["changes"][0]["index"]])


@pytest.mark.one_database
def test_times_after_2262_are_shown(dashboard):
    late = [result(i, datetime(2300, 1, 1 + i, tzinfo=timezone.utc), {"median_ttft_ms": 80.0 + i % 3}) for i in range(12)]
    store(dashboard, late)
    key = only(analyze(dashboard, metrics=[TTFT]))["key"]
    points = only(analyze(dashboard, metrics=[TTFT], series=key))["points"]
    assert [point["time"] for point in points] == [f"2300-01-{1 + i:02}T00:00:00.000Z" for i in range(12)]


@pytest.mark.one_database
def test_wrong_silences_its_place_only(dashboard):
    store(dashboard, series(120, 80, 0.03, seed="wrong", steps=[(40, 1.15), (80, 1.2)]))
    verdict = only(analyze(dashboard, metrics=[TTFT]))
    assert [change["state"] for change in verdict["changes"]] == ["regression"] * 2
    decide(dashboard, verdict, "wrong", change=0)
    after = only(analyze(dashboard, metrics=[TTFT]))
    assert [(change["state"], change["decision"]) for change in after["changes"]] == [("stable", "wrong"), ("regression", "none")]
    decide(dashboard, verdict, "acknowledged", change=1)
    shown = only(analyze(dashboard, metrics=[TTFT]))
    assert [(change["state"], change["decision"]) for change in shown["changes"]] == [("stable", "wrong"), ("regression", "acknowledged")]
