"""`profllm bench serve` in place of `vllm bench serve`: real sockets, vLLM's files and metrics."""

import json
import re
import subprocess

import numpy as np
import pytest

import run_tools
from sim_tools import Server

HEAD = ["date", "endpoint_type", "backend", "label", "model_id", "tokenizer_id", "num_prompts"]
LOAD = ["request_rate", "burstiness", "max_concurrency"]
FIGURES = ["duration", "completed", "failed", "total_input_tokens", "total_output_tokens",
           "request_throughput", "request_goodput", "output_throughput", "total_token_throughput"]
LISTS = ["input_lens", "output_lens", "ttfts", "itls", "latencies", "start_times", "queue_times",
         "generated_texts", "errors"]
PEAKS = ["max_output_tokens_per_s", "max_concurrent_requests", "rtfx"]


def families(*names, percentiles=("99",)):
    return [f"{word}_{name}_ms" for name in names
            for word in ["mean", "median", "std", *[f"p{p}" for p in percentiles]]]


@pytest.fixture(scope="module")
def server(bin_dir):
    with Server(bin_dir, "--sim-step", "2ms", model="org/tiny") as running:
        yield running


def bench(bin_dir, server, *words, cwd, ok=True, env=None):
    done = subprocess.run(
        [bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--random-input", "32",
         "--random-output", "8", *map(str, words)],
        cwd=cwd, capture_output=True, text=True, timeout=120, check=False,
        env=run_tools.environment(env))
    assert not ok or done.returncode == 0, done.stderr + done.stdout
    return done


def flat_of(bin_dir, server, folder, *words):
    bench(bin_dir, server, "--save-result", "--result-filename", "r.json", *words, cwd=folder)
    return json.loads((folder / "r.json").read_text())


def test_keys_are_in_vllms_order(bin_dir, server, tmp_path):
    flat = flat_of(bin_dir, server, tmp_path, "--num-prompts", 6, "--save-detailed", "--metadata", "tp=2", "a = b ")
    assert list(flat) == HEAD + ["tp", "a"] + LOAD + FIGURES + LISTS + PEAKS + families("ttft", "tpot", "itl") + \
        ["profllm"]
    assert (flat["tp"], flat["a"], flat["request_rate"], flat["max_concurrency"]) == ("2", "b", "inf", None)
    assert flat["profllm"]["environment"]["engine"]["simulated"] is True


def test_lists_are_kept_only_when_asked_for(bin_dir, server, tmp_path):
    flat = flat_of(bin_dir, server, tmp_path, "--num-prompts", 3)
    assert [key for key in LISTS if key in flat] == ["latencies", "queue_times"]


def test_selected_metrics_are_saved(bin_dir, server, tmp_path):
    flat = flat_of(bin_dir, server, tmp_path, "--num-prompts", 8, "--max-concurrency", 2, "--request-rate", 200,
                   "--percentile-metrics", "ttft,e2el,client_queue_time,e2el_including_client_queue",
                   "--metric-percentiles", "50,99.9")
    names = ("ttft", "e2el", "client_queue_time", "e2el_including_client_queue")
    assert [key for key in flat if key.endswith("_ms")] == families(*names, percentiles=("50", "99.9"))
    assert max(flat["queue_times"]) > 0


