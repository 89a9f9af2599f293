"""A secret that a server sends back is in no file and no output, in any spelling."""
import base64
import json
import subprocess
import sys
import urllib.parse
from pathlib import Path

import echo_server
import pytest
from dashboard_tools import Dashboard
from run_tools import base_config, environment, run_profllm, start_profllm, write_config
from wait_tools import wait_for

KEY = 'sk-Pl4nted/Key+one="two"'
HEADER = "hdr-Pl4nted-S3cret-77"
TOKEN = "hf_Pl4ntedTokenOfTheHub"
SECRETS = (KEY, HEADER, TOKEN)


def traces(secret):
    """Yields the traces that must not appear: complete encodings, and the first 12 characters unchanged."""
    yield secret[:12]
    for safe in ("", "/"):
        yield urllib.parse.quote(secret, safe=safe)
    yield secret.encode().hex()
    yield echo_server.escaped(secret)[:48]
    for before in range(3):
        text = base64.b64encode(b"x" * before + secret.encode()).decode()
        yield text[4 * (before > 0):4 * (len(secret) // 3)]


def contents(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", str(path)], capture_output=True).stdout
    return path.read_bytes()


def places_of(folder, *done):
    """Returns the output of these commands, and the files: their bytes by a name."""
    out = {f"{name} of {number} {one.args[1]}": text.encode() for number, one in enumerate(done)
           for name, text in (("stdout", one.stdout), ("stderr", one.stderr))}
    return out | {str(path): contents(path) for path in folder.rglob("*") if path.is_file()}


def assert_none_in(places):
    found = {(place, trace) for place, data in places.items() for secret in SECRETS
             for trace in traces(secret) if trace.encode() in data}
    assert not found


def assert_nowhere(folder, done):
    places = places_of(folder, done)
    assert_none_in(places)
    return places


def bench(bin_dir, folder, kind, patience, **env):
    server = echo_server.start(kind)
    try:
        return run_profllm(
            bin_dir, "bench", "serve", "--base-url", f"http://127.0.0.1:{server.server_port}", "--backend", "openai", "--model", "m",
            "--dataset-name", "random", "--random-input-len", "4", "--random-output-len", "2", "--num-prompts", "3",
            "--num-warmups", "0", "--ready-check-timeout-sec", "0", "--disable-tqdm",
            "--request-timeout", "3s", "--header", f"X-Api-Key={HEADER}", "--save-result", "--save-detailed", "--result-dir", folder,
            "--output", folder / "r.json", cwd=folder, env={"OPENAI_API_KEY": KEY, "HF_TOKEN": TOKEN, **env}, patience=patience)
    finally:
        server.shutdown()
        server.server_close()


CLIENT_KINDS = ["401", "500", "spelled", "event", "header", "redirect", "json", "reason", "garbage", "status",
                "models", "models_401", "metrics", "hang", "everything"]


@pytest.mark.parametrize("kind", CLIENT_KINDS)
def test_of_the_client(bin_dir, tmp_path, patience, kind):
    done = bench(bin_dir, tmp_path, kind, patience)
    assert (tmp_path / "r.json").exists(), done.stderr
    places = assert_nowhere(tmp_path, done)
    assert kind in ("redirect", "garbage", "status", "hang", "json", "metrics", "models_401") or \
        any(b"***" in data for place, data in places.items() if place.endswith((".json", ".zst")))


@pytest.mark.parametrize("room", range(0, 40, 13))
def test_cut_at_the_limit_of_an_error(bin_dir, tmp_path, patience, room):
    """The text of an error has a limit, which may cut a secret."""
    for limit in (512, 1024, 4096):
        done = bench(bin_dir, tmp_path, "cut", patience, CUT_AT=str(limit - 40 + room))
        assert_nowhere(tmp_path, done)
        (tmp_path / "r.json").unlink()
        for path in tmp_path.glob("r.*"):
            path.unlink()


def serve(folder, kind):
    config = base_config(request_timeout="3s", num_prompts=3, header=[f"X-Api-Key={HEADER}"])
    config["server"] |= {"api_key": KEY, "model": "m"}
    config["launch"] = {"command": [sys.executable, str(Path(echo_server.__file__)), kind], "env": {"HF_TOKEN": TOKEN},
                        "ready_timeout": "20s", "stop_timeout": "2s"}
    return write_config(folder, config)


@pytest.mark.parametrize("kind", ["start", "crash", "hang", "everything"])
def test_of_a_server(bin_dir, tmp_path, patience, kind):
    folder = tmp_path / "out"
    folder.mkdir()
    done = run_profllm(bin_dir, "run", "-c", serve(tmp_path, kind), "-o", folder / "r.json", cwd=folder, patience=patience)
    assert (folder / "r.json").exists(), done.stderr
    places = assert_nowhere(folder, done)
    log = folder / "r.server.log"
    assert log.stat().st_mode & 0o777 == 0o600
    assert kind == "hang" or b"'api_key': '***'}" in places[str(log)] or b"with ***" in places[str(log)]


# The kinds of failure after which every place is searched; the last one kills `run` while it waits for a response.
FAILURES = ["401", "500", "spelled", "event", "header", "redirect", "reason", "start", "crash", "hang", "everything", "killed"]
PLACES_MIN = 60


def run_that_fails(bin_dir, folder, kind, patience):
    """The output of the command that leaves r.json in `folder`."""
    words = ["run", "-c", serve(folder.parent, "hang" if kind == "killed" else kind), "-o", folder / "r.json"]
    if kind != "killed":
        return run_profllm(bin_dir, *words, cwd=folder, patience=patience)
    process = start_profllm(bin_dir, *words)
    log = folder / "r.server.log"
    # the server writes this line while it handles the first request
    wait_for(lambda: log.exists() and b"waiting with" in log.read_bytes(), "the server has a request", process=process)
    process.kill()
    out, err = process.communicate(timeout=60 * patience)
    places = assert_nowhere(folder, subprocess.CompletedProcess(list(words), process.returncode, out, err))
    assert str(folder / "r.json.journal") in places
    return run_profllm(bin_dir, "recover", folder / "r.json", "--json", cwd=folder, patience=patience)


def responses(dashboard, run_id):
    """Returns the body of each route that shows a result, its texts or its artifacts, by the request."""
    out, connection = {}, dashboard.connect()

    def ask(method, path, value=None):
        body = None if value is None else json.dumps(value)
        answer = dashboard.ask(method, path, body, {"Content-Type": "application/json"} if body else {}, connection, check=False)
        out[f"{method} {path}"] = answer.body
        return answer

    one, filter_ = f"/api/data/experiments/{run_id}", {"field": "run.run_id", "op": "eq", "value": run_id}
    query = urllib.parse.quote(json.dumps(filter_))
    ids = [ask("GET", one).json["id"]]
    fields = [field["id"] for field in dashboard.ask("GET", "/api/fields", connection=connection, check=False).json["fields"]
              if field["type"] in ("text", "json") and field["id"].startswith(("error.", "environment.", "launch.", "quality.", "results."))]
    page = ask("POST", "/api/filters/apply", {"filter": filter_, "columns": fields}).json
    texts = [field for field, value in page["rows"][0]["cells"].items() if value is not None]
    for path in (f"{one}/raw", f"{one}/changes", f"{one}/series", f"/api/export/traces/{run_id}", f"/api/data/experiments?filter={query}",
                 f"/api/data/summary?filter={query}", f"/api/filters/options?fields={','.join(texts[:20])}&filter={query}",
                 "/api/data/sweeps", "/api/health", *(f"/api/filters/values?field={field}&filter={query}" for field in texts)):
        ask("GET", path)
    for job in ask("GET", "/api/upload/jobs").json["jobs"]:
        ask("GET", f"/api/upload/status/{job['job_id']}")
    for each in ask("GET", f"{one}/artifacts").json["artifacts"]:
        ask("GET", f"{one}/artifacts/{each['kind']}/{each['name']}")
    ask("POST", "/api/export/csv", {"filter": filter_})
    ask("POST", "/api/export/json", {"filter": filter_})
    ask("POST", "/api/data/compare", {"sides": [{"ids": ids}, {"ids": ids}], "equal": True})
    connection.close()
    return out


@pytest.mark.parametrize("kind", FAILURES)
def test_in_no_place_after_a_failure(bin_dir, tmp_path, patience, kind):
    """Checks files, the output of the commands, and what a dashboard stores, returns and logs."""
    folder, path = tmp_path / "out", tmp_path / "out/r.json"
    folder.mkdir()
    done = [run_that_fails(bin_dir, folder, kind, patience)]
    with Dashboard(bin_dir, folder / "d.db", "--verbose") as dashboard:
        for words in (["upload", path, "--to", dashboard.url], ["upload", path, "--to", dashboard.url, "--json"], ["compare", path, path, "--all"],
                      ["compare", path, path, "--json"], ["compare", path, path, "--markdown"], ["config", "from-result", path],
                      ["validate", path], ["recover", path, "--json"]):
            done.append(run_profllm(bin_dir, *words, cwd=folder, patience=patience))
        places = responses(dashboard, json.loads(path.read_text())["run_id"])
        _, out, err = dashboard.stop()
    places |= places_of(folder, *done) | {"stdout of the dashboard": out.encode(), "stderr of the dashboard": err.encode()}
    assert_none_in(places)
    assert len(places) >= PLACES_MIN and any(b"***" in data for data in places.values())


def test_no_dashboard_gets_one(bin_dir, tmp_path, patience):
    folder = tmp_path / "out"
    folder.mkdir()
    run_profllm(bin_dir, "run", "-c", serve(tmp_path, "everything"), "-o", folder / "r.json", cwd=folder, patience=patience)
    done = subprocess.run([str(bin_dir / "profllm-dashboard"), "import", "--db", folder / "d.db", folder / "r.json"],
                          capture_output=True, text=True, env=environment(), timeout=60 * patience)
    assert done.returncode == 0, done.stderr
    assert_nowhere(folder, done)
    assert json.loads((folder / "r.json").read_text())["launch"]["models"]["data"][0]["owned_by"].count("***") >= 2
