/*
 * The form of the file. Numbered steps make it what this program expects; they run once, in order, in one
 * transaction, and the number of the last stands in the file (user_version), so that a program that knows
 * fewer refuses it. Columns of fields are no step: the rows of src/tbl say which there are, and those that
 * the file lacks are added whenever it is opened. A document keeps what no field was known for, so that a
 * new column has its values for old results, too.
 *
 * Documents stand in a table of their own: SQLite keeps a row in one piece, and who reads columns would
 * walk through each document on the way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "store/sqlite_cell.h"
#include "store/store_priv.h"

#define APPLICATION_ID 0x50464c4d /* "PFLM" */
#define SQL_BYTES_MAX  (4u << 20)

/* Of a row of id and bytes. */
static int unpack_row(const struct store *store, sqlite3_stmt *row, json_t **ret,
		      struct pl_err *err)
{
	return store_unpack(store, sqlite3_column_int64(row, 0), sqlite3_column_blob(row, 1),
			    (size_t)sqlite3_column_bytes(row, 1), NULL, NULL, ret, err);
}

/* Each ALTER TABLE reads the whole table's text again: a new file has all its columns at once. */
static int make_runs(struct store *store, struct pl_err *err)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "CREATE TABLE benchmark_runs ("
			       " id INTEGER PRIMARY KEY AUTOINCREMENT,"
			       " run_id TEXT,"
			       " content_sha256 TEXT NOT NULL,"
			       " form TEXT NOT NULL,"
			       " name TEXT NOT NULL,"
			       " stored_at TEXT NOT NULL,"
			       " changed INTEGER NOT NULL,"
			       " explicit_fields TEXT NOT NULL");
	for (size_t i = 0; i < store->column_count; i++)
		pl_buf_addf(&text, ", \"%s\"", store->columns[i]->id);
	pl_buf_add_text(&text, ")");
	return store_sql_run(&store->writer, pl_buf_text(&text), err);
}

