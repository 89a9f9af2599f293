/*
 * Assembles records from record batches. The buffers of a batch stay in the file, so a value is found by the offsets of
 * its row; only compressed buffers are copied.
 */
#include <stdlib.h>

#include "columnar/arrow/arrow_priv.h"
#include "columnar/records_priv.h"

/* The values of one field in a batch or a dictionary. */
struct array {
	size_t count;
	struct arrow_bytes valid; /* bits; empty: none is null */
	struct arrow_bytes offsets;
	struct arrow_bytes data;
};

struct arrow_records {
	struct columnar_arrow *arrow;
	bool *requested;      /* of each field; only those of the top are used */
	struct array *arrays; /* of each field, in the open batch */
	struct array *values; /* of each field below a dictionary, in the dictionary */
	size_t *dictionaries; /* of each field: the message that `values` has */
	size_t batch;         /* the next one */
	size_t row;
	size_t rows; /* of the open batch */
	int64_t done;
	size_t read_bytes;
	struct record_budget budget; /* of the open record */
};

static void array_done(struct array *array)
{
	columnar_arrow_bytes_done(&array->valid);
	columnar_arrow_bytes_done(&array->offsets);
	columnar_arrow_bytes_done(&array->data);
	*array = (struct array){ 0 };
}

void columnar_arrow_records_free(struct arrow_records *records)
{
	if (records == NULL)
		return;
	for (size_t i = 0; records->arrays != NULL && i < records->arrow->tree->count; i++) {
		array_done(&records->arrays[i]);
		array_done(&records->values[i]);
	}
	free(records->arrays);
	free(records->values);
	free(records->dictionaries);
	free(records->requested);
	columnar_arrow_free(records->arrow);
	free(records);
}
PL_AUTO_DEFINE(struct arrow_records, columnar_arrow_records_free);

/* ---- columns --------------------------------------------------------------------------------- */

static int request(struct arrow_records *records, const char *const *columns, struct pl_err *err)
{
	const struct arrow_tree *tree = records->arrow->tree;
	bool any = false;

	for (size_t i = 0; i < tree->count; i += tree->fields[i].span) {
		records->requested[i] = columnar_is_requested(columns, tree->fields[i].name);
		any = any || records->requested[i];
		for (size_t k = i; records->requested[i] && k < i + tree->fields[i].span; k++) {
			if (tree->fields[k].fault != NULL)
				return pl_err_invalid(err,
						      "column '%s': found %s, which is not "
						      "supported" COLUMNAR_CONVERSION_OF("arrow"),
						      tree->fields[i].name, tree->fields[k].fault);
		}
	}
	return columnar_records_check(any, err);
}

int columnar_arrow_records_open(const void *bytes, size_t len, const char *const *columns,
				const struct columnar_limits *limits, struct arrow_records **ret,
				struct pl_err *err)
{
	PL_AUTO(columnar_arrow_records_free)
	struct arrow_records *records = pl_alloc(sizeof(*records));

	*records = (struct arrow_records){ .budget.bytes_max = limits->bytes };
	if (columnar_arrow_open_nested(bytes, len, limits, &records->arrow, err) < 0)
		return -1;
	size_t count = records->arrow->tree->count;
	records->requested = pl_alloc_array(count, sizeof(bool));
	records->arrays = pl_alloc_array(count, sizeof(struct array));
	records->values = pl_alloc_array(count, sizeof(struct array));
	records->dictionaries = pl_alloc_array(count, sizeof(size_t));
	for (size_t i = 0; i < count; i++) {
		records->arrays[i] = records->values[i] = (struct array){ 0 };
		records->dictionaries[i] = SIZE_MAX;
	}
	if (request(records, columns, err) < 0)
		return -1;
	*ret = pl_take(records);
	return 0;
}

