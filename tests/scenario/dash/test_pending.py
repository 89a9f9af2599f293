"""Uploads that a run could not complete: their list, how they are sent later, and the token of a dashboard that requires one."""
import json
import os
import shlex
import signal
import socket
import subprocess

import pytest
from dashboard_tools import Dashboard
from front_tools import Front
from run_tools import PATIENCE, base_config, environment, load_result, run_profllm, start_profllm, write_config
from test_disk import disk, fill  # noqa: F401 (a fixture)

UNREACHABLE = "http://127.0.0.1:1"
INVALID, NOT_UPLOADED = 2, 8
TOKEN = "tok-3f9a1c77e5d24b06"


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("db") / "d.db") as one:
        yield one


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "token"
    path.write_text(TOKEN + "\n")
    return path


def run(bin_dir, tmp_path, *words, name="r.json"):
    config = write_config(tmp_path, base_config(num_prompts=4))
    return run_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / name, "--quiet", *words)


def pending(path):
    return json.loads(path.with_name(path.name + ".upload").read_text())


def stored(dashboard, result):
    """Returns the names of the artifacts that the dashboard has of a result; None without the result."""
    reply = dashboard.get(f"/api/data/experiments/{result['run_id']}/artifacts")
    return None if reply.status == 404 else sorted(one["name"] for one in reply.json["artifacts"])


def names(result):
    return sorted(one["name"] for one in result["artifacts"])


def send(bin_dir, *words, status=0):
    done = run_profllm(bin_dir, "upload", "--pending", *words, "--json")
    assert done.returncode == status, done.stderr + done.stdout
    return json.loads(done.stdout)["uploads"] if done.stdout.startswith("{") else None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_upload_that_is_interrupted(bin_dir, dashboard, tmp_path, number):
    """The dashboard takes the request and answers nothing."""
    config = write_config(tmp_path, base_config(num_prompts=4))
    with socket.create_server(("127.0.0.1", 0)) as mute:
        mute.settimeout(60 * PATIENCE)
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        with start_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json", "--quiet", "--no-live", "--upload", url) as process:
            mute.accept()
            process.send_signal(number)
            assert process.wait(60 * PATIENCE) == -number
    result = load_result(tmp_path / "r.json")
    assert sorted(one["name"] for one in pending(tmp_path / "r.json")["files"]) == sorted(["r.json", *names(result)])
    send(bin_dir, tmp_path, "--to", dashboard.url)
    assert stored(dashboard, result) == names(result) and not (tmp_path / "r.json.upload").exists()


def test_unreachable(bin_dir, dashboard, tmp_path):
    done = run(bin_dir, tmp_path, "--upload", UNREACHABLE)
    assert done.returncode == NOT_UPLOADED, done.stderr
    line, = [line for line in done.stderr.splitlines() if "upload" in line]
    assert line.endswith(f"profllm upload --pending '{tmp_path}/r.json.upload'")
    result, listed = load_result(tmp_path / "r.json"), pending(tmp_path / "r.json")
    assert listed["to"] == UNREACHABLE and listed["run_id"] == result["run_id"] and listed["reason"]
    assert sorted(one["name"] for one in listed["files"]) == sorted(["r.json", *names(result)])
    # still unreachable: the list stays
    send(bin_dir, tmp_path, "--wait", "0s", status=1)
    assert pending(tmp_path / "r.json") == {**listed, "written_at": pending(tmp_path / "r.json")["written_at"]}
    one, = send(bin_dir, tmp_path, "--to", dashboard.url)
    assert one["to"] == dashboard.url and one["files"][0]["failure"] is None
    assert stored(dashboard, result) == names(result) and not (tmp_path / "r.json.upload").exists()
    assert send(bin_dir, tmp_path) == []
    assert "pending" in run_profllm(bin_dir, "upload", "--pending", cwd=tmp_path).stdout


def test_one_artifact_is_refused(bin_dir, dashboard, tmp_path):
    """Only this artifact is listed, and the second try sends nothing else."""
    with Front(dashboard, artifact=[500]) as front:
        done = run(bin_dir, tmp_path, "--upload", front.url)
        assert done.returncode == NOT_UPLOADED, done.stderr
        result = load_result(tmp_path / "r.json")
        missing = set(names(result)) - set(stored(dashboard, result))
        assert {one["name"] for one in pending(tmp_path / "r.json")["files"]} == missing and len(missing) == 1
        del front.stored[:]
        send(bin_dir, tmp_path / "r.json.upload")
        assert len(front.stored) == 1 and stored(dashboard, result) == names(result)
    assert not (tmp_path / "r.json.upload").exists()


