"""Databases in the forms of older programs: `of_form_1(db, old)` writes the results of a present database into one of the
first form, with its tables, a part of its columns, and a waiting job."""
import sqlite3
import subprocess

TABLES = """
CREATE TABLE benchmark_runs (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT, content_sha256 TEXT NOT NULL, form TEXT NOT NULL,
    name TEXT NOT NULL, stored_at TEXT NOT NULL, changed INTEGER NOT NULL, explicit_fields TEXT NOT NULL{columns});
CREATE UNIQUE INDEX benchmark_runs_content ON benchmark_runs (content_sha256);
CREATE INDEX benchmark_runs_run_id ON benchmark_runs (run_id);
CREATE INDEX benchmark_runs_changed ON benchmark_runs (changed);
CREATE TABLE benchmark_documents (id INTEGER PRIMARY KEY REFERENCES benchmark_runs (id) ON DELETE CASCADE, bytes BLOB NOT NULL,
    notes TEXT NOT NULL);
CREATE TABLE store_state (data_version INTEGER NOT NULL);
CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL, media TEXT,
    state TEXT NOT NULL DEFAULT 'queued', created TEXT NOT NULL, finished TEXT, expected INTEGER, bytes BLOB);
CREATE INDEX jobs_state ON jobs (state, id);
CREATE TABLE job_items (job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, item INTEGER NOT NULL, name TEXT, state TEXT NOT NULL,
    form TEXT, result INTEGER, run_id TEXT, message TEXT, faults TEXT NOT NULL, PRIMARY KEY (job, item)) WITHOUT ROWID;
PRAGMA application_id = {application};
PRAGMA user_version = 1;
"""
APPLICATION = 0x50464C4D
# UNDO[n] leads from form n of an SQLite file to form n - 1, for results that were stored without a dictionary
UNDO = {
    25: "DROP TABLE column_snapshots;",
    24: "DROP TABLE store_marks;" + "".join(f"ALTER TABLE store_state DROP COLUMN {name};" for name in ("database_id", "epoch", "commits", "mark")),
    23: "DROP VIEW benchmark_results;",
    22: "DROP TABLE field_chunks; DROP TABLE field_segments; DROP TABLE field_rows; DROP TABLE field_forms;",
    21: "DROP INDEX views_created_by; ALTER TABLE views DROP COLUMN created_by;",
    20: "DROP TABLE sessions; ALTER TABLE presets DROP COLUMN created_by; ALTER TABLE presets DROP COLUMN changed_by; ALTER TABLE prices DROP COLUMN changed_by;",
    19: "DROP TABLE holds; ALTER TABLE store_state DROP COLUMN restored;",
    18: "DROP TABLE baselines;",
    17: "DROP TABLE prices;",
    16: "DROP TABLE watch_states; DROP TABLE watches; DROP TABLE annotations; DROP TABLE decisions;",
    15: "UPDATE benchmark_runs SET form = 'own' WHERE form = 'native'; UPDATE job_items SET form = 'own' WHERE form = 'native';",
    14: 'ALTER TABLE benchmark_runs RENAME COLUMN "launch.other_servers_max" TO "launch.beside";'
        'ALTER TABLE benchmark_runs RENAME COLUMN "quality.concurrency_limited.value" TO "quality.cap_held_rate.value";'
        'ALTER TABLE benchmark_runs RENAME COLUMN "quality.concurrency_limited.status" TO "quality.cap_held_rate.status";'
        + "".join(f"UPDATE benchmark_runs SET \"quality.{id_}.status\" = '{former}' WHERE \"quality.{id_}.status\" = '{name}';"
                  for id_ in ("client_error", "cap_held_rate") for former, name in (("ok", "passed"), ("beyond", "over_limit"))),
    13: "ALTER TABLE benchmark_runs DROP COLUMN upload;",
    12: "DROP INDEX job_parts_sent_as; ALTER TABLE job_parts DROP COLUMN sent_as; CREATE INDEX job_parts_job ON job_parts (job);",
    11: "ALTER TABLE jobs DROP COLUMN author; ALTER TABLE job_items DROP COLUMN chosen_by; ALTER TABLE job_items DROP COLUMN expected;",
    10: "DROP INDEX benchmark_runs_near; ALTER TABLE benchmark_runs DROP COLUMN near_inputs; CREATE INDEX benchmark_runs_near ON benchmark_runs (near_key);",
    9: "DROP TABLE sweeps;",
    8: "ALTER TABLE store_state DROP COLUMN pruned;",
    7: "DROP TABLE dictionaries;",
    6: "DROP TABLE benchmark_edits; DROP TABLE benchmark_changes; DROP INDEX benchmark_runs_near; DROP INDEX benchmark_runs_content;"
       "CREATE UNIQUE INDEX benchmark_runs_content ON benchmark_runs (content_sha256);"
       + "".join(f"ALTER TABLE benchmark_runs DROP COLUMN {name};" for name in ("deleted", "repeat", "near_key", "near")),
    5: "DROP TABLE job_files; DROP TABLE job_bytes; DROP TABLE job_parts; DROP INDEX job_items_again;"
       + "".join(f"ALTER TABLE jobs DROP COLUMN {name};" for name in ("on_known", "expected_files", "expected_bytes", "received_files", "received_bytes"))
       + "ALTER TABLE jobs ADD COLUMN media TEXT; ALTER TABLE jobs ADD COLUMN expected INTEGER; ALTER TABLE jobs ADD COLUMN bytes BLOB;"
       + "".join(f"ALTER TABLE job_items DROP COLUMN {name};" for name in ("part", "secrets", "near", "is_deleted", "choice", "bytes", "content")),
    4: "DROP TABLE artifacts;",
    3: "DROP TABLE presets; DROP TABLE views;",
    2: "DROP TABLE document_places;",
}
# undoes the steps after form 15, in both kinds of database
BACK_TO_FORM_15 = "".join(UNDO[form] for form in sorted(UNDO, reverse=True) if form > 15)


