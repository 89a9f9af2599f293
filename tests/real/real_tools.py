"""A real engine's folder, runs against it, and what of them is alive."""
import contextlib
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

from run_tools import children_of, guard_of, load_result, start_profllm, write_config

# without a GPU, on a machine that does other things too
READY_S = 900
RUN_S = 1800


class Engine:
    """FOLDER with env.sh, which puts the program on PATH and sets TINY, a small model."""

    def __init__(self, folder, program):
        shown = subprocess.run(["sh", "-c", f". '{folder}/env.sh'; env -0"], capture_output=True,
                               check=True)
        self.env = dict(pair.split("=", 1) for pair in shown.stdout.decode().split("\0")
                        if "=" in pair)
        self.program = shutil.which(program, path=self.env["PATH"])
        assert self.program, f"{folder}/env.sh puts no {program} on PATH"
        self.model = self.env["TINY"]


def vllm_config(vllm, server=None, launch=None, **benchmark):
    """Small enough for two cores without a GPU; 200 requests of it take 40 seconds."""
    return {
        "name": "real",
        "server": {"model": vllm.model, "served_model_name": ["tiny"], "max_model_len": 2048,
                   "max_num_seqs": 64, **(server or {})},
        "launch": {"command": [vllm.program, "serve"], "gpus": [], "ready_timeout": f"{READY_S}s",
                   "stop_timeout": "60s", **(launch or {})},
        "benchmark": {"backend": "openai", "dataset_name": "random", "random_input_len": 64,
                      "random_output_len": 16, "num_prompts": 40, "request_rate": 5,
                      "num_warmups": 4, "temperature": 0, "ignore_eos": True, **benchmark},
    }


def descendants(pid):
    """Some of them wipe their environment when they take another title, so marks do not find them."""
    found = []
    with contextlib.suppress(OSError):
        for child in children_of(pid):
            found += [child, *descendants(child)]
    return found


def birth(pid):
    """A number and a birth are one process for ever; None: it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else (pid, fields[19])


def title(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def marked(mark):
    """Alive with "NAME=text" in the environment."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


class Run:
    """One `profllm run`, every process of which is known."""

    def __init__(self, bin_dir, folder, config, *args, engine, locks=None):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.output = self.folder / "r.json"
        self.token = f"PROFLLM_TEST_RUN={uuid.uuid4()}"
        name, value = self.token.split("=")
        self.locks = Path(locks or self.folder / "locks")
        self.locks.mkdir(mode=0o700, exist_ok=True)
        self.env = {**engine.env, "PROFLLM_LOCK_DIR": str(self.locks)}
        self.lines, self.seen = [], set()
        self.process = start_profllm(bin_dir, "run", "-c", write_config(self.folder, config), "-o",
                                     self.output, *args, env={**self.env, name: value})

    def wait_for(self, condition, what, seconds=READY_S):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()
            value = condition()
            if value:
                return value
            assert self.process.poll() is None or "gone" in what, \
                f"profllm ended before: {what}\n{self.said()}"
            time.sleep(0.1)
        raise AssertionError(f"did not happen: {what}\n{self.said()}")

    def wait_for_line(self, text):
        for line in self.process.stderr:
            self.lines.append(line)
            if text in line:
                return
        raise AssertionError(f"{text!r} never came: {self.said()}")

    def log_text(self):
        return "".join(self.lines[-50:])

    def look(self):
        """Remembers what belongs to it now."""
        now = {birth(pid) for pid in [*descendants(self.process.pid), *marked(self.token)]}
        self.seen |= now - {None}

    def alive(self):
        self.look()
        return sorted({pid for pid, _ in self.seen if birth(pid) in self.seen}
                      - {self.process.pid})

    def finish(self):
        """Returns the exit status, standard output, and the result or None; keeps the other output with the result."""
        out, err = self.process.communicate(timeout=RUN_S)
        self.lines.append(err)
        (self.folder / "said.txt").write_text("".join(self.lines) + out)
        return (self.process.returncode, out,
                load_result(self.output) if self.output.exists() else None)

    def wait_until_gone(self, seconds=90):
        self.wait_for(lambda: not self.alive(), "all of it is gone", seconds)

    def engine_core(self):
        self.look()
        cores = [pid for pid in self.alive() if title(pid).startswith("VLLM::EngineCore")]
        return cores[0] if cores else None

    def guard(self):
        return guard_of(self.process.pid)

    def head(self):
        server, = children_of(self.guard())
        return server

    def port(self):
        """As its server's command line has it."""
        words = title(self.head()).split()
        return int(words[words.index("--port") + 1])

    def wait_for_finished(self, count):
        """So many requests have ended at the server, in the middle of the measured ones."""
        port = self.port()
        self.wait_for(lambda: figure(port, "vllm:request_success_total") >= count,
                      f"{count} requests have ended", 300)

    def clean_up(self):
        """Whatever a failed test has left."""
        for pid in self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=60)


def fetch(port, path):
    with contextlib.suppress(OSError, urllib.error.URLError):
        return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).read().decode()
    return ""


def figure(port, name):
    """Returns the sum of a metric over its labels; 0 if the server does not report it."""
    return sum(float(line.rsplit(" ", 1)[1]) for line in fetch(port, "/metrics").splitlines()
               if line.startswith((name + "{", name + " ")))


def free_port():
    with socket.socket() as taker:
        taker.bind(("127.0.0.1", 0))
        return taker.getsockname()[1]


@contextlib.contextmanager
def running_server(engine, argv, log, path="/health"):
    """One that profllm has not started; its port."""
    port = free_port()
    with open(log, "wb") as out:
        server = subprocess.Popen([engine.program, *argv, "--host", "127.0.0.1", "--port", str(port)],
                                  stdout=out, stderr=subprocess.STDOUT, env=engine.env)
    server.port = port
    server.url = f"http://127.0.0.1:{port}"
    end = time.monotonic() + READY_S
    try:
        while not is_well(port, path):
            assert server.poll() is None and time.monotonic() < end, Path(log).read_text()[-3000:]
            time.sleep(0.2)
        yield server
    finally:
        server.terminate()
        server.wait(timeout=120)


def is_well(port, path):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5).status == 200
    except OSError:
        return False
