"""The wheel in bare releases of Debian with Python alone; PROFLLM_TEST_LONG=1, as root. test_wheel.py checks its content."""
import json
import os
import re
import shutil
import subprocess
import time

import pytest
from debian_tools import BareDebian
from host_tools import need
from run_tools import PATIENCE

DEMO_S = 30
RUNS = 12

pytestmark = [pytest.mark.release_only, pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="only with PROFLLM_TEST_LONG=1")]


@pytest.fixture(scope="module")
def wheel(bin_dir, source_dir, tmp_path_factory):
    need("patchelf")
    pytest.importorskip("wheel", reason="no python3-wheel here: tools/install-packages test installs it")
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([source_dir / "tools/make-wheel", bin_dir, out], capture_output=True, text=True, timeout=300 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    made, = out.iterdir()
    return made


def glibc_of(debian):
    return int(re.search(r"GLIBC 2\.(\d+)", debian.run("ldd --version"))[1])


@pytest.mark.parametrize("release", ["bullseye", "bookworm", "trixie"])
def test_a_bare_debian_with_python(wheel, release, tmp_path):
    """From `pip install` in a virtual environment to the verdicts of the demo, without a network. pip refuses it where glibc is too old."""
    debian = BareDebian(tmp_path, release)
    debian.prepare("apt-get update -qq && apt-get install -qq -y --no-install-recommends python3-venv")
    shutil.copy(wheel, debian.path("/root"))
    with debian.offline():
        debian.run("python3 -m venv lab")
        begin = time.monotonic()
        if glibc_of(debian) < int(re.search(r"manylinux_2_(\d+)", wheel.name)[1]):
            assert "is not a supported wheel on this platform" in debian.run(f"lab/bin/pip install --no-index {wheel.name}", status=1)
            return
        debian.run(f"lab/bin/pip install --quiet --no-index {wheel.name}")
        debian.run("lab/bin/profllm demo --keep first --no-serve")
        assert time.monotonic() - begin <= DEMO_S * PATIENCE
        results = [json.loads(path.read_text()) for path in debian.path("/root/first").rglob("*.json") if "results" in path.read_text()[:200_000]]
        verdicts = [result["quality"]["verdict"] for result in results if result.get("quality")]
        assert len(verdicts) == RUNS and verdicts.count("trusted") >= RUNS - 2, verdicts
        # every library but those of PEP 600 is the wheel's
        used = debian.run("ldd lab/bin/profllm lab/bin/profllm-dashboard lab/bin/profllm-sim")
        assert "not found" not in used
        outside = {line.split()[0] for line in used.splitlines() if " => " in line and "/share/profllm/lib/" not in line}
        assert outside <= {"libc.so.6", "libm.so.6", "libresolv.so.2", "libgcc_s.so.1", "libstdc++.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"}, outside
        assert "profllm 0" in debian.run("lab/bin/python -c 'import profllm, subprocess; subprocess.run([\"lab/bin/profllm\", \"--version\"], check=True)'")
