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
	int64_t done; /* rows */
	bool has_dictionary;
	struct decoded dictionary;
	struct decoded page;
	struct store levels; /* of a page: 0 for null */
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
	free(cursor->levels.items);
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

/* ---- heads ----------------------------------------------------------------------------------- */

static void read_data_head(struct thrift_in *in, struct parquet_head *ret)
{
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 1)
			ret->values = columnar_thrift_int(in, field.type);
		else if (field.id == 2)
			ret->encoding = columnar_thrift_int(in, field.type);
		else if (field.id == 3 && ret->type == PARQUET_DATA_PAGE)
			ret->level_encoding = columnar_thrift_int(in, field.type);
		else
			columnar_thrift_skip(in, field.type);
	}
}

static void read_head_v2(struct thrift_in *in, struct parquet_head *ret)
{
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 1)
			ret->values = columnar_thrift_int(in, field.type);
		else if (field.id == 4)
			ret->encoding = columnar_thrift_int(in, field.type);
		else if (field.id == 5)
			ret->level_bytes = columnar_thrift_int(in, field.type);
		else if (field.id == 6)
			ret->repeat_bytes = columnar_thrift_int(in, field.type);
		else if (field.id == 7)
			ret->is_packed = columnar_thrift_yes(in, field.type);
		else
			columnar_thrift_skip(in, field.type);
	}
}

static int read_head(struct thrift_in *in, struct parquet_head *ret, struct pl_err *err)
{
	*ret = (struct parquet_head){ .type = -1, .values = -1, .is_packed = true };
	ret->level_encoding = PARQUET_RLE;
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		switch (field.id) {
		case 1:
			ret->type = columnar_thrift_int(in, field.type);
			break;
		case 2:
			ret->plain_bytes = columnar_thrift_int(in, field.type);
			break;
		case 3:
			ret->bytes = columnar_thrift_int(in, field.type);
			break;
		case 4:
			ret->crc = (uint32_t)columnar_thrift_int(in, field.type);
			ret->has_crc = true;
			break;
		case 5:
		case 7:
			if (columnar_thrift_is_struct(in, field.type))
				read_data_head(in, ret);
			break;
		case 8:
			if (columnar_thrift_is_struct(in, field.type))
				read_head_v2(in, ret);
			break;
		default:
			columnar_thrift_skip(in, field.type);
			break;
		}
	}
	if (in->fault != NULL)
		return pl_err_invalid(err, "its head: %s", in->fault);
	if (ret->bytes < 0 || ret->bytes > in->end - in->at)
		return pl_err_invalid(err, "found a page of %lld bytes, expected at most %lld",
				      (long long)ret->bytes, (long long)(in->end - in->at));
	return 0;
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