static int make_tables(struct store *store, struct pl_err *err)
{
	if (make_runs(store, err) < 0)
		return -1;
	return store_sql_run(
		&store->writer,
		"CREATE UNIQUE INDEX benchmark_runs_content ON benchmark_runs (content_sha256);"
		"CREATE INDEX benchmark_runs_run_id ON benchmark_runs (run_id);"
		"CREATE INDEX benchmark_runs_changed ON benchmark_runs (changed);"
		"CREATE TABLE benchmark_documents ("
		" id INTEGER PRIMARY KEY REFERENCES benchmark_runs (id) ON DELETE CASCADE,"
		" bytes BLOB NOT NULL,"
		" notes TEXT NOT NULL);"
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

/* What store/places.c keeps, of the documents that are there already. */
static int make_places(struct store *store, struct pl_err *err)
{
	auto_statement documents = NULL;
	bool is_row = false;

	if (store_sql_run(&store->writer,
			  "CREATE TABLE document_places (place TEXT PRIMARY KEY) WITHOUT ROWID",
			  err) < 0 ||
	    store_sql_prepare(&store->writer, "SELECT id, bytes FROM benchmark_documents",
			      &documents, err) < 0)
		return -1;
	for (;;) {
		auto_json json_t *document = NULL;
		auto_places places = { 0 };
		if (store_sql_step(documents, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		/* one that cannot be read may have any, and keeps nobody from the others */
		if (unpack_row(store, documents, &document, PL_ERR_IGNORED) < 0) {
			if (store_sql_run(&store->writer,
					  "INSERT OR IGNORE INTO document_places VALUES ('')",
					  err) < 0)
				return -1;
			continue;
		}
		store_places_of(store, document, &places);
		if (store_places_put(store, &places, err) < 0)
			return -1;
	}
}

/* What people keep: store/preset.h, store/link.h. The second index answers how many bytes there are. */
static int make_presets(struct store *store, struct pl_err *err)
{
	return store_sql_run(
		&store->writer,
		"CREATE TABLE presets ("
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
		"CREATE INDEX views_bytes ON views (bytes);",
		err);
}

static int (*const steps[])(struct store *store, struct pl_err *err) = {
	make_tables,
	make_places,
	make_presets,
};
#define STEP_COUNT ((int)PL_ARRAY_SIZE(steps))

/* ---- which form it has --------------------------------------------------------------------- */

/* The only column of the only row of a query. */
static int ask_number(struct store_sql *sql, const char *text, int64_t *ret, struct pl_err *err)
{
	auto_statement statement = NULL;
	bool is_row = false;

	if (store_sql_prepare(sql, text, &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = is_row ? sqlite3_column_int64(statement, 0) : 0;
	return 0;
}

/* A database of another program is left alone, and one that a newer one of ours has changed. */
static int check_form(struct store *store, int64_t *ret_step, struct pl_err *err)
{
	int64_t application = 0, tables = 0;

	if (ask_number(&store->writer, "PRAGMA application_id", &application, err) < 0 ||
	    ask_number(&store->writer, "PRAGMA user_version", ret_step, err) < 0 ||
	    ask_number(&store->writer, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0)
		return -1;
	if (application != APPLICATION_ID && (application != 0 || tables > 0))
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' is a database of another program: found application_id "
				  "%lld, expected %d",
				  store->path, (long long)application, APPLICATION_ID);
	if (*ret_step > STEP_COUNT)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' was changed by a newer program: found form %lld, expected "
				  "%d at most; open it with that program",
				  store->path, (long long)*ret_step, STEP_COUNT);
	return 0;
}

static int run_steps(struct store *store, int64_t done, struct pl_err *err)
{
	for (int64_t i = done; i < STEP_COUNT; i++) {
		if (steps[i](store, err) < 0)
			return pl_err_wrap(err, "form %lld of '%s'", (long long)i + 1, store->path);
	}
	auto_free char *marks = pl_asprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
					    APPLICATION_ID, STEP_COUNT);
	return done < STEP_COUNT ? store_sql_run(&store->writer, marks, err) : 0;
}

/* ---- columns ------------------------------------------------------------------------------- */

struct names {
	char **items;
	size_t count;
	size_t room;
};

static void names_done(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}

/* SQL knows no case in names. */
static int compare_names(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return sqlite3_stricmp(*one, *other);
}

static int read_names(struct store *store, struct names *ret, struct pl_err *err)
{
	auto_statement statement = NULL;
	bool is_row = false;

	if (store_sql_prepare(&store->writer,
			      "SELECT name FROM pragma_table_info('benchmark_runs')", &statement,
			      err) < 0)
		return -1;
	for (;;) {
		if (store_sql_step(statement, &is_row, err) < 0)
			return -1;
		if (!is_row)
			break;
		*PL_PUSH(ret->items, ret->count,
			 ret->room) = pl_strdup(store_sql_text(statement, 0));
	}
	if (ret->count > 0)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_names);
	return 0;
}

/* Places in store->columns of those that the table has none of yet; free(). */
static int find_missing(struct store *store, size_t **ret, size_t *ret_count, struct pl_err *err)
{
	__attribute__((cleanup(names_done))) struct names names = { 0 };
	auto_free size_t *missing = pl_alloc_array(store->column_count, sizeof(*missing));
	size_t count = 0;

	if (read_names(store, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < store->column_count; i++) {
		const char *id = store->columns[i]->id;
		if (names.count == 0 || bsearch(&id, names.items, names.count, sizeof(*names.items),
						compare_names) == NULL)
			missing[count++] = i;
	}
	*ret = pl_take(missing);
	*ret_count = count;
	return 0;
}

static int add_columns(struct store *store, const size_t *missing, size_t count, struct pl_err *err)
{
	for (size_t i = 0; i < count; i++) {
		auto_free char *text = pl_asprintf("ALTER TABLE benchmark_runs ADD COLUMN \"%s\"",
						   store->columns[missing[i]]->id);
		if (store_sql_run(&store->writer, text, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- values of new columns ----------------------------------------------------------------- */

static char *update_text(const struct store *store, const size_t *missing, size_t count)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "UPDATE benchmark_runs SET changed = ?2, explicit_fields = ?3");
	for (size_t i = 0; i < count; i++)
		pl_buf_addf(&text, ", \"%s\" = ?%zu", store->columns[missing[i]]->id, i + 4);
	pl_buf_add_text(&text, " WHERE id = ?1");
	return pl_buf_take(&text);
}

static int fill_row(struct store *store, sqlite3_stmt *update, int64_t id, const json_t *document,
		    const size_t *missing, size_t count, struct pl_err *err)
{
	auto_row row = { .id = 0 };
	int64_t version = 0;

	store_row_of_document(store->fields, document, &row);
	auto_free char *explicit_fields = store_explicit_fields(store, &row);
	if (store_next_version(store, &version, err) < 0)
		return -1;
	sqlite3_bind_int64(update, 1, id);
	sqlite3_bind_int64(update, 2, version);
	store_sql_bind_text(update, 3, explicit_fields);
	for (size_t i = 0; i < count; i++)
		store_cell_bind(update, (int)i + 4, store->columns[missing[i]],
				&row.cells[missing[i]]);
	return store_sql_finish(update, err);
}

/* From the documents that are there already. */
static int fill_columns(struct store *store, const size_t *missing, size_t count,
			struct pl_err *err)
{
	auto_statement documents = NULL;
	auto_statement update = NULL;
	auto_free char *text = update_text(store, missing, count);
	bool is_row = false;

	if (store_sql_prepare(&store->writer,
			      "SELECT id, bytes FROM benchmark_documents ORDER BY id", &documents,
			      err) < 0 ||
	    store_sql_prepare(&store->writer, text, &update, err) < 0)
		return -1;
	for (;;) {
		auto_json json_t *document = NULL;
		if (store_sql_step(documents, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		if (unpack_row(store, documents, &document, err) < 0 ||
		    fill_row(store, update, sqlite3_column_int64(documents, 0), document, missing,
			     count, err) < 0)
			return -1;
	}
}

static int migrate(struct store *store, struct pl_err *err)
{
	auto_free size_t *missing = NULL;
	size_t count = 0;
	int64_t done = 0;

	/* once more: another process may have done it while this one waited */
	if (check_form(store, &done, err) < 0 || run_steps(store, done, err) < 0 ||
	    find_missing(store, &missing, &count, err) < 0)
		return -1;
	if (count == 0)
		return 0;
	return add_columns(store, missing, count, err) < 0
		       ? -1
		       : fill_columns(store, missing, count, err);
}

int store_migrate(struct store *store, struct pl_err *err)
{
	auto_free size_t *missing = NULL;
	size_t count = 0;
	int64_t done = 0;

	if (check_form(store, &done, err) < 0)
		return -1;
	if (done == STEP_COUNT && find_missing(store, &missing, &count, err) < 0)
		return -1;
	/* nothing to do: no lock is asked for, so that a file that others write can be opened */
	if (done == STEP_COUNT && count == 0)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, migrate(store, err), err);
}
