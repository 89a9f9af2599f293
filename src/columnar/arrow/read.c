/*
 * Finds the messages of a file or a stream, and decodes the columns of a batch:
 *
 *	continuation, length, metadata, body: buffers of validity bits, offsets, values
 */
#include <stdlib.h>

#include "columnar/arrow/arrow_priv.h"
#include "columnar/records_priv.h"

#define MESSAGES_MAX 10000000

/* ---- messages -------------------------------------------------------------------------------- */

static struct flat_in metadata_of(const struct columnar_arrow *arrow,
				  const struct arrow_message *message)
{
	return (struct flat_in){ arrow->bytes + message->at, message->head, NULL };
}

static int set_schema(struct columnar_arrow *arrow, const struct flat_table *from,
		      struct pl_err *err)
{
	size_t next = 0;

	if (arrow->columns != NULL || arrow->tree != NULL)
		return pl_err_invalid(err, "found a second schema");
	if (arrow->is_nested)
		return columnar_arrow_tree_read(from, &arrow->tree, err);
	if (columnar_arrow_schema_read(from, &arrow->schema, &arrow->columns, err) < 0)
		return -1;
	arrow->first_buffers = pl_alloc_array(arrow->schema.count, sizeof(size_t));
	for (size_t i = 0; i < arrow->schema.count; i++) {
		const struct arrow_column *column = &arrow->columns[i];
		bool is_text = column->type == ARROW_UTF8 || column->type == ARROW_LARGE_UTF8;
		arrow->first_buffers[i] = next;
		next += is_text && !column->has_dictionary ? 3 : 2;
	}
	return 0;
}

static int add_message(struct columnar_arrow *arrow, struct arrow_message message,
		       struct pl_err *err)
{
	struct flat_in in = metadata_of(arrow, &message);
	struct flat_table head = columnar_flat_root(&in), body = columnar_flat_table_of(&head, 2);
	int64_t type = columnar_flat_int(&head, 1, 1, 0),
		version = columnar_flat_int(&head, 0, 2, 0);

	if (in.fault == NULL && version != ARROW_VERSION && version != ARROW_VERSION - 1)
		return pl_err_invalid(err, "found metadata of version %lld, expected 4 or 5",
				      (long long)version + 1);
	if (type == ARROW_SCHEMA) {
		if (set_schema(arrow, &body, err) < 0)
			return -1;
	} else if (type == ARROW_DICTIONARY || type == ARROW_BATCH) {
		struct flat_table batch = type == ARROW_BATCH ? body
							      : columnar_flat_table_of(&body, 1);
		message.id = type == ARROW_BATCH ? -1 : columnar_flat_int(&body, 0, 8, 0);
		message.rows = columnar_flat_int(&batch, 0, 8, 0);
		if ((arrow->columns == NULL && arrow->tree == NULL) || batch.at == 0 ||
		    (type != ARROW_BATCH && message.id < 0))
			return pl_err_invalid(err,
					      "found a batch without a schema or without data");
		if (type == ARROW_DICTIONARY && columnar_flat_int(&body, 2, 1, 0) != 0)
			return pl_err_invalid(err,
					      "found a delta dictionary, expected a whole one");
		if (message.rows < 0 || (uint64_t)message.rows > arrow->limits.rows)
			return pl_err_invalid(err, "found %lld rows, the limit is %zu",
					      (long long)message.rows, arrow->limits.rows);
		if (type == ARROW_BATCH)
			*PL_PUSH(arrow->batches, arrow->batch_count,
				 arrow->batch_room) = arrow->message_count;
		*PL_PUSH(arrow->messages, arrow->message_count, arrow->message_room) = message;
	} else if (in.fault == NULL) {
		return pl_err_invalid(err, "found a message of type %lld, expected 1 to 3",
				      (long long)type);
	}
	return in.fault != NULL ? pl_err_invalid(err, "%s", in.fault) : 0;
}

