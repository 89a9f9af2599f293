"""`bench serve` reads command lines as vLLM 0.32's own parser does."""

import json
import subprocess

import pytest

LATER = "this version does not support"


def bench(bin_dir, *words, env=None):
    return subprocess.run([bin_dir / "profllm", "bench", "serve", *words], capture_output=True, text=True,
                          timeout=60, check=False, env=env)


def dry_run(bin_dir, *words):
    done = bench(bin_dir, *words, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def first_error(done):
    line = next(text for text in done.stderr.splitlines() if "error: " in text)
    return line.split("error: ", 1)[1]


@pytest.fixture(scope="session")
def spec(test_data_dir):
    flags = json.loads((test_data_dir / "spec" / "bench-args.json").read_text())
    return flags["commands"]["bench serve"]


@pytest.fixture(scope="session")
def real_lines(test_data_dir):
    with open(test_data_dir / "data" / "commands" / "bench-commands.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [line for line in lines if line["sub"] in ("serve", "benchmark_serving.py")]


def same(ours, theirs):
    if isinstance(theirs, float) or isinstance(ours, float):
        return ours == theirs
    return ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)


@pytest.mark.release_only  # many starts of one reader, which has a fuzz target
def test_real_lines_are_read_as_vllm_reads_them(bin_dir, real_lines, spec):
    defaults = {row["name"]: row["default"] for row in spec}
    wrong = []
    for line in real_lines:
        done = bench(bin_dir, *line["argv"], "--dry-run", "--json")
        if not line["ok"]:
            if done.returncode != 2 or not first_error(done).startswith(line["error"]):
                wrong.append((line["id"], line["error"], done.returncode, done.stderr))
            continue
        if done.returncode == 2:
            if LATER not in done.stderr:
                wrong.append((line["id"], "accepted", done.returncode, done.stderr))
            continue
        given = json.loads(done.stdout)["set"]
        given = {name: value for name, value in given.items() if value != defaults.get(name)}
        if set(given) != set(line["set"]) or not all(
            same(given[name], value) for name, value in line["set"].items()
        ):
            wrong.append((line["id"], line["set"], given))
    assert wrong == []


@pytest.mark.release_only  # many starts of one reader, which has a fuzz target
def test_every_flag_of_the_spec_is_known_with_its_default(bin_dir, spec):
    options = dry_run(bin_dir)["options"]
    ours_where_vllm_has_a_text = {"random_mm_limit_mm_per_prompt", "random_mm_bucket_config",
                                  "request_id_prefix", "endpoint"}
    for row in spec:
        assert row["name"] in options, row
        if row["name"] not in ours_where_vllm_has_a_text:
            assert options[row["name"]] == row["default"], row
        help_text = bench(bin_dir, "--help").stdout
        assert row["flags"][0].removeprefix("--no-") in help_text.replace("[no-]", "")


@pytest.mark.parametrize(
    "words, name, value",
    [
        (["--num-prompts", "7"], "num_prompts", 7),
        (["--num_prompts", "7"], "num_prompts", 7),
        (["--num-prompts=7"], "num_prompts", 7),
        (["--num_prompts=7"], "num_prompts", 7),
        (["--num-prompt", "7"], "num_prompts", 7),
        (["--num-prompts", "7", "--num-prompts", "8"], "num_prompts", 8),
        (["--num-prompts", "1_000"], "num_prompts", 1000),
        (["--num-prompts", " 12 "], "num_prompts", 12),
        (["--random-input", "9"], "random_input_len", 9),
        (["--request-rate", "inf"], "request_rate", "inf"),
        (["--request-rate", "1e1"], "request_rate", 10.0),
        (["--burstiness", "inf"], "burstiness", "inf"),
        (["--request-rate", "1e400"], "request_rate", "inf"),
        (["--metadata", "=b"], "metadata", ["=b"]),
        (["--presence-penalty", "-0.5"], "presence_penalty", -0.5),
        (["--goodput", "ttft:200", "tpot:50"], "goodput", ["ttft:200", "tpot:50"]),
        (["--goodput=ttft:200"], "goodput", ["ttft:200"]),
        (["--header"], "header", []),
        (["--metadata", "a=b", "c=d=e"], "metadata", ["a=b", "c=d=e"]),
        (["--extra-body", '{"a": 1}'], "extra_body", {"a": 1}),
        (["--extra-body.a.b", "2", "--extra-body.c=x"], "extra_body", {"a": {"b": 2}, "c": "x"}),
        (["--extra-body.stop+", "a,b", "--extra-body.stop+", "c"], "extra_body", {"stop": ["a", "b", "c"]}),
        (["--bfcl-categories", "a, b"], "bfcl_categories", ["a", "b"]),
        (["--label", "--", ], None, None),
    ],
)
def test_forms(bin_dir, words, name, value):
    done = bench(bin_dir, *words, "--dry-run", "--json")
    if name is None:
        assert done.returncode == 2 and "expected one argument" in done.stderr
        return
    if done.returncode == 2:
        assert LATER in done.stderr and name == "bfcl_categories", done.stderr
        return
    assert json.loads(done.stdout)["set"][name] == value


@pytest.mark.parametrize(
    "words, message, hint",
    [
        (["--dataset", "f.json"], "ambiguous option: --dataset could match --dataset-name, --dataset-path",
         "--dataset-name sharegpt --dataset-path FILE"),
        (["--endpoint-type", "x", "--nope", "1"], "unrecognized arguments: --endpoint-type x --nope 1",
         "--backend"),
        (["--endpoint_type=x"], "unrecognized arguments: --endpoint-type=x", "--backend"),
        (["--port", "http"], "argument --port: invalid int value: 'http'", None),
        (["--port"], "argument --port: expected one argument", None),
        (["--goodput"], "argument --goodput: expected at least one argument", None),
        (["--save-result=yes"], "argument --save-result: ignored explicit argument 'yes'", None),
        (["--save-result", "True"], "unrecognized arguments: True", "--save-result takes no value: leave out 'True'"),
        (["--skip_tokenizer-init", "true"], "unrecognized arguments: true", "--skip-tokenizer-init takes no value"),
        (["--seed", "1", "org/model"], "unrecognized arguments: org/model", "--model org/model"),
        (["--nope", "org/model"], "unrecognized arguments: --nope org/model", None),
        (["--seed=1", "--"], "unrecognized arguments: --", None),
        (["--he", "a=b"], "ambiguous option: --he could match --help, --header", None),
        (["--temperature", "-1e3"], "argument --temperature: expected one argument", None),
        (["--self-timed=1"], "argument --self-timed/--no-self-timed: ignored explicit argument '1'", None),
        (["--port", "it's"], 'argument --port: invalid int value: "it\'s"', None),
        (["--port", "++5"], "argument --port: invalid int value: '++5'", None),
        (["--temperature", "nan"], "--temperature: found text 'nan', expected a number", None),
        (["--backend", "tgi"], "argument --backend: invalid choice: 'tgi' (choose from 'vllm', 'openai'", "removed"),
        (["--backend", "sglang"], "argument --backend: invalid choice: 'sglang'", "--backend openai"),
        (["--dataset-name", "sonnet"], "argument --dataset-name: invalid choice: 'sonnet'", "random"),
        (["--backend", "tgi", "--dataset", "f"], "ambiguous option: --dataset", "sharegpt"),
        (["--request-rate", "fast"], "argument --request-rate: invalid float value: 'fast'", None),
        (["--extra-body", "{"], "argument --extra-body: invalid loads value: '{'", None),
        (["--extra-body", "{'a': 1}"], "argument --extra-body: invalid loads value: \"{'a': 1}\"",
         "JSON strings need double quotes"),
        (["--extra-body", '{"a": 1'], "argument --extra-body: invalid loads value", "not valid JSON: '}' expected"),
        (["--extra-body", '{"a": NaN}'], "argument --extra-body: invalid loads value: '{\"a\": NaN}'",
         "it has a number that is not finite, which cannot be sent"),
        (["--extra-body", '{"a": [-Infinity]}'], "argument --extra-body: invalid loads value", "not finite"),
        (["--extra-body", '{"a": 1e999}'], "argument --extra-body: invalid loads value", "not finite"),
        (["--extra-body", '{"a": 18446744073709551616}'], "argument --extra-body: invalid loads value",
         "it has an integer of more than 64 bits, which cannot be sent"),
        (["--extra-body", "{'NaN': 1}"], "argument --extra-body: invalid loads value", "double quotes"),
        (["--extra-body.a", "NaN"], "argument --extra-body.a: found a number that is not finite", None),
        (["--extra-body.a=[1, Infinity]"], "argument --extra-body.a: found a number that is not", None),
        (["--extra_body.a.b", "99999999999999999999"],
         "argument --extra-body.a.b: found an integer of more than 64 bits, which JSON does not allow", None),
        (["--extra-body." + ".".join("a" * 33), "1"], "argument --extra-body.a.a.", "at most 32"),
        (["org/model"], "unrecognized arguments: org/model", "--model org/model"),
        (["--sharegpt", "5"], "argument", None),
        (["--max-concurrency", "0"], "--max-concurrency: found number 0, expected an integer from 1", None),
        (["--seed", "-1"], "--seed: found number -1, expected an integer from 0 to 4294967295", None),
        (["--ramp-up-strategy", "linear", "--request-rate", "3", "--ramp-up-start-rps", "1", "--ramp-up-end-rps", "2"],
         "--request-rate: cannot be combined with --ramp-up-strategy", None),
        (["--ramp-up-strategy", "linear"], "--ramp-up-start-rps: is missing; --ramp-up-strategy needs it", None),
        (["--ramp-up-strategy", "linear", "--ramp-up-start-rps", "3", "--ramp-up-end-rps", "2"],
         "--ramp-up-end-rps: found number 2, expected a rate of at least --ramp-up-start-rps", None),
        (["--ramp-up-strategy", "exponential", "--ramp-up-start-rps", "0", "--ramp-up-end-rps", "2"],
         "--ramp-up-start-rps: found number 0, expected a rate above 0", None),
        (["--header", "abc"], "--header: found text '***', expected KEY=VALUE", None),
        (["--metadata", "abc"], "--metadata: found text 'abc', expected KEY=VALUE", None),
        (["--burstiness", "0"], "--burstiness: found number 0.0, expected a number above 0", None),
        (["--dataset-path", "x.json"], "--dataset-path: found 'x.json', but dataset 'random' reads no file", None),
        (["--dataset-name", "sharegpt"], "--dataset-path: is missing; dataset 'sharegpt' needs a file", None),
        (["--goodput", "ttft:x"], "--goodput: found text 'ttft:x', expected NAME:MILLISECONDS", None),
        (["--goodput", "itl:5"], "--goodput: found text 'itl:5', expected ttft, tpot or e2el", None),
        (["--metric-percentiles", "a"], "--metric-percentiles: found text 'a', expected numbers from 0 to 100", None),
        (["--num-prompts", "0"], "--num-prompts: found number 0, expected an integer of at least 1", None),
        (["--self-timed"], "--self-timed: it applies only to --dataset-name timed_trace", None),
    ],
)
def test_refusals(bin_dir, words, message, hint):
    if words == ["--sharegpt", "5"]:
        # an unambiguous beginning
        assert dry_run(bin_dir, *words)["set"] == {"sharegpt_output_len": 5}
        return
    done = bench(bin_dir, *words)
    assert done.returncode == 2
    assert first_error(done).startswith(message), done.stderr
    assert hint is None or hint in first_error(done)


def test_a_dry_run_lists_the_problems_of_the_run(bin_dir):
    shown = dry_run(bin_dir, "--dataset-name", "sharegpt", "--dataset-path", "/nowhere/x.json")
    assert any("/nowhere/x.json" in problem["text"] for problem in shown["problems"])
    problem, = dry_run(bin_dir, "--max-concurrency", "0")["problems"]
    assert problem["text"].startswith("--max-concurrency: found number 0, expected an integer from 1")
    assert (problem["key"], problem["pointer"]) == ("benchmark.max_concurrency", "/benchmark/max_concurrency")
    assert dry_run(bin_dir)["problems"] == []


def test_later_features_are_named(bin_dir, tmp_path):
    for words in (["--asr-min-audio-len-sec", "1"], ["--enable-multimodal-chat"]):
        done = bench(bin_dir, *words, "--dry-run")
        assert done.returncode == 2 and LATER in done.stderr, done.stderr
    for name in ("sweep",):
        done = subprocess.run([bin_dir / "profllm", "bench", name], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and f"{LATER} 'bench {name}'" in done.stderr


def test_dry_run_prints_the_plan(bin_dir):
    shown = dry_run(bin_dir, "--random-input-len", "100", "--random-range-ratio", "0.5", "--num-prompts", "40",
                    "--request-rate", "10", "--seed", "7", "--port", "9")
    assert shown["url"] == "http://127.0.0.1:9" and shown["endpoint"] == "/v1/completions"
    assert shown["plan"]["requests"] == 40
    assert shown["plan"]["last_send_s"] == pytest.approx(4.0)
    assert 50 <= shown["plan"]["prompt_tokens"]["min"] < shown["plan"]["prompt_tokens"]["max"] <= 150
    assert shown["plan"]["output_tokens"]["total"] > 40


def test_dry_run_draws_the_lengths_that_vllm_draws(bin_dir):
    shown = dry_run(bin_dir, "--random-input-len", "1024", "--random-output-len", "128", "--random-range-ratio",
                    ".2", "--num-prompts", "6")
    inputs, outputs = [1168, 1080, 1029, 929, 945, 835], [105, 102, 111, 145, 136, 150]
    assert shown["plan"]["prompt_tokens"] == {"min": min(inputs), "mean": sum(inputs) / 6, "max": max(inputs),
                                              "total": sum(inputs)}
    assert shown["plan"]["output_tokens"]["total"] == sum(outputs)


def test_a_header_is_not_shown(bin_dir):
    done = bench(bin_dir, "--header", "Authorization=Bearer geheim", "--dry-run", "--json")
    assert done.returncode == 0 and "geheim" not in done.stdout + done.stderr


def test_a_dry_run_plans_nothing_with_values_out_of_bounds(bin_dir):
    for words in (["--random-prefix-len", "-1"], ["--num-prompts", "99999999999999"], ["--num-prompts", "-5"]):
        shown = dry_run(bin_dir, *words)
        assert len(shown["problems"]) == 1 and shown["plan"]["prompt_tokens"] is None


@pytest.mark.parametrize("words, url", [
    ([], "http://127.0.0.1:8000"),
    (["--host", "::1", "--port", "5"], "http://[::1]:5"),
    (["--host", "[fe80::1]"], "http://[fe80::1]:8000"),
    (["--host", "h", "--port", "5", "--base-url", "http://other:9/x"], "http://other:9/x"),
])
def test_where_the_requests_go(bin_dir, words, url):
    assert dry_run(bin_dir, *words)["url"] == url


def test_a_dry_run_makes_no_folder(bin_dir, tmp_path):
    done = bench(bin_dir, "--save-result", "--result-dir", str(tmp_path / "a" / "b"), "--dry-run", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["problems"] == []
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("x")
    done = bench(bin_dir, "--save-result", "--result-dir", str(tmp_path / "file" / "b"), "--dry-run", "--json")
    assert any("could not create directory" in problem["text"] for problem in json.loads(done.stdout)["problems"])
