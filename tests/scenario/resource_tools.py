"""Runs that take GPUs, ports and locks: simulated GPUs, and runs that last until they are ended."""
import json
import signal
import subprocess
from pathlib import Path

from run_tools import base_config, environment, load_result, write_config


def host(bin_dir, folder, gpus=None, settings=None, **extra):
    """Returns the environment of a host with separate locks and simulated GPUs (None: without any)."""
    env = {"PROFLLM_LOCK_DIR": str(folder / "locks"), **extra}
    if gpus is not None:
        env["PROFLLM_NVML_LIB"] = str(bin_dir.parent / "lib" / "libnvml-pretend.so")
        env["PRETEND_GPUS"] = gpus
    if settings is not None:
        path = folder / "pretend"
        path.write_text(settings)
        env["PRETEND_FILE"] = str(path)
    return env


def config_of(name, long=False, server=None, **launch):
    """Returns a short run, or one of several minutes."""
    config = base_config(**({"num_prompts": 400, "random_output_len": 400, "max_concurrency": 8}
                            if long else {}))
    config["suite"], config["name"] = "resources", name
    config["server"].update(server or {})
    config["launch"]["extra_args"] = ["--sim-step", "20ms" if long else "2ms"]
    config["launch"].update(launch)
    return config


class Run:
    """A running `profllm run`, whose standard error is read line by line."""

    def __init__(self, bin_dir, folder, name, env, /, *args, prefix=(), **config):
        self.output = folder / f"{name}.json"
        path = write_config(folder, config_of(name, **config), f"{name}.yaml")
        self.process = subprocess.Popen(
            [*prefix, str(bin_dir / "profllm"), "run", "-c", str(path), "-o", str(self.output),
             *args], env=environment(env), text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.lines = []

    def line(self, text):
        """Waits for the first line that contains `text`."""
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if text in line:
                return line
        raise AssertionError(f"{text!r} never came: {self.lines} {self.process.wait()}")

    def started(self):
        """Waits until it holds all its resources."""
        self.line("starting")
        return self

    def has_line(self, text):
        return any(text in line for line in self.lines)

    def finish(self, patience=1):
        _, err = self.process.communicate(timeout=60 * patience)
        self.lines += err.splitlines()
        return self.process.returncode

    def end(self, patience=1):
        """Ends it with ^C; returns its result."""
        self.process.send_signal(signal.SIGINT)
        assert self.finish(patience) == 130, self.lines
        return self.result()

    def result(self):
        return load_result(self.output)

    def gpus(self):
        return [gpu["index"] for gpu in self.result()["launch"]["gpus"]]


def refused(bin_dir, folder, name, env, /, *args, patience=1, status=5, **config):
    """Plays a run that must not start; returns its message."""
    run = Run(bin_dir, folder, name, env, *args, **config)
    assert run.finish(patience) == status, run.lines
    assert not run.output.exists()
    assert run.lines, "it says nothing"
    return run.lines[-1]


def completed(bin_dir, folder, name, env, /, *args, patience=1, **config):
    run = Run(bin_dir, folder, name, env, *args, **config)
    assert run.finish(patience) == 0, run.lines
    return run


def held_by(env):
    """Returns {name: object} of the lock files in use."""
    held = {}
    for path in Path(env["PROFLLM_LOCK_DIR"]).glob("*.lock"):
        text = path.read_text(encoding="utf-8")
        if text and path.name.startswith(("gpu-", "port-")):
            held[path.stem] = json.loads(text)
    return held
