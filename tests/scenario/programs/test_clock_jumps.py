"""

The wall clock jumps by ten years, forward and back (tests/doubles/moved_clock.c), or is wrong from the start. Durations
do not change, nothing is lost, and nothing waits for ten years.


"""
import contextlib
import json
import sqlite3
import struct
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from dashboard_tools import Dashboard, little
from run_tools import base_config, command, environment, load_result, read_zst_lines, write_config
from sweep_tools import summary, sweep_args, sweep_config
from wait_tools import wait_for

YEAR_NS = 31_556_952 * 10**9
JUMPS = [10 * YEAR_NS, 0, -10 * YEAR_NS, 0, -10 * YEAR_NS, 10 * YEAR_NS]

pytestmark = pytest.mark.release_only  # a sanitizer wants to be loaded first


class Clock:
    """The wall clock of the programs that are started with its env."""

    def __init__(self, bin_dir, folder):
        self.file = folder / "clock"
        self.extra = {"LD_PRELOAD": str(bin_dir.parent / "tests/moved_clock.so"), "PROFLLM_CLOCK_FILE": str(self.file)}
        self.file.write_bytes(bytes(8))

    def move(self, by_ns):
        with open(self.file, "r+b") as file:
            file.write(struct.pack("<q", by_ns))

    def set(self, seconds):
        """Sets the clock to this time after 1970."""
        self.move(int(seconds * 1e9) - time.time_ns())


@pytest.fixture
def clock(bin_dir, tmp_path):
    return Clock(bin_dir, tmp_path)


