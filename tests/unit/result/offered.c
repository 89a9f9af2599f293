#include "result/offered.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"

#define COUNT_MAX 64
#define MS        PL_NS_PER_MS

struct plan {
	struct res_record records[COUNT_MAX];
	struct res_outcome outcome;
	struct res_how how;
};

static void plan_init(struct plan *plan, bool finite_rate, int64_t cap)
{
	plan->outcome = (struct res_outcome){ .records = plan->records, .end_ns = 100000 * MS };
	plan->how = (struct res_how){ .finite_rate = finite_rate, .max_concurrency = cap };
}

/* In ms. end: -1 for none. */
static void add(struct plan *plan, double planned, double acted, double end)
{
	struct res_record *record = &plan->records[plan->outcome.count];

	res_record_init(record, plan->outcome.count++);
	record->planned_ns = llround(planned * MS);
	record->acted_ns = llround(acted * MS);
	if (end >= 0)
		record->end_ns = llround(end * MS);
}

static struct res_offered measured(const struct plan *plan)
{
	struct res_offered offered;

	res_offered_measure(&plan->outcome, &plan->how, &offered);
	return offered;
}

static void assert_near(double got, double wanted)
{
	if (isnan(wanted) ? !isnan(got) : !(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
		fail_msg("%.15g, expected %.15g", got, wanted);
}

static void test_result_offered__nothing_is_not_known(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, true, 4);
	/* neither sent, nor told when it should have been */
	add(&plan, 1, 1, 2);
	plan.records[0].acted_ns = RES_NO_TIME;
	add(&plan, 1, 1, 2);
	plan.records[1].planned_ns = RES_NO_TIME;
	struct res_offered offered = measured(&plan);
	assert_int_equal(offered.kind, RES_OFFERED_NOTHING);
	assert_true(isnan(offered.rate_reached) && isnan(offered.gap_distance));
	assert_true(isnan(offered.lateness_ms) && isnan(offered.mean_gap_ms));
	assert_true(isnan(offered.in_flight_distance));
}

/* Every 100 ms for 50 ms; the last of them 10 ms late. */
static void test_result_offered__open_loop(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, true, OPTION_NO_I64);
	for (int i = 1; i <= 30; i++)
		add(&plan, 100 * i, 100 * i + (i == 30 ? 10 : 0), 100 * i + 60);
	struct res_offered offered = measured(&plan);
	assert_int_equal(offered.kind, RES_OFFERED_OPEN);
	assert_near(offered.rate_reached, 3000.0 / 3010);
	assert_near(offered.mean_gap_ms, 100);
	/* p95 of 29 zeros and a ten: at 27.55 of 29 */
	assert_near(offered.lateness_ms, 0);
	assert_near(offered.gap_distance, 1.0 / 29);
	assert_near(offered.in_flight_distance, 10.0 / (30 * 60));
}

static void test_result_offered__lateness_is_p99_from_100_on(void **state)
{
	static struct res_record records[100];
	struct plan plan;

	(void)state;
	for (size_t count = 99; count <= 100; count++) {
		plan_init(&plan, true, OPTION_NO_I64);
		plan.outcome.records = records;
		plan.outcome.count = count;
		for (size_t i = 0; i < count; i++) {
			res_record_init(&records[i], i);
			records[i].planned_ns = (int64_t)(i + 1) * 100 * MS;
			records[i].acted_ns = records[i].planned_ns + (i == 50 ? 10 * MS : 0);
			records[i].end_ns = records[i].acted_ns + MS;
		}
		assert_near(measured(&plan).lateness_ms, count < 100 ? 0 : 0.1);
	}
}

/* Two slots; each send follows an end by 1 ms, and that is all that is late. */
static void test_result_offered__closed_loop(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, false, 2);
	add(&plan, 0, 0, 10);
	add(&plan, 0, 0, 20);
	add(&plan, 0, 11, 19);
	add(&plan, 0, 20, 30);
	add(&plan, 0, 21, 31);
	struct res_offered offered = measured(&plan);
	assert_int_equal(offered.kind, RES_OFFERED_CLOSED);
	/* free at 10, at 19 and at 20; 1 ms late each */
	assert_near(offered.in_flight_distance, 3.0 / (10 + 20 + 9 + 11 + 11));
	assert_true(isnan(offered.rate_reached) && isnan(offered.gap_distance));
	assert_true(isnan(offered.lateness_ms) && isnan(offered.mean_gap_ms));
}

/* A request that never ends keeps its slot: the other slot does all the work, and is never late. */
static void test_result_offered__an_open_request_keeps_its_slot(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, false, 2);
	add(&plan, 0, 0, -1);
	for (int i = 0; i < 10; i++)
		add(&plan, 0, 10 * i, 10 * i + 10);
	plan.outcome.end_ns = 100 * MS;
	assert_near(measured(&plan).in_flight_distance, 0);
	plan.records[10].acted_ns += 2 * MS;
	assert_near(measured(&plan).in_flight_distance, 2.0 / (100 + 100));
}

