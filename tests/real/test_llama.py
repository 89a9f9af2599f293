"""llama.cpp's server through launch.url: another engine, with its own ways to say the same things."""
import json

import jsonschema
import pytest
from real_tools import running_server
from run_tools import load_result, read_zst_lines, run_profllm, write_config

REQUESTS = 24


@pytest.fixture(scope="module")
def server(llama, tmp_path_factory):
    log = tmp_path_factory.mktemp("llama") / "server.log"
    with running_server(llama, ["-m", llama.model, "-np", "8", "-c", "8192"], log) as running:
        yield running


@pytest.fixture
def play(bin_dir, tmp_path, server, source_dir):
    validator = jsonschema.Draft202012Validator(
        json.loads((source_dir / "api" / "result.schema.json").read_text()))

    def run(**benchmark):
        config = {"name": "llama", "server": {}, "launch": {"url": server.url},
                  "benchmark": {"num_prompts": REQUESTS, "request_rate": 10, "num_warmups": 2,
                                "temperature": 0, "ignore_eos": True, **benchmark}}
        done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                           tmp_path / "r.json", "--overwrite", patience=5)
        assert done.returncode == 0, done.stderr + done.stdout
        assert "SIMULATED" not in done.stdout
        result = load_result(tmp_path / "r.json")
        validator.validate(result)
        # never stopped
        assert server.poll() is None
        return result, read_zst_lines(tmp_path / "r.requests.jsonl.zst")

    return run


def check(result, records, output_len):
    assert result["status"] == "completed"
    engine = result["environment"]["engine"]
    assert engine == {"name": "llamacpp", "version": None, "simulated": False}
    figures = result["results"]
    assert (figures["completed"], figures["failed"]) == (REQUESTS, 0)
    assert figures["total_output_tokens"] == REQUESTS * output_len
    for record in records:
        assert (record["token_source"], record["output_tokens"]) == ("usage", output_len)
        assert record["finish_reason"] == "length"
    checks = {check["id"]: check for check in result["quality"]["checks"]}
    assert checks["token_source"]["status"] == checks["token_agreement"]["status"] == "passed"
    assert checks["simulated"]["status"] == "passed"


def test_completions(play):
    result, records = play(backend="openai", dataset_name="random", random_input_len=32,
                           random_output_len=16)
    check(result, records, 16)
    # prompts by its own /tokenize, which knows the text as `content`; the vocabulary by /v1/models
    assert result["config"]["benchmark"]["prompt_form"] == "text"
    assert result["results"]["total_input_tokens"] == REQUESTS * 32
    for record in records:
        # the last event has usage and no token: none counts twice
        assert sum(tokens for _, tokens, _ in record["events"]) == 16
        assert record["prompt_tokens"] == 32


def test_chat(play, source_dir):
    data = str(source_dir / "configs" / "examples" / "data" / "conversations.json")
    result, records = play(backend="openai-chat", dataset_name="sharegpt", dataset_path=data,
                           sharegpt_output_len=16)
    check(result, records, 16)
    for record in records:
        # the role alone comes first, with content null: no text yet
        assert record["events"][0][1] == 0
        assert record["first_event_ns"] <= record["first_token_ns"]


@pytest.mark.parametrize("backend", ["openai", "openai-chat"])
def test_bench_serve(bin_dir, tmp_path, server, backend):
    done = run_profllm(bin_dir, "bench", "serve", "--base-url", server.url, "--backend", backend,
                       *(["--endpoint", "/v1/chat/completions"] if backend == "openai-chat" else []),
                       "--random-input-len", 32, "--random-output-len", 16, "--num-prompts",
                       REQUESTS, "--request-rate", 10, "--ignore-eos", "--save-result",
                       "--result-filename", "flat.json", cwd=tmp_path, patience=5)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "Serving Benchmark Result" in done.stdout
    flat = load_result(tmp_path / "flat.json")
    assert (flat["completed"], flat["failed"]) == (REQUESTS, 0)
    assert flat["total_output_tokens"] == REQUESTS * 16
    assert flat["profllm"]["environment"]["engine"]["simulated"] is False
    assert server.poll() is None
