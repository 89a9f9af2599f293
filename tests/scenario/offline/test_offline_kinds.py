"""vLLM's offline benchmarks: its own as a child process, and the same metrics with a server."""
import json
import shlex
import stat
import sys

import jsonschema
import numpy as np
import pytest
from dashboard_tools import Dashboard
from run_tools import load_result, marked_processes, run_profllm, start_profllm, write_config
from sim_tools import Server
from validate_tools import errors, profllm, reports, warnings

PERCENTILES = ("10", "25", "50", "75", "90", "99")

FAKE = '''\
#!{python}
"""Stands in for `vllm bench KIND`: says what vLLM says, and writes what it writes, or fails as told."""
import json, os, signal, sys, time
from pathlib import Path
words, mode = sys.argv[1:], os.environ.get("FAKE_MODE", "ok")
Path(__file__).with_name("argv.json").write_text(json.dumps(words))
if mode == "bad":
    print("usage: vllm bench latency [options]\\nvllm bench latency: error: unrecognized arguments: --nope", file=sys.stderr)
    sys.exit(2)
print("INFO 11-21 10:00:00 [core.py:100] Initializing a V1 LLM engine (v0.32.0) with config: model='m'", flush=True)
if mode == "oom":
    print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB.", file=sys.stderr)
    sys.exit(1)
print("INFO 11-21 10:00:01 [core.py:200] init engine (profile, create kv cache, warmup model) took 1.00 seconds", flush=True)
if mode == "crash":
    sys.exit(7)
if mode == "hang":
    Path(__file__).with_name("hangs").write_text("")
    time.sleep(600)
told = json.loads(Path(__file__).with_name("told.json").read_text())
if mode == "short":
    told.popitem()
if words[1] == "throughput":
    print("Throughput: 4.00 requests/s, 200.00 total tokens/s, 40.00 output tokens/s")
    print("Total num prompt tokens:  400\\nTotal num output tokens:  100")
Path(words[words.index("--output-json") + 1]).write_text(json.dumps(told, indent=4))
'''


def shares(samples):
    return {p: float(np.percentile(samples, int(p))) for p in PERCENTILES}


TOLD = {
    "latency": {"model_id": "m", "avg_latency": 1.5, "latencies": [1.0, 2.0], "percentiles": shares([1.0, 2.0])},
    "throughput": {"model_id": "m", "elapsed_time": 2.5, "num_requests": 10, "total_num_tokens": 500,
                   "requests_per_second": 4.0, "tokens_per_second": 200.0},
    "startup": {key: value for phase in ("cold", "warm") for what in ("startup", "compilation")
                for key, value in ((f"avg_{phase}_{what}_time", 3.5), (f"{phase}_{what}_times", [3.0, 4.0]),
                                   (f"{phase}_{what}_percentiles", shares([3.0, 4.0])))},
    "mm-processor": {"completed": 3, "failed": 1, "mean_e2el_ms": 5.0, "median_e2el_ms": 4.0, "std_e2el_ms": 1.0,
                     "percentiles_e2el_ms": [[99.0, 9.5]],
                     "mm_processor_stats": {"apply_hf_processor_ms": {"mean": 1.0, "median": 1.0, "std": 0.0, "p99.0": 1.5}},
                     "encoder_summary": {"total_encoder_calls": 6, "num_requests_with_encoder_calls": 3},
                     "config": {"model": "m", "num_prompts": 4}, "timestamp": "2026-11-21T10:00:00"},
}


@pytest.fixture(scope="module")
def schema(source_dir):
    return jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text()))