def test_several_dashboards(bin_dir, dashboard, tmp_path):
    """Each result goes to the dashboard of its list, in one upload per dashboard."""
    with Front(dashboard, jobs=[403]) as first, Front(dashboard, jobs=[403, 403]) as second:
        for name, front in ("a.json", first), ("b.json", second), ("c.json", second):
            assert run(bin_dir, tmp_path, "--upload", front.url, name=name).returncode == NOT_UPLOADED
        uploads = send(bin_dir, tmp_path)
        assert [(one["to"], len(one["files"])) for one in uploads] == [(first.url, 1), (second.url, 2)]
    assert not list(tmp_path.glob("*.upload"))


def test_upload_by_name_settles_the_list(bin_dir, dashboard, tmp_path):
    with Front(dashboard, jobs=[403]) as front:
        assert run(bin_dir, tmp_path, "--upload", front.url).returncode == NOT_UPLOADED
        # to another dashboard: the list is still due
        with Front(dashboard) as other:
            assert run_profllm(bin_dir, "upload", tmp_path / "r.json", "--to", other.url).returncode == 0
        assert (tmp_path / "r.json.upload").exists()
        assert run_profllm(bin_dir, "upload", tmp_path / "r.json", "--to", front.url).returncode == 0
    assert not (tmp_path / "r.json.upload").exists()


def test_the_result_was_replaced(bin_dir, dashboard, tmp_path):
    assert run(bin_dir, tmp_path, "--upload", UNREACHABLE).returncode == NOT_UPLOADED
    assert run(bin_dir, tmp_path, "--overwrite").returncode == 0
    replaced = load_result(tmp_path / "r.json")
    done = run_profllm(bin_dir, "upload", "--pending", tmp_path, "--to", dashboard.url)
    assert done.returncode == INVALID and "r.json.upload" in done.stderr and stored(dashboard, replaced) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"to": 5}', "\0", '{"to": "ftp://x"}', '{"to": ""}'])
def test_malformed_list(bin_dir, tmp_path, text):
    (tmp_path / "r.json").write_text("{}")
    (tmp_path / "r.json.upload").write_text(text)
    done = run_profllm(bin_dir, "upload", "--pending", tmp_path)
    assert done.returncode == INVALID and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_list_of_another_user(bin_dir, dashboard, tmp_path):
    assert run(bin_dir, tmp_path, "--upload", dashboard.url + "/nowhere").returncode == NOT_UPLOADED
    os.chown(tmp_path / "r.json.upload", 12345, -1)
    done = run_profllm(bin_dir, "upload", "--pending", tmp_path)
    assert done.returncode == INVALID and "another user" in done.stderr


@pytest.mark.parametrize("words", [["nowhere"], ["r.json"]])
def test_no_list(bin_dir, tmp_path, words):
    (tmp_path / "r.json").write_text("{}")
    assert run_profllm(bin_dir, "upload", "--pending", *words, cwd=tmp_path).returncode == INVALID


@pytest.mark.skipif(not os.environ.get("PROFLLM_TEST_LONG"), reason="a full dashboard is waited for 30 s: PROFLLM_TEST_LONG=1")
def test_the_disk_of_the_dashboard_is_full_at_the_end(bin_dir, disk, tmp_path):  # noqa: F811
    """The result and its artifacts wait until there is room. Each artifact arrives once."""
    with Dashboard(bin_dir, tmp_path / "d.db", "--data", disk / "files") as full, Front(full) as front:
        fill(disk)
        done = run(bin_dir, tmp_path, "--upload", front.url)
        assert done.returncode == NOT_UPLOADED, done.stderr
        assert len([line for line in done.stderr.splitlines() if "upload --pending" in line]) == 1, done.stderr
        result = load_result(tmp_path / "r.json")
        assert result["status"] == "completed" and front.stored == []
        assert {one["name"] for one in pending(tmp_path / "r.json")["files"]} >= set(names(result))
        (disk / "filler").unlink()
        send(bin_dir, tmp_path)
        assert stored(full, result) == names(result) and not (tmp_path / "r.json.upload").exists()
        arrived = [path.split("?")[0].rsplit("/", 1)[1] for path in front.stored]
        assert sorted(arrived) == names(result)


def test_a_token_that_expires_during_a_run(bin_dir, dashboard, tmp_path, token_file):
    """The live view worked, and the upload at the end gets 401: one line about it, and the status of an upload that is due."""
    def expire(path):
        if not path.startswith("/api/live"):
            front.token = "the-next-one-0123456789"

    with Front(dashboard, token=TOKEN) as front:
        front.before = expire
        done = run(bin_dir, tmp_path, "--upload", front.url, "--token-file", token_file)
        assert done.returncode == NOT_UPLOADED and front.stored == [], done.stderr
        assert any(path.startswith("/api/live") for path in front.asked)
        assert len([line for line in done.stderr.splitlines() if "HTTP 401" in line]) == 1, done.stderr
        result = load_result(tmp_path / "r.json")
        token_file.write_text("the-next-one-0123456789\n")
        send(bin_dir, tmp_path, "--to", front.url, "--token-file", token_file)
        assert stored(dashboard, result) == names(result) and len(front.stored) == len(names(result))
    assert result["status"] == "completed" and not (tmp_path / "r.json.upload").exists()


