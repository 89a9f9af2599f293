"""Results and quality of synthetic records, by the program tests/tools/metrics_driver.c."""
import json
import os
import subprocess
from pathlib import Path

S = 1_000_000_000


def record_of(events, **more):
    """Returns a finished request that started at 1 s; event times are relative to that."""
    record = {
        "index": 0, "request_id": "r-0", "try": 1, "tries": 1, "retried": False, "planned_ns": S, "queued_ns": None,
        "acted_ns": S, "connected_ns": None, "handshake_ns": None, "sent_ns": S, "headers_ns": None,
        "events": [[S + t, tokens, flags, *[S + early for early in earliest]] for t, tokens, flags, *earliest in events],
        "prompt_tokens_requested": None, "prompt_tokens": None, "output_tokens_requested": None, "output_tokens": None,
        "token_source": "usage", "finish_reason": "length", "status": 200, "error": None, **more}
    content = [event[0] for event in record["events"] if event[2] & 2]
    record.update(first_event_ns=record["events"][0][0], first_token_ns=content[0] if content else None,
                  end_ns=record["events"][-1][0])
    if not record.get("done_missing"):
        record.pop("done_missing", None)
    return record


def evaluate(*records, quality=False, bin_dir=None, **how):
    """Returns `results`, or `quality`, of a run of these records."""
    rows = [{**record, "index": i} for i, record in enumerate(records)]
    made = {"records": rows, "tries": [], "start_ns": min(row["acted_ns"] for row in rows),
            "end_ns": max(row["end_ns"] for row in rows), "percentiles": [99], "slo": {}, "max_concurrency": None,
            "finite_rate": False, "inflight_peak": 1, "quality": quality, **how}
    program = (bin_dir or Path(os.environ["PROFLLM_BIN"])).parent / "tests" / "metrics_driver"
    done = subprocess.run([program], input=json.dumps(made) + "\n", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return answer["quality"] if quality else answer
