"""Chat templates applied by the server; and runs that need no tokenizer."""

import json
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import run_tools
from sim_tools import Server
from test_wire import requests_in

PROMPTS = ["Name three rivers é 日本 \t\"x\"\\.", " second  one ", "\x02odd\x06", "line\nline\n", "x"]
NO_THOUGHT = "<think>\n\n</think>\n\n"


def user(prompt, behind=""):
    """Applies the simulator's template to a user's message: docs/reference/simulator.md."""
    return f"\x02{prompt}\x06\x03{behind}"


class Play:
    def __init__(self, bin_dir, folder):
        self.bin_dir, self.folder = bin_dir, folder
        self.data = folder / "data.jsonl"
        self.prompts(PROMPTS)

    def prompts(self, prompts):
        self.data.write_text("".join(
            json.dumps({"prompt": prompt, "turns": [prompt], "category": "c", "output_tokens": 3}) + "\n"
            for prompt in prompts))

    def words(self, port, *words, dataset="custom"):
        return [self.bin_dir / "profllm", "bench", "serve", "--port", str(port), "--max-concurrency", "1",
                "--dataset-name", dataset, "--dataset-path", self.data, "--disable-shuffle", "--num-prompts",
                str(len(PROMPTS)), "--output", "r.json", "--overwrite", "--quiet", *map(str, words)]

    def run(self, port, *words, dataset="custom", fine=True):
        done = subprocess.run(self.words(port, *words, dataset=dataset), cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False, env=run_tools.environment())
        if fine:
            assert done.returncode == 0, done.stderr + done.stdout
        file = self.folder / "r.json"
        self.result = run_tools.load_result(file) if file.exists() else None
        return done

    def records(self):
        return run_tools.read_zst_lines(self.folder / "r.requests.jsonl.zst")

    def template(self):
        return self.result["config"]["benchmark"]["chat_template"]


@pytest.fixture
def play(bin_dir, tmp_path):
    return Play(bin_dir, tmp_path)


class Captured(Server):
    """A server that records its requests."""

    def __init__(self, bin_dir, folder, *words):
        self.wire = folder / "wire"
        super().__init__(bin_dir, "--sim-step", "1ms", "--sim-capture", self.wire, *words, model="org/tiny")

    def got(self, path):
        return [json.loads(body) for first, _, body in requests_in(self.wire) if first == f"POST {path} HTTP/1.1"]

    def prompts(self):
        """Returns the prompts of the data set: a ready request has another form."""
        return [body["prompt"] for body in self.got("/v1/completions") if "repetition_penalty" in body]


@pytest.fixture
def server(bin_dir, tmp_path):
    with Captured(bin_dir, tmp_path) as running:
        yield running


def test_custom_goes_out_with_the_template(play, server):
    play.run(server.port)
    assert server.prompts() == [user(prompt) for prompt in PROMPTS]
    assert play.template() == "server"
    # as long as the server says of the same messages, of the text, and of the request
    for prompt, record in zip(PROMPTS, play.records()):
        count = server.post("/tokenize", {"messages": [{"role": "user", "content": prompt}]})["count"]
        assert server.post("/tokenize", {"prompt": user(prompt)})["count"] == count
        assert (record["prompt_tokens_requested"], record["prompt_tokens"]) == (count, count)
    assert run_tools.doubts_of(play.result) == []


def test_requests_to_the_server(play, server):
    play.run(server.port, "--chat-template-kwargs", '{"enable_thinking": false, "a": [1.50, "é"]}')
    asked = [body for body in server.got("/tokenize") if "messages" in body]
    assert asked == [{"model": "org/tiny", "messages": [{"role": "user", "content": prompt}],
                      "add_generation_prompt": True, "chat_template_kwargs": {"enable_thinking": False, "a": [1.5, "é"]}}
                     for prompt in PROMPTS]
    assert server.prompts() == [user(prompt, NO_THOUGHT) for prompt in PROMPTS]


@pytest.mark.parametrize("words", [["--chat-template-kwargs.enable_thinking", "false"],
                                   ["--chat_template_kwargs={\"enable_thinking\": false}"]])
def test_arguments_may_be_built_key_by_key(play, server, words):
    play.run(server.port, *words)
    assert server.prompts() == [user(prompt, NO_THOUGHT) for prompt in PROMPTS]
    assert play.result["config"]["benchmark"]["chat_template_kwargs"] == {"enable_thinking": False}


def test_skipped(play, server):
    play.run(server.port, "--skip-chat-template", "--chat-template-kwargs.enable_thinking", "false")
    assert server.prompts() == PROMPTS
    assert play.template() == "none"
    assert not any("messages" in body for body in server.got("/tokenize"))


def test_spec_bench_has_it_always(play, server):
    play.run(server.port, "--skip-chat-template", "--chat-template-kwargs.enable_thinking", "false",
             "--spec-bench-output-len", 2, dataset="spec_bench")
    # the seed of its shuffle is its own
    assert sorted(server.prompts()) == sorted(user(prompt) for prompt in PROMPTS)
    assert play.template() == "server"


