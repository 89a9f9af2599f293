"""Requests of a result (`GET …/requests`): rows, sums, filters, curves and lanes of what a run recorded, compared with numpy and with the result's
own metrics; the lists of vLLM's files; invalid lines; wrong requests."""
import csv
import http.client
import io
import json
import os
import random
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from dashboard_tools import SOURCE, Dashboard, little
from run_tools import base_config, load_result, read_zst_lines, run_profllm, write_config

np = pytest.importorskip("numpy")

RECORD = json.loads((SOURCE / "tests/scenario/data/record.json").read_text())
PATH = "/api/data/experiments/small-1/requests"
MS = 1_000_000


def record(index, start_ms=0.0, ttft_ms=10.0, gaps_ms=(2.0, 2.0), **keys):
    """Returns the record of a request whose chunks have these gaps."""
    acted = int((1000 + start_ms) * MS)
    times = [acted + int(ttft_ms * MS)]
    for gap in gaps_ms:
        times.append(times[-1] + int(gap * MS))
    made = {**RECORD, "index": index, "request_id": f"bench-{index}", "try": 1, "tries": 1, "planned_ns": acted, "acted_ns": acted, "connected_ns": None,
            "handshake_ns": None, "sent_ns": acted + MS, "headers_ns": times[0], "first_event_ns": times[0], "first_token_ns": times[0], "end_ns": times[-1],
            "events": [[t, 1, 2] for t in times], "prompt_tokens": 12, "output_tokens": len(times)}
    return {**made, **keys}


def failed(index, kind="timeout", **keys):
    return record(index, events=[], first_event_ns=None, first_token_ns=None, output_tokens=None, finish_reason=None, status=None,
                  error={"kind": kind, "status": None, "message": f"{kind} happened"}, **keys)


def put(dashboard, data, run_id="small-1"):
    if not isinstance(data, bytes):
        data = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in data).encode()
    answer = dashboard.ask("PUT", f"/api/upload/artifact/{run_id}/requests/r.requests.jsonl", data, {"Content-Type": "application/octet-stream"})
    assert answer.status in (200, 201), answer.body


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("requests") / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1), little(2)])["counts"]["stored"] == 2
        yield one


@pytest.fixture(scope="module")
def run(bin_dir, dashboard, tmp_path_factory):
    """A run with failures, its records and the path of its requests."""
    folder = tmp_path_factory.mktemp("run")
    config = base_config(num_prompts=150, request_rate=400, random_output_len=24, num_warmups=5, max_concurrency=64)
    config["launch"]["extra_args"] += ["--sim-error-rate", "0.1"]
    config["benchmark"]["max_error_share"] = 0.9
    out = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json")
    assert out.returncode == 0, out.stderr
    result = load_result(folder / "r.json")
    assert dashboard.upload("/api/upload/json", result)["counts"]["stored"] == 1
    put(dashboard, (folder / "r.requests.jsonl.zst").read_bytes(), result["run_id"])
    return result, read_zst_lines(folder / "r.requests.jsonl.zst"), f"/api/data/experiments/{result['run_id']}/requests"


def chunks(line):
    return [event[0] for event in line["events"]]


def metrics(lines):
    """Samples in ms of the completed requests by numpy, from the lines alone."""
    done = [line for line in lines if line["error"] is None]
    e2el = [(chunks(line)[-1] - line["acted_ns"]) / 1e9 * 1e3 for line in done]
    ttft = [(chunks(line)[0] - line["acted_ns"]) / 1e9 * 1e3 for line in done]
    return {
        "ttft_ms": np.array(ttft),
        "e2el_ms": np.array(e2el),
        "itl_ms": np.concatenate([np.diff(chunks(line)) / 1e9 * 1e3 for line in done]),
        "tpot_ms": np.array([(all_ms - first) / (line["output_tokens"] - 1) for all_ms, first, line in zip(e2el, ttft, done, strict=True)
                             if line["output_tokens"] > 1]),
    }


def test_sums_are_the_metrics_of_the_result(dashboard, run):
    result, lines, path = run
    page = dashboard.get(path).json
    assert (page["source"], page["origin_ns"]) == ("artifact", result["series"]["measured_begin_ns"])
    assert page["total"] == page["count"] == 150 and page["skipped"] == 0
    assert page["lines"] == len(lines)
    assert 0 < page["sums"]["failed"] < 75
    for key, value in page["sums"].items():
        if key != "not_sent":
            assert value == pytest.approx(result["results"][key], rel=1e-12), key


