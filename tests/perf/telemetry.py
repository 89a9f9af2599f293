"""Telemetry under load: how late its ticks are, and what it takes of a processor."""

import json
import os
import subprocess
import sys

STREAMS = 1024
TOKENS = 200
INTERVAL = "100ms"


def experiment(launch):
    return {
        "server": {"model": "perf", "max_num_seqs": 16384},
        "launch": {"gpus": "all", **launch},
        "benchmark": {
            "backend": "openai", "dataset_name": "random", "random_input_len": 8,
            "random_output_len": TOKENS, "num_prompts": STREAMS, "ignore_eos": True, "seed": 1,
        },
        "telemetry": {"interval": INTERVAL, "server_metrics": "1s"},
    }


def run(args, folder, name, launch, core=None):
    config, output = folder / f"{name}.yaml", folder / f"{name}.json"
    config.write_text(json.dumps(experiment(launch)))
    env = {**os.environ, "PROFLLM_NVML_LIB": str(args.build / "lib" / "libnvml-pretend.so"),
           "PRETEND_GPUS": "8xH100", "PRETEND_POWER": "sine:100:700:1"}
    done = subprocess.run(
        [args.build / "bin" / "profllm", "run", "-q", "-c", config, "-o", output], env=env,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        preexec_fn=(lambda: os.sched_setaffinity(0, {core})) if core is not None else None,
    )
    if done.returncode != 0:
        sys.exit(f"telemetry, {name}: {done.stderr}")
    result = json.loads(output.read_text())
    return {"duration_s": result["results"]["duration"], **result["system"]["telemetry"]}


def measure(args, folder, simulator, core):
    """Measures with a separate server, and with one that shares the core of the load's worker."""
    rows = {"server of ours, 8 GPUs": run(
        args, folder, "ours",
        {"command": [str(args.simulator), "serve"], "extra_args": ["--sim-step", args.step]})}
    with simulator as sim:
        rows["on the worker's core, 8 GPUs"] = run(
            args, folder, "shared",
            {"url": f"http://127.0.0.1:{sim.port}"}, core)
    return rows


def table(rows):
    print(f"\n| telemetry at {INTERVAL}, {STREAMS} streams | ticks | missed | late p50 ms | "
          "late p99 ms | late max ms | CPU share |")
    print("|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        print(f"| {name} | {row['ticks']} | {row['ticks_missed']} | {row['lateness_p50_ms']:.3f} | "
              f"{row['lateness_p99_ms']:.3f} | {row['lateness_max_ms']:.3f} | "
              f"{100 * row['cpu_share']:.2f} % |")
