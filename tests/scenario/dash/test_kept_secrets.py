"""Secrets in documents: the store and all responses contain "***" and the locations; no byte of a secret is stored."""
import copy
import json

import pytest
from dashboard_tools import Dashboard, results
from import_tools import import_json
from wait_tools import wait_for

MARK = "S3CRETxyzzy"
PLACES = {
    "/config/benchmark/metadata/0": f"hf_token={MARK}1",
    "/config/benchmark/header/1": f"Authorization=Bearer {MARK}2",
    "/launch/env/HF_TOKEN": f"{MARK}3",
    "/launch/url": f"https://me:{MARK}4@example.com/v1",
    "/tags/api~1key": f"{MARK}5",
    "/launch/env/AWS": f"AWS_SECRET_ACCESS_KEY={MARK}6",
    "/launch/env/SENT": f"Authorization: Bearer {MARK}7",
    "/config/benchmark/extra_body/headers/Cookie": f"sid={MARK}8",
    "/config/benchmark/extra_body/sent/1": f"X-Api-Key: {MARK}9",
    "/launch/env/MIRROR": f"https://example.com/v1?a=1&token={MARK}10&api_key={MARK}11",
    "/launch/env/COMMAND": f"vllm serve m --api-key {MARK}12 --port 1",
    "/launch/env/LINES": f"sh -c 'vllm serve m \\\n  --hf-token={MARK}13'\nexport HF_TOKEN={MARK}14",
}
PLAIN = {"OMP_NUM_THREADS": "4", "NOTE": "total_tokens: 5, max_tokens=16, tokenizer: org/model, tokens=512/1024",
         "ADDRESS": "https://example.com/v1?model=m", "LINE": "vllm serve m --max-num-batched-tokens 512", "AT": "2026-01-01T00:00:00Z"}


def leaky(number=0):
    document = copy.deepcopy(next(results(1, number)))
    document["config"]["benchmark"] |= {"metadata": [PLACES["/config/benchmark/metadata/0"]],
                                        "header": ["X-Plain=1", PLACES["/config/benchmark/header/1"]],
                                        "extra_body": {"headers": {"Cookie": PLACES["/config/benchmark/extra_body/headers/Cookie"], "Accept": "*/*"},
                                                       "sent": ["Accept: text/plain", PLACES["/config/benchmark/extra_body/sent/1"]]}}
    env = {place.rsplit("/", 1)[1]: text for place, text in PLACES.items() if place.startswith("/launch/env/")}
    document["launch"] = {**document["launch"], "env": {**env, **PLAIN}, "url": PLACES["/launch/url"]}
    document["tags"] = {"api/key": PLACES["/tags/api~1key"], "plain": "1"}
    return document


def assert_nowhere(folder):
    found = [str(path) for path in folder.rglob("*") if path.is_file() and MARK.encode() in path.read_bytes()]
    assert not found


@pytest.fixture(scope="module")
def shared(bin_dir, tmp_path_factory):
    """A verbose dashboard: at its end, its directory contains no secret."""
    home = tmp_path_factory.mktemp("home")
    with Dashboard(bin_dir, home / "d.db", "--verbose") as one:
        one.home = home
        yield one
        code, out, err = one.stop()
    assert code == 0 and MARK not in out + err
    assert_nowhere(home)


ROUTES = ["json", "batch", "raw"]


