"""`run --config r.json` repeats a result: it sends the same requests, and reports the differences."""
import hashlib
import json
import re
import signal

import jsonschema
import pytest
import yaml
from run_tools import base_config, environment, load_result, run_profllm, start_profllm, write_config
from sim_tools import Server
from wait_tools import wait_for


@pytest.fixture(scope="module")
def validator(source_dir):
    return jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text()))


def requests_of(capture):
    """Returns heads and bodies of the posted requests, without the port, in an order independent of time."""
    data, posted = capture.read_bytes(), []
    while data:
        head, data = data.split(b"\r\n\r\n", 1)
        length = re.search(rb"content-length: (\d+)", head, re.I)
        count = int(length[1]) if length else 0
        if head.startswith(b"POST"):
            posted.append((re.sub(rb"(?i)(host: [^\r]*):\d+", rb"\1", head), data[:count]))
        data = data[count:]
    return sorted(posted)


def run(bin_dir, config, output, *words, patience, env=None, cwd=None, status=0):
    done = run_profllm(bin_dir, "run", "-c", config, "-o", output, "-q", *words, patience=patience, env=env, cwd=cwd)
    assert done.returncode == status, done.stderr
    return done


def without_ports(config):
    config = json.loads(json.dumps(config))
    del config["server"]["port"]
    return config


@pytest.mark.parametrize("name", ["quickstart", *(pytest.param(name, marks=pytest.mark.release_only) for name in (
    "agent-sessions", "arrival-rate", "chat-conversations", "conversations", "embeddings", "images", "replay-trace", "rerank", "shared-prefix",
    "small-kv-cache", "transcription"))])
def test_each_example_repeats_itself(bin_dir, source_dir, tmp_path, validator, patience, name):
    capture, first, again = tmp_path / "capture", tmp_path / "a.json", tmp_path / "b.json"
    examples = source_dir / "configs" / "examples"
    assert len(list(examples.glob("*.yaml"))) == 12
    written = yaml.safe_load((examples / f"{name}.yaml").read_text())
    written["launch"]["extra_args"] = [*written["launch"].get("extra_args", []), "--sim-capture", str(capture)]
    written["benchmark"].update(num_prompts=24, num_warmups=1)
    words = ", ".join(json.dumps(str(word)) for word in written["launch"]["extra_args"])
    run(bin_dir, examples / f"{name}.yaml", first, "-s", "benchmark.num_prompts=24", "-s", "benchmark.num_warmups=1",
        "-s", f"launch.extra_args=[{words}]", cwd=source_dir, patience=patience)
    sent = requests_of(capture)
    done = run(bin_dir, first, again, cwd=source_dir, patience=patience)
    requests = 24 // written["benchmark"].get("random_batch_size", 1)
    assert len(sent) >= requests + 2
    if "cache_bust" in written["benchmark"]:  # other prompts in each run
        assert len(requests_of(capture)) == len(sent)
    else:
        assert requests_of(capture) == sent
    before, after = load_result(first), load_result(again)
    validator.validate(after)
    # conversations have several requests
    assert before["results"]["completed"] == after["results"]["completed"]
    assert before["results"]["completed"] == requests or written["benchmark"].get("multi_turn")
    assert without_ports(after["config"]) == without_ports(before["config"])
    assert before["environment"]["repeat_of"] is None
    assert after["environment"]["repeat_of"] == {"run_id": before["run_id"], "timestamp": before["timestamp"],
                                                 "differences": []}
    assert "not as in the run" not in done.stderr
    # what was asked for is what the file says, and nothing more
    asked = before["config"]["experiment"]
    assert {key: set(value) for key, value in asked.items() if isinstance(value, dict)} == \
        {key: set(value) for key, value in written.items() if isinstance(value, dict)}
    assert asked["server"] == written["server"] and asked.get("tags") == written.get("tags")


