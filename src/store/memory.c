/*
 * The mirror follows the file in one way for all writers: the file counts its changes, each row has the number of its
 * last change, and changed rows are read over a separate connection. A writer of this process does this after each
 * commit. Changes of other processes are read by the next query. No one else waits for it.
 */
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/log.h"
#include "mirror/image/image.h"
#include "mirror/priced.h"
#include "store/analysis/prices.h"
#include "store/column_snapshot/column_snapshot.h"
#include "store/documents/dictionary.h"
#include "store/field_index/index.h"
#include "store/memory_rows_priv.h"
#include "store/status.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_get_pruned, "SELECT pruned FROM store_state");
static STORE_STATEMENT(sql_list_ids, "SELECT id FROM benchmark_runs WHERE deleted = 0 ORDER BY id");

/* The limit of retries of a query during changes; rows that were read for it are kept. */
#define TRIES_MAX 10

struct store_memory {
	struct mirror *mirror;
	atomic_uint expected; /* transactions of this process to follow */

	pthread_mutex_t lock; /* protects the mirror's writer and the fields below */
	struct store_sql sql;
	struct store_stmt *rows_all;   /* the first load */
	struct store_stmt *rows_since; /* changes */
	struct store_point point;      /* of the file, as read so far; version 0: nothing */
	/* other data replaced the database, which has to be renewed before it is read */
	bool is_replaced;
	int64_t price_revision; /* of the prices in memory; 0: none */
	bool is_unpublished;    /* rows of the column snapshot that no reader has yet */
	int64_t from_snapshot;  /* results that were read at the start */
	int64_t from_database;
	int64_t rows_read; /* by the last pass */
	/* all rows up to this id are in memory as of this version, even if the last pass failed */
	int64_t partial_version;
	int64_t partial_id;
};

/*
 * A restored row is missing in the mirror. Ids may appear out of order if another process took an id and stored its
 * result later.
 */
static void take_in_row(struct mirror *mirror, const struct memory_row *row)
{
	if (row->is_deleted)
		(void)mirror_remove(mirror, row->row.id);
	else if (!mirror_replace(mirror, &row->row))
		mirror_append(mirror, &row->row);
}

/* Returns the statement of the next pass. Both have all columns, so each is prepared when it is first needed. */
static int rows_statement(struct store *store, struct store_stmt **ret, struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	bool is_first = memory->point.version == 0;
	struct store_stmt **statement = is_first ? &memory->rows_all : &memory->rows_since;

	if (*statement == NULL) {
		auto_free char *text = store_memory_rows_text(&memory->sql, &store->columns,
							      is_first ? MEMORY_ROWS_ALL
								       : MEMORY_ROWS_CHANGED);
		if (store_sql_prepare_cursor(&memory->sql, text, statement, err) < 0)
			return -1;
	}
	*ret = *statement;
	return 0;
}

/* The database is at this version. After a failure, rows that were already read are not read again. */
static int take_in_rows(struct store *store, int64_t version, struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	auto_borrowed statement = NULL;
	auto_memory_rows struct memory_rows *rows = NULL;
	const struct memory_row *row;
	int64_t reached = 0;
	int result;

	memory->rows_read = 0;
	if (rows_statement(store, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, memory->point.version);
	if (store_memory_rows_new(statement, &store->columns, memory->point.version == 0, &rows,
				  err) < 0)
		return -1;
	while ((result = store_memory_rows_next(rows, &row, err)) == 0 && row != NULL) {
		if (row->changed > memory->partial_version || row->row.id > memory->partial_id)
			take_in_row(memory->mirror, row);
		reached = row->row.id;
		memory->rows_read += !row->is_deleted;
	}
	memory->partial_version = version;
	memory->partial_id = result == 0 ? INT64_MAX : reached;
	return result == 0 ? 0 : pl_err_wrap(err, "'%s'", store->path);
}

static int read_number(struct store_sql *sql, const struct store_statement *which, int64_t *ret,
		       struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_cached(sql, which, &statement, err) < 0)
		return -1;
	return store_sql_number(statement, ret, err);
}

/*
 * Rows that were deleted and pruned since the last pass have no change to follow: they are missing in the list of all
 * ids.
 */
static int follow_pruned(struct store_memory *memory, struct pl_err *err)
{
	auto_borrowed list = NULL;
	auto_free int64_t *ids = NULL;
	size_t count = 0, room = 0;
	int64_t pruned = 0;
	int result;

	if (read_number(&memory->sql, &sql_get_pruned, &pruned, err) < 0)
		return -1;
	if (memory->point.version == 0 || pruned <= memory->point.version)
		return 0;
	if (store_sql_cached(&memory->sql, &sql_list_ids, &list, err) < 0)
		return -1;
	while ((result = store_sql_next(list, err)) > 0)
		*PL_PUSH(ids, count, room) = store_sql_i64(list, 0);
	if (result < 0)
		return -1;
	mirror_keep(memory->mirror, ids, count);
	return 0;
}

