"""Uploads: every route and form, refusals and their locations; a kill loses no accepted result."""
import asyncio
import contextlib
import http.client
import json
import os
import pty
import random
import signal
import ssl
import subprocess
import threading

import pytest
from dashboard_tools import GOOD, Dashboard, form, little, results
from database_tools import bytes_literal, change, refusal
from run_tools import PATIENCE, run_profllm
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
STATES = ("queued", "parsed", "valid", "stored", "duplicate", "conflict", "rejected", "cancelled")


@pytest.fixture(scope="module")
def shared(bin_dir, database, tmp_path_factory):
    with Dashboard(bin_dir, database.new(tmp_path_factory.mktemp("db"))) as one:
        yield one
        assert one.stop() == (0, "", "")


def states(job):
    assert job["counts"] == {state: sum(item["state"] == state for item in job["items"]) for state in STATES}
    assert [item["index"] for item in job["items"]] == list(range(len(job["items"])))
    assert job["finished_at"] >= job["created_at"]
    return [item["state"] for item in job["items"]]


def test_a_result_as_json(shared):
    job = shared.upload("/api/upload/json?name=one.json", GOOD)
    assert job["kind"] == "json" and states(job) == ["stored"]
    (item,) = job["items"]
    assert (item["name"], item["form"], item["run_id"]) == ("one.json", "native", GOOD["run_id"])
    assert shared.get(f"/api/data/experiments/{item['id']}").json["document"] == GOOD


def test_the_same_content_and_other_content(shared):
    first = shared.upload("/api/upload/json", little("a"))["items"][0]
    turned = json.dumps(dict(reversed(little("a").items())), indent=3).encode()
    again = shared.upload("/api/upload/json", turned)
    assert states(again) == ["duplicate"] and again["items"][0]["id"] == first["id"]
    other = shared.upload("/api/upload/json", little("a", suite="other"))
    assert states(other) == ["conflict"] and other["items"][0]["id"] == first["id"]
    assert shared.get(f"/api/data/experiments/{first['id']}").json["document"]["suite"] == "s"


def test_a_form_with_one_file(shared):
    body, media = form(("r\u00e9sult.json", json.dumps(little("form")).encode()))
    job = shared.upload("/api/upload/json", body, media)
    assert states(job) == ["stored"] and job["items"][0]["name"] == "r\u00e9sult.json"
    for files in ((), (("a", b"{}"), ("b", b"{}"))):
        body, media = form(*files, preamble=b"--XyZ--" if not files else b"", end=bool(files))
        assert shared.post("/api/upload/json", body, media).status == 422


def test_a_batch_in_each_form(shared):
    documents = [little(f"batch-{i}") for i in range(4)]
    array = shared.upload("/api/upload/batch?name=all.json", documents)
    assert array["kind"] == "batch" and states(array) == ["stored"] * 4 and array["items"][2]["name"].startswith("all.json")
    lines = "\n".join([*map(json.dumps, documents[:2]), "", '{"broken": ', json.dumps(little("line"))]).encode()
    job = shared.upload("/api/upload/batch?name=odd", lines, "application/x-ndjson")
    assert states(job) == ["duplicate", "duplicate", "rejected", "stored"]
    broken = job["items"][2]
    assert broken["name"] == "odd.jsonl:4" and broken["message"].startswith("odd.jsonl:4:10: not valid JSON") and broken["faults"][0]["line"] == 4
    body, media = form(("a.json", json.dumps(documents[0]).encode()), (None, b"no file"), ("bad.json", b"{"), ("", b""),
                       ("many.jsonl", b"\n".join(json.dumps(little(f"many-{i}")).encode() for i in range(3))))
    job = shared.upload("/api/upload/batch", body, media)
    assert states(job) == ["duplicate", "rejected", "stored", "stored", "stored"]
    assert [item["name"] for item in job["items"][:2]] == ["a.json", "bad.json"]


