"""Secrets in documents: "***" in all that is kept and answered, with where they stood; no byte of one is anywhere."""
import copy
import json
import time

import pytest
from dashboard_tools import Dashboard, results
from import_tools import import_json
from wait_tools import wait_for

MARK = "S3CRETxyzzy"
PLACES = {
    "/config/benchmark/metadata/0": f"hf_token={MARK}1",
    "/config/benchmark/header/1": f"Authorization=Bearer {MARK}2",
    "/launch/env/HF_TOKEN": f"{MARK}3",
    "/launch/url": f"https://me:{MARK}4@example.com/v1",
    "/tags/api~1key": f"{MARK}5",
}


def leaky():
    document = copy.deepcopy(next(results(1)))
    document["config"]["benchmark"] |= {"metadata": [PLACES["/config/benchmark/metadata/0"]],
                                        "header": ["X-Plain=1", PLACES["/config/benchmark/header/1"]]}
    document["launch"] = {**document["launch"], "env": {"HF_TOKEN": PLACES["/launch/env/HF_TOKEN"], "OMP_NUM_THREADS": "4"},
                          "url": PLACES["/launch/url"]}
    document["tags"] = {"api/key": PLACES["/tags/api~1key"], "plain": "1"}
    return document


def assert_nowhere(folder):
    found = [str(path) for path in folder.rglob("*") if path.is_file() and MARK.encode() in path.read_bytes()]
    assert not found


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "kept"
    made.mkdir()
    return made


@pytest.mark.parametrize("route", ["json", "batch", "raw"])
def test_where_they_stood(bin_dir, folder, route):
    with Dashboard(bin_dir, folder / "d.db", "--verbose") as dashboard:
        documents = [leaky()] if route == "batch" else leaky()
        job = dashboard.upload(f"/api/upload/{route}", documents)
        item, = job["items"]
        assert item["state"] == "stored" and sorted(item["secrets"]) == sorted(PLACES)
        answers = [dashboard.get(f"/api/{where}").body.decode() for where in
                   ("data/experiments/1", "data/experiments/1/raw", f"upload/status/{job['job_id']}", "upload/jobs",
                    "filters/values?field=launch.url")]
        answers.append(dashboard.post("/api/export/json", {}).body.decode())
        answers.append(json.dumps(dashboard.rows()))
        document = json.loads(answers[1])
        assert document["launch"]["env"]["HF_TOKEN"] == "***" and "OMP_NUM_THREADS" in document["launch"]["env"]
        assert document["tags"]["plain"] == "1"
        # what the upload came with goes when nothing waits
        wait_for(lambda: not [path for path in folder.iterdir() if MARK.encode() in path.read_bytes()], "no byte of it is left")
        code, out, err = dashboard.stop()
    assert code == 0 and MARK not in out + err + "".join(answers)
    assert_nowhere(folder)


def test_of_one_that_is_refused(bin_dir, folder):
    document = leaky()
    del document["results"]["completed"]
    document["status"] = "odd"
    with Dashboard(bin_dir, folder / "d.db", "--verbose") as dashboard:
        job = dashboard.upload("/api/upload/json", document)
        assert job["counts"]["rejected"] == 1 and MARK not in json.dumps(job)
        time.sleep(0.1)
        code, out, err = dashboard.stop()
    assert code == 0 and MARK not in out + err


def test_the_same_but_for_a_secret_is_the_same(bin_dir, folder):
    with Dashboard(bin_dir, folder / "d.db") as dashboard:
        dashboard.upload("/api/upload/json", leaky())
        other = leaky()
        other["launch"]["env"]["HF_TOKEN"] = MARK + "another"
        assert dashboard.upload("/api/upload/json", other)["counts"]["duplicate"] == 1


def test_import(bin_dir, folder, tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(leaky()))
    told = import_json(bin_dir, "--db", folder / "d.db", tmp_path / "r.json")
    assert MARK not in json.dumps(told) and told["results"][0]["state"] == "stored"
    assert_nowhere(folder)


def test_none(bin_dir, folder):
    with Dashboard(bin_dir, folder / "d.db") as dashboard:
        item, = dashboard.upload("/api/upload/json", next(results(1)))["items"]
        assert item["secrets"] == []
