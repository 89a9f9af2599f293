"""`POST /api/analysis/scaling`: lines, speed-up, efficiency and gain compared with plain Python; how GPUs are counted."""
import itertools
import random

import numpy
import pytest
from dashboard_tools import Dashboard

PATH = "/api/analysis/scaling"
THROUGHPUT = "results.output_throughput"
REPEATS = 3


def amdahl(size, serial):
    return 1 / (serial + (1 - serial) / size)


def result(number, tensor=1, *, model="some/model", gpu="H100", serial=0.1, seqs=None, gpus=None, engine=None, verdict="trusted",
           simulated=False, launch=None, server=None, benchmark=None, **results):
    """One run; its throughput follows Amdahl's law in the tensor parallel size."""
    rng = random.Random(number)
    arguments = {"model": model, "tensor_parallel_size": tensor, **({"max_num_seqs": seqs} if seqs else {}), **(server or {})}
    return {
        "run_id": f"run-{number}", "suite": "scaling", "status": "completed", "quality": {"verdict": verdict},
        "timestamp": f"2026-10-{1 + number % 28:02d}T00:00:00Z",
        "config": {"server": {key: value for key, value in arguments.items() if value is not None}, "benchmark": benchmark or {}},
        "results": {"output_throughput": 100 * amdahl(tensor or 1, serial) * rng.gauss(1, 0.02), "median_tpot_ms": 20 / (tensor or 1),
                    "completed": 100, "failed": 0, **results},
        "system": {"peak_gpu_memory_gb": 70 + rng.random(), "hardware_info": {"gpu_name": gpu, "gpu_count": tensor or 1 if gpus is None else gpus}},
        "environment": {"engine": {"name": "vllm", "version": engine or "0.11.0", "simulated": simulated}},
        "launch": {"phases": {"ready_s": 30.0 + 2 * (tensor or 1)}, "facts": {"kv_cache_tokens": 10000 * (tensor or 1)}, **(launch or {})},
    }


def made():
    numbers = itertools.count()
    documents = [result(next(numbers), tensor, seqs=seqs, serial=serial) for seqs, serial in ((64, 0.05), (256, 0.3))
                 for tensor in (1, 2, 4, 8) for _ in range(REPEATS)]
    documents += [result(next(numbers), 1, model="other/model", gpu="A100") for _ in range(2)]  # one size
    documents += [result(next(numbers), 8, seqs=64, simulated=True, output_throughput=1e6)]
    documents += [result(next(numbers), 8, seqs=64, verdict="client_limited", output_throughput=1e6)]
    documents += [result(next(numbers), 8, seqs=64, output_throughput=None)]
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


def of_documents(dashboard, documents, **question):
    dashboard.upload("/api/upload/batch", documents)
    return ask(dashboard, **question)


def value_of(documents, ids):
    return numpy.array([documents[i - 1]["results"]["output_throughput"] for i in ids])


