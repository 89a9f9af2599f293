/*
 * Fields that are not columns of the database: their cells are read when a query first names them, and cached for later
 * queries. An index of the database has most of them (mirror_index_fn). One thread at a time reads the documents that
 * the index does not know, in one pass for all fields that its query lacks. Queries that find their fields in the cache
 * run concurrently.
 *
 * The reader owns the data read so far, and extends it. Queries see a published copy (`ready`), which covers the rows
 * before one place. A replaced row is appended after all others, so data read once stays correct. Documents are read in
 * their current version: if a result has changed since the snapshot, the query must be repeated with a newer one.
 *
 * Fields with prices (priced.h) have lists of their own, and are computed from columns instead.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "mirror/mirror_priv.h"

#define TAGS              "tags"
#define SLICE_NS          (10 * PL_NS_PER_MS)
#define ROWS_PASSED       1024 /* without a document, between two checks for cancellation */
#define INDEX_ARENA_BYTES 65536
#define LAZY_MAX          64           /* cached after their query */
#define LAZY_BYTES_MAX    (256u << 20) /* for all; the last used one is always cached */

struct ready {
	size_t end; /* place after the last row in it */
	uint32_t distinct;
	unsigned classes;
	bool has_odd_times;
	struct chunk *chunks; /* a copy of the chunk of each segment */
	size_t segments;
	size_t bytes;
	int64_t skipped_version; /* as in struct lazy */
};

struct lazy {
	char *id;
	struct res_field field;
	bool is_guessed; /* the field is not listed: its type is guessed from recorded values */

	/* ---- of the reading thread ---- */
	struct dictionary values;
	struct chunk *chunks;
	size_t segments;
	size_t segment_room;
	size_t end; /* as in ready */
	/* snapshots before this version have rows that were not read, because they were removed or changed; -1: none */
	int64_t skipped_version;
	struct garbage garbage;

	/* ---- under `lock` ---- */
	struct ready ready;
	bool is_partial; /* the last reading ended early */
	unsigned users;
	uint64_t used; /* greater is later */
};

struct lazy_columns {
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t over;  /* signals the end of reading */
	bool is_reading;      /* a thread is reading */
	struct lazy **items;  /* sorted by id */
	size_t count;
	size_t room;
	uint64_t used;
};

struct lazy_columns *mirror_lazy_columns_new(void)
{
	struct lazy_columns *lazy = pl_alloc(sizeof(*lazy));

	pthread_mutex_init(&lazy->lock, NULL);
	pthread_cond_init(&lazy->over, NULL);
	return lazy;
}

static void lazy_free(struct lazy *lazy)
{
	for (size_t i = 0; i < lazy->segments; i++)
		mirror_chunk_done(&lazy->chunks[i]);
	free(lazy->chunks);
	mirror_garbage_done(&lazy->garbage);
	mirror_dictionary_done(&lazy->values);
	free(lazy->ready.chunks);
	free(lazy->id);
	free(lazy);
}

void mirror_lazy_columns_free(struct lazy_columns *lazy)
{
	for (size_t i = 0; i < lazy->count; i++)
		lazy_free(lazy->items[i]);
	free(lazy->items);
	pthread_cond_destroy(&lazy->over);
	pthread_mutex_destroy(&lazy->lock);
	free(lazy);
}

/* ---- the list of fields ------------------------------------------------------------------------ */

