"""The reason why a server did not start or died: the cause, the remedy and the last lines, in result and console."""
import json
import os
import pty
import shlex
import subprocess
import sys

import pytest
from run_tools import (as_sentence, base_config, command, environment, load_result, run_profllm, sentences_of, write_config)

STAMP = "INFO 03-05 06:01:02 [core.py:1]"
ENGINE = "(EngineCore pid=7)"
READY = "INFO:     Application startup complete."
FRONT = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above."


def dying_config(tmp_path, log, end="exit 1", **output):
    """Returns the configuration of a server that writes its log and ends."""
    text = tmp_path / "log.txt"
    text.write_bytes(log if isinstance(log, bytes) else log.encode() + b"\n")
    script = tmp_path / "dies"
    script.write_text(f"#!/bin/sh\ncat {shlex.quote(str(text))}\n{end}\n")
    script.chmod(0o755)
    config = base_config()
    config["launch"].update(command=[str(script)], gpus=[], extra_args=[])
    if output:
        config["output"] = output
    return config


def die(bin_dir, tmp_path, patience, log, end="exit 1", **output):
    config = write_config(tmp_path, dying_config(tmp_path, log, end, **output))
    done = run_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json", "-q",
                       patience=patience)
    assert done.returncode == 3, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "launch_failed" and result["error"]["stage"] == "launch"
    return done, result


@pytest.mark.parametrize("cause,line", [
    ("out_of_memory", f"{ENGINE} ERROR 03-05 06:01:02 [core.py:1] torch.OutOfMemoryError: "
                      "CUDA out of memory. Tried to allocate 2.00 GiB."),
    ("kv_cache_too_small", f"{ENGINE} ValueError: No available memory for the cache blocks."),
    ("invalid_argument", "vllm serve: error: argument --dtype: invalid choice: 'float17'"),
    ("invalid_configuration", "x.ValidationError: 1 validation error for C\n"
                              "  Value error, a is less than b [type=value_error, x=1]"),
    ("port_in_use", "OSError: [Errno 98] Address already in use"),
    ("model_not_found", "OSError: x is not a local folder and is not a valid model identifier"),
    ("gated_model", "huggingface_hub.errors.GatedRepoError: 403 Client Error."),
    ("unsupported_model", "ValueError: Model architectures ['X'] are not supported for now."),
    ("quantization_mismatch", "ValueError: Cannot find the config file for awq"),
    ("missing_dependency", "ModuleNotFoundError: No module named 'x'"),
    ("cuda_error", f"{ENGINE} RuntimeError: CUDA error: an illegal memory access"),
    ("driver_mismatch", "RuntimeError: The NVIDIA driver on your system is too old"),
    ("nccl_error", f"{ENGINE} RuntimeError: NCCL error: unhandled system error"),
    ("disk_full", "OSError: [Errno 28] No space left on device"),
    ("no_gpu", "RuntimeError: No CUDA GPUs are available"),
])
def test_cause_hint_and_last_words(bin_dir, tmp_path, patience, cause, line):
    done, result = die(bin_dir, tmp_path, patience, f"{STAMP} begins\n{line}\n{FRONT}")
    error = result["error"]
    assert error["cause"] == cause
    assert error["log_line"] in line and len(error["log_line"]) > 10
    assert error["log_tail"] == [f"{STAMP} begins", *line.split("\n"), FRONT]
    assert f"Status: launch_failed ({cause})\n" in done.stdout
    assert f"Log line: {error['log_line']}\n" in done.stdout
    belief, why, action = sentences_of(done.stdout)
    assert "server" in belief and why == as_sentence(error["message"])
    assert action.startswith(as_sentence(error["hint"]))
    assert f"  | {FRONT}\n" in done.stdout
    assert f"Server log: {tmp_path}/r.server.log\n" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("log", [
    "something that nobody has ever seen",
    "RuntimeError: something that nobody has ever seen",
    f"{ENGINE} WARNING 03-05 06:01:02 [x.py:1] CUDA out of memory may follow",
    f"{ENGINE} INFO 03-05 06:01:02 [x.py:1] ImportError: none",
    "x.py:7: UserWarning: The NVIDIA driver on your system is too old",
])
def test_unknown_death_gets_no_wrong_cause(bin_dir, tmp_path, patience, log):
    done, result = die(bin_dir, tmp_path, patience, log)
    line = log if log.startswith("RuntimeError") else None
    assert result["error"]["cause"] == "unknown" and result["error"]["log_line"] == line
    assert result["error"]["log_tail"] == [log]
    assert f"  | {log}\n" in done.stdout and ("Log line: " in done.stdout) == (line is not None)


