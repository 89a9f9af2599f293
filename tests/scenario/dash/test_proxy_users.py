"""Users that a trusted proxy has authenticated (--auth-header), and what else a trusted proxy may say."""
import contextlib
import http.client
import json
import re
import subprocess

import pytest
from access_tools import ROLES, Guarded, add_token, bearer
from dashboard_tools import CONTRACT, Dashboard, little
from live_tools import send as send_live
from run_tools import PATIENCE, environment

PROXY, OTHER = "127.0.77.1", "127.0.78.1"  # only the first one is trusted
OPTIONS = ["--trusted-proxy", "127.0.77.0/24", "--auth-header", "X-Forwarded-User", "--auth-groups-header", "X-Forwarded-Groups",
           "--role-of", "dev=read", "--role-of", "bench=write", "--role-of", "ops=admin"]
GROUPS = {"read": "dev", "write": "dev,bench", "admin": "ops, other"}


def ask(one, peer, method, path, body=None, headers=None, **more):
    host, port = one.host.rsplit(":", 1)
    with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=60 * PATIENCE, source_address=(peer, 0))) as connection:
        return Dashboard.ask(one, method, path, body, headers or {}, connection, **more)


def named(user, groups):
    return {"X-Forwarded-User": user, "X-Forwarded-Groups": groups}


def as_role(role):
    return named(f"{role}.user@example.org", GROUPS[role])


def post(one, peer, path, value, headers):
    return ask(one, peer, "POST", path, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})


@pytest.fixture
def proxied(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db", *OPTIONS) as one:
        yield one
        status, out, _ = one.stop()
        assert (status, out) == (0, "")


@pytest.fixture
def both(bin_dir, tmp_path):
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens", *OPTIONS) as one:
        yield one
        status, out, _ = one.stop()
        assert (status, out) == (0, "")


# ---- users ---------------------------------------------------------------------------------------


def test_every_route_by_every_role(proxied):
    for path, methods in CONTRACT["paths"].items():
        for method, operation in methods.items():
            role, target = operation["x-role"], re.sub(r"\{[^}]*\}", "1", path)
            has_body = method in ("post", "put", "patch")
            body, headers = (b'{"a": 1}', {"Content-Type": "application/json"}) if has_body else (None, {})
            for user in ROLES[1:]:
                answer = ask(proxied, PROXY, method.upper(), target, body, {**headers, **as_role(user)})
                if ROLES.index(user) < ROLES.index(role):
                    assert answer.status == 403, (method, path, user)
                    assert answer.json["detail"] == f"the user '{user}.user@example.org' has the role '{user}', expected '{role}'"
                else:
                    assert answer.status not in (401, 403, 429, 500), (method, path, user)
            if role != "none":  # the header of another address is no user, nor is no header
                for peer, forged in ((OTHER, as_role("admin")), (PROXY, {}), (PROXY, named("", "ops"))):
                    answer = ask(proxied, peer, method.upper(), target, body, {**headers, **forged})
                    assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, 'Bearer realm="profllm-dashboard"'), (method, path)
                    assert "no trusted proxy has named a user" in answer.json["detail"]


def test_groups_and_names(proxied):
    for headers, status, detail in ((named("bob", "qa, x"), 403, "the user 'bob' has no group with a role; its groups are 'qa, x'"),
                                    ({"X-Forwarded-User": "bob"}, 403, "the user 'bob' has no group with a role; its groups are ''"),
                                    (named("bob smith", "ops"), 403, "X-Forwarded-User: found 'bob smith', expected 1 to 64 letters"),
                                    (named("x" * 65, "ops"), 403, "expected 1 to 64 letters"), (named("../x", "ops"), 403, "expected 1 to 64 letters"),
                                    (named("bob", "DEV"), 403, "has no group with a role")):
        for path in ("/api/fields", "/api/session"):
            answer = ask(proxied, PROXY, "GET", path, headers=headers)
            assert answer.status == status and detail in answer.json["detail"], (headers, answer.body)
    host, port = proxied.host.rsplit(":", 1)
    for name in ("X-Forwarded-User", "X-Forwarded-Groups", "X-Forwarded-For", "X-Forwarded-Proto"):
        with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=60 * PATIENCE, source_address=(PROXY, 0))) as connection:
            connection.putrequest("GET", "/api/fields")
            for key, value in {**as_role("read"), "X-Forwarded-For": "6.6.6.6", "X-Forwarded-Proto": "http"}.items():
                connection.putheader(key, value)
            connection.putheader(name.lower(), "ops")
            connection.endheaders()
            reply = connection.getresponse()
            assert reply.status == 400 and json.loads(reply.read())["detail"] == f"{name}: found 2 headers, expected at most one"
    shown = ask(proxied, PROXY, "GET", "/api/session", headers=as_role("write")).json
    assert (shown["required"], shown["tokens"], shown["user"]["name"], shown["user"]["role"], shown["user"]["source"]) == (
        True, False, "write.user@example.org", "write", "proxy")
    assert ask(proxied, OTHER, "GET", "/api/session", headers=as_role("write")).json == {"required": True, "tokens": False, "user": None}
    assert ask(proxied, OTHER, "GET", "/api/health", headers=as_role("write")).json == {"status": "ok"}
    assert post(proxied, PROXY, "/api/session", {"token": "profllm_" + "A" * 43}, as_role("read")).status == 409
    err = proxied.stop()[2]
    assert "user=bob role=none" in err  # in the audit log
    assert err.count("X-Forwarded-User from 127.0.78.1:") == 1 and "was ignored, because it is not a --trusted-proxy" in err  # once per minute


