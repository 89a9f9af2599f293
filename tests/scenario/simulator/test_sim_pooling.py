"""Embeddings, pooling, rerank and score of profllm-sim."""
import base64
import http.client
import json
import struct

import pytest
from sim_tools import Server, by_request, read_log

USAGE = ["prompt_tokens", "total_tokens", "completion_tokens", "prompt_tokens_details"]
LIST = ["id", "object", "created", "model", "data", "usage"]


@pytest.fixture(scope="module")
def server(bin_dir):
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", "--max-model-len", "64", "--lora-modules", "adapter=path", "--enable-lora") as running:
        yield running


def count(server, text):
    return server.post("/tokenize", {"prompt": text})["count"]


def test_embeddings_have_vllms_form(server):
    answer = server.post("/v1/embeddings", {"model": "tiny", "input": ["a b", "c"], "truncate_prompt_tokens": -1, "ignore_eos": True})
    assert list(answer) == LIST and list(answer["usage"]) == USAGE
    assert answer["object"] == "list" and answer["model"] == "tiny" and answer["id"].startswith("embd-")
    assert [list(item) for item in answer["data"]] == [["index", "object", "embedding"]] * 2
    assert [item["index"] for item in answer["data"]] == [0, 1] and answer["data"][0]["object"] == "embedding"
    tokens = count(server, "a b") + count(server, "c")
    assert answer["usage"] == {"prompt_tokens": tokens, "total_tokens": tokens, "completion_tokens": 0, "prompt_tokens_details": None}
    for item in answer["data"]:
        assert abs(sum(x * x for x in item["embedding"]) - 1) < 1e-5


def test_one_input_in_every_form_has_one_embedding(server):
    ids = server.post("/tokenize", {"prompt": "a b"})["tokens"]
    vectors = [server.post("/v1/embeddings", {"input": form})["data"] for form in ("a b", ["a b"], ids, [ids])]
    assert all(data == vectors[0] and len(data) == 1 for data in vectors)
    assert server.post("/v1/embeddings", {"input": "other"})["data"][0]["embedding"] != vectors[0][0]["embedding"]


def test_encodings_hold_the_same_numbers(server):
    body = {"input": ["a", "b c"], "dimensions": 5}
    plain = server.post("/v1/embeddings", body)
    numbers = [x for item in plain["data"] for x in item["embedding"]]
    assert len(numbers) == 10
    texts = server.post("/v1/embeddings", {**body, "encoding_format": "base64"})["data"]
    assert [x for item in texts for x in struct.unpack("<5f", base64.b64decode(item["embedding"]))] == numbers
    status, head, data = server.ask("POST", "/v1/embeddings", {**body, "encoding_format": "bytes"})
    assert (status, head["content-type"]) == (200, "application/octet-stream")
    assert list(struct.unpack("<10f", data)) == numbers
    metadata = json.loads(head["metadata"])
    assert list(metadata) == LIST and metadata["usage"] == plain["usage"]
    assert [(item["start"], item["end"]) for item in metadata["data"]] == [(0, 20), (20, 40)]
    status, head, only = server.ask("POST", "/v1/embeddings", {**body, "encoding_format": "bytes_only"})
    assert only == data and "metadata" not in head


def test_messages_count_as_chat_without_the_start_of_an_answer(server):
    messages = [{"role": "user", "content": [{"type": "text", "text": " ab cd"}]}]
    embeds = server.post("/v1/embeddings", {"messages": messages})["usage"]["prompt_tokens"]
    assert embeds == server.post("/tokenize", {"messages": messages, "add_generation_prompt": False})["count"]
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]}]
    status, _, text = server.ask("POST", "/v1/embeddings", {"messages": image})
    assert status == 400 and b"At most 0 image_url(s)" in text


def test_pooling_and_infinity_have_their_forms(server):
    answer = server.post("/pooling", {"model": "tiny", "truncate_prompt_tokens": -1, "input": "a b"})
    assert list(answer) == LIST and list(answer["usage"]) == USAGE and answer["id"].startswith("pool-")
    assert list(answer["data"][0]) == ["index", "object", "data"] and answer["data"][0]["object"] == "pooling"
    infinity = server.post("/embeddings", {"model": "tiny", "input": "a b"})
    assert list(infinity) == ["object", "data", "model", "usage", "id", "created"]
    assert list(infinity["data"][0]) == ["object", "embedding", "index"]
    assert infinity["usage"] == {"prompt_tokens": count(server, "a b"), "total_tokens": count(server, "a b")}
    assert infinity["data"][0]["embedding"] == answer["data"][0]["data"]
    status, _, text = server.ask("POST", "/embeddings", {"input": "data:x", "modality": "image"})
    assert status == 400 and b"At most 0 image(s)" in text


