/*
 * Earlier results, from directories or a dashboard, to estimate the duration of a sweep.
 *
 *	a document, or a row of a dashboard -> values of its fields -> does it match a cell?
 *
 * - The plan determines the fields to match: the server arguments and load options that one of its cells sets, only
 *   inputs (no ports, no file names), and the varied parts of `launch`. An unset argument counts as its default. So a
 *   directory and a dashboard with the same results give the same estimate.
 * - Results whose model, engine or kind of GPU no cell has are ignored.
 * - Only the first of the runs that shared a server includes its start.
 */
#pragma once

#include "base/err.h"
#include "io/tls.h"
#include "sweep/plan.h"

/* The maximum of results from a dashboard, newest first. */
#define SWEEP_HISTORY_MAX 10000

struct sweep_history;

/* hardware: NULL: that of the host. The plan is borrowed. */
struct sweep_history *sweep_history_new(const struct sweep_plan *plan,
					const struct ckpt_hardware *hardware, bool simulate);
void sweep_history_free(struct sweep_history *history);
PL_AUTO_DEFINE(struct sweep_history, sweep_history_free);
#define auto_sweep_history PL_AUTO(sweep_history_free)

/*
 * Adds the results of a URL (a dashboard), or of a path (a result or a directory of results). Returns -1 with IO if it
 * does not exist, or NETWORK if it cannot be reached within a minute or does not respond as a dashboard.
 */
int sweep_history_add(struct sweep_history *history, const char *origin,
		      const struct io_tls_trust *trust, struct pl_err *err) PL_MUST_CHECK;
/* Determines which of a server's runs included its start. Call it after all were added. */
void sweep_history_settle(struct sweep_history *history);

/*
 * Returns {server, load, run_s, ready_s} by run_id: texts that are equal for equal servers and loads; ready_s is 0 for
 * a run without a start. Borrowed.
 */
const json_t *sweep_history_rows(const struct sweep_history *history);
/* The same texts for a cell. */
const char *sweep_history_server(const struct sweep_history *history, size_t cell);
const char *sweep_history_load(const struct sweep_history *history, size_t cell);
