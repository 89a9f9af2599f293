/*
 * Parquet and Arrow files, for test_columnar_peers.py:
 *
 *	write parquet|arrow plain|snappy|zstd SEED ROWS COLUMNS PART_ROWS FILE   a random table
 *	table SEED ROWS COLUMNS    the cells of that table: one JSON list per column
 *	print FILE                 the schema of a file as JSON, then its cells as above
 *
 * and for tests/perf/dashboard_load.py:
 *
 *	csv FILE                   an exported Parquet file as /api/export/csv would have it, without provenance
 */
#include <inttypes.h>

#include "../columnar_files.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "query/export/export.h"

#define FILE_BYTES_MAX ((size_t)1 << 30)

static int fail(const struct pl_err *err)
{
	fprintf(stderr, "columnar_driver: %s\n", err->text);
	return 1;
}

static void print_column(enum columnar_type type, const struct columnar_values *values,
			 bool *is_first)
{
	auto_buf cell = PL_BUF(FILE_BYTES_MAX);

	for (size_t row = 0; row < values->count; row++) {
		pl_buf_clear(&cell);
		table_print(&cell, type, values, row);
		printf("%s%s", *is_first ? "" : ",", pl_buf_text(&cell));
		*is_first = false;
	}
}

/* An export as Parquet has the metadata of all columns under one key. */
static void print_schema(const struct columnar_schema *schema)
{
	auto_json json_t *list = json_array();
	const char *fields = columnar_schema_find(schema, "fields");
	auto_json json_t *of_fields = fields != NULL ? pl_json_of_text(fields) : NULL;

	for (size_t i = 0; i < schema->count; i++) {
		const struct columnar_field *field = &schema->fields[i];
		json_t *pairs = json_deep_copy(json_object_get(of_fields, field->name));
		if (pairs == NULL)
			pairs = json_object();
		for (size_t k = 0; k < field->pair_count; k++)
			json_object_set_new(pairs, field->pairs[k].key,
					    json_string(field->pairs[k].value));
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:b, s:o}", "name", field->name, "type",
						columnar_type_name(field->type), "optional",
						field->is_optional, "pairs", pairs));
	}
	auto_free char *text = pl_json_to_text(list, PL_JSON_COMPACT);
	puts(text);
}

static int print_parquet(const char *bytes, size_t len, struct pl_err *err)
{
	auto_columnar_parquet struct columnar_parquet *parquet = NULL;

	if (columnar_parquet_open(bytes, len, &COLUMNAR_LIMITS, &parquet, err) < 0)
		return fail(err);
	const struct columnar_schema *schema = columnar_parquet_schema(parquet);
	print_schema(schema);
	for (size_t i = 0; i < schema->count; i++) {
		bool is_first = true;
		putchar('[');
		for (size_t k = 0; k < columnar_parquet_groups(parquet); k++) {
			auto_columnar_parquet_cursor struct columnar_parquet_cursor *cursor =
				columnar_parquet_cursor_new(parquet, k, i);
			struct columnar_values values;
			do {
				if (columnar_parquet_next(cursor, &values, err) < 0)
					return fail(err);
				print_column(schema->fields[i].type, &values, &is_first);
			} while (values.count > 0);
		}
		puts("]");
	}
	return 0;
}

