"""docs/from-vllm-bench.md describes the behavior of the program for each flag, key and line."""

import json
import re
import subprocess

import pytest

import run_tools
from odd_server import DONE, OddServer, event, stream, tokens, usage
from sim_tools import Server

TAKEN = ("equal", "equal, and more", "different")
FAMILIES = ("ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue")
# two numbers for a flag that asks for a form, one word for one that any word does
VALUES = {"random_range_ratio": "0.5", "metric_percentiles": "50", "timeline_itl_thresholds": "1,2",
          "percentile_metrics": "e2el", "request_rate": "3", "base_url": "http://127.0.0.1:1"}
JSON_VALUES = {"random_mm_bucket_config": "{(256, 256, 1): 1.0}", "random_mm_limit_mm_per_prompt": '{"image": 1}'}
LISTS = {"header": "a=b", "metadata": "a=b", "goodput": "ttft:1", "lora_modules": "a", "bfcl_categories": "a"}
READ_FROM_A_FILE = ("sharegpt", "custom", "burstgpt", "spec_bench", "hf", "custom_audio", "custom_image", "speed_bench",
                    "timed_trace")


def rows(source_dir, name):
    """Returns the cells of a table of the page, without the marks around names."""
    page = (source_dir / "docs/from-vllm-bench.md").read_text()
    table = re.search(rf"<!-- table {name}: .*?-->\n(.*?)<!-- end table -->", page, re.S).group(1)
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()]
    assert len(cells) > 2
    return [[cell.strip("`") for cell in row] for row in cells[2:]]


# a flag or value that needs another one
NEEDED = {"--random-batch-size": ["--backend", "openai-embeddings"], "vllm-rerank": ["--dataset-name", "random-rerank"],
          "random-rerank": ["--backend", "vllm-rerank"]}


def bench(bin_dir, *words):
    return subprocess.run([bin_dir / "profllm", "bench", "serve", *words], capture_output=True, text=True, timeout=60,
                          check=False, env=run_tools.environment(), stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def spec(test_data_dir):
    flags = json.loads((test_data_dir / "spec" / "bench-args.json").read_text())
    return {row["flags"][0]: row for row in flags["commands"]["bench serve"]}


def test_every_flag_of_vllm_is_listed_once(source_dir, spec):
    assert sorted(row[0] for row in rows(source_dir, "flags")) == sorted(spec)


def test_every_back_end_and_data_set_is_listed_once(source_dir, spec):
    wanted = [f"{flag} {value}" for flag in ("--backend", "--dataset-name") for value in spec[flag]["choices"]]
    assert sorted(row[0] for row in rows(source_dir, "values")) == sorted(wanted)


def test_the_text_on_later_features_names_those_data_sets(source_dir):
    page = (source_dir / "docs/from-vllm-bench.md").read_text()
    found = re.search(r"the datasets? (.*?) with (?:their|its) flags", page)
    words = found.group(1) if found else ""
    assert sorted(re.findall(r"`([^`]+)`", words)) == sorted(
        row[0].split()[1] for row in rows(source_dir, "values")
        if row[0].startswith("--dataset-name") and row[1] == "not yet")


def words_of(row):
    """Returns the flag with a value that is not its default."""
    name, flag = row["name"], row["flags"][0]
    if row["type"] == "flag" or row["nargs"] == 0:
        return [flag]
    if name in LISTS:
        return [flag, LISTS[name]]
    if name in VALUES:
        return [flag, VALUES[name]]
    if row["choices"]:
        return [flag, next(choice for choice in row["choices"] if choice != row["default"])]
    if row["type"] == "int":
        return [flag, str((row["default"] or 1) + 1)]
    if row["type"] == "float":
        return [flag, "0.5"]
    if row["type"] in ("str", None):
        return [flag, "word"]
    return [flag, JSON_VALUES.get(name, '{"a": 1}')]


@pytest.mark.release_only  # many starts of one reader, which has a fuzz target
def test_a_flag_is_taken_or_refused_as_it_says(bin_dir, source_dir, spec):
    wrong = []
    for flag, verdict, _ in rows(source_dir, "flags"):
        if verdict == "not yet":
            done = bench(bin_dir, *words_of(spec[flag]))
            fine = done.returncode == 2 and "this version " in done.stderr and "support" in done.stderr
        else:
            assert verdict in TAKEN, flag
            done = bench(bin_dir, *words_of(spec[flag]), *NEEDED.get(flag, []), "--dry-run", "--json")
            fine = done.returncode == 0 and spec[flag]["name"] in json.loads(done.stdout)["set"]
        if not fine:
            wrong.append((flag, verdict, words_of(spec[flag]), done.stderr))
    assert wrong == []


def test_a_back_end_or_data_set_is_taken_or_refused_as_it_says(bin_dir, source_dir, tmp_path):
    for name, verdict, _ in rows(source_dir, "values"):
        flag, value = name.split()
        words = ["--dataset-path", tmp_path / "data.json"] if value in READ_FROM_A_FILE else []
        done = bench(bin_dir, flag, value, *words, *NEEDED.get(value, []), "--dry-run")
        assert verdict == "not yet" or verdict in TAKEN
        assert ("this version does not support" in done.stderr) == (verdict == "not yet"), name
        assert done.returncode == (2 if verdict == "not yet" else 0), name


# a value of each flag of the client that takes one here
CHAT = ["--backend", "openai-chat"]
CLIENT_VALUES = {"--speed-bench-config": ["throughput_2k"], "--speed-bench-max-input-len": ["100"], "--multi-turn": CHAT,
                 "--multi-turn-num-turns": ["4"], "--multi-turn-min-turns": ["2"], "--multi-turn-max-turns": ["4"],
                 "--multi-turn-concurrency": ["3"], "--multi-turn-delay-ms": ["5"], "--multi-turn-prefix-global-ratio": ["0.5"],
                 "--multi-turn-prefix-conversation-ratio": ["0.5"], "--per-turn-input-len": ["20"], "--profile-batch-threshold": ["8"],
                 "--profile-duration": ["2"],
                 "--random-cache-hit-fraction": ["0.5", "--random-cache-ratio", "0.5", "--prompt-token-ids"],
                 "--random-cache-ratio": ["0.5"], "--steady-state-threshold": ["0.9"], "--steady-state-min-window": ["5"]}


def test_a_flag_of_the_rust_client_is_taken_or_answered_as_it_says(bin_dir, source_dir):
    for flag, verdict, remark in rows(source_dir, "client"):
        done = bench(bin_dir, flag, *CLIENT_VALUES.get(flag, []), "--dry-run")
        if verdict in ("equal", "equal, and more"):
            assert done.returncode == 0, flag
        else:
            assert verdict in ("different", "not yet")
            assert done.returncode == 2 and f"({flag}: {remark})" in done.stderr, (flag, done.stderr)


@pytest.fixture(scope="module")
def runs(bin_dir, tmp_path_factory):
    """(flat result, console) of runs with all options that add a key or a line; one request at a time, so that they are
    sent late."""
    folder = tmp_path_factory.mktemp("flat")
    both = ["--random-input", "16", "--random-output", "6", "--num-prompts", "12", "--max-concurrency", "1",
            "--percentile-metrics", ",".join(FAMILIES), "--metric-percentiles", "50,99.9", "--save-result",
            "--result-filename", "r.json", "--save-detailed", "--metadata", "tp=2", "--goodput", "ttft:1000",
            "--probe-request-rate", "50", "--label", "all"]
    made = []
    with Server(bin_dir, "--sim-step", "2ms", "--speculative-config", '{"num_speculative_tokens": 3}',
                model="org/tiny") as server:
        for words in (["--request-rate", "200"],
                      ["--ramp-up-strategy", "linear", "--ramp-up-start-rps", "50", "--ramp-up-end-rps", "200"],
                      ["--backend", "openai-chat", "--multi-turn", "--num-prompts", "3"]):
            done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), *both, *words],
                                  cwd=folder, capture_output=True, text=True, timeout=120, check=False,
                                  env=run_tools.environment())
            assert done.returncode == 0, done.stderr + done.stdout
            made.append((json.loads((folder / "r.json").read_text()), done.stdout))
    with Server(bin_dir, "--sim-step", "2ms", "--runner", "pooling", model="org/tiny") as server:
        done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), *both, "--backend", "openai-embeddings"],
                              cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=run_tools.environment())
        assert done.returncode == 0, done.stderr + done.stdout
        made.append((json.loads((folder / "r.json").read_text()), done.stdout))
    # a server that says its own times of each request
    times = event({**usage(6), "metrics": {"queue_time_ms": 1, "time_to_first_token_ms": 2}})
    with OddServer({"times": [stream(*tokens(6), times, DONE)]}) as server:
        done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--base-url", f"{server.url}/case:times", "--model", "odd",
                               "--vocab-size", "1000", *both[:both.index("--probe-request-rate")]],
                              cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=run_tools.environment())
        assert done.returncode == 0, done.stderr + done.stdout
        made.append((json.loads((folder / "r.json").read_text()), done.stdout))
    return made


