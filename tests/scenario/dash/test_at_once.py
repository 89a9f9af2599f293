"""Uploads, requests of all kinds, changes, deletions and a reindex by another process, all at once: each gets its
response, and no threads race (ThreadSanitizer runs this, too)."""
import concurrent.futures
import json
import os
import random
import threading

import pytest
from dashboard_tools import Dashboard, little, results
from import_tools import run_dashboard

ROUNDS, COUNT = (2, 3) if os.environ.get("PROFLLM_SANITIZED") else (6, 5)
APPLY = "/api/filters/apply"
QUESTIONS = [("POST", APPLY, {"filter": {"field": "results.mean_ttft_ms", "op": "gt", "value": 1}, "facets": True, "sort": [{"field": "run.run_id", "dir": "asc"}]}),
             ("POST", APPLY, {"filter": {"field": "tags.team", "op": "contains", "value": "r"}, "metrics": ["results.p99_ttft_ms"]}),
             ("GET", "/api/filters/options", None), ("GET", "/api/data/experiments/1", None), ("GET", "/api/health", None),
             ("POST", "/api/export/csv", {"columns": ["run.run_id", "tags.team"]})]


@pytest.mark.threads
def test_everything_at_once(bin_dir, tmp_path):
    db, over = tmp_path / "d.db", threading.Event()

    def ask(dashboard, connection, method, path, value, *statuses):
        body = None if value is None else json.dumps(value).encode()
        answer = dashboard.ask(method, path, body, {"Content-Type": "application/json"} if body else {}, connection, check=False)
        assert answer.status in statuses, (method, path, answer.status, answer.body[:300])

    def upload(dashboard, first):
        for i in range(ROUNDS):
            some = [little(f"{first}-{i}-{j}", tags={"team": "red"}) for j in range(COUNT)]
            assert dashboard.upload("/api/upload/batch", some)["counts"]["stored"] == COUNT

    def question(dashboard, seed):
        connection, rng = dashboard.connect(), random.Random(seed)
        while not over.is_set():
            ask(dashboard, connection, *rng.choice(QUESTIONS), 200)

    def change(dashboard):
        connection = dashboard.connect()
        for i in range(ROUNDS * COUNT):
            # only the first results, all of which exist
            ask(dashboard, connection, "PATCH", f"/api/data/experiments/{i % 4 + 1}", {"tags": {"team": f"green {i}"}, "notes": str(i)}, 200)
            ask(dashboard, connection, "DELETE", f"/api/data/experiments/{i % 4 + 5}", None, 204)
            ask(dashboard, connection, "POST", f"/api/data/experiments/{i % 4 + 5}/restore", None, 200, 204)

    def reindex():
        for _ in range(ROUNDS // 2):
            done = run_dashboard(bin_dir, "reindex", "--db", db)
            assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr

    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/batch", list(results(8)))["counts"]["stored"] == 8
        with concurrent.futures.ThreadPoolExecutor(6) as threads:
            ends = [threads.submit(upload, one, "a"), threads.submit(upload, one, "b"), threads.submit(change, one), threads.submit(reindex)]
            asks = [threads.submit(question, one, seed) for seed in range(2)]
            try:
                for end in ends:
                    end.result()
            finally:
                over.set()
            for asking in asks:
                asking.result()
        assert one.post(APPLY, {"limit": 0}).json["count"] == 8 + 2 * ROUNDS * COUNT
        assert one.stop() == (0, "", "")
    assert run_dashboard(bin_dir, "check", "--db", db).returncode == 0
