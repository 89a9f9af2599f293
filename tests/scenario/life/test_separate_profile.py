"""The key `profiling`: after the measured run, a few requests under a profiler, whose traces become artifacts."""
import gzip
import hashlib
import json
import os
import signal
import sys
from pathlib import Path

import jsonschema
import pytest
from run_tools import base_config, load_result, marked_processes, run_profllm, start_profllm, write_config
from test_full_disk import full_disk  # noqa: F401 (a fixture)
from test_url_server import Simulator

sys.path.insert(0, str(Path(__file__).parents[1] / "dash"))
from dashboard_tools import Dashboard  # noqa: E402
from test_traces import agree  # noqa: E402

DOUBLES = Path(__file__).parents[2] / "doubles"
DONE = 0


def profile_config(folder, *words, ranks=1, launch=None, **profiling):
    config = base_config(num_prompts=10)
    config["server"]["tensor_parallel_size"] = ranks
    config["launch"]["extra_args"] += words
    config["launch"].update({"gpus": [], **(launch or {})})
    config["profiling"] = {"enabled": True, "dir": str(folder / "traces"), **profiling}
    return config


def play(bin_dir, folder, config, patience, *words, env=None, status=DONE):
    done = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json", *words, env=env, patience=patience)
    assert done.returncode == status, done.stderr
    return load_result(folder / "r.json"), done


def check_schema(result, source_dir):
    schema = json.loads((source_dir / "api/result.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(result)


def check_files(result, folder, count):
    """Each file is an artifact, next to the result, with its size and hash."""
    profiling = result["profiling"]
    assert len(profiling["trace_files"]) == count
    artifacts = {one["name"]: one for one in result["artifacts"] if one["kind"] == "trace"}
    assert sorted(artifacts) == sorted(one["path"] for one in profiling["trace_files"])
    for one in profiling["trace_files"]:
        data = (folder / one["path"]).read_bytes()
        assert (one["size_bytes"], one["size_mb"], one["sha256"]) == (len(data), len(data) / 1e6, hashlib.sha256(data).hexdigest())
        assert (artifacts[one["path"]]["size"], artifacts[one["path"]]["sha256"]) == (len(data), one["sha256"])
    if count:
        first = profiling["trace_files"][0]
        assert (profiling["trace_file_path"], profiling["trace_file_size_mb"]) == (first["path"], first["size_mb"])
    return [folder / one["path"] for one in profiling["trace_files"]]


@pytest.mark.parametrize("release, variable", [("0.32.0", False), ("0.12.0", True)])
def test_two_ranks(bin_dir, tmp_path, patience, source_dir, release, variable):
    """The traces are in the result, on the dashboard and in its sums, and no step of them is in the measured window."""
    config = profile_config(tmp_path, ranks=2, launch={"vllm_version": release})
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        result, _ = play(bin_dir, tmp_path, config, patience, "--upload", dashboard.url)
        check_schema(result, source_dir)
        profiling = result["profiling"]
        assert {key: profiling[key] for key in ("enabled", "scope", "profiler", "error")} == {
            "enabled": True, "scope": "separate_requests", "profiler": "torch", "error": None}
        assert profiling["trace_dir"] == str(tmp_path / "traces" / result["run_id"])
        assert ("VLLM_TORCH_PROFILER_DIR" in result["launch"]["env"]) == variable
        assert ("--profiler-config" in result["launch"]["argv"]) != variable
        # the measured run is what it would be without a profile
        assert result["results"]["completed"] == 10 and result["status"] == "completed"
        assert [check["status"] for check in result["quality"]["checks"] if check["id"] in ("profiled", "config_mismatch")] == ["passed"] * 2
        assert result["config"]["server"]["profiler_config"] in (None, {})
        paths = check_files(result, tmp_path, 2)
        assert [one["rank"] for one in profiling["trace_files"]] == [0, 1]
        for rank, path in enumerate(paths):
            document = json.loads(gzip.decompress(path.read_bytes()))
            steps = [event for event in document["traceEvents"] if event["cat"] == "user_annotation"]
            assert len(steps) >= 8 and min(step["ts"] for step in steps) * 1000 >= result["series"]["measured_end_ns"]
            agree(dashboard.get(f"/api/data/experiments/{result['run_id']}/traces/{path.name}").json, document)
            part = dashboard.ask("GET", f"/api/export/traces/{result['run_id']}?rank={rank}", headers={"Range": "bytes=1-99"})
            assert (part.status, part.body) == (206, path.read_bytes()[1:100])
        assert len(dashboard.get(f"/api/export/traces/{result['run_id']}").json["traces"]) == 2
    assert list((tmp_path / "traces").iterdir()) == []


def test_a_profile_that_is_repeated(bin_dir, tmp_path, patience):
    """The result repeats it, into files of its own, and both have the same inputs."""
    first, _ = play(bin_dir, tmp_path, profile_config(tmp_path), patience)
    again = run_profllm(bin_dir, "run", "-c", tmp_path / "r.json", "-o", tmp_path / "s.json", patience=patience)
    assert again.returncode == 0, again.stderr
    second = load_result(tmp_path / "s.json")
    assert check_files(first, tmp_path, 1) != check_files(second, tmp_path, 1)
    assert {**first["config"]["server"], "port": 0} == {**second["config"]["server"], "port": 0}
    assert second["environment"]["repeat_of"]["differences"] == []


def test_a_replaced_result_takes_its_traces_along(bin_dir, tmp_path, patience):
    config = profile_config(tmp_path)
    (tmp_path / "r.mine.pt.trace.json").write_text("[]")
    first, _ = play(bin_dir, tmp_path, config, patience)
    second, _ = play(bin_dir, tmp_path, config, patience, "--overwrite")
    assert first["run_id"] != second["run_id"]
    there = {path.name for path in tmp_path.glob("*.pt.trace.json*")}
    assert there == {"r.mine.pt.trace.json"} | {path.name for path in check_files(second, tmp_path, 1)}

    # a copy of a result does not own the files of the original, and no file that it may name otherwise
    named = [{"kind": "trace", "name": f"{second['run_id']}.txt"}, {"kind": "trace", "name": f"x.{second['run_id']}.json"}]
    for one in named:
        (tmp_path / one["name"]).write_text("mine")
    (tmp_path / "copy.json").write_text(json.dumps({**second, "artifacts": second["artifacts"] + named}))
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config(num_prompts=4)), "-o", tmp_path / "copy.json", "--overwrite",
                      patience=patience)
    assert done.returncode == DONE, done.stderr
    check_files(second, tmp_path, 1)
    assert [(tmp_path / one["name"]).read_text() for one in named] == ["mine"] * 2


