"""The commands that repeat a result (`GET …/command`): those of every example, pasted back, run with the same configuration;
for files that others wrote, only what they record; hostile documents reach no file and no variable of the server."""
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from dashboard_tools import GOOD, Dashboard, little
from run_tools import environment, load_result, run_profllm

SOURCE = Path(__file__).resolve().parents[3]
EXAMPLES = sorted((SOURCE / "configs/examples").glob("*.yaml"))
# options of profllm that an example sets, which vLLM's command line cannot have
OMITTED = {
    "agent-sessions": ["multi_turn", "multi_turn_concurrency"],
    "conversations": ["multi_turn", "multi_turn_max_turns", "multi_turn_concurrency", "multi_turn_delay_ms"],
    "replay-trace": ["timed_trace_speed", "cache_bust"],
}
FEW = [word for key in ("num_prompts=6", "num_warmups=1", "request_rate=50") for word in ("--set", f"benchmark.{key}")]


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    env = {"PROFLLM_TEST_LEAK": "leaked-value"}
    with Dashboard(bin_dir, tmp_path_factory.mktemp("command") / "d.db", env=env) as one:
        yield one


def command_of(dashboard, word):
    said = dashboard.get(f"/api/data/experiments/{word}/command").json
    return {one["id"]: one for one in said["commands"]}, {one["key"]: one["text"] for one in said["not_recorded"]}, said["secrets"]


def config_of(path):
    """Returns the configuration without the port of the server, which each run chooses."""
    config = load_result(path)["config"]
    assert config["server"].pop("port") > 0
    return config


def shell(bin_dir, line, folder, patience):
    env = {**environment(), "PATH": f"{bin_dir}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", line], cwd=folder, env=env, capture_output=True, text=True, timeout=60 * patience, check=False)
    assert done.returncode == 0, line + done.stderr + done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_pasted_back(bin_dir, dashboard, tmp_path, patience, example):
    file = re.search(r"dataset_path: (\S+)", example.read_text())
    more = ["--set", f"benchmark.dataset_path={SOURCE}/{file.group(1)}"] if file else []
    done = run_profllm(bin_dir, "run", "-c", example, *FEW, *more, "-o", tmp_path / "first.json", "--upload", dashboard.url, patience=patience)
    first = load_result(tmp_path / "first.json")
    assert done.returncode == 0, done.stderr
    commands, missing, secrets = command_of(dashboard, first["run_id"])
    omitted = OMITTED.get(example.stem, [])
    assert all(one["text"] and one["reason"] is None for one in commands.values()) and secrets == []
    assert {name for name, one in commands.items() if not one["complete"]} == ({"load"} if omitted else set())
    assert sorted(note.split()[0] for note in commands["load"]["notes"]) == sorted(f"benchmark.{name}" for name in omitted)
    assert set(missing) == ({"benchmark.dataset_path"} if more else set())
    # the result, saved under the name in the command
    raw = dashboard.get(f"/api/data/experiments/{first['run_id']}/raw").body
    (tmp_path / commands["repeat"]["file"]).write_bytes(raw)
    shell(bin_dir, commands["repeat"]["text"].strip(), tmp_path, patience)
    again = config_of(tmp_path / "repeat.json")
    config = config_of(tmp_path / "first.json")
    assert again == config
    # the experiment file: other request ids are drawn
    (tmp_path / commands["experiment"]["file"]).write_text(commands["experiment"]["text"])
    shell(bin_dir, f"profllm run --config {commands['experiment']['file']} -o file.json", tmp_path, patience)
    file = config_of(tmp_path / "file.json")
    file["benchmark"]["request_id_prefix"] = config["benchmark"]["request_id_prefix"]
    assert file == config
    # both command lines, as a user pastes them
    pasted = f"{commands['server']['text'].strip()} && {commands['load']['text'].strip()}"
    paste = f"profllm config from-command -o pasted.yaml -- {shlex.quote(pasted)}"
    extra = yaml.safe_load(example.read_text())["launch"].get("extra_args")
    if extra:  # vLLM has no such argument, and the command names it
        done = subprocess.run(["sh", "-c", paste], cwd=tmp_path, env={**environment(), "PATH": f"{bin_dir}:{os.environ['PATH']}"},
                              capture_output=True, text=True, timeout=60 * patience, check=False)
        assert done.returncode == 2 and f"{extra[0]}: unknown argument" in done.stderr, done.stderr
        return
    shell(bin_dir, paste, tmp_path, patience)
    if omitted:  # the rest is another load
        whole = yaml.safe_load(commands["experiment"]["text"])["benchmark"]
        drawn = {key: config["benchmark"][key] for key in ("seed", "request_id_prefix")}
        assert yaml.safe_load((tmp_path / "pasted.yaml").read_text())["benchmark"] == {**drawn, **{key: whole[key] for key in whole if key not in omitted}}
        return
    shell(bin_dir, "profllm run --config pasted.yaml -o pasted.json", tmp_path, patience)
    pasted = config_of(tmp_path / "pasted.json")
    for part in ("server", "server_source", "server_explicit", "benchmark"):
        assert pasted[part] == config[part], part


