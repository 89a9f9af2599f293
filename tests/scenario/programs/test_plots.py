"""--plot-timeline, --plot-dataset-stats and the PyTorch benchmark file show the measured values."""
import hashlib
import json
import os
import re
import signal
import subprocess

import jsonschema
import numpy as np
import pytest
from host_tools import need
from plot_tools import Page, columns_of, loads_from_elsewhere, read_png
from run_tools import (base_config, environment, load_result, read_zst_lines, run_profllm,
                       start_profllm, write_config)
from sim_tools import Server

PLOTS = {"plot_timeline": True, "plot_dataset_stats": True}
# position of each panel in the picture: left, top, width, height
PANELS = {"prompt": (165, 180, 840, 535), "output": (1210, 180, 840, 535),
          "total": (165, 875, 840, 535), "requests": (1210, 875, 840, 535)}
COLOURS = {"prompt": 0x4C78A8, "output": 0xF58518, "total": 0x54A24B}
NO_CAIRO = {"PROFLLM_CAIRO_LIB": "/nowhere/libcairo.so.2"}


@pytest.fixture(scope="module", autouse=True)
def fonts(tmp_path_factory):
    """A separate cache of fonts: otherwise the first picture would write one into the user's home."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["XDG_CACHE_HOME"]


def run(bin_dir, folder, config, env=None, patience=1, ok=(0,)):
    done = run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json",
                       "--overwrite", env=env, patience=patience)
    assert done.returncode in ok, done.stderr
    return done


def bench(bin_dir, folder, *words, server=(), model="org/tiny", env=None, ok=(0,)):
    with Server(bin_dir, "--sim-step", "1ms", *server, model=model) as running:
        done = subprocess.run(
            [bin_dir / "profllm", "bench", "serve", "--port", str(running.port), "--random-input-len", "16",
             "--random-output-len", "6", "--num-prompts", "12", *map(str, words)],
            cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=environment(env))
        asked = re.search(rb"vllm:generation_tokens_total\S* (\d+)", running.get("/metrics"))
    assert done.returncode in ok, done.stderr + done.stdout
    done.tokens = int(asked.group(1)) if asked else 0
    return done


def records_of(folder):
    """Returns one record per request, without retried tries."""
    return [record for record in read_zst_lines(folder / "r.requests.jsonl.zst") if not record.get("retried")]


def artifacts_of(result):
    return {artifact["kind"]: artifact for artifact in result["artifacts"]}


def check_rows(page, records):
    """Checks that each request's row matches its record, to the nanosecond."""
    acted = [record["acted_ns"] for record in records if record["acted_ns"] is not None]
    start = min(acted, default=0)
    assert len(page.rows) == len(records)
    for row, record in zip(page.rows, records):
        assert row["state"] == (0 if record["error"] is None else 2 if record["acted_ns"] is None else 1)
        assert row["gaps"] == np.diff([record["acted_ns"], *[event[0] for event in record["events"]]]).tolist()
        if row["state"] != 2:
            assert row["start"] == record["acted_ns"] - start
            # a killed run knows no end of those that were open
            assert row["length"] == (record["end_ns"] or record["acted_ns"]) - record["acted_ns"]
        assert row["output"] == (-1 if record["output_tokens"] is None else record["output_tokens"])
        if record["error"] is not None:
            assert row["error"].startswith(record["error"]["kind"])


# ---- the time line ----


