"""`launch.container` with podman and an image of the simulator; PROFLLM_TEST_LONG=1, where podman can start a container."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from container_tools import container_config
from run_tools import guard_of, load_result, run_profllm, start_profllm, write_config
from wait_tools import wait_for

IMAGE = "localhost/profllm-sim:1"
USER = 8422
# a sandbox may forbid to raise limits, and crun knows no hybrid cgroups
SETTINGS = ('[engine]\nruntime = "{0}"\n', '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=2048:2048"]\n[engine]\nruntime = "{0}"\n')

pytestmark = pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="only with PROFLLM_TEST_LONG=1")


def podman(env, *args, data=None):
    return subprocess.run(["podman", *args], env={**os.environ, **env}, input=data, capture_output=True, timeout=120, check=False)


def image_of(folder, program):
    """Returns a tar archive with the program and its libraries, and nothing else."""
    root = folder / "root"
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for path in [str(program), *re.findall(r"(/\S+) \(0x", listed)]:
        to = root / ("usr/bin/profllm-sim" if path == str(program) else path.lstrip("/"))
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    (root / "tmp").mkdir()
    return subprocess.run(["tar", "-C", root, "-cf", "-", "."], capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def storage(tmp_path_factory, bin_dir):
    """Returns the environment of a podman with its own storage and the image; skips where it cannot start a container."""
    if shutil.which("podman") is None:
        pytest.skip("found no podman")
    folder = tmp_path_factory.mktemp("podman")
    (folder / "locks").mkdir(mode=0o700)
    (folder / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/graph"\n')
    env = {"CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf", "CONTAINERS_CONF": f"{folder}/containers.conf",
           "PROFLLM_LOCK_DIR": f"{folder}/locks"}
    image = image_of(folder, bin_dir / "profllm-sim")
    for text in [settings.format(runtime) for settings in SETTINGS for runtime in ("crun", "runc")]:
        (folder / "containers.conf").write_text(text)
        made = podman(env, "import", "--change", 'ENTRYPOINT ["/usr/bin/profllm-sim","serve"]', "-", IMAGE, data=image)
        tried = podman(env, "run", "--rm", "--network", "host", IMAGE, "--help")
        if made.returncode == 0 and tried.returncode == 0:
            yield env
            podman(env, "rm", "--force", "--all")
            return
    pytest.skip(f"podman starts no container here: {tried.stderr.decode().strip()}")


def names(env):
    return podman(env, "ps", "--all", "--format", "{{.Names}}").stdout.decode().split()


def config_of(stop_timeout="3s", **more):
    config = container_config({"runtime": "podman", "image": IMAGE}, **more)
    config["launch"]["stop_timeout"] = stop_timeout
    return config


def start_long(bin_dir, tmp_path, env):
    config = config_of(steps="20ms", num_prompts=2000, max_concurrency=1, random_output_len=100)
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json", env=env)
    for line in process.stderr:
        if "sending" in line:
            return process
    raise AssertionError("it never sent")


def test_a_run(bin_dir, tmp_path, storage):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config_of("30s")), "-o", tmp_path / "r.json", env=storage)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    facts, = json.loads(podman(storage, "image", "inspect", IMAGE).stdout)
    container = result["environment"]["container"]
    assert container["digest"] == facts["Digest"] and container["image_id"] == f"sha256:{facts['Id']}"
    assert container["runtime_version"] == podman(storage, "--version").stdout.decode().split()[-1]
    assert result["launch"]["exit"] == {**result["launch"]["exit"], "status": 0, "killed": False}
    assert result["system"]["server"]["memory_peak_bytes"] > 1 << 20
    assert names(storage) == []


@pytest.mark.parametrize("victim", ["profllm", "guard", "both"])
def test_no_container_is_left(bin_dir, tmp_path, storage, victim):
    process = start_long(bin_dir, tmp_path, storage)
    guard = guard_of(process.pid)
    assert len(names(storage)) == 1
    if victim == "both":
        os.kill(process.pid, signal.SIGSTOP)
    if victim != "profllm":
        os.kill(guard, signal.SIGKILL)
    if victim != "guard":
        process.kill()
    process.communicate(timeout=60)
    if victim == "both":
        assert len(names(storage)) == 1
    if victim != "guard":
        done = run_profllm(bin_dir, "recover", tmp_path / "r.json", env=storage)
        assert done.returncode == 0, done.stderr
    wait_for(lambda: names(storage) == [], "the container is gone")
    assert not list((Path(storage["PROFLLM_LOCK_DIR"]) / "runs").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="the others have tested it: this user is not root")
def test_the_same_without_root(bin_dir, tmp_path, source_dir):
    """All other tests of this file, as a user that exists only in its own mounts."""
    if not all(map(shutil.which, ("newuidmap", "setpriv", "unshare"))):
        pytest.skip("found no newuidmap (package uidmap), setpriv or unshare")
    home = tmp_path / "home"
    for path in (home, home / "run", home / "tmp"):
        path.mkdir(mode=0o700)
        os.chown(path, USER, USER)
    for name, line in (("passwd", f"lab:x:{USER}:{USER}::{home}:/bin/sh"), ("group", f"lab:x:{USER}:"), ("subuid", "lab:700000:65536"),
                       ("subgid", "lab:700000:65536")):
        path = Path("/etc", name)
        (tmp_path / name).write_text((path.read_text() if path.exists() else "") + line + "\n")
    script = f"""
        for name in passwd group subuid subgid; do
            [ -e /etc/$name ] || exit 77
            mount --bind {tmp_path}/$name /etc/$name || exit 77
        done
        exec setpriv --reuid {USER} --regid {USER} --clear-groups env HOME={home} XDG_RUNTIME_DIR={home}/run TMPDIR={home}/tmp "$@"
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PROFLLM_LOCK", "XDG_", "DBUS_"))}
    # podman would do it, which only root may
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o055 != 0o055:
            folder.chmod(folder.stat().st_mode | 0o055)
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs", "-k", "not without_root", f"--basetemp={home}/tests", __file__]
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", *words], cwd=source_dir, env={**env, "PROFLLM_BIN": str(bin_dir)},
                          capture_output=True, text=True, timeout=400, check=False)
    if done.returncode == 77:
        pytest.skip(f"no mounts here: {done.stderr}")
    assert done.returncode == 0 and re.search(r"^4 passed", done.stdout, re.M), done.stdout + done.stderr
