"""Sums over traces of torch's profiler (`GET …/traces`), compared with Python; files that are none, and downloads by range."""
import collections
import gzip
import json
import os
import random
from decimal import Decimal
from pathlib import Path

import pytest
from dashboard_tools import Dashboard, little

FRAMES = {"trace", "user_annotation", "gpu_user_annotation", "python_function", "overhead"}
TOP = 20


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("traces") / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1), little(2)])["counts"]["stored"] == 2
        yield one
        assert one.stop() == (0, "", "")


def put(dashboard, name, data, run_id="small-1"):
    answer = dashboard.ask("PUT", f"/api/upload/artifact/{run_id}/trace/{name}", data, {"Content-Type": "application/octet-stream"})
    assert answer.status in (200, 201)


def ask(dashboard, name, run_id="small-1"):
    return dashboard.get(f"/api/data/experiments/{run_id}/traces/{name}")


def ns(number):
    return int(Decimal(str(number)) * 1000)


def union(intervals):
    """Returns the length of the union of (begin, end) pairs."""
    total, last = 0, None
    for begin, end in sorted(intervals):
        if last is None or begin > last:
            total, last = total + end - begin, end
        elif end > last:
            total, last = total + end - last, end
    return total


def expected(document):
    """Counts in plain Python what the dashboard returns."""
    events = document["traceEvents"] if isinstance(document, dict) else document
    complete = [e for e in events if isinstance(e, dict) and e.get("ph") == "X"]
    shown = [e for e in complete if e.get("cat", "").lower() not in FRAMES]
    spans = [(ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])) for e in shown]
    begin = min((b for b, _ in spans), default=0)
    span = max((e for _, e in spans), default=0) - begin
    kernels = collections.defaultdict(list)
    for event, interval in zip(shown, spans, strict=True):
        if event.get("cat", "").lower() == "kernel":
            kernels[event["pid"]].append(interval)
    categories = collections.Counter(e.get("cat", "") for e in complete)
    groups = {}
    for name, is_kernel in (("kernels", True), ("operations", False)):
        durations = collections.defaultdict(list)
        for event in shown:
            if (event.get("cat", "").lower() == "kernel") == is_kernel:
                durations[event["name"]].append(ns(event["dur"]))
        top = sorted(((sum(list_), len(list_), max(list_)) for list_ in durations.values()), reverse=True)
        groups[name] = {"count": sum(len(one) for one in durations.values()), "total_ns": sum(map(sum, durations.values())),
                        "names": len(durations), "top": [one[0] for one in top[:TOP]], "by_name": durations}
    return {"events": len(events), "complete": len(complete), "span": span, "begin": begin, "categories": dict(categories), "groups": groups,
            "busy": {device: union(list_) for device, list_ in kernels.items()},
            "longest": sorted((ns(e["dur"]) for e in shown), reverse=True)[:TOP]}


def cut(name):
    return name.encode()[:500].decode(errors="ignore")


def agree(sums, document):
    truth = expected(document)
    assert (sums["whole"], sums["skipped"]) == (True, 0)
    assert (sums["events"], sums["complete_events"], sums["span_ns"]) == (truth["events"], truth["complete"], truth["span"])
    assert {one["device"]: one["busy_ns"] for one in sums["gpus"]} == truth["busy"]
    if truth["busy"]:
        assert sums["gpu_busy_share"] == pytest.approx(sum(truth["busy"].values()) / truth["span"] / len(truth["busy"]))
    else:
        assert sums["gpu_busy_share"] is None
    assert {one["category"]: one["count"] for one in sums["categories"]} == truth["categories"]
    assert [one["duration_ns"] for one in sums["longest"]] == truth["longest"]
    for name, group in truth["groups"].items():
        found = sums[name]
        assert (found["count"], found["total_ns"], found["names"], found["unnamed"]) == (group["count"], group["total_ns"], group["names"], 0)
        assert [one["total_ns"] for one in found["top"]] == group["top"]
        by_cut = {}
        for full, durations in group["by_name"].items():
            by_cut.setdefault(cut(full), []).append((sum(durations), len(durations), max(durations)))
        for one in found["top"]:
            assert (one["total_ns"], one["count"], one["max_ns"]) in by_cut[one["name"]]


def made(rng, count=4000):
    names = [f"void kernel<{i}, {'x' * rng.choice([1, 600])}é>" for i in range(30)]
    events = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "a \"quoted\" ] text"}}]
    for _ in range(count):
        cat = rng.choice(["kernel", "kernel", "cpu_op", "gpu_memcpy", "user_annotation", "ac2g"])
        events.append({"ph": "s" if cat == "ac2g" else "X", "cat": cat, "name": rng.choice(names), "pid": rng.choice([0, 1]), "tid": 7,
                       "ts": 1695835573023613 + rng.randrange(10**6) + rng.randrange(1000) / 8, "dur": rng.randrange(100) + rng.choice([0, 0.125]),
                       "args": {"a": [[1, 2], []], "b": "\\"}})
    return {"schemaVersion": 1, "distributedInfo": {"rank": 3}, "traceEvents": events, "traceName": "t"}


