"""`*_client_error` of `results` compared with the definitions of docs/reference/metrics.md: bounds of each sample from a
record's own times, their statistics by numpy, and for small sets by every assignment of uncertain times."""
import copy
import itertools
import json
import math
import os

import numpy as np
import pytest
from test_metrics_numpy import COALESCED, CONTENT, FINISH, driver, failure, record  # noqa: F401

FAMILIES = ["ttft_ms", "first_token_ms", "tpot_ms", "itl_ms", "e2el_ms"]
STATISTICS = ["mean", "median", "p90", "p99"]
KEYS = [f"{stat}_{family}_client_error" for family in FAMILIES for stat in STATISTICS]
STEP_MIN = 10_000  # ns; a smaller step of the clock is not seen
UNCERTAIN_MAX = 8  # of a set that is brute-forced
TIMED_SETS = 150  # of those whose gaps are searched
# under a sanitizer most of the time would be numpy's
SETS = 10_000 if os.environ.get("PROFLLM_TEST_LONG") else 100 if os.environ.get("PROFLLM_SANITIZED") else 1000


# Making records up.


def random_read(rng, before, sure):
    """Returns events of one read, not before `before`: the first may have arrived at any time since `earliest`."""
    t = before + int(rng.integers(0, 40_000_000))
    earliest = before + int(rng.integers(0, t - before + 1))
    count = 1 + int(rng.choice(3, p=[0.6, 0.2, 0.2]))
    wide = 0 if sure or earliest == t else count if rng.random() < 0.2 else count - 1
    return t, [[t, int(rng.integers(0, 3)), COALESCED * (i > 0) + CONTENT * (rng.random() < 0.8)] + [earliest] * (i < wide)
               for i in range(count)]


def random_events(rng, acted, sure, reads):
    t, events = acted + int(rng.integers(0, 5_000_000)), []
    for _ in range(reads):
        t, some = random_read(rng, t, sure)
        events += some
    if events:
        events[-1][2] |= FINISH
    return events


def random_record(rng, i, sure, reads_max):
    acted = 10**9 + int(rng.integers(0, 10**9))
    fresh = rng.random() < 0.5
    handshake = int(rng.integers(0, 200_000)) if fresh and rng.random() < 0.9 else None
    took = 7000 if sure else int(rng.integers(0, 3_000_000)) if rng.random() < 0.5 else int(rng.integers(0, 20_000))
    sent = acted + took + (handshake or 0)
    events = random_events(rng, sent, sure, int(rng.integers(0, reads_max + 1)))
    end = (events[-1][0] if events else sent) + int(rng.integers(1, 10**6))
    fate = rng.random()
    tries = 2 if fate < 0.1 else 1
    return record(i, acted, events, **{
        "planned_ns": acted, "connected_ns": sent if fresh else None, "handshake_ns": handshake,
        "sent_ns": None if 0.1 < fate < 0.2 else sent, "end_ns": end, "try": tries, "tries": tries,
        "output_tokens": int(rng.integers(0, 9)) if rng.random() < 0.7 else None,
        **(failure("truncated", 200, "cut") if fate > 0.9 else {})})


def random_set(seed):
    """Every fifth set is exact, every tenth is too large for brute force."""
    rng = np.random.default_rng([seed, 17])
    sure = seed % 5 == 0
    n, reads = (int(rng.integers(20, 60)), 12) if seed % 10 == 1 else (int(rng.integers(0, 5)), 3)
    step = int(rng.choice([0, 0, 0, STEP_MIN - 1, -STEP_MIN, 2_500_000]))
    return {
        "records": [random_record(rng, i, sure, reads) for i in range(n)], "tries": [], "start_ns": 10**9,
        "end_ns": 4 * 10**9, "percentiles": [], "slo": None, "max_concurrency": None, "finite_rate": False,
        "inflight_peak": None, "clock_step_ns": min(step, STEP_MIN - 1) if sure else step,
    }


# The definitions, in ns: (low, value, high) of each sample.


def step_of(made):
    step = abs(made["clock_step_ns"])
    return step if step >= STEP_MIN else 0


