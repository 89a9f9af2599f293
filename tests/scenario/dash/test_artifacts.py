"""Artifacts: each is stored once and returned unchanged, whole and in parts; the effects of kills and of damaged files."""
import contextlib
import hashlib
import http.client
import io
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import tarfile
import threading

import pytest
from artifact_tools import write_result
from dashboard_tools import Dashboard, little, results
from database_tools import bytes_literal, change
from import_tools import import_json, run_dashboard
from wait_tools import wait_for

KINDS = ["requests", "series", "server_log", "client_log", "client_plot", "timeline", "dataset_stats", "trace", "capture"]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def path_of(run_id, kind, name):
    return f"/api/upload/artifact/{run_id}/{kind}/{name}"


def put(dashboard, run_id, kind, name, data, check=True, **headers):
    return dashboard.ask("PUT", path_of(run_id, kind, name), data, {"X-Content-SHA256": sha256(data), **headers}, check=check)


def files_of(folder):
    """Returns the files by name, relative to the directory."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name not in ("lock", "hold"))


def names(answer):
    return [(one["kind"], one["name"]) for one in answer.json["artifacts"]]


@pytest.fixture
def db(tmp_path):
    return tmp_path / "d.db"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "d.db.files"


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    """A dashboard for all tests that need no separate one."""
    db = tmp_path_factory.mktemp("db") / "d.db"
    with Dashboard(bin_dir, db) as one:
        one.folder = db.with_name("d.db.files")
        yield one
        assert one.stop() == (0, "", "")


@pytest.fixture
def private(bin_dir, db):
    """A separate dashboard, which a test may end; it has small-1."""
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/json", little(1))["counts"]["stored"] == 1
        yield one


NUMBERS = itertools.count(100)


@pytest.fixture
def runs(dashboard):
    """The run_ids of two results that belong to one test."""
    documents = [little(next(NUMBERS)) for _ in range(2)]
    assert dashboard.upload("/api/upload/batch", documents)["counts"]["stored"] == 2
    return [document["run_id"] for document in documents]


@pytest.fixture
def came(dashboard):
    """Returns the files that have been added to its directory since the test began; stored bytes are not added again."""
    before = set(files_of(dashboard.folder))
    return lambda: sorted(set(files_of(dashboard.folder)) - before)


# ---- in and out ----------------------------------------------------------------------------------


def test_each_kind_comes_back_as_it_went(dashboard, runs, came):
    rng = random.Random(1)
    first, second = (dashboard.get(f"/api/data/experiments/{run_id}").json["id"] for run_id in runs)
    sent = {kind: rng.randbytes(rng.choice([0, 1, 300_000])) + kind.encode() for kind in KINDS}
    for kind, data in sent.items():
        answer = put(dashboard, runs[0], kind, f"r.{kind}", data)
        assert (answer.status, answer.json) == (201, {"sha256": sha256(data), "bytes": len(data)})
    listed = dashboard.get(f"/api/data/experiments/{first}/artifacts")
    assert listed.json["missing"] == [] and names(listed) == sorted((kind, f"r.{kind}") for kind in KINDS)
    for one in listed.json["artifacts"]:
        assert (one["bytes"], one["sha256"]) == (len(sent[one["kind"]]), sha256(sent[one["kind"]]))
        answer = dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts/{one['kind']}/{one['name']}")
        assert (answer.status, answer.body) == (200, sent[one["kind"]])
        assert answer.headers["ETag"] == f'"{one["sha256"]}"' and answer.headers["Content-Type"] == one["media"]
    assert came() == sorted(f"{sha256(data)[:2]}/{sha256(data)}" for data in sent.values())
    assert dashboard.get(f"/api/data/experiments/{second}/artifacts").json == {"artifacts": [], "missing": []}


def test_bytes_are_kept_once(dashboard, runs, came):
    data = os.urandom(5000)
    assert put(dashboard, runs[0], "trace", "a", data).status == 201
    assert put(dashboard, runs[0], "trace", "a", data).status == 200
    assert put(dashboard, runs[1], "server_log", "b", data).status == 201
    assert len(came()) == 1
    assert dashboard.get(f"/api/data/experiments/{runs[1]}/artifacts/server_log/b").body == data


def test_on_each_database(bin_dir, database, tmp_path):
    with Dashboard(bin_dir, database.new(tmp_path), "--data", tmp_path / "files") as one:
        one.upload("/api/upload/batch", [little(1), little(2)])
        assert [put(one, "small-1", "trace", "t", data).status for data in (b"a", b"b", b"a")] == [201, 201, 200]
        assert put(one, "small-2", "trace", "t", b"a").status == 201
        assert [one.get(f"/api/data/experiments/small-{i}/artifacts/trace/t").body for i in (1, 2)] == [b"a", b"a"]
        assert len(files_of(tmp_path / "files")) == 2
        assert one.stop() == (0, "", "")


def test_without_a_hash(dashboard, runs):
    answer = dashboard.ask("PUT", path_of(runs[0], "trace", "a"), b"text")
    assert (answer.status, answer.json["sha256"]) == (201, sha256(b"text"))
    assert put(dashboard, runs[0], "trace", "a", b"text", **{"X-Content-SHA256": sha256(b"text").upper()}).status == 200


def test_before_its_result(dashboard):
    assert put(dashboard, "small-3", "server_log", "s.log", b"early").status == 201
    assert dashboard.get("/api/data/experiments/small-3/artifacts").status == 404
    dashboard.upload("/api/upload/json", little(3))
    assert dashboard.get("/api/data/experiments/small-3/artifacts/server_log/s.log").body == b"early"


def test_a_result_has_what_its_document_names(dashboard, runs):
    """The file that the document names is returned, not the other one of that name; missing files are listed."""
    logs = [b"first", b"second"]
    document = {**next(results(1)), "artifacts": [
        {"kind": "server_log", "name": "r.server.log", "size": 5, "sha256": sha256(logs[0])},
        {"kind": "requests", "name": "r.requests.jsonl.zst", "size": 7, "sha256": "0" * 64}]}
    assert dashboard.upload("/api/upload/json", document)["counts"]["stored"] == 1
    for log in logs:
        # a file that no result names is kept for a later result, and the answer says so
        stored = {"sha256": sha256(log), "bytes": len(log), **({"expected": sha256(logs[0])} if log == logs[1] else {})}
        assert put(dashboard, document["run_id"], "server_log", "r.server.log", log).json == stored
        assert "expected" not in put(dashboard, runs[0], "server_log", "r.server.log", log).json
    answer = dashboard.get(f"/api/data/experiments/{document['run_id']}/artifacts")
    assert [one["sha256"] for one in answer.json["artifacts"]] == [sha256(logs[0])]
    assert answer.json["missing"] == [{"kind": "requests", "name": "r.requests.jsonl.zst", "bytes": 7, "sha256": "0" * 64}]
    assert dashboard.get(f"/api/data/experiments/{document['run_id']}/artifacts/server_log/r.server.log").body == logs[0]
    assert dashboard.get(f"/api/data/experiments/{document['run_id']}/artifacts/requests/r.requests.jsonl.zst").status == 404
    # where nothing is named the last one is it, also when the first comes again
    where = f"/api/data/experiments/{runs[0]}/artifacts/server_log/r.server.log"
    assert dashboard.get(where).body == logs[1]
    assert put(dashboard, runs[0], "server_log", "r.server.log", logs[0]).status == 200
    assert dashboard.get(where).body == logs[0]


@pytest.mark.parametrize("name", ["a b.log", "ü.log", "%2e.log", "a%00b".replace("%00", "0"), "-x", "'q'.json", "..."])
def test_names(dashboard, runs, name):
    from urllib.parse import quote
    word = quote(name, safe="")
    assert put(dashboard, runs[0], "trace", word, b"x").status == 201
    answer = dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts/trace/{word}")
    assert answer.body == b"x" and f"filename*=UTF-8''" in answer.headers["Content-Disposition"]
    assert names(dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts")) == [("trace", name)]


# ---- parts ---------------------------------------------------------------------------------------


def expected_part(text, size):
    """Returns (status, from, to) by RFC 9110, computed independently."""
    if not text.startswith("bytes=") or text.count("-") != 1 or "," in text:
        return 200, 0, size
    first, last = text[6:].split("-")
    if (first and not first.isdigit()) or (last and not last.isdigit()) or not first + last:
        return 200, 0, size
    if not first:
        return (206, max(0, size - int(last)), size) if int(last) and size else (416, 0, 0)
    if last and int(last) < int(first):
        return 200, 0, size
    return (206, int(first), min(size, int(last) + 1) if last else size) if int(first) < size else (416, 0, 0)


def test_ranges(dashboard, runs):
    data = random.Random(2).randbytes(1000)
    put(dashboard, runs[0], "trace", "t", data)
    where = f"/api/data/experiments/{runs[0]}/artifacts/trace/t"
    texts = ["bytes=0-0", "bytes=0-", "bytes=-1", "bytes=-1000", "bytes=-5000", "bytes=999-", "bytes=1000-", "bytes=5-4", "bytes=0-1,5-6",
             "bytes=-0", "bytes=", "bytes=-", "bytes=a-b", "bytes=1-2x", "items=0-1", "bytes=99999999999999999999-", "bytes=0-99999999999999999999",
             "bytes=--1", "bytes=-99999999999999999999"]
    rng = random.Random(3)
    texts += [f"bytes={rng.randint(0, 1100)}-{rng.choice(['', rng.randint(0, 1100)])}" for _ in range(50)]
    for text in texts:
        answer = dashboard.get(where, Range=text)
        status, begin, end = expected_part(text, 1000)
        assert answer.status == status, text
        assert (answer.headers["Content-Disposition"] is None) == (status == 416), text
        if status == 416:
            assert answer.headers["Content-Range"] == "bytes */1000"
            continue
        assert answer.body == data[begin:end], text
        assert answer.headers["Content-Range"] == (f"bytes {begin}-{end - 1}/1000" if status == 206 else None)


def test_conditions(dashboard, runs):
    put(dashboard, runs[0], "trace", "t", b"0123456789")
    where = f"/api/data/experiments/{runs[0]}/artifacts/trace/t"
    tag = dashboard.get(where).headers["ETag"]
    assert dashboard.get(where, **{"If-None-Match": tag}).status == 304
    assert dashboard.get(where, **{"If-None-Match": f'"x", {tag}', "Range": "bytes=0-1"}).status == 304
    assert dashboard.get(where, **{"If-None-Match": '"x"'}).status == 200
    assert dashboard.get(where, **{"If-Range": tag, "Range": "bytes=2-3"}).body == b"23"
    assert dashboard.get(where, **{"If-Range": '"x"', "Range": "bytes=2-3"}).body == b"0123456789"
    head = dashboard.ask("HEAD", where, headers={"Range": "bytes=2-3"})
    assert (head.status, head.headers["Content-Length"], head.headers["Accept-Ranges"]) == (200, "10", "bytes")


def test_nothing_of_it_runs(dashboard, runs):
    put(dashboard, runs[0], "timeline", "r.timeline.html", b"<script>alert(1)</script>")
    answer = dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts/timeline/r.timeline.html")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and "sandbox" in answer.headers.get_all("Content-Security-Policy")


# ---- traces --------------------------------------------------------------------------------------


def test_traces(dashboard, runs):
    where = f"/api/export/traces/{runs[0]}"
    assert dashboard.get(where).status == 404
    traces = {"dp0_pp0_rank0.1.pt.trace.json.gz": b"zero", "dp0_pp0_rank1.1.pt.trace.json.gz": b"one" * 1000}
    put(dashboard, runs[0], "server_log", "rank0.log", b"no trace")
    for i, (name, data) in enumerate(traces.items()):
        put(dashboard, runs[0], "trace", name, data)
        if i == 0:
            assert dashboard.get(where).body == data
            assert dashboard.get(where, Range="bytes=1-2").body == data[1:3]
    answer = dashboard.get(where)
    assert [(one["name"], one["rank"]) for one in answer.json["traces"]] == [(name, i) for i, name in enumerate(traces)]
    assert dashboard.get(where + "?rank=1").body == b"one" * 1000
    assert dashboard.get(where + "?rank=2").status == 404
    archives = [dashboard.get(f"{where}?{words}") for words in ("all", "all=1", "all=true")]
    assert {answer.headers["Content-Type"] for answer in archives} == {"application/x-tar"}
    assert dashboard.get(where + "?all=0").json == answer.json
    refused = dashboard.get(where + "?all=yes")
    assert (refused.status, refused.json["detail"]) == (422, '/all: found "yes", expected true, false, 1, 0, or no value')
    assert dashboard.get("/api/export/traces/999999").status == 404


def test_traces_as_an_archive(dashboard, runs):
    rng = random.Random(4)
    traces = {name: rng.randbytes(size) for name, size in
              {"rank0.json": 0, "rank1.json": 512, "é.json": 513, "n" * 150 + ".json": 300_001, "z" * 100: 1, "~": 10_000}.items()}
    for name, data in traces.items():
        from urllib.parse import quote
        put(dashboard, runs[0], "trace", quote(name), data)
    answer = dashboard.get(f"/api/export/traces/{runs[0]}?all=true")
    assert answer.headers["Content-Type"] == "application/x-tar" and len(answer.body) % 512 == 0
    with tarfile.open(fileobj=io.BytesIO(answer.body)) as archive:
        assert {one.name: archive.extractfile(one).read() for one in archive.getmembers()} == traces


# ---- what is wrong with one ----------------------------------------------------------------------


def test_refusals(dashboard, runs, came):
    data = os.urandom(16)  # what no other play sends
    for kind, name, headers, words in [("trace", "t", {"X-Content-SHA256": "0" * 64}, "SHA-256"),
                                       ("trace", "t", {"X-Content-SHA256": "abc"}, "X-Content-SHA256"),
                                       ("trac", "t", {}, f"expected one of {', '.join(KINDS)} (did you mean 'trace'?)"), ("trace", "..", {}, "name"),
                                       ("trace", "a%0Ab", {}, "name"), ("trace", "x" * 256, {}, "name")]:
        answer = put(dashboard, runs[0], kind, name, data, **headers)
        assert answer.status == 422 and words in answer.json["detail"], (kind, name, answer.body)
    assert put(dashboard, runs[0], "trace", "..%2f..%2fetc", data, check=False).status in (404, 405)
    assert put(dashboard, runs[0], "trace", "a%00b", data, check=False).status == 400
    assert put(dashboard, "x" * 1001, "trace", "t", data).status == 422
    assert came() == []
    assert dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts").json["artifacts"] == []


@pytest.mark.parametrize("harm", ["gone", "short"])
def test_a_file_that_is_lost(dashboard, runs, harm):
    """A lost file is listed as missing, by its names and never by a path; it can be sent again."""
    traces = {name: os.urandom(5000) for name in ("rank0.gz", "rank1.gz")}
    for name, data in traces.items():
        put(dashboard, runs[0], "trace", name, data)
    lost = sha256(traces["rank1.gz"])
    path = dashboard.folder / lost[:2] / lost
    path.unlink() if harm == "gone" else os.truncate(path, 100)
    listed = dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts").json
    assert [one["name"] for one in listed["artifacts"]] == ["rank0.gz"]
    assert listed["missing"] == [{"kind": "trace", "name": "rank1.gz", "bytes": 5000, "sha256": lost}]
    assert [one["name"] for one in dashboard.get(f"/api/export/traces/{runs[0]}").json["traces"]] == ["rank0.gz"]
    for where in ("data/experiments/{}/artifacts/trace/rank1.gz", "export/traces/{}?rank=1", "export/traces/{}?all"):
        answer = dashboard.get(f"/api/{where.format(runs[0])}")
        assert answer.status == 404 and "the file of artifact 'rank1.gz' of kind 'trace'" in answer.json["detail"]
        assert str(dashboard.folder.parent) not in answer.json["detail"]
    assert dashboard.get(f"/api/export/traces/{runs[0]}?rank=0").body == traces["rank0.gz"]
    assert put(dashboard, runs[0], "trace", "rank1.gz", traces["rank1.gz"]).status == 200
    with tarfile.open(fileobj=io.BytesIO(dashboard.get(f"/api/export/traces/{runs[0]}?all").body)) as archive:
        assert {one.name: archive.extractfile(one).read() for one in archive.getmembers()} == traces


def test_a_file_that_cannot_be_opened(private, folder):
    """A link of the right size is not opened: the answer is to retry, and not that the file was lost."""
    data = os.urandom(5000)
    put(private, "small-1", "trace", "rank0.gz", data)
    path = folder / sha256(data)[:2] / sha256(data)
    path.rename(folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")
    for where in ("data/experiments/small-1/artifacts/trace/rank0.gz", "export/traces/small-1?rank=0"):
        answer = private.get(f"/api/{where}")
        assert answer.status == 503 and "see the log of the server" in answer.json["detail"]
    path.unlink()
    (folder.parent / "elsewhere").rename(path)
    assert private.get("/api/export/traces/small-1?rank=0").body == data
    status, _, err = private.stop()
    assert status == 0 and err.count(f"could not open '{path}'") == 2


def test_damaged_bytes_are_found_and_repaired(private, bin_dir, db, folder):
    def check(*words):
        return run_dashboard(bin_dir, "check", "--db", db, *words)
    data = b"x" * 5000
    put(private, "small-1", "trace", "rank0.json", data)
    assert check().returncode == 0
    path = folder / sha256(data)[:2] / sha256(data)
    path.write_bytes(b"y" + data[1:])
    done = check()
    assert done.returncode == 1 and "1 other problems" in done.stdout
    assert f"result 1: artifact 'rank0.json' of kind trace, of run 'small-1': its file '{path}' is damaged" in done.stdout
    assert check("--quick").returncode == 0
    # what another process opened before is read to its end as it was
    with path.open("rb") as old:
        assert put(private, "small-1", "trace", "rank0.json", data).status == 200
        assert old.read() == b"y" + data[1:]
    assert private.get("/api/data/experiments/1/artifacts/trace/rank0.json").body == data and check().returncode == 0
    # an unnamed file is not a fault
    unnamed = folder / "ab" / ("ab" * 32)
    unnamed.parent.mkdir(exist_ok=True)
    unnamed.write_bytes(b"")
    done = check("--json")
    assert (done.returncode, json.loads(done.stdout)["unnamed_files"]) == (0, 1)
    assert files_of(folder) == sorted([f"ab/{'ab' * 32}", f"{sha256(data)[:2]}/{sha256(data)}"])


def begin_put(dashboard, run_id, length, sent):
    """Opens a connection and sends the given part of a body."""
    host, port = dashboard.host.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
    connection.sendall(f"PUT {path_of(run_id, 'trace', 't')} HTTP/1.1\r\nHost: {dashboard.host}\r\nContent-Length: {length}\r\n\r\n".encode() + sent)
    return connection


def incoming(files):
    return [name for name in files if name.startswith("incoming/")]


def test_a_client_that_leaves(dashboard, runs, came):
    with begin_put(dashboard, runs[0], 1000, b"x" * 500):
        wait_for(lambda: incoming(came()), "it has begun")
    wait_for(lambda: not came(), "nothing of it is left")
    assert dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts").json["artifacts"] == []


def test_a_kill_during_it(private, bin_dir, db, folder):
    put(private, "small-1", "trace", "whole", b"whole")
    with begin_put(private, "small-1", 1 << 20, b"x" * 100_000):
        wait_for(lambda: incoming(files_of(folder)), "it has begun")
        private.stop(signal.SIGKILL)
    assert len(incoming(files_of(folder))) == 1
    with Dashboard(bin_dir, db) as again:
        assert incoming(files_of(folder)) == [] and len(files_of(folder)) == 1
        assert names(again.get("/api/data/experiments/1/artifacts")) == [("trace", "whole")]


def test_kills(bin_dir, db, folder):
    """Every acknowledged file is present after a kill of the server at any time, and no other file remains."""
    rng = random.Random(5)
    stored = {}
    for round_number in range(40 if os.environ.get("PROFLLM_TEST_LONG") else 5):
        with Dashboard(bin_dir, db) as one:
            if not round_number:
                one.upload("/api/upload/json", little(1))
            left = files_of(folder) if folder.exists() else []
            assert left == sorted({f"{digest[:2]}/{digest}" for digest in stored.values()}) or set(left) == {
                f"{digest[:2]}/{digest}" for digest in {item["sha256"] for item in one.get("/api/data/experiments/1/artifacts").json["artifacts"]}}
            listed = {item["name"]: item["sha256"] for item in one.get("/api/data/experiments/1/artifacts").json["artifacts"]}
            assert stored.items() <= listed.items()
            stored = listed
            killer = threading.Timer(rng.uniform(0.01, 0.2), one.process.kill)
            killer.start()
            try:
                for i in range(200):
                    data = rng.randbytes(rng.choice([10, 5000, 1 << 20]))
                    name = f"{round_number}-{i}"
                    if put(one, "small-1", "trace", name, data).status == 201:
                        stored[name] = sha256(data)
            except (OSError, http.client.HTTPException):
                pass
            killer.join()
            one.process.wait()


def test_many_at_once_of_the_same(dashboard, runs, came):
    data = os.urandom(200_000)
    statuses = []
    threads = [threading.Thread(target=lambda i=i: statuses.append(put(dashboard, runs[i % 2], "trace", f"t{i}", data).status))
               for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [201] * 16 and len(came()) == 1


def test_memory_is_bounded(private):
    """Sends a file far larger than the memory for bodies."""
    def resident():
        with open(f"/proc/{private.process.pid}/status") as status:
            return max(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    before = resident()
    block = os.urandom(1 << 20)
    size = 96 << 20
    digest = hashlib.sha256()

    def blocks():
        for _ in range(size >> 20):
            digest.update(block)
            yield block
    connection = private.connect()
    connection.request("PUT", path_of("small-1", "trace", "large"), blocks(), {"Content-Length": str(size)})
    reply = connection.getresponse()
    body = reply.read()
    assert reply.status == 201 and digest.hexdigest().encode() in body
    assert resident() - before < 32 << 10


# ---- without HTTP --------------------------------------------------------------------------------


def test_import(bin_dir, db, folder, tmp_path):
    """Artifacts of a result are imported with it, once; changed ones are not."""
    path, sent = write_result(tmp_path, rng=random.Random(6))
    (tmp_path / "r0.server.log").write_text("changed")
    told = import_json(bin_dir, "--db", db, path)
    assert told["artifact_counts"] == {"stored": 3, "duplicate": 0, "missing": 0, "changed": 1, "failed": 0}
    assert sorted(one["artifact"] for one in told["artifacts"] if one["state"] == "stored") == sorted(set(sent) - {"server_log"})
    assert len(files_of(folder)) == 3
    (tmp_path / "r0.server.log").write_bytes(sent["server_log"])
    told = import_json(bin_dir, "--db", db, tmp_path)
    assert told["artifact_counts"] == {"stored": 1, "duplicate": 3, "missing": 0, "changed": 0, "failed": 0}
    with Dashboard(bin_dir, db) as one:
        for item in one.get("/api/data/experiments/1/artifacts").json["artifacts"]:
            assert one.get(f"/api/data/experiments/1/artifacts/{item['kind']}/{item['name']}").body == sent[item["kind"]]
    assert import_json(bin_dir, "--db", tmp_path / "alone.db", "--without-artifacts", path)["artifacts"] == []
    assert not (tmp_path / "alone.db.files").exists()
    # artifacts whose names cannot be read count as failed
    change(db, f"UPDATE benchmark_documents SET bytes = {bytes_literal(db, '28b52ffd00')}")
    assert import_json(bin_dir, "--db", db, path, status=1)["artifact_counts"]["failed"] == 4


def test_of_a_result_that_is_deleted(dashboard, runs):
    """Restoring a result restores its artifacts."""
    put(dashboard, runs[0], "trace", "t", b"data")
    assert dashboard.ask("DELETE", f"/api/data/experiments/{runs[0]}").status == 204
    for where in ("data/experiments/{}/artifacts", "data/experiments/{}/artifacts/trace/t", "export/traces/{}"):
        answer = dashboard.get(f"/api/{where.format(runs[0])}")
        assert answer.status == 410 and "/restore restores it" in answer.json["detail"]
    assert dashboard.ask("POST", f"/api/data/experiments/{runs[0]}/restore").status == 200
    assert dashboard.get(f"/api/data/experiments/{runs[0]}/artifacts/trace/t").body == b"data"


def test_a_full_disk(bin_dir, tmp_path):
    """A full disk yields 507 and leaves nothing, and the next artifact that fits is stored."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", disk], capture_output=True).returncode:
        pytest.skip("could not mount a tmpfs: needs root and the right to mount")
    try:
        with Dashboard(bin_dir, tmp_path / "d.db", "--data", disk / "files") as one:
            one.upload("/api/upload/json", little(1))
            data = os.urandom(8 << 20)
            with contextlib.suppress(OSError):
                assert put(one, "small-1", "trace", "large", data).status == 507
            wait_for(lambda: files_of(disk / "files") == [], "nothing of it is left")
            assert put(one, "small-1", "trace", "small", b"small").status == 201
            assert one.get("/api/data/experiments/1/artifacts/trace/small").body == b"small"
            assert names(one.get("/api/data/experiments/1/artifacts")) == [("trace", "small")]
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_missing_artifacts_of_an_upload(dashboard):
    """Lists the artifacts of stored results and duplicates that are missing; it omits those of deleted results and of
    conflicts."""
    def named(run_id, *names, **keys):
        files = [{"kind": "requests", "name": name, "path": name, "size": len(name), "sha256": sha256(name.encode())} for name in names]
        return little(run_id=run_id, artifacts=files, schema_version=1, **keys)

    def absent(job):
        told = dashboard.get(f"/api/upload/jobs/{job}/missing").json
        return told["results"], told["incomplete"], told["files"], told["bytes"], told["has_more"]
    dashboard.upload("/api/upload/json", named("lacks-c", "c.zst"))
    job = dashboard.upload("/api/upload/batch", [named("lacks-a", "a.zst", "aa.zst"), named("lacks-b"), named("lacks-c", "c.zst"), named("lacks-c", "d.zst", suite="other")])
    assert (job["counts"]["stored"], job["counts"]["duplicate"], job["counts"]["conflict"]) == (2, 1, 1), job
    job = job["job_id"]
    assert absent(job) == (3, 2, 3, 16, False)
    assert put(dashboard, "lacks-a", "requests", "a.zst", b"a.zst").status == 201 and absent(job) == (3, 2, 2, 11, False)
    # other bytes than the result names are not its file
    put(dashboard, "lacks-c", "requests", "c.zst", b"other")
    assert absent(job) == (3, 2, 2, 11, False)
    dashboard.ask("POST", f"/api/upload/jobs/{job}/choose", b'{"choice": "replace", "of": "conflict"}', {"Content-Type": "application/json"})
    dashboard.done(f"/api/upload/status/{job}")
    # that is one result now, of which two items tell
    assert absent(job) == (3, 2, 2, 11, False)
    assert dashboard.ask("DELETE", "/api/data/experiments/lacks-a").status == 204 and absent(job) == (2, 1, 1, 5, False)
    assert dashboard.get("/api/upload/jobs/999999/missing").status == dashboard.get("/api/upload/jobs/x/missing").status == 404
