#include "result/flat/agreement.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "result/flat/read.h"
#include "result/quality.h"

/* Two requests of 100 and 300 ms to the first token, 3 tokens each. */
#define FILE_OF(changes)                                                                       \
	"{\"num_prompts\": 2, \"completed\": 2, \"failed\": 0, \"duration\": 2.0, "            \
	"\"total_input_tokens\": 8, \"total_output_tokens\": 6, \"request_throughput\": 1.0, " \
	"\"output_throughput\": 3.0, \"total_token_throughput\": 7.0, "                        \
	"\"mean_ttft_ms\": 200.1234, \"median_ttft_ms\": 200.1234, \"std_ttft_ms\": 100.0, "   \
	"\"p99_ttft_ms\": 298.0, \"mean_tpot_ms\": 10.0, \"mean_itl_ms\": 10.0" changes "}"

static struct res_quality_facts facts_of(const char *text)
{
	auto_flat struct res_flat *flat = NULL;
	struct res_quality_facts facts;
	struct pl_err err = PL_ERR_INIT;

	if (res_flat_parse(text, strlen(text), "flat", &flat, &err) < 0)
		fail_msg("%s", err.text);
	res_quality_init(&facts);
	res_flat_facts(flat, &facts);
	return facts;
}

static void test_result_flat_agreement__agrees(void **state)
{
	struct res_quality_facts facts = facts_of(FILE_OF(""));

	(void)state;
	assert_true(facts.totals_off_share <= 0 && facts.order_off_share <= 0);
	assert_true(facts.impossible_zeros <= 0 && facts.requests_missing_share <= 0);
	assert_true(isnan(facts.lists_off_share));
	assert_string_equal(facts.totals_detail, "");
	assert_float_equal(facts.completed, 2, 0);
}

/* The worst of several is named, and sums of large counts do not overflow. */
static void test_result_flat_agreement__names_the_worst(void **state)
{
	struct res_quality_facts facts = facts_of(
		"{\"num_prompts\": 9, \"completed\": 9223372036854775807, "
		"\"failed\": 9223372036854775807, \"duration\": 1e-300, "
		"\"request_throughput\": 5, \"mean_ttft_ms\": 1e308, \"std_ttft_ms\": 1, "
		"\"p99_ttft_ms\": 0}");

	(void)state;
	assert_true(facts.totals_off_share > 1);
	assert_true(strlen(facts.totals_detail) > 0 && strlen(facts.order_detail) > 0);
}

/* A percentile of TTFT exceeds the same percentile of E2EL, while the means agree. */
static void test_result_flat_agreement__percentiles_of_two_families(void **state)
{
	static const char both[] = FILE_OF(", \"mean_e2el_ms\": 220.0, \"p99_e2el_ms\": 280.0");
	static const char other[] = FILE_OF(", \"mean_e2el_ms\": 220.0, \"p90_e2el_ms\": 280.0");
	struct res_quality_facts facts = facts_of(both);

	(void)state;
	assert_true(facts.order_off_share > 0.05 && facts.order_off_share < 0.07);
	assert_string_equal(facts.order_detail,
			    "p99_ttft_ms: found 298, expected at most 280, that of E2EL");
	/* percentiles of different ranks are not compared */
	facts = facts_of(other);
	assert_true(facts.order_off_share <= 0);
}

static void assert_unsampled(const char *text, const char *key, bool expected)
{
	auto_flat struct res_flat *flat = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(res_flat_parse(text, strlen(text), "flat", &flat, &err), 0);
	if (res_flat_is_unsampled(flat, key) != expected)
		fail_msg("%s of %s", key, text);
}

static void test_result_flat_agreement__empty_samples(void **state)
{
	static const char none[] = "{\"num_prompts\": 1, \"completed\": 0, \"failed\": 1, "
				   "\"duration\": 1, \"mean_ttft_ms\": 0.0, "
				   "\"output_throughput\": 0.0, \"request_throughput\": 0.0}";
	static const char one[] = "{\"num_prompts\": 1, \"completed\": 1, \"duration\": 1, "
				  "\"total_output_tokens\": 1, \"mean_tpot_ms\": 0.0, "
				  "\"p99_tpot_ms\": 0, \"mean_itl_ms\": 0.0, \"p99_itl_ms\": 2.5, "
				  "\"mean_client_queue_time_ms\": 0.0, \"mean_ttft_ms\": 5}";

	(void)state;
	assert_unsampled(none, "mean_ttft_ms", true);
	assert_unsampled(none, "output_throughput", true);
	assert_unsampled(none, "request_throughput", false);
	assert_unsampled(none, "duration", false);
	assert_unsampled(one, "mean_tpot_ms", true);
	assert_unsampled(one, "p99_tpot_ms", true);
	/* one of the family was measured */
	assert_unsampled(one, "mean_itl_ms", false);
	assert_unsampled(one, "p99_itl_ms", false);
	assert_unsampled(one, "mean_ttft_ms", false);
	assert_unsampled(one, "mean_client_queue_time_ms", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_flat_agreement__agrees),
		cmocka_unit_test(test_result_flat_agreement__names_the_worst),
		cmocka_unit_test(test_result_flat_agreement__percentiles_of_two_families),
		cmocka_unit_test(test_result_flat_agreement__empty_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
