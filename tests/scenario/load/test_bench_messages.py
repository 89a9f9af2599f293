"""Messages of `bench serve` for users of vLLM: in the words of the command line, without any loss."""

import json
import re

import pytest
from flaky_server import FlakyServer
from run_tools import run_profllm, sentences_of
from sim_tools import Server


@pytest.fixture(scope="module")
def server(bin_dir):
    with Server(bin_dir, "--sim-step", "2ms", model="org/tiny") as running:
        yield running


@pytest.mark.parametrize("words, says", [
    (["--dataset-name", "prefix_repetition", "--num-prompts", "3"], "--prefix-repetition-num-prefixes: found number 10"),
    (["--endpoint", "/v1/nope"], "--endpoint: found text '/v1/nope'"),
    (["--base-url", "localhost:8000"], "--base-url: found text 'localhost:8000', expected http://HOST:PORT"),
    (["--base-url", "me:secret@localhost:8000"], "--base-url: found text '***'"),
])
def test_faults_name_the_flag_before_anything_is_sent(bin_dir, words, says):
    for more in ([], ["--dry-run", "--json"]):
        done = run_profllm(bin_dir, "bench", "serve", "--port", "1", *words, *more)
        assert f"profllm bench serve: error: {says}" in done.stderr
        assert "benchmark." not in done.stderr and "launch." not in done.stderr and "secret" not in done.stderr
        assert done.returncode == (0 if more else 2)
        if more:
            assert any(says in problem["text"] for problem in json.loads(done.stdout)["problems"])


def test_a_dry_run_ends_with_the_summary(bin_dir):
    done = run_profllm(bin_dir, "bench", "serve", "--random-input", "64", "--num_prompts=20", "--request-rate", "10",
                       "--max-concurrency", "0", "--dry-run")
    lines = done.stdout.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("set:"))
    assert json.loads(lines[place].split(maxsplit=1)[1]) == {
        "num_prompts": 20, "random_input_len": 64, "max_concurrency": 0, "request_rate": 10.0}
    assert [line.split(":")[0] for line in lines[place:]] == [
        "set", "to", "requests", "prompt tokens", "output tokens", "problem"]
    assert "--max-concurrency: found number 0, expected an integer from 1" in lines[-1]


@pytest.mark.parametrize("words, warned", [
    (["--result-filename", "r.json"], "--result-filename: it has no effect without --save-result or --append-result"),
    (["--save-detailed"], "--save-detailed: it has no effect without --save-result"),
    (["--save-detailed", "--save-result"], None),
    (["--metadata", "a=b", "--append-result"], None),
    (["--dataset-name", "prefix_repetition", "--random-output-len", "5"],
     "--random-output-len: it has no effect without --dataset-name random"),
    (["--dataset-name", "prefix_repetition", "--prefix-repetition-output-len", "5"], None),
    (["--random-output-len", "5"], None),
    (["--multi-turn-num-turns", "5"], "--multi-turn-num-turns: it has no effect without --multi-turn"),
    (["--multi-turn-concurrency", "5"], "--multi-turn-concurrency: it has no effect without --multi-turn"),
    (["--multi-turn", "--backend", "openai-chat", "--random-prefix-len", "5"],
     "--random-prefix-len: it has no effect with --multi-turn; see --multi-turn-prefix-global-ratio"),
    (["--sharegpt-output-len", "5"], "--sharegpt-output-len: it has no effect without --dataset-name sharegpt"),
    (["--burstiness", "2"], "--burstiness: it has no effect without --request-rate"),
    (["--burstiness", "2", "--request-rate", "3"], None),
    (["--burstiness", "2", "--ramp-up-strategy", "linear", "--ramp-up-start-rps", "1", "--ramp-up-end-rps", "2"], None),
    (["--lora-assignment", "round-robin"], "--lora-assignment: it has no effect without --lora-modules"),
])
def test_a_flag_without_effect_is_reported(bin_dir, words, warned):
    done = run_profllm(bin_dir, "bench", "serve", *words, "--dry-run")
    assert done.returncode == 0
    if warned is None:
        assert done.stderr == ""
    else:
        assert done.stderr.startswith("profllm bench serve: warning: " + warned)


def test_later_features_name_an_alternative(bin_dir):
    done = run_profllm(bin_dir, "bench", "serve", "--enable-multimodal-chat")
    assert done.returncode == 2
    assert done.stderr.count("this version does not support") == 1 and done.stderr.count("client: vllm") == 1


def test_a_list_of_prompts_needs_a_backend_that_takes_one(bin_dir):
    done = run_profllm(bin_dir, "bench", "serve", "--model", "x", "--random-batch-size", "2")
    assert done.returncode == 2 and "--random-batch-size: found number 2, expected 1, because backend 'openai' sends one prompt" in done.stderr


