#include "host/telemetry/spec_decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void parse(const char *text, struct host_spec_decode *ret)
{
	host_spec_decode_parse(text, strlen(text), ret);
}

static const char before_page[] =
	"# TYPE vllm:spec_decode_num_drafts counter\n"
	"vllm:spec_decode_num_drafts_total{engine=\"0\",model_name=\"a b\"} 10.0\n"
	"vllm:spec_decode_num_drafts_created{engine=\"0\",model_name=\"a b\"} 1.7e9\n"
	"vllm:spec_decode_num_draft_tokens_total{engine=\"0\"} 30\n"
	"vllm:spec_decode_num_accepted_tokens_total{engine=\"0\"} 12\n"
	"vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\",position=\"0\"} 9\n"
	"vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\",position=\"1\"} 3\n";

static const char after_page[] =
	"vllm:spec_decode_num_drafts_total{engine=\"0\"} 14\n"
	"vllm:spec_decode_num_drafts_total{engine=\"1\"} 4\n"
	"vllm:spec_decode_num_draft_tokens_total 54\n"
	"vllm:spec_decode_num_accepted_tokens_total 24\n"
	"vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"0\",engine=\"0\"} 15\n"
	"vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"2\",engine=\"0\"} 4\n";

static void the_difference_is_what_came_between(void **state)
{
	struct host_spec_decode before, after;

	(void)state;
	parse(before_page, &before);
	parse(after_page, &after);
	auto_json json_t *between = host_spec_decode_between(&before, &after);
	assert_non_null(between);
	assert_true(json_number_value(json_object_get(between, "acceptance_rate")) == 50.0);
	assert_true(json_number_value(json_object_get(between, "acceptance_length")) == 2.5);
	assert_int_equal(json_integer_value(json_object_get(between, "num_drafts")), 8);
	assert_int_equal(json_integer_value(json_object_get(between, "draft_tokens")), 24);
	assert_int_equal(json_integer_value(json_object_get(between, "accepted_tokens")), 12);
	const json_t *rates = json_object_get(between, "per_position_acceptance_rates");
	/* position 1 is missing afterwards and counts 0, position 2 is new */
	assert_int_equal(json_array_size(rates), 3);
	assert_true(json_number_value(json_array_get(rates, 0)) == 6.0 / 8);
	assert_true(json_number_value(json_array_get(rates, 1)) == 0);
	assert_true(json_number_value(json_array_get(rates, 2)) == 0.5);
}

static void without_drafts_there_is_nothing(void **state)
{
	struct host_spec_decode none, before, after;

	(void)state;
	parse("vllm:num_requests_running 0\n", &none);
	parse(before_page, &before);
	parse(after_page, &after);
	assert_false(none.known);
	assert_null(host_spec_decode_between(&none, &after));
	assert_null(host_spec_decode_between(&before, &none));
	assert_null(host_spec_decode_between(&before, &before));
	/* the server restarted */
	assert_null(host_spec_decode_between(&after, &before));
	parse("no metrics page {", &none);
	assert_false(none.known);
}

/* 1e300 fits no integer; a fraction counts nothing. */
static void test_host_telemetry_spec_decode__differences_are_counts(void **state)
{
	static const char *const values[] = { "1e300", "+Inf", "NaN", "9007199254740994", "7.5" };
	struct host_spec_decode before, after;

	(void)state;
	parse(before_page, &before);
	for (size_t i = 0; i < PL_ARRAY_SIZE(values); i++) {
		auto_free char *page = pl_asprintf("%svllm:spec_decode_num_draft_tokens_total %s\n",
						   after_page, values[i]);
		parse(page, &after);
		assert_true(after.known);
		assert_null(host_spec_decode_between(&before, &after));
	}
}

static void odd_positions_are_left_out(void **state)
{
	struct host_spec_decode page;

	(void)state;
	parse("vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"64\"} 1\n"
	      "vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"x\"} 1\n"
	      "vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\"} 1\n"
	      "vllm:spec_decode_num_accepted_tokens_per_pos_total 1\n"
	      "vllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"63\"} 5\n",
	      &page);
	assert_true(page.known);
	assert_true(page.accepted_at[63] == 5);
	for (size_t i = 0; i < 63; i++)
		assert_false(page.accepted_at[i] == page.accepted_at[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_difference_is_what_came_between),
		cmocka_unit_test(without_drafts_there_is_nothing),
		cmocka_unit_test(test_host_telemetry_spec_decode__differences_are_counts),
		cmocka_unit_test(odd_positions_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
