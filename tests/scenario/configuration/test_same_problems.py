"""`validate`, `run` and `bench serve` report the same problems for synthetic experiments."""
import json
import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from run_tools import command, environment

SEED = 20
LONG = 2000
SHORT = 200
FILES_AT_ONCE = 50
LARGEST = 65536
ROW = re.compile(r'BENCH\((\w+), \w+, (\w+),\s+(?:"[^"]*"|NULL),.*?,\s+([^,]+),\s+([^,]+),\s*\n', re.S)
CHOICES = re.compile(r"\.choices = ARG_JSON\(\[(.*?)\]\)", re.S)
KINDS = {"INT": "I64", "FLOAT": "F64", "STRING": "TEXT", "LIST_STRING": "LIST", "DURATION": "DUR"}
CHECK = re.compile(r"^CHECK\((\w+), (\w+), (\w+), (\w+),", re.M)
# options whose texts have a form of their own: what is right, what is wrong
FORMS = {
    "random_range_ratio": (["0.25", '{"input": 0.5, "output": 0.1}'], ["1", "wide", '{"input": 2}']),
    "metric_percentiles": (["50", "1,99.9"], ["50,x", "101"]),
    "percentile_metrics": (["ttft", "tpot,itl"], ["ttft,tppot"]),
    "timeline_itl_thresholds": (["10,20"], ["10", "10;20"]),
    "endpoint": (["/v1/completions", "/x/chat/completions"], ["v1/completions", "/v1/nothing"]),
    "request_id_prefix": (["run-"], ["a\tb", "x" * 1025]),
    "base_url": (["http://127.0.0.1:9"], ["localhost:9", "http://h:99999", "http://h/?a=b"]),
    "goodput": ([["ttft:1"], ["tpot:2", "e2el:3.5"]], [["ttft=1"], ["itl:5"], ["ttft:-1"], [""]]),
    "header": ([["A=b"]], [["no pair"], ["=b"]]),
    "metadata": ([["a=b"], ["=b"]], [["no pair"]]),
    "source_addresses": ([["127.0.0.2"], ["127.0.0.2", "::1"]],
                         [["localhost"], ["127.0.0.2", "127.0.0.2"], ["0.0.0.0"]]),
    "lora_modules": ([["a", "b"]], []),
    "bfcl_categories": ([["a"]], []),
    "random_mm_bucket_config": ([], []),
}


def read(source_dir, name):
    return (source_dir / "src/tbl" / name).read_text()


def numbers(kind, low, high):
    """Returns (valid, invalid) values around the bounds of a row."""
    cast = int if kind == "I64" else float
    right, wrong = [cast(3), cast(40)], ["many"]
    if low not in ("", "-inf"):
        right.append(cast(float(low)) if kind == "I64" else float(low))
        wrong.append(cast(float(low)) - 1)
    if high not in ("", "inf"):
        # a dry run draws as many lengths
        right += [cast(float(high))] if float(high) <= LARGEST else []
        wrong.append(cast(float(high)) + 1)
    if kind == "F64":
        wrong.append("nan")
    else:
        wrong.append(1.5)
    floor = float(low) if low not in ("", "-inf") else -1e18
    ceiling = float(high) if high not in ("", "inf") else 1e18
    return [value for value in right if floor <= value <= ceiling], wrong


def values_of(kind, choices, low, high):
    if kind == "BOOL":
        return [True], []
    if kind == "TRI":
        return [True, False], []
    if kind in ("I64", "F64"):
        return numbers(kind, low, high)
    if kind == "DUR":
        return ["2s", "1500ms"], ["soon", "99h"]
    if kind == "JSON":
        return [{"a": 1}], ["{", [1]]
    if kind == "LIST":
        return [["a"]], []
    if choices:
        return choices, ["nonesuch"]
    return ["some-text"], []


@pytest.fixture(scope="module")
def options(source_dir):
    """Returns {name: (valid values, invalid values, kind)} of every load option of a file."""
    found = {}
    for text in re.split(r"^(?=BENCH\()", read(source_dir, "bench_args.h"), flags=re.M)[1:]:
        kind, name, low, high = ROW.match(text).groups()
        kind, low, high = KINDS.get(kind, kind), low.lower(), high.lower()
        choices = CHOICES.search(text)
        choices = re.findall(r'"([^"]+)"', choices.group(1)) if choices else []
        right, wrong = FORMS.get(name) or values_of(kind, choices, low, high)
        found[name] = (right, wrong, kind)
    assert len(found) > 100
    return found


@pytest.fixture(scope="module")
def flags(bin_dir):
    """Returns the options of the command line, from its own output."""
    done = subprocess.run(command(bin_dir, "bench", "serve", "--help"), capture_output=True, text=True, check=True)
    return {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z0-9-]+)", done.stdout)}


@pytest.fixture(scope="module")
def only_flags(source_dir):
    """Returns the checks that apply to command lines only, from their rows."""
    return {name for name, _, _, where in CHECK.findall(read(source_dir, "experiment_checks.h")) if where == "FLAGS"}


def word(value):
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return str(value)


