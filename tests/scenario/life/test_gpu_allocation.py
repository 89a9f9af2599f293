"""GPU allocation: which run gets which, which one waits, which one is refused, and the entries in the result."""
import json
import os
import re
import signal
import subprocess

import pytest
from host_tools import has_nvidia_library
from resource_tools import Run, completed, config_of, held_by, host, refused
from run_tools import children_of, environment, load_result, marked_processes, write_config

pytestmark = pytest.mark.long_file

UUID = "GPU-70726574-656e-6400-0000-00{:02}00000000"


def dry_run(bin_dir, folder, env, **config):
    path = write_config(folder, config_of("dry", **config), "dry.yaml")
    done = subprocess.run([str(bin_dir / "profllm"), "run", "-c", str(path), "--dry-run", "--json"],
                          env=environment(env), capture_output=True, text=True, timeout=60,
                          check=False)
    return done


def test_two_runs_take_one_each_and_the_third_names_them(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "2xH100")
    first = Run(bin_dir, tmp_path, "first", env, long=True).started()
    second = Run(bin_dir, tmp_path, "second", env, long=True).started()
    message = refused(bin_dir, tmp_path, "third", env, patience=patience)
    assert "launch.gpus: 1 needed, 0 of 2 free" in message and "--wait" in message

    waiting = Run(bin_dir, tmp_path, "waiting", env, "--wait")
    line = waiting.line("waiting: ")
    results = [first.end(patience), second.end(patience)]
    for text in (message, line):
        for index, run in enumerate((first, second)):
            held = (f"GPU {index} is held by run {results[index]['run_id']}, "
                    f"'resources/{run.output.stem}', user ")
            assert held in text
            assert f"pid {run.process.pid}, since 20" in text
    assert first.gpus() == [0] and second.gpus() == [1]
    assert waiting.finish(patience) == 0
    assert waiting.result()["launch"]["waited_s"] > 0
    assert waiting.gpus() == [0]
    # waiting is not part of the run
    result = waiting.result()
    assert result["duration"] < result["duration"] + result["launch"]["waited_s"]


