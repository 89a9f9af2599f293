"""
Clients that are whole commands with vLLM's options: `profllm bench serve`, and vLLM's own where the user has
them: in Python `vllm bench serve`; in Rust the stand-alone `vllm-bench`, or the `vllm-rs` of a vLLM package,
which wants `bench serve` first. They get the same requests as the others; their detailed result is what they measured.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np

from harness import ClientFailed, cores, on_core

OURS, RUST, PYTHON = "bench serve", "vllm-bench", "vllm bench serve"
PREFIX, RESULT = "perf-", "result.json"
NEEDED = ("--num-prompts", "--prompt-token-ids", "--request-id-prefix", "--save-detailed", "--ignore-eos")
INPUT_TOKENS = 8
WORDS = 2000
TIMEOUT_S = 300


def help_of(command):
    try:
        done = subprocess.run([*command, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def find_command(file):
    """Returns the words before the options."""
    for words in ([], ["bench", "serve"], ["serve"]):
        text = help_of([file, *words])
        if "--num-prompts" in text:
            missing = [option for option in NEEDED if option not in text]
            if missing:
                raise ClientFailed(f"'{file}' has no {', '.join(missing)}")
            return [file, *words]
    raise ClientFailed(f"'{file}' is neither vllm-bench nor vllm-rs: no --num-prompts in its help")


def write_tokenizer(folder):
    """Token ids are drawn from a vocabulary, so it wants one: whole words, no model's."""
    model = {"type": "WordLevel", "unk_token": "w0", "vocab": {f"w{i}": i for i in range(WORDS)}}
    tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                 "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None, "model": model}
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))


def cpu_so_far(pid):
    """(CLOCK_MONOTONIC in ns, processor time in s) of a process that may be a zombie."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return time.monotonic_ns(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_sampled(command, folder, env=None):
    """[cpu_so_far()] over the life of a process that has to end well, and what it took in all."""
    samples = []
    with tempfile.TemporaryFile(mode="w+", dir=folder) as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   env=env, preexec_fn=on_core(cores()[1]))
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            samples.append(cpu_so_far(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                process.kill()
                os.wait4(process.pid, 0)
                raise ClientFailed(f"not over after {TIMEOUT_S} s")
            time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if process.returncode != 0:
            last = output.read().strip().splitlines()[-1:] or ["nothing said"]
            raise ClientFailed(f"ended with {process.returncode}: {last[0].strip()[:200]}")
    return samples, usage.ru_utime + usage.ru_stime


def figures_of(result, prefix):
    """(request id, TTFT, [ITL], E2EL) in ns; its arrays are in the order of the requests."""
    figures = []
    latencies = result.get("latencies") or [None] * len(result["ttfts"])
    for i, (ttft, itls, latency) in enumerate(zip(result["ttfts"], result["itls"], latencies)):
        whole = ttft + sum(itls) if latency is None else latency
        figures.append((f"{prefix}{i}", ttft * 1e9, [itl * 1e9 for itl in itls], whole * 1e9))
    return figures


class CommandClient:
    """One that shows by --dry-run what its start costs."""

    prompts = ("--prompt-token-ids",)
    most_streams = None

    def __init__(self, command, folder, *options):
        self.command = [*command, *options]
        self.folder = folder

    def words(self, port, streams, tokens):
        return [*self.command, "--backend", "openai", "--base-url", f"http://127.0.0.1:{port}", "--model", "perf",
                "--dataset-name", "random", *self.prompts, "--random-input-len", str(INPUT_TOKENS),
                "--random-output-len", str(tokens), "--num-prompts", str(streams), "--ignore-eos",
                "--request-id-prefix", PREFIX, "--disable-tqdm", "--save-result", "--save-detailed",
                "--result-dir", str(self.folder), "--result-filename", RESULT]

    def send(self, words):
        """Sends a row's words; returns its CPU time in s."""
        _, start_s = run_sampled([*words, "--dry-run"], self.folder)
        _, cpu_s = run_sampled(words, self.folder)
        return {"cpu_start_s": start_s, "cpu_process_s": cpu_s, "cpu_load_s": max(cpu_s - start_s, 0)}

    def run(self, port, streams, tokens):
        """Its row, and the figures of each request."""
        (self.folder / RESULT).unlink(missing_ok=True)
        row = {"requests": streams, **self.send(self.words(port, streams, tokens))}
        try:
            result = json.loads((self.folder / RESULT).read_text(encoding="utf-8"))
            figures = figures_of(result, PREFIX)
            row.update(completed=result["completed"], duration_s=result["duration"],
                       events=sum(len(itls) + 1 for itls in result["itls"]))
            if "cpu_load_s" in row:
                add_cpu(row, row["duration_s"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ClientFailed(f"its result cannot be read: {error!r}") from error
        return row, figures


def add_cpu(row, wall_s):
    row["cpu_us_per_event"] = row["cpu_load_s"] * 1e6 / max(row["events"], 1)
    row["cpu_share"] = row["cpu_load_s"] / wall_s


class PythonClient(CommandClient):
    """
    vLLM's `vllm bench serve`. It has no dry run, and its start takes twenty seconds, more than a run of few
    streams: what counts is what it took between the first request and the last event of the server's log.
    """

    prompts = ()
    most_streams = 1024  # more would take minutes

    def __init__(self, engine, folder, *options):
        super().__init__([str(engine / "bin" / "vllm"), "bench", "serve"], folder, *options)
        self.env = {**os.environ, "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}

    def send(self, words):
        samples, cpu_s = run_sampled(words, self.folder, self.env)
        return {"cpu_process_s": cpu_s, "cpu_samples": samples}


def cut_samples(row, log):
    """The CPU time of a row with samples, by the log of the server (streams.read_log)."""
    times, cpu = zip(*row.pop("cpu_samples"))
    from_ns = min(arrival for arrival, _ in log.values())
    to_ns = max(sent[-1] for _, sent in log.values())
    row["cpu_load_s"] = float(np.interp(to_ns, times, cpu) - np.interp(from_ns, times, cpu))
    add_cpu(row, (to_ns - from_ns) / 1e9)


def ours(program, folder):
    return CommandClient([str(program), "bench", "serve"], folder)


def find_rust(file, folder):
    """(client or None, why there is none)."""
    if not file:
        return None, "VLLM_BENCH is not set"
    try:
        command = find_command(os.path.abspath(file))
    except ClientFailed as failure:
        return None, str(failure)
    write_tokenizer(folder / "tokenizer")
    return CommandClient(command, folder, "--tokenizer", str(folder / "tokenizer")), ""


def find_python(engine, folder):
    """(client or None, why there is none)."""
    if not engine:
        return None, "VLLM is not set"
    engine = pathlib.Path(engine).absolute()
    if not os.access(engine / "bin" / "vllm", os.X_OK):
        return None, f"there is no program '{engine}/bin/vllm'"
    write_tokenizer(folder / "tokenizer")
    return PythonClient(engine, folder, "--tokenizer", str(folder / "tokenizer")), ""
