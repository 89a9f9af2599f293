/*
 * How metrics are computed from a load's records, as set by the options of a benchmark. A run's
 * journal stores it, so that metrics computed from the journal are the same.
 */
#pragma once

#include "base/json.h"
#include "experiment/values.h"
#include "vllm/bench_options.h"

#include <stdbool.h>

struct res_how {
	double *percentiles; /* [percentile_count] requested, 0 to 100, ascending and distinct */
	size_t percentile_count;
	struct exp_slo slo;
	int64_t max_concurrency; /* OPTION_NO_I64: none */
	bool finite_rate;        /* sends are spread over time by a rate or a trace */
	bool ignores_eos;        /* outputs have exactly the requested length */
	int64_t min_tokens;      /* of the extra body; OPTION_NO_I64: none */
	/* of the extra body, overrides the value of each request; OPTION_NO_I64: none */
	int64_t max_tokens;
	double steady_share;    /* of max_concurrency, from which a closed loop is steady */
	double steady_window_s; /* minimum length of a steady state */
};

/* *ret must be freed with res_how_done(). */
int res_how_make(const struct vllm_bench *bench, bool finite_rate, bool ignores_eos,
		 struct res_how *ret, struct pl_err *err) PL_MUST_CHECK;
void res_how_done(struct res_how *how);
#define auto_how __attribute__((cleanup(res_how_done), unused)) struct res_how

/* {percentiles, slo: {ttft_ms, tpot_ms, e2el_ms}, max_concurrency, finite_rate,
 * ignores_eos, min_tokens, max_tokens}. New reference. */
json_t *res_how_to_json(const struct res_how *how);
/* Treats missing and malformed keys as not requested. *ret as in res_how_make(). */
void res_how_from_json(const json_t *json, struct res_how *ret);
