"""`launch.container`: the command line of the runtime, its faults, and the proof that no container is left."""
import json
import os
import signal

import pytest
from container_tools import DIGEST, IMAGE, IMAGE_ID, container_config, runtime  # noqa: F401
from resource_tools import host
from run_tools import guard_of, load_result, run_profllm, start_profllm, write_config
from wait_tools import wait_for

LONG_RUN = {"num_prompts": 2000, "max_concurrency": 1, "random_output_len": 100}


def run_one(bin_dir, tmp_path, runtime, config, *args, env=None):  # noqa: F811
    path = write_config(tmp_path, config)
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json", *args, env={**runtime.env, **(env or {})})
    return done, load_result(tmp_path / "r.json") if (tmp_path / "r.json").exists() else None


def start_one(bin_dir, tmp_path, runtime, stop_timeout="5s"):  # noqa: F811
    config = container_config(steps="20ms", launch={"stop_timeout": stop_timeout}, **LONG_RUN)
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json", env=runtime.env)
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "sending" in line:
            return process
    raise AssertionError(lines)


def kill_and_wait(process):
    process.kill()
    process.communicate()


def test_a_run_in_a_container(bin_dir, tmp_path, runtime):  # noqa: F811
    """Secrets reach the server and are on no command line; everything is stopped by name and recorded."""
    config = container_config({"args": ["--ipc=host", "-v", "/m:/m:ro"], "command": ["serve"]},
                              launch={"env": {"PLAIN": "a b", "HF_TOKEN": "s3cret-1", "http_proxy": "http://u:s3cret-2@h:1"}})
    config["server"]["api_key"] = "s3cret-3"
    done, result = run_one(bin_dir, tmp_path, runtime, config)
    assert done.returncode == 0, done.stderr
    run_id = result["run_id"]
    name = f"profllm_{run_id}"
    assert result["environment"]["container"] == {"image": IMAGE, "digest": DIGEST, "image_id": IMAGE_ID, "runtime": "docker",
                                                  "runtime_version": "28.2.2", "name": name}
    argv, = runtime.calls("run")
    port = str(result["launch"]["port"])
    assert argv == ["docker", "run", "--rm", "--name", name, "--label", f"profllm.run_id={run_id}", "--pull=never", "--network", "host",
                    "--env", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "--env", "CUDA_VISIBLE_DEVICES=",
                    "--env", "PLAIN=a b", "--env", "HF_TOKEN", "--env", "http_proxy", "--env", "VLLM_API_KEY", "--env", "PROFLLM_RUN",
                    "--ipc=host", "-v", "/m:/m:ro", IMAGE, "serve", "sim/test", "--max-model-len", "2048",
                    "--host", "127.0.0.1", "--port", port, "--sim-step", "2ms"]
    assert result["launch"]["argv"] == argv
    env = runtime.started()["env"]
    assert (env["HF_TOKEN"], env["VLLM_API_KEY"], env["PROFLLM_RUN"]) == ("s3cret-1", "s3cret-3", run_id)
    assert env["http_proxy"] == "http://u:s3cret-2@h:1"
    assert "s3cret" not in json.dumps(runtime.calls()) + json.dumps(result) + done.stdout + done.stderr
    assert [call[1:] for call in runtime.calls("kill")] == [["kill", "--signal=15", name]]
    assert result["launch"]["exit"]["killed"] is False and result["launch"]["exit"]["status"] == 0
    assert runtime.names() == []
    assert "model sim/test (simulated)" in (tmp_path / "r.server.log").read_text()
    # its processes are the daemon's and carry no mark
    assert result["system"]["server"]["memory_peak_bytes"] > 1 << 20


