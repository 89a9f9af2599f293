"""Runs `profllm-dashboard`, and reads its database without it."""
import json
import sqlite3
import struct
import subprocess
import tempfile

from database_tools import ask, bytes_of, is_address
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


def decoded(value, kind):
    """Returns the meaning of a column's value, by docs/reference/dashboard.md, for a field of that type."""
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
    """Returns {field: value} of every recorded column of the result, and the ids of the explicit ones."""
    if is_address(db):
        return fields_of_postgres(db, id_, rows)
    connection = sqlite3.connect(db)
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT * FROM benchmark_runs WHERE id = ?", [id_]).fetchone()
    connection.close()
    fields = {name: decoded(row[name], rows[name]["type"]) for name in row.keys() if name in rows}
    return {name: value for name, value in fields.items() if value is not NOT_RECORDED}, set(json.loads(row["explicit_fields"]))


def fields_of_postgres(db, id_, rows):
    ((own, texts),) = ask(db, "SELECT to_json(r) r, to_json(t) t FROM benchmark_runs r JOIN benchmark_texts t USING (id) WHERE id = ?", id_)
    fields = dict.fromkeys(own["null_fields"])
    for name, value in {**own, **texts}.items():
        if name in rows and value is not None:
            type_ = rows[name]["type"]
            fields[name] = json.loads(value) if type_ == "json" else float(value) if type_ in ("number", "count") else value
    for name, value in own["other_kinds"].items():
        fields[name] = ODD[value[0]](value[1:])
    return fields, set(own["explicit_fields"])


def unpacked(packed, *args):
    return subprocess.run(["zstd", "-dc", *args], input=packed, capture_output=True, check=True).stdout


def dictionary_number(packed):
    """Returns the dictionary that a packed document names in its first frame, which zstd skips
    (docs/reference/dashboard.md); None: no dictionary."""
    magic, length, number = struct.unpack("<IIq", packed[:16])
    return number if (magic, length) == (0x184D2A50, 8) else None


def stored_bytes(db, id_):
    """Returns the document as it was uploaded."""
    ((packed,),) = ask(db, "SELECT bytes FROM benchmark_documents WHERE id = ?", id_)
    packed = bytes_of(packed)
    number = dictionary_number(packed)
    if number is None:
        return unpacked(packed)
    ((dictionary,),) = ask(db, "SELECT bytes FROM dictionaries WHERE id = ?", number)
    with tempfile.NamedTemporaryFile() as file:
        file.write(unpacked(bytes_of(dictionary)))
        file.flush()
        return unpacked(packed, "-D", file.name)
