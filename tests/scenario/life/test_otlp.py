"""`--otlp URL`: the metrics of a result at an OpenTelemetry collector, by the JSON encoding of its protocol; a collector that
fails in any way gives one warning and changes neither the result nor the exit status."""
import contextlib
import http.server
import json
import re
import socket
import ssl
import threading
import time

import pytest
from run_tools import PATIENCE, base_config, load_result, run_profllm, write_config
from sim_tools import Server
from sweep_tools import sweep_args, sweep_config
from tls_tools import make_certificate

# opentelemetry-proto, opentelemetry/proto/metrics/v1/metrics.proto: the members that a gauge may have, in lowerCamelCase
MEMBERS = {"request": {"resourceMetrics"}, "resourceMetrics": {"resource", "scopeMetrics", "schemaUrl"}, "resource": {"attributes"},
           "scopeMetrics": {"scope", "metrics", "schemaUrl"}, "scope": {"name", "version"}, "metric": {"name", "description", "unit", "gauge"},
           "point": {"timeUnixNano", "asDouble", "asInt", "attributes"}}


class Collector:
    """Answers each request as `answer` says, and keeps it."""

    def __init__(self, answer=None, status=200, body=b"{}", headers=None, pair=None):
        """pair: paths of a certificate and its key, for TLS."""
        self.requests = []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                data = self.rfile.read(int(self.headers["Content-Length"]))
                collector.requests.append((self.path, dict(self.headers), data))
                if answer is not None:
                    answer(self)
                    return
                self.send_response(status)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if pair:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*pair)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if pair else ''}://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def run(bin_dir, folder, *words, env=None):
    config = write_config(folder, base_config(num_prompts=4))
    return run_profllm(bin_dir, "run", "-c", config, "-o", folder / "r.json", "--quiet", *words, env=env)


def value_of(result, name):
    """Returns the value of profllm.results.KEY in the document; KEY may have points."""
    at = result["results"]
    key = name.removeprefix("profllm.results.")
    while True:
        if key in at:
            return at[key]
        head, _, key = key.partition(".")
        if head not in at or not isinstance(at[head], dict):
            return None
        at = at[head]


def check(body, result):
    """Checks the encoding and returns {name: metric}."""
    request = json.loads(body)
    assert set(request) <= MEMBERS["request"]
    (resource,) = request["resourceMetrics"]
    assert set(resource) <= MEMBERS["resourceMetrics"] and set(resource["resource"]) <= MEMBERS["resource"]
    (scope,) = resource["scopeMetrics"]
    assert set(scope) <= MEMBERS["scopeMetrics"] and set(scope["scope"]) <= MEMBERS["scope"] and scope["scope"]["name"] == "profllm"
    attributes = {one["key"]: one["value"]["stringValue"] for one in resource["resource"]["attributes"]}
    assert all(set(one) == {"key", "value"} and set(one["value"]) == {"stringValue"} for one in resource["resource"]["attributes"])
    assert attributes["service.name"] == "profllm" and attributes["profllm.run_id"] == result["run_id"]
    assert attributes.get("profllm.suite") == result["suite"] and attributes.get("profllm.name") == result["name"]
    assert attributes["profllm.status"] == result["status"]
    assert attributes["profllm.engine_version"] == result["environment"]["engine"]["version"]
    assert attributes["profllm.verdict"] == result["quality"]["verdict"] and attributes["profllm.model"]
    metrics = {}
    for metric in scope["metrics"]:
        assert set(metric) == MEMBERS["metric"] and re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]{0,254}", metric["name"])
        assert metric["description"] and re.fullmatch(r"1|ms|s|g|%|J/\{token\}|\{[a-z]+\}(/[sh])?", metric["unit"]), metric
        (point,) = metric["gauge"]["dataPoints"]
        assert set(point) <= MEMBERS["point"] and ("asDouble" in point) != ("asInt" in point)
        assert abs(int(point["timeUnixNano"]) / 1e9 - time.time()) < 600 * PATIENCE and isinstance(point["timeUnixNano"], str)
        assert isinstance(point.get("asInt", ""), str) and isinstance(point.get("asDouble", 0.0), float)
        assert metric["name"] not in metrics
        metrics[metric["name"]] = {**metric, "value": float(point.get("asDouble", point.get("asInt")))}
    return metrics


