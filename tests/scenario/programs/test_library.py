"""libprofllm: what it exports, a host with threads and children, cancellation, and the example program, built with pkg-config."""
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from run_tools import PATIENCE, base_config, environment, load_result, marked_processes, run_profllm, start_profllm, write_config
from wait_tools import wait_for

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# a library of a host calls none of these
OF_THE_HOST = {"fork", "vfork", "exit", "_exit", "signal", "sigaction", "sigprocmask", "pthread_sigmask", "umask", "chdir", "fchdir", "setenv",
               "putenv", "pthread_create", "pthread_atfork", "printf", "puts", "stdout", "stderr", "setlocale", "json_set_alloc_funcs"}

pytestmark = pytest.mark.threads


@pytest.fixture
def host(bin_dir):
    """Plays an act of tests/library/host.c; returns the objects that it prints."""
    def play(*words, status=0, **env):
        done = subprocess.run([bin_dir.parent / "tests/library_host", *map(str, words)], env=environment({"PROFLLM_BIN": str(bin_dir), **env}),
                              capture_output=True, text=True, timeout=120 * PATIENCE)
        assert done.returncode == status, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]
    return play


def long_config(folder):
    return write_config(folder, base_config(num_prompts=5000, request_rate=50))


def names_of_map(source_dir):
    return sorted(re.findall(r"^\t(profllm_\w+);$", (source_dir / "src/library/libprofllm.map").read_text(), re.M))


# ---- what it is --------------------------------------------------------------------------------


def test_it_exports_what_its_lists_say(source_dir, bin_dir):
    """The version script, the header, Debian's list of symbols and the library have the same functions."""
    listed = names_of_map(source_dir)
    header = (source_dir / "include/profllm.h").read_text()
    assert sorted(re.findall(r"^PROFLLM_API [^(]*?(profllm_\w+)\(", header, re.M)) == listed and len(listed) > 35
    debian = (source_dir / "packaging/debian/libprofllm0.symbols").read_text().splitlines()
    assert debian[0] == "libprofllm.so.0 libprofllm0 #MINVER#"
    assert [line.split()[0] for line in debian[1:]] == sorted([f"{name}@PROFLLM_0" for name in listed] + ["PROFLLM_0@PROFLLM_0"])
    out = subprocess.run(["nm", "-D", "--defined-only", bin_dir.parent / "lib/libprofllm.so"], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in out.splitlines()}
    # a sanitizer adds its own
    ours = {name for name in names if not name.startswith("__")}
    assert ours == {f"{name}@@PROFLLM_0" for name in listed} | {"PROFLLM_0"}
    dynamic = subprocess.run(["readelf", "-dW", bin_dir.parent / "lib/libprofllm.so"], capture_output=True, text=True, check=True).stdout
    assert "[libprofllm.so.0]" in dynamic and "NODELETE" in dynamic and "BIND_NOW" in dynamic


@pytest.mark.release_only
def test_it_leaves_the_host_alone(bin_dir):
    """It calls no function that would change the state of the host process."""
    out = subprocess.run(["nm", "-D", "--undefined-only", bin_dir.parent / "lib/libprofllm.so"], capture_output=True, text=True, check=True).stdout
    called = {line.split()[-1].partition("@")[0] for line in out.splitlines()}
    assert {"posix_spawn", "waitid", "json_loadb"} <= called and not OF_THE_HOST & called


