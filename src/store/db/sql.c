#include "store/db/sql.h"

#include <string.h>

#include "store/db/driver_priv.h"

#define JOB_COLUMNS                                                                           \
	"id, kind, name, state, created, finished, on_known, expected_files, expected_bytes," \
	" received_files, received_bytes"
/* The last: are there bytes to read it again by? A duplicate has those of the result that is there. */
#define ITEM_COLUMNS                                                                            \
	"i.item, i.name, i.state, i.form, i.result, i.run_id, i.message, i.faults, i.secrets,"  \
	" i.near, i.is_deleted, i.choice, i.bytes,"                                             \
	" CASE WHEN EXISTS (SELECT 1 FROM job_bytes b WHERE b.job = i.job AND b.item = i.item)" \
	" OR (i.state = 'cancelled' AND EXISTS"                                                 \
	" (SELECT 1 FROM job_parts p WHERE p.id = i.part AND p.bytes IS NOT NULL))"             \
	" OR (i.state = 'duplicate' AND EXISTS"                                                 \
	" (SELECT 1 FROM benchmark_runs r WHERE r.id = i.result AND r.content_sha256 = "        \
	"i.content))"                                                                           \
	" THEN 1 ELSE 0 END"
#define EDIT_COLUMNS "e.tags, e.notes, r.repeat, r.near, r.deleted, r.upload"

/*
 * benchmark_runs and the rest are made by migrate.c. In store_state there is one row: `data_version`
 * counts changes, and each row of benchmark_runs has the count at which it changed last; `pruned` is the count at
 * which rows last went.
 */
