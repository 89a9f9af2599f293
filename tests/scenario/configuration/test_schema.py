"""profllm schema --json contains each row of src/tbl/, counted and parsed here without the program."""
import json
import re

import pytest
from run_tools import run_profllm

# each macro's rows, and the list that has them
LISTS = {
    "engine_args": {"ARG": "arguments"}, "engine_fields": {"FIELD": "argument_fields"},
    "engine_args_history": {"RELEASE": "releases", "ARG_HISTORY": "argument_history"},
    "engine_fields_history": {"KEY_HISTORY": "field_history"},
    "replacements": {"REPLACED_VALUE": "replacements"},
    "bench_args": {"BENCH": "load_options"}, "experiment_keys": {"KEY": "experiment_keys"},
    "answers": {"ANSWER": "answers", "MEMBER": "answer_members", "OUTPUT": "outputs", "DASH_OUTPUT": "dashboard_outputs"}, "mcp_tools": {"TOOL": "mcp_tools"},
    "bench_groups": {"BENCH_GROUP": "load_groups"}, "bench_flags": {"BENCH_FLAG": "load_flags", "OFFLINE_FLAG": "offline_flags"},
    "bench_kinds": {"KIND": "offline_kinds", "KIND_OPTION": "offline_options",
                    "KIND_OLD": "offline_old_options"},
    "bench_line": {"OLD": "load_old_flags", "CLIENT": "load_client_flags"},
    "bench_notes": {"FLAT": "flat_keys", "LINE": "console_lines"},
    "commands": {"COMMAND": "commands", "COMMAND_NAMED": "commands"}, "bench_commands": {"BENCH_COMMAND": "later_commands"},
    "datasets": {"DATASET": "datasets"}, "hf_classes": {"HF_CLASS": "hf_classes"}, "backends": {"BACKEND": "backends"},
    "experiment_checks": {"CHECK": "experiment_checks"},
    "comparability": {"KIND": "comparison_kinds", "COMPARABLE": "comparable_fields", "ANY": "comparable_counts",
                      "CHARTED": "charted_fields", "RECORDED": "recorded_fields", "MEASURED": "measured_fields"},
    "parsers": {"PARSERS": "parser_releases", "PARSER": "parsers", "PARSER_ARGUMENT": "parser_arguments"},
    "variables": {"VARIABLES_OF": "variable_releases", "VARIABLE": "variables"},
    "constraints": {"RULE": "rules"}, "errors": {"ERR": "errors"}, "hardware": {"GPU": "hardware"},
    "log_lines": {"LOG_PHASE": "log_phases", "LOG_MARK": "log_marks", "LOG_FACT": "log_facts", "LOG_READ": "log_reads",
                  "LOG_EXECUTOR": "log_executors", "LOG_BACKEND": "log_backends"},
    "log_failures": {"LOG_FRAME": "log_frames", "LOG_REACHED": "log_reached", "LOG_SYMPTOM": "log_symptoms",
                     "LOG_FAILURE": "log_failures"},
    "log_hints": {"LOG_HINT": "log_hints"},
    "reported": {"REPORT": "reported_values", "REPORT_LOOSE": "reported_loose", "SYNONYM": "reported_synonyms"},
    "metrics": {"FAMILY": "families", "FIGURE": "metrics", "STATISTIC": "headline_statistics", "RATE": "rates"},
    "model_types": {"MODEL": "model_types", "DEFAULT": "model_type_defaults"}, "models": {"KNOWN": "known_models"},
    "quality": {"FACT": "quality_facts", "QUALITY": "quality"},
    "result_fields": {"FIELD": "result_fields", "TOP": "result_top_fields", "DERIVED": "derived_fields",
                      "PRICED": "priced_fields", "GROUP": "field_groups"},
    "field_labels": {"LABEL": "field_labels", "CHECK_LABEL": "check_labels", "FAILURE_LABEL": "failure_labels", "SHORT_LABEL": "short_labels"},
    "states": {"STATUS": "statuses", "STAGE": "stages", "CAUSE": "causes", "ARTIFACT": "artifacts", "SOURCE": "sources",
               "FAILURE": "failures", "TOKENS": "token_sources"},
    "breakdown": {"PART": "latency_parts", "SERVER_LATENCY": "server_latencies", "REASON": "breakdown_reasons"},
    "run_artifacts": {"RUN_ARTIFACT": "run_artifacts"},
    "telemetry": {"QUANTITY": "quantities", "PAGE": "server_metrics"},
}
# of the simulator and of the dashboard, which profllm is not built with
OF_OTHERS = re.compile("sim_.*|dash_commands|dash_metrics|filter_ops|former_names|powers_of_ten|producers|record_columns|request_bounds|roles|routes|scaling_axes|store_words|unready_reasons")


