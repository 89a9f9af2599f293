"""The computations of `make perf`, on synthetic logs: the joins, the errors, the positions in a trace."""
import importlib
import json
import stat
import sys
import types

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
    """The server's log excludes its start: only the time between the first request and the last event counts."""
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
    disturbances = perf("disturbances")
    monkeypatch.setattr(disturbances, "CGROUPS", tmp_path)
    if legacy:
        (tmp_path / "cpu").mkdir()
        (tmp_path / "cpu" / "cgroup.procs").touch()
    else:
        (tmp_path / "cgroup.controllers").write_text("cpuset cpu memory\n")
    group = disturbances.Group()
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
    disturbances = perf("disturbances")
    monkeypatch.setattr(disturbances, "CGROUPS", tmp_path)
    with pytest.raises(OSError):
        disturbances.Group()
    (tmp_path / "cgroup.controllers").write_text("cpuset memory\n")
    with pytest.raises(OSError, match="processor time"):
        disturbances.Group()
    assert "processor time" in disturbances.not_here(tmp_path / "none")["limit"]
    assert [path.name for path in tmp_path.iterdir()] == ["cgroup.controllers"]


def test_a_limit_is_one_that_the_kernel_takes(perf):
    limit = perf("disturbances").Limit
    for of_need, need, quota in ((0.5, 0.4, (20_000, 100_000)), (0.3, 0.01, (1_000, 333_334)), (5, 0.4, (95_000, 100_000))):
        words = {"of_need": of_need, "period_us": 100_000}
        assert limit(words, types.SimpleNamespace(need=need)).quota() == quota


def write_served(path, requests, took_ns=9_000):
    """Writes requests of (id, arrival, [(sent, tokens)], end) in ms."""
    rows = []
    for name, arrival, sent, end in requests:
        rows.append({"event": "request", "request_id": name, "t_ns": int(arrival * 1e6)})
        rows += [{"event": "token", "request_id": name, "t_ns": int(t * 1e6), "tokens": tokens,
                  "took_ns": took_ns} for t, tokens in sent]
        rows.append({"event": "end", "request_id": name, "t_ns": int(end * 1e6), "tokens": sum(n for _, n in sent)})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def record_of(name, planned, events, error=None):
    return {"request_id": name, "planned_ns": int(planned * 1e6), "acted_ns": int(planned * 1e6), "events": events,
            "error": error}


def test_true_figures(perf, tmp_path):
    truth = perf("truth")
    # a chat: what only names the speaker is an event without tokens
    write_served(tmp_path / "log", [("cal-0", 1, [(11, 0), (11.5, 1), (31, 1), (41, 2)], 42), ("cal-1", 2, [(22, 1)], 22),
                                    ("cal-2", 3, [(13, 1)], 14), (None, 0, [], 1), ("other-0", 0, [(5, 1)], 5)])
    log = truth.read_log(tmp_path / "log", "cal-")
    assert sorted(log) == ["cal-0", "cal-1", "cal-2"] and log["cal-0"].total == 4 and log["cal-0"].end_ns == 42e6
    records = [record_of("cal-0", 1, [0] * 4), record_of("cal-1", 1, [0]), record_of("cal-2", 1, [], {"kind": "reset"})]
    true = truth.figures(records, log)
    assert len(true) == 20 and all(low == high for low, high in true.values())
    true = {name: low for name, (low, _) in true.items()}
    assert true["mean_ttft_ms"] == pytest.approx(15) and true["p90_ttft_ms"] == pytest.approx(19)
    assert true["mean_first_token_ms"] == pytest.approx((10.5 + 20) / 2)
    assert true["mean_tpot_ms"] == true["p99_tpot_ms"] == pytest.approx(30 / 3)
    assert true["median_itl_ms"] == pytest.approx(10) and true["mean_itl_ms"] == pytest.approx(10)
    assert true["median_e2el_ms"] == pytest.approx(30) and true["p99_e2el_ms"] == pytest.approx(20 + 0.99 * 20)
    assert truth.figures(records[1:], log)["mean_itl_ms"] is None
    # of a client that counts chunks with output, the first token is the first chunk
    chunks = {name: low for name, (low, _) in truth.figures([{**records[0], "output_chunks": True}], log).items()}
    assert chunks["mean_ttft_ms"] == chunks["mean_first_token_ms"] == pytest.approx(10.5)
    assert chunks["mean_itl_ms"] == pytest.approx((19.5 + 10) / 2)
    # 30 us for each to connect and send at the least; of whole milliseconds only what a perfect client may take
    records = [{**record, "acted_ns": log[record["request_id"]].arrival_ns - 30_000} for record in records]
    assert truth.figures(records, log)["mean_ttft_ms"] == pytest.approx([15.03] * 2)
    records = [{**record, "acted_ns": record["acted_ns"] - 2_000_000} for record in records]
    assert truth.figures(records, log)["mean_ttft_ms"] == pytest.approx([15.1] * 2)
    for broken in (record_of("cal-9", 1, []), record_of("cal-0", 1, [0] * 3)):
        with pytest.raises(truth.NotJoined, match=broken["request_id"]):
            truth.figures([broken], log)