def pattern_of(key):
    if key == "KEY of --metadata":
        return "tp"
    pattern = re.escape(key).replace(r"\*", ".*")
    return re.sub(r"^pN_", r"p\\d+(?:\\.\\d+)?_", pattern).replace("_M_", f"_(?:{'|'.join(FAMILIES)})_")


def test_every_key_that_a_run_writes_is_listed_in_order(runs, source_dir):
    table = [(re.compile(pattern_of(part)), verdict) for key, _, verdict, _ in rows(source_dir, "keys")
             for part in key.split(", ")]
    seen = set()
    for flat, _ in runs:
        places = []
        for key in flat:
            fits = [i for i, (pattern, _) in enumerate(table) if pattern.fullmatch(key)]
            assert len(fits) == 1, key
            places.append(fits[0])
        seen.update(places)
        # the families' rows come again with each family
        plain = [place for place in places if "(?:" not in table[place][0].pattern]
        assert plain == sorted(plain)
    assert {i for i, (_, verdict) in enumerate(table) if verdict != "not yet"} == seen


def test_every_line_of_the_table_is_listed(runs, source_dir):
    told = {label: verdict for label, _, verdict, _ in rows(source_dir, "lines")}
    seen = set()
    for _, text in runs:
        table = text[text.index("============ Serving"):]
        for label in told:
            title = re.search(rf"^[=-]+ ?{re.escape(label)} ?[=-]+$", table, re.M)
            if title or re.search(rf"^{re.escape(label)} ", table, re.M):
                seen.add(label)
        section = False
        for line in table[:table.index("=" * 50 + "\n")].splitlines():
            title = re.fullmatch(r"[=-]+ ?(.*?) ?[=-]+", line)
            section = section if title is None else title.group(1) != "Serving Benchmark Result"
            name = title.group(1) if title else line.split(":")[0] + ":"
            assert name in told or section, line
    assert {label for label, verdict in told.items() if verdict != "not yet"} == seen
