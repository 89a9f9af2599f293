"""Dataset hf: files of each form, the order of Python's `datasets`, the rules of each class, and the refusals."""

import json
import os
import random
import subprocess

import columnar_maker as maker
import numpy as np
import pytest
import run_tools
from sim_tools import Server
from test_bench_datasets import ids_and_prompts, templated
from test_wire import sent as sent_at

BUFFER = 1000


def sent(bin_dir, tmp_path, *words, env=None):
    """Returns the requests that a fast server received. Words may be repeated: the last one counts."""
    (tmp_path / "wire").unlink(missing_ok=True)
    return sent_at(bin_dir, tmp_path, *words, env=env, server=["--sim-step", "5us", "--max-model-len", 40000])


def buffered(rows, seed):
    """IterableDataset.shuffle(seed) of datasets 2 to 4."""
    rng = np.random.default_rng(seed)
    held, result, indices = [], [], iter(())
    for row in rows:
        if len(held) == BUFFER:
            at = next(indices, None)
            if at is None:
                indices = iter(rng.integers(0, BUFFER, size=1000))
                at = next(indices)
            result.append(held[at])
            held[at] = row
        else:
            held.append(row)
    rng.shuffle(held)
    return result + held


def streamed(files, seed):
    """The same for several files, which are shuffled by a copy of the generator."""
    order = list(range(len(files)))
    np.random.default_rng(seed).shuffle(order)
    return buffered([row for at in order for row in files[at]], seed)


def permuted(rows, seed):
    """Dataset.shuffle(seed)."""
    return [rows[at] for at in np.random.default_rng(seed).permutation(len(rows))]


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def questions(count, start=0):
    return [{"question": f"question {i} of é?", "answer": f"{i}"} for i in range(start, start + count)]


def words_of(path, *more, name="openai/gsm8k", wanted=5, seed=3):
    return ["--dataset-name", "hf", "--dataset-path", path, *(["--hf-name", name] if name else []), "--num-prompts", wanted, "--seed", seed,
            "--request-id-prefix", "h", *more]


def refused(bin_dir, path, *more, env=None, **how):
    done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", "1", *map(str, words_of(path, *more, **how))],
                          capture_output=True, text=True, timeout=60, check=False, env=run_tools.environment(env))
    assert done.returncode == 2, done
    return done.stderr


def prompts(got):
    return [prompt for _, prompt, _ in ids_and_prompts(got)]


def asked(rows):
    return [templated(row["question"]) for row in rows]


# ---- order ------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [7, 2300])
@pytest.mark.parametrize("seed", [0, 4294967295])
def test_a_stream_is_shuffled_through_a_buffer(bin_dir, tmp_path, count, seed):
    rows = questions(count)
    got, _ = sent(bin_dir, tmp_path, *words_of(lines(tmp_path / "x.jsonl", rows), wanted=7, seed=seed))
    assert ids_and_prompts(got) == [(f"h{i}", templated(row["question"]), 256) for i, row in enumerate(buffered(rows, seed)[:7])]


def test_the_whole_stream_has_the_order_of_the_buffer(bin_dir, tmp_path):
    rows = questions(2300)
    got, _ = sent(bin_dir, tmp_path, *words_of(lines(tmp_path / "x.jsonl", rows), "--skip-chat-template", "--hf-output-len", 1, wanted=2300))
    assert prompts(got) == [row["question"] for row in buffered(rows, 3)]


def test_no_stream_permutes_all(bin_dir, tmp_path):
    rows = questions(1500)
    got, _ = sent(bin_dir, tmp_path, *words_of(lines(tmp_path / "x.jsonl", rows), "--no-stream", wanted=30))
    assert prompts(got) == asked(permuted(rows, 3)[:30])