static const char *const statements[STORE_STATEMENT_COUNT] = {
	/* one that is deleted only where there is no other */
	[STORE_FIND_CONTENT] = "SELECT id, deleted, content_sha256, upload FROM benchmark_runs"
			       " WHERE content_sha256 = ?1 ORDER BY deleted, repeat LIMIT 1",
	[STORE_FIND_RUN_ID] = "SELECT id FROM benchmark_runs WHERE run_id = ?1"
			      " ORDER BY deleted, repeat LIMIT 1",
	[STORE_FIND_RUN_ID_ALL] = "SELECT id, deleted, content_sha256, upload FROM benchmark_runs"
				  " WHERE run_id = ?1 ORDER BY deleted, repeat LIMIT 1",
	/* the rule of store/possible_duplicates.h, of a row that need not be there yet, and of those that are */
	[STORE_FIND_NEAR] = "SELECT id FROM benchmark_runs WHERE near_key = ?1 AND id <> ?2"
			    " AND deleted = 0 AND (form <> ?4 OR near_inputs IS NULL"
			    " OR CAST(?5 AS TEXT) IS NULL OR near_inputs = ?5)"
			    " ORDER BY id LIMIT ?3",
	[STORE_GET_NEAR_KEY] = "SELECT near_key FROM benchmark_runs WHERE id = ?1",
	[STORE_LIST_WRONG_NEAR] =
		"SELECT w.id, w.oldest FROM (SELECT r.id, r.near, coalesce("
		"(SELECT o.id FROM benchmark_runs o WHERE o.near_key = r.near_key"
		" AND o.id < r.id AND o.deleted = 0 AND (o.form <> r.form"
		" OR o.near_inputs IS NULL OR r.near_inputs IS NULL"
		" OR o.near_inputs = r.near_inputs) ORDER BY o.id LIMIT 1), 0) AS oldest"
		" FROM benchmark_runs r WHERE r.near_key = ?1 AND r.deleted = 0) w"
		" WHERE w.near <> w.oldest ORDER BY w.id",
	/* the field's column, too, where what is not recorded is NULL */
	[STORE_SET_NEAR] = "UPDATE benchmark_runs SET near = ?2, \"stored.near\" = nullif(CAST(?2 "
			   "AS BIGINT), 0),"
			   " changed = ?3 WHERE id = ?1",
	[STORE_SET_UPLOAD] = "UPDATE benchmark_runs SET upload = ?2, \"stored.upload\" = CAST(?2 "
			     "AS BIGINT), changed = ?3 WHERE id = ?1",
	[STORE_LAST_REPEAT] = "SELECT max(repeat) FROM benchmark_runs"
			      " WHERE content_sha256 = ?1 OR run_id = ?2",
	[STORE_NEXT_VERSION] = "UPDATE store_state SET data_version = data_version + 1"
			       " RETURNING data_version",
	[STORE_SET_VERSION] = "UPDATE store_state SET data_version = ?1",
	[STORE_GET_VERSION] = "SELECT data_version FROM store_state",
	[STORE_COUNT] = "SELECT count(*) FROM benchmark_runs WHERE deleted = 0",
	[STORE_ADD_DOCUMENT] = "INSERT INTO benchmark_documents (id, bytes, notes)"
			       " VALUES (?1, ?2, ?3)",
	[STORE_REPLACE_DOCUMENT] =
		"UPDATE benchmark_documents SET bytes = ?2, notes = ?3 WHERE id = ?1",
	[STORE_GET_ENTRY] = "SELECT r.run_id, r.name, r.form, r.content_sha256, r.stored_at,"
			    " d.bytes, d.notes, " EDIT_COLUMNS
			    " FROM benchmark_runs r JOIN benchmark_documents d ON d.id = r.id"
			    " LEFT JOIN benchmark_edits e ON e.id = r.id WHERE r.id = ?1",
	[STORE_GET_BYTES] = "SELECT bytes FROM benchmark_documents WHERE id = ?1",
	[STORE_GET_EDITS] = "SELECT " EDIT_COLUMNS " FROM benchmark_runs r"
			    " LEFT JOIN benchmark_edits e ON e.id = r.id WHERE r.id = ?1",
	[STORE_PUT_EDITS] = "INSERT INTO benchmark_edits (id, tags, notes) VALUES (?1, ?2, ?3)"
			    " ON CONFLICT (id) DO UPDATE SET tags = excluded.tags,"
			    " notes = excluded.notes",
	[STORE_TOUCH] = "UPDATE benchmark_runs SET changed = ?2, deleted = ?3 WHERE id = ?1",
	[STORE_NOTE_CHANGE] = "INSERT INTO benchmark_changes"
			      " (id, time, author, kind, name, before, after)"
			      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[STORE_LIST_CHANGES] = "SELECT time, author, kind, name, before, after"
			       " FROM benchmark_changes WHERE id = ?1 ORDER BY number DESC",
	/* the last that was done to it was to delete it */
	[STORE_LIST_DELETED] = "SELECT r.id FROM benchmark_runs r WHERE r.deleted = 1 AND"
			       " (SELECT c.time FROM benchmark_changes c WHERE c.id = r.id"
			       " ORDER BY c.number DESC LIMIT 1) < ?1 ORDER BY r.id",
	[STORE_PRUNE] = "DELETE FROM benchmark_runs WHERE id = ?1",
	[STORE_NOTE_PRUNED] = "UPDATE store_state SET pruned = data_version",
	/* of one that is no more at the latest now */
	[STORE_GET_CHANGED] = "SELECT coalesce((SELECT r.changed FROM benchmark_runs r"
			      " WHERE r.id = ?1), s.data_version) FROM store_state s",
	[STORE_GET_PRUNED] = "SELECT pruned FROM store_state",
	[STORE_LIST_IDS] = "SELECT id FROM benchmark_runs WHERE deleted = 0 ORDER BY id",
	[STORE_ADD_PLACE] = "INSERT INTO document_places VALUES (?1) ON CONFLICT DO NOTHING",
	[STORE_HAS_PLACE] = "SELECT 1 FROM document_places WHERE place IN (?1, '') LIMIT 1",
	[STORE_ADD_JOB] = "INSERT INTO jobs (kind, name, state, created, on_known, expected_files,"
			  " expected_bytes, author) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
			  " RETURNING id",
	[STORE_ADD_PART] = "INSERT INTO job_parts (job, kind, name, media, files, bytes, sent_as)"
			   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
	[STORE_FIND_KEYED] = "SELECT f.sha256 FROM job_parts p JOIN job_files f ON f.part = p.id"
			     " WHERE p.job = ?1 AND p.sent_as = ?2 ORDER BY f.file",
	[STORE_ADD_FILE] = "INSERT INTO job_files (part, file, sha256) VALUES (?1, ?2, ?3)",
	[STORE_RECEIVE] = "UPDATE jobs SET received_files = received_files + ?2,"
			  " received_bytes = received_bytes + ?3 WHERE id = ?1",
	[STORE_ASK_JOB] = "SELECT state, CAST(coalesce((SELECT sum(items) FROM job_parts"
			  " WHERE job = ?1), 0) AS BIGINT) FROM jobs WHERE id = ?1",
	/* of no part: a program of the form before has done them */
	[STORE_COUNT_OLD_ITEMS] = "SELECT count(*) FROM job_items WHERE job = ?1 AND part IS NULL",
	[STORE_CLOSE_JOB] = "UPDATE jobs SET state = 'queued' WHERE id = ?1 AND state = 'open'",
	[STORE_CANCEL_ITEMS] = "UPDATE job_items SET state = 'cancelled'"
			       " WHERE job = ?1 AND state IN ('queued', 'again')",
	[STORE_CANCEL_PARTS] =
		"UPDATE job_parts SET state = 'cancelled' WHERE job = ?1 AND state = 'queued'",
	[STORE_CANCEL_JOB] = "UPDATE jobs SET state = 'cancelled', finished = ?2"
			     " WHERE id = ?1 AND state IN ('open', 'queued', 'running')",
	[STORE_RETRY_ITEMS] =
		"UPDATE job_items SET state = 'again' WHERE job = ?1"
		" AND item >= ?2 AND item <= ?3 AND state IN ('rejected', 'cancelled')"
		" AND EXISTS (SELECT 1 FROM job_bytes b WHERE b.job = job_items.job"
		" AND b.item = job_items.item) RETURNING item",
	[STORE_RETRY_CANCELLED] =
		"UPDATE job_items SET state = 'queued' WHERE job = ?1"
		" AND item >= ?2 AND item <= ?3 AND state = 'cancelled'"
		" AND EXISTS (SELECT 1 FROM job_parts p WHERE p.id = job_items.part"
		" AND p.bytes IS NOT NULL) RETURNING item",
	[STORE_RETRY_PARTS] = "UPDATE job_parts SET state = 'queued' WHERE job = ?1"
			      " AND state = 'cancelled' AND EXISTS (SELECT 1 FROM job_items i"
			      " WHERE i.job = ?1 AND i.item >= job_parts.first_item"
			      " AND i.item < job_parts.first_item + job_parts.items"
			      " AND i.state = 'queued')",
	[STORE_RETRY_ALL_PARTS] = "UPDATE job_parts SET state = 'queued' WHERE job = ?1"
				  " AND state = 'cancelled' AND bytes IS NOT NULL RETURNING id",
	[STORE_CHOOSE_ITEMS] = "UPDATE job_items SET choice = ?4, chosen_by = ?6, expected = ?7,"
			       " state = CASE WHEN ?4 = 'skip' THEN state ELSE 'again' END"
			       " WHERE job = ?1 AND item >= ?2 AND item <= ?3"
			       " AND state IN ('conflict', 'duplicate') AND (?5 = '' OR state = ?5)"
			       " AND (?4 = 'skip' OR state = 'duplicate' OR EXISTS"
			       " (SELECT 1 FROM job_bytes b WHERE b.job = job_items.job"
			       " AND b.item = job_items.item)) RETURNING item",
	[STORE_REOPEN_JOB] =
		"UPDATE jobs SET state = 'queued', finished = NULL WHERE id = ?1"
		" AND state IN ('done', 'cancelled') AND (EXISTS"
		" (SELECT 1 FROM job_parts WHERE job = ?1 AND state = 'queued') OR EXISTS"
		" (SELECT 1 FROM job_items WHERE job = ?1 AND state = 'again'))",
	[STORE_SETTLE_JOB] =
		"UPDATE jobs SET state = 'done', finished = ?2 WHERE id = ?1"
		" AND state IN ('queued', 'running') AND NOT EXISTS"
		" (SELECT 1 FROM job_parts WHERE job = ?1 AND state = 'queued') AND NOT"
		" EXISTS (SELECT 1 FROM job_items WHERE job = ?1 AND state = 'again')",
	[STORE_FORGET_JOBS] =
		"DELETE FROM jobs WHERE state IN ('done', 'cancelled') AND finished < ?1 AND id <="
		" (SELECT id FROM jobs WHERE state IN ('done', 'cancelled')"
		" ORDER BY id DESC LIMIT 1 OFFSET ?2)",
	[STORE_CLOSE_OLD_JOBS] =
		"UPDATE jobs SET state = 'done', finished = ?2"
		" WHERE state = 'open' AND created < ?1 AND NOT EXISTS"
		" (SELECT 1 FROM job_parts p WHERE p.job = jobs.id AND p.state = 'queued')",
	[STORE_FORGET_OLD_BYTES] = "DELETE FROM job_bytes WHERE job IN"
				   " (SELECT id FROM jobs WHERE finished < ?1)",
	[STORE_FORGET_OLD_PARTS] = "UPDATE job_parts SET bytes = NULL WHERE bytes IS NOT NULL"
				   " AND job IN (SELECT id FROM jobs WHERE finished < ?1)",
	[STORE_NEXT_PART] = "SELECT p.id, p.job, p.kind, p.name, p.media, j.on_known, p.first_item,"
			    " coalesce(p.items, 0), p.bytes, j.author FROM job_parts p JOIN jobs j "
			    "ON j.id = p.job"
			    " WHERE p.state = 'queued' ORDER BY p.id LIMIT 1",
	[STORE_WAITING_ITEMS] = "SELECT item FROM job_items WHERE job = ?1 AND item >= ?2"
				" AND item < ?3 AND state = 'queued' ORDER BY item",
	[STORE_NEXT_AGAIN] =
		"SELECT i.job, i.item, i.name, i.choice, j.on_known,"
		" coalesce(b.bytes, d.bytes),"
		" CASE WHEN i.choice IS NULL THEN j.author ELSE i.chosen_by END, i.expected"
		" FROM job_items i JOIN jobs j ON j.id = i.job"
		" LEFT JOIN job_bytes b ON b.job = i.job AND b.item = i.item"
		" LEFT JOIN benchmark_runs r ON r.id = i.result"
		" AND r.content_sha256 = i.content"
		" LEFT JOIN benchmark_documents d ON d.id = r.id"
		" WHERE i.state = 'again' ORDER BY i.job, i.item LIMIT ?1",
	[STORE_PART_WAITS] = "SELECT 1 FROM job_parts WHERE id = ?1 AND state = 'queued'",
	[STORE_ITEM_IS_AGAIN] =
		"SELECT 1 FROM job_items WHERE job = ?1 AND item = ?2 AND state = 'again'",
	[STORE_RUN_JOB] = "UPDATE jobs SET state = 'running' WHERE id = ?1 AND state = 'queued'",
	[STORE_CUT_PART] = "UPDATE job_parts SET first_item = ?2, items = ?3 WHERE id = ?1",
	[STORE_ADD_ITEMS] = "INSERT INTO job_items (job, part, item, name, state, faults)"
			    " SELECT ?1, ?2, ?3 + key, value, 'queued', '[]' FROM json_each(?4)"
			    " WHERE true ON CONFLICT DO NOTHING",
	[STORE_NOTE_FIRSTS] = "UPDATE job_files SET item = json_extract(?2, '$[' || file || ']')"
			      " WHERE part = ?1",
	[STORE_NOTE_ITEM] =
		"UPDATE job_items SET state = ?3, form = ?4, result = ?5, run_id = ?6,"
		" message = ?7, faults = ?8, near = ?10, is_deleted = ?11, content = ?13,"
		" secrets = CASE WHEN ?14 = 0 THEN ?9 ELSE secrets END,"
		" bytes = CASE WHEN ?14 = 0 THEN ?12 ELSE bytes END"
		" WHERE job = ?1 AND item = ?2",
	[STORE_KEEP_BYTES] = "INSERT INTO job_bytes (job, item, bytes) VALUES (?1, ?2, ?3)"
			     " ON CONFLICT (job, item) DO UPDATE SET bytes = excluded.bytes",
	[STORE_FORGET_BYTES] = "DELETE FROM job_bytes WHERE job = ?1 AND item = ?2",
	[STORE_END_PART] = "UPDATE job_parts SET state = 'done', bytes = NULL WHERE id = ?1"
			   " AND NOT EXISTS (SELECT 1 FROM job_items i WHERE i.job = job_parts.job"
			   " AND i.item >= job_parts.first_item"
			   " AND i.item < job_parts.first_item + job_parts.items"
			   " AND i.state IN ('cancelled', 'queued'))",
	/* items that were asked for again while the others were worked on: it comes once more */
	[STORE_LEAVE_PART] = "UPDATE job_parts SET state = 'cancelled'"
			     " WHERE id = ?1 AND state = 'queued'"
			     " AND NOT EXISTS (SELECT 1 FROM job_items i"
			     " WHERE i.job = job_parts.job AND i.item >= job_parts.first_item"
			     " AND i.item < job_parts.first_item + job_parts.items"
			     " AND i.state = 'queued')",
	[STORE_GET_JOB] = "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1",
	[STORE_LIST_JOBS] = "SELECT " JOB_COLUMNS " FROM jobs WHERE ?1 = '' OR state = ?1"
			    " ORDER BY id DESC LIMIT ?3 OFFSET ?2",
	[STORE_COUNT_JOBS] = "SELECT count(*) FROM jobs WHERE ?1 = '' OR state = ?1",
	[STORE_COUNT_ITEMS] = "SELECT state, count(*) FROM job_items WHERE job = ?1 GROUP BY state",
	[STORE_COUNT_UNCUT] =
		"SELECT state, CAST(sum(files) AS BIGINT) FROM job_parts WHERE job = ?1"
		" AND state IN ('queued', 'cancelled') AND first_item IS NULL"
		" GROUP BY state",
	[STORE_GET_ITEMS] = "SELECT " ITEM_COLUMNS " FROM job_items i WHERE i.job = ?1"
			    " AND i.item >= ?2 ORDER BY i.item LIMIT ?3",
	[STORE_GET_ITEMS_OF] = "SELECT " ITEM_COLUMNS " FROM job_items i WHERE i.job = ?1"
			       " AND i.state IN (?4, ?5) ORDER BY i.item LIMIT ?3 OFFSET ?2",
	[STORE_LIST_RESULTS_OF] =
		"SELECT i.result FROM job_items i JOIN benchmark_runs r ON r.id = i.result"
		" WHERE i.job = ?1 AND i.state IN ('stored', 'duplicate') AND r.deleted = 0"
		" GROUP BY i.result ORDER BY min(i.item) LIMIT ?2",
	[STORE_GET_RIVAL] = "SELECT i.state, i.result, b.bytes FROM job_items i"
			    " LEFT JOIN job_bytes b ON b.job = i.job AND b.item = i.item"
			    " WHERE i.job = ?1 AND i.item = ?2",
	[STORE_GET_RIVAL_CONTENT] = "SELECT r.content_sha256 FROM job_items i"
				    " JOIN benchmark_runs r ON r.id = i.result"
				    " WHERE i.job = ?1 AND i.item = ?2",
	[STORE_FIND_FILE] = "SELECT p.job, f.item, coalesce(i.state, p.state), i.result"
			    " FROM job_files f JOIN job_parts p ON p.id = f.part"
			    " LEFT JOIN job_items i ON i.job = p.job AND i.item = f.item"
			    " WHERE f.sha256 = ?1 AND (i.result IS NULL OR EXISTS"
			    " (SELECT 1 FROM benchmark_runs r WHERE r.id = i.result))"
			    " AND (i.state IS NOT NULL OR p.state <> 'done')"
			    " AND (p.job = ?2 OR ?2 = 0)"
			    " ORDER BY f.part DESC LIMIT 1",
	[STORE_LIST_PRESETS] = "SELECT id, name, is_default, created, changed, content"
			       " FROM presets WHERE id >= ?1 ORDER BY id LIMIT ?2",
	[STORE_CLEAR_DEFAULT_PRESET] = "UPDATE presets SET is_default = 0 WHERE is_default = 1",
	[STORE_ADD_PRESET] = "INSERT INTO presets (name, is_default, created, changed, content)"
			     " VALUES (?1, ?2, ?3, ?3, ?4) RETURNING id",
	[STORE_REPLACE_PRESET] = "UPDATE presets SET name = ?1, is_default = ?2, changed = ?3,"
				 " content = ?4 WHERE id = ?5 RETURNING id",
	[STORE_REMOVE_PRESET] = "DELETE FROM presets WHERE id = ?1 RETURNING id",
	[STORE_COUNT_VIEWS] = "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM views",
	[STORE_ADD_VIEW] = "INSERT INTO views (id, created, bytes, state)"
			   " VALUES (?1, ?2, ?3, ?4)",
	[STORE_GET_VIEW] = "SELECT state, created FROM views WHERE id = ?1",
	[STORE_GET_DICTIONARIES] =
		"SELECT id, kind, bytes FROM dictionaries WHERE id > ?1 ORDER BY id",
	[STORE_NEWEST_DICTIONARY] = "SELECT result FROM dictionaries WHERE kind = ?1"
				    " ORDER BY id DESC LIMIT 1",
	[STORE_ADD_DICTIONARY] =
		"INSERT INTO dictionaries (kind, result, bytes) VALUES (?1, ?2, ?3)",
	[STORE_GET_RUN_ID] = "SELECT run_id FROM benchmark_runs WHERE id = ?1 AND deleted = 0",
	[STORE_GET_OF_RUN_ID] = "SELECT id FROM benchmark_runs WHERE run_id = ?1"
				" AND deleted = 0 ORDER BY repeat LIMIT ?2",
	[STORE_ADD_ARTIFACT] =
		"INSERT INTO artifacts (run_id, kind, name, sha256, bytes, stored_at)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	[STORE_REMOVE_ARTIFACT] = "DELETE FROM artifacts WHERE run_id = ?1 AND kind = ?2"
				  " AND name = ?3 AND sha256 = ?4 RETURNING id",
	[STORE_COUNT_ARTIFACTS] = "SELECT count(*) FROM artifacts WHERE run_id = ?1",
	[STORE_GET_ARTIFACTS] = "SELECT kind, name, sha256, bytes, stored_at FROM artifacts"
				" WHERE run_id = ?1 ORDER BY id",
	[STORE_HAS_ARTIFACT] = "SELECT 1 FROM artifacts WHERE sha256 = ?1 LIMIT 1",
	[STORE_FORGET_ARTIFACTS] = "DELETE FROM artifacts WHERE run_id = (SELECT run_id FROM "
				   "benchmark_runs WHERE id = ?1)"
				   " AND NOT EXISTS (SELECT 1 FROM benchmark_runs r"
				   " WHERE r.run_id = artifacts.run_id AND r.id <> ?1)",
	[STORE_FORGET_UNCLAIMED] =
		"DELETE FROM artifacts WHERE stored_at < ?1 AND NOT EXISTS"
		" (SELECT 1 FROM benchmark_runs r WHERE r.run_id = artifacts.run_id)",
	[STORE_PUT_SWEEP] = "INSERT INTO sweeps (id, created, changed, head, content)"
			    " VALUES (?1, ?2, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET"
			    " changed = excluded.changed, head = excluded.head,"
			    " content = excluded.content",
	[STORE_GET_SWEEP] = "SELECT created, changed, content FROM sweeps WHERE id = ?1",
	[STORE_LIST_SWEEPS] = "SELECT id, created, changed, head FROM sweeps"
			      " ORDER BY created DESC, id DESC LIMIT ?1",
	[STORE_COUNT_OTHER_SWEEPS] = "SELECT count(*) FROM sweeps WHERE id <> ?1",
	[STORE_REMOVE_SWEEP] = "DELETE FROM sweeps WHERE id = ?1"
			       " RETURNING CAST(1 AS BIGINT)",
};