def test_a_file_of_vllm(dashboard):
    flat = {"date": "20260101-000000", "backend": "openai", "model_id": "m/x", "tokenizer_id": "m/x", "num_prompts": 10, "request_rate": "inf", "burstiness": 1.0,
            "max_concurrency": 4, "completed": 10, "duration": 2.0, "total_input_tokens": 10, "total_output_tokens": 10, "mean_ttft_ms": 1.0,
            "seed": "7", "label": "it's"}
    job = dashboard.upload("/api/upload/json", flat)
    assert job["counts"]["stored"] == 1
    commands, missing, secrets = command_of(dashboard, job["items"][0]["id"])
    assert [commands[one]["text"] for one in ("repeat", "experiment", "server")] == [None] * 3
    assert all(commands[one]["reason"] for one in ("repeat", "experiment", "server"))
    words = shlex.split(commands["load"]["text"].replace("\\\n", " "))
    assert words[:3] == ["vllm", "bench", "serve"] and not commands["load"]["complete"]
    given = dict(zip(words[3::2], words[4::2], strict=True))
    assert given == {"--backend": "openai", "--model": "m/x", "--tokenizer": "m/x", "--num-prompts": "10", "--request-rate": "inf", "--burstiness": "1.0",
                     "--max-concurrency": "4", "--label": "it's", "--seed": "7"}
    assert {"server", "launch", "benchmark.dataset_name", "benchmark.num_warmups"} <= set(missing) and "benchmark.seed" not in missing and secrets == []


def test_a_latency_file_of_vllm(dashboard):
    job = dashboard.upload("/api/upload/json", {"avg_latency": 1.0, "latencies": [1.0, 1.0], "percentiles": {"50": 1.0, "90": 1.0}})
    assert job["counts"]["stored"] == 1, job
    commands, missing, _ = command_of(dashboard, job["items"][0]["id"])
    assert all(one["text"] is None for one in commands.values())
    assert "'vllm bench latency'" in commands["load"]["reason"] and "benchmark" in missing


def test_a_document_of_the_first_form(dashboard):
    """It has the arguments, not which of them were set; a part of the load that needs more says so."""
    config = {"server": {"model": "m/x", "tensor_parallel_size": 2, "quantization": None, "future_flag": 1}, "benchmark": {"dataset_name": "sharegpt", "num_prompts": 9}}
    assert dashboard.upload("/api/upload/json", little(1, config=config))["counts"]["stored"] == 1
    commands, missing, _ = command_of(dashboard, "small-1")
    assert shlex.split(commands["server"]["text"].replace("\\\n", " ")) == ["vllm", "serve", "m/x", "--tensor-parallel-size", "2"]
    assert not commands["server"]["complete"] and "config.experiment" in commands["repeat"]["reason"]
    assert {"config.server_source", "benchmark.dataset_path", "launch"} <= set(missing)
    assert dashboard.upload("/api/upload/json", little(2))["counts"]["stored"] == 1
    commands, missing, _ = command_of(dashboard, "small-2")
    assert all(one["text"] is None and one["reason"] for one in commands.values()) and "server" in missing


def stored(dashboard, number, experiment, **more):
    result = {**GOOD, **more, "run_id": f"exp_20260102_000000_{number:06x}", "config": {**GOOD["config"], "experiment": experiment}}
    job = dashboard.upload("/api/upload/json", result)
    assert job["counts"]["stored"] == 1, job
    return command_of(dashboard, result["run_id"])


