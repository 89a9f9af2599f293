"""Uploads of many parts: opened, read, closed, cancelled, retried; known files are not sent twice."""
import contextlib
import gzip
import hashlib
import json
import subprocess
import threading

import pytest
from dashboard_tools import GOOD, Dashboard, form, little
from database_tools import change
from wait_tools import wait_for


@pytest.fixture(scope="module")
def shared(bin_dir, database, tmp_path_factory):
    with Dashboard(bin_dir, database.new(tmp_path_factory.mktemp("db"))) as one:
        yield one
        assert one.stop() == (0, "", "")


def opened(dashboard, **plan):
    answer = dashboard.post("/api/upload/jobs", plan)
    assert answer.status == 201 and answer.headers["Location"] == answer.json["status_url"]
    return answer.json["job_id"]


def part(dashboard, job, value, path="json", media="application/json", status=202, **headers):
    answer = dashboard.post(f"/api/upload/{path}?job_id={job}", value, media, **headers)
    assert answer.status == status, answer.body
    assert status != 202 or answer.json["job_id"] == job
    return answer


def ask(dashboard, job, what, body=None, status=None):
    path = f"/api/upload/jobs/{job}/{what}"
    answer = dashboard.post(path, body) if body is not None else dashboard.ask("POST", path)
    assert answer.status == status or (status is None and answer.status in (200, 202)), answer.body
    return answer.json


def look(dashboard, job, query=""):
    return dashboard.get(f"/api/upload/status/{job}{query}").json


def settled(dashboard, job):
    return wait_for(lambda: next((one for one in [look(dashboard, job)] if one["counts"]["queued"] + one["counts"]["parsed"] +
                                  one["counts"]["valid"] == 0 and one["state"] not in ("queued", "running")), None), "nothing waits", seconds=60)


def counts(job):
    return {state: count for state, count in job["counts"].items() if count}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def test_parts_come_and_are_worked_on_as_they_come(shared):
    job = opened(shared, name="nightly", files=4, bytes=1000)
    assert look(shared, job)["state"] == "open" and look(shared, job)["expected"] == {"files": 4, "bytes": 1000}
    part(shared, job, little("part-0"))
    one = settled(shared, job)
    assert (one["state"], one["kind"], one["name"], counts(one)) == ("open", "parts", "nightly", {"stored": 1})
    part(shared, job, [little("part-1"), {"nothing": 1}], "batch")
    body, media = form(("a.json", json.dumps(little("part-2")).encode()), ("b.json", b"{"))
    part(shared, job, body, "batch", media)
    ask(shared, job, "close")
    one = shared.done(f"/api/upload/status/{job}")
    assert counts(one) == {"stored": 3, "rejected": 2} and one["received"]["files"] == 4
    assert [item["index"] for item in one["items"]] == list(range(5)) and one["items"][3]["name"] == "a.json"
    part(shared, job, little("late"), status=409)
    assert ask(shared, job, "close")["state"] == "done"
    part(shared, "999999", little("late"), status=404)
    assert shared.post(f"/api/upload/json?job_id={job}&on_known=keep", little("late")).json["pointer"] == "/on_conflict"


def test_descriptions_of_items_and_jobs(shared):
    shared.upload("/api/upload/json", little("told-before"))
    job = shared.upload("/api/upload/batch", [little(f"told-{i}") for i in range(5)] + [1, 2])
    page = look(shared, job["job_id"], "?state=rejected&offset=1&limit=5")
    assert [item["index"] for item in page["items"]] == [6] and page["total"] == 2 and page["counts"] == job["counts"]
    assert all(item["bytes"] > 1 and item["secrets"] == [] and item["possible_duplicates"] == [] for item in job["items"][:5])
    listed = shared.get("/api/upload/jobs?limit=2").json
    assert listed["jobs"][0] == {**job, "items": []} and len(listed["jobs"]) == 2
    assert shared.get("/api/upload/jobs?state=done&limit=0").json["total"] == listed["total"] - len(
        [one for one in shared.get("/api/upload/jobs?limit=200").json["jobs"] if one["state"] != "done"])


def test_a_response_has_a_thousand_items_by_default(shared):
    job = shared.upload("/api/upload/batch", [0] * 1001)
    assert job["total"] == 1001 and [item["index"] for item in job["items"]] == list(range(1000))
    assert len(look(shared, job["job_id"], "?limit=10000")["items"]) == 1001
    assert [item["index"] for item in look(shared, job["job_id"], "?offset=1000")["items"]] == [1000]


