"""The arguments of each vLLM release, compared with a history that was read from all of them."""
import json
import re
import subprocess
import sys

import jsonschema
import pytest
from run_tools import run_profllm, write_config
from validate_tools import errors, profllm, reports, warnings

CONFIG = {"server": {}, "launch": {"command": ["vllm", "serve"], "gpus": []}}


@pytest.fixture(scope="module")
def history(test_data_dir):
    return json.loads((test_data_dir / "spec/0.33.0/engine-args-history.json").read_text())


def part_of(source_dir, name, part):
    schema = json.loads((source_dir / f"api/{name}.schema.json").read_text())
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]})


@pytest.fixture(scope="module")
def in_result(source_dir):
    """Returns the arguments in a result."""
    return part_of(source_dir, "result", "server")


@pytest.fixture(scope="module")
def in_experiment(source_dir):
    return part_of(source_dir, "experiment", "server")


@pytest.fixture(scope="module")
def tables(bin_dir, history):
    """Returns the arguments of each release, by name."""
    done = {release: run_profllm(bin_dir, "params", "--vllm-version", release, "--json")
            for release in history["releases_read"]}
    return {release: {row["name"]: row for row in json.loads(one.stdout)} for release, one in done.items()}


def order(release):
    """Returns a sort key: 0.9.2 < 0.10.0, 0.8.5 < 0.8.5.post1 < 0.9.0."""
    numbers, _, post = release.partition(".post")
    return [int(number) for number in numbers.split(".")], int(post or 0)


def range_of(entry, release):
    for given in entry["ranges"]:
        if order(given["since"]) <= order(release) and (given["until"] is None or order(release) < order(given["until"])):
            return given
    return None


def is_unknown(default):
    return isinstance(default, dict) and ("expr" in default or "unknown" in default)


def same(one, other):
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def check(bin_dir, folder, text, *args):
    [report] = reports(profllm(bin_dir, folder, "validate", "--json", *args, "-", stdin=text))
    return report


def dry_run(bin_dir, folder, release, server=None, **launch):
    path = write_config(folder, {"server": server or {}, "launch": {**CONFIG["launch"], "vllm_version": release, **launch}})
    return run_profllm(bin_dir, "run", "--config", path, "--dry-run", "--json")


