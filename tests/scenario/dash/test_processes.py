"""Several dashboards over one PostgreSQL database: each change of one is in the next answer of the others, whatever is killed, cut
or restarted meanwhile. An SQLite file has one dashboard."""
import concurrent.futures
import contextlib
import itertools
import json
import os
import random
import threading
import time

import pytest
from dashboard_tools import Dashboard, little
from database_tools import ask, change, writing
from history_tools import series
from import_tools import run_dashboard
from old_databases import BACK_TO_FORM_15
from process_tools import Chaos, Process, Relay, RoundRobin, Unanswered, send, until
from run_tools import PATIENCE
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
JSON = {"Content-Type": "application/json"}
APPLY, EXPERIMENTS = "/api/filters/apply", "/api/data/experiments"
TTFT = "results.median_ttft_ms"
NIGHTLY = {"field": "run.suite", "op": "eq", "value": "nightly"}


@pytest.fixture
def db(postgres):
    return postgres.with_tables()


# ---- every route ---------------------------------------------------------------------------------

READS = [
    ("POST", APPLY, {"facets": True, "metrics": [TTFT], "limit": 200, "columns": [TTFT, "tags.note", "server.model", "derived.cost_per_hour"]}),
    ("POST", APPLY, {"filter": {"field": "tags.note", "op": "not_null"}, "limit": 200}),
    ("POST", APPLY, {"filter": {"field": "environment.gpu_driver", "op": "eq", "value": "580.95"}, "limit": 200}),
    ("GET", "/api/filters/options", None), ("GET", "/api/filters/values?field=run.suite", None), ("GET", f"{EXPERIMENTS}?limit=200", None),
    ("POST", "/api/data/points", {"x": "run.timestamp", "y": TTFT}), ("GET", "/api/data/summary", None),
    ("POST", "/api/data/compare", {"sides": [{"filter": NIGHTLY}, {"filter": {"not": NIGHTLY}}]}), ("POST", "/api/analysis/pareto", {}), ("POST", "/api/analysis/missing", {}),
    ("POST", "/api/analysis/scaling", {}), ("POST", "/api/analysis/impact", {}), ("POST", "/api/analysis/slo", {"limits": [{"field": TTFT, "max": 1000}]}),
    ("POST", "/api/analysis/regression", {"metrics": [TTFT]}), ("POST", "/api/analysis/trends", {"metric": TTFT}),
    ("POST", "/api/analysis/releases", {"metrics": [TTFT]}), ("GET", "/api/analysis/decisions", None), ("GET", "/api/annotations", None),
    ("GET", "/api/prices", None), ("GET", "/api/filters/presets", None), ("GET", "/api/data/sweeps", None), ("GET", "/api/baselines", None),
    ("GET", f"{EXPERIMENTS}/3", None), ("GET", f"{EXPERIMENTS}/3/changes", None), ("GET", f"{EXPERIMENTS}/3/command", None),
    ("GET", f"{EXPERIMENTS}/3/report", None), ("POST", "/api/export/csv", {}), ("POST", "/api/export/json", {}), ("GET", "/api/upload/jobs", None)]
OF_THE_ANSWER = {"elapsed_ms", "exported_at", "request_id", "made_at", "generated_at", "at"}


