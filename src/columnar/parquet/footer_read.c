/* Reads the metadata of a file, and refuses all that the reader of pages could not read. */
#include <stdlib.h>

#include "columnar/parquet/parquet_priv.h"

#define COLUMNS_MAX 100000
#define GROUPS_MAX  1000000

/* ---- schema ---------------------------------------------------------------------------------- */

static void read_unit(struct thrift_in *in, struct parquet_element *element)
{
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		element->unit = field.id;
		columnar_thrift_skip(in, field.type);
	}
}

static void read_logical(struct thrift_in *in, struct parquet_element *element)
{
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		element->logical = field.id;
		if (!columnar_thrift_is_struct(in, field.type))
			return;
		for (struct thrift_field inner = { 0 }; columnar_thrift_next(in, &inner);) {
			if (field.id == PARQUET_LOGICAL_TIMESTAMP && inner.id == 2 &&
			    inner.type == THRIFT_STRUCT)
				read_unit(in, element);
			else if (field.id == PARQUET_LOGICAL_INTEGER && inner.id == 2)
				element->is_unsigned = !columnar_thrift_yes(in, inner.type);
			else
				columnar_thrift_skip(in, inner.type);
		}
	}
}

void columnar_parquet_element_read(struct thrift_in *in, struct parquet_element *ret)
{
	*ret = (struct parquet_element){ .type = -1,
					 .converted = PARQUET_CONVERTED_NONE,
					 .name = "" };
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		switch (field.id) {
		case 1:
			ret->type = columnar_thrift_int(in, field.type);
			break;
		case 2:
			ret->type_len = columnar_thrift_int(in, field.type);
			break;
		case 3:
			ret->repetition = columnar_thrift_int(in, field.type);
			break;
		case 4:
			ret->name = columnar_thrift_binary(in, field.type, &ret->name_len);
			break;
		case 5:
			ret->children = columnar_thrift_int(in, field.type);
			break;
		case 6:
			ret->converted = columnar_thrift_int(in, field.type);
			break;
		case 10:
			if (columnar_thrift_is_struct(in, field.type))
				read_logical(in, ret);
			break;
		default:
			columnar_thrift_skip(in, field.type);
			break;
		}
	}
}

/* Return NULL, or what is not supported. */
static const char *text_fault(const struct parquet_element *element, struct columnar_field *field)
{
	bool is_known = element->logical == PARQUET_LOGICAL_NONE
				? element->converted == PARQUET_CONVERTED_NONE ||
					  element->converted == PARQUET_CONVERTED_UTF8 ||
					  element->converted == PARQUET_CONVERTED_ENUM ||
					  element->converted == PARQUET_CONVERTED_JSON
				: element->logical == PARQUET_LOGICAL_STRING ||
					  element->logical == PARQUET_LOGICAL_ENUM ||
					  element->logical == PARQUET_LOGICAL_JSON;

	field->type = COLUMNAR_TEXT;
	field->is_json = element->logical == PARQUET_LOGICAL_JSON ||
			 (element->logical == PARQUET_LOGICAL_NONE &&
			  element->converted == PARQUET_CONVERTED_JSON);
	return is_known ? NULL : "BYTE_ARRAY that is not a string";
}

static const char *int_fault(const struct parquet_element *element, struct columnar_field *field,
			     struct parquet_column *column)
{
	static const int8_t converted[] = { PARQUET_CONVERTED_NONE,    PARQUET_CONVERTED_UINT_8,
					    PARQUET_CONVERTED_UINT_16, PARQUET_CONVERTED_UINT_32,
					    PARQUET_CONVERTED_INT_8,   PARQUET_CONVERTED_INT_16,
					    PARQUET_CONVERTED_INT_32,  PARQUET_CONVERTED_INT_64 };
	bool is_time = element->logical == PARQUET_LOGICAL_TIMESTAMP ||
		       element->converted == PARQUET_CONVERTED_TIMESTAMP_MILLIS ||
		       element->converted == PARQUET_CONVERTED_TIMESTAMP_MICROS;

	field->type = COLUMNAR_I64;
	column->is_unsigned = element->is_unsigned;
	if (is_time && element->type == PARQUET_INT64) {
		field->type = COLUMNAR_TIME;
		column->unit = element->converted == PARQUET_CONVERTED_TIMESTAMP_MILLIS
				       ? PARQUET_MILLIS
				       : PARQUET_MICROS;
		if (element->logical == PARQUET_LOGICAL_TIMESTAMP)
			column->unit = (enum parquet_unit)element->unit;
		return column->unit >= PARQUET_MILLIS && column->unit <= PARQUET_NANOS
			       ? NULL
			       : "a timestamp of unknown unit";
	}
	if (element->logical != PARQUET_LOGICAL_NONE)
		return element->logical == PARQUET_LOGICAL_INTEGER ||
				       element->logical == PARQUET_LOGICAL_NULL
			       ? NULL
			       : "an integer with another logical type (date, time, decimal)";
	for (size_t i = 0; i < PL_ARRAY_SIZE(converted); i++) {
		if (element->converted == converted[i]) {
			column->is_unsigned = i >= 1 && i <= 3;
			return NULL;
		}
	}
	return "an integer with another logical type (date, time, decimal)";
}

