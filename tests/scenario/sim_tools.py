"""A running profllm-sim for the scenarios, and a client that takes its answers apart."""
import http.client
import json
import re
import signal
import subprocess
import threading
import time

from run_tools import PATIENCE, TIMEOUT_S


class Server:
    """profllm-sim on a free port; ready when the constructor returns."""

    def __init__(self, bin_dir, *args, model="tiny", preexec=None):
        self.process = subprocess.Popen(
            [str(bin_dir / "profllm-sim"), "serve", model, "--host", "127.0.0.1", "--port", "0",
             *map(str, args)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=preexec)
        self.lines = []
        self.port = None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            found = re.search(r"Starting profllm-sim server on https?://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
            if "Application startup complete." in line:
                break
        assert self.port, "the server did not start:\n" + "\n".join(self.lines)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def stop(self):
        """SIGTERM; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=TIMEOUT_S * PATIENCE)
        self.reader.join()
        self.process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        status = self.stop()
        assert failed or status == 0, "\n".join(self.lines)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, method, path, body=None, headers=None):
        """(status, headers, body as bytes)"""
        connection = self.connect()
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request(method, path, data, headers or {})
        answer = connection.getresponse()
        result = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return result

    def get(self, path):
        status, _, body = self.ask("GET", path)
        assert status == 200, (path, status, body)
        return body

    def post(self, path, body):
        status, _, answer = self.ask("POST", path, body)
        assert status == 200, (path, status, answer)
        return json.loads(answer)

    def stream(self, path, body, headers=None):
        """The events of a stream: objects, and "[DONE]"; with the time each came, monotonic ns."""
        connection = self.connect()
        connection.request("POST", path, json.dumps({"stream": True, **body}), headers or {})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        events, times = [], []
        for line in answer:
            if line.startswith(b"data: "):
                text = line[6:].decode().rstrip("\n")
                events.append(text if text == "[DONE]" else json.loads(text))
                times.append(time.monotonic_ns())
        connection.close()
        return events, times

    def metrics(self):
        """{name with labels: value}"""
        return parse_metrics(self.get("/metrics").decode())

    def metric(self, family):
        """The sum over all labels of one family."""
        return sum(value for name, value in self.metrics().items()
                   if name.split("{")[0] == family)


def parse_metrics(text):
    values = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            values[name] = float(value)
    return values


def read_log(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def by_request(log):
    """{request_id: [lines]}, lines without an id left out."""
    requests = {}
    for line in log:
        if line["request_id"] is not None:
            requests.setdefault(line["request_id"], []).append(line)
    return requests


def in_threads(functions):
    """Runs all at once; returns their results in order, or raises what one raised."""
    results = [None] * len(functions)
    errors = []

    def run(i):
        try:
            results[i] = functions[i]()
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
