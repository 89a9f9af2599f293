/*
 * Figures of the numbers that one field has in some rows (METRIC of query.h).
 */
#pragma once

#include "base/buf.h"
#include "store/view.h"

/* Memory that the fields of one query use one after the other. */
struct metrics_scratch {
	double *numbers;
	size_t count;
	size_t room;
	double *kept;
	size_t kept_room;
};
void metrics_scratch_done(struct metrics_scratch *scratch);
#define auto_metrics __attribute__((cleanup(metrics_scratch_done), unused)) struct metrics_scratch

/* Appends {n, mean, std, min, p50, p95, max}. */
void metrics_write(struct metrics_scratch *scratch, const struct store_view *view,
		   const struct store_column *column, const uint64_t *rows, struct pl_buf *out);

/*
 * Percentiles (0 … 100) as numpy's "linear", of one number at least and no NaN among them; none is put in order
 * but the few around a percentile. `kept`: room for as many.
 */
void metrics_percentiles(const double *numbers, size_t count, double *kept, const double *percents,
			 size_t percent_count, double *ret);
