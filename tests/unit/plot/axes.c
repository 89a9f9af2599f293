#include "plot/axes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static const struct {
	double low, high;
	size_t most;
	bool whole;
	const char *labels[12]; /* all of them */
} ticks_of[] = {
	{ 0, 10, 6, false, { "0", "2", "4", "6", "8", "10" } },
	{ 0, 10, 11, true, { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10" } },
	{ 0, 1.2, 7, true, { "0", "1" } },
	{ 0, 1.2, 7, false, { "0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2" } },
	{ 0.25, 0.9, 4, false, { "0.5" } },
	{ 806.7, 1242.3, 8, true, { "900", "1,000", "1,100", "1,200" } },
	{ -0.5, 0.5, 8, true, { "0" } },
	{ -3.5, 3.5, 8, true, { "-3", "-2", "-1", "0", "1", "2", "3" } },
	{ 0, 1234567, 3, true, { "0", "1,000,000" } },
	{ 0, 3e-7, 4, false, { "0.0000000", "0.0000001", "0.0000002", "0.0000003" } },
	{ 1e9, 1e9 + 10, 3, true, { "1,000,000,000", "1,000,000,005", "1,000,000,010" } },
	{ 0.3, 0.31, 2, true, { NULL } },
	{ 0, 4e15, 3, true, { "0", "2e+15", "4e+15" } },
};

static void test_plot_axes__ticks_are_round(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(ticks_of); i++) {
		struct pl_ticks ticks = plot_ticks_make(ticks_of[i].low, ticks_of[i].high,
							ticks_of[i].most, ticks_of[i].whole);
		char text[PL_TICK_BYTES];
		size_t count = 0;
		while (ticks_of[i].labels[count] != NULL)
			count++;
		if (ticks.count != count)
			fail_msg("row %zu: %zu ticks, expected %zu", i, ticks.count, count);
		for (size_t k = 0; k < count; k++) {
			plot_ticks_label(&ticks, k, text);
			assert_string_equal(text, ticks_of[i].labels[k]);
		}
	}
}

/* Never more than asked for, all in the range, a round step. */
static void test_plot_axes__ticks_of_any_range(void **state)
{
	(void)state;
	srand(7);
	for (int i = 0; i < 5000; i++) {
		double low = (rand() % 2001 - 1000) * pow(10, rand() % 9 - 4);
		double high = low + (1 + rand() % 1000) * pow(10, rand() % 9 - 4);
		size_t most = 2 + (size_t)(rand() % 12);
		struct pl_ticks ticks = plot_ticks_make(low, high, most, rand() % 2);
		double digit = ticks.step / pow(10, floor(log10(ticks.step) + 1e-9));
		double slack = ticks.step * 1e-6;
		assert_true(ticks.count <= most);
		assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 ||
			    fabs(digit - 5) < 1e-6);
		for (size_t k = 0; k < ticks.count; k++) {
			assert_true(plot_ticks_at(&ticks, k) >= low - slack);
			assert_true(plot_ticks_at(&ticks, k) <= high + slack);
		}
	}
}

static void test_plot_axes__values_have_their_place(void **state)
{
	const struct plot_axes axes = {
		.left = 100,
		.top = 50,
		.width = 200,
		.height = 400,
		.x = { .low = -10, .high = 30 },
		.y = { .low = 0, .high = 8 },
	};

	(void)state;
	assert_true(plot_axes_x(&axes, -10) == 100);
	assert_true(plot_axes_x(&axes, 0) == 150);
	assert_true(plot_axes_x(&axes, 30) == 300);
	assert_true(plot_axes_y(&axes, 0) == 450);
	assert_true(plot_axes_y(&axes, 8) == 50);
	assert_true(plot_axes_y(&axes, 2) == 350);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plot_axes__ticks_are_round),
		cmocka_unit_test(test_plot_axes__ticks_of_any_range),
		cmocka_unit_test(test_plot_axes__values_have_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
