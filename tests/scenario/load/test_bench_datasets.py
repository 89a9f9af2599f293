"""The received requests of each data set, compared with the random numbers of Python's and numpy's own generators."""

import json
import os
import random
import subprocess

import numpy as np
import pytest

import run_tools
from sim_tools import Server
from test_wire import requests_in, sent


def ids_and_prompts(got):
    """Returns [(x-request-id, prompt, max_tokens)]."""
    found = []
    for _, lines, body in got:
        name = next((line.split(": ")[1] for line in lines if line.startswith("x-request-id: ")), None)
        body = json.loads(body)
        found.append((name, body["prompt"], body["max_tokens"]))
    return found


def lines_file(tmp_path, rows):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def templated(prompt):
    """Applies the simulator's chat template to a user's message: docs/reference/simulator.md."""
    return f"\x02{prompt}\x06\x03"


def chosen(rows, seed, wanted, shuffle=True, oversample=True):
    """Returns the rows that vLLM uses: shuffled, cut, filled up with copies."""
    rows = list(rows)
    rng = random.Random(seed)
    if shuffle:
        rng.shuffle(rows)
    rows = rows[:wanted]
    if oversample and len(rows) < wanted:
        rng = random.Random(seed)
        rows += [rng.choice(rows) for _ in range(wanted - len(rows))] if rows else []
    return rows


@pytest.mark.parametrize("seed", [0, 4294967295])
@pytest.mark.parametrize("words, how", [
    ([], {}),
    (["--no-oversample"], {"oversample": False}),
    (["--disable-shuffle"], {"shuffle": False}),
    (["--disable-shuffle", "--no-oversample"], {"shuffle": False, "oversample": False}),
])
@pytest.mark.parametrize("wanted", [5, 14])
def test_custom(bin_dir, tmp_path, seed, words, how, wanted):
    rows = [{"prompt": f"prompt {i} of é", "output_tokens": 3 + i % 4} for i in range(9)]
    got, _ = sent(bin_dir, tmp_path, "--dataset-name", "custom", "--dataset-path", lines_file(tmp_path, rows), "--seed",
                  seed, "--num-prompts", wanted, "--custom-output-len", -1, "--request-id-prefix", "c", *words)
    rows = chosen(rows, seed, wanted, **how)
    assert ids_and_prompts(got) == [
        (f"c{i}", templated(row["prompt"]), row["output_tokens"]) for i, row in enumerate(rows)]


@pytest.mark.parametrize("words, length", [([], 256), (["--custom-output-len", 4], 4), (["--output-len", 3], 3),
                                           (["--output-len", 3, "--custom-output-len", 9], 3)])
def test_output_len_of_custom(bin_dir, tmp_path, words, length):
    rows = [{"prompt": "one", "output_tokens": 7}]
    got, _ = sent(bin_dir, tmp_path, "--dataset-name", "custom", "--dataset-path", lines_file(tmp_path, rows),
                  "--num-prompts", 1, *words)
    assert [length_ for _, _, length_ in ids_and_prompts(got)] == [length]


@pytest.mark.parametrize("asked", [0, -3])
def test_no_number_is_all_records(bin_dir, tmp_path, asked):
    rows = [{"prompt": f"prompt {i}"} for i in range(7)]
    got, _ = sent(bin_dir, tmp_path, "--dataset-name", "custom", "--dataset-path", lines_file(tmp_path, rows), "--seed", 4,
                  f"--num-prompts={asked}", "--custom-output-len", 3, "--request-id-prefix", "c")
    assert ids_and_prompts(got) == [(f"c{i}", templated(row["prompt"]), 3) for i, row in enumerate(chosen(rows, 4, 7))]


