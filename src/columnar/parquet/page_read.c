/*
 * Reads the pages of a chunk:
 *
 *	head -> decompressed bytes -> levels (which rows are null) -> values, or codes of the dictionary
 */
#include <stdlib.h>

#include <zlib.h>

#include "columnar/parquet/parquet_priv.h"

/* An array with the memory of the widest value. */
struct store {
	void *items;
	size_t room; /* bytes */
};

/* Decoded values, in the form of struct columnar_values. */
struct decoded {
	struct store store;
	char *bytes; /* owned: texts point into it */
	size_t count;
};

struct columnar_parquet_cursor {
	const struct columnar_parquet *parquet;
	size_t group;
	const struct columnar_field *field;
	const struct parquet_column *column;
	const struct parquet_part *part;
	size_t at; /* offset in the file of the next page */
	size_t end;
	int64_t done; /* entries: values, nulls and empty lists */
	bool has_dictionary;
	struct decoded dictionary;
	struct decoded page;
	struct store defs; /* levels of the entries of a page, if they may differ */
	struct store reps;
	struct store codes;
	struct store nulls;
};

struct columnar_parquet_cursor *columnar_parquet_cursor_new(const struct columnar_parquet *parquet,
							    size_t group, size_t column)
{
	struct columnar_parquet_cursor *cursor = pl_alloc(sizeof(*cursor));
	const struct parquet_part *part = &parquet->parts[group * parquet->schema.count + column];

	*cursor = (struct columnar_parquet_cursor){ .parquet = parquet,
						    .group = group,
						    .field = &parquet->schema.fields[column],
						    .column = &parquet->columns[column],
						    .part = part,
						    .at = (size_t)part->begin,
						    .end = (size_t)(part->begin + part->bytes) };
	return cursor;
}

void columnar_parquet_cursor_free(struct columnar_parquet_cursor *cursor)
{
	if (cursor == NULL)
		return;
	free(cursor->dictionary.store.items);
	free(cursor->dictionary.bytes);
	free(cursor->page.store.items);
	free(cursor->page.bytes);
	free(cursor->defs.items);
	free(cursor->reps.items);
	free(cursor->codes.items);
	free(cursor->nulls.items);
	free(cursor);
}

static void *room_for(struct store *store, size_t count, size_t size)
{
	if (count * size > store->room || store->items == NULL) {
		free(store->items);
		store->room = count * size;
		store->items = pl_alloc(store->room);
	}
	return store->items;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int64_t time_us(int64_t number, enum parquet_unit unit, bool *is_valid)
{
	int64_t result = number;

	if (unit == PARQUET_MILLIS && __builtin_mul_overflow(number, 1000, &result))
		*is_valid = false;
	else if (unit == PARQUET_NANOS)
		result = number / 1000 - (number % 1000 < 0);
	return result;
}

/* Sets a number from its stored bits. Returns false if it does not fit. */
static bool set_int(const struct parquet_column *column, uint64_t bits, int64_t *ret)
{
	bool is_valid = true;

	if (column->type == PARQUET_INT32)
		bits = column->is_unsigned ? (uint32_t)bits : (uint64_t)(int64_t)(int32_t)bits;
	else if (column->is_unsigned && bits > INT64_MAX)
		is_valid = false;
	*ret = time_us((int64_t)bits, column->unit, &is_valid);
	return is_valid;
}

static int read_ints(const struct parquet_column *column, const uint8_t *at, size_t len,
		     size_t count, int64_t *ret, struct pl_err *err)
{
	size_t size = column->type == PARQUET_INT32 ? 4 : 8;
	bool is_valid = true;

	if (len / size < count)
		return pl_err_invalid(err, "found %zu bytes of values, expected %zu of %zu", len,
				      count, size);
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = size == 8 ? COLUMNAR_GET(uint64_t, at + i * 8)
					  : COLUMNAR_GET(uint32_t, at + i * 4);
		is_valid = set_int(column, bits, &ret[i]) && is_valid;
	}
	return is_valid ? 0 : pl_err_invalid(err, "found a number above 2^63 - 1");
}

