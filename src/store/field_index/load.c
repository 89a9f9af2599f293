/*
 * Reads one field of many results: the chunks with its paths, of all segments, and the rows that are not combined yet.
 * Each distinct value is made once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "store/field_index/index_priv.h"

static STORE_STATEMENT(sql_list_segments,
		       "SELECT id, form, ids FROM field_segments WHERE first_id <= ?1"
		       " AND last_id >= ?2 ORDER BY id");
static STORE_STATEMENT(sql_chunks_at,
		       "SELECT segment, bytes FROM field_chunks WHERE path = ?1 AND segment >= ?2"
		       " ORDER BY segment");
static STORE_STATEMENT(sql_chunks_below,
		       "SELECT segment, bytes, path FROM field_chunks WHERE path > ?1 AND path < ?2"
		       " ORDER BY path, segment");
static STORE_STATEMENT(
	sql_rows_between,
	"SELECT id, form, bytes FROM field_rows WHERE id >= ?1 AND id <= ?2 ORDER BY id");
static STORE_STATEMENT(sql_changed_since,
		       "SELECT id FROM benchmark_runs WHERE changed > ?1 ORDER BY changed");

#define ROWS_MAX    STORE_LEAF_SEGMENT_ROWS
#define LEAVES_MAX  512 /* of one document for one field; with more, the document is read */
#define KEY_BYTES   ((size_t)1 << 20)
#define ARENA_BYTES 65536
#define MADE_MIN    1024

struct piece {
	const char *path;
	struct store_leaf_chunk chunk;
	uint32_t *
		numbers; /* of each code: the number of its leaf; 0: none that the question depends on */
};

struct segment {
	int64_t id;
	bool is_accepted;
	size_t rows;
	int64_t ids[ROWS_MAX];
	struct piece *pieces;
	size_t count;
	size_t room;
};

struct made {
	const char *key; /* NULL: free */
	size_t len;
	uint64_t hash;
	uint32_t value;
};
/* A hash table by bytes. */
struct table {
	struct made *slots;
	size_t count;
	size_t slot_count;
};

struct loading {
	const struct res_fields *fields;
	struct store_field_index *index;
	struct mirror_indexed *indexed;
	struct res_leaf_question question;
	struct pl_arena *arena; /* of paths and keys */
	struct segment *segments;
	size_t segment_count;
	size_t segment_room;
	struct table values;  /* by the leaves of a document */
	struct table numbers; /* of leaves, from 1 on */
	struct table
		tuples; /* values by the numbers of the leaves: documents of all segments have few */
	struct pl_buf key;
};

/* ---- values -------------------------------------------------------------------------------- */

static uint32_t add_cell(struct loading *loading, const struct mirror_cell *cell)
{
	struct mirror_indexed *indexed = loading->indexed;

	*PL_PUSH(indexed->cells, indexed->cell_count, indexed->cell_room) = *cell;
	return (uint32_t)indexed->cell_count - 1;
}

/* Makes the value of a leaf that is faster made than found. Returns UNKNOWN for others. */
static uint32_t make_simple(struct loading *loading, const struct res_leaf *leaf)
{
	struct mirror_cell cell = { .state = RES_VALUE_PRESENT, .kind = RES_VALUE_NUMBER };
	struct res_leaf_plain plain;

	if (res_leaf_number(&loading->question, leaf, &cell.number, &cell.is_explicit))
		return add_cell(loading, &cell);
	if (!res_leaf_plain(&loading->question, leaf, &plain))
		return MIRROR_INDEXED_UNKNOWN;
	cell = (struct mirror_cell){
		.state = RES_VALUE_PRESENT,
		.kind = (unsigned char)plain.kind,
		.is_explicit = plain.is_explicit,
		.is_unified = true,
		.text = pl_arena_strndup(loading->indexed->arena, plain.text, plain.len),
	};
	return add_cell(loading, &cell);
}