def test_every_user_has_a_role(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db", "--trusted-proxy", PROXY, "--auth-header", "Remote-User", "--role-of", "*=read") as one:
        assert ask(one, PROXY, "GET", "/api/session", headers={"Remote-User": "carol"}).json["user"]["role"] == "read"
        assert ask(one, PROXY, "GET", "/api/session", headers={"X-Forwarded-User": "carol"}).json["user"] is None


def test_the_author_is_the_user(proxied):
    note = post(proxied, PROXY, "/api/annotations", {"version": "1", "text": "t", "author": "mallory"}, as_role("write")).json
    assert note["author"] == "write.user@example.org"


def test_pages_of_other_sites_change_nothing(proxied):
    """The proxy authenticates what a browser sends, whichever page made it."""
    note = {"version": "1", "text": "t"}
    for headers in ({"Origin": "http://example.com"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}, {"Host": "example.com"}):
        assert post(proxied, PROXY, "/api/annotations", note, {**as_role("admin"), **headers}).status == 403
    assert ask(proxied, PROXY, "GET", "/api/annotations", headers=as_role("read")).json["annotations"] == []


def test_a_stream(proxied):
    send_live_headers = as_role("write")
    proxied.ask = lambda method, path, body=None, headers=None, **more: ask(proxied, PROXY, method, path, body, {**send_live_headers, **(headers or {})}, **more)
    send_live(proxied, "run-1")
    host, port = proxied.host.rsplit(":", 1)
    with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=60 * PATIENCE, source_address=(PROXY, 0))) as connection:
        connection.request("GET", "/api/live/run-1", headers={**as_role("read"), "Accept": "text/event-stream"})
        reply = connection.getresponse()
        assert reply.status == 200 and reply.readline()


# ---- tokens next to it ---------------------------------------------------------------------------


def test_tokens_and_sessions_next_to_a_proxy(bin_dir, both):
    """A token counts from any address, also through the proxy; a token of the proxy does not."""
    for peer in (PROXY, OTHER):
        shown = ask(both, peer, "GET", "/api/session", headers={**as_role("admin"), **bearer(both.tokens["read"])}).json
        assert (shown["user"]["name"], shown["user"]["source"], shown["tokens"]) == ("reader", "token", True)
        assert ask(both, peer, "GET", "/api/fields", headers={**as_role("admin"), **bearer("profllm_" + "A" * 43)}).status == 401
    own = {**as_role("write"), "Authorization": "Bearer eyJhbGciOiJSUzI1NiJ9.e30.x"}
    assert ask(both, PROXY, "GET", "/api/session", headers=own).json["user"]["source"] == "proxy"
    assert ask(both, OTHER, "GET", "/api/session", headers=own).status == 401
    started = post(both, OTHER, "/api/session", {"token": both.tokens["read"]}, {})
    cookie = {"Cookie": started.headers["Set-Cookie"].split(";")[0]}
    assert ask(both, OTHER, "GET", "/api/session", headers={**cookie, **as_role("admin")}).json["user"]["name"] == "reader"
    assert ask(both, PROXY, "GET", "/api/session", headers={**cookie, **as_role("admin")}).json["user"]["source"] == "proxy"
    assert ask(both, PROXY, "GET", "/api/session", headers=cookie).json["user"]["source"] == "session"


