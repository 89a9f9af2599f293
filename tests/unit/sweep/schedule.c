/*
 * Compares orders of synthetic jobs with the best of all orders, and of all schedules, which may
 * leave a GPU idle on purpose. A best schedule starts each job, in some order, at the earliest time
 * at which it fits.
 */
#include "sweep/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

#define JOBS_MAX 7

/* GPUs in use at `at` by the jobs that were put in a place. */
static size_t used(const struct sweep_job *jobs, const double *starts, const size_t *order,
		   size_t placed, double at, size_t *ret_jobs)
{
	size_t gpus = 0;

	*ret_jobs = 0;
	for (size_t i = 0; i < placed; i++) {
		size_t k = order[i];
		if (starts[k] > at || starts[k] + jobs[k].seconds <= at)
			continue;
		gpus += jobs[k].gpus;
		(*ret_jobs)++;
	}
	return gpus;
}

static bool free_from(const struct sweep_job *jobs, const double *starts, const size_t *order,
		      size_t placed, const struct sweep_room *room, size_t k, double from)
{
	double until = from + jobs[k].seconds;
	size_t running;

	if (used(jobs, starts, order, placed, from, &running) + jobs[k].gpus > room->gpus ||
	    running >= room->slots)
		return false;
	for (size_t i = 0; i < placed; i++) {
		double at = starts[order[i]];
		if (at > from && at < until &&
		    (used(jobs, starts, order, placed, at, &running) + jobs[k].gpus > room->gpus ||
		     running >= room->slots))
			return false;
	}
	return true;
}

/* Each in its turn as early as it fits among those before it. */
static double serial(const struct sweep_job *jobs, const struct sweep_room *room,
		     const size_t *order, size_t count)
{
	double starts[JOBS_MAX] = { 0 }, end = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = order[i];
		double best = free_from(jobs, starts, order, i, room, k, 0) ? 0 : -1;
		for (size_t j = 0; j < i; j++) {
			double at = starts[order[j]] + jobs[order[j]].seconds;
			if ((best < 0 || at < best) &&
			    free_from(jobs, starts, order, i, room, k, at))
				best = at;
		}
		assert_true(best >= 0);
		starts[k] = best;
		if (best + jobs[k].seconds > end)
			end = best + jobs[k].seconds;
	}
	return end;
}

/* Over all orders. */
static double best_of(const struct sweep_job *jobs, const struct sweep_room *room, size_t *order,
		      size_t at, size_t count)
{
	double best = at == count ? serial(jobs, room, order, count) : 1e300;

	for (size_t i = at; i < count; i++) {
		size_t retained = order[at];
		order[at] = order[i];
		order[i] = retained;
		double found = best_of(jobs, room, order, at + 1, count);
		best = found < best ? found : best;
		order[i] = order[at];
		order[at] = retained;
	}
	return best;
}

static void test_sweep_schedule__near_the_best_of_all(void **state)
{
	(void)state;
	const struct sweep_room room = { .slots = 4, .gpus = 4 };
	struct pl_pyrandom rng;
	double worst = 1;

	pl_pyrandom_seed(&rng, 20);
	for (size_t round = 0; round < 300; round++) {
		struct sweep_job jobs[JOBS_MAX] = { 0 };
		size_t order[JOBS_MAX], all[JOBS_MAX], waiting;
		size_t count = 2 + pl_pyrandom_below(&rng, JOBS_MAX - 1 - (round % 10 != 0));
		for (size_t i = 0; i < count; i++) {
			jobs[i].seconds = 1 + (double)pl_pyrandom_below(&rng, 100);
			/* TP 1 and 2 in two rounds of three, up to all GPUs in the third */
			jobs[i].gpus = round % 3 != 0 ? 1 + pl_pyrandom_below(&rng, 2)
						      : 1 + pl_pyrandom_below(&rng, 4);
			all[i] = i;
		}
		double found = sweep_schedule(jobs, count, &room, false, order, &waiting);
		assert_int_equal(waiting, count);
		assert_true(found == sweep_makespan(jobs, count, &room, order, count));
		double best = best_of(jobs, &room, all, 0, count);
		assert_true(found >= best * (1 - 1e-9));
		worst = found / best > worst ? found / best : worst;
	}
	print_message("worst of 300: %.4f of the best\n", worst);
	assert_true(worst <= 1.15);
}

