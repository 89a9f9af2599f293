"""`server.config`: vLLM's own YAML is read as by vLLM and never passed on."""
import json

import pytest

from validate_tools import errors, profllm, reports, warnings


def check(bin_dir, folder, inner, outer="server: {model: m, config: c.yaml}\n"):
    (folder / "c.yaml").write_text(inner)
    (folder / "e.yaml").write_text(outer)
    [report] = reports(profllm(bin_dir, folder, "validate", "--json", "e.yaml"))
    return report


def dry_run(bin_dir, folder, inner, outer="server: {model: m, config: c.yaml}\n"):
    (folder / "c.yaml").write_text(inner)
    (folder / "e.yaml").write_text(outer)
    done = profllm(bin_dir, folder, "run", "-c", "e.yaml", "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# the file -> the words it stands for
READ = {
    "scalars": ("seed: 7\ndtype: float16\n", ["--seed", "7", "--dtype", "float16"]),
    "both spellings": ("max-num-seqs: 8\ntensor_parallel_size: 2\n",
                       ["--max-num-seqs", "8", "--tensor-parallel-size", "2"]),
    "quotes make no difference": ("seed: '7'\nserved-model-name: 12\n",
                                  ["--seed", "7", "--served-model-name", "12"]),
    "human sizes": ("max-model-len: 2k\n", ["--max-model-len", "2000"]),
    "true is the flag": ("enforce-eager: true\n", ["--enforce-eager"]),
    "false is the negative flag": ("enable-prefix-caching: false\n",
                                   ["--no-enable-prefix-caching"]),
    "a negative flag": ("no-enable-prefix-caching: true\n", ["--no-enable-prefix-caching"]),
    "an empty list is nothing": ("served-model-name: []\n", []),
    "lists": ("served-model-name: [a, b]\n", ["--served-model-name", "a", "b"]),
    "objects": ("compilation-config: {mode: 3}\n", ["--compilation-config", '{"mode":3}']),
}


@pytest.mark.parametrize("inner, words", READ.values(), ids=READ.keys())
def test_the_file_becomes_words(bin_dir, tmp_path, inner, words):
    argv = dry_run(bin_dir, tmp_path, inner)["argv"]
    assert argv[:3] == ["vllm", "serve", "m"]
    assert [argv[3 + i:3 + i + len(words)] for i in range(len(argv))].count(words) or not words
    assert "--config" not in argv and "c.yaml" not in argv


def test_the_keys_of_the_experiment_win(bin_dir, tmp_path):
    plan = dry_run(bin_dir, tmp_path, "model: other\nseed: 7\nport: 8123\n",
                   "server: {model: m, config: c.yaml, seed: 1}\n")
    argv = plan["argv"]
    assert argv[2] == "m" and argv[argv.index("--seed") + 1] == "1"
    assert plan["port"] == 8123
    assert plan["config"]["server"]["config"] == "c.yaml"


def test_faults_have_their_location_in_the_file(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "seed: many\n\nnothing-such: 1\n"
                   "enable-auto-tool-choice: true\n")
    assert {(one["source"], one["line"], one["key"], one["rule"]) for one in errors(report)} == {
        ("c.yaml", 1, "server.seed", None),
        ("c.yaml", 3, "server.nothing-such", None),
        ("c.yaml", 4, "server.enable_auto_tool_choice", "auto_tool_needs_parser")}


def test_false_that_vllm_omits_is_reported(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "enable_prefix_caching: false\n")
    [told] = [one for one in warnings(report) if one["rule"] is None]
    assert told["key"] == "server.enable_prefix_caching"
    assert told["nearest"] == "enable-prefix-caching"
    argv = dry_run(bin_dir, tmp_path, "enable_prefix_caching: false\n")["argv"]
    assert "--no-enable-prefix-caching" not in argv


@pytest.mark.parametrize("outer, text", [
    ("server: {config: absent.yaml}\n", "could not open"),
    ("server: {config: c.json}\n", "c.json"),
])
def test_a_file_that_cannot_be_read(bin_dir, tmp_path, outer, text):
    (tmp_path / "c.json").write_text("{}")
    [fault] = errors(check(bin_dir, tmp_path, "", outer))
    assert fault["key"] == "server.config" and fault["line"] == 1 and text in fault["found"]


@pytest.mark.parametrize("inner", ["[1, 2]\n", "a: {\n", "config: d.yaml\n", "seed: true\n"])
def test_other_files(bin_dir, tmp_path, inner):
    assert not check(bin_dir, tmp_path, inner)["ok"]