def test_the_metrics_of_a_run(bin_dir, tmp_path):
    (tmp_path / "headers").write_text("# of the collector\n\nAuthorization: Bearer T0PSECRET\nX-Scope: lab, 1\n")
    with Collector() as collector:
        done = run(bin_dir, tmp_path, "--otlp", collector.url, "--otlp-headers-file", tmp_path / "headers")
        assert done.returncode == 0 and done.stderr == "", done.stderr
        ((path, headers, body),) = collector.requests
    result = load_result(tmp_path / "r.json")
    assert path == "/v1/metrics" and headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == "Bearer T0PSECRET" and headers["X-Scope"] == "lab, 1"
    metrics = check(body, result)
    same = 0
    for name, metric in metrics.items():
        expected = value_of(result, name) if name.startswith("profllm.results.") else None
        if isinstance(expected, (int, float)):
            assert metric["value"] == pytest.approx(expected, rel=1e-12), name
            same += 1
    assert same > 100
    assert metrics["profllm.results.p99_ttft_ms"]["unit"] == "ms" and metrics["profllm.results.completed"]["unit"] == "{request}"
    assert "T0PSECRET" not in (tmp_path / "r.json").read_text()


def test_headers_that_are_sent_unencrypted_are_one_warning(bin_dir, tmp_path):
    (tmp_path / "headers").write_text("Authorization: Bearer T0PSECRET\n")
    with Collector() as collector:
        # any address that is not of the loopback network
        url = collector.url.replace("127.0.0.1", "0.0.0.0")
        done = run(bin_dir, tmp_path, "--otlp", url, "--otlp-headers-file", tmp_path / "headers")
        assert done.returncode == 0 and len(collector.requests) == 1
    assert done.stderr == f"profllm: warning: the headers of --otlp are sent unencrypted to {url.removeprefix('http://')}; use https\n"


def test_each_run_of_a_sweep(bin_dir, tmp_path):
    """Also with a collector that fails, whose warnings do not change the status. A resumed sweep sends new runs only."""
    config = write_config(tmp_path, sweep_config({"benchmark.max_concurrency": [1, 2]}))
    with Collector() as collector:
        args = sweep_args(config, tmp_path / "s", "--otlp", collector.url)
        done = run_profllm(bin_dir, *args)
        assert done.returncode == 0 and "--otlp" not in done.stderr, done.stderr
        cells = [load_result(path) for path in (tmp_path / "s/cells").glob("*.json")]
        bodies = [json.loads(body) for _, _, body in collector.requests]
        sent = [next(one["value"]["stringValue"] for one in body["resourceMetrics"][0]["resource"]["attributes"] if one["key"] == "profllm.run_id") for body in bodies]
        assert sorted(sent) == sorted(cell["run_id"] for cell in cells) and len(sent) == 2
        check(collector.requests[0][2], next(cell for cell in cells if cell["run_id"] == sent[0]))
        assert run_profllm(bin_dir, *args, "--resume").returncode == 0 and len(collector.requests) == 2
    done = run_profllm(bin_dir, *sweep_args(config, tmp_path / "t", "--otlp", "http://127.0.0.1:1"))
    assert done.returncode == 0 and done.stderr.count("could not send the metrics to --otlp") == 2, done.stderr


