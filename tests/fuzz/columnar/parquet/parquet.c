/* Reads any bytes as a Parquet file: refused, or all pages of all columns. Every value is used. */
#include "columnar/parquet/parquet.h"
#include "../use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_chunk(const struct columnar_parquet *parquet, size_t group, size_t column)
{
	enum columnar_type type = columnar_parquet_schema(parquet)->fields[column].type;
	auto_columnar_parquet_cursor struct columnar_parquet_cursor *cursor =
		columnar_parquet_cursor_new(parquet, group, column);
	struct columnar_values values;
	struct pl_err err = PL_ERR_INIT;
	int64_t rows = 0;

	do {
		if (columnar_parquet_next(cursor, &values, &err) < 0)
			return;
		use_values(type, &values);
		rows += (int64_t)values.count;
	} while (values.count > 0);
	if (rows != columnar_parquet_group_rows(parquet, group))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_columnar_parquet struct columnar_parquet *parquet = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (columnar_parquet_open(data, size, &USE_LIMITS, &parquet, &err) < 0)
		return 0;
	use_schema(columnar_parquet_schema(parquet));
	for (size_t i = 0; i < columnar_parquet_groups(parquet); i++) {
		for (size_t k = 0; k < columnar_parquet_schema(parquet)->count; k++)
			read_chunk(parquet, i, k);
	}
	return 0;
}
