"""profllm run with profllm-sim: a new user's first commands, and the records compared with the log."""
import hashlib
import json
import os
import pty
import re
import subprocess

import numpy as np
import pytest
from run_tools import (base_config, command, environment, load_result, marked_processes,
                       read_zst_lines, run_profllm, sentences_of, write_config)

RESULT_KEYS = [
    "schema_version", "run_id", "suite", "name", "tags", "timestamp", "duration", "config",
    "results", "system", "profiling", "status", "launch", "environment", "quality", "error",
    "artifacts", "series",
]


COALESCED = 1  # this event came in the same read as the one before it

@pytest.fixture(scope="module")
def quickstart(bin_dir, source_dir, tmp_path_factory, patience):
    """Runs the example of the README unchanged, in an empty directory."""
    folder = tmp_path_factory.mktemp("quickstart")
    home = tmp_path_factory.mktemp("home")
    (home / "configs").symlink_to(source_dir / "configs")
    done = run_profllm(bin_dir, "run", "--config", "configs/examples/quickstart.yaml", "--output",
                       folder / "r.json", cwd=home, patience=patience)
    return folder, done, home


def test_quickstart_gives_table_verdict_and_result(quickstart):
    folder, done, _ = quickstart
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("SIMULATED: profllm-sim ")
    assert "============ Serving Benchmark Result ============" in lines
    assert any(line.startswith("Successful requests:") and line.split()[-1] == "200"
               for line in lines)
    assert any(line.startswith("Verdict: ") for line in lines)
    assert "Status: completed" in lines
    assert lines[-1] == f"Result: {folder / 'r.json'}"


def test_quickstart_result_has_every_part(quickstart):
    folder, _, _ = quickstart
    result = load_result(folder / "r.json")
    assert list(result) == RESULT_KEYS
    assert result["status"] == "completed" and result["error"] is None
    assert result["results"]["completed"] == 200 and result["results"]["failed"] == 0
    assert result["environment"]["engine"]["name"] == "profllm-sim"
    assert result["environment"]["engine"]["simulated"] is True
    benchmark = result["config"]["benchmark"]
    assert benchmark["prompt_form"] == "text" and benchmark["ignore_eos"] is True
    assert benchmark["endpoint"] == "/v1/completions" and benchmark["model"] == "sim/llama-3-8b"
    assert len(benchmark["dataset_sha256"]) == 64
    assert result["config"]["server_explicit"] == ["model", "max_num_seqs"]
    assert result["config"]["server"]["max_num_seqs"] == 64
    assert result["config"]["server_source"]["max_num_seqs"] == "explicit"
    launch = result["launch"]
    assert launch["argv"][:3] == ["profllm-sim", "serve", "sim/llama-3-8b"]
    assert 20000 <= launch["port"] <= 29999 and str(launch["port"]) in launch["argv"]
    phases = launch["phases"]
    assert 0 <= phases["spawn_s"] <= phases["healthy_s"] <= phases["ready_s"]
    assert launch["exit"]["status"] == 0 and launch["exit"]["killed"] is False
    assert launch["facts"]["kv_cache_tokens"] > 0
    checks = {check["id"]: check for check in result["quality"]["checks"]}
    assert checks["simulated"]["status"] == "over_limit"
    assert checks["foreign_load"]["status"] == "passed"
    assert checks["server_restart"]["status"] == "passed"
    assert checks["prefix_hits"]["status"] == "passed"
    assert checks["preemptions"]["value"] == 0


