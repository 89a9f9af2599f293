"""`profllm-dashboard import`: files of every form are imported once and unchanged, and faults are reported with their
location."""
import contextlib
import gzip
import json
import math
import re
import shutil
import sqlite3
import subprocess

import pytest
from dashboard_tools import Dashboard
from database_tools import change, refusal
from field_tools import expected, expected_of_flat, leaves
from host_tools import need
from import_tools import ask, dashboard_command, import_json, run_dashboard, stored_bytes, stored_fields
from run_tools import command, environment, run_profllm

EXAMPLES = ["quickstart", "arrival-rate", "chat-conversations", "shared-prefix", "small-kv-cache"]
SHORT = ["benchmark.num_prompts=6", "benchmark.num_warmups=0", "benchmark.request_rate=inf"]
# the first description of results, with an example's values
SAMPLE = {"run_id": "exp_20240115_103000_abc123", "suite": "baseline_performance", "timestamp": "2024-01-15T10:30:00Z",
          "duration": 300.5,
          "config": {"server": {"model": "meta-llama/Llama-3-8B", "tensor_parallel_size": 2, "max_model_len": "auto", "seed": None},
                     "benchmark": {"num_prompts": 1000, "request_rate": "inf", "max_concurrency": None}},
          "results": {"request_throughput": 12.5, "mean_ttft_ms": 45.2, "p99_ttft_ms": 0},
          "system": {"gpu_count": 2}, "profiling": {}, "status": "completed"}


@pytest.fixture(scope="module")
def rows(bin_dir):
    return {row["id"]: row for row in json.loads(run_dashboard(bin_dir, "fields", "--json").stdout)}


