"""Shared by the measurements: cores, the simulator with its log, clients as child processes, kernel counts."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

# Lost or refused connection attempts and what was sent again; a SYN is repeated after a second.
KERNEL_COUNTS = ("ListenOverflows", "ListenDrops", "TCPReqQFullDoCookies", "TCPReqQFullDrop", "TCPTimeouts",
                 "TCPSynRetrans", "TCPLostRetransmit", "TCPBacklogDrop")


class ClientFailed(Exception):
    """A client did not do its part; the text says which and why."""


def cores():
    """(server's, client's); the same one where there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[-1]


def on_core(core):
    return lambda: os.sched_setaffinity(0, {core})


@contextlib.contextmanager
def awake(which):
    """

    Keeps these cores from sleeping: the host gives a sleeping virtual core away and returns it late, which /proc/stat
    counts as stolen. The spinning process has the idle class: any other process gets the core at once.


    """
    spinners = []
    for core in sorted(set(which)):
        spinner = os.fork()
        if spinner == 0:
            spin_idly(core)
        spinners.append(spinner)
    try:
        yield
    finally:
        for spinner in spinners:
            os.kill(spinner, signal.SIGKILL)
            os.waitpid(spinner, 0)


def spin_idly(core):
    parent = os.getppid()
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while os.getppid() == parent:
        for _ in range(100_000):
            pass
    os._exit(0)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Simulator:
    """
    profllm-sim on the server's core with a fixed step; its log and its own lateness. `words`: further ones of its
    command line; `first`: before all else on its core, where that is allowed.
    """

    def __init__(self, binary, folder, step, log=True, words=(), first=False):
        self.first = first
        self.port = free_port()
        self.log = folder / "sim.log" if log else None
        self.command = [
            str(binary), "serve", "perf", "--host", "127.0.0.1", "--port", str(self.port),
            "--sim-step", step, "--max-num-seqs", "16384", "--max-num-batched-tokens", "262144",
            "--num-gpu-blocks-override", "2000000", "--disable-log-stats",
            "--no-enable-prefix-caching", *words,
        ]
        if log:
            self.command += ["--sim-log", str(self.log)]
        self.output = open(folder / "sim.out", "w", encoding="utf-8")

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=self.output, stderr=subprocess.STDOUT,
            preexec_fn=on_core(cores()[0]),
        )
        for _ in range(2000):
            if self.process.poll() is not None:
                sys.exit(f"the simulator ended: see {self.output.name}")
            try:
                self.fetch("/health")
                if self.first:
                    self.put_first()
                return self
            except OSError:
                time.sleep(0.005)
        sys.exit("the simulator does not answer")

    def put_first(self):
        """Raises the priority of the server's loop, so that an event is sent when it is logged. The log's writer keeps its
        priority, so that it does not delay the loop."""
        with contextlib.suppress(PermissionError):
            for task in map(int, os.listdir(f"/proc/{self.process.pid}/task")):
                if task == self.process.pid:
                    os.sched_setscheduler(task, os.SCHED_FIFO, os.sched_param(1))
                else:
                    os.setpriority(os.PRIO_PROCESS, task, -20)

    def fetch(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return answer.read().decode()

    def step_lateness_ms(self, quantile):
        """Upper bound of the histogram's bucket that holds the quantile."""
        rows = re.findall(
            r'^profllm_sim_step_lateness_seconds_bucket\{le="([^"]+)"\} (\S+)', self.fetch("/metrics"),
            re.M,
        )
        counts = [(float(le.replace("+Inf", "inf")), float(n)) for le, n in rows]
        if not counts or counts[-1][1] == 0:
            return None
        return next(le for le, n in counts if n >= quantile * counts[-1][1]) * 1e3

    def __exit__(self, *unused):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.output.close()


def run_client(command):
    """On the client's core; what it prints is one JSON object."""
    done = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, check=False,
        preexec_fn=on_core(cores()[1]),
    )
    if done.returncode != 0:
        raise ClientFailed(f"{command[0]} ended with {done.returncode}")
    return json.loads(done.stdout)


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def kernel_counts():
    """The host's counts of KERNEL_COUNTS so far; without those that this kernel does not keep."""
    lines = [line.split() for line in open("/proc/net/netstat", encoding="ascii") if line.startswith("TcpExt:")]
    counts = dict(zip(lines[0][1:], map(int, lines[1][1:])))
    return {name: counts[name] for name in KERNEL_COUNTS if name in counts}


def counts_moved(before):
    return {name: n - before[name] for name, n in kernel_counts().items() if n != before[name]}