def test_figures_follow_from_the_lists(bin_dir, server, tmp_path):
    flat = flat_of(bin_dir, server, tmp_path, "--num-prompts", 40, "--request-rate", 200, "--save-detailed",
                   "--percentile-metrics", "ttft,tpot,itl,e2el", "--goodput", "ttft:5", "e2el:100")
    ttft, latency = np.array(flat["ttfts"]), np.array(flat["latencies"])
    itl = np.concatenate([np.array(gaps) for gaps in flat["itls"]])
    tpot = (latency - ttft) / (np.array(flat["output_lens"]) - 1)
    for name, x in (("ttft", ttft), ("tpot", tpot), ("itl", itl), ("e2el", latency)):
        for word, value in (("mean", np.mean(x)), ("median", np.median(x)), ("std", np.std(x)),
                            ("p99", np.percentile(x, 99))):
            assert flat[f"{word}_{name}_ms"] == pytest.approx(value * 1000, rel=1e-9)
    assert flat["total_output_tokens"] == sum(flat["output_lens"]) == 40 * 8
    assert flat["total_input_tokens"] == sum(flat["input_lens"])
    assert flat["output_throughput"] == pytest.approx(320 / flat["duration"], rel=1e-9)
    good = np.sum((ttft <= 0.005) & (latency <= 0.1))
    assert flat["request_goodput"] == pytest.approx(good / flat["duration"], rel=1e-9)
    assert all(len(text) > 0 for text in flat["generated_texts"]) and set(flat["errors"]) == {""}
    # arrivals are vLLM's: the last of 40 at 200/s is planned at 0.2 s
    assert max(flat["start_times"]) - min(flat["start_times"]) < flat["duration"]


def test_file_names(bin_dir, server, tmp_path):
    bench(bin_dir, server, "--num-prompts", 2, "--save-result", "--request-rate", 50, "--max-concurrency", 3,
          "--model", "org/tiny", "--result-dir", "a/b", cwd=tmp_path)
    bench(bin_dir, server, "--num-prompts", 2, "--save-result", "--label", "L", "--model", "org/tiny", cwd=tmp_path)
    bench(bin_dir, server, "--num-prompts", 2, "--save-result", "--ramp-up-strategy", "linear", "--ramp-up-start-rps",
          20, "--ramp-up-end-rps", 22, cwd=tmp_path)
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.json"))
    date = r"\d{8}-\d{6}\.json"
    assert re.fullmatch("L-infqps-tiny-" + date, names[0])
    assert re.fullmatch("a/b/openai-50.0qps-concurrency3-tiny-" + date, names[1])
    assert re.fullmatch("openai-ramp-up-linear-20qps-22qps-tiny-" + date, names[2])
    flat = json.loads((tmp_path / names[2]).read_text())
    assert [event["rps"] for event in flat["rps_change_events"]] == [20, 21, 22]
    assert (flat["ramp_up_strategy"], flat["ramp_up_start_rps"], flat["ramp_up_end_rps"]) == ("linear", 20, 22)


def test_append_adds_a_line(bin_dir, server, tmp_path):
    for _ in range(3):
        bench(bin_dir, server, "--num-prompts", 2, "--append-result", "--result-filename", "all.jsonl", cwd=tmp_path)
    text = (tmp_path / "all.jsonl").read_text()
    assert not text.endswith("\n")
    assert [json.loads(line)["completed"] for line in text.split("\n")] == [2, 2, 2]


