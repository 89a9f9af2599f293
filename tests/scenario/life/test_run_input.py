"""Invalid input: the right exit status, one line with the location, nothing started, no files left."""
import json
import os
import re
import socket
import stat

import pytest
from run_tools import base_config, run_profllm, write_config

GOOD = """server:
  model: sim/test
launch:
  command: [profllm-sim, serve]
benchmark:
  backend: openai
  dataset_name: random
  num_prompts: 2
"""

# name, text of the file, part of the line after the file's name
BAD_FILES = [
    ("not_yaml", "server: [1, 2\nbenchmark: {", ":2:"),
    ("unknown_argument", GOOD.replace("model: sim/test", "model: sim/test\n  tensor_paralel_size: 2"),
     ":3:3: server.tensor_paralel_size: unknown argument"),
    ("unknown_option", GOOD.replace("num_prompts", "num_promts"), ":8:3: benchmark.num_promts: unknown option"),
    ("unknown_section", GOOD + "lanch: {}\n", ":9:1: lanch: unknown key"),
    ("wrong_type", GOOD.replace("num_prompts: 2", "num_prompts: many"),
     ":8:16: benchmark.num_prompts: found "),
    ("out_of_range", GOOD.replace("num_prompts: 2", "num_prompts: 0"),
     ":8:16: benchmark.num_prompts: found "),
    ("wrong_choice", GOOD.replace("backend: openai", "backend: opnai"),
     ":6:12: benchmark.backend: found "),
    ("wrong_duration", GOOD.replace("serve]", "serve]\n  stop_timeout: soon"),
     ":5:17: launch.stop_timeout: found "),
]


def assert_nothing_left(folder, *known):
    assert sorted(path.name for path in folder.iterdir()) == sorted(known)


@pytest.mark.parametrize("name,text,line", BAD_FILES, ids=[bad[0] for bad in BAD_FILES])
def test_bad_file(bin_dir, tmp_path, patience, name, text, line):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json", patience=patience)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith(f"{path}{line}"), done.stderr
    if "found" in line:
        assert ", expected " in done.stderr
    assert_nothing_left(tmp_path, "bad.yaml")


def test_misspelt_argument_is_suggested(bin_dir, tmp_path, patience):
    path = tmp_path / "bad.yaml"
    path.write_text(BAD_FILES[1][1])
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json", patience=patience)
    assert "'tensor_parallel_size'" in done.stderr


def test_missing_file(bin_dir, tmp_path, patience):
    done = run_profllm(bin_dir, "run", "-c", tmp_path / "none.yaml", "-o", tmp_path / "r.json",
                       patience=patience)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and str(tmp_path / "none.yaml") in done.stderr
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("output, why", [
    ("no/such/folder/r.json", "directory '{here}/no/such/folder' does not exist"),
    ("none/", "directory '{here}/none' does not exist"),
    (".", "it is a directory"),
    ("/proc/r.json", "in directory '/proc': "),
    ("experiment.yaml/r.json", "in directory '{here}/experiment.yaml': Not a directory"),
])
def test_output_that_cannot_be_written_names_the_folder(bin_dir, tmp_path, patience, output, why):
    path = write_config(tmp_path, base_config())
    done = run_profllm(bin_dir, "run", "-c", path, "-o", f"{tmp_path}/{output}" if output[0] != "/" else output,
                       patience=patience)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and re.match("profllm: error: (cannot|could not) write '", done.stderr)
    assert why.format(here=tmp_path) in done.stderr
    assert_nothing_left(tmp_path, "experiment.yaml")
    # where one is: its whole name
    done = run_profllm(bin_dir, "run", "-c", path, "-o", "n" * 300, cwd=tmp_path, patience=patience)
    assert done.returncode == 2 and f"in directory '{tmp_path}': File name too long" in done.stderr


def test_fixed_port_in_use(bin_dir, tmp_path, patience):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        config = base_config()
        config["launch"]["port"] = port
        done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                           tmp_path / "r.json", patience=patience)
    assert done.returncode == 5
    assert len(done.stderr.splitlines()) == 1 and f"'{port}'" in done.stderr
    assert_nothing_left(tmp_path, "experiment.yaml")


@pytest.mark.parametrize("benchmark,word", [
    ({"dataset_name": "sharegpt", "dataset_path": "/no/such/file.json"}, "/no/such/file.json"),
    ({"dataset_name": "sharegpt"}, "dataset_path"),
    ({"goodput": ["ttft=200"]}, "goodput"),
    ({"metric_percentiles": "50,high"}, "metric_percentiles"),
    ({"backend": "openai-audio"}, "benchmark.dataset_name: "),
    ({"repeats": 3}, "benchmark.repeats: "),
    ({"endpoint": "/v1/embeddings"}, "benchmark.endpoint"),
    ({"base_url": "http://127.0.0.1:1"}, "launch.command"),
])
def test_options_that_cannot_work(bin_dir, tmp_path, patience, benchmark, word):
    path = write_config(tmp_path, base_config(**benchmark))
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json", patience=patience)
    assert done.returncode == 2, done.stderr
    error, = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert word in error
    assert_nothing_left(tmp_path, "experiment.yaml")


@pytest.mark.parametrize("args,word", [
    ([], "Usage: profllm"),
    (["rum"], "did you mean 'run'"),
    (["--versoin"], "unknown"),
    (["run"], "--config"),
    (["run", "-c", "x.yaml"], "--output"),
    (["run", "-c", "x.yaml", "-o", "y", "--fail-on", "everything"], "--fail-on"),
    (["run", "--confg", "x.yaml"], "'--config'"),
    (["run", "-c", "x.yaml", "-o", "y", "--wait=-1"], "--wait"),
    (["run", "-c", "x.yaml", "-o", "y", "more"], "'more'"),
])
def test_usage(bin_dir, tmp_path, patience, args, word):
    done = run_profllm(bin_dir, *args, cwd=tmp_path, patience=patience)
    assert done.returncode == 2
    assert word in done.stderr + done.stdout
    assert_nothing_left(tmp_path)