def test_timeline_shows_the_records(bin_dir, tmp_path, source_dir, patience):
    run(bin_dir, tmp_path, base_config(**PLOTS, timeline_itl_thresholds="1, 2.5", max_concurrency=5),
        patience=patience)
    result, records = load_result(tmp_path / "r.json"), records_of(tmp_path)
    page = Page(tmp_path / "r.timeline.html")
    check_rows(page, records)
    gaps_ms = [gap / 1e6 for row in page.rows for gap in row["gaps"][1:]]
    assert page.about["thresholds_ms"] == [1, 2.5]
    assert page.about["labels"] == ["TTFT", "ITL < 1ms", "1ms ≤ ITL < 2.5ms", "ITL ≥ 2.5ms", "failed"]
    assert page.about["counts"] == [20, sum(gap < 1 for gap in gaps_ms), sum(1 <= gap < 2.5 for gap in gaps_ms),
                                    sum(gap >= 2.5 for gap in gaps_ms), 0]
    assert "SIMULATED: profllm-sim" in page.text and "sim/test" in page.parts["title"]
    ttft = result["results"]["mean_ttft_ms"]
    assert f"<th scope=\"row\">TTFT, mean</th><td>{ttft:.2f} ms</td>" in page.text
    jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text())).validate(result)
    for kind, name in (("timeline", "r.timeline.html"), ("dataset_stats", "r.dataset_stats.png")):
        data = (tmp_path / name).read_bytes()
        assert artifacts_of(result)[kind] == {
            "kind": kind, "name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_timeline_needs_nothing_else(bin_dir, tmp_path):
    bench(bin_dir, tmp_path, "--plot-timeline", "--result-filename", "x.json")
    page = Page(tmp_path / "x.timeline.html")
    assert loads_from_elsewhere(page) == []
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:") \
        in page.attributes


def test_timeline_names_of_others_stay_text(bin_dir, tmp_path):
    bad = "org/</script><b>x</b><!-- \" ' & @EVENTS@"
    bench(bin_dir, tmp_path, "--plot-timeline", "--result-filename", "x.json", "--model", bad, model=bad)
    page = Page(tmp_path / "x.timeline.html")
    assert "b" not in page.tags and page.tags.count("script") == 3
    assert bad in page.parts["h1"] and bad in page.parts["title"] and len(page.rows) == 12


@pytest.mark.parametrize("words, server", [
    (["--num-prompts", 1], []),
    (["--num-prompts", 1, "--random-output-len", 1], []),
    ([], ["--sim-error-rate", "1"]),
    ([], ["--sim-stream-error-rate", "1"]),
    (["--num-prompts", 30], ["--sim-error-rate", "0.5"]),
])
def test_timeline_corner_cases(bin_dir, tmp_path, words, server):
    done = bench(bin_dir, tmp_path, "--plot-timeline", "--plot-dataset-stats", "--output", "r.json",
                 "--result-filename", "r.x", *words, server=server, ok=(0, 1))
    page, records = Page(tmp_path / "r.timeline.html"), records_of(tmp_path)
    check_rows(page, records)
    failed = [record for record in records if record["error"] is not None]
    assert page.about["counts"][4] == len(failed) and f"<td>{len(failed)}</td>" in page.text
    assert (len(failed) > 0) == bool(server), done.stderr
    # of the requests that the results have it of
    mean = load_result(tmp_path / "r.json")["results"]["mean_ttft_ms"]
    shown = "none" if mean is None else f"{mean:,.2f} ms"
    assert f"<th scope=\"row\">TTFT, mean</th><td>{shown}</td>" in page.text
    assert all(row["error"] for row in page.rows if row["state"] != 0)
    assert read_png(tmp_path / "r.dataset_stats.png").shape == (1500, 2100, 3)


def test_timeline_of_requests_that_were_never_sent(bin_dir, tmp_path):
    """The time ended first: planned requests that were not sent are counted, but not drawn."""
    config = base_config(plot_timeline=True, num_prompts=200, max_concurrency=1, random_output_len=100)
    config["launch"]["run_timeout"] = "1s"
    run(bin_dir, tmp_path, config, ok=(1, 4))
    page, records = Page(tmp_path / "r.timeline.html"), records_of(tmp_path)
    check_rows(page, records)
    assert {row["state"] for row in page.rows} >= {2}
    assert any(row["error"].startswith("not_sent") for row in page.rows)


def test_timeline_opens_in_a_browser(bin_dir, tmp_path):
    """No message on the console, all requests drawn, keys and wheel work."""
    browser = os.environ.get("PROFLLM_CHROMIUM") or need("chromium-headless-shell")
    bench(bin_dir, tmp_path, "--plot-timeline", "--result-filename", "x.json", "--num-prompts", 60,
          server=["--sim-error-rate", "0.2"], ok=(0, 1))
    page = (tmp_path / "x.timeline.html").read_text()
    use = """<script>
      const plot = document.getElementById("plot"), box = plot.getBoundingClientRect();
      const at = {clientX: box.left + 300, clientY: box.top + 80, cancelable: true};
      for (const key of ["+", "]", "ArrowDown", "ArrowLeft", "PageUp", "-", "[", "0"])
        plot.dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
      for (const more of [{}, {shiftKey: true}, {ctrlKey: true}])
        plot.dispatchEvent(new WheelEvent("wheel", {...at, deltaY: -200, ...more}));
      document.querySelectorAll("button").forEach(button => button.click());
      plot.dispatchEvent(new PointerEvent("pointermove", at));
      document.body.dataset.hovered = document.getElementById("tip").textContent;
    </script></body>"""
    (tmp_path / "y.html").write_text(page.replace("</body>", use).replace("<head>", """<head><script>
      window.requestAnimationFrame = done => setTimeout(done, 0);
    </script>"""))
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
                           f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
                           f"file://{tmp_path / 'y.html'}"],
                          capture_output=True, text=True, timeout=120, check=False)
    assert "CONSOLE" not in done.stderr, done.stderr
    assert 'data-drawn="yes"' in done.stdout
    assert re.search(r'data-hovered="Req \d+: ', done.stdout), done.stdout[-2000:]


