"""Names and values that are not UTF-8: JSON cannot represent them, but no result may be lost."""
import json
import os
import subprocess

import pytest

from run_tools import base_config, environment, write_config

BYTES = b"r\xff"


def profllm(bin_dir, folder, *args, env=None, patience=1):
    return subprocess.run([os.fsencode(bin_dir / "profllm"), *args], capture_output=True, cwd=folder,
                          env=environment(env), timeout=60 * patience, check=False)


def test_a_files_name_does_not_hide_its_report(bin_dir, tmp_path, patience):
    config = write_config(tmp_path, {"server": {"tensor_paralel_size": 1}})
    os.rename(config, os.fsencode(tmp_path) + b"/" + BYTES)
    done = profllm(bin_dir, tmp_path, "validate", "--json", BYTES, patience=patience)
    assert done.returncode == 2
    report, = json.loads(done.stdout)["files"]
    assert report["file"] == "r\ufffd" and not report["ok"]
    assert report["problems"][0]["source"] == "r\ufffd"


def test_artifacts_have_their_names(bin_dir, tmp_path, patience):
    config = write_config(tmp_path, base_config(num_prompts=3))
    done = profllm(bin_dir, tmp_path, "run", "-q", "-c", config, "-o", BYTES + b".json", patience=patience)
    assert done.returncode == 0, done.stderr
    with open(os.fsencode(tmp_path) + b"/" + BYTES + b".json", encoding="utf-8") as file:
        result = json.load(file)
    names = [artifact["name"] for artifact in result["artifacts"]]
    assert len(names) == 3 and all(name.startswith("r\ufffd.") for name in names)
    assert result["series"]["file"] in names


@pytest.mark.parametrize("words", [[b"--output", BYTES], [b"--header", b"X=" + BYTES], [b"--label", BYTES],
                                   [b"--extra-body.a", BYTES], [BYTES]])
def test_bench_serve_refuses_them(bin_dir, tmp_path, words):
    done = profllm(bin_dir, tmp_path, "bench", "serve", "--model", "m", "--dry-run", *words)
    assert done.returncode == 2
    assert f"argument {2 + 1 + len(words)}: found invalid UTF-8" in done.stderr.decode(errors="replace")


@pytest.mark.parametrize("key, text", [("launch", {"env": {"A": "x", "B": "${ODD}"}}),
                                       ("benchmark", {"dataset_name": "custom", "dataset_path": "${ODD}"}),
                                       ("profiling", {"dir": "${ODD}"})])
def test_a_variable_of_them_is_a_problem(bin_dir, tmp_path, key, text):
    config = write_config(tmp_path, {"server": {"model": "m"}, key: text})
    done = profllm(bin_dir, tmp_path, "validate", "--json", config, env={"ODD": os.fsdecode(BYTES)})
    report, = json.loads(done.stdout)["files"]
    found = [problem["found"] for problem in report["problems"] if problem["severity"] == "error"]
    assert found[:1] == ["${ODD}, whose value is not valid UTF-8"] and done.returncode == 2
