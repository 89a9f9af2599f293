"""GET /api/data/experiments/{id}/report: the report of a stored result, as `profllm report` writes it."""
import concurrent.futures
import copy
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from dashboard_tools import Dashboard
from run_tools import base_config, load_result, run_profllm, write_config

SANITIZED = os.environ.get("PROFLLM_SANITIZED")


@pytest.fixture(scope="module")
def folder(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    config = base_config(num_prompts=60, request_rate=300)
    config["name"] = "a <b> & c"
    done = run_profllm(bin_dir, "run", "--config", write_config(folder, config), "-o", folder / "r.json")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def dashboard(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "results.db") as started:
        yield started


def body_of(text):
    """Without what depends on the name under which a reader has the file."""
    text = re.sub(r"profllm run --config .*?(?=</code>|\n)", "", text)
    return re.sub(r"<tr><th scope=\"row\">File</th>.*?</tr>\n", "", text)


def test_it_equals_the_commands_report(bin_dir, dashboard, folder):
    done = run_profllm(bin_dir, "upload", folder / "r.json", "--to", dashboard.url)
    assert done.returncode == 0, done.stderr
    number, = dashboard.ids()
    answer = dashboard.get(f"/api/data/experiments/{number}/report")
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"] and ".html" in answer.headers["Content-Disposition"]
    assert "sandbox" in answer.headers.get_all("Content-Security-Policy")
    text = answer.body.decode()
    own = run_profllm(bin_dir, "report", folder / "r.json", "--html").stdout
    assert "E2EL histogram" in text and "Requests in flight" in text
    assert body_of(text) == body_of(own)
    run_id = load_result(folder / "r.json")["run_id"]
    assert dashboard.get(f"/api/data/experiments/{run_id}/report").body == answer.body
    # one report at a time reads artifacts
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: dashboard.get(f"/api/data/experiments/{number}/report"), range(16)))
    assert {one.body for one in answers if one.status == 200} == {answer.body}
    assert all(one.headers["Retry-After"] == "1" for one in answers if one.status != 200) and {one.status for one in answers} <= {200, 503}


def test_a_second_record_of_a_request_is_ignored(dashboard, folder):
    result = {**load_result(folder / "r.json"), "artifacts": []}
    dashboard.upload("/api/upload/json", result)
    lines = subprocess.run(["zstd", "-q", "-d", "-c", folder / "r.requests.jsonl.zst"], capture_output=True, check=True).stdout
    reports = []
    for data in (lines, lines + lines):
        path = f"/api/upload/artifact/{result['run_id']}/requests/r.requests.jsonl"
        put = dashboard.ask("PUT", path, data, {"Content-Type": "application/octet-stream"})
        assert put.status in (200, 201), put.body
        reports.append(dashboard.get("/api/data/experiments/1/report").body.decode())
    assert "E2EL histogram" in reports[0] and re.findall(r"<svg.*?</svg>", reports[0], re.S) == re.findall(r"<svg.*?</svg>", reports[1], re.S)


LARGE = {  # the text of the requests, and the expected note
    "lines": (b"\n" * ((4 << 20) + 1), "more than 4194304 lines"),
    "values of a line": (b"[" + b"[]," * (10 << 20) + b"0]\n", None),
    "bytes of a line": (b"[" * (40 << 20), None),
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_requests_are_bounded(dashboard, folder, kind):
    data, note = LARGE[kind]
    result = {**load_result(folder / "r.json"), "artifacts": []}
    dashboard.upload("/api/upload/json", result)
    packed = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
    path = f"/api/upload/artifact/{result['run_id']}/requests/r.requests.jsonl"
    put = dashboard.ask("PUT", path, packed, {"Content-Type": "application/octet-stream"})
    assert put.status in (200, 201), put.body
    answer = dashboard.get("/api/data/experiments/1/report?format=text")
    assert answer.status == 200
    assert note is None or note in " ".join(answer.body.decode().split()), answer.body.decode()[-2000:]
    status = Path(f"/proc/{dashboard.process.pid}/status").read_text(encoding="ascii")
    assert SANITIZED or int(re.search(r"VmHWM:\s+(\d+)", status)[1]) < 400 << 10


@pytest.mark.parametrize(("form", "media", "start"), [
    ("html", "text/html", "<!doctype html>"), ("markdown", "text/markdown", "# a &lt;b&gt; &amp; c"), ("text", "text/plain", "SIMULATED")])
def test_forms(dashboard, folder, form, media, start):
    dashboard.upload("/api/upload/json", load_result(folder / "r.json"))
    answer = dashboard.get(f"/api/data/experiments/1/report?format={form}")
    assert answer.status == 200 and answer.headers["Content-Type"] == f"{media}; charset=utf-8"
    assert answer.body.decode().startswith(start)
    # the artifacts were not uploaded
    assert "r.requests.jsonl.zst: not stored, so its charts are missing" in answer.body.decode().replace("\\_", "_").replace("\n  ", " ")


@pytest.mark.parametrize(("name", "expected"), [
    ("a/b", "b"), ("\u00e9", "__"), ("/", None), (".", None), ("..", None), ("a/.b", None), ("a/-", None)])
def test_file_names(dashboard, folder, name, expected):
    result = {**load_result(folder / "r.json"), "name": name}
    dashboard.upload("/api/upload/json", result)
    answer = dashboard.get("/api/data/experiments/1/report?format=text")
    assert answer.status == 200
    assert f'filename="{expected or result["run_id"]}.txt"' in answer.headers["Content-Disposition"]


def test_refusals(dashboard, folder):
    dashboard.upload("/api/upload/json", load_result(folder / "r.json"))
    assert dashboard.get("/api/data/experiments/9/report").status == 404
    assert dashboard.get("/api/data/experiments/1/report?format=pdf").status == 422
    assert dashboard.ask("DELETE", "/api/data/experiments/1").status == 204
    assert dashboard.get("/api/data/experiments/1/report").status == 410


def test_small_and_hostile_documents(dashboard, folder):
    result = load_result(folder / "r.json")
    documents = [{"run_id": "small", "timestamp": "2026-01-01T00:00:00Z", "config": {}, "results": {"output_throughput": 12.5}}]
    for number, (key, value) in enumerate((("results", {}), ("quality", None), ("launch", None), ("artifacts", []), ("series", None))):
        documents.append({**copy.deepcopy(result), "run_id": f"other{number}", key: value})
    extreme = copy.deepcopy(result)
    extreme["run_id"] = "extreme"
    extreme["series"].update(measured_begin_ns=1, measured_end_ns=2**63 - 1)
    extreme["results"].update(p99_ttft_ms=1e308, median_ttft_ms=-1e308, p90_ttft_ms=5e-324)
    documents.append(extreme)
    for document in documents:
        job = dashboard.upload("/api/upload/json", document)
        assert job["items"][0]["state"] in ("stored", "rejected"), json.dumps(job)
    for number in dashboard.ids():
        answer = dashboard.get(f"/api/data/experiments/{number}/report")
        assert answer.status == 200 and b"</html>" in answer.body
        assert b"nan" not in re.sub(rb"[a-z]+nan|nan[a-z]+", b"", answer.body.lower())
