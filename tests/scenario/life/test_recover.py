"""kill -9 at any moment leaves a result or a journal, from which `profllm recover` makes a result."""
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
from host_tools import need
from journal_tools import SURELY_WRITTEN_S, completed_before, journal_of, wait_until_written
from run_tools import (base_config, load_result, marked_processes, read_zst_lines, run_profllm,
                       sentences_of, start_profllm, write_config)
from wait_tools import wait_for

pytestmark = pytest.mark.long_file

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
KILLS = 500 if LONG else 20
AT_ONCE = 4
SEED = 20261121


@pytest.fixture(scope="module")
def validators(source_dir):
    def read(name):
        text = (source_dir / "api" / f"{name}.schema.json").read_text()
        return jsonschema.Draft202012Validator(json.loads(text))

    return read("result"), read("requests")


def short_config(folder, **benchmark):
    """Returns about 1.5 s of load, with the simulator's log in the same directory."""
    config = base_config(**{"num_prompts": 300, "random_output_len": 20, "max_concurrency": 8,
                            **benchmark})
    config["launch"]["extra_args"] += ["--sim-log", str(folder / "sim.jsonl")]
    return config


def written_ns(output, killed_ns, patience):
    """Returns the time before which every ended request is in the journal; earlier if the machine starved the writer."""
    last_ns = journal_of(output).stat().st_mtime_ns - (time.time_ns() - time.monotonic_ns())
    assert killed_ns - last_ns < 10e9, "nothing was written for ten seconds"
    return min(killed_ns - int(SURELY_WRITTEN_S * patience * 1e9), last_ns - int(0.3e9))


def check_recovered(output, validators, surely_ns=None):
    result = load_result(output)
    validators[0].validate(result)
    assert result["status"] == "interrupted" and result["error"]["cause"] == "killed"
    assert not journal_of(output).exists()
    assert marked_processes(result["run_id"]) == []
    requests = output.with_suffix(".requests.jsonl.zst")
    if result["results"] is None:
        assert not requests.exists()
        return result, []
    records = read_zst_lines(requests)
    for record in records:
        validators[1].validate(record)
    assert [record["index"] for record in records] == list(range(len(records)))
    done = {record["request_id"] for record in records if record["error"] is None}
    assert len(done) == result["results"]["completed"]
    if surely_ns is not None:
        missing = completed_before(output.parent, surely_ns) - done
        assert not missing, missing
    return result, records


def kill_once(bin_dir, folder, moment_s, validators, patience):
    """Kills a run after this time (None: never); returns 'whole', 'recovered' or 'nothing'."""
    folder.mkdir()
    output = folder / "r.json"
    process = start_profllm(bin_dir, "run", "-c", write_config(folder, short_config(folder)), "-o",
                            output, "-q")
    try:
        process.communicate(timeout=moment_s)
        killed_ns = None
    except subprocess.TimeoutExpired:
        killed_ns = time.monotonic_ns()
        process.kill()
        process.communicate(timeout=60 * patience)
    was_whole = output.exists()
    if was_whole:
        validators[0].validate(load_result(output))
        assert load_result(output)["status"] == "completed"
    if not journal_of(output).exists():
        assert was_whole or not (folder / "r.server.log").exists()
        return "whole" if was_whole else "nothing"
    surely_ns = killed_ns and written_ns(output, killed_ns, patience)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    if "contains no run" in done.stderr:
        assert done.returncode == 2 and not (folder / "r.server.log").exists()
        return "nothing"
    assert done.returncode == 0, done.stderr
    if was_whole:
        assert "only the journal was removed" in done.stdout
        assert not journal_of(output).exists()
        return "whole"
    check_recovered(output, validators, surely_ns)
    return "recovered"


def test_kill_at_random_moments(bin_dir, tmp_path, validators, patience):
    rng = random.Random(SEED)
    began = time.monotonic()
    assert kill_once(bin_dir, tmp_path / "whole", None, validators, patience) == "whole"
    longest_s = 1.2 * (time.monotonic() - began)
    moments = [rng.uniform(0, longest_s) for _ in range(KILLS)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(
            lambda i: kill_once(bin_dir, tmp_path / str(i), moments[i], validators, patience),
            range(KILLS)))
    assert ends.count("recovered") >= KILLS / 4, ends


