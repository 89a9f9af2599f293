"""A secret that a server sends back is in nothing that is written or shown, in no spelling."""
import base64
import json
import subprocess
import sys
import urllib.parse
from pathlib import Path

import echo_server
import pytest
from run_tools import base_config, environment, run_profllm, write_config

KEY = 'sk-Pl4nted/Key+one="two"'
HEADER = "hdr-Pl4nted-S3cret-77"
TOKEN = "hf_Pl4ntedTokenOfTheHub"
SECRETS = (KEY, HEADER, TOKEN)


def traces(secret):
    """What of a secret must be nowhere: spellings whole, and the first 12 characters as they are."""
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


def assert_nowhere(folder, done):
    places = {"stdout": done.stdout.encode(), "stderr": done.stderr.encode()}
    places |= {str(path): contents(path) for path in folder.rglob("*") if path.is_file()}
    found = {(place, trace) for place, data in places.items() for secret in SECRETS
             for trace in traces(secret) if trace.encode() in data}
    assert not found
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
    """The text of an error is kept up to a limit, in front of which a part of a secret may stand."""
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


def test_no_dashboard_gets_one(bin_dir, tmp_path, patience):
    folder = tmp_path / "out"
    folder.mkdir()
    run_profllm(bin_dir, "run", "-c", serve(tmp_path, "everything"), "-o", folder / "r.json", cwd=folder, patience=patience)
    done = subprocess.run([str(bin_dir / "profllm-dashboard"), "import", "--db", folder / "d.db", folder / "r.json"],
                          capture_output=True, text=True, env=environment(), timeout=60 * patience)
    assert done.returncode == 0, done.stderr
    assert_nowhere(folder, done)
    assert json.loads((folder / "r.json").read_text())["launch"]["models"]["data"][0]["owned_by"].count("***") >= 2
