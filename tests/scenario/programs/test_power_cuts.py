"""

Power cuts at any moment. Calls that change files are recorded (tests/doubles/recorded_calls.c), the possible disks
after a cut are rebuilt (disk_tools.py), and each disk is opened: earlier acknowledged data is present and complete, and
nothing is half written.

Plays a seeded sample of the disks by default; with PROFLLM_TEST_LONG=1 each call of each record, with each variant.


"""
import contextlib
import functools
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import time

import pytest
from dashboard_tools import GOOD, Dashboard, little
from disk_tools import Recorder, State, digest, write
from run_tools import base_config, environment, load_result, run_profllm, write_config
from sim_tools import Server
from sweep_tools import summary, sweep_args, sweep_config
from wait_tools import wait_for

FULL = bool(os.environ.get("PROFLLM_TEST_LONG"))
SEED = 34
# disks of each record that are opened in the sample
SAMPLE = 8

pytestmark = pytest.mark.release_only  # a sanitizer wants to be loaded first


def cuts(recorder, calls, acknowledged, since):
    """Yields each disk once: (calls before the cut, name, disk, data acknowledged until then)."""
    seen, rng = set(), random.Random(SEED)
    order = list(range(since, len(calls) + 1))
    if not FULL:
        rng.shuffle(order)
    for count in order:
        # the cut comes at the latest possible moment: as the next call begins
        until_ns = calls[count].begun_ns if count < len(calls) else time.monotonic_ns()
        before = [one for one in acknowledged if one[0] < until_ns]
        disks = list(State(recorder.root, calls[:count]).disks(f"{SEED} {count}"))
        for name, disk in disks if FULL else rng.sample(disks, 1):
            key = digest(disk), len(before)  # the same bytes are another case when more was acknowledged
            if key not in seen:
                seen.add(key)
                yield count, name, disk, before


def check_all(recorder, folder, acknowledged, check, since=0):
    """Calls check(folder, acknowledged data) for each disk, and reports which disks failed, after which call."""
    calls, done, faults = recorder.calls(), 0, []
    for count, name, disk, before in cuts(recorder, calls, acknowledged, since):
        if not FULL and done == SAMPLE:
            break
        place = write(disk, folder / f"{count}-{name}")
        try:
            check(place, before)
        except Exception as fault:  # whatever: a program that hangs, JSON that is none, a file that is missing
            last = f"after '{calls[count - 1]}'" if count else "before all calls"
            faults.append(f"disk '{name}', {count} of {len(calls)} calls, {last}: {sorted(disk)}\n    {type(fault).__name__}: {fault}")
        shutil.rmtree(place)
        done += 1
    print(f"{len(calls)} calls recorded, {done} disks opened")
    assert not faults, f"{len(faults)} of {done} disks:\n" + "\n".join(faults)


# ---- the dashboard -------------------------------------------------------------------------------


class Client:
    """Sends requests, and records what was acknowledged and when."""

    def __init__(self):
        self.acknowledged = []  # (when, what, of which result, expected)

    def note(self, what, run_id, expected=None):
        self.acknowledged.append((time.monotonic_ns(), what, run_id, expected))

    def send(self, dashboard, documents, job=""):
        answer = dashboard.post(f"/api/upload/batch{job}", documents)
        assert answer.status == 202, answer.body
        for one in documents:
            self.note("stored", one["run_id"], one)
        return answer.json["status_url"]

    def send_artifact(self, dashboard, run_id, data):
        answer = dashboard.ask("PUT", f"/api/upload/artifact/{run_id}/trace/rank0.json", data,
                               {"X-Content-SHA256": hashlib.sha256(data).hexdigest()})
        assert answer.status in (200, 201, 204), answer.body
        self.note("artifact", run_id, data)

    def say(self, dashboard, run_id, notes):
        answer = dashboard.ask("PATCH", f"/api/data/experiments/{run_id}", json.dumps({"notes": notes}).encode(),
                               {"Content-Type": "application/json"})
        assert answer.status == 200, answer.body
        self.note("notes", run_id, notes)

    def delete(self, dashboard, run_id):
        self.note("deleting", run_id)
        assert dashboard.ask("DELETE", f"/api/data/experiments/{run_id}").status == 204
        self.note("deleted", run_id)

    def restore(self, dashboard, run_id):
        self.note("restoring", run_id)
        assert dashboard.ask("POST", f"/api/data/experiments/{run_id}/restore").status in (200, 204)
        self.note("restored", run_id)


