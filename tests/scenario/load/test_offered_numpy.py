"""`quality.load` compared with numpy, and the verdict compared with its rules, for synthetic records.

Computed from the definitions of docs/reference/quality.md, in another way than in the product: slots by the ends so far
in place of a heap, requests in flight as steps over time in place of sums. Nothing here depends on the machine's time.


"""
import collections
import json
import math
import os
import subprocess

import numpy as np
import pytest

from test_metrics_numpy import COALESCED, CONTENT, FINISH, S, driver, failure, record  # noqa: F401

MS = S // 1000
SETS = 2000 if os.environ.get("PROFLLM_TEST_LONG") else 40 if os.environ.get("PROFLLM_SANITIZED") else 150
EFFECTS = ["info", "degraded", "client_limited"]
VERDICTS = ["trusted", "degraded", "client_limited"]


def judge(driver, sets):  # noqa: F811
    return driver([{**made, "quality": True} for made in sets])


@pytest.fixture(scope="module")
def loads(driver):  # noqa: F811
    """Returns synthetic loads, each with the product's judgment of it."""
    sets = [random_set(seed) for seed in range(SETS)]
    return list(zip(sets, judge(driver, sets)))


@pytest.fixture(scope="module")
def rows(bin_dir):
    """Returns the row of each check by its id."""
    done = subprocess.run([bin_dir / "profllm", "schema", "--json"], capture_output=True, text=True, check=True)
    return {row["id"]: row for row in json.loads(done.stdout)["quality"]}


# Making loads up.


def lateness_ns(rng, kind):
    """Returns the lateness of one send: that of a wake-up, and for "bursts" that of a client that is stopped occasionally."""
    if kind == "exact":
        return 0
    late = int(rng.exponential(20_000))
    return late + int(rng.integers(0, 100 * MS)) if kind == "bursts" and rng.random() < 0.2 else late


def send_all(rng, planned, cap, late, mean_ms):
    """Returns (planned, acted, end) of each request: a client sends in order, each as late as drawn, on free slots. Some
    requests never end and keep their slots; one slot remains."""
    made, ends = [], []
    for due in map(int, planned):
        free = sorted(ends)[-cap] if cap is not None and len(ends) >= cap else due
        acted = max(due, free) + lateness_ns(rng, late)
        acted = max(acted, made[-1][1]) if made else acted
        is_open = rng.random() < 0.02 and (cap is None or ends.count(math.inf) < cap - 1)
        ends.append(math.inf if is_open else acted + 1 + int(rng.exponential(mean_ms * MS)))
        made.append((due, acted, ends[-1]))
    return made


def random_set(seed):
    rng = np.random.default_rng(seed)
    n = [0, 1, 2, 20, 21, 22][seed] if seed < 6 else int(rng.integers(1, 250))
    start = int(rng.integers(1, 10**6)) * S
    loop = ["open", "closed", "capped", "burst"][int(rng.integers(0, 4))]
    finite = loop in ("open", "capped")
    mean_ms = float(rng.choice([1, 30, 400]))
    gap_ns = int(mean_ms * MS / rng.integers(1, 30))
    gaps = np.full(n, gap_ns) if rng.random() < 0.4 else rng.exponential(gap_ns, n).astype(int)
    planned = start + np.cumsum(gaps) if finite else np.full(n, start)
    cap = int(rng.integers(1, 40)) if loop in ("closed", "capped") else None
    sent = send_all(rng, planned, cap, ["exact", "late", "bursts"][int(rng.integers(0, 3))], mean_ms)
    records = []
    for i, (due, acted, end) in enumerate(sent):
        if end == math.inf or rng.random() < 0.03:
            records.append(record(i, acted, [], planned_ns=due, end_ns=None if end == math.inf else end, status=None,
                                  finish_reason=None, token_source="none",
                                  error={"kind": "abandoned", "status": None, "message": None}))
        else:
            records.append(record(i, acted, [[end, 1, CONTENT | FINISH]], planned_ns=due, output_tokens=1, end_ns=end))
    if n > 3 and rng.random() < 0.2:
        records.append(record(n, None, [], planned_ns=start + 99 * S, status=None, finish_reason=None, token_source="none",
                              error={"kind": "not_sent", "status": None, "message": None}))
    over = max([r["end_ns"] or r["acted_ns"] or start for r in records], default=start) + int(rng.integers(1, S))
    return {"records": records, "tries": [], "start_ns": start, "end_ns": over, "percentiles": [], "slo": None,
            "max_concurrency": cap, "finite_rate": finite, "inflight_peak": None}


# The definitions.


