"""Every way in which a run can end: status, exit status, a complete result, and no running process."""
import json
import os
import re
import shutil
import signal
import subprocess
import threading

import pytest
from run_tools import (as_sentence, base_config, environment, load_result, marked_processes, read_zst_lines,
                       run_profllm, sentences_of, server_of, start_profllm, write_config)
from wait_tools import wait_for


def long_config(**benchmark):
    """Returns a run of several minutes."""
    config = base_config(**{"num_prompts": 400, "random_output_len": 400, "max_concurrency": 8,
                            **benchmark})
    config["launch"]["extra_args"] = ["--sim-step", "20ms"]
    return config


def requests_with_id(log):
    """Counts the requests of the load at the simulator: only those have an id."""
    lines = log.read_text().splitlines()[:-1] if log.exists() else []
    events = [json.loads(line) for line in lines]
    return sum(event["event"] == "request" and event["request_id"] is not None for event in events)


def wait_for_line(stream, text):
    """Returns the lines up to the first that contains `text`."""
    lines = []
    for line in stream:
        lines.append(line)
        if text in line:
            return lines
    raise AssertionError(f"{text!r} never came: {lines}")


def finish(process, patience):
    out, err = process.communicate(timeout=60 * patience)
    return process.returncode, out, err


def assert_no_bare_verdict(out, result, run):
    """The line of the verdict describes the run; the bare word of the checks appears nowhere."""
    verdict = result["quality"]["verdict"]
    line, = re.findall("^Verdict: (.*)$", out, re.M)
    assert (verdict is None) == (result["results"]["completed"] == 0)
    belief, why, action, *_ = sentences_of(out)
    assert line == "none" and run in belief and action
    assert (f"'{verdict}'" in why) == (verdict is not None)


def assert_all_gone(result):
    assert marked_processes(result["run_id"]) == []


