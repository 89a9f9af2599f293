"""`vllm bench serve` lines are equivalent to files: they are checked, converted to experiments, and written back."""
import json
import shlex
import stat
import subprocess

import pytest
import yaml

from run_tools import run_profllm
from validate_tools import errors, profllm, reports, warnings

BENCH = "vllm bench serve "
SCRIPT = "python3 benchmarks/benchmark_serving.py "


def check(bin_dir, folder, text, *args):
    [report] = reports(profllm(bin_dir, folder, "validate", "--json", *args, "--command-file", "-", stdin=text))
    return report


def from_command(bin_dir, folder, text, name="e.yaml"):
    done = profllm(bin_dir, folder, "config", "from-command", "--overwrite", "-o", name, "--command-file", "-",
                   stdin=text)
    assert done.returncode == 0, done.stderr
    return (folder / name).read_text()


def to_command(bin_dir, folder, *args):
    done = profllm(bin_dir, folder, "config", "to-command", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


# a command -> (word, key, nearest) of its one error
BAD = {
    "misspelt": (BENCH + "--num-promts 2", (4, "--num-promts", "--num-prompts")),
    "wrong choice": (BENCH + "--backend opnai", (5, "--backend", "openai")),
    "older name": (SCRIPT + "--endpoint-type openai", (3, "--endpoint-type", None)),
    "value missing": (BENCH + "--seed", (4, "--seed", None)),
    "out of bounds": (BENCH + "--seed -1", (4, "benchmark.seed", None)),
    "form of a text": (BENCH + "--goodput itl:5", (4, "benchmark.goodput", None)),
    "options together": (BENCH + "--ramp-up-strategy linear --ramp-up-start-rps 3 --ramp-up-end-rps 2",
                         (8, "benchmark.ramp_up_end_rps", None)),
    "over several lines": ("A=1 vllm bench serve \\\n  --seed 1 \\\n  --port http\n", (8, "--port", None)),
    "ours": (BENCH + "--retries 2", (4, "--retries", None)),
    "of the server": ("vllm serve m --port 1\nvllm bench serve --port 2", (9, "--port", None)),
}


@pytest.mark.parametrize("text, expected", BAD.values(), ids=BAD.keys())
def test_a_fault_is_reported_with_its_word(bin_dir, tmp_path, text, expected):
    [fault] = errors(check(bin_dir, tmp_path, text))
    assert (fault["word"], fault["key"], fault["nearest"]) == expected
    assert fault["col"] > 0 and fault["source"] == "standard input"


def test_a_caret_shows_the_word(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--", *shlex.split(BENCH + "--max-concurrency 0"))
    assert done.returncode == 2
    first, shown, caret, tally = done.stdout.splitlines()
    # in the words of who wrote it
    assert first.startswith("command line:1:18: --max-concurrency: found number 0, expected an integer from 1")
    assert shown[caret.index("^"):].startswith("--max-concurrency") and tally == "1 file, 1 error, 0 warnings"


@pytest.mark.parametrize("text", [BENCH, SCRIPT, BENCH + "--random-input 9 --num_prompt=7 --request-rate inf",
                                  "profllm bench serve --retries 2", "A=1 timeout 9 " + BENCH,
                                  "docker exec -it c " + BENCH, "bash -c '" + BENCH + "--seed 1'",
                                  "vllm serve m & sleep 9; " + BENCH])
def test_a_good_command_passes(bin_dir, tmp_path, text):
    assert errors(check(bin_dir, tmp_path, text)) == []


@pytest.mark.parametrize("text, name", [
    ("vllm bench sweep serve", "vllm bench sweep"),
    ("python benchmarks/benchmark_prefix_caching.py --model m", "benchmark_prefix_caching.py")])
def test_other_benchmarks_are_not_in_this_version(bin_dir, tmp_path, text, name):
    [fault] = errors(check(bin_dir, tmp_path, text))
    assert fault["reason"] == "not_in_this_version" and name in fault["found"]
    assert fault["word"] > 0
    done = profllm(bin_dir, tmp_path, "config", "from-command", "--", *shlex.split(text))
    assert done.returncode == 2 and name in done.stderr


def test_unsupported_features_are_reported_as_in_a_file(bin_dir, tmp_path):
    """The problem is a warning if no run follows."""
    options = {"asr_min_audio_len_sec": 2.0, "asr_max_audio_len_sec": 9.0}
    report = check(bin_dir, tmp_path, BENCH + " ".join(f"--{name.replace('_', '-')} {value}"
                                                       for name, value in options.items()))
    (tmp_path / "e.yaml").write_text(yaml.safe_dump({"launch": {"url": "http://h:1"}, "benchmark": options}))
    [file] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "e.yaml"))
    assert errors(report) == errors(file) == []

    def facts(one):
        # a file has a way out, client: vllm, that a line of vLLM's own client does not need
        return {(problem["key"], problem["reason"], problem["expected"].partition(";")[0]) for problem in warnings(one)}
    assert facts(report) == facts(file) and len(facts(report)) == 2


