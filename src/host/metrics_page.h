/*
 * A page of a server's /metrics: Prometheus text to the few values that a run looks at.
 */
#ifndef HOST_METRICS_PAGE_H
#define HOST_METRICS_PAGE_H

#include "base/json.h"

#include <stddef.h>

/* One sample of the text format. Labels as they stand between the braces; not NUL-ended. */
struct host_sample {
	const char *name;
	size_t name_len;
	const char *labels; /* NULL: none */
	size_t labels_len;
	double value;
};

/*
 * Calls fn for every sample, in order. -1 with the line number for text that is no Prometheus
 * page; samples in front of the broken line have been passed on.
 */
int host_metrics_walk(const char *text, size_t len,
		      void (*fn)(void *data, const struct host_sample *sample), void *data,
		      struct pl_err *err) PL_MUST_CHECK;

/* Sums over all engines of a server (largest for usage and start time); NaN: not on the page. */
struct host_metrics {
	double running; /* requests in the batch */
	double waiting;
	double kv_cache_usage; /* 0..1 */
	double preemptions;    /* counters from here on */
	double prefix_queries; /* tokens */
	double prefix_hits;
	double prompt_tokens;
	double generation_tokens;
	double request_success; /* all finish reasons */
	double start_time_s;    /* of the process, Unix time */
	double kv_blocks;       /* labels of vllm:cache_config_info */
	double block_size;      /* tokens */
};

int host_metrics_parse(const char *text, size_t len, struct host_metrics *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Every field with its name, null where it is not known. New reference. */
json_t *host_metrics_to_json(const struct host_metrics *metrics);

#endif
