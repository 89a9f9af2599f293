/* Limits on metrics for `serve_sla`, which finds the largest load within them: {"p99_e2el_ms": "<=500"}. */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/*
 * Reads a parameter file whose values are limits. *ret: an array of objects, checked; new reference. Errors name the
 * file, the key and the value.
 */
int sweep_vllm_sla_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns "p99_e2el_ms<=500.00-mean_ttft_ms<100.00". free() */
char *sweep_vllm_sla_name(const json_t *limits);
/*
 * Returns the largest margin by which the means over the runs miss the limits: <= 0 is within all. -1: a metric is
 * missing.
 */
int sweep_vllm_sla_margin(const json_t *limits, const json_t *runs, double *ret,
			  struct pl_err *err) PL_MUST_CHECK;

/* A search for the largest value within the limits, `best`; starts as { 0 }. */
struct sweep_vllm_search {
	bool by_spline; /* the rules from 0.14.1 on, else those before */
	/* measured values, ascending, and their margins */
	double *values, *margins;
	size_t count, room;
	/* only before 0.14.1 */
	int64_t left, right, next;
	int64_t best;
};
void sweep_vllm_search_done(struct sweep_vllm_search *search);
/* For the rules before 0.14.1, the first call passes the estimate from a run without a limit. */
void sweep_vllm_search_begin(struct sweep_vllm_search *search, bool by_spline, double estimate);
/* Returns the next value to measure; 0: the search has ended. */
int64_t sweep_vllm_search_next(struct sweep_vllm_search *search);
/* Adds a measurement; before the search begins, adds a known one. */
void sweep_vllm_search_add(struct sweep_vllm_search *search, int64_t value, double margin);

/* Counts as unlimited; and the largest value that the rules allow. */
#define SWEEP_VLLM_UNLIMITED 65536
#define SWEEP_VLLM_MOST      8192