static int read_floats(const struct parquet_column *column, const uint8_t *at, size_t len,
		       size_t count, double *ret, struct pl_err *err)
{
	size_t size = column->type == PARQUET_FLOAT ? 4 : 8;

	if (len / size < count)
		return pl_err_invalid(err, "found %zu bytes of values, expected %zu of %zu", len,
				      count, size);
	for (size_t i = 0; i < count; i++)
		ret[i] = size == 8 ? COLUMNAR_GET(double, at + i * size)
				   : (double)COLUMNAR_GET(float, at + i * size);
	return 0;
}

static int check_texts(const struct parquet_column *column, const struct columnar_text *texts,
		       size_t count, struct pl_err *err)
{
	for (size_t i = 0; i < count && !column->is_bytes; i++) {
		if (!columnar_is_utf8(texts[i].bytes, texts[i].len))
			return pl_err_invalid(err, "text %zu is not UTF-8", i);
	}
	return 0;
}

static int read_texts(const struct parquet_column *column, const uint8_t *at, size_t len,
		      size_t count, struct columnar_text *ret, struct pl_err *err)
{
	const uint8_t *end = at + len;

	for (size_t i = 0; i < count; i++) {
		if (end - at < 4 || COLUMNAR_GET(uint32_t, at) > (size_t)(end - at) - 4)
			return pl_err_invalid(err, "text %zu ends after the page", i);
		ret[i] = (struct columnar_text){ (const char *)at + 4, COLUMNAR_GET(uint32_t, at) };
		at += 4 + ret[i].len;
	}
	return check_texts(column, ret, count, err);
}

static int read_fixed(const struct parquet_column *column, const uint8_t *at, size_t len,
		      size_t count, struct columnar_text *ret, struct pl_err *err)
{
	size_t size = (size_t)column->fixed_len;

	if (len / size < count)
		return pl_err_invalid(err, "found %zu bytes of values, expected %zu of %zu", len,
				      count, size);
	for (size_t i = 0; i < count; i++)
		ret[i] = (struct columnar_text){ (const char *)at + i * size, size };
	return 0;
}

static int read_yes(const uint8_t *at, size_t len, size_t count, uint8_t *ret, struct pl_err *err)
{
	if (len < (count + 7) / 8)
		return pl_err_invalid(err, "found %zu bytes of values, expected %zu bits", len,
				      count);
	for (size_t i = 0; i < count; i++)
		ret[i] = at[i / 8] >> i % 8 & 1;
	return 0;
}

static size_t size_of(enum columnar_type type)
{
	return type == COLUMNAR_TEXT ? sizeof(struct columnar_text) : type == COLUMNAR_YES ? 1 : 8;
}

/* `count` is at most the rows of the limits. */
static int read_plain(const struct columnar_parquet_cursor *cursor, const uint8_t *at, size_t len,
		      size_t count, struct decoded *ret, struct pl_err *err)
{
	enum columnar_type type = cursor->field->type;
	void *items = room_for(&ret->store, count, size_of(type));

	ret->count = count;
	switch (type) {
	case COLUMNAR_YES:
		return read_yes(at, len, count, items, err);
	case COLUMNAR_F64:
		return read_floats(cursor->column, at, len, count, items, err);
	case COLUMNAR_TEXT:
		return cursor->column->type == PARQUET_FIXED_LEN_BYTE_ARRAY
			       ? read_fixed(cursor->column, at, len, count, items, err)
			       : read_texts(cursor->column, at, len, count, items, err);
	default:
		return read_ints(cursor->column, at, len, count, items, err);
	}
}

static void set_values(const struct columnar_parquet_cursor *cursor, const struct decoded *decoded,
		       struct columnar_values *ret)
{
	const void *items = decoded->store.items;