@contextlib.contextmanager
def jumping(clock, every_s=0.07):
    """Makes the clock jump repeatedly in the meantime."""
    over = threading.Event()

    def jump():
        for number in range(10**6):
            if over.wait(every_s):
                return
            clock.move(JUMPS[number % len(JUMPS)])

    thread = threading.Thread(target=jump)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def call(bin_dir, clock, *args):
    done = subprocess.run(command(bin_dir, *args), env=environment(clock.extra), text=True, capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def numbers(value, path=""):
    if isinstance(value, dict):
        for name, part in value.items():
            yield from numbers(part, f"{path}.{name}")
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def check_figures(results, took_s):
    """Checks that no duration is negative, or longer than the command."""
    for path, value in numbers(results):
        assert value >= 0, (path, value)
        assert not path.endswith("_ms") or value <= took_s * 1000, (path, value)
    assert 0 < results["duration"] <= took_s


def test_run(bin_dir, tmp_path, clock):
    config = base_config(num_prompts=250, max_concurrency=4, random_output_len=20)
    begun, began_ns = time.monotonic(), time.monotonic_ns()
    with jumping(clock):
        call(bin_dir, clock, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    took_s, ended_ns = time.monotonic() - begun, time.monotonic_ns()
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "completed" and result["results"]["completed"] == 250
    check_figures({name: value for name, value in result["results"].items() if not name.endswith("_client_error")}, took_s)
    for record in read_zst_lines(tmp_path / "r.requests.jsonl.zst"):
        times = [record[name] for name in ("acted_ns", "headers_ns", "end_ns")]
        assert times == sorted(times) and began_ns <= times[0] <= record["sent_ns"] <= times[-1] <= ended_ns, record
    check, = [check for check in result["quality"]["checks"] if check["id"] == "clock_step"]
    assert check["status"] == "over_limit" and abs(check["value"]) > 9 * YEAR_NS / 1e6


def test_sweep(bin_dir, tmp_path, clock):
    with jumping(clock):
        call(bin_dir, clock, *sweep_args(write_config(tmp_path, sweep_config(num_prompts=30)), tmp_path / "sweep"))
    rows = summary(tmp_path / "sweep")
    assert len(rows) == 4 and {row["status"] for row in rows} == {"completed"}
    for path in (tmp_path / "sweep/cells").glob("*.json"):
        check_figures({"duration": load_result(path)["results"]["duration"]}, 60)


def test_bench_serve(bin_dir, tmp_path, clock):
    sim = subprocess.Popen([bin_dir / "profllm-sim", "serve", "sim/test", "--port", "0", "--sim-step", "2ms"],
                           env=environment(clock.extra), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        url = None
        for line in sim.stdout:
            if "http://" in line:
                url = "http://" + line.split("http://")[1].split()[0]
                break
        threading.Thread(target=sim.stdout.read, daemon=True).start()
        begun = time.monotonic()
        with jumping(clock):
            call(bin_dir, clock, "bench", "serve", "--base-url", url, "--model", "sim/test", "--dataset-name", "random", "--random-input-len", "16",
                 "--random-output-len", "20", "--num-prompts", "120", "--max-concurrency", "4", "--save-result", "--result-dir", tmp_path,
                 "--result-filename", "flat.json")
        flat = json.loads((tmp_path / "flat.json").read_text())
        assert flat["completed"] == 120
        check_figures({name: value for name, value in flat.items() if name == "duration" or name.endswith(("_ttft_ms", "_tpot_ms", "_itl_ms"))},
                      time.monotonic() - begun)
    finally:
        sim.kill()
        sim.wait()


def rows_of(dashboard):
    return {row["run_id"] for row in dashboard.rows()}


def test_dashboard(bin_dir, tmp_path, clock):
    """Uploads, jobs, notes, deletions, watched files and filters, before and after each jump; nothing is lost."""
    watched = tmp_path / "watched"
    watched.mkdir()
    stored = set()
    with Dashboard(bin_dir, tmp_path / "d.db", "--watch", str(watched), env=clock.extra) as one:
        job = one.post("/api/upload/jobs", {"name": "open"}).json["job_id"]
        for number, by_ns in enumerate([0, *JUMPS]):
            clock.move(by_ns)
            begun = time.monotonic()
            assert one.upload("/api/upload/json", little(number))["counts"]["stored"] == 1
            # of a job that is years old, or of the future
            assert one.post(f"/api/upload/batch?job_id={job}", [little(100 + number)]).status == 202
            (watched / f"{number}.json").write_text(json.dumps(little(200 + number)))
            stored |= {f"small-{number}", f"small-{100 + number}", f"small-{200 + number}"}
            wait_for(lambda: rows_of(one) == stored, "all that was sent", 10)
            assert one.ask("DELETE", f"/api/data/experiments/small-{number}").status == 204
            assert rows_of(one) == stored - {f"small-{number}"}
            assert one.ask("POST", f"/api/data/experiments/small-{number}/restore").status in (200, 204)
            changed = one.ask("PATCH", "/api/data/experiments/small-0", json.dumps({"notes": f"jump {number}"}).encode(),
                              {"Content-Type": "application/json"})
            assert changed.status == 200 and changed.json["notes"] == f"jump {number}"
            assert time.monotonic() - begun < 10
        assert one.ask("POST", f"/api/upload/jobs/{job}/close").status == 200
        assert one.done(f"/api/upload/status/{job}")["counts"]["stored"] == 1 + len(JUMPS)
        assert one.stop() == (0, "", "")
    checked = subprocess.run([bin_dir / "profllm-dashboard", "check", "--db", tmp_path / "d.db"], env=environment(), capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


HOUR_NS = 3600 * 10**9


class Pruned:
    """A database of results that are deleted while the clock is wrong, and pruned while it is correct."""

    def __init__(self, bin_dir, folder, clock):
        self.bin_dir, self.db, self.clock = bin_dir, folder / "d.db", clock

    def dashboard(self):
        return Dashboard(self.bin_dir, self.db, env=self.clock.extra)

    def delete(self, one, number):
        assert one.ask("DELETE", f"/api/data/experiments/small-{number}").status == 204

    def prune(self, *args, after_ns=0):
        """Returns how many results a prune removes at that time."""
        self.clock.move(after_ns)
        done = subprocess.run([self.bin_dir / "profllm-dashboard", "prune", "--db", self.db, "--json", *args], text=True, capture_output=True,
                              env=environment(self.clock.extra), timeout=60)
        self.clock.move(0)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["results"]


@pytest.fixture
def pruned(bin_dir, tmp_path, clock):
    return Pruned(bin_dir, tmp_path, clock)


def check_pruned_in_time(pruned):
    """Checks a result that was deleted just now, whatever its date is."""
    assert pruned.prune("--older-than", "1h") == 0
    assert pruned.prune("--older-than", "1h", after_ns=HOUR_NS // 2) == 0
    assert pruned.prune("--older-than", "1h", after_ns=2 * HOUR_NS) == 1


def test_deleted_while_the_clock_is_set_back(pruned):
    with pruned.dashboard() as one:
        one.upload("/api/upload/batch", [little(number) for number in range(2)])
        pruned.clock.move(-10 * YEAR_NS)
        pruned.delete(one, 0)
        pruned.clock.move(0)
    check_pruned_in_time(pruned)


@pytest.mark.parametrize("sees", ["its result", "an earlier change"])
def test_deleted_by_a_server_that_starts_while_the_clock_is_set_back(pruned, sees):
    """Only the order of the stored changes shows that the clock is wrong."""
    with pruned.dashboard() as one:
        if sees == "an earlier change":
            pruned.clock.move(-YEAR_NS)
        one.upload("/api/upload/batch", [little(number) for number in range(2)])
    pruned.clock.move(0)
    with pruned.dashboard() as one:
        if sees == "an earlier change":
            assert one.ask("PATCH", "/api/data/experiments/small-1", b'{"notes": "right"}', {"Content-Type": "application/json"}).status == 200
    pruned.clock.move(-10 * YEAR_NS)
    with pruned.dashboard() as one:
        pruned.delete(one, 0)
    check_pruned_in_time(pruned)


def test_deleted_while_the_clock_is_set_ahead(pruned):
    """It does not stay for ten years: when a later change is old enough, it is older."""
    with pruned.dashboard() as one:
        one.upload("/api/upload/batch", [little(number) for number in range(2)])
        pruned.clock.move(10 * YEAR_NS)
        pruned.delete(one, 0)
    pruned.clock.move(0)
    with pruned.dashboard() as one:
        assert one.ask("PATCH", "/api/data/experiments/small-1", b'{"notes": "right"}', {"Content-Type": "application/json"}).status == 200
    check_pruned_in_time(pruned)


@pytest.mark.parametrize("by_ns", [-10 * YEAR_NS, 10 * YEAR_NS])
def test_prune_without_a_limit_takes_all(pruned, by_ns):
    with pruned.dashboard() as one:
        one.upload("/api/upload/batch", [little(number) for number in range(3)])
        pruned.delete(one, 0)
        pruned.clock.move(by_ns)
        pruned.delete(one, 1)
    assert pruned.prune() == 2


def test_pruned_while_the_clock_is_set_back(pruned):
    """Nothing is old then, and nothing becomes old by the jump."""
    with pruned.dashboard() as one:
        one.upload("/api/upload/batch", [little(number) for number in range(2)])
        pruned.delete(one, 0)
    assert pruned.prune("--older-than", "1h", after_ns=-10 * YEAR_NS) == 0
    check_pruned_in_time(pruned)


def test_artifacts_that_wait_for_their_result(bin_dir, tmp_path, pruned):
    """They arrived while the clock was set back, and are not kept unclaimed for years."""
    with pruned.dashboard() as one:
        pruned.clock.move(-10 * YEAR_NS)
        assert one.ask("PUT", "/api/upload/artifact/small-7/server_log/r.server.log", b"started").status in (200, 201, 204)
        pruned.clock.move(0)
    pruned.prune()
    with pruned.dashboard() as one:
        one.upload("/api/upload/json", little(7))
        assert [artifact["name"] for artifact in one.get("/api/data/experiments/small-7/artifacts").json["artifacts"]] == ["r.server.log"]


@pytest.mark.parametrize("by_ns", [-10 * YEAR_NS, 10 * YEAR_NS])
def test_the_write_lock(bin_dir, tmp_path, clock, by_ns):
    """Writers wait as long as without jumps: one for another process, later ones for that one."""
    with Dashboard(bin_dir, tmp_path / "d.db", env=clock.extra) as one:
        one.upload("/api/upload/batch", [little(number) for number in range(4)])
        clock.move(by_ns)

        def say(number):
            begun = time.monotonic()
            answer = one.ask("PATCH", f"/api/data/experiments/small-{number}", b'{"notes": "held up"}', {"Content-Type": "application/json"})
            return answer.status, time.monotonic() - begun

        with contextlib.closing(sqlite3.connect(tmp_path / "d.db", isolation_level=None)) as other, ThreadPoolExecutor(4) as pool:
            other.execute("BEGIN IMMEDIATE")
            said = [pool.submit(say, number) for number in range(4)]
            time.sleep(0.7)
            other.execute("COMMIT")
            for one_said in said:
                status, took_s = one_said.result()
                assert status == 200 and 0.5 < took_s < 10, (status, took_s)
        assert one.stop() == (0, "", "")


# the first day, two seconds before 31 bits end, and after 32
@pytest.mark.parametrize("seconds, year", [(3600, "1970"), (2**31 - 2, "2038"), (2**32 + 10, "2106")])
def test_wrong_from_the_start(bin_dir, tmp_path, clock, seconds, year):
    clock.set(seconds)
    call(bin_dir, clock, "run", "-c", write_config(tmp_path, base_config(num_prompts=6)), "-o", tmp_path / "r.json")
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "completed" and result["timestamp"].startswith(year) and result["run_id"].startswith(f"exp_{year}")
    with Dashboard(bin_dir, tmp_path / "d.db", env=clock.extra) as one:
        assert one.upload("/api/upload/json", result)["counts"]["stored"] == 1
        assert rows_of(one) == {result["run_id"]}
        assert one.stop() == (0, "", "")