@pytest.mark.parametrize("words, says", [
    ([], "bench: found nothing, "),
    (["srve"], "bench: found 'srve', "),
    (["throughputs", "--model", "x"], "bench: found 'throughputs', "),
])
def test_the_word_after_bench(bin_dir, words, says):
    done = run_profllm(bin_dir, "bench", *words)
    assert done.returncode == 2 and says in done.stderr and done.stdout == ""


def test_the_value_of_an_ambiguous_flag_is_reported_once(bin_dir):
    done = run_profllm(bin_dir, "bench", "serve", "--dataset", "ShareGPT.json", "--num-promts", "3", "--seed", "x")
    told = [line.split("error: ")[1] for line in done.stderr.splitlines()]
    assert done.returncode == 2 and len(told) == 3
    assert told[0].startswith("ambiguous option: --dataset could match --dataset-name, --dataset-path")
    assert told[1].startswith("argument --seed: invalid int value: 'x'")
    assert told[2] == "unrecognized arguments: --num-promts 3 (--num-promts: did you mean --num-prompts?)"


def test_flags_of_the_rust_client_are_answered(bin_dir):
    done = run_profllm(bin_dir, "bench", "serve", "--num-runs", "3", "--sweep-request-rate", "5")
    assert done.returncode == 2
    assert "unrecognized arguments: --num-runs 3 --sweep-request-rate 5 (--num-runs: run the command several times" in done.stderr
    assert "--dry-run?" not in done.stderr


def test_a_model_that_the_server_does_not_have(bin_dir, server):
    done = run_profllm(bin_dir, "bench", "serve", "--port", server.port, "--model", "org/other", "--num-prompts", "2")
    assert done.returncode == 3
    _, why, action = sentences_of(done.stdout)
    assert "'org/other'" in why and "'org/tiny'" in why and "one that the server lists" in action


@pytest.mark.parametrize("flag, stages, bar", [(None, True, True), ("--disable-tqdm", True, False), ("--quiet", False, False)])
def test_messages_meanwhile(bin_dir, server, tmp_path, flag, stages, bar):
    words = [flag] if flag else []
    done = run_profllm(bin_dir, "bench", "serve", "--port", server.port, "--random-input", "8", "--random-output", "4",
                       "--num-prompts", "3", "--save-result", *words, cwd=tmp_path)
    assert done.returncode == 0
    file, = tmp_path.iterdir()
    assert (f"vLLM's flat result: {file.name}" in done.stderr) == stages
    assert ("sending 3 requests" in done.stderr) == stages
    assert bool(re.search(r"^3/3 .* 0 open", done.stderr, re.M)) == bar
    assert done.stdout.count("Serving Benchmark Result") == 1


def test_a_missing_key_is_reported(bin_dir, tmp_path):
    words = ["--random-input", "8", "--random-output", "4", "--num-prompts", "2"]
    with Server(bin_dir, "--sim-step", "1ms", "--api-key", "sk-right", model="org/tiny") as running:
        for env in ({}, {"OPENAI_API_KEY": "sk-wrong"}):
            done = run_profllm(bin_dir, "bench", "serve", "--port", running.port, *words, env=env)
            assert done.returncode == 3
            assert "'/v1/models' returned status 401: the server requires an API key; set" in done.stdout
            assert "or --header" in done.stdout and "sk-" not in done.stdout
        done = run_profllm(bin_dir, "bench", "serve", "--port", running.port, *words, env={"OPENAI_API_KEY": "sk-right"})
        assert done.returncode == 0


def test_hints_name_flags_too(bin_dir):
    done = run_profllm(bin_dir, "bench", "serve", "--port", "1", "--num-prompts", "2")
    assert done.returncode == 3
    assert "--ready-check-timeout-sec" in sentences_of(done.stdout)[2]
    assert "benchmark." not in done.stdout


def test_a_result_that_cannot_be_written_is_shown_all_the_same(bin_dir, tmp_path):
    folder = tmp_path / "results"

    def take_the_place(*_):
        """The path was free at the check, and is in use when the run ends."""
        folder.write_text("taken")

    with FlakyServer(take_the_place) as server:
        done = run_profllm(bin_dir, "bench", "serve", "--port", server.port, "--model", "m", "--random-input", 8,
                           "--random-output", 4, "--vocab-size", 1000, "--num-prompts", 20, "--save-result",
                           "--result-dir", folder, cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 2
    assert re.search(r"^Successful requests: +20 ", done.stdout, re.M) and "Verdict:" in done.stdout
    kept = re.search(r"'profllm recover ([^']+)'", done.stderr).group(1)
    done = run_profllm(bin_dir, "recover", kept)
    assert done.returncode == 0, done.stderr
    assert json.loads(open(kept, encoding="utf-8").read())["results"]["completed"] == 20
