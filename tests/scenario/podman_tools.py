"""podman with storage and networks of its own, and images that are made here: no registry is asked."""
import os
import shutil
import subprocess
import urllib.error
import urllib.request

import pytest
from debian_tools import BareDebian, make_packages
from run_tools import PATIENCE

BASE = "docker.io/library/debian:bookworm-slim"
# A sandbox may forbid to raise limits, and crun knows no hybrid cgroups. systemd is not in a container.
SETTINGS = """[containers]
default_ulimits = ["nofile=1024:1024", "nproc=2048:2048"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_config_dir = "{folder}/networks"
"""


class Podman:
    def __init__(self, folder, driver="vfs"):
        if not all(map(shutil.which, ("podman", "runc"))):
            pytest.skip("found no podman with runc")
        self.folder = folder
        (folder / "storage.conf").write_text(f'[storage]\ndriver = "{driver}"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/graph"\n')
        (folder / "containers.conf").write_text(SETTINGS.format(folder=folder))
        self.env = {**os.environ, "CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf", "CONTAINERS_CONF": f"{folder}/containers.conf"}

    def call(self, *args, program="podman", source=None, cwd=None, env=None):
        """Returns the finished process; its output and errors are apart."""
        return subprocess.run([program, *map(str, args)], env={**self.env, **(env or {})}, stdin=source, cwd=cwd, capture_output=True, text=True,
                              check=False, timeout=600 * PATIENCE)

    def run(self, *args, **options):
        """Returns its output and errors."""
        done = self.call(*args, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def import_base(self, root):
        """Makes the image of a bare Debian."""
        with subprocess.Popen(["tar", "-C", root, "-cf", "-", "."], stdout=subprocess.PIPE) as archive:
            self.run("import", "-", BASE, source=archive.stdout)

    def build(self, tag, file, context):
        self.run("build", "--isolation", "chroot", "--network", "host", "--tag", tag, "--file", file, context)

    def remove_all(self):
        """Removes what a killed test would leave: containers, volumes and networks."""
        for words in (("rm", "--all", "--force", "--time", "0"), ("volume", "rm", "--all", "--force"), ("network", "prune", "--force")):
            self.call(*words)


def dashboard_image(podman, source_dir, bin_dir, folder, tag):
    """Builds the image of Containerfile.dashboard on a bare Debian from the packages of a build."""
    context = folder / "context"
    (context / "dist").mkdir(parents=True)
    make_packages(source_dir, bin_dir, context / "dist")
    podman.import_base(BareDebian(folder).root)
    podman.build(tag, source_dir / "packaging/container/Containerfile.dashboard", context)


def status_of(url):
    """Returns the status of a response, or None without one."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None