static uint32_t make_value(struct loading *loading, const struct res_leaf *leaves, size_t count)
{
	struct mirror_cell cell;
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	if (!res_leaf_value(loading->fields, &loading->question, leaves, count, &value))
		return MIRROR_INDEXED_UNKNOWN;
	if (value.state == RES_VALUE_NOT_RECORDED)
		return MIRROR_INDEXED_NOT_THERE;
	cell = (struct mirror_cell){
		.state = (unsigned char)value.state,
		.kind = (unsigned char)value.kind,
		.is_explicit = value.is_explicit,
		.number = value.kind == RES_VALUE_YES ? value.yes : value.number,
	};
	if (value.text != NULL)
		cell.text = pl_arena_strndup(loading->indexed->arena, value.text,
					     strlen(value.text));
	return add_cell(loading, &cell);
}

static struct made *slot_of(const struct table *table, const void *key, size_t len, uint64_t hash)
{
	size_t mask = table->slot_count - 1, at = (size_t)(hash ^ hash >> 32) & mask;

	for (; table->slots[at].key != NULL; at = (at + 1) & mask) {
		const struct made *made = &table->slots[at];
		if (made->hash == hash && made->len == len && memcmp(made->key, key, len) == 0)
			break;
	}
	return &table->slots[at];
}

static void widen(struct table *table)
{
	struct made *before = table->slots;
	size_t count = table->slot_count;

	if (table->count * 2 < count)
		return;
	table->slot_count = count == 0 ? MADE_MIN : count * 4;
	table->slots = pl_alloc_array(table->slot_count, sizeof(*table->slots));
	for (size_t i = 0; i < count; i++) {
		if (before[i].key != NULL)
			*slot_of(table, before[i].key, before[i].len, before[i].hash) = before[i];
	}
	free(before);
}

/* Returns the entry with this key, which may be new. */
static struct made *entry_of(struct loading *loading, struct table *table, const void *key,
			     size_t len, bool *ret_is_new)
{
	uint64_t hash = pl_hash_words(PL_HASH_NONE, key, len);

	widen(table);
	struct made *made = slot_of(table, key, len, hash);
	*ret_is_new = made->key == NULL;
	if (*ret_is_new) {
		*made = (struct made){ .key = pl_arena_strndup(loading->arena, key, len),
				       .len = len,
				       .hash = hash };
		table->count++;
	}
	return made;
}

static void add_to_key(struct pl_buf *key, const struct res_leaf *leaf)
{
	/* the ends of texts separate them */
	pl_buf_add(key, leaf->path, strlen(leaf->path) + 1);
	pl_buf_add_char(key, (char)leaf->flags);
	pl_buf_add(key, leaf->text, strlen(leaf->text) + 1);
}

/* Returns the value of these leaves of one document, which the question depends on. */
static uint32_t value_of(struct loading *loading, const struct res_leaf *leaves, size_t count)
{
	struct pl_buf *key = &loading->key;
	uint32_t value;
	bool is_new;

	if (count == 0)
		return MIRROR_INDEXED_NOT_THERE;
	if (count == 1 && (value = make_simple(loading, leaves)) != MIRROR_INDEXED_UNKNOWN)
		return value;
	pl_buf_clear(key);
	for (size_t i = 0; i < count; i++)
		add_to_key(key, &leaves[i]);
	if (key->full)
		return MIRROR_INDEXED_UNKNOWN;
	struct made *made = entry_of(loading, &loading->values, key->data, key->len, &is_new);
	if (is_new)
		made->value = make_value(loading, leaves, count);
	return made->value;
}