def test_a_server_that_writes_slowly(bin_dir, tmp_path, patience):
    result, _ = play(bin_dir, tmp_path, profile_config(tmp_path, "--sim-trace-delay", "1500ms"), patience)
    assert result["profiling"]["error"] is None
    path, = check_files(result, tmp_path, 1)
    assert json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]


def test_a_trace_that_is_never_complete(bin_dir, tmp_path, patience, source_dir):
    """The measurement is valid; the truncated file is recorded with the reason."""
    config = profile_config(tmp_path, "--sim-trace-delay", "1h", flush_timeout="1500ms")
    result, done = play(bin_dir, tmp_path, config, patience)
    check_schema(result, source_dir)
    assert (result["status"], result["results"]["completed"]) == ("completed", 10)
    error = result["profiling"]["error"]
    assert error.startswith("trace 'dp0_") and error.endswith("was not complete after 1.5 s") and f"profiling: {error}" in done.stderr
    path, = check_files(result, tmp_path, 1)
    with pytest.raises(EOFError):
        gzip.decompress(path.read_bytes())


def test_the_run_is_stopped_while_it_waits(bin_dir, tmp_path, patience):
    """The second signal ends the wait; what exists is recorded."""
    config = profile_config(tmp_path, "--sim-trace-delay", "1h", flush_timeout="1h")
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    for line in process.stderr:
        if "write its traces" in line:
            break
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60 * patience)
    assert process.returncode in (130, 143)
    result = load_result(tmp_path / "r.json")
    assert (result["status"], result["results"]["completed"]) == ("interrupted", 10)
    assert result["profiling"]["error"] is not None and result["profiling"]["scope"] == "separate_requests"
    check_files(result, tmp_path, len(result["profiling"]["trace_files"]))


def test_the_disk_of_the_traces_is_full(bin_dir, tmp_path, patience, full_disk):  # noqa: F811
    result, _ = play(bin_dir, tmp_path, profile_config(tmp_path, flush_timeout="1s"), patience, env=full_disk(tmp_path, 100, ".json.gz"))
    assert (result["status"], result["results"]["completed"]) == ("completed", 10)
    assert result["profiling"]["error"] == "could not stop the profiler: POST /stop_profile returned status 500"
    check_files(result, tmp_path, 1)  # its first bytes


def test_the_server_dies_under_the_profiler(bin_dir, tmp_path, patience):
    config = profile_config(tmp_path, "--sim-trace-delay", "1h", flush_timeout="1h")
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    for line in process.stderr:
        if "write its traces" in line:
            break
    run_id, = (path.name for path in (tmp_path / "traces").iterdir())
    for pid in marked_processes(run_id):
        if (Path("/proc") / str(pid) / "comm").read_text().strip() == "profllm-sim":
            os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=60 * patience)
    assert process.returncode == DONE
    result = load_result(tmp_path / "r.json")
    assert (result["status"], result["results"]["completed"]) == ("completed", 10)
    # it dies before or after it has responded
    assert result["profiling"]["error"] == "the server ended before the traces were complete" or "could not stop" in result["profiling"]["error"]