# ---- the picture of the data set ----


def bar_heights(pixels, panel, colour, edges):
    """Returns the height in pixels of the bar of each bin, measured off its middle (where a line may be)."""
    left, top, width, height = PANELS[panel]
    seen = columns_of(pixels[top:top + height, left:left + width], colour)
    margin = (edges[-1] - edges[0]) * 0.03
    low, high = edges[0] - margin, edges[-1] + margin
    at = ((edges[:-1] + np.diff(edges) * 0.2 - low) / (high - low) * width).astype(int)
    other = ((edges[:-1] + np.diff(edges) * 0.75 - low) / (high - low) * width).astype(int)
    return np.maximum(seen[at], seen[other])


def test_dataset_bars_are_numpys_histogram(bin_dir, tmp_path, patience):
    run(bin_dir, tmp_path, base_config(**PLOTS, num_prompts=150, random_range_ratio=0.6, random_input_len=60,
                                       random_output_len=20), patience=patience)
    pixels, records = read_png(tmp_path / "r.dataset_stats.png"), records_of(tmp_path)
    assert pixels.shape == (1500, 2100, 3)
    lens = {"prompt": [record["prompt_tokens_requested"] for record in records],
            "output": [record["output_tokens_requested"] for record in records]}
    lens["total"] = [sum(pair) for pair in zip(lens["prompt"], lens["output"])]
    for panel, x in lens.items():
        counts, edges = np.histogram(x, bins=30)
        heights = bar_heights(pixels, panel, COLOURS[panel], edges)
        expected = counts / (counts.max() * 1.2) * PANELS[panel][3]
        # a line of 3 pixels or the ground line may cross a bar
        assert np.abs(heights - expected).max() <= 4, (panel, heights, expected)