def kill_in_the_run(bin_dir, folder, patience, config=None, finished=40):
    """Kills when the given number of requests had finished for SURELY_WRITTEN_S; returns its output, and written_ns()."""
    output = folder / "r.json"
    process = start_profllm(bin_dir, "run", "-c",
                            write_config(folder, config or short_config(folder, num_prompts=4000)),
                            "-o", output, "-q")
    wait_until_written(folder, finished, process)
    moment_ns = time.time_ns()
    wait_for(lambda: journal_of(output).stat().st_mtime_ns > moment_ns, "they are written", 60, process)
    killed_ns = time.monotonic_ns()
    process.kill()
    process.communicate(timeout=60 * patience)
    return output, written_ns(output, killed_ns, patience)


@pytest.fixture(scope="module")
def killed_once(bin_dir, tmp_path_factory, patience):
    """A killed run, and a copy of all its files."""
    folder = tmp_path_factory.mktemp("killed")
    config = short_config(folder, num_prompts=1200, random_output_len=60, profile=True, metric_percentiles="100,12.5,0")
    config["launch"]["env"] = {"VLLM_TORCH_PROFILER_DIR": "/tmp/traces"}
    output, surely_ns = kill_in_the_run(bin_dir, folder, patience, config)
    kept = folder.with_name("kept")
    shutil.copytree(folder, kept)
    return output, surely_ns, kept


@pytest.fixture
def killed(killed_once):
    """Restores the killed run: its output, and written_ns(). The journal contains the names of its files, so it returns to
    its directory."""
    output, surely_ns, kept = killed_once
    shutil.rmtree(output.parent)
    shutil.copytree(kept, output.parent)
    return output, surely_ns


@pytest.mark.threads
def test_finished_requests_stay(bin_dir, tmp_path, validators, patience):
    output, surely_ns = kill_in_the_run(bin_dir, tmp_path, patience)
    before = journal_of(output).read_bytes()
    # nothing is lost by running again without looking
    again = run_profllm(bin_dir, "run", "-c", tmp_path / "experiment.yaml", "-o", output,
                        patience=patience)
    assert again.returncode == 2 and "profllm recover" in again.stderr
    assert journal_of(output).read_bytes() == before and not output.exists()
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    assert "Status: interrupted (killed)\n" in done.stdout
    assert "was killed during the measured run" in sentences_of(done.stdout)[1]
    assert "Successful requests" in done.stdout and "SIMULATED" in done.stdout
    result, records = check_recovered(output, validators, surely_ns)
    assert result["error"]["stage"] == "measure" and result["error"]["log_tail"]
    assert result["environment"]["engine"]["name"] == "profllm-sim"
    assert result["config"]["server"]["max_model_len"] == 2048
    assert len(records) == 4000 and result["results"]["completed"] >= 40
    kinds = {}
    for record in records:
        kind = record["error"] and record["error"]["kind"]
        kinds[kind] = kinds.get(kind, 0) + 1
        assert (record["acted_ns"] is None) == (kind == "not_sent")
    assert set(kinds) <= {None, "abandoned", "not_sent"} and kinds["abandoned"] <= 8
    assert {artifact["kind"] for artifact in result["artifacts"]} == {"requests", "server_log"}
    # half-written files of the killed process neither
    assert not list(tmp_path.glob("*.tmp.*"))
    # records state their error bounds and the load
    assert result["quality"]["measurement"]["metric"] in result["results"]
    assert result["quality"]["load"]["in_flight_distance"]["value"] >= 0
    # what was measured until then may be sound; the run has no verdict
    assert not re.search("^Verdict: (trusted|degraded|client_limited)$", done.stdout, re.M)
    assert "\nVerdict: none\n" in done.stdout and "interrupted run" in sentences_of(done.stdout)[0]
    # and once more: it is finished, and stays as it is
    whole = output.read_bytes()
    again = run_profllm(bin_dir, "recover", output, patience=patience)
    assert again.returncode == 0 and again.stderr == ""
    first, _, rest = again.stdout.partition("\n")
    assert first == (f"Nothing to recover: '{output}' is finished ({result['run_id']}, status interrupted, "
                     f"started {result['timestamp']}).")
    assert rest == done.stdout.partition("\n")[2] and output.read_bytes() == whole


