"""Baselines: public results from CSV and InferenceX, kept apart from results, their lines in two metrics and how they differ."""
import json
import os
import subprocess
from pathlib import Path

import pytest
from dashboard_tools import Dashboard
from test_pareto import result
from wait_tools import wait_for

PATH, LINES = "/api/baselines", "/api/analysis/baselines"
USER, GPU = "derived.tokens_per_s_per_user", "derived.output_throughput_per_gpu"
METRICS = [{"field": USER, "direction": "higher"}, {"field": GPU, "direction": "higher"}]
HEAD = "model,gpu,gpu_count,precision,input_length,output_length,concurrency,engine,source,date,median_tpot_ms,output_throughput,remark"
CSV = f"""# public results
{HEAD}
some/model,H100,2,fp8,1024,128,8,vllm,"Example, Inc.",2026-09-01,10,1000,a
Some/Model,h100,2,fp8,1024,128,16,vllm,"Example, Inc.",2026-09-03,20,1800,b
some/model,h100,2,fp8,1024,128,32,vllm,"Example, Inc.",2026-09-02,30,1500,
other-model,B200,,,,,,,,,5,2000,
"""
ITEM = {"hw": "mi355x", "conc": 4, "model": "some/Model", "framework": "vllm", "precision": "int4", "spec_decoding": "mtp", "disagg": False, "isl": 1024,
        "osl": 128, "tp": 8, "ep": 1, "dp_attention": "false", "tput_per_gpu": 90.0, "output_tput_per_gpu": 45.0, "input_tput_per_gpu": 45.0,
        "mean_ttft": 0.2, "median_ttft": 0.19, "median_tpot": 0.02, "median_intvty": 49.0, "p99.9_e2el": 3.5, "std_ttft": 0.1}


def imported(bin_dir, db, *words):
    return subprocess.run([str(bin_dir / "profllm-dashboard"), "import", "--db", str(db), *(word if isinstance(word, bytes) else str(word) for word in words)], capture_output=True, text=True, timeout=60)


def lines(dashboard, ids, **question):
    answer = dashboard.post(LINES, {"baselines": ids, "metrics": METRICS, **question})
    assert answer.status == 200, answer.json
    return answer.json


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "public.csv"
    path.write_text(CSV)
    return path


def test_a_csv_is_listed_and_deleted_and_never_among_the_results(bin_dir, db, csv):
    done = imported(bin_dir, db, "--baseline", "Public", csv)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.startswith("baseline 'Public': 4 rows stored in ") and done.stdout.endswith("ignored columns: remark\n")
    with Dashboard(bin_dir, db) as one:
        assert one.get("/api/data/experiments").json["total"] == 0
        (head,) = one.get(PATH).json["baselines"]
        assert {key: head[key] for key in head if not key.endswith("_at")} == {
            "id": 1, "name": "Public", "row_count": 4, "models": ["some/model", "Some/Model", "other-model"], "gpus": ["H100", "h100", "B200"],
            "sources": ["Example, Inc."], "metrics": ["results.median_tpot_ms", "results.output_throughput", GPU, USER],
            "first_date": "2026-09-01", "last_date": "2026-09-03"}
        rows = one.get(f"{PATH}/1").json["rows"]
        assert rows[0] == {"model": "some/model", "gpu": "H100", "gpu_count": 2, "precision": "fp8", "input_length": 1024, "output_length": 128,
                           "concurrency": 8, "engine": "vllm", "source": "Example, Inc.", "date": "2026-09-01", "note": None,
                           "values": {"results.median_tpot_ms": 10, "results.output_throughput": 1000, GPU: 500, USER: 100}}
        assert rows[3]["values"] == {"results.median_tpot_ms": 5, "results.output_throughput": 2000, USER: 200} and rows[3]["source"] is None
        version = one.get("/api/health").json["data_version"]
        # replaced as a whole, with a source and a date for rows that have none
        csv.write_text("model,gpu,results.median_ttft_ms\nm,H100,1\n")
        assert imported(bin_dir, db, "--baseline", "Public", "--source", "us", "--date", "2026-10-31", csv).returncode == 0
        (head,) = one.get(PATH).json["baselines"]
        assert (head["id"], head["row_count"], head["sources"], head["first_date"]) == (1, 1, ["us"], "2026-10-31")
        wait_for(lambda: one.get("/api/health").json["data_version"] > version, "the import is seen")
        assert one.ask("DELETE", f"{PATH}/1").status == 204 and one.get(PATH).json == {"baselines": []}
        assert one.ask("DELETE", f"{PATH}/1").status == 404 and one.get(f"{PATH}/1").status == 404