# ---- recover ---------------------------------------------------------------------------------


def test_recover(bin_dir, dashboard, tmp_path):
    assert run(bin_dir, tmp_path).returncode == 0
    done = run_profllm(bin_dir, "recover", tmp_path / "r.json", "--upload", UNREACHABLE)
    assert done.returncode == NOT_UPLOADED and (tmp_path / "r.json.upload").exists(), done.stderr
    done = run_profllm(bin_dir, "recover", tmp_path / "r.json", "--upload", dashboard.url, "--json")
    result = load_result(tmp_path / "r.json")
    assert done.returncode == 0 and json.loads(done.stdout) == result, done.stderr
    assert stored(dashboard, result) == names(result)
    # another dashboard is still due
    assert (tmp_path / "r.json.upload").exists()


# ---- tokens ----------------------------------------------------------------------------------


def commands(tmp_path, config):
    return {
        "run": ["run", "-c", config, "-o", tmp_path / "r.json", "--quiet"],
        "recover": ["recover", tmp_path / "done.json"],
        "upload": ["upload", tmp_path / "done.json"],
        "sweep": ["sweep", "run", "-o", tmp_path / "sweep", "--quiet", tmp_path / "sweep.json"],
    }


@pytest.mark.parametrize("command", ["run", "recover", "upload", "sweep"])
def test_token(bin_dir, dashboard, tmp_path, token_file, command):
    """Every request carries the token, and no file and no output contains it."""
    config = write_config(tmp_path, base_config(num_prompts=4))
    write_config(tmp_path, {**base_config(num_prompts=4), "sweep": {"benchmark.num_prompts": [4, 5]}}, "sweep.json")
    assert run(bin_dir, tmp_path, name="done.json").returncode == 0
    option = "--to" if command == "upload" else "--upload"
    with Front(dashboard, token=TOKEN) as front:
        done = run_profllm(bin_dir, *commands(tmp_path, config)[command], option, front.url, "--token-file", token_file)
        assert done.returncode == 0 and front.asked, done.stderr
    token_file.unlink()
    printed = done.stdout + done.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert TOKEN not in printed and not written


def test_a_token_from_a_pipe(bin_dir, dashboard, tmp_path, token_file):
    """bash's <(command) has the token only once, but a run needs it for its live view and for its upload."""
    with Front(dashboard, token=TOKEN) as front:
        words = [bin_dir / "profllm", *commands(tmp_path, write_config(tmp_path, base_config(num_prompts=4)))["run"], "--upload", front.url]
        done = subprocess.run(["bash", "-c", f"{shlex.join(map(str, words))} --token-file <(cat {shlex.quote(str(token_file))})"],
                              capture_output=True, text=True, env=environment(), timeout=60 * PATIENCE)
    assert done.returncode == 0 and "live view" not in done.stderr, done.stderr
    result = load_result(tmp_path / "r.json")
    assert stored(dashboard, result) == names(result)


@pytest.mark.parametrize("token", [None, "another-token-0123456789"])
def test_without_the_right_token(bin_dir, dashboard, tmp_path, token_file, token):
    (tmp_path / "wrong").write_text(token or "")
    words = ["--token-file", tmp_path / "wrong"] if token else []
    with Front(dashboard, token=TOKEN) as front:
        done = run(bin_dir, tmp_path, "--upload", front.url, *words)
        assert done.returncode == NOT_UPLOADED and "HTTP 401" in done.stderr and "--token-file" in done.stderr
        assert (token or TOKEN) not in done.stderr + (tmp_path / "r.json.upload").read_text()
        # a token goes only to a dashboard that the user names
        assert run_profllm(bin_dir, "upload", "--pending", tmp_path, "--token-file", token_file).returncode == INVALID
        send(bin_dir, tmp_path, "--to", front.url, "--token-file", token_file)
    result = load_result(tmp_path / "r.json")
    assert stored(dashboard, result) == names(result) and not (tmp_path / "r.json.upload").exists()


@pytest.mark.parametrize("text", ["", "\n", "two words\n", "a\nb\n", "caf\u00e9", "x" * 5000])
def test_malformed_token_file(bin_dir, tmp_path, text):
    """The run is refused before it starts."""
    (tmp_path / "token").write_text(text)
    done = run(bin_dir, tmp_path, "--upload", UNREACHABLE, "--token-file", tmp_path / "token")
    assert done.returncode == INVALID and "--token-file" in done.stderr and not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("words", [["run", "-c", "experiment.yaml", "-o", "r.json"], ["recover", "r.json"],
                                   ["bench", "serve", "--model", "m", "--output", "r.json"]])
def test_token_without_upload(bin_dir, tmp_path, token_file, words):
    write_config(tmp_path, base_config())
    done = run_profllm(bin_dir, *words, "--token-file", token_file, cwd=tmp_path)
    assert done.returncode == INVALID and "--upload" in done.stderr and not (tmp_path / "r.json").exists()
