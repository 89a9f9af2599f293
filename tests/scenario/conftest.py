"""Fixtures of all scenarios: the built programs, the source tree, and external data if present."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import asan_tests
import pytest
from database_tools import NOT_FOUND, Postgres, Sqlite, programs
from run_tools import PATIENCE

SOURCE = Path(__file__).resolve().parents[2]
TEST_DATA = os.environ.get("PROFLLM_TEST_DATA")
sys.path.insert(0, str(SOURCE / "tools"))

import scratch  # noqa: E402


@pytest.hookimpl(tryfirst=True)  # before pytest makes its own folder
def pytest_configure(config):
    folder = scratch.start()
    # --basetemp=FOLDER keeps the tests' files; the name is short for the sockets in it
    config.option.basetemp = config.option.basetemp or tempfile.mkdtemp(dir=folder, prefix="p")
    # what nohup and background jobs ignore, programs that we start would ignore too; a handler of ours is not theirs
    for number, handler in ((signal.SIGHUP, lambda *_: None), (signal.SIGINT, signal.default_int_handler),
                            (signal.SIGQUIT, lambda *_: None), (signal.SIGCHLD, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # the default would be the host's
    os.environ.setdefault("PROFLLM_LOCK_DIR", f"{folder}/locks")
    config.addinivalue_line("markers", "threads: also run under ThreadSanitizer")
    config.addinivalue_line("markers", "sanitize_all: under AddressSanitizer with all sets of parameters")
    config.addinivalue_line("markers", "release_only: not under a sanitizer (needs full speed)")
    config.addinivalue_line("markers", "one_database: with SQLite alone, but for PROFLLM_TEST_LONG (the kind of database has no part in it)")
    config.addinivalue_line("markers", "long_file: begun before others, that nobody waits for the rest of it at the end")


def under_address_sanitizer(items):
    """Returns one parameter set of each test, the same one in each run, without the tests of asan_tests.py: AddressSanitizer
    takes several times as long."""
    sets = {}
    for item in items:
        is_left_out = asan_tests.is_left_out(str(item.path.relative_to(SOURCE / "tests/scenario")), item.originalname)
        if not is_left_out and item.get_closest_marker("release_only") is None:
            sets.setdefault(item.nodeid.split("[")[0], []).append(item)
    least = {name: min(same, key=lambda item: zlib.crc32(item.nodeid.encode())) for name, same in sets.items()}
    return {item for name, same in sets.items() for item in same if item is least[name] or item.get_closest_marker("sanitize_all")}


def pytest_collection_modifyitems(config, items):
    """Runs tests that are the same for each kind of database with one of them, and those under a sanitizer, where
    test_postgres.py has the other; starts with the long files."""
    is_full = "PROFLLM_TEST_LONG" in os.environ
    chosen = None if is_full or os.environ.get("PROFLLM_SANITIZED") != "address" else under_address_sanitizer(items)

    def is_left_out(item):
        if is_full:
            return False
        params = item.callspec.params if hasattr(item, "callspec") else {}
        has_once = item.get_closest_marker("one_database") is not None or "PROFLLM_SANITIZED" in os.environ
        is_again = has_once and params.get("database") == "postgres"
        return is_again or (chosen is not None and item not in chosen)

    out = [item for item in items if is_left_out(item)]
    config.hook.pytest_deselected(items=out)
    left_out = set(out)
    items[:] = sorted((item for item in items if item not in left_out), key=lambda item: item.get_closest_marker("long_file") is None)


def cpu_seconds():
    """Returns those of this process and of the processes that it and they waited for: a server counts when it has ended."""
    return sum(os.times()[:4])


counted_s = 0.0  # that a test has


@pytest.hookimpl(hookwrapper=True, tryfirst=True)  # outside the teardown of fixtures, which stops servers
def pytest_runtest_teardown(item):
    """Records the CPU seconds since the previous test of this process, for `tools/run-tests --cpu`."""
    global counted_s
    yield
    total_s = cpu_seconds()
    item.user_properties.append(("cpu_s", f"{total_s - counted_s:.2f}"))
    counted_s = total_s


@pytest.fixture(scope="session")
def bin_dir():
    path = Path(os.environ.get("PROFLLM_BIN", SOURCE / "build" / "bin"))
    for program in ("profllm", "profllm-sim"):
        assert (path / program).exists(), f"no {program} in {path}: run make build"
    return path


@pytest.fixture(scope="session")
def postgres():
    """A server with its databases; one for all tests of this process."""
    if programs() is None:
        assert "CI" not in os.environ, NOT_FOUND
        pytest.skip(NOT_FOUND)
    server = Postgres()
    yield server
    server.close()


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.release_only)])
def database(request):
    """Each kind of database, in turn: database.new(FOLDER) returns one for --db. Under sanitizers: test_postgres.py."""
    return Sqlite() if request.param == "sqlite" else request.getfixturevalue("postgres")


@pytest.fixture(scope="session")
def source_dir():
    return SOURCE


@pytest.fixture(scope="session")
def test_data_dir():
    if not TEST_DATA or not Path(TEST_DATA).is_dir():
        pytest.skip("without PROFLLM_TEST_DATA: files under others' licenses")
    return Path(TEST_DATA)


@pytest.fixture(scope="session")
def patience():
    return PATIENCE
