/*
 * Threads that help the one that starts them, what they ask of the scheduler, and pauses of theirs
 * that others can end.
 */
#pragma once

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Signals are for the main thread: the new one takes none. errno is set where it cannot be started. */
int pl_thread_start(pthread_t *thread, void *main(void *), void *data,
		    struct pl_err *err) PL_MUST_CHECK;

/*
 * The calling thread would rather run often and briefly: slices of 0.1 ms, so that Linux (from 6.12
 * on, without privileges) lets it run soon after it wakes beside threads that compute. Elsewhere
 * nothing.
 */
void pl_thread_short_slices(void);

/* Belongs to who started the thread; any thread may end it. */
struct pl_pause {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool over; /* under lock */
};

void pl_pause_init(struct pl_pause *pause);
void pl_pause_done(struct pl_pause *pause);
/* Until CLOCK_MONOTONIC shows due_ns. False: no more pauses, somebody has ended them. */
bool pl_pause_until(struct pl_pause *pause, int64_t due_ns);
/* Wakes all that pause; from now on nobody pauses. */
void pl_pause_end(struct pl_pause *pause);