def ideal_starts(made):
    """Returns (planned, ideal start, actual start, end (NaN: none), …) of each sent request, in ns from the start of sending."""
    sent = [r for r in made["records"] if r["acted_ns"] is not None]
    sent.sort(key=lambda r: (r["acted_ns"], r["planned_ns"]))
    zero, cap, out = made["start_ns"], made["max_concurrency"], []
    ends = np.array([])
    for r in sent:
        planned, acted = r["planned_ns"] - zero, r["acted_ns"] - zero
        end = np.nan if r["end_ns"] is None else r["end_ns"] - zero
        free = -np.inf if cap is None or len(ends) < cap else np.sort(ends)[-cap]
        out.append((planned, min(max(planned, free), acted), acted, end, free > planned))
        ends = np.append(ends, np.inf if np.isnan(end) else end)
    return np.array(out, dtype=float).reshape(-1, 5).T


def steps_integral(starts, ends):
    """Returns edges and the count between them: requests in flight over time."""
    edges = np.unique(np.concatenate([starts, ends]))
    return edges, np.searchsorted(np.sort(starts), edges, "right") - np.searchsorted(np.sort(ends), edges, "right")


def in_flight_distance(ideal, acted, end):
    edges = np.unique(np.concatenate([ideal, acted, end]))

    def level(starts):
        at, count = steps_integral(starts, end)
        return count[np.searchsorted(at, edges[:-1], "right") - 1] * (edges[:-1] >= at[0])

    width = np.diff(edges)
    planned = np.sum(level(ideal) * width)
    return np.sum(np.abs(level(ideal) - level(acted)) * width) / planned if planned > 0 else None


def gap_distance(planned, actual, tolerance):
    """Evaluates every point at which one of the four step functions changes."""
    planned, actual = np.sort(planned), np.sort(actual)
    n = len(planned)
    most = 0.0
    for low, high in ((actual, planned), (planned, actual)):
        for x in low:
            # F_low(x + t - t) - F_high(x + t)
            most = max(most, (np.sum(low <= x) - np.sum(high <= x + tolerance)) / n)
    return float(most)


def expected(made):
    names = ["rate_reached", "gap_distance", "lateness_p99_of_mean_gap", "lateness_p99_of_median_e2el",
             "in_flight_distance"]
    out = dict.fromkeys(names)
    planned, ideal, acted, end, held = ideal_starts(made)
    n = len(planned)
    if n == 0:
        return out, "nothing"
    end = np.where(np.isnan(end), made["end_ns"] - made["start_ns"], end)
    out["in_flight_distance"] = in_flight_distance(ideal, acted, end)
    limit = n / 2 if made["finite_rate"] else 0
    if np.sum(held) > limit:
        return out, "closed"
    good = [(r["events"][-1][0] - r["acted_ns"]) / 1e6 for r in made["records"] if r["error"] is None]
    late_ms = np.percentile((acted - ideal) / 1e6, 95 if n < 100 else 99)
    if good:
        out["lateness_p99_of_median_e2el"] = late_ms / np.median(good)
    if not made["finite_rate"]:
        return out, "burst"
    free = held == 0
    if free.any() and max(planned[free]) > 0:
        out["rate_reached"] = max(planned[free]) / max(acted[free])
    wanted, actual = np.diff(np.sort(ideal)) / S, np.diff(np.sort(acted)) / S
    if n > 1 and np.mean(wanted) > 0:
        out["lateness_p99_of_mean_gap"] = late_ms / (np.mean(wanted) * 1e3)
    if n > 20:
        out["gap_distance"] = gap_distance(wanted, actual, max(50e-6, 0.02 * np.mean(wanted)))
    return out, "open"


# Comparing.


def test_every_value_of_made_up_loads(loads):
    kinds, apart = set(), collections.Counter()
    for seed, (made, got) in enumerate(loads):
        wanted, kind = expected(made)
        kinds.add(kind)
        load = got["quality"]["load"]
        assert load.keys() == wanted.keys()
        for key, value in wanted.items():
            assert (load[key] is None) == (value is None), f"set {seed}, {kind}: {key}: {load[key]}, not {value}"
            if value is not None:
                found = load[key]["value"]
                assert math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-12), f"set {seed}, {kind}: {key}: {found}, not {value}"
                apart[key] += value not in (0, 1)
    assert kinds == {"nothing", "open", "closed", "burst"}
    # nothing passed by being 0 throughout
    assert len(apart) == 5 and min(apart.values()) > SETS / 20