@pytest.mark.parametrize("words, category", [([], None), (["--spec-bench-category", "b"], "b")])
def test_spec_bench_has_a_separate_seed(bin_dir, tmp_path, words, category):
    rows = [{"turns": [f"question {i}", "later"], "category": "ab"[i % 2], "question_id": i} for i in range(8)]
    got, _ = sent(bin_dir, tmp_path, "--dataset-name", "spec_bench", "--dataset-path", lines_file(tmp_path, rows), "--seed",
                  5, "--num-prompts", 10, "--spec-bench-output-len", 4, "--request-id-prefix", "s", *words)
    rows = chosen([row for row in rows if category in (None, row["category"])], 0, 10)
    assert ids_and_prompts(got) == [(f"s{i}", templated(row["turns"][0]), 4) for i, row in enumerate(rows)]


@pytest.mark.parametrize("share, ratio", [(0.25, 0.5), (1, 0.8), (0.4, 1)])
def test_warm_prompts_share_a_part(bin_dir, tmp_path, share, ratio):
    words = ["--random-input-len", 40, "--random-output-len", 2, "--num-prompts", 20, "--prompt-token-ids", "--vocab-size", 5000]
    plain = [prompt for _, prompt, _ in ids_and_prompts(sent(bin_dir, tmp_path, *words)[0])]
    got = [prompt for _, prompt, _ in ids_and_prompts(sent(bin_dir, tmp_path, *words, "--random-cache-hit-fraction", share,
                                                           "--random-cache-ratio", ratio)[0])]
    warm = [i for i in range(20) if int((i + 1) * share) > int(i * share)]
    part = int(40 * ratio)
    assert len(warm) == round(20 * share)
    for i in range(20):
        start = plain[warm[0]][:part] if i in warm else plain[i][:part]
        assert got[i] == start + plain[i][part:]


def test_warm_prompts_need_ids(bin_dir):
    done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--random-cache-hit-fraction", "0.5", "--port", "1"], capture_output=True,
                          text=True, timeout=60, check=False, env=run_tools.environment())
    assert done.returncode == 2 and "--random-cache-hit-fraction: it needs --prompt-token-ids" in done.stderr
    assert "--random-cache-ratio: found 0, expected a share above 0" in done.stderr


@pytest.mark.parametrize("words, steady", [([], False), (["--steady-state-min-window", "0.1"], True),
                                           (["--steady-state-min-window", "0.1", "--steady-state-threshold", "0.5"], True),
                                           (["--steady-state-min-window", "60"], False)])
def test_the_steady_state_has_a_share_and_a_length(bin_dir, tmp_path, words, steady):
    out = tmp_path / "r.json"
    with Server(bin_dir, "--sim-step", "2ms", model="org/tiny") as server:
        done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(server.port), "--num-prompts", "80", "--max-concurrency", "8",
                               "--random-input-len", "8", "--random-output-len", "20", "--output", out, *words], capture_output=True,
                              text=True, timeout=120, check=False, env=run_tools.environment(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())["results"]["steady"]
    assert (found is not None) == steady
    if steady:
        lines = subprocess.run(["zstd", "-dc", tmp_path / "r.requests.jsonl.zst"], capture_output=True, text=True, check=True).stdout
        spans = [(one["acted_ns"], one["events"][-1][0]) for one in map(json.loads, lines.splitlines())]
        changes = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
        limit = int(np.ceil(float(words[3]) * 8)) if len(words) > 2 else 8
        level, full, last = 0, None, None
        for t, change in changes:
            level += change
            full = t if full is None and level >= limit else full
            last = t if full is not None and change < 0 and level == limit - 1 else last
        assert (found["end_s"] - found["start_s"]) == pytest.approx((last - full) / 1e9, abs=1e-6)


