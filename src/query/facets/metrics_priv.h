/*
 * Figures of the numbers that one field has in some rows (METRIC of query.h).
 */
#pragma once

#include "base/buf.h"
#include "query/facets/tally_priv.h"

/* Memory that the fields of one query use one after the other. */
struct metrics_scratch {
	struct tally tally; /* with all numbers in `numbers` */
	size_t count;
	double *kept[2];
	size_t kept_room[2];
};
void query_metrics_scratch_done(struct metrics_scratch *scratch);
#define auto_metrics \
	__attribute__((cleanup(query_metrics_scratch_done), unused)) struct metrics_scratch

/* Appends {n, mean, std, min, p50, p95, max}. */
void query_metrics_write(struct metrics_scratch *scratch, const struct mirror_column *column,
			 const struct facet_rows *rows, struct pl_buf *out);

/*
 * Percentiles (0 … 100) as numpy's "linear", of one number at least and no NaN and no -0 among them; none is put
 * in order but the few around a percentile. Both of `kept` have room for as many and MIRROR_GATHER_MORE.
 */
void query_metrics_percentiles(const double *numbers, size_t count, double *const kept[2],
			       const double *percents, size_t percent_count, double *ret);
