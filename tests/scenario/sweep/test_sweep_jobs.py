"""Several concurrent servers of a sweep: on separate GPUs, ports and processors, each in a separate process."""
import os
import pty
import re
import signal
import subprocess
import termios
import tty
from pathlib import Path

import pytest
from resource_tools import host
from run_tools import command, environment, load_result, read_terminal, run_profllm, start_profllm, write_config
from sweep_tools import journal, nothing_left, runs, starts, summary, sweep_args, sweep_config
from wait_tools import wait_for


def lives(folder):
    """Returns the period and the resources of each server start."""
    found = {}
    for row in runs(folder):
        launch = load_result(folder / row["result"])["launch"]
        life = found.setdefault((row["server"], launch["pid"]), {
            "begin": row["began_s"], "port": launch["port"], "cpus": launch["cpus"], "beside": launch["other_servers_max"],
            "gpus": {gpu["uuid"] for gpu in launch["gpus"]}, "asked": launch["env"]["CUDA_VISIBLE_DEVICES"]})
        life["end"] = row["began_s"] + row["wall_s"]
        life["beside"] = max(life["beside"], launch["other_servers_max"])
    return list(found.values())


def at_once(found, least_s=0):
    return [(a, b) for i, a in enumerate(found) for b in found[:i] if min(a["end"], b["end"]) - max(a["begin"], b["begin"]) > least_s]


def test_on_separate_gpus_and_ports(bin_dir, tmp_path):
    """Servers of one and two GPUs on four: never two on one GPU or port, and none alone while there is room."""
    env, folder = host(bin_dir, tmp_path, "4xH100"), tmp_path / "s"
    config = sweep_config({"server.tensor_parallel_size": [1, 2], "server.max_num_seqs": [2, 3],
                           "benchmark.max_concurrency": [1, 2]})
    config["launch"]["gpus"] = "auto"
    done = run_profllm(bin_dir, *sweep_args(write_config(tmp_path, config), folder, "--jobs", "auto", "--job-cpus", "0"),
                       env=env)
    assert done.returncode == 0, done.stderr
    rows = summary(folder)
    assert [row["status"] for row in rows] == ["completed"] * 8 and len(starts(folder)) == 4
    found = lives(folder)
    assert sorted(len(life["gpus"]) for life in found) == [1, 1, 2, 2]
    # a row begins before its server has its GPUs, and ends after the server released them: the rows of two consecutive
    # servers overlap for a moment
    pairs = at_once(found, 0.3)
    assert pairs
    for a, b in pairs:
        assert not a["gpus"] & b["gpus"] and a["port"] != b["port"] and a["asked"] != b["asked"]
    # the first begin at once, as many as fit: 1 + 1 + 2 GPUs, or 2 + 2
    first = min(life["end"] for life in found)
    assert sum(len(life["gpus"]) for life in found if life["begin"] < first) == 4
    assert max(life["beside"] for life in found) in (2, 3)
    assert max(row["other_servers_max"] for row in rows) == max(life["beside"] for life in found)
    assert nothing_left(folder)