class Child:
    """A directory with a stand-in for vLLM."""

    def __init__(self, bin_dir, folder, patience):
        self.bin_dir, self.folder, self.patience = bin_dir, folder, patience
        self.program = folder / "bin" / "vllm"
        self.program.parent.mkdir()
        self.program.write_text(FAKE.format(python=sys.executable))
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def config(self, kind, **benchmark):
        return {"server": {"model": "m", "tensor_parallel_size": 2}, "benchmark": {"kind": kind, **benchmark},
                "launch": {"command": [str(self.program), "serve"], "gpus": []}}

    def run(self, config, mode="ok", *args):
        (self.program.parent / "told.json").write_text(json.dumps(TOLD[config["benchmark"]["kind"]]))
        return run_profllm(self.bin_dir, "run", "-c", write_config(self.folder, config), "-o", self.folder / "r.json",
                           "--overwrite", *args, env={"FAKE_MODE": mode}, patience=self.patience)

    def result(self):
        return load_result(self.folder / "r.json")

    def argv(self):
        return json.loads((self.program.parent / "argv.json").read_text())


@pytest.fixture
def child(bin_dir, tmp_path, patience):
    return Child(bin_dir, tmp_path, patience)


@pytest.mark.parametrize("kind, own, words", [
    ("latency", {"batch_size": 4, "use_beam_search": True}, "--batch-size 4 --use-beam-search"),
    ("throughput", {"num_prompts": 10, "async_engine": True}, "--num-prompts 10 --async-engine"),
    ("startup", {"num_iters_cold": 2}, "--num-iters-cold 2"), ("mm-processor", {"num_prompts": 4}, "--num-prompts 4")])
def test_result_of_vllm_becomes_ours(child, schema, kind, own, words):
    done = child.run(child.config(kind, output_json=str(child.folder / "v.json"), **own))
    assert done.returncode == 0, done.stderr
    result, told = child.result(), TOLD[kind]
    schema.validate(result)
    assert result["status"] == "completed" and result["config"]["benchmark"]["mode"] == "in_process"
    for key in set(told) - {"model_id", "config", "timestamp"}:
        assert result["results"][key] == told[key]
    assert json.loads((child.folder / "v.json").read_text()) == told
    argv = child.argv()
    # engine's arguments, then the benchmark's own that were asked for, then the place of the result
    assert argv[:4] == ["bench", kind, "--model", "m"] and "--tensor-parallel-size" in argv
    assert shlex.join(argv[:-2]).endswith(words) and argv[-2] == "--output-json" and "--port" not in argv
    assert result["environment"]["engine"]["simulated"] is False and result["launch"]["phases"]["engine_ready_s"] >= 0
    figures = result["results"]
    if kind == "throughput":  # sums that vLLM prints to the terminal only, and the sections of all loads
        assert (figures["total_output_tokens"], figures["output_throughput"], figures["duration"], figures["request_throughput"]) == (
            100, 40, 2.5, 4)
        assert "Total num output tokens:  100\n" in done.stdout
    else:
        assert figures["total_output_tokens"] is None and figures["duration"] is None
    assert marked_processes(result["run_id"]) == []
    assert not [entry for entry in child.folder.iterdir() if ".offline." in entry.name]


@pytest.mark.parametrize("mode, code, status, cause", [
    ("oom", 3, "launch_failed", "out_of_memory"), ("bad", 3, "launch_failed", "invalid_argument"),
    ("crash", 1, "failed", "crashed"), ("short", 1, "failed", "internal")])
def test_errors_in_the_child_are_reported(child, schema, mode, code, status, cause):
    done = child.run(child.config("latency"), mode)
    result = child.result()
    schema.validate(result)
    assert (done.returncode, result["status"], result["error"]["cause"]) == (code, status, cause)
    assert "vllm bench latency" in result["error"]["message"] and marked_processes(result["run_id"]) == []


def test_a_child_that_hangs_ends_with_the_run(child):
    config = child.config("throughput")
    config["launch"].update(run_timeout="1s", stop_timeout="1s")
    assert child.run(config, "hang").returncode == 4
    assert child.result()["status"] == "timeout" and marked_processes(child.result()["run_id"]) == []