def test_disable_shuffle_and_oversampling(bin_dir, tmp_path):
    rows = questions(4)
    path = lines(tmp_path / "x.jsonl", rows)
    got, _ = sent(bin_dir, tmp_path, *words_of(path, "--disable-shuffle", wanted=7))
    rng = random.Random(3)
    assert prompts(got) == asked(rows + [rng.choice(rows) for _ in range(3)])
    got, _ = sent(bin_dir, tmp_path, *words_of(path, "--disable-shuffle", "--no-oversample", wanted=7))
    assert prompts(got) == asked(rows)


def test_files_of_a_stream_are_shuffled_too(bin_dir, tmp_path):
    files = [questions(3, 10 * i) for i in range(5)]
    for i, rows in enumerate(files):
        lines(tmp_path / "set" / "data" / f"test-{i:05}-of-00005.jsonl", rows)
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", wanted=15))
    assert prompts(got) == asked(streamed(files, 3))
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", "--no-stream", wanted=15))
    assert prompts(got) == asked(permuted([row for rows in files for row in rows], 3))


@pytest.mark.parametrize("count", [40, 2500])
@pytest.mark.parametrize("is_streamed", [True, False], ids=["streamed", "whole"])
def test_the_library_has_the_same_order(bin_dir, tmp_path, count, is_streamed):
    """Python's `datasets`, where it is installed, reads the same files in the same order."""
    datasets = pytest.importorskip("datasets", reason="datasets is not installed; Debian has no package of it")
    if is_streamed and int(datasets.__version__.split(".")[0]) > 4:
        pytest.skip("datasets 5 shuffles streams in another way")
    for i in range(3):
        lines(tmp_path / "set" / "data" / f"test-{i:05}-of-00003.jsonl", questions(count // 3 + 1, 10_000 * i))
    data = datasets.load_dataset(str(tmp_path / "set"), split="test", streaming=is_streamed, cache_dir=str(tmp_path / "cache")).shuffle(seed=3)
    expected = [row["question"] for row in (data.take(count) if is_streamed else data.select(range(count)))]
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", "--skip-chat-template", "--hf-output-len", 1, wanted=count,
                                               *([] if is_streamed else ["--no-stream"])))
    assert prompts(got) == expected


# ---- forms of files ---------------------------------------------------------------------------

SHAPE = [("question", "text"), ("answer", "text"), ("tags", ("list", ("struct", [("a", "i64")])))]


def in_form(form, folder, rows):
    """Writes the rows in a form; returns the path."""
    tagged = [{**row, "tags": [{"a": i}, None] if i % 3 else None} for i, row in enumerate(rows)]
    path = folder / f"x.{form}"
    folder.mkdir(parents=True, exist_ok=True)
    if form == "jsonl":
        return lines(path, tagged)
    if form == "json":
        path.write_text("\ufeff" + json.dumps(tagged, indent=1), encoding="utf-8")
    elif form == "csv":
        quoted = lambda text: '"' + text.replace('"', '""') + '"'
        path.write_text("answer,question\r\n" + "".join(f"{row['answer']},{quoted(row['question'])}\r\n" for row in rows))
    elif form == "parquet":
        path.write_bytes(maker.parquet(SHAPE, tagged, "snappy", encodings={"question": "DICTIONARY", "answer": "DELTA_LENGTH_BYTE_ARRAY"}, group_rows=9))
    else:
        path.write_bytes(maker.arrow(SHAPE, tagged, batch_rows=7))
    return path


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "parquet", "arrow"])
def test_forms(bin_dir, tmp_path, form):
    rows = questions(23)
    rows[5]["question"] = 'with "quotes", commas,\nand a line'
    got, _ = sent(bin_dir, tmp_path, *words_of(in_form(form, tmp_path / "set", rows), wanted=23))
    assert prompts(got) == asked(buffered(rows, 3))


def saved(folder, rows):
    """The form of Dataset.save_to_disk()."""
    folder.mkdir(parents=True)
    names = []
    for i in range(0, len(rows), 10):
        names.append(f"data-{i // 10:05}-of-00003.arrow")
        (folder / names[-1]).write_bytes(maker.arrow(SHAPE[:2], rows[i:i + 10]))
    (folder / "dataset_info.json").write_text("{}")
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names], "_split": "test"}))
    return [rows[i:i + 10] for i in range(0, len(rows), 10)]