def completed(bin_dir, folder, name="e.yaml"):
    done = run_profllm(bin_dir, "run", "-c", name, "--dry-run", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_dry_run_continues_without_a_data_file(bin_dir, tmp_path):
    from_command(bin_dir, tmp_path, BENCH + "--dataset-name sharegpt --dataset-path /nowhere/x.json")
    [problem] = completed(bin_dir, tmp_path)["problems"]
    assert problem["reason"] == "host" and "/nowhere/x.json" in problem["expected"]


# from here on lines of our own: what the shared ones have, and what they have not
LINES = [
    BENCH,
    SCRIPT + "--backend openai-chat --endpoint /v1/chat/completions --model a/b --port 9000 --host 10.0.0.1",
    BENCH + "--base-url http://h:1/v1 --dataset-name sharegpt --dataset-path /nowhere/x.json --seed 3",
    BENCH + "--random-input 9 --random_output=8 --random-range-ratio 0.5 --num-prompt 7 --request-rate 2.5 "
            "--burstiness inf --max-concurrency 4 --ignore-eos --temperature 0 --extra-body.top_k 20",
    BENCH + "--goodput ttft:200 tpot:50 --metadata a=b 'c=d e' --percentile-metrics ttft,e2el --metric-percentiles "
            "50,99 --save-result --result-dir ./r --result-filename x.json --label 'my run' --plot-timeline",
    BENCH + "--ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps 8 --lora-modules a b "
            "--lora-assignment round-robin --header X=y --presence-penalty=-0.5 --extra-body '{\"a\": [1, {}]}'",
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_becomes_a_file_that_means_the_same(bin_dir, tmp_path, line):
    """The values equal those that `bench serve` completes, and the line made from the file yields the same file."""
    words = shlex.split(line)
    words = words[words.index("serve") + 1:] if "serve" in words else words[2:]
    bench = run_profllm(bin_dir, "bench", "serve", *words, "--dry-run", "--json", cwd=tmp_path)
    assert bench.returncode == 0, bench.stderr
    text = from_command(bin_dir, tmp_path, line)
    assert completed(bin_dir, tmp_path)["config"]["benchmark"] == json.loads(bench.stdout)["options"]
    back = to_command(bin_dir, tmp_path, "--bench", "e.yaml")
    assert back.startswith("vllm bench serve")
    again = from_command(bin_dir, tmp_path, back, "again.yaml")
    assert again == text.replace("X=y", "X=***")


BOTH = ("vllm serve org/m -tp 2 --port 9000 --api-key geheim &\n"
        "OPENAI_API_KEY=geheim vllm bench serve --backend openai-chat --model org/m --port 9000 --num-prompts 5\n")


def test_a_line_of_each_is_one_experiment(bin_dir, tmp_path):
    text = from_command(bin_dir, tmp_path, BOTH)
    file = yaml.safe_load(text)
    assert file["server"] == {"model": "org/m", "tensor_parallel_size": 2, "port": 9000, "api_key": ["geheim"]}
    assert file["launch"] == {"command": ["vllm", "serve"]}
    assert file["benchmark"] == {"backend": "openai-chat", "model": "org/m", "num_prompts": 5}
    server = to_command(bin_dir, tmp_path, "e.yaml")
    load = to_command(bin_dir, tmp_path, "--bench", "--oneline", "e.yaml")
    assert load == ("OPENAI_API_KEY='***' vllm bench serve --port 9000 --backend openai-chat --model org/m "
                    "--num-prompts 5\n")
    again = yaml.safe_load(from_command(bin_dir, tmp_path, server + load, "again.yaml"))
    assert (again["server"], again["benchmark"]) == (
        {name: value for name, value in file["server"].items() if name != "api_key"}, file["benchmark"])
    # words of a shell, and whole commands in quotes
    words = ["vllm", "serve", "org/m", "&&", "vllm", "bench", "serve"]
    one, other = (profllm(bin_dir, tmp_path, "config", "from-command", "--", *given).stdout
                  for given in (words, ["vllm serve org/m", "vllm bench serve "]))
    assert one == other and "benchmark: {}" in one


def test_a_load_for_another_server_is_refused(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "config", "from-command", "-o", "e.yaml", "--", "vllm", "serve", "m", "--port",
                   "1", ";", *shlex.split(BENCH + "--port 2"))
    assert done.returncode == 2 and "1, the port of the server that the other command starts" in done.stderr
    assert not (tmp_path / "e.yaml").exists()


SECRET = "OPENAI_API_KEY=hidden1 vllm bench serve --header 'X-Key=hidden2' 'X-More=a$hidden4' --extra-body '{\"token\": \"hidden3\"}'"


def test_secrets_are_written_into_a_private_file_alone(bin_dir, tmp_path):
    shown = profllm(bin_dir, tmp_path, "config", "from-command", "--", "bash", "-c", SECRET)
    assert shown.returncode == 0 and "hidden" not in shown.stdout + shown.stderr and "***" in shown.stderr
    text = from_command(bin_dir, tmp_path, SECRET)
    assert stat.S_IMODE((tmp_path / "e.yaml").stat().st_mode) == 0o600
    assert [f"hidden{i}" in text for i in (1, 2, 3, 4)] == [True] * 4
    assert "hidden" not in to_command(bin_dir, tmp_path, "--bench", "e.yaml")
    (tmp_path / "shown.yaml").write_text(shown.stdout)
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "shown.yaml"))
    assert {one["key"] for one in warnings(report) if one["reason"] == "placeholder"} == {
        "launch.env.OPENAI_API_KEY", "benchmark.header"}


