"""Pages of docs/deploy, typed by a user of a bare Debian who has the wheel and no network; PROFLLM_TEST_LONG=1, as root."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest
from debian_tools import BareDebian
from host_tools import need
from run_tools import PATIENCE, base_config, write_config
from wait_tools import wait_for

USER = "lab"
ASK = """
import ssl, sys, urllib.request
url, token, *authority = sys.argv[1:]
request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token} if token else {})
context = ssl.create_default_context(cafile=authority[0]) if authority else None
print(urllib.request.urlopen(request, context=context, timeout=30).read().decode())
"""

pytestmark = [pytest.mark.release_only, pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="only with PROFLLM_TEST_LONG=1")]


def blocks(source_dir, page):
    """Returns the shell blocks of a page, without indentation."""
    text = (source_dir / "docs" / page).read_text()
    return [re.sub(f"^{space}", "", block, flags=re.M).strip() for space, block in re.findall(r"^( *)```sh\n(.*?)^ *```", text, re.M | re.S)]


class Home:
    """The home directory of a user of a bare Debian, whose shell has the virtual environment of the wheel."""

    def __init__(self, debian):
        self.debian, self.path = debian, debian.path(f"/home/{USER}")

    def type_in(self, text):
        """Runs shell commands as the user; returns their output."""
        (self.path / "typed").write_text(f"if [ -d venv ]; then . venv/bin/activate; fi\n{text}\n")
        return self.debian.run(f"su - {USER} -c 'sh -eu typed'")

    def start(self, command):
        """Starts a command; returns the address that it listens on."""
        self.type_in(f"nohup setsid sh -c 'echo $$ > pid; exec \"$@\"' sh {command} > log 2>&1 &\nwhile [ ! -s pid ]; do sleep 0.05; done")
        log = self.path / "log"
        found = wait_for(lambda: re.search(r"https?://[\w.]+:\d+", log.read_text()), f"an address of '{command}'", 60 * PATIENCE)
        return found[0]

    def stop(self):
        pid = (self.path / "pid").read_text().strip()
        self.debian.run(f"kill {pid}; while [ -d /proc/{pid} ] && ! grep -q '^State:.*Z' /proc/{pid}/status; do sleep 0.05; done")
        (self.path / "pid").unlink()

    def ask(self, url, token="", *authority):
        return json.loads(self.debian.outside(sys.executable, "-c", ASK, url, token, *authority))


@pytest.fixture(scope="module")
def home(source_dir, bin_dir, tmp_path_factory):
    need("patchelf")
    pytest.importorskip("wheel", reason="no python3-wheel here: tools/install-packages test installs it")
    folder = tmp_path_factory.mktemp("bare")
    debian = BareDebian(folder)
    debian.prepare(f"apt-get update -qq && apt-get install -qq -y --no-install-recommends python3-venv openssl && useradd -m -s /bin/sh {USER}")
    made = folder / "wheel"
    done = subprocess.run([source_dir / "tools/make-wheel", bin_dir, made], capture_output=True, text=True, timeout=300 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    home = Home(debian)
    config = write_config(folder, base_config(num_prompts=4))
    for path in (*made.iterdir(), config):
        shutil.copy(path, home.path)
        (home.path / path.name).chmod(0o644)
    with debian.offline():
        debian.run(f"mkdir -p /home/{USER}/results && chown -R {USER}: /home/{USER}")
        yield home


@pytest.fixture(scope="module")
def installed(home, source_dir):
    """Types docs/deploy/air-gapped.md up to the installation. The host that made the wheel has written the sums."""
    written, checked = (block for block in blocks(source_dir, "deploy/air-gapped.md") if "sha256sum" in block)
    home.type_in(written)
    home.type_in(checked)
    home.type_in("profllm run -q --sim -c experiment.yaml -o results/r.json")
    return home


def test_changed_files_are_found(installed):
    """By the sums of docs/deploy/air-gapped.md."""
    wheel, = installed.path.glob("profllm-*.whl")
    installed.type_in(f"mkdir -p other && cp {wheel.name} SHA256SUMS other/ && echo >> other/{wheel.name}")
    with pytest.raises(AssertionError, match="FAILED"):
        installed.type_in("cd other && sha256sum --check SHA256SUMS")


def test_laptop(installed, source_dir):
    demo, keep = blocks(source_dir, "deploy/laptop.md")
    url = installed.start(demo)
    assert installed.ask(f"{url}/api/health")["total"] == 12
    installed.stop()
    serve, *more = keep.splitlines()
    url = installed.start(serve)
    try:
        for line in more:
            assert url in line or "http" not in line
            installed.type_in(line)
        assert installed.ask(f"{url}/api/health")["total"] == 1
        assert (installed.path / ".local/share/profllm/profllm.db").exists()
    finally:
        installed.stop()


def test_one_server(installed, source_dir):
    """In ten minutes; with an upgrade and a rollback."""
    begin = time.monotonic()
    typed = blocks(source_dir, "deploy/one-server.md")
    at = next(i for i, block in enumerate(typed) if " serve " in block)
    serve = typed[at]
    for block in typed[:at]:
        installed.type_in(block)

    def count():
        token = (installed.path / "alice.token").read_text().strip()
        return installed.ask("https://localhost:8443/api/health", token, installed.path / "lab/cert.pem")["total"]

    upload, backup, restore, restored = typed[at + 1:]
    installed.start(serve)
    installed.type_in(upload)
    assert count() == 1 and time.monotonic() - begin <= 600
    installed.type_in(backup)
    installed.stop()
    installed.type_in("pip install --quiet --no-index --force-reinstall profllm-*.whl")
    installed.start(serve)
    assert count() == 1
    # a result that comes after the backup, and that the rollback loses
    installed.type_in("profllm run -q --sim -c experiment.yaml -o results/later.json")
    installed.type_in(upload)
    assert count() == 2
    installed.stop()
    installed.type_in(restore)
    installed.start(restored)
    try:
        assert count() == 1
    finally:
        installed.stop()
