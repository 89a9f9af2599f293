/* What of earlier results is asked of a dashboard, and how its answer is taken. */
#pragma once

#include "sweep/history.h"
#include "run/target.h"

/* The ids of all fields that are looked at, and {filter} for the results that may be like a cell. New
 * references. */
json_t *sweep_history_columns(const struct sweep_history *history);
json_t *sweep_history_filter(const struct sweep_history *history);
/* A row of a dashboard: what `cells` lacks is not recorded. */
void sweep_history_take(struct sweep_history *history, const char *run_id, const json_t *cells);

/*
 * A page of POST /api/filters/apply: takes its rows. *ret_cursor: of the next one, NULL behind the last;
 * free(). *ret_rows: how many it had. -1: it is no such answer.
 */
int sweep_history_page(struct sweep_history *history, const char *text, size_t len,
		       char **ret_cursor, size_t *ret_rows, struct pl_err *err) PL_MUST_CHECK;
int sweep_history_fetch(struct sweep_history *history, const char *url,
			const struct io_tls_trust *trust, struct pl_err *err) PL_MUST_CHECK;