@pytest.mark.parametrize(("name", "container", "expected"), [
    ("docker", {}, ["--gpus", '"device={0},{1}"']),
    ("podman", {}, ["--device", "nvidia.com/gpu=0", "--device", "nvidia.com/gpu=1"]),
    ("docker", {"args": ["--gpus", "all"]}, ["--env", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "--env", "CUDA_VISIBLE_DEVICES=0,1"]),
])
def test_gpus(bin_dir, tmp_path, runtime, name, container, expected):  # noqa: F811
    config = container_config({"runtime": name, **container}, launch={"gpus": [0, 1]})
    config["server"]["tensor_parallel_size"] = 2
    env = host(bin_dir, tmp_path, "2xH100")
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "--dry-run", "--json", env={**env, **runtime.env})
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    uuids = [gpu["uuid"] for gpu in plan["gpus"]]
    words = [word.format(*uuids) for word in expected]
    argv = plan["argv"]
    assert any(argv[i:i + len(words)] == words for i in range(len(argv))), argv
    assert ("CUDA_VISIBLE_DEVICES" in plan["env"]) == bool(container)
    assert "warning" not in done.stderr or name not in done.stderr


def test_a_network_of_its_own(bin_dir, tmp_path, runtime):  # noqa: F811
    """The port is published at the address of the run, and the server binds all addresses of the container."""
    config = container_config({"network": "bridge"}, launch={"port": 21007})
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "--dry-run", env=runtime.env)
    assert "--network bridge --publish 127.0.0.1:21007:21007" in done.stdout and "--host 0.0.0.0 --port 21007" in done.stdout
    assert "--name profllm_RUN_ID" in done.stdout and runtime.calls() == []


@pytest.mark.parametrize(("faults", "container", "message"), [
    ({"down": True}, {}, "'{0}/docker version' failed: Cannot connect to the Docker daemon"),
    ({}, {"image": "missing:1"}, "image 'missing:1' does not exist on this host; run 'docker pull missing:1', or set pull of launch.container to missing"),
    ({"taken": True}, {}, "already exists; remove it with 'docker rm --force profllm_"),
    ({"run": "docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]]."}, {}, "ended before it was ready: exit status 125"),
    ({"run": "docker: something that no table has"}, {}, "ended before it was ready: exit status 125"),
])
def test_faults_at_the_start(bin_dir, tmp_path, runtime, faults, container, message):  # noqa: F811
    runtime.set_faults(**faults)
    done, result = run_one(bin_dir, tmp_path, runtime, container_config(container))
    assert done.returncode == 3 and result["status"] == "launch_failed"
    assert message.format(runtime.folder / "programs") in result["error"]["message"]
    assert result["error"]["cause"] == "container_engine"
    # a container of someone else stays
    assert not faults.get("taken") or not runtime.calls("rm")


def test_a_runtime_that_is_missing(bin_dir, tmp_path, runtime):  # noqa: F811
    config = container_config({"runtime": "podman"})
    done, result = run_one(bin_dir, tmp_path, runtime, config, env={"PATH": str(tmp_path)})
    assert done.returncode == 3 and result["error"]["cause"] == "not_executable"
    assert "launch.container: found runtime 'podman', which is not in PATH" in result["error"]["message"]


def test_a_daemon_elsewhere(bin_dir, tmp_path, runtime):  # noqa: F811
    """Its number of the process is another process of this host, which is not measured."""
    runtime.set_faults(facts={"Id": "c" * 64, "State": {"Pid": os.getpid()}})
    done, result = run_one(bin_dir, tmp_path, runtime, container_config())
    assert done.returncode == 0, done.stderr
    assert f"process {os.getpid()} of container 'profllm_{result['run_id']}' does not run on this host" in done.stderr
    own = int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    assert (result["system"]["server"].get("memory_peak_bytes") or 0) < own


def test_an_image_may_be_pulled(bin_dir, tmp_path, runtime):  # noqa: F811
    done, result = run_one(bin_dir, tmp_path, runtime, container_config({"image": "missing:1", "pull": "missing"}))
    assert done.returncode == 0, done.stderr
    assert "--pull=missing" in runtime.calls("run")[0]
    assert result["environment"]["container"]["digest"] == DIGEST  # of the image that the container has


