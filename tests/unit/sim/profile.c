/* Step times against sums done by hand from the published constants. */
#include "sim/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/*
 * One decode at context 1,000 on the 8B pair: weights 16.06e9 / (3.35e12 x 0.8) = 5.992537 ms;
 * keys and values 1,000 x 131,072 / 2.68e12 = 0.048907 ms; overhead 0.9 + 0.0015 ms.
 */
static void test_sim_profile__one_decode(void **state)
{
	struct sim_work work = {
		.sequences = 1, .decode_tokens = 1, .context_tokens = 1000, .attention_pairs = 1000
	};
	const struct sim_profile *profile = sim_profile_find("llama-3-8b-h100");

	(void)state;
	assert_non_null(profile);
	assert_in_range(sim_profile_step_ns(profile, 0, 0, &work), 6942943, 6942947);
}

/*
 * A prefill of 8,192: products 2 x 8.03e9 x 8,192 / (989.4e12 x 0.6) = 221.622 ms; attention over
 * 8,192 x 8,193 / 2 pairs: 4 x 32 x 4,096 x 33,558,528 / 593.64e12 = 29.638 ms; overhead 0.9015 ms.
 */
static void test_sim_profile__one_prefill(void **state)
{
	struct sim_work work = { .sequences = 1,
				 .prefill_tokens = 8192,
				 .context_tokens = 8192,
				 .attention_pairs = 33558528.0 };
	int64_t ns = sim_profile_step_ns(sim_profile_for_model("tiny"), 1, 1, &work);

	(void)state;
	assert_in_range(ns, 252155000, 252170000);
}

/*
 * 70B on 4: weights 141.1e9 / (4 x 2.68e12) = 13.16231 ms; 64 sequences of 500: 32,000 x 327,680 /
 * 10.72e12 = 0.97815 ms; 160 all-reduces: 160 x (8 us + 64 x 8,192 x 2 x 1.5 / 450e9 = 3.495 us) =
 * 1.83924 ms; overhead 1.2 + 0.096 ms. Together 17.27570 ms.
 */
static void test_sim_profile__tensor_parallel(void **state)
{
	struct sim_work work = { .sequences = 64,
				 .decode_tokens = 64,
				 .context_tokens = 32000,
				 .attention_pairs = 32000 };
	const struct sim_profile *profile = sim_profile_for_model("org/Llama-3-70B-Instruct");

	(void)state;
	assert_string_equal(profile->name, "llama-3-70b-h100-tp4");
	assert_in_range(sim_profile_step_ns(profile, 0, 0, &work), 17275500, 17276000);
	assert_true(sim_profile_step_ns(profile, 8, 1, &work) <
		    sim_profile_step_ns(profile, 4, 1, &work));
}

/*
 * The same in two stages: parts of 32 sequences. Weights 13.16231 ms; keys and values 0.97815 / 2; 160 all-reduces:
 * 160 x (8 us + 32 x 8,192 x 2 x 1.5 / 450e9 = 1.748 us) = 1.55962 ms; one pass: 8 us + 32 x 8,192 x 2 / 450e9 =
 * 9.165 us; overhead 1.296 ms. Together 16.51617 ms. A lone sequence has one part and gains nothing.
 */
