/*
 * Parquet and Arrow files, for test_columnar_peers.py:
 *
 *	write parquet|arrow plain|snappy|zstd SEED ROWS COLUMNS PART_ROWS FILE   a random table
 *	table SEED ROWS COLUMNS    the cells of that table: one JSON list per column
 *	print FILE                 the schema of a file as JSON, then its cells as above
 */
#include <inttypes.h>

#include "../columnar_files.h"
#include "base/file.h"
#include "base/json.h"

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

static void print_schema(const struct columnar_schema *schema)
{
	auto_json json_t *list = json_array();

	for (size_t i = 0; i < schema->count; i++) {
		const struct columnar_field *field = &schema->fields[i];
		json_t *pairs = json_object();
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
	fputs("columnar_driver: write, table or print; see columnar_driver.c\n", stderr);
	return 2;
}
