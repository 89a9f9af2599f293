"""A runtime of containers for the tests: tests/doubles/container/runtime.py as docker and podman in PATH."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from run_tools import base_config
from wait_tools import wait_for

SOURCE = Path(__file__).resolve().parents[2]
RUNTIME = SOURCE / "tests/doubles/container/runtime.py"
DIGEST = "sha256:" + "d" * 64
IMAGE_ID = "sha256:" + "1" * 64
IMAGE = "vllm/vllm-openai:v0.32.0"


def container_config(container=None, steps="2ms", launch=None, **benchmark):
    config = base_config(**benchmark)
    config["launch"] = {"container": {"image": IMAGE, **(container or {})}, "extra_args": ["--sim-step", steps], "gpus": [], **(launch or {})}
    return config


class Runtime:
    """Its daemon, its folder, and the environment in which profllm finds it."""

    def __init__(self, folder, bin_dir):
        self.folder = folder
        programs = folder / "programs"
        programs.mkdir(parents=True)
        for name in ("docker", "podman"):
            shutil.copy(RUNTIME, programs / name)
        self.env = {"PATH": f"{programs}:{os.environ['PATH']}", "FAKE_RUNTIME": str(folder), "PROFLLM_LOCK_DIR": str(folder / "locks")}
        (folder / "locks").mkdir(mode=0o700)
        self.daemon = subprocess.Popen([RUNTIME, "daemon", folder, bin_dir / "profllm-sim"])
        wait_for((folder / "socket").exists, "the daemon listens", process=self.daemon)

    def set_faults(self, **faults):
        (self.folder / "faults.json").write_text(json.dumps(faults))

    def calls(self, kind=None):
        """Returns the command lines of its clients."""
        path = self.folder / "calls"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [line for line in lines if kind is None or line[1] == kind]

    def started(self):
        """Returns what the daemon understood of the last container: its options, environment and words."""
        return json.loads((self.folder / "container.json").read_text())

    def names(self, env=None):
        """Returns the containers of the last run that are left."""
        runs = self.calls("run")
        if not runs:
            return []
        name = runs[-1][runs[-1].index("--name") + 1]
        done = subprocess.run([self.folder / "programs/docker", "ps", "--all", "--filter", f"name=^{name}$"], env={**os.environ, **self.env},
                              capture_output=True, text=True, check=True)
        return done.stdout.split()

    def stop(self):
        self.daemon.kill()
        self.daemon.wait()


@pytest.fixture
def runtime(tmp_path, bin_dir):
    made = Runtime(tmp_path / "runtime", bin_dir)
    yield made
    made.stop()
