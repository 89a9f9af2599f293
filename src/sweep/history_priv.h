/* The request for earlier results to a dashboard, and the parser of its response. */
#pragma once

#include "run/target.h"
#include "sweep/history.h"

/* Return the ids of all fields to read, and {filter} for the results that may match a cell. New references. */
json_t *sweep_history_columns(const struct sweep_history *history);
json_t *sweep_history_filter(const struct sweep_history *history);
/* Adds a row of a dashboard: keys missing in `cells` are not recorded. */
void sweep_history_take(struct sweep_history *history, const char *run_id, const json_t *cells);

/*
 * Adds the rows of a page of POST /api/filters/apply. *ret_cursor: that of the next page, NULL after the last; free().
 * *ret_rows: number of rows. Returns -1 if it is not such a response.
 */
int sweep_history_page(struct sweep_history *history, const char *text, size_t len,
		       char **ret_cursor, size_t *ret_rows, struct pl_err *err) PL_MUST_CHECK;
int sweep_history_fetch(struct sweep_history *history, const char *url,
			const struct io_tls_trust *trust, struct pl_err *err) PL_MUST_CHECK;
