/*
 * Figures of the numbers that one field has in some rows (METRIC of query.h).
 */
#pragma once

#include "base/buf.h"
#include "store/view.h"

struct metrics_scratch {
	double *numbers;
	size_t count;
	size_t room;
};
void metrics_scratch_done(struct metrics_scratch *scratch);
#define auto_metrics __attribute__((cleanup(metrics_scratch_done), unused)) struct metrics_scratch

/* Appends {n, mean, std, min, p50, p95, max}. */
void metrics_write(struct metrics_scratch *scratch, const struct store_view *view,
		   const struct store_column *column, const uint64_t *rows, struct pl_buf *out);

/*
 * The number that stands at a place, from 0, of all `count` in their order, which are moved about for it.
 * No NaN among them.
 */
double metrics_select(double *numbers, size_t count, size_t place);
