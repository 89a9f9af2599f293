"""Access to a dashboard: tokens of a file, the role of each route, and addresses other than the loopback."""
import contextlib
import hashlib
import http.client
import json
import re
import socket
import subprocess
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from access_tools import ROLES, Guarded, add_token, bearer, expire, revoke, token_command
from dashboard_tools import CONTRACT, Dashboard, little
from live_tools import send as send_live
from live_tools import snapshot
from run_tools import PATIENCE, environment
from wait_tools import wait_for

OPERATIONS = [(method.upper(), path, operation) for path, methods in CONTRACT["paths"].items() for method, operation in methods.items()]
WRONG = "profllm_" + "A" * 43


@pytest.fixture
def guarded(bin_dir, tmp_path):
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens") as one:
        yield one
        status, out, _ = one.stop()
        assert (status, out) == (0, "")


@pytest.fixture(scope="module")
def shared(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("access")
    with Guarded(bin_dir, folder / "d.db", folder / "tokens") as one:
        one.tokens |= {name: add_token(bin_dir, one.path, name, "--role", "admin") for name in ("expired", "revoked")}
        expire(one.path, "expired")
        revoke(bin_dir, one.path, "revoked")
        yield one
        status, out, err = one.stop()
        assert (status, out) == (0, "")
        assert not any(token in err for token in one.tokens.values())


# ---- every route ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=[f"{method} {path}" for method, path, _ in OPERATIONS])
def test_every_route_by_every_kind_of_token(shared, method, path, operation):
    """A refused request has a body that would be accepted or refused otherwise; an accepted one reaches the checks after
    that of access."""
    role = operation["x-role"]  # explicit, so that a new route is not open by chance
    assert role in ROLES
    target = re.sub(r"\{[^}]*\}", "1", path)
    for token in (None, "wrong", "expired", "revoked", "read", "write", "admin"):
        value = WRONG if token == "wrong" else token
        for one in (method, *(["HEAD"] if method == "GET" else [])):
            answer = shared.ask_as(value, one, target, b'{"a": 1}' if method in ("POST", "PUT", "PATCH") else None,
                                   {"Content-Type": "application/json"} if method in ("POST", "PUT", "PATCH") else {}, check=one != "HEAD")
            challenge = answer.headers["WWW-Authenticate"]
            if token is None and role == "none":
                assert answer.status in (200, 204) or (method, path) == ("POST", "/api/session") and answer.status == 422
            elif token is None:
                assert (answer.status, challenge) == (401, 'Bearer realm="profllm-dashboard"')
            elif token not in ROLES:
                assert (answer.status, challenge) == (401, 'Bearer realm="profllm-dashboard", error="invalid_token"')
            elif ROLES.index(token) < ROLES.index(role):
                assert (answer.status, challenge) == (403, f'Bearer realm="profllm-dashboard", error="insufficient_scope", scope="{role}"')
                assert one == "HEAD" or answer.json["detail"] == f"the token '{token}er' has the role '{token}', expected '{role}'"
            else:
                assert answer.status not in (401, 403, 429, 500) and challenge is None


def test_deletions_need_the_role_that_adds(shared):
    """Only an admin deletes results, and whatever an admin or the owner of the database adds, such as baselines."""
    roles = {path: operation["x-role"] for method, path, operation in OPERATIONS if method == "DELETE"}
    assert roles == {"/api/data/experiments/{id}": "admin", "/api/data/sweeps/{id}": "admin", "/api/analysis/watches/{id}": "admin",
                     "/api/baselines/{id}": "admin", "/api/annotations/{id}": "write", "/api/filters/presets/{id}": "write", "/api/session": "none"}
    assert shared.ask_as("write", "DELETE", "/api/baselines/1").status == 403
    assert shared.ask_as("admin", "DELETE", "/api/baselines/1").status == 404


def test_paths_without_a_route(shared):
    """They are not open either, so that an error does not describe the routes to others. The web UI is: it has no results."""
    for path in ("/api", "/api/", "/api/none", "/api/data/experiments/1/none"):
        assert shared.ask_as(None, "GET", path).status == 401
        assert shared.ask_as("read", "GET", path).status == 404
    assert shared.ask_as(None, "PATCH", "/api/fields").status == 401
    assert shared.ask_as("read", "PATCH", "/api/fields").status == 405
    assert shared.ask_as(None, "GET", "/metrics/x").status != 401  # a page


def test_nothing_is_used_before_the_check(shared):
    """A body of any size and form, an invalid query and a matching tag change nothing in the refusal."""
    before = shared.get("/api/health").json
    for path, body, headers in (("/api/upload/json", json.dumps(little(1)).encode(), {"Content-Type": "application/json"}),
                                ("/api/upload/raw?name=x", b"x" * (1 << 20), {"Content-Type": "text/plain", "Content-Encoding": "br"}),
                                ("/api/upload/jobs?none=1", b"{", {"Content-Type": "application/json"})):
        for token, status in ((None, 401), ("read", 403)):
            assert shared.ask_as(token, "POST", path, body, headers).status == status
    tag = shared.get("/api/fields").headers["ETag"]
    assert shared.ask_as("read", "GET", "/api/fields", headers={"If-None-Match": tag}).status == 304
    assert shared.ask_as(None, "GET", "/api/fields", headers={"If-None-Match": tag}).status == 401
    assert shared.ask_as(None, "GET", "/api/fields?none=1").status == 401
    assert shared.get("/api/health").json["total"] == before["total"]
    # a client that waits before its body need not send it
    with contextlib.closing(socket.create_connection(("127.0.0.1", int(shared.host.split(":")[1])), timeout=60)) as peer:
        peer.sendall(b"POST /api/upload/raw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
        assert peer.recv(100).startswith(b"HTTP/1.1 401 ")


def test_the_state_that_everybody_may_see(shared):
    assert shared.ask_as(None, "GET", "/api/health").json == {"status": "ok"}
    assert set(shared.ask_as("read", "GET", "/api/health").json) > {"status", "version", "total", "data_version"}


def test_other_forms_of_a_token(shared):
    """Authorization has one token; a part, an addition or another scheme is none."""
    good = shared.tokens["read"]
    for value in (f"bearer {good}", f"BEARER   {good}"):
        assert shared.ask_as(None, "GET", "/api/fields", headers={"Authorization": value}).status == 200
    for value in (good, f"Basic {good}", f"Bearer {good[:-1]}", f"Bearer {good}x", f"Bearer {good} x", "Bearer", "Bearer ", "",
                  f"Bearer {good.swapcase()}", f"Bearer {good},{good}", "Bearer " + "x" * 10000, "Bearer \xff"):
        assert shared.ask_as(None, "GET", "/api/fields", headers={"Authorization": value}).status == 401, value
    connection = shared.connect_from_elsewhere()
    connection.putrequest("GET", "/api/fields")
    connection.putheader("Authorization", f"Bearer {good}")
    connection.putheader("Authorization", f"Bearer {WRONG}")
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()
    for where in (f"/api/fields?token={good}", f"/api/fields?access_token={good}"):
        assert shared.ask_as(None, "GET", where).status == 401


def test_a_forged_host_or_origin(shared):
    """A valid token does not open the way for pages of other sites."""
    for host in ("example.com", "10.0.0.1", "localhost.example.com", "[::2]"):
        assert shared.ask_as("admin", "GET", "/api/fields", headers={"Host": host}).status == 403
    for headers in ({"Origin": "http://example.com"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        answer = shared.post_as("admin", "/api/annotations", {"version": "1", "text": "t"}, **headers)
        assert answer.status == 403


# ---- the file while the server runs --------------------------------------------------------------


def test_changes_of_the_file(bin_dir, guarded):
    """Every change counts for the next request, and no user has access while the file cannot be read."""
    path = guarded.path
    late = add_token(bin_dir, path, "late", "--role", "write")
    assert guarded.ask_as(late, "GET", "/api/fields").status == 200
    revoke(bin_dir, path, "late")
    assert guarded.ask_as(late, "GET", "/api/fields").status == 401
    again = add_token(bin_dir, path, "late", "--role", "write")
    assert guarded.ask_as(late, "GET", "/api/fields").status == 401
    assert guarded.ask_as(again, "GET", "/api/fields").status == 200
    text = path.read_text()
    for number in range(20):  # in place, with the same size and within the same tick of the clock
        path.write_text(text.replace("late write", "late admin"))
        assert guarded.ask_as(again, "PUT", "/api/prices").status == 415, number
        path.write_text(text)
        assert guarded.ask_as(again, "PUT", "/api/prices").status == 403, number
    for spoil in (lambda: path.write_text("late root never 0\n"), lambda: path.chmod(0o644), path.unlink):
        spoil()
        for token in ("admin", again):
            answer = guarded.ask_as(token, "GET", "/api/fields")
            assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
            assert str(path) not in answer.body.decode()
        assert guarded.ask_as(None, "GET", "/api/fields").status == 401
        path.write_text(text)
        path.chmod(0o600)
        assert guarded.ask_as(again, "GET", "/api/fields").status == 200
    status, _, err = guarded.stop()
    assert status == 0
    assert f"--token-file: {path}:1: role: found 'root', expected read, write or admin; requests are refused until it can be read" in err
    assert err.count("requests are refused") == 3 and err.count("was read again") == 3


def test_a_token_that_expires(bin_dir, guarded):
    short = add_token(bin_dir, guarded.path, "short", "--role", "read", "--expires-in", "2s")
    assert guarded.ask_as(short, "GET", "/api/fields").status == 200
    wait_for(lambda: guarded.ask_as(short, "GET", "/api/fields").status == 401, "it has expired")
    assert guarded.ask_as(short, "GET", "/api/fields").json["detail"] == "the token has expired"


@pytest.mark.parametrize("end", [lambda bin_dir, path: revoke(bin_dir, path, "r"), lambda _, path: expire(path, "r")], ids=["revoked", "expired"])
def test_a_stream_ends_with_its_token(bin_dir, guarded, end):
    """Revoking, or an earlier expiry in the file, ends an open stream of live results, which may be silent."""
    reader = add_token(bin_dir, guarded.path, "r", "--role", "read")
    send_live(guarded, "run-1")
    connection = guarded.connect_from_elsewhere()
    connection.request("GET", "/api/live/run-1", headers={**bearer(reader), "Accept": "text/event-stream"})
    reply = connection.getresponse()
    assert reply.status == 200 and reply.readline()
    end(bin_dir, guarded.path)
    began = time.monotonic()
    with contextlib.suppress(http.client.IncompleteRead, ConnectionResetError):
        while reply.read1():
            pass
    assert time.monotonic() - began < 10 * PATIENCE
    connection.close()


@pytest.mark.parametrize("method, path, media, body", [
    ("POST", "/api/annotations", "application/json", b'{"version": "1", "text": "late"}'),
    ("POST", "/api/upload/raw?name=x", "text/plain", b"late"),
    ("PUT", "/api/upload/artifact/small-1/server_log/log", "text/plain", b"late"),
])
def test_a_body_that_ends_after_its_token(bin_dir, guarded, method, path, media, body):
    """A client that was sending when its token was revoked changes nothing."""
    guarded.upload("/api/upload/json", little(1))
    late = add_token(bin_dir, guarded.path, "late", "--role", "write")
    with contextlib.closing(guarded.connect_from_elsewhere()) as connection:
        connection.putrequest(method, path)
        for name, value in {**bearer(late), "Content-Type": media, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        if "artifact" in path:
            connection.putheader("X-Content-SHA256", hashlib.sha256(body).hexdigest())
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        assert connection.sock.recv(100).startswith(b"HTTP/1.1 100 ")  # the token was checked
        connection.send(body[:2])
        revoke(bin_dir, guarded.path, "late")
        connection.send(body[2:])
        answer = connection.getresponse()
        assert answer.status == 401
        assert json.loads(answer.read())["detail"] == "the token has expired or was revoked during the request"
    assert guarded.get("/api/annotations").json["annotations"] == []
    assert len(guarded.get("/api/upload/jobs").json["jobs"]) == 1
    assert guarded.get("/api/data/experiments/1/artifacts").json["artifacts"] == []
    assert "user=late role=write" in guarded.stop()[2]


def test_an_empty_body_that_ends_after_its_token(bin_dir, guarded):
    note = guarded.post("/api/annotations", {"version": "1", "text": "t"}).json["id"]
    late = add_token(bin_dir, guarded.path, "late", "--role", "write")
    with contextlib.closing(guarded.connect_from_elsewhere()) as connection:
        connection.connect()
        connection.sock.sendall(f"DELETE /api/annotations/{note} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {late}\r\n"
                                "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n".encode())
        assert connection.sock.recv(100).startswith(b"HTTP/1.1 100 ")
        revoke(bin_dir, guarded.path, "late")
        connection.sock.sendall(b"0\r\n\r\n")
        assert connection.sock.recv(100).startswith(b"HTTP/1.1 401 ")
    assert len(guarded.get("/api/annotations").json["annotations"]) == 1


# ---- failures ------------------------------------------------------------------------------------


def test_failures_are_limited_per_address(guarded):
    connection = guarded.connect_from_elsewhere()
    ask = lambda token: guarded.ask("GET", "/api/fields", headers=bearer(token), connection=connection)  # noqa: E731
    statuses = [ask(WRONG).status for _ in range(14)]
    assert statuses[:10] == [401] * 10 and statuses[10:].count(429) >= 3
    late = ask(WRONG)
    assert late.status in (401, 429)
    # others with the same address are not locked out, and other addresses may fail
    assert ask(guarded.tokens["read"]).status == 200
    assert guarded.ask_as(WRONG, "GET", "/api/fields").status == 401
    connection.close()


def test_the_audit_log(guarded):
    note = guarded.post_as("write", "/api/annotations", {"version": "1", "text": "secret text"}).json
    guarded.ask_as("read", "DELETE", f"/api/annotations/{note['id']}?x=secret")
    guarded.ask_as("read", "GET", "/api/fields")
    guarded.ask_as(None, "GET", "/api/fields")
    guarded.ask_as(WRONG, "GET", "/api/fields?x=secret")
    send_live(guarded, "run-1")
    status, _, err = guarded.stop()
    assert status == 0
    lines = [re.sub(r"^profllm-dashboard: audit: \d{4}-\d\d-\d\dT[\d:.]+Z (.*) from=127\.0\.\d+\.\d+:\d+ id=[0-9a-f]{16} ", r"\1 ", line)
             for line in err.splitlines() if ": audit: " in line]
    # a line is written when its response was sent, so those of several connections may change places
    assert sorted(lines) == ["user=- role=none status=401 GET /api/fields",
                             f"user=reader role=read status=403 DELETE /api/annotations/{note['id']}",
                             "user=writeer role=write status=201 POST /api/annotations"]
    assert "secret" not in err and not any(token[8:] in err for token in [*guarded.tokens.values(), WRONG])


def test_no_disconnection_hides_from_the_audit_log(guarded):
    """A change is executed although its client has disconnected, so it has a line."""
    count, body = 8, b'{"version": "1", "text": "x"}'
    for _ in range(count):
        with contextlib.closing(guarded.connect_from_elsewhere()) as connection:
            connection.connect()
            connection.sock.sendall(b"POST /api/annotations HTTP/1.1\r\nHost: " + guarded.host.encode() + b"\r\nAuthorization: Bearer "
                                    + guarded.tokens["write"].encode() + b"\r\nContent-Type: application/json\r\nContent-Length: "
                                    + str(len(body)).encode() + b"\r\n\r\n" + body)
    wait_for(lambda: len(guarded.get("/api/annotations").json["annotations"]) == count, "all changes")
    lines = [line for line in guarded.stop()[2].splitlines() if ": audit: " in line]
    assert len(lines) == count and all(" user=writeer " in line and line.endswith(" status=201 POST /api/annotations") for line in lines), lines


@pytest.mark.parametrize("kind", ["text", "json"])
def test_no_method_hides_from_the_audit_log(bin_dir, tmp_path, kind):
    """A client may send any bytes as the method. They neither remove the members of a line nor change a terminal."""
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens", "--log-format", kind) as one:
        for method in (b"G\xffT", b"G\x1b[2JT", b"M" * 2000):
            with contextlib.closing(one.connect_from_elsewhere()) as connection:
                connection.connect()
                connection.sock.sendall(method + b" /api/fields HTTP/1.1\r\nHost: " + one.host.encode() + b"\r\nConnection: close\r\nAuthorization: Bearer "
                                        + WRONG.encode() + b"\r\n\r\n")
                assert connection.sock.makefile("rb").read().startswith(b"HTTP/1.1 401 ")
        lines = [line for line in one.stop()[2].splitlines() if "audit" in line]
    assert len(lines) == 3 and all("status=401" in line if kind == "text" else json.loads(line)["status"] == 401 for line in lines), lines
    assert all("127.0." in line and line.isprintable() for line in lines), lines
    assert kind == "json" or max(map(len, lines)) < 400


# ---- data of others ------------------------------------------------------------------------------


def test_an_upload_of_another_user(guarded):
    """Only its author and admins close and cancel it."""
    guarded.tokens["other"] = add_token(guarded.bin_dir, guarded.path, "other", "--role", "write")
    one, two = (guarded.post_as("write", "/api/upload/jobs", {"name": "mine"}).json["job_id"] for _ in range(2))
    for change in ("close", "cancel"):
        answer = guarded.ask_as("other", "POST", f"/api/upload/jobs/{one}/{change}")
        assert (answer.status, answer.json["detail"]) == (403, f"upload '{one}' belongs to another user")
        assert guarded.get(f"/api/upload/status/{one}").json["state"] == "open"
    assert guarded.post_as("write", f"/api/upload/json?job_id={one}", little()).status == 202
    assert guarded.ask_as("write", "POST", f"/api/upload/jobs/{one}/close").status == 200
    assert guarded.ask_as("admin", "POST", f"/api/upload/jobs/{two}/cancel").json["state"] == "cancelled"


def test_a_run_of_another_user(guarded):
    """A snapshot of another user would hide those of the run itself."""
    guarded.tokens["other"] = add_token(guarded.bin_dir, guarded.path, "other", "--role", "write")
    assert guarded.post_as("write", "/api/live/run-1", snapshot("run-1", 1, requests={"done": 5})).status == 204
    answer = guarded.post_as("other", "/api/live/run-1", snapshot("run-1", 1000, requests={"done": 7}))
    assert (answer.status, answer.json["detail"]) == (403, "run 'run-1' is reported by another user")
    assert guarded.post_as("write", "/api/live/run-1", snapshot("run-1", 2, requests={"done": 6})).status == 204
    assert guarded.get("/api/live/run-1").json["requests"]["done"] == 6


# ---- sessions ------------------------------------------------------------------------------------


def sign_in(guarded, token, **headers):
    answer = guarded.post_as(None, "/api/session", {"token": guarded.tokens.get(token, token)}, **headers)
    assert answer.status == 201, answer.body
    return answer


def cookie_of(answer):
    return answer.headers["Set-Cookie"].split(";")[0]


def test_a_session_of_a_browser(bin_dir, guarded):
    """A cookie stands for the token until the user signs out, and has nothing of it."""
    assert guarded.ask_as(None, "GET", "/api/session").json == {"required": True, "tokens": True, "user": None}
    answer = sign_in(guarded, "write")
    assert answer.json["required"] and (answer.json["user"]["name"], answer.json["user"]["role"]) == ("writeer", "write")
    ends = datetime.fromisoformat(answer.json["user"]["expires_at"])  # the session, not the token
    assert timedelta(hours=11) < ends - datetime.now(timezone.utc) <= timedelta(hours=12)
    assert re.fullmatch(r"profllm_session_[0-9a-f]{8}=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200", answer.headers["Set-Cookie"])
    assert answer.headers["Cache-Control"] == "no-store" and guarded.tokens["write"] not in answer.headers["Set-Cookie"]
    cookie = {"Cookie": f"other=1; {cookie_of(answer)}; more=2"}
    assert guarded.ask_as(None, "GET", "/api/session", headers=cookie).json["user"]["name"] == "writeer"
    assert guarded.ask_as(None, "GET", "/api/fields", headers=cookie).status == 200
    note = guarded.post_as(None, "/api/annotations", {"version": "1", "text": "t"}, **cookie)
    assert note.status == 201 and note.json["author"] == "writeer"
    assert guarded.ask_as(None, "PUT", "/api/prices", b"{}", {**cookie, "Content-Type": "application/json"}).status == 403
    # a page of another site cannot use it, even if a browser sent it
    for headers in ({"Origin": "http://example.com"}, {"Sec-Fetch-Site": "cross-site"}):
        assert guarded.post_as(None, "/api/annotations", {"version": "1", "text": "t"}, **cookie, **headers).status == 403
    # a token in Authorization counts instead of it
    assert guarded.ask_as("admin", "GET", "/api/session", headers=cookie).json["user"]["name"] == "adminer"
    assert guarded.ask_as(WRONG, "GET", "/api/fields", headers=cookie).status == 401
    gone = guarded.ask_as(None, "DELETE", "/api/session", headers=cookie)
    assert gone.status == 204 and "Max-Age=0" in gone.headers["Set-Cookie"]
    assert guarded.ask_as(None, "GET", "/api/fields", headers=cookie).status == 401
    assert guarded.ask_as(None, "DELETE", "/api/session").status == 204
    secure = sign_in(guarded, "read", Origin=f"https://{guarded.host}")
    assert secure.headers["Set-Cookie"].endswith("; Secure")


def test_sessions_end_with_their_token(bin_dir, guarded):
    tokens = {name: add_token(bin_dir, guarded.path, name, "--role", "read") for name in ("gone", "old", "changed", "again")}
    cookies = {name: {"Cookie": cookie_of(sign_in(guarded, token))} for name, token in tokens.items()}
    assert all(guarded.ask_as(None, "GET", "/api/fields", headers=one).status == 200 for one in cookies.values())
    revoke(bin_dir, guarded.path, "gone")
    expire(guarded.path, "old")
    revoke(bin_dir, guarded.path, "again")
    add_token(bin_dir, guarded.path, "again", "--role", "admin")
    text = guarded.path.read_text()
    guarded.path.write_text(text.replace("changed read", "changed write"))
    for name, cookie in cookies.items():
        assert guarded.ask_as(None, "GET", "/api/fields", headers=cookie).status == 401, name
        assert guarded.ask_as(None, "GET", "/api/session", headers=cookie).json["user"] is None
    cookie = {"Cookie": cookie_of(sign_in(guarded, "read"))}
    guarded.path.chmod(0o644)
    assert guarded.ask_as(None, "GET", "/api/fields", headers=cookie).status == 503
    guarded.path.chmod(0o600)
    assert guarded.ask_as(None, "GET", "/api/fields", headers=cookie).status == 200


def test_invented_cookies(guarded):
    name = cookie_of(sign_in(guarded, "read")).split("=")[0]
    for value in ("", "0" * 64, "x", f"{'0' * 64}; {name}={'1' * 64}", "A" * 5_000, '"'):
        # 400, 431: the HTTP library refuses it
        assert guarded.ask_as(None, "GET", "/api/fields", headers={"Cookie": f"{name}={value}"}, check=False).status in (400, 401, 431), value
    assert guarded.ask_as(None, "GET", "/api/fields", headers={"Cookie": name}).status == 401


def test_the_sessions_of_a_user_have_a_limit(guarded):
    cookies = [{"Cookie": cookie_of(sign_in(guarded, "read"))} for _ in range(25)]
    statuses = [guarded.ask_as(None, "GET", "/api/fields", headers=one).status for one in cookies]
    assert statuses == [401] * 5 + [200] * 20


def test_attempts_to_sign_in_are_limited(guarded):
    """Behind a proxy all users have one address, so a client without a token cannot keep the others out, nor fill the log."""
    connection = guarded.connect_from_elsewhere()

    def attempt(token):
        return super(Guarded, guarded).ask("POST", "/api/session", json.dumps({"token": token}).encode(), {"Content-Type": "application/json"}, connection)

    assert [attempt(WRONG).status for _ in range(10)] == [401] * 10
    answer = attempt(WRONG)
    assert answer.status == 429 and 1 <= int(answer.headers["Retry-After"]) <= 6 and "Set-Cookie" not in answer.headers
    for _ in range(20):
        assert attempt("x" * 300).status == 422
        assert super(Guarded, guarded).ask("DELETE", "/api/session", None, {}, connection).status == 204
    signed_in = attempt(guarded.tokens["read"])
    assert signed_in.status == 201 and "Set-Cookie" in signed_in.headers
    connection.close()
    status, _, err = guarded.stop()
    assert status == 0 and err.count("status=401 POST /api/session") == 10
    assert err.count("audit: ") == 11 and err.count("user=reader role=none") == 1
    assert WRONG not in err and guarded.tokens["read"] not in err


def test_sessions_without_tokens(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        assert one.get("/api/session").json == {"required": False, "tokens": False, "user": None}
        assert one.post("/api/session", {"token": WRONG}).status == 409
        assert one.ask("DELETE", "/api/session").status == 204
        assert one.stop() == (0, "", "")


# ---- authors -------------------------------------------------------------------------------------


def test_the_author_is_the_user(guarded):
    """Whatever a client names as the author, a change has the name of its token."""
    job = guarded.ask_as("write", "POST", "/api/upload/json?author=mallory", json.dumps(little(1)).encode(), {"Content-Type": "application/json"})
    guarded.job(job)
    assert guarded.post_as("write", "/api/annotations", {"version": "1", "text": "t", "author": "mallory"}).json["author"] == "writeer"
    assert guarded.post_as("write", "/api/annotations", {"version": "1", "text": "t"}).json["author"] == "writeer"
    note = guarded.get("/api/annotations").json["annotations"][0]
    changed = guarded.ask_as("admin", "PATCH", f"/api/annotations/{note['id']}", b'{"text": "u"}', {"Content-Type": "application/json"})
    assert changed.json["author"] == "adminer"
    assert guarded.post_as("admin", "/api/analysis/watches", {"name": "w", "question": {}, "author": None}).json["author"] == "adminer"
    guarded.ask_as("write", "PATCH", "/api/data/experiments/1", b'{"notes": "n", "author": "mallory"}', {"Content-Type": "application/json"})
    guarded.ask_as("admin", "DELETE", "/api/data/experiments/1?author=mallory")
    guarded.ask_as("admin", "POST", "/api/data/experiments/1/restore")
    authors = [change["author"] for change in guarded.get("/api/data/experiments/1/changes").json["changes"]]
    assert authors == ["adminer", "adminer", "writeer"]
    # the parts of an upload have the author of the upload
    opened = guarded.post_as("write", "/api/upload/jobs", {"name": "n", "author": "mallory"}).json
    part = guarded.ask_as("write", "POST", f"/api/upload/json?job_id={opened['job_id']}", json.dumps(little(2)).encode(),
                          {"Content-Type": "application/json"})
    assert part.status == 202, part.body


# ---- addresses -----------------------------------------------------------------------------------


def serve(bin_dir, folder, *words):
    return subprocess.run([bin_dir / "profllm-dashboard", "serve", "--db", folder / "x.db", "--port", "0", *words], capture_output=True, text=True,
                          env=environment(), timeout=60 * PATIENCE, stdin=subprocess.DEVNULL)


def test_other_addresses_need_tokens(bin_dir, tmp_path):
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        done = serve(bin_dir, tmp_path, "--host", host)
        assert done.returncode == 2 and done.stdout == ""
        assert "expected a loopback address (127.0.0.1, ::1, localhost); use --token-file to listen on others" in done.stderr
    assert not (tmp_path / "x.db").exists()
    path = tmp_path / "tokens"
    with Guarded(bin_dir, tmp_path / "d.db", path, "--host", "0.0.0.0", "--allow-host", "bench.example.org") as one:
        one.host = one.host.replace("0.0.0.0", "127.0.0.1")
        for host, status in (("bench.example.org", 200), ("BENCH.example.org:8421", 200), ("10.1.2.3:80", 200), ("[2001:db8::1]", 200), ("localhost", 200),
                             ("example.org", 403), ("a.bench.example.org", 403), ("bench.example.org.", 403), ("bench.example.org:x", 403),
                             ("[::1]x", 403), ("[10.1.2.3]", 403), ("1.2.3", 403)):
            assert one.ask_as("read", "GET", "/api/fields", headers={"Host": host}).status == status, host
            assert one.ask_as(None, "GET", "/api/fields", headers={"Host": host}).status == (401 if status == 200 else 403), host
        status, _, err = one.stop()
        assert status == 0 and "tokens and results are sent to other hosts unencrypted; use --tls-cert, or a proxy with TLS" in err
        assert f"every request needs a token of '{path}'" in err
    with Dashboard(bin_dir, tmp_path / "e.db", "--host", "0.0.0.0", "--insecure-listen") as one:
        one.host = one.host.replace("0.0.0.0", "127.0.0.1")
        assert one.get("/api/fields").status == 200
        assert one.stop()[2] == ("profllm-dashboard: warning: every host that reaches this address can read, add and delete results; "
                                 "use --token-file\n")


def test_a_file_that_cannot_be_used_at_start(bin_dir, tmp_path):
    path = tmp_path / "tokens"
    done = serve(bin_dir, tmp_path, "--token-file", path)
    assert done.returncode == 2 and f"--token-file: could not open '{path}'" in done.stderr
    path.write_text("")
    path.chmod(0o640)
    done = serve(bin_dir, tmp_path, "--token-file", path)
    assert done.returncode == 2 and f"--token-file: '{path}': found mode 0640, expected 0600; run 'chmod 600'" in done.stderr
    done = serve(bin_dir, tmp_path, "--allow-host", "a:1")
    assert done.returncode == 2 and "--allow-host: found 'a:1', expected a host name without a port" in done.stderr
    assert not (tmp_path / "x.db").exists()


def test_a_process_that_shows_nothing(guarded):
    """It leaves no core file, and its command line and environment have no token."""
    folder = Path(f"/proc/{guarded.process.pid}")
    assert re.search(r"Max core file size +[01] ", (folder / "limits").read_text())
    shown = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
    assert b"--token-file" in shown and not any(token.encode() in shown for token in guarded.tokens.values())


# ---- the commands --------------------------------------------------------------------------------


def test_the_token_command(bin_dir, tmp_path):
    path = tmp_path / "tokens"
    token = add_token(bin_dir, path, "alice", "--role", "write", "--expires-in", "30d")
    add_token(bin_dir, path, "ci@lab", "--never-expires")
    assert path.stat().st_mode & 0o777 == 0o600 and token not in path.read_text()
    listed = json.loads(token_command(bin_dir, "list", "--token-file", path, "--json").stdout)
    assert [(one["name"], one["role"], one["expired"]) for one in listed] == [("alice", "write", False), ("ci@lab", "read", False)]
    assert listed[1]["expires_at"] is None and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", listed[0]["expires_at"])
    out = token_command(bin_dir, "list", "--token-file", path).stdout
    assert re.fullmatch(r"alice  write  \S+Z\nci@lab  read  never\n", out)
    again = token_command(bin_dir, "add", "alice", "--token-file", path)
    assert again.returncode == 5 and again.stdout == "" and "has a token named 'alice'; revoke it first" in again.stderr
    for words, message in ((["add", "--token-file", path], "add: found 0 names, expected one"), (["list"], "--token-file FILE is missing"),
                           (["steal", "--token-file", path], "found 'steal', expected add, list or revoke"),
                           (["add", "a b", "--token-file", path], "found the name 'a b'"), (["revoke", "bob", "--token-file", path], "has no token named 'bob'"),
                           (["add", "bob", "--role", "root", "--token-file", path], "--role"),
                           (["add", "bob", "--expires-in", "0s", "--token-file", path], "--expires-in: found less than 1s")):
        done = token_command(bin_dir, *words)
        assert done.returncode == 2 and done.stdout == "" and message in done.stderr, done.stderr
    revoke(bin_dir, path, "alice")
    assert "alice" not in path.read_text() and "ci@lab" in path.read_text()


def test_writers_at_the_same_time(bin_dir, tmp_path):
    path, link = tmp_path / "tokens", tmp_path / "link"
    token_command(bin_dir, "add", "first", "--token-file", path)
    revoke(bin_dir, path, "first")
    link.symlink_to(path)  # another name of the same file
    started = [subprocess.Popen([bin_dir / "profllm-dashboard", "token", "add", f"u{number}", "--token-file", path if number % 2 else link],
                                stdout=subprocess.PIPE, text=True, env=environment()) for number in range(20)]
    tokens = {process.communicate(timeout=60 * PATIENCE)[0] for process in started}
    assert len(tokens) == 20 and all(process.returncode == 0 for process in started)
    assert len(json.loads(token_command(bin_dir, "list", "--token-file", path, "--json").stdout)) == 20


def test_a_refused_file_leaves_no_lock(bin_dir, tmp_path):
    """A lock file of root would prevent the owner of the tokens from changing them."""
    path = tmp_path / "tokens"
    for spoil in (lambda: path.write_text("a root never 0\n"), lambda: path.chmod(0o644), lambda: (path.unlink(), path.mkdir())):
        spoil()
        for verb in ("add", "revoke"):
            assert token_command(bin_dir, verb, "a", "--token-file", path).returncode == 2
        assert [one.name for one in tmp_path.iterdir()] == ["tokens"]


def test_a_token_that_nobody_could_read(bin_dir, tmp_path):
    path = tmp_path / "tokens"
    program = f"'{bin_dir / 'profllm-dashboard'}' token add lost --token-file '{path}'"
    for words in (f"{program} > /dev/full", f"{program} >&-", f"( sleep 0.1; {program} ) | true; exit ${{PIPESTATUS[0]}}"):
        done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, env=environment(), timeout=60 * PATIENCE)
        assert done.returncode == 2 and "the token was not printed, and was revoked" in done.stderr, words
        assert "lost" not in path.read_text(), words


def test_an_upload_with_a_token(bin_dir, tmp_path, guarded):
    (tmp_path / "r.json").write_text(json.dumps(little(1)))
    for role, status, message in (("write", 0, ""), ("read", 2, "expected 'write'"), ("wrong", 2, "the token is unknown or was revoked")):
        own = tmp_path / f"{role}.token"
        own.write_text(guarded.tokens.get(role, WRONG) + "\n")
        done = subprocess.run([bin_dir / "profllm", "upload", "--to", guarded.url, "--token-file", own, tmp_path / "r.json"], capture_output=True, text=True,
                              env=environment(), timeout=60 * PATIENCE)
        assert done.returncode == status and message in done.stdout + done.stderr, (done.returncode, done.stdout, done.stderr)
        assert own.read_text().strip() not in done.stderr + done.stdout


def test_a_part_of_the_upload_of_another_user(bin_dir, guarded):
    """It would be stored with the other user as its author."""
    mallory = add_token(bin_dir, guarded.path, "mallory", "--role", "write")
    job = guarded.post_as("write", "/api/upload/jobs", {"name": "n"}).json["job_id"]
    refused = guarded.post_as(mallory, f"/api/upload/json?job_id={job}", little(1))
    assert (refused.status, refused.json["detail"]) == (403, f"upload '{job}' belongs to another user")
    assert guarded.post_as("write", f"/api/upload/json?job_id={job}", little(2)).status == 202
    assert guarded.ask_as("write", "POST", f"/api/upload/jobs/{job}/close").status == 200
    assert guarded.done(f"/api/upload/status/{job}")["counts"]["stored"] == 1
