"""`profllm-dashboard prune --rule`: the dry run lists exactly the removed objects, which a count in Python confirms; holds, changes meanwhile and
kills."""
import hashlib
import json
import os
import random
import re
import subprocess
import time
from datetime import datetime, timedelta, timezone

import pytest
from backup_tools import check, contents, files_of
from dashboard_tools import Dashboard, little
from database_tools import ask, change, is_address
from import_tools import dashboard_command, import_json, run_dashboard
from run_tools import PATIENCE, environment

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
SEED = 41
ROUNDS = 12 if LONG else 1
KINDS = ["trace", "requests", "server_log"]
SUITES = ["nightly", "gate", "it's, \\odd"]
STATUSES = ["completed", "failed"]
NOW = datetime.now(timezone.utc)


def stamp(days):
    return (NOW - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Store:
    """Results with ages, and artifacts by SQL with their files; `results` and `artifacts` are the truth."""

    def __init__(self, bin_dir, db, data, rng, count=24):
        self.bin_dir, self.db, self.data = bin_dir, db, data
        documents = []
        for number in range(count):
            documents.append(little(number, suite=rng.choice(SUITES), status=rng.choice(STATUSES), results={"mean_ttft_ms": rng.random()},
                                    tags={"case": rng.choice(["17", "18"]), "größe": "x"}))
            # another result of the same run_id
            if number % 6 == 5:
                documents[-1]["run_id"] = documents[-2]["run_id"]
        path = data.parent / "r.jsonl"
        path.write_text("".join(json.dumps(document) + "\n" for document in documents))
        import_json(bin_dir, path, "--db", db, "--data", data, "--on-conflict", "keep")
        ids = [row[0] for row in ask(db, "SELECT id FROM benchmark_runs ORDER BY id")]
        assert len(ids) == count
        ages = sorted((rng.uniform(0, 100) for _ in ids), reverse=True)
        self.results = {id_: {**document, "age": age} for id_, document, age in zip(ids, documents, ages)}
        change(db, "".join(f"UPDATE benchmark_runs SET stored_at = '{stamp(age)}' WHERE id = {id_};" for id_, age in zip(ids, ages)))
        self.artifacts = {}
        statements = []
        for number, run_id in enumerate(rng.choice(documents)["run_id"] for _ in range(count * 3)):
            # some files belong to several artifacts
            blob = f"file {rng.randint(0, count * 2)}".encode() * 50
            sha256 = hashlib.sha256(blob).hexdigest()
            (data / sha256[:2]).mkdir(parents=True, exist_ok=True)
            (data / sha256[:2] / sha256).write_bytes(blob)
            kind = rng.choice(KINDS)
            self.artifacts[number + 1] = (run_id, kind, sha256, len(blob))
            statements.append(f"INSERT INTO artifacts (id, run_id, kind, name, sha256, bytes, stored_at) VALUES"
                              f" ({number + 1}, '{run_id}', '{kind}', 'n{number}', '{sha256}', {len(blob)}, '{stamp(0)}');")
        change(db, "".join(statements))

    def prune(self, *args, status=0):
        done = run_dashboard(self.bin_dir, "prune", "--db", self.db, "--data", self.data, "--json", *args)
        assert done.returncode == status, done.stdout + done.stderr
        return json.loads(done.stdout) if status == 0 else done

    def counted(self, rules, with_rows=False, held=()):
        """Counts in Python: ({ids of artifacts}, {ids of results}, counts per rule)."""
        artifacts, results, counts = set(), set(), []
        held_runs = {self.results[id_]["run_id"] for id_ in held}
        uses = {}
        for _, _, sha256, bytes_ in self.artifacts.values():
            uses.setdefault(sha256, [0, bytes_])[0] += 1
        total = sum(bytes_ for _, bytes_ in uses.values())
        for rule in rules:
            count = {"results": 0, "artifacts": 0, "files": 0, "bytes": 0}
            of = {id_ for id_, result in self.results.items() if ("age" not in rule or result["age"] > rule["age"])
                  and ("suite" not in rule or result["suite"] == rule["suite"]) and ("status" not in rule or result["status"] == rule["status"])}
            runs = {result["run_id"] for result in self.results.values()} - {result["run_id"] for id_, result in self.results.items() if id_ not in of}
            for id_, (run_id, kind, sha256, bytes_) in sorted(self.artifacts.items()):
                if "max_bytes" in rule and total <= rule["max_bytes"]:
                    break
                if run_id not in runs or ("kind" in rule and kind != rule["kind"]) or run_id in held_runs or id_ in artifacts:
                    continue
                artifacts.add(id_)
                count["artifacts"] += 1
                uses[sha256][0] -= 1
                if uses[sha256][0] == 0:
                    count["files"] += 1
                    count["bytes"] += bytes_
                    total -= bytes_
            if with_rows and "kind" not in rule and "max_bytes" not in rule:
                new = of - results - set(held)
                results |= new
                count["results"] = len(new)
            counts.append(count)
        return artifacts, results, counts


def text_of(rule):
    def value(key):
        if key == "age":
            return f"{rule[key]}d"
        return str(rule[key]).replace("\\", "\\\\").replace(",", "\\,")
    return ",".join(f"{key}={value(key)}" for key in rule)


def random_rule(rng):
    rule = {}
    if rng.random() < 0.7:
        rule["age"] = rng.randint(5, 80)
    if rng.random() < 0.4:
        rule["suite"] = rng.choice(SUITES)
    if rng.random() < 0.4:
        rule["status"] = rng.choice(STATUSES)
    if rng.random() < 0.4:
        rule["kind"] = rng.choice(KINDS)
    if rng.random() < 0.3 or not rule:
        rule["max_bytes"] = rng.randint(0, 20000)
    return rule


def ids_of(db, table):
    return {id_ for (id_,) in ask(db, f"SELECT id FROM {table}")}


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_the_dry_run_is_what_goes(bin_dir, database, tmp_path, seed):
    rng = random.Random(SEED + seed)
    store = Store(bin_dir, database.with_tables(tmp_path), tmp_path / "files", rng)
    for _ in range(2):
        rules = [random_rule(rng) for _ in range(rng.randint(1, 3))]
        with_rows = any("kind" not in rule and "max_bytes" not in rule for rule in rules) and rng.random() < 0.6
        words = [word for rule in rules for word in ("--rule", text_of(rule))] + ["--rows"] * with_rows
        artifacts, results, counts = store.counted(rules, with_rows)
        before = contents(store.db), files_of(store.data)
        shown = store.prune(*words)
        assert (contents(store.db), files_of(store.data)) == before
        assert [{key: entry[key] for key in counts[0]} for entry in shown["rules"]] == counts
        assert [entry["rule"] for entry in shown["rules"]] == [text_of(rule) for rule in rules] and not shown["applied"]
        done = store.prune(*words, "--yes", "--plan", shown["plan"])
        assert done["removed"] == done["total"] == shown["total"] == {key: sum(count[key] for count in counts) for key in counts[0]}
        assert ids_of(store.db, "artifacts") == set(store.artifacts) - artifacts
        assert ids_of(store.db, "benchmark_runs") == ids_of(store.db, "benchmark_documents") == set(store.results) - results
        store.artifacts = {id_: artifact for id_, artifact in store.artifacts.items() if id_ not in artifacts}
        store.results = {id_: result for id_, result in store.results.items() if id_ not in results}
        assert set(files_of(store.data)) == {sha256 for _, _, sha256, _ in store.artifacts.values()}
        # nothing else: documents, edits and other tables
        left = contents(store.db)
        untouched = set(left) - {"artifacts", "benchmark_runs", "benchmark_documents", "benchmark_texts", "benchmark_edits", "benchmark_changes",
                                 "field_rows", "field_chunks", "field_segments"}
        assert ids_of(store.db, "field_rows") <= set(store.results)
        assert {table: left[table] for table in untouched} == {table: before[0][table] for table in untouched}
        check(bin_dir, "--db", store.db, "--data", store.data)


@pytest.mark.parametrize("args", [["--rule", "age=1ms", "--rows", "--yes"], []], ids=["rule", "deleted"])
def test_a_tag_that_is_held_meanwhile_counts(bin_dir, tmp_path, args):
    """A result whose tag was stored is never removed, also while prune reads the tags of all results."""
    db, data, path, count = tmp_path / "lab.db", tmp_path / "files", tmp_path / "r.jsonl", 2000
    path.write_text("".join(json.dumps(little(number, notes="x" * 3000)) + "\n" for number in range(count)))
    import_json(bin_dir, path, "--db", db, "--data", data)
    assert run_dashboard(bin_dir, "prune", "--db", db, "--data", data, "--hold", "case=17").returncode == 0
    held = []
    with Dashboard(bin_dir, db, "--data", data) as one:
        connection = one.connect()
        command = subprocess.Popen(dashboard_command(bin_dir, "prune", "--db", db, "--data", data, *args), stdout=subprocess.DEVNULL,
                                   env=environment())
        for id_ in range(1, count + 1):
            answer = one.ask("PATCH", f"/api/data/experiments/{id_}", json.dumps({"tags": {"case": "17"}}),
                             {"Content-Type": "application/json"}, connection=connection, check=False)
            if answer.status == 200 and not args:
                one.ask("DELETE", f"/api/data/experiments/{id_}", connection=connection)
            if answer.status == 200:
                held.append(id_)
            if command.poll() is not None:
                break
        assert command.wait(60 * PATIENCE) == 0
        one.stop()
    assert held
    left = {row[0] for row in ask(db, "SELECT id FROM benchmark_runs")}
    assert [id_ for id_ in held if id_ not in left] == []


def test_holds(bin_dir, database, tmp_path):
    rng = random.Random(SEED)
    store = Store(bin_dir, database.with_tables(tmp_path), tmp_path / "files", rng, count=12)
    assert [(hold["tag"], hold["value"]) for hold in store.prune("--hold", "case=17", "--hold", "größe=none")["holds"]] == [("case", "17"), ("größe", "none")]
    held = {id_ for id_, result in store.results.items() if result["tags"]["case"] == "17"}
    assert held and ids_of(store.db, "benchmark_runs") == set(store.results)
    with Dashboard(bin_dir, store.db, "--data", store.data) as one:
        # a tag of a user holds and releases, too; a deleted result stays held
        free, was = min(set(store.results) - held), min(held)
        for id_, value in ((free, "17"), (was, "16")):
            one.ask("PATCH", f"/api/data/experiments/{id_}", json.dumps({"tags": {"case": value}}).encode(), {"Content-Type": "application/json"})
        held = held - {was} | {free}
        gone = [*sorted(held)[:2], was]
        for id_ in gone:
            assert one.ask("DELETE", f"/api/data/experiments/{id_}").status == 204
        one.stop()
    rules = [{"age": 1}]
    artifacts, results, counts = store.counted(rules, True, held)
    shown = store.prune("--rule", "age=1d", "--rows")
    assert {key: shown["total"][key] for key in counts[0]} == counts[0] and shown["held"]["results"] == len([i for i in held if store.results[i]["age"] > 1])
    assert store.prune("--older-than", "0s", "--holds")["holds"]  # without a time: only the list
    # a later prune of deleted results leaves the held ones
    assert run_dashboard(bin_dir, "prune", "--db", store.db, "--data", store.data).stdout.startswith("removed 1 result ")
    assert ids_of(store.db, "benchmark_runs") == set(store.results) - {was}
    store.results.pop(was)
    store.prune("--release", "case=17")
    assert "the hold 'case=17' is missing" in store.prune("--release", "case=17", status=2).stderr
    assert run_dashboard(bin_dir, "prune", "--db", store.db, "--data", store.data).stdout.startswith("removed 2 results ")


def test_a_plan_that_has_changed_is_refused(bin_dir, database, tmp_path):
    store = Store(bin_dir, database.with_tables(tmp_path), tmp_path / "files", random.Random(SEED), count=6)
    shown = store.prune("--rule", "age=1d")
    assert shown["total"]["artifacts"] > 0
    change(store.db, "DELETE FROM artifacts WHERE id = 1")
    before = contents(store.db)
    done = store.prune("--rule", "age=1d", "--yes", "--plan", shown["plan"], status=5)
    assert "have changed since" in done.stderr and contents(store.db) == before
    text = run_dashboard(bin_dir, "prune", "--db", store.db, "--data", store.data, "--rule", "age=1d").stdout
    plan = re.search(r"--yes --plan (\S+) to remove exactly this", text).group(1)
    assert store.prune("--rule", "age=1d", "--yes", "--plan", plan)["applied"]
    assert ids_of(store.db, "artifacts") == {id_ for id_, (run_id, *_) in store.artifacts.items()
                                             if any(result["run_id"] == run_id and result["age"] <= 1 for result in store.results.values())} - {1}


def test_marks_of_possible_duplicates_follow(bin_dir, database, tmp_path):
    """Removing the oldest result of a run changes the marks of the others, which are removed all the same."""
    db = database.with_tables(tmp_path)
    figures = {"duration": 31.5, "mean_ttft_ms": 81.25, "mean_itl_ms": 9.875}
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps({"run_id": f"r{i}", "suite": "old" if i < 4 else "new", "config": {"server": {"seed": 1}}, "results": figures}) + "\n"
                            for i in range(6)))
    import_json(bin_dir, path, "--db", db)
    done = run_dashboard(bin_dir, "prune", "--db", db, "--rule", "suite=old", "--rows", "--yes", "--json")
    assert json.loads(done.stdout)["removed"]["results"] == 4, done.stdout
    with Dashboard(bin_dir, db) as one:
        assert {row["id"]: row["cells"].get("stored.possible_duplicate") for row in one.rows(columns=["stored.possible_duplicate"])} == {5: None, 6: 5}
        one.stop()
    check(bin_dir, "--db", db)