@pytest.mark.parametrize("route", ROUTES)
def test_the_locations_of_secrets(shared, route):
    document = leaky(ROUTES.index(route))
    job = shared.upload(f"/api/upload/{route}", [document] if route == "batch" else document)
    item, = job["items"]
    assert item["state"] == "stored" and sorted(item["secrets"]) == sorted(PLACES)
    answers = [shared.get(f"/api/{where}").body.decode() for where in
               (f"data/experiments/{item['id']}", f"data/experiments/{item['id']}/raw", f"upload/status/{job['job_id']}", "upload/jobs",
                "filters/values?field=launch.url")]
    answers.append(shared.post("/api/export/json", {}).body.decode())
    answers.append(json.dumps(shared.rows()))
    kept = json.loads(answers[1])
    assert kept["run_id"] == document["run_id"] and kept["tags"]["plain"] == "1"
    env = kept["launch"]["env"]
    assert env["HF_TOKEN"] == "***" and {name: env[name] for name in PLAIN} == PLAIN
    assert kept["config"]["benchmark"]["extra_body"] == {"headers": {"Cookie": "***", "Accept": "*/*"}, "sent": ["Accept: text/plain", "X-Api-Key: ***"]}
    assert env["MIRROR"] == "https://example.com/v1?a=1&token=***&api_key=***" and env["COMMAND"] == "vllm serve m --api-key *** --port 1"
    assert MARK not in "".join(answers)
    # what the upload came with goes when nothing waits
    wait_for(lambda: not [path for path in shared.home.iterdir() if MARK.encode() in path.read_bytes()], "no byte of it is left")


def test_received_bytes_are_reported_after_a_choice(shared):
    """The kept bytes of a conflict contain no secrets; their locations and the number of received bytes stay."""
    text = json.dumps({"run_id": "chosen", "suite": "new", "config": {"hf_token": f"{MARK}30"}}, indent=4)
    for choice in ("keep", "replace"):
        shared.upload("/api/upload/json", {"run_id": f"chosen-{choice}", "suite": "old"})
        job = shared.upload("/api/upload/json", text.replace("chosen", f"chosen-{choice}").encode())
        item, = job["items"]
        assert item["state"] == "conflict" and item["secrets"] == ["/config/hf_token"]
        shared.post(f"/api/upload/jobs/{job['job_id']}/choose", {"choice": choice, "items": [0]})
        now, = shared.done(f"/api/upload/status/{job['job_id']}")["items"]
        assert now["state"] == "stored" and (now["secrets"], now["bytes"]) == (item["secrets"], len(text) + len(choice) + 1)


def test_of_one_that_is_refused(shared):
    """The response contains no secret either; the directory is checked at the end."""
    document = leaky(10)
    del document["results"]["completed"]
    document["status"] = "odd"
    job = shared.upload("/api/upload/json", document)
    assert job["counts"]["rejected"] == 1 and MARK not in json.dumps(job)


def test_the_same_but_for_a_secret_is_the_same(shared):
    assert shared.upload("/api/upload/json", leaky(11))["counts"]["stored"] == 1
    other = leaky(11)
    other["launch"]["env"]["HF_TOKEN"] = MARK + "another"
    assert shared.upload("/api/upload/json", other)["counts"]["duplicate"] == 1


def test_in_the_description_of_a_result(shared):
    """Notes and tags of users contain no secret either."""
    item, = shared.upload("/api/upload/json", leaky(12))["items"]
    path = f"/api/data/experiments/{item['id']}"
    change = {"tags": {"hf_token": f"{MARK}20", "mirror": f"https://u:{MARK}21@h", "plain": "2"}, "notes": f"see https://h/x?token={MARK}22\ntokens: 5"}
    answer = shared.ask("PATCH", path, json.dumps(change), {"Content-Type": "application/json"})
    told = answer.json
    assert told["tags"].items() >= {**change["tags"], "hf_token": "***", "mirror": "https://u:***@h"}.items()
    assert told["notes"] == "see https://h/x?token=***\ntokens: 5"
    assert MARK not in shared.get(path + "/changes").body.decode() + json.dumps(told)


def test_import(bin_dir, tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    (tmp_path / "r.json").write_text(json.dumps(leaky()))
    told = import_json(bin_dir, "--db", folder / "d.db", tmp_path / "r.json")
    assert MARK not in json.dumps(told) and told["results"][0]["state"] == "stored"
    assert_nowhere(folder)


def test_none(shared):
    item, = shared.upload("/api/upload/json", next(results(1, 20)))["items"]
    assert item["secrets"] == []
