#include "store/sqlite.h"

#include <string.h>

#include "base/mem.h"

/* How long a write waits for another process's: theirs are transactions of a few documents. */
#define BUSY_MS 20000
/* The same of a log that is to be emptied: it can be done later as well. */
#define LOG_BUSY_MS 200

/*
 * benchmark_runs and the rest are made by migrate.c. In store_state there is one row: `data_version`
 * counts changes, and each row of benchmark_runs has the count at which it changed last.
 */
static const char *const statements[STORE_STATEMENT_COUNT] = {
	[STORE_BEGIN] = "BEGIN IMMEDIATE",
	[STORE_COMMIT] = "COMMIT",
	[STORE_ROLLBACK] = "ROLLBACK",
	[STORE_FIND_CONTENT] = "SELECT id FROM benchmark_runs WHERE content_sha256 = ?1",
	[STORE_FIND_RUN_ID] = "SELECT id FROM benchmark_runs WHERE run_id = ?1 ORDER BY id LIMIT 1",
	[STORE_NEXT_VERSION] = "UPDATE store_state SET data_version = data_version + 1"
			       " RETURNING data_version",
	[STORE_GET_VERSION] = "SELECT data_version FROM store_state",
	[STORE_COUNT] = "SELECT count(*) FROM benchmark_runs",
	[STORE_ADD_DOCUMENT] = "INSERT INTO benchmark_documents (id, bytes, notes)"
			       " VALUES (?1, ?2, ?3)",
	[STORE_GET_ENTRY] = "SELECT r.run_id, r.name, r.form, r.content_sha256, r.stored_at,"
			    " d.bytes, d.notes"
			    " FROM benchmark_runs r JOIN benchmark_documents d USING (id)"
			    " WHERE r.id = ?1",
	[STORE_GET_BYTES] = "SELECT bytes FROM benchmark_documents WHERE id = ?1",
	[STORE_ADD_PLACE] = "INSERT OR IGNORE INTO document_places VALUES (?1)",
	[STORE_HAS_PLACE] = "SELECT 1 FROM document_places WHERE place IN (?1, '') LIMIT 1",
	[STORE_ADD_JOB] = "INSERT INTO jobs (kind, name, media, bytes, created)"
			  " VALUES (?1, ?2, ?3, ?4, ?5)",
	[STORE_REQUEUE_JOBS] = "UPDATE jobs SET state = 'queued' WHERE state = 'running'",
	[STORE_FORGET_JOBS] = "DELETE FROM jobs WHERE state = 'done' AND id <="
			      " (SELECT id FROM jobs WHERE state = 'done'"
			      " ORDER BY id DESC LIMIT 1 OFFSET ?1)",
	[STORE_NEXT_JOB] = "SELECT id, kind, name, media, bytes FROM jobs"
			   " WHERE state = 'queued' ORDER BY id LIMIT 1",
	[STORE_RUN_JOB] = "UPDATE jobs SET state = 'running' WHERE id = ?1",
	[STORE_COUNT_ITEMS] = "SELECT count(*) FROM job_items WHERE job = ?1",
	[STORE_EXPECT_ITEMS] = "UPDATE jobs SET expected = ?2 WHERE id = ?1",
	[STORE_ADD_ITEM] = "INSERT INTO job_items"
			   " (job, item, name, state, form, result, run_id, message, faults)"
			   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[STORE_FINISH_JOB] = "UPDATE jobs SET state = 'done', finished = ?2, bytes = NULL"
			     " WHERE id = ?1",
	[STORE_GET_JOB] = "SELECT kind, state, created, finished, expected FROM jobs WHERE id = ?1",
	[STORE_COUNT_STATES] =
		"SELECT state, count(*) FROM job_items WHERE job = ?1 GROUP BY state",
	[STORE_GET_ITEMS] = "SELECT item, name, state, form, result, run_id, message, faults"
			    " FROM job_items WHERE job = ?1 AND item >= ?2 ORDER BY item LIMIT ?3",
	[STORE_LIST_PRESETS] = "SELECT id, name, is_default, created, changed, content"
			       " FROM presets WHERE id >= ?1 ORDER BY id LIMIT ?2",
	[STORE_CLEAR_DEFAULT_PRESET] = "UPDATE presets SET is_default = 0 WHERE is_default = 1",
	[STORE_ADD_PRESET] = "INSERT INTO presets (name, is_default, created, changed, content)"
			     " VALUES (?1, ?2, ?3, ?3, ?4)",
	[STORE_REPLACE_PRESET] = "UPDATE presets SET name = ?1, is_default = ?2, changed = ?3,"
				 " content = ?4 WHERE id = ?5",
	[STORE_REMOVE_PRESET] = "DELETE FROM presets WHERE id = ?1",
	[STORE_COUNT_VIEWS] = "SELECT count(*), total(bytes) FROM views",
	[STORE_ADD_VIEW] = "INSERT INTO views (id, created, bytes, state)"
			   " VALUES (?1, ?2, ?3, ?4)",
	[STORE_GET_VIEW] = "SELECT state, created FROM views WHERE id = ?1",
};

