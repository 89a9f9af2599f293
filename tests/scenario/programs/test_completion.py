"""`profllm completion`: the proposals of the shell itself."""
import contextlib
import json
import os
import pty
import re
import shlex
import subprocess

import pytest
from host_tools import need
from run_tools import run_profllm

SHELLS = ["bash", "zsh", "fish"]
# under a sanitizer: what shells ask many times is asked once by the others
of_shells = pytest.mark.release_only


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
    """Returns the words of a line as bash's completion splits them: '=' and ':' are separate words."""
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


def zsh_line(bin_dir, line, cwd, load="compinit -u -D; source <(profllm completion zsh)"):
    """Returns the line after a tab, in zsh's own line editor."""
    text = (f"autoload -U compinit; {load}; "
            "show() { zle complete-word; print -r -- $BUFFER >line; exit }; zle -N show; bindkey '^X' show\n")
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "HOME": str(cwd), "TERM": "dumb"}
    master, terminal = pty.openpty()
    shell = subprocess.Popen([need("zsh"), "-f", "-i"], env=env, cwd=cwd, start_new_session=True, stdin=terminal,
                             stdout=terminal, stderr=terminal)
    os.close(terminal)
    os.write(master, f"{text}{line}\x18".encode())
    with contextlib.suppress(OSError):  # EIO: the shell is gone
        while os.read(master, 65536):
            pass
    os.close(master)
    assert shell.wait() == 0
    return (cwd / "line").read_text().rstrip("\n")


def fish_offers(bin_dir, line, cwd=None):
    text = f"profllm completion fish | source; complete -C {shlex.quote(line)}"
    return [offer.split("\t")[0] for offer in run_shell("fish", text, bin_dir, cwd)]


@pytest.fixture(scope="module")
def table(bin_dir):
    return json.loads(run_profllm(bin_dir, "params", "--json").stdout)


def commands(bin_dir):
    listed = run_profllm(bin_dir, "help").stdout.split("Commands:")[1].split("Options:")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.M)


def options(bin_dir, command):
    told = re.findall(r"^  (?:-\w, |    )--(\[no-\])?([a-z0-9-]+)",
                      run_profllm(bin_dir, command, "--help").stdout, re.M)
    return {f"--{name}" for _, name in told} | {f"--no-{name}" for no, name in told if no}


@of_shells
def test_bash_offers_every_command(bin_dir):
    assert set(bash_offers(bin_dir, "profllm ")) == {*commands(bin_dir), "--help", "--version"}
    assert {"run", "params", "completion"} <= set(commands(bin_dir))
    assert bash_offers(bin_dir, "profllm ru") == ["run"]
    assert set(bash_offers(bin_dir, "profllm help ")) == set(commands(bin_dir))


@of_shells
def test_bash_offers_every_option(bin_dir):
    for command in commands(bin_dir):
        if command != "help":
            assert set(bash_offers(bin_dir, f"profllm {command} --")) == options(bin_dir, command)
    assert bash_offers(bin_dir, "profllm run --dry") == ["--dry-run"]


@of_shells
@pytest.mark.parametrize("line", ["profllm run --fail-on ", "profllm run --fail-on="])
def test_bash_offers_an_options_choices(bin_dir, line):
    assert bash_offers(bin_dir, line) == ["degraded", "client_limited"]


@of_shells
@pytest.mark.parametrize("option", ["--set ", "-s ", "--set="])
def test_bash_offers_keys(bin_dir, option, table):
    keys = bash_offers(bin_dir, f"profllm run {option}")
    assert len(keys) == len(set(keys))
    gone = {f"server.{entry['name']}=" for entry in table if not entry["in_reference"]}
    wanted = {f"server.{entry['name']}=" for entry in table} - gone
    wanted |= {f"server.{entry['name']}.{key}=" for entry in table for key in entry.get("fields", {})}
    wanted |= {"benchmark.backend=", "launch.env=", "telemetry.gpu=", "name=", "output.requests=",
               "server.compilation_config.pass_config.eliminate_noops="}
    assert wanted <= set(keys) and gone and not gone & set(keys)
    assert bash_offers(bin_dir, f"profllm run {option}server.dty") == ["server.dtype="]


