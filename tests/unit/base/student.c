/* Student's t against scipy 1.17 (stats.t.sf, isf; both sides). */
#include "base/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-11 * fabs(expected)))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

static const struct {
	double t;
	double df;
	double p;
} tails[] = {
	{ 1, 1, 0.5000000000000001 },          { -1, 1, 0.5000000000000001 },
	{ 0.001, 3, 0.9992648949694609 },      { 2, 4.5, 0.10825790718112499 },
	{ 1.7, 9, 0.12334766214382385 },       { 5, 9, 0.0007389679098032426 },
	{ 30, 9, 2.4837047041582635e-10 },     { 2.1, 19, 0.04931439824327345 },
	{ 3, 150.25, 0.0031614751409277677 },  { 12, 1000, 4.324057386774429e-31 },
	{ 1.96, 100000, 0.04999856319430168 },
};

static const struct {
	double p;
	double df;
	double t;
} positions[] = {
	{ 0.05, 1, 12.706204736174705 },    { 0.05, 2, 4.302652729749464 },
	{ 0.05, 7.3, 2.3450667365477034 },  { 0.05, 18, 2.1009220402410387 },
	{ 0.05, 19, 2.09302405440831 },     { 0.4, 18, 0.8620486679895987 },
	{ 0.05, 1000, 1.9623390808264085 }, { 1e-06, 5, 28.478473462984212 },
	{ 0.9, 4, 0.13383036711194346 },    { 0.05, 100000, 1.95998770753461 },
};

static void test_base_student__tails(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		assert_near(pl_student_p(tails[i].t, tails[i].df), tails[i].p);
}

static void test_base_student__places(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++)
		assert_near(pl_student_t(positions[i].p, positions[i].df), positions[i].t);
}

static void test_base_student__ends(void **state)
{
	(void)state;
	assert_near(pl_student_p(0, 5), 1);
	assert_true(pl_student_p(INFINITY, 5) <= 0);
	assert_true(isnan(pl_student_p(1, 0)));
	assert_true(isnan(pl_student_p(NAN, 3)));
	assert_true(isnan(pl_student_t(0, 3)));
	assert_true(isnan(pl_student_t(1.5, 3)));
	assert_true(pl_student_t(1, 3) <= 0);
	assert_near(pl_student_p(1.5, INFINITY), pl_normal_p(-1.5));
	assert_near(pl_normal_p(1.959963984540054), 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_student__tails),
		cmocka_unit_test(test_base_student__places),
		cmocka_unit_test(test_base_student__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