def test_lines_equal_those_of_plain_python(stored):
    dashboard, documents = stored
    answer = ask(dashboard, axis="tensor")
    assert (answer["count"], answer["total"], answer["simulated"], answer["excluded"], answer["untrusted_excluded"], answer["unmeasured"],
            answer["unsized_count"], answer["single_count"], answer["more_count"]) == (24, 29, 1, 1, 1, 1, 0, 1, 0)
    assert (answer["metric"]["field"], answer["metric"]["direction"], answer["gain_limit"]) == (THROUGHPUT, "higher", 0.5)
    assert {one["axis"]: one["sizes"] for one in answer["axes"]} == {
        "gpus": [1, 2, 4, 8], "tensor": [1, 2, 4, 8], "pipeline": [1], "data": [1], "expert": [1], "nodes": [1]}
    assert len(answer["lines"]) == 2 and len({line["id"] for line in answer["lines"]}) == 2
    for line in answer["lines"]:
        [field] = line["fields"]
        seqs = field["value"]
        assert (field["field"], line["label"], line["gpu"], line["gpu_unit"]) == \
            ("server.max_num_seqs", f"{field['label']} {seqs}", "H100", "gpu")
        assert line["run_count"] == 12 and [point["size"] for point in line["points"]] == [1, 2, 4, 8]
        means = {}
        for point in line["points"]:
            chosen = [documents[i - 1] for i in point["ids"]]
            assert len(chosen) == REPEATS and point["ids"] == sorted(point["ids"])
            assert {(one["config"]["server"]["max_num_seqs"], one["config"]["server"]["tensor_parallel_size"]) for one in chosen} == \
                {(seqs, point["size"])}
            means[point["size"]] = value_of(documents, point["ids"]).mean()
        before = None
        for point in line["points"]:
            size, speedup = point["size"], means[point["size"]] / means[1]
            assert point["on_line"] and point["layout"] == {"tensor": size, "pipeline": 1, "data": 1, "expert": 1}
            assert (point["gpus"], point["gpus_source"], point["gpus_recorded"], point["ideal"]) == (size, "arguments", size, size)
            assert point["value"]["mean"] == pytest.approx(means[size], rel=1e-12)
            assert point["per_gpu"]["mean"] == pytest.approx(means[size] / size, rel=1e-12)
            assert point["speedup"]["value"] == pytest.approx(speedup, rel=1e-12)
            assert point["efficiency"]["value"] == pytest.approx(speedup / size, rel=1e-12)
            if size > 1:
                assert point["speedup"]["low"] < speedup < point["speedup"]["high"]
                assert point["gain"]["value"] == pytest.approx((means[size] - means[before]) / means[1] / (size - before), rel=1e-9)
                assert point["gain"]["low"] < point["gain"]["value"] < point["gain"]["high"]
            else:
                assert point["gain"]["value"] is None and point["pays"] == "none" and point["speedup"]["low"] is None
            memory, cache, start = point["panels"]
            assert memory["low"] < memory["mean"] < memory["high"] and memory["count"] == REPEATS
            assert (cache["mean"], start["mean"]) == (10000 * size, 30 + 2 * size)
            before = size
        # 5 % serial work: gains of 0.905, 0.787 and 0.612; 30 %: 0.538, 0.283 and 0.162
        stop = line["stop"]
        if seqs == 64:
            assert stop is None
        else:
            assert (stop["from"], stop["to"], stop["certainty"]) == (2, 4, "surely")
            assert stop["gain"] == line["points"][2]["gain"] and line["points"][2]["pays"] == "no"


@pytest.mark.one_database
def test_runs_are_excluded_unless_requested(stored):
    dashboard, _ = stored
    answer = ask(dashboard, axis="tensor", simulated=True, untrusted=True)
    assert (answer["count"], answer["excluded"], answer["untrusted_excluded"]) == (26, 0, 0)
    only = ask(dashboard, filter={"field": "environment.engine.simulated", "op": "eq", "value": True})
    assert (only["count"], only["simulated"], only["excluded"], only["single_count"], only["lines"]) == (0, 1, 0, 1, [])
    nothing = ask(dashboard, filter={"field": "run.suite", "op": "eq", "value": "none"})
    assert (nothing["count"], nothing["single_count"], nothing["axes"][0]["sizes"]) == (0, 0, [])


@pytest.mark.one_database
def test_lower_values_may_be_better(stored):
    dashboard, _ = stored
    answer = ask(dashboard, axis="tensor", metric={"field": "results.median_tpot_ms"}, gain_limit=0.9)
    assert answer["metric"]["direction"] == "lower"
    for line in answer["lines"]:
        assert [point["speedup"]["value"] for point in line["points"]] == pytest.approx([1, 2, 4, 8])
        assert [point["efficiency"]["value"] for point in line["points"]] == pytest.approx([1] * 4)
        assert line["stop"] is None and line["points"][1]["per_gpu"]["mean"] is None
    turned = ask(dashboard, axis="tensor", metric={"field": THROUGHPUT, "direction": "lower"})
    assert all(point["efficiency"]["value"] < 0.35 for line in turned["lines"] for point in line["points"][1:])


@pytest.mark.one_database
def test_gpus_are_counted_by_the_layout(dashboard):
    numbers = itertools.count()
    layouts = [(1, 1, 1, False), (2, 1, 1, False), (2, 2, 1, False), (4, 1, 1, False), (2, 2, 2, True), (8, 2, 2, False)]
    documents = [result(next(numbers), tensor, serial=0.02, server={"pipeline_parallel_size": pipeline, "data_parallel_size": data, **(
        {"enable_expert_parallel": True} if expert else {})}) for tensor, pipeline, data, expert in layouts]
    for document, (tensor, pipeline, data, _) in zip(documents, layouts):
        document["system"]["hardware_info"]["gpu_count"] = min(8, tensor * pipeline * data)  # GPUs of one host
    answer = of_documents(dashboard, documents)
    # expert parallelism is another input, so its run has a line of its own
    [line] = answer["lines"]
    assert (answer["single_count"], answer["axes"][0]["sizes"], answer["axes"][4]["sizes"]) == (1, [1, 2, 4, 8, 32], [1, 4])
    assert [(point["gpus"], point["gpus_recorded"], point["layout"]["tensor"], point["layout"]["pipeline"], point["on_line"])
            for point in line["points"]] == [(1, 1, 1, 1, True), (2, 2, 2, 1, True), (4, 4, 4, 1, True), (4, 4, 2, 2, False), (32, 8, 8, 2, True)]
    assert [point["ideal"] for point in line["points"]] == [1, 2, 4, 4, 32]
    tensor = ask(dashboard, axis="tensor")["lines"]
    assert [[point["size"] for point in line["points"]] for line in tensor] == [[1, 2, 4]]
    pipeline = ask(dashboard, axis="pipeline")["lines"]
    assert [[(point["size"], point["gpus"], point["ideal"]) for point in line["points"]] for line in pipeline] == [[(1, 2, 1), (2, 4, 2)]]