@pytest.mark.release_only
@pytest.mark.parametrize("compiler,words", [("gcc", ["-std=c99"]), ("clang", ["-std=c11"]), ("g++", ["-std=c++11", "-x", "c++"])])
def test_its_header_compiles(source_dir, compiler, words):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    text = "#include <profllm.h>\nint main(void) { struct profllm_error error; return profllm_version() == 0 ? error.code : PROFLLM_OK; }\n"
    done = subprocess.run([compiler, *(words if "-x" in words else [*words, "-x", "c"]), *STRICT, f"-I{source_dir}/include", "-fsyntax-only", "-"],
                          input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.release_only
def test_the_example_is_built_with_pkg_config(source_dir, bin_dir, tmp_path):
    """Installed to a directory of its own, with the program next to it: nothing names the build directory."""
    prefix = tmp_path / "prefix"
    subprocess.run(["cmake", "--install", bin_dir.parent, "--prefix", prefix, "--component", "library"], check=True, capture_output=True)
    (prefix / "bin").mkdir()
    for name in ("profllm", "profllm-sim"):
        (prefix / "bin" / name).symlink_to(bin_dir / name)
    folder, = prefix.glob("**/pkgconfig")
    env = {**os.environ, "PKG_CONFIG_PATH": str(folder), "LD_LIBRARY_PATH": str(folder.parent), "PATH": "/usr/bin:/bin"}
    env.pop("PROFLLM_BIN", None)

    def flags(option):
        return subprocess.run(["pkg-config", option, "profllm"], env=env, capture_output=True, text=True, check=True).stdout.split()

    assert subprocess.run(["pkg-config", "--modversion", "profllm"], env=env, capture_output=True, text=True).stdout.strip() in (
        source_dir / "CMakeLists.txt").read_text()
    subprocess.run(["gcc", "-std=c11", *STRICT, source_dir / "examples/measure.c", *flags("--cflags"), *flags("--libs"), "-o", tmp_path / "measure"],
                   check=True, env=env)
    config, result = write_config(tmp_path, base_config()), tmp_path / "r.json"

    def measure(*words):
        return subprocess.run([tmp_path / "measure", *words], env=environment(env), capture_output=True, text=True, timeout=60 * PATIENCE)

    done = measure(config, result)
    assert done.returncode == 0, done.stderr
    assert "phase: measuring\n" in done.stdout and "status: completed, verdict: " in done.stdout and "results.output_throughput: " in done.stdout
    done = measure(long_config(tmp_path), tmp_path / "c.json", "1")
    assert done.returncode == 130 and "status: interrupted" in done.stdout and load_result(tmp_path / "c.json")["status"] == "interrupted"
    done = measure(write_config(tmp_path, {"server": {"model": "sim/x", "max_num_seq": 1}}), tmp_path / "n.json")
    assert done.returncode == 2 and "error: line 4: server.max_num_seq: found " in done.stderr and not (tmp_path / "n.json").exists()


# ---- runs --------------------------------------------------------------------------------------


def test_two_runs_at_once_in_a_host_with_children(host, tmp_path):
    config = write_config(tmp_path, base_config(num_prompts=40, request_rate=40))
    first, second, itself = host("threads", config, tmp_path / "a.json", tmp_path / "b.json")
    for one, name in ((first, "first"), (second, "second")):
        result = load_result(one["output"])
        assert (one["code"], one["exit_status"], result["status"], result["name"]) == ("OK", 0, "completed", name)
        assert one["phases"].split()[0] == "starting" and "measuring" in one["phases"] and one["progress"] >= 2 and one["server_lines"] > 0
        assert one["done"] == 40 and one["result_bytes"] > 10000
    assert itself["children"] > 2 and (itself["leaked"], itself["umask_kept"], itself["sigchld_default"], itself["zombies"]) == (0, 1, 1, 0)


def test_a_cancel_ends_the_server_and_keeps_a_result(host, tmp_path):
    one, = host("cancel", long_config(tmp_path), tmp_path / "r.json")
    result = load_result(tmp_path / "r.json")
    assert (one["code"], one["exit_status"], result["status"]) == ("OK", 130, "interrupted") and one["done"] < 5000
    assert not marked_processes(result["run_id"])


def test_a_cancel_before_and_right_after_the_start(host, tmp_path):
    before, after = host("early", long_config(tmp_path), tmp_path / "r.json")
    assert (before["code"], before["message"], before["exit_status"]) == ("INTERRUPTED", "canceled before the start", -1)
    assert after["exit_status"] in (130, 143) and after["code"] in ("INTERRUPTED", "OK")


def test_a_run_that_is_freed_ends(host, tmp_path):
    one, = host("free", long_config(tmp_path), tmp_path / "r.json")
    assert one == {"was_running": 1, "leaked": 0}
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "interrupted" and not marked_processes(result["run_id"])


def test_a_loop_of_the_host_that_ignores_sigchld(host, tmp_path):
    """The kernel reaps the program, so its exit status comes from its output."""
    turns, one = host("loop", write_config(tmp_path, base_config()), tmp_path / "r.json")
    assert turns["turns"] > 2 and turns["descriptor"] == -1
    assert (one["code"], one["exit_status"]) == ("OK", 0) and load_result(tmp_path / "r.json")["status"] == "completed"


def test_the_run_ends_with_its_host(bin_dir, tmp_path):
    config, output = long_config(tmp_path), tmp_path / "r.json"
    process = subprocess.Popen([bin_dir.parent / "tests/library_host", "die", config, output], env=environment({"PROFLLM_BIN": str(bin_dir)}),
                               stdout=subprocess.PIPE, text=True)
    with process:
        assert json.loads(process.stdout.readline()) == {"was_running": 1}
        process.send_signal(signal.SIGKILL)
    wait_for(output.exists, "the run has ended")
    result = load_result(output)
    assert result["status"] == "interrupted" and "signal 15" in result["error"]["message"]
    wait_for(lambda: not marked_processes(result["run_id"]), "no process of the run is left")


def test_runs_without_a_result_have_a_reason(host, bin_dir, tmp_path):
    none, one = host("run", tmp_path / "no.yaml", tmp_path / "r.json")
    assert none == {"findings": 0} and one["code"] == "IO" and "no.yaml': No such file" in one["message"] and one["exit_status"] == 2
    wrong = write_config(tmp_path, {"server": {"model": "sim/x", "max_num_seq": 1}})
    found, one = host("run", wrong, tmp_path / "r.json")
    assert found["findings"] >= 1 and (one["code"], one["exit_status"], one["phases"]) == ("INVALID", 2, "")
    # a program that reports nothing, and one that is none
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nkill -9 $$\n")
    silent.chmod(0o755)
    _, one = host("run", wrong, tmp_path / "r.json", LIBRARY_PROGRAM=str(silent))
    assert (one["code"], one["exit_status"]) == ("FAILED", 137) and "ended without a result" in one["message"]
    failed, = host("version", LIBRARY_PROGRAM=str(tmp_path / "no"), status=3)
    assert failed["code"] == "NOT_FOUND" and "can be started" in failed["message"]
    failed, = host("version", PROFLLM_BIN=str(tmp_path), status=3)
    assert failed["code"] == "NOT_FOUND" and "PROFLLM_BIN" in failed["message"]
    # of another version
    silent.write_text("#!/bin/sh\necho '{\"stream\":{\"version\":2}}' >&2\n")
    _, one = host("run", wrong, tmp_path / "r.json", LIBRARY_PROGRAM=str(silent))
    assert one["code"] == "INVALID" and "version 2" in one["message"]


@pytest.mark.release_only
def test_a_thread_with_a_small_stack(host, tmp_path):
    """A sanitizer needs a larger one."""
    *_, end, one = host("small", write_config(tmp_path, base_config()), tmp_path / "r.json")
    assert end == {"ok": 1, "beyond": 0} and (one["code"], one["exit_status"]) == ("OK", 0)


def test_inputs_are_refused_before_the_program_is_started(host, bin_dir, tmp_path, monkeypatch):
    flags, path = host("refused", write_config(tmp_path, base_config()), tmp_path / "r.json")
    assert (flags["code"], flags["message"]) == ("INVALID", "flags of the run: found 0x100000, expected flags of 0x7")
    assert path == {"code": "INVALID", "message": "found a text that is not UTF-8"}
    # a directory of this name is no program; a relative path remains valid
    (tmp_path / "profllm").mkdir()
    failed, = host("version", PROFLLM_BIN=str(tmp_path), status=3)
    assert failed["code"] == "NOT_FOUND"
    monkeypatch.chdir(bin_dir.parent)
    version, = host("version", LIBRARY_PROGRAM="bin/profllm")
    assert version["path"] == str(bin_dir.parent / "bin/profllm")


# ---- checks and results ------------------------------------------------------------------------


def test_an_experiment_is_checked_as_by_the_command(host, bin_dir, tmp_path):
    text = "server:\n  model: sim/x\n  max_num_seq: 3\n"
    *found, end = host("validate", text, "h100x8")
    assert end == {"ok": 0, "beyond": 0} and {"severity": "error", "key": "server.max_num_seq", "line": 3, "column": 3} in found
    (tmp_path / "e.yaml").write_text(text)
    printed = json.loads(run_profllm(bin_dir, "validate", "--json", "--hardware", "h100x8", tmp_path / "e.yaml").stdout)
    assert [problem["key"] for problem in printed["files"][0]["problems"]] == [one["key"] for one in found]
    failed, = host("validate", "server: {model: sim/x}", "no-such-gpu", status=3)
    assert failed["code"] == "INVALID" and "no-such-gpu" in failed["message"]


def test_a_result_is_read_checked_and_written(host, bin_dir, tmp_path):
    config, path = write_config(tmp_path, base_config(metric_percentiles=[99.9])), tmp_path / "r.json"
    assert run_profllm(bin_dir, "run", "-c", config, "-o", path, "--quiet").returncode == 0
    result = load_result(path)
    end, fields, again = host("result", path, tmp_path / "copy.json")
    assert end == {"ok": 1, "beyond": 0} and again == {"again": "INVALID"}
    assert fields == {"p99.9": result["results"]["p99.9_ttft_ms"], "artifact": result["artifacts"][0]["name"], "missing": "NOT_FOUND", "text": "INVALID"}
    assert load_result(tmp_path / "copy.json") == result

    # artifacts: one that differs is an error, a missing one is not
    name = result["artifacts"][0]["name"]
    with open(tmp_path / name, "ab") as file:
        file.write(b"x")
    *found, end, _, _ = host("result", path, tmp_path / "2.json")
    assert end["ok"] == 0 and [(one["severity"], one["key"]) for one in found] == [("error", "/artifacts/0")]
    (tmp_path / name).unlink()
    *found, end, _, _ = host("result", path, tmp_path / "3.json")
    assert end["ok"] == 1 and [(one["severity"], one["key"]) for one in found] == [("warning", "/artifacts/0")]

    result["status"] = "no such"
    del result["timestamp"]
    path.write_text(json.dumps(result))
    *found, end, _, _ = host("result", path, tmp_path / "4.json")
    assert end["ok"] == 0 and {"/status", "/timestamp"} <= {one["key"] for one in found}


def test_two_threads_write_the_same_result(host, bin_dir, tmp_path):
    """Neither fails or replaces the other's part of a file, and a file that must be new is written once."""
    path = tmp_path / "r.json"
    assert run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "-o", path, "--quiet").returncode == 0
    assert host("write", path, tmp_path / "copy.json") == [{"written": 20, "refused": 20}]
    assert load_result(tmp_path / "copy.json") == load_result(path) and not list(tmp_path.glob("*.tmp.*"))


