/*
 * Handles ^C, SIGTERM and SIGHUP of a process that runs experiments: each asks its runs to stop. Signals belong to the
 * process, so the program takes them, not a run. The main thread takes them; all others block them.
 */
#pragma once

#include "run/stop.h"

#include <stddef.h>

/* From here on, a signal stops all of `stops` ([count], borrowed until the release). SIGPIPE is ignored. */
void run_signals_take(struct run_stop *stops, size_t count);
/* Restores the default actions. */
void run_signals_release(void);