const char *columnar_parquet_type_fault(const struct parquet_element *element,
					struct columnar_field *field, struct parquet_column *column)
{
	column->type = (enum parquet_type)element->type;
	switch (element->type) {
	case PARQUET_BOOLEAN:
		field->type = COLUMNAR_YES;
		return NULL;
	case PARQUET_INT32:
	case PARQUET_INT64:
		return int_fault(element, field, column);
	case PARQUET_FLOAT:
	case PARQUET_DOUBLE:
		field->type = COLUMNAR_F64;
		return NULL;
	case PARQUET_BYTE_ARRAY:
		return text_fault(element, field);
	case PARQUET_INT96:
		return "INT96";
	case PARQUET_FIXED_LEN_BYTE_ARRAY:
		return "FIXED_LEN_BYTE_ARRAY";
	default:
		return "an unknown type";
	}
}

static int add_column(struct columnar_parquet *parquet, const struct parquet_element *element,
		      struct pl_err *err)
{
	auto_free char *name = pl_strndup(element->name, element->name_len);
	struct parquet_column *column = &parquet->columns[parquet->schema.count];
	struct columnar_field *field = columnar_schema_add(&parquet->schema, name, COLUMNAR_TEXT,
							   element->repetition != PARQUET_REQUIRED);

	if (!columnar_is_utf8(element->name, element->name_len) ||
	    strlen(name) != element->name_len)
		return pl_err_invalid(err, "the name of column %zu is not UTF-8",
				      parquet->schema.count);
	if (element->type < 0 || element->children > 0 || element->repetition == PARQUET_REPEATED)
		return pl_err_invalid(
			err, "column '%s': found a nested column, expected a flat one", name);
	column->max_def = field->is_optional;
	const char *fault = columnar_parquet_type_fault(element, field, column);
	return fault != NULL
		       ? pl_err_invalid(err,
					"column '%s': found %s, expected BOOLEAN, an integer, "
					"FLOAT, DOUBLE, a string or a timestamp",
					name, fault)
		       : 0;
}

static int read_schema(struct columnar_parquet *parquet, struct thrift_in *in,
		       enum thrift_type type, struct pl_err *err)
{
	size_t count = columnar_thrift_list(in, type, THRIFT_STRUCT);
	struct parquet_element element;

	if (parquet->columns != NULL || count == 0 || count > COLUMNS_MAX) {
		columnar_thrift_fail(in, "the schema has no elements, or too many");
		return 0;
	}
	parquet->columns = pl_alloc_array(count, sizeof(*parquet->columns));
	columnar_parquet_element_read(in, &element);
	if (parquet->is_nested)
		return columnar_parquet_tree_read(parquet, in, count - 1, err);
	for (size_t i = 1; i < count; i++) {
		columnar_parquet_element_read(in, &element);
		if (in->fault != NULL)
			return 0;
		if (add_column(parquet, &element, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- row groups ------------------------------------------------------------------------------ */

static void read_statistics(struct thrift_in *in, struct columnar_statistics *ret)
{
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 3)
			ret->nulls = columnar_thrift_int(in, field.type);
		else if (field.id == 5)
			ret->max = columnar_thrift_binary(in, field.type, &ret->max_len);
		else if (field.id == 6)
			ret->min = columnar_thrift_binary(in, field.type, &ret->min_len);
		else
			columnar_thrift_skip(in, field.type);
	}
}

static void read_chunk_meta(struct thrift_in *in, struct parquet_part *ret)
{
	int64_t data = -1, dictionary = -1;

	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		switch (field.id) {
		case 4:
			ret->codec = (enum parquet_codec)columnar_thrift_int(in, field.type);
			break;
		case 5:
			ret->values = columnar_thrift_int(in, field.type);
			break;
		case 6:
			ret->plain_bytes = columnar_thrift_int(in, field.type);
			break;
		case 7:
			ret->bytes = columnar_thrift_int(in, field.type);
			break;
		case 9:
			data = columnar_thrift_int(in, field.type);
			break;
		case 11:
			dictionary = columnar_thrift_int(in, field.type);
			break;
		case 12:
			if (columnar_thrift_is_struct(in, field.type))
				read_statistics(in, &ret->statistics);
			break;
		default:
			columnar_thrift_skip(in, field.type);
			break;
		}
	}
	/* some writers store 0 for none */
	ret->begin = dictionary > 0 && dictionary < data ? dictionary : data;
}

static void read_chunk(struct thrift_in *in, struct parquet_part *ret)
{
	*ret = (struct parquet_part){ .begin = -1, .statistics = { .nulls = -1 } };
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 3 && field.type == THRIFT_STRUCT) {
			read_chunk_meta(in, ret);
		} else if (field.id == 1) {
			columnar_thrift_fail(in, "a column is stored in another file");
		} else {
			columnar_thrift_skip(in, field.type);
		}
	}
}

