"""A stand-in for `vllm bench serve`: a real program that sends real requests, or fails on request."""
import sys
from pathlib import Path

from run_tools import base_config
from wait_tools import wait_for

FAKE = '''\
#!{python}
"""Takes the arguments of `vllm bench serve` that a test gives, sends the load, writes a flat result."""
import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

NOTES = Path({notes!r})
MODE = os.environ.get("FAKE_MODE", "ok")
(NOTES / "argv.json").write_text(json.dumps(sys.argv[1:]))
(NOTES / "env.json").write_text(json.dumps(dict(os.environ)))
(NOTES / "ids.json").write_text(json.dumps([os.getpid(), os.getsid(0), os.getpgid(0)]))

parser = argparse.ArgumentParser()
parser.add_argument("words", nargs=2)
parser.add_argument("--backend")
parser.add_argument("--base-url")
parser.add_argument("--endpoint")
parser.add_argument("--model")
parser.add_argument("--num-prompts", type=int, default=8)
parser.add_argument("--random-output-len", type=int, default=8)
parser.add_argument("--max-concurrency", type=int)
parser.add_argument("--metric-percentiles", default="99")
parser.add_argument("--result-dir")
parser.add_argument("--result-filename")
parser.add_argument("--profile", action="store_true")
args, _ = parser.parse_known_args()
print(args, file=sys.stderr)
result_path = Path(args.result_dir) / args.result_filename

if MODE == "crash":
    print("ValueError: the tokenizer is not there", file=sys.stderr)
    sys.exit(7)
if MODE == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if MODE == "child":
    # one that leaves its parent's session
    subprocess.Popen(["sleep", "600"], start_new_session=True)

url = urlsplit(args.base_url)


def profile(path, word):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    connection.request("POST", path, b"")
    # releases before 0.32 look for tokens in the answer, and say nothing
    if connection.getresponse().status == 200 and os.environ["FAKE_RELEASE"] >= "0.32":
        print("Profiler", word)


if args.profile:
    print("Starting profiler...")
    profile("/start_profile", "started")
print("Starting main benchmark run...")
(NOTES / "begun").touch()
if MODE == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (NOTES / "deaf").touch()
while MODE in ("hang", "stubborn"):
    time.sleep(1)

chat = args.backend == "openai-chat"


def request(i):
    body = {{"model": args.model, "stream": True, "stream_options": {{"include_usage": True}},
            "ignore_eos": True}}
    if chat:
        body.update(messages=[{{"role": "user", "content": "one two three"}}],
                    max_completion_tokens=args.random_output_len)
    else:
        body.update(prompt="one two three", max_tokens=args.random_output_len)
    if MODE == "refused" and i % 2 == 0:
        body["model"] = "nobody"
    headers = {{"Content-Type": "application/json"}}
    if os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = "Bearer " + os.environ["OPENAI_API_KEY"]
    out = dict(ttft=0.0, itl=[], latency=0.0, text="", error="", input=3, output=0)
    out["start"] = before = time.perf_counter()
    try:
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
        connection.request("POST", args.endpoint, json.dumps(body), headers)
        answer = connection.getresponse()
        if answer.status != 200:
            out["error"] = answer.reason
            return out
        for line in answer:
            if not line.startswith(b"data: ") or line.strip() == b"data: [DONE]":
                continue
            event = json.loads(line[6:])
            if not event["choices"]:
                out["input"] = event["usage"]["prompt_tokens"]
                out["output"] = event["usage"]["completion_tokens"]
                continue
            now = time.perf_counter()
            if out["ttft"] == 0.0:
                out["ttft"] = now - out["start"]
            else:
                out["itl"].append(now - before)
            before = now
            choice = event["choices"][0]
            out["text"] += (choice["delta"].get("content") if chat else choice["text"]) or ""
        out["latency"] = before - out["start"]
    except Exception as error:
        out["error"] = "Traceback (most recent call last):\\n  somewhere\\n%s: %s" % (
            type(error).__name__, error)
    return out


lock = threading.Lock()
waiting = list(range(args.num_prompts))
outs = [None] * args.num_prompts


def work():
    while True:
        with lock:
            if not waiting:
                return
            i = waiting.pop(0)
        outs[i] = request(i)


start = time.perf_counter()
threads = [threading.Thread(target=work) for _ in range(args.max_concurrency or 4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
duration = time.perf_counter() - start
good = [out for out in outs if not out["error"]]
flat = {{
    "date": "20260101-000000", "endpoint_type": args.backend, "backend": args.backend,
    "label": None, "model_id": args.model, "tokenizer_id": args.model,
    "num_prompts": args.num_prompts, "request_rate": "inf", "burstiness": 1.0,
    "max_concurrency": args.max_concurrency, "duration": duration, "completed": len(good),
    "failed": len(outs) - len(good), "total_input_tokens": sum(out["input"] for out in good),
    "total_output_tokens": sum(out["output"] for out in good),
    "request_throughput": len(good) / duration, "request_goodput": None,
    "output_throughput": sum(out["output"] for out in good) / duration,
    "total_token_throughput": sum(out["input"] + out["output"] for out in good) / duration,
    "input_lens": [out["input"] for out in outs],
    "output_lens": [0 if out["error"] else out["output"] for out in outs],
    "ttfts": [out["ttft"] for out in outs], "itls": [out["itl"] for out in outs],
    "latencies": [out["latency"] for out in outs],
    "start_times": [out["start"] for out in outs], "queue_times": [0.0001] * len(outs),
    "generated_texts": [out["text"] for out in outs],
    "errors": [out["error"] for out in outs],
    "max_output_tokens_per_s": 4321.0, "max_concurrent_requests": 99, "rtfx": 0.0,
}}
samples = {{
    "ttft": [out["ttft"] for out in good],
    "tpot": [(out["latency"] - out["ttft"]) / (out["output"] - 1) for out in good],
    "itl": [gap for out in good for gap in out["itl"]],
    "e2el": [out["latency"] for out in good],
}}
for name, values in samples.items():
    flat["mean_%s_ms" % name] = float(np.mean(values or 0) * 1000)
    flat["median_%s_ms" % name] = float(np.median(values or 0) * 1000)
    flat["std_%s_ms" % name] = float(np.std(values or 0) * 1000)
    for p in args.metric_percentiles.split(","):
        flat["p%s_%s_ms" % (p, name)] = float(np.percentile(values or 0, float(p)) * 1000)
if MODE == "wrong":
    flat["mean_ttft_ms"] *= 1.01
if MODE == "burst":
    flat["burstiness"] = float("inf")
if MODE == "old":
    for key in ("backend", "failed", "start_times", "latencies", "queue_times", "rtfx",
                "max_output_tokens_per_s", "max_concurrent_requests"):
        del flat[key]
    flat["request_goodput:"] = flat.pop("request_goodput")
    flat["best_of"] = 1
if MODE == "partial":
    del flat["errors"]
text = json.dumps(flat)
if MODE == "cut":
    text = text[:len(text) // 2]
print("{{s:{{c}}^{{n}}}}".format(s=" Serving Benchmark Result ", n=50, c="="))
if MODE != "nothing":
    result_path.write_text("null and void" if MODE == "garbage" else text)
(NOTES / "flat.json").write_text(text)
if args.profile:
    profile("/stop_profile", "stopped")
if MODE == "plots":
    result_path.with_suffix(".timeline.html").write_text("<html></html>")
'''


def make_client(folder, name="vllm", python=sys.executable):
    """Writes the stand-in as a program in `folder`; it notes its arguments in the same directory."""
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(FAKE.format(python=python, notes=str(folder)))
    path.chmod(0o755)
    return path


def client_config(**benchmark):
    config = base_config(num_prompts=12, **{"client": "vllm", **benchmark})
    config["telemetry"] = {"interval": "50ms"}
    return config


def wait_for_path(path, seconds=30):
    wait_for(path.exists, f"{path.name} comes", seconds)
