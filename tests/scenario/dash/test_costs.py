"""Fields computed with the stored prices (mirror/priced.h): cost and carbon. Each number of the queries over them is compared with numpy on the uploaded
documents, on both databases, and again after the prices and the results have changed."""
import random

import numpy
import pytest
from test_prices import imported, put
from test_slo import result

SEED = 20261130
RESULTS = 120
HOUR, OUTPUT, INPUT, CARBON = FIELDS = ["derived.cost_per_hour", "derived.cost_per_million_output_tokens", "derived.cost_per_million_input_tokens",
                                        "derived.carbon_per_million_output_tokens"]
PRICES = {"prices": [{"gpu": "H100", "per_hour": 2.49}, {"gpu": "B200", "per_hour": 6.1}, {"gpu": "free", "per_hour": 0}], "carbon_g_per_kwh": 381.5}
LATER = {"prices": [{"gpu": "A100", "per_hour": 1.1}, {"gpu": "H100", "per_hour": 1.99}], "carbon_g_per_kwh": None}


def documents(count, first=0):
    """Results of which some lack what a cost needs: a price, the number of GPUs, a rate, an energy."""
    rng = random.Random(f"{SEED} {first}")
    for i in range(first, first + count):
        one = result(i, 2 ** (i % 8), gpu=rng.choice(["H100", "B200", "A100", "free", None]), gpus=rng.choice([1, 2, 4, 8, 0, None]), throughput=rng.uniform(50, 9000),
                     ttft=rng.uniform(20, 900), median_tpot_ms=rng.uniform(5, 60), energy_per_token_j=rng.choice([rng.uniform(0.05, 4), None]))
        one["timestamp"] = f"2026-10-{i % 28 + 1:02}T10:00:00Z"
        if i % 17 == 0:
            one["results"]["output_throughput"] = rng.choice([0, None])
        if i % 19 == 0:
            del one["results"]["input_throughput"]
        yield one


def counted(document, prices):
    """The fields of one result by their definitions; None: missing."""
    results, hardware = document["results"], document["system"]["hardware_info"]
    per_hour = {price["gpu"]: price["per_hour"] for price in prices["prices"]}.get(hardware["gpu_name"])
    hour = per_hour * hardware["gpu_count"] if per_hour is not None and hardware["gpu_count"] else None

    def per_million(rate):
        return hour / 3600 / rate * 1e6 if hour is not None and rate else None
    energy, grid = results.get("energy_per_token_j"), prices["carbon_g_per_kwh"]
    return {HOUR: hour, OUTPUT: per_million(results["output_throughput"]), INPUT: per_million(results.get("input_throughput")),
            CARBON: energy * 1e6 / 3.6e6 * grid if energy is not None and grid is not None else None}


def apply(dashboard, **question):
    answer = dashboard.post("/api/filters/apply", question)
    assert answer.status == 200, answer.json
    return answer.json


def check(dashboard, made, prices):
    """Compares rows, order, filters, statistics, groups, points, exports and frontiers with the documents."""
    wanted = {document["run_id"]: counted(document, prices) for document in made}
    rows = dashboard.rows(columns=[*FIELDS, "run.run_id"])
    assert len(rows) == len(made)
    for row in rows:
        cells = {field: row["cells"].get(field) for field in FIELDS}
        assert cells == pytest.approx(wanted[row["run_id"]], rel=1e-12), row
    for field in FIELDS:
        known = {run: values[field] for run, values in wanted.items() if values[field] is not None}
        facet = apply(dashboard, limit=0, facets=[field], metrics=[field])
        assert (facet["facets"][field]["recorded"], facet["facets"][field]["missing"]) == (len(known), len(made) - len(known))
        if not known:
            continue
        numbers, figures = numpy.array(list(known.values())), facet["metrics"][field]
        assert (figures["n"], figures["mean"], figures["max"]) == pytest.approx((len(known), numbers.mean(), numbers.max()))
        limit = float(numpy.quantile(numbers, 0.4))
        found = apply(dashboard, filter={"field": field, "op": "le", "value": limit}, limit=200, sort=[{"field": field, "dir": "desc"}], columns=[field])
        assert {row["run_id"] for row in found["rows"]} == {run for run, value in known.items() if value <= limit}
        order = [row["cells"][field] for row in found["rows"]]
        assert order == sorted(order, reverse=True)
        missing = apply(dashboard, filter={"not": {"field": field, "op": "is_recorded"}}, limit=0)["count"]
        assert missing == len(made) - len(known)
        points = dashboard.post("/api/data/points", {"x": field, "y": "results.p99_ttft_ms", "simulated": True}).json
        assert sorted(points["marks"]["x"]) == pytest.approx(sorted(known.values()))
    groups = dashboard.get(f"/api/data/summary?group_by=system.hardware_info.gpu_name&metrics={OUTPUT}").json["groups"]
    for group in groups:
        name = group["key"].get("system.hardware_info.gpu_name")
        values = [wanted[one["run_id"]][OUTPUT] for one in made if one["system"]["hardware_info"]["gpu_name"] == name]
        values = [value for value in values if value is not None]
        assert group["metrics"][OUTPUT]["n"] == len(values)
        assert group["metrics"][OUTPUT]["mean"] == (pytest.approx(numpy.mean(values)) if values else None)
    lines = [line for line in dashboard.post("/api/export/csv", {"columns": ["run.run_id", *FIELDS]}).body.decode().splitlines() if not line.startswith("#")]
    assert lines[0] == ",".join(["id", "run.run_id", *FIELDS]) and len(lines) == len(made) + 1
    for line in lines[1:]:
        run, *cells = line.split(",")[1:]
        assert [float(cell) if cell else None for cell in cells] == pytest.approx([wanted[run][field] for field in FIELDS], rel=1e-12)
    check_frontier(dashboard, made, wanted)
    some = rows[3]
    fields = dashboard.get(f"/api/data/experiments/{some['id']}").json["fields"]
    assert {field: fields[field]["value"] if field in fields else None for field in FIELDS} == pytest.approx(wanted[some["run_id"]], rel=1e-12)


