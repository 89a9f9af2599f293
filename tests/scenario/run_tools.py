"""Shared by the tests of `profllm run`: configurations, running it, reading its output."""
import contextlib
import json
import os
import re
import subprocess
from pathlib import Path

TIMEOUT_S = 60
# factor for deadlines: sanitizers make programs several times slower
PATIENCE = 10 if os.environ.get("PROFLLM_SANITIZED") else 1


def base_config(**benchmark):
    """Returns a short run with a simulator whose steps always take 2 ms."""
    return {
        "name": "scenario",
        "server": {"model": "sim/test", "max_model_len": 2048},
        "launch": {"command": ["profllm-sim", "serve"], "extra_args": ["--sim-step", "2ms"]},
        "benchmark": {
            "backend": "openai",
            "dataset_name": "random",
            "random_input_len": 32,
            "random_output_len": 8,
            "num_prompts": 20,
            **benchmark,
        },
    }


def write_config(folder, config, name="experiment.yaml"):
    """Writes JSON, which is also YAML."""
    path = Path(folder) / name
    path.write_text(json.dumps(config, indent=2))
    return path


def command(bin_dir, *args):
    return [str(bin_dir / "profllm"), *[str(arg) for arg in args]]


def environment(extra=None):
    env = {name: value for name, value in os.environ.items()
           if name not in ("OPENAI_API_KEY", "NO_COLOR", "PROFLLM_LOG")}
    return {**env, **(extra or {})}


def sentences_of(out):
    """The lines below `Verdict:` without the line breaks of the console: three sentences, then the notes."""
    block, = re.findall("^Verdict: .*\n((?:  .*\n)+)", out, re.M)
    return re.sub(r"\n   +", " ", block[2:].rstrip("\n")).split("\n  ")


def as_sentence(text):
    """Returns a message or hint as the report prints it."""
    first = re.split("[ ,]", text)[0]
    return f"{text[:1].upper() + text[1:] if re.fullmatch('[a-z]+', first) and first != 'profllm' else text}."


def run_profllm(bin_dir, *args, cwd=None, env=None, patience=PATIENCE):
    return subprocess.run(command(bin_dir, *args), cwd=cwd, env=environment(env), text=True,
                          capture_output=True, timeout=TIMEOUT_S * patience,
                          stdin=subprocess.DEVNULL)


def start_profllm(bin_dir, *args, env=None):
    return subprocess.Popen(command(bin_dir, *args), env=environment(env), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL)


def load_result(path):
    return json.loads(Path(path).read_text())


def read_zst_lines(path):
    text = subprocess.run(["zstd", "-dc", str(path)], check=True, capture_output=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def processes_with(variable):
    """Returns the living processes that carry "NAME=text", by reading /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if variable.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def marked_processes(run_id):
    return processes_with(f"PROFLLM_RUN={run_id}")


def children_of(pid):
    return [int(child) for child in
            Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def guard_of(pid):
    """Returns profllm's guard, the parent of its server. A child that ends meanwhile is ignored."""
    guards = []
    for child in children_of(pid):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/comm").read_text().strip() == "profllm-guard":
                guards.append(child)
    guard, = guards
    return guard


# what other work on the machine can do to a run of some milliseconds
OF_THE_MACHINE = {"client_error", "rate_shortfall", "gap_distance", "send_lateness", "in_flight_distance", "idle_slots"}


def doubts_of(result):
    """Returns the checks that lower the verdict of a run, without those that a busy machine alone affects."""
    return [check for check in result["quality"]["checks"] if check["status"] == "over_limit"
            and check["effect"] != "info" and check["id"] not in OF_THE_MACHINE]


def server_of(pid):
    """Returns the head process of profllm's server."""
    server, = children_of(guard_of(pid))
    return server


def read_terminal(leader):
    """Returns all that was written to a terminal, until its other end is closed; closes our end."""
    seen = b""
    try:
        while more := os.read(leader, 65536):
            seen += more
    except OSError:  # the end of a terminal
        pass
    os.close(leader)
    return seen
