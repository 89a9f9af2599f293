"""Prices of GPUs: the stored table, its import from CSV, and the costs of `POST /api/analysis/slo` that follow from it."""
import json
import subprocess

import pytest
from dashboard_tools import Dashboard
from test_slo import ask, result

PATH = "/api/prices"
LIMITS = [{"field": "results.output_throughput", "min": 0}]


def put(dashboard, body, **headers):
    return dashboard.ask("PUT", PATH, json.dumps(body), {"Content-Type": "application/json", **headers})


def costs(dashboard, **question):
    return {one["gpu"]: one["costs"]["price_per_million_output_tokens"] for one in ask(dashboard, limits=LIMITS, **question)["configurations"]}


def test_a_new_database_has_no_prices_and_changes_have_revisions(dashboard):
    assert dashboard.get(PATH).json == {"prices": [], "currency": None, "carbon_g_per_kwh": None, "revision": 0, "changed_at": None, "changed_by": None}
    assert put(dashboard, {"prices": []}, **{"If-Match": '"7"'}).status == 412
    first = put(dashboard, {"prices": [{"gpu": "H100", "per_hour": 3.6}], "currency": "EUR", "carbon_g_per_kwh": 360}, **{"If-Match": '"0"'})
    assert put(dashboard, {"prices": []}, **{"If-Match": '"0"'}).status == 412
    assert first.status == 200 and first.json["revision"] == 1 and first.json["changed_at"] is not None
    assert dashboard.get(PATH).json == first.json
    # the emissions and the currency stay unless they are in the request, all prices are replaced
    second = put(dashboard, {"prices": [{"gpu": "B200", "per_hour": 9}]}, **{"If-Match": '"1"'})
    assert (second.json["prices"], second.json["currency"], second.json["carbon_g_per_kwh"], second.json["revision"]) == \
        ([{"gpu": "B200", "per_hour": 9}], "EUR", 360, 2)
    assert put(dashboard, {"prices": []}, **{"If-Match": '"1"'}).status == 412
    last = put(dashboard, {"prices": [], "currency": None, "carbon_g_per_kwh": None}).json
    assert (last["currency"], last["carbon_g_per_kwh"]) == (None, None)
    assert dashboard.get(PATH).json["revision"] == 3


@pytest.mark.parametrize("body, pointer", [
    ({}, ""), ({"prices": [{"gpu": "H100"}]}, "/prices/0"), ({"prices": [{"gpu": "H100", "per_hour": -1}]}, "/prices/0/per_hour"),
    ({"prices": [{"gpu": "H100", "per_hour": 1}, {"gpu": "H100", "per_hour": 2}]}, "/prices/1/gpu"), ({"prices": [], "carbon_g_per_kwh": -1}, "/carbon_g_per_kwh"),
    ({"prices": [], "currency": ""}, "/currency"), ({"prices": [], "currency": "moneymoney"}, "/currency"),
])
def test_unfit_prices_change_nothing(dashboard, body, pointer):
    answer = put(dashboard, body)
    assert (answer.status, answer.json["pointer"]) == (422, pointer), answer.json
    assert dashboard.get(PATH).json["revision"] == 0


def test_costs_follow_from_the_stored_prices_unless_the_request_has_its_own(dashboard):
    dashboard.upload("/api/upload/batch", [result(i, 8 * i, gpu=gpu, energy_per_token_j=2.0) for i, gpu in enumerate(("H100", "B200"), 1)])
    assert costs(dashboard) == {"H100": None, "B200": None}
    version = dashboard.get("/api/health").json["data_version"]
    put(dashboard, {"prices": [{"gpu": "H100", "per_hour": 3.6}], "carbon_g_per_kwh": 360})
    assert dashboard.get("/api/health").json["data_version"] > version
    assert costs(dashboard) == {"H100": pytest.approx(1.0), "B200": None}
    answer = ask(dashboard, limits=LIMITS)
    assert answer["cheapest"]["price"]["ids"] == [1]
    assert answer["configurations"][0]["costs"]["carbon_g_per_million_output_tokens"] == pytest.approx(2e6 / 3.6e6 * 360)
    put(dashboard, {"prices": [{"gpu": "H100", "per_hour": 7.2}, {"gpu": "B200", "per_hour": 3.6}]})
    assert costs(dashboard) == {"H100": pytest.approx(2.0), "B200": pytest.approx(1.0)}
    assert costs(dashboard, prices=[{"gpu": "H100", "per_hour": 1.8}]) == {"H100": pytest.approx(0.5), "B200": None}
    assert costs(dashboard, prices=[]) == {"H100": None, "B200": None}


