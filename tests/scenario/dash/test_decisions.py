"""Decisions on changes of metrics, and annotations of trends: on disk before the response, seen by all dashboards of a
database, and none lost when two users write at the same time."""
import json
import signal
import threading

import pytest
from dashboard_tools import CONTRACT, Dashboard, little
from database_tools import change

DECISIONS, ANNOTATIONS = "/api/analysis/decisions", "/api/annotations"
SCHEMAS = CONTRACT["components"]["schemas"]
PLACE = {"series": "k1", "metric": "results.mean_ttft_ms", "at": 3, "kind": "expected"}


def decisions(dashboard, series=None):
    return dashboard.get(DECISIONS + (f"?series={series}" if series else "")).json["decisions"]


def annotations(dashboard, query=""):
    return dashboard.get(ANNOTATIONS + query).json["annotations"]


def patch(dashboard, id_, value, revision=None):
    headers = {"Content-Type": "application/json", **({"If-Match": revision} if revision else {})}
    return dashboard.ask("PATCH", f"{ANNOTATIONS}/{id_}", json.dumps(value), headers)


def remove(dashboard, id_, revision=None):
    return dashboard.ask("DELETE", f"{ANNOTATIONS}/{id_}", headers={"If-Match": revision} if revision else {})


def without(value, *keys):
    return {key: item for key, item in value.items() if key not in keys}


# ---- decisions -----------------------------------------------------------------------------------


def test_decisions_are_added_and_none_replaces_another(dashboard):
    dashboard.upload("/api/upload/json", little(0))
    assert decisions(dashboard) == []
    first = dashboard.post(DECISIONS, {**PLACE, "order_by": "version", "experiment_id": 1, "note": "a\nb", "author": "ann"})
    assert first.status == 201
    assert without(first.json, "created_at") == {**PLACE, "id": first.json["id"], "order_by": "version", "experiment_id": 1, "note": "a\nb", "author": "ann"}
    second = dashboard.post(DECISIONS, {**PLACE, "kind": "none"})
    assert without(second.json, "id", "created_at") == {**PLACE, "kind": "none", "order_by": "time", "experiment_id": None, "note": None, "author": None}
    other = dashboard.post(DECISIONS, {**PLACE, "series": "k 2/%", "kind": "wrong", "at": -2**53}).json
    assert decisions(dashboard) == [first.json, second.json, other]
    assert decisions(dashboard, "k1") == [first.json, second.json] and decisions(dashboard, "k%202/%25") == [other]
    assert decisions(dashboard, "k") == []


@pytest.mark.one_database
def test_examples_of_the_contract_are_accepted(dashboard):
    dashboard.upload("/api/upload/json", little(0))
    for example in SCHEMAS["DecisionRequest"]["examples"]:
        assert dashboard.post(DECISIONS, {**example, "experiment_id": 1}).status == 201
    for example in SCHEMAS["AnnotationRequest"]["examples"]:
        assert dashboard.post(ANNOTATIONS, example).status == 201


def test_a_decision_names_a_stored_result(dashboard):
    dashboard.upload("/api/upload/batch", [little(0), little(1)])
    assert dashboard.ask("DELETE", "/api/data/experiments/2").status == 204
    for id_ in (2, 3, 2**62):
        problem = dashboard.post(DECISIONS, {**PLACE, "experiment_id": id_})
        assert problem.status == 422 and problem.json["pointer"] == "/experiment_id" and problem.json["found"] == str(id_)
    for broken, pointer in ((without(PLACE, "series"), ""), ({**PLACE, "kind": "maybe"}, "/kind"), ({**PLACE, "at": 1.5}, "/at"),
                            ({**PLACE, "order_by": "place"}, "/order_by"), ({**PLACE, "note": "x" * 2001}, "/note")):
        problem = dashboard.post(DECISIONS, broken)
        assert problem.status == 422 and problem.json["pointer"] == pointer
    assert decisions(dashboard) == []


