"""

One run of the calibration: its random parameters, and its execution: the simulator, the client, the disturbance, and
the outcome compared with the truth.


"""

import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import threading
import time
import types

import disturbances
import harness
import truth

PREFIX = "cal-"
TIMEOUT_S = 120
# More than these the simulator's core does not keep up with, nor does reading the log.
EVENTS_PER_MS, EVENTS_MOST = 50, 120_000
# No client sends all at once: it sends as many as it can, one per AT_ONCE_S, within a twentieth of a response.
AT_ONCE_S, AT_ONCE_SHARE = 100e-6, 0.05
# The approximate processor time of the client per request and per event, and the share of telemetry.
REQUEST_S, EVENT_S, LOOK_SHARE = 200e-6, 10e-6, 0.01

# Name -> the simulator's words.
FAULTS = {
    "merged tokens": ["--sim-merge", "4"],
    "merged events": ["--sim-merge-sends", "3"],
    "stream interval": ["--stream-interval", "5"],
    "sent in pieces": ["--sim-cut", "100"],
    "stalls": ["--sim-stall-rate", "0.1"],
    "resets": ["--sim-reset-rate", "0.1"],
    "cut streams": ["--sim-truncate-rate", "0.1"],
    "errors in streams": ["--sim-stream-error-rate", "0.1"],
    "refusals": ["--sim-error-rate", "0.1"],
}
FAULT_SHARE = 0.2


class Failed(Exception):
    """A run could not be played; the text says why."""


def draw_lengths(draw, streams):
    step_ms = max(draw.uniform(5, 30), streams / EVENTS_PER_MS)
    tokens = round(disturbances.log_uniform(draw, 8, 100))
    return step_ms, tokens, tokens * step_ms / 1e3


def draw_load(draw):
    """A load of 2 to 6 s with so many streams on average, and what it takes of the client's processor."""
    streams = round(disturbances.log_uniform(draw, 1, 1024))
    step_ms, tokens, answer_s = draw_lengths(draw, streams)
    run_s = draw.uniform(2, 4.5)
    loop = draw.choice(("closed", "closed", "open", "open", "open with a cap", "at once"))
    most = EVENTS_MOST // tokens
    asked = {"max_concurrency": None, "request_rate": "inf", "burstiness": 1.0}
    if loop == "closed":
        asked["max_concurrency"] = streams
        requests = streams * max(round(run_s / answer_s), 1)
    elif loop == "at once":
        streams = max(min(streams, round(AT_ONCE_SHARE * answer_s / AT_ONCE_S)), 10)
        requests = streams
    else:
        # a cap at the mean holds about half of the requests
        asked["max_concurrency"] = max(round(streams * draw.uniform(1, 2)), 1) if loop != "open" else None
        asked["request_rate"] = streams / answer_s
        asked["burstiness"] = draw.choice((1.0, 1.0, 0.5, 4.0, "inf"))
        requests = round(asked["request_rate"] * run_s)
    requests = max(min(requests, most), 10)
    chat = draw.random() < 0.4
    benchmark = {
        "backend": "openai-chat" if chat else "openai", "dataset_name": "random", "random_input_len": 16,
        "random_output_len": tokens, "random_range_ratio": str(draw.choice((0.0, 0.5))), "num_prompts": requests,
        "prompt_token_ids": not chat, "ignore_eos": True, "seed": draw.randrange(1 << 31), "request_id_prefix": PREFIX,
        "ready_check_timeout_sec": draw.choice((0, 30)), "threads": draw.choice((1, 1, 1, 2)),
        **{name: value for name, value in asked.items() if value is not None},
    }
    spent_s = requests * (REQUEST_S + tokens * EVENT_S)
    lasts_s = max(requests * answer_s / streams, answer_s)
    return {"loop": loop, "streams": streams, "step_ms": step_ms, "benchmark": benchmark,
            "need": LOOK_SHARE + spent_s / lasts_s, "answer_s": answer_s}


def draw_run(name, seed, kind=None, fault=None):
    """Drawn from seed and name alone, so that it can be played again. `kind`, `fault` ("": none): given, not drawn."""
    draw = random.Random(f"{seed} {name}")
    run = {"name": name, "seed": seed, **draw_load(draw)}
    drawn = draw.choices(list(disturbances.SHARES), list(disturbances.SHARES.values()))[0]
    run["kind"] = kind or drawn
    run["words"] = disturbances.KINDS[run["kind"]].draw(draw)
    drawn = draw.choice(list(FAULTS)) if draw.random() < FAULT_SHARE else ""
    run["fault"] = drawn if fault is None else fault
    return run


def configuration(run, url):
    benchmark = dict(run["benchmark"])
    if run["fault"] == "stalls":
        # a stalled request times out soon after the others end
        benchmark["request_timeout"] = f"{math.ceil(3000 * run['answer_s']) + 2000}ms"
    return {"name": "calibration", "launch": {"url": url}, "benchmark": benchmark}