/* Reads the message at *at and moves to the next one. Returns 1, 0 at the end, or -1. */
static int read_message(struct columnar_arrow *arrow, size_t *at, struct pl_err *err)
{
	const size_t front = 2 * sizeof(uint32_t);
	size_t left = arrow->len - *at;

	if (left < front)
		return pl_err_invalid(err, "found %zu bytes, expected a message", left);
	uint32_t mark = COLUMNAR_GET(uint32_t, arrow->bytes + *at);
	size_t head = COLUMNAR_GET(uint32_t, arrow->bytes + *at + 4);
	if (mark != ARROW_CONTINUATION)
		return pl_err_invalid(err,
				      "found 0x%08x, expected a message that starts with "
				      "0xffffffff",
				      mark);
	if (head == 0)
		return 0;
	if (head > left - front)
		return pl_err_invalid(err, "found metadata of %zu bytes in %zu", head,
				      left - front);
	struct arrow_message message = { .at = *at + front,
					 .head = head,
					 .body = *at + front + head };
	struct flat_in in = metadata_of(arrow, &message);
	struct flat_table table = columnar_flat_root(&in);
	int64_t body = columnar_flat_int(&table, 3, 8, 0);
	if (in.fault != NULL)
		return pl_err_invalid(err, "%s", in.fault);
	if (body < 0 || (uint64_t)body > arrow->len - message.body)
		return pl_err_invalid(err, "found a body of %lld bytes in %zu", (long long)body,
				      arrow->len - message.body);
	message.body_bytes = (size_t)body;
	if (add_message(arrow, message, err) < 0)
		return -1;
	*at = message.body + message.body_bytes;
	return 1;
}

static int open_messages(const void *bytes, size_t len, bool is_nested,
			 const struct columnar_limits *limits, struct columnar_arrow **ret,
			 struct pl_err *err)
{
	bool is_file = len >= ARROW_MAGIC_BYTES + 2 &&
		       memcmp(bytes, ARROW_MAGIC, ARROW_MAGIC_BYTES) == 0;
	size_t at = is_file ? ARROW_MAGIC_BYTES + 2 : 0, begin = at;
	auto_columnar_arrow struct columnar_arrow *arrow = pl_alloc(sizeof(*arrow));
	int status = 1;

	*arrow = (struct columnar_arrow){
		.bytes = bytes,
		.len = len,
		.limits = *limits,
		.is_nested = is_nested,
		.dictionary_message = SIZE_MAX,
	};
	while (status == 1) {
		/* a stream may end without a mark */
		begin = at;
		if (!is_file && at == len && at > 0)
			break;
		status = read_message(arrow, &at, err);
		if (arrow->message_count > MESSAGES_MAX)
			return pl_err_invalid(err, "found more than %d messages", MESSAGES_MAX);
	}
	if (status < 0)
		return pl_err_wrap(err, "message at byte %zu", begin);
	if (arrow->columns == NULL && arrow->tree == NULL)
		return pl_err_invalid(err, "found no schema");
	*ret = pl_take(arrow);
	return 0;
}

int columnar_arrow_open(const void *bytes, size_t len, const struct columnar_limits *limits,
			struct columnar_arrow **ret, struct pl_err *err)
{
	return open_messages(bytes, len, false, limits, ret, err);
}

int columnar_arrow_open_nested(const void *bytes, size_t len, const struct columnar_limits *limits,
			       struct columnar_arrow **ret, struct pl_err *err)
{
	return open_messages(bytes, len, true, limits, ret, err);
}

static void decoded_done(struct arrow_decoded *decoded)
{
	free(decoded->items);
	free(decoded->bytes);
	free(decoded->nulls);
	*decoded = (struct arrow_decoded){ 0 };
}

void columnar_arrow_free(struct columnar_arrow *arrow)
{
	if (arrow == NULL)
		return;
	columnar_schema_done(&arrow->schema);
	columnar_arrow_tree_free(arrow->tree);
	free(arrow->columns);
	free(arrow->first_buffers);
	free(arrow->messages);
	free(arrow->batches);
	decoded_done(&arrow->values);
	decoded_done(&arrow->dictionary);
	free(arrow->codes);
	free(arrow);
}

const struct columnar_schema *columnar_arrow_schema(const struct columnar_arrow *arrow)
{
	return &arrow->schema;
}

size_t columnar_arrow_batches(const struct columnar_arrow *arrow)
{
	return arrow->batch_count;
}

int64_t columnar_arrow_batch_rows(const struct columnar_arrow *arrow, size_t batch)
{
	return arrow->messages[arrow->batches[batch]].rows;
}

/* ---- buffers --------------------------------------------------------------------------------- */

void columnar_arrow_bytes_done(struct arrow_bytes *bytes)
{
	free(bytes->owned);
}
int columnar_arrow_batch_open(const struct columnar_arrow *arrow,
			      const struct arrow_message *message, struct arrow_batch *ret,
			      struct pl_err *err)
{
	*ret = (struct arrow_batch){ .message = message,
				     .in = metadata_of(arrow, message),
				     .rows = message->rows };
	struct flat_table head = columnar_flat_root(&ret->in),
			  body = columnar_flat_table_of(&head, 2);
	struct flat_table batch = message->id < 0 ? body : columnar_flat_table_of(&body, 1);
	struct flat_table compression = columnar_flat_table_of(&batch, 3);

