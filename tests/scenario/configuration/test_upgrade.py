"""The report on an upgrade of vLLM: removed arguments and their replacements, for files, command lines and two releases."""
import json
import re
import shlex

import pytest
import yaml

from validate_tools import errors, profllm, reports, warnings

REFERENCE = "0.33.0"


def setting(key, *value):
    return {"key": f"server.{key}", **({"value": value[0]} if value else {})}


NOTHING = None  # nothing is known to replace it
# no argument since 0.17.0, and since 0.33.0 another spelling of no_enable_log_requests
SPELLING = "disable_log_requests"

# file -> key that must change -> what replaced it
FILES = {
    "chat-0.6.3.yaml": {
        "use_v2_block_manager": [],
        "num_scheduler_steps": NOTHING,
        "multi_step_stream_outputs": NOTHING,
        "swap_space": NOTHING,
        "max_seq_len_to_capture": NOTHING,
    },
    "speculative-0.6.3.yaml": {
        "speculative_model": [setting("speculative_config.model", "meta-llama/Llama-3.2-1B-Instruct")],
        "num_speculative_tokens": [setting("speculative_config.num_speculative_tokens", 5)],
        "speculative_draft_tensor_parallel_size": [setting("speculative_config.draft_tensor_parallel_size", 1)],
        "speculative_max_model_len": [setting("speculative_config.max_model_len", 4096)],
        "spec_decoding_acceptance_method": NOTHING,  # its replacement went with 0.10.0
        "speculative_disable_mqa_scorer": NOTHING,
    },
    "long-context-0.6.3.yaml": {
        "worker_use_ray": [setting("distributed_executor_backend", "ray")],
        "rope_theta": [setting("hf_overrides.rope_theta", 1000000.0)],
        "rope_scaling": [setting("hf_overrides.rope_scaling", {"type": "dynamic", "factor": 2.0})],
        "max_context_len_to_capture": NOTHING,
        "scheduler_delay_factor": NOTHING,
        "preemption_mode": NOTHING,
        "tokenizer_pool_size": NOTHING,
    },
    "adapters-0.6.3.yaml": {
        "lora_extra_vocab_size": NOTHING,
        "enable_prompt_adapter": NOTHING,
        "max_prompt_adapters": NOTHING,
        "quantization_param_path": NOTHING,
        "num_lookahead_slots": NOTHING,
    },
    "embed-0.8.5.yaml": {
        "task": [setting("runner", "pooling"), setting("convert", "embed")],
        "override_pooler_config": [setting("pooler_config.pooling_type", "CLS"),
                                   setting("pooler_config.use_activation", True)],
    },
    "reasoning-0.8.5.yaml": {
        "enable_reasoning": [],  # a parser is named
        "guided_decoding_backend": [setting("structured_outputs_config.backend", "xgrammar")],
        "disable_mm_preprocessor_cache": [setting("mm_processor_cache_gb", 0)],
        "calculate_kv_scales": NOTHING,
    },
    "compiled-0.8.5.yaml": {
        "compilation_config.level": [setting("compilation_config.mode", 3)],
        "compilation_config.use_cudagraph": [],
        "compilation_config.use_inductor": [setting("compilation_config.backend", "eager")],
        "num_scheduler_steps": NOTHING,
        "device": NOTHING,
    },
    "graphs-0.10.1.yaml": {
        "compilation_config.level": [setting("compilation_config.mode", 3)],
        "compilation_config.full_cuda_graph": [setting("compilation_config.cudagraph_mode", "FULL")],
        "compilation_config.pass_config.enable_fusion": [
            setting("compilation_config.pass_config.fuse_norm_quant", True),
            setting("compilation_config.pass_config.fuse_act_quant", True)],
        "compilation_config.pass_config.enable_noop": [setting("compilation_config.pass_config.eliminate_noops", True)],
        "cuda_graph_sizes": [setting("cudagraph_capture_sizes", [1, 2, 4, 8])],
        "prefix_caching_hash_algo": [setting("prefix_caching_hash_algo", "sha256")],
    },
    "experts-0.10.1.yaml": {
        "num_redundant_experts": [setting("eplb_config.num_redundant_experts", 8)],
        "eplb_window_size": [setting("eplb_config.window_size", 1000)],
        "eplb_step_interval": [setting("eplb_config.step_interval", 3000)],
        "enable_multimodal_encoder_data_parallel": [setting("mm_encoder_tp_mode", "data")],
        "convert": [setting("convert", "embed")],
    },
    "plain-0.10.1.yaml": {},
}


