/*
 * How figures are made of a load's records, as the options of a benchmark say. A run's journal keeps
 * it, so that its figures are the same when they are made from there.
 */
#pragma once

#include "base/json.h"
#include "experiment/values.h"
#include "vllm/bench_options.h"

#include <stdbool.h>

struct res_how {
	double *percentiles; /* [percentile_count] asked for, 0 to 100, ascending, each once */
	size_t percentile_count;
	struct exp_slo slo;
	int64_t max_concurrency; /* OPTION_NO_I64: none */
	bool finite_rate;        /* sends are spread over time, by a rate or a trace */
	bool ignores_eos;        /* answers have exactly the asked length */
	int64_t min_tokens;      /* of the extra body; OPTION_NO_I64: none */
	int64_t max_tokens; /* of the extra body, in place of each request's own; OPTION_NO_I64: none */
};

/* *ret holds memory: res_how_done(). */
int res_how_make(const struct vllm_bench *bench, bool finite_rate, bool ignores_eos,
		 struct res_how *ret, struct pl_err *err) PL_MUST_CHECK;
void res_how_done(struct res_how *how);
#define auto_how __attribute__((cleanup(res_how_done), unused)) struct res_how

/* {percentiles, slo: {ttft_ms, tpot_ms, e2el_ms}, max_concurrency, finite_rate,
 * ignores_eos, min_tokens, max_tokens}. New reference. */
json_t *res_how_to_json(const struct res_how *how);
/* What is not there, or not as it should be, was not asked for. *ret as res_how_make(). */
void res_how_from_json(const json_t *json, struct res_how *ret);
