"""Sweeps on a dashboard: the planned runs, their outcomes, and the remaining ones as a runnable file."""
import json
import signal

import pytest
import yaml
from dashboard_tools import Dashboard, little
from database_tools import change, is_address
from import_tools import import_json, run_dashboard
from run_tools import PATIENCE, base_config, run_profllm, start_profllm, write_config
from wait_tools import wait_for

PATH = "/api/data/sweeps"
ID = "swp_20261123_060000_0a1b2c"
JSON = {"Content-Type": "application/json"}


def point(seqs, load):
    return {"server.max_num_seqs": seqs, "benchmark.max_concurrency": load}


def planned(cell, seqs, load, status="missing", **more):
    return {"run": cell, "combination": cell, "repeat": 1, "server": f"s{seqs}", "set": None,
            "label": f"max_num_seqs={seqs} max_concurrency={load}", "parameters": point(seqs, load), "status": status, "removed": False, **more}


def plan(*runs, **more):
    return {"sweep": ID, "name": "night", "state": "running", "file": "night.yaml", "servers_started": 1,
            "experiment": {"server": {"model": "sim/test"}}, "redacted": [], "runs": list(runs), **more}


def put(dashboard, value, id_=ID):
    return dashboard.ask("PUT", f"{PATH}/{id_}", json.dumps(value), JSON)


def result(number, cell, repeat=1, status="completed", **more):
    tags = {"sweep": ID, "sweep_cell": cell, "sweep_point": f"max_num_seqs={number}", **({"sweep_repeat": str(repeat)} if repeat else {})}
    return little(number, tags=tags, status=status, **more)


def runs(dashboard, query="", id_=ID):
    return {run["run"]: run for run in dashboard.get(f"{PATH}/{id_}{query}").json["runs"]}


def test_runs_in_progress(dashboard):
    """Lists the planned runs until a result arrives or the sweep ends."""
    one = plan(planned("a", 1, 1), planned("b", 1, 2), planned("c", 2, 1), running=["a", "b"])
    statuses = lambda: {name: run["status"] for name, run in runs(dashboard).items()}  # noqa: E731
    counts = lambda: dashboard.get(PATH).json["sweeps"][0]["counts"]  # noqa: E731
    assert put(dashboard, one).status == 204
    assert statuses() == {"a": "running", "b": "running", "c": "missing"}
    assert counts() == {"done": 0, "failed": 0, "running": 2, "missing": 1, "skipped": 0}
    dashboard.upload("/api/upload/json", result(1, "a"))
    assert statuses() == {"a": "completed", "b": "running", "c": "missing"}
    assert put(dashboard, {**one, "state": "interrupted"}).status == 204
    assert statuses() == {"a": "completed", "b": "missing", "c": "missing"} and counts()["running"] == 0