def test_dataset_bars_of_single_requests(bin_dir, tmp_path, patience):
    run(bin_dir, tmp_path, base_config(**PLOTS, num_prompts=20, random_range_ratio=0.5), patience=patience)
    pixels, records = read_png(tmp_path / "r.dataset_stats.png"), records_of(tmp_path)
    left, top, width, height = PANELS["requests"]
    # no bar reaches up to the key
    area = pixels[top + height // 8:top + height, left:left + width]
    most = max(record["prompt_tokens_requested"] + record["output_tokens_requested"] for record in records)
    for kind in ("prompt", "output"):
        seen = columns_of(area, COLOURS[kind])
        for i, record in enumerate(records):
            expected = record[f"{kind}_tokens_requested"] / (most * 1.2) * height
            assert abs(seen[int((i + 0.5) * width / 20)] - expected) <= 3, (kind, i)


# ---- names, and all that is checked before the first request ----


def test_names_are_vllms(bin_dir, tmp_path):
    words = ["--plot-timeline", "--plot-dataset-stats", "--quiet"]
    bench(bin_dir, tmp_path, *words, "--result-dir", "new/deep", "--request-rate", "100", "--max-concurrency", 4)
    (page,) = (tmp_path / "new/deep").glob("*.html")
    assert re.fullmatch(r"openai-100\.0qps-concurrency4-tiny-\d{8}-\d{6}\.timeline\.html", page.name)
    assert {path.name for path in (tmp_path / "new/deep").iterdir()} == \
        {page.name, page.name.replace(".timeline.html", ".dataset_stats.png")}
    bench(bin_dir, tmp_path, *words, "--save-result", "--result-filename", "a.b.c")
    bench(bin_dir, tmp_path, *words, "--append-result", "--result-filename", "plain")
    names = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert names == {"a.b.c", "a.b.timeline.html", "a.b.dataset_stats.png", "plain", "plain.timeline.html",
                     "plain.dataset_stats.png"}
    flat = json.loads((tmp_path / "a.b.c").read_text())
    assert {"timeline", "dataset_stats"} <= set(artifacts_of(flat["profllm"]))


def test_names_of_a_result_in_another_directory(bin_dir, tmp_path):
    """Only the artifacts in the directory of the result are among its artifacts."""
    (tmp_path / "other").mkdir()
    bench(bin_dir, tmp_path, "--plot-timeline", "--result-filename", "x.json", "--output", "other/r.json")
    assert (tmp_path / "x.timeline.html").exists()
    assert "timeline" not in artifacts_of(load_result(tmp_path / "other/r.json"))
    bench(bin_dir, tmp_path, "--plot-timeline", "--result-filename", "x.json", "--output", "r.json")
    assert artifacts_of(load_result(tmp_path / "r.json"))["timeline"]["name"] == "x.timeline.html"


@pytest.mark.parametrize("data, words", [
    ("x.json", ["--save-result"]), ("x.json", ["--append-result"]), ("x.timeline.html", ["--plot-timeline"]),
    ("x.pytorch.json", ["--save-result"]), ("r.timeline.html", ["--output", "r.json"]),
    ("r.dataset_stats.png", ["--output", "r.json"])])
def test_inputs_are_not_overwritten(bin_dir, tmp_path, data, words):
    text = '{"prompt": "one two three"}\n'
    (tmp_path / data).write_text(text)
    done = bench(bin_dir, tmp_path, "--dataset-name", "custom", "--dataset-path", data, "--result-filename", "x.json",
                 *words, env={"SAVE_TO_PYTORCH_BENCHMARK_FORMAT": "1"}, ok=(2,))
    assert f"{data}', which it reads; use another --output" in done.stderr and done.tokens == 0
    assert (tmp_path / data).read_text() == text
    assert {path.name for path in tmp_path.iterdir()} == {data}


def test_pictures_of_an_earlier_result_go(bin_dir, tmp_path, patience):
    run(bin_dir, tmp_path, base_config(**PLOTS), patience=patience)
    run(bin_dir, tmp_path, base_config(), patience=patience)
    assert not list(tmp_path.glob("r.*.html")) and not list(tmp_path.glob("r.*.png"))
    assert not {"timeline", "dataset_stats"} & set(artifacts_of(load_result(tmp_path / "r.json")))


@pytest.mark.parametrize("words, env, said", [
    (["--plot-timeline", "--timeline-itl-thresholds", "25"], {}, "--timeline-itl-thresholds: found text"),
    (["--plot-timeline", "--timeline-itl-thresholds", "a,b"], {}, "--timeline-itl-thresholds: found text"),
    (["--save-result", "--plot-dataset-stats"], NO_CAIRO, "libcairo2"),
    (["--plot-dataset-stats"], {}, "--plot-dataset-stats: it needs --save-result"),
    (["--plot-timeline", "--result-filename", "x.json"], {}, "x.timeline.html"),
    (["--save-result", "--plot-dataset-stats", "--result-filename", "x.json"], {}, "x.dataset_stats.png"),
    (["--save-result", "--result-filename", "x.json"], {"SAVE_TO_PYTORCH_BENCHMARK_FORMAT": "1"}, "x.pytorch.json"),
    (["--plot-timeline", "--result-dir", "x.timeline.html/x.pytorch.json/file/deep"], {}, "deep"),
])
def test_refused_before_the_first_request(bin_dir, tmp_path, words, env, said):
    for name in ("x.timeline.html", "x.dataset_stats.png", "x.pytorch.json"):
        (tmp_path / name).mkdir()
    (tmp_path / "x.timeline.html/x.pytorch.json").mkdir()
    (tmp_path / "x.timeline.html/x.pytorch.json/file").write_text("")
    done = bench(bin_dir, tmp_path, *words, env=env, ok=(2,))
    assert said in done.stderr and done.tokens == 0 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("options, env, said", [
    ({"plot_timeline": True, "timeline_itl_thresholds": "25;50"}, {}, "benchmark.timeline_itl_thresholds"),
    ({"plot_dataset_stats": True}, NO_CAIRO, "benchmark.plot_dataset_stats"),
])
def test_refused_before_the_server_is_started(bin_dir, tmp_path, options, env, said):
    done = run(bin_dir, tmp_path, base_config(**options), env=env, ok=(2,))
    assert said in done.stderr and "starting" not in done.stderr
    assert not (tmp_path / "r.json").exists()


def test_thresholds_do_not_matter_without_a_timeline(bin_dir, tmp_path):
    bench(bin_dir, tmp_path, "--timeline-itl-thresholds", "rubbish")


# ---- a result is not lost ----


@pytest.mark.parametrize("name, kind", [("r.timeline.html", "timeline"), ("r.dataset_stats.png", "dataset_stats")])
def test_a_picture_that_cannot_be_written_is_a_warning(bin_dir, tmp_path, name, kind, patience):
    config = write_config(tmp_path, base_config(**PLOTS, num_prompts=250, max_concurrency=4, random_output_len=30))
    process = start_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json")
    seen = ""
    for line in process.stderr:
        seen += line
        if "sending" in line:
            break
    (tmp_path / name).mkdir()
    seen += process.communicate(timeout=60 * patience)[1]
    assert process.returncode == 0, seen
    assert "warning" in seen.lower() and name in seen
    result = load_result(tmp_path / "r.json")
    others = {"timeline", "dataset_stats"} - {kind}
    assert result["status"] == "completed" and others <= set(artifacts_of(result))
    assert kind not in artifacts_of(result)


def test_recovered_results_have_their_pictures(bin_dir, tmp_path, patience):
    config = write_config(tmp_path, base_config(**PLOTS, num_prompts=2000, max_concurrency=4))
    process = start_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json")
    for line in process.stderr:
        # the first line of progress: records have come in
        if re.search(r"\d+/2000 ", line):
            break
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60 * patience)
    done = run_profllm(bin_dir, "recover", tmp_path / "r.json", patience=patience)
    assert done.returncode in (0, 1), done.stderr
    result = load_result(tmp_path / "r.json")
    assert {"timeline", "dataset_stats"} <= set(artifacts_of(result))
    page = Page(tmp_path / "r.timeline.html")
    check_rows(page, records_of(tmp_path))
    assert "SIMULATED: profllm-sim" in page.text and "sim/test" in page.parts["h1"]