def test_a_server_that_ignores_the_signal_is_killed_by_its_name(bin_dir, tmp_path, runtime):  # noqa: F811
    runtime.set_faults(deaf=True, rm_fails=2)
    done, result = run_one(bin_dir, tmp_path, runtime, container_config(launch={"stop_timeout": "300ms"}))
    assert done.returncode == 0, done.stderr
    assert result["launch"]["exit"]["killed"] is True and runtime.names() == []
    assert "--signal=9" in runtime.calls("kill")[-1]


def test_a_runtime_that_leaves_the_container(bin_dir, tmp_path, runtime):  # noqa: F811
    """--rm is a promise of the runtime; the proof is the list of containers."""
    runtime.set_faults(stays=True)
    done, _ = run_one(bin_dir, tmp_path, runtime, container_config())
    assert done.returncode == 0, done.stderr
    assert runtime.calls("rm") and runtime.names() == []


@pytest.mark.parametrize("victim", ["profllm", "guard", "both", "client"])
def test_whoever_is_killed_no_container_is_left(bin_dir, tmp_path, runtime, victim):  # noqa: F811
    process = start_one(bin_dir, tmp_path, runtime)
    guard = guard_of(process.pid)
    assert len(runtime.names()) == 1
    if victim == "client":
        client, = (int(pid) for pid in open(f"/proc/{guard}/task/{guard}/children").read().split())
        os.kill(client, signal.SIGKILL)
        process.communicate()
        assert process.returncode not in (0, -9)
    if victim in ("guard", "both"):
        if victim == "both":
            os.kill(process.pid, signal.SIGSTOP)
        os.kill(guard, signal.SIGKILL)
    if victim == "guard":
        process.communicate()
        assert process.returncode == 1
    if victim in ("profllm", "both"):
        kill_and_wait(process)
    if victim == "both":
        assert len(runtime.names()) == 1
        done = run_profllm(bin_dir, "validate", tmp_path / "experiment.yaml", env=runtime.env)
        assert "of the killed run" in done.stderr
        assert runtime.names() == []
    wait_for(lambda: runtime.names() == [], "the container is gone")
    notes = runtime.folder / "locks/runs"
    wait_for(lambda: list(notes.iterdir()) == [], "the run is not noted any more")


def kill_both(process):
    """Leaves the container to the next command."""
    guard = guard_of(process.pid)
    os.kill(process.pid, signal.SIGSTOP)
    os.kill(guard, signal.SIGKILL)
    kill_and_wait(process)


def test_a_command_without_the_runtime_leaves_the_container_to_the_next(bin_dir, tmp_path, runtime):  # noqa: F811
    kill_both(start_one(bin_dir, tmp_path, runtime))
    notes = runtime.folder / "locks/runs"
    path = tmp_path / "experiment.yaml"
    run_profllm(bin_dir, "validate", path, env={**runtime.env, "PATH": str(tmp_path)})
    assert len(runtime.names()) == 1 and len(list(notes.iterdir())) == 1
    done = run_profllm(bin_dir, "recover", tmp_path / "r.json", env={**runtime.env, "PATH": str(tmp_path)})
    assert "was not looked for, because 'docker' is not in PATH" in done.stderr
    assert "of the killed run" in run_profllm(bin_dir, "validate", path, env=runtime.env).stderr
    assert runtime.names() == [] and list(notes.iterdir()) == []


def test_what_is_not_a_list_proves_nothing(bin_dir, tmp_path, runtime):  # noqa: F811
    """A runtime that prints something else has not said that there is no container."""
    kill_both(start_one(bin_dir, tmp_path, runtime))
    notes = runtime.folder / "locks/runs"
    runtime.set_faults(ps="error: try again\n")
    done = run_profllm(bin_dir, "validate", tmp_path / "experiment.yaml", env=runtime.env)
    assert "could not end 1 process" in done.stderr and len(list(notes.iterdir())) == 1
    runtime.set_faults()
    run_profllm(bin_dir, "validate", tmp_path / "experiment.yaml", env=runtime.env)
    assert runtime.names() == [] and list(notes.iterdir()) == []


@pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="only with PROFLLM_TEST_LONG=1")
def test_a_runtime_that_hangs_at_the_end(bin_dir, tmp_path, runtime):  # noqa: F811
    """The run ends, and the next command removes the container."""
    process = start_one(bin_dir, tmp_path, runtime, stop_timeout="1s")
    runtime.set_faults(slow={"ps": 100, "kill": 100, "rm": 100})
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=150)
    assert "could not end" in errors
    notes = runtime.folder / "locks/runs"
    assert len(list(notes.iterdir())) == 1
    runtime.set_faults()
    wait_for(lambda: run_profllm(bin_dir, "validate", tmp_path / "experiment.yaml", env=runtime.env) and runtime.names() == [], "the container is gone",
             seconds=60)
    wait_for(lambda: list(notes.iterdir()) == [], "the run is not noted any more")


def test_recover_removes_the_container(bin_dir, tmp_path, runtime):  # noqa: F811
    """Also where the lock directory that noted the run is lost."""
    process = start_one(bin_dir, tmp_path, runtime)
    guard = guard_of(process.pid)
    os.kill(process.pid, signal.SIGSTOP)
    os.kill(guard, signal.SIGKILL)
    kill_and_wait(process)
    for note in (runtime.folder / "locks/runs").iterdir():
        note.unlink()
    assert len(runtime.names()) == 1
    done = run_profllm(bin_dir, "recover", tmp_path / "r.json", env=runtime.env)
    assert done.returncode == 0, done.stderr
    assert runtime.names() == []
    assert load_result(tmp_path / "r.json")["environment"]["container"]["runtime"] == "docker"


@pytest.mark.parametrize(("launch", "expected"), [
    ({"container": {"runtime": "lxc", "image": "i"}}, "launch.container: found runtime 'lxc', expected docker or podman"),
    ({"container": {"runtime": "docker"}}, "launch.container: found no image, expected an image such as vllm/vllm-openai:v0.32.0"),
    ({"container": {"image": ""}}, "found image ''"),
    ({"container": {"image": "i", "imgae": "x"}}, "found key 'imgae', expected runtime, image, args, command, pull or network"),
    ({"container": {"image": "i", "args": "--ipc=host"}}, "expected args as a list of texts"),
    ({"container": {"image": 5}}, "expected image as a text"),
    ({"container": {"image": "i", "args": ["--name=x"]}}, "found --name in args, expected nothing: the name contains the run_id"),
    ({"container": {"image": "i", "args": ["-itd"]}}, "found -d in args"),
    ({"container": {"image": "i", "args": ["-p", "8000:8000"]}}, "found -p in args, expected launch.port"),
    ({"container": {"image": "i", "args": ["--gpus", "device=2"]}}, "found --gpus 'device=2', expected all, or launch.gpus"),
    ({"container": {"image": "i", "args": ["--ipc=host", "other"]}}, "found args with 'other', expected options only"),
    ({"container": {"image": "i", "args": ["--ipc=host", "-v"]}}, "found -v without a value in args, expected the value as the next text"),
    ({"container": {"image": "i", "args": ["--rootfs", "--name=x"]}}, "found --name in args"),
    ({"container": {"image": "i", "pull": "often"}}, "found pull 'often', expected never, missing or always"),
    ({"container": {"image": "i", "network": "none"}}, "found network 'none'"),
    ({"container": {"image": "i"}, "command": ["vllm", "serve"]}, "expected null together with launch.command"),
    ({"container": {"image": "i"}, "url": "http://127.0.0.1:1"}, "expected null together with the address of a running server"),
])
def test_keys_are_checked(bin_dir, tmp_path, launch, expected):
    config = {"server": {"model": "m"}, "launch": launch}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "--dry-run")
    assert done.returncode == 2 and expected in done.stderr, done.stderr


def test_a_container_has_a_port(bin_dir, tmp_path):
    config = {"server": {"model": "m", "uds": "/tmp/x.sock"}, "launch": {"container": {"image": "i"}}}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "--dry-run")
    assert done.returncode == 2 and "null together with server.uds" in done.stderr
