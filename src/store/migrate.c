/*
 * The version of the file. Numbered steps upgrade it to what this program expects. They run once, in order, in one
 * transaction, and the file contains the number of the last step (user_version), so a program with fewer steps refuses
 * it. Columns of fields are not steps: src/tbl lists them, and missing ones are added whenever the file is opened, also to
 * the view of the results. A document contains values that had no field when it was stored, so a new column has values
 * for old results, too.
 *
 * Documents have a separate table: SQLite stores a row contiguously, so reading columns would otherwise pass through
 * each document.
 */
#include "base/log.h"
#include "base/text.h"
#include "result/fields/values.h"
#include "store/store_priv.h"

/* Fewer are read within about a second, so their progress is not logged. */
#define PROGRESS_DOCUMENTS_MIN 500

/* Decompresses a row of id and bytes. */
static int unpack_row(const struct store *store, struct store_stmt *row, json_t **ret,
		      struct pl_err *err)
{
	size_t len;
	const void *packed = store_sql_bytes(row, 1, &len);

	return store_unpack(store, store_sql_i64(row, 0), packed, len, NULL, NULL, ret, err);
}

static int make_tables(struct store *store, struct pl_err *err)
{
	if (store_runs_make(&store->writer,
			    "id INTEGER PRIMARY KEY AUTOINCREMENT,"
			    " run_id TEXT,"
			    " content_sha256 TEXT NOT NULL,"
			    " form TEXT NOT NULL,"
			    " name TEXT NOT NULL,"
			    " stored_at TEXT NOT NULL,"
			    " changed INTEGER NOT NULL,"
			    " explicit_fields TEXT JSON NOT NULL",
			    &store->columns, err) < 0)
		return -1;
	return store_sql_make(
		&store->writer,
		"CREATE UNIQUE INDEX benchmark_runs_content ON benchmark_runs (content_sha256);"
		"CREATE INDEX benchmark_runs_run_id ON benchmark_runs (run_id);"
		"CREATE INDEX benchmark_runs_changed ON benchmark_runs (changed);"
		"CREATE TABLE benchmark_documents ("
		" id INTEGER PRIMARY KEY REFERENCES benchmark_runs (id) ON DELETE CASCADE,"
		" bytes BLOB NOT NULL,"
		" notes TEXT NOT NULL);"
		/* a single row; each row of benchmark_runs has the version of its last change */
		"CREATE TABLE store_state (data_version INTEGER NOT NULL);"
		"INSERT INTO store_state VALUES (0);"
		"CREATE TABLE jobs ("
		" id INTEGER PRIMARY KEY AUTOINCREMENT,"
		" kind TEXT NOT NULL,"
		" name TEXT NOT NULL,"
		" media TEXT,"
		" state TEXT NOT NULL DEFAULT 'queued',"
		" created TEXT NOT NULL,"
		" finished TEXT,"
		" expected INTEGER,"
		" bytes BLOB);"
		"CREATE INDEX jobs_state ON jobs (state, id);"
		"CREATE TABLE job_items ("
		" job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,"
		" item INTEGER NOT NULL,"
		" name TEXT,"
		" state TEXT NOT NULL,"
		" form TEXT,"
		" result INTEGER,"
		" run_id TEXT,"
		" message TEXT,"
		" faults TEXT NOT NULL,"
		" PRIMARY KEY (job, item)) WITHOUT ROWID;",
		err);
}

