"""Ports for servers: free ones for many concurrent runs, fixed ones in use, second tries."""
import errno
import os
import random
import signal
import socket
import subprocess
import sys

import pytest
from resource_tools import Run, completed, held_by, host, refused
from wait_tools import wait_for

RUNS = 20


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return [str(path), "serve"]


def listen(address, family=socket.AF_INET):
    """Listens on a port outside the ranges of the kernel and of profllm: the test may close and reuse it."""
    while True:
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, random.randint(10000, 19999)))
            listener.listen()
            return listener, listener.getsockname()[1]
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise


def has_ipv6():
    try:
        listen("::1", socket.AF_INET6)[0].close()
        return True
    except OSError:
        return False


def test_twenty_runs_at_once_never_clash(bin_dir, tmp_path, patience):
    """All runs hold a port before the first server starts, so all overlap."""
    env = host(bin_dir, tmp_path)
    gate = tmp_path / "go"
    command = script(tmp_path / "server", f"while [ ! -e '{gate}' ]; do sleep 0.1; done\n"
                     f"exec '{bin_dir}/profllm-sim' \"$@\"\n")
    runs = [Run(bin_dir, tmp_path, f"run{i}", env, "-q", command=command, gpus=[],
                ready_timeout=f"{60 * patience}s") for i in range(RUNS)]
    while len(held_by(env)) < RUNS:
        assert all(run.process.poll() is None for run in runs)
    held = held_by(env)
    assert len({holder["run_id"] for holder in held.values()}) == RUNS
    gate.touch()
    assert [run.finish(patience) for run in runs] == [0] * RUNS
    launches = [run.result()["launch"] for run in runs]
    ports = {launch["port"] for launch in launches}
    assert len(ports) == RUNS and all(20000 <= port <= 29999 for port in ports)
    # another program of the host may have come between; none of these has
    first = {int(name.removeprefix("port-")) for name in held}
    assert {launch["port"] for launch in launches if launch["port_tries"] == 1} <= first
    lost = first - ports
    assert len(lost) == sum(launch["port_tries"] > 1 for launch in launches) <= 2
    assert held_by(env) == {}


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0", "::"])
def test_fixed_port_in_use_names_the_process(bin_dir, tmp_path, patience, bound):
    if ":" in bound and not has_ipv6():
        pytest.skip("no IPv6 here")
    listener, port = listen(bound, socket.AF_INET6 if ":" in bound else socket.AF_INET)
    started = tmp_path / "started"
    command = script(tmp_path / "server", f": > '{started}'\n")
    message = refused(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), port=port, gpus=[],
                      command=command, patience=patience)
    assert f"port '{port}'" in message and f"pid {os.getpid()} '{sys.executable}" in message
    # nothing was started, nothing is left of it
    assert not started.exists()
    assert not list(tmp_path.glob("*.log")) and not list(tmp_path.glob("*.journal"))
    listener.close()
    run = completed(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), port=port, gpus=[],
                    patience=patience)
    assert run.result()["launch"]["port"] == port


def test_server_port_means_the_same(bin_dir, tmp_path, patience):
    listener, port = listen("127.0.0.1")
    message = refused(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), server={"port": port},
                      patience=patience)
    assert f"port '{port}'" in message
    listener.close()


def test_an_option_hides_lines(bin_dir, tmp_path, patience):
    """The command line of a foreign process may contain its secrets."""
    code = ("import socket, sys; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); "
            "print(s.getsockname()[1], flush=True); sys.stdin.read()")
    program = tmp_path / "listener.py"
    program.write_text(code)
    with subprocess.Popen([sys.executable, program.name, "--api-key", "sesame"], text=True, cwd=tmp_path,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        port = int(process.stdout.readline())
        message = refused(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), port=port,
                          patience=patience)
        process.stdin.close()
    assert "listener.py'" in message and "sesame" not in message


def test_fixed_port_of_another_run_is_waited_for(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path)
    listener, port = listen("127.0.0.1")
    listener.close()
    holder = Run(bin_dir, tmp_path, "holder", env, long=True, port=port).started()
    message = refused(bin_dir, tmp_path, "second", env, port=port, patience=patience)
    assert f"launch.port: port '{port}' is held by run exp_" in message
    assert "'resources/holder'" in message
    waiter = Run(bin_dir, tmp_path, "waiter", env, "--wait", port=port, gpus=[])
    waiter.line("waiting: ")
    # others are not in its way, and it is not in theirs
    completed(bin_dir, tmp_path, "other", env, patience=patience)
    assert "'resources/waiter'" in refused(bin_dir, tmp_path, "third", env, port=port, patience=patience)
    holder.end(patience)
    assert waiter.finish(patience) == 0
    assert waiter.result()["launch"]["port"] == port