/* What PostgreSQL says otherwise. */
static const char *const postgres_statements[STORE_STATEMENT_COUNT] = {
	[STORE_ADD_ITEMS] = "INSERT INTO job_items (job, part, item, name, state, faults)"
			    " SELECT CAST(?1 AS BIGINT), CAST(?2 AS BIGINT),"
			    " CAST(?3 AS BIGINT) + n.at - 1, n.name, 'queued', '[]'"
			    " FROM json_array_elements_text(CAST(?4 AS json))"
			    " WITH ORDINALITY AS n (name, at) ON CONFLICT DO NOTHING",
	[STORE_NOTE_FIRSTS] = "UPDATE job_files SET item ="
			      " CAST(CAST(?2 AS json) ->> CAST(file AS INTEGER) AS BIGINT)"
			      " WHERE part = ?1",
};

const char *store_sql_statement_text(const struct store_sql *sql, enum store_statement which)
{
	const char *other = postgres_statements[which];

	return sql->driver->has_postgres_texts && other != NULL ? other : statements[which];
}

/* ---- the connection ------------------------------------------------------------------------ */

int store_sql_open_with(struct store_sql *sql, const struct store_sql_driver *driver,
			const char *name, bool create, struct pl_err *err)
{
	*sql = (struct store_sql){ .driver = driver };
	if (sql->driver->open(sql, name, create, err) == 0)
		return 0;
	*sql = (struct store_sql){ 0 };
	return -1;
}