def back_to(form, present):
    """Returns the statements that lead an SQLite file of the present form back."""
    return "".join(UNDO[step] for step in range(present, form, -1)) + f"PRAGMA user_version = {form};"


FIXED = ["id", "run_id", "content_sha256", "form", "name", "stored_at", "changed", "explicit_fields"]


def of_form_1(db, old, columns, waiting=b""):
    """`columns`: those of fields; `waiting`: a JSON document that was accepted and is not stored yet."""
    with sqlite3.connect(old) as file:
        file.executescript(TABLES.format(columns="".join(f', "{name}"' for name in columns), application=APPLICATION))
        file.execute("ATTACH ? AS now", [str(db)])
        names = ", ".join([*FIXED, *(f'"{name}"' for name in columns)])
        file.execute(f"INSERT INTO main.benchmark_runs ({names}) SELECT {names} FROM now.benchmark_runs")
        file.execute("UPDATE main.benchmark_runs SET form = 'own' WHERE form = 'native'")
        file.execute("INSERT INTO main.benchmark_documents SELECT id, bytes, notes FROM now.benchmark_documents")
        file.execute("INSERT INTO main.store_state SELECT data_version FROM now.store_state")
        if waiting:
            packed = subprocess.run(["zstd", "-qc"], input=waiting, capture_output=True, check=True).stdout
            file.execute("INSERT INTO jobs (kind, name, state, created, bytes) VALUES ('json', 'w.json', 'running', '2026-01-01T00:00:00.000Z', ?)",
                         [packed])
        file.execute("INSERT INTO jobs (kind, name, state, created, finished, expected) VALUES"
                     " ('json', 'r.json', 'done', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z', 1)")
        job = file.execute("SELECT max(id) FROM jobs").fetchone()[0]
        file.execute("INSERT INTO job_items VALUES (?, 0, 'r.json', 'stored', 'own', 1, 'r', NULL, '[]')", [job])
    file.close()
    return job