def test_missing_program(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["command"] = ["no-such-server", "serve"]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", patience=patience)
    assert done.returncode == 3
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "launch_failed" and result["results"] is None
    assert result["error"]["cause"] == "not_executable"
    assert result["quality"]["verdict"] is None
    assert result["environment"]["engine"]["simulated"] is None


def test_a_missing_simulator_names_its_package(bin_dir, tmp_path, patience):
    shutil.copy(bin_dir / "profllm", tmp_path)
    config = base_config(num_prompts=2)
    del config["launch"]
    words = ["run", "-c", write_config(tmp_path, config), "--sim", "-q", "-o", tmp_path / "r.json"]
    done = run_profllm(tmp_path, *words, env={"PATH": "/usr/bin:/bin"}, patience=patience)
    assert done.returncode == 3, done.stderr
    error = load_result(tmp_path / "r.json")["error"]
    assert error["message"] == f"found no program 'profllm-sim' in '{tmp_path}', the directory of profllm, or in PATH: the simulator is not installed"
    assert error["hint"] == "install the package profllm-sim, or copy profllm-sim to the directory of profllm"
    assert "--sim' needs no vLLM" not in " ".join(done.stdout.split())


def test_missing_vllm_names_the_simulator(bin_dir, tmp_path, patience):
    """If vLLM is not installed, the output names alternatives, before and after."""
    config = base_config(num_prompts=2)
    config["launch"] = {"extra_args": ["--sim-step", "2ms"]}
    words, env = ["run", "-c", write_config(tmp_path, config), "-q"], {"PATH": str(tmp_path)}
    said = ("ound no program 'vllm' in PATH or next to profllm: vLLM is not installed; "
            "to measure a running server, set launch.url; to try it without vLLM, add --sim")
    done = run_profllm(bin_dir, *words, "-o", tmp_path / "r.json", env=env, patience=patience)
    assert done.returncode == 3
    assert "\nStatus: launch_failed (not_executable)\n" in "\n" + done.stdout
    assert sentences_of(done.stdout)[1] == f"F{said}."
    assert "'profllm run --sim'" in " ".join(done.stdout.split())
    plan = run_profllm(bin_dir, *words, "--dry-run", env=env, patience=patience)
    assert plan.returncode == 0 and f"\nwarning: f{said}\n" in plan.stdout
    done = run_profllm(bin_dir, *words, "-o", tmp_path / "s.json", "--sim", env=env, patience=patience)
    assert done.returncode == 0 and load_result(tmp_path / "s.json")["status"] == "completed"


def test_server_that_refuses_its_arguments(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["extra_args"] = ["--sim-step", "never"]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", patience=patience)
    assert done.returncode == 3
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "launch_failed"
    assert result["error"]["stage"] == "launch" and result["error"]["code"] == "LAUNCH"
    assert "sim-step" in "\n".join(result["error"]["log_tail"])
    assert result["launch"]["exit"]["status"] == 2
    assert "sim-step" in done.stdout
    assert {artifact["kind"] for artifact in result["artifacts"]} - {"series"} == {"server_log"}
    assert_all_gone(result)


@pytest.mark.parametrize("log,cause", [
    ("vllm serve: error: argument --dtype: invalid choice: 'float17'", "invalid_argument"),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "out_of_memory"),
    ("OSError: [Errno 98] Address already in use", "port_in_use"),
    ("something that nobody has ever seen", "unknown"),
])
def test_death_at_start_names_its_cause(bin_dir, tmp_path, patience, log, cause):
    config = base_config()
    script = tmp_path / "dies"
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{log}\nEND\nexit 9\n")
    script.chmod(0o755)
    config["launch"]["command"] = [str(script)]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 3
    error = load_result(tmp_path / "r.json")["error"]
    assert error["cause"] == cause
    assert error["log_tail"] == [log]
    assert "exit status 9" in error["message"]


def test_ready_timeout_ends_a_server_that_never_listens(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["extra_args"] = ["--sim-startup", "10m"]
    config["launch"]["ready_timeout"] = "300ms"
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 3
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "launch_failed" and result["error"]["cause"] == "ready_timeout"
    assert_all_gone(result)


def test_server_that_ignores_sigterm_is_killed(bin_dir, tmp_path, patience):
    script = tmp_path / "stubborn"
    script.write_text("#!/bin/sh\ntrap '' TERM\nsleep 600 &\nwait\nsleep 600\n")
    script.chmod(0o755)
    config = base_config()
    config["launch"].update(command=[str(script)], ready_timeout="2s", stop_timeout="200ms")
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 3
    result = load_result(tmp_path / "r.json")
    assert result["launch"]["exit"]["killed"] is True
    assert result["launch"]["exit"]["signal"] == signal.SIGKILL
    assert_all_gone(result)


def test_child_in_a_separate_session_is_ended_too(bin_dir, tmp_path, patience):
    script = tmp_path / "daemon"
    script.write_text("#!/bin/sh\nsetsid sh -c ': > \"$0.up\"; sleep 600' \"$0\" &\n"
                      "while [ ! -e \"$0.up\" ]; do sleep 0.01; done\nexit 4\n")
    script.chmod(0o755)
    config = base_config()
    config["launch"]["command"] = [str(script)]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 3
    assert_all_gone(load_result(tmp_path / "r.json"))


@pytest.mark.threads
@pytest.mark.parametrize("number,status", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                           (signal.SIGHUP, 129)])
def test_signal_during_the_run(bin_dir, tmp_path, patience, number, status):
    path = write_config(tmp_path, long_config())
    process = start_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json")
    wait_for_line(process.stderr, "sending 400 requests")
    process.send_signal(number)
    code, out, _ = finish(process, patience)
    assert code == status
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "interrupted" and result["error"]["cause"] == "signal"
    assert result["error"]["stage"] == "measure"
    assert result["launch"]["exit"]["killed"] is False
    assert "Status: interrupted" in out
    assert_no_bare_verdict(out, result, "an interrupted run")
    records = read_zst_lines(tmp_path / "r.requests.jsonl.zst")
    assert len(records) == 400
    assert_all_gone(result)


def many_prompts():
    """Returns a load with thousands of calls of /detokenize and /tokenize before the first request."""
    return base_config(num_prompts=30000, random_input_len=500)


def test_signal_while_prompts_are_made(bin_dir, tmp_path, patience):
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, many_prompts()), "-o",
                            tmp_path / "r.json", "--set", "launch.stop_timeout=300ms")
    wait_for_line(process.stderr, "making prompts")
    # a server that answers nothing any more does not hold the signal up either
    os.kill(server_of(process.pid), signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    code, _, _ = finish(process, patience)
    assert code == 130
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "interrupted" and result["error"]["stage"] == "prepare"
    assert_all_gone(result)


def test_server_killed_while_prompts_are_made(bin_dir, tmp_path, patience):
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, many_prompts()), "-o",
                            tmp_path / "r.json")
    wait_for_line(process.stderr, "making prompts")
    os.kill(server_of(process.pid), signal.SIGKILL)
    code, _, _ = finish(process, patience)
    assert code == 1
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "failed" and result["error"]["cause"] == "killed"
    assert "signal 9" in result["error"]["message"]
    assert_all_gone(result)


def test_server_that_stalls_in_the_warm_up(bin_dir, tmp_path, patience):
    config = long_config(num_warmups=50, stall_timeout="500ms")
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json", "--set", "launch.stop_timeout=300ms")
    wait_for_line(process.stderr, "50 warm-ups")
    os.kill(server_of(process.pid), signal.SIGSTOP)
    code, _, _ = finish(process, patience)
    assert code == 4
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "timeout" and result["error"]["cause"] == "hang"
    assert result["error"]["stage"] == "warmup"
    assert_all_gone(result)


