/* Which requests are hit: counted, not drawn. */
#include "sim/faults.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REQUESTS 1000

static void test_sim_faults__a_share_is_met_at_every_count(void **state)
{
	static const double shares[] = { 0.005, 0.01, 0.03, 0.1, 0.25, 0.29, 1.0 / 3, 0.5, 0.9, 1 };

	(void)state;
	for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
		struct sim_fault_count count = { 0 };
		struct sim_faults faults;
		uint64_t hit = 0;

		sim_faults_init(&faults);
		faults.rates[SIM_FAULT_STALL] = shares[k];
		for (int i = 1; i <= REQUESTS; i++) {
			enum sim_fault fault = sim_faults_next(&faults, &count);

			assert_true(fault == SIM_FAULT_NONE || fault == SIM_FAULT_STALL);
			hit += fault == SIM_FAULT_STALL;
			assert_int_equal(hit, (uint64_t)floor(shares[k] * i + 1e-9));
		}
		assert_int_equal(count.requests, REQUESTS);
		assert_int_equal(count.hit[SIM_FAULT_STALL], hit);
	}
}

static void test_sim_faults__hits_are_evenly_spread(void **state)
{
	struct sim_fault_count count = { 0 };
	struct sim_faults faults;
	int last = 0;

	(void)state;
	sim_faults_init(&faults);
	faults.rates[SIM_FAULT_ERROR] = 0.03;
	for (int i = 1; i <= REQUESTS; i++) {
		if (sim_faults_next(&faults, &count) == SIM_FAULT_NONE)
			continue;
		assert_in_range(i - last, 33, 34);
		last = i;
	}
	assert_int_equal(last, REQUESTS);
}

static void test_sim_faults__one_request_is_hit_once(void **state)
{
	struct sim_fault_count count = { 0 };
	struct sim_faults faults;
	uint64_t hit[SIM_FAULT_COUNT] = { 0 };

	(void)state;
	sim_faults_init(&faults);
	for (int kind = 1; kind < SIM_FAULT_COUNT; kind++)
		faults.rates[kind] = 0.1;
	for (int i = 1; i <= REQUESTS + SIM_FAULT_COUNT; i++)
		hit[sim_faults_next(&faults, &count)]++;
	for (int kind = 1; kind < SIM_FAULT_COUNT; kind++)
		assert_int_equal(hit[kind], REQUESTS / 10);
}

static void test_sim_faults__none_without_being_asked(void **state)
{
	struct sim_fault_count count = { 0 };
	struct sim_faults faults;

	(void)state;
	sim_faults_init(&faults);
	for (int i = 0; i < REQUESTS; i++)
		assert_int_equal(sim_faults_next(&faults, &count), SIM_FAULT_NONE);
	assert_int_equal(faults.crash_after, -1);
	assert_int_equal(faults.hang_after, -1);
	assert_int_equal(faults.error_status, 500);
	assert_int_equal(faults.merge_tokens, 1);
	assert_int_equal(faults.merge_sends, 1);
	assert_false(faults.no_usage);
	assert_false(faults.no_finish);
}

static void test_sim_faults__names(void **state)
{
	(void)state;
	for (int64_t i = 0; i < SIM_FAILURE_COUNT; i++)
		assert_int_equal(sim_word_find(sim_failure_words, sim_failure_words[i]), i);
	for (int64_t i = 0; i < SIM_METRICS_COUNT; i++)
		assert_int_equal(sim_word_find(sim_metrics_words, sim_metrics_words[i]), i);
	for (int64_t i = 0; i < SIM_FORM_COUNT; i++)
		assert_int_equal(sim_word_find(sim_form_words, sim_form_words[i]), i);
	assert_null(sim_failure_words[SIM_FAILURE_COUNT]);
	assert_int_equal(sim_word_find(sim_failure_words, "out_of_memory"),
			 SIM_FAILURE_OUT_OF_MEMORY);
	assert_int_equal(sim_word_find(sim_failure_words, "out of memory"), -1);
	assert_int_equal(sim_signal_find("KILL"), SIGKILL);
	assert_int_equal(sim_signal_find("SIGSEGV"), SIGSEGV);
	assert_int_equal(sim_signal_find("15"), SIGTERM);
	assert_int_equal(sim_signal_find("SIG"), -1);
	assert_int_equal(sim_signal_find("0"), -1);
	assert_int_equal(sim_signal_find("4000"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_faults__a_share_is_met_at_every_count),
		cmocka_unit_test(test_sim_faults__hits_are_evenly_spread),
		cmocka_unit_test(test_sim_faults__one_request_is_hit_once),
		cmocka_unit_test(test_sim_faults__none_without_being_asked),
		cmocka_unit_test(test_sim_faults__names),
	};

	return cmocka_run_group_tests_name("test_sim_faults", tests, NULL, NULL);
}