def test_true_figures_of_sends_that_were_held_up(perf, tmp_path):
    truth, plays = perf("truth"), perf("plays")
    write_served(tmp_path / "log", [("cal-0", 0, [(10, 1), (20, 1), (25, 1)], 25)], took_ns=2_000_000)
    true = truth.figures([record_of("cal-0", 0, [0] * 3)], truth.read_log(tmp_path / "log", "cal-"))
    assert true["mean_ttft_ms"] == [10, 12] and true["mean_tpot_ms"] == [6.5, 8.5] and true["mean_itl_ms"] == [5.5, 9.5]
    results = {"mean_ttft_ms": 11, "mean_tpot_ms": 9, "mean_tpot_ms_client_error": [-0.49, 0], "mean_itl_ms": 3,
               "mean_itl_ms_client_error": [0, 2.4]}
    rows = plays.judge_figures(results, true)
    assert rows["mean_ttft_ms"]["error_ms"] == 0 and rows["mean_ttft_ms"]["inside"] is None
    assert rows["mean_tpot_ms"]["error_ms"] == 0.5 and rows["mean_tpot_ms"]["inside"]  # by the 0.02 ms
    assert rows["mean_itl_ms"]["error_ms"] == 2.5 and not rows["mean_itl_ms"]["inside"]


def offered(perf, tmp_path, arrivals, planned, cap=None, rate=True, lasts=5):
    truth = perf("truth")
    write_served(tmp_path / "log", [(f"cal-{i}", t, [(t + lasts, 1)], t + lasts) for i, t in enumerate(arrivals)])
    records = [record_of(f"cal-{i}", t, [0]) for i, t in enumerate(planned)]
    return truth.offered(records, truth.read_log(tmp_path / "log", "cal-"), cap, rate)


def test_offered_load(perf, tmp_path):
    plan = [10 * i for i in range(101)]
    # constant arrivals, each 15 us late or not: as asked
    load = offered(perf, tmp_path, [t + 0.015 * (i % 2) for i, t in enumerate(plan)], plan)
    assert load["rate_ratio"] == pytest.approx(1, abs=1e-4) and load["gap_distance"] == 0
    # a quarter slower
    load = offered(perf, tmp_path, [1.25 * t for t in plan], plan)
    assert load["rate_ratio"] == pytest.approx(0.8) and load["gap_distance"] == 1
    # the rate is reached, in pairs: half of the gaps are none
    load = offered(perf, tmp_path, [t + 10 * (i % 2 == 1 and i < 99) for i, t in enumerate(plan)], plan)
    assert load["rate_ratio"] == pytest.approx(1) and load["gap_distance"] == pytest.approx(0.5, abs=0.02)


def test_offered_load_under_a_cap(perf, tmp_path):
    """Waiting for the concurrency limit is not lateness: each request starts when the one before it ended."""
    load = offered(perf, tmp_path, [0, 5, 10, 15, 20], [0, 1, 2, 3, 4], cap=1)
    assert load["rate_ratio"] == 1 and load["inflight_off"] == 0 and load["gap_distance"] == 0
    # 1 ms late each time: of 6 ms a slot serves 5
    arrivals = [6 * i for i in range(101)]
    assert offered(perf, tmp_path, arrivals, range(101), cap=1)["rate_ratio"] == pytest.approx(5 / 6, rel=0.01)
    load = offered(perf, tmp_path, arrivals, [0] * 101, cap=1, rate=False)
    assert load["rate_ratio"] == pytest.approx(5 / 6, rel=0.01) and load["gap_distance"] is None


