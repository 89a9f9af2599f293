"""Whichever process is killed, and whenever: no process of a run survives."""
import fcntl
import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from orphan_tools import Scene, scene_config
from run_tools import load_result, processes_with

PHASES = ("starting", "loading", "running", "stopping")
LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
MOMENTS = 1000 if LONG else 40
MOMENTS_A_TEST = 10


@pytest.fixture
def make_scene(bin_dir, tmp_path, patience):
    scenes = []

    def make(config):
        folder = tmp_path / str(len(scenes))
        folder.mkdir()
        scenes.append(Scene(bin_dir, folder, config, patience))
        return scenes[-1]

    yield make
    for scene in scenes:
        scene.clean_up()


@pytest.fixture
def reach(make_scene):
    """Brings a scene to the middle of a phase, which does not end by itself."""
    def make(phase):
        start_ms = 0 if phase == "running" else 600000
        scene = make_scene(scene_config(steps_ms=20, start_ms=start_ms, requests=300, max_concurrency=64,
                                        random_output_len=600))
        scene.reach(phase)
        return scene
    return make


def signal_twice(scene):
    scene.process.send_signal(signal.SIGINT)
    scene.process.send_signal(signal.SIGINT)


@pytest.mark.parametrize("phase", PHASES)
def test_profllm_is_killed(reach, phase):
    scene = reach(phase)
    os.kill(scene.process.pid, signal.SIGKILL)
    scene.wait_until_gone()
    assert scene.next_command().stderr == ""


@pytest.mark.threads
@pytest.mark.parametrize("phase", PHASES)
def test_guard_is_killed(reach, phase):
    scene = reach(phase)
    guard = scene.guard()
    os.kill(guard, signal.SIGKILL)
    status = scene.finish()
    result = load_result(scene.result)
    if phase == "stopping":
        assert (status, result["status"]) == (130, "interrupted")
    else:
        expected = (1, "failed") if phase == "running" else (3, "launch_failed")
        assert (status, result["status"]) == expected
        assert f"guard process {guard} " in result["error"]["message"]
    scene.wait_until_gone()


@pytest.mark.parametrize("phase", PHASES)
def test_profllm_and_guard_are_killed(reach, phase):
    scene = reach(phase)
    run_id = scene.run_id()
    scene.kill_both()
    said = scene.next_command()
    assert said.returncode == 0
    # before the head has made its workers there may be nothing but the head, which the kernel ends
    if phase != "starting":
        assert f"of the killed run '{run_id}'" in said.stderr
        assert said.stderr.count("\n") == 1
    scene.wait_until_gone()
    assert scene.next_command().stderr == ""


@pytest.mark.threads
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("number,status", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                           (signal.SIGHUP, 129)])
def test_signal(reach, phase, number, status):
    scene = reach(phase)
    scene.process.send_signal(number)
    # the scene is stopping because of a SIGINT: the first one counts
    assert scene.finish() == (130 if phase == "stopping" else status)
    scene.wait_until_gone()
    assert load_result(scene.result)["status"] == "interrupted"


@pytest.mark.parametrize("phase", PHASES)
def test_signal_twice(reach, phase):
    scene = reach(phase)
    signal_twice(scene)
    assert scene.finish() == 130
    scene.wait_until_gone()
    assert load_result(scene.result)["status"] == "interrupted"


@pytest.mark.parametrize("phase", PHASES[1:])
def test_head_is_killed_while_its_workers_live(reach, phase):
    scene = reach(phase)
    os.kill(scene.head(), signal.SIGKILL)
    status = scene.finish()
    result = load_result(scene.result)
    assert (status, result["status"]) == {"loading": (3, "launch_failed"), "running": (1, "failed"),
                                          "stopping": (130, "interrupted")}[phase]
    assert result["launch"]["exit"] | {"stop_s": None} == {"status": None, "signal": 9,
                                                            "killed": False, "stop_s": None}
    scene.wait_until_gone()


def test_live_run_is_left_alone_by_the_next_command(reach):
    scene = reach("running")
    alive = scene.marked()
    assert scene.next_command().stderr == ""
    assert scene.marked() == alive
    scene.process.send_signal(signal.SIGINT)
    assert scene.finish() == 130


def is_locked(path):
    with open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_locks_last_as_long_as_the_server(make_scene):
    """profllm is dead and its server is slow to end: no other run gets the port."""
    config = scene_config(steps_ms=20, start_ms=600000, requests=3000)
    config["launch"]["stop_timeout"] = "1h"
    scene = make_scene(config)
    scene.reach("loading")
    head = scene.head()
    port_lock, = (scene.folder / "locks").glob("port-*.lock")
    os.kill(head, signal.SIGSTOP)
    os.kill(scene.process.pid, signal.SIGKILL)
    scene.process.wait(timeout=60)
    assert is_locked(port_lock)
    # the guard has sent its SIGTERM: the head takes it when it continues
    os.kill(head, signal.SIGCONT)
    scene.wait_until_gone()
    # the guard lets go of it as its last act
    scene.wait_for(lambda: not is_locked(port_lock), "the port is given back")