/* ---- errors -------------------------------------------------------------------------------- */

static enum pl_err_code code_of(int status)
{
	switch (status) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return PL_ERR_BUSY;
	case SQLITE_NOTADB:
	case SQLITE_TOOBIG:
		return PL_ERR_INVALID;
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CORRUPT:
		return PL_ERR_IO;
	default:
		return PL_ERR_INTERNAL;
	}
}

int store_sql_error(sqlite3 *db, struct pl_err *err)
{
	const char *path = db != NULL ? sqlite3_db_filename(db, NULL) : NULL;
	int status = sqlite3_errcode(db) & 0xff; /* the rest says more of the same */

	if (path == NULL || path[0] == '\0')
		path = "database";
	if (status == SQLITE_NOTADB)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is no SQLite database", path);
	return pl_err_set(err, code_of(status), "'%s': %s", path, sqlite3_errmsg(db));
}

/* ---- the connection ------------------------------------------------------------------------ */

int store_sql_open(struct store_sql *sql, const char *path, bool create, struct pl_err *err)
{
	/* ":memory:" and "file:…" would be something else */
	auto_free char *plain = pl_asprintf("%s%s", path[0] == '/' ? "" : "./", path);
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
		    (create ? SQLITE_OPEN_CREATE : 0);

	*sql = (struct store_sql){ 0 };
	if (sqlite3_open_v2(plain, &sql->db, flags, NULL) != SQLITE_OK) {
		int status = sqlite3_errcode(sql->db) & 0xff;
		pl_err_set(err, code_of(status), "cannot open '%s': %s", path,
			   sqlite3_errmsg(sql->db));
		store_sql_close(sql);
		return -1;
	}
	sqlite3_busy_timeout(sql->db, BUSY_MS);
	return 0;
}

void store_sql_close(struct store_sql *sql)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(sql->kept); i++)
		sqlite3_finalize(sql->kept[i]);
	sqlite3_close(sql->db);
	*sql = (struct store_sql){ 0 };
}

int store_sql_empty_log(struct store_sql *sql, struct pl_err *err)
{
	sqlite3_busy_timeout(sql->db, LOG_BUSY_MS);
	int status = sqlite3_wal_checkpoint_v2(sql->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
					       NULL);
	sqlite3_busy_timeout(sql->db, BUSY_MS);
	return status == SQLITE_OK ? 0 : store_sql_error(sql->db, err);
}

/* ---- statements ---------------------------------------------------------------------------- */

int store_sql_run(struct store_sql *sql, const char *text, struct pl_err *err)
{
	if (sqlite3_exec(sql->db, text, NULL, NULL, NULL) != SQLITE_OK)
		return store_sql_error(sql->db, err);
	return 0;
}

int store_sql_prepare(struct store_sql *sql, const char *text, sqlite3_stmt **ret,
		      struct pl_err *err)
{
	if (sqlite3_prepare_v2(sql->db, text, -1, ret, NULL) != SQLITE_OK)
		return store_sql_error(sql->db, err);
	return 0;
}

int store_sql_kept(struct store_sql *sql, enum store_statement which, sqlite3_stmt **ret,
		   struct pl_err *err)
{
	if (sql->kept[which] == NULL &&
	    store_sql_prepare(sql, statements[which], &sql->kept[which], err) < 0)
		return -1;
	sqlite3_reset(sql->kept[which]);
	sqlite3_clear_bindings(sql->kept[which]);
	*ret = sql->kept[which];
	return 0;
}

int store_sql_step(sqlite3_stmt *statement, bool *ret_row, struct pl_err *err)
{
	int status = sqlite3_step(statement);

	if (status == SQLITE_ROW) {
		*ret_row = true;
		return 0;
	}
	if (status != SQLITE_DONE) {
		store_sql_error(sqlite3_db_handle(statement), err);
		sqlite3_reset(statement);
		return -1;
	}
	sqlite3_reset(statement);
	*ret_row = false;
	return 0;
}

int store_sql_finish(sqlite3_stmt *statement, struct pl_err *err)
{
	bool is_row = true;

	while (is_row) {
		if (store_sql_step(statement, &is_row, err) < 0)
			return -1;
	}
	return 0;
}

void store_sql_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	if (text != NULL)
		sqlite3_bind_text64(statement, at, text, strlen(text), SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_null(statement, at);
}

void store_sql_bind_bytes(sqlite3_stmt *statement, int at, const void *data, size_t len)
{
	sqlite3_bind_blob64(statement, at, data, len, SQLITE_STATIC);
}

const char *store_sql_text(sqlite3_stmt *statement, int at)
{
	return (const char *)sqlite3_column_text(statement, at);
}