def check_frontier(dashboard, made, wanted):
    """Every result is a configuration of its own, unless another one has the same inputs: then their means count."""
    answer = dashboard.post("/api/analysis/pareto", {"metrics": [{"field": OUTPUT}, {"field": "results.median_tpot_ms"}, {"field": "results.p99_ttft_ms"}], "limit": 1000}).json
    cells = {}
    for document in made:
        hardware = document["system"]["hardware_info"]
        key = (document["config"]["server"]["max_num_seqs"], hardware["gpu_name"], hardware["gpu_count"])
        if wanted[document["run_id"]][OUTPUT] is not None:
            cells.setdefault(key, []).append([wanted[document["run_id"]][OUTPUT], document["results"]["median_tpot_ms"], document["results"]["p99_ttft_ms"]])
    means = [numpy.mean(values, axis=0) for values in cells.values()]
    on = [one for one in means if not any((other <= one).all() and (other < one).any() for other in means)]
    (group,) = answer["groups"]
    assert answer["unmeasured"] == sum(values[OUTPUT] is None for values in wanted.values())
    found = sorted([value["mean"] for value in point["values"]] for point in group["points"] if point["frontier"])
    assert numpy.array(found) == pytest.approx(numpy.array(sorted(one.tolist() for one in on)))
    assert group["configuration_count"] == len(means)


def test_every_query_computes_with_the_stored_prices(bin_dir, db, dashboard, tmp_path):
    made = list(documents(RESULTS))
    dashboard.upload("/api/upload/batch", made)
    for field in FIELDS:
        assert apply(dashboard, limit=0, facets=[field])["facets"][field]["recorded"] == 0
    assert put(dashboard, PRICES).status == 200
    check(dashboard, made, PRICES)
    # rows that come later, and one that is removed
    more = list(documents(20, RESULTS))
    dashboard.upload("/api/upload/batch", more)
    check(dashboard, made + more, PRICES)
    gone = dashboard.rows()[5]
    assert dashboard.ask("DELETE", f"/api/data/experiments/{gone['id']}").status == 204
    left = [one for one in made + more if one["run_id"] != gone["run_id"]]
    check(dashboard, left, PRICES)
    # other prices: the data version moves, and all values follow
    version = dashboard.get("/api/health").json["data_version"]
    put(dashboard, LATER)
    assert dashboard.get("/api/health").json["data_version"] > version
    check(dashboard, left, LATER)
    # another process changes them
    file = tmp_path / "prices.csv"
    file.write_text("gpu,per_hour\nB200,5.5\nH100,0.75\n")
    assert imported(bin_dir, db, "--prices", file).returncode == 0
    check(dashboard, left, {"prices": [{"gpu": "B200", "per_hour": 5.5}, {"gpu": "H100", "per_hour": 0.75}], "carbon_g_per_kwh": None})


def test_they_are_columns_with_units_and_a_direction(dashboard):
    fields = {field["id"]: field for field in dashboard.get("/api/fields").json["fields"]}
    assert [(fields[field]["unit"], fields[field]["direction"], fields[field]["column"], fields[field]["role"]) for field in FIELDS] == \
        [("currency/h", "lower", True, "output"), ("currency", "lower", True, "output"), ("currency", "lower", True, "output"), ("g", "lower", True, "output")]
    assert all(fields[field]["help"] and fields[field]["label"] for field in FIELDS)
    assert fields["results.energy_per_token_j"]["label"] == "Energy per output token"


def test_facets_of_all_columns_have_them_once_there_are_prices(dashboard):
    dashboard.upload("/api/upload/batch", list(documents(30)))
    assert not set(apply(dashboard, limit=0, facets=True)["facets"]) & set(FIELDS)
    put(dashboard, PRICES)
    assert set(FIELDS) <= set(apply(dashboard, limit=0, facets=True)["facets"])
    exported = dashboard.post("/api/export/json", {}).json["provenance"]["columns"]
    assert set(FIELDS) <= set(exported)


def test_trends_and_regressions_follow_a_cost(dashboard):
    """A rate that halves is a cost that doubles."""
    rng = random.Random(SEED)
    made = [{**result(i, 8, throughput=(1000 if i < 14 else 500) * (1 + 0.001 * rng.random())), "timestamp": f"2026-09-{i + 1:02}T10:00:00Z"} for i in range(28)]
    dashboard.upload("/api/upload/batch", made)
    for prices in (PRICES, LATER):
        put(dashboard, prices)
        wanted = [counted(one, prices)[OUTPUT] for one in made]
        (line,) = dashboard.post("/api/analysis/trends", {"metric": OUTPUT}).json["lines"]
        assert line["points"]["value"] == pytest.approx(wanted)
        answer = dashboard.post("/api/analysis/regression", {"metrics": [OUTPUT]}).json
        (one,) = answer["series"]
        (change,) = one["changes"]
        assert (one["metric"], change["ratio"]) == (OUTPUT, pytest.approx(2, rel=0.01)), change