/* Returns the index of the id, or where to insert it. Under the lock, as are the following functions. */
static size_t position_of(const struct lazy_columns *columns, const char *id)
{
	size_t low = 0, high = columns->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(columns->items[middle]->id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct lazy *lazy_of(struct lazy_columns *columns, const struct res_fields *fields,
			    const char *id)
{
	size_t at = position_of(columns, id);

	if (at < columns->count && strcmp(columns->items[at]->id, id) == 0)
		return columns->items[at];
	struct lazy *made = pl_alloc(sizeof(*made));
	made->id = pl_strdup(id);
	made->is_guessed = res_fields_resolve(fields, made->id, &made->field, NULL) < 0;
	if (made->is_guessed)
		res_field_unlisted(made->id, &made->field);
	made->field.id = made->id;
	made->skipped_version = made->ready.skipped_version = -1;
	mirror_dictionary_init(&made->values, made->field.type);
	(void)PL_PUSH(columns->items, columns->count, columns->room);
	memmove(columns->items + at + 1, columns->items + at,
		(columns->count - at - 1) * sizeof(*columns->items));
	columns->items[at] = made;
	return made;
}

static int compare_used(const void *a, const void *b)
{
	const struct lazy *const *one = a, *const *other = b;

	return (*one)->used < (*other)->used ? -1 : (*one)->used > (*other)->used;
}

static int compare_ids(const void *a, const void *b)
{
	const struct lazy *const *one = a, *const *other = b;

	return strcmp((*one)->id, (*other)->id);
}

/* Returns whether no document has the field: a made-up id, which costs nothing to read again. */
static bool is_nothing(const struct lazy *lazy)
{
	return lazy->is_guessed && !lazy->is_partial &&
	       (lazy->ready.classes & ~(1u << MIRROR_MISSING)) == 0;
}

/* Removes unused fields: those that no document has, and the least recently used ones over the limits. */
static void drop_some(struct lazy_columns *columns)
{
	size_t count = columns->count, left = 0, bytes = 0;

	qsort(columns->items, count, sizeof(struct lazy *), compare_used);
	for (size_t i = 0; i < columns->count; i++)
		bytes += columns->items[i]->ready.bytes;
	for (size_t i = 0; i < columns->count; i++) {
		struct lazy *lazy = columns->items[i];
		bool is_last = i + 1 == columns->count;
		bool are_many = count > LAZY_MAX || (bytes > LAZY_BYTES_MAX && !is_last);
		if (lazy->users > 0 || (!are_many && !is_nothing(lazy))) {
			columns->items[left++] = lazy;
			continue;
		}
		count--;
		bytes -= lazy->ready.bytes;
		lazy_free(lazy);
	}
	columns->count = left;
	qsort(columns->items, columns->count, sizeof(struct lazy *), compare_ids);
}

void mirror_lazy_take(const struct mirror_snapshot *snapshot, struct lazy_columns *columns,
		      const char *id, struct lazy_use *ret)
{
	*ret = (struct lazy_use){ .lazy = NULL };
	pthread_mutex_lock(&columns->lock);
	ret->lazy = lazy_of(columns, snapshot->mirror->fields, id);
	ret->lazy->users++;
	ret->lazy->used = ++columns->used;
	pthread_mutex_unlock(&columns->lock);
}

void mirror_lazy_give_back(struct lazy_columns *columns, struct lazy_use *uses, size_t count)
{
	pthread_mutex_lock(&columns->lock);
	for (size_t i = 0; i < count; i++)
		uses[i].lazy->users--;
	drop_some(columns);
	pthread_mutex_unlock(&columns->lock);
	for (size_t i = 0; i < count; i++) {
		free(uses[i].chunks);
		free((void *)uses[i].lists);
	}
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* The segment is complete: queries may use its chunk. */
static void seal_last(struct lazy *lazy)
{
	struct chunk *last = &lazy->chunks[lazy->segments - 1], open = *last;

	mirror_chunk_seal(&open,
			  lazy->end % MIRROR_SEGMENT_ROWS == 0 ? MIRROR_SEGMENT_ROWS
							       : lazy->end % MIRROR_SEGMENT_ROWS,
			  lazy->values.count, last);
	*PL_PUSH(lazy->garbage.items, lazy->garbage.count, lazy->garbage.room) = open.codes;
	*PL_PUSH(lazy->garbage.items, lazy->garbage.count, lazy->garbage.room) = open.numbers;
}

/* Adds the cell of the row at this place, which is after all rows read so far. */
static void add_cell(struct lazy *lazy, size_t position, const struct mirror_cell *cell)
{
	size_t at = position % MIRROR_SEGMENT_ROWS;

	if (at == 0) {
		if (lazy->segments > 0)
			seal_last(lazy);
		*PL_PUSH(lazy->chunks, lazy->segments, lazy->segment_room) = (struct chunk){ 0 };
	}
	struct chunk *chunk = &lazy->chunks[lazy->segments - 1];
	uint32_t code = mirror_dictionary_code(&lazy->values, cell);
	mirror_chunk_set(chunk, at, code, &lazy->garbage);
	if (dictionary_value(&lazy->values, code)->is_elsewhere)
		mirror_chunk_set_number(chunk, at, cell->number, &lazy->garbage);
	lazy->end = position + 1;
}

/* Adds rows of one segment without a recorded value. A chunk without values needs no data for them. */
static void add_nothing(struct lazy *lazy, size_t position, size_t end)
{
	const struct mirror_cell nothing = { .state = RES_VALUE_NOT_RECORDED };

	while (position < end) {
		add_cell(lazy, position, &nothing);
		const struct chunk *chunk = &lazy->chunks[lazy->segments - 1];
		if (chunk->form == CHUNK_CONSTANT && chunk->base == DICTIONARY_MISSING)
			lazy->end = end;
		position = lazy->end;
	}
}

static void add_document(const struct res_fields *fields, struct lazy *lazy, size_t position,
			 const json_t *document)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	res_field_value(fields, &lazy->field, document, &value);
	struct mirror_cell cell = {
		.state = (unsigned char)value.state,
		.kind = (unsigned char)value.kind,
		.is_explicit = value.is_explicit,
		.number = value.kind == RES_VALUE_YES ? value.yes : value.number,
		.text = value.text,
	};
	add_cell(lazy, position, &cell);
}

/* Returns the place after the last row. */
static size_t end_of(const struct mirror_snapshot *snapshot)
{
	size_t last = snapshot->segment_count - 1;

	return snapshot->segment_count == 0 ? 0 : last * MIRROR_SEGMENT_ROWS + snapshot->rows[last];
}

/* Returns the place, or the first of the next segment if it is after the end of its own. */
static size_t row_at(const struct mirror_snapshot *snapshot, size_t position)
{
	size_t segment = position / MIRROR_SEGMENT_ROWS;

	return position < end_of(snapshot) &&
			       position % MIRROR_SEGMENT_ROWS >= snapshot->rows[segment]
		       ? (segment + 1) * MIRROR_SEGMENT_ROWS
		       : position;
}

/* If no document has the field, all rows count as read. */
static void pass_over(const struct mirror_snapshot *snapshot, struct lazy *lazy)
{
	const struct mirror *mirror = snapshot->mirror;
	size_t end = end_of(snapshot);

	if (lazy->end >= end || mirror->may_have == NULL ||
	    mirror->may_have(mirror->context, lazy->id))
		return;
	for (size_t position; (position = row_at(snapshot, lazy->end)) < end;) {
		size_t segment = position / MIRROR_SEGMENT_ROWS;
		add_nothing(lazy, position,
			    segment * MIRROR_SEGMENT_ROWS + snapshot->rows[segment]);
	}
}

static bool is_dead(const struct mirror_snapshot *snapshot, size_t row)
{
	const struct dead *dead = snapshot->dead[row / MIRROR_SEGMENT_ROWS];
	size_t at = row % MIRROR_SEGMENT_ROWS;

	return dead != NULL && (dead->words[at / 64] >> at % 64 & 1);
}

/* Adds the row as not recorded; snapshots before `version` must not use it. */
static void skip_row(struct lazy *lazy, size_t position, int64_t version)
{
	add_nothing(lazy, position, position + 1);
	if (lazy->skipped_version < version)
		lazy->skipped_version = version;
}

/* Returns the member that contains all of the fields, if known: mostly tags. Documents are long, so this saves time. */
static const char *member_of(const struct lazy_use *uses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!pl_text_starts(uses[i].lazy->id, TAGS "."))
			return NULL;
	}
	return TAGS;
}

