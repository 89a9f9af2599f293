"""Several dashboards over one database: a relay in front of a database server, and a proxy in front of the dashboards."""
import contextlib
import http.client
import http.server
import random
import socket
import struct
import threading
import time

from dashboard_tools import Dashboard
from run_tools import PATIENCE

FAILED_S = 1  # in which a proxy asks a process that failed last
RESET = struct.pack("ii", 1, 0)


class Relay:
    """Passes TCP connections on to the socket of a PostgreSQL server, until cut() resets all of them."""

    def __init__(self, server):
        self.target = f"{server.folder}/.s.PGSQL.5432"
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.lock, self.pairs, self.is_paused = threading.Lock(), [], False
        threading.Thread(target=self.accept, daemon=True).start()

    def address(self, db):
        name = db.split("@/")[1].split("?")[0]
        return f"postgres://profllm@127.0.0.1:{self.port}/{name}"

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                if self.is_paused:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self.target)
                except OSError:
                    client.close()
                    continue
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self.lock:
                    self.pairs.append((client, server))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def pump(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for one in pair:
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    one.shutdown(socket.SHUT_RDWR)

    def pause(self):
        """Cuts, and refuses connections."""
        self.is_paused = True
        self.cut()

    def go_on(self):
        self.is_paused = False

    def close(self):
        self.listener.close()
        self.cut()


class Process:
    """A dashboard that is started again: its present address."""

    def __init__(self, bin_dir, db):
        self.bin_dir, self.db, self.one = bin_dir, db, None
        self.start()

    def start(self):
        self.one = Dashboard(self.bin_dir, self.db)

    @property
    def host(self):
        return self.one.host

    def kill(self):
        self.one.process.kill()
        self.one.process.communicate()

    def stop(self):
        status, _, err = self.one.stop()
        assert status == 0, err

    def close(self):
        if self.one.process.poll() is None:
            self.kill()


class Unanswered(Exception):
    pass


def send(host, method, path, body=None, headers=None, timeout=60):
    """Returns (status, headers, body)."""
    connection = http.client.HTTPConnection(*host.rsplit(":", 1), timeout=timeout * PATIENCE)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    except (OSError, http.client.HTTPException) as fault:
        raise Unanswered(repr(fault)) from fault
    finally:
        connection.close()


class RoundRobin(http.server.ThreadingHTTPServer):
    """A proxy of several dashboards. Like usual proxies, it asks the next one if one cannot be connected to or is busy (503),
    answers 502 if a connection breaks after the request was sent, and then asks that one last for a second: a killed process may
    still accept connections until the kernel has ended it."""

    request_queue_size = 128
    daemon_threads = True

    def __init__(self, processes):
        super().__init__(("127.0.0.1", 0), Forward)
        self.processes, self.count, self.lock = processes, 0, threading.Lock()
        self.failed_at = {process: -FAILED_S for process in processes}
        self.host = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def order(self):
        with self.lock:
            self.count += 1
            order = [self.processes[(self.count + i) % len(self.processes)] for i in range(len(self.processes))]
        return sorted(order, key=lambda process: time.monotonic() - self.failed_at[process] < FAILED_S)

    def handle_error(self, request, client_address):
        pass

    def close(self):
        self.shutdown()
        self.server_close()


class Forward(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name not in ("Host", "Connection", "Content-Length")}
        status, out = 502, b""
        kept = {}
        for process in self.server.order():
            try:
                with contextlib.closing(socket.create_connection(tuple(process.host.rsplit(":", 1)), timeout=5 * PATIENCE)):
                    pass
            except OSError as fault:
                out = out + f"{process.host}: {fault!r}; ".encode()
                continue
            begun = time.monotonic()
            try:
                status, kept, out = send(process.host, self.command, self.path, body or None, headers)
            except Unanswered as fault:
                self.server.failed_at[process] = time.monotonic()
                status, kept, out = 502, {}, f"{process.host}: {fault}, {begun:.3f} to {time.monotonic():.3f}".encode()
                break
            if status != 503:
                break
        self.send_response(status)
        for name in ("Content-Type", "Location", "X-Data-Version", "Retry-After"):
            if kept and kept.get(name):
                self.send_header(name, kept[name])
        if status != 204:
            self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on  # pylint: disable=invalid-name


class Chaos(threading.Thread):
    """Plays steps in a random order, with random pauses, until it is over or as many were played."""

    def __init__(self, seed, steps, pause_s, most):
        super().__init__(daemon=True)
        self.random, self.steps, self.pause_s, self.most = random.Random(seed), steps, pause_s, most
        self.is_over, self.fault, self.played = threading.Event(), None, []

    def run(self):
        try:
            while len(self.played) < self.most and not self.is_over.wait(self.random.uniform(0, self.pause_s)):
                step = self.random.choice(self.steps)
                self.played.append(step.__name__)
                step()
        except Exception as fault:  # pylint: disable=broad-exception-caught
            self.fault = fault

    def end(self):
        self.is_over.set()
        self.join()
        assert self.fault is None, self.fault


def until(condition, seconds, what):
    """As wait_for(), with pauses that leave the processor to many threads."""
    end = time.monotonic() + seconds * PATIENCE
    while not (value := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.02)
    return value
