"""The pooling backends of `bench serve`: bytes on the wire, metrics, vLLM's file and table, odd responses."""
import json
import subprocess
import time

import pytest

import run_tools
from odd_server import OddServer, head, whole
from sim_tools import Server, by_request, read_log
from test_wire import ESCAPED, PROMPT, requests_in, with_ours

PATHS = {"openai-embeddings": "/v1/embeddings", "openai-embeddings-chat": "/v1/embeddings", "openai-embeddings-clip": "/v1/embeddings",
         "openai-embeddings-vlm2vec": "/v1/embeddings", "infinity-embeddings": "/embeddings", "infinity-embeddings-clip": "/embeddings",
         "vllm-pooling": "/pooling", "vllm-rerank": "/v1/rerank"}
MESSAGES = '"messages": [{"role": "user", "content": [{"type": "text", "text": %s}]}]'
BODIES = {
    "openai-embeddings": '"input": %s, "truncate_prompt_tokens": -1',
    "openai-embeddings-chat": MESSAGES + ', "truncate_prompt_tokens": -1',
    "openai-embeddings-clip": MESSAGES + ', "truncate_prompt_tokens": -1',
    "openai-embeddings-vlm2vec": MESSAGES + ', "truncate_prompt_tokens": -1',
    "infinity-embeddings": '"input": %s',
    "infinity-embeddings-clip": '"input": %s',
    "vllm-pooling": '"truncate_prompt_tokens": -1, "input": %s',
}
KEYS = ["date", "endpoint_type", "backend", "label", "model_id", "tokenizer_id", "num_prompts", "request_rate", "burstiness", "max_concurrency",
        "duration", "completed", "total_input_tokens", "total_input_sequences", "request_throughput", "input_sequence_throughput",
        "total_token_throughput", "input_lens", "latencies", "queue_times", "errors", "mean_e2el_ms", "median_e2el_ms", "std_e2el_ms", "p99_e2el_ms",
        "profllm"]
DETAILED = {"input_lens", "errors"}
UNKNOWN = ("token_source", "finish_reasons", "stream_end", "output_length", "empty_output", "usage_contradiction", "buffered_stream",
           "empty_first_event", "merged_events", "record_identity")


def bench(bin_dir, folder, *words, env=None):
    return subprocess.run([bin_dir / "profllm", "bench", "serve", "--disable-tqdm", *map(str, words)], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=False, env=run_tools.environment(env))


def measured(bin_dir, folder, *words, server=("--sim-step", "1ms"), ok=(0,), env=None):
    """Returns (console, flat file) of a run against a pooling model."""
    with Server(bin_dir, "--runner", "pooling", *server, model="org/tiny") as running:
        done = bench(bin_dir, folder, "--port", running.port, "--save-result", "--result-filename", "r.json", *words, env=env)
    assert done.returncode in ok, done.stderr + done.stdout
    return done.stdout, json.loads((folder / "r.json").read_text())


def captured(bin_dir, folder, backend, *words, **more):
    """Returns the requests of the run, without those of the tokenizer."""
    capture = folder / "wire"
    capture.unlink(missing_ok=True)
    measured(bin_dir, folder, "--backend", backend, "--request-id-prefix", "p-", *words, server=("--sim-step", "1ms", "--sim-capture", capture), **more)
    return [request for request in requests_in(capture) if request[0] == f"POST {PATHS[backend]} HTTP/1.1"]


@pytest.mark.parametrize("backend", BODIES)
def test_bytes_of_a_text(bin_dir, tmp_path, backend):
    (tmp_path / "prompts.jsonl").write_text(json.dumps({"prompt": PROMPT}) + "\n")
    words = ["--dataset-name", "custom", "--dataset-path", "prompts.jsonl", "--skip-chat-template", "--num-prompts", "1"]
    (_, lines, body), = captured(bin_dir, tmp_path, backend, *words, "--header", "X-A=1", env={"OPENAI_API_KEY": "key"})
    wanted = '{"model": "org/tiny", ' + BODIES[backend] % ESCAPED
    assert body == wanted + "}"
    assert with_ours(lines)[1:] == [
        "Content-Type: application/json", "Authorization: Bearer key", "X-A: 1", "x-request-id: p-0", "Accept: */*", "Accept-Encoding: *",
        "User-Agent: *", f"Content-Length: {len(body)}"]
    # no sampling parameters; the extra body comes last, or replaces in place
    (_, _, body), = captured(bin_dir, tmp_path, backend, *words, "--temperature", "0", "--ignore-eos", "--extra-body", '{"user": "é", "model": "org/tiny"}')
    assert body == wanted + ', "ignore_eos": true, "user": "\\u00e9"}'