def words_of(load, kinds):
    words = []
    for name, value in load.items():
        flag = "--" + name.replace("_", "-")
        if kinds[name] == "BOOL":
            words += [flag]
        elif kinds[name] == "TRI":
            words += [flag if value else "--no-" + flag[2:]]
        elif kinds[name] == "LIST":
            words += [flag, *([",".join(value)] if name in ("source_addresses", "bfcl_categories") else value)]
        else:
            words += [f"{flag}={word(value)}"]
    return words


def make(options, count, data):
    """Returns `count` loads, always the same: the known drift, then each option valid and invalid, then pairs."""
    choose = random.Random(SEED)
    first = [{"dataset_name": "random", "dataset_path": str(data)}, {"dataset_name": "sharegpt"},
             {"ramp_up_start_rps": 3}, {"ramp_up_strategy": "linear", "ramp_up_start_rps": 3, "ramp_up_end_rps": 2}]
    alone = [{name: value} for name, (right, wrong, _) in options.items() for value in right + wrong]
    choose.shuffle(alone)

    def pick(name):
        right, wrong, _ = options[name]
        return choose.choice(wrong if wrong and choose.random() < 0.4 else right or wrong)

    usable = [name for name, (right, wrong, _) in options.items() if right or wrong]
    pairs = []
    while len(pairs) < LONG:
        names = choose.sample(usable, 2)
        # the data set decides over many others
        if choose.random() < 0.3:
            names[0] = "dataset_name"
        pairs.append({name: pick(name) for name in names})
    loads = first + [load for both in zip(alone, pairs) for load in both] + pairs[len(alone):]
    for load in loads:
        if "dataset_path" in load:
            load["dataset_path"] = str(data)
    return loads[:count]


def compared(problems, ours):
    """Returns the compared part: keys with severity and reason; a feature that a version lacks is a warning if no run follows."""
    found = set()
    for problem in problems:
        if problem["reason"] in ours:
            continue
        severity = "later" if problem["reason"] == "not_in_this_version" else problem["severity"]
        found.add((problem["key"], severity, None if problem["reason"] == "unreadable" else problem["reason"]))
    return found


def json_of(bin_dir, *words):
    done = subprocess.run(command(bin_dir, *words), capture_output=True, text=True, check=False, env=environment({}))
    assert done.returncode in (0, 2), (words, done.returncode, done.stderr)
    assert done.stdout, (words, done.stderr)
    return json.loads(done.stdout)


def host_says(problem):
    """Returns whether the problem is a missing file or library, which a mere check does not report."""
    return problem["reason"] == "host"


@pytest.mark.release_only  # hundreds of starts; unit tests have every check
def test_all_three_report_the_same(bin_dir, tmp_path, options, flags, only_flags):
    count = LONG if os.environ.get("PROFLLM_TEST_LONG") else SHORT
    kinds = {name: kind for name, (_, _, kind) in options.items()}
    data = tmp_path / "data.json"
    data.write_text("[]")
    loads = make(options, count, data)
    paths = []
    for i, load in enumerate(loads):
        path = tmp_path / f"e{i}.yaml"
        path.write_text(json.dumps({"launch": {"url": "http://127.0.0.1:8000"}, "benchmark": load}))
        paths.append(str(path))

    def validated(at):
        return json_of(bin_dir, "validate", "--json", *paths[at:at + FILES_AT_ONCE])["files"]

    def tried(path):
        return json_of(bin_dir, "run", "-c", path, "--dry-run", "--json")["problems"]

    def typed(load):
        if not set(load) <= flags:
            return None
        return json_of(bin_dir, "bench", "serve", *words_of(load, kinds), "--dry-run", "--json")["problems"]

    with ThreadPoolExecutor(2) as pool:
        files = [file for part in pool.map(validated, range(0, len(paths), FILES_AT_ONCE)) for file in part]
        runs, lines = list(pool.map(tried, paths)), list(pool.map(typed, loads))
    some = 0
    for load, file, run, line in zip(loads, files, runs, lines):
        wanted = compared(file["problems"], set())
        assert compared([one for one in run if not host_says(one)], set()) == wanted, load
        some += bool(wanted)
        if line is not None:
            assert compared([one for one in line if not host_says(one)], only_flags) == wanted, load
    # the synthetic ones are neither all valid nor all invalid, and most can be typed
    assert count / 5 < some < count * 0.95
    assert sum(line is not None for line in lines) > count * 0.7


def test_the_known_drift(bin_dir, tmp_path):
    """All three commands refuse a synthetic data set with a file, with the same key."""
    path = tmp_path / "e.yaml"
    path.write_text("benchmark: {dataset_name: random, dataset_path: x.json}\n"
                    "launch: {url: 'http://127.0.0.1:8000'}\n")
    for words in (["validate", path], ["run", "-c", path, "--dry-run"],
                  ["bench", "serve", "--dataset-name", "random", "--dataset-path", "x.json"]):
        done = subprocess.run(command(bin_dir, *words), capture_output=True, text=True, check=False)
        assert done.returncode == 2, words
        output = done.stdout + done.stderr
        key = "--dataset-path" if words[0] == "bench" else "benchmark.dataset_path"
        assert f"{key}: found 'x.json'" in output