@pytest.fixture(scope="module")
def rows(bin_dir):
    return json.loads(run_profllm(bin_dir, "schema", "--json").stdout)


def table_text(source_dir, name):
    folder = source_dir / "src/tbl"
    paths = sorted((folder / name).glob("*.h")) if name == "engine_args" else [folder / f"{name}.h"]
    return re.sub(r"/\*.*?\*/", "", "\n".join(path.read_text() for path in paths), flags=re.S)


def counts(text):
    """Returns {macro: number of lines that begin with it}."""
    found = re.findall(r"^([A-Z_]+)\(", text, re.M)
    return {macro: found.count(macro) for macro in found}


def test_every_table_of_the_program_is_known_here(source_dir):
    tables = {path.stem for path in (source_dir / "src/tbl").glob("*.h")}
    assert {name for name in tables if not OF_OTHERS.fullmatch(name)} == set(LISTS)


def test_every_row_is_listed(rows, source_dir):
    wanted = {}
    for name, lists in LISTS.items():
        found = counts(table_text(source_dir, name))
        assert set(found) == set(lists), name
        for macro, count in found.items():
            wanted[lists[macro]] = wanted.get(lists[macro], 0) + count
    assert {name: len(some) for name, some in rows.items()} == wanted


def test_arguments_are_in_the_groups_order(rows, source_dir):
    includes = re.findall(r'#include "(tbl/engine_args/.*)"', (source_dir / "src/tbl/engine_args.h").read_text())
    assert [row["name"] for row in rows["arguments"]] == [
        name for path in includes
        for name in re.findall(r"^ARG\(\w+, \w+, \w+,\s*(\w+)", (source_dir / "src" / path).read_text(), re.M)]
    assert [row["name"] for row in rows["arguments"] if row.get("secret")] == ["hf_token", "api_key"]


@pytest.mark.parametrize("name,macro,pattern,key", [
    ("bench_args", "load_options", r"^BENCH\(\w+, \w+, (\w+)", "name"), ("metrics", "metrics", r"^FIGURE\((\w+)", "key"),
    ("metrics", "families", r'^FAMILY\(\w+, "(\w+)"', "key"), ("quality", "quality", r"^QUALITY\((\w+)", "id"),
    ("experiment_keys", "experiment_keys", r'^KEY\(\w+,\s*"([\w.]+)"', "name"), ("errors", "errors", r"^ERR\((\w+)", "name"),
    ("engine_fields", "argument_fields", r'^FIELD\(\w+, \w+,\s*"([\w.]+)"', "name"),
    ("constraints", "rules", r"^RULE\((\w+)", "id"), ("states", "causes", r"^CAUSE\(\w+,\s*(\w+)", "name"),
    ("hardware", "hardware", r'^GPU\("([\w-]+)"', "name"), ("result_fields", "result_fields", r"^FIELD\(\w+, (\w+)", "key")])
def test_rows_are_in_the_tables_order(rows, source_dir, name, macro, pattern, key):
    assert [row[key] for row in rows[macro]] == re.findall(pattern, table_text(source_dir, name), re.M)


