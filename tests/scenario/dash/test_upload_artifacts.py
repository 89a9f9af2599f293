"""`profllm upload` of artifacts: it sends only those that the dashboard lacks, and reports the outcome of each."""
import collections
import gzip
import hashlib
import json
import random
import subprocess

import pytest
from artifact_tools import write_result
from dashboard_tools import Dashboard
from run_tools import run_profllm


@pytest.fixture
def dashboard(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        yield one


def upload(bin_dir, dashboard, *words, status=0):
    done = run_profllm(bin_dir, "upload", *words, "--to", dashboard.url, "--json")
    assert done.returncode == status, done.stderr + done.stdout
    return json.loads(done.stdout)["files"]


def states(file):
    return dict(collections.Counter(one["state"] for one in file["artifacts"]))


def there(dashboard, run_id):
    """Returns the bytes by kind."""
    listed = dashboard.get(f"/api/data/experiments/{run_id}/artifacts").json
    return {one["kind"]: dashboard.get(f"/api/data/experiments/{run_id}/artifacts/{one['kind']}/{one['name']}").body
            for one in listed["artifacts"]}


def test_all_of_a_result(bin_dir, dashboard, tmp_path):
    path, files = write_result(tmp_path, rng=random.Random(1))
    file, = upload(bin_dir, dashboard, path)
    assert states(file) == {"stored": 4} and {one["kind"]: one["bytes"] for one in file["artifacts"]} == {k: len(d) for k, d in files.items()}
    assert there(dashboard, file["items"][0]["run_id"]) == files
    # again: nothing is sent
    file, = upload(bin_dir, dashboard, path)
    assert file["items"][0]["state"] == "duplicate" and states(file) == {"duplicate": 4}


@pytest.mark.parametrize("pack, suffix", [(gzip.compress, ".gz"), (lambda data: subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE,
                                                                                              check=True).stdout, ".zst")])
def test_of_a_result_that_is_packed(bin_dir, dashboard, tmp_path, pack, suffix):
    """In a directory, a result is found by its name and sent with its artifacts; other files are reported."""
    folder = tmp_path / "in"
    folder.mkdir()
    path, files = write_result(folder)
    path.with_name(path.name + suffix).write_bytes(pack(path.read_bytes()))
    path.unlink()
    (folder / "notes.txt").write_text("none")
    file, = upload(bin_dir, dashboard, folder)
    assert file["items"][0]["state"] == "stored" and states(file) == {"stored": len(files)}
    done = run_profllm(bin_dir, "upload", folder, "--to", dashboard.url)
    assert "\n1 file in directories ignored, because " in done.stdout and done.returncode == 0


def test_only_missing_artifacts(bin_dir, dashboard, tmp_path):
    path, files = write_result(tmp_path)
    log = tmp_path / "r0.server.log"
    kept = log.read_bytes()
    log.unlink()
    (tmp_path / "r0.rank0.pt.trace.json.gz").write_text("another")
    file, = upload(bin_dir, dashboard, path)
    assert states(file) == {"stored": 2, "missing": 1, "changed": 1}
    absent = dashboard.get(f"/api/data/experiments/{file['items'][0]['id']}/artifacts").json["missing"]
    assert {one["kind"] for one in absent} == {"server_log", "trace"}
    log.write_bytes(kept)
    file, = upload(bin_dir, dashboard, path)
    assert states(file) == {"duplicate": 2, "stored": 1, "changed": 1}
    # what the server has lost lacks, too
    digest = hashlib.sha256(kept).hexdigest()
    (tmp_path / "d.db.files" / digest[:2] / digest).unlink()
    file, = upload(bin_dir, dashboard, path)
    assert states(file) == {"duplicate": 2, "stored": 1, "changed": 1} and there(dashboard, file["items"][0]["run_id"])["server_log"] == kept


def test_folders_and_many_in_one_file(bin_dir, dashboard, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    pairs = [write_result(tmp_path / "a", i) for i in range(3)] + [write_result(tmp_path / "b", i + 3, stem="same") for i in range(1)]
    lines = [json.loads(write_result(tmp_path / "b", 10 + i)[0].read_text()) for i in range(2)]
    for i in range(2):
        (tmp_path / "b" / f"r{10 + i}.json").unlink()
    (tmp_path / "b" / "many.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    files = upload(bin_dir, dashboard, tmp_path / "a", tmp_path / "b")
    assert sorted(len(file["artifacts"]) for file in files) == [4, 4, 4, 4, 8]
    assert all(set(states(file)) == {"stored"} for file in files)
    for path, kept in pairs:
        assert there(dashboard, json.loads(path.read_text())["run_id"]) == kept


def test_results_alone(bin_dir, dashboard, tmp_path):
    path, _ = write_result(tmp_path)
    file, = upload(bin_dir, dashboard, path, "--without-artifacts")
    assert file["artifacts"] == [] and there(dashboard, file["items"][0]["run_id"]) == {}


def test_not_of_a_missing_result(bin_dir, dashboard, tmp_path):
    """The artifacts of a conflict belong to another result."""
    path, _ = write_result(tmp_path)
    upload(bin_dir, dashboard, path, "--without-artifacts")
    document = json.loads(path.read_text())
    document["results"]["p99_ttft_ms"] += 1
    path.write_text(json.dumps(document))
    file, = upload(bin_dir, dashboard, path, status=2)
    assert file["items"][0]["state"] == "conflict" and file["artifacts"] == []
    assert there(dashboard, document["run_id"]) == {}


def test_the_text_output_for_users(bin_dir, dashboard, tmp_path):
    path, _ = write_result(tmp_path)
    (tmp_path / "r0.server.log").unlink()
    done = run_profllm(bin_dir, "upload", path, "--to", dashboard.url)
    assert done.returncode == 0
    assert "missing    r0.server.log  (server_log): the file is not in the directory of the result" in done.stdout
    assert "artifacts: 3 stored, 0 duplicate, 1 missing, 0 changed, 0 failed" in done.stdout


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "..", "fifo"])
def test_names_that_lead_elsewhere(bin_dir, dashboard, tmp_path, name):
    """The artifacts that a result names are read from its directory if they are plain files."""
    import os
    (tmp_path / "x").mkdir()
    (tmp_path / "secret").write_text("s")
    os.mkfifo(tmp_path / "x" / "fifo")
    path = tmp_path / "x" / "r.json"
    # of another version what it has is taken, whatever the schema says of names
    path.write_text(json.dumps({"schema_version": 99, "run_id": "elsewhere", "artifacts": [
        {"kind": "trace", "name": name, "size": 1, "sha256": "0" * 64}]}))
    file, = upload(bin_dir, dashboard, path)
    assert states(file) in ({}, {"missing": 1}) and there(dashboard, "elsewhere") == {}


def test_a_dashboard_that_refuses(bin_dir, dashboard, tmp_path):
    """A kind that the dashboard does not know is reported as a failure."""
    path, _ = write_result(tmp_path)
    document = {"schema_version": 99, "run_id": "odd", "artifacts": [
        {**json.loads(path.read_text())["artifacts"][0], "kind": "odd"}]}
    path.write_text(json.dumps(document))
    file, = upload(bin_dir, dashboard, path, status=2)
    assert states(file) == {"failed": 1} and "422" in file["artifacts"][0]["message"]
