#include "store/field_index/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "store/field_index/index_priv.h"

static STORE_STATEMENT(sql_list_forms, "SELECT id, content FROM field_forms ORDER BY id");
static STORE_STATEMENT(sql_find_form, "SELECT id FROM field_forms WHERE content = ?1 LIMIT 1");
static STORE_STATEMENT(sql_add_form, "INSERT INTO field_forms (content) VALUES (?1) RETURNING id");
static STORE_STATEMENT(
	sql_put_field_row,
	"INSERT INTO field_rows (id, form, bytes) VALUES (?1, ?2, ?3)"
	" ON CONFLICT (id) DO UPDATE SET form = excluded.form, bytes = excluded.bytes");
static STORE_STATEMENT(sql_count_field_rows, "SELECT count(*) FROM field_rows WHERE form = ?1");
static STORE_STATEMENT(sql_first_field_rows,
		       "SELECT id, bytes FROM field_rows WHERE form = ?1 ORDER BY id LIMIT ?2");
static STORE_STATEMENT(sql_drop_field_rows, "DELETE FROM field_rows WHERE form = ?1 AND id <= ?2");
static STORE_STATEMENT(sql_add_segment, "INSERT INTO field_segments (form, first_id, last_id, ids)"
					" VALUES (?1, ?2, ?3, ?4) RETURNING id");
static STORE_STATEMENT(sql_add_chunk,
		       "INSERT INTO field_chunks (path, segment, bytes) VALUES (?1, ?2, ?3)");
static STORE_STATEMENT(sql_segments_with,
		       "SELECT id, ids FROM field_segments WHERE first_id <= ?1 AND last_id >= ?2"
		       " ORDER BY id");
static STORE_STATEMENT(sql_chunks_of_segment,
		       "SELECT path, bytes FROM field_chunks WHERE segment = ?1");
static STORE_STATEMENT(sql_set_chunk,
		       "UPDATE field_chunks SET bytes = ?3 WHERE path = ?1 AND segment = ?2");
static STORE_STATEMENT(sql_drop_chunk, "DELETE FROM field_chunks WHERE path = ?1 AND segment = ?2");
static STORE_STATEMENT(sql_drop_chunks, "DELETE FROM field_chunks WHERE segment = ?1");
static STORE_STATEMENT(
	sql_set_segment,
	"UPDATE field_segments SET first_id = ?2, last_id = ?3, ids = ?4 WHERE id = ?1");
static STORE_STATEMENT(sql_drop_segment, "DELETE FROM field_segments WHERE id = ?1");

/* Rows are counted after this many puts: other processes add rows, too. */
#define COUNT_PUTS 32
#define ROWS_MAX   STORE_LEAF_SEGMENT_ROWS
#define SLOTS      1024 /* of a table of a segment's distinct values */

struct store_field_index *store_field_index_new(const struct res_fields *fields)
{
	struct store_field_index *index = pl_alloc(sizeof(*index));

	index->rules = res_leaf_rules_new(fields);
	auto_json json_t *form = res_leaf_rules_json(index->rules);
	index->form_text = pl_json_to_text(form, PL_JSON_SORTED);
	index->puts = COUNT_PUTS;
	pthread_mutex_init(&index->lock, NULL);
	pl_pause_init(&index->pause);
	return index;
}

void store_field_index_free(struct store_field_index *index)
{
	if (index == NULL)
		return;
	store_sql_close(&index->sql);
	res_leaf_rules_free(index->rules);
	free(index->form_text);
	free(index->forms.items);
	pthread_mutex_destroy(&index->lock);
	pl_pause_done(&index->pause);
	free(index);
}

/* ---- forms --------------------------------------------------------------------------------- */