/* ---- the index of the database ----------------------------------------------------------------- */

struct row_name {
	int64_t id;
	size_t position;
};

/* The values of one field that the index knows, by position. */
struct from_index {
	size_t first; /* position */
	size_t count;
	uint32_t *values; /* of each position from `first` on */
	struct mirror_indexed indexed;
};

static int compare_names(const void *a, const void *b)
{
	const struct row_name *one = a, *other = b;

	return one->id < other->id ? -1 : one->id > other->id;
}

/* Lists the live rows from a position on, by ascending id. */
static struct row_name *list_rows(const struct mirror_snapshot *snapshot, size_t first,
				  size_t *ret_count)
{
	size_t end = end_of(snapshot), count = 0;
	struct row_name *rows = pl_alloc_array(end - first, sizeof(*rows));
	bool is_sorted = true;

	for (size_t position = first; position < end; position = row_at(snapshot, position + 1)) {
		if (is_dead(snapshot, position))
			continue;
		rows[count] = (struct row_name){ snapshot_id(snapshot, position), position };
		is_sorted = is_sorted && (count == 0 || rows[count - 1].id < rows[count].id);
		count++;
	}
	if (!is_sorted)
		qsort(rows, count, sizeof(*rows), compare_names);
	*ret_count = count;
	return rows;
}

