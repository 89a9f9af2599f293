"""Ratios of synthetic runs (tests/tools/compare_driver) compared with numpy and, if it is installed, scipy: equal to 1e-9,
and with the stated coverage of the intervals. Plays 200 comparisons per question by default, 2,000 with
PROFLLM_TEST_LONG=1."""
import json
import math
import os
import subprocess

import numpy as np
import pytest

FULL = bool(os.environ.get("PROFLLM_TEST_LONG"))
COMPARISONS = 2000 if FULL else 200
# the 99 % range of the share of so many that 95 % yields by chance, if it is narrower than the requirement
LOW, HIGH = (0.93, 0.97) if FULL else (0.91, 0.985)


def ask(bin_dir, questions):
    text = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([bin_dir.parent / "tests/compare_driver"], input=text, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def question(a, b, **more):
    sides = [side if isinstance(side, dict) else {"numbers": [float(x) for x in side]} for side in (a, b)]
    return {"id": "results.p99_ttft_ms", "direction": "lower", "effect": 0.05, "sides": sides} | more


def is_close(found, wanted):
    return found == pytest.approx(float(wanted), rel=1e-9, abs=0)


def runs(rng, n, mean, spread, shape="normal"):
    """Returns a metric of n runs whose true mean is `mean`."""
    if shape == "normal":
        return mean * (1 + spread * rng.standard_normal(n))
    if shape == "lognormal":
        return mean * np.exp(spread * rng.standard_normal(n) - spread ** 2 / 2)
    return mean * (1 - spread + spread * rng.exponential(size=n))  # leans to the right


SIZES = [(5, 5), (10, 10), (20, 20), (8, 12)]
FEW = [(2, 2), (3, 3), (4, 4), (2, 6), (3, 10)]


def made_up(seed, sizes, shapes=("normal", "lognormal"), true=None):
    rng = np.random.default_rng(seed)
    for i in range(COMPARISONS):
        n, m = sizes[i % len(sizes)]
        ratio = true or float(np.exp(rng.uniform(-0.5, 0.5)))
        shape, spread = shapes[i % len(shapes)], float(rng.choice([0.01, 0.03, 0.1, 0.2]))
        mean = float(rng.choice([0.02, 13, 4e5]))
        yield ratio, runs(rng, n, mean, spread, shape), runs(rng, m, mean * ratio, spread * rng.uniform(0.7, 1.4), shape)


def held(bin_dir, comparisons):
    comparisons = list(comparisons)
    said = ask(bin_dir, [question(a, b) for _, a, b in comparisons])
    return said, np.mean([answer["low"] <= truth <= answer["high"] for (truth, _, _), answer in zip(comparisons, said)])


def test_bootstrap_intervals_hold_the_truth(bin_dir):
    said, share = held(bin_dir, made_up(1, SIZES))
    assert {answer["method"] for answer in said} == {"bootstrap"}
    assert LOW <= share <= HIGH, share


def test_of_figures_that_lean_too(bin_dir):
    """With skewed metrics and a usual number of runs, the coverage is close to the stated one."""
    _, share = held(bin_dir, made_up(2, [(10, 10), (20, 20)], shapes=["exponential"]))
    assert LOW <= share <= HIGH, share


def test_of_few_runs_students_intervals_hold_it(bin_dir):
    """With two or three runs per side, Welch's intervals have more than the stated coverage, and never less."""
    said, share = held(bin_dir, made_up(3, FEW))
    assert {answer["method"] for answer in said} == {"student"}
    assert LOW <= share <= 0.995, share


def test_one_run_against_a_group(bin_dir):
    said, share = held(bin_dir, ((1.0, a, b) for _, a, b in made_up(4, [(1, 10), (12, 1)], true=1.0)))
    assert {answer["method"] for answer in said} == {"one_of_many"}
    assert LOW - 0.02 <= share <= HIGH, share  # the run's spread may be up to 1.4 times the group's


def test_no_difference_shown_where_there_is_none(bin_dir):
    """Of 100 pairs of sets of ten runs of one configuration, at most 7 differ."""
    rng = np.random.default_rng(5)
    pairs = [(runs(rng, 10, 20, 0.02), runs(rng, 10, 20, 0.02)) for _ in range(100)]
    said = ask(bin_dir, [question(a, b) for a, b in pairs])
    assert sum(answer["finding"] == "no_difference" for answer in said) >= 93
    assert all(answer["words"].startswith("no difference shown (") for answer in said if answer["finding"] == "no_difference")


def test_a_difference_shows_with_the_reported_number_of_more_runs(bin_dir):
    """Four of five comparisons with that number of runs show it."""
    rng = np.random.default_rng(6)
    [first] = ask(bin_dir, [question([95, 100, 105], [95, 100, 105])])
    n = 3 + first["more_runs_count"]
    said = ask(bin_dir, [question(runs(rng, n, 100, 0.05), runs(rng, n, 105, 0.05)) for _ in range(COMPARISONS)])
    assert 0.72 <= np.mean([answer["finding"] == "worse" for answer in said]) <= 0.88


def test_values_and_ratios_are_numpys(bin_dir):
    for (_, a, b), answer in zip(made_up(7, SIZES + FEW), ask(bin_dir, [question(a, b) for _, a, b in made_up(7, SIZES + FEW)])):
        assert is_close(answer["ratio"], b.mean() / a.mean())
        assert is_close(answer["sides"][0]["value"], a.mean()) and is_close(answer["sides"][1]["value"], b.mean())


def test_intervals_and_tests_are_scipys(bin_dir):
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed: what it says of them stands in tests/unit/base/student.c")
    comparisons = list(made_up(8, SIZES + FEW + [(1, 9)]))
    for (_, a, b), answer in zip(comparisons, ask(bin_dir, [question(a, b) for _, a, b in comparisons])):
        for side, numbers in zip(answer["sides"], (a, b)):
            if len(numbers) > 1:
                wanted = stats.t.interval(0.95, len(numbers) - 1, numbers.mean(), stats.sem(numbers))
                assert is_close(side["low"], wanted[0]) and is_close(side["high"], wanted[1])
        if len(a) > 1:
            assert is_close(answer["p"], stats.ttest_ind(b, a, equal_var=False).pvalue)
        else:
            deviation = b.std(ddof=1) * math.sqrt(1 + 1 / len(b))
            assert is_close(answer["p"], 2 * stats.t.sf(abs(a[0] - b.mean()) / deviation, len(b) - 1))
        if answer["method"] == "student":
            assert [answer["low"], answer["high"]] == pytest.approx(welch_of_logarithms(stats, a, b), rel=1e-9)


def welch_of_logarithms(stats, a, b):
    shares = [x.var(ddof=1) / len(x) / x.mean() ** 2 for x in (a, b)]
    freedom = sum(shares) ** 2 / sum(share ** 2 / (len(x) - 1) for share, x in zip(shares, (a, b)))
    middle, half = math.log(b.mean() / a.mean()), stats.t.isf(0.025, freedom) * math.sqrt(sum(shares))
    return [math.exp(middle - half), math.exp(middle + half)]


def test_the_bootstrap_is_a_studentized_one(bin_dir):
    """Other random draws give the same: the bounds are within the uncertainty of 1,999 draws."""
    rng = np.random.default_rng(9)
    for _, a, b in list(made_up(10, SIZES))[:20]:
        [answer] = ask(bin_dir, [question(a, b)])
        low, high = studentized(rng, a, b)
        room = 0.15 * math.log(high / low)
        assert math.log(answer["low"]) == pytest.approx(math.log(low), abs=room)
        assert math.log(answer["high"]) == pytest.approx(math.log(high), abs=room)


def studentized(rng, a, b, draws=20000):
    def errors(x, axis):
        return x.var(ddof=1, axis=axis) / x.shape[axis] / x.mean(axis=axis) ** 2

    drawn = [x[rng.integers(0, len(x), (draws, len(x)))] for x in (a, b)]
    middle, error = math.log(b.mean() / a.mean()), math.sqrt(errors(a, 0) + errors(b, 0))
    distance = (np.log(drawn[1].mean(1) / drawn[0].mean(1)) - middle) / np.sqrt(errors(drawn[0], 1) + errors(drawn[1], 1))
    low, high = np.percentile(distance, [2.5, 97.5])
    return math.exp(middle - high * error), math.exp(middle - low * error)


def test_intervals_within_two_runs(bin_dir):
    """Zou and Donner: distances of the bounds add at right angles, for logarithms; asymmetric ones stay asymmetric."""
    rng = np.random.default_rng(11)
    for _ in range(50):
        a, b = rng.uniform(1, 100, 2)
        inside = [(x * (1 - rng.uniform(0.001, 0.3)), x * (1 + rng.uniform(0.001, 0.3))) for x in (a, b)]
        [answer] = ask(bin_dir, [question(*({"numbers": [x], "within": list(pair)} for x, pair in zip((a, b), inside)))])
        (a_low, a_high), (b_low, b_high) = inside
        middle = math.log(b / a)
        below = math.hypot(math.log(b / b_low), math.log(a_high / a))
        above = math.hypot(math.log(b_high / b), math.log(a / a_low))
        assert answer["method"] == "within_runs"
        assert is_close(answer["low"], math.exp(middle - below)) and is_close(answer["high"], math.exp(middle + above))
        assert (answer["p"] < 0.05) == (not answer["low"] <= 1 <= answer["high"])


def test_the_same_question_has_the_same_answer(bin_dir):
    rng = np.random.default_rng(12)
    a, b = runs(rng, 9, 5, 0.1), runs(rng, 7, 6, 0.1)
    one, again, shuffled, other = ask(bin_dir, [question(a, b), question(a, b), question(rng.permutation(a), b[::-1]),
                                               question(a, b, id="results.p50_ttft_ms")])
    assert one == again == shuffled
    assert [other["low"], other["high"]] != [one["low"], one["high"]]
    assert other["ratio"] == one["ratio"]