def test_planned_runs_and_their_outcomes(dashboard):
    assert dashboard.get(PATH).json == {"sweeps": []} and dashboard.get(f"{PATH}/{ID}").status == 404
    first = plan(planned("a", 1, 1), planned("b", 1, 2), planned("c", 2, 1, "skipped", cause="too_long"),
                 planned("d", 2, 2, "launch_failed", cause="out_of_memory", message="no room"), planned("e", 3, 1, "completed", run_id="exp_e"),
                 planned("f", 3, 2, "interrupted"), {**planned("b", 1, 2), "run": "b.2", "repeat": 2}, planned("g", 4, 1, removed=True),
                 figures="of no interest")
    assert put(dashboard, first).status == 204
    head = dashboard.get(PATH).json["sweeps"][0]
    assert (head["id"], head["runs"], head["skipped"], head["without_result"], head["removed"]) == (ID, 6, 1, 1, 1)
    dashboard.upload("/api/upload/batch", [result(1, "a"), result(2, "b"), result(3, "b", repeat=2, status="failed", error={"cause": "crash", "message": "removed"}),
                                           result(4, "x"), little(5, tags={"sweep": "another", "sweep_cell": "a"})])
    sweep = dashboard.get(f"{PATH}/{ID}?metrics=results.mean_ttft_ms,results.output_throughput").json
    told = {run["run"]: run for run in sweep["runs"]}
    assert {name: run["status"] for name, run in told.items()} == {
        "a": "completed", "b": "completed", "b.2": "failed", "c": "skipped", "d": "launch_failed", "e": "not_uploaded", "f": "missing",
        "g": "missing", "x": "completed"}
    assert told["a"]["values"] == {"results.mean_ttft_ms": 1.5} and told["a"]["experiment"] in dashboard.ids()
    assert (told["b.2"]["cause"], told["c"]["cause"], told["d"]["cause"], told["d"]["message"]) == ("crash", "too_long", "out_of_memory", "no room")
    assert told["d"]["experiment"] is None and told["x"]["removed"] and told["x"]["parameters"] is None and told["g"]["removed"]
    # told again: the same, and another state in place of the one before
    assert put(dashboard, {**first, "state": "ended"}).status == 204
    again = dashboard.get(PATH).json["sweeps"]
    assert [one["id"] for one in again] == [ID, "another"] and again[0]["state"] == "ended" and again[0]["created_at"] == head["created_at"]
    # a run that was tried again: the newest result counts, and none that is deleted
    dashboard.upload("/api/upload/json", result(6, "b", repeat=2))
    assert runs(dashboard)["b.2"]["status"] == "completed"
    assert dashboard.ask("DELETE", f"/api/data/experiments/{runs(dashboard)['b.2']['experiment']}").status == 204
    assert runs(dashboard)["b.2"]["status"] == "failed"
    assert dashboard.ask("DELETE", f"{PATH}/{ID}").status == 204 and dashboard.ask("DELETE", f"{PATH}/{ID}").status == 404
    rest = dashboard.get(f"{PATH}/{ID}").json
    assert not rest["has_plan"] and {run["run"] for run in rest["runs"]} == {"a", "b", "b.2", "x"} and not any(run["removed"] for run in rest["runs"])
    assert dashboard.get(f"/api/export/sweep/{ID}").status == 409


def counts(dashboard):
    return {head["id"]: tuple(head["counts"][kind] for kind in ("done", "failed", "missing", "skipped")) for head in dashboard.get(PATH).json["sweeps"]}


def test_the_list_counts_as_the_sweep_itself_does(dashboard):
    """A retried run counts once; a deleted result, and one of a combination that is no longer planned, does not count."""
    put(dashboard, plan(planned("a", 1, 1), planned("b", 1, 2), {**planned("b", 1, 2), "run": "b.2", "repeat": 2}, planned("c", 2, 1, "skipped"),
                        planned("d", 2, 2, "launch_failed"), planned("e", 3, 1, "completed", run_id="exp_e"), planned("g", 4, 1, removed=True)))
    assert counts(dashboard) == {ID: (0, 1, 4, 1)}
    dashboard.upload("/api/upload/batch", [result(1, "a", status="failed"), result(2, "b"), result(3, "x"), result(4, "g")])
    assert counts(dashboard) == {ID: (1, 2, 2, 1)}
    dashboard.upload("/api/upload/batch", [result(5, "a", status="failed"), result(6, "d", status="failed")])
    assert counts(dashboard) == {ID: (1, 2, 2, 1)}
    (again,) = dashboard.upload("/api/upload/json", result(7, "a"))["items"]
    assert counts(dashboard) == {ID: (2, 1, 2, 1)}
    assert dashboard.ask("DELETE", f"/api/data/experiments/{again['id']}").status == 204 and counts(dashboard) == {ID: (1, 2, 2, 1)}
    # without a plan its results are its runs; another plan is another count
    other = [little(f"o{i}", tags={"sweep": "swp_other", "sweep_cell": cell, "sweep_name": "by hand"}, status=status)
             for i, (cell, status) in enumerate([("a", "failed"), ("a", "completed"), ("b", "failed")])]
    dashboard.upload("/api/upload/batch", other)
    put(dashboard, plan(planned("x", 1, 1), planned("y", 1, 1)))
    assert counts(dashboard) == {ID: (1, 0, 1, 0), "swp_other": (1, 1, 0, 0)}
    bare = dashboard.get(PATH).json["sweeps"][1]
    assert (bare["has_plan"], bare["name"], bare["runs"], bare["created_at"]) == (False, "by hand", None, None)


