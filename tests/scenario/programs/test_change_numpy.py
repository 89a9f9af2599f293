"""Statistics of changes (tests/tools/change_driver) compared with their definitions in numpy and, if it is installed,
scipy: equal to 1e-9. Sanitized programs compute a tenth of the inputs."""
import functools
import itertools
import json
import math
import os
import subprocess

import numpy as np
import pytest

try:
    from scipy import stats
except ImportError:
    stats = None

INPUTS = 200 if os.environ.get("PROFLLM_SANITIZED") else 2000
Z_95 = 1.959963984540054


def ask(bin_dir, questions):
    text = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([bin_dir.parent / "tests/change_driver"], input=text, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_close(found, wanted):
    return found == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def sample(rng, n):
    """Returns n values of a random shape; every third sample has ties."""
    shape = rng.integers(0, 4)
    x = [rng.normal(100, 5, n), np.exp(rng.normal(0, 1, n)), rng.exponential(3, n), rng.uniform(-1, 1, n)][shape]
    return np.round(x * 2) / 2 if rng.integers(0, 3) == 0 else x


@functools.cache
def ways(m, k):
    """Returns the number of ways to get each U of m and k values without ties."""
    if m == 0 or k == 0:
        return np.ones(1)
    counts = np.zeros(m * k + 1)
    counts[k:] += ways(m - 1, k)  # the largest value is one of the m: it is above all k
    counts[:m * (k - 1) + 1] += ways(m, k - 1)
    return counts


def test_two_samples_are_compared_by_ranks(bin_dir):
    rng = np.random.default_rng(1)
    pairs = []
    for i in range(INPUTS):
        m, k = (int(n) for n in rng.integers(1, 25 if i % 2 else 60, 2))
        pairs.append((sample(rng, m), sample(rng, k) * rng.choice([1, 1.1])))
    answers = ask(bin_dir, [{"compare": [list(a), list(b)]} for a, b in pairs])
    exact_count = 0
    for (a, b), found in zip(pairs, answers):
        m, k = len(a), len(b)
        differences = np.sort((b[None, :] - a[:, None]).ravel())
        u = np.sum(differences > 0) + np.sum(differences == 0) / 2
        _, ties = np.unique(np.concatenate([a, b]), return_counts=True)
        is_exact = m * k <= 400 and ties.max() == 1
        assert found["exact"] == is_exact
        exact_count += is_exact
        n = m + k
        if is_exact:
            shares = ways(m, k) / np.sum(ways(m, k))
            p, beyond = min(1, 2 * np.sum(shares[int(max(u, m * k - u)):])), int(np.sum(np.cumsum(shares) <= 0.025))
        else:
            sigma = math.sqrt(m * k / 12 * ((n + 1) - np.sum(ties**3 - ties) / (n * (n - 1))))
            z = (abs(u - m * k / 2) - 0.5) / sigma if sigma > 0 else 0
            p = math.erfc(z / math.sqrt(2)) if z > 0 else 1
            beyond = max(0, math.floor(m * k / 2 - Z_95 * math.sqrt(m * k * (n + 1) / 12)))
        assert is_close([found["u"], found["p"], found["delta"], found["shift"]], [u, p, 2 * u / (m * k) - 1, np.median(differences)])
        if beyond:
            assert is_close([found["low"], found["high"]], [differences[beyond - 1], differences[-beyond]])
        else:
            assert found["low"] is None and found["high"] is None
        if stats is not None and ties.max() < n:
            peer = stats.mannwhitneyu(b, a, method="exact" if is_exact else "asymptotic")
            assert is_close([found["u"], found["p"]], [peer.statistic, peer.pvalue])
    assert INPUTS / 10 < exact_count < INPUTS * 9 / 10


def test_values_are_described_robustly(bin_dir):
    rng = np.random.default_rng(2)
    samples = [sample(rng, int(rng.integers(1, 50))) for _ in range(INPUTS)]
    outliers = 0
    for y, found in zip(samples, ask(bin_dir, [{"values": list(y)} for y in samples])):
        windows = [y[max(0, i - 7):i + 8] for i in range(len(y))]
        medians = np.array([np.median(window) for window in windows])
        spreads = np.array([1.4826 * np.median(np.abs(window - np.median(window))) for window in windows])
        flagged = [int(i) for i in np.flatnonzero(np.abs(y - medians) > 3.5 * spreads)]
        rest = y - medians - np.mean(y - medians)
        squares = np.sum(rest**2)
        correlation = np.sum(rest[1:] * rest[:-1]) / squares if len(y) >= 20 and squares > 0 else 0
        assert is_close(found["medians"], list(medians))
        assert is_close([found["median"], found["spread"]], [np.median(y), 1.4826 * np.median(np.abs(y - np.median(y)))])
        assert found["outliers"] == flagged
        assert is_close(found["correlation"], correlation)
        if stats is not None:
            assert is_close(found["spread"], 1.4826 * stats.median_abs_deviation(y))
        outliers += len(flagged)
    assert outliers > INPUTS / 2


def test_discoveries_follow_benjamini_and_hochberg(bin_dir):
    rng = np.random.default_rng(3)
    lists = [np.round(rng.uniform(0, 1, int(rng.integers(1, 60))) ** rng.choice([1, 6]), 3) for _ in range(INPUTS)]
    for p, found in zip(lists, ask(bin_dir, [{"p": list(p)} for p in lists])):
        n = len(p)
        # rejected at q: the k smallest, k the largest rank with p <= q·k/n; so q is the least of n·p(k)/k from its rank on
        ratios = n * p / np.sum(p[None, :] <= p[:, None], axis=1)
        wanted = [min(1, np.min(ratios[p >= one])) for one in p]
        assert is_close(found["q"], wanted)
        if stats is not None and hasattr(stats, "false_discovery_control"):
            assert is_close(found["q"], list(stats.false_discovery_control(p)))


def divergences(y, side_min):
    """Yields (Q, cut, end) of each cut of one order or, for an array of orders, of each row."""
    y = np.atleast_2d(y)
    distance = np.abs(y[:, :, None] - y[:, None, :])
    for end in range(2 * side_min, y.shape[1] + 1):
        for at in range(side_min, end - side_min + 1):
            m, k = at, end - at
            left, right = distance[:, :at, :at], distance[:, at:end, at:end]
            between = distance[:, :at, at:end].mean((1, 2))
            e = 2 * between - left.sum((1, 2)) / (m * (m - 1)) - right.sum((1, 2)) / (k * (k - 1))
            yield m * k / (m + k) * e, at, end


def test_the_best_cut_is_the_largest_divergence(bin_dir):
    rng = np.random.default_rng(4)
    series = []
    for i in range(INPUTS // 5):
        y = sample(rng, int(rng.integers(4, 40)))
        y[int(rng.integers(0, len(y))):] *= rng.choice([1, 1.5])
        series.append((y, int(rng.integers(2, 6))))
    answers = ask(bin_dir, [{"cut": list(y), "side_min": side_min} for y, side_min in series])
    found_count = 0
    for (y, side_min), found in zip(series, answers):
        if len(y) < 2 * side_min:
            assert found is None
            continue
        cuts = {(at, end): q[0] for q, at, end in divergences(y, side_min)}
        assert is_close(found["q"], max(cuts.values()))
        assert is_close(cuts[found["at"], found["end"]], max(cuts.values()))
        found_count += 1
    assert found_count > INPUTS / 10


def test_few_values_are_permuted_in_all_orders(bin_dir):
    rng = np.random.default_rng(5)
    series = [(sample(rng, n), side_min) for n, side_min in [(4, 2), (5, 2), (6, 2), (6, 3), (7, 2), (7, 3), (8, 4), (8, 3), (8, 2)] for _ in range(2)]
    series += [(np.array([1.0, 2, 3, 11, 12, 13]), 3), (np.array([1.0, 1, 1, 2, 2, 2, 2]), 2)]
    for (y, side_min), found in zip(series, ask(bin_dir, [{"cut": list(y), "side_min": side_min} for y, side_min in series])):
        orders = np.array(list(itertools.permutations(y)))
        best = np.max([q for q, _, _ in divergences(orders, side_min)], axis=0)
        reached = int(np.sum(best >= found["q"] - 1e-9 * abs(found["q"])))
        assert (found["drawn"], found["reached"]) == (len(orders), reached)
        assert is_close(found["p"], reached / len(orders))


def test_random_orders_estimate_the_same_p(bin_dir):
    """1,999 random orders against 1,000 of numpy: both shares of the same p, 4 standard errors apart at most."""
    rng = np.random.default_rng(6)
    series = [(rng.normal(0, 1, n) + np.where(np.arange(n) < n // 2, 0, shift), 5) for n in (10, 17, 25) for shift in (0, 0.7)]
    for (y, side_min), found in zip(series, ask(bin_dir, [{"cut": list(y), "side_min": side_min} for y, side_min in series])):
        orders = np.array([rng.permutation(y) for _ in range(1000)])
        p = np.mean(np.max([q for q, _, _ in divergences(orders, side_min)], axis=0) >= found["q"])
        assert found["drawn"] == 1999
        assert abs(found["p"] - p) <= 4 * math.sqrt(max(p * (1 - p), 0.001) * (1 / 1999 + 1 / 1000))


def series_of(values, **more):
    return {"key": "k", "values": [None if math.isnan(x) else float(x) for x in values], "direction": "lower", "scale": "log",
            "effect_min": 0.05} | more


def test_rows_in_another_order_give_the_same_bytes(bin_dir):
    rng = np.random.default_rng(7)
    y = np.exp(rng.normal(0, 0.05, 60)) * np.where(np.arange(60) < 40, 100, 125)
    y[[3, 50]] = math.nan
    at = np.arange(60)
    order = rng.permutation(60)
    other = series_of(rng.normal(10, 1, 30), key="other", at=list(range(30)))
    lists = [[series_of(y, at=[int(i) for i in at]), other], [other, series_of(y[order], at=[int(i) for i in at[order]])]]
    (first, second) = ask(bin_dir, [{"analyze": some} for some in lists])
    assert first["series"][0] == second["series"][1] and first["series"][1] == second["series"][0]
    assert first["incidents"] == second["incidents"]
    assert first["series"][0]["state"] == "regression"
