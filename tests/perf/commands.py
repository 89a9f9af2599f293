"""How long whole processes of profllm take: --version, validate of a file of 200 lines, of 1,000 files and of a model
that is known by name."""
import json
import statistics
import subprocess
import time

RUNS = 50
# its configuration is among the longest rows
KNOWN = "LGAI-EXAONE/EXAONE-4.0-32B"


def seconds_of(command):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    elapsed = time.perf_counter() - start
    if done.returncode not in (0, 2) or b"AddressSanitizer" in done.stderr:
        raise SystemExit(f"{command[:3]} ended with {done.returncode}: {done.stderr[:500]}")
    return elapsed


def long_file(params, lines):
    """An experiment that sets as many arguments as there is room for, each to its default."""
    text = ["name: long", "server:", "  model: org/model"]
    for arg in params:
        if arg["name"] not in ("model", "config", "headless") and arg["in_reference"] and \
                arg["type"] in ("int", "float", "bool", "string", "enum") and arg["default"] is not None:
            text.append(f"  {arg['name']}: {json.dumps(arg['default'])}")
    text = text[:lines - 2] + ["benchmark:", "  num_prompts: 10"]
    text += [f"# line {i}" for i in range(len(text), lines)]
    return "\n".join(text) + "\n"


def measure(program, folder):
    params = json.loads(subprocess.run([program, "params", "--json"], capture_output=True, check=True).stdout)
    text = long_file(params, 200)
    paths = []
    for i in range(1000):
        path = folder / f"e{i}.yaml"
        path.write_text(text)
        paths.append(str(path))
    cases = {
        "`profllm --version`": ([program, "--version"], RUNS),
        "`profllm validate`, 200 lines": ([program, "validate", paths[0]], RUNS),
        f"`profllm validate --explain`, {KNOWN} by name": (
            [program, "validate", "--explain", "--hardware", "h100x8", "--", "vllm", "serve", KNOWN, "-tp", "8"], RUNS),
        "`profllm validate`, 1,000 files of 200 lines": ([program, "validate", *paths], 3),
    }
    result = {}
    for name, (command, runs) in cases.items():
        times = [seconds_of(command) for _ in range(runs)]
        result[name] = {"median_ms": 1e3 * statistics.median(times), "max_ms": 1e3 * max(times)}
    return result