@pytest.mark.parametrize("path", ["/rerank", "/v1/rerank", "/v2/rerank"])
def test_rerank_sorts_by_score(server, path):
    documents = [f"doc {i}" for i in range(9)]
    body = {"model": "tiny", "query": "a query", "documents": documents, "truncate_prompt_tokens": -1}
    answer = server.post(path, body)
    assert list(answer) == ["id", "model", "usage", "results"] and answer["id"].startswith("rerank-")
    assert list(answer["results"][0]) == ["index", "document", "relevance_score"]
    scores = [item["relevance_score"] for item in answer["results"]]
    assert scores == sorted(scores, reverse=True) and 0 < scores[-1] < scores[0] < 1
    assert sorted(item["index"] for item in answer["results"]) == list(range(9))
    assert all(item["document"] == {"text": documents[item["index"]], "multi_modal": None} for item in answer["results"])
    # each pair has one separator: vLLM's client plans one special token per document of a reranker
    tokens = sum(count(server, "a query") + 1 + count(server, text) for text in documents)
    assert answer["usage"] == {"prompt_tokens": tokens, "total_tokens": tokens}
    assert server.post(path, {**body, "top_n": 2})["results"] == answer["results"][:2]


@pytest.mark.parametrize("path", ["/score", "/v1/score"])
def test_scores_of_pairs(server, path):
    answer = server.post(path, {"text_1": "q", "text_2": ["a", "b"]})
    assert list(answer) == LIST and answer["id"].startswith("score-")
    assert [list(item) for item in answer["data"]] == [["index", "object", "score"]] * 2
    named = server.post(path, {"queries": ["q", "q"], "documents": ["a", "b"]})
    assert named["data"] == answer["data"] and named["usage"] == answer["usage"]
    ranks = server.post("/rerank", {"query": "q", "documents": ["a", "b"]})["results"]
    assert {item["index"]: item["relevance_score"] for item in ranks} == {item["index"]: item["score"] for item in answer["data"]}


def test_an_embedding_model_reads_the_query_once(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms", "--convert", "embed") as server:
        documents = ["a b", "c", "d e f"]
        usage = server.post("/rerank", {"query": "q r", "documents": documents})["usage"]
        assert usage["prompt_tokens"] == count(server, "q r") + sum(count(server, text) for text in documents)
        assert server.metric("vllm:request_success_total") == 4


def test_prompts_are_cut_or_refused(server):
    long = " ab" * 200
    assert count(server, long) == 200
    assert server.post("/v1/embeddings", {"input": long, "truncate_prompt_tokens": -1})["usage"]["prompt_tokens"] == 64
    assert server.post("/v1/embeddings", {"input": long, "truncate_prompt_tokens": 9})["usage"]["prompt_tokens"] == 9
    for extra in ({}, {"truncate_prompt_tokens": 65}, {"truncate_prompt_tokens": 0}, {"truncate_prompt_tokens": -2}):
        assert server.ask("POST", "/v1/embeddings", {"input": long, **extra})[0] == 400
    # the whole length is for the prompt
    assert server.post("/v1/embeddings", {"input": " ab" * 64})["usage"]["prompt_tokens"] == 64


@pytest.mark.parametrize("path,body,status", [
    ("/v1/embeddings", {}, 400), ("/v1/embeddings", {"input": 3}, 400), ("/v1/embeddings", {"input": []}, 400),
    ("/v1/embeddings", {"input": ""}, 400), ("/v1/embeddings", {"input": [[]]}, 400), ("/v1/embeddings", {"input": [["a"]]}, 400),
    ("/v1/embeddings", {"input": ["a", 1]}, 400), ("/v1/embeddings", {"input": [1, "a"]}, 400),
    ("/v1/embeddings", {"input": "a", "model": "nope"}, 404), ("/v1/embeddings", {"input": "a", "dimensions": 0}, 400),
    ("/v1/embeddings", {"input": "a", "dimensions": 10**6}, 400), ("/v1/embeddings", {"input": "a", "encoding_format": "x"}, 400),
    ("/v1/embeddings", {"input": ["a"] * 4096}, 400), ("/v1/embeddings", {"input": ["a"] * 4097, "dimensions": 1}, 400),
    ("/v1/embeddings", {"messages": []}, 400), ("/v1/embeddings", {"messages": 1}, 400), ("/pooling", {"data": 1}, 400),
    ("/embeddings", {"messages": [{"role": "user", "content": "a"}]}, 400),
    ("/rerank", {"query": "q"}, 400), ("/rerank", {"documents": ["a"]}, 400), ("/rerank", {"query": "q", "documents": []}, 400),
    ("/rerank", {"query": "q", "documents": [{"text": "a"}]}, 400), ("/rerank", {"query": "q", "documents": "a"}, 400),
    ("/rerank", {"query": "q", "documents": ["a"], "top_n": "x"}, 400),
    ("/score", {"text_1": "a"}, 400), ("/score", {"text_2": "a"}, 400), ("/score", {"text_1": ["a", "b"], "text_2": ["a", "b", "c"]}, 400),
    ("/score", {"text_1": [1], "text_2": ["a"]}, 400), ("/score", {"text_1": [], "text_2": []}, 400), ("/score", [], 400)])
def test_bad_requests_are_refused(server, path, body, status):
    got, _, text = server.ask("POST", path, body)
    error = json.loads(text)["error"]
    assert got == status and error["code"] == status and error["message"]


def test_only_prompts_take_time_and_nothing_is_generated(bin_dir, tmp_path):
    log = tmp_path / "log"
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "20ms", "--sim-log", log, "--max-num-batched-tokens", "8", "--no-enable-prefix-caching") as server:
        text = " ab" * 20  # 20 tokens of 8 per step: three steps
        assert server.ask("POST", "/v1/embeddings", {"input": text}, {"x-request-id": "one"})[0] == 200
        assert server.metric("vllm:prompt_tokens_total") == 20
        assert server.metric("vllm:generation_tokens_total") == 0
        assert server.metric("vllm:request_success_total") == 1
        assert server.metrics()['vllm:request_success_total{engine="0",model_name="tiny",finished_reason="stop"}'] == 1
    request, end = by_request(read_log(log))["one"]
    assert (request["event"], request["prompt_tokens"]) == ("request", 20)
    assert (end["event"], end["tokens"], end["status"]) == ("end", 0, "completed")
    assert end["first_token_ns"] == end["last_token_ns"]
    assert end["first_token_ns"] - end["scheduled_ns"] == pytest.approx(60e6, abs=15e6)


