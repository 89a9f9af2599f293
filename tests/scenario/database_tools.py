"""The databases in which profllm-dashboard keeps results, with one interface: SQLite files, and databases of a private
PostgreSQL server that listens only on a socket in a private directory."""
import contextlib
import fcntl
import functools
import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

from run_tools import PATIENCE, environment
from wait_tools import wait_for

BIN = Path(os.environ.get("PROFLLM_BIN", Path(__file__).resolve().parents[2] / "build/bin"))
NOT_FOUND = "no PostgreSQL server here (Debian: postgresql-15)"


def programs():
    """Returns the directory of initdb and postgres, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]), reverse=True)
    return found[0].parent if found else None


def as_other_user():
    """Returns subprocess arguments that run the server as a user other than root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise RuntimeError("neither 'postgres' nor 'nobody' is a user here")


@functools.cache
def pristine():
    """Returns a data directory made by initdb, which is slow: each server starts with a copy. All processes of a run share it; it
    goes with the directory of their temporary files (tools/scratch.py)."""
    made, who = Path(tempfile.gettempdir(), "pristine-postgres"), as_other_user()
    made.mkdir(exist_ok=True)
    if who:
        os.chown(made, who["user"], who["group"])
    with open(made / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made / "data").exists():
            shutil.rmtree(made / "new", ignore_errors=True)
            call(programs() / "initdb", "-D", made / "new", "-A", "trust", "-U", "profllm", "-E", "UTF8", "--locale=C", "-N")
            (made / "new").rename(made / "data")
    return made / "data"


def call(*words):
    done = subprocess.run(words, cwd="/", capture_output=True, text=True, timeout=60 * PATIENCE, stdin=subprocess.DEVNULL, **as_other_user())
    assert done.returncode == 0, done.stdout + done.stderr


class Postgres:
    kind = "postgres"
    share = 1 if os.environ.get("PROFLLM_TEST_LONG") else 4  # of the random questions that are asked of the other kind

    def __init__(self, *settings):
        """Settings as in postgresql.conf: fsync=on for tests that kill it."""
        self.bin, self.who = programs(), as_other_user()
        # the path of a socket has an end at 107 letters
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))
        if self.who:
            os.chown(self.folder, self.who["user"], self.who["group"])
        self.settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", "fsync=off", "max_connections=50",
                         "shared_buffers=32MB", "autovacuum=off", *settings]
        self.count, self.process = 0, None
        call("cp", "-a", pristine(), self.folder / "data")
        self.start()

    def start(self):
        words = [word for setting in self.settings for word in ("-c", setting)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([self.bin / "postgres", "-D", self.folder / "data", *words], cwd="/", stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, **self.who)
        wait_for(lambda: subprocess.run([self.bin / "pg_isready", "-q", "-h", self.folder], check=False).returncode == 0,
                 "the database server is ready", seconds=30, process=self.process)

    def stop(self):
        """Stops at once: connections break."""
        if self.process is not None:
            self.process.send_signal(3)
            self.process.wait(30 * PATIENCE)
            self.process = None

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, name, more=""):
        return f"postgres://profllm@/{name}?host={quote(str(self.folder), safe='')}{more}"

    def new(self, folder=None, name=None):
        """Returns an empty database, as --db accepts it."""
        self.count += 1
        address = self.address(f"d{self.count}")
        self.sql(self.address("postgres"), f"CREATE DATABASE d{self.count}")
        return address

    def copy(self, db, folder=None, name=None):
        """Returns a copy of a database without connections."""
        self.count += 1
        self.sql(self.address("postgres"), f"CREATE DATABASE d{self.count} TEMPLATE {db.split('@/')[1].split('?')[0]}")
        return self.address(f"d{self.count}")

    @functools.cached_property
    def template(self):
        """A database with all tables, and no identity yet."""
        db = self.new()
        done = subprocess.run([BIN / "profllm-dashboard", "check", "--db", db], capture_output=True, text=True, env=environment(),
                              timeout=60 * PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        self.sql(db, "UPDATE store_state SET database_id = ''")
        return db

    def with_tables(self, folder=None, name=None):
        """As new(), but a dashboard need not create the tables, which takes the server five times as long as a copy of them."""
        return self.copy(self.template)

    @staticmethod
    def environment():
        return {**os.environ, "PGOPTIONS": "-c client_min_messages=warning", "PGCLIENTENCODING": "UTF8"}

    @staticmethod
    def sql(address, text):
        done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", address], input=text, capture_output=True, text=True,
                              timeout=120 * PATIENCE, env=Postgres.environment())
        assert done.returncode == 0, done.stderr + text[:1000]
        return done.stdout


