/* Arrow IPC: what is written is read; damaged files are refused. Other readers: tests/scenario/columnar/test_peers.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "columnar/arrow/arrow.h"
#include "columnar_files.h"

#define FILE_BYTES_MAX ((size_t)1 << 30)

static void write_table(const struct table *table, enum columnar_codec codec, size_t batch_rows,
			struct pl_buf *out)
{
	struct pl_err err = PL_ERR_INIT;

	if (table_write_arrow(table, codec, batch_rows, out, &err) < 0)
		fail_msg("%s", err.text);
}

static void check_schema(const struct columnar_schema *found,
			 const struct columnar_schema *expected)
{
	assert_int_equal(found->count, expected->count);
	assert_string_equal(columnar_schema_find(found, "made_by"), "table_new");
	for (size_t i = 0; i < found->count; i++) {
		const struct columnar_field *one = &found->fields[i], *two = &expected->fields[i];
		assert_string_equal(one->name, two->name);
		assert_int_equal(one->type, two->type);
		assert_int_equal(one->is_optional, two->is_optional);
		assert_int_equal(one->pair_count, two->pair_count);
		for (size_t k = 0; k < one->pair_count; k++) {
			assert_string_equal(one->pairs[k].key, two->pairs[k].key);
			assert_string_equal(one->pairs[k].value, two->pairs[k].value);
		}
	}
}

static void check_column(const struct table *table, struct columnar_arrow *arrow, size_t column)
{
	enum columnar_type type = table->schema.fields[column].type;
	struct columnar_values values;
	struct pl_err err = PL_ERR_INIT;
	auto_buf found = PL_BUF(1 << 20);
	auto_buf expected = PL_BUF(1 << 20);
	size_t row = 0;

	for (size_t batch = 0; batch < columnar_arrow_batches(arrow); batch++) {
		if (columnar_arrow_read(arrow, batch, column, &values, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(values.count, columnar_arrow_batch_rows(arrow, batch));
		for (size_t i = 0; i < values.count; i++, row++) {
			pl_buf_clear(&found);
			pl_buf_clear(&expected);
			table_print(&found, type, &values, i);
			table_print(&expected, type, &table->columns[column], row);
			assert_string_equal(pl_buf_text(&found), pl_buf_text(&expected));
		}
	}
	assert_int_equal(row, table->rows);
}

static void check_round_trip(uint64_t seed, size_t rows, size_t columns, enum columnar_codec codec,
			     size_t batch_rows)
{
	struct table *table = table_new(seed, rows, columns);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;

	write_table(table, codec, batch_rows, &file);
	/* the file, and the stream in it: after the magic, up to the mark of its end */
	for (size_t skip = 0; skip <= 8; skip += 8) {
		auto_columnar_arrow struct columnar_arrow *arrow = NULL;
		if (columnar_arrow_open(file.data + skip, file.len - skip, &COLUMNAR_LIMITS, &arrow,
					&err) < 0)
			fail_msg("%s", err.text);
		check_schema(columnar_arrow_schema(arrow), &table->schema);
		for (size_t i = 0; i < columns; i++)
			check_column(table, arrow, i);
	}
	table_free(table);
}

static void test_columnar_arrow__reads_what_it_writes(void **state)
{
	static const struct {
		size_t rows, columns, batch_rows;
	} shapes[] = { { 0, 0, 1 },       { 0, 7, 1 },    { 1, 12, 1 },
		       { 5, 0, 5 },       { 7, 20, 3 },   { 100, 30, 64 },
		       { 1000, 30, 300 }, { 3, 1000, 2 }, { 20000, 12, 9000 } };
	(void)state;

	for (size_t i = 0; i < PL_ARRAY_SIZE(shapes); i++) {
		check_round_trip(i + 1, shapes[i].rows, shapes[i].columns, COLUMNAR_PLAIN,
				 shapes[i].batch_rows);
		check_round_trip(i + 1, shapes[i].rows, shapes[i].columns, COLUMNAR_ZSTD,
				 shapes[i].batch_rows);
	}
}

static void test_columnar_arrow__makes_the_same_bytes(void **state)
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
			    "d9eb44c5f561d74afb32c1d2cc0b41fbb1fd59a2a7653c84e43a527736623059");
	table_free(table);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static bool is_refused(const char *bytes, size_t len, struct pl_err *err)
{
	const struct columnar_limits limits = { .bytes = 1 << 20, .rows = 1 << 17 };
	auto_columnar_arrow struct columnar_arrow *arrow = NULL;
	struct columnar_values values;

	/* an exact copy: a sanitizer sees a read outside of it */
	auto_free char *copy = pl_memdup(bytes, len);
	if (columnar_arrow_open(copy, len, &limits, &arrow, err) < 0)
		return true;
	for (size_t i = 0; i < columnar_arrow_batches(arrow); i++) {
		for (size_t k = 0; k < columnar_arrow_schema(arrow)->count; k++) {
			if (columnar_arrow_read(arrow, i, k, &values, err) < 0)
				return true;
		}
	}
	return false;
}

static void test_columnar_arrow__survives_a_flipped_bit(void **state)
{
	struct table *table = table_new(5, 30, 8);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	size_t refused = 0;
	(void)state;

	write_table(table, COLUMNAR_ZSTD, 20, &file);
	assert_false(is_refused(file.data, file.len, &err));
	size_t step = 1 + file.len / 4000;
	for (size_t i = 0; i < file.len; i += step) {
		for (unsigned bit = 0; bit < 8; bit++) {
			file.data[i] = (char)(file.data[i] ^ 1 << bit);
			refused += is_refused(file.data, file.len, &err);
			file.data[i] = (char)(file.data[i] ^ 1 << bit);
		}
	}
	/* buffers have no checksum, but every reference and length is checked */
	assert_true(refused > 100);
	assert_false(is_refused(file.data, file.len, &err));
	table_free(table);
}

static void test_columnar_arrow__refuses_a_part(void **state)
{
	struct table *table = table_new(6, 30, 8);
	auto_buf file = PL_BUF(FILE_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	uint32_t footer;
	(void)state;

	write_table(table, COLUMNAR_PLAIN, 20, &file);
	memcpy(&footer, file.data + file.len - 10, 4);
	size_t end = file.len - 10 - footer, step = 1 + end / 4000;
	for (size_t len = 0; len < end; len += step)
		assert_true(is_refused(file.data, len, &err));
	assert_true(is_refused("ARROW1", 6, &err));
	assert_string_equal(err.text, "message at byte 0: found 6 bytes, expected a message");
	table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columnar_arrow__reads_what_it_writes),
		cmocka_unit_test(test_columnar_arrow__makes_the_same_bytes),
		cmocka_unit_test(test_columnar_arrow__survives_a_flipped_bit),
		cmocka_unit_test(test_columnar_arrow__refuses_a_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
