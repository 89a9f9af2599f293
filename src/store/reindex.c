#include "store/reindex.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "query/filter.h"
#include "store/artifacts/artifact.h"
#include "store/artifacts/files.h"
#include "store/store_priv.h"

#define AT_A_TIME       100 /* rows per transaction: other writers wait meanwhile */
#define FIELDS_REPORTED 5   /* per row */
#define LINE_BYTES_MAX  1000
#define FAULTS_REPORTED 100 /* for files */

/* ---- selection ----------------------------------------------------------------------------- */

struct ids {
	int64_t *items;
	size_t count;
	size_t room;
};

static void ids_done(struct ids *ids)
{
	free(ids->items);
}
#define auto_ids __attribute__((cleanup(ids_done), unused)) struct ids

static int read_ids(struct store *store, struct ids *ret, struct pl_err *err)
{
	auto_statement statement = NULL;
	int result;

	if (store_sql_prepare(&store->writer, "SELECT id FROM benchmark_runs ORDER BY id",
			      &statement, err) < 0)
		return -1;
	while ((result = store_sql_next(statement, err)) > 0)
		*PL_PUSH(ret->items, ret->count, ret->room) = store_sql_i64(statement, 0);
	return result;
}

static int compare_ids(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* Opens a view with the fields of a filter. */
static int look(struct store *store, const struct mirror_ids *fields,
		struct mirror_snapshot **ret_snapshot, struct mirror_view **ret, struct pl_err *err)
{
	unsigned tries = 0;

	do {
		if (store_snapshot_get(store, ret_snapshot, err) == 0 &&
		    mirror_view_new(*ret_snapshot, fields, ret, err) == 0)
			return 0;
		mirror_snapshot_put(pl_take(*ret_snapshot));
	} while (store_should_retry(err, &tries));
	return -1;
}

static int filter_ids(struct store *store, const json_t *tree, struct ids *ret, struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	auto_schema_faults faults = { 0 };
	auto_view struct mirror_view *view = NULL;
	auto_filter struct query_filter *filter = NULL;
	struct mirror_ids fields = { 0 };

	query_filter_fields(tree, &fields);
	int result = look(store, &fields, &snapshot, &view, err);
	free(fields.items);
	if (result < 0)
		return -1;
	if (query_filter_new(view, tree, "/filter", &filter, &faults) < 0) {
		auto_buf line = PL_BUF(LINE_BYTES_MAX);
		if (faults.count > 0)
			schema_fault_text(&faults.items[0], &line);
		return pl_err_invalid(err, "%s", pl_buf_text(&line));
	}
	const uint64_t *rows = query_filter_rows(filter);
	for (size_t i = 0; i < mirror_view_words(view) * 64; i++) {
		if (rows[i / 64] >> (i % 64) & 1)
			*PL_PUSH(ret->items, ret->count, ret->room) = mirror_view_id(view, i);
	}
	if (ret->count > 0)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_ids);
	return 0;
}

/* ---- one row ------------------------------------------------------------------------------- */

struct reading {
	struct store *store;
	struct store_sql *sql;
	const struct store_reindex *options;
	struct store_reindex_counts counts;
	struct store_stmt *row;     /* fixed columns (ROW_*) and the cells of a result */
	struct store_stmt *replace; /* NULL: check only */
	struct mirror_cell *cells;  /* of the row */
	struct store_column_set set;
};

static const char *const row_names[] = { "explicit_fields", "run_id", "content_sha256", "name" };
enum { ROW_EXPLICIT_FIELDS, ROW_RUN_ID, ROW_CONTENT, ROW_NAME, ROW_CELLS };

static bool is_same(const struct mirror_cell *a, const struct mirror_cell *b)
{
	if (a->state != b->state || a->is_explicit != b->is_explicit)
		return false;
	if (a->state != RES_VALUE_PRESENT)
		return true;
	if (a->kind != b->kind || (a->text == NULL) != (b->text == NULL))
		return false;
	/* compare the sign of zero, too */
	return a->text != NULL ? strcmp(a->text, b->text) == 0
			       : memcmp(&a->number, &b->number, sizeof(a->number)) == 0;
}

static int read_row(struct reading *reading, int64_t id, bool *ret_there, struct pl_err *err)
{
	const struct store_columns *columns = &reading->store->columns;

	store_sql_reset(reading->row);
	store_sql_bind_i64(reading->row, 1, id);
	if (store_sql_step(reading->row, ret_there, err) < 0 || !*ret_there)
		return *ret_there ? -1 : 0;
	if (store_runs_read(reading->row, ROW_CELLS, columns, reading->cells, err) < 0 ||
	    store_column_set_read(columns, store_sql_text(reading->row, ROW_EXPLICIT_FIELDS),
				  &reading->set, err) < 0)
		return -1;
	for (size_t i = 0; i < reading->set.count; i++)
		reading->cells[reading->set.columns[i]].is_explicit = true;
	return 0;
}

