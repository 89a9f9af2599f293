"""profllm run with a real vLLM that it starts and stops. A start takes minutes without a GPU, so
there are few runs here and each looks at much. Never part of `make test`."""
import json

import jsonschema
import pytest
from real_tools import Run, vllm_config


@pytest.fixture(scope="module")
def validator(source_dir):
    return jsonschema.Draft202012Validator(
        json.loads((source_dir / "api" / "result.schema.json").read_text()))


@pytest.fixture
def play(bin_dir, tmp_path, vllm):
    runs = []

    def start(config, *args):
        runs.append(Run(bin_dir, tmp_path, config, *args, engine=vllm))
        return runs[-1]

    yield start
    for run in runs:
        run.clean_up()


def check(run, validator, output_len):
    status, out, result = run.finish()
    assert status == 0, run.log_text() + out
    validator.validate(result)
    assert result["status"] == "completed"
    engine = result["environment"]["engine"]
    assert engine["simulated"] is False and engine["version"].startswith("0.")
    assert "SIMULATED" not in out
    figures = result["results"]
    assert figures["completed"] == 40 and figures["failed"] == 0
    assert figures["total_output_tokens"] == 40 * output_len
    assert 0 < figures["mean_ttft_ms"] < figures["mean_e2el_ms"]
    for phase in ("spawn_s", "healthy_s", "ready_s"):
        assert result["launch"]["phases"][phase] > 0
    assert run.alive() == []
    return result


def test_completions_with_random_text(play, vllm, validator):
    result = check(play(vllm_config(vllm)), validator, 16)
    assert result["config"]["benchmark"]["prompt_form"] == "text"
    assert result["results"]["total_input_tokens"] == 40 * 64
    assert result["launch"]["facts"]["max_model_len"] == 2048
    assert result["launch"]["facts"]["kv_cache_tokens"] > 0


def test_chat_with_conversations(play, vllm, validator, source_dir):
    data = str(source_dir / "configs" / "examples" / "data" / "conversations.json")
    config = vllm_config(vllm, backend="openai-chat", dataset_name="sharegpt", dataset_path=data,
                         sharegpt_output_len=16)
    check(play(config), validator, 16)


def test_a_server_that_runs_with_another_value_is_named(play, vllm):
    """A wrapper script adds an argument after those of ProfLLM, and vLLM uses the last one."""
    command = ["sh", "-c", 'exec "$@" --max-num-seqs 32', "wrapper", vllm.program, "serve"]
    status, out, result = play(vllm_config(vllm, launch={"command": command})).finish()
    assert status == 0 and result["status"] == "completed", out
    check = next(check for check in result["quality"]["checks"] if check["id"] == "config_mismatch")
    assert check["status"] == "over_limit"
    assert check["differences"] == [{"argument": "max_num_seqs", "requested": 64, "reported": 32, "source": "log"}]
    assert "config_mismatch" in out and result["quality"]["verdict"] != "trusted"


def test_several_api_servers(play, vllm, validator):
    """Each counts its own requests, and any of them responds to /metrics for all."""
    result = check(play(vllm_config(vllm, server={"api_server_count": 2})), validator, 16)
    assert "--api-server-count" in result["launch"]["argv"]
    parts = result["results"]["latency_breakdown"]
    assert (parts["state"], parts["reason"], parts["same_host"]) == ("exact", None, True)
    assert {name: one["count"] for name, one in parts["server"].items()} == dict.fromkeys(parts["server"], 40)
    statuses = {check["id"]: check["status"] for check in result["quality"]["checks"]}
    print(statuses)
    assert statuses["server_restart"] == statuses["foreign_load"] == statuses["token_agreement"] == "passed"
    assert statuses["config_mismatch"] == "passed"
