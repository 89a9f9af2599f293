/*
 * Families of metrics (rows of tbl/metrics.h): the samples of each, and their mean, median,
 * standard deviation, percentiles and 95 % confidence intervals, in milliseconds.
 */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/intervals.h"
#include "result/outcome.h"

enum res_family {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) RES_FAMILY_##id,
#include "tbl/metrics.h"
	RES_FAMILY_COUNT
};

struct res_values {
	double *x;
	size_t count;
	size_t room;
	size_t *ends; /* end of the samples of each request that has any */
	size_t end_count;
	size_t end_room;
	unsigned char *windows; /* of each sample: the part of the run in which it ended */
	size_t window_count;
	size_t window_room;
};
void res_values_add(struct res_values *values, double x);

struct res_families {
	struct res_values of[RES_FAMILY_COUNT]; /* in seconds, in order of the records */
	struct res_windows windows;
};
/*
 * Collects the samples of the finished records. chosen: [outcome->count], NULL: all. Free *ret with
 * res_families_done().
 */
void res_families_collect(const struct res_outcome *outcome, const struct res_how *how,
			  const bool *chosen, struct res_families *ret);
void res_families_done(struct res_families *families);
/*
 * Writes mean_, median_, std_ and p<N>_ keys, and with `intervals` their _ci95 keys, into `into`.
 * Sorts the samples.
 */
void res_families_write(struct res_families *families, const double *percentiles,
			size_t percentile_count, bool intervals, json_t *into);
