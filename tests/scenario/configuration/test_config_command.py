"""`profllm config` converts a command line to an experiment file, and back."""
import json
import os
import shlex
import stat

import pytest

from run_tools import run_profllm
from validate_tools import errors, make_model, profllm, reports


def from_command(bin_dir, folder, text, *args):
    done = profllm(bin_dir, folder, "config", "from-command", "--command-file", "-", *args,
                   stdin=text)
    assert done.returncode == 0, done.stderr
    return done.stdout


def to_command(bin_dir, folder, yaml, *args):
    (folder / "made.yaml").write_text(yaml)
    done = profllm(bin_dir, folder, "config", "to-command", *args, "made.yaml")
    assert done.returncode == 0, done.stderr
    return done.stdout


COMMANDS = {
    "plain": ("vllm serve m", "vllm serve m"),
    "short flags": ("vllm serve m -tp 2", "vllm serve m --tensor-parallel-size 2"),
    "negative": ("vllm serve m --no-enable-prefix-caching",
                 "vllm serve m --no-enable-prefix-caching"),
    "human sizes": ("vllm serve m --max-model-len 32k", "vllm serve m --max-model-len 32000"),
    "several values": ("vllm serve m --served-model-name a b",
                       "vllm serve m --served-model-name a b"),
    "dotted keys": ("vllm serve m --compilation-config.mode 3",
                    """vllm serve m --compilation-config '{"mode":3}'"""),
    "environment": ("A='x y' vllm serve m", "A='x y' vllm serve m"),
    "module": ("python -m vllm.entrypoints.openai.api_server --model m --seed 1",
               "python -m vllm.entrypoints.openai.api_server --model m --seed 1"),
    "words to quote": ("vllm serve m --chat-template 'a b.jinja'",
                       "vllm serve m --chat-template 'a b.jinja'"),
}


@pytest.mark.parametrize("text, expected", COMMANDS.values(), ids=COMMANDS.keys())
def test_there_and_back(bin_dir, tmp_path, text, expected):
    yaml = from_command(bin_dir, tmp_path, text)
    assert to_command(bin_dir, tmp_path, yaml, "--oneline") == expected + "\n"
    several = to_command(bin_dir, tmp_path, yaml)
    assert shlex.split(several.replace("\\\n", "")) == shlex.split(expected)


def test_the_file_validates_and_starts_the_same(bin_dir, tmp_path):
    make_model(tmp_path)
    text = "vllm serve tiny -tp 2 --max-model-len 2k --no-enable-prefix-caching"
    done = profllm(bin_dir, tmp_path, "config", "from-command", "-o", "e.yaml", "--",
                   *shlex.split(text))
    assert done.returncode == 0 and done.stdout == ""
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "e.yaml"))
    assert errors(report) == []
    plan = run_profllm(bin_dir, "run", "-c", "e.yaml", "--dry-run", "--json", cwd=tmp_path)
    argv = json.loads(plan.stdout)["argv"]
    assert argv[:3] == ["vllm", "serve", "tiny"] and "--no-enable-prefix-caching" in argv
    assert argv[argv.index("--max-model-len") + 1] == "2000"


def test_faults_are_reported_and_nothing_is_written(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "config", "from-command", "-o", "e.yaml", "--", "vllm",
                   "serve", "m", "--seed", "x")
    assert done.returncode == 2 and "--seed: found" in done.stderr
    assert not (tmp_path / "e.yaml").exists()
    (tmp_path / "bad.yaml").write_text("server: {seed: x}\n")
    done = profllm(bin_dir, tmp_path, "config", "to-command", "bad.yaml")
    assert done.returncode == 2 and done.stderr.startswith("bad.yaml:1:16: server.seed: ")
    assert done.stdout == ""


def test_secrets_are_on_no_command_line(bin_dir, tmp_path):
    yaml = from_command(bin_dir, tmp_path, "HF_TOKEN=hidden vllm serve m --api-key alsohidden")
    told = to_command(bin_dir, tmp_path, yaml)
    assert "hidden" not in told and "VLLM_API_KEY" in told and "HF_TOKEN" in told


SECRETS = ("HF_TOKEN=hidden1 HTTP_PROXY=http://u:hidden2@h vllm serve m --api-key hidden3 "
           "--hf-overrides '{\"token\": \"hidden4\", \"n\": 1}' --served-model-name '***'")