def test_bytes_of_a_rerank(bin_dir, tmp_path):
    got = captured(bin_dir, tmp_path, "vllm-rerank", "--dataset-name", "random-rerank", "--random-input-len", "14", "--num-prompts", "5",
                   "--random-batch-size", "2", "--ignore-eos", "--extra-body", '{"top_n": 1}')
    assert len(got) == 3
    bodies = [json.loads(body) for _, _, body in got]
    assert all(list(body) == ["model", "query", "documents", "truncate_prompt_tokens"] for body in bodies)
    assert sorted(len(body["documents"]) for body in bodies) == [1, 2, 2] and len({body["query"] for body in bodies}) == 1
    for (_, _, text), body in zip(got, bodies):
        assert text == json.dumps(body)


@pytest.mark.parametrize("backend", ["openai-embeddings", "infinity-embeddings", "vllm-pooling"])
def test_several_prompts_per_request(bin_dir, tmp_path, backend):
    words = ["--dataset-name", "random", "--random-input-len", "6", "--num-prompts", "5"]
    singles = captured(bin_dir, tmp_path, backend, *words, "--max-concurrency", "1")
    lists = captured(bin_dir, tmp_path, backend, *words, "--max-concurrency", "1", "--random-batch-size", "2")
    prompts = [json.loads(body)["input"] for _, _, body in singles]
    assert [json.loads(body)["input"] for _, _, body in lists] == [prompts[:2], prompts[2:4], prompts[4:]]
    assert [line for _, lines, _ in lists for line in lines if line.startswith("x-request-id")] == [f"x-request-id: p-{i}" for i in range(3)]


def test_ids_are_sent_on_request(bin_dir, tmp_path):
    got = captured(bin_dir, tmp_path, "openai-embeddings", "--dataset-name", "random", "--random-input-len", "6", "--num-prompts", "1", "--prompt-token-ids")
    ids = json.loads(got[0][2])["input"]
    assert len(ids) == 6 and all(isinstance(one, int) for one in ids)


def test_an_object_is_the_body(bin_dir, tmp_path):
    (tmp_path / "prompts.jsonl").write_text(json.dumps({"prompt": {"input": "a b", "priority": 3}}) + "\n")
    (_, _, body), = captured(bin_dir, tmp_path, "vllm-pooling", "--dataset-name", "custom", "--dataset-path", "prompts.jsonl", "--skip-tokenizer-init",
                             "--num-prompts", "1")
    assert body == '{"model": "org/tiny", "truncate_prompt_tokens": -1, "input": "a b", "priority": 3}'
    done = bench(bin_dir, tmp_path, "--backend", "openai-embeddings", "--dataset-name", "custom", "--dataset-path", "prompts.jsonl", "--model", "m",
                 "--port", "9")
    assert done.returncode == 2 and "prompts.jsonl:1: expected an object with a string 'prompt'" in done.stderr


@pytest.mark.parametrize("detailed", [False, True])
def test_keys_of_vllms_file_in_order(bin_dir, tmp_path, detailed):
    _, flat = measured(bin_dir, tmp_path, "--backend", "openai-embeddings", "--dataset-name", "random", "--random-input-len", "9", "--num-prompts", "7",
                       "--random-batch-size", "3", *(["--save-detailed"] if detailed else []))
    assert list(flat) == [key for key in KEYS if detailed or key not in DETAILED]
    assert (flat["completed"], flat["total_input_sequences"], flat["total_input_tokens"]) == (3, 7, 63)
    assert flat["input_sequence_throughput"] == pytest.approx(7 / flat["duration"])
    assert flat["total_token_throughput"] == pytest.approx(63 / flat["duration"])
    assert len(flat["latencies"]) == 3
    if detailed:
        assert flat["input_lens"] == [27, 27, 9] and flat["errors"] == [""] * 3