def test_without_vllm_one_message_names_the_other_way(bin_dir, tmp_path):
    done = run_profllm(bin_dir, "bench", "latency", "--model", "m", cwd=tmp_path, env={"PATH": "/nowhere"})
    [fault] = [line for line in done.stderr.splitlines() if line.startswith("profllm: error")]
    assert done.returncode == 2 and fault == ("profllm: error: 'vllm' is not installed; to measure a running server, set "
                                              "--base-url; to try it without vLLM, add --sim")
    done = run_profllm(bin_dir, "bench", "latency", "--model", "m", "--mode", "server", cwd=tmp_path, env={"PATH": "/nowhere"})
    assert done.returncode == 3 and ("vLLM is not installed; to measure a running server, set --base-url; to try it without "
                                     "vLLM, add --sim.") in " ".join(done.stdout.split())
    for more in ([], ["--dry-run"]):
        done = run_profllm(bin_dir, "bench", "latency", "--model", "m", "--sim", "--base-url", "http://127.0.0.1:1", *more, cwd=tmp_path)
        assert done.returncode == 2 and "found both --sim and --base-url 'http://127.0.0.1:1'; remove one" in done.stderr
    done = run_profllm(bin_dir, "bench", "mm-processor", "--model", "m", "--sim", cwd=tmp_path)
    assert done.returncode == 2 and "which a server does not expose" in done.stderr


def test_a_refused_dry_run_is_json_only_if_asked_for(bin_dir, tmp_path):
    for more in ([], ["--json"]):
        done = run_profllm(bin_dir, "bench", "latency", "--model", "m", "--sim", "--batch-size", "0", "--dry-run", *more, cwd=tmp_path)
        assert done.returncode == 2
        if not more:
            assert done.stdout == ""
    [problem] = json.loads(done.stdout)["problems"]
    assert (problem["severity"], problem["key"]) == ("error", "benchmark.batch_size")


