#include "series/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "series/series_priv.h"

static const char lines[] =
	"{\"t_ns\":5,\"source\":\"gpu\",\"id\":\"a\",\"values\":{\"power_w\":300.5}}\n"
	"{\"t_ns\":3,\"source\":\"gpu\",\"id\":\"a\",\"values\":{\"power_w\":200.5}}\n"
	"{\"t_ns\":4,\"source\":\"load\",\"values\":{\"in_flight\":2}}\nno line\n";

static struct series *made(void)
{
	struct series *series = NULL;

	assert_int_equal(series_read(lines, strlen(lines), 1 << 20, &series, PL_ERR_IGNORED), 0);
	assert_int_equal(series->track_count, 2);
	return series;
}

static struct series *loaded(const struct series *series)
{
	auto_fd int fd = memfd_create("image", MFD_CLOEXEC);
	struct series *ret = NULL;

	assert_int_equal(series_save(series, fd, PL_ERR_IGNORED), 0);
	lseek(fd, 0, SEEK_SET);
	return series_load(fd, 1 << 20, &ret, PL_ERR_IGNORED) == 0 ? ret : NULL;
}

static void test_series_image__same(void **state)
{
	const struct series_span span = { 0, 10, 10, NULL };
	auto_series struct series *series = made();
	auto_series struct series *again = loaded(series);

	(void)state;
	assert_non_null(again);
	json_t *expected = series_bins(series, &span), *found = series_bins(again, &span);
	assert_int_equal(json_array_size(json_object_get(expected, "series")), 2);
	assert_true(json_equal(expected, found));
	json_decref(expected);
	json_decref(found);
}

static void test_series_image__none(void **state)
{
	auto_series struct series *series = NULL;

	(void)state;
	assert_int_equal(series_read("x\n", 2, 1 << 20, &series, PL_ERR_IGNORED), 0);
	auto_series struct series *again = loaded(series);
	assert_non_null(again);
	assert_int_equal(again->track_count, 0);
	assert_int_equal(again->skipped, 1);
}

/* Columns that the table lacks, and times that are not in order, whoever wrote the file. */
static void test_series_image__impossible(void **state)
{
	(void)state;
	for (int i = 0; i < 7; i++) {
		auto_series struct series *series = made();
		struct series_track *track = &series->tracks[0];
		size_t count = track->count, width = track->width;
		switch (i) {
		case 0:
			track->first = series_quantity_count;
			break;
		case 1:
			track->first++;
			break;
		case 2:
			track->width--;
			break;
		case 3:
			track->t_ns[0] = 6;
			break;
		case 4:
			track->t_ns[0] = -1;
			break;
		case 5:
			track->count = 0;
			break;
		default:
			track->first = SIZE_MAX;
			break;
		}
		assert_null(loaded(series));
		track->count = count;
		track->width = width;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series_image__same),
		cmocka_unit_test(test_series_image__none),
		cmocka_unit_test(test_series_image__impossible),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
