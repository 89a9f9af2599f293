#include "store/field_index/leaf_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/zst.h"

#define ARENA_BLOCK_BYTES 32768
/* Shorter blocks do not get smaller. */
#define PLAIN_BYTES_MAX 128
#define PLAIN           0
#define PACKED          1
#define NUMBER_BYTES    10

/* ---- numbers and texts --------------------------------------------------------------------- */

static void put_number(struct pl_buf *buf, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		pl_buf_add_char(buf, (char)(0x80 | (number & 0x7f)));
	pl_buf_add_char(buf, (char)number);
}

struct reader {
	const char *bytes;
	size_t len;
	size_t at;
};

static bool get_number(struct reader *reader, uint64_t *ret)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < NUMBER_BYTES && reader->at < reader->len; i++) {
		unsigned char byte = (unsigned char)reader->bytes[reader->at++];
		number |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*ret = number;
			return true;
		}
	}
	return false;
}

/* A text of a known length, with its NUL. */
static const char *get_text(struct reader *reader, size_t max)
{
	uint64_t len;

	if (!get_number(reader, &len) || len > max || len >= reader->len - reader->at)
		return NULL;
	const char *text = reader->bytes + reader->at;
	if (text[len] != '\0' || memchr(text, '\0', len) != NULL)
		return NULL;
	reader->at += len + 1;
	return text;
}

static void put_text(struct pl_buf *buf, const char *text)
{
	size_t len = strlen(text);

	put_number(buf, len);
	pl_buf_add(buf, text, len + 1);
}

/* The leaf without its path. */
static void put_value(struct pl_buf *buf, const struct res_leaf *leaf)
{
	pl_buf_add_char(buf, (char)leaf->flags);
	put_text(buf, leaf->text);
}

static bool get_value(struct reader *reader, struct res_leaf *ret)
{
	if (reader->at >= reader->len)
		return false;
	ret->flags = (unsigned char)reader->bytes[reader->at++];
	ret->text = get_text(reader, RES_LEAF_TEXT_BYTES_MAX);
	return ret->text != NULL;
}

static void *pack(const struct pl_buf *buf, size_t *ret_len)
{
	size_t len = 0;
	auto_free char *packed = buf->len > PLAIN_BYTES_MAX
					 ? pl_zst_pack_brief(buf->data, buf->len, &len)
					 : NULL;
	bool is_packed = packed != NULL && len < buf->len;
	const char *bytes = is_packed ? packed : pl_buf_text(buf);

	len = is_packed ? len : buf->len;
	char *made = pl_alloc(len + 1);
	made[0] = is_packed ? PACKED : PLAIN;
	memcpy(made + 1, bytes, len);
	*ret_len = len + 1;
	return made;
}

static int invalid(const char *what, struct pl_err *err)
{
	return pl_err_invalid(err, "a %s of the field index is malformed", what);
}

static int unpack(const void *packed, size_t len, size_t max, const char *what, char **ret,
		  size_t *ret_len, struct pl_err *err)
{
	const char *bytes = packed;

	if (len == 0 || bytes == NULL || (bytes[0] != PLAIN && bytes[0] != PACKED))
		return invalid(what, err);
	if (bytes[0] == PACKED)
		return pl_zst_unpack(bytes + 1, len - 1, max, what, ret, ret_len, err);
	if (len - 1 > max)
		return invalid(what, err);
	*ret = pl_alloc(len);
	memcpy(*ret, bytes + 1, len - 1);
	*ret_len = len - 1;
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------------- */

void store_leaf_list_add(void *list, const struct res_leaf *leaf)
{
	struct store_leaf_list *leaves = list;
	size_t path_len = strlen(leaf->path), text_len = strlen(leaf->text);

	/* one more than fits: the row becomes a mark */
	if (leaves->count > RES_LEAF_COUNT_MAX || leaves->bytes > STORE_LEAF_ROW_BYTES_MAX)
		return;
	if (leaves->arena == NULL)
		leaves->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	leaves->bytes += path_len + text_len + 8;
	*PL_PUSH(leaves->items, leaves->count, leaves->room) = (struct res_leaf){
		.path = pl_arena_strndup(leaves->arena, leaf->path, path_len),
		.text = pl_arena_strndup(leaves->arena, leaf->text, text_len),
		.flags = leaf->flags,
	};
}

void store_leaf_list_done(struct store_leaf_list *list)
{
	free(list->items);
	pl_arena_free(list->arena);
	*list = (struct store_leaf_list){ 0 };
}

static int compare_leaves(const void *a, const void *b)
{
	const struct res_leaf *one = a, *other = b;

	return strcmp(one->path, other->path);
}

static void put_leaf(struct pl_buf *buf, const struct res_leaf *leaf)
{
	put_text(buf, leaf->path);
	put_value(buf, leaf);
}

void *store_leaf_row_pack(struct store_leaf_list *list, size_t *ret_len)
{
	auto_buf buf = PL_BUF(2 * STORE_LEAF_ROW_BYTES_MAX);
	static const struct res_leaf all = { .path = "", .text = "", .flags = RES_LEAF_DOCUMENT };

	if (list->count > RES_LEAF_COUNT_MAX || list->bytes > STORE_LEAF_ROW_BYTES_MAX) {
		put_leaf(&buf, &all);
		return pack(&buf, ret_len);
	}
	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), compare_leaves);
	for (size_t i = 0; i < list->count;) {
		struct res_leaf leaf = list->items[i];
		size_t next = i + 1;
		for (; next < list->count && strcmp(list->items[next].path, leaf.path) == 0;
		     next++) {
			bool are_split = leaf.flags == RES_LEAF_SPLIT &&
					 list->items[next].flags == RES_LEAF_SPLIT;
			if (!are_split)
				leaf = (struct res_leaf){ leaf.path, "", RES_LEAF_DOCUMENT };
		}
		put_leaf(&buf, &leaf);
		i = next;
	}
	return pack(&buf, ret_len);
}

