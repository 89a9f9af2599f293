"""Metrics, health, logs, request ids, the drain and the messages to a service manager of a dashboard."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
from access_tools import Guarded, bearer
from dashboard_tools import Dashboard, little
from run_tools import PATIENCE
from wait_tools import wait_for

APPLY = "/api/filters/apply"
SAMPLE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)+)\})? (\S+)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\.)*)"')


def rows_of(source_dir):
    text = (source_dir / "src/tbl/dash_metrics.h").read_text()
    return {name: (kind.lower(), labels.split(",") if labels else [])
            for kind, name, labels in re.findall(r'^METRIC\(\w+, (\w+), "(\w+)", "\w*", "([\w,]*)"', text, re.M)}


def parse(text):
    """Returns {name: type} and {(name, labels): value} after checking the form of every line."""
    types, values, current = {}, {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            current = line.split()[2]
            assert current not in types and len(line.split()) > 4
        elif line.startswith("# TYPE "):
            assert line.split()[2] == current
            types[current] = line.split()[3]
        elif line.startswith("#"):
            continue
        else:
            found = SAMPLE.match(line)
            assert found, line
            name, labels, value = found.groups()
            assert re.fullmatch(rf"{current}(_bucket|_sum|_count|_total)?", name), line
            key = (name, tuple(sorted(LABEL.findall(labels or ""))))
            assert key not in values, line
            values[key] = float(value)
    return types, values


def metrics(one, **headers):
    answer = one.get("/metrics", **headers)
    assert answer.status == 200
    return parse(answer.body.decode())


def value(values, name, **labels):
    return values[(name, tuple(sorted(labels.items())))]


# ---- metrics -------------------------------------------------------------------------------------


def test_the_metrics(bin_dir, source_dir, database, tmp_path):
    """All rows of the table and no others; numbers that follow what was done."""
    with Dashboard(bin_dir, database.with_tables(tmp_path)) as one:
        job = one.upload("/api/upload/batch", [little(0), little(1), little(0), {"run_id": 5, "results": 3}])
        assert job["counts"]["stored"] == 2 and job["counts"]["duplicate"] == 1 and job["counts"]["rejected"] == 1
        one.ask("DELETE", f"/api/data/experiments/{one.ids()[0]}")
        question = {"filter": {"field": "run.suite", "op": "eq", "value": "s"}}
        for _ in range(3):
            assert one.post(APPLY, question).json["count"] == 1
        for path in ("/api/nothing/1", "/api/nothing/2", "/api/data/experiments/99", "/api/data/experiments/98"):
            assert one.get(path).status == 404
        requests = "profllm_dashboard_http_requests_total"
        # a request counts after its last byte was sent, which its client may read before
        wait_for(lambda: value(parse(one.get("/metrics").body.decode())[1], requests, method="GET", route="/api/data/experiments/{id}", status="404") == 2,
                 "both are counted")
        answer = one.get("/metrics")
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8" and answer.headers["Cache-Control"] == "no-store"
        types, values = parse(answer.body.decode())
        rows = rows_of(source_dir)
        assert types == {name: kind for name, (kind, _) in rows.items()}
        for name, labels in values:
            base = name if name in rows else re.sub(r"_(bucket|sum|count)$", "", name)
            assert sorted(label for label, _ in labels if label != "le") == sorted(rows[base][1]), name
        assert value(values, requests, method="POST", route="/api/upload/batch", status="202") == 1
        assert value(values, requests, method="GET", route="/api/data/experiments/{id}", status="404") == 2
        assert value(values, requests, method="GET", route="none", status="404") == 2
        assert value(values, "profllm_dashboard_cache_hits_total", cache="long") >= 2
        assert value(values, "profllm_dashboard_cache_bytes", cache="long") > 0
        documents = "profllm_dashboard_ingest_documents_total"
        assert value(values, documents, producer="plain", outcome="stored") == 2
        assert value(values, documents, producer="plain", outcome="duplicate") == 1
        assert value(values, documents, producer="unknown", outcome="rejected") == 1
        assert value(values, "profllm_dashboard_results", state="live") == 1
        assert value(values, "profllm_dashboard_ready") == 1 and value(values, "profllm_dashboard_unready", reason="disk") == 0
        assert value(values, "profllm_dashboard_disk_free_bytes", directory="artifacts") > 0
        assert value(values, "process_resident_memory_bytes") > 1e6
        assert abs(value(values, "process_start_time_seconds") - time.time()) < 60 * PATIENCE
        histogram = "profllm_dashboard_http_request_duration_seconds"
        buckets = [count for (name, labels), count in values.items() if name == f"{histogram}_bucket" and ("route", APPLY) in labels]
        assert buckets == sorted(buckets) and buckets[-1] == value(values, f"{histogram}_count", method="POST", route=APPLY) >= 3
        wait_for(lambda: value(metrics(one)[1], "profllm_dashboard_results", state="deleted") == 1, "it is counted", seconds=60, look_s=0.2)
        later = metrics(one)[1]
        for (name, labels), count in values.items():
            if name.endswith(("_total", "_bucket", "_count")):
                assert later[(name, labels)] >= count, name
        assert one.stop() == (0, "", "")


def test_the_metrics_as_openmetrics(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        answer = one.get("/metrics", Accept="application/openmetrics-text; version=1.0.0,text/plain;q=0.5")
        assert answer.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
        text = answer.body.decode()
        assert text.endswith("\n# EOF\n")
        types, values = parse(text)
        assert types["profllm_dashboard_http_requests"] == "counter" and "profllm_dashboard_http_requests_total" not in types
        for unit_of, unit in re.findall(r"^# UNIT (\w+) (\w+)$", text, re.M):
            assert unit_of.endswith(f"_{unit}") and unit_of in types
        assert value(values, "profllm_dashboard_ready") == 1
        assert one.stop() == (0, "", "")


def test_promtool_finds_no_fault(bin_dir, tmp_path):
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        assert one.upload("/api/upload/json", little())["counts"]["stored"] == 1
        one.post("/api/analysis/watches", {"name": 'a "quoted" \\ name', "question": {}})
        wait_for(lambda: 'watch="a' in one.get("/metrics").body.decode(), "the watch is listed", seconds=60)
        done = subprocess.run([promtool, "check", "metrics"], input=one.get("/metrics").body, capture_output=True, timeout=60 * PATIENCE)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_metrics_of_watches(bin_dir, tmp_path):
    name = 'nightly "8B" \\ x'
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        assert one.upload("/api/upload/json", little())["counts"]["stored"] == 1
        assert one.post("/api/analysis/watches", {"name": name, "question": {}}).status == 201
        label = name.replace("\\", "\\\\").replace('"', '\\"')
        wait_for(lambda: metrics(one)[1].get(("profllm_watch_state", (("state", "stable"), ("watch", label)))) == 1, "it is evaluated", seconds=60)
        _, values = metrics(one)
        states = {labels[0][1]: number for (metric, labels), number in values.items() if metric == "profllm_watch_state"}
        assert states == {"unknown": 0, "stable": 1, "suspect": 0, "regression": 0, "error": 0}
        assert value(values, "profllm_watch_failed", watch=label) == 0
        assert value(values, "profllm_watch_series", watch=label, state="regression") == 0
        assert not any(metric == "profllm_watch_ratio" for metric, _ in values)
        assert one.stop()[0] == 0


def test_metrics_need_the_role_read(bin_dir, tmp_path):
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens") as one:
        assert one.ask_as(None, "GET", "/metrics").status == 401
        answer = one.ask_as("read", "GET", "/metrics")
        assert answer.status == 200
        _, values = parse(answer.body.decode())
        assert [value(values, "profllm_dashboard_tokens", role=role) for role in ("read", "write", "admin")] == [1, 1, 1]
        assert value(values, "profllm_dashboard_sessions") == 0
        assert one.post_as(None, "/api/session", {"token": one.tokens["read"]}).status == 201
        assert value(parse(one.get("/metrics").body.decode())[1], "profllm_dashboard_sessions") == 1
        assert one.ask_as("write", "GET", "/api/status").status == 403
        status = one.get("/api/status")
        assert {(token["name"], token["role"], token["session_count"]) for token in status.json["tokens"]} == {
            ("reader", "read", 1), ("writeer", "write", 0), ("adminer", "admin", 0)}
        assert not any(token.encode()[8:] in status.body + answer.body for token in one.tokens.values())


# ---- health --------------------------------------------------------------------------------------


def test_health_of_a_stranger(bin_dir, tmp_path):
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens") as one:
        assert one.ask_as(None, "GET", "/api/health").json == {"status": "ok"}
        assert one.ask_as(None, "GET", "/api/health/ready").json == {"ready": True, "reasons": []}
        health = one.ask_as("read", "GET", "/api/health").json
        assert health["ready"] and health["reasons"] == [] and health["database"]["state"] == "available"
        assert {disk["directory"] for disk in health["disks"]} == {"database", "artifacts"}
        assert health["uploads"] == {"unfinished_count": 0, "oldest_seconds": 0}


@pytest.mark.release_only  # PostgreSQL is slow with a sanitizer
def test_health_of_a_database_that_does_not_respond(bin_dir, postgres):
    """Its processes are stopped, so that queries get no response, not even an error: health, readiness, metrics and the cache
    respond."""
    with Dashboard(bin_dir, postgres.with_tables()) as one:
        assert one.upload("/api/upload/json", little())["counts"]["stored"] == 1
        pids = postgres_processes(one.process.pid, postgres)
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            wait_for(lambda: one.get("/api/health/ready").status == 503, "it is noticed", seconds=30)
            begin = time.monotonic()
            health = one.get("/api/health").json
            assert health["status"] == "ok" and health["total"] == 1 and health["database"]["state"] == "lost"
            assert "has not responded for" in health["database"]["message"] and health["reasons"] == ["database"]
            assert value(metrics(one)[1], "profllm_dashboard_database_up", kind="postgresql") == 0
            assert one.get("/").status == 200 and one.get("/api/fields").status == 200
            assert time.monotonic() - begin < 3 * PATIENCE
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        wait_for(lambda: one.get("/api/health/ready").status == 200, "it responds again", seconds=30)
        assert one.stop()[0] == 0


def postgres_processes(pid, postgres):
    """Returns the processes of the database server that work for the dashboard."""
    from sql_tools import ask
    return [row[0] for row in ask(postgres.address("postgres"), f"SELECT pid FROM pg_stat_activity WHERE application_name LIKE '%process {pid}'")]


def test_health_of_a_server_that_is_overloaded(bin_dir, tmp_path):
    """More slow requests than the queue has room for: some are refused with 503 and Retry-After, while health, metrics, files
    and cached responses respond."""
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        rows = [little(i, config={"server": {f"t{j}": f"{i} {j}" for j in range(30)}}) for i in range(200 // PATIENCE)]
        one.upload("/api/upload/batch", rows)
        cached = {"limit": 3}
        assert one.post(APPLY, cached).status == 200
        peers = []
        host, port = one.host.rsplit(":", 1)
        for number in range(180):
            body = json.dumps({"limit": 0, "facets": [f"server.t{number % 30}"], "offset": number, "budget_ms": 60000}).encode()
            peer = socket.create_connection((host, int(port)), timeout=60 * PATIENCE)
            peer.sendall(f"POST {APPLY} HTTP/1.1\r\nHost: {one.host}\r\nContent-Type: application/json\r\nConnection: close\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            peers.append(peer)
        assert one.get("/api/health").status == 200 and one.get("/api/health/ready").status == 200
        assert one.post(APPLY, cached).status == 200 and one.get("/").status == 200
        answers = []
        for peer in peers:
            came = b""
            while piece := peer.recv(65536):
                came += piece
            peer.close()
            answers.append(came)
        refused = [came for came in answers if came.startswith(b"HTTP/1.1 503 ")]
        assert all(came.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 503 ")) for came in answers)
        assert all(b"\r\nRetry-After: 1\r\n" in came for came in refused)
        assert value(metrics(one)[1], "profllm_dashboard_queue_refused_total", queue="long") == len(refused)
        assert one.stop()[0] == 0


# ---- logs ----------------------------------------------------------------------------------------


def test_request_ids(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db", "--verbose") as one:
        for sent in ("abc-1", "A.b_c:9", "x" * 64, "550e8400-e29b-41d4-a716-446655440000"):
            answer = one.get("/api/nothing", **{"X-Request-Id": sent})
            assert answer.headers["X-Request-Id"] == sent == answer.json["request_id"]
        ids = set()
        for sent in ("", "x" * 65, "a b", "a\"b", "ä", "a;b"):
            answer = one.ask("GET", "/api/nothing", headers={"X-Request-Id": sent.encode("latin-1")})
            assert re.fullmatch("[0-9a-f]{16}", answer.headers["X-Request-Id"]) and answer.json["request_id"] == answer.headers["X-Request-Id"]
            ids.add(answer.headers["X-Request-Id"])
        assert len(ids) == 6
        assert re.fullmatch("[0-9a-f]{16}", one.get("/").headers["X-Request-Id"])
        gz = one.ask("POST", APPLY, b"[", {"Content-Type": "application/json", "Accept-Encoding": "gzip", "X-Request-Id": "z"})
        assert gz.json["request_id"] == "z" and int(gz.headers["Content-Length"]) == len(gz.body)
        status, _, err = one.stop()
        assert status == 0 and re.search(r"^GET /api/nothing 404 \d+ bytes in [\d.]+ ms, id abc-1$", err, re.M)


def test_the_log_as_json(bin_dir, tmp_path):
    """One object per line, whatever clients send."""
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens", "--log-format", "json", "--log-level", "debug") as one:
        one.ask_as("read", "GET", "/api/fields", headers={"X-Request-Id": "r-1"})
        one.ask_as("read", "GET", '/%0a%1b[31m%22x?q="%7f\\', check=False)
        one.post_as("write", "/api/annotations", {"version": "1", "text": "t"}, **{"X-Request-Id": "r-2"})
        one.ask_as("profllm_" + "B" * 43, "GET", "/api/fields")
        status, _, err = one.stop()
        assert status == 0
        lines = [json.loads(line) for line in err.splitlines()]
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", line["time"]) and line["program"] == "profllm-dashboard" for line in lines)
        assert {line["level"] for line in lines} <= {"info", "warning", "error", "debug"}
        requests = {line["request_id"]: line for line in lines if line["message"] == "request"}
        first = requests["r-1"]
        assert (first["method"], first["route"], first["status"], first["user"]) == ("GET", "/api/fields", 200, "reader")
        assert first["bytes"] > 1000 and first["duration_ms"] > 0 and first["from"].startswith("127.0.")
        # a line follows its response, so a later request of another connection may be first
        audits = sorted((line for line in lines if line["message"] == "audit"), key=lambda line: line["status"])
        assert [(line["request_id"], line["user"], line["status"], line["path"]) for line in audits[:1]] == [("r-2", "writeer", 201, "/api/annotations")]
        assert audits[1]["status"] == 401 and len(audits) == 2
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\x85]", err) and not any(token[8:] in err for token in one.tokens.values())


@pytest.mark.parametrize("level, count", [("error", 0), ("warning", 0), ("info", 1), ("debug", 2)])
def test_the_level_of_the_log(bin_dir, tmp_path, level, count):
    with Dashboard(bin_dir, tmp_path / "d.db", "--log-level", level, env={"PROFLLM_LOG": "debug"}) as one:
        one.get("/api/fields")
        one.process.send_signal(signal.SIGTERM)
        err = one.process.communicate(timeout=60 * PATIENCE)[1]
        assert len(err.splitlines()) == count, err


@pytest.mark.parametrize("words, message", [(("--log-level", "loud"), "--log-level"), (("--log-format", "xml"), "--log-format"),
                                            (("--drain", "soon"), "--drain"), (("--drain", "-1s"), "--drain")])
def test_options_that_are_refused(bin_dir, tmp_path, words, message):
    done = subprocess.run([bin_dir / "profllm-dashboard", "serve", "--db", tmp_path / "d.db", "--port", "0", *words], capture_output=True, text=True,
                          timeout=60 * PATIENCE, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and done.stdout == "" and message in done.stderr and not (tmp_path / "d.db").exists()


# ---- stop ----------------------------------------------------------------------------------------


def test_a_drain(bin_dir, tmp_path):
    """Requests are served while the readiness is 503, and connections end with their response."""
    with Dashboard(bin_dir, tmp_path / "d.db", "--drain", "2s") as one:
        kept = one.connect()
        assert one.ask("GET", "/api/health/ready", connection=kept).status == 200
        begin = time.monotonic()
        one.process.send_signal(signal.SIGTERM)
        wait_for(lambda: one.get("/api/health/ready").status == 503, "it drains")
        ready = one.get("/api/health/ready")
        assert ready.json == {"ready": False, "reasons": ["stopping"]} and ready.headers["Retry-After"] == "1"
        answer = one.ask("GET", "/api/health", connection=kept)
        assert answer.status == 200 and answer.json["reasons"] == ["stopping"] and answer.headers["Connection"] == "close"
        assert one.upload("/api/upload/json", little())["counts"]["stored"] == 1
        assert one.process.wait(60 * PATIENCE) == 0
        assert time.monotonic() - begin > 1.9


def test_a_second_signal_ends_the_drain(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db", "--drain", "1h") as one:
        one.process.send_signal(signal.SIGTERM)
        wait_for(lambda: one.get("/api/health/ready").status == 503, "it drains")
        assert one.stop() == (0, "", "")


# ---- service manager -----------------------------------------------------------------------------


class Manager:
    """The socket of a service manager; collects the messages."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.messages = []
        threading.Thread(target=self.collect, daemon=True).start()

    def collect(self):
        while True:
            try:
                self.messages.append((time.monotonic(), self.socket.recv(4096).decode()))
            except OSError:
                return

    def texts(self):
        return [text for _, text in self.messages]


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_messages_to_a_service_manager(bin_dir, tmp_path, kind):
    name = str(tmp_path / "notify") if kind == "path" else f"\0profllm-test-{os.getpid()}-{time.monotonic_ns()}"
    manager = Manager(name)
    with Dashboard(bin_dir, tmp_path / "d.db", env={"NOTIFY_SOCKET": name.replace("\0", "@")}) as one:
        wait_for(lambda: manager.texts(), "it is ready")
        assert manager.texts() == [f"READY=1\nSTATUS=Serving\nMAINPID={one.process.pid}"]
        one.process.send_signal(signal.SIGHUP)  # systemctl reload, without a certificate
        pending = lambda: int(re.search(r"^ShdPnd:\s*(\w+)", Path(f"/proc/{one.process.pid}/status").read_text(), re.M)[1], 16)
        wait_for(lambda: not pending(), "it took the signal")
        assert one.get("/api/health/ready").status == 200 and len(manager.texts()) == 1
        assert one.stop() == (0, "", "")
        wait_for(lambda: len(manager.texts()) == 2, "it stops")
        assert manager.texts()[1] == "STOPPING=1\nSTATUS=Stopping"
        manager.socket.close()


