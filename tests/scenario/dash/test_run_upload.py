"""`--upload URL` of the commands that produce a result: the dashboard has it when the command ends, with its artifacts; an
unsent result stays, and the command prints how to send it; the run's own exit status is never hidden."""
import pytest
from dashboard_tools import Dashboard
from run_tools import base_config, load_result, run_profllm, write_config

NOBODY = "http://127.0.0.1:1"
NOT_UPLOADED = 8


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("db") / "d.db") as one:
        yield one


def run(bin_dir, tmp_path, *words, **benchmark):
    config = write_config(tmp_path, base_config(num_prompts=4, **benchmark))
    return run_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json", "--quiet", *words)


def test_a_run_and_its_artifacts(bin_dir, dashboard, tmp_path):
    done = run(bin_dir, tmp_path, "--upload", dashboard.url)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith(f"uploaded '{tmp_path}/r.json' to {dashboard.url}\n")
    result = load_result(tmp_path / "r.json")
    there = dashboard.get(f"/api/data/experiments/{result['run_id']}").json
    assert there["document"] == result
    listed = dashboard.get(f"/api/data/experiments/{result['run_id']}/artifacts").json
    assert {one["sha256"] for one in listed["artifacts"]} == {one["sha256"] for one in result["artifacts"]} and not listed["missing"]


def test_the_status_of_the_run_is_not_hidden(bin_dir, tmp_path):
    config = base_config()
    config["launch"]["command"] = ["no-such-server", "serve"]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json", "--upload", NOBODY)
    assert done.returncode == 3 and "not uploaded" in done.stderr and load_result(tmp_path / "r.json")["status"] == "launch_failed"


@pytest.mark.parametrize("words", [["run", "-c", "e.yaml", "-o", "r.json"], ["bench", "serve", "--model", "m", "--output", "r.json"]])
@pytest.mark.parametrize("url", ["ftp://x", "nowhere", "http://u:S3CRET@x"])
def test_no_address(bin_dir, tmp_path, words, url):
    done = run_profllm(bin_dir, *words, "--upload", url, cwd=tmp_path)
    assert done.returncode == 2 and "--upload: " in done.stderr and "S3CRET" not in done.stderr and not (tmp_path / "r.json").exists()


def test_a_result_that_is_not_kept_is_not_sent(bin_dir, tmp_path):
    done = run_profllm(bin_dir, "bench", "serve", "--model", "m", "--upload", NOBODY, cwd=tmp_path)
    assert done.returncode == 2 and "--upload works only with --output; add --output FILE, which keeps the result" in done.stderr