/* Longest first takes 7 for these on two GPUs, the best is 6. */
static void test_sweep_schedule__exchanges_beat_the_rules(void **state)
{
	(void)state;
	const struct sweep_room two = { .slots = 2, .gpus = 2 };
	struct sweep_job jobs[] = {
		{ .seconds = 3, .gpus = 1 }, { .seconds = 3, .gpus = 1 },
		{ .seconds = 2, .gpus = 1 }, { .seconds = 2, .gpus = 1 },
		{ .seconds = 2, .gpus = 1 },
	};
	size_t order[PL_ARRAY_SIZE(jobs)], waiting;

	double found = sweep_schedule(jobs, PL_ARRAY_SIZE(jobs), &two, false, order, &waiting);
	assert_float_equal(found, 6, 1e-9);
}

static void test_sweep_schedule__the_file_s_order_where_it_costs_nothing(void **state)
{
	(void)state;
	const struct sweep_room alone = { .slots = 1, .gpus = 4 };
	const struct sweep_room wide = { .slots = 2, .gpus = 2 };
	struct sweep_job jobs[] = { { .seconds = 1 }, { .seconds = 2 }, { .seconds = 5 } };
	size_t order[3], waiting;

	assert_float_equal(sweep_schedule(jobs, 3, &alone, false, order, &waiting), 8, 1e-9);
	assert_memory_equal(order, ((size_t[]){ 0, 1, 2 }), sizeof(order));
	assert_float_equal(sweep_schedule(jobs, 3, &wide, true, order, &waiting), 6, 1e-9);
	assert_memory_equal(order, ((size_t[]){ 0, 1, 2 }), sizeof(order));
	/* 5 at the same time as 1 and 2 */
	assert_float_equal(sweep_schedule(jobs, 3, &wide, false, order, &waiting), 5, 1e-9);
}

static void test_sweep_fits__concurrent_runs(void **state)
{
	(void)state;
	static const size_t port[] = { 1 }, gpu0[] = { 2 }, gpu0_and_1[] = { 2, 3 }, gpu2[] = { 4 };
	const struct sweep_room room = { .slots = 3, .gpus = 4 };
	static const struct {
		struct sweep_job running, other;
		bool fits;
	} cases[] = {
		{ { .gpus = 2 }, { .gpus = 2 }, true },
		{ { .gpus = 3 }, { .gpus = 2 }, false },
		{ { .gpus = 0 }, { .gpus = 4 }, true },
		/* more than there are: alone, where it fails by itself */
		{ { .gpus = 0 }, { .gpus = 9 }, true },
		{ { .gpus = 1 }, { .gpus = 9 }, false },
		{ { .tokens = port, .token_count = 1 },
		  { .tokens = port, .token_count = 1 },
		  false },
		{ { .names_gpus = true, .tokens = gpu0, .token_count = 1 },
		  { .names_gpus = true, .tokens = gpu0_and_1, .token_count = 2 },
		  false },
		{ { .names_gpus = true, .tokens = gpu0, .token_count = 1 },
		  { .names_gpus = true, .tokens = gpu2, .token_count = 1 },
		  true },
		/* which one the other has is not known */
		{ { .names_gpus = true, .tokens = gpu0, .token_count = 1 }, { .gpus = 1 }, false },
		{ { .gpus = 1 }, { .names_gpus = true, .tokens = gpu0, .token_count = 1 }, false },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct sweep_job jobs[] = { cases[i].running, cases[i].other };
		jobs[0].state = SWEEP_RUNS;
		assert_int_equal(sweep_fits(jobs, 2, &room, 1), cases[i].fits);
	}
	struct sweep_job four[4] = { 0 };
	four[0].state = four[1].state = SWEEP_RUNS;
	assert_true(sweep_fits(four, 4, &room, 3));
	four[2].state = SWEEP_RUNS;
	assert_false(sweep_fits(four, 4, &room, 3));
}

/* Running jobs count with their remaining time only. */
static void test_sweep_schedule__after_running_jobs(void **state)
{
	(void)state;
	const struct sweep_room room = { .slots = 4, .gpus = 4 };
	struct sweep_job jobs[] = {
		{ .seconds = 10, .gpus = 3, .state = SWEEP_RUNS },
		{ .seconds = 99, .gpus = 4, .state = SWEEP_OVER },
		{ .seconds = 5, .gpus = 4 },
		{ .seconds = 10, .gpus = 1 },
	};
	size_t order[4], waiting;

	assert_float_equal(sweep_schedule(jobs, 4, &room, false, order, &waiting), 15, 1e-9);
	assert_int_equal(waiting, 2);
	assert_int_equal(order[0] + order[1], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sweep_schedule__near_the_best_of_all),
		cmocka_unit_test(test_sweep_schedule__exchanges_beat_the_rules),
		cmocka_unit_test(test_sweep_schedule__the_file_s_order_where_it_costs_nothing),
		cmocka_unit_test(test_sweep_fits__concurrent_runs),
		cmocka_unit_test(test_sweep_schedule__after_running_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
