"""--request-id-prefix: names of any length are sent, recorded and recovered completely."""
import time

import pytest
from run_tools import (base_config, load_result, read_zst_lines, run_profllm, start_profllm,
                       write_config)
from sim_tools import read_log
from journal_tools import completed_before, journal_of
from wait_tools import wait_for


def play_config(folder, prefix, **benchmark):
    config = base_config(request_id_prefix=prefix, **benchmark)
    config["launch"]["extra_args"] += ["--sim-log", str(folder / "sim.jsonl")]
    return config


def names_sent(folder):
    return [row["request_id"] for row in read_log(folder / "sim.jsonl")
            if row["event"] == "request" and row["request_id"]]


@pytest.mark.parametrize("length", [0, 53, 54, 63, 64, 1024])
def test_a_name_of_any_length(bin_dir, tmp_path, length):
    prefix = ("run-é" + "x" * 1024)[:length] if length != 1024 else "y" * 1024
    while len(prefix.encode()) > length:
        prefix = prefix[:-1]
    path = write_config(tmp_path, play_config(tmp_path, prefix, num_prompts=12))
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    wanted = [f"{prefix}{i}" for i in range(12)]
    records = read_zst_lines(tmp_path / "r.requests.jsonl.zst")
    assert [record["request_id"] for record in records] == wanted
    assert sorted(names_sent(tmp_path)) == sorted(wanted)


@pytest.mark.parametrize("prefix, says", [("x" * 1025, "1025 bytes, expected at most 1024"),
                                          ("a\nb", "control character")])
def test_refused_before_anything_starts(bin_dir, tmp_path, prefix, says):
    path = write_config(tmp_path, play_config(tmp_path, prefix))
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json")
    assert done.returncode == 2 and "request_id_prefix" in done.stderr and says in done.stderr
    assert not (tmp_path / "sim.jsonl").exists() and not (tmp_path / "r.json").exists()


def test_recovered_whole(bin_dir, tmp_path, patience):
    prefix = "z" * 1024
    output = tmp_path / "r.json"
    config = play_config(tmp_path, prefix, num_prompts=4000, max_concurrency=4)
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", output, "-q")
    journal = journal_of(output)
    wait_for(lambda: completed_before(tmp_path, time.monotonic_ns()), "a first answer", 60, process)
    # what the load wrote: the second time, the first is whole
    for _ in range(2):
        size = journal.stat().st_size
        wait_for(lambda: journal.stat().st_size > size,  # pylint: disable=cell-var-from-loop
                 "the journal grows", 60, process)
    process.kill()
    process.communicate(timeout=60)
    done = run_profllm(bin_dir, "recover", output, patience=patience)
    assert done.returncode == 0, done.stderr
    assert load_result(output)["status"] == "interrupted"
    records = read_zst_lines(output.with_suffix(".requests.jsonl.zst"))
    assert [record["request_id"] for record in records] == [f"{prefix}{i}" for i in range(4000)]
