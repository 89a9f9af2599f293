"""Each way in which a server can fail, simulated on request, and the outcome of the run."""
import json
import os
import pty
import signal

import jsonschema
import pytest
from run_tools import (base_config, load_result, marked_processes, read_zst_lines, run_profllm,
                       server_of, start_profllm, write_config)


@pytest.fixture(scope="module")
def validator(source_dir):
    return jsonschema.Draft202012Validator(
        json.loads((source_dir / "api" / "result.schema.json").read_text()))


def play(bin_dir, tmp_path, validator, patience, sim, *args, status, stage=None, cause=None,
         exit_status, launch=None, **benchmark):
    """A run against a simulator with these faults; its result, checked."""
    config = base_config(**benchmark)
    config["launch"]["extra_args"] += [*sim, "--sim-log", str(tmp_path / "sim.jsonl")]
    config["launch"].update(launch or {})
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", *args, patience=patience)
    result = load_result(tmp_path / "r.json")
    validator.validate(result)
    error = result["error"] or {"stage": None, "cause": None}
    assert (result["status"], error["stage"], error["cause"]) == (status, stage, cause), result["error"]
    assert done.returncode == exit_status
    assert marked_processes(result["run_id"]) == []
    assert not (tmp_path / "r.json.journal").exists()
    return result, done


def records_of(tmp_path):
    return read_zst_lines(tmp_path / "r.requests.jsonl.zst")


def sim_completed(tmp_path):
    """Returns the ids of the requests that the simulator had completed."""
    events = [json.loads(line) for line in (tmp_path / "sim.jsonl").read_text().splitlines()]
    return {event["request_id"] for event in events if event["event"] == "end"
            and event["status"] == "completed" and event["request_id"]}


@pytest.mark.parametrize("name,cause", [
    ("out_of_memory", "out_of_memory"), ("kv_cache_too_small", "kv_cache_too_small"),
    ("gated_model", "gated_model"), ("killed", "killed")])
def test_start_that_fails(bin_dir, tmp_path, validator, patience, name, cause):
    result, done = play(bin_dir, tmp_path, validator, patience, ["--sim-fail-start", name],
                        status="launch_failed", stage="launch", cause=cause, exit_status=3)
    assert result["results"] is None and result["quality"]["verdict"] is None
    assert result["error"]["code"] == "LAUNCH" and result["error"]["log_tail"]
    if name == "out_of_memory":
        assert "CUDA out of memory" in "\n".join(result["error"]["log_tail"])
        assert "CUDA out of memory" in done.stdout


def test_out_of_memory_is_reported_at_the_death(bin_dir, tmp_path, validator, patience):
    config = base_config()
    config["launch"]["extra_args"] += ["--sim-start-delay", "300ms", "--sim-fail-start",
                                       "out_of_memory"]
    # not at the end of this
    config["launch"]["ready_timeout"] = "1h"
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", patience=patience)
    assert done.returncode == 3
    assert load_result(tmp_path / "r.json")["error"]["cause"] == "out_of_memory"


def test_ready_timeout(bin_dir, tmp_path, validator, patience):
    play(bin_dir, tmp_path, validator, patience, ["--sim-start-delay", "10m"],
         status="launch_failed", stage="launch", cause="ready_timeout", exit_status=3,
         launch={"ready_timeout": "400ms"})


def test_server_that_is_never_well_is_not_ready(bin_dir, tmp_path, validator, patience):
    play(bin_dir, tmp_path, validator, patience, ["--sim-unhealthy", "10m"],
         status="launch_failed", stage="launch", cause="ready_timeout", exit_status=3,
         launch={"ready_timeout": "800ms"})


def test_server_that_is_unwell_at_first(bin_dir, tmp_path, validator, patience):
    result, _ = play(bin_dir, tmp_path, validator, patience, ["--sim-unhealthy", "700ms"],
                     status="completed", exit_status=0)
    assert result["launch"]["phases"]["healthy_s"] > 0.7