def played(bin_dir, tmp_path):
    """Plays two sessions of a dashboard, in a directory that the first one makes."""
    recorder, client = Recorder(bin_dir, tmp_path / "recorded"), Client()
    env = {**recorder.env, "XDG_DATA_HOME": str(recorder.root / "home")}
    good = {**GOOD, "run_id": "exp_20260101_000000_000001"}
    with Dashboard(bin_dir, None, env=env) as one:
        one.done(client.send(one, [good, little(1), little(2)]))
        client.send_artifact(one, good["run_id"], b'{"traceEvents": []}' * 900)
        client.say(one, "small-1", "the fan was off")
        client.delete(one, "small-2")
        client.restore(one, "small-2")
        client.delete(one, "small-1")
        job = one.post("/api/upload/jobs", {"name": "open"}).json["job_id"]
        client.send(one, [little(3), {**good, "run_id": "exp_20260101_000000_000002"}], f"?job_id={job}")
        client.send_artifact(one, "small-3", b"of a result that may not be there yet")
        assert one.stop()[0] == 0
    with Dashboard(bin_dir, None, env=env) as one:
        client.send(one, [little(4)], f"?job_id={job}")
        assert one.ask("POST", f"/api/upload/jobs/{job}/close").status == 200
        client.delete(one, "small-2")
        client.send(one, [{**good, "run_id": "exp_20260101_000000_000003"}])
        assert one.stop()[0] == 0
    return recorder, client


def check_dashboard(bin_dir, folder, acknowledged):
    stored, artifacts, notes, deleted = {}, {}, {}, {}
    for _, what, run_id, expected in acknowledged:
        if what == "stored":
            stored[run_id] = expected
        elif what == "artifact":
            artifacts[run_id] = expected
        elif what == "notes":
            notes[run_id] = expected
        else:
            deleted[run_id] = {"deleted": True, "restored": False}.get(what)  # None: perhaps
    gone = {run_id for run_id, is_gone in deleted.items() if is_gone}
    unsure = {run_id for run_id, is_gone in deleted.items() if is_gone is None}
    with Dashboard(bin_dir, None, env={"XDG_DATA_HOME": str(folder / "home")}) as one:
        wait_for(lambda: {row["run_id"] for row in one.rows()} - unsure >= set(stored) - gone - unsure, "what was acknowledged", 10)
        rows = {row["run_id"] for row in one.rows()}
        assert not rows & gone, f"deleted, and there: {rows & gone}"
        for run_id in set(stored) - gone - unsure:
            found = one.ask("GET", f"/api/data/experiments/{run_id}", check=False)
            assert found.status == 200 and found.json["document"] == stored[run_id]
            assert run_id not in notes or found.json["notes"] == notes[run_id]
        for run_id, data in artifacts.items():
            found = one.ask("GET", f"/api/data/experiments/{run_id}/artifacts/trace/rank0.json", check=False)
            assert found.status == 200 and found.body == data, f"artifact of {run_id}: {found.status}"
        # and it takes more
        answer = one.upload("/api/upload/json", little("after"))
        assert answer["counts"]["stored"] == 1, answer
        assert one.stop() == (0, "", "")
    db = folder / "home/profllm/profllm.db"
    with contextlib.closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    checked = run_dashboard(bin_dir, "check", "--db", db)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def run_dashboard(bin_dir, *args):
    return subprocess.run([bin_dir / "profllm-dashboard", *map(str, args)], env=environment(), text=True, capture_output=True,
                          timeout=60, stdin=subprocess.DEVNULL)


def test_dashboard(bin_dir, tmp_path):
    recorder, client = played(bin_dir, tmp_path)
    check_all(recorder, tmp_path / "disks", client.acknowledged, functools.partial(check_dashboard, bin_dir))


# ---- a run ---------------------------------------------------------------------------------------


class Runs:
    """Runs into one directory whose calls are recorded; a run is acknowledged when it ends with 0."""

    def __init__(self, bin_dir, tmp_path):
        self.bin_dir = bin_dir
        self.recorder = Recorder(bin_dir, tmp_path / "recorded")
        self.output = self.recorder.root / "r.json"
        self.config = write_config(tmp_path, base_config(num_prompts=6))
        self.acknowledged = []

    def run(self, *args, command="run"):
        done = run_profllm(self.bin_dir, command, "-c", self.config, "-o", self.output, *args, env=self.recorder.env)
        assert done.returncode == 0, done.stderr
        self.acknowledged.append((time.monotonic_ns(), load_result(self.output)["run_id"]))


