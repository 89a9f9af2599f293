"""The lock directory: shared by all users, and trusted only if no other user can have changed it."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from host_tools import need
from resource_tools import Run, completed, config_of, held_by, host, refused
from run_tools import write_config

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
# a mount of its own over the folder of the locks, for this process alone
OWN_RUN_LOCK = ("unshare", "--mount", "sh", "-c",
                'mount -t tmpfs $MOUNT_OPTIONS tmpfs /run/lock && eval "$BEFORE" && exec "$@"', "sh")


@pytest.fixture(name="as_nobody")
def fixture_as_nobody(bin_dir):
    """Returns the words that run a command as another user."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can start programs as another user")
    if subprocess.run([*NOBODY, "test", "-x", str(bin_dir / "profllm")], check=False).returncode:
        pytest.skip(f"user nobody may not read {bin_dir}")
    return NOBODY


@pytest.fixture(name="everybodys")
def fixture_everybodys():
    """A directory that other users may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="profllm-locks-") as name:
        os.chmod(name, 0o1777)
        yield Path(name)


@pytest.fixture(name="own_run_lock")
def fixture_own_run_lock():
    env = {**os.environ, "MOUNT_OPTIONS": "", "BEFORE": ":"}
    if subprocess.run([*OWN_RUN_LOCK, "true"], check=False, env=env,
                      stderr=subprocess.DEVNULL).returncode:
        pytest.skip("no mounts of one's own here")
    return OWN_RUN_LOCK


def run_lock_env(**extra):
    """Returns an environment without PROFLLM_LOCK_DIR: the directory for all users."""
    return {"PROFLLM_LOCK_DIR": "", "MOUNT_OPTIONS": "", "BEFORE": ":", **extra}


def test_folder_and_files_are_for_everybody(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    before = os.umask(0o077)
    try:
        completed(bin_dir, tmp_path, "run", env, patience=patience)
    finally:
        os.umask(before)
    folder = Path(env["PROFLLM_LOCK_DIR"])
    assert folder.stat().st_mode & 0o7777 == 0o1777
    locks = list(folder.glob("*.lock"))
    assert {re.sub(r"-.*", "", path.name) for path in locks} == {"gpu", "port", "queue.lock"}
    assert {path.stat().st_mode & 0o7777 for path in locks} == {0o666}


@pytest.mark.parametrize("first,second", [("root", "nobody"), ("nobody", "root"),
                                          ("nobody", "nobody")])
def test_users_share_the_locks(bin_dir, everybodys, as_nobody, patience, first, second):
    prefixes = {"root": (), "nobody": as_nobody}
    env = host(bin_dir, everybodys, "1xH100", HOME=str(everybodys))
    holder = Run(bin_dir, everybodys, "holder", env, prefix=prefixes[first], long=True).started()
    message = refused(bin_dir, everybodys, "refused", env, prefix=prefixes[second],
                      patience=patience)
    assert re.search(rf"GPU 0 is held by run exp_\w+, 'resources/holder', user {first}, pid ", message)
    waiter = Run(bin_dir, everybodys, "waiter", env, "--wait", prefix=prefixes[second])
    waiter.line("waiting: ")
    holder.end(patience)
    assert waiter.finish(patience) == 0
    owners = {path.stat().st_uid for path in Path(env["PROFLLM_LOCK_DIR"]).glob("gpu-*")}
    assert owners == {0 if first == "root" else 65534}


def test_listeners_of_other_users(bin_dir, everybodys, as_nobody, patience):
    import socket  # pylint: disable=import-outside-toplevel
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    message = refused(bin_dir, everybodys, "run", host(bin_dir, everybodys, HOME=str(everybodys)),
                      prefix=as_nobody, port=port, patience=patience)
    assert f"port '{port}' of '127.0.0.1' is in use by a process of user 'root'" in message
    listener.close()


def test_no_existing_lock_is_opened_with_o_creat(bin_dir, tmp_path, patience):
    """The kernel refuses to open files of other users in a sticky directory with O_CREAT (fs.protected_regular)."""
    need("strace")
    if os.environ.get("PROFLLM_SANITIZED"):
        pytest.skip("sanitizers do not work under a tracer")
    env = host(bin_dir, tmp_path, "2xH100")
    path = write_config(tmp_path, config_of("traced", gpus=[0]), "traced.yaml")
    folder, seen = env["PROFLLM_LOCK_DIR"], 0
    for turn in range(3):
        there = set(os.listdir(folder)) if turn else set()
        trace = tmp_path / f"trace{turn}"
        subprocess.run(["strace", "-f", "-qq", "-e", "trace=open,openat,openat2,creat", "-o",
                        str(trace), str(bin_dir / "profllm"), "run", "-c", str(path), "-o",
                        str(tmp_path / f"r{turn}.json"), "-q"], check=True, timeout=120 * patience,
                       env={**os.environ, **env}, stdout=subprocess.DEVNULL)
        for line in trace.read_text().splitlines():
            found = re.search(r'"([^"]*\.lock)", ([A-Z_|]+)', line)
            if not found:
                continue
            name, flags = os.path.basename(found[1]), found[2].split("|")
            seen += 1
            assert "O_NOFOLLOW" in flags, line
            if "O_CREAT" in flags:
                assert "O_EXCL" in flags and name not in there, line
                there.add(name)
    assert seen >= 9


@pytest.mark.parametrize("make,says", [
    (lambda path: path.symlink_to("/tmp"), "found a symlink, expected a directory"),
    (lambda path: path.symlink_to(path.parent / "nowhere"), "found a symlink, expected a directory"),
    (lambda path: path.write_text(""), "found a file, expected a directory"),
    (lambda path: (path.mkdir(), path.chmod(0o777)), "expected 1777"),
])
def test_planted_folder_is_refused(bin_dir, tmp_path, patience, make, says):
    env = host(bin_dir, tmp_path, "1xH100")
    make(Path(env["PROFLLM_LOCK_DIR"]))
    message = refused(bin_dir, tmp_path, "run", env, status=2, patience=patience)
    assert "is unsafe" in message and says in message
    assert not list(tmp_path.glob("*.log"))


def test_planted_lock_is_refused(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    completed(bin_dir, tmp_path, "first", env, patience=patience)
    lock = next(Path(env["PROFLLM_LOCK_DIR"]).glob("gpu-*"))
    victim = tmp_path / "victim"
    victim.write_text("precious")
    lock.unlink()
    lock.symlink_to(victim)
    assert "is unsafe" in refused(bin_dir, tmp_path, "run", env, status=2,
                                             patience=patience)
    lock.unlink()
    os.link(victim, lock)
    assert "is unsafe" in refused(bin_dir, tmp_path, "run", env, status=2,
                                             patience=patience)
    assert victim.read_text() == "precious"


def test_planted_directory_of_notes_is_reported(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    locks = Path(env["PROFLLM_LOCK_DIR"])
    (tmp_path / "elsewhere").mkdir()
    locks.mkdir()
    locks.chmod(0o1777)
    (locks / "runs").symlink_to(tmp_path / "elsewhere")
    run = completed(bin_dir, tmp_path, "run", env, patience=patience)
    assert run.has_line("runs'"), run.lines
    assert not list((tmp_path / "elsewhere").iterdir())


def test_everybodys_folder_planted_as_a_symlink(bin_dir, tmp_path, own_run_lock, patience):
    env = run_lock_env(BEFORE="ln -s /tmp /run/lock/profllm", XDG_RUNTIME_DIR=str(tmp_path))
    message = refused(bin_dir, tmp_path, "run", env, status=2, prefix=own_run_lock,
                      patience=patience)
    assert "lock directory '/run/lock/profllm' is unsafe: found a symlink" in message


def test_where_no_folder_for_everybody_can_be_made(bin_dir, tmp_path, own_run_lock, patience):
    pretend = host(bin_dir, tmp_path, "1xH100")
    env = {**pretend, **run_lock_env(MOUNT_OPTIONS="-o ro")}
    runtime = tmp_path / "runtime"
    runtime.mkdir(0o700)
    run = Run(bin_dir, tmp_path, "run", {**env, "XDG_RUNTIME_DIR": str(runtime)},
              prefix=own_run_lock)
    assert run.finish(patience) == 0
    assert run.has_line("warning: could not open or create lock directory '/run/lock/profllm'")
    assert run.has_line(f"using locks in '{runtime}/profllm'")
    assert (runtime / "profllm").stat().st_mode & 0o7777 == 0o700
    # nowhere at all: no GPU is taken without a lock, and a port is only tried
    message = refused(bin_dir, tmp_path, "none", {**env, "XDG_RUNTIME_DIR": ""}, status=2,
                      prefix=own_run_lock, patience=patience)
    assert "set PROFLLM_LOCK_DIR" in message
    run = Run(bin_dir, tmp_path, "port", {**env, "XDG_RUNTIME_DIR": ""}, prefix=own_run_lock,
              gpus=[])
    assert run.finish(patience) == 0
    assert run.has_line("warning: ") and run.result()["launch"]["port"]


def test_a_folder_that_vanishes_between_runs(bin_dir, tmp_path, patience):
    env = host(bin_dir, tmp_path, "1xH100")
    for name in ("first", "second"):
        completed(bin_dir, tmp_path, name, env, patience=patience)
        assert held_by(env) == {}
        shutil.rmtree(env["PROFLLM_LOCK_DIR"])