def test_on_separate_processors(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config({"server.max_num_seqs": [2, 3]}))
    folder, cpus = tmp_path / "s", len(os.sched_getaffinity(0))
    done = run_profllm(bin_dir, *sweep_args(config, folder, "--jobs", "2", "--job-cpus", str(cpus // 2 or 1)))
    assert done.returncode == 0, done.stderr
    found = lives(folder)
    if cpus == 1:
        assert "1 (--job-cpus)" in done.stderr and {life["cpus"] for life in found} == {None}
        return
    assert len(at_once(found)) == 1 and len({life["cpus"] for life in found}) == 2
    assert [life["beside"] for life in found] == [1, 1]


@pytest.mark.release_only
def test_too_few_processors(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config({"server.max_num_seqs": [2, 3]}))
    done = run_profllm(bin_dir, *sweep_args(config, tmp_path / "s", "--jobs", "2", "--job-cpus", "1024"))
    assert done.returncode == 0 and "2 servers at a time need 1024 CPUs each" in done.stderr
    assert not at_once(lives(tmp_path / "s"))
    wrong = run_profllm(bin_dir, *sweep_args(config, tmp_path / "t", "--jobs", "many"))
    assert wrong.returncode == 2 and "--jobs: found 'many', expected auto or 1 to" in wrong.stderr


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_one_is_killed_and_all_are_interrupted(bin_dir, tmp_path):
    """A killed server fails its own run only; ^C ends all running ones."""
    folder = tmp_path / "s"
    config = write_config(tmp_path, sweep_config({"server.max_num_seqs": [2, 3, 4]}, max_concurrency=1) | {
        "benchmark": sweep_config()["benchmark"] | {"num_prompts": 100000}})
    process = start_profllm(bin_dir, *sweep_args(config, folder, "--jobs", "2", "--job-cpus", "0"))
    wait_for(lambda: len(list((folder / "cells").glob("*.journal"))) == 2, "two runs", process=process)
    worker = children(process.pid)[0]
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: len(starts(folder)) == 3 and len(list((folder / "cells").glob("*.journal"))) == 3,
             "the third run", process=process)
    assert [(row["status"], row["cause"]) for row in runs(folder)] == [("failed", "internal")]
    assert "killed by signal 9" in runs(folder)[0]["message"]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "1 of 3 runs finished, 1 failed" in out
    assert sorted(row["status"] for row in summary(folder)) == ["failed", "interrupted", "interrupted"]
    assert len([line for line in journal(folder) if "start" in line]) == 3 and nothing_left(folder)


def on_screen(written):
    """Returns the screen of a terminal; it accepts only the escape sequences known here."""
    lines, row, column = [""], 0, 0
    for word in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|[^\x1b]", written):
        if word == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif word == "\r":
            column = 0
        elif word.endswith("A"):
            row -= int(word[2:-1])
        elif word == "\x1b[K":
            lines[row] = lines[row][:column]
        elif word == "\x1b[J":
            lines[row:] = [lines[row][:column]]
        elif word.startswith("\x1b"):
            assert word in ("\x1b[?7l", "\x1b[?7h", "\x1b[31m", "\x1b[2m", "\x1b[0m"), word
        else:
            lines[row] = lines[row][:column].ljust(column) + word + lines[row][column + 1:]
            column += 1
    return lines


@pytest.mark.parametrize("term,colour", [("xterm", True), ("xterm", False), ("dumb", False)])
def test_a_terminal_has_a_table(bin_dir, tmp_path, term, colour):
    """Lines of runs appear above the table, which fits the width of the terminal, and is removed at the end."""
    config = sweep_config({"server.max_num_seqs": [2, 3], "benchmark.max_concurrency": [1, 2]})
    args = sweep_args(write_config(tmp_path, config), tmp_path / "s", "--jobs", "2", "--job-cpus", "0")
    leader, follower = pty.openpty()
    tty.setraw(follower)
    termios.tcsetwinsize(follower, (24, 30))
    env = environment({"TERM": term, **({} if colour else {"NO_COLOR": "1"})})
    with subprocess.Popen(command(bin_dir, *args), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=follower) as process:
        os.close(follower)
        seen = read_terminal(leader)
    assert process.returncode == 0
    text = seen.decode()
    rows = on_screen(text.replace("\n", "\r\n"))
    assert rows.pop() == "" and len(rows) == 4 and all(re.match(rf"\[{i + 1}/4\] max_num_seqs=", row) for i, row in enumerate(rows)), rows
    if term == "dumb":
        assert "\x1b" not in text
        return
    blocks = [re.sub(r"\x1b\[[0-9;]*m", "", block).replace("\x1b[K", "").splitlines()
              for block in re.findall(r"\x1b\[\?7l(.*?)\x1b\[\?7h", text, re.S)]
    assert max(len(block) for block in blocks) == 3  # two servers, and the sum
    assert all(len(line) <= 30 for block in blocks for line in block)
    assert {block[-1].split(",")[0] for block in blocks} == {f"{i} finished" for i in range(5)}
    assert ("\x1b[2m" in text) == colour