def test_faults_have_their_lines(shared):
    """Each fault in a document of many lines, also within an array, has the line of its key; at most the first faults are
    listed."""
    bad = {"run_id": "many faults", "duration": "long", **{f"key {i}": i for i in range(404)}}
    text = json.dumps([little("before"), bad], indent=1)
    item = shared.upload("/api/upload/batch?name=r.json", text.encode())["items"][1]
    at = {line.split('"')[1]: number for number, line in enumerate(text.splitlines(), 1) if '"' in line}
    *faults, last = item["faults"]
    assert item["message"].endswith("(and 404 more)") and len(faults) == 200 and last["message"] == "205 more problems are not listed"
    assert faults[0]["pointer"] == "/duration" and faults[0]["found"] == '"long"'
    assert [one["line"] for one in faults] == [at[one.get("key", "duration")] for one in faults]


def test_a_status_by_pages(shared):
    job = shared.upload("/api/upload/batch", [*(little(f"page {i}") for i in range(5)), 1])
    url = f"/api/upload/status/{job['job_id']}"
    assert [item["index"] for item in job["items"]] == list(range(6))
    page = shared.ask("GET", f"{url}?limit=2&offset=4").json
    assert page == {**job, "items": job["items"][4:6]}
    assert shared.ask("GET", f"{url}?limit=0").json == {**job, "items": []}
    assert shared.ask("GET", f"{url}?offset=5").json["items"] == job["items"][5:]
    assert shared.ask("GET", f"{url}?limit=-1").json["pointer"] == "/limit"


def test_raw_bytes_of_any_producer(shared, tmp_path):
    packed = tmp_path / "r.json.zst"
    plain = tmp_path / "r.json"
    plain.write_text(json.dumps(little("packed")))
    subprocess.run(["zstd", "-q", plain, "-o", packed], check=True)
    for name, data, told in (("r.json.zst", packed.read_bytes(), ["stored"]), ("r.json", plain.read_bytes(), ["duplicate"]),
                             ("x.bin", bytes(range(256)), ["rejected"]), ("x.png", b"\x89PNG\r\n\x1a\n", ["rejected"]),
                             ("x", b"[" + json.dumps(little("in a list")).encode() + b"]", ["stored"])):
        for media in ("application/octet-stream", None):
            job = shared.upload(f"/api/upload/raw?name={name}", data, media)
            assert job["kind"] == "raw" and states(job) == (told if media else [{"stored": "duplicate"}.get(one, one) for one in told])


def test_vllms_file(shared, test_data_dir):
    data = (test_data_dir / "data/real/bench/py-random.json").read_bytes()
    job = shared.upload("/api/upload/raw?name=py-random.json", data)
    assert states(job) == ["stored"] and job["items"][0]["form"] == "flat"
    raw = shared.get(f"/api/data/experiments/{job['items'][0]['id']}/raw")
    assert raw.body == data and 'filename="py-random.json"' in raw.headers["Content-Disposition"]


def test_all_faults_of_a_result_are_reported(shared):
    broken = {**GOOD, "run_id": "exp_20260101_000000_ffffff", "status": "compleet", "duration": -1}
    (item,) = shared.upload("/api/upload/json", broken)["items"]
    assert item["state"] == "rejected" and item["id"] is None
    assert {fault["pointer"] for fault in item["faults"]} >= {"/status", "/duration"}
    (status,) = [fault for fault in item["faults"] if fault["pointer"] == "/status"]
    assert status["nearest"] == "completed"
    assert shared.get(f"/api/data/experiments/{broken['run_id']}").status == 404


