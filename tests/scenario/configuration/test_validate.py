"""`profllm validate` reports all faults of a file at once, before anything starts."""
import json

import pytest

from validate_tools import errors, make_model, profllm, reports, warnings


def write(folder, text, name="e.yaml"):
    (folder / name).write_text(text)
    return name


def check(bin_dir, folder, text, *args, **kwargs):
    name = write(folder, text)
    [report] = reports(profllm(bin_dir, folder, "validate", "--json", *args, name, **kwargs))
    return report


# text of a file -> (line, column, key, rule, nearest) of its one error
BAD = {
    "unknown argument": ("server: {model: m, tensor_paralel_size: 2}\n",
                         (1, 20, "server.tensor_paralel_size", None, "tensor_parallel_size")),
    "wrong choice": ("server:\n  dtype: float17\n", (2, 10, "server.dtype", None, "float16")),
    "wrong type": ("server:\n  seed: many\n", (2, 9, "server.seed", None, None)),
    "below its bound": ("server:\n  tensor_parallel_size: 0\n",
                        (2, 25, "server.tensor_parallel_size", None, None)),
    "above its bound": ("server:\n  gpu_memory_utilization: 1.5\n",
                        (2, 27, "server.gpu_memory_utilization", None, None)),
    "unknown key of an object": ("server:\n  compilation_config:\n    modus: 3\n",
                                 (3, 5, "server.compilation_config.modus", None, "mode")),
    "unknown section": ("sever: {}\n", (1, 1, "sever", None, "server")),
    "unknown launch key": ("launch: {prot: 8000}\n", (1, 10, "launch.prot", None, "port")),
    "unknown benchmark option": ("benchmark: {num_promts: 4}\n",
                                 (1, 13, "benchmark.num_promts", None, "num_prompts")),
    "headless server": ("server: {headless: true}\n", (1, 20, "server.headless", None, None)),
    "broken rule": ("server:\n  enable_auto_tool_choice: true\n",
                    (2, 28, "server.enable_auto_tool_choice", "auto_tool_needs_parser", None)),
    "rule of a key in an object": (
        "server:\n  attention_backend: FLASH_ATTN\n"
        "  attention_config: {backend: FLASH_ATTN}\n",
        (2, 22, "server.attention_backend", "attention_backend_once", None)),
    "more GPUs than are listed": (
        "server: {tensor_parallel_size: 4}\nlaunch: {gpus: [0, 1]}\n",
        (1, 32, "server.tensor_parallel_size", "world_fits_gpus", None)),
    "unreadable release": ("launch: {vllm_version: newest}\n",
                           (1, 24, "launch.vllm_version", None, None)),
    "missing --config file": ("server: {config: absent.yaml}\n",
                              (1, 18, "server.config", None, None)),
    "no YAML": ("server: {model: m\n", (2, 1, "", None, None)),
}


@pytest.mark.parametrize("text, expected", BAD.values(), ids=BAD.keys())
def test_a_fault_is_reported_with_its_location(bin_dir, tmp_path, text, expected):
    report = check(bin_dir, tmp_path, text)
    assert report["file"] == "e.yaml" and not report["ok"]
    [fault] = errors(report)
    place = tuple(fault[key] for key in ("line", "col", "key", "rule", "nearest"))
    assert place == expected
    assert fault["found"]
    done = profllm(bin_dir, tmp_path, "validate", "e.yaml")
    assert done.returncode == 2
    line, column, key = expected[:3]
    [told] = [one for one in done.stdout.splitlines() if one.startswith("e.yaml:")]
    assert told.startswith(f"e.yaml:{line}:{column}: {key}: " if key else f"e.yaml:{line}:{column}: ")


