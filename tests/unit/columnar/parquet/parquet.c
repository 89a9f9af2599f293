/* Parquet: what is written is read; damaged files are refused. Other readers: tests/scenario/columnar/test_peers.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/hash.h"
#include "columnar/parquet/parquet.h"
#include "columnar_files.h"

#define FILE_BYTES_MAX ((size_t)1 << 30)

static void write_table(const struct table *table, enum columnar_codec codec, size_t group_rows,
			struct pl_buf *out)
{
	struct pl_err err = PL_ERR_INIT;

	if (table_write_parquet(table, codec, group_rows, out, &err) < 0)
		fail_msg("%s", err.text);
}

static void check_schema(const struct columnar_schema *found,
			 const struct columnar_schema *expected)
{
	assert_int_equal(found->count, expected->count);
	assert_string_equal(columnar_schema_find(found, "made_by"), "table_new");
	for (size_t i = 0; i < found->count; i++) {
		assert_string_equal(found->fields[i].name, expected->fields[i].name);
		assert_int_equal(found->fields[i].type, expected->fields[i].type);
		assert_int_equal(found->fields[i].is_json, expected->fields[i].is_json);
		assert_int_equal(found->fields[i].is_optional, expected->fields[i].is_optional);
	}
}

static void check_column(const struct table *table, const struct columnar_parquet *parquet,
			 size_t column)
{
	enum columnar_type type = table->schema.fields[column].type;
	struct columnar_values values;
	struct pl_err err = PL_ERR_INIT;
	auto_buf found = PL_BUF(1 << 20);
	auto_buf expected = PL_BUF(1 << 20);
	size_t row = 0;

	for (size_t group = 0; group < columnar_parquet_groups(parquet); group++) {
		auto_columnar_parquet_cursor struct columnar_parquet_cursor *cursor =
			columnar_parquet_cursor_new(parquet, group, column);
		int64_t nulls = 0;
		for (;;) {
			if (columnar_parquet_next(cursor, &values, &err) < 0)
				fail_msg("%s", err.text);
			if (values.count == 0)
				break;
			for (size_t i = 0; i < values.count; i++, row++) {
				pl_buf_clear(&found);
				pl_buf_clear(&expected);
				table_print(&found, type, &values, i);
				table_print(&expected, type, &table->columns[column], row);
				assert_string_equal(pl_buf_text(&found), pl_buf_text(&expected));
				nulls += columnar_values_at(&values, i) == COLUMNAR_NULL;
			}
		}
		assert_int_equal(columnar_parquet_statistics(parquet, group, column).nulls, nulls);
	}
	assert_int_equal(row, table->rows);
}

static void check_round_trip(uint64_t seed, size_t rows, size_t columns, enum columnar_codec codec,
			     size_t group_rows)
{
	struct table *table = table_new(seed, rows, columns);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	auto_columnar_parquet struct columnar_parquet *parquet = NULL;
	struct pl_err err = PL_ERR_INIT;

	write_table(table, codec, group_rows, &file);
	if (columnar_parquet_open(file.data, file.len, &COLUMNAR_LIMITS, &parquet, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(columnar_parquet_rows(parquet), rows);
	check_schema(columnar_parquet_schema(parquet), &table->schema);
	for (size_t i = 0; i < columns; i++)
		check_column(table, parquet, i);
	table_free(table);
}

static void test_columnar_parquet__reads_what_it_writes(void **state)
{
	static const struct {
		size_t rows, columns, group_rows;
	} shapes[] = { { 0, 0, 1 },       { 0, 7, 1 },    { 1, 12, 1 },
		       { 5, 0, 5 },       { 7, 20, 3 },   { 100, 30, 64 },
		       { 1000, 30, 300 }, { 3, 1000, 2 }, { 20000, 12, 9000 } };
	(void)state;

	for (size_t i = 0; i < PL_ARRAY_SIZE(shapes); i++) {
		for (int codec = COLUMNAR_PLAIN; codec <= COLUMNAR_ZSTD; codec++)
			check_round_trip(i + 1, shapes[i].rows, shapes[i].columns,
					 (enum columnar_codec)codec, shapes[i].group_rows);
	}
}

/* Columns of over a MiB have several pages, and a dictionary only if it is short. */
static void test_columnar_parquet__reads_many_pages(void **state)
{
	(void)state;
	check_round_trip(77, 400000, 5, COLUMNAR_ZSTD, 300000);
	check_round_trip(78, 400000, 5, COLUMNAR_SNAPPY, 400000);
}