static void from_index_done(struct from_index *from)
{
	free(from->values);
	free(from->indexed.values);
	free(from->indexed.cells);
	pl_arena_free(from->indexed.arena);
}

/* Asks the index for the rows that the field lacks. */
static int ask_index(const struct mirror_snapshot *snapshot, const struct lazy *lazy,
		     struct from_index *from, struct pl_err *err)
{
	const struct mirror *mirror = snapshot->mirror;
	size_t first = row_at(snapshot, lazy->end), end = end_of(snapshot), count;
	struct mirror_indexed *indexed = &from->indexed;

	if (mirror->index == NULL || first >= end)
		return 0;
	auto_free struct row_name *rows = list_rows(snapshot, first, &count);
	auto_free int64_t *ids = pl_alloc_array(count, sizeof(*ids));
	for (size_t i = 0; i < count; i++)
		ids[i] = rows[i].id;
	*indexed = (struct mirror_indexed){
		.snapshot = snapshot,
		.ids = ids,
		.count = count,
		.values = pl_alloc_array(count, sizeof(*indexed->values)),
		.arena = pl_arena_new(INDEX_ARENA_BYTES),
	};
	if (mirror->index(mirror->context, &lazy->field, indexed, err) < 0)
		return -1;
	from->first = first;
	from->count = end - first;
	from->values = pl_alloc_array(from->count, sizeof(*from->values));
	for (size_t i = 0; i < count; i++)
		from->values[rows[i].position - first] = indexed->values[i];
	indexed->ids = NULL;
	return 0;
}