def test_percentile_curves(dashboard, run):
    _, lines, path = run
    curve = dashboard.get(f"{path}?curve=1&limit=0").json["curve"]
    assert len(curve["percentiles"]) <= 200 and curve["percentiles"] == sorted(set(curve["percentiles"]))
    samples = metrics(lines)
    assert [one["id"] for one in curve["metrics"]] == ["ttft_ms", "tpot_ms", "itl_ms", "e2el_ms"]
    for one in curve["metrics"]:
        mine = samples[one["id"]]
        assert one["count"] == len(mine)
        for percent, value in zip(curve["percentiles"], one["values"], strict=True):
            if value is None:
                assert 0 < (100 - percent) * len(mine) < 100 + 1e-6
            else:
                assert value == pytest.approx(np.percentile(mine, percent), rel=1e-9), (one["id"], percent)
    # of a part: the slower half
    limit = float(np.median(samples["ttft_ms"]))
    half = dashboard.get(f"{path}?curve=1&limit=0&min=ttft_ms:{limit!r}").json
    slow = [line for line in lines if line["error"] is None and (chunks(line)[0] - line["acted_ns"]) / 1e9 * 1e3 >= limit]
    assert half["sums"]["completed"] == len(slow)
    mine = metrics(slow)
    for one in half["curve"]["metrics"]:
        assert one["count"] == len(mine[one["id"]])
        assert one["values"][50] == pytest.approx(np.percentile(mine[one["id"]], 50), rel=1e-9)


def test_counts_of_filters(dashboard, run):
    result, lines, path = run
    zero = result["series"]["measured_begin_ns"]
    bad = [line for line in lines if line["error"] is not None]
    assert dashboard.get(f"{path}?status=failed").json["count"] == len(bad)
    kinds = {line["error"]["kind"] for line in bad}
    assert dashboard.get(path).json["facets"]["error"] == {kind: sum(line["error"]["kind"] == kind for line in bad) for kind in sorted(kinds)}
    some = sorted(kinds)[0]
    said = dashboard.get(f"{path}?error={some}&limit=200").json
    assert {row["error"] for row in said["rows"]} == {some}
    assert said["facets"]["status"]["completed"] == 0 and said["facets"]["status"]["failed"] == said["count"]
    assert [row["index"] for row in dashboard.get(f"{path}?index_from=10&index_to=19").json["rows"]] == list(range(10, 20))
    ends = [(line["end_ns"] - zero) / 1e9 for line in lines]
    for from_s, to_s in ((0.05, 0.06), (0.1, 0.1001), (-5, 1e6)):
        said = dashboard.get(f"{path}?from_s={from_s}&to_s={to_s}").json
        assert said["count"] == sum((line["acted_ns"] - zero) / 1e9 < to_s and end >= from_s for line, end in zip(lines, ends, strict=True))
    assert dashboard.get(f"{path}?from_s=1e6").json["count"] == 0
    part = lines[33]["request_id"][-9:].upper()
    assert 33 in [row["index"] for row in dashboard.get(f"{path}?id={part}").json["rows"]]


def test_rows_in_any_order(dashboard, run):
    _, lines, path = run
    columns = dashboard.get(path).json["columns"]
    for at, column in enumerate(columns):
        for sign in ("", "-")[at % 2:][:1] if column["type"] == "count" else ("", "-"):
            rows = []
            while len(rows) < 150:
                page = dashboard.get(f"{path}?sort={sign}{column['id']}&limit=60&offset={len(rows)}").json["rows"]
                rows += page
            assert sorted(row["index"] for row in rows) == list(range(150))
            values = [row[column["id"]] for row in rows]
            there = [value for value in values if value is not None]
            assert values[:len(there)] == there, "a missing value is last"
            keys = [value.encode() if isinstance(value, str) else value for value in there]
            assert keys == sorted(keys, reverse=sign == "-"), column
    row = dashboard.get(f"{path}?index_from=3&index_to=3").json["rows"][0]
    line = lines[3]
    assert row["request_id"] == line["request_id"] and row["prompt_tokens"] == line["prompt_tokens"] and row["chunks"] == len(line["events"])
    assert row["send_ms"] == pytest.approx((line["sent_ns"] - line["acted_ns"]) / 1e6, rel=1e-9)


