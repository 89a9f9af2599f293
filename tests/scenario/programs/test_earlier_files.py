"""Files that earlier programs wrote open unchanged: data/schema_2/set.tar.xz, written by its make_set.py with programs of schema_version 2."""
import json
import tarfile
from pathlib import Path

import jsonschema
import pytest
from dashboard_tools import Dashboard
from database_tools import ask, bytes_of
from import_tools import dictionary_number, import_json, run_dashboard
from run_tools import load_result, run_profllm
from sweep_tools import runs

RESULTS = ["completed", "lean", "failed", "interrupted"]
EXPERIMENTS = ["completed", "lean", "failed", "killed"]


@pytest.fixture
def kept(source_dir, tmp_path):
    """A copy of the set, which a test may change."""
    folder = tmp_path / "set"
    with tarfile.open(source_dir / "tests/scenario/data/schema_2/set.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    return folder


@pytest.fixture
def answers(kept):
    return json.loads((kept / "answers.json").read_text())


def with_present_times(saved):
    return {{"created": "created_at", "changed": "changed_at"}.get(key, key): value for key, value in saved.items()}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_is_valid(bin_dir, kept, name):
    done = run_profllm(bin_dir, "run", "--dry-run", "--json", "-c", kept / f"{name}.yaml")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["config"]["benchmark"]["num_prompts"] == json.loads((kept / f"{name}.yaml").read_text())["benchmark"]["num_prompts"]


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_fits_the_schema_and_becomes_an_experiment(bin_dir, source_dir, kept, name):
    jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text())).validate(load_result(kept / f"{name}.json"))
    done = run_profllm(bin_dir, "run", "--dry-run", "--json", "-c", kept / f"{name}.json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["config"]["server"]["model"] == "sim/test"


def test_results_are_compared(bin_dir, kept):
    done = run_profllm(bin_dir, "compare", "--json", kept / "completed.json", kept / "lean.json")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)


def test_a_journal_is_recovered(bin_dir, source_dir, kept):
    done = run_profllm(bin_dir, "recover", kept / "killed.json")
    assert done.returncode == 0, done.stderr
    result = load_result(kept / "killed.json")
    jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text())).validate(result)
    assert (result["status"], result["error"]["cause"]) == ("interrupted", "killed") and result["results"]["completed"] > 0


def test_a_sweep_is_resumed(bin_dir, kept):
    before = runs(kept / "sweep")
    assert 0 < len(before) < 4
    files = {row["run"]: (kept / "sweep/cells" / f"{row['run']}.json").read_bytes() for row in before if row["status"] == "completed"}
    done = run_profllm(bin_dir, "sweep", "run", "-o", kept / "sweep", "--resume", kept / "sweep.yaml")
    assert done.returncode == 0, done.stderr
    summary = json.loads((kept / "sweep/summary.json").read_text())
    rows = summary["runs"]
    assert summary["redacted"] == [] and "left_out" not in summary
    assert all(row["combination"] and row["parameters"] and not {"cell", "point", "gone"} & set(row) for row in rows)
    assert [row["status"] for row in rows] == ["completed"] * 4
    assert all((kept / "sweep/cells" / f"{run}.json").read_bytes() == data for run, data in files.items())


def test_a_database_answers_as_it_did(bin_dir, kept, answers):
    with Dashboard(bin_dir, kept / "results.db") as dashboard:
        for asked in answers["queries"]:
            said = dashboard.post("/api/filters/apply", asked["query"]).json
            assert (said["count"], [row["id"] for row in said["rows"]]) == (asked["count"], asked["ids"]), asked["query"]
        presets = dashboard.get("/api/filters/presets").json["presets"]
        assert presets == [with_present_times(preset) for preset in answers["presets"]] and len(presets) == 2
        views = [with_present_times(view) for view in answers["views"]]
        assert [dashboard.get(f"/api/views/{view['id']}").json for view in views] == views != []
        sweep, = dashboard.get("/api/data/sweeps").json["sweeps"]
        assert sweep["id"] == answers["sweeps"][0]["id"] and {"skipped", "removed", "created_at", "changed_at"} <= set(sweep)
        assert not {"falls_out", "gone", "created", "changed"} & set(sweep)
        rows = dashboard.get(f"/api/data/sweeps/{sweep['id']}").json["runs"]
        assert rows and all(row["combination"] == row["run"].split(".")[0] and row["parameters"] and row["removed"] is False for row in rows)
        assert dashboard.ask("POST", f"/api/data/experiments/{answers['deleted']}/restore").status in (200, 204)
        assert answers["deleted"] in dashboard.ids()
    assert run_dashboard(bin_dir, "check", "--db", kept / "results.db").returncode == 0


def test_documents_come_out_as_they_came_in(bin_dir, kept, answers):
    """Those packed with a dictionary, too: what was imported from a file is that file, but for white space around it."""
    assert any(dictionary_number(bytes_of(row[0])) for row in ask(kept / "results.db", "SELECT bytes FROM benchmark_documents"))
    with Dashboard(bin_dir, kept / "results.db") as dashboard:
        raw = {dashboard.get(f"/api/data/experiments/{id_}/raw").body for id_ in answers["queries"][0]["ids"]}
    assert len(raw) == answers["queries"][0]["count"]
    assert {(kept / f"{name}.json").read_bytes().strip() for name in ("completed", "failed", "interrupted", "bench")} <= {data.strip() for data in raw}


def test_files_are_known_to_their_database(bin_dir, kept):
    """The same content is a duplicate in the database of then, and is stored in a new one."""
    files = [kept / f"{name}.json" for name in (*RESULTS, "bench")]
    assert import_json(bin_dir, "--db", kept / "results.db", *[file for file in files if file.stem != "lean"])["counts"]["duplicate"] == 4
    assert import_json(bin_dir, "--db", kept / "new.db", *files, kept / "sweep")["counts"]["stored"] == len(files) + len(list((kept / "sweep/cells").iterdir()))


def test_every_link_is_read(source_dir):
    """web/src/url/earlier-links.test.ts reads each; here only that none is lost."""
    links = (Path(source_dir) / "tests/scenario/data/schema_2/links.txt").read_text().splitlines()
    assert len(links) == 6 and {link.split("?")[0] for link in links} == {"/", "/compare", "/sweeps/SWEEP"}