/* Fills the table of store/documents/path_index.c from the existing documents. */
static int make_paths(struct store *store, struct pl_err *err)
{
	auto_statement documents = NULL;
	int result;

	if (store_sql_make(&store->writer,
			   "CREATE TABLE document_places (place TEXT PRIMARY KEY) WITHOUT ROWID",
			   err) < 0 ||
	    store_sql_prepare_cursor(&store->writer, "SELECT id, bytes FROM benchmark_documents",
				     &documents, err) < 0)
		return -1;
	while ((result = store_sql_next(documents, err)) > 0) {
		auto_json json_t *document = NULL;
		auto_path_index paths = { 0 };
		/* an unreadable one may contain any place, and does not affect the others */
		if (unpack_row(store, documents, &document, PL_ERR_IGNORED) < 0) {
			if (store_sql_run(&store->writer,
					  "INSERT INTO document_places VALUES ('')"
					  " ON CONFLICT DO NOTHING",
					  err) < 0)
				return -1;
			continue;
		}
		store_path_index_of(store, document, &paths);
		if (store_path_index_put(store, &paths, err) < 0)
			return -1;
	}
	return result;
}

/* Fields and their values have the names of schema_version 3. */
static int rename_former(struct store *store, struct pl_err *err)
{
	return store_runs_rename_former(&store->writer, &store->columns, err);
}

