"""packaging/container with podman: an image of our packages on a bare Debian; PROFLLM_TEST_LONG=1, as root, where podman can start a container."""
import os
import re
import shutil

import pytest
from podman_tools import Podman, dashboard_image, status_of
from wait_tools import wait_for

USER = 8421
IMAGE = "localhost/profllm-dashboard:1"

pytestmark = [pytest.mark.release_only, pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="only with PROFLLM_TEST_LONG=1")]


def test_the_dashboard(source_dir, bin_dir, tmp_path):
    """As in compose.yaml: not root, a read-only root, no capabilities; it answers, needs tokens, and ends at SIGTERM."""
    podman = Podman(tmp_path)
    dashboard_image(podman, source_dir, bin_dir, tmp_path, IMAGE)
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, USER, USER)
    tmp_path.chmod(0o755)
    volume = ["--volume", f"{data}:/var/lib/profllm-dashboard"]
    tokens = "/var/lib/profllm-dashboard/tokens"
    assert podman.run("run", "--rm", "--network", "none", *volume, IMAGE, "token", "add", "--token-file", tokens, "--role", "admin", "me").startswith("profllm_")
    assert (data / "tokens").stat().st_uid == USER
    # a Secret of Kubernetes in a volume: root's, for the group of the pod
    secret = tmp_path / "secret"
    secret.mkdir()
    shutil.copy(data / "tokens", secret)
    os.chown(secret / "tokens", 0, USER)
    (secret / "tokens").chmod(0o440)
    name = podman.call("run", "--detach", "--network", "host", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges",
                       *volume, "--volume", f"{secret}:/tokens:ro", IMAGE, "serve", "--db", "/var/lib/profllm-dashboard/profllm.db", "--port", "0",
                       "--token-file", "/tokens/tokens").stdout.strip()
    try:
        log = wait_for(lambda: re.search(r"listening on (http://127\.0\.0\.1:\d+)", podman.run("logs", name)), "the dashboard listens")
        url = log[1]
        assert [status_of(f"{url}/api/{path}") for path in ("health", "health/ready", "runs")] == [200, 200, 401]
        podman.run("stop", "--time", "30", name)
        assert podman.call("inspect", "--format", "{{.State.ExitCode}}", name).stdout.strip() == "0"
    finally:
        podman.run("rm", "--force", name)
