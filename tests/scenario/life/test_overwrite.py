"""A finished result is never lost: not by a second run, one that fails over it, or a kill during it."""
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time

import jsonschema
import pytest
from host_tools import need
from journal_tools import journal_of
from run_tools import base_config, load_result, marked_processes, read_zst_lines, run_profllm, start_profllm, write_config
from sim_tools import Server
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
KILLS = 200 if LONG else 8
AT_ONCE = 4
SEED = 20261122


def config_of(**benchmark):
    return base_config(**{"num_prompts": 12, "random_output_len": 4, "max_concurrency": 4, **benchmark})


@pytest.fixture(scope="module")
def first(bin_dir, tmp_path_factory, patience):
    """A directory with a complete result, its artifacts and vLLM's flat result."""
    folder = tmp_path_factory.mktemp("first")
    done = run_profllm(bin_dir, "run", "-c", write_config(folder, config_of()), "-o", folder / "r.json", "-q",
                       patience=patience)
    assert done.returncode == 0, done.stderr
    (folder / "experiment.yaml").unlink()
    return folder


@pytest.fixture(scope="module")
def validator(source_dir):
    return jsonschema.Draft202012Validator(json.loads((source_dir / "api/result.schema.json").read_text()))


@pytest.fixture
def folder(first, tmp_path):
    return copy_of(first, tmp_path / "run")


def copy_of(first, to):
    shutil.copytree(first, to)
    return to


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def is_whole(path, validator):
    """Returns whether every artifact is the one that the result describes."""
    result = load_result(path)
    validator.validate(result)
    for artifact in result["artifacts"]:
        side = path.parent / artifact["name"]
        if not side.exists() or hashlib.sha256(side.read_bytes()).hexdigest() != artifact["sha256"]:
            return False
    return True


def alternative_in(folder):
    """Returns the result that a run has written next to r.json."""
    path, = folder.glob("r.exp_*.json")
    return path


def run_over(bin_dir, folder, config, *words, patience, env=None):
    return run_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json", "-q", *words,
                       patience=patience, env=env)


def check_unchanged(folder, before, validator):
    now = bytes_of(folder)
    assert {name: now.get(name) for name in before} == before
    assert is_whole(folder / "r.json", validator)


def test_a_second_run_is_refused(bin_dir, folder, validator, patience):
    before = bytes_of(folder)
    result = load_result(folder / "r.json")
    done = run_over(bin_dir, folder, config_of(), patience=patience)
    assert done.returncode == 2 and done.stdout == ""
    line = done.stderr.splitlines()[-1]
    assert line.endswith(f"'{folder / 'r.json'}' holds a result of {result['timestamp']}, status completed; "
                         "use another --output or --overwrite")
    check_unchanged(folder, before, validator)
    assert set(bytes_of(folder)) == set(before) | {"experiment.yaml"}
    plan = run_over(bin_dir, folder, config_of(), "--dry-run", "--json", patience=patience)
    assert plan.returncode == 0
    assert any("holds a result of" in text and "--overwrite" in text for text in json.loads(plan.stdout)["warnings"])
    plan = run_over(bin_dir, folder, config_of(), "--dry-run", "--json", "--overwrite", patience=patience)
    assert not any("holds a result of" in text for text in json.loads(plan.stdout)["warnings"])


def test_any_other_file_is_refused_too(bin_dir, tmp_path, patience):
    notes = tmp_path / "r.json"
    notes.write_text("what I thought")
    done = run_over(bin_dir, tmp_path, config_of(), patience=patience)
    assert done.returncode == 2 and f"'{notes}' already exists; use another --output" in done.stderr
    assert notes.read_text() == "what I thought" and {path.name for path in tmp_path.iterdir()} == {"r.json", "experiment.yaml"}
    # the journal of a killed run stays, too
    journal = tmp_path / "r.json.journal"
    journal.write_text('[3, "not read"]\n')
    for more in ([], ["--dry-run", "--json"]):
        done = run_over(bin_dir, tmp_path, config_of(), "--overwrite", *more, patience=patience)
        said = done.stderr + done.stdout
        assert done.returncode == (0 if more else 2) and f"'{notes}' is not a result, and --overwrite replaces only results; remove it" in said
        assert notes.read_text() == "what I thought" and journal.exists()
    journal.unlink()
    # an empty file holds nothing that could be lost
    notes.write_text("")
    assert run_over(bin_dir, tmp_path, config_of(), patience=patience).returncode == 0
    assert load_result(notes)["status"] == "completed"