BENCH_LATER = ["forward"]  # of `vllm bench`


def test_commands_of_later_versions_are_announced(bin_dir, patience):
    help_text = run_profllm(bin_dir, "--help", patience=patience).stdout
    assert "\n  " + ", ".join(BENCH_LATER) + "\n" in help_text and max(map(len, help_text.splitlines())) <= 80
    for words in (["bench", "sweep"], *(["bench", name] for name in BENCH_LATER), *([name] for name in BENCH_LATER)):
        of_vllm = run_profllm(bin_dir, *words, patience=patience)
        assert of_vllm.returncode == 2 and f"this version does not support '{' '.join(words)}'" in of_vllm.stderr


@pytest.mark.parametrize("key, value", [
    ("server.max_num_seqs", "lots"),
    # more parts than are read
    ("server.hf_overrides." + ".".join("abcdefghijklmnopqrst"), "1"),
])
def test_set_is_checked_as_the_file_is(bin_dir, tmp_path, patience, key, value):
    path = write_config(tmp_path, base_config())
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json", "--set",
                       f"{key}={value}", patience=patience)
    assert done.returncode == 2
    assert done.stderr.startswith(f"--set: {key}: found "), done.stderr


def test_version_and_help(bin_dir, patience):
    version = run_profllm(bin_dir, "--version", patience=patience)
    assert version.returncode == 0 and version.stdout.startswith("profllm ")
    listing = run_profllm(bin_dir, "--help", patience=patience)
    assert listing.returncode == 0
    commands = [line.split()[0] for line in
                listing.stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
    assert "run" in commands
    for name in commands:
        text = run_profllm(bin_dir, name, "--help", patience=patience)
        assert text.returncode == 0 and text.stdout and text.stderr == ""
        assert run_profllm(bin_dir, "help", name, patience=patience).stdout == text.stdout


def test_dry_run_starts_nothing(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["env"] = {"SIM_PLAIN": "shown", "MY_API_KEY": "hidden-77"}
    path = write_config(tmp_path, config)
    done = run_profllm(bin_dir, "run", "-c", path, "--dry-run", "--json", patience=patience)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert list(plan) == ["argv", "env", "gpus", "port", "config", "warnings", "problems"]
    assert plan["argv"][:3] == ["profllm-sim", "serve", "sim/test"]
    assert plan["argv"][-2:] == ["--sim-step", "2ms"]
    assert plan["argv"][plan["argv"].index("--port") + 1] == str(plan["port"])
    assert plan["env"]["SIM_PLAIN"] == "shown" and plan["env"]["MY_API_KEY"] == "***"
    assert "hidden-77" not in done.stdout
    assert plan["config"]["benchmark"]["num_prompts"] == 20
    people = run_profllm(bin_dir, "run", "-c", path, "--dry-run", patience=patience)
    assert people.returncode == 0
    assert people.stdout.startswith("argv:   profllm-sim serve sim/test ")
    heads = [line.split(":")[0] for line in people.stdout.splitlines() if not line.startswith((" ", "}"))]
    assert [head for head in heads if head != "warning"] == ["argv", "env", "gpus", "port", "config"]
    assert "MY_API_KEY='***'" in people.stdout and "hidden-77" not in people.stdout
    assert_nothing_left(tmp_path, "experiment.yaml")


def test_dry_run_warns_of_a_missing_program(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["command"] = ["no-such-server", "serve"]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "--dry-run", "--json",
                       patience=patience)
    assert done.returncode == 0
    warning, = [text for text in json.loads(done.stdout)["warnings"] if "no-such-server" in text]
    people = run_profllm(bin_dir, "run", "-c", tmp_path / "experiment.yaml", "--dry-run", patience=patience).stdout
    assert people.index(f"\nwarning: {warning}\n") < people.index("\nconfig: {\n")
    config["launch"] = {"url": "http://127.0.0.1:9"}
    people = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "--dry-run", patience=patience).stdout
    assert people.startswith("argv:   none; the server at http://127.0.0.1:9 is running\nenv:    no additions to your environment\n")


def test_inputs_are_not_overwritten(bin_dir, tmp_path, patience):
    data = tmp_path / "data.jsonl"
    data.write_text('{"prompt": "hello"}\n')
    config = base_config(dataset_name="custom", dataset_path=str(data))
    path = write_config(tmp_path, config)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    before = path.read_text()
    for output in (path, data, link):
        done = run_profllm(bin_dir, "run", "-c", path, "-o", output, patience=patience)
        assert done.returncode == 2
        assert f"'{output}', which it reads" in done.stderr
    assert path.read_text() == before and data.read_text() == '{"prompt": "hello"}\n'
    assert_nothing_left(tmp_path, "experiment.yaml", "data.jsonl", "link.json")


def test_output_is_a_regular_file(bin_dir, tmp_path, patience):
    path = write_config(tmp_path, base_config())
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for output in (pipe, "/dev/null"):
        done = run_profllm(bin_dir, "run", "-c", path, "-o", output, patience=patience)
        assert done.returncode == 2
        assert f"cannot write '{output}': it is not a regular file" in done.stderr
    assert stat.S_ISFIFO(pipe.stat().st_mode) and stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert_nothing_left(tmp_path, "experiment.yaml", "pipe.json")
