"""`POST /api/analysis/releases` (query/series/releases.c): two releases over a grid, compared with a count of the documents in numpy and,
if it is installed, scipy."""
import itertools
import json
import math
import random
from datetime import timedelta

import numpy as np
import pytest
from dashboard_tools import Dashboard
from history_tools import START, noisy, result
from run_tools import run_profllm

try:
    from scipy import stats
except ImportError:
    stats = None

A, B, OTHER = "0.30.0", "0.31.0", "0.32.0"
METRICS = {"median_ttft_ms": 80.0, "output_throughput": 4200.0, "p99_tpot_ms": 30.0}
NAMES = [f"results.{name}" for name in METRICS]
FACTORS = {"median_ttft_ms": 1.06, "output_throughput": 0.97, "p99_tpot_ms": 1.0}
GRID = list(itertools.product((1, 2, 4), (16, 32, 64, 128)))


def document(number, version, server, level=1.0, **keys):
    factors = FACTORS if version == B else {}
    metrics = {name: noisy(f"{number} {name}", base * level * factors.get(name, 1), 0.03) for name, base in METRICS.items()}
    return result(number, START + timedelta(minutes=number), metrics, server=server, version=version, **keys)


def grid():
    """Returns results of three releases: configurations of one of them only, other GPUs, and missing metrics."""
    made, rng = [], random.Random(3)
    for version, (tp, seqs) in itertools.product((A, B, OTHER), GRID):
        if (version, tp, seqs) in {(A, 4, 128), (B, 1, 16), (B, 1, 32)}:
            continue
        for _ in range(rng.randint(1, 5)):
            server = {"tensor_parallel_size": tp, "max_num_seqs": seqs}
            made.append(document(len(made), version, server, level=tp * math.sqrt(seqs)))
    for version in (A, A, B):
        made.append(document(len(made), version, {"tensor_parallel_size": 2, "max_num_seqs": 16}, level=50))
        made[-1]["system"]["hardware_info"]["gpu_name"] = f"NVIDIA {'B200' if version == A else 'L40S'}"
    for document_ in made:
        if document_["config"]["server"]["max_num_seqs"] == 64 and document_["environment"]["engine"]["version"] == A:
            document_["results"].pop("p99_tpot_ms")
    made[0]["results"]["median_ttft_ms"] = 0.0
    return made


def store(dashboard, documents):
    assert dashboard.upload("/api/upload/batch", documents)["counts"]["stored"] == len(documents)


def compare(dashboard, **request):
    answer = dashboard.post("/api/analysis/releases", {"a": A, "b": B, **request})
    assert answer.status == 200, answer.body
    return answer.json


# ---- the count in Python -------------------------------------------------------------------------


def key_of(document, vary):
    hardware = document["system"]["hardware_info"]
    return tuple(sorted(((name, value) for name, value in document["config"]["server"].items() if name not in vary))), hardware["gpu_name"], hardware["gpu_count"]


def cells_of(documents, version, vary=()):
    cells = {}
    for one in documents:
        if one["environment"]["engine"]["version"] == version:
            cells.setdefault(key_of(one, vary), []).append(one["results"])
    return cells


def median(runs, name):
    values = [run[name] for run in runs if name in run]
    return float(np.median(values)) if values else None


