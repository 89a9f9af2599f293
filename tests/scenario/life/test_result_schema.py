"""The schemas of api/: a complete result passes, and each of many single faults is refused.

data/result.json is a result written by hand; objects with a key for every argument, option, statistic or check are
completed here from the schema's own lists, with null.


"""
import copy
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from validate_tools import pointer, profllm, reports, schema_faults

SOURCE = Path(__file__).resolve().parents[3]
DATA = Path(__file__).resolve().parents[1] / "data"
DELETE = object()


def schema(name):
    return json.loads((SOURCE / "api" / f"{name}.schema.json").read_text())


RESULT = schema("result")
VALIDATOR = jsonschema.Draft202012Validator(RESULT)


def resolved(part):
    while "$ref" in part:
        part = RESULT["$defs"][part["$ref"].rsplit("/", 1)[1]]
    return part


def filler(part):
    """Returns some value for a key that the fixture lacks."""
    part = resolved(part)
    if "enum" in part:
        return part["enum"][-1]
    if "anyOf" in part:
        return filler(part["anyOf"][0])
    kind = part.get("type")
    return {"boolean": False, "integer": 0}.get(kind if isinstance(kind, str) else kind[0]
                                                if "null" not in kind else "null")


def complete(place, name):
    properties = RESULT["$defs"][name]["properties"]
    for key in RESULT["$defs"][name]["required"]:
        if key not in place:
            place[key] = filler(properties[key])


def checks():
    _, *rules = RESULT["$defs"]["quality"]["properties"]["checks"]["items"]["allOf"]
    return [{"id": name, "status": "passed", "value": 0.5, "limit": 1.0, "unit": rule["then"]["properties"]["unit"]["const"],
             "effect": "info", "text": "a check"} for rule in rules for name in rule["if"]["properties"]["id"]["enum"]]


def make_result():
    result = json.loads((DATA / "result.json").read_text())
    complete(result["config"]["server"], "server")
    complete(result["config"]["server_source"], "server_source")
    complete(result["config"]["benchmark"], "benchmark")
    complete(result["results"], "results")
    complete(result["results"]["steady"], "steady")
    result["quality"]["checks"] = checks()
    return result


GOOD = make_result()


def changed(document, path, value):
    document = copy.deepcopy(document)
    *parents, last = path
    place = document
    for key in parents:
        place = place[key]
    if value is DELETE:
        del place[last]
    else:
        place[last] = value
    return document


def faults(document):
    return [f"{'.'.join(map(str, fault.path))}: {fault.message[:200]}"
            for fault in VALIDATOR.iter_errors(document)]


@functools.cache
def broken_faults(number):
    return list(VALIDATOR.iter_errors(changed(GOOD, *BROKEN[number])))


ERROR = {"stage": "launch", "code": "LAUNCH", "message": "server ended with status 1",
         "cause": "out_of_memory", "hint": "take less", "log_line": "MemoryError",
         "log_tail": ["last words"]}


@pytest.mark.release_only  # nothing of ours runs in it
@pytest.mark.parametrize("name", ["result", "requests", "series"])
def test_schema_is_itself_valid(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))


