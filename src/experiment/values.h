/*
 * Text options with their own format, as values: each format is parsed here and nowhere else.
 * `timeline_itl_thresholds` is vllm_bench_thresholds().
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* Maximum length of request_id_prefix: servers limit the size of headers. */
#define EXP_ID_PREFIX_MAX 1024

/* `goodput`; NaN: no limit. */
struct exp_slo {
	double ttft_ms, tpot_ms, e2el_ms;
};

/* Sets "ttft:200 tpot:50" in *slo; false: *ret_expected (static) says what was expected. */
#define EXP_SLO_FORM "NAME:MILLISECONDS"
bool exp_slo_add(struct exp_slo *slo, const char *item, const char **ret_expected);
/* Parses a list of such texts; the last of equal names counts. */
int exp_slo_parse(const json_t *list, struct exp_slo *ret, struct pl_err *err) PL_MUST_CHECK;

/* Parses one percentile, with optional blanks around it. */
bool exp_percentile_parse(const char *text, double *ret);
/* Parses "50,99.9", in the given order; free *ret with free(). */
int exp_percentiles_parse(const char *text, double **ret, size_t *ret_count,
			  struct pl_err *err) PL_MUST_CHECK;

/* Formats it for keys and labels, where it follows a p: "99", "99.9". */
void exp_percentile_text(double percentile, char text[PL_F64_TEXT_BYTES]);

/* `random_range_ratio`: a number, or {"input": a, "output": b}; each from 0 to below 1. */
struct exp_range_ratio {
	double input;
	double output;
};
bool exp_range_ratio_parse(const char *text, struct exp_range_ratio *ret);

/* "10.0.0.2", "::1", "[::1]", "fe80::1%eth0"; not names, which may stand for several addresses. */
struct exp_address {
	struct sockaddr_storage addr;
	socklen_t len;
};
bool exp_address_parse(const char *text, struct exp_address *ret);