/* Each step is a text, or a function. */
static const struct {
	const char *sql;
	int (*run)(struct store *store, struct pl_err *err);
} steps[] = {
	{ .run = make_tables },
	{ .run = make_paths },
	/* Data of users: store/saved/preset.h, store/saved/link.h. The second index gives the total size. */
	{ .sql = "CREATE TABLE presets ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " name TEXT NOT NULL,"
		 " is_default INTEGER NOT NULL,"
		 " created TEXT NOT NULL,"
		 " changed TEXT NOT NULL,"
		 " content TEXT NOT NULL);"
		 "CREATE UNIQUE INDEX presets_default ON presets (is_default) WHERE is_default = 1;"
		 "CREATE TABLE views ("
		 " id TEXT PRIMARY KEY,"
		 " created TEXT NOT NULL,"
		 " bytes INTEGER NOT NULL,"
		 " state TEXT NOT NULL);"
		 "CREATE INDEX views_bytes ON views (bytes);" },
	/* The owners of artifacts (store/artifacts/artifact.h); their bytes are files. */
	{ .sql = "CREATE TABLE artifacts ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " run_id TEXT NOT NULL,"
		 " kind TEXT NOT NULL,"
		 " name TEXT NOT NULL,"
		 " sha256 TEXT NOT NULL,"
		 " bytes INTEGER NOT NULL,"
		 " stored_at TEXT NOT NULL);"
		 "CREATE UNIQUE INDEX artifacts_run_id ON artifacts (run_id, kind, name, sha256);"
		 "CREATE INDEX artifacts_sha256 ON artifacts (sha256);" },
	/*
	 * Uploads of several parts (store/jobs/job_priv.h). The pending bytes become one part, which is cut again; existing
	 * items stay.
	 */
	{ .sql = "ALTER TABLE jobs ADD COLUMN on_known TEXT NOT NULL DEFAULT 'skip';"
		 "ALTER TABLE jobs ADD COLUMN expected_files INTEGER;"
		 "ALTER TABLE jobs ADD COLUMN expected_bytes INTEGER;"
		 "ALTER TABLE jobs ADD COLUMN received_files INTEGER NOT NULL DEFAULT 0;"
		 "ALTER TABLE jobs ADD COLUMN received_bytes INTEGER NOT NULL DEFAULT 0;"
		 "CREATE TABLE job_parts ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,"
		 " kind TEXT NOT NULL,"
		 " name TEXT NOT NULL,"
		 " media TEXT,"
		 " state TEXT NOT NULL DEFAULT 'queued',"
		 " files INTEGER NOT NULL,"
		 " first_item INTEGER,"
		 " items INTEGER,"
		 " bytes BLOB);"
		 "CREATE INDEX job_parts_job ON job_parts (job);"
		 "CREATE INDEX job_parts_queued ON job_parts (id) WHERE state = 'queued';"
		 "CREATE INDEX job_parts_job_queued ON job_parts (job) WHERE state = 'queued';"
		 "INSERT INTO job_parts (job, kind, name, media, files, bytes)"
		 " SELECT id, kind, name, media, 1, bytes FROM jobs WHERE state <> 'done' ORDER BY "
		 "id;"
		 "UPDATE jobs SET state = 'queued' WHERE state = 'running';"
		 "UPDATE jobs SET received_files = 1;"
		 "ALTER TABLE jobs DROP COLUMN media;"
		 "ALTER TABLE jobs DROP COLUMN expected;"
		 "ALTER TABLE jobs DROP COLUMN bytes;"
		 "ALTER TABLE job_items ADD COLUMN part INTEGER;"
		 "ALTER TABLE job_items ADD COLUMN secrets TEXT NOT NULL DEFAULT '[]';"
		 "ALTER TABLE job_items ADD COLUMN near TEXT NOT NULL DEFAULT '[]';"
		 "ALTER TABLE job_items ADD COLUMN is_deleted INTEGER NOT NULL DEFAULT 0;"
		 "ALTER TABLE job_items ADD COLUMN choice TEXT;"
		 "ALTER TABLE job_items ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;"
		 "ALTER TABLE job_items ADD COLUMN content TEXT;"
		 "CREATE INDEX job_items_again ON job_items (job, item) WHERE state = 'again';"
		 "CREATE TABLE job_files ("
		 " part INTEGER NOT NULL REFERENCES job_parts (id) ON DELETE CASCADE,"
		 " file INTEGER NOT NULL,"
		 " sha256 TEXT NOT NULL,"
		 " item INTEGER,"
		 " PRIMARY KEY (part, file)) WITHOUT ROWID;"
		 "CREATE INDEX job_files_sha256 ON job_files (sha256, part);"
		 "CREATE TABLE job_bytes ("
		 " job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,"
		 " item INTEGER NOT NULL,"
		 " bytes BLOB NOT NULL,"
		 " PRIMARY KEY (job, item));" },
	/*
	 * Changes of results. A repeat was kept in addition to another result of the same content or run_id. Edits are data of
	 * users about a result that its document lacks.
	 */
	{ .sql = "ALTER TABLE benchmark_runs ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;"
		 "ALTER TABLE benchmark_runs ADD COLUMN repeat INTEGER NOT NULL DEFAULT 1;"
		 "ALTER TABLE benchmark_runs ADD COLUMN near_key TEXT;"
		 "ALTER TABLE benchmark_runs ADD COLUMN near INTEGER NOT NULL DEFAULT 0;"
		 "DROP INDEX benchmark_runs_content;"
		 "CREATE UNIQUE INDEX benchmark_runs_content ON benchmark_runs (content_sha256, "
		 "repeat);"
		 "CREATE INDEX benchmark_runs_near ON benchmark_runs (near_key);"
		 "CREATE TABLE benchmark_edits ("
		 " id INTEGER PRIMARY KEY REFERENCES benchmark_runs (id) ON DELETE CASCADE,"
		 " tags TEXT NOT NULL,"
		 " notes TEXT);"
		 "CREATE TABLE benchmark_changes ("
		 " number INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " id INTEGER NOT NULL REFERENCES benchmark_runs (id) ON DELETE CASCADE,"
		 " time TEXT NOT NULL,"
		 " author TEXT,"
		 " kind TEXT NOT NULL,"
		 " name TEXT,"
		 " before TEXT,"
		 " after TEXT);"
		 "CREATE INDEX benchmark_changes_id ON benchmark_changes (id, number);" },
	/* Dictionaries for documents: store/documents/dictionary.h. */
	{ .sql = "CREATE TABLE dictionaries ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " kind TEXT NOT NULL,"
		 " result INTEGER NOT NULL,"
		 " bytes BLOB NOT NULL);"
		 "CREATE INDEX dictionaries_kind ON dictionaries (kind, id);" },
	/* The version at which rows were last pruned, so that readers with an older version notice missing rows. */
	{ .sql = "ALTER TABLE store_state ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;" },
	/* Plans of sweeps: store/sweeps/sweep.h. */
	{ .sql = "CREATE TABLE sweeps ("
		 " id TEXT PRIMARY KEY,"
		 " created TEXT NOT NULL,"
		 " changed TEXT NOT NULL,"
		 " head TEXT NOT NULL,"
		 " content BLOB NOT NULL);"
		 "CREATE INDEX sweeps_created ON sweeps (created);" },
	/*
	 * The inputs that distinguish results with equal metrics, and correct marks: store/possible_duplicates.h; see
	 * fix_duplicates().
	 */
	{ .sql = "ALTER TABLE benchmark_runs ADD COLUMN near_inputs TEXT;"
		 "DROP INDEX benchmark_runs_near;"
		 "CREATE INDEX benchmark_runs_near ON benchmark_runs"
		 " (near_key, id, deleted, form, near_inputs);" },
	/* The author of a choice for a conflict, and the content it applies to. */
	{ .sql = "ALTER TABLE jobs ADD COLUMN author TEXT;"
		 "ALTER TABLE job_items ADD COLUMN chosen_by TEXT;"
		 "ALTER TABLE job_items ADD COLUMN expected TEXT;" },
	/* The key that identifies a repeated part. */
	{ .sql = "ALTER TABLE job_parts ADD COLUMN sent_as TEXT;"
		 "CREATE UNIQUE INDEX job_parts_sent_as ON job_parts (job, sent_as);"
		 "DROP INDEX job_parts_job;" },
	/* The latest upload of each result: put.c. */
	{ .sql = "ALTER TABLE benchmark_runs ADD COLUMN upload INTEGER NOT NULL DEFAULT 0;" },
	{ .run = rename_former },
	/* The form of a result that profllm wrote was 'own'. */
	{ .sql = "UPDATE benchmark_runs SET form = 'native' WHERE form = 'own';"
		 "UPDATE job_items SET form = 'native' WHERE form = 'own';" },
	/* Decisions, annotations and watches of users: store/analysis/. */
	{ .sql = "CREATE TABLE decisions ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " created TEXT NOT NULL,"
		 " series TEXT NOT NULL,"
		 " metric TEXT NOT NULL,"
		 " position INTEGER NOT NULL,"
		 " order_by TEXT NOT NULL,"
		 " experiment INTEGER,"
		 " kind TEXT NOT NULL,"
		 " note TEXT,"
		 " author TEXT);"
		 "CREATE INDEX decisions_series ON decisions (series, id);"
		 "CREATE TABLE annotations ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " revision INTEGER NOT NULL,"
		 " created TEXT NOT NULL,"
		 " changed TEXT NOT NULL,"
		 " content TEXT NOT NULL);"
		 "CREATE TABLE watches ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " revision INTEGER NOT NULL,"
		 " created TEXT NOT NULL,"
		 " changed TEXT NOT NULL,"
		 " name TEXT NOT NULL,"
		 " content TEXT NOT NULL,"
		 " data_version INTEGER NOT NULL DEFAULT -1,"
		 " state TEXT);"
		 "CREATE TABLE watch_states ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " watch INTEGER NOT NULL REFERENCES watches (id) ON DELETE CASCADE,"
		 " time TEXT NOT NULL,"
		 " state TEXT NOT NULL,"
		 " failed INTEGER NOT NULL,"
		 " counts TEXT NOT NULL);"
		 "CREATE INDEX watch_states_watch ON watch_states (watch, id);" },
	/* Prices of GPUs: store/analysis/prices.h. */
	{ .sql = "CREATE TABLE prices ("
		 " id INTEGER PRIMARY KEY,"
		 " revision INTEGER NOT NULL,"
		 " changed TEXT NOT NULL,"
		 " content TEXT NOT NULL);" },
	/* Public results: store/analysis/baseline.h. */
	{ .sql = "CREATE TABLE baselines ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " name TEXT NOT NULL UNIQUE,"
		 " created TEXT NOT NULL,"
		 " changed TEXT NOT NULL,"
		 " content TEXT NOT NULL);" },
	/*
	 * Results that prune leaves alone (store/prune/hold.h), and the version at which all data was replaced by that of
	 * a backup, so that readers with another version read everything again.
	 */
	{ .sql = "ALTER TABLE store_state ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;"
		 "CREATE TABLE holds ("
		 " tag TEXT NOT NULL,"
		 " value TEXT NOT NULL,"
		 " created TEXT NOT NULL,"
		 " PRIMARY KEY (tag, value)) WITHOUT ROWID;" },
	/* The users who saved presets and prices, and the sessions of users: store/saved/session.h. */
	{ .sql = "ALTER TABLE presets ADD COLUMN created_by TEXT;"
		 "ALTER TABLE presets ADD COLUMN changed_by TEXT;"
		 "ALTER TABLE prices ADD COLUMN changed_by TEXT;"
		 "CREATE TABLE sessions ("
		 " hash TEXT PRIMARY KEY,"
		 " name TEXT NOT NULL,"
		 " role TEXT NOT NULL,"
		 " salt TEXT NOT NULL,"
		 " started INTEGER NOT NULL,"
		 " expires INTEGER NOT NULL) WITHOUT ROWID;" },
	/* The users who stored views, because each has a share of the room. */
	{ .sql = "ALTER TABLE views ADD COLUMN created_by TEXT;"
		 "CREATE INDEX views_created_by ON views (created_by, bytes);" },
	/* Values of fields that are not columns: store/field_index/index.h. They are filled in the background. */
	{ .sql = "CREATE TABLE field_forms ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " content TEXT NOT NULL);"
		 "CREATE TABLE field_rows ("
		 " id INTEGER PRIMARY KEY REFERENCES benchmark_runs (id) ON DELETE CASCADE,"
		 " form INTEGER NOT NULL,"
		 " bytes BLOB NOT NULL);"
		 "CREATE INDEX field_rows_form ON field_rows (form, id);"
		 "CREATE TABLE field_segments ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " form INTEGER NOT NULL,"
		 " first_id INTEGER NOT NULL,"
		 " last_id INTEGER NOT NULL,"
		 " ids BLOB NOT NULL);"
		 "CREATE TABLE field_chunks ("
		 " path BLOB NOT NULL,"
		 " segment INTEGER NOT NULL REFERENCES field_segments (id) ON DELETE CASCADE,"
		 " bytes BLOB NOT NULL,"
		 " PRIMARY KEY (path, segment));"
		 "CREATE INDEX field_chunks_segment ON field_chunks (segment);" },
	/* The view for users of SQL, which is created below. A step that changes one of its columns drops it, too. */
	{ .sql = "DROP VIEW IF EXISTS " STORE_RESULTS_VIEW ";" },
	/* The states of the database: store/lineage.c. */
	{ .sql = "ALTER TABLE store_state ADD COLUMN database_id TEXT NOT NULL DEFAULT '';"
		 "ALTER TABLE store_state ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;"
		 "ALTER TABLE store_state ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;"
		 "ALTER TABLE store_state ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;"
		 "CREATE TABLE store_marks ("
		 " slot INTEGER PRIMARY KEY,"
		 " mark INTEGER NOT NULL);" },
	/* Column snapshots of this data, of any process: store/column_snapshot/column_snapshot.h. */
	{ .sql = "CREATE TABLE column_snapshots ("
		 " id INTEGER PRIMARY KEY AUTOINCREMENT,"
		 " token TEXT NOT NULL UNIQUE,"
		 " data_version INTEGER NOT NULL,"
		 " created TEXT NOT NULL);" },
};
/* Work after a step and after adding the columns, because the new columns are empty. */
#define DUPLICATE_INPUTS_STEP 10
#define STEP_COUNT            ((int)PL_ARRAY_SIZE(steps))
_Static_assert(STEP_COUNT == STORE_NEWEST_FORM, "a new step raises STORE_NEWEST_FORM");

