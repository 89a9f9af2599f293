"""Backups of a dashboard's database: what a store contains, by SQL, and the commands."""
import hashlib
import json
from urllib.parse import unquote

from database_tools import ask, is_address
from import_tools import run_dashboard

# bookkeeping that a restore changes
STATE = {"store_marks", "store_state"}


def files_of(folder):
    """Returns {SHA-256 of its name: SHA-256 of its bytes} of a directory of artifacts."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("??/*")}


def tables_of(db):
    if is_address(db):
        rows = ask(db, "SELECT relname::text n FROM pg_class WHERE relkind = 'r' AND relnamespace = quote_ident(current_schema())::regnamespace")
    else:
        rows = ask(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return sorted(name for (name,) in rows)


def contents(db):
    """Returns {table: sorted digests of its rows}."""
    tables = [table for table in tables_of(db) if table not in STATE]
    if is_address(db):
        found = {table: [] for table in tables}
        for table, digest in ask(db, " UNION ALL ".join(f"SELECT '{table}' t, md5(to_json(r)::text) d FROM {table} r" for table in tables)):
            found[table].append(digest)
    else:
        found = {table: [hashlib.sha256(repr(row).encode()).hexdigest() for row in ask(db, f"SELECT * FROM {table}")] for table in tables}
    return {table: sorted(digests) for table, digests in found.items()}


def version_of(db):
    ((version,),) = ask(db, "SELECT data_version v FROM store_state")
    return version


def backup(bin_dir, db, target, *args, status=0):
    done = run_dashboard(bin_dir, "backup", target, "--db", db, "--json", *args)
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout) if status in (0, 1) else done


def restore(bin_dir, target, db, *args, status=0):
    done = run_dashboard(bin_dir, "restore", target, "--db", db, "--json", *args)
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout) if status == 0 else done


def check(bin_dir, *args, status=0):
    done = run_dashboard(bin_dir, "check", "--json", *args)
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout) if status in (0, 1) else done


def snapshots(target):
    return sorted(path.name for path in (target / "snapshots").iterdir() if not path.name.startswith("."))


def socket_of(address):
    """Returns the directory of the server's socket."""
    return unquote(address.split("host=")[1].split("&")[0])
