"""Prepared files (`DIR/prepared`): what was read from large artifacts is read again after a restart, with the same responses as from the text; damaged,
cut and unknown ones are not used; pruned results leave none."""
import json
import os
import random
import subprocess

import pytest
from dashboard_tools import Dashboard, little
from test_requests import failed, record
from test_series import sample
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
BASE = "/api/data/experiments/small-1"
PATHS = [f"{BASE}/requests?curve=true&lanes=600&limit=0", f"{BASE}/requests?limit=200&sort=-max_itl_ms", f"{BASE}/requests?status=failed&limit=20",
         f"{BASE}/requests?format=csv", f"{BASE}/series?bins=300", f"{BASE}/series?bins=50&from_ns=1500000000&to_ns=2500000000"]


def requests(count=24_000):
    """Records in any order, with gaps of more than 4.3 s, failures, attempts, a duplicate and lines that are none."""
    rng = random.Random(11)
    made = [record(i, start_ms=i, ttft_ms=rng.uniform(1, 90), gaps_ms=[rng.choice((rng.uniform(1, 9), 5000.5)) if i % 50 == 0 else rng.uniform(1, 9) for _ in range(3)])
            for i in range(count)]
    for i in range(0, count, 97):
        made[i] = failed(i, rng.choice(("timeout", "connect")))
    made[5] = record(5, retried=True)
    made += [record(7, start_ms=3), record(count, finish_reason=None)]
    rng.shuffle(made)
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in made).encode() + b"no line\n{}\n"


def telemetry(count=40_000):
    rng = random.Random(12)
    lines = [sample(10**9 + i * 50_000 - rng.choice((0, 80_000)), "gpu", {"power_w": rng.choice((None, rng.uniform(100, 700))), "utilization": rng.random()}, "ab"[i % 2])
             for i in range(count)]
    lines += [sample(10**9 + i * 10**7, "load", {"in_flight": rng.randrange(9)}) for i in range(200)]
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines).encode() + b"[]\n"


def put(dashboard, kind, data, run_id="small-1"):
    answer = dashboard.ask("PUT", f"/api/upload/artifact/{run_id}/{kind}/r.{kind}.jsonl", data, {"Content-Type": "application/octet-stream"})
    assert answer.status in (200, 201), answer.body


def prepared_in(folder):
    """The complete prepared files by their kind."""
    files = (folder / "d.db.files" / "prepared").glob("*")
    return {file.suffix[1:]: file for file in files if file.suffix != ".new"}


def bodies(dashboard):
    answers = [dashboard.get(path) for path in PATHS]
    assert [one.status for one in answers] == [200] * len(PATHS), [one.body[:200] for one in answers]
    return [one.body for one in answers]


@pytest.fixture(scope="module")
def texts():
    return {"requests": requests(), "series": telemetry()}


@pytest.fixture
def folder(bin_dir, tmp_path, texts):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1)])["counts"]["stored"] == 1
        for kind, data in texts.items():
            put(one, kind, data)
        wait_for(lambda: len(prepared_in(tmp_path)) == 2, "both files are prepared")
    return tmp_path


@pytest.fixture(scope="module")
def from_text(bin_dir, tmp_path_factory, texts):
    """The responses of a dashboard that has never seen the files, in the moment in which they arrive."""
    folder = tmp_path_factory.mktemp("text")
    with Dashboard(bin_dir, folder / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1)])["counts"]["stored"] == 1
        (folder / "d.db.files").mkdir(mode=0o700, exist_ok=True)
        (folder / "d.db.files" / "prepared").write_text("")  # no directory: nothing can be prepared
        for kind, data in texts.items():
            put(one, kind, data)
        return bodies(one)


def artifacts_of(folder):
    return list((folder / "d.db.files").glob("??/*"))


def test_a_restart_reads_the_prepared_files(bin_dir, folder, from_text):
    for file in artifacts_of(folder):  # only the prepared files can have the responses
        file.write_bytes(b"x" * file.stat().st_size)
    with Dashboard(bin_dir, folder / "d.db") as one:
        assert bodies(one) == from_text


def change(data, at):
    return data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:]


