"""https: the same load, records and helper requests over TLS, and the certificates that a run trusts."""
import http.client
import http.server
import json
import socket
import socketserver
import ssl
import subprocess
import threading

import pytest

import run_tools
from sim_tools import Server, by_request, read_log
from tls_tools import make_certificate

USER_STAMP = 8
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


class Certificates:
    def __init__(self, folder):
        self.own = make_certificate(folder, "own")
        self.second = make_certificate(folder, "second")
        self.authority = make_certificate(folder, "authority", names=None)
        self.signed = make_certificate(folder, "signed", signer="authority")
        self.elsewhere = make_certificate(folder, "elsewhere", names="DNS:elsewhere.example",
                                          signer="authority")
        self.expired = make_certificate(folder, "expired", days=-1, signer="authority")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


class SecureServer(Server):
    """profllm-sim with TLS."""

    def __init__(self, bin_dir, pair, *args, **kwargs):
        super().__init__(bin_dir, "--ssl-certfile", pair[0], "--ssl-keyfile", pair[1], *args,
                         **kwargs)

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60,
                                           context=ssl._create_unverified_context())


def environment(extra=None):
    """Returns the environment without proxies of the test host."""
    env = run_tools.environment(extra)
    given = extra or {}
    return {name: value for name, value in env.items()
            if name in given or name.lower() not in PROXIES}


class Play:
    """One `bench serve` against a URL, and its outcome."""

    def __init__(self, bin_dir, folder, url, *words, ok=0, env=None, patience=1):
        folder.mkdir(exist_ok=True)
        self.done = subprocess.run(
            [bin_dir / "profllm", "bench", "serve", "--base-url", url, "--random-input", "32",
             "--random-output", "12", "--num-prompts", "12", "--output", "r.json", *map(str, words)],
            cwd=folder, capture_output=True, text=True, timeout=120 * patience, check=False,
            env=environment(env))
        self.said = " ".join((self.done.stdout + self.done.stderr).split())  # the report wraps its lines
        assert self.done.returncode == ok, self.said
        path = folder / "r.json"
        self.result = json.loads(path.read_text()) if path.exists() else None
        side = folder / "r.requests.jsonl.zst"
        self.records = run_tools.read_zst_lines(side) if side.exists() else []

    def check_log(self, log, told=True):
        """

        Every event that the server sent is one event here, in order and not early. `told`: events state their number of
        tokens.


        """
        sent = by_request(read_log(log))
        assert len(self.records) == self.result["results"]["completed"] > 0
        for record in self.records:
            lines = sent[record["request_id"]]
            tokens = [line for line in lines if line["event"] == "token"]
            assert [line["event"] for line in lines] == ["request"] + ["token"] * len(tokens) + ["end"]
            assert len(record["events"]) == len(tokens)
            if told:
                assert [event[1] for event in record["events"]] == [line["tokens"] for line in tokens]
            assert record["output_tokens"] == sum(line["tokens"] for line in tokens)
            times = [event[0] for event in record["events"]]
            assert times == sorted(times)
            # a millisecond for two readings of how the clocks differ
            assert all(came >= line["t_ns"] - 1_000_000 for came, line in zip(times, tokens))


@pytest.fixture(scope="module")
def server(bin_dir, certificates):
    with SecureServer(bin_dir, certificates.own, "--sim-step", "2ms", model="org/tiny") as running:
        yield running


def https(server, host="127.0.0.1"):
    return f"https://{host}:{server.port}"


@pytest.mark.threads
@pytest.mark.parametrize("words", [
    ["--num-prompts", 64], ["--num-prompts", 64, "--max-concurrency", 8],
    ["--num-prompts", 64, "--threads", 2], ["--num-prompts", 64, "--request-rate", 400],
    ["--num-prompts", 16, "--extra-body", '{"stream": false}'],
], ids=["all-at-once", "capped", "two-workers", "poisson", "whole-answers"])
def test_records_equal_the_servers_log(bin_dir, tmp_path, certificates, patience, words):
    log = tmp_path / "sim.log"
    with SecureServer(bin_dir, certificates.own, "--sim-step", "5ms", "--sim-log", log,
                      "--max-num-seqs", "512", model="org/tiny") as server:
        play = Play(bin_dir, tmp_path, https(server), "--insecure", *words, patience=patience)
    asked = words[1]
    results = play.result["results"]
    assert (results["completed"], results["failed"]) == (asked, 0)
    assert results["total_output_tokens"] == 12 * asked
    assert play.result["config"]["benchmark"]["insecure"] is True
    if "--extra-body" in words:
        return
    play.check_log(log)
    events = [event for record in play.records for event in record["events"]]
    assert not [event for event in events if event[2] & USER_STAMP]
    for record in play.records:
        # sent_ns is read after send() has returned: a response may have arrived by then
        for names in (("acted_ns", "connected_ns", "sent_ns"), ("acted_ns", "headers_ns", "first_event_ns")):
            order = [record[name] for name in names if record[name] is not None]
            assert order == sorted(order)