/* ---- version ------------------------------------------------------------------------------- */

static int check_form(struct store *store, int64_t *ret_step, struct pl_err *err)
{
	if (store_sql_get_form(&store->writer, ret_step, err) < 0)
		return -1;
	if (*ret_step > STEP_COUNT)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' was written by a newer version: found database format "
				  "%lld, expected at most %d; use that version",
				  store->path, (long long)*ret_step, STEP_COUNT);
	return 0;
}

static int run_steps(struct store *store, int64_t done, struct pl_err *err)
{
	for (int64_t i = done; i < STEP_COUNT; i++) {
		int rc = steps[i].sql != NULL ? store_sql_make(&store->writer, steps[i].sql, err)
					      : steps[i].run(store, err);
		if (rc < 0)
			return pl_err_wrap(err, "database format %lld of '%s'", (long long)i + 1,
					   store->path);
	}
	return done < STEP_COUNT ? store_sql_set_form(&store->writer, STEP_COUNT, err) : 0;
}

/* ---- values of new columns ----------------------------------------------------------------- */

/* Documents do not contain stored.*. */
static bool are_of_documents(const struct store *store, const size_t *missing, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!pl_text_starts(store->columns.items[missing[i]]->id, "stored."))
			return true;
	}
	return false;
}

/* An unreadable document does not prevent serving the others: its new columns stay empty. */
static int fill_row(struct store *store, struct store_stmt *documents, struct store_stmt *replace,
		    struct pl_err *err)
{
	auto_json json_t *document = NULL;
	struct pl_err why = PL_ERR_INIT;