int store_field_forms_read(const struct store_field_index *index, struct store_sql *sql,
			   const struct res_leaf_question *question, struct field_forms *ret,
			   struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(sql, &sql_list_forms, &rows, err) < 0)
		return -1;
	ret->count = 0;
	while ((result = store_sql_next(rows, err)) > 0) {
		const char *text = store_sql_text(rows, 1);
		bool is_ours = pl_text_equal(text, index->form_text);
		auto_json json_t *form = is_ours ? NULL : pl_json_of_text(text);
		*PL_PUSH(ret->items, ret->count, ret->room) = (struct field_form){
			.id = store_sql_i64(rows, 0),
			.is_accepted = is_ours ||
				       (form != NULL &&
					res_leaf_rules_accept(index->rules, form, question)),
		};
	}
	return result;
}

bool store_field_form_is_accepted(const struct field_forms *forms, int64_t form)
{
	for (size_t i = forms->count; i > 0; i--) {
		if (forms->items[i - 1].id == form)
			return forms->items[i - 1].is_accepted;
	}
	return false;
}

int store_field_form_find(struct store *store, int64_t *ret, struct pl_err *err)
{
	struct store_stmt *find;

	if (store_sql_cached(&store->writer, &sql_find_form, &find, err) < 0)
		return -1;
	store_sql_bind_text(find, 1, store->field_index->form_text);
	return store_sql_number(find, ret, err);
}

int store_field_form_add(struct store *store, int64_t *ret, struct pl_err *err)
{
	struct store_stmt *add;

	/* another process may have added it while this one waited */
	if (store_field_form_find(store, ret, err) < 0)
		return -1;
	if (*ret > 0)
		return 0;
	if (store_sql_cached(&store->writer, &sql_add_form, &add, err) < 0)
		return -1;
	store_sql_bind_text(add, 1, store->field_index->form_text);
	store->field_index->is_form_new = true;
	return store_sql_number(add, ret, err);
}

void store_field_index_doubt(struct store *store)
{
	store->field_index->is_form_doubtful = true;
}

void store_field_index_end(struct store *store, bool is_kept)
{
	struct store_field_index *index = store->field_index;

	if (index->is_form_new && !is_kept)
		index->is_form_doubtful = true;
	index->is_form_new = false;
}

