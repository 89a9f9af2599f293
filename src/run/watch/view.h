/*
 * The state of a run on a terminal: the verdict so far and its reasons first, then progress, rates, and sparklines on
 * one time axis that covers the whole load. At most `rows` lines of at most `columns` columns.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

#define RUN_VIEW_POINTS \
	80 /* of a sparkline; when they are full, each two neighbors become their mean */

enum run_view_series {
	RUN_VIEW_IN_FLIGHT,
	RUN_VIEW_RUNNING,
	RUN_VIEW_WAITING,
	RUN_VIEW_KV_CACHE,
	RUN_VIEW_TTFT,
	RUN_VIEW_E2EL, /* shown if there is no TTFT: of a pooling protocol */
	RUN_VIEW_UTILIZATION,
	RUN_VIEW_POWER,
	RUN_VIEW_SERIES_COUNT
};

/* Zero-initialized. */
struct run_view_history {
	size_t count;
	size_t per_point; /* snapshots per point; 0: one */
	size_t pending;
	double sums[RUN_VIEW_SERIES_COUNT];
	size_t known[RUN_VIEW_SERIES_COUNT];
	double points[RUN_VIEW_SERIES_COUNT][RUN_VIEW_POINTS]; /* NAN: unknown */
};

struct run_view {
	size_t columns;
	size_t rows;
	bool color;
	bool is_unicode;  /* blocks as sparklines; else ASCII */
	const char *page; /* URL of the run; NULL: none */
	bool has_keys;    /* names the keys below it */
	bool shows_log;   /* the last lines of the server, instead of the sparklines */
	bool shows_all;   /* every reason of the verdict */
};

/* Adds a snapshot (LiveSnapshot in api/openapi.yaml). */
void run_view_add(struct run_view_history *history, const json_t *snapshot);
/* Appends the lines. Texts of a server cannot move the cursor. */
void run_view_text(const struct run_view *view, const struct run_view_history *history,
		   const json_t *snapshot, struct pl_buf *buf);
