"""The load generator's records against the simulator's log: what was sent is what was recorded."""

import json
import re
import signal
import socket
import subprocess
import time
import urllib.request

import pytest


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def simulator(bin_dir, tmp_path):
    """Starts profllm-sim on a free port; yields (port, log's path, stop())."""
    log = tmp_path / "sim.log"
    output = open(tmp_path / "sim.out", "w", encoding="utf-8")
    # a free port: the kernel's choice, held until just before the start
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [str(bin_dir / "profllm-sim"), "serve", "perf", "--host", "127.0.0.1", "--port", str(port),
         "--sim-step", "2ms", "--sim-log", str(log), "--max-num-seqs", "512"],
        stdout=output, stderr=subprocess.STDOUT,
    )
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None, (tmp_path / "sim.out").read_text()
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
            break
        except OSError:
            assert time.monotonic() < deadline

    def stop():
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    yield port, log, stop
    stop()
    output.close()


@pytest.mark.parametrize(
    "options",
    [
        ["--requests", "64"],
        ["--requests", "120", "--cap", "8"],
        ["--requests", "120", "--rate", "400"],
        ["--requests", "60", "--threads", "2", "--cap", "10"],
    ],
    ids=["all-at-once", "capped", "poisson", "two-workers"],
)
def test_records_equal_the_servers_log(bin_dir, tmp_path, simulator, options):
    port, log, stop = simulator
    driver = bin_dir.parent / "tests" / "load_driver"
    assert driver.exists(), f"the build makes {driver}"
    records_path = tmp_path / "records.jsonl"
    done = subprocess.run(
        [str(driver), "--port", str(port), "--tokens", "25", "--records", str(records_path)]
        + options,
        stdout=subprocess.PIPE, check=True,
    )
    stop()
    report = json.loads(done.stdout)
    records = read_lines(records_path)
    rows = [row for row in read_lines(log) if row["request_id"] is not None]
    asked = int(options[1])
    assert len(records) == report["completed"] == asked
    cap = int(options[options.index("--cap") + 1]) if "--cap" in options else asked
    assert report["in_flight_peak"] <= cap
    assert report["connections"] <= cap

    log_of = {}
    for row in rows:
        log_of.setdefault(row["request_id"], []).append(row)
    assert sorted(log_of) == sorted(r["request_id"] for r in records)
    for record in records:
        lines = log_of[record["request_id"]]
        assert [row["event"] for row in lines] == (
            ["request"] + ["token"] * len(record["events"]) + ["end"]
        )
        sent = [row["tokens"] for row in lines if row["event"] == "token"]
        assert [tokens for _, tokens, _ in record["events"]] == sent
        assert record["output_tokens"] == lines[-1]["tokens"] == 25
        assert lines[-1]["status"] == "completed"
        assert record["prompt_tokens"] == lines[0]["prompt_tokens"] == 8
        times = [t for t, _, _ in record["events"]]
        assert times == sorted(times)
        assert record["planned_ns"] <= record["acted_ns"] <= record["sent_ns"]
        assert times[-1] <= record["end_ns"]
        assert re.fullmatch(r"perf-\d+", record["request_id"])