def test_decisions_of_two_users_at_the_same_time_are_both_stored(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        statuses = []

        def decide(author):
            statuses.extend(one.post(DECISIONS, {**PLACE, "author": author, "kind": kind}).status for kind in ("expected", "wrong", "fixed"))

        threads = [threading.Thread(target=decide, args=(author,)) for author in ("ann", "bob")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stored = decisions(one)
        assert statuses == [201] * 6 and len({decision["id"] for decision in stored}) == 6
        for author in ("ann", "bob"):
            assert [decision["kind"] for decision in stored if decision["author"] == author] == ["expected", "wrong", "fixed"]
        one.stop(signal.SIGKILL)
    with Dashboard(bin_dir, db) as one:
        assert decisions(one) == stored


def test_each_change_counts_as_one_of_the_data(dashboard):
    """Answers that depend on decisions and annotations have an ETag of the data version."""
    dashboard.upload("/api/upload/json", little(0))
    seen = [dashboard.get("/api/health").json["data_version"]]
    tag = dashboard.get("/api/data/summary").headers["ETag"]
    assert dashboard.get("/api/data/summary", **{"If-None-Match": tag}).status == 304

    def step(answer):
        assert answer.status < 300
        seen.append(dashboard.get("/api/health").json["data_version"])

    step(dashboard.post(DECISIONS, PLACE))
    assert dashboard.get("/api/data/summary", **{"If-None-Match": tag}).status == 200
    step(dashboard.post(ANNOTATIONS, {"version": "1", "text": "x"}))
    step(patch(dashboard, 1, {"text": "y"}))
    step(remove(dashboard, 1))
    assert seen == sorted(set(seen))
    # what is refused is no change
    assert dashboard.post(DECISIONS, {**PLACE, "experiment_id": 9}).status == 422 and remove(dashboard, 1).status == 404
    assert dashboard.get("/api/health").json["data_version"] == seen[-1]
    assert [row["run_id"] for row in dashboard.rows()] == ["small-0"]


def test_dashboards_over_one_database_see_each_others_changes(bin_dir, database, db):
    if database.kind == "sqlite":
        pytest.skip("SQLite: only one dashboard may use a database at a time")
    with Dashboard(bin_dir, db) as one, Dashboard(bin_dir, db) as other:
        tag = other.get("/api/data/summary").headers["ETag"]
        assert one.post(DECISIONS, PLACE).status == 201
        note = one.post(ANNOTATIONS, {"version": "1", "text": "x"}).json
        assert decisions(other) == decisions(one) and annotations(other) == [note]
        assert other.get("/api/data/summary", **{"If-None-Match": tag}).status == 200
        assert patch(other, note["id"], {"text": "y"}, '"1"').status == 200
        assert patch(one, note["id"], {"text": "z"}, '"1"').status == 412
        assert [annotation["text"] for annotation in annotations(one)] == ["y"]


def test_the_number_of_decisions_has_a_limit(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        one.post(DECISIONS, PLACE)
        one.stop()
    rows = ", ".join(f"({i})" for i in range(9998))
    change(db, "INSERT INTO decisions (created, series, metric, position, order_by, kind)"
               f" SELECT created, series, metric, n.column1, order_by, kind FROM decisions, (VALUES {rows}) AS n")
    with Dashboard(bin_dir, db) as one:
        assert one.post(DECISIONS, PLACE).status == 201
        problem = one.post(DECISIONS, PLACE)
        assert problem.status == 409 and "10000" in problem.json["detail"]
        assert len(decisions(one)) == 10000


# ---- annotations ---------------------------------------------------------------------------------


def test_an_annotation_from_first_to_last(dashboard):
    made = dashboard.post(ANNOTATIONS, {"at_time": "2026-11-20T09:30:00.5+01:00", "text": "driver 570", "author": "ann"})
    assert made.status == 201 and made.headers["Location"] == f"{ANNOTATIONS}/{made.json['id']}"
    assert without(made.json, "created_at", "changed_at") == {
        "id": 1, "revision": 1, "at_time": "2026-11-20T08:30:00.500Z", "version": None, "text": "driver 570", "field": None, "value": None, "author": "ann"}
    changed = patch(dashboard, 1, {"version": "0.11.0", "field": "server.model", "value": "m"}, '"1"')
    assert changed.status == 200 and changed.json["changed_at"] >= made.json["created_at"] == changed.json["created_at"]
    assert without(changed.json, "created_at", "changed_at") == {
        "id": 1, "revision": 2, "at_time": None, "version": "0.11.0", "text": "driver 570", "field": "server.model", "value": "m", "author": "ann"}
    # an outdated revision changes nothing
    for revision in ('"1"', "1", '"x"', '"3"'):
        assert patch(dashboard, 1, {"text": "lost"}, revision).status == 412 and remove(dashboard, 1, revision).status == 412
    assert annotations(dashboard) == [changed.json]
    last = patch(dashboard, 1, {"field": None, "value": None, "at_time": "2026-01-01T00:00:00Z", "version": None})
    assert (last.json["revision"], last.json["field"], last.json["version"], last.json["at_time"]) == (3, None, None, "2026-01-01T00:00:00.000Z")
    assert remove(dashboard, 1, '"3"').status == 204 and annotations(dashboard) == []
    assert remove(dashboard, 1).status == 404 and patch(dashboard, 1, {"text": "x"}).status == 404
    assert dashboard.post(ANNOTATIONS, {"version": "1", "text": "x"}).json["id"] == 2


@pytest.mark.one_database
@pytest.mark.parametrize("value, pointer", [
    ({"text": "x"}, ""), ({"text": "x", "at_time": None, "version": None}, ""), ({"version": "1"}, ""), ({"version": "1", "text": " "}, "/text"),
    ({"text": "x", "at_time": "2026-01-01T00:00:00Z", "version": "1"}, "/version"), ({"text": "x", "at_time": "yesterday"}, "/at_time"),
    ({"text": "x", "version": "1", "field": "server.model"}, "/value"), ({"text": "x", "version": "1", "value": 1}, "/value"),
    ({"text": "x", "version": "1", "field": None, "value": 1}, "/value"), ({"text": "x" * 2001, "version": "1"}, "/text")])
def test_malformed_annotations_are_refused(dashboard, value, pointer):
    problem = dashboard.post(ANNOTATIONS, value)
    assert problem.status == 422 and problem.json["pointer"] == pointer and annotations(dashboard) == []


@pytest.mark.one_database
def test_a_change_keeps_a_place(dashboard):
    dashboard.post(ANNOTATIONS, {"version": "1", "text": "x"})
    for value in ({"version": None}, {"at_time": None}, {"at_time": "2026-01-01T00:00:00Z", "version": "2"}, {"field": "server.model"}):
        assert patch(dashboard, 1, value).status == 422
    assert patch(dashboard, 1, {}).json["revision"] == 2 and annotations(dashboard)[0]["version"] == "1"


@pytest.mark.parametrize("text, stored", [("9999-12-31T23:59:59.9999Z", "9999-12-31T23:59:59.999Z"), ("2262-04-12T00:00:00Z", "2262-04-12T00:00:00.000Z"),
                                          ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"), ("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.900Z")])
def test_annotations_of_any_year(dashboard, text, stored):
    assert dashboard.post(ANNOTATIONS, {"text": "x", "at_time": text}).json["at_time"] == stored
    assert annotations(dashboard, f"?from={stored}&to=9999-12-31T23:59:59.999999Z")[0]["at_time"] == stored


def test_annotations_of_a_range_of_time(dashboard):
    for i, place in enumerate(({"at_time": "2026-01-01T00:00:00Z"}, {"at_time": "2026-01-01T00:00:00.001Z"}, {"version": "1"}, {"at_time": "2026-03-01T00:00:00Z"})):
        assert dashboard.post(ANNOTATIONS, {"text": str(i), **place}).status == 201
    def texts(query):
        return "".join(annotation["text"] for annotation in annotations(dashboard, query))
    assert texts("") == "0123"
    assert texts("?from=2026-01-01T00:00:00.001Z") == "123" and texts("?to=2026-01-01T00:00:00Z") == "02"
    assert texts("?from=2026-01-01T01:00:00%2B01:00&to=2026-02-01T00:00:00Z") == "012"
    assert dashboard.get(f"{ANNOTATIONS}?from=x").status == 422


def test_two_changes_of_one_revision(dashboard):
    """One of two users who have read the same revision is refused, so that no change is lost unnoticed."""
    dashboard.post(ANNOTATIONS, {"version": "1", "text": "x"})
    statuses = []
    threads = [threading.Thread(target=lambda i=i: statuses.append(patch(dashboard, 1, {"text": str(i)}, '"1"').status)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [412] * 7 and annotations(dashboard)[0]["revision"] == 2


def test_acknowledged_annotations_survive_a_kill(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        for text in ("a", "b", "\U0001f4a9 <script>\u202e'\"&\\"):
            assert one.post(ANNOTATIONS, {"version": text, "text": text, "field": "tags.x", "value": text}).status == 201
        patch(one, 1, {"text": "c"})
        remove(one, 2)
        stored = annotations(one)
        one.stop(signal.SIGKILL)
    with Dashboard(bin_dir, db) as one:
        assert annotations(one) == stored and [annotation["text"] for annotation in stored] == ["c", "\U0001f4a9 <script>\u202e'\"&\\"]


@pytest.mark.one_database
def test_other_sites_change_nothing(dashboard):
    evil = {"Origin": "http://evil.example", "Content-Type": "application/json"}
    assert dashboard.ask("POST", DECISIONS, json.dumps(PLACE), evil).status == 403
    assert dashboard.ask("POST", ANNOTATIONS, b'{"version": "1", "text": "x"}', evil).status == 403
    assert decisions(dashboard) == annotations(dashboard) == []