# ---- run --progress json -----------------------------------------------------------------------


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_progress_is_an_object_per_line(bin_dir, source_dir, tmp_path):
    config = write_config(tmp_path, base_config(num_prompts=40, request_rate=20))
    done = run_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json", "--progress", "json", "--json")
    lines = lines_of(done.stderr)
    version = run_profllm(bin_dir, "--version").stdout.split()[1]
    assert lines[0] == {"stream": {"version": 1, "program": "profllm", "program_version": version}}
    assert lines[-1] == {"end": {"exit_status": 0, "status": "completed", "result": str(tmp_path / "r.json"), "error": None}}
    phases = [line["phase"] for line in lines if "phase" in line]
    # the load may drain within a tick of the watch
    assert [phase for phase in phases if phase != "draining"] == ["starting", "warming_up", "measuring", "stopping"]
    api = yaml.load((source_dir / "api/openapi.yaml").read_text(), yaml.CSafeLoader)
    check = Draft202012Validator({"$ref": "#/components/schemas/LiveSnapshot", "components": api["components"]})
    snapshots = [line["snapshot"] for line in lines if "snapshot" in line]
    assert len(snapshots) >= 2 and snapshots[-1]["requests"]["done"] == 40
    for snapshot in snapshots:
        check.validate(snapshot)
    assert json.loads(done.stdout)["status"] == "completed"