LAUNCH = "server: {model: m}\nlaunch:\n  gpus: []\n"
LOAD = "server: {model: m}\nlaunch: {gpus: []}\nbenchmark:\n"
# text -> line, column, key and a part of what is said
PLACED = {
    "nothing": ("", 1, 1, None, "nothing to run"),
    "an empty mapping": ("launch: {}\n", 1, 1, None, "nothing to run"),
    "a variable without a name": (LAUNCH + "  env: {'': 1}\n", 4, 9, "launch.env.", "the name ''"),
    "a variable with '='": (LAUNCH + "  env: {C: 1, A=B: 2}\n", 4, 15, "launch.env.A=B", "'A=B'"),
    "a prompt of nothing": (LOAD + "  random_input_len: 0\n", 4, 21,
                            "benchmark.random_input_len", "one token"),
    "a header of two lines": (LOAD + '  header: {a: "b\\r\\nc"}\n', 4, 11,
                              "benchmark.header", "a line break"),
    "another back end's path": (LOAD + "  endpoint: /v1/chat\n", 4, 13,
                                "benchmark.endpoint", "'completions'"),
    "two servers": (LAUNCH + "  url: http://h:1\n  command: [vllm, serve]\n", 4, 8,
                    "launch.url", "a running server"),
    "two servers, by the load": (LAUNCH + "  command: [vllm, serve]\nbenchmark: {base_url: 'http://h'}\n",
                                 5, 23, "benchmark.base_url", "a running server"),
    "a user in a URL": (LAUNCH + "  url: http://u:s3cret@h:1\n", 4, 8, "launch.url", "no user"),
    "a user in the load's URL": (LOAD + "  base_url: http://u:s3cret@h:1\n", 4, 13,
                                 "benchmark.base_url", "no user"),
    "a port beyond all": (LAUNCH + "  url: http://h:70000\n", 4, 8, "launch.url", "HOST:PORT"),
    "a name like a flag": ("server: {model: m, served_model_name: [a, '-b']}\nlaunch: {gpus: []}\n",
                           1, 43, "server.served_model_name[1]", "do not begin with '-'"),
    "an infinite number": ("server: {model: m, hf_overrides: {a: [1, 1e400]}}\nlaunch: {gpus: []}\n",
                           1, 42, "server.hf_overrides.a[1]", "a finite number"),
    "an infinite number in JSON": (
        "server: {model: m, hf_overrides: '{\"a\": 1e400}'}\nlaunch: {gpus: []}\n", 1, 34,
        "server.hf_overrides", "not finite"),
    "no model's name": ("server: {model: ''}\nlaunch: {gpus: []}\n", 1, 17, "server.model", "empty"),
    "a dotted key too deep": (
        "server:\n  model: m\n  compilation_config.mode.x: 3\nlaunch: {gpus: []}\n", 3, 3,
        "server.compilation_config.mode", "a mapping"),
    "a dotted key of too many parts": (
        "server:\n  model: m\n  hf_overrides." + ".".join("a" * 17) + ": 3\nlaunch: {gpus: []}\n", 3, 3,
        "server.hf_overrides." + ".".join("a" * 17), "a key with fewer levels"),
    "a key that must be there": ("server: {model: m, watermark_config: {}}\nlaunch: {gpus: []}\n",
                                 1, 38, "server.watermark_config.key", "nothing"),
    "an abbreviated flag": (LAUNCH + "  extra_args:\n    - --seed=1\n    - --por\n    - '1'\n", 6, 7,
                            "launch.extra_args", "server.port"),
    "an abbreviated secret": (LAUNCH + "  extra_args: [--seed, '1',\n    --api-k, s3cret]\n", 5, 5,
                              "launch.extra_args", "a secret"),
    "a word of the command": (LAUNCH + "  command: [vllm, serve,\n    --host=h]\n", 5, 5,
                              "launch.command", "server.host"),
}


@pytest.mark.parametrize("text, line, col, key, said", PLACED.values(), ids=PLACED.keys())
def test_faults_of_combinations_have_a_location(bin_dir, tmp_path, text, line, col, key, said):
    report = check(bin_dir, tmp_path, text)
    [fault] = errors(report)
    assert (fault["line"], fault["col"], fault["key"]) == (line, col, key)
    assert said in f"{fault['found']} {fault['expected']}"
    assert "s3cret" not in json.dumps(report)