def test_the_tables_are_made_from_the_history(bin_dir, source_dir, test_data_dir, history):
    done = subprocess.run([sys.executable, source_dir / "tools/make-history", "--check",
                           test_data_dir / "spec/0.33.0/engine-args-history.json", bin_dir / "profllm"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.release_only  # 69 starts of one reader; unit tests have its tables
def test_every_default_of_every_release(bin_dir, tmp_path, history, in_result):
    for release in history["releases_read"]:
        done = dry_run(bin_dir, tmp_path, release)
        assert done.returncode == 0, done.stdout + done.stderr
        config = json.loads(done.stdout)["config"]
        values, sources = config["server"], config["server_source"]
        assert set(values) == set(sources) == set(history["args"])
        assert [error.message for error in in_result.iter_errors(values)] == [], release
        for name, entry in history["args"].items():
            given = range_of(entry, release)
            if name in ("host", "port"):
                assert sources[name] == "explicit"
            elif given is None:
                assert (values[name], sources[name]) == (None, "not_in_release"), (release, name)
            elif is_unknown(given["default"]):
                assert (values[name], sources[name]) == (None, "unknown"), (release, name)
            else:
                assert same(values[name], given["default"]), (release, name, values[name])
                assert sources[name] == "default", (release, name)


def is_checked(row):
    return row["choices_origin"] in (None, "flag") and not row["choices_open"] and "choices_note" not in row


def types_of(given):
    """Returns the types for a type of the history. A parser's text may be a choice, or the text of an object; several
    consecutive texts are a list."""
    if given.get("cli_style") == "repeat":
        return {f"list<{given['type']}>"}
    return {"string": {"string", "enum", "json"}, "enum": {"string", "enum"}}.get(given["type"], {given["type"]})


def differs(row, given, today):
    """Returns the key that differs from the history, or None. `today`: the last range of an argument that still exists."""
    choices, wanted = row["choices"], given["choices"]
    # lists that no parser checks have names of their own
    if not (wanted is None and choices is not None and not is_checked(row)) and row["name"] != "mm_processor_device":
        if sorted(map(str, choices or [])) != sorted(map(str, wanted or [])) and not row["choices_open"]:
            return "choices"
    if row["flag"] != given["flag"]:
        return "flag"
    for key, mine in (("cli_style", "cli_style"), ("aliases", "aliases")):
        if key in given and row[mine] != given[key]:
            return key
    if "type" in given and row["type"] not in types_of(given):
        return "type"
    if row.get("default_env") != given.get("default_env"):
        return "default_env"
    # of the reference other documents say which are deprecated
    if given is not today and row["deprecated"] != given.get("deprecated", False):
        return "deprecated"
    if row["cli_style"] == "toggle":
        return None if row["negative_flag"] == "--no-" + row["flag"][2:] else "negative_flag"
    return None if row["negative_flag"] is None else "negative_flag"


@pytest.mark.release_only  # 69 starts of one reader; unit tests have its tables
def test_every_choice_and_spelling_of_every_release(tables, history):
    for release, rows in tables.items():
        wanted = {name: range_of(entry, release) for name, entry in history["args"].items()}
        assert set(rows) == {name for name, given in wanted.items() if given}, release
        for name, row in rows.items():
            entry = history["args"][name]
            today = entry["ranges"][-1] if entry["in_reference"] else None
            assert differs(row, wanted[name], today) is None, (release, name, differs(row, wanted[name], today))
            assert row["since"] == entry["ranges"][0]["since"]
            assert row["removed_in"] == entry["ranges"][-1]["until"]
            assert row.get("replaced_by") == entry.get("replaced_by") or entry["in_reference"]


@pytest.mark.release_only  # many starts of one reader; unit tests have its tables
def test_every_key_of_every_release(tables, history):
    for release, rows in tables.items():
        for place, keys in history["config_keys"].items():
            argument, _, inner = place.partition(".")
            fields = rows.get(argument, {}).get("fields", {})
            fields = fields.get(inner, {}).get("fields", {}) if inner else fields
            wanted = {name: range_of(entry, release) for name, entry in keys.items()}
            assert set(fields) == {name for name, given in wanted.items() if given}, (release, place)
            for name, field in fields.items():
                given = wanted[name]
                if "default" in field and "default" in given:
                    assert same(field["default"], given["default"]), (release, place, name)
                if given["until"] is not None:
                    assert sorted(map(str, field.get("choices") or [])) == sorted(map(str, given["choices"] or [])), name


def test_what_0_10_1_takes(bin_dir, tmp_path):
    done = dry_run(bin_dir, tmp_path, "0.10.1", {"prefix_caching_hash_algo": "builtin"})
    assert done.returncode == 0
    config = json.loads(done.stdout)["config"]
    assert config["server"]["gpu_memory_utilization"] == 0.9
    assert config["server_source"]["gpu_memory_utilization"] == "default"
    assert config["server_source"]["prefix_caching_hash_algo"] == "explicit"
    assert (config["server"]["attention_backend"], config["server_source"]["attention_backend"]) == (None, "not_in_release")
    done = dry_run(bin_dir, tmp_path, "0.10.1", {"prefix_caching_hash_algo": "xxhash"})
    assert done.returncode == 2
    [fault] = json.loads(done.stdout)["problems"]
    assert fault["found"] == '"xxhash", not a choice of vLLM 0.10.1'
    assert fault["expected"] == "builtin, sha256 or sha256_cbor_64bit, or vLLM 0.13.0 or newer"


def test_later_features(bin_dir, tmp_path):
    text = "server:\n  attention_backend: FLASH_ATTN\n"
    [fault] = errors(check(bin_dir, tmp_path, text, "--vllm-version", "0.10.1", "--allow-removed"))
    assert fault["found"] == "an argument that vLLM 0.10.1 does not have yet"
    assert fault["expected"] == "vLLM 0.13.0 or newer" and (fault["line"], fault["col"]) == (2, 22)
    assert check(bin_dir, tmp_path, text, "--vllm-version", "0.13.0")["ok"]
    build = check(bin_dir, tmp_path, text, "--vllm-version", "0.13.0rc2")
    assert build["ok"] and [one["key"] for one in warnings(build)] == ["server.attention_backend"]
    [fault] = errors(check(bin_dir, tmp_path, "server: {compilation_config: {mode: 3}}\n", "--vllm-version", "0.10.1"))
    assert fault["key"] == "server.compilation_config.mode"
    assert fault["found"] == "a key that vLLM 0.10.1 does not have yet"


def test_used_and_free_resources(bin_dir, tmp_path):
    report = check(bin_dir, tmp_path, "server:\n  model: m\n  disable_log_requests: true\n", "--vllm-version", "0.10.1")
    [fault] = (one for one in report["problems"] if one["key"] == "server.disable_log_requests")
    assert report["ok"] and (fault["severity"], fault["line"], fault["col"]) == ("warning", 3, 25)
    assert fault["found"] == "an argument that vLLM 0.10.1 deprecates and 0.17.0 removes"
    assert fault["expected"] == "'enable_log_requests: false'" and fault["nearest"] is None
    assert fault["replaced_by"] == [{"key": "server.enable_log_requests", "value": False}]
    done = profllm(bin_dir, tmp_path, "validate", "--vllm-version", "0.10.1", "--", "vllm", "serve", "m", "--disable-log-requests")
    assert done.returncode == 0 and done.stdout.count("deprecates") == 1
    assert "expected --no-enable-log-requests" in done.stdout


@pytest.mark.parametrize("release, server, words", [
    ("0.6.3", {"enable_prefix_caching": True}, ["--enable-prefix-caching"]),
    ("0.6.3", {"enable_prefix_caching": False}, []),
    ("0.8.4", {"enable_chunked_prefill": False}, ["--enable-chunked-prefill", "false"]),
    ("0.8.5", {"enable_chunked_prefill": False}, ["--no-enable-chunked-prefill"]),
    ("0.9.2", {"use_v2_block_manager": True}, ["--use-v2-block-manager"]),
    ("0.5.0", {"preemption_mode": "swap"}, ["--preemption_mode", "swap"]),
    ("0.12.0", {"task": "embed"}, ["--task", "embed"]),
])
def test_the_line_is_spelt_as_the_release_has_it(bin_dir, tmp_path, release, server, words):
    done = dry_run(bin_dir, tmp_path, release, server)
    assert done.returncode == 0, done.stdout
    argv = json.loads(done.stdout)["argv"]
    assert [word for word in argv if word not in ("vllm", "serve")][:-4] == words


@pytest.mark.parametrize("release, server, line", [
    ("0.4.0", {"served_model_name": "m", "swap_space": 2}, "--served-model-name m --swap-space 2"),
    ("0.8.4", {"long_prefill_token_threshold": 0.04}, "--long-prefill-token-threshold 0.04"),
    ("0.8.4", {"long_lora_scaling_factors": "1.5,2"}, "--long-lora-scaling-factors 1.5,2"),
    ("0.8.4", {"max_parallel_loading_workers": "2"}, "--max-parallel-loading-workers 2"),
    ("0.8.4", {"ignore_patterns": ["a*", "b*"]}, "--ignore-patterns a* --ignore-patterns b*"),
    ("0.8.4", {"model_loader_extra_config": {"a": 1}}, '--model-loader-extra-config {"a":1}'),
    ("0.8.4", {"model_loader_extra_config": '{"a": 1}'}, '--model-loader-extra-config {"a":1}'),
    ("0.8.4", {"tokenizer_pool_extra_config": {"a": 1}}, '--tokenizer-pool-extra-config {"a":1}'),
    ("0.8.5", {"collect_detailed_traces": "model,worker", "otlp_traces_endpoint": "grpc://h:1"}, "--collect-detailed-traces model,worker"),
    ("0.9.1", {"long_lora_scaling_factors": [1.5]}, "--long-lora-scaling-factors 1.5"),
    ("0.9.1", {"compilation_config": {"level": 3}}, '--compilation-config {"level":3}'),
    ("0.9.1", {"compilation_config": 3}, "--compilation-config 3"),
])
def test_values_that_are_of_another_type_in_a_release(bin_dir, tmp_path, in_result, in_experiment, release, server, line):
    done = dry_run(bin_dir, tmp_path, release, server)
    assert done.returncode == 0, done.stdout
    assert line in " ".join(json.loads(done.stdout)["argv"])
    for schema, values in ((in_result, json.loads(done.stdout)["config"]["server"]), (in_experiment, server)):
        assert [error.message for error in schema.iter_errors(values)] == []


def test_a_line_of_an_older_release_as_a_file(bin_dir, tmp_path):
    words = ["--ignore-patterns", "a*", "--model-loader-extra-config", '{"a": 1}', "--long-lora-scaling-factors", "1.5,2"]
    made = profllm(bin_dir, tmp_path, "config", "from-command", "--vllm-version", "0.8.4", "--", "vllm", "serve", "m", *words)
    assert made.returncode == 0, made.stderr
    report = check(bin_dir, tmp_path, made.stdout)
    assert report["ok"], report


def test_releases_between_the_known_ones(bin_dir, tmp_path):
    for release, like in (("0.3.0", "0.4.0"), ("0.10.1.1", "0.10.1"), ("0.15.1", "0.15.0"), ("0.99.0", "0.33.0")):
        one, other = (json.loads(dry_run(bin_dir, tmp_path, name, {"port": 8000}).stdout)["config"]
                      for name in (release, like))
        assert {key: one[key] for key in ("server", "server_source")} == \
            {key: other[key] for key in ("server", "server_source")}, release


def test_a_default_from_the_environment(bin_dir, tmp_path):
    done = dry_run(bin_dir, tmp_path, "0.12.0", env={"VLLM_LOGGING_CONFIG_PATH": "/l.json"})
    config = json.loads(done.stdout)["config"]
    assert (config["server"]["log_config_file"], config["server_source"]["log_config_file"]) == ("/l.json", "default")


def test_params_of_a_release(bin_dir):
    def params(*args):
        return run_profllm(bin_dir, "params", "--vllm-version", "0.10.1", *args)
    text = params("prefix_caching_hash").stdout
    assert re.search(r"^  --prefix-caching-hash-algo +enum +builtin$", text, re.M)
    assert "choices: builtin, sha256, sha256_cbor_64bit" in text
    assert "only in other releases: sha256_cbor, xxhash, xxhash_cbor" in text and "release: since 0.8.3" in text
    assert "--attention-backend" not in params().stdout and "--task " in params().stdout
    assert "choices are those of vLLM 0.10.1" in params("--markdown").stdout
    assert "no argument of vLLM 0.10.1 matches 'attention_backend'" in params("attention_backend").stderr
    done = run_profllm(bin_dir, "params", "--vllm-version", "new")
    assert done.returncode == 2 and "--vllm-version" in done.stderr
    done = params("--group", "MambaConfig")
    assert done.returncode == 2 and "vLLM 0.10.1 has no argument of group 'MambaConfig'" in done.stderr
