"""Ways in which a run with a real vLLM ends early: what had finished is kept, nothing is left."""
import os
import signal

import pytest
from real_tools import READY_S, Run, birth, vllm_config
from run_tools import load_result, read_zst_lines, run_profllm


@pytest.fixture
def play(bin_dir, tmp_path, vllm):
    runs = []

    def start(config, name="one"):
        runs.append(Run(bin_dir, tmp_path / name, config, engine=vllm, locks=tmp_path / "locks"))
        return runs[-1]

    yield start
    for run in runs:
        run.clean_up()


def long_config(vllm):
    return vllm_config(vllm, num_prompts=400, num_warmups=0)


def test_engine_is_killed_in_the_run(play, vllm):
    """The front end lives on and ends itself: what it says of the engine's end is the cause."""
    run = play(long_config(vllm))
    run.wait_for_line("sending")
    run.wait_for_finished(20)
    os.kill(run.engine_core(), signal.SIGKILL)
    status, _, result = run.finish()
    assert status == 1 and result["status"] == "failed"
    assert result["error"]["stage"] == "measure"
    assert result["error"]["cause"] in ("killed", "crashed"), result["error"]
    assert 10 <= result["results"]["completed"] < 400
    done = [record for record in read_zst_lines(run.output.with_suffix(".requests.jsonl.zst"))
            if record["error"] is None]
    assert len(done) == result["results"]["completed"]
    run.wait_until_gone(10)


def test_profllm_is_killed_in_the_run(play, bin_dir, vllm):
    run = play(long_config(vllm))
    run.wait_for_line("sending")
    run.wait_for_finished(20)
    run.process.kill()
    run.process.communicate(timeout=60)
    run.wait_until_gone()
    done = run_profllm(bin_dir, "recover", run.output, env=run.env)
    assert done.returncode == 0, done.stderr
    result = load_result(run.output)
    assert result["status"] == "interrupted" and result["error"]["cause"] == "killed"
    assert 10 <= result["results"]["completed"] < 400
    assert result["environment"]["engine"]["simulated"] is False


def test_profllm_and_its_guard_are_killed(play, bin_dir, vllm, tmp_path):
    """The kernel ends the server's head with the guard. An engine that hangs would stay, and its title
    has wiped its mark: the next command finds it by its session and ends it."""
    run = play(long_config(vllm))
    run.wait_for_line("sending")
    guard, core = run.guard(), run.engine_core()
    for pid in (run.process.pid, guard, core):
        os.kill(pid, signal.SIGSTOP)
    for pid in (guard, run.process.pid):
        os.kill(pid, signal.SIGKILL)
    run.process.communicate(timeout=60)
    run.wait_for(lambda: birth(guard) is None, "the guard is gone", 60)
    assert core in run.alive()
    done = run_profllm(bin_dir, "validate", run.folder / "experiment.yaml", env=run.env)
    assert "that the killed run" in done.stderr, done.stderr
    run.wait_until_gone(10)


def test_guard_is_killed(play, vllm):
    """The same with profllm alive: it ends what the kernel leaves of the server."""
    run = play(long_config(vllm))
    run.wait_for_line("sending")
    guard, core = run.guard(), run.engine_core()
    os.kill(core, signal.SIGSTOP)
    os.kill(guard, signal.SIGKILL)
    status, _, result = run.finish()
    assert status == 1 and result["status"] == "failed"
    assert f"guard (process {guard}) was killed" in result["error"]["message"]
    run.wait_until_gone(10)


def test_interrupt_while_the_server_starts(play, vllm):
    run = play(vllm_config(vllm))
    run.wait_for_line("waiting for the server")
    # far enough to have an engine of its own
    run.wait_for(run.engine_core, "the engine's process is there", READY_S)
    run.process.send_signal(signal.SIGINT)
    status, _, result = run.finish()
    assert status == 130 and result["status"] == "interrupted" and result["results"] is None
    assert result["error"]["stage"] == "launch"
    assert run.alive() == []


def test_two_at_once_take_two_ports(play, vllm):
    first = play(vllm_config(vllm, num_prompts=10), "one")
    first.wait_for_line("waiting for the server")
    second = play(vllm_config(vllm, num_prompts=10), "two")
    second.wait_for_line("waiting for the server")
    assert first.port() != second.port()
    ends = [run.finish() for run in (first, second)]
    assert [status for status, _, _ in ends] == [0, 0], first.log_text() + second.log_text()
    assert len({result["launch"]["port"] for _, _, result in ends}) == 2
    assert all(result["results"]["completed"] == 10 for _, _, result in ends)
    assert first.alive() == second.alive() == []
