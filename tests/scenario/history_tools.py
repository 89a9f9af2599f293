"""Makes histories of results with known changes, from a seed."""
import math
import random
from datetime import datetime, timedelta, timezone

START = datetime(2026, 1, 5, tzinfo=timezone.utc)
METRICS = {"median_ttft_ms": 80.0, "p99_ttft_ms": 240.0, "median_tpot_ms": 12.0, "median_e2el_ms": 1600.0,
           "output_throughput": 4200.0, "request_throughput": 21.0}


def stamp(at):
    return at.isoformat().replace("+00:00", "Z")


def result(number, at, metrics, *, server=None, version="0.31.0", host="node-1", driver="580.95", **environment):
    """Returns a small result; `server`: arguments that the user set."""
    server = {"model": "meta-llama/Llama-3.1-8B", **(server or {})}
    return {"run_id": f"exp_{at:%Y%m%d_%H%M%S}_{number:06x}", "suite": "nightly", "timestamp": stamp(at), "status": "completed",
            "config": {"server": server, "server_explicit": sorted(server)},
            "environment": {"hostname": host, "gpu_driver": driver, "engine": {"name": "vllm", "version": version, "simulated": False},
                            **environment},
            "system": {"hardware_info": {"gpu_name": "NVIDIA H200", "gpu_count": server.get("tensor_parallel_size", 1)}},
            "results": {name: value for name, value in metrics.items() if value is not None}}


def noisy(seed, level, cv):
    """Returns a value around the level, with this coefficient of variation."""
    return level * math.exp(random.Random(seed).gauss(0, math.sqrt(math.log(1 + cv * cv))))


def series(count, level, cv, *, seed, steps=(), first=0, interval_h=6, metric="median_ttft_ms", **keys):
    """Returns the results of one configuration; steps: (position, factor)."""
    made = []
    for i in range(count):
        factor = math.prod(size for position, size in steps if i >= position)
        at = START + timedelta(hours=interval_h * i)
        chosen = {key: value(i) if callable(value) else value for key, value in keys.items()}
        made.append(result(first + i, at, {metric: noisy(f"{seed} {i}", level * factor, cv)}, **chosen))
    return made


# ---- a history of forty configurations -----------------------------------------------------------

RUNS = 120
# (position, metrics with their factors, changed field, its values): a cause that ten configurations share
TORCH = (60, {"median_ttft_ms": 1.15, "median_e2el_ms": 1.12}, "torch", ("2.9.0", "2.10.0"))
KERNEL = (90, {"median_tpot_ms": 1.18, "output_throughput": 0.86}, "kernel", ("6.8.0-45", "6.8.0-51"))
DRIVER = (40, {name: 1.25 for name in METRICS}, "gpu_driver", ("575.57", "580.95"))


def cause_of(tp):
    return {8: TORCH, 4: KERNEL, 2: DRIVER}.get(tp)


def history(seed=1):
    """Returns 40 configurations with 120 results each: two shared causes, a new driver, a noisier host, and gaps."""
    made, number = [], 0
    for tp in (1, 2, 4, 8):
        for concurrency in range(10):
            for i in range(RUNS):
                rng = random.Random(f"{seed} {tp} {concurrency} {i}")
                at = START + timedelta(hours=6 * i, minutes=tp, seconds=concurrency)
                cause = cause_of(tp)
                is_noisy = tp == 1 and concurrency < 5 and i % 2 == 1
                fields = {"torch": "2.9.0", "kernel": "6.8.0-45"}
                if cause:
                    fields[cause[2]] = cause[3][i >= cause[0]]
                metrics = {}
                for name, level in METRICS.items():
                    factor = cause[1].get(name, 1) if cause and i >= cause[0] else 1
                    scale = 1 + concurrency / 3 if name.endswith("_ms") else 1 + concurrency / 4
                    value = noisy(rng.random(), level * factor * scale / (tp if name.endswith("_ms") else 1), 0.1 if is_noisy else 0.03)
                    metrics[name] = None if rng.random() < 0.02 else value
                number += 1
                if rng.random() < 0.01:
                    continue
                driver = fields.pop("gpu_driver", "580.95")
                made.append(result(number, at, metrics, server={"tensor_parallel_size": tp, "max_num_seqs": 16 * (concurrency + 1)},
                                   version=("0.30.0", "0.31.0", "0.31.1")[(i >= 30) + (i >= 75)],
                                   host="node-noisy" if is_noisy else f"node-{tp}", driver=driver, **fields))
    return made