@pytest.mark.parametrize("backend", ["openai", "openai-chat"])
def test_the_same_events_as_with_http(bin_dir, tmp_path, certificates, backend):
    words = ["--backend", backend, "--num-prompts", 20, "--max-concurrency", 1, "--insecure",
             "--request-id-prefix", "same-"]
    if backend == "openai-chat":
        words += ["--endpoint", "/v1/chat/completions"]
    seen = []
    for name, tls in (("plain", False), ("tls", True)):
        args = ("--sim-step", "2ms", "--seed", "3")
        started = (SecureServer(bin_dir, certificates.own, *args, model="org/tiny") if tls
                   else Server(bin_dir, *args, model="org/tiny"))
        with started as server:
            url = https(server) if tls else f"http://127.0.0.1:{server.port}"
            play = Play(bin_dir, tmp_path / name, url, *words)
        seen.append([(record["request_id"], record["prompt_tokens"], record["output_tokens"],
                      record["finish_reason"], [(event[1], event[2] & ~1) for event in record["events"]])
                     for record in play.records])
    assert seen[0] == seen[1] and len(seen[0]) == 20


def test_one_connection_carries_one_request_after_the_other(bin_dir, tmp_path, server):
    play = Play(bin_dir, tmp_path, https(server), "--insecure", "--max-concurrency", 1)
    assert [record["connected_ns"] is None for record in play.records] == [False] + [True] * 11
    first = play.records[0]
    assert first["acted_ns"] < first["connected_ns"] <= first["sent_ns"]


@pytest.mark.parametrize("sim", [
    ["--sim-cut", 1], ["--sim-cut", 7], ["--sim-cut", 50], ["--sim-merge-sends", 3],
    ["--sim-merge", 4], ["--sim-event-form", "crlf", "--sim-cut", 11]],
    ids=lambda sim: "-".join(map(str, sim)).replace("--sim-", ""))
def test_bytes_cut_and_merged(bin_dir, tmp_path, certificates, sim):
    log = tmp_path / "sim.log"
    with SecureServer(bin_dir, certificates.own, "--sim-step", "2ms", "--sim-log", log, *sim,
                      model="org/tiny") as server:
        play = Play(bin_dir, tmp_path, https(server), "--insecure")
    assert play.result["results"]["total_output_tokens"] == 144
    play.check_log(log, told="--sim-merge" not in sim)


def test_a_server_that_closes_its_connections(bin_dir, tmp_path, certificates):
    with SecureServer(bin_dir, certificates.own, "--sim-step", "2ms", "--sim-close-after", 2,
                      model="org/tiny") as server:
        play = Play(bin_dir, tmp_path, https(server), "--insecure", "--max-concurrency", 1)
    assert (play.result["results"]["completed"], play.result["results"]["failed"]) == (12, 0)
    assert len([1 for record in play.records if record["connected_ns"] is not None]) >= 6


@pytest.mark.parametrize("fault, kind", [
    ("--sim-truncate-rate", "truncated"), ("--sim-reset-rate", "reset"),
    ("--sim-stream-error-rate", "stream_error"), ("--sim-error-rate", "http_status")])
def test_answers_that_break_off(bin_dir, tmp_path, certificates, fault, kind):
    """As over http: a connection that ends within a response does not complete it."""
    with SecureServer(bin_dir, certificates.own, "--sim-step", "2ms", fault, 0.25,
                      model="org/tiny") as server:
        play = Play(bin_dir, tmp_path, https(server), "--insecure", ok=1)
    error, = play.result["results"]["errors"]
    assert (error["kind"], error["count"]) == (kind, 3) and error["sample"]
    assert (play.result["results"]["completed"], play.result["status"]) == (9, "partial")


def test_large_prompts(bin_dir, tmp_path, server):
    """Each request takes many TLS records, more than a socket buffers at once."""
    play = Play(bin_dir, tmp_path, https(server), "--insecure", "--num-prompts", 4, "--random-input", 4000,
                "--random-prefix-len", 4000)
    assert (play.result["results"]["completed"], play.result["results"]["total_input_tokens"]) == (4, 32000)


