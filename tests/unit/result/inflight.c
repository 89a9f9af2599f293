#include "result/inflight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"

#define AT_MS(ms) ((ms)*PL_NS_PER_MS)

/* Ten in flight from 1 s on, twenty from 10 s on. */
static const struct res_inflight ours[] = {
	{ AT_MS(900), 2 },
	{ AT_MS(1000), 10 },
	{ AT_MS(10000), 20 },
};

static void compare(const struct res_inflight_sample *samples, size_t count, double *used,
		    double *median)
{
	res_inflight_compare(ours, PL_ARRAY_SIZE(ours), samples, count, used, median);
}

static void test_run_inflight__equal_counts_agree(void **state)
{
	(void)state;
	const struct res_inflight_sample samples[] = {
		{ AT_MS(2000), 10 }, { AT_MS(3000), 10 },  { AT_MS(4000), 10 },
		{ AT_MS(5000), 10 }, { AT_MS(11000), 20 },
	};
	double used, median;

	compare(samples, PL_ARRAY_SIZE(samples), &used, &median);
	assert_true(used == 5);
	assert_true(median == 0);
}

static void test_run_inflight__distance_is_a_share_of_ours(void **state)
{
	(void)state;
	const struct res_inflight_sample samples[] = {
		{ AT_MS(2000), 13 }, { AT_MS(3000), 13 }, { AT_MS(4000), 7 },
		{ AT_MS(5000), 13 }, { AT_MS(6000), 99 },
	};
	double used, median;

	compare(samples, PL_ARRAY_SIZE(samples), &used, &median);
	assert_true(fabs(median - 0.3) < 1e-12);
}

/* Our count within the last 250 ms is compared, an earlier one is not. */
static void test_run_inflight__the_server_may_lag(void **state)
{
	(void)state;
	struct res_inflight_sample samples[5];
	double used, median;

	for (size_t i = 0; i < PL_ARRAY_SIZE(samples); i++)
		samples[i] = (struct res_inflight_sample){ AT_MS(10100), 10 };
	compare(samples, PL_ARRAY_SIZE(samples), &used, &median);
	assert_true(median == 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(samples); i++)
		samples[i].t_ns = AT_MS(10251);
	compare(samples, PL_ARRAY_SIZE(samples), &used, &median);
	assert_true(median == 0.5);
}

static void test_run_inflight__too_few_or_too_small_are_unknown(void **state)
{
	(void)state;
	const struct res_inflight_sample samples[] = {
		{ AT_MS(500), 0 },   { AT_MS(950), 2 },   { AT_MS(2000), 10 },
		{ AT_MS(3000), 10 }, { AT_MS(4000), 10 }, { AT_MS(5000), 10 },
	};
	double used, median;

	compare(samples, PL_ARRAY_SIZE(samples), &used, &median);
	assert_true(used == 4);
	assert_true(isnan(median));
	compare(NULL, 0, &used, &median);
	assert_true(used == 0 && isnan(median));
}

/* Two requests from 1 s on; the first fails at 2 s and at 4 s and is tried again a second later. */
static void test_run_inflight__a_request_between_tries_is_not_counted(void **state)
{
	static const struct res_inflight all[] = { { AT_MS(1000), 2 },
						   { AT_MS(7000), 1 },
						   { AT_MS(8000), 0 } };
	static const struct res_inflight wanted[] = {
		{ AT_MS(1000), 2 }, { AT_MS(2000), 1 }, { AT_MS(3000), 2 }, { AT_MS(4000), 1 },
		{ AT_MS(5000), 2 }, { AT_MS(7000), 1 }, { AT_MS(8000), 0 },
	};
	struct res_record records[2], failed[2];
	struct res_record *tries[] = { &failed[0], &failed[1] };
	struct res_outcome outcome = { .records = records,
				       .count = 2,
				       .tries = tries,
				       .try_count = 2,
				       .inflight = (struct res_inflight *)all,
				       .inflight_count = PL_ARRAY_SIZE(all) };
	size_t count;

	(void)state;
	res_record_init(&records[0], 0);
	res_record_init(&records[1], 1);
	records[0].connected_ns = AT_MS(5000);
	for (int i = 0; i < 2; i++) {
		res_record_init(&failed[i], 0);
		failed[i].acted_ns = AT_MS(1000 + 2000 * i);
		failed[i].end_ns = AT_MS(2000 + 2000 * i);
	}
	auto_free struct res_inflight *requested = res_inflight_without_retries(&outcome, &count);
	assert_int_equal(count, PL_ARRAY_SIZE(wanted));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(requested[i].t_ns, wanted[i].t_ns);
		assert_int_equal(requested[i].in_flight, wanted[i].in_flight);
	}
	outcome.try_count = 0;
	auto_free struct res_inflight *same = res_inflight_without_retries(&outcome, &count);
	assert_int_equal(count, PL_ARRAY_SIZE(all));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(same[i].in_flight, all[i].in_flight);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_inflight__a_request_between_tries_is_not_counted),
		cmocka_unit_test(test_run_inflight__equal_counts_agree),
		cmocka_unit_test(test_run_inflight__distance_is_a_share_of_ours),
		cmocka_unit_test(test_run_inflight__the_server_may_lag),
		cmocka_unit_test(test_run_inflight__too_few_or_too_small_are_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
