"""The pages of docs/deploy, SECURITY.md and the workflows."""
import os
import re
import shutil
import socket
import ssl
import subprocess
import urllib.request

import pytest
import yaml
from run_tools import PATIENCE, base_config, environment, write_config
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))


def test_workflows_run_the_tests(source_dir):
    text = (source_dir / ".github/workflows/test.yml").read_text()
    workflow = yaml.safe_load(text)
    steps = workflow["jobs"]["test"]["steps"]
    assert any(step.get("run") == "./dev test" for step in steps)
    assert workflow["permissions"] == {"contents": "read"} and "pull_request" in text
    assert re.search(r"^test:", (source_dir / "Makefile").read_text(), re.M)


def test_links_of_pages_at_the_root(source_dir):
    for page in ("SECURITY.md", "llms.txt"):
        links = re.findall(r"\]\(([^)#]+)", (source_dir / page).read_text())
        assert len(links) > 5
        assert [link for link in links if not link.startswith("http") and not (source_dir / link).exists()] == []


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as own:
        return own.getsockname()[1]


@pytest.mark.skipif(not LONG, reason="types a page for seconds: PROFLLM_TEST_LONG")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")
def test_one_server(source_dir, bin_dir, tmp_path):
    """Types the commands of docs/deploy/one-server.md, with a port that is free."""
    page = (source_dir / "docs/deploy/one-server.md").read_text().replace("8443", str(unused_port()))
    blocks = [re.sub("^   ", "", block, flags=re.M) for block in re.findall(r"```sh\n(.*?)```", page, re.S)]
    env = environment({"PATH": f"{bin_dir}:{os.environ['PATH']}"})

    def type_in(text):
        done = subprocess.run(["sh", "-euc", text], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60 * PATIENCE)
        assert done.returncode == 0, (text, done.stderr)

    write_config(tmp_path, base_config(num_prompts=4))
    (tmp_path / "results").mkdir()
    type_in("profllm run -q --sim -c experiment.yaml -o results/r.json")
    served = next(i for i, block in enumerate(blocks) if " serve " in block)
    for block in blocks[:served]:
        type_in(block)
    server = subprocess.Popen(["sh", "-c", f"exec {blocks[served].strip()}"], cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = re.search(r"https://localhost:\d+", page)[0]
        context = ssl.create_default_context(cafile=tmp_path / "lab/cert.pem")

        def is_up():
            try:
                return urllib.request.urlopen(f"{address}/api/health", context=context, timeout=5).status == 200
            except OSError:
                return False

        wait_for(is_up, "an answer of the dashboard", 30 * PATIENCE, server)
        for block in blocks[served + 1:]:
            type_in(block)
        assert (tmp_path / "lab/restored.db").exists()
    finally:
        server.terminate()
        server.wait(timeout=60 * PATIENCE)
