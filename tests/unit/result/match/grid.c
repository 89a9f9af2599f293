#include "result/match/grid.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"

static const char *const ids[] = { "results.median_ttft_ms", "results.output_throughput" };

static bool counts_down(void *data)
{
	size_t *left = data;

	return *left > 0 && (*left)-- > 0;
}

/* Two configurations of both sides, and one of each side alone. */
static json_t *compare(const struct res_fields *fields, size_t *left)
{
	const struct res_field metrics[] = { *res_fields_find(fields, ids[0]),
					     *res_fields_find(fields, ids[1]) };
	const struct res_grid_options options = { .metrics = metrics,
						  .metric_count = 2,
						  .names = { "A", "B" },
						  .goes_on = left != NULL ? counts_down : NULL,
						  .data = left };
	auto_grid struct res_grid *grid = res_grid_new(fields, &options);

	for (int side = 0; side < RES_GRID_SIDES; side++) {
		for (int i = 0; i < 3; i++) {
			int size = i < 2 ? i : 2 + side;
			const double values[] = { 100 + 10 * side, 1000.0 };
			res_grid_add(grid, side,
				     json_pack("{s:i}", "server.max_num_seqs", 1 << size), values);
		}
	}
	return res_grid_json(grid);
}

static size_t length(const json_t *answer, const char *first, const char *second)
{
	const json_t *list = json_object_get(answer, first);

	return json_array_size(second != NULL ? json_object_get(list, second) : list);
}

static void test_result_match_grid__the_end_of_time_omits_the_rest(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *whole = compare(fields, NULL);

	(void)state;
	assert_int_equal(length(whole, "cells", NULL), 2);
	assert_int_equal(length(whole, "metrics", NULL), 2);
	/* asked once per metric, and once per list of unmatched configurations */
	for (size_t time = 0; time <= 4; time++) {
		size_t left = time;
		auto_json json_t *answer = compare(fields, &left);
		const json_t *unmatched = json_object_get(answer, "unmatched");
		assert_int_equal(length(answer, "metrics", NULL), time < 2 ? time : 2);
		assert_int_equal(length(answer, "unmatched", "a"), time > 2);
		assert_int_equal(length(answer, "unmatched", "b"), time > 3);
		assert_int_equal(json_integer_value(json_object_get(unmatched, "a_count")), 1);
		assert_int_equal(json_integer_value(json_object_get(unmatched, "b_count")), 1);
		assert_true(json_equal(json_object_get(answer, "cells"),
				       json_object_get(whole, "cells")));
		for (size_t k = 0; k < length(answer, "metrics", NULL); k++)
			assert_true(
				json_equal(json_array_get(json_object_get(answer, "metrics"), k),
					   json_array_get(json_object_get(whole, "metrics"), k)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_match_grid__the_end_of_time_omits_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