def test_gpus_in_the_result(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "4xH100", settings="2.memory_used = 9GiB")
    run = completed(bin_dir, tmp_path, "run", env, patience=patience,
                    server={"tensor_parallel_size": 3})
    result = run.result()
    assert [gpu["index"] for gpu in result["launch"]["gpus"]] == [0, 1, 3]
    gpu = result["launch"]["gpus"][0]
    assert gpu["uuid"].startswith("GPU-") and gpu["name"] == "NVIDIA H100 80GB HBM3"
    assert gpu["memory_bytes"] > 80e9 and gpu["simulated"] is True
    assert result["environment"]["gpu_models"] == ["NVIDIA H100 80GB HBM3"] * 4
    assert result["environment"]["gpu_driver"] and result["environment"]["cuda"]
    # the release is assumed, and older ones die on uuids
    assert result["launch"]["env"]["CUDA_VISIBLE_DEVICES"] == "0,1,3"
    assert result["launch"]["env"]["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert result["launch"]["waited_s"] == 0


@pytest.mark.parametrize("version,visible", [
    ("0.32.0", "GPU-"), ("0.33.1", "GPU-"), ("0.31.9", "0"), ("0.9.2", "0"),
])
def test_uuids_where_the_release_is_known_to_take_them(bin_dir, tmp_path, version, visible):
    env = host(bin_dir, tmp_path, "2xH100")
    done = dry_run(bin_dir, tmp_path, env, vllm_version=version)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["env"]["CUDA_VISIBLE_DEVICES"].startswith(visible)
    assert plan["gpus"][0]["index"] == 0


def test_first_come_first_served(bin_dir, tmp_path, patience):
    """A run that waits for both GPUs is not overtaken by runs that want one."""
    env = host(bin_dir, tmp_path, "2xH100")
    holder = Run(bin_dir, tmp_path, "holder", env, long=True).started()
    both = Run(bin_dir, tmp_path, "both", env, "--wait", long=True,
               server={"tensor_parallel_size": 2})
    both.line("waiting: ")
    one = Run(bin_dir, tmp_path, "one", env, "--wait")
    assert "'resources/both'" in one.line("waiting: ") and "is ahead in the queue" in one.lines[-1]
    # nor by those who do not even wait, though a GPU is free
    assert "'resources/both'" in refused(bin_dir, tmp_path, "now", env, patience=patience)
    holder.end(patience)
    both.started()
    assert not one.has_line("starting")
    assert one.process.poll() is None
    both.end(patience)
    assert one.finish(patience) == 0
    assert both.gpus() == [0, 1] and one.gpus() == [0]


def test_named_gpus_without_waiting_runs_are_free(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "3xH100")
    holder = Run(bin_dir, tmp_path, "holder", env, long=True, gpus=[0]).started()
    waiter = Run(bin_dir, tmp_path, "waiter", env, "--wait", gpus=[0, 1])
    waiter.line("waiting: ")
    # 1 is free, and kept for who waits for it
    assert completed(bin_dir, tmp_path, "other", env, patience=patience).gpus() == [2]
    assert "GPU 1 is reserved for the waiting run" in refused(bin_dir, tmp_path, "same", env, gpus=[1],
                                                   patience=patience)
    holder.end(patience)
    assert waiter.finish(patience) == 0
    assert waiter.gpus() == [0, 1]


def test_the_dead_do_not_keep_their_place(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    holder = Run(bin_dir, tmp_path, "holder", env, long=True).started()
    dead = Run(bin_dir, tmp_path, "dead", env, "--wait")
    dead.line("waiting: ")
    alive = Run(bin_dir, tmp_path, "alive", env, "--wait")
    assert "'resources/dead'" in alive.line("waiting: ")
    dead.process.kill()
    dead.process.wait()
    alive.line("'resources/holder'")
    holder.end(patience)
    assert alive.finish(patience) == 0


@pytest.mark.parametrize("number,status", [
    (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_waiting(bin_dir, tmp_path, patience, number, status):
    env = host(bin_dir, tmp_path, "1xH100", settings="processes = 4242:16GiB:python3")
    waiter = Run(bin_dir, tmp_path, "waiter", env, "--wait", "2h")
    assert "GPU 0 is used by pid 4242 'python3'" in waiter.line("waiting: ")
    waiter.process.send_signal(number)
    assert waiter.finish(patience) == status, waiter.lines
    assert not waiter.output.exists()
    assert held_by(env) == {}


def test_waiting_ends_by_itself(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100", settings="0.memory_used = 30GiB")
    message = refused(bin_dir, tmp_path, "run", env, "--wait", "200ms", patience=patience)
    assert "the wait timed out" in message and "(30.0 GiB)" in message


def test_gpus_of_other_programs_are_not_taken(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "3xH100",
               settings="0.processes = 4242:16GiB:python3\n1.memory_used = 30GiB\n"
                        "2.processes = 77:20MiB:graphics:Xorg\n2.memory_used = 300MiB\n")
    # a display does not occupy a GPU
    assert completed(bin_dir, tmp_path, "free", env, patience=patience).gpus() == [2]
    assert "GPU 0 is used by pid 4242 'python3' (16.0 GiB)" in refused(
        bin_dir, tmp_path, "named", env, gpus=[0], patience=patience)
    message = refused(bin_dir, tmp_path, "two", env, server={"tensor_parallel_size": 2},
                      patience=patience)
    assert "2 needed, 1 of 3 free" in message and "GPU 1 is used by processes" in message


def test_waiting_for_another_program(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100", settings="0.processes = 4242:16GiB:python3")
    run = Run(bin_dir, tmp_path, "run", env, "--wait")
    run.line("waiting: ")
    free = tmp_path / "free"
    free.write_text("0.processes =\n0.memory_used = 0GiB\n")
    os.replace(free, env["PRETEND_FILE"])
    assert run.finish(patience) == 0


@pytest.mark.release_only  # eight runs that differ in words alone
def test_names_of_gpus(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "2xH100,1xA100")
    whole = completed(bin_dir, tmp_path, "all", env, gpus="all", patience=patience).result()
    uuids = [gpu["uuid"] for gpu in whole["launch"]["gpus"]]
    assert len(uuids) == 3
    for i, (gpus, expected) in enumerate([([1], [1]), ([2, 0], [0, 2]), (["1"], [1]), ([uuids[2]], [2]),
                                         ([uuids[1][:-5], 0], [0, 1])]):
        run = completed(bin_dir, tmp_path, f"named{i}", env, gpus=gpus, patience=patience)
        assert run.gpus() == expected
    # TP over two models is not intended while two GPUs of one are free
    run = completed(bin_dir, tmp_path, "pair", env, server={"tensor_parallel_size": 2},
                    patience=patience)
    assert run.gpus() == [0, 1]


@pytest.mark.parametrize("launch,server,says", [
    ({"gpus": [7]}, {}, "found '7', expected one of 0 (NVIDIA H100"),
    ({"gpus": ["GPU-x"]}, {}, "found 'GPU-x', expected one of"),
    ({"gpus": ["GPU-"]}, {}, "matches 2 GPUs"),
    ({"gpus": [0, 0]}, {}, "found GPU '0' more than once"),
    ({}, {"tensor_parallel_size": 2, "pipeline_parallel_size": 2}, "needs 4 GPUs"),
    ({"gpus": [0], "env": {"CUDA_VISIBLE_DEVICES": "1"}}, {}, "remove one of them"),
    ({"gpus": "auto"}, {"device_ids": "0"}, "remove one of them"),
])
def test_impossible_resources(bin_dir, tmp_path, patience, launch, server, says):
    env = host(bin_dir, tmp_path, "2xH100")
    message = refused(bin_dir, tmp_path, "run", env, "--wait", "--force", status=2, server=server,
                      patience=patience, **launch)
    assert says in message


@pytest.mark.parametrize("gpus", [["one"], [-1], "0,1", {"a": 1}])
def test_invalid_gpus(bin_dir, tmp_path, patience, gpus):
    run = Run(bin_dir, tmp_path, "run", host(bin_dir, tmp_path), gpus=gpus)
    assert run.finish(patience) == 2
    assert any("launch.gpus" in line for line in run.lines)


def test_visible_devices_of_the_user(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "3xH100", CUDA_VISIBLE_DEVICES="2,1")
    assert completed(bin_dir, tmp_path, "auto", env, patience=patience).gpus() == [1]
    assert completed(bin_dir, tmp_path, "all", env, gpus="all", patience=patience).gpus() == [1, 2]
    # who names a GPU means it
    assert completed(bin_dir, tmp_path, "named", env, gpus=[0], patience=patience).gpus() == [0]
    message = refused(bin_dir, tmp_path, "many", env, status=2, patience=patience,
                      server={"tensor_parallel_size": 3})
    assert "CUDA_VISIBLE_DEVICES hides" in message


@pytest.mark.parametrize("launch,server", [
    ({"env": {"CUDA_VISIBLE_DEVICES": "1"}}, {}), ({}, {"device_ids": "1"})])
def test_gpus_named_elsewhere_are_taken_too(bin_dir, tmp_path, patience, launch, server):
    env = host(bin_dir, tmp_path, "2xH100")
    holder = Run(bin_dir, tmp_path, "holder", env, long=True, server=server, **launch).started()
    assert [name for name in held_by(env) if name.startswith("gpu-")] != []
    assert "GPU 1 is held by" in refused(bin_dir, tmp_path, "same", env, gpus=[1],
                                         patience=patience)
    result = holder.end(patience)
    assert [gpu["index"] for gpu in result["launch"]["gpus"]] == [1]
    assert result["launch"]["env"].get("CUDA_VISIBLE_DEVICES") == (
        None if server else "1")


def test_a_server_without_gpus(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100", settings="0.memory_used = 30GiB")
    run = completed(bin_dir, tmp_path, "run", env, gpus=[], patience=patience)
    result = run.result()
    assert result["launch"]["gpus"] == []
    assert result["launch"]["env"]["CUDA_VISIBLE_DEVICES"] == ""
    # the user's own setting is not changed
    run = completed(bin_dir, tmp_path, "own", env, gpus=[], env={"CUDA_VISIBLE_DEVICES": "0"},
                    patience=patience)
    assert run.result()["launch"]["env"]["CUDA_VISIBLE_DEVICES"] == "0"


def test_a_host_without_gpus(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "0xH100")
    assert completed(bin_dir, tmp_path, "auto", env, patience=patience).gpus() == []
    assert "found no GPU" in refused(bin_dir, tmp_path, "cuda", env, platform="cuda",
                                         patience=patience)
    assert "found no GPU" in refused(bin_dir, tmp_path, "named", env, gpus=[0], status=2,
                                         patience=patience)
    # a program other than the simulator may have wanted one
    server = tmp_path / "server"
    server.symlink_to(bin_dir / "profllm-sim")
    run = completed(bin_dir, tmp_path, "vllm", env, command=[str(server), "serve"],
                    patience=patience)
    assert run.has_line("warning: found no GPU")
    assert run.gpus() == [] and "CUDA_VISIBLE_DEVICES" not in run.result()["launch"]["env"]


NVIDIA_SMI = """#!/bin/sh
[ "$*" = "-q -x" ] || exit 2
cat <<'END'
<?xml version="1.0" ?>
<nvidia_smi_log>
	<driver_version>580.65.06</driver_version>
	<cuda_version>13.0</cuda_version>
	<gpu id="00000000:01:00.0">
		<product_name>NVIDIA H100 80GB HBM3</product_name>
		<uuid>GPU-0b1c2d3e-0000-1111-2222-333344445555</uuid>
		<fb_memory_usage><total>81559 MiB</total><used>4 MiB</used></fb_memory_usage>
	</gpu>
</nvidia_smi_log>
END
"""


@pytest.mark.skipif(has_nvidia_library(), reason="this host has a driver, which goes before nvidia-smi")
def test_a_simulator_takes_no_real_gpu_by_default(bin_dir, tmp_path, patience):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "nvidia-smi"
    program.write_text(NVIDIA_SMI)
    program.chmod(0o755)
    env = host(bin_dir, tmp_path, PROFLLM_NVML_LIB="",
               PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    run = completed(bin_dir, tmp_path, "auto", env, patience=patience,
                    server={"tensor_parallel_size": 8})
    assert run.result()["environment"]["gpu_driver"] == "580.65.06"
    assert run.gpus() == []
    run = completed(bin_dir, tmp_path, "named", env, gpus=[0], patience=patience)
    gpu = run.result()["launch"]["gpus"][0]
    assert gpu["index"] == 0 and gpu["simulated"] is False
    assert gpu["uuid"] == "GPU-0b1c2d3e-0000-1111-2222-333344445555"
    assert "GPU 0 is held by" not in refused(bin_dir, tmp_path, "other", env, gpus=[1], status=2,
                                             patience=patience)


def test_other_platforms_take_no_nvidia_gpu(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    run = completed(bin_dir, tmp_path, "cpu", env, platform="cpu", patience=patience)
    assert run.gpus() == []


def test_parts_of_a_gpu(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100:mig=3g.40gb+3g.40gb")
    first = Run(bin_dir, tmp_path, "first", env, long=True).started()
    assert first.has_line("warning: MIG instances have only UUIDs")
    second = Run(bin_dir, tmp_path, "second", env, long=True, vllm_version="0.32.0").started()
    assert not second.has_line("MIG")
    refused(bin_dir, tmp_path, "third", env, patience=patience)
    assert "partitioned" in refused(bin_dir, tmp_path, "whole", env, gpus=[0], status=2,
                                    patience=patience)
    results = [first.end(patience), second.end(patience)]
    visible = [result["launch"]["env"]["CUDA_VISIBLE_DEVICES"] for result in results]
    assert all(name.startswith("MIG-") for name in visible) and visible[0] != visible[1]
    assert [result["launch"]["gpus"][0]["uuid"] for result in results] == visible
    refused(bin_dir, tmp_path, "pair", env, status=2, server={"tensor_parallel_size": 2},
            patience=patience)


def validate(bin_dir, folder, env, text, *args):
    (folder / "v.yaml").write_text(text)
    done = subprocess.run([str(bin_dir / "profllm"), "validate", "--json", *args,
                           str(folder / "v.yaml")], env=environment(env), capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode in (0, 2), done.stderr
    return {problem["rule"] for problem in json.loads(done.stdout)["files"][0]["problems"]
            if problem["severity"] == "error"}


def test_rules_know_the_gpus_of_the_host(bin_dir, tmp_path):
    """The server would not fit: the run is refused before it takes anything."""
    server = "server: {model: m, tensor_parallel_size: 4}\n"
    two, four = (host(bin_dir, tmp_path, f"{count}xH100") for count in (2, 4))
    assert "world_fits_gpus" in validate(bin_dir, tmp_path, two, server)
    assert validate(bin_dir, tmp_path, four, server) == set()
    # the named GPUs count, and so do those requested in place of the host's
    named = server + "launch: {gpus: [0, 1]}\n"
    assert "world_fits_gpus" in validate(bin_dir, tmp_path, four, named)
    assert validate(bin_dir, tmp_path, two, server, "--hardware", "h100x8") == set()
    # hidden ones do not count
    assert "world_fits_gpus" in validate(bin_dir, tmp_path,
                                         {**four, "CUDA_VISIBLE_DEVICES": "0,1"}, server)
    # what does not run here, or needs none, is not measured by this host
    for launch in ("{gpus: []}", "{url: 'http://127.0.0.1:1'}", "{platform: cpu}",
                   "{command: [profllm-sim, serve]}"):
        assert validate(bin_dir, tmp_path, two, f"{server}launch: {launch}\n") == set()


def test_a_dry_run_takes_nothing(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    done = dry_run(bin_dir, tmp_path, env)
    assert done.returncode == 0 and held_by(env) == {}
    shown = subprocess.run([str(bin_dir / "profllm"), "run", "-c", str(tmp_path / "dry.yaml"),
                            "--dry-run"], env=environment(env), capture_output=True, text=True,
                           timeout=60, check=True)
    assert "\ngpus:   0 (NVIDIA H100 80GB HBM3)\n" in shown.stdout
    holder = Run(bin_dir, tmp_path, "holder", env, long=True).started()
    done = dry_run(bin_dir, tmp_path, env)
    assert done.returncode == 0
    plan = json.loads(done.stdout)
    assert plan["gpus"] == [] and plan["port"] is not None
    assert any("GPU 0 is held by run" in warning for warning in plan["warnings"])
    holder.end(patience)


def test_locks_outlive_a_killed_run_until_its_last_process_is_gone(bin_dir, tmp_path, patience):
    """profllm is killed; the remaining processes ignore SIGTERM, and the GPU is not free before they died."""
    env = host(bin_dir, tmp_path, "1xH100")
    script = tmp_path / "stubborn"
    script.write_text("#!/bin/sh\ntrap '' TERM\nsetsid sh -c \"trap '' TERM; : > '$0.up'; "
                      "while :; do sleep 1; done\" &\nwhile :; do sleep 1; done\n")
    script.chmod(0o755)
    first = Run(bin_dir, tmp_path, "first", env, command=[str(script)], stop_timeout="1s").started()
    first.line("waiting for the server")
    run_id = next(iter(held_by(env).values()))["run_id"]
    assert run_id.startswith("exp_")
    while not (tmp_path / "stubborn.up").exists():
        assert first.process.poll() is None
    assert len(marked_processes(run_id)) >= 2
    first.process.kill()
    second = Run(bin_dir, tmp_path, "second", env, "--wait").started()
    assert marked_processes(run_id) == []
    assert second.finish(patience) == 0
    first.process.communicate()


def test_locks_are_free_after_every_end(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    run = Run(bin_dir, tmp_path, "dies", env, command=["/bin/false"])
    assert run.finish(patience) == 3
    assert held_by(env) == {}
    run = Run(bin_dir, tmp_path, "absent", env, command=["no-such-server"])
    assert run.finish(patience) == 3
    assert held_by(env) == {}
    run = Run(bin_dir, tmp_path, "crash", env, long=True).started()
    run.line("waiting for the server")
    result = run.end(patience)
    assert result["status"] == "interrupted" and held_by(env) == {}