def test_lanes(dashboard, run):
    _, lines, path = run
    said = dashboard.get(f"{path}?lanes=2000&limit=0").json["lanes"]
    assert said["shown"] == said["started"] == 150
    ends = {}
    for one in said["requests"]:
        assert one["start_s"] >= ends.get(one["lane"], -1e9), "two requests in one lane"
        ends[one["lane"]] = one["end_s"]
    # as many lanes as requests at once
    at = sorted([(line["acted_ns"], 1) for line in lines] + [(line["end_ns"], -1) for line in lines])
    assert said["lane_count"] == np.cumsum([step for _, step in at]).max() == len(ends)
    # of more requests, the longest
    few = dashboard.get(f"{path}?lanes=10&limit=0").json["lanes"]
    lengths = sorted((line["end_ns"] - line["acted_ns"] for line in lines), reverse=True)
    assert few["shown"] == 10 and few["started"] == 150
    assert min(one["end_s"] - one["start_s"] for one in few["requests"]) == pytest.approx(lengths[9] / 1e9, abs=1e-8)


def test_stalls(dashboard):
    put(dashboard, [record(0, gaps_ms=[2] * 20), record(1, gaps_ms=[2, 9.9, 2, 10.1, 2]), record(2, gaps_ms=[11] * 30), record(3, gaps_ms=[5000, 2])])
    lanes = dashboard.get(f"{PATH}?lanes=10").json["lanes"]
    assert lanes["median_itl_ms"] == 2 or lanes["median_itl_ms"] > 2
    lanes = dashboard.get(f"{PATH}?lanes=10&stall_ms=10").json["lanes"]
    assert lanes["stall_ms"] == 10
    by = {one["index"]: one for one in lanes["requests"]}
    assert by[0]["stall_count"] == 0 and by[1]["stall_count"] == 1
    assert by[1]["stalls"][0] == pytest.approx([by[1]["first_s"] + 0.0139, by[1]["first_s"] + 0.024], abs=1e-9)
    assert by[2]["stall_count"] == 30 and len(by[2]["stalls"]) == 20
    assert by[3]["stalls"] == [pytest.approx([by[3]["first_s"], by[3]["first_s"] + 5], abs=1e-9)]  # longer than 32 bits of ns
    assert dashboard.get(f"{PATH}?index_from=3").json["rows"][0]["max_itl_ms"] == 5000


def test_attempts_are_not_requests(dashboard):
    put(dashboard, [record(0), {**failed(1), "retried": True, "tries": None}, record(1, **{"try": 2, "tries": 2}), failed(2, "not_sent", acted_ns=None)])
    page = dashboard.get(PATH).json
    assert (page["total"], page["lines"], page["attempts"]) == (3, 4, 1)
    assert (page["sums"]["completed"], page["sums"]["failed"], page["sums"]["not_sent"]) == (2, 0, 1)
    assert page["rows"][1]["tries"] == 2 and page["rows"][2]["start_s"] is None


def test_turns_and_cached_tokens_have_columns(dashboard):
    put(dashboard, [record(0, session=1, turn=0), record(1, session=2, turn=0, cached_tokens=0), record(2, session=1, turn=1, cached_tokens=8), record(3)])
    rows = dashboard.get(PATH).json["rows"]
    assert [(row["session"], row["turn"], row["cached_tokens"]) for row in rows] == [(1, 0, None), (2, 0, 0), (1, 1, 8), (None, None, None)]
    assert [row["index"] for row in dashboard.get(f"{PATH}?sort=-turn").json["rows"]][0] == 2


@pytest.mark.release_only  # the size of the records is the point
def test_downloads_give_their_memory_back(dashboard):
    """Their sum is over the limit of all downloads at a time, and each ends before the next one begins."""
    line = json.dumps(record(10**9, gaps_ms=()), separators=(",", ":"))
    put(dashboard, "".join(f"{line.replace('1000000000', str(i), 1)}\n" for i in range(100_000)).encode())
    host = urlsplit(dashboard.url)
    for i in range(60):
        connection = http.client.HTTPConnection(host.hostname, host.port, timeout=30)
        connection.request("GET", f"{PATH}?format=csv")
        answer = connection.getresponse()
        assert answer.status == 200, (i, answer.read(300))
        assert answer.read(100).startswith(b"index,")
        connection.close()
        answer.close()