static void test_columnar_parquet__makes_the_same_bytes(void **state)
{
	struct table *table = table_new(2026, 3000, 40);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	auto_digest *digest = pl_digest_new();
	char hex[PL_SHA256_HEX_BYTES];
	(void)state;

	write_table(table, COLUMNAR_PLAIN, 1100, &file);
	pl_digest_add(digest, file.data, file.len);
	pl_digest_end(digest, hex);
	assert_string_equal(hex,
			    "d6344eea0466be64bc8b0d116964f38ec82bcec8dedda89920db3d560f7d27f7");
	table_free(table);
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void read_statistics(enum columnar_type type, const struct columnar_values *values,
			    struct pl_buf *file, struct columnar_statistics *ret)
{
	auto_columnar_schema schema = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_columnar_parquet struct columnar_parquet *parquet = NULL;

	columnar_schema_add(&schema, "x", type, true);
	auto_columnar_parquet_writer struct columnar_parquet_writer *writer =
		columnar_parquet_writer_new(&schema, &(struct columnar_parquet_options){ 0, "t" },
					    file);
	columnar_parquet_begin(writer, values->count);
	assert_int_equal(columnar_parquet_add(writer, values, file, &err), 0);
	assert_int_equal(columnar_parquet_end(writer, file, &err), 0);
	assert_int_equal(
		columnar_parquet_open(file->data, file->len, &COLUMNAR_LIMITS, &parquet, &err), 0);
	*ret = columnar_parquet_statistics(parquet, 0, 0);
}

static void test_columnar_parquet__has_statistics(void **state)
{
	const double numbers[] = { NAN, 0.0, 7, INFINITY, -0.0 }, no_numbers[] = { NAN, NAN };
	const uint8_t nulls[] = { 0, 0, 1, 0, 0 };
	const int64_t integers[] = { 5, INT64_MIN, INT64_MAX };
	const uint32_t codes[] = { 0, COLUMNAR_NULL, 0 };
	const struct columnar_text texts[] = { { "b", 1 }, { "\xc3\xa9", 2 }, { "ab", 2 } };
	char long_text[65] = { 0 };
	const struct columnar_text long_texts[] = { { long_text, sizeof(long_text) } };
	struct columnar_statistics found;
	(void)state;

	auto_buf first = PL_BUF(FILE_BYTES_MAX);
	read_statistics(COLUMNAR_F64,
			&(struct columnar_values){
				.count = 5, .distinct = 5, .nulls = nulls, .f64 = numbers },
			&first, &found);
	assert_int_equal(found.nulls, 1);
	assert_int_equal(found.min_len, 8);
	/* NaN is in no range, and both zeros are in it */
	assert_memory_equal(found.min, &(double){ -0.0 }, 8);
	assert_memory_equal(found.max, &(double){ INFINITY }, 8);
	auto_buf second = PL_BUF(FILE_BYTES_MAX);
	read_statistics(COLUMNAR_F64,
			&(struct columnar_values){ .count = 2, .distinct = 2, .f64 = no_numbers },
			&second, &found);
	assert_null(found.min);
	auto_buf third = PL_BUF(FILE_BYTES_MAX);
	/* a value without a row is not in the range */
	read_statistics(COLUMNAR_I64,
			&(struct columnar_values){
				.count = 3, .distinct = 3, .codes = codes, .i64 = integers },
			&third, &found);
	assert_memory_equal(found.max, &(int64_t){ 5 }, 8);
	assert_memory_equal(found.min, &(int64_t){ 5 }, 8);
	auto_buf fourth = PL_BUF(FILE_BYTES_MAX);
	read_statistics(COLUMNAR_TEXT,
			&(struct columnar_values){ .count = 3, .distinct = 3, .texts = texts },
			&fourth, &found);
	assert_int_equal(found.max_len, 2);
	assert_memory_equal(found.min, "ab", 2);
	assert_memory_equal(found.max, "\xc3\xa9", 2);
	auto_buf fifth = PL_BUF(FILE_BYTES_MAX);
	read_statistics(COLUMNAR_TEXT,
			&(struct columnar_values){ .count = 1, .distinct = 1, .texts = long_texts },
			&fifth, &found);
	assert_null(found.min);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Reads all of a file. Returns whether it was refused; else the hash of its cells. */
static bool is_refused_or(const char *bytes, size_t len, uint64_t *ret_hash, struct pl_err *err)
{
	uint64_t hash = PL_HASH_NONE;
	const struct columnar_limits limits = { .bytes = 1 << 20, .rows = 1 << 16 };
	auto_columnar_parquet struct columnar_parquet *parquet = NULL;
	struct columnar_values values = { .count = 1 };

	/* an exact copy: a sanitizer sees a read outside of it */
	auto_free char *copy = pl_memdup(bytes, len);
	if (columnar_parquet_open(copy, len, &limits, &parquet, err) < 0)
		return true;
	for (size_t i = 0; i < columnar_parquet_groups(parquet); i++) {
		for (size_t k = 0; k < columnar_parquet_schema(parquet)->count; k++) {
			auto_columnar_parquet_cursor struct columnar_parquet_cursor *cursor =
				columnar_parquet_cursor_new(parquet, i, k);
			do {
				auto_buf cells = PL_BUF(1 << 26);
				if (columnar_parquet_next(cursor, &values, err) < 0)
					return true;
				for (size_t row = 0; row < values.count; row++)
					table_print(
						&cells,
						columnar_parquet_schema(parquet)->fields[k].type,
						&values, row);
				hash = pl_hash_bytes(hash, cells.data, cells.len);
			} while (values.count > 0);
		}
	}
	*ret_hash = hash;
	return false;
}

static bool is_refused(const char *bytes, size_t len, struct pl_err *err)
{
	uint64_t hash;

	return is_refused_or(bytes, len, &hash, err);
}

static void test_columnar_parquet__refuses_a_flipped_bit(void **state)
{
	struct table *table = table_new(5, 60, 12);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	(void)state;

	write_table(table, COLUMNAR_ZSTD, 40, &file);
	uint64_t expected, found;
	assert_false(is_refused_or(file.data, file.len, &expected, &err));
	size_t footer = 0;
	memcpy(&footer, file.data + file.len - 8, 4);
	for (size_t i = 4; i < file.len; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			file.data[i] = (char)(file.data[i] ^ 1 << bit);
			bool is_page = i < file.len - 8 - footer;
			if (!is_refused_or(file.data, file.len, &found, &err) && is_page)
				assert_int_equal(found, expected);
			file.data[i] = (char)(file.data[i] ^ 1 << bit);
		}
	}
	for (size_t len = 0; len < file.len; len++)
		assert_true(is_refused(file.data, len, &err));
	table_free(table);
}

static void test_columnar_parquet__names_the_location(void **state)
{
	struct table *table = table_new(6, 50, 3);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	(void)state;

	write_table(table, COLUMNAR_PLAIN, 50, &file);
	file.data[40] = (char)(file.data[40] ^ 1);
	assert_true(is_refused(file.data, file.len, &err));
	assert_string_equal(err.text, "row group 0, column 'c0.\xc3\xa9', page at byte 4: its "
				      "checksum does not match");
	assert_true(is_refused("PAR0", 4, &err));
	assert_string_equal(err.text, "it is not a Parquet file: found no PAR1 at both ends");
	table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columnar_parquet__reads_what_it_writes),
		cmocka_unit_test(test_columnar_parquet__reads_many_pages),
		cmocka_unit_test(test_columnar_parquet__makes_the_same_bytes),
		cmocka_unit_test(test_columnar_parquet__has_statistics),
		cmocka_unit_test(test_columnar_parquet__refuses_a_flipped_bit),
		cmocka_unit_test(test_columnar_parquet__names_the_location),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