EVERYTHING = """\
suite: "007"
name: 1.10
tags: {build: 0123, empty: ""}
server:
  model: sim/test
  max-model-len: 2k
  no-enable-prefix-caching: true
  compilation_config: {mode: 3, cudagraph_capture_sizes: [1, 2]}
  hf_overrides.architectures: [A]
  served_model_name: [one, two]
launch:
  command: [profllm-sim, serve]
  vllm_version: 0.32.0
  env: {PLAIN: text, FOLDER: "${HOME}/x", A_TOKEN: "${A_TOKEN}", NUMBER: 007}
  gpus: []
  port: auto
  ready_timeout: 2m
  run_timeout: null
  extra_args: []
benchmark:
  backend: openai
  dataset_name: custom
  dataset_path: ${DATA}/prompts.jsonl
  num_prompts: 2
  request_rate: .inf
  goodput: {ttft: 200}
  request_timeout: 1h
  metric_percentiles: [50, 99]
  extra_body: {min_tokens: 1, logit_bias: {"7": 2}}
  custom_output_len: 2
telemetry: {interval: 50ms, server_metrics: null}
output: {series: false}
"""


@pytest.fixture
def everything(tmp_path):
    (tmp_path / "prompts.jsonl").write_text('{"prompt": "hello"}\n{"prompt": "there"}\n')
    path = tmp_path / "e.yaml"
    path.write_text(EVERYTHING)
    return path


def test_every_form_of_a_value_reads_back(bin_dir, everything, tmp_path, validator, patience):
    env = {"DATA": str(tmp_path), "A_TOKEN": "hidden-66"}
    output = tmp_path / "r.json"
    run(bin_dir, everything, output, env=env, patience=patience)
    result = load_result(output)
    validator.validate(result)
    asked = result["config"]["experiment"]
    assert "hidden-66" not in output.read_text()
    assert asked["launch"]["env"] == {"PLAIN": "text", "FOLDER": "${HOME}/x", "A_TOKEN": "${A_TOKEN}", "NUMBER": "007"}
    assert asked["benchmark"]["dataset_path"] == "${DATA}/prompts.jsonl"
    assert (asked["suite"], asked["name"], asked["tags"]["build"]) == ("007", "1.10", "0123")
    plans = []
    for config in (everything, output, tmp_path / "again.yaml"):
        if config.suffix == ".yaml" and config != everything:
            done = run_profllm(bin_dir, "config", "from-result", output, "-o", config, patience=patience)
            assert done.returncode == 0, done.stderr
            assert config.read_text().startswith(f"# Experiment of run {result['run_id']} of {result['timestamp']}")
        done = run_profllm(bin_dir, "run", "-c", config, "--dry-run", "--json", env=env, patience=patience)
        assert done.returncode == 0, done.stderr
        plan = json.loads(done.stdout)
        plan["argv"][plan["argv"].index("--port") + 1] = plan["port"] = plan["config"]["server"]["port"] = None
        plan["config"]["benchmark"]["request_id_prefix"] = None
        plans.append({key: plan[key] for key in ("argv", "env", "config")})
    assert plans[0] == plans[1] == plans[2]
    # and validate takes it as the experiment that it holds
    done = run_profllm(bin_dir, "validate", output, env=env, patience=patience)
    assert done.returncode == 0, done.stderr
    done = run_profllm(bin_dir, "validate", output, patience=patience)
    assert done.returncode == 2 and f"{output}: launch.env.A_TOKEN: found ${{A_TOKEN}}, which is not set" in done.stdout


@pytest.fixture(scope="module")
def small(bin_dir, tmp_path_factory, patience):
    """A result of a data set in a file."""
    folder = tmp_path_factory.mktemp("small")
    data = folder / "prompts.jsonl"
    data.write_text('{"prompt": "hello"}\n{"prompt": "there"}\n')
    config = base_config(dataset_name="custom", dataset_path=str(data), custom_output_len=2, num_prompts=2)
    run(bin_dir, write_config(folder, config), folder / "r.json", patience=patience)
    return folder


def changed(small, tmp_path, **paths):
    """Returns a copy of the small result with other values at dotted paths."""
    result = load_result(small / "r.json")
    for path, value in paths.items():
        *parents, last = path.split("__")
        place = result
        for key in parents:
            place = place[key]
        place[last] = value
    copy = tmp_path / "then.json"
    copy.write_text(json.dumps(result))
    return copy