def test_csv_has_every_match(dashboard, run):
    _, _, path = run
    answer = dashboard.get(f"{path}?format=csv&sort=-ttft_ms&limit=3&status=completed")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    page = dashboard.get(f"{path}?sort=-ttft_ms&limit=200&status=completed").json
    assert list(rows[0]) == [column["id"] for column in page["columns"]]
    assert len(rows) == page["count"]
    for mine, row in zip(rows, page["rows"], strict=True):
        for column in page["columns"]:
            value = row[column["id"]]
            assert mine[column["id"]] == "" if value is None else (float(mine[column["id"]]) == value if column["type"] != "text" else mine[column["id"]] == value)


def test_a_cell_is_never_a_formula(dashboard):
    put(dashboard, [failed(0) | {"error": {"kind": "reset", "status": None, "message": '=HYPERLINK("x")'}, "request_id": "+1"}])
    text = dashboard.get(f"{PATH}?format=csv").body.decode()
    assert "'=HYPERLINK" in text and "'+1" in text


BAD_LINES = [
    b"", b"no JSON", b"[]", b"{}", b"5", b'"x"', b"{", b'{"index":0', b'{"index":-1}', b'{"index":1e2}', b'{"index":"0"}', b'{"index":9223372036854775808}',
    json.dumps(record(0, end_ns=5)).encode(),  # a negative duration
    json.dumps(record(0, acted_ns=2**63 - 1)).encode(), json.dumps(record(0, acted_ns="x")).encode(), json.dumps(record(0, events=5)).encode(),
    json.dumps(record(0, events=[[5, 1, 2]])).encode(),  # before the start
    json.dumps(record(0, events=[[1010 * MS, 1]])).encode(), json.dumps(record(0, events=[[1010 * MS, 1, 2, 3, 4]])).encode(),
    json.dumps(record(0, events=[[1020 * MS, 1, 2], [1010 * MS, 1, 2]])).encode(), json.dumps(record(0, events=[[2**62, 1, 2]])).encode(),
    json.dumps(record(0, events=[[1010 * MS, -1, 2]])).encode(), json.dumps(record(0, events=[[1010 * MS, 1, 64]])).encode(),
    json.dumps(record(0, prompt_tokens=2**40)).encode(), json.dumps(record(0, error=5)).encode(), json.dumps(record(0, retried=5)).encode(),
    json.dumps(record(0))[:-20].encode(),  # cut
    b'{"index":0,"server_queue_s":NaN}', b"\xff\xfe\x00", b'{"index":0,"request_id":"\xff"}', b"[" * 100_000,
]


def test_invalid_lines_are_counted(dashboard):
    put(dashboard, b"\n".join(BAD_LINES) + b"\n" + json.dumps(record(9)).encode())
    page = dashboard.get(f"{PATH}?curve=1&lanes=5").json
    assert page["skipped"] == len(BAD_LINES) - 1  # an empty one is no line
    assert [row["index"] for row in page["rows"]] == [9]


def test_odd_but_valid_lines(dashboard):
    one = record(0, gaps_ms=[])
    text = (b'{"index":3,"index":4}\n' + json.dumps({"later": {"a": [1, {}]}, **dict(reversed(one.items()))}).encode() + b"\n"
            + json.dumps(record(2, server_queue_s=5e-324, server_ttft_s=1e-300)).encode() + b"\r\n" + json.dumps(record(2)).encode())
    put(dashboard, text)
    page = dashboard.get(f"{PATH}?curve=1&lanes=5").json
    assert [row["index"] for row in page["rows"]] == [0, 2, 4] and page["skipped"] == 1  # the second record of a request
    assert page["rows"][0]["ttft_ms"] == 10 and page["rows"][0]["max_itl_ms"] is None
    assert page["sums"]["completed"] == 2 and page["rows"][2]["status"] == "not_sent"