def test_trust_by_the_systems_store(bin_dir, tmp_path, certificates, patience):
    with SecureServer(bin_dir, certificates.signed, "--sim-step", "2ms", model="org/tiny") as server:
        for i, host in enumerate(("localhost", "127.0.0.1")):
            play = Play(bin_dir, tmp_path / str(i), https(server, host), patience=patience,
                        env={"SSL_CERT_FILE": str(certificates.authority[0])})
            assert play.result["results"]["completed"] == 12
            assert play.result["config"]["benchmark"]["insecure"] is False
        play = Play(bin_dir, tmp_path / "no", https(server), ok=3, patience=patience)
        assert "certificate verify failed: unable to get local issuer certificate" in play.said


def refused(bin_dir, folder, pair, certificates, says):
    with SecureServer(bin_dir, pair, "--sim-step", "2ms", model="org/tiny") as server:
        # it would be no other after an hour
        play = Play(bin_dir, folder / "checked", https(server), "--ready-check-timeout-sec", 3600, ok=3,
                    env={"SSL_CERT_FILE": str(certificates.authority[0])})
        assert f"certificate verify failed: {says}; use --insecure to accept it" in play.said
        error = play.result["error"]
        assert (play.result["status"], error["cause"]) == ("launch_failed", "unreachable")
        play = Play(bin_dir, folder / "any", https(server), "--insecure")
        assert play.result["results"]["completed"] == 12


def test_self_signed_certificate(bin_dir, tmp_path, certificates):
    refused(bin_dir, tmp_path, certificates.own, certificates, "self-signed certificate")


def test_certificate_of_another_host(bin_dir, tmp_path, certificates):
    refused(bin_dir, tmp_path, certificates.elsewhere, certificates, "the certificate is not valid for '127.0.0.1'")


def test_expired_certificate(bin_dir, tmp_path, certificates):
    refused(bin_dir, tmp_path, certificates.expired, certificates, "certificate has expired")


def test_missing_store(bin_dir, tmp_path, server):
    play = Play(bin_dir, tmp_path, https(server), ok=2, env={"SSL_CERT_FILE": "/nowhere/store.pem"})
    assert "SSL_CERT_FILE '/nowhere/store.pem'" in play.said and play.result is None


def test_plain_server_at_an_https_url(bin_dir, tmp_path):
    with Server(bin_dir, "--sim-step", "2ms", model="org/tiny") as server:
        play = Play(bin_dir, tmp_path, https(server), "--insecure", ok=3)
    assert "TLS: the server does not use TLS; try an address with http://" in play.said


def test_server_with_tls_at_an_http_url(bin_dir, tmp_path, server):
    play = Play(bin_dir, tmp_path, f"http://127.0.0.1:{server.port}", ok=3)
    assert play.result["error"]["cause"] == "unreachable"
    assert "closed the connection without a response" in play.said


