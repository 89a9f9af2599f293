#!/usr/bin/python3
"""Does the verdict see a client that is held down, and leave one alone that is not?

Runs `profllm run` against the simulator again and again: undisturbed; stopped and continued in bursts; beside
a busy thread on its core; under a CPU limit (where cgroups can be written). Prints how often each came out.
"""
import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

CONFIG = {
    "name": "verdict",
    "server": {"model": "sim/test", "max_model_len": 2048},
    "launch": {"command": ["profllm-sim", "serve"], "extra_args": ["--sim-step", "10ms"]},
    "benchmark": {"dataset_name": "random", "random_input_len": 32, "random_output_len": 64, "num_prompts": 40,
                  "request_rate": 10},
}
CGROUPS = pathlib.Path("/sys/fs/cgroup")


def start(binary, folder, core):
    config, output = folder / "e.yaml", folder / "r.json"
    config.write_text(json.dumps(CONFIG))
    process = subprocess.Popen([binary, "run", "--config", config, "--output", output, "--quiet"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    return process, output


def sending(process):
    """Waits until requests are sent: the journal is beside the result by then, and the server answers."""
    time.sleep(1.0)
    return process.poll() is None


def bursts(process, stop):
    while not stop.wait(0.05) and process.poll() is None:
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        process.send_signal(signal.SIGCONT)


def busy(core, stop):
    code = f"import os\nos.sched_setaffinity(0, {{{core}}})\nos.nice(-19) if os.geteuid() == 0 else 0\nwhile True: pass"
    spinner = subprocess.Popen([sys.executable, "-c", code])
    stop.wait()
    spinner.kill()
    spinner.wait()


def limit(process, stop):
    """2 % of a processor for the client alone."""
    group = CGROUPS / f"profllm-verdict-{process.pid}"
    group.mkdir()
    try:
        (group / "cpu.max").write_text("2000 100000")
        (group / "cgroup.procs").write_text(str(process.pid))
        stop.wait()
        (CGROUPS / "cgroup.procs").write_text(str(process.pid)) if process.poll() is None else None
    finally:
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)


def can_limit():
    control = CGROUPS / "cgroup.subtree_control"
    if not control.exists() or not os.access(control, os.W_OK) or "cpu" not in (CGROUPS / "cgroup.controllers").read_text():
        return False
    try:
        control.write_text("+cpu")
    except OSError:
        return False
    return True


def play(binary, core, disturbance):
    with tempfile.TemporaryDirectory(prefix="profllm-verdict-") as name:
        process, output = start(binary, pathlib.Path(name), core)
        stop = threading.Event()
        helper = None
        if disturbance and sending(process):
            helper = threading.Thread(target=disturbance, args=(process, stop))
            helper.start()
        _, errors = process.communicate(timeout=600)
        stop.set()
        if helper:
            helper.join()
        if not output.exists():
            sys.exit(f"no result: {errors}")
        quality = json.loads(output.read_text())["quality"]
        beyond = [check["id"] for check in quality["checks"]
                  if check["status"] == "beyond" and check["effect"] in ("degraded", "client_limited")]
        return quality["verdict"], beyond


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("build/bin/profllm"))
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    core = max(os.sched_getaffinity(0))
    plays = {
        "undisturbed": None,
        "SIGSTOP for 50 ms in each 100": bursts,
        "a busy process on its core": lambda process, stop: busy(core, stop),
    }
    if can_limit():
        plays["2 % of a processor"] = limit
    print("| the client | runs | verdicts | checks |\n|---|---|---|---|")
    for name, disturbance in plays.items():
        verdicts, checks = collections.Counter(), collections.Counter()
        for _ in range(args.runs):
            verdict, beyond = play(args.binary.resolve(), core, disturbance)
            verdicts[verdict] += 1
            checks.update(beyond)
        print(f"| {name} | {args.runs} | {', '.join(f'{k} {n}' for k, n in verdicts.most_common())} | "
              f"{', '.join(f'{k} {n}' for k, n in checks.most_common()) or 'none'} |", flush=True)


if __name__ == "__main__":
    main()
