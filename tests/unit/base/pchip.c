#include "base/pchip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"

/* By hand, of the formulas. */
static void test_base_pchip__slopes(void **state)
{
	static const struct {
		size_t count;
		double x[4], y[4], slopes[4];
	} cases[] = {
		{ 2, { 0, 2 }, { 1, 5 }, { 2, 2 } },
		/* secants 1, 4: (9) / (5 / 1 + 4 / 4) with widths 2, 1; ends by three points */
		{ 3, { 0, 2, 3 }, { 0, 2, 6 }, { 0, 9.0 / (4.0 / 1 + 5.0 / 4), 5 } },
		/* a peak is flat, and at the ends the parabola counts */
		{ 3, { 0, 1, 2 }, { 0, 1, 0 }, { 2, 0, -2 } },
		/* the parabola would go beyond three times the secant */
		{ 3, { 0, 1, 2 }, { 0, 1, -9 }, { 3, 0, -15.5 } },
		/* it falls at the start, where the points rise: flat */
		{ 4, { 0, 1, 2, 3 }, { 0, 1, 5, 5 }, { 0, 1.6, 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		double slopes[4];
		pl_pchip_slopes(cases[i].x, cases[i].y, cases[i].count, slopes);
		for (size_t k = 0; k < cases[i].count; k++) {
			if (fabs(slopes[k] - cases[i].slopes[k]) > 1e-12)
				fail_msg("case %zu, point %zu: %.17g", i, k, slopes[k]);
		}
	}
}

static void test_base_pchip__first_root(void **state)
{
	static const struct {
		size_t count;
		double x[4], y[4], root;
	} cases[] = {
		{ 2, { 0, 4 }, { -1, 3 }, 1 },
		{ 3, { 1, 2, 3 }, { -1, 0, 5 }, 2 },
		/* two of them: the first, of -1 + 4t - 2t^2 */
		{ 3, { 0, 1, 2 }, { -1, 1, -1 }, 1 - 0.70710678118654752440 },
		{ 3, { 0, 1, 2 }, { 1, 2, 3 }, NAN },
		{ 1, { 7 }, { 0 }, 7 },
		{ 0, { 0 }, { 0 }, NAN },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		double root = pl_pchip_first_root(cases[i].x, cases[i].y, cases[i].count);
		bool same = isnan(cases[i].root) ? isnan(root) : fabs(root - cases[i].root) < 1e-12;
		if (!same)
			fail_msg("case %zu: %.17g", i, root);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_pchip__slopes),
		cmocka_unit_test(test_base_pchip__first_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
