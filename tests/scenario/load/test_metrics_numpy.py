"""Every metric of `results` compared with numpy, computed from the definitions of docs/reference/metrics.md.

Only the driver program calls the product: records go in as JSON, results come out.


"""
import json
import math
import os
import re
import subprocess

import numpy as np
import pytest

COALESCED, CONTENT, FINISH, USER_STAMP, GUESSED = 1, 2, 4, 8, 16
S = 1_000_000_000
DEFAULT_PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9]
KINDS = ["first_role_ms", "first_reasoning_ms", "first_text_ms", "first_tool_call_ms"]
FAMILIES = [
    "ttft_ms", "tpot_ms", "itl_ms", "e2el_ms", "first_token_ms", "token_gap_ms", "time_per_token_ms",
    "ttft_planned_ms", "first_token_planned_ms", "e2el_planned_ms", "client_queue_time_ms",
    "e2el_including_client_queue_ms",
]
RATES = ["request_throughput", "request_goodput", "input_throughput", "output_throughput", "total_token_throughput"]
FIGURES = [
    "duration", "completed_requests", "failed_requests", "completed", "failed", "retries", "retried_requests",
    "total_input_tokens",
    "total_output_tokens", "request_throughput", "request_goodput", "input_throughput",
    "output_throughput", "total_token_throughput", "max_output_tokens_per_s",
    "max_concurrent_requests", "peak_in_flight", "peak_output_tokens_per_s_sliding", "rtfx",
    "errors", "repeats", "steady", "prompt_token_offset_median",
]
# Metrics that are not computed from records.
BESIDE = [
    "probe_completed",
    "probe_failed",
    "probe_median_e2el_ms",
    "probe_p99_e2el_ms",
    "probe_max_e2el_ms",
    "spec_decode_acceptance_rate",
    "spec_decode_acceptance_length",
    "spec_decode_num_drafts",
    "spec_decode_draft_tokens",
    "spec_decode_accepted_tokens",
    "spec_decode_per_position_acceptance_rates",
    "latency_breakdown",
    # test_timed_trace.py
    "prefix_cache_hit_rate",
    "expected_prefix_cache_hit_rate",
    "energy_per_token_j",
    "energy_per_token_idle_subtracted_j",
    # of pooling requests: test_pooling.py
    "total_input_sequences",
    "input_sequence_throughput",
]
# Metrics of offline benchmarks, which have no records.
OFFLINE = [
    "avg_latency",
    "elapsed_time",
    "num_requests",
    "total_num_tokens",
    "requests_per_second",
    "tokens_per_second",
    "avg_cold_startup_time",
    "avg_cold_compilation_time",
    "avg_cold_encoder_compilation_time",
    "avg_warm_startup_time",
    "avg_warm_compilation_time",
    "avg_warm_encoder_compilation_time",
]
# under a sanitizer most of the time would be numpy's
SETS = 2000 if os.environ.get("PROFLLM_TEST_LONG") else 40 if os.environ.get("PROFLLM_SANITIZED") else 80


def record(index, acted, events, **more):
    """Returns a record as in the requests file; events: [[t_ns, tokens, flags], …]."""
    content = [event[0] for event in events if event[2] & CONTENT]
    made = {
        "index": index, "request_id": f"r-{index}", "try": 0 if acted is None else 1,
        "tries": 0 if acted is None else 1, "retried": False, "planned_ns": None, "queued_ns": None,
        "acted_ns": acted, "connected_ns": None, "handshake_ns": None, "sent_ns": acted, "headers_ns": None,
        "first_event_ns": events[0][0] if events else None,
        "first_token_ns": content[0] if content else None,
        "end_ns": None if acted is None else (events[-1][0] if events else acted) + 1000,
        "events": events, "prompt_tokens_requested": None, "prompt_tokens": None,
        "output_tokens_requested": None, "output_tokens": None, "token_source": "usage",
        "finish_reason": "length", "status": 200, "error": None,
    }
    made.update(more)
    return made


