"""`profllm demo`: a sweep on the simulator, a dashboard with its frontier, and an end that leaves nothing."""
import http.client
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import uuid
from contextlib import ExitStack, contextmanager

import pytest
from import_tools import ask
from outputs_tools import check_output
from run_tools import PATIENCE, children_of, command, environment, processes_with, read_terminal, run_profllm
from wait_tools import wait_for

RUNS = 12
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)(/pareto\?\S+)")
ENDS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


class Scene:
    """One demo; all its processes carry a variable of the test, and its directory is in a directory of the test."""

    def __init__(self, words, folder, env=None, **more):
        self.folder = folder / "tmp"
        self.folder.mkdir()
        self.token = f"PROFLLM_TEST_DEMO={uuid.uuid4()}"
        name, value = self.token.split("=")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, text=True, **more, env=environment(
            {"TMPDIR": str(self.folder), name: value, "DISPLAY": "", "WAYLAND_DISPLAY": "", **(env or {})}))

    def alive(self):
        return processes_with(self.token)

    def made(self):
        return list(self.folder.iterdir())

    def has_server(self):
        """Returns whether the sweep has started a simulator."""
        return any(b"profllm-sim" in read_words(pid)[0] for pid in self.alive())

    def expect_nothing_left(self):
        wait_for(lambda: not self.alive(), "all processes have ended", seconds=60)
        wait_for(lambda: not self.made(), "the directory is removed", seconds=60)


