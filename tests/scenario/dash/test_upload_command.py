"""`profllm upload` as one upload of many files: it does not repeat finished ones, resumes after interruptions, and reports
the outcome of each file."""
import json
import re

import pytest
from dashboard_tools import GOOD, Dashboard, little
from front_tools import Front
from run_tools import base_config, run_profllm, write_config
from wait_tools import wait_for

STATUS = "/api/upload/status"


@pytest.fixture(scope="module")
def shared(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("db") / "d.db") as one:
        yield one


@pytest.fixture
def files(tmp_path, request):
    """Results that no other test has."""
    return write_files(tmp_path, request.node.name)


def write_files(folder, name, suffix=".json"):
    paths = [folder / f"{i}{suffix}" for i in range(5)]
    for i, path in enumerate(paths):
        path.write_text(json.dumps(little(f"{name}-{i}")))
    return paths


def upload(bin_dir, url, *words, status=0):
    done = run_profllm(bin_dir, "upload", "--to", url, "--json", *words)
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout)


def states(report):
    return [[item["state"] for item in file["items"]] for file in report["files"]]


def ids(report):
    return [file["items"][0]["id"] for file in report["files"]]


def test_one_upload_of_the_missing_files(bin_dir, shared, files):
    with Front(shared) as front:
        first = upload(bin_dir, front.url, *files[:3])
        assert states(first) == [["stored"]] * 3 and front.files == 3 and first["state"] == "done"
        assert front.asked.count("/api/upload/batch") == 1 and "/api/upload/raw" not in front.asked
        job = shared.get(first["files"][0]["status_url"]).json
        assert {file["status_url"] for file in first["files"]} == {f"{STATUS}/{job['job_id']}"}
        assert (job["expected"]["files"], job["received"]["files"], job["name"], job["kind"]) == (3, 3, "0.json", "parts")
        assert first["page"] == f"{front.url}/upload/{job['job_id']}"
        # the same and two more
        again = upload(bin_dir, front.url, *files)
        assert states(again) == [["duplicate"]] * 3 + [["stored"]] * 2 and front.files == 5 and ids(again)[:3] == ids(first)
        # nothing to be sent: no upload of it
        assert upload(bin_dir, front.url, *files, "--on-conflict", "keep")["page"] is None and front.files == 5
        # a deleted result is sent again, and reported
        assert shared.ask("DELETE", f"/api/data/experiments/{ids(again)[1]}").status == 204
        told = upload(bin_dir, front.url, *files, status=2)
        assert states(told) == [["duplicate"]] * 5 and [file["items"][0]["deleted"] for file in told["files"]] == [False, True, False, False, False]
        assert front.files == 6
        done = run_profllm(bin_dir, "upload", "--to", front.url, *files)
        assert f"duplicate  1.json  (experiment {ids(again)[1]}): was deleted on the dashboard; use --on-conflict replace, or restore it there\n" in done.stdout
        assert "0 stored, 4 duplicate, 0 conflict, 0 rejected, 1 deleted on the dashboard\n" in done.stdout and done.returncode == 2
        assert states(upload(bin_dir, front.url, *files, "--on-conflict", "replace")) == [["duplicate"], ["stored"]] + [["duplicate"]] * 3


def test_choices_are_applied(bin_dir, shared, files):
    old, new = files[0], files[1]
    new.write_text(json.dumps({**json.loads(old.read_text()), "suite": "new"}))
    first = upload(bin_dir, shared.url, old)
    assert states(upload(bin_dir, shared.url, new, status=2)) == [["conflict"]]
    said = run_profllm(bin_dir, "upload", "--to", shared.url, new).stdout
    assert f" experiment {ids(first)[0]}; use --on-conflict replace or keep\n" in said
    kept = upload(bin_dir, shared.url, new, "--on-conflict", "keep")
    assert states(kept) == [["stored"]] and ids(kept) != ids(first)
    new.write_text(json.dumps({**json.loads(old.read_text()), "suite": "newer"}))
    assert ids(upload(bin_dir, shared.url, new, "--on-conflict", "replace")) == ids(first)
    done = run_profllm(bin_dir, "upload", "--to", shared.url, new, "--on-conflict", "drop")
    assert done.returncode == 2 and "--on-conflict" in done.stderr and "skip" in done.stderr


@pytest.mark.parametrize("route, plan", [("batch", ["drop"]), ("batch", ["cut"]), ("batch", ["late"]), ("batch", [503, 507]),
                                         ("raw", [None, None, "cut", "drop"]), ("raw", ["late", "late"])])