def test_inexpressible_keys_of_a_line_are_reported(bin_dir, tmp_path):
    (tmp_path / "e.yaml").write_text("launch: {url: 'http://h:1'}\nbenchmark: {retries: 2, seed: 1, client: native}\n")
    done = profllm(bin_dir, tmp_path, "config", "to-command", "--bench", "--oneline", "e.yaml")
    assert (done.returncode, done.stdout) == (0, "vllm bench serve --base-url http://h:1 --seed 1\n")
    assert done.stderr.count("\n") == 1 and "benchmark.retries was omitted" in done.stderr
    for text, facts in (("benchmark: {kind: latency, mode: server}\n", "benchmark.kind"),
                       ("benchmark: {dataset_name: sonnet, dataset_path: f}\n", "'sonnet'"),
                       ("server: {uds: /s}\n", "server.uds"),
                       ("benchmark: {metadata: [a=b, '-c=d']}\n", "benchmark.metadata")):
        (tmp_path / "e.yaml").write_text("launch: {command: [vllm, serve]}\n" + text)
        done = profllm(bin_dir, tmp_path, "config", "to-command", "--bench", "e.yaml")
        assert done.returncode == 2 and facts in done.stderr, done.stderr
    from_command(bin_dir, tmp_path, BENCH)
    done = profllm(bin_dir, tmp_path, "config", "to-command", "e.yaml")
    assert done.returncode == 2 and "--bench" in done.stderr


