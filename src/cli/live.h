/* The live view of a run at the dashboard of --upload: hands the snapshots of the run to a sender. */
#pragma once

#include <stdatomic.h>

#include "cli/dashboard.h"
#include "run/run.h"

struct upload_live;

struct cli_live {
	struct run_sink sink;
	struct run_target own; /* if has_own */
	bool has_own;
	const struct run_target *target;
	bool has_failed;
	atomic_bool has_warned;     /* also by earlier runs */
	struct upload_live *sender; /* NULL: no snapshot yet */
	json_t *last;               /* snapshot */
	char *command;
};

/*
 * Prepares a live view; `command` repeats the run, or is NULL. Returns the sink for run_settings; NULL, with a warning,
 * if the dashboard has no address.
 */
const struct run_sink *cli_live_open(struct cli_dashboard *dashboard, const char *command,
				     struct cli_live *ret);
/*
 * The same for a run of a sweep, at an open dashboard: the target and the point are borrowed. `live` is zero-initialized
 * before the first of several runs; a second warning is left out.
 */
const struct run_sink *cli_live_begin(const struct run_target *target, const char *url,
				      const struct run_point *point, struct cli_live *live);
/*
 * Sends the end of the run and frees everything. `result` NULL: there is none. A dashboard that does not answer delays
 * this by at most 2 s. Call it also if cli_live_open() was not called.
 */
void cli_live_close(struct cli_live *live, const json_t *result, int exit_status);
