"""Filters over HTTP match a plain evaluation of the uploaded documents."""
import json
import os
import random
import subprocess

from dashboard_tools import Dashboard
from query_tools import Rows, made_results, matching, random_tree
from run_tools import PATIENCE, environment

SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))
RESULTS, TREES, SEED = (60, 40, 16) if SANITIZED else (500, 200, 16)


def test_random_trees_over_http(bin_dir, tmp_path):
    rng = random.Random(SEED)
    documents = made_results(rng, RESULTS)
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        body = "\n".join(json.dumps(document) for document in documents).encode()
        job = dashboard.job(dashboard.post("/api/upload/batch", body, "application/x-ndjson"))
        assert job["counts"]["stored"] == RESULTS, job["counts"]
        places = {item["id"]: item["index"] for item in job["items"]}
        rows, some = Rows(documents), 0
        for _ in range(TREES):
            tree = random_tree(rng, documents)
            found = dashboard.post("/api/filters/apply", {"filter": tree, "limit": 50, "columns": []}).json
            wanted = set(matching(rows, tree))
            assert found["count"] == len(wanted) and found["total"] == RESULTS, tree
            assert {places[row["id"]] for row in found["rows"]} <= wanted and len(found["rows"]) == min(50, len(wanted)), tree
            some += 0 < len(wanted) < RESULTS
        assert some > TREES // 4


def test_a_database_has_one_server_by_whatever_name(bin_dir, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/link.db").symlink_to(tmp_path / "d.db")
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        for name in ("d.db", "folder/../d.db", "folder/link.db"):
            done = subprocess.run([bin_dir / "profllm-dashboard", "--db", tmp_path / name, "--port", "0"], text=True,
                                  env=environment(), capture_output=True, timeout=60 * PATIENCE)
            assert done.returncode == 5 and not done.stdout
            assert f" process {dashboard.process.pid}" in done.stderr
