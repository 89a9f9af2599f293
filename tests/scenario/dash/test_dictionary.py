"""Documents are compressed with dictionaries of similar ones: smaller, and returned unchanged; also by another process,
and those stored before."""
import json
import random

import pytest

from dashboard_tools import Dashboard, results
from database_tools import ask, bytes_of, change
from host_tools import need
from import_tools import dictionary_number, import_json, stored_bytes

FLAT = {"date": "20260101-000000", "backend": "vllm", "model_id": "m", "num_prompts": 2, "request_rate": "inf", "completed": 2, "failed": 0,
        "duration": 1.5, "total_input_tokens": 20, "total_output_tokens": 10, "request_throughput": 1.3, "output_throughput": 6.6,
        "total_token_throughput": 20, "mean_ttft_ms": 5, "median_ttft_ms": 5, "std_ttft_ms": 4, "p99_ttft_ms": 8.9}


def documents(count, seed=1):
    """Makes documents of several forms, indented and not, each with its own metrics."""
    rng = random.Random(seed)
    for i, result in enumerate(results(count, first=1000 * seed)):
        result = {**result, "results": {name: rng.random() if isinstance(value, float) else value for name, value in result["results"].items()}}
        result = {**FLAT, "mean_ttft_ms": rng.random()} if i % 5 == 4 else result
        yield json.dumps(result, indent=[None, 2][i % 2], separators=[(",", ":"), (", ", ": ")][i // 2 % 2]).encode()


@pytest.mark.one_database
@pytest.mark.release_only  # hundreds of documents; unit tests pack them as well
def test_all_come_back(bin_dir, database, tmp_path):
    need("zstd")
    db, sent = database.new(tmp_path), []
    for i, data in enumerate(documents(40)):
        (tmp_path / f"{i:03}.json").write_bytes(data)
        if i % 2:
            # each call is a process of its own, which finds the dictionaries of those before
            assert import_json(bin_dir, "--db", db, tmp_path / f"{i:03}.json", tmp_path / f"{i - 1:03}.json")["counts"]["stored"] == 2
            sent += [data, (tmp_path / f"{i - 1:03}.json").read_bytes()]
    with Dashboard(bin_dir, db) as dashboard:
        for i, data in enumerate(sent):
            assert dashboard.get(f"/api/data/experiments/{i + 1}/raw").body == data == stored_bytes(db, i + 1)
    packed = [bytes_of(row[0]) for row in ask(db, "SELECT bytes FROM benchmark_documents ORDER BY id")]
    numbers = [dictionary_number(one) for one in packed]
    assert numbers[0] is None and all(numbers[-8:]) and 2 <= len(set(numbers)) <= 12


def test_it_is_worth_it(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        for i in range(2):
            dashboard.upload("/api/upload/batch", list(results(30, first=100 * i)))
    sizes = [len(bytes_of(row[0])) for row in ask(tmp_path / "d.db", "SELECT bytes FROM benchmark_documents ORDER BY id")]
    assert sizes[-1] * 4 < sizes[0]


def test_a_dictionary_that_is_gone(bin_dir, tmp_path):
    """A missing dictionary is reported, and affects only its documents."""
    db = tmp_path / "d.db"
    with Dashboard(bin_dir, db) as dashboard:
        for i in range(3):
            dashboard.upload("/api/upload/json", next(results(1, first=i)))
    change(db, "DELETE FROM dictionaries")
    with Dashboard(bin_dir, db) as dashboard:
        answers = [dashboard.get(f"/api/data/experiments/{i}/raw") for i in (1, 2, 3)]
        assert answers[0].status == 200 and answers[2].status == 500
        assert "dictionary 1 is missing" in answers[2].json["detail"]
        assert dashboard.upload("/api/upload/json", next(results(1, first=9)))["counts"]["stored"] == 1
