"""The console table and the flat file of `bench serve`, rebuilt from the saved metrics."""

import json
import re
import subprocess

import pytest

import run_tools
from sim_tools import Server, read_log

SECTIONS = [
    ("ttft", "---------------Time to First Token----------------", "TTFT"),
    ("tpot", "-----Time per Output Token (excl. 1st token)------", "TPOT"),
    ("itl", "---------------Inter-token Latency----------------", "ITL"),
    ("e2el", "----------------End-to-end Latency----------------", "E2EL"),
    ("client_queue_time", "---------------Client-side Queueing---------------", "Client Queue Time"),
    ("e2el_including_client_queue", "--------Queue-inclusive End-to-end Latency--------",
     "E2EL incl. Client Queue"),
]
ALL = ",".join(name for name, _, _ in SECTIONS)


def bench(bin_dir, folder, *words, server=(), ok=(0,)):
    with Server(bin_dir, "--sim-step", "1ms", *server, model="org/tiny") as running:
        done = subprocess.run(
            [bin_dir / "profllm", "bench", "serve", "--port", str(running.port), "--random-input-len", "16",
             "--random-output-len", "6", "--disable-tqdm", "--save-result", "--result-filename", "r.json",
             *map(str, words)],
            cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=run_tools.environment())
    assert done.returncode in ok, done.stderr + done.stdout
    return done.stdout, json.loads((folder / "r.json").read_text())


def shown(percentiles):
    return [("mean", "Mean"), ("median", "Median"), *((f"p{p}", f"P{p}") for p in percentiles)]


def planned_is_apart(figures, percentiles):
    return any(abs(figures[f"{key}_ttft_planned_ms"] - figures[f"{key}_ttft_ms"]) > 0.05 * figures[f"{key}_ttft_ms"]
               for key, _ in shown(percentiles))


def table_of(flat, asked="ttft,tpot,itl", percentiles=("99",), goodput=False):
    lines = []

    def count(label, value):
        lines.append("{:<40} {:<10}".format(label, value))

    def number(label, value):
        lines.append("{:<40} {:<10.2f}".format(label, value))

    def add_planned():
        figures = flat["profllm"]["results"]
        if "ttft" not in asked.split(",") or not planned_is_apart(figures, percentiles):
            return
        lines.append(f"{'Planned Time to First Token':-^50}")
        for key, word in shown(percentiles):
            number(f"{word} Planned TTFT (ms):", figures[f"{key}_ttft_planned_ms"])

    lines.append("{s:{c}^{n}}".format(s=" Serving Benchmark Result ", n=50, c="="))
    count("Successful requests:", flat["completed"])
    count("Failed requests:", flat["failed"])
    if flat["max_concurrency"] is not None:
        count("Maximum request concurrency:", flat["max_concurrency"])
    if flat["request_rate"] != "inf":
        number("Request rate configured (RPS):", flat["request_rate"])
    number("Benchmark duration (s):", flat["duration"])
    count("Total input tokens:", flat["total_input_tokens"])
    count("Total generated tokens:", flat["total_output_tokens"])
    number("Request throughput (req/s):", flat["request_throughput"])
    if goodput:
        number("Request goodput (req/s):", flat["request_goodput"])
    number("Output token throughput (tok/s):", flat["output_throughput"])
    number("Peak output token throughput (tok/s):", flat["max_output_tokens_per_s"])
    number("Peak concurrent requests:", flat["max_concurrent_requests"])
    capped, rated = flat["max_concurrency"] is not None, flat["request_rate"] != "inf"
    if capped:
        count("Peak requests in flight:", flat["profllm"]["results"]["peak_in_flight"])
    number("Total token throughput (tok/s):", flat["total_token_throughput"])
    for name, title, label in SECTIONS:
        hidden = (name == "client_queue_time" and not capped) or \
            (name == "e2el_including_client_queue" and not (capped and rated))
        if name in asked.split(",") and not hidden:
            lines.append(title)
            for key, word in shown(percentiles):
                number(f"{word} {label} (ms):", flat[f"{key}_{name}_ms"])
        # at rate inf under a cap it is the wait for a slot
        if name == "e2el" and (rated or not capped):
            add_planned()
    lines.append("=" * 50)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "words, how",
    [
        ([], {}),
        (["--max-concurrency", 2, "--request-rate", 300, "--percentile-metrics", ALL], {"asked": ALL}),
        (["--max-concurrency", 2, "--percentile-metrics", ALL], {"asked": ALL}),
        (["--request-rate", 300.5, "--percentile-metrics", ALL], {"asked": ALL}),
        (["--metric-percentiles", "50.0,99.9,25,0,100,1e1,12.50,99.99"],
         {"percentiles": ("50", "99.9", "25", "0", "100", "10", "12.5", "99.99")}),
        # names are not trimmed, unknown ones are skipped, and the order is that of the table
        (["--percentile-metrics", "e2el, ttft,nope,,tpot"], {"asked": "e2el,tpot"}),
        (["--percentile-metrics", ""], {"asked": ""}),
        (["--percentile-metrics", "itl,itl", "--metric-percentiles", "50,50"],
         {"asked": "itl", "percentiles": ("50", "50")}),
        (["--goodput", "ttft:10000", "ttft:0"], {"goodput": True}),
    ],
)
def test_the_table_is_vllms_to_the_byte(bin_dir, tmp_path, words, how):
    """Two lines differ: the exact peak with a concurrency limit, and the TTFT from the planned send time where it differs."""
    said, flat = bench(bin_dir, tmp_path, "--num-prompts", 7, *words)
    table = table_of(flat, **how)
    assert said[said.index("============ Serving"):][:len(table)] == table
    shown = [name for name, _, _ in SECTIONS if f"mean_{name}_ms" in flat]
    keys = [f"{word}_{name}_ms" for name in shown
            for word in ["mean", "median", "std", *dict.fromkeys("p" + p for p in how.get("percentiles", ("99",)))]]
    assert [key for key in flat if key.endswith("_ms")] == keys
    if how.get("goodput"):
        # of a name given twice the last counts
        assert flat["request_goodput"] == 0