def test_ignored_columns_are_listed_with_what_they_may_mean(bin_dir, db, csv):
    csv.write_text("model,gpu,outptu_throughput,median_ttft_ms,gpu_cuont,remark,date\nm,H100,1,1,8,x,2024-02-29T12:00:00Z\n")
    done = imported(bin_dir, db, "--baseline", "Public", csv)
    assert done.stdout.endswith("ignored columns: outptu_throughput (did you mean 'output_throughput'?), gpu_cuont (did you mean 'gpu_count'?), remark\n")
    done = imported(bin_dir, db, "--baseline", "Public", "--json", csv)
    assert json.loads(done.stdout)["ignored_columns"] == ["outptu_throughput", "gpu_cuont", "remark"]


def test_only_requested_baselines_are_drawn(bin_dir, db, csv):
    for name in "ABC":
        assert imported(bin_dir, db, "--baseline", name, csv).returncode == 0
    with Dashboard(bin_dir, db) as one:
        assert [head["name"] for head in one.get(PATH).json["baselines"]] == ["A", "B", "C"]
        assert {line["name"] for line in lines(one, [3, 99, 1])["lines"]} == {"A", "C"}
        assert one.ask("DELETE", f"{PATH}/1").status == 204
        assert {line["name"] for line in lines(one, [3, 99, 1])["lines"]} == {"C"}


def test_lines_and_how_they_differ(bin_dir, db, csv):
    assert imported(bin_dir, db, "--baseline", "Public", csv).returncode == 0
    with Dashboard(bin_dir, db) as one:
        one.upload("/api/upload/batch", [result(1, 8, "0.10.0", "NVIDIA H100 80GB HBM3"), result(2, 16, "0.10.0", "NVIDIA H100 80GB HBM3")])
        answer = lines(one, [1, 99])
        assert answer["unmeasured_count"] == 1 and answer["more_count"] == 0
        by_model = {(line["model"], line["gpu"]): line for line in answer["lines"]}
        line = by_model["some/model", "H100"]
        assert line["points"] == [{"x": 100, "y": 500, "frontier": True, "gpu_count": 2, "concurrency": 8, "source": "Example, Inc.", "date": "2026-09-01"}]
        differences = {one["property"]: one for one in line["differences"]}
        # the same model, GPU, count and engine; the results record no lengths, no concurrency and no quantization
        assert set(differences) == {"precision", "input_length", "output_length", "concurrency"}
        assert differences["concurrency"] == {"property": "concurrency", "kind": "differs", "results": [], "baseline": [8]}
        assert [one["kind"] for one in differences.values()] == ["differs"] * 4
        # results do not change
        assert one.get("/api/data/experiments").json["total"] == 2
        assert one.post("/api/analysis/pareto", {}).json["count"] == 2
        assert len(lines(one, [1], limit=1)["lines"]) == 1 and lines(one, [1], limit=1)["more_count"] == len(answer["lines"]) - 1
        assert lines(one, [])["lines"] == []
        assert one.post(LINES, {"baselines": [1], "metrics": METRICS, "filter": {"field": "server.nothing", "op": "eq", "value": 1}}).status == 422


def test_a_line_has_its_frontier_and_dates(bin_dir, db, csv):
    csv.write_text(CSV.replace("Some/Model", "some/model").replace("H100", "h100"))
    assert imported(bin_dir, db, "--baseline", "Public", csv).returncode == 0
    with Dashboard(bin_dir, db) as one:
        one.upload("/api/upload/batch", [result(1, 8, "0.10.0", "NVIDIA A100-SXM4-80GB")])
        (line,) = lines(one, [1])["lines"]
        # x is 1000 / median TPOT, y the throughput of two GPUs
        assert [(round(point["x"], 3), point["y"], point["frontier"]) for point in line["points"]] == [(33.333, 750, False), (50, 900, True), (100, 500, True)]
        assert (line["first_date"], line["last_date"], line["name"], line["sources"]) == ("2026-09-01", "2026-09-03", "Public", ["Example, Inc."])
        gpu = next(one for one in line["differences"] if one["property"] == "gpu")
        assert gpu == {"property": "gpu", "kind": "differs", "results": ["NVIDIA A100-SXM4-80GB"], "baseline": ["h100"]}


