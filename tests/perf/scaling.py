"""Measures POST /api/analysis/scaling over many results, and filters meanwhile: every configuration has the sizes 1, 2, 4 and 8 with
some repeats. Prints percentiles of the time of requests that differ, and of filters alone and during them.

  tests/perf/scaling.py build [--rows 100000] [--repeats 5]
"""
import argparse
import pathlib
import random
import sys
import tempfile
import time
from datetime import timedelta

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))
from dashboard_tools import Dashboard  # noqa: E402
from harness import percentile  # noqa: E402
from history_tools import START  # noqa: E402
from trends import ALONE_S, BATCH, Filters  # noqa: E402

SIZES = (1, 2, 4, 8)
REQUESTS = 20


def documents(rows, repeats):
    rng = random.Random(1)
    for number in range(rows):
        configuration, run = divmod(number, repeats)
        line, tensor = divmod(configuration, len(SIZES))
        tensor = SIZES[tensor]
        serial = 0.02 + line % 10 * 0.03
        throughput = 100 / (serial + (1 - serial) / tensor) * rng.gauss(1, 0.03)
        yield {
            "run_id": f"run-{number}", "suite": "scaling", "status": "completed", "quality": {"verdict": "trusted"},
            "timestamp": f"{START + timedelta(minutes=number):%Y-%m-%dT%H:%M:%SZ}",
            "config": {
                "server": {"model": f"some/model-{line % 7}", "tensor_parallel_size": tensor, "max_num_seqs": 16 + line, "dtype": "bfloat16",
                           "gpu_memory_utilization": 0.9, "max_model_len": 8192, "enable_prefix_caching": line % 2 == 0,
                           "max_num_batched_tokens": 2048 + line % 3, "block_size": 16, "seed": 0},
                "benchmark": {"dataset_name": "random", "num_prompts": 500, "random_input_len": 1024, "random_output_len": 128,
                              "max_concurrency": 64, "request_rate": "inf"}},
            "results": {"output_throughput": throughput, "median_tpot_ms": 1000 / throughput, "completed": 500, "failed": 0},
            "system": {"peak_gpu_memory_gb": 70 + rng.random(), "hardware_info": {"gpu_name": "NVIDIA H100 80GB HBM3", "gpu_count": tensor}},
            "environment": {"engine": {"name": "vllm", "version": "0.11.0", "simulated": False}, "hostname": f"host-{line % 5}"},
            "launch": {"phases": {"ready_s": 30 + rng.random()}, "facts": {"kv_cache_tokens": 10000 * tensor, "tensor_parallel_size": tensor}},
        }


def upload(one, rows, repeats):
    batch = []
    for document in documents(rows, repeats):
        batch.append(document)
        if len(batch) == BATCH:
            one.upload("/api/upload/batch", batch)
            batch = []
    if batch:
        one.upload("/api/upload/batch", batch)


def summary(times_ms):
    return {"count": len(times_ms), "p50_ms": round(percentile(times_ms, 50), 1), "max_ms": round(max(times_ms), 1)}


def measure(one, rows, question):
    times, late = [], 0
    for number in range(REQUESTS):
        began = time.perf_counter()
        # another limit of the gain, so that no response is cached
        reply = one.post("/api/analysis/scaling", {"axis": "tensor", "gain_limit": 0.5 + number / 1000, **question})
        times.append((time.perf_counter() - began) * 1000)
        assert reply.status == 200 and reply.json["count"] == rows, reply.json
        late += bool(reply.json["incomplete"])
    return {**summary(times), "incomplete": late}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Dashboard(options.build / "bin", pathlib.Path(folder) / "scaling.db") as one:
        upload(one, options.rows, options.repeats)
        filters = Filters(one)
        filters.start()
        time.sleep(ALONE_S)
        print("filters alone", filters.stop())
        for name, question in {"1,000 points": {}, "5,000 points": {"limit": 5000}, "with a field that varies": {"vary": ["server.max_num_seqs"]}}.items():
            filters = Filters(one)
            filters.start()
            times = measure(one, options.rows, question)
            print(f"{options.rows} rows, {name}", times, "filters meanwhile", filters.stop())


if __name__ == "__main__":
    main()