@of_shells
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


@of_shells
def test_bash_offers_arguments_groups_and_shells(bin_dir, table):
    assert set(bash_offers(bin_dir, "profllm params ")) == {entry["name"] for entry in table if entry["in_reference"]}
    assert bash_offers(bin_dir, "profllm params --group Cac") == ["CacheConfig"]
    assert bash_offers(bin_dir, "profllm completion ") == SHELLS


@of_shells
@pytest.mark.parametrize("option", ["--config ", "-c ", "--config="])
def test_bash_offers_files(bin_dir, tmp_path, option):
    (tmp_path / "some experiment.yaml").touch()
    assert bash_offers(bin_dir, f"profllm run {option}some", tmp_path) == ["some experiment.yaml"]
    assert bash_offers(bin_dir, f"profllm run {option}other", tmp_path) == []


def test_bash_completes_on_a_key(bin_dir):
    """bash calls this function for the program."""
    text = "source <(profllm completion bash); complete -p profllm"
    assert run_shell("bash", text, bin_dir) == ["complete -F _profllm profllm"]


def test_bash_asks_the_program_that_is_typed(bin_dir, tmp_path):
    """The program may be outside PATH, here below the home directory."""
    (tmp_path / "bin").symlink_to(bin_dir)
    text = (f"source <({bin_dir}/profllm completion bash); PATH=/nowhere; COMP_WORDS=('~/bin/profllm' ru); "
            "COMP_CWORD=1; _profllm; echo ${COMPREPLY[@]}")
    assert run_shell("bash", text, bin_dir, tmp_path) == ["run"]


BEHIND = "profllm validate --strict -- vllm serve "


def flags_of(table):
    flags = set()
    for entry in table:
        if entry["in_reference"]:
            flags |= {entry["flag"], *entry["aliases"], entry["negative_flag"],
                      *entry.get("negative_aliases", [])} - {None}
    return flags


@of_shells
def test_bash_offers_vllms_flags_after_two_dashes(bin_dir, tmp_path, table):
    (tmp_path / "model-folder").mkdir()

    def offers(line):
        return bash_offers(bin_dir, line, tmp_path)
    assert offers("profllm validate -- ") == ["vllm"]
    assert offers("profllm config from-command -- vllm ") == ["serve", "bench"]
    assert offers(BEHIND + "model-f") == ["model-folder"]
    assert set(offers(BEHIND + "m -")) == flags_of(table)
    assert offers(BEHIND + "m --tensor-p") == ["--tensor-parallel-size"]
    assert offers(BEHIND + "m --kv-offloading-b") == ["--kv-offloading-backend"]
    dtypes = next(entry["choices"] for entry in table if entry["name"] == "dtype")
    assert offers(BEHIND + "m --dtype ") == offers(BEHIND + "m --dtype=") == dtypes
    assert offers(BEHIND + "m --enforce-eager --dty") == ["--dtype"]
    assert offers("profllm run -- vllm serve --dty") == []


@of_shells
def test_fish_offers_vllms_flags_after_two_dashes(bin_dir, tmp_path, table):
    need("fish")
    assert fish_offers(bin_dir, "profllm validate -- v", tmp_path) == ["vllm"]
    assert fish_offers(bin_dir, "profllm validate -- vllm s", tmp_path) == ["serve"]
    assert fish_offers(bin_dir, BEHIND + "m --tensor-p", tmp_path) == ["--tensor-parallel-size"]
    assert flags_of(table) <= set(fish_offers(bin_dir, BEHIND + "m -", tmp_path))
    assert fish_offers(bin_dir, BEHIND + "m --dtype bf", tmp_path) == ["bfloat16"]
    assert fish_offers(bin_dir, BEHIND + "m --dtype=bf", tmp_path) == ["--dtype=bfloat16"]


