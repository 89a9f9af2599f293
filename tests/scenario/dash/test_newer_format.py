"""A newer program upgrades the database while dashboards of this version serve it: they answer 503 and write nothing, so that a proxy uses
the upgraded dashboards. In the test, only the number of the format changes."""
import contextlib

from dashboard_tools import Dashboard, results
from database_tools import ask, change, is_address
from wait_tools import wait_for

REASON = "a newer version upgraded the database; install it here, too"


def count_up(db, by):
    if is_address(db):
        change(db, f"UPDATE store_form SET form = form + {by}")
        return
    ((form,),) = ask(db, "PRAGMA user_version")
    change(db, f"PRAGMA user_version = {form + by}")


def test_dashboards_of_a_former_version_stand_back(bin_dir, tmp_path, database):
    db, data = database.new(tmp_path), ["--data", tmp_path / "files"]
    first, second, waiting = results(3)
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(Dashboard(bin_dir, db, *data))
        # one process serves an SQLite file; commands of a newer program can upgrade it
        other = stack.enter_context(Dashboard(bin_dir, db, *data)) if is_address(db) else one
        assert one.upload("/api/upload/json", first)["items"][0]["state"] == "stored"
        assert [server.ids() for server in (one, other)] == [[1], [1]]
        count_up(db, 1)
        for server in (one, other):
            reply = wait_for(lambda server=server: (found := server.get("/api/health/ready")).status == 503 and found, "the dashboard is not ready")
            assert reply.json["reasons"] and REASON in reply.json["message"]
            reply = server.get("/api/data/experiments")
            assert reply.status == 503 and REASON in reply.body.decode()
        accepted = one.post("/api/upload/json", waiting)
        assert accepted.status in (202, 503), accepted.body
        assert one.ask("PATCH", "/api/data/experiments/1", '{"notes": "a"}', {"Content-Type": "application/json"}).status == 503
        assert ask(db, "SELECT count(*) FROM benchmark_runs") == [(1,)]
        count_up(db, -1)
        wait_for(lambda: one.get("/api/health/ready").status == other.get("/api/health/ready").status == 200, "both are ready again")
        if accepted.status == 202:
            assert one.done(accepted.json["status_url"])["items"][0]["state"] == "stored"
        assert other.upload("/api/upload/json", second)["items"][0]["state"] == "stored"
        assert one.ids() == other.ids()
        assert all(server.stop()[0] == 0 for server in {one, other})
