/* The data of readers: references to segments, and copies of the few things that the writer changes. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mirror/cancel_token.h"
#include "mirror/mirror_priv.h"

void mirror_values_put(struct values *values)
{
	if (atomic_fetch_sub(&values->users, 1) > 1)
		return;
	mirror_dictionary_done(&values->dictionary);
	free(values);
}

void mirror_segment_put(struct segment *segment)
{
	if (segment == NULL || atomic_fetch_sub(&segment->users, 1) > 1)
		return;
	for (size_t i = 0; i < segment->column_count; i++)
		mirror_chunk_done(&segment->chunks[i]);
	mirror_garbage_done(&segment->garbage);
	if (atomic_fetch_sub(&segment->names->users, 1) == 1) {
		free(segment->names->ids);
		free((void *)segment->names->run_ids);
		pl_arena_free(segment->names->arena);
		free(segment->names);
	}
	free(segment->chunks);
	free(segment);
}

void mirror_dead_put(struct dead *dead)
{
	if (dead != NULL && atomic_fetch_sub(&dead->users, 1) == 1)
		free(dead);
}

struct caches *mirror_caches_new(size_t columns)
{
	struct caches *caches = pl_alloc(sizeof(*caches));

	atomic_init(&caches->users, 1);
	caches->lazy = mirror_lazy_columns_new();
	caches->numbers = mirror_number_cache_new(columns);
	return caches;
}

void mirror_caches_put(struct caches *caches)
{
	if (atomic_fetch_sub(&caches->users, 1) > 1)
		return;
	mirror_lazy_columns_free(caches->lazy);
	mirror_number_cache_free(caches->numbers);
	free(caches);
}

static void take_segments(struct mirror *mirror, struct mirror_snapshot *snapshot)
{
	size_t count = mirror->segment_count;

	snapshot->segment_count = count;
	snapshot->segments = pl_alloc_array(count, sizeof(struct segment *));
	snapshot->rows = pl_alloc_array(count, sizeof(*snapshot->rows));
	snapshot->dead = pl_alloc_array(count, sizeof(struct dead *));
	snapshot->chunks = pl_alloc_array(count, sizeof(struct chunk *));
	for (size_t i = 0; i < count; i++) {
		snapshot->segments[i] = mirror->segments[i];
		atomic_fetch_add(&mirror->segments[i]->users, 1);
		snapshot->rows[i] = mirror->segments[i]->rows;
		snapshot->chunks[i] = mirror->segments[i]->chunks;
		snapshot->other_bytes += mirror->segments[i]->names->bytes;
		snapshot->dead[i] = mirror->dead[i];
		if (mirror->dead[i] != NULL)
			atomic_fetch_add(&mirror->dead[i]->users, 1);
	}
	if (!mirror->is_open)
		return;
	snapshot->open = mirror_chunk_copies(mirror->segments[count - 1]->chunks,
					     mirror->column_count);
	snapshot->chunks[count - 1] = snapshot->open;
}

struct mirror_snapshot *mirror_snapshot_new(struct mirror *mirror)
{
	struct mirror_snapshot *snapshot = pl_alloc(sizeof(*snapshot));

	atomic_init(&snapshot->users, 1);
	snapshot->mirror = mirror;
	snapshot->version = mirror->version;
	snapshot->mark = mirror->mark;
	snapshot->epoch = mirror->epoch;
	snapshot->live = mirror->live;
	snapshot->caches = mirror->caches;
	atomic_fetch_add(&mirror->caches->users, 1);
	snapshot->pricing = mirror->pricing;
	atomic_fetch_add(&mirror->pricing->users, 1);
	take_segments(mirror, snapshot);
	snapshot->columns = pl_alloc_array(mirror->column_count, sizeof(*snapshot->columns));
	snapshot->values = pl_alloc_array(mirror->column_count, sizeof(*snapshot->values));
	for (size_t i = 0; i < mirror->column_count; i++) {
		const struct dictionary *values = &mirror->values[i]->dictionary;
		snapshot->values[i] = mirror->values[i];
		atomic_fetch_add(&mirror->values[i]->users, 1);
		snapshot->columns[i] = (struct mirror_column){
			.field = mirror->column_fields[i],
			.values = values,
			.distinct = values->count,
			.classes = values->classes,
			.has_odd_times = values->has_odd_times,
			.chunks = snapshot->chunks,
			.at = i,
			.number_cache = mirror->caches->numbers,
		};
		snapshot->other_bytes += values->bytes;
	}
	snapshot->other_bytes += mirror->slot_count * sizeof(*mirror->slots);
	return snapshot;
}

const struct mirror_column *mirror_snapshot_column(const struct mirror_snapshot *snapshot,
						   const char *id)
{
	const struct mirror *mirror = snapshot->mirror;
	const struct res_field *field = res_fields_find(mirror->fields, id);
	size_t low = 0, high = mirror->column_count;

	if (field == NULL || !field->column)
		return NULL;
	/* both are in the order of the rows */
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;
		if (mirror->column_fields[middle] <= field)
			low = middle;
		else
			high = middle;
	}
	return &snapshot->columns[low];
}