def test_the_watchdog(bin_dir, postgres, tmp_path):
    """It pings while the server works, not while its database does not respond, and again afterwards."""
    manager = Manager(str(tmp_path / "notify"))
    env = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "2000000"}
    with Dashboard(bin_dir, postgres.with_tables(), env=env) as one:
        pings = lambda: manager.texts().count("WATCHDOG=1")
        wait_for(lambda: pings() >= 3, "it pings", seconds=30)
        assert one.get("/api/health").status == 200
        pids = postgres_processes(one.process.pid, postgres)
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            wait_for(lambda: time.monotonic() - manager.messages[-1][0] > 5 * PATIENCE, "the pings end", seconds=60)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        before = pings()
        wait_for(lambda: pings() > before, "they continue", seconds=30)
        assert one.stop()[0] == 0
        manager.socket.close()


def test_the_watchdog_of_another_process(bin_dir, tmp_path):
    manager = Manager(str(tmp_path / "notify"))
    env = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"}
    with Dashboard(bin_dir, tmp_path / "d.db", env=env) as one:
        wait_for(lambda: manager.texts(), "it is ready")
        assert one.stop() == (0, "", "")
    assert "WATCHDOG=1" not in manager.texts()
    for address in ("relative", "/", "/nothing/there", "@" + "x" * 200, ""):
        with Dashboard(bin_dir, tmp_path / "d.db", env={"NOTIFY_SOCKET": address}) as one:
            assert one.stop() == (0, "", "")
    manager.socket.close()


