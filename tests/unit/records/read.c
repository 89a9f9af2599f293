#include "records/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

#define BYTES_MAX       (1 << 20)
#define NOT_SENT(index) "{\"index\":" #index ",\"error\":{\"kind\":\"not_sent\"}}\n"

/* Lines and rows are bounded; so is what a file that repeats one line takes. */
static void test_records_read__bounds(void **state)
{
	auto_records_reader struct records_reader *reader = records_reader_new(BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	int rc = 0;

	(void)state;
	for (int i = 0; rc == 0 && i < 100000; i++)
		rc = records_reader_add(reader, NOT_SENT(1), strlen(NOT_SENT(1)), &err);
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, PL_ERR_INVALID);

	auto_records_reader struct records_reader *lines = records_reader_new(BYTES_MAX);
	rc = 0;
	for (size_t i = 0; rc == 0 && i <= RECORDS_LINES_MAX; i++)
		rc = records_reader_add(lines, "x\n", 2, &err);
	assert_int_equal(rc, -1);
}

static void test_records_read__long_lines(void **state)
{
	auto_records_reader struct records_reader *reader = records_reader_new(BYTES_MAX);
	struct records *records = NULL;
	size_t len = 1 << 20;
	auto_free char *blanks = pl_alloc(len);

	(void)state;
	memset(blanks, ' ', len);
	for (size_t i = 0; i <= RECORDS_LINE_BYTES_MAX / len; i++)
		assert_int_equal(records_reader_add(reader, blanks, len, PL_ERR_IGNORED), 0);
	assert_int_equal(records_reader_add(reader, "\n" NOT_SENT(1), strlen("\n" NOT_SENT(1)),
					    PL_ERR_IGNORED),
			 0);
	assert_int_equal(records_reader_end(reader, &records, PL_ERR_IGNORED), 0);
	assert_int_equal(records->count, 1);
	records_unref(records);
}

/* A message is cut at 1,000 bytes, between characters. */
/* Text of `count` records and a line without an end. */
static char *many_lines(int count)
{
	auto_buf text = PL_BUF(1 << 24);

	for (int i = 0; i < count; i++)
		pl_buf_addf(&text, "{\"index\":%d,\"error\":null}\n", i);
	pl_buf_add_text(&text, "{\"index\":");
	return pl_buf_take(&text);
}

static void test_records_read__whole_file(void **state)
{
	auto_free char *text = many_lines(1000);
	auto_unpack struct pl_unpack *file = pl_unpack_new_text(text, strlen(text));
	auto_records struct records *records = NULL;

	(void)state;
	assert_int_equal(records_read(file, NULL, BYTES_MAX, &records, PL_ERR_IGNORED), 0);
	assert_int_equal(records->count, 1000);
	assert_int_equal(records->skipped, 1);
}

/* After an error, the rows before it are useful. */
static void test_records_read__rows_before_the_error(void **state)
{
	auto_free char *text = many_lines(100000);
	auto_unpack struct pl_unpack *file = pl_unpack_new_text(text, strlen(text));
	auto_records struct records *records = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(records_read(file, NULL, BYTES_MAX, &records, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_true(records->count > 1000 && records->count < 100000);
	assert_int_equal(records->rows[records->count - 1].index, records->count - 1);
	assert_int_equal(records->skipped, 0);
}

static bool is_canceled(void *data)
{
	int *calls = data;

	return ++*calls == 3;
}

/* It is asked for each block of 256 KiB. */
static void test_records_read__canceled(void **state)
{
	auto_free char *text = many_lines(100000);
	auto_unpack struct pl_unpack *file = pl_unpack_new_text(text, strlen(text));
	auto_records struct records *records = NULL;
	struct pl_err err = PL_ERR_INIT;
	int calls = 0;
	const struct records_cancel cancel = { is_canceled, &calls };

	(void)state;
	assert_int_equal(records_read(file, &cancel, SIZE_MAX, &records, &err), -1);
	assert_int_equal(err.code, PL_ERR_INTERRUPTED);
	assert_true(records->count > 1000 && records->count < 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_read__bounds),
		cmocka_unit_test(test_records_read__long_lines),
		cmocka_unit_test(test_records_read__whole_file),
		cmocka_unit_test(test_records_read__rows_before_the_error),
		cmocka_unit_test(test_records_read__canceled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