def failure(kind, status, message):
    return {"status": status, "error": {"kind": kind, "status": status, "message": message},
            "finish_reason": None, "token_source": "none"}


# Making records up.


def random_events(rng, acted, chat):
    """Returns role-only chunks, empty texts, merged tokens, events of one read, and guesses."""
    t = acted + int(rng.integers(1, 2 * S))
    events = []
    if chat:
        events.append([t, 0, GUESSED])
    guess = bool(rng.random() < 0.5)
    for _ in range(int(rng.integers(0 if chat else 1, 30))):
        coalesced = rng.random() < 0.1 and events
        t += 0 if coalesced else int(rng.integers(1, S // 8))
        tokens = 1 if guess or rng.random() < 0.8 else int(rng.integers(0, 7))
        if rng.random() < 0.0003:
            tokens = int(rng.integers(8192, 20000))
            guess = False
        flags = (COALESCED if coalesced else 0) | (GUESSED if guess else 0)
        flags |= CONTENT if rng.random() < 0.93 else 0
        flags |= USER_STAMP if rng.random() < 0.05 else 0
        events.append([t, tokens, flags])
    if events:
        events[-1][2] |= FINISH
    return events


def random_output(rng, events):
    """Returns (output_tokens, token_source): usage mostly equals the events, sometimes it differs or is missing."""
    told = sum(e[1] for e in events)
    kind = rng.random()
    if kind < 0.15:
        return None, "none"
    if kind < 0.25:
        return told, "events"
    if kind < 0.35:
        return max(0, told + int(rng.integers(-3, 4))), "usage"
    return told, "usage"


def random_failure(rng):
    kind, status, message = [
        ("http_status", 503, "overloaded"), ("http_status", 400, "bad \u00e9"),
        ("connect", None, "connection refused"), ("truncated", 200, None), ("timeout", None, "late"),
    ][int(rng.integers(0, 5))]
    return failure(kind, status, message)


def random_record(rng, i, start, planned, capped):
    late = int(rng.integers(0, S // 50))
    held = capped and rng.random() < 0.5
    acted = planned + late + (int(rng.integers(0, 3 * S)) if held else 0)
    times = {"planned_ns": planned, "queued_ns": planned + late // 2 if held else None}
    asked = int(rng.integers(1, 2000))
    counts = {
        "prompt_tokens_requested": asked if rng.random() < 0.995 else None,
        "prompt_tokens": asked + 7 + int(rng.integers(-1, 2)) if rng.random() < 0.9 else None,
        "output_tokens_requested": 16,
    }
    fate = rng.random()
    if fate < 0.02:
        return record(i, None, [], **times, **counts, **failure("not_sent", None, None))
    if fate < 0.1:
        events = random_events(rng, acted, False) if rng.random() < 0.5 else []
        return record(i, acted, events, **times, **counts, **random_failure(rng))
    events = random_events(rng, acted, bool(rng.random() < 0.3))
    output, source = random_output(rng, events)
    return record(i, acted, events, **times, **counts, output_tokens=output, token_source=source)


def random_tries(rng, records):
    """Returns failed tries of some requests, whose own records contain their number."""
    tries = []
    for r in records:
        count = int(rng.integers(1, 4)) if r["acted_ns"] is not None and rng.random() < 0.1 else 0
        for number in range(1, count + 1):
            tries.append(record(r["index"], r["acted_ns"], [], **{
                "try": number, "tries": None, "retried": True, **random_failure(rng)}))
        r["try"] = r["tries"] = r["tries"] + count
    return tries


def random_set(seed):
    rng = np.random.default_rng(seed)
    n = [0, 1, 2, 3][seed] if seed < 4 else int(rng.integers(1, 300))
    start = int(rng.integers(1, 10**6)) * S
    finite = bool(rng.random() < 0.5)
    capped = bool(rng.random() < 0.5)
    planned = start + np.sort(rng.integers(0, 30 * S, n)) if finite else np.full(n, start)
    if not finite and capped:
        planned = start + np.sort(rng.integers(0, 40 * S, n))
    records = [random_record(rng, i, start, int(planned[i]), capped) for i in range(n)]
    limits = {}
    for name, high in (("ttft", 2500), ("tpot", 100), ("e2el", 5000)):
        if rng.random() < 0.4:
            limits[name] = float(rng.integers(1, high))
    return {
        "records": records, "tries": random_tries(np.random.default_rng([seed, 1]), records),
        "start_ns": start, "end_ns": start + int(rng.integers(S // 10, 80 * S)),
        "percentiles": [[], [50, 99], [99.99, 33.3], [0, 100, 12]][int(rng.integers(0, 4))],
        "slo": limits or None, "max_concurrency": int(rng.integers(1, 20)) if capped else None,
        "finite_rate": finite,
        "inflight_peak": int(rng.integers(1, 99)) if rng.random() < 0.2 else None,
    }


# The definitions.


def seconds(a, b):
    return (b - a) / 1e9


def is_good(r):
    return r["error"] is None


def output_len(r):
    told = r["output_tokens"] if r["output_tokens"] is not None else len(r["events"])
    return max(told, sum(bool(e[2] & CONTENT) for e in r["events"]))


def ttft(r):
    return seconds(r["acted_ns"], r["events"][0][0])


def last_ns(r):
    """A complete response has no events, only an end."""
    return r["events"][-1][0] if r["events"] else r["end_ns"]


def e2el(r):
    return seconds(r["acted_ns"], last_ns(r))


def tpot(r):
    return (e2el(r) - ttft(r)) / (output_len(r) - 1) if output_len(r) > 1 else 0.0


def token_gaps(r):
    told = sum(e[1] for e in r["events"])
    if any(e[2] & GUESSED for e in r["events"]) and output_len(r) != told:
        return []
    bearing = [e for e in r["events"] if e[1] > 0]
    return [seconds(a[0], b[0]) / b[1] for a, b in zip(bearing, bearing[1:]) for _ in range(b[1])]


def families(records, made):
    """Returns {name: a list of seconds per finished record}."""
    out = {name: [] for name in FAMILIES}
    for r in records:
        if is_good(r):
            for name, values in samples(r, made).items():
                out[name].append(values)
    return out


def samples(r, made):
    """Returns {name: list of seconds} of one finished record."""
    out = {name: [] for name in FAMILIES}
    if r["events"]:
        times = [e[0] for e in r["events"]]
        content = [e[0] for e in r["events"] if e[2] & CONTENT]
        tokens = [e[0] for e in r["events"] if e[2] & CONTENT or e[1] > 0]
        out["ttft_ms"].append(ttft(r))
        out["itl_ms"] += [seconds(a, b) for a, b in zip(times, times[1:])]
        if output_len(r) > 1:
            out["tpot_ms"].append(tpot(r))
        if content:
            out["first_token_ms"].append(seconds(r["acted_ns"], content[0]))
            out["first_token_planned_ms"].append(seconds(r["planned_ns"], content[0]))
        out["token_gap_ms"] += token_gaps(r)
        if tokens and output_len(r) > 1:
            out["time_per_token_ms"].append(seconds(tokens[0], tokens[-1]) / (output_len(r) - 1))
        out["ttft_planned_ms"].append(seconds(r["planned_ns"], times[0]))
    out["e2el_ms"].append(e2el(r))
    out["e2el_planned_ms"].append(seconds(r["planned_ns"], last_ns(r)))
    if made["max_concurrency"] is not None:
        queued = 0 if r["queued_ns"] is None else seconds(r["queued_ns"], r["acted_ns"])
        out["client_queue_time_ms"].append(queued)
        if made["finite_rate"]:
            out["e2el_including_client_queue_ms"].append(e2el(r) + queued)
    return out


def name_of(p):
    return f"p{int(p) if p == int(p) else p}"


def statistics(records, made):
    out = {}
    for family, values in families(records, made).items():
        x = np.array([v for one in values for v in one], dtype=float)
        plain = {"mean": np.mean, "median": np.median, "std": np.std}
        for name, fn in plain.items():
            out[f"{name}_{family}"] = float(fn(x)) * 1000 if len(x) else None
        asked = sorted(set(DEFAULT_PERCENTILES) | set(made["percentiles"]))
        found = np.percentile(x, asked) if len(x) else [None] * len(asked)
        for p, value in zip(asked, found):
            out[f"{name_of(p)}_{family}"] = None if value is None else float(value) * 1000
    return out


def binomial_below(n, q):
    """Returns P(B <= k) for k = 0 … n."""
    k = np.arange(n + 1)
    log_factorial = np.concatenate([[0], np.cumsum(np.log(np.arange(1, n + 1)))])
    log_pmf = log_factorial[n] - log_factorial - log_factorial[::-1]
    return np.cumsum(np.exp(log_pmf + k * math.log(q) + (n - k) * math.log1p(-q)))


def t_975(freedom):
    """Returns 97.5 % of Student's t, from tables."""
    return [2.7764451051978, 2.5705818356363, 2.446911851145, 2.3646242515928, 2.3060041352042, 2.2621571627982, 2.2281388519863,
            2.2009851600916, 2.1788128296672, 2.1603686564628, 2.1447866879178, 2.1314495455598, 2.1199052992213, 2.1098155778333,
            2.100922040241, 2.0930240544083][freedom - 4]


def windows_of(records):
    """Returns (start, length, number) of the windows: each at least twice as long as an average request."""
    good = [r for r in records if is_good(r)]
    if not good:
        return 0, 0, 0
    start, end = min(r["acted_ns"] for r in good), max(last_ns(r) for r in good)
    taken = sum(last_ns(r) - r["acted_ns"] for r in good)
    fit = math.inf if taken == 0 else float(end - start) * len(good) / (2 * taken)
    return start, end - start, 20 if fit >= 20 else max(5, math.floor(fit))


def window_of(windows, t):
    start, length, count = windows
    return min(count - 1, int(float(t - start) / length * count)) if length else 0


class Series:
    """Samples in the order of their requests, with the request and the window of each."""

    def __init__(self, values, ended, windows):
        self.x = np.array([x for one in values for x in one])
        self.request = np.repeat(np.arange(len(values)), [len(one) for one in values])
        self.window = np.array([window_of(windows, t) for one in ended for t in one], dtype=int)
        self.requests, self.windows = len(values), windows[2]

    def variance(self, off):
        """Returns the variance of the sum of `off`: over requests, and over windows with the covariance of neighbors."""
        by_request = np.bincount(self.request, off, self.requests)
        by_window = np.bincount(self.window, off, self.windows)
        over_windows = by_window @ by_window + 2 * max(0, by_window[1:] @ by_window[:-1])
        return max(by_request @ by_request, over_windows * self.windows / (self.windows - 1))


def percentile_interval(of, p):
    """Returns order statistics l and u of as many independent samples as these are equivalent to: P(B < l) <= 2.5 %, P(B
    >= u) <= 2.5 %."""
    q, m = p / 100, len(of.x)
    n = m
    if n == 0 or not 0 < q < 1 or (n > of.requests and of.requests < 20):
        return None
    below = of.x <= np.percentile(of.x, p)
    share = np.mean(below)
    if share < 1:
        factor = of.variance(below - share) / (n * share * (1 - share))
        if factor > 1 + 1e-9:
            m = int(n / (factor * (t_975(of.windows - 1) / 1.959963984540054) ** 2) + 1e-9)
    if m < math.log(0.025) / math.log(max(q, 1 - q)):
        return None
    below = binomial_below(m, q)
    low = int(np.argmax(below > 0.025))
    high = int(np.argmax(below >= 0.975)) + 1
    x = np.sort(of.x)
    return [float(x[math.floor((low - 1) * (n / m) + 1e-9)]) * 1000, float(x[math.ceil(high * (n / m) - 1e-9) - 1]) * 1000]


def mean_interval(of):
    if of.requests < 100:
        return None
    mean = np.mean(of.x)
    half = t_975(of.windows - 1) * math.sqrt(of.variance(of.x - mean)) / len(of.x)
    return [max(0.0, float(mean - half)) * 1000, float(mean + half) * 1000]


def ends_of(family, r, values):
    """Returns when each sample ended: a gap with its event, all others with the request."""
    if family == "itl_ms":
        return [e[0] for e in r["events"]][1:]
    if family == "token_gap_ms":
        return [e[0] for e in [e for e in r["events"] if e[1] > 0][1:] for _ in range(e[1])]
    return [last_ns(r)] * len(values)


def intervals_of(records, made):
    out = {}
    asked = sorted(set(DEFAULT_PERCENTILES) | set(made["percentiles"]))
    windows = windows_of(records)
    good = [r for r in records if is_good(r)]
    by_request = [samples(r, made) for r in good]
    for family in FAMILIES:
        have = [(r, one[family]) for r, one in zip(good, by_request) if one[family]]
        of = Series([v for _, v in have], [ends_of(family, r, v) for r, v in have], windows)
        out[f"mean_{family}_ci95"] = mean_interval(of)
        out[f"median_{family}_ci95"] = percentile_interval(of, 50)
        out[f"std_{family}_ci95"] = None
        for p in asked:
            out[f"{name_of(p)}_{family}_ci95"] = percentile_interval(of, p)
    out.update(rate_intervals(made))
    return out


def rate_intervals(made):
    """Spreads each request evenly over its time; windows up to the last request; the end is as uncertain as a request, or
    half of what it drained."""
    good = [r for r in made["records"] if is_good(r)]
    out = dict.fromkeys(f"{key}_ci95" for key in [*RATES, "input_sequence_throughput"])
    if len(good) < 100:
        return out
    acted = np.array([r["acted_ns"] - made["start_ns"] for r in good], dtype=float)
    last = np.array([last_ns(r) - made["start_ns"] for r in good], dtype=float)
    end, takes, length = made["end_ns"] - made["start_ns"], last - acted, acted.max()
    count = min(20, math.floor(length / (2 * takes.mean()))) if takes.any() else 0
    if count < 5:
        return out
    edges = np.linspace(0, length, count + 1)
    inside = np.minimum(last[:, None], edges[1:]) - np.maximum(acted[:, None], edges[:-1])
    shares = np.clip(inside, 0, None) / takes[:, None]
    tail = max(np.std(takes), abs(end - acted.max() - takes.mean()) / 2)
    prompts = [r["prompt_tokens"] if r["prompt_tokens"] is not None else r["prompt_tokens_requested"] for r in good]
    told = np.array([np.nan if n is None else n for n in prompts], dtype=float)
    made_tokens = np.array([output_len(r) for r in good], dtype=float)
    kept = [keeps_limits(r, made["slo"]) if made["slo"] else np.nan for r in good]
    for key, weights in zip(RATES, (np.ones(len(good)), np.array(kept, dtype=float), told, made_tokens, told + made_tokens)):
        rate = weights.sum() / (end / S)
        if np.isnan(rate):
            continue
        off = weights @ shares - np.mean(weights @ shares)
        over = (off @ off + 2 * max(0, off[1:] @ off[:-1])) * count / (count - 1)
        half = t_975(count - 1) * math.sqrt(over * end / length + (rate * tail / S) ** 2) / (end / S)
        out[f"{key}_ci95"] = [float(rate - half), float(rate + half)]
    return out


def bucket_peaks(good):
    """Returns vLLM's two peaks, by floor() of seconds after the first start."""
    if not good:
        return None, None
    first = min(r["acted_ns"] for r in good)
    last = max(last_ns(r) for r in good)
    n = math.ceil((last - first) / S) + 1
    events, requests = np.zeros(n), np.zeros(n, dtype=int)
    for r in good:
        for e in r["events"]:
            events[(e[0] - first) // S] += 1
        requests[(r["acted_ns"] - first) // S:(last_ns(r) - first) // S + 1] += 1
    return float(events.max()) if events.any() else None, int(requests.max())


def peak_in_flight(made):
    if made["inflight_peak"] is not None:
        return made["inflight_peak"]
    spans = [(r["acted_ns"], r["end_ns"]) for r in made["records"] if r["acted_ns"] is not None]
    if not spans:
        return None
    starts = np.sort([a for a, _ in spans])
    ends = np.sort([b for _, b in spans])
    # open just after each start: started by then, less ended by then
    return int(max(np.searchsorted(starts, t, "right") - np.searchsorted(ends, t, "right")
                   for t in starts))


def sliding_peak(good):
    pairs = sorted((e[0], e[1]) for r in good for e in r["events"] if e[1] > 0)
    if not pairs:
        return None
    t = np.array([p[0] for p in pairs])
    total = np.concatenate([[0], np.cumsum([p[1] for p in pairs])])
    return float(max(total[np.searchsorted(t, t + S, "left")] - total[np.searchsorted(t, t, "left")]))


def keeps_limits(r, slo):
    if not r["events"]:
        values = {"ttft": math.inf, "tpot": 0.0, "e2el": e2el(r)}
    else:
        values = {"ttft": ttft(r), "tpot": tpot(r), "e2el": e2el(r)}
    return all(values[name] <= limit / 1000 for name, limit in slo.items())


def errors_of(records, tries):
    out = []
    for r in [*records, *tries]:
        if is_good(r) or r["acted_ns"] is None:
            continue
        key = "retried" if r["retried"] else "count"
        for entry in out:
            if (entry["kind"], entry["status"]) == (r["error"]["kind"], r["error"]["status"]):
                entry[key] += 1
                break
        else:
            out.append({"kind": r["error"]["kind"], "status": r["error"]["status"], "count": 0,
                        "retried": 0, "sample": r["error"]["message"], key: 1})
    return out


def closed_window(good, cap):
    changes = sorted([(r["acted_ns"], 1) for r in good] + [(last_ns(r), -1) for r in good])
    limit = max(1, math.ceil(0.95 * cap))
    level, start, end = 0, None, None
    for t, by in changes:
        level += by
        if start is None and level >= limit:
            start = t
        if start is not None and by < 0 and level == limit - 1:
            end = t
    return None if start is None else (start, end)


def steady_of(made, good):
    planned = [r["planned_ns"] for r in made["records"] if r["acted_ns"] is not None]
    if made["finite_rate"] and planned:
        tenth = (max(planned) - min(planned)) // 10
        window, at = (min(planned) + tenth, max(planned) - tenth), "planned_ns"
    elif not made["finite_rate"] and made["max_concurrency"] is not None:
        window, at = closed_window(good, made["max_concurrency"]), "acted_ns"
    else:
        return None
    if window is None or window[1] - window[0] < 10 * S:
        return None
    inside = [r for r in good if window[0] <= r[at] <= window[1]]
    out = {"start_s": seconds(made["start_ns"], window[0]),
           "end_s": seconds(made["start_ns"], window[1]),
           "completed": sum(window[0] <= last_ns(r) <= window[1] for r in good)}
    out.update(statistics(inside, made))
    return out


def expected(made):
    records, t = made["records"], (made["end_ns"] - made["start_ns"]) / S
    good = [r for r in records if is_good(r)]
    prompts = [r["prompt_tokens"] if r["prompt_tokens"] is not None else r["prompt_tokens_requested"]
               for r in good]
    total_in = None if None in prompts else sum(prompts)
    total_out = sum(output_len(r) for r in good)
    offsets = [r["prompt_tokens"] - r["prompt_tokens_requested"] for r in good
               if r["prompt_tokens"] is not None and r["prompt_tokens_requested"] is not None]
    failed = sum(not is_good(r) and r["acted_ns"] is not None for r in records)
    events_peak, requests_peak = bucket_peaks(good)
    slo = made["slo"]
    out = {
        "duration": t, "completed_requests": len(good), "failed_requests": failed,
        "completed": len(good), "failed": failed, "retries": len(made["tries"]),
        "retried_requests": len({r["index"] for r in made["tries"]}),
        "total_input_tokens": total_in,
        "total_output_tokens": total_out, "request_throughput": len(good) / t,
        "request_goodput": sum(keeps_limits(r, slo) for r in good) / t if slo else None,
        "input_throughput": None if total_in is None else total_in / t,
        "output_throughput": total_out / t,
        "total_token_throughput": None if total_in is None else (total_in + total_out) / t,
        "max_output_tokens_per_s": events_peak, "max_concurrent_requests": requests_peak,
        "peak_in_flight": peak_in_flight(made),
        "peak_output_tokens_per_s_sliding": sliding_peak(good), "rtfx": None,
        "errors": errors_of(records, made["tries"]), "repeats": [], "steady": steady_of(made, good),
        **{key: None for key in BESIDE},
        "prompt_token_offset_median": float(np.median(offsets)) if offsets else None,
    }
    out.update(statistics(records, made))
    return out


# Comparing.


def compare(got, wanted, path):
    if isinstance(wanted, dict):
        assert isinstance(got, dict) and got.keys() == wanted.keys(), path
        for key in wanted:
            compare(got[key], wanted[key], f"{path}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(got, list) and len(got) == len(wanted), path
        for i, item in enumerate(wanted):
            compare(got[i], item, f"{path}[{i}]")
    elif isinstance(wanted, float):
        assert isinstance(got, (int, float)), f"{path}: {got!r} is not {wanted!r}"
        assert math.isclose(got, wanted, rel_tol=1e-9), f"{path}: {got!r} is not {wanted!r}"
    else:
        assert got == wanted and type(got) is type(wanted), f"{path}: {got!r} is not {wanted!r}"


@pytest.fixture(scope="module")
def driver(bin_dir):
    program = bin_dir.parent / "tests" / "metrics_driver"
    assert program.exists(), f"no {program}: run make build"

    def compute(sets):
        lines = "".join(json.dumps(made) + "\n" for made in sets)
        done = subprocess.run([program], input=lines, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return compute


def split_intervals(got):
    """Returns the other metrics, and the intervals; test_client_error.py checks client errors."""
    intervals = {k: v for k, v in got.items() if k.endswith("_ci95")}
    return {k: v for k, v in got.items() if not k.endswith(("_ci95", "_client_error"))}, intervals


@pytest.mark.release_only  # numbers; unit tests walk the same code
def test_every_key_of_made_up_sets(driver):
    sets = [random_set(seed) for seed in range(SETS)]
    results = driver(sets)
    assert len(results) == SETS
    seen = set()
    windows, rates = set(), set()
    for seed, (made, got) in enumerate(zip(sets, results)):
        got, intervals = split_intervals(got)
        wanted = expected(made)
        assert set(wanted) >= set(FIGURES)
        compare(got, wanted, f"set {seed}")
        compare(intervals, intervals_of(made["records"], made), f"set {seed}")
        rates |= {key for key in RATES if intervals[f"{key}_ci95"]}
        if got["steady"]:
            windows.add("open" if made["finite_rate"] else "closed")
        seen |= {key for key, value in wanted.items() if value not in (None, [], 0)}
    assert windows == {"open", "closed"}
    assert rates == set(RATES)
    # Each figure had a value somewhere: nothing passed by being null throughout.
    never = {"rtfx", "repeats"}
    assert set(FIGURES) - never <= seen
    assert {f"mean_{family}" for family in FAMILIES} <= seen


def vector_set():
    """Returns (start; ttft; itl; output tokens) of four requests, and a failure."""
    rows = [(100.25, 0.5, [0.25, 0.25, 0.5], 4), (100.75, 0.25, [0.5] * 4, 9), (101.5, 0.5, [], 1),
            (103, 0.125, [0.125, 0.125], 3)]
    records = []
    for i, (start, first, gaps, tokens) in enumerate(rows):
        times = (start + first + np.concatenate([[0], np.cumsum(gaps)])) * S
        events = [[int(t), 1, CONTENT | GUESSED] for t in times]
        records.append(record(i, int(start * S), events, planned_ns=int(start * S),
                              output_tokens=tokens, prompt_tokens=10))
    records.append(record(4, 102 * S, [], planned_ns=102 * S, **failure("connect", None, "no")))
    return {"records": records, "tries": [], "start_ns": 100 * S, "end_ns": 104 * S, "percentiles": [],
            "slo": {"ttft": 300, "tpot": 300}, "max_concurrency": None, "finite_rate": False,
            "inflight_peak": None}


def test_peaks_and_figures_of_the_vector(driver):
    (got,) = driver([vector_set()])
    wanted = {
        "max_output_tokens_per_s": 5.0, "max_concurrent_requests": 3, "completed": 4, "failed": 1,
        "total_output_tokens": 17, "request_goodput": 0.5, "output_throughput": 4.25,
        "mean_ttft_ms": 343.75, "median_ttft_ms": 375.0, "std_ttft_ms": 162.37976320958225,
        "mean_tpot_ms": 236.1111111111111, "median_tpot_ms": 250.0,
        "std_tpot_ms": 85.61686115234689, "p90_tpot_ms": 316.66666666666663,
        "mean_itl_ms": 361.1111111111111, "median_itl_ms": 500.0,
        "std_itl_ms": 160.77551253875313, "mean_e2el_ms": 1156.25, "median_e2el_ms": 1000.0,
        "std_e2el_ms": 767.3768223630422, "p90_e2el_ms": 2025.0000000000005,
    }
    assert {key: got[key] for key in wanted} == wanted


@pytest.mark.parametrize("values, statistics_wanted", [
    ([3, 1, 4, 1, 5, 9, 2, 6], {"p90": 6.8999999999999995, "p99": 8.79, "std": 2.5708704751503917}),
    ([k / 10 for k in range(1, 11)],
     {"mean": 0.55, "std": 0.2872281323269014, "p1": 0.109, "p25": 0.32500000000000007,
      "p99.9": 0.9991000000000001}),
])
def test_statistics_of_the_vectors(driver, values, statistics_wanted):
    """Checks latencies of the given seconds, one event each."""
    records = [record(i, S, [[S + round(v * S), 1, CONTENT]], planned_ns=S, output_tokens=1)
               for i, v in enumerate(values)]
    (got,) = driver([dict(vector_set(), records=records)])
    for name, value in statistics_wanted.items():
        assert got[f"{name}_ttft_ms"] == pytest.approx(value * 1000, rel=1e-14)


def test_docs_have_a_row_for_each(source_dir):
    """docs/reference/metrics.md and src/tbl/metrics.h have the same keys, and this file checks all of them."""
    rows = (source_dir / "src/tbl/metrics.h").read_text()
    page = (source_dir / "docs/reference/metrics.md").read_text()
    families = re.findall(r'^FAMILY\(\w+, "(\w+)"', rows, re.M)
    figures = re.findall(r"^FIGURE\((\w+)", rows, re.M)
    documented = re.findall(r"^\| `(\w+)` \|", page, re.M)
    assert documented == families + figures
    # kinds of output: tests/scenario/load/test_stream_shapes.py
    assert [family for family in families if family not in KINDS] == FAMILIES
    assert [family for family in families if family in KINDS] == KINDS
    assert set(figures) == set(FIGURES + BESIDE + OFFLINE) - {
        "errors", "repeats", "steady", "latency_breakdown", "spec_decode_per_position_acceptance_rates"}