UNREADABLE = {
    "cut": (b'{"run_id": "x"', 1), "not UTF-8": (b'{"run_id":\n"\xff\xfe"}', 2), "no number": (b'{"run_id": "x",\n\n"a": nan}', 3),
    "twice the same key": (b'{"run_id": "x",\n"run_id": "y"}', 2), "deep": (b'{"run_id": ' + b"[" * 100_000, 1),
    "a NUL": (b'{"run_id": "a\\u0000b"}', 1), "two documents": (b'{"run_id": "x"}\n{"run_id": "y"}', 2), "text": (b"hello", 1),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_invalid_json_is_refused_at_once(shared, name):
    total = shared.get("/api/health").json["total"]
    data, line = UNREADABLE[name]
    for body, media in ((data, "application/json"), form(("x.json", data))):
        problem = shared.post("/api/upload/json", body, media)
        assert problem.status == 400 and problem.json["line"] == line and problem.json["column"] >= 1, problem.body[:300]
    # among others it is a document that is rejected
    (item, other) = shared.upload("/api/upload/batch", *form(("x.json", data), ("y.json", json.dumps(little("y")).encode())))["items"][:2] \
        if name != "two documents" else ({"state": "rejected"}, {"state": "stored"})
    assert item["state"] == "rejected" and other["state"] in ("stored", "duplicate")
    assert shared.get("/api/health").json["total"] - total in (0, 1)


def test_a_secret_in_invalid_json_is_not_reported(shared):
    """Invalid JSON is reported with its location and reason, but without its text, because secrets cannot be recognized in it."""
    data = b'{"run_id":"x","config":{"server":{"api_key":"S3CRETKEY'
    for body, media in ((data, "application/json"), form(("x.json", data))):
        problem = shared.post("/api/upload/json", body, media)
        assert problem.status == 400 and (problem.json["line"], problem.json["column"]) == (1, len(data))
        assert "premature end of input" in problem.json["detail"] and b"S3CRET" not in problem.body
    for path, body, media in (("batch", *form(("x.json", data))), ("batch", data, "application/x-ndjson"), ("raw", data, None)):
        job = shared.upload(f"/api/upload/{path}", body, media)
        assert states(job) == ["rejected"] and "premature end of input" in job["items"][0]["message"]
        assert "S3CRET" not in json.dumps(job)
    problem = shared.post("/api/upload/batch", b"[" + data)
    assert problem.status == 400 and b"S3CRET" not in problem.body


def test_empty_and_too_large_bodies(shared):
    for path, media in (("json", "application/json"), ("batch", "application/x-ndjson"), ("raw", None)):
        assert shared.post(f"/api/upload/{path}", b"", media).status == 400
    assert shared.post("/api/upload/batch", []).json["pointer"] == ""
    assert shared.post("/api/upload/batch", {"run_id": "x"}).status == 422
    assert shared.post("/api/upload/batch", [1] * 10_001).status == 422
    assert shared.post("/api/upload/batch", b"1\n" * 10_001, "application/x-ndjson").status == 422
    assert shared.post("/api/upload/batch", b"{}", "text/csv").status == 415


def packed(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.one_database
@pytest.mark.release_only  # 240 MiB on their way through memory
def test_the_decompressed_size_of_a_form_is_limited(shared):
    """The limit covers all files of a form: files beyond it are rejected, those within it are accepted."""
    large = packed(b'{"run_id": "' + b"0" * (120 << 20) + b'"}')
    files = [*((f"{i}.json.zst", large) for i in range(3)), ("a.json.zst", packed(json.dumps(little("beside")).encode())),
             ("twice.zst", packed(packed(b"{}"))), ("broken.zst", large[:len(large) // 2])]
    job = shared.upload("/api/upload/batch", *form(*files))
    assert states(job) == ["rejected", "rejected", "rejected", "stored", "rejected", "rejected"]
    told = [item["message"] for item in job["items"]]
    assert "larger than 64 MiB" in told[0] and "larger than 64 MiB" in told[1]
    # never a result, however often it is read: nothing is done for its being read again
    assert [item["retryable"] for item in job["items"]] == [False] * 6
    assert "'2.json.zst' was not read: one upload may have 256 MiB after decompression" in told[2]
    assert "compressed twice" in told[4]


@pytest.mark.one_database
@pytest.mark.release_only  # 10,000 items
def test_the_documents_of_a_form_are_bounded(shared):
    lines = b"1\n" * 6000
    answer = shared.post("/api/upload/batch", *form(("a.jsonl", lines), ("b.jsonl", lines), ("c.json", b"{}")))

    def look():
        job = shared.ask("GET", answer.json["status_url"] + "?limit=10000", check=False).json  # 10,000 items take their time in Python
        return job if job["state"] == "done" else None
    job = wait_for(look, "the job is done", seconds=60)
    assert len(job["items"]) == 10_000 and job["total"] == 10_002
    job["items"] += shared.get(answer.json["status_url"] + "?offset=10000").json["items"]
    assert states(job) == ["rejected"] * 10_002
    assert [item["name"] for item in job["items"][9999:]] == ["b.jsonl:4000", "b.jsonl", "c.json"]
    assert job["items"][10_000]["message"].startswith("2000 of its documents ") and job["items"][10_000]["message"].endswith(" 10000")
    assert job["items"][10_001]["message"] == "'c.json' was not read: one upload may have at most 10000 documents"


def test_values_that_would_fill_the_memory(shared):
    """The values take 3 bytes each in the file, and a hundred times as much in memory."""
    body = b"[" + b"{}," * 3_000_000 + b"{}]"
    for path in ("json", "batch"):
        told = shared.post(f"/api/upload/{path}", body, "application/json")
        assert told.status == 400 and told.json["line"] == 1 and "too many values" in told.json["detail"]
        assert 8 << 20 < told.json["column"] < len(body)
    item, = shared.upload("/api/upload/raw?name=x.json", b'{"a": ' + body + b"}", "text/plain")["items"]
    assert item["state"] == "rejected" and "x.json:1:" in item["message"] and "too many values" in item["message"]


def test_the_memory_of_bodies_is_given_back(shared):
    """The values of one body take 400 MiB, those of all bodies at most 1 GiB."""
    body = b'[{"v":[' + b"[]," * 2_500_000 + b"[]]}]"
    for _ in range(3):
        assert shared.post("/api/upload/batch", body, "application/json").status == 202


def test_64_mib_and_no_more(shared):
    """The Content-Length suffices for a refusal."""
    connection = shared.connect()
    connection.putrequest("POST", "/api/upload/raw")
    connection.putheader("Content-Length", str((64 << 20) + 1))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    with contextlib.closing(connection.getresponse()) as reply:
        assert reply.status == 413 and b"64 MiB" in reply.read()
    connection.close()


FORMS = {
    "no boundary": (b"--XyZ--", "multipart/form-data"),
    "empty boundary": (b"----", 'multipart/form-data; boundary=""'),
    "a boundary of 71": (b"", f"multipart/form-data; boundary={'b' * 71}"),
    "another boundary": form(("a", b"{}"))[:1] + ("multipart/form-data; boundary=other",),
    "cut in a part": (form(("a", b"{}"))[0][:-12], "multipart/form-data; boundary=XyZ"),
    "cut in a head": (b'--XyZ\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n', "multipart/form-data; boundary=XyZ"),
    "no end": form(("a", b"{}"), end=False),
    "bare newlines": form(("a", b"{}"), newline=b"\n"),
    "no form": (b'{"run_id": "x"}', "multipart/form-data; boundary=XyZ"),
    "encoded": (b'--XyZ\r\nContent-Disposition: form-data; name="f"; filename="x"\r\nContent-Transfer-Encoding: base64\r\n\r\ne30=\r\n'
                b"--XyZ--\r\n", "multipart/form-data; boundary=XyZ"),
    "a long head": (b"--XyZ\r\nX: " + b"x" * 20_000 + b"\r\n\r\n\r\n--XyZ--", "multipart/form-data; boundary=XyZ"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_that_cannot_be_read(shared, name):
    body, media = FORMS[name]
    for path in ("json", "batch"):
        problem = shared.post(f"/api/upload/{path}", body, media)
        assert problem.status in (400, 422), problem.body
        assert "byte" in problem.json["detail"] or "boundary" in problem.json["detail"] or "file" in problem.json["detail"]


@pytest.mark.parametrize("name, header", [
    ("plain.json", b'filename="plain.json"'), ("no quotes.json", b'filename="no quotes.json"'), ("token.json", b"filename=token.json"),
    ('quo"te\\.json', b'filename="quo\\"te\\\\.json"'), ("na\u00efve.json", b"filename*=UTF-8''na%C3%AFve.json; filename=\"x\""),
    ("C:\\r\\x.json", b'filename="C:\\r\\x.json"'), ("a;b.json", b'name="x"; filename="a;b.json"; x=1'), ("\ufffd.json", b'filename="\xff.json"'),
    ("../../etc/x.json", b'filename="../../etc/x.json"'), ("<script>alert(1)</script>", b'filename="<script>alert(1)</script>"'),
    ("\u202ejson.x", 'filename="\u202ejson.x"'.encode()), ("x" * 500, b'filename="' + b"y" * 100 + b"x" * 500 + b'"')])
def test_names_of_files_are_unchanged(shared, name, header):
    body = b"--B\r\ncontent-DISPOSITION:form-data; " + header + b"\r\n\r\n" + json.dumps(little("named " + name)).encode() + b"\r\n--B--\r\n"
    (item,) = shared.upload("/api/upload/json", body, "multipart/form-data; charset=x; boundary=\"B\"")["items"]
    assert item["name"] == name and item["state"] in ("stored", "duplicate")
    assert shared.get(f"/api/data/experiments/{item['id']}").json["name"] == name
    assert shared.get(f"/api/data/experiments/{item['id']}/raw").headers["Content-Disposition"].isascii()


HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\u202eright to left\u202c", "x" * 300, "a\tb\r\nc", "\x1b[2J",
           "'; DROP TABLE benchmark_runs; --", "\U0001f4a9\u0301", "%00%s%n", "{{7*7}}", "\\u003cb\\u003e", "\ufeffmark"]


def test_hostile_texts_stay_text(shared):
    """A hostile text in any place of a document that takes text is returned unchanged, as JSON."""
    for i, text in enumerate(HOSTILE):
        result = {**GOOD, "run_id": f"exp_20260202_000000_{i:06x}", "name": text, "suite": text, "tags": {"t": text, text: "x"}}
        (item,) = shared.upload("/api/upload/json", result)["items"]
        assert item["state"] == "stored", item
        # held against the contract elsewhere: a thousand fields take their time in Python
        one = shared.ask("GET", f"/api/data/experiments/{item['id']}", check=False)
        assert one.headers["Content-Type"] == "application/json" and one.headers["X-Content-Type-Options"] == "nosniff"
        assert one.json["document"] == result and one.json["fields"]["run.name"]["value"] == text
        row, = shared.post("/api/filters/apply", {"filter": {"field": "run.name", "op": "eq", "value": text},
                                                  "columns": ["run.name", "run.suite"]}).json["rows"]
        assert row["cells"] == {"run.name": text, "run.suite": text}


# ---- profllm upload ------------------------------------------------------------------------------


def test_the_command_sends_files_and_folders(bin_dir, shared, tmp_path):
    folder = tmp_path / "results"
    (folder / "deeper").mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps(little("cmd-a")))
    (folder / "deeper/b.jsonl").write_text("\n".join(json.dumps(little(f"cmd-b{i}")) for i in range(2)))
    (folder / "a.requests.jsonl.zst").write_bytes(b"beside it")
    (folder / ".hidden.json").write_text("{}")
    (folder / "notes.txt").write_text("none")
    done = run_profllm(bin_dir, "upload", folder, "--to", shared.url)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    *_, counts, others, page = done.stdout.splitlines()
    assert counts == "3 stored, 0 duplicate, 0 conflict, 0 rejected" and page.startswith(f"{shared.url}/upload/")
    assert others == "1 file in directories ignored, because its name is not that of a result"
    assert "results/a.json" in done.stdout and "results/deeper/b.jsonl:2" in done.stdout
    (tmp_path / "bad.json").write_text('{"run_id":\n nan')
    (tmp_path / "other.json").write_text(json.dumps(little("cmd-a", suite="\x1b[31mother")))
    done = run_profllm(bin_dir, "upload", folder / "a.json", tmp_path / "bad.json", tmp_path / "other.json", "--to", shared.url, "--json")
    assert done.returncode == 2, done.stderr
    report = json.loads(done.stdout)
    assert [[item["state"] for item in file["items"]] for file in report["files"]] == [["duplicate"], ["rejected"], ["conflict"]]
    assert report["files"][0]["path"] == str(folder / "a.json") and report["files"][1]["items"][0]["faults"][0]["line"] == 2
    text = run_profllm(bin_dir, "upload", tmp_path / "bad.json", tmp_path / "other.json", "--to", shared.url + "/").stdout
    assert "rejected   bad.json: " in text and "conflict   other.json" in text and "\x1b" not in text


def test_the_command_names_the_fault(bin_dir, shared, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(little("cmd-c")))
    empty = tmp_path / "empty"
    empty.mkdir()
    for args, status, words in ((["--to", shared.url], 2, "nothing to upload"), ([path], 2, "--to is missing"),
                                ([path, "--to", "ftp://x"], 2, "expected http"), ([tmp_path / "none.json", "--to", shared.url], 2, "No such file"),
                                ([empty, "--to", shared.url], 2, "found no result file"), ([path, "--to", "http://no-such-host.invalid"], 1, "no-such-host")):
        done = run_profllm(bin_dir, "upload", *args)
        assert (done.returncode, words in done.stderr) == (status, True), done.stderr
    done = run_profllm(bin_dir, "upload", path, path, "--to", "http://127.0.0.1:1", "--wait", "0s")
    assert done.returncode == 1 and done.stdout.count("Connection refused") + done.stdout.count("not sent") == 2
    # a server responds, but is not a dashboard at that path
    done = run_profllm(bin_dir, "upload", path, "--to", shared.url + "/other")
    assert done.returncode == 2 and "HTTP 4" in done.stdout


def test_the_command_shows_how_far_it_is_on_a_terminal(bin_dir, shared, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(little("cmd-terminal")))
    ours, theirs = pty.openpty()
    done = subprocess.run([bin_dir / "profllm", "upload", path, path, "--to", shared.url], stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    told = ""
    with contextlib.suppress(OSError):  # how a closed terminal ends
        while data := os.read(ours, 65536):
            told += data.decode()
    os.close(ours)
    assert done.returncode == 0 and done.stdout.splitlines()[-2] == "1 stored, 1 duplicate, 0 conflict, 0 rejected"
    assert "\rsent 2 of 2 files, 2 read" in told and told.endswith("\r\x1b[K")


class TlsFront:
    """Simulates a proxy with a certificate: removes TLS, forwards bytes."""

    def __init__(self, dashboard, folder):
        self.host, port = dashboard.host.rsplit(":", 1)
        self.behind = int(port)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "k.pem",
                        "-out", "c.pem", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                       cwd=folder, check=True, capture_output=True)
        self.certificate = folder / "c.pem"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "c.pem", folder / "k.pem")
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=context))
        self.url = f"https://localhost:{self.server.sockets[0].getsockname()[1]}"
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    async def serve(self, reader, writer):
        inner = await asyncio.open_connection(self.host, self.behind)

        async def copy(source, target):
            with contextlib.suppress(OSError):
                while data := await source.read(65536):
                    target.write(data)
                    await target.drain()
            target.close()
        await asyncio.gather(copy(reader, inner[1]), copy(inner[0], writer))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.server.close()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()


def test_the_command_over_https(bin_dir, shared, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(little("cmd-tls")))
    with TlsFront(shared, tmp_path) as front:
        done = run_profllm(bin_dir, "upload", path, "--to", front.url)
        assert done.returncode == 1 and "certificate" in done.stdout
        done = run_profllm(bin_dir, "upload", path, "--to", front.url, "--insecure")
        assert done.returncode == 0 and done.stdout.startswith("stored")
        done = run_profllm(bin_dir, "upload", path, "--to", front.url, env={"SSL_CERT_FILE": str(front.certificate)})
        assert done.returncode == 0 and done.stdout.startswith("duplicate")


# ---- kill -9 -------------------------------------------------------------------------------------


def send_all(dashboard, documents, accepted, after=lambda count: None):
    """Uploads ten results at a time over one connection, until the server does not respond; records the accepted ones."""
    connection = dashboard.connect()
    for at in range(0, len(documents), 10):
        some = documents[at:at + 10]
        after(len(accepted))
        try:
            connection.request("POST", "/api/upload/batch", json.dumps(some), {"Content-Type": "application/json"})
            reply = connection.getresponse()
            body = json.loads(reply.read())
        except (OSError, http.client.HTTPException, ValueError):
            return
        assert reply.status == 202, body
        accepted.append((body["status_url"], [document["run_id"] for document in some]))


def kill_after(dashboard, count, seconds):
    """Kills after the given number of accepted results, and a short time: the work in progress at both ends is random."""
    def kill(accepted):
        if accepted == count:
            subprocess.Popen(["sh", "-c", f"sleep {seconds:.4f}; kill -9 {dashboard.process.pid}"])
    return kill


@pytest.mark.threads
def test_a_kill_loses_nothing_that_was_accepted(bin_dir, database, tmp_path):
    """Kills the server at random moments of an upload of 300 results (60 with a sanitizer): after the next start each
    accepted result is stored once and each job finishes."""
    chance = random.Random(9)
    count = 300 if PATIENCE == 1 else 60
    documents = [{**GOOD, "run_id": f"exp_20260303_000000_{i:06x}", "name": f"kill {i}"} if i % 150 == 25 else little(f"kill-{i}")
                 for i in range(count)]
    for moment in range(20 if LONG else 5 if PATIENCE == 1 else 2):
        db = database.new(tmp_path, f"{moment}.db")
        accepted = []
        with Dashboard(bin_dir, db) as one:
            send_all(one, documents, accepted, kill_after(one, chance.randrange(count // 10), chance.uniform(0, 0.03)))
            assert one.process.wait() == -signal.SIGKILL
        with Dashboard(bin_dir, db) as again:
            jobs = [again.done(url) for url, _ in accepted]
            assert all(set(states(job)) == {"stored"} for job in jobs)
            cut = f"/api/upload/status/{len(jobs) + 1}"  # a job whose response was lost
            is_cut = again.get(cut).status == 200 and again.done(cut) is not None
            there = [row["run_id"] for row in again.rows(columns=["run.run_id"])]
            wanted = [run_id for _, run_ids in accepted for run_id in run_ids]
            assert len(there) == len(set(there)) and set(wanted) <= set(there)
            assert len(there) == len(wanted) + 10 * is_cut
    # all of it once more, to what the last kill left
    with Dashboard(bin_dir, db) as again:
        send_all(again, documents, accepted := [])
        jobs = [again.done(url) for url, _ in accepted]
        assert sum(job["counts"]["stored"] + job["counts"]["duplicate"] for job in jobs) == count
        assert again.get("/api/health").json["total"] == count


def test_results_that_cannot_be_stored_block_no_other(bin_dir, db):
    """A job with broken bytes, and a result that the database refuses: both are rejected, and later ones are processed."""
    with Dashboard(bin_dir, db) as one:
        assert states(one.upload("/api/upload/json", little("before"))) == ["stored"]
        assert one.stop()[0] == 0
    change(db, f"""
        INSERT INTO jobs (kind, name, created) VALUES ('raw', 'bad.json', '2026-01-01T00:00:00Z');
        INSERT INTO job_parts (job, kind, name, files, bytes) VALUES (2, 'raw', 'bad.json', 1, {bytes_literal(db, '28b52ffd00')});
        INSERT INTO jobs (kind, name, created) VALUES ('raw', 'none.json', '2026-01-01T00:00:00Z');
        INSERT INTO job_parts (job, kind, name, files) VALUES (3, 'raw', 'none.json', 1);
        {refusal(db, "benchmark_documents", "length(NEW.bytes) > 500", 'odd ones are not taken')}""")
    odd = little("odd", note="".join(f"{7919 ** power:x}" for power in range(40)))
    with Dashboard(bin_dir, db) as again:
        for number, name in ((2, "bad.json"), (3, "none.json")):
            job = again.done(f"/api/upload/status/{number}")
            assert states(job) == ["rejected"] and job["items"][0]["name"] == name and f"job {number}" in job["items"][0]["message"]
        # its document is written last, after the response
        job = again.upload("/api/upload/batch", [little("first"), odd, little("last")])
        assert states(job) == ["stored", "rejected", "stored"]
        assert "odd ones are not taken" in job["items"][1]["message"]
        assert [row["run_id"] for row in again.rows()] == ["small-before", "small-first", "small-last"]
        assert again.stop() == (0, "", "")