def by(rows, key, value):
    (row,) = (row for row in rows if row[key] == value)
    return row


def test_rows_as_they_are_written(rows):
    memory = by(rows["arguments"], "name", "gpu_memory_utilization")
    assert (memory["type"], memory["default"], memory["min"], memory["max"], memory["exclusive"], memory["group"],
            bool(memory["help"])) == ("float", 0.92, 0, 1, "min", "CacheConfig", True)
    load, keys = ({row["name"]: row for row in rows[name]} for name in ("load_options", "experiment_keys"))
    rate = load["request_rate"]
    assert (rate["type"], rate["default"], rate["min"], rate["max"], rate["flag"], rate["group"]) == (
        "float", "inf", 1e-9, None, "--request-rate", "Load")
    assert rate["verdict"] == "more" and rate["infinite"] and "ours" not in rate and "later" not in rate
    # a text that looks like a number stays one; an object that is written as a text is an object
    assert (load["random_range_ratio"]["default"], load["burstiness"]["default"]) == ("0.0", 1.0)
    assert load["random_mm_limit_mm_per_prompt"]["default"] == {"image": 255, "video": 1}
    assert load["header"]["secret"] and load["goodput"]["words_least"] == 1 and load["goodput"]["pairs"] == ":"
    assert load["dataset_name"]["older_values"][1] == {"value": "custom_mm", "hint": "renamed to custom_image"}
    assert load["dataset_name"]["file_choices"] == ["sonnet"] and load["port"]["command_default"] == 8000
    timeout = keys["launch.ready_timeout"]
    assert (timeout["type"], timeout["default"], timeout["min"], timeout["max"]) == ("duration", "600s", "1ms", "7d") and timeout["help"]
    assert keys["profiling.profiler"]["choices"] == ["torch", "cuda"]
    window = next(row for row in rows["argument_fields"] if (row["of"], row["name"]) == ("eplb_config", "window_size"))
    assert (window["type"], window["default"], window["min"], window["exclusive"]) == ("int", 1000, 0, "min")
    check = by(rows["quality"], "id", "client_cpu")
    assert all(check.pop(key) for key in ("text", "finding", "action"))
    assert check == {"id": "client_cpu", "about": "client", "unit": "share", "sense": "most", "limit": 0.8, "effect": "info", "worse": "never",
                     "worse_at": None, "worse_effect": "info"}
    rate = by(rows["quality"], "id", "rate_shortfall")
    assert (rate["about"], rate["sense"], rate["effect"], rate["worse"], rate["worse_at"], rate["worse_effect"]) == (
        "load", "least", "degraded", "below", 0.95, "client_limited")
    assert by(rows["errors"], "name", "LAUNCH") == {"name": "LAUNCH", "exit": 3, "http": 502, "text": "server did not start"}
    assert by(rows["metrics"], "key", "rtfx")["unit"] == "s/s"
    assert by(rows["hardware"], "name", "v100")["titles"] == ["Tesla V100-SXM2-16GB", "Tesla V100-PCIE-16GB"]
    assert by(rows["log_failures"], "phrase", "EADDRINUSE") == {
        "cause": "port_in_use", "strength": "clear", "when": "start", "forms": "exception | error", "phrase": "EADDRINUSE",
        "also": ""}
    assert by(rows["commands"], "name", "gpus")["options"][1]["value"] == "[TIME]"


def test_without_json_the_lists_are_counted(bin_dir, rows):
    told = dict(line.split() for line in run_profllm(bin_dir, "schema").stdout.splitlines())
    assert told == {name: str(len(some)) for name, some in rows.items()}


def test_words_are_refused(bin_dir):
    done = run_profllm(bin_dir, "schema", "metrics")
    assert done.returncode == 2 and "'metrics' works only with --fields; add --fields" in done.stderr
