#include "result/scaling/scaling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/student.h"

#define EXACT 1e-12

static void assert_near(double found, double expected, double tolerance)
{
	if (!(fabs(found - expected) <= tolerance * fmax(1, fabs(expected))))
		fail_msg("found %.15g, expected %.15g", found, expected);
}

static size_t analyze(const struct res_scaling_runs *runs, size_t count, bool higher,
		      struct res_scaling_point *ret)
{
	return res_scaling_analyze(&(struct res_scaling_question){ .metric = "results.m",
								   .higher = higher,
								   .gain_limit = RES_SCALING_GAIN,
								   .with_intervals = true,
								   .runs = runs,
								   .count = count },
				   ret);
}

/* ---- sizes -------------------------------------------------------------------------------------- */

static void test_result_scaling__gpus_are_counted(void **state)
{
	static const struct {
		struct res_scaling_layout layout;
		double gpus, experts, nodes;
	} cases[] = {
		{ { 1, NAN, NAN, NAN, NAN, NAN, false }, 1, 1, 1 },
		{ { 4, 2, 3, NAN, NAN, 1, false }, 24, 1, 1 },
		/* expert parallelism divides the same GPUs */
		{ { 4, 1, 2, NAN, NAN, 1, true }, 8, 8, 1 },
		{ { 4, 2, 2, NAN, 1, 1, true }, 16, 8, 1 },
		{ { 8, 1, 1, NAN, 2, 1, false }, 16, 1, 1 },
		{ { 8, 2, 1, NAN, 1, 2, false }, 16, 1, 2 },
		{ { 2, 1, 16, 4, 1, 1, true }, 32, 32, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_near(res_scaling_gpus(&cases[i].layout), cases[i].gpus, 0);
		assert_near(res_scaling_experts(&cases[i].layout), cases[i].experts, 0);
		assert_near(res_scaling_nodes(&cases[i].layout), cases[i].nodes, 0);
	}
	struct res_scaling_layout none = { NAN, 2, 2, NAN, NAN, NAN, false };
	assert_true(isnan(res_scaling_gpus(&none)));
}

/* ---- one line ----------------------------------------------------------------------------------- */

static void test_result_scaling__known_numbers(void **state)
{
	static const double one[] = { 90, 110 }, two[] = { 190, 170 }, four[] = { 270, 250 };
	static const struct res_scaling_runs runs[] = { { 4, 4, four, 2 },
							{ 1, 1, one, 2 },
							{ 2, 2, two, 2 } };
	struct res_scaling_point points[3];

	(void)state;
	/* 1, 1.8, 2.6: gains of 0.8 and 0.4 */
	assert_int_equal(analyze(runs, 3, true, points), 0);
	assert_near(points[0].speedup.value, 2.6, EXACT);
	assert_near(points[0].ideal, 4, EXACT);
	assert_near(points[0].efficiency.value, 0.65, EXACT);
	assert_near(points[0].gain.value, 0.4, EXACT);
	assert_near(points[2].gain.value, 0.8, EXACT);
	assert_near(points[0].per_gpu.value, 65, EXACT);
	assert_near(points[1].speedup.value, 1, EXACT);
	assert_true(isnan(points[1].speedup.interval.low));
	assert_int_equal(points[1].pays, RES_SCALING_PAYS_NONE);
	for (int i = 0; i < 3; i++)
		assert_true(points[i].is_on_line);
	/* variances of the means relative to their squares, and the derivatives, by hand */
	double v1 = 100.0 / 1e4, v2 = 100.0 / 32400, v4 = 100.0 / 67600;
	double parts[] = { 2.6 * 2.6 * v4, 1.8 * 1.8 * v2, 0.8 * 0.8 * v1 };
	double sum = parts[0] + parts[1] + parts[2];
	double freedom = sum * sum /
			 (parts[0] * parts[0] + parts[1] * parts[1] + parts[2] * parts[2]);
	double half = pl_student_t(0.05, freedom) * sqrt(sum) / 2;
	assert_near(points[0].gain.interval.low, 0.4 - half, 1e-9);
	assert_near(points[0].gain.interval.high, 0.4 + half, 1e-9);
	double first = 1.8 * 1.8 * (v2 + v1);
	freedom = first * first / (1.8 * 1.8 * 1.8 * 1.8 * (v2 * v2 + v1 * v1));
	assert_near(points[2].gain.interval.high, 0.8 + pl_student_t(0.05, freedom) * sqrt(first),
		    1e-9);
	assert_near(points[0].efficiency.interval.low, points[0].speedup.interval.low / 4, EXACT);
}

static void test_result_scaling__lower_is_better(void **state)
{
	static const double one[] = { 80, 80 }, two[] = { 39, 41 }, four[] = { 32, 32 };
	static const struct res_scaling_runs runs[] = { { 1, 1, one, 2 },
							{ 2, 2, two, 2 },
							{ 4, 4, four, 2 } };
	struct res_scaling_point points[3];

	(void)state;
	assert_int_equal(analyze(runs, 3, false, points), 2);
	assert_near(points[1].speedup.value, 2, EXACT);
	assert_near(points[1].efficiency.value, 1, EXACT);
	assert_near(points[2].gain.value, 0.25, EXACT);
	assert_true(points[1].speedup.interval.low < 2 && points[1].speedup.interval.high > 2);
	assert_true(isnan(points[1].per_gpu.value));
}

static void test_result_scaling__best_layout_is_on_the_line(void **state)
{
	static const double base[] = { 100 }, bad[] = { 120 }, good[] = { 190 };
	static const struct res_scaling_runs runs[] = {
		{ 2, 2, bad, 1 }, { 1, 1, base, 1 }, { 2, 2, good, 1 }, { 2, 4, good, 1 }
	};
	struct res_scaling_point points[4];

	(void)state;
	assert_int_equal(analyze(runs, 4, true, points), SIZE_MAX);
	assert_false(points[0].is_on_line);
	assert_true(points[2].is_on_line);
	/* as good, but with more GPUs */
	assert_false(points[3].is_on_line);
	assert_near(points[0].efficiency.value, 0.6, EXACT);
	assert_near(points[3].efficiency.value, 0.475, EXACT);
	assert_near(points[2].gain.value, 0.9, EXACT);
	assert_true(isnan(points[0].gain.value));
	assert_int_equal(points[2].pays, RES_SCALING_PAYS_UNKNOWN);
}

static void test_result_scaling__unknown_gpus(void **state)
{
	static const double one[] = { 100 }, two[] = { 150 };
	static const struct res_scaling_runs runs[] = { { 1, NAN, one, 1 }, { 2, NAN, two, 1 } };
	struct res_scaling_point points[2];
	struct res_scaling_question question = { .metric = "results.m",
						 .higher = true,
						 .gain_limit = 0.5,
						 .with_intervals = true,
						 .runs = runs,
						 .count = 2 };

	(void)state;
	assert_int_equal(res_scaling_analyze(&question, points), SIZE_MAX);
	assert_near(points[1].speedup.value, 1.5, EXACT);
	assert_true(isnan(points[1].ideal) && isnan(points[1].efficiency.value));
	assert_true(isnan(points[1].gain.value) && isnan(points[1].per_gpu.value));
	question.multiplies = true;
	res_scaling_analyze(&question, points);
	assert_near(points[1].efficiency.value, 0.75, EXACT);
	assert_near(points[1].gain.value, 0.5, EXACT);
	assert_true(isnan(points[1].per_gpu.value));
}

/* Expert parallelism on the same GPUs: the ideal does not grow, and no GPU is added that could pay. */
static void test_result_scaling__experts_do_not_multiply(void **state)
{
	static const double off[] = { 100 }, on[] = { 130 };
	static const struct res_scaling_runs runs[] = { { 1, 8, off, 1 }, { 8, 8, on, 1 } };
	struct res_scaling_point points[2];

	(void)state;
	assert_int_equal(analyze(runs, 2, true, points), SIZE_MAX);
	assert_near(points[1].ideal, 1, EXACT);
	assert_near(points[1].efficiency.value, 1.3, EXACT);
	assert_true(isnan(points[1].gain.value));
}

static void test_result_scaling__odd_numbers(void **state)
{
	static const double zero[] = { 0, 0 }, minus[] = { -1, 2 }, some[] = { 5, 5 };
	static const struct res_scaling_runs runs[] = { { 1, 1, zero, 2 },
							{ 2, 2, minus, 2 },
							{ 4, 4, some, 2 } };
	struct res_scaling_point points[3];

	(void)state;
	assert_int_equal(analyze(runs, 3, true, points), SIZE_MAX);
	for (int i = 0; i < 3; i++)
		assert_true(isnan(points[i].speedup.value) && isnan(points[i].gain.value));
	assert_int_equal(analyze(runs + 2, 1, true, points), SIZE_MAX);
	assert_near(points[0].efficiency.value, 1, EXACT);
	assert_int_equal(analyze(runs, 0, true, points), SIZE_MAX);
}

static void test_result_scaling__single_runs_take_the_pooled_spread(void **state)
{
	static const double one[] = { 98, 100, 102 }, two[] = { 196, 200, 204 }, four[] = { 300 };
	static const struct res_scaling_runs runs[] = { { 1, 1, one, 3 },
							{ 2, 2, two, 3 },
							{ 4, 4, four, 1 } };
	struct res_scaling_point points[3];

	(void)state;
	analyze(runs, 3, true, points);
	/* a CV of 2 % with 4 degrees of freedom: S = 3, S' = 2 */
	double error = 0.02 * sqrt(9 + 4.0 / 3 + 1.0 / 3);
	double parts[] = { 9 * 4e-4, 4 * 4e-4 / 3, 4e-4 / 3 };
	double sum = parts[0] + parts[1] + parts[2];
	double freedom = fmin(4, sum * sum /
					 (parts[0] * parts[0] / 4 + parts[1] * parts[1] / 2 +
					  parts[2] * parts[2] / 2));
	assert_near(points[2].gain.interval.high, 0.5 + pl_student_t(0.05, freedom) * error / 2,
		    1e-9);
	/* 2 degrees of freedom are too few */
	assert_int_equal(analyze(runs + 1, 2, true, points), SIZE_MAX);
	assert_true(isnan(points[1].gain.interval.low));
	assert_int_equal(points[1].pays, RES_SCALING_PAYS_UNKNOWN);
}

/* ---- known truth -------------------------------------------------------------------------------- */

static double normal(struct pl_pcg64 *rng)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)pl_pcg64_next32(rng) / 4294967296.0;
	return sum - 6;
}

