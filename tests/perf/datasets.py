"""Cost of reading a ShareGPT file of its real size: the complete command, compared with Python's json.load."""
import json
import os
import random
import subprocess
import sys
import time

FILE_BYTES = 672_000_000
RUNS = 3
# to be reached: CPU against json.load, and resident memory
RATIO_MAX = 1.2
RESIDENT_MB_MAX = 700
WORDS = "time people water call oil now find long down day did get come made may part over new sound take only little work know".split()


def write_file(path, size=FILE_BYTES, seed=5):
    """Conversations of two to six turns of 20 to 900 words."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(20, 900))) for _ in range(500)]
    written = count = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write("[")
        while written < size:
            turns = [{"from": "human" if i % 2 == 0 else "gpt", "value": rng.choice(texts)} for i in range(rng.randint(2, 6))]
            written += file.write(("," if count else "") + json.dumps({"id": str(count), "conversations": turns}))
            count += 1
        file.write("]")
    return count


def cost_of(command):
    """CPU seconds and peak memory of a process."""
    started = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[:3]} ended with {process.returncode}: {said[:500]}")
    return {"cpu_s": usage.ru_utime + usage.ru_stime, "resident_mb": usage.ru_maxrss * 1024 / 1e6, "elapsed_s": time.perf_counter() - started}


def measure(program, folder, size=FILE_BYTES):
    """In turn, so that what else the machine does meets both; the least of each counts."""
    path = folder / "sharegpt.json"
    count = write_file(path, size)
    ours = [program, "bench", "serve", "--model", "m", "--dataset-name", "sharegpt", "--dataset-path", path, "--num-prompts", 50, "--dry-run"]
    python = [sys.executable, "-c", f"import json; json.load(open({str(path)!r}))"]
    rows = {"profllm": [], "json.load": []}
    for _ in range(RUNS):
        rows["profllm"].append(cost_of(ours))
        rows["json.load"].append(cost_of(python))
    path.unlink()
    least = {name: min(costs, key=lambda cost: cost["cpu_s"]) for name, costs in rows.items()}
    return {"conversations": count, **least, "ratio": least["profllm"]["cpu_s"] / least["json.load"]["cpu_s"]}


def table(result):
    print(f"\nA ShareGPT file of 672 MB, {result['conversations']:,} conversations (at most {RATIO_MAX} x the CPU of json.load, "
          f"{RESIDENT_MB_MAX} MB):\n\n| program | CPU | ratio | resident |\n|---|---:|---:|---:|")
    for name, label in (("profllm", "`profllm bench serve --dry-run`"), ("json.load", "Python's json.load")):
        row = result[name]
        ratio = f"{result['ratio']:.2f}" if name == "profllm" else "1"
        print(f"| {label} | {row['cpu_s']:.2f} s | {ratio} | {row['resident_mb']:.0f} MB |")
