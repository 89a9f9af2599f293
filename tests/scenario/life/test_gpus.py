"""`profllm gpus`: the pretend library, nvidia-smi in its place, and captures of it."""
import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import termios
import threading
from pathlib import Path

import pytest

from host_tools import has_nvidia_library
from run_tools import command

MIB = 1 << 20
TIMEOUT_S = 60

# Written by hand from reading the files: driver, CUDA, then of each GPU its name, MiB in use and in
# all, and its processes as (pid, MiB, "C" computes or "G" draws).
P4_PIDS = [1188, 2124, 3696, 3972, 7208, 7284, 7880, 8788, 9468, 9804, 11528, 12804, 15104]
CAPTURES = {
    "nvidia_smi_xml/*3090-v13*": ("590.44.01", "13.1", [
        ("NVIDIA GeForce RTX 3090", 7, 24576, [])]),
    "nvidia_smi_xml/*dual_2080-v13*": ("590.44.01", "13.1", [
        ("NVIDIA GeForce RTX 2080", 1, 8192, []), ("NVIDIA GeForce RTX 2080", 1, 8192, [])]),
    "nvidia_smi_xml/*gtx-1660-ti*": ("418.43", "10.1", [("Graphics Device", 0, 5912, [])]),
    "nvidia_smi_xml/*pro-6000-maxq*": ("590.44.01", "13.1", [
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 65720, 97887,
         [(116860, 65710, "C")])]),
    "nvidia_smi_xml/*rtx-3080-v13*": ("595.58.03", "13.2", [
        ("NVIDIA GeForce RTX 3080", 9184, 10240, [])]),
    "nvidia_smi_xml/*rtx-4000-sff-ada*": ("595.84", "13.2", [
        ("NVIDIA RTX 4000 SFF Ada Generation", 3534, 20475,
         [(1842, 410, "G"), (3190, 451, "G"), (4937, 160, "C"), (34626, 183, "C")])]),
    "nvidia_smi_xml/*tesla_p4*": ("513.46", "11.6", [
        ("GRID P4-1Q", 807, 1024, [(pid, None, "C") for pid in P4_PIDS])]),
}


# Other forms that users save, which are not read: the name in the message.
OTHER_FORMS = {"nvidia_smi_captures/*.txt": "its table", "nvidia_smi_csv/*.csv": "CSV",
               "nvidia_smi_text/*.txt": "its table", "nvidia_smi_text/*.json": "JSON"}


def environment(**extra):
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("PRETEND_", "PROFLLM_NVML", "PROFLLM_LOCK"))}
    return {**env, **extra}


def pretend(bin_dir, gpus, **extra):
    library = Path(bin_dir).parent / "lib" / "libnvml-pretend.so"
    assert library.exists(), f"no {library}: run make build"
    return environment(PROFLLM_NVML_LIB=str(library), PRETEND_GPUS=gpus, **extra)


def run_gpus(bin_dir, *args, env=None, **options):
    return subprocess.run(command(bin_dir, "gpus", *args), capture_output=True, text=True,
                          timeout=TIMEOUT_S, env=env or environment(), **options)