def test_nothing_is_left_without_an_option_that_keeps_it(bin_dir, server, tmp_path):
    done = bench(bin_dir, server, "--num-prompts", 2, cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []
    assert "Serving Benchmark Result" in done.stdout and "Result:" not in done.stdout
    bench(bin_dir, server, "--num-prompts", 2, "--output", "whole.json", cwd=tmp_path)
    assert (tmp_path / "whole.json").exists() and (tmp_path / "whole.requests.jsonl.zst").exists()


def test_a_read_only_directory_is_reported_before_the_first_request(bin_dir, server, tmp_path):
    (tmp_path / "file").write_text("x")
    done = bench(bin_dir, server, "--num-prompts", 2, "--save-result", "--result-dir", "file/dir", cwd=tmp_path, ok=False)
    assert done.returncode == 2 and "file" in done.stderr
    assert "Serving Benchmark Result" not in done.stdout


@pytest.mark.parametrize("asked, limit, not_carried", [
    ([], 368, "p99"), (["--metric-percentiles", "50"], 6, None),
    (["--metric-percentiles", "99.9,50,99,99"], 3688, "p99 (needs 368), p99.9")])
def test_the_sample_is_measured_by_the_percentiles_asked_for(bin_dir, server, tmp_path, asked, limit, not_carried):
    result = flat_of(bin_dir, server, tmp_path, "--num-prompts", 20, *asked)["profllm"]
    check, = (check for check in result["quality"]["checks"] if check["id"] == "sample_size")
    assert (check["value"], check["limit"], check["status"]) == (20, limit, "over_limit" if not_carried else "passed")
    assert check["text"].partition("; this run has too few requests for ")[2] == (not_carried or "")
    # all of them are in the results, whatever was asked for
    assert {"p1_ttft_ms", "p99_ttft_ms", "p99.9_ttft_ms"} <= set(result["results"])


# even root cannot write to any of them
@pytest.mark.parametrize("words", [
    ["--result-dir", "/proc"], ["--result-dir", "/proc/made/here"],
    ["--result-dir", "made", "--result-filename", "/proc/r.json"],
    ["--result-dir", "made", "--result-filename", "no/such/r.json"]])
def test_unusable_paths_are_reported_before_the_first_request(bin_dir, server, tmp_path, words):
    done = bench(bin_dir, server, "--num-prompts", 2, "--save-result", *words, cwd=tmp_path, ok=False)
    assert done.returncode == 2 and words[-1] in done.stderr and done.stderr.count("\n") == 1
    assert done.stdout == "" and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("backend", ["openai", "vllm", "openai-chat", "openai-responses"])
def test_back_ends_choose_their_endpoint(bin_dir, server, tmp_path, backend):
    flat = flat_of(bin_dir, server, tmp_path, "--num-prompts", 4, "--backend", backend)
    assert (flat["completed"], flat["failed"], flat["total_output_tokens"]) == (4, 0, 32)
    assert flat["backend"] == flat["endpoint_type"] == backend


@pytest.mark.parametrize("backend", ["openai", "openai-chat", "openai-responses"])
def test_whole_answers_have_no_first_token(bin_dir, server, tmp_path, backend):
    flat = flat_of(bin_dir, server, tmp_path, "--num-prompts", 4, "--backend", backend, "--extra-body",
                   '{"stream": false}', "--percentile-metrics", "ttft,tpot,itl,e2el")
    assert (flat["completed"], flat["total_output_tokens"]) == (4, 32)
    assert flat["mean_ttft_ms"] is None and flat["mean_tpot_ms"] is None and flat["mean_itl_ms"] is None
    assert flat["mean_e2el_ms"] >= 8 * 2


def test_wrong_endpoint_is_reported_before_the_first_request(bin_dir, server, tmp_path):
    done = bench(bin_dir, server, "--backend", "openai-chat", "--endpoint", "/v1/completions", cwd=tmp_path, ok=False)
    assert done.returncode == 2 and "chat/completions" in done.stderr


def test_the_console_is_vllms(bin_dir, server, tmp_path):
    flat = tmp_path / "r.json"
    done = bench(bin_dir, server, "--num-prompts", 5, "--max-concurrency", 2, "--save-result", "--result-filename", flat,
                 cwd=tmp_path)
    figures = json.loads(flat.read_text())
    start = done.stdout.index("============ Serving")
    table = done.stdout[start:].splitlines()
    assert table[0] == "============ Serving Benchmark Result ============"
    assert table[1] == f"{'Successful requests:':<40} {5:<10}"
    assert table[3] == f"{'Maximum request concurrency:':<40} {2:<10}"
    assert f"{'Mean TTFT (ms):':<40} {figures['mean_ttft_ms']:<10.2f}" in table
    assert table[table.index("---------------Time to First Token----------------") + 3].startswith("P99 TTFT (ms):")


def test_a_real_result_recomputes(bin_dir, test_data_dir):
    """Our formulas applied to the lists of vLLM's own result yield its summary."""
    flat = json.loads((test_data_dir / "data" / "real" / "bench" / "py-random.json").read_text())
    second = 1_000_000_000
    records = []
    for i, (start, ttft, gaps) in enumerate(zip(flat["start_times"], flat["ttfts"], flat["itls"])):
        acted = round(start * second)
        times = acted + np.round((ttft + np.concatenate([[0], np.cumsum(gaps)])) * second).astype(np.int64)
        records.append({
            "index": i, "request_id": f"r-{i}", "try": 1, "tries": 1, "retried": False, "planned_ns": acted,
            "queued_ns": None, "acted_ns": acted,
            "connected_ns": None, "sent_ns": acted, "headers_ns": None, "first_event_ns": int(times[0]),
            "first_token_ns": int(times[0]), "end_ns": int(times[-1]), "events": [[int(t), 1, 2] for t in times],
            "prompt_tokens_requested": None, "prompt_tokens": flat["input_lens"][i], "output_tokens_requested": None,
            "output_tokens": flat["output_lens"][i], "token_source": "usage", "finish_reason": "length",
            "status": 200, "error": None})
    made = {"records": records, "tries": [], "start_ns": records[0]["acted_ns"],
            "end_ns": records[0]["acted_ns"] + round(flat["duration"] * second),
            "percentiles": [99], "slo": None, "max_concurrency": None, "finite_rate": True, "inflight_peak": None}
    driver = bin_dir.parent / "tests" / "metrics_driver"
    done = subprocess.run([driver], input=json.dumps(made) + "\n", capture_output=True, text=True, check=True)
    got = json.loads(done.stdout)
    for key in FIGURES + PEAKS + [key for key in flat if key.endswith("_ms")]:
        if key in ("request_goodput", "rtfx"):
            continue
        # the lists are rounded to our nanoseconds
        assert got[key] == pytest.approx(flat[key], rel=2e-7), key


def test_probes_are_outside_the_load(bin_dir, server, tmp_path):
    """A concurrency limit of 1 makes requests of the load wait, but no probe."""
    done = bench(bin_dir, server, "--num-prompts", 30, "--max-concurrency", 1, "--probe-request-rate", 100,
                 "--save-result", "--result-filename", "r.json", cwd=tmp_path)
    flat = json.loads((tmp_path / "r.json").read_text())
    keys = list(flat)
    assert keys[keys.index("rtfx") + 1:keys.index("mean_ttft_ms")] == [
        "probe_completed", "probe_failed", "probe_median_e2el_ms", "probe_p99_e2el_ms", "probe_max_e2el_ms"]
    assert flat["probe_completed"] > 2 and flat["probe_failed"] == 0
    assert 2 <= flat["probe_median_e2el_ms"] <= flat["probe_p99_e2el_ms"] <= flat["probe_max_e2el_ms"]
    assert flat["completed"] == 30
    assert "------------------Probe Requests------------------" in done.stdout
    checks = {check["id"]: check["status"] for check in flat["profllm"]["quality"]["checks"]}
    assert checks["foreign_load"] == "passed"


def test_speculative_decoding_is_the_difference_over_the_run(bin_dir, tmp_path):
    with Server(bin_dir, "--sim-step", "2ms", "--speculative-config",
                '{"method": "ngram", "num_speculative_tokens": 3}', model="org/tiny") as speculative:
        first = flat_of(bin_dir, speculative, tmp_path, "--num-prompts", 5, "--random-output", 32)
        done = bench(bin_dir, speculative, "--num-prompts", 20, "--random-output", 32, "--seed", 3, "--save-result",
                     "--result-filename", "s.json", cwd=tmp_path)
        second = json.loads((tmp_path / "s.json").read_text())
        page = speculative.get("/metrics").decode()
    total = {name: float(value) for name, value in re.findall(
        r"^vllm:spec_decode_(num_drafts|num_draft_tokens|num_accepted_tokens)_total(?:{[^}]*})? (\S+)", page, re.M)}
    for key, name in (("num_drafts", "num_drafts"), ("draft_tokens", "num_draft_tokens"),
                      ("accepted_tokens", "num_accepted_tokens")):
        assert first[f"spec_decode_{key}"] + second[f"spec_decode_{key}"] == total[name]
    drafts, accepted = second["spec_decode_num_drafts"], second["spec_decode_accepted_tokens"]
    assert second["spec_decode_acceptance_rate"] == pytest.approx(100 * accepted / second["spec_decode_draft_tokens"])
    assert second["spec_decode_acceptance_length"] == pytest.approx(1 + accepted / drafts)
    rates = second["spec_decode_per_position_acceptance_rates"]
    assert len(rates) == 3 and sum(rates) == pytest.approx(accepted / drafts)
    assert "---------------Speculative Decoding---------------" in done.stdout and "  Position 2:" in done.stdout


def test_adapters_are_assigned_as_vllm_draws_them(bin_dir, tmp_path):
    capture = tmp_path / "wire"
    with Server(bin_dir, "--sim-step", "1ms", "--enable-lora", "--lora-modules", "a=/a", "b=/b", "c=/c", "--sim-capture",
                capture, model="org/tiny") as adapters:
        bench(bin_dir, adapters, "--num-prompts", 10, "--lora-modules", "a", "b", "c", "--max-concurrency", 1,
              cwd=tmp_path)
        bench(bin_dir, adapters, "--num-prompts", 4, "--lora-modules", "a", "b", "c", "--lora-assignment", "round-robin",
              "--max-concurrency", 1, cwd=tmp_path)
    heads = re.findall(rb"x-request-id: bench-[0-9a-f]+-(\d+)\r\n.*?\r\n\r\n\{\"model\": \"(\w+)\"", capture.read_bytes(), re.S)
    models = [name.decode() for _, name in heads]
    # the random numbers for three modules after data set random, seed 0
    assert models == ["abc"[i] for i in (1, 1, 0, 1, 2, 1, 1, 1, 1, 1)] + list("abca")


def test_the_profiler_is_started_and_stopped(bin_dir, server, tmp_path):
    with Server(bin_dir, "--sim-step", "1ms", "--profiler-config", '{"profiler": "torch", "torch_profiler_dir": "/tmp"}',
                model="org/tiny") as profiled:
        done = bench(bin_dir, profiled, "--num-prompts", 2, "--profile", "--output", "r.json", cwd=tmp_path)
        assert "the profiler of the server is running" in done.stderr
    result = json.loads((tmp_path / "r.json").read_text())
    # of another's server it is not known where it writes
    assert result["profiling"] == {"enabled": True, "scope": "measured_run", "profiler": None, "trace_dir": None,
                                   "trace_file_path": None, "trace_file_size_mb": None, "trace_files": None, "error": None}
    assert ("profiled", "over_limit") in [(check["id"], check["status"]) for check in result["quality"]["checks"]]
    # all that it printed has been read
    assert any("/start_profile" in line for line in profiled.lines)
    assert any("/stop_profile" in line for line in profiled.lines)
    done = bench(bin_dir, server, "--num-prompts", 2, "--profile", cwd=tmp_path)
    assert "'/start_profile' returned status 404" in done.stderr


def test_a_part_of_a_run_is_profiled(bin_dir, tmp_path):
    with Server(bin_dir, "--sim-step", "5ms", "--profiler-config", '{"profiler": "torch", "torch_profiler_dir": "/tmp"}', "--sim-log",
                tmp_path / "log", model="org/tiny") as profiled:
        words = ["--num-prompts", 40, "--random-output-len", 40, "--max-concurrency", 8, "--output", "r.json", "--overwrite",
                 "--profile-duration", 0.2]
        done = bench(bin_dir, profiled, *words, "--profile-batch-threshold", 6, cwd=tmp_path)
        assert "the profiler of the server is running" in done.stderr
        result = json.loads((tmp_path / "r.json").read_text())
        assert ("profiled", "over_limit") in [(check["id"], check["status"]) for check in result["quality"]["checks"]]
        done = bench(bin_dir, profiled, *words, "--profile-batch-threshold", 9, cwd=tmp_path)
        assert "never ran profile_batch_threshold (9) requests at once" in done.stderr
    asked = [line for line in profiled.lines if "_profile HTTP" in line]
    assert len(asked) == 2 and "/start_profile" in asked[0] and "/stop_profile" in asked[1]