def test_results_without_a_repeat_are_found_by_their_run_id(dashboard):
    first, second = result(1, "a", repeat=None), result(2, "a", repeat=None)
    put(dashboard, plan(planned("a", 1, 1, "completed", run_id=first["run_id"]),
                        {**planned("a", 1, 1, "completed", run_id=second["run_id"]), "run": "a.2", "repeat": 2}))
    dashboard.upload("/api/upload/batch", [first, second])
    assert {name: run["run_id"] for name, run in runs(dashboard).items()} == {"a": first["run_id"], "a.2": second["run_id"]}


@pytest.mark.one_database
def test_invalid_plans(dashboard):
    for broken, pointer in (({}, ""), ({"sweep": ID}, ""), (plan({"run": "a"}), "/runs/0"), (plan(state="over"), "/state"), (plan(sweep="swp_x"), "/sweep")):
        problem = put(dashboard, broken)
        assert problem.status == 422 and problem.json["pointer"] == pointer
    assert put(dashboard, plan(), "a%20b").status == 404 and dashboard.get(f"{PATH}/%2e%2e").status == 404
    assert dashboard.ask("PUT", f"{PATH}/{ID}", json.dumps(plan()), {**JSON, "Origin": "http://evil.example"}).status == 403
    assert dashboard.get(PATH).json == {"sweeps": []}
    put(dashboard, plan(planned("a", 1, 1)))
    assert dashboard.get(f"{PATH}/{ID}?metrics=results.nothing_such").status == 422
    assert dashboard.get(f"/api/export/sweep/{ID}?kinds=completed").status == 422
    assert dashboard.get(f"/api/export/sweep/{ID}?kinds=failed").status == 404


