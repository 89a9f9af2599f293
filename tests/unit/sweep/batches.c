#include "sweep/batches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "sweep/forecast.h"
#include "sweep/plan.h"

static struct sweep_cell cells[] = {
	{ .id = "a", .server = "s1", .load = "low" },
	{ .id = "b", .server = "s1", .load = "high" },
	{ .id = "c", .server = "s2", .load = "high" },
	{ .id = "d", .server = "s3", .load = "other" },
};
static const struct sweep_plan plan = { .cells = cells, .count = PL_ARRAY_SIZE(cells) };

/* Three runs of 'a', of 10, 20 and 60 s, and one of 'b'; a server 's1' took 4 and 8 s. The last row has no result. */
static json_t *rows_of_a_journal(void)
{
	return json_pack("{s:{s:s, s:s, s:f, s:f, s:i}, s:{s:s, s:s, s:f, s:f, s:i}, s:{s:s, s:s, "
			 "s:f, s:f, s:i},"
			 " s:{s:s, s:s, s:f, s:f, s:i}, s:{s:s, s:s, s:f, s:f}}",
			 "a", "combination", "a", "server", "s1", "wall_s", 14.0, "ready_s", 4.0,
			 "duration", 1, "a.2", "combination", "a", "server", "s1", "wall_s", 20.0,
			 "ready_s", 0.0, "duration", 1, "a.3", "combination", "a", "server", "s1",
			 "wall_s", 68.0, "ready_s", 8.0, "duration", 1, "b", "combination", "b",
			 "server", "s1", "wall_s", 5.0, "ready_s", 0.0, "duration", 1, "c",
			 "combination", "c", "server", "s2", "wall_s", 900.0, "ready_s", 900.0);
}

static void a_run_takes_the_mean_of_the_most_similar(void **state)
{
	static const struct {
		size_t cell;
		double start_s, run_s;
	} cases[] = {
		{ 0, 6, 30 }, /* its own runs, on its own server */
		{ 1, 6, 5 },  /* one run of its own */
		{ 2, 6, 5 },  /* the load of 'b'; its server is not known: the median */
		{ 3, 6, 15 }, /* nothing: the median of all */
	};
	auto_json json_t *rows = rows_of_a_journal();

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct sweep_task items[] = { { .cell = cases[i].cell },
					      { .cell = cases[i].cell } };
		const struct sweep_tasks tasks = { items, PL_ARRAY_SIZE(items) };
		struct sweep_batch unit = { .count = 2 };
		struct sweep_job job = { .state = SWEEP_WAITS };
		struct sweep_batches units = { .items = &unit, .jobs = &job, .count = 1 };
		struct sweep_forecast forecast;

		sweep_batches_expect(&plan, &tasks, rows, NULL, &units, &forecast);
		assert_float_equal(job.seconds, cases[i].start_s + 2 * cases[i].run_s, 1e-9);
		assert_int_equal(forecast.known, 4);
		assert_float_equal(forecast.start_s, 6, 1e-9);
		assert_float_equal(forecast.run_s, 15, 1e-9);
		assert_int_equal(forecast.runs, 2);
		assert_int_equal(forecast.starts, 1);

		/* its server is up, and one run of it has ended */
		unit.done = 1;
		sweep_batches_expect(&plan, &tasks, rows, NULL, &units, &forecast);
		assert_float_equal(job.seconds, cases[i].run_s, 1e-9);
		assert_int_equal(forecast.runs, 1);
	}
}

static void without_a_run_each_counts_as_one(void **state)
{
	struct sweep_task items[] = { { .cell = 0 }, { .cell = 3 } };
	const struct sweep_tasks tasks = { items, PL_ARRAY_SIZE(items) };
	struct sweep_batch all[] = { { .first = 0, .count = 1 }, { .first = 1, .count = 1 } };
	struct sweep_job jobs[] = { { .state = SWEEP_OVER, .seconds = 77 },
				    { .state = SWEEP_WAITS } };
	struct sweep_batches units = { .items = all, .jobs = jobs, .count = 2 };
	struct sweep_forecast forecast;

	(void)state;
	sweep_batches_expect(&plan, &tasks, NULL, NULL, &units, &forecast);
	assert_float_equal(jobs[0].seconds, 77, 0);
	assert_float_equal(jobs[1].seconds, 1, 0);
	assert_int_equal(forecast.known, 0);
	assert_int_equal(forecast.runs, 1);
	assert_int_equal(forecast.starts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_takes_the_mean_of_the_most_similar),
		cmocka_unit_test(without_a_run_each_counts_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
