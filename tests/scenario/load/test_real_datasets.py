"""Real data sets with the simulator: the number and lengths of requests equal a count in Python."""

import csv
import json
import random
import subprocess

import pytest

import run_tools
from sim_tools import Server


@pytest.fixture(scope="module")
def server(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms", "--max-model-len", "65536", "--max-num-batched-tokens", "65536",
                "--num-gpu-blocks-override", "100000", model="org/tiny") as running:
        yield running


@pytest.fixture(scope="module")
def datasets(test_data_dir):
    return test_data_dir / "data" / "datasets"


def count_tokens(server, text):
    return server.post("/tokenize", {"model": "org/tiny", "prompt": text})["count"]


def count_templated(server, text):
    return server.post("/tokenize", {"model": "org/tiny", "messages": [{"role": "user", "content": text}]})["count"]


def bench(bin_dir, server, folder, name, path, *words):
    done = subprocess.run(
        [bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--dataset-name", name, "--dataset-path",
         path, "--no-oversample", "--output", "r.json", "--overwrite", "--quiet", *map(str, words)],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False, env=run_tools.environment())
    assert done.returncode == 0, done.stderr + done.stdout
    records = run_tools.read_zst_lines(folder / "r.requests.jsonl.zst")
    assert all(record["error"] is None for record in records)
    return [(record["prompt_tokens_requested"], record["output_tokens_requested"], record["prompt_tokens"],
             record["output_tokens"]) for record in records]


def usable(prompt, output):
    return 4 <= prompt <= 1024 and output >= 4 and prompt + output <= 2048


@pytest.mark.parametrize("file", ["sharegpt_sample_even.json", "fastchat_dummy_conversation.json",
                                  "inference_perf_sharegpt_tiny.json"])
def test_sharegpt(bin_dir, server, datasets, tmp_path, file):
    entries = [entry["conversations"] for entry in json.loads((datasets / file).read_text())
               if len(entry.get("conversations", [])) >= 2]
    random.seed(5)
    random.shuffle(entries)
    lengths = []
    for talk in entries:
        pair = count_tokens(server, talk[0]["value"]), count_tokens(server, talk[1]["value"])
        if len(lengths) < 60 and usable(*pair):
            lengths.append(pair)
    assert lengths, "no usable entry by the simulator's tokenizer"
    records = bench(bin_dir, server, tmp_path, "sharegpt", datasets / file, "--num-prompts", 60, "--seed", 5,
                    "--ignore-eos")
    assert [(asked, output) for asked, output, _, _ in records] == lengths
    assert all(output == made for _, output, _, made in records)


@pytest.mark.parametrize("file", ["custom_prompts_llama4_full_50_100.jsonl", "custom_prompts_llm_serving_lab.jsonl"])
def test_custom(bin_dir, server, datasets, tmp_path, file):
    prompts = [json.loads(line)["prompt"] for line in (datasets / file).read_text().splitlines() if line.strip()]
    random.seed(0)
    random.shuffle(prompts)
    records = bench(bin_dir, server, tmp_path, "custom", datasets / file, "--num-prompts", 1000, "--custom-output-len", 5,
                    "--ignore-eos")
    assert [asked for asked, _, _, _ in records] == [count_templated(server, prompt) for prompt in prompts]
    assert all(told == asked for asked, _, told, _ in records)
    records = bench(bin_dir, server, tmp_path, "custom", datasets / file, "--num-prompts", 1000, "--custom-output-len", 5,
                    "--ignore-eos", "--skip-chat-template")
    assert [asked for asked, _, _, _ in records] == [count_tokens(server, prompt) for prompt in prompts]
    assert all(told == asked for asked, _, told, _ in records)


@pytest.mark.parametrize("category", [None, "math_reasoning", "writing"])
def test_spec_bench(bin_dir, server, datasets, tmp_path, category):
    path = datasets / "spec_bench_question_even.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    prompts = [line["turns"][0] for line in lines if category in (None, line["category"])]
    random.seed(0)
    random.shuffle(prompts)
    words = ["--spec-bench-category", category] if category else []
    records = bench(bin_dir, server, tmp_path, "spec_bench", path, "--num-prompts", 50, "--spec-bench-output-len", 4,
                    "--seed", 9, "--ignore-eos", *words)
    assert [asked for asked, _, _, _ in records] == [count_templated(server, prompt) for prompt in prompts[:50]]
    assert all(told == asked for asked, _, told, _ in records)


def test_burstgpt(bin_dir, server, datasets, tmp_path):
    path = datasets / "BurstGPT_1_thirdparty.csv"
    with open(path, newline="", encoding="utf-8") as file:
        rows = [(int(row["Request tokens"]), int(row["Response tokens"])) for row in csv.DictReader(file)
                if row["Model"] == "GPT-4" and int(row["Response tokens"]) > 0]
    assert rows, "the file holds no GPT-4 rows"
    number = min(len(rows), 20)
    records = bench(bin_dir, server, tmp_path, "burstgpt", path, "--num-prompts", number, "--ignore-eos")
    assert len(records) == number
    left = list(rows)
    for asked, output, _, made in records:
        left.remove((asked, output))
        assert made == output
