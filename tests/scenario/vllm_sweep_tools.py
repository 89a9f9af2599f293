"""Shared by the tests of vLLM's sweeps: a client in place of a load, and vLLM's reading of parameters."""
import json
import os
import re
import socket
import sys
from pathlib import Path

from run_tools import run_profllm

# writes its arguments as its result; each call adds a line to calls.jsonl in the same directory
CLIENT = """#!{python} -S
import json, os, sys, time
argv, told = sys.argv[1:], {{}}
for i, word in enumerate(argv):
    if word.startswith("--"):
        told[word[2:]] = argv[i + 1] if i + 1 < len(argv) and not argv[i + 1].startswith("--") else True
here = os.path.dirname(os.path.abspath(__file__))
with open(here + "/calls.jsonl", "a") as file:
    file.write(json.dumps(argv) + "\\n")
path = os.path.join(told["result-dir"], told["result-filename"])
if os.path.exists(here + "/hold") and open(here + "/hold").read() in path:
    open(here + "/holding", "w").close()
    time.sleep(1000)
if os.path.exists(here + "/kill") and open(here + "/kill").read() in path:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open("/proc/" + pid + "/cmdline").read().split("\\0")
        except OSError:
            continue
        if "serve" in words and words[0].endswith("profllm-sim") and "{port}" in words:
            os.kill(int(pid), 9)
if os.path.exists(here + "/fail") and open(here + "/fail").read() in path:
    print("Traceback: it broke", file=sys.stderr)
    sys.exit(3)
concurrency = float(told.get("max-concurrency", "inf"))
rate = min(float(told.get("request-rate", "inf")), 4.0 * concurrency, {limit})
e2el = 250.0 * max(1.0, min(concurrency, float(told.get("request-rate", "inf")), 1e6) / 8)
result = {{"date": "20260101-000000", "label": None, "num_prompts": int(told.get("num-prompts", 1000)), "request_rate": "inf",
          "max_concurrency": None, "request_throughput": rate, "mean_e2el_ms": e2el, "p99_e2el_ms": 2 * e2el, "mean_ttft_ms": 10.0}}
with open(path, "w") as file:
    json.dump(result, file)
print("measured")
"""


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Sweep:
    """A directory with parameter files, a client and a simulator on a separate port."""

    def __init__(self, bin_dir, folder, limit=40.0):
        self.bin_dir, self.folder, self.port = bin_dir, Path(folder), free_port()
        self.client = self.folder / "client"
        self.client.write_text(CLIENT.format(python=sys.executable, limit=limit, port=self.port))
        self.client.chmod(0o755)
        self.log = self.folder / "sim.jsonl"
        self.serve_cmd = f"profllm-sim serve tiny --host 127.0.0.1 --port {self.port} --sim-step 1ms"
        self.root = self.folder / "results" / "e"

    def args(self, kind, *more, serve=None, bench=None, bench_cmd=None, resume=False):
        args = ["sweep", kind, "--serve-cmd", self.serve_cmd, "--bench-cmd", bench_cmd or str(self.client), "-o", "results", "-e", "e"]
        for name, params in (("serve", serve), ("bench", bench)):
            if params is not None:
                (self.folder / f"{name}.json").write_text(json.dumps(params))
                args += [f"--{name}-params", f"{name}.json"]
        return [*args, *(["--resume"] if resume else []), *map(str, more)]

    def run(self, kind, *more, status=0, **how):
        done = run_profllm(self.bin_dir, *self.args(kind, *more, **how), cwd=self.folder)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def calls(self):
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def tree(self):
        """Returns the files that vLLM would have made."""
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*")
                      if path.is_file() and path.suffix != ".log" and not path.name.endswith(".failed.json"))


def name_of(params):
    """Returns vLLM's name of a combination."""
    return params.get("_benchmark_name") or "-".join(f"{key}={value}" for key, value in params.items())


def folder_of(serve, bench, *more, head="BENCH-"):
    parts = [part for part in (("SERVE-", name_of(serve)), (head, name_of(bench)), *more) if part[1]]
    name = "-".join(f"{head}-{name}" for head, name in parts)
    return name.replace("/", "_").replace("..", "__").strip("'").strip('"')


def markers(text):
    return re.findall(r"^\[[A-Z ]+\]$", text, re.M)


def processes_on(port):
    """Returns the head processes of servers on the port."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if b"--port" in words and str(port).encode() in words and any(b"profllm-sim" in word for word in words):
            found.append(int(entry.name))
    return [pid for pid in found if pid != os.getpid()]