def test_schemas_and_pages_are_up_to_date(bin_dir):
    done = subprocess.run([sys.executable, SOURCE / "tools/make-schemas", "--check", bin_dir / "profllm"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_good_result_passes():
    assert faults(GOOD) == []


def test_every_argument_has_its_key():
    assert len(RESULT["$defs"]["server"]["required"]) == 396
    assert RESULT["$defs"]["server"]["required"] == RESULT["$defs"]["server_source"]["required"]


def objects(part, path=""):
    """Yields each schema of an object in the file, with its path."""
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part and "additionalProperties" in part:
            yield path, part
        for key, inner in part.items():
            yield from objects(inner, f"{path}/{key}")
    elif isinstance(part, list):
        for i, inner in enumerate(part):
            yield from objects(inner, f"{path}/{i}")


# load options that results of earlier versions lack
LATE_OPTIONS = (
    "cache_bust", "multi_turn", "multi_turn_concurrency", "multi_turn_delay_ms", "multi_turn_max_turns",
    "multi_turn_min_turns", "multi_turn_num_turns", "multi_turn_prefix_conversation_ratio",
    "multi_turn_prefix_global_ratio", "per_turn_input_len", "profile_batch_threshold", "profile_duration",
    "random_cache_hit_fraction", "random_cache_ratio", "reset_prefix_cache", "speed_bench_max_input_len",
    "steady_state_min_window", "steady_state_threshold", "timed_trace_max_gap", "timed_trace_schedule",
    "timed_trace_speed")


@pytest.mark.parametrize("name", ["result", "requests", "series"])
def test_objects_are_closed_and_their_keys_required(name):
    seen = list(objects(schema(name)))
    assert seen
    for path, part in seen:
        assert part["additionalProperties"] is False, path
        # vLLM's offline benchmarks alone have their figures, older results have no intervals of rates, no parts of a latency,
        # no start of the process, no role of the host and no profile of separate requests, and a kind of output or an event
        # that did not come has no time
        may = {key for key, inner in part["properties"].items()
               if re.search("; missing if (unset|there (was|is) (one|none))$", inner.get("description", ""))
               or path.endswith("/results") and (inner.get("description", "").startswith(("kind ", "pooling ")) or key.endswith("put_ci95"))
               or (path.endswith("/results") and (key in ("latency_breakdown", "by_modality", "by_turn", "sessions") or key.endswith("prefix_cache_hit_rate"))) or (path.endswith("/phases") and key == "begin_ns")
               or (path.endswith("/benchmark") and key in LATE_OPTIONS)
               or (path.endswith("/hardware") and key == "source") or (path.endswith("/environment") and key == "host_role")
               or (path.endswith("/profiling") and key in ("scope", "error"))
               or (path.endswith("/container") and key in ("image_id", "runtime", "runtime_version", "name"))
               or (path.endswith("/trace_file") and key in ("rank", "size_bytes", "sha256"))
               or path.endswith(("/results", "/steady")) and re.search("_first_(role|reasoning|text|tool_call)_ms", key)}
        assert set(part["required"]) == set(part["properties"]) - may, path


GOOD_VARIANTS = {
    "completed": {("status",): "completed"},
    "partial with an error": {("error",): ERROR},
    "server did not start": {("status",): "launch_failed", ("results",): None, ("error",): ERROR,
                             ("quality", "verdict"): None, ("series",): None},
    "server died in the run": {("status",): "failed", ("error",): dict(ERROR, stage="measure",
                                                                      cause="crashed")},
    "nothing finished": {("status",): "failed", ("error",): dict(ERROR, cause=None, log_tail=None),
                         ("quality", "verdict"): None},
    "interrupted before the run": {("status",): "interrupted", ("error",): ERROR,
                                   ("results",): None, ("quality", "verdict"): None},
    "recovered from an earlier version's journal": {("config", "experiment"): None},
    "run again": {("environment", "repeat_of"): {"run_id": "exp_20260102_030405_0a1b2c", "timestamp": "2026-01-02T03:04:05Z",
                                                 "differences": [{"key": "gpu_models", "original": ["H100"], "current": None}]}},
    "rate inf": {("config", "benchmark", "request_rate"): "inf"},
    "any percentile": {("results", "p33.25_token_gap_ms"): 1.5,
                       ("results", "p33.25_token_gap_ms_ci95"): [1.25, 1.75],
                       ("results", "p100_itl_ms"): 2, ("results", "steady", "p33.25_itl_ms"): None},
    "exact, and nothing known of the client": {("results", "mean_itl_ms_client_error"): [0, 0],
                                               ("results", "p90_tpot_ms_client_error"): None},
    "no steady window": {("results", "steady"): None},
    "a client of which nothing is known": {("quality", "measurement"): None, ("quality", "load", "rate_reached"): None},
    "value without a limit": {("quality", "checks", 3, "limit"): None},
    "check of another version": {("quality", "checks", 3, "id"): "of_another_version"},
    "fewer checks": {("quality", "checks"): checks()[:-1]},
    "checks in another order": {("quality", "checks"): list(reversed(checks()))},
    "unknown check": {("quality", "checks", 3, "status"): "unknown",
                      ("quality", "checks", 3, "value"): None},
    "server by url": {("launch", "argv"): None, ("launch", "env"): None, ("launch", "url"):
                      "http://10.0.0.1:8000", ("launch", "gpus"): []},
    "no names": {("suite",): None, ("name",): None, ("tags",): {}},
    "no milliseconds in the date": {("timestamp",): "2026-01-02T03:04:05Z"},
}


@pytest.mark.release_only  # nothing of ours runs in it
@pytest.mark.parametrize("what", GOOD_VARIANTS)
def test_good_variant_passes(what):
    document = GOOD
    for path, value in GOOD_VARIANTS[what].items():
        document = changed(document, path, value)
    assert faults(document) == []


BROKEN = [
    # a part is missing
    *[((key,), DELETE) for key in RESULT["required"]],
    (("config", "benchmark"), DELETE), (("config", "experiment"), DELETE), (("environment", "repeat_of"), DELETE),
    (("config", "server", "tensor_parallel_size"), DELETE),
    (("config", "server_source", "model"), DELETE),
    (("config", "benchmark", "seed"), DELETE),
    (("config", "benchmark", "dataset_sha256"), DELETE),
    (("results", "completed"), DELETE),
    (("results", "mean_ttft_ms"), DELETE),
    (("results", "p99.9_e2el_planned_ms"), DELETE),
    (("results", "median_itl_ms_ci95"), DELETE), (("results", "p99_e2el_ms_client_error"), DELETE),
    (("results", "errors", 0, "sample"), DELETE),
    (("results", "steady", "completed"), DELETE),
    (("system", "peak_gpu_memory_gb"), DELETE),
    (("system", "host", "steal_share"), DELETE),
    (("system", "gpus", 0, "uuid"), DELETE),
    (("launch", "phases", "ready_s"), DELETE),
    (("environment", "engine", "simulated"), DELETE),
    (("profiling", "trace_files"), DELETE),
    (("quality", "verdict"), DELETE),
    (("quality", "checks", 0, "effect"), DELETE),
    (("quality", "measurement"), DELETE), (("quality", "measurement", "lo"), DELETE),
    (("quality", "load"), DELETE), (("quality", "load", "gap_distance"), DELETE),
    (("quality", "load", "rate_reached", "limit"), DELETE),
    (("artifacts", 0, "sha256"), DELETE),
    # an unknown key
    (("more",), 1),
    (("config", "more"), {}),
    (("config", "experiment"), "server"), (("config", "experiment", "results"), {}), (("config", "experiment", "server"), 3),
    (("config", "server", "tensor_paralel_size"), 2),
    (("config", "benchmark", "rate"), 2),
    (("results", "mean_ttft"), 2.0),
    (("results", "p999_ttft_ms"), 2.0),
    (("results", "p-1_ttft_ms"), 2.0),
    (("results", "p50_latency_ms"), 2.0),
    (("results", "steady", "mean_ttft_ms_ci95"), None), (("results", "steady", "mean_ttft_ms_client_error"), None),
    (("results", "p95_ttft_ms_client_error"), None), (("results", "std_ttft_ms_client_error"), None),
    (("results", "mean_token_gap_ms_client_error"), None),
    (("system", "client", "more"), 1),
    (("launch", "facts", "more"), 1),
    (("environment", "engine", "more"), 1),
    (("quality", "checks", 0, "more"), 1),
    (("artifacts", 0, "path"), "r"),
    # a wrong type
    (("schema_version",), "1"),
    (("suite",), 7),
    (("tags", "ticket"), 12),
    (("duration",), "42.5"),
    (("config", "server", "max_num_seqs"), "many"),
    (("config", "server", "model"), ["small/model"]),
    (("config", "server", "compilation_config"), "fast"),
    (("config", "benchmark", "ignore_eos"), "yes"),
    (("config", "benchmark", "num_prompts"), 40.5),
    (("config", "benchmark", "request_rate"), "fast"),
    (("config", "benchmark", "request_timeout"), 21600),
    (("results",), []),
    (("results", "completed"), None),
    (("results", "p99_ttft_ms"), "39.9"),
    (("results", "median_ttft_ms_ci95"), [30.1]),
    (("results", "median_ttft_ms_ci95"), [30.1, None]),
    (("results", "median_ttft_ms_ci95"), [30.1, 30.5, 30.9]),
    (("results", "std_ttft_ms_ci95"), [1.0, 2.0]),
    (("results", "mean_ttft_ms_client_error"), 0.1), (("results", "mean_ttft_ms_client_error"), [-0.1]),
    (("results", "mean_ttft_ms_client_error"), [-0.1, None]), (("results", "mean_ttft_ms_client_error"), [-0.1, 0, 0.1]),
    (("results", "mean_ttft_ms_client_error"), [0.1, 0.2]), (("results", "mean_ttft_ms_client_error"), [-0.2, -0.1]),
    (("system", "gpus"), None),
    (("profiling", "enabled"), None),
    (("environment", "engine"), "vllm"),
    (("environment", "engine", "simulated"), "no"),
    (("launch", "argv"), "vllm serve"),
    (("launch", "env", "VLLM_LOGGING_LEVEL"), 5),
    (("quality", "checks", 0, "value"), "0.5"),
    (("quality", "load"), None), (("quality", "load", "rate_reached", "value"), None),
    (("quality", "measurement", "metric"), None),
    # out of range, or a word or form that is not one
    (("schema_version",), 1), (("schema_version",), 4),
    (("run_id",), "exp_2026_0304_0a1b2c"),
    (("run_id",), "exp_20260102_030405_0A1B2C"),
    (("timestamp",), "2026-01-02 03:04:05"),
    (("timestamp",), "2026-01-02T03:04:05+01:00"),
    (("duration",), -1),
    (("status",), "done"),
    (("config", "server_source", "model"), "guessed"),
    (("config", "server_explicit"), ["model", "model"]),
    (("config", "server_explicit"), ["tensor_paralel_size"]),
    (("config", "benchmark", "num_prompts"), 100000001),
    (("config", "benchmark", "kind"), "everything"),
    (("config", "benchmark", "stall_timeout"), "a minute"),
    (("config", "benchmark", "prompt_form"), "html"),
    (("config", "benchmark", "dataset_sha256"), "ba78"),
    (("results", "failed"), -1),
    (("results", "output_throughput"), -0.5),
    (("results", "repeats"), [{}]),
    (("results", "errors", 0, "kind"), "bad_luck"),
    (("results", "errors", 0, "count"), -1), (("results", "errors", 0, "retried"), None),
    (("results", "retries"), -1), (("results", "retried_requests"), 0.5),
    (("results", "errors", 0, "status"), 7),
    (("system", "host", "cpu_share_mean"), -0.1),
    (("quality", "verdict"), "fine"),
    (("quality", "measurement", "lo"), 0.1), (("quality", "measurement", "hi"), -0.1),
    (("quality", "measurement", "share"), -1),
    (("quality", "checks", 0, "status"), "bad"),
    (("quality", "checks", 0, "effect"), "none"),
    (("quality", "checks", 0, "id"), "schedule_lateness"),
    (("quality", "checks", 0, "unit"), "s"),
    (("artifacts", 0, "kind"), "photo"),
    (("artifacts", 0, "name"), "../r"),
    (("artifacts", 0, "size"), -1),
    (("artifacts", 0, "sha256"), "BA7816BF"),
    # parts that contradict each other
    (("results",), None),
    (("status",), "launch_failed"),
    (("status",), "failed"),
    (("status",), "timeout"),
    (("status",), "interrupted"),
    (("error",), {}),
    (("error",), dict(ERROR, stage="later")),
    (("error",), dict(ERROR, code="NONE")),
    (("error",), dict(ERROR, cause="bad_luck")),
    (("error",), dict(ERROR, message="")),
    (("error",), dict(ERROR, hint="")),
    (("error",), dict(ERROR, log_line=7)),
    (("error",), dict(ERROR, log_tail="last words")),
    (("quality", "checks", 0, "value"), None),
    (("quality", "checks", 0, "status"), "unknown"),
    (("quality", "checks"), []),
]


def name_of(case):
    path, value = case
    end = "missing" if value is DELETE else json.dumps(value)[:40]
    return f"{'.'.join(map(str, path))}={end}"


@pytest.mark.release_only  # nothing of ours runs in it
@pytest.mark.parametrize("number", range(len(BROKEN)), ids=[name_of(case) for case in BROKEN])
def test_broken_result_is_refused(number):
    assert broken_faults(number) != []


@pytest.mark.release_only  # many starts of one reader, which has a fuzz target
def test_the_program_says_the_same_of_each(bin_dir, tmp_path):
    documents = [GOOD] + [changed(GOOD, *case) for case in BROKEN]
    for number, told in enumerate(schema_faults(bin_dir, tmp_path, "result", documents)):
        wanted = broken_faults(number - 1) if number else []
        assert set(told) == {pointer(fault.absolute_path) for fault in wanted}, BROKEN[number - 1]


@pytest.mark.release_only  # nothing of ours runs in it
def test_no_time_is_negative():
    """Checks every statistic of each family, including requested percentiles; only a confidence interval may be below zero."""
    families = [key.removeprefix("mean_") for key in RESULT["$defs"]["results"]["properties"]
                if key.startswith("mean_") and key.endswith("_ms")]
    keys = [f"{stat}_{family}" for family in families for stat in ("mean", "median", "std", "p99", "p42.5")]

    def with_all(value):
        document = copy.deepcopy(GOOD)
        for figures in document["results"], document["results"]["steady"]:
            figures.update(dict.fromkeys(keys, value))
        return document
    assert faults(with_all(0.0)) == []

    def places(found):
        """Returns the paths, also of faults within an object that may be null."""
        return {".".join(map(str, fault.absolute_path)) for fault in found}.union(*(places(fault.context) for fault in found))
    told = places(list(VALIDATOR.iter_errors(with_all(-0.001))))
    assert told >= {f"{section}.{key}" for section in ("results", "results.steady") for key in keys}
    assert faults(changed(GOOD, ("results", "mean_ttft_ms_ci95"), [-0.1, 2.0])) == []
    for key in "start_s", "end_s":
        assert faults(changed(GOOD, ("results", "steady", key), -1.0)) != []


def test_completed_excludes_an_error():
    assert faults(changed(changed(GOOD, ("status",), "completed"), ("error",), ERROR)) != []


def test_no_results_no_verdict():
    document = changed(changed(GOOD, ("status",), "launch_failed"), ("error",), ERROR)
    assert faults(changed(document, ("results",), None)) != []


RECORD = json.loads((DATA / "record.json").read_text())
RECORDS = jsonschema.Draft202012Validator(schema("requests"))
FAILURE = {"kind": "http_status", "status": 503, "message": "engine is asleep"}


@pytest.mark.release_only  # nothing of ours runs in it
@pytest.mark.parametrize("path, value", [
    *[((key,), DELETE) for key in RECORD],
    (("more",), 1), (("index",), -1), (("index",), None), (("request_id",), ""),
    (("acted_ns",), 1.5), (("acted_ns",), "1"), (("events",), None), (("events", 0), [1, 2]),
    (("events", 0), [1, 2, 3, 4, 5]), (("events", 0), [1, 2, 3, -4]), (("events", 0), [1, -2, 3]), (("events", 0), [1, 2, 64]),
    (("try",), None), (("try",), -1), (("tries",), 1.5), (("retried",), None),
    (("token_source",), "guess"), (("status",), 0), (("error",), "refused"),
    (("error",), dict(FAILURE, kind="bad_luck")), (("error",), dict(FAILURE, more=1)),
    (("error",), {"kind": "connect"})])
def test_broken_record_is_refused(path, value):
    assert not RECORDS.is_valid(changed(RECORD, path, value))


def test_no_number_of_a_record_is_negative():
    times = [key for key in RECORD if key.endswith("_ns")]
    for key in [*times, "index", "try", "tries", "prompt_tokens_requested", "prompt_tokens", "output_tokens_requested",
                "output_tokens"]:
        assert not RECORDS.is_valid(changed(RECORD, (key,), -1)), key
    for at in range(3):
        assert not RECORDS.is_valid(changed(RECORD, ("events", 0), [-1 if i == at else 1 for i in range(3)]))


@pytest.mark.parametrize("error", [None, FAILURE, {"kind": "connect", "status": None, "message": None}])
def test_good_record_passes(error):
    assert list(RECORDS.iter_errors(dict(RECORD, error=error))) == []


SAMPLE = {"t_ns": 1000, "source": "server", "id": None,
          "values": {'vllm:num_requests_running{engine="0"}': 4.0, "up": None}}
SAMPLES = jsonschema.Draft202012Validator(schema("series"))


def test_good_sample_passes():
    assert list(SAMPLES.iter_errors(SAMPLE)) == []


@pytest.mark.parametrize("path, value", [
    *[((key,), DELETE) for key in SAMPLE],
    (("more",), 1), (("t_ns",), -1), (("t_ns",), "1"), (("source",), "moon"), (("id",), 3),
    (("values",), {}), (("values", "up"), "yes"), (("values", ""), 1)])
def test_broken_sample_is_refused(path, value):
    assert not SAMPLES.is_valid(changed(SAMPLE, path, value))


EXPERIMENT = """\
suite: schema
name: quick
server: {{model: sim/small}}
launch: {{command: ["{sim}", serve], gpus: []}}
benchmark:
  backend: openai
  dataset_name: random
  num_prompts: 12
  random_input_len: 16
  random_output_len: 4
  request_rate: {rate}
  metric_percentiles: "50,97.5"
"""


def lines_of(path):
    text = subprocess.run(["zstd", "-dc", path], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("rate", ["inf", "50"])
def test_real_result_passes(bin_dir, tmp_path, patience, rate):
    program = bin_dir / "profllm"
    config, output = tmp_path / "e.yaml", tmp_path / "r.json"
    config.write_text(EXPERIMENT.format(sim=bin_dir / "profllm-sim", rate=rate))
    done = subprocess.run([program, "run", "--config", config, "--output", output, "--quiet"],
                          capture_output=True, text=True, timeout=60 * patience)
    assert done.returncode == 0, done.stderr
    result = json.loads(output.read_text())
    assert faults(result) == []
    assert result["status"] == "completed"
    assert result["results"]["completed"] == 12
    assert result["results"]["p97.5_ttft_ms"] is not None
    assert result["environment"]["engine"]["simulated"] is True
    assert {a["kind"] for a in result["artifacts"]} == {"requests", "series", "server_log"}
    for artifact in result["artifacts"]:
        assert (tmp_path / artifact["name"]).stat().st_size == artifact["size"]
    records = lines_of(tmp_path / "r.requests.jsonl.zst")
    assert [record["index"] for record in records] == list(range(12))
    assert [fault.message for record in records for fault in RECORDS.iter_errors(record)] == []
    samples = lines_of(tmp_path / "r.series.jsonl.zst")
    assert len(samples) == result["series"]["samples"]
    assert [fault.message for sample in samples for fault in SAMPLES.iter_errors(sample)] == []
    for name, path in ("result", "r.json"), ("requests", "r.requests.jsonl.zst"), ("series", "r.series.jsonl.zst"):
        report, = reports(profllm(bin_dir, tmp_path, "validate", "--schema", name, "--json", path, patience=patience))
        assert report["ok"] and report["checked"] == {"result": 1, "requests": 12, "series": len(samples)}[name], report


def test_launch_failure_passes(bin_dir, tmp_path, patience):
    program = bin_dir / "profllm"
    config, output = tmp_path / "e.yaml", tmp_path / "r.json"
    config.write_text(EXPERIMENT.format(sim="/bin/false", rate="inf"))
    done = subprocess.run([program, "run", "--config", config, "--output", output, "--quiet"],
                          capture_output=True, text=True, timeout=60 * patience)
    assert done.returncode == 3, done.stderr
    result = json.loads(output.read_text())
    assert faults(result) == []
    assert result["status"] == "launch_failed"
    assert result["results"] is None and result["quality"]["verdict"] is None
