#include "bench/load/arrivals.h"
#include "experiment/ramp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"

#define N_MAX 8

struct arrivals_case {
	uint32_t seed;
	double rate;
	double burstiness;
	const char *ramp; /* NULL: none */
	int64_t from, to;
	size_t n;
	double expected[N_MAX];
};

/* Computed by vLLM 0.32's own code; the last digit counts. */
static const struct arrivals_case cases[] = {
	{ 0,
	  2,
	  1,
	  NULL,
	  0,
	  0,
	  4,
	  { 0.42308662643449835, 1.0907390064119973, 1.581524126676757, 1.9999999999999998 } },
	{ 0,
	  2,
	  1,
	  NULL,
	  0,
	  0,
	  6,
	  { 0.4461649022443264, 1.1502359842263292, 1.6677921571813668, 2.1090948017162203,
	    2.4180109607837497, 3.0 } },
	{ 42,
	  2,
	  1,
	  NULL,
	  0,
	  0,
	  6,
	  { 0.23276036553183593, 1.7258023590543992, 2.3789177433909376, 2.8317438508233383,
	    2.9158790129948233, 3.0 } },
	{ 0,
	  2,
	  0.5,
	  NULL,
	  0,
	  0,
	  6,
	  { 0.4033030598487582, 0.905135934235458, 1.1432469539855932, 1.3972766425028875,
	    2.56420628166324, 3.0 } },
	{ 0,
	  2,
	  2,
	  NULL,
	  0,
	  0,
	  6,
	  { 0.891492864887902, 1.2798283275463118, 2.2213364331478647, 2.3421814302183117,
	    2.6088109170209215, 3.0 } },
	{ 0,
	  3,
	  INFINITY,
	  NULL,
	  0,
	  0,
	  4,
	  { 0.3333333333333333, 0.6666666666666666, 1.0, 1.3333333333333333 } },
	{ 0,
	  INFINITY,
	  1,
	  "linear",
	  1,
	  10,
	  5,
	  { 0.79587450816311, 1.1823147429218293, 1.3501734967043872, 1.4517478389388738,
	    1.5068526880484236 } },
	{ 0,
	  INFINITY,
	  1,
	  "exponential",
	  1,
	  16,
	  5,
	  { 0.79587450816311, 1.423839889646029, 1.654645676097046, 1.753045820136705,
	    1.7874863508301737 } },
	{ 42,
	  INFINITY,
	  2,
	  "exponential",
	  2,
	  10,
	  5,
	  { 0.5984198474673091, 0.8482720473325287, 1.0028160502743046, 1.1061672528297224,
	    1.338652973441255 } },
	{ 0, INFINITY, 1, NULL, 0, 0, 3, { 0, 0, 0 } },
};

static void bench_of(const struct arrivals_case *c, struct vllm_bench *bench)
{
	vllm_bench_init(bench);
	bench->request_rate = c->rate;
	bench->burstiness = c->burstiness;
	free(bench->ramp_up_strategy);
	bench->ramp_up_strategy = pl_strdup(c->ramp);
	if (c->ramp != NULL) {
		bench->ramp_up_start_rps = c->from;
		bench->ramp_up_end_rps = c->to;
	}
}

static void test_equal_to_reference(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_nplegacy rng;
		struct vllm_bench bench;
		double out[N_MAX];
		bench_of(&cases[i], &bench);
		pl_nplegacy_seed(&rng, cases[i].seed);
		bench_arrivals_build(&bench, cases[i].n, &rng, out);
		for (size_t j = 0; j < cases[i].n; j++) {
			char got[PL_F64_TEXT_BYTES], wanted[PL_F64_TEXT_BYTES];
			pl_text_from_f64(out[j], got);
			pl_text_from_f64(cases[i].expected[j], wanted);
			assert_string_equal(got, wanted);
		}
		vllm_bench_done(&bench);
	}
}

static void test_draws_continue(void **state)
{
	struct arrivals_case c = { 0, 2, 1, NULL, 0, 0, 2, { 0 } };
	struct pl_nplegacy rng, alone;
	struct vllm_bench bench;
	double out[2];

	(void)state;
	bench_of(&c, &bench);
	pl_nplegacy_seed(&rng, 0);
	pl_nplegacy_seed(&alone, 0);
	bench_arrivals_build(&bench, 2, &rng, out);
	pl_nplegacy_gamma(&alone, 1, 1);
	pl_nplegacy_gamma(&alone, 1, 1);
	assert_true(pl_nplegacy_double(&rng) == pl_nplegacy_double(&alone));
	vllm_bench_done(&bench);
}

/* Without randomness (burstiness inf), request i is sent when i + 1 requests are expected. */
static void test_ramp_over_time(void **state)
{
	struct vllm_bench bench;
	struct pl_nplegacy rng;
	double out[12];

	(void)state;
	vllm_bench_init(&bench);
	bench.burstiness = INFINITY;
	bench.ramp_up_start_rps = 1;
	bench.ramp_up_end_rps = 5;
	free(bench.ramp_up_by);
	bench.ramp_up_by = pl_strdup("time");
	bench.ramp_up_strategy = pl_strdup("linear");
	pl_nplegacy_seed(&rng, 0);
	bench_arrivals_build(&bench, 12, &rng, out);
	/* 12 requests at 3 a second on average take 4 s: t + t^2/2 requests by then */
	for (size_t i = 0; i < 12; i++)
		assert_true(fabs(out[i] + out[i] * out[i] / 2 - (double)(i + 1)) < 1e-12 * 12);
	assert_true(fabs(out[11] - 4) < 1e-12);
	assert_true(fabs(exp_ramp_rate(&bench, 0, 12, 2) - 3) < 1e-12);
	assert_true(fabs(exp_ramp_rate(&bench, 0, 12, 9) - 5) < 1e-12);
	free(bench.ramp_up_strategy);
	bench.ramp_up_strategy = pl_strdup("exponential");
	bench_arrivals_build(&bench, 12, &rng, out);
	double length = 12 * log(5) / 4;
	for (size_t i = 0; i < 12; i++) {
		double expected = length / log(5) * (exp(log(5) * out[i] / length) - 1);
		assert_true(fabs(expected - (double)(i + 1)) < 1e-11);
	}
	vllm_bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_to_reference),
		cmocka_unit_test(test_draws_continue),
		cmocka_unit_test(test_ramp_over_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
