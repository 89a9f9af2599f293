"""Changes of results by users: tags, notes, deletions; each with its time and author."""
import json
import subprocess

import pytest
from dashboard_tools import Dashboard, little
from database_tools import change


@pytest.fixture(scope="module")
def shared(bin_dir, database, tmp_path_factory):
    with Dashboard(bin_dir, database.new(tmp_path_factory.mktemp("db"))) as one:
        yield one
        assert one.stop() == (0, "", "")


def stored(dashboard, name, **keys):
    return dashboard.upload("/api/upload/json", little(name, **keys))["items"][0]["id"]


def patch(dashboard, one, **said):
    return dashboard.ask("PATCH", f"/api/data/experiments/{one}", json.dumps(said).encode(), {"Content-Type": "application/json"})


def changes(dashboard, one):
    told = dashboard.get(f"/api/data/experiments/{one}/changes").json["changes"]
    assert [entry["changed_at"] for entry in told] == sorted((entry["changed_at"] for entry in told), reverse=True)
    return [(entry["author"], entry["kind"], entry["name"], entry["from"], entry["to"]) for entry in told]


def found(dashboard, field, op, value=None):
    leaf = {"field": field, "op": op, **({} if value is None else {"value": value})}
    return {row["run_id"] for row in dashboard.rows(filter=leaf)}


def test_tags_and_notes(shared):
    one = stored(shared, "tagged", tags={"rack": "r1", "size": 3})
    version = shared.get("/api/health").json["data_version"]
    said = patch(shared, one, tags={"rack": "r2", "driver": "570"}, notes="the fan was off\nsince noon", author="ann")
    assert said.status == 200 and said.json["tags"] == {"rack": "r2", "size": 3, "driver": "570"}
    assert said.json["notes"] == "the fan was off\nsince noon" and said.json["document"]["tags"] == {"rack": "r1", "size": 3}
    assert said.json["fields"]["tags.driver"]["value"] == "570" and said.json["fields"]["stored.notes"]["value"].startswith("the fan")
    assert shared.get("/api/health").json["data_version"] > version
    assert found(shared, "tags.rack", "eq", "r2") == {"small-tagged"} and found(shared, "tags.rack", "eq", "r1") == set()
    assert found(shared, "tags.driver", "is_recorded") == {"small-tagged"} and found(shared, "stored.notes", "contains", "FAN") == {"small-tagged"}
    assert patch(shared, one, tags={"rack": None, "driver": None, "none": None}, author="bob").json["tags"] == {"size": 3}
    assert found(shared, "tags.rack", "is_recorded") == set()
    assert patch(shared, one, notes=None).json["notes"] is None
    assert sorted(changes(shared, one), key=str) == sorted([
        (None, "notes", None, "the fan was off\nsince noon", None), ("bob", "tag", "rack", "r2", None), ("bob", "tag", "driver", "570", None),
        ("ann", "notes", None, None, "the fan was off\nsince noon"), ("ann", "tag", "rack", "r1", "r2"), ("ann", "tag", "driver", None, "570")], key=str)
    # setting the same value is not a change, and the bytes stay those of the upload
    before = shared.get("/api/health").json["data_version"]
    patch(shared, one, tags={"none": None})
    assert shared.get("/api/health").json["data_version"] == before
    assert json.loads(shared.get(f"/api/data/experiments/{one}/raw").body)["tags"] == {"rack": "r1", "size": 3}


def test_inexpressible_values(shared):
    one = stored(shared, "unsaid")
    assert patch(shared, one, tags={"a": 3}).json["pointer"] == "/tags/a"
    assert patch(shared, one, notes="x" * 20_001).status == patch(shared, one, colour="red").status == 422
    assert patch(shared, one, tags={f"t{i}": "x" for i in range(201)}).status == 422 and changes(shared, one) == []
    assert patch(shared, "nobody", notes="x").status == 404
    assert patch(shared, one, tags={"<b>": "'; DROP TABLE benchmark_edits; --"}).json["tags"] == {"<b>": "'; DROP TABLE benchmark_edits; --"}


def test_of_too_many_tags_some_can_be_taken_away(shared):
    one = stored(shared, "tags", tags={f"t{i}": "x" for i in range(202)})
    assert patch(shared, one, tags={"new": "x"}).status == 422
    assert len(patch(shared, one, tags={"t0": None, "t1": "y"}).json["tags"]) == 201
    assert patch(shared, one, tags={"t2": None, "t3": None}).status == patch(shared, one, tags={"new": "x"}).status == 200
    assert patch(shared, one, tags={"another": "x"}).status == 422