static int check_form(struct store *store, struct pl_err *err)
{
	struct store_field_index *index = store->field_index;

	if (!index->is_form_doubtful)
		return 0;
	if (store_field_form_add(store, &index->form, err) < 0)
		return -1;
	index->is_form_doubtful = false;
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------------- */

void *store_field_index_row(const struct store *store, const struct res_values *values,
			    size_t *ret_len)
{
	auto_leaf_list list = { 0 };

	res_leaves_of(store->field_index->rules, values, store_leaf_list_add, &list);
	return store_leaf_row_pack(&list, ret_len);
}

/* Returns whether the leaf is of a key of the document that edits replace. */
static bool is_edited(const char *path)
{
	size_t len = strcspn(path, ".");

	return (len == 4 && strncmp(path, "tags", len) == 0) ||
	       (len == 6 && strncmp(path, "stored", len) == 0);
}

void *store_field_index_edited(const struct store *store, const void *row, size_t len,
			       const json_t *tags, const struct store_edits *edits, size_t *ret_len)
{
	auto_leaf_list list = { 0 };
	auto_leaf_row reader = { 0 };
	auto_json json_t *bare = json_object();
	struct res_leaf leaf;

	if (tags != NULL)
		json_object_set(bare, "tags", (json_t *)tags);
	auto_json json_t *edited = store_edits_over(edits, bare);
	if (store_leaf_row_open(row, len, &reader, PL_ERR_IGNORED) == 0) {
		while (store_leaf_row_next(&reader, &leaf, PL_ERR_IGNORED) > 0) {
			if (!is_edited(leaf.path))
				store_leaf_list_add(&list, &leaf);
		}
	}
	res_leaves_of_part(store->field_index->rules, edited, store_leaf_list_add, &list);
	return store_leaf_row_pack(&list, ret_len);
}

int store_field_index_put(struct store *store, int64_t id, const void *row, size_t len,
			  struct pl_err *err)
{
	struct store_stmt *put;

	/* columns are filled while the database is upgraded; their documents do not change */
	if (store->field_index->form == 0)
		return 0;
	if (check_form(store, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_put_field_row, &put, err) < 0)
		return -1;
	store_sql_bind_i64(put, 1, id);
	store_sql_bind_i64(put, 2, store->field_index->form);
	store_sql_bind_bytes(put, 3, row, len);
	store->field_index->puts++;
	int result = store_sql_finish_later(put, err);
	/* release the pointer to the row */
	store_sql_clear(put);
	return result;
}

int store_field_index_put_document(struct store *store, int64_t id, const json_t *document,
				   struct pl_err *err)
{
	auto_values struct res_values *values = res_values_new(store->fields, document);
	size_t len;
	auto_free void *row = store_field_index_row(store, values, &len);

	return store_field_index_put(store, id, row, len, err);
}

int store_field_index_put_unknown(struct store *store, int64_t id, struct pl_err *err)
{
	static const struct res_leaf all = { "", "", RES_LEAF_DOCUMENT };
	auto_leaf_list list = { 0 };
	size_t len;

	store_leaf_list_add(&list, &all);
	auto_free void *row = store_leaf_row_pack(&list, &len);
	return store_field_index_put(store, id, row, len, err);
}

/* ---- combining rows into a segment ----------------------------------------------------------- */

/* Rows that are combined, each with its next leaf. */
struct combining {
	struct store *store;
	int64_t segment;
	size_t rows;
	int64_t ids[ROWS_MAX];
	struct store_leaf_row readers[ROWS_MAX];
	struct res_leaf next[ROWS_MAX];
	bool has_next[ROWS_MAX];
	bool is_marked[ROWS_MAX]; /* the row is malformed, and becomes a mark */

	/* the chunk in progress */
	struct res_leaf items[ROWS_MAX];
	uint16_t codes[ROWS_MAX];
	uint16_t slots[SLOTS]; /* code + 0; 0: free */
};

/* A malformed row has no leaf, except for the mark. */
static void advance(struct combining *combining, size_t row)
{
	int result = combining->is_marked[row]
			     ? 0
			     : store_leaf_row_next(&combining->readers[row], &combining->next[row],
						   PL_ERR_IGNORED);

	combining->has_next[row] = result > 0;
}

/* Reads the whole row, and starts again: half of a malformed one would look like a document with fewer fields. */
static bool is_well_formed(struct store_leaf_row *reader)
{
	struct res_leaf leaf;
	int result;

	while ((result = store_leaf_row_next(reader, &leaf, PL_ERR_IGNORED)) > 0)
		continue;
	reader->at = 0;
	reader->before = NULL;
	return result == 0;
}

static void add_row(struct combining *combining, struct store_stmt *statement)
{
	size_t len, row = combining->rows++;
	const void *packed = store_sql_bytes(statement, 1, &len);

	combining->ids[row] = store_sql_i64(statement, 0);
	if (store_leaf_row_open(packed, len, &combining->readers[row], PL_ERR_IGNORED) < 0 ||
	    !is_well_formed(&combining->readers[row])) {
		combining->is_marked[row] = true;
		combining->has_next[row] = true;
		combining->next[row] = (struct res_leaf){ "", "", RES_LEAF_DOCUMENT };
		return;
	}
	advance(combining, row);
}

/* Returns the code of a leaf in the chunk in progress. */
static uint16_t code_of(struct combining *combining, const struct res_leaf *leaf, size_t *count)
{
	uint64_t hash = pl_hash_text(PL_HASH_NONE + leaf->flags, leaf->text);
	size_t at = (size_t)(hash ^ hash >> 32) % SLOTS;

	for (; combining->slots[at] != 0; at = (at + 1) % SLOTS) {
		const struct res_leaf *item = &combining->items[combining->slots[at] - 1];
		if (item->flags == leaf->flags && strcmp(item->text, leaf->text) == 0)
			return combining->slots[at];
	}
	combining->items[(*count)++] = *leaf;
	return combining->slots[at] = (uint16_t)*count;
}

static const char *least_path(const struct combining *combining)
{
	const char *least = NULL;

	for (size_t row = 0; row < combining->rows; row++) {
		if (combining->has_next[row] &&
		    (least == NULL || strcmp(combining->next[row].path, least) < 0))
			least = combining->next[row].path;
	}
	return least;
}

static int write_chunk(struct store *store, const struct store_statement *which, const char *path,
		       int64_t segment, const struct store_leaf_chunk *chunk, struct pl_err *err)
{
	struct store_stmt *write;
	size_t len;
	auto_free void *packed = store_leaf_chunk_pack(chunk, &len);

	if (store_sql_cached(&store->writer, which, &write, err) < 0)
		return -1;
	store_sql_bind_bytes(write, 1, path, strlen(path));
	store_sql_bind_i64(write, 2, segment);
	store_sql_bind_bytes(write, 3, packed, len);
	int result = store_sql_finish_later(write, err);
	store_sql_clear(write);
	return result;
}

static int write_path(struct combining *combining, const char *path, struct pl_err *err)
{
	struct store_leaf_chunk chunk = { .rows = combining->rows,
					  .items = combining->items,
					  .codes = combining->codes };

	memset(combining->slots, 0, sizeof(combining->slots));
	for (size_t row = 0; row < combining->rows; row++) {
		combining->codes[row] = 0;
		/* `path` is in the memory of a row */
		if (combining->has_next[row] && strcmp(combining->next[row].path, path) == 0)
			combining->codes[row] = code_of(combining, &combining->next[row],
							&chunk.count);
	}
	if (write_chunk(combining->store, &sql_add_chunk, path, combining->segment, &chunk, err) <
	    0)
		return -1;
	for (size_t row = 0; row < combining->rows; row++) {
		if (combining->codes[row] != 0)
			advance(combining, row);
	}
	return 0;
}

static int bind_ids(struct store_stmt *statement, int at, const int64_t *ids, size_t count,
		    int64_t *ret, struct pl_err *err)
{
	size_t len;
	auto_free void *packed = store_leaf_ids_pack(ids, count, &len);

	store_sql_bind_i64(statement, at, ids[0]);
	store_sql_bind_i64(statement, at + 1, ids[count - 1]);
	store_sql_bind_bytes(statement, at + 2, packed, len);
	int result = store_sql_number(statement, ret, err);
	store_sql_clear(statement);
	return result;
}

static int write_segment(struct combining *combining, struct pl_err *err)
{
	struct store *store = combining->store;
	int64_t last = combining->ids[combining->rows - 1];
	struct store_stmt *add, *drop;

	if (store_sql_cached(&store->writer, &sql_add_segment, &add, err) < 0)
		return -1;
	store_sql_bind_i64(add, 1, store->field_index->form);
	if (bind_ids(add, 2, combining->ids, combining->rows, &combining->segment, err) < 0)
		return -1;
	for (const char *path; (path = least_path(combining)) != NULL;) {
		if (write_path(combining, path, err) < 0)
			return -1;
	}
	if (store_sql_cached(&store->writer, &sql_drop_field_rows, &drop, err) < 0)
		return -1;
	store_sql_bind_i64(drop, 1, store->field_index->form);
	store_sql_bind_i64(drop, 2, last);
	return store_sql_finish(drop, err);
}

static int combine_rows(struct combining *combining, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(&combining->store->writer, &sql_first_field_rows, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, combining->store->field_index->form);
	store_sql_bind_i64(rows, 2, ROWS_MAX);
	while (combining->rows < ROWS_MAX && (result = store_sql_next(rows, err)) > 0)
		add_row(combining, rows);
	if (combining->rows < ROWS_MAX)
		return result < 0 ? -1 : 0;
	store_sql_reset(rows);
	return write_segment(combining, err);
}

static int combine_some(struct store *store, struct pl_err *err)
{
	auto_free struct combining *combining = pl_alloc(sizeof(*combining));

	combining->store = store;
	int result = combine_rows(combining, err);
	for (size_t row = 0; row < combining->rows; row++)
		store_leaf_row_done(&combining->readers[row]);
	return result;
}

int store_field_index_combine(struct store *store, struct pl_err *err)
{
	struct store_stmt *counter;
	int64_t count = 0;

	if (store->field_index->form == 0 || store->field_index->puts < COUNT_PUTS)
		return 0;
	store->field_index->puts = 0;
	if (store_sql_cached(&store->writer, &sql_count_field_rows, &counter, err) < 0)
		return -1;
	store_sql_bind_i64(counter, 1, store->field_index->form);
	if (store_sql_number(counter, &count, err) < 0)
		return -1;
	for (; count >= ROWS_MAX; count -= ROWS_MAX) {
		if (combine_some(store, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- forgetting ---------------------------------------------------------------------------- */

struct forgetting {
	struct store *store;
	int64_t segment;
	size_t rows; /* before */
	size_t kept[ROWS_MAX];
	size_t kept_count;
};

/* Values that only forgotten rows had are removed, too. */
static int forget_in_chunk(const struct forgetting *forgetting, const char *path,
			   const struct store_leaf_chunk *chunk, struct pl_err *err)
{
	struct store_stmt *drop;
	uint16_t present[ROWS_MAX + 1] = { 0 }, codes[ROWS_MAX];
	struct res_leaf items[ROWS_MAX];
	struct store_leaf_chunk left = { .rows = forgetting->kept_count,
					 .items = items,
					 .codes = codes };

	for (size_t i = 0; i < forgetting->kept_count; i++) {
		uint16_t code = chunk->codes[forgetting->kept[i]];
		if (code != 0 && present[code] == 0) {
			items[left.count++] = chunk->items[code - 1];
			present[code] = (uint16_t)left.count;
		}
		codes[i] = code != 0 ? present[code] : 0;
	}
	if (left.count > 0)
		return write_chunk(forgetting->store, &sql_set_chunk, path, forgetting->segment,
				   &left, err);
	if (store_sql_cached(&forgetting->store->writer, &sql_drop_chunk, &drop, err) < 0)
		return -1;
	store_sql_bind_bytes(drop, 1, path, strlen(path));
	store_sql_bind_i64(drop, 2, forgetting->segment);
	int result = store_sql_finish_later(drop, err);
	store_sql_clear(drop);
	return result;
}

struct packed_chunk {
	char *path;
	void *bytes;
	size_t len;
};

struct packed_chunks {
	struct packed_chunk *items;
	size_t count;
	size_t room;
};

static void packed_chunks_done(struct packed_chunks *chunks)
{
	for (size_t i = 0; i < chunks->count; i++) {
		free(chunks->items[i].path);
		free(chunks->items[i].bytes);
	}
	free(chunks->items);
}

static int read_chunks(struct store *store, int64_t segment, struct packed_chunks *ret,
		       struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(&store->writer, &sql_chunks_of_segment, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, segment);
	while ((result = store_sql_next(rows, err)) > 0) {
		size_t path_len, len;
		const void *path = store_sql_bytes(rows, 0, &path_len);
		const void *bytes = store_sql_bytes(rows, 1, &len);
		*PL_PUSH(ret->items, ret->count, ret->room) = (struct packed_chunk){
			.path = pl_strndup(path != NULL ? path : "", path_len),
			.bytes = pl_memdup(bytes, len),
			.len = len,
		};
	}
	return result;
}

static int drop_segment(struct store *store, int64_t segment, struct pl_err *err)
{
	struct store_stmt *drop;

	if (store_sql_cached(&store->writer, &sql_drop_segment, &drop, err) < 0)
		return -1;
	store_sql_bind_i64(drop, 1, segment);
	return store_sql_finish(drop, err);
}

/*
 * Replaces all chunks by a mark: the results are read from their documents. Without the segment, one before it may have
 * values of these results that are not the present ones.
 */
static int mark_segment(const struct forgetting *forgetting, struct pl_err *err)
{
	struct res_leaf all = { "", "", RES_LEAF_DOCUMENT };
	uint16_t codes[ROWS_MAX];
	const struct store_leaf_chunk mark = {
		.rows = forgetting->kept_count, .count = 1, .items = &all, .codes = codes
	};
	struct store_stmt *drop;

	for (size_t i = 0; i < forgetting->kept_count; i++)
		codes[i] = 1;
	if (store_sql_cached(&forgetting->store->writer, &sql_drop_chunks, &drop, err) < 0)
		return -1;
	store_sql_bind_i64(drop, 1, forgetting->segment);
	if (store_sql_finish(drop, err) < 0)
		return -1;
	return write_chunk(forgetting->store, &sql_add_chunk, "", forgetting->segment, &mark, err);
}

static int forget_in_chunks(const struct forgetting *forgetting, const struct packed_chunks *chunks,
			    struct pl_err *err)
{
	for (size_t i = 0; i < chunks->count; i++) {
		const struct packed_chunk *packed = &chunks->items[i];
		auto_leaf_chunk chunk = { 0 };
		if (store_leaf_chunk_unpack(packed->bytes, packed->len, forgetting->rows, &chunk,
					    PL_ERR_IGNORED) < 0)
			return mark_segment(forgetting, err);
		if (forget_in_chunk(forgetting, packed->path, &chunk, err) < 0)
			return -1;
	}
	return 0;
}

static int rewrite_segment(struct forgetting *forgetting, const int64_t *ids, struct pl_err *err)
{
	__attribute__((cleanup(packed_chunks_done))) struct packed_chunks chunks = { 0 };
	struct store *store = forgetting->store;
	int64_t left[ROWS_MAX], ignored;
	struct store_stmt *set;

	if (read_chunks(store, forgetting->segment, &chunks, err) < 0 ||
	    forget_in_chunks(forgetting, &chunks, err) < 0)
		return -1;
	for (size_t i = 0; i < forgetting->kept_count; i++)
		left[i] = ids[forgetting->kept[i]];
	if (store_sql_cached(&store->writer, &sql_set_segment, &set, err) < 0)
		return -1;
	store_sql_bind_i64(set, 1, forgetting->segment);
	return bind_ids(set, 2, left, forgetting->kept_count, &ignored, err);
}

static int compare_ids(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

struct packed_segment {
	int64_t id;
	size_t rows;
	int64_t ids[ROWS_MAX];
};

static int forget_in_segment(struct store *store, const struct packed_segment *segment,
			     const int64_t *ids, size_t count, struct pl_err *err)
{
	struct forgetting forgetting = { .store = store,
					 .segment = segment->id,
					 .rows = segment->rows };

	for (size_t i = 0; i < segment->rows; i++) {
		if (bsearch(&segment->ids[i], ids, count, sizeof(*ids), compare_ids) == NULL)
			forgetting.kept[forgetting.kept_count++] = i;
	}
	/* also if its ids are malformed: while it exists, all results are read from their documents */
	if (forgetting.kept_count == segment->rows)
		return 0;
	return forgetting.kept_count == 0 ? drop_segment(store, segment->id, err)
					  : rewrite_segment(&forgetting, segment->ids, err);
}

int store_field_index_forget(struct store *store, const int64_t *ids, size_t count,
			     struct pl_err *err)
{
	auto_free struct packed_segment *segments = NULL;
	size_t found = 0, room = 0;
	auto_borrowed rows = NULL;
	int result;

	if (count == 0)
		return 0;
	if (store_sql_cached(&store->writer, &sql_segments_with, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, ids[count - 1]);
	store_sql_bind_i64(rows, 2, ids[0]);
	while ((result = store_sql_next(rows, err)) > 0) {
		struct packed_segment *segment = PL_PUSH(segments, found, room);
		size_t len;
		const void *packed = store_sql_bytes(rows, 1, &len);
		segment->id = store_sql_i64(rows, 0);
		if (store_leaf_ids_unpack(packed, len, segment->ids, &segment->rows,
					  PL_ERR_IGNORED) < 0)
			segment->rows = 0;
	}
	for (size_t i = 0; result == 0 && i < found; i++)
		result = forget_in_segment(store, &segments[i], ids, count, err);
	return result;
}