static void test_sim_profile__pipeline_parallel(void **state)
{
	struct sim_work work = { .sequences = 64,
				 .decode_tokens = 64,
				 .context_tokens = 32000,
				 .attention_pairs = 32000 };
	struct sim_work lone = {
		.sequences = 1, .decode_tokens = 1, .context_tokens = 1000, .attention_pairs = 1000
	};
	struct sim_work prefill = { .sequences = 8,
				    .prefill_tokens = 8192,
				    .context_tokens = 8192,
				    .attention_pairs = 33558528.0 / 8 };
	const struct sim_profile *profile = sim_profile_find("llama-3-70b-h100-tp4");

	(void)state;
	assert_in_range(sim_profile_step_ns(profile, 4, 2, &work), 16515900, 16516400);
	assert_int_equal(sim_profile_step_ns(profile, 4, 2, &lone) -
				 sim_profile_step_ns(profile, 4, 1, &lone),
			 8036);
	/* products dominate a prefill, and four stages divide them by four */
	double ratio = (double)sim_profile_step_ns(profile, 1, 1, &prefill) /
		       (double)sim_profile_step_ns(profile, 1, 4, &prefill);
	assert_true(ratio > 3.9 && ratio < 4);
	assert_in_range(sim_profile_block_count(profile, 1, 4, 0.9, 16),
			sim_profile_block_count(profile, 4, 1, 0.9, 16),
			sim_profile_block_count(profile, 2, 2, 0.9, 16));
}

/* (80e9 x 0.9 - 2e9 - 16.06e9) / (131,072 x 16) = 25,720.6 */
static void test_sim_profile__blocks_in_addition_to_the_weights(void **state)
{
	const struct sim_profile *profile = sim_profile_for_model("tiny");

	(void)state;
	assert_int_equal(sim_profile_block_count(profile, 1, 1, 0.9, 16), 25720);
	assert_int_equal(sim_profile_block_count(profile, 1, 1, 0.2, 16), 0);
	assert_null(sim_profile_find("no such pair"));
}

/*
 * One decode at context 1,000 with fp8: 0.9015 + 8.03e9 / (3.35e12 x 0.8) x 1e3 = 2.99627 + 0.0489 ms; the cache has
 * (80e9 x 0.9 - 2e9 - 8.03e9) / (65,536 x 16) = 59,099.2 blocks.
 */
static void test_sim_profile__number_formats(void **state)
{
	const struct sim_profile *plain = sim_profile_for_model("tiny");
	struct sim_profile fp8 = sim_profile_with_formats(plain, "fp8", NULL);
	struct sim_profile both = sim_profile_with_formats(plain, "fp8", "fp8_e4m3");
	struct sim_profile four = sim_profile_with_formats(plain, "awq", "auto");
	struct sim_profile none = sim_profile_with_formats(plain, "no such format", NULL);
	struct sim_work decode = {
		.sequences = 1, .decode_tokens = 1, .context_tokens = 1000, .attention_pairs = 1000
	};
	struct sim_work prefill = { .sequences = 1,
				    .prefill_tokens = 8192,
				    .context_tokens = 8192,
				    .attention_pairs = 8192.0 * 4096 };

	(void)state;
	assert_in_range(sim_profile_step_ns(&fp8, 0, 0, &decode), 3946600, 3946800);
	assert_int_equal(sim_profile_block_count(&both, 1, 1, 0.9, 16), 59099);
	/* the formats of 4 bits read less and compute no faster */
	assert_true(sim_profile_step_ns(&four, 0, 0, &decode) <
		    sim_profile_step_ns(&fp8, 0, 0, &decode));
	assert_int_equal(sim_profile_step_ns(&four, 0, 0, &prefill),
			 sim_profile_step_ns(plain, 0, 0, &prefill));
	assert_true(sim_profile_step_ns(&fp8, 0, 0, &prefill) <
		    sim_profile_step_ns(plain, 0, 0, &prefill));
	assert_int_equal(sim_profile_step_ns(&none, 0, 0, &decode),
			 sim_profile_step_ns(plain, 0, 0, &decode));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_profile__one_decode),
		cmocka_unit_test(test_sim_profile__one_prefill),
		cmocka_unit_test(test_sim_profile__tensor_parallel),
		cmocka_unit_test(test_sim_profile__pipeline_parallel),
		cmocka_unit_test(test_sim_profile__blocks_in_addition_to_the_weights),
		cmocka_unit_test(test_sim_profile__number_formats),
	};

	return cmocka_run_group_tests_name("test_sim_profile", tests, NULL, NULL);
}