def test_a_hostile_experiment_reaches_nothing(dashboard, tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_text("max-num-seqs: 4711\n")
    odd = "$(touch pwned)"
    commands, missing, secrets = stored(dashboard, 1, {
        "server": {"model": "${PROFLLM_TEST_LEAK}/it's", "config": str(secret), "api_key": "***", "chat_template": "${PROFLLM_TEST_LEAK} ; ${HOME}"},
        "launch": {"env": {"A": "${PROFLLM_TEST_LEAK}", "B": "${X:-" + odd + "}", "C": odd, "HF_TOKEN": "***"}, "extra_args": ["--x=`id`", "--y=a\nb"]},
        "benchmark": {"num_prompts": 3, "dataset_name": "random"}})
    text = json.dumps([commands, missing])
    assert "leaked-value" not in text and "4711" not in text
    assert secrets == ["server.api_key", "launch.env.HF_TOKEN"]
    assert not commands["server"]["complete"] and "server.config" in missing
    # a shell replaces the variables with names, and runs nothing
    assert commands["server"]["text"], commands["server"]["reason"]
    script = "vllm() { printf '%s\\n' \"$A\" \"$B\" \"$C\" \"$@\"; }; " + commands["server"]["text"]
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env={"PATH": os.environ["PATH"], "PROFLLM_TEST_LEAK": "mine", "HOME": "/h"},
                          capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[:5] == ["mine", "${X:-" + odd + "}", odd, "serve", "mine/it's"]
    assert "mine ; /h" in done.stdout and "`id`" in done.stdout and [path.name for path in tmp_path.iterdir()] == ["secret.yaml"]
    assert yaml.safe_load(commands["experiment"]["text"])["launch"]["env"]["C"] == odd


def test_names_of_variables_are_no_commands(dashboard, tmp_path):
    """A shell takes an assignment only with the name of a variable; any other text before '=' would be run."""
    commands, *_ = stored(dashboard, 4001, {"server": {"model": "m/x"}, "launch": {"env": {"X;touch pwned;Y": "1", "A B": "it's", "GOOD": "2"}},
                                            "benchmark": {"num_prompts": 3, "dataset_name": "random"}})
    words = shlex.split(commands["server"]["text"].replace("\\\n", " "))
    assert {"X;touch pwned;Y=1", "A B=it's", "GOOD=2"} <= set(words)
    subprocess.run(["sh", "-c", "vllm() { :; }\n" + commands["server"]["text"]], cwd=tmp_path, check=False, capture_output=True)
    assert not (tmp_path / "pwned").exists()


def test_a_comment_stays_one_line(dashboard):
    result = {**GOOD, "run_id": "exp_20260102_000000_000fa2", "environment": {**GOOD["environment"], "engine": {
        "name": "vllm", "version": "1\u2028extra: 1\u0085zzz: 2", "simulated": None}},
        "config": {**GOOD["config"], "experiment": {"server": {"model": "m/x"}, "benchmark": {"num_prompts": 3}}}}
    assert dashboard.upload("/api/upload/json", result)["counts"]["stored"] == 1
    commands, *_ = command_of(dashboard, result["run_id"])
    text = commands["experiment"]["text"]
    assert all(line.startswith("#") for line in text.splitlines() if "extra" in line or "zzz" in line), text


def test_a_result_does_not_change_a_terminal(dashboard):
    """\x1b[201~ ends a paste in many terminals, so that the rest would be run; \u202e reverses what a reader sees."""
    odd = "a\x1b[201~id\n\r'\tb"
    commands, *_ = stored(dashboard, 4003, {"server": {"model": "m/" + odd}, "benchmark": {"num_prompts": 3, "dataset_name": "random"}},
                          environment={**GOOD["environment"], "engine": {"name": "vllm", "version": "1\u202e2", "simulated": None}})
    text = commands["server"]["text"]
    assert text is not None, commands["server"]["reason"]
    assert not set(text) & {"\x1b", "\r"} and "\u202e" not in commands["experiment"]["text"]
    done = subprocess.run(["bash", "-c", "vllm() { printf '%s' \"$2\"; }\n" + text], capture_output=True, check=True)
    assert done.stdout.decode() == "m/" + odd


def test_what_cannot_be_written_has_a_reason(dashboard):
    commands, missing, _ = stored(dashboard, 2, {"server": {"model": "m", "tensor_parallel_size": "${TP}"}})
    assert commands["server"]["text"] is None and "server.tensor_parallel_size: found text '${TP}'" in commands["server"]["reason"]
    assert commands["experiment"]["text"] and commands["repeat"]["text"]
    commands, missing, _ = stored(dashboard, 3, {"server": {"model": "m"}, "launch": {"url": "http://h:1"}, "benchmark": {"dataset_name": "random"}})
    assert "running server" in commands["server"]["reason"] and "launch.url" in missing and "--base-url http://h:1" in commands["load"]["text"]
    commands, missing, _ = stored(dashboard, 4, {"server": {"model": "m"}, "benchmark": {"kind": "latency"}})
    assert "own engine" in commands["server"]["reason"] and commands["load"]["text"].startswith("vllm bench latency")
    for odd in ({}, {"server": []}, {"server": {"model": 1}}, {"benchmark": {"num_prompts": "x"}}, {"launch": {"env": "x"}}):
        result = {**GOOD, "run_id": f"odd-{len(json.dumps(odd))}", "config": {**GOOD["config"], "experiment": odd}}
        result.pop("schema_version")  # the schema would refuse it
        if dashboard.upload("/api/upload/json", result)["counts"]["stored"] == 1:
            commands, _, _ = command_of(dashboard, result["run_id"])
            assert all(one["text"] or one["reason"] for one in commands.values())