def test_quickstart_says_how_far_it_can_be_trusted(quickstart):
    """On any machine, the worst metric is named, and the verdict follows the checks."""
    folder, done, _ = quickstart
    result = load_result(folder / "r.json")
    results, quality = result["results"], result["quality"]
    errors = {key.removesuffix("_client_error"): value for key, value in results.items() if key.endswith("_client_error")}
    assert len(errors) == 20 and all(lo <= 0 <= hi for lo, hi in errors.values())

    def excess(figure):
        return max(-errors[figure][0], errors[figure][1]) / max(0.02 * results[figure], 0.1)

    measurement = quality["measurement"]
    worst = measurement["metric"]
    assert excess(worst) == pytest.approx(max(map(excess, errors)))
    assert [measurement["lo"], measurement["hi"]] == errors[worst]
    assert measurement["share"] == pytest.approx(max(-measurement["lo"], measurement["hi"]) / results[worst])
    checks = {check["id"]: check for check in quality["checks"]}
    assert checks["client_error"]["value"] == measurement["share"]
    assert (checks["client_error"]["status"] == "passed") == (excess(worst) <= 1)
    assert quality["load"]["in_flight_distance"]["value"] == checks["idle_slots"]["value"]
    effects = [check["effect"] for check in quality["checks"] if check["status"] == "over_limit"]
    assert quality["verdict"] == ("client_limited" if "client_limited" in effects else
                                  "degraded" if "degraded" in effects else "trusted")
    assert f"Verdict: {quality['verdict']}" in done.stdout.splitlines()
    belief, why, action, *notes = sentences_of(done.stdout)
    statistic, _, family = worst.partition("_")
    metric = f"{statistic} {dict(ttft_ms='TTFT', tpot_ms='TPOT', itl_ms='ITL', e2el_ms='E2EL').get(family, 'First Token')}"
    over = [check["id"] for check in quality["checks"] if check["status"] == "over_limit" and check["effect"] != "info"]
    assert metric in why if quality["verdict"] == "trusted" else any(f"({name}" in why for name in over)
    assert action and "simulated" in belief and not any("(simulated)" in note for note in notes)


def test_quickstart_fits_the_schemas(quickstart, source_dir):
    jsonschema = pytest.importorskip("jsonschema")
    folder, _, _ = quickstart

    def problems(document, name):
        schema = json.loads((source_dir / "api" / f"{name}.schema.json").read_text())
        return [f"{list(error.path)}: {error.message}"
                for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]

    assert problems(load_result(folder / "r.json"), "result") == []
    for record in read_zst_lines(folder / "r.requests.jsonl.zst")[:20]:
        assert problems(record, "requests") == []
    for sample in read_zst_lines(folder / "r.series.jsonl.zst")[-20:]:
        assert problems(sample, "series") == []


def test_quickstart_leaves_its_files_and_nothing_else(quickstart):
    folder, _, home = quickstart
    result = load_result(folder / "r.json")
    names = {artifact["name"] for artifact in result["artifacts"]}
    assert names == {"r.requests.jsonl.zst", "r.series.jsonl.zst", "r.server.log"}
    assert {path.name for path in folder.iterdir()} == names | {"r.json"}
    for artifact in result["artifacts"]:
        data = (folder / artifact["name"]).read_bytes()
        assert len(data) == artifact["size"]
        assert hashlib.sha256(data).hexdigest() == artifact["sha256"]
    assert marked_processes(result["run_id"]) == []
    assert [path.name for path in home.iterdir()] == ["configs"]
    assert not list((home / "configs" / "examples").glob("*.json*"))


def sim_events(path):
    """Returns the simulator's log by request id, and the entries without an id (ready request, warm-ups)."""
    by_id, others = {}, []
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event["request_id"] is None:
            others.append(event)
        else:
            by_id.setdefault(event["request_id"], []).append(event)
    return by_id, others