# ---- PyTorch's benchmark file ----


METRICS = [f"{word}_{family}_ms" for family, words in
           (("ttft", ("median", "mean", "std", "p99")), ("tpot", ("mean", "median", "std", "p99")),
            ("itl", ("median", "mean", "std", "p99"))) for word in words]
PYTORCH = {"SAVE_TO_PYTORCH_BENCHMARK_FORMAT": "1"}


def check_pytorch(text, flat, use_compile=True, mode="", level=""):
    records = json.loads(text)
    assert text == json.dumps(records)
    del flat["profllm"]
    assert [record["metric"]["name"] for record in records] == [name for name in METRICS if name in flat]
    extra = {key: value for key, value in flat.items()
             if key not in METRICS + ["ttfts", "itls", "generated_texts", "errors"]}
    for record in records:
        assert list(record) == ["benchmark", "model", "metric"]
        assert record["metric"] == {"name": record["metric"]["name"],
                                    "benchmark_values": [flat[record["metric"]["name"]]], "extra_info": extra}
        assert list(record["metric"]["extra_info"]) == list(extra)
        assert record["benchmark"]["name"] == "vLLM benchmark"
        about = record["benchmark"]["extra_info"]
        assert list(about) == ["args", "compilation_config.mode", "optimization_level", "use_compile"]
        assert (about["use_compile"], about["compilation_config.mode"], about["optimization_level"]) == \
            (use_compile, mode, level)
    return records