/* Amdahl's law with 5 % serial work: 1, 1.905, 3.478, 5.926; gains 0.905, 0.787, 0.612. */
static double amdahl(double size)
{
	return 1 / (0.05 + 0.95 / size);
}

static void test_result_scaling__intervals_hold_the_truth(void **state)
{
	enum { SEEDS = 1000, SIZES = 4, MOST = 5 };
	static const double sizes[SIZES] = { 1, 2, 4, 8 };
	static const size_t repeats[] = { 3, MOST };

	(void)state;
	for (size_t r = 0; r < 2; r++) {
		size_t held[3] = { 0 }, wrong = 0;
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			double values[SIZES][MOST];
			struct res_scaling_runs runs[SIZES];
			struct res_scaling_point points[SIZES];
			struct pl_pcg64 rng;
			pl_pcg64_seed(&rng, seed);
			for (int i = 0; i < SIZES; i++) {
				for (size_t k = 0; k < repeats[r]; k++)
					values[i][k] = 100 * amdahl(sizes[i]) *
						       (1 + 0.05 * normal(&rng));
				runs[i] = (struct res_scaling_runs){ sizes[i], sizes[i], values[i],
								     repeats[r] };
			}
			struct res_scaling_question question = { .metric = "results.m",
								 .higher = true,
								 .gain_limit = 0.7,
								 .with_intervals = true,
								 .runs = runs,
								 .count = SIZES };
			res_scaling_analyze(&question, points);
			double efficiency = amdahl(8) / 8;
			double middle = (amdahl(4) - amdahl(2)) / 2,
			       last = (amdahl(8) - amdahl(4)) / 4;
			held[0] += points[3].efficiency.interval.low <= efficiency &&
				   points[3].efficiency.interval.high >= efficiency;
			held[1] += points[2].gain.interval.low <= middle &&
				   points[2].gain.interval.high >= middle;
			held[2] += points[3].gain.interval.low <= last &&
				   points[3].gain.interval.high >= last;
			/* the first two steps pay by the truth, the last one does not */
			wrong += points[1].pays == RES_SCALING_PAYS_NO ||
				 points[2].pays == RES_SCALING_PAYS_NO ||
				 points[3].pays == RES_SCALING_PAYS_YES;
		}
		print_message("%zu runs: efficiency in its interval %zu, gains %zu and %zu of %d, "
			      "wrongly sure %zu\n",
			      repeats[r], held[0], held[1], held[2], SEEDS, wrong);
		for (int i = 0; i < 3; i++)
			assert_true(held[i] >= 930);
		assert_true(wrong <= 70);
	}
}