def test_the_verdict_follows_its_checks(loads, rows):
    """The status follows value and limit, the verdict follows the worst check over its limit; some loads deviate."""
    seen = set()
    for seed, (_, got) in enumerate(loads):
        quality, worst, known = got["quality"], 0, set()
        for check in quality["checks"]:
            row = rows[check["id"]]
            value, limit = check["value"], check["limit"]
            if value is None:
                assert check["status"] == "unknown"
                continue
            known.add(row["about"])
            beyond = value > limit if row["sense"] == "most" else value < limit
            worse = beyond and {"never": False, "above": value > (row["worse_at"] or 0),
                                "below": value < (row["worse_at"] or 0)}[row["worse"]]
            assert check["status"] == ("over_limit" if beyond else "passed"), f"set {seed}: {check}"
            assert check["effect"] == row["worse_effect" if worse else "effect"]
            if beyond:
                worst = max(worst, EFFECTS.index(check["effect"]))
                seen.add((check["id"], check["effect"]))
        trusted = {"figures", "load"} <= known
        wanted = VERDICTS[worst] if worst or trusted else None
        assert quality["verdict"] == (wanted if got["results"]["completed"] else None), f"set {seed}"
    assert {"rate_shortfall", "gap_distance", "send_lateness", "in_flight_distance", "idle_slots"} <= {one for one, _ in seen}
    assert {effect for _, effect in seen} == set(EFFECTS)


def set_of(records):
    return {"records": records, "tries": [], "start_ns": S, "end_ns": 60 * S, "percentiles": [], "slo": None,
            "max_concurrency": None, "finite_rate": True, "inflight_peak": None}


def test_lateness_counts_where_both_shares_do(driver):  # noqa: F811
    """21 requests are each 4 ms late, compared with gaps and latencies of 1 or 1,000 ms."""
    found = {}
    for gap_ms in (1, 1000):
        for lasts_ms in (1, 1000):
            records = [record(i, S + (i * gap_ms + 4) * MS, [[S + (i * gap_ms + 4 + lasts_ms) * MS, 1, CONTENT | FINISH]],
                              planned_ns=S + i * gap_ms * MS, output_tokens=1) for i in range(21)]
            got, = judge(driver, [set_of(records)])
            check, = (check for check in got["quality"]["checks"] if check["id"] == "send_lateness")
            found[gap_ms, lasts_ms] = check["status"]
    assert found == {(1, 1): "over_limit", (1, 1000): "passed", (1000, 1): "passed", (1000, 1000): "passed"}


# The effects of servers on a stream of 20 tokens, 10 ms apart: events as (ms after the first, tokens, flags).
SERVERS = {
    "one by one": [(10 * i, 1, 0) for i in range(20)],
    "merged in events": [(10 * i, 4, 0) for i in range(3, 20, 4)],
    "merged in segments": [(10 * (i - i % 4 + 3), 1, COALESCED * (i % 4 > 0)) for i in range(20)],
    "stalled": [(10 * i + 5000 * (i > 10), 1, 0) for i in range(20)],
    "cut": [(10 * i, 1, 0) for i in range(7)],
    "all at once": [(190, 1, COALESCED * (i > 0)) for i in range(20)],
}


def test_effects_of_the_server_are_not_client_errors(driver):  # noqa: F811
    """A client without delays: its times are exact and its load is as requested, whatever arrives."""
    sets = []
    for name, events in SERVERS.items():
        records = []
        for i in range(40):
            planned = S + i * 100 * MS
            times = [[planned + (50 + ms) * MS, tokens, flags | CONTENT] for ms, tokens, flags in events]
            times[-1][2] |= 0 if name == "cut" else FINISH
            # every other stream is whole
            fate = failure("truncated", 200, "cut") if name == "cut" and i % 2 else {"output_tokens": 20}
            records.append(record(i, planned, times, planned_ns=planned, sent_ns=planned, **fate))
        sets.append(set_of(records))
    for name, got in zip(SERVERS, judge(driver, sets)):
        quality = got["quality"]
        assert got["results"]["completed"] == (20 if name == "cut" else 40)
        assert (quality["measurement"]["lo"], quality["measurement"]["hi"], quality["measurement"]["share"]) == (0, 0, 0), name
        assert quality["load"]["rate_reached"]["value"] == 1 and quality["load"]["in_flight_distance"]["value"] == 0
        against = {check["id"] for check in quality["checks"] if check["status"] == "over_limit" and check["effect"] != "info"}
        # the checks on the number of tokens per event may name the server
        assert against <= {"token_agreement", "token_source"} | ({"buffered_stream"} if name == "all at once" else set()), name
        assert quality["verdict"] == ("degraded" if against else "trusted")