int store_leaf_row_open(const void *packed, size_t len, struct store_leaf_row *ret,
			struct pl_err *err)
{
	*ret = (struct store_leaf_row){ 0 };
	return unpack(packed, len, 2 * STORE_LEAF_ROW_BYTES_MAX, "row", &ret->bytes, &ret->len,
		      err);
}

int store_leaf_row_next(struct store_leaf_row *row, struct res_leaf *ret, struct pl_err *err)
{
	struct reader reader = { row->bytes, row->len, row->at };

	if (row->at >= row->len)
		return 0;
	ret->path = get_text(&reader, RES_LEAF_PATH_BYTES_MAX + 16);
	if (ret->path == NULL || !get_value(&reader, ret) ||
	    (row->before != NULL && strcmp(row->before, ret->path) >= 0))
		return invalid("row", err);
	row->at = reader.at;
	row->before = ret->path;
	return 1;
}

void store_leaf_row_done(struct store_leaf_row *row)
{
	free(row->bytes);
	*row = (struct store_leaf_row){ 0 };
}

/* ---- chunks -------------------------------------------------------------------------------- */

void *store_leaf_chunk_pack(const struct store_leaf_chunk *chunk, size_t *ret_len)
{
	auto_buf buf = PL_BUF(2 * STORE_LEAF_CHUNK_BYTES_MAX);
	size_t same = 1;

	put_number(&buf, chunk->rows);
	put_number(&buf, chunk->count);
	for (size_t i = 0; i < chunk->count; i++)
		put_value(&buf, &chunk->items[i]);
	/* runs of codes */
	for (size_t i = 0; i < chunk->rows; i += same) {
		for (same = 1; i + same < chunk->rows && chunk->codes[i + same] == chunk->codes[i];)
			same++;
		put_number(&buf, chunk->codes[i]);
		put_number(&buf, same);
	}
	return pack(&buf, ret_len);
}

static bool read_codes(struct reader *reader, struct store_leaf_chunk *chunk)
{
	for (size_t at = 0; at < chunk->rows;) {
		uint64_t code, same;
		if (!get_number(reader, &code) || !get_number(reader, &same) ||
		    code > chunk->count || same == 0 || same > chunk->rows - at)
			return false;
		while (same-- > 0)
			chunk->codes[at++] = (uint16_t)code;
	}
	return reader->at == reader->len;
}

static bool read_chunk(struct reader *reader, size_t rows, struct store_leaf_chunk *chunk)
{
	uint64_t found, count;

	if (!get_number(reader, &found) || !get_number(reader, &count) || found != rows ||
	    rows > STORE_LEAF_SEGMENT_ROWS || count > rows)
		return false;
	chunk->rows = rows;
	chunk->count = count;
	chunk->items = pl_alloc_array(count, sizeof(*chunk->items));
	chunk->codes = pl_alloc_array(rows, sizeof(*chunk->codes));
	for (size_t i = 0; i < count; i++) {
		if (!get_value(reader, &chunk->items[i]))
			return false;
	}
	return read_codes(reader, chunk);
}

int store_leaf_chunk_unpack(const void *packed, size_t len, size_t rows,
			    struct store_leaf_chunk *ret, struct pl_err *err)
{
	struct reader reader = { 0 };

	*ret = (struct store_leaf_chunk){ 0 };
	if (unpack(packed, len, 2 * STORE_LEAF_CHUNK_BYTES_MAX, "chunk", &ret->bytes, &reader.len,
		   err) < 0)
		return -1;
	reader.bytes = ret->bytes;
	if (read_chunk(&reader, rows, ret))
		return 0;
	store_leaf_chunk_done(ret);
	return invalid("chunk", err);
}

void store_leaf_chunk_done(struct store_leaf_chunk *chunk)
{
	free(chunk->items);
	free(chunk->codes);
	free(chunk->bytes);
	*chunk = (struct store_leaf_chunk){ 0 };
}

/* ---- ids ----------------------------------------------------------------------------------- */

void *store_leaf_ids_pack(const int64_t *ids, size_t count, size_t *ret_len)
{
	auto_buf buf = PL_BUF(STORE_LEAF_SEGMENT_ROWS * NUMBER_BYTES);
	int64_t before = 0;

	for (size_t i = 0; i < count; i++) {
		put_number(&buf, (uint64_t)(ids[i] - before));
		before = ids[i];
	}
	*ret_len = buf.len;
	return pl_buf_take(&buf);
}

int store_leaf_ids_unpack(const void *packed, size_t len, int64_t ids[STORE_LEAF_SEGMENT_ROWS],
			  size_t *ret_count, struct pl_err *err)
{
	struct reader reader = { packed, len, 0 };
	uint64_t distance;
	int64_t id = 0;
	size_t count = 0;

	while (reader.at < reader.len) {
		if (count == STORE_LEAF_SEGMENT_ROWS || !get_number(&reader, &distance) ||
		    distance == 0 || distance > (uint64_t)(INT64_MAX - id))
			return invalid("segment", err);
		ids[count++] = id += (int64_t)distance;
	}
	*ret_count = count;
	return 0;
}
