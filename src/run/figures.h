/*
 * How figures are made of a run's records, as its options say: what its result and its journal share.
 */
#ifndef RUN_FIGURES_H
#define RUN_FIGURES_H

#include "experiment/config.h"

/* The percentiles asked for, ascending and each once; *ret: free(). */
int run_figures_percentiles(const struct vllm_bench *bench, double **ret, size_t *ret_count,
			    struct pl_err *err) PL_MUST_CHECK;
/* {percentiles, goodput, max_concurrency, finite_rate, requests}. New reference. */
json_t *run_figures_how(const struct exp_config *experiment);

#endif
