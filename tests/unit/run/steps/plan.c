#include "run/steps/plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static double share_of(const char *const *prompts, size_t count)
{
	struct bench_sample samples[8] = { 0 };

	for (size_t i = 0; i < count; i++)
		samples[i].prompt = (char *)prompts[i];
	return run_shared_prefix_share(samples, count, false);
}

static void test_run_steps_plan__shared_prefix_share(void **state)
{
	(void)state;
	const char *const apart[] = { "abcd", "bcde", "cdef" };
	const char *const same[] = { "abcd", "abcd", "abcd", "abcd" };
	/* whatever the order: the second to come with "ab" finds two of four bytes */
	const char *const tree[] = { "abxx", "zzzz", "abyy", "zz" };

	assert_true(share_of(apart, 3) == 0);
	assert_true(share_of(same, 4) == 0.75);
	assert_true(fabs(share_of(tree, 4) - 4.0 / 14) < 1e-12);
	assert_true(isnan(share_of(apart, 0)));
}

/* Each prompt of a list counts, and each document of a pair follows its query. */
static void test_run_steps_plan__shared_prefix_share_of_lists(void **state)
{
	(void)state;
	auto_json json_t *texts = json_pack("[s, s, s]", "abc", "abd", "x");
	auto_json json_t *ids = json_pack("[[i, i], [i, i]]", 7, 8, 7, 9);
	auto_json json_t *object = json_pack("{s:i}", "data", 1);
	const struct bench_sample list = { .inputs = texts };
	const struct bench_sample tokens = { .inputs = ids };
	const struct bench_sample same[] = { { .inputs = object }, { .inputs = object } };

	assert_true(fabs(run_shared_prefix_share(&list, 1, false) - 2.0 / 7) < 1e-12);
	/* "abc\nabd" and "abc\nx" */
	assert_true(fabs(run_shared_prefix_share(&list, 1, true) - 4.0 / 12) < 1e-12);
	assert_true(run_shared_prefix_share(&tokens, 1, false) == 0.25);
	assert_true(run_shared_prefix_share(same, 2, false) == 0.5);
}

static void test_run_steps_plan__when_eos_is_ignored(void **state)
{
	(void)state;
	struct vllm_bench bench;

	vllm_bench_init(&bench);
	assert_true(run_plan_ignores_eos(&bench));
	free(bench.dataset_name);
	bench.dataset_name = pl_strdup("sharegpt");
	assert_false(run_plan_ignores_eos(&bench));
	bench.ignore_eos = true;
	assert_true(run_plan_ignores_eos(&bench));
	/* of random prompts only for backends that generate */
	free(bench.dataset_name);
	bench.dataset_name = pl_strdup("random");
	free(bench.backend);
	bench.backend = pl_strdup("openai-embeddings");
	assert_true(run_plan_ignores_eos(&bench));
	bench.ignore_eos = false;
	assert_false(run_plan_ignores_eos(&bench));
	vllm_bench_done(&bench);
}

static void test_run_steps_plan__when_planned_times_matter(void **state)
{
	(void)state;
	struct vllm_bench bench;

	vllm_bench_init(&bench);
	assert_false(run_plan_has_rate(&bench));
	bench.request_rate = 10;
	assert_true(run_plan_has_rate(&bench));
	bench.request_rate = INFINITY;
	bench.ramp_up_strategy = pl_strdup("linear");
	assert_true(run_plan_has_rate(&bench));
	vllm_bench_done(&bench);
}

/* A plan of random ids needs no server. */
static struct vllm_bench random_ids(size_t count)
{
	struct vllm_bench bench;

	vllm_bench_init(&bench);
	bench.num_prompts = (int64_t)count;
	bench.prompt_token_ids = true;
	bench.vocab_size = 32000;
	bench.random_input_len = 64;
	bench.random_output_len = 8;
	return bench;
}

static json_t *prompt_of(const struct bench_request *request)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *body = NULL;

	assert_int_equal(pl_json_parse(request->body, request->body_len, "body", &body, &err), 0);
	return json_incref(json_object_get(body, "prompt"));
}

static struct run_plan *build(const struct run_plan_input *input)
{
	struct run_plan *plan = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (run_plan_build(input, &plan, &err) < 0)
		fail_msg("%s", err.text);
	return plan;
}

