"""Running `profllm-dashboard`, and looking into its database without it."""
import json
import sqlite3
import subprocess

from run_tools import PATIENCE, TIMEOUT_S, environment

NOT_RECORDED = object()
ODD = {"y": lambda text: float(text) == 1, "n": float, "t": str, "j": json.loads}


def dashboard_command(bin_dir, *args):
    return [str(bin_dir / "profllm-dashboard"), *[str(arg) for arg in args]]


def run_dashboard(bin_dir, *args, cwd=None, env=None):
    return subprocess.run(dashboard_command(bin_dir, *args), cwd=cwd, env=environment(env), text=True, capture_output=True,
                          timeout=TIMEOUT_S * PATIENCE, stdin=subprocess.DEVNULL)


def import_json(bin_dir, *args, status=0, **more):
    done = run_dashboard(bin_dir, "import", "--json", *args, **more)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def ask(db, text, *values):
    connection = sqlite3.connect(db)
    try:
        return connection.execute(text, values).fetchall()
    finally:
        connection.close()


def decoded(value, kind):
    """What docs/reference/dashboard.md says that a value of a column is, for a field of that type."""
    if value is None:
        return NOT_RECORDED
    if value == b"":
        return None
    if isinstance(value, bytes):
        return ODD[value[:1].decode()](value[1:].decode())
    if isinstance(value, str):
        return json.loads(value) if kind == "json" else value
    return value == 1 if kind == "yes" else value


def stored_fields(db, id_, rows):
    """{field: value} of every column that the result has recorded, and the ids of those that were set."""
    connection = sqlite3.connect(db)
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT * FROM benchmark_runs WHERE id = ?", [id_]).fetchone()
    connection.close()
    fields = {name: decoded(row[name], rows[name]["type"]) for name in row.keys() if name in rows}
    return {name: value for name, value in fields.items() if value is not NOT_RECORDED}, set(json.loads(row["explicit_fields"]))


def stored_bytes(db, id_):
    """The document as it came."""
    ((packed,),) = ask(db, "SELECT bytes FROM benchmark_documents WHERE id = ?", id_)
    return subprocess.run(["zstd", "-dc"], input=packed, capture_output=True, check=True).stdout