/* Returns "N fields are not what its document says: a, b"; free(); NULL: no difference. */
static char *difference(const struct reading *reading, const struct mirror_row *row)
{
	const struct store_columns *columns = &reading->store->columns;
	auto_buf names = PL_BUF(LINE_BYTES_MAX);
	size_t count = 0;

	for (size_t i = 0; i < columns->count; i++) {
		if (is_same(&reading->cells[i], &row->cells[i]))
			continue;
		if (count++ < FIELDS_REPORTED)
			pl_buf_addf(&names, "%s%s", count > 1 ? ", " : "", columns->items[i]->id);
	}
	if (count == 0)
		return NULL;
	return pl_asprintf("%zu field%s different from its document: %s%s", count,
			   count == 1 ? " is" : "s are", pl_buf_text(&names),
			   count > FIELDS_REPORTED ? ", …" : "");
}

/* Checks the values that identify a result and its duplicates. */
static int check_names(struct reading *reading, int64_t id, const json_t *document,
		       const char *bytes, size_t len, struct pl_err *err)
{
	const char *run_id = store_sql_text(reading->row, ROW_RUN_ID);
	const char *expected = pl_json_get_text(document, "run_id");
	const char *content = store_sql_text(reading->row, ROW_CONTENT);
	auto_free char *text = NULL;
	char sha256[65];

	if (store_document_content(store_form_of(document), document, bytes, len, sha256, err) < 0)
		return -1;
	if (!pl_text_equal(content, sha256))
		text = pl_asprintf("content_sha256: found %.100s, expected %s (its document)",
				   content, sha256);
	else if (run_id != expected && !pl_text_equal(run_id, expected))
		text = pl_asprintf("run_id: found '%.100s', expected '%.100s' (its document)",
				   run_id != NULL ? run_id : "", expected != NULL ? expected : "");
	if (text == NULL)
		return 0;
	reading->counts.misnamed++;
	reading->options->report(reading->options->context, id, text);
	return 0;
}

/* *ret NULL: unreadable, and reported. */
static int read_document(struct reading *reading, int64_t id, json_t **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_borrowed bytes = NULL;
	struct pl_err why = PL_ERR_INIT;
	bool is_row = false;
	size_t len, text_len = 0;

	*ret = NULL;
	if (store_sql_cached(reading->sql, &store_sql_get_document, &bytes, err) < 0)
		return -1;
	store_sql_bind_i64(bytes, 1, id);
	if (store_sql_step(bytes, &is_row, err) < 0)
		return -1;
	const void *packed = is_row ? store_sql_bytes(bytes, 0, &len) : NULL;
	if (packed != NULL &&
	    store_unpack(reading->store, id, packed, len, &text, &text_len, ret, &why) == 0)
		return reading->options->checks
			       ? check_names(reading, id, *ret, text, text_len, err)
			       : 0;
	reading->counts.broken++;
	reading->options->report(reading->options->context, id,
				 packed != NULL ? why.text : "its document is missing");
	return 0;
}

static int look_at(struct reading *reading, int64_t id, struct pl_err *err)
{
	auto_json json_t *document = NULL;
	auto_edits edits = { .repeat = 1 };
	auto_row row = { .id = 0 };
	bool is_there = false;

	if (read_row(reading, id, &is_there, err) < 0)
		return -1;
	/* another process has removed it */
	if (!is_there)
		return 0;
	reading->counts.results++;
	if (read_document(reading, id, &document, err) < 0)
		return -1;
	if (document == NULL)
		return 0;
	store_document_set_name(document, store_sql_text(reading->row, ROW_NAME));
	mirror_row_of_document(reading->store->fields, document, &row);
	/* the row also contains the store's own data about the result */
	if (store_edits_read(reading->sql, id, &edits, &is_there, err) < 0)
		return -1;
	store_stored_cells(reading->store, &edits, row.cells);
	auto_free char *differs = difference(reading, &row);
	if (differs == NULL)
		return 0;
	reading->counts.differing++;
	reading->options->report(reading->options->context, id, differs);
	store_sql_reset(reading->row);
	return reading->replace != NULL
		       ? store_refill(reading->store, reading->replace, id, document, err)
		       : 0;
}

