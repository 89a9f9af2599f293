"""A pasted command line is equivalent to a file."""
import pytest

from validate_tools import errors, make_model, profllm, reports, warnings


def check(bin_dir, folder, text, *args, **kwargs):
    [report] = reports(profllm(bin_dir, folder, "validate", "--json", *args, "--command-file",
                               "-", stdin=text, **kwargs))
    return report


# a command -> (word, key, nearest) of its one error
BAD = {
    "misspelt": ("vllm serve m --tensor-paralel-size 2",
                 (4, "--tensor-paralel-size", "--tensor-parallel-size")),
    "wrong choice": ("vllm serve m --dtype float17", (5, "--dtype", "float16")),
    "joined value": ("vllm serve m --seed=x", (4, "--seed", None)),
    "negative flag with a value": ("vllm serve m --no-enable-prefix-caching=1",
                                   (4, "--no-enable-prefix-caching", None)),
    "value missing": ("vllm serve m --seed", (4, "--seed", None)),
    "module": ("python -m vllm.entrypoints.openai.api_server --model m --seed x",
               (7, "--seed", None)),
    "container": ("docker run --gpus all vllm/vllm-openai:v0.32.0 --model m --seed x",
                  (9, "--seed", None)),
    "behind assignments": ("A=1 B=2 vllm serve m --seed x", (7, "--seed", None)),
    "over several lines": ("vllm serve m \\\n  --max-num-seqs 8 \\\n  --seed x\n",
                           (7, "--seed", None)),
    "key of an object": ("vllm serve m --compilation-config.modus 3", (4, None, "mode")),
}


@pytest.mark.parametrize("text, expected", BAD.values(), ids=BAD.keys())
def test_a_fault_is_reported_with_its_word(bin_dir, tmp_path, text, expected):
    report = check(bin_dir, tmp_path, text)
    [fault] = errors(report)
    word, key, nearest = expected
    assert fault["word"] == word and fault["nearest"] == nearest and fault["rule"] is None
    assert key is None or fault["key"] == key
    assert isinstance(fault["col"], int) and fault["col"] > 0
    told = profllm(bin_dir, tmp_path, "validate", "-", stdin=text)
    assert told.returncode == 2 and "^^" in told.stdout or "^" in told.stdout


GOOD = [
    "vllm serve m",
    "vllm serve m -tp 2 -O3 --served-model-name a b --max-model-len 32k",
    "vllm serve m --tensor-par 2",
    "vllm serve m --compilation-config.pass_config.fuse_norm_quant true",
    "python3 -m vllm.entrypoints.openai.api_server --model=m --port=8000",
    "docker run --gpus all -p 8000:8000 -e HF_TOKEN=x vllm/vllm-openai:latest --model m",
    "CUDA_VISIBLE_DEVICES=0,1 nohup vllm serve m \\\n  --no-enable-prefix-caching > log 2>&1 &",
]


@pytest.mark.parametrize("text", GOOD)
def test_a_good_command_passes(bin_dir, tmp_path, text):
    assert errors(check(bin_dir, tmp_path, text)) == []