def test_standard_input_is_an_experiment(bin_dir, tmp_path):
    words = [bin_dir / "profllm", "run", "-c", "-", "-o", tmp_path / "r.json", "--progress", "json"]
    done = subprocess.run(words, input=json.dumps(base_config()), env=environment(), capture_output=True, text=True)
    assert lines_of(done.stderr)[-1]["end"]["status"] == "completed" and load_result(tmp_path / "r.json")["name"] == "scenario"
    done = subprocess.run(words, input='{"server": {"model": "sim/x", "max_num_seq": 1}}', env=environment(), capture_output=True, text=True)
    *_, end = lines_of(done.stderr)
    message, = [line["message"] for line in lines_of(done.stderr) if line.get("problem", {}).get("key") == "server.max_num_seq"]
    assert message.startswith("standard input:1:") and done.returncode == 2
    assert end["end"]["error"]["code"] == "INVALID" and end["end"]["exit_status"] == 2 and end["end"]["result"] is None


def test_the_run_ends_with_the_reader_of_its_progress(bin_dir, tmp_path):
    process = start_profllm(bin_dir, "run", "-c", long_config(tmp_path), "-o", tmp_path / "r.json", "--progress", "json")
    for line in process.stderr:
        if json.loads(line) == {"phase": "measuring"}:
            break
    process.stderr.close()
    assert process.wait(timeout=60 * PATIENCE) == 143 and load_result(tmp_path / "r.json")["status"] == "interrupted"
    process.stdout.close()