def table_of(flat, capped=False, rated=False, percentiles=("99",)):
    def line(label, value, form="{}"):
        return "{:<40} {:<10}\n".format(label, form.format(value))

    text = f"{' Serving Benchmark Result ':=^50}\n"
    text += line("Successful requests:", flat["completed"]) + line("Failed requests:", flat["profllm"]["results"]["failed"])
    text += line("Maximum request concurrency:", flat["max_concurrency"]) if capped else ""
    text += line("Request rate configured (RPS):", flat["request_rate"], "{:.2f}") if rated else ""
    text += line("Benchmark duration (s):", flat["duration"], "{:.2f}") + line("Total input tokens:", flat["total_input_tokens"])
    text += line("Request throughput (req/s):", flat["request_throughput"], "{:.2f}")
    text += line("Input throughput (inputs/s):", flat["input_sequence_throughput"], "{:.2f}")
    goodput = flat["profllm"]["results"]["request_goodput"]
    text += line("Request goodput (req/s):", goodput, "{:.2f}") if goodput is not None else ""
    text += line("Peak requests in flight:", flat["profllm"]["results"]["peak_in_flight"]) if capped else ""
    text += line("Total token throughput (tok/s):", flat["total_token_throughput"], "{:.2f}")
    text += "----------------End-to-end Latency----------------\n"
    for key, word in [("mean", "Mean"), ("median", "Median"), *((f"p{p}", f"P{p}") for p in percentiles)]:
        text += line(f"{word} E2EL (ms):", flat[f"{key}_e2el_ms"], "{:.2f}")
    return text + "=" * 50 + "\n"


@pytest.mark.parametrize("words, how", [
    ([], {}),
    # token metrics are not shown, limits of tokens have no effect; vLLM's own table has no goodput
    (["--percentile-metrics", "ttft,tpot,itl,e2el", "--goodput", "ttft:1", "e2el:9000", "--metric-percentiles", "50,99.9"], {"percentiles": ("50", "99.9")}),
    (["--max-concurrency", "2", "--request-rate", "200"], {"capped": True, "rated": True})])
def test_the_table_is_vllms(bin_dir, tmp_path, words, how):
    text, flat = measured(bin_dir, tmp_path, "--backend", "vllm-rerank", "--dataset-name", "random-rerank", "--random-input-len", "20",
                          "--num-prompts", "12", "--random-batch-size", "4", *words)
    assert table_of(flat, **how) in text
    assert ("goodput" in " ".join(words)) == (flat["profllm"]["results"]["request_goodput"] is not None)
    if "--goodput" in words:
        assert flat["profllm"]["results"]["request_goodput"] == flat["request_throughput"]


def test_metrics_agree_with_records_and_the_servers_log(bin_dir, tmp_path):
    log = tmp_path / "log"
    text, flat = measured(bin_dir, tmp_path, "--backend", "openai-embeddings", "--dataset-name", "random", "--random-input-len", "30",
                          "--random-range-ratio", "0.5", "--num-prompts", "60", "--request-rate", "150", "--output", "full.json",
                          server=("--sim-step", "4ms", "--sim-log", log))
    result = json.loads((tmp_path / "full.json").read_text())
    results = result["results"]
    records = run_tools.read_zst_lines(tmp_path / "full.requests.jsonl.zst")
    lines = by_request(read_log(log))
    assert len(records) == 60 and all(record["input_sequences"] == 1 for record in records)
    for record in records:
        assert record["events"] == [] and record["output_tokens"] is None and record["output_tokens_requested"] is None
        assert record["token_source"] == "none" and record["finish_reason"] is None and record["error"] is None
        request, end = lines[record["request_id"]]
        assert record["prompt_tokens"] == record["prompt_tokens_requested"] == request["prompt_tokens"]
        # the response was sent after the server's last byte of the request, and arrived before the client was done
        assert record["acted_ns"] <= request["t_ns"] and end["t_ns"] <= record["end_ns"]
    latencies = [(record["end_ns"] - record["acted_ns"]) / 1e6 for record in records]
    assert results["mean_e2el_ms"] == pytest.approx(sum(latencies) / 60, rel=1e-9)
    assert flat["latencies"] == pytest.approx([latency / 1e3 for latency in latencies], rel=1e-9)
    total = sum(record["prompt_tokens"] for record in records)
    assert (results["total_input_tokens"], results["total_input_sequences"]) == (total, 60)
    assert results["input_sequence_throughput"] == pytest.approx(60 / results["duration"], rel=1e-9)
    assert results["input_throughput"] == results["total_token_throughput"] == pytest.approx(total / results["duration"], rel=1e-9)
    for key in ("total_output_tokens", "output_throughput", "mean_ttft_ms", "p99_tpot_ms", "median_itl_ms", "max_output_tokens_per_s",
                "peak_output_tokens_per_s_sliding", "mean_first_token_ms", "energy_per_token_j"):
        assert results[key] is None, key
    checks = {check["id"]: check for check in result["quality"]["checks"]}
    assert [name for name in UNKNOWN if checks[name]["value"] is not None] == []
    assert checks["foreign_load"]["value"] == 0 and checks["token_agreement"]["value"] == 0
    assert checks["inflight_agreement"]["value"] is None or checks["inflight_agreement"]["value"] >= 0
    assert "Verdict:" in text


