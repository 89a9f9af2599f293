"""The estimated duration of a sweep from earlier results: a directory and a dashboard with the same ones give the same."""
import http.server
import json
import statistics
import threading

import pytest
from dashboard_tools import Dashboard
from run_tools import load_result, run_profllm, write_config
from sweep_tools import summary, sweep_args, sweep_config

NOBODY = "http://127.0.0.1:1"


@pytest.fixture(scope="module")
def earlier(bin_dir, tmp_path_factory):
    """A sweep of two servers and two loads, twice each, and a run of another model; in a directory and on a dashboard."""
    home = tmp_path_factory.mktemp("earlier")
    folder = home / "results"
    folder.mkdir()
    done = run_profllm(bin_dir, *sweep_args(write_config(home, sweep_config()), folder / "sweep", "--repeats", "2"))
    assert done.returncode == 0, done.stderr
    other = sweep_config()
    del other["sweep"]
    other["server"]["model"] = "sim/other"
    done = run_profllm(bin_dir, "run", "-c", write_config(home, other, "other.yaml"), "-o", folder / "other.json", "--quiet")
    assert done.returncode == 0, done.stderr
    with Dashboard(bin_dir, home / "d.db") as dashboard:
        done = run_profllm(bin_dir, "upload", folder, "--to", dashboard.url)
        assert done.returncode == 0, done.stderr
        yield folder, dashboard


def forecast(bin_dir, config, *words):
    done = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--json", config, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["forecast"]


def estimate_by(bin_dir, config, earlier):
    """Returns the estimate from the directory; the dashboard gives the same, except for rounding."""
    folder, dashboard = earlier
    by_folder, by_url = (forecast(bin_dir, config, "--history", place) for place in (folder, dashboard.url))
    assert by_url == (by_folder and pytest.approx(by_folder, rel=1e-12))
    return by_folder


def measured(folder):
    """Returns by server and load how long each run took without the start, and by server how long its start took."""
    runs, starts = {}, {}
    for row in summary(folder / "sweep"):
        result = load_result(folder / "sweep" / row["result"])
        server, load = row["parameters"]["server.max_num_seqs"], row["parameters"]["benchmark.max_concurrency"]
        start = row["ready_s"] if row.get("ready_s") else 0
        if start:
            starts[server] = result["launch"]["phases"]["ready_s"]
        runs.setdefault((server, load), []).append(result["duration"] - start)
    return runs, starts


def test_the_same_sweep(bin_dir, tmp_path, earlier):
    """The estimate takes each combination's own duration, and each server's start once; the sum is computed from the results."""
    told = estimate_by(bin_dir, write_config(tmp_path, sweep_config()), earlier)
    runs, starts = measured(earlier[0])
    assert (told["runs"], told["starts"], told["known"], len(starts)) == (4, 2, 8, 2)
    assert told["start_s"] == pytest.approx(statistics.median(starts.values()))
    assert told["run_s"] == pytest.approx(statistics.median(sum(runs.values(), [])))
    assert told["total_s"] == pytest.approx(sum(starts.values()) + sum(map(statistics.mean, runs.values())))


def test_similar_and_other_runs(bin_dir, tmp_path, earlier):
    """A new server starts as fast as the others did; a known load takes as long as on others; names, ports, directories
    and other keys of `launch` have no effect."""
    config = sweep_config({"server.max_num_seqs": [2, 7], "benchmark.max_concurrency": [2]}, seed=0)
    config.update(name="other", suite="other", tags={"a": "b"})
    config["launch"]["ready_timeout"] = "77s"
    config["server"]["port"] = 21234
    told = estimate_by(bin_dir, write_config(tmp_path, config), earlier)
    runs, starts = measured(earlier[0])
    here = statistics.mean(runs[2, 2])
    elsewhere = statistics.mean(runs[2, 2] + runs[3, 2])
    assert told["total_s"] == pytest.approx(starts[2] + here + statistics.median(starts.values()) + elsewhere)