static int print_arrow(const char *bytes, size_t len, struct pl_err *err)
{
	auto_columnar_arrow struct columnar_arrow *arrow = NULL;

	if (columnar_arrow_open(bytes, len, &COLUMNAR_LIMITS, &arrow, err) < 0)
		return fail(err);
	const struct columnar_schema *schema = columnar_arrow_schema(arrow);
	print_schema(schema);
	for (size_t i = 0; i < schema->count; i++) {
		bool is_first = true;
		putchar('[');
		for (size_t k = 0; k < columnar_arrow_batches(arrow); k++) {
			struct columnar_values values;
			if (columnar_arrow_read(arrow, k, i, &values, err) < 0)
				return fail(err);
			print_column(schema->fields[i].type, &values, &is_first);
		}
		puts("]");
	}
	return 0;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* A column of the CSV file: one of the Parquet file, and NAME:other if it has one. */
struct csv_column {
	const struct columnar_field *field;
	const char *empty; /* what a null is, if all are the same; NULL: nothing is null */
	bool has_other;    /* the next column of the Parquet file */
};

static void csv_json(struct pl_buf *out, const struct columnar_text *text)
{
	auto_free char *copy = pl_strndup(text->bytes, text->len);
	auto_json json_t *json = json_loads(copy, JSON_DECODE_ANY, NULL);

	if (json_is_string(json))
		query_export_csv_marked(out, json_string_value(json));
	else if (json_is_number(json))
		query_export_csv_number(out, json_number_value(json));
	else if (json_is_array(json) || json_is_object(json))
		query_export_csv_text(out, copy);
	else
		pl_buf_add_text(out, copy);
}

/* Returns false if the cell is null. */
static bool csv_cell(struct pl_buf *out, const struct columnar_field *field,
		     const struct columnar_values *values, size_t row)
{
	uint32_t at = columnar_values_at(values, row);
	char time[32];

	if (at == COLUMNAR_NULL)
		return false;
	switch (field->type) {
	case COLUMNAR_YES:
		pl_buf_add_text(out, values->yes[at] ? "true" : "false");
		break;
	case COLUMNAR_F64:
		query_export_csv_number(out, values->f64[at]);
		break;
	case COLUMNAR_I64:
		query_export_csv_number(out, (double)values->i64[at]);
		break;
	case COLUMNAR_TIME:
		/* as synthetic results have it */
		pl_clock_rfc3339(values->i64[at] * 1000, time);
		pl_buf_add_text(out, time);
		break;
	case COLUMNAR_TEXT: {
		const struct columnar_text *text = &values->texts[at];
		auto_free char *copy = pl_strndup(text->bytes, text->len);
		if (field->is_json)
			csv_json(out, text);
		else
			query_export_csv_marked(out, copy);
		break;
	}
	}
	return true;
}

static void csv_row(struct pl_buf *out, const struct csv_column *columns, size_t count,
		    const struct columnar_values *values, const size_t *rows)
{
	for (size_t i = 0; i < count; i++) {
		const struct csv_column *column = &columns[i];
		if (i > 0)
			pl_buf_add_char(out, ',');
		bool has_value = csv_cell(out, column->field, &values[i], rows[i]);
		if (column->has_other) {
			i++;
			uint32_t at = columnar_values_at(&values[i], rows[i]);
			if (!has_value && at != COLUMNAR_NULL)
				csv_json(out, &values[i].texts[at]);
		} else if (!has_value && column->empty != NULL) {
			pl_buf_add_text(out, column->empty);
		}
	}
	pl_buf_add_text(out, "\r\n");
}

/* Reads all columns of a group at once: each has a page at a time. */
static int csv_group(const struct columnar_parquet *parquet, size_t group,
		     const struct csv_column *columns, struct pl_err *err)
{
	size_t count = columnar_parquet_schema(parquet)->count;
	auto_free struct columnar_parquet_cursor **cursors = pl_alloc_array(count,
									    sizeof(*cursors));
	auto_free struct columnar_values *values = pl_alloc_array(count, sizeof(*values));
	auto_free size_t *rows = pl_alloc_array(count, sizeof(*rows));
	auto_buf out = PL_BUF(FILE_BYTES_MAX);
	int status = 0;

	for (size_t i = 0; i < count; i++)
		cursors[i] = columnar_parquet_cursor_new(parquet, group, i);
	for (int64_t row = 0; row < columnar_parquet_group_rows(parquet, group); row++) {
		for (size_t i = 0; i < count && status == 0; i++) {
			if (rows[i] == values[i].count) {
				rows[i] = 0;
				status = columnar_parquet_next(cursors[i], &values[i], err);
			}
		}
		if (status < 0)
			break;
		csv_row(&out, columns, count, values, rows);
		for (size_t i = 0; i < count; i++)
			rows[i]++;
		if (out.len > 1 << 20) {
			fwrite(out.data, 1, out.len, stdout);
			pl_buf_clear(&out);
		}
	}
	fwrite(out.data, 1, out.len, stdout);
	for (size_t i = 0; i < count; i++)
		columnar_parquet_cursor_free(cursors[i]);
	return status;
}

static int print_csv(const char *path, struct pl_err *err)
{
	auto_free char *bytes = NULL;
	auto_columnar_parquet struct columnar_parquet *parquet = NULL;
	size_t len;

	if (pl_file_read(path, FILE_BYTES_MAX, &bytes, &len, err) < 0 ||
	    columnar_parquet_open(bytes, len, &COLUMNAR_LIMITS, &parquet, err) < 0)
		return fail(err);
	const struct columnar_schema *schema = columnar_parquet_schema(parquet);
	auto_free struct csv_column *columns = pl_alloc_array(schema->count, sizeof(*columns));
	auto_json json_t *fields = pl_json_of_text(columnar_schema_find(schema, "fields"));
	auto_buf head = PL_BUF(FILE_BYTES_MAX);
	for (size_t i = 0; i < schema->count; i++) {
		const char *name = schema->fields[i].name;
		const char *empty = pl_json_get_text(json_object_get(fields, name), "empty");
		columns[i] = (struct csv_column){ .field = &schema->fields[i] };
		if (pl_text_equal(empty, "other"))
			columns[i].has_other = true;
		else if (pl_text_equal(empty, "unset"))
			columns[i].empty = "null";
		if (i > 0 && columns[i - 1].has_other)
			continue;
		pl_buf_addf(&head, "%s%s", i > 0 ? "," : "", name);
	}
	printf("%s\r\n", pl_buf_text(&head));
	for (size_t i = 0; i < columnar_parquet_groups(parquet); i++) {
		if (csv_group(parquet, i, columns, err) < 0)
			return fail(err);
	}
	return 0;
}

static int print_file(const char *path, struct pl_err *err)
{
	auto_free char *bytes = NULL;
	size_t len;

	if (pl_file_read(path, FILE_BYTES_MAX, &bytes, &len, err) < 0)
		return fail(err);
	if (len >= 4 && memcmp(bytes, "PAR1", 4) == 0)
		return print_parquet(bytes, len, err);
	return print_arrow(bytes, len, err);
}

static struct table *table_of(char **words)
{
	return table_new(strtoull(words[0], NULL, 10), strtoull(words[1], NULL, 10),
			 strtoull(words[2], NULL, 10));
}

static int print_table(char **words)
{
	struct table *table = table_of(words);

	for (size_t i = 0; i < table->schema.count; i++) {
		bool is_first = true;
		putchar('[');
		print_column(table->schema.fields[i].type, &table->columns[i], &is_first);
		puts("]");
	}
	table_free(table);
	return 0;
}

static int write_file(char **words, struct pl_err *err)
{
	enum columnar_codec codec = strcmp(words[1], "zstd") == 0     ? COLUMNAR_ZSTD
				    : strcmp(words[1], "snappy") == 0 ? COLUMNAR_SNAPPY
								      : COLUMNAR_PLAIN;
	struct table *table = table_of(words + 2);
	size_t part_rows = strtoull(words[5], NULL, 10);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	/* as an export does: readers take the metadata of columns from it */
	auto_free char *arrow = columnar_arrow_schema_text(&table->schema);

	if (strcmp(words[0], "parquet") == 0)
		columnar_schema_note(&table->schema, "ARROW:schema", arrow);
	int status = strcmp(words[0], "parquet") == 0
			     ? table_write_parquet(table, codec, part_rows, &file, err)
			     : table_write_arrow(table, codec, part_rows, &file, err);
	table_free(table);
	if (status < 0 || pl_file_write(words[6], file.data, file.len, err) < 0)
		return fail(err);
	return 0;
}

int main(int argc, char **argv)
{
	struct pl_err err = PL_ERR_INIT;

	if (argc == 9 && strcmp(argv[1], "write") == 0)
		return write_file(argv + 2, &err);
	if (argc == 5 && strcmp(argv[1], "table") == 0)
		return print_table(argv + 2);
	if (argc == 3 && strcmp(argv[1], "print") == 0)
		return print_file(argv[2], &err);
	if (argc == 3 && strcmp(argv[1], "csv") == 0)
		return print_csv(argv[2], &err);
	fputs("columnar_driver: write, table, print or csv; see columnar_driver.c\n", stderr);
	return 2;
}
