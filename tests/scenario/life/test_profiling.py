"""The server's own profiler during the load: the result records it, and which facts are unknown."""
import json
import signal
import sys

import jsonschema
import pytest
from client_tools import client_config, make_client
from odd_server import HANG, RESET, OddServer, good, stream, whole
from run_tools import base_config, load_result, run_profllm, start_profllm, write_config

TORCH = {"profiler": "torch", "torch_profiler_dir": "traces of mine"}
NOTHING_RAN = {"enabled": False, "profiler": None, "trace_dir": None, "trace_file_path": None,
               "trace_file_size_mb": None, "trace_files": [], "scope": None, "error": None}


def ran(profiler=None, trace_dir=None):
    """Returns the section of a profiler whose files are unknown."""
    return {**NOTHING_RAN, "enabled": True, "scope": "measured_run", "profiler": profiler, "trace_dir": trace_dir, "trace_files": None}


def play(bin_dir, folder, config, patience, env=None):
    done = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json", cwd=folder, env=env,
                       patience=patience)
    assert done.returncode == 0, done.stderr
    return load_result(folder / "r.json"), done


def check_of(result):
    check, = [check for check in result["quality"]["checks"] if check["id"] == "profiled"]
    return check["status"], check["value"], check["effect"]


SET_UPS = {
    "argument": ({"profiler_config": TORCH}, {}, {}, ran("torch", TORCH["torch_profiler_dir"])),
    "its keys": ({"profiler_config.profiler": "torch", "profiler_config.torch_profiler_dir": "relative"}, {}, {},
                 ran("torch", "relative")),
    "variable": ({}, {"VLLM_TORCH_PROFILER_DIR": "there"}, {}, ran("torch", "there")),
    "our own variable": ({}, {}, {"VLLM_TORCH_PROFILER_DIR": "ours"}, ran("torch", "ours")),
    # passed on unread
    "more words": (["--profiler-config", json.dumps(TORCH)], {}, {}, ran()),
}


@pytest.mark.parametrize("how", SET_UPS)
def test_figures_that_were_taken_under_a_profiler(bin_dir, tmp_path, patience, source_dir, how):
    server, launch_env, env, expected = SET_UPS[how]
    config = base_config(num_prompts=3, profile=True)
    config["launch"]["env"] = launch_env
    if isinstance(server, list):
        config["launch"]["extra_args"] += server
    else:
        config["server"].update(server)
    result, done = play(bin_dir, tmp_path, config, patience, env)
    assert result["profiling"] == expected
    assert check_of(result) == ("over_limit", 1, "degraded")
    assert result["quality"]["verdict"] != "trusted"
    schema = json.loads((source_dir / "api/result.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(result)


def test_a_server_that_refuses(bin_dir, tmp_path, patience):
    """The server has no profiler: nothing is profiled, whatever was requested."""
    result, done = play(bin_dir, tmp_path, base_config(num_prompts=3, profile=True), patience)
    assert "'/start_profile' returned status 404" in done.stderr
    assert result["config"]["benchmark"]["profile"] is True
    assert result["profiling"] == NOTHING_RAN
    assert check_of(result) == ("passed", 0, "degraded")


def config_against(server, folder):
    (folder / "prompts.jsonl").write_text('{"prompt": "case:fine"}\n')
    config = base_config(num_prompts=1, profile=True, model="odd", dataset_name="custom",
                         dataset_path=str(folder / "prompts.jsonl"), skip_chat_template=True, custom_output_len=4)
    return {**config, "server": {}, "launch": {"url": server.url}}


def test_a_server_that_breaks_off(bin_dir, tmp_path, patience):
    """The request failed: nothing is profiled, and nothing needs to be stopped."""
    with OddServer({"fine": [stream(*good())]}) as server:
        server.helpers.update({"/start_profile": [RESET], "/stop_profile": [HANG]})
        result, done = play(bin_dir, tmp_path, config_against(server, tmp_path), patience)
    assert "note: '/start_profile': " in done.stderr and "write its profile" not in done.stderr
    assert result["profiling"] == NOTHING_RAN
    assert check_of(result) == ("passed", 0, "degraded")


def test_a_profile_that_is_never_written(bin_dir, tmp_path, patience):
    """The first ^C leaves the server time to write the profile, the second does not."""
    with OddServer({"fine": [stream(*good())]}) as server:
        server.helpers.update({"/start_profile": [whole(b"")], "/stop_profile": [HANG]})
        process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config_against(server, tmp_path)), "-o",
                                tmp_path / "r.json")
        for line in process.stderr:
            if "write its profile" in line:
                break
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60 * patience)
    assert process.returncode in (130, 143)
    assert load_result(tmp_path / "r.json")["profiling"] == ran()


@pytest.mark.parametrize("has_profiler, release, expected", [
    # it says that it started it
    (True, "0.32.0", ran("torch", "there")),
    # it says nothing, which from this release on is a refusal, and before it is nothing
    (False, "0.32.0", NOTHING_RAN), (True, "0.31.0", ran("torch", "there")),
    (True, None, ran("torch", "there"))])
def test_by_the_word_of_vllms_client(bin_dir, tmp_path, patience, has_profiler, release, expected):
    python = tmp_path / "venv" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    if release:
        (tmp_path / f"venv/lib/python3.12/site-packages/vllm-{release}.dist-info").mkdir(parents=True)
    program = make_client(tmp_path / "fake", python=python)
    config = client_config(profile=True)
    if has_profiler:
        config["launch"]["env"] = {"VLLM_TORCH_PROFILER_DIR": "there"}
    env = {"PROFLLM_VLLM": str(program), "FAKE_RELEASE": release or "0.31.0"}
    result, _ = play(bin_dir, tmp_path, config, patience, env)
    assert result["environment"]["client"]["version"] == release
    assert "--profile" in result["environment"]["client"]["argv"]
    assert result["profiling"] == expected
    assert check_of(result) == (("over_limit", 1, "degraded") if expected["enabled"] else ("passed", 0, "degraded"))
