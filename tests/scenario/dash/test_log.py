"""The log of a server (`GET …/log`): pages, tail, search and the line of the cause, compared with Python; the tail that a
document has; large and hostile logs."""
import gzip
import json
import os
import threading
import time

import pytest
from dashboard_tools import Dashboard, little
from run_tools import base_config, load_result, run_profllm, write_config

SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))
PATH = "/api/data/experiments/small-1/log"
ERROR = {"cause": "out_of_memory", "log_line": "torch.OutOfMemoryError: CUDA out of memory.", "log_tail": ["one", "torch.OutOfMemoryError: CUDA out of memory.", "<b>"]}


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("log") / "d.db") as one:
        documents = [little(1, error=ERROR), little(2, error=ERROR), little(3), little(4)]
        assert one.upload("/api/upload/batch", documents)["counts"]["stored"] == 4
        yield one


def put(dashboard, data, run_id="small-1", name="r.server.log"):
    answer = dashboard.ask("PUT", f"/api/upload/artifact/{run_id}/server_log/{name}", data, {"Content-Type": "application/octet-stream"})
    assert answer.status in (200, 201)


def lines_of(answer):
    return [(row["line"], row["text"]) for row in answer["rows"]]


LOG = [f"INFO 07-01 10:00:{i % 60:02} [core.py:{i}] step {i}" for i in range(1, 5001)]
LOG[2999] = "\x1b[36m(EngineCore pid=7)\x1b[0m ERROR 07-01 torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
LOG[4000] = "<img src=x onerror=alert(1)> STEP é \x07"


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress], ids=["plain", "gzip"])
def test_pages_and_cause(dashboard, pack):
    put(dashboard, pack("\r\n".join(LOG).encode()))
    said = dashboard.get(PATH).json
    assert (said["source"], said["name"], said["lines"], said["truncated"], said["cause_line"]) == ("artifact", "r.server.log", 5000, False, 3000)
    assert said["bytes"] == len("\r\n".join(LOG).encode()) and said["matches"] is None
    numbered = list(enumerate(LOG, 1))
    assert lines_of(said) == numbered[:200]
    assert lines_of(dashboard.get(f"{PATH}?tail=3").json) == numbered[-3:]
    assert lines_of(dashboard.get(f"{PATH}?offset=4990&limit=100").json) == numbered[4990:]
    assert lines_of(dashboard.get(f"{PATH}?offset=9000").json) == []
    assert lines_of(dashboard.get(f"{PATH}?around=3000&limit=5").json) == numbered[2997:3002]
    # a full page at both ends, and after the last line
    assert lines_of(dashboard.get(f"{PATH}?around=1&limit=4").json) == numbered[:4]
    assert lines_of(dashboard.get(f"{PATH}?around=5000&limit=4").json) == numbered[-4:]
    assert lines_of(dashboard.get(f"{PATH}?around=77777&limit=4").json) == numbered[-4:]


def test_search(dashboard):
    put(dashboard, "\n".join(LOG).encode() + b"\n")
    said = dashboard.get(f"{PATH}?search=step%204&limit=2&context=1").json
    expected = [i for i, text in enumerate(LOG, 1) if "step 4" in text.lower()]
    assert said["matches"] == {"lines": expected, "next_offset": None}
    assert [row["line"] for row in said["rows"]] == [3, 4, 5, 39, 40, 41]
    # a line next to two matches comes once
    near = dashboard.get(f"{PATH}?search=core.py%3A&limit=3&context=2&offset=9").json
    assert near["matches"]["lines"][0] == 10 and [row["line"] for row in near["rows"]] == [8, 9, 10, 11, 12, 13, 14]
    assert dashboard.get(f"{PATH}?search=no%20such").json["matches"]["lines"] == []
    assert dashboard.get(f"{PATH}?search=%3Cimg").json["rows"][0]["text"] == LOG[4000]
    assert dashboard.get(f"{PATH}?search=%2E%2A").json["matches"]["lines"] == [], "a pattern is text"
    for query, what in (("search=a%0Ab", "line break"), ("search=x&tail=3", "'search' and 'tail'"), ("tail=3&offset=1", "'tail' and 'offset'"),
                        ("around=1&tail=2", "'tail' and 'around'"), ("search=" + "%C3%A9" * 400, "500"),
                        ("limit=0", "limit"), ("limit=1001", "limit"), ("search=", "search"), ("around=0", "around"), ("context=11", "context"),
                        ("offset=-1", "offset"), ("offset=99999999999999999999", "offset"), ("tale=1", "tale")):
        answer = dashboard.get(f"{PATH}?{query}")
        assert answer.status in (400, 422) and what in answer.body.decode(), query


