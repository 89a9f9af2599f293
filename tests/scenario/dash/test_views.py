"""States of the page that are too long for an address: each is stored under an id derived from it."""
import base64
import hashlib
import json
import random
import signal
import string

import pytest
from access_tools import Guarded
from dashboard_tools import Dashboard
from database_tools import change

PATH = "/api/views"
PRINTED = "".join(chr(c) for c in range(33, 127))


def keep(dashboard, state):
    answer = dashboard.post(PATH, {"state": state})
    assert answer.status == 201 and answer.headers["Location"] == f"{PATH}/{answer.json['id']}"
    assert answer.json["url"] == f"/?view={answer.json['id']}"
    return answer.json["id"]


def letters(state):
    """Returns its SHA-256 in base64url."""
    return base64.urlsafe_b64encode(hashlib.sha256(state.encode()).digest()).decode()


def test_a_state_comes_back_by_its_id(dashboard):
    rng = random.Random("views")
    states = ["a=b", PRINTED, "f=" + "%2C".join("x" * 50 for _ in range(60)), "".join(rng.choices(PRINTED, k=262144)), "a=b "[:-1] + "c"]
    ids = {}
    for state in states:
        ids[state] = keep(dashboard, state)
        assert ids[state] == letters(state)[:12]
    for state, id_ in ids.items():
        told = dashboard.get(f"{PATH}/{id_}").json
        assert (told["id"], told["state"]) == (id_, state)
        assert keep(dashboard, state) == id_ and dashboard.get(f"{PATH}/{id_}").json == told


def test_it_survives_a_kill_and_is_the_same_elsewhere(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "a.db") as one:
        id_ = keep(one, "x=1")
        one.stop(signal.SIGKILL)
    with Dashboard(bin_dir, tmp_path / "a.db") as one:
        assert one.get(f"{PATH}/{id_}").json["state"] == "x=1"
    with Dashboard(bin_dir, tmp_path / "b.db") as other:
        assert other.get(f"{PATH}/{id_}").status == 404
        assert keep(other, "x=1") == id_


@pytest.mark.parametrize("body, pointer", [
    ({"state": ""}, "/state"), ({"state": "x" * 262145}, "/state"), ({"state": "a b"}, "/state"), ({"state": "a\n"}, "/state"),
    ({"state": "ä"}, "/state"), ({"state": 1}, "/state"), ({}, ""), ({"state": "a", "x": 1}, "")])
def test_invalid_states_are_refused(dashboard, body, pointer):
    problem = dashboard.post(PATH, body)
    assert problem.status == 422 and problem.json["pointer"] == pointer


def test_a_body_that_is_too_large(dashboard):
    assert dashboard.ask("POST", PATH, json.dumps({"state": "x" * 400_000}), {"Content-Type": "application/json"}).status == 413


@pytest.mark.parametrize("word", ["x", "x" * 12, "x" * 43, "x" * 500, "%2e%2e", "';--", string.ascii_letters])
def test_an_unknown_id(dashboard, word):
    keep(dashboard, "a=b")
    assert dashboard.get(f"{PATH}/{word}").status == 404


def insert(db, *rows):
    values = ", ".join(f"('{id_}', '2026-01-01T00:00:00.000Z', {size}, '{state}')" for id_, size, state in rows)
    change(db, f"INSERT INTO views (id, created, bytes, state) VALUES {values}")


def test_two_states_that_begin_alike_have_two_ids(dashboard, db):
    insert(db, (letters("a=1")[:12], 3, "b=2"), (letters("a=1")[:13], 3, "c=3"))
    id_ = keep(dashboard, "a=1")
    assert id_ == letters("a=1")[:14] and keep(dashboard, "a=1") == id_
    assert dashboard.get(f"{PATH}/{id_}").json["state"] == "a=1"
    assert dashboard.get(f"{PATH}/{id_[:12]}").json["state"] == "b=2"


@pytest.mark.parametrize("rows", [[("y" * 12, 256 * 1024 * 1024 - 2, "y")], [(f"{i:012}", 1, "y") for i in range(100_000)]])
def test_there_is_an_end_to_them(dashboard, db, rows):
    kept = keep(dashboard, "xyz")
    insert(db, *rows)
    problem = dashboard.post(PATH, {"state": "one=more"})
    assert problem.status == 409 and "the limit of" in problem.json["detail"]
    assert keep(dashboard, "xyz") == kept
    assert dashboard.get(f"{PATH}/{letters('one=more')[:12]}").status == 404


@pytest.mark.parametrize("count, size", [(2000, 1), (1, 256 * 1024 * 1024 // 50 - 2)])
def test_a_user_has_a_share_of_the_room(bin_dir, db, tmp_path, count, size):
    """One with the role read, too, so a user who fills it keeps no other user out."""
    with Guarded(bin_dir, db, tmp_path / "tokens") as one:
        kept = one.post_as("read", PATH, {"state": "xyz"}).json["id"]
        insert(db, *[(f"{i:012}", size, "y") for i in range(count)])
        change(db, "UPDATE views SET created_by = 'reader'")
        problem = one.post_as("read", PATH, {"state": "one=more"})
        assert problem.status == 409
        assert problem.json["detail"] == "the limit of 2000 views, or of 5368709 bytes, of the user 'reader' is reached"
        assert one.post_as("read", PATH, {"state": "xyz"}).json["id"] == kept
        made = one.post_as("write", PATH, {"state": "one=more"})
        assert made.status == 201
        # a state that is stored already takes no room
        assert one.post_as("read", PATH, {"state": "one=more"}).json == made.json
    with Dashboard(bin_dir, db) as one:  # without users
        assert keep(one, "z=1")