static int look_at_some(struct reading *reading, const int64_t *ids, size_t count,
			struct pl_err *err)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < count; i++)
		result = look_at(reading, ids[i], err);
	store_sql_reset(reading->row);
	return result;
}

/* ---- all rows ------------------------------------------------------------------------------ */

/* Processes rows in one transaction: for writing, or for a consistent read of rows and documents. */
static int transact(struct reading *reading, const int64_t *ids, size_t count, struct pl_err *err)
{
	struct store *store = reading->store;

	if (reading->replace != NULL) {
		if (store_begin(store, err) < 0)
			return -1;
		return store_end(store, look_at_some(reading, ids, count, err), err);
	}
	if (store_sql_begin(reading->sql, STORE_SQL_READ, err) < 0)
		return -1;
	int result = look_at_some(reading, ids, count, err);
	store_sql_rollback(reading->sql);
	return result;
}

static int prepare(struct reading *reading, struct pl_err *err)
{
	static const struct store_runs_fixed fixed = { row_names, PL_ARRAY_SIZE(row_names) };
	const struct store *store = reading->store;
	auto_free char *row = store_runs_select_text(reading->sql, &fixed, &store->columns,
						     "WHERE id = ?1");
	auto_free char *replace = store_refill_text(store);

	if (store_sql_prepare(reading->sql, row, &reading->row, err) < 0)
		return -1;
	return reading->options->writes
		       ? store_sql_prepare(reading->sql, replace, &reading->replace, err)
		       : 0;
}

static int read_all(struct reading *reading, const struct ids *ids, struct pl_err *err)
{
	if (prepare(reading, err) < 0)
		return -1;
	for (size_t i = 0; i < ids->count; i += AT_A_TIME) {
		size_t left = ids->count - i;
		if (transact(reading, &ids->items[i], left < AT_A_TIME ? left : AT_A_TIME, err) < 0)
			return -1;
	}
	return 0;
}

int store_reindex(struct store *store, const struct store_reindex *options,
		  struct store_reindex_counts *ret, struct pl_err *err)
{
	auto_ids ids = { 0 };
	struct reading reading = { .store = store,
				   .sql = options->writes ? &store->writer : &store->reader,
				   .options = options };

	if ((options->filter != NULL ? filter_ids(store, options->filter, &ids, err)
				     : read_ids(store, &ids, err)) < 0)
		return -1;
	reading.cells = pl_alloc_array(store->columns.count, sizeof(*reading.cells));
	int result = read_all(&reading, &ids, err);
	store_sql_drop(reading.row);
	store_sql_drop(reading.replace);
	store_column_set_done(&reading.set);
	free(reading.cells);
	*ret = reading.counts;
	return result;
}

/* ---- the database itself ------------------------------------------------------------------- */

struct telling {
	store_reindex_report_fn *report;
	void *context;
	int64_t count;
};

static void report(struct telling *telling, int64_t id, const char *text)
{
	telling->count++;
	telling->report(telling->context, id, text);
}

/* Reports the ids that a query of faulty rows returns. */
static int report_ids(struct store *store, struct telling *telling, const char *query,
		      const char *says, struct pl_err *err)
{
	auto_statement statement = NULL;
	int result;

	if (store_sql_prepare(&store->reader, query, &statement, err) < 0)
		return -1;
	while ((result = store_sql_next(statement, err)) > 0)
		report(telling, store_sql_i64(statement, 0), says);
	return result;
}

/* ---- files of artifacts -------------------------------------------------------------------- */

struct checking {
	struct store *store;
	struct telling *telling;
	struct store_stmt *next;  /* the next file */
	struct store_stmt *whose; /* the artifacts of a file */
	bool is_quick;
};

/* Returns the fault of a file; free(). NULL: none, and *ret_bytes is its size. */
static char *file_fault(const struct checking *checking, const char *sha256, int64_t *ret_bytes)
{
	const struct store_files *files = checking->store->files;
	struct pl_err err = PL_ERR_INIT;
	char found[STORE_SHA256_LEN + 1];

	if (files == NULL)
		return pl_strdup("no directory for its file is set; use --data DIR");
	if (!store_sha256_is(sha256))
		return pl_asprintf("found '%.100s', expected the SHA-256 of its file", sha256);
	auto_free char *path = store_files_path(files, sha256);
	*ret_bytes = store_files_bytes(files, sha256);
	if (*ret_bytes < 0)
		return pl_asprintf("its file '%s' is missing", path);
	if (checking->is_quick)
		return NULL;
	if (store_files_hash(files, sha256, found, &err) < 0)
		return pl_asprintf("its file '%s': %s", path, err.text);
	return strcmp(found, sha256) == 0
		       ? NULL
		       : pl_asprintf(
				 "its file '%s' is damaged: the SHA-256 of its %lld bytes is %s",
				 path, (long long)*ret_bytes, found);
}

