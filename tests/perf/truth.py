"""

The truth of a run, by the simulator's own log: the metrics of a perfect client, and the arrived load compared with the
planned one. Joined with the run's records by request id, computed by numpy.


"""

import dataclasses
import json
import subprocess

import numpy as np

FAMILIES = ("ttft_ms", "first_token_ms", "tpot_ms", "itl_ms", "e2el_ms")
STATISTICS = {
    "mean": np.mean,
    "median": np.median,
    "p90": lambda x: np.percentile(x, 90),
    "p99": lambda x: np.percentile(x, 99),
}
FIGURES = tuple(f"{statistic}_{family}" for family in FAMILIES for statistic in STATISTICS)
# A send() that took longer was delayed, as by a host that takes the processor away, or was several: the time at which
# the event left is then unknown.
SEND_MOST_NS = 20_000
# Connecting and sending take a perfect client time too: what they took in the run at the least, if no more than this;
# so exactly it is known.
CONNECT_MOST_NS, JOIN_NS = 100_000, 20_000


class NotJoined(Exception):
    """Records and log contain different events; the text says where."""


@dataclasses.dataclass
class Served:
    """One request by the server; times in ns of CLOCK_MONOTONIC."""

    arrival_ns: int
    sent_ns: list = dataclasses.field(default_factory=list)  # of each event, at the earliest
    sent_by_ns: list = dataclasses.field(default_factory=list)  # at the latest
    tokens: list = dataclasses.field(default_factory=list)  # in each event
    end_ns: int = None
    total: int = 0  # tokens

    def with_output(self):
        """The same, of the events that have tokens."""
        kept = [i for i, tokens in enumerate(self.tokens) if tokens > 0]
        return dataclasses.replace(self, **{name: [getattr(self, name)[i] for i in kept] for name in ("sent_ns", "sent_by_ns", "tokens")})


def read_log(path, prefix):
    """Request id -> Served, of the ids that begin with the prefix."""
    requests = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            name = row.get("request_id")
            if name is None or not name.startswith(prefix):
                continue
            if row["event"] == "request":
                requests[name] = Served(row["t_ns"])
            elif row["event"] == "token":
                took_ns = row["took_ns"]
                requests[name].sent_ns.append(row["t_ns"])
                requests[name].sent_by_ns.append(row["t_ns"] + (took_ns if took_ns > SEND_MOST_NS else 0))
                requests[name].tokens.append(row["tokens"])
            else:
                requests[name].end_ns, requests[name].total = row["t_ns"], row["tokens"]
    return requests


def read_records(path):
    """The last try of each request, of a requests.jsonl.zst."""
    text = subprocess.run(["zstd", "-dc", str(path)], check=True, capture_output=True).stdout
    return [record for record in map(json.loads, text.splitlines()) if not record["retried"]]


def connect_ns(records, log):
    took = [log[record["request_id"]].arrival_ns - record["acted_ns"] for record in records
            if record["request_id"] in log and record["acted_ns"] is not None]
    return min(max(min(took, default=0), 0), CONNECT_MOST_NS)


def joined(records, log):
    """(Served, start) of each request that finished by the client's account and has events."""
    before_ns = connect_ns(records, log)
    for record in records:
        if record["error"] is not None:
            continue
        name = record["request_id"]
        if name not in log:
            raise NotJoined(f"{name} is not in the server's log")
        served = log[name]
        if len(record["events"]) != len(served.sent_ns):
            raise NotJoined(f"{name}: {len(record['events'])} events, the log has {len(served.sent_ns)}")
        # vLLM's client counts chunks with output in chats since 0.33.0: the simulator's others name the speaker
        if record.get("output_chunks"):
            served = served.with_output()
        if served.sent_ns:
            yield served, served.arrival_ns - before_ns