@pytest.mark.threads
@pytest.mark.parametrize("backend", ["openai", "openai-chat"])
def test_records_equal_the_servers_log(bin_dir, tmp_path, patience, backend):
    config = base_config(num_prompts=60, num_warmups=5, max_concurrency=12, backend=backend,
                         random_input_len=48, random_output_len=20, random_range_ratio=0.5)
    config["launch"]["extra_args"] = ["--sim-log", str(tmp_path / "sim.jsonl")]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    records = read_zst_lines(tmp_path / "r.requests.jsonl.zst")
    by_id, others = sim_events(tmp_path / "sim.jsonl")

    assert [record["index"] for record in records] == list(range(60))
    assert {record["request_id"] for record in records} == set(by_id)
    ends = [event for events in by_id.values() for event in events if event["event"] == "end"]
    assert [end["status"] for end in ends] == ["completed"] * 60
    assert result["results"]["completed"] == 60
    # the ready request and five warm-ups, which have no id
    assert sum(event["event"] == "end" for event in others) == 6
    for record in records:
        events = by_id[record["request_id"]]
        sent = np.array([event["tokens"] for event in events if event["event"] == "token"])
        received = np.array([event[1] for event in record["events"]])
        assert record["output_tokens"] == sent.sum() == record["output_tokens_requested"]
        assert record["output_tokens"] == [e["tokens"] for e in events if e["event"] == "end"][0]
        assert record["token_source"] == "usage"
        assert received.tolist() == sent.tolist()
        sent_ns = np.array([event["t_ns"] for event in events if event["event"] == "token"])
        received_ns = np.array([event[0] for event in record["events"]])
        assert (np.diff(received_ns) >= 0).all()
        # nothing is received before it was sent; both clocks are CLOCK_MONOTONIC. A kernel stamp is
        # turned into it by an offset that is off by less than this.
        assert (received_ns >= sent_ns - 100_000).all()
    assert result["results"]["total_output_tokens"] == sum(r["output_tokens"] for r in records)


def test_warmups_are_as_long_as_measured_requests_and_share_no_prompt(bin_dir, tmp_path, patience):
    config = base_config(num_prompts=10, num_warmups=4, random_input_len=64, prompt_token_ids=True)
    config["launch"]["extra_args"] = ["--sim-capture", str(tmp_path / "capture")]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "-q", patience=patience)
    assert done.returncode == 0, done.stderr
    bodies = [json.loads(part[part.index(b"\r\n\r\n") + 4:][:length])
              for part, length in captured_completions((tmp_path / "capture").read_bytes())]
    prompts = [tuple(body["prompt"]) for body in bodies if isinstance(body["prompt"], list)]
    assert len(prompts) == 14
    assert {len(prompt) for prompt in prompts} == {64}
    assert len({prompt[:16] for prompt in prompts}) == 14
    result = load_result(tmp_path / "r.json")
    assert result["config"]["benchmark"]["prompt_form"] == "token_ids"


def captured_completions(data):
    """Returns (bytes of the request from its head on, length of its body) for each POST to completions."""
    found = []
    at = data.find(b"POST /v1/completions ")
    while at >= 0:
        head = data[at:data.index(b"\r\n\r\n", at)].decode().lower()
        length = next(int(line.split(":")[1]) for line in head.splitlines()
                      if line.startswith("content-length"))
        found.append((data[at:], length))
        at = data.find(b"POST /v1/completions ", at + 1)
    return found


def test_same_seed_same_requests(bin_dir, tmp_path, patience):
    hashes = []
    for name in ("a", "b"):
        done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config(num_prompts=5)),
                           "-o", tmp_path / f"{name}.json", "-q", patience=patience)
        assert done.returncode == 0, done.stderr
        hashes.append(load_result(tmp_path / f"{name}.json")["config"]["benchmark"]["dataset_sha256"])
    assert hashes[0] == hashes[1]


def test_json_prints_the_result_alone(bin_dir, tmp_path, patience):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "-o",
                       tmp_path / "r.json", "--json", patience=patience)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == load_result(tmp_path / "r.json")
    assert "profllm: " in done.stderr


def test_quiet_says_nothing_on_stderr(bin_dir, tmp_path, patience):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "-o",
                       tmp_path / "r.json", "--quiet", patience=patience)
    assert done.returncode == 0 and done.stderr == ""


