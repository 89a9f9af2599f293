"""Rules for correct results of calibration.py's runs, and its tables in Markdown."""

import collections
import math

from tables import head, line

# An error counts from this on, whatever the figure: no smaller one matters to anybody.
LEAST_MS = 0.1
NEAR, GAP_DISTANCE_NEAR = 0.01, 0.05  # metrics and load of a run that deserves trust
FAR, RATE_LEAST = 0.10, 0.95  # and of a run that does not
# Checks that accuse the client; all others are of the server, the sample or the counting.
CLIENTS = {"client_error", "rate_shortfall", "gap_distance", "send_lateness", "in_flight_distance", "idle_slots", "host_steal"}


def beyond(figure, share):
    return figure["error_ms"] > max(share * figure["true"], LEAST_MS)


def any_beyond(run, share):
    return any(beyond(figure, share) for figure in run["figures"].values())


def is_held_down(run):
    rate = run["offered"]["rate_ratio"]
    return any_beyond(run, FAR) or (rate is not None and rate < RATE_LEAST)


def is_fine(run):
    offered = run["offered"]
    return bool(run["figures"]) and not any_beyond(run, NEAR) and \
        (offered["rate_ratio"] is None or abs(1 - offered["rate_ratio"]) <= NEAR) and \
        (offered["gap_distance"] is None or offered["gap_distance"] <= GAP_DISTANCE_NEAR)


def is_trusted(run):
    return run["verdict"] == "trusted"


def outside(run):
    return [name for name, figure in run["figures"].items() if figure["inside"] is False]


def largest_error(run):
    """(share, figure) of those that count at all; (0, '-') where none does."""
    return max(((figure["share"], name) for name, figure in run["figures"].items() if figure["error_ms"] > LEAST_MS),
               default=(0.0, "–"))


def widest_bound(run):
    """The same of what the result says."""
    found = [(max(-figure["bounds"][0], figure["bounds"][1]), figure["reported"], name)
             for name, figure in run["figures"].items() if figure["bounds"] is not None]
    return max(((most / reported if reported > 0 else math.inf, name)
                for most, reported, name in found if most > LEAST_MS), default=(0.0, "–"))


def percent(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.2f} %)" if whole else "")


def share_text(found):
    share, name = found
    if share == 0:
        return "–"
    return f"of 0 ({name})" if math.isinf(share) else f"{100 * share:.3g} % ({name})"


def count(runs, condition):
    return sum(1 for run in runs if condition(run))


def rules_table(kept):
    runs = [run for run in kept["runs"] if run["part"] == "random"]
    figures = [figure for run in runs for figure in run["figures"].values()]
    known = [figure for figure in figures if figure["inside"] is not None]
    trusted, fine = [run for run in runs if is_trusted(run)], [run for run in runs if is_fine(run)]
    down = [run for run in runs if is_held_down(run)]
    doubted = [run for run in fine if not is_trusted(run)]
    head("of the seeded runs", "found", "to be reached")
    line("played", len(runs), "–")
    line("figures whose true value lies within the client error", percent(sum(f["inside"] for f in known), len(known)),
         "≥ 99 %")
    if len(known) < len(figures):
        line("figures without a client error", percent(len(figures) - len(known), len(figures)), "none")
    line("trusted, with an error above 2 %", percent(count(trusted, lambda run: any_beyond(run, 0.02)), len(trusted)),
         "≤ 0.5 %")
    line("trusted, with an error above 5 %", percent(count(trusted, lambda run: any_beyond(run, 0.05)), len(trusted)),
         "none")
    line("not trusted, although all errors ≤ 1 %, the rate within 1 % and the gaps' distance ≤ 0.05",
         percent(len(doubted), len(fine)), "≤ 5 %")
    line("of these, for what the server did alone (inflight_agreement and the like)",
         percent(count(doubted, lambda run: not CLIENTS.intersection(run["counting"])), len(doubted)), "–")
    line("trusted, with an error above 10 % or less than 95 % of the rate", percent(count(down, is_trusted), len(down)),
         "none")


