"""Real engines, each in a folder that the person names: make test-real VLLM=FOLDER LLAMA=FOLDER."""
import os
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests" / "scenario"), str(SOURCE / "tools")]

import scratch  # noqa: E402
from real_tools import Engine  # noqa: E402

BIN = Path(os.environ.get("PROFLLM_BIN", SOURCE / "build" / "bin"))


def pytest_configure(config):
    scratch.start()
    # of the scenario tests whose checks these use
    config.addinivalue_line("markers", "threads: also runs under TSan")


def engine_in(variable, program):
    folder = os.environ.get(variable, "")
    if not folder or not Path(folder, "env.sh").exists():
        pytest.skip(f"no {program}: make test-real {variable}=FOLDER with FOLDER/env.sh")
    return Engine(folder, program)


@pytest.fixture(scope="session")
def bin_dir():
    assert (BIN / "profllm").exists(), f"no profllm in {BIN}: run make build"
    return BIN


@pytest.fixture(scope="session")
def source_dir():
    return SOURCE


@pytest.fixture(scope="session")
def vllm():
    return engine_in("VLLM", "vllm")


@pytest.fixture(scope="session")
def llama():
    return engine_in("LLAMA", "llama-server")