def test_placeholders_of_secrets_cause_a_warning(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "server: {model: m, api_key: ['***']}\n"
                   "launch:\n  gpus: []\n  env: {HF_TOKEN: '***', OTHER: '***'}\n")
    told = [(one["line"], one["col"], one["key"]) for one in warnings(report) if one["rule"] is None]
    assert report["ok"] and told == [(1, 29, "server.api_key"), (4, 9, "launch.env.HF_TOKEN")]


def test_required_keys_may_be_set_separately(bin_dir, tmp_path):
    text = "server:\n  model: m\n  watermark_config.key: 3\n  watermark_config.context_width: 2\n"
    found = [one["found"] for one in errors(check(bin_dir, tmp_path, text))]
    assert "nothing" not in found


GOOD = {
    "a model": "server: {model: m}\n",
    "both spellings": "server: {model: m, max-model-len: 32k, max_num_seqs: 64}\n",
    "JSON": '{"server": {"model": "m", "seed": 1}}\n',
    "an object as text": "server: {compilation_config: '{\"mode\": 3}'}\n",
    "dotted keys": "server: {compilation_config.mode: 3}\n",
    "a negative flag": "server: {no_enable_prefix_caching: true}\n",
    "a rule kept": "server: {enable_auto_tool_choice: true, tool_call_parser: hermes}\n",
    "asynchronous with drafting": "server:\n  async_scheduling: true\n"
        "  speculative_config: {method: eagle, model: d, num_speculative_tokens: 2}\n"
        "launch: {vllm_version: 0.32.0}\n",
    "asynchronous with pipelines": "server: {async_scheduling: true, pipeline_parallel_size: 2}\n"
        "launch: {vllm_version: 0.32.0}\n",
    "blocks of 64 on CUDA": "server: {block_size: 64}\n"
        "launch: {vllm_version: 0.32.0, platform: cuda}\n",
    "no GPUs: nothing is known of them":
        "server: {tensor_parallel_size: 16}\nlaunch: {gpus: []}\n",
    "a server that runs": "server: {tensor_parallel_size: 16}\n"
        "launch: {url: 'http://127.0.0.1:1', gpus: [0]}\n",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_a_good_file_passes(bin_dir, tmp_path, text):
    report = check(bin_dir, tmp_path, text)
    assert report["ok"] and errors(report) == []
    assert {one["rule"] for one in warnings(report)} <= {"model_not_found"}


def test_all_problems_are_reported_at_once_errors_before_warnings(bin_dir, tmp_path):
    write(tmp_path, "server:\n  task: embed\n  dtype: float17\n  nothing_such: 1\n"
          "  enable_auto_tool_choice: true\nlaunch: {prot: 1}\n")
    done = profllm(bin_dir, tmp_path, "validate", "e.yaml")
    *lines, tally = done.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "e.yaml:3:10", "e.yaml:4:3", "e.yaml:5:28", "e.yaml:6:10", "warning"]
    assert tally == "1 file, 4 errors, 1 warning"
    assert done.returncode == 2 and done.stderr == ""


def test_several_files_in_one_go(bin_dir, tmp_path):
    write(tmp_path, "server: {seed: x}\n", "a.yaml")
    write(tmp_path, "server: {seed: 1}\n", "b.yaml")
    write(tmp_path, "sever: {}\n", "c.yaml")
    names = ["a.yaml", "b.yaml", "c.yaml", "absent.yaml"]
    done = profllm(bin_dir, tmp_path, "validate", *names)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == "4 files, 3 errors, 0 warnings"
    assert "absent.yaml: could not open 'absent.yaml': No such file" in done.stdout
    files = reports(profllm(bin_dir, tmp_path, "validate", "--json", *names))
    assert [one["file"] for one in files] == names
    assert [one["ok"] for one in files] == [False, True, False, False]
    assert files[3]["target"] is None