@pytest.mark.one_database
def test_the_smallest_sizes_are_listed_whatever_the_order(dashboard):
    documents = [result(number, size) for number, size in enumerate(range(1, 91))]
    random.Random(3).shuffle(documents)
    [line] = of_documents(dashboard, documents, axis="tensor")["lines"]
    assert [point["size"] for point in line["points"]] == list(range(1, 91))
    axes = {one["axis"]: one for one in ask(dashboard)["axes"]}
    for axis in ("gpus", "tensor"):
        assert axes[axis] == {"axis": axis, "sizes": list(range(1, 65)), "more_count": 26}
    assert axes["pipeline"] == {"axis": "pipeline", "sizes": [1], "more_count": 0}


@pytest.mark.one_database
def test_experts_do_not_multiply(dashboard):
    numbers = itertools.count()
    documents = [result(next(numbers), 8, server={"enable_expert_parallel": expert}, output_throughput=100.0 + 30 * expert)
                 for expert in (False, True) for _ in range(2)]
    [line] = of_documents(dashboard, documents, axis="expert")["lines"]
    assert [(point["size"], point["gpus"], point["ideal"], point["efficiency"]["value"]) for point in line["points"]] == \
        [(1, 8, 1, 1), (8, 8, 1, 1.3)]
    assert line["stop"] is None and line["points"][1]["pays"] == "none"


@pytest.mark.one_database
def test_nodes_and_context(dashboard):
    numbers = itertools.count()
    documents = [result(next(numbers), 8, gpus=8, output_throughput=1000.0 * nodes, server={"pipeline_parallel_size": nodes, "nnodes": nodes})
                 for nodes in (1, 2)]
    documents += [result(next(numbers), 4, gpus=4, output_throughput=3500.0, server={"data_parallel_size": 8, "data_parallel_size_local": 2})]
    [line] = of_documents(dashboard, documents, axis="nodes")["lines"]
    assert [(point["size"], point["gpus"], point["ideal"]) for point in line["points"]] == [(1, 8, 1), (2, 16, 2), (4, 32, 4)]
    assert line["points"][2]["efficiency"]["value"] == pytest.approx(0.875)


@pytest.mark.one_database
def test_unknown_gpus_are_said(dashboard):
    numbers = itertools.count()
    remote = {"url": "http://server:8000"}

    def pair(model, gpu="H100", **options):
        return [result(next(numbers), tensor, model=model, gpu=gpu, output_throughput=100.0 * tensor, **options) for tensor in (1, 2)]

    documents = [
        *pair("remote", gpu=None, launch=remote), *pair("cpu", gpu=None), *pair("instances", gpu="NVIDIA A100-SXM4-40GB MIG 1g.5gb"),
        *pair("idle")]
    for document in documents[:2]:
        document["system"]["hardware_info"]["gpu_count"] = None
    for document in documents[2:4]:
        document["system"]["hardware_info"]["gpu_count"] = 0
    for document in documents[6:]:
        document["system"]["hardware_info"]["gpu_count"] = 8
    declared = pair("declared", launch=remote)
    for document, gpus in zip(declared, (4, 8)):
        document["system"]["hardware_info"]["gpu_count"] = gpus
    answer = of_documents(dashboard, documents + declared, axis="tensor")
    lines = {line["fields"][0]["value"]: line for line in answer["lines"]}
    said = {model: [(point["gpus"], point["gpus_source"], point["gpus_recorded"], point["ideal"], point["efficiency"]["value"],
                     point["per_gpu"]["mean"]) for point in line["points"]] for model, line in lines.items()}
    # the ideal of two ranks is twice the speed, whatever GPUs they have
    assert said == {
        "remote": [(None, "remote", None, 1, 1, None), (None, "remote", None, 2, 1, None)],
        "cpu": [(None, "none", 0, 1, 1, None), (None, "none", 0, 2, 1, None)],
        "instances": [(1, "arguments", 1, 1, 1, 100), (2, "arguments", 2, 2, 1, 100)],
        "idle": [(1, "arguments", 8, 1, 1, 100), (2, "arguments", 8, 2, 1, 100)],
        "declared": [(4, "recorded", 4, 1, 1, 25), (8, "recorded", 8, 2, 1, 25)],
    }
    assert {model: line["gpu_unit"] for model, line in lines.items()} == \
        {"remote": "gpu", "cpu": "gpu", "instances": "mig_instance", "idle": "gpu", "declared": "gpu"}
    by_gpus = ask(dashboard)
    assert by_gpus["unsized_count"] == 4 and len(by_gpus["lines"]) == 3


