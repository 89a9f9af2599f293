"""docs/reference/exit-status.md has a row for each command of both programs, with the numbers of its --help and of real ends."""
import re
import signal
import subprocess

import pytest
from import_tools import run_dashboard
from outputs_tools import commands_of, documented_exits
from run_tools import PATIENCE, command, run_profllm

# "Exit status: 0 done, 2 invalid usage": a number after a mark and before a word
NUMBER = re.compile(r"(?:: |, |; )(\d) (?=[a-zA-Z-])|(128 \+ N)")


def of_help(run, program):
    found = {}
    for one in commands_of(run):
        text = "" if one["name"] == "help" else " ".join(run(*one["name"].split(), "--help").stdout.split())
        head, mark, rest = text.partition("Exit status:")
        assert mark or one["name"] in ("help", "version"), one["name"]
        found[f"{program} {one['name']}"] = {number or more for number, more in NUMBER.findall(mark + rest)} if mark else {"0", "2"}
    return found


def test_every_command_has_a_row_with_the_numbers_of_its_help(bin_dir):
    rows = documented_exits()
    help_ = {**of_help(lambda *words: run_profllm(bin_dir, *words), "profllm"),
             **of_help(lambda *words: run_dashboard(bin_dir, *words), "profllm-dashboard")}
    assert rows.keys() == help_.keys()
    for name, numbers in rows.items():
        assert numbers == help_[name], name


@pytest.mark.parametrize(("words", "number", "status"), [
    (["mcp"], None, 0), (["mcp"], signal.SIGTERM, 143), (["mcp", "--root", "/nothing"], None, 2),
    (["query", "fields", "--dashboard", "http://127.0.0.1:1"], None, 1), (["query", "fields"], None, 2),
    (["export-job", "missing.yaml", "--slurm"], None, 2), (["params", "--from-vllm", "false"], None, 1), (["params", "--params-overlay", "missing"], None, 2)])
def test_real_ends(bin_dir, words, number, status):
    process = subprocess.Popen(command(bin_dir, *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if number is not None:
        # it answers, so it has installed its handlers
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        process.wait(timeout=60 * PATIENCE)
    process.communicate(timeout=60 * PATIENCE)
    assert process.returncode == status
    assert str(status) in documented_exits()[f"profllm {words[0]}"] or status > 128
