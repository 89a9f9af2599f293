"""The load generator's records match the simulator's log."""

import json
import re
import subprocess

import pytest
from sim_tools import Server


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize(
    "options",
    [
        ["--requests", "64"],
        ["--requests", "120", "--cap", "8"],
        ["--requests", "120", "--rate", "400"],
        ["--requests", "300", "--threads", "2", "--cap", "129"],
    ],
    ids=["all-at-once", "capped", "poisson", "two-workers"],
)
def test_records_equal_the_servers_log(bin_dir, tmp_path, options):
    log = tmp_path / "sim.log"
    driver = bin_dir.parent / "tests" / "load_driver"
    assert driver.exists(), f"the build makes {driver}"
    records_path = tmp_path / "records.jsonl"
    with Server(bin_dir, "--sim-step", "2ms", "--sim-log", log, "--max-num-seqs", 512, model="perf") as server:
        done = subprocess.run(
            [str(driver), "--port", str(server.port), "--tokens", "25", "--records", str(records_path)]
            + options,
            stdout=subprocess.PIPE, check=True,
        )
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
        assert [event[1] for event in record["events"]] == sent
        assert record["output_tokens"] == lines[-1]["tokens"] == 25
        assert lines[-1]["status"] == "completed"
        assert record["prompt_tokens"] == lines[0]["prompt_tokens"] == 8
        times = [event[0] for event in record["events"]]
        assert times == sorted(times)
        assert record["planned_ns"] <= record["acted_ns"] <= record["sent_ns"]
        assert times[-1] <= record["end_ns"]
        assert re.fullmatch(r"perf-\d+", record["request_id"])