def test_save_to_disk(bin_dir, tmp_path):
    files = saved(tmp_path / "one", questions(25))
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "one", wanted=25))
    assert prompts(got) == asked(streamed(files, 3))
    saved(tmp_path / "dict" / "test", questions(25))
    saved(tmp_path / "dict" / "train", questions(25, 100))
    (tmp_path / "dict" / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "dict", wanted=25))
    assert prompts(got) == asked(streamed(files, 3))
    assert 'found split \'dev\', expected --hf-split (hf_split) with one of ["train","test"]' in refused(bin_dir, tmp_path / "dict", "--hf-split", "dev")


def hub(home, name, commit="c" * 40):
    repository = home / "hub" / f"datasets--{name.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(commit)
    snapshot = repository / "snapshots" / commit
    snapshot.mkdir(parents=True)
    return snapshot


def test_the_cache_of_the_hub(bin_dir, tmp_path):
    """A dataset is found by its name; README.md decides about subsets and splits."""
    snapshot = hub(tmp_path / "home", "openai/gsm8k")
    main, train, other = questions(5), questions(5, 20), questions(5, 40)
    lines(snapshot / "main" / "test-00000-of-00001.jsonl", main)
    lines(snapshot / "main" / "train-00000-of-00001.jsonl", train)
    lines(snapshot / "socratic" / "test-00000-of-00001.jsonl", other)
    (snapshot / "README.md").write_text(
        "---\nlicense: mit\nconfigs:\n- config_name: main\n  data_files:\n  - split: train\n    path: main/train-*\n  - split: test\n    path: main/test-*\n"
        "- config_name: socratic\n  data_files:\n  - split: test\n    path: socratic/test-*\n---\n# GSM8K\n")
    env = {"HF_HOME": str(tmp_path / "home")}
    for more, rows in (([], main), (["--hf-split", "train"], train), (["--hf-subset", "socratic"], other)):
        got, _ = sent(bin_dir, tmp_path, *words_of("openai/gsm8k", *more, name=None), env=env)
        assert prompts(got) == asked(buffered(rows, 3))
    text = refused(bin_dir, "openai/gsm8k", "--hf-subset", "x", name=None, env=env)
    assert "found subset 'x', expected --hf-subset (hf_subset) with one of main, socratic" in text
    text = refused(bin_dir, "openai/gsm8k", "--hf-subset", "socratic", "--hf-split", "train", name=None, env=env)
    assert "found split 'train', expected --hf-split (hf_split) with one of test" in text
    text = refused(bin_dir, "philschmid/mt-bench", name=None, env=env)
    assert f"found neither that path nor '{tmp_path}/home/hub/datasets--philschmid--mt-bench'" in text
    assert "hf download --repo-type dataset philschmid/mt-bench" in text


def test_a_readme_that_names_directories(bin_dir, tmp_path):
    """The library reads the files of `data_dir` alone, whatever else the dataset has."""
    for at, name in enumerate(("new", "old")):
        lines(tmp_path / "set" / name / "test.jsonl", questions(3, 10 * at))
    readme = tmp_path / "set" / "README.md"
    readme.write_text("---\nconfigs:\n- config_name: default\n  data_dir: new\n---\n")
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", "--disable-shuffle", wanted=4, seed=0))
    assert sorted(set(prompts(got))) == asked(questions(3))
    readme.write_text("---\nconfigs:\n- config_name: one\n  data_dir: new\n- config_name: two\n  data_dir: old\n---\n")
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", "--disable-shuffle", "--hf-subset", "two", wanted=3))
    assert prompts(got) == asked(questions(3, 10))
    # without files and directory, a configuration has all; the lines of README.md may end as on Windows
    lines(tmp_path / "set" / "__other" / "test.jsonl", questions(3, 20))
    readme.write_text("---\r\nconfigs:\r\n- config_name: all\r\n---\r\n", newline="")
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", "--disable-shuffle", "--hf-subset", "all", wanted=6))
    assert prompts(got) == asked(questions(3) + questions(3, 10))
    # a file may be in several splits, and the patterns decide about the order
    readme.write_text("---\nconfigs:\n- config_name: x\n  data_files:\n  - split: train\n    path: new/*\n"
                      "  - split: test\n    path: [old/*, new/*]\n---\n")
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", "--disable-shuffle", wanted=6))
    assert prompts(got) == asked(questions(3, 10) + questions(3))