def test_a_plan_survives_a_kill(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        put(one, plan(*(planned(f"c{i}", i, 1) for i in range(500))))
        one.stop(signal.SIGKILL)
    with Dashboard(bin_dir, db) as one:
        assert len(runs(one)) == 500 and one.get(PATH).json["sweeps"][0]["runs"] == 500


@pytest.mark.one_database
@pytest.mark.parametrize("column", ["head", "content"])
def test_a_damaged_plan_leaves_the_list_readable(bin_dir, db, column):
    """The sweep is counted by its results until the plan is uploaded again."""
    with Dashboard(bin_dir, db) as one:
        assert put(one, plan(planned("a", 1, 1), planned("b", 1, 2))).status == 204
        assert put(one, plan(planned("a", 1, 1), sweep="swp_other"), "swp_other").status == 204
        one.upload("/api/upload/json", result(1, "a"))
        intact = {head["id"]: head for head in one.get(PATH).json["sweeps"]}
        one.stop()
    bad = {"head": "'[1'", "content": "decode('00ff', 'hex')" if is_address(db) else "x'00ff'"}[column]
    change(db, f"UPDATE sweeps SET {column} = {bad} WHERE id = '{ID}'")
    with Dashboard(bin_dir, db) as one:
        heads = {head["id"]: head for head in one.get(PATH).json["sweeps"]}
        assert heads["swp_other"] == intact["swp_other"] and not intact[ID]["damaged"]
        head = heads[ID]
        assert head["damaged"] and head["has_plan"] and head["created_at"] == intact[ID]["created_at"]
        assert head["counts"] == {"done": 1, "failed": 0, "running": 0, "missing": 0, "skipped": 0}
        assert (head["name"], head["runs"]) == ((None, None) if column == "head" else ("night", 2))
        if column == "content":
            assert one.get(f"{PATH}/{ID}").status >= 500
        assert put(one, plan(planned("a", 1, 1), planned("b", 1, 2))).status == 204
        mended = {head["id"]: head for head in one.get(PATH).json["sweeps"]}[ID]
        assert mended == {**intact[ID], "changed_at": mended["changed_at"]}


def test_the_rest_as_a_file_that_runs(dashboard, bin_dir, tmp_path):
    """A sweep with failures: sent while it runs, sent as a directory, and its remaining runs downloaded and run."""
    program, folder = tmp_path / "serve", tmp_path / "s"
    program.write_text(f"#!/bin/sh\ncase \"$*\" in *'max-num-seqs 3'*) [ -e {tmp_path}/mended ] || exit 3;; esac\nexec {bin_dir}/profllm-sim \"$@\"\n")
    program.chmod(0o755)
    config = base_config(num_prompts=4)
    config["launch"] |= {"gpus": [], "command": [str(program), "serve"], "env": {"HF_TOKEN": "hf_secret", "LEVEL": "1"}}
    config |= {"output": {"requests": False, "series": False}, "telemetry": {"server_metrics": None}, "name": "night"}
    config["sweep"] = {"server.max_num_seqs": [2, 3], "sets": {"low": {"benchmark.max_concurrency": [1]}, "high": {"benchmark.max_concurrency": [2], "benchmark.num_prompts": [5]}}}
    done = run_profllm(bin_dir, "sweep", "run", write_config(tmp_path, config), "-o", folder, "--upload", dashboard.url)
    assert done.returncode == 1, done.stderr
    head = dashboard.get(PATH).json["sweeps"][0]
    assert (head["name"], head["state"], head["runs"]) == ("night", "ended", 4)
    told = dashboard.get(f"{PATH}/{head['id']}").json
    assert sorted(run["status"] for run in told["runs"]) == ["completed"] * 2 + ["launch_failed"] * 2
    # of two loads on a server that did not start, one has a result, and the other one has its cause nevertheless
    assert [bool(run["cause"] or run["message"]) for run in told["runs"] if run["status"] == "launch_failed"] == [True, True]
    assert told["redacted"] == ["launch.env.HF_TOKEN"] and "hf_secret" not in json.dumps(told)
    tags = dashboard.rows(columns=["tags.sweep_name", "tags.sweep_repeat", "tags.sweep_set"])[0]["cells"]
    assert tags["tags.sweep_name"] == "night" and tags["tags.sweep_repeat"] == "1" and tags["tags.sweep_set"] in ("low", "high")

    answer = dashboard.get(f"/api/export/sweep/{head['id']}")
    assert 'filename="night-left.yaml"' in answer.headers["Content-Disposition"] and b"launch.env.HF_TOKEN" in answer.body
    left = tmp_path / "left.yaml"
    left.write_bytes(answer.body)
    sets = yaml.safe_load(answer.body)["sweep"]["sets"]
    assert sets == {"low": {"points": [{"server.max_num_seqs": 3, "benchmark.max_concurrency": 1}]},
                    "high": {"points": [{"server.max_num_seqs": 3, "benchmark.max_concurrency": 2, "benchmark.num_prompts": 5}]}}
    (tmp_path / "mended").touch()
    dry = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--json", left)
    assert dry.returncode == 0, dry.stderr
    cells = {cell["label"]: cell for cell in json.loads(dry.stdout)["combinations"]}
    assert set(cells) == {run["label"] for run in told["runs"] if run["status"] == "launch_failed"}
    again = run_profllm(bin_dir, "sweep", "run", left, "-o", tmp_path / "t")
    assert again.returncode == 0, again.stderr
    # that folder was not sent by the run: the command sends it whole, as often as one likes
    for state in ("stored", "duplicate"):
        sent = run_profllm(bin_dir, "upload", tmp_path / "t", "--to", dashboard.url, "--json")
        assert sent.returncode == 0, sent.stdout
        report = json.loads(sent.stdout)
        assert [sweep["failure"] for sweep in report["sweeps"]] == [None]
        assert [item["state"] for file in report["files"] for item in file["items"]] == [state] * 2
    assert [head["state"] for head in dashboard.get(PATH).json["sweeps"]] == ["ended"] * 2


def shown(sweep):
    """Returns a sweep without its upload times and the ids of its results."""
    runs_ = [{key: value for key, value in run.items() if key != "experiment"} for run in sweep["runs"]]
    return {**{key: value for key, value in sweep.items() if key not in ("created_at", "changed_at")}, "runs": sorted(runs_, key=lambda run: run["run"])}


def sweep_of(dashboard):
    [head] = dashboard.get(PATH).json["sweeps"]
    return shown(dashboard.get(f"{PATH}/{head['id']}").json)


@pytest.fixture(scope="module")
def half_done(bin_dir, tmp_path_factory):
    """A sweep's directory: two runs of a server that does not start, one completed, one interrupted, three missing."""
    home = tmp_path_factory.mktemp("half")
    program, folder = home / "serve", home / "in" / "s"
    folder.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncase \"$*\" in *'max-num-seqs 3'*) exit 3;; esac\nexec {bin_dir}/profllm-sim \"$@\"\n")
    program.chmod(0o755)
    config = base_config(max_concurrency=1)
    config["launch"] |= {"gpus": [], "command": [str(program), "serve"]}
    config |= {"name": "night", "sweep": {"server.max_num_seqs": [3, 2, 5], "benchmark.num_prompts": [4, 100000]}}
    process = start_profllm(bin_dir, "sweep", "run", write_config(home, config), "-o", folder)
    wait_for(lambda: len(list((folder / "cells").glob("*.json"))) > 1 and any((folder / "cells").glob("*.journal")), "the long run", process=process)
    process.send_signal(signal.SIGINT)
    assert process.wait(60 * PATIENCE) == 130
    process.communicate()
    statuses = [run["status"] for run in json.loads((folder / "summary.json").read_text())["runs"]]
    assert statuses.count("launch_failed") == 2 and statuses.count("completed") == 1 and "missing" in statuses
    assert {"sweep.jsonl", "summary.csv", "servers", "cells"} <= {path.name for path in folder.iterdir()}
    return folder