def test_chat_sends_the_templated_text_as_vllm_does(play, server):
    play.run(server.port, "--backend", "openai-chat")
    sent = [body["messages"] for body in server.got("/v1/chat/completions") if "max_completion_tokens" in body]
    assert [messages for messages in sent if isinstance(messages[0]["content"], list)] == [
        [{"role": "user", "content": [{"type": "text", "text": user(prompt)}]}] for prompt in PROMPTS]
    # the server lays its own over that
    assert all(record["prompt_tokens"] == record["prompt_tokens_requested"] + 3 for record in play.records())


@pytest.mark.parametrize("dataset", ["sharegpt", "random", "prefix_repetition"])
def test_other_data_sets_know_no_template(bin_dir, tmp_path, server, dataset):
    data = tmp_path / "talk.json"
    data.write_text(json.dumps([{"conversations": [{"value": " one two three four five"}, {"value": " six seven eight nine"}]}]))
    path = ["--dataset-path", data] if dataset == "sharegpt" else []
    done = subprocess.run(
        [bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--dataset-name", dataset, *path,
         "--num-prompts", "2", "--prefix-repetition-num-prefixes", "1", "--output-len", "4", "--output", "r.json",
         "--quiet"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env=run_tools.environment())
    assert done.returncode == 0, done.stderr
    assert run_tools.load_result(tmp_path / "r.json")["config"]["benchmark"]["chat_template"] is None
    assert not any("messages" in body for body in server.got("/tokenize"))


@pytest.mark.parametrize("dataset, hint", [("custom", True), ("spec_bench", False)])
def test_a_model_without_a_template_is_reported_before_the_first_request(play, bin_dir, tmp_path, dataset, hint):
    with Captured(bin_dir, tmp_path, "--sim-no-chat-template") as server:
        done = play.run(server.port, dataset=dataset, fine=False)
        assert done.returncode == 1
        assert "chat template" in done.stdout
        assert ("--skip-chat-template" in done.stdout) == hint
        assert play.result["status"] == "failed" and play.result["results"] is None
        assert server.prompts() == []
        assert len([body for body in server.got("/tokenize") if "messages" in body]) == 1
        if hint:
            play.run(server.port, "--skip-chat-template")
            assert server.prompts() == PROMPTS


class Other(BaseHTTPRequestHandler):
    """A server of another kind: it forwards unknown requests to the simulator."""

    protocol_version = "HTTP/1.1"
    manner, behind = None, None

    def answer(self, status, headers, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", headers.get("content-type", "application/json"))
        self.end_headers()
        self.wfile.write(body)

    def do(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path in ("/tokenize", "/detokenize", "/apply-template"):
            status, told = self.tokenize(json.loads(body))
            self.answer(status, {}, told)
        else:
            self.answer(*self.behind.ask(self.command, self.path, body, dict(self.headers)))

    def tokenize(self, body):
        if self.manner == "no tokenizer" or (self.path == "/apply-template" and self.manner != "llama"):
            return 404, b'{"detail": "Not Found"}'
        if self.path == "/apply-template":
            return 200, json.dumps({"prompt": "[" + body["messages"][0]["content"] + "]"}).encode()
        if self.manner in ("llama", "old llama"):
            # as llama.cpp's: it ignores unknown keys
            body = {**body, "prompt": body.get("content", "")} if self.path == "/tokenize" else body
            body.pop("messages", None)
        elif self.manner == "no messages" and "messages" in body:
            return 200, b'{"tokens": []}'
        elif self.manner == "fails" and "messages" in body:
            return 500, b'{"error": "out of order"}'
        answer = self.behind.post(self.path, {"model": "org/tiny", **body})
        if "llama" in self.manner and self.path == "/detokenize":
            answer = {"content": answer["prompt"]}
        return 200, json.dumps(answer).encode()

    do_GET = do_POST = do

    def log_message(self, *_):
        pass


@pytest.fixture
def other(server):
    def start(manner):
        handler = type("Handler", (Other,), {"manner": manner, "behind": server})
        running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        Thread(target=running.serve_forever, daemon=True).start()
        started.append(running)
        return running.server_address[1]

    started = []
    yield start
    for running in started:
        running.shutdown()
        running.server_close()


@pytest.mark.parametrize("manner, note", [("no tokenizer", "no tokenizer is available"),
                                          ("no messages", "'/tokenize' does not accept messages"),
                                          ("old llama", "the server has no '/apply-template'")])
@pytest.mark.parametrize("dataset", ["custom", "spec_bench"])
def test_without_templates_prompts_are_sent_unchanged(play, server, other, manner, note, dataset):
    words = [word for word in play.words(other(manner), dataset=dataset) if word != "--quiet"]
    done = subprocess.run(words, cwd=play.folder, capture_output=True, text=True, timeout=120, check=False,
                          env=run_tools.environment())
    assert done.returncode == 0, done.stderr + done.stdout
    assert "note: prompts are sent without a chat template: " + note in done.stderr
    assert sorted(server.prompts()) == sorted(PROMPTS)
    result = run_tools.load_result(play.folder / "r.json")
    assert result["config"]["benchmark"]["chat_template"] == "none"


def test_the_native_interface_of_llama(play, server, other):
    play.run(other("llama"))
    assert server.prompts() == [f"[{prompt}]" for prompt in PROMPTS]
    assert play.template() == "server"


def test_a_server_that_fails_ends_the_run(play, server, other):
    done = play.run(other("fails"), fine=False)
    assert done.returncode == 1 and "'/tokenize': status 500" in done.stdout
    assert "--skip-chat-template" not in done.stdout
    assert server.prompts() == []


@pytest.mark.parametrize("value", ["3", "[1]", '"x"', "true"])
def test_arguments_other_than_objects_are_refused(play, value):
    done = play.run(9, "--chat-template-kwargs", value, fine=False)
    assert done.returncode == 2 and "--chat-template-kwargs: found " in done.stderr


def test_in_an_experiment_file(play, server, bin_dir, tmp_path):
    config = {"name": "t", "server": {}, "launch": {"url": f"http://127.0.0.1:{server.port}"},
              "benchmark": {"dataset_name": "custom", "dataset_path": str(play.data), "disable_shuffle": True,
                            "num_prompts": len(PROMPTS), "max_concurrency": 1, "tokenizer_mode": "whatever",
                            "chat_template_kwargs": {"enable_thinking": False}}}
    done = run_tools.run_profllm(bin_dir, "run", "-c", run_tools.write_config(tmp_path, config), "-o", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    assert server.prompts() == [user(prompt, NO_THOUGHT) for prompt in PROMPTS]
    told = run_tools.load_result(tmp_path / "r.json")["config"]["benchmark"]
    assert (told["chat_template"], told["tokenizer_mode"]) == ("server", "whatever")
    config["benchmark"]["chat_template_kwargs"] = 3
    done = run_tools.run_profllm(bin_dir, "run", "--dry-run", "-c", run_tools.write_config(tmp_path, config))
    assert done.returncode == 2 and "benchmark.chat_template_kwargs" in done.stdout + done.stderr


# ---- no tokenizer ----

GONE = ("Total generated tokens:", "Output token throughput", "Peak output token throughput", "Total token throughput",
        "Time to First Token", "TPOT", "ITL")


def test_without_a_tokenizer(play, server):
    done = play.run(server.port, "--skip-tokenizer-init", "--custom-output-len", 77, "--save-result", "--save-detailed",
                    "--result-filename", "flat.json", "--percentile-metrics", "ttft,tpot,itl,e2el,client_queue_time",
                    "--goodput", "e2el:60000", "--tokenizer", "some/where")
    assert server.got("/tokenize") == server.got("/detokenize") == []
    assert server.prompts() == PROMPTS
    assert [body["max_tokens"] for body in server.got("/v1/completions") if "repetition_penalty" in body] == [1] * 5
    table, verdict, _ = done.stdout.partition("Verdict:")
    assert verdict and not any(gone in table for gone in GONE)
    for line in "Request goodput (req/s):", "Mean E2EL (ms):", "Client-side Queueing", "Peak concurrent requests:":
        assert line in done.stdout
    flat = json.loads((play.folder / "flat.json").read_text())
    assert flat["tokenizer_id"] is None
    assert not [key for key in flat if key.endswith(("_ttft_ms", "_tpot_ms", "_itl_ms"))]
    assert "mean_e2el_ms" in flat and "mean_client_queue_time_ms" in flat
    # the server's usage, as vLLM takes it
    assert flat["input_lens"] == [record["prompt_tokens"] for record in play.records()]
    assert flat["output_lens"] == [1] * 5 and len(flat["ttfts"]) == 5
    # unknown lengths are null, and ours stay
    assert all(record["prompt_tokens_requested"] is None for record in play.records())
    assert "mean_ttft_ms" in play.result["results"]
    assert play.template() == "none" and run_tools.doubts_of(play.result) == []


def test_without_a_tokenizer_and_usage_a_prompt_counts_as_one(play, bin_dir, tmp_path):
    with Captured(bin_dir, tmp_path, "--sim-no-usage") as server:
        play.run(server.port, "--skip-tokenizer-init", "--save-result", "--save-detailed", "--result-filename", "flat.json")
    flat = json.loads((play.folder / "flat.json").read_text())
    assert flat["input_lens"] == [1] * 5


@pytest.mark.parametrize("dataset", ["random", "sharegpt", "prefix_repetition", "burstgpt", "spec_bench"])
def test_data_sets_that_need_a_tokenizer(bin_dir, tmp_path, dataset):
    path = tmp_path / "any"
    path.write_text("[]")
    file = ["--dataset-path", path] if dataset in ("sharegpt", "burstgpt", "spec_bench") else []
    done = run_tools.run_profllm(bin_dir, "bench", "serve", "--port", 9, "--skip-tokenizer-init", "--dataset-name", dataset,
                                 *file)
    assert done.returncode == 2
    assert f"Tokenizer must be initialized for the '{dataset}' dataset." in done.stderr