@pytest.mark.threads
@pytest.mark.parametrize("how,cause", [([], "crashed"), (["--sim-crash-signal", "KILL"], "killed")])
@pytest.mark.parametrize("cap", [8, None])
def test_crash_in_the_run_keeps_every_finished_request(bin_dir, tmp_path, validator, patience, how,
                                                       cause, cap):
    result, done = play(bin_dir, tmp_path, validator, patience, ["--sim-crash-after", "50", *how],
                        status="failed", stage="measure", cause=cause, exit_status=1,
                        num_prompts=200, max_concurrency=cap)
    ok = {record["request_id"] for record in records_of(tmp_path) if record["error"] is None}
    assert len(ok) == result["results"]["completed"] >= 50
    if cause == "crashed":  # killed outright, its own log may lack the last lines
        assert ok == sim_completed(tmp_path)
    assert len(records_of(tmp_path)) == 200
    assert "Failed requests by kind" in done.stdout


def test_crash_in_the_warm_up(bin_dir, tmp_path, validator, patience):
    """Warm-ups have no id, and the simulator counts only requests with an id: the test kills the server."""
    config = base_config(num_warmups=400, random_output_len=100)
    config["launch"]["extra_args"] = ["--sim-step", "20ms"]
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json")
    for line in process.stderr:
        if "400 warm-ups" in line:
            break
    os.kill(server_of(process.pid), signal.SIGKILL)
    process.communicate(timeout=60 * patience)
    result = load_result(tmp_path / "r.json")
    assert process.returncode == 1 and result["status"] == "failed"
    assert result["error"]["stage"] == "warmup" and "signal 9" in result["error"]["message"]
    assert result["results"] is None


@pytest.mark.threads
def test_hang(bin_dir, tmp_path, validator, patience):
    result, _ = play(bin_dir, tmp_path, validator, patience, ["--sim-hang-after", "20"],
                     status="timeout", stage="measure", cause="hang", exit_status=4,
                     num_prompts=60, max_concurrency=4, stall_timeout="3s",
                     launch={"stop_timeout": "500ms"})
    kinds = {record["error"] and record["error"]["kind"] for record in records_of(tmp_path)}
    assert kinds == {None, "stalled", "not_sent"}
    assert result["results"]["completed"] >= 20
    assert "stall_timeout (3 s)" in result["error"]["message"]


def test_run_timeout_names_itself(bin_dir, tmp_path, validator, patience):
    result, _ = play(bin_dir, tmp_path, validator, patience, ["--sim-step", "20ms"],
                     status="timeout", stage="measure", cause="run_timeout", exit_status=4,
                     num_prompts=400, random_output_len=100, max_concurrency=4,
                     launch={"run_timeout": "900ms"})
    assert "run_timeout (900 ms)" in result["error"]["message"]
    kinds = {record["error"] and record["error"]["kind"] for record in records_of(tmp_path)}
    assert "abandoned" in kinds and "not_sent" in kinds


@pytest.mark.release_only  # waits; timeouts of requests are in the unit tests of the load
def test_request_timeout_only_fails_its_request(bin_dir, tmp_path, validator, patience):
    result, done = play(bin_dir, tmp_path, validator, patience, ["--sim-stall-rate", "0.1"],
                        status="partial", stage="measure", cause=None, exit_status=1,
                        num_prompts=100, request_timeout=f"{2 * patience}s")
    failed = result["results"]["failed"]
    assert 0 < failed < 40 and result["results"]["completed"] == 100 - failed
    assert [(entry["kind"], entry["count"]) for entry in result["results"]["errors"]] == [
        ("timeout", failed)]
    assert f"{failed} x timeout" in done.stdout


