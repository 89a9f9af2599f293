"""--retries: each try is a record, the request's clock starts at the first, and all sums agree."""
import itertools
import json
import random
import subprocess

import jsonschema
import pytest
from flaky_server import FlakyServer
from run_tools import (base_config, environment, load_result, read_zst_lines, run_profllm,
                       start_profllm, write_config)
from sim_tools import Server, read_log
from journal_tools import wait_until_written
from wait_tools import wait_for

SEED = 20261122
LATER = (408, 425, 429, 502, 503, 504)


@pytest.fixture(scope="module")
def validators(source_dir):
    def read(name):
        return jsonschema.Draft202012Validator(
            json.loads((source_dir / "api" / f"{name}.schema.json").read_text()))

    return read("result"), read("requests")


def serve(bin_dir, folder, port, *words, count=12, ok=(0,)):
    """Plays one `bench serve` at the port; returns its result and its records."""
    done = subprocess.run(
        [bin_dir / "profllm", "bench", "serve", "--port", str(port), "--model", "m", "--random-input", "32",
         "--random-output", "6", "--vocab-size", "1000", "--num-prompts", str(count), "--output", "r.json",
         "--max-error-share", "1", *map(str, words)],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=environment())
    assert done.returncode in ok, done.stderr + done.stdout
    return done, load_result(folder / "r.json"), read_zst_lines(folder / "r.requests.jsonl.zst")


def requests_of(lines):
    """Returns the lines of each request in order; checks the rules for all outcomes."""
    requests = [list(group) for _, group in itertools.groupby(lines, lambda line: line["index"])]
    assert [group[0]["index"] for group in requests] == list(range(len(requests)))
    for group in requests:
        *failed, last = group
        assert last["retried"] is False and last["tries"] == last["try"]
        if last["acted_ns"] is None:
            assert not failed and last["try"] == 0
            continue
        assert [line["try"] for line in group] == list(range(1, len(group) + 1))
        assert last["acted_ns"] == group[0]["acted_ns"]
        for line, after in zip(failed, [*failed[1:], None]):
            assert line["retried"] and line["tries"] is None and line["events"] == []
            assert line["error"] is not None and line["end_ns"] >= line["acted_ns"]
            assert (line["request_id"], line["planned_ns"]) == (last["request_id"], last["planned_ns"])
            assert after is None or after["acted_ns"] >= line["end_ns"]
        assert not failed or last["sent_ns"] is None or last["sent_ns"] >= failed[-1]["end_ns"]
    return requests


def check_sums(result, requests, validators):
    validators[0].validate(result)
    results = result["results"]
    lines = [line for group in requests for line in group]
    for line in lines:
        validators[1].validate(line)
    retries = [line for line in lines if line["retried"]]
    assert results["retries"] == len(retries)
    assert results["retried_requests"] == sum(len(group) > 1 for group in requests)
    assert results["completed"] == sum(group[-1]["error"] is None for group in requests)
    assert results["failed"] == sum(group[-1]["error"] is not None and group[-1]["try"] > 0
                                    for group in requests)
    assert sum(error["count"] for error in results["errors"]) == results["failed"]
    assert sum(error["retried"] for error in results["errors"]) == len(retries)
    checks = {check["id"]: check for check in result["quality"]["checks"]}
    assert checks["retries"]["value"] == len(retries)
    assert checks["retries"]["status"] == ("over_limit" if retries else "passed")
    for name in ("littles_law", "record_identity"):
        assert checks[name]["status"] != "over_limit", checks[name]
    return results