@pytest.fixture
def overlay(tmp_path):
    path = tmp_path / "o'verlay.json"
    path.write_text('{"profllm_overlay": 1, "args": [{"name": "my_flag", "type": "enum", '
                    '"choices": ["aa", "b b", "c$(x)"]}]}')
    return path


def asked(bin_dir, *words, **env):
    """Returns the output that the scripts receive."""
    return run_profllm(bin_dir, "complete", *words, env=env).stdout.splitlines()


def test_vllms_sweeps_have_separate_options(bin_dir):
    for words in (["sweep"], ["bench", "sweep"]):
        assert {"--sla-params", "--bench-cmd"} <= {line.split("\t")[0] for line in asked(bin_dir, *words, "serve_sla", "--")}
        assert asked(bin_dir, *words, "serve_workload", "--workload-var", "") == ["request_rate", "max_concurrency"]
    assert "serve_workload" in asked(bin_dir, "sweep", "")
    assert "--startup-cmd" in run_profllm(bin_dir, "sweep", "startup", "--help").stdout


def test_an_overlays_arguments_are_offered(bin_dir, overlay):
    """Words that a shell would interpret are not offered."""
    line = ["run", "--set", "server.my_flag="]
    assert asked(bin_dir, *line) == []
    assert asked(bin_dir, *line, PROFLLM_PARAMS_OVERLAY=str(overlay)) == ["server.my_flag=aa"]


@pytest.mark.parametrize("name, ask", [
    ("bash", "COMP_WORDS=(profllm run --set server.my_flag =); COMP_CWORD=4; _profllm; echo $COMPREPLY"),
    ("zsh", "compadd() { print -r -- $@[-1] }; words=(profllm run --set server.my_flag=); CURRENT=4; "
            "PREFIX=$words[4]; compdef() { : }; _profllm"),
    ("fish", "complete -C 'profllm run --set server.my_flag='"),
])
def test_the_overlay_of_a_script_still_applies(bin_dir, overlay, tmp_path, name, ask):
    load = f"profllm completion {name} --params-overlay {shlex.quote(overlay.name)}"
    load = f"{load} | source" if name == "fish" else f"source <({load})"
    if name == "zsh":
        load = f"compdef() {{ : }}; {load}"
    (tmp_path / "elsewhere").mkdir()
    offers = run_shell(name, f"{load}; cd elsewhere; {ask}", bin_dir, tmp_path)
    assert offers in (["aa"], ["server.my_flag=aa"])


def test_words_are_distinguished(bin_dir):
    """Values of options are not operands; the word under the cursor is the last."""
    assert [line.split("\t")[0] for line in asked(bin_dir, "config", "")] == ["from-command", "to-command", "from-result", "expand"]
    assert asked(bin_dir, "config", "-o", "x", "") == asked(bin_dir, "config", "")
    assert asked(bin_dir, "config", "to-command", "") == [":files\t"]
    assert asked(bin_dir, "run", "--config=") == [":files\t--config="]
    assert asked(bin_dir, "run", "--no-such=") == asked(bin_dir, "nothing", "") == []
    assert asked(bin_dir, "bench", "") == ["serve", "latency", "throughput", "startup", "mm-processor"]
    assert asked(bin_dir, "bench", "serve", "") == []