def test_another_host_and_engine_are_reported(bin_dir, small, tmp_path, patience):
    then = changed(small, tmp_path, environment__engine__version="0.31.1", environment__hostname="elsewhere",
                   environment__gpu_models=["NVIDIA H100"])
    done = run(bin_dir, then, tmp_path / "r.json", patience=patience)
    result = load_result(tmp_path / "r.json")
    for key, was in (("engine.version", "0.31.1"), ("hostname", "elsewhere"), ("gpu_models", '["NVIDIA H100"]')):
        assert f"{key} was {was} and is " in done.stderr
    told = {item["key"]: (item["original"], item["current"]) for item in result["environment"]["repeat_of"]["differences"]}
    assert set(told) == {"engine.version", "hostname", "gpu_models"}
    assert told["engine.version"] == ("0.31.1", result["environment"]["engine"]["version"])


def test_the_release_is_asked_for_again(bin_dir, small, tmp_path, patience):
    for engine, target, expected in (({"version": "0.31.0", "simulated": False}, True, ("0.31.0", False)),
                                     ({"version": "0.31.0", "simulated": True}, True, ("0.33.0", True)),
                                     ({"version": "x", "simulated": False}, False, ("0.30.0", False))):
        then = changed(small, tmp_path, environment__engine={"name": "vllm", **engine},
                       launch__target={"version": "0.30.0", "assumed": target})
        for words, wanted in (((), expected), (("-s", "launch.vllm_version=0.29.0"), ("0.29.0", False))):
            run(bin_dir, then, tmp_path / "r.json", "--overwrite", *words, patience=patience)
            result = load_result(tmp_path / "r.json")
            assert (result["launch"]["target"]["version"], result["launch"]["target"]["assumed"]) == wanted
            assert result["config"]["experiment"]["launch"].get("vllm_version") == (words[1].split("=")[1] if words else None)


def test_a_data_set_that_changed_is_an_error(bin_dir, small, tmp_path, patience):
    other = tmp_path / "other.jsonl"
    other.write_text('{"prompt": "changed"}\n{"prompt": "there"}\n')
    experiment = load_result(small / "r.json")["config"]["experiment"]
    then = changed(small, tmp_path, config__experiment={**experiment,
                                                        "benchmark": {**experiment["benchmark"], "dataset_path": str(other)}})
    done = run(bin_dir, then, tmp_path / "r.json", patience=patience, status=2)
    for path in (other, small / "prompts.jsonl"):
        assert hashlib.sha256(path.read_bytes()).hexdigest() in done.stderr
    assert "benchmark.dataset_path" in done.stderr and not (tmp_path / "r.json").exists()
    # a wish is a wish
    done = run(bin_dir, then, tmp_path / "r.json", "-s", f"benchmark.dataset_path={other}", patience=patience)
    assert "dataset_sha256 was" in done.stderr


def test_prompts_of_another_length_are_reported(bin_dir, tmp_path, patience):
    run(bin_dir, write_config(tmp_path, base_config(num_prompts=4)), tmp_path / "a.json", patience=patience)
    done = run(bin_dir, tmp_path / "a.json", tmp_path / "b.json", "-s", "benchmark.random_input_len=7", patience=patience)
    first, second = load_result(tmp_path / "a.json"), load_result(tmp_path / "b.json")
    assert f"dataset_sha256 was {first['config']['benchmark']['dataset_sha256']} and is " in done.stderr
    assert second["config"]["experiment"]["benchmark"]["random_input_len"] == 7
    assert second["config"]["benchmark"]["request_id_prefix"] == first["config"]["benchmark"]["request_id_prefix"]


