"""Checks the coverage of the intervals within a run, and that two runs of one engine do not differ. The runs are
synthetic: the steps of their engine depend on each other and are shared by all open requests, so that the gaps are not
independent samples. There is no clock and no server. Plays 30 runs by default, and 400 of each kind with
PROFLLM_TEST_LONG=1."""
import json
import os
import subprocess

import numpy as np
import pytest

S = 1_000_000_000
STEP_S, SPREAD = 0.020, 0.1
Z_90 = 1.2815515655446004
CONTENT = 2
# of gaps and of their means
TRUTH_MS = {"mean_itl_ms": 20, "median_itl_ms": 20, "p90_itl_ms": 20 * (1 + SPREAD * Z_90), "mean_token_gap_ms": 20, "mean_tpot_ms": 20,
            "median_tpot_ms": 20}
RATES = ["request_throughput", "output_throughput"]  # the truth: what such runs have in the mean
ALIKE = [*TRUTH_MS, *RATES, "mean_ttft_ms", "median_ttft_ms", "p90_ttft_ms", "mean_e2el_ms", "p90_e2el_ms"]
LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
RUNS = 400 if LONG else 30


def steps(rng, count, memory):
    """Returns the ends of steps: normal, each correlated with the one before it by `memory`."""
    noise = rng.standard_normal(count)
    for i in range(1, count):
        noise[i] = memory * noise[i - 1] + np.sqrt(1 - memory ** 2) * noise[i]
    return np.cumsum(STEP_S * (1 + SPREAD * noise))


