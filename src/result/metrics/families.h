/*
 * Families of figures (rows of tbl/metrics.h): the samples of each, and mean, median, deviation,
 * percentiles and their 95 % intervals from these, in milliseconds.
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
	size_t *ends; /* where the samples of each request that has any end */
	size_t end_count;
	size_t end_room;
	unsigned char *windows; /* of each: the part of the run in which it ended */
	size_t window_count;
	size_t window_room;
};
void res_values_add(struct res_values *values, double x);

struct res_families {
	struct res_values of[RES_FAMILY_COUNT]; /* in seconds, in order of the records */
	struct res_windows windows;
};
/* Samples of the finished records; chosen: [outcome->count], NULL: of all. *ret: done. */
void res_families_collect(const struct res_outcome *outcome, const struct res_how *how,
			  const bool *chosen, struct res_families *ret);
void res_families_done(struct res_families *families);
/* mean_, median_, std_ and p<N>_ keys, and with `intervals` their _ci95 keys, into `into`.
 * Sorts. */
void res_families_write(struct res_families *families, const double *percentiles,
			size_t percentile_count, bool intervals, json_t *into);