def test_inferencex(bin_dir, db, tmp_path):
    one_item, several = tmp_path / "one.json", tmp_path / "several.json"
    one_item.write_text(json.dumps(ITEM))
    apart = {**ITEM, "hw": "gb200", "spec_decoding": "none", "disagg": "true", "num_prefill_gpu": 4, "num_decode_gpu": 8}
    agentic = {key: value for key, value in ITEM.items() if key not in ("median_tpot", "median_intvty", "isl", "osl", "spec_decoding")}
    several.write_text(json.dumps([apart, {**agentic, "mean_intvty": 6.5, "mean_input_tokens": 101929.5, "mean_output_tokens_actual": 502.25}]))
    done = imported(bin_dir, db, "--baseline", "InferenceX", "--date", "2026-10-01", one_item, several)
    assert done.returncode == 0, done.stderr
    with Dashboard(bin_dir, db) as dashboard:
        first, second, third = dashboard.get(f"{PATH}/1").json["rows"]
        assert first == {"model": "some/Model", "gpu": "mi355x", "gpu_count": 8, "precision": "int4", "input_length": 1024, "output_length": 128, "concurrency": 4,
                         "engine": "vllm", "source": "InferenceX", "date": "2026-10-01", "note": "speculative decoding mtp",
                         "values": {"results.mean_ttft_ms": 200, "results.median_ttft_ms": 190, "results.median_tpot_ms": 20, "results.p99.9_e2el_ms": 3500,
                                    GPU: 45, USER: 49}}
        assert (second["gpu_count"], second["note"]) == (12, "prefill and decode apart: output per GPU counts decode GPUs")
        assert (third["note"], third["values"][USER], third["input_length"]) == ("tokens/s per user is a mean, not a median", 6.5, 101929.5)


@pytest.mark.parametrize("text, message", [
    ("", ":1:1: found nothing, expected the names of columns, or results of InferenceX as JSON"),
    ("# x\n", ":2:1: found nothing, expected the names of columns"),
    ("gpu,median_ttft_ms\nH100,1\n", ":1:1: found no column 'model'"),
    ("modle,gpu,median_ttft_ms\nm,H100,1\n", ":1:1: found no column 'model' (did you mean 'modle'?)"),
    ("model,gpu\nm,H100\n", ":1:1: found no column of a metric, expected one such as output_throughput or median_ttft_ms"),
    ("model,gpu,gpu,median_ttft_ms\n", ":1:11: found column 'gpu' twice"),
    ("model,gpu,median_ttft_ms,results.median_ttft_ms\n", ":1:26: found column 'results.median_ttft_ms' twice"),
    ("model,gpu,median_ttft_ms\n", ": found no rows, expected at least one"),
    ("model,gpu,median_ttft_ms\n# x\nm,H100,fast\n", ":3:8: median_ttft_ms: found 'fast', expected a number of at least 0"),
    ("model,gpu,median_ttft_ms\nm,H100,nan\n", ":2:8: median_ttft_ms: found 'nan', expected a number of at least 0"),
    ("model,gpu,gpu_count,median_ttft_ms\nm,H100,1.5,1\n", ":2:8: gpu_count: found '1.5', expected a whole number from 1"),
    ("model,gpu,date,median_ttft_ms\nm,H100,1.9.2026,1\n", ":2:8: date: found '1.9.2026', expected a date such as 2026-10-31"),
    ("model,gpu,date,median_ttft_ms\nm,H100,9999-99-99,1\n", ":2:8: date: found '9999-99-99', expected a date such as 2026-10-31"),
    ("model,gpu,date,median_ttft_ms\nm,H100,2026-02-29,1\n", ":2:8: date: found '2026-02-29', expected a date such as 2026-10-31"),
    ("model,gpu,date,median_ttft_ms\nm,H100,2026-10-311,1\n", ":2:8: date: found '2026-10-311', expected a date such as 2026-10-31"),
    ("model,gpu,median_ttft_ms\nm,,1\n", ":2:3: gpu: found nothing, expected a text"),
    ("model,gpu,median_ttft_ms\nm,H100\n", ":2:1: found 2 fields, expected 3"),
    ("model,gpu,median_ttft_ms\nm,H100,1,2\n", ":2:10: found 4 fields, expected 3"),
    ('model,gpu,median_ttft_ms\n"m,H100,1\n', ":2:1: found no closing quote"),
    ("model,gpu,median_ttft_ms\n" + "m,H100,1\n" * 10001, ":10002:1: found more than 10000 rows"),
    ("[1]", "item 1: expected an object"),
    ('{"model": "m"}', "item 1: hw: found nothing, expected a text as in an aggregate result of InferenceX"),
    ('[{"model": "m", "hw": "h100", "tp": 1}]', "item 1: found no metric, expected one such as output_tput_per_gpu or median_ttft"),
    ('{"model": "m",\n "hw": ]', "file:2:8: not valid JSON"),
])
def test_a_wrong_file_changes_nothing(bin_dir, db, csv, text, message):
    assert imported(bin_dir, db, "--baseline", "Public", csv).returncode == 0
    csv.write_text(text)
    done = imported(bin_dir, db, "--baseline", "Public", csv)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    start = f"{csv}{message}" if message.startswith(":") and message[1].isdigit() else f"baseline '{csv}': "
    assert start in done.stderr and message in done.stderr, done.stderr
    with Dashboard(bin_dir, db) as one:
        assert one.get(PATH).json["baselines"][0]["row_count"] == 4