struct mirror_snapshot *mirror_snapshot_take(struct mirror *mirror)
{
	struct mirror_snapshot *snapshot;

	pthread_mutex_lock(&mirror->lock);
	snapshot = mirror->published;
	atomic_fetch_add(&snapshot->users, 1);
	pthread_mutex_unlock(&mirror->lock);
	return snapshot;
}

struct mirror_snapshot *mirror_snapshot_for(struct mirror_snapshot *snapshot,
					    struct mirror_cancel_token *cancel_token)
{
	struct mirror_snapshot *filtered = pl_alloc(sizeof(*filtered));

	*filtered = (struct mirror_snapshot){
		.users = 1,
		.whole = snapshot,
		.cancel_token = cancel_token,
		.mirror = snapshot->mirror,
		.version = snapshot->version,
		.mark = snapshot->mark,
		.epoch = snapshot->epoch,
		.live = snapshot->live,
		.segment_count = snapshot->segment_count,
		.rows = snapshot->rows,
		.segments = snapshot->segments,
		.dead = snapshot->dead,
		.chunks = snapshot->chunks,
		.open = snapshot->open,
		.columns = snapshot->columns,
		.values = snapshot->values,
		.caches = snapshot->caches,
		.pricing = snapshot->pricing,
		.other_bytes = snapshot->other_bytes,
	};
	atomic_fetch_add(&snapshot->users, 1);
	return filtered;
}

void mirror_snapshot_limit(struct mirror_snapshot *snapshot, int64_t end_ns, int64_t refuse_ns)
{
	snapshot->end_ns = end_ns;
	snapshot->refuse_ns = refuse_ns;
}

static void free_parts(struct mirror_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->segment_count; i++) {
		mirror_segment_put(snapshot->segments[i]);
		mirror_dead_put(snapshot->dead[i]);
	}
	for (size_t i = 0; i < snapshot->mirror->column_count; i++)
		mirror_values_put(snapshot->values[i]);
	mirror_caches_put(snapshot->caches);
	mirror_pricing_put(snapshot->pricing);
	free(snapshot->values);
	free(snapshot->segments);
	free(snapshot->rows);
	free(snapshot->dead);
	free((void *)snapshot->chunks);
	free(snapshot->open);
	free(snapshot->columns);
}

void mirror_snapshot_put(struct mirror_snapshot *snapshot)
{
	if (snapshot == NULL || atomic_fetch_sub(&snapshot->users, 1) > 1)
		return;
	if (snapshot->whole != NULL)
		mirror_snapshot_put(snapshot->whole);
	else
		free_parts(snapshot);
	free(snapshot);
}