void store_sql_close(struct store_sql *sql)
{
	if (sql->driver == NULL)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sql->kept); i++)
		store_sql_drop(sql->kept[i]);
	sql->driver->close(sql);
	*sql = (struct store_sql){ 0 };
}

const char *store_sql_name(const struct store_sql *sql)
{
	return sql->driver->name(sql);
}

int store_sql_use(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	return sql->driver->use(sql, access, err);
}

int store_sql_get_form(struct store_sql *sql, int64_t *ret, struct pl_err *err)
{
	return sql->driver->get_form(sql, ret, err);
}

int store_sql_set_form(struct store_sql *sql, int64_t form, struct pl_err *err)
{
	return sql->driver->set_form(sql, form, err);
}

int store_sql_own(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->own(sql, err);
}

void store_sql_set_patience(struct store_sql *sql, int ms)
{
	sql->driver->set_patience(sql, ms);
}

int store_sql_begin(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	return sql->driver->begin(sql, access, err);
}

int store_sql_commit(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->commit(sql, err);
}

void store_sql_rollback(struct store_sql *sql)
{
	sql->driver->rollback(sql);
}

int store_sql_empty_log(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->empty_log(sql, err);
}

int store_sql_check(struct store_sql *sql, char **ret, struct pl_err *err)
{
	*ret = NULL;
	return sql->driver->check(sql, ret, err);
}