def test_metadata_that_is_named_as_a_key(bin_dir, tmp_path):
    _, plain = bench(bin_dir, tmp_path, "--num-prompts", 2, "--label", "L")
    _, flat = bench(bin_dir, tmp_path, "--num-prompts", 2, "--label", "L", "--metadata", "duration=x", "label = M=N ",
                    "max_concurrency=7", "own=é", "errors=gone", "mean_ttft_ms=1", "date=d", "=empty", "own=2")
    # an early key takes the value, a later one keeps the early place and its own value
    head = ["date", "endpoint_type", "backend", "label", "model_id", "tokenizer_id", "num_prompts"]
    assert list(flat) == head + ["duration", "max_concurrency", "own", "mean_ttft_ms", ""] + [
        key for key in plain if key not in head + ["duration", "max_concurrency", "mean_ttft_ms"]]
    assert (flat["date"], flat["label"], flat["own"], flat[""]) == ("d", "M=N", "2", "empty")
    assert isinstance(flat["duration"], float) and flat["max_concurrency"] is None


def test_the_file_is_written_as_python_writes_json(bin_dir, tmp_path):
    bench(bin_dir, tmp_path, "--num-prompts", 3, "--save-detailed", "--metadata", "a=é😀\"\\", "--request-rate", 1000)
    text = (tmp_path / "r.json").read_text()
    assert text == json.dumps(json.loads(text))


@pytest.mark.parametrize("words, name", [
    (["--request-rate", 10], "openai-10.0qps-tiny-"),
    (["--request-rate", 33.25, "--max-concurrency", 2], "openai-33.25qps-concurrency2-tiny-"),
    (["--ramp-up-strategy", "exponential", "--ramp-up-start-rps", 100, "--ramp-up-end-rps", 200, "--max-concurrency", 3,
      "--label", "L"], "L-ramp-up-exponential-100qps-200qps-concurrency3-tiny-"),
    (["--model", "org/deep/tiny", "--served-model-name", "org/tiny"], "openai-infqps-tiny-"),
    # an empty text is none, as in Python
    (["--label", "", "--result-filename=", "--model", "org/tiny", "--served-model-name", ""], "openai-infqps-tiny-"),
])
def test_file_names(bin_dir, tmp_path, words, name):
    with Server(bin_dir, "--sim-step", "1ms", model="org/tiny") as running:
        done = subprocess.run(
            [bin_dir / "profllm", "bench", "serve", "--port", str(running.port), "--random-input-len", "16",
             "--random-output-len", "4", "--num-prompts", "2", "--save-result", "--result-dir", "made/here",
             *map(str, words)],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False, env=run_tools.environment())
    assert done.returncode == 0, done.stderr
    made, = (tmp_path / "made" / "here").iterdir()
    assert re.fullmatch(re.escape(name) + r"\d{8}-\d{6}\.json", made.name)
    assert json.loads(made.read_text())["date"] in made.name


def test_failed_requests_are_reported_before_the_table(bin_dir, tmp_path):
    said, flat = bench(bin_dir, tmp_path, "--num-prompts", 14, "--save-detailed", server=["--sim-error-rate", 1],
                       ok=(1, 4, 5))
    before = said[:said.index("============ Serving")]
    assert flat["failed"] == 14 and len(set(flat["errors"])) >= 1
    lines = [f"Error {i}: {text}" for i, text in enumerate(flat["errors"][:10])]
    assert before.endswith("Failed requests during benchmark run detected (capping to 10):\n" + "\n".join(lines) + "\n")


def test_without_failures_none_are_reported(bin_dir, tmp_path):
    said, _ = bench(bin_dir, tmp_path, "--num-prompts", 2)
    assert "Failed requests during" not in said


def test_an_absolute_name_leaves_the_folder(bin_dir, tmp_path):
    bench(bin_dir, tmp_path, "--num-prompts", 2, "--result-dir", "made", "--result-filename", tmp_path / "r.json")
    assert list((tmp_path / "made").iterdir()) == []


def test_no_test_request_goes_out_unasked(bin_dir, tmp_path):
    for words, more in (([], 0), (["--ready-check-timeout-sec", 5], 1)):
        log = tmp_path / "log"
        bench(bin_dir, tmp_path, "--num-prompts", 2, *words, server=["--sim-log", log])
        ends = [line for line in read_log(log) if line["event"] == "end"]
        assert len(ends) == 2 + more
        log.unlink()
