"""`profllm completion`: what a shell offers, asked of the shell itself."""
import json
import os
import re
import shlex
import subprocess

import pytest
from host_tools import need
from run_tools import run_profllm

SHELLS = ["bash", "zsh", "fish"]


def script(bin_dir, name, *args):
    done = run_profllm(bin_dir, "completion", name, *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_shell(name, text, bin_dir, cwd=None):
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "HOME": str(cwd or "/nonexistent")}
    quiet = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
    done = subprocess.run([need(name), *quiet, "-c", text], env=env, cwd=cwd, text=True,
                          capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def bash_words(line):
    """The words of a line as bash's completion has them: '=' and ':' stand alone."""
    words = []
    for word in shlex.split(line):
        words += [part for part in re.split("([=:])", word) if part]
    return words + ([""] if line.endswith(" ") else [])


def bash_offers(bin_dir, line, cwd=None):
    words = bash_words(line)
    text = "\n".join([
        "source <(profllm completion bash)",
        f"COMP_WORDS=({' '.join(shlex.quote(word) for word in words)})",
        f"COMP_CWORD={len(words) - 1}",
        "_profllm",
        '[[ ${#COMPREPLY[@]} -eq 0 ]] || printf "%s\\n" "${COMPREPLY[@]}"'])
    return run_shell("bash", text, bin_dir, cwd)


def fish_offers(bin_dir, line, cwd=None):
    text = f"profllm completion fish | source; complete -C {shlex.quote(line)}"
    return [offer.split("\t")[0] for offer in run_shell("fish", text, bin_dir, cwd)]


@pytest.fixture(scope="module")
def table(bin_dir):
    return json.loads(run_profllm(bin_dir, "params", "--json").stdout)


def commands(bin_dir):
    listed = run_profllm(bin_dir, "help").stdout.split("Commands:")[1].split("Options:")[0]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def options(bin_dir, command):
    told = re.findall(r"^  (?:-\w, |    )--(\[no-\])?([a-z0-9-]+)",
                      run_profllm(bin_dir, command, "--help").stdout, re.M)
    return {f"--{name}" for _, name in told} | {f"--no-{name}" for no, name in told if no}


def test_bash_offers_every_command(bin_dir):
    assert set(bash_offers(bin_dir, "profllm ")) == {*commands(bin_dir), "--help", "--version"}
    assert {"run", "params", "completion"} <= set(commands(bin_dir))
    assert bash_offers(bin_dir, "profllm ru") == ["run"]
    assert set(bash_offers(bin_dir, "profllm help ")) == set(commands(bin_dir))


def test_bash_offers_every_option(bin_dir):
    for command in commands(bin_dir):
        if command != "help":
            assert set(bash_offers(bin_dir, f"profllm {command} --")) == options(bin_dir, command)
    assert bash_offers(bin_dir, "profllm run --dry") == ["--dry-run"]


@pytest.mark.parametrize("line", ["profllm run --fail-on ", "profllm run --fail-on="])
def test_bash_offers_an_options_choices(bin_dir, line):
    assert bash_offers(bin_dir, line) == ["degraded", "client_limited"]


@pytest.mark.parametrize("option", ["--set ", "-s ", "--set="])
def test_bash_offers_keys(bin_dir, option, table):
    keys = bash_offers(bin_dir, f"profllm run {option}")
    assert len(keys) == len(set(keys))
    wanted = {f"server.{entry['name']}=" for entry in table}
    wanted |= {f"server.{entry['name']}.{key}=" for entry in table for key in entry.get("fields", {})}
    wanted |= {"benchmark.backend=", "launch.env=", "telemetry.gpu=", "name=", "output.requests=",
               "server.compilation_config.pass_config.eliminate_noops="}
    assert wanted <= set(keys)
    assert bash_offers(bin_dir, f"profllm run {option}server.dty") == ["server.dtype="]


@pytest.mark.parametrize("option", ["--set ", "-s ", "--set="])
def test_bash_offers_a_keys_values(bin_dir, option, table):
    values = {entry["name"]: entry["choices"] for entry in table}

    def offers(text):
        return bash_offers(bin_dir, f"profllm run {option}{text}")
    assert offers("server.dtype=") == values["dtype"]
    assert offers("server.dtype=bf") == ["bfloat16"]
    assert offers("server.enforce_eager=") == ["true", "false"]
    assert offers("server.optimization_level=") == ["0", "1", "2", "3"]
    assert "openai-chat" in offers("benchmark.backend=")
    assert offers("launch.platform=c") == ["cuda", "cpu"]
    assert offers("server.max_num_seqs=") == []


def test_bash_offers_arguments_groups_and_shells(bin_dir, table):
    assert set(bash_offers(bin_dir, "profllm params ")) == {entry["name"] for entry in table}
    assert bash_offers(bin_dir, "profllm params --group Cac") == ["CacheConfig"]
    assert bash_offers(bin_dir, "profllm completion ") == SHELLS


@pytest.mark.parametrize("option", ["--config ", "-c ", "--config="])
def test_bash_offers_files(bin_dir, tmp_path, option):
    (tmp_path / "some experiment.yaml").touch()
    assert bash_offers(bin_dir, f"profllm run {option}some", tmp_path) == ["some experiment.yaml"]
    assert bash_offers(bin_dir, f"profllm run {option}other", tmp_path) == []


def test_bash_completes_on_a_key(bin_dir):
    """The function is the one that bash calls for the program."""
    text = "source <(profllm completion bash); complete -p profllm; compgen -W \"$(_profllm_keys)\" server.tensor_p"
    assert run_shell("bash", text, bin_dir) == ["complete -F _profllm profllm",
                                                "server.tensor_parallel_size="]


BEHIND = "profllm validate --strict -- vllm serve "


def flags_of(table):
    flags = set()
    for entry in table:
        if entry["in_reference"]:
            flags |= {entry["flag"], *entry["aliases"], entry["negative_flag"]} - {None}
    return flags


def test_bash_offers_vllms_flags_behind_two_dashes(bin_dir, tmp_path, table):
    (tmp_path / "model-folder").mkdir()

    def offers(line):
        return bash_offers(bin_dir, line, tmp_path)
    assert offers("profllm validate -- ") == ["vllm"]
    assert offers("profllm config from-command -- vllm ") == ["serve"]
    assert offers(BEHIND + "model-f") == ["model-folder"]
    assert set(offers(BEHIND + "m -")) == flags_of(table)
    assert offers(BEHIND + "m --tensor-p") == ["--tensor-parallel-size"]
    assert offers(BEHIND + "m --kv-offloading-b") == ["--kv-offloading-backend"]
    dtypes = next(entry["choices"] for entry in table if entry["name"] == "dtype")
    assert offers(BEHIND + "m --dtype ") == offers(BEHIND + "m --dtype=") == dtypes
    assert offers(BEHIND + "m --enforce-eager --dty") == ["--dtype"]
    assert offers("profllm run -- vllm serve --dty") == []


def test_fish_offers_vllms_flags_behind_two_dashes(bin_dir, tmp_path, table):
    need("fish")
    assert fish_offers(bin_dir, "profllm validate -- v", tmp_path) == ["vllm"]
    assert fish_offers(bin_dir, "profllm validate -- vllm s", tmp_path) == ["serve"]
    assert fish_offers(bin_dir, BEHIND + "m --tensor-p", tmp_path) == ["--tensor-parallel-size"]
    assert flags_of(table) <= set(fish_offers(bin_dir, BEHIND + "m -", tmp_path))
    assert fish_offers(bin_dir, BEHIND + "m --dtype bf", tmp_path) == ["bfloat16"]
    assert fish_offers(bin_dir, BEHIND + "m --dtype=bf", tmp_path) == ["--dtype=bfloat16"]


def test_an_overlays_arguments_are_offered(bin_dir, tmp_path):
    overlay = tmp_path / "o.json"
    overlay.write_text('{"profllm_overlay": 1, "args": [{"name": "my_flag", "type": "enum", '
                       '"choices": ["aa", "b b", "c$(x)"]}]}')
    text = script(bin_dir, "bash", "--params-overlay", str(overlay))
    assert "\tserver.my_flag) echo 'aa' ;;\n" in text
    assert "c$(x)" not in text


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_takes_the_script(bin_dir, tmp_path, name):
    path = tmp_path / "script"
    path.write_text(script(bin_dir, name))
    assert run_shell(name, "true", bin_dir) == []
    done = subprocess.run([need(name), "-n", path], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_zsh_has_the_tables(bin_dir, tmp_path, table):
    text = ("autoload -U compinit; compinit -u -D; source <(profllm completion zsh); "
            "print -r -- $_comps[profllm]; _profllm_values server.dtype; _profllm_option 'run --set'; "
            "_profllm_keys")
    lines = run_shell("zsh", text, bin_dir, tmp_path)
    values = {entry["name"]: entry["choices"] for entry in table}
    assert lines[:3] == ["_profllm", " ".join(values["dtype"]), "keys"]
    assert "server.tensor_parallel_size=" in lines[3].split()


@pytest.mark.parametrize("words, offers", [
    (["--", ""], "vllm"), (["--", "vllm", ""], "serve"), (["--", "vllm", "serve", "m", "--dt"], "--dtype"),
    (["--", "vllm", "serve", "m", "--dtype", ""], "bfloat16"),
    (["--", "vllm", "serve", "m", "--dtype="], "bfloat16"), (["--st"], "--strict")])
def test_zsh_offers_vllms_flags_behind_two_dashes(bin_dir, tmp_path, words, offers):
    """What the function hands to zsh, which the line editor alone could ask for itself."""
    line = " ".join(shlex.quote(word) for word in ["profllm", "validate", *words])
    text = ("autoload -U compinit; compinit -u -D; source <(profllm completion zsh); "
            'compadd() { print -rl -- "$@" }; compset() { : }; '
            f"words=({line}); CURRENT={len(words) + 2}; PREFIX={shlex.quote(words[-1])}; _profllm")
    assert offers in run_shell("zsh", text, bin_dir, tmp_path)


@pytest.mark.parametrize("line, offers", [
    ("profllm ru", ["run"]),
    ("profllm run --fail-on ", ["client_limited", "degraded"]),
    ("profllm run --set server.dty", ["server.dtype="]),
    ("profllm run --set server.dtype=bf", ["server.dtype=bfloat16"]),
    ("profllm run --set=server.enforce_eager=t", ["--set=server.enforce_eager=true"]),
    ("profllm params --group Cac", ["CacheConfig"]),
    ("profllm params tensor_para", ["tensor_parallel_size"]),
    ("profllm completion ", ["bash", "fish", "zsh"]),
    ("profllm run --dry", ["--dry-run"]),
])
def test_fish_offers(bin_dir, line, offers, tmp_path):
    assert fish_offers(bin_dir, line, tmp_path) == offers


@pytest.mark.parametrize("args, says", [
    ([], "expected one shell, bash|zsh|fish"),
    (["bas"], "unknown shell 'bas' (did you mean 'bash'?)"),
    (["bash", "zsh"], "expected one shell"),
])
def test_wrong_use_is_told(bin_dir, args, says):
    done = run_profllm(bin_dir, "completion", *args)
    assert done.returncode == 2
    assert says in done.stderr