def samples(requests, high):
    """Family -> its samples in ms: the least that they can have been, or the most."""
    found = {family: [] for family in FAMILIES}
    for served, start in requests:
        ends, begins = (served.sent_by_ns, served.sent_ns) if high else (served.sent_ns, served.sent_by_ns)
        with_tokens = [t for t, tokens in zip(ends, served.tokens) if tokens > 0]
        found["ttft_ms"].append(ends[0] - start)
        found["e2el_ms"].append(ends[-1] - start)
        found["itl_ms"] += np.maximum(np.subtract(ends[1:], begins[:-1]), 0).tolist()
        if with_tokens:
            found["first_token_ms"].append(with_tokens[0] - start)
        if served.total > 1:
            found["tpot_ms"].append(max(ends[-1] - begins[0], 0) / (served.total - 1))
    return {family: np.array(values, dtype=float) / 1e6 for family, values in found.items()}


def figures(records, log):
    """Figure -> [least, most] in ms, the same but for sends that were held up; None where there is no sample."""
    requests = list(joined(records, log))
    low, high = samples(requests, False), samples(requests, True)
    return {f"{statistic}_{family}": [float(compute(low[family])), float(compute(high[family]))] if len(low[family]) else None
            for family in FAMILIES for statistic, compute in STATISTICS.items()}


def gap_distance(planned, arrived, tolerance):
    """
    Kolmogorov-Smirnov distance of two sets of gaps, in which gaps that differ by no more than the tolerance are the
    same: of constant arrivals a microsecond would else make a distance of a half.
    """
    planned, arrived = np.sort(planned), np.sort(arrived)
    if not len(planned):
        return 0.0

    def share(sorted_gaps, at):
        return np.searchsorted(sorted_gaps, at, side="right") / len(sorted_gaps)

    later = share(planned, planned) - share(arrived, planned + tolerance)
    sooner = share(arrived, arrived) - share(planned, arrived + tolerance)
    return float(max(later.max(), sooner.max(), 0.0))


def ideal_starts(planned, ends, cap):
    """

    Returns when a perfect client would have started each request, in the order of the plan: as planned, but with a
    concurrency limit not before enough others had ended. It uses the real ends, so that each request accounts for its
    own lateness only.


    """
    ideal = np.sort(planned)
    if cap is not None and cap < len(ideal):
        ideal[cap:] = np.maximum(ideal[cap:], np.sort(ends)[:len(ideal) - cap])
    return ideal


def offered(records, log, cap, finite_rate):
    """

    Compares the load at the server with the requested one.
    - rate_ratio: the span of the ideal starts over that of the arrivals; with a concurrency limit, at most the share of
      the slots' time that was not lost, because a late request there delays its successors
    - gap_distance: the distance between the gaps of the arrivals and the requested ones; None without a rate
    - inflight_off: the time integral of requests that should have been in flight and were not, over that of those


    """
    rows = [(record["planned_ns"], log[record["request_id"]]) for record in records if record["request_id"] in log]
    if len(rows) < 2:
        return {"rate_ratio": None, "gap_distance": None, "inflight_off": None, "late_p99_ms": None}
    planned = np.array([row[0] for row in rows], dtype=float)
    arrived = np.sort(np.array([row[1].arrival_ns for row in rows], dtype=float))
    ends = np.array([row[1].end_ns if row[1].end_ns is not None else row[1].arrival_ns for row in rows], dtype=float)
    ideal = ideal_starts(planned, ends, cap)
    late = np.maximum(arrived - ideal, 0)
    off = late.sum() / max((ends.sum() - ideal.sum()), 1)
    result = {"inflight_off": float(off), "gap_distance": None, "rate_ratio": float(1 - off),
              "late_p99_ms": float(np.percentile(late, 99)) / 1e6}
    if finite_rate:
        span = ideal[-1] - ideal[0]
        gaps = np.diff(ideal)
        ratio = span / max(arrived[-1] - ideal[0], 1)
        held = float(late[ideal > np.sort(planned)].sum() / max(ends.sum() - ideal.sum(), 1))
        result["rate_ratio"] = float(min(ratio, 1 - held))
        result["gap_distance"] = gap_distance(gaps, np.diff(arrived), max(2 * JOIN_NS, 0.01 * gaps.mean()))
    return result
