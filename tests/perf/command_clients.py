"""
Clients that are whole commands with vLLM's options: `profllm bench serve`, and vLLM's own in Rust where the
user has one: the stand-alone `vllm-bench`, or the `vllm-rs` of a vLLM package, which wants `bench serve`
first. They get the same requests as the others; their detailed result is what they measured.
"""

import json
import os
import subprocess
import tempfile
import time

from harness import ClientFailed, cores, on_core

OURS, RUST = "bench serve", "vllm-bench"
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
    """What comes before the options."""
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


def cpu_seconds(command, folder):
    """Processor time of the whole process, and what it says at the end."""
    with tempfile.TemporaryFile(mode="w+", dir=folder) as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   preexec_fn=on_core(cores()[1]))
        deadline = time.monotonic() + TIMEOUT_S
        while True:
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
        return process.returncode, usage.ru_utime + usage.ru_stime, output.read()


def run_whole(command, folder):
    code, cpu_s, said = cpu_seconds(command, folder)
    if code != 0:
        last = said.strip().splitlines()[-1:] or ["nothing said"]
        raise ClientFailed(f"ended with {code}: {last[0].strip()[:200]}")
    return cpu_s


def figures_of(result, prefix):
    """(request id, TTFT, [ITL], E2EL) in ns; its arrays are in the order of the requests."""
    figures = []
    latencies = result.get("latencies") or [None] * len(result["ttfts"])
    for i, (ttft, itls, latency) in enumerate(zip(result["ttfts"], result["itls"], latencies)):
        whole = ttft + sum(itls) if latency is None else latency
        figures.append((f"{prefix}{i}", ttft * 1e9, [itl * 1e9 for itl in itls], whole * 1e9))
    return figures


class CommandClient:
    def __init__(self, command, folder, *options):
        self.command = [*command, *options]
        self.folder = folder

    def run(self, port, streams, tokens):
        """Its row, and the figures of each request."""
        result_file = self.folder / "result.json"
        result_file.unlink(missing_ok=True)
        prefix = "perf-"
        command = [
            *self.command, "--backend", "openai", "--base-url", f"http://127.0.0.1:{port}", "--model", "perf",
            "--dataset-name", "random", "--prompt-token-ids", "--random-input-len", str(INPUT_TOKENS),
            "--random-output-len", str(tokens), "--num-prompts", str(streams), "--ignore-eos",
            "--request-id-prefix", prefix, "--disable-tqdm", "--save-result", "--save-detailed",
            "--result-dir", str(self.folder), "--result-filename", result_file.name,
        ]
        start_s = run_whole([*command, "--dry-run"], self.folder)
        cpu_s = run_whole(command, self.folder)
        try:
            result = json.loads(result_file.read_text(encoding="utf-8"))
            figures = figures_of(result, prefix)
            events = sum(len(itls) + 1 for itls in result["itls"])
            row = {"requests": streams, "completed": result["completed"], "events": events,
                   "duration_s": result["duration"], "cpu_start_s": start_s, "cpu_process_s": cpu_s,
                   "cpu_us_per_event": max(cpu_s - start_s, 0) * 1e6 / max(events, 1),
                   "cpu_share": max(cpu_s - start_s, 0) / result["duration"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ClientFailed(f"its result cannot be read: {error!r}") from error
        return row, figures


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
