"""Statistics of matched configurations and of repeated looks (tests/tools/change_driver) compared with their
definitions in numpy and, if it is installed, scipy: equal to 1e-9. Sanitized programs compute a tenth of the inputs."""
import itertools
import math
import os

import numpy as np
import pytest
from test_change_numpy import ask, is_close

try:
    from scipy import stats
except ImportError:
    stats = None

INPUTS = 200 if os.environ.get("PROFLLM_SANITIZED") else 2000
RESAMPLES = 1999


def differences(rng, n):
    """Returns n differences of a random shape; a third has ties and zeros."""
    x = [rng.normal(0.02, 0.05, n), rng.standard_t(2, n), np.abs(rng.normal(0, 1, n))][rng.integers(0, 3)]
    return np.round(x * 20) / 20 if rng.integers(0, 3) == 0 else x


def ranks_of(sizes):
    """Returns the mean ranks, from 1."""
    return np.array([(sizes < size).sum() + ((sizes == size).sum() + 1) / 2 for size in sizes])


def test_matched_pairs_are_compared_by_signed_ranks(bin_dir):
    rng = np.random.default_rng(11)
    samples = [differences(rng, int(rng.integers(1, 80))) for _ in range(INPUTS)]
    exact_count = 0
    for x, found in zip(samples, ask(bin_dir, [{"pairs": list(x), "seed": 1} for x in samples])):
        below, above = int((x < 0).sum()), int((x > 0).sum())
        kept = x[x != 0]
        ranks = ranks_of(np.abs(kept))
        if not len(kept):
            assert found["p"] is None and found["sign_p"] is None
            continue
        assert is_close(found["w"], ranks[kept > 0].sum())
        has_ties = len(set(np.abs(kept))) < len(kept)
        assert found["exact"] == (not has_ties and len(kept) == len(x) and len(x) <= 50)
        exact_count += found["exact"]
        if found["exact"] and len(x) <= 12:
            sums = [sum(rank for rank, is_in in zip(range(1, len(x) + 1), chosen) if is_in) for chosen in itertools.product((0, 1), repeat=len(x))]
            nearer = min(found["w"], len(x) * (len(x) + 1) / 2 - found["w"])
            assert is_close(found["p"], min(1, 2 * sum(total <= nearer for total in sums) / len(sums)))
        wanted = min(1, 2 * sum(math.comb(below + above, k) for k in range(min(below, above) + 1)) / 2 ** (below + above))
        assert is_close(found["sign_p"], wanted)
        if stats is not None:
            method = "exact" if found["exact"] else "approx"  # newer versions: asymptotic
            assert is_close(found["p"], stats.wilcoxon(x, zero_method="wilcox", correction=False, method=method).pvalue)
            assert is_close(found["sign_p"], stats.binomtest(below, below + above).pvalue)
    assert exact_count > INPUTS / 4


def test_interval_over_configurations_is_a_studentized_bootstrap(bin_dir):
    """Equal to numpy's with the same random numbers."""
    rng = np.random.default_rng(12)
    samples = [rng.normal(0.03, 0.05, int(rng.integers(5, 30))) for _ in range(40)]
    for seed, (x, found) in enumerate(zip(samples, ask(bin_dir, [{"pairs": list(x), "seed": i} for i, x in enumerate(samples)]))):
        n, mean = len(x), x.mean()
        drawn = np.random.default_rng(seed).integers(0, 2**32, size=RESAMPLES * n, dtype=np.uint32).reshape(RESAMPLES, n)
        resamples = x[(drawn.astype(np.uint64) * n) >> 32]
        errors = resamples.std(axis=1, ddof=1) / math.sqrt(n)
        with np.errstate(divide="ignore"):  # a resample of one value
            distances = np.sort((resamples.mean(axis=1) - mean) / errors)
        error = x.std(ddof=1) / math.sqrt(n)
        assert found["low"] == pytest.approx(mean - distances[1949] * error, rel=1e-9, abs=1e-12)
        assert found["high"] == pytest.approx(mean - distances[49] * error, rel=1e-9, abs=1e-12)


def test_interval_over_configurations_covers_the_mean(bin_dir):
    """In 95 % of the grids, within the binomial 99.9 % interval of 400 of them or more."""
    rng = np.random.default_rng(13)
    count = INPUTS if stats is not None or INPUTS < 400 else 400
    samples = [rng.normal(0.05, 0.04, 3 + i % 14) for i in range(count)]
    answers = ask(bin_dir, [{"pairs": list(x), "seed": i} for i, x in enumerate(samples)])
    share = np.mean([found["low"] <= 0.05 <= found["high"] for found in answers])
    assert abs(share - 0.95) < 3.3 * math.sqrt(0.95 * 0.05 / count) + 0.01


def log_ratio(ncp, t, df):
    """Returns the logarithm of the density of t with a noncentrality, divided by the central one."""
    return stats.nct.logpdf(t, df, ncp) - stats.t.logpdf(t, df)


@pytest.mark.skipif(stats is None, reason="scipy is not installed")
def test_evidence_is_a_ratio_of_densities_of_t(bin_dir):
    rng = np.random.default_rng(14)
    questions = []
    for i in range(200):
        n, k = (int(number) for number in rng.integers(2, 20, 2))
        question = {"evidence": list(rng.normal(0.02, 0.03, n)), "at": float(rng.choice([0, 0.05])), "alpha": 0.01, "beta": 0.05}
        questions.append({**question, "other": list(rng.normal(0.05, 0.03, k))} if i % 2 else question)
    checked = 0
    for question, found in zip(questions, ask(bin_dir, questions)):
        a, b = np.array(question["evidence"]), np.array(question.get("other", []))
        if len(b):
            df, weight, mean = len(a) + len(b) - 2, len(a) * len(b) / (len(a) + len(b)), b.mean() - a.mean()
            squares = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
        else:
            df, weight, mean, squares = len(a) - 1, len(a), a.mean(), ((a - a.mean()) ** 2).sum()
        t = (mean - question["at"]) * math.sqrt(weight) / math.sqrt(squares / df)
        for name, sign in (("above", 1), ("below", -1)):
            logs = np.array([log_ratio(effect * math.sqrt(weight), sign * t, df) for effect in (0.25, 0.5, 1, 2, 4)])
            if not np.isfinite(logs).all() or abs(t) > 6:  # scipy's density is inaccurate far out
                continue
            assert found[name] == pytest.approx(np.logaddexp.reduce(logs) - math.log(5), rel=1e-6, abs=1e-6)
            checked += 1
    assert checked > 200
