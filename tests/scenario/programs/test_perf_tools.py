"""What `make perf` computes, from made-up logs: the joins, the errors, the places in a trace."""
import importlib
import json
import stat
import sys

import pytest


@pytest.fixture
def perf(source_dir, monkeypatch):
    """Imports a module of tests/perf."""
    monkeypatch.syspath_prepend(str(source_dir / "tests" / "perf"))
    return importlib.import_module


def write_log(path, requests):
    rows = []
    for request_id, arrival, times in requests:
        rows.append({"event": "request", "request_id": request_id, "t_ns": arrival})
        rows += [{"event": "token", "request_id": request_id, "t_ns": t} for t in times]
    rows.append({"event": "step", "t_ns": 0})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


LOG = [("perf-0", 1_000_000, [11_000_000, 21_000_000, 31_000_000]), ("perf-1", 2_000_000, [13_000_000])]


def test_errors_of_records(perf, tmp_path):
    streams = perf("streams")
    write_log(tmp_path / "log", LOG)
    records = [
        # 1 ms late at the first, 3 ms at the second, 1 ms early at the last
        {"request_id": "perf-0", "acted_ns": 1_000_000, "events": [[12_000_000, 1, 3], [24_000_000, 1, 3],
                                                                             [30_000_000, 1, 0]]},
        {"request_id": "perf-1", "acted_ns": 1_500_000, "events": [15_500_000]},
    ]
    (tmp_path / "records").write_text("".join(json.dumps(row) + "\n" for row in records))
    row = streams.compare_records(tmp_path / "records", streams.read_log(tmp_path / "log"))
    assert row["ttft_error_mean_ms"] == pytest.approx((1 + 3) / 2)
    assert row["ttft_error_max_ms"] == pytest.approx(3)
    assert row["ttft_error_p99_ms"] == pytest.approx(1 + 0.99 * 2)
    assert row["itl_error_p99_ms"] == pytest.approx(2 + 0.99 * 2)
    assert row["e2el_error_p99_ms"] == pytest.approx(1 + 0.99 * 2)
    assert row["merged_first"] == 1
    assert row["lag_p50_us"] == pytest.approx((1000 + 2500) / 2)


def test_errors_of_figures(perf, tmp_path):
    streams, clients = perf("streams"), perf("command_clients")
    write_log(tmp_path / "log", LOG)
    result = {"ttfts": [0.011, 0.011], "itls": [[0.010, 0.012], []], "latencies": [0.033, 0.011]}
    figures = clients.figures_of(result, "perf-")
    row = streams.compare_figures(figures, streams.read_log(tmp_path / "log"))
    assert row["ttft_error_mean_ms"] == pytest.approx(0.5)
    assert row["itl_error_p99_ms"] == pytest.approx(0.99 * 2)
    assert row["e2el_error_p99_ms"] == pytest.approx(0 + 0.99 * 3)
    del result["latencies"]
    assert clients.figures_of(result, "perf-")[0][3] == pytest.approx(33e6)


@pytest.mark.parametrize("figures", [
    [("perf-0", 1e6, [1e6], 2e6)],
    [("perf-7", 1e6, [], 1e6)],
])
def test_other_events_end_the_comparison(perf, tmp_path, figures):
    streams, harness = perf("streams"), perf("harness")
    write_log(tmp_path / "log", LOG)
    with pytest.raises(harness.ClientFailed, match=figures[0][0]):
        streams.compare_figures(figures, streams.read_log(tmp_path / "log"))


def test_first_connects_in_a_trace(perf):
    first_connect = perf("first_connect")
    lines = ['7  100.000000 execve("profllm", ["profllm"], 0x1 /* 2 vars */) = 0',
             '7  100.004000 connect(3, {sa_family=AF_UNIX, sun_path="/x"}, 110) = -1 ENOENT (No such file)',
             '7  100.007500 connect(3, {sa_family=AF_INET, sin_port=htons(81)}, 16) = 0',
             '7  100.009000 --- SIGCHLD {si_signo=SIGCHLD} ---']
    lines += [f'9  100.{15000 + i:06d} connect({i}, {{sa_family=AF_INET, sin_port=htons(81)}}, 16) = 0'
              for i in range(first_connect.REQUESTS)]
    assert first_connect.times_of("\n".join(lines), 81) == pytest.approx((0.004, 0.015), abs=1e-6)
    with pytest.raises(perf("harness").ClientFailed):
        first_connect.times_of("\n".join(lines[:-1]), 81)


def test_counts_of_the_kernel(perf):
    harness = perf("harness")
    before = harness.kernel_counts()
    assert "ListenOverflows" in before and "TCPTimeouts" in before
    before["ListenOverflows"] -= 3
    assert harness.counts_moved(before)["ListenOverflows"] >= 3


OPTIONS = "--num-prompts --prompt-token-ids --request-id-prefix --save-detailed --ignore-eos"

# argv -> what it does
RUST = """#!{python}
import json, sys
args = sys.argv[1:]
if {words} and args[:2] != {words}:
    print("Commands: serve bench")
    sys.exit(0)
if "--help" in args:
    print("{options}")
elif "--dry-run" not in args:
    value = lambda name: args[args.index(name) + 1]
    n = int(value("--num-prompts"))
    if n == 13:
        print("first line\\nan unlucky number", file=sys.stderr)
        sys.exit(1)
    with open(value("--result-dir") + "/" + value("--result-filename"), "w") as file:
        result = {{"completed": n, "duration": 2.0, "ttfts": [0.5] * n, "itls": [[0.1]] * n}}
        file.write("not JSON" if n == 14 else json.dumps(result))
"""