def test_no_escape_codes_where_no_terminal_is(bin_dir, tmp_path, patience):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "-o",
                       tmp_path / "r.json", env={"NO_COLOR": "1"}, patience=patience)
    assert "\x1b" not in done.stdout + done.stderr
    assert "\r" not in done.stderr


def read_terminal(descriptor):
    """Reads all that a program writes to its terminal, until it ends."""
    shown = b""
    while True:
        try:
            block = os.read(descriptor, 65536)
        except OSError:  # the other end is closed
            return shown.decode()
        if not block:
            return shown.decode()
        shown += block


def test_bar_on_a_terminal_that_cannot_redraw_lines(bin_dir, tmp_path):
    ours, theirs = pty.openpty()
    path = write_config(tmp_path, base_config(num_prompts=40, request_rate=40))
    process = subprocess.Popen(command(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json"),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                               env=environment({"TERM": "dumb"}))
    os.close(theirs)
    shown = read_terminal(ours)
    os.close(ours)
    assert process.wait() == 0
    bars = [part for line in shown.splitlines() for part in line.split("\r") if part.startswith("[")]
    assert re.match(r"\[#{12,}\] 40/40 ", bars[-1])
    assert len(bars) > 2
    assert all(len(bar) < 80 for bar in bars)


@pytest.mark.parametrize("merge,low,high", [(1, 0, 0), (2, 0.5, 0.6), (4, 0.8, 0.9)])
def test_tokens_of_one_event_are_known_to_be_merged(bin_dir, tmp_path, patience, merge, low, high):
    """Events contain 16 tokens in total; only usage reports the number."""
    config = base_config(num_prompts=20, random_output_len=16, max_concurrency=4)
    config["launch"]["extra_args"] = ["--sim-step", "5ms", "--sim-merge", str(merge)]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", patience=patience)
    assert done.returncode == 0, done.stderr
    checks = {check["id"]: check for check in load_result(tmp_path / "r.json")["quality"]["checks"]}
    # a slow machine joins events of several steps in one read: the records say which
    shared = 0
    for record in read_zst_lines(tmp_path / "r.requests.jsonl.zst"):
        flags = [event[2] & COALESCED for event in record["events"]] + [0]
        shared += sum(bool(mine or behind) for mine, behind in zip(flags, flags[1:]))
    assert low <= checks["merged_events"]["value"] <= high + shared / 320 * merge


def test_sim_replaces_the_command(bin_dir, tmp_path, patience):
    config = base_config()
    config["launch"]["command"] = ["no-such-server", "serve"]
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                       tmp_path / "r.json", "--sim", "-q", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["launch"]["argv"][:2] == ["profllm-sim", "serve"]
    assert result["environment"]["engine"]["simulated"] is True


def test_set_wins_over_the_file(bin_dir, tmp_path, patience):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, base_config()), "-o",
                       tmp_path / "r.json", "-q", "--set", "benchmark.num_prompts=3", "--set",
                       "server.max_num_seqs=2", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["results"]["completed"] == 3
    assert result["config"]["server"]["max_num_seqs"] == 2


def test_api_key_reaches_the_server_and_appears_nowhere(bin_dir, tmp_path, patience):
    secret = "do-not-show-me-9c1f"
    config = base_config()
    config["server"]["api_key"] = secret
    path = write_config(tmp_path, config)
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["results"]["completed"] == 20
    assert result["launch"]["env"]["VLLM_API_KEY"] == "***"
    assert result["launch"]["secret_env"] == ["VLLM_API_KEY"]
    shown = done.stdout + done.stderr + "".join(
        file.read_text() for file in (tmp_path / "r.json", tmp_path / "r.server.log"))
    assert secret not in shown
    dry = run_profllm(bin_dir, "run", "-c", path, "--dry-run", "--json", patience=patience)
    assert secret not in dry.stdout and json.loads(dry.stdout)["env"]["VLLM_API_KEY"] == "***"