def test_an_empty_file(dashboard):
    put(dashboard, b"\n\n")
    page = dashboard.get(f"{PATH}?curve=1&lanes=5").json
    assert page["total"] == 0 and page["span_s"] == [None, None] and page["sums"]["mean_ttft_ms"] is None
    assert all(value is None for one in page["curve"]["metrics"] for value in one["values"])
    assert dashboard.get(f"{PATH}?format=csv").body.count(b"\n") == 1


WIDE = [[1010 * MS, 2**20, 2]] * 3000  # each event of a few bytes takes 4 KB in memory
INFLATING = {
    "invalid lines": b"[]\n",
    "records": json.dumps(record(0, gaps_ms=[])).encode() + b"\n",
    "wide records": json.dumps(record(0, events=WIDE, error={"kind": "x" * 500, "message": "y" * 10**6})).encode() + b"\n",
}


@pytest.mark.parametrize("kind", INFLATING)
def test_a_file_that_inflates_is_refused_or_bounded(dashboard, kind):
    line = INFLATING[kind]
    packed = subprocess.run(["zstd", "-q", "-c"], input=line * (40_000_000 // len(line)), capture_output=True, check=True).stdout
    put(dashboard, packed * 50)
    said = dashboard.get(PATH)
    assert said.status in (200, 422), said.body
    if said.status == 422:
        assert re.search("lines|larger than|bytes of memory", said.json["detail"])
    status = Path(f"/proc/{dashboard.process.pid}/status").read_text()
    if not os.environ.get("PROFLLM_SANITIZED"):
        assert int(re.search(r"VmHWM:\s+(\d+)", status)[1]) < 2 << 20


def test_broken_compression(dashboard):
    whole = subprocess.run(["zstd", "-q", "-c"], input=json.dumps(record(0)).encode() * 50, capture_output=True, check=True).stdout
    for data in (whole[:-10], whole[:20] + b"xx" + whole[22:], b"\x28\xb5\x2f\xfdbroken"):
        put(dashboard, data)
        said = dashboard.get(PATH)
        assert said.status == 422 and "r.requests.jsonl" in said.json["detail"]


def test_a_lost_file_is_named(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1)])["counts"]["stored"] == 1
        put(one, [record(0)])
        for file in (tmp_path / "d.db.files").rglob("*"):
            if file.is_file():
                file.unlink()
        lost = one.get(PATH)
        assert lost.status == 404 and "r.requests.jsonl" in lost.json["detail"]


def test_wrong_requests(dashboard):
    put(dashboard, [record(0)])
    for query, part in (("limit=201", "/limit"), ("limit=x", "/limit"), ("offset=-1", "/offset"), ("status=ok", "/status"), ("error=x", "/error"),
                        ("lanes=2001", "/lanes"), ("stall_ms=-1", "/stall_ms"), ("format=xml", "/format"), ("unknown=1", "unknown"), ("index_from=-1", "/index_from"),
                        ("sort=tftt_ms", "did you mean 'ttft_ms'"), ("sort=-", "unknown column ''"), ("min=ttft_ms", "COLUMN:NUMBER"), ("min=ttft_ms:x", "COLUMN:NUMBER"),
                        ("min=ttft_ms:inf", "COLUMN:NUMBER"), ("max=error:5", "not a column of numbers"), ("min=ttf_ms:5", "did you mean 'ttft_ms'"),
                        ("from_s=x", "/from_s"), ("from_s=nan", "/from_s"), ("min=" + ",".join(["chunks:1"] * 21), "/min")):
        said = dashboard.get(f"{PATH}?{query}")
        assert said.status in (400, 422) and part in json.dumps(said.json), (query, said.json)
    assert dashboard.get(f"{PATH}?offset=5").json["rows"] == []
    assert dashboard.get(f"{PATH}?min=ttft_ms:-1e308&max=ttft_ms:1e308").json["count"] == 1


def test_results_without_records(dashboard):
    said = dashboard.get(PATH.replace("small-1", "small-2"))
    assert said.status == 404 and "--save-detailed" in said.json["detail"]
    assert dashboard.get(PATH.replace("small-1", "missing")).status == 404