def test_links_to_an_open_directory_are_not_followed(bin_dir, tmp_path):
    lines(tmp_path / "set" / "sub" / "test.jsonl", questions(3))
    for name in "abcdefg":
        (tmp_path / "set" / "sub" / name).symlink_to("..")
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set", "--disable-shuffle", "--no-oversample", wanted=9))
    assert prompts(got) == asked(questions(3))


def test_cells_of_csv_keep_their_blanks(bin_dir, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("question\n\n  two blanks \r\n\tone tab\n\r\n")
    got, _ = sent(bin_dir, tmp_path, *words_of(path, "--disable-shuffle", "--skip-chat-template", "--no-oversample"))
    assert prompts(got) == ["  two blanks ", "\tone tab"]


@pytest.mark.parametrize("names, split", [
    (["train.jsonl", "test.jsonl"], "test.jsonl"),
    (["train/a.jsonl", "testing/a.jsonl"], "testing/a.jsonl"),
    (["latest/train-1.jsonl", "latest/eval_1.jsonl"], "latest/eval_1.jsonl"),
    (["data/train-00000-of-00001.jsonl", "data/test-00000-of-00001.jsonl", "test.jsonl"], "data/test-00000-of-00001.jsonl"),
])
def test_splits_by_names(bin_dir, tmp_path, names, split):
    for i, name in enumerate(names):
        lines(tmp_path / "set" / name, questions(5, 10 * i))
    got, _ = sent(bin_dir, tmp_path, *words_of(tmp_path / "set"))
    assert prompts(got) == asked(buffered(questions(5, 10 * names.index(split)), 3))
    assert "found split 'dev', expected --hf-split (hf_split) with one of" in refused(bin_dir, tmp_path / "set", "--hf-split", "dev")


def test_splits_agree_with_the_library(bin_dir, tmp_path):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed; Debian has no package of it")
    for trial, names in enumerate((["train.jsonl", "test.jsonl"], ["train/a.jsonl", "testing/a.jsonl"], ["my-eval.jsonl", "my-train.jsonl"],
                                   ["dev/x.jsonl", "test/x.jsonl"], ["a.jsonl", "contest.jsonl"])):
        folder = tmp_path / str(trial)
        for i, name in enumerate(names):
            lines(folder / name, questions(3, 10 * i))
        library = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
        for split in ("train", "validation", "test"):
            if split not in library:
                assert "found split" in refused(bin_dir, folder, "--hf-split", split)
                continue
            got, _ = sent(bin_dir, tmp_path, *words_of(folder, "--hf-split", split, "--disable-shuffle", "--no-oversample", wanted=9))
            assert prompts(got) == asked([{"question": text} for text in library[split]["question"]])


# ---- classes ----------------------------------------------------------------------------------

TEXT = "one two three four five six seven"
CLASSES = {
    "likaixin/InstructCoder": ({"input": "x = 1", "instruction": "Double it.", "output": "x = 2"},
                               "x = 1\n\nDouble it. Just output the code, do not include any explanation.", 200),
    "philschmid/mt-bench": ({"turns": ["first", "second"], "category": "a"}, "first", 256),
    "openai/openai_humaneval": ({"prompt": "def f():", "task_id": "1"}, "def f():", 256),
    "openai/gsm8k": ({"question": "How many?", "answer": "2"}, "How many?", 256),
    "vdaita/edit_5k_char": ({"code": "x = 1", "change_request": "double", "norm_distance": 0.5}, None, 4000),
}


@pytest.mark.parametrize("name, words, output", [
    *((name, [], None) for name in CLASSES),
    ("openai/gsm8k", ["--hf-output-len", 9], 9), ("openai/gsm8k", ["--output-len", 8, "--hf-output-len", 9], 8)])
def test_templated_classes(bin_dir, tmp_path, name, words, output):
    row, prompt, length = CLASSES[name]
    path = lines(tmp_path / "x.jsonl", [row])
    got, _ = sent(bin_dir, tmp_path, *words_of(path, *words, name=name, wanted=1))
    (_, found, asked_for), = ids_and_prompts(got)
    assert asked_for == (output or length)
    if prompt is None:
        assert found.startswith("\x02") and "```python\nx = 1\n```" in found and "\ndouble\n" in found
    else:
        assert found == templated(prompt)
    if not words:
        got, _ = sent(bin_dir, tmp_path, *words_of(path, "--skip-chat-template", name=name, wanted=1))
        assert prompts(got) == [found[1:-2]]


def test_blazedit_selects_by_distance(bin_dir, tmp_path):
    rows = [{"code": f"x = {i}", "change_request": "double", "norm_distance": i / 10} for i in range(11)]
    got, _ = sent(bin_dir, tmp_path, *words_of(lines(tmp_path / "x.jsonl", rows), "--blazedit-min-distance", 0.3, "--blazedit-max-distance", 0.6,
                                               "--disable-shuffle", "--no-oversample", name="vdaita/edit_5k_char", wanted=20))
    assert [found.split("```python\n")[1].split("\n")[0] for found in prompts(got)] == ["x = 3", "x = 4", "x = 5", "x = 6"]


def usable(prompt, output, most=1024, total=2048):
    return 4 <= prompt <= most and output >= 4 and prompt + output <= total


MEASURED = {
    "Aeala/ShareGPT_Vicuna_unfiltered": (lambda p, o: {"conversations": [{"from": "human", "value": p}, {"from": "gpt", "value": o}]}, 1024, 2048),
    "AI-MO/aimo-validation-aime": (lambda p, o: {"problem": p, "solution": o}, 2048, 32000),
}


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize("fixed", [None, 5])
def test_measured_classes(bin_dir, tmp_path, name, fixed):
    make, most, total = MEASURED[name]
    sizes = [(1, 9), (4, 1), (5, 2), (900, 5), (1024, 9), (1100, 5), (30, 30), (31, 31), (2, 2), (500, 700), (9, 1500)]
    texts = [(f"{i}" + " a" * p, " b" * o) for i, (p, o) in enumerate(sizes)]
    path = lines(tmp_path / "x.jsonl", [make(p, o) for p, o in texts] + [{"conversations": [{"value": "alone"}], "problem": "x", "solution": "y"}])
    with Server(bin_dir, "--sim-step", "1ms", "--max-model-len", 40000, model="org/tiny") as running:
        count = lambda text: running.post("/tokenize", {"model": "org/tiny", "prompt": text})["count"]
        lengths = [(p, count(p), count(o)) for p, o in texts]
    expected = [(p, fixed or o) for p, size, o in lengths if fixed or usable(size, o, most, total)]
    if fixed and name.startswith("AI-MO"):
        expected.append(("x", fixed))
    assert 1 < len(expected) < 12 or fixed
    got, _ = sent(bin_dir, tmp_path, *words_of(path, "--disable-shuffle", "--no-oversample", *(["--hf-output-len", fixed] if fixed else []), name=name,
                                               wanted=20))
    assert [(prompt, length) for _, prompt, length in ids_and_prompts(got)] == expected


def test_next_edit(bin_dir, tmp_path):
    row = {"events": "EDITS", "input": "EXCERPT", "output": "before<|editable_region_start|>" + TEXT}
    with Server(bin_dir, "--sim-step", "1ms", model="org/tiny") as running:
        length = running.post("/tokenize", {"model": "org/tiny", "prompt": "<|editable_region_start|>" + TEXT})["count"]
    got, _ = sent(bin_dir, tmp_path, *words_of(lines(tmp_path / "x.jsonl", [row]), "--hf-output-len", 3, name="zed-industries/zeta", wanted=1))
    (_, prompt, asked_for), = ids_and_prompts(got)
    assert asked_for == length
    assert prompt.index("\n\nEDITS\n\n") < prompt.index("\n\nEXCERPT\n\n") and not prompt.startswith("\x02")


def test_mlperf(bin_dir, tmp_path):
    """The system message is part of the template; the output is counted without special tokens."""
    rows = [{"system_prompt": "Be brief.", "question": f"{i} {TEXT}", "output": TEXT} for i in range(3)]
    with Server(bin_dir, "--sim-step", "1ms", model="org/tiny") as running:
        ids = running.post("/tokenize", {"model": "org/tiny", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"0 {TEXT}"}],
                                         "add_generation_prompt": True})["tokens"]
        text = running.post("/detokenize", {"model": "org/tiny", "tokens": ids})["prompt"]
        length = running.post("/tokenize", {"model": "org/tiny", "prompt": TEXT, "add_special_tokens": False})["count"]
    got, _ = sent(bin_dir, tmp_path, *words_of(lines(tmp_path / "x.jsonl", rows), "--disable-shuffle", name="mgoin/mlperf-inference-llama2-data", wanted=3))
    assert ids_and_prompts(got)[0] == ("h0", text, length)
    assert "Be brief." in text and len({prompt for prompt in prompts(got)}) == 3