def delays(good):
    """Returns the delay of each request's sending beyond the smallest one, or 0 if it is unknown."""
    took = [max(0, r["sent_ns"] - r["acted_ns"] - (r["handshake_ns"] or 0))
            if r["sent_ns"] is not None and r["tries"] <= 1 else None for r in good]
    least = min((t for t in took if t is not None), default=0)
    return [0 if t is None else t - least for t in took]


def earliest(event):
    return event[3] if len(event) > 3 else event[0]


def since(acted, event, delay, step):
    return max(0, earliest(event) - acted - delay - step), event[0] - acted, event[0] - acted + step


def between(one, other, step):
    return max(0, earliest(other) - one[0] - step), other[0] - one[0], other[0] - earliest(one) + step


def good_of(made):
    return [r for r in made["records"] if r["error"] is None]


def samples(made):
    """Returns {family: its samples}; "spans": from the first to the last event of each request."""
    out, step, good = {family: [] for family in [*FAMILIES, "spans"]}, step_of(made), good_of(made)
    for r, delay in zip(good, delays(good)):
        a, events = r["acted_ns"], r["events"]
        if not events:
            whole = r["end_ns"] - a
            out["e2el_ms"].append((max(0, whole - delay - step), whole, whole + step))
            continue
        out["ttft_ms"].append(since(a, events[0], delay, step))
        out["first_token_ms"] += [since(a, e, delay, step) for e in events if e[2] & CONTENT][:1]
        out["e2el_ms"].append(since(a, events[-1], delay, step))
        out["itl_ms"] += [between(x, y, step) for x, y in zip(events, events[1:])]
        span = between(events[0], events[-1], step) if len(events) > 1 else (0, 0, 0)
        out["spans"].append(span)
        n = max(r["output_tokens"] if r["output_tokens"] is not None else len(events),
                sum(bool(e[2] & CONTENT) for e in events))
        if n > 1:
            out["tpot_ms"].append(tuple(t / (n - 1) for t in span))
    return {family: np.array(some, dtype=float).reshape(-1, 3) / 1e6 for family, some in out.items()}


def statistics(columns):
    """Returns STATISTICS of each column, one row per statistic."""
    return np.vstack([np.mean(columns, axis=0), np.percentile(columns, [50, 90, 99], axis=0)])


def expected(made):
    found, out = samples(made), {}
    for family in FAMILIES:
        keys = [f"{stat}_{family}_client_error" for stat in STATISTICS]
        if len(found[family]) == 0:
            out.update(dict.fromkeys(keys))
            continue
        of_all = statistics(found[family])
        if family == "itl_ms":
            of_all[0] = found["spans"].sum(axis=0) / len(found[family])
            keys = keys[:1]  # gaps depend on each other: see below
        out.update({key: [low - value, high - value] for key, (low, value, high) in zip(keys, of_all)})
    return out


# Every assignment.


def assignments(bounds):
    """Returns a row for each assignment of lowest, measured and highest values to the uncertain samples; None: too many."""
    choices = [sorted(set(b)) for b in bounds]
    uncertain = [c for c in choices if len(c) > 1]
    if not uncertain or len(uncertain) > UNCERTAIN_MAX or math.prod(map(len, uncertain)) > 2000:
        return None
    return np.array(list(itertools.product(*choices)))


def gap_assignments(made):
    """Returns the gaps of all requests for the earliest and the latest time of each uncertain event, in order of time."""
    lists = [r["events"] for r in good_of(made)]
    choices = [sorted({earliest(e), e[0]}) for events in lists for e in events]
    uncertain = sum(len(c) > 1 for c in choices)
    if not 0 < uncertain <= UNCERTAIN_MAX:
        return None
    times = np.array(list(itertools.product(*choices)), dtype=float)
    ends = np.cumsum([len(events) for events in lists])[:-1]
    gaps = np.concatenate([np.diff(part, axis=1) for part in np.split(times, ends, axis=1)], axis=1) / 1e6
    gaps = gaps[(gaps >= 0).all(axis=1)]
    return gaps if gaps.shape[1] else None


# The number of gaps of a request that can be long, or short, at once: by the earliest and the latest time that its k-th
# event can have after a given number of such gaps.