int store_sql_own_jobs(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->own_jobs(sql, err);
}

unsigned store_sql_jobs_hold(const struct store_sql *sql)
{
	return sql->driver->jobs_hold(sql);
}

/* ---- statements ---------------------------------------------------------------------------- */

int store_sql_run(struct store_sql *sql, const char *text, struct pl_err *err)
{
	return sql->driver->run(sql, text, err);
}

int store_sql_make(struct store_sql *sql, const char *text, struct pl_err *err)
{
	return sql->driver->make(sql, text, err);
}

static int prepare(struct store_sql *sql, const char *text, bool is_cursor, struct store_stmt **ret,
		   struct pl_err *err)
{
	if (sql->driver->prepare(sql, text, is_cursor, ret, err) < 0)
		return -1;
	(*ret)->sql = sql;
	return 0;
}

int store_sql_prepare(struct store_sql *sql, const char *text, struct store_stmt **ret,
		      struct pl_err *err)
{
	return prepare(sql, text, false, ret, err);
}

int store_sql_prepare_cursor(struct store_sql *sql, const char *text, struct store_stmt **ret,
			     struct pl_err *err)
{
	return prepare(sql, text, true, ret, err);
}

int store_sql_kept(struct store_sql *sql, enum store_statement which, struct store_stmt **ret,
		   struct pl_err *err)
{
	if (sql->kept[which] == NULL && store_sql_prepare(sql, store_sql_statement_text(sql, which),
							  &sql->kept[which], err) < 0)
		return -1;
	store_sql_reset(sql->kept[which]);
	store_sql_clear(sql->kept[which]);
	*ret = sql->kept[which];
	return 0;
}