static void test_run_steps_plan__requests(void **state)
{
	(void)state;
	struct vllm_bench bench = random_ids(5);
	struct run_plan_input input = { .bench = &bench,
					.adapter = bench_adapter_find("openai"),
					.model = "m" };
	auto_plan struct run_plan *plan = build(&input);
	auto_plan struct run_plan *retry = build(&input);
	char id[RES_ID_BYTES];

	assert_int_equal(plan->count, 5);
	assert_string_equal(plan->dataset->prompt_form, "token_ids");
	for (size_t i = 0; i < plan->count; i++) {
		const struct bench_request *request = &plan->requests[i];
		auto_json json_t *prompt = prompt_of(request);
		assert_int_equal(json_array_size(prompt), 64);
		assert_int_equal(request->planned_ns, 0);
		assert_int_equal(request->output_tokens, 8);
		/* "bench-", eight digits, "-", the number */
		res_request_id_text(&request->request_id, id, sizeof(id));
		assert_memory_equal(id, "bench-", 6);
		assert_int_equal(strspn(id + 6, "0123456789abcdef"), 8);
		assert_int_equal(id[14], '-');
		assert_int_equal(strtol(id + 15, NULL, 10), i);
		/* one text for all of them */
		assert_ptr_equal(request->request_id.prefix, plan->id_prefix);
		assert_string_equal(request->body, retry->requests[i].body);
	}
	assert_string_equal(plan->sha256, retry->sha256);
	assert_string_not_equal(plan->id_prefix, retry->id_prefix);
	vllm_bench_done(&bench);
}

static void test_run_steps_plan__arrivals_end_at_count_over_rate(void **state)
{
	(void)state;
	struct vllm_bench bench = random_ids(50);
	struct run_plan_input input = { .bench = &bench,
					.adapter = bench_adapter_find("openai"),
					.model = "m" };

	bench.request_rate = 25;
	auto_plan struct run_plan *plan = build(&input);
	for (size_t i = 1; i < plan->count; i++)
		assert_true(plan->requests[i].planned_ns >= plan->requests[i - 1].planned_ns);
	assert_true(llabs(plan->requests[49].planned_ns - 2000000000) <= 1);
	vllm_bench_done(&bench);
}

static void test_run_steps_plan__warmups_are_other_prompts_as_long(void **state)
{
	(void)state;
	struct vllm_bench bench = random_ids(3);
	struct run_plan_input input = { .bench = &bench,
					.adapter = bench_adapter_find("openai"),
					.model = "m" };
	auto_plan struct run_plan *plan = build(&input);
	struct bench_request *warmups = NULL;
	char **bodies = NULL;
	struct pl_err err = PL_ERR_INIT;
	const size_t count = 8;

	assert_int_equal(run_plan_warmups(plan, &input, count, &warmups, &bodies, &err), 0);
	for (size_t i = 0; i < count; i++) {
		auto_json json_t *prompt = prompt_of(&warmups[i]);
		assert_int_equal(json_array_size(prompt), 64);
		assert_null(warmups[i].request_id.prefix);
		for (size_t k = 0; k < plan->count; k++) {
			auto_json json_t *measured = prompt_of(&plan->requests[k]);
			assert_false(json_equal(prompt, measured));
			assert_int_not_equal(json_integer_value(json_array_get(prompt, 0)),
					     json_integer_value(json_array_get(measured, 0)));
		}
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(bodies[k], bodies[i]);
	}
	for (size_t i = 0; i < count; i++)
		free(bodies[i]);
	free(bodies);
	free(warmups);
	vllm_bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_steps_plan__shared_prefix_share),
		cmocka_unit_test(test_run_steps_plan__shared_prefix_share_of_lists),
		cmocka_unit_test(test_run_steps_plan__when_eos_is_ignored),
		cmocka_unit_test(test_run_steps_plan__when_planned_times_matter),
		cmocka_unit_test(test_run_steps_plan__requests),
		cmocka_unit_test(test_run_steps_plan__arrivals_end_at_count_over_rate),
		cmocka_unit_test(test_run_steps_plan__warmups_are_other_prompts_as_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
