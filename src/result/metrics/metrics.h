/*
 * From records to figures: vLLM's keys by vLLM's formulas and ours beside them
 * (docs/reference/metrics.md). Rows of tbl/metrics.h name the families.
 */
#ifndef RESULT_METRICS_METRICS_H
#define RESULT_METRICS_METRICS_H

#include "base/err.h"
#include "vllm/bench_options.h"
#include "result/record.h"

struct res_slo {
	double ttft_ms, tpot_ms, e2el_ms; /* NaN: none */
};

struct res_metrics_input {
	const struct res_record *records; /* plan order */
	size_t count;
	struct res_record *const *tries; /* failed ones that another followed */
	size_t try_count;
	double duration_s; /* vLLM's: start of sending to the last answer */
	int64_t start_ns;
	const double *percentiles; /* in percent, any order */
	size_t percentile_count;
	struct res_slo slo;      /* all NaN: request_goodput is null */
	int64_t max_concurrency; /* OPTION_NO_I64: none */
	bool finite_rate;
	int64_t inflight_peak; /* exact; OPTION_NO_I64: from the records */
};

/* `results` of the result file. New reference. */
json_t *res_metrics_compute(const struct res_metrics_input *input);

/* "ttft:200 tpot:50" as a list of texts; names ttft, tpot, e2el; last wins. */
int res_slo_parse(const json_t *list, struct res_slo *ret, struct pl_err *err) PL_MUST_CHECK;
/* "50,99.9", in the order given. */
int res_percentiles_parse(const char *text, double **ret, size_t *ret_count,
			  struct pl_err *err) PL_MUST_CHECK;

struct res_quality_facts;
struct res_outcome;
/* The facts that records and the load's own counters decide. */
void res_quality_facts(const struct res_outcome *outcome, const json_t *results, bool finite_rate,
		       int64_t max_concurrency, struct res_quality_facts *ret);

#endif