@pytest.mark.parametrize("sim,kind,status", [
    (["--sim-error-rate", "0.03"], "http_status", 500),
    (["--sim-error-rate", "0.03", "--sim-error-status", "503"], "http_status", 503),
    (["--sim-reset-rate", "0.03"], "reset", 200),
    (["--sim-stream-error-rate", "0.03"], "stream_error", 200),
    (["--sim-truncate-rate", "0.03"], "truncated", 200),
    (["--sim-bad-json-rate", "0.03"], "protocol", 200),
])
def test_three_in_a_hundred_fail(bin_dir, tmp_path, validator, patience, sim, kind, status):
    result, done = play(bin_dir, tmp_path, validator, patience, sim, status="partial",
                        stage="measure", cause=None, exit_status=1, num_prompts=1000,
                        max_concurrency=200, random_output_len=4)
    errors = result["results"]["errors"]
    failed = result["results"]["failed"]
    assert 10 < failed < 80 and result["results"]["completed"] == 1000 - failed
    assert [(entry["kind"], entry["status"], entry["count"]) for entry in errors] == [
        (kind, status, failed)]
    assert errors[0]["sample"] and errors[0]["sample"].splitlines()[0] in done.stdout
    assert result["error"]["message"] == f"{failed} of 1000 requests failed"
    assert result["error"]["code"] == "FAILED"


def test_one_in_two_hundred_is_completed(bin_dir, tmp_path, validator, patience):
    result, _ = play(bin_dir, tmp_path, validator, patience, ["--sim-error-rate", "0.005"],
                     status="completed", exit_status=0, num_prompts=2000, max_concurrency=200,
                     random_output_len=4)
    assert 0 < result["results"]["failed"] <= 20 and result["error"] is None


def test_nothing_finished(bin_dir, tmp_path, validator, patience):
    """Only requests of the run have an id and fail; the server itself works."""
    result, _ = play(bin_dir, tmp_path, validator, patience, ["--sim-error-rate", "1"],
                     status="failed", stage="measure", cause="all_failed", exit_status=1)
    assert result["results"]["completed"] == 0 and result["results"]["mean_ttft_ms"] is None


@pytest.mark.parametrize("number,status", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                           (signal.SIGHUP, 129)])
@pytest.mark.parametrize("line,stage", [("waiting for the server", "launch"),
                                        ("warm-ups", "warmup"), ("sending", "measure"),
                                        ("stopping the server", "stop")])
def test_signals_in_each_stage(bin_dir, tmp_path, validator, patience, number, status, line, stage):
    """

    Without the signal, each stage would last for minutes. In the last one, a script starts the server and obeys SIGTERM
    only when the test allows it.


    """
    script = tmp_path / "server"
    script.write_text(f"""#!/bin/sh
{bin_dir}/profllm-sim "$@" &
child=$!
trap 'while [ ! -e "$0.go" ]; do sleep 0.01; done; kill $child' TERM
wait $child; wait $child
""")
    script.chmod(0o755)
    config = base_config(num_warmups=4000 if stage == "warmup" else 4,
                         num_prompts=4000 if stage == "measure" else 30,
                         max_concurrency=2, random_output_len=40)
    config["launch"]["command"] = [str(script), "serve"]
    config["launch"]["extra_args"] += ["--sim-start-delay", "10m" if stage == "launch" else "0ms"]
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json")
    for text in process.stderr:
        if line in text:
            break
    process.send_signal(number)
    (tmp_path / "server.go").touch()
    process.communicate(timeout=60 * patience)
    result = load_result(tmp_path / "r.json")
    validator.validate(result)
    assert process.returncode == status
    assert (result["status"], result["error"]["stage"], result["error"]["cause"]) == (
        "interrupted", stage, "signal")
    assert f"signal {int(number)} " in result["error"]["message"]
    if stage == "stop":
        assert result["results"]["completed"] == 30
    assert marked_processes(result["run_id"]) == []


def test_closed_terminal(bin_dir, tmp_path, validator, patience):
    """The closed terminal accepts no output; the result is written, and the exit status is that of SIGHUP."""
    config = base_config(num_prompts=4000, max_concurrency=2, random_output_len=40)
    path = write_config(tmp_path, config)
    pid, leader = pty.fork()
    if pid == 0:
        os.execv(bin_dir / "profllm", ["profllm", "run", "-c", str(path), "-o",
                                       str(tmp_path / "r.json")])
    shown = b""
    while b"sending" not in shown:
        shown += os.read(leader, 65536)
    os.close(leader)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 129
    result = load_result(tmp_path / "r.json")
    validator.validate(result)
    assert result["status"] == "interrupted" and result["error"]["stage"] == "measure"
    assert marked_processes(result["run_id"]) == []
