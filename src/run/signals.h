/*
 * ^C, SIGTERM and SIGHUP: the first asks the run to end well, the second kills at once.
 *
 * Handlers know no run, so this is the one place with state of the whole process. The main thread
 * takes the signals; all others block them.
 */
#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include <stdatomic.h>

/* From here on signals are taken. SIGPIPE is ignored. Forgets earlier ones. */
void run_signals_take(void);
/* Back to the default actions. */
void run_signals_release(void);

/* Non-zero once the run should end: the signal's number, or RUN_STOP_SERVER_DIED. */
const atomic_int *run_stop_flag(void);
/* Non-zero once a second signal came. */
const atomic_int *run_hurry_flag(void);

#define RUN_STOP_SERVER_DIED (-1)
/* The first reason stays. */
void run_stop_ask(int reason);
/* The signal that asked for the end, 0: none. */
int run_stop_signal(void);

#endif