BFCL = "gorilla-llm/Berkeley-Function-Calling-Leaderboard"


def calls(category, count):
    return [{"id": f"{category}_{i}", "question": [[{"role": "system", "content": "s"}, {"role": "user", "content": f"{category} {i}"}], ["later"]],
             "function": [{"name": "f", "description": "d", "parameters": {"type": "dict", "required": ["a"], "properties": {
                 "a": {"type": "float"}, "b": {"type": "tuple", "items": {"type": "any"}}, "type": {"type": "integer"}}}}]} for i in range(count)]


@pytest.mark.parametrize("words, categories", [([], ["simple", "live_simple", "multiple"]), (["--bfcl-categories", "multiple, simple"], ["multiple", "simple"])])
@pytest.mark.parametrize("shuffles", [True, False])
def test_bfcl(bin_dir, tmp_path, words, categories, shuffles):
    found = {"simple": calls("simple", 5), "live_simple": calls("live_simple", 2), "multiple": calls("multiple", 3)}
    found["simple"][1]["function"] = []
    for name, rows in found.items():
        lines(tmp_path / "set" / f"BFCL_v3_{name}.json", rows)
    order = [found[name][i] for i in range(5) for name in categories if i < len(found[name])]
    if shuffles:
        random.Random(3).shuffle(order)
    order = [row for row in order if row["function"]][:6]
    got, _ = sent_at(bin_dir, tmp_path, *words_of(tmp_path / "set", *words, *([] if shuffles else ["--disable-shuffle"]), "--backend", "openai-chat",
                                                  "--endpoint", "/v1/chat/completions", "--extra-body", '{"tool_choice": "none", "x": 1}', name=BFCL, wanted=6),
                     path="/v1/chat/completions", server=["--sim-step", "5us"])
    bodies = [json.loads(body) for _, _, body in got]
    assert [body["messages"] for body in bodies] == [row["question"][0] for row in order]
    assert {(body["tool_choice"], body["x"], body["max_completion_tokens"]) for body in bodies} == {("auto", 1, 512)}
    assert bodies[0]["tools"] == [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {
        "type": "object", "required": ["a"], "properties": {"a": {"type": "number"}, "b": {"type": "array", "items": {"type": "string"}},
                                                            "type": {"type": "integer"}}}}}]
    text = refused(bin_dir, tmp_path / "set", "--bfcl-categories", "parallel", "--backend", "openai-chat", "--endpoint", "/v1/chat/completions", name=BFCL)
    assert "has no category 'parallel': its file BFCL_v3_parallel.json is missing" in text
    assert "found backend 'openai', expected openai-chat" in refused(bin_dir, tmp_path / "set", name=BFCL)