static void test_result_scaling__order_does_not_matter(void **state)
{
	static const double a[] = { 1.1, 0.9, 1.05, 1.0, 0.97, 1.02 },
			    b[] = { 1.9, 2.1, 1.8, 2.0, 1.85, 1.95 };
	static const double c[] = { 0.97, 1.02, 1.1, 1.0, 0.9, 1.05 },
			    d[] = { 2.1, 1.95, 1.9, 1.85, 1.8, 2.0 };
	static const struct res_scaling_runs one[] = { { 1, 1, a, 6 }, { 2, 2, b, 6 } },
					     other[] = { { 2, 2, d, 6 }, { 1, 1, c, 6 } };
	struct res_scaling_point first[2], second[2];

	(void)state;
	analyze(one, 2, true, first);
	analyze(other, 2, true, second);
	assert_memory_equal(&first[1].speedup, &second[0].speedup, sizeof(first[1].speedup));
	assert_memory_equal(&first[1].gain, &second[0].gain, sizeof(first[1].gain));
	assert_memory_equal(&first[0].mean, &second[1].mean, sizeof(first[0].mean));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_scaling__gpus_are_counted),
		cmocka_unit_test(test_result_scaling__known_numbers),
		cmocka_unit_test(test_result_scaling__lower_is_better),
		cmocka_unit_test(test_result_scaling__best_layout_is_on_the_line),
		cmocka_unit_test(test_result_scaling__unknown_gpus),
		cmocka_unit_test(test_result_scaling__experts_do_not_multiply),
		cmocka_unit_test(test_result_scaling__odd_numbers),
		cmocka_unit_test(test_result_scaling__single_runs_take_the_pooled_spread),
		cmocka_unit_test(test_result_scaling__intervals_hold_the_truth),
		cmocka_unit_test(test_result_scaling__order_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