def test_a_way_that_breaks(bin_dir, shared, tmp_path, request, route, plan):
    """The upload resumes by itself, and stores nothing twice: the command asks for the received files before it repeats any."""
    files = write_files(tmp_path, request.node.name, ".json" if route == "batch" else ".jsonl")
    with Front(shared, **{route: plan}) as front:
        report = upload(bin_dir, front.url, *files, "--on-conflict", "keep")
    assert states(report) == [["stored"]] * 5 and len(set(ids(report))) == 5
    assert front.files == {("batch", "drop"): 10, ("batch", "cut"): 5, ("batch", "late"): 10, ("batch", 503): 15, ("raw", None): 6, ("raw", "late"): 7}[route, plan[0]]
    (job,) = {file["status_url"] for file in report["files"]}
    counts = shared.get(job).json["counts"]
    assert counts["stored"] == sum(counts.values()) == 5


def test_a_way_that_breaks_while_another_one_sends_the_same(bin_dir, shared, files):
    """The command asks for the files received in this upload, even if another one sends the same."""
    with Front(shared, batch=["cut"]) as front:
        def send_the_same(path):
            if path.startswith("/api/upload/known") and front.files == 5:
                for file in files:
                    shared.upload(f"/api/upload/raw?name={file.name}", file.read_bytes(), "application/octet-stream")
        front.before = send_the_same
        report = upload(bin_dir, front.url, *files)
    assert states(report) == [["stored"]] * 5 and front.files == 5
    assert len({file["status_url"] for file in report["files"]}) == 1


def test_one_that_is_refused_among_others(bin_dir, shared, files):
    """If a form is refused, its files are sent one by one: the others are stored."""
    with Front(shared, batch=[413], raw=[None, 413]) as front:
        report = upload(bin_dir, front.url, *files, status=2)
    assert states(report) == [["stored"], [], ["stored"], ["stored"], ["stored"]] and "HTTP 413" in report["files"][1]["failure"]


def test_a_dashboard_that_is_away_at_every_step(bin_dir, shared, files):
    with Front(shared, known=[503], jobs=["drop"], status=[502, "cut"]) as front:
        done = run_profllm(bin_dir, "upload", "--to", front.url, *files)
    assert done.returncode == 0 and "5 stored, 0 duplicate" in done.stdout
    assert re.search(r"^profllm: warning: waiting for the dashboard, at most 60 s: HTTP 503 ", done.stderr)


def test_one_that_answers_is_waited_for(bin_dir, shared, tmp_path):
    """The same after a run; but a server that never responded is not waited for."""
    config = write_config(tmp_path, base_config(num_prompts=2))
    with Front(shared, known=[503]) as front:
        done = run_profllm(bin_dir, "run", "-c", config, "-o", tmp_path / "r.json", "--quiet", "--upload", front.url)
    assert done.returncode == 0 and done.stderr.endswith(f"uploaded '{tmp_path}/r.json' to {front.url}\n")


def test_a_dashboard_that_stays_away(bin_dir, shared, files, tmp_path, request):
    """It retries for the given time; accepted files are not reported as lost, and the same command sends the others."""
    files += write_files(tmp_path, request.node.name + " lines", ".jsonl")[:2]
    with Front(shared, raw=[503] * 9) as front:
        report = upload(bin_dir, front.url, *files, "--wait", "0s", status=1)
        assert [file["failure"] is not None for file in report["files"]] == [True] * 7
        assert "HTTP 503" in report["files"][5]["failure"] and report["files"][6]["failure"].startswith("not uploaded: ")
        assert report["files"][0]["failure"].startswith("uploaded, but the outcome is unknown: ")
    with Front(shared) as front:
        assert [one[0] for one in states(upload(bin_dir, front.url, *files))] == ["duplicate"] * 5 + ["stored"] * 2
        assert front.files == 2


def cancelled(job):
    """Responds like a dashboard to a job that was cancelled before it was processed."""
    count = sum(job["counts"].values())
    return {**job, "state": "cancelled", "counts": {**dict.fromkeys(job["counts"], 0), "cancelled": count},
            "items": [{**item, "state": "cancelled", "id": None} for item in job["items"]]}


def test_an_upload_that_is_cancelled(bin_dir, shared, files):
    """The command ends, and reports the cancellation."""
    with Front(shared, status=[cancelled] * 9) as front:
        done = run_profllm(bin_dir, "upload", "--to", front.url, *files)
    assert done.returncode == 2 and done.stdout.count("cancelled  ") == 5 and "0 rejected, 5 cancelled\n" in done.stdout


@pytest.mark.parametrize("read", [0, 2])
def test_an_upload_that_is_cancelled_before_it_is_read(bin_dir, shared, files, read):
    """Files that were not read have no item. They are reported like those that have one."""
    def answer(job):
        job = cancelled(job)
        return {**job, "items": job["items"][:read], "total": read if job["items"] else job["total"]}

    with Front(shared, status=[answer] * 9) as front:
        done = run_profllm(bin_dir, "upload", "--to", front.url, *files)
    assert done.returncode == 2 and done.stdout.count("cancelled  ") == 5 and "failed" not in done.stdout, done.stdout
    assert done.stdout.count(": the upload was canceled before it was read\n") >= 5 - read