@pytest.fixture(scope="module")
def folder(source_dir):
    return source_dir / "tests/scenario/data/upgrade"


@pytest.fixture(scope="module")
def upgraded(bin_dir, folder, tmp_path_factory):
    """Returns each file's report for the newest release, from one start of the program."""
    done = profllm(bin_dir, tmp_path_factory.mktemp("upgrade"), "validate", "--json", "--upgrade-to", REFERENCE,
                   *[folder / name for name in FILES])
    assert done.returncode == 2
    return {name: report for name, report in zip(FILES, reports(done))}


def of_releases(report):
    """Returns {key: replaced_by} of the keys that the new release lacks."""
    return {one["key"].removeprefix("server."): one["replaced_by"]
            for one in errors(report) if "no longer has" in (one["found"] or "")}


def test_every_fixture_is_asked(folder):
    assert {path.name for path in folder.iterdir()} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_gets_its_necessary_changes(upgraded, name):
    report = upgraded[name]
    assert of_releases(report) == FILES[name]
    assert report["ok"] == (not FILES[name])
    assert report["upgrade"]["from"] == {"version": name.split("-")[-1].removesuffix(".yaml"), "assumed": False}
    assert report["upgrade"]["to"] == REFERENCE and report["target"]["version"] == REFERENCE


@pytest.mark.parametrize("name", FILES)
def test_a_change_applies_at_its_location(upgraded, folder, name):
    lines = (folder / name).read_text().splitlines()
    for one in errors(upgraded[name]):
        last = one["key"].split(".")[-1]
        assert re.match(rf"\s*{last}:", lines[one["line"] - 1]), one


def test_replacements_are_described_in_words(bin_dir, folder, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--upgrade-to", REFERENCE, folder / "embed-0.8.5.yaml",
                   folder / "plain-0.10.1.yaml")
    assert done.returncode == 2
    assert "embed-0.8.5.yaml: from vLLM 0.8.5 to 0.33.0" in done.stdout
    assert ("embed-0.8.5.yaml:4:9: server.task: found an argument that vLLM 0.33.0 no longer has, "
            "expected 'runner: pooling' and 'convert: embed'") in done.stdout
    assert "  changed defaults of arguments that are not set:\n    gpu_memory_utilization  0.9 -> 0.92\n" in done.stdout
    assert "(--json shows all)" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("2 files, 2 errors, ")


