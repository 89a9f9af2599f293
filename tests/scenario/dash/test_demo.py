"""`profllm-dashboard demo`: a database of synthetic results, and all options of serve."""
import json
import os
import pty
import random
import signal
import socket
import subprocess
import time

import pytest
from dashboard_tools import Dashboard
from import_tools import ask, dashboard_command, run_dashboard
from run_tools import environment
from wait_tools import wait_for

ROWS = 60


def demo(bin_dir, db, *args, rows=ROWS, **more):
    return Dashboard(bin_dir, db, "--rows", str(rows), *args, command="demo", **more)


def documents(dashboard, ids):
    return [dashboard.get(f"/api/data/experiments/{one}/raw").body for one in ids]


def test_it_shows_the_given_number_of_marked_results(bin_dir, tmp_path):
    with demo(bin_dir, tmp_path / "made.db", "--seed", "5") as shown:
        said = shown.post("/api/filters/apply", {"limit": 200, "columns": ["tags.synthetic", "run.name"]}).json
        assert said["count"] == said["total"] == ROWS
        for row in said["rows"]:
            assert row["simulated"] is True
            assert row["cells"]["tags.synthetic"] == "yes" and row["cells"]["run.name"].startswith("synthetic: ")
        options = shown.get("/api/filters/options?fields=server.model,results.output_throughput,run.suite").json["options"]
        assert all(one["count"] == ROWS and one["recorded"] > 0 for one in options.values())
        document = json.loads(documents(shown, [1])[0])
        assert document["schema_version"] == 3 and document["environment"]["engine"]["simulated"] is True
        assert len(document["config"]["server"]) > 300 and len(document["results"]) > 300
        assert shown.get("/").status in (200, 404)  # 404: built without its page
        # uploaded results join them
        assert shown.upload("/api/upload/json", {"run_id": "real", "suite": "s"})["counts"]["stored"] == 1
        status, _, err = shown.stop()
    assert status == 0 and f"{ROWS} stored, 0 duplicates" in err
    assert ask(tmp_path / "made.db", "SELECT count(*) FROM benchmark_runs") == [(ROWS + 1,)]


@pytest.mark.release_only  # fills databases; unit tests make the same documents
def test_the_same_seed_and_number_make_the_same_results(bin_dir, tmp_path):
    made = {}
    for name, words in (("one", ["--seed", "7"]), ("same", ["--seed", "7"]), ("other", ["--seed", "8"]), ("none", [])):
        with demo(bin_dir, tmp_path / f"{name}.db", *words) as shown:
            made[name] = documents(shown, range(1, ROWS + 1))
    assert made["one"] == made["same"]
    assert not set(made["one"]) & set(made["other"]) and made["none"] not in (made["one"], made["other"])


def folders(place):
    return list(place.glob("profllm-demo-*"))


def test_a_temporary_database_is_removed(bin_dir, tmp_path):
    with demo(bin_dir, None, env={"TMPDIR": str(tmp_path)}) as shown:
        assert [one.name for one in folders(tmp_path)[0].glob("*.db")] == ["demo.db"]
        assert shown.post("/api/filters/apply", {}).json["count"] == ROWS
        assert shown.stop()[0] == 0
    assert folders(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_while_it_fills(bin_dir, tmp_path, number):
    words = dashboard_command(bin_dir, "demo", "--rows", 1000000, "--port", 0)
    with subprocess.Popen(words, env=environment({"TMPDIR": str(tmp_path)}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        wait_for(lambda: [one for one in folders(tmp_path) if list(one.glob("*.db"))], "it has a database", process=process)
        process.send_signal(number)
        out, _ = process.communicate()
    assert out == "" and process.returncode == 0
    assert folders(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGPIPE])
def test_a_signal_at_any_moment_leaves_no_folder(bin_dir, tmp_path, number):
    rng = random.Random(f"moment {number}")
    for _ in range(8):
        words = dashboard_command(bin_dir, "demo", "--rows", 1000000, "--port", 0)
        with subprocess.Popen(words, env=environment({"TMPDIR": str(tmp_path)}), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(rng.random() * 0.05)
            process.send_signal(number)
            if number == signal.SIGPIPE:  # which is not for ending it
                process.terminate()
            process.communicate()
        assert folders(tmp_path) == []


def test_a_port_in_use_is_reported_before_anything_is_made(bin_dir, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_dashboard(bin_dir, "demo", "--db", tmp_path / "d.db", "--port", port)
    assert (done.returncode, done.stdout) == (5, "") and f"'127.0.0.1:{port}' is in use" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words, said", [
    (["--rows", "0"], "--rows: found 0, expected 1 to 10000000"),
    (["--rows", "10000001"], "--rows: found 10000001"),
    (["--rows", "many"], "--rows"),
    (["--seed", "-1"], "--seed: found -1, expected 0 or more"),
    (["--host", "192.0.2.1"], "--host: found '192.0.2.1', expected a loopback"),
    (["--port", "70000"], "--port: found 70000, expected 0 to 65535"),
    (["--add"], "--add works only with --db; add --db FILE to name the database"),
    (["--row", "5", "x"], "'x'"),
    (["--sed", "5"], "--sed"),
])
def test_faults_are_reported_before_anything_is_made(bin_dir, tmp_path, words, said):
    done = run_dashboard(bin_dir, "demo", *words, env={"TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr, done.stderr
    assert folders(tmp_path) == []


def test_a_database_that_has_results_is_left_alone(bin_dir, tmp_path):
    db = tmp_path / "lab.db"
    with demo(bin_dir, db):
        pass
    done = run_dashboard(bin_dir, "demo", "--rows", ROWS, "--db", db)
    assert done.returncode == 2 and f"'{db}' has {ROWS} results" in done.stderr and "--add" in done.stderr
    with demo(bin_dir, db, "--add", "--seed", "1") as shown:
        assert shown.post("/api/filters/apply", {}).json["count"] == 2 * ROWS
    with demo(bin_dir, db, "--add", "--seed", "1") as shown:
        assert shown.post("/api/filters/apply", {}).json["count"] == 2 * ROWS
        assert f"0 stored, {ROWS} duplicates" in shown.stop()[2]


def test_a_terminal_has_a_bar(bin_dir, tmp_path):
    ours, its = pty.openpty()
    words = dashboard_command(bin_dir, "demo", "--rows", 400, "--port", 0)
    with subprocess.Popen(words, env=environment({"TMPDIR": str(tmp_path)}), stdout=subprocess.PIPE, stderr=its, text=True) as process:
        os.close(its)
        assert process.stdout.readline().startswith("listening on ")
        process.terminate()
        shown = b""
        try:
            while more := os.read(ours, 65536):
                shown += more
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    assert b" of 400 results, " in shown and b"#" in shown
    assert b"400 stored" in shown


def test_help_describes_it(bin_dir):
    assert "demo" in run_dashboard(bin_dir, "help").stdout
    told = run_dashboard(bin_dir, "help", "demo").stdout
    for word in ("--rows", "--seed", "--db", "--add", "synthetic"):
        assert word in told, word