def reachable(spans, x, long):
    """Returns the maximum number of gaps of at least (long) or at most x, in ns, of events within `spans`, in this order."""
    states = {0: spans[0]}
    for since, until in spans[1:]:
        after = {}

        def reach(count, low, high):
            low, high = max(low, since), min(high, until)
            if low <= high:
                had = after.get(count, (low, high))
                after[count] = min(low, had[0]), max(high, had[1])
        for count, (low, high) in states.items():
            if long:
                reach(count, low, until)
                reach(count + 1, low + x, until)
            else:
                reach(count, low, until)
                reach(count + 1, low, high + x)
        states = after
    return max(states)


def gap_rank_bounds(lists, rank):
    """Returns the minimum and maximum, in ns, of the gap of this rank."""
    total, most = sum(len(spans) - 1 for spans in lists), max(spans[-1][1] - spans[0][0] for spans in lists)

    def search(good):
        low, high = 0, most
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if good(middle) else (middle + 1, high)
        return low
    least = search(lambda x: sum(reachable(spans, x, False) for spans in lists) > rank)
    # the first that is too long, less one
    greatest = search(lambda x: sum(reachable(spans, x + 1, True) for spans in lists) < total - rank)
    return least, greatest


def is_chained(events):
    """Returns whether an event follows one of another read whose time is not exact."""
    return any(len(a) > 3 and not b[2] & COALESCED for a, b in zip(events, events[1:]))


# Comparing.


def is_near(got, wanted):
    return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9)


def assert_near(got, wanted, where):
    if wanted is None:
        assert got is None, f"{where}: {got!r} is not null"
        return
    assert got is not None and len(got) == 2, where
    assert got[0] <= 0 <= got[1], f"{where}: {got!r}"
    assert is_near(got[0], wanted[0]) and is_near(got[1], wanted[1]), f"{where}: {got!r} is not {wanted!r}"


@pytest.fixture(scope="module")
def played(driver):  # noqa: F811
    sets = [random_set(seed) for seed in range(SETS)]
    return sets, driver(sets)


def test_bounds_are_numpys(played):
    known = dict.fromkeys([key for key in KEYS if "itl" not in key or "mean" in key], 0)
    for seed, (made, got) in enumerate(zip(*played)):
        assert {key for key in got if key.endswith("_client_error")} == set(KEYS)
        for key, wanted in expected(made).items():
            assert_near(got[key], wanted, f"set {seed}: {key}")
            if key in known:
                known[key] += wanted is not None and wanted != [0, 0]
    # nothing passed by being null or exact throughout
    assert min(known.values()) > SETS / 10, known


def test_bounds_are_those_of_the_extreme_assignments(played):
    tried = dict.fromkeys(set(FAMILIES) - {"itl_ms"}, 0)
    for seed, (made, got) in enumerate(zip(*played)):
        for family, bounds in samples(made).items():
            rows = assignments(bounds) if family in tried else None
            if rows is None:
                continue
            tried[family] += 1
            for stat, all_of, value in zip(STATISTICS, statistics(rows.T), statistics(bounds[:, 1:2])):
                assert_near(got[f"{stat}_{family}_client_error"], [all_of.min() - value[0], all_of.max() - value[0]],
                            f"set {seed}: {stat}_{family}")
    assert min(tried.values()) > SETS / 10, tried


def test_gaps_of_coupled_events_are_within(played):
    """Their mean has both bounds, because the gaps of a request add up to its span."""
    tried = 0
    for seed, (made, got) in enumerate(zip(*played)):
        gaps = gap_assignments(made)
        if gaps is None or step_of(made):
            continue
        tried += 1
        measured = statistics(samples(made)["itl_ms"][:, 1:2])
        for stat, all_of, value in zip(STATISTICS, statistics(gaps.T), measured):
            lo, hi = got[f"{stat}_itl_ms_client_error"]
            ends = [all_of.min() - value[0], all_of.max() - value[0]]
            if stat == "mean":
                assert_near([lo, hi], ends, f"set {seed}: {stat}")
            assert lo - 1e-9 <= ends[0] and ends[1] <= hi + 1e-9, f"set {seed}: {stat}"
    assert tried > SETS / 10