/* A rate that max_concurrency hides: what it held is not late, and no rate is left to be reached. */
static void test_result_offered__a_cap_that_holds_most_sets_the_pace(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, true, 1);
	add(&plan, 1, 1, 11);
	for (int i = 1; i < 20; i++)
		add(&plan, 1 + i, 1 + 10 * i, 11 + 10 * i);
	struct res_offered offered = measured(&plan);
	assert_int_equal(offered.kind, RES_OFFERED_CLOSED);
	assert_true(isnan(offered.rate_reached));
	assert_near(offered.in_flight_distance, 0);
}

/* Some held, most not: the rate is that of those that were free to go. */
static void test_result_offered__held_requests_do_not_lower_the_rate(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, true, 1);
	add(&plan, 100, 100, 150);
	add(&plan, 200, 200, 250);
	add(&plan, 300, 310, 390);
	add(&plan, 350, 391, 420);
	struct res_offered offered = measured(&plan);
	assert_int_equal(offered.kind, RES_OFFERED_OPEN);
	assert_near(offered.rate_reached, 300.0 / 310);
	assert_near(offered.mean_gap_ms, 290.0 / 3);
	assert_near(offered.in_flight_distance, 11.0 / (50 + 50 + 90 + 30));
	/* of 0 0 10 1 at 2.85 */
	assert_near(offered.lateness_ms, 1 + 0.85 * 9);
}

static void test_result_offered__burst(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, false, 50);
	for (int i = 0; i < 41; i++)
		add(&plan, 0, i, 1000);
	struct res_offered offered = measured(&plan);
	assert_int_equal(offered.kind, RES_OFFERED_BURST);
	assert_true(isnan(offered.rate_reached) && isnan(offered.gap_distance));
	assert_true(isnan(offered.mean_gap_ms));
	assert_near(offered.lateness_ms, 38);
	assert_near(offered.in_flight_distance, 820.0 / 41000);
}

/* Records that no such client can have made: nothing below 0, nothing that breaks. */
static void test_result_offered__odd_records(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, true, 1);
	add(&plan, 10, 5, 20); /* before its time */
	add(&plan, 10, 6, 20); /* and before its slot's */
	add(&plan, 10, 7, -1);
	add(&plan, 10, 8, 3); /* ended before it began */
	plan.outcome.end_ns = 7 * MS;
	struct res_offered offered = measured(&plan);
	assert_near(offered.in_flight_distance, 0);
	plan_init(&plan, true, OPTION_NO_I64);
	add(&plan, 0, 0, 0);
	offered = measured(&plan);
	assert_int_equal(offered.kind, RES_OFFERED_OPEN);
	assert_true(isnan(offered.in_flight_distance) && isnan(offered.rate_reached));
	assert_true(isnan(offered.mean_gap_ms) && isnan(offered.gap_distance));
	assert_near(offered.lateness_ms, 0);
}

static void test_result_offered__few_gaps_have_no_distribution(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, true, OPTION_NO_I64);
	for (int i = 1; i <= RES_OFFERED_GAPS_MIN; i++)
		add(&plan, 100 * i, 100 * i, 100 * i + 1);
	assert_true(isnan(measured(&plan).gap_distance));
	add(&plan, 9999, 9999, 10000);
	assert_near(measured(&plan).gap_distance, 0);
}

static void test_result_offered__gap_distance(void **state)
{
	static const double even[] = { 10, 10, 10, 10 }, off[] = { 9.9, 9.95, 10.05, 10.1 },
			    wide[] = { 5, 5, 15, 15 }, more[] = { 10, 20, 30, 40 },
			    less[] = { 1, 10, 20, 40 };

	(void)state;
	assert_true(isnan(res_offered_gap_distance(even, even, 0, 1)));
	assert_near(res_offered_gap_distance(even, even, 4, 0), 0);
	/* all within the tolerance; just not; the statistic of Kolmogorov and Smirnov */
	assert_near(res_offered_gap_distance(even, off, 4, 0.11), 0);
	assert_near(res_offered_gap_distance(even, off, 4, 0.07), 0.25);
	assert_near(res_offered_gap_distance(even, off, 4, 0), 0.5);
	assert_near(res_offered_gap_distance(even, wide, 4, 1), 0.5);
	assert_near(res_offered_gap_distance(more, less, 4, 0), 0.25);
	assert_near(res_offered_gap_distance(less, more, 4, 0), 0.25);
	assert_near(res_offered_gap_distance(even, more, 4, 2), 0.75);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_offered__nothing_is_not_known),
		cmocka_unit_test(test_result_offered__open_loop),
		cmocka_unit_test(test_result_offered__lateness_is_p99_from_100_on),
		cmocka_unit_test(test_result_offered__closed_loop),
		cmocka_unit_test(test_result_offered__an_open_request_keeps_its_slot),
		cmocka_unit_test(test_result_offered__a_cap_that_holds_most_sets_the_pace),
		cmocka_unit_test(test_result_offered__held_requests_do_not_lower_the_rate),
		cmocka_unit_test(test_result_offered__burst),
		cmocka_unit_test(test_result_offered__odd_records),
		cmocka_unit_test(test_result_offered__few_gaps_have_no_distribution),
		cmocka_unit_test(test_result_offered__gap_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