def test_artifacts_of_a_moved_result_are_kept(bin_dir, folder, patience):
    """A renamed result still owns the artifacts next to it."""
    (folder / "r.json").rename(folder / "day1.json")
    before = bytes_of(folder)
    done = run_over(bin_dir, folder, config_of(), patience=patience)
    assert done.returncode == 2 and done.stdout == ""
    line = done.stderr.splitlines()[-1]
    assert f"artifacts of '{folder / 'day1.json'}' exist" in line and line.endswith("; use another --output or --overwrite")
    names = [artifact["name"] for artifact in load_result(folder / "day1.json")["artifacts"]]
    assert len(names) == 3 and all(f"'{folder / name}'" in line for name in names)
    now = bytes_of(folder)
    assert {name: now.get(name) for name in before} == before and set(now) == set(before) | {"experiment.yaml"}
    plan = run_over(bin_dir, folder, config_of(), "--dry-run", "--json", patience=patience)
    assert plan.returncode == 0
    assert any("day1.json' exist: " in text for text in json.loads(plan.stdout)["warnings"])
    done = run_over(bin_dir, folder, config_of(), "--overwrite", patience=patience)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("suffix", ["server.log", "requests.jsonl.zst", "series.jsonl.zst", "client.log", "timeline.html",
                                    "dataset_stats.png", "client.timeline.html"])
@pytest.mark.parametrize("kind", ["file", "link", "broken link"])
def test_a_file_at_the_name_of_an_artifact_is_moved(bin_dir, tmp_path, patience, suffix, kind):
    victim, planted = tmp_path / "victim", tmp_path / f"r.{suffix}"
    victim.write_text("mine")
    if kind == "file":
        planted.write_text("mine")
    else:
        planted.symlink_to(victim if kind == "link" else tmp_path / "nowhere")
    for number in (1, 2):
        done = run_over(bin_dir, tmp_path, config_of(num_prompts=1), patience=patience)
        aside = tmp_path / f"{planted.name}.{number}"
        assert done.returncode == 0 and (number > 1 or f"moved '{planted}'" in done.stderr), done.stderr
        (tmp_path / "r.json").unlink()
        assert aside.is_symlink() == (kind != "file") if number == 1 else not aside.is_symlink()
        if suffix not in ("server.log", "requests.jsonl.zst", "series.jsonl.zst"):
            break
    assert victim.read_text() == "mine" and not (tmp_path / "nowhere").exists()
    if kind == "file":
        assert (tmp_path / f"{planted.name}.1").read_text() == "mine"


ARTIFACTS = ["server.log", "requests.jsonl.zst", "series.jsonl.zst"]


def test_links_at_artifacts_are_not_followed(bin_dir, tmp_path, patience):
    """The same holds if --overwrite allows the run to replace the names."""
    for name in ARTIFACTS:
        (tmp_path / f"victim.{name}").write_text("mine")
        (tmp_path / f"r.{name}").symlink_to(tmp_path / f"victim.{name}")
    done = run_over(bin_dir, tmp_path, config_of(), "--overwrite", patience=patience)
    assert done.returncode == 0, done.stderr
    for name in ARTIFACTS:
        assert (tmp_path / f"victim.{name}").read_text() == "mine" and not (tmp_path / f"r.{name}").is_symlink()
    assert (tmp_path / "r.server.log").stat().st_mode & 0o777 == 0o600


def test_modes_of_files(bin_dir, tmp_path, patience):
    """Logs are private, other files follow the umask; --file-mode applies to all of them."""
    def modes():
        return {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("r.*")}
    names = [f"r.{name}" for name in ARTIFACTS]
    before = os.umask(0o027)
    try:
        done = run_over(bin_dir, tmp_path, config_of(), patience=patience)
        assert done.returncode == 0, done.stderr
        assert modes() == {"r.json": 0o640, names[0]: 0o600, names[1]: 0o640, names[2]: 0o640}
        done = run_over(bin_dir, tmp_path, config_of(), "--overwrite", "--file-mode", "0664", patience=patience)
        assert done.returncode == 0, done.stderr
        assert modes() == dict.fromkeys(["r.json", *names], 0o664)
    finally:
        os.umask(before)
    for text in ("640x", "0400", "1777", "", "99", "rw-r-----", "-640"):
        done = run_over(bin_dir, tmp_path, config_of(), "--overwrite", f"--file-mode={text}", patience=patience)
        assert done.returncode == 2 and f"--file-mode: found '{text}', expected an octal mode from 0600 to 0777" in done.stderr


