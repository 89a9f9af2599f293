"""Effects of `POST /api/analysis/impact`: pairs, ratios and reasons compared with plain Python."""
import itertools
import json
import math
import random
import statistics

import pytest
from dashboard_tools import Dashboard
from database_tools import Sqlite

PATH = "/api/analysis/impact"
SEQS, TOKENS, DTYPE = "server.max_num_seqs", "server.max_num_batched_tokens", "server.kv_cache_dtype"
TP, GPUS, EAGER, RATE = "server.tensor_parallel_size", "derived.gpu_count", "server.enforce_eager", "benchmark.request_rate"
HOST, DRIVER, CHUNKS = "environment.hostname", "environment.gpu_driver", "server.enable_chunked_prefill"


def result(number, code, simulated=False, verdict="trusted", **results):
    """max_num_seqs: +12 %. enforce_eager: -5 %. kv_cache_dtype: none. request_rate and max_num_batched_tokens vary only
    together. Chunked prefill is on wherever the second host, 10 % slower, ran."""
    seqs, eager, dtype, rate, tp, host = code
    rng = random.Random(number)
    value = 1000 * (1, 1.12)[seqs] * (1, 0.95)[eager] * (1, 1.07)[rate] * (1, 1.8)[tp] * (1, 0.9)[host] * math.exp(rng.gauss(0, 0.01))
    return {
        "run_id": f"run-{number}", "suite": "impact", "status": "completed", "quality": {"verdict": verdict},
        "config": {
            "server": {"model": "some/model", "max_num_seqs": (64, 256)[seqs], "enforce_eager": bool(eager), "kv_cache_dtype": ("auto", "fp8")[dtype],
                       "max_num_batched_tokens": (2048, 8192)[rate], "tensor_parallel_size": (1, 2)[tp], "enable_chunked_prefill": bool(host)},
            "benchmark": {"request_rate": (4, 8)[rate]},
        },
        "results": {"output_throughput": value, "completed": 100, "failed": 0, **results},
        "system": {"hardware_info": {"gpu_name": "H100", "gpu_count": (1, 2)[tp]}},
        "environment": {"hostname": ("node-a", "node-b")[host], "gpu_driver": ("550.1", "560.2")[host],
                        "engine": {"name": "vllm", "version": "0.10.0", "simulated": simulated}},
    }


def made():
    numbers = itertools.count()
    documents = []
    for code in itertools.product((0, 1), repeat=6):
        number = next(numbers)
        documents += [result(number, code)] if number % 5 else []
        documents += [result(1000 + number, code)] if number % 3 == 0 else []
    documents.append(result(2000, (1, 1, 1, 1, 1, 1), simulated=True, output_throughput=1e6))
    documents.append(result(2001, (1, 1, 1, 1, 1, 1), verdict="client_limited", output_throughput=1e6))
    documents.append(result(2002, (1, 1, 1, 1, 1, 1), output_throughput=None))
    documents.append(result(2003, (1, 1, 1, 1, 1, 1), output_throughput=0))
    return documents


@pytest.fixture
def stored(dashboard):
    documents = made()
    random.Random(1).shuffle(documents)
    dashboard.upload("/api/upload/batch", documents)
    return dashboard, documents


def ask(dashboard, **question):
    answer = dashboard.post(PATH, question)
    assert answer.status == 200, answer.json
    return answer.json


def inputs_of(document):
    """All inputs that vary, without those that come with others."""
    server = document["config"]["server"]
    return {"max_num_seqs": server["max_num_seqs"], "enforce_eager": server["enforce_eager"], "kv_cache_dtype": server["kv_cache_dtype"],
            "max_num_batched_tokens": server["max_num_batched_tokens"], "tensor_parallel_size": server["tensor_parallel_size"],
            "host": document["environment"]["hostname"]}


def is_usable(document):
    return document["quality"]["verdict"] == "trusted" and not document["environment"]["engine"]["simulated"] and \
        bool(document["results"]["output_throughput"])


def cells_of(documents, name, values):
    """Returns [(runs with the first value, runs with the second)] of each cell with both."""
    cells = {}
    for document in filter(is_usable, documents):
        inputs = inputs_of(document)
        value = inputs.pop(name)
        cells.setdefault(tuple(inputs.values()), {}).setdefault(value, []).append(document)
    return [(cell[values[0]], cell[values[1]]) for cell in cells.values() if values[0] in cell and values[1] in cell]


def throughput(documents):
    return [one["results"]["output_throughput"] for one in documents]


def location_of(cells):
    """The median of the means of all pairs of differences."""
    differences = [statistics.median(map(math.log, throughput(b))) - statistics.median(map(math.log, throughput(a))) for a, b in cells]
    means = [(x + y) / 2 for i, x in enumerate(differences) for y in differences[i:]]
    return math.exp(statistics.median(means))