def bench(bin_dir, folder, line, *args):
    done = run_profllm(bin_dir, "bench", *line.split(), "--model", "m", "--sim", "--quiet", "--output", "r.json",
                       "--output-json", "v.json", *args, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done, load_result(folder / "r.json"), json.loads((folder / "v.json").read_text())


def test_latency_at_a_server(bin_dir, tmp_path, schema):
    done, result, flat = bench(bin_dir, tmp_path, "latency --batch-size 3 --num-iters 4 --num-iters-warmup 2 "
                                                  "--input-len 16 --output-len 6")
    schema.validate(result)
    figures, samples = result["results"], np.array(result["results"]["latencies"])
    assert figures["completed"] == 12 and figures["total_input_tokens"] == 12 * 16 and figures["total_output_tokens"] == 12 * 6
    assert len(samples) == 4 and figures["avg_latency"] == pytest.approx(samples.mean())
    assert figures["percentiles"] == pytest.approx(shares(samples))
    # a batch is done when its last answer is: never before the longest request
    assert samples.max() * 1e3 >= figures["p99.9_e2el_ms"] - 1e-6 and figures["peak_in_flight"] == 3
    assert list(flat) == ["model_id", "avg_latency", "latencies", "percentiles"] and flat["latencies"] == figures["latencies"]
    assert f"Avg latency: {figures['avg_latency']} seconds\n10% percentile latency: " in done.stdout
    assert result["config"]["benchmark"]["mode"] == "server" and result["environment"]["engine"]["simulated"]
    assert result["config"]["server"]["enable_prefix_caching"] is False
    # the advice names options of this command
    said = " ".join(done.stdout.split())
    assert "raise benchmark.num_iters (--num-iters) until the run lasts" in said.replace("Raise", "raise")
    assert "num-prompts" not in said and "--threads" not in said


def test_latency_counts_the_drafts_of_a_server_that_speculates(bin_dir, tmp_path, schema):
    """Counts those of the measured batches, not of the warm-ups."""
    line = "latency --batch-size 3 --num-iters 4 --num-iters-warmup 2 --input-len 16 --output-len 32"
    _, result, _ = bench(bin_dir, tmp_path, line, "--speculative-config", '{"method": "ngram", "num_speculative_tokens": 3}')
    schema.validate(result)
    figures = result["results"]
    drafts, accepted = figures["spec_decode_num_drafts"], figures["spec_decode_accepted_tokens"]
    assert figures["completed"] == 12 and 0 < accepted <= figures["spec_decode_draft_tokens"]
    # a step is a draft, and gives a token of its own and those that it accepted; the last one may accept more than are wanted
    assert 12 * 32 - 12 * 4 <= drafts + accepted <= 12 * 32 + 12 * 3


def test_throughput_at_a_server(bin_dir, tmp_path, schema):
    done, result, flat = bench(bin_dir, tmp_path, "throughput --num-prompts 12 --input-len 20 --output-len 5 --n 2")
    schema.validate(result)
    figures = result["results"]
    # both answers of each prompt count, and the lengths do what they say
    assert flat["num_requests"] == 12 and flat["total_num_tokens"] == 12 * (20 + 2 * 5)
    assert flat["tokens_per_second"] == pytest.approx(flat["total_num_tokens"] / flat["elapsed_time"])
    assert list(flat)[1:] == list(TOLD["throughput"])[1:] and figures["elapsed_time"] == figures["duration"]
    assert f"Total num output tokens:  {12 * 2 * 5}\n" in done.stdout


def test_starts_of_a_server(bin_dir, tmp_path, schema, monkeypatch):
    caches = tmp_path / "tmp"
    caches.mkdir()
    monkeypatch.setenv("TMPDIR", str(caches))
    _, result, flat = bench(bin_dir, tmp_path, "startup --num-iters-cold 2 --num-iters-warmup 1 --num-iters-warm 1")
    schema.validate(result)
    starts = result["results"]["starts"]
    assert [start["phase"] for start in starts] == ["cold", "cold", "warmup", "warm"]
    assert flat["cold_startup_times"] == [start["startup_s"] for start in starts[:2]]
    assert flat["avg_warm_startup_time"] == starts[3]["startup_s"] and flat["warm_startup_percentiles"]["50"] > 0
    # each cold start has folders of its own, which are gone; warm ones have the user's
    used = [start["caches"]["VLLM_CACHE_ROOT"] for start in starts[:2]]
    assert len(set(used)) == 2 and starts[2].get("caches") is None and list(caches.iterdir()) == []
    assert all(start["phases"]["healthy_s"] == pytest.approx(start["startup_s"]) for start in starts)
    assert marked_processes(result["run_id"]) == []


@pytest.mark.parametrize("line, key", [
    ("latency --model m --max-model-len 100", "server.max_model_len"), ("latency --model m --num-prompts 3", "--num-prompts"),
    ("throughput --model m --backend hf", "benchmark.hf_max_batch_size"),
    ("throughput --model m --hf-max-batch-size 3", "benchmark.hf_max_batch_size"),
    ("throughput --model m --async-engine --prequeue-requests", "benchmark.prequeue_requests"),
    ("throughput --model m --data-parallel-size 2", "server.data_parallel_size"),
    ("throughput --model m --enable-lora", "benchmark.lora_path"),
    ("throughput --model m --dataset-name prefix_repetition --prefix-repetition-prefix-len 1 "
     "--prefix-repetition-suffix-len 1 --prefix-repetition-num-prefixes 1", "benchmark.prefix_repetition_output_len"),
    ("startup --model m --num-iters-cold 0 --num-iters-warm 0", "benchmark.num_iters_cold"),
    ("startup --model m --port 3", "--port"), ("mm-processor --model m --dataset-name random", "--dataset-name")])
def test_rules_fire_in_validate(bin_dir, tmp_path, line, key):
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--", "vllm", "bench", *line.split()))
    assert [fault["key"] for fault in errors(report)] == [key]


def test_arguments_that_vllm_ignores_are_reported(bin_dir, tmp_path):
    line = "vllm bench throughput --model m --input-len 8 --dataset-name random-mm"
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--", *line.split()))
    assert errors(report) == []
    assert {"benchmark.input_len", "benchmark.dataset_name"} <= {one["key"] for one in warnings(report)}


@pytest.mark.parametrize("benchmark, key", [
    ({"kind": "latency", "request_rate": 3}, "benchmark.request_rate"), ({"batch_size": 3}, "benchmark.batch_size"),
    ({"mode": "server"}, "benchmark.mode"), ({"backend": "hf"}, "benchmark.backend"),
    ({"kind": "mm-processor", "mode": "server"}, "benchmark.kind"),
    ({"kind": "throughput", "mode": "server", "backend": "vllm-chat"}, "benchmark.backend")])
def test_options_of_another_kind_are_refused(bin_dir, tmp_path, benchmark, key):
    (tmp_path / "e.yaml").write_text(json.dumps({"server": {"model": "m"}, "benchmark": benchmark}))
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "e.yaml"))
    assert [fault["key"] for fault in errors(report)] == [key]