def test_overwrite_takes_the_place_of_all(bin_dir, folder, validator, patience):
    """Artifacts of the old result that the new one lacks are removed; the others are the new ones."""
    old = load_result(folder / "r.json")
    config = config_of()
    config["output"] = {"series": False}
    done = run_over(bin_dir, folder, config, "--overwrite", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(folder / "r.json")
    assert result["run_id"] != old["run_id"] and is_whole(folder / "r.json", validator)
    assert set(bytes_of(folder)) == {"experiment.yaml", "r.json", "r.requests.jsonl.zst", "r.server.log"}
    assert len(read_zst_lines(folder / "r.requests.jsonl.zst")) == 12
    assert f"Result: {folder / 'r.json'}" in done.stdout


@pytest.mark.parametrize("what", ["launch", "all requests fail", "run_timeout"])
def test_a_less_complete_run_gets_another_name(bin_dir, folder, validator, patience, what):
    before = bytes_of(folder)
    config = config_of()
    if what == "launch":
        config["launch"]["command"] = ["sh", "-c", "exit 3"]
    elif what == "all requests fail":
        config["launch"]["extra_args"] += ["--sim-error-rate", "1"]
    else:
        config["benchmark"].update(num_prompts=2000, max_concurrency=1)
        config["launch"]["run_timeout"] = "1s"
    done = run_over(bin_dir, folder, config, "--overwrite", patience=patience)
    assert done.returncode not in (0, 2), done.stderr
    check_unchanged(folder, before, validator)
    path = alternative_in(folder)
    assert is_whole(path, validator)
    result = load_result(path)
    assert result["status"] != "completed" and f"Result: {path}" in done.stdout
    assert f"'{folder / 'r.json'}', which has a result of" in done.stderr and str(path) in done.stderr
    assert not journal_of(folder / "r.json").exists()
    # the next one that comes to its end has its place
    done = run_over(bin_dir, folder, config_of(), "--overwrite", patience=patience)
    assert done.returncode == 0 and is_whole(folder / "r.json", validator)
    assert load_result(folder / "r.json")["run_id"] not in (result["run_id"], json.loads(before["r.json"])["run_id"])


def test_an_equally_complete_one_replaces_it(bin_dir, tmp_path, validator, patience):
    config = config_of()
    config["launch"]["command"] = ["sh", "-c", "exit 3"]
    assert run_over(bin_dir, tmp_path, config, patience=patience).returncode == 3
    first_id = load_result(tmp_path / "r.json")["run_id"]
    assert run_over(bin_dir, tmp_path, config, patience=patience).returncode == 2
    assert run_over(bin_dir, tmp_path, config, "--overwrite", patience=patience).returncode == 3
    assert load_result(tmp_path / "r.json")["run_id"] != first_id
    assert not list(tmp_path.glob("r.exp_*")) and is_whole(tmp_path / "r.json", validator)


def long_config():
    return config_of(num_prompts=4000, max_concurrency=8, random_output_len=20)


def start_over(bin_dir, folder, config, env=None):
    return start_profllm(bin_dir, "run", "-c", write_config(folder, config), "-o", folder / "r.json", "-q", "--overwrite",
                         env=env)


def has_records(folder):
    path = journal_of(folder / "r.json")
    return path.exists() and b'"record"' in path.read_bytes()


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_gets_another_name(bin_dir, folder, validator, patience, number, status):
    before = bytes_of(folder)
    process = start_over(bin_dir, folder, long_config())
    wait_for(lambda: has_records(folder), "requests have finished", 60, process)
    process.send_signal(number)
    process.communicate(timeout=60 * patience)
    assert process.returncode == status
    check_unchanged(folder, before, validator)
    assert is_whole(alternative_in(folder), validator)
    assert load_result(alternative_in(folder))["results"]["completed"] > 0


def test_a_killed_run_is_recovered_next_to_it(bin_dir, folder, validator, patience):
    before = bytes_of(folder)
    process = start_over(bin_dir, folder, long_config())
    wait_for(lambda: has_records(folder), "requests have finished", 60, process)
    process.kill()
    process.communicate(timeout=60 * patience)
    check_unchanged(folder, before, validator)
    again = run_over(bin_dir, folder, config_of(), patience=patience)
    assert again.returncode == 2 and "profllm recover" in again.stderr
    done = run_profllm(bin_dir, "recover", folder / "r.json", patience=patience)
    assert done.returncode == 0 and f"Result: {alternative_in(folder)}" in done.stdout, done.stderr
    check_unchanged(folder, before, validator)
    assert is_whole(alternative_in(folder), validator) and load_result(alternative_in(folder))["status"] == "interrupted"
    assert not journal_of(folder / "r.json").exists() and not list(folder.glob("*.tmp.*"))


def test_abandoned_work_is_removed(bin_dir, folder, validator, patience):
    """--overwrite over a journal and a result: nothing remains of the killed run, and the new result is complete."""
    process = start_over(bin_dir, folder, long_config())
    wait_for(lambda: has_records(folder), "requests have finished", 60, process)
    process.kill()
    process.communicate(timeout=60 * patience)
    assert list(folder.glob("r.exp_*.server.log"))
    done = run_over(bin_dir, folder, config_of(), "--overwrite", patience=patience)
    assert done.returncode == 0 and not list(folder.glob("r.exp_*")) and not list(folder.glob("*.tmp.*"))
    assert is_whole(folder / "r.json", validator)


def after_a_kill(bin_dir, folder, before, validator, patience):
    """Returns 'old', 'new', or 'between': the new result is in place and `recover` moves its artifacts."""
    output = folder / "r.json"
    old_id = json.loads(before["r.json"])["run_id"]
    end = "old" if load_result(output)["run_id"] == old_id else "new"
    if end == "old":
        check_unchanged(folder, before, validator)
    elif not is_whole(output, validator):
        assert journal_of(output).exists()
        end = "between"
    if journal_of(output).exists():
        done = run_profllm(bin_dir, "recover", output, patience=patience)
        assert done.returncode == 0 or "contains no run" in done.stderr, done.stderr
        assert (end == "old") == (load_result(output)["run_id"] == old_id)
    if end == "old":
        check_unchanged(folder, before, validator)
    else:
        assert is_whole(output, validator) and load_result(output)["status"] == "completed"
        assert not list(folder.glob("r.exp_*"))
    for path in folder.glob("r.exp_*.json"):
        assert is_whole(path, validator) and marked_processes(load_result(path)["run_id"]) == []
    return end


def kill_once(bin_dir, first, folder, moment_s, validator, patience):
    copy_of(first, folder)
    before = bytes_of(folder)
    process = start_over(bin_dir, folder, config_of(num_prompts=100))
    try:
        process.communicate(timeout=moment_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate(timeout=60 * patience)
    return after_a_kill(bin_dir, folder, before, validator, patience)


def test_kill_at_random_moments_over_a_result(bin_dir, first, tmp_path, validator, patience):
    rng = random.Random(SEED)
    began = time.monotonic()
    assert kill_once(bin_dir, first, tmp_path / "whole", None, validator, patience) == "new"
    longest_s = 1.2 * (time.monotonic() - began)
    moments = [rng.uniform(0, longest_s) for _ in range(KILLS)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(lambda i: kill_once(bin_dir, first, tmp_path / str(i), moments[i], validator, patience),
                             range(KILLS)))
    assert ends.count("old") >= KILLS / 4, ends


# Notes each rename and removal of a file of this folder, and kills the process before the N-th.
KILL_AT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void count(const char *what, const char *path)
{
	static atomic_int seen;
	const char *folder = getenv("TEST_FOLDER");
	if (folder == NULL || strstr(path, folder) == NULL || strstr(path, "/r.") == NULL)
		return;
	FILE *notes = fopen(getenv("TEST_NOTES"), "a");
	fprintf(notes, "%s %s\n", what, strrchr(path, '/') + 1);
	fclose(notes);
	if (atomic_fetch_add(&seen, 1) + 1 == atoi(getenv("TEST_KILL_AT")))
		kill(getpid(), SIGKILL);
}
int rename(const char *from, const char *to)
{
	int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
	count("rename", to);
	return next(from, to);
}
int unlink(const char *path)
{
	int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
	count("unlink", path);
	return next(path);
}
"""


def kill_at(bin_dir, first, tmp_path, at, validator, patience):
    """Returns (the outcome; the steps completed or about to begin)."""
    folder = copy_of(first, tmp_path / str(at))
    before, notes = bytes_of(folder), tmp_path / f"{at}.notes"
    process = start_over(bin_dir, folder, config_of(num_prompts=2), env={
        "LD_PRELOAD": str(tmp_path / "shim.so"), "TEST_FOLDER": f"/{at}/", "TEST_KILL_AT": str(at), "TEST_NOTES": str(notes)})
    process.communicate(timeout=60 * patience)
    steps = notes.read_text().splitlines()
    assert process.returncode == (-signal.SIGKILL if len(steps) == at else 0)
    return after_a_kill(bin_dir, folder, before, validator, patience), steps


def test_kill_at_each_step_of_the_end(bin_dir, first, tmp_path, validator, patience):
    """Kills before each rename and removal, from the one that installs the result on."""
    if os.environ.get("PROFLLM_SANITIZED"):
        pytest.skip("a sanitizer wants to be loaded before the library that kills")
    (tmp_path / "shim.c").write_text(KILL_AT)
    subprocess.run([need("gcc"), "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"], cwd=tmp_path, check=True)
    end, steps = kill_at(bin_dir, first, tmp_path, 1000, validator, patience)
    assert end == "new" and steps[-1] == "unlink r.json.journal"
    result = steps.index("rename r.json") + 1
    numbers = range(1 if LONG else result, len(steps) + 1)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(lambda at: kill_at(bin_dir, first, tmp_path, at, validator, patience)[0], numbers))
    # the result comes at once; its files one by one; and nothing is left to do at last
    assert ends[result - numbers[0]] == "old" and ends[-1] == "new" and "between" in ends, (steps, ends)
    assert ends == sorted(ends, key=["old", "between", "new"].index), (steps, ends)


def test_a_flat_result_with_a_name_is_kept(bin_dir, tmp_path, patience):
    config = config_of(save_result=True, result_dir=str(tmp_path), result_filename="flat.json")
    assert run_over(bin_dir, tmp_path, config, patience=patience).returncode == 0
    before = (tmp_path / "flat.json").read_bytes()
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "other.json", "-q",
                       patience=patience)
    assert done.returncode == 2
    assert f"'{tmp_path / 'flat.json'}' holds a result of" in done.stderr and "result_filename" in done.stderr
    # an interrupted run writes to another name
    config["benchmark"].update(num_prompts=4000, random_output_len=20, max_concurrency=8)
    process = start_over(bin_dir, tmp_path, config)
    wait_for(lambda: has_records(tmp_path), "requests have finished", 60, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60 * patience)
    assert process.returncode == 130 and (tmp_path / "flat.json").read_bytes() == before
    flat, = tmp_path.glob("flat.exp_*.json")
    assert json.loads(flat.read_text())["profllm"]["status"] == "interrupted"
    # and one that came to its end takes its place
    config["benchmark"].update(num_prompts=12)
    assert run_over(bin_dir, tmp_path, config, "--overwrite", patience=patience).returncode == 0
    assert json.loads((tmp_path / "flat.json").read_text())["profllm"]["run_id"] == load_result(tmp_path / "r.json")["run_id"]


@pytest.mark.parametrize("output, name", [("r.json", "r.json"), ("r.json", "r.server.log"), ("r.json", "r.json.journal"),
                                          ("r.requests.jsonl.zst", "r.requests.jsonl.zst"), ("sub/../r.json", "./r.json")])
def test_files_that_meet_are_refused(bin_dir, tmp_path, patience, output, name):
    (tmp_path / "sub").mkdir()
    config = write_config(tmp_path, config_of(save_result=True, result_dir=str(tmp_path), result_filename=name))
    before = {path.name for path in tmp_path.iterdir()}
    told = (f"--output '{tmp_path}/{output}' and "
            f"benchmark.result_filename '{tmp_path}/{name}' would both write '{tmp_path}/{name}'")
    done = run_profllm(bin_dir, "run", "-c", config, "-o", f"{tmp_path}/{output}", "--overwrite", patience=patience)
    assert done.returncode == 2 and told in done.stderr and {path.name for path in tmp_path.iterdir()} == before
    done = run_profllm(bin_dir, "run", "-c", config, "-o", f"{tmp_path}/{output}", "--dry-run", "--json", patience=patience)
    assert any(told in (problem["expected"] or "") for problem in json.loads(done.stdout)["problems"])


def test_artifact_names_may_not_equal_the_flat_result(bin_dir, tmp_path, patience):
    words = ("bench", "serve", "--port", "9", "--save-result", "--result-dir", tmp_path, "--result-filename", "r.json")
    done = run_profllm(bin_dir, *words, "--plot-timeline", "--output", tmp_path / "r.timeline.html", patience=patience)
    assert done.returncode == 2 and f"--result-filename: --output '{tmp_path}/r.timeline.html' and --result-filename " in done.stderr
    assert f"would both write '{tmp_path}/r.timeline.html'" in done.stderr and list(tmp_path.iterdir()) == []
    # a picture that has the name of the run's own is that: there is one
    done = run_profllm(bin_dir, *words[:-1], "r.txt", "--plot-timeline", "--output", tmp_path / "r.json", "--dry-run",
                       patience=patience)
    assert done.returncode == 0 and "meet" not in done.stderr + done.stdout


def test_a_flat_result_that_cannot_be_written(bin_dir, folder, validator, patience):
    """A flat result is written after the result, which replaces the old one and is complete nevertheless."""
    old = load_result(folder / "r.json")["run_id"]
    config = config_of(save_result=True, result_dir=str(folder / "flat"))
    # a file blocks the directory during the run
    config["launch"]["command"] = ["sh", "-c", ': > "$0"; exec "$@"', str(folder / "flat"), str(bin_dir / "profllm-sim"), "serve"]
    done = run_over(bin_dir, folder, config, "--overwrite", patience=patience)
    assert done.returncode == 2
    assert f"could not write vLLM's flat result; the complete result is '{folder / 'r.json'}'" in done.stderr
    assert "profllm recover" not in done.stderr and f"Result: {folder / 'r.json'}" in done.stdout
    assert is_whole(folder / "r.json", validator) and load_result(folder / "r.json")["run_id"] != old
    assert not journal_of(folder / "r.json").exists()


def test_a_file_that_bench_serve_saved_by_name_stays(bin_dir, tmp_path, patience):
    """vLLM overwrites a file of that name; an interrupted run does not."""
    with Server(bin_dir, "--sim-step", "1ms", model="org/tiny") as server:
        words = ["bench", "serve", "--port", str(server.port), "--random-input-len", "8", "--random-output-len", "20", "--quiet",
                 "--save-result", "--plot-timeline", "--result-dir", str(tmp_path), "--result-filename", "f.json",
                 "--max-concurrency", "4", "--num-prompts"]
        assert run_profllm(bin_dir, *words, "8", patience=patience).returncode == 0
        before = bytes_of(tmp_path)
        assert set(before) == {"f.json", "f.timeline.html"}
        process = start_profllm(bin_dir, *words, "4000", "--output", tmp_path / "r.json")
        wait_for(lambda: has_records(tmp_path), "requests have finished", 60, process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60 * patience)
        assert process.returncode == 130
        after = bytes_of(tmp_path)
        assert {name: after[name] for name in before} == before
        run_id = load_result(tmp_path / "r.json")["run_id"]
        assert {f"f.{run_id}.json", f"f.{run_id}.timeline.html"} <= set(after)
        assert run_profllm(bin_dir, *words, "8", patience=patience).returncode == 0
        last = bytes_of(tmp_path)
        assert all(last[name] != before[name] for name in before) and set(last) == set(after)


def test_config_writes_over_nothing(bin_dir, tmp_path, patience):
    path = tmp_path / "e.yaml"
    for words in (["from-command", "-o", path, "--", "vllm", "serve", "org/model"],
                  ["to-command", "-o", path, tmp_path / "experiment.yaml"]):
        path.write_text("mine")
        write_config(tmp_path, config_of())
        done = run_profllm(bin_dir, "config", *words, patience=patience)
        assert done.returncode == 2 and "already exists; use another --output or --overwrite" in done.stderr
        assert path.read_text() == "mine"
        words.insert(1, "--overwrite")
        assert run_profllm(bin_dir, "config", *words, patience=patience).returncode == 0
        assert path.read_text() != "mine"


@pytest.mark.parametrize("words", [
    ["config", "from-command", "-o", "r.json", "--", "vllm", "serve", "org/model"], ["report", "r.json", "--html", "-o", "r.json"],
    ["report", "other.json", "--html", "-o", "r.json"], ["export-job", "experiment.yaml", "--slurm", "-o", "r.json"],
    ["params", "--from-vllm", "echo", "--params-overlay", "r.json"], ["gate", "--base", "r.json", "--candidate", "r.json", "--markdown", "r.json"]])
def test_other_outputs_replace_no_result(bin_dir, folder, patience, words):
    before = (folder / "r.json").read_bytes()
    (folder / "other.json").write_bytes(before)
    write_config(folder, config_of())
    words = [words[0], *([] if words[0] == "gate" else ["--overwrite"]), *words[1:]]
    done = run_profllm(bin_dir, *words, patience=patience, cwd=folder)
    assert done.returncode == 2 and "use another --" in done.stderr or "expected another file" in done.stderr, done.stderr
    assert (folder / "r.json").read_bytes() == before


def test_a_gate_replaces_only_its_report(bin_dir, folder, patience):
    words = ["gate", "--base", "r.json", "--candidate", "r.json", "--markdown", "gate.md"]
    for text in (None, "", "### Performance gate: earlier"):
        if text is not None:
            (folder / "gate.md").write_text(text)
        assert run_profllm(bin_dir, *words, patience=patience, cwd=folder).returncode in (0, 4)
        assert (folder / "gate.md").read_text().startswith("### Performance gate: undecided")
    (folder / "gate.md").write_text("### My notes")
    done = run_profllm(bin_dir, *words, patience=patience, cwd=folder)
    assert done.returncode == 2 and "'gate.md' is not an earlier output of --markdown" in done.stderr
    assert (folder / "gate.md").read_text() == "### My notes"


def test_an_offline_benchmark_replaces_only_results(bin_dir, tmp_path, patience):
    def run(name, output, *words):
        config = base_config()
        config["benchmark"] = {"kind": "latency", "input_len": 8, "output_len": 2, "batch_size": 1, "num_iters": 1,
                               "num_iters_warmup": 0, "output_json": str(tmp_path / name)}
        return run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / output, "-q", *words,
                           patience=patience)

    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    for name, words, text in (
            ("notes.txt", (), "already exists; use another benchmark.output_json"),
            ("notes.txt", ("--overwrite",), "is not a result"), ("experiment.yaml", ("--overwrite",), "is not a result"),
            ("r.json", (), "would both write"), ("missing/v.json", (), "does not exist")):
        done = run(name, "r.json", *words)
        assert done.returncode == 2 and text in done.stderr, done.stderr
        assert notes.read_text() == "mine" and not (tmp_path / "r.json").exists()
    # vLLM's earlier file
    (tmp_path / "v.json").write_text(json.dumps({"avg_latency": 1.0, "latencies": [1.0], "percentiles": {}}))
    done = run("v.json", "r.json")
    assert done.returncode == 2 and "already exists" in done.stderr
    done = run("v.json", "r.json", "--overwrite")
    assert done.returncode == 0 and load_result(tmp_path / "v.json")["avg_latency"] < 1, done.stderr


def test_an_overlay_writes_over_nothing(bin_dir, tmp_path, patience):
    path = tmp_path / "o.json"
    path.write_text("mine")
    words = ["params", "--from-vllm", f"touch {tmp_path}/ran; echo", "--params-overlay", path]
    done = run_profllm(bin_dir, *words, patience=patience)
    assert done.returncode == 2 and "use another --params-overlay or --overwrite" in done.stderr
    assert path.read_text() == "mine" and not (tmp_path / "ran").exists()


def test_bench_serve_writes_over_nothing(bin_dir, folder, validator, patience):
    before = bytes_of(folder)
    words = ["bench", "serve", "--base-url", "http://127.0.0.1:9", "--model", "m", "--num-prompts", "1", "--random-input", "4",
             "--vocab-size", "100", "--ready-check-timeout-sec", "0", "--output", folder / "r.json"]
    done = run_profllm(bin_dir, *words, patience=patience)
    assert done.returncode == 2 and "holds a result of" in done.stderr and bytes_of(folder) == before
    dry = run_profllm(bin_dir, *words, "--dry-run", patience=patience)
    assert dry.returncode == 0 and "holds a result of" in dry.stderr
    # no server responds: the new result goes to another name
    done = run_profllm(bin_dir, *words, "--overwrite", patience=patience)
    assert done.returncode in (1, 3), done.stderr
    check_unchanged(folder, before, validator)
    assert is_whole(alternative_in(folder), validator)
