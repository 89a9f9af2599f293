"""Traces of a real vLLM that profllm starts, or that was running: in the result, on the dashboard, and in its sums."""
import gzip
import json
import sys
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
from dashboard_tools import Dashboard
from real_tools import Run, running_server, vllm_config

sys.path[:0] = [str(Path(__file__).parents[1] / "scenario" / name) for name in ("dash", "life")]
from test_separate_profile import check_files  # noqa: E402
from test_traces import agree  # noqa: E402


@pytest.fixture
def play(bin_dir, tmp_path, vllm):
    runs = []

    def start(config, *args):
        runs.append(Run(bin_dir, tmp_path / "run", config, *args, engine=vllm))
        return runs[-1]

    yield start
    for run in runs:
        run.clean_up()


def profile_config(vllm, launch=None, **profiling):
    config = vllm_config(vllm, launch=launch)
    config["profiling"] = {"enabled": True, "profiler": "torch", "num_prompts": 3, **profiling}
    return config


def check_traces(run, result, dashboard, source_dir):
    """The engine's trace is one of a CPU; each file and its sums are what Python finds."""
    jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text())).validate(result)
    profiling = result["profiling"]
    assert {key: profiling[key] for key in ("enabled", "scope", "profiler", "error")} == {
        "enabled": True, "scope": "separate_requests", "profiler": "torch", "error": None}
    assert result["status"] == "completed" and result["results"]["completed"] == 40
    paths = check_files(result, run.folder, len(profiling["trace_files"]))
    traces = {path.name: path for path in paths if path.name.endswith((".json", ".json.gz"))}
    ranks = [one["rank"] for one in profiling["trace_files"] if one["path"] in traces]
    assert 0 in ranks
    listed = dashboard.get(f"/api/data/experiments/{result['run_id']}/traces").json["traces"]
    assert {one["name"] for one in listed} == {path.name for path in paths}
    for name, path in traces.items():
        data = path.read_bytes()
        text = gzip.decompress(data) if name.endswith(".gz") else data
        document = json.loads(text, parse_float=Decimal)
        sums = dashboard.get(f"/api/data/experiments/{result['run_id']}/traces/{name}").json
        agree(sums, document)
        print(name, len(data), "bytes,", sums["events"], "events,", sums["operations"]["count"], "operations,",
              sums["span_ns"] / 1e6, "ms:", [one["name"] for one in sums["operations"]["top"][:3]])
        # without a GPU
        assert sums["gpus"] == [] and sums["kernels"]["count"] == 0
        if "rank0" in name:
            assert sums["operations"]["count"] > 1000
            assert any(one["name"].startswith("aten::") for one in sums["operations"]["top"])
            # the profiler's clock is the host's: no operation is of the measured run
            begin = document.get("baseTimeNanoseconds", 0) + 1000 * min(
                event["ts"] for event in document["traceEvents"] if event.get("cat") == "cpu_op")
            assert begin >= result["series"]["measured_end_ns"]


def test_a_server_of_the_run(play, vllm, bin_dir, tmp_path, source_dir):
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        run = play(profile_config(vllm, dir=str(tmp_path / "traces")), "--upload", dashboard.url)
        status, out, result = run.finish()
        assert status == 0, run.log_text() + out
        assert "--profiler-config" in result["launch"]["argv"]
        check_traces(run, result, dashboard, source_dir)
    assert list((tmp_path / "traces").iterdir()) == []
    assert run.alive() == []


def test_a_server_that_was_running(play, vllm, bin_dir, tmp_path, source_dir):
    """Its trace is copied from the directory that the experiment names; an older one there is not."""
    traces = tmp_path / "traces"
    traces.mkdir()
    (traces / "old_rank7.pt.trace.json").write_text("[]")
    argv = ["serve", vllm.model, "--served-model-name", "tiny", "--max-model-len", "2048", "--max-num-seqs", "64",
            "--profiler-config", json.dumps({"profiler": "torch", "torch_profiler_dir": str(traces)})]
    with running_server(vllm, argv, tmp_path / "server.log") as server, Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        config = profile_config(vllm, dir=str(traces))
        config["server"], config["launch"] = {}, {"url": server.url}
        config["benchmark"].update(model="tiny", tokenizer=vllm.model)
        run = play(config, "--upload", dashboard.url)
        status, out, result = run.finish()
        assert status == 0, run.log_text() + out
        check_traces(run, result, dashboard, source_dir)
    assert len(list(traces.iterdir())) == 1 + len(result["profiling"]["trace_files"])