def gpus_json(bin_dir, *args, env=None):
    done = run_gpus(bin_dir, "--json", *args, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def mib(value):
    return None if value is None else value / MIB


def summary(gpus):
    """Returns the parts of the output that the table above has."""
    types = {"compute": "C", "graphics": "G"}
    return [(gpu["name"], mib(gpu["memory_used_bytes"]), mib(gpu["memory_bytes"]),
             None if gpu["processes"] is None else
             [(p["pid"], mib(p["memory_bytes"]), types[p["type"]]) for p in gpu["processes"]])
            for gpu in gpus]


# ---- what others captured ---------------------------------------------------------------------

@pytest.mark.parametrize("pattern", CAPTURES)
def test_capture(bin_dir, test_data_dir, pattern):
    driver, cuda, expected = CAPTURES[pattern]
    paths = list((test_data_dir / "data" / "ops").glob(pattern))
    assert len(paths) == 1
    gpus = gpus_json(bin_dir, "--from", paths[0])
    assert summary(gpus) == expected
    for gpu in gpus:
        assert gpu["driver"] == driver and gpu["cuda"] == cuda
        assert gpu["simulated"] is False and gpu["held_by"] is None
    shown = run_gpus(bin_dir, "--from", paths[0]).stdout
    assert f"Driver {driver or 'unknown'}, CUDA {cuda or 'unknown'}\n" in shown
    for name, _, total, _ in expected:
        assert (name or " -  -  ") in shown
        assert total is None or f"{total / 1024:.1f} GiB" in shown


def test_every_capture_is_in_a_table(test_data_dir):
    folder = test_data_dir / "data" / "ops"
    known = {path for pattern in [*CAPTURES, *OTHER_FORMS] for path in folder.glob(pattern)}
    assert known == set(folder.glob("nvidia_smi_*/*"))


@pytest.mark.parametrize("pattern", OTHER_FORMS)
def test_other_forms_are_recognized(bin_dir, test_data_dir, pattern):
    paths = sorted((test_data_dir / "data" / "ops").glob(pattern))
    assert len(paths) >= 2
    for path in paths:
        done = run_gpus(bin_dir, "--from", path)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr.startswith(f"profllm: error: '{path}': found {OTHER_FORMS[pattern]}, ") and done.stderr.count("\n") == 1


def test_values_of_a_capture(bin_dir, test_data_dir):
    """Compares more values of one file, which were read manually."""
    path, = (test_data_dir / "data" / "ops" / "nvidia_smi_xml").glob("*3090-v13*")
    gpu = gpus_json(bin_dir, "--from", path)[0]
    assert gpu["uuid"] == "GPU-12345678-aaaa-bbbb-cccc-0123456789ab"
    assert gpu["power_w"] == 35.06 and gpu["power_limit_w"] == 350 and gpu["temperature_c"] == 32
    assert gpu["utilization"] == 0 and gpu["memory_utilization"] == 0.01
    assert gpu["throttle"] == ["power"] and gpu["ecc"] is None and gpu["mig"] is None
    assert gpu["pcie_rx_bytes_per_s"] == 439e3 and gpu["pcie_tx_bytes_per_s"] == 488e3
    assert gpu["pcie_generation"] == 4 and gpu["pcie_lanes"] == 16
    # not in the file: of the model
    assert gpu["compute_capability"] == 8.6


# ---- the pretend library ----------------------------------------------------------------------

def test_table_and_json(bin_dir):
    env = pretend(bin_dir, "1xH100:numa=0,1xA100:mig=1g.10gb*2",
                  PRETEND_SET=f"0.processes={os.getpid()}:16GiB;0.utilization=87;"
                              "0.throttle=sw_power_cap,hw_thermal;0.ecc_uncorrected=3;"
                              "0.pcie_rx=2e9;0.pcie_tx=1e9",
                  PRETEND_POWER="const:333")
    gpus = gpus_json(bin_dir, env=env)
    assert [(gpu["index"], gpu["mig_index"]) for gpu in gpus] == [
        (0, None), (1, None), (1, 0), (1, 1)]
    first = gpus[0]
    assert first["simulated"] is True and first["source"] == "nvml"
    assert first["throttle"] == ["power", "thermal"]
    assert first["power_w"] == 333 and first["utilization"] == 0.87
    process = first["processes"][0]
    assert process["pid"] == os.getpid() and process["memory_bytes"] == 16 << 30
    assert "python" in process["command"] and process["user"]
    assert gpus[2]["mig_parent"] == gpus[1]["uuid"] and gpus[2]["power_w"] is None

    shown = run_gpus(bin_dir, env=env).stdout
    assert "\033" not in shown and "[#" not in shown
    assert "(simulated)" in shown.splitlines()[0]
    assert "16.0 / 79.6 GiB    87 %    333 / 700 W   35 C  power,thermal\n" in shown
    assert "PCIe 5 x16 (2.0 GB/s in, 1.0 GB/s out), 18 NVLinks, NUMA node 0" in shown
    assert "3 uncorrected memory errors" in shown
    assert f"pid {os.getpid()}" in shown and "16.0 GiB  compute" in shown
    assert " 1.1  NVIDIA A100-SXM4-80GB MIG 1g.10gb" in shown


def test_none(bin_dir, tmp_path):
    empty = gpus_json(bin_dir, env=pretend(bin_dir, ""))
    assert empty == []
    done = run_gpus(bin_dir, env=pretend(bin_dir, ""))
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith("No GPU found: ") and "libnvml-pretend.so" in done.stdout


without_driver = pytest.mark.skipif(has_nvidia_library(), reason="this host has NVIDIA's driver")


@without_driver
def test_no_driver(bin_dir, tmp_path):
    env = environment(PATH=str(tmp_path))
    done = run_gpus(bin_dir, env=env)
    assert "No GPU found" in done.stdout
    assert done.returncode == 0 and done.stdout.count("\n") == 1
    assert "libnvidia-ml.so.1" in done.stdout and "nvidia-smi" in done.stdout
    assert gpus_json(bin_dir, env=env) == []


@without_driver
def test_nvidia_smi_in_place_of_the_library(bin_dir, source_dir, tmp_path):
    fixture = source_dir / "tests/fuzz/corpus/host/gpu/nvidia_smi/two_gpus_mig.xml"
    script = tmp_path / "nvidia-smi"
    script.write_text(f"#!/bin/sh\nexec /bin/cat '{fixture}'\n")
    script.chmod(0o755)
    env = environment(PATH=f"{tmp_path}:{os.environ['PATH']}")
    gpus = gpus_json(bin_dir, env=env)
    assert [gpu["name"] for gpu in gpus] == ["Made Up 80 & More"] * 3 + ["Older Form"]
    assert {gpu["source"] for gpu in gpus} == {"nvidia-smi"}
    assert gpus[0]["driver"] == "570.10" and gpus[0]["simulated"] is False


def test_from_standard_input(bin_dir):
    text = "<nvidia_smi_log><gpu><product_name>Made Up</product_name></gpu></nvidia_smi_log>"
    done = run_gpus(bin_dir, "--from", "-", "--json", input=text)
    assert done.returncode == 0, done.stderr
    assert [(gpu["index"], gpu["name"]) for gpu in json.loads(done.stdout)] == [(0, "Made Up")]
    done = run_gpus(bin_dir, "--from", "-", "--json", input="name, index\nMade Up, 3\n")
    assert done.returncode == 2 and done.stdout == ""
    assert "'standard input': found CSV, " in done.stderr


@pytest.mark.parametrize("args, said", [
    (["--from", "/nowhere/x"], "/nowhere/x"),
    (["--from", "/dev/null"], "found nothing, expected the XML of 'nvidia-smi -q -x'"),
    (["--watch", "1ms"], "below 50ms"),
    (["--watch", "--from", "x"], "exclude each other"),
    (["what"], "unexpected argument 'what'; this command accepts only options"),
])
def test_usage(bin_dir, args, said):
    done = run_gpus(bin_dir, *args)
    assert done.returncode == 2 and done.stdout == ""
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_library_that_is_none(bin_dir):
    done = run_gpus(bin_dir, env=environment(PROFLLM_NVML_LIB="/nowhere/lib.so"))
    assert done.returncode == 2
    assert "PROFLLM_NVML_LIB" in done.stderr and "/nowhere/lib.so" in done.stderr


def test_holders_of_locks(bin_dir, tmp_path):
    """A lock names its holder; one whose holder was killed names none."""
    env = pretend(bin_dir, "2xL4", PROFLLM_LOCK_DIR=str(tmp_path))
    said = {"pid": 77, "user": "somebody", "run_id": "exp_1", "name": "my/run"}
    first, second = (gpu["uuid"] for gpu in gpus_json(bin_dir, env=env))
    for uuid in (first, second):
        (tmp_path / f"gpu-{uuid}.lock").write_text(json.dumps(said))
    with open(tmp_path / f"gpu-{first}.lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        gpus = gpus_json(bin_dir, env=env)
        assert gpus[0]["held_by"] == said and gpus[1]["held_by"] is None
        shown = run_gpus(bin_dir, env=env).stdout
        assert shown.count("held by ") == 1
        assert "held by run exp_1, 'my/run', user somebody, pid 77" in shown
    assert gpus_json(bin_dir, env=env)[0]["held_by"] is None


# ---- --watch ------------------------------------------------------------------------------------

LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)  +([\d.]+)  NVIDIA L4 +([\d.]+) / 22\.5 GiB  .*  (\S+)")


def watched_lines(bin_dir, env, count, *args):
    """Returns the first lines of a watch whose output is not a terminal; ^C ends it with 0."""
    child = subprocess.Popen(command(bin_dir, "gpus", "--watch", "50ms", *args), env=env, text=True,
                             stdout=subprocess.PIPE)
    guard = threading.Timer(TIMEOUT_S, child.kill)
    guard.start()
    try:
        lines = [child.stdout.readline() for _ in range(count)]
        child.send_signal(signal.SIGINT)
        assert child.wait() == 0
    finally:
        guard.cancel()
        child.kill()
        child.wait()
        child.stdout.close()
    return lines


def test_watch_prints_lines_without_a_terminal(bin_dir):
    env = pretend(bin_dir, "2xL4", PRETEND_SET="1.memory_used=2GiB;1.throttle=sw_power_cap", TERM="xterm", NO_COLOR="")
    heading, *lines = watched_lines(bin_dir, env, 5)
    assert "\033" not in heading + "".join(lines)
    assert heading.split() == ["time", "GPU", "name", "memory", "busy", "power", "temp", "throttled"]
    assert {line.index("NVIDIA") for line in lines} == {heading.index("name")}
    found = [LINE.fullmatch(line.rstrip("\n")) for line in lines]
    assert all(found), lines
    assert [match[2] for match in found] == ["0", "1", "0", "1"]
    assert [match[3] for match in found][1::2] == ["2.0", "2.0"] and found[1][4] == found[3][4] == "power"
    # one look has one time, and looks follow one another
    assert found[0][1] == found[1][1] < found[2][1] == found[3][1]


def test_watch_says_on_a_line_that_there_is_none(bin_dir):
    first, second = watched_lines(bin_dir, pretend(bin_dir, ""), 2)
    for line in first, second:
        time, said = line.split("  ", 1)
        assert said.startswith("No GPU found: ") and time.endswith("Z")
    first, second = watched_lines(bin_dir, pretend(bin_dir, ""), 2, "--json")
    assert json.loads(first)["gpus"] == json.loads(second)["gpus"] == []


def test_watch_gives_json_lines(bin_dir, tmp_path):
    """A change of the file during the watch is shown; ^C ends it with 0."""
    settings = tmp_path / "gpus"
    settings.write_text("0.memory_used = 1GiB\n")
    env = pretend(bin_dir, "2xL4", PRETEND_FILE=str(settings))
    child = subprocess.Popen(command(bin_dir, "gpus", "--watch", "50ms", "--json"), env=env, text=True,
                             stdout=subprocess.PIPE)
    guard = threading.Timer(TIMEOUT_S, child.kill)
    guard.start()
    try:
        first = json.loads(child.stdout.readline())
        assert first["gpus"][0]["memory_used_bytes"] == 1 << 30
        changed = tmp_path / "changed"
        changed.write_text("0.memory_used = 2GiB\n1.throttle = sw_power_cap\n")
        changed.rename(settings)
        for line in child.stdout:
            look = json.loads(line)
            if look["gpus"][0]["memory_used_bytes"] == 2 << 30:
                break
        assert look["gpus"][1]["throttle"] == ["power"]
        assert look["time"] > first["time"]
        child.send_signal(signal.SIGINT)
        assert child.wait() == 0
    finally:
        guard.cancel()
        child.kill()
        child.wait()
        child.stdout.close()


def read_until(fd, wanted):
    text = b""
    while text.count(wanted) < 2:
        text += os.read(fd, 65536)
    return text.decode()


def test_watch_redraws_a_terminal(bin_dir):
    env = pretend(bin_dir, "1xL4", PRETEND_SET="memory_used=21GiB", TERM="xterm", NO_COLOR="")
    leader, follower = pty.openpty()
    child = subprocess.Popen(command(bin_dir, "gpus", "-w", "50ms"), env=env, stdout=follower,
                             stdin=follower, start_new_session=True)
    os.close(follower)
    guard = threading.Timer(TIMEOUT_S, child.kill)
    guard.start()
    try:
        text = read_until(leader, b"\033[J")
        assert text.startswith("\033[2J\033[H")
        assert text.count("\033[H") >= 2 and "\033[K" in text
        # 21 of 22.5 GiB: nearly all of the bar, in yellow
        assert "[\033[33m###############-\033[0m]" in text
        child.send_signal(signal.SIGINT)
        # what is still to be read must not hold it up
        drain = threading.Thread(target=drained, args=(leader,), daemon=True)
        drain.start()
        assert child.wait() == 0
    finally:
        guard.cancel()
        child.kill()
        child.wait()


def test_commands_of_others_show_no_secret(bin_dir):
    child = subprocess.Popen(["sh", "-c", "read line # vllm --api-key SECR-1a --port 81", "x",
                              "--hf-token=SECR-2b", "--api-key", "SECR-3c", "--tag", "plain"],
                             stdin=subprocess.PIPE)
    try:
        env = pretend(bin_dir, "1xH100", PRETEND_SET=f"0.processes={child.pid}:1GiB:x")
        shown = gpus_json(bin_dir, env=env)[0]["processes"][0]["command"]
        assert "--api-key *** --port 81" in shown and "--hf-token=***" in shown
        assert shown.endswith("--api-key *** --tag plain") and "SECR" not in shown
        assert "SECR" not in run_gpus(bin_dir, env=env).stdout
    finally:
        child.stdin.close()
        child.wait()


@pytest.mark.parametrize("columns", [80, 120])
def test_width_of_the_terminal(bin_dir, columns):
    """One sample prints everything; a narrow terminal has no bars."""
    env = pretend(bin_dir, "1xH100,1xB200", PRETEND_SET="memory_used=21GiB", TERM="xterm",
                  NO_COLOR="1")
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, columns))
    done = subprocess.run(command(bin_dir, "gpus"), env=env, stdout=follower, stdin=follower,
                          timeout=TIMEOUT_S, check=True)
    os.close(follower)
    lines = drained(leader).decode().splitlines()
    os.close(leader)
    assert done.returncode == 0
    assert lines[2].endswith("throttled")
    for row in [line for line in lines if "NVIDIA" in line]:
        assert row.endswith("idle") and len(row) <= columns
        assert ("[#" in row) == (columns == 120)
    assert any("GPU-" in line for line in lines)
def drained(fd):
    """Reads a terminal until its other end is closed."""
    said = b""
    try:
        while data := os.read(fd, 65536):
            said += data
    except OSError:
        pass
    return said