@pytest.mark.parametrize("words, message", [
    (["--baseline", "x"], "--baseline: expected a FILE"), (["--baseline", "", "FILE"], "--baseline: found 0 bytes, expected 1 to 200"),
    (["--baseline", "x", "--date", "1.9.2026", "FILE"], "--date: found '1.9.2026', expected a date such as 2026-10-31"),
    (["--baseline", "x", "--date", "9999-99-99", "FILE"], "--date: found '9999-99-99', expected a date such as 2026-10-31"),
    (["--baseline", b"a\xff", "FILE"], "--baseline: the name is not valid UTF-8"),
    (["--source", "x", "FILE"], "--source and --date need --baseline"), (["--baseline", "x", "--prices", "FILE", "FILE"], "neither --watch nor --prices"),
])
def test_unfit_command_lines(bin_dir, db, csv, words, message):
    done = imported(bin_dir, db, *(csv if word == "FILE" else word for word in words))
    assert done.returncode == 2 and message in done.stderr, done.stderr


@pytest.mark.skipif("PROFLLM_TEST_DATA" not in os.environ, reason="needs real results: PROFLLM_TEST_DATA")
def test_real_results_of_inferencex(bin_dir, db):
    files = []
    for path in sorted((Path(os.environ["PROFLLM_TEST_DATA"]) / "data/results/inferencex").glob("*.json")):
        content = json.loads(path.read_text())
        items = content if isinstance(content, list) else [content]
        if all("hw" in item and "model" in item for item in items):
            files.append((path, items))
    assert len(files) > 50
    done = imported(bin_dir, db, "--baseline", "InferenceX", *(path for path, _ in files))
    assert done.returncode == 0, done.stderr
    with Dashboard(bin_dir, db) as one:
        rows = one.get(f"{PATH}/1").json["rows"]
        items = [item for _, items in files for item in items]
        assert len(rows) == len(items)
        for row, item in zip(rows, items):
            assert (row["model"], row["gpu"], row["gpu_count"]) == (item["model"], item["hw"] or "unknown", item["tp"])
            assert row["values"][GPU] == item["output_tput_per_gpu"]
            if "median_ttft" in item:
                assert row["values"]["results.median_ttft_ms"] == pytest.approx(1000 * item["median_ttft"])
        answer = lines(one, [1], limit=200)
        assert answer["lines"] and sum(len(line["points"]) for line in answer["lines"]) + answer["unmeasured_count"] == len(rows)