@pytest.mark.one_database
def test_best_of_several_concurrencies_is_on_the_line(dashboard):
    numbers = itertools.count()
    documents = [result(next(numbers), tensor, output_throughput=base * tensor + number, benchmark={"max_concurrency": limit})
                 for tensor, limit, base in ((1, 8, 100), (1, 16, 120), (2, 8, 110), (2, 16, 100), (4, 32, 90)) for number in range(2)]
    apart = of_documents(dashboard, documents, axis="tensor")
    assert (len(apart["lines"]), apart["single_count"]) == (2, 1)
    [line] = ask(dashboard, axis="tensor", vary=["benchmark.max_concurrency"])["lines"]
    assert [(point["size"], point["on_line"], point["fields"][0]["value"]) for point in line["points"]] == \
        [(1, True, 16), (1, False, 8), (2, True, 8), (2, False, 16), (4, True, 32)]
    assert line["points"][2]["speedup"]["value"] == pytest.approx(220.5 / 120.5)
    few = ask(dashboard, axis="tensor", vary=["benchmark.max_concurrency"], limit=4)
    assert (few["lines"], few["more_count"]) == ([], 1)


@pytest.mark.one_database
def test_arguments_that_nobody_set_do_not_part_lines(dashboard):
    """Defaults differ between releases, and a size of 1 is often left to the default."""
    numbers = itertools.count()
    documents = [result(next(numbers), tensor, server={"seed": seed}) for tensor, seed in ((None, 0), (None, None), (1, 0), (2, None), (2, 0))]
    for document in documents:
        document["config"]["server_sources"] = {}
        document["launch"]["facts"]["tensor_parallel_size"] = document["config"]["server"].get("tensor_parallel_size", 1)
    answer = of_documents(dashboard, documents, axis="tensor")
    # runs with and without the set seed are different configurations; those with an explicit size of 1 and without are not
    assert sorted(tuple((point["size"], len(point["ids"])) for point in line["points"]) for line in answer["lines"]) == \
        [((1, 1), (2, 1)), ((1, 2), (2, 1))]


def named(value, names):
    """Replaces ids by run_ids, whose order is that of the upload."""
    if isinstance(value, dict):
        return {key: sorted(names[i] for i in item) if key == "ids" else named(item, names)
                for key, item in value.items() if key != "data_version"}
    return [named(item, names) for item in value] if isinstance(value, list) else value


def test_answers_of_any_order(stored, bin_dir, database, tmp_path):
    dashboard, documents = stored
    question = {"group_by": ["server.max_num_seqs"], "vary": ["server.tensor_parallel_size"], "untrusted": True}
    answer = ask(dashboard, **question)
    assert [line["key"]["server.max_num_seqs"] for line in answer["lines"]]
    other_order = list(reversed(documents))
    (tmp_path / "other").mkdir()
    with Dashboard(bin_dir, database.new(tmp_path / "other")) as other:
        other.upload("/api/upload/batch", other_order)
        again = ask(other, **question)
    runs = [{i: one["run_id"] for i, one in enumerate(each, 1)} for each in (documents, other_order)]
    assert named(answer, runs[0]) == named(again, runs[1])


@pytest.mark.parametrize("question, pointer", [
    ({"axis": "width"}, "/axis"),
    ({"metric": {"field": "results.nothing"}}, "/metric/field"),
    ({"metric": {"field": "server.max_num_seqs"}}, "/metric/direction"),
    ({"panels": ["no"]}, "/panels/0"),
    ({"vary": ["no"]}, "/vary/0"),
    ({"group_by": ["no"]}, "/group_by/0"),
    ({"gain_limit": -1}, "/gain_limit"),
    ({"limit": 5001}, "/limit"),
])
@pytest.mark.one_database
def test_faults(dashboard, question, pointer):
    answer = dashboard.post(PATH, question)
    assert (answer.status, answer.json["pointer"]) == (422, pointer), answer.json
