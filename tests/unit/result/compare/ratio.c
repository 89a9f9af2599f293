/*
 * The outcome of a comparison of two sides. tests/scenario/programs/test_compare_numpy.py checks
 * that the intervals are correct and have the stated coverage.
 */
#include "result/compare/ratio.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"

#define EFFECT 0.05

static struct res_sample sample_of(const double *numbers, size_t count)
{
	struct res_sample sample = { .count = 0 };

	for (size_t i = 0; i < count; i++)
		res_sample_add(&sample, &(struct res_value){ .state = RES_VALUE_PRESENT,
							     .kind = RES_VALUE_NUMBER,
							     .number = numbers[i] });
	res_sample_settle(&sample);
	return sample;
}
#define SAMPLE(...)                                \
	sample_of((const double[]){ __VA_ARGS__ }, \
		  sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static struct res_sample run_of(double value, double low, double high)
{
	struct res_sample sample = sample_of(&value, 1);

	sample.has_within = true;
	sample.within = (struct res_interval){ low, high };
	return sample;
}

/* Frees both. */
static struct res_ratio ratio(enum res_field_direction direction, struct res_sample a,
			      struct res_sample b)
{
	struct res_ratio found = res_ratio_of("results.x", direction, EFFECT, &a, &b);

	res_sample_done(&a);
	res_sample_done(&b);
	return found;
}

static void assert_words(const struct res_ratio *found, const char *expected)
{
	auto_free char *words = res_ratio_words(found, EFFECT);

	assert_string_equal(words, expected);
}

static void test_result_compare_ratio__what_a_run_has(void **state)
{
	auto_sample sample = { .count = 0 };
	const struct res_value values[] = {
		{ .state = RES_VALUE_NOT_RECORDED },
		{ .state = RES_VALUE_NULL },
		{ .state = RES_VALUE_NULL },
		{ .state = RES_VALUE_PRESENT, .kind = RES_VALUE_NUMBER, .number = 0 },
		{ .state = RES_VALUE_PRESENT, .kind = RES_VALUE_NUMBER, .number = INFINITY },
		{ .state = RES_VALUE_PRESENT, .kind = RES_VALUE_TEXT, .text = "auto" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(values); i++)
		res_sample_add(&sample, &values[i]);
	assert_int_equal(sample.not_recorded, 1);
	assert_int_equal(sample.null, 2);
	assert_int_equal(sample.count, 1);
	assert_int_equal(sample.infinite, 1);
	assert_int_equal(sample.words, 1);
}

static void test_result_compare_ratio__direction(void **state)
{
	struct res_ratio found;

	(void)state;
	found = ratio(RES_FIELD_LOWER, SAMPLE(100, 101, 99, 100.5, 99.5),
		      SAMPLE(110, 111, 109, 110.5, 109.5));
	assert_int_equal(found.finding, RES_FINDING_WORSE);
	assert_int_equal(found.how, RES_RATIO_BOOTSTRAP);
	assert_true(found.p < 1e-6);
	assert_true(res_ratio_is_regression(&found, EFFECT));
	assert_false(res_ratio_is_regression(&found, 0.2));
	found = ratio(RES_FIELD_HIGHER, SAMPLE(100, 101, 99), SAMPLE(110, 111, 109));
	assert_int_equal(found.finding, RES_FINDING_BETTER);
	assert_int_equal(found.how, RES_RATIO_STUDENT);
	assert_false(res_ratio_is_regression(&found, EFFECT));
	found = ratio(RES_FIELD_HIGHER, SAMPLE(110, 111, 109), SAMPLE(100, 101, 99));
	assert_int_equal(found.finding, RES_FINDING_WORSE);
	assert_true(res_ratio_is_regression(&found, EFFECT));
	found = ratio(RES_FIELD_NEITHER, SAMPLE(110, 111, 109), SAMPLE(100, 101, 99));
	assert_int_equal(found.finding, RES_FINDING_LOWER);
	assert_false(res_ratio_is_regression(&found, EFFECT));
}

static void test_result_compare_ratio__order_and_seed(void **state)
{
	struct res_ratio one, other;

	(void)state;
	one = ratio(RES_FIELD_LOWER, SAMPLE(100, 103, 99, 104, 98), SAMPLE(101, 97, 99, 108, 100));
	other = ratio(RES_FIELD_LOWER, SAMPLE(98, 99, 100, 103, 104),
		      SAMPLE(108, 100, 101, 97, 99));
	assert_memory_equal(&one.interval, &other.interval, sizeof(one.interval));
	assert_int_equal(one.finding, RES_FINDING_NO_DIFFERENCE);
}

static void test_result_compare_ratio__two_runs(void **state)
{
	struct res_ratio found;

	(void)state;
	found = ratio(RES_FIELD_LOWER, run_of(100, 99, 101), run_of(110, 109, 111));
	assert_int_equal(found.how, RES_RATIO_WITHIN);
	assert_int_equal(found.finding, RES_FINDING_WORSE);
	assert_words(&found, "worse by 10.0 % (8.5 to 11.5 %) in these runs");
	assert_true(isnan(found.more_runs));
	/* a narrow interval has ends of its own */
	found = ratio(RES_FIELD_HIGHER, run_of(100, 99.9, 100.1), run_of(178, 177.9, 178.1));
	assert_words(&found, "better by 78.00 % (77.80 to 78.20 %) in these runs");
	found = ratio(RES_FIELD_LOWER, run_of(100, 90, 110), run_of(103, 95, 115));
	assert_int_equal(found.finding, RES_FINDING_NO_DIFFERENCE);
	assert_true(found.p > 0.05);
	assert_words(&found, "no difference shown (-9.1 to 20.0 %)");
	/* one that its interval does not hold, or that reaches 0, is none to go by */
	found = ratio(RES_FIELD_LOWER, run_of(100, 101, 110), run_of(103, 95, 115));
	assert_int_equal(found.finding, RES_FINDING_NO_INTERVAL);
	found = ratio(RES_FIELD_LOWER, run_of(100, 0, 110), run_of(103, 95, 115));
	assert_int_equal(found.how, RES_RATIO_NONE);
	assert_words(&found, "higher by 3.0 %, without a confidence interval");
	assert_false(res_ratio_is_regression(&found, 0.01));
	found = ratio(RES_FIELD_LOWER, SAMPLE(7), SAMPLE(7));
	assert_int_equal(found.finding, RES_FINDING_EQUAL);
}

static void test_result_compare_ratio__one_of_many(void **state)
{
	struct res_ratio found;

	(void)state;
	found = ratio(RES_FIELD_LOWER, SAMPLE(100, 101, 99, 100.5, 99.5),
		      run_of(102, 101.9, 102.1));
	assert_int_equal(found.how, RES_RATIO_ONE_OF_MANY);
	assert_int_equal(found.finding, RES_FINDING_NO_DIFFERENCE);
	found = ratio(RES_FIELD_LOWER, SAMPLE(120), SAMPLE(100, 101, 99, 100.5, 99.5));
	assert_int_equal(found.finding, RES_FINDING_BETTER);
	assert_true(found.p < 0.001);
	assert_int_equal((int)found.more_runs, 1);
}

static void test_result_compare_ratio__nothing_to_go_by(void **state)
{
	struct res_ratio found;

	(void)state;
	found = ratio(RES_FIELD_LOWER, (struct res_sample){ 0 }, SAMPLE(1, 2));
	assert_int_equal(found.finding, RES_FINDING_NO_VALUE);
	assert_words(&found, "nothing to compare");
	found = ratio(RES_FIELD_LOWER, SAMPLE(0, 0), SAMPLE(1, 2));
	assert_int_equal(found.finding, RES_FINDING_NO_RATIO);
	assert_true(isnan(found.ratio));
	found = ratio(RES_FIELD_LOWER, SAMPLE(-3, -4), SAMPLE(-1, -2));
	assert_int_equal(found.finding, RES_FINDING_NO_RATIO);
	assert_false(isnan(found.p));
	found = ratio(RES_FIELD_LOWER, SAMPLE(5e-324), SAMPLE(1e300));
	assert_int_equal(found.finding, RES_FINDING_NO_RATIO);
	assert_true(isnan(found.ratio));
	found = ratio(RES_FIELD_LOWER, SAMPLE(1e-9, 1), SAMPLE(1e9, 1e-9));
	assert_int_equal(found.how, RES_RATIO_STUDENT);
	found = ratio(RES_FIELD_LOWER, SAMPLE(1e-300, 1e300), SAMPLE(1e300, 1e-300));
	assert_true(isnan(found.interval.high) || isfinite(found.interval.high));
	/* counts, mostly: no run differs from another of its side */
	found = ratio(RES_FIELD_LOWER, SAMPLE(5, 5, 5, 5, 5), SAMPLE(6, 6, 6, 6, 6));
	assert_int_equal(found.finding, RES_FINDING_NO_INTERVAL);
	/* a value of 0 among them has no logarithm: no bootstrap */
	found = ratio(RES_FIELD_LOWER, SAMPLE(0, 5, 5, 5, 6), SAMPLE(6, 6, 7, 6, 8));
	assert_int_equal(found.how, RES_RATIO_STUDENT);
	/* nearly all alike: most resamples have no spread */
	found = ratio(RES_FIELD_LOWER, SAMPLE(5, 5, 5, 5, 5), SAMPLE(6, 6, 6, 6, 6.5));
	assert_int_equal(found.how, RES_RATIO_STUDENT);
}

/* The last digits of a mean depend on the order of its sum. They are neither a difference nor a spread. */
static void test_result_compare_ratio__rounding(void **state)
{
	double up = 173.5 * (1 + 4e-16), down = 173.5 * (1 - 4e-16);
	struct res_ratio found;

	(void)state;
	found = ratio(RES_FIELD_HIGHER, SAMPLE(173.5, 173.5, up), SAMPLE(down, down, down));
	assert_int_equal(found.finding, RES_FINDING_EQUAL);
	assert_words(&found, "equal");
	assert_true(isnan(found.p));
	found = ratio(RES_FIELD_HIGHER, SAMPLE(173.5, 173.5, up, up, up),
		      SAMPLE(down, 173.5, down, down, down));
	assert_int_equal(found.finding, RES_FINDING_EQUAL);
	found = ratio(RES_FIELD_HIGHER, SAMPLE(173.5, 173.5, up), SAMPLE(down));
	assert_int_equal(found.finding, RES_FINDING_EQUAL);
	found = ratio(RES_FIELD_HIGHER, SAMPLE(up), SAMPLE(down));
	assert_int_equal(found.finding, RES_FINDING_EQUAL);
	found = ratio(RES_FIELD_HIGHER, SAMPLE(0, 0), SAMPLE(0, 0));
	res_ratio_forget_chance(&found);
	assert_int_equal(found.finding, RES_FINDING_EQUAL);
	/* a spread of rounding does not make a real difference certain */
	found = ratio(RES_FIELD_HIGHER, SAMPLE(173.5, 173.5, up), SAMPLE(180, 180, 180));
	assert_int_equal(found.finding, RES_FINDING_NO_INTERVAL);
	/* a small difference that the runs show remains one */
	found = ratio(RES_FIELD_HIGHER, SAMPLE(100, 100.00001, 99.99999),
		      SAMPLE(100.001, 100.00101, 100.00099));
	assert_int_equal(found.finding, RES_FINDING_BETTER);
}

/* 5 % at a deviation of 5 %: 18 runs a side, as any table of power says. */
static void test_result_compare_ratio__runs_that_lack(void **state)
{
	struct res_ratio found;

	(void)state;
	found = ratio(RES_FIELD_LOWER, SAMPLE(95, 100, 105), SAMPLE(95, 100, 105));
	assert_int_equal((int)found.more_runs, 15);
	assert_words(
		&found,
		"no difference shown (-10.7 to 12.0 %); one of 5 % needs 15 more runs per side");
	found = ratio(RES_FIELD_LOWER, SAMPLE(99.9, 100, 100.1), SAMPLE(99.9, 100, 100.1));
	assert_true(found.more_runs <= 0);
	assert_words(
		&found,
		"no difference shown (-0.23 to 0.23 %); one of 5 % would probably be detected");
}

/* Two runs a side, one of them with hardly any spread: the formula sees a small one, the interval does not. */
static void test_result_compare_ratio__wide_intervals_lack_runs(void **state)
{
	struct res_ratio found = ratio(RES_FIELD_LOWER, SAMPLE(99, 101), SAMPLE(100, 100.01));

	(void)state;
	assert_int_equal(found.finding, RES_FINDING_NO_DIFFERENCE);
	assert_true(found.interval.high > 1 + EFFECT);
	assert_int_equal((int)found.more_runs, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_compare_ratio__what_a_run_has),
		cmocka_unit_test(test_result_compare_ratio__direction),
		cmocka_unit_test(test_result_compare_ratio__order_and_seed),
		cmocka_unit_test(test_result_compare_ratio__two_runs),
		cmocka_unit_test(test_result_compare_ratio__one_of_many),
		cmocka_unit_test(test_result_compare_ratio__nothing_to_go_by),
		cmocka_unit_test(test_result_compare_ratio__rounding),
		cmocka_unit_test(test_result_compare_ratio__runs_that_lack),
		cmocka_unit_test(test_result_compare_ratio__wide_intervals_lack_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