def test_lines_of_people_get_vllms_verdict(bin_dir, tmp_path, test_data_dir):
    """bench-commands.jsonl: each line of an offline benchmark is accepted or refused as by its own parser."""
    scripts = {"benchmark_latency.py": "latency", "benchmark_throughput.py": "throughput"}
    wanted, texts = [], []
    for row in map(json.loads, (test_data_dir / "data/commands/bench-commands.jsonl").read_text().splitlines()):
        kind = scripts.get(row["sub"], row["sub"])
        if kind in TOLD:
            wanted.append((row["id"], row["ok"], row["set"]))
            texts.append(shlex.join(["vllm", "bench", kind, *row["argv"]]))
    assert len(wanted) > 40
    for (name, ok, options), text in zip(wanted, texts):
        [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", "0.32.0", "--", *shlex.split(text)))
        assert (errors(report) == []) == ok, (name, text, report)
        if ok:
            done = profllm(bin_dir, tmp_path, "config", "from-command", "--vllm-version", "0.32.0", "--", *shlex.split(text))
            assert all(option in done.stdout for option in options), (name, options, done.stdout)


def test_the_rows_are_vllms_options(bin_dir, test_data_dir):
    rows = json.loads(run_profllm(bin_dir, "schema", "--json").stdout)
    load = {row["name"]: row for row in rows["load_options"]}
    flags = json.loads((test_data_dir / "spec/bench-args.json").read_text())["commands"]
    for kind in TOLD:
        own = [row for row in rows["offline_options"] if row["kind"] == kind.replace("-", "_")]
        assert [row["flag"] for row in own] == [one["flags"][0] for one in flags[f"bench {kind}"]]
        for row, one in zip(own, flags[f"bench {kind}"]):
            default = json.loads(row["default"]) if row["default"] else load[row["name"]]["default"]
            # options without a default in vLLM must be given where they matter: the row's own is used here
            if one["default"] is not None and one["type"] not in ("loads", "_parse_mm_bucket_config"):
                assert default == one["default"], (kind, row["name"])
            choices = row["choices"] if isinstance(row["choices"], list) else load[row["name"]].get("choices")
            assert one["choices"] is None or choices == one["choices"]


def test_a_server_that_runs_is_measured(bin_dir, tmp_path):
    with Server(bin_dir, "--sim-step", "2ms") as server:
        done = run_profllm(bin_dir, "bench", "latency", "--model", "tiny", "--base-url", f"http://127.0.0.1:{server.port}", "--quiet",
                           "--num-iters", 2, "--num-iters-warmup", 1, "--output-len", 4, "--output", "r.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert len(result["results"]["latencies"]) == 2 and result["config"]["benchmark"]["mode"] == "server"


def test_a_result_is_run_again_and_two_places_are_marked(bin_dir, tmp_path, child):
    bench(bin_dir, tmp_path, "latency --batch-size 2 --num-iters 2 --num-iters-warmup 0 --output-len 4 --n 2")
    words = ["run", "-q", "-c", "r.json", "-o", "again.json"]
    done = run_profllm(bin_dir, *words, cwd=tmp_path)
    assert done.returncode == 2 and "'v.json' already exists" in done.stderr
    done = run_profllm(bin_dir, *words, "--overwrite", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, again = load_result(tmp_path / "r.json"), load_result(tmp_path / "again.json")
    assert first["config"]["experiment"] == again["config"]["experiment"]
    assert first["config"]["benchmark"]["dataset_sha256"] == again["config"]["benchmark"]["dataset_sha256"]
    assert child.run(child.config("latency")).returncode == 0
    (tmp_path / "r.json").rename(tmp_path / "child.json")
    told = run_profllm(bin_dir, "compare", "again.json", "child.json", cwd=tmp_path).stdout
    assert "client" in told and "benchmark.mode" in told


def test_a_killed_run_is_recovered(bin_dir, tmp_path):
    config = {"server": {"model": "m"}, "launch": {"command": ["profllm-sim", "serve"], "extra_args": ["--sim-step", "50ms"]},
              "benchmark": {"kind": "latency", "num_iters": 1000, "num_iters_warmup": 0, "output_len": 64}}
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    for line in process.stderr:
        if "measuring" in line:
            break
    process.kill()
    process.communicate()
    done = run_profllm(bin_dir, "recover", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "interrupted" and result["config"]["benchmark"]["kind"] == "latency"
    assert marked_processes(result["run_id"]) == []


@pytest.mark.parametrize("kind", ["latency", "throughput", "startup", "mm-processor", "serve"])
def test_vllms_files_are_no_experiments(bin_dir, tmp_path, kind):
    """They do not record their experiment, which one message says instead of a list of unknown keys."""
    flat = {"date": "20260101-000000", "backend": "vllm", "model_id": "m", "num_prompts": 3, "request_rate": "inf",
            "duration": 1.5, "completed": 3}
    (tmp_path / "v.json").write_text(json.dumps(TOLD.get(kind, flat)))
    says = f"is a result of vllm bench {kind}, which does not record its experiment; use an experiment file or a result of profllm"
    for words in (["run", "-o", "r.json", "-c"], ["config", "from-result"]):
        done = run_profllm(bin_dir, *words, "v.json", cwd=tmp_path)
        assert done.returncode == 2 and done.stderr == f"profllm: error: 'v.json' {says}\n"
    done = run_profllm(bin_dir, "config", "to-command", "v.json", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr == f"v.json: {says}\n"


@pytest.mark.parametrize("kind, field, value", [
    ("latency", "results.avg_latency", 1.5), ("latency", "results.percentiles.50", 1.5), ("throughput", "results.tokens_per_second", 200),
    ("startup", "results.avg_warm_startup_time", 3.5), ("mm-processor", "results.p99_e2el_ms", 9.5)])
def test_vllms_files_are_results(bin_dir, tmp_path, kind, field, value):
    (tmp_path / "v.json").write_text(json.dumps(TOLD[kind]))
    done = run_profllm(bin_dir, "schema", "--fields", "--json", "--field", field, "v.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    [file] = json.loads(done.stdout)
    assert file["form"] == "vllm" and file["fields"][field]["value"] == value
    (tmp_path / "v.json").write_text(json.dumps({**TOLD[kind], "avg_latency": "soon", "mm_processor_stats": 3, "elapsed_time": -1,
                                                 "warm_startup_times": {}}))
    assert run_profllm(bin_dir, "schema", "--fields", "--field", field, "v.json", cwd=tmp_path).returncode == 2


def test_the_dashboard_takes_both_forms(bin_dir, tmp_path):
    bench(bin_dir, tmp_path, "startup --num-iters-cold 1 --num-iters-warm 0")
    own = load_result(tmp_path / "r.json")
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        dashboard.upload("/api/upload/batch", [own, TOLD["latency"], TOLD["throughput"]])
        rows = dashboard.rows(columns=["benchmark.kind", "benchmark.mode", "results.avg_cold_startup_time", "results.avg_latency"])
        told = {row["cells"]["benchmark.kind"]: row["cells"] for row in rows}
        assert told["startup"]["benchmark.mode"] == "server" and told["latency"]["benchmark.mode"] == "in_process"
        assert told["startup"]["results.avg_cold_startup_time"] == own["results"]["avg_cold_startup_time"]
        assert told["latency"]["results.avg_latency"] == 1.5 and told["throughput"].get("results.avg_latency") is None