def test_a_file_that_is_right_as_it_is(bin_dir, folder, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--upgrade-to", REFERENCE, folder / "plain-0.10.1.yaml")
    assert done.returncode == 0
    assert "gpu_memory_utilization  0.9 -> 0.92" in done.stdout


def test_reported_replacements_can_be_set(bin_dir, folder, tmp_path):
    """A file without its removed keys is valid in the new release with every replacement as a --set."""
    for name, changes in FILES.items():
        document = yaml.safe_load((folder / name).read_text())
        for key in changes:
            *path, last = key.split(".")
            holder = document["server"]
            for part in path:
                holder = holder[part]
            del holder[last]
        (tmp_path / name).write_text(yaml.safe_dump(document))
        sets = [f"--set={one['key']}={json.dumps(one['value'])}" for by in changes.values() for one in by or []]
        [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", REFERENCE, *sets, name))
        assert errors(report) == [], name


# ---- against the history itself --------------------------------------------------------------

def release(text):
    return tuple(int(part or 0) for part in re.match(r"(\d+)\.(\d+)\.(\d+)(?:\.post(\d+))?$", text).groups())


def range_of(entry, version):
    """Returns the range that applies to a release; None: the release lacks it."""
    for one in entry["ranges"]:
        if release(one["since"]) <= release(version) and (
                one["until"] is None or release(version) < release(one["until"])):
            return one
    return None


@pytest.fixture(scope="module")
def history(test_data_dir):
    return json.loads((test_data_dir / "spec/0.33.0/engine-args-history.json").read_text())


def keys_of(history, argument):
    """Returns {path: entry} of the keys of an argument."""
    keys = dict(history["config_keys"].get(argument, {}))
    keys.update({f"pass_config.{name}": entry
                 for name, entry in history["config_keys"].get(f"{argument}.pass_config", {}).items()})
    return keys


def leaves(value, path=""):
    if not isinstance(value, dict):
        return [path]
    return [leaf for name, inner in value.items() for leaf in leaves(inner, f"{path}.{name}".lstrip("."))]


def test_files_change_where_the_history_says_so(upgraded, folder, history):
    for name, report in upgraded.items():
        server = yaml.safe_load((folder / name).read_text())["server"]
        gone = set()
        for argument, value in server.items():
            now = range_of(history["args"][argument], REFERENCE)
            if now is None:
                gone |= {argument} - {SPELLING}
                continue
            if now.get("choices") and not now.get("choices_open") and value not in now["choices"]:
                gone.add(argument)
            keys = keys_of(history, argument)
            gone |= {f"{argument}.{path}" for path in leaves(value)
                     if path in keys and range_of(keys[path], REFERENCE) is None}
        assert set(of_releases(report)) == gone, name


def default_of(one):
    value = one["default"]
    return value["expr"] if isinstance(value, dict) and "expr" in value else value


def test_defaults_change_as_the_history_says(upgraded, folder, history):
    for name, report in upgraded.items():
        old = report["upgrade"]["from"]["version"]
        server = yaml.safe_load((folder / name).read_text())["server"]
        wanted = {}
        for argument, entry in history["args"].items():
            was, now = range_of(entry, old), range_of(entry, REFERENCE)
            if was and now and argument not in server and default_of(was) != default_of(now):
                wanted[f"server.{argument}"] = (default_of(was), default_of(now))
        told = {one["key"]: (one["old"], one["new"]) for one in report["upgrade"]["defaults"]
                if one["key"].count(".") == 1}
        assert told == wanted, name


def choices_of(one):
    return set(one["choices"]) if one.get("choices") else None


PAIRS = [("0.4.0", REFERENCE), ("0.6.3", "0.8.5"), ("0.8.5", "0.10.1"), ("0.10.1", "0.11.0"), ("0.31.0", REFERENCE)]


@pytest.mark.parametrize("since, until", PAIRS)
def test_two_releases_differ_as_the_history_says(bin_dir, tmp_path, history, since, until):
    done = profllm(bin_dir, tmp_path, "params", "--since", since, "--until", until, "--json")
    assert done.returncode == 0 and done.stderr == ""
    diff = json.loads(done.stdout)
    assert (diff["since"], diff["until"]) == (since, until)
    was = {name for name, entry in history["args"].items() if range_of(entry, since)}
    now = {name for name, entry in history["args"].items() if range_of(entry, until)}
    assert {one["name"] for one in diff["new"]} == now - was
    assert {one["name"] for one in diff["removed"]} == was - now
    for one in diff["removed"]:
        entry = history["args"][one["name"]]
        assert one["removed_in"] == entry["ranges"][-1]["until"] and (one.get("note") is None) == (entry.get("note") is None)
    told = {(one["name"], change["key"]): (change["old"], change["new"])
            for one in diff["changed"] for change in one["changes"]}
    assert {name for name, _ in told} <= was & now
    for name in was & now:
        old, new = range_of(history["args"][name], since), range_of(history["args"][name], until)
        for key, value in (("default", default_of), ("choices", choices_of), ("flag", lambda one: one["flag"])):
            if value(old) == value(new):
                assert (name, key) not in told
                continue
            told_old, told_new = [set(one) if key == "choices" and one else one for one in told[name, key]]
            assert told_old == value(old)
            # where the newest parser checks no names, the known ones are listed here
            assert told_new == value(new) or (key == "choices" and (value(new) is None or new.get("choices_open")))
    keys = {f"{argument}.{path}": entry for argument in history["config_keys"] if argument in was & now
            for path, entry in keys_of(history, argument).items()}
    assert {one["name"] for one in diff["keys"]["new"]} == {
        key for key, entry in keys.items() if range_of(entry, until) and not range_of(entry, since)}
    assert {one["name"] for one in diff["keys"]["removed"]} == {
        key for key, entry in keys.items() if range_of(entry, since) and not range_of(entry, until)}


def value_for(entry):
    """Returns a value that the last release with it accepted."""
    last = entry["ranges"][-1]
    choices = [one for ranges in reversed(entry["ranges"]) for one in ranges.get("choices") or []]
    if choices:
        return choices[0]
    return {"bool": True, "int": 1, "float": 1.5, "string": "x", "json": {"a": 1}, "list<int>": [1],
            "list<float>": [1.5], "list<string>": ["x"]}[last.get("type", "bool")]


def test_every_replacement_of_the_history_is_worded(bin_dir, tmp_path, history):
    """Checks all removed arguments in one file."""
    gone = {name: entry for name, entry in history["args"].items() if not entry["in_reference"] and name != SPELLING}
    server = {name: value_for(entry) for name, entry in gone.items() if name != "override_pooler_config"}
    keys = {}
    for argument in history["config_keys"]:
        if "." in argument or argument == "override_pooler_config":
            continue
        for path, entry in keys_of(history, argument).items():
            if entry["ranges"][-1]["until"] is not None:
                keys[f"{argument}.{path}"] = entry
                holder = server.setdefault(argument, {})
                for part in path.split(".")[:-1]:
                    holder = holder.setdefault(part, {})
                holder[path.split(".")[-1]] = value_for(entry)
    (tmp_path / "e.yaml").write_text(yaml.safe_dump({"server": server}))
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--upgrade-to", REFERENCE, "e.yaml"))
    told = of_releases(report)
    assert set(told) == set(server) - set(history["config_keys"]) | set(keys) | {"task"}
    sentences = {one["key"].removeprefix("server."): one["expected"] for one in errors(report)}
    for name, entry in {**gone, **keys}.items():
        if name == "override_pooler_config" or not entry.get("replaced_by"):
            continue
        names = [part.strip() for part in entry["replaced_by"].split(",")]
        there = [range_of(history["args"].get(part.split(".")[0]), REFERENCE) and all(
            range_of(keys_of(history, part.split(".")[0])[rest], REFERENCE)
            for rest in [part.partition(".")[2]] if rest in keys_of(history, part.split(".")[0])) for part in names]
        if all(there) and told[name] != []:
            assert {one["key"] for one in told[name]} <= {f"server.{part}" for part in names}, name
            assert told[name][0]["key"].removeprefix("server.") in sentences[name], name
        elif told[name] is None:
            assert f"its replacement '{entry['replaced_by']}' was removed, too" in sentences[name], name


# ---- command lines ---------------------------------------------------------------------------

def test_flags_name_their_replacements_as_flags(bin_dir, tmp_path):
    line = "vllm serve m --task embed --no-disable-log-requests --compilation-config.level 3 --swap-space=4"
    done = profllm(bin_dir, tmp_path, "validate", "--vllm-version", REFERENCE, "--", *shlex.split(line))
    assert done.returncode == 2
    for words in ("--task: found an argument that vLLM 0.33.0 no longer has, expected --runner pooling --convert "
                  "embed",
                  "expected --enable-log-requests",
                  "expected --compilation-config.mode 3",
                  "--swap-space: found an argument that vLLM 0.33.0 no longer has, expected no argument; it has no replacement"):
        assert words in done.stdout, done.stdout
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", REFERENCE, "--",
                               *shlex.split(line)))
    told = {one["key"]: one["replaced_by"] for one in errors(report)}
    assert told["--task"] == FILES["embed-0.8.5.yaml"]["task"] and told["--swap-space"] is None