SPOILS = {
    "middle": lambda data: change(data, len(data) // 2),
    "cut": lambda data: data[:-1],
    "form": lambda data: data.replace(b", quantities", b"; quantities").replace(b", rows of", b"; rows of"),
    "end": lambda data: change(data, len(data) - 1),
    "lengths": lambda data: change(data, 300),
    "longer": lambda data: data + b"x",
    "head": lambda data: data[:100],
    "empty": lambda _: b"",
}


# the others, which tests/unit/base/image.c has for images of all kinds, in `make test-long`
@pytest.mark.parametrize("spoil", list(SPOILS)[:None if LONG else 3])
def test_a_wrong_prepared_file_is_replaced(bin_dir, folder, from_text, spoil):
    right = {kind: file.read_bytes() for kind, file in prepared_in(folder).items()}
    for kind, file in prepared_in(folder).items():
        file.write_bytes(SPOILS[spoil](right[kind]))
        assert file.read_bytes() != right[kind]
    with Dashboard(bin_dir, folder / "d.db") as one:
        assert bodies(one) == from_text
        wait_for(lambda: all(file.read_bytes() == right[kind] for kind, file in prepared_in(folder).items()), "they are replaced")


def test_an_image_of_something_else(bin_dir, folder, from_text):
    files = prepared_in(folder)
    requests, series = files["requests"].read_bytes(), files["series"].read_bytes()
    files["requests"].write_bytes(series)
    files["series"].write_bytes(requests)
    with Dashboard(bin_dir, folder / "d.db") as one:
        assert bodies(one) == from_text


def test_small_artifacts_are_not_prepared(bin_dir, tmp_path, texts):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1), little(2)])["counts"]["stored"] == 2
        put(one, "requests", texts["requests"][:2_000_000].rpartition(b"\n")[0])
        put(one, "requests", texts["requests"], "small-2")  # jobs have an order
        one.get(f"{BASE}/requests")
        wait_for(lambda: prepared_in(tmp_path), "the large file is prepared")
    assert len(list((tmp_path / "d.db.files" / "prepared").glob("*"))) == 1


def test_prune_removes_prepared_files(bin_dir, folder):
    with Dashboard(bin_dir, folder / "d.db") as one:
        assert one.ask("DELETE", BASE).status == 204
    assert len(prepared_in(folder)) == 2
    subprocess.run([bin_dir / "profllm-dashboard", "prune", "--db", folder / "d.db", "--older-than", "0s"], check=True, capture_output=True)
    assert artifacts_of(folder) == [] and prepared_in(folder) == {}


def test_the_least_recently_used_are_removed(bin_dir, folder, texts):
    """The limit is 1 GiB: a file without blocks has that size, too."""
    files = prepared_in(folder)
    abandoned, recent = (files["series"].with_name(f"{name}.new") for name in ("1-2", "3-4"))
    for file, age_s in ((files["series"], 50), (abandoned, 7200), (recent, 10)):
        file.touch()
        os.utime(file, (file.stat().st_atime, file.stat().st_mtime - age_s))
    os.truncate(files["series"], 1 << 30)
    os.utime(files["series"], (1, 1))
    with Dashboard(bin_dir, folder / "d.db") as one:
        put(one, "requests", texts["requests"] + b"\n")
        wait_for(lambda: not files["series"].exists(), "the oldest file is removed")
        wait_for(lambda: not abandoned.exists(), "the abandoned file is removed")
        assert files["requests"].exists() and recent.exists()
        assert one.get(f"{BASE}/series?bins=300").status == 200


def test_files_of_others_are_not_removed(bin_dir, folder, texts):
    """`--data DIR` may be a directory that has files by this name already."""
    others = [folder / "d.db.files" / "prepared" / name for name in ("train.jsonl", "a.new", "1-x.new", "-1.new", "12.new")]
    for file in others:
        file.write_text("data")
        os.utime(file, (1, 1))
    with Dashboard(bin_dir, folder / "d.db") as one:
        put(one, "requests", texts["requests"] + b"\n")
        wait_for(lambda: len(list(others[0].parent.glob("*.requests"))) == 2, "another file is prepared")
    subprocess.run([bin_dir / "profllm-dashboard", "prune", "--db", folder / "d.db", "--older-than", "0s"], check=True, capture_output=True)
    assert [file.exists() for file in others] == [True] * len(others)


def test_a_pipe_is_not_opened(bin_dir, folder, from_text):
    for file in prepared_in(folder).values():
        file.unlink()
        os.mkfifo(file)
    with Dashboard(bin_dir, folder / "d.db") as one:
        assert bodies(one) == from_text
        wait_for(lambda: all(file.is_file() for file in prepared_in(folder).values()), "they are replaced")


def test_a_damaged_artifact_that_was_sent_again(bin_dir, folder, texts, from_text):
    """Files that were prepared from the damaged text would keep its numbers."""
    for file in prepared_in(folder).values():
        file.unlink()
    for file in artifacts_of(folder):
        text = file.read_bytes()
        file.write_bytes(text.replace(b"1", b"2"))
    with Dashboard(bin_dir, folder / "d.db") as one:
        damaged = bodies(one)
        wait_for(lambda: len(prepared_in(folder)) == 2, "both files are prepared")
        assert all(body != right for body, right in zip(damaged, from_text))
        for kind, data in texts.items():
            put(one, kind, data)
        assert bodies(one) == from_text
        wait_for(lambda: len(prepared_in(folder)) == 2, "both files are prepared")
    with Dashboard(bin_dir, folder / "d.db") as one:
        assert bodies(one) == from_text