def test_a_collector_with_a_certificate_of_its_own(bin_dir, tmp_path):
    make_certificate(tmp_path, "one")
    pem = tmp_path / "one.pem"
    with Collector(pair=(pem, tmp_path / "one.key")) as collector:
        done = run(bin_dir, tmp_path, "--otlp", collector.url)
        assert done.returncode == 0 and "could not send the metrics to --otlp" in done.stderr and collector.requests == []
        done = run(bin_dir, tmp_path, "--otlp", collector.url, "--otlp-ca-file", pem, "--overwrite")
        assert done.returncode == 0 and done.stderr == "" and len(collector.requests) == 1, done.stderr
        config = write_config(tmp_path, sweep_config({"benchmark.num_prompts": [4]}))
        done = run_profllm(bin_dir, *sweep_args(config, tmp_path / "s", "--otlp", collector.url, "--otlp-ca-file", pem))
        assert done.returncode == 0 and len(collector.requests) == 2, done.stderr
        with Server(bin_dir) as simulator:
            done = run_profllm(bin_dir, "bench", "serve", "--base-url", f"http://127.0.0.1:{simulator.port}", "--model", "tiny", "--dataset-name", "random",
                               "--num-prompts", "3", "--otlp", collector.url, "--otlp-ca-file", pem, "--quiet", cwd=tmp_path)
        assert done.returncode == 0 and len(collector.requests) == 3, done.stderr