def test_delete_and_restore(shared):
    one = stored(shared, "unwanted", tags={"only": "here"})
    stored(shared, "wanted")
    total = shared.get("/api/health").json["total"]
    assert shared.ask("DELETE", f"/api/data/experiments/{one}?author=ann").status == 204
    assert shared.ask("DELETE", "/api/data/experiments/small-unwanted").status == 204
    assert shared.get("/api/health").json["total"] == total - 1
    for path in ("", "/raw"):
        assert shared.get(f"/api/data/experiments/{one}{path}").status == 410
    assert patch(shared, one, notes="x").status == 410
    assert found(shared, "run.run_id", "eq", "small-unwanted") == found(shared, "tags.only", "is_recorded") == set()
    rows = shared.post("/api/export/json", {"columns": ["run.run_id"]}).json["rows"]
    assert "small-unwanted" not in {row["run_id"] for row in rows} and rows
    answer = shared.post("/api/filters/apply", {"facets": ["run.run_id"], "limit": 0}).json
    assert answer["total"] == total - 1 and "small-unwanted" not in json.dumps(answer)
    # a second upload is a duplicate, and the result stays deleted until a user restores it
    again = shared.upload("/api/upload/json", little("unwanted", tags={"only": "here"}))["items"][0]
    assert (again["state"], again["id"], again["deleted"]) == ("duplicate", one, True)
    assert shared.get(f"/api/data/experiments/{one}").status == 410
    back = shared.ask("POST", f"/api/data/experiments/{one}/restore?author=bob")
    assert back.status == 200 and back.json["run_id"] == "small-unwanted"
    assert shared.ask("POST", f"/api/data/experiments/{one}/restore").status == 200
    assert found(shared, "tags.only", "is_recorded") == {"small-unwanted"}
    assert changes(shared, one) == [("bob", "restored", None, None, None), ("ann", "deleted", None, None, None)]


def test_replace_restores_deleted_results(shared):
    one = stored(shared, "back")
    patch(shared, one, tags={"kept": "yes"})
    shared.ask("DELETE", f"/api/data/experiments/{one}")
    assert shared.upload("/api/upload/json", little("back", suite="other"))["items"][0]["deleted"] is True
    job = shared.upload("/api/upload/json?on_conflict=replace", little("back", suite="third"))
    assert (job["items"][0]["state"], job["items"][0]["id"]) == ("stored", one)
    entry = shared.get(f"/api/data/experiments/{one}").json
    assert entry["document"]["suite"] == "third" and entry["tags"] == {"kept": "yes"}
    assert found(shared, "tags.kept", "eq", "yes") == {"small-back"} and found(shared, "run.suite", "eq", "third") == {"small-back"}


def test_another_process_is_followed(bin_dir, db):
    """Two dashboards over one database: changes by one are visible in the other."""
    with Dashboard(bin_dir, db) as one:
        result = stored(one, "shared")
        assert one.stop() == (0, "", "")
    with Dashboard(bin_dir, db) as again:
        assert found(again, "run.run_id", "eq", "small-shared") == {"small-shared"}
        patch(again, result, tags={"a": "b"})
        again.ask("DELETE", f"/api/data/experiments/{result}")
        assert again.stop() == (0, "", "")
    with Dashboard(bin_dir, db) as last:
        assert last.ids() == [] and last.get("/api/health").json["total"] == 0
        last.ask("POST", f"/api/data/experiments/{result}/restore")
        assert last.ids() == [result] and found(last, "tags.a", "eq", "b") == {"small-shared"}
        assert last.stop() == (0, "", "")


def test_prune(bin_dir, db):
    def prune(*words):
        done = subprocess.run([bin_dir / "profllm-dashboard", "prune", "--db", db, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    with Dashboard(bin_dir, db) as one:
        ids = [stored(one, name) for name in ("old", "new", "stays")]
        for result in ids[:2]:
            one.ask("DELETE", f"/api/data/experiments/{result}")
        change(db, f"UPDATE benchmark_runs SET stored_at = '2019-12-01T00:00:00.000Z' WHERE id = {ids[0]}")
        change(db, f"UPDATE benchmark_changes SET time = '2020-01-01T00:00:00.000Z' WHERE id = {ids[0]}")
        assert prune("--older-than", "30d").startswith("removed 1 result ")
        assert one.get(f"/api/data/experiments/{ids[0]}").status == 404 and one.get(f"/api/data/experiments/{ids[1]}").status == 410
        assert prune().startswith("removed 1 result ") and prune().startswith("removed 0 results ")
        assert one.ids() == [ids[2]]
        # a pruned result is new when it is uploaded again, with a new id
        assert stored(one, "old") > ids[2]
        assert one.stop() == (0, "", "")