int store_sql_step(struct store_stmt *statement, bool *ret_row, struct pl_err *err)
{
	return statement->sql->driver->step(statement, ret_row, err);
}

int store_sql_finish(struct store_stmt *statement, struct pl_err *err)
{
	bool is_row = true;

	while (is_row) {
		if (store_sql_step(statement, &is_row, err) < 0)
			return -1;
	}
	return 0;
}

int store_sql_ask(struct store_stmt *statement, struct pl_err *err)
{
	const struct store_sql_driver *driver = statement->sql->driver;

	return driver->ask != NULL ? driver->ask(statement, true, err) : 0;
}

int store_sql_finish_later(struct store_stmt *statement, struct pl_err *err)
{
	const struct store_sql_driver *driver = statement->sql->driver;

	return driver->ask != NULL ? driver->ask(statement, false, err)
				   : store_sql_finish(statement, err);
}

int store_sql_number(struct store_stmt *statement, int64_t *ret, struct pl_err *err)
{
	int64_t number = 0;
	bool is_row = false;

	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	if (is_row)
		number = store_sql_i64(statement, 0);
	if (is_row && store_sql_finish(statement, err) < 0)
		return -1;
	*ret = number;
	return 0;
}

void store_sql_reset(struct store_stmt *statement)
{
	if (statement != NULL)
		statement->sql->driver->reset(statement);
}