def run_of(verdict, error=0.0, rate=1.0, bounds=(-1, 1), part="random", **more):
    figure = {"true": 100.0, "reported": 100 + error, "error_ms": abs(error), "share": abs(error) / 100,
              "bounds": bounds, "inside": None if bounds is None else bounds[0] <= -error <= bounds[1]}
    return {"part": part, "verdict": verdict, "figures": {"mean_ttft_ms": figure}, "counting": [], "kind": "busy",
            "offered": {"rate_ratio": rate, "gap_distance": 0.0}, "fault": "", "loop": "open", **more}


def test_table_of_a_calibration(perf, capsys):
    table = perf("calibration_table")
    runs = [run_of("trusted")] * 6 + [run_of("trusted", 3), run_of("trusted", 6, bounds=None), run_of("trusted", rate=0.9),
                                      run_of("degraded", 0.5, counting=["client_error"]), run_of("client_limited", 20)]
    runs += [run_of("degraded", 30, part="held", held="stops")] * 2 + [run_of("trusted", 2, part="held", held="stops")]
    table.show({"runs": runs, "failures": [{"name": "random-7", "kind": "none", "failure": "no result"}],
                "skipped": {"limit": 4}, "not_here": {"limit": "no group"}})
    shown = capsys.readouterr().out
    for text in ("client error | 8 of 10 (80.00 %) |", "without a client error | 1 of 11 (9.09 %) |",
                 "above 2 % | 2 of 9 (22.22 %) |", "above 5 % | 1 of 9 (11.11 %) |", "≤ 0.05 | 1 of 7 (14.29 %) |",
                 "of the rate | 1 of 2 (50.00 %) |",
                 "| stops | 3 | 2 | 2 of 2 (100.00 %) | 30 %, rate 100.0 % | trusted 1 |",
                 "| busy | 11 | trusted 9, degraded 1, client_limited 1 | client_error 1 | 2 | 20 % (mean_ttft_ms) |",
                 "4 runs of 'limit': no group.", "random-7 (none): no result."):
        assert text in shown, text


def test_a_run_is_drawn_from_its_name(perf):
    plays, calibration = perf("plays"), perf("calibration")
    one = plays.draw_run("random-3", 15)
    assert one == plays.draw_run("random-3", 15) != plays.draw_run("random-4", 15)
    assert plays.draw_run("random-3", 15)["benchmark"] != plays.draw_run("random-3", 16)["benchmark"]
    calm = plays.draw_run("random-3", 15, kind="none", fault="")
    assert calm["benchmark"] == one["benchmark"] and (calm["kind"], calm["fault"], calm["words"]) == ("none", "", {})
    part, held = calibration.draw("held-stopped for 50 ms in each 100-2", 15)
    assert part == "held" and held["words"] == {"stop_ms": 50, "pause_ms": 50}
    assert calibration.draw("fault-cut streams-1", 15)[1]["fault"] == "cut streams"
    with pytest.raises(SystemExit, match="random-N"):
        calibration.draw("fault-none-1", 15)


@pytest.mark.release_only  # a benchmark, and those it asks have tests of their own
def test_requests_are_timed_and_compared_with_sqlite(perf, bin_dir, capsys):
    """The counts are compared, too."""
    facets = perf("facets")
    results = facets.measure(bin_dir.parent, sizes=[200], base=100, http_rows=0, postgres=False)
    assert [(row["order"], row["columns"]) for row in results["narrow"]] == [("clustered", 250), ("shuffled", 250)]
    for row in results["narrow"] + results["wide"]:
        assert 0 < row["questions"]["facets"]["p50_ms"] <= row["questions"]["facets"]["p99_ms"]
    said = results["narrow"][0]["peers"]["SQLite"]
    assert said["facets"]["ratio"] > 0 and said["page"]["ratio"] > 0
    facets.table(results)
    shown = capsys.readouterr().out
    assert "| 200 | 250 | shuffled | count and 190 facets |" in shown and "SQLite" in shown


def test_a_dashboard_is_timed_over_connections(perf, bin_dir, tmp_path, capsys):
    load = perf("dashboard_load")
    results = load.measure(bin_dir / "profllm-dashboard", tmp_path / "load", 60, requests=80)
    assert [(row["connections"], row["requests"]) for row in results["loads"]] == [(4, 80), (64, 80)]
    assert all(0 < row["p50_ms"] <= row["p99_ms"] and row["per_s"] > 0 for row in results["loads"])
    assert results["start_s"] > 0 and results["bytes_a_row"] > 0
    assert not list((tmp_path / "load").iterdir())
    load.table(results)
    assert "| 64 connections | 80 |" in capsys.readouterr().out