@pytest.mark.parametrize("release, words", [
    ("0.6.6", "no argument; vLLM does this by default"), ("0.9.0", "--no-disable-mm-preprocessor-cache"),
    ("0.10.0", "--no-disable-mm-preprocessor-cache")])
def test_flags_are_named_as_the_release_has_them(bin_dir, tmp_path, release, words):
    """The proposed flags exist in the release: the parser of 0.6.6 has a switch that only switches on."""
    line = ["vllm", "serve", "m", "--mm-cache-preprocessor"]
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", release, "--", *line))
    [told] = errors(report)
    assert told["expected"] == words
    assert told["replaced_by"] == [setting("disable_mm_preprocessor_cache", False)]


def test_older_names_of_values_that_no_parser_checks(bin_dir, tmp_path):
    text = "server: {quantization: nvfp4, reasoning_parser: glm4_moe}\n"
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", REFERENCE, "-", stdin=text))
    assert errors(report) == []
    assert {one["key"]: one["replaced_by"] for one in warnings(report)} == {
        "server.quantization": [setting("quantization", "modelopt_fp4")],
        "server.reasoning_parser": [setting("reasoning_parser", "glm45")]}
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", "0.8.5", "-",
                               stdin="server: {quantization: nvfp4}\n"))
    assert report["problems"] == []


