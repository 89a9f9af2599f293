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
# undoes the steps after form 15, in both kinds of database
BACK_TO_FORM_15 = "DROP INDEX views_created_by; ALTER TABLE views DROP COLUMN created_by; DROP TABLE sessions; ALTER TABLE presets DROP COLUMN created_by; ALTER TABLE presets DROP COLUMN changed_by; DROP TABLE holds; ALTER TABLE store_state DROP COLUMN restored; DROP TABLE baselines; DROP TABLE prices; DROP TABLE watch_states; DROP TABLE watches; DROP TABLE annotations; DROP TABLE decisions;"
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
