"""packaging/container with podman: an image of our packages on a bare Debian; PROFLLM_TEST_LONG=1, as root, where podman can start a container."""
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request

import pytest
from debian_tools import BareDebian, make_packages
from run_tools import PATIENCE
from wait_tools import wait_for

USER = 8421
BASE, IMAGE = "localhost/bare:1", "localhost/profllm-dashboard:1"
# a sandbox may forbid to raise limits, and crun knows no hybrid cgroups
SETTINGS = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=2048:2048"]\n[engine]\nruntime = "runc"\n'

pytestmark = [pytest.mark.release_only, pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="only with PROFLLM_TEST_LONG=1")]


class Podman:
    """With its own storage."""

    def __init__(self, folder):
        if not all(map(shutil.which, ("podman", "runc"))):
            pytest.skip("found no podman with runc")
        (folder / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/graph"\n')
        (folder / "containers.conf").write_text(SETTINGS)
        self.env = {**os.environ, "CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf", "CONTAINERS_CONF": f"{folder}/containers.conf"}

    def run(self, *args, source=None, cwd=None):
        """Returns its output and errors."""
        done = subprocess.run(["podman", *args], env=self.env, stdin=source, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=600 * PATIENCE)
        assert done.returncode == 0, done.stdout
        return done.stdout


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def test_the_dashboard(source_dir, bin_dir, tmp_path):
    """As in compose.yaml: not root, a read-only root, no capabilities; it answers, needs tokens, and ends at SIGTERM."""
    podman = Podman(tmp_path)
    context = tmp_path / "context"
    (context / "dist").mkdir(parents=True)
    make_packages(source_dir, bin_dir, context / "dist")
    bare = BareDebian(tmp_path)
    with subprocess.Popen(["tar", "-C", bare.root, "-cf", "-", "."], stdout=subprocess.PIPE) as archive:
        podman.run("import", "-", BASE, source=archive.stdout)
    podman.run("build", "--isolation", "chroot", "--network", "host", "--build-arg", f"BASE={BASE}", "--tag", IMAGE,
               "--file", source_dir / "packaging/container/Containerfile.dashboard", context)
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, USER, USER)
    tmp_path.chmod(0o755)
    volume = ["--volume", f"{data}:/var/lib/profllm-dashboard"]
    tokens = "/var/lib/profllm-dashboard/tokens"
    assert podman.run("run", "--rm", "--network", "none", *volume, IMAGE, "token", "add", "--token-file", tokens, "--role", "admin", "me").startswith("profllm_")
    assert (data / "tokens").stat().st_uid == USER
    name = podman.run("run", "--detach", "--network", "host", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges",
                      *volume, IMAGE, "serve", "--db", "/var/lib/profllm-dashboard/profllm.db", "--port", "0", "--token-file", tokens).strip()
    try:
        log = wait_for(lambda: re.search(r"listening on (http://127\.0\.0\.1:\d+)", podman.run("logs", name)), "the dashboard listens")
        url = log[1]
        assert [status_of(f"{url}/api/{path}") for path in ("health", "health/ready", "runs")] == [200, 200, 401]
        podman.run("stop", "--time", "30", name)
        assert podman.run("inspect", "--format", "{{.State.ExitCode}}", name).strip() == "0"
    finally:
        podman.run("rm", "--force", name)
