"""Attacks that a user of the host can prepare, and limits that a program reaches: one clear line, and no harm."""
import re
import resource
import socket
import subprocess
import time

import pytest
from run_tools import base_config, command, environment, server_of, write_config
from wait_tools import wait_for

ODD = "a\x1b]0;title\x07\x1b[31mb\x7f\x9b"
# C0 except tab and newline, DEL, C1
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
COMMANDS = [
    ("profllm", "schema", "--fields", f"{ODD}.json"),
    ("profllm", "recover", f"{ODD}.json"),
    ("profllm", "recover", ODD),
    ("profllm", "validate", f"{ODD}.yaml"),
    ("profllm", "compare", f"{ODD}.json", f"{ODD}.json"),
    ("profllm", "run", "-c", f"{ODD}.yaml", "-o", "x.json"),
    ("profllm", "run", "-c", "good.yaml", "-o", f"{ODD}/x.json"),
    ("profllm", "sweep", "run", f"{ODD}.yaml", "-o", "y"),
    ("profllm", "config", "to-command", f"{ODD}.yaml"),
    ("profllm", "upload", f"{ODD}.json", "--to", "http://127.0.0.1:1", "--wait", "1s"),
    ("profllm", ODD),
    ("profllm", "run", f"--{ODD}"),
    ("profllm-dashboard", "import", "--db", "d.db", f"{ODD}.json"),
    ("profllm-dashboard", "import", "--db", f"{ODD}.json", f"{ODD}.json"),
    ("profllm-dashboard", "check", "--db", ODD),
    ("profllm-dashboard", "serve", "--db", f"{ODD}.json", "--port", "0"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: "-".join(words[:2]).replace(ODD, "ODD"))
def test_no_terminal_obeys_the_name_of_a_file(bin_dir, tmp_path, patience, words):
    (tmp_path / f"{ODD}.json").write_text("{\n")
    (tmp_path / f"{ODD}.yaml").write_text("{\n")
    write_config(tmp_path, base_config(), "good.yaml")
    done = subprocess.run([str(bin_dir / words[0]), *words[1:]], capture_output=True, text=True, cwd=tmp_path, env=environment(),
                          stdin=subprocess.DEVNULL, timeout=60 * patience)
    assert done.returncode != 0 and not OBEYED.search(done.stdout + done.stderr), (done.stdout, done.stderr)


def test_a_file_without_an_end(bin_dir, tmp_path, patience):
    for words in (("profllm", "upload", "/dev/zero", "--to", "http://127.0.0.1:1"), ("profllm-dashboard", "import", "--db", "d.db", "/dev/zero")):
        began = time.monotonic()
        done = subprocess.run([str(bin_dir / words[0]), *words[1:]], capture_output=True, text=True, cwd=tmp_path, env=environment(),
                              timeout=60 * patience)
        assert done.returncode == 2 and "'/dev/zero': found a device, expected a file or directory" in done.stderr
        assert time.monotonic() - began < 5 * patience


def test_the_size_limit_of_a_file_is_an_error(bin_dir, tmp_path, patience):
    """SIGXFSZ does not end the run either."""
    done = subprocess.run(command(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "-o", tmp_path / "r.json"),
                          capture_output=True, text=True, env=environment(), stdin=subprocess.DEVNULL, timeout=60 * patience,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)))
    assert done.returncode > 0 and "File too large" in done.stderr, done


def core_limit(pid):
    with open(f"/proc/{pid}/limits") as limits:
        return next(line for line in limits if line.startswith("Max core file size")).split()[4]


@pytest.mark.release_only  # sanitizers set the limit themselves
def test_no_core_file_has_secrets(bin_dir, tmp_path, patience):
    """The programs leave no core file and start no program of core_pattern, which a limit of 0 does not prevent (core(5));
    the server has the limit of the user's shell."""
    config = base_config(num_prompts=100000)
    allowed = resource.getrlimit(resource.RLIMIT_CORE)[1]
    shell = 4096 if allowed == resource.RLIM_INFINITY or allowed >= 4096 else 0
    process = subprocess.Popen(command(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json"), text=True,
                               env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (shell, allowed)))
    try:
        next(line for line in process.stderr if "waiting for the server" in line)
        assert core_limit(process.pid) == ("0" if allowed == 0 else "1") and core_limit(server_of(process.pid)) == str(shell)
    finally:
        process.terminate()
        process.communicate(timeout=60 * patience)


def test_remains_of_a_killed_bench_are_removed(bin_dir, tmp_path):
    """The next one removes the temporary directories of dead runs, and no others."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    (temporary / "profllm-bench-file").write_text("a file")
    (temporary / "profllm-bench-linked").symlink_to(tmp_path)
    (temporary / "profllm-bench-shared").mkdir(mode=0o755)
    others = set(temporary.iterdir())

    def start():
        before = set(temporary.iterdir())
        process = subprocess.Popen(command(bin_dir, "bench", "serve", "--model", "m", "--base-url", url), env=environment({"TMPDIR": str(temporary)}),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: any((made / "result.json.journal").exists() for made in set(temporary.iterdir()) - before), "its directory", 30, process)
        (made,) = set(temporary.iterdir()) - before
        return process, made

    # a server that never answers
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        killed, left = start()
        killed.kill()
        killed.wait()
        assert left.exists()
        living, kept = start()
        assert not left.exists()
        last, made = start()
        assert set(temporary.iterdir()) == others | {kept, made}
        for process in (living, last):
            process.kill()
            process.wait()
