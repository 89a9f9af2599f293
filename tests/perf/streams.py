"""Many streams at once: what each client takes of its core, and how its figures differ from the server's log."""

import json
import pathlib
import sys

import numpy as np

from command_clients import OURS, PYTHON, RUST, add_cpu, cut_samples
from harness import ClientFailed, Simulator, counts_moved, kernel_counts, run_client

HERE = pathlib.Path(__file__).resolve().parent
COALESCED = 1  # flag of an event in our records: it came in the same read as the one before it
TOKENS = {64: 300, 256: 300, 1024: 200, 4096: 100}
AT_ONCE = "acks at once"
BARE = "bare reader"
# load_driver's options
OWN = {"profllm": ["--delayed_acks"], AT_ONCE: []}
CLIENTS = (BARE, "profllm", AT_ONCE, OURS, "asyncio", PYTHON, RUST)
ALONE = (BARE, "profllm", OURS)  # without peers
# Other work of the machine disturbs single runs: the median of this number counts, with all clients in turn.
RUNS = 3

# The limit of one core: as many streams as the simulator's core can serve, at shorter steps.
FURTHER = [(8192, "60ms", ()), (4096, "30ms", ("--threads", 2)), (4096, "30ms", ("--realtime",)), (256, "20ms", ()),
           (1024, "20ms", ()), (2048, "20ms", ()), (3072, "20ms", ())]


def read_log(path):
    """request id -> (arrival, [time of each event's send])."""
    requests = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row.get("request_id") is None:
                continue
            if row["event"] == "request":
                requests[row["request_id"]] = (row["t_ns"], [])
            elif row["event"] == "token":
                requests[row["request_id"]][1].append(row["t_ns"])
    return requests


def errors(samples):
    """

    Takes (request id, TTFT, [ITL], E2EL) by a client and by the server, in ns; returns by how much single values
    differ, in ms.


    """
    ttft, itl, e2el = [], [], []
    for (_, ttft_ns, itl_ns, e2el_ns), (_, sent_ttft_ns, sent_itl_ns, sent_e2el_ns) in samples:
        ttft.append(abs(ttft_ns - sent_ttft_ns))
        itl.append(np.abs(np.asarray(itl_ns) - np.asarray(sent_itl_ns)))
        e2el.append(abs(e2el_ns - sent_e2el_ns))
    itl = np.concatenate(itl)
    return {
        "ttft_error_mean_ms": float(np.mean(ttft)) / 1e6,
        "ttft_error_p99_ms": float(np.percentile(ttft, 99)) / 1e6,
        "ttft_error_max_ms": float(np.max(ttft)) / 1e6,
        "itl_error_p99_ms": float(np.percentile(itl, 99)) / 1e6 if len(itl) else None,
        "e2el_error_p99_ms": float(np.percentile(e2el, 99)) / 1e6,
    }


def of_server(request_id, log):
    if request_id not in log:
        raise ClientFailed(f"{request_id} is not in the server's log")
    arrival, sent = log[request_id]
    return request_id, sent[0] - arrival, np.diff(sent), sent[-1] - arrival


def check_events(request_id, count, log):
    sent = len(of_server(request_id, log)[2]) + 1
    if count != sent:
        raise ClientFailed(f"{request_id}: {count} events, the log has {sent}")


def compare_records(path, log):
    """Compares the records of a client that keeps each event's time on the server's clock."""
    lag, samples, merged_first = [], [], 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            request_id, acted = record["request_id"], record["acted_ns"]
            times = [e[0] if isinstance(e, list) else e for e in record["events"]]
            check_events(request_id, len(times), log)
            # one stamp for both: the first is as late as the second
            merged_first += any(isinstance(e, list) and e[2] & COALESCED for e in record["events"][1:2])
            lag.append(np.array(times) - np.array(log[request_id][1]))
            samples.append(((request_id, times[0] - acted, np.diff(times), times[-1] - acted),
                            of_server(request_id, log)))
    lag = np.concatenate(lag) / 1e3
    return {"lag_p50_us": float(np.percentile(lag, 50)), "lag_p99_us": float(np.percentile(lag, 99)),
            "merged_first": merged_first, **errors(samples)}


