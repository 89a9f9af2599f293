/*
 * Worker processes, as vLLM has them: they do nothing but live until their head ends them. The
 * first is in a session of its own and ignores SIGTERM, as an engine core that is busy; all live on
 * when the head is killed, so that what cleans up after a server can be tested.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct sim_processes;
/*
 * Forks them; before any thread is started and before any file is opened that they should not hold.
 * They are there, with their names and signals set, when it returns. count 0: *ret is NULL.
 */
int sim_processes_start(int64_t count, struct sim_processes **ret,
			struct pl_err *err) PL_MUST_CHECK;
/* Ends and reaps them all; NULL: nothing. */
void sim_processes_stop(struct sim_processes *processes);
