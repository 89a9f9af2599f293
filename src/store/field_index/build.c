/*
 * Indexes results that the index lacks or whose leaves this program does not accept: those that older programs stored.
 * Meanwhile they are read from their documents. Each transaction is short, and what it has written stays after a kill.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/field_index/index_priv.h"

static STORE_STATEMENT(sql_all_ids, "SELECT id FROM benchmark_documents ORDER BY id");
static STORE_STATEMENT(sql_all_segments, "SELECT form, ids FROM field_segments ORDER BY id");
static STORE_STATEMENT(sql_all_rows, "SELECT id, form FROM field_rows");
static STORE_STATEMENT(sql_any_result, "SELECT 1 FROM benchmark_documents LIMIT 1");
static STORE_STATEMENT(sql_has_result, "SELECT 1 FROM benchmark_documents WHERE id = ?1");
static STORE_STATEMENT(sql_drop_rows_of_form, "DELETE FROM field_rows WHERE form = ?1");
static STORE_STATEMENT(sql_drop_segments_of_form, "DELETE FROM field_segments WHERE form = ?1");

#define ROWS_MAX      STORE_LEAF_SEGMENT_ROWS
#define AT_A_TIME     10 /* results per transaction: other writers wait meanwhile */
#define GAP_NS        (5 * PL_NS_PER_MS)
#define RETRY_NS      PL_NS_PER_S
#define NICE          10
#define PROGRESS_ROWS 500 /* fewer are indexed within seconds */

int store_field_index_open(struct store *store, struct pl_err *err)
{
	int64_t *form = &store->field_index->form;

	if (store_field_form_find(store, form, err) < 0)
		return -1;
	if (*form > 0)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, store_field_form_add(store, form, err), err);
}

struct unindexed {
	int64_t *ids; /* ascending */
	bool *is_done;
	size_t count;
	size_t room;
	struct field_forms forms;
};

static void mark(struct unindexed *rows, int64_t id, bool is_done)
{
	size_t low = 0, high = rows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rows->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < rows->count && rows->ids[low] == id)
		rows->is_done[low] = is_done;
}

static int list_ids(struct store_sql *sql, struct unindexed *rows, struct pl_err *err)
{
	auto_borrowed ids = NULL;
	int result;

	if (store_sql_cached(sql, &sql_all_ids, &ids, err) < 0)
		return -1;
	while ((result = store_sql_next(ids, err)) > 0)
		*PL_PUSH(rows->ids, rows->count, rows->room) = store_sql_i64(ids, 0);
	rows->is_done = pl_alloc_array(rows->count, sizeof(*rows->is_done));
	return result;
}

static int mark_segments(struct store_sql *sql, struct unindexed *rows, struct pl_err *err)
{
	auto_borrowed segments = NULL;
	int64_t ids[ROWS_MAX];
	size_t count, len;
	int result;

	if (store_sql_cached(sql, &sql_all_segments, &segments, err) < 0)
		return -1;
	while ((result = store_sql_next(segments, err)) > 0) {
		bool is_accepted = store_field_form_is_accepted(&rows->forms,
								store_sql_i64(segments, 0));
		const void *packed = store_sql_bytes(segments, 1, &len);
		if (store_leaf_ids_unpack(packed, len, ids, &count, PL_ERR_IGNORED) < 0)
			continue;
		for (size_t i = 0; i < count; i++)
			mark(rows, ids[i], is_accepted);
	}
	return result;
}

static int mark_rows(struct store_sql *sql, struct unindexed *rows, struct pl_err *err)
{
	auto_borrowed list = NULL;
	int result;

	if (store_sql_cached(sql, &sql_all_rows, &list, err) < 0)
		return -1;
	while ((result = store_sql_next(list, err)) > 0)
		mark(rows, store_sql_i64(list, 0),
		     store_field_form_is_accepted(&rows->forms, store_sql_i64(list, 1)));
	return result;
}

static int read_unindexed(struct store *store, struct store_sql *sql, struct unindexed *rows,
			  struct pl_err *err)
{
	if (store_sql_open(sql, store->address, false, err) < 0 ||
	    store_sql_use(sql, STORE_SQL_READ, err) < 0 ||
	    store_sql_begin(sql, STORE_SQL_READ, err) < 0 ||
	    store_field_forms_read(store->field_index, sql, NULL, &rows->forms, err) < 0 ||
	    list_ids(sql, rows, err) < 0 || mark_segments(sql, rows, err) < 0)
		return -1;
	return mark_rows(sql, rows, err);
}

/*
 * Lists what is missing, as of one moment. The connection is its own: reading the list takes 100 ms and more, in which
 * queries on a field would wait for the connection of the index.
 */
static int list_unindexed(struct store *store, struct unindexed *rows, struct pl_err *err)
{
	struct store_sql sql = { 0 };
	size_t left = 0;
	int result = read_unindexed(store, &sql, rows, err);

	/* ends the transaction, too */
	store_sql_close(&sql);
	for (size_t i = 0; i < rows->count; i++) {
		if (!rows->is_done[i])
			rows->ids[left++] = rows->ids[i];
	}
	rows->count = left;
	return result;
}

/* ---- one result ---------------------------------------------------------------------------- */

