"""Compares the journal of a killed run with the simulator's own log."""
import json
import time
from pathlib import Path

from run_tools import PATIENCE
from wait_tools import wait_for

# what ended this long before the kill is in the journal: five times the promised 100 ms
SURELY_WRITTEN_S = 0.5


def journal_of(output):
    return Path(f"{output}.journal")


def completed_before(folder, moment_ns):
    """Returns the requests with an id whose last token the simulator had sent by then."""
    ended = set()
    path = folder / "sim.jsonl"
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            event = json.loads(line)
        except json.JSONDecodeError:  # the line that it was writing
            continue
        if (event["event"] == "end" and event["status"] == "completed" and event["request_id"]
                and event["t_ns"] < moment_ns):
            ended.add(event["request_id"])
    return ended


def wait_until_written(folder, count, process):
    """Waits until the given number of requests has been in the journal for long enough."""
    wait_for(lambda: len(completed_before(folder, time.monotonic_ns())) >= count, f"{count} requests have finished", 60, process)
    time.sleep(SURELY_WRITTEN_S * PATIENCE)