def test_refused_lines_break_no_rules(bin_dir, tmp_path):
    """A request for an unknown parser is one problem, not two."""
    report = check(bin_dir, tmp_path, "server:\n  enable_auto_tool_choice: true\n"
                   "  tool_call_parser: [a, b]\n")
    assert [one["key"] for one in errors(report)] == ["server.tool_call_parser"]
    report = check(bin_dir, tmp_path, "server:\n  enable_auto_tool_choice: true\n"
                   "  tool_cal_parser: hermes\n")
    assert [one["nearest"] for one in errors(report)] == ["tool_call_parser"]


def test_the_json_form(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "server: {dtype: float17}\n")
    assert list(report) == ["file", "ok", "target", "problems", "memory"]
    assert report["target"] == {"version": "0.33.0", "assumed": True}
    [fault] = report["problems"]
    assert {"severity", "line", "col", "key", "rule", "found", "expected", "nearest"} <= set(fault)
    assert fault["found"] == "text 'float17'" and "bfloat16" in fault["expected"]


def test_the_release_decides_what_is_removed(bin_dir, tmp_path):
    text = "server: {task: embed}\n"
    assumed = check(bin_dir, tmp_path, text)
    assert assumed["ok"] and [one["key"] for one in warnings(assumed)] == ["server.task"]
    known = check(bin_dir, tmp_path, text, "--vllm-version", "0.32.0")
    assert known["target"] == {"version": "0.32.0", "assumed": False}
    assert [one["key"] for one in errors(known)] == ["server.task"]
    for option in ("--allow-removed", "--allow-gone"):  # the present name, and a former one
        allowed = check(bin_dir, tmp_path, text, "--vllm-version", "0.32.0", option)
        assert allowed["ok"] and [one["key"] for one in warnings(allowed)] == ["server.task"]
    older = check(bin_dir, tmp_path, text + "launch: {vllm_version: 0.9.0}\n")
    assert older["ok"] and older["problems"] == []
    assert older["target"] == {"version": "0.9.0", "assumed": False}
    wins = check(bin_dir, tmp_path, text + "launch: {vllm_version: 0.9.0}\n",
                 "--vllm-version", "0.32.0")
    assert not wins["ok"] and wins["target"]["version"] == "0.32.0"


def test_another_release_has_other_keys_in_its_objects(bin_dir, tmp_path):
    text = "server: {compilation_config: {level: 3}}\n"
    assert not check(bin_dir, tmp_path, text)["ok"]
    report = check(bin_dir, tmp_path, text, "--vllm-version", "0.10.0")
    assert report["ok"]
    assert warnings(report) == []
    report = check(bin_dir, tmp_path, text.replace("level", "levl"), "--vllm-version", "0.10.0")
    assert report["ok"]
    assert [one["key"] for one in warnings(report)] == ["server.compilation_config.levl"]
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version",
                               "0.10.0", "-", stdin=text))
    assert report["ok"] and report["target"] == {"version": "0.10.0", "assumed": False}


def test_a_choice_that_only_older_releases_take(bin_dir, tmp_path):
    text = "server: {convert: reward}\n"
    assert [one["key"] for one in warnings(check(bin_dir, tmp_path, text))] == ["server.convert"]
    assert not check(bin_dir, tmp_path, text, "--vllm-version", "0.32.0")["ok"]
    assert check(bin_dir, tmp_path, text, "--vllm-version", "0.11.0")["problems"] == []


def test_rules_are_those_of_the_release(bin_dir, tmp_path):
    text = "server:\n  async_scheduling: true\n  pipeline_parallel_size: 2\n"
    old = check(bin_dir, tmp_path, text, "--vllm-version", "0.11.0")
    assert [one["rule"] for one in errors(old)] == ["async_no_pp"]
    assert check(bin_dir, tmp_path, text, "--vllm-version", "0.32.0")["ok"]
    text = "server: {enable_auto_tool_choice: true}\n"
    newer = check(bin_dir, tmp_path, text, "--vllm-version", "0.99.0")
    assert [one["rule"] for one in errors(newer)] == ["auto_tool_needs_parser"]
    # new in the reference: a newer release may have dropped it
    text = "server: {enable_elastic_ep: true, data_parallel_hybrid_lb: true, data_parallel_size: 2}\n"
    newer = check(bin_dir, tmp_path, text, "--vllm-version", "0.99.0")
    assert "elastic_ep_hybrid_lb" in [one["rule"] for one in warnings(newer)]


