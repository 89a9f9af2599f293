"""Where the time went: the parts of TTFT and E2EL against the simulator's log, which has each of them."""
import json
import threading

import pytest
from run_tools import base_config, read_zst_lines, run_profllm, write_config
from sim_tools import Server, read_log
from wait_tools import wait_for

TOLERANCE_MS = 1
REQUESTS = 60


def experiment(launch, **benchmark):
    config = base_config(num_prompts=REQUESTS, max_concurrency=4, random_output_len=6, **benchmark)
    config["launch"] = launch
    config["telemetry"] = {"server_metrics": "50ms"}
    return config


def started(log, *options):
    return {"command": ["profllm-sim", "serve"], "extra_args": ["--sim-step", "3ms", "--sim-log", str(log), *options]}


def run(bin_dir, folder, config, name="r"):
    output = folder / f"{name}.json"
    done = run_profllm(bin_dir, "run", "--config", write_config(folder, config, f"{name}.yaml"), "--output", output)
    assert done.returncode == 0, done.stderr
    return json.loads(output.read_text())


def truth_of(log, result):
    """Returns the mean of each part of the front end and the engine, in milliseconds, of the measured requests."""
    prefix = result["config"]["benchmark"]["request_id_prefix"]
    rows = [row for row in read_log(log) if (row["request_id"] or "").startswith(prefix)]
    requests, first, ends = {}, {}, []
    for row in rows:
        if row["event"] == "request":
            requests[row["request_id"]] = row
        elif row["event"] == "token":
            first.setdefault(row["request_id"], row)
        else:
            ends.append(row)
    assert len(ends) == REQUESTS

    def mean(part):
        return sum(part(end, requests[end["request_id"]], first[end["request_id"]]) for end in ends) / len(ends) / 1e6

    # the log knows the moment of a send() only within the time that it took
    return {
        "sending": mean(lambda end, request, token: token["took_ns"]),
        "lateness": mean(lambda end, request, token: token["t_ns"] - end["first_token_ns"]),
        "front_end": mean(lambda end, request, token: end["queued_ns"] - request["t_ns"] + token["t_ns"] - end["first_token_ns"]),
        "queue": mean(lambda end, *_: end["scheduled_ns"] - end["queued_ns"]),
        "prefill": mean(lambda end, *_: end["first_token_ns"] - end["scheduled_ns"]),
        "decode": mean(lambda end, *_: end["last_token_ns"] - end["first_token_ns"])}


def assert_sums(parts, names):
    lows = sum(parts[f"{name}_low_ms"] for name in names)
    assert parts["total_ms"] == pytest.approx(lows + parts["unattributed_ms"], abs=0.001)


def assert_split(result, truth, exact):
    """The engine's parts are exact; the front end is right within the tolerance, or its limits hold the truth."""
    breakdown = result["results"]["latency_breakdown"]
    assert (breakdown["state"], breakdown["reason"], breakdown["requests"]) == ("exact", None, REQUESTS)
    assert breakdown["ttft"]["total_ms"] == result["results"]["mean_ttft_ms"]
    assert breakdown["e2el"]["total_ms"] == result["results"]["mean_e2el_ms"]
    for latency in ("ttft", "e2el"):
        parts = breakdown[latency]
        names = ["queue", "prefill"] + ["decode"] * (latency == "e2el")
        for name in names:
            assert parts[f"{name}_low_ms"] == parts[f"{name}_high_ms"] == pytest.approx(truth[name], abs=1e-3)
        assert_sums(parts, ["client", "network", "front_end", *names])
    ttft = breakdown["ttft"]
    tolerance_ms = TOLERANCE_MS + truth["sending"]
    assert ttft["front_end_low_ms"] - tolerance_ms <= truth["front_end"] <= ttft["front_end_high_ms"] + TOLERANCE_MS
    if exact:
        # as wide as the client's own error; the server's histograms end before it sends
        low, high = result["results"]["mean_ttft_ms_client_error"]
        width_ms = high - low + truth["lateness"] + tolerance_ms
        assert ttft["front_end_high_ms"] - ttft["front_end_low_ms"] <= width_ms
        assert ttft["network_high_ms"] <= width_ms
    assert ttft["network_low_ms"] <= breakdown["round_trip_ms"] * 2 < TOLERANCE_MS
    for name, part in (("queue", "queue"), ("prefill", "prefill"), ("decode", "decode")):
        server = breakdown["server"][name]
        assert server["count"] == REQUESTS and server["mean_ms"] == pytest.approx(truth[part], abs=1e-3)
        assert server["median_low_ms"] <= server["median_high_ms"] <= server["p99_high_ms"]


