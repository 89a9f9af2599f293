"""Runs each command of profllm and checks its JSON output against api/outputs.schema.json, also of runs that fail."""
import json
import os
import subprocess

import pytest
from dashboard_tools import Dashboard, results
from outputs_tools import check_output, commands_of, documented_exits, outputs_of
from run_tools import PATIENCE, base_config, command, environment, run_profllm, write_config
from sim_tools import Server

PROGRAM = "profllm"
SWEEP = ["--serve-cmd", "profllm-sim serve tiny --port 1", "--bench-cmd", "vllm bench serve --model tiny", "--dry-run", "--json", "-o", "swept"]
STARTS = ["--startup-cmd", "vllm bench startup --model tiny", "--dry-run", "--json", "-o", "swept"]
BENCH = ["--model", "tiny", "--random-input-len", "8", "--random-output-len", "4", "--num-prompts", "4", "--json"]
OFFLINE = ["--model", "tiny", "--json", "--quiet"]
LENGTHS = ["--dataset-name", "random", "--random-input-len", "8", "--random-output-len", "4"]
SLA = ["--sla-params", "sla.json"]

# name of the output, arguments, exit status
ROWS = [
    ("run__json", ["run", "--json", "-q", "--sim", "-c", "experiment.yaml", "-o", "same.json"], 0),
    ("run__json", ["run", "--json", "-q", "-c", "dies.yaml", "-o", "dies.json"], 3),
    ("run__dry_run__json", ["run", "--dry-run", "--json", "--sim", "-c", "experiment.yaml"], 0),
    ("run__dry_run__json", ["run", "--dry-run", "--json", "--sim", "-c", "wrong.yaml"], 2),
    ("run__brief", ["run", "--brief", "-q", "--sim", "-c", "experiment.yaml", "-o", "brief.json"], 0),
    ("sweep_run__json", ["sweep", "run", "--json", "-q", "--sim", "-o", "three", "sweep.yaml"], 0),
    ("sweep_run__brief", ["sweep", "run", "--brief", "-q", "--sim", "-o", "two", "sweep.yaml"], 0),
    ("sweep_run__dry_run__json", ["sweep", "run", "--dry-run", "--json", "sweep.yaml"], 0),
    ("sweep_run__dry_run__json", ["sweep", "run", "--dry-run", "--json", "--resume", "-o", "one", "sweep.yaml"], 0),
    *[(f"{head}sweep_{kind}__json", [*words, "sweep", kind, *SWEEP, *more], 0) for head, words in (("", []), ("bench_", ["bench"]))
      for kind, more in (("serve", []), ("serve_workload", []), ("serve_sla", SLA))],
    ("sweep_startup__json", ["sweep", "startup", *STARTS], 0), ("bench_sweep_startup__json", ["bench", "sweep", "startup", *STARTS], 0),
    ("sweep_serve__json", ["sweep", "serve", "--serve-cmd", "false", "--after-bench-cmd", "true", "--bench-cmd", "vllm bench serve --model tiny --port 1", "--json", "-o", "failed"], 3),
    ("bench_serve__json", ["bench", "serve", "--port", "PORT", "--quiet", *BENCH], 0),
    ("bench_serve__json", ["bench", "serve", "--port", "1", "--quiet", *BENCH], 3),
    ("bench_serve__dry_run__json", ["bench", "serve", "--dry-run", *BENCH], 0),
    ("bench_serve__dry_run__json", ["bench", "serve", "--dry-run", *BENCH, "--num-prompt", "x"], 2),
    ("bench_latency__json", ["bench", "latency", "--sim", "--num-iters", "1", "--num-iters-warmup", "0", *OFFLINE], 0),
    ("bench_throughput__json", ["bench", "throughput", *OFFLINE, *LENGTHS], 3),
    ("bench_startup__json", ["bench", "startup", *OFFLINE], 3), ("bench_mm_processor__json", ["bench", "mm-processor", *OFFLINE], 3),
    *[(f"bench_{kind.replace('-', '_')}__dry_run__json", ["bench", kind, "--dry-run", *OFFLINE, *more], 0)
      for kind, more in (("latency", []), ("throughput", LENGTHS), ("startup", []), ("mm-processor", []))],
    ("bench_latency__dry_run__json", ["bench", "latency", "--dry-run", "--batch-size", "0", *OFFLINE], 2),
    ("export_job__json", ["export-job", "job.yaml", "--slurm", "--json"], 0),
    ("export_job__json", ["export-job", "job.yaml", "--slurm", "--json", "-o", "job.sh"], 0),
    ("recover__json", ["recover", "left.json", "--json"], 0),
    ("validate__json", ["validate", "--json", "--explain", "experiment.yaml", "wrong.yaml"], 2),
    ("validate__json", ["validate", "--json", "--upgrade-to", "0.11.0", "experiment.yaml"], 0),
    ("validate__schema__json", ["validate", "--schema", "result", "--json", "r.json"], 0),
    ("validate__schema__json", ["validate", "--schema", "result", "--json", "wrong.yaml"], 2),
    ("config_from_command__json", ["config", "from-command", "--json", "--", "vllm", "serve", "org/m", "-tp", "4", "--api-key", "sekrit"], 0),
    ("config_from_command__json", ["config", "from-command", "--json", "-o", "made.yaml", "--", "vllm", "serve", "org/m", "--api-key", "sekrit"], 0),
    ("config_to_command__json", ["config", "to-command", "--json", "job.yaml"], 0),
    ("config_from_result__json", ["config", "from-result", "--json", "r.json"], 0),
    ("config_expand__json", ["config", "expand", "--json", "sweep.yaml"], 0),
    ("params__json", ["params", "--json", "parallel"], 0), ("params__since__json", ["params", "--since", "0.10.0", "--json"], 0),
    ("params__from_vllm__json", ["params", "--json", "--from-vllm", "cat help.txt"], 0),
    ("upload__json", ["upload", "--json", "r.json", "one", "--to", "DASHBOARD"], 0),
    ("upload__json", ["upload", "--json", "r.json", "conflict.json", "no_result.json", "--to", "DASHBOARD"], 2),
    ("upload__json", ["upload", "--json", "r.json", "--to", "http://127.0.0.1:1", "--wait", "0s"], 1),
    ("upload__pending__json", ["upload", "--pending", "--json", "one"], 0),
    ("upload__pending__json", ["upload", "--pending", "--json", "--wait", "0s", "pending"], 1),
    ("compare__json", ["compare", "--json", "r.json", "r.json"], 0), ("compare__brief", ["compare", "--brief", "r.json", "r.json"], 0),
    ("compare__json", ["compare", "--json", "r.json", "failed.json", "--fail-on-regression"], 1),
    ("gate__json", ["gate", "--json", "--base", "r.json", "--candidate", "r.json"], 4),
    ("query_experiments__json", ["query", "experiments", "--json", "--dashboard", "DASHBOARD"], 0),
    ("query_fields__json", ["query", "fields", "--json", "--dashboard", "DASHBOARD"], 0),
    ("query_missing__json", ["query", "missing", "--json", "--dashboard", "DASHBOARD", "--axes", "server.max_num_seqs"], 0),
    ("mcp__json", ["mcp", "--json"], 0),
    ("report__json", ["report", "--json", "r.json"], 0), ("report__json", ["report", "--json", "r.json", "-o", "report.html"], 0),
    ("gpus__json", ["gpus", "--json"], 0),
    ("schema__json", ["schema", "--json"], 0), ("schema__fields__json", ["schema", "--fields", "--json"], 0),
    ("schema__fields_FILE__json", ["schema", "--fields", "r.json", "--json"], 0),
    *[("completion__json", ["completion", shell, "--json"], 0) for shell in ("bash", "zsh", "fish")],
    ("help__json", ["help", "--json"], 0), ("help__json", ["help", "sweep", "serve_sla", "--json"], 0), ("version__json", ["version", "--json"], 0)]