def test_percentiles_of_gaps_are_those_of_the_best_times(played):
    """Reads are treated separately: a gap between two inexact ones counts for both, which only widens the bounds."""
    tried = equal = narrower = 0
    for seed, (made, got) in list(enumerate(zip(*played)))[:TIMED_SETS]:
        lists = [[(earliest(e), e[0]) for e in r["events"]] for r in good_of(made) if len(r["events"]) > 1]
        if step_of(made) or not any(a < b for spans in lists for a, b in spans) or sum(map(len, lists)) > 40:
            continue
        tried += 1
        alone = not any(is_chained(r["events"]) for r in good_of(made))
        independent = statistics(samples(made)["itl_ms"])
        total = sum(len(spans) - 1 for spans in lists)
        for row, (stat, percent) in enumerate((("median", 50), ("p90", 90), ("p99", 99)), 1):
            at = (total - 1) * percent / 100
            below = min(int(at), total - 1)
            share = at - below if below < total - 1 else 0
            ends = np.array([gap_rank_bounds(lists, rank) for rank in ([below, below + 1] if share > 0 else [below] * 2)])
            wanted = (ends[0] + (ends[1] - ends[0]) * share) / 1e6 - independent[row][1]
            lo, hi = got[f"{stat}_itl_ms_client_error"]
            # whole ns there
            assert lo <= wanted[0] + 2e-6 and wanted[1] - 2e-6 <= hi, f"set {seed}: {stat}"
            if alone:
                assert abs(lo - min(0, wanted[0])) < 2e-6 and abs(hi - max(0, wanted[1])) < 2e-6, f"set {seed}: {stat}"
                equal += 1
            narrower += hi < independent[row][2] - independent[row][1] - 1e-6
    assert tried > TIMED_SETS / 10 and equal > tried / 4 and narrower > tried / 10, (tried, equal, narrower)


def test_nothing_uncertain_is_exactly_zero(played):
    tried = 0
    for seed, (made, got) in enumerate(zip(*played)):
        bounds = samples(made)
        for family in FAMILIES:
            if len(bounds[family]) and (bounds[family] == bounds[family][:, :1]).all():
                tried += 1
                for stat in STATISTICS:
                    assert json.dumps(got[f"{stat}_{family}_client_error"]) == "[0.0, 0.0]", f"set {seed}: {stat}_{family}"
    assert tried > SETS / 5


def widened(made, rng):
    """Weakens one fact: an event in a shared read may have come earlier, one request was sent later, or the clock's step
    was larger."""
    made = copy.deepcopy(made)
    good = good_of(made)
    events = [(r, e) for r in good for e in r["events"] if len(e) > 3]
    late = [r for r, delay in zip(good, delays(good)) if delay > 0]
    ways = (["event"] if events else []) + (["send"] if late else []) + ["step"]
    way = ways[int(rng.integers(0, len(ways)))]
    if way == "event":
        r, (t, *_, since) = events[int(rng.integers(0, len(events)))]
        before = max((e[0] for e in r["events"] if e[0] < t), default=r["acted_ns"])
        earlier = max(before, since - int(rng.integers(1, 10**7)))
        for e in r["events"]:
            e[3:] = [earlier] if e[3:] == [since] and e[0] == t else e[3:]
    elif way == "send":
        late[int(rng.integers(0, len(late)))]["sent_ns"] += int(rng.integers(1, 10**6))
    else:
        made["clock_step_ns"] = abs(made["clock_step_ns"]) + int(rng.integers(1, 10**6))
    return made


def test_wider_is_never_narrower(played, driver):  # noqa: F811
    sets, results = played
    wider = driver([widened(made, np.random.default_rng([seed, 18])) for seed, made in enumerate(sets)])
    grown = 0
    for seed, (was, now) in enumerate(zip(results, wider)):
        for key in KEYS:
            assert (was[key] is None) == (now[key] is None)
            if was[key] is not None:
                assert now[key][0] <= was[key][0] + 1e-9 and was[key][1] - 1e-9 <= now[key][1], f"set {seed}: {key}"
                grown += now[key] != was[key]
    assert grown > SETS
