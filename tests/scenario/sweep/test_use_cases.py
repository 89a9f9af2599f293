"""The examples of docs/use-cases: their files, the stored results, and with PROFLLM_TEST_LONG=1 the measurement of all nine."""
import json
import os
import subprocess

import pytest
from import_tools import import_json
from run_tools import environment, run_profllm
from test_sweep_prune import dry_run
from vllm_sweep_tools import free_port

CASES = ["capacity", "configuration", "memory", "models", "precision", "regression", "scaling", "utilization", "validation"]
SECONDS_MAX = 300


def folder(source_dir):
    return source_dir / "configs/examples/use-cases"


def test_each_use_case_has_files_that_can_run(bin_dir, source_dir):
    assert sorted(path.name for path in folder(source_dir).iterdir() if path.is_dir()) == CASES
    for file in sorted(folder(source_dir).glob("*/*.yaml")):
        if file.stem in ("nightly", "refused"):
            done = run_profllm(bin_dir, "validate", file)
            assert done.returncode == (2 if file.stem == "refused" else 0), (file, done.stdout, done.stderr)
            continue
        done = dry_run(bin_dir, file, "--hardware", "h100x8", "--json")
        assert done.returncode == 0, (file, done.stderr)
        report = json.loads(done.stdout)
        assert report["runs"] == len(report["combinations"]) >= 2 and not report["skipped"], file


def test_the_refused_candidate_breaks_the_rule_that_its_page_shows(bin_dir, source_dir):
    done = run_profllm(bin_dir, "validate", folder(source_dir) / "validation/refused.yaml")
    assert "without chunked prefill, max_num_batched_tokens must be at least max_model_len" in done.stdout + done.stderr


def test_the_kept_results_cover_all_use_cases(bin_dir, source_dir, tmp_path):
    packed = folder(source_dir) / "results.jsonl.zst"
    assert packed.stat().st_size < 150_000
    lines = subprocess.run(["zstd", "-dc", packed], capture_output=True, check=True, text=True).stdout.splitlines()
    documents = [json.loads(line) for line in lines]
    assert {one["suite"] for one in documents} == {f"use-case-{case}" for case in CASES}
    assert {one["quality"]["verdict"] for one in documents} == {"trusted"}
    assert all(one["environment"]["engine"]["simulated"] and one["environment"]["hostname"] == "sim-host" for one in documents)
    report = import_json(bin_dir, packed, "--db", tmp_path / "use-cases.db")
    assert (report["counts"]["stored"], report["counts"]["rejected"]) == (len(documents), 0)


@pytest.mark.skipif(not os.environ.get("PROFLLM_TEST_LONG"), reason="five minutes: PROFLLM_TEST_LONG=1")
def test_all_use_cases_are_measured_in_time(bin_dir, source_dir, tmp_path):
    done = subprocess.run([source_dir / "tools/use-cases", bin_dir, tmp_path / "out"], cwd=source_dir, capture_output=True, text=True,
                          env={**environment(), "USE_CASES_PORT": str(free_port())}, timeout=4 * SECONDS_MAX)
    assert done.returncode == 0, done.stdout + done.stderr
    results = [json.loads(path.read_text()) for path in [*tmp_path.glob("out/*/cells/*.json"), *tmp_path.glob("out/regression/*.json")]]
    assert len(results) == 180 and {one["status"] for one in results} == {"completed"}
    # what the runs themselves last; a busy host starts the programs more slowly
    assert sum(one["duration"] for one in results) <= SECONDS_MAX
