"""Data set sonnet of vLLM up to 0.31 in an experiment file, compared with a count in Python."""

import hashlib
import json
import random
import re

import pytest

import run_tools
from sim_tools import Server
from test_wire import requests_in

BASE = "Pick as many lines as you can from these poem lines:\n"
POEM = ("Shall I be short or long ,\n\nit is for you to say ;\r\nthe night is é and 日本\rand all that comes behind it , the day\n"
        "a\n  two blanks lead this line , and it is longer than all of the others are by far\nlast line without an end")


class Tokens:
    """Counts tokens as the server does, each text once."""

    def __init__(self, server):
        self.server, self.known = server, {}

    def count(self, text):
        if text not in self.known:
            self.known[text] = self.server.post("/tokenize", {"prompt": text, "add_special_tokens": True})["count"]
        return self.known[text]


def templated(prompt):
    """docs/reference/simulator.md"""
    return f"\x02{prompt}\x06\x03"


def expected(tokens, lines, rng, wanted, input_len=550, prefix_len=200):
    """Returns [(prompt, its length with the template)], and the number of prompts that were too long."""
    mean = sum(tokens.count(line) for line in lines) / len(lines)
    offset = tokens.count(templated(BASE))
    assert input_len > offset
    of_input = max(round((input_len - offset) / mean), 1)
    of_prefix = max(round((prefix_len - offset) / mean), 0)
    found, dropped = [], 0
    while len(found) < wanted:
        extra = rng.choices(lines, k=of_input - of_prefix)
        prompt = BASE + "".join(lines[:of_prefix] + extra)
        length = tokens.count(templated(prompt))
        if length <= input_len:
            found.append((prompt, length))
        else:
            dropped += 1
    return found, dropped


class Play:
    def __init__(self, bin_dir, server, folder):
        self.bin_dir, self.server, self.folder = bin_dir, server, folder

    def config(self, path, **benchmark):
        return {"name": "s", "server": {}, "launch": {"url": f"http://127.0.0.1:{self.server.port}"},
                "benchmark": {"dataset_name": "sonnet", "dataset_path": str(path), "sonnet_output_len": 3,
                              "max_concurrency": 1, "request_id_prefix": "s", **benchmark}}

    def run(self, path, *words, fine=True, **benchmark):
        before = self.server.wire.stat().st_size if self.server.wire.exists() else 0
        config = run_tools.write_config(self.folder, self.config(path, **benchmark))
        done = run_tools.run_profllm(self.bin_dir, "run", "-c", config, "-o", self.folder / "r.json", "-q", *words,
                                     patience=3)
        if fine:
            assert done.returncode == 0, done.stderr + done.stdout
        wire = self.folder / "wire"
        wire.write_bytes(self.server.wire.read_bytes()[before:] if self.server.wire.exists() else b"")
        self.requests = [
            (next(line for line in lines if line.startswith("x-request-id: "))[14:], json.loads(body))
            for _, lines, body in requests_in(wire) if any(line.startswith("x-request-id: ") for line in lines)]
        return done

    def result(self):
        return run_tools.load_result(self.folder / "r.json")


@pytest.fixture(scope="module")
def server(bin_dir, tmp_path_factory):
    wire = tmp_path_factory.mktemp("sonnet") / "wire"
    with Server(bin_dir, "--sim-step", "1ms", "--sim-capture", wire, "--enable-lora", "--lora-modules", "a=/a", "b=/b", "c=/c",
                model="org/tiny") as running:
        running.wire = wire
        yield running


@pytest.fixture
def tokens(server):
    return Tokens(server)


@pytest.fixture
def play(bin_dir, server, tmp_path):
    return Play(bin_dir, server, tmp_path)


@pytest.fixture
def poem(tmp_path):
    path = tmp_path / "poem.txt"
    path.write_bytes(POEM.encode())
    return path


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.readlines()


@pytest.mark.parametrize("seed, lengths", [
    (0, {}), (1, {"input_len": 300}), (4294967295, {"input_len": 400, "prefix_len": 390}), (5, {"prefix_len": 0}),
    # fewer lines than the prefix would have; no line is drawn
    (6, {"input_len": 900, "prefix_len": 700}), (7, {"input_len": 200, "prefix_len": 800})])
def test_requests(play, poem, tokens, seed, lengths):
    lines = lines_of(poem)
    assert len(lines) == 8 and "the night is é and 日本\n" in lines and lines[-1][-1] != "\n"
    wanted, dropped = expected(tokens, lines, random.Random(seed), 25, **lengths)
    play.run(poem, seed=seed, num_prompts=25, **{f"sonnet_{name}": value for name, value in lengths.items()})
    assert [(name, body["prompt"], body["max_tokens"]) for name, body in play.requests] == [
        (f"s{i}", templated(prompt), 3) for i, (prompt, _) in enumerate(wanted)]
    records = run_tools.read_zst_lines(play.folder / "r.requests.jsonl.zst")
    assert [record["prompt_tokens_requested"] for record in records] == [length for _, length in wanted]
    assert [record["prompt_tokens"] for record in records] == [length for _, length in wanted]
    if not lengths:
        assert dropped > 0, "nothing was too long: the data shows nothing"
    told = play.result()["config"]["benchmark"]
    assert (told["chat_template"], told["prompt_form"]) == ("server", "text")


def test_the_shared_poem(play, tokens, test_data_dir):
    path = test_data_dir / "data" / "datasets" / "sonnet.txt"
    wanted, _ = expected(tokens, lines_of(path), random.Random(3), 40)
    play.run(path, seed=3, num_prompts=40)
    assert [body["prompt"] for _, body in play.requests] == [templated(prompt) for prompt, _ in wanted]


