/*
 * Options that are texts with a form of their own, as values: each form is read here and nowhere
 * else. `timeline_itl_thresholds` is vllm_bench_thresholds().
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* Of request_id_prefix: servers take only so long a header. */
#define EXP_ID_PREFIX_MAX 1024

/* `goodput`: NaN: no limit. */
struct exp_slo {
	double ttft_ms, tpot_ms, e2el_ms;
};

/* "ttft:200 tpot:50" over what is there; false: *ret_expected (static) says what should be there. */
#define EXP_SLO_FORM "NAME:MILLISECONDS"
bool exp_slo_add(struct exp_slo *slo, const char *item, const char **ret_expected);
/* A list of such texts; the last of equal names wins. */
int exp_slo_parse(const json_t *list, struct exp_slo *ret, struct pl_err *err) PL_MUST_CHECK;

/* One percentile; blanks around it do not matter. */
bool exp_percentile_parse(const char *text, double *ret);
/* "50,99.9", in the order given; *ret: free(). */
int exp_percentiles_parse(const char *text, double **ret, size_t *ret_count,
			  struct pl_err *err) PL_MUST_CHECK;

/* As it stands in keys and labels behind their p: "99", "99.9". */
void exp_percentile_text(double percentile, char text[PL_F64_TEXT_BYTES]);

/* `random_range_ratio`: a number, or {"input": a, "output": b}; each from 0 to below 1. */
struct exp_range_ratio {
	double input;
	double output;
};
bool exp_range_ratio_parse(const char *text, struct exp_range_ratio *ret);

/* "10.0.0.2", "::1", "[::1]", "fe80::1%eth0"; no names, which may stand for several. */
struct exp_address {
	struct sockaddr_storage addr;
	socklen_t len;
};
bool exp_address_parse(const char *text, struct exp_address *ret);
