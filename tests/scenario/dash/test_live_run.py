"""`profllm run --upload` while it runs: its snapshots, and what a missing, slow or refusing dashboard does to it."""
import http.server
import json
import re
import signal
import socket
import threading
import time

import pytest
from dashboard_tools import CONTRACT, Dashboard, faults_of
from front_tools import Front
from live_tools import Events
from run_tools import PATIENCE, base_config, load_result, run_profllm, start_profllm, write_config
from sweep_tools import runs, sweep_args, sweep_config
from wait_tools import wait_for

NOT_UPLOADED = 8


@pytest.fixture
def dashboard(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        yield one
        assert one.stop() == (0, "", "")


def config(tmp_path, seconds=3, **benchmark):
    """Returns a run at 40 requests per second."""
    return write_config(tmp_path, base_config(num_prompts=40 * seconds, request_rate=40, **benchmark))


def start(bin_dir, tmp_path, *words, **benchmark):
    return start_profllm(bin_dir, "run", "-c", config(tmp_path, **benchmark), "-o", tmp_path / "r.json", *words)


def only_run(dashboard):
    """Waits for a run that measures, and returns its row."""
    return wait_for(lambda: next((run for run in dashboard.get("/api/live").json["runs"] if run["requests"]["done"]), None), "a run reports")


class Taker(http.server.ThreadingHTTPServer):
    """Takes snapshots in place of a dashboard, and answers with a status after a delay."""

    def __init__(self, status=204, delay_s=0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.status, self.delay_s, self.snapshots, self.others = status, delay_s, [], 0
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/api/live/"):
            self.server.snapshots.append(json.loads(body))
            time.sleep(self.server.delay_s)
        else:
            self.server.others += 1
        self.send_response(self.server.status if self.path.startswith("/api/live/") else 400)
        self.send_header("Content-Length", "0")
        self.end_headers()


def test_a_run_is_shown_until_its_result_is_stored(bin_dir, dashboard, tmp_path):
    with start(bin_dir, tmp_path, "--upload", dashboard.url) as process:
        row = only_run(dashboard)
        with Events(dashboard, f"/api/live/{row['run_id']}") as events:
            during = events.until("snapshot", lambda one: one["requests"]["done"] > 20)
            number = events.until("ended", lambda one: one["experiment_id"])["experiment_id"]
            last = dashboard.get(f"/api/live/{row['run_id']}").json
        assert process.wait(60 * PATIENCE) == 0
    result = load_result(tmp_path / "r.json")
    assert dashboard.get(f"/api/data/experiments/{number}").json["run_id"] == row["run_id"] == result["run_id"]
    assert during["run"] | {"started_utc": 0} == {
        "run_id": result["run_id"], "name": "scenario", "model": "sim/test", "server": None, "vllm_version": result["environment"]["engine"]["version"],
        "load": "40 requests/s, open loop, Poisson", "started_utc": 0, "point": 1, "points": 1, "sweep": None,
        "command": f"profllm run --config {tmp_path}/experiment.yaml --output {tmp_path}/r.json"}
    assert during["phase"]["name"] == "measuring" and during["requests"]["total"] == 120 and 0 < during["requests"]["remaining_s"] <= 4
    assert during["rates"]["requested_per_s"] == 40 and during["server"]["running"] is not None and during["log"]
    assert during["verdict"]["state"] != "trusted" and during["verdict"]["unmeasured"] > 0
    # the end: the metrics and the verdict of the result
    results = result["results"]
    assert last["phase"]["name"] == "ended" and last["ended"] == {"exit_status": 0, "state": "completed", "sentence": None}
    assert (last["requests"]["done"], last["requests"]["failed"]) == (results["completed"], results["failed"]) == (120, 0)
    assert last["verdict"]["state"] == result["quality"]["verdict"] and last["ttft_ms"]["n"] == 120
    assert last["rates"]["inputs_per_s"] is None
    for name in ("ttft_ms", "tpot_ms", "e2el_ms"):
        assert last[name]["median"] == pytest.approx(results[f"median_{name}"], rel=0.001)
        assert last[name]["low"] <= last[name]["median"] <= last[name]["high"]
    assert last["client"]["late_median_ms"] is not None and last["errors"] == []


def test_a_pooling_run_shows_inputs_and_end_to_end_latency(bin_dir, dashboard, tmp_path):
    plan = base_config(num_prompts=480, request_rate=40, backend="openai-embeddings", random_batch_size=4)
    plan["server"]["runner"] = "pooling"
    with start_profllm(bin_dir, "run", "-c", write_config(tmp_path, plan), "-o", tmp_path / "r.json", "--upload", dashboard.url) as process:
        row = only_run(dashboard)
        with Events(dashboard, f"/api/live/{row['run_id']}") as events:
            events.until("ended", lambda one: one["experiment_id"])
            last = dashboard.get(f"/api/live/{row['run_id']}").json
        assert process.wait(60 * PATIENCE) == 0
    results = load_result(tmp_path / "r.json")["results"]
    assert last["e2el_ms"]["n"] == results["completed"] == 120
    assert last["e2el_ms"]["median"] == pytest.approx(results["median_e2el_ms"], rel=0.001)
    assert last["e2el_ms"]["low"] <= last["e2el_ms"]["median"] <= last["e2el_ms"]["high"]
    # the load's own end is a little after the last response
    assert last["rates"]["inputs_per_s"] == pytest.approx(4 * results["request_throughput"], rel=0.1)
    assert last["rates"]["output_tokens_per_s"] is None and last["ttft_ms"]["n"] == 0


def test_snapshots_fit_the_contract_and_come_each_second(bin_dir, tmp_path):
    with Taker() as taker, start(bin_dir, tmp_path, "--upload", taker.url) as process:
        assert process.wait(60 * PATIENCE) == NOT_UPLOADED
        snapshots = taker.snapshots
    for one in snapshots:
        faults = faults_of({"$ref": "#/components/schemas/LiveSnapshot"}, one)
        assert not faults, faults[:5]
        assert set(one) == set(CONTRACT["components"]["schemas"]["LiveSnapshot"]["properties"])
    sequences = [one["sequence"] for one in snapshots]
    assert sequences == sorted(set(sequences))
    phases = [one["phase"]["name"] for one in snapshots]
    order = ["starting", "warming_up", "measuring", "draining", "stopping", "ended"]
    assert phases == sorted(phases, key=order.index) and phases[-1] == "ended" and "measuring" in phases
    assert [step["name"] for step in snapshots[-1]["phase"]["done"]][-1] in ("measuring", "draining")
    elapsed = snapshots[-1]["elapsed_s"]
    assert elapsed - 2 <= len(snapshots) <= elapsed + 3


def test_failed_requests_are_listed_by_cause(bin_dir, tmp_path):
    """The simulator resets some connections."""
    experiment = base_config(num_prompts=60, request_rate=40)
    experiment["launch"]["extra_args"] += ["--sim-reset-rate", "0.3"]
    with Taker() as taker:
        run_profllm(bin_dir, "run", "-c", write_config(tmp_path, experiment), "-o", tmp_path / "r.json", "--upload", taker.url)
        last = taker.snapshots[-1]
    failed = load_result(tmp_path / "r.json")["results"]["failed"]
    assert failed > 0 and last["requests"]["failed"] == failed == sum(one["count"] for one in last["errors"])
    assert all(one["first_sample"].startswith("request ") and one["first_s"] >= 0 for one in last["errors"])
    assert any(reason["check"] == "failures" for reason in last["verdict"]["reasons"])


def test_a_drain_is_a_phase_of_its_own_and_a_paused_run_does_not_catch_up(bin_dir, tmp_path):
    """80 requests are sent within 2 s, and each takes at least 3 s."""
    with Taker() as taker, start(bin_dir, tmp_path, "--upload", taker.url, seconds=2, random_output_len=1500) as process:
        wait_for(lambda: taker.snapshots and taker.snapshots[-1]["phase"]["name"] == "measuring", "the run measures")
        process.send_signal(signal.SIGSTOP)
        before = taker.snapshots[-1]
        time.sleep(6)
        process.send_signal(signal.SIGCONT)
        assert process.wait(60 * PATIENCE) == NOT_UPLOADED
        last = taker.snapshots[-1]
    assert last["sequence"] - before["sequence"] <= last["elapsed_s"] - before["elapsed_s"] - 6 + 3
    first = next(one for one in taker.snapshots if one["phase"]["name"] == "draining")
    assert first["phase"]["elapsed_s"] < 1.2 * PATIENCE and first["phase"]["done"][-1]["name"] == "measuring"
    names = [step["name"] for step in last["phase"]["done"]]
    assert names[-2:] == ["measuring", "draining"] and names.count("measuring") == 1, names


def test_a_profile_is_a_phase_between_load_and_stop(bin_dir, tmp_path):
    experiment = base_config(num_prompts=10)
    experiment["launch"]["gpus"] = []
    experiment["profiling"] = {"enabled": True, "dir": str(tmp_path / "traces")}
    with Taker() as taker:
        run_profllm(bin_dir, "run", "-c", write_config(tmp_path, experiment), "-o", tmp_path / "r.json", "--upload", taker.url)
    assert len(load_result(tmp_path / "r.json")["profiling"]["trace_files"]) == 1
    names = [step["name"] for step in taker.snapshots[-1]["phase"]["done"]]
    assert names[-2:] in (["measuring", "profiling"], ["draining", "profiling"]), names
    during = [one["phase"] for one in taker.snapshots if one["phase"]["name"] == "profiling"]
    # the traces are complete once they have not changed for a second
    assert during and during[-1]["step"] == "waiting for the traces"


@pytest.mark.parametrize("words", [(), ("--jobs", "2")])
def test_each_run_of_a_sweep_is_a_live_run_of_its_own(bin_dir, dashboard, tmp_path, words):
    config = sweep_config({"server.max_num_seqs": [2, 3], "benchmark.num_prompts": [30, 31]}, request_rate=20)
    config["name"] = "rates"
    with Taker() as taker:
        done = run_profllm(bin_dir, *sweep_args(write_config(tmp_path, config), tmp_path / "s", "--repeats", "2", "--upload", taker.url, *words))
    # 8: the taker refuses the results
    assert done.returncode == 8 and done.stderr.count("no live view") == 0, done.stderr
    rows = {row["run_id"]: row for row in runs(tmp_path / "s")}
    ends = [one for one in taker.snapshots if one["ended"]]
    assert {one["run"]["run_id"] for one in taker.snapshots} == set(rows) and len(ends) == len(rows) == 8
    assert sorted(one["run"]["point"] for one in ends) == list(range(1, 9))
    for one in taker.snapshots:
        run, row = one["run"], rows[one["run"]["run_id"]]
        result = load_result(tmp_path / "s" / row["result"])
        assert run["points"] == 8
        assert run["sweep"] == {"id": result["tags"]["sweep"], "name": result["tags"]["sweep_name"], "combination": row["label"]}
        assert not faults_of({"$ref": "#/components/schemas/LiveSnapshot"}, one)
    for one in ends:
        result = load_result(tmp_path / "s" / rows[one["run"]["run_id"]]["result"])
        assert one["requests"]["done"] == one["requests"]["total"] == result["results"]["completed"]
        assert one["ended"] == {"exit_status": 0, "state": "completed", "sentence": None}
    # the progress of the sweep stays its own
    assert len([line for line in done.stderr.splitlines() if re.match(r"\[\d/8\] ", line)]) == 8
    sent = run_profllm(bin_dir, *sweep_args(tmp_path / "experiment.yaml", tmp_path / "s", "--resume", "--upload", dashboard.url, "--no-live"))
    assert sent.returncode == 0 and dashboard.get("/api/live").json == {"runs": []}


def test_a_sweep_at_a_dashboard_that_is_down_warns_once(bin_dir, tmp_path):
    config = sweep_config({"benchmark.num_prompts": [4, 5, 6]})
    done = run_profllm(bin_dir, *sweep_args(write_config(tmp_path, config), tmp_path / "s", "--upload", "http://127.0.0.1:1"))
    assert done.returncode == 8 and done.stderr.count("no live view") == 1, done.stderr
    done = run_profllm(bin_dir, *sweep_args(tmp_path / "experiment.yaml", tmp_path / "t", "--no-live"))
    assert done.returncode == 2 and "--no-live works only with --upload" in done.stderr


def test_no_live_sends_nothing_before_the_end(bin_dir, dashboard, tmp_path):
    done = run_profllm(bin_dir, "run", "-c", config(tmp_path, 1), "-o", tmp_path / "r.json", "--upload", dashboard.url, "--no-live")
    assert done.returncode == 0, done.stderr
    assert dashboard.get("/api/live").json == {"runs": []}
    assert dashboard.get(f"/api/data/experiments/{load_result(tmp_path / 'r.json')['run_id']}").status == 200
    done = run_profllm(bin_dir, "run", "-c", config(tmp_path, 1), "-o", tmp_path / "s.json", "--no-live")
    assert done.returncode == 2 and "--no-live works only with --upload" in done.stderr


@pytest.mark.parametrize("status, delay_s", [(401, 0), (404, 0), (503, 0), (204, 30)])
def test_a_dashboard_that_refuses_or_is_slow_costs_one_warning(bin_dir, tmp_path, status, delay_s):
    with Taker(status, delay_s) as taker, start(bin_dir, tmp_path, "--upload", taker.url) as process:
        begun = time.monotonic()
        _, err = process.communicate(timeout=60 * PATIENCE)
        assert time.monotonic() - begun < 15 * PATIENCE
        count = len(taker.snapshots)
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "completed" and result["results"]["completed"] == 120
    assert process.returncode == NOT_UPLOADED  # the upload is refused, too
    lines = [line for line in err.splitlines() if "live view" in line]
    # a slow one may have got its only snapshot in time
    assert len(lines) <= 1 and (delay_s or len(lines) == 1), err
    assert count == 1 if status in (401, 404) else count >= 1
    if status == 401:
        assert "HTTP 401" in lines[0] and "--token-file" in lines[0]


def test_a_proxy_that_answers_404_while_a_dashboard_restarts_does_not_end_the_view(bin_dir, tmp_path):
    with Taker() as taker, start(bin_dir, tmp_path, "--upload", taker.url, seconds=6) as process:
        for status in (404, 204):
            count = len(taker.snapshots)
            wait_for(lambda: len(taker.snapshots) > count + 1, "snapshots arrive")
            taker.status = status
        assert process.wait(60 * PATIENCE) == NOT_UPLOADED
        assert taker.snapshots[-1]["ended"]


def test_a_dashboard_that_is_down_does_not_harm_the_run(bin_dir, tmp_path):
    done = run_profllm(bin_dir, "run", "-c", config(tmp_path, 2), "-o", tmp_path / "r.json", "--upload", "http://127.0.0.1:1")
    assert done.returncode == NOT_UPLOADED
    assert load_result(tmp_path / "r.json")["status"] == "completed"
    assert len([line for line in done.stderr.splitlines() if "live view" in line]) == 1


def test_a_token_goes_with_each_snapshot(bin_dir, dashboard, tmp_path):
    (tmp_path / "token").write_text("tok-3f9a1c77e5d24b06\n")
    with Front(dashboard, token="tok-3f9a1c77e5d24b06") as front:
        done = run_profllm(bin_dir, "run", "-c", config(tmp_path, 1), "-o", tmp_path / "r.json", "--upload", front.url,
                           "--token-file", tmp_path / "token")
    assert done.returncode == 0 and "live view" not in done.stderr, done.stderr
    assert states_of(dashboard) == ["ended"]


@pytest.mark.parametrize("words", [(), ("--no-live",)])
def test_a_token_that_is_sent_unencrypted_is_one_warning(bin_dir, tmp_path, words):
    (tmp_path / "token").write_text("tok-3f9a1c77e5d24b06\n")
    with Taker() as taker:
        # any address that is not of the loopback network
        url = taker.url.replace("127.0.0.1", "0.0.0.0")
        done = run_profllm(bin_dir, "run", "-c", config(tmp_path, 1), "-o", tmp_path / "r.json", "--upload", url, "--token-file", tmp_path / "token",
                           *words)
    assert done.stderr.count("the token is sent unencrypted") == 1, done.stderr


def test_an_interrupt_before_the_upload_leaves_the_list(bin_dir, tmp_path):
    """The dashboard hangs: the end of the live view takes 2 s, in which nothing has been uploaded yet."""
    with Taker(delay_s=30) as taker, start(bin_dir, tmp_path, "--upload", taker.url, seconds=1) as process:
        wait_for(lambda: (tmp_path / "r.json").exists(), "the result is written")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(20 * PATIENCE) == -signal.SIGINT and taker.others == 0
    pending = json.loads((tmp_path / "r.json.upload").read_text())
    assert pending["to"] == taker.url and pending["run_id"] == load_result(tmp_path / "r.json")["run_id"]


def states_of(dashboard):
    return [run["state"] for run in dashboard.get("/api/live").json["runs"]]


def test_two_runs_one_of_them_killed_and_a_restarted_dashboard(bin_dir, tmp_path):
    """Each page is right within 5 s."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    with Dashboard(bin_dir, tmp_path / "d.db", "--port", port) as first:
        killed, survivor = (start(bin_dir, folder, "--upload", first.url, "--quiet", seconds=14) for folder in folders)
        with killed, survivor:
            rows = wait_for(lambda: (found := [run for run in first.get("/api/live").json["runs"] if run["requests"]["done"]]) and len(found) == 2 and found,
                            "two runs report")
            with Events(first, f"/api/live/{rows[0]['run_id']}") as one, Events(first, f"/api/live/{rows[1]['run_id']}") as other:
                killed.send_signal(signal.SIGKILL)
                begun = time.monotonic()
                wait_for(lambda: sorted(states_of(first)) == ["reporting", "silent"], "one is silent", seconds=5)
                assert time.monotonic() - begun < 5 * PATIENCE
                silent = next(run["run_id"] for run in first.get("/api/live").json["runs"] if run["state"] == "silent")
                events = one if rows[0]["run_id"] == silent else other
                assert events.until("silent")["run_id"] == silent
                assert first.stop()[0] == 0
            with Dashboard(bin_dir, tmp_path / "d.db", "--port", port) as second:
                # the survivor is known again after its next snapshot; the dead one is gone with the memory
                begun = time.monotonic()
                wait_for(lambda: states_of(second) == ["reporting"], "the other one reports again", seconds=5)
                assert time.monotonic() - begun < 5 * PATIENCE
                run_id = second.get("/api/live").json["runs"][0]["run_id"]
                assert run_id != silent
                assert survivor.wait(60 * PATIENCE) == 0
                assert second.get(f"/api/data/experiments/{run_id}").status == 200
            killed.wait(10)
