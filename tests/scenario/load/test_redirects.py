"""A server that redirects requests is recognized: nothing is measured through it."""
import subprocess

import pytest
from flaky_server import FlakyServer
from run_tools import environment, load_result


def serve(bin_dir, folder, url, *words):
    done = subprocess.run(
        [bin_dir / "profllm", "bench", "serve", "--base-url", url, "--random-input", "8", "--random-output", "2",
         "--vocab-size", "1000", "--num-prompts", "3", "--output", "r.json", *map(str, words)],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False, env=environment())
    return done, load_result(folder / "r.json")


@pytest.mark.parametrize("location, advice", [
    ("https://llm.example/v1/models", "to 'https://llm.example'"),
    ("https://llm.example/gate/v1/models/", "to 'https://llm.example/gate'"),
    ("/gate/v1/models", "to '{url}/gate'"),
    ("https://login.example/", "to the address that responds without a redirect"),
])
@pytest.mark.parametrize("words", [[], ["--model", "m"]])
def test_the_list_of_models_is_elsewhere(bin_dir, tmp_path, location, advice, words):
    with FlakyServer() as server:
        server.redirects["/v1/models"] = location
        url = f"http://127.0.0.1:{server.port}"
        done, result = serve(bin_dir, tmp_path, url, *words)
    assert done.returncode == 3 and result["status"] == "launch_failed"
    assert result["error"]["cause"] == "unreachable"
    message = result["error"]["message"]
    assert f"redirects '/v1/models' to '{location}'" in message and f"set --base-url {advice.format(url=url)}" in message
    assert not server.tries and f"set --base-url {advice.format(url=url)}" in " ".join(done.stdout.split())


def test_the_ready_check_is_sent_on(bin_dir, tmp_path):
    """The run ends at once: waiting for ready_check_timeout would not help."""
    with FlakyServer() as server:
        server.redirects["/v1/completions"] = "https://llm.example/v1/completions"
        done, result = serve(bin_dir, tmp_path, f"http://127.0.0.1:{server.port}", "--ready-check-timeout-sec", 900)
    assert done.returncode == 3 and result["status"] == "launch_failed"
    message = result["error"]["message"]
    assert "'https://llm.example/v1/completions'" in message and "--base-url" in message
    assert "does not follow redirects" in message and not server.tries and "--base-url" in done.stdout + done.stderr


def test_without_a_ready_check_the_requests_say_so(bin_dir, tmp_path):
    with FlakyServer() as server:
        server.redirects["/v1/completions"] = "https://llm.example/v1/completions"
        done, result = serve(bin_dir, tmp_path, f"http://127.0.0.1:{server.port}", "--retries", 3)
    assert done.returncode == 1 and result["error"]["cause"] == "all_failed"
    (error,) = result["results"]["errors"]
    assert (error["kind"], error["status"], error["count"], error["retried"]) == ("http_status", 307, 3, 0)
    assert "'https://llm.example/v1/completions'" in error["sample"]


def test_health_may_be_elsewhere(bin_dir, tmp_path):
    """Monitors use that path, requests of a run do not."""
    with FlakyServer() as server:
        server.redirects["/health"] = "/status"
        done, result = serve(bin_dir, tmp_path, f"http://127.0.0.1:{server.port}")
    assert done.returncode == 0 and result["results"]["completed"] == 3
