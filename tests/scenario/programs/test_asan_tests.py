"""asan_tests.py names only tests that exist, and keeps others of each file."""
import re
from pathlib import Path

import asan_tests
import pytest

SCENARIOS = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("file, unit_tests", asan_tests.FILES.items())
def test_files_and_their_unit_tests_exist(source_dir, file, unit_tests):
    assert (SCENARIOS / file).is_file()
    assert (source_dir / unit_tests).exists()


@pytest.mark.parametrize("file", asan_tests.FUNCTIONS)
def test_functions_exist_and_others_run(file):
    functions = set(re.findall(r"^def (test_\w+)", (SCENARIOS / file).read_text(), re.MULTILINE))
    left_out = set(asan_tests.FUNCTIONS[file])
    assert left_out <= functions
    assert functions - left_out


@pytest.mark.parametrize("file", asan_tests.ONLY)
def test_functions_that_stay_exist(file):
    functions = set(re.findall(r"^def (test_\w+)", (SCENARIOS / file).read_text(), re.MULTILINE))
    assert set(asan_tests.ONLY[file]) <= functions
    assert file not in asan_tests.FILES and file not in asan_tests.FUNCTIONS