def test_without_the_artifact(dashboard):
    said = dashboard.get("/api/data/experiments/small-2/log?tail=2").json
    assert (said["source"], said["name"], said["lines"], said["cause_line"]) == ("log_tail", None, 3, 2)
    assert lines_of(said) == [(2, ERROR["log_line"]), (3, "<b>")]
    for run_id, what in (("small-3", "has no server log"), ("nothing", "does not exist")):
        answer = dashboard.get(f"/api/data/experiments/{run_id}/log")
        assert answer.status == 404 and what in answer.json["detail"]
    put(dashboard, gzip.compress(b"one\ntwo\n" * 1000)[:-9], "small-3")
    answer = dashboard.get("/api/data/experiments/small-3/log")
    assert answer.status == 422 and "'r.server.log' is not gzip data: truncated" in answer.json["detail"]


def test_hostile_bytes_stay_text(dashboard):
    put(dashboard, b"a\x00b\xff\x1b]0;title\x07</script>\n" + b"y" * 3_000_000 + b"NEEDLE\n\n", "small-4")
    said = dashboard.get("/api/data/experiments/small-4/log").json
    assert said["lines"] == 3 and said["rows"][0]["text"] == "a\x00b\ufffd\x1b]0;title\x07</script>"
    assert said["rows"][1] == {"line": 2, "text": "y" * 2000, "from": 0, "bytes": 3_000_006}
    row, = dashboard.get("/api/data/experiments/small-4/log?search=needle").json["rows"]
    assert (row["line"], row["from"], row["text"]) == (2, 2_999_800, "y" * 200 + "NEEDLE")


def test_a_large_log_is_bounded(dashboard):
    """A gzip file of 2 MB with 2 GB of lines: memory stays bounded, and others are served meanwhile."""
    size = 64 << 20 if SANITIZED else 2 << 30
    part = gzip.compress(b"a line of a log that repeats itself for a long time\n" * (1 << 15), 1)
    count = size // (52 << 15)
    put(dashboard, part * count, "small-4", "large.server.log")
    with open(f"/proc/{dashboard.process.pid}/status", encoding="ascii") as status:
        before = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    slow = []
    threads = [threading.Thread(target=lambda: slow.append(dashboard.get("/api/data/experiments/small-4/log?tail=1"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    worst = 0
    while any(thread.is_alive() for thread in threads):
        start = time.monotonic()
        assert dashboard.post("/api/filters/apply", {"filter": {"field": "run.run_id", "op": "eq", "value": "small-1"}, "offset": len(slow)}).status == 200
        worst = max(worst, time.monotonic() - start)
    # at most two read at a time
    done = [one for one in slow if one.status == 200]
    assert 1 <= len(done) and all(one.status == 503 and one.headers["Retry-After"] == "1" for one in slow if one not in done)
    assert all(one.json["lines"] == count << 15 for one in done)
    assert worst < 5
    with open(f"/proc/{dashboard.process.pid}/status", encoding="ascii") as status:
        after = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    assert SANITIZED or after - before < 64 << 10, "KiB"


def test_a_real_run(bin_dir, dashboard, tmp_path):
    output = tmp_path / "r.json"
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "-o", output, "--upload", dashboard.url)
    assert done.returncode == 0, done.stderr
    run_id = load_result(output)["run_id"]
    said = dashboard.get(f"/api/data/experiments/{run_id}/log?limit=1000").json
    assert [text for _, text in lines_of(said)] == (tmp_path / "r.server.log").read_text().splitlines()
    assert said["cause_line"] is None and any("GPU KV cache size" in text for _, text in lines_of(said))


def test_a_failed_launch(bin_dir, dashboard, tmp_path):
    config = base_config()
    config["launch"]["extra_args"] = ["--sim-fail-start", "out_of_memory"]
    output = tmp_path / "r.json"
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output, "--upload", dashboard.url)
    result = load_result(output)
    assert done.returncode == 3 and result["error"]["cause"] == "out_of_memory", done.stderr
    said = dashboard.get(f"/api/data/experiments/{result['run_id']}/log").json
    assert said["source"] == "artifact"
    cause = said["rows"][said["cause_line"] - 1]["text"]
    assert result["error"]["log_line"] in cause and "out of memory" in cause
    # the document alone has the end of it
    alone = {**result, "run_id": "exp_20260101_000000_aaaaaa", "artifacts": []}
    assert dashboard.upload("/api/upload/json", alone)["counts"]["stored"] == 1
    tail = dashboard.get("/api/data/experiments/exp_20260101_000000_aaaaaa/log").json
    assert tail["source"] == "log_tail" and tail["rows"][tail["cause_line"] - 1]["text"].endswith(result["error"]["log_line"]), json.dumps(tail)[:500]