def test_complete_responses_are_recorded(shared):
    files = [(f"k{i}.json", json.dumps(little(f"known-{i}")).encode()) for i in range(3)]
    body, media = form(*files)
    job = shared.job(shared.post("/api/upload/batch", body, media))
    hashes = [sha256(data) for _, data in files]
    known = shared.post("/api/upload/known", {"sha256": [*hashes, "0" * 64]}).json["known"]
    assert known == [{"sha256": one, "job_id": job["job_id"], "index": i, "state": "stored", "id": job["items"][i]["id"]}
                     for i, one in enumerate(hashes)]
    # of one that came again the newest, or the upload that is asked about
    again = shared.job(shared.post("/api/upload/raw", files[0][1], "application/octet-stream"))["job_id"]
    for asked, told in (({}, again), ({"job_id": job["job_id"]}, job["job_id"]), ({"job_id": again}, again), ({"job_id": "x"}, again)):
        found = shared.post("/api/upload/known", {"sha256": hashes, **asked}).json["known"]
        assert [one["job_id"] for one in found] == [told, job["job_id"], job["job_id"]]
    # a result that is gone has to be sent again
    assert shared.ask("DELETE", f"/api/data/experiments/{known[0]['id']}").status == 204
    assert len(shared.post("/api/upload/known", {"sha256": hashes}).json["known"]) == 3