def test_speed_bench_reads_a_part_of_a_folder(bin_dir, tmp_path):
    rows = [{"messages": [{"role": "user", "content": "word " * (i + 1)}], "category": "ab"[i % 2]} for i in range(8)]
    folder = tmp_path / "speed"
    folder.mkdir()
    (folder / "throughput_2k.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["--dataset-name", "speed_bench", "--dataset-path", folder, "--speed-bench-config", "throughput_2k", "--seed", 7,
             "--num-prompts", 4, "--speed-bench-output-len", 3, "--request-id-prefix", "s"]
    got, _ = sent(bin_dir, tmp_path, *words)
    wanted = chosen(rows, 0, 4)
    assert ids_and_prompts(got) == [(f"s{i}", templated(row["messages"][0]["content"]), 3) for i, row in enumerate(wanted)]
    got, _ = sent(bin_dir, tmp_path, *words, "--skip-chat-template", "--speed-bench-category", "b", "--no-oversample",
                  "--speed-bench-max-input-len", 13)
    short = [row for row in rows if row["category"] == "b" and len(row["messages"][0]["content"].split()) <= 6]  # a word has two tokens here
    assert 1 < len(short) < 4
    assert ids_and_prompts(got) == [(f"s{i}", row["messages"][0]["content"], 3) for i, row in enumerate(chosen(short, 0, 4, oversample=False))]
    done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--dataset-name", "speed_bench", "--dataset-path", folder],
                          capture_output=True, text=True, timeout=60, check=False, env=run_tools.environment())
    assert done.returncode == 2 and "speed/qualitative.jsonl" in done.stderr


@pytest.mark.parametrize("words, fixed", [([], None), (["--sharegpt-output-len", 2], 2), (["--output-len", 1100], 1100)])
def test_sharegpt(bin_dir, tmp_path, words, fixed):
    sizes = [(3, 9), (4, 4), (5, 3), (900, 5), (1024, 1024), (1025, 5), (1023, 1025), (1024, 1025), (6, 2042), (6, 2043),
             (948, 7), (949, 8), (30, 30), (31, 31), (32, 32)]
    entries = [{"conversations": [{"from": "gpt", "value": " a" * prompt}, {"value": " b" * output, "from": "human"},
                                  {"value": "third"}], "id": str(i)} for i, (prompt, output) in enumerate(sizes)]
    entries += [{"conversations": []}, {"conversations": [{"value": "alone"}]}, {"id": "none"}]
    path = tmp_path / "data.json"
    path.write_text(json.dumps(entries))
    with Server(bin_dir, "--sim-step", "1ms", "--max-model-len", 8192, model="org/tiny") as running:
        def count(text):
            return running.post("/tokenize", {"model": "org/tiny", "prompt": text})["count"]
        turns = [[turn["value"] for turn in entry.get("conversations", [])] for entry in entries]
        rng = random.Random(3)
        turns = [texts for texts in turns if len(texts) >= 2]
        rng.shuffle(turns)
        usable = []
        for prompt, completion, *_ in turns:
            p, o = count(prompt), count(completion) if fixed is None else fixed
            if 4 <= p <= 1024 and (fixed is not None or o >= 4) and p + o <= 2048:
                usable.append((prompt, o))
    rng = random.Random(3)
    wanted = usable + [rng.choice(usable) for _ in range(15 - len(usable))]
    got, _ = sent(bin_dir, tmp_path, "--dataset-name", "sharegpt", "--dataset-path", path, "--seed", 3, "--num-prompts", 15,
                  "--request-id-prefix", "g", *words, server=["--max-model-len", 8192, "--sim-step", "100us"])
    assert 0 < len(usable) < 15
    assert ids_and_prompts(got) == [(f"g{i}", *one) for i, one in enumerate(wanted)]


@pytest.mark.parametrize("wanted", [4, 25])
def test_burstgpt(bin_dir, tmp_path, wanted):
    rows = [(i, "GPT-4" if i % 3 else "ChatGPT", 3 + i, i % 7, 3 + i + i % 7, "log") for i in range(30)]
    path = tmp_path / "data.csv"
    path.write_text("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n" +
                    "".join(",".join(map(str, row)) + "\n" for row in rows))
    rows = [row for row in rows if row[1] == "GPT-4" and row[3] > 0]
    rng = np.random.RandomState(11)
    order = rng.permutation(len(rows))[:wanted] if wanted <= len(rows) else rng.randint(0, len(rows), wanted)
    got, _ = sent(bin_dir, tmp_path, "--dataset-name", "burstgpt", "--dataset-path", path, "--seed", 11, "--num-prompts",
                  wanted, "--vocab-size", 40, "--prompt-token-ids", "--request-id-prefix", "b")
    assert ids_and_prompts(got) == [
        (f"b{i}", [(i + j) % 40 for j in range(rows[at][2])], rows[at][3]) for i, at in enumerate(order)]


