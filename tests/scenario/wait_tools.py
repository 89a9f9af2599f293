"""Polls for conditions that give no notice."""
import time

from run_tools import PATIENCE

# polling every few milliseconds costs little compared with the programs that are waited for
LOOK_S = 0.005


def wait_for(condition, what, seconds=30, process=None, look_s=LOOK_S):
    """Polls until the condition is true, and returns its value; fails when `process` ends."""
    end = time.monotonic() + seconds * PATIENCE
    while not (value := condition()):
        assert process is None or process.poll() is None, f"it ended before: {what}"
        assert time.monotonic() < end, f"did not happen: {what}"
        time.sleep(look_s)
    return value
