"""server.uds: the socket's file outlives its server, and is removed only if no process holds it."""
import os
import signal
import socket
import subprocess
import time

import pytest
from run_tools import base_config, load_result, run_profllm, start_profllm, write_config


def config_with(path):
    config = base_config(num_prompts=4)
    config["server"]["uds"] = str(path)
    return config


def run(bin_dir, folder, path, *args):
    return run_profllm(bin_dir, "run", "--config", write_config(folder, config_with(path)),
                       "--output", folder / "r.json", "--overwrite", *args)


def stale_socket(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))
    assert path.is_socket()


def test_a_second_run_uses_the_same_path(bin_dir, tmp_path):
    for _ in range(2):
        done = run(bin_dir, tmp_path, tmp_path / "s")
        assert done.returncode == 0, done.stderr
        assert load_result(tmp_path / "r.json")["results"]["completed"] == 4
        assert (tmp_path / "s").is_socket()


def test_a_stale_socket_is_removed(bin_dir, tmp_path):
    stale_socket(tmp_path / "s")
    done = run(bin_dir, tmp_path, tmp_path / "s")
    assert done.returncode == 0, done.stderr


def test_one_left_by_a_server_that_was_killed(bin_dir, tmp_path):
    first = start_profllm(bin_dir, "run", "--config", write_config(tmp_path, config_with(tmp_path / "s")),
                          "--output", tmp_path / "k.json", "--set", "benchmark.num_prompts=100000")
    for _ in range(600):
        if (tmp_path / "s").exists():
            break
        time.sleep(0.05)
    assert (tmp_path / "s").is_socket()
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=60)
    for _ in range(200):
        done = run(bin_dir, tmp_path, tmp_path / "s")
        # the guard ends the server that was left
        if done.returncode != 5:
            break
        time.sleep(0.1)
    assert done.returncode == 0, done.stderr


def test_repeats_and_sweeps_share_a_path(bin_dir, tmp_path):
    config = config_with(tmp_path / "s")
    config["sweep"] = {"server.max_num_seqs": [4, 8]}
    done = run_profllm(bin_dir, "sweep", "run", write_config(tmp_path, config), "-o",
                       tmp_path / "out", "--repeats", "2")
    assert done.returncode == 0, done.stderr + done.stdout
    rows = load_result(tmp_path / "out" / "summary.json")["runs"]
    assert [row["status"] for row in rows] == ["completed"] * 4


@pytest.mark.parametrize("listens", [True, False])
def test_a_socket_in_use_is_left_alone(bin_dir, tmp_path, listens):
    """vLLM binds minutes before it listens."""
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(tmp_path / "s"))
        if listens:
            held.listen()
        done = run(bin_dir, tmp_path, tmp_path / "s")
        assert done.returncode == 5
        assert f"a running process holds the socket '{tmp_path / 's'}'" in done.stderr
        assert (tmp_path / "s").is_socket() and not (tmp_path / "r.json").exists()
        dry = run(bin_dir, tmp_path, tmp_path / "s", "--dry-run")
        assert dry.returncode == 0 and "holds the socket" in dry.stdout + dry.stderr


def test_a_relative_path_is_the_same_socket(bin_dir, tmp_path):
    held = subprocess.Popen(["/usr/bin/python3", "-c", "import socket, time\ns = socket.socket(socket.AF_UNIX)\n"
                             "s.bind('s')\nprint('bound', flush=True)\ntime.sleep(600)"],
                            cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert held.stdout.readline() == "bound\n"
        assert run(bin_dir, tmp_path, tmp_path / "s").returncode == 5
        assert (tmp_path / "s").is_socket()
    finally:
        held.kill()
        held.communicate()


@pytest.mark.parametrize("kind", ["file", "folder", "link", "fifo"])
def test_files_other_than_sockets_are_left_alone(bin_dir, tmp_path, kind):
    path = tmp_path / "s"
    stale_socket(tmp_path / "other")
    {"file": lambda: path.write_text("mine"), "folder": path.mkdir,
     "link": lambda: path.symlink_to(tmp_path / "other"), "fifo": lambda: os.mkfifo(path)}[kind]()
    done = run(bin_dir, tmp_path, path)
    assert done.returncode == 2
    assert f"server.uds: '{path}' exists and is not a socket" in done.stderr
    assert os.path.lexists(path) and (tmp_path / "other").is_socket()
