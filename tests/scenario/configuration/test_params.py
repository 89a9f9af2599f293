"""`profllm params`: the table of vLLM's arguments, and the changes by the help of another vLLM."""
import argparse
import json
import os
import pty
import re

import jsonschema
import pytest
from run_tools import base_config, load_result, run_profllm, write_config

KEYS = ("name flag aliases negative_flag group type choices choices_open choices_origin nullable "
        "default min max exclusive deprecated removed_in cli_style help in_reference").split()
COMPARED = ("name", "flag", "aliases", "negative_flag", "group", "type", "choices", "default", "min",
            "max", "exclusive", "nullable", "deprecated", "cli_style", "in_reference",
            "choices_open")


def params(bin_dir, *args, **more):
    done = run_profllm(bin_dir, "params", *args, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def entries(bin_dir, *args, **more):
    return json.loads(params(bin_dir, *args, "--json", **more))


@pytest.fixture(scope="module")
def table(bin_dir):
    return entries(bin_dir)


# ---- the table -------------------------------------------------------------------------------

def test_every_argument_has_every_key(table):
    assert len(table) == 396
    assert len({entry["name"] for entry in table}) == 396
    for entry in table:
        assert set(KEYS) <= set(entry), entry["name"]
        assert entry["help"]
    assert sum(len(entry.get("fields", {})) for entry in table) == 230
    assert sum(not entry["in_reference"] for entry in table) == 76


def specification(test_data_dir, folder):
    spec = {}
    for name, lists in (("engine-args.json", ["args"]),
                        ("serve-args.json", ["frontend_args", "newer_engine_args"])):
        document = json.loads((test_data_dir / folder / name).read_text())
        spec.update((entry["name"], entry) for key in lists for entry in document[key])
    return spec


def test_table_is_the_specification(table, test_data_dir):
    spec = specification(test_data_dir, "spec/0.33.0")
    # the rest is of older releases, as is what others take: test_releases.py
    assert {entry["name"] for entry in table if entry["group"] != "Older releases"} == set(spec)
    for entry in (entry for entry in table if entry["name"] in spec):
        wanted = spec[entry["name"]]
        for key in COMPARED:
            assert entry[key] == wanted[key], (entry["name"], key)
        assert entry.get("fields") == wanted.get("fields"), entry["name"]
        for key in ("special_values", "const", "any_case", "negative_aliases"):
            assert entry.get(key) == wanted.get(key), (entry["name"], key)
        assert set(wanted.get("older_choices", [])) <= set(entry.get("older_choices", [])), entry["name"]


# names that 0.33.0 added to lists that no parser checks: the history does not date them
UNDATED = {"attention_backend", "mm_encoder_attn_backend", "tokenizer_mode"}
# what the rows say of the reference alone
OF_THE_REFERENCE = {"nullable", "deprecated", "in_reference"}


def test_the_former_reference_is_its_specification(bin_dir, test_data_dir):
    """The arguments of 0.32.0 are the same as when it was the reference."""
    spec = {name: entry for name, entry in specification(test_data_dir, "spec").items() if entry["in_reference"]}
    table = {entry["name"]: entry for entry in entries(bin_dir, "--vllm-version", "0.32.0")}
    assert set(table) == set(spec)
    for name, entry in table.items():
        for key in set(COMPARED) - OF_THE_REFERENCE - ({"choices", "choices_open"} if name in UNDATED else set()):
            mine, wanted = entry[key], spec[name][key]
            # the history has lists sorted
            assert (sorted(mine, key=str) == sorted(wanted, key=str) if key == "choices" and mine and wanted
                    else mine == wanted), (name, key)
        assert "negative_aliases" not in entry
        assert set(entry.get("fields") or {}) == set(spec[name].get("fields") or {}), name
        for key, field in (entry.get("fields") or {}).items():
            assert field.get("default") == spec[name]["fields"][key].get("default"), (name, key)


@pytest.mark.parametrize("args, wanted", [
    (["pipeline_parallel_size"], {"pipeline_parallel_size"}),
    (["PIPELINE-parallel-SIZE"], {"pipeline_parallel_size"}),
    (["--", "-tp"], {"tensor_parallel_size", "mm_encoder_tp_mode", "speculative_draft_tensor_parallel_size"}),
    (["--device-mem*"], None),
    (["--", "--device-mem*"], {"gpu_memory_utilization"}),
    (["no-enforce-eager"], {"enforce_eager"}),
    (["chat templates"], {"enable_tokenizer_info_endpoint"}),
    (["max_num_batched_token?"], {"max_num_batched_tokens"}),
    (["*_parallel_size", "--group", "parallel"],
     {"tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size",
      "decode_context_parallel_size", "prefill_context_parallel_size"}),
])
def test_a_pattern_finds(bin_dir, args, wanted):
    """Searches names, flags, aliases, help and notes; a word that looks like an option must follow --."""
    if wanted is None:
        done = run_profllm(bin_dir, "params", *args)
        assert done.returncode == 2 and "unknown option" in done.stderr
        return
    options, words = (args[:args.index("--")], args[args.index("--"):]) if "--" in args else (args, [])
    assert {entry["name"] for entry in json.loads(params(bin_dir, "--json", *options, *words))} == wanted


@pytest.mark.parametrize("name", ["CacheConfig", "cache", "cacheconfig", "Cache"])
def test_a_group_by_any_of_its_names(bin_dir, name, table):
    found = entries(bin_dir, "--group", name)
    assert found == [entry for entry in table if entry["group"] == "CacheConfig"]
    assert len(found) > 20


@pytest.mark.parametrize("args, says", [
    (["--group", "CachConfig"], "unknown group 'CachConfig' (did you mean 'CacheConfig'?)"),
    (["tensor_paralel_size"], "no argument matches 'tensor_paralel_size' (did you mean "
                              "'tensor_parallel_size'?)"),
    (["--vllm-version", "0.32.0", "swap_space"], "no argument of vLLM 0.32.0 matches 'swap_space'; it was removed in "),
    (["--vllm-version", "0.32.0", "--", "--task"], "no argument of vLLM 0.32.0 matches '--task'; it was removed in 0.13.0 and replaced by runner, convert"),
    (["--vllm-version", "0.10.1", "attention-backend"], "no argument of vLLM 0.10.1 matches 'attention-backend'; it was added in 0.13.0"),
    (["a", "b"], "found 'b', expected one PATTERN"),
    (["--json", "--markdown"], "exclude each other"),
    (["--from-vllm", "true", "seed"], "--from-vllm: expected no other options"),
])
def test_wrong_use_is_reported(bin_dir, args, says):
    done = run_profllm(bin_dir, "params", *args)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("columns", [80, 120])
def test_people_get_a_table_that_fits(bin_dir, columns, table):
    text = params(bin_dir, env={"COLUMNS": str(columns)})
    assert "\033" not in text
    headings = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert headings == list(dict.fromkeys(entry["group"] for entry in table))
    shown = re.findall(r"^  (--[a-z0-9-]+)", text, re.M)
    assert shown == [entry["flag"] for entry in table]
    for line in text.splitlines():
        assert len(line) <= columns or line.startswith("  --") or line.startswith(" " * 40), line
    row = re.search(r"^  --tensor-parallel-size, -tp +int +1$\n      (.*)", text, re.M)
    assert row and "parallel" in row.group(1)


def test_a_match_is_shown_whole(bin_dir):
    text = params(bin_dir, "kv_cache_dtype")
    assert "choices: auto, bfloat16" in text
    assert "bounds: above 0, at most 1" in params(bin_dir, "gpu_memory_utilization")
    assert "keys: mode, " in params(bin_dir, "compilation_config")
    assert "removed in vLLM" in params(bin_dir, "swap_space")


def test_colour_only_on_a_terminal(bin_dir):
    def on_terminal(env):
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(bin_dir / "profllm", ["profllm", "params", "seed"], {**os.environ, **env})
        out = b""
        while True:
            try:
                chunk = os.read(fd, 65536)
            except OSError:
                break
            if not chunk:
                break
            out += chunk
        os.close(fd)
        assert os.waitpid(pid, 0)[1] == 0
        return out

    assert b"\033[1m--seed" in on_terminal({"TERM": "xterm", "NO_COLOR": ""})
    assert b"\033" not in on_terminal({"TERM": "xterm", "NO_COLOR": "1"})


def test_reference_page_is_up_to_date(bin_dir, source_dir):
    page = (source_dir / "docs/reference/arguments.md").read_text()
    assert page == params(bin_dir, "--markdown"), "out of date: make docs"


def test_reference_page_is_whole_tables(bin_dir, table):
    page = params(bin_dir, "--markdown")
    for block in re.findall(r"(?:^\|.*\n)+", page, re.M):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block[:200]
    rows = re.findall(r"^\| `([a-z0-9_]+)` \| `--", page, re.M)
    assert rows == [entry["name"] for entry in table]
    for entry in table:
        assert ("fields" in entry) == (f"### Keys of `{entry['name']}`" in page)


# ---- another vLLM ----------------------------------------------------------------------------

def add_to_parser(group, entry):
    """Adds an entry to argparse as vLLM's own parser does."""
    names = [entry["flag"], *entry["aliases"]]
    names = [name for name in names if name != "-O"]
    default = entry["default"]
    kinds = {"toggle": {"action": argparse.BooleanOptionalAction}, "flag": {"action": "store_true"},
             "list": {"nargs": "+"}, "optional_value": {"nargs": "?"}}
    how = dict(kinds.get(entry["cli_style"], {}))
    checked = entry["choices_origin"] == "flag" and "choices_note" not in entry
    if entry["choices"] and checked and "action" not in how:
        how["choices"] = entry["choices"]
    text = entry["help"].replace("%", "%%")
    if entry["type"] == "json":
        text += " Should be a valid JSON string."
    if entry["type"] == "int_or_human":
        text += " Parse human-readable integers."
    text += "" if how.get("action") is argparse.BooleanOptionalAction else " (default: %(default)s)"
    group.add_argument(*names, default=default, help=text, **how)


def help_text(table, columns=80):
    """Writes the help of a vLLM as Python's argparse does."""
    os.environ["COLUMNS"] = str(columns)
    try:
        parser = argparse.ArgumentParser(prog="vllm serve", description="Serves: a model")
        groups = {}
        for entry in table:
            if not entry["in_reference"]:
                continue
            name = entry["group"]
            if name not in groups and name != "Serve":
                groups[name] = parser.add_argument_group(name, f"Arguments of {name}.")
            add_to_parser(groups.get(name, parser), entry)
        text = parser.format_help()
    finally:
        del os.environ["COLUMNS"]
    return text + "\nWhen passing JSON, these are equal:\n   --json-arg '{\"a\": 1}'\n"


def compare(bin_dir, path, *args):
    done = run_profllm(bin_dir, "params", "--from-vllm", f"cat '{path}'", "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names(items):
    return {item["name"] for item in items}


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_reference_release_has_no_difference(bin_dir, tmp_path, table, columns):
    path = tmp_path / "help.txt"
    path.write_text(help_text(table, columns))
    diff = compare(bin_dir, path)
    assert diff["found"] == 320
    assert diff["new"] == diff["removed"] == diff["changed"] == []
    assert names(diff["already_removed"]) == {e["name"] for e in table if not e["in_reference"]}
    assert len(diff["already_removed"]) == 76


def changed_table(table):
    """Returns the table with an added, a removed and two changed arguments."""
    changed = [dict(entry) for entry in table if entry["name"] != "watermark"]
    by_name = {entry["name"]: entry for entry in changed}
    changed.append({**by_name["mm_processor_cache_type"], "name": "brand_new_thing",
                    "flag": "--brand-new-thing", "aliases": ["-bnt"], "choices": ["x", "y"],
                    "default": "x", "help": "Something new"})
    by_name["block_size"]["default"] = 32
    by_name["mm_processor_cache_type"]["choices"] = ["lru", "disk"]
    return changed


@pytest.fixture
def changed_help(tmp_path, table):
    path = tmp_path / "help.txt"
    path.write_text(help_text(changed_table(table)))
    return path


def check_four(diff):
    assert names(diff["new"]) == {"brand_new_thing"}
    assert names(diff["removed"]) == {"watermark"}
    changes = {item["name"]: item["changes"] for item in diff["changed"]}
    assert changes == {
        "block_size": [{"key": "default", "table": None, "help": 32}],
        "mm_processor_cache_type": [{"key": "choices", "table": ["lru", "shm"],
                                     "help": ["lru", "disk"]}]}


def test_four_differences_are_four(bin_dir, changed_help):
    check_four(compare(bin_dir, changed_help))
    text = params(bin_dir, "--from-vllm", f"cat '{changed_help}'")
    lines = [line for line in text.splitlines() if not line.endswith("(already listed)")]
    assert lines[:-2] == [
        "new      --brand-new-thing  enum, default x, one of x, y  (MultiModalConfig)",
        "removed  --watermark",
        "changed  --block-size  default null -> 32",
        "changed  --mm-processor-cache-type  choices, new: disk, removed: shm"]
    assert lines[-2].startswith("a help text does not show bounds, deprecations, the keys of ")
    assert "1 new, 1 removed, 2 changed; the table lists 76 more as removed" in lines[-1]


def test_names_of_the_real_help_are_compared(bin_dir, tmp_path, test_data_dir):
    text = (test_data_dir / "data/real/vllm-serve-help-all-0.33.0.txt").read_text()
    path = tmp_path / "help.txt"
    path.write_text(text.replace("--tool-call-parser {apertus,", "--tool-call-parser {brand_new,"))
    assert path.read_text() != text
    (changed,) = compare(bin_dir, path)["changed"]
    assert changed["name"] == "tool_call_parser"
    told = params(bin_dir, "--from-vllm", f"cat '{path}'")
    assert "changed  --tool-call-parser  choices, new: brand_new, removed: apertus\n" in told


def dry_run(bin_dir, folder, server, *args, env=None):
    path = write_config(folder, {"server": {"model": "m", **server},
                                 "launch": {"command": ["vllm", "serve"], "gpus": []}})
    return run_profllm(bin_dir, "run", "--config", path, "--dry-run", "--json", *args, env=env)


def test_run_applies_an_overlay(bin_dir, tmp_path, changed_help):
    overlay = tmp_path / "overlay.json"
    compare(bin_dir, changed_help, "--params-overlay", overlay)
    server = {"brand_new_thing": "y", "mm_processor_cache_type": "disk"}
    unknown = dry_run(bin_dir, tmp_path, server)
    assert unknown.returncode == 2
    assert "server.brand_new_thing: unknown argument" in unknown.stderr
    for done in (dry_run(bin_dir, tmp_path, server, "--params-overlay", overlay),
                 dry_run(bin_dir, tmp_path, server, env={"PROFLLM_PARAMS_OVERLAY": str(overlay)})):
        assert done.returncode == 0, done.stderr
        argv = json.loads(done.stdout)["argv"]
        assert argv[argv.index("--brand-new-thing") + 1] == "y"
        assert argv[argv.index("--mm-processor-cache-type") + 1] == "disk"
    wrong = dry_run(bin_dir, tmp_path, {"brand_new_thing": "z"}, "--params-overlay", overlay)
    assert wrong.returncode == 2 and "server.brand_new_thing: found text 'z'" in wrong.stderr
    gone = dry_run(bin_dir, tmp_path, {"watermark": 0.1, "mm_processor_cache_type": "shm"},
                   "--params-overlay", overlay)
    warnings = "\n".join(json.loads(gone.stdout)["warnings"])
    assert "server.watermark: found an argument that vLLM 0.33.0 no longer has" in warnings
    assert "server.mm_processor_cache_type" in warnings


def test_validate_applies_an_overlay(bin_dir, tmp_path, changed_help):
    overlay = tmp_path / "overlay.json"
    compare(bin_dir, changed_help, "--params-overlay", overlay)
    path = write_config(tmp_path, {"server": {"model": "m", "brand_new_thing": "y"},
                                   "launch": {"gpus": []}})
    assert run_profllm(bin_dir, "validate", path).returncode == 2
    done = run_profllm(bin_dir, "validate", path, "--params-overlay", overlay)
    assert done.returncode == 0, done.stderr + done.stdout


def test_params_shows_an_overlay(bin_dir, tmp_path, changed_help, table):
    overlay = tmp_path / "overlay.json"
    compare(bin_dir, changed_help, "--params-overlay", overlay)
    found = {entry["name"]: entry for entry in entries(bin_dir, "--params-overlay", overlay)}
    assert len(found) == 397
    assert found["brand_new_thing"]["choices"] == ["x", "y"]
    assert found["block_size"]["default"] == 32
    assert not found["watermark"]["in_reference"]
    same = {entry["name"] for entry in table if found[entry["name"]] == entry}
    assert len(same) == 393
    assert "shm" not in found["mm_processor_cache_type"]["choices"]


def test_an_overlay_by_hand(bin_dir, tmp_path):
    overlay = tmp_path / "o.json"
    overlay.write_text('{"profllm_overlay": 1, "args": [{"name": "my_flag", "type": "int", "min": 2}]}')
    done = dry_run(bin_dir, tmp_path, {"my-flag": 3}, "--params-overlay", overlay)
    assert json.loads(done.stdout)["argv"][3:5] == ["--my-flag", "3"]
    done = dry_run(bin_dir, tmp_path, {"my_flag": 1}, "--params-overlay", overlay)
    assert done.returncode == 2 and "at least 2" in done.stderr


def test_an_overlays_arguments_are_in_the_result(bin_dir, source_dir, tmp_path, patience):
    overlay = tmp_path / "o.json"
    overlay.write_text(json.dumps({"profllm_overlay": 1, "args": [
        {"name": "my_flag", "type": "int"}, {"name": "max_num_seqs", "type": "string"}]}))
    config = base_config(num_prompts=1)
    config["server"].update(my_flag=3, max_num_seqs="many")
    config["launch"]["command"] = ["false"]
    path = tmp_path / "r.json"
    done = run_profllm(bin_dir, "run", "--config", write_config(tmp_path, config), "--output", path,
                       "--quiet", "--params-overlay", overlay, patience=patience)
    assert done.returncode == 3, done.stderr
    result = load_result(path)
    assert result["config"]["params_overlay"] == ["my_flag", "max_num_seqs"]
    assert result["config"]["server"]["my_flag"] == 3
    assert result["config"]["server"]["max_num_seqs"] == "many"
    schema = json.loads((source_dir / "api/result.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(result)] == []
    result["config"]["params_overlay"] = None
    assert not validator.is_valid(result)


@pytest.mark.parametrize("text, says", [
    ("{", "o.json:1:1: not valid JSON"),
    ("{}", "not an overlay"),
    ('{"profllm_overlay": 1, "args": [{"name": "x", "typ": "int"}]}',
     "argument 'x': unknown key 'typ' (did you mean 'type'?)"),
])
def test_a_wrong_overlay_is_reported(bin_dir, tmp_path, text, says):
    overlay = tmp_path / "o.json"
    overlay.write_text(text)
    done = dry_run(bin_dir, tmp_path, {}, "--params-overlay", overlay)
    assert done.returncode == 2
    assert says in done.stderr and "o.json" in done.stderr


@pytest.mark.parametrize("command, status, says", [
    ("false", 1, "'false' ended with exit status 1"),
    ("kill -9 $$", 1, "ended by signal 9"),
    ("echo hello", 2, "found no argument, expected the text of vllm serve --help=all"),
    ("no-such-program-here 2>/dev/null", 1, "exit status 127"),
])
def test_a_failing_command_is_reported(bin_dir, tmp_path, command, status, says):
    overlay = tmp_path / "o.json"
    done = run_profllm(bin_dir, "params", "--from-vllm", command, "--params-overlay", overlay)
    assert done.returncode == status
    assert says in done.stderr
    assert done.stdout == "" and not overlay.exists()


def test_a_part_of_the_help_is_warned_of(bin_dir):
    done = run_profllm(bin_dir, "params", "--from-vllm", r"printf 'options:\n  --port PORT  x\n'")
    assert done.returncode == 0
    assert "check that the text is the complete output" in done.stderr


# ---- a real vLLM's help ----------------------------------------------------------------------

@pytest.fixture(scope="module")
def real_help(test_data_dir):
    return (test_data_dir / "data/real/vllm-serve-help-all-0.33.0.txt").read_text()


def test_real_help_has_no_difference(bin_dir, test_data_dir, table):
    diff = compare(bin_dir, test_data_dir / "data/real/vllm-serve-help-all-0.33.0.txt")
    assert diff["found"] == 320
    assert diff["new"] == diff["removed"] == diff["changed"] == []
    assert names(diff["already_removed"]) == {e["name"] for e in table if not e["in_reference"]}


def test_real_help_with_four_differences(bin_dir, tmp_path, real_help):
    new = "  --brand-new-thing {x,y}, -bnt {x,y}\n                        Something new. (default: x)\n"
    start = real_help.index("  --watermark WATERMARK\n")
    end = real_help.index("\nCompilationConfig:", start)
    text = real_help[:start] + real_help[end:]
    text = text.replace("  --block-size BLOCK_SIZE\n", new + "  --block-size BLOCK_SIZE\n")
    text = text.replace("{lru,shm}", "{lru,disk}")
    where = text.index("  --block-size BLOCK_SIZE")
    text = text[:where] + text[where:].replace("(default: None)", "(default: 32)", 1)
    path = tmp_path / "help.txt"
    path.write_text(text)
    check_four(compare(bin_dir, path, "--params-overlay", tmp_path / "o.json"))
    done = dry_run(bin_dir, tmp_path, {"brand_new_thing": "y"}, "--params-overlay", tmp_path / "o.json")
    assert done.returncode == 0, done.stderr


def test_facts_missing_in_a_help_are_listed(bin_dir, tmp_path):
    path = tmp_path / "help.txt"
    path.write_text("options:\n  --port PORT  Text.\n  --compilation-config C, -cc C  Text.\n"
                    "  --brand-new C  Should be a valid JSON string. (default: {})\n"
                    "  --dtype DTYPE  Text.\n")
    assert compare(bin_dir, path)["not_learned"] == {
        "keys": ["--compilation-config", "--brand-new"], "choices": ["--dtype"]}