def signed_rank(x):
    """Returns w, and p of all 2ⁿ signs for few differences, otherwise None."""
    x = x[x != 0]
    ranks = np.argsort(np.argsort(np.abs(x))) + 1.0
    w = ranks[x > 0].sum()
    sums = np.zeros(len(x) * (len(x) + 1) // 2 + 1)
    sums[0] = 1
    for rank in ranks.astype(int):
        sums[rank:] = sums[rank:] + sums[:-rank]
    nearer = int(min(w, ranks.sum() - w))
    return w, min(1.0, 2 * sums[:nearer + 1].sum() / sums.sum())


STUDENT = {2: 12.706204736432095, 3: 4.302652729911275, 4: 3.182446305284263}  # 0.975 quantile of t, by number of values


def interval(x, rng):
    """Returns the studentized interval of the mean, from other random numbers than the program's, and the tolerance."""
    error = x.std(ddof=1) / math.sqrt(len(x))
    if len(x) in STUDENT:
        return x.mean() - STUDENT[len(x)] * error, x.mean() + STUDENT[len(x)] * error, 1e-9
    drawn = x[rng.integers(0, len(x), (20000, len(x)))]
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = (drawn.mean(axis=1) - x.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(len(x)))
    low, high = np.nanquantile(distances, [0.025, 0.975])
    return x.mean() - high * error, x.mean() - low * error, 0.2 * (high - low) * error


def check(answer, documents, vary=()):
    """Checks all numbers of the answer. Returns the matched keys by the label of their cells."""
    a, b = cells_of(documents, A, vary), cells_of(documents, B, vary)
    assert (answer["a"]["runs"], answer["b"]["runs"]) == tuple(sum(map(len, side.values())) for side in (a, b))
    shared = set(a) & set(b)
    assert len(answer["cells"]) == len(shared)
    keys = {}
    for cell in answer["cells"]:
        (key,) = [key for key in shared if all(("server." + name, value) in json.loads(cell["key"]).items() for name, value in key[0])
                  and json.loads(cell["key"])["system.hardware_info.gpu_name"] == key[1]]
        keys[cell["label"]] = key
        assert (cell["a_count"], cell["b_count"]) == (len(a[key]), len(b[key]))
    assert len(keys) == len(shared)
    rng = np.random.default_rng(1)
    for metric in answer["metrics"]:
        name = metric["field"].removeprefix("results.")
        wanted = []
        for at, key in enumerate(keys.values()):
            one, other = median(a[key], name), median(b[key], name)
            assert metric["cells"]["a"][at] == pytest.approx(one) and metric["cells"]["b"][at] == pytest.approx(other)
            wanted.append(math.log(other / one) if one and other else None)
        assert metric["cells"]["log_ratio"] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        x = np.array([value for value in wanted if value is not None])
        w, p = signed_rank(x)
        below, above = int((x < 0).sum()), int((x > 0).sum())
        faster = above if metric["direction"] == "higher" else below
        assert (metric["count"], metric["faster"], metric["slower"], metric["equal"]) == (len(x), faster, len(x) - faster, 0)
        assert metric["signed_rank"] == {"w": w, "p": pytest.approx(p, rel=1e-9), "exact": True}
        sign = min(1.0, 2 * sum(math.comb(len(x), k) for k in range(min(below, above) + 1)) / 2 ** len(x))
        assert metric["sign_p"] == pytest.approx(sign, rel=1e-9)
        assert metric["ratio"] == pytest.approx(math.exp(x.mean()), rel=1e-9)
        low, high, tolerance = interval(x, rng)
        assert abs(math.log(metric["low"]) - low) < tolerance and abs(math.log(metric["high"]) - high) < tolerance
        if stats is not None:
            assert metric["signed_rank"]["p"] == pytest.approx(stats.wilcoxon(x, method="exact").pvalue, rel=1e-9)
            assert metric["sign_p"] == pytest.approx(stats.binomtest(below, len(x)).pvalue, rel=1e-9)
    for side, mine, other in (("a", a, b), ("b", b, a)):
        listed = answer["unmatched"][side]
        assert answer["unmatched"][f"{side}_count"] == len(listed) == len(set(mine) - set(other))
        assert sorted(cell["count"] for cell in listed) == sorted(len(mine[key]) for key in set(mine) - set(other))
    return keys


# ---- matched configurations ----------------------------------------------------------------------


@pytest.mark.one_database
def test_matched_configurations_equal_a_count_in_numpy(dashboard):
    documents = grid()
    store(dashboard, documents)
    answer = compare(dashboard, metrics=NAMES)
    keys = check(answer, documents)
    assert len(keys) == 9
    found = {metric["field"]: metric for metric in answer["metrics"]}
    assert found["results.median_ttft_ms"]["finding"] == "worse" and found["results.output_throughput"]["finding"] == "worse"
    assert found["results.p99_tpot_ms"]["count"] == 6
    assert answer["field"]["field"] == "environment.engine.version" and answer["excluded"]["no_metric"] == 0
    assert [metric["field"] for metric in compare(dashboard)["metrics"] if metric["field"] in NAMES]


@pytest.mark.one_database
def test_unmatched_configurations_name_what_differs(dashboard):
    store(dashboard, grid())
    unmatched = compare(dashboard, metrics=NAMES)["unmatched"]
    assert (unmatched["a_count"], unmatched["b_count"]) == (3, 2)
    named = {(side, json.loads(cell["key"])["server.tensor_parallel_size"], json.loads(cell["key"])["server.max_num_seqs"],
              json.loads(cell["key"])["system.hardware_info.gpu_name"]): cell["differs"] for side in "ab" for cell in unmatched[side]}
    assert named["a", 1, 16, "NVIDIA H200"] == named["a", 1, 32, "NVIDIA H200"] == ["server.max_num_seqs"]
    assert named["b", 4, 128, "NVIDIA H200"] == ["server.max_num_seqs"]
    assert named["a", 2, 16, "NVIDIA B200"] == named["b", 2, 16, "NVIDIA L40S"] == ["system.hardware_info.gpu_name"]
    lonely = compare(dashboard, b="9.9.9", metrics=NAMES)
    assert (lonely["b"]["runs"], lonely["cells"], lonely["unmatched"]["a_count"]) == (0, [], 12)
    assert all(cell["differs"] == [] for cell in lonely["unmatched"]["a"])
    assert [metric["finding"] for metric in lonely["metrics"]] == ["no_value"] * 3


@pytest.mark.one_database
def test_fields_may_vary(dashboard):
    documents = grid()
    store(dashboard, documents)
    keys = check(compare(dashboard, metrics=NAMES[:2], vary=["server.max_num_seqs"]), documents, vary=("max_num_seqs",))
    assert len(keys) == 3
    # GPUs, too
    answer = compare(dashboard, metrics=NAMES, vary=["system.hardware_info.gpu_name"])
    assert (answer["unmatched"]["a_count"], answer["unmatched"]["b_count"]) == (2, 1)


@pytest.mark.one_database
def test_another_field_is_compared_under_a_filter(dashboard):
    documents = grid()
    store(dashboard, documents)
    answer = compare(dashboard, field="server.max_num_seqs", a=16, b=64.0, metrics=NAMES[:1],
                     filter={"field": "environment.engine.version", "op": "eq", "value": OTHER})
    assert (answer["a"]["name"], len(answer["cells"])) == ("16", 3)
    sides = [[median([one["results"] for one in documents if one["environment"]["engine"]["version"] == OTHER
                      and one["config"]["server"] == {"model": "meta-llama/Llama-3.1-8B", "tensor_parallel_size": tp, "max_num_seqs": seqs}],
                     "median_ttft_ms") for tp in (1, 2, 4)] for seqs in (16, 64)]
    (metric,) = answer["metrics"]
    assert sorted(metric["cells"]["a"]) == pytest.approx(sorted(sides[0])) and sorted(metric["cells"]["b"]) == pytest.approx(sorted(sides[1]))


# ---- the experiments of a configuration ----------------------------------------------------------


def run_ids_of(dashboard):
    """Returns the run_id of each experiment."""
    found = {}
    for offset in itertools.count(0, 200):
        reply = dashboard.post("/api/filters/apply", {"columns": ["run.run_id"], "limit": 200, "offset": offset})
        assert reply.status == 200, reply.body
        found |= {row["id"]: row["cells"]["run.run_id"] for row in reply.json["rows"]}
        if len(found) >= reply.json["count"]:
            return found


def newest_first(documents):
    return [one["run_id"] for one in sorted(documents, key=lambda one: one["timestamp"], reverse=True)]


def side_documents(documents, version):
    found = {}
    for one in documents:
        if one["environment"]["engine"]["version"] == version:
            found.setdefault(key_of(one, ()), []).append(one)
    return found


@pytest.mark.one_database
def test_configurations_name_their_newest_experiments(dashboard):
    documents = grid()
    for number in range(60):  # more than the limit
        documents.append(document(5000 + number, A, {"tensor_parallel_size": 2, "max_num_seqs": 64}))
    store(dashboard, random.Random(5).sample(documents, len(documents)))
    names = run_ids_of(dashboard)
    answer = compare(dashboard, metrics=NAMES)
    keys = {cell["key"]: key for cell in answer["cells"] for key in cells_of(documents, A)
            if json.loads(cell["key"])["server.tensor_parallel_size"] == dict(key[0])["tensor_parallel_size"]
            and json.loads(cell["key"])["server.max_num_seqs"] == dict(key[0])["max_num_seqs"] and key[1] == "NVIDIA H200"}
    a, b = side_documents(documents, A), side_documents(documents, B)
    assert len(keys) == len(answer["cells"]) == 9
    for cell in answer["cells"]:
        key = keys[cell["key"]]
        assert [names[one] for one in cell["a_ids"]] == newest_first(a[key])[:50]
        assert [names[one] for one in cell["b_ids"]] == newest_first(b[key])[:50]
    assert max(len(cell["a_ids"]) for cell in answer["cells"]) == 50 < max(cell["a_count"] for cell in answer["cells"])
    versions = {one["run_id"]: one["environment"]["engine"]["version"] for one in documents}
    for side, version in (("a", A), ("b", B)):
        for cell in answer["unmatched"][side]:
            assert len(cell["ids"]) == cell["count"] and {versions[names[one]] for one in cell["ids"]} == {version}


# ---- the two values ------------------------------------------------------------------------------


@pytest.mark.one_database
def test_the_two_newest_releases_are_compared_by_default(dashboard):
    documents = grid()
    # the newest result is of an old release
    documents.append(document(9000, "0.9.2", {"tensor_parallel_size": 1, "max_num_seqs": 16}))
    store(dashboard, documents)
    counts = {version: sum(one["environment"]["engine"]["version"] == version for one in documents) for version in ("0.9.2", A, B, OTHER)}
    values = [{"value": version, "label": version, "count": count} for version, count in counts.items()]

    def sides(**request):
        answer = dashboard.post("/api/analysis/releases", {"metrics": NAMES, **request})
        assert answer.status == 200, answer.body
        return answer.json["a"]["value"], answer.json["b"]["value"], answer.json["values"]

    assert sides() == (B, OTHER, values)
    assert sides(a=None, b=B) == (A, B, values)
    assert sides(a=OTHER) == (OTHER, B, values)
    assert sides(b="0.9.2")[:2] == (A, "0.9.2")
    assert sides(b="7.0.0")[:2] == (OTHER, "7.0.0")
    assert sides(a=A)[:2] == (A, OTHER)
    under = {"field": "environment.engine.version", "op": "in", "value": [A, B]}
    assert sides(filter=under) == (A, B, values[1:3])
    assert sides(field="server.tensor_parallel_size")[:2] == (2, 4)


@pytest.mark.one_database
def test_one_release_is_not_compared(dashboard):
    store(dashboard, [document(i, A, {"max_num_seqs": 16}) for i in range(3)])
    answer = dashboard.post("/api/analysis/releases", {}).json
    assert (answer["a"], answer["b"]) == ({"name": None, "value": None, "runs": 0},) * 2
    assert (answer["cells"], answer["unmatched"]["a_count"], [one["label"] for one in answer["values"]]) == ([], 0, [A])


# ---- the command ---------------------------------------------------------------------------------


def write(folder, documents):
    folder.mkdir()
    for i, one in enumerate(documents):
        (folder / f"{i}.json").write_text(json.dumps(one))
    return folder


def of_version(documents, version):
    return [one for one in documents if one["environment"]["engine"]["version"] == version]


@pytest.mark.one_database
@pytest.mark.parametrize(("request_", "words"), [
    ({}, []), ({"metrics": NAMES}, ["--metrics", "median_ttft_ms,output_throughput", "--metrics", "p99_tpot_ms"]),
    ({"metrics": NAMES[:2], "vary": ["server.max_num_seqs"]}, ["--metrics", ",".join(NAMES[:2]), "--vary", "server.max_num_seqs"])])
def test_the_command_prints_the_same_numbers(dashboard, bin_dir, tmp_path, request_, words):
    documents = grid()
    for one in documents[::7]:
        one["environment"]["engine"].update(simulated=True)
    store(dashboard, documents)
    answer = compare(dashboard, **request_)
    sides = write(tmp_path / "a", of_version(documents, A)), write(tmp_path / "b", of_version(documents, B))
    # a copy is not another run
    of_engine = [i for i, one in enumerate(of_version(documents, A)) if not one["environment"]["engine"].get("simulated")][0]
    (sides[0] / "copy.json").write_text((sides[0] / f"{of_engine}.json").read_text())
    done = run_profllm(bin_dir, "compare", *sides, *words, "--json")
    assert done.returncode == 0, done.stderr
    releases = json.loads(done.stdout)["releases"]
    assert len(releases["metrics"]) >= 2 and len(releases["cells"]) > 2
    simulated = sum(len(of_version(documents[::7], version)) for version in (A, B))
    assert releases.pop("excluded") == {"simulated": simulated, "copies": 1} and simulated > 1
    assert f"not compared: {simulated} simulated results, 1 copy of a run\n" in run_profllm(bin_dir, "compare", *sides, *words).stdout
    for metric in answer["metrics"]:
        del metric["heat_map"]
    # files have no ids
    for cell in answer["cells"]:
        assert cell.pop("a_ids") and cell.pop("b_ids")
    for cell in answer["unmatched"]["a"] + answer["unmatched"]["b"]:
        assert cell.pop("ids")
    names = {side: {"name": str(sides["ab".index(side)]), "runs": answer[side]["runs"]} for side in "ab"}
    for metric in answer["metrics"] + releases["metrics"]:
        metric["sentence"] = metric["sentence"].partition("' is ")[2]
    assert releases == {**{key: answer[key] for key in ("effect", "axes", "cells", "unmatched", "metrics")}, **names}


def test_the_command_prints_the_summary_as_text_and_markdown(bin_dir, tmp_path):
    documents = grid()
    sides = write(tmp_path / "a", of_version(documents, A)), write(tmp_path / "b", of_version(documents, B))
    words = "compare", *sides, "--metrics", ",".join(NAMES)
    releases = json.loads(run_profllm(bin_dir, *words, "--json").stdout)["releases"]
    (ttft,) = [metric for metric in releases["metrics"] if metric["field"] == NAMES[0]]
    row = [str(ttft[name]) for name in ("count", "faster", "slower")] + [f"{ttft['signed_rank']['p']:.4f}", f"{ttft['sign_p']:.4f}"]
    difference = "{}: {:+.1f} % ({:+.1f} % to {:+.1f} %)".format(ttft["finding"], *(100 * (ttft[name] - 1) for name in ("ratio", "low", "high")))
    text = run_profllm(bin_dir, *words).stdout
    assert "Over 9 matched configurations (only in A: 3, only in B: 2)" in text
    (line,) = [line for line in text.splitlines() if difference in line]
    assert line.split()[:7] == ["median_ttft_ms", "↓", *row]
    assert text.count("only in A: ") == 1 + 3 and "; the nearest one differs in server.max_num_seqs" in text
    markdown = run_profllm(bin_dir, *words, "--markdown").stdout
    assert f"| median_ttft_ms ↓ | {' | '.join(row)} | {difference} |" in markdown and "- only in B: " in markdown


def test_an_unmatched_configuration_has_a_label_even_if_it_is_the_only_one(bin_dir, tmp_path):
    sides = [write(tmp_path / name, [document(i, name, {"max_num_seqs": seqs}) for i, seqs in enumerate(values)])
             for name, values in ((A, (1, 2, 8)), (B, (1, 2, 16)))]
    text = run_profllm(bin_dir, "compare", *sides).stdout
    assert "only in A: max_num_seqs=8; the nearest one differs in server.max_num_seqs" in text
    assert "only in B: max_num_seqs=16; the nearest one differs in server.max_num_seqs" in text


def test_names_of_inputs_cannot_change_the_report(bin_dir, tmp_path):
    """Neither the terminal nor the lines, and in Markdown neither HTML nor the mention of a user."""
    odd = {"max_num_seqs": 2, "x\x1b[2J`\n# y": "<img src=x> @team\x1b[31m"}
    sides = [write(tmp_path / name, [document(i, name, server) for i, server in enumerate(servers)])
             for name, servers in ((A, ({"max_num_seqs": 1}, {"max_num_seqs": 2})), (B, ({"max_num_seqs": 1}, odd)))]
    for words in (), ("--markdown",):
        done = run_profllm(bin_dir, "compare", *sides, *words)
        assert done.returncode == 0 and done.stdout.count("only in B: ") == 2
        _, _, notes = done.stdout.partition("matched configuration")
        assert "\x1b" not in notes and "\n# y" not in notes
    (line,) = [line for line in notes.splitlines() if line.startswith("- only in B: ")]
    label, _, fields = line.removeprefix("- only in B: ").partition("; the nearest one differs in ")
    assert label.startswith("`") and label.endswith("`") and "<img src=x> @team" in label and label.count("`") == 2
    assert fields == "`server.x [2J' # y`"


def test_repeats_of_one_configuration_have_no_summary(bin_dir, tmp_path):
    sides = [write(tmp_path / name, [document(i, name, {}) for i in range(3)]) for name in (A, B)]
    done = run_profllm(bin_dir, "compare", *sides, "--json")
    assert done.returncode == 0 and "releases" not in json.loads(done.stdout)
    assert "matched configuration" not in run_profllm(bin_dir, "compare", *sides).stdout


# ---- the heat map --------------------------------------------------------------------------------


@pytest.mark.one_database
def test_heat_maps_have_the_means_of_their_cells(dashboard):
    documents = grid()
    store(dashboard, documents)
    answer = compare(dashboard, metrics=NAMES)
    assert answer["heat_map"] == {"x": "server.max_num_seqs", "y": "server.tensor_parallel_size"}
    axes = {axis["field"]: axis["values"] for axis in answer["axes"]}
    assert axes["server.max_num_seqs"] == [16, 32, 64, 128] and axes["server.tensor_parallel_size"] == [1, 2, 4]
    for metric in answer["metrics"]:
        wanted = [[None] * 4 for _ in range(3)]
        for cell, value in zip(answer["cells"], metric["cells"]["log_ratio"]):
            wanted[[1, 2, 4].index(cell["inputs"]["server.tensor_parallel_size"])][[16, 32, 64, 128].index(cell["inputs"]["server.max_num_seqs"])] = value
        assert metric["heat_map"]["log_ratio"] == wanted
        assert metric["heat_map"]["count"] == [[int(value is not None) for value in row] for row in wanted]
    chosen = compare(dashboard, metrics=NAMES, axes=["server.tensor_parallel_size"])
    assert chosen["heat_map"] == {"x": "server.tensor_parallel_size", "y": None}
    for metric in chosen["metrics"]:
        means = [np.mean([value for cell, value in zip(chosen["cells"], metric["cells"]["log_ratio"])
                          if value is not None and cell["inputs"]["server.tensor_parallel_size"] == tp]) for tp in (1, 2, 4)]
        assert metric["heat_map"]["log_ratio"] == [pytest.approx(means, rel=1e-9)]
    constant = compare(dashboard, metrics=NAMES[:1], axes=["server.dtype", "server.max_num_seqs"])
    assert constant["heat_map"] == {"x": None, "y": "server.max_num_seqs"}
    assert [len(row) for row in constant["metrics"][0]["heat_map"]["count"]] == [1] * 4


# ---- requests ------------------------------------------------------------------------------------


@pytest.mark.one_database
@pytest.mark.parametrize(("request_", "pointer"), [
    ({"b": A}, "/b"),
    ({"field": "server.tensor_parallel_size", "a": 1, "b": 1.0}, "/b"),
    ({"field": "no.such"}, "/field"),
    ({"metrics": ["results.no_such"]}, "/metrics/0"),
    ({"vary": ["no.such"]}, "/vary/0"),
    ({"axes": ["no.such"]}, "/axes/0"),
    ({"filter": {"field": "no.such", "op": "eq", "value": 1}}, "/filter/field")])
def test_wrong_requests_are_refused(dashboard, request_, pointer):
    answer = dashboard.post("/api/analysis/releases", {"a": A, "b": B, **request_})
    assert (answer.status, answer.json["pointer"]) == (422, pointer)


@pytest.mark.one_database
def test_numbers_are_equal_whatever_their_form(dashboard):
    store(dashboard, grid())
    field = "server.max_num_seqs"
    whole = compare(dashboard, field=field, a=32, b=64)
    assert len(whole["cells"]) > 2 and len(whole["metrics"]) >= 3
    other = dashboard.ask("POST", "/api/analysis/releases", f'{{"field": "{field}", "a": 32.0, "b": 6.4e1}}', {"Content-Type": "application/json"})
    assert other.status == 200 and [other.json[key] for key in ("cells", "unmatched", "metrics")] == [whole[key] for key in ("cells", "unmatched", "metrics")]
    # the value before 64.0 is 32
    assert compare(dashboard, field=field, a=None, b=64.0)["a"]["value"] == 32


@pytest.mark.one_database
def test_the_time_is_limited_and_the_rest_named(dashboard):
    store(dashboard, grid())
    whole = compare(dashboard, metrics=NAMES)
    assert whole["incomplete"] == [] and whole["unmatched"]["a"] and [one["field"] for one in whole["metrics"]] == NAMES
    part = compare(dashboard, metrics=NAMES, budget_ms=1)
    names = [one["field"] for one in part["metrics"]]
    assert part["metrics"] == whole["metrics"][:len(names)] and part["cells"] == whole["cells"]
    late = [name for name in part["incomplete"] if name != "unmatched"]
    assert names + late == NAMES and part["unmatched"]["a_count"] == whole["unmatched"]["a_count"] > 0
    assert ("unmatched" in part["incomplete"]) == (part["unmatched"]["a"] == [] or part["unmatched"]["b"] == []) and (not late or "unmatched" in part["incomplete"])
    # a partial response is not kept
    assert compare(dashboard, metrics=NAMES)["incomplete"] == []
    assert dashboard.post("/api/analysis/releases", {"budget_ms": 0}).status == 422


@pytest.mark.one_database
def test_an_empty_store_has_no_configurations(dashboard):
    answer = compare(dashboard)
    assert (answer["cells"], answer["metrics"], answer["a"]["runs"]) == ([], [], 0)


@pytest.mark.one_database
def test_simulated_results_are_excluded(dashboard):
    documents = grid()
    for one in documents[::3]:
        one["environment"]["engine"].update(simulated=True)
    store(dashboard, documents)
    real = [one for i, one in enumerate(documents) if i % 3]
    answer = compare(dashboard, metrics=NAMES[:2])
    check(answer, real)
    excluded = [one for one in documents[::3] if one["environment"]["engine"]["version"] in (A, B)]
    assert answer["excluded"]["simulated"] == len(excluded)


def test_the_same_data_give_the_same_bytes(bin_dir, db, database, tmp_path):
    documents = grid()
    bodies = []
    (tmp_path / "other").mkdir()
    for i, place in enumerate((db, database.new(tmp_path / "other"), tmp_path / "plain.db")):
        random.Random(i).shuffle(documents)
        with Dashboard(bin_dir, place) as one:
            store(one, documents)
            answer, runs = compare(one, metrics=NAMES), run_ids_of(one)
            del answer["data_version"]
            for cell in answer["cells"] + answer["unmatched"]["a"] + answer["unmatched"]["b"]:
                for ids in {"a_ids", "b_ids", "ids"} & set(cell):
                    cell[ids] = [runs[one] for one in cell[ids]]
            bodies.append(answer)
            one.stop()
    assert bodies[0] == bodies[1] == bodies[2]