def held_table(kept):
    runs = [run for run in kept["runs"] if run["part"] == "held"]
    if not runs:
        return
    head("the client", "played", "held down by the truth", "of these not trusted", "smallest error or rate",
         "verdicts of those that bore it")
    for which in dict.fromkeys(run["held"] for run in runs):
        of_kind = [run for run in runs if run["held"] == which]
        down = [run for run in of_kind if is_held_down(run)]
        line(which, len(of_kind), len(down), percent(len(down) - count(down, is_trusted), len(down)),
             least_harm(down), verdicts([run for run in of_kind if not is_held_down(run)]))


def least_harm(runs):
    """Returns the harm of the run that was held down least."""
    if not runs:
        return "–"
    error, rate = min((largest_error(run)[0], run["offered"]["rate_ratio"] or 1.0) for run in runs)
    return f"{100 * error:.3g} %, rate {100 * rate:.1f} %"


def verdicts(runs):
    counts = collections.Counter(run["verdict"] or "none" for run in runs)
    return ", ".join(f"{verdict} {n}" for verdict, n in counts.most_common()) or "–"


def checks(runs):
    counts = collections.Counter(check for run in runs if not is_trusted(run) for check in run["counting"])
    return ", ".join(f"{check} {n}" for check, n in counts.most_common()) or "none"


def group_table(title, groups):
    """Returns the table of {name: runs}."""
    head(title, "runs", "verdicts", "beyond and counting", "figures outside", "largest error", "widest client error",
         "least rate")
    for name, runs in groups.items():
        rates = [run["offered"]["rate_ratio"] for run in runs if run["offered"]["rate_ratio"] is not None]
        line(name, len(runs), verdicts(runs), checks(runs), sum(len(outside(run)) for run in runs),
             share_text(max(map(largest_error, runs))), share_text(max(map(widest_bound, runs))),
             f"{100 * min(rates):.1f} %" if rates else "–")


def by(runs, key):
    groups = {}
    for run in runs:
        groups.setdefault(run[key], []).append(run)
    return dict(sorted(groups.items()))


def show(kept):
    runs = collections.defaultdict(list)
    for run in kept["runs"]:
        runs[run["part"]].append(run)
    rules_table(kept)
    if runs["calm"]:
        group_table("nothing disturbed", {"undisturbed": runs["calm"]})
    held_table(kept)
    if runs["fault"]:
        group_table("the server's own fault, undisturbed", by(runs["fault"], "fault"))
    if runs["random"]:
        group_table("the seeded runs by disturbance", by(runs["random"], "kind"))
        group_table("by load", by(runs["random"], "loop"))
        group_table("by the server's fault", {name or "none": of for name, of in by(runs["random"], "fault").items()})
    for kind, reason in kept["not_here"].items():
        print(f"\nNot played, {kept['skipped'].get(kind, 0)} runs of '{kind}': {reason}.")
    for failure in kept["failures"]:
        print(f"\nCould not be played, {failure['name']} ({failure['kind']}): {failure['failure']}.")


def show_run(run):
    """One run in full."""
    for key in ("name", "seed", "loop", "streams", "step_ms", "benchmark", "kind", "words", "fault", "status", "verdict",
                "counting", "measurement", "load", "offered", "sim_step_late_p99_ms"):
        print(f"{key}: {run[key]}")
    head("figure", "true ms", "± ms", "reported ms", "error ms", "client error", "inside")
    for name, figure in run["figures"].items():
        line(name, f"{figure['true']:.4f}", f"{figure['unsharp_ms']:.4f}", f"{figure['reported']:.4f}", f"{figure['error_ms']:.4f}",
             figure["bounds"] or "–", {None: "unknown", True: "yes", False: "NO"}[figure["inside"]])
    head("check", "value", "limit", "status")
    for name, (value, limit, status) in run["checks"].items():
        line(name, value, limit, status)
