"""Expansion of sweep files: compared with products computed here; samples are compared with their properties; faults are
reported.

This file computes the meaning of a sweep file independently with itertools; tests/tools/sweep_driver calls the product,
for all files in one process.


"""
import itertools
import json
import math
import os
import random
import subprocess

import pytest

SEED = 20261
FILES = 500
CELLS_MAX = 200  # of a file: as many are no other test
KEYS = ["server.max_num_seqs", "server.max_model_len", "server.tensor_parallel_size", "server.seed",
        "benchmark.max_concurrency", "benchmark.num_prompts", "benchmark.request_rate", "launch.env.LEVEL"]
OPERATORS = {"<=": lambda a, b: a <= b, "<": lambda a, b: a < b, "==": lambda a, b: a == b,
             "!=": lambda a, b: a != b, ">": lambda a, b: a > b}


@pytest.fixture(scope="module")
def ask(bin_dir):
    path = bin_dir.parent / "tests/sweep_driver"
    assert path.exists(), f"no {path}: build the target sweep_driver"

    def ask_all(questions):
        text = "".join(json.dumps(question) + "\n" for question in questions)
        done = subprocess.run([path], input=text, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(questions)
        return answers

    return ask_all


def number(value):
    """Returns a value of a range with twelve digits, or a whole number if the range has whole numbers."""
    return value if isinstance(value, int) else float(f"{value:.12g}")


def random_values(rng):
    """Returns the text in the file, and its values."""
    kind = rng.choice(["list", "double", "linear", "parts", "log", "one"])
    if kind == "list":
        values = rng.sample(range(1, 60), rng.randint(1, 5))
        return values, values
    if kind == "one":
        return 7, [7]
    low = rng.randint(1, 9)
    high = low + rng.randint(0, 90)
    if kind == "double":
        return ({"from": low, "to": high, "scale": "2^k"},
                [low * 2 ** k for k in range(10) if low * 2 ** k <= high])
    if kind == "linear":
        step = rng.choice([7, 20, 33, 12.5])
        values = [low + i * step for i in range(int((high - low) / step + 1e-9) + 1)]
        return {"from": low, "to": high, "step": step}, [number(value) for value in values]
    count = rng.randint(2, 5)
    if kind == "parts":
        values = [low + (high - low) * i / (count - 1) for i in range(count)]
        asked = {"from": low, "to": high, "count": count}
    else:
        values = [low * (high / low) ** (i / (count - 1)) for i in range(count)]
        asked = {"from": low, "to": high, "scale": "log", "count": count}
    return asked, list(dict.fromkeys(math.floor(value + 0.5 + 1e-12) for value in values))


def random_part(rng, keys):
    """Returns a part of a section, its axes (each a list of points), and its condition."""
    section, axes = {}, []
    for key in keys[:rng.randint(1, 3)]:
        asked, values = random_values(rng)
        section[key] = asked
        axes.append([{key: value} for value in values])
    zipped = keys[3:5]
    if rng.random() < 0.5:
        rows = [[rng.randint(1, 99) for _ in zipped] for _ in range(rng.randint(1, 4))]
        section["zip"] = {key: [row[i] for row in rows] for i, key in enumerate(zipped)}
        axes.append([dict(zip(zipped, row)) for row in rows])
    if rng.random() < 0.3:
        pairs = [(rng.randint(1, 900), rng.randint(1, 900)) for _ in range(rng.randint(1, 3))]
        section["lengths"] = [f"{a}x{b}" for a, b in pairs]
        axes.append([{"benchmark.input_len": a, "benchmark.output_len": b} for a, b in pairs])
    known = [key for axis in axes for key in axis[0] if not key.startswith("launch.")]
    if rng.random() < 0.6 and len(known) > 1:
        a, b = rng.sample(known, 2)
        name, limit = rng.choice(sorted(OPERATORS)), rng.randint(2, 4000)
        factor = rng.randint(1, 9)
        section["where"] = f"{a} * {factor} + {b.rsplit('.', 1)[1]} {name} {limit} or {b} > {a}"
        return section, axes, lambda p: OPERATORS[name](p[a] * factor + p[b], limit) or p[b] > p[a]
    return section, axes, lambda p: True


def product(axes):
    return [{key: value for part in parts for key, value in part.items()} for parts in itertools.product(*axes)]


def distinct(points):
    return list({json.dumps(point, sort_keys=True): point for point in points}.values())


def random_file(rng):
    keys = rng.sample(KEYS, len(KEYS))
    section, axes, holds = random_part(rng, keys)
    if math.prod(map(len, axes)) > 2 * CELLS_MAX:
        return section, []
    if rng.random() < 0.7:
        return section, [(None, p) for p in distinct(product(axes)) if holds(p)]
    # sets: keys outside of them apply to each
    section["sets"], found, seen = {}, [], set()
    for name in ["a", "b"]:
        own, own_axes, own_holds = random_part(rng, keys[5:])
        own.pop("zip", None), own.pop("lengths", None), own.pop("where", None)
        own_axes = own_axes[:len(own)]
        section["sets"][name] = own
        replaced = {key for axis in own_axes for key in axis[0]}
        kept = [axis for axis in axes if not replaced & set(axis[0])]
        if math.prod(map(len, kept + own_axes)) > 2 * CELLS_MAX:
            return section, []
        for point in distinct(product(kept + own_axes)):
            text = json.dumps(point, sort_keys=True)
            if text not in seen and holds(point):
                seen.add(text)
                found.append((name, point))
    return section, found


def test_expansion_is_the_product(ask):
    rng = random.Random(SEED)
    files = []
    while len(files) < FILES:
        try:
            section, expected = random_file(rng)
        except KeyError:  # a condition about a key that a set has replaced
            continue
        sets = section.get("sets", {})
        if 0 < len(expected) <= CELLS_MAX and {name for name, _ in expected} == (set(sets) or {None}):
            files.append((section, expected))
    answers = ask([{"yaml": json.dumps({"server": {"model": "m"}, "sweep": section})} for section, _ in files])
    for (section, expected), answer in zip(files, answers):
        assert "combinations" in answer, (section, answer)
        assert [(cell["set"], cell["parameters"]) for cell in answer["combinations"]] == expected, section
        labels = [cell["label"] for cell in answer["combinations"]]
        assert len(set(labels)) == len(labels)


def test_order_and_names(ask):
    """The first axis changes slowest; sections may be nested, and names spelled as on a command line."""
    [answer] = ask([{"yaml": """
server: {model: m}
sweep:
  server: {tensor-parallel-size: [1, 2]}
  benchmark.request-rate: [inf, 1.5]
"""}])
    assert [cell["label"] for cell in answer["combinations"]] == [
        "tensor_parallel_size=1 request_rate=inf", "tensor_parallel_size=1 request_rate=1.5",
        "tensor_parallel_size=2 request_rate=inf", "tensor_parallel_size=2 request_rate=1.5"]


def test_conditions_know_the_file_and_defaults(ask):
    """tensor_parallel_size comes from the file, pipeline_parallel_size is a default; null decides nothing."""
    yaml = """
server: {model: m, tensor_parallel_size: 4}
sweep:
  server.data_parallel_size: [1, 2, 4]
  benchmark.max_concurrency: [null, 8]
  where: ["%s"]
"""
    total = "server.tensor_parallel_size * server.pipeline_parallel_size * data_parallel_size <= 8"
    answers = ask([{"yaml": yaml % total}, {"yaml": yaml % "max_concurrency < 9"},
                   {"yaml": yaml % "not is_set(benchmark.max_concurrency)"}])
    assert [len(answer["combinations"]) for answer in answers] == [4, 3, 3]
    assert answers[0]["excluded"] == 2


def test_only_some_sets(ask):
    sweep = {"server.seed": [1, 2], "sets": {"quick": {"benchmark.num_prompts": 10},
                                             "full": {"benchmark.num_prompts": [10, 1000]}}}
    yaml = json.dumps({"server": {"model": "m"}, "sweep": sweep})
    both, quick, none = ask([{"yaml": yaml}, {"yaml": yaml, "only": ["quick"]}, {"yaml": yaml, "only": ["ful"]}])
    assert [cell["set"] for cell in both["combinations"]] == ["quick", "quick", "full", "full"]
    assert both["merged"] == 2
    assert [cell["set"] for cell in quick["combinations"]] == ["quick", "quick"]
    assert "found 'ful' in --only" in none["problems"][0] and "did you mean 'full'" in none["problems"][0]


# ---- samples ----

def discrepancy(points):
    """Computes the L2 star discrepancy by Warnock's formula."""
    n, d = len(points), len(points[0])
    first = (1 / 3) ** d
    second = sum(math.prod((1 - x * x) / 2 for x in point) for point in points) * 2 / n
    third = sum(math.prod(1 - max(x, y) for x, y in zip(a, b)) for a in points for b in points) / n ** 2
    return math.sqrt(first - second + third)


def sample(ask, method, count, dimensions, seeds):
    return ask([{"sample": method, "count": count, "dimensions": dimensions, "seed": seed} for seed in seeds])


def test_samples_are_evenly_spread(ask):
    seeds = range(3)
    drawn = {method: sample(ask, method, 64, 4, seeds) for method in ["random", "latin_hypercube", "sobol"]}
    mean = {method: sum(map(discrepancy, sets)) / len(seeds) for method, sets in drawn.items()}
    assert mean["sobol"] < mean["latin_hypercube"] < mean["random"]
    assert all(discrepancy(sobol) < 0.6 * mean["random"] for sobol in drawn["sobol"])
    for points in drawn["latin_hypercube"] + drawn["sobol"]:
        for axis in zip(*points):
            assert sorted(int(x * 64) for x in axis) == list(range(64))
    for points in drawn["random"]:
        assert len({int(x[0] * 64) for x in points}) < 64
    assert len({json.dumps(points) for sets in drawn.values() for points in sets}) == 9
    assert sample(ask, "sobol", 64, 4, [2])[0] == drawn["sobol"][2]


def test_samples_as_scipy_sees_them(ask):
    """Sobol's points equal scipy's except for the shift of each axis; their discrepancies are below those of random
    points, and equal those of discrepancy()."""
    qmc = pytest.importorskip("scipy.stats.qmc", reason="scipy is not installed: its samplers are not compared")
    drawn = {method: sample(ask, method, 64, 4, range(3)) for method in ["random", "latin_hypercube", "sobol"]}
    for measure in ("CD", "WD", "L2-star"):
        mean = {method: sum(qmc.discrepancy(points, method=measure) for points in sets) for method, sets in drawn.items()}
        assert mean["sobol"] < mean["latin_hypercube"] < mean["random"], measure
    for points in drawn["sobol"]:
        assert math.isclose(qmc.discrepancy(points, method="L2-star"), discrepancy(points), rel_tol=1e-9)
    [points] = sample(ask, "sobol", 64, 16, [1])
    bits = [[int(x * 2 ** 32) for x in point] for point in points]
    scipys = [[int(x * 2 ** 32) for x in point] for point in qmc.Sobol(16, scramble=False, bits=32).random(64)]
    assert [[x ^ first for x, first in zip(point, bits[0])] for point in bits] == scipys


def test_random_is_pythons(ask):
    rng = random.Random(7)
    assert sample(ask, "random", 5, 3, [7]) == [[[rng.random() for _ in range(3)] for _ in range(5)]]


def test_sobol_fills_boxes(ask):
    """In all 16 dimensions, each half, quarter, … has its share of 2^12 points; the first two dimensions are a (0, m, 2)
    net: every elementary box of 2^-10 has one of 2^10 points."""
    [points] = sample(ask, "sobol", 4096, 16, [1])
    for axis in zip(*points):
        for bits in (1, 5, 12):
            slices = [0] * 2 ** bits
            for x in axis:
                slices[int(x * 2 ** bits)] += 1
            assert set(slices) == {4096 >> bits}
    for bits in range(11):
        boxes = {(int(p[0] * 2 ** bits), int(p[1] * 2 ** (10 - bits))) for p in points[:1024]}
        assert len(boxes) == 1024
    assert len({json.dumps(axis) for axis in zip(*points)}) == 16


def test_sample_of_a_file(ask):
    """Ranges yield any value, lists one of theirs; axes that are not sampled are combined with each point."""
    [answer] = ask([{"yaml": """
server: {model: m}
sweep:
  server.gpu_memory_utilization: {from: 0.5, to: 0.9}
  server.max_num_batched_tokens: {from: 1k, to: 32k, scale: log}
  server.dtype: [float16, bfloat16]
  benchmark.max_concurrency: [1, 8]
  sample: {method: latin_hypercube, count: 40, seed: 5,
           over: [server.gpu-memory-utilization, server.max_num_batched_tokens, server.dtype]}
"""}])
    points = [cell["parameters"] for cell in answer["combinations"]]
    assert len(points) == 80
    assert [p["benchmark.max_concurrency"] for p in points[:4]] == [1, 8, 1, 8]
    shares = sorted(p["server.gpu_memory_utilization"] for p in points[::2])
    assert [int((share - 0.5) / 0.4 * 40 + 1e-4) for share in shares] == list(range(40))
    tokens = [p["server.max_num_batched_tokens"] for p in points]
    assert all(isinstance(n, int) and 1000 <= n <= 32000 for n in tokens)
    assert sum(n < 5657 for n in tokens[::2]) == 20  # the middle of the logarithms
    assert sum(p["server.dtype"] == "float16" for p in points[::2]) == 20


def test_points_one_by_one(ask):
    """Points alone, combined with another key, and as a separate set."""
    alone, combined, sets = ask([{"yaml": f"server: {{model: m}}\nsweep: {{{sweep}}}\n"} for sweep in (
        "points: [{server.seed: 1, benchmark.max_concurrency: 8}, {benchmark.max-concurrency: 16, server.seed: 2}]",
        "points: [{server.seed: 1}, {server.seed: 2}], benchmark.max_concurrency: [4, 8], where: seed + max_concurrency < 10",
        "server.seed: [7], sets: {a: {points: [{benchmark.num_prompts: 3}]}, b: {points: [{server.seed: 9, launch.env.X: [1]}]}}")])
    assert [cell["parameters"] for cell in alone["combinations"]] == [{"server.seed": 1, "benchmark.max_concurrency": 8},
                                                          {"server.seed": 2, "benchmark.max_concurrency": 16}]
    assert [tuple(cell["parameters"].values()) for cell in combined["combinations"]] == [(1, 4), (1, 8), (2, 4)]
    assert [(cell["set"], cell["parameters"]) for cell in sets["combinations"]] == [
        ("a", {"server.seed": 7, "benchmark.num_prompts": 3}), ("b", {"server.seed": 9, "launch.env.X": [1]})]


# ---- faults ----

FAULTS = {
    "server.max_num_seqs: {from: 1, too: 3}": "2:40: sweep.server.max_num_seqs.too: unknown key",
    "server.max_num_seqs: {from: 1, to: 3}": "a range without 'step' or 'count'",
    "server.max_num_seqs: {from: 9, to: 3, step: 1}": "a 'from' of at most 'to'",
    "server.max_num_seqs: {from: 0, to: 3, scale: 2^k}": "'from' above 0",
    "server.max_num_seqs: {from: 1, to: 3, scale: lin}": "linear, log or 2^k",
    "server.max_num_seqs: []": "an empty list",
    "server.api_key: [a, b]": "a secret",
    "launch.env.HF_TOKEN: [a, b]": "a secret",
    "max_num_seqs: [1]": "unknown key",
    "zipp: {server.seed: [1]}": "did you mean 'zip'",
    "zip: {server.seed: [1, 2], server.max_num_seqs: [1]}": "found 1 values, expected 2",
    "server.seed: [1, 2], where: 'sed > 1'": "did you mean 'seed'",
    "server.seed: [1, 2], where: 'seed >'": "sweep.where: 'seed >': character 7: found the end, expected a value",
    "server.seed: [1, 2], where: 'seed > 2'": "a condition that excludes every combination",
    "server.seed: [1, 2], sample: {method: sobl, count: 2}": "did you mean 'sobol'",
    "server.seed: [1, 2], sample: {count: 2, over: [server.sed]}": "did you mean 'server.seed'",
    "server.seed: [1, 2], lengths: [12]": "1024x128",
    "points: {server.seed: 1}": "a list of up to 100000 mappings with the same keys",
    "points: [{server.seed: 1}, {server.max_num_seqs: 1}]": "found a point with other keys",
    "points: [{server.seed: 1}, {server.seed: 1, server.max_num_seqs: 1}]": "found a point with other keys",
    "points: [{sed: 1}]": "sweep.sed: unknown key",
    "points: [{server.seed: 1}], server.seed: [1]": "a duplicate key",
    "server.seed: {from: 1, to: 10000, step: 1}, server.max_num_seqs: {from: 1, to: 100, step: 1}":
        "more than 100000 combinations",
    "server.seed: [1], server.seed: [2]": "duplicate key",
    "server.seed: [1], server: {seed: [2]}": "a duplicate key",
}


def test_faults_are_reported_with_their_location(ask):
    answers = ask([{"yaml": f"server: {{model: m}}\nsweep: {{{fault}}}\n"} for fault in FAULTS])
    for (fault, expected), answer in zip(FAULTS.items(), answers):
        assert "problems" in answer, (fault, answer)
        assert any(expected in problem for problem in answer["problems"]), (fault, answer)
        assert all(problem.startswith("s.yaml:2:") for problem in answer["problems"]), answer