def test_each_try_is_a_record_and_the_clock_starts_at_the_first(bin_dir, tmp_path, validators):
    log = tmp_path / "sim.log"
    with Server(bin_dir, "--sim-step", "2ms", "--sim-error-rate", "0.5", "--sim-error-status", "503",
                "--sim-log", log, model="m") as server:
        done, result, lines = serve(bin_dir, tmp_path, server.port, "--retries", 20, "--retry-delay", "10ms",
                                    "--save-result", "--save-detailed", "--result-filename", "flat.json")
    requests = requests_of(lines)
    results = check_sums(result, requests, validators)
    assert results["completed"] == 12 and results["retries"] > 0
    received = [row for row in read_log(log) if row["event"] == "request" and row["request_id"]]
    assert len(received) == len(lines) == 12 + results["retries"]
    flat = json.loads((tmp_path / "flat.json").read_text())
    for group, ttft in zip(requests, flat["ttfts"]):
        last = group[-1]
        assert ttft == pytest.approx((last["events"][0][0] - group[0]["acted_ns"]) / 1e9)
        # 10 ms, 20 ms, …: the pauses are part of what the user waited
        assert ttft >= sum(0.010 * (i + 1) for i in range(len(group) - 1))
    assert flat["completed"] == 12 and "retries" not in flat
    assert result["config"]["benchmark"]["retries"] == 20
    assert result["config"]["benchmark"]["retry_delay"] == "10ms"
    assert f"(retries: found {results['retries']}, expected 0)" in " ".join(done.stdout.split())


def test_unasked_nothing_is_sent_again(bin_dir, tmp_path, validators):
    with FlakyServer(lambda request_id, number: (503, []) if number == 1 else None) as server:
        _, result, lines = serve(bin_dir, tmp_path, server.port, ok=(1,))
    requests = requests_of(lines)
    assert all(len(group) == 1 for group in requests) and sum(server.tries.values()) == 12
    assert result["results"] is None or check_sums(result, requests, validators)["completed"] == 0


@pytest.mark.parametrize("fault", ["reset", "close", *LATER])
def test_transient_failures_are_retried(bin_dir, tmp_path, validators, fault):
    made = fault if isinstance(fault, str) else (fault, [])
    # fresh connections only: a kept one that ends is replaced without being a try
    with FlakyServer(lambda request_id, number: made if number < 3 else None, keeps=False) as server:
        _, result, lines = serve(bin_dir, tmp_path, server.port, "--retries", 2, "--retry-delay", "1ms",
                                 count=3)
    requests = requests_of(lines)
    results = check_sums(result, requests, validators)
    assert results["completed"] == 3 and results["retries"] == 6
    assert [error["retried"] for error in results["errors"]] == [6]
    kind = "reset" if isinstance(fault, str) else "http_status"
    assert {line["error"]["kind"] for line in lines if line["retried"]} == {kind}
    if not isinstance(fault, str):
        assert sum(server.tries.values()) == len(lines)


@pytest.mark.parametrize("sim", [["--sim-error-rate", "1", "--sim-error-status", "500"],
                                 ["--sim-error-rate", "1", "--sim-error-status", "400"],
                                 ["--sim-reset-rate", "1"], ["--sim-truncate-rate", "1"],
                                 ["--sim-stream-error-rate", "1"], ["--sim-bad-json-rate", "1"]])
def test_permanent_failures_and_started_responses_are_not(bin_dir, tmp_path, sim):
    log = tmp_path / "sim.log"
    with Server(bin_dir, "--sim-step", "2ms", "--sim-log", log, *sim, model="m") as server:
        _, _, lines = serve(bin_dir, tmp_path, server.port, "--retries", 5, "--retry-delay", "1ms", ok=(0, 1))
    assert [line["tries"] for line in lines] == [1] * 12
    assert len([row for row in read_log(log) if row["event"] == "request" and row["request_id"]]) == 12


def test_a_server_that_refuses_and_then_accepts(bin_dir, tmp_path, validators):
    def faults(_, number):
        if number == 1 and not gone:
            gone.append(True)
            server.vanish(1.5)
        return "reset" if number == 1 else None

    gone = []
    with FlakyServer(faults) as server:
        _, result, lines = serve(bin_dir, tmp_path, server.port, "--retries", 100, "--retry-delay", "20ms",
                                 "--max-concurrency", 2, count=4)
    results = check_sums(result, requests_of(lines), validators)
    assert results["completed"] == 4 and results["retries"] >= 5
    kinds = [line["error"]["kind"] for line in lines if line["retried"]]
    # a connection that waited to be accepted when the listener closed is reset: within connect(), while sending or
    # after it
    assert "connect" in kinds and set(kinds) <= {"connect", "send", "reset"}
    assert any("refused" in line["error"]["message"] for line in lines
               if line["retried"] and line["error"]["kind"] == "connect")


