/* The metadata at the end of a file. Ids are those of parquet.thrift. */
#include <string.h>

#include "columnar/parquet/parquet_priv.h"

enum parquet_type columnar_parquet_type_of(enum columnar_type type)
{
	switch (type) {
	case COLUMNAR_YES:
		return PARQUET_BOOLEAN;
	case COLUMNAR_F64:
		return PARQUET_DOUBLE;
	case COLUMNAR_TEXT:
		return PARQUET_BYTE_ARRAY;
	default:
		return PARQUET_INT64;
	}
}

static void add_logical(struct thrift_out *out, const struct columnar_field *field)
{
	if (field->type == COLUMNAR_TEXT) {
		columnar_thrift_add_i32(
			out, 6, field->is_json ? PARQUET_CONVERTED_JSON : PARQUET_CONVERTED_UTF8);
		columnar_thrift_begin(out, 10);
		columnar_thrift_add_empty(out, field->is_json ? PARQUET_LOGICAL_JSON
							      : PARQUET_LOGICAL_STRING);
		columnar_thrift_end(out);
	} else if (field->type == COLUMNAR_TIME) {
		columnar_thrift_add_i32(out, 6, PARQUET_CONVERTED_TIMESTAMP_MICROS);
		columnar_thrift_begin(out, 10);
		columnar_thrift_begin(out, PARQUET_LOGICAL_TIMESTAMP);
		columnar_thrift_add_yes(out, 1, true);
		columnar_thrift_begin(out, 2);
		columnar_thrift_add_empty(out, PARQUET_MICROS);
		columnar_thrift_end(out);
		columnar_thrift_end(out);
		columnar_thrift_end(out);
	}
}

static void add_schema(struct thrift_out *out, const struct columnar_schema *schema)
{
	columnar_thrift_add_list(out, 2, THRIFT_STRUCT, schema->count + 1);
	columnar_thrift_begin(out, 0);
	columnar_thrift_add_text(out, 4, "schema");
	columnar_thrift_add_i32(out, 5, (int32_t)schema->count);
	columnar_thrift_end(out);
	for (size_t i = 0; i < schema->count; i++) {
		const struct columnar_field *field = &schema->fields[i];
		columnar_thrift_begin(out, 0);
		columnar_thrift_add_i32(out, 1, columnar_parquet_type_of(field->type));
		columnar_thrift_add_i32(out, 3,
					field->is_optional ? PARQUET_OPTIONAL : PARQUET_REQUIRED);
		columnar_thrift_add_text(out, 4, field->name);
		add_logical(out, field);
		columnar_thrift_end(out);
	}
}

static void add_statistics(struct thrift_out *out, const struct parquet_chunk *chunk)
{
	columnar_thrift_begin(out, 12);
	columnar_thrift_add_i64(out, 3, chunk->nulls);
	if (chunk->min.bytes != NULL) {
		columnar_thrift_add_binary(out, 5, chunk->max.bytes, chunk->max.len);
		columnar_thrift_add_binary(out, 6, chunk->min.bytes, chunk->min.len);
	}
	columnar_thrift_end(out);
}

static void add_encodings(struct thrift_out *out, const struct parquet_chunk *chunk)
{
	columnar_thrift_add_list(out, 2, THRIFT_I32, chunk->has_dictionary ? 3 : 2);
	columnar_thrift_item_i32(out, PARQUET_PLAIN);
	columnar_thrift_item_i32(out, PARQUET_RLE);
	if (chunk->has_dictionary)
		columnar_thrift_item_i32(out, PARQUET_RLE_DICTIONARY);
}

static void add_chunk(struct thrift_out *out, const struct columnar_field *field,
		      const struct parquet_chunk *chunk)
{
	columnar_thrift_begin(out, 0);
	columnar_thrift_add_i64(out, 2, chunk->begin);
	columnar_thrift_begin(out, 3);
	columnar_thrift_add_i32(out, 1, columnar_parquet_type_of(field->type));
	add_encodings(out, chunk);
	columnar_thrift_add_list(out, 3, THRIFT_BINARY, 1);
	columnar_thrift_item_text(out, field->name);
	columnar_thrift_add_i32(out, 4, chunk->codec);
	columnar_thrift_add_i64(out, 5, chunk->rows);
	columnar_thrift_add_i64(out, 6, chunk->plain_bytes);
	columnar_thrift_add_i64(out, 7, chunk->bytes);
	columnar_thrift_add_i64(out, 9, chunk->data);
	if (chunk->has_dictionary)
		columnar_thrift_add_i64(out, 11, chunk->begin);
	add_statistics(out, chunk);
	columnar_thrift_end(out);
	columnar_thrift_end(out);
}

static void add_group(struct thrift_out *out, const struct columnar_schema *schema,
		      const struct parquet_group *group)
{
	int64_t bytes = 0, plain_bytes = 0;

	columnar_thrift_begin(out, 0);
	columnar_thrift_add_list(out, 1, THRIFT_STRUCT, schema->count);
	for (size_t i = 0; i < schema->count; i++) {
		add_chunk(out, &schema->fields[i], &group->chunks[i]);
		bytes += group->chunks[i].bytes;
		plain_bytes += group->chunks[i].plain_bytes;
	}
	columnar_thrift_add_i64(out, 2, plain_bytes);
	columnar_thrift_add_i64(out, 3, group->rows);
	if (schema->count > 0)
		columnar_thrift_add_i64(out, 5, group->chunks[0].begin);
	columnar_thrift_add_i64(out, 6, bytes);
	columnar_thrift_end(out);
}

static void add_pairs(struct thrift_out *out, int id, const struct columnar_pair *pairs,
		      size_t count)
{
	if (count == 0)
		return;
	columnar_thrift_add_list(out, id, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		columnar_thrift_begin(out, 0);
		columnar_thrift_add_text(out, 1, pairs[i].key);
		columnar_thrift_add_text(out, 2, pairs[i].value);
		columnar_thrift_end(out);
	}
}

void columnar_parquet_footer_write(const struct columnar_schema *schema, const char *created_by,
				   const struct parquet_group *groups, size_t group_count,
				   struct pl_buf *out)
{
	struct thrift_out footer = { .buf = out };
	int64_t rows = 0;

	for (size_t i = 0; i < group_count; i++)
		rows += groups[i].rows;
	columnar_thrift_add_i32(&footer, 1, 2);
	add_schema(&footer, schema);
	columnar_thrift_add_i64(&footer, 3, rows);
	columnar_thrift_add_list(&footer, 4, THRIFT_STRUCT, group_count);
	for (size_t i = 0; i < group_count; i++)
		add_group(&footer, schema, &groups[i]);
	add_pairs(&footer, 5, schema->pairs, schema->pair_count);
	columnar_thrift_add_text(&footer, 6, created_by);
	/* without the order of their type, readers ignore the statistics of texts */
	columnar_thrift_add_list(&footer, 7, THRIFT_STRUCT, schema->count);
	for (size_t i = 0; i < schema->count; i++) {
		columnar_thrift_begin(&footer, 0);
		columnar_thrift_add_empty(&footer, 1);
		columnar_thrift_end(&footer);
	}
	columnar_thrift_end(&footer);
}