def test_a_line_is_upgraded_as_a_file_is(bin_dir, tmp_path):
    line = "docker run vllm/vllm-openai:v0.8.5 --model m --task embed -O3"
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--upgrade-to", REFERENCE, "--",
                               *shlex.split(line)))
    assert report["upgrade"]["from"] == {"version": "0.8.5", "assumed": False}
    assert "gpu_memory_utilization" in json.dumps(report["upgrade"]["defaults"])
    assert {"--task"} <= {one["key"] for one in errors(report)}
    # it would be taken, and mean something else
    [other] = [one for one in warnings(report) if one["key"] == "-O3"]
    assert other["found"] == "a flag that sets compilation_config in vLLM 0.8.5, and optimization_level in 0.33.0"
    assert other["replaced_by"] == [setting("compilation_config", {"mode": 3})]
    assert other["expected"] == "--compilation-config '{\"mode\":3}'"
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", "0.10.1", "--upgrade-to",
                               "0.10.2", "--command-file", "-", stdin="vllm serve m --task embed"))
    assert report["ok"] and report["upgrade"]["from"]["version"] == "0.10.1"


RENEWED = {
    "vllm serve m --task embed": {"model": "m", "runner": "pooling", "convert": "embed"},
    "vllm serve m --disable-log-requests": {"model": "m", "enable_log_requests": False},
    "vllm serve m --compilation-config '{\"level\": 3, \"pass_config\": {\"enable_noop\": true}}'":
        {"model": "m", "compilation_config": {"mode": 3, "pass_config": {"eliminate_noops": True}}},
    "vllm serve m --speculative-model d --num-speculative-tokens 5":
        {"model": "m", "speculative_config": {"model": "d", "num_speculative_tokens": 5}},
    "vllm serve m --convert reward": {"model": "m", "convert": "embed"},
    "vllm serve m --reasoning-parser glm4_moe": {"model": "m", "reasoning_parser": "glm45"},
    "vllm serve m --quantization nvfp4": {"model": "m", "quantization": "modelopt_fp4"},
    "vllm serve m --task auto": {"model": "m"},
    "vllm serve m --enable-reasoning --reasoning-parser qwen3": {"model": "m", "reasoning_parser": "qwen3"},
}


@pytest.mark.parametrize("given", [[], ["--vllm-version", REFERENCE]], ids=["assumed", "known"])
@pytest.mark.parametrize("line", RENEWED)
def test_a_command_becomes_a_file_of_today(bin_dir, tmp_path, line, given):
    done = profllm(bin_dir, tmp_path, "config", "from-command", *given, "--command-file", "-", stdin=line)
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout)["server"] == RENEWED[line]
    flag = re.search(r"--(?!reasoning-parser q|num)[a-z-]+", line)[0]
    if flag == "--disable-log-requests":
        # gone in 0.17.0, and since 0.33.0 another spelling of --no-enable-log-requests
        assert done.stderr == ""
        return
    assert f"{flag}" in done.stderr and "written" in done.stderr, done.stderr
    (tmp_path / "e.yaml").write_text(done.stdout)
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--vllm-version", REFERENCE, "e.yaml"))
    assert errors(report) == []