	ret->nodes = columnar_flat_vector_of(&batch, 1, sizeof(struct arrow_node));
	ret->buffers = columnar_flat_vector_of(&batch, 2, sizeof(struct arrow_buffer));
	ret->compression = compression.at == 0 ? ARROW_UNCOMPRESSED
					       : columnar_flat_int(&compression, 0, 1, 0);
	if (ret->in.fault != NULL)
		return pl_err_invalid(err, "%s", ret->in.fault);
	if (ret->compression != ARROW_UNCOMPRESSED && ret->compression != ARROW_ZSTD)
		return pl_err_invalid(err,
				      "found buffers of compression %lld (LZ4), expected none "
				      "or 1 (zstd)%s",
				      (long long)ret->compression,
				      arrow->is_nested ? COLUMNAR_CONVERSION_OF("arrow") : "");
	return 0;
}

int columnar_arrow_buffer_open(const struct columnar_arrow *arrow, const struct arrow_batch *batch,
			       size_t index, struct arrow_bytes *ret, struct pl_err *err)
{
	const struct arrow_message *message = batch->message;
	struct arrow_buffer buffer;

	if (index >= batch->buffers.count)
		return pl_err_invalid(err, "found %zu buffers, expected more",
				      batch->buffers.count);
	memcpy(&buffer, batch->in.bytes + batch->buffers.at + index * sizeof(buffer),
	       sizeof(buffer));
	if (buffer.offset < 0 || buffer.len < 0 || (uint64_t)buffer.offset > message->body_bytes ||
	    (uint64_t)buffer.len > message->body_bytes - (uint64_t)buffer.offset)
		return pl_err_invalid(err, "buffer %zu is outside of the body", index);
	ret->at = arrow->bytes + message->body + buffer.offset;
	ret->len = (size_t)buffer.len;
	if (batch->compression == ARROW_UNCOMPRESSED || ret->len == 0)
		return 0;
	int64_t plain = ret->len < 8 ? -2 : COLUMNAR_GET(int64_t, ret->at);
	if (plain < -1 || (plain > 0 && (uint64_t)plain > arrow->limits.bytes))
		return pl_err_invalid(err, "buffer %zu: found a length of %lld, the limit is %zu",
				      index, (long long)plain, arrow->limits.bytes);
	ret->at += 8;
	ret->len -= 8;
	if (plain <= 0) {
		ret->len = plain == 0 ? 0 : ret->len;
		return 0;
	}
	if (columnar_unpack(COLUMNAR_ZSTD, ret->at, ret->len, (size_t)plain, &ret->owned, err) < 0)
		return pl_err_wrap(err, "buffer %zu", index);
	ret->at = (const uint8_t *)ret->owned;
	ret->len = (size_t)plain;
	return 0;
}

