"""Names that earlier versions wrote and accepted are translated on input, and never written (src/tbl/former_names.h)."""
import json

import pytest
from dashboard_tools import Dashboard
from import_tools import import_json
from run_tools import run_profllm

AXES = {"x": "results.completed", "y": "results.p99_ttft_ms"}
OLD = {"run_id": "r", "suite": "old"}
NEW = {"run_id": "r", "suite": "new"}
PLAN = {"sweep": "swp_20260102_030405_0a1b2c", "name": "night", "state": "ended", "left_out": ["server.api_key"], "runs": [
    {"run": "a", "cell": "a", "repeat": 1, "label": "seed=1", "point": {"server.seed": 1}, "status": "not_sent", "gone": False},
    {"run": "b", "cell": "b", "repeat": 1, "label": "seed=2", "point": {"server.seed": 2}, "status": "falls_out", "cause": "rule", "gone": False},
    {"run": "c", "cell": "c", "repeat": 1, "label": "seed=3", "point": {"server.seed": 3}, "status": "failed", "gone": True}]}


@pytest.fixture(scope="module")
def shared(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("former") / "d.db") as one:
        yield one


@pytest.mark.parametrize("former,present", [
    ({**AXES, "colour": "run.status"}, {**AXES, "color": "run.status"}),
    ({**AXES, "colour_choices": ["run.status", "run.suite"]}, {**AXES, "color_choices": ["run.status", "run.suite"]}),
    ({**AXES, "form": "near", "near": 1}, {**AXES, "form": "neighbors", "neighbors": 1})])
def test_a_chart(shared, former, present):
    def ask(question):
        return {key: value for key, value in shared.post("/api/data/points", question).json.items() if key != "elapsed_ms"}
    answer = ask(former)
    assert answer == ask(present) and not {"colour", "near", "left_out", "not_ready"} & set(answer)


def test_both_names_are_refused(shared):
    answer = shared.post("/api/data/points", {**AXES, "colour": "run.status", "color": "run.suite"})
    assert (answer.status, answer.json["pointer"]) == (422, "") and "colour" in answer.json["found"]


def test_a_wrong_value_is_reported_by_the_present_name(shared):
    assert shared.post("/api/upload/jobs", {"on_known": "drop"}).json["pointer"] == "/on_conflict"


@pytest.mark.parametrize("how", ["query", "body"])
def test_a_conflict_policy(bin_dir, tmp_path, how):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        one.upload("/api/upload/json", OLD)
        if how == "query":
            job = one.upload("/api/upload/json?on_known=replace", NEW)
        else:
            opened = one.post("/api/upload/jobs", {"on_known": "replace"}).json["job_id"]
            one.post(f"/api/upload/json?job_id={opened}", NEW)
            one.ask("POST", f"/api/upload/jobs/{opened}/close")
            job = one.done(f"/api/upload/status/{opened}")
        assert job["on_conflict"] == "replace" and "on_known" not in job
        assert [item["state"] for item in job["items"]] == ["stored"] and one.get("/api/data/experiments?columns=run.suite").json["total"] == 1


@pytest.mark.parametrize("way", ["put", "import"])
def test_a_plan_of_a_sweep(bin_dir, tmp_path, way):
    folder = tmp_path / "sweep"
    folder.mkdir()
    (folder / "summary.json").write_text(json.dumps(PLAN))
    if way == "import":
        import_json(bin_dir, "--db", tmp_path / "d.db", folder)
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        if way == "put":
            assert one.ask("PUT", f"/api/data/sweeps/{PLAN['sweep']}", json.dumps(PLAN), {"Content-Type": "application/json"}).status in (200, 201, 204)
        head, = one.get("/api/data/sweeps").json["sweeps"]
        sweep = one.get(f"/api/data/sweeps/{PLAN['sweep']}").json
    assert (head["runs"], head["skipped"], head["removed"]) == (1, 1, 1)
    assert sweep["redacted"] == ["server.api_key"]
    rows = {row["run"]: row for row in sweep["runs"]}
    assert {run: (row["combination"], row["parameters"], row["status"], row["removed"]) for run, row in rows.items()} == {
        "a": ("a", {"server.seed": 1}, "not_uploaded", False), "b": ("b", {"server.seed": 2}, "skipped", False), "c": ("c", {"server.seed": 3}, "failed", True)}


@pytest.mark.parametrize("program", ["upload", "import"])
def test_the_option(bin_dir, tmp_path, program):
    """The former spelling works, and the help has only the present one."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(OLD))
    new.write_text(json.dumps(NEW))
    if program == "import":
        import_json(bin_dir, "--db", tmp_path / "d.db", old)
        import_json(bin_dir, "--db", tmp_path / "d.db", "--on-known", "replace", new)
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        if program == "upload":
            for file, words in ((old, []), (new, ["--on-known", "replace"])):
                done = run_profllm(bin_dir, "upload", "--to", one.url, file, *words)
                assert done.returncode == 0, done.stderr
        rows = one.get("/api/data/experiments?columns=run.suite").json["rows"]
    assert [row["cells"]["run.suite"] for row in rows] == ["new"]
    if program == "upload":
        text = run_profllm(bin_dir, "upload", "--help").stdout
        assert "--on-conflict" in text and "--on-known" not in text