def test_bench_serve_and_the_headers_of_the_environment(bin_dir, tmp_path):
    """A key of OpenAI's clients is not sent to a collector."""
    with Collector() as collector, Server(bin_dir) as simulator:
        done = run_profllm(bin_dir, "bench", "serve", "--base-url", f"http://127.0.0.1:{simulator.port}", "--model", "tiny", "--dataset-name", "random", "--num-prompts", "3",
                           "--otlp", collector.url + "/v1/metrics", "--quiet", cwd=tmp_path,
                           env={"OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b%3D,x-two=2", "OPENAI_API_KEY": "OPENAISECRET"})
        assert done.returncode == 0, done.stderr
        ((path, headers, body),) = collector.requests
    assert path == "/v1/metrics" and (headers["api-key"], headers["x-two"]) == ("a b=", "2")
    assert "OPENAISECRET" not in str(headers) and len(json.loads(body)["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]) > 100


@pytest.mark.parametrize("path, wanted", [("", "/v1/metrics"), ("/", "/v1/metrics"), ("/otlp", "/otlp/v1/metrics"), ("/a/v1/metrics", "/a/v1/metrics")])
def test_the_path(bin_dir, tmp_path, path, wanted):
    with Collector() as collector:
        assert run(bin_dir, tmp_path, "--otlp", collector.url + path).returncode == 0
        assert [one[0] for one in collector.requests] == [wanted]


def trickle(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    with contextlib.suppress(OSError):
        for _ in range(600):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)


HOSTILE = {
    "redirect": ({"status": 302, "headers": {"Location": "http://127.0.0.1:1/v1/metrics"}}, "found status 302, expected 200"),
    "error": ({"status": 500, "body": b"\x1b[31mSECRET"}, "found status 500, expected 200"),
    "partial": ({"body": b'{"partialSuccess": {"rejectedDataPoints": "7", "errorMessage": "too\\u001b[31m many"}}'}, "the collector rejected 7 metrics: too"),
    "huge": ({"body": b"x" * (3 << 20)}, ""),
    "no HTTP": ({"answer": lambda handler: handler.wfile.write(b"\0\1\2\3\r\n\r\n")}, ""),
    "closed": ({"answer": lambda handler: handler.connection.shutdown(socket.SHUT_RDWR)}, ""),
    "slow": ({"answer": trickle}, ""),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_collector(bin_dir, tmp_path, how):
    options, message = HOSTILE[how]
    with Collector(**options) as collector:
        begin = time.monotonic()
        done = run(bin_dir, tmp_path, "--otlp", collector.url)
        assert len(collector.requests) == 1
    warnings = [line for line in done.stderr.splitlines() if line]
    assert done.returncode == 0 and len(warnings) == 1, done.stderr
    assert warnings[0].startswith("profllm: warning: could not send the metrics to --otlp: ") and message in warnings[0]
    assert "SECRET" not in done.stderr and "\x1b" not in done.stderr
    assert time.monotonic() - begin < 30 * PATIENCE and load_result(tmp_path / "r.json")["status"] == "completed"


def test_no_collector(bin_dir, tmp_path):
    """The status of the run stays, whatever it is; a result without metrics is sent, too."""
    for url in ("http://127.0.0.1:1", "http://no-such-host.invalid:4318"):
        done = run(bin_dir, tmp_path, "--otlp", url, "--overwrite")
        assert done.returncode == 0 and done.stderr.count("could not send the metrics to --otlp") == 1, done.stderr
    config = base_config()
    config["launch"]["command"] = ["no-such-server", "serve"]
    with Collector() as collector:
        done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "f.json", "--otlp", collector.url)
        assert done.returncode == 3 and "--otlp" not in done.stderr
        attributes = json.loads(collector.requests[0][2])["resourceMetrics"][0]["resource"]["attributes"]
        assert {"key": "profllm.status", "value": {"stringValue": "launch_failed"}} in attributes


@pytest.mark.parametrize("words, env, message", [
    (["--otlp", "ftp://x"], {}, "--otlp: "), (["--otlp", "http://u:S3CRET@x"], {}, "--otlp: "),
    (["--otlp-headers-file", "h"], {}, "--otlp-headers-file works only with --otlp; add --otlp URL"),
    (["--otlp-ca-file", "h"], {}, "--otlp-ca-file works only with --otlp; add --otlp URL"),
    (["--otlp", "http://127.0.0.1:1", "--otlp-ca-file", "h"], {}, "--otlp-ca-file works only with an https:// address"),
    (["--otlp", "https://127.0.0.1:1", "--otlp-ca-file", "missing"], {}, "--otlp-ca-file: "),
    (["--otlp", "https://127.0.0.1:1", "--otlp-ca-file", "h"], {}, "--otlp-ca-file: "),
    (["--otlp", "http://127.0.0.1:1", "--otlp-headers-file", "missing"], {}, "--otlp-headers-file: could not open 'missing'"),
    (["--otlp", "http://127.0.0.1:1", "--otlp-headers-file", "h"], {}, "--otlp-headers-file: item 1: expected NAME: VALUE"),
    (["--otlp", "http://127.0.0.1:1", "--otlp-headers-file", "i"], {}, "--otlp-headers-file: item 1: found a name or a value that no header may have"),
    (["--otlp", "http://127.0.0.1:1"], {"OTEL_EXPORTER_OTLP_HEADERS": "a=b,S3CRET"}, "OTEL_EXPORTER_OTLP_HEADERS: item 2: expected NAME= VALUE"),
    (["--otlp", "http://127.0.0.1:1"], {"OTEL_EXPORTER_OTLP_HEADERS": "a=%zz"}, "OTEL_EXPORTER_OTLP_HEADERS: item 1: expected %XX after '%'"),
    (["--otlp", "http://127.0.0.1:1"], {"OTEL_EXPORTER_OTLP_HEADERS": "a=x%0d%0aHost: y"}, "no header may have")])
def test_what_is_refused_before_the_start(bin_dir, tmp_path, words, env, message):
    (tmp_path / "h").write_text("S3CRET\n")
    (tmp_path / "i").write_text("Host: x\n")
    sweep = write_config(tmp_path, sweep_config({"benchmark.num_prompts": [4]}), "sweep.json")
    for command in (["run", "-c", write_config(tmp_path, base_config(num_prompts=4)), "-o", "r.json"], ["bench", "serve", "--model", "m"],
                    sweep_args(sweep, "s")):
        done = run_profllm(bin_dir, *command, *words, cwd=tmp_path, env=env)
        assert done.returncode == 2 and message in done.stderr and "S3CRET" not in done.stderr, done.stderr
    assert not (tmp_path / "r.json").exists() and not (tmp_path / "s").exists()