def test_secrets_are_written_into_a_private_file_alone(bin_dir, tmp_path):
    shown = profllm(bin_dir, tmp_path, "config", "from-command", "--", "bash", "-c", SECRETS)
    assert shown.returncode == 0 and "hidden" not in shown.stdout
    assert shown.stderr.count("\n") == 1 and "***" in shown.stderr and "-o FILE" in shown.stderr
    kept = profllm(bin_dir, tmp_path, "config", "from-command", "-o", "e.yaml", "--", "bash", "-c",
                   SECRETS)
    assert kept.returncode == 0 and kept.stdout == ""
    assert stat.S_IMODE((tmp_path / "e.yaml").stat().st_mode) == 0o600
    text = (tmp_path / "e.yaml").read_text()
    assert [f"hidden{i}" in text for i in (1, 2, 3, 4)] == [True] * 4
    # the text *** itself is none, and both files mean the same command
    told = to_command(bin_dir, tmp_path, shown.stdout)
    assert told == to_command(bin_dir, tmp_path, text)
    assert "hidden" not in told and "--served-model-name '***'" in told


def test_a_file_without_secrets_is_as_others(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "config", "from-command", "-o", "e.yaml", "--", "vllm", "serve", "m")
    assert done.returncode == 0
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "e.yaml").stat().st_mode) == 0o666 & ~umask


def test_a_level_of_older_releases_goes_where_they_have_it(bin_dir, tmp_path):
    for release, key in (("0.10.0", "level"), ("0.11.0", "level"), ("0.11.1", "mode")):
        yaml = from_command(bin_dir, tmp_path, "vllm serve m -O3", "--vllm-version", release)
        assert f"  compilation_config:\n    {key}: 3\n" in yaml, release


def test_ports_and_further_words_of_launch_are_kept(bin_dir, tmp_path):
    yaml = ("server: {model: m}\nlaunch:\n  command: [nice, vllm, serve]\n  port: 8123\n"
            "  extra_args: [--new-flag, 'a b']\n")
    assert to_command(bin_dir, tmp_path, yaml, "--oneline") == (
        "nice vllm serve m --port 8123 --new-flag 'a b'\n")


def test_a_container_stays_one(bin_dir, tmp_path):
    yaml = ("server: {model: m, seed: 1}\nlaunch:\n  env: {A: b}\n"
            "  container: {runtime: podman, image: img:1, args: [--gpus, all]}\n")
    assert to_command(bin_dir, tmp_path, yaml, "--oneline") == (
        "podman run -e A=b --gpus all img:1 m --seed 1\n")


def test_usage(bin_dir, tmp_path):
    (tmp_path / "url.yaml").write_text("launch: {url: 'http://127.0.0.1:1'}\n")
    for args, text in (((), "from-command, to-command, from-result or expand"),
                       (("sideways",), "sideways"),
                       (("from-command",), "expected a command"),
                       (("from-command", "--oneline", "--", "vllm", "serve", "m"), "--oneline"),
                       (("from-command", "f", "--", "vllm"), "'f'"),
                       (("to-command",), "expected one FILE"),
                       (("to-command", "--vllm-version", "0.32.0", "f"), "--vllm-version"),
                       (("to-command", "url.yaml"), "launch.url"),
                       (("to-command", "absent.yaml"), "absent.yaml")):
        done = profllm(bin_dir, tmp_path, "config", *args)
        assert done.returncode == 2 and text in done.stderr, args
    assert profllm(bin_dir, tmp_path, "config", "--help").returncode == 0


@pytest.fixture(scope="module")
def commands(test_data_dir):
    path = test_data_dir / "data/commands/commands.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.release_only  # 700 starts; a fuzz target has the same lines
def test_real_commands_survive_the_way(bin_dir, commands, tmp_path):
    """The file, and the command made from it, set the same values as the first command."""
    wrong = []
    for row in commands:
        if not row["ok"] or row.get("engine"):
            continue
        yaml = from_command(bin_dir, tmp_path, row["command"], "--vllm-version", "0.32.0")
        line = to_command(bin_dir, tmp_path, yaml)
        again = from_command(bin_dir, tmp_path, line, "--vllm-version", "0.32.0")
        if section(again, "server") != section(yaml, "server"):
            wrong.append(row["id"])
        missing = {name for name in row["set"] if f"  {name}:" not in yaml}
        if missing - {"model_tag"}:
            wrong.append((row["id"], sorted(missing)))
    assert not wrong


def section(yaml, name):
    """Returns the lines of one section without secrets, which are not converted back."""
    lines, inside = [], False
    for line in yaml.splitlines():
        inside = line.startswith(f"{name}:") or (inside and line.startswith(" "))
        if inside and not line.strip().startswith(("api_key", "hf_token")):
            lines.append(line)
    return sorted(lines)