	if (unpack_row(store, documents, &document, &why) == 0) {
		store_document_set_name(document, store_sql_text(documents, 2));
		return store_refill(store, replace, store_sql_i64(documents, 0), document, err);
	}
	if (why.code == PL_ERR_INVALID) {
		pl_log(PL_LOG_WARNING, "a row stays unchanged: %s", why.text);
		return 0;
	}
	*err = why;
	return -1;
}

static int count_documents(struct store *store, int64_t *ret, struct pl_err *err)
{
	auto_statement counted = NULL;

	if (store_sql_prepare(&store->writer, "SELECT count(*) FROM benchmark_documents", &counted,
			      err) < 0 ||
	    store_sql_next(counted, err) < 0)
		return -1;
	*ret = store_sql_i64(counted, 0);
	return 0;
}

/* Fills new columns from the stored documents, which takes some minutes for 100,000 results, once. */
static int fill_columns(struct store *store, size_t columns, struct pl_err *err)
{
	auto_statement documents = NULL;
	auto_statement replace = NULL;
	auto_free char *text = store_refill_text(store);
	int64_t total = 0, filled = 0;
	int result;

	if (count_documents(store, &total, err) < 0 ||
	    store_sql_prepare_cursor(&store->writer,
				     "SELECT d.id, d.bytes, r.name FROM benchmark_documents d"
				     " JOIN benchmark_runs r ON r.id = d.id ORDER BY d.id",
				     &documents, err) < 0 ||
	    store_sql_prepare(&store->writer, text, &replace, err) < 0)
		return -1;
	pl_log(PL_LOG_INFO, "'%s': filling %zu new columns from %lld stored documents", store->path,
	       columns, (long long)total);
	while ((result = store_sql_next(documents, err)) > 0) {
		if (fill_row(store, documents, replace, err) < 0)
			return -1;
		filled++;
		if (total >= PROGRESS_DOCUMENTS_MIN &&
		    filled * 10 / total > (filled - 1) * 10 / total)
			pl_log(PL_LOG_INFO, "'%s': filled the new columns of %lld of %lld results",
			       store->path, (long long)filled, (long long)total);
	}
	return result;
}