def test_chat_gets_the_prompt_as_it_is(play, poem, tokens):
    wanted, _ = expected(tokens, lines_of(poem), random.Random(2), 6)
    play.run(poem, seed=2, num_prompts=6, backend="openai-chat")
    assert [body["messages"] for _, body in play.requests] == [
        [{"role": "user", "content": [{"type": "text", "text": prompt}]}] for prompt, _ in wanted]
    records = run_tools.read_zst_lines(play.folder / "r.requests.jsonl.zst")
    # the server's own template makes up the length that was counted with it
    assert [record["prompt_tokens"] for record in records] == [length for _, length in wanted]
    assert play.result()["config"]["benchmark"]["chat_template"] == "none"


def test_later_draws_continue_where_it_stopped(play, poem, tokens):
    rng = random.Random(8)
    wanted, dropped = expected(tokens, lines_of(poem), rng, 30)
    adapters = [rng.choice(["a", "b", "c"]) for _ in range(30)]
    play.run(poem, seed=8, num_prompts=30, lora_modules=["a", "b", "c"])
    assert dropped > 0
    assert [(body["model"], body["prompt"]) for _, body in play.requests] == [
        (adapter, templated(prompt)) for adapter, (prompt, _) in zip(adapters, wanted)]


def test_short_names_of_the_lengths(play, poem, tokens):
    wanted, _ = expected(tokens, lines_of(poem), random.Random(0), 3, input_len=350)
    play.run(poem, num_prompts=3, input_len=350, output_len=2)
    assert [(body["prompt"], body["max_tokens"]) for _, body in play.requests] == [
        (templated(prompt), 2) for prompt, _ in wanted]


@pytest.mark.parametrize("data, says", [(b"", "holds no lines"), (b"fine\n\xff\n", "not valid UTF-8"),
                                        (b"a\x00b\n", "not valid UTF-8")])
def test_malformed_files_are_reported_before_the_start(play, tmp_path, data, says):
    path = tmp_path / "bad.txt"
    path.write_bytes(data)
    done = play.run(path, fine=False)
    assert done.returncode == 2 and says in done.stderr, done.stderr + done.stdout
    assert play.requests == []


def test_a_length_that_leaves_no_line(play, poem, tokens):
    offset = tokens.count(templated(BASE))
    done = play.run(poem, fine=False, sonnet_input_len=offset)
    assert done.returncode == 1
    assert f"benchmark.sonnet_input_len: found {offset}, expected more than the {offset} tokens" in " ".join(done.stdout.split())


def test_a_length_that_no_prompt_keeps(play, poem, tokens):
    length = tokens.count(templated(BASE)) + 1
    # a line of one token may be drawn, but the shared ones are too long
    done = play.run(poem, fine=False, sonnet_input_len=length, sonnet_prefix_len=500)
    assert done.returncode == 1
    assert f"exceed benchmark.sonnet_input_len ({length}) tokens" in " ".join(done.stdout.split())
    assert play.requests == []


def test_it_needs_a_template(bin_dir, tmp_path, poem):
    with Server(bin_dir, "--sim-step", "1ms", "--sim-no-chat-template", model="org/tiny") as server:
        server.wire = tmp_path / "none"
        done = Play(bin_dir, server, tmp_path).run(poem, fine=False)
    assert done.returncode == 1 and "chat template: the server responded: The tokenizer defines no" in done.stdout


def test_built_in_lines_without_a_file(play, tokens, source_dir):
    text = (source_dir / "src/bench/data/sonnet_lines.h").read_text()
    lines = [line + "\n" for line in re.findall(r'"(.*)\\n"', text)]
    assert len(lines) == 104 and lines.count("\n") == 6
    play.run(None, dataset_path=None, num_prompts=7, sonnet_input_len=400)
    rng = random.Random(0)
    wanted, _ = expected(tokens, lines, rng, 7, input_len=400)
    assert [body["prompt"] for _, body in play.requests] == [templated(prompt) for prompt, _ in wanted]
    result = play.result()
    assert result["config"]["benchmark"]["dataset_sha256"] == hashlib.sha256("".join(lines).encode()).hexdigest()
    # a repetition has the same text
    again = run_tools.run_profllm(play.bin_dir, "run", "-c", play.folder / "r.json", "-o", play.folder / "again.json", "-q", patience=3)
    assert again.returncode == 0, again.stderr
    found = run_tools.load_result(play.folder / "again.json")["config"]["benchmark"]
    assert found["dataset_sha256"] == result["config"]["benchmark"]["dataset_sha256"] and found["dataset_path"] is None


@pytest.mark.parametrize("words, says", [
    (["--dataset-name", "sonnet"], "invalid choice: 'sonnet'"),
    (["--dataset-name=sonnet", "--dataset-path", "x"], "invalid choice: 'sonnet'"),
    (["--sonnet-input-len", "5"], "unrecognized arguments: --sonnet-input-len 5"),
    (["--sonnet_prefix_len=5"], "unrecognized arguments: --sonnet-prefix-len=5"),
    (["--sonnet-out", "5"], "unrecognized arguments: --sonnet-out 5")])
def test_the_command_line_has_it_not_as_vllms_has_not(bin_dir, words, says):
    done = run_tools.run_profllm(bin_dir, "bench", "serve", *words)
    assert done.returncode == 2 and says in done.stderr
    assert "sonnet" not in run_tools.run_profllm(bin_dir, "bench", "serve", "--help").stdout


def test_set_on_the_command_line_of_run(play, poem, tokens):
    wanted, _ = expected(tokens, lines_of(poem), random.Random(0), 2, input_len=320)
    play.run(poem, "--set", "benchmark.num_prompts=2", "--set", "benchmark.sonnet_input_len=320")
    assert [body["prompt"] for _, body in play.requests] == [templated(prompt) for prompt, _ in wanted]
