"""A dashboard with --tls-cert: who can connect, how a certificate is renewed, and uploads to it."""
import contextlib
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
import warnings
from pathlib import Path

import pytest
from access_tools import add_token, bearer
from dashboard_tools import Dashboard, little
from live_tools import send as send_live
from run_tools import PATIENCE, base_config, environment, run_profllm, write_config
from sweep_tools import sweep_args, sweep_config
from tls_tools import make_certificate
from wait_tools import wait_for

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Returns a folder with self-signed pairs 'one' and 'two'; keys are private."""
    folder = tmp_path_factory.mktemp("pairs")
    for name in ("one", "two"):
        _, key = make_certificate(folder, name)
        key.chmod(0o600)
    return folder


@pytest.fixture
def pair(made, tmp_path):
    return use(made, tmp_path, "one")


def use(made, folder, name):
    """Replaces cert.pem and cert.key as programs do that renew them."""
    for end in ("pem", "key"):
        other = folder / f"new.{end}"
        other.touch(0o600)
        other.write_bytes((made / f"{name}.{end}").read_bytes())
        os.replace(other, folder / f"cert.{end}")
    return folder / "cert.pem", folder / "cert.key"


def trusting(*paths):
    context = ssl.create_default_context()
    for path in paths:
        context.load_verify_locations(path)
    return context


def serve(bin_dir, made, folder, pair, *words):
    return Dashboard(bin_dir, folder / "d.db", "--tls-cert", pair[0], "--tls-key", pair[1], *words,
                     tls=trusting(made / "one.pem", made / "two.pem"))


def shown(one):
    """Returns the certificate that a new connection gets, as PEM."""
    host, port = one.host.rsplit(":", 1)
    return ssl.get_server_certificate((host, int(port)))


def plain(one):
    host, port = one.host.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=60 * PATIENCE)


# ---- requests ------------------------------------------------------------------------------------


def test_requests_and_responses_of_each_kind(bin_dir, made, tmp_path, pair):
    """A document, a body that arrives in pieces, a file, a range, a stream that pauses, and many requests on a connection."""
    with serve(bin_dir, made, tmp_path, pair) as one:
        assert one.url.startswith("https://127.0.0.1:")
        one.upload("/api/upload/json", little(1))
        data = os.urandom(3 << 20)
        sent = one.ask("PUT", "/api/upload/artifact/small-1/server_log/log", iter([data[:7], data[7:2 << 20], data[2 << 20:]]),
                       {"Content-Type": "text/plain", "X-Content-SHA256": hashlib.sha256(data).hexdigest()})
        assert sent.status in (200, 201), sent.body
        connection = one.connect()
        for _ in range(20):
            assert one.ask("GET", "/api/data/experiments/1/artifacts/server_log/log", connection=connection, check=False).body == data
        part = one.ask("GET", "/api/data/experiments/1/artifacts/server_log/log", headers={"Range": "bytes=5-9"}, connection=connection, check=False)
        assert (part.status, part.body) == (206, data[5:10])
        send_live(one, "run-1")
        connection.request("GET", "/api/live/run-1", headers={"Accept": "text/event-stream"})
        reply = connection.getresponse()
        assert reply.status == 200 and reply.readline()
        time.sleep(0.3)  # the stream pauses
        send_live(one, "run-1", seq=2)
        wait_for(lambda: b"\n" in reply.readline(), "the stream goes on")
        connection.close()
        assert one.stop() == (0, "", "")


def test_versions_of_tls(bin_dir, made, tmp_path, pair):
    with serve(bin_dir, made, tmp_path, pair) as one:
        for version, name in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
            context = trusting(made / "one.pem")
            context.minimum_version = context.maximum_version = version
            with contextlib.closing(context.wrap_socket(plain(one), server_hostname="127.0.0.1")) as peer:
                assert peer.version() == name
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with plain(one) as peer, pytest.raises(ssl.SSLError, match="(?i)version|closed"):
            old.wrap_socket(peer)
        with plain(one) as peer, pytest.raises(ssl.SSLCertVerificationError):
            ssl.create_default_context().wrap_socket(peer, server_hostname="127.0.0.1")
        assert one.get("/api/health").status == 200


def test_a_request_without_tls(bin_dir, made, tmp_path, pair):
    with serve(bin_dir, made, tmp_path, pair) as one:
        for method, body in (("GET", None), ("POST", b"x" * 2000)):
            host, port = one.host.rsplit(":", 1)
            with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=60 * PATIENCE)) as connection:
                connection.request(method, "/api/health", body)
                reply = connection.getresponse()
                assert reply.status == 400 and json.loads(reply.read())["detail"] == "this port accepts only https"
        for junk in (b"\x16\x03\x01\x00\x05junk!", b"\x00" * 100, b"\x16\x03\x01\xff\xff" + b"\x01" * 70000):
            with plain(one) as peer:
                with contextlib.suppress(OSError):
                    peer.sendall(junk)
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(1000):
                        pass
        assert one.get("/api/health").status == 200
        assert one.stop() == (0, "", "")


def test_what_browsers_are_told(bin_dir, made, tmp_path, pair):
    """The session is never sent without TLS, and pages without TLS are another site."""
    tokens = tmp_path / "tokens"
    token = add_token(bin_dir, tokens, "alice", "--role", "write")
    with serve(bin_dir, made, tmp_path, pair, "--token-file", tokens, "--allow-host", "bench.example.org") as one:
        for host, strict in (("bench.example.org", "max-age=31536000"), ("localhost:1", None), ("127.0.0.1", None)):
            assert one.get("/api/health", Host=host).headers["Strict-Transport-Security"] == strict
        answer = one.post("/api/session", {"token": token})
        assert answer.status == 201 and answer.headers["Set-Cookie"].endswith("; Secure")
        note = {"version": "1", "text": "t"}
        assert one.post("/api/annotations", note, **bearer(token), Origin=f"https://{one.host}").status == 201
        refused = one.post("/api/annotations", note, **bearer(token), Origin=f"http://{one.host}")
        assert refused.status == 403 and f"expected 'https://{one.host}' or none" in refused.json["detail"]
        assert re.search(r"Max core file size +[01] ", Path(f"/proc/{one.process.pid}/limits").read_text())


def test_slow_handshakes(bin_dir, made, tmp_path, pair):
    """Clients that do not finish their handshake do not delay others."""
    with serve(bin_dir, made, tmp_path, pair) as one, contextlib.ExitStack() as stack:
        for number in range(60):
            peer = stack.enter_context(plain(one))
            peer.sendall(b"\x16\x03\x01\x02\x00\x01"[:number % 7])
        began = time.monotonic()
        for _ in range(10):
            assert one.get("/api/health").status == 200
        assert time.monotonic() - began < 5 * PATIENCE
        assert one.stop()[0] == 0


# ---- certificates --------------------------------------------------------------------------------


def test_a_renewed_certificate(bin_dir, made, tmp_path, pair):
    """It counts for new connections, and those in use continue. A pair that does not match changes nothing."""
    with serve(bin_dir, made, tmp_path, pair) as one:
        assert shown(one) == (made / "one.pem").read_text()
        connection = one.connect()
        assert one.ask("GET", "/api/health", connection=connection).status == 200
        use(made, tmp_path, "two")
        wait_for(lambda: shown(one) == (made / "two.pem").read_text(), "the new certificate is used")
        assert one.ask("GET", "/api/health", connection=connection).status == 200
        pair[0].write_bytes((made / "one.pem").read_bytes())
        one.process.send_signal(signal.SIGHUP)
        pair[0].with_suffix(".old").touch()
        time.sleep(0.2)
        assert shown(one) == (made / "two.pem").read_text()
        use(made, tmp_path, "one")
        one.process.send_signal(signal.SIGHUP)
        wait_for(lambda: shown(one) == (made / "one.pem").read_text(), "the new certificate is used")
        assert one.ask("GET", "/api/health", connection=connection).status == 200
        connection.close()
        status, out, err = one.stop()
    assert (status, out) == (0, "")
    assert err.splitlines() == [
        f"profllm-dashboard: --tls-cert: '{pair[0]}' was read again",
        f"profllm-dashboard: error: --tls-key: '{pair[1]}' does not belong to the first certificate of '{pair[0]}'; the former certificate remains in use",
        f"profllm-dashboard: --tls-cert: '{pair[0]}' was read again"]


def test_a_chain(bin_dir, made, tmp_path):
    """A certificate of an authority with an intermediate one, which the server sends."""
    make_certificate(tmp_path, "root", names=None)
    make_certificate(tmp_path, "middle", names=None, signer="root")
    leaf, key = make_certificate(tmp_path, "leaf", signer="middle")
    key.chmod(0o600)
    chain = tmp_path / "chain.pem"
    chain.write_text(leaf.read_text() + (tmp_path / "middle.pem").read_text())
    with Dashboard(bin_dir, tmp_path / "d.db", "--tls-cert", chain, "--tls-key", key, tls=trusting(tmp_path / "root.pem")) as one:
        assert one.get("/api/health").status == 200


def test_pairs_that_cannot_be_used(bin_dir, made, tmp_path, pair):
    cert, key = pair
    locked = tmp_path / "locked.key"
    subprocess.run(["openssl", "pkey", "-in", key, "-aes128", "-passout", "pass:x", "-out", locked], check=True)
    open_key = tmp_path / "open.key"
    open_key.write_bytes(key.read_bytes())
    open_key.chmod(0o640)
    empty = tmp_path / "empty"
    empty.touch(0o600)
    other = made / "two.key"
    for words, message in ((["--tls-cert", cert], "--tls-key is missing"), (["--tls-key", key], "--tls-cert is missing"),
                           (["--tls-cert", tmp_path / "none", "--tls-key", key], f"--tls-cert: could not open '{tmp_path / 'none'}'"),
                           (["--tls-cert", cert, "--tls-key", tmp_path / "none"], f"--tls-key: could not open '{tmp_path / 'none'}'"),
                           (["--tls-cert", cert, "--tls-key", open_key], f"--tls-key: '{open_key}': found mode 0640, expected 0600"),
                           (["--tls-cert", cert, "--tls-key", locked], f"--tls-key: '{locked}' has a password"),
                           (["--tls-cert", cert, "--tls-key", empty], f"--tls-key: '{empty}' has no private key in PEM"),
                           (["--tls-cert", empty, "--tls-key", key], f"--tls-cert: '{empty}' has no certificate in PEM"),
                           (["--tls-cert", cert, "--tls-key", other], f"--tls-key: '{other}' does not belong to the first certificate of '{cert}'"),
                           (["--tls-cert", cert, "--tls-key", key, "--socket", tmp_path / "s"], "--socket, --tls-cert: found both")):
        done = subprocess.run([bin_dir / "profllm-dashboard", "serve", "--db", tmp_path / "x.db", "--port", "0", *words], capture_output=True, text=True,
                              env=environment(), timeout=60 * PATIENCE, stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and done.stdout == "" and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert not (tmp_path / "x.db").exists()


def test_a_certificate_that_has_expired(bin_dir, tmp_path):
    """Clients refuse it, and the log says why."""
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "c.cnf").write_text("[req]\ndistinguished_name=d\n[d]\n[ca]\ndefault_ca=a\n[a]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
                                  "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
    (folder / "index").touch()
    (folder / "serial").write_text("01\n")
    for words in (["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "k", "-out", "r", "-subj", "/CN=x"],
                  ["ca", "-config", "c.cnf", "-selfsign", "-keyfile", "k", "-in", "r", "-out", "c", "-startdate", "20200101000000Z", "-enddate",
                   "20210101000000Z", "-batch", "-notext"]):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    (folder / "k").chmod(0o600)
    with Dashboard(bin_dir, tmp_path / "d.db", "--tls-cert", folder / "c", "--tls-key", folder / "k", tls=ssl.create_default_context()) as one:
        assert one.stop()[2] == f"profllm-dashboard: warning: the certificate '{folder / 'c'}' expired at 2021-01-01T00:00:00.000Z\n"


# ---- uploads -------------------------------------------------------------------------------------


def test_an_upload(bin_dir, made, tmp_path, pair):
    (tmp_path / "r.json").write_text(json.dumps(little(1)))
    with serve(bin_dir, made, tmp_path, pair) as one:
        for words, status, message in ((["--ca-file", made / "one.pem"], 0, ""), (["--insecure"], 0, ""),
                                       ([], 1, "; use --ca-file to trust its issuer, or --insecure to accept any certificate"),
                                       (["--ca-file", made / "two.pem"], 1, "certificate verify failed"),
                                       (["--ca-file", tmp_path / "none"], 2, f"--ca-file: could not read '{tmp_path / 'none'}'"),
                                       (["--ca-file", made / "one.key"], 2, f"--ca-file: '{made / 'one.key'}' contains no certificate"),
                                       (["--ca-file", made / "one.pem", "--insecure"], 2, "--ca-file, --insecure: found both, expected one")):
            done = subprocess.run([bin_dir / "profllm", "upload", "--to", one.url, *words, tmp_path / "r.json"], capture_output=True, text=True,
                                  env=environment(), timeout=60 * PATIENCE)
            assert (done.returncode == status if status != 1 else done.returncode > 0) and message in done.stdout + done.stderr, (words, done)
        assert one.get("/api/health").json["total"] == 1
        done = subprocess.run([bin_dir / "profllm", "upload", "--to", "http" + one.url.removeprefix("https"), tmp_path / "r.json"], capture_output=True,
                              text=True, env=environment(), timeout=60 * PATIENCE)
        assert done.returncode > 0 and "accepts only https" in done.stdout, done
        done = subprocess.run([bin_dir / "profllm", "upload", "--to", "http://localhost:1", "--ca-file", made / "one.pem", tmp_path / "r.json"],
                              capture_output=True, text=True, env=environment(), timeout=60 * PATIENCE)
        assert done.returncode == 2 and "--ca-file works only with an https:// address" in done.stderr


AUTHORITIES = [("one.pem", 0, ""), ("two.pem", 8, "certificate verify failed"), ("none", 2, "--ca-file: could not read"), (None, 8, "certificate verify failed")]
# other commands hand the same options to the same upload: in the short form, one that is accepted and one that is refused
UPLOADS = [(command, *each) for command in ("run", "sweep", "recover") for each in (AUTHORITIES if LONG or command == "run" else AUTHORITIES[:2])]


@pytest.mark.parametrize("command, file, status, message", UPLOADS)
def test_an_upload_of_a_new_result(bin_dir, made, tmp_path, pair, command, file, status, message):
    """An unreadable file is found before the run starts. Each command reports what was not uploaded by its status."""
    words = [] if file is None else ["--ca-file", made / file]
    run = ["run", "-c", write_config(tmp_path, base_config(num_prompts=4)), "-o", tmp_path / "r.json"]
    with serve(bin_dir, made, tmp_path, pair) as one:
        if command == "sweep":
            config = write_config(tmp_path, sweep_config({"benchmark.num_prompts": [4]}))
            done = run_profllm(bin_dir, *sweep_args(config, tmp_path / "s", "--upload", one.url, *words))
        elif command == "recover":
            assert run_profllm(bin_dir, *run).returncode == 0
            done = run_profllm(bin_dir, "recover", tmp_path / "r.json", "--upload", one.url, *words)
        else:
            done = run_profllm(bin_dir, *run, "--upload", one.url, *words)
        assert done.returncode == status and message in done.stderr, done
        if file is None:
            assert f"; use --ca-file to trust its issuer{', or --insecure to accept any certificate' if command == 'sweep' else ';'}" in done.stderr
        assert one.get("/api/health").json["total"] == (status == 0)
    if command != "recover":
        assert ((tmp_path / "r.json").exists() or (tmp_path / "s").exists()) == (status != 2)