def test_secrets_have_to_be_given(bin_dir, tmp_path, patience):
    config = base_config(num_prompts=2, header=["X-Trace=yes"])
    config["server"]["api_key"] = "key-11"
    config["launch"]["env"] = {"MY_TOKEN": "token-22"}
    config["launch"]["extra_args"] += ["--served-model-name", "sim/test"]
    output = tmp_path / "r.json"
    run(bin_dir, write_config(tmp_path, config), output, patience=patience)
    text = output.read_text()
    assert "key-11" not in text and "token-22" not in text and json.loads(text)["config"]["experiment"]["server"]["api_key"] == "***"
    done = run(bin_dir, output, tmp_path / "b.json", patience=patience, status=2)
    lines = done.stderr.splitlines()
    for key, way in (("server.api_key", "VLLM_API_KEY) or from --set server.api_key="),
                     ("launch.env.MY_TOKEN", "in the environment (MY_TOKEN)"), ("benchmark.header[0]", "--set benchmark.header=")):
        assert any(line.startswith(f"{output}: {key}: found ***") and way in line for line in lines), done.stderr
    assert not (tmp_path / "b.json").exists()
    done = run(bin_dir, output, tmp_path / "b.json", "-s", "benchmark.header=[X-Trace=yes]",
               env={"VLLM_API_KEY": "key-11", "MY_TOKEN": "token-22"}, patience=patience)
    again = load_result(tmp_path / "b.json")
    assert again["status"] == "completed" and "token-22" not in (tmp_path / "b.json").read_text()
    assert again["config"]["experiment"] == json.loads(text)["config"]["experiment"]


def test_stars_that_the_user_wrote_are_not_secrets(bin_dir, tmp_path, patience):
    capture, output = tmp_path / "capture", tmp_path / "r.json"
    config = base_config(num_prompts=2, extra_body={"user": "a *** b", "note": ["***x", "https://h/***"]})
    config["launch"]["env"] = {"STARS": "*** and ***", "PLACE": "http://someone:pass-33@h/"}
    config["launch"]["extra_args"] += ["--served-model-name", "three***", "--sim-capture", str(capture)]
    config["benchmark"]["model"] = "three***"
    run(bin_dir, write_config(tmp_path, config), output, patience=patience)
    sent = requests_of(capture)
    assert any(b"a *** b" in body for _, body in sent)
    # only the one that was hidden is missing
    done = run(bin_dir, output, tmp_path / "b.json", patience=patience, status=2)
    refused = [line for line in done.stderr.splitlines() if "***" in line]
    assert len(refused) == 1 and refused[0].startswith(f"{output}: launch.env.PLACE: found ***"), done.stderr
    run(bin_dir, output, tmp_path / "b.json", env={"PLACE": "http://someone:pass-33@h/"}, patience=patience)
    assert requests_of(capture) == sent
    assert load_result(tmp_path / "b.json")["config"]["experiment"] == load_result(output)["config"]["experiment"]


def test_simulated_runs_are_repeated_with_the_simulator(bin_dir, tmp_path, patience):
    config = base_config(num_prompts=2)
    config["launch"] = {}
    run(bin_dir, write_config(tmp_path, config), tmp_path / "a.json", "--sim", patience=patience)
    run(bin_dir, tmp_path / "a.json", tmp_path / "b.json", patience=patience)
    configs = [load_result(tmp_path / name)["config"]["experiment"] for name in ("a.json", "b.json")]
    assert configs[0] == configs[1] and configs[0]["launch"] == {"command": ["profllm-sim", "serve"]}


def test_a_file_of_arguments_stays_a_file(bin_dir, tmp_path, patience):
    (tmp_path / "args.yaml").write_text("max-model-len: 1024\n")
    config = base_config(num_prompts=2)
    config["server"] = {"model": "sim/test", "config": str(tmp_path / "args.yaml")}
    run(bin_dir, write_config(tmp_path, config), tmp_path / "a.json", patience=patience)
    result = load_result(tmp_path / "a.json")
    assert result["config"]["experiment"]["server"] == config["server"]
    assert result["config"]["server"]["max_model_len"] == 1024
    run(bin_dir, tmp_path / "a.json", tmp_path / "b.json", patience=patience)
    assert without_ports(load_result(tmp_path / "b.json")["config"]) == without_ports(result["config"])


