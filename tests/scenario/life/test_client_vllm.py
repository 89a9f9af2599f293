"""`benchmark.client: vllm`: vLLM's own client sends the load; profllm starts it, watches it and reads its result."""
import json
import os
import re
import signal
import subprocess

import jsonschema
import numpy as np
import pytest
from client_tools import client_config, make_client, wait_for_path
from run_tools import (environment, load_result, marked_processes, read_zst_lines, run_profllm, sentences_of,
                       server_of, start_profllm, write_config)
from wait_tools import wait_for


class Play:
    """One experiment in a separate directory, with the stand-in for vLLM's client."""

    def __init__(self, bin_dir, folder, patience):
        self.bin_dir, self.folder, self.patience = bin_dir, folder, patience
        self.notes = folder / "fake"
        self.program = make_client(self.notes)
        self.config = client_config()
        self.env = {"PROFLLM_VLLM": str(self.program)}
        self.output = folder / "r.json"

    def args(self):
        return ("run", "-c", write_config(self.folder, self.config), "-o", self.output, "-q", "--overwrite")

    def run(self, mode="ok"):
        return run_profllm(self.bin_dir, *self.args(), env={**self.env, "FAKE_MODE": mode},
                           patience=self.patience)

    def start(self, mode):
        return start_profllm(self.bin_dir, *self.args(), env={**self.env, "FAKE_MODE": mode})

    def finish(self, process):
        out, err = process.communicate(timeout=60 * self.patience)
        return process.returncode, out, err

    def result(self):
        return load_result(self.output)

    def noted(self, name):
        return json.loads((self.notes / name).read_text())

    def check(self, status):
        return {row["id"]: row for row in self.result()["quality"]["checks"]}[status]

    def assert_tidy(self):
        """Checks that nothing runs, and that the client's directory is removed."""
        assert marked_processes(self.result()["run_id"]) == []
        assert not [entry for entry in self.folder.iterdir() if ".client." in entry.name
                    and entry.is_dir()]


@pytest.fixture
def play(bin_dir, tmp_path, patience):
    return Play(bin_dir, tmp_path, patience)


@pytest.fixture(scope="module")
def result_schema(source_dir):
    schema = json.loads((source_dir / "api/result.schema.json").read_text())
    return jsonschema.Draft202012Validator(schema)


def test_result_is_whole(play, result_schema):
    play.config["benchmark"].update(max_concurrency=3, save_detailed=True)
    done = play.run()
    assert done.returncode == 0, done.stderr
    result, flat = play.result(), play.noted("flat.json")
    result_schema.validate(result)
    assert result["status"] == "completed" and result["error"] is None
    assert result["config"]["benchmark"]["client"] == "vllm"
    figures = result["results"]
    assert figures["completed_requests"] == 12 and figures["failed_requests"] == 0
    assert figures["duration"] == pytest.approx(flat["duration"], abs=1e-9)
    for key in ("total_input_tokens", "total_output_tokens"):
        assert figures[key] == flat[key]
    for key, value in flat.items():
        if key.endswith("_ms") or key.endswith("throughput"):
            assert figures[key] == pytest.approx(value, rel=1e-5, abs=2e-6), key
    # its lateness in reading and sending is unknown
    assert {value for key, value in figures.items() if key.endswith("_client_error")} == {None}
    # what vLLM does not have: families and intervals of ours
    assert figures["mean_time_per_token_ms"] == pytest.approx(flat["mean_tpot_ms"], rel=1e-5)
    assert figures["peak_in_flight"] == 3
    assert figures["mean_client_queue_time_ms"] == pytest.approx(0.1)
    assert figures["rtfx"] is None
    client = result["environment"]["client"]
    assert client["name"] == "vllm bench serve" and client["per_request"] is True
    assert client["summary_difference"] < 1e-9 and client["summary_difference_metric"] is None
    play.assert_tidy()


