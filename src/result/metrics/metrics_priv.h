/*
 * What the files of the metrics share: one request's times, and a family's samples.
 */
#ifndef RESULT_METRICS_METRICS_PRIV_H
#define RESULT_METRICS_METRICS_PRIV_H

#include "result/metrics/metrics.h"

enum res_family {
#define FAMILY(id, key, title, label, direction, origin, formula, text) RES_FAMILY_##id,
#include "tbl/metrics.h"
	RES_FAMILY_COUNT
};

/* One record's events in short. Times are absolute ns, RES_NO_TIME where there is none. */
struct res_timing {
	int64_t acted_ns;
	int64_t first_event_ns;
	int64_t last_event_ns;    /* of an answer in one piece: its end */
	int64_t first_content_ns; /* first event with content */
	int64_t first_token_ns;   /* first event with content or tokens */
	int64_t last_token_ns;
	int64_t event_count;
	int64_t event_tokens;  /* sum over events */
	bool guessed;          /* some event's count is a guess */
	int64_t output_tokens; /* vLLM's output length: see res_timing_of() */
	double ttft_s;         /* NaN without events */
	double e2el_s;
	double tpot_s; /* 0 below two tokens, as vLLM's goodput wants */
};

/* Output length: output_tokens, or one per event where the server told none. */
struct res_timing res_timing_of(const struct res_record *record);
/* Seconds between two times, as every figure is computed from. */
double res_seconds(int64_t from_ns, int64_t to_ns);

struct res_values {
	double *x;
	size_t count;
	size_t room;
	size_t *ends; /* where the samples of each request that has any end */
	size_t end_count;
	size_t end_room;
};
void res_values_add(struct res_values *values, double x);

struct res_families {
	struct res_values of[RES_FAMILY_COUNT]; /* in seconds, in order of the records */
};
/* Samples of the finished records; `chosen` NULL: of all. */
void res_families_collect(const struct res_metrics_input *input, const bool *chosen,
			  struct res_families *ret);
void res_families_done(struct res_families *families);
/* mean_, median_, std_ and p<N>_ keys, and with `intervals` their _ci95 keys, into `into`.
 * Sorts. */
void res_families_write(struct res_families *families, const double *percentiles,
			size_t percentile_count, bool intervals, json_t *into);

/* vLLM's peaks and ours into `into`. */
void res_peaks_write(const struct res_metrics_input *input, json_t *into);
/* results.steady: an object, or null. New reference. */
json_t *res_steady_compute(const struct res_metrics_input *input, const double *percentiles,
			   size_t percentile_count);

#endif