/* Gives the mirror the prices if they have changed. */
static int follow_prices(struct store_memory *memory, struct pl_err *err)
{
	auto_json json_t *prices = NULL;

	if (store_prices_read(&memory->sql, &prices, err) < 0)
		return -1;
	int64_t revision = pl_json_get_i64(prices, "revision");
	if (revision != memory->price_revision)
		mirror_set_prices(memory->mirror, res_prices_new(prices));
	memory->price_revision = revision;
	return 0;
}

static void forget_all(struct store_memory *memory)
{
	mirror_keep(memory->mirror, NULL, 0);
	memory->point = (struct store_point){ 0 };
	memory->partial_version = memory->partial_id = 0;
	memory->price_revision = -1;
}

/* Forgets the rows of the column snapshot if other data replaced the database while its file was read. */
static int recheck_column_snapshot(struct store *store, struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	struct pl_err why = PL_ERR_INIT;

	if (!memory->is_unpublished || store_column_snapshot_check(store, &memory->sql, &why) == 0)
		return 0;
	if (why.code != PL_ERR_INVALID) {
		*err = why;
		return -1;
	}
	pl_log(PL_LOG_WARNING, "column snapshot: not used: %s", why.text);
	forget_all(memory);
	memory->from_snapshot = 0;
	return 0;
}

/*
 * If other data replaced the database, nothing in memory says anything about it. Returns in memory->is_replaced whether
 * the database has to be renewed first (lineage.c), so that no version names two states.
 */
static int follow_replaced(struct store *store, const struct store_point *present,
			   struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	bool is_past = true;

	memory->is_replaced = false;
	if (memory->point.mark != 0 &&
	    store_point_is_past(&memory->sql, &memory->point, present, &is_past, err) < 0)
		return -1;
	if (is_past)
		return 0;
	if (store_point_check_loaded(&memory->sql, err) < 0)
		return -1;
	store_dictionaries_forget(store->dictionaries);
	atomic_fetch_add(&store->generation, 1);
	atomic_store(&store->was_replaced, true);
	memory->is_replaced = !store_point_is_renewed(&memory->point, present);
	if (memory->is_replaced)
		return 0;
	forget_all(memory);
	return 0;
}

/* Under the lock, within a transaction. */
static int take_in_changes(struct store *store, const struct store_point *point, bool *ret_is_new,
			   struct pl_err *err)
{
	struct store_memory *memory = store->memory;

	*ret_is_new = point->version != memory->point.version ||
		      point->mark != memory->point.mark || memory->is_unpublished;
	if (!*ret_is_new)
		return 0;
	if (recheck_column_snapshot(store, err) < 0 || follow_replaced(store, point, err) < 0)
		return -1;
	*ret_is_new = !memory->is_replaced;
	if (memory->is_replaced)
		return 0;
	if (take_in_rows(store, point->version, err) < 0 || follow_pruned(memory, err) < 0)
		return -1;
	return follow_prices(memory, err);
}

/* Reads the version, the changed rows and the prices in one transaction. Under the lock. */
static int take_in(struct store *store, struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	struct store_point point = { 0 };
	bool is_new = false;

	if (store_sql_begin(&memory->sql, STORE_SQL_READ, err) < 0)
		return -1;
	int result = store_point_read(&memory->sql, &point, err);
	if (result == 0)
		result = take_in_changes(store, &point, &is_new, err);
	/* nothing was written, so there is nothing to commit */
	store_sql_rollback(&memory->sql);
	if (result < 0 || !is_new)
		return result;
	memory->point = point;
	if (!atomic_load(&store->was_replaced))
		store_point_follow(store, &point);
	mirror_set_version(memory->mirror, point.version);
	mirror_set_origin(memory->mirror, point.mark, point.epoch);
	memory->is_unpublished = false;
	mirror_publish(memory->mirror);
	return 0;
}

void store_memory_expect(struct store *store)
{
	if (store->memory != NULL)
		atomic_fetch_add(&store->memory->expected, 1);
}

void store_memory_follow(struct store *store, bool changed)
{
	struct store_memory *memory = store->memory;

	if (memory == NULL || (!changed && atomic_load(&memory->expected) == 0))
		return;
	pthread_mutex_lock(&memory->lock);
	/* the commit stands for itself; if this fails, the next query tries again and reports the reason */
	(void)take_in(store, PL_ERR_IGNORED);
	pthread_mutex_unlock(&memory->lock);
	if (changed)
		atomic_fetch_sub(&memory->expected, 1);
}