# ---- refusals ---------------------------------------------------------------------------------


def test_refusals(bin_dir, tmp_path):
    path = lines(tmp_path / "x.jsonl", [{"question": "a"}, {"text": "b"}])
    assert "found dataset '" in refused(bin_dir, path, name=None) and "--hf-name (hf_name)" in refused(bin_dir, path, name="x/y")
    for name, needs in (("lmarena-ai/VisionArena-Chat", "images"), ("yale-nlp/MMVU", "videos"), ("openslr/librispeech_asr", "audio")):
        assert f"dataset '{name}' needs {needs} in the requests, which this version does not send" in refused(bin_dir, path, name=name)
    # the first record is read before the run, the others when the dataset is built
    assert "x.jsonl: record 1: expected an object with a string 'problem'" in refused(bin_dir, path, name="AI-MO/NuminaMath-1.5")
    assert "found number 0, expected an integer of at least 1" in refused(bin_dir, path, "--hf-output-len", 0)
    (tmp_path / "empty").mkdir()
    assert "has no file of records (.parquet, .jsonl, .json, .csv, .arrow)" in refused(bin_dir, tmp_path / "empty")
    assert "'/nothing' does not exist" in refused(bin_dir, "/nothing")
    for name, content, text in (("a.json", b"[{]", "a.json: record 1: not valid JSON"), ("b.parquet", b"PAR1 and no more", "b.parquet: it is not a Parquet file"),
                                ("c.jsonl", b"version https://git-lfs.github.com/spec/v1\n", "found a Git LFS pointer"),
                                ("d.csv", b"question\na,b\n", "d.csv: record 1: found more cells than the header has (1)"), ("e.jsonl", b"", "holds no record")):
        (tmp_path / name).write_bytes(content)
        assert text in refused(bin_dir, tmp_path / name), name
    (tmp_path / "pipes").mkdir()
    for name in ("p.jsonl", "pipes/test.jsonl", "pipes/BFCL_v3_simple.json"):
        os.mkfifo(tmp_path / name)
    for path in (tmp_path / "p.jsonl", tmp_path / "pipes"):
        assert "it is not a regular file" in refused(bin_dir, path)
    assert "it is not a regular file" in refused(bin_dir, tmp_path / "pipes", "--bfcl-categories", "simple", "--backend", "openai-chat",
                                                 "--endpoint", "/v1/chat/completions", name="gorilla-llm/Berkeley-Function-Calling-Leaderboard")
    (tmp_path / "l.parquet").write_bytes(maker.parquet([("answer", "text")], [{"answer": "x"}]))
    assert "l.parquet: found none of the requested columns" in refused(bin_dir, tmp_path / "l.parquet")


def test_a_record_of_another_shape_ends_the_run(bin_dir, tmp_path):
    path = lines(tmp_path / "x.jsonl", [*questions(2), {"text": "b"}])
    with Server(bin_dir, "--sim-step", "1ms", model="org/tiny") as running:
        done = subprocess.run([bin_dir / "profllm", "bench", "serve", "--port", str(running.port), *map(str, words_of(path))], cwd=tmp_path,
                              capture_output=True, text=True, timeout=60, check=False, env=run_tools.environment())
    shown = " ".join((done.stderr + done.stdout).split())  # lines are wrapped
    assert done.returncode != 0 and "record 3: expected an object with a string 'question'" in shown


def test_every_class_is_documented(bin_dir, source_dir):
    page = (source_dir / "docs/reference/datasets.md").read_text()
    rows = json.loads(run_tools.run_profllm(bin_dir, "schema", "--json").stdout)["hf_classes"]
    assert len(rows) == 15
    for row in rows:
        for name in row["names"] if row["id"] != "asr" else []:
            assert f"`{name}`" in page, name
        if row["state"] != "later" and row["output_len"]:
            assert f"| {row['output_len']:,} |" in page