/* ---- marks ---------------------------------------------------------------------------------- */

static int set_duplicate_inputs(struct store *store, struct store_stmt *set, int64_t id,
				const json_t *document, struct pl_err *err)
{
	auto_values struct res_values *values = res_values_new(store->fields, document);
	auto_value inputs = { .state = RES_VALUE_NOT_RECORDED };

	res_values_get(values, res_fields_find(store->fields, "derived.input_key"), &inputs);
	if (inputs.state != RES_VALUE_PRESENT)
		return 0;
	store_sql_bind_i64(set, 1, id);
	store_sql_bind_text(set, 2, inputs.text);
	return store_sql_finish(set, err);
}

/* Those of an unreadable document stay unknown. */
static int fill_duplicate_inputs(struct store *store, struct pl_err *err)
{
	auto_statement documents = NULL;
	auto_statement set = NULL;
	int result;

	if (store_sql_prepare_cursor(&store->writer,
				     "SELECT d.id, d.bytes FROM benchmark_documents d"
				     " JOIN benchmark_runs r ON r.id = d.id"
				     " WHERE r.near_key IS NOT NULL AND r.near_inputs IS NULL",
				     &documents, err) < 0 ||
	    store_sql_prepare(&store->writer,
			      "UPDATE benchmark_runs SET near_inputs = ?2 WHERE id = ?1", &set,
			      err) < 0)
		return -1;
	while ((result = store_sql_next(documents, err)) > 0) {
		auto_json json_t *document = NULL;
		if (unpack_row(store, documents, &document, PL_ERR_IGNORED) == 0 &&
		    set_duplicate_inputs(store, set, store_sql_i64(documents, 0), document, err) <
			    0)
			return -1;
	}
	return result;
}

