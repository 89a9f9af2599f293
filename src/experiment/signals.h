/*
 * ^C, SIGTERM and SIGHUP: the first asks the run to end well, the second kills at once.
 *
 * Handlers know no run, so this is the one place with state of the whole process. The main thread
 * takes the signals; all others block them.
 */
#ifndef EXPERIMENT_SIGNALS_H
#define EXPERIMENT_SIGNALS_H

#include <stdatomic.h>

/* From here on signals are taken. SIGPIPE is ignored. Forgets earlier ones. */
void exp_signals_take(void);
/* Back to the default actions. */
void exp_signals_release(void);

/* Non-zero once the run should end: the signal's number, or EXP_STOP_SERVER_DIED. */
const atomic_int *exp_stop_flag(void);
/* Non-zero once a second signal came. */
const atomic_int *exp_hurry_flag(void);

#define EXP_STOP_SERVER_DIED (-1)
/* The first reason stays. */
void exp_stop_ask(int reason);
/* The signal that asked for the end, 0: none. */
int exp_stop_signal(void);

#endif