def test_a_shared_query_is_no_foreign_prefix(bin_dir, tmp_path):
    measured(bin_dir, tmp_path, "--backend", "vllm-rerank", "--dataset-name", "random-rerank", "--random-input-len", "400", "--num-prompts", "40",
             "--random-batch-size", "8", "--output", "full.json")
    checks = {check["id"]: check for check in json.loads((tmp_path / "full.json").read_text())["quality"]["checks"]}
    assert -0.1 < checks["prefix_hits"]["value"] < 0.02 and checks["foreign_load"]["value"] == 0
    assert checks["inflight_agreement"]["value"] is None


def test_requests_of_others_are_seen_between_lists(bin_dir, tmp_path):
    """The server counts each prompt of a list, so 40 requests of ours; then another client sends a few during the run."""
    words = ["--backend", "openai-embeddings", "--dataset-name", "random", "--random-input-len", "20", "--num-prompts", "40", "--random-batch-size", "2",
             "--request-rate", "20"]
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", model="org/tiny") as server:
        for has_others in (False, True):
            running = subprocess.Popen([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--output", f"{has_others}.json", *words],
                                       cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=run_tools.environment())
            while has_others and running.poll() is None:
                server.post("/v1/embeddings", {"model": "org/tiny", "input": "a b"})
                time.sleep(0.05)
            assert running.wait(timeout=60) == 0
            checks = {check["id"]: check for check in json.loads((tmp_path / f"{has_others}.json").read_text())["quality"]["checks"]}
            assert checks["foreign_load"]["value"] == has_others


def test_a_query_is_a_request_of_an_embedding_model(bin_dir, tmp_path):
    """A pair is then two requests of the server, which are no requests of another client."""
    measured(bin_dir, tmp_path, "--backend", "vllm-rerank", "--dataset-name", "random-rerank", "--random-input-len", "40", "--num-prompts", "30",
             "--output", "full.json", server=("--sim-step", "1ms", "--convert", "embed"))
    checks = {check["id"]: check for check in json.loads((tmp_path / "full.json").read_text())["quality"]["checks"]}
    assert checks["foreign_load"]["value"] == 0 and checks["inflight_agreement"]["value"] is None


def test_an_embedding_model_gets_the_query_as_a_prompt(bin_dir, tmp_path):
    _, flat = measured(bin_dir, tmp_path, "--backend", "vllm-rerank", "--dataset-name", "random-rerank", "--no-reranker", "--random-input-len", "8",
                       "--num-prompts", "7", "--random-batch-size", "3", server=("--sim-step", "1ms", "--convert", "embed"))
    # 6 documents in 3 requests, each with the query once
    assert (flat["completed"], flat["total_input_sequences"], flat["total_input_tokens"]) == (3, 6, 3 * 8 + 6 * 8)
    assert flat["profllm"]["results"]["prompt_token_offset_median"] == 0


def test_warm_ups_and_the_ready_check_are_such_requests(bin_dir, tmp_path):
    got = captured(bin_dir, tmp_path, "vllm-rerank", "--dataset-name", "random-rerank", "--random-input-len", "20", "--num-prompts", "2",
                   "--random-batch-size", "2", "--num-warmups", "2", "--ready-check-timeout-sec", "20")
    bodies = [json.loads(body) for _, _, body in got]
    assert len(bodies) == 1 + 2 + 1 and bodies[0]["documents"] == ["Hello"]
    assert all(len(body["documents"]) == 2 for body in bodies[1:])
    assert len({body["query"] for body in bodies}) == 4  # rotated, so that they fill no prefix cache


def test_probes_are_single_prompts(bin_dir, tmp_path):
    _, flat = measured(bin_dir, tmp_path, "--backend", "openai-embeddings", "--dataset-name", "random", "--random-input-len", "20", "--num-prompts", "20",
                       "--request-rate", "50", "--probe-request-rate", "30")
    assert flat["probe_completed"] > 0 and flat["completed"] == 20


@pytest.mark.parametrize("form", ["base64", "bytes", "bytes_only"])
def test_other_encodings(bin_dir, tmp_path, form):
    _, flat = measured(bin_dir, tmp_path, "--backend", "openai-embeddings", "--dataset-name", "random", "--random-input-len", "20", "--num-prompts", "6",
                       "--extra-body", json.dumps({"encoding_format": form, "dimensions": 300}))
    assert (flat["completed"], flat["total_input_tokens"]) == (6, 120)


EMBEDDED = {"data": [{"index": 0, "embedding": [1.0]}]}
ODD = {
    "usage": ([whole({**EMBEDDED, "usage": {"prompt_tokens": 11}})], None, 11),
    "total": ([whole({**EMBEDDED, "usage": {"total_tokens": 12}})], None, 12),
    "no_usage": ([whole(EMBEDDED)], None, None),
    "null_usage": ([whole({**EMBEDDED, "usage": None})], None, None),
    "object": ([whole({"request_id": "a", "data": {"format": "tiff", "data": "AA"}})], None, None),
    "empty": ([whole({"data": [], "usage": {"prompt_tokens": 3}})], "no_output", None),
    "error": ([whole({"error": {"message": "boom"}}, "500 Internal Server Error")], "http_status", None),
    "refused": ([whole({"detail": "no such model"}, "404 Not Found")], "http_status", None),
    "late_error": ([whole({"error": {"message": "boom"}})], "stream_error", None),
    "not_json": ([whole(b"oops")], "protocol", None),
    "html": ([whole(b"<html>x", kind="text/html")], "protocol", None),
    "stream": ([head() + b"data: {}\n\n", "close"], "protocol", None),
    "short": ([head("200 OK", "application/json", "Content-Length: 99") + b'{"data":', "close"], "truncated", None),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_responses(bin_dir, tmp_path, name):
    steps, kind, tokens = ODD[name]
    with OddServer({name: steps}) as server:
        done = bench(bin_dir, tmp_path, "--base-url", f"{server.url}/case:{name}", "--model", "odd", "--backend", "openai-embeddings", "--dataset-name",
                     "random", "--random-input-len", "5", "--num-prompts", "2", "--vocab-size", "1000", "--output", "r.json")
    result = json.loads((tmp_path / "r.json").read_text())
    results = result["results"]
    assert (results["completed"], results["failed"]) == ((2, 0) if kind is None else (0, 2)), done.stderr
    assert [error["kind"] for error in results["errors"]] == ([] if kind is None else [kind])
    if kind is None:
        asked = run_tools.read_zst_lines(tmp_path / "r.requests.jsonl.zst")[0]["prompt_tokens_requested"]
        assert results["total_input_tokens"] == 2 * (tokens if tokens is not None else asked)
    assert results["total_output_tokens"] is None and results["output_throughput"] is None


@pytest.mark.parametrize("batch, kind", [(1, None), (2, "protocol")])
def test_a_response_has_a_result_per_prompt(bin_dir, tmp_path, batch, kind):
    with OddServer({"one": [whole(EMBEDDED)]}) as server:
        bench(bin_dir, tmp_path, "--base-url", f"{server.url}/case:one", "--model", "odd", "--backend", "openai-embeddings", "--random-input-len", "5",
              "--num-prompts", "2", "--random-batch-size", batch, "--vocab-size", "1000", "--output", "r.json")
    results = json.loads((tmp_path / "r.json").read_text())["results"]
    assert [(error["kind"], error["sample"]) for error in results["errors"]] == ([(kind, "results: found 1, expected 2")] if kind else [])
    assert results["total_input_sequences"] == (0 if kind else 2)


def test_a_server_without_a_tokenizer(bin_dir, tmp_path):
    """As an Infinity server, which takes no token ids."""
    (tmp_path / "prompts.jsonl").write_text(json.dumps({"prompt": PROMPT}) + "\n")
    missing = [whole({"detail": "Not Found"}, "404 Not Found")]
    with OddServer({"one": [whole(EMBEDDED)]}) as server:
        server.helpers = {"/case:one/tokenize": missing, "/case:one/detokenize": missing}
        words = ["--base-url", f"{server.url}/case:one", "--model", "odd", "--num-prompts", "1", "--vocab-size", "1000"]
        lacking = bench(bin_dir, tmp_path, *words, "--backend", "infinity-embeddings", "--dataset-name", "random")
        custom = bench(bin_dir, tmp_path, *words, "--backend", "infinity-embeddings", "--dataset-name", "custom", "--dataset-path", "prompts.jsonl")
        pairs = bench(bin_dir, tmp_path, *words, "--backend", "vllm-rerank", "--dataset-name", "random-rerank")
    assert lacking.returncode == 1 and "/detokenize; use the dataset 'custom'" in " ".join(lacking.stdout.split())
    assert custom.returncode == 0
    assert pairs.returncode == 1 and "no usable /tokenize" in pairs.stdout and "'custom'" not in pairs.stdout


def test_progress_has_no_rate_of_tokens(bin_dir, tmp_path):
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", model="org/tiny") as server:
        for backend, path in (("openai-embeddings", "pooled.txt"), ("openai", "none.txt")):
            with open(tmp_path / path, "w") as file:
                subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--backend", backend, "--random-input-len", "9",
                                "--num-prompts", "6", "--request-rate", "20"], stderr=file, stdout=subprocess.DEVNULL, timeout=60, check=False,
                               env=run_tools.environment())
    assert "6/6 " in (tmp_path / "pooled.txt").read_text() and " tok/s" not in (tmp_path / "pooled.txt").read_text()
    assert " 0 tok/s" in (tmp_path / "none.txt").read_text()


