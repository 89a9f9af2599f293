/*
 * vLLM's flat result: the single JSON object written by any release of `vllm bench serve`, and by
 * its newer client in Rust. Keys that a release lacks are unknown; existing keys must have their
 * type. A file with contradictory metrics is still read: result/flat/agreement.h names the
 * contradictions.
 *
 *  py:  {…, "ttfts": [s], "itls": [[s]], "start_times": [s], …, "mean_ttft_ms": ms, …}
 *
 * - Lists of single requests exist only with --save-detailed.
 * - Times are seconds as doubles, on vLLM's own clock (CPython's perf_counter; the client in Rust
 *   counts from its start).
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

#define RES_FLAT_FAULT_BYTES 160

/* One request; NaN: unknown. */
struct res_flat_request {
	double start_s;
	double ttft_s;
	double latency_s; /* 0 for a failed request */
	double queue_s;
	int64_t input_tokens;
	int64_t output_tokens; /* 0 for a failed request */
	const double *gaps;    /* between its events */
	size_t gap_count;
	const char *error; /* "": none; borrowed from json */
	const json_t *text;
	bool ok;
};

struct res_flat {
	json_t *json;
	const char *backend; /* all texts are borrowed from json; NULL: unknown */
	const char *model_id;
	const char *tokenizer_id;
	const char *label;
	const char *date;
	int64_t num_prompts;
	int64_t completed;
	int64_t failed;
	double duration_s;
	double request_rate; /* infinite: all at once; NaN: unknown */
	double burstiness;
	double request_goodput;            /* NaN: no limits were set */
	int64_t max_concurrency;           /* INT64_MIN: none */
	struct res_flat_request *requests; /* in sending order; NULL without lists */
	size_t count;
	double *gaps; /* of all requests */
	bool has_starts;
	bool has_latencies;
	bool has_queues;
	/*
	 * Why the lists of requests contradict each other or the counts; "": they agree. Lists of
	 * different lengths are not read.
	 */
	char lists_fault[RES_FLAT_FAULT_BYTES];
};

/* `source` is the name for errors. Accepts bare Infinity and NaN, which vLLM writes. */
int res_flat_parse(const char *text, size_t len, const char *source, struct res_flat **ret,
		   struct pl_err *err) PL_MUST_CHECK;
/* Reads parsed JSON and keeps a reference to it. */
int res_flat_of_json(json_t *json, const char *source, struct res_flat **ret,
		     struct pl_err *err) PL_MUST_CHECK;
int res_flat_read(const char *path, struct res_flat **ret, struct pl_err *err) PL_MUST_CHECK;
void res_flat_free(struct res_flat *flat);
PL_AUTO_DEFINE(struct res_flat, res_flat_free);
#define auto_flat PL_AUTO(res_flat_free)

/*
 * Returns the end of the key of a statistic, "_ttft_ms" for "p99_ttft_ms"; NULL: not a statistic.
 * Static.
 */
const char *res_flat_statistic(const char *key);
/* Returns a number of the summary; NaN if it is null or missing. */
double res_flat_number(const struct res_flat *flat, const char *key);