class Progress:
    """The simulator's log of the measured requests so far."""

    def __init__(self, path):
        self.path, self.at, self.begun, self.ended = path, 0, 0, 0

    def look(self):
        with open(self.path, "rb") as file:
            file.seek(self.at)
            text = file.read()
        whole = text[:text.rfind(b"\n") + 1]
        self.at += len(whole)
        self.begun += whole.count(b'{"event":"request","request_id":"' + PREFIX.encode())
        self.ended += whole.count(b'{"event":"end","request_id":"' + PREFIX.encode())


def wait_for(process, progress, condition, due_s):
    """False when the process ended before, or it is due."""
    while process.poll() is None and time.monotonic() < due_s:
        progress.look()
        if condition():
            return True
        time.sleep(0.005)
    return False


def follow(process, run, disturbance, log):
    """Disturbs from the first request to the last answer; what the client said last."""
    progress, over, due_s = Progress(log), threading.Event(), time.monotonic() + TIMEOUT_S
    helper = None
    try:
        if wait_for(process, progress, lambda: progress.begun > 0, due_s):
            helper = threading.Thread(target=disturbance.during, args=(process, over))
            helper.start()
            wait_for(process, progress, lambda: progress.ended >= run["benchmark"]["num_prompts"], due_s)
    finally:
        over.set()
        if helper:
            helper.join()
    try:
        return process.communicate(timeout=TIMEOUT_S)[1]
    except subprocess.TimeoutExpired as slow:
        process.kill()
        process.communicate()
        raise Failed(f"it took more than {2 * TIMEOUT_S} s") from slow


def run_client(place, run, url, folder, log):
    """The files of its result: (result, records)."""
    disturbance = disturbances.KINDS[run["kind"]](run["words"], types.SimpleNamespace(
        cores=place.cores, slow_disk=place.slow_disk, need=run["need"]))

    def prepare():
        os.sched_setaffinity(0, {place.cores["client"]})
        disturbance.prepare()

    config, output = folder / "e.yaml", folder / "r.json"
    config.write_text(json.dumps(configuration(run, url)), encoding="utf-8")
    disturbance.start()
    try:
        process = subprocess.Popen(
            [str(place.binary), "run", "--config", str(config), "--output", str(output), "--quiet"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=prepare,
            env={**os.environ, **disturbance.environment})
        said = follow(process, run, disturbance, log)
    finally:
        disturbance.stop()
    if not output.exists():
        raise Failed(f"no result: {said.strip()[-300:]}")
    return json.loads(output.read_text(encoding="utf-8")), truth.read_records(folder / "r.requests.jsonl.zst")


def judge_figures(results, true):
    """

    Compares each headline metric with the truth, of which the nearest value counts if it is a range; `inside` is null
    if the result does not state its error.


    """
    rows = {}
    for name, between in true.items():
        reported, bounds = results.get(name), results.get(f"{name}_client_error")
        if between is None or reported is None:
            continue
        true_ms = min(max(reported, between[0]), between[1])
        error = abs(reported - true_ms)
        row = {"true": true_ms, "unsharp_ms": between[1] - between[0], "reported": reported, "error_ms": error,
               "bounds": bounds, "inside": None,
               "share": error / true_ms if true_ms > 0 else (0.0 if error == 0 else math.inf)}
        if bounds is not None:
            slack = truth.JOIN_NS / 1e6
            row["inside"] = reported + bounds[0] - slack <= between[1] and between[0] <= reported + bounds[1] + slack
        rows[name] = row
    return rows


def counting(quality):
    """The checks that are beyond their limit and count against the run."""
    return [check["id"] for check in quality["checks"]
            if check["status"] == "over_limit" and check["effect"] != "info"]


def play(place, run, folder):
    """Plays a run and returns it with its outcome; raises Failed if the result is missing or contradicts the log."""
    sim = harness.Simulator(place.simulator, folder, f"{round(run['step_ms'] * 1e3)}us",
                            words=FAULTS.get(run["fault"], []), first=True)
    with sim:
        result, records = run_client(place, run, f"http://127.0.0.1:{sim.port}", folder, sim.log)
        late_ms = sim.step_lateness_ms(0.99)
    log = truth.read_log(sim.log, PREFIX)
    benchmark = run["benchmark"]
    try:
        true = truth.figures(records, log)
    except truth.NotJoined as reason:
        raise Failed(str(reason)) from reason
    quality = result["quality"]
    return {
        **run, "status": result["status"], "verdict": quality["verdict"], "counting": counting(quality),
        "checks": {check["id"]: [check["value"], check["limit"], check["status"]] for check in quality["checks"]},
        "measurement": quality.get("measurement"), "load": quality.get("load"),
        "completed": result["results"]["completed"], "figures": judge_figures(result["results"], true),
        "offered": truth.offered(records, log, benchmark.get("max_concurrency"), benchmark["request_rate"] != "inf"),
        "sim_step_late_p99_ms": late_ms,
    }


def play_kept(place, run, keep=None):
    """play(), its files in a folder that is kept where one is named."""
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        return play(place, run, keep)
    with tempfile.TemporaryDirectory() as name:
        return play(place, run, pathlib.Path(name))
