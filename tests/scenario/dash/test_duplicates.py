"""Duplicates by content, conflicts by run_id, and possible duplicates; and the three choices, before and after the upload."""
import json
import subprocess

import pytest
from dashboard_tools import GOOD, Dashboard, little


@pytest.fixture(scope="module")
def shared(bin_dir, database, tmp_path_factory):
    with Dashboard(bin_dir, database.new(tmp_path_factory.mktemp("db"))) as one:
        yield one
        assert one.stop() == (0, "", "")


def states(job):
    return [item["state"] for item in job["items"]]


def choose(dashboard, job, **choice):
    answer = dashboard.post(f"/api/upload/jobs/{job}/choose", choice)
    assert answer.status == 202, answer.body
    return dashboard.done(f"/api/upload/status/{job}")


def suite_of(dashboard, one):
    return dashboard.get(f"/api/data/experiments/{one}").json["document"]["suite"]


def rows(dashboard, run_id):
    return dashboard.rows(filter={"field": "run.run_id", "op": "eq", "value": run_id}, columns=["run.suite", "stored.repeat", "stored.possible_duplicate"])


def test_the_same_again(shared):
    """White space, the order of keys and the spelling of numbers do not count; values do."""
    first = shared.upload("/api/upload/json", {"run_id": "same", "results": {"a": 1.5, "b": 2}})["items"][0]
    for text in (b'{ "results" : {"b":2,  "a":1.5},\n "run_id":"same"}', b'{"run_id": "same", "results": {"a": 15e-1, "b": 2}}'):
        again = shared.upload("/api/upload/json", text)["items"][0]
        assert (again["state"], again["id"]) == ("duplicate", first["id"])
    other = shared.upload("/api/upload/json", {"run_id": "same", "results": {"a": 1.5, "b": 3}})["items"][0]
    assert (other["state"], other["id"]) == ("conflict", first["id"])
    assert len(rows(shared, "same")) == 1


@pytest.mark.parametrize("when", ["before", "behind"])
@pytest.mark.parametrize("choice", ["skip", "replace", "keep"])
def test_a_conflict(shared, when, choice):
    run_id = f"conflict-{when}-{choice}"
    first = shared.upload("/api/upload/json", {"run_id": run_id, "suite": "old"})["items"][0]["id"]
    new = {"run_id": run_id, "suite": "new"}
    job = shared.upload(f"/api/upload/json?on_conflict={choice}" if when == "before" else "/api/upload/json", new)
    if when == "behind":
        assert states(job) == ["conflict"] and job["items"][0]["retryable"]
        assert job["items"][0]["message"] == f"run_id '{run_id}' is already stored with other content: experiment {first}"
        job = choose(shared, job["job_id"], choice=choice, items=[0])
        assert job["items"][0]["choice"] == choice
    (item,) = job["items"]
    there = rows(shared, run_id)
    if choice == "skip":
        assert (item["state"], item["id"]) == ("conflict", first) and suite_of(shared, first) == "old" and len(there) == 1
    elif choice == "replace":
        assert (item["state"], item["id"]) == ("stored", first) and suite_of(shared, first) == "new" and len(there) == 1
        assert there[0]["cells"]["run.suite"] == "new"
        (change,) = shared.get(f"/api/data/experiments/{first}/changes").json["changes"]
        assert change["kind"] == "replaced" and change["from"] != change["to"]
    else:
        assert item["state"] == "stored" and item["id"] != first and suite_of(shared, first) == "old"
        assert sorted((row["cells"]["run.suite"], row["cells"].get("stored.repeat")) for row in there) == [("new", 2), ("old", None)]
        assert suite_of(shared, run_id) == "old" and shared.get(f"/api/data/experiments/{item['id']}").json["repeat"] == 2
    # once more: the choice applies to the latest upload
    again = shared.upload("/api/upload/json", new)["items"][0]
    assert again["state"] == ("conflict" if choice == "skip" else "duplicate")


def of_upload(dashboard, job):
    rows_of = dashboard.rows(filter={"field": "stored.upload", "op": "eq", "value": int(job)}, columns=["stored.upload"])
    assert all(row["cells"]["stored.upload"] == int(job) for row in rows_of)
    return sorted(row["run_id"] for row in rows_of)