@pytest.mark.parametrize("end,cause", [
    ("kill -9 $$", "killed"), ("kill -TERM $$", "killed"), ("kill -SEGV $$", "crashed"),
    ("kill -ABRT $$", "crashed"), ("sh -c 'kill -9 $$'; exit 137", "killed"),
    ("exit 139", "crashed"), ("exit 3", "unknown"),
])
def test_end_by_a_signal(bin_dir, tmp_path, patience, end, cause):
    _, result = die(bin_dir, tmp_path, patience, f"{STAMP} begins", end)
    assert result["error"]["cause"] == cause


def test_tail_is_as_long_as_asked_and_ten_lines_on_the_console(bin_dir, tmp_path, patience):
    log = "\n".join(f"line {n}" for n in range(40))
    done, result = die(bin_dir, tmp_path, patience, log, server_log_tail=30)
    assert result["error"]["log_tail"] == [f"line {n}" for n in range(10, 40)]
    shown = [text for text in done.stdout.splitlines() if text.startswith("  | ")]
    assert shown == [f"  | line {n}" for n in range(30, 40)]


def test_colours_and_progress_bars_are_not_kept(bin_dir, tmp_path, patience):
    log = (b"\x1b[31mred\x1b[0m\n"
           b"\rloading 10%\rloading 50%\rloading 100%\n"
           b"dos line\r\n"
           b"\xff\xfe bytes \x07\x1b]0;title\x07that ring\n\n\n")
    done, result = die(bin_dir, tmp_path, patience, log)
    assert result["error"]["log_tail"] == ["red", "loading 100%", "dos line",
                                           "\ufffd\ufffd bytes  that ring"]
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout


def test_last_words_are_dimmed_on_a_terminal(bin_dir, tmp_path, patience):
    config = write_config(tmp_path, dying_config(tmp_path, "last words"))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json", "-q"), stdout=theirs,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment({"TERM": "xterm"}))
    os.close(theirs)
    shown = b""
    while True:
        try:
            got = os.read(ours, 65536)
        except OSError:
            break
        if not got:
            break
        shown += got
    os.close(ours)
    assert process.wait(timeout=60 * patience) == 3
    assert b"\x1b[2m| last words\x1b[0m" in shown


@pytest.mark.parametrize("failure,cause", [
    *((name, name) for name in
      "out_of_memory kv_cache_too_small invalid_argument invalid_configuration port_in_use "
      "model_not_found gated_model unsupported_model quantization_mismatch missing_dependency "
      "cuda_error driver_mismatch nccl_error disk_full unknown killed".split()),
    ("segfault", "crashed"),
])
def test_failed_start_of_the_simulator(bin_dir, tmp_path, patience, failure, cause):
    """A complete start in vLLM's words, with tracebacks of workers, engine and front end."""
    config = base_config()
    config["launch"]["gpus"] = []
    config["launch"]["extra_args"] = ["--sim-fail-start", failure]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 3, done.stderr
    error = load_result(tmp_path / "r.json")["error"]
    assert error["cause"] == cause
    assert (error["log_line"] is None) == (failure in ("unknown", "killed", "segfault"))


def server_script(tmp_path, lines):
    """Returns a server that writes these lines before it becomes the simulator."""
    script = tmp_path / "server"
    text = "\n".join(lines)
    script.write_text(f"#!{sys.executable}\nimport os, sys\nprint({text!r}, flush=True)\n"
                      "os.execvp('profllm-sim', ['profllm-sim', *sys.argv[1:]])\n")
    script.chmod(0o755)
    return [str(script), "serve"]