@pytest.mark.skipif(not LONG, reason="a guard is given 15 s to answer")
def test_guard_that_hangs_is_ended(reach):
    scene = reach("running")
    os.kill(scene.guard(), signal.SIGSTOP)
    scene.process.send_signal(signal.SIGINT)
    assert scene.finish() == 130
    assert load_result(scene.result)["status"] == "interrupted"
    scene.wait_until_gone()


def test_terminal_is_hung_up_while_nohup_protects(make_scene):
    """A SIGHUP that profllm ignores does not end the run."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        scene = make_scene(scene_config(steps_ms=100, start_ms=0, requests=40))
    finally:
        signal.signal(signal.SIGHUP, before)
    scene.wait_for_line("sending")
    scene.process.send_signal(signal.SIGHUP)
    assert scene.finish() == 0
    scene.wait_until_gone()


# ---- the simulator by hand ----

def start_sim(bin_dir, token, *args):
    return subprocess.Popen([str(bin_dir / "profllm-sim"), "serve", "m", "--sim-processes", "3",
                             "--host", "127.0.0.1", *args], start_new_session=True, text=True,
                            env={**os.environ, "PROFLLM_TEST_SCENE": token},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def alive_of(token):
    return processes_with(f"PROFLLM_TEST_SCENE={token}")


@pytest.mark.parametrize("end", [lambda pid: os.killpg(pid, signal.SIGINT),
                                 lambda pid: os.kill(pid, signal.SIGTERM)],
                         ids=["^C in a terminal", "SIGTERM"])
def test_simulator_takes_its_workers_with_it(bin_dir, tmp_path, patience, end):
    token = str(tmp_path)
    with start_sim(bin_dir, token, "--port", "0") as sim:
        while "Application startup complete" not in sim.stdout.readline():
            assert sim.poll() is None
        assert len(alive_of(token)) == 4
        names = {Path(f"/proc/{pid}/comm").read_text().strip() for pid in alive_of(token)}
        assert names == {"profllm-sim", "profllm-sim-w1", "profllm-sim-w2", "profllm-sim-w3"}
        end(sim.pid)
        # its output ends when the last that writes there has ended
        sim.stdout.read()
        assert sim.wait(timeout=60 * patience) == 0
    assert alive_of(token) == []


def test_simulator_that_cannot_start_leaves_no_workers(bin_dir, tmp_path, patience):
    token = str(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with start_sim(bin_dir, token, "--port", str(taken.getsockname()[1])) as sim:
            assert "Address already in use" in sim.stdout.read()
            assert sim.wait(timeout=60 * patience) == 1
    assert alive_of(token) == []


# ---- random moments ----

def kill_worker(scene):
    head = scene.head()
    workers = [pid for pid in scene.marked() if pid != head]
    os.kill(workers[0], signal.SIGKILL)


DEEDS = {
    "profllm is killed": lambda scene: os.kill(scene.process.pid, signal.SIGKILL),
    "the guard is killed": lambda scene: os.kill(scene.guard(), signal.SIGKILL),
    "both are killed": lambda scene: scene.kill_both(),
    "the head is killed": lambda scene: os.kill(scene.head(), signal.SIGKILL),
    "a worker is killed": kill_worker,
    "SIGINT": lambda scene: scene.process.send_signal(signal.SIGINT),
    "SIGTERM": lambda scene: scene.process.send_signal(signal.SIGTERM),
    "SIGINT twice": signal_twice,
}


def play_moment(make_scene, seed):
    """Plays a run of about half a second, and one event at a random moment of it.

    Returns whether it hit a process.


    """
    rng = random.Random(seed)
    deed = sorted(DEEDS)[seed % len(DEEDS)]
    moment_s = rng.uniform(0, 0.5)
    scene = make_scene(scene_config(steps_ms=4, start_ms=rng.choice([0, 100, 200]), requests=40))
    # no event is waited for: any moment must do
    time.sleep(moment_s)
    try:
        DEEDS[deed](scene)
        hit = True
    except (OSError, ValueError, IndexError):
        hit = False  # its target does not exist yet, or has ended
    scene.finish()
    scene.next_command()
    try:
        scene.wait_until_gone()
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {deed} after {moment_s:.3f} s: {error}") from error
    scene.clean_up()
    return hit


@pytest.mark.sanitize_all
@pytest.mark.parametrize("first", range(0, MOMENTS, MOMENTS_A_TEST))
def test_random_moments(make_scene, first):
    hits = [play_moment(make_scene, seed) for seed in range(first, first + MOMENTS_A_TEST)]
    assert any(hits)