def compare_figures(figures, log):
    """Compares the metrics of a client that keeps durations only: (request id, TTFT, [ITL], E2EL) of each request."""
    for request_id, _, itl_ns, _ in figures:
        check_events(request_id, len(itl_ns) + 1, log)
    return errors([(one, of_server(one[0], log)) for one in figures])


def count_events(row, log):
    """Counts the events that the server sent to the bare reader, which sees bytes only."""
    row["events"] = sum(len(sent) for _, sent in log.values())
    add_cpu(row, row["duration_s"])


def takes_part(args, name, streams):
    if name in OWN or name in (BARE, "asyncio"):
        return True
    client = args.commands.get(name)
    return client is not None and streams <= (client.most_streams or streams)


def command_of(args, name, words):
    """None: a client that is a whole command."""
    if name == BARE:
        return [args.build / "tests" / "bare_reader"]
    if name == "asyncio":
        return [sys.executable, HERE / "asyncio_client.py"]
    return [args.build / "tests" / "load_driver", *OWN[name], *words] if name in OWN else None


def play(args, folder, name, streams, tokens, step, words):
    """One client's run and its row."""
    records = folder / "records.jsonl"
    command = command_of(args, name, words)
    before = kernel_counts()
    with Simulator(args.simulator, folder, step) as sim:
        if command:
            row, figures = run_client(command + ["--port", sim.port, "--requests", streams, "--tokens", tokens,
                                                 *([] if name == BARE else ["--records", records])]), None
        else:
            row, figures = args.commands[name].run(sim.port, streams, tokens)
        row["sim_step_late_p50_ms"] = sim.step_lateness_ms(0.5)
    row["kernel_counts"] = counts_moved(before)
    if row["completed"] != streams:
        raise ClientFailed(f"{row['completed']} of {streams} requests completed")
    log = read_log(folder / "sim.log")
    if "cpu_samples" in row:
        cut_samples(row, log)
    if name == BARE:
        count_events(row, log)
    else:
        row.update(compare_figures(figures, log) if figures is not None else compare_records(records, log))
    return row


def middle(rows):
    """The row whose CPU time is the median, with that of all."""
    rows.sort(key=lambda row: row["cpu_us_per_event"])
    return {**rows[len(rows) // 2], "cpu_us_of_runs": [row["cpu_us_per_event"] for row in rows]}


def measure_one(args, folder, streams, step=None, words=(), peers=True):
    """All clients in turn; `step` None: the usual one."""
    step = step or args.step
    tokens = TOKENS.get(streams, 100)
    result = {"streams": streams, "tokens": tokens, "step": step, "words": [str(word) for word in words]}
    names = ["profllm"]
    if peers:
        names = [name for name in (CLIENTS if streams <= args.peer_max else ALONE) if takes_part(args, name, streams)]
    rows, failures = {name: [] for name in names}, {}
    for turn in range(RUNS if peers else 1):
        for name in names:
            if name in failures or (turn > 0 and name == PYTHON):
                continue
            try:
                rows[name].append(play(args, folder, name, streams, tokens, step, words))
            except ClientFailed as failure:
                if name in OWN or name == BARE:
                    sys.exit(f"{name}, {streams} streams: {failure}")
                failures[name] = {"failure": str(failure)}
    for name in names:
        result[name] = failures.get(name) or middle(rows[name])
        print(f"  {name} {streams}: {json.dumps(result[name])}", file=sys.stderr, flush=True)
    add_ratios(result, names)
    return result


def add_ratios(result, names):
    """How many times the CPU time of the load generator, and of the kernel alone."""
    for name in names:
        row = result[name]
        for key, base in (("cpu_ratio", "profllm"), ("cpu_of_bare", BARE)):
            if base in result and "failure" not in row:
                row[key] = row["cpu_us_per_event"] / result[base]["cpu_us_per_event"]


def measure(args, folder):
    return [measure_one(args, folder, int(streams)) for streams in args.streams.split(",")]


def measure_further(args, folder):
    return [measure_one(args, folder, streams, step, words, peers=False) for streams, step, words in FURTHER]