def test_failed_attempts_are_repeated(bin_dir, tmp_path):
    _, flat = measured(bin_dir, tmp_path, "--backend", "openai-embeddings", "--dataset-name", "random", "--random-input-len", "9", "--num-prompts", "8",
                       "--retries", "3", "--retry-delay", "10ms", "--output", "full.json", server=("--sim-step", "1ms", "--sim-error-rate", "0.4", "--sim-error-status", "503"))
    results = flat["profllm"]["results"]
    assert results["completed"] == results["total_input_sequences"] == 8 and results["retries"] > 0
    assert all(record["input_sequences"] == 1 for record in run_tools.read_zst_lines(tmp_path / "full.requests.jsonl.zst"))


@pytest.mark.parametrize("words, message", [
    (["--backend", "vllm-rerank"], "--dataset-name: found text 'random', expected a dataset of queries with documents"),
    (["--backend", "openai-chat", "--dataset-name", "random-rerank"], "--backend: found text 'openai-chat', expected one of vllm-rerank, "),
    (["--backend", "openai-embeddings-chat", "--random-batch-size", "2"], "--random-batch-size: found number 2, expected 1, because backend"),
    (["--random-batch-size", "2"], "--random-batch-size: found number 2, expected 1, because backend"),
    (["--backend", "vllm-rerank", "--dataset-name", "random-rerank", "--probe-request-rate", "1"], "--probe-request-rate: found a rate above 0, expected 0"),
    (["--backend", "vllm-rerank", "--dataset-name", "random-rerank", "--no-reranker"], "--random-batch-size: found number 1, expected at least 2"),
    (["--backend", "vllm-pooling", "--endpoint", "/v1/embeddings"], "--endpoint: found text '/v1/embeddings', expected a path"),
    (["--backend", "vllm-rerank", "--dataset-name", "random-rerank", "--prompt-token-ids"], "--prompt-token-ids: found true, expected false"),
    (["--backend", "infinity-embeddings", "--prompt-token-ids"], "--prompt-token-ids: found true, expected false")])