static void report_artifact(const struct checking *checking, const char *fault, const char *sha256,
			    int64_t bytes)
{
	struct store_stmt *row = checking->whose;
	int64_t expected = store_sql_i64(row, 4);
	auto_free char *shorter = NULL;

	if (bytes >= 0 && bytes != expected) {
		auto_free char *path = store_files_path(checking->store->files, sha256);
		shorter = pl_asprintf("its file '%s' has %lld bytes, expected %lld", path,
				      (long long)bytes, (long long)expected);
	}
	if (shorter == NULL && fault == NULL)
		return;
	auto_free char *text = pl_asprintf(
		"artifact '%s' of kind %s, of run '%s': %s", store_sql_text(row, 3),
		store_sql_text(row, 2), store_sql_text(row, 1), shorter != NULL ? shorter : fault);
	report(checking->telling, store_sql_i64(row, 0), text);
}

/* Sets *sha256 to the next one; NULL: the end. */
static int next_file(struct checking *checking, char **sha256, struct pl_err *err)
{
	bool is_row = false;

	store_sql_bind_text(checking->next, 1, *sha256);
	int result = store_sql_step(checking->next, &is_row, err);
	char *found = result == 0 && is_row ? pl_strdup(store_sql_text(checking->next, 0)) : NULL;
	store_sql_reset(checking->next);
	free(*sha256);
	*sha256 = found;
	return result;
}

/*
 * Runs one query per file, and hashes outside any query, because a long read prevents the database's log from
 * shrinking.
 */
static int check_each_file(struct checking *checking, struct pl_err *err)
{
	auto_free char *sha256 = pl_strdup("");

	while (checking->telling->count < FAULTS_REPORTED) {
		if (next_file(checking, &sha256, err) < 0)
			return -1;
		if (sha256 == NULL)
			return 0;
		/* Reports the fault of a file for all artifacts that use it. */
		int64_t bytes = -1;
		auto_free char *fault = file_fault(checking, sha256, &bytes);
		bool is_row = false;
		store_sql_bind_text(checking->whose, 1, sha256);
		int result;
		while ((result = store_sql_step(checking->whose, &is_row, err)) == 0 && is_row &&
		       checking->telling->count < FAULTS_REPORTED)
			report_artifact(checking, fault, sha256, bytes);
		store_sql_reset(checking->whose);
		if (result < 0)
			return -1;
	}
	report(checking->telling, 0, "more problems of this kind may exist");
	return 0;
}

static int check_files(struct store *store, struct telling *telling, bool is_quick,
		       struct pl_err *err)
{
	struct telling of_files = { .report = telling->report, .context = telling->context };
	struct checking checking = { .store = store, .telling = &of_files, .is_quick = is_quick };

	int result = store_sql_prepare(&store->reader,
				       "SELECT sha256 FROM artifacts WHERE sha256 > ?1"
				       " ORDER BY sha256 LIMIT 1",
				       &checking.next, err);
	if (result == 0)
		result = store_sql_prepare(&store->reader,
					   "SELECT (SELECT min(r.id) FROM benchmark_runs r"
					   " WHERE r.run_id = a.run_id AND r.deleted = 0),"
					   " a.run_id, a.kind, a.name, a.bytes FROM artifacts a"
					   " WHERE a.sha256 = ?1 ORDER BY a.id",
					   &checking.whose, err);
	if (result == 0)
		result = check_each_file(&checking, err);
	store_sql_drop(checking.next);
	store_sql_drop(checking.whose);
	telling->count += of_files.count;
	return result;
}

int store_reindex_database(struct store *store, bool is_quick, store_reindex_report_fn *report_fn,
			   void *context, struct store_reindex_faults *ret, struct pl_err *err)
{
	struct telling telling = { .report = report_fn, .context = context };
	struct store_reindex_faults faults = { 0 };
	auto_free char *fault = NULL;

	if (store_sql_check(&store->reader, &fault, err) < 0)
		return -1;
	if (fault != NULL)
		report(&telling, 0, fault);
	if (report_ids(store, &telling,
		       "SELECT id FROM benchmark_documents WHERE id NOT IN"
		       " (SELECT id FROM benchmark_runs) ORDER BY id",
		       "a document without a result", err) < 0 ||
	    check_files(store, &telling, is_quick, err) < 0 ||
	    store_artifacts_count_unnamed(store, &faults.unnamed, err) < 0)
		return -1;
	faults.reported = telling.count;
	*ret = faults;
	return 0;
}
