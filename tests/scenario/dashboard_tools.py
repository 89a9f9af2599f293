"""Shared by the tests of profllm-dashboard: starts it, sends requests, and checks each response against api/openapi.yaml."""
import contextlib
import fcntl
import functools
import hashlib
import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import yaml
from run_tools import PATIENCE, environment
from wait_tools import wait_for

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(Path(__file__).resolve().parent / "life"))

from test_result_schema import make_result  # noqa: E402

# uses libyaml if it is installed: every test process reads the file
CONTRACT = yaml.load((SOURCE / "api/openapi.yaml").read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
GOOD = make_result()


def results(count, first=0, **keys):
    """Yields results that differ in their names and one metric."""
    for number in range(first, first + count):
        result = {**GOOD, **keys, "run_id": f"exp_20260101_000000_{number:06x}"}
        result["results"] = {**GOOD["results"], "p99_ttft_ms": 100.0 + number}
        yield result


def little(number=0, **keys):
    """Returns a small document."""
    return {"run_id": f"small-{number}", "suite": "s", "results": {"mean_ttft_ms": 1.5}, **keys}


# ---- the contract --------------------------------------------------------------------------------


def resolved(part):
    while "$ref" in part:
        place = CONTRACT
        for key in part["$ref"][2:].split("/"):
            place = place[key]
        part = place
    return part


LONG_LIST = 24
fitting = set()  # hashes of a $ref and a value that fits its target


def check_once(own, ref, value, schema):
    """The check of a $ref. A value equal to one that fitted fits, too: many responses have the same rows."""
    key = None
    if isinstance(value, (dict, list)):
        key = hashlib.blake2b(f"{ref} {json.dumps(value)}".encode(), digest_size=16).digest()
        if key in fitting:
            return
    faults = list(jsonschema.Draft202012Validator.VALIDATORS["$ref"](own, ref, value, schema))
    if key and not faults:
        fitting.add(key)
    yield from faults


def members(schema):
    """Returns the properties that a schema and its parts name."""
    known = {"$ref", "allOf", "components", "description", "examples", "properties", "required", "type", "unevaluatedProperties"}
    assert schema.keys() <= known, schema.keys() - known
    parts = [*schema.get("allOf", []), *([resolved(schema)] if "$ref" in schema else [])]
    return schema.get("properties", {}).keys() | {name for part in parts for name in members(part)}


def check_members(_, allowed, value, schema):
    """The check of unevaluatedProperties. That of jsonschema checks the values of all properties again."""
    assert allowed is False
    unknown = value.keys() - members(schema) if isinstance(value, dict) else ()
    if unknown:
        yield jsonschema.ValidationError(f"unknown properties {sorted(unknown)}")


def check_items(own, items, value, schema):
    """The check of the entries of a list. A long list has entries of one form: it checks some between the first and the last;
    PROFLLM_TEST_LONG: all."""
    if isinstance(value, list) and len(value) > LONG_LIST and "prefixItems" not in schema and "PROFLLM_TEST_LONG" not in os.environ:
        value = [*value[::-(-len(value) // LONG_LIST)], value[-1]]
    yield from jsonschema.Draft202012Validator.VALIDATORS["items"](own, items, value, schema)


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator, {"$ref": check_once, "items": check_items, "unevaluatedProperties": check_members})


@functools.cache
def validator(text):
    """Returns a validator of a schema, given as JSON text, with the targets of its $refs."""
    return Validator({**json.loads(text), "components": CONTRACT["components"]})


def faults_of(schema, value):
    return [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message[:300]}"
            for fault in validator(json.dumps(schema)).iter_errors(value)]


def operation_of(method, path):
    """Returns the path template that fits a requested path best."""
    parts = path.split("?")[0].split("/")
    for template, operations in sorted(CONTRACT["paths"].items(), key=lambda pair: pair[0].count("{")):
        wanted = template.split("/")
        if len(wanted) == len(parts) and all(one.startswith("{") or one == other for one, other in zip(wanted, parts)):
            return operations.get("get" if method == "HEAD" else method.lower())
    return None


def check_answer(method, path, status, headers, body):
    """Checks a response by the contract: its status and type are listed, and the body fits its schema."""
    if not path.startswith("/api"):
        return
    operation = operation_of(method, path)
    responses = operation["responses"] if operation else {"default": {"$ref": "#/components/responses/Problem"}}
    assert str(status) in responses or ("default" in responses and status >= 400), f"{method} {path}: {status}"
    response = resolved(responses.get(str(status), responses.get("default")))
    for name in response.get("headers", {}):
        assert name in headers or name == "Content-Disposition", f"{method} {path}: no {name}"
    content = response.get("content")
    if content is None or method == "HEAD":
        assert not body
        return
    media = headers["Content-Type"].split(";")[0]
    assert media in content or "*/*" in content, f"{method} {path}: {media}"
    if "schema" in content.get(media, {}):
        faults = faults_of(content[media]["schema"], json.loads(body))
        assert not faults, f"{method} {path}: {faults[:5]}"


# ---- a dashboard ---------------------------------------------------------------------------------


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @functools.cached_property
    def json(self):
        return json.loads(self.body)


# what each says of itself (test_local.py)
REACH = ("profllm-dashboard: every user of this host can read, add and delete results here; "
         "--socket PATH restricts access to you\n")


class Dashboard:
    def __init__(self, bin_dir, db, *args, command="serve", env=None, tls=None):
        """db None: without --db; tls: the ssl.SSLContext of connections to a server with --tls-cert."""
        self.tls = tls
        words = [command, *(["--db", db] if db else []), "--port", "0", *args]
        self.process = subprocess.Popen([bin_dir / "profllm-dashboard", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment(env))
        # a test may read the lines of thousands of requests at its end only
        fcntl.fcntl(self.process.stderr, fcntl.F_SETPIPE_SZ, 1 << 20)
        line = self.process.stdout.readline()
        scheme = "https" if tls else "http"
        assert line.startswith(f"listening on {scheme}://"), self.process.communicate()
        self.url = line.split()[-1]
        self.host = self.url.removeprefix(f"{scheme}://")

    def connect(self):
        host, port = self.host.rsplit(":", 1)
        if self.tls:
            return http.client.HTTPSConnection(host.strip("[]"), int(port), timeout=60 * PATIENCE, context=self.tls)
        return http.client.HTTPConnection(host.strip("[]"), int(port), timeout=60 * PATIENCE)

    def ask(self, method, path, body=None, headers=None, connection=None, check=True):
        own = connection or self.connect()
        own.request(method, path, body, headers or {})
        reply = own.getresponse()
        answer = Answer(reply.status, reply.headers, reply.read())
        if connection is None:
            own.close()
        if check:
            check_answer(method, path, answer.status, answer.headers, answer.body)
        return answer

    def get(self, path, **headers):
        return self.ask("GET", path, headers=headers)

    def post(self, path, value, media="application/json", **headers):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return self.ask("POST", path, body, {"Content-Type": media, **headers} if media else headers)

    def job(self, answer):
        """Returns the job of an upload's response when it is done."""
        assert answer.status == 202, answer.body
        assert answer.headers["Location"] == answer.json["status_url"]
        return self.done(answer.json["status_url"])

    def done(self, status_url):
        # without its items, which may be thousands, until then
        wait_for(lambda: self.get(f"{status_url}?limit=0").json["state"] == "done", "the job is done", seconds=60)
        return self.get(status_url).json

    def upload(self, path, value, media="application/json"):
        return self.job(self.post(path, value, media))

    def ids(self):
        return [row["id"] for row in self.rows()]

    def rows(self, **request):
        rows, request = [], {"limit": 200, "sort": [{"field": "run.run_id", "dir": "asc"}], **request}
        while True:
            page = self.post("/api/filters/apply", {**request, "offset": len(rows)}).json
            rows += page["rows"]
            if len(rows) >= page["count"] or not page["rows"]:
                return rows

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60 * PATIENCE)
        return self.process.returncode, out, err.replace(REACH, "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        with contextlib.suppress(ValueError):
            self.process.communicate()


def form(*files, boundary="XyZ", end=True, preamble=b"", newline=b"\r\n"):
    """Returns (body, media) of a form with (name, bytes) each; a name of None is a field without a file."""
    body = preamble
    for name, data in files:
        more = b"" if name is None else b'; filename="' + name.encode() + b'"'
        body += (b"--" + boundary.encode() + newline + b'Content-Disposition: form-data; name="f"' + more + newline +
                 b"Content-Type: application/json" + newline + newline + data + newline)
    if end:
        body += b"--" + boundary.encode() + b"--" + newline
    return body, f"multipart/form-data; boundary={boundary}"