# A disk on which each sync takes four seconds, and a file that exists meanwhile.
SLOW_DISK = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int fdatasync(int fd)
{
	(void)fd;
	close(open(getenv("TEST_SYNC_BEGUN"), O_WRONLY | O_CREAT, 0600));
	sleep(4);
	unlink(getenv("TEST_SYNC_BEGUN"));
	return 0;
}
"""


def test_a_slow_disk_holds_up_no_write(bin_dir, tmp_path, validators, patience):
    """Written data outlives the process, however slow the disk is."""
    if os.environ.get("PROFLLM_SANITIZED"):
        pytest.skip("a sanitizer wants to be loaded before the library that plays the disk")
    compiler = need("gcc")
    (tmp_path / "shim.c").write_text(SLOW_DISK)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "shim.so", "shim.c"], cwd=tmp_path, check=True)
    begun, output = tmp_path / "begun", tmp_path / "r.json"
    process = start_profllm(
        bin_dir, "run", "-c", write_config(tmp_path, short_config(tmp_path, num_prompts=4000)), "-o", output, "-q",
        env={"LD_PRELOAD": str(tmp_path / "shim.so"), "TEST_SYNC_BEGUN": str(begun)})

    def written_within_a_sync():
        try:
            return journal_of(output).stat().st_mtime_ns > begun.stat().st_mtime_ns + 1e9
        except FileNotFoundError:
            return False

    # the first sync is the run's own, before it measures
    wait_for(lambda: completed_before(tmp_path, time.monotonic_ns()), "the load", 60, process)
    wait_for(written_within_a_sync, "it is written while a sync goes on", 60, process)
    killed_ns = time.monotonic_ns()
    process.kill()
    process.communicate(timeout=60)
    surely_ns = written_ns(output, killed_ns, patience)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    check_recovered(output, validators, surely_ns)


@pytest.mark.parametrize("content, says", [
    (None, "nor result"), (b"", "is not a result"), (b"[1]", "is not a result"), (b"{}", "is not a result"),
    (b'{"run_id": "x", "status": "fine"}', "is not a result"), (b'{"run_id": 1, "status": "completed"}', "is not a result"),
])
def test_neither_journal_nor_result(bin_dir, tmp_path, patience, content, says):
    output = tmp_path / "r.json"
    if content is not None:
        output.write_bytes(content)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 2 and done.stdout == ""
    assert f"journal '{output}.journal' " in done.stderr
    assert says in done.stderr


def test_a_result_that_is_little_more_than_a_status(bin_dir, tmp_path, source_dir, patience):
    """A small result of another program is shown."""
    output = tmp_path / "r.json"
    output.write_text('{"run_id": "exp_1", "status": "completed"}')
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    assert "(exp_1, status completed, started unknown)" in done.stdout
    output.write_text((source_dir / "tests/scenario/data/result.json").read_text())
    done = run_profllm(bin_dir, "recover", output, "--json", patience=patience)
    assert done.returncode == 0 and json.loads(done.stdout) == load_result(output)
    # within vLLM's flat result
    flat = tmp_path / "flat.json"
    flat.write_text(json.dumps({"date": "20261122-100000", "profllm": load_result(output)}))
    again = run_profllm(bin_dir, "recover", flat, "--json", patience=patience)
    assert again.returncode == 0 and again.stdout == done.stdout


def test_recover_prints_json(bin_dir, killed, patience):
    output, _ = killed
    done = run_profllm(bin_dir, "recover", output, "--json", patience=patience)
    assert done.returncode == 0
    result = load_result(output)
    assert json.loads(done.stdout) == result
    # the server was asked to profile, and its answer is gone with the process
    profiling = result["profiling"]
    assert (profiling["enabled"], profiling["trace_dir"], profiling["trace_files"]) == (True, "/tmp/traces", None)
    assert ("profiled", "over_limit") in [(check["id"], check["status"]) for check in result["quality"]["checks"]]


def test_the_percentiles_asked_for_are_kept(bin_dir, killed, validators, patience):
    output, surely_ns = killed
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    result, _ = check_recovered(output, validators, surely_ns)
    assert {"p0_ttft_ms", "p12.5_ttft_ms", "p99_ttft_ms", "p100_ttft_ms"} <= set(result["results"])


def test_overwrite_gives_it_up(bin_dir, killed, patience):
    output, _ = killed
    first = re.search(rb"exp_\d{8}_\d{6}_[0-9a-f]{6}", journal_of(output).read_bytes())[0].decode()
    done = run_profllm(bin_dir, "run", "-c", output.parent / "experiment.yaml", "-o", output, "-q",
                       "--overwrite", "--set", "benchmark.num_prompts=8", patience=patience)
    assert done.returncode == 0, done.stderr
    assert load_result(output)["run_id"] != first
    assert not journal_of(output).exists()


@pytest.mark.parametrize("line,stage", [("waiting for the server", "launch"),
                                        ("warm-ups", "warmup")])
def test_killed_before_anything_was_measured(bin_dir, tmp_path, validators, patience, line, stage):
    config = short_config(tmp_path, num_warmups=50, random_output_len=400)
    config["launch"]["extra_args"] += ["--sim-startup", "30s" if stage == "launch" else "0ms"]
    output = tmp_path / "r.json"
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output)
    for text in process.stderr:
        if line in text:
            break
    process.kill()
    process.communicate(timeout=60 * patience)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    result, records = check_recovered(output, validators)
    assert result["error"]["stage"] == stage and result["results"] is None and records == []
    assert result["quality"]["verdict"] is None
    assert result["launch"]["argv"][1] == "serve"


def test_killed_after_the_run_had_failed(bin_dir, tmp_path, validators, patience):
    """The cause is the one that ended the run, not the kill during its cleanup."""
    script = tmp_path / "stubborn"
    script.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n")
    script.chmod(0o755)
    config = base_config()
    config["launch"].update(command=[str(script)], ready_timeout="300ms", stop_timeout="5s")
    output = tmp_path / "r.json"
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output)
    for line in process.stderr:
        if "stopping the server" in line:
            break
    process.kill()
    process.communicate(timeout=60 * patience)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(output)
    validators[0].validate(result)
    error = result["error"]
    assert (result["status"], error["stage"], error["cause"]) == ("interrupted", "stop",
                                                                  "ready_timeout")
    assert "before that: the server was not ready" in error["message"]
    assert marked_processes(result["run_id"]) == []


def test_a_run_that_lives_is_left_alone(bin_dir, tmp_path, patience):
    output = tmp_path / "r.json"
    config = short_config(tmp_path, num_prompts=4000)
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output,
                            "-q")
    wait_for(lambda: journal_of(output).exists() and journal_of(output).stat().st_size > 0,
             "the journal has begun", 60, process)
    recover = run_profllm(bin_dir, "recover", output, patience=patience)
    assert recover.returncode == 2
    assert "a run in progress" in recover.stderr and str(process.pid) in recover.stderr
    second = run_profllm(bin_dir, "run", "-c", tmp_path / "experiment.yaml", "-o", output, "-q",
                         patience=patience)
    assert second.returncode == 5 and str(process.pid) in second.stderr
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60 * patience)
    assert process.returncode == 130 and load_result(output)["status"] == "interrupted"
    assert not journal_of(output).exists()


def test_a_torn_tail_is_cut(bin_dir, killed, validators, patience):
    output, _ = killed
    bytes_before = journal_of(output).read_bytes()
    journal_of(output).write_bytes(bytes_before[:-9])
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0 and "were incomplete" in done.stdout
    check_recovered(output, validators)


def crc32c(data):
    total = 0xffffffff
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = (total >> 1) ^ (0x82f63b78 if total & 1 else 0)
    return total ^ 0xffffffff


def test_the_journal_holds_the_lines_of_the_requests_file(bin_dir, killed, validators, patience):
    """Records have one form, which this test reads without code of the program."""
    output, _ = killed
    head, *lines = journal_of(output).read_bytes()[:-1].split(b"\n")
    assert json.loads(head) == ["ProfLLM journal", 3]
    kinds, told = set(), {}
    for line in lines:
        total, kind, content = json.loads(line)
        kinds.add(kind)
        if kind == "record":
            assert int(total, 16) == crc32c(line[11:])
            validators[1].validate(content)
            told[content["index"]] = line[line.index(b"{"):-1]
    assert kinds == {"head", "stage", "load", "plan", "acted", "record", "tick"}
    assert len(told) >= 40
    assert run_profllm(bin_dir, "recover", output, patience=patience).returncode == 0
    kept = subprocess.run(["zstd", "-dc", output.with_suffix(".requests.jsonl.zst")], check=True,
                          capture_output=True).stdout.splitlines()
    assert all(kept[index] == text for index, text in told.items())


def test_a_journal_of_an_earlier_version(bin_dir, killed, validators, patience):
    """Facts that the earlier version did not record are null in the result."""
    output, _ = killed
    lines = journal_of(output).read_bytes().split(b"\n")
    told = 0
    for i, line in enumerate(lines):
        if line[11:20] == b',"stage",':
            _, kind, content = json.loads(line)
            told += content["document"]["config"].pop("experiment", None) is not None
            content["document"].get("environment", {}).pop("repeat_of", None)
            rest = b"," + json.dumps([kind, content], separators=(",", ":")).encode()[1:]
            lines[i] = b'["%08x"' % crc32c(rest) + rest
    assert told > 0
    journal_of(output).write_bytes(b"\n".join(lines))
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0 and "damaged" not in done.stdout, done.stdout
    result, _ = check_recovered(output, validators)
    assert result["config"]["experiment"] is None and result["environment"]["repeat_of"] is None


def test_a_damaged_line_is_reported(bin_dir, killed, validators, patience):
    output, _ = killed
    text = bytearray(journal_of(output).read_bytes())
    at = text.rindex(b'"record",{"index":')
    text[at + 30] ^= 1
    journal_of(output).write_bytes(text)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    number = bytes(text[:at]).count(b"\n") + 1
    assert done.returncode == 0 and f"is damaged from line {number} on:" in done.stdout
    check_recovered(output, validators)


@pytest.mark.parametrize("content,says", [
    (b"", "contains no run"), (b'["ProfLLM jour', "contains no run"), (b'["ProfLLM journal",3]\n', "contains no run"),
    (b'["ProfLLM journal",7]\n', "found format 7, expected 3"), (b'["ProfLLM journal",x]\n', "not a journal"),
    (b"ProfLLM journal\n\x02\0\0\0frames", "found format 2, expected 3"), (b"notes", "not a journal"),
])
def test_journals_that_hold_nothing(bin_dir, tmp_path, patience, content, says):
    output = tmp_path / "r.json"
    journal_of(output).write_bytes(content)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 2 and says in done.stderr
    assert journal_of(output).read_bytes() == content and not output.exists()


def test_no_journal_is_left_by_ends_that_are_ends(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["command"] = ["no-such-server", "serve"]
    output = tmp_path / "r.json"
    assert run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output,
                       patience=patience).returncode == 3
    assert not journal_of(output).exists()
    # refused before it started: not even an empty one
    config = base_config(backend="openai", endpoint="/nonsense")
    assert run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "s.json", patience=patience).returncode == 2
    assert not journal_of(tmp_path / "s.json").exists()


def test_a_result_that_cannot_be_written_leaves_the_journal(bin_dir, tmp_path, validators,
                                                            patience):
    """A directory has the name of the result: the journal stays, and suffices."""
    output = tmp_path / "r.json"
    config = write_config(tmp_path, short_config(tmp_path, num_prompts=900))
    process = start_profllm(bin_dir, "run", "-c", config, "-o", output)
    for line in process.stderr:
        if "sending 900 requests" in line:
            break
    output.mkdir()
    _, err = process.communicate(timeout=60 * patience)
    assert process.returncode == 2 and "profllm recover" in err
    output.rmdir()
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    result, records = check_recovered(output, validators)
    assert result["results"]["completed"] == 900 and result["error"]["stage"] == "stop"


def test_files_of_a_run_that_was_killed_as_it_began(bin_dir, tmp_path):
    """Its journal is empty and names no process: the next run removes the files of dead processes, and of no others."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / "r.json.journal").touch()
    left = [tmp_path / f"r.{name}.jsonl.zst.tmp.{gone.pid}" for name in ("series", "requests")]
    kept = [tmp_path / f"r.series.jsonl.zst.tmp.{os.getpid()}", tmp_path / f"r.series.jsonl.zst.tmp.{gone.pid}x",
            tmp_path / f"other.series.jsonl.zst.tmp.{gone.pid}"]
    for path in left + kept:
        path.touch()
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, short_config(tmp_path, num_prompts=4)), "-o", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    assert not any(path.exists() for path in left) and all(path.exists() for path in kept)
