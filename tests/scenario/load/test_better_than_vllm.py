"""Faults of vLLM's own clients, which measure wrong or lose a run: a test for each, over real sockets.

Each test is named after the behavior of the reference; it asserts the behavior of profllm.


"""

import json
import re
import subprocess

import numpy as np
import pytest

import run_tools
from sim_tools import Server

USER_STAMP = 8


class Play:
    """A simulator, one `bench serve` against it, and its outcome."""

    def __init__(self, bin_dir, folder, sim=(), words=(), env=None, ok=(0,)):
        self.capture, self.log = folder / "wire", folder / "sim.log"
        with Server(bin_dir, "--sim-step", "2ms", "--sim-capture", self.capture, "--sim-log", self.log, *sim,
                    model="org/tiny") as server:
            self.done = subprocess.run(
                [bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--random-input", "32",
                 "--random-output", "12", "--num-prompts", "12", "--output", "r.json", "--save-result",
                 "--save-detailed", "--result-filename", "flat.json", *map(str, words)],
                cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=run_tools.environment(env))
        assert self.done.returncode in ok, self.done.stderr + self.done.stdout
        self.result = json.loads((folder / "r.json").read_text())
        self.results = self.result["results"]
        self.flat = json.loads((folder / "flat.json").read_text())
        self.records = run_tools.read_zst_lines(folder / "r.requests.jsonl.zst")

    def log_lines(self, event):
        with open(self.log, encoding="utf-8") as file:
            return [row for row in map(json.loads, file) if row["event"] == event and row["request_id"]]


# Streams


@pytest.mark.parametrize("form", ["comments", "crlf", "no_space", "lines", "fields"])
@pytest.mark.parametrize("backend", ["openai", "openai-chat"])
def test_streams_a_comment_swallows_the_tokens_after_it(bin_dir, tmp_path, form, backend):
    play = Play(bin_dir, tmp_path, ["--sim-event-form", form], ["--backend", backend])
    assert (play.flat["completed"], play.flat["total_output_tokens"]) == (12, 144)
    sent = len(play.log_lines("token"))
    assert sum(len(record["events"]) for record in play.records) == sent


@pytest.mark.parametrize("cut", [1, 7, 50])
def test_streams_events_are_cut_anywhere(bin_dir, tmp_path, cut):
    play = Play(bin_dir, tmp_path, ["--sim-cut", cut])
    assert (play.flat["completed"], play.flat["total_output_tokens"]) == (12, 144)
    assert all(len(record["events"]) == 12 for record in play.records)


def test_streams_two_crlf_events_in_one_read_jam_the_buffer(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, ["--sim-event-form", "crlf", "--sim-merge-sends", 2])
    assert (play.flat["completed"], play.flat["total_output_tokens"]) == (12, 144)
    assert all(len(record["events"]) == 12 for record in play.records)


@pytest.mark.parametrize("fault, kind", [("--sim-stream-error-rate", "stream_error"), ("--sim-truncate-rate", "truncated")])
def test_streams_an_error_or_an_early_end_is_a_success(bin_dir, tmp_path, fault, kind):
    play = Play(bin_dir, tmp_path, [fault, 0.25], ok=(1,))
    assert (play.flat["completed"], play.flat["failed"]) == (9, 3)
    (error,) = play.results["errors"]
    assert (error["kind"], error["count"]) == (kind, 3) and error["sample"]
    assert sum(record["error"] is not None for record in play.records) == 3
    assert play.result["status"] == "partial"


def test_streams_the_body_of_an_http_error_is_never_read(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, ["--sim-error-rate", 0.25, "--sim-error-status", 503], ok=(1,))
    (error,) = play.results["errors"]
    assert (error["kind"], error["status"], error["count"]) == ("http_status", 503, 3)
    assert error["sample"] and error["sample"] != "Service Unavailable"
    assert error["sample"].split("\n")[0][:40] in play.done.stdout


def test_streams_usage_on_chunks_that_have_choices_is_ignored(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, ["--sim-merge", 3], ["--continuous-usage"])
    assert play.flat["total_output_tokens"] == 144
    assert all(sum(event[1] for event in record["events"]) == 12 for record in play.records)
    assert all(len(record["events"]) == 4 for record in play.records)


