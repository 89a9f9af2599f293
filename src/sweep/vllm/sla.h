/*
 * Limits on figures that `serve_sla` looks for the largest load under: {"p99_e2el_ms": "<=500"}.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/*
 * A parameter file whose values are limits. *ret: an array of objects, checked; new reference. Errors name
 * the file, the key and what was found.
 */
int sweep_vllm_sla_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* "p99_e2el_ms<=500.00-mean_ttft_ms<100.00". The caller's (free()). */
char *sweep_vllm_sla_name(const json_t *limits);
/*
 * By how much the means over the runs miss the limits, the worst of them: 0 and below is within all.
 * -1: a figure is missing.
 */
int sweep_vllm_sla_margin(const json_t *limits, const json_t *runs, double *ret,
			  struct pl_err *err) PL_MUST_CHECK;

/* A search for the largest value within the limits, which becomes `best`; starts as { 0 }. */
struct sweep_vllm_search {
	bool by_spline; /* the rules from 0.14.1 on, else those before */
	/* values that were measured, rising, and their margins */
	double *values, *margins;
	size_t count, room;
	/* before 0.14.1 alone */
	int64_t left, right, next;
	int64_t best;
};
void sweep_vllm_search_done(struct sweep_vllm_search *search);
/* The first call, of the rules before 0.14.1, has the estimate from a run without a limit. */
void sweep_vllm_search_begin(struct sweep_vllm_search *search, bool by_spline, double estimate);
/* The next value to measure; 0: the search has ended. */
int64_t sweep_vllm_search_next(struct sweep_vllm_search *search);
/* What was measured; also before the search begins, what is known already. */
void sweep_vllm_search_add(struct sweep_vllm_search *search, int64_t value, double margin);

/* Taken for no limit, and the largest value that the rules have. */
#define SWEEP_VLLM_UNLIMITED 65536
#define SWEEP_VLLM_MOST      8192
