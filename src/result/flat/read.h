/*
 * vLLM's flat result: the one JSON object that `vllm bench serve` writes, of any release, and that of
 * its newer client in Rust. What is missing in a release is "not told", what is there must be of its
 * type. A file whose figures contradict each other is read: result/flat/agreement.h names what disagrees.
 *
 *	py:  {…, "ttfts": [s], "itls": [[s]], "start_times": [s], …, "mean_ttft_ms": ms, …}
 *
 * - Lists of single requests are there only where --save-detailed asked for them.
 * - Times are seconds as doubles, in vLLM's own clock (CPython's perf_counter; the client in Rust
 *   counts from its own start).
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

#define RES_FLAT_FAULT_BYTES 160

/* One request; NaN: not told. */
struct res_flat_request {
	double start_s;
	double ttft_s;
	double latency_s; /* of a failed one 0 */
	double queue_s;
	int64_t input_tokens;
	int64_t output_tokens; /* of a failed one 0 */
	const double *gaps;    /* between its events */
	size_t gap_count;
	const char *error; /* "" where there is none; borrowed from json */
	const json_t *text;
	bool ok;
};

struct res_flat {
	json_t *json;
	const char *backend; /* all texts borrowed from json; NULL: not told */
	const char *model_id;
	const char *tokenizer_id;
	const char *label;
	const char *date;
	int64_t num_prompts;
	int64_t completed;
	int64_t failed;
	double duration_s;
	double request_rate; /* infinite: all at once; NaN: not told */
	double burstiness;
	double request_goodput;            /* NaN: no limits were asked for */
	int64_t max_concurrency;           /* INT64_MIN: none */
	struct res_flat_request *requests; /* in the order they were sent in; NULL without lists */
	size_t count;
	double *gaps; /* of all requests */
	bool has_starts;
	bool has_latencies;
	bool has_queues;
	/* Why the lists of requests do not fit each other or the counts; "": they do. Lists of different lengths are
	 * not read. */
	char lists_fault[RES_FLAT_FAULT_BYTES];
};

/* `source` is its name in messages. Bare Infinity and NaN, which vLLM writes, are taken. */
int res_flat_parse(const char *text, size_t len, const char *source, struct res_flat **ret,
		   struct pl_err *err) PL_MUST_CHECK;
/* Of what was parsed already, which it keeps a reference to. */
int res_flat_of_json(json_t *json, const char *source, struct res_flat **ret,
		     struct pl_err *err) PL_MUST_CHECK;
int res_flat_read(const char *path, struct res_flat **ret, struct pl_err *err) PL_MUST_CHECK;
void res_flat_free(struct res_flat *flat);
PL_AUTO_DEFINE(struct res_flat, res_flat_free);
#define auto_flat PL_AUTO(res_flat_free)

/* The end of the key of a statistic, "_ttft_ms" of "p99_ttft_ms"; NULL: the key is none. Static. */
const char *res_flat_statistic(const char *key);
/* A number of the summary; NaN where it is null or not there. */
double res_flat_number(const struct res_flat *flat, const char *key);