def test_server_that_dies_within_the_handshake(bin_dir, tmp_path):
    """Reads the first bytes and closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def hang_up():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.recv(65536)
            connection.close()

    thread = threading.Thread(target=hang_up)
    thread.start()
    play = Play(bin_dir, tmp_path, f"https://127.0.0.1:{listener.getsockname()[1]}", "--insecure", ok=3)
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()
    assert "during the TLS handshake" in play.said


class OldServer(http.server.ThreadingHTTPServer):
    """

    A foreign TLS server with one version: HTTP/1.0, streams without a length. `goodbye`: it sends close_notify before
    it closes; `last`: its streams are complete; `later`: called after the first of them was served.


    """
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, pair, version=ssl.TLSVersion.TLSv1_3, goodbye=True, last=True, later=None):
        super().__init__(("127.0.0.1", 0), OldHandler)
        self.goodbye, self.last, self.later = goodbye, last, later
        self.hangs_up = False
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = self.context.maximum_version = version
        self.context.load_cert_chain(*pair)
        self.server_names, self.protocols = set(), set()
        self.context.sni_callback = lambda _, name, __: self.server_names.add(name)
        self.context.set_alpn_protocols(["http/1.1"])
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self.thread.start()
        self.port = self.server_port

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)  # does not resolve the host's name
        self.server_name, self.server_port = self.server_address

    def finish_request(self, request, client_address):
        try:
            if self.hangs_up:
                request.recv(65536)
                return
            with self.context.wrap_socket(request, server_side=True) as connection:
                self.protocols.add((connection.version(), connection.selected_alpn_protocol()))
                super().finish_request(connection, client_address)
                if self.goodbye:
                    connection.unwrap()
        except OSError:
            pass  # the client has gone first

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()


class OldHandler(http.server.BaseHTTPRequestHandler):
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/v1/models":
            self.answer(200, b'{"object": "list", "data": [{"id": "old", "root": "old"}]}')
        else:
            self.answer(200 if self.path == "/health" else 404, b"{}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/completions":
            self.answer(404, b"{}")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        count = body["max_tokens"]
        whole = self.server.last or count == 1  # the request that asks whether it is ready
        for i in range(count if whole else count // 2):
            choice = {"index": 0, "text": " a", "finish_reason": "length" if i == count - 1 else None}
            self.wfile.write(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
        if self.server.later:
            self.server.later(self.server)  # before the client continues
        if whole:
            self.wfile.write(b"data: [DONE]\n\n")


OLD_WORDS = ["--insecure", "--vocab-size", 1000, "--prompt-token-ids"]


@pytest.mark.parametrize("goodbye", [True, False], ids=["goodbye", "cut"])
@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
def test_another_server(bin_dir, tmp_path, certificates, version, goodbye):
    """[DONE] ends a stream, however the connection ends."""
    with OldServer(certificates.own, getattr(ssl.TLSVersion, version.replace(".", "_")), goodbye) as server:
        play = Play(bin_dir, tmp_path, https(server, "localhost"), *OLD_WORDS)
    assert (play.result["results"]["completed"], play.result["results"]["total_output_tokens"]) == (12, 144)
    assert all(len(record["events"]) == 12 for record in play.records)
    assert server.protocols == {(version, "http/1.1")}
    assert server.server_names == {"localhost"}


def test_an_address_is_not_a_server_name(bin_dir, tmp_path, certificates):
    with OldServer(certificates.own) as server:
        Play(bin_dir, tmp_path, https(server), *OLD_WORDS)
    assert server.server_names == {None}


@pytest.mark.parametrize("goodbye", [True, False], ids=["goodbye", "cut"])
def test_streams_that_stop_short(bin_dir, tmp_path, certificates, goodbye):
    with OldServer(certificates.own, goodbye=goodbye, last=False) as server:
        play = Play(bin_dir, tmp_path, https(server), *OLD_WORDS, ok=1)
    error, = play.result["results"]["errors"]
    assert (error["kind"], error["count"]) == ("truncated", 12)
    assert all(len(record["events"]) == 6 for record in play.records)


def hang_up(server):
    server.hangs_up = True


@pytest.mark.parametrize("turn, says", [
    (hang_up, "the server closed the connection during the TLS handshake"),
    (lambda server: server.context.load_cert_chain(*server.next_pair),
     "certificate verify failed: the certificate is not valid for '127.0.0.1'; use --insecure to accept it")],
    ids=["hangs-up", "another-certificate"])
def test_connections_that_fail_within_the_run(bin_dir, tmp_path, certificates, turn, says):
    """Each is a failed request with its reason, and is not retried."""
    with OldServer(certificates.signed, later=turn) as server:
        server.next_pair = certificates.elsewhere
        play = Play(bin_dir, tmp_path, https(server), *OLD_WORDS[1:], "--ready-check-timeout-sec", 30, ok=1,
                    env={"SSL_CERT_FILE": str(certificates.authority[0])})
    assert (play.result["results"]["completed"], play.result["results"]["failed"]) == (0, 12)
    error, = play.result["results"]["errors"]
    assert (error["kind"], error["count"], error["sample"]) == ("connect", 12, says)
    for record in play.records:
        assert record["acted_ns"] is not None and record["connected_ns"] is None and not record["events"]


def own_config(pair, sim=()):
    config = run_tools.base_config()
    config["server"].update({"ssl_certfile": str(pair[0]), "ssl_keyfile": str(pair[1])})
    config["launch"]["extra_args"] += list(sim)
    return config


@pytest.mark.parametrize("which", ["own", "expired", "elsewhere"])
def test_launched_server_is_known_by_its_certificate(bin_dir, tmp_path, certificates, patience, which):
    """Whatever its content: it is the certificate that the server was started with."""
    config = own_config(getattr(certificates, which))
    config["telemetry"] = {"server_metrics": "20ms"}
    done = run_tools.run_profllm(bin_dir, "run", "-c", run_tools.write_config(tmp_path, config), "-o",
                                 tmp_path / "r.json", patience=patience)
    assert done.returncode == 0, done.stderr
    result = run_tools.load_result(tmp_path / "r.json")
    assert result["results"]["completed"] == 20
    assert result["launch"]["version"]["version"] and result["launch"]["models"]["data"]
    assert "https://" in (tmp_path / "r.server.log").read_text()
    pages = result["system"]["telemetry"]
    assert pages["metrics_gaps"] < pages["metrics_requested"], "/metrics is read over TLS too"


def test_launched_server_with_another_certificate_is_not_trusted(bin_dir, tmp_path, certificates, patience):
    """A program of the user's in launch.command may use any certificate."""
    config = own_config(certificates.own, ["--ssl-certfile", str(certificates.second[0]),
                                           "--ssl-keyfile", str(certificates.second[1])])
    program = tmp_path / "other"
    program.write_text("#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in\n"
                       f"--ssl-certfile) shift 2; set -- \"$@\" --ssl-certfile={certificates.own[0]} ;;\n"
                       "*) break ;; esac; done\n"
                       f'exec {bin_dir}/profllm-sim "$@" --ssl-certfile {certificates.own[0]}'
                       f" --ssl-keyfile {certificates.own[1]}\n")
    program.chmod(0o755)
    config["launch"]["command"] = [str(program), "serve"]
    config["launch"]["ready_timeout"] = "1h"
    done = run_tools.run_profllm(bin_dir, "run", "-c", run_tools.write_config(tmp_path, config), "-o",
                                 tmp_path / "r.json", patience=patience)
    assert done.returncode == 3
    assert run_tools.load_result(tmp_path / "r.json")["status"] == "launch_failed"
    assert "the certificate is not the one in ssl_certfile" in " ".join(done.stdout.split())


