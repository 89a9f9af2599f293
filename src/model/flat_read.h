/*
 * vLLM's flat result: the one JSON object that `vllm bench serve` writes, of any release, and that of
 * its newer client in Rust. What is missing in a release is "not told", what is there must be of its
 * type: a file that contradicts itself is refused.
 *
 *	py:  {…, "ttfts": [s], "itls": [[s]], "start_times": [s], …, "mean_ttft_ms": ms, …}
 *
 * - Lists of single requests are there only where --save-detailed asked for them.
 * - Times are seconds as doubles, in vLLM's own clock (CPython's perf_counter; the client in Rust
 *   counts from its own start).
 */
#ifndef MODEL_FLAT_READ_H
#define MODEL_FLAT_READ_H

#include "base/err.h"
#include "base/json.h"
#include "model/record.h"

#include <stdbool.h>

/* Events closer than this came in one read: vLLM stamps them one behind the other. */
#define MD_FLAT_MERGED_S 100e-6

/* One request; NaN: not told. */
struct md_flat_request {
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

struct md_flat {
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
	double request_goodput;           /* NaN: no limits were asked for */
	int64_t max_concurrency;          /* INT64_MIN: none */
	struct md_flat_request *requests; /* in the order they were sent in; NULL without lists */
	size_t count;
	double *gaps; /* of all requests */
	bool has_starts;
	bool has_latencies;
	bool has_queues;
};

/* `source` is its name in messages. Bare Infinity and NaN, which vLLM writes, are taken. */
int md_flat_parse(const char *text, size_t len, const char *source, struct md_flat **ret,
		  struct pl_err *err) PL_MUST_CHECK;
int md_flat_read(const char *path, struct md_flat **ret, struct pl_err *err) PL_MUST_CHECK;
void md_flat_free(struct md_flat *flat);
PL_AUTO_DEFINE(struct md_flat, md_flat_free);
#define auto_flat PL_AUTO(md_flat_free)

/* A number of the summary; NaN where it is null or not there. */
double md_flat_number(const struct md_flat *flat, const char *key);

/*
 * The summary against what the lists give by vLLM's own formulas: the largest difference of a
 * figure, as a share of it, and *ret_key, which is it (static or of json). NaN where there are no
 * lists.
 */
double md_flat_difference(const struct md_flat *flat, const char **ret_key);

/* The worst finished request's |TTFT + gaps - latency|; NaN where the file does not tell all
 * three. */
double md_flat_identity_us(const struct md_flat *flat);

/*
 * The lists as records: [flat->count], each to md_record_done(). shift_ns: what takes the file's
 * clock to CLOCK_MONOTONIC. role_first: the first event of a stream only names the speaker. Without
 * starts acted_ns is none and there are no events. keeps_text: records get what was said.
 */
struct md_flat_how {
	int64_t shift_ns;
	bool role_first;
	bool keeps_text;
};
void md_flat_records(const struct md_flat *flat, const struct md_flat_how *how,
		     struct md_record *records);

#endif
