/*
 * Parquet and Arrow files of an export. In memory are the rows' order and one part: a column of a row group for Parquet,
 * a batch for Arrow.
 */
#include <stdlib.h>
#include <string.h>

#include "columnar/arrow/arrow.h"
#include "columnar/parquet/parquet.h"
#include "query/export/export_column_priv.h"

#define GROUP_ROWS     65536
#define BATCH_BYTES    ((size_t)16 << 20)
#define BATCH_ROWS_MIN 256
#define CELL_BYTES     16 /* an estimate, for the rows of a batch */
#define TEXT_BYTES_MAX PL_JSON_BYTES_MAX
#define OTHER_SUFFIX   ":other"
#define NAME_BYTES_MAX 4096
#define SCHEMA_KEY     "ARROW:schema" /* readers of Parquet take the metadata of columns from it */

struct export_table {
	const struct export_rows *rows;
	struct columnar_schema schema;
	struct export_column *columns; /* of the schema, without the first one, which is id */
	size_t column_count;
	struct export_part part;
	int64_t *ids;
	size_t at;     /* rows of finished parts */
	size_t column; /* of the schema, within the row group */
	char *program;
	struct columnar_parquet_writer *parquet;
	struct columnar_arrow_writer *arrow;
	bool is_parquet;
	bool is_over;
	bool is_started;
};

/* ---- schema ---------------------------------------------------------------------------------- */

static void note_field(struct columnar_field *field, const struct mirror_column *from,
		       enum export_empty empty)
{
	static const char *const keys[] = { "label", "help",      "unit", "group",
					    "type",  "direction", "role" };
	static const char *const empties[] = { NULL, "not_recorded", "unset", "other" };
	auto_json json_t *json = res_field_to_json(from->field);

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		const char *text = pl_json_get_text(json, keys[i]);
		if (text != NULL && text[0] != '\0')
			columnar_field_note(field, keys[i], text);
	}
	if (empties[empty] != NULL)
		columnar_field_note(field, "empty", empties[empty]);
}

static void add_column(struct export_table *table, const struct mirror_column *from,
		       enum export_empty empty)
{
	struct export_column *column = &table->columns[table->column_count++];
	char name[NAME_BYTES_MAX];

	*column = (struct export_column){ .from = from };
	struct columnar_field *field = columnar_schema_add(&table->schema, from->field->id,
							   query_export_column_type(column), true);
	field->is_json = from->field->type == RES_FIELD_JSON;
	note_field(field, from, empty);
	if (empty != EXPORT_EMPTY_OTHER)
		return;
	column = &table->columns[table->column_count++];
	*column = (struct export_column){ .from = from, .is_other = true };
	snprintf(name, sizeof(name), "%s" OTHER_SUFFIX, from->field->id);
	field = columnar_schema_add(&table->schema, name, COLUMNAR_TEXT, true);
	field->is_json = true;
	columnar_field_note(field, "of", from->field->id);
}

static bool is_repeated(const struct export_rows *rows, size_t column)
{
	const char *id = query_export_rows_column(rows, column);

	for (size_t i = 0; i < column; i++) {
		if (strcmp(query_export_rows_column(rows, i), id) == 0)
			return true;
	}
	return false;
}

static void add_columns(struct export_table *table)
{
	size_t count = query_export_rows_columns(table->rows);
	auto_free size_t(*classes)[MIRROR_CLASS_COUNT] = query_export_rows_classes(table->rows);
	struct columnar_field *id = columnar_schema_add(&table->schema, "id", COLUMNAR_I64, false);

	columnar_field_note(id, "help", "the number of the result in this database");
	table->columns = pl_alloc_array(2 * count, sizeof(*table->columns));
	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *from = query_export_rows_source(table->rows, i);
		if (!is_repeated(table->rows, i))
			add_column(table, from,
				   query_export_column_empty(table->rows, from, classes[i]));
	}
}

static void note_json(struct columnar_schema *schema, const char *key, const json_t *json)
{
	auto_free char *text = json != NULL ? pl_json_to_text(json, PL_JSON_COMPACT)
					    : pl_strdup("null");

	columnar_schema_note(schema, key, text);
}

static void add_provenance(struct export_table *table, const json_t *request,
			   const struct query_export_options *options)
{
	struct columnar_schema *schema = &table->schema;
	const json_t *provenance = json_object_get(request, "provenance");
	const char *link = pl_json_get_text(request, "link");
	auto_json json_t *version = json_integer(query_export_rows_version(table->rows));
	auto_json json_t *count = json_integer((json_int_t)query_export_rows_count(table->rows));

	if (provenance != NULL && !json_is_true(provenance))
		return;
	columnar_schema_note(schema, "program", options->program);
	columnar_schema_note(schema, "exported_at", options->time);
	note_json(schema, "data_version", version);
	note_json(schema, "count", count);
	note_json(schema, "filter", json_object_get(request, "filter"));
	note_json(schema, "sort", json_object_get(request, "sort"));
	columnar_schema_note(schema, "link", link != NULL ? link : "");
}

