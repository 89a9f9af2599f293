"""`profllm report`: one result, several, and files of other programs, as HTML, Markdown and text."""
import hashlib
import json
import math
import os
import pty
import re
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest
from run_tools import base_config, command, environment, load_result, read_terminal, run_profllm, write_config

# characters with the property Bidi_Control
DIRECTIONS = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
HOSTILE = "<script>alert('x')</script>\"&|`*_$x$ @me https://example.org \u202e\u2067\u061c\uffff\u0007 ]](a)"


class Page(HTMLParser):
    """The tables of a report by caption, their cells as (text, exact number), and every attribute."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.attributes, self.tags, self.tiles = {}, [], [], {}
        self.rows = self.row = self.cell = self.caption = self.label = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        attrs = dict(attrs)
        if tag == "table":
            self.rows = []
        elif tag == "caption":
            self.caption = ""
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th", "dt"):
            self.cell = ["", None]
        elif tag == "data" and self.cell is not None:
            self.cell[1] = float(attrs["value"])
        elif tag == "data":
            self.tiles[self.label] = float(attrs["value"])

    def handle_endtag(self, tag):
        if tag == "caption":
            assert self.caption not in self.tables, f"two tables '{self.caption}'"
            self.tables[self.caption] = self.rows
            self.caption = None
        elif tag in ("td", "th") and self.row is not None:
            self.row.append(tuple(self.cell))
            self.cell = None
        elif tag == "dt":
            self.label, self.cell = self.cell[0], None
        elif tag == "tr":
            self.rows.append(self.row)
            self.row = None

    def handle_data(self, data):
        if self.caption is not None:
            self.caption += data
        elif self.cell is not None:
            self.cell[0] += data

    def numbers(self, caption):
        """Returns {first cell: exact number of the second}, within its group."""
        found, group = {}, ""
        for row in self.tables[caption][1:]:
            if len(row) == 1:
                group = row[0][0].split("  ")[0]
            elif row[1][1] is not None:
                found[group, row[0][0]] = row[1][1]
        return found


def report(bin_dir, *args, status=0, cwd=None, env=None):
    done = run_profllm(bin_dir, "report", *args, cwd=cwd, env=env)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def on_a_terminal(bin_dir, path, **env):
    leader, follower = pty.openpty()
    process = subprocess.Popen(command(bin_dir, "report", path), env=environment(env), stdout=follower, stdin=subprocess.DEVNULL)
    os.close(follower)
    text = read_terminal(leader).decode()
    assert process.wait() == 0
    return text


def check_html(text):
    """Needs no script and no other file; every picture is XML with a title and a description."""
    page = Page(text)
    assert not {"script", "img", "iframe", "object", "embed", "base", "form", "image", "use"} & set(page.tags)
    for name, value in page.attributes:
        assert not name.startswith("on") and name not in ("src", "srcset", "action", "style"), (name, value)
        assert name != "href" or value.startswith("#") or value == "data:,", value
        assert name not in ("id", "href", "class") or "http" not in value
    style = re.search("<style>(.*?)</style>", text, re.S)[1]
    assert "url(" not in style and "@import" not in style and "http" not in style
    assert "default-src 'none'" in text
    pictures = re.findall(r"<svg .*?</svg>", text, re.S)
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        if root.get("aria-hidden") == "true":
            continue
        assert root.find("title").text and root.find("desc").text is not None
        _, _, width, height = map(float, root.get("viewBox").split())
        for element in root.iter():
            for key in ("x", "y", "x1", "x2", "y1", "y2"):
                if element.get(key) is not None:
                    assert -1 <= float(element.get(key)) <= max(width, height) + 1, ElementTree.tostring(element)
    # each picture has its table
    assert text.count("<figure>") == text.count("as a table\"")
    return page


@pytest.fixture(scope="module")
def runs(bin_dir, tmp_path_factory):
    """Three loads of the simulator, and a start that failed."""
    folder = tmp_path_factory.mktemp("report")
    for number, rate in enumerate((100, 200, 400)):
        config = base_config(num_prompts=120, request_rate=rate, save_result=True, save_detailed=True,
                             result_dir=str(folder / "flat"), result_filename=f"flat{number}.json")
        config["name"] = f"rate {rate}"
        done = run_profllm(bin_dir, "run", "--config", write_config(folder, config), "-o", folder / f"r{number}.json")
        assert done.returncode == 0, done.stderr
    config = base_config()
    config["launch"]["extra_args"] = ["--sim-fail-start", "out_of_memory"]
    done = run_profllm(bin_dir, "run", "--config", write_config(folder, config), "-o", folder / "failed.json")
    assert done.returncode == 3, done.stderr
    return folder


def test_numbers_of_a_result(bin_dir, runs):
    result = load_result(runs / "r0.json")
    page = check_html(report(bin_dir, runs / "r0.json", "--html"))
    rates = page.numbers("Rates and counts")
    results = result["results"]
    assert rates["", "Output throughput"] == results["output_throughput"]
    assert rates["", "Completed requests"] == results["completed"] == 120
    assert rates["", "Total output tokens"] == results["total_output_tokens"]
    latencies = page.numbers("Latencies")
    names = {"Time to First Token": "ttft_ms", "Time per Output Token (excl. 1st token)": "tpot_ms",
             "Inter-token Latency": "itl_ms", "End-to-end Latency": "e2el_ms", "First Token": "first_token_ms"}
    statistics = {"Mean": "mean", "Median": "median", "P90": "p90", "P95": "p95", "P99": "p99", "P99.9": "p99.9", "Standard deviation": "std"}
    for (group, label), number in latencies.items():
        title, = [title for title in names if group.startswith(title + " ")]
        assert number == results[f"{statistics[label]}_{names[title]}"], (group, label)
    assert len(latencies) == len(names) * len(statistics)
    assert page.tiles["Median TTFT"] == results["median_ttft_ms"]
    assert page.tiles["Output throughput"] == results["output_throughput"]


def test_charts_come_from_the_artifacts(bin_dir, runs):
    result = load_result(runs / "r0.json")["results"]
    text = report(bin_dir, runs / "r0.json", "--html")
    page = check_html(text)
    curve = page.numbers("TTFT percentiles as a table")
    for label, key in (("p50", "median"), ("p90", "p90"), ("p99", "p99")):
        assert math.isclose(curve["", label], result[f"{key}_ttft_ms"], rel_tol=1e-9)
    # a busy host makes outliers, which the histogram names instead of drawing them
    words = re.search(r"E2EL histogram.*? in bins of ([^<]*)", text, re.S)[1]
    outliers = re.search(r"not drawn: (\d+) above", words)
    assert sum(row[2][1] for row in page.tables["E2EL histogram as a table"][1:]) == result["completed"] - int(outliers[1] if outliers else 0)
    over_time = page.tables["TTFT over time as a table"][1:]
    assert sum(row[2][1] for row in over_time) == result["completed"] + result["failed"]
    assert "Requests in flight as a table" in page.tables and "Requests running in the server as a table" in page.tables
    # the text alternative holds the largest number in flight
    assert max(row[3][1] for row in page.tables["Requests in flight as a table"][1:]) == result["peak_in_flight"]
    assert page.tables["Phases of the start as a table"][-1][0][0] == "First response"


def test_sections_of_a_result(bin_dir, runs):
    result = load_result(runs / "r0.json")
    text = report(bin_dir, runs / "r0.json", "--html")
    page = Page(text)
    sections = re.findall('<section id="([a-z]+)"', text)
    assert sections == ["verdict", "configuration", "metrics", "breakdown", "latency", "telemetry", "startup", "checks", "provenance", "repeat"]
    explicit = {row[0][0]: row[1][0] for row in page.tables["Explicit parameters"][1:]}
    assert explicit["server.max_model_len"] == "2048" and explicit["benchmark.num_prompts"] == "120"
    assert "benchmark.burstiness" not in explicit
    others = {row[0][0]: row[2][0] for row in page.tables["Other parameters"][1:]}
    assert others["benchmark.burstiness"] == "default" and "server.model" not in others
    checks = {row[0][0]: row for row in page.tables["Checks of this run"][1:]}
    over = [check for check in result["quality"]["checks"] if check["status"] == "over_limit"]
    assert sum(row[1][0] == "over limit" for row in checks.values()) == len(over)
    assert {row[3][0] for row in page.tables["Artifacts"][1:]} == {one["sha256"] for one in result["artifacts"]}
    assert f"profllm run --config {runs}/r0.json" in text
    assert "SIMULATED" in report(bin_dir, runs / "r0.json")


def test_the_command_repeats_the_run(bin_dir, runs, tmp_path):
    text = report(bin_dir, runs / "r0.json", "--markdown")
    line, = re.findall(r"^profllm run --config .*$", text, re.M)
    done = run_profllm(bin_dir, *line.split()[1:], "--overwrite", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert load_result(tmp_path / "repeat.json")["config"]["experiment"] == load_result(runs / "r0.json")["config"]["experiment"]


def test_a_failed_start_has_its_cause_and_no_charts(bin_dir, runs):
    error = load_result(runs / "failed.json")["error"]
    text = report(bin_dir, runs / "failed.json", "--html")
    page = check_html(text)
    table = {row[0][0]: row[1][0] for row in page.tables["Error"][1:]}
    assert table["Cause"].startswith("out_of_memory: ") and table["Remedy"] == error["hint"]
    assert table["Log line"] == error["log_line"] and table["Message"] == error["message"]
    assert re.findall('<section id="([a-z]+)"', text)[:2] == ["verdict", "error"]
    assert "Launch failed" in text and "latency" not in re.findall('<section id="([a-z]+)"', text)
    assert "telemetry" not in re.findall('<section id="([a-z]+)"', text)


def test_missing_and_changed_artifacts_are_named(bin_dir, runs, tmp_path):
    result = load_result(runs / "r1.json")
    (tmp_path / "r1.json").write_text(json.dumps(result))
    (tmp_path / "r1.series.jsonl.zst").write_bytes(b"other")
    text = report(bin_dir, tmp_path / "r1.json", "--html")
    page = check_html(text)
    assert "r1.requests.jsonl.zst: not found in the directory of the result." in text
    assert "r1.series.jsonl.zst: not used, because it differs from the artifact of the result." in text
    # the percentiles in the result are drawn instead
    assert page.numbers("TTFT percentiles as a table")["", "p99"] == result["results"]["p99_ttft_ms"]
    assert "TTFT histogram as a table" not in page.tables


def test_broken_lines_of_artifacts(bin_dir, runs, tmp_path):
    """Lines that are no records are skipped and counted, also if they are all; the report is whole."""
    result = load_result(runs / "r1.json")
    lines = subprocess.run(["zstd", "-dc", runs / "r1.requests.jsonl.zst"], check=True, capture_output=True).stdout.splitlines()
    broken = b"\n".join([b"{", b"[]", b'{"index":-1}', b"\xff\x00", *lines[:50], lines[51][:40]])
    name = "r1.requests.jsonl"
    (tmp_path / name).write_bytes(broken)
    result["artifacts"] = [{"kind": "requests", "name": name, "size": len(broken), "sha256": hashlib.sha256(broken).hexdigest()}]
    (tmp_path / "r1.json").write_text(json.dumps(result))
    page = check_html(report(bin_dir, tmp_path / "r1.json", "--html"))
    assert sum(row[2][1] for row in page.tables["E2EL over time as a table"][1:]) == 50
    (tmp_path / name).write_bytes(b"[]\n" * 7)
    result["artifacts"][0].update(size=21, sha256=hashlib.sha256(b"[]\n" * 7).hexdigest())
    (tmp_path / "r1.json").write_text(json.dumps(result))
    assert "The charts lack 7 lines of the artifact" in report(bin_dir, tmp_path / "r1.json", "--html")


@pytest.mark.parametrize("has_lists", [True, False])
def test_a_file_of_vllm_bench(bin_dir, runs, tmp_path, has_lists):
    flat = json.loads((runs / "flat" / "flat0.json").read_text())
    flat.pop("profllm", None)
    if not has_lists:
        for key in ("input_lens", "output_lens", "ttfts", "itls", "start_times", "generated_texts", "errors"):
            flat.pop(key, None)
    (tmp_path / "bench.json").write_text(json.dumps(flat))
    text = report(bin_dir, tmp_path / "bench.json", "--html")
    page = check_html(text)
    assert page.numbers("Rates and counts")["", "Output throughput"] == flat["output_throughput"]
    assert "Another program wrote this file." in text
    assert any("config.server" in row[0][0] or "server" in row[1][0] for row in page.tables["Not recorded"][1:])
    assert "profllm run --config" not in text
    assert ("TTFT over time as a table" in page.tables) == has_lists
    if has_lists:
        assert math.isclose(page.numbers("TTFT percentiles as a table")["", "p50"], flat["median_ttft_ms"], rel_tol=1e-6)


def test_hostile_names(bin_dir, runs, tmp_path):
    result = load_result(runs / "r0.json")
    result["name"] = HOSTILE
    result["tags"] = {"a": HOSTILE}
    result["config"]["benchmark"]["model"] = HOSTILE
    result["config"]["experiment"]["name"] = HOSTILE
    result["environment"]["hostname"] = HOSTILE
    result["environment"]["engine"]["version"] = HOSTILE
    result["results"]["errors"] = [{"kind": HOSTILE, "status": 500, "count": 1, "retried": 0, "sample": HOSTILE * 20}]
    result["quality"]["checks"][0]["text"] = HOSTILE
    result["error"] = {"message": HOSTILE, "cause": HOSTILE, "hint": HOSTILE, "log_line": HOSTILE, "log_tail": [HOSTILE, "\x1b]0;x\x07"]}
    name = tmp_path / "a'b<i>&.json"
    name.write_text(json.dumps(result))
    page = check_html(report(bin_dir, name, "--html"))
    assert any("<script>alert('x')</script>" in row[1][0] for row in page.tables["Error"][1:])
    (tmp_path / "other.json").write_text((runs / "r1.json").read_text())
    check_html(report(bin_dir, name, tmp_path / "other.json", "--html"))
    markdown = report(bin_dir, name, "--markdown")
    outside = re.sub(r"^(`{3,})\n.*?^\1\n", "", markdown, flags=re.M | re.S)
    assert "<script" not in outside and "@me" not in outside and "https://" not in outside
    for block in re.findall(r"(?:^\|.*\n)+", outside, re.M):
        pipes = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(pipes) == 1, block
    for form in (markdown, report(bin_dir, name)):
        assert "\x1b" not in form and "\x07" not in form
    for form in ("--html", "--markdown", "--terminal"):
        for paths in ([name], [name, tmp_path / "other.json"]):
            assert not DIRECTIONS & set(report(bin_dir, *paths, form)), form


def test_wide_names(bin_dir, runs, tmp_path):
    """A terminal shows a Chinese character in two columns."""
    result = load_result(runs / "r0.json")
    result["name"] = result["tags"]["a"] = "\u6f22\u5b57 " * 60
    result["environment"]["hostname"] = "\u6f22" * 300
    name = tmp_path / "wide.json"
    name.write_text(json.dumps(result))
    (tmp_path / "other.json").write_text((runs / "r1.json").read_text())
    for paths in ([name], [name, tmp_path / "other.json"]):
        text = report(bin_dir, *paths, "--terminal")
        assert "\u6f22" in text
        for line in text.splitlines():
            columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
            assert columns <= 80 or line.startswith("    "), line


def test_several(bin_dir, runs):
    paths = [runs / f"r{number}.json" for number in range(3)]
    text = report(bin_dir, *paths, "--html")
    page = check_html(text)
    compared = json.loads(run_profllm(bin_dir, "compare", *paths, "--json").stdout)
    assert [row[1][0] for row in page.tables["Results"][1:]] == [str(path) for path in paths]
    for side, letter in ((1, "B"), (2, "C")):
        rows = page.tables[f"{letter} compared with A"][1:]
        metrics = compared["metrics"]
        assert len(rows) == len(metrics)
        for row, metric in zip(rows, metrics):
            assert row[2][1] == metric["sides"][0]["value"] and row[3][1] == metric["sides"][side]["value"]
            assert row[4][0] == metric["ratios"][side - 1]["sentence"]
    assert {row[0][0] for row in page.tables["Inputs that differ"][1:]} == {one["field"] for one in compared["inputs"]["differing"]}
    # the load varies: latency over throughput, in the order of the throughput
    points = [row[1][1] for row in page.tables["P99 TTFT over throughput as a table"][1:]]
    assert len(points) == 3 and points == sorted(points)
    family = next(one for one in compared["families"] if one["key"] == "ttft_ms")
    table = page.tables["TTFT percentiles as a table"][1:]
    assert [[cell[1] for cell in row[1:]] for row in table] == [
        [side["value"][at] for side in family["sides"]] for at in range(len(family["percentiles"]))]
    assert "profllm report " + " ".join(map(str, paths)) in text


def test_equal_loads_have_no_throughput_plot(bin_dir, runs):
    page = check_html(report(bin_dir, runs / "r0.json", runs / "r0.json", "--html"))
    assert not any("over throughput" in caption for caption in page.tables)


def test_directories(bin_dir, runs, tmp_path):
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        for number in range(2):
            (tmp_path / folder / f"{number}.json").write_text((runs / f"r{number}.json").read_text())
    page = check_html(report(bin_dir, tmp_path / "before", tmp_path / "after", "--html"))
    assert [row[2][1] for row in page.tables["Results"][1:]] == [2, 2]
    # the results of one directory are the sides
    page = check_html(report(bin_dir, tmp_path / "before", "--html"))
    assert [row[2][1] for row in page.tables["Results"][1:]] == [1, 1]
    (tmp_path / "empty").mkdir()
    assert "found no result" in report(bin_dir, tmp_path / "empty", status=2)


def test_responses_in_one_piece_have_no_tpot(bin_dir, tmp_path):
    config = base_config(num_prompts=8, extra_body={"stream": False})
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    text = report(bin_dir, tmp_path / "r.json", "--markdown")
    assert "E2EL of 8 requests" in text and "TPOT of" not in text


def test_a_result_is_not_replaced_by_its_report(bin_dir, runs, tmp_path):
    copy = tmp_path / "r.json"
    copy.write_bytes((runs / "r0.json").read_bytes())
    (tmp_path / "link.json").symlink_to(copy)
    for output in ("r.json", "link.json"):
        done = run_profllm(bin_dir, "report", copy, "--html", "-o", tmp_path / output, "--overwrite")
        assert done.returncode == 2 and "holds a result" in done.stderr, done.stderr
    assert copy.read_bytes() == (runs / "r0.json").read_bytes()


def test_equal_input_gives_equal_bytes(bin_dir, runs):
    for form in ("--html", "--markdown", "--terminal"):
        for names in (["r0.json"], ["r0.json", "r1.json"]):
            paths = [runs / name for name in names]
            assert report(bin_dir, *paths, form) == report(bin_dir, *paths, form)


def test_the_terminal_has_80_columns(bin_dir, runs):
    for names in (["r0.json"], ["failed.json"], ["r0.json", "r1.json", "r2.json"]):
        text = report(bin_dir, *names, cwd=runs)
        assert "\x1b" not in text
        # commands and log lines stay whole, to be copied
        assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("    ")), max(text.splitlines(), key=len)
    assert "█" in report(bin_dir, runs / "r0.json")
    assert "\x1b[1m" in on_a_terminal(bin_dir, runs / "r0.json")
    assert "\x1b" not in on_a_terminal(bin_dir, runs / "r0.json", NO_COLOR="1")


def test_a_name_of_another_form_is_refused(bin_dir, runs, tmp_path):
    for name in ("a.pdf", "b.HTML", "c.json", "d.md.gz"):
        text = report(bin_dir, runs / "r0.json", "-o", tmp_path / name, status=2)
        assert f"--output: found '{tmp_path / name}', expected a name that ends in .html, .htm, .md or .txt, or one of --html" in text
        assert not (tmp_path / name).exists()
    report(bin_dir, runs / "r0.json", "--html", "-o", tmp_path / "a.pdf")
    report(bin_dir, runs / "r0.json", "-o", tmp_path / "plain")
    assert (tmp_path / "a.pdf").read_text().startswith("<!doctype html>") and (tmp_path / "plain").read_text().startswith("SIMULATED")


def test_the_name_of_the_output_gives_the_form(bin_dir, runs, tmp_path):
    for name, start in (("a.html", "<!doctype html>"), ("a.htm", "<!doctype html>"), ("a.md", "# rate"), ("a.txt", "SIMULATED")):
        report(bin_dir, runs / "r0.json", "-o", tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
    report(bin_dir, runs / "r0.json", "--markdown", "-o", tmp_path / "b.html")
    assert (tmp_path / "b.html").read_text().startswith("# rate")
    before = (tmp_path / "a.html").read_bytes()
    assert "--overwrite" in report(bin_dir, runs / "r1.json", "-o", tmp_path / "a.html", status=2)
    assert (tmp_path / "a.html").read_bytes() == before
    report(bin_dir, runs / "r1.json", "-o", tmp_path / "a.html", "--overwrite")
    assert (tmp_path / "a.html").read_bytes() != before
    assert not list(tmp_path.glob("*.tmp*"))


@pytest.mark.parametrize(("args", "says"), [
    ([], "expected a result"),
    (["r0.json", "--html", "--markdown"], "exclude each other"),
    (["none.json"], "none.json"),
    (["r0.json"] * 9, "expected 1 to 8"),
    (["experiment.yaml"], "experiment.yaml"),
])
def test_wrong_use(bin_dir, runs, args, says):
    assert says in report(bin_dir, *args, status=2, cwd=runs)


def test_where_the_time_went(bin_dir, runs, tmp_path):
    document = load_result(runs / "r0.json")
    parts = document["results"]["latency_breakdown"]
    page = Page(report(bin_dir, runs / "r0.json", "--html"))
    rows = {row[0][0]: row for row in page.tables["Parts of the mean latencies"][1:]}
    assert list(rows) == ["Client", "Network", "Front end", "Engine queue", "Prefill", "Decode", "Total"]
    assert rows["Total"][1][1] == parts["ttft"]["total_ms"] and rows["Total"][2][1] == parts["e2el"]["total_ms"]
    assert rows["Engine queue"][1][1] == rows["Engine queue"][2][1] == parts["ttft"]["queue_low_ms"]
    assert rows["Decode"][1][0] == "–" and rows["Decode"][2][1] == parts["e2el"]["decode_low_ms"]
    server = {row[0][0]: row for row in page.tables["Histograms of the server"][1:]}
    assert server["Queue"][1][1] == parts["server"]["queue"]["count"] == parts["requests"]
    # limits, a bucket without an upper bound, and a reason
    parts.update(state="bounded", reason="counted_more", busy_before=True)
    parts["ttft"].update(queue_low_ms=1.5, queue_high_ms=22.5)
    parts["server"]["queue"].update(p99_low_ms=7680, p99_high_ms=None)
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document))
    text = report(bin_dir, changed, "--markdown")
    assert "The parts have limits, because the server counted more requests than completed here" in text
    assert "already busy with requests of others" in text and "1.5 – 22.5" in text and "≥ 7,680" in text
    # no split, and no section without the key
    parts.update(state="none", reason="restarted")
    changed.write_text(json.dumps(document))
    text = report(bin_dir, changed, "--markdown")
    assert "cannot be split, because the server restarted during the run" in text and "Engine queue" not in text
    del document["results"]["latency_breakdown"]
    changed.write_text(json.dumps(document))
    assert "Where the time went" not in report(bin_dir, changed, "--markdown")