def test_an_upload_that_is_cancelled_while_it_is_sent(bin_dir, shared, tmp_path, request):
    files = write_files(tmp_path, request.node.name, ".jsonl")
    with Front(shared) as front:
        def cancel(path):
            if path.startswith("/api/upload/raw") and front.files == 2:
                job = re.search(r"job_id=(\d+)", path)[1]
                wait_for(lambda: shared.get(f"{STATUS}/{job}?limit=0").json["counts"]["stored"] == 1, "the first one is stored")
                assert shared.ask("POST", f"/api/upload/jobs/{job}/cancel").status == 200
        front.before = cancel
        done = run_profllm(bin_dir, "upload", "--to", front.url, *files)
    assert done.returncode == 2 and done.stdout.count(": not sent: the upload was canceled\n") == 4 and "; 4 of 5 files could not be sent\n" in done.stdout


def again_and_again(job):
    """Returns the first page at every offset, and always more to come."""
    again_and_again.asked += 1
    again_and_again.items = again_and_again.items or job["items"]
    return {**job, "items": again_and_again.items, "total": 2 * len(again_and_again.items)}


def more_each_time(job):
    """Returns the items of each page, while the number of items grows."""
    more_each_time.asked += 1
    return {**job, "items": [{"index": more_each_time.asked - 1, "name": "x", "state": "stored"}], "total": more_each_time.asked + 1}


@pytest.mark.parametrize("page, says", [
    (again_and_again, "the dashboard reports item 0 of 10, expected item 5"),
    (more_each_time, "the dashboard reports 3 items, expected 2"),
    (lambda job: {**job, "total": 10**12}, "the dashboard reports 1000000000000 items, expected at most 1000000"),
    (lambda job: {**job, "total": 2}, "the dashboard reports item 2 of 2, expected item 2"),
])
def test_pages_of_items_without_end(bin_dir, shared, files, page, says):
    page.asked, page.items = 0, None

    def answer(job):
        return page(job) if job.get("items") or page.asked else job

    with Front(shared, status=[answer] * 1000) as front:
        done = run_profllm(bin_dir, "upload", "--to", front.url, *files)
    assert done.returncode == 1 and f"the outcome is unknown: {says}; see " in done.stdout + done.stderr, done.stdout + done.stderr
    assert page.asked < 5


def test_faults_have_their_lines_and_are_limited(bin_dir, shared, tmp_path):
    # not by a name that may be one of a secret
    wrong = [key for key, value in GOOD["results"].items() if isinstance(value, float) and "token" not in key][:12]
    (tmp_path / "bad.json").write_text(json.dumps({**GOOD, "results": {**GOOD["results"], **dict.fromkeys(wrong, "much")}}, indent=1))
    done = run_profllm(bin_dir, "upload", "--to", shared.url, tmp_path / "bad.json")
    told = re.findall(r"^ {13}line (\d+): /results/([\w.]+): found \"much\"", done.stdout, re.M)
    lines = (tmp_path / "bad.json").read_text().splitlines()
    assert len(told) == 10 and all(f'"{key}": "much"' in lines[int(line) - 1] for line, key in told)
    assert "             and more (--json lists them)\n" in done.stdout and done.returncode == 2
    (file,) = upload(bin_dir, shared.url, tmp_path / "bad.json", status=2)["files"]
    assert len(file["items"][0]["faults"]) > 10


def test_more_items_than_one_response_has(bin_dir, shared, tmp_path):
    """The last one of 10,001 items is malformed."""
    path = tmp_path / "many.jsonl"
    path.write_text('{"run_id":"many"}\n' * 10_000 + "1\n")
    done = run_profllm(bin_dir, "upload", "--to", shared.url, path)
    assert done.returncode == 2 and "rejected   many.jsonl:10001" in done.stdout and done.stdout.count("\n") == 10_003
    assert "1 stored, 9999 duplicate, 0 conflict, 1 rejected\n" in done.stdout


def test_names_that_are_alike(bin_dir, shared, tmp_path):
    """Each file has its own items, also if several have the same name."""
    paths = []
    for i, count in enumerate((1, 3, 1, 2)):
        (tmp_path / str(i)).mkdir()
        paths.append(tmp_path / str(i) / "r.jsonl")
        paths[-1].write_text("\n".join(json.dumps(little(f"alike-{i}-{k}")) for k in range(count)))
    (tmp_path / "same.jsonl").write_bytes(paths[1].read_bytes())
    report = upload(bin_dir, shared.url, *paths, tmp_path / "same.jsonl")
    wanted = [[f"small-alike-{i}-{k}" for k in range(count)] for i, count in enumerate((1, 3, 1, 2))]
    assert [[item["run_id"] for item in file["items"]] for file in report["files"]] == [*wanted, wanted[1]]
    assert states(report)[4] == ["duplicate"] * 3
