#!/usr/bin/python3
"""Does the verdict see a client that is held down, and leave one alone that is not?

Runs `profllm run` again and again against a simulator on a core of its own: undisturbed; stopped and
continued in bursts; beside a busy thread on its core; under a CPU limit (where cgroups can be written).
Prints how often each came out.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import scratch  # noqa: E402

REQUESTS = 40
BENCHMARK = {"dataset_name": "random", "random_input_len": 32, "random_output_len": 64, "num_prompts": REQUESTS,
             "request_rate": 20, "ignore_eos": True, "ready_check_timeout_sec": 30}
CGROUPS = pathlib.Path("/sys/fs/cgroup")
# The run needs about 1 % of a processor. The kernel's least quota is 1 ms.
QUOTA_US, PERIOD_US = 1000, 200000
LIMIT_NAME = f"{100 * QUOTA_US / PERIOD_US:g} % of a processor"


class Server:
    """A simulator of 10 ms a token. Prompts come again in every run, so it has no prefix cache."""

    def __init__(self, binary, core):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        self.process = subprocess.Popen(
            [binary, "serve", "sim/test", "--host", "127.0.0.1", "--port", self.url.rpartition(":")[2],
             "--max-model-len", "2048", "--sim-step", "10ms", "--no-enable-prefix-caching", "--disable-log-stats"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, {core}))

    def metric(self, name):
        with urllib.request.urlopen(self.url + "/metrics", timeout=10) as answer:
            page = answer.read().decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", page, re.M))

    def running(self):
        return self.metric("vllm:num_requests_running")

    def finished(self):
        return self.metric("vllm:request_success_total")

    def stop(self):
        self.process.kill()
        self.process.wait()


def wait_until(condition, process):
    """False when the process ended before."""
    while process.poll() is None:
        with contextlib.suppress(OSError):
            if condition():
                return True
        time.sleep(0.02)
    return False


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


class Group:
    """A control group for the client alone, of either version; OSError where none can be made."""

    def __init__(self):
        name = f"profllm-verdicts-{os.getpid()}"
        self.legacy = (CGROUPS / "cpu" / "cgroup.procs").exists()
        top = CGROUPS / "cpu" if self.legacy else CGROUPS
        if not self.legacy:
            if "cpu" not in (CGROUPS / "cgroup.controllers").read_text().split():
                raise OSError("no controller of processor time")
            (CGROUPS / "cgroup.subtree_control").write_text("+cpu")
        self.folder = top / name
        self.folder.mkdir()
        try:
            self.free()
        except OSError:
            self.folder.rmdir()
            raise

    def set_quota(self, quota_us, period_us):
        if self.legacy:
            (self.folder / "cpu.cfs_period_us").write_text(str(period_us))
            (self.folder / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (self.folder / "cpu.max").write_text(f"{'max' if quota_us < 0 else quota_us} {period_us}")

    def free(self):
        self.set_quota(-1, 100000)

    def join(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.05)
        sys.exit(f"{self.folder} is left: it has processes")


def limit(group, server, process):
    """From the first requests until the server has answered all; then there is a result to be written."""
    before = server.finished()
    group.set_quota(QUOTA_US, PERIOD_US)
    wait_until(lambda: server.finished() >= before + REQUESTS - 1 and server.running() == 0, process)
    group.free()


def start(args, server, folder, core, group):
    def prepare():
        os.sched_setaffinity(0, {core})
        if group:
            group.join()

    config, output = folder / "e.yaml", folder / "r.json"
    config.write_text(json.dumps({"name": "verdict", "launch": {"url": server.url}, "benchmark": BENCHMARK}))
    process = subprocess.Popen([args.binary, "run", "--config", config, "--output", output, "--quiet"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=prepare)
    return process, output


def play(args, server, core, disturbance, group=None):
    """One run: its verdict, and the checks that are beyond their limit and count against it."""
    with tempfile.TemporaryDirectory() as name:
        process, output = start(args, server, pathlib.Path(name), core, group)
        stop = threading.Event()
        helper = None
        # two at once: the load has begun, its readiness check is over
        if disturbance and wait_until(lambda: server.running() >= 2, process):
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


def show(args, server, core, name, disturbance, group=None):
    verdicts, checks = collections.Counter(), collections.Counter()
    for _ in range(args.runs):
        verdict, beyond = play(args, server, core, disturbance, group)
        verdicts[verdict] += 1
        checks.update(beyond)
    print(f"| {name} | {args.runs} | {', '.join(f'{k} {n}' for k, n in verdicts.most_common())} | "
          f"{', '.join(f'{k} {n}' for k, n in checks.most_common()) or 'none'} |", flush=True)


def show_limit(args, server, core):
    try:
        group = Group()
    except OSError as error:
        print(f"| {LIMIT_NAME} | 0 | – | skipped: no control group can be made here ({error}) |", flush=True)
        return
    try:
        show(args, server, core, LIMIT_NAME, lambda process, stop: limit(group, server, process), group)
    finally:
        group.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("build/bin/profllm"))
    parser.add_argument("--simulator", type=pathlib.Path, help="default: beside the binary")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", help="the cases whose name has this text")
    args = parser.parse_args()
    args.binary = args.binary.resolve()
    scratch.start()
    allowed = os.sched_getaffinity(0)
    core = max(allowed)
    server = Server(args.simulator or args.binary.with_name("profllm-sim"), min(allowed))
    plays = {
        "undisturbed": lambda name: show(args, server, core, name, None),
        "SIGSTOP for 50 ms in each 100": lambda name: show(args, server, core, name, bursts),
        "a busy process on its core": lambda name: show(
            args, server, core, name, lambda process, stop: busy(core, stop)),
        LIMIT_NAME: lambda name: show_limit(args, server, core),
    }
    print("| the client | runs | verdicts | checks |\n|---|---|---|---|", flush=True)
    try:
        for name, run in plays.items():
            if args.only is None or args.only in name:
                run(name)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
