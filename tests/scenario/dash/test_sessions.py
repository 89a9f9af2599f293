"""Sessions of browsers in the database, for all processes and both kinds of database, and the users who saved something."""
import contextlib
import http.client
import json
import shutil
import time

import pytest
from access_tools import Guarded, add_token, revoke
from backup_tools import backup, restore
from dashboard_tools import Dashboard
from database_tools import ask, change
from live_tools import send as send_live
from run_tools import PATIENCE
from wait_tools import wait_for


def sign_in(one, token):
    answer = one.post_as(None, "/api/session", {"token": token})
    assert answer.status == 201, answer.body
    return {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}


def user(one, cookie):
    shown = one.ask("GET", "/api/session", headers=cookie, connection=one.connect()).json["user"]
    return shown and shown["name"]


def test_a_session_outlives_the_process(bin_dir, db, tmp_path):
    """Also if it is killed. The database does not have what the cookie has."""
    path = tmp_path / "tokens"
    with Guarded(bin_dir, db, path) as one:
        cookies = [sign_in(one, one.tokens["read"]) for _ in range(3)]
        assert one.ask_as(None, "DELETE", "/api/session", headers=cookies[0]).status == 204
        one.process.kill()
    rows = ask(db, "SELECT hash, name, role FROM sessions")
    assert len(rows) == 2 and all(name == "reader" and role == "read" for _, name, role in rows)
    assert not any(cookie["Cookie"].split("=")[1] in json.dumps([list(row) for row in rows]) for cookie in cookies)
    with Dashboard(bin_dir, db, "--token-file", path) as one:
        assert [user(one, cookie) for cookie in cookies] == [None, "reader", "reader"]
        assert one.ask("DELETE", "/api/session", headers=cookies[1], connection=one.connect()).status == 204
        assert one.stop()[0] == 0
    with Dashboard(bin_dir, db, "--token-file", path) as one:
        assert [user(one, cookie) for cookie in cookies] == [None, None, "reader"]
        revoke(bin_dir, path, "reader")
        assert user(one, cookies[2]) is None
        add_token(bin_dir, path, "reader")  # another token of the same name
        assert user(one, cookies[2]) is None


def test_a_restored_database_has_no_session(bin_dir, database, tmp_path):
    """A session that has ended since the backup must not begin again. The token stays valid."""
    db, new, path = database.with_tables(tmp_path), database.new(tmp_path, "new.db"), tmp_path / "tokens"
    with Guarded(bin_dir, db, path) as one:
        cookies = [sign_in(one, one.tokens["read"]) for _ in range(2)]
        backup(bin_dir, db, tmp_path / "b")
        assert one.ask_as(None, "DELETE", "/api/session", headers=cookies[0]).status == 204
        tokens = one.tokens
    restore(bin_dir, tmp_path / "b", new)
    assert ask(new, "SELECT hash FROM sessions") == []
    with Dashboard(bin_dir, new, "--token-file", path) as one:
        assert [user(one, cookie) for cookie in cookies] == [None, None]
        # a browser sends cookies to every port of a host: to sign in to the copy must not end the session of the original
        answer = one.post("/api/session", {"token": tokens["read"]})
        assert answer.status == 201 and answer.headers["Set-Cookie"].split("=")[0] != cookies[0]["Cookie"].split("=")[0]


def test_processes_of_one_database(bin_dir, database, tmp_path):
    """A session is known at once, and its end within two seconds. Each process has a token file of its own, with the same tokens."""
    if getattr(database, "kind", None) != "postgres":
        return
    db, path, copy = database.with_tables(tmp_path), tmp_path / "tokens", tmp_path / "copy"
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(Guarded(bin_dir, db, path))
        shutil.copy(path, copy)
        two = stack.enter_context(Dashboard(bin_dir, db, "--token-file", copy))
        for _ in range(5):
            cookie = sign_in(one, one.tokens["write"])
            assert user(two, cookie) == "writeer"
        time.sleep(1.5)  # it is in the copy of the other
        assert one.ask_as(None, "DELETE", "/api/session", headers=cookie).status == 204
        assert user(one, cookie) is None
        began = time.monotonic()
        wait_for(lambda: user(two, cookie) is None, "the session has ended in the other process")
        assert time.monotonic() - began < 2 * PATIENCE
        cookie = sign_in(one, one.tokens["write"])
        assert user(two, cookie) == "writeer"
        revoke(bin_dir, path, "writeer")
        assert user(one, cookie) is None and user(two, cookie) == "writeer"
        revoke(bin_dir, copy, "writeer")
        assert user(two, cookie) is None
        # other data replaces the database: a process that starts later accepts the sessions of the first
        change(db, "UPDATE store_state SET database_id = '0123456789abcdef0123456789abcdef'")
        cookie = sign_in(one, one.tokens["read"])
        with Dashboard(bin_dir, db, "--token-file", path) as three:
            assert user(three, cookie) == "reader"