@pytest.mark.parametrize("ratio, shares", [("0.0", (0, 0)), ('{"input": 0.5, "output": 0.25}', (0.5, 0.25)), ("0.9", (0.9, 0.9))])
def test_random(bin_dir, tmp_path, ratio, shares):
    got, _ = sent(bin_dir, tmp_path, "--seed", 9, "--num-prompts", 12, "--input-len", 20, "--random-input-len", 999,
                  "--output-len", 8, "--random-output-len", 999, "--random-prefix-len", 5, "--random-range-ratio", ratio,
                  "--vocab-size", 500, "--prompt-token-ids", "--request-id-prefix", "r")
    rng = np.random.default_rng(9)

    def draw(mean, share, least):
        low, high = max(least, int(np.floor(mean * (1 - share)))), max(least, int(np.ceil(mean * (1 + share))))
        return rng.integers(low, high + 1, size=12)

    inputs, outputs = draw(20, shares[0], 0), draw(8, shares[1], 1)
    offsets = rng.integers(0, 500, size=12)
    prefix = [int(one) for one in rng.integers(0, 500, size=5)]
    assert ids_and_prompts(got) == [
        (f"r{i}", prefix + [(int(offsets[i]) + i + j) % 500 for j in range(inputs[i])], outputs[i]) for i in range(12)]
    # the whole output, whatever the model says
    assert all('"ignore_eos": true' in body for _, _, body in got)


def test_the_same_seed_gives_the_same_requests(bin_dir, tmp_path):
    words = ["--num-prompts", 20, "--random-input-len", 12, "--random-output-len", 4, "--random-range-ratio", "0.5",
             "--random-prefix-len", 3, "--request-rate", 500]
    bodies = []
    for seed in (1, 1, 2):
        got, _ = sent(bin_dir, tmp_path, *words, "--seed", seed)
        bodies.append([body for _, _, body in got])
        (tmp_path / "wire").unlink()
    assert bodies[0] == bodies[1] != bodies[2]


class Listening:
    """One simulator for many runs; returns the requests of each."""

    def __init__(self, bin_dir, folder):
        self.bin_dir, self.folder, self.wire = bin_dir, folder, folder / "wire"
        self.server = Server(bin_dir, "--sim-step", "1ms", "--sim-capture", self.wire, "--max-model-len", 8192,
                             model="org/tiny")

    def bodies(self, *words):
        """Returns [(name, body)] of a run's requests, in order of arrival."""
        before = self.wire.stat().st_size if self.wire.exists() else 0
        done = run_tools.run_profllm(self.bin_dir, "bench", "serve", "--port", self.server.port, "--max-concurrency", 1,
                                     "--quiet", "--request-id-prefix", "p", *words, cwd=self.folder)
        assert done.returncode == 0, done.stderr + done.stdout
        (self.folder / "cut").write_bytes(self.wire.read_bytes()[before:])
        return [(next((line for line in lines if line.startswith("x-request-id: ")), None), body)
                for first, lines, body in requests_in(self.folder / "cut") if first.startswith("POST /v1/completions")
                and '"repetition_penalty"' in body]


# each trial draws new values; under a sanitizer the code is the same
TRIALS = range(1 if os.environ.get("PROFLLM_SANITIZED") else 3)


@pytest.fixture(scope="module")
def listening(bin_dir, tmp_path_factory):
    listener = Listening(bin_dir, tmp_path_factory.mktemp("listening"))
    with listener.server:
        yield listener


WORDS = "one two three four five six seven eight nine ten é 日本 Hello, World! 42 3.14 a\tb end.".split(" ")