def read_words(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return [b""]


@contextmanager
def scene(words, folder, **more):
    """Ends what a failed test leaves."""
    it = Scene([str(word) for word in words], folder, **more)
    try:
        yield it
    finally:
        if it.process.poll() is None:
            it.process.terminate()
        it.process.wait(timeout=60 * PATIENCE)


def started(bin_dir, folder, *words, **more):
    return scene(command(bin_dir, "demo", "--port", 0, *words), folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def frontiers(port):
    """Returns the response for the address that the demo prints."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60 * PATIENCE)
    metrics = [{"field": "results.median_e2el_ms"}, {"field": "results.output_throughput"}]
    connection.request("POST", "/api/analysis/pareto", json.dumps(
        {"metrics": metrics, "group_by": ["server.quantization"], "simulated": True, "untrusted": True}),
        {"Content-Type": "application/json"})
    reply = connection.getresponse()
    body = json.loads(reply.read())
    assert reply.status == 200, body
    return body


@pytest.mark.release_only  # its parts run with a sanitizer: sweeps and dashboards have scenarios
@pytest.mark.long_file
def test_one_word_shows_a_frontier(bin_dir, source_dir, tmp_path):
    """Plays `make demo` on a terminal of a desktop."""
    browser = tmp_path / "bin/xdg-open"
    browser.parent.mkdir()
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{tmp_path}/opened.new && mv {tmp_path}/opened.new {tmp_path}/opened\n')
    browser.chmod(0o755)
    ours, its = pty.openpty()
    env = {"DISPLAY": ":99", "PATH": f"{browser.parent}:{os.environ['PATH']}"}
    with scene([source_dir / "tools/demo", bin_dir], tmp_path, env=env, stdout=its, stderr=its, cwd=tmp_path) as demo:
        os.close(its)
        wait_for(lambda: (tmp_path / "opened").exists(), "it opens the browser", seconds=90, process=demo.process)
        address, = (tmp_path / "opened").read_text().splitlines()
        port, page = ADDRESS.fullmatch(address).groups()
        assert "simulated=1" in page and len(demo.made()) == 1
        body = frontiers(int(port))
        assert body["count"] == body["simulated"] == body["configuration_count"] == RUNS
        # 12 are usual; a very busy machine may put one or two beyond their line
        assert len(body["groups"]) == 2 and sum(group["frontier_count"] for group in body["groups"]) >= 10, body
        demo.process.send_signal(signal.SIGINT)
        text = read_terminal(ours).decode()
        assert demo.process.wait(timeout=60 * PATIENCE) == 0, text
        assert address in text and "SIMULATED" in text and f"[{RUNS}/{RUNS}]" in text and "trusted" in text
        demo.expect_nothing_left()


@pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="PROFLLM_TEST_LONG=1 runs it: it takes 15 s")
def test_results_are_kept(bin_dir, tmp_path):
    kept = tmp_path / "kept"
    done = run_profllm(bin_dir, "demo", "--keep", kept, "--no-serve", "--port", 0, "--json", env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert ask(kept / "results.db", "SELECT count(*) FROM benchmark_runs") == [(RUNS,)]
    results = [json.loads(path.read_text()) for path in (kept / "sweep/cells").glob("*.json")]
    assert len(results) == RUNS and all(result["environment"]["engine"]["simulated"] is True for result in results)
    answer = json.loads(done.stdout)
    check_output("profllm", "demo__json", answer)
    assert (answer["database"], answer["address"], answer["results_count"]) == (f"{kept}/results.db", None, RUNS)
    again = run_profllm(bin_dir, "demo", "--keep", kept)
    assert again.returncode == 2 and f"'{kept}' is not empty; to show its results, run" in again.stderr


@pytest.mark.parametrize("number, status", ENDS)
def test_a_signal_ends_the_sweep(bin_dir, tmp_path, number, status):
    with started(bin_dir, tmp_path) as demo:
        wait_for(demo.has_server, "a simulator runs", process=demo.process)
        demo.process.send_signal(number)
        demo.process.communicate(timeout=60 * PATIENCE)
        assert demo.process.returncode == status
        demo.expect_nothing_left()


def test_a_killed_demo_leaves_nothing(bin_dir, tmp_path):
    """Whichever of its two processes is killed: the one that was started, or the one that does the work."""
    for number, victim in enumerate((lambda pid: pid, lambda pid: children_of(pid)[0])):
        folder = tmp_path / str(number)
        folder.mkdir()
        with started(bin_dir, folder) as demo:
            wait_for(demo.has_server, "a simulator runs", process=demo.process)
            assert len(demo.made()) == 1
            os.kill(victim(demo.process.pid), signal.SIGKILL)
            demo.process.communicate(timeout=60 * PATIENCE)
            assert demo.process.returncode == (137 if number else -signal.SIGKILL)
            demo.expect_nothing_left()


def test_a_parent_that_ignores_signals_changes_only_those(bin_dir, tmp_path):
    """An ignored SIGCHLD loses no status, and an ignored SIGHUP (nohup) ends nothing."""
    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with started(bin_dir, tmp_path, preexec_fn=ignore) as demo:
        wait_for(demo.has_server, "a simulator runs", process=demo.process)
        demo.process.send_signal(signal.SIGHUP)
        demo.process.send_signal(signal.SIGTERM)
        demo.process.communicate(timeout=30 * PATIENCE)
        assert demo.process.returncode == 143
        demo.expect_nothing_left()


def test_a_failed_start_can_be_tried_again(bin_dir, tmp_path):
    kept = tmp_path / "kept"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for _ in range(2):
            done = run_profllm(bin_dir, "demo", "--keep", kept, "--port", port)
            assert done.returncode == 5 and f"'127.0.0.1:{port}' is in use" in done.stderr, done.stderr
            assert list(kept.iterdir()) == []


def test_demos_at_once_share_no_port(bin_dir, tmp_path):
    """Without --port, one of them takes the usual port, and none fails because of it."""
    with ExitStack() as stack:
        demos = []
        for number in range(3):
            folder = tmp_path / str(number)
            folder.mkdir()
            demos.append(stack.enter_context(scene(command(bin_dir, "demo"), folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)))
        for demo in demos:
            assert demo.process.stdout.readline().startswith("SIMULATED"), demo.process.stderr.read()
            demo.process.send_signal(signal.SIGTERM)
        for demo in demos:
            demo.process.communicate(timeout=60 * PATIENCE)
            assert demo.process.returncode == 143
            demo.expect_nothing_left()


def test_a_port_in_use_is_reported(bin_dir, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_profllm(bin_dir, "demo", "--port", port, env={"TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (5, "") and f"'127.0.0.1:{port}' is in use" in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1 and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", ["profllm-dashboard", "profllm-sim"])
def test_a_missing_program_is_reported(bin_dir, tmp_path, program):
    """They are next to profllm, so a copy of it alone finds none of them."""
    (tmp_path / "bin").mkdir()
    for name in {"profllm", "profllm-dashboard", "profllm-sim"} - {program}:
        shutil.copy(bin_dir / name, tmp_path / "bin")
    (tmp_path / "tmp").mkdir()
    done = run_profllm(tmp_path / "bin", "demo", env={"TMPDIR": str(tmp_path / "tmp"), "PATH": "/usr/bin:/bin"})
    assert (done.returncode, done.stdout) == (2, "") and f"found no program '{program}' next to profllm or in PATH; install the package {program}\n" in done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("words, said", [
    (["--port", "70000"], "--port: found 70000, expected 0 to 65535"),
    (["--port", "-1"], "--port: found -1, expected 0 to 65535"),
    (["--no-serve"], "--no-serve works only with --keep; add --keep DIR"),
    (["file.yaml"], "'file.yaml'"),
    (["--keep", "/proc/nothing"], "/proc/nothing"),
])
def test_faults_are_reported_before_anything_is_made(bin_dir, tmp_path, words, said):
    done = run_profllm(bin_dir, "demo", *words, env={"TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_directory_with_files_is_left_alone(bin_dir, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    done = run_profllm(bin_dir, "demo", "--keep", tmp_path)
    assert done.returncode == 2 and f"--keep: '{tmp_path}' is not empty; name a new directory" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
