/*
 * ^C, SIGTERM and SIGHUP of a process that runs experiments: each asks its runs to end.
 *
 * Signals belong to the process, so their taker is a program's and no run's. The main thread takes
 * them; all others block them.
 */
#pragma once

#include "run/stop.h"

#include <stddef.h>

/* From here on a signal asks all of `stops` ([count], borrowed until the release). SIGPIPE is
 * ignored. */
void run_signals_take(struct run_stop *stops, size_t count);
/* Back to the default actions. */
void run_signals_release(void);