def test_a_command_for_an_older_release_stays_as_it_is(bin_dir, tmp_path):
    for args, line in ((["--vllm-version", "0.9.0"], "vllm serve m --task embed"),
                       ([], "docker run vllm/vllm-openai:v0.9.0 --model m --task embed")):
        done = profllm(bin_dir, tmp_path, "config", "from-command", *args, "--command-file", "-", stdin=line)
        assert done.returncode == 0 and done.stderr == ""
        assert yaml.safe_load(done.stdout)["server"] == {"model": "m", "task": "embed"}


def test_files_that_cannot_be_upgraded_are_reported(bin_dir, tmp_path):
    line = "vllm serve m --num-scheduler-steps 8"
    assumed = profllm(bin_dir, tmp_path, "config", "from-command", "--", *shlex.split(line))
    assert assumed.returncode == 0 and "it has no replacement" in assumed.stderr
    assert yaml.safe_load(assumed.stdout)["server"]["num_scheduler_steps"] == 8
    known = profllm(bin_dir, tmp_path, "config", "from-command", "--vllm-version", REFERENCE, "--", *shlex.split(line))
    assert known.returncode == 2 and known.stdout == "" and "it has no replacement" in known.stderr
    both = profllm(bin_dir, tmp_path, "config", "from-command", "--", "vllm", "serve", "m", "--task", "embed",
                   "--runner", "generate")
    assert yaml.safe_load(both.stdout)["server"] == {"model": "m", "task": "embed", "runner": "generate"}


@pytest.mark.parametrize("old", ["0.8.5", "0.11.0"])
def test_a_bare_level_is_a_key_today(bin_dir, tmp_path, old):
    (tmp_path / "e.yaml").write_text(f"server:\n  compilation_config: 3\nlaunch: {{vllm_version: {old}}}\n")
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "e.yaml"))
    assert report["problems"] == []
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "--upgrade-to", REFERENCE, "e.yaml"))
    [told] = errors(report)
    assert (told["key"], told["line"], told["found"]) == (
        "server.compilation_config", 2, "3, a number that vLLM 0.33.0 does not accept here")
    assert told["replaced_by"] == [setting("compilation_config.mode", 3)]
    done = profllm(bin_dir, tmp_path, "validate", "--vllm-version", REFERENCE, "--", "vllm", "serve", "m",
                   "--compilation-config", "3")
    assert "expected --compilation-config.mode 3" in done.stdout and done.returncode == 2
    renewed = profllm(bin_dir, tmp_path, "config", "from-command", "--", "vllm", "serve", "m", "--compilation-config", "3")
    assert yaml.safe_load(renewed.stdout)["server"]["compilation_config"] == {"mode": 3}


@pytest.mark.parametrize("newer", ["0.34.0", "0.33.0.post1"])
def test_a_bare_level_in_a_newer_release_is_warned_of(bin_dir, tmp_path, newer):
    text = f"server: {{compilation_config: 3}}\nlaunch: {{vllm_version: {newer}}}\n"
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "-", stdin=text))
    told, announced = sorted(warnings(report), key=lambda one: one["reason"] == "newer_release")
    assert announced["key"] == "launch.vllm_version"
    assert report["ok"] and told["found"] == f"3, a number that vLLM {newer} does not accept here"
    assert told["replaced_by"] == [setting("compilation_config.mode", 3)]


def test_a_run_reports_the_same(bin_dir, tmp_path):
    (tmp_path / "e.yaml").write_text("server: {model: m, task: embed}\nlaunch: {vllm_version: 0.32.0, command: [vllm]}\n")
    done = profllm(bin_dir, tmp_path, "run", "-c", "e.yaml", "-o", "r.json", "--dry-run", "--json")
    [told] = [one for one in json.loads(done.stdout)["problems"] if one["key"] == "server.task"]
    assert done.returncode == 2 and told["replaced_by"] == FILES["embed-0.8.5.yaml"]["task"]