def imported(bin_dir, db, *words):
    return subprocess.run([str(bin_dir / "profllm-dashboard"), "import", "--db", str(db), *map(str, words)], capture_output=True, text=True, timeout=60)


def test_import_of_a_csv(bin_dir, db, tmp_path):
    file = tmp_path / "prices.csv"
    file.write_text('# list of November\ncurrency,per_hour,gpu\r\n\nEUR,2.5,"NVIDIA H100 80GB HBM3"\nEUR, 9 ,"B200, ""air"""\n')
    answer = imported(bin_dir, db, "--prices", file)
    assert (answer.returncode, answer.stderr) == (0, "") and answer.stdout.startswith("2 prices stored in ")
    with Dashboard(bin_dir, db) as one:
        expected = [{"gpu": "NVIDIA H100 80GB HBM3", "per_hour": 2.5}, {"gpu": 'B200, "air"', "per_hour": 9}]
        assert (one.get(PATH).json["prices"], one.get(PATH).json["currency"]) == (expected, "EUR")
        # while the dashboard runs
        file.write_text("gpu,per_hour\nH200,3\n")
        assert imported(bin_dir, db, "--prices", file).returncode == 0
        stored = one.get(PATH).json
        assert (stored["prices"], stored["currency"], stored["revision"]) == ([{"gpu": "H200", "per_hour": 3}], "EUR", 2)


@pytest.mark.parametrize("text, message", [
    ("", "1:1: found nothing, expected the names of columns"),
    ("gpu,price\nH100,1\n", "1:1: found no column 'per_hour'"),
    ("gpu,per_hours\nH100,1\n", "1:1: found no column 'per_hour' (did you mean 'per_hours'?)"),
    ("gpu,per_hour,gpu\nH100,1,2\n", "1:14: found column 'gpu' twice"),
    ("gpu,per_hour\nH100,free\n", "2:6: per_hour: found 'free', expected a number of at least 0"),
    ("gpu,per_hour\n# x\nH100,-1\n", "3:6: per_hour: found '-1', expected a number of at least 0"),
    ("gpu,per_hour\nH100,inf\n", "2:6: per_hour: found 'inf', expected a number of at least 0"),
    ("gpu,per_hour\n,1\n", "2:1: gpu: found 0 bytes, expected 1 to 300"),
    ("gpu,per_hour\nA,1\nA,2\n", "3:1: gpu: found 'A' twice, expected one price per GPU"),
    ('gpu,per_hour\n"A,1\n', "2:1: found no closing quote"),
    ("gpu,per_hour\nA\n", "2:1: found 1 field, expected 2"),
    ("gpu,per_hour,currency\nA,1,EUR\nB,1,USD\n", "3:5: currency: found 'USD', expected 'EUR' as in the lines before"),
    ("gpu,per_hour,currency\nA,1,\n", "2:5: currency: found 0 bytes, expected 1 to 8"),
    ("gpu,per_hour\n" + "".join(f"G{i},1\n" for i in range(101)), "102:1: found more than 100 GPUs"),
])
def test_a_file_that_cannot_be_read_changes_nothing(bin_dir, db, tmp_path, text, message):
    file = tmp_path / "prices.csv"
    file.write_text(text)
    answer = imported(bin_dir, db, "--prices", file)
    assert answer.returncode == 2 and f"{file}:{message}" in answer.stderr, answer.stderr