def test_streams_chunks_are_counted_as_tokens(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, ["--sim-merge", 3], ["--continuous-usage"])
    gaps = np.concatenate([np.array(itl) for itl in play.flat["itls"]])
    assert play.results["mean_itl_ms"] == pytest.approx(np.mean(gaps) * 1000)
    assert play.results["mean_token_gap_ms"] == pytest.approx(play.results["mean_itl_ms"] / 3)
    assert play.results["peak_output_tokens_per_s_sliding"] > play.results["max_output_tokens_per_s"]


def test_streams_the_role_only_chunk_sets_ttft(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, [], ["--backend", "openai-chat"])
    for record in play.records:
        assert record["events"][0][1] == 0 and record["first_token_ns"] == record["events"][1][0]
    assert play.results["mean_first_token_ms"] >= play.results["mean_ttft_ms"]


def test_streams_with_time_stamps_of_the_client(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path)
    assert not any(event[2] & USER_STAMP for record in play.records for event in record["events"])
    sent = {}
    for row in play.log_lines("token"):
        sent.setdefault(row["request_id"], []).append(row["t_ns"])
    for record in play.records:
        assert all(t[0] >= by for t, by in zip(record["events"], sent[record["request_id"]]))


# Load


def test_load_the_lateness_of_a_send_is_not_recorded(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, [], ["--request-rate", 200])
    planned = [record["planned_ns"] for record in play.records]
    assert planned == sorted(planned) and len(set(planned)) == 12
    assert all(record["acted_ns"] >= record["planned_ns"] for record in play.records)
    late = np.mean([record["acted_ns"] - record["planned_ns"] for record in play.records]) / 1e6
    assert play.results["mean_ttft_planned_ms"] - play.results["mean_ttft_ms"] == pytest.approx(late, abs=1e-6)
    assert any(check["id"] == "schedule_lateness" for check in play.result["quality"]["checks"])


def test_load_rate_inf_builds_its_tasks_inside_the_timed_window(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path)
    (start,) = {record["planned_ns"] for record in play.records}
    assert min(record["acted_ns"] for record in play.records) >= start
    ends = max(record["end_ns"] for record in play.records)
    assert play.results["duration"] == pytest.approx((ends - start) / 1e9, abs=1e-3)
    assert play.done.stderr.index("making prompts") < play.done.stderr.index("sending 12 requests")


def test_load_a_ramp_runs_over_the_index(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, [], ["--ramp-up-strategy", "linear", "--ramp-up-start-rps", 10, "--ramp-up-end-rps",
                                        50, "--ramp-up-by", "time", "--burstiness", "inf"])
    start = play.records[0]["planned_ns"]
    after = np.array([record["planned_ns"] - start for record in play.records]) / 1e9
    # 12 requests at 30/s on average: 0.4 s, 10 t + 50 t^2 of them by t
    first = (-10 + np.sqrt(100 + 200)) / 100
    times = after + first
    assert 10 * times + 50 * times**2 == pytest.approx(np.arange(1, 13), abs=1e-6)


def test_load_warm_ups_all_repeat_prompt_0(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, [], ["--num-warmups", 6])
    wire = play.capture.read_bytes()
    bodies = [json.loads(body) for body in re.findall(rb"\r\n\r\n(\{.*?\})(?=POST|GET|$)", wire, re.S)
              if b"max_tokens" in body]
    prompts = [body["prompt"] for body in bodies if body["max_tokens"] > 1]
    warmups, measured = prompts[:6], prompts[6:]
    assert len(set(warmups)) == 6 and len(measured) == 12 and not set(warmups) & set(measured)
    starts = {prompt[:8] for prompt in measured}
    assert not any(prompt[:8] in starts for prompt in warmups)


def test_load_failed_sends_are_retried_unseen(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, ["--sim-reset-rate", 0.25], ok=(1,))
    assert (play.flat["completed"], play.flat["failed"]) == (9, 3)
    assert len(play.log_lines("request")) == 12
    assert {error["kind"] for error in play.results["errors"]} <= {"reset", "truncated"}
    assert play.results["retries"] == 0