static int need(const struct arrow_bytes *bytes, size_t count, size_t size, struct pl_err *err)
{
	return bytes->len / size < count
		       ? pl_err_invalid(err, "found %zu bytes of values, expected %zu of %zu",
					bytes->len, count, size)
		       : 0;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool bit(const uint8_t *bits, size_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static int read_nulls(const struct columnar_arrow *arrow, const struct arrow_batch *batch,
		      size_t buffer, struct arrow_decoded *ret, struct pl_err *err)
{
	auto_arrow_bytes bits = { 0 };
	size_t nulls = 0;

	if (columnar_arrow_buffer_open(arrow, batch, buffer, &bits, err) < 0)
		return -1;
	if (bits.len == 0)
		return 0;
	if (need(&bits, (ret->count + 7) / 8, 1, err) < 0)
		return -1;
	ret->nulls = pl_alloc(ret->count);
	for (size_t i = 0; i < ret->count; i++) {
		ret->nulls[i] = !bit(bits.at, i);
		nulls += ret->nulls[i];
	}
	if (nulls == 0) {
		free(ret->nulls);
		ret->nulls = NULL;
	}
	return 0;
}

/* Reads integers of any width. */
static int read_ints(const struct arrow_bytes *bytes, unsigned bits, bool is_unsigned, size_t count,
		     int64_t *ret, struct pl_err *err)
{
	size_t size = bits / 8;
	bool is_valid = true;

	if (need(bytes, count, size, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		uint64_t number = 0;
		memcpy(&number, bytes->at + i * size, size);
		if (!is_unsigned)
			number = (uint64_t)((int64_t)(number << (64 - bits)) >> (64 - bits));
		is_valid = is_valid && !(is_unsigned && number > INT64_MAX);
		ret[i] = (int64_t)number;
	}
	return is_valid ? 0 : pl_err_invalid(err, "found a number above 2^63 - 1");
}

static int scale_times(enum arrow_unit unit, const uint8_t *nulls, size_t count, int64_t *times,
		       struct pl_err *err)
{
	int64_t by = unit == ARROW_SECOND ? 1000000 : unit == ARROW_MILLI ? 1000 : 1;

	for (size_t i = 0; i < count; i++) {
		if (unit == ARROW_NANO)
			times[i] = times[i] / 1000 - (times[i] % 1000 < 0);
		else if (__builtin_mul_overflow(times[i], by, &times[i]) &&
			 (nulls == NULL || !nulls[i]))
			return pl_err_invalid(err, "found a time after the year 294246");
	}
	return 0;
}

static int read_floats(const struct arrow_bytes *bytes, unsigned bits, size_t count, double *ret,
		       struct pl_err *err)
{
	if (need(bytes, count, bits / 8, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		ret[i] = bits == 64 ? COLUMNAR_GET(double, bytes->at + i * 8)
				    : (double)COLUMNAR_GET(float, bytes->at + i * 4);
	return 0;
}

static int read_texts(const struct columnar_arrow *arrow, const struct arrow_batch *batch,
		      size_t buffer, unsigned bits, struct arrow_decoded *ret, struct pl_err *err)
{
	auto_arrow_bytes offsets = { 0 };
	auto_arrow_bytes data = { 0 };
	struct columnar_text *texts = ret->items;
	auto_free int64_t *ends = pl_alloc_array(ret->count + 1, sizeof(*ends));

	if (columnar_arrow_buffer_open(arrow, batch, buffer, &offsets, err) < 0 ||
	    columnar_arrow_buffer_open(arrow, batch, buffer + 1, &data, err) < 0)
		return -1;
	/* without rows, the only offset may be missing */
	if (ret->count > 0 && read_ints(&offsets, bits, false, ret->count + 1, ends, err) < 0)
		return -1;
	for (size_t i = 0; i < ret->count; i++) {
		if (ends[i] < 0 || ends[i + 1] < ends[i] || (uint64_t)ends[i + 1] > data.len)
			return pl_err_invalid(err, "text %zu is outside of its buffer", i);
		texts[i] = (struct columnar_text){ (const char *)data.at + ends[i],
						   (size_t)(ends[i + 1] - ends[i]) };
		if ((ret->nulls == NULL || !ret->nulls[i]) &&
		    !columnar_is_utf8(texts[i].bytes, texts[i].len))
			return pl_err_invalid(err, "text %zu is not UTF-8", i);
	}
	ret->bytes = pl_take(data.owned);
	return 0;
}

static int read_values(const struct columnar_arrow *arrow, const struct arrow_batch *batch,
		       size_t buffer, const struct arrow_column *column, struct arrow_decoded *ret,
		       struct pl_err *err)
{
	auto_arrow_bytes bytes = { 0 };

	ret->items = pl_alloc_array(ret->count + 1, sizeof(struct columnar_text));
	if (column->type == ARROW_UTF8 || column->type == ARROW_LARGE_UTF8)
		return read_texts(arrow, batch, buffer, column->type == ARROW_UTF8 ? 32 : 64, ret,
				  err);
	if (columnar_arrow_buffer_open(arrow, batch, buffer, &bytes, err) < 0)
		return -1;
	switch (column->type) {
	case ARROW_BOOL:
		if (need(&bytes, (ret->count + 7) / 8, 1, err) < 0)
			return -1;
		for (size_t i = 0; i < ret->count; i++)
			((uint8_t *)ret->items)[i] = bit(bytes.at, i);
		return 0;
	case ARROW_FLOAT:
		return read_floats(&bytes, column->bits, ret->count, ret->items, err);
	case ARROW_TIMESTAMP:
		if (read_ints(&bytes, 64, false, ret->count, ret->items, err) < 0)
			return -1;
		return scale_times(column->unit, ret->nulls, ret->count, ret->items, err);
	default:
		return read_ints(&bytes, column->bits, column->is_unsigned, ret->count, ret->items,
				 err);
	}
}

/* Reads array `node` of a batch, whose first buffer is `buffer`. */
static int read_array(const struct columnar_arrow *arrow, const struct arrow_batch *batch,
		      size_t node, size_t buffer, const struct arrow_column *column,
		      struct arrow_decoded *ret, struct pl_err *err)
{
	struct arrow_node found;

	decoded_done(ret);
	if (node >= batch->nodes.count)
		return pl_err_invalid(err, "found %zu columns, expected more", batch->nodes.count);
	memcpy(&found, batch->in.bytes + batch->nodes.at + node * sizeof(found), sizeof(found));
	if (found.rows != batch->rows)
		return pl_err_invalid(err, "found %lld rows, expected %lld", (long long)found.rows,
				      (long long)batch->rows);
	ret->count = (size_t)batch->rows;
	if (found.nulls != 0 && read_nulls(arrow, batch, buffer, ret, err) < 0)
		return -1;
	return read_values(arrow, batch, buffer + 1, column, ret, err);
}

static void set_values(enum columnar_type type, const struct arrow_decoded *decoded,
		       struct columnar_values *ret)
{
	ret->distinct = decoded->count;
	ret->yes = type == COLUMNAR_YES ? decoded->items : NULL;
	ret->f64 = type == COLUMNAR_F64 ? decoded->items : NULL;
	ret->texts = type == COLUMNAR_TEXT ? decoded->items : NULL;
	ret->i64 = type == COLUMNAR_I64 || type == COLUMNAR_TIME ? decoded->items : NULL;
}

/* Reads the dictionary of a column that precedes a batch last. */
static int load_dictionary(struct columnar_arrow *arrow, size_t batch_message, size_t column,
			   struct pl_err *err)
{
	size_t at = batch_message;
	struct arrow_batch batch;

	do {
		if (at == 0)
			return pl_err_invalid(err, "its dictionary is missing");
		at--;
	} while (arrow->messages[at].id != arrow->columns[column].dictionary);
	if (at == arrow->dictionary_message && column == arrow->dictionary_column)
		return 0;
	arrow->dictionary_message = SIZE_MAX;
	if (columnar_arrow_batch_open(arrow, &arrow->messages[at], &batch, err) < 0 ||
	    read_array(arrow, &batch, 0, 0, &arrow->columns[column], &arrow->dictionary, err) < 0)
		return pl_err_wrap(err, "its dictionary");
	if (arrow->dictionary.nulls != NULL)
		return pl_err_invalid(err, "its dictionary: found a null");
	arrow->dictionary_message = at;
	arrow->dictionary_column = column;
	return 0;
}

static int read_coded(struct columnar_arrow *arrow, size_t batch_message, size_t column,
		      const struct arrow_batch *batch, struct columnar_values *ret,
		      struct pl_err *err)
{
	const struct arrow_column *from = &arrow->columns[column];
	const struct arrow_column codes = { .type = ARROW_INT,
					    .bits = from->code_bits,
					    .is_unsigned = from->code_is_unsigned };
	struct arrow_decoded *values = &arrow->values;

	if (load_dictionary(arrow, batch_message, column, err) < 0 ||
	    read_array(arrow, batch, column, arrow->first_buffers[column], &codes, values, err) < 0)
		return -1;
	const int64_t *found = values->items;
	free(arrow->codes);
	arrow->codes = pl_alloc_array(values->count, sizeof(*arrow->codes));
	for (size_t i = 0; i < values->count; i++) {
		bool is_null = values->nulls != NULL && values->nulls[i];
		if (!is_null && (found[i] < 0 || (uint64_t)found[i] >= arrow->dictionary.count))
			return pl_err_invalid(err, "found code %lld, the dictionary has %zu values",
					      (long long)found[i], arrow->dictionary.count);
		arrow->codes[i] = is_null ? COLUMNAR_NULL : (uint32_t)found[i];
	}
	*ret = (struct columnar_values){ .count = values->count, .codes = arrow->codes };
	set_values(arrow->schema.fields[column].type, &arrow->dictionary, ret);
	return 0;
}

static int read_column(struct columnar_arrow *arrow, size_t message, size_t column,
		       struct columnar_values *ret, struct pl_err *err)
{
	struct arrow_batch batch;

	if (columnar_arrow_batch_open(arrow, &arrow->messages[message], &batch, err) < 0)
		return -1;
	if (arrow->columns[column].has_dictionary)
		return read_coded(arrow, message, column, &batch, ret, err);
	if (read_array(arrow, &batch, column, arrow->first_buffers[column], &arrow->columns[column],
		       &arrow->values, err) < 0)
		return -1;
	*ret = (struct columnar_values){ .count = arrow->values.count,
					 .nulls = arrow->values.nulls };
	set_values(arrow->schema.fields[column].type, &arrow->values, ret);
	return 0;
}

int columnar_arrow_read(struct columnar_arrow *arrow, size_t batch, size_t column,
			struct columnar_values *ret, struct pl_err *err)
{
	if (read_column(arrow, arrow->batches[batch], column, ret, err) < 0)
		return pl_err_wrap(err, "batch %zu, column '%s'", batch,
				   arrow->schema.fields[column].name);
	return 0;
}