def test_retry_after_sets_the_pause(bin_dir, tmp_path):
    with Server(bin_dir, "--sim-step", "2ms", "--sim-error-rate", "0.5", "--sim-error-status", "429",
                "--sim-retry-after", "0", model="m") as server:
        _, result, _ = serve(bin_dir, tmp_path, server.port, "--retries", 50, "--retry-delay", "1h")
    assert result["results"]["completed"] == 12 and result["results"]["retries"] > 0


def test_the_cap_holds_while_requests_wait(bin_dir, tmp_path, validators):
    with FlakyServer(lambda request_id, number: (503, [("Retry-After", 0)]) if number < 3 else None) as server:
        _, result, lines = serve(bin_dir, tmp_path, server.port, "--retries", 2, "--max-concurrency", 3, count=30)
    requests = requests_of(lines)
    assert check_sums(result, requests, validators)["completed"] == 30
    assert server.open_peak <= 3 and result["results"]["peak_in_flight"] == 3
    marks = sorted([(group[-1]["acted_ns"], 1) for group in requests] +
                   [(group[-1]["end_ns"], -1) for group in requests])
    assert max(itertools.accumulate(change for _, change in marks)) == 3


def test_waiting_requests_agree_with_the_server(bin_dir, tmp_path, patience):
    """Half of the requests in flight wait for their next try, which the server's metrics do not show."""
    config = base_config(num_prompts=120, max_concurrency=32, random_output_len=20, retries=60, retry_delay="50ms")
    config["launch"]["extra_args"] = ["--sim-step", "20ms", "--sim-error-rate", "0.6", "--sim-error-status", "503"]
    config["telemetry"] = {"server_metrics": "100ms"}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json",
                       patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    check, = [check for check in result["quality"]["checks"] if check["id"] == "inflight_agreement"]
    assert check["status"] == "passed" and result["results"]["retries"] > 60
    assert "Failed attempts that were retried, by kind:" in done.stdout


def test_exhausted_tries_end_with_the_last_failure(bin_dir, tmp_path, validators):
    with FlakyServer(lambda request_id, number: (502, []) if number < 3 else (504, [])) as server:
        done, result, lines = serve(bin_dir, tmp_path, server.port, "--retries", 2, "--retry-delay", "1ms", ok=(1,))
    requests = requests_of(lines)
    results = check_sums(result, requests, validators)
    assert results["failed"] == 12 and results["retries"] == 24
    assert {(error["status"], error["count"], error["retried"]) for error in results["errors"]} == \
        {(504, 12, 0), (502, 0, 24)}
    assert "come again" in done.stdout + done.stderr


def test_a_signal_while_requests_wait(bin_dir, tmp_path, validators):
    config = base_config(num_prompts=6, retries=5, retry_delay="1h", model="m", vocab_size=1000)
    config["server"], config["launch"] = {}, {}
    refused = []
    with FlakyServer(lambda request_id, number: refused.append(request_id) or (503, [])) as server:
        config["launch"]["url"] = f"http://127.0.0.1:{server.port}"
        process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
        wait_for(lambda: len(refused) == 6 and server.open == 0, "six are told to come again", process=process)
        process.terminate()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + 15, out + err
    result = load_result(tmp_path / "r.json")
    requests = requests_of(read_zst_lines(tmp_path / "r.requests.jsonl.zst"))
    results = check_sums(result, requests, validators)
    assert result["status"] == "interrupted" and results["failed"] == 6 and results["retries"] == 0
    assert {group[-1]["error"]["kind"] for group in requests} <= {"abandoned", "http_status"}
    # those whose answer was read before the signal were waiting for their second try
    assert any("attempt 1 failed: come again" in group[-1]["error"]["message"] for group in requests)