void store_sql_drop(struct store_stmt *statement)
{
	if (statement != NULL)
		statement->sql->driver->drop(statement);
}

/* ---- parameters ---------------------------------------------------------------------------- */

static void bind(struct store_stmt *statement, int at, const struct store_sql_value *value)
{
	statement->sql->driver->bind(statement, at, value);
}

void store_sql_bind_text(struct store_stmt *statement, int at, const char *text)
{
	if (text != NULL)
		bind(statement, at,
		     &(struct store_sql_value){
			     .type = STORE_SQL_TEXT, .data = text, .len = strlen(text) });
	else
		store_sql_bind_null(statement, at);
}

void store_sql_bind_bytes(struct store_stmt *statement, int at, const void *data, size_t len)
{
	bind(statement, at,
	     &(struct store_sql_value){ .type = data != NULL ? STORE_SQL_BYTES : STORE_SQL_NULL,
					.data = data,
					.len = len });
}

void store_sql_bind_i64(struct store_stmt *statement, int at, int64_t number)
{
	bind(statement, at,
	     &(struct store_sql_value){ .type = STORE_SQL_INTEGER, .integer = number });
}

void store_sql_bind_f64(struct store_stmt *statement, int at, double number)
{
	bind(statement, at, &(struct store_sql_value){ .type = STORE_SQL_REAL, .real = number });
}