@pytest.mark.parametrize("other", [False, True], ids=["one", "two"])
def test_a_stream_ends_with_its_session(bin_dir, database, tmp_path, other):
    """Also if the user signs out in another process. The token stays valid, and so do streams of the user's other sessions."""
    if other and getattr(database, "kind", None) != "postgres":
        return
    db, path = database.with_tables(tmp_path), tmp_path / "tokens"
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(Guarded(bin_dir, db, path))
        where = stack.enter_context(Dashboard(bin_dir, db, "--token-file", path)) if other else one
        ended, kept = (sign_in(one, one.tokens["read"]) for _ in range(2))
        send_live(one, "run-1")
        replies = []
        for cookie in (ended, kept):
            connection = stack.enter_context(contextlib.closing(one.connect_from_elsewhere()))
            connection.request("GET", "/api/live/run-1", headers={**cookie, "Accept": "text/event-stream"})
            replies.append(connection.getresponse())
            assert replies[-1].status == 200 and replies[-1].readline()
        assert where.ask("DELETE", "/api/session", headers=ended, connection=where.connect()).status == 204
        began = time.monotonic()
        with contextlib.suppress(http.client.IncompleteRead, ConnectionResetError):
            while replies[0].read1():
                pass
        assert time.monotonic() - began < 10 * PATIENCE
        assert user(one, kept) == "reader"
        while replies[1].readline().strip():  # the rest of the first event
            pass
        send_live(one, "run-1", sequence=2)
        assert replies[1].readline()


def test_a_body_that_ends_after_its_session(bin_dir, db, tmp_path):
    with Guarded(bin_dir, db, tmp_path / "tokens") as one, contextlib.closing(one.connect_from_elsewhere()) as connection:
        cookie = sign_in(one, one.tokens["write"])
        body = b'{"version": "1", "text": "late"}'
        connection.putrequest("POST", "/api/annotations")
        for name, value in {**cookie, "Content-Type": "application/json", "Content-Length": str(len(body)), "Expect": "100-continue"}.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.sock.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.send(body[:2])
        assert one.ask_as(None, "DELETE", "/api/session", headers=cookie).status == 204
        connection.send(body[2:])
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["detail"]) == (401, "the session has ended during the request")
        assert one.get("/api/annotations").json["annotations"] == []


def test_the_limit_of_a_user(bin_dir, db, tmp_path):
    with Guarded(bin_dir, db, tmp_path / "tokens") as one:
        first = sign_in(one, one.tokens["read"])
        other = sign_in(one, one.tokens["write"])
        for _ in range(20):
            last = sign_in(one, one.tokens["read"])
        assert (user(one, first), user(one, other), user(one, last)) == (None, "writeer", "reader")
        assert len(ask(db, "SELECT hash FROM sessions")) == 21
        time.sleep(1.2)  # the copy was read again
        assert (user(one, first), user(one, other), user(one, last)) == (None, "writeer", "reader")
        # those of one second end in their order, too
        made = [last, *(sign_in(one, one.tokens["read"]) for _ in range(19))]
        time.sleep(1.2)
        assert [user(one, cookie) for cookie in made] == ["reader"] * 20
        sign_in(one, one.tokens["read"])
        assert [user(one, cookie) for cookie in made] == [None] + ["reader"] * 19


def test_who_saved_presets_and_prices(bin_dir, db, tmp_path):
    preset = {"name": "p", "description": "", "filter": None, "columns": None, "sort": [], "chart": None, "is_default": False}
    prices = {"prices": [{"gpu": "H100", "per_hour": 2.5}], "currency": "USD", "carbon_g_per_kwh": None}
    with Guarded(bin_dir, db, tmp_path / "tokens") as one:
        made = one.post_as("write", "/api/filters/presets", preset).json
        assert (made["created_by"], made["changed_by"]) == ("writeer", "writeer")
        headers = {"Content-Type": "application/json"}
        changed = one.ask_as("admin", "PUT", f"/api/filters/presets/{made['id']}", json.dumps({**preset, "name": "q"}).encode(), headers).json
        assert (changed["created_by"], changed["changed_by"]) == ("writeer", "adminer")
        assert one.ask_as("read", "GET", "/api/filters/presets").json["presets"] == [changed]
        assert one.ask_as("admin", "PUT", "/api/prices", json.dumps(prices).encode(), headers).json["changed_by"] == "adminer"
        assert one.ask_as("read", "GET", "/api/prices").json["changed_by"] == "adminer"
        assert one.stop()[0] == 0
    with Dashboard(bin_dir, db) as one:  # without users
        assert one.post("/api/filters/presets", {**preset, "name": "r"}).json["created_by"] is None
        assert one.ask("PUT", "/api/prices", json.dumps(prices).encode(), headers).json["changed_by"] is None
