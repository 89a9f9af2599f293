"""Runs in progress: a sender's snapshots arrive at listeners as server-sent events, whatever either of them does."""
import contextlib
import json
import signal
import socket
import time

import pytest
from dashboard_tools import Dashboard, little
from live_tools import Events, send, snapshot
from run_tools import PATIENCE
from wait_tools import wait_for


@pytest.fixture
def dashboard(bin_dir, tmp_path):
    """With SQLite: live runs are in memory."""
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        yield one
        assert one.stop() == (0, "", "")


def states(dashboard):
    return {run["run_id"]: run["state"] for run in dashboard.get("/api/live").json["runs"]}


def test_a_snapshot_is_returned(dashboard):
    assert dashboard.get("/api/live").json == {"runs": []}
    assert dashboard.get("/api/live/one").status == 404
    send(dashboard, "one", requests={"done": 12})
    run = dashboard.get("/api/live/one").json
    assert {key: run[key] for key in snapshot("one")} == snapshot("one", requests={"done": 12})
    assert (run["state"], run["experiment_id"]) == ("reporting", None) and run["age_s"] < 4
    row, = dashboard.get("/api/live").json["runs"]
    assert (row["run_id"], row["requests"]["done"], row["verdict"]["state"], row["phase"]) == ("one", 12, "degraded", "measuring")
    assert dashboard.get("/api/live").headers["Cache-Control"] == "no-store"
    assert dashboard.ask("HEAD", "/api/live/one", headers={"Accept": "text/event-stream"}).status == 200


def test_an_older_snapshot_is_ignored(dashboard):
    send(dashboard, "one", 5, requests={"done": 50})
    send(dashboard, "one", 4, requests={"done": 40})
    assert dashboard.get("/api/live/one").json["requests"]["done"] == 50


def test_a_snapshot_that_does_not_fit_is_refused(dashboard):
    answer = dashboard.post("/api/live/two", snapshot("one"))
    assert answer.status == 422 and (answer.json["pointer"], answer.json["found"]) == ("/run/run_id", "one")
    for change, pointer in (({"sequence": -1}, "/sequence"), ({"verdict": {"state": "fine"}}, "/verdict/state"), ({"gpus": None}, "/gpus"),
                            ({"log": [{"line": 1, "severity": None, "text": "x" * 501}]}, "/log/0/text")):
        answer = dashboard.post("/api/live/one", snapshot("one", **change))
        assert answer.status == 422 and answer.json["pointer"] == pointer, answer.body
    large = snapshot("one", run={"command": "x" * 70_000})
    assert dashboard.post("/api/live/one", large).status == 413
    assert dashboard.post("/api/live/one", snapshot("one"), Origin="http://evil.example").status == 403
    assert dashboard.get("/api/live").json == {"runs": []}


def test_members_of_a_newer_sender_are_kept_but_not_those_of_the_server(dashboard):
    one = {**snapshot("one"), "more": {"a": 1}, "state": "ended", "experiment_id": 7, "age_s": -3}
    assert dashboard.post("/api/live/one", one).status == 204
    run = dashboard.get("/api/live/one").json
    assert (run["more"], run["state"], run["experiment_id"]) == ({"a": 1}, "reporting", None) and run["age_s"] >= 0


def follow_a_run(dashboard):
    send(dashboard, "one", 1)
    send(dashboard, "one", 2)
    with Events(dashboard) as runs, Events(dashboard, "/api/live/one") as events:
        assert (events.status, events.headers["Content-Type"], events.headers["X-Accel-Buffering"]) == (200, "text/event-stream", "no")
        name, history = events.next()
        assert name == "history" and history["t_s"] == [1, 2] and history["in_flight"] == [38, 38] and history["power_w"] == [577, 577]
        assert events.next()[1]["sequence"] == 2
        send(dashboard, "one", 3)
        assert events.until("snapshot", lambda data: data["sequence"] > 2)["sequence"] == 3
        send(dashboard, "one", 4, ended={"exit_status": 0, "state": "completed", "sentence": None})
        assert events.until("ended")["experiment_id"] is None
        assert runs.until("runs", lambda data: data["runs"][0]["state"] == "ended")["runs"][0]["experiment_id"] is None
        dashboard.upload("/api/upload/json", little(run_id="one"))
        number = events.until("ended")["experiment_id"]
        assert dashboard.get(f"/api/data/experiments/{number}").json["run_id"] == "one"
        assert runs.until("runs", lambda data: data["runs"][0]["experiment_id"])["runs"][0]["experiment_id"] == number
        assert dashboard.get("/api/live/one").json["experiment_id"] == number


@pytest.mark.one_database
def test_a_run_from_its_first_snapshot_to_its_result(bin_dir, db):
    with Dashboard(bin_dir, db) as dashboard:
        follow_a_run(dashboard)
        assert dashboard.stop() == (0, "", "")


