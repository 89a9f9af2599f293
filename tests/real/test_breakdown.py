"""Where the time went (results.latency_breakdown) with a real vLLM, against the growth of its histograms as this test
reads them from /metrics before and after the run."""
import json
import re
import urllib.request

import pytest
from real_tools import Run, fetch, running_server, vllm_config

HISTOGRAMS = {"ttft": "time_to_first_token_seconds", "e2el": "e2e_request_latency_seconds",
              "queue": "request_queue_time_seconds", "prefill": "request_prefill_time_seconds",
              "decode": "request_decode_time_seconds", "inference": "request_inference_time_seconds"}
COUNTERS = ("prompt_tokens_total", "generation_tokens_total", "request_success_total")
REQUESTS, INPUT, OUTPUT = 40, 64, 16
ROUNDING_MS = 1e-6


def page(port):
    """Sums over all labels but the bucket's bound."""
    sums = {}
    for line in fetch(port, "/metrics").splitlines():
        match = re.fullmatch(r'vllm:(\w+)(?:\{(.*)\})? (\S+)', line)
        if match:
            name, labels, value = match.groups()
            bound = re.search(r'(?:^|,)le="([^"]*)"', labels or "")
            key = (name, float(bound.group(1))) if bound else name
            sums[key] = sums.get(key, 0) + float(value)
    return sums


def quantile(before, after, name, share):
    """The bucket of the sample with rank ceil(share * count), in ms."""
    bounds = sorted(key[1] for key in after if isinstance(key, tuple) and key[0] == f"{name}_bucket")
    grown = [after[f"{name}_bucket", bound] - before.get((f"{name}_bucket", bound), 0) for bound in bounds]
    rank = -(-share * grown[-1] // 1)
    i = next(i for i, count in enumerate(grown) if count >= rank)
    return (bounds[i - 1] if i else 0) * 1000, bounds[i] * 1000


SERVERS = {"two API servers": ["--api-server-count", "2"], "one": [], "requests": ["--enable-per-request-metrics"]}


@pytest.fixture(scope="module", params=SERVERS)
def server(request, vllm, tmp_path_factory):
    argv = ["serve", vllm.model, "--served-model-name", "tiny", "--max-model-len", "2048", "--max-num-seqs", "64",
            *SERVERS[request.param]]
    with running_server(vllm, argv, tmp_path_factory.mktemp("vllm") / "server.log") as running:
        running.kind = request.param
        # every process of the server has answered, so that all histograms exist
        body = json.dumps({"model": "tiny", "prompt": "a", "max_tokens": 2, "ignore_eos": True}).encode()
        for _ in range(16):
            urllib.request.urlopen(urllib.request.Request(f"{running.url}/v1/completions", body,
                                                          {"Content-Type": "application/json"}), timeout=300).read()
        yield running


@pytest.fixture
def play(bin_dir, tmp_path, vllm, server):
    runs = []

    def start(**benchmark):
        config = vllm_config(vllm, num_prompts=REQUESTS, random_input_len=INPUT, random_output_len=OUTPUT,
                             num_warmups=0, model="tiny", tokenizer=vllm.model, **benchmark)
        config["server"], config["launch"] = {}, {"url": server.url}
        config["telemetry"] = {"server_metrics": "200ms"}
        runs.append(Run(bin_dir, tmp_path / "run", config, engine=vllm))
        status, out, result = runs[-1].finish()
        assert status == 0 and result["status"] == "completed", runs[-1].log_text() + out
        return result

    yield start
    for run in runs:
        run.clean_up()


@pytest.mark.parametrize("load", [{"request_rate": 10}, {"request_rate": "inf", "max_concurrency": 16},
                                  {"backend": "openai-chat", "request_rate": 10}], ids=["open", "closed", "chat"])
def test_the_parts_are_the_servers(play, server, load):
    before = page(server.port)
    result = play(**load)
    after = page(server.port)
    results, parts = result["results"], result["results"]["latency_breakdown"]
    grown = {key: after[f"{name}_sum"] - before[f"{name}_sum"] for key, name in HISTOGRAMS.items()}
    means_ms = {key: 1000 * value / REQUESTS for key, value in grown.items()}
    for key, name in HISTOGRAMS.items():
        assert after[f"{name}_count"] - before[f"{name}_count"] == REQUESTS, key
        shown = parts["server"][key]
        assert shown["count"] == REQUESTS and shown["mean_ms"] == pytest.approx(means_ms[key], abs=ROUNDING_MS)
        for quantity, share in (("median", 0.5), ("p99", 0.99)):
            low, high = quantile(before, after, name, share)
            assert shown[f"{quantity}_low_ms"] == pytest.approx(low)
            assert shown[f"{quantity}_high_ms"] == (pytest.approx(high) if high != float("inf") else None)
    assert (parts["state"], parts["reason"], parts["requests"]) == ("exact", None, REQUESTS), parts
    assert parts["busy_before"] is False and parts["same_host"] is False
    is_own = server.kind == "requests"
    assert parts["source"] == ("requests" if is_own else "histograms")
    print(server.kind, json.dumps(parts))
    # rounded by the server to microseconds or not at all
    tolerance_ms = 0.01 if is_own else ROUNDING_MS
    for latency, names in (("ttft", ["queue", "prefill"]), ("e2el", ["queue", "prefill", "decode"])):
        split = parts[latency]
        total, server_ms = results[f"mean_{latency}_ms"], means_ms[latency]
        error = results[f"mean_{latency}_ms_client_error"]
        assert split["total_ms"] == total
        for name in names:
            assert split[f"{name}_low_ms"] == split[f"{name}_high_ms"] == pytest.approx(means_ms[name], abs=tolerance_ms)
        engine = sum(means_ms[name] for name in names)
        lows = sum(split[f"{name}_low_ms"] for name in ("client", "network", "front_end", *names))
        highs = sum(split[f"{name}_high_ms"] for name in ("client", "network", "front_end", *names))
        assert 0 <= split["unattributed_ms"] == pytest.approx(total - lows, abs=1e-3)
        assert highs >= total + error[0] - 1e-3
        # the client's time encloses the server's, and that encloses the engine's
        assert engine <= server_ms + 1 and server_ms <= total + error[1] + 1
        outside = total - split["client_low_ms"] - server_ms
        assert split["network_high_ms"] <= max(outside + error[1], split["network_low_ms"]) + tolerance_ms
        assert split["front_end_low_ms"] >= server_ms - engine - tolerance_ms * 3 or split["front_end_low_ms"] == 0
        assert split["front_end_high_ms"] >= server_ms - engine - tolerance_ms * 3
        for name in ("client", "network", "front_end"):
            assert 0 <= split[f"{name}_low_ms"] <= split[f"{name}_high_ms"] + ROUNDING_MS


def test_the_servers_counters(play, server):
    """The tokens and requests that the run found in /metrics are those of all processes of the server."""
    before = page(server.port)
    result = play(request_rate=10)
    after = page(server.port)
    grown = {name: after[name] - before[name] for name in COUNTERS}
    assert grown == {"prompt_tokens_total": REQUESTS * INPUT, "generation_tokens_total": REQUESTS * OUTPUT,
                     "request_success_total": REQUESTS}
    checks = {check["id"]: check["status"] for check in result["quality"]["checks"]}
    print(server.kind, {name: status for name, status in checks.items() if status != "passed"})
