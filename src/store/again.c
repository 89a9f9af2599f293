#include "store/again.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "store/files.h"
#include "store/filter.h"
#include "store/store_priv.h"

#define AT_A_TIME      100 /* rows of a transaction: others who write wait meanwhile */
#define FIELDS_TOLD    5   /* of a row */
#define LINE_BYTES_MAX 1000
#define FAULTS_TOLD    100 /* of files */

/* ---- which results ------------------------------------------------------------------------- */

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
	bool is_row = false;

	if (store_sql_prepare(&store->writer, "SELECT id FROM benchmark_runs ORDER BY id",
			      &statement, err) < 0)
		return -1;
	for (;;) {
		if (store_sql_step(statement, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		*PL_PUSH(ret->items, ret->count, ret->room) = store_sql_i64(statement, 0);
	}
}

static int refuse_filter(const struct res_schema_faults *faults, struct pl_err *err)
{
	auto_buf line = PL_BUF(LINE_BYTES_MAX);

	if (faults->count > 0)
		res_schema_fault_text(&faults->items[0], &line);
	return pl_err_invalid(err, "%s", pl_buf_text(&line));
}

static int compare_ids(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* With the fields of a filter. */
static int look(struct store *store, const struct store_ids *fields,
		struct store_snapshot **ret_snapshot, struct store_view **ret, struct pl_err *err)
{
	unsigned tries = 0;

	do {
		if (store_snapshot_get(store, ret_snapshot, err) == 0 &&
		    store_view_new(*ret_snapshot, fields, ret, err) == 0)
			return 0;
		store_snapshot_put(pl_take(*ret_snapshot));
	} while (store_is_asked_again(err, &tries));
	return -1;
}

static int filter_ids(struct store *store, const json_t *tree, struct ids *ret, struct pl_err *err)
{
	auto_snapshot struct store_snapshot *snapshot = NULL;
	auto_schema_faults faults = { 0 };
	auto_view struct store_view *view = NULL;
	auto_filter struct store_filter *filter = NULL;
	struct store_ids fields = { 0 };

	store_filter_fields(tree, &fields);
	int result = look(store, &fields, &snapshot, &view, err);
	free(fields.items);
	if (result < 0)
		return -1;
	if (store_filter_new(view, tree, "/filter", &filter, &faults) < 0)
		return refuse_filter(&faults, err);
	const uint64_t *rows = store_filter_rows(filter);
	for (size_t i = 0; i < store_view_words(view) * 64; i++) {
		if (rows[i / 64] >> (i % 64) & 1)
			*PL_PUSH(ret->items, ret->count, ret->room) = store_view_id(view, i);
	}
	if (ret->count > 0)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_ids);
	return 0;
}

/* ---- one row ------------------------------------------------------------------------------- */

struct reading {
	struct store *store;
	struct store_sql *sql;
	const struct store_again *asked;
	struct store_again_counts counts;
	struct store_stmt *row;     /* explicit_fields and the cells of a result */
	struct store_stmt *replace; /* NULL: nothing is written */
	struct store_cell *cells;   /* of the row */
	struct store_column_set set;
};

static bool is_same(const struct store_cell *a, const struct store_cell *b)
{
	if (a->state != b->state || a->is_explicit != b->is_explicit)
		return false;
	if (a->state != RES_VALUE_THERE)
		return true;
	if (a->kind != b->kind || (a->text == NULL) != (b->text == NULL))
		return false;
	/* the sign of a zero is kept, too */
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
	if (store_runs_read(reading->row, 1, columns, reading->cells, err) < 0 ||
	    store_column_set_read(columns, store_sql_text(reading->row, 0), &reading->set, err) < 0)
		return -1;
	for (size_t i = 0; i < reading->set.count; i++)
		reading->cells[reading->set.columns[i]].is_explicit = true;
	return 0;
}

/* "N fields are not what its document says: a, b"; free(); NULL: all are. */
static char *difference(const struct reading *reading, const struct store_row *row)
{
	const struct store_columns *columns = &reading->store->columns;
	auto_buf names = PL_BUF(LINE_BYTES_MAX);
	size_t count = 0;

	for (size_t i = 0; i < columns->count; i++) {
		if (is_same(&reading->cells[i], &row->cells[i]))
			continue;
		if (count++ < FIELDS_TOLD)
			pl_buf_addf(&names, "%s%s", count > 1 ? ", " : "", columns->items[i]->id);
	}
	if (count == 0)
		return NULL;
	return pl_asprintf("%zu field%s not what its document says: %s%s", count,
			   count == 1 ? " is" : "s are", pl_buf_text(&names),
			   count > FIELDS_TOLD ? ", …" : "");
}

/* *ret NULL: it cannot be read, and that was told. */
static int read_document(struct reading *reading, int64_t id, json_t **ret, struct pl_err *err)
{
	auto_borrowed bytes = NULL;
	struct pl_err why = PL_ERR_INIT;
	bool is_row = false;
	size_t len;

	*ret = NULL;
	if (store_sql_kept(reading->sql, STORE_GET_BYTES, &bytes, err) < 0)
		return -1;
	store_sql_bind_i64(bytes, 1, id);
	if (store_sql_step(bytes, &is_row, err) < 0)
		return -1;
	const void *packed = is_row ? store_sql_bytes(bytes, 0, &len) : NULL;
	if (packed != NULL &&
	    store_unpack(reading->store, id, packed, len, NULL, NULL, ret, &why) == 0)
		return 0;
	reading->counts.broken++;
	reading->asked->tell(reading->asked->context, id,
			     packed != NULL ? why.text : "its document is not there");
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
	/* another process has taken it away */
	if (!is_there)
		return 0;
	reading->counts.results++;
	if (read_document(reading, id, &document, err) < 0)
		return -1;
	if (document == NULL)
		return 0;
	store_row_of_document(reading->store->fields, document, &row);
	/* what the store itself says of a result stands in its row, too */
	if (store_edits_read(reading->sql, id, &edits, &is_there, err) < 0)
		return -1;
	store_stored_cells(reading->store, &edits, row.cells);
	auto_free char *differs = difference(reading, &row);
	if (differs == NULL)
		return 0;
	reading->counts.differing++;
	reading->asked->tell(reading->asked->context, id, differs);
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

/* ---- all of them --------------------------------------------------------------------------- */

/* In a transaction: rows that are written, or rows and documents of one moment. */
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
	static const char *const names[] = { "explicit_fields" };
	static const struct store_runs_fixed fixed = { names, PL_ARRAY_SIZE(names) };
	const struct store *store = reading->store;
	auto_free char *row = store_runs_select_text(reading->sql, &fixed, &store->columns,
						     "WHERE id = ?1");
	auto_free char *replace = store_refill_text(store);

	if (store_sql_prepare(reading->sql, row, &reading->row, err) < 0)
		return -1;
	return reading->asked->writes
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

int store_again(struct store *store, const struct store_again *asked,
		struct store_again_counts *ret, struct pl_err *err)
{
	auto_ids ids = { 0 };
	struct reading reading = { .store = store,
				   .sql = asked->writes ? &store->writer : &store->reader,
				   .asked = asked };

	if ((asked->filter != NULL ? filter_ids(store, asked->filter, &ids, err)
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

/* ---- beside the rows ----------------------------------------------------------------------- */

struct telling {
	store_again_tell_fn *tell;
	void *context;
	int64_t count;
};

static void tell(struct telling *telling, int64_t id, const char *text)
{
	telling->count++;
	telling->tell(telling->context, id, text);
}

/* A query of ids at which something is wrong. */
static int tell_ids(struct store *store, struct telling *telling, const char *query,
		    const char *says, struct pl_err *err)
{
	auto_statement statement = NULL;
	bool is_row = false;

	if (store_sql_prepare(&store->reader, query, &statement, err) < 0)
		return -1;
	for (;;) {
		if (store_sql_step(statement, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		tell(telling, store_sql_i64(statement, 0), says);
	}
}

static void check_file(struct store *store, struct telling *telling, const char *sha256,
		       int64_t bytes)
{
	struct pl_err why = PL_ERR_INIT;
	struct stat found;
	auto_fd int fd = -1;

	if (store_files_open(store->files, sha256, &fd, &why) < 0 || fstat(fd, &found) < 0) {
		auto_free char *text = pl_asprintf("the file of an artifact: %s", why.text);
		tell(telling, 0, text);
	} else if (found.st_size != bytes) {
		auto_free char *text = pl_asprintf(
			"the file of the artifact %s: found %lld bytes, expected %lld", sha256,
			(long long)found.st_size, (long long)bytes);
		tell(telling, 0, text);
	}
}

static int check_files(struct store *store, struct telling *telling, struct pl_err *err)
{
	auto_statement statement = NULL;
	bool is_row = false;

	if (store_sql_prepare(&store->reader,
			      "SELECT DISTINCT sha256, bytes FROM artifacts ORDER BY sha256",
			      &statement, err) < 0)
		return -1;
	for (int64_t before = telling->count; telling->count - before < FAULTS_TOLD;) {
		if (store_sql_step(statement, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		check_file(store, telling, store_sql_text(statement, 0),
			   store_sql_i64(statement, 1));
	}
	tell(telling, 0, "there are more such files");
	return 0;
}

int store_again_database(struct store *store, store_again_tell_fn *tell_fn, void *context,
			 int64_t *ret, struct pl_err *err)
{
	struct telling telling = { .tell = tell_fn, .context = context };
	auto_free char *fault = NULL;

	if (store_sql_check(&store->reader, &fault, err) < 0)
		return -1;
	if (fault != NULL)
		tell(&telling, 0, fault);
	if (tell_ids(store, &telling,
		     "SELECT id FROM benchmark_documents WHERE id NOT IN"
		     " (SELECT id FROM benchmark_runs) ORDER BY id",
		     "a document without its result", err) < 0 ||
	    check_files(store, &telling, err) < 0)
		return -1;
	*ret = telling.count;
	return 0;
}
