#include "sim/drift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/base/scratch.h"

static void test_sim_drift__counts_requests_over_servers(void **state)
{
	const char *path = scratch_path(*state, "drift");
	struct pl_err err = PL_ERR_INIT;
	struct sim_drift drift;

	assert_int_equal(sim_drift_open(0.5, path, &drift, &err), 0);
	assert_true(sim_drift_factor(&drift) == 1);
	sim_drift_count(&drift);
	sim_drift_count(&drift);
	assert_true(sim_drift_factor(&drift) == 2);
	sim_drift_close(&drift);
	/* the next server */
	assert_int_equal(sim_drift_open(0.5, path, &drift, &err), 0);
	assert_int_equal(drift.requests, 2);
	sim_drift_close(&drift);
}

static void test_sim_drift__without_a_share_or_a_path_has_no_file(void **state)
{
	const char *path = scratch_path(*state, "drift");
	struct pl_err err = PL_ERR_INIT;
	struct sim_drift drift;

	assert_int_equal(sim_drift_open(0, path, &drift, &err), 0);
	assert_int_equal(drift.fd, -1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(sim_drift_open(0.5, NULL, &drift, &err), 0);
	sim_drift_count(&drift);
	assert_true(sim_drift_factor(&drift) == 1.5);
	sim_drift_close(&drift);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_sim_drift__counts_requests_over_servers),
		scratch_test(test_sim_drift__without_a_share_or_a_path_has_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