def test_port_lost_before_the_start_is_retried(bin_dir, tmp_path, patience):
    """The first server prints vLLM's error; the second one is given another port."""
    ports = tmp_path / "ports"
    command = script(tmp_path / "server", f"""
for word; do [ "$before" = --port ] && echo "$word" >> '{ports}'; before=$word; done
[ "$(wc -l < '{ports}')" -ge "${{FAILURES:-1}}" ] && exec '{bin_dir}/profllm-sim' "$@"
echo 'OSError: [Errno 98] Address already in use'
exit 1
""")
    env = host(bin_dir, tmp_path, FAILURES="2")
    run = completed(bin_dir, tmp_path, "run", env, command=command, gpus=[], patience=patience)
    tried = [int(line) for line in ports.read_text().split()]
    assert len(tried) == 2 and tried[0] != tried[1]
    launch = run.result()["launch"]
    assert launch["port"] == tried[1] and launch["port_tries"] == 2
    assert launch["argv"][launch["argv"].index("--port") + 1] == str(tried[1])
    assert run.has_line(f"port {tried[0]} is in use; trying port {tried[1]}")

    # three times is enough
    ports.unlink()
    run = Run(bin_dir, tmp_path, "thrice", dict(env, FAILURES="9"), command=command, gpus=[])
    assert run.finish(patience) == 3
    result = run.result()
    assert len(set(ports.read_text().split())) == 3 and result["launch"]["port_tries"] == 3
    assert result["status"] == "launch_failed" and result["error"]["cause"] == "port_in_use"

    # a fixed one is what the user wants, or nothing
    ports.unlink()
    listener, port = listen("127.0.0.1")
    listener.close()
    run = Run(bin_dir, tmp_path, "fixed", dict(env, FAILURES="9"), command=command, gpus=[],
              port=port)
    assert run.finish(patience) == 3
    assert ports.read_text().split() == [str(port)]
    assert run.result()["error"]["cause"] == "port_in_use"
    assert held_by(env) == {}


def test_another_server_came_between(bin_dir, tmp_path, patience):
    """A foreign server took the port before ours did: it is not measured."""
    ports = tmp_path / "ports"
    command = script(tmp_path / "server", f"""
for word; do [ "$before" = --port ] && echo "$word" >> '{ports}'; before=$word; done
[ "$(wc -l < '{ports}')" -ge 2 ] && exec '{bin_dir}/profllm-sim' "$@"
exec sleep 1000
""")
    run = Run(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), command=command, gpus=[])
    wait_for(lambda: ports.exists() and ports.read_text().endswith("\n"), "a port is given",
             30, run.process)
    port = int(ports.read_text())
    foreign = subprocess.Popen([bin_dir / "profllm-sim", "serve", "other/model", "--port", str(port)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert run.finish(patience) == 0, run.lines
        assert foreign.poll() is None
    finally:
        foreign.kill()
        foreign.wait()
    launch = run.result()["launch"]
    assert launch["port_tries"] == 2 and launch["port"] != port
    assert run.has_line(f"port {port} is in use; trying port {launch['port']}")
    assert run.result()["environment"]["engine"]["name"] == "profllm-sim"


@pytest.mark.parametrize("address", ["0.0.0.0", "localhost", "::1", "::"])
def test_addresses_to_bind(bin_dir, tmp_path, patience, address):
    if ":" in address and not has_ipv6():
        pytest.skip("no IPv6 here")
    run = completed(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), host=address, gpus=[],
                    patience=patience)
    assert run.result()["launch"]["host"] == address


@pytest.mark.parametrize("port", [0, -1, 65536, "x"])
def test_invalid_ports(bin_dir, tmp_path, patience, port):
    run = Run(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), port=port)
    assert run.finish(patience) == 2
    assert any("launch.port" in line for line in run.lines)


def test_a_port_stays_locked_while_its_server_lives(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path)
    run = Run(bin_dir, tmp_path, "run", env, long=True, gpus=[]).started()
    held = held_by(env)
    assert len(held) == 1
    run.process.send_signal(signal.SIGTERM)
    assert run.finish(patience) == 143
    assert list(held) == [f"port-{run.result()['launch']['port']}"]
    assert held_by(env) == {}
