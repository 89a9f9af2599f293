"""The Python wheel: what it contains, that it needs nothing but glibc from its host, and that it works when installed."""
import base64
import csv
import ctypes
import hashlib
import json
import os
import pyexpat
import re
import subprocess
import sys
import zipfile

import pytest
from host_tools import need
from run_tools import PATIENCE, base_config, write_config

BYTES_MAX = 25 << 20
PROGRAMS = {"profllm", "profllm-dashboard", "profllm-sim"}
# PEP 600: the libraries that a manylinux host has, of those that our programs use
OF_THE_HOST = {"libc.so.6", "libm.so.6", "libresolv.so.2", "libgcc_s.so.1", "libstdc++.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
NAME = re.compile(r"profllm-([\d.]+)-py3-none-manylinux_2_(\d+)_(x86_64|aarch64)\.whl")

pytestmark = pytest.mark.release_only  # sanitizers add libraries


@pytest.fixture(scope="module")
def wheel(bin_dir, source_dir, tmp_path_factory):
    need("patchelf")
    pytest.importorskip("wheel", reason="no python3-wheel here: tools/install-packages test installs it")
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([source_dir / "tools/make-wheel", bin_dir, out], capture_output=True, text=True, timeout=300 * PATIENCE)
    assert done.returncode == 0, done.stderr
    made, = out.iterdir()
    assert str(made) in done.stdout
    return made


@pytest.fixture(scope="module")
def content(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("content")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Installs with pip where it is, without a network."""
    folder = tmp_path_factory.mktemp("installed")
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder, wheel],
                          capture_output=True, text=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    if "No module named pip" in done.stderr:
        pytest.skip("no pip here: tools/install-packages build installs it")
    assert done.returncode == 0, done.stderr
    return folder


def elf_files(content):
    return [path for path in content.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


def readelf(*words):
    return subprocess.run(["readelf", "-W", *words], capture_output=True, text=True, check=True).stdout


def test_it_is_small_and_its_record_is_true(wheel, content):
    assert NAME.fullmatch(wheel.name) and wheel.stat().st_size <= BYTES_MAX
    record, = content.glob("*.dist-info/RECORD")
    rows = list(csv.reader(record.read_text().splitlines()))
    assert {row[0] for row in rows} == {str(path.relative_to(content)) for path in content.rglob("*") if path.is_file()}
    for name, digest, size in rows:
        if not name.endswith("/RECORD"):
            data = (content / name).read_bytes()
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert int(size) == len(data)


def test_it_needs_only_glibc_and_the_compiler_from_the_host(wheel, content):
    files = elf_files(content)
    bundled = {path.name for path in files if path.parent.name == "lib"}
    _, minor, _ = NAME.fullmatch(wheel.name).groups()
    assert {path.name for path in files if path.parent.name == "scripts"} == PROGRAMS and len(bundled) > 10
    newest = 0
    for path in files:
        dynamic = readelf("-d", path)
        names = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        assert names <= OF_THE_HOST | bundled | {"ld-linux-x86-64.so.2"}, (path.name, names)
        place = "$ORIGIN" if path.name in bundled else "$ORIGIN/../share/profllm/lib"
        assert re.findall(r"\(RPATH\).*\[(.*)\]", dynamic) == [place] and "(RUNPATH)" not in dynamic, path.name
        newest = max([newest, *(int(text) for text in re.findall(r"Name: GLIBC_2\.(\d+)", readelf("-V", path)))])
    # Ubuntu 22.04 has 2.35, RHEL 9 2.34
    assert newest == int(minor) <= 34


def test_its_libexpat_parses(content):
    """The wheel links it from an archive; its random numbers are not those of glibc 2.36."""
    path, = content.rglob("libexpat.so.1")
    assert "arc4random" not in readelf("--dyn-syms", path)
    expat = ctypes.CDLL(path)
    expat.XML_ParserCreate.restype = ctypes.c_void_p
    expat.XML_ExpatVersion.restype = ctypes.c_char_p
    assert expat.XML_ExpatVersion() == b"expat_" + re.sub(r"\D*", "", pyexpat.EXPAT_VERSION, count=1).encode()
    for text, status in ((b"<log><gpu id='0'/></log>", 1), (b"<log><gpu></log>", 0)):
        parser = ctypes.c_void_p(expat.XML_ParserCreate(None))
        assert expat.XML_Parse(parser, text, len(text), 1) == status
        expat.XML_ParserFree(parser)


def test_each_library_has_its_license(bin_dir, content):
    licenses, = content.glob("*.dist-info/licenses")
    sources = (licenses / "SOURCES").read_text()
    assert "Apache License" in (licenses / "LICENSE").read_text()
    if (bin_dir.parent / "page/dist").exists():
        assert "## react-dom - " in (licenses / "web-licenses.md").read_text()
    for package in ("libssl3", "libgnutls30", "libpq5", "libsqlite3-0", "libexpat1-dev"):
        assert (licenses / f"{package}.txt").stat().st_size > 100 and f"{package} " in sources
    for text in licenses.glob("*.txt"):
        for name in re.findall(r"/usr/share/common-licenses/(L?GPL-[\d.]*\d)", text.read_text()):
            assert (licenses / f"common-{name}").stat().st_size > 1000, (text.name, name)


def test_it_works_when_installed(installed, tmp_path):
    """Nothing of the environment is needed, and libraries of LD_LIBRARY_PATH do not replace the wheel's."""
    program = installed / "bin/profllm"
    (tmp_path / "foreign").mkdir()
    for name in ("libjansson.so.4", "libcrypto.so.3"):
        (tmp_path / "foreign" / name).write_text("not a library")
    env = {"LD_LIBRARY_PATH": str(tmp_path / "foreign"), "PROFLLM_LOCK_DIR": os.environ["PROFLLM_LOCK_DIR"]}
    config, output = write_config(tmp_path, base_config()), tmp_path / "r.json"
    done = subprocess.run([program, "run", "-c", config, "-o", output, "--quiet"], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(output.read_text())["status"] == "completed"
    done = subprocess.run([installed / "bin/profllm-dashboard", "import", output, "--db", tmp_path / "d.db"], env=env,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "1 stored" in done.stdout + done.stderr, done.stderr
