/*
 * Earlier results, of folders or of a dashboard, that tell how long a sweep takes.
 *
 *	a document, or a row of a dashboard  ->  what its fields have  ->  is it like a cell?
 *
 * - By which fields a result is like a cell is said by the plan: the server's arguments and the load's
 *   options that one of its cells sets, inputs alone (no ports, no names of files), and what varies of
 *   `launch`. What nobody set counts as its default. So a folder and a dashboard of the same results tell
 *   the same.
 * - Results of another model, engine or kind of GPU than any cell's are no earlier results of this sweep.
 * - Of the runs that shared a server only the first has its start.
 */
#pragma once

#include "base/err.h"
#include "io/tls.h"
#include "sweep/plan.h"

/* The newest so many of a dashboard. */
#define SWEEP_HISTORY_MAX 10000

struct sweep_history;

/* hardware: NULL: the host's. The plan is borrowed. */
struct sweep_history *sweep_history_new(const struct sweep_plan *plan,
					const struct ckpt_hardware *hardware, bool simulate);
void sweep_history_free(struct sweep_history *history);
PL_AUTO_DEFINE(struct sweep_history, sweep_history_free);
#define auto_sweep_history PL_AUTO(sweep_history_free)

/*
 * Adds what is there: a URL is a dashboard's, all else a result or a folder of them. -1: it is not there
 * (IO), or NETWORK: it cannot be reached within a minute, or does not answer as a dashboard does.
 */
int sweep_history_add(struct sweep_history *history, const char *place,
		      const struct io_tls_trust *trust, struct pl_err *err) PL_MUST_CHECK;
/* To be called once all are added. Which of the runs of a server had its start. */
void sweep_history_settle(struct sweep_history *history);

/*
 * By run_id {server, load, run_s, ready_s}: texts that are the same where servers and loads are alike, and
 * of a run that had no start ready_s 0. Borrowed.
 */
const json_t *sweep_history_rows(const struct sweep_history *history);
/* The same texts of a cell. */
const char *sweep_history_server(const struct sweep_history *history, size_t cell);
const char *sweep_history_load(const struct sweep_history *history, size_t cell);