/* Other readers than Arrow's find the metadata of all columns here. */
static void add_fields(struct export_table *table)
{
	struct columnar_schema *schema = &table->schema;
	auto_json json_t *fields = json_object();

	for (size_t i = 0; i < schema->count; i++) {
		const struct columnar_field *field = &schema->fields[i];
		json_t *pairs = json_object();
		for (size_t k = 0; k < field->pair_count; k++)
			json_object_set_new(pairs, field->pairs[k].key,
					    json_string(field->pairs[k].value));
		json_object_set_new(fields, field->name, pairs);
	}
	note_json(schema, "fields", fields);
}

struct export_table *query_export_table_new(const struct export_rows *rows, const json_t *request,
					    const struct query_export_options *options)
{
	struct export_table *table = pl_alloc(sizeof(*table));

	*table = (struct export_table){ .rows = rows,
					.part = { .text = PL_BUF(TEXT_BYTES_MAX) },
					.program = pl_strdup(options->program),
					.is_parquet = options->form == QUERY_EXPORT_PARQUET };
	add_columns(table);
	add_provenance(table, request, options);
	if (table->is_parquet) {
		auto_free char *arrow = columnar_arrow_schema_text(&table->schema);
		add_fields(table);
		columnar_schema_note(&table->schema, SCHEMA_KEY, arrow);
	}
	return table;
}

void query_export_table_free(struct export_table *table)
{
	if (table == NULL)
		return;
	columnar_parquet_writer_free(table->parquet);
	columnar_arrow_writer_free(table->arrow);
	columnar_schema_done(&table->schema);
	query_export_part_done(&table->part);
	free(table->columns);
	free(table->ids);
	free(table->program);
	free(table);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void start_part(struct export_table *table, size_t rows_max)
{
	size_t left = query_export_rows_count(table->rows) - table->at;
	size_t count = left < rows_max ? left : rows_max;

	query_export_part_start(&table->part, table->rows, table->at, count);
	table->ids = pl_realloc_array(table->ids, count, sizeof(*table->ids));
	for (size_t i = 0; i < count; i++)
		table->ids[i] = query_export_rows_id(table->rows, table->at + i);
}

/* Reads column `column` of the schema for the started part. */
static void read_column(struct export_table *table, size_t column, struct columnar_values *ret)
{
	if (column == 0)
		*ret = (struct columnar_values){ .count = table->part.count,
						 .distinct = table->part.count,
						 .i64 = table->ids };
	else
		query_export_part_read(&table->part, &table->columns[column - 1], ret);
}

static int parquet_piece(struct export_table *table, struct pl_buf *out, struct pl_err *err)
{
	struct columnar_values values;

	if (!table->is_started) {
		const struct columnar_parquet_options options = { COLUMNAR_ZSTD, table->program };
		table->parquet = columnar_parquet_writer_new(&table->schema, &options, out);
		table->is_started = true;
		return 0;
	}
	if (table->at == query_export_rows_count(table->rows)) {
		table->is_over = true;
		return columnar_parquet_end(table->parquet, out, err);
	}
	if (table->column == 0) {
		start_part(table, GROUP_ROWS);
		columnar_parquet_begin(table->parquet, table->part.count);
	}
	read_column(table, table->column, &values);
	if (columnar_parquet_add(table->parquet, &values, out, err) < 0)
		return -1;
	if (++table->column == table->schema.count) {
		table->column = 0;
		table->at += table->part.count;
	}
	return 0;
}

static int start_arrow(struct export_table *table, struct pl_buf *out, struct pl_err *err)
{
	size_t columns = table->schema.count;
	/* a text column is the same type in every file: none has a dictionary */
	auto_free const struct columnar_text **dictionaries = pl_alloc_array(columns,
									     sizeof(*dictionaries));
	auto_free size_t *counts = pl_alloc_array(columns, sizeof(*counts));

	table->is_started = true;
	return columnar_arrow_writer_new(&table->schema, dictionaries, counts, COLUMNAR_ZSTD, out,
					 &table->arrow, err);
}

static int arrow_piece(struct export_table *table, struct pl_buf *out, struct pl_err *err)
{
	size_t rows = BATCH_BYTES / (CELL_BYTES * table->schema.count);
	struct columnar_values values;

	if (!table->is_started)
		return start_arrow(table, out, err);
	if (table->at == query_export_rows_count(table->rows)) {
		table->is_over = true;
		return columnar_arrow_end(table->arrow, out, err);
	}
	rows = rows < BATCH_ROWS_MIN ? BATCH_ROWS_MIN : rows > GROUP_ROWS ? GROUP_ROWS : rows;
	start_part(table, rows);
	columnar_arrow_begin(table->arrow, table->part.count);
	for (size_t i = 0; i < table->schema.count; i++) {
		read_column(table, i, &values);
		if (columnar_arrow_add(table->arrow, &values, err) < 0)
			return -1;
	}
	table->at += table->part.count;
	return columnar_arrow_flush(table->arrow, out, err);
}

int query_export_table_piece(struct export_table *table, struct pl_buf *out, bool *ret_is_over,
			     struct pl_err *err)
{
	if (!table->is_over &&
	    (table->is_parquet ? parquet_piece(table, out, err) : arrow_piece(table, out, err)) < 0)
		return -1;
	*ret_is_over = table->is_over;
	return 0;
}
