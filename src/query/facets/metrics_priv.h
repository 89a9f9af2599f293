/* Statistics of the numbers of one field in some rows (METRIC of query.h). */
#pragma once

#include "base/buf.h"
#include "query/facets/tally_priv.h"

/* Memory that the fields of one query reuse. */
struct metrics_scratch {
	struct tally tally; /* with all numbers in `numbers` */
	size_t count;
	double *halves[2];
	size_t scratch_room[2];
};
void query_metrics_scratch_done(struct metrics_scratch *scratch);
#define auto_metrics \
	__attribute__((cleanup(query_metrics_scratch_done), unused)) struct metrics_scratch

/* Appends {n, mean, std, min, p50, p95, max}. */
void query_metrics_write(struct metrics_scratch *scratch, const struct mirror_column *column,
			 const struct facet_rows *rows, struct pl_buf *out);

/*
 * Computes percentiles (0 … 100) like numpy's "linear". At least one number, none NaN or -0. Sorts only the few numbers
 * around each percentile. Both of `kept` have room for count + MIRROR_GATHER_MORE.
 */
void query_metrics_percentiles(const double *numbers, size_t count, double *const halves[2],
			       const double *percents, size_t percent_count, double *ret);
