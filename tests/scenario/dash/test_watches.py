"""Watches and decisions over the analysis of stored results: states follow the data, decisions silence what they are about,
a webhook receives each new state, and `profllm-dashboard regress` exits with 7."""
import contextlib
import json
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from dashboard_tools import CONTRACT, Dashboard
from history_tools import series
from import_tools import run_dashboard
from tls_tools import make_certificate
from wait_tools import wait_for

DECISIONS, WATCHES = "/api/analysis/decisions", "/api/analysis/watches"
TTFT = "results.median_ttft_ms"
QUESTION = {"filter": {"field": "run.suite", "op": "eq", "value": "nightly"}, "metrics": [TTFT]}
STEP = {"seed": "step", "steps": [(40, 1.15)]}


@pytest.fixture
def dashboard(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        yield one
        status, out, err = one.stop()
        assert (status, out) == (0, "") and all(": watch '" in line for line in err.splitlines()), err


def store(dashboard, documents):
    assert dashboard.upload("/api/upload/batch", documents)["counts"]["stored"] == len(documents)


def verdict_of(dashboard, key=None):
    while True:
        answer = dashboard.post("/api/analysis/regression", {"metrics": [TTFT], **({"series": key} if key else {})}).json
        if not answer["incomplete"]:
            (verdict,) = answer["series"]
            return verdict


def decide(dashboard, verdict, kind, **keys):
    change = verdict["changes"][0]
    answer = dashboard.post(DECISIONS, {"series": verdict["key"], "metric": TTFT, "at": change["at"], "experiment_id": change["id_after"],
                                        "kind": kind, **keys})
    assert answer.status == 201, answer.body


def watch(dashboard, id_=1):
    (found,) = [one for one in dashboard.get(WATCHES).json["watches"] if one["id"] == id_]
    return found


def state(dashboard, id_=1):
    """Returns the state of the watch for the present data."""
    def current():
        version = dashboard.post("/api/filters/apply", {"limit": 0}).json["data_version"]
        found = watch(dashboard, id_)["state"]
        return found if found and found["data_version"] == version else None
    return wait_for(current, "the watch is asked", seconds=30)


def patch(dashboard, value, revision=None, id_=1):
    headers = {"Content-Type": "application/json", **({"If-Match": revision} if revision else {})}
    return dashboard.ask("PATCH", f"{WATCHES}/{id_}", json.dumps(value), headers)


# ---- decisions -----------------------------------------------------------------------------------


def test_an_expected_change_cuts_the_history_and_survives_a_restart(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        store(one, series(60, 80, 0.03, **STEP))
        before = verdict_of(one)
        assert before["state"] == "regression" and len(before["changes"]) == 1
        decide(one, before, "expected")
        after = verdict_of(one)
        assert after["state"] == "stable" and after["changes"] == []
        assert after["current"]["count"] == 60 - before["changes"][0]["index"]
        assert one.stop()[0] == 0
    with Dashboard(bin_dir, db) as one:
        again = verdict_of(one)
        assert (again["state"], again["current"]) == ("stable", after["current"])
        decide(one, before, "none")
        assert verdict_of(one)["state"] == "regression"


@pytest.mark.one_database
def test_a_wrong_change_is_silenced_at_its_place_only(dashboard):
    documents = series(90, 80, 0.02, seed="two", steps=[(30, 1.2), (60, 1.2)])
    store(dashboard, documents)
    before = verdict_of(dashboard)
    assert [abs(change["index"] - at) <= 2 for change, at in zip(before["changes"], (30, 60), strict=True)] == [True, True]
    decide(dashboard, before, "wrong")
    after = verdict_of(dashboard)
    assert [change["index"] for change in after["changes"] if change["state"] == "regression"] == [before["changes"][1]["index"]]


def test_decisions_of_two_users_on_one_change(dashboard):
    """Both are stored, and the newest one counts."""
    store(dashboard, series(60, 80, 0.03, **STEP))
    before = verdict_of(dashboard)
    threads = [threading.Thread(target=decide, args=(dashboard, before, "acknowledged"), kwargs={"author": author}) for author in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {decision["author"] for decision in dashboard.get(f"{DECISIONS}?series={before['key']}").json["decisions"]} == {"ann", "bob"}
    assert verdict_of(dashboard)["changes"][0]["decision"] == "acknowledged"
    decide(dashboard, before, "expected", author="ann")
    decide(dashboard, before, "fixed", author="bob")
    assert verdict_of(dashboard)["changes"][0]["decision"] == "fixed"


# ---- watches -------------------------------------------------------------------------------------


def test_a_watch_from_first_to_last(dashboard):
    made = dashboard.post(WATCHES, {"name": "Nightly", "question": QUESTION, "author": "ann"})
    assert made.status == 201 and made.headers["Location"] == f"{WATCHES}/1"
    assert {key: made.json[key] for key in ("id", "revision", "name", "question", "fail_on", "author")} == {
        "id": 1, "revision": 1, "name": "Nightly", "question": QUESTION, "fail_on": "regression", "author": "ann"}
    refused = dashboard.post(WATCHES, {"name": "nightly", "question": {}})
    assert refused.status == 409 and refused.json["pointer"] == "/name"
    assert dashboard.post(WATCHES, {"name": "x", "question": {"metrics": []}}).json["pointer"] == "/question/metrics"
    assert state(dashboard)["state"] == "stable"
    changed = patch(dashboard, {"name": "night", "fail_on": "suspect"}, '"1"')
    assert changed.status == 200 and (changed.json["revision"], changed.json["name"], changed.json["fail_on"]) == (2, "night", "suspect")
    assert patch(dashboard, {"name": "lost"}, '"1"').status == 412 and watch(dashboard)["name"] == "night"
    assert dashboard.post(WATCHES, {"name": "other", "question": {}}).status == 201
    assert patch(dashboard, {"name": "OTHER"}).status == 409
    assert dashboard.ask("DELETE", f"{WATCHES}/1", headers={"If-Match": '"1"'}).status == 412
    assert dashboard.ask("DELETE", f"{WATCHES}/1", headers={"If-Match": '"2"'}).status == 204
    assert dashboard.ask("DELETE", f"{WATCHES}/1").status == 404 and patch(dashboard, {"name": "x"}).status == 404
    assert [one["name"] for one in dashboard.get(WATCHES).json["watches"]] == ["other"]


@pytest.mark.one_database
def test_examples_of_the_contract_are_accepted(dashboard):
    for example in CONTRACT["components"]["schemas"]["WatchRequest"]["examples"]:
        assert dashboard.post(WATCHES, example).status == 201


def test_states_follow_the_data_and_the_decisions(bin_dir, db):
    documents = series(60, 80, 0.03, **STEP)
    with Dashboard(bin_dir, db) as one:
        store(one, documents[:38])
        assert one.post(WATCHES, {"name": "nightly", "question": QUESTION}).status == 201
        first = state(one)
        assert (first["state"], first["failed"], first["counts"]) == ("stable", False, {"series": 1, "regression": 0, "suspect": 0})
        store(one, documents[38:])
        second = state(one)
        assert (second["state"], second["failed"], second["counts"]["regression"]) == ("regression", True, 1)
        (entry,) = second["series"]
        verdict = verdict_of(one)
        assert (entry["key"], entry["state"], entry["ratio"]) == (verdict["key"], "regression", verdict["changes"][0]["ratio"])
        decide(one, verdict, "acknowledged")
        third = state(one)
        assert (third["state"], third["failed"], third["series"]) == ("stable", False, [])
        assert [item["state"] for item in watch(one)["history"]] == ["stable", "regression", "stable"]
        history = watch(one)["history"]
        # a result that changes nothing starts no entry
        store(one, series(1, 80, 0.03, seed="more", first=500, interval_h=1000))
        fourth = state(one)
        assert fourth["since_at"] == third["since_at"] and fourth["checked_at"] >= third["checked_at"]
        status, _, err = one.stop()
        assert status == 0
        lines = [line for line in err.splitlines() if "watch 'nightly'" in line]
        assert len(lines) == 3 and "regression (1 regressions and 0 suspects in 1 series)" in lines[1]
    with Dashboard(bin_dir, db) as one:
        assert watch(one)["history"] == history and state(one)["state"] == "stable"


@pytest.mark.one_database
def test_a_question_that_cannot_be_asked_is_an_error(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        assert one.post(WATCHES, {"name": "w", "question": {"metrics": ["results.none"]}}).status == 201
        found = state(one)
        assert (found["state"], found["failed"]) == ("error", True) and "/metrics/0" in found["message"]
        assert patch(one, {"question": {}}).json["state"] is None
        assert state(one)["state"] == "stable"
        assert "watch 'w': error" in one.stop()[2]


def test_dashboards_over_one_database_share_the_states(bin_dir, database, db):
    if database.kind == "sqlite":
        pytest.skip("SQLite: only one dashboard may use a database at a time")
    with Dashboard(bin_dir, db) as one, Dashboard(bin_dir, db) as other:
        one.post(WATCHES, {"name": "w", "question": QUESTION})
        store(other, series(60, 80, 0.03, **STEP))
        assert state(other)["state"] == state(one)["state"] == "regression"
        # each new state is logged once, by the one that has evaluated it
        history = watch(one)["history"]
        errs = one.stop()[2] + other.stop()[2]
        assert errs.count("watch 'w'") == len(history)


# ---- webhook -------------------------------------------------------------------------------------


@contextlib.contextmanager
def receiver(status=200, headers=(), pair=None):
    """Yields (the address, the list of received requests). pair: certificate and key, for https."""
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append((self.path, self.headers["Content-Type"], json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # a client that refuses the certificate
    if pair is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*pair)
        # the handshake happens in the thread of its connection
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http{'s' if pair else ''}://127.0.0.1:{server.server_address[1]}", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.one_database
def test_a_webhook_receives_each_new_state(bin_dir, db):
    with receiver() as (url, received), Dashboard(bin_dir, db, "--watch-webhook", f"{url}/hook?a=1") as one:
        one.post(WATCHES, {"name": "w", "question": QUESTION})
        assert state(one)["state"] == "stable"
        store(one, series(60, 80, 0.03, **STEP))
        assert state(one)["state"] == "regression"
        wait_for(lambda: len(received) == 2, "both states were sent")
        assert [(path, media) for path, media, _ in received] == [("/hook?a=1", "application/json")] * 2
        assert [(body["name"], body["state"], body["failed"]) for _, _, body in received] == [("w", "stable", False), ("w", "regression", True)]
        assert received[1][2]["counts"]["regression"] == 1
        assert one.stop()[0] == 0


@pytest.mark.one_database
def test_a_redirect_is_not_followed_and_failures_are_logged_once(bin_dir, db):
    with receiver() as (target, reached), receiver(302, [("Location", target)]) as (url, received):
        with Dashboard(bin_dir, db, "--watch-webhook", url) as one:
            one.post(WATCHES, {"name": "w", "question": QUESTION})
            state(one)
            store(one, series(60, 80, 0.03, **STEP))
            state(one)
            wait_for(lambda: len(received) == 2, "both states were sent")
            status, _, err = one.stop()
        assert status == 0 and reached == [] and err.count("could not send the state of a watch: found status 302") == 1


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A folder with the certificate of an own authority, authority.pem."""
    folder = tmp_path_factory.mktemp("authority")
    make_certificate(folder, "authority", names=None)
    return folder


def failure(dashboard):
    """Returns the line that logs that a state was not sent."""
    return next(line for line in iter(dashboard.process.stderr.readline, "") if "could not send the state of a watch" in line)


@pytest.mark.one_database
def test_a_webhook_over_https_trusts_the_given_authority(bin_dir, db, authority):
    pair = make_certificate(authority, "signed", signer="authority")
    with receiver(pair=pair) as (url, received), Dashboard(bin_dir, db, "--watch-webhook", f"{url}/hook", env={"SSL_CERT_FILE": str(authority / "authority.pem")}) as one:
        one.post(WATCHES, {"name": "w", "question": QUESTION})
        state(one)
        store(one, series(60, 80, 0.03, **STEP))
        state(one)
        wait_for(lambda: len(received) == 2, "both states were sent")
        assert [(path, body["state"]) for path, _, body in received] == [("/hook", "stable"), ("/hook", "regression")]
        status, _, err = one.stop()
    assert status == 0 and "webhook" not in err, err


@pytest.mark.one_database
@pytest.mark.parametrize("case", ["unknown authority", "another host", "expired"])
def test_a_webhook_over_https_sends_nothing_to_an_untrusted_receiver(bin_dir, db, authority, case):
    how = {"another host": {"names": "DNS:elsewhere.example"}, "expired": {"days": -1}}.get(case, {})
    pair = make_certificate(authority, case.split()[0], signer="authority", **how)
    env = {} if case == "unknown authority" else {"SSL_CERT_FILE": str(authority / "authority.pem")}
    with receiver(pair=pair) as (url, received), Dashboard(bin_dir, db, "--watch-webhook", f"{url}/hook", env=env) as one:
        one.post(WATCHES, {"name": "w", "question": QUESTION})
        state(one)
        assert "certificate" in failure(one)
        assert one.stop()[0] == 0
    assert received == []


@pytest.mark.one_database
def test_a_redirect_over_https_is_not_followed(bin_dir, db, authority):
    """Neither to https nor to http."""
    pair = make_certificate(authority, "signed", signer="authority")
    env = {"SSL_CERT_FILE": str(authority / "authority.pem")}
    for other in (pair, None):
        with receiver(pair=other) as (target, reached), receiver(307, [("Location", target)], pair) as (url, received):
            with Dashboard(bin_dir, db, "--watch-webhook", url, env=env) as one:
                one.post(WATCHES, {"name": f"{other is None}", "question": QUESTION})
                assert "found status 307" in failure(one)
                assert one.stop()[0] == 0
            assert len(received) == 1 and reached == []


@pytest.mark.one_database
def test_a_receiver_that_does_not_respond_delays_no_state(bin_dir, db):
    """The connection is accepted by the system, and nothing reads from it. The path may be a secret."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/services/T0/sesame"
        with Dashboard(bin_dir, db, "--watch-webhook", url) as one:
            for i in range(6):
                one.post(WATCHES, {"name": f"w{i}", "question": QUESTION})
            state(one, 6)
            store(one, series(60, 80, 0.03, **STEP))
            wait_for(lambda: watch(one, 6)["state"]["state"] == "regression", "the watch is asked between two attempts", seconds=20)
            status, _, err = one.stop()
    assert status == 0 and err.count("could not send the state of a watch") == 1 and "sesame" not in err, err


@pytest.mark.parametrize("url", ["ftp://a/b", "http://", "http://user@host/", "http://host:0/", "http://host/#x", "host:80", "http://a b/", "http://user:sesame@host/"])
def test_an_invalid_webhook_is_refused(bin_dir, tmp_path, url):
    done = run_dashboard(bin_dir, "serve", "--db", tmp_path / "a.db", "--port", "0", "--watch-webhook", url)
    assert done.returncode == 2 and "--watch-webhook" in done.stderr and "sesame" not in done.stderr


# ---- command -------------------------------------------------------------------------------------


@pytest.mark.one_database
def test_the_command_exits_with_7_on_a_regression(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        store(one, series(60, 80, 0.03, **STEP))
        one.post(WATCHES, {"name": "Nightly", "question": QUESTION})
        one.stop()
    found = run_dashboard(bin_dir, "regress", "--db", db, "--watch", "nightly")
    assert found.returncode == 7, found.stderr
    lines = found.stdout.splitlines()
    assert lines[0].startswith(f"regression: {TTFT} +1") and " since 2026-01-" in lines[0]
    assert lines[-1] == "1 regressions and 0 suspects in 1 series"
    as_json = run_dashboard(bin_dir, "regress", "--db", db, "--filter", json.dumps(QUESTION["filter"]), "--metrics", TTFT, "--json")
    assert as_json.returncode == 7 and json.loads(as_json.stdout)["counts"] == {"series": 1, "regression": 1, "suspect": 0}
    other = json.dumps({"field": "run.suite", "op": "eq", "value": "weekly"})
    assert run_dashboard(bin_dir, "regress", "--db", db, "--filter", other).returncode == 0
    with Dashboard(bin_dir, db) as one:
        decide(one, verdict_of(one), "expected")
        one.stop()
    silent = run_dashboard(bin_dir, "regress", "--db", db, "--watch", "nightly", "--fail-on", "suspect")
    assert (silent.returncode, silent.stdout) == (0, "0 regressions and 0 suspects in 1 series\n")


@pytest.mark.parametrize("words, says", [
    ([], "expected --watch or --filter"), (["--watch", "w", "--filter", "{}"], "found both"), (["--watch", "none"], "watch 'none' does not exist"),
    (["--filter", "{"], "--filter"), (["--filter", '{"field": "x"}'], "/filter"), (["--filter", '{"field": "no.such", "op": "is_null"}'], "no.such"),
    (["--watch", "w", "--fail-on", "never"], "--fail-on"), (["--watch", "w", "--metrics", TTFT], "--metrics"), (["--watch", "w", "more"], "more")])
def test_wrong_usage_of_the_command(bin_dir, tmp_path, words, says):
    db = tmp_path / "a.db"
    with Dashboard(bin_dir, db) as one:
        one.post(WATCHES, {"name": "w", "question": {}})
        one.stop()
    done = run_dashboard(bin_dir, "regress", "--db", db, *words)
    assert done.returncode == 2 and says in done.stderr and done.stdout == ""


def test_a_missing_database_is_refused(bin_dir, tmp_path):
    assert run_dashboard(bin_dir, "regress", "--db", tmp_path / "none.db", "--filter", '{"and": []}').returncode == 2