def test_records_are_the_lists(play, source_dir):
    play.config["benchmark"].update(max_concurrency=3, save_detailed=True, backend="openai-chat")
    assert play.run().returncode == 0
    flat = play.noted("flat.json")
    records = read_zst_lines(play.folder / "r.requests.jsonl.zst")
    assert len(records) == 12
    schema = json.loads((source_dir / "api/requests.schema.json").read_text())
    for record in records:
        jsonschema.validate(record, schema)
    for i, record in enumerate(records):
        assert record["acted_ns"] == round(flat["start_times"][i] * 1e9)
        times = np.cumsum([flat["ttfts"][i], *flat["itls"][i]])
        events = [event[0] - record["acted_ns"] for event in record["events"]]
        assert np.abs(np.array(events) - times * 1e9).max() <= 1.0
        # a chat's first event only names the speaker
        assert [event[1] for event in record["events"]][:2] == [0, 1]
        assert record["output_tokens"] == flat["output_lens"][i] == 8
        assert record["prompt_tokens"] == flat["input_lens"][i]
        assert record["planned_ns"] is None and record["connected_ns"] is None


def test_arguments_are_those_of_the_file(play, tmp_path):
    play.config["server"]["tokenizer"] = "org/tokens"
    play.config["benchmark"].update(
        backend="openai-chat", request_rate="inf", burstiness=2, max_concurrency=4,
        num_warmups=3, ignore_eos=True, disable_tqdm=False, self_timed=False, seed=5,
        temperature=0, extra_body={"top_k": 5, "stop": ["a b"]}, lora_modules=["one", "two"],
        goodput={"ttft": 200, "e2el": 3000.5}, header={"X-Team": "blue team"},
        metric_percentiles="50,97.5", metadata={"a": "b"}, label="mine",
        request_id_prefix="-x-", tokenizer_mode="hf", random_range_ratio={"input": 0.5,
                                                                         "output": 0.25})
    assert play.run().returncode in (0, 1)
    argv = play.noted("argv.json")
    url = argv[argv.index("--base-url") + 1]
    folder = argv[argv.index("--result-dir") + 1]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
    assert folder.startswith(str(tmp_path / "r.client."))
    assert argv == [
        "bench", "serve", "--backend", "openai-chat", "--base-url", url,
        "--endpoint", "/v1/chat/completions", "--model", "sim/test",
        "--tokenizer", "org/tokens", "--seed", "5", "--num-prompts", "12",
        "--dataset-name", "random", "--random-input-len", "32", "--random-output-len", "8",
        "--random-range-ratio", '{"input": 0.5, "output": 0.25}', "--max-concurrency", "4",
        "--tokenizer-mode", "hf", "--request-rate", "inf", "--burstiness", "2.0",
        "--num-warmups", "3", "--ignore-eos", "--no-self-timed",
        "--goodput", "ttft:200", "e2el:3000.5", "--request-id-prefix=-x-",
        "--temperature", "0.0", "--lora-modules", "one", "two",
        "--extra-body", '{"top_k": 5, "stop": ["a b"]}',
        "--header", "X-Team=blue team",
        "--percentile-metrics",
        "ttft,tpot,itl,e2el,client_queue_time,e2el_including_client_queue",
        "--metric-percentiles", "1,5,10,25,50,75,90,95,99,99.9,97.5",
        "--save-result", "--save-detailed", "--result-dir", folder,
        "--result-filename", "client.json"]
    shown = play.result()["environment"]["client"]["argv"]
    assert shown[0] == str(play.program)
    assert shown[1:] == [word.replace("blue team", "***") for word in argv]


def test_name_that_requests_carry(play):
    play.config["server"]["served_model_name"] = ["short"]
    play.config["benchmark"]["max_concurrency"] = 2
    play.run()
    argv = play.noted("argv.json")
    assert argv[argv.index("--model") + 1] == "sim/test"
    assert argv[argv.index("--served-model-name") + 1] == "short"


@pytest.mark.parametrize("given", ["server", "header", "environment"])
def test_secrets_go_by_the_environment(play, given):
    secret = "sk-very-secret-0815"
    if given == "environment":
        play.env["OPENAI_API_KEY"] = secret
    elif given == "server":
        play.config["server"]["api_key"] = [secret]
    else:
        play.config["benchmark"]["header"] = [f"Authorization=Bearer {secret}"]
    done = play.run()
    assert done.returncode == 0, done.stderr
    assert play.noted("env.json")["OPENAI_API_KEY"] == secret
    assert secret not in json.dumps(play.noted("argv.json"))
    for path in (play.output, play.folder / "r.client.log", play.folder / "r.server.log"):
        assert secret not in path.read_text()
    assert secret not in done.stdout + done.stderr


