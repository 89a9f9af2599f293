#include "store/memory_rows_priv.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

#define BATCH_ROWS       16
#define BATCHES          4 /* fits the L1 and L2 caches */
#define BATCH_TEXT_BYTES (256u << 10)

static const char *const fixed_names[] = { "id", "run_id", "explicit_fields", "changed",
					   "deleted" };
enum { ID, RUN_ID, EXPLICIT_FIELDS, CHANGED, DELETED, FIXED_COUNT = PL_ARRAY_SIZE(fixed_names) };

struct batch {
	struct memory_row rows[BATCH_ROWS];
	size_t count;
	bool is_last;
	struct pl_arena *texts; /* of prefetched rows */
	bool is_full;           /* under the lock: true while the reader of the rows owns it */
};

struct memory_rows {
	struct store_stmt *statement;
	const struct store_columns *columns;
	struct store_column_set explicit;
	struct batch batches[BATCHES];
	size_t batch; /* the current one, after the start */
	size_t at;    /* the next row in it */
	bool was_begun;
	int status; /* of the last batch */
	struct pl_err err;

	bool ahead;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_over; /* under the lock: no more rows are needed */
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Texts belong to the statement until its next step. */
static int read_row(struct memory_rows *rows, struct memory_row *ret, struct pl_err *err)
{
	struct mirror_row *row = &ret->row;
	struct store_stmt *statement = rows->statement;
	struct store_column_set *set = &rows->explicit;

	ret->changed = store_sql_i64(statement, CHANGED);
	ret->is_deleted = store_sql_i64(statement, DELETED) != 0;
	row->id = store_sql_i64(statement, ID);
	row->run_id = store_sql_text(statement, RUN_ID);
	if (ret->is_deleted)
		return 0;
	if (store_runs_read(statement, FIXED_COUNT, rows->columns, row->cells, err) < 0 ||
	    store_column_set_read(rows->columns, store_sql_text(statement, EXPLICIT_FIELDS), set,
				  err) < 0)
		return pl_err_wrap(err, "result %lld", (long long)row->id);
	for (size_t i = 0; i < set->count; i++)
		row->cells[set->columns[i]].is_explicit = true;
	return 0;
}

static void keep_texts(const struct memory_rows *rows, struct pl_arena *arena,
		       struct mirror_row *row)
{
	if (row->run_id != NULL)
		row->run_id = pl_arena_strndup(arena, row->run_id, strlen(row->run_id));
	for (size_t i = 0; i < rows->columns->count; i++) {
		struct mirror_cell *cell = &row->cells[i];
		if (cell->text != NULL)
			cell->text = pl_arena_strndup(arena, cell->text, strlen(cell->text));
	}
}

/* Reads `most` rows, or the remaining ones. */
static int read_batch(struct memory_rows *rows, struct batch *batch, size_t most,
		      struct pl_err *err)
{
	bool is_row = false;

