"""The odd servers' tables over TLS, and faults of TLS: truncated records, requested certificates."""
import ssl

import pytest
from odd_rows import HEAD, TABLES, Row
from odd_server import CLOSE, OddServer, Pause, chunk, good, head, stream, tokens
from test_odd_servers import Play, check_record
from test_tls import Certificates
from tls_tools import make_certificate

ANSWER = stream(*good())


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


class TlsServer(OddServer):
    def __init__(self, rows, context, wrap=None, nagle=False):
        super().__init__(rows, wrap=wrap or (lambda plug: context.wrap_socket(plug, server_side=True)), nagle=nagle)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"


def context_of(pair, version=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)
    if version:
        context.minimum_version = context.maximum_version = version
    return context


class HandMade:
    """Speaks TLS manually, so that records can be cut, delayed or corrupted."""

    def __init__(self, plug, context):
        self.plug = plug
        self.into, self.out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.into, self.out, server_side=True)
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.flush()
                data = self.plug.recv(65536)
                if not data:
                    raise ConnectionResetError from None
                self.into.write(data)
        self.flush()

    def flush(self):
        self.plug.sendall(self.out.read())

    def recv(self, room):
        while True:
            try:
                return self.tls.read(room)
            except ssl.SSLWantReadError:
                data = self.plug.recv(65536)
                if not data:
                    return b""
                self.into.write(data)
            except ssl.SSLZeroReturnError:
                return b""

    def record_of(self, data):
        self.tls.write(data)
        return self.out.read()

    def sendall(self, data):
        self.plug.sendall(self.record_of(data))

    def setsockopt(self, *words):
        self.plug.setsockopt(*words)

    def getsockopt(self, *words):
        return self.plug.getsockopt(*words)

    def shutdown(self, how):
        self.plug.shutdown(how)

    def close(self):
        self.plug.close()


def record_in_part(data, less):
    return lambda plug: plug.plug.sendall(plug.record_of(data)[:-less])


def record_in_pieces(data, size):
    def send(plug):
        record = plug.record_of(data)
        for at in range(0, len(record), size):
            plug.plug.sendall(record[at:at + size])
    return send


def spoilt_record(data):
    def send(plug):
        record = bytearray(plug.record_of(data))
        record[-1] ^= 1
        plug.plug.sendall(record)
    return send


def no_tls(data):
    return lambda plug: plug.plug.sendall(data)


def goodbye(plug):
    """Sends close_notify, and nothing else."""
    try:
        plug.tls.unwrap()
    except ssl.SSLError:
        pass
    plug.flush()


def two():
    return HEAD + b"".join(map(chunk, tokens(4)[:2]))


def failed(*steps, kind, says, events=2, status=200):
    return Row(*steps, kind=kind, says=says, events=events, status=status, tokens=..., finish=...)


BODY = b"".join(good())
ROWS = {
    "plain": Row(ANSWER),
    "a-byte-a-record": Row(*[ANSWER[i:i + 1] for i in range(len(ANSWER))]),
    "a-byte-a-segment": Row(record_in_pieces(ANSWER, 1)),
    "records-of-16-kb": Row(stream(*good()[:4], b": " + b"x" * 100_000 + b"\n\n", *good()[4:])),
    "record-cut": failed(two(), record_in_part(chunk(tokens(4)[2]), 7), CLOSE, kind="truncated",
                         says="ended during the response"),
    "record-head-cut": failed(two(), record_in_part(b"x", len("x") + 20), CLOSE, kind="truncated",
                              says="ended during the response"),
    "record-spoilt": failed(two(), spoilt_record(chunk(tokens(4)[2])), Pause(0.02), CLOSE, kind="reset",
                            says="TLS: decryption failed or bad record mac"),
    "plain-bytes": failed(two(), no_tls(b"HTTP/1.1 500 No\r\n\r\n"), Pause(0.02), CLOSE, kind="reset", says="TLS: "),
    "until-end-and-goodbye": Row(head("200 OK", "text/event-stream") + BODY, goodbye, CLOSE),
    "until-end-cut": Row(head("200 OK", "text/event-stream") + BODY, CLOSE),
    "until-end-short-and-goodbye": failed(head("200 OK", "text/event-stream") + b"".join(tokens(4)[:2]), goodbye,
                                          CLOSE, kind="truncated", says="without its closing event"),
    "until-end-short-and-cut": failed(head("200 OK", "text/event-stream") + b"".join(tokens(4)[:2]), CLOSE,
                                      kind="truncated", says="without its closing event"),
    "chunked-and-cut": failed(two(), CLOSE, kind="truncated", says="ended during the response"),
    "chunked-and-goodbye": failed(two(), goodbye, CLOSE, kind="truncated", says="ended during the response"),
    "goodbye-at-once": failed(goodbye, CLOSE, kind="reset", says="closed the connection", events=0, status=None),
    "goodbye-behind-done": Row(HEAD + b"".join(map(chunk, good())), goodbye, CLOSE),
    "spoilt-behind-done": Row(HEAD + b"".join(map(chunk, good())), Pause(0.02), spoilt_record(b"x"), CLOSE),
    "surplus": Row(ANSWER + stream(*good(count=99))),
    "last": Row(ANSWER),
}