@pytest.mark.parametrize("option,said", [
    ({"threads": 2}, "benchmark.threads"),
    ({"realtime": True}, "benchmark.realtime"),
    ({"immediate_acks": True}, "benchmark.immediate_acks"),
    ({"continuous_usage": True}, "benchmark.continuous_usage"),
    ({"prompt_token_ids": True}, "benchmark.prompt_token_ids"),
    ({"vocab_size": 100}, "benchmark.vocab_size"),
    ({"stall_timeout": "5s"}, "benchmark.stall_timeout"),
    ({"request_timeout": "5s"}, "benchmark.request_timeout"),
    ({"repeats": 2}, "benchmark.repeats"),
    ({"header": ["X-Api-Key=abcdef"]}, "benchmark.header"),
    ({"header": ["Authorization=Basic abcdef"]}, "benchmark.header"),
    ({"extra_body": {"api_key": "abcdef"}}, "benchmark.extra_body"),
    ({"lora_modules": ["-x"]}, "benchmark.lora_modules"),
    ({"kind": "latency"}, "benchmark.kind"),
])
def test_unsupported_options_of_the_client_are_refused(play, option, said):
    play.config["benchmark"].update(option)
    done = play.run()
    assert done.returncode == 2 and said in done.stderr
    assert "abcdef" not in done.stderr
    assert not play.output.exists() and not (play.notes / "argv.json").exists()


def test_options_only_the_client_has(play):
    """They are refused with the native client."""
    play.config["benchmark"].update(enable_multimodal_chat=True, plot_dataset_stats=True)
    assert play.run().returncode == 0
    assert {"--enable-multimodal-chat", "--plot-dataset-stats"} <= set(play.noted("argv.json"))
    play.config["benchmark"]["client"] = "native"
    done = play.run()
    assert done.returncode == 2 and "benchmark.enable_multimodal_chat: " in done.stderr


def test_socket_is_refused(play):
    play.config["server"]["uds"] = str(play.folder / "s")
    done = play.run()
    assert done.returncode == 2 and "server.uds" in done.stderr


def test_back_end_of_the_client_alone(play):
    play.config["benchmark"].update(backend="vllm-pooling", max_concurrency=2)
    play.run()
    argv = play.noted("argv.json")
    assert argv[argv.index("--endpoint") + 1] == "/pooling"


def test_program_is_looked_for(play, tmp_path):
    del play.env["PROFLLM_VLLM"]
    # nowhere
    play.env["PATH"] = str(tmp_path / "empty")
    done = play.run()
    assert done.returncode == 2 and "PROFLLM_VLLM" in done.stderr
    assert not play.output.exists()
    # in PATH
    play.env["PATH"] = f"{play.notes}:{os.environ['PATH']}"
    assert play.run().returncode == 0
    assert play.result()["environment"]["client"]["program"] == str(play.program)
    # a client next to the launch command comes first
    beside = make_client(tmp_path / "venv")
    (tmp_path / "venv" / "start").symlink_to(play.bin_dir / "profllm-sim")
    play.config["launch"]["command"] = [str(tmp_path / "venv" / "start"), "serve"]
    assert play.run().returncode == 0
    assert play.result()["environment"]["client"]["program"] == str(beside)


@pytest.mark.parametrize("known,wanted", [({}, "127.0.0.1"), ({"no_proxy": "*"}, "*"),
                                          ({"NO_PROXY": "a,b"}, "a,b,127.0.0.1"),
                                          ({"NO_PROXY": "a", "no_proxy": "c"}, "c,127.0.0.1"),
                                          ({"NO_PROXY": "a", "no_proxy": ""}, "127.0.0.1")])
def test_no_proxy_is_between(play, monkeypatch, known, wanted):
    """Python's clients would use a proxy for loopback, too."""
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    play.env.update(known)
    assert play.run().returncode == 0
    env = play.noted("env.json")
    assert env["no_proxy"] == env["NO_PROXY"] == wanted


def test_server_that_runs_already(play, bin_dir, free_server):
    play.config["launch"] = {"url": f"{free_server}/v1"}
    del play.config["server"]["model"]
    del play.config["server"]["max_model_len"]
    assert play.run().returncode == 0
    argv = play.noted("argv.json")
    assert argv[argv.index("--base-url") + 1] == free_server
    assert argv[argv.index("--endpoint") + 1] == "/v1/completions"
    assert play.result()["results"]["completed"] == 12
    play.assert_tidy()