def test_the_results_of_an_upload_are_filtered_by_it(shared):
    """The filter matches stored results, duplicates, and replaced conflicts. The latest upload of a result counts."""
    new = [{"run_id": f"upload-{i}", "suite": "s", "results": {"a": i}} for i in range(3)]
    first = shared.upload("/api/upload/batch", new)["job_id"]
    assert of_upload(shared, first) == ["upload-0", "upload-1", "upload-2"]
    fields = shared.get("/api/data/experiments/upload-0").json["fields"]
    assert fields["stored.upload"]["value"] == int(first)
    again = shared.upload("/api/upload/batch", [new[0], new[0], {**new[1], "suite": "t"}])
    assert sorted(states(again)) == ["conflict", "duplicate", "duplicate"]
    assert of_upload(shared, again["job_id"]) == ["upload-0"] and of_upload(shared, first) == ["upload-1", "upload-2"]
    choose(shared, again["job_id"], choice="replace", of="conflict")
    assert of_upload(shared, again["job_id"]) == ["upload-0", "upload-1"] and of_upload(shared, first) == ["upload-2"]


def changes_of(dashboard, one):
    return [(change["kind"], change["author"]) for change in dashboard.get(f"/api/data/experiments/{one}/changes").json["changes"]]


def test_authors_of_replacements_are_recorded(shared):
    """The history names who replaced a result: the author of an upload, of an upload in parts, and of a later choice."""
    one = shared.upload("/api/upload/json", {"run_id": "told", "suite": "0"})["items"][0]["id"]
    shared.upload("/api/upload/json?on_conflict=replace&author=ann", {"run_id": "told", "suite": "1"})
    job = shared.post("/api/upload/jobs", {"on_conflict": "replace", "author": "bob"}).json["job_id"]
    shared.post(f"/api/upload/json?job_id={job}", {"run_id": "told", "suite": "2"})
    assert shared.post(f"/api/upload/json?job_id={job}&author=x", {"run_id": "told"}).json["pointer"] == "/author"
    shared.post(f"/api/upload/jobs/{job}/close", b"", None)
    shared.done(f"/api/upload/status/{job}")
    job = shared.upload("/api/upload/json?author=ann", {"run_id": "told", "suite": "3"})["job_id"]
    choose(shared, job, choice="replace", items=[0], author="cleo")
    assert shared.ask("DELETE", f"/api/data/experiments/{one}?author=dan").status == 204
    job = shared.upload("/api/upload/json", {"run_id": "told", "suite": "3"})["job_id"]
    choose(shared, job, choice="replace", items=[0], author="eve")
    assert changes_of(shared, one) == [("restored", "eve"), ("deleted", "dan"), ("replaced", "cleo"), ("replaced", "bob"), ("replaced", "ann")]


def test_later_changes_are_not_replaced(shared):
    """The result may change before the choice, and between the choice and its execution."""
    one = shared.upload("/api/upload/json", {"run_id": "moved", "suite": "0"})["items"][0]["id"]
    job = shared.upload("/api/upload/json", {"run_id": "moved", "suite": "1"})["job_id"]
    seen = shared.get(f"/api/upload/jobs/{job}/items/0/diff").json["sha256"]
    assert seen == shared.get(f"/api/data/experiments/{one}").json["sha256"]
    shared.upload("/api/upload/json?on_conflict=replace", {"run_id": "moved", "suite": "2"})
    wish = {"choice": "replace", "items": [0], "expected_sha256": seen}
    late = shared.post(f"/api/upload/jobs/{job}/choose", wish)
    assert (late.status, late.json["pointer"]) == (409, "/expected_sha256") and suite_of(shared, one) == "2"
    assert shared.get(f"/api/upload/status/{job}").json["items"][0]["choice"] is None
    unfit = shared.post(f"/api/upload/jobs/{job}/choose", {"choice": "replace", "expected_sha256": seen})
    assert (unfit.status, unfit.json["pointer"]) == (422, "/expected_sha256")
    now = shared.get(f"/api/upload/jobs/{job}/items/0/diff").json["sha256"]
    assert choose(shared, job, **{**wish, "expected_sha256": now})["items"][0]["state"] == "stored" and suite_of(shared, one) == "1"


@pytest.mark.parametrize("when", ["before", "behind"])
@pytest.mark.parametrize("choice", ["skip", "replace", "keep"])
def test_a_duplicate(shared, when, choice):
    document = {"run_id": f"duplicate-{when}-{choice}", "suite": "s"}
    first = shared.upload("/api/upload/json", document)["items"][0]["id"]
    job = shared.upload(f"/api/upload/json?on_conflict={choice}" if when == "before" else "/api/upload/json", document)
    if when == "behind":
        job = choose(shared, job["job_id"], choice=choice, of="duplicate")
    (item,) = job["items"]
    assert (item["state"], item["id"] == first) == (("stored", False) if choice == "keep" else ("duplicate", True))
    assert len(rows(shared, document["run_id"])) == (2 if choice == "keep" else 1)