/* Returns the value of a row, or NULL if the index does not know it. */
static const struct mirror_cell *indexed_at(const struct from_index *from, size_t position)
{
	uint32_t value = from->count > 0 ? from->values[position - from->first]
					 : MIRROR_INDEXED_UNKNOWN;

	return value != MIRROR_INDEXED_UNKNOWN ? &from->indexed.cells[value] : NULL;
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* Reading all rows that the fields lack. */
struct row_pass {
	const struct mirror_snapshot *snapshot;
	struct lazy_use *uses;
	struct from_index *from; /* of each use */
	size_t count;
	const char *member;
	size_t passed; /* rows without a document; see ROWS_PASSED */
	size_t read;   /* documents */
};

/* Returns whether a field lacks the row and the index does not know it. */
static bool needs_document(const struct row_pass *pass, size_t position)
{
	for (size_t i = 0; i < pass->count; i++) {
		if (row_at(pass->snapshot, pass->uses[i].lazy->end) == position &&
		    indexed_at(&pass->from[i], position) == NULL)
			return true;
	}
	return false;
}

/* Each pass may read a document, so that queries with the smallest budget end, too. */
static int check_budget(const struct row_pass *pass, size_t position, struct pl_err *err)
{
	const struct mirror_snapshot *snapshot = pass->snapshot;

	if (pass->read == 0 || snapshot->end_ns == 0 || pl_clock_now_ns() < snapshot->end_ns)
		return 0;
	return pl_err_set(
		err, PL_ERR_INTERRUPTED,
		"budget_ms is used up: some fields of this query are not indexed, and the "
		"documents of %zu of %zu results have been read; retry to continue",
		position, end_of(snapshot));
}

static int read_row(struct row_pass *pass, size_t position, struct pl_err *err)
{
	const struct mirror_snapshot *snapshot = pass->snapshot;
	bool is_there = !is_dead(snapshot, position);
	bool is_read = is_there && needs_document(pass, position);
	auto_json json_t *document = NULL;
	int64_t changed = snapshot->version;

	if ((is_read || ++pass->passed % ROWS_PASSED == 0) &&
	    mirror_snapshot_goes_on(snapshot, err) < 0)
		return -1;
	if (is_read &&
	    (check_budget(pass, position, err) < 0 ||
	     mirror_snapshot_read(snapshot, position, pass->member, &document, &changed, err) < 0))
		return -1;
	pass->read += is_read;
	for (size_t i = 0; i < pass->count; i++) {
		struct lazy *lazy = pass->uses[i].lazy;
		if (row_at(snapshot, lazy->end) != position)
			continue;
		const struct mirror_cell *cell = is_there ? indexed_at(&pass->from[i], position)
							  : NULL;
		if (cell != NULL)
			add_cell(lazy, position, cell);
		else if (document == NULL)
			skip_row(lazy, position, changed);
		else
			add_document(snapshot->mirror->fields, lazy, position, document);
	}
	return 0;
}

/*
 * Reads the rows that the fields lack. If a document fails, the data read so far stays. Called by the reading thread.
 */
static int read_rows(const struct mirror_snapshot *snapshot, struct lazy_use *uses, size_t count,
		     struct pl_err *err)
{
	size_t end = end_of(snapshot), first = end;
	auto_free struct from_index *from = pl_alloc_array(count, sizeof(*from));
	struct row_pass pass = { .snapshot = snapshot,
				 .uses = uses,
				 .from = from,
				 .count = count,
				 .member = member_of(uses, count) };
	struct pl_err late = PL_ERR_INIT;
	size_t asked = 0;
	int result = 0;

	/* without time for all fields, each query caches at least one more */
	for (size_t i = 0; i < count && result == 0 && pass.count == count; i++) {
		pass_over(snapshot, uses[i].lazy);
		if (uses[i].lazy->end < end && asked++ > 0 &&
		    mirror_snapshot_is_in_time(snapshot, &late) < 0) {
			pass.count = i;
			break;
		}
		result = ask_index(snapshot, uses[i].lazy, &from[i], err);
		first = uses[i].lazy->end < first ? uses[i].lazy->end : first;
	}
	for (size_t position = row_at(snapshot, first); result == 0 && position < end;
	     position = row_at(snapshot, position + 1))
		result = read_row(&pass, position, err);
	for (size_t i = 0; i < count; i++)
		from_index_done(&from[i]);
	if (result == 0 && pass.count < count) {
		*err = late;
		return -1;
	}
	return result;
}

/* Adds the rows of one segment after those computed so far. */
static void compute_segment(const struct mirror_snapshot *snapshot, struct lazy *lazy,
			    size_t segment)
{
	size_t rows = snapshot->rows[segment], start = segment * MIRROR_SEGMENT_ROWS;
	auto_free double *values = pl_realloc_array(NULL, rows + 1, sizeof(*values));

	mirror_priced_values(snapshot, res_priced_find(lazy->id), segment, values);
	for (size_t at = lazy->end > start ? lazy->end - start : 0; at < rows; at++) {
		struct mirror_cell cell = { .state = RES_VALUE_NOT_RECORDED };
		if (!isnan(values[at]))
			cell = (struct mirror_cell){ .state = RES_VALUE_PRESENT,
						     .kind = RES_VALUE_NUMBER,
						     .number = values[at] };
		add_cell(lazy, start + at, &cell);
	}
}

/* Computes the rows that the fields lack, dead ones too, from columns. Called by the computing thread. */
static int compute_rows(const struct mirror_snapshot *snapshot, struct lazy_use *uses, size_t count,
			struct pl_err *err)
{
	bool have_any = res_prices_have_any(snapshot->pricing->prices);

	for (size_t i = 0; i < count; i++) {
		struct lazy *lazy = uses[i].lazy;
		for (size_t position;
		     (position = row_at(snapshot, lazy->end)) < end_of(snapshot);) {
			size_t segment = position / MIRROR_SEGMENT_ROWS;
			if (mirror_snapshot_goes_on(snapshot, err) < 0)
				return -1;
			if (have_any)
				compute_segment(snapshot, lazy, segment);
			else
				add_nothing(lazy, position,
					    segment * MIRROR_SEGMENT_ROWS +
						    snapshot->rows[segment]);
		}
	}
	return 0;
}

/* ---- publishing ---------------------------------------------------------------------------------- */

static size_t count_bytes(const struct lazy *lazy)
{
	size_t bytes = lazy->values.bytes + lazy->segments * sizeof(*lazy->chunks);

	for (size_t i = 0; i < lazy->segments; i++)
		bytes += chunk_bytes(&lazy->chunks[i]);
	return bytes;
}

/* Called by the reading thread, under the lock. */
static void make_ready(struct lazy *lazy)
{
	struct ready *ready = &lazy->ready;

	free(ready->chunks);
	*ready = (struct ready){
		.end = lazy->end,
		.distinct = lazy->values.count,
		.classes = lazy->values.classes,
		.has_odd_times = lazy->values.has_odd_times,
		.chunks = mirror_chunk_copies(lazy->chunks, lazy->segments),
		.segments = lazy->segments,
		.bytes = count_bytes(lazy),
		.skipped_version = lazy->skipped_version,
	};
	/* only this query uses it, and has not read it yet */
	if (lazy->users == 1)
		mirror_garbage_done(&lazy->garbage);
}

/* Under the lock. */
static void show(struct lazy_use *use)
{
	struct lazy *lazy = use->lazy;
	const struct ready *ready = &lazy->ready;

	use->chunks = mirror_chunk_copies(ready->chunks, ready->segments);
	use->lists = pl_alloc_array(ready->segments, sizeof(*use->lists));
	for (size_t i = 0; i < ready->segments; i++)
		use->lists[i] = &use->chunks[i];
	use->column = (struct mirror_column){
		.field = &lazy->field,
		.values = &lazy->values,
		.distinct = ready->distinct,
		.classes = ready->classes,
		.has_odd_times = ready->has_odd_times,
		.chunks = use->lists,
	};
	use->is_known = !lazy->is_guessed || mirror_column_is_recorded(&use->column);
}

/* Returns 1, showing none, if some lack rows of the snapshot; -1 with BUSY if the snapshot is too old. */
static int show_all(const struct mirror_snapshot *snapshot, struct lazy_columns *columns,
		    struct lazy_use *uses, size_t count, struct pl_err *err)
{
	bool all = true, is_old = false;

	pthread_mutex_lock(&columns->lock);
	for (size_t i = 0; i < count; i++) {
		all = all && uses[i].lazy->ready.end >= end_of(snapshot);
		is_old = is_old || uses[i].lazy->ready.skipped_version > snapshot->version;
	}
	for (size_t i = 0; i < count && all && !is_old; i++)
		show(&uses[i]);
	pthread_mutex_unlock(&columns->lock);
	if (is_old)
		return mirror_snapshot_too_old(err);
	return all ? 0 : 1;
}

static int may_wait(const struct mirror_snapshot *snapshot, struct pl_err *err)
{
	if (snapshot->end_ns > 0 && pl_clock_now_ns() >= snapshot->end_ns)
		return pl_err_set(
			err, PL_ERR_INTERRUPTED,
			"budget_ms is used up: another query is reading documents; retry later");
	return mirror_snapshot_goes_on(snapshot, err);
}

/* Waits for another query that is reading, which may take long; the query can be cancelled meanwhile. */
static int begin_reading(const struct mirror_snapshot *snapshot, struct lazy_columns *columns,
			 struct pl_err *err)
{
	int result = 0;

	pthread_mutex_lock(&columns->lock);
	while (columns->is_reading && (result = may_wait(snapshot, err)) == 0) {
		struct timespec due = pl_clock_timespec(pl_clock_now_ns() + SLICE_NS);
		pthread_cond_clockwait(&columns->over, &columns->lock, CLOCK_MONOTONIC, &due);
	}
	if (result == 0)
		columns->is_reading = true;
	pthread_mutex_unlock(&columns->lock);
	return result;
}

int mirror_lazy_read(const struct mirror_snapshot *snapshot, struct lazy_columns *columns,
		     struct lazy_use *uses, size_t count, struct pl_err *err)
{
	int result = show_all(snapshot, columns, uses, count, err);

	if (result <= 0)
		return result;
	if (begin_reading(snapshot, columns, err) < 0)
		return -1;
	result = columns == snapshot->pricing->columns ? compute_rows(snapshot, uses, count, err)
						       : read_rows(snapshot, uses, count, err);
	pthread_mutex_lock(&columns->lock);
	for (size_t i = 0; i < count; i++) {
		if (uses[i].lazy->ready.end < uses[i].lazy->end)
			make_ready(uses[i].lazy);
		uses[i].lazy->is_partial = result < 0;
	}
	columns->is_reading = false;
	pthread_cond_broadcast(&columns->over);
	pthread_mutex_unlock(&columns->lock);
	return result < 0 ? -1 : show_all(snapshot, columns, uses, count, err);
}
