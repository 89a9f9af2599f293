"""Presets: unique names, at most one default, on disk before the response."""
import json
import signal
import threading

import pytest
from dashboard_tools import CONTRACT, Dashboard, results
from database_tools import change

PATH = "/api/filters/presets"
TREE = CONTRACT["components"]["schemas"]["Filter"]["examples"][0]
WHOLE = {"name": "Trusted, two GPUs", "description": "what we compare with", "filter": TREE,
         "columns": ["run.name", "results.p99_ttft_ms"], "sort": [{"field": "results.p99_ttft_ms", "dir": "asc"}],
         "chart": {"kind": "scatter", "x": "run.name", "deep": {"er": [1, 2.5, None]}}, "is_default": True}
EMPTY = {"description": "", "filter": None, "columns": None, "sort": [], "chart": None, "is_default": False}


def replace(dashboard, id_, value):
    return dashboard.ask("PUT", f"{PATH}/{id_}", json.dumps(value), {"Content-Type": "application/json"})


def remove(dashboard, id_):
    return dashboard.ask("DELETE", f"{PATH}/{id_}")


def presets(dashboard):
    return dashboard.get(PATH).json["presets"]


def content(preset):
    """Returns the preset without the keys that the server adds."""
    return {key: value for key, value in preset.items() if key not in ("id", "created_at", "created_by", "changed_at", "changed_by")}


def test_from_first_to_last(dashboard):
    assert presets(dashboard) == []
    made = dashboard.post(PATH, WHOLE)
    assert made.status == 201 and made.headers["Location"] == f"{PATH}/{made.json['id']}"
    assert content(made.json) == WHOLE and made.json["created_at"] == made.json["changed_at"]
    assert dashboard.get(made.headers["Location"]).json == made.json
    small = dashboard.post(PATH, {"name": "everything"})
    assert small.status == 201 and content(small.json) == {"name": "everything", **EMPTY}
    assert presets(dashboard) == [made.json, small.json]

    again = replace(dashboard, made.json["id"], {"name": "renamed", "columns": []})
    assert again.status == 200 and content(again.json) == {**EMPTY, "name": "renamed", "columns": []}
    assert again.json["created_at"] == made.json["created_at"] and again.json["changed_at"] >= made.json["changed_at"]
    assert presets(dashboard) == [again.json, small.json]

    assert (remove(dashboard, made.json["id"]).status, presets(dashboard)) == (204, [small.json])
    for answer in (remove(dashboard, made.json["id"]), replace(dashboard, made.json["id"], {"name": "x"}),
                   dashboard.get(f"{PATH}/{made.json['id']}")):
        assert answer.status == 404
    # an id is never given again
    assert remove(dashboard, small.json["id"]).status == 204
    assert dashboard.post(PATH, {"name": "x"}).json["id"] > small.json["id"]


@pytest.mark.parametrize("word", ["0", "01", "-1", "1.5", "+1", "x", "9" * 18, "9" * 30, "%20", "1%00", "1e0"])
def test_invalid_ids_are_unknown(dashboard, word):
    dashboard.post(PATH, {"name": "x"})
    status = 400 if "%00" in word else 404
    for method in ("GET", "DELETE"):
        assert dashboard.ask(method, f"{PATH}/{word}").status == status
    assert replace(dashboard, word, {"name": "y"}).status == status


@pytest.mark.parametrize("name, same, other", [
    ("Ärger", "äRGER", "Arger"), ("ΣΊΣΥΦΟΣ", "σίσυφος", "σίσυφο"), ("a.b", "A.B", "axb"), ("straße", "STRAẞE", "strasse"),
    ("ЖУРНАЛ", "журнал", "журналы"), (" x", " X", "x"), ("\U0001f4a9 %s", "\U0001f4a9 %S", "\U0001f4a9"), ("\u00e9", "\u00c9", "e\u0301"),
    ("\\Q(", "\\q(", "Q(")])
def test_names_are_unique(dashboard, name, same, other):
    first = dashboard.post(PATH, {"name": name}).json
    refused = dashboard.post(PATH, {"name": same})
    assert refused.status == 409 and refused.json["pointer"] == "/name" and refused.json["found"] == same
    second = dashboard.post(PATH, {"name": other})
    assert second.status == 201
    assert replace(dashboard, second.json["id"], {"name": same}).status == 409
    # an unknown id is unknown, whatever the name in the request
    assert replace(dashboard, second.json["id"] + 1, {"name": same}).status == 404
    assert content(presets(dashboard)[1])["name"] == other
    # its own name in other letters is no other one's
    assert replace(dashboard, first["id"], {"name": same}).json["name"] == same