def effect_with(answer, field):
    return next(one for one in answer["effects"] if field in {of["field"] for of in one["inputs"]})


@pytest.mark.parametrize("field, name, values, finding", [
    (SEQS, "max_num_seqs", (64, 256), "better"),
    (EAGER, "enforce_eager", (False, True), "worse"),
    (DTYPE, "kv_cache_dtype", ("auto", "fp8"), "none"),
    (TP, "tensor_parallel_size", (1, 2), "better"),
])
def test_effects_equal_those_of_plain_python(stored, field, name, values, finding):
    dashboard, documents = stored
    answer = ask(dashboard)
    assert (answer["count"], answer["total"], answer["simulated"], answer["excluded"], answer["untrusted_excluded"], answer["unmeasured"]) == \
        (len(documents) - 4, len(documents), 1, 1, 1, 2)
    effect = effect_with(answer, field)
    [contrast] = effect["contrasts"]
    cells = cells_of(documents, name, values)
    assert (contrast["from"], contrast["to"]) == ([values[0]], [values[1]])
    assert contrast["cell_count"] == len(cells) and contrast["pair_count"] == sum(len(a) * len(b) for a, b in cells)
    assert contrast["ratio"] == pytest.approx(location_of(cells), rel=1e-12) and contrast["method"] == "signed_rank"
    assert contrast["low"] < contrast["ratio"] < contrast["high"] and effect["finding"] == finding
    sides = [throughput(one for one in documents if is_usable(one) and inputs_of(one)[name] == value) for value in values]
    assert contrast["plain"]["ratio"] == pytest.approx(statistics.fmean(sides[1]) / statistics.fmean(sides[0]), rel=1e-12)
    assert (contrast["plain"]["from_count"], contrast["plain"]["to_count"]) == tuple(map(len, sides))


@pytest.mark.one_database
def test_what_cannot_be_told_apart_is_named(stored):
    dashboard, _ = stored
    answer = ask(dashboard)
    pair = effect_with(answer, RATE)
    assert [of["field"] for of in pair["inputs"]] == [RATE, TOKENS] and pair["contrasts"][0]["from"] == [4, 2048]
    assert pair["contrasts"][0]["low"] < 1.07 < pair["contrasts"][0]["high"]
    rest = {one["field"]: one for one in answer["rest"]}
    assert set(rest) == {CHUNKS, HOST, DRIVER, GPUS}
    assert rest[CHUNKS]["reason"] == "together" and [of["field"] for of in rest[CHUNKS]["with"]] == [DRIVER, HOST]
    assert [of["host"] for of in rest[CHUNKS]["with"]] == [True, True]
    assert rest[CHUNKS]["plain"]["ratio"] == pytest.approx(0.9, abs=0.08), "the means of groups blame chunked prefill"
    assert [of["field"] for of in rest[HOST]["with"]] == [DRIVER, CHUNKS]
    assert (rest[GPUS]["reason"], rest[GPUS]["with"]) == ("derived", [])
    constant = {one["field"]: one["value"] for one in answer["constant"]}
    assert constant["server.model"] == "some/model" and constant["environment.engine.version"] == "0.10.0"
    assert not set(constant) & {SEQS, HOST, RATE}


@pytest.mark.one_database
def test_interactions_and_importances(stored):
    dashboard, documents = stored
    answer = ask(dashboard)
    first = answer["interactions"][0]
    assert [first["first"]["inputs"][0]["field"], first["second"]["inputs"][0]["field"]] == [TP, SEQS]
    assert first["low"] < 1 < first["high"] and first["at_from"]["ratio"] == pytest.approx(1.8, rel=0.03)
    assert 0.9 < answer["explained_share"] < 1 and answer["incomplete"] == []
    importances = {one["inputs"][0]["field"]: one["importance"] for one in answer["effects"]}
    assert importances[TP] == max(importances.values()) and importances[DTYPE] < 0.01


