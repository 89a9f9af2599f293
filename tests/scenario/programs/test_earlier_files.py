"""Files that earlier programs wrote open unchanged: data/schema_2, written by its scripts with programs of schema_version 2.

set.tar.xz is of the first such programs, last_set.tar.xz of the last ones.
"""
import json
import re
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


# keys and values in results that schema_version 3 renamed, and the field by which checks are filtered here
FORMER_KEYS = {"beside", "worst_figure", "summary_worst", "metrics_asked", "late_p50_ms", "then", "now", "asked", "prompt_tokens_asked",
               "output_tokens_asked", "lacks_done"}
FORMER_VALUES = {"ok", "beyond", "absent", "cap_held_rate"}
STATUS = "quality.sample_size.status"


def unpacked(archive, folder):
    with tarfile.open(archive) as opened:
        opened.extraction_filter = getattr(tarfile, "data_filter", None)
        opened.extractall(folder)
    return folder


@pytest.fixture
def saved(source_dir, tmp_path):
    """A copy of the first set, which a test may change."""
    return unpacked(source_dir / "tests/scenario/data/schema_2/set.tar.xz", tmp_path / "set")


@pytest.fixture
def last(source_dir, tmp_path):
    """A copy of the last set."""
    return unpacked(source_dir / "tests/scenario/data/schema_2/last_set.tar.xz", tmp_path / "last")


def former_names(document):
    """Returns the keys and texts in it that were renamed."""
    if isinstance(document, dict):
        return (FORMER_KEYS & set(document)).union(*map(former_names, document.values()))
    if isinstance(document, list):
        return set().union(*map(former_names, document))
    return {document} & FORMER_VALUES if isinstance(document, str) else set()


def fits(source_dir, document):
    jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text())).validate(document)


@pytest.fixture
def answers(saved):
    return json.loads((saved / "answers.json").read_text())


def with_present_times(saved):
    return {{"created": "created_at", "changed": "changed_at"}.get(key, key): value for key, value in saved.items()}


def preset_of(saved):
    """A dashboard without tokens did not store who made a preset."""
    return {**with_present_times(saved), "created_by": None, "changed_by": None}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_is_valid(bin_dir, saved, name):
    done = run_profllm(bin_dir, "run", "--dry-run", "--json", "-c", saved / f"{name}.yaml")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["config"]["benchmark"]["num_prompts"] == json.loads((saved / f"{name}.yaml").read_text())["benchmark"]["num_prompts"]


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_valid_and_becomes_an_experiment(bin_dir, saved, name):
    assert run_profllm(bin_dir, "validate", "--schema", "result", saved / f"{name}.json").returncode == 0
    done = run_profllm(bin_dir, "run", "--dry-run", "--json", "-c", saved / f"{name}.json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["config"]["server"]["model"] == "sim/test"


def test_results_are_compared(bin_dir, saved):
    done = run_profllm(bin_dir, "compare", "--json", saved / "completed.json", saved / "lean.json")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)


def test_a_journal_is_recovered(bin_dir, source_dir, saved):
    done = run_profllm(bin_dir, "recover", saved / "killed.json")
    assert done.returncode == 0, done.stderr
    result = load_result(saved / "killed.json")
    fits(source_dir, result)
    assert (result["status"], result["error"]["cause"]) == ("interrupted", "killed") and result["results"]["completed"] > 0


def test_a_sweep_is_resumed(bin_dir, saved):
    before = runs(saved / "sweep")
    assert 0 < len(before) < 4
    files = {row["run"]: (saved / "sweep/cells" / f"{row['run']}.json").read_bytes() for row in before if row["status"] == "completed"}
    done = run_profllm(bin_dir, "sweep", "run", "-o", saved / "sweep", "--resume", saved / "sweep.yaml")
    assert done.returncode == 0, done.stderr
    summary = json.loads((saved / "sweep/summary.json").read_text())
    rows = summary["runs"]
    assert summary["redacted"] == [] and "left_out" not in summary
    assert all(row["combination"] and row["parameters"] and not {"cell", "point", "gone"} & set(row) for row in rows)
    assert [row["status"] for row in rows] == ["completed"] * 4
    assert all((saved / "sweep/cells" / f"{run}.json").read_bytes() == data for run, data in files.items())