@pytest.mark.one_database
def test_a_running_dashboard_shows_what_is_left(bin_dir, tmp_path):
    store = Store(bin_dir, tmp_path / "d.db", tmp_path / "files", random.Random(SEED), count=12)
    with Dashboard(bin_dir, store.db, "--data", store.data) as one:
        assert len(one.ids()) == 12
        _, results, _ = store.counted([{"status": "failed"}], True)
        store.prune("--rule", "status=failed", "--rows", "--yes")
        assert set(one.ids()) == set(store.results) - results
        # what a user changes after the plan stays: none of these does
        assert one.stop()[0] == 0


@pytest.mark.one_database
def test_a_killed_prune_is_continued(bin_dir, tmp_path):
    rng = random.Random(SEED)
    store = Store(bin_dir, tmp_path / "d.db", tmp_path / "files", rng, count=60)
    words = ["prune", "--db", store.db, "--data", store.data, "--rule", "age=20d", "--rows", "--yes"]
    artifacts, results, _ = store.counted([{"age": 20}], True)
    for _ in range(3):
        with subprocess.Popen(dashboard_command(bin_dir, *words), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(rng.random() * 0.1 * PATIENCE)
            process.kill()
        assert ids_of(store.db, "benchmark_runs") >= set(store.results) - results and ids_of(store.db, "artifacts") >= set(store.artifacts) - artifacts
    assert run_dashboard(bin_dir, *words[0:]).returncode == 0
    # files whose rows a killed one removed are unreferenced, and go like others
    assert run_dashboard(bin_dir, "prune", "--db", store.db, "--data", store.data).returncode == 0
    assert ids_of(store.db, "benchmark_runs") == set(store.results) - results and ids_of(store.db, "artifacts") == set(store.artifacts) - artifacts
    assert set(files_of(store.data)) == {store.artifacts[id_][2] for id_ in set(store.artifacts) - artifacts}
    check(bin_dir, "--db", store.db, "--data", store.data)


@pytest.mark.one_database
def test_wrong_words(bin_dir, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(little()))
    import_json(bin_dir, tmp_path / "a.json", "--db", tmp_path / "d.db")
    for words, says in ((["--rule", ""], "found the key ''"), (["--rule", "age"], "age: expected age=VALUE"), (["--rule", "age=-1d"], "age: found '-1d'"),
                        (["--rule", "age=1d,age=2d"], "age: found it twice"), (["--rule", "kind=traces"], "did you mean 'trace'"),
                        (["--rule", "max_bytes=big"], "max_bytes: found 'big'"), (["--rule", "size=3"], "found the key 'size', expected age"),
                        (["--rule", "age=1d,"], "found the key ''"), (["--rows"], "--rows: expected --rule"), (["--yes"], "--yes: expected --rule"),
                        (["--rule", "kind=trace", "--rows"], "--rows: found only rules with kind"), (["--rule", "age=1d", "--plan", "x"], "--plan: expected --yes"),
                        (["--rule", "age=1d", "--yes", "--plan", "x"], "--plan: found 'x'"), (["--rule", "age=1d", "--older-than", "1d"], "--older-than: found it with --rule"),
                        (["--hold", "x"], "--hold: found 'x', expected TAG=VALUE"), (["--release", "a=b"], "the hold 'a=b' is missing"), (["x"], "unexpected argument 'x'")):
        done = run_dashboard(bin_dir, "prune", "--db", tmp_path / "d.db", *words)
        assert done.returncode == 2 and says in done.stderr and len(done.stderr.splitlines()) == 1, (words, done.stderr)


ROWS, FILE_BYTES = (1_000_000, 200_000) if LONG else (20_000, 10_000_000)


def filled(db, rows):
    """Adds rows with one artifact each by SQL: sizes only, 200 GB in all. Returns the id before the first one."""
    ((first,),) = ask(db, "SELECT max(id) FROM benchmark_runs")
    number = f"(n - {first})"
    # at half hours, so that no row reaches an age of whole days while the test runs
    seconds = f"({number} * 8640000 / {rows} / 3600 * 3600 + 1800)"
    if is_address(db):
        series = f"WITH s AS (SELECT n FROM generate_series(CAST({first + 1} AS BIGINT), {first + rows}) AS n)"
        at = f"to_char(timestamp '{stamp(100)[:19]}' + {seconds} * interval '1 second', 'YYYY-MM-DD\"T\"HH24:MI:SS.000\"Z\"')"
        sha256 = "lpad(to_hex(n), 64, '0')"
    else:
        series = f"WITH RECURSIVE s(n) AS (SELECT {first + 1} UNION ALL SELECT n + 1 FROM s WHERE n < {first + rows})"
        at = f"strftime('%Y-%m-%dT%H:%M:%S.000Z', '{stamp(100)[:19]}', '+' || {seconds} || ' seconds')"
        sha256 = "printf('%064x', n)"
    values = {"id": "n", "run_id": "'big' || n", "content_sha256": sha256, "form": "'native'", "name": "'n'", "stored_at": at, "changed": "1",
              "explicit_fields": "'[]'"}
    texts = {"id": "n", '"run.suite"': "CASE n % 3 WHEN 0 THEN 'nightly' ELSE 'gate' END", '"run.status"': "CASE n % 10 WHEN 0 THEN 'failed' ELSE 'completed' END"}
    artifacts = {"run_id": "'big' || n", "kind": "CASE n % 2 WHEN 0 THEN 'trace' ELSE 'requests' END", "name": "'n'", "sha256": sha256,
                 "bytes": FILE_BYTES, "stored_at": f"'{stamp(0)}'"}
    odd = {"null_fields": "'[]'", "other_kinds": "'{}'"}
    tables = {"benchmark_runs": values | odd, "benchmark_texts": texts} if is_address(db) else {"benchmark_runs": values | texts}
    change(db, ";".join(f"{series} INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(map(str, columns.values()))} FROM s"
                        for table, columns in {**tables, "artifacts": artifacts}.items()))
    return first


@pytest.mark.one_database
def test_many_rows_and_bytes(bin_dir, database, tmp_path):
    """200 GB of artifacts by size; counts by arithmetic."""
    db = database.with_tables(tmp_path)
    data = ["--db", db, "--data", tmp_path / "files"]
    (tmp_path / "a.json").write_text(json.dumps(little()))
    import_json(bin_dir, tmp_path / "a.json", *data)
    change(db, f"UPDATE benchmark_runs SET stored_at = '{stamp(100)}'")
    first = filled(db, ROWS)
    assert ROWS * FILE_BYTES == 200 * 10 ** 9
    numbers = range(1, ROWS + 1)
    # the age of each row, in the arithmetic of the statement above: 70 days are whole hours
    old = [n for n in numbers if n * 8640000 // ROWS < 70 * 86400]
    trace = {n for n in old if (first + n) % 2 == 0}
    failed = {n for n in numbers if (first + n) % 10 == 0}
    rest = [n for n in numbers if n not in trace and n not in failed]
    limit = 50 * 10 ** 9
    kept = ROWS - len(trace | failed)
    oldest = rest[:max(0, kept - limit // FILE_BYTES)]
    rules = ["--rule", "age=30d,kind=trace", "--rule", "status=failed", "--rule", "max_bytes=50g", "--rows"]
    begun = time.monotonic()
    done = subprocess.run(["/usr/bin/time", "-v", *dashboard_command(bin_dir, "prune", *data, "--json", *rules)], env=environment(), capture_output=True,
                          text=True, check=False) if os.path.exists("/usr/bin/time") else run_dashboard(bin_dir, "prune", *data, "--json", *rules)
    shown = json.loads(done.stdout)
    took = time.monotonic() - begun
    assert [entry["artifacts"] for entry in shown["rules"]] == [len(trace), len(failed - trace), len(oldest)]
    assert [entry["results"] for entry in shown["rules"]] == [0, len(failed), 0]
    assert shown["total"]["bytes"] == FILE_BYTES * (len(trace | failed) + len(oldest))
    begun = time.monotonic()
    result = subprocess.run(dashboard_command(bin_dir, "prune", *data, "--json", *rules, "--yes", "--plan", shown["plan"]), env=environment(),
                            capture_output=True, text=True, check=False, timeout=600 * PATIENCE)
    applied = json.loads(result.stdout)
    print(f"{database.kind}, {ROWS} rows: plan {took:.1f} s, {time.monotonic() - begun:.1f} s with --yes", re.findall(r"Maximum resident.*", done.stderr))
    assert {key: applied["removed"][key] for key in ("results", "artifacts")} == {key: shown["total"][key] for key in ("results", "artifacts")}
    left = set(numbers) - trace - failed - set(oldest)
    assert ask(db, "SELECT count(*), min(id), sum(bytes) FROM artifacts")[0][::2] == (len(left), len(left) * FILE_BYTES)
    assert {run for (run,) in ask(db, "SELECT run_id FROM artifacts")} == {f"big{first + n}" for n in left}
    assert ask(db, "SELECT count(*) FROM benchmark_runs") == [(1 + ROWS - len(failed),)]
    assert len(left) * FILE_BYTES <= limit