def test_a_spelling_that_came_back(bin_dir, tmp_path):
    """--disable-log-requests was an argument until 0.17.0, and was refused until 0.33.0; since then it is a negative."""
    line = "vllm serve m --disable-log-requests"
    for release, ok in (("0.9.0", True), ("0.17.0", False), ("0.32.0", False), ("0.33.0", True)):
        done = profllm(bin_dir, tmp_path, "validate", "--vllm-version", release, "--", *shlex.split(line))
        assert done.returncode == (0 if ok else 2), (release, done.stdout)
    for key, value, wanted in (("disable_log_requests", "true", False), ("disable-log-requests", "false", True)):
        (tmp_path / "e.yaml").write_text(f"server: {{model: m, {key}: {value}}}\nlaunch: {{command: [vllm]}}\n")
        done = profllm(bin_dir, tmp_path, "run", "-c", "e.yaml", "-o", "r.json", "--dry-run", "--json")
        assert json.loads(done.stdout)["config"]["server"]["enable_log_requests"] is wanted


# ---- usage -----------------------------------------------------------------------------------

def test_gone_keys_are_passed_on_when_asked(bin_dir, folder, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--json", "--allow-removed", "--upgrade-to", REFERENCE,
                   folder / "graphs-0.10.1.yaml")
    [report] = reports(done)
    assert done.returncode == 0 and errors(report) == []
    told = {one["key"].removeprefix("server.") for one in warnings(report) if "no longer has" in (one["found"] or "")}
    assert told == set(FILES["graphs-0.10.1.yaml"])


@pytest.mark.parametrize("args, says", [
    (["validate", "--upgrade-to", "0.8.x", "e.yaml"], "--upgrade-to: found '0.8.x', expected a release of vLLM (did you mean"),
    (["validate", "--upgrade-to", "", "e.yaml"], "--upgrade-to"),
    (["params", "--since", "newest"], "--since: 'newest' is not a release"),
    (["params", "--since", "0.8.5", "--until", "0.1O.1"], "--until: found '0.1O.1', expected a release of vLLM (did you"),
    (["params", "--until", "0.8.5"], "--until works only with --since; add --since VERSION"),
    (["params", "--since", "0.10.0", "--until", "0.9.2"], "is a later release than"),
    (["params", "--since", "0.8.5", "--from-vllm", "true"], "--from-vllm: expected no other options"),
])
def test_versions_that_are_none(bin_dir, tmp_path, args, says):
    done = profllm(bin_dir, tmp_path, *args)
    assert done.returncode == 2 and says in done.stderr and done.stdout == ""


def test_changes_as_a_table_and_as_a_page(bin_dir, tmp_path):
    table = profllm(bin_dir, tmp_path, "params", "--since", "0.8.5", "--until", "0.13.0").stdout
    assert re.search(r"^new +--async-scheduling  bool, default ", table, re.M)
    assert "removed  --task  since 0.13.0, -> runner, convert; the model decides" in table
    assert "removed  --disable-mm-preprocessor-cache  since 0.13.0, -> mm_processor_cache_gb: 0" in table
    assert "changed  --prefix-caching-hash-algo  choices, new: sha256_cbor" in table
    assert re.search(r"^from vLLM 0\.8\.5 to 0\.13\.0\narguments: \d+ new, \d+ removed, \d+ changed\n", table, re.M)
    page = profllm(bin_dir, tmp_path, "params", "--since", "0.8.5", "--until", "0.13.0", "--markdown").stdout
    assert page.startswith("# vLLM 0.8.5 to 0.13.0\n") and "| `--task` | removed | since 0.13.0, -" in page
    chosen = profllm(bin_dir, tmp_path, "params", "--since", "0.8.5", "--json", "--group", "scheduler", "async*").stdout
    assert [one["name"] for one in json.loads(chosen)["new"]] == ["async_scheduling"]


def test_an_unknown_release_is_reported(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "params", "--since", "0.10.1.1", "--until", "0.10.2", "--json")
    assert done.returncode == 0 and "using those of 0.10.1" in done.stderr
    done = profllm(bin_dir, tmp_path, "params", "--since", "0.31.0", "--until", "0.99.0", "--json")
    assert done.returncode == 0 and f"using those of {REFERENCE}" in done.stderr