def test_the_sums_of_python(dashboard):
    document = made(random.Random(7))
    text = json.dumps(document, indent=1).encode()
    for name, data in (("rank3.pt.trace.json", text), ("dp0_rank3.1.pt.trace.json.gz", gzip.compress(text)),
                       ("bare.json", json.dumps(document["traceEvents"], ensure_ascii=False).encode())):
        put(dashboard, name, data)
        for _ in range(2):  # the second one is cached
            sums = ask(dashboard, name).json
            agree(sums, document)
            assert sums["bytes"] == len(data) and sums["rank"] == (None if name == "bare.json" else 3)
            assert sums["recorded_rank"] == (None if name == "bare.json" else 3)
    listed = dashboard.get("/api/data/experiments/small-1/traces").json["traces"]
    assert [(one["name"], one["rank"]) for one in listed] == [("bare.json", None), ("dp0_rank3.1.pt.trace.json.gz", 3), ("rank3.pt.trace.json", 3)]
    assert dashboard.get("/api/data/experiments/small-2/traces").json == {"traces": []}


TORCH = Path(os.environ.get("PROFLLM_TEST_DATA", "/nonexistent")) / "data/ops/torch_traces"


@pytest.mark.skipif(not TORCH.is_dir(), reason="PROFLLM_TEST_DATA has no data/ops/torch_traces")
def test_traces_of_torch(dashboard):
    paths = sorted(TORCH.glob("*.gz"))
    assert len(paths) == 5
    for path in paths:
        put(dashboard, path.name, path.read_bytes(), "small-2")
        document = json.loads(gzip.decompress(path.read_bytes()), parse_float=Decimal)
        agree(ask(dashboard, path.name, "small-2").json, document)


def test_files_that_are_none(dashboard):
    for name, data, words in (("r.nsys-rep", b"\0\1binary" * 99, "found no object"), ("text.json", b"hello", "found no object"),
                              ("result.json", b'{"a": 1', "found no events"), ("open.json", b'{"traceEvents": [', "found no events"),
                              ("cut.json.gz", gzip.compress(json.dumps(made(random.Random(1))).encode())[:-500], "truncated"),
                              ("after.json", b"[] []", "after its end"),
                              ("many.json.gz", gzip.compress(b"[" + b"0," * (1 << 25) + b"0]", 1), "more than 33554432 events"),
                              ("object.json", b'{"a": [{}]}', "found no events")):
        put(dashboard, name, data)
        answer = ask(dashboard, name)
        assert answer.status == 422 and words in answer.json["detail"], (name, answer.json)
    assert ask(dashboard, "missing.json").status == 404
    assert dashboard.get("/api/data/experiments/none/traces").status == 404


def test_hostile_traces(dashboard):
    """Many names, deep nesting, long events, times that overflow: sums or a refusal, and the server stays."""
    event = {"ph": "X", "cat": "kernel", "pid": 0, "ts": 1, "dur": 1}
    put(dashboard, "names.json", json.dumps([{**event, "name": str(i), "cat": f"c{i % 99}"} for i in range(40_000)]).encode())
    sums = ask(dashboard, "names.json").json
    assert sums["operations"]["count"] == 40_000 and sums["operations"]["names"] + sums["operations"]["unnamed"] == 40_000
    assert len(sums["categories"]) == 64 and sum(one["count"] for one in sums["categories"]) == 40_000
    put(dashboard, "deep.json", b'[{"ph":"X","name":"a","ts":1,"dur":1,"args":' + b"[" * 10**6)
    assert ask(dashboard, "deep.json").status == 422
    put(dashboard, "long.json", json.dumps([{**event, "name": "x" * (1 << 20)}, {**event, "name": "ok"}, {**event, "name": "late", "ts": 2**70},
                                            {**event, "name": "sum", "ts": 2**52, "dur": 2**52}, 7, None]).encode())
    sums = ask(dashboard, "long.json").json
    assert (sums["events"], sums["skipped"], sums["kernels"]["count"]) == (6, 3, 2)
    assert 0 <= sums["gpu_busy_share"] <= 1
    put(dashboard, "cut.json", json.dumps([{**event, "name": "a"}, {**event, "name": "b"}]).encode()[:-30])
    sums = ask(dashboard, "cut.json").json
    assert (sums["whole"], sums["kernels"]["count"]) == (False, 1)
    assert dashboard.get("/api/health").status == 200


def test_a_trace_by_range(dashboard):
    """A single trace is exported as a file, of which a client may take a part; the table next to it is no second trace."""
    data = random.Random(3).randbytes(10_000)
    put(dashboard, "t_rank0.pt.trace.json.gz", data, "small-2")
    put(dashboard, "t_rank0.profiler_out.txt", b"Name  Self CPU %", "small-2")
    assert "t_rank0.profiler_out.txt" in [one["name"] for one in dashboard.get("/api/export/traces/small-2").json["traces"]]
    path = "/api/export/traces/small-2?rank=0"
    whole = dashboard.get(path)
    assert (whole.status, whole.body) == (200, data)
    part = dashboard.ask("GET", path, headers={"Range": "bytes=100-199"})
    assert (part.status, part.body, part.headers["Content-Range"]) == (206, data[100:200], "bytes 100-199/10000")
    part = dashboard.ask("GET", path, headers={"Range": "bytes=-7", "If-Range": whole.headers["ETag"]})
    assert (part.status, part.body) == (206, data[-7:])
    assert dashboard.ask("GET", path, headers={"Range": "bytes=20000-"}).status == 416