NEWER = "vLLM {} is newer than 0.33.0, the newest known release; its changes are not checked"


def announcements(report):
    return [one for one in report["problems"] if one["reason"] == "newer_release"]


@pytest.mark.parametrize("release,newer", [
    ("0.33.0", False), ("0.33.0rc1", False), ("0.33.0+cu129", False), ("0.32.1", False), ("0.1.dev7+gabc", False),
    ("0.33.1", True), ("0.33.1.dev3+gabc", True), ("v0.34.0", True), ("1.0", True)])
def test_a_release_newer_than_the_reference_is_announced_once(bin_dir, tmp_path, release, newer):
    # many arguments and a list of files: one announcement per file
    text = ("server: {max_num_seqs: 8, enable_expert_parallel: true, task: generate}\n"
            f"launch: {{vllm_version: '{release}'}}\n")
    report = check(bin_dir, tmp_path, text)
    assert [(one["severity"], one["key"], one["expected"]) for one in announcements(report)] == \
        [("warning", "launch.vllm_version", NEWER.format(release))] * newer
    (tmp_path / "one.yaml").write_text(text)
    done = profllm(bin_dir, tmp_path, "validate", "one.yaml")
    assert (done.stdout + done.stderr).count("is newer than") == newer


def test_a_newer_release_of_an_option_is_announced_once(bin_dir, tmp_path):
    (tmp_path / "one.yaml").write_text("server: {max_num_seqs: 8}\n")
    for words in (["--vllm-version", "0.34.0", "one.yaml"], ["--upgrade-to", "0.34.0", "one.yaml"],
                  ["--vllm-version", "0.34.0", "--", "vllm", "serve", "m/x"]):
        done = profllm(bin_dir, tmp_path, "validate", *words)
        assert (done.stdout + done.stderr).count(NEWER.format("0.34.0")) == 1, done.stdout + done.stderr
        assert "are not known" not in done.stderr


def make_installed(tmp_path, release):
    """Makes an installed vLLM that reports its release."""
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / f"lib/python3.12/site-packages/vllm-{release}+cu129.dist-info").mkdir(parents=True)
    for name, text in (("python3", "#!/bin/sh\ntouch ran\n"),
                       ("vllm", f"#!{venv}/bin/python3\nimport sys\n")):
        (venv / "bin" / name).write_text(text)
        (venv / "bin" / name).chmod(0o755)
    return venv