@pytest.fixture(scope="module")
def examples(bin_dir, source_dir, tmp_path_factory):
    """The results of the five examples, with few requests."""
    folder = tmp_path_factory.mktemp("examples")
    running = [subprocess.Popen(command(bin_dir, "run", "-c", source_dir / f"configs/examples/{name}.yaml", "--quiet",
                                        "-o", folder / f"{name}.json",
                                        *[word for pair in SHORT for word in ("--set", pair)]),
                                cwd=source_dir, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
               for name in EXAMPLES]
    for run in running:
        _, said = run.communicate()
        assert run.returncode == 0, said
    return folder


def write(path, value):
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def same(told, value):
    if isinstance(value, str) and value in ("inf", "-inf"):
        return told == float(value)
    return told == value and isinstance(told, bool) == isinstance(value, bool)


def assert_stored(db, id_, wanted, rows):
    """Every leaf that has a column is stored in it, and nothing else is."""
    told, explicit = stored_fields(db, id_, rows)
    columns = {name: value for name, value in wanted.items() if rows.get(name, {}).get("column")}
    different = {name: (told.get(name, "not recorded"), value) for name, value in columns.items()
                 if name not in told or not same(told[name], value)}
    assert different == {}
    for name in {name for name in told.keys() - columns.keys() if not name.startswith("derived.")}:
        # an object: its leaves are
        assert rows[name]["type"] == "json" and dict(leaves(name, told[name])) == \
            {inside: value for inside, value in wanted.items() if inside.startswith(f"{name}.")}
    return told, explicit


# ---- what is stored -------------------------------------------------------------------------------------------------

def test_every_leaf_of_the_examples(bin_dir, examples, rows, tmp_path):
    told = import_json(bin_dir, examples, "--db", tmp_path / "a.db")
    assert told["counts"] == {"stored": 5, "duplicate": 0, "conflict": 0, "rejected": 0, "deleted": 0, "skipped": 15, "not_looked_at": 0}
    stored = [result for result in told["results"] if result["state"] == "stored"]
    assert [result["name"] for result in stored] == sorted(f"{name}.json" for name in EXAMPLES)
    for result in stored:
        document = json.loads((examples / result["name"]).read_text())
        assert result["form"] == "native" and result["faults"] == [] and result["run_id"] == document["run_id"]
        wanted = dict(expected(document, rows))
        assert sum(rows[name]["column"] for name in wanted if name in rows) > 600
        values, explicit = assert_stored(told["db"], result["id"], wanted, rows)
        assert {name.removeprefix("server.") for name in explicit if name.startswith("server.")} == \
            set(document["config"]["server_explicit"]) & {name.removeprefix("server.") for name in values}
        columns = {name for name, row in rows.items() if row["column"]}
        assert {f"benchmark.{name}" for name in document["config"]["experiment"]["benchmark"]} & columns == \
            {name for name in explicit if name.startswith("benchmark.")}


@pytest.mark.parametrize("name", ["py-random", "rs-random"])
def test_every_leaf_of_vllms_file(bin_dir, rows, test_data_dir, tmp_path, name):
    path = test_data_dir / "data/real/bench" / f"{name}.json"
    told = import_json(bin_dir, path, "--db", tmp_path / "a.db")
    (result,) = told["results"]
    assert result["state"] == "stored" and result["form"] == "flat" and result["run_id"] is None
    wanted = {**expected_of_flat(json.loads(path.read_text())), "run.name": path.name}
    assert_stored(told["db"], result["id"], wanted, rows)


LATENCY = {"avg_latency": 0.5, "latencies": [0.4, 0.6], "percentiles": {"50": 0.5, "99": 0.6}}
THROUGHPUT = {"elapsed_time": 2, "num_requests": 100, "total_num_tokens": 4000, "requests_per_second": 50, "tokens_per_second": 2000}
SERVE = {"date": "20260427-104816", "backend": "openai", "model_id": "Qwen/Qwen3-8B", "tokenizer_id": "Qwen/Qwen3-8B", "num_prompts": 10,
         "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 16, "duration": 2.0, "completed": 10, "total_input_tokens": 10240,
         "total_output_tokens": 1280, "request_throughput": 5.0, "output_throughput": 640.0, "mean_ttft_ms": 20.0}


def test_files_of_vllm_bench_have_the_fields_that_people_filter_by(bin_dir, tmp_path):
    """Model, lengths and load are equal; --metadata is read by the names of arguments and options; the file's name becomes
    the run's."""
    folder = tmp_path / "qwen"
    folder.mkdir()
    write(folder / "c16.json", SERVE)
    write(folder / "tp4.json", {**SERVE, "date": "20260427-104817", "tensor_parallel_size": "4", "random_input_len": "1000", "enforce_eager": "True",
                                "gpu": "H100", "dtype": "bfloat16", "max_num_seqs": 64, "pp": "several"})
    write(folder / "latency.json", {**LATENCY, "model_id": "Qwen/Qwen3-8B", "tp": 2})
    write(folder / "throughput.json", {**THROUGHPUT, "config": {"model": "Qwen/Qwen3-4B"}})
    write(folder / "two.jsonl", "".join(json.dumps({**SERVE, "date": f"20260427-10481{i}"}) + "\n" for i in (8, 9)))
    write(folder / "ours.json", {"run_id": "r", "schema_version": 1, "config": {"benchmark": {"model": "served"}}})
    columns = ["run.name", "server.model", "server.tensor_parallel_size", "derived.input_tokens_per_request", "derived.output_tokens_per_request",
               "benchmark.num_prompts", "benchmark.max_concurrency", "server.max_num_seqs", "server.enforce_eager", "tags.gpu", "tags.pp"]
    told = import_json(bin_dir, folder, "--db", tmp_path / "a.db")
    assert {result["name"]: result["form"] for result in told["results"]} == {
        "c16.json": "flat", "latency.json": "latency", "ours.json": "native", "throughput.json": "throughput", "tp4.json": "flat",
        "two.jsonl:1": "flat", "two.jsonl:2": "flat"}
    with Dashboard(bin_dir, tmp_path / "a.db") as one:
        rows = {row["cells"].get("run.name", "-"): [row["cells"].get(column) for column in columns[1:]] for row in one.rows(columns=columns)}
        wanted = {"c16.json": ["Qwen/Qwen3-8B", None, 1024, 128, 10, 16, None, None, None, None],
                  "tp4.json": ["Qwen/Qwen3-8B", 4, 1024, 128, 10, 16, 64, True, "H100", "several"],
                  "latency.json": ["Qwen/Qwen3-8B", 2, None, None, None, None, None, None, None, None],
                  "throughput.json": ["Qwen/Qwen3-4B", None, None, None, 100, None, None, None, None, None],
                  "two.jsonl:1": ["Qwen/Qwen3-8B", None, 1024, 128, 10, 16, None, None, None, None],
                  "-": ["served", None, None, None, None, None, None, None, None, None]}
        for name, cells in wanted.items():
            assert [cells for found, cells in rows.items() if found.endswith(name)] == [cells], name
        (id_,) = [row["id"] for row in one.rows(columns=["run.name"]) if row["cells"].get("run.name", "").endswith("c16.json")]
        entry = one.get(f"/api/data/experiments/{id_}").json
        assert entry["fields"]["server.model"] == {"state": "value", "value": "Qwen/Qwen3-8B", "explicit": False, "source": "benchmark"}
        assert entry["document"]["name"].endswith("c16.json") and entry["form"] == "flat"
        # it is neither an argument set by a user nor a value computed by us
        assert one.post("/api/filters/apply", {"filter": {"field": "server.model", "op": "is_explicit"}}).json["count"] == 0
        assert one.stop() == (0, "", "")
    assert run_dashboard(bin_dir, "check", "--db", tmp_path / "a.db").returncode == 0


def test_rows_of_older_programs_get_names_and_models_by_reindex(bin_dir, tmp_path):
    write(tmp_path / "c16.json", SERVE)
    write(tmp_path / "latency.json", {**LATENCY, "model_id": "m"})
    told = import_json(bin_dir, tmp_path, "--db", tmp_path / "a.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as db, db:
        db.execute("UPDATE benchmark_runs SET form = 'flat', \"run.name\" = NULL, \"server.model\" = NULL")
    assert run_dashboard(bin_dir, "check", "--db", tmp_path / "a.db").returncode == 1
    assert run_dashboard(bin_dir, "reindex", "--db", tmp_path / "a.db").returncode == 0
    with Dashboard(bin_dir, told["db"]) as one:
        rows = one.rows(columns=["run.name", "server.model"])
        assert [len(row["cells"]) for row in rows] == [2, 2]
        assert [one.get(f"/api/data/experiments/{row['id']}").json["form"] for row in sorted(rows, key=lambda row: row["cells"]["run.name"])] == ["flat", "latency"]
        assert one.stop() == (0, "", "")


def test_numbers_that_json_does_not_have_are_not_recorded_but_reported(bin_dir, tmp_path):
    text = json.dumps({**SERVE, "request_rate": math.inf, "mean_ttft_ms": math.nan, "output_throughput": -math.inf, "note": "Infinity, NaN"})
    (tmp_path / "odd.json").write_text(text)
    (tmp_path / "own.json").write_text('{"run_id": "r", "schema_version": 1, "results": {"mean_ttft_ms": Infinity}}')
    (result, own) = sorted(import_json(bin_dir, tmp_path, "--db", tmp_path / "a.db")["results"], key=lambda result: result["form"])
    faults = {fault["pointer"]: fault["message"] for fault in result["faults"]}
    assert faults == {"/mean_ttft_ms": "found NaN, which is not a JSON number; treated as not recorded",
                      "/output_throughput": "found -Infinity, which is not a JSON number; treated as not recorded"}
    assert "/results/mean_ttft_ms" in [fault["pointer"] for fault in own["faults"]] and own["state"] == "stored"
    assert stored_bytes(str(tmp_path / "a.db"), result["id"]).decode() == text
    with Dashboard(bin_dir, tmp_path / "a.db") as one:
        fields = one.get(f"/api/data/experiments/{result['id']}").json["fields"]
        assert fields["benchmark.request_rate"]["value"] == "inf" and fields["results.mean_ttft_ms"]["state"] == "null"
        assert fields["tags.note"]["value"] == "Infinity, NaN"
        # every other way in
        for path, media, body in (("/api/upload/json?name=j.json", "application/json", text.replace("104816", "104801")),
                                  ("/api/upload/raw?name=r.json", "application/octet-stream", text.replace("104816", "104802")),
                                  ("/api/upload/batch", "application/x-ndjson", text.replace("104816", "104803") + "\n")):
            job = one.upload(path, body.encode(), media)
            assert job["counts"]["stored"] == 1 and len(job["items"][0]["faults"]) == 2, path
        names = {row["id"]: row["cells"].get("run.name") for row in one.rows(columns=["run.name"]) if row["id"] > 2}
        assert [names[id_] for id_ in sorted(names)] == ["j.json", "r.json", None]
        assert one.stop() == (0, "", "")


def test_documents_are_kept_as_they_came(bin_dir, examples, tmp_path):
    need("zstd")
    text = '{ "run_id":"r",\n\n  "duration": 1.50,"more":[1.0, 1e2]}\n\n'
    write(tmp_path / "r.json", text)
    told = import_json(bin_dir, tmp_path / "r.json", examples / "quickstart.json", "--db", tmp_path / "a.db")
    assert stored_bytes(told["db"], 1).decode() == text.rstrip()
    assert stored_bytes(told["db"], 2).decode() == (examples / "quickstart.json").read_text().rstrip()


def test_a_small_document(bin_dir, rows, tmp_path):
    told = import_json(bin_dir, write(tmp_path / "r.json", SAMPLE), "--db", tmp_path / "a.db")
    (result,) = told["results"]
    assert result == {"path": str(tmp_path / "r.json"), "name": "r.json", "state": "stored", "form": "plain", "id": 1,
                      "deleted": False, "run_id": SAMPLE["run_id"], "message": None, "faults": []}
    values, explicit = assert_stored(told["db"], 1, {
        "run.run_id": SAMPLE["run_id"], "run.suite": SAMPLE["suite"], "run.timestamp": SAMPLE["timestamp"],
        "run.duration": 300.5, "run.status": "completed", "server.model": "meta-llama/Llama-3-8B",
        "server.tensor_parallel_size": 2, "server.max_model_len": "auto", "server.seed": None,
        "benchmark.num_prompts": 1000, "benchmark.request_rate": math.inf, "benchmark.max_concurrency": None,
        "results.request_throughput": 12.5, "results.mean_ttft_ms": 45.2, "results.p99_ttft_ms": 0}, rows)
    assert "quality.verdict" not in values and explicit == set()


def test_three_kinds_of_nothing_in_sql(bin_dir, tmp_path):
    db = tmp_path / "a.db"
    for run_id, seed in [("none", {}), ("null", {"seed": None}), ("zero", {"seed": 0}), ("word", {"seed": "auto"})]:
        document = {"run_id": run_id, "config": {"server": seed, "benchmark": {"request_rate": "inf"}}}
        write(tmp_path / f"{run_id}.json", document)
    import_json(bin_dir, tmp_path, "--db", db)
    for condition, found in {'"server.seed" IS NULL': ["none"], "\"server.seed\" = x''": ["null"], '"server.seed" = 0': ["zero"],
                             "\"server.seed\" = 'auto'": ["word"]}.items():
        assert ask(db, f"SELECT run_id FROM benchmark_runs WHERE {condition}") == [(name,) for name in found]
    assert ask(db, 'SELECT count(*) FROM benchmark_runs WHERE "benchmark.request_rate" > 1e300') == [(4,)]


def test_a_newer_version_keeps_unknown_keys(bin_dir, examples, tmp_path):
    need("zstd")
    document = json.loads((examples / "quickstart.json").read_text())
    document["schema_version"] = 99
    document["tomorrow"] = {"a": 1}
    document["results"]["moon_phase"] = 0.5
    done = run_dashboard(bin_dir, "import", write(tmp_path / "r.json", document), "--db", tmp_path / "a.db")
    assert done.returncode == 0 and "error" not in done.stderr  # a slow machine reports its progress
    assert "note: schema_version 99 is newer than 3" in done.stdout
    assert "unknown key 'tomorrow'" in done.stdout and "/results: unknown key 'moon_phase'" in done.stdout
    assert json.loads(stored_bytes(tmp_path / "a.db", 1)) == document


def test_no_secret_is_kept(bin_dir, tmp_path):
    need("zstd")
    document = {"run_id": "r", "config": {"server": {"api_key": "S3CRET", "model": "m"}, "url": "http://u:S3CRET@h/"}}
    done = run_dashboard(bin_dir, "import", write(tmp_path / "r.json", document), "--db", tmp_path / "a.db")
    assert done.returncode == 0 and "note: its secrets" in done.stdout
    kept = json.loads(stored_bytes(tmp_path / "a.db", 1))
    assert kept["config"] == {"server": {"api_key": "***", "model": "m"}, "url": "http://u:***@h/"}
    assert not any(b"S3CRET" in path.read_bytes() for path in tmp_path.glob("a.db*"))


def test_stars_in_place_of_a_secret_are_not_a_fault(bin_dir, examples, tmp_path):
    need("zstd")
    document = json.loads((examples / "quickstart.json").read_text())
    # the schema expects a list; the user wrote more than names into it
    document["launch"]["secret_env"] = ["HF_TOKEN=S3CRET"]
    done = run_dashboard(bin_dir, "import", write(tmp_path / "r.json", document), "--db", tmp_path / "a.db")
    assert done.returncode == 0 and "S3CRET" not in done.stdout + done.stderr
    assert json.loads(stored_bytes(tmp_path / "a.db", 1))["launch"]["secret_env"] == "***"
    document["duration"] = "long"
    document["config"]["server"]["api_key"] = {"a": "S3CRET"}
    done = run_dashboard(bin_dir, "import", write(tmp_path / "r.json", document), "--db", tmp_path / "a.db")
    assert done.returncode == 1 and "/duration: found" in done.stderr and "S3CRET" not in done.stdout + done.stderr


# ---- once, and what is in conflict ----------------------------------------------------------------------------------

def test_the_same_twice_and_another_by_that_name(bin_dir, tmp_path):
    db, tmp_path = tmp_path / "a.db", tmp_path / "in"
    tmp_path.mkdir()
    one = write(tmp_path / "one.json", SAMPLE)
    again = write(tmp_path / "two.json", json.dumps(dict(reversed(SAMPLE.items())), indent=3))
    other = write(tmp_path / "zzz.json", {**SAMPLE, "duration": 1})
    assert run_dashboard(bin_dir, "import", one, "--db", db).returncode == 0
    done = run_dashboard(bin_dir, "import", tmp_path, "--db", db)
    assert done.returncode == 1
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["outcome", "duplicate", "duplicate", "0"]
    assert done.stdout.splitlines()[-1] == \
        f"0 stored, 2 duplicates, 1 in conflict, 0 rejected; 1 result in {db}"
    assert done.stderr.startswith(f"profllm-dashboard: error: '{other}' ") and SAMPLE["run_id"] in done.stderr and done.stderr.count("\n") == 1
    assert ask(db, 'SELECT "run.duration" FROM benchmark_runs') == [(300.5,)]
    assert again.exists()


def test_our_file_and_the_flat_one_around_it_are_one_result(bin_dir, examples, tmp_path):
    document = json.loads((examples / "quickstart.json").read_text())
    write(tmp_path / "flat.json", {"num_prompts": 1, "completed": 1, "duration": 1, "profllm": document})
    told = import_json(bin_dir, examples / "quickstart.json", tmp_path / "flat.json", "--db", tmp_path / "a.db")
    assert [(result["state"], result["form"], result["id"]) for result in told["results"]] == \
        [("stored", "native", 1), ("duplicate", "native", 1)]


# ---- many in one file, folders --------------------------------------------------------------------------------------

def test_many_in_one_file(bin_dir, tmp_path):
    need("zstd")
    documents = [{"run_id": f"r{i}"} for i in range(4)]
    lines = "\n".join([json.dumps(documents[0]), '{"run_id": ', "", json.dumps(documents[1])])
    write(tmp_path / "lines.jsonl", lines)
    write(tmp_path / "array.json", [documents[2], {"odd": 1}, documents[0]])
    write(tmp_path / "packed.ndjson", json.dumps(documents[3]))
    subprocess.run(["zstd", "-q", "--rm", tmp_path / "packed.ndjson"], check=True)
    (tmp_path / "zipped.json.gz").write_bytes(gzip.compress(json.dumps({"run_id": "r4"}).encode()))
    write(tmp_path / "rank0.1.pt.trace.json.gz", "a trace")
    write(tmp_path / "notes.txt", "no result")
    told = import_json(bin_dir, tmp_path, "--db", tmp_path / "a.db", status=1)
    assert [(result["name"], result["state"], result["run_id"]) for result in told["results"] if "name" in result] == [
        ("array.json[0]", "stored", "r2"), ("array.json[1]", "rejected", None), ("array.json[2]", "stored", "r0"),
        ("lines.jsonl:1", "duplicate", "r0"), ("lines.jsonl:2", "rejected", None), ("lines.jsonl:4", "stored", "r1"),
        ("packed.ndjson.zst:1", "stored", "r3"), ("zipped.json.gz", "stored", "r4")]
    assert told["total"] == 5 and (told["counts"]["skipped"], told["counts"]["not_looked_at"]) == (1, 1)


def test_folders(bin_dir, examples, tmp_path):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    shutil.copytree(examples, below / "c")
    write(tmp_path / "a" / "README.md", "no result")
    write(tmp_path / "a" / ".hidden.json", "no result")
    write(tmp_path / "z.json", {"run_id": "z"})
    write(below / "r.json", {"run_id": "r"})
    (below / "loop").symlink_to(tmp_path)
    (below / "link.json").symlink_to(below / "r.json")
    done = run_dashboard(bin_dir, "import", tmp_path, "--db", tmp_path / "x.db")
    assert done.returncode == 0, done.stderr
    told = [line.split()[-1] for line in done.stdout.splitlines() if re.match("stored|duplicate", line)]
    assert told == [*sorted(f"{name}.json" for name in EXAMPLES), "link.json", "r.json", "z.json"]
    assert "quickstart.requests.jsonl.zst: records of requests\n" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("7 stored, 1 duplicates, 0 in conflict, 0 rejected, 15 files skipped; 1 file ignored, "
                                                    "because its name is not that of a result; ")
    quiet = run_dashboard(bin_dir, "import", tmp_path, "--db", tmp_path / "x.db", "--quiet")
    assert quiet.stdout.count("\n") == 1 and quiet.stderr == ""


# ---- what is refused ------------------------------------------------------------------------------------------------

BROKEN = [
    ("", "is empty", {}),
    ('{"run_id": "r",\n "a": }', ":2:7: not valid JSON", {"line": 2}),
    ('{"run_id": "r", "run_id": "s"}', "duplicate object key", {"line": 1}),
    ('{"run_id": NaN}', "/run_id: found null, expected a string", {"pointer": "/run_id"}),
    ("{\"run_id\": \"\\ud800\"}", "not valid JSON", {"line": 1}),
    ("[" * 100000, "is incomplete", {}),
    ('{"run_id": ' + "[" * 5000 + "]" * 5000 + "}", "more than 2048 levels of lists and objects", {"line": 1}),
    ('{"tool": "another", "metrics": {}}', "not a result: found neither 'run_id' (profllm) nor 'num_prompts'", {}),
    ('{"run_id": 7}', "/run_id: found 7, expected a string", {"pointer": "/run_id", "found": "7", "expected": "a string"}),
    ('{"run_id": "r", "config": [], "results": 5}', "(and 1 more)", {"pointer": "/config"}),
    ('{"run_id": "r", "schema_version": 2}', "is not a result of schema_version 2", {"pointer": "", "key": "config"}),
]


def test_broken_files(bin_dir, tmp_path):
    for number, (text, _, _) in enumerate(BROKEN):
        write(tmp_path / f"{number:02}.json", text)
    write(tmp_path / "whole.json", SAMPLE)
    done = run_dashboard(bin_dir, "import", tmp_path, "--db", tmp_path / "a.db", "--json")
    assert done.returncode == 1
    *results, whole = json.loads(done.stdout)["results"]
    assert whole["state"] == "stored" and ask(tmp_path / "a.db", "SELECT count(*) FROM benchmark_runs") == [(1,)]
    assert len(results) == len(BROKEN)
    for number, (result, (_, says, fault)) in enumerate(zip(results, BROKEN)):
        assert result["name"] == f"{number:02}.json" and result["name"] in result["message"]
        assert says in result["message"] and result["message"] in done.stderr
        assert result["state"] == "rejected" and result["id"] is None
        assert any(fault.items() <= told.items() for told in result["faults"]), result


def test_a_broken_result_has_every_fault(bin_dir, examples, tmp_path):
    document = json.loads((examples / "quickstart.json").read_text())
    document["duration"] = "long"
    document["status"] = "complete"
    del document["system"]
    document["results"]["completed"] = -1
    done = run_dashboard(bin_dir, "import", write(tmp_path / "r.json", document), "--db", tmp_path / "a.db")
    assert done.returncode == 1
    for line in ["/duration: found \"long\", expected a number", "/results/completed: found -1, expected at least 0",
                 "did you mean 'completed'?"]:
        assert line in done.stderr, done.stderr
    assert "  line 1: at the top level: key 'system' is missing\n" in done.stderr


@pytest.mark.parametrize("sql,says", [
    ("PRAGMA user_version = 99", "written by a newer version: found database format 99, expected "),
    ("PRAGMA application_id = 1", "is the database of another program"),
])
def test_databases_of_others_are_left_alone(bin_dir, tmp_path, sql, says):
    db, path = tmp_path / "a.db", write(tmp_path / "r.json", SAMPLE)
    import_json(bin_dir, path, "--db", db)
    with contextlib.closing(sqlite3.connect(db)) as connection:
        connection.execute(sql)
        connection.commit()
    before = db.read_bytes()
    done = run_dashboard(bin_dir, "import", path, "--db", db)
    assert done.returncode == 2 and says in done.stderr and done.stdout == ""
    assert db.read_bytes() == before


@pytest.mark.parametrize("words,says", [
    (["import"], "found no PATH, expected a file or directory"),
    (["import", "none.json"], "could not open 'none.json': No such file"),
    (["import", ".", "--db", "none/a.db"], "could not open 'none/a.db'"),
    (["import", ".", "--db", "r.json"], "'r.json' is not a SQLite database"),
    (["import", ".", "--bd", "a.db"], "unknown option '--bd' (did you mean '--db'?)"),
    (["imprt"], "unknown command 'imprt' (did you mean 'import'?)"),
    (["--db", "a.db", "fields", "x"], "unknown option '--db'"),
    (["fields", "x"], "unexpected argument 'x'; this command accepts only options"),
])
def test_refusals(bin_dir, tmp_path, words, says):
    # longer than the head of a database
    write(tmp_path / "r.json", {**SAMPLE, "run_id": "r" * 200})
    done = run_dashboard(bin_dir, *words, cwd=tmp_path)
    assert done.returncode == 2 and says.replace("r.json", str(tmp_path / "r.json") if "SQLite" in says else "r.json") in done.stderr
    assert done.stdout == ""


def test_the_location_of_the_database(bin_dir, tmp_path):
    write(tmp_path / "r.json", SAMPLE)
    for number, (words, env, path) in enumerate([
            (["--db", "a.db", "import", "r.json"], {}, "a.db"),
            (["--db=b.db", "import", "r.json"], {}, "b.db"),
            (["import", "r.json", "--db", ":memory:"], {}, ":memory:"),
            (["import", "r.json"], {"XDG_DATA_HOME": str(tmp_path / "data")}, "data/profllm/profllm.db"),
            (["import", "r.json"], {"XDG_DATA_HOME": "", "HOME": str(tmp_path / "home")},
             "home/.local/share/profllm/profllm.db")]):
        done = run_dashboard(bin_dir, *words, cwd=tmp_path, env=env)
        assert done.returncode == 0, (number, done.stderr)
        assert ask(tmp_path / path, "SELECT count(*) FROM benchmark_runs") == [(1,)]


# ---- kills, and several at once -------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    for number in range(150):
        write(folder / f"{number:03}.json", {**SAMPLE, "run_id": f"r{number}", "duration": number})
    return folder


def assert_each_once(db, count):
    assert ask(db, "PRAGMA integrity_check") == [("ok",)]
    assert ask(db, "SELECT count(*), count(DISTINCT run_id), count(DISTINCT content_sha256) FROM benchmark_runs") == \
        [(count, count, count)]
    assert ask(db, "SELECT count(*) FROM benchmark_documents d JOIN benchmark_runs r USING (id)") == [(count,)]


@pytest.mark.parametrize("lines", [0, 1, 65])
def test_a_kill_loses_nothing_that_was_acknowledged(bin_dir, many, tmp_path, lines):
    db = tmp_path / "a.db"
    running = subprocess.Popen(dashboard_command(bin_dir, "import", many, "--db", db), env=environment(), text=True,
                               stdout=subprocess.PIPE)
    told = [running.stdout.readline() for _ in range(lines + 1)]  # the first has the heads of the columns
    running.kill()
    told += running.stdout.read().splitlines()
    running.wait()
    names = [line.split()[2] for line in told if line.startswith("stored") and line.rstrip().endswith(".json")]
    assert len(names) >= lines
    done = run_dashboard(bin_dir, "import", many, "--db", db, "--json")
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)
    assert {result["run_id"] for result in again["results"] if result["state"] == "stored"} & set(names) == set()
    assert again["counts"]["stored"] + again["counts"]["duplicate"] == again["total"] == 150
    assert_each_once(db, 150)


def test_several_at_once(bin_dir, many, tmp_path):
    db = tmp_path / "a.db"
    running = [subprocess.Popen(dashboard_command(bin_dir, "import", many, "--db", db, "--json"), env=environment(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [run.communicate() for run in running]
    assert [run.returncode for run in running] == [0, 0], told
    assert sum(json.loads(out)["counts"]["stored"] for out, _ in told) == 150
    assert_each_once(db, 150)


# ---- the program ----------------------------------------------------------------------------------------------------

def test_fields(bin_dir, rows):
    columns = sum(row["column"] for row in rows.values())
    assert columns <= 1000
    assert run_dashboard(bin_dir, "fields", "--count").stdout == f"{len(rows)} fields, {columns} of them columns\n"
    assert json.loads(run_dashboard(bin_dir, "fields", "--count", "--json").stdout) == {"fields": len(rows), "columns": columns}
    listed = run_dashboard(bin_dir, "fields").stdout
    assert listed == run_profllm(bin_dir, "schema", "--fields").stdout and listed.count("\n") == len(rows) + 1


def test_help_version_and_pages(bin_dir):
    listing = run_dashboard(bin_dir, "--help").stdout
    names = [line.split()[0] for line in listing.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
    assert names == ["serve", "import", "backup", "restore", "prune", "demo", "check", "regress", "reindex", "token", "fields", "completion", "help", "version"]
    assert re.fullmatch(r"profllm-dashboard \d+\.\d+\.\d+\n", run_dashboard(bin_dir, "--version").stdout)
    paged = run_dashboard(bin_dir, "help", "--man", "--list").stdout.split()
    assert set(paged) == set(names) - {"help"}
    for name in names:
        page = run_dashboard(bin_dir, "help", "--man", name).stdout
        assert page.startswith(".TH profllm-dashboard")
        for option in re.findall(r"^ +(?:-\w, +)?--([a-z-]+)", run_dashboard(bin_dir, "help", name).stdout.split("options:")[-1],
                                 re.M):
            assert option in ("help", "version", "db") or "\\-\\-" + option.replace("-", "\\-") in page
        done = subprocess.run([need("groff"), "-Kutf8", "-man", "-Tutf8", "-P-c", "-ww"], input=page, text=True, capture_output=True)
        assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("refused", [{2}, set(range(5))])
def test_only_results_that_the_database_refuses_are_rejected(bin_dir, tmp_path, refused):
    db = tmp_path / "a.db"
    run_dashboard(bin_dir, "import", "--db", db, write(tmp_path / "first.json", {"run_id": "first", "results": {"completed": 1}}))
    change(str(db), refusal(str(db), "benchmark_runs", f"NEW.run_id IN ({','.join(repr(f'r{i}') for i in refused)})", "not this one"))
    folder = tmp_path / "in"
    folder.mkdir()
    for i in range(5):
        write(folder / f"{i}.json", {"run_id": f"r{i}", "results": {"completed": i}})
    told = import_json(bin_dir, "--db", db, folder, status=1)
    assert [one["state"] for one in told["results"]] == ["rejected" if i in refused else "stored" for i in range(5)]
    assert all("not this one" in told["results"][i]["message"] for i in refused)