def test_a_caret_shows_the_word(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--", "vllm", "serve", "m", "--dtype", "float17")
    first, shown, caret, tally = [line for line in done.stdout.splitlines()
                                  if "model_not_found" not in line][:3] + [
                                      done.stdout.splitlines()[-1]]
    assert first.startswith("command line:1:22: --dtype: found text 'float17'")
    assert shown[caret.index("^"):].startswith("float17") and caret.strip() == "^" * 7
    assert tally == "1 file, 1 error, 1 warning"


def test_rules_and_models_count_for_commands_too(bin_dir, tmp_path):
    make_model(tmp_path)
    report = check(bin_dir, tmp_path, "vllm serve tiny --enable-auto-tool-choice -tp 4")
    assert {(one["rule"], one["word"]) for one in errors(report)} == {
        ("auto_tool_needs_parser", 4), ("attention_heads_divide_by_tp", 5)}
    report = check(bin_dir, tmp_path, "vllm serve tiny -tp 2", "--hardware", "h100x1")
    assert [one["rule"] for one in errors(report)] == ["world_fits_gpus"]


def test_the_image_names_the_release(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "docker run vllm/vllm-openai:v0.9.0 --model m --task embed")
    assert report["target"] == {"version": "0.9.0", "assumed": False}
    assert errors(report) == []
    report = check(bin_dir, tmp_path, "docker run vllm/vllm-openai:v0.9.0 --model m --task embed",
                   "--vllm-version", "0.32.0")
    assert report["target"] == {"version": "0.32.0", "assumed": False}
    assert not report["ok"]


def test_keys_of_objects_are_those_of_one_release(bin_dir, tmp_path):
    text = "vllm serve m --compilation-config '{\"level\": 3}'"
    assert [one["key"] for one in errors(check(bin_dir, tmp_path, text))] == [
        "--compilation-config.level"]
    report = check(bin_dir, tmp_path, text, "--vllm-version", "0.10.0")
    assert errors(report) == []
    assert [one["key"] for one in warnings(report)] == ["server.model"]
    report = check(bin_dir, tmp_path, text.replace("level", "levl"), "--vllm-version", "0.10.0")
    assert errors(report) == []
    assert "--compilation-config.levl" in [one["key"] for one in warnings(report)]


def test_files_and_a_command_in_one_go(bin_dir, tmp_path):
    (tmp_path / "e.yaml").write_text("server: {seed: 1}\n")
    (tmp_path / "start.sh").write_text("#!/bin/sh\nvllm serve m --seed x\n")
    files = reports(profllm(bin_dir, tmp_path, "validate", "--json", "e.yaml", "--command-file",
                            "start.sh", "--", "vllm", "serve", "m"))
    assert [(one["file"], one["ok"]) for one in files] == [
        ("e.yaml", True), ("start.sh", False), ("command line", True)]


def test_no_command_at_all(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "ls -l\n")
    assert not report["ok"]
    report = check(bin_dir, tmp_path, "")
    assert not report["ok"]


def test_a_secret_is_not_shown(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--", "vllm", "serve", "m", "--api-key",
                   "sk-hidden", "--seed", "x")
    assert done.returncode == 2 and "sk-hidden" not in done.stdout + done.stderr


def test_a_model_that_is_not_here_is_a_warning(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "vllm serve no-such-org/no-such-model")
    assert report["ok"] and [one["rule"] for one in warnings(report)] == ["model_not_found"]


def test_keys_of_an_experiment_are_refused(bin_dir, tmp_path):
    for args, text in ((("--command-file", "-"), "vllm serve m"), (("-",), "vllm serve m"),
                       (("--", "vllm", "serve", "m"), "")):
        [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--set",
                                   "server.dtype=bfloat16", *args, stdin=text))
        [fault] = errors(report)
        assert fault["source"] == "--set" and fault["key"] == "server.dtype"


def test_all_command_files_are_checked(bin_dir, tmp_path):
    (tmp_path / "a.sh").write_text("vllm serve m --seed x\n")
    (tmp_path / "b.sh").write_text("vllm serve m --seed 1\n")
    first, second = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--command-file",
                                    "a.sh", "--command-file", "b.sh"))
    assert len(errors(first)) == 1 and errors(second) == []


def test_an_empty_release_is_refused(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--vllm-version", "", "--", "vllm", "serve", "m")
    assert done.returncode == 2 and "--vllm-version" in done.stderr


def test_a_refusal_of_two_releases_applies_to_newer_ones(bin_dir, tmp_path):
    make_model(tmp_path)
    text = "vllm serve ./tiny --max-model-len 200k -tp 3 -pp 33 -q awq"
    rules = {"max_model_len_within_model", "attention_heads_divide_by_tp", "layers_fill_pp",
             "quantization_matches_model"}
    for release in ("0.32.0", "0.33.0", "0.34.0"):
        assert {one["rule"] for one in errors(check(bin_dir, tmp_path, text, "--vllm-version", release))} == rules


def test_a_folder_that_is_absent_is_not_downloaded(bin_dir, tmp_path):
    [told] = [one for one in warnings(check(bin_dir, tmp_path, f"vllm serve {tmp_path}/absent"))
              if one["rule"] == "model_not_found"]
    assert "download" not in told["expected"]


def test_rules_name_the_line_of_a_config_file(bin_dir, tmp_path):
    (tmp_path / "c.yaml").write_text("max-num-seqs: 3000\n\nmax-num-batched-tokens: 8\n")
    [fault] = errors(check(bin_dir, tmp_path, "vllm serve m --config c.yaml"))
    assert fault["rule"] == "budget_ge_seqs"
    assert (fault["source"], fault["line"], fault["col"]) == ("c.yaml", 3, 1)