def test_the_start_of_pairs_is_cached(bin_dir, tmp_path):
    log = tmp_path / "log"
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", "--sim-log", log, "--block-size", "4") as server:
        query = " ab" * 11
        assert server.ask("POST", "/rerank", {"query": query, "documents": [" x", " y", " z"]}, {"x-request-id": "r"})[0] == 200
    assert by_request(read_log(log))["r"][-1]["cached_tokens"] == 2 * 12  # the query and the separator, for the second and the third pair


@pytest.mark.parametrize("option", ["error", "reset", "truncate", "bad-json", "stream-error"])
def test_faults_hit_pooled_requests(bin_dir, tmp_path, option):
    log = tmp_path / "log"
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", "--sim-log", log, f"--sim-{option}-rate", "0.5") as server:
        for path, body in (("/v1/embeddings", {"input": ["a", "b"]}), ("/rerank", {"query": "q", "documents": ["a", "b"]})):
            ends = [send(server, path, body, f"{path}{i}") for i in range(4)]
            assert ends == ["ok", "failed"] * 2
    lines = by_request(read_log(log))
    assert len(lines) == 8
    statuses = [lines[name][-1]["status"] for name in lines]
    assert statuses.count("completed") == 4 and all(lines[name][-1]["tokens"] == 0 for name in lines)
    assert set(statuses) <= {"completed", "error", "aborted"}


def send(server, path, body, name):
    try:
        status, _, text = server.ask("POST", path, body, {"x-request-id": name})
        return "ok" if status == 200 and json.loads(text)["usage"] else "failed"
    except (OSError, ValueError, http.client.HTTPException):
        return "failed"


def test_usage_can_be_missing(bin_dir):
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", "--sim-no-usage") as server:
        for path, body in (("/v1/embeddings", {"input": "a"}), ("/embeddings", {"input": "a"}), ("/rerank", {"query": "q", "documents": ["a"]}),
                           ("/score", {"text_1": "q", "text_2": "a"}), ("/pooling", {"input": "a"})):
            assert server.post(path, body)["usage"] is None


def test_a_stalled_request_stays_open(bin_dir):
    with Server(bin_dir, "--runner", "pooling", "--sim-step", "1ms", "--sim-stall-rate", "1") as server:
        connection = server.connect()
        connection.timeout = 0.3
        connection.request("POST", "/v1/embeddings", json.dumps({"input": "a"}), {"x-request-id": "s"})
        with pytest.raises(TimeoutError):
            connection.getresponse()
        assert server.metric("vllm:num_requests_running") == 1
        connection.close()


@pytest.mark.parametrize("words,pools", [((), False), (("--runner", "generate"), False), (("--runner", "pooling"), True),
                                         (("--convert", "classify"), True), (("--convert", "embed"), True)])
def test_a_model_generates_or_pools(bin_dir, words, pools):
    with Server(bin_dir, "--sim-step", "1ms", *words) as server:
        found = {path: server.ask("POST", path, body)[0] for path, body in (
            ("/v1/completions", {"prompt": "a", "max_tokens": 1}), ("/v1/responses", {"input": "a", "max_output_tokens": 1}),
            ("/v1/embeddings", {"input": "a", "dimensions": 1}), ("/rerank", {"query": "q", "documents": ["a"]}),
            ("/tokenize", {"prompt": "a"}))}
        listed = [line for line in server.lines if "Route: /v1/embeddings," in line]
    assert found == {"/v1/completions": 404 if pools else 200, "/v1/responses": 404 if pools else 200,
                     "/v1/embeddings": 200 if pools else 404, "/rerank": 200 if pools else 404, "/tokenize": 200}
    assert len(listed) == pools