def test_a_killed_run_is_recovered_with_its_tries(bin_dir, tmp_path, validators, patience):
    config = base_config(num_prompts=4000, max_concurrency=4, retries=20, retry_delay="5ms")
    log = tmp_path / "sim.jsonl"
    config["launch"]["extra_args"] += ["--sim-log", str(log), "--sim-error-rate", "0.4",
                                       "--sim-error-status", "503"]
    output = tmp_path / "r.json"
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output, "-q")
    wait_until_written(tmp_path, 60, process)
    process.kill()
    process.communicate(timeout=60)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    requests = requests_of(read_zst_lines(output.with_suffix(".requests.jsonl.zst")))
    results = check_sums(load_result(output), requests, validators)
    assert results["completed"] >= 60 and results["retries"] > 0


def test_seeded_faults(bin_dir, tmp_path, validators):
    """Statuses, resets and closes in random order with any concurrency limit, number of threads and tries."""
    rng = random.Random(SEED)
    for play in range(12):
        folder = tmp_path / str(play)
        folder.mkdir()
        count, retries = rng.randint(1, 40), rng.randint(0, 4)
        plans = {}

        def faults(request_id, number, plans=plans, of_play=random.Random(play)):
            plan = plans.setdefault(request_id, [
                of_play.choice(LATER) for _ in range(of_play.choice([0, 0, 1, 2, 3]))])
            return (plan[number - 1], [("Retry-After", 0)]) if number <= len(plan) else None

        words = ["--retries", retries, "--retry-delay", f"{rng.randint(0, 3)}ms",
                 "--threads", rng.randint(1, 3)]
        words += rng.choice([[], ["--max-concurrency", rng.randint(1, 8)]])
        words += rng.choice([[], ["--request-rate", 400]])
        with FlakyServer(faults) as server:
            _, result, lines = serve(bin_dir, folder, server.port, *words, count=count, ok=(0, 1))
        requests = requests_of(lines)
        results = check_sums(result, requests, validators)
        assert results["completed"] == sum(len(plan) <= retries for plan in plans.values())
        assert results["completed"] + results["failed"] == count == len(plans)
        assert dict(server.tries) == {group[-1]["request_id"]: group[-1]["tries"] for group in requests}


def test_a_server_that_speaks_first(bin_dir, tmp_path, validators):
    """The server that then has the port is not an HTTP server: failures, and no harm."""
    class Greeting(FlakyServer):
        greets = False

        def serve(self, connection, peer):
            if self.greets:
                connection.sendall(b"220 mail.example ready\r\n" * 64)
                connection.close()
            else:
                super().serve(connection, peer)

        def enter(self, request_id, peer):
            self.greets = True
            return super().enter(request_id, peer)

    with Greeting() as server:
        _, result, lines = serve(bin_dir, tmp_path, server.port, "--num-warmups", 1, "--retries", 2,
                                 "--retry-delay", "0s", "--max-concurrency", 4, count=60, ok=(1,))
    requests = requests_of(lines)
    results = check_sums(result, requests, validators)
    assert results["completed"] <= 1 and results["failed"] >= 59
    assert {error["kind"] for error in results["errors"]} <= {"protocol", "reset", "connect", "send"}


def test_refused_values(bin_dir, tmp_path):
    for words, says in ((["--retries", "101"], "100"), (["--retries", "-1"], "0"),
                        (["--retry-delay", "2h"], "1h")):
        done = run_profllm(bin_dir, "bench", "serve", *words, cwd=tmp_path)
        assert done.returncode == 2 and says in done.stderr, done.stderr


def test_vllms_client_has_no_such_option(bin_dir, tmp_path):
    config = base_config(client="vllm", retries=1)
    done = run_profllm(bin_dir, "validate", write_config(tmp_path, config))
    also = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    assert also.returncode == 2 and "retries" in also.stderr, done.stderr + also.stderr