@pytest.mark.parametrize("late", [False, True], ids=["arrival-first", "late-arrival"])
@pytest.mark.parametrize("delay_ms", [0, 5, 50])
def test_a_server_of_the_run_has_no_network(bin_dir, tmp_path, delay_ms, late):
    log = tmp_path / "sim.log"
    options = ["--sim-frontend-delay", f"{delay_ms}ms"] + ["--sim-late-arrival"] * late
    result = run(bin_dir, tmp_path, experiment(started(log, *options)))
    truth = truth_of(log, result)
    assert truth["front_end"] >= delay_ms
    assert result["results"]["latency_breakdown"]["same_host"] is True
    assert_split(result, truth, exact=True)


@pytest.mark.parametrize("late", [False, True], ids=["arrival-first", "late-arrival"])
@pytest.mark.parametrize("delay_ms", [0, 5, 50])
def test_of_a_server_that_was_running_the_network_has_limits(bin_dir, tmp_path, delay_ms, late):
    log = tmp_path / "sim.log"
    options = ["--sim-frontend-delay", f"{delay_ms}ms"] + ["--sim-late-arrival"] * late
    with Server(bin_dir, "--sim-step", "3ms", "--sim-log", log, *options, model="sim/test") as server:
        result = run(bin_dir, tmp_path, experiment({"url": f"http://127.0.0.1:{server.port}"}))
    truth = truth_of(log, result)
    breakdown = result["results"]["latency_breakdown"]
    assert breakdown["same_host"] is False
    # time before the arrival that the server counts from may be the network's
    assert_split(result, truth, exact=not late)
    if late:
        assert breakdown["ttft"]["network_high_ms"] >= delay_ms
        assert breakdown["ttft"]["front_end_low_ms"] < TOLERANCE_MS
        assert breakdown["ttft"]["unattributed_ms"] >= delay_ms - TOLERANCE_MS


def test_a_saturated_queue(bin_dir, tmp_path):
    log = tmp_path / "sim.log"
    config = experiment(started(log, "--sim-frontend-delay", "5ms"))
    config["server"]["max_num_seqs"] = 2
    config["benchmark"]["max_concurrency"] = 16
    result = run(bin_dir, tmp_path, config)
    truth = truth_of(log, result)
    assert truth["queue"] > 50
    assert_split(result, truth, exact=True)


def test_times_of_each_request_need_no_counts(bin_dir, tmp_path):
    log = tmp_path / "sim.log"
    config = experiment(started(log, "--sim-frontend-delay", "5ms", "--sim-metrics-fault", "gone"))
    config["server"]["enable_per_request_metrics"] = True
    result = run(bin_dir, tmp_path, config)
    truth = truth_of(log, result)
    breakdown = result["results"]["latency_breakdown"]
    assert (breakdown["state"], breakdown["reason"], breakdown["source"]) == ("bounded", "no_page", "requests")
    ttft = breakdown["ttft"]
    for name in ("queue", "prefill"):
        assert ttft[f"{name}_low_ms"] == ttft[f"{name}_high_ms"] == pytest.approx(truth[name], abs=1e-3)
    tolerance_ms = TOLERANCE_MS + truth["sending"]
    assert ttft["front_end_low_ms"] - tolerance_ms <= truth["front_end"] <= ttft["front_end_high_ms"] + TOLERANCE_MS
    e2el = breakdown["e2el"]
    assert e2el["decode_low_ms"] == e2el["decode_high_ms"] == pytest.approx(truth["decode"], abs=1e-3)
    assert e2el["total_ms"] == result["results"]["mean_e2el_ms"]
    lines = [line for line in read_zst_lines(tmp_path / "r.requests.jsonl.zst") if "index" in line]
    assert sum(line["server_decode_s"] for line in lines) / len(lines) * 1e3 == pytest.approx(truth["decode"], abs=1e-3)
    assert all(value is None for value in breakdown["server"]["queue"].values())