@pytest.mark.parametrize("line", [
    "vllm bench latency --model org/m --max-model-len 2048 --batch-size 4 --output-json o.json",
    "X=y /opt/bin/vllm bench throughput --model org/m --compilation-config '{\"cudagraph_mode\": \"FULL\"}' --num-prompts 4",
    "vllm bench startup --model org/m -tp 2 --num-iters-cold 1",
    "vllm bench mm-processor --model org/m --num-prompts 4",
])
def test_an_offline_benchmark_is_one_line(bin_dir, tmp_path, line):
    made = from_command(bin_dir, tmp_path, line)
    for how in ((), ("--bench",)):
        written = to_command(bin_dir, tmp_path, *how, "--oneline", "e.yaml")
        words = shlex.split(written)
        assert words[words.index("bench"):][:2] == shlex.split(line)[shlex.split(line).index("bench"):][:2]
        assert from_command(bin_dir, tmp_path, written) == made
    (tmp_path / "e.yaml").write_text("launch: {container: {image: i}}\nbenchmark: {kind: latency, mode: in_process}\n")
    done = profllm(bin_dir, tmp_path, "config", "to-command", "e.yaml")
    assert done.returncode == 2 and "launch.container" in done.stderr


@pytest.fixture(scope="module")
def lines(test_data_dir):
    with open(test_data_dir / "data" / "commands" / "bench-commands.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if row["sub"] in ("serve", "benchmark_serving.py", "vllm.benchmarks.serve")]


@pytest.fixture(scope="module")
def answers(bin_dir, lines):
    """Returns the reader's result for each line, and the options of `bench serve` with its words; one process reads all."""
    asked = "".join(json.dumps({"command": row["command"], "argv": row["argv"], "release": None}) + "\n"
                    for row in lines)
    done = subprocess.run([bin_dir.parent / "tests" / "command_driver"], input=asked, capture_output=True, text=True,
                          check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_real_lines_are_judged_as_vllm_judges_them(lines, answers):
    wrong = [row["id"] for row, answer in zip(lines, answers, strict=True) if row["ok"] != (not answer["errors"])]
    assert wrong == [] and len(lines) > 100


def test_real_lines_become_files_that_mean_the_same(lines, answers):
    """The completed values are equal, key by key. A value out of the bounds of the file is refused by both."""
    same = refused = 0
    for row, answer in zip(lines, answers, strict=True):
        if not row["ok"]:
            continue
        assert all(answer["load"][name] == value for name, value in row["set"].items()), row["id"]
        if answer["yaml_values"] is None:
            assert "benchmark." in answer["yaml_error"], row["id"]
            refused += 1
            continue
        assert answer["benchmark"] == answer["bench_serve"], row["id"]
        same += 1
    assert same > 80 and refused < 10


def test_some_real_lines_by_the_program(bin_dir, lines, answers, tmp_path):
    """Converts lines to files and back with the program."""
    taken = [(row, answer) for row, answer in zip(lines, answers, strict=True)
             if row["ok"] and answer["yaml_values"] is not None][::8]
    for row, answer in taken:
        text = from_command(bin_dir, tmp_path, row["command"])
        done = run_profllm(bin_dir, "run", "-c", "e.yaml", "--dry-run", "--json", cwd=tmp_path)
        if done.returncode == 2:
            assert {one["reason"] for one in json.loads(done.stdout)["problems"] if one["severity"] == "error"} == {"not_in_this_version"}, row["id"]
        else:
            assert json.loads(done.stdout)["config"]["benchmark"] == answer["bench_serve"], row["id"]
        back = to_command(bin_dir, tmp_path, "--bench", "e.yaml")
        assert from_command(bin_dir, tmp_path, back, "again.yaml") == text, row["id"]
    assert len(taken) > 8


@pytest.mark.parametrize("words", [["--help"], ["--nmu-runs", "3"], ["word"]])
def test_vllms_sweeps_have_two_names(bin_dir, words):
    """`bench sweep KIND` is `sweep KIND`: equal output and exit status."""
    for kind in ("serve", "serve_workload", "serve_sla", "startup"):
        short, long = (run_profllm(bin_dir, *start, kind, *words) for start in (["sweep"], ["bench", "sweep"]))
        assert short.returncode == (0 if words == ["--help"] else 2) and (short.returncode or f" {kind} " in short.stdout)
        assert (long.returncode, long.stdout, long.stderr) == (short.returncode, short.stdout, short.stderr)