@pytest.mark.parametrize("has_profiler, names_dir", [(True, True), (True, False), (False, True)])
def test_a_running_server(bin_dir, tmp_path, patience, source_dir, has_profiler, names_dir):
    """Its traces are copied if the experiment names their directory; older files there are not this run's."""
    there = tmp_path / "there"
    there.mkdir()
    (there / "old_rank7.pt.trace.json").write_text("[]")
    words = ["--profiler-config", json.dumps({"profiler": "torch", "torch_profiler_dir": str(there)})] if has_profiler else []
    server = Simulator(bin_dir, *words)
    try:
        config = profile_config(tmp_path)
        config["launch"], config["server"] = {"url": server.url}, {}
        config["profiling"] = {"enabled": True, **({"dir": str(there)} if names_dir else {})}
        config["benchmark"]["model"] = "sim/other"
        result, _ = play(bin_dir, tmp_path, config, patience)
    finally:
        server.stop()
    check_schema(result, source_dir)
    profiling = result["profiling"]
    assert (result["status"], profiling["enabled"]) == ("completed", has_profiler)
    if not has_profiler:
        assert profiling["error"] == ("the server has no profiler (POST /start_profile returned status 404); start it with --profiler-config")
        assert profiling["trace_files"] == []
    elif not names_dir:
        assert "set profiling.dir" in profiling["error"] and profiling["trace_files"] is None
    else:
        paths = check_files(result, tmp_path, len(profiling["trace_files"]))
        assert profiling["error"] is None and paths
    assert len(list(there.iterdir())) == 1 + has_profiler * (len(profiling["trace_files"] or []) or len(list(there.glob("dp0*"))))


@pytest.mark.parametrize("release, converts", [("0.32.0", True), ("0.32.0", False), ("0.12.0", True)])
def test_nsight_systems(bin_dir, tmp_path, patience, release, converts):
    config = profile_config(tmp_path, launch={"vllm_version": release}, profiler="cuda", flush_timeout="20s" if converts else "1500ms")
    env = {"PATH": f"{DOUBLES}:{bin_dir}:/usr/bin:/bin", "NSYS_DOUBLE": "" if converts else "never"}
    result, _ = play(bin_dir, tmp_path, config, patience, env=env)
    argv = result["launch"]["argv"]
    assert argv[:2] == ["nsys", "profile"] and argv[argv.index("profllm-sim") + 1] == "serve"
    if release == "0.12.0":
        assert result["launch"]["env"]["VLLM_TORCH_CUDA_PROFILE"] == "1"
    profiling = result["profiling"]
    if release == "0.12.0":
        # the simulator has no profiler by this variable
        assert profiling["enabled"] is False and "no profiler" in profiling["error"]
        return
    assert profiling["profiler"] == "cuda"
    path, = check_files(result, tmp_path, 1)
    assert path.suffix == (".nsys-rep" if converts else ".qdstrm")
    assert (profiling["error"] is None) == converts
    assert not converts or path.read_bytes() == b"raw" * 1000


def test_without_nsight_systems(bin_dir, tmp_path, patience):
    config = profile_config(tmp_path, profiler="cuda")
    env = {"PATH": "/usr/bin:/bin"}
    result, done = play(bin_dir, tmp_path, config, patience, env=env, status=3)
    assert result["error"]["message"] == "profiling.profiler 'cuda' needs 'nsys' in PATH (Nsight Systems)"
    looked = run_profllm(bin_dir, "run", "-c", tmp_path / "experiment.yaml", "-o", tmp_path / "x.json", "--dry-run", env=env)
    assert "needs 'nsys' in PATH" in looked.stderr + looked.stdout and not (tmp_path / "x.json").exists()


@pytest.mark.parametrize("change, words", [
    ({"benchmark": {"profile": True}}, "profiling.enabled"),
    ({"benchmark": {"client": "vllm"}}, "profiling.enabled"),
    ({"profiling": {"profiler": "cuda"}, "launch": {"url": "http://127.0.0.1:1"}}, "profiling.profiler"),
    ({"server": {"profiler_config": {"profiler": "cuda"}}}, "server.profiler_config.profiler"),
    ({"server": {"profiler_config": {"profiler": "torch", "torch_profiler_dir": "/x"}}, "profiling": {"dir": "/y"}}, "profiling.dir"),
])
def test_what_excludes_each_other(bin_dir, tmp_path, change, words):
    """One error, at the key."""
    config = base_config()
    config["profiling"] = {"enabled": True}
    if "url" in change.get("launch", {}):
        config["launch"], config["server"] = {}, {}
    for section, values in change.items():
        config[section].update(values)
    done = run_profllm(bin_dir, "validate", write_config(tmp_path, config), "--json")
    errors = [one for one in json.loads(done.stdout)["files"][0]["problems"] if one["severity"] == "error"]
    assert [(one["key"], one["reason"]) for one in errors] == [(words, "profiling")], done.stdout
