/*
 * Worker processes, as vLLM has them: they do nothing until their parent ends them. The first has a session of its own
 * and ignores SIGTERM, like a busy engine core. All of them survive the death of the parent, to test the cleanup after
 * a server.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct sim_processes;
/*
 * Forks them. Call it before starting threads or opening files that they should not inherit. When it returns, they are
 * running with their names and signal handling set. count 0: *ret is NULL.
 */
int sim_processes_start(int64_t count, struct sim_processes **ret,
			struct pl_err *err) PL_MUST_CHECK;
/* Ends and reaps all of them; accepts NULL. */
void sim_processes_stop(struct sim_processes *processes);