const char *columnar_parquet_codec_fault(const struct parquet_part *part)
{
	static const char *const others[] = {
		[3] = "LZO", [4] = "Brotli", [5] = "LZ4", [7] = "LZ4_RAW"
	};

	switch (part->codec) {
	case PARQUET_UNCOMPRESSED:
	case PARQUET_SNAPPY:
	case PARQUET_GZIP:
	case PARQUET_ZSTD:
		return NULL;
	default:
		return (unsigned)part->codec < PL_ARRAY_SIZE(others) ? others[part->codec]
								     : "unknown";
	}
}

static int check_chunk(const struct columnar_parquet *parquet, size_t column,
		       const struct parquet_part *part, int64_t rows, struct pl_err *err)
{
	const char *name = parquet->schema.fields[column].name;

	/* one that is not read may be anything */
	if (!parquet->is_nested && columnar_parquet_codec_fault(part) != NULL)
		return pl_err_invalid(err,
				      "column '%s': found codec %d (%s), expected 0 (none), "
				      "1 (Snappy), 2 (gzip) or 6 (zstd)",
				      name, (int)part->codec, columnar_parquet_codec_fault(part));
	if (parquet->is_nested ? part->values < rows : part->values != rows)
		return pl_err_invalid(err, "column '%s': found %lld values, expected %lld", name,
				      (long long)part->values, (long long)rows);
	if (part->begin < 0 || part->bytes < 0 || (uint64_t)part->begin > parquet->len ||
	    (uint64_t)part->bytes > parquet->len - (uint64_t)part->begin)
		return pl_err_invalid(err, "column '%s': its chunk is outside of the file", name);
	return 0;
}

static int read_group(struct columnar_parquet *parquet, struct thrift_in *in, size_t group,
		      struct pl_err *err)
{
	size_t columns = parquet->schema.count, count = 0;
	struct parquet_part *parts = parquet->parts + group * columns;

	parquet->group_rows[group] = -1;
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 1) {
			count = columnar_thrift_list(in, field.type, THRIFT_STRUCT);
			if (count != columns)
				columnar_thrift_fail(in,
						     "a row group has not one chunk per column");
			for (size_t i = 0; i < count && in->fault == NULL; i++)
				read_chunk(in, &parts[i]);
		} else if (field.id == 3) {
			parquet->group_rows[group] = columnar_thrift_int(in, field.type);
		} else {
			columnar_thrift_skip(in, field.type);
		}
	}
	if (in->fault == NULL && (count != columns || parquet->group_rows[group] < 0))
		columnar_thrift_fail(in, "a row group has not one chunk per column");
	for (size_t i = 0; i < columns && in->fault == NULL; i++) {
		if (check_chunk(parquet, i, &parts[i], parquet->group_rows[group], err) < 0)
			return pl_err_wrap(err, "row group %zu", group);
	}
	return 0;
}

static int read_groups(struct columnar_parquet *parquet, struct thrift_in *in,
		       enum thrift_type type, struct pl_err *err)
{
	size_t count = columnar_thrift_list(in, type, THRIFT_STRUCT),
	       columns = parquet->schema.count;

	/* each chunk has more bytes than this, so the memory is less than a multiple of the file */
	if (parquet->columns == NULL || parquet->parts != NULL || count > GROUPS_MAX ||
	    (columns > 0 && count > (size_t)(in->end - in->at) / columns)) {
		columnar_thrift_fail(in, "the row groups precede the schema, or are too many");
		return 0;
	}
	parquet->parts = pl_alloc_array(count * columns, sizeof(*parquet->parts));
	parquet->group_rows = pl_alloc_array(count, sizeof(*parquet->group_rows));
	for (size_t i = 0; i < count && in->fault == NULL; i++) {
		if (read_group(parquet, in, i, err) < 0)
			return -1;
	}
	parquet->group_count = count;
	return 0;
}

/* ---- file ------------------------------------------------------------------------------------ */

static void read_pair(struct thrift_in *in, struct columnar_schema *schema)
{
	const char *texts[2] = { "", "" };
	size_t lens[2] = { 0 };

	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		if (field.id == 1 || field.id == 2)
			texts[field.id - 1] = columnar_thrift_binary(in, field.type,
								     &lens[field.id - 1]);
		else
			columnar_thrift_skip(in, field.type);
	}
	auto_free char *key = pl_strndup(texts[0], lens[0]);
	auto_free char *value = pl_strndup(texts[1], lens[1]);
	columnar_schema_note(schema, key, value);
}