def test_a_part_is_taken_once_under_its_key(shared):
    """A part counts once, however often it is sent, also concurrently, and also after a late response."""
    job, other = opened(shared), opened(shared)
    body = [little(f"keyed-{i}") for i in range(3)]
    key = {"Idempotency-Key": "first"}
    answers = [None] * 6
    def send(at):
        answers[at] = part(shared, job, body, "batch", **key)
    threads = [threading.Thread(target=send, args=(at,)) for at in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({answer.body for answer in answers}) == 1
    one = settled(shared, job)
    assert counts(one) == {"stored": 3} and one["received"]["files"] == 1
    # also while it is processed; parts with other keys, or of other uploads, are not affected
    part(shared, job, body, "batch", **key)
    part(shared, job, body, "batch", **{"Idempotency-Key": "second"})
    part(shared, job, body, "batch")
    part(shared, job, body, "batch")
    part(shared, other, body, "batch", **key)
    assert counts(settled(shared, job)) == {"stored": 3, "duplicate": 9} and counts(settled(shared, other)) == {"duplicate": 3}
    for said, status in (({"Idempotency-Key": ""}, 422), ({"Idempotency-Key": "x" * 201}, 422), ({"Idempotency-Key": "a\u00e9"}, 422),
                         ({"Idempotency-Key": "a b"}, 422), ({"Idempotency-Key": "x" * 200}, 202)):
        part(shared, other, little("keyed-0"), status=status, **said)
    refused = shared.post("/api/upload/json", little("keyed-0"), **key)
    assert refused.status == 422 and "without job_id" in refused.json["detail"]
    # other bytes are not a repeated part, nor are fewer files of it
    files = [(f"{i}.json", json.dumps(little(f"keyed-{i}")).encode()) for i in range(3)]
    for some, status in ((files, 202), (files, 202), (files[:2], 422), (files[::-1], 422), (files[:2] + files[:1], 422)):
        body_, media = form(*some)
        part(shared, job, body_, "batch", media, status, **{"Idempotency-Key": "form"})
    assert counts(settled(shared, job)) == {"stored": 3, "duplicate": 12}
    # a repeated part gets the same answer after the upload is closed
    ask(shared, job, "close")
    part(shared, job, body, "batch", **key)
    part(shared, job, body, "batch", status=409, **{"Idempotency-Key": "third"})
    assert counts(shared.done(f"/api/upload/status/{job}")) == {"stored": 3, "duplicate": 12}


def test_the_senders_sha256(shared):
    data = json.dumps(little("summed")).encode()
    assert shared.post("/api/upload/json", data, **{"X-Content-SHA256": sha256(data)}).status == 202
    other = json.dumps(little("summed otherwise")).encode()
    problem = shared.post("/api/upload/json", other, **{"X-Content-SHA256": sha256(data)})
    assert problem.status == 422 and problem.json["found"] == sha256(other)
    assert shared.get("/api/data/experiments/small-summed%20otherwise").status == 404
    body, media = form(("a.json", data))
    assert shared.post("/api/upload/batch", body, media, **{"X-Content-SHA256": sha256(data)}).status == 202
    body, media = form(("a.json", data), ("b.json", data))
    assert shared.post("/api/upload/batch", body, media, **{"X-Content-SHA256": sha256(data)}).status == 422


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize("coding, pack", [("gzip", gzip.compress), ("zstd", zstd), ("x-gzip", gzip.compress), ("identity", bytes)])
def test_bodies_that_come_packed(shared, coding, pack):
    document = little(f"packed {coding}")
    data = json.dumps(document).encode()
    headers = {"Content-Encoding": coding, "X-Content-SHA256": sha256(data)}
    for path in ("json", "raw"):
        job = shared.job(shared.post(f"/api/upload/{path}", pack(data), **headers))
        assert counts(job) == ({"stored": 1} if path == "json" else {"duplicate": 1})
    assert shared.post("/api/upload/known", {"sha256": [sha256(data)]}).json["known"][0]["state"] == "duplicate"
    lines = b"\n".join(json.dumps(little(f"{coding}-{i}")).encode() for i in range(3))
    job = shared.job(shared.post("/api/upload/batch", pack(lines), "application/x-ndjson", **{"Content-Encoding": coding}))
    assert counts(job) == {"stored": 3}


def test_packed_bodies_that_are_none(shared):
    whole = gzip.compress(json.dumps(little("cut")).encode())
    for coding, body, status in (("gzip", whole[:-9], 400), ("gzip", b"{}", 400), ("zstd", whole, 400), ("br", whole, 415),
                                 ("gzip", gzip.compress(b" " * (65 << 20)), 413), ("gzip, zstd", whole, 415)):
        assert shared.post("/api/upload/json", body, **{"Content-Encoding": coding}).status == status, coding
    assert shared.post("/api/filters/apply", whole, **{"Content-Encoding": "gzip"}).status == 415


def test_files_that_are_packed(shared):
    data = json.dumps(little("gz file")).encode()
    job = shared.upload("/api/upload/raw?name=r.json.gz", gzip.compress(data), "application/gzip")
    assert counts(job) == {"stored": 1}
    two = gzip.compress(json.dumps(little("gz-1")).encode() + b"\n") + gzip.compress(json.dumps(little("gz-2")).encode())
    body, media = form(("many.jsonl.gz", two), ("bad.json.gz", gzip.compress(data)[:-3]), ("twice.gz", gzip.compress(gzip.compress(data))),
                       ("none.json", b"[]"))
    items = shared.upload("/api/upload/batch", body, media)["items"]
    assert [item["state"] for item in items] == ["stored", "stored", "rejected", "rejected", "rejected"]
    assert [item["message"] for item in items[2:]] == ["'bad.json.gz' is incomplete: its end is missing", "'twice.gz' is compressed twice", "'none.json' contains no document"]


def stalled(dashboard, db):
    """Nothing is stored until the lock is released."""
    import sqlite3
    connection = sqlite3.connect(db, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return contextlib.closing(connection)


@pytest.mark.release_only  # enough documents that some are still waiting
def test_cancel_and_retry(bin_dir, tmp_path):
    """While another process writes, nothing is stored: waiting items can be cancelled, and are processed after a retry."""
    db = tmp_path / "d.db"
    with Dashboard(bin_dir, db) as one:
        job = opened(one)
        part(one, job, [little("before"), {"run_id": 1}], "batch")
        settled(one, job)
        one.process.send_signal(19)  # SIGSTOP: it cannot work, and what is sent waits in the socket
        one.process.send_signal(18)
        part(one, job, [little(f"many-{i}") for i in range(5000)], "batch")
        cancelled = ask(one, job, "cancel")
        assert cancelled["state"] == "cancelled" and sum(cancelled["counts"].values()) in (3, 5002)
        part(one, job, little("late"), status=409)
        assert ask(one, job, "cancel") == cancelled | {"counts": ask(one, job, "cancel")["counts"]}
        before = settled(one, job)
        stored = before["counts"]["stored"]
        assert before["counts"]["cancelled"] >= 1 and one.get("/api/health").json["total"] == stored
        again = ask(one, job, "retry", {})
        assert again["state"] in ("queued", "running", "done")
        done = one.done(f"/api/upload/status/{job}")
        assert counts(done) == {"stored": 5001, "rejected": 1}
        assert done["items"][1]["retryable"] and not done["items"][0]["retryable"]
        # an unknown or stored item cannot be retried, and then none of the list is
        problem = ask(one, job, "retry", {"items": [1, 0]}, status=422)
        assert problem["pointer"] == "/items/1" and problem["found"] == "0"
        ask(one, job, "retry", {"items": [1]}, status=202)
        assert counts(one.done(f"/api/upload/status/{job}")) == {"stored": 5001, "rejected": 1}
        assert one.stop() == (0, "", "")


def test_an_open_upload_outlives_the_server(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        job = opened(one, files=2)
        part(one, job, little("first"))
        one.process.kill()
    with Dashboard(bin_dir, db) as again:
        part(again, job, little("second"))
        ask(again, job, "close")
        assert counts(again.done(f"/api/upload/status/{job}")) == {"stored": 2}
        assert again.stop() == (0, "", "")


def test_abandoned_uploads_are_forgotten(bin_dir, db):
    """After seven days, the server closes abandoned uploads, deletes kept bytes, and knows the newest uploads only; until
    then it keeps all of them."""
    crowd = """INSERT INTO jobs (kind, name, state, created, finished)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9998) SELECT 'raw', 'x', 'done', '2099-01-01', '2099-01-01' FROM n"""
    data = json.dumps({"run_id": 1}).encode()
    with Dashboard(bin_dir, db) as one:
        never = opened(one)
        one.upload("/api/upload/json", little("asked"))
        rival = one.upload("/api/upload/json", little("asked", suite="other"))["job_id"]
        kept = one.upload("/api/upload/raw", data, "application/octet-stream")["job_id"]
        assert look(one, kept)["items"][0]["retryable"]
        change(db, crowd)
        newest = one.upload("/api/upload/json", little("newest"))["job_id"]
        assert one.stop() == (0, "", "")
    with Dashboard(bin_dir, db) as again:
        assert look(again, kept)["items"][0]["retryable"]
        assert again.post("/api/upload/known", {"sha256": [sha256(data)]}).json["known"][0]["job_id"] == kept
        ask(again, rival, "choose", {"choice": "keep"})
        assert counts(again.done(f"/api/upload/status/{rival}")) == {"stored": 1}
        assert again.stop() == (0, "", "")
    change(db, "UPDATE jobs SET created = '2020-01-01T00:00:00Z'; UPDATE jobs SET finished = '2020-01-01T00:00:00Z' WHERE finished IS NOT NULL")
    with Dashboard(bin_dir, db) as late:
        assert look(late, never)["state"] == "done"
        # with 9,999 that are newer
        assert not look(late, kept)["items"][0]["retryable"]
        assert late.get(f"/api/upload/status/{rival}").status == 404
        assert look(late, newest)["state"] == "done"
        assert late.stop() == (0, "", "")


def test_an_older_database_is_continued(bin_dir, tmp_path):
    """A server of the previous form left it in the middle of a job: two of four items are done."""
    import sqlite3
    db = tmp_path / "d.db"
    documents = [little(f"old-{i}") for i in range(4)]
    with Dashboard(bin_dir, db) as one:
        one.upload("/api/upload/batch", documents[:2])
        assert one.stop() == (0, "", "")
    with contextlib.closing(sqlite3.connect(db)) as own, own:
        (form_now,) = own.execute("PRAGMA user_version").fetchone()
    packed = zstd(json.dumps(documents).encode())
    change(db, f"""
        UPDATE jobs SET state = 'queued', finished = NULL; UPDATE job_items SET part = NULL;
        UPDATE job_parts SET state = 'queued', first_item = NULL, items = NULL, bytes = x'{packed.hex()}'""")
    assert form_now >= 6
    with Dashboard(bin_dir, db) as again:
        done = again.done("/api/upload/status/1")
        assert counts(done) == {"stored": 4} and again.get("/api/health").json["total"] == 4
        assert again.stop() == (0, "", "")


def test_nothing_is_to_be_read_again(shared):
    """The bytes of an upload that is not JSON are not kept: a retry is refused."""
    job = shared.upload("/api/upload/raw?name=broken.json", b'{"run_id": ')
    problem = ask(shared, job["job_id"], "retry", {}, status=409)
    assert "has no item to retry" in problem["detail"] and look(shared, job["job_id"]) == job
    assert ask(shared, job["job_id"], "retry", {"items": [0]}, status=422)["pointer"] == "/items/0"


def test_a_rejected_one_keeps_no_secret(bin_dir, tmp_path):
    db = tmp_path / "d.db"
    with Dashboard(bin_dir, db) as one:
        job = one.upload("/api/upload/json", {**GOOD, "status": "odd", "config": {"server": {"api_key": "S3CR3TKEY"}}})
        assert counts(job) == {"rejected": 1} and job["items"][0]["retryable"]
        assert one.stop() == (0, "", "")
    import sqlite3
    with contextlib.closing(sqlite3.connect(db)) as own:
        ((packed,),) = own.execute("SELECT bytes FROM job_bytes").fetchall()
    plain = subprocess.run(["zstd", "-q", "-d", "-c"], input=packed, capture_output=True, check=True).stdout
    assert b"S3CR3T" not in plain and b'"***"' in plain