def made_up_data(name, rng, folder):
    """Returns a file of that data set, its options, and its number of usable entries."""
    def text(least, most):
        return " ".join(rng.choices(WORDS, k=rng.randint(least, most)))

    count = rng.randint(6, 30)
    path = folder / f"{name}-{rng.randrange(10**9)}"
    if name == "custom":
        rows = [{"prompt": f"{i} {text(1, 40)}", "output_tokens": rng.randint(1, 5)} for i in range(count)]
    elif name == "spec_bench":
        rows = [{"turns": [f"{i} {text(1, 40)}", text(1, 3)], "category": rng.choice("ab")} for i in range(count)]
    elif name == "sharegpt":
        rows = [{"conversations": [{"value": f"{i} {text(4, 40)}"}, {"value": text(4, 9)}]} for i in range(count)]
        rows += [{"conversations": [{"value": "x"}, {"value": text(4, 9)}]} for _ in range(5)]
        rng.shuffle(rows)
        path.write_text(json.dumps(rows))
        return ["--dataset-path", path, "--sharegpt-output-len", 2], count
    elif name == "burstgpt":
        path.write_text("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n" + "".join(
            f"{i},GPT-4,{rng.randint(1, 60)},{rng.randint(1, 4)},9,log\n" for i in range(count)))
        return ["--dataset-path", path], count
    else:
        share = rng.choice(["0.0", "0.5", '{"input": 0.9, "output": 0.1}'])
        return {"random": ["--random-input-len", rng.randint(4, 60), "--random-output-len", 3, "--random-range-ratio",
                           share, "--random-prefix-len", rng.randint(0, 9)],
                "prefix_repetition": ["--prefix-repetition-num-prefixes", 2, "--prefix-repetition-prefix-len", 7,
                                      "--prefix-repetition-suffix-len", 5, "--prefix-repetition-output-len", 2]}[name], None
    path = path.with_suffix(".jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["--dataset-path", path, *(["--custom-output-len", -1] if name == "custom" else ["--spec-bench-output-len", 2])], count


@pytest.mark.parametrize("name", ["random", "prefix_repetition", "burstgpt", "sharegpt", "custom", "spec_bench"])
@pytest.mark.parametrize("trial", TRIALS)
def test_two_runs_of_one_seed_are_the_same(listening, name, trial):
    rng = random.Random(f"{name} {trial}")
    words, count = made_up_data(name, rng, listening.folder)
    # with copies where the file is too small
    wanted = rng.randint(2, (count or 20) + 10)
    seed = rng.choice([0, 1, 77, 4294967295, rng.randrange(2**32)])
    words = ["--dataset-name", name, *words, "--num-prompts", wanted, "--seed", seed]
    first, second = listening.bodies(*words), listening.bodies(*words)
    assert first == second and first
    # what is drawn by the seed is another with another seed
    other = listening.bodies(*words[:-1], (seed + 1) % 2**32)
    assert len(other) == len(first)
    if name == "spec_bench":
        assert [body for _, body in other][:count] == [body for _, body in first][:count]
    else:
        assert other != first


@pytest.mark.parametrize("name", ["sharegpt", "custom", "spec_bench"])
@pytest.mark.parametrize("trial", TRIALS)
def test_fewer_prompts_are_the_first_of_more(listening, name, trial):
    """Each data set is shuffled completely and then read from its beginning; only copies depend on the missing number."""
    rng = random.Random(f"first {name} {trial}")
    words, count = made_up_data(name, rng, listening.folder)
    words = ["--dataset-name", name, *words, "--seed", rng.randrange(2**32)]
    few, some = sorted(rng.sample(range(1, count), 2))
    all_of_them = listening.bodies(*words, "--num-prompts", count)
    assert len({body for _, body in all_of_them}) == count
    assert listening.bodies(*words, "--num-prompts", few) == all_of_them[:few]
    assert listening.bodies(*words, "--num-prompts", some, "--no-oversample") == all_of_them[:some]
    assert listening.bodies(*words, "--num-prompts", count + 9, "--no-oversample") == all_of_them
    filled = listening.bodies(*words, "--num-prompts", count + 9)
    assert filled[:count] == all_of_them and len(filled) == count + 9
    assert {body for _, body in filled} == {body for _, body in all_of_them}
    # the copies of a longer run begin with those of a shorter one
    assert listening.bodies(*words, "--num-prompts", count + 4) == filled[:count + 4]