@pytest.mark.threads
@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
@pytest.mark.parametrize("cap", [1, 16])
def test_records(bin_dir, tmp_path, certificates, patience, version, cap):
    context = context_of(certificates.own, getattr(ssl.TLSVersion, version))
    with TlsServer({name: row.steps for name, row in ROWS.items()}, context,
                   wrap=lambda plug: HandMade(plug, context)) as server:
        play = Play(bin_dir, tmp_path, server, ROWS, "--insecure", cap=cap, patience=patience)
    play.check_sums(ROWS)
    for name, record in play.by_name.items():
        try:
            check_record(record, ROWS[name], None)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@pytest.mark.parametrize("table", ["framing", "ends", "one-piece"])
def test_tables(bin_dir, tmp_path, certificates, patience, table):
    """The tables over https have the same outcomes as over http."""
    backend, rows = TABLES[table]
    words = ["--extra-body", '{"stream": false}'] if table == "one-piece" else []
    with TlsServer({name: row.steps for name, row in rows.items()}, context_of(certificates.own)) as server:
        play = Play(bin_dir, tmp_path, server, rows, "--insecure", *words, backend=backend, patience=patience)
    play.check_sums(rows)
    for (name, record), text in zip(play.by_name.items(), play.flat["generated_texts"]):
        try:
            check_record(record, rows[name], text)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


def refused(bin_dir, folder, server, patience, *words, env=None):
    """Checks that only the health request was sent; returns the output."""
    play = Play(bin_dir, folder, server, ["plain"] * 3, *words, patience=patience, env=env)
    assert play.done.returncode == 3
    assert (play.result["status"], play.result["error"]["cause"]) == ("launch_failed", "unreachable")
    assert server.asked == {}
    return play.result["error"]["message"]


def test_server_that_wants_a_name(bin_dir, tmp_path, certificates, patience):
    """One address serves many hosts: the address alone selects none of them."""
    context = context_of(certificates.own)
    context.sni_callback = lambda _, name, __: None if name == "localhost" else ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
    with TlsServer({"plain": [ANSWER]}, context) as server:
        said = refused(bin_dir, tmp_path / "a", server, patience, "--insecure")
        assert "unrecognized name" in said and "host name in the address" in said
        play = Play(bin_dir, tmp_path / "b", Named(server), ["plain"] * 3, "--insecure", patience=patience)
    assert play.results["completed"] == 3


class Named:
    def __init__(self, server):
        self.url = f"https://localhost:{server.port}"


def test_server_that_wants_a_certificate(bin_dir, tmp_path, certificates, patience):
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = context_of(certificates.own, version)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certificates.authority[0])
        with TlsServer({"plain": [ANSWER]}, context) as server:
            said = refused(bin_dir, tmp_path / version.name, server, patience, "--insecure")
        assert "requires a client certificate" in said, said


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_server_of_long_ago(bin_dir, tmp_path, certificates, patience):
    """TLS 1.1 is not supported."""
    context = context_of(certificates.own)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with TlsServer({"plain": [ANSWER]}, context) as server:
        said = refused(bin_dir, tmp_path, server, patience, "--insecure")
    assert "no common TLS version" in said, said


@pytest.mark.parametrize("days, names, says", [
    (-1, "DNS:localhost,IP:127.0.0.1", "certificate has expired"),
    (2, "DNS:localhost", "the certificate is not valid for '127.0.0.1'"),
    (2, "IP:127.0.0.2", "the certificate is not valid for '127.0.0.1'")])
def test_invalid_certificates(bin_dir, tmp_path, certificates, tmp_path_factory, patience, days, names, says):
    folder = certificates.authority[0].parent
    pair = make_certificate(folder, f"odd{abs(hash((days, names)))}", names=names, days=days, signer="authority")
    with TlsServer({"plain": [ANSWER]}, context_of(pair)) as server:
        said = refused(bin_dir, tmp_path, server, patience, env={"SSL_CERT_FILE": str(certificates.authority[0])})
    assert f"certificate verify failed: {says}; use --insecure to accept it" in said


def test_server_that_is_silent_in_the_handshake(bin_dir, tmp_path, certificates, patience):
    """Within the run, the request fails by its own timeout, and records no response."""
    context = context_of(certificates.own)

    def wrap(plug):
        if server.asked:
            while plug.recv(65536):
                pass
            return None
        return context.wrap_socket(plug, server_side=True)

    with TlsServer({"plain": [ANSWER, CLOSE]}, context, wrap=wrap) as server:
        play = Play(bin_dir, tmp_path, server, ["plain"] * 3, "--insecure", "--request-timeout", "2s",
                    patience=patience)
    assert (play.results["completed"], play.results["failed"]) == (1, 2)
    (error,) = play.results["errors"]
    assert error["kind"] == "timeout" and error["sample"]
    late = [record for record in play.records if record["error"]]
    assert all(record["connected_ns"] is None and record["headers_ns"] is None for record in late)