/* Reads the state of the database. */
static int read_point(struct store *store, struct store_point *ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = store_point_read(&store->reader, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

/* Returns whether the database has a state that the snapshot lacks. */
static bool is_behind(struct store *store, const struct mirror_snapshot *snapshot,
		      struct store_point point)
{
	/* another thread may have followed to a later state since the point was read */
	if (point.version < mirror_snapshot_version(snapshot) &&
	    read_point(store, &point, PL_ERR_IGNORED) < 0)
		return false;
	return point.version != mirror_snapshot_version(snapshot) ||
	       point.mark != mirror_snapshot_mark(snapshot);
}

static int renew(struct store *store, const struct store_point *former, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, store_point_renew(store, former, err), err);
}

/* Brings the memory up to date. */
static int follow(struct store *store, struct pl_err *err)
{
	struct store_memory *memory = store->memory;

	for (int tries = 0;; tries++) {
		pthread_mutex_lock(&memory->lock);
		int result = take_in(store, err);
		struct store_point former = memory->point;
		bool is_replaced = memory->is_replaced;
		pthread_mutex_unlock(&memory->lock);
		if (result < 0 || !is_replaced)
			return result;
		if (tries == TRIES_MAX)
			return pl_err_set(err, PL_ERR_BUSY,
					  "'%s': other data replaces the database; retry later",
					  store->path);
		if (renew(store, &former, err) < 0)
			return -1;
	}
}

int store_snapshot_get(struct store *store, struct mirror_snapshot **ret, struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	struct store_point point = { 0 };

	/* without a database, the mirror answers queries */
	int result = read_point(store, &point, err);
	if (result < 0 && err->code != PL_ERR_IO)
		return -1;
	snapshot = mirror_snapshot_take(memory->mirror);
	/* a client may know results on the disk that their writer has not added to the mirror yet */
	if (result == 0 && is_behind(store, snapshot, point)) {
		if (follow(store, err) < 0)
			return -1;
		mirror_snapshot_put(snapshot);
		snapshot = mirror_snapshot_take(memory->mirror);
	}
	*ret = pl_take(snapshot);
	return 0;
}

struct store_memory_state store_memory_state(struct store *store)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(
		store->memory->mirror);

	return (struct store_memory_state){ .data_version = mirror_snapshot_version(snapshot),
					    .epoch = mirror_snapshot_epoch(snapshot),
					    .live = (int64_t)mirror_snapshot_count(snapshot),
					    .from_snapshot = store->memory->from_snapshot,
					    .from_database = store->memory->from_database };
}

struct mirror_snapshot *store_memory_take(struct store *store)
{
	return mirror_snapshot_take(store->memory->mirror);
}

void store_memory_form(const struct store *store, int64_t database_form,
		       char ret[PL_SHA256_HEX_BYTES])
{
	mirror_image_form(store->memory->mirror, database_form, ret);
}

size_t store_memory_bytes(struct store *store)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(
		store->memory->mirror);

	return mirror_snapshot_bytes(snapshot);
}

bool store_should_retry(const struct pl_err *err, unsigned *tries)
{
	return err->code == PL_ERR_BUSY && ++*tries < TRIES_MAX;
}

void store_end_questions(struct store *store)
{
	if (store->memory != NULL)
		mirror_end_questions(store->memory->mirror);
}

static int read_for_mirror(void *context, int64_t id, const char *member, json_t **ret,
			   int64_t *ret_changed, struct pl_err *err)
{
	return store_read_document(context, id, member, ret, ret_changed, err);
}

static bool may_have(void *context, const char *id)
{
	return store_path_index_may_have(context, id);
}

int store_memory_open(struct store *store, struct pl_err *err)
{
	struct store_memory *memory = store->memory = pl_alloc(sizeof(*memory));

	pthread_mutex_init(&memory->lock, NULL);
	memory->mirror = mirror_new(store->fields, read_for_mirror, store);
	mirror_ask_first(memory->mirror, may_have);
	mirror_use_index(memory->mirror, store_field_index_load);
	if (store_sql_open(&memory->sql, store->address, false, err) < 0 ||
	    store_sql_use(&memory->sql, STORE_SQL_READ, err) < 0)
		return -1;
	if (store_column_snapshot_load(store, &memory->sql, memory->mirror,
				       &memory->point.version)) {
		memory->is_unpublished = true;
		memory->from_snapshot = mirror_count(memory->mirror);
		memory->partial_version = memory->point.version;
		memory->partial_id = INT64_MAX;
	}
	if (take_in(store, err) < 0)
		return -1;
	memory->from_database = memory->rows_read;
	/* the initial rows are usually many, compared with later ones */
	mirror_seal(memory->mirror);
	mirror_publish(memory->mirror);
	/* free the grown arrays of the open segment, and the read buffers */
	malloc_trim(0);
	return 0;
}

void store_memory_close(struct store *store)
{
	struct store_memory *memory = store->memory;

	if (memory == NULL)
		return;
	mirror_free(memory->mirror);
	store_sql_drop(memory->rows_all);
	store_sql_drop(memory->rows_since);
	store_sql_close(&memory->sql);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
	store->memory = NULL;
}
