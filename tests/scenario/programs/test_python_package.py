"""The Python package: it starts the programs and reads what they write."""
import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from dashboard_tools import Dashboard, results
from run_tools import PATIENCE, base_config, environment

SOURCE = Path(__file__).resolve().parents[3]
PACKAGE = SOURCE / "python/profllm"
MODULES = ["profllm", "profllm._programs", "profllm._commands"]
OLDEST = (3, 9)  # Requires-Python

pytestmark = pytest.mark.release_only  # what it starts, other scenarios run with a sanitizer

EXAMPLE = """
import profllm

def best(experiment: profllm.Experiment, url: str) -> float:
    if not profllm.validate(experiment).ok:
        raise ValueError
    result = profllm.run(experiment, sim=True)
    assert result.document["status"] == result.status
    rows = profllm.Dashboard(url).query({"field": "quality.verdict", "op": "eq", "value": "trusted"}).rows
    return max(float(row["results.output_throughput"]) for row in rows)

experiment: profllm.Experiment = {"server": {"model": "sim/x", "max_num_seqs": 8}, "benchmark": {"num_prompts": 5}}
"""
WRONG = """
import profllm

experiment: profllm.Experiment = {"server": {"model": "sim/x", "max_num_seq": 8}}
number: int = profllm.load("r.json").status
"""


def python(bin_dir, *words, program=sys.executable, **more):
    env = environment({"PYTHONPATH": str(PACKAGE.parent), "PROFLLM_BIN": str(bin_dir), "PYTHONDONTWRITEBYTECODE": "1"})
    return subprocess.run([program, *words], env=env, capture_output=True, text=True, timeout=120 * PATIENCE, **more)


def played(bin_dir, script, *words):
    """Runs a script; returns what it printed as JSON."""
    done = python(bin_dir, "-c", script, *map(str, words))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def need_module(bin_dir, name):
    """Skips unless the Python of the tests, or that of PROFLLM_PYTHON, has the module; returns that Python."""
    for program in filter(None, (os.environ.get("PROFLLM_PYTHON"), sys.executable)):
        if python(bin_dir, "-c", f"import {name}", program=program).returncode == 0:
            return program
    pytest.skip(f"no Python module {name} here; PROFLLM_PYTHON names a Python that has it")