def test_one_of_many_that_come_at_once(dashboard):
    statuses = []
    def post():
        statuses.append(dashboard.post(PATH, {"name": "x", "is_default": True}).status)
    threads = [threading.Thread(target=post) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [201] + [409] * 11 and len(presets(dashboard)) == 1


def test_one_is_the_default_at_most(dashboard):
    ids = [dashboard.post(PATH, {"name": str(i), "is_default": i != 1}).json["id"] for i in range(4)]
    def defaults():
        return [preset["id"] for preset in presets(dashboard) if preset["is_default"]]
    assert defaults() == [ids[3]]
    assert replace(dashboard, ids[1], {"name": "1", "is_default": True}).status == 200 and defaults() == [ids[1]]
    assert replace(dashboard, ids[0], {"name": "1", "is_default": True}).status == 409 and defaults() == [ids[1]]
    assert replace(dashboard, ids[1], {"name": "1"}).status == 200 and defaults() == []


def test_acknowledged_changes_survive_a_kill(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        one.post(PATH, WHOLE)
        replaced = one.post(PATH, {"name": "b"}).json
        removed = one.post(PATH, {"name": "c"}).json
        replace(one, replaced["id"], {"name": "d", "is_default": True})
        remove(one, removed["id"])
        kept = presets(one)
        one.stop(signal.SIGKILL)
    with Dashboard(bin_dir, db) as one:
        assert presets(one) == kept and [preset["name"] for preset in kept] == [WHOLE["name"], "d"]


def test_texts_of_all_kinds_come_back(dashboard):
    for i, text in enumerate(('<script>alert("x")</script>', "\u202eevil\u202c", "x" * 200, "a\r\nb\tc", "'\"&<>\\", "null", "\U0001f4a9")):
        preset = {"name": f"{i}{text}"[:200], "description": text, "chart": {text: text}, "filter": {"field": text, "op": "eq", "value": text}}
        made = dashboard.post(PATH, preset)
        assert made.status == 201 and content(made.json) == {**EMPTY, **preset}
        assert presets(dashboard)[-1] == made.json


def test_an_unknown_field_is_reported_when_it_is_used(dashboard):
    dashboard.upload("/api/upload/batch", list(results(2)))
    kept = dashboard.post(PATH, {"name": "x", "filter": {"not": {"field": "server.tensor_paralel_size", "op": "eq", "value": 1}},
                                 "columns": ["tags.none"], "sort": [{"field": "tags.none", "dir": "desc"}]})
    assert kept.status == 201
    problem = dashboard.post("/api/filters/apply", {"filter": kept.json["filter"]})
    assert problem.status == 422 and problem.json["nearest"] == "server.tensor_parallel_size"


def deep(levels):
    return {"field": "run.name", "op": "is_null"} if levels == 1 else {"not": deep(levels - 1)}


@pytest.mark.parametrize("filter_, pointer", [
    ({"field": "run.name"}, "/filter"), ({"field": "run.name", "op": "eqq"}, "/filter/op"), ([], "/filter"), ("x", "/filter"),
    ({"and": [{"field": "run.name", "op": "eq", "vlaue": 1}]}, "/filter/and/0"), ({"and": {}}, "/filter/and"), ({"or": {}}, "/filter/or"),
    (deep(33), "/filter" + "/not" * 32), ({"or": [{"field": "run.name", "op": "is_null"}] * 1000}, "/filter/or/999")])
def test_a_filter_has_the_form_of_one(dashboard, filter_, pointer):
    problem = dashboard.post(PATH, {"name": "x", "filter": filter_})
    assert problem.status == 422 and problem.json["pointer"] == pointer and presets(dashboard) == []


def test_bounds_themselves_are_within(dashboard):
    assert dashboard.post(PATH, {"name": "a", "filter": deep(32)}).status == 201
    assert dashboard.post(PATH, {"name": "b", "filter": {"or": [{"field": "run.name", "op": "is_null"}] * 999}}).status == 201
    assert dashboard.post(PATH, {"name": "é" * 200, "description": "é" * 2000}).status == 201
    for broken, pointer in (({"name": "é" * 201}, "/name"), ({"name": ""}, "/name"), ({"name": "  "}, "/name"),
                            ({"name": "x", "description": "é" * 2001}, "/description"), ({}, "")):
        problem = dashboard.post(PATH, broken)
        assert problem.status == 422 and problem.json["pointer"] == pointer
    assert dashboard.post(PATH, {"name": "x", "chart": {"x": "y" * 65536}}).status == 413


def test_there_is_an_end_to_them(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        one.post(PATH, {"name": "first"})
        one.stop()
    names = ", ".join(f"('n{i}')" for i in range(998))
    change(db, "INSERT INTO presets (name, is_default, created, changed, content)"
               f" SELECT n.column1, is_default, created, changed, content FROM presets, (VALUES {names}) AS n")
    with Dashboard(bin_dir, db) as one:
        last = one.post(PATH, {"name": "last"})
        assert last.status == 201
        problem = one.post(PATH, {"name": "one more"})
        assert problem.status == 409 and "1000" in problem.json["detail"]
        assert replace(one, last.json["id"], {"name": "still"}).status == 200
        assert remove(one, last.json["id"]).status == 204 and one.post(PATH, {"name": "room"}).status == 201
        assert len(presets(one)) == 1000


def test_other_sites_change_nothing(dashboard):
    id_ = dashboard.post(PATH, {"name": "x"}).json["id"]
    evil = {"Origin": "http://evil.example", "Content-Type": "application/json"}
    assert dashboard.ask("POST", PATH, b'{"name": "y"}', evil).status == 403
    assert dashboard.ask("PUT", f"{PATH}/{id_}", b'{"name": "y"}', evil).status == 403
    assert dashboard.ask("DELETE", f"{PATH}/{id_}", headers=evil).status == 403
    assert [preset["name"] for preset in presets(dashboard)] == ["x"]
