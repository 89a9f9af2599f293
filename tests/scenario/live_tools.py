"""Shared by the tests of live runs: snapshots, and streams of server-sent events."""
import copy
import http.client
import json

from dashboard_tools import CONTRACT, faults_of
from run_tools import PATIENCE

SNAPSHOT = CONTRACT["components"]["schemas"]["LiveSnapshot"]["examples"][0]
SCHEMAS = {"runs": "LiveRuns", "history": "LiveHistory", "snapshot": "LiveRun", "silent": "LiveSilence", "ended": "LiveEnd"}


def snapshot(run_id, sequence=1, *, ended=None, **members):
    """Returns a snapshot that fits the contract; members replace keys of it, as in requests={"done": 5}."""
    one = copy.deepcopy(SNAPSHOT)
    one |= {"sequence": sequence, "elapsed_s": float(sequence), "ended": ended}
    one["run"]["run_id"] = run_id
    for name, member in members.items():
        one[name] = {**one[name], **member} if isinstance(member, dict) else member
    return one


def send(dashboard, run_id, sequence=1, **members):
    answer = dashboard.post(f"/api/live/{run_id}", snapshot(run_id, sequence, **members))
    assert answer.status == 204, answer.body


class Events:
    """A stream of events; each is checked against the contract."""

    def __init__(self, dashboard, path="/api/live"):
        self.connection = dashboard.connect()
        self.connection.request("GET", path, headers={"Accept": "text/event-stream"})
        self.reply = self.connection.getresponse()
        self.status, self.headers = self.reply.status, self.reply.headers
        self.comments = 0

    def next(self):
        """Returns (name, data) of the next event; None at the end of the stream."""
        name = data = None
        try:
            while line := self.reply.readline():
                text = line.decode().rstrip("\n")
                if text.startswith(":"):
                    self.comments += 1
                elif text.startswith("event: "):
                    name = text.removeprefix("event: ")
                elif text.startswith("data: "):
                    data = json.loads(text.removeprefix("data: "))
                elif not text and data is not None:
                    faults = faults_of({"$ref": f"#/components/schemas/{SCHEMAS[name]}"}, data)
                    assert not faults, (name, faults[:5])
                    return name, data
        except (http.client.IncompleteRead, ConnectionResetError):
            pass
        return None

    def until(self, wanted, condition=lambda _: True):
        """Returns the data of the next event with this name that meets the condition."""
        for _ in range(200 * PATIENCE):
            event = self.next()
            assert event, f"the stream ended before: {wanted}"
            if event[0] == wanted and condition(event[1]):
                return event[1]
        raise AssertionError(wanted)

    def rest(self):
        """Reads to the end of the stream."""
        while self.next():
            pass

    def close(self):
        self.reply.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