def test_phases_and_facts_of_a_start(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["extra_args"] += ["--sim-startup", "300ms"]
    config["launch"]["gpus"] = []
    config["launch"]["command"] = server_script(tmp_path, [
        "Using Flash Attention backend.", "torch.compile took 2.5 s in total"])
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience,
                       env={"PATH": f"{bin_dir}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    launch = load_result(tmp_path / "r.json")["launch"]
    phases, facts = launch["phases"], launch["facts"]
    order = ["spawn_s", "first_line_s", "engine_init_s", "weights_begin_s", "weights_loaded_s",
             "kv_cache_s", "graph_capture_s", "engine_ready_s", "healthy_s", "ready_s"]
    times = [phases[key] for key in order]
    assert None not in times and times[0] >= 0
    # a line that was read late is taken at its own stamp, of whole seconds; the first has none
    del times[1]
    assert all(after >= before - 1 for before, after in zip(times, times[1:]))
    assert phases["spawn_s"] <= phases["first_line_s"] <= phases["healthy_s"]
    assert phases["compiled_s"] is not None and phases["listening_s"] is not None
    assert phases["ready_s"] >= 0.3
    assert facts["max_model_len"] == 2048 and facts["attention_backend"] == "FLASH_ATTN"
    assert facts["compile_s"] == 2.5 and facts["kv_cache_tokens"] > 0
    assert facts["weights_gb"] > 0 and 0 < facts["init_engine_s"] <= 0.3
    # the simulator is not vLLM
    assert facts["vllm_version"] is None


def test_request_errors_in_the_log_are_no_cause(bin_dir, tmp_path, patience):
    """A server that was ready logged errors of a request, and then crashed."""
    log = "\n".join([READY, "(APIServer pid=1) ERROR 03-05 06:01:02 [v.py:1] "
                     "RuntimeError: CUDA error: said by a request"])
    _, result = die(bin_dir, tmp_path, patience, log)
    assert result["error"]["cause"] == "crashed" and result["error"]["log_line"] is None


@pytest.mark.parametrize("log,line", [
    (f"{ENGINE} torch.OutOfMemoryError: CUDA out of memory", "torch.OutOfMemoryError: CUDA out "
                                                             "of memory"),
    (f"KeyError: 'a'\n{ENGINE} RuntimeError: what nobody knows", "RuntimeError: what nobody knows"),
    ("still at work", None),
])
def test_server_that_fails_and_lives_on(bin_dir, tmp_path, patience, log, line):
    """The engine died and the front end waits: the cause is the timeout, and the line gives the reason."""
    config = dying_config(tmp_path, log, "exec sleep 600")
    config["launch"]["ready_timeout"] = "3s"
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 3, done.stderr
    error = load_result(tmp_path / "r.json")["error"]
    assert error["cause"] == "ready_timeout" and error["log_line"] == line


def test_secrets_that_a_server_prints_are_not_kept(bin_dir, tmp_path, patience):
    log = (f"{STAMP} non-default args: {{'port': 1, 'api_key': ['SECA-1111'], 'hf_token': "
           "'SECB-1111', 'loader': {'token': 'SECC-1111'}}\n"
           "ValueError: Model architectures of SECA-1111 and SECD-1111 are not supported")
    config = dying_config(tmp_path, log)
    config["server"].update(api_key="SECA-1111",
                            model_loader_extra_config={"token": "SECC-1111", "plain": "no-secret"})
    config["launch"]["env"] = {"HF_TOKEN": "SECB-1111"}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", "--force", patience=patience,
                       env={"MY_API_KEY": "SECD-1111"})
    assert done.returncode == 3, done.stderr
    result = load_result(tmp_path / "r.json")
    kept = (tmp_path / "r.json").read_text() + done.stdout
    assert "-1111" not in kept
    assert result["error"]["log_line"] == ("ValueError: Model architectures of *** and *** are "
                                           "not supported")
    assert "'hf_token': '***'" in result["launch"]["facts"]["non_default_args"]
    assert "'api_key': ['***']" in result["error"]["log_tail"][0]


CAUSES = {
    "unknown_argument": "invalid_argument", "bad_choice": "invalid_argument",
    "gpu_memory_utilization": "invalid_argument",
    "batched_tokens_small": "invalid_configuration",
    "model_len_too_long": "invalid_configuration", "tp_too_large": "invalid_configuration",
    "kv_cache_too_large": "out_of_memory", "quantization_mismatch": "quantization_mismatch",
    "model_not_found": "model_not_found", "port_in_use": "port_in_use",
}


@pytest.mark.parametrize("name", CAUSES)
def test_real_failed_starts(bin_dir, tmp_path, patience, test_data_dir, name):
    log = (test_data_dir / f"data/real/logs/start_fails_{name}.log").read_bytes()
    _, result = die(bin_dir, tmp_path, patience, log)
    assert result["error"]["cause"] == CAUSES[name]
    assert result["error"]["log_tail"][-1].startswith("exit=")


def test_every_cause_is_in_the_schema_and_has_its_page(source_dir):
    schema = json.loads((source_dir / "api/result.schema.json").read_text())
    causes = [name for name in schema["$defs"]["error"]["properties"]["cause"]["enum"] if name]
    page = (source_dir / "docs/reference/causes.md").read_text()
    for name in ("out_of_memory kv_cache_too_small invalid_argument invalid_configuration "
                 "port_in_use model_not_found gated_model unsupported_model "
                 "quantization_mismatch missing_dependency cuda_error driver_mismatch nccl_error "
                 "disk_full host_memory killed crashed hang ready_timeout unknown").split():
        assert name in causes
    for name in causes:
        assert f"| `{name}` |" in page