def flat(count=40, **keys):
    """Returns a file of vllm bench serve --save-detailed, without the metrics that no test compares here."""
    rng = random.Random(3)
    gaps = [[rng.uniform(0.001, 0.02) for _ in range(rng.randrange(0, 9))] for _ in range(count)]
    ttfts = [rng.uniform(0.01, 0.2) for _ in range(count)]
    errors = ["" if i % 7 else "Service Unavailable" for i in range(count)]
    for i, error in enumerate(errors):
        if error:
            gaps[i], ttfts[i] = [], 0.0
    ok = [not error for error in errors]
    return {"date": "20261001-101010", "endpoint_type": "openai", "backend": "openai", "label": None, "model_id": "m", "tokenizer_id": "m", "num_prompts": count,
            "request_rate": "inf", "burstiness": 1.0, "max_concurrency": None, "duration": 2.5, "completed": sum(ok), "failed": count - sum(ok),
            "total_input_tokens": 8 * sum(ok), "total_output_tokens": sum((len(one) + 1) * good for one, good in zip(gaps, ok, strict=True)),
            "request_throughput": 1.0, "output_throughput": 1.0, "total_token_throughput": 1.0, "input_lens": [8] * count,
            "output_lens": [(len(one) + 1) * good for one, good in zip(gaps, ok, strict=True)], "ttfts": ttfts, "itls": gaps,
            "start_times": [5000 + i * 0.01 for i in range(count)], "generated_texts": ["x"] * count, "errors": errors,
            "mean_ttft_ms": 1.0, "median_ttft_ms": 1.0, "p99_ttft_ms": 1.0, "mean_itl_ms": 1.0, **keys}


@pytest.mark.parametrize("has_starts", [True, False])
def test_lists_of_vllm(dashboard, tmp_path, has_starts):
    document = flat(40 if has_starts else 41)
    if not has_starts:
        del document["start_times"]
    text = json.dumps(document).encode()
    job = dashboard.upload("/api/upload/json", text)
    assert job["counts"]["stored"] == 1, job
    assert dashboard.get(f"/api/data/experiments/{job['items'][0]['id']}").json["has_request_lists"] is True
    path = f"/api/data/experiments/{job['items'][0]['id']}/requests"
    page = dashboard.get(f"{path}?limit=200&lanes=100&curve=1").json
    assert page["source"] == "lists" and page["origin_ns"] is None
    assert page["total"] == len(document["ttfts"])
    ok = [not error for error in document["errors"]]
    assert page["sums"]["completed"] == document["completed"] and page["sums"]["failed"] == document["failed"]
    assert page["sums"]["total_input_tokens"] == document["total_input_tokens"] and page["sums"]["total_output_tokens"] == document["total_output_tokens"]
    ttft = np.array([value for value, good in zip(document["ttfts"], ok, strict=True) if good]) * 1e3
    assert page["sums"]["mean_ttft_ms"] == pytest.approx(ttft.mean(), abs=1e-6)
    gaps = np.concatenate([np.array(one) for one in document["itls"]]) * 1e3
    itl = next(one for one in page["curve"]["metrics"] if one["id"] == "itl_ms")
    assert itl["count"] == len(gaps) and itl["values"][90] == pytest.approx(np.percentile(gaps, 90), abs=2e-6)
    assert {row["error"] for row in page["rows"] if row["status"] == "failed"} == {"http_status"}
    assert page["lanes"]["started"] == (len(ok) if has_starts else 0)
    starts = [row["start_s"] for row in page["rows"]]
    assert starts == ([pytest.approx(i * 0.01, abs=1e-6) for i in range(len(ok))] if has_starts else [None] * len(ok))


@pytest.mark.parametrize("change", [{"ttfts": [1e300] * 40}, {"start_times": [-1e300] * 40}, {"itls": [[1e300, 1e300]] * 40}, {"itls": [[-1.0]] * 40},
                                    {"start_times": [1e308] * 40}, {"ttfts": []}])
def test_impossible_lists(dashboard, change):
    document = flat(label=json.dumps(change)[:60], errors=[""] * 40)
    document.update(change)
    job = dashboard.upload("/api/upload/json", json.dumps(document).encode())
    if job["counts"]["stored"] == 0:
        return
    said = dashboard.get(f"/api/data/experiments/{job['items'][0]['id']}/requests?curve=1&lanes=50")
    assert said.status in (200, 404, 422)
    assert said.status != 200 or said.json["skipped"] == 40