int mirror_snapshot_goes_on(const struct mirror_snapshot *snapshot, struct pl_err *err)
{
	struct mirror_cancel_token *cancel_token = snapshot->cancel_token;

	if (atomic_load_explicit(&snapshot->mirror->is_over, memory_order_relaxed))
		return pl_err_set(err, PL_ERR_INTERRUPTED,
				  "the query was canceled: the server is shutting down");
	if (cancel_token != NULL && cancel_token->has_left(cancel_token))
		return pl_err_set(err, PL_ERR_INTERRUPTED,
				  "the query was canceled: the client disconnected");
	return 0;
}

int mirror_snapshot_is_in_time(const struct mirror_snapshot *snapshot, struct pl_err *err)
{
	if (mirror_snapshot_goes_on(snapshot, err) < 0)
		return -1;
	if (snapshot->refuse_ns == 0 || pl_clock_now_ns() < snapshot->refuse_ns)
		return 0;
	return pl_err_set(err, PL_ERR_INTERRUPTED,
			  "budget_ms is used up before the required parts of the response are "
			  "complete; use a narrower filter or a greater budget_ms");
}

int mirror_indexed_goes_on(const struct mirror_indexed *indexed, struct pl_err *err)
{
	return mirror_snapshot_goes_on(indexed->snapshot, err);
}

int mirror_snapshot_read(const struct mirror_snapshot *snapshot, size_t row, const char *member,
			 json_t **ret, int64_t *ret_changed, struct pl_err *err)
{
	const struct mirror *mirror = snapshot->mirror;
	int64_t id = snapshot_id(snapshot, row);
	auto_json json_t *document = NULL;
	int result = mirror->read(mirror->context, id, member, &document, ret_changed, err);

	if (result < 0 && err->code != PL_ERR_NOT_FOUND)
		return pl_err_wrap(err, "result %lld", (long long)id);
	if (result < 0 && *ret_changed <= snapshot->version)
		*ret_changed = snapshot->version + 1;
	*ret = *ret_changed <= snapshot->version ? pl_take(document) : NULL;
	return 0;
}

int mirror_snapshot_too_old(struct pl_err *err)
{
	return pl_err_set(err, PL_ERR_BUSY, "results changed during the query; retry it");
}

int64_t mirror_snapshot_version(const struct mirror_snapshot *snapshot)
{
	return snapshot->version;
}

int64_t mirror_snapshot_mark(const struct mirror_snapshot *snapshot)
{
	return snapshot->mark;
}

int64_t mirror_snapshot_epoch(const struct mirror_snapshot *snapshot)
{
	return snapshot->epoch;
}

size_t mirror_snapshot_count(const struct mirror_snapshot *snapshot)
{
	return snapshot->live;
}

size_t mirror_snapshot_bytes(const struct mirror_snapshot *snapshot)
{
	size_t columns = snapshot->mirror->column_count;
	size_t bytes = snapshot->other_bytes + mirror_number_cache_bytes(snapshot->caches->numbers);

	for (size_t i = 0; i < snapshot->segment_count; i++) {
		bytes += columns * sizeof(struct chunk);
		for (size_t k = 0; k < columns; k++)
			bytes += chunk_bytes(&snapshot->chunks[i][k]);
		bytes += snapshot->dead[i] != NULL ? sizeof(struct dead) : 0;
	}
	return bytes;
}

void mirror_snapshot_live(const struct mirror_snapshot *snapshot, size_t segment,
			  uint64_t ret_rows[MIRROR_SEGMENT_WORDS])
{
	size_t rows = snapshot->rows[segment], words = rows / MIRROR_WORD_ROWS;
	const struct dead *dead = snapshot->dead[segment];

	memset(ret_rows, 0, MIRROR_SEGMENT_WORDS * sizeof(*ret_rows));
	memset(ret_rows, 0xff, words * sizeof(*ret_rows));
	if (rows % MIRROR_WORD_ROWS != 0)
		ret_rows[words] = (1ull << rows % MIRROR_WORD_ROWS) - 1;
	if (dead != NULL)
		mirror_kernels()->and_not(ret_rows, ret_rows, dead->words, MIRROR_SEGMENT_WORDS);
}
