"""profllm-dashboard on its own core with many synthetic results: its response time and throughput over a few and over many
connections. Each request is sent once: cached responses are not measured."""
import hashlib
import http.client
import json
import os
import random
import selectors
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import tables
from harness import cores, on_core, percentile

CONNECTIONS = (4, 64)
REQUESTS = 1200  # at each number of connections
STARTS = 3
CSV_ROWS = 10_000
PARQUET_ROWS = 100_000
SEED = 2
FEW = ["server.model", "server.tensor_parallel_size", "run.suite", "run.status", "environment.hostname", "launch.target.version",
       "quality.verdict", "benchmark.max_concurrency", "benchmark.random_input_len", "benchmark.random_output_len", "server.max_num_seqs",
       "server.gpu_memory_utilization"]
SHOWN = ["run.name", "results.output_throughput", "results.median_ttft_ms", "results.p99_ttft_ms", "results.median_tpot_ms", "results.p99_e2el_ms",
         *FEW]
FIGURES = ["results.output_throughput", "results.median_ttft_ms", "results.p99_ttft_ms", "results.median_tpot_ms"]


class Server:
    def __init__(self, program, command, db, *words, all_cores=False):
        start = time.perf_counter()
        self.process = subprocess.Popen([program, command, "--db", db, "--port", "0", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, preexec_fn=None if all_cores or command == "demo" else on_core(cores()[0]))
        line = self.process.stdout.readline()
        if not line.startswith("listening on http://"):
            raise OSError(f"profllm-dashboard {command} did not start")
        self.start_s = time.perf_counter() - start
        host, port = line.split()[-1].removeprefix("http://").rsplit(":", 1)
        self.address = host, int(port)

    def ask(self, method, path, value=None):
        connection = http.client.HTTPConnection(*self.address, timeout=600)
        connection.request(method, path, json.dumps(value) if value is not None else None, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply.status, body

    def apply(self, **request):
        status, body = self.ask("POST", "/api/filters/apply", request)
        if status != 200:
            raise OSError(f"/api/filters/apply answers {status}: {body[:200]}")
        return json.loads(body)

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


# ---- a client with many connections ----------------------------------------------------------------


class Wire:
    """One connection: a request at a time, its times into `ms`."""

    def __init__(self, address, requests, ms):
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.requests, self.ms = requests, ms
        self.send()

    def send(self):
        """False: there is nothing more to ask."""
        request = next(self.requests, None)
        self.buffer, self.whole, self.start = b"", None, time.perf_counter()
        if request is not None:
            # a few hundred bytes, and nothing before it is under way
            self.socket.sendall(request)
        return request is not None

    def take(self):
        self.buffer += self.socket.recv(1 << 20)
        if self.whole is None and (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].decode().lower()
            if not head.startswith("http/1.1 200"):
                raise OSError(self.buffer[:300].decode())
            self.whole = end + 4 + int(head.split("content-length:")[1].split()[0])
        if self.whole is None or len(self.buffer) < self.whole:
            return True
        self.ms.append(1e3 * (time.perf_counter() - self.start))
        return self.send()


def play(address, requests, connections):
    """([ms of each request], seconds)"""
    ms, left = [], iter(requests)
    with selectors.DefaultSelector() as selector:
        start = time.perf_counter()
        for _ in range(connections):
            wire = Wire(address, left, ms)
            selector.register(wire.socket, selectors.EVENT_READ, wire)
        while selector.get_map():
            for key, _ in selector.select():
                if not key.data.take():
                    selector.unregister(key.data.socket)
                    key.data.socket.close()
    return ms, time.perf_counter() - start


# ---- requests ----------------------------------------------------------------------------------------


def requests_of(server, numbers):
    """As the page asks: a filter of 1 to 4 predicates, 50 rows in some order, the facets of a dozen fields; one a number."""
    rng = random.Random(SEED + numbers.start)
    facets = server.apply(facets=FEW, columns=[], limit=0)["facets"]
    values = {field: [one["value"] for one in facet["values"]] for field, facet in facets.items() if facet["distinct"] > 1}
    host, port = server.address
    for number in numbers:
        terms = [{"field": field, "op": "in", "value": rng.sample(values[field], rng.randint(1, len(values[field]) // 2 + 1))}
                 for field in rng.sample(list(values), min(len(values), rng.randint(1, 4)))]
        # another number each time: no two are alike
        terms.append({"field": "results.output_throughput", "op": "ge", "value": number * 1e-6})
        body = json.dumps({"filter": {"and": terms}, "sort": [{"field": rng.choice(FIGURES), "dir": "desc"}], "columns": SHOWN, "limit": 50,
                           "facets": FEW}).encode()
        yield (f"POST /api/filters/apply HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
               f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def measure_load(server, connections, numbers):
    requests = list(requests_of(server, numbers))
    cpu = server.cpu_s()
    ms, seconds = play(server.address, requests, connections)
    return {"connections": connections, "requests": len(ms), "per_s": len(ms) / seconds, "p50_ms": percentile(ms, 50),
            "p99_ms": percentile(ms, 99), "cpu_ms": 1e3 * (server.cpu_s() - cpu) / len(ms), "load_average": os.getloadavg()[0]}


def read_all(server, path, value):
    """(ms, bytes) to the end of the answer: what a library makes of its pieces is not measured."""
    body = json.dumps(value).encode()
    head = (f"POST {path} HTTP/1.1\r\nHost: {server.address[0]}\r\nContent-Type: application/json\r\nConnection: close\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    room = bytearray(1 << 20)
    with socket.create_connection(server.address) as wire:
        start, count = time.perf_counter(), 0
        wire.sendall(head + body)
        while some := wire.recv_into(room):
            if count == 0 and not room.startswith(b"HTTP/1.1 200"):
                raise OSError(bytes(room[:300]).decode())
            count += some
        return 1e3 * (time.perf_counter() - start), count


def measure_csv(server, rows):
    """Every column of so many rows: the oldest of them."""
    last = server.apply(sort=[{"field": "run.timestamp", "dir": "asc"}], columns=["run.timestamp"], limit=1, offset=rows - 1)["rows"]
    tree = {"field": "run.timestamp", "op": "le", "value": last[0]["cells"]["run.timestamp"]}
    said = sorted(read_all(server, "/api/export/csv", {"filter": tree}) for _ in range(3))
    return {"rows": rows, "bytes": said[1][1], "median_ms": said[1][0]}


def save(server, path, request, file):
    """Saves the response of a request; returns milliseconds."""
    start = time.perf_counter()
    address = f"http://{server.address[0]}:{server.address[1]}{path}"
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(request).encode(), {"Content-Type": "application/json"})) as answer, open(file, "wb") as out:
        shutil.copyfileobj(answer, out, 1 << 20)
    return 1e3 * (time.perf_counter() - start)


def measure_parquet(server, program, folder, rows):
    """The set of measure_csv() as Parquet and as CSV; our reader makes the same CSV of the Parquet file."""
    last = server.apply(sort=[{"field": "run.timestamp", "dir": "asc"}], columns=["run.timestamp"], limit=1, offset=rows - 1)["rows"]
    request = {"filter": {"field": "run.timestamp", "op": "le", "value": last[0]["cells"]["run.timestamp"]}, "provenance": False}
    table, text = folder / "all.parquet", folder / "all.csv"
    try:
        times = sorted(save(server, "/api/export/parquet", request, table) for _ in range(3))
        csv_times = sorted(save(server, "/api/export/csv", request, text) for _ in range(3))
        with subprocess.Popen([program.parent.parent / "tests" / "columnar_driver", "csv", table], stdout=subprocess.PIPE) as driver:
            read = hashlib.file_digest(driver.stdout, "sha256").hexdigest()
        with open(text, "rb") as file:
            is_equal = driver.returncode == 0 and read == hashlib.file_digest(file, "sha256").hexdigest()
        return {"rows": rows, "bytes": table.stat().st_size, "median_ms": times[1], "csv_bytes": text.stat().st_size, "csv_median_ms": csv_times[1],
                "is_read_back_equal": is_equal}
    finally:
        table.unlink(missing_ok=True)
        text.unlink(missing_ok=True)


def measure(program, folder, rows, requests=REQUESTS):
    folder.mkdir(exist_ok=True)
    db = folder / "many.db"
    try:
        with Server(program, "demo", db, "--rows", str(rows)) as server:
            fill_s = server.start_s
        starts = []
        for _ in range(STARTS):
            with Server(program, "serve", db) as server:
                starts.append(server.start_s)
                resident = server.resident_bytes()
        with Server(program, "serve", db) as server:
            return {"rows": rows, "fill_s": fill_s, "start_s": sorted(starts)[STARTS // 2], "bytes_a_row": resident / rows,
                    "loads": [measure_load(server, connections, range(i * requests, (i + 1) * requests)) for i, connections in enumerate(CONNECTIONS)],
                    "csv": measure_csv(server, min(CSV_ROWS, rows)), "parquet": measure_parquet(server, program, folder, min(PARQUET_ROWS, rows))}
    finally:
        for path in folder.glob("many.db*"):
            path.unlink()


def table(results):
    tables.head(f"profllm-dashboard, {results['rows']:,} results of real width", "figure")
    tables.line("made up and stored", f"{results['fill_s']:.1f} s, {results['rows'] / results['fill_s']:.0f} a second")
    tables.line("start: from its command line to its first line", f"{results['start_s']:.2f} s")
    tables.line("memory of the process, over its results", f"{results['bytes_a_row']:,.0f} B a row")
    csv = results["csv"]
    tables.line(f"CSV of {csv['rows']:,} rows, all columns" if "rows" in csv else "CSV",
                f"{csv['median_ms']:.0f} ms, {csv['bytes'] / 1e6:.1f} MB" if "rows" in csv else f"– ({csv['failure']})")
    parquet = results.get("parquet", {})
    if "rows" in parquet:
        tables.line(f"Parquet of {parquet['rows']:,} rows, all columns", f"{parquet['median_ms']:.0f} ms, {parquet['bytes'] / 1e6:.1f} MB; the same as CSV: "
                    f"{parquet['csv_median_ms']:.0f} ms, {parquet['csv_bytes'] / 1e6:.1f} MB; read back equal: {'yes' if parquet['is_read_back_equal'] else 'NO'}")
    tables.head("50 rows and 12 facets by HTTP", "requests", "a second", "p50 ms", "p99 ms", "CPU ms a request", "load average")
    for row in results["loads"]:
        tables.line(f"{row['connections']} connections", row["requests"], tables.number(row["per_s"], 0), tables.number(row["p50_ms"], 2),
                    tables.number(row["p99_ms"], 2), tables.number(row["cpu_ms"], 2), tables.number(row["load_average"], 2))