def test_a_run_that_is_killed_becomes_silent_in_time_and_another_does_not(dashboard):
    with Events(dashboard, "/api/live/killed") as unknown:
        assert unknown.status == 404
    send(dashboard, "killed")
    begun = time.monotonic()
    with Events(dashboard, "/api/live/killed") as events:
        sequence = 0
        while time.monotonic() < begun + 3:
            sequence += 1
            send(dashboard, "alive", sequence)
            time.sleep(0.3)
        assert states(dashboard) == {"killed": "reporting", "alive": "reporting"}
        assert events.until("silent")["age_s"] >= 4
        assert time.monotonic() - begun < 5 * PATIENCE
    time.sleep(2)
    with Events(dashboard, "/api/live/killed") as late, Events(dashboard) as runs:
        (first, _), (second, last), (third, silence) = (late.next() for _ in range(3))
        assert (first, second, third, last["state"]) == ("history", "snapshot", "silent", "silent")
        row = next(run for run in runs.next()[1]["runs"] if run["run_id"] == "killed")
        # the ages of now, not of the events that others received
        assert min(last["age_s"], silence["age_s"], row["age_s"]) >= 5.5
    send(dashboard, "killed", 2)
    assert states(dashboard)["killed"] == "reporting"


def test_a_restarted_server_is_right_after_the_next_snapshot(bin_dir, tmp_path):
    db = tmp_path / "d.db"
    with Dashboard(bin_dir, db) as first:
        send(first, "one", 1)
        events = Events(first, "/api/live/one")
        assert events.next()[0] == "history"
        begun = time.monotonic()
        assert first.stop() == (0, "", "")
        events.rest()  # the stream ends; the server does not wait for its listeners
        assert time.monotonic() - begun < 3 * PATIENCE
        events.close()
    with Dashboard(bin_dir, db) as second:
        assert second.get("/api/live").json == {"runs": []}
        send(second, "one", 2)
        with Events(second, "/api/live/one") as events:
            assert events.until("snapshot")["sequence"] == 2


def test_a_killed_server_ends_its_streams(bin_dir, tmp_path):
    db = tmp_path / "d.db"
    with Dashboard(bin_dir, db) as first, Events(first) as events:
        assert events.next() == ("runs", {"runs": []})
        first.process.send_signal(signal.SIGKILL)
        events.rest()


def test_streams_are_bounded_and_leave_room_for_requests(dashboard):
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(Events(dashboard)) for _ in range(128)]
        assert all(one.status == 200 for one in streams)
        with Events(dashboard) as refused:
            assert refused.status == 503 and refused.headers["Retry-After"]
            assert "128 live streams" in json.loads(refused.reply.read())["detail"]
        assert all(one.next() == ("runs", {"runs": []}) for one in streams)
        send(dashboard, "one")
        assert all(one.until("runs")["runs"][0]["run_id"] == "one" for one in streams)
        for one in streams[:3]:
            one.close()
        # the server sees that they have left, although it has nothing to send to them
        wait_for(lambda: Events(dashboard).status == 200, "a listener is accepted")


def test_a_client_that_does_not_read_delays_no_other(dashboard):
    send(dashboard, "one", 1)
    host, port = dashboard.host.rsplit(":", 1)
    with socket.create_connection((host, int(port))) as deaf, Events(dashboard, "/api/live/one") as events:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(f"GET /api/live/one HTTP/1.1\r\nHost: {dashboard.host}\r\nAccept: text/event-stream\r\n\r\n".encode())
        assert events.until("snapshot")["sequence"] == 1
        for sequence in range(2, 12):
            send(dashboard, "one", sequence, run={"command": "x" * 19_000})
            assert events.until("snapshot")["sequence"] == sequence
        assert dashboard.get("/api/health").status == 200


def test_the_longest_texts_of_all_runs_fit_into_the_list(dashboard):
    long = {"name": "\x01" * 2000, "model": "\x01" * 2000, "started_utc": "\x01" * 40}
    ended = {"exit_status": 0, "state": "\x01" * 200, "sentence": "\x01" * 2000, "more": "x" * 10_000}
    for number in range(200):
        run_id = f"run-{number}"
        send(dashboard, run_id, run=long | {"run_id": run_id}, ended=ended)
    rows = dashboard.get("/api/live").json["runs"]
    assert len(rows) == 200 and all(row["ended"]["sentence"] == ended["sentence"] and "more" not in row["ended"] for row in rows)
    with Events(dashboard) as events:
        assert len(events.next()[1]["runs"]) == 200


def test_runs_are_bounded(dashboard):
    for number in range(200):
        send(dashboard, f"run-{number}", ended={"exit_status": 0, "state": "completed", "sentence": None} if number == 7 else None)
    send(dashboard, "one-more")
    assert dashboard.get("/api/live/run-7").status == 404
    answer = dashboard.post("/api/live/too-many", snapshot("too-many"))
    assert answer.status == 503 and answer.headers["Retry-After"] and "200 runs" in answer.json["detail"]
    assert len(dashboard.get("/api/live").json["runs"]) == 200