def test_all_at_once_and_only_those(shared):
    documents = [{"run_id": f"all-{i}", "suite": "old"} for i in range(100)]
    shared.upload("/api/upload/batch", documents)
    job = shared.upload("/api/upload/batch", [{**one, "suite": "new"} if i % 2 else one for i, one in enumerate(documents)])
    assert job["counts"]["conflict"] == job["counts"]["duplicate"] == 50
    done = choose(shared, job["job_id"], choice="replace", of="conflict")
    assert done["counts"]["stored"] == done["counts"]["duplicate"] == 50
    assert [suite_of(shared, f"all-{i}") for i in (0, 1, 98, 99)] == ["old", "new", "old", "new"]
    problem = shared.post(f"/api/upload/jobs/{job['job_id']}/choose", {"choice": "keep", "items": [0, 1]})
    assert problem.status == 422 and problem.json["pointer"] == "/items/1"


def test_their_differences(shared):
    first = {**GOOD, "run_id": "exp_20260101_000000_d1ff00"}
    shared.upload("/api/upload/json", first)
    second = {**first, "suite": "other", "results": {**GOOD["results"], "p99_ttft_ms": 777.5}}
    job = shared.upload("/api/upload/json", second)["job_id"]
    diff = shared.get(f"/api/upload/jobs/{job}/items/0/diff").json
    told = {one["field"]: one for one in diff["differing"]}
    assert set(told) == {"run.suite", "results.p99_ttft_ms"} and diff["total"] == diff["equal"] + 2
    figure = told["results.p99_ttft_ms"]
    assert (figure["uploaded"]["value"], figure["unit"], figure["pointer"]) == (777.5, "ms", "/results/p99_ttft_ms")
    assert figure["stored"]["value"] == GOOD["results"]["p99_ttft_ms"] and told["run.suite"]["pointer"] == "/suite"
    job = shared.upload("/api/upload/json", first)["job_id"]
    assert shared.get(f"/api/upload/jobs/{job}/items/0/diff").json["differing"] == []
    stored = shared.upload("/api/upload/json", little("no diff"))["job_id"]
    assert shared.get(f"/api/upload/jobs/{stored}/items/7/diff").status == 404


def test_one_run_in_two_files(shared, test_data_dir):
    """A result with another run_id, or in another form, is a possible duplicate; one with other metrics is another run."""
    figures = {**GOOD["results"], "duration": 31.52345, "mean_ttft_ms": 81.23456, "mean_itl_ms": 9.8765, "output_throughput": 1234.567}
    first = {**GOOD, "run_id": "exp_20260101_000000_aaaa01", "results": figures}
    one = shared.upload("/api/upload/json", first)["items"][0]
    assert one["possible_duplicates"] == []
    copy = shared.upload("/api/upload/json", {**first, "run_id": "exp_20260101_000000_aaaa02", "suite": "copied"})["items"][0]
    assert copy["state"] == "stored" and copy["possible_duplicates"] == [one["id"]]
    other = {**first, "run_id": "exp_20260101_000000_aaaa03", "results": {**figures, "mean_ttft_ms": 81.3}}
    assert shared.upload("/api/upload/json", other)["items"][0]["possible_duplicates"] == []
    marked = shared.rows(filter={"field": "stored.possible_duplicate", "op": "is_recorded"}, columns=["stored.possible_duplicate"])
    assert {row["id"]: row["cells"]["stored.possible_duplicate"] for row in marked}[copy["id"]] == one["id"]
    flat = json.loads((test_data_dir / "data/real/bench/py-random.json").read_text())
    plain = shared.upload("/api/upload/raw", json.dumps(flat).encode(), None)["items"][0]
    again = shared.upload("/api/upload/raw", json.dumps({**flat, "metadata": "exported again"}).encode(), None)["items"][0]
    assert again["state"] == "stored" and again["possible_duplicates"] == [plain["id"]]


MEASURED = {"duration": 31.5, "completed": 100, "mean_ttft_ms": 81.25, "mean_itl_ms": 9.875, "output_throughput": 1234.5}