def test_types_are_those_of_the_schemas():
    done = subprocess.run([SOURCE / "tools/make-python-types", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_oldest_python_reads_it():
    files = sorted(PACKAGE.glob("*.py"))
    assert len(files) > 4
    for file in files:
        ast.parse(file.read_text(), feature_version=OLDEST)


def test_it_needs_only_the_standard_library():
    own = {"profllm", "pandas", "pyarrow"}  # the latter two in one method each
    for file in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else \
                [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names) | own, file


def test_examples_are_true(bin_dir):
    """Runs the examples in the docstrings."""
    script = f"""
import doctest, importlib, json
done = [doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS) for name in {MODULES}]
print(json.dumps([[one.failed, one.attempted] for one in done]))"""
    counts = played(bin_dir, script)
    assert all(failed == 0 and attempted > 0 for failed, attempted in counts), counts


def test_a_result_is_what_the_program_writes(bin_dir, tmp_path):
    output = tmp_path / "r.json"
    script = """
import json, sys, profllm
experiment, output = json.loads(sys.argv[1]), sys.argv[2]
result = profllm.run(experiment, output=output)
try:
    profllm.run(experiment, output=output)
    again = None
except profllm.ProfllmError as error:
    again = [str(error), error.status]
page = result._repr_html_()
print(json.dumps({"document": result.document, "metrics": result.metrics, "repr": repr(result), "again": again, "page": page[:40],
                  "loaded": profllm.load(output).document == result.document, "report": result.report("markdown"),
                  "simulated": result.simulated, "version": profllm.version()}))"""
    got = played(bin_dir, script, json.dumps(base_config()), output)
    document = json.loads(output.read_text())
    assert got["document"] == document and got["metrics"] == document["results"] and got["loaded"] and got["simulated"]
    assert got["repr"].startswith(f"<profllm.Result {document['run_id']}: completed, ") and "simulated" in got["repr"]
    assert got["again"][1] == 2 and "r.json" in got["again"][0]
    assert got["page"].startswith('<iframe srcdoc="&lt;!') and got["report"].startswith("#")
    assert re.fullmatch(r"\d+\.\d+\.\d+", got["version"])


def test_a_failed_launch_is_a_result_too(bin_dir, tmp_path):
    config = base_config()
    config["launch"]["extra_args"] += ["--sim-fail-start", "invalid_argument"]
    script = """
import json, os, sys, profllm
result = profllm.run(json.loads(sys.argv[1]))
path = result.path
status, verdict, there = result.status, result.verdict, path.exists()
del result
print(json.dumps([status, verdict, there, path.exists()]))"""
    assert played(bin_dir, script, json.dumps(config)) == ["launch_failed", None, True, False]


def test_a_failed_upload_loses_no_result(bin_dir):
    script = """
import json, sys, warnings, profllm
experiment, url = json.loads(sys.argv[1]), sys.argv[2]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = profllm.run(experiment, upload=url)
    swept = profllm.sweep({**experiment, "sweep": {"benchmark.num_prompts": [2]}}, upload=url)
said = [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
print(json.dumps([result.status, swept.status, [one.status for one in swept], said]))"""
    *got, said = played(bin_dir, script, json.dumps(base_config()), "http://127.0.0.1:1")
    assert got == ["completed", 8, ["completed"]]
    assert len(said) == 2 and all("not uploaded" in text for text in said), said


def test_an_override_keeps_its_type(bin_dir):
    script = """
import json, sys, profllm
result = profllm.run(json.loads(sys.argv[1]), sets={"server.revision": "1.0", "benchmark.num_prompts": 3})
print(json.dumps([result.metrics["completed"], '"revision": "1.0"' in json.dumps(result.document)]))"""
    assert played(bin_dir, script, json.dumps(base_config())) == [3, True]


def test_a_redirect_gets_no_token(bin_dir):
    script = """
import http.server, json, threading, profllm
seen = []
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        seen.append(self.headers.get("Authorization"))
        self.send_error(500)
    def do_POST(self):
        self.send_response(302)
        self.send_header("Location", f"http://localhost:{self.server.server_port}/other")
        self.end_headers()
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    profllm.Dashboard(f"http://127.0.0.1:{server.server_port}", token="secret").query().rows
except profllm.DashboardError as error:
    print(json.dumps([error.status, "redirects to" in str(error), seen]))"""
    assert played(bin_dir, script) == [302, True, []]


def test_a_proxy_gets_no_token(bin_dir):
    """urllib sends even requests to this host to the proxy of $http_proxy, unencrypted."""
    script = """
import http.server, json, os, threading, profllm
seen = {"proxy": [], "dashboard": []}
def serve(name):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            seen[name].append(self.headers.get("Authorization"))
            self.send_error(500)
        def log_message(self, *words):
            pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
os.environ["http_proxy"] = os.environ["all_proxy"] = serve("proxy")
os.environ.pop("no_proxy", None)
try:
    profllm.Dashboard(serve("dashboard"), token="secret").query().rows
except profllm.DashboardError as error:
    print(json.dumps([error.status, seen]))"""
    assert played(bin_dir, script) == [500, {"proxy": [], "dashboard": ["Bearer secret"]}]


QUERY = """
import json, sys, profllm
dashboard = profllm.Dashboard(sys.argv[1])
table = dashboard.query({"field": "results.p99_ttft_ms", "op": "ge", "value": 103}, columns=["run.name", "results.p99_ttft_ms"],
                        sort=[{"field": "results.p99_ttft_ms", "dir": "desc"}])
try:
    dashboard.query({"field": "no.such", "op": "eq", "value": 1}).rows
except profllm.DashboardError as error:
    refused = [error.status, str(error)]
"""


@pytest.fixture
def filled(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as dashboard:
        body = "\n".join(json.dumps(one) for one in results(8)).encode()
        assert dashboard.job(dashboard.post("/api/upload/batch", body, "application/x-ndjson"))["counts"]["stored"] == 8
        yield dashboard


def test_a_query_returns_the_rows_of_its_filter(bin_dir, filled):
    got = played(bin_dir, QUERY + "print(json.dumps([table.rows, len(table), len(dashboard.query()), refused]))", filled.url)
    rows, count, total, refused = got
    assert [row["results.p99_ttft_ms"] for row in rows] == [107.0, 106.0, 105.0, 104.0, 103.0] and (count, total) == (5, 8)
    assert [row["run_id"] for row in rows] == [f"exp_20260101_000000_{number:06x}" for number in (7, 6, 5, 4, 3)]
    assert refused[0] == 422 and "no.such" in refused[1]


@pytest.mark.parametrize("module, script", [
    ("pandas", "print(json.dumps(table.to_pandas()['results.p99_ttft_ms'].tolist()))"),
    ("pyarrow", "print(json.dumps(table.to_arrow().column('results.p99_ttft_ms').to_pylist()))"),
])
def test_a_query_becomes_a_table(bin_dir, filled, module, script):
    program = need_module(bin_dir, module)
    done = python(bin_dir, "-c", QUERY + script, filled.url, program=program)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [107.0, 106.0, 105.0, 104.0, 103.0]


def test_the_types_are_strict(bin_dir, tmp_path):
    program = need_module(bin_dir, "mypy")
    for name, text in (("good.py", EXAMPLE), ("wrong.py", WRONG)):
        (tmp_path / name).write_text(text)
    words = ["-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--python-executable", program]
    good = python(bin_dir, *words, tmp_path / "good.py", program=program)
    assert good.returncode == 0, good.stdout
    wrong = python(bin_dir, *words, tmp_path / "wrong.py", program=program)
    assert wrong.returncode == 1 and "ExperimentServer" in wrong.stdout and "Found 2 errors" in wrong.stdout


def test_a_notebook_shows_the_report(bin_dir, tmp_path):
    program = need_module(bin_dir, "nbclient, nbformat, ipykernel")
    script = """
import json, sys, nbclient, nbformat
code = f"import json, profllm\\nprofllm.run(json.loads({sys.argv[1]!r}))"
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
nbclient.NotebookClient(notebook, timeout=120).execute()
print(json.dumps([sorted(one["data"]) for one in notebook.cells[0].outputs]))"""
    done = python(bin_dir, "-c", script, json.dumps(base_config()), program=program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [["text/html", "text/plain"]]
