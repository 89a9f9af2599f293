"""`bench serve --help`, its manual page and completion: grouped, with defaults and choices, from the rows."""

import json
import re

import pytest
from run_tools import run_profllm
from test_completion import bash_offers


@pytest.fixture(scope="module")
def help_text(bin_dir):
    done = run_profllm(bin_dir, "bench", "serve", "--help")
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def options(bin_dir):
    return json.loads(run_profllm(bin_dir, "bench", "serve", "--dry-run", "--json").stdout)["options"]


def row_of(help_text, flag):
    """Returns the help text of one flag, in one line."""
    found = re.search(rf"^      --{flag}\b(.*?)(?=^ {{0,7}}\S|^$)", help_text, re.M | re.S)
    assert found, flag
    return " ".join(found.group(1).split())


def test_it_fits_a_terminal_and_has_titles(help_text):
    assert max(map(len, help_text.splitlines())) <= 80
    titles = re.findall(r"^([A-Z][a-z ]+):$", help_text, re.M)
    assert titles[0] == "Server" and "Load" in titles and titles[-1] == "Examples"
    # the longest group can still be looked over
    groups = re.split(r"^[A-Z][a-z ]+:$", help_text, flags=re.M)
    assert max(group.count("\n      --") for group in groups) <= 24


@pytest.fixture(scope="module")
def without_flag(bin_dir):
    """Returns the options of experiment files alone, or of vLLM's other benchmarks."""
    rows = json.loads(run_profllm(bin_dir, "schema", "--json").stdout)["load_options"]
    return {row["name"] for row in rows if row["flag"] is None or row["name"].startswith("sonnet_")}


def test_each_option_is_listed_once(help_text, options, without_flag):
    shown = re.findall(r"^      --(?:\[no-\])?([a-z-]+)", help_text.split("Examples:")[0], re.M)
    later = re.findall(r"--([a-z-]+)", help_text.split("\nnot in this version:")[1].split("\n\n")[0])
    assert sorted({name.replace("-", "_") for name in shown + later} & set(options)) == sorted(
        name for name in options if name not in without_flag)
    assert len(shown) == len(set(shown)) and not set(shown) & set(later)


def test_defaults_and_choices_are_reported(help_text):
    assert row_of(help_text, "num-prompts").endswith("(default 1000)")
    assert row_of(help_text, "port").endswith("(default 8000)")
    assert row_of(help_text, "ramp-up-strategy").endswith("(linear, exponential)")
    assert row_of(help_text, "lora-assignment").endswith("(random, round-robin; default random)")
    assert "openai-chat" in row_of(help_text, "backend") and "openai-audio" in row_of(help_text, "backend")
    assert row_of(help_text, "fail-on").endswith("VERDICT or worse (degraded, client_limited)")
    assert row_of(help_text, "vllm-metrics").endswith("(0.32, 0.33; default: the release of the server)")


def test_later_features_are_refused(bin_dir, help_text):
    later = re.findall(r"--[a-z-]+", help_text.split("\nnot in this version:")[1].split("\n\n")[0])
    assert "--asr-min-audio-len-sec" in later
    done = run_profllm(bin_dir, "bench", "serve", "--asr-min-audio-len-sec", "1")
    assert done.returncode == 2 and "--asr-min-audio-len-sec: this version does not support it" in done.stderr


def test_the_manual_page_has_the_same_groups(bin_dir, help_text):
    page = run_profllm(bin_dir, "help", "--man", "bench").stdout
    assert re.findall(r"^\.SS (.*)$", page, re.M) == [
        title for title in re.findall(r"^([A-Z][a-z ]+):$", help_text, re.M) if title != "Examples"]
    assert "(default 1000)" in page


@pytest.mark.parametrize("line, offers", [
    ("--backend ", ["vllm", "openai", "openai-chat", "openai-responses", "openai-audio", "openai-embeddings", "openai-embeddings-chat", "openai-embeddings-clip",
                    "openai-embeddings-vlm2vec", "infinity-embeddings", "infinity-embeddings-clip", "vllm-pooling", "vllm-rerank"]),
    ("--dataset-name sp", ["spec_bench", "speed_bench"]),
    ("--ramp-up-strategy ", ["linear", "exponential"]),
    ("--fail-on ", ["degraded", "client_limited"]),
    ("--dataset-path conv", ["conversations.json"]),
    ("--result-dir res", ["results"]),
    ("--num-pro", ["--num-prompts"]),
    ("--hf-n", ["--hf-name"]),
    ("--asr-mi", []),
])
def test_bash_completes_flags_and_values(bin_dir, tmp_path, line, offers):
    (tmp_path / "conversations.json").touch()
    (tmp_path / "results").mkdir()
    assert bash_offers(bin_dir, "profllm bench serve " + line, tmp_path) == offers