def test_a_scrape_by_a_token(bin_dir, tmp_path):
    with Guarded(bin_dir, tmp_path / "d.db", tmp_path / "tokens") as one:
        assert one.ask("GET", "/metrics", headers=bearer(one.tokens["read"])).status == 200


# ---- Grafana -------------------------------------------------------------------------------------


def test_the_board_of_grafana(source_dir):
    """Each query uses metrics and labels that exist, each panel has a place of its own, and every metric of the table is shown or
    is left out on purpose."""
    board = json.loads((source_dir / "packaging/grafana/profllm.json").read_text())
    rows = rows_of(source_dir)
    left_out = {"profllm_dashboard_unready", "profllm_dashboard_http_response_bytes_total", "profllm_dashboard_http_body_bytes",
                "profllm_dashboard_queue_age_seconds", "profllm_dashboard_queue_running", "profllm_dashboard_database_check_age_seconds",
                "profllm_dashboard_data_version", "profllm_dashboard_start_results", "profllm_dashboard_behind_changes", "profllm_dashboard_tokens", "profllm_dashboard_sessions",
                "profllm_dashboard_live_runs", "process_max_fds", "process_start_time_seconds"}
    queries = [(panel["title"], target["expr"]) for panel in board["panels"] for target in panel.get("targets", [])]
    queries += [(one["name"], one["query"]) for one in board["templating"]["list"] if one["type"] == "query"]
    used = set()
    for title, query in queries:
        names = set(re.findall(r"\b(?:profllm|process)_[a-z_]+", query))
        assert names, title
        known = {re.sub(r"_bucket$", "", name) for name in names}
        assert known <= set(rows), (title, known - set(rows))
        used |= known
        labels = {"job", "instance", "le"}.union(*(rows[name][1] for name in known))
        named = {label for list_ in re.findall(r"by \(([^)]*)\)", query) for label in list_.split(", ")} | set(re.findall(r"(\w+)=~?\"", query))
        assert named <= labels, (title, named - labels)
        for name in names:
            assert rows[re.sub(r"_bucket$", "", name)][0] == "gauge" or re.search(rf"(rate|increase)\({name}\{{", query), (title, name)
    assert used | left_out == set(rows) and not used & left_out
    places = [(x, y) for panel in board["panels"] for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
              for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])]
    assert len(places) == len(set(places)) and max(x for x, _ in places) < 24
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert all(panel["title"] and (panel["type"] == "row" or panel["description"]) for panel in board["panels"])
