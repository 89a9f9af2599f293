"""The figures of a run of tests/perf/run as Markdown."""

import numpy as np

import datasets
import facets
import first_connect
import growth
import ingest
import live
import request_rows
import telemetry
import timeline
from streams import BARE, CLIENTS, OWN


def number(value, digits=1):
    return "–" if value is None else f"{value:.{digits}f}"


def head(*columns):
    print("\n| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def bucket(value):
    return "–" if value is None else f"≤ {value:.2f}"


def rows_of(results, names=CLIENTS):
    for result in results["streams"]:
        for name in names:
            if name in result:
                yield result["streams"], name, result[name]


def cost_table(results):
    head("streams", "client", "CPU µs/event", "CPU share", "× bare reader", "CPU ratio", "lag p50 µs",
         "lag p99 µs", "read late p99 µs", "sim. step late p50 ms")
    for streams, name, row in rows_of(results):
        if "failure" in row:
            line(streams, name, f"failed: {row['failure']}", *["–"] * 7)
            continue
        line(streams, name, number(row["cpu_us_per_event"], 2), number(row["cpu_share"], 2),
             number(row.get("cpu_of_bare"), 2), number(row.get("cpu_ratio", 1.0)), number(row.get("lag_p50_us")),
             number(row.get("lag_p99_us")), number(row.get("queueing_p99_us")), bucket(row["sim_step_late_p50_ms"]))


def error_cells(row):
    return [number(row[key], 3) for key in ("ttft_error_mean_ms", "ttft_error_p99_ms", "ttft_error_max_ms",
                                            "itl_error_p99_ms", "e2el_error_p99_ms")]


def error_table(results):
    head("streams", "client", "TTFT error mean ms", "p99 ms", "max ms", "ITL error p99 ms", "E2EL error p99 ms",
         "slowest connect ms", "merged first")
    for streams, name, row in rows_of(results):
        if "failure" not in row and name != BARE:
            line(streams, name, *error_cells(row), number(row.get("connect_max_ms"), 3),
                 row["merged_first"] if name in OWN else "–")


def further_table(results):
    head("streams", "step", "options", "CPU µs/event", "CPU share", "lag p99 µs", "TTFT error mean ms", "p99 ms",
         "max ms", "slowest connect ms", "merged first", "read late p99 ms", "sim. step late p50 ms")
    for result in results["further"]:
        row = result["profllm"]
        line(result["streams"], result["step"], " ".join(result["words"]) or "–", number(row["cpu_us_per_event"], 2),
             number(row["cpu_share"], 2), number(row["lag_p99_us"]), *error_cells(row)[:3],
             number(row["connect_max_ms"], 3), row["merged_first"], number(row["queueing_p99_us"] / 1e3, 2),
             bucket(row["sim_step_late_p50_ms"]))


def kernel_lines(results):
    """Lost connection attempts and the like: they are none of the client's doing."""
    runs = [(f"{result['streams']} streams of {result['step']}, {name}", result[name])
            for result in results["streams"] + results["further"] for name in CLIENTS if name in result]
    for what, row in runs + [("10000 connections", results["connections"])]:
        if row.get("kernel_counts"):
            moved = ", ".join(f"{key} {n}" for key, n in row["kernel_counts"].items())
            print(f"\nKernel counts that moved, {what}: {moved}.")


def other_table(results):
    zero, schedule, many = results["zero_line"], results["schedule"], results["connections"]
    head("what", "figure")
    line("zero line (null adapter): CPU per token event", f"{zero['cpu_us_per_event']:.3f} µs")
    line("zero line: CPU per request", f"{zero['cpu_us_per_request']:.2f} µs")
    line(f"{many['connections']:.0f} connections open after", f"{many['all_connected_s']:.3f} s")
    line("slowest of them", f"{many['connect_max_ms']:.3f} ms")
    line(f"memory of each, {many['events'] / many['requests']:.0f} tokens",
         f"{many['memory_bytes_per_request']:.0f} B")
    head("10,000 requests/s Poisson", "runs", "lateness p50 µs", "p99 µs", "p99 of each", "max µs", "CPU share")
    for name, rows in schedule.items():
        p99 = [row["lateness_p99_us"] for row in rows]
        line(name, len(rows), *[number(float(np.median([row[key] for row in rows])))
                                for key in ("lateness_p50_us", "lateness_p99_us")],
             " ".join(number(one) for one in p99), number(max(row["lateness_max_us"] for row in rows)),
             number(float(np.median([row["cpu_share"] for row in rows])), 2))
    head("command, a whole process", "median", "most")
    for name, row in results["commands"].items():
        line(name, f"{row['median_ms']:.1f} ms", f"{row['max_ms']:.1f} ms")


def show(results):
    cost_table(results)
    error_table(results)
    if results["further"]:
        further_table(results)
    kernel_lines(results)
    for name, why in results["excluded"].items():
        print(f"\nNo row of {name}: {why}.")
    other_table(results)
    datasets.table(results["datasets"])
    first_connect.table(results["first_connect"])
    telemetry.table(results["telemetry"])
    if results["facets"]:
        facets.table(results["facets"])
    if results["ingest"]:
        ingest.table(results["ingest"])
    if results.get("growth"):
        growth.table(results["growth"])
    if results.get("timeline"):
        timeline.table(results["timeline"])
    if results.get("requests"):
        request_rows.table(results["requests"])
    if results.get("live"):
        live.table(results["live"])