def test_a_slow_reader_does_not_delay_the_run(bin_dir, tmp_path):
    """Snapshots are left out when the pipe is half full."""
    config = write_config(tmp_path, base_config(num_prompts=60, request_rate=20))
    process = start_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json", "--progress", "json")
    wait_for((tmp_path / "r.json").exists, "the run has ended")
    lines = lines_of(process.stderr.read())
    assert process.wait() == 0 and lines[-1]["end"]["status"] == "completed"
    process.stdout.close()
    process.stderr.close()


def test_no_line_is_lost_in_a_pipe_that_does_not_wait(bin_dir, tmp_path):
    """The descriptor is shared with other processes, of which one may have made it non-blocking."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    assert os.write(writer, b"\n" * 65536) < 65536
    words = [bin_dir / "profllm", "run", "-c", write_config(tmp_path, base_config()), "-o", tmp_path / "r.json", "--progress", "json"]
    with subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=writer) as process, open(reader, encoding="utf-8") as file:
        os.close(writer)
        # it waits in its first line
        wait_for(lambda: Path(f"/proc/{process.pid}/stat").read_text().split()[2] in "SZ", "the program waits for the reader")
        lines = [json.loads(line) for line in file if line != "\n"]
    assert "stream" in lines[0] and lines[-1]["end"]["status"] == "completed"


def test_a_dry_run_has_a_last_line(bin_dir, tmp_path):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "--dry-run", "--progress", "json")
    assert lines_of(done.stderr)[-1] == {"end": {"exit_status": 0, "status": None, "result": None, "error": None}} and done.returncode == 0


@pytest.mark.parametrize("closed,status", [("2>&-", 0), ("<&- >&- 2>&-", 2)])
def test_closed_standard_streams_are_no_file_of_the_run(bin_dir, tmp_path, closed, status):
    """Their numbers are not given to the journal or to the guard. Status 2: the summary cannot be printed."""
    words = [bin_dir / "profllm", "run", "-c", write_config(tmp_path, base_config()), "-o", tmp_path / "r.json", "--progress", "json"]
    done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', *words], env=environment(), capture_output=True, timeout=60 * PATIENCE)
    assert (done.returncode, done.stderr) == (status, b"") and load_result(tmp_path / "r.json")["status"] == "completed"
    assert (tmp_path / "r.server.log").stat().st_size > 100


def test_progress_and_quiet_exclude_each_other(bin_dir, tmp_path):
    done = run_profllm(bin_dir, "run", "-c", "x", "-o", tmp_path / "r.json", "--progress", "json", "--quiet")
    assert done.returncode == 2 and lines_of(done.stderr)[-1]["end"]["error"]["message"] == "--progress json, --quiet: found both, expected one"
