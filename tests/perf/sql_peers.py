"""SQLite and PostgreSQL with the rows of tests/perf/facets.py in a table, one column for each field, and the same requests
in plain SQL.

A filter is used if SQL has an equivalent: values of a list and ranges; null and not recorded are NULL. Counts are
compared with ours before anything is timed.


"""
import os
import pathlib
import pwd
import sqlite3
import subprocess
import time

NUMBERS = ("number", "count")
DONE = "-- done --"


class CountsDiffer(Exception):
    """Two that should say the same do not."""


def quoted(field):
    return '"' + field + '"'


def literal(value):
    if isinstance(value, bool):
        return str(int(value))
    if value in ("inf", "-inf"):
        return f"'{value}'::float8"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def terms_of(request):
    return request["filter"]["and"]


def where(terms):
    parts = []
    for one in terms:
        if one["op"] == "in":
            parts.append(f"{quoted(one['field'])} IN ({', '.join(map(literal, one['value']))})")
        else:
            parts.append(f"{quoted(one['field'])} BETWEEN {' AND '.join(map(literal, one['value']))}")
    return " AND ".join(parts) or "true"


def facet_texts(request):
    """Each of the facets by a SELECT of its own, its own predicate left out."""
    for field in request["facets"]:
        rest = where([one for one in terms_of(request) if one["field"] != field])
        yield f"SELECT {quoted(field)}, count(*) FROM r WHERE {rest} GROUP BY 1 ORDER BY 2 DESC LIMIT 50"


def page_text(request):
    columns = ", ".join(map(quoted, request["columns"]))
    return f"SELECT id, {columns} FROM r WHERE {where(terms_of(request))} ORDER BY {quoted(request['sort'][0]['field'])} DESC LIMIT 50"


def count_text(request):
    return f"SELECT count(*) FROM r WHERE {where(terms_of(request))}"