def check_artifacts(path):
    """Checks that each artifact that a result names exists, with its bytes."""
    for artifact in load_result(path)["artifacts"]:
        data = (path.parent / artifact["name"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (artifact["size"], artifact["sha256"]), artifact["name"]


def check_run(bin_dir, run_ids, folder, acknowledged):
    """Checks that the result is complete, or that it is missing and the journal yields one or the reason why not."""
    output, journal = folder / "r.json", folder / "r.json.journal"
    if output.exists():
        assert load_result(output)["run_id"] in run_ids
    if journal.exists():
        done = run_profllm(bin_dir, "recover", output)
        if done.returncode:
            lines = done.stderr.splitlines()
            assert done.returncode == 2 and len(lines) == 1 and lines[0].startswith("profllm: error: "), done.stderr
        else:
            assert not journal.exists()
    if acknowledged:
        # that one, or one that came after it
        assert output.exists(), "an acknowledged result is lost"
        assert load_result(output)["run_id"] in run_ids[len(acknowledged) - 1:]
    for path in folder.glob("*.json"):
        check_artifacts(path)
        assert load_result(path)["status"] in ("completed", "interrupted"), path
    again = run_profllm(bin_dir, "run", "-c", folder.parent.parent / "experiment.yaml", "-o", output, "--overwrite")
    assert again.returncode == 0, again.stderr
    check_artifacts(output)


def test_run(bin_dir, tmp_path):
    runs = Runs(bin_dir, tmp_path)
    runs.run()
    run_ids = [one for _, one in runs.acknowledged]
    check_all(runs.recorder, tmp_path / "disks", runs.acknowledged, functools.partial(check_run, bin_dir, run_ids))


def test_run_in_place_of_another(bin_dir, tmp_path):
    runs = Runs(bin_dir, tmp_path)
    runs.run()
    begun = len(runs.recorder.calls())
    runs.run("--overwrite")
    run_ids = [one for _, one in runs.acknowledged]
    check_all(runs.recorder, tmp_path / "disks", runs.acknowledged, functools.partial(check_run, bin_dir, run_ids), since=begun)


# ---- a sweep run ---------------------------------------------------------------------------------


def check_sweep(bin_dir, config, rows, folder, acknowledged):
    """Checks that the same command, which resumes an existing sweep, ends with every run, and does not repeat acknowledged
    ones."""
    resumes = (folder / "sweep/sweep.jsonl").exists()
    again = run_profllm(bin_dir, *sweep_args(config, folder / "sweep", *(["--resume"] if resumes else [])))
    assert again.returncode == 0, again.stderr
    found = summary(folder / "sweep")
    assert len(found) == len(rows) and {row["status"] for row in found} == {"completed"}, found
    if acknowledged:
        assert [row["run_id"] for row in found] == [row["run_id"] for row in rows]
    for row in found:
        result = load_result(folder / "sweep" / row["result"])
        assert (result["run_id"], result["status"], result["results"]["completed"]) == (row["run_id"], "completed", 4)


def test_sweep(bin_dir, tmp_path):
    recorder = Recorder(bin_dir, tmp_path / "recorded")
    config = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [1, 2]}))
    done = run_profllm(bin_dir, *sweep_args(config, recorder.root / "sweep"), env=recorder.env)
    assert done.returncode == 0, done.stderr
    rows = summary(recorder.root / "sweep")
    check_all(recorder, tmp_path / "disks", [(time.monotonic_ns(), "sweep")], functools.partial(check_sweep, bin_dir, config, rows))


# ---- bench serve ---------------------------------------------------------------------------------


def check_flat(bin_dir, args, folder, acknowledged):
    """Checks that the result is complete or missing, and that the same command succeeds."""
    path = folder / "flat.json"
    assert path.exists() or not acknowledged, "an acknowledged result is lost"
    for _ in range(2):
        if path.exists():
            assert json.loads(path.read_text())["completed"] == 6
        again = run_profllm(bin_dir, *args, "--result-dir", folder)
        assert again.returncode == 0, again.stderr
    assert json.loads(path.read_text())["completed"] == 6


def test_bench_serve(bin_dir, tmp_path):
    recorder = Recorder(bin_dir, tmp_path / "recorded")
    with Server(bin_dir, "--sim-step", "2ms", model="sim/test") as server:
        args = ["bench", "serve", "--base-url", f"http://127.0.0.1:{server.port}", "--model", "sim/test", "--dataset-name", "random", "--random-input-len", "16",
                "--random-output-len", "8", "--num-prompts", "6", "--save-result", "--result-filename", "flat.json"]
        done = run_profllm(bin_dir, *args, "--result-dir", recorder.root, env=recorder.env)
        assert done.returncode == 0, done.stderr
        check_all(recorder, tmp_path / "disks", [(time.monotonic_ns(), "flat")], functools.partial(check_flat, bin_dir, args))