def test_load_retried_sends_start_a_fresh_clock(bin_dir, tmp_path):
    """With retries, each try is a record, and latencies start at the first."""
    play = Play(bin_dir, tmp_path, ["--sim-error-rate", 0.5, "--sim-error-status", 503],
                ["--retries", 20, "--retry-delay", "20ms"])
    sent = play.log_lines("request")
    assert play.flat["completed"] == 12 and play.results["failed"] == 0
    assert len(sent) == 12 + play.results["retries"] == len(play.records) > 12
    for name in {record["request_id"] for record in play.records}:
        *failed, last = [record for record in play.records if record["request_id"] == name]
        times = [row["t_ns"] for row in sent if row["request_id"] == name]
        assert [record["try"] for record in [*failed, last]] == list(range(1, len(times) + 1))
        assert all(record["retried"] and record["error"]["status"] == 503 for record in failed)
        assert last["tries"] == len(times) and last["error"] is None
        # the server saw the first try once the clock ran, the last one all pauses later
        assert last["acted_ns"] <= times[0] and last["events"][0][0] >= times[-1]
        assert times[-1] - last["acted_ns"] >= sum(20e6 * (i + 1) for i in range(len(failed)))
        ttft_ms = (last["events"][0][0] - last["acted_ns"]) / 1e6
        assert ttft_ms == pytest.approx(1000 * play.flat["ttfts"][last["index"]])


def test_load_peak_concurrency_counts_requests_that_touch_a_second(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, [], ["--max-concurrency", 2])
    assert play.results["peak_in_flight"] == 2
    assert play.flat["max_concurrent_requests"] > 2


def test_load_duration_holds_ramp_up_and_drain(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path)
    assert play.flat["duration"] == play.results["duration"]
    # shorter than 10 s: no steady window
    assert play.results["steady"] is None


# Losing a finished run


@pytest.mark.parametrize("words", [
    ["--metadata", "novalue"],
    ["--plot-dataset-stats", "--num-prompts", "2"],
    ["--burstiness", "0"],
    ["--goodput", "ttft"],
    ["--backend", "openai-chat", "--endpoint", "/v1/completions"],
])
def test_losing_the_error_comes_after_the_run(bin_dir, tmp_path, words):
    with Server(bin_dir, model="org/tiny") as server:
        done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), *words],
                              capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
        assert b"generation_tokens_total{" not in server.get("/metrics") or \
            re.search(rb"vllm:generation_tokens_total\S* 0(\.0)?\n", server.get("/metrics"))
    assert done.returncode == 2 and done.stdout == ""


def test_losing_burstiness_inf_writes_invalid_json(bin_dir, tmp_path):
    play = Play(bin_dir, tmp_path, [], ["--burstiness", "inf", "--request-rate", 100])

    def refuse(constant):
        raise AssertionError(constant)

    flat = json.loads((tmp_path / "flat.json").read_text(), parse_constant=refuse)
    assert flat["burstiness"] == "inf" and play.flat["completed"] == 12


def test_losing_openai_chat_without_endpoint_fails_after_start_up(bin_dir, tmp_path):
    assert Play(bin_dir, tmp_path, [], ["--backend", "openai-chat"]).flat["completed"] == 12


# Datasets


def test_datasets_alignment_sends_the_model_id_and_no_key(bin_dir, tmp_path):
    """Model name and key are sent to /tokenize, and every prompt has its length, not only the first."""
    play = Play(bin_dir, tmp_path, ["--served-model-name", "served", "--api-key", "geheim"],
                ["--model", "org/tiny", "--served-model-name", "served", "--random-range-ratio", "0.5"],
                env={"OPENAI_API_KEY": "geheim"})
    assert play.flat["completed"] == 12
    assert all(record["prompt_tokens"] == record["prompt_tokens_requested"] for record in play.records)
    tokenize = re.findall(rb"POST /tokenize HTTP.*?\r\n\r\n(\{.*?\})(?=POST|GET|$)", play.capture.read_bytes(), re.S)
    assert tokenize and all(json.loads(body)["model"] == "served" for body in tokenize)
    whole = json.dumps(play.result) + play.done.stdout + play.done.stderr
    assert "geheim" not in whole