# other tests play these: test_profllm_demo.py, test_gate.py, and the one of a watch below
ELSEWHERE = {"demo__json", "bisect__json", "gpus__watch__json"}


@pytest.fixture(scope="module")
def place(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    write_config(folder, base_config(num_prompts=4))
    write_config(folder, {**base_config(num_prompts=4), "sweep": {"server.max_num_seqs": [4, 8]}}, "sweep.yaml")
    write_config(folder, {"server": {"model": "m", "no_such": 1}}, "wrong.yaml")
    write_config(folder, {**base_config(num_prompts=4), "launch": {"command": ["false"]}}, "dies.yaml")
    write_config(folder, {"server": {"model": "org/m"}, "launch": {"gpus": [0]}, "benchmark": {"num_prompts": 4}}, "job.yaml")
    (folder / "sla.json").write_text('[{"p99_e2el_ms": "<=500"}]')
    (folder / "no_result.json").write_text('{"x": 1}')
    assert run_profllm(bin_dir, "run", "-q", "--sim", "-c", "experiment.yaml", "-o", "r.json", cwd=folder).returncode == 0
    assert run_profllm(bin_dir, "run", "-q", "-c", "dies.yaml", "-o", "failed.json", cwd=folder).returncode == 3
    assert run_profllm(bin_dir, "sweep", "run", "-q", "--sim", "-o", "one", "sweep.yaml", cwd=folder).returncode == 0
    (folder / "bin").mkdir()
    (folder / "bin/vllm").write_text("#!/bin/sh\nexit 1\n")
    (folder / "bin/vllm").chmod(0o755)
    (folder / "help.txt").write_text("options:\n  --model MODEL\n                        Text. (default: None)\n")
    result = json.loads((folder / "r.json").read_text())
    (folder / "conflict.json").write_text(json.dumps({**result, "name": "another"}))
    # the journal of a killed run, and a list of a result that a dashboard did not take
    process = subprocess.Popen(command(bin_dir, "run", "-q", "--sim", "-c", "experiment.yaml", "-o", "left.json", "-s", "benchmark.num_prompts=1000000"),
                               cwd=folder, env=environment())
    while not (folder / "left.json.journal").exists() or (folder / "left.json.journal").stat().st_size < 4096:
        assert process.poll() is None
    process.kill()
    process.wait()
    (folder / "pending").mkdir()
    away = run_profllm(bin_dir, "run", "-q", "--sim", "-c", "experiment.yaml", "-o", "pending/p.json", "--upload", "http://127.0.0.1:1", cwd=folder)
    assert away.returncode == 8
    return folder


@pytest.fixture(scope="module")
def servers(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("servers")
    with Dashboard(bin_dir, folder / "profllm.db") as dashboard, Server(bin_dir) as server:
        (folder / "r.json").write_text(json.dumps(next(results(1))))
        assert run_profllm(bin_dir, "upload", folder / "r.json", "--to", dashboard.url).returncode == 0
        yield {"DASHBOARD": dashboard.url, "PORT": str(server.port)}


@pytest.mark.parametrize(("name", "words", "status"), ROWS, ids=[" ".join(row[1])[:60] for row in ROWS])
def test_output_fits_its_schema(bin_dir, place, servers, name, words, status):
    words = [servers.get(word, word) for word in words]
    # a vLLM that ends at once; profllm-sim is found next to profllm
    done = run_profllm(bin_dir, *words, cwd=place, env={"PATH": f"{place}/bin:{os.environ['PATH']}"})
    assert done.returncode == status, done.stdout + done.stderr
    exits = documented_exits()
    assert str(status) in exits.get(f"{PROGRAM} {' '.join(words[:2])}", exits[f"{PROGRAM} {words[0]}"])
    check_output(PROGRAM, name, json.loads(done.stdout))
    assert "sekrit" not in done.stdout


def test_a_result_is_printed_as_its_file(bin_dir, place):
    done = run_profllm(bin_dir, "run", "--json", "-q", "--sim", "-c", "experiment.yaml", "-o", "equal.json", cwd=place)
    assert json.loads(done.stdout) == json.loads((place / "equal.json").read_text())


def test_a_watch_prints_one_object_per_line(bin_dir):
    with subprocess.Popen(command(bin_dir, "gpus", "--watch", "50ms", "--json"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for _ in range(2):
            check_output(PROGRAM, "gpus__watch__json", json.loads(process.stdout.readline()))
        process.terminate()


def test_every_output_is_played():
    assert {row[0] for row in ROWS} | ELSEWHERE == set(outputs_of(PROGRAM))


def test_every_command_has_a_schema(bin_dir):
    """Each command and part of one has the option --json, and a definition of what it prints."""
    with_schema = set(outputs_of(PROGRAM).values())
    commands = commands_of(lambda *words: run_profllm(bin_dir, *words))
    assert len(commands) > 20
    for one in commands:
        assert any(known == one["name"] or known.startswith(f"{one['name']} ") for known in with_schema), one["name"]
        assert "json" in {option["name"] for option in one["options"]}, one["name"]
    assert with_schema <= {" ".join([one["name"], *more]) for one in commands for more in [[], *([word] for word in one["words"]),
                                                                                       *(["sweep", word] for word in one["words"] + SWEEPS)]}


SWEEPS = ["serve", "serve_workload", "serve_sla", "startup"]


def test_wrong_usage_prints_one_line_and_no_json(bin_dir, tmp_path):
    """A command line that cannot be read has no answer: the reason is on standard error."""
    for one in commands_of(lambda *words: run_profllm(bin_dir, *words)):
        if one["name"] == "help":
            continue
        words = [*one["name"].split(), *(["serve"] if one["name"] == "bench" else []), "--json", "--no-such-option"]
        done = run_profllm(bin_dir, *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert "no-such-option" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_help_as_data_is_the_help(bin_dir):
    """Each visible option of --help is an option of help --json, with its text."""
    for one in commands_of(lambda *words: run_profllm(bin_dir, *words)):
        if one["name"] == "help":
            continue
        text = " ".join(run_profllm(bin_dir, *one["name"].split(), "--help").stdout.split())
        for option in one["options"]:
            shown = f"--{'[no-]' if option['negatable'] else ''}{option['name']}{' ' + option['argument'] if option['argument'] else ''}"
            assert shown in text and " ".join(option["help"].split()) in text, (one["name"], option)
        assert all(usage in text or " ".join(usage.split()) in text for usage in one["usage"]), one["usage"]
    done = run_profllm(bin_dir, "help", "--json", "no-such")
    assert done.returncode == 2 and done.stdout == "" and "no-such" in done.stderr
