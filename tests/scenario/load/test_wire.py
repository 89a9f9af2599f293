"""The sent bytes equal those of vLLM's client, except User-Agent and Accept-Encoding."""

import json
import subprocess

import pytest

import run_tools
from sim_tools import Server

PROMPT = 'Hé "x"\\ \u2028😀\t/'
ESCAPED = r'"H\u00e9 \"x\"\\ \u2028\ud83d\ude00\t/"'
SAMPLING = ["--repetition-penalty", "1.1", "--presence-penalty", "-0.5", "--frequency-penalty", "0.25", "--temperature",
            "0", "--min-p", "1e-07", "--top-k", "5", "--top-p", "0.95"]
PATHS = {"openai": "/v1/completions", "vllm": "/v1/completions", "openai-chat": "/v1/chat/completions",
         "openai-responses": "/v1/responses"}
STREAM = '"stream": true, "stream_options": {"include_usage": true}'
BODIES = {
    "openai": '{"model": "org/tiny", "prompt": %s, "repetition_penalty": 1.0, "max_tokens": 5, "logprobs": null, '
              + STREAM + '}',
    "openai-chat": '{"model": "org/tiny", "messages": [{"role": "user", "content": [{"type": "text", "text": %s}]}], '
                   '"max_completion_tokens": 5, ' + STREAM + '}',
    "openai-responses": '{"model": "org/tiny", "input": %s, "max_output_tokens": 5, "stream": true, "store": false}',
}
BODIES["vllm"] = BODIES["openai"]