def test_options_that_do_not_fit_are_refused(bin_dir, tmp_path, words, message):
    done = bench(bin_dir, tmp_path, "--model", "m", "--port", "9", *words)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_images_are_refused_not_dropped(bin_dir, tmp_path):
    entry = {"conversations": [{"value": " ab cd ef gh ij"}, {"value": " kl mn op qr st"}], "image": "a.png"}
    (tmp_path / "shared.json").write_text(json.dumps([entry]))
    words = ["--dataset-name", "sharegpt", "--dataset-path", "shared.json", "--num-prompts", "1"]
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", model="org/tiny") as server:
        clip = bench(bin_dir, tmp_path, "--port", server.port, "--backend", "openai-embeddings-clip", *words)
        plain = bench(bin_dir, tmp_path, "--port", server.port, "--backend", "openai-embeddings-chat", *words)
    assert clip.returncode != 0 and "have an image or a video, which this version does not send" in " ".join(clip.stdout.split())
    assert plain.returncode == 0 and "have an image or a video, which is not sent" in plain.stderr


def test_command_lines_of_users_are_accepted(bin_dir, tmp_path, test_data_dir):
    found = 0
    for line in (test_data_dir / "data/commands/bench-commands.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["sub"] == "serve" and any(word in PATHS for word in row["argv"]):
            done = bench(bin_dir, tmp_path, *row["argv"], "--dry-run")
            assert "this version does not support" not in done.stderr, row
            found += 1
    assert found >= 3