def test_signal_while_the_server_starts(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["extra_args"] = ["--sim-startup", "10m"]
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json")
    wait_for_line(process.stderr, "waiting for the server")
    process.send_signal(signal.SIGINT)
    code, _, _ = finish(process, patience)
    assert code == 130
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "interrupted" and result["results"] is None
    assert_all_gone(result)


def test_second_signal_kills_a_server_that_takes_its_time(bin_dir, tmp_path, patience):
    script = tmp_path / "stubborn"
    script.write_text("#!/bin/sh\ntrap '' TERM\n: > \"$0.deaf\"\nwhile :; do sleep 1; done\n")
    script.chmod(0o755)
    config = base_config()
    config["launch"].update(command=[str(script)], stop_timeout="10m")
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json")
    wait_for((tmp_path / "stubborn.deaf").exists, "it is deaf", 60, process)
    process.send_signal(signal.SIGINT)
    wait_for_line(process.stderr, "stopping the server")
    process.send_signal(signal.SIGINT)
    code, _, _ = finish(process, patience)
    assert code == 130
    result = load_result(tmp_path / "r.json")
    assert result["launch"]["exit"]["killed"] is True
    assert_all_gone(result)


@pytest.mark.threads
def test_server_killed_mid_run_keeps_finished_requests(bin_dir, tmp_path, patience):
    config = long_config(random_output_len=20)
    sim_log = tmp_path / "sim.jsonl"
    config["launch"]["extra_args"] += ["--sim-log", str(sim_log)]
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json")
    wait_for_line(process.stderr, "sending 400 requests")
    server = server_of(process.pid)
    wait_for(lambda: sim_log.exists() and sim_log.read_text().count('"completed"') > 12,
             "requests of the measured run have finished", 60, process)
    os.kill(server, signal.SIGKILL)
    code, out, _ = finish(process, patience)
    assert code == 1
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "failed" and result["error"]["cause"] == "killed"
    assert "signal 9" in result["error"]["message"]
    assert result["results"]["completed"] > 0 and result["results"]["failed"] > 0
    assert_no_bare_verdict(out, result, "a run that failed")
    records = read_zst_lines(tmp_path / "r.requests.jsonl.zst")
    done = {record["request_id"] for record in records if record["error"] is None}
    assert len(done) == result["results"]["completed"]
    ended = set()
    for line in sim_log.read_text().splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:  # the line that it was writing
            continue
        if event["event"] == "end" and event["status"] == "completed":
            ended.add(event["request_id"])
    # the log's last lines may not have been written when it was killed
    assert len(done - ended) <= 8
    assert_all_gone(result)


def custom_data(path, lengths):
    with open(path, "w", encoding="utf-8") as file:
        for i, words in enumerate(lengths):
            file.write(json.dumps({"prompt": f"{i} " + "word " * words, "output_tokens": 4}) + "\n")


def custom_config(tmp_path, lengths, **benchmark):
    custom_data(tmp_path / "prompts.jsonl", lengths)
    config = base_config(dataset_name="custom", dataset_path=str(tmp_path / "prompts.jsonl"),
                         custom_output_len=-1, num_prompts=len(lengths), ignore_eos=True, **benchmark)
    for key in ("random_input_len", "random_output_len"):
        del config["benchmark"][key]
    config["server"]["max_model_len"] = 256
    return config


def test_some_refused_requests_are_partial(bin_dir, tmp_path, patience):
    config = custom_config(tmp_path, [10] * 17 + [1000] * 3)
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 1, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "partial"
    assert result["results"]["completed"] == 17 and result["results"]["failed"] == 3
    assert result["error"]["message"] == "3 of 20 requests failed"
    failed = [record for record in read_zst_lines(tmp_path / "r.requests.jsonl.zst")
              if record["error"] is not None]
    assert len(failed) == 3
    assert {(record["status"], record["error"]["kind"]) for record in failed} == {(400, "http_status")}
    assert "Failed requests" in done.stdout and "400" in done.stdout
    assert_no_bare_verdict(done.stdout, result, "a partial run")


def test_few_refused_requests_are_within_max_error_share(bin_dir, tmp_path, patience):
    config = custom_config(tmp_path, [10] * 19 + [1000], max_error_share=0.05)
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "completed" and result["results"]["failed"] == 1


def test_all_refused_is_failed(bin_dir, tmp_path, patience):
    config = custom_config(tmp_path, [1000] * 5)
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 1
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "failed" and result["error"]["cause"] == "all_failed"
    assert result["results"]["completed"] == 0
    assert result["results"]["mean_ttft_ms"] is None
    assert_no_bare_verdict(done.stdout, result, "a run that failed")


def test_run_timeout(bin_dir, tmp_path, patience):
    config = long_config()
    config["launch"]["run_timeout"] = "500ms"
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 4
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "timeout" and result["error"]["cause"] == "run_timeout"
    assert_no_bare_verdict(done.stdout, result, "a run that timed out")
    assert_all_gone(result)


@pytest.mark.threads
def test_stalled_server_ends_in_timeout(bin_dir, tmp_path, patience):
    config = long_config(stall_timeout="500ms")
    log = tmp_path / "sim.jsonl"
    config["launch"]["extra_args"] += ["--sim-log", str(log)]
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json", "--set", "launch.stop_timeout=300ms")
    wait_for_line(process.stderr, "sending 400 requests")
    # before the load, the run would ask a stopped server for its counters for 10 s
    wait_for(lambda: requests_with_id(log), "a request of the load", 30, process)
    server = server_of(process.pid)
    os.kill(server, signal.SIGSTOP)
    code, out, _ = finish(process, patience)
    assert code == 4
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "timeout" and result["error"]["cause"] == "hang"
    # the server has ended with the run: its number is of no use to anyone
    assert str(server) not in result["error"]["hint"] and "to see what it waits for, repeat the run" in result["error"]["hint"]
    assert sentences_of(out)[2] == as_sentence(result["error"]["hint"])
    assert result["launch"]["exit"]["killed"] is True
    assert_all_gone(result)


def hold_down(pid, ended):
    """Stops and continues a process in bursts, until `ended` is set."""
    while not ended.is_set():
        os.kill(pid, signal.SIGSTOP)
        ended.wait(0.05)
        os.kill(pid, signal.SIGCONT)
        ended.wait(0.05)


@pytest.mark.parametrize("rate", [10, "inf"])
@pytest.mark.parametrize("fail_on,status", [([], 0), (["--fail-on", "degraded"], 6)])
def test_client_held_down_is_not_trusted(bin_dir, tmp_path, patience, rate, fail_on, status):
    config = base_config(num_prompts=40, request_rate=rate, random_output_len=100)
    config["launch"]["extra_args"] = ["--sim-step", "20ms"]
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json", *fail_on)
    wait_for_line(process.stderr, "sending 40 requests")
    ended = threading.Event()
    holder = threading.Thread(target=hold_down, args=(process.pid, ended))
    holder.start()
    try:
        wait_for_line(process.stderr, "stopping the server")
    finally:
        ended.set()
        holder.join()
    code, _, _ = finish(process, patience)
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "completed" and result["results"]["completed"] == 40
    assert result["quality"]["verdict"] in ("degraded", "client_limited")
    checks = {check["id"]: check["status"] for check in result["quality"]["checks"]}
    assert checks["client_queueing"] == "over_limit"
    assert code == status


@pytest.fixture
def running_sim(bin_dir, tmp_path):
    """Starts a simulator on a port of the kernel's choice, outside any run."""
    process = subprocess.Popen([str(bin_dir / "profllm-sim"), "serve", "sim/other", "--host",
                                "127.0.0.1", "--port", "0", "--sim-step", "2ms"], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, env=environment())
    lines = wait_for_line(process.stdout, "http://127.0.0.1:")
    port = lines[-1].split("http://127.0.0.1:")[1].split()[0].strip("/ ")
    drain = threading.Thread(target=process.stdout.read, daemon=True)
    drain.start()
    yield process, f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(timeout=30)


def test_server_that_already_runs(bin_dir, tmp_path, patience, running_sim):
    process, url = running_sim
    config = base_config(num_warmups=2)
    config["launch"] = {"url": url}
    config["server"] = {}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "--set", "benchmark.ready_check_timeout_sec=30",
                       patience=patience)
    assert done.returncode == 0, done.stderr
    assert process.poll() is None
    result = load_result(tmp_path / "r.json")
    assert result["results"]["completed"] == 20
    assert result["launch"]["url"] == url and result["launch"]["argv"] is None
    assert result["config"]["benchmark"]["model"] == "sim/other"
    assert result["environment"]["engine"]["simulated"] is True
    assert "SIMULATED" in done.stdout
    assert {artifact["kind"] for artifact in result["artifacts"]} == {"requests", "series"}


def test_server_that_should_run_and_does_not(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"] = {"url": "http://127.0.0.1:1"}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 3
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "launch_failed" and result["error"]["cause"] == "unreachable"


def test_unix_socket(bin_dir, tmp_path, patience):
    config = base_config()
    config["server"]["uds"] = str(tmp_path / "s")
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["results"]["completed"] == 20 and result["launch"]["port"] is None