void columnar_arrow_records_names(const struct arrow_records *records, struct pl_buf *out)
{
	const struct arrow_tree *tree = records->arrow->tree;

	for (size_t i = 0; i < tree->count; i += tree->fields[i].span)
		pl_buf_addf(out, "%s%s", i > 0 ? ", " : "", tree->fields[i].name);
}

int64_t columnar_arrow_records_count(const struct arrow_records *records)
{
	int64_t count = 0;

	for (size_t i = 0; i < columnar_arrow_batches(records->arrow); i++)
		count += columnar_arrow_batch_rows(records->arrow, i);
	return count;
}

size_t columnar_arrow_records_read_bytes(const struct arrow_records *records)
{
	return records->read_bytes;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* Where the next array of a batch starts. */
struct walk {
	struct arrow_batch batch;
	size_t node;
	size_t buffer;
};

static bool has_offsets(const struct arrow_field *field)
{
	return field->type == ARROW_BINARY || field->type == ARROW_UTF8 ||
	       field->type == ARROW_LARGE_BINARY || field->type == ARROW_LARGE_UTF8 ||
	       field->type == ARROW_LIST || field->type == ARROW_LARGE_LIST ||
	       field->type == ARROW_MAP;
}

static bool has_data(const struct arrow_field *field)
{
	return field->type != ARROW_NULL && field->type != ARROW_STRUCT &&
	       field->type != ARROW_LIST && field->type != ARROW_LARGE_LIST &&
	       field->type != ARROW_MAP && field->type != ARROW_FIXED_LIST;
}

/* Returns the bytes of the values of fixed width. */
static size_t data_bytes(const struct arrow_field *field, bool is_codes, size_t count)
{
	if (is_codes)
		return count * (field->code_bits / 8);
	switch (field->type) {
	case ARROW_BOOL:
		return (count + 7) / 8;
	case ARROW_INT:
	case ARROW_FLOAT:
	case ARROW_TIMESTAMP:
		return count * (field->bits / 8);
	case ARROW_FIXED_BINARY:
		return count * (size_t)field->width;
	default:
		return 0;
	}
}

static int open_part(const struct arrow_records *records, struct walk *walk, size_t least,
		     bool is_read, struct arrow_bytes *ret, struct pl_err *err)
{
	size_t index = walk->buffer++;

	if (!is_read)
		return 0;
	if (columnar_arrow_buffer_open(records->arrow, &walk->batch, index, ret, err) < 0)
		return -1;
	return ret->len >= least ? 0
				 : pl_err_invalid(err, "buffer %zu: found %zu bytes, expected %zu",
						  index, ret->len, least);
}

static int open_array(struct arrow_records *records, struct walk *walk,
		      const struct arrow_field *field, bool is_codes, bool is_read,
		      struct array *ret, struct pl_err *err)
{
	struct arrow_node node;

	if (walk->node >= walk->batch.nodes.count)
		return pl_err_invalid(err, "found %zu arrays, expected more",
				      walk->batch.nodes.count);
	memcpy(&node, walk->batch.in.bytes + walk->batch.nodes.at + walk->node++ * sizeof(node),
	       sizeof(node));
	if (node.rows < 0 || (uint64_t)node.rows > records->arrow->limits.rows)
		return pl_err_invalid(err, "found %lld values, the limit is %zu",
				      (long long)node.rows, records->arrow->limits.rows);
	size_t count = (size_t)node.rows, offsets = (count + 1) * (field->bits / 8);
	ret->count = count;
	if (field->type == ARROW_NULL && !is_codes)
		return 0;
	if (open_part(records, walk, 0, is_read, &ret->valid, err) < 0)
		return -1;
	if (is_read && ret->valid.len > 0 && ret->valid.len < (count + 7) / 8)
		return pl_err_invalid(err, "found %zu bytes of validity bits, expected %zu",
				      ret->valid.len, (count + 7) / 8);
	/* without values, the only offset may be missing */
	if (!is_codes && has_offsets(field) &&
	    open_part(records, walk, count > 0 ? offsets : 0, is_read, &ret->offsets, err) < 0)
		return -1;
	return is_codes || has_data(field)
		       ? open_part(records, walk, data_bytes(field, is_codes, count), is_read,
				   &ret->data, err)
		       : 0;
}

/* Opens the arrays of a top field, or those of the values of a dictionary. */
static int open_tree(struct arrow_records *records, struct walk *walk, size_t top,
		     bool is_dictionary, bool is_read, struct array *into, struct pl_err *err)
{
	const struct arrow_field *fields = records->arrow->tree->fields;
	size_t end = top + fields[top].span;

	for (size_t i = top; i < end;) {
		bool is_codes = fields[i].has_dictionary && !is_dictionary;
		array_done(&into[i]);
		if (open_array(records, walk, &fields[i], is_codes, is_read, &into[i], err) < 0)
			return -1;
		if (walk->batch.compression != ARROW_UNCOMPRESSED)
			records->read_bytes += into[i].data.len;
		i += is_codes ? fields[i].span : 1;
	}
	if (is_read && into[top].count != (size_t)walk->batch.rows)
		return pl_err_invalid(err, "found %zu values, expected %lld", into[top].count,
				      (long long)walk->batch.rows);
	return 0;
}

/* Opens the dictionary of a field that precedes a message last. */
static int open_dictionary(struct arrow_records *records, size_t message, size_t field,
			   struct pl_err *err)
{
	const struct columnar_arrow *arrow = records->arrow;
	struct walk walk = { 0 };
	size_t at = message;

	do {
		if (at == 0)
			return pl_err_invalid(err, "its dictionary is missing");
		at--;
	} while (arrow->messages[at].id != arrow->tree->fields[field].dictionary);
	if (records->dictionaries[field] == at)
		return 0;
	records->dictionaries[field] = SIZE_MAX;
	if (columnar_arrow_batch_open(arrow, &arrow->messages[at], &walk.batch, err) < 0 ||
	    open_tree(records, &walk, field, true, true, records->values, err) < 0)
		return pl_err_wrap(err, "its dictionary");
	records->dictionaries[field] = at;
	return 0;
}

static int open_column(struct arrow_records *records, size_t message, size_t top, struct walk *walk,
		       struct pl_err *err)
{
	const struct arrow_field *fields = records->arrow->tree->fields;

	if (open_tree(records, walk, top, false, records->requested[top], records->arrays, err) < 0)
		return -1;
	for (size_t i = top; records->requested[top] && i < top + fields[top].span; i++) {
		if (fields[i].has_dictionary && open_dictionary(records, message, i, err) < 0)
			return -1;
	}
	return 0;
}

static int open_batch(struct arrow_records *records, struct pl_err *err)
{
	const struct columnar_arrow *arrow = records->arrow;
	size_t message = arrow->batches[records->batch];
	struct walk walk = { 0 };

	if (columnar_arrow_batch_open(arrow, &arrow->messages[message], &walk.batch, err) < 0)
		return -1;
	for (size_t i = 0; i < arrow->tree->count; i += arrow->tree->fields[i].span) {
		if (open_column(records, message, i, &walk, err) < 0)
			return pl_err_wrap(err, "column '%s'", arrow->tree->fields[i].name);
	}
	records->rows = (size_t)walk.batch.rows;
	records->row = 0;
	records->batch++;
	return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool bit(const uint8_t *bits, size_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static int get_int(const uint8_t *at, unsigned bits, bool is_unsigned, int64_t *ret,
		   struct pl_err *err)
{
	uint64_t number = 0;

	memcpy(&number, at, bits / 8);
	if (!is_unsigned)
		number = (uint64_t)((int64_t)(number << (64 - bits)) >> (64 - bits));
	else if (number > INT64_MAX)
		return pl_err_invalid(err, "found a number above 2^63 - 1");
	*ret = (int64_t)number;
	return 0;
}

/* Returns the range of a row in the bytes or the items. */
static int get_range(const struct arrow_field *field, const struct array *array, size_t row,
		     size_t limit, size_t *ret_from, size_t *ret_to, struct pl_err *err)
{
	size_t size = field->bits / 8;
	int64_t from = 0, to = 0;

	if (get_int(array->offsets.at + row * size, field->bits, false, &from, err) < 0 ||
	    get_int(array->offsets.at + (row + 1) * size, field->bits, false, &to, err) < 0)
		return -1;
	if (from < 0 || to < from || (uint64_t)to > limit)
		return pl_err_invalid(err, "found the range %lld to %lld, the limit is %zu",
				      (long long)from, (long long)to, limit);
	*ret_from = (size_t)from;
	*ret_to = (size_t)to;
	return 0;
}

static int read_value(struct arrow_records *records, struct array *arrays, size_t at, size_t row,
		      json_t **ret, struct pl_err *err);

static int read_text(struct arrow_records *records, const struct arrow_field *field,
		     const struct array *array, size_t row, json_t **ret, struct pl_err *err)
{
	size_t from = row * (size_t)field->width, to = from + (size_t)field->width;

	if (field->type != ARROW_FIXED_BINARY &&
	    get_range(field, array, row, array->data.len, &from, &to, err) < 0)
		return -1;
	const char *bytes = (const char *)array->data.at + from;
	bool is_text = field->type == ARROW_UTF8 || field->type == ARROW_LARGE_UTF8;
	if (columnar_record_take(&records->budget, to - from, err) < 0)
		return -1;
	if (is_text && to > from && !columnar_is_utf8(bytes, to - from))
		return pl_err_invalid(err, "found a text that is not UTF-8");
	*ret = columnar_json_of_bytes(bytes, to - from);
	return 0;
}

static int read_list(struct arrow_records *records, struct array *arrays, size_t at, size_t row,
		     json_t **ret, struct pl_err *err)
{
	const struct arrow_field *field = &records->arrow->tree->fields[at];
	size_t from = row * (size_t)field->width, to = from + (size_t)field->width;

	if (field->type != ARROW_FIXED_LIST &&
	    get_range(field, &arrays[at], row, arrays[at + 1].count, &from, &to, err) < 0)
		return -1;
	*ret = json_array();
	for (size_t i = from; i < to; i++) {
		json_t *value = NULL;
		int status = read_value(records, arrays, at + 1, i, &value, err);
		json_array_append_new(*ret, value != NULL ? value : json_null());
		if (status < 0)
			return -1;
	}
	return 0;
}

static int read_struct(struct arrow_records *records, struct array *arrays, size_t at, size_t row,
		       json_t **ret, struct pl_err *err)
{
	const struct arrow_field *fields = records->arrow->tree->fields;

	*ret = json_object();
	for (size_t i = at + 1; i < at + fields[at].span; i += fields[i].span) {
		json_t *value = NULL;
		int status = read_value(records, arrays, i, row, &value, err);
		json_object_set_new_nocheck(*ret, fields[i].name,
					    value != NULL ? value : json_null());
		if (status < 0)
			return -1;
	}
	return 0;
}

static int read_time(const struct arrow_field *field, int64_t time, json_t **ret,
		     struct pl_err *err)
{
	int64_t by = field->unit == ARROW_SECOND ? 1000000 : field->unit == ARROW_MILLI ? 1000 : 1;

	if (field->unit == ARROW_NANO)
		time = time / 1000 - (time % 1000 < 0);
	else if (__builtin_mul_overflow(time, by, &time))
		return pl_err_invalid(err, "found a time after the year 294246");
	*ret = json_integer(time);
	return 0;
}

static int read_number(const struct arrow_field *field, const struct array *array, size_t row,
		       json_t **ret, struct pl_err *err)
{
	const uint8_t *at = array->data.at + row * (field->bits / 8);
	int64_t number = 0;

	if (field->type == ARROW_FLOAT) {
		*ret = columnar_json_of_double(field->bits == 64 ? COLUMNAR_GET(double, at)
								 : (double)COLUMNAR_GET(float, at));
		return 0;
	}
	if (get_int(at, field->bits, field->is_unsigned, &number, err) < 0)
		return -1;
	if (field->type == ARROW_TIMESTAMP)
		return read_time(field, number, ret, err);
	*ret = json_integer(number);
	return 0;
}

static int read_coded(struct arrow_records *records, const struct array *codes, size_t at,
		      size_t row, json_t **ret, struct pl_err *err)
{
	const struct arrow_field *field = &records->arrow->tree->fields[at];
	int64_t code = 0;

	if (get_int(codes->data.at + row * (field->code_bits / 8), field->code_bits,
		    field->code_is_unsigned, &code, err) < 0)
		return -1;
	if (code < 0 || (uint64_t)code >= records->values[at].count)
		return pl_err_invalid(err, "found code %lld, the dictionary has %zu values",
				      (long long)code, records->values[at].count);
	return read_value(records, records->values, at, (size_t)code, ret, err);
}

/* Reads the value of a row. *ret stays NULL for a null; the caller owns it even after -1. */
static int read_value(struct arrow_records *records, struct array *arrays, size_t at, size_t row,
		      json_t **ret, struct pl_err *err)
{
	const struct arrow_field *field = &records->arrow->tree->fields[at];
	const struct array *array = &arrays[at];

	if (row >= array->count)
		return pl_err_invalid(err, "field '%s': found %zu values, expected more",
				      field->name, array->count);
	if (columnar_record_take(&records->budget, 8, err) < 0)
		return -1;
	if (array->valid.len > 0 && !bit(array->valid.at, row))
		return 0;
	if (field->has_dictionary && arrays == records->arrays)
		return read_coded(records, array, at, row, ret, err);
	switch (field->type) {
	case ARROW_NULL:
		return 0;
	case ARROW_BOOL:
		*ret = json_boolean(bit(array->data.at, row));
		return 0;
	case ARROW_INT:
	case ARROW_FLOAT:
	case ARROW_TIMESTAMP:
		return read_number(field, array, row, ret, err);
	case ARROW_STRUCT:
		return read_struct(records, arrays, at, row, ret, err);
	case ARROW_LIST:
	case ARROW_LARGE_LIST:
	case ARROW_FIXED_LIST:
	case ARROW_MAP:
		return read_list(records, arrays, at, row, ret, err);
	default:
		return read_text(records, field, array, row, ret, err);
	}
}

/* ---- records --------------------------------------------------------------------------------- */

int columnar_arrow_records_next(struct arrow_records *records, json_t **ret, struct pl_err *err)
{
	const struct arrow_tree *tree = records->arrow->tree;

	*ret = NULL;
	while (records->row >= records->rows) {
		if (records->batch == columnar_arrow_batches(records->arrow))
			return 0;
		if (open_batch(records, err) < 0)
			return pl_err_wrap(err, "batch %zu", records->batch);
	}
	json_t *record = json_object();
	records->budget.values = records->budget.bytes = 0;
	for (size_t i = 0; i < tree->count; i += tree->fields[i].span) {
		json_t *value = NULL;
		if (!records->requested[i])
			continue;
		int status = read_value(records, records->arrays, i, records->row, &value, err);
		json_object_set_new_nocheck(record, tree->fields[i].name,
					    value != NULL ? value : json_null());
		if (status < 0) {
			json_decref(record);
			return pl_err_wrap(err, "record %lld, column '%s'",
					   (long long)records->done + 1, tree->fields[i].name);
		}
	}
	records->row++;
	records->done++;
	records->read_bytes += records->budget.bytes;
	*ret = record;
	return 0;
}