def write_program(tmp_path, words, options=OPTIONS):
    path = tmp_path / "client"
    path.write_text(RUST.format(python=sys.executable, words=words, options=options))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("words", [[], ["bench", "serve"]])
def test_client_in_rust(perf, tmp_path, words):
    clients = perf("command_clients")
    client, why = clients.find_rust(str(write_program(tmp_path, words)), tmp_path)
    assert why == "" and client.command[1:] == [*words, "--tokenizer", str(tmp_path / "tokenizer")]
    row, figures = client.run(1, 3, 2)
    assert row["completed"] == 3 and row["events"] == 6 and row["cpu_us_per_event"] >= 0
    assert [one[0] for one in figures] == ["perf-0", "perf-1", "perf-2"]
    assert json.loads((tmp_path / "tokenizer" / "tokenizer.json").read_text())["model"]["type"] == "WordLevel"
    for streams, text in ((13, "ended with 1: an unlucky number"), (14, "cannot be read")):
        with pytest.raises(perf("harness").ClientFailed, match=text):
            client.run(1, streams, 2)


def test_no_client_in_rust(perf, tmp_path):
    clients = perf("command_clients")
    assert clients.find_rust(None, tmp_path) == (None, "VLLM_BENCH is not set")
    assert "neither" in clients.find_rust("/bin/true", tmp_path)[1]
    assert "neither" in clients.find_rust(str(tmp_path / "none"), tmp_path)[1]
    old = write_program(tmp_path, [], "--num-prompts --ignore-eos")
    assert "--request-id-prefix" in clients.find_rust(str(old), tmp_path)[1]


def test_client_in_python(perf, tmp_path):
    """Its start is left out by the server's log: what it took between the first request and the last event."""
    clients, streams = perf("command_clients"), perf("streams")
    (tmp_path / "bin").mkdir()
    write_program(tmp_path, ["bench", "serve"]).rename(tmp_path / "bin" / "vllm")
    client, why = clients.find_python(str(tmp_path), tmp_path)
    assert why == "" and client.command[1:3] == ["bench", "serve"]
    row, figures = client.run(1, 3, 2)
    assert row["completed"] == 3 and row["events"] == 6 and len(figures) == 3 and "--dry-run" not in client.words(1, 3, 2)
    times, cpu = zip(*row["cpu_samples"])
    assert list(times) == sorted(times) and list(cpu) == sorted(cpu)
    write_log(tmp_path / "log", LOG)
    # 20 s for its start; half of the load's time has gone by at the first request
    row["cpu_samples"] = [(0, 20.0), (2_000_000, 20.2), (41_000_000, 24.1)]
    clients.cut_samples(row, streams.read_log(tmp_path / "log"))
    assert row["cpu_load_s"] == pytest.approx(20.2 + 3.9 * 29 / 39 - 20.1)
    assert row["cpu_us_per_event"] == pytest.approx(row["cpu_load_s"] * 1e6 / 6)
    assert row["cpu_share"] == pytest.approx(row["cpu_load_s"] / 0.030)


def test_no_client_in_python(perf, tmp_path):
    clients = perf("command_clients")
    assert clients.find_python(None, tmp_path) == (None, "VLLM is not set")
    assert "no program" in clients.find_python(str(tmp_path), tmp_path)[1]


def test_middle_of_the_runs(perf):
    rows = [{"cpu_us_per_event": one, "name": name} for one, name in ((7.0, "c"), (5.0, "a"), (6.0, "b"))]
    assert perf("streams").middle(rows) == {"cpu_us_per_event": 6.0, "name": "b", "cpu_us_of_runs": [5.0, 6.0, 7.0]}


@pytest.mark.parametrize("legacy", [False, True])
def test_control_group_of_either_version(perf, tmp_path, monkeypatch, legacy):
    verdicts = perf("verdicts")
    monkeypatch.setattr(verdicts, "CGROUPS", tmp_path)
    if legacy:
        (tmp_path / "cpu").mkdir()
        (tmp_path / "cpu" / "cgroup.procs").touch()
    else:
        (tmp_path / "cgroup.controllers").write_text("cpuset cpu memory\n")
    group = verdicts.Group()
    assert group.folder.parent == (tmp_path / "cpu" if legacy else tmp_path)

    def limits():
        return {path.name: path.read_text() for path in group.folder.iterdir()}

    free = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "-1"} if legacy else {"cpu.max": "max 100000"}
    held = {"cpu.cfs_period_us": "200000", "cpu.cfs_quota_us": "1000"} if legacy else {"cpu.max": "1000 200000"}
    assert limits() == free
    group.set_quota(1000, 200000)
    assert limits() == held
    group.free()
    assert limits() == free


def test_no_control_group(perf, tmp_path, monkeypatch):
    verdicts = perf("verdicts")
    monkeypatch.setattr(verdicts, "CGROUPS", tmp_path)
    with pytest.raises(OSError):
        verdicts.Group()
    (tmp_path / "cgroup.controllers").write_text("cpuset memory\n")
    with pytest.raises(OSError, match="processor time"):
        verdicts.Group()
    assert [path.name for path in tmp_path.iterdir()] == ["cgroup.controllers"]