def test_other_inputs_are_another_run(shared):
    """Results of one form with other inputs are other runs. A form without those inputs decides nothing."""
    def stored(run_id, size):
        config = {"config": {"server": {"tensor_parallel_size": size}}} if size else {}
        (item,) = shared.upload("/api/upload/json", {"run_id": run_id, "results": {**MEASURED, "duration": 41.5}, **config})["items"]
        return item["id"], item["possible_duplicates"]
    two, eight = stored("inputs-2", 2), stored("inputs-8", 8)
    assert two[1] == eight[1] == [] and stored("inputs-8-again", 8)[1] == [eight[0]]
    assert stored("inputs-unknown", None)[1] == [two[0], eight[0], eight[0] + 1]


def test_marks_follow_deletions_and_uploads(shared):
    """The oldest existing result has no mark, and its possible duplicates have its id."""
    def stored(name, **figures):
        return shared.upload("/api/upload/json?on_conflict=replace", {"run_id": f"mark-{name}", "suite": "marks", "results": {**MEASURED, **figures}})["items"][0]["id"]

    def marks():
        of = shared.rows(filter={"field": "run.suite", "op": "eq", "value": "marks"}, columns=["stored.possible_duplicate"])
        once = shared.rows(filter={"and": [{"field": "run.suite", "op": "eq", "value": "marks"}, {"not": {"field": "stored.possible_duplicate", "op": "is_recorded"}}]})
        told = {row["id"]: row["cells"].get("stored.possible_duplicate") for row in of}
        assert {row["id"] for row in once} == {one for one, near in told.items() if near is None}
        assert {one: shared.get(f"/api/data/experiments/{one}").json["fields"].get("stored.possible_duplicate", {}).get("value") for one in told} == told
        return told
    a, b, c = stored("a"), stored("b"), stored("c")
    assert marks() == {a: None, b: a, c: a}
    assert shared.ask("DELETE", f"/api/data/experiments/{a}").status == 204 and marks() == {b: None, c: b}
    assert shared.ask("POST", f"/api/data/experiments/{a}/restore").status == 200 and marks() == {a: None, b: a, c: a}
    assert stored("a", duration=32.5) == a and marks() == {a: None, b: None, c: b}
    assert stored("c", duration=32.5) == c and marks() == {a: None, b: None, c: a}
    assert stored("a", duration=33.5) == a and stored("a") == a and marks() == {a: None, b: a, c: None}


def test_import_says_the_same(bin_dir, database, tmp_path):
    db, path = database.new(tmp_path), tmp_path / "r.json"

    def imported(document, *words):
        path.write_text(json.dumps(document))
        done = subprocess.run([bin_dir / "profllm-dashboard", "import", "--json", "--db", db, *words, path], capture_output=True, text=True)
        (one,) = json.loads(done.stdout)["results"]
        return one["state"], one["id"], done.returncode
    old, new = {"run_id": "r", "suite": "old"}, {"run_id": "r", "suite": "new"}
    assert imported(old) == ("stored", 1, 0) and imported(old) == ("duplicate", 1, 0)
    assert imported(new) == ("conflict", 1, 1) and imported(new, "--on-conflict", "skip") == ("conflict", 1, 1)
    assert imported(new, "--on-conflict", "replace") == ("stored", 1, 0)
    assert imported(old, "--on-conflict", "keep") == ("stored", 2, 0)
    assert imported(new) == ("duplicate", 1, 0)
    # of other content alone: the same command takes nothing twice
    assert imported(old, "--on-conflict", "keep") == ("duplicate", 2, 0) and imported(new, "--on-conflict", "replace") == ("duplicate", 1, 0)
    # a deleted result is stored, but is not reported as visible
    with Dashboard(bin_dir, db) as dashboard:
        for one in dashboard.ids():
            assert dashboard.ask("DELETE", f"/api/data/experiments/{one}").status == 204
    assert imported(new) == ("duplicate", 1, 1) and imported({"run_id": "r", "suite": "third"}) == ("conflict", 1, 1)
    path.write_text(json.dumps(new))
    done = subprocess.run([bin_dir / "profllm-dashboard", "import", "--db", db, path], capture_output=True, text=True)
    assert "result 1, and was deleted in the database; use --on-conflict replace, or restore it\n" in done.stderr
    assert done.returncode == 1 and done.stdout.startswith("0 stored, 0 duplicates, 0 in conflict, 0 rejected, 1 deleted in the database; ")
    assert imported(new, "--on-conflict", "replace") == ("stored", 1, 0) and imported(new) == ("duplicate", 1, 0)