void store_sql_bind_null(struct store_stmt *statement, int at)
{
	bind(statement, at, &(struct store_sql_value){ .type = STORE_SQL_NULL });
}

void store_sql_clear(struct store_stmt *statement)
{
	statement->sql->driver->clear(statement);
}

/* ---- columns ------------------------------------------------------------------------------- */

const char *store_sql_text(struct store_stmt *statement, int at)
{
	return statement->sql->driver->text(statement, at);
}

const void *store_sql_bytes(struct store_stmt *statement, int at, size_t *ret_len)
{
	struct store_sql_value value;

	store_sql_value(statement, at, &value);
	*ret_len = value.len;
	return value.data;
}

int64_t store_sql_i64(struct store_stmt *statement, int at)
{
	struct store_sql_value value;

	store_sql_value(statement, at, &value);
	return value.type == STORE_SQL_REAL ? (int64_t)value.real : value.integer;
}

double store_sql_f64(struct store_stmt *statement, int at)
{
	struct store_sql_value value;

	store_sql_value(statement, at, &value);
	return value.type == STORE_SQL_INTEGER ? (double)value.integer : value.real;
}

bool store_sql_is_null(struct store_stmt *statement, int at)
{
	struct store_sql_value value;

	store_sql_value(statement, at, &value);
	return value.type == STORE_SQL_NULL;
}