def closed_loop(rng, requests, slots, memory):
    """Returns (acted, events in s) of each request: as many are open as there are slots, and each gets one token per step."""
    ends = steps(rng, requests * 60 // slots + 100, memory)
    made = []
    for slot in range(slots):
        lengths = rng.integers(20, 61, requests // slots)
        for begin, length in zip(np.cumsum(lengths) - lengths, lengths):
            made.append((ends[begin - 1] if begin else 0.0, ends[begin:begin + length]))
    return sorted(made, key=lambda request: request[0])


def all_at_once(rng, requests, slots, memory):
    return [(0.0, events) for _, events in closed_loop(rng, requests, slots, memory)]


def open_loop(rng, requests, slots, memory, even=False):
    """Requests arrive randomly (or `even`ly) and wait for the end of the step and for one of the slots."""
    ends = steps(rng, requests * 60 // slots * 2 + 200, memory)
    free = np.zeros(slots, dtype=int)  # from which step on each slot is
    made = []
    gap = 40 * STEP_S / slots / 0.4
    for at in np.cumsum(np.full(requests, gap) if even else rng.exponential(gap, requests)):
        slot = int(np.argmin(free))
        begin, length = max(int(np.searchsorted(ends, at)), int(free[slot])), int(rng.integers(20, 61))
        free[slot] = begin + length
        made.append((at, ends[begin:begin + length]))
    return made


def record(index, acted, events):
    acted_ns, events_ns = S + round(acted * S), (S + np.round(events * S)).astype(int).tolist()
    return {"index": index, "request_id": f"r-{index}", "try": 1, "tries": 1, "retried": False, "planned_ns": acted_ns, "queued_ns": None,
            "acted_ns": acted_ns, "connected_ns": None, "handshake_ns": None, "sent_ns": acted_ns, "headers_ns": None,
            "first_event_ns": events_ns[0], "first_token_ns": events_ns[0], "end_ns": events_ns[-1],
            "events": [[t, 1, CONTENT] for t in events_ns], "prompt_tokens_requested": None, "prompt_tokens": None, "output_tokens_requested": None,
            "output_tokens": len(events_ns), "token_source": "usage", "finish_reason": "length", "status": 200, "error": None}


def ask(bin_dir, driver, lines):
    done = subprocess.run([bin_dir.parent / "tests" / driver], input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True,
                          text=True, check=True, timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()]


def results_of(bin_dir, seed, make, runs=RUNS, **how):
    def outcome(rng):
        requests = [record(i, acted, events) for i, (acted, events) in enumerate(make(rng, **how))]
        return {"records": requests, "tries": [], "start_ns": S, "end_ns": max(r["end_ns"] for r in requests), "percentiles": [], "slo": None,
                "max_concurrency": None, "finite_rate": False, "inflight_peak": None}

    results = []
    for begin in range(0, runs, 20):  # as much as fits in memory
        results += ask(bin_dir, "metrics_driver", [outcome(np.random.default_rng([seed, i])) for i in range(begin, min(begin + 20, runs))])
    return results


KINDS = {
    "few slots": (closed_loop, {"requests": 120, "slots": 4, "memory": 0.9}), "many slots": (closed_loop, {"requests": 240, "slots": 24, "memory": 0.9}),
    "no memory": (closed_loop, {"requests": 120, "slots": 8, "memory": 0.0}), "open loop": (open_loop, {"requests": 120, "slots": 8, "memory": 0.9})}


@pytest.mark.release_only  # numbers; unit tests walk the same code
@pytest.mark.parametrize("kind", KINDS)
def test_runs_of_one_engine_look_alike_and_hold_the_truth(bin_dir, kind):
    make, how = KINDS[kind]
    results = results_of(bin_dir, list(KINDS).index(kind), make, **how)
    for key, truth in TRUTH_MS.items():
        intervals = [one[f"{key}_ci95"] for one in results if one[f"{key}_ci95"] is not None]
        assert len(intervals) >= (0.2 if key.startswith("p90") else 0.5) * RUNS, key
        share = np.mean([low <= truth <= high for low, high in intervals])
        # of a percentile that few runs carry these are the ones that seem to be surer than they are
        least = 0.915 if len(intervals) > 0.9 * RUNS else 0.8
        assert share >= (least if LONG else 0.75), (key, share)
    for key in RATES:
        truth = np.mean([one[key] for one in results])
        intervals = [one[f"{key}_ci95"] for one in results if one[f"{key}_ci95"] is not None]
        assert len(intervals) >= 0.9 * RUNS, key  # ten requests after each other are just five windows
        share = np.mean([low <= truth <= high for low, high in intervals])
        assert share >= (0.915 if LONG else 0.8), (key, share)
        # not by being as wide as anything
        half = np.median([(high - low) / 2 for low, high in intervals])
        assert half <= 8 * np.std([one[key] for one in results]), (key, half)
    for key in ALIKE:
        sides = [{"numbers": [one[key]], "within": one[f"{key}_ci95"]} for one in results]
        pairs = [{"id": f"results.{key}", "direction": "lower", "effect": 0.05, "sides": list(pair)} for pair in zip(sides[::2], sides[1::2])]
        said = ask(bin_dir, "compare_driver", pairs)
        differ = [answer["finding"] in ("better", "worse") for answer in said if answer["method"] == "within_runs"]
        # 5 %, and what chance adds to that
        assert np.mean(differ or [0]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / max(len(differ), 1)), (key, np.mean(differ))
        assert sum(answer["regression"] for answer in said) <= 0.05 * len(said), key


@pytest.mark.release_only
def test_rates_where_the_load_leaves_little_to_chance(bin_dir):
    """Evenly arriving requests have the offered rate; those sent at once leave no windows."""
    results = results_of(bin_dir, 77, open_loop, runs=RUNS // 3, requests=120, slots=8, memory=0.9, even=True)
    truth = np.mean([one["request_throughput"] for one in results])
    for one in results:
        low, high = one["request_throughput_ci95"]
        assert low <= truth <= high and high - low < 0.15 * truth
    (at_once,) = results_of(bin_dir, 78, all_at_once, runs=1, requests=120, slots=8, memory=0.9)
    assert at_once["request_throughput"] > 0 and at_once["request_throughput_ci95"] is None and at_once["mean_itl_ms_ci95"] is not None
