/*
 * The request to stop a run: the first one ends it cleanly, the second kills at once.
 * - One per run, owned by its starter (all zero: no request), and valid until the run's end.
 * - Any thread and any signal handler may request it; threads that wait or send check `reason`.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#define RUN_STOP_SERVER_DIED (-1)
#define RUN_STOP_DISK_FULL   (-2)

struct run_stop {
	atomic_int reason; /* 0: continue; the number of a signal, or one of the above */
	atomic_int hurry;  /* number of a second signal */
};

/* The server died. An earlier reason stays. */
void run_stop_server_died(struct run_stop *stop);
/* The file system of the journal is full. An earlier reason stays. */
void run_stop_disk_full(struct run_stop *stop);
/* Clears a full disk that ended the previous run, for the next run of the same process. */
void run_stop_next(struct run_stop *stop);
bool run_stop_is_disk_full(const struct run_stop *stop);
/* Records signal `number`; async-signal-safe. */
void run_stop_by_signal(struct run_stop *stop, int number);
/* Returns the signal that requested the stop; 0: none. `stop` may be NULL. */
int run_stop_signal(const struct run_stop *stop);