def test_words_of_vllms_commands(bin_dir):
    """After two dashes: a server's arguments, or a load's options."""
    def words(*line):
        return [offer.split("\t")[0] for offer in asked(bin_dir, "config", "from-command", "--", *line)]
    assert words("vllm", "") == ["serve", "bench"] and words("vllm", "bench", "") == [
        "serve", "latency", "throughput", "startup", "mm-processor"]
    batch = words("vllm", "bench", "latency", "--")
    assert {"--batch-size", "--tensor-parallel-size"} <= set(batch) and not {"--host", "--num-prompts", "--output"} & set(batch)
    ours = [offer.split("\t")[0] for offer in asked(bin_dir, "bench", "latency", "--")]
    assert set(batch) | {"--output", "--base-url", "--sim", "--help"} <= set(ours)
    assert asked(bin_dir, "bench", "throughput", "--backend", "") == ["vllm", "hf", "mii", "vllm-chat"]
    load, server = words("vllm", "bench", "serve", "--"), words("vllm", "serve", "--")
    assert "--num-prompts" in load and "--no-self-timed" in load and "--dtype" not in load
    assert not {"--retries", "--sonnet-input-len"} & set(load)
    assert "--dtype" in server and "--num-prompts" not in server
    assert "openai-chat" in words("vllm", "bench", "serve", "--backend", "")


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_takes_the_script(bin_dir, tmp_path, name):
    path = tmp_path / "script"
    path.write_text(script(bin_dir, name))
    assert run_shell(name, "true", bin_dir) == []
    done = subprocess.run([need(name), "-n", path], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@of_shells
@pytest.mark.parametrize("line, completed", [
    ("profllm ru", "profllm run "),
    ("profllm run --fail-on deg", "profllm run --fail-on degraded "),
    ("profllm run --dry", "profllm run --dry-run "),
    ("profllm run -s server.tensor_p", "profllm run -s server.tensor_parallel_size="),
    ("profllm run --set=server.dtype=bf", "profllm run --set=server.dtype=bfloat16 "),
    ("profllm params --group Cac", "profllm params --group CacheConfig "),
    ("profllm run --config some", "profllm run --config some\\ experiment.yaml "),
    ("profllm run --config=some", "profllm run --config=some\\ experiment.yaml "),
    ("profllm validate -- v", "profllm validate -- vllm "),
    (BEHIND + "m --tensor-p", BEHIND + "m --tensor-parallel-size "),
    (BEHIND + "m --dtype bf", BEHIND + "m --dtype bfloat16 "),
    (BEHIND + "m --dtype=bf", BEHIND + "m --dtype=bfloat16 "),
    (BEHIND + "so", BEHIND + "some\\ experiment.yaml "),
])
def test_zsh_completes(bin_dir, tmp_path, line, completed):
    (tmp_path / "some experiment.yaml").touch()
    assert zsh_line(bin_dir, line, tmp_path) == completed


@of_shells
@pytest.mark.parametrize("words, offers", [
    (["--", ""], "vllm"), (["--", "vllm", ""], "serve"), (["--", "vllm", "serve", "m", "--dt"], "--dtype"),
    (["--", "vllm", "serve", "m", "--dtype", ""], "bfloat16"),
    (["--", "vllm", "serve", "m", "--dtype="], "--dtype=bfloat16"), (["--st"], "--strict")])
def test_zsh_offers_vllms_flags_after_two_dashes(bin_dir, tmp_path, words, offers):
    """Compares the words that the function passes to zsh."""
    line = " ".join(shlex.quote(word) for word in ["profllm", "validate", *words])
    text = ("autoload -U compinit; compinit -u -D; source <(profllm completion zsh); "
            'compadd() { print -rl -- "$@" }; compset() { : }; '
            f"words=({line}); CURRENT={len(words) + 2}; PREFIX={shlex.quote(words[-1])}; _profllm")
    assert offers in run_shell("zsh", text, bin_dir, tmp_path)


@of_shells
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
    ("profllm run --config some", ["some experiment.yaml"]),
    ("profllm run --config=some", ["--config=some experiment.yaml"]),
    ("profllm validate some", ["some experiment.yaml"]),
])
def test_fish_offers(bin_dir, line, offers, tmp_path):
    (tmp_path / "some experiment.yaml").touch()
    assert fish_offers(bin_dir, line, tmp_path) == offers


