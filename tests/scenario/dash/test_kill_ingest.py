"""kill -9 at random moments while 1,000 results and their artifacts are uploaded in parts, with a restart after each:
every accepted result is stored once and complete, the upload finishes, and nothing else remains."""
import collections
import hashlib
import http.client
import json
import os
import random
import signal
import subprocess

import pytest
from dashboard_tools import GOOD, Dashboard, little
from run_tools import PATIENCE

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
COUNT = 1000 if PATIENCE == 1 else 100
PART = 25
# fewer under a sanitizer, which repeats what the release shows
KILLS = 1000 if LONG else 20 if PATIENCE == 1 else 3
BESIDE = 1 if LONG else 5  # of so many results one has a file


def document(number):
    """Most documents are small, because the test is about moments."""
    run_id = f"exp_20260404_000000_{number:06x}"
    return {**GOOD, "run_id": run_id, "name": f"kill {number}"} if number % PART == 7 else {**little(number), "run_id": run_id}


def trace(number):
    return json.dumps({"traceEvents": [{"name": f"of {number}"}] * 50}).encode()


class Sender:
    """A client with 1,000 results: it sends parts, each followed by the artifacts of its results; it starts over when it
    is not sure."""

    def __init__(self, documents):
        self.documents = documents
        self.job = None
        self.accepted = 0  # documents of which a 202 came
        self.beside = 0    # of files
        self.is_closed = False

    def step(self, dashboard, connection):
        if self.job is None:
            answer = dashboard.ask("POST", "/api/upload/jobs", b'{"name": "kill"}', {"Content-Type": "application/json"}, connection, check=False)
            self.job = answer.json["job_id"]
        elif self.beside * BESIDE < self.accepted:
            number, data = self.beside * BESIDE, trace(self.beside)
            answer = dashboard.ask("PUT", f"/api/upload/artifact/{self.documents[number]['run_id']}/trace/rank0.json", data,
                                   {"X-Content-SHA256": hashlib.sha256(data).hexdigest()}, connection, check=False)
            assert answer.status in (200, 201, 204), answer.body
            self.beside += 1
        elif self.accepted < len(self.documents):
            some = self.documents[self.accepted:self.accepted + PART]
            headers = {"Content-Type": "application/json", "Idempotency-Key": f"from-{self.accepted}"}
            answer = dashboard.ask("POST", f"/api/upload/batch?job_id={self.job}", json.dumps(some).encode(), headers, connection, check=False)
            assert answer.status == 202, answer.body
            self.accepted += len(some)
        elif not self.is_closed:
            assert dashboard.ask("POST", f"/api/upload/jobs/{self.job}/close", None, {}, connection, check=False).status == 200
            self.is_closed = True
        return self.is_closed

    def run(self, dashboard):
        """Runs until all is done (True), or the server does not respond."""
        connection = dashboard.connect()
        try:
            while not self.step(dashboard, connection):
                pass
            return True
        except (OSError, http.client.HTTPException, ValueError):
            return False


def check(dashboard, sender, folder):
    job = dashboard.done(f"/api/upload/status/{sender.job}")
    # a part whose 202 was lost came twice, and was taken once
    assert job["counts"]["stored"] == COUNT == sum(job["counts"].values()) == job["total"], job["counts"]
    there = collections.Counter(row["run_id"] for row in dashboard.rows(columns=["run.run_id"]))
    assert there == dict.fromkeys((one["run_id"] for one in sender.documents), 1)
    for number in random.Random(1).sample(range(COUNT), 20):
        one = sender.documents[number]
        assert dashboard.ask("GET", f"/api/data/experiments/{one['run_id']}", check=False).json["document"] == one
    assert sender.beside == COUNT // BESIDE
    wanted = {hashlib.sha256(trace(i)).hexdigest() for i in range(sender.beside)}
    for i in range(sender.beside):
        run_id = sender.documents[i * BESIDE]["run_id"]
        (artifact,) = dashboard.get(f"/api/data/experiments/{run_id}/artifacts").json["artifacts"]
        assert artifact["sha256"] == hashlib.sha256(trace(i)).hexdigest()
        assert dashboard.ask("GET", f"/api/data/experiments/{run_id}/artifacts/trace/rank0.json", check=False).body == trace(i)
    left = {path.name for path in folder.rglob("*") if path.is_file() and path.name not in ("lock", "hold")}
    assert left == wanted


def kill_later(dashboard, seconds):
    return subprocess.Popen(["sh", "-c", f"sleep {seconds:.4f}; kill -9 {dashboard.process.pid}"])


@pytest.mark.threads
def test_kills_at_random_moments(bin_dir, database, tmp_path):
    """Plays rounds of one upload each, until the given number of kills; some kills happen while the server processes
    received parts."""
    chance = random.Random(18)
    kills = rounds = 0
    while kills < KILLS:
        rounds += 1
        db, folder = database.new(tmp_path, f"{rounds}.db"), tmp_path / f"{rounds}.files"
        sender = Sender([document(number) for number in range(COUNT)])
        for _ in range(20):
            if kills == KILLS:
                break
            with Dashboard(bin_dir, db, "--data", folder) as one:
                killer = kill_later(one, chance.uniform(0, 0.15) * PATIENCE)
                kills += 1
                sender.run(one)
                killer.wait()
                assert one.process.wait() == -signal.SIGKILL
        with Dashboard(bin_dir, db, "--data", folder) as last:
            assert sender.run(last)
            check(last, sender, folder)
            assert last.stop() == (0, "", "")
