#include "records/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

static const char lines[] =
	"{\"index\":0,\"request_id\":\"a\",\"acted_ns\":10,\"end_ns\":9000000000,"
	"\"events\":[[20,1,2],[30,1,2],[8000000000,1,2]],\"error\":null,\"status\":200}\n"
	"{\"index\":1,\"request_id\":\"b\",\"error\":{\"kind\":\"timeout\",\"message\":\"m\"}}\n";

static struct records *made(void)
{
	auto_unpack struct pl_unpack *file = pl_unpack_new_text(lines, strlen(lines));
	struct records *records = NULL;

	assert_int_equal(records_read(file, NULL, 1 << 20, &records, PL_ERR_IGNORED), 0);
	assert_int_equal(records->count, 2);
	assert_int_equal(records->long_count, 1);
	return records;
}

/* Saves, and loads; returns NULL if it is refused. */
static struct records *loaded(const struct records *records)
{
	auto_fd int fd = memfd_create("image", MFD_CLOEXEC);
	struct records *ret = NULL;

	assert_int_equal(records_save(records, fd, PL_ERR_IGNORED), 0);
	lseek(fd, 0, SEEK_SET);
	return records_load(fd, 1 << 20, &ret, PL_ERR_IGNORED) == 0 ? ret : NULL;
}

static void test_records_image__same(void **state)
{
	auto_records struct records *records = made();
	auto_records struct records *again = loaded(records);

	(void)state;
	assert_non_null(again);
	assert_int_equal(again->count, 2);
	assert_int_equal(again->lines, records->lines);
	assert_int_equal(again->gap_count, 2);
	assert_int_equal(records_gap(again, 1), 8000000000 - 30);
	assert_memory_equal(again->rows, records->rows, 2 * sizeof(records->rows[0]));
	assert_memory_equal(again->itl, records->itl, sizeof(records->itl));
	assert_string_equal(records_text(again, again->rows[1].message_at), "m");
}

/* No row may refer to anything outside the arrays, whoever wrote the file. */
static void test_records_image__impossible(void **state)
{
	(void)state;
	for (int i = 0;; i++) {
		auto_records struct records *records = made();
		struct records_row *row = &records->rows[0];
		bool was_last = false;
		switch (i) {
		case 0:
			row->gap_at = UINT64_MAX;
			break;
		case 1:
			row->gap_count = 3;
			break;
		case 2:
			row->id_at = (uint32_t)records->text_len;
			break;
		case 3:
			row->message_at = UINT32_MAX;
			break;
		case 4:
			row->finish_at = UINT32_MAX;
			break;
		case 5:
			row->status = RECORDS_STATUSES;
			break;
		case 6:
			row->failure = RECORDS_FAILURES;
			break;
		case 7:
			memset(&row->has_start, 2, 1);
			break;
		case 8:
			row->index = 1;
			break;
		case 9:
			records->texts[records->text_len - 1] = 'x';
			break;
		case 10:
			records->text_len = 0;
			break;
		case 11:
			records->long_gaps[0].at = 0;
			break;
		case 12:
			records->long_gaps[0].at = 99;
			break;
		case 13:
			records->long_count = 0;
			break;
		case 14:
			records->gaps[0] = RECORDS_LONG_GAP;
			break;
		default:
			was_last = true;
		}
		if (was_last)
			return;
		assert_null(loaded(records));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_image__same),
		cmocka_unit_test(test_records_image__impossible),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