def test_a_database_answers_as_it_did(bin_dir, saved, answers):
    with Dashboard(bin_dir, saved / "results.db") as dashboard:
        for asked in answers["queries"]:
            said = dashboard.post("/api/filters/apply", asked["query"]).json
            assert (said["count"], [row["id"] for row in said["rows"]]) == (asked["count"], asked["ids"]), asked["query"]
        presets = dashboard.get("/api/filters/presets").json["presets"]
        assert presets == [preset_of(preset) for preset in answers["presets"]] and len(presets) == 2
        views = [with_present_times(view) for view in answers["views"]]
        assert [dashboard.get(f"/api/views/{view['id']}").json for view in views] == views != []
        sweep, = dashboard.get("/api/data/sweeps").json["sweeps"]
        assert sweep["id"] == answers["sweeps"][0]["id"] and {"skipped", "removed", "created_at", "changed_at"} <= set(sweep)
        assert not {"falls_out", "gone", "created", "changed"} & set(sweep)
        rows = dashboard.get(f"/api/data/sweeps/{sweep['id']}").json["runs"]
        assert rows and all(row["combination"] == row["run"].split(".")[0] and row["parameters"] and row["removed"] is False for row in rows)
        assert dashboard.ask("POST", f"/api/data/experiments/{answers['deleted']}/restore").status in (200, 204)
        assert answers["deleted"] in dashboard.ids()
    assert run_dashboard(bin_dir, "check", "--db", saved / "results.db").returncode == 0


def test_documents_come_out_as_they_came_in(bin_dir, saved, answers):
    """The exported documents equal the imported files, except white space, also those packed with a dictionary."""
    assert any(dictionary_number(bytes_of(row[0])) for row in ask(saved / "results.db", "SELECT bytes FROM benchmark_documents"))
    with Dashboard(bin_dir, saved / "results.db") as dashboard:
        raw = {dashboard.get(f"/api/data/experiments/{id_}/raw").body for id_ in answers["queries"][0]["ids"]}
    assert len(raw) == answers["queries"][0]["count"]
    assert {(saved / f"{name}.json").read_bytes().strip() for name in ("completed", "failed", "interrupted", "bench")} <= {data.strip() for data in raw}


def test_files_are_known_to_their_database(bin_dir, saved):
    """The same content is a duplicate in the earlier database, and is stored in a new one."""
    files = [saved / f"{name}.json" for name in (*RESULTS, "bench")]
    assert import_json(bin_dir, "--db", saved / "results.db", *[file for file in files if file.stem != "lean"])["counts"]["duplicate"] == 4
    assert import_json(bin_dir, "--db", saved / "new.db", *files, saved / "sweep")["counts"]["stored"] == len(files) + len(list((saved / "sweep/cells").iterdir()))


def test_every_link_is_read(source_dir):
    """web/src/url/earlier-links.test.ts reads each link; this test checks that none is missing there."""
    links = (Path(source_dir) / "tests/scenario/data/schema_2/links.txt").read_text().splitlines()
    assert len(links) == 6 and {link.split("?")[0] for link in links} == {"/", "/compare", "/sweeps/SWEEP"}


# ---- names of schema_version 2 ----


def test_the_last_set_has_each_former_name_that_a_simulated_run_writes(last):
    found = former_names([json.loads((last / f"{name}.json").read_text()) for name in ("completed", "repeated")])
    assert found >= {"ok", "beyond", "absent", "beside", "worst_figure", "metrics_asked", "late_p50_ms", "then", "now", "cap_held_rate"}


def test_former_names_are_valid(bin_dir, last):
    assert run_profllm(bin_dir, "validate", "--schema", "result", last / "completed.json", last / "repeated.json").returncode == 0
    assert run_profllm(bin_dir, "validate", "--schema", "requests", last / "completed.requests.jsonl.zst").returncode == 0


def test_the_rest_of_the_contract_holds_for_a_result_of_the_version_before(bin_dir, last):
    document = json.loads((last / "completed.json").read_text())
    document["quality"]["checks"][0]["value"] = "much"
    wrong = last / "wrong.json"
    wrong.write_text(json.dumps(document))
    done = import_json(bin_dir, "--db", last / "new.db", wrong, status=1)
    assert (done["counts"]["rejected"], done["counts"]["stored"]) == (1, 0)


def test_a_recovered_result_has_present_names(bin_dir, source_dir, last):
    assert run_profllm(bin_dir, "recover", last / "killed.json").returncode == 0
    result = load_result(last / "killed.json")
    fits(source_dir, result)
    assert former_names(result) == set() and "over_limit" in {check["status"] for check in result["quality"]["checks"]}


def test_a_repeated_result_has_present_names(bin_dir, source_dir, last):
    done = run_profllm(bin_dir, "run", "-c", last / "repeated.json", "-o", last / "third.json", "--set", "benchmark.num_prompts=4")
    assert done.returncode == 0, done.stderr
    result = load_result(last / "third.json")
    fits(source_dir, result)
    assert former_names(result) == set() and result["environment"]["repeat_of"]["run_id"] == load_result(last / "repeated.json")["run_id"]