	batch->count = 0;
	batch->is_last = true;
	while (batch->count < most) {
		struct memory_row *row = &batch->rows[batch->count];
		if (store_sql_step(rows->statement, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		if (read_row(rows, row, err) < 0)
			return -1;
		if (batch->texts != NULL && !row->is_deleted)
			keep_texts(rows, batch->texts, &row->row);
		batch->count++;
	}
	batch->is_last = false;
	return 0;
}

/* ---- ahead ----------------------------------------------------------------------------------- */

/* Waits for the next free batch; NULL: no more rows are needed. */
static struct batch *wait_for_room(struct memory_rows *rows, size_t i)
{
	struct batch *batch = &rows->batches[i];

	pthread_mutex_lock(&rows->lock);
	while (batch->is_full && !rows->is_over)
		pthread_cond_wait(&rows->changed, &rows->lock);
	bool is_over = rows->is_over;
	pthread_mutex_unlock(&rows->lock);
	return is_over ? NULL : batch;
}

static void hand_over(struct memory_rows *rows, struct batch *batch, bool is_full)
{
	pthread_mutex_lock(&rows->lock);
	batch->is_full = is_full;
	pthread_cond_broadcast(&rows->changed);
	pthread_mutex_unlock(&rows->lock);
}

static void *read_ahead(void *data)
{
	struct memory_rows *rows = data;
	struct batch *batch;
	bool is_last = false;

	for (size_t i = 0; !is_last && (batch = wait_for_room(rows, i)) != NULL;
	     i = (i + 1) % BATCHES) {
		pl_arena_free(batch->texts);
		batch->texts = pl_arena_new(BATCH_TEXT_BYTES);
		rows->status = read_batch(rows, batch, BATCH_ROWS, &rows->err);
		/* after the hand-over it may be freed */
		is_last = batch->is_last;
		hand_over(rows, batch, true);
	}
	return NULL;
}

/* Returns the first batch, or the one after the current one, which is used up. */
static struct batch *next_batch(struct memory_rows *rows)
{
	if (!rows->ahead) {
		rows->status = read_batch(rows, &rows->batches[0], 1, &rows->err);
		return &rows->batches[0];
	}
	if (rows->was_begun) {
		hand_over(rows, &rows->batches[rows->batch], false);
		rows->batch = (rows->batch + 1) % BATCHES;
	}
	const struct batch *batch = &rows->batches[rows->batch];
	pthread_mutex_lock(&rows->lock);
	while (!batch->is_full)
		pthread_cond_wait(&rows->changed, &rows->lock);
	pthread_mutex_unlock(&rows->lock);
	return &rows->batches[rows->batch];
}

/* ---- interface ------------------------------------------------------------------------------- */

char *store_memory_rows_text(const struct store_sql *sql, const struct store_columns *columns,
			     const char *rest)
{
	const struct store_runs_fixed fixed = { fixed_names, FIXED_COUNT };

	return store_runs_select_text(sql, &fixed, columns, rest);
}

int store_memory_rows_new(struct store_stmt *statement, const struct store_columns *columns,
			  bool ahead, struct memory_rows **ret, struct pl_err *err)
{
	struct memory_rows *rows = pl_alloc(sizeof(*rows));

	rows->statement = statement;
	rows->columns = columns;
	rows->err = (struct pl_err)PL_ERR_INIT;
	pthread_mutex_init(&rows->lock, NULL);
	pthread_cond_init(&rows->changed, NULL);
	for (size_t i = 0; i < (ahead ? BATCHES * BATCH_ROWS : 1); i++)
		rows->batches[i / BATCH_ROWS].rows[i % BATCH_ROWS].row.cells = pl_alloc_array(
			columns->count, sizeof(struct mirror_cell));
	if (ahead && pl_thread_start(&rows->thread, read_ahead, rows, err) < 0) {
		store_memory_rows_free(rows);
		return -1;
	}
	rows->ahead = ahead;
	*ret = rows;
	return 0;
}

void store_memory_rows_free(struct memory_rows *rows)
{
	if (rows == NULL)
		return;
	if (rows->ahead) {
		pthread_mutex_lock(&rows->lock);
		rows->is_over = true;
		pthread_cond_broadcast(&rows->changed);
		pthread_mutex_unlock(&rows->lock);
		pthread_join(rows->thread, NULL);
	}
	for (size_t i = 0; i < BATCHES; i++) {
		for (size_t k = 0; k < BATCH_ROWS; k++)
			free(rows->batches[i].rows[k].row.cells);
		pl_arena_free(rows->batches[i].texts);
	}
	store_column_set_done(&rows->explicit);
	pthread_cond_destroy(&rows->changed);
	pthread_mutex_destroy(&rows->lock);
	free(rows);
}

int store_memory_rows_next(struct memory_rows *rows, const struct memory_row **ret,
			   struct pl_err *err)
{
	struct batch *batch = &rows->batches[rows->batch];

	/* before the start, the thread may own it */
	if (!rows->was_begun || (rows->at == batch->count && !batch->is_last)) {
		batch = next_batch(rows);
		rows->was_begun = true;
		rows->at = 0;
	}
	*ret = rows->at < batch->count ? &batch->rows[rows->at++] : NULL;
	if (*ret == NULL && rows->status < 0) {
		*err = rows->err;
		return -1;
	}
	return 0;
}
