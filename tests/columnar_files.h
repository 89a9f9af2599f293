/* Writes a random table as a file. */
#pragma once

#include "columnar/arrow/arrow.h"
#include "columnar/parquet/parquet.h"
#include "columnar_tables.h"

static inline int table_write_arrow(const struct table *table, enum columnar_codec codec,
				    size_t batch_rows, struct pl_buf *out, struct pl_err *err)
{
	size_t columns = table->schema.count;
	auto_free const struct columnar_text **dictionaries = pl_alloc_array(columns,
									     sizeof(*dictionaries));
	auto_free size_t *counts = pl_alloc_array(columns, sizeof(*counts));
	auto_columnar_arrow_writer struct columnar_arrow_writer *writer = NULL;

	for (size_t i = 0; i < columns; i++) {
		if (table->schema.fields[i].type != COLUMNAR_TEXT ||
		    table->columns[i].codes == NULL)
			continue;
		dictionaries[i] = table->columns[i].texts;
		counts[i] = table->columns[i].distinct;
	}
	if (columnar_arrow_writer_new(&table->schema, dictionaries, counts, codec, out, &writer,
				      err) < 0)
		return -1;
	for (size_t row = 0; row < table->rows; row += batch_rows) {
		size_t left = table->rows - row, count = left < batch_rows ? left : batch_rows;
		columnar_arrow_begin(writer, count);
		for (size_t i = 0; i < columns; i++) {
			struct columnar_values values = table_slice(table, i, row, count);
			if (columnar_arrow_add(writer, &values, err) < 0)
				return -1;
		}
		if (columnar_arrow_flush(writer, out, err) < 0)
			return -1;
	}
	return columnar_arrow_end(writer, out, err);
}

static inline int table_write_parquet(const struct table *table, enum columnar_codec codec,
				      size_t group_rows, struct pl_buf *out, struct pl_err *err)
{
	auto_columnar_parquet_writer struct columnar_parquet_writer *writer =
		columnar_parquet_writer_new(
			&table->schema,
			&(struct columnar_parquet_options){ codec, "columnar test" }, out);

	for (size_t row = 0; row < table->rows; row += group_rows) {
		size_t left = table->rows - row, count = left < group_rows ? left : group_rows;
		columnar_parquet_begin(writer, count);
		for (size_t i = 0; i < table->schema.count; i++) {
			struct columnar_values values = table_slice(table, i, row, count);
			if (columnar_parquet_add(writer, &values, out, err) < 0)
				return -1;
		}
	}
	return columnar_parquet_end(writer, out, err);
}
