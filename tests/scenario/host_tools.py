"""Facts about this host, found without the product, so that its faults show."""
import ctypes
import os
import shutil

import pytest


def has_nvidia_library():
    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def need(program):
    """Requires a program that `make test` installs: CI fails without it, a manual run skips the test."""
    path = shutil.which(program)
    if path is None:
        assert not os.environ.get("CI"), f"{program} is missing: run tools/install-packages test"
        pytest.skip(f"no {program} here: tools/install-packages test installs it")
    return path
