"""profllm run against a real vLLM: make test-real VLLM=FOLDER.

FOLDER holds bin/vllm and env.sh, which sets TINY, a small model's folder. A server takes minutes to
start without a GPU, so there are few runs here and each looks at much. Never part of `make test`.
"""
import json
import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PROFLLM_BIN", SOURCE / "build" / "bin"))
FOLDER = os.environ.get("VLLM", "")

pytestmark = pytest.mark.skipif(not Path(FOLDER, "bin", "vllm").exists(),
                                reason="no vLLM: make test-real VLLM=FOLDER with FOLDER/bin/vllm")


def vllm_environment():
    """What env.sh exports, as the shell has it afterwards."""
    shown = subprocess.run(["sh", "-c", f". {FOLDER}/env.sh; env -0"], capture_output=True, check=True)
    return dict(pair.split("=", 1) for pair in shown.stdout.decode().split("\0") if "=" in pair)


def run(tmp_path, backend, dataset, *more):
    environment = vllm_environment()
    experiment = {
        "name": f"real-{backend}",
        "server": {"model": environment["TINY"], "served_model_name": ["tiny"], "max_model_len": 2048, "max_num_seqs": 64},
        "launch": {"command": [f"{FOLDER}/bin/vllm", "serve"], "gpus": [], "ready_timeout": "900s", "stop_timeout": "60s"},
        "benchmark": {"backend": backend, "num_prompts": 40, "request_rate": 5, "num_warmups": 4, "temperature": 0,
                      "ignore_eos": True, **dataset},
    }
    config, output = tmp_path / "e.json", tmp_path / "r.json"
    config.write_text(json.dumps(experiment))
    done = subprocess.run([BIN / "profllm", "run", "--config", config, "--output", output, *more], env=environment,
                          capture_output=True, text=True, cwd=SOURCE, timeout=1800)
    return done, json.loads(output.read_text()) if output.exists() else None


def check(done, result, output_len):
    assert done.returncode == 0, done.stdout + done.stderr
    assert result["status"] == "completed"
    engine = result["environment"]["engine"]
    assert engine["simulated"] is False and engine["version"].startswith("0.")
    assert "SIMULATED" not in done.stdout
    figures = result["results"]
    assert figures["completed"] == 40 and figures["failed"] == 0
    assert figures["total_output_tokens"] == 40 * output_len
    assert 0 < figures["mean_ttft_ms"] < figures["mean_e2el_ms"]
    for phase in ("spawn_s", "healthy_s", "ready_s"):
        assert result["launch"]["phases"][phase] > 0


def test_completions_with_random_text(tmp_path):
    done, result = run(tmp_path, "openai", {"dataset_name": "random", "random_input_len": 64, "random_output_len": 16})
    check(done, result, 16)
    assert result["config"]["benchmark"]["prompt_form"] == "text"
    assert result["results"]["total_input_tokens"] == 40 * 64


def test_chat_with_conversations(tmp_path):
    data = str(SOURCE / "configs" / "examples" / "data" / "conversations.json")
    done, result = run(tmp_path, "openai-chat", {"dataset_name": "sharegpt", "dataset_path": data, "sharegpt_output_len": 16})
    check(done, result, 16)
