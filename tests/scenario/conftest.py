"""What every scenario needs: the built programs, the source tree, others' data when it is there."""
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
SHARED = SOURCE.parent / "shared"


def pytest_configure(config):
    # what nohup and background jobs ignore, programs that we start would ignore too
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    config.addinivalue_line("markers", "threads: also run under ThreadSanitizer")
    config.addinivalue_line("markers", "release_only: not under a sanitizer (needs full speed)")


@pytest.fixture(scope="session")
def bin_dir():
    path = Path(os.environ.get("PROFLLM_BIN", SOURCE / "build" / "bin"))
    for program in ("profllm", "profllm-sim"):
        assert (path / program).exists(), f"no {program} in {path}: run make build"
    return path


@pytest.fixture(scope="session")
def source_dir():
    return SOURCE


@pytest.fixture(scope="session")
def shared_dir():
    if not SHARED.is_dir():
        pytest.skip("no ../shared with others' data here")
    return SHARED


@pytest.fixture(scope="session")
def patience():
    """Factor for deadlines: sanitizers make programs several times slower."""
    return 10 if os.environ.get("PROFLLM_SANITIZED") else 1