@pytest.mark.parametrize("args, says", [
    ([], "expected one shell, bash|zsh|fish"),
    (["bas"], "unknown shell 'bas' (did you mean 'bash'?)"),
    (["bash", "zsh"], "expected one shell"),
])
def test_wrong_use_is_reported(bin_dir, args, says):
    done = run_profllm(bin_dir, "completion", *args)
    assert done.returncode == 2
    assert says in done.stderr


# ---- profllm-dashboard ---------------------------------------------------------------------------


def run_dashboard(bin_dir, *words):
    return subprocess.run([bin_dir / "profllm-dashboard", *words], text=True, capture_output=True, timeout=60)


def of_dashboard(bin_dir, *words):
    return [line.split("\t")[0] for line in run_dashboard(bin_dir, "complete", *words).stdout.splitlines()]


def test_words_of_the_dashboard(bin_dir):
    listed = run_dashboard(bin_dir, "help").stdout.split("Commands:")[1].split("Options:")[0]
    names = re.findall(r"^  ([a-z-]+) ", listed, re.M)
    assert {"import", "completion"} <= set(names) and of_dashboard(bin_dir, "") == [*names, "--help", "--version"]
    for name in set(names) - {"help"}:
        told = re.findall(r"^  (?:-\w, |    )--([a-z-]+)", run_dashboard(bin_dir, name, "--help").stdout, re.M)
        assert {word for word in of_dashboard(bin_dir, name, "--") if word.startswith("--")} == {f"--{option}" for option in told}
    # the database may come first; a line without a command is one of serve
    assert of_dashboard(bin_dir, "--db", "a.db", "import", "--on-conflict", "") == ["skip", "replace", "keep"]
    assert of_dashboard(bin_dir, "--db=a.db", "--") == of_dashboard(bin_dir, "serve", "--")
    for words in (["--db", ""], ["import", ""], ["prune", "--db", "a"], ["check", "--data", ""]):
        assert of_dashboard(bin_dir, *words) == [":files"], words
    assert of_dashboard(bin_dir, "help", "") == names and of_dashboard(bin_dir, "completion", "") == SHELLS


def test_a_shell_completes_both_programs(bin_dir, tmp_path):
    text = ("source <(profllm completion bash); source <(profllm-dashboard completion bash); complete -p profllm-dashboard profllm; "
            "COMP_WORDS=(profllm-dashboard imp); COMP_CWORD=1; _profllm_dashboard; echo $COMPREPLY; "
            "COMP_WORDS=(profllm upl); COMP_CWORD=1; _profllm; echo $COMPREPLY")
    assert run_shell("bash", text, bin_dir) == [
        "complete -F _profllm_dashboard profllm-dashboard", "complete -F _profllm profllm", "import", "upload"]
    for name in SHELLS:
        done = subprocess.run([need(name), "-n", "/dev/stdin"], input=run_dashboard(bin_dir, "completion", name).stdout,
                              capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, ""), name


def test_wrong_use_of_the_dashboards_command_is_reported(bin_dir):
    for words, says in (([], "expected one shell, bash|zsh|fish"), (["bas"], "unknown shell 'bas' (did you mean 'bash'?)")):
        done = run_dashboard(bin_dir, "completion", *words)
        assert done.returncode == 2 and says in done.stderr


@of_shells
@pytest.mark.parametrize("line, completed", [("profllm ru", "profllm run "), ("profllm-dashboard reg", "profllm-dashboard regress ")])
def test_zsh_completes_from_a_directory_of_functions(bin_dir, tmp_path, line, completed):
    """An installation has the script there: its first call defines the function, and completes."""
    program = line.split()[0]
    (tmp_path / "functions").mkdir()
    text = subprocess.run([bin_dir / program, "completion", "zsh"], capture_output=True, text=True, check=True).stdout
    (tmp_path / "functions" / f"_{program.replace('-', '_')}").write_text(text)
    assert zsh_line(bin_dir, line, tmp_path, load="fpath=($PWD/functions $fpath); compinit -u -D") == completed