	ret->distinct = decoded->count;
	switch (cursor->field->type) {
	case COLUMNAR_YES:
		ret->yes = items;
		break;
	case COLUMNAR_F64:
		ret->f64 = items;
		break;
	case COLUMNAR_TEXT:
		ret->texts = items;
		break;
	default:
		ret->i64 = items;
		break;
	}
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The decompressed body of a page. */
struct body {
	char *owned;
	const uint8_t *defs; /* levels; NULL: none are stored */
	size_t def_len;
	const uint8_t *reps;
	size_t rep_len;
	const uint8_t *values;
	size_t len;
};

static void body_done(struct body *body)
{
	free(body->owned);
}

static int unpack(const struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		  const uint8_t *at, size_t len, size_t plain, struct body *ret, struct pl_err *err)
{
	static const enum columnar_codec codecs[] = { [PARQUET_SNAPPY] = COLUMNAR_SNAPPY,
						      [PARQUET_GZIP] = COLUMNAR_GZIP,
						      [PARQUET_ZSTD] = COLUMNAR_ZSTD };
	enum columnar_codec codec = codecs[cursor->part->codec];

	if (codec == COLUMNAR_PLAIN || !head->is_packed) {
		ret->values = at;
		ret->len = len;
		return len == plain
			       ? 0
			       : pl_err_invalid(err, "found %zu bytes, expected %zu", len, plain);
	}
	if (plain == 0)
		return 0;
	if (columnar_unpack(codec, at, len, plain, &ret->owned, err) < 0)
		return -1;
	ret->values = (const uint8_t *)ret->owned;
	ret->len = plain;
	return 0;
}

/* The length of levels precedes them. */
static int take_levels(struct body *body, const uint8_t **ret, size_t *ret_len, struct pl_err *err)
{
	if (body->len < 4 || COLUMNAR_GET(uint32_t, body->values) > body->len - 4)
		return pl_err_invalid(err, "the levels end after the page");
	*ret_len = COLUMNAR_GET(uint32_t, body->values);
	*ret = body->values + 4;
	body->values += 4 + *ret_len;
	body->len -= 4 + *ret_len;
	return 0;
}

static int open_v1(const struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		   const uint8_t *at, struct body *ret, struct pl_err *err)
{
	if (unpack(cursor, head, at, (size_t)head->bytes, (size_t)head->plain_bytes, ret, err) < 0)
		return -1;
	if (head->type != PARQUET_DATA_PAGE)
		return 0;
	if (cursor->column->max_def > 0 && head->level_encoding != PARQUET_RLE)
		return pl_err_invalid(err, "found definition levels of encoding %lld, expected RLE",
				      (long long)head->level_encoding);
	if (cursor->column->max_rep > 0 && head->repeat_encoding != PARQUET_RLE)
		return pl_err_invalid(err, "found repetition levels of encoding %lld, expected RLE",
				      (long long)head->repeat_encoding);
	if ((cursor->column->max_rep > 0 && take_levels(ret, &ret->reps, &ret->rep_len, err) < 0) ||
	    (cursor->column->max_def > 0 && take_levels(ret, &ret->defs, &ret->def_len, err) < 0))
		return -1;
	return 0;
}

static int open_v2(const struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		   const uint8_t *at, struct body *ret, struct pl_err *err)
{
	const struct parquet_column *column = cursor->column;
	int64_t left = head->bytes < head->plain_bytes ? head->bytes : head->plain_bytes;

	if (head->repeat_bytes < 0 || head->level_bytes < 0 || head->repeat_bytes > left ||
	    head->level_bytes > left - head->repeat_bytes ||
	    (column->max_rep == 0 && head->repeat_bytes != 0) ||
	    (column->max_def == 0 && head->level_bytes != 0))
		return pl_err_invalid(err, "found %lld and %lld bytes of levels in %lld bytes",
				      (long long)head->repeat_bytes, (long long)head->level_bytes,
				      (long long)head->bytes);
	size_t reps = (size_t)head->repeat_bytes, defs = (size_t)head->level_bytes;
	if (unpack(cursor, head, at + reps + defs, (size_t)head->bytes - reps - defs,
		   (size_t)head->plain_bytes - reps - defs, ret, err) < 0)
		return -1;
	if (column->max_rep > 0) {
		ret->reps = at;
		ret->rep_len = reps;
	}
	if (column->max_def > 0) {
		ret->defs = at + reps;
		ret->def_len = defs;
	}
	return 0;
}

static int read_levels(const uint8_t *from, size_t len, uint32_t max, const char *name,
		       size_t count, uint32_t *ret, struct pl_err *err)
{
	uint32_t highest = 0;

	if (columnar_hybrid_read(from, len, columnar_bits((size_t)max + 1), count, ret) < 0)
		return pl_err_invalid(err, "the %s levels are malformed", name);
	for (size_t i = 0; i < count; i++)
		highest = ret[i] > highest ? ret[i] : highest;
	if (highest > max)
		return pl_err_invalid(err, "found %s level %u, expected at most %u", name, highest,
				      max);
	return 0;
}

/* Returns the number of entries without a value through ret_nulls. */
static int read_all_levels(struct columnar_parquet_cursor *cursor, const struct body *body,
			   size_t count, size_t *ret_nulls, struct pl_err *err)
{
	const struct parquet_column *column = cursor->column;
	uint32_t *defs = room_for(&cursor->defs, count, sizeof(*defs));
	uint32_t *reps = room_for(&cursor->reps, column->max_rep > 0 ? count : 0, sizeof(*reps));

	*ret_nulls = 0;
	if (body->reps != NULL && read_levels(body->reps, body->rep_len, column->max_rep,
					      "repetition", count, reps, err) < 0)
		return -1;
	if (body->defs == NULL)
		return 0;
	if (read_levels(body->defs, body->def_len, column->max_def, "definition", count, defs,
			err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		*ret_nulls += defs[i] != column->max_def;
	return 0;
}

static int read_coded(struct columnar_parquet_cursor *cursor, const struct body *body, size_t rows,
		      size_t nulls, struct columnar_values *ret, struct pl_err *err)
{
	uint32_t *codes = room_for(&cursor->codes, rows, sizeof(*codes));
	const uint32_t *defs = cursor->defs.items, max = cursor->column->max_def;
	size_t left = rows - nulls;

	if (!cursor->has_dictionary)
		return pl_err_invalid(err, "the dictionary is missing");
	if (left > 0 && (body->len == 0 || body->values[0] > 32))
		return pl_err_invalid(err, "the width of the codes is missing or above 32 bits");
	if (left > 0 &&
	    columnar_hybrid_read(body->values + 1, body->len - 1, body->values[0], left, codes) < 0)
		return pl_err_invalid(err, "the codes are malformed");
	for (size_t i = 0; i < left; i++) {
		if (codes[i] >= cursor->dictionary.count)
			return pl_err_invalid(err, "found code %u, the dictionary has %zu values",
					      codes[i], cursor->dictionary.count);
	}
	/* moves the codes to their rows, from the last one */
	for (size_t row = rows; nulls > 0 && row-- > 0;)
		codes[row] = defs[row] != max ? COLUMNAR_NULL : codes[--left];
	ret->codes = codes;
	set_values(cursor, &cursor->dictionary, ret);
	return 0;
}

/* Booleans may be stored as runs: their length precedes them. */
static int read_yes_runs(struct columnar_parquet_cursor *cursor, const struct body *body,
			 size_t count, struct pl_err *err)
{
	uint32_t *numbers = room_for(&cursor->codes, count, sizeof(*numbers));
	uint8_t *yes = room_for(&cursor->page.store, count, 1);

	if (body->len < 4 ||
	    columnar_hybrid_read(body->values + 4, body->len - 4, 1, count, numbers) < 0)
		return pl_err_invalid(err, "the runs are malformed");
	for (size_t i = 0; i < count; i++)
		yes[i] = numbers[i] != 0;
	cursor->page.count = count;
	return 0;
}

static int read_deltas(struct columnar_parquet_cursor *cursor, const struct body *body,
		       size_t count, struct pl_err *err)
{
	const struct parquet_column *column = cursor->column;
	int64_t *numbers = room_for(&cursor->page.store, count, sizeof(*numbers));
	bool is_valid = true;

	cursor->page.count = count;
	if (columnar_delta_ints(body->values, body->len, count, numbers, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		is_valid = set_int(column, (uint64_t)numbers[i], &numbers[i]) && is_valid;
	return is_valid ? 0 : pl_err_invalid(err, "found a number above 2^63 - 1");
}

/* Prefixed texts need memory of their own, which replaces that of the body. */
static int read_delta_texts(struct columnar_parquet_cursor *cursor, bool is_prefixed,
			    struct body *body, size_t count, struct pl_err *err)
{
	struct columnar_text *texts = room_for(&cursor->page.store, count, sizeof(*texts));
	char *bytes = NULL;

	cursor->page.count = count;
	if (!is_prefixed)
		return columnar_delta_texts(body->values, body->len, count, texts, err) < 0
			       ? -1
			       : check_texts(cursor->column, texts, count, err);
	if (columnar_delta_prefixed(body->values, body->len, count, cursor->parquet->limits.bytes,
				    texts, &bytes, err) < 0)
		return -1;
	free(body->owned);
	body->owned = bytes;
	return check_texts(cursor->column, texts, count, err);
}

/* The first bytes of all values, then the second ones, and so on. */
static int read_split(struct columnar_parquet_cursor *cursor, struct body *body, size_t count,
		      struct pl_err *err)
{
	const struct parquet_column *column = cursor->column;
	size_t size = column->type == PARQUET_FIXED_LEN_BYTE_ARRAY ? (size_t)column->fixed_len
		      : column->type == PARQUET_FLOAT || column->type == PARQUET_INT32 ? 4
										       : 8;

	if (body->len / size < count)
		return pl_err_invalid(err, "found %zu bytes of values, expected %zu of %zu",
				      body->len, count, size);
	char *bytes = pl_alloc(count * size);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < size; k++)
			bytes[i * size + k] = (char)body->values[k * count + i];
	}
	free(body->owned);
	body->owned = bytes;
	return read_plain(cursor, (const uint8_t *)bytes, count * size, count, &cursor->page, err);
}

/* Returns whether values of the type have the encoding. */
static bool fits(enum columnar_type type, enum parquet_type stored, int64_t encoding)
{
	bool is_int = type == COLUMNAR_I64 || type == COLUMNAR_TIME;

	switch (encoding) {
	case PARQUET_PLAIN:
		return true;
	case PARQUET_RLE:
		return type == COLUMNAR_YES;
	case PARQUET_DELTA_BINARY_PACKED:
		return is_int;
	case PARQUET_DELTA_LENGTH_BYTE_ARRAY:
		return stored == PARQUET_BYTE_ARRAY;
	case PARQUET_DELTA_BYTE_ARRAY:
		return type == COLUMNAR_TEXT;
	case PARQUET_BYTE_STREAM_SPLIT:
		return is_int || type == COLUMNAR_F64 || stored == PARQUET_FIXED_LEN_BYTE_ARRAY;
	default:
		return false;
	}
}

static int read_encoded(struct columnar_parquet_cursor *cursor, int64_t encoding, struct body *body,
			size_t count, struct pl_err *err)
{
	if (!fits(cursor->field->type, cursor->column->type, encoding))
		return pl_err_invalid(
			err,
			"found encoding %lld, expected 0 (PLAIN), 2 or 8 (dictionary), 3 (RLE) for "
			"booleans, 5 (DELTA_BINARY_PACKED) for integers, 6 or 7 (delta lengths, "
			"delta) for texts, or 9 (BYTE_STREAM_SPLIT) for numbers",
			(long long)encoding);
	switch (encoding) {
	case PARQUET_RLE:
		return read_yes_runs(cursor, body, count, err);
	case PARQUET_DELTA_BINARY_PACKED:
		return read_deltas(cursor, body, count, err);
	case PARQUET_DELTA_LENGTH_BYTE_ARRAY:
	case PARQUET_DELTA_BYTE_ARRAY:
		return read_delta_texts(cursor, encoding == PARQUET_DELTA_BYTE_ARRAY, body, count,
					err);
	case PARQUET_BYTE_STREAM_SPLIT:
		return read_split(cursor, body, count, err);
	default:
		return read_plain(cursor, body->values, body->len, count, &cursor->page, err);
	}
}

static int read_direct(struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		       struct body *body, size_t rows, size_t nulls, struct columnar_values *ret,
		       struct pl_err *err)
{
	const uint32_t *defs = cursor->defs.items, max = cursor->column->max_def;

	if (read_encoded(cursor, head->encoding, body, rows - nulls, err) < 0)
		return -1;
	free(cursor->page.bytes);
	cursor->page.bytes = pl_take(body->owned);
	set_values(cursor, &cursor->page, ret);
	if (nulls == 0)
		return 0;
	uint32_t *codes = room_for(&cursor->codes, rows, sizeof(*codes)), next = 0;
	for (size_t row = 0; row < rows; row++)
		codes[row] = defs[row] != max ? COLUMNAR_NULL : next++;
	ret->codes = codes;
	return 0;
}

static int read_dictionary(struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
			   struct body *body, struct pl_err *err)
{
	if (cursor->has_dictionary || cursor->done > 0 || cursor->field->type == COLUMNAR_YES)
		return pl_err_invalid(err, "found an unexpected dictionary");
	if (head->encoding != PARQUET_PLAIN && head->encoding != PARQUET_PLAIN_DICTIONARY)
		return pl_err_invalid(err, "found a dictionary of encoding %lld, expected PLAIN",
				      (long long)head->encoding);
	if (read_plain(cursor, body->values, body->len, (size_t)head->values, &cursor->dictionary,
		       err) < 0)
		return -1;
	cursor->dictionary.bytes = pl_take(body->owned);
	cursor->has_dictionary = true;
	return 0;
}

static int read_data(struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		     struct body *body, struct columnar_values *ret, struct pl_err *err)
{
	size_t rows = (size_t)head->values, nulls;

	if (head->values > cursor->part->values - cursor->done)
		return pl_err_invalid(err, "found %zu rows, expected at most %lld", rows,
				      (long long)(cursor->part->values - cursor->done));
	*ret = (struct columnar_values){ .count = rows };
	if (read_all_levels(cursor, body, rows, &nulls, err) < 0)
		return -1;
	bool is_coded = head->encoding == PARQUET_RLE_DICTIONARY ||
			head->encoding == PARQUET_PLAIN_DICTIONARY;
	if ((is_coded ? read_coded(cursor, body, rows, nulls, ret, err)
		      : read_direct(cursor, head, body, rows, nulls, ret, err)) < 0)
		return -1;
	cursor->done += head->values;
	return 0;
}

static int read_page(struct columnar_parquet_cursor *cursor, struct columnar_values *ret,
		     struct pl_err *err)
{
	const uint8_t *file = cursor->parquet->bytes;
	const struct columnar_limits *limits = &cursor->parquet->limits;
	struct thrift_in in = { file, file + cursor->at, file + cursor->end, NULL };
	struct parquet_head head;
	__attribute__((cleanup(body_done))) struct body body = { 0 };

	if (columnar_parquet_head_read(&in, &head, err) < 0)
		return -1;
	cursor->at = (size_t)(in.at - file) + (size_t)head.bytes;
	if (head.type != PARQUET_DATA_PAGE && head.type != PARQUET_DICTIONARY_PAGE &&
	    head.type != PARQUET_DATA_PAGE_V2)
		return 0; /* pages of another kind hold no values */
	if (head.plain_bytes < 0 || (uint64_t)head.plain_bytes > limits->bytes ||
	    (uint64_t)head.values > limits->rows)
		return pl_err_invalid(err,
				      "found %lld values in %lld bytes, the limits are %zu and %zu",
				      (long long)head.values, (long long)head.plain_bytes,
				      limits->rows, limits->bytes);
	if (head.has_crc && crc32(0, in.at, (uInt)head.bytes) != head.crc)
		return pl_err_invalid(err, "its checksum does not match");
	if ((head.type == PARQUET_DATA_PAGE_V2 ? open_v2(cursor, &head, in.at, &body, err)
					       : open_v1(cursor, &head, in.at, &body, err)) < 0)
		return -1;
	return head.type == PARQUET_DICTIONARY_PAGE ? read_dictionary(cursor, &head, &body, err)
						    : read_data(cursor, &head, &body, ret, err);
}

int columnar_parquet_next(struct columnar_parquet_cursor *cursor, struct columnar_values *ret,
			  struct pl_err *err)
{
	struct columnar_values values = { 0 };

	while (values.count == 0 && cursor->done < cursor->part->values) {
		size_t at = cursor->at;
		if (at >= cursor->end)
			return pl_err_invalid(
				err, "row group %zu, column '%s': found %lld rows, expected %lld",
				cursor->group, cursor->field->name, (long long)cursor->done,
				(long long)cursor->part->values);
		if (read_page(cursor, &values, err) < 0)
			return pl_err_wrap(err, "row group %zu, column '%s', page at byte %zu",
					   cursor->group, cursor->field->name, at);
	}
	*ret = values;
	return 0;
}

const uint32_t *columnar_parquet_defs(const struct columnar_parquet_cursor *cursor)
{
	return cursor->column->max_def > 0 ? cursor->defs.items : NULL;
}

const uint32_t *columnar_parquet_reps(const struct columnar_parquet_cursor *cursor)
{
	return cursor->column->max_rep > 0 ? cursor->reps.items : NULL;
}

size_t columnar_parquet_cursor_at(const struct columnar_parquet_cursor *cursor)
{
	return cursor->at;
}