def test_runs_that_failed_repeat_too(bin_dir, tmp_path, patience):
    config = base_config(num_prompts=4000, random_output_len=20, max_concurrency=4)
    flag = tmp_path / "flag"
    config["launch"]["command"] = ["sh", "-c", f'test -e {flag} || exit 3; exec {bin_dir}/profllm-sim "$@"', "sh", "serve"]
    run(bin_dir, write_config(tmp_path, config), tmp_path / "a.json", patience=patience, status=3)
    flag.touch()
    process = start_profllm(bin_dir, "run", "-c", tmp_path / "a.json", "-o", tmp_path / "b.json", "-q")
    journal = tmp_path / "b.json.journal"
    wait_for(lambda: journal.exists() and b'"record"' in journal.read_bytes(), "requests have finished", 60, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60 * patience)
    assert process.returncode == 130
    run(bin_dir, tmp_path / "b.json", tmp_path / "c.json", "-s", "benchmark.num_prompts=4", patience=patience)
    results = [load_result(tmp_path / f"{name}.json") for name in "abc"]
    assert [result["status"] for result in results] == ["launch_failed", "interrupted", "completed"]
    assert results[0]["config"]["experiment"] == results[1]["config"]["experiment"]
    assert results[2]["environment"]["repeat_of"]["run_id"] == results[1]["run_id"]
    # ids are drawn where a plan is made
    prefixes = [result["config"]["benchmark"]["request_id_prefix"] for result in results]
    assert prefixes[0] is None and prefixes[1] == prefixes[2] is not None


def test_results_of_bench_serve_repeat(bin_dir, tmp_path, patience):
    capture = tmp_path / "capture"
    with Server(bin_dir, "--sim-step", "1ms", "--sim-capture", str(capture), model="org/tiny") as server:
        words = ["bench", "serve", "--port", str(server.port), "--num-prompts", "4", "--random-input-len", "8",
                 "--random-output-len", "4", "--seed", "5", "--save-result", "--result-dir", str(tmp_path),
                 "--result-filename", "flat.json", "--output", tmp_path / "r.json"]
        assert run_profllm(bin_dir, *words, patience=patience).returncode == 0
        sent = requests_of(capture)
        seen = list(sent)
        for name in ("r.json", "flat.json"):
            done = run(bin_dir, tmp_path / name, tmp_path / f"again-{name}", "-s", f"benchmark.result_filename=x-{name}",
                       patience=patience)
            assert f"Result: {tmp_path / f'again-{name}'}" in done.stdout
            fresh = requests_of(capture)
            for request in seen:
                fresh.remove(request)
            seen += fresh
            assert fresh == sent
        result = load_result(tmp_path / "r.json")
    again = load_result(tmp_path / "again-r.json")
    asked = dict(result["config"]["experiment"]["benchmark"], result_filename="x-r.json")
    assert again["config"]["experiment"]["benchmark"] == asked and asked["seed"] == 5
    assert again["config"]["benchmark"]["dataset_sha256"] == result["config"]["benchmark"]["dataset_sha256"]


@pytest.mark.parametrize("change, says", [
    ({"schema_version": 1}, "of schema version 1 without its experiment"),
    ({"schema_version": 9}, "schema_version: found 9, expected at most 3"),
    ({"config__experiment": None}, "without its experiment (config.experiment)"),
])
def test_results_that_cannot_be_repeated(bin_dir, small, tmp_path, patience, change, says):
    then = changed(small, tmp_path, **change)
    for words in (["run", "-c", then, "-o", tmp_path / "r.json"], ["config", "from-result", then]):
        done = run_profllm(bin_dir, *words, patience=patience)
        assert done.returncode == 2 and says in done.stderr and done.stdout == ""
    assert not (tmp_path / "r.json").exists()


def test_from_result_wants_a_result(bin_dir, small, tmp_path, patience):
    path = write_config(tmp_path, base_config())
    done = run_profllm(bin_dir, "config", "from-result", path, patience=patience)
    assert done.returncode == 2 and f"'{path}' is not a result of profllm" in done.stderr
    for words, says in (([], "expected one RESULT"), (["--oneline", "r.json"], "'--oneline' works only with to-command"),
                        (["r.json", "--", "vllm"], "expected only a RESULT")):
        done = run_profllm(bin_dir, "config", "from-result", *words, patience=patience)
        assert done.returncode == 2 and says in done.stderr
    done = run_profllm(bin_dir, "config", "from-result", small / "r.json", patience=patience, env=environment())
    assert done.returncode == 0 and yaml.safe_load(done.stdout) == load_result(small / "r.json")["config"]["experiment"]
