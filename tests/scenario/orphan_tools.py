"""A run whose processes are all known, for the tests that kill some of them."""
import os
import signal
import uuid
from pathlib import Path

from run_tools import (base_config, guard_of, marked_processes, processes_with, run_profllm,
                       server_of, start_profllm, write_config)
from wait_tools import wait_for

WORKERS = 3
STOP_TIMEOUT_S = 2  # a play acts within it
# what may pass beyond stop_timeout: the guard's own work, and a busy machine
SLACK_S = 30


def scene_config(steps_ms, start_ms, requests, **benchmark):
    config = base_config(**{"num_prompts": requests, "random_input_len": 16, "random_output_len": 6, **benchmark})
    config["launch"]["extra_args"] = ["--sim-step", f"{steps_ms}ms", "--sim-processes",
                                      str(WORKERS), "--sim-start-delay", f"{start_ms}ms"]
    config["launch"]["stop_timeout"] = f"{STOP_TIMEOUT_S}s"
    return config


def is_dead(pid):
    """Ended, though its parent may not have reaped it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


class Scene:
    """One `profllm run`; all its processes carry a variable of the test."""

    def __init__(self, bin_dir, folder, config, patience):
        self.bin_dir = bin_dir
        self.folder = Path(folder)
        self.patience = patience
        self.token = f"PROFLLM_TEST_SCENE={uuid.uuid4()}"
        name, value = self.token.split("=")
        (self.folder / "locks").mkdir(mode=0o700)
        self.env = {"PROFLLM_LOCK_DIR": str(self.folder / "locks")}
        self.config = write_config(folder, config)
        self.result = self.folder / "r.json"
        self.lines = []
        self.process = start_profllm(bin_dir, "run", "-c", self.config, "-o", self.result,
                                     env={**self.env, name: value})

    # ---- existing processes and files ----

    def alive(self):
        return processes_with(self.token)

    def run_id(self):
        """Returns the id in the lock directory; None before the guard exists."""
        names = [name for name in self.noted() if not name.startswith(".")]
        return names[0] if names else None

    def noted(self):
        notes = self.folder / "locks" / "runs"
        return [entry.name for entry in notes.iterdir()] if notes.exists() else []

    def marked(self):
        run_id = self.run_id()
        return marked_processes(run_id) if run_id else []

    def guard(self):
        return guard_of(self.process.pid)

    def head(self):
        return server_of(self.process.pid)

    # ---- what happens ----

    def wait_for(self, condition, what, seconds=SLACK_S):
        return wait_for(condition, f"{what}\n{''.join(self.lines)}", seconds)

    def wait_for_line(self, text):
        for line in self.process.stderr:
            self.lines.append(line)
            if text in line:
                return
        raise AssertionError(f"{text!r} never came: {self.lines}")

    def reach(self, phase):
        """Waits until the run is in the middle of that phase."""
        if phase == "starting":
            self.wait_for(self.run_id, "the guard is there")
            return
        self.wait_for_line("waiting for the server")
        # the head and its workers
        self.wait_for(lambda: len(self.marked()) == WORKERS + 1, "all workers live")
        if phase == "loading":
            return
        if phase == "running":
            self.wait_for_line("sending")
            return
        # a head that takes its time to stop
        os.kill(self.head(), signal.SIGSTOP)
        self.process.send_signal(signal.SIGINT)
        self.wait_for_line("stopping the server")

    def kill_both(self):
        """Kills profllm and its guard, neither of which sees the other die."""
        guard = self.guard()
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            os.kill(guard, signal.SIGSTOP)
        except ProcessLookupError:
            os.kill(self.process.pid, signal.SIGCONT)
            raise
        for pid in (guard, self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.process.wait(timeout=60 * self.patience)
        self.wait_for(lambda: is_dead(guard), "the guard is dead")

    def finish(self):
        """Returns profllm's exit status."""
        _, rest = self.process.communicate(timeout=60 * self.patience)
        self.lines.append(rest)
        return self.process.returncode

    def next_command(self):
        """Runs another command, which is not part of the scene; returns its output."""
        return run_profllm(self.bin_dir, "validate", self.config, env=self.env,
                           patience=self.patience)

    def wait_until_gone(self):
        self.wait_for(lambda: not self.alive(), "nothing of the run is alive",
                      STOP_TIMEOUT_S + SLACK_S)
        self.wait_for(lambda: not self.noted(), "the run is not noted any more")

    def clean_up(self):
        """Kills the remains of a failed test."""
        for pid in self.alive():
            os.kill(pid, signal.SIGKILL)
        self.process.communicate(timeout=60 * self.patience)