@pytest.fixture
def free_server(bin_dir):
    process = subprocess.Popen([str(bin_dir / "profllm-sim"), "serve", "sim/test", "--port", "0",
                                "--sim-step", "1ms"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, env=environment())
    for line in process.stdout:
        found = re.search(r"http://[\d.]+:\d+", line)
        if found:
            break
    yield found.group()
    process.kill()
    process.communicate()


def test_failed_requests_are_counted(play, source_dir):
    play.config["benchmark"]["max_error_share"] = 0.5
    done = play.run("refused")
    assert done.returncode == 0
    schema = json.loads((source_dir / "api/requests.schema.json").read_text())
    for record in read_zst_lines(play.folder / "r.requests.jsonl.zst"):
        jsonschema.validate(record, schema)
    figures = play.result()["results"]
    assert figures["completed"] == 6 and figures["failed"] == 6
    error, = figures["errors"]
    assert error["kind"] == "http_status" and error["status"] == 404 and error["count"] == 6
    play.config["benchmark"]["max_error_share"] = 0.1
    assert play.run("refused").returncode == 1
    assert play.result()["status"] == "partial"


def test_summary_that_its_lists_contradict(play):
    assert play.run("wrong").returncode == 0
    client = play.result()["environment"]["client"]
    assert client["summary_difference_metric"] == "mean_ttft_ms"
    assert client["summary_difference"] == pytest.approx(0.01, rel=0.02)


def test_result_without_starts_is_its_summary(play, result_schema):
    """The result has the form of releases before 0.16."""
    assert play.run("old").returncode == 0
    result, flat = play.result(), play.noted("flat.json")
    result_schema.validate(result)
    figures = result["results"]
    assert figures["completed"] == 12 and figures["failed"] == 0
    for key, value in flat.items():
        if key.endswith("_ms"):
            assert figures[key] == value
    assert figures["mean_token_gap_ms"] is None and figures["peak_in_flight"] is None
    assert figures["mean_ttft_ms_ci95"] is None and figures["steady"] is None
    assert figures["mean_ttft_ms_client_error"] is None
    assert result["environment"]["client"]["per_request"] is False
    # a busy host can speak against it, nothing can speak for it
    against = [check for check in result["quality"]["checks"]
               if check["status"] == "over_limit" and check["effect"] != "info"]
    assert (result["quality"]["verdict"] is None) == (not against)
    assert result["quality"]["verdict"] != "trusted"
    assert "requests" not in {artifact["kind"] for artifact in result["artifacts"]}


def test_bare_infinity_is_taken(play):
    assert play.run("burst").returncode == 0
    assert play.result()["results"]["completed"] == 12


def test_flat_result_is_written_where_it_was_asked_for(play):
    """profllm writes it from the data that it read: the child's own file is removed with its directory."""
    play.config["benchmark"].update(save_result=True, save_detailed=True, label="mine",
                                    result_dir=str(play.folder / "flat"),
                                    result_filename="x.json", metadata={"a": "b"})
    assert play.run().returncode == 0
    mine, theirs = load_result(play.folder / "flat/x.json"), play.noted("flat.json")
    assert mine["label"] == "mine" and mine["a"] == "b"
    for key in ("generated_texts", "errors", "output_lens", "input_lens"):
        assert mine[key] == theirs[key]
    for key in ("ttfts", "latencies", "start_times"):
        assert mine[key] == pytest.approx(theirs[key], abs=2e-9)


def test_pictures_are_kept(play):
    play.config["benchmark"]["plot_timeline"] = True
    assert play.run("plots").returncode == 0
    kinds = {artifact["kind"]: artifact["name"] for artifact in play.result()["artifacts"]}
    assert kinds["client_plot"] == "r.client.timeline.html"
    assert (play.folder / "r.client.timeline.html").read_text() == "<html></html>"
    play.assert_tidy()


def test_checks_that_need_our_time_stamps_are_unknown(play):
    assert play.run().returncode == 0
    for name in ("client_error", "rate_shortfall", "gap_distance", "send_lateness", "in_flight_distance", "idle_slots",
                 "client_queueing", "schedule_lateness", "clock_step", "littles_law", "concurrency_limited", "token_agreement"):
        assert play.check(name)["status"] == "unknown"
    for name in ("record_identity", "token_source", "foreign_load", "failures"):
        assert play.check(name)["status"] == "passed"
    assert play.check("merged_events")["status"] != "unknown"


def test_no_trust_in_an_unobserved_client(play):
    """Its metrics may be right, but their error and the actual load are unknown."""
    done = play.run()
    assert done.returncode == 0
    quality = play.result()["quality"]
    against = [check for check in quality["checks"] if check["status"] == "over_limit" and check["effect"] != "info"]
    assert (quality["verdict"] is None) == (not against) and quality["verdict"] != "trusted"
    assert quality["measurement"] is None and set(quality["load"].values()) == {None}
    belief, why, *_ = sentences_of(done.stdout)
    assert belief != "You can rely on these metrics." and "does not record how far the client changed the metrics" in why


@pytest.mark.parametrize("mode,cause,said", [
    ("crash", "crashed", "exit status 7: ValueError: the tokenizer is not there"),
    ("killed", "crashed", "signal 9"),
    ("nothing", "internal", "wrote no result"),
    ("garbage", "internal", "could not read the result"),
    ("cut", "internal", "could not read the result"),
    ("partial", "internal", "'errors' is missing"),
])
def test_client_that_fails(play, result_schema, mode, cause, said):
    done = play.run(mode)
    assert done.returncode == 1
    result = play.result()
    result_schema.validate(result)
    assert result["status"] == "failed" and result["results"] is None
    error = result["error"]
    assert error["stage"] == "measure" and error["cause"] == cause
    assert said in error["message"]
    log = (play.folder / "r.client.log").read_text().splitlines()
    assert error["log_tail"] == log[-len(error["log_tail"]):] and log
    assert result["quality"]["verdict"] is None
    assert {"client_log", "server_log"} <= {row["kind"] for row in result["artifacts"]}
    play.assert_tidy()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_client(play, number):
    process = play.start("hang")
    wait_for_path(play.notes / "begun")
    process.send_signal(number)
    status, _, err = play.finish(process)
    assert status == 128 + number, err
    assert play.result()["status"] == "interrupted"
    play.assert_tidy()


def test_second_signal_kills_a_deaf_client(play):
    play.config["launch"]["stop_timeout"] = "10m"
    process = play.start("stubborn")
    wait_for_path(play.notes / "deaf")
    client, _, _ = play.noted("ids.json")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    play.finish(process)
    assert not os.path.exists(f"/proc/{client}")
    play.assert_tidy()


def test_run_timeout_ends_the_client(play):
    play.config["launch"]["run_timeout"] = "1s"
    done = play.run("hang")
    assert done.returncode == 4
    error = play.result()["error"]
    assert error["cause"] == "run_timeout" and error["stage"] == "measure"
    play.assert_tidy()


def test_server_that_dies_ends_the_client(play):
    process = play.start("hang")
    wait_for_path(play.notes / "begun")
    os.kill(server_of(process.pid), signal.SIGKILL)
    status, _, _ = play.finish(process)
    assert status == 1
    result = play.result()
    assert result["status"] == "failed" and result["error"]["cause"] == "killed"
    assert result["launch"]["exit"]["signal"] == signal.SIGKILL
    play.assert_tidy()


@pytest.mark.parametrize("url", [False, True])
def test_remaining_processes_of_the_client_are_ended(play, free_server, url):
    if url:
        play.config["launch"] = {"url": free_server}
        play.config["server"] = {}
    assert play.run("child").returncode == 0
    play.assert_tidy()


def test_client_is_apart(play):
    """The client has a separate session, the run's mark, and none of the server's processes."""
    assert play.run().returncode == 0
    pid, session, group = play.noted("ids.json")
    assert pid == session == group
    result = play.result()
    assert play.noted("env.json")["PROFLLM_RUN"] == result["run_id"]
    assert result["system"]["server"]["processes_max"] == 1


def test_killed_with_profllm(play):
    """The guard ends the client, too."""
    process = play.start("hang")
    wait_for_path(play.notes / "begun")
    run_id = play.noted("env.json")["PROFLLM_RUN"]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not marked_processes(run_id), "the guard ends the client", 30)
    done = run_profllm(play.bin_dir, "recover", play.output, patience=play.patience)
    assert done.returncode == 0, done.stderr
    assert play.result()["status"] == "interrupted" and play.result()["results"] is None
