/*
 * The wish that a run should end: the first asks it to end well, the second to kill at once.
 *
 * - One per run, made by who starts it (all zero: nothing is asked) and alive until the run's end.
 * - Any thread and any signal handler may ask; whoever waits or sends looks at `reason`.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#define RUN_STOP_SERVER_DIED (-1)
#define RUN_STOP_DISK_FULL   (-2)

struct run_stop {
	atomic_int reason; /* 0: go on; a signal's number, or one of the above */
	atomic_int hurry;  /* a second signal's number */
};

/* The server died. What was asked first stays. */
void run_stop_server_died(struct run_stop *stop);
/* The journal's file system is full. A reason that came first stays. */
void run_stop_disk_full(struct run_stop *stop);
/* Forgets a full disk that ended the run before, for the next run of the same process. */
void run_stop_next(struct run_stop *stop);
bool run_stop_is_disk_full(const struct run_stop *stop);
/* Signal `number` came; what a signal handler may call. */
void run_stop_by_signal(struct run_stop *stop, int number);
/* The signal that asked for the end; 0: none. NULL: nothing can be asked for. */
int run_stop_signal(const struct run_stop *stop);