class Peer:
    def __init__(self, types):
        self.types = types
        self.filled = None

    def ask(self, text):
        raise NotImplementedError

    def metric_texts(self, request):
        raise NotImplementedError

    def fill(self, driver, rows):
        """Once for the same rows."""
        if self.filled == rows:
            return
        path = self.folder / "rows.tsv"
        said = driver.ask(dump={**rows, "path": str(path)})
        assert "error" not in said, said
        self.load(path, [field for field in self.types if field in rows["ids"]])
        path.unlink()
        self.filled = rows

    def texts(self, name, request):
        if name == "facets":
            return [count_text(request), *facet_texts(request)]
        return [count_text(request), page_text(request)] if name == "page" else self.metric_texts(request)

    def compare(self, driver, rows, asked, count):
        """{question: {ours_ms, peer_ms, ratio}}: medians over the first filters that it can be asked."""
        self.fill(driver, rows)
        out = {}
        for name, requests in asked.items():
            said = driver.ask(time=requests[0], times=1)
            if "error" in said:
                out[name] = {"failure": said["error"]}
                continue
            pairs = [self.measure(driver, name, request) for request in requests[:count]]
            ours, theirs = (sorted(one)[len(one) // 2] for one in zip(*pairs, strict=True))
            out[name] = {"ours_ms": ours, "peer_ms": theirs, "ratio": theirs / ours}
        return out

    def measure(self, driver, name, request):
        ours = driver.answer(filter=request["filter"], columns=[], limit=0)["count"]
        theirs = int(self.ask(count_text(request))[0][0])
        if ours != theirs:
            raise CountsDiffer(f"{self.name} counts {theirs}, we {ours}: {request['filter']}")
        start = time.perf_counter()
        for text in self.texts(name, request):
            self.ask(text)
        peer_ms = 1e3 * (time.perf_counter() - start)
        return sorted(driver.ask(time=request, times=3)["ms"])[1], peer_ms


class Sqlite(Peer):
    name = "SQLite"

    def __init__(self, folder, types):
        super().__init__(types)
        self.folder = folder
        self.db = sqlite3.connect(folder / "peer.db")
        self.db.execute("PRAGMA journal_mode = OFF")
        self.db.execute("PRAGMA cache_size = -4000000")

    def load(self, path, columns):
        self.db.execute("DROP TABLE IF EXISTS r")
        self.db.execute(f"CREATE TABLE r (id INTEGER PRIMARY KEY, {', '.join(map(quoted, columns))})")
        makers = [float if self.types[field] in NUMBERS else int if self.types[field] == "yes" else unescaped for field in columns]

        def rows():
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    cells = line.rstrip("\n").split("\t")
                    yield [int(cells[0]), *(None if cell == "\\N" else make(cell) for make, cell in zip(makers, cells[1:], strict=True))]

        with self.db:
            self.db.executemany(f"INSERT INTO r VALUES ({', '.join('?' * (len(columns) + 1))})", rows())
        self.db.execute("ANALYZE")

    def ask(self, text):
        return self.db.execute(text.replace("'inf'::float8", "9e999").replace("'-inf'::float8", "-9e999")).fetchall()

    def metric_texts(self, request):
        """It has no percentiles: the row at their place is looked for."""
        count = int(self.ask(count_text(request))[0][0])
        for field in request["metrics"]:
            rest = f"{where(terms_of(request))} AND {quoted(field)} IS NOT NULL"
            yield f"SELECT avg({quoted(field)}) FROM r WHERE {rest}"
            for share in (0.5, 0.95):
                yield f"SELECT {quoted(field)} FROM r WHERE {rest} ORDER BY 1 LIMIT 1 OFFSET {int(share * max(0, count - 1))}"

    def close(self):
        self.db.close()


def unescaped(text):
    return text.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\") if "\\" in text else text


class Postgres(Peer):
    """A cluster of its own in a folder, over a socket in it."""
    name = "PostgreSQL 15"

    def __init__(self, folder, types, programs):
        super().__init__(types)
        self.folder, self.programs, self.owner = folder, programs, owner_of()
        self.data = folder / "pg"
        folder.chmod(0o755)
        self.data.mkdir()
        if self.owner:
            os.chown(self.data, self.owner.pw_uid, self.owner.pw_gid)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "perf", "--no-sync", "-E", "UTF8", "--locale=C")
        options = f"-k {self.data} -c listen_addresses= -c fsync=off -c shared_buffers=2GB -c jit=off -c max_wal_size=8GB -c autovacuum=off -c client_min_messages=warning"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.data / "log", "-o", options, "start")
        self.session = subprocess.Popen([programs / "psql", "-qAtX", "-h", self.data, "-U", "perf", "-d", "postgres", "-v", "ON_ERROR_STOP=1"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, program, *words):
        user = {"user": self.owner.pw_uid, "group": self.owner.pw_gid, "extra_groups": []} if self.owner else {}
        subprocess.run([self.programs / program, *words], check=True, stdout=subprocess.DEVNULL, cwd="/", **user)

    def load(self, path, columns):
        types = {"yes": "smallint", "text": "text", "time": "text", "json": "text"}
        named = ", ".join(f"{quoted(field)} {types.get(self.types[field], 'float8')}" for field in columns)
        self.ask(f"DROP TABLE IF EXISTS r; CREATE UNLOGGED TABLE r (id bigint PRIMARY KEY, {named})")
        self.ask(f"\\copy r from '{path}'")
        self.ask("VACUUM ANALYZE r")

    def ask(self, text):
        end = "" if text.startswith("\\") else ";"
        self.session.stdin.write(f"{text}{end}\n\\echo '{DONE}'\n")
        self.session.stdin.flush()
        rows = []
        while (line := self.session.stdout.readline()) != DONE + "\n":
            if not line:
                raise OSError("psql ended early")
            rows.append(line.rstrip("\n").split("|"))
        return rows

    def metric_texts(self, request):
        sums = ", ".join(f"avg({quoted(field)}), percentile_cont(array[0.5, 0.95]) WITHIN GROUP (ORDER BY {quoted(field)})"
                         for field in request["metrics"])
        yield f"SELECT {sums} FROM r WHERE {where(terms_of(request))}"

    def close(self):
        self.session.stdin.close()
        self.session.wait()
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")


def owner_of():
    """Returns the user that runs it, as it refuses root; None: the current user."""
    return pwd.getpwnam("postgres") if os.geteuid() == 0 else None


def open_all(folder, types, postgres):
    """Returns (the usable databases, {name: reason why one is excluded}); postgres False: without PostgreSQL."""
    peers, left_out = [Sqlite(folder, types)], {}
    programs = pathlib.Path("/usr/lib/postgresql/15/bin")
    if not postgres:
        return peers, left_out
    if not (programs / "initdb").exists():
        left_out[Postgres.name] = "it is not installed (Debian: postgresql-15)"
        return peers, left_out
    try:
        peers.append(Postgres(folder, types, programs))
    except (KeyError, OSError, subprocess.CalledProcessError) as fault:
        left_out[Postgres.name] = f"it does not start ({fault})"
    return peers, left_out