@pytest.mark.parametrize("change", [{"server": {"model": "sim/third"}}, {"launch": {"command": ["vllm", "serve"]}}])
def test_nothing_is_like_it(bin_dir, tmp_path, earlier, change):
    """Another model or engine: the existing results do not apply."""
    config = sweep_config()
    for section, keys in change.items():
        config[section].update(keys)
    assert estimate_by(bin_dir, write_config(tmp_path, config), earlier) is None
    done = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--history", earlier[0], tmp_path / "experiment.yaml")
    assert "the duration is unknown" in done.stdout


def test_results_of_the_sweep_count_once(bin_dir, tmp_path, earlier):
    """With the directory of the sweep itself as history, nothing is counted twice. The text output has minutes."""
    folder, dashboard = earlier
    config = write_config(tmp_path, sweep_config({"server.max_num_seqs": [2, 3], "benchmark.max_concurrency": [1, 2, 3]}))
    alone, both = (forecast(bin_dir, config, "--resume", "-o", folder / "sweep", *words)
                   for words in ([], ["--history", folder, "--history", dashboard.url]))
    # two of three loads have had one repeat of those that are wanted
    assert alone["known"] == both["known"] == 8 and alone["runs"] == both["runs"] == 2
    shown = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--history", dashboard.url, config).stdout
    assert "remaining: 6 runs, 2 server starts, about " in shown and "medians of 8" in shown


def test_pages(bin_dir, tmp_path, earlier):
    """More results than a page has, and other results before and after them: all are found."""
    folder = tmp_path / "many"
    folder.mkdir()
    result = load_result(next((earlier[0] / "sweep" / "cells").glob("*.json")))
    tags = {key: text for key, text in result["tags"].items() if key != "sweep"}
    for number in range(450):
        (folder / f"{number}.json").write_text(json.dumps(
            {**result, "run_id": f"exp_20260101_000000_{number:06x}", "tags": tags, "artifacts": [], "duration": 10 + number / 100}))
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        done = run_profllm(bin_dir, "upload", folder, "--to", dashboard.url)
        assert done.returncode == 0, done.stderr
        told = estimate_by(bin_dir, write_config(tmp_path, sweep_config()), (folder, dashboard))
    start = result["launch"]["phases"]["ready_s"]
    assert told["known"] == 450 and told["run_s"] == pytest.approx(10 + 449 / 2 / 100 - start)


class Odd(http.server.BaseHTTPRequestHandler):
    def do_POST(self):  # noqa: N802
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.server.odd[0])
        self.send_header("Content-Length", str(len(self.server.odd[1])))
        self.end_headers()
        self.wfile.write(self.server.odd[1])

    def log_message(self, *words):
        pass


@pytest.mark.parametrize("status, body, said", [
    (404, b"", "HTTP 404 Not Found, expected the rows of a dashboard"),
    (200, b"<html></html>", "unexpected response"),
    (200, b'{"rows": {}, "next_cursor": null}', "'rows' is missing"),
    (200, b'{"rows": [], "next_cursor": "x"}', "'next_cursor' returns no further rows"),
    (200, b'{"rows": [{"id": 1}], "next_cursor": null}', "'id' or 'cells' of a row is missing"),
])
def test_no_dashboard(bin_dir, tmp_path, status, body, said):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd) as odd:
        odd.odd = status, body
        threading.Thread(target=odd.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{odd.server_address[1]}"
        done = run_profllm(bin_dir, "sweep", "run", "--dry-run", "--history", url, write_config(tmp_path, sweep_config()))
        odd.shutdown()
    assert done.returncode == 1 and f"--history {url}: " in done.stderr and said in done.stderr and done.stdout == ""


def test_no_server_and_no_host(bin_dir, tmp_path):
    config = write_config(tmp_path, sweep_config())
    for place, status in ((NOBODY, 1), ("ftp://x", 2), (tmp_path / "gone", 2)):
        done = run_profllm(bin_dir, "sweep", "run", "-o", tmp_path / "s", "--history", place, config)
        assert done.returncode == status and f"--history {place}: " in done.stderr and not (tmp_path / "s").exists()