def test_the_installed_release_applies_to_standard_input_too(bin_dir, tmp_path):
    """The installed release applies to standard input, too."""
    venv = make_installed(tmp_path, "0.10.1")
    text = (f"server: {{prefix_caching_hash_algo: builtin, compilation_config: {{no_such_key: 1}}}}\n"
            f"launch: {{command: [{venv}/bin/python3, -m, vllm.entrypoints.openai.api_server]}}\n")
    (tmp_path / "e.yaml").write_text(text)
    found = {}
    for name in ("e.yaml", "-"):
        [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", name, stdin=text))
        assert report["target"] == {"version": "0.10.1", "assumed": False}
        found[name] = [(one["severity"], one["key"], one["line"]) for one in report["problems"]]
    assert found["-"] == found["e.yaml"] == [("warning", "server.compilation_config.no_such_key", 1)]


def test_the_installed_release_is_read_and_never_run(bin_dir, tmp_path):
    venv = make_installed(tmp_path, "0.10.0")
    report = check(bin_dir, tmp_path, "server: {task: embed}\n",
                   env={"PATH": f"{venv}/bin:/usr/bin:/bin"})
    assert report["target"] == {"version": "0.10.0", "assumed": False}
    assert report["problems"] == []
    assert not (tmp_path / "ran").exists()


def test_strict_makes_warnings_errors(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "server: {task: embed}\n", "--strict")
    assert not report["ok"] and warnings(report) == []


def test_a_hardware_profile_replaces_the_host(bin_dir, tmp_path):
    text = "server: {tensor_parallel_size: 16}\n"
    assert check(bin_dir, tmp_path, text)["ok"]
    [fault] = errors(check(bin_dir, tmp_path, text, "--hardware", "h100x8"))
    assert fault["rule"] == "world_fits_gpus" and "gpus 8" in fault["found"]
    assert check(bin_dir, tmp_path, text, "--hardware", "h100x16")["ok"]
    # a profile has GPUs; the file says that the server gets none of them
    assert check(bin_dir, tmp_path, text + "launch: {gpus: []}\n", "--hardware", "h100x8")["ok"]
    done = profllm(bin_dir, tmp_path, "validate", "--hardware", "list")
    assert done.returncode == 0 and "h100" in done.stdout
    done = profllm(bin_dir, tmp_path, "validate", "--hardware", "list", "--json")
    assert "h100" in [one["name"] for one in json.loads(done.stdout)]


def test_sets_are_laid_over_the_file(bin_dir, tmp_path):
    [fault] = errors(check(bin_dir, tmp_path, "server: {seed: 1}\n", "--set", "server.dtype=x"))
    assert fault["key"] == "server.dtype" and fault["source"] == "--set" and fault["line"] is None
    [fault] = errors(check(bin_dir, tmp_path, "server: {seed: 1}\n", "--set",
                           "server.enable_auto_tool_choice=true"))
    assert fault["rule"] == "auto_tool_needs_parser" and fault["source"] == "--set"


def test_a_model_in_a_folder_is_looked_at(bin_dir, tmp_path):
    make_model(tmp_path)
    text = "server:\n  model: tiny\n  max_model_len: 100000\n  tensor_parallel_size: 4\n"
    report = check(bin_dir, tmp_path, text)
    assert {(one["rule"], one["line"]) for one in errors(report)} == {
        ("max_model_len_within_model", 3), ("attention_heads_divide_by_tp", 4)}


def test_explain_shows_where_the_memory_goes(bin_dir, tmp_path):
    make_model(tmp_path)
    write(tmp_path, "server: {model: tiny, max_model_len: 2048}\n")
    done = profllm(bin_dir, tmp_path, "validate", "--explain", "--hardware", "h100x1", "e.yaml")
    assert done.returncode == 0
    for term in ("weights", "activations", "KV cache per token", "1024", "concurrent requests"):
        assert term in done.stdout
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--explain", "--json",
                               "--available-memory", str(2048 * 1024 * 3), "e.yaml"))
    memory = report["memory"]
    assert memory["kv_bytes_per_token"] == 1024 and memory["max_concurrency"] == 3
    assert memory["kv_tokens"] == 3 * 2048
    assert {"weights_bytes", "activation_bytes", "graph_bytes", "kv_cache_bytes"} <= set(memory)


def test_usage(bin_dir, tmp_path):
    for args, text in (((), "nothing to validate"),
                       (("--hardware", "h1000", "e.yaml"), "--hardware"),
                       (("--vllm-version", "new", "e.yaml"), "--vllm-version"),
                       (("--available-memory", "much", "e.yaml"), "--available-memory"),
                       (("--nothing", "e.yaml"), "--nothing")):
        done = profllm(bin_dir, tmp_path, "validate", *args)
        assert done.returncode == 2 and text in done.stderr and done.stdout == ""
    done = profllm(bin_dir, tmp_path, "validate", "--help")
    assert done.returncode == 0 and "--explain" in done.stdout


def test_no_colours_in_a_pipe(bin_dir, tmp_path):
    write(tmp_path, "server: {seed: x, task: embed}\n")
    assert "\033" not in profllm(bin_dir, tmp_path, "validate", "e.yaml").stdout


def test_standard_input_may_be_a_file(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "-", stdin="server:\n  seed: x\n")
    assert done.returncode == 2
    assert done.stdout.startswith("standard input:2:9: server.seed: ")
