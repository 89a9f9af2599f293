"""Runs each command of profllm-dashboard and checks its JSON output against api/outputs.schema.json, also of failures."""
import contextlib
import json
import os
import shutil
import subprocess

import pytest
from dashboard_tools import results
from import_tools import ask, dashboard_command, run_dashboard
from outputs_tools import check_output, commands_of, documented_exits, outputs_of
from run_tools import base_config, run_profllm, write_config

PROGRAM = "profllm-dashboard"
FILTER = '{"field": "run.name", "op": "ne", "value": "x"}'
# name of the output, arguments, exit status; they run in this order on one database
ROWS = [
    ("import__json", ["import", "--db", "a.db", "r.json", "swept", "--json"], 0),
    ("import__json", ["import", "--db", "a.db", "conflict.json", "no_result.json", "plain.txt", "--json"], 1),
    ("import__baseline__json", ["import", "--db", "a.db", "--baseline", "b", "baseline.csv", "--json"], 0),
    ("import__prices__json", ["import", "--db", "a.db", "--prices", "prices.csv", "--json"], 0),
    ("backup__json", ["backup", "backups", "--db", "a.db", "--json"], 0),
    ("backup__list__json", ["backup", "backups", "--list", "--json"], 0),
    ("check__backup__json", ["check", "--backup", "backups", "--json"], 0),
    ("restore__json", ["restore", "backups", "--db", "restored.db", "--json"], 0),
    ("regress__json", ["regress", "--db", "a.db", "--filter", FILTER, "--json"], 0),
    ("check__json", ["check", "--db", "a.db", "--json"], 0),
    ("reindex__json", ["reindex", "--db", "a.db", "--dry-run", "--json"], 0),
    ("prune__holds__json", ["prune", "--db", "a.db", "--hold", "case=1", "--holds", "--json"], 0),
    ("prune__rule__json", ["prune", "--db", "a.db", "--rule", "age=1s", "--rows", "--json"], 0),
    ("prune__rule__json", ["prune", "--db", "restored.db", "--rule", "status=partial", "--rows", "--yes", "--json"], 0),
    ("prune__json", ["prune", "--db", "a.db", "--json"], 0),
    # one row differs from its document, and one artifact is missing
    ("check__json", ["check", "--db", "damaged.db", "--json"], 1),
    ("backup__json", ["backup", "more", "--db", "damaged.db", "--json"], 1),
    ("check__backup__json", ["check", "--backup", "broken", "--json"], 1),
    ("reindex__json", ["reindex", "--db", "damaged.db", "--json"], 0),
    ("token_add__json", ["token", "add", "alice", "--token-file", "tokens", "--json"], 0),
    ("token_add__json", ["token", "add", "ci", "--never-expires", "--token-file", "tokens", "--json"], 0),
    ("token_list__json", ["token", "list", "--token-file", "tokens", "--json"], 0),
    ("token_revoke__json", ["token", "revoke", "alice", "--token-file", "tokens", "--json"], 0),
    ("fields__json", ["fields", "--json"], 0), ("fields__count__json", ["fields", "--count", "--json"], 0),
    ("completion__json", ["completion", "bash", "--json"], 0), ("help__json", ["help", "--json"], 0),
    ("help__json", ["help", "--json", "token"], 0), ("version__json", ["version", "--json"], 0)]
# these run until a signal
SERVERS = [("serve__json", ["serve", "--db", "served.db", "--port", "0", "--json"]), ("demo__json", ["demo", "--rows", "5", "--port", "0", "--json"])]
WATCH = "import__watch__json"


@pytest.fixture(scope="module")
def place(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    result = next(results(1))
    (folder / "r.json").write_text(json.dumps(result))
    (folder / "conflict.json").write_text(json.dumps({**result, "name": "another"}))
    (folder / "no_result.json").write_text('{"x": 1}')
    (folder / "plain.txt").write_text("text")
    (folder / "baseline.csv").write_text("gpu,model,output_throughput,no_such\nH100,m,100,1\n")
    (folder / "prices.csv").write_text("gpu,per_hour\nH100,2.5\n")
    write_config(folder, {**base_config(num_prompts=4), "sweep": {"server.max_num_seqs": [4, 8]}})
    assert run_profllm(bin_dir, "sweep", "run", "-q", "--sim", "-o", "swept", "experiment.yaml", cwd=folder).returncode == 0
    return folder


def damage(folder):
    """Copies the database with a row that differs and without one artifact, and its backup with a damaged file."""
    shutil.copy(folder / "a.db", folder / "damaged.db")
    shutil.copytree(folder / "a.db.files", folder / "damaged.db.files")
    ask(folder / "damaged.db", "UPDATE benchmark_runs SET \"run.suite\" = 'other' WHERE id = 1")
    next(path for path in sorted((folder / "damaged.db.files").rglob("*")) if path.is_file()).unlink()
    shutil.copytree(folder / "backups", folder / "broken")
    next(path for path in sorted((folder / "broken/artifacts").rglob("*")) if path.is_file()).unlink()


def test_outputs_fit_their_schemas(bin_dir, place):
    for name, words, status in ROWS:
        if "damaged.db" in words and not (place / "damaged.db").exists():
            damage(place)
        done = run_dashboard(bin_dir, *words, cwd=place)
        assert done.returncode == status and str(status) in documented_exits()[f"{PROGRAM} {words[0]}"], (words, done.stdout, done.stderr)
        check_output(PROGRAM, name, json.loads(done.stdout))


@contextlib.contextmanager
def started(bin_dir, folder, *words):
    process = subprocess.Popen(dashboard_command(bin_dir, *words), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env={**os.environ, "TMPDIR": str(folder)})
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


@pytest.mark.parametrize(("name", "words"), SERVERS, ids=[name for name, _ in SERVERS])
def test_a_server_prints_one_line(bin_dir, place, name, words):
    with started(bin_dir, place, *words) as process:
        line = json.loads(process.stdout.readline())
        check_output(PROGRAM, name, line)
        assert line["url"].startswith("http://127.0.0.1:") and line["database"].endswith(".db")


def test_a_watch_prints_one_object_per_line(bin_dir, place):
    with started(bin_dir, place, "import", "--db", "watched.db", "--watch", "swept", "--json") as process:
        kinds = set()
        while kinds != {"result", "artifact", "sweep"}:
            line = json.loads(process.stdout.readline())
            check_output(PROGRAM, WATCH, line)
            kinds.add("artifact" if "artifact" in line else "sweep" if "sweep" in line else "result")


def test_every_output_is_played():
    assert {row[0] for row in ROWS} | {row[0] for row in SERVERS} | {WATCH} == set(outputs_of(PROGRAM))


def test_every_command_has_a_schema(bin_dir):
    with_schema = set(outputs_of(PROGRAM).values())
    commands = commands_of(lambda *words: run_dashboard(bin_dir, *words))
    assert len(commands) > 10
    for one in commands:
        names = {one["name"], *(f"{one['name']} {word}" for word in one["words"] if one["name"] == "token")}
        assert names & with_schema and (one["name"] != "token" or names - with_schema == {"token"}), one["name"]
        assert "json" in {option["name"] for option in one["options"]}, one["name"]


def test_wrong_usage_prints_one_line_and_no_json(bin_dir, tmp_path):
    for one in commands_of(lambda *words: run_dashboard(bin_dir, *words)):
        if one["name"] == "help":
            continue
        done = run_dashboard(bin_dir, one["name"], "--json", "--no-such-option", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), one["name"]
        assert "no-such-option" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert list(tmp_path.iterdir()) == []