def requests_in(path):
    """Returns [(first line, [header lines], body as text)]."""
    data = path.read_bytes()
    found = []
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        length = next((int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:")), 0)
        found.append((first, lines, data[:length].decode()))
        data = data[length:]
    return found


@pytest.fixture
def prompts(tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text(json.dumps({"prompt": PROMPT}) + "\n")
    return path


def sent(bin_dir, tmp_path, *words, server=(), env=None, path="/v1/completions"):
    """Returns the requests that the server received on `path`, in order."""
    capture = tmp_path / "wire"
    with Server(bin_dir, "--sim-step", "1ms", "--sim-capture", capture, *server, model="org/tiny") as running:
        done = subprocess.run(
            [bin_dir / "profllm", "bench", "serve", "--port", str(running.port), "--max-concurrency", "1",
             "--disable-tqdm", *map(str, words)],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
            env=run_tools.environment(env))
        assert done.returncode == 0, done.stderr + done.stdout
    return [request for request in requests_in(capture) if request[0] == f"POST {path} HTTP/1.1"], running.port


def custom(prompts, backend, *words):
    return ["--dataset-name", "custom", "--dataset-path", prompts, "--skip-chat-template", "--num-prompts", "1",
            "--custom-output-len", "5", "--backend", backend, "--request-id-prefix", "p-", *words]


def with_ours(lines):
    """Replaces two values of the HTTP library by ours."""
    ours = {"Accept-Encoding": "*", "User-Agent": "*"}
    return [f"{name}: {ours.get(name, value)}" for name, value in (line.split(": ", 1) for line in lines)]


@pytest.mark.parametrize("backend", ["openai", "vllm", "openai-chat", "openai-responses"])
def test_head_and_body(bin_dir, tmp_path, prompts, backend):
    got, port = sent(bin_dir, tmp_path, *custom(prompts, backend, "--header", " X-A =1", "B= two = 2 ", "X-A=3"),
                     env={"OPENAI_API_KEY": "key"}, path=PATHS[backend])
    (_, lines, body), = got
    typed = ["Content-Type: application/json"]
    last = backend in ("openai", "vllm")
    assert body == BODIES[backend] % ESCAPED
    assert with_ours(lines) == [
        f"Host: 127.0.0.1:{port}", *([] if last else typed), "Authorization: Bearer key", "X-A: 3", "B: two = 2",
        "x-request-id: p-0", "Accept: */*", "Accept-Encoding: *", "User-Agent: *", f"Content-Length: {len(body)}",
        *(typed if last else [])]


@pytest.mark.parametrize("backend", ["openai", "openai-chat", "openai-responses"])
def test_sampling_keys_are_in_vllms_order(bin_dir, tmp_path, prompts, backend):
    got, _ = sent(bin_dir, tmp_path, *custom(prompts, backend, "--ignore-eos", *SAMPLING), path=PATHS[backend])
    body = BODIES[backend] % ESCAPED
    # completions have the key already, and it keeps its place
    end = '"top_p": 0.95, "top_k": 5, "min_p": 1e-07, "temperature": 0.0, "frequency_penalty": 0.25, ' \
          '"presence_penalty": -0.5'
    if backend == "openai":
        body = body.replace('"repetition_penalty": 1.0', '"repetition_penalty": 1.1')
    else:
        end += ', "repetition_penalty": 1.1'
    assert got[0][2] == body[:-1] + ', "ignore_eos": true, ' + end + "}"


def test_the_example_of_a_completion(bin_dir, tmp_path, prompts):
    prompts.write_text(json.dumps({"prompt": 'Hé "x"'}) + "\n")
    got, _ = sent(bin_dir, tmp_path, *custom(prompts, "openai", "--logprobs", "2", "--temperature", "0", "--top-k", "5",
                                             "--ignore-eos"))
    assert got[0][2] == (
        r'{"model": "org/tiny", "prompt": "H\u00e9 \"x\"", "repetition_penalty": 1.0, "max_tokens": 5, "logprobs": 2, '
        '"stream": true, "stream_options": {"include_usage": true}, "ignore_eos": true, "top_k": 5, '
        '"temperature": 0.0}')


def test_extra_body_replaces_in_place_and_appends(bin_dir, tmp_path, prompts):
    extra = '{"new": {"b": [1, 2.50, 1e3, true, null, "é"], "a": 12345678901}, "temperature": 1, "max_tokens": 7, ' \
            '"ignore_eos": false, "stream_options": {"include_usage": true, "x": 0}}'
    got, _ = sent(bin_dir, tmp_path, *custom(prompts, "openai", "--ignore-eos", "--temperature", "0.5", "--top-p", "1",
                                             "--extra-body", extra))
    assert got[0][2] == (
        '{"model": "org/tiny", "prompt": %s, "repetition_penalty": 1.0, "max_tokens": 7, "logprobs": null, '
        '"stream": true, "stream_options": {"include_usage": true, "x": 0}, "ignore_eos": false, "top_p": 1.0, '
        '"temperature": 1, "new": {"b": [1, 2.5, 1000.0, true, null, "\\u00e9"], "a": 12345678901}}' % ESCAPED)


def test_headers_of_the_user_replace_equal_ones_in_place(bin_dir, tmp_path, prompts):
    words = ["--header", "Z=1", "Authorization=Basic abc", "Content-Type=application/json; charset=utf-8",
             "x-request-id=mine"]
    got, port = sent(bin_dir, tmp_path, *custom(prompts, "openai-chat", *words), env={"OPENAI_API_KEY": "key"},
                     path=PATHS["openai-chat"])
    lines = with_ours(got[0][1])
    assert lines[:4] == [f"Host: 127.0.0.1:{port}", "Content-Type: application/json; charset=utf-8",
                         "Authorization: Basic abc", "Z: 1"]
    assert [line for line in lines if line.startswith(("x-request-id", "Content-Type", "Authorization"))] == [
        lines[1], lines[2], "x-request-id: p-0"]


@pytest.mark.parametrize("backend", ["openai", "openai-chat"])
def test_id_replaces_the_users(bin_dir, tmp_path, prompts, backend):
    words = ["--header", "A=1", "x-request-id=mine", "Accept=text/event-stream", "Content-Type=application/x", "B=2"]
    got, port = sent(bin_dir, tmp_path, *custom(prompts, backend, *words), path=PATHS[backend])
    typed = ["Content-Type: application/x"]
    first = backend == "openai-chat"
    assert with_ours(got[0][1]) == [
        f"Host: 127.0.0.1:{port}", *(typed if first else []), "A: 1", "x-request-id: p-0", "Accept: text/event-stream",
        *([] if first else typed), "B: 2", "Accept-Encoding: *", "User-Agent: *", f"Content-Length: {len(got[0][2])}"]


def test_names_that_differ_by_case_are_one(bin_dir, tmp_path, prompts):
    words = ["--header", "X-A=1", "authorization=c", "B=2", "x-a=3", "X-A=4", "host=other"]
    got, _ = sent(bin_dir, tmp_path, *custom(prompts, "openai", *words), env={"OPENAI_API_KEY": "key"})
    assert got[0][1][:5] == ["host: other", "authorization: c", "x-a: 3", "B: 2", "x-request-id: p-0"]


def test_a_header_is_known_by_its_whole_name(bin_dir, tmp_path, prompts):
    """Names of the same length as known headers, or with the same beginning."""
    words = ["--header", "Abcd=1", "Host-Name=2", "Content-Type-Of=3", "X-Twelve-Abc=4", "X-Fourteen-Abc=5", "x-request-id-of=6"]
    got, port = sent(bin_dir, tmp_path, *custom(prompts, "openai-chat", *words), path=PATHS["openai-chat"])
    assert with_ours(got[0][1]) == [
        f"Host: 127.0.0.1:{port}", "Content-Type: application/json", "Abcd: 1", "Host-Name: 2", "Content-Type-Of: 3", "X-Twelve-Abc: 4",
        "X-Fourteen-Abc: 5", "x-request-id-of: 6", "x-request-id: p-0", "Accept: */*", "Accept-Encoding: *", "User-Agent: *",
        f"Content-Length: {len(got[0][2])}"]


@pytest.mark.parametrize("path, line", [
    ("/a b/é{}/completions", "/a%20b/%C3%A9%7B%7D/completions"), ("/%7Ea/completions", "/%7Ea/completions")])
def test_path_that_no_request_line_can_hold(bin_dir, tmp_path, prompts, path, line):
    capture = tmp_path / "wire"
    with Server(bin_dir, "--sim-step", "1ms", "--sim-capture", capture, model="org/tiny") as running:
        subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(running.port), "--endpoint", path,
                        *map(str, custom(prompts, "openai"))], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert [first for first, _, _ in requests_in(capture) if "completions" in first] == [f"POST {line} HTTP/1.1"]


def test_only_measured_requests_have_an_id(bin_dir, tmp_path):
    got, _ = sent(bin_dir, tmp_path, "--num-prompts", 6, "--random-input-len", 8, "--random-output-len", 4,
                  "--num-warmups", 2, "--ready-check-timeout-sec", 5, "--probe-request-rate", 200,
                  "--request-id-prefix", "q")
    ids = [line[14:] for _, lines, _ in got for line in lines if line.startswith("x-request-id: ")]
    assert ids == [f"q{i}" for i in range(6)]
    probes = [body for _, lines, body in got if '"prompt": "Hi"' in body]
    assert probes and set(probes) == {
        '{"model": "org/tiny", "prompt": "Hi", "repetition_penalty": 1.0, "max_tokens": 1, "logprobs": null, '
        + STREAM + ', "ignore_eos": true}'}
    assert len(got) >= 6 + 2 + len(probes)


def test_prefix_repetition_sends_no_ids_and_drops_the_rest(bin_dir, tmp_path):
    got, _ = sent(bin_dir, tmp_path, "--dataset-name", "prefix_repetition", "--num-prompts", 5,
                  "--prefix-repetition-num-prefixes", 2, "--prefix-repetition-prefix-len", 3,
                  "--prefix-repetition-suffix-len", 2, "--prefix-repetition-output-len", 4)
    assert len(got) == 4
    assert not any(line.lower().startswith("x-request-id") for _, lines, _ in got for line in lines)
    assert not any("ignore_eos" in body for _, _, body in got)


def test_names_of_model_and_requests(bin_dir, tmp_path):
    words = ["--num-prompts", 2, "--random-input-len", 8, "--random-output-len", 4, "--save-result", "--result-filename",
             tmp_path / "r.json", "--result-dir", tmp_path / "made"]
    # what the server offers is its name for requests; its root is the model
    got, _ = sent(bin_dir, tmp_path, *words, server=["--served-model-name", "nick"])
    flat = json.loads((tmp_path / "r.json").read_text())
    assert {json.loads(body)["model"] for _, _, body in got} == {"nick"}
    assert (flat["model_id"], flat["tokenizer_id"]) == ("org/tiny", "org/tiny")
    (tmp_path / "wire").unlink()
    got, _ = sent(bin_dir, tmp_path, *words, "--model", "a/b", "--served-model-name", "nick", "--tokenizer", "t",
                  server=["--served-model-name", "nick"])
    flat = json.loads((tmp_path / "r.json").read_text())
    assert {json.loads(body)["model"] for _, _, body in got} == {"nick"}
    assert (flat["model_id"], flat["tokenizer_id"]) == ("a/b", "t")


@pytest.mark.parametrize("prefix, word", [("x" * 1025, "at most 1024"), ("a\r\nX-B: 1", "control character")])
def test_a_prefix_that_no_request_can_have_is_refused(bin_dir, tmp_path, prefix, word):
    with Server(bin_dir, "--sim-step", "1ms", model="org/tiny") as running:
        done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(running.port), "--num-prompts", "1",
                               "--random-input-len", "8", "--request-id-prefix", prefix],
                              cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode != 0 and word in done.stderr + done.stdout
        assert running.metric("vllm:request_success_total") == 0