/* Returns the index of the first id that is not less, from `from` on. */
static size_t find_id(const struct mirror_indexed *indexed, size_t from, int64_t id)
{
	size_t low = from, high = indexed->count;

	/* ids of segments are mostly adjacent */
	if (low < high && indexed->ids[low] >= id)
		return low;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (indexed->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sets the value of an id and returns the index after it, for greater ids. */
static size_t set_value(struct loading *loading, size_t at, int64_t id, uint32_t value)
{
	struct mirror_indexed *indexed = loading->indexed;

	at = find_id(indexed, at, id);
	if (at < indexed->count && indexed->ids[at] == id)
		indexed->values[at++] = value;
	return at;
}

/* ---- segments ------------------------------------------------------------------------------ */

static int list_segments(struct loading *loading, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(&loading->index->sql, &sql_list_segments, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, loading->indexed->ids[loading->indexed->count - 1]);
	store_sql_bind_i64(rows, 2, loading->indexed->ids[0]);
	while ((result = store_sql_next(rows, err)) > 0) {
		struct segment *segment = PL_PUSH(loading->segments, loading->segment_count,
						  loading->segment_room);
		size_t len;
		const void *packed = store_sql_bytes(rows, 2, &len);
		*segment = (struct segment){ .id = store_sql_i64(rows, 0) };
		if (store_leaf_ids_unpack(packed, len, segment->ids, &segment->rows, err) < 0)
			return -1;
		segment->is_accepted = store_field_form_is_accepted(&loading->index->forms,
								    store_sql_i64(rows, 1));
	}
	return result;
}

static struct segment *find_segment(const struct loading *loading, int64_t id)
{
	size_t low = 0, high = loading->segment_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (loading->segments[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < loading->segment_count && loading->segments[low].id == id
		       ? &loading->segments[low]
		       : NULL;
}

/* A malformed chunk makes its segment unknown: the documents have the values. */
static int take_chunk(struct loading *loading, struct store_stmt *row, const char *path,
		      struct pl_err *err)
{
	struct segment *segment = find_segment(loading, store_sql_i64(row, 0));
	size_t len;
	const void *packed = store_sql_bytes(row, 1, &len);

	if (segment == NULL || !segment->is_accepted)
		return 0;
	if (mirror_indexed_goes_on(loading->indexed, err) < 0)
		return -1;
	struct piece *piece = PL_PUSH(segment->pieces, segment->count, segment->room);
	piece->path = path;
	if (store_leaf_chunk_unpack(packed, len, segment->rows, &piece->chunk, PL_ERR_IGNORED) <
	    0) {
		segment->count--;
		segment->is_accepted = false;
	}
	return 0;
}

static int take_path(struct loading *loading, const char *path, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	const char *kept = pl_arena_strndup(loading->arena, path, strlen(path));
	int result;

	if (loading->segment_count == 0)
		return 0;
	if (store_sql_cached(&loading->index->sql, &sql_chunks_at, &rows, err) < 0)
		return -1;
	store_sql_bind_bytes(rows, 1, kept, strlen(kept));
	store_sql_bind_i64(rows, 2, loading->segments[0].id);
	while ((result = store_sql_next(rows, err)) > 0) {
		if (take_chunk(loading, rows, kept, err) < 0)
			return -1;
	}
	return result;
}

static int take_below(struct loading *loading, const char *path, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	auto_free char *first = pl_asprintf("%s.", path);
	auto_free char *end = pl_asprintf("%s/", path); /* '/' follows '.' */
	const char *kept = NULL;
	int result;

	if (loading->segment_count == 0)
		return 0;
	if (store_sql_cached(&loading->index->sql, &sql_chunks_below, &rows, err) < 0)
		return -1;
	store_sql_bind_bytes(rows, 1, first, strlen(first));
	store_sql_bind_bytes(rows, 2, end, strlen(end));
	while ((result = store_sql_next(rows, err)) > 0) {
		size_t len;
		const char *found = store_sql_bytes(rows, 2, &len);
		if (kept == NULL || strlen(kept) != len || memcmp(kept, found, len) != 0)
			kept = pl_arena_strndup(loading->arena, found, len);
		if (take_chunk(loading, rows, kept, err) < 0)
			return -1;
	}
	return result;
}

static int take_chunks(struct loading *loading, struct pl_err *err)
{
	const struct res_leaf_question *question = &loading->question;

	if (take_path(loading, "", err) < 0 ||
	    (question->alone != NULL && take_path(loading, question->alone, err) < 0))
		return -1;
	if (question->path == NULL)
		return 0;
	auto_free char *above = pl_strdup(question->path);
	for (char *dot = strchr(above, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
		*dot = '\0';
		int result = take_path(loading, above, err);
		*dot = '.';
		if (result < 0)
			return -1;
	}
	return take_path(loading, question->path, err) < 0
		       ? -1
		       : take_below(loading, question->path, err);
}

static struct res_leaf leaf_of(const struct piece *piece, uint16_t code)
{
	const struct res_leaf *item = &piece->chunk.items[code - 1];

	return (struct res_leaf){ piece->path, item->text, item->flags };
}

/* Gives equal leaves of all segments the same number. */
static void number_leaves(struct loading *loading, struct piece *piece)
{
	struct pl_buf *key = &loading->key;
	bool is_new;

	piece->numbers = pl_alloc_array(piece->chunk.count + 1, sizeof(*piece->numbers));
	for (size_t i = 1; i <= piece->chunk.count; i++) {
		const struct res_leaf leaf = leaf_of(piece, (uint16_t)i);
		if (res_leaf_is_ignored(&loading->question, &leaf))
			continue;
		pl_buf_clear(key);
		add_to_key(key, &leaf);
		struct made *made = entry_of(loading, &loading->numbers, key->data, key->len,
					     &is_new);
		if (is_new)
			made->value = (uint32_t)loading->numbers.count;
		piece->numbers[i] = made->value;
	}
}

/* The numbers of a row's leaves are compared instead of their texts. */
static uint32_t value_of_row(struct loading *loading, const struct segment *segment, size_t row)
{
	uint32_t numbers[LEAVES_MAX];
	struct res_leaf leaves[LEAVES_MAX];
	size_t count = 0;
	bool is_new;

	for (size_t i = 0; i < segment->count; i++) {
		uint32_t number = segment->pieces[i].numbers[segment->pieces[i].chunk.codes[row]];
		if (number == 0)
			continue;
		if (count == LEAVES_MAX)
			return MIRROR_INDEXED_UNKNOWN;
		numbers[count++] = number;
	}
	struct made *made = entry_of(loading, &loading->tuples, numbers, count * sizeof(*numbers),
				     &is_new);
	if (!is_new)
		return made->value;
	count = 0;
	for (size_t i = 0; i < segment->count; i++) {
		const struct piece *piece = &segment->pieces[i];
		if (piece->numbers[piece->chunk.codes[row]] != 0)
			leaves[count++] = leaf_of(piece, piece->chunk.codes[row]);
	}
	return made->value = value_of(loading, leaves, count);
}

/* Most fields have one path, and few values. */
static void values_of_piece(struct loading *loading, const struct segment *segment,
			    uint32_t ret[ROWS_MAX])
{
	const struct piece *piece = &segment->pieces[0];
	uint32_t values[ROWS_MAX + 1] = { MIRROR_INDEXED_NOT_THERE };

	for (size_t i = 0; i < piece->chunk.count; i++) {
		const struct res_leaf leaf = leaf_of(piece, (uint16_t)(i + 1));
		values[i + 1] = value_of(loading, &leaf, 1);
	}
	for (size_t row = 0; row < segment->rows; row++)
		ret[row] = values[piece->chunk.codes[row]];
}

static void set_values(struct loading *loading, const struct segment *segment)
{
	uint32_t values[ROWS_MAX];
	size_t at = 0;

	for (size_t row = 0; row < segment->rows; row++)
		values[row] = segment->is_accepted ? MIRROR_INDEXED_NOT_THERE
						   : MIRROR_INDEXED_UNKNOWN;
	if (segment->is_accepted && segment->count == 1)
		values_of_piece(loading, segment, values);
	if (segment->is_accepted && segment->count > 1) {
		for (size_t i = 0; i < segment->count; i++)
			number_leaves(loading, &segment->pieces[i]);
		for (size_t row = 0; row < segment->rows; row++)
			values[row] = value_of_row(loading, segment, row);
	}
	for (size_t row = 0; row < segment->rows; row++)
		at = set_value(loading, at, segment->ids[row], values[row]);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint32_t value_of_bytes(struct loading *loading, const void *packed, size_t len)
{
	struct res_leaf leaves[LEAVES_MAX], leaf;
	auto_leaf_row reader = { 0 };
	size_t count = 0;
	int result;

	if (store_leaf_row_open(packed, len, &reader, PL_ERR_IGNORED) < 0)
		return MIRROR_INDEXED_UNKNOWN;
	while ((result = store_leaf_row_next(&reader, &leaf, PL_ERR_IGNORED)) > 0) {
		if (!res_leaf_matches(&loading->question, leaf.path) ||
		    res_leaf_is_ignored(&loading->question, &leaf))
			continue;
		if (count == LEAVES_MAX)
			return MIRROR_INDEXED_UNKNOWN;
		leaves[count++] = leaf;
	}
	return result < 0 ? MIRROR_INDEXED_UNKNOWN : value_of(loading, leaves, count);
}

static int take_rows(struct loading *loading, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	size_t at = 0;
	int result;

	if (store_sql_cached(&loading->index->sql, &sql_rows_between, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, loading->indexed->ids[0]);
	store_sql_bind_i64(rows, 2, loading->indexed->ids[loading->indexed->count - 1]);
	while ((result = store_sql_next(rows, err)) > 0) {
		int64_t id = store_sql_i64(rows, 0);
		size_t len;
		const void *packed = store_sql_bytes(rows, 2, &len);
		bool is_accepted = store_field_form_is_accepted(&loading->index->forms,
								store_sql_i64(rows, 1));
		if (mirror_indexed_goes_on(loading->indexed, err) < 0)
			return -1;
		at = find_id(loading->indexed, at, id);
		if (at < loading->indexed->count && loading->indexed->ids[at] == id)
			loading->indexed->values[at] = is_accepted ? value_of_bytes(loading, packed,
										    len)
								   : MIRROR_INDEXED_UNKNOWN;
	}
	return result;
}

/* The snapshot does not have the present values of these results. */
static int forget_changed(struct loading *loading, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(&loading->index->sql, &sql_changed_since, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, mirror_snapshot_version(loading->indexed->snapshot));
	while ((result = store_sql_next(rows, err)) > 0)
		(void)set_value(loading, 0, store_sql_i64(rows, 0), MIRROR_INDEXED_UNKNOWN);
	return result;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int load_parts(struct loading *loading, struct pl_err *err)
{
	if (store_field_forms_read(loading->index, &loading->index->sql, &loading->question,
				   &loading->index->forms, err) < 0)
		return -1;
	if (list_segments(loading, err) < 0)
		/* which results a malformed segment has is unknown: the documents have all values */
		return err->code == PL_ERR_INVALID ? 0 : -1;
	if (take_chunks(loading, err) < 0)
		return -1;
	for (size_t i = 0; i < loading->segment_count; i++)
		set_values(loading, &loading->segments[i]);
	return take_rows(loading, err) < 0 ? -1 : forget_changed(loading, err);
}

int store_field_index_connect(struct store *store, struct pl_err *err)
{
	struct store_sql *sql = &store->field_index->sql;

	if (sql->driver != NULL)
		return 0;
	if (store_sql_open(sql, store->address, false, err) < 0)
		return -1;
	if (store_sql_use(sql, STORE_SQL_READ, err) == 0)
		return 0;
	store_sql_close(sql);
	return -1;
}

/* One transaction: all parts are of one version. */
static int load(struct store *store, struct loading *loading, struct pl_err *err)
{
	if (store_field_index_connect(store, err) < 0 ||
	    store_sql_begin(&loading->index->sql, STORE_SQL_READ, err) < 0)
		return -1;
	int result = load_parts(loading, err);
	store_sql_rollback(&loading->index->sql);
	return result;
}

static void loading_done(struct loading *loading)
{
	for (size_t i = 0; i < loading->segment_count; i++) {
		for (size_t k = 0; k < loading->segments[i].count; k++) {
			store_leaf_chunk_done(&loading->segments[i].pieces[k].chunk);
			free(loading->segments[i].pieces[k].numbers);
		}
		free(loading->segments[i].pieces);
	}
	free(loading->segments);
	free(loading->values.slots);
	free(loading->numbers.slots);
	free(loading->tuples.slots);
	pl_buf_done(&loading->key);
	pl_arena_free(loading->arena);
	res_leaf_question_done(&loading->question);
}

int store_field_index_load(void *context, const struct res_field *field,
			   struct mirror_indexed *indexed, struct pl_err *err)
{
	struct store *store = context;
	struct loading loading = { .fields = store->fields,
				   .index = store->field_index,
				   .indexed = indexed,
				   .key = PL_BUF(KEY_BYTES) };
	const struct mirror_cell nothing = { .state = RES_VALUE_NOT_RECORDED };

	add_cell(&loading, &nothing);
	add_cell(&loading, &nothing);
	if (indexed->count == 0 ||
	    !res_leaf_ask(loading.index->rules, store->fields, field, &loading.question))
		return 0;
	loading.arena = pl_arena_new(ARENA_BYTES);
	pthread_mutex_lock(&loading.index->lock);
	int result = load(store, &loading, err);
	pthread_mutex_unlock(&loading.index->lock);
	loading_done(&loading);
	return result;
}