def running_of(page):
    return sum(float(line.split()[-1]) for line in page.decode().splitlines() if line.startswith("vllm:num_requests_running"))


def test_requests_of_other_clients_give_limits(bin_dir, tmp_path):
    log = tmp_path / "sim.log"
    body = {"model": "sim/test", "prompt": [5] * 300, "max_tokens": 120, "ignore_eos": True}
    with Server(bin_dir, "--sim-step", "3ms", "--sim-log", log, "--max-num-seqs", "4", model="sim/test") as server:
        over = threading.Event()

        def disturb():
            while not over.is_set():
                server.post("/v1/completions", body)

        # three, so that at no moment all are between two requests
        others = [threading.Thread(target=disturb) for _ in range(3)]
        config = experiment({"url": f"http://127.0.0.1:{server.port}"})
        for other in others:
            other.start()
        wait_for(lambda: running_of(server.get("/metrics")) >= 2, "the others are served")
        try:
            result = run(bin_dir, tmp_path, config)
        finally:
            over.set()
            for other in others:
                other.join()
    truth = truth_of(log, result)
    breakdown = result["results"]["latency_breakdown"]
    # the server was busy at both ends, so its counts do not show which requests they are of
    assert breakdown["busy_before"] is True
    assert (breakdown["state"], breakdown["reason"]) in (("none", "not_settled"), ("bounded", "counted_more"))
    if breakdown["state"] == "none":
        assert all(value is None for value in breakdown["ttft"].values())
        assert breakdown["server"]["queue"]["count"] > 0
    else:
        for name in ("queue", "prefill"):
            assert breakdown["ttft"][f"{name}_low_ms"] <= truth[name] <= breakdown["ttft"][f"{name}_high_ms"]


def test_probes_count_as_other_requests(bin_dir, tmp_path):
    log = tmp_path / "sim.log"
    result = run(bin_dir, tmp_path, experiment(started(log, "--sim-frontend-delay", "5ms"), probe_request_rate=20))
    truth = truth_of(log, result)
    breakdown = result["results"]["latency_breakdown"]
    assert (breakdown["state"], breakdown["reason"]) == ("bounded", "counted_more")
    assert breakdown["server"]["queue"]["count"] > breakdown["requests"] == REQUESTS
    for name in ("queue", "prefill"):
        assert breakdown["ttft"][f"{name}_low_ms"] <= truth[name] + 1e-6 <= breakdown["ttft"][f"{name}_high_ms"] + 2e-6, name
    tolerance_ms = TOLERANCE_MS + truth["sending"]
    ttft = breakdown["ttft"]
    assert ttft["front_end_low_ms"] - tolerance_ms <= truth["front_end"] <= ttft["front_end_high_ms"] + TOLERANCE_MS
    assert breakdown["e2el"]["decode_low_ms"] - 1e-6 <= truth["decode"] <= breakdown["e2el"]["decode_high_ms"] + 1e-6


@pytest.mark.parametrize(("fault", "reason"), [("gone", "no_page"), ("garbage", "no_page"), ("reset_counters", "restarted")])
def test_nothing_is_invented_without_counters(bin_dir, tmp_path, fault, reason):
    result = run(bin_dir, tmp_path, experiment(started(tmp_path / "sim.log", "--sim-metrics-fault", fault)))
    breakdown = result["results"]["latency_breakdown"]
    assert (breakdown["state"], breakdown["reason"], breakdown["source"]) == ("none", reason, None)
    for part in (breakdown["ttft"], breakdown["e2el"], *breakdown["server"].values()):
        assert all(value is None for value in part.values()), part


def test_choices_are_not_requests(bin_dir, tmp_path):
    result = run(bin_dir, tmp_path, experiment(started(tmp_path / "sim.log"), extra_body={"n": 2}))
    breakdown = result["results"]["latency_breakdown"]
    assert (breakdown["state"], breakdown["reason"]) == ("none", "choices")
    assert breakdown["server"]["queue"]["count"] == 2 * REQUESTS
