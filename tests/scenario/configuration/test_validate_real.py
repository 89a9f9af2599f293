"""Real configurations are accepted and real faults are reported, compared with vLLM's own output, if external data is present."""
import ast
import json
import re

import pytest

from validate_tools import errors, make_model, profllm, reports, warnings

ARGS = re.compile(r"non-default args: (\{.*\})\s*$", re.M)
RELEASE = re.compile(r"version v?(\d+\.\d+(?:\.\d+)?(?:\.?(?:rc|dev|post)\d+)?)")
ENUM = re.compile(r"<\w+\.(\w+): ('[^']*'|[^>]*)>")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def enum_value(match):
    """Returns the word of a command line for <Kind.NAME: value>."""
    name, value = match.groups()
    return value if value.startswith("'") else repr(name)


def set_up_of(path):
    """Returns (arguments, release) of a server's log; (None, …): the log lacks them."""
    text = ESCAPES.sub("", path.read_text(errors="replace"))
    found = ARGS.search(text)
    release = RELEASE.search(text)
    if not found:
        return None, None
    args = ast.literal_eval(ENUM.sub(enum_value, found.group(1)))
    args.pop("model_tag", None)
    return args, release.group(1) if release else None


def logs(test_data_dir):
    return sorted((test_data_dir / "data/ops/vllm_logs").iterdir()) + sorted(
        (test_data_dir / "data/real/logs").glob("serve_ok*"))


def test_real_set_ups_pass(bin_dir, test_data_dir, tmp_path):
    seen = 0
    for path in logs(test_data_dir):
        try:
            args, release = set_up_of(path)
        except (ValueError, SyntaxError):
            continue  # a line that was cut
        if args is None:
            continue
        seen += 1
        launch = {"vllm_version": release} if release else {}
        (tmp_path / "e.yaml").write_text(json.dumps({"server": args, "launch": launch}))
        [report] = reports(profllm(bin_dir, tmp_path, "validate", "--json", "e.yaml"))
        assert errors(report) == [], (path.name, release)
    assert seen >= 8


# the fault of each log -> (severity, what is wrong) where it can be known beforehand
FAULTS = {
    "unknown_argument": ("error", "--tensor-paralel-size"),
    "bad_choice": ("error", "--dtype"),
    "gpu_memory_utilization": ("error", "--gpu-memory-utilization"),
    "batched_tokens_small": ("error", "batched_tokens_reach_model"),
    "model_len_too_long": ("error", "max_model_len_within_model"),
    "tp_too_large": ("error", "attention_heads_divide_by_tp"),
    "quantization_mismatch": ("error", "quantization_matches_model"),
    "model_not_found": ("warning", "model_not_found"),
    "port_in_use": None,
    "kv_cache_too_large": None,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failed_starts_are_foreseen(bin_dir, test_data_dir, tmp_path, fault):
    log = test_data_dir / f"data/real/logs/start_fails_{fault}.log"
    command = log.read_text().splitlines()[0].removeprefix("$ ")
    make_model(tmp_path)
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--vllm-version", "0.32.0", "--json",
                               "--command-file", "-", stdin=command))
    found = [(one["severity"], one["rule"] or one["key"]) for one in report["problems"]]
    assert found == ([FAULTS[fault]] if FAULTS[fault] else [])


def test_all_failed_starts_are_covered(test_data_dir):
    names = {path.stem.removeprefix("start_fails_")
             for path in (test_data_dir / "data/real/logs").glob("start_fails_*")}
    assert names == set(FAULTS)


def test_the_memory_of_a_real_run(bin_dir, test_data_dir, tmp_path):
    log = (test_data_dir / "data/real/logs/serve_ok_with_load.log").read_text()
    make_model(tmp_path)
    (tmp_path / "e.yaml").write_text(json.dumps({
        "server": {"model": "tiny", "max_model_len": 2048, "max_num_seqs": 64},
        "launch": {"platform": "cpu", "env": {"VLLM_CPU_KVCACHE_SPACE": "1"}}}))
    [report] = reports(profllm(bin_dir, tmp_path, "validate", "--explain", "--json", "e.yaml"))
    tokens = int(re.search(r"KV cache size: ([\d,]+) tokens", log).group(1).replace(",", ""))
    concurrency = float(re.search(r"per request: ([\d.]+)x", log).group(1))
    assert report["memory"]["kv_tokens"] == tokens
    assert report["memory"]["max_concurrency"] == pytest.approx(concurrency, abs=0.005)
    assert warnings(report) == []


@pytest.fixture(scope="module")
def commands(test_data_dir):
    path = test_data_dir / "data/commands/commands.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.release_only  # many starts of one reader, which has a fuzz target
def test_real_commands_are_judged_as_their_parser_does(bin_dir, commands, tmp_path):
    """Compares the verdicts on single arguments."""
    wrong = []
    for row in commands:
        for name in row.get("files") or []:
            path = tmp_path / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        [report] = reports(profllm(bin_dir, tmp_path, "validate", "--vllm-version", "0.32.0",
                                   "--command-file", "-", "--json", stdin=row["command"]))
        single = [one for one in errors(report) if one["rule"] is None]
        if bool(single) == row["ok"] and not row.get("engine"):
            wrong.append(row["id"])
        told = json.dumps([(one["key"], one["found"]) for one in single])
        for word in row.get("refused") or []:
            if word.split("=")[0].lstrip("-") not in told:
                wrong.append((row["id"], word))
    assert len(commands) > 200
    assert len({str(one) for one in wrong}) <= len(commands) / 100, wrong