static int read_file(struct columnar_parquet *parquet, struct thrift_in *in, struct pl_err *err)
{
	parquet->rows = -1;
	for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);) {
		switch (field.id) {
		case 2:
			if (read_schema(parquet, in, field.type, err) < 0)
				return -1;
			break;
		case 3:
			parquet->rows = columnar_thrift_int(in, field.type);
			break;
		case 4:
			if (read_groups(parquet, in, field.type, err) < 0)
				return -1;
			break;
		case 5: {
			size_t count = columnar_thrift_list(in, field.type, THRIFT_STRUCT);
			for (size_t i = 0; i < count && in->fault == NULL; i++)
				read_pair(in, &parquet->schema);
			break;
		}
		default:
			columnar_thrift_skip(in, field.type);
			break;
		}
	}
	if (in->fault == NULL && (parquet->parts == NULL || parquet->rows < 0))
		columnar_thrift_fail(in, "the schema, the rows or the row groups are missing");
	return 0;
}

static int check_rows(const struct columnar_parquet *parquet, struct pl_err *err)
{
	int64_t left = parquet->rows;

	for (size_t i = 0; i < parquet->group_count && left >= 0; i++)
		left -= parquet->group_rows[i] <= left ? parquet->group_rows[i] : left + 1;
	if (left != 0)
		return pl_err_invalid(err, "the rows of the row groups are not %lld together",
				      (long long)parquet->rows);
	return 0;
}

static int open_file(const void *bytes, size_t len, bool is_nested,
		     const struct columnar_limits *limits, struct columnar_parquet **ret,
		     struct pl_err *err)
{
	const size_t magic = sizeof(PARQUET_MAGIC) - 1, end = magic + sizeof(uint32_t);
	const uint8_t *file = bytes;

	if (len < magic + end || memcmp(file, PARQUET_MAGIC, magic) != 0 ||
	    memcmp(file + len - magic, PARQUET_MAGIC, magic) != 0)
		return pl_err_invalid(err, "it is not a Parquet file: found no PAR1 at both ends");
	size_t footer = COLUMNAR_GET(uint32_t, file + len - end);
	if (footer > len - magic - end)
		return pl_err_invalid(err, "found metadata of %zu bytes in a file of %zu", footer,
				      len);
	auto_columnar_parquet struct columnar_parquet *parquet = pl_alloc(sizeof(*parquet));
	*parquet = (struct columnar_parquet){
		.bytes = file, .len = len, .is_nested = is_nested, .limits = *limits
	};
	struct thrift_in in = { .begin = file,
				.at = file + len - end - footer,
				.end = file + len - end };
	if (read_file(parquet, &in, err) < 0)
		return -1;
	if (in.fault != NULL)
		return pl_err_invalid(err, "byte %zu: %s", (size_t)(in.at - in.begin), in.fault);
	if (check_rows(parquet, err) < 0)
		return -1;
	*ret = pl_take(parquet);
	return 0;
}

int columnar_parquet_open(const void *bytes, size_t len, const struct columnar_limits *limits,
			  struct columnar_parquet **ret, struct pl_err *err)
{
	return open_file(bytes, len, false, limits, ret, err);
}

int columnar_parquet_open_nested(const void *bytes, size_t len,
				 const struct columnar_limits *limits,
				 struct columnar_parquet **ret, struct pl_err *err)
{
	return open_file(bytes, len, true, limits, ret, err);
}

void columnar_parquet_free(struct columnar_parquet *parquet)
{
	if (parquet == NULL)
		return;
	columnar_schema_done(&parquet->schema);
	for (size_t i = 0; i < parquet->node_count; i++)
		free(parquet->nodes[i].name);
	free(parquet->nodes);
	free(parquet->columns);
	free(parquet->group_rows);
	free(parquet->parts);
	free(parquet);
}

const struct columnar_schema *columnar_parquet_schema(const struct columnar_parquet *parquet)
{
	return &parquet->schema;
}

int64_t columnar_parquet_rows(const struct columnar_parquet *parquet)
{
	return parquet->rows;
}

size_t columnar_parquet_groups(const struct columnar_parquet *parquet)
{
	return parquet->group_count;
}

int64_t columnar_parquet_group_rows(const struct columnar_parquet *parquet, size_t group)
{
	return parquet->group_rows[group];
}

struct columnar_statistics columnar_parquet_statistics(const struct columnar_parquet *parquet,
						       size_t group, size_t column)
{
	return parquet->parts[group * parquet->schema.count + column].statistics;
}