/* An unreadable document is marked: each query that needs it reports the reason. */
static int index_document(struct store *store, int64_t id, struct pl_err *err)
{
	auto_json json_t *document = NULL;
	auto_edits edits = { .repeat = 1 };
	struct pl_err why = PL_ERR_INIT;
	bool is_there;

	if (store_read_bare(store, &store->writer, id, NULL, &document, &why) < 0) {
		if (why.code == PL_ERR_INVALID)
			return store_field_index_put_unknown(store, id, err);
		*err = why;
		return -1;
	}
	if (store_edits_read(&store->writer, id, &edits, &is_there, err) < 0)
		return -1;
	auto_json json_t *edited = store_edits_over(&edits, document);
	return store_field_index_put_document(store, id, edited, err);
}

static int index_one(struct store *store, int64_t id, struct pl_err *err)
{
	auto_borrowed has = NULL;
	bool is_there = false;

	/* it may have been pruned since */
	if (store_sql_cached(&store->writer, &sql_has_result, &has, err) < 0)
		return -1;
	store_sql_bind_i64(has, 1, id);
	if (store_sql_step(has, &is_there, err) < 0)
		return -1;
	store_sql_reset(has);
	return is_there ? index_document(store, id, err) : 0;
}

/* *ret_done: false if another process owns the jobs, and thus this work. */
static int index_some(struct store *store, const int64_t *ids, size_t count, bool *ret_done,
		      struct pl_err *err)
{
	int result = 0;

	*ret_done = false;
	if (store_begin(store, err) < 0)
		return -1;
	if (!store->owns_jobs) {
		store_undo(store);
		return 0;
	}
	for (size_t i = 0; i < count && result == 0; i++)
		result = index_one(store, ids[i], err);
	*ret_done = result == 0;
	return store_end(store, result, err);
}

/* ---- all results --------------------------------------------------------------------------- */

static int drop_form(struct store *store, int64_t form, struct pl_err *err)
{
	static const struct store_statement *const which[] = { &sql_drop_rows_of_form,
							       &sql_drop_segments_of_form };
	struct store_stmt *drop;

	for (size_t i = 0; i < PL_ARRAY_SIZE(which); i++) {
		if (store_sql_cached(&store->writer, which[i], &drop, err) < 0)
			return -1;
		store_sql_bind_i64(drop, 1, form);
		if (store_sql_finish(drop, err) < 0)
			return -1;
	}
	return 0;
}

/* Everything has leaves that this program accepts: it does not need the others. */
static int drop_refused(struct store *store, const struct field_forms *forms, struct pl_err *err)
{
	int result = 0;

	if (store_begin(store, err) < 0)
		return -1;
	for (size_t i = 0; i < forms->count && result == 0; i++) {
		if (!forms->items[i].is_accepted)
			result = drop_form(store, forms->items[i].id, err);
	}
	return store_end(store, result, err);
}

static void show_progress(const struct store *store, size_t done, size_t before, size_t count)
{
	if (count >= PROGRESS_ROWS && done * 10 / count > before * 10 / count)
		pl_log(PL_LOG_INFO, "'%s': indexed the fields of %zu of %zu results", store->path,
		       done, count);
}

static int index_all(struct store *store, struct unindexed *rows, struct pl_err *err)
{
	struct pl_pause *pause = &store->field_index->pause;

	if (rows->count >= PROGRESS_ROWS)
		pl_log(PL_LOG_INFO,
		       "'%s': indexing the fields of %zu results; until then, queries on fields "
		       "that are not columns read documents",
		       store->path, rows->count);
	for (size_t at = 0; at < rows->count;) {
		size_t count = rows->count - at < AT_A_TIME ? rows->count - at : AT_A_TIME;
		bool is_done;
		int result = index_some(store, rows->ids + at, count, &is_done, err);
		if (result < 0 && err->code != PL_ERR_BUSY && err->code != PL_ERR_IO)
			return -1;
		if (is_done && result == 0) {
			show_progress(store, at + count, at, rows->count);
			at += count;
		}
		if (!pl_pause_until(pause, pl_clock_now_ns() +
						   (is_done && result == 0 ? GAP_NS : RETRY_NS)))
			return 0;
	}
	return rows->count > 0 ? drop_refused(store, &rows->forms, err) : 0;
}

static void *build(void *data)
{
	struct store *store = data;
	struct unindexed rows = { 0 };
	struct pl_err err = PL_ERR_INIT;

	pl_thread_lower(NICE);
	int result = list_unindexed(store, &rows, &err);
	if (result == 0)
		result = index_all(store, &rows, &err);
	if (result < 0)
		pl_log(PL_LOG_WARNING, "'%s': the fields of some results are not indexed: %s",
		       store->path, err.text);
	free(rows.ids);
	free(rows.is_done);
	free(rows.forms.items);
	return NULL;
}

/* Results that arrive from now on are indexed with their rows. */
static int has_results(struct store *store, bool *ret, struct pl_err *err)
{
	auto_borrowed any = NULL;
	int64_t count = 0;

	if (store_sql_cached(&store->writer, &sql_any_result, &any, err) < 0 ||
	    store_sql_number(any, &count, err) < 0)
		return -1;
	*ret = count > 0;
	return 0;
}

int store_field_index_build(struct store *store, struct pl_err *err)
{
	struct store_field_index *index = store->field_index;
	bool is_needed = false;

	if (has_results(store, &is_needed, err) < 0)
		return -1;
	/* the thread's connection alone would take a tenth of the start */
	if (!is_needed)
		return 0;
	if (pl_thread_start(&index->builder, build, store, err) < 0)
		return -1;
	index->has_builder = true;
	return 0;
}

void store_field_index_stop(struct store *store)
{
	struct store_field_index *index = store->field_index;

	if (index == NULL || !index->has_builder)
		return;
	pl_pause_end(&index->pause);
	pthread_join(index->builder, NULL);
	index->has_builder = false;
}