@pytest.mark.one_database
def test_pairs_of_an_effect(stored):
    dashboard, documents = stored
    answer = ask(dashboard, pairs_of={"field": SEQS})
    pairs = answer["pairs"]
    assert (pairs["from"], pairs["to"], pairs["more_count"], answer["explained_share"]) == ([64], [256], 0, None)
    found = {(frozenset(cell["from"]["ids"]), frozenset(cell["to"]["ids"])) for cell in pairs["cells"]}
    ids = {one["run_id"]: i for i, one in enumerate(documents, 1)}
    cells = cells_of(documents, "max_num_seqs", (64, 256))
    assert found == {tuple(frozenset(ids[one["run_id"]] for one in side) for side in cell) for cell in cells}
    for cell in pairs["cells"]:
        sides = [throughput(documents[i - 1] for i in cell[key]["ids"]) for key in ("from", "to")]
        assert cell["ratio"] == pytest.approx(cell["to"]["median"] / cell["from"]["median"])
        if len(sides[0]) == 1:
            assert cell["from"]["median"] == pytest.approx(sides[0][0])
        run = documents[cell["from"]["ids"][0] - 1]
        shown = dict(zip((of["field"] for of in pairs["fields"]), cell["values"]))
        assert shown[EAGER] == run["config"]["server"]["enforce_eager"] and shown[DRIVER] == run["environment"]["gpu_driver"]
        assert HOST not in shown and CHUNKS not in shown, "they differ in the same way as the driver"
    sizes = [abs(math.log(cell["ratio"])) for cell in pairs["cells"]]
    assert sizes == sorted(sizes, reverse=True)
    few = ask(dashboard, pairs_of={"field": SEQS, "from": 64, "to": 256}, limit=3)["pairs"]
    assert few["cells"] == pairs["cells"][:3] and few["more_count"] == len(cells) - 3
    assert ask(dashboard, pairs_of={"field": SEQS, "from": 1})["pairs"] is None
    assert ask(dashboard, pairs_of={"field": HOST})["pairs"] is None


@pytest.mark.one_database
def test_ignored_inputs_and_excluded_runs(stored):
    dashboard, _ = stored
    answer = ask(dashboard, vary=[HOST, DRIVER])
    assert [of["field"] for of in answer["ignored"]] == [HOST, DRIVER]
    contrast = effect_with(answer, CHUNKS)["contrasts"][0]
    assert contrast["low"] < 0.9 < contrast["high"], "ignoring the host credits its effect"
    assert ask(dashboard, simulated=True, untrusted=True)["excluded"] == 0
    assert effect_with(ask(dashboard, effect=0.3), SEQS)["finding"] == "better"
    nothing = ask(dashboard, filter={"field": "run.suite", "op": "eq", "value": "none"})
    assert (nothing["count"], nothing["effects"], nothing["rest"], nothing["constant"]) == (0, [], [], [])


def test_the_same_bytes_in_any_order_and_database(stored, bin_dir, tmp_path):
    """The other database is always SQLite."""
    dashboard, documents = stored

    def text(answer):
        return json.dumps({key: value for key, value in answer.items() if key != "data_version"})

    other_order = list(reversed(documents))
    (tmp_path / "other").mkdir()
    with Dashboard(bin_dir, Sqlite().new(tmp_path / "other")) as other:
        other.upload("/api/upload/batch", other_order)
        assert text(ask(other)) == text(ask(dashboard))
        runs = [{i: one["run_id"] for i, one in enumerate(each, 1)} for each in (documents, other_order)]
        named = [[[sorted(names[i] for i in cell[key]["ids"]) for key in ("from", "to")] + [cell["ratio"]]
                  for cell in ask(each, pairs_of={"field": EAGER})["pairs"]["cells"]] for each, names in zip((dashboard, other), runs)]
    assert named[0] == named[1]


@pytest.mark.one_database
def test_defaults_of_releases_are_no_inputs(dashboard):
    """A release changes block_size, which no run sets: it neither has an effect, nor keeps runs of both releases apart."""
    documents = []
    for number, (seqs, release, eager) in enumerate(itertools.product((0, 1), repeat=3)):
        document = result(number, (seqs, eager, 0, 0, 0, 0))
        document["environment"]["engine"]["version"] = ("0.9.2", "0.10.0")[release]
        document["config"]["server"]["block_size"] = (16, 32)[release]
        document["config"]["server_explicit"] = ["model", "max_num_seqs", "enforce_eager"]
        documents.append(document)
    dashboard.upload("/api/upload/batch", documents)
    answer = ask(dashboard)
    assert effect_with(answer, "environment.engine.version")["contrasts"][0]["cell_count"] == 4
    assert effect_with(answer, SEQS)["contrasts"][0]["cell_count"] == 4
    assert "server.block_size" not in json.dumps(answer) and answer["rest"] == []


@pytest.mark.parametrize("question, pointer", [
    ({"metric": "results.nothing"}, "/metric"),
    ({"metric": "run.suite"}, "/metric"),
    ({"vary": ["no"]}, "/vary/0"),
    ({"effect": 0}, "/effect"),
    ({"pairs_of": {"from": 1}}, "/pairs_of"),
    ({"pairs_of": {"field": "no"}}, "/pairs_of/field"),
    ({"limit": 1001}, "/limit"),
])
@pytest.mark.one_database
def test_faults(dashboard, question, pointer):
    answer = dashboard.post(PATH, question)
    assert (answer.status, answer.json["pointer"]) == (422, pointer), answer.json