def test_former_names_are_compared(bin_dir, last):
    done = run_profllm(bin_dir, "compare", "--json", last / "completed.json", last / "repeated.json")
    assert done.returncode in (0, 1) and former_names(json.loads(done.stdout)) == set()


@pytest.fixture
def opened(bin_dir, last):
    with Dashboard(bin_dir, last / "results.db") as dashboard:
        yield dashboard


def test_former_fields_and_values_filter_alike(opened, last):
    saved = json.loads((last / "answers.json").read_text())
    assert {query["count"] for query in saved["queries"]} == {0, 2, 5}
    for asked in saved["queries"]:
        assert opened.post("/api/filters/apply", asked["query"]).json["count"] == asked["count"], asked["query"]
    values = opened.get(f"/api/filters/values?field={STATUS}").json["values"]
    assert values == [{**one, "value": {"beyond": "over_limit", "ok": "passed"}[one["value"]]} for one in saved["values"]["values"]]


def test_responses_have_present_names(opened, last):
    preset, = opened.get("/api/filters/presets").json["presets"]
    assert preset["filter"] == {"and": [{"field": STATUS, "op": "eq", "value": "over_limit"}, {"field": "launch.other_servers_max", "op": "in", "value": [0, 1]}]}
    assert preset["columns"] == ["run.name", "quality.measurement.metric", "system.telemetry.metrics_requested", "stored.possible_duplicate"]
    assert preset["sort"] == [{"field": "launch.other_servers_max", "dir": "desc"}]
    rows = opened.rows(columns=["launch.beside", STATUS, "quality.cap_held_rate.status"])
    assert {key for row in rows for key in row["cells"]} == {"launch.other_servers_max", STATUS, "quality.concurrency_limited.status"}
    for row in rows:
        experiment = opened.get(f"/api/data/experiments/{row['id']}").json
        assert former_names(experiment["document"]) == set()
        assert not [field for field in experiment["fields"] if re.search(r"beside|worst|asked|cap_held|near$", field)]
    sweep = opened.get(f"/api/data/sweeps/{json.loads((last / 'answers.json').read_text())['sweep']}").json
    assert len(sweep["runs"]) == 2 and former_names(sweep["runs"]) == set()
    ids = {field["id"] for field in opened.get("/api/fields").json["fields"]}
    assert STATUS in ids and not {"launch.beside", "stored.near", "quality.cap_held_rate.value"} & ids


def test_the_same_file_is_a_duplicate(bin_dir, last):
    """A file with the received content is a duplicate, also if this version stored it first."""
    files = [last / f"{name}.json" for name in ("completed", "repeated", "bench")]
    for db in ("results.db", "new.db"):
        first = import_json(bin_dir, "--db", last / db, *files, last / "sweep")["counts"]
        assert (first["stored"], first["duplicate"]) == ((0, 5) if db == "results.db" else (5, 0))
        assert import_json(bin_dir, "--db", last / db, *files, last / "sweep")["counts"]["duplicate"] == 5
        for command in ("check", "reindex", "check"):
            assert run_dashboard(bin_dir, command, "--db", last / db).returncode == 0


def test_a_renamed_copy_is_a_conflict(bin_dir, last):
    """The same result under present names is other content of the same run."""
    text = (last / "completed.json").read_text().replace('"worst_figure"', '"metric"')
    (last / "copy.json").write_text(text)
    assert import_json(bin_dir, "--db", last / "results.db", last / "copy.json", status=1)["counts"]["conflict"] == 1


def test_a_former_name_in_a_filter_of_an_upload(bin_dir, last):
    """Uploads over HTTP are translated like imports."""
    with Dashboard(bin_dir, last / "http.db") as dashboard:
        item, = dashboard.upload("/api/upload/json", json.loads((last / "completed.json").read_text()))["items"]
        assert item["state"] == "stored"
        row, = dashboard.rows(filter={"field": STATUS, "op": "in", "value": ["beyond", "ok"]}, columns=[STATUS])
        assert row["cells"][STATUS] in ("over_limit", "passed")


def test_no_row_of_former_names_is_missing_here(source_dir):
    rows = re.findall(r'^FORMER_(?:KEY|VALUE)\((\w+), .*?"(\w+)", "\w+"\)', (source_dir / "src/tbl/former_names.h").read_text(), re.M)
    assert len(rows) > 20 and {former for place, former in rows if place in ("LAUNCH", "MEASUREMENT", "CHECK", "SOURCE", "DIFFERENCE")} <= FORMER_KEYS | FORMER_VALUES
