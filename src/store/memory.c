/*
 * What is in memory follows the file in one way, whoever has written it: the file counts its changes, each
 * row has the count of its last one, and what has changed since is taken in over a connection of its own.
 * Who stores results does that when they are on the disk; what another process has stored is taken in by
 * the first one who asks. Nobody else waits for it.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/mirror/mirror.h"
#include "store/sqlite_cell.h"
#include "store/store_priv.h"

#define SQL_BYTES_MAX (4u << 20)
#define FIRST_VALUE   3

struct store_memory {
	struct store_mirror *mirror;
	atomic_uint expected; /* transactions of this process that are to be followed */

	pthread_mutex_t lock; /* of the mirror's writer, and what follows */
	struct store_sql sql;
	sqlite3_stmt *rows_since;
	int64_t version; /* of the file, that was taken in */
	int64_t last_id; /* the greatest in it */
};

static char *rows_since_text(const struct store *store)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "SELECT id, run_id, explicit_fields");
	for (size_t i = 0; i < store->column_count; i++)
		pl_buf_addf(&text, ", \"%s\"", store->columns[i]->id);
	pl_buf_add_text(&text, " FROM benchmark_runs WHERE changed > ?1 ORDER BY id");
	return pl_buf_take(&text);
}

static int compare_fields(const void *a, const void *b)
{
	const struct res_field *const *one = a, *const *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* Columns whose fields a row's user has set; rows of one sweep have the same. */
struct explicit_columns {
	char *text; /* of the ids, as the file has it */
	size_t *columns;
	size_t count;
	size_t room;
};

static void explicit_done(struct explicit_columns *set)
{
	free(set->text);
	free(set->columns);
}
#define auto_explicit __attribute__((cleanup(explicit_done), unused)) struct explicit_columns

/* Ids that this program knows no column for are another's. */
static int read_explicit(const struct store *store, const char *text, struct explicit_columns *set,
			 struct pl_err *err)
{
	auto_json json_t *ids = NULL;

	if (set->text != NULL && strcmp(set->text, text) == 0)
		return 0;
	if (pl_json_parse(text, strlen(text), "explicit_fields", &ids, err) < 0)
		return -1;
	free(set->text);
	set->text = pl_strdup(text);
	set->count = 0;
	PL_JSON_EACH(id, ids) {
		const char *name = json_string_value(id);
		const struct res_field *field = name != NULL ? res_fields_find(store->fields, name)
							     : NULL;
		/* the columns stand in the order of the list, and so in memory */
		const struct res_field *const *column = bsearch(
			&field, store->columns, store->column_count, sizeof(*store->columns),
			compare_fields);
		if (column != NULL)
			*PL_PUSH(set->columns, set->count,
				 set->room) = (size_t)(column - store->columns);
	}
	return 0;
}

static int take_in_row(struct store *store, struct store_cell *cells, struct explicit_columns *set,
		       struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	sqlite3_stmt *rows = memory->rows_since;
	struct store_row row = { .id = sqlite3_column_int64(rows, 0),
				 .run_id = store_sql_text(rows, 1),
				 .cells = cells };

	for (size_t i = 0; i < store->column_count; i++)
		store_cell_read(rows, FIRST_VALUE + (int)i, store->columns[i], &cells[i]);
	if (read_explicit(store, store_sql_text(rows, 2), set, err) < 0)
		return pl_err_wrap(err, "result %lld of '%s'", (long long)row.id, store->path);
	for (size_t i = 0; i < set->count; i++)
		cells[set->columns[i]].is_explicit = true;
	if (row.id > memory->last_id) {
		store_mirror_append(memory->mirror, &row);
		memory->last_id = row.id;
	} else if (!store_mirror_replace(memory->mirror, &row)) {
		return pl_err_set(err, PL_ERR_INTERNAL, "result %lld came out of order",
				  (long long)row.id);
	}
	return 0;
}

static int take_in_rows(struct store *store, struct pl_err *err)
{
	auto_free struct store_cell *cells = pl_alloc_array(store->column_count, sizeof(*cells));
	auto_explicit set = { .count = 0 };
	auto_borrowed rows = store->memory->rows_since;
	bool is_row = false;

	sqlite3_bind_int64(rows, 1, store->memory->version);
	for (;;) {
		if (store_sql_step(rows, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		if (take_in_row(store, cells, &set, err) < 0)
			return -1;
	}
}

static int read_version(struct store_sql *sql, int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(sql, STORE_GET_VERSION, &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = is_row ? sqlite3_column_int64(statement, 0) : 0;
	return 0;
}

/* Version and rows as they were at one moment. Under the lock. */
static int take_in(struct store *store, struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	struct pl_err ignored = PL_ERR_INIT;
	int64_t version = 0;

	if (store_sql_run(&memory->sql, "BEGIN", err) < 0)
		return -1;
	int result = read_version(&memory->sql, &version, err);
	bool is_new = result == 0 && version != memory->version;
	if (is_new)
		result = take_in_rows(store, err);
	/* nothing was written: there is nothing that could fail to last */
	if (store_sql_run(&memory->sql, "COMMIT", &ignored) < 0 && result == 0) {
		*err = ignored;
		return -1;
	}
	if (result < 0 || !is_new)
		return result;
	memory->version = version;
	store_mirror_set_version(memory->mirror, version);
	store_mirror_publish(memory->mirror);
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
	/* what was stored is; who asks next finds that it is not here, and is told why */
	(void)take_in(store, PL_ERR_IGNORED);
	pthread_mutex_unlock(&memory->lock);
	if (changed)
		atomic_fetch_sub(&memory->expected, 1);
}

int store_snapshot_get(struct store *store, struct store_snapshot **ret, struct pl_err *err)
{
	struct store_memory *memory = store->memory;
	auto_snapshot struct store_snapshot *snapshot = NULL;
	int64_t version = 0;

	if (store_data_version(store, &version, err) < 0)
		return -1;
	snapshot = store_mirror_snapshot(memory->mirror);
	/* somebody else is at it: what there was before is an answer too */
	if (store_snapshot_version(snapshot) < version && atomic_load(&memory->expected) == 0 &&
	    pthread_mutex_trylock(&memory->lock) == 0) {
		int result = take_in(store, err);
		pthread_mutex_unlock(&memory->lock);
		if (result < 0)
			return -1;
		store_snapshot_put(snapshot);
		snapshot = store_mirror_snapshot(memory->mirror);
	}
	*ret = pl_take(snapshot);
	return 0;
}

static int read_for_mirror(void *context, int64_t id, json_t **ret, struct pl_err *err)
{
	return store_read_document(context, id, ret, err);
}

static bool may_have(void *context, const char *id)
{
	return store_places_may_have(context, id);
}

int store_memory_open(struct store *store, struct pl_err *err)
{
	struct store_memory *memory = store->memory = pl_alloc(sizeof(*memory));
	auto_free char *text = rows_since_text(store);

	pthread_mutex_init(&memory->lock, NULL);
	memory->mirror = store_mirror_new(store->fields, read_for_mirror, store);
	store_mirror_ask_first(memory->mirror, may_have);
	if (store_sql_open(&memory->sql, store->path, false, err) < 0 ||
	    store_sql_run(&memory->sql, "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;",
			  err) < 0 ||
	    store_sql_prepare(&memory->sql, text, &memory->rows_since, err) < 0)
		return -1;
	if (take_in(store, err) < 0)
		return -1;
	/* what was there before is much, as a rule, beside what comes */
	store_mirror_seal(memory->mirror);
	store_mirror_publish(memory->mirror);
	return 0;
}

void store_memory_close(struct store *store)
{
	struct store_memory *memory = store->memory;

	if (memory == NULL)
		return;
	store_mirror_free(memory->mirror);
	sqlite3_finalize(memory->rows_since);
	store_sql_close(&memory->sql);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
	store->memory = NULL;
}