@pytest.mark.one_database
def test_a_directory_identifies_its_sweep(bin_dir, dashboard, half_done, tmp_path):
    """A directory that is imported (with or without a server) or watched yields the same map as one that is sent, with
    missing and failed runs. Its other files do not count as broken results."""
    sent = run_profllm(bin_dir, "upload", half_done, "--to", dashboard.url)
    assert sent.returncode == 0, sent.stdout
    wanted = sweep_of(dashboard)
    told = [run["status"] for run in wanted["runs"]]
    assert told.count("launch_failed") == 2 and told.count("missing") >= 2 and wanted["has_plan"] and wanted["state"] == "interrupted"
    db = tmp_path / "i.db"
    for _ in range(2):
        report = import_json(bin_dir, "--db", db, half_done.parent)
        assert report["counts"]["rejected"] == 0 and report["counts"]["conflict"] == 0, report
        assert report["sweeps"] == [{"path": str(half_done / "summary.json"), "sweep": wanted["id"], "state": "stored", "message": None}]
        assert {"path": str(half_done / "sweep.jsonl"), "state": "skipped", "message": "a sweep's journal"} in report["results"]
    text = run_dashboard(bin_dir, "import", "--db", tmp_path / "t.db", half_done).stdout
    assert "; 1 sweep; " in text and f"stored    sweep   {wanted['id']} " in text
    with Dashboard(bin_dir, db) as one:
        assert sweep_of(one) == wanted
    with Dashboard(bin_dir, tmp_path / "w.db", "--watch", half_done.parent) as one:
        wait_for(lambda: one.get(PATH).json["sweeps"] and sweep_of(one) == wanted, "the watched folder", process=one.process)
        assert one.stop() == (0, "", "")


def test_summaries_that_are_none(bin_dir, tmp_path):
    """A summary that violates the contract is reported with its location, and the results are imported; a file that is not
    a sweep's is imported as before."""
    (tmp_path / "r.json").write_text(json.dumps(little(1)))
    for value, state, said in ((plan({"run": "a"}), "failed", "/runs/0"), (plan(sweep="a b"), "failed", "/sweep: "),
                               (plan(state="over"), "failed", "/state")):
        (tmp_path / "summary.json").write_text(json.dumps(value))
        report = import_json(bin_dir, "--db", tmp_path / "d.db", tmp_path / "summary.json", tmp_path / "r.json", status=1)
        assert [(one["state"], said in one["message"]) for one in report["sweeps"]] == [(state, True)] and report["counts"]["rejected"] == 0
        assert report["total"] == 1
    shown = run_dashboard(bin_dir, "import", "--db", tmp_path / "d.db", tmp_path / "summary.json")
    assert shown.returncode == 1 and "1 failed" in shown.stdout and "stored    sweep" not in shown.stdout, shown.stdout
    assert shown.stderr.count(": error: ") == 1 and "/state" in shown.stderr, shown.stderr
    (tmp_path / "summary.json").write_text(json.dumps(little(2)))
    report = import_json(bin_dir, "--db", tmp_path / "d.db", tmp_path / "summary.json")
    assert report["sweeps"] == [] and report["counts"]["stored"] == 1