static int read_ints(const struct parquet_column *column, const uint8_t *at, size_t len,
		     size_t count, int64_t *ret, struct pl_err *err)
{
	size_t size = column->type == PARQUET_INT32 ? 4 : 8;
	bool is_valid = true;

	if (len / size < count)
		return pl_err_invalid(err, "found %zu bytes of values, expected %zu of %zu", len,
				      count, size);
	for (size_t i = 0; i < count; i++) {
		if (size == 8)
			ret[i] = COLUMNAR_GET(int64_t, at + i * size);
		else if (column->is_unsigned)
			ret[i] = COLUMNAR_GET(uint32_t, at + i * size);
		else
			ret[i] = COLUMNAR_GET(int32_t, at + i * size);
		is_valid = is_valid && !(size == 8 && column->is_unsigned && ret[i] < 0);
		ret[i] = time_us(ret[i], column->unit, &is_valid);
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

static int read_texts(const uint8_t *at, size_t len, size_t count, struct columnar_text *ret,
		      struct pl_err *err)
{
	const uint8_t *end = at + len;

	for (size_t i = 0; i < count; i++) {
		if (end - at < 4 || COLUMNAR_GET(uint32_t, at) > (size_t)(end - at) - 4)
			return pl_err_invalid(err, "text %zu ends after the page", i);
		ret[i] = (struct columnar_text){ (const char *)at + 4, COLUMNAR_GET(uint32_t, at) };
		if (!columnar_is_utf8(ret[i].bytes, ret[i].len))
			return pl_err_invalid(err, "text %zu is not UTF-8", i);
		at += 4 + ret[i].len;
	}
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
		return read_texts(at, len, count, items, err);
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
	const uint8_t *levels; /* NULL: no level is stored */
	size_t level_len;
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
	enum columnar_codec codec = cursor->part->codec == PARQUET_ZSTD     ? COLUMNAR_ZSTD
				    : cursor->part->codec == PARQUET_SNAPPY ? COLUMNAR_SNAPPY
									    : COLUMNAR_PLAIN;

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

static int open_v1(const struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		   const uint8_t *at, struct body *ret, struct pl_err *err)
{
	if (unpack(cursor, head, at, (size_t)head->bytes, (size_t)head->plain_bytes, ret, err) < 0)
		return -1;
	if (!cursor->column->is_optional || head->type != PARQUET_DATA_PAGE)
		return 0;
	if (head->level_encoding != PARQUET_RLE)
		return pl_err_invalid(err, "found definition levels of encoding %lld, expected RLE",
				      (long long)head->level_encoding);
	if (ret->len < 4 || COLUMNAR_GET(uint32_t, ret->values) > ret->len - 4)
		return pl_err_invalid(err, "the definition levels end after the page");
	ret->level_len = COLUMNAR_GET(uint32_t, ret->values);
	ret->levels = ret->values + 4;
	ret->values += 4 + ret->level_len;
	ret->len -= 4 + ret->level_len;
	return 0;
}

static int open_v2(const struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		   const uint8_t *at, struct body *ret, struct pl_err *err)
{
	int64_t shorter = head->bytes < head->plain_bytes ? head->bytes : head->plain_bytes;

	if (head->repeat_bytes != 0 || head->level_bytes < 0 || head->level_bytes > shorter ||
	    (!cursor->column->is_optional && head->level_bytes != 0))
		return pl_err_invalid(err, "found %lld and %lld bytes of levels in %lld bytes",
				      (long long)head->repeat_bytes, (long long)head->level_bytes,
				      (long long)head->bytes);
	size_t levels = (size_t)head->level_bytes;
	if (unpack(cursor, head, at + levels, (size_t)head->bytes - levels,
		   (size_t)head->plain_bytes - levels, ret, err) < 0)
		return -1;
	if (cursor->column->is_optional) {
		ret->levels = at;
		ret->level_len = levels;
	}
	return 0;
}

/* Marks the rows without a value. Returns their number through ret_nulls. */
static int read_levels(struct columnar_parquet_cursor *cursor, const struct body *body, size_t rows,
		       size_t *ret_nulls, struct pl_err *err)
{
	uint32_t *levels = room_for(&cursor->levels, rows, sizeof(*levels));

	*ret_nulls = 0;
	if (body->levels == NULL)
		return 0;
	if (columnar_hybrid_read(body->levels, body->level_len, 1, rows, levels) < 0)
		return pl_err_invalid(err, "the definition levels are malformed");
	for (size_t i = 0; i < rows; i++)
		*ret_nulls += levels[i] == 0;
	return 0;
}

static int read_coded(struct columnar_parquet_cursor *cursor, const struct body *body, size_t rows,
		      size_t nulls, struct columnar_values *ret, struct pl_err *err)
{
	uint32_t *codes = room_for(&cursor->codes, rows, sizeof(*codes));
	const uint32_t *levels = cursor->levels.items;
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
		codes[row] = levels[row] == 0 ? COLUMNAR_NULL : codes[--left];
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

static int read_direct(struct columnar_parquet_cursor *cursor, const struct parquet_head *head,
		       struct body *body, size_t rows, size_t nulls, struct columnar_values *ret,
		       struct pl_err *err)
{
	const uint32_t *levels = cursor->levels.items;
	bool is_runs = head->encoding == PARQUET_RLE && cursor->field->type == COLUMNAR_YES;

	if (head->encoding != PARQUET_PLAIN && !is_runs)
		return pl_err_invalid(
			err,
			"found encoding %lld, expected 0 (PLAIN), 2 or 8 (dictionary), or 3 (RLE) "
			"for booleans",
			(long long)head->encoding);
	int status = is_runs ? read_yes_runs(cursor, body, rows - nulls, err)
			     : read_plain(cursor, body->values, body->len, rows - nulls,
					  &cursor->page, err);
	if (status < 0)
		return -1;
	free(cursor->page.bytes);
	cursor->page.bytes = pl_take(body->owned);
	set_values(cursor, &cursor->page, ret);
	if (nulls == 0)
		return 0;
	uint32_t *codes = room_for(&cursor->codes, rows, sizeof(*codes)), next = 0;
	for (size_t row = 0; row < rows; row++)
		codes[row] = levels[row] == 0 ? COLUMNAR_NULL : next++;
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
	if (read_levels(cursor, body, rows, &nulls, err) < 0)
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

	if (read_head(&in, &head, err) < 0)
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