class Sqlite:
    kind = "sqlite"
    share = 1

    @staticmethod
    def new(folder, name="d.db"):
        return folder / name

    with_tables = new

    @staticmethod
    def copy(db, folder, name="d.db"):
        for path in db.parent.glob(f"{db.name}*"):
            if path.is_file():
                shutil.copy2(path, folder / path.name.replace(db.name, name, 1))
        return folder / name


def literal(value):
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def is_address(db):
    return str(db).startswith(("postgres://", "postgresql://"))


def ask(db, text, *values):
    """Returns the rows of a query as tuples; ? are the values. PostgreSQL's infinite numbers and bytes are texts."""
    if is_address(db):
        for value in values:
            text = text.replace("?", literal(value), 1)
        lines = Postgres.sql(db, f"SELECT row_to_json(asked) FROM ({text}) AS asked").splitlines()
        return [tuple(value for _, value in json.loads(line, object_pairs_hook=list_of_pairs)) for line in lines]
    connection = sqlite3.connect(db)
    try:
        return connection.execute(text, values).fetchall()
    finally:
        connection.close()


class Pairs(list):
    """Marks the outermost object: inner ones are dicts."""


def list_of_pairs(pairs):
    return Pairs((key, dict(value) if isinstance(value, Pairs) else value) for key, value in pairs)


def change(db, text):
    """Runs statements without results, in one transaction."""
    if is_address(db):
        Postgres.sql(db, f"BEGIN;{text};COMMIT;")
        return
    connection = sqlite3.connect(db)
    try:
        connection.executescript(f"BEGIN;{text};COMMIT;")
    finally:
        connection.close()


@contextlib.contextmanager
def transaction(db, text):
    """Runs statements in a transaction that stays open meanwhile."""
    holder = subprocess.Popen(["psql", "-XqAt", db], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=Postgres.environment())
    holder.stdin.write(f"BEGIN; {text}; SELECT 'held';\n")
    holder.stdin.flush()
    wait_for(lambda: holder.stdout.readline().strip() == "held", "it has begun")
    yield
    holder.stdin.write("COMMIT;\n")
    holder.stdin.close()
    assert holder.wait(30 * PATIENCE) == 0


@contextlib.contextmanager
def writing(db, text="SELECT 1"):
    """Holds the write lock like a dashboard of another process: no other process writes meanwhile."""
    if is_address(db):
        with transaction(db, f"SELECT pg_advisory_xact_lock(1346784333, hashtext(current_schema())); {text}"):
            yield
        return
    connection = sqlite3.connect(db, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(text)
        yield
        connection.execute("COMMIT")
    finally:
        connection.close()


def bytes_of(value):
    """Returns the bytes of a BLOB or a BYTEA that ask() returned."""
    return bytes.fromhex(value[2:]) if isinstance(value, str) else value


def bytes_literal(db, hexadecimal):
    return f"'\\x{hexadecimal}'" if is_address(db) else f"x'{hexadecimal}'"


def refusal(db, table, condition, says):
    """Returns SQL that makes the database refuse such rows."""
    if is_address(db):
        return (f"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{says}'; END $$;"
                f"CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION refuse()")
    return f"CREATE TRIGGER refuse BEFORE INSERT ON {table} WHEN {condition} BEGIN SELECT RAISE(ABORT, '{says}'); END"