def test_launched_server_without_its_certificate(bin_dir, tmp_path, certificates, patience):
    config = own_config((tmp_path / "none.pem", certificates.own[1]))
    done = run_tools.run_profllm(bin_dir, "run", "-c", run_tools.write_config(tmp_path, config), "-o",
                                 tmp_path / "r.json", patience=patience)
    assert done.returncode != 0 and not (tmp_path / "r.json").exists()
    assert f"could not read certificate '{tmp_path}/none.pem'" in done.stderr


@pytest.mark.parametrize("variable", ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
def test_proxies_are_refused(bin_dir, tmp_path, variable):
    env = {variable: "http://someone:hush@proxy.example:3128"}
    play = Play(bin_dir, tmp_path, "https://gpu.example.invalid", ok=2, env=env)
    assert f"${variable} names a proxy" in play.said and "$no_proxy" in play.said
    assert "hush" not in play.said and play.result is None


def test_no_proxy_and_loopback(bin_dir, tmp_path, server):
    proxy = {"https_proxy": "http://proxy.example:3128", "http_proxy": "http://proxy.example:3128"}
    play = Play(bin_dir, tmp_path / "near", https(server), "--insecure", env=proxy)
    assert play.result["results"]["completed"] == 12
    play = Play(bin_dir, tmp_path / "excepted", "https://gpu.example.invalid", ok=3,
                env={**proxy, "no_proxy": "example.invalid"})
    assert "could not resolve host" in play.said
    play = Play(bin_dir, tmp_path / "plain", "http://gpu.example.invalid", ok=2, env=proxy)
    assert "$http_proxy" in play.said


@pytest.mark.parametrize("words, says", [
    (["--ssl-keyfile", "{key}"], "--ssl-keyfile needs --ssl-certfile"),
    (["--ssl-certfile", "/nowhere/cert.pem"], "cannot use certificate '/nowhere/cert.pem'"),
    (["--ssl-certfile", "{other}", "--ssl-keyfile", "{key}"], "cannot use private key")])
def test_the_checks_of_the_simulator(bin_dir, certificates, words, says):
    words = [word.format(key=certificates.own[1], other=certificates.second[0]) for word in words]
    done = subprocess.run([bin_dir / "profllm-sim", "serve", "tiny", "--port", "0", *words], capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 1 and says in done.stderr


def test_peers_of_the_simulator_that_speak_no_tls(server):
    """Their connections are closed, and others are served."""
    for words in (b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"\x00" * 600):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
            peer.sendall(words)
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(4096):
                pass
    assert server.ask("GET", "/health")[0] == 200


def test_the_simulators_stream_by_a_client_of_pythons(server):
    events, _ = server.stream("/v1/completions", {"model": "org/tiny", "prompt": "Hello", "max_tokens": 5})
    assert events[-1] == "[DONE]" and len(events) >= 6
