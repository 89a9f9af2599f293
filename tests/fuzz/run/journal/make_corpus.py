#!/usr/bin/env python3
"""Makes the corpus of journal.c: journals byte for byte, and lines that get their sums there."""
import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "corpus/run/journal/journal"
KINDS = ["head", "stage", "load", "plan", "acted", "record", "tick"]
START_NS = 1_000_000_000


def crc32c(data):
    total = 0xffffffff
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = (total >> 1) ^ (0x82f63b78 if total & 1 else 0)
    return total ^ 0xffffffff


def journal(lines, version=3):
    """As the program writes them (src/run/journal/line.h)."""
    text = f'["ProfLLM journal",{version}]\n'
    for kind, content in lines:
        rest = f',"{kind}",{json.dumps(content, separators=(",", ":"))}]'
        text += f'["{crc32c(rest.encode()):08x}"{rest}\n'
    return text.encode()


def unsummed(lines):
    return "".join(f"{KINDS.index(kind)}{content if isinstance(content, str) else json.dumps(content)}\n"
                   for kind, content in lines).encode()


HEAD = ("head", {"run_id": "exp_20260102_030405_0a1b2c", "started_real_ns": 1767323045000000000,
                 "started_ns": 1000, "pid": 7, "profllm": "0.1.0"})
PREPARE = ("stage", {"stage": "prepare", "t_ns": 2000, "document": {}})
MEASURE = ("stage", {"stage": "measure", "t_ns": START_NS - 5, "document": {"name": "n", "tags": {}}})
LOAD = ("load", {"percentiles": [99.0], "goodput": ["ttft:200"], "max_concurrency": 2, "finite_rate": False,
                 "requests": True})
TICK = ("tick", {"t_ns": START_NS + 10_000_000, "start_ns": START_NS})


def plan(index, **changes):
    return ("plan", {"index": index, "request_id": f"r-{index}", "planned_ns": 1000 * index,
                     "prompt_tokens_requested": 3, "output_tokens_requested": None, **changes})


def acted(index, **changes):
    return ("acted", {"index": index, "planned_ns": START_NS + 1000 * index, "queued_ns": None,
                      "acted_ns": START_NS + 2000 * index, **changes})


def record(index, **changes):
    at_ns = START_NS + 2000 * index
    return ("record", {
        "index": index, "request_id": f"r-{index}", "try": 1, "tries": 1, "retried": False,
        "planned_ns": START_NS + 1000 * index, "queued_ns": None, "acted_ns": at_ns, "connected_ns": None,
        "sent_ns": at_ns + 10, "headers_ns": at_ns + 500, "first_event_ns": at_ns + 500,
        "first_token_ns": at_ns + 600, "end_ns": at_ns + 900,
        "events": [[at_ns + 500, 0, 0], [at_ns + 600, 1, 2], [at_ns + 600, 9000, 3], [at_ns + 800, 1, 6]],
        "prompt_tokens_requested": 3, "prompt_tokens": 4, "output_tokens_requested": None, "output_tokens": 9002,
        "token_source": "usage", "finish_reason": "length", "status": 200, "error": None, **changes})


def failed(index, number, retried):
    return record(index, **{"try": number}, tries=None if retried else number, retried=retried, events=[],
                  first_event_ns=None, first_token_ns=None, output_tokens=None, token_source="none",
                  finish_reason=None, status=503, error={"kind": "http_status", "status": 503, "message": "busy"})


BEGUN = [HEAD, PREPARE, MEASURE, LOAD, plan(0), plan(1), plan(2)]
RUN = [*BEGUN, acted(0), acted(1), record(0), TICK]
TRIES = [*BEGUN, acted(0), acted(1), failed(0, 1, True), failed(1, 1, True), failed(0, 2, True),
         failed(0, 3, False), TICK]

UNSUMMED = {
    "run": RUN,
    "tries": TRIES,
    "head_only": [HEAD],
    "no_load": [HEAD, PREPARE, plan(0)],
    "load_twice": [*BEGUN, LOAD],
    "plan_late": [*RUN, plan(3)],
    "plan_gap": [*BEGUN[:5], plan(2)],
    "long_id": [*BEGUN[:4], plan(0, request_id="x" * 1045)],
    "acted_nobody": [*BEGUN, acted(3)],
    "record_nobody": [*BEGUN, record(3)],
    "record_twice": [*RUN, record(0)],
    "record_not_acted": [*BEGUN, record(2)],
    "try_early": [*BEGUN, failed(0, 1, True)],
    "try_late": [*TRIES, failed(0, 4, True)],
    "try_skipped": [*BEGUN, acted(0), failed(0, 2, True)],
    "time_huge": [*BEGUN, acted(0, acted_ns=2**61), record(0)],
    "time_too_huge": [*BEGUN, acted(0, acted_ns=2**61 + 1)],
    "plan_huge": [*BEGUN[:4], plan(0, planned_ns=2**60), ("tick", {"t_ns": 1, "start_ns": 2**60})],
    "bad_json": [*BEGUN, ("record", '{"index":0,')],
    "no_object": [*BEGUN, ("tick", "[1]")],
    "no_numbers": [HEAD, ("stage", {"stage": "launch", "t_ns": "1", "document": {}})],
    "head_twice": [*RUN, HEAD],
}
WHOLE = journal(RUN)
MIDDLE = WHOLE.index(b'"record"') + 20
BYTES = {
    "whole": WHOLE,
    "whole_tries": journal(TRIES),
    "torn": WHOLE[:-30],
    "torn_version": WHOLE[:20],
    "zeros": WHOLE[:-30] + bytes(64),
    "flipped": WHOLE[:MIDDLE] + bytes([WHOLE[MIDDLE] ^ 1]) + WHOLE[MIDDLE + 1:],
    "no_line_end": WHOLE.replace(b'}]\n["', b'}] ["', 3),
    "kind_unknown": WHOLE.replace(b'"tick"', b'"tock"'),
    "newer": journal(RUN, version=4),
    "version_text": WHOLE.replace(b",3]", b",x]", 1),
    "frames": b"ProfLLM journal\n\2\0\0\0\x05\0\0\0\1\0\0\0{...}",
    "frames_torn": b"ProfLLM journal\n\2",
    "foreign": b"notes\n",
    "empty": b"",
}

for old in FOLDER.glob("*"):
    old.unlink()
for name, rows in UNSUMMED.items():
    (FOLDER / f"unsummed_{name}").write_bytes(unsummed(rows))
for name, content in BYTES.items():
    (FOLDER / name).write_bytes(content)