def test_an_upload_with_a_token(bin_dir, tmp_path, both):
    (tmp_path / "r.json").write_text(json.dumps(little(1)))
    own = tmp_path / "own"
    own.write_text(add_token(bin_dir, both.path, "ci", "--role", "write"))
    done = subprocess.run([bin_dir / "profllm", "upload", "--to", both.url, "--token-file", own, tmp_path / "r.json"], capture_output=True, text=True,
                          env=environment(), timeout=60 * PATIENCE)
    assert done.returncode == 0, done


# ---- the client of a proxy -----------------------------------------------------------------------


def test_the_address_and_scheme_of_the_client(both):
    note = {"version": "1", "text": "t"}
    for peer, forwarded in ((PROXY, "6.6.6.6, 192.0.2.7"), (PROXY, "192.0.2.8, 127.0.77.9"), (PROXY, "unknown"), (OTHER, "192.0.2.9")):
        headers = {**bearer(both.tokens["write"]), "X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"}
        assert post(both, peer, "/api/annotations", note, headers).status == 201
        # a page that the proxy has received by https is not that of http
        status = post(both, peer, "/api/annotations", note, {**headers, "Origin": f"http://{both.host}"}).status
        assert status == (403 if peer == PROXY else 201)
        session = post(both, peer, "/api/session", {"token": both.tokens["read"]}, {"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"})
        assert session.headers["Set-Cookie"].endswith("; Secure") == (peer == PROXY)
    # failures count per client, not per proxy
    statuses = [ask(both, PROXY, "GET", "/api/fields", headers={**bearer("profllm_" + "A" * 43), "X-Forwarded-For": "192.0.2.50"}).status for _ in range(13)]
    assert 429 in statuses
    assert ask(both, PROXY, "GET", "/api/fields", headers={**bearer("profllm_" + "A" * 43), "X-Forwarded-For": "192.0.2.51"}).status == 401
    lines = [re.search(r"from=(\S+) ", line)[1] for line in both.stop()[2].splitlines() if "status=201 POST /api/annotations" in line]
    assert lines[:3] == ["192.0.2.7", "192.0.2.8", lines[2]] and lines[2].startswith("127.0.77.1:") and all(line.startswith(OTHER) for line in lines[3:])


# ---- options -------------------------------------------------------------------------------------


def test_options_that_do_not_fit(bin_dir, tmp_path):
    user, trusted, role = ["--auth-header", "X-User"], ["--trusted-proxy", "10.0.0.1"], ["--role-of", "*=read"]
    for words, message in ((user + role, "--auth-header requires --trusted-proxy"), (user + trusted, "--auth-header requires --role-of GROUP=ROLE"),
                           (role, "--role-of works only with --auth-header"), (["--auth-groups-header", "X"], "--auth-groups-header works only with --auth-header"),
                           ([*user, *role, "--trusted-proxy", "proxy.example.org"], "--trusted-proxy: found 'proxy.example.org', expected an address or a network"),
                           ([*user, *role, "--trusted-proxy", "10.0.0.0/33"], "--trusted-proxy: found '10.0.0.0/33'"),
                           ([*user, *trusted, "--role-of", "dev=root"], "--role-of: found 'dev=root', expected GROUP=ROLE"),
                           ([*user, *trusted, "--role-of", "=read"], "--role-of: found '=read'"),
                           ([*user, *trusted, "--role-of", "dev=read"], "--role-of: found the group 'dev', expected '*' without --auth-groups-header"),
                           ([*trusted, *role, "--auth-header", "Authorization"], "--auth-header: found 'Authorization', which has another meaning"),
                           ([*trusted, *role, "--auth-header", "X User"], "--auth-header: found 'X User', expected the name of a header"),
                           ([*user, *trusted, *role, "--auth-groups-header", "x-user"], "--auth-header, --auth-groups-header: found 'X-User' twice"),
                           ([*trusted, "--socket", tmp_path / "s"], "--socket, --trusted-proxy: found both")):
        done = subprocess.run([bin_dir / "profllm-dashboard", "serve", "--db", tmp_path / "x.db", "--port", "0", *words], capture_output=True, text=True,
                              env=environment(), timeout=60 * PATIENCE, stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and done.stdout == "" and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert not (tmp_path / "x.db").exists()
    with Dashboard(bin_dir, tmp_path / "d.db", "--host", "0.0.0.0", *user, *trusted, *role) as one:
        assert one.stop()[2].endswith("every request needs X-User of a trusted proxy\n")
    with Dashboard(bin_dir, tmp_path / "d.db", *user, *role, "--trusted-proxy", "127.0.0.1") as one:
        assert "every user of this host can claim to be any user, because the loopback is trusted" in one.stop()[2]
