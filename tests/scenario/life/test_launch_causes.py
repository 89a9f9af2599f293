"""Causes of failed launches: logs by cause, through prefixes, and healthy logs that resemble failures."""
import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from launch_logs import LOGS, OOM, SCARY, WRAPPERS, engine, prefixed
from run_tools import as_sentence, base_config, load_result, run_profllm, sentences_of, write_config

UNKNOWN_MAX = 2
# logs of data/wild in the test data, and the causes that are right for them
WILD = {
    "13-log-hub-not-reached/no-dns": {"hub_unreachable"},
    "13-log-hub-not-reached/too-many": {"hub_unreachable"},
    "13-log-hub-not-reached/unreachable": {"hub_unreachable"},
    "15-log-broken-weights/header": {"broken_weights"},
    "15-log-broken-weights/keyerror": {"unsupported_model", "quantization_mismatch"},
    "17-log-front-end-refuses-a-value/loraoff": {"invalid_configuration"},
    "17-log-front-end-refuses-a-value/lorarank": {"invalid_argument"},
    "17-log-front-end-refuses-a-value/template": {"invalid_argument"},
    "17-log-front-end-refuses-a-value/toolparser": {"invalid_argument"},
    "19-log-memory-profiling/profiling": {"memory_changed"},
    "21-log-prefixes/journald": {"out_of_memory"},
    "21-log-prefixes/logger": {"out_of_memory"},
    "21-log-prefixes/srun-label": {"out_of_memory"},
}


def fail(bin_dir, folder, patience, log):
    """Returns the error of a run whose server writes the log and ends."""
    folder.mkdir(parents=True)
    text, script = folder / "log.txt", folder / "dies"
    text.write_bytes(log if isinstance(log, bytes) else log.encode() + b"\n")
    script.write_text(f"#!/bin/sh\ncat {shlex.quote(str(text))}\nexit 1\n")
    script.chmod(0o755)
    config = base_config()
    config["launch"].update(command=[str(script)], gpus=[], extra_args=[])
    done = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json", "-q",
                       patience=patience)
    assert done.returncode == 3, done.stderr
    error = load_result(folder / "r.json")["error"]
    assert sentences_of(done.stdout)[2].startswith(as_sentence(error["hint"]))
    return error


def fail_all(bin_dir, tmp_path, patience, logs):
    """Returns {name: error} of concurrent runs: each mostly waits for its processes."""
    with ThreadPoolExecutor(4) as pool:
        names = list(logs)
        errors = pool.map(lambda at: fail(bin_dir, tmp_path / str(at), patience, logs[names[at]]), range(len(names)))
        return dict(zip(names, errors))


def test_each_of_80_launches_has_its_cause_line_and_hint(bin_dir, tmp_path, patience):
    assert len({name for name, *_ in LOGS}) == len(LOGS) >= 80
    errors = fail_all(bin_dir, tmp_path, patience, {name: log for name, _, _, _, log in LOGS})
    unknown = [name for name, error in errors.items() if error["cause"] == "unknown"]
    assert len(unknown) <= UNKNOWN_MAX, f"{len(unknown)} of {len(LOGS)} unknown: {unknown}"
    for name, cause, line, hint, _ in LOGS:
        error = errors[name]
        assert (name, error["cause"]) == (name, cause)
        assert line in error["log_line"], name
        assert hint in error["hint"], (name, error["hint"])


def test_a_cause_is_read_through_every_prefix(bin_dir, tmp_path, patience):
    log = engine(OOM, "vllm/v1/worker/gpu_worker.py:load_model")
    errors = fail_all(bin_dir, tmp_path, patience, {name: prefixed(prefix, log) for name, prefix in WRAPPERS.items()})
    for name, error in errors.items():
        assert (name, error["cause"], error["log_line"]) == (name, "out_of_memory", OOM)
        assert "the weights do not fit" in error["hint"], name


@pytest.mark.parametrize("later", [
    "RuntimeError: something that no table knows",
    "OSError: [Errno 28] No space left on device: '/tmp/x'",
])
def test_error_lines_of_a_start_are_not_a_cause(bin_dir, tmp_path, patience, later):
    """An error that the start survived does not count. The one that ends it does."""
    error = fail(bin_dir, tmp_path / "x", patience, f"{SCARY}\n{engine(later, before='')}")
    assert error["log_line"] == later
    assert error["cause"] == ("disk_full" if "28" in later else "unknown")


def test_error_lines_of_a_healthy_server_are_not_a_cause(bin_dir, tmp_path, patience):
    """The server starts, then it is killed: its death is the cause."""
    script = tmp_path / "server"
    script.write_text(f"#!{sys.executable}\nimport os, sys\nprint({SCARY!r}, flush=True)\n"
                      "os.execvp('profllm-sim', ['profllm-sim', *sys.argv[1:]])\n")
    script.chmod(0o755)
    config = base_config()
    config["launch"].update(command=[str(script), "serve"], gpus=[])
    config["launch"]["extra_args"] += ["--sim-crash-after", "3", "--sim-crash-signal", "KILL"]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json", "-q",
                       patience=patience, env={"PATH": f"{bin_dir}:{os.environ['PATH']}"})
    error = load_result(tmp_path / "r.json")["error"]
    assert (error["cause"], error["log_line"]) == ("killed", None), done.stdout


def test_logs_of_public_reports(bin_dir, tmp_path, patience, test_data_dir):
    folder = test_data_dir / "data/wild"
    if not folder.is_dir():
        pytest.skip("no logs of public reports")
    errors = fail_all(bin_dir, tmp_path, patience, {name: (folder / f"{name}.log").read_bytes() for name in WILD})
    for name, causes in WILD.items():
        assert errors[name]["cause"] in causes, name
        assert errors[name]["log_line"], name
