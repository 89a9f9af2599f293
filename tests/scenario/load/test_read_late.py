"""Events that lay in a stopped client's socket keep the times at which they came, though they are read at once."""
import json
import os
import signal
import time

import pytest
from odd_server import CLOSE, DONE, LAST_CHUNK, OddServer, Pause, chunk, event, head, tokens, usage
from run_tools import read_zst_lines, start_profllm

EVENTS = 3
GAP_S = 0.002
HELD_S = 0.040  # what Linux lets an acknowledgement wait at least, of 536 bytes at most


def play(bin_dir, folder, behind):
    """
    Of the request, whose client stands still behind so many events: when the server sent the head, each event then, and
    let the client go on; these events in the client's record; and whether the kernel could keep the segments apart,
    which it does until they are acknowledged.
    """
    noted = []
    client = []

    def stop(_):
        os.kill(client[0].pid, signal.SIGSTOP)
        time.sleep(GAP_S)

    def note(_):
        noted.append(time.monotonic_ns())

    def go_on(_):
        note(_)
        os.kill(client[0].pid, signal.SIGCONT)

    steps = [note, head("200 OK", "text/event-stream", "Transfer-Encoding: chunked"), Pause(GAP_S)]
    for i, one in enumerate(tokens(behind + EVENTS)):
        steps += [*([stop] if i == behind else []), *([note] if i >= behind else []), chunk(one), Pause(GAP_S)]
    steps += [go_on, chunk(event(usage(behind + EVENTS))), chunk(DONE), LAST_CHUNK, Pause(GAP_S), CLOSE]
    with OddServer({"late": steps}) as server:
        client.append(start_profllm(
            bin_dir, "bench", "serve", "--base-url", f"{server.url}/case:late", "--model", "odd", "--prompt-token-ids",
            "--random-input", 8, "--random-output", behind + EVENTS, "--vocab-size", 1000, "--num-prompts", 1,
            "--output", folder / "r.json", "--overwrite"))
        _, said = client[0].communicate(timeout=60)
        assert client[0].returncode == 0, said
    record = read_zst_lines(folder / "r.requests.jsonl.zst")[0]
    began = next(i for i, at in enumerate(noted) if at > record["acted_ns"])  # others were asked before
    noted = noted[began:began + EVENTS + 2]
    delayed = json.loads((folder / "r.json").read_text())["system"]["client"]["delayed_acks"]
    return noted, record["events"][behind:behind + EVENTS], delayed and noted[-1] - noted[0] < 0.8 * HELD_S * 1e9


@pytest.mark.parametrize("behind", [0, 2])
def test_events_that_waited_are_told_apart(bin_dir, tmp_path, behind):
    for _ in range(10):
        noted, events, apart = play(bin_dir, tmp_path, behind)
        if apart:
            break
    assert apart and len(events) == EVENTS
    for i, one in enumerate(events):
        assert len(one) == 3, f"event {i} needs no bound: {one}"
        assert noted[i + 1] - 1e6 <= one[0] <= noted[i + 2] + 1e6, (i, one, noted)