/* Older programs did not update the marks when another result was removed or restored. */
static int fix_duplicates(struct store *store, struct pl_err *err)
{
	auto_statement keys = NULL;
	int result;

	if (fill_duplicate_inputs(store, err) < 0 ||
	    store_sql_prepare_cursor(&store->writer,
				     "SELECT near_key FROM benchmark_runs"
				     " WHERE near_key IS NOT NULL GROUP BY near_key"
				     " HAVING count(*) > 1",
				     &keys, err) < 0)
		return -1;
	while ((result = store_sql_next(keys, err)) > 0) {
		if (store_duplicates_settle(store, store_sql_text(keys, 0), err) < 0)
			return -1;
	}
	return result;
}

/* ---- the migration -------------------------------------------------------------------------- */

/* *ret_done: the last step that was done before. */
static int migrate_columns(struct store *store, int64_t *ret_done, struct pl_err *err)
{
	auto_free size_t *missing = NULL;
	size_t count = 0;

	/* check again: another process may have done it while this one waited */
	if (check_form(store, ret_done, err) < 0 || run_steps(store, *ret_done, err) < 0 ||
	    (*ret_done == 0 && store_runs_widen(&store->writer, &store->columns, err) < 0) ||
	    store_runs_missing(&store->writer, &store->columns, &missing, &count, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (store_runs_add_column(&store->writer, store->columns.items[missing[i]], err) <
		    0)
			return -1;
	}
	if (store_runs_make_view(&store->writer, &store->columns, err) < 0)
		return -1;
	return are_of_documents(store, missing, count) ? fill_columns(store, count, err) : 0;
}

static int migrate(struct store *store, struct pl_err *err)
{
	int64_t done = 0;

	if (migrate_columns(store, &done, err) < 0)
		return -1;
	return done > 0 && done < DUPLICATE_INPUTS_STEP ? fix_duplicates(store, err) : 0;
}

int store_migrate(struct store *store, struct pl_err *err)
{
	auto_free size_t *missing = NULL;
	bool has_view = false;
	size_t count = 0;
	int64_t done = 0;

	if (check_form(store, &done, err) < 0)
		return -1;
	if (done == STEP_COUNT &&
	    (store_runs_missing(&store->writer, &store->columns, &missing, &count, err) < 0 ||
	     store_runs_view_is_complete(&store->writer, &store->columns, &has_view, err) < 0))
		return -1;
	/* nothing to do: take no lock, so that a file can be opened while others write */
	if (done == STEP_COUNT && count == 0 && has_view)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, migrate(store, err), err);
}