def plain(value):
    """Returns an answer without what differs between two equal requests."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in OF_THE_ANSWER}
    return [plain(item) for item in value] if isinstance(value, list) else value


def answer_of(one, method, path, body):
    for _ in range(50):
        answer = one.ask(method, path, json.dumps(body).encode() if body is not None else None, JSON if body is not None else {})
        is_json = answer.headers["Content-Type"].startswith(("application/json", "application/problem+json"))
        if answer.status == 503 or (is_json and isinstance(answer.json, dict) and answer.json.get("incomplete")):
            continue
        lines = [] if is_json else [line for line in answer.body.splitlines() if not line.startswith((b"# time", b"# exported_at"))]
        return answer.status, plain(answer.json) if is_json else lines
    raise AssertionError(f"{method} {path}: {answer.body[:300]}")


def answers(one):
    return {f"{method} {path} {json.dumps(body)}": answer_of(one, method, path, body) for method, path, body in READS}


def unordered(value):
    """Rows without a sort are in the order in which a process read them, and so are the terms of a sum."""
    if isinstance(value, dict):
        return {key: unordered(item) for key, item in value.items()}
    if isinstance(value, float):
        return float(f"{value:.9g}")
    return sorted((unordered(item) for item in value), key=repr) if isinstance(value, (list, tuple)) else value


def check_equal(one, other, what):
    seen, expected = answers(other), answers(one)
    for question, answer in expected.items():
        assert seen[question] == answer, f"after {what}: {question}"
    return expected


def test_every_change_is_followed_in_every_answer(bin_dir, db, tmp_path):
    """Each answer was given, and cached, before the change. A new process has no cache, so its answers are the truth."""
    (tmp_path / "public.csv").write_text("model,gpu,gpu_count,date,output_throughput\nm,H100,1,2026-09-01,100\n")
    with Dashboard(bin_dir, db) as one, Dashboard(bin_dir, db) as other:
        assert one.upload("/api/upload/batch", series(40, 80, 0.03, seed="s", steps=[(25, 1.3)]))["counts"]["stored"] == 40
        assert one.upload("/api/upload/batch", [little(number, suite="old") for number in range(3)])["counts"]["stored"] == 3
        before = check_equal(one, other, "the upload")
        assert all(status == 200 for status, _ in before.values()), {key: value for key, value in before.items() if value[0] != 200}
        send_to = itertools.cycle((one, other))

        def ok(answer):
            assert answer.status in (200, 201, 204), answer.body
            return answer

        sweep = {"sweep": "swp_20261123_060000_0a1b2c", "name": "n", "state": "ended", "file": "n.yaml", "servers_started": 1,
                 "experiment": {"server": {"model": "m"}}, "redacted": [], "runs": []}
        decision = {"series": "k", "metric": TTFT, "at": 3, "kind": "expected", "experiment_id": 5}
        steps = {
            "tags": lambda at: at.ask("PATCH", f"{EXPERIMENTS}/3", json.dumps({"tags": {"note": "x"}}), JSON),
            "notes": lambda at: at.ask("PATCH", f"{EXPERIMENTS}/3", json.dumps({"notes": "y"}), JSON),
            "a deletion": lambda at: at.ask("DELETE", f"{EXPERIMENTS}/7"),
            "a second deletion": lambda at: at.ask("DELETE", f"{EXPERIMENTS}/8"),
            "a restore": lambda at: at.ask("POST", f"{EXPERIMENTS}/7/restore"),
            "a decision": lambda at: at.post("/api/analysis/decisions", decision),
            "an annotation": lambda at: at.post("/api/annotations", {"text": "t", "version": "0.31.0"}),
            "a change of it": lambda at: at.ask("PATCH", "/api/annotations/1", json.dumps({"text": "u"}), JSON),
            "prices": lambda at: at.ask("PUT", "/api/prices", json.dumps({"prices": [{"gpu": "NVIDIA H200", "per_hour": 3}]}), JSON),
            "a preset": lambda at: at.post("/api/filters/presets", {"name": "p"}),
            "the same preset": lambda at: at.ask("PUT", "/api/filters/presets/1", json.dumps({"name": "q"}), {**JSON, "If-Match": '"1"'}),
            "no preset": lambda at: at.ask("DELETE", "/api/filters/presets/1"),
            "a sweep": lambda at: at.ask("PUT", f"/api/data/sweeps/{sweep['sweep']}", json.dumps(sweep), JSON),
            "no annotation": lambda at: at.ask("DELETE", "/api/annotations/1"),
        }
        for what, step in steps.items():
            ok(step(next(send_to)))
            after = check_equal(one, other, what)
            assert after != before, what
            before = after
        commands = {"a baseline": ["import", "--baseline", "public", tmp_path / "public.csv"],
                    "prune": ["prune"], "prune by a rule": ["prune", "--rule", "suite=old", "--rows", "--yes"], "reindex": ["reindex"]}
        for what, words in commands.items():
            done = run_dashboard(bin_dir, *words, "--db", db)
            assert done.returncode == 0, (what, done.stderr)
            before = check_equal(one, other, what)
        ok(one.ask("DELETE", "/api/baselines/1"))
        before = check_equal(one, other, "no baseline")
        # a watch is evaluated by any process, and its state read from the database
        ok(other.post("/api/analysis/watches", {"name": "w", "question": {"filter": NIGHTLY, "metrics": [TTFT]}}))
        for each in (one, other):
            wait_for(lambda each=each: each.get("/api/analysis/watches").json["watches"][0]["state"], "it is evaluated")
        with Dashboard(bin_dir, db) as new:
            seen = answers(new)
            for question, answer in before.items():
                assert unordered(seen[question]) == unordered(answer), question
            assert new.stop()[0] == 0
        assert one.stop()[0] == other.stop()[0] == 0


# ---- read what was written -------------------------------------------------------------------------


def test_a_reader_gets_at_least_the_version_it_names(bin_dir, postgres, db):
    relay = Relay(postgres)
    with contextlib.closing(relay), Dashboard(bin_dir, db) as one, Dashboard(bin_dir, relay.address(db)) as other:
        job = one.post("/api/upload/json", little(0))
        assert one.job(job)["counts"]["stored"] == 1
        done = one.get(f"{job.json['status_url']}?limit=0")
        version = int(done.headers["X-Data-Version"])
        answer = other.post(APPLY, {"limit": 0}, **{"X-Data-Version": str(version)})
        assert answer.json["total"] == 1 and int(answer.headers["X-Data-Version"]) == answer.json["data_version"] >= version
        # each kind of change names a version that has it
        for method, path, body in (("PATCH", f"{EXPERIMENTS}/1", {"tags": {"a": "b"}}), ("DELETE", f"{EXPERIMENTS}/1", None), ("POST", f"{EXPERIMENTS}/1/restore", None),
                                   ("POST", "/api/annotations", {"text": "t", "version": "1"}), ("PUT", "/api/prices", {"prices": []})):
            changed = one.ask(method, path, json.dumps(body) if body is not None else None, JSON if body is not None else {})
            assert changed.status in (200, 201, 204) and int(changed.headers["X-Data-Version"]) > version, changed.body
            version = int(changed.headers["X-Data-Version"])
            assert int(other.get(f"{EXPERIMENTS}?limit=1", **{"X-Data-Version": str(version)}).headers["X-Data-Version"]) >= version
        for text in ("-1", "x", "1.5", "", "9" * 30):
            refused = other.post(APPLY, {"limit": 0}, **{"X-Data-Version": text})
            assert refused.status == 400 and "X-Data-Version: found" in refused.json["detail"]
        # the database has no such version: it was replaced
        refused = other.post(APPLY, {"limit": 0}, **{"X-Data-Version": str(version + 1)})
        assert refused.status == 412 and f"found {version + 1}, expected at most {version}" in refused.json["detail"], refused.body
        # no export, and no response of the cache, is older
        assert other.post("/api/export/csv", {}, **{"X-Data-Version": str(version + 1)}).status == 412
        # without the database, the results in memory may be older; it returns within the time that a reader waits
        relay.pause()
        change(db, "UPDATE store_state SET data_version = data_version + 1")
        assert other.post(APPLY, {"limit": 0}).json["data_version"] == version
        began = time.monotonic()
        refused = other.post(APPLY, {"limit": 0}, **{"X-Data-Version": str(version + 1)})
        assert refused.status == 503 and refused.headers["Retry-After"] and time.monotonic() - began > 1.9
        # many such readers leave room for others
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            began = time.monotonic()
            waits = [pool.submit(other.post, APPLY, {"limit": number}, **{"X-Data-Version": str(version + 1)}) for number in range(60)]
            time.sleep(0.2)
            assert other.post(APPLY, {"limit": 199}).json["data_version"] == version
            assert time.monotonic() - began < 1.5 * PATIENCE
            assert {wait.result().status for wait in waits} == {503} and time.monotonic() - began < 8 * PATIENCE
        threading.Timer(0.5, relay.go_on).start()
        answer = until(lambda: (got := other.post(APPLY, {"limit": 0}, **{"X-Data-Version": str(version + 1)})).status == 200 and got, 10, "it is back")
        assert answer.json["data_version"] == version + 1


def test_an_sqlite_file_has_one_dashboard(bin_dir, tmp_path):
    """A second one names the process that uses the file, and changes nothing; commands write meanwhile."""
    db = tmp_path / "d.db"
    (tmp_path / "r.json").write_text(json.dumps(little(1)))
    with Dashboard(bin_dir, db) as one:
        assert one.upload("/api/upload/json", little(0))["counts"]["stored"] == 1
        done = run_dashboard(bin_dir, "serve", "--db", db, "--port", "0")
        assert (done.returncode, done.stdout) == (5, ""), done
        assert f"'{db}' is in use by process {one.process.pid}" in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert run_dashboard(bin_dir, "import", tmp_path / "r.json", "--db", db).returncode == 0
        assert len(one.rows()) == 2
        one.process.kill()
    # a killed one holds nothing
    with Dashboard(bin_dir, db) as one:
        assert len(one.rows()) == 2 and one.stop()[0] == 0


# ---- kills and late commits ------------------------------------------------------------------------


class Writer(threading.Thread):
    """Stores results, tags, deletes and restores them, each until some process has acknowledged it. No other thread changes them."""

    def __init__(self, number, seed, processes, count):
        super().__init__(daemon=True)
        self.number, self.random, self.processes, self.count = number, random.Random(seed), processes, count
        self.expected, self.fault, self.retries = {}, None, 0  # run_id: (deleted, tag, value)

    def ask(self, method, path, body=None, ok=(200, 201, 202, 204)):
        """Asks any process until one acknowledges."""
        end = time.monotonic() + 90 * PATIENCE
        while True:
            with contextlib.suppress(Unanswered):
                status, _, out = send(self.random.choice(self.processes).host, method, path, json.dumps(body) if body is not None else None,
                                      JSON if body is not None else {})
                if status in ok:
                    return status, json.loads(out) if out else None
                assert status in (502, 503), (method, path, status, out)
            self.retries += 1
            assert time.monotonic() < end, f"{method} {path}: no process acknowledges it"
            time.sleep(0.05)

    def store(self, name, value):
        _, job = self.ask("POST", "/api/upload/json", little(name, results={"mean_ttft_ms": value}, suite=f"suite-{self.number % 3}"))
        while True:
            _, shown = self.ask("GET", job["status_url"])
            if shown["state"] == "done":
                break
            time.sleep(0.05)
        # the first request may have been stored, and its response lost
        assert shown["counts"]["stored"] + shown["counts"]["duplicate"] == 1, shown
        return shown["items"][0]["id"]

    def run(self):
        try:
            for step in range(self.count):
                run_id, value = f"small-{self.number}-{step}", float(self.random.randrange(1000))
                id_ = self.store(f"{self.number}-{step}", value)
                tag = None
                if self.random.random() < 0.5:
                    tag = f"t{self.random.randrange(4)}"
                    self.ask("PATCH", f"{EXPERIMENTS}/{id_}", {"tags": {"note": tag}})
                deleted = self.random.random() < 0.4
                if deleted:
                    self.ask("DELETE", f"{EXPERIMENTS}/{id_}", ok=(204, 410))
                if deleted and self.random.random() < 0.4:
                    self.ask("POST", f"{EXPERIMENTS}/{id_}/restore", ok=(200, 204, 409))
                    deleted = False
                self.expected[run_id] = (deleted, tag, value)
        except Exception as fault:  # pylint: disable=broad-exception-caught
            self.fault = fault


def filters(expected):
    """Yields (filter, the run_ids it matches, the same by SQL or None)."""
    live = {run_id: row for run_id, row in expected.items() if not row[0]}
    yield None, set(live), "deleted = 0"
    for bound in (0, 250, 500, 999):
        yield ({"field": "results.mean_ttft_ms", "op": "le", "value": bound}, {run_id for run_id, row in live.items() if row[2] <= bound},
               f'deleted = 0 AND "results.mean_ttft_ms" <= {bound}')
    for number in range(3):
        yield ({"field": "run.suite", "op": "eq", "value": f"suite-{number}"}, {run_id for run_id in live if int(run_id.split("-")[1]) % 3 == number},
               f"deleted = 0 AND \"run.suite\" = 'suite-{number}'")
    for number in range(4):
        tag = f"t{number}"
        yield {"field": "tags.note", "op": "eq", "value": tag}, {run_id for run_id, row in live.items() if row[1] == tag}, None
    yield {"field": "tags.note", "op": "is_recorded"}, {run_id for run_id, row in live.items() if row[1]}, None


def selected(host, tree):
    rows = []
    while True:
        body = {"limit": 200, "offset": len(rows), **({"filter": tree} if tree else {})}
        status, _, out = send(host, "POST", APPLY, json.dumps(body), JSON)
        assert status == 200, out
        page = json.loads(out)
        rows += [row["run_id"] for row in page["rows"]]
        if not page["rows"] or len(rows) >= page["count"]:
            assert len(rows) == len(set(rows)) == page["count"]
            return set(rows)


class Play:
    """Two dashboards over one database, each with a relay of its own, and what their results must be."""

    def __init__(self, bin_dir, postgres, stack):
        self.db, self.expected = postgres.with_tables(), {}
        self.relays = [stack.enter_context(contextlib.closing(Relay(postgres))) for _ in range(2)]
        self.processes = [stack.enter_context(contextlib.closing(Process(bin_dir, relay.address(self.db)))) for relay in self.relays]

    def steps(self, rng):
        def kill():
            one = rng.choice(self.processes)
            one.kill()
            one.start()

        def cut():
            rng.choice(self.relays).cut()

        def commit_slowly():
            """Another program counts a change, and commits it late."""
            with writing(self.db, "UPDATE store_state SET data_version = data_version + 1"):
                time.sleep(rng.uniform(0.05, 0.5))

        return [kill, cut, cut, commit_slowly, commit_slowly]

    def run(self, seed, writers, count, steps):
        """Writes meanwhile, and compares all answers with SQL within 2 s of the last commit. Returns the names of the steps."""
        begun = time.monotonic()
        chaos = Chaos(seed, self.steps(random.Random(seed)), 0.2, steps)
        all_writers = [Writer(number, number, self.processes, count) for number in range(seed * 1000, seed * 1000 + writers)]
        chaos.start()
        for one in all_writers:
            one.start()
        for one in all_writers:
            one.join()
        chaos.end()
        faults = [one.fault for one in all_writers if one.fault]
        assert not faults, (seed, faults[:3])
        last = time.monotonic()
        self.expected |= {run_id: row for one in all_writers for run_id, row in one.expected.items()}
        self.check(seed, last + 2 * PATIENCE)
        print(f"seed {seed}: {writers * count} results, {sum(one.retries for one in all_writers)} retries, played:",
              {name: chaos.played.count(name) for name in sorted(set(chaos.played))}, f"{time.monotonic() - begun:.1f} s")
        return set(chaos.played)

    def check(self, seed, end):
        rows = list(filters(self.expected))
        for tree, run_ids, _ in rows:
            for one in self.processes:
                while (got := selected(one.host, tree)) != run_ids:
                    assert time.monotonic() < end, (seed, tree, got ^ run_ids)
        by_sql = [(condition, run_ids) for _, run_ids, condition in rows if condition]
        found = [set() for _ in by_sql]
        # one statement for all: a start of psql costs more than the rows
        for number, run_id in ask(self.db, " UNION ALL ".join(
                f"SELECT {number} AS number, run_id FROM benchmark_runs JOIN benchmark_texts USING (id) WHERE {condition}"
                for number, (condition, _) in enumerate(by_sql))):
            found[number].add(run_id)
        assert found == [run_ids for _, run_ids in by_sql], seed
        assert ask(self.db, "SELECT count(*), count(DISTINCT run_id) FROM benchmark_runs") == [(len(self.expected), len(self.expected))]


SEEDS = [range(first, first + 10) for first in range(0, 500, 10)] if LONG else [range(20)]


def burst(seed):
    """Returns the number of writers, of results of each, and of steps at most: each one delays all writers. The long form has 20
    large bursts among 480 small ones."""
    if not LONG:
        return 3, 1, 6
    return (200, 2, 40) if seed % 25 == 0 else (40, 1, 6)


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_both_answer_like_sql_after_kills_cuts_and_late_commits(bin_dir, postgres, seeds):
    """The seeds of a test follow each other over one database."""
    with contextlib.ExitStack() as stack:
        play, played = Play(bin_dir, postgres, stack), set()
        for seed in seeds:
            played |= play.run(seed, *burst(seed))
        assert not LONG or played == {"kill", "cut", "commit_slowly"}
        for one in play.processes:
            one.stop()
    done = run_dashboard(bin_dir, "check", "--db", play.db)
    assert done.returncode == 0, done.stdout


# ---- restarts ---------------------------------------------------------------------------------------


class Reader(threading.Thread):
    """Asks one after the other; a request that fails is repeated once."""

    QUESTIONS = [("POST", APPLY, {"limit": 5}), ("GET", f"{EXPERIMENTS}?limit=5", None), ("GET", "/api/data/summary", None), ("GET", "/api/fields", None),
                 ("POST", APPLY, {"filter": {"field": "run.suite", "op": "eq", "value": "s"}, "facets": ["run.suite"], "limit": 5}),
                 ("GET", f"{EXPERIMENTS}/1", None), ("GET", "/api/filters/presets", None)]

    def __init__(self, number, host, is_over):
        super().__init__(daemon=True)
        self.random, self.host, self.is_over = random.Random(number), host, is_over
        self.is_lenient, self.begun = lambda: False, 0
        self.count, self.retries, self.failures, self.version = 0, 0, [], 0

    def once(self, method, path, body):
        try:
            status, headers, out = send(self.host, method, path, json.dumps(body) if body is not None else None,
                                        {**(JSON if body is not None else {}), "X-Data-Version": str(self.version)})
        except Unanswered as fault:
            return repr(fault)
        if status != 200:
            return f"{status} {out[:200]}"
        version = int(headers.get("X-Data-Version") or 0)
        if version and version < self.version:
            self.failures.append(f"{path}: version {version} after {self.version}")
        self.version = max(self.version, version)
        return None

    def run(self):
        while not self.is_over.is_set():
            question = self.random.choice(self.QUESTIONS)
            self.count += 1
            self.begun = time.monotonic()
            was_lenient = self.is_lenient()
            first = self.once(*question)
            if first is not None:
                self.retries += 1
                time.sleep(0.1)
                fault = self.once(*question)
                if fault is not None and not was_lenient and not self.is_lenient():
                    self.failures.append(f"{question[1]}: {first}; then {fault}")
            time.sleep(self.random.uniform(0, 0.05 if LONG else 0.5))


class Storer(Writer):
    """Stores results through the proxy until it is over."""

    def __init__(self, number, proxy, is_over):
        super().__init__(number, number, [proxy], 0)
        self.is_over, self.stored = is_over, 0

    def run(self):
        try:
            while not self.is_over.is_set():
                self.store(f"{self.number}-{self.stored}", 1.0)
                self.stored += 1
        except Exception as fault:  # pylint: disable=broad-exception-caught
            self.fault = fault


def start_again(process, readers):
    """Returns when the process is ready and all requests that began before are over: each meets one restart or kill at most, and is
    repeated once."""
    process.start()
    wait_for(lambda: process.one.get("/api/health/ready").status == 200, "it is ready")
    ready = time.monotonic()
    until(lambda: all(one.begun > ready for one in readers), 60, "earlier requests are over")


@pytest.mark.parametrize("restarts, kills, readers, writers", [(20, 20, 64, 4) if LONG else (1, 1, 6, 2)])
def test_restarts_and_kills_behind_a_proxy(bin_dir, postgres, db, restarts, kills, readers, writers):
    """Two dashboards are restarted in turn and killed under load, then both upgrade an older database."""
    is_over, is_upgrading = threading.Event(), threading.Event()
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(contextlib.closing(Process(bin_dir, db))) for _ in range(2)]
        proxy = stack.enter_context(contextlib.closing(RoundRobin(processes)))
        processes[0].one.upload("/api/upload/json", little("first"))
        threads = [Reader(number, proxy.host, is_over) for number in range(readers)]
        storers = [Storer(number, proxy, is_over) for number in range(writers)]
        for one in threads:
            one.is_lenient = is_upgrading.is_set
        for one in threads + storers:
            one.start()
        for number in range(restarts):
            for one in processes:
                one.stop()
                start_again(one, threads)
        rng = random.Random(7)
        for number in range(kills):
            one = rng.choice(processes)
            time.sleep(rng.uniform(0, 0.2))
            one.kill()
            start_again(one, threads)
        # an upgrade: the older program has ended, and both start at once
        is_upgrading.set()
        for one in processes:
            one.stop()
        before = ask(db, "SELECT count(*) FROM benchmark_runs")[0][0]
        change(db, BACK_TO_FORM_15 + "UPDATE store_form SET form = 15")
        starts = [threading.Thread(target=one.start) for one in processes]
        for start in starts:
            start.start()
        for start in starts:
            start.join()
        for one in processes:
            wait_for(lambda one=one: one.one.get("/api/health/ready").status == 200, "it is ready")
        is_upgrading.clear()
        wait_for(lambda: ask(db, "SELECT count(*) FROM benchmark_runs")[0][0] > before, "results are stored again")
        is_over.set()
        for one in threads + storers:
            one.join()
        faults = [one.fault for one in storers if one.fault] + [fault for one in threads for fault in one.failures]
        assert not faults, faults[:5]
        stored = {f"small-{one.number}-{step}" for one in storers for step in range(one.stored)} | {"small-first"}
        rows = [run_id for (run_id,) in ask(db, "SELECT run_id FROM benchmark_runs")]
        assert len(rows) == len(set(rows)) and set(rows) == stored
        for one in processes:
            assert {row["run_id"] for row in one.one.rows()} == stored
            one.stop()
        print(f"{sum(one.count for one in threads)} reads, {sum(one.retries for one in threads)} repeated, {len(rows)} results stored, "
              f"{sum(one.retries for one in storers)} writes repeated")