def test_pytorch_file(bin_dir, tmp_path):
    bench(bin_dir, tmp_path, "--save-result", "--save-detailed", "--result-filename", "x.json", "--model", "org/tiny",
          "--header", "x-secret=geheim", "--request-rate", "inf", "--metadata", "tensor_parallel_size=4",
          "optimization_level=2", "who=ä", env=PYTORCH)
    text, flat = (tmp_path / "x.pytorch.json").read_text(), json.loads((tmp_path / "x.json").read_text())
    records = check_pytorch(text, flat, level="2")
    args = records[0]["benchmark"]["extra_info"]["args"]
    assert records[0]["model"] == {"name": "org/tiny"}
    assert args["header"] == "***" and "geheim" not in text
    assert args["request_rate"] == "inf" and args["tensor_parallel_size"] == "4"
    assert args["num_prompts"] == 12 and args["seed"] == 0 and args["endpoint"] == "/v1/completions"
    assert len(records) == 12 and "start_times" in records[0]["metric"]["extra_info"]


@pytest.mark.parametrize("words, use_compile, mode", [
    (["--metadata", "compilation_config.mode=0"], False, "0"),
    (["--metadata", "compilation_config.mode=3"], True, "3"),
    (["--result-filename", "x-eager.json"], False, ""),
    (["--metric-percentiles", "90", "--percentile-metrics", "itl"], True, ""),
])
def test_pytorch_file_says_how_it_was_compiled(bin_dir, tmp_path, words, use_compile, mode):
    bench(bin_dir, tmp_path, "--save-result", *words, env=PYTORCH)
    (path,) = tmp_path.glob("*.pytorch.json")
    flat = json.loads(path.with_name(path.name.replace(".pytorch", "")).read_text())
    check_pytorch(path.read_text(), flat, use_compile, mode)


def test_pytorch_file_without_a_name(bin_dir, tmp_path):
    """vLLM fails there: the automatic name serves as well."""
    bench(bin_dir, tmp_path, "--save-result", env=PYTORCH)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 2 and names[1] == names[0].replace(".json", ".pytorch.json")


@pytest.mark.parametrize("words, env", [(["--save-result"], {"SAVE_TO_PYTORCH_BENCHMARK_FORMAT": ""}),
                                        (["--plot-timeline"], PYTORCH)])
def test_pytorch_file_only_with_a_saved_result(bin_dir, tmp_path, words, env):
    bench(bin_dir, tmp_path, *words, env=env)
    assert not list(tmp_path.glob("*.pytorch.json"))
