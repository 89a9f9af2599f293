/* Helper threads, their scheduling, and pauses that other threads can end. */
#pragma once

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Starts a thread with all signals blocked: the main thread handles signals. Sets errno on failure.
 */
int pl_thread_start(pthread_t *thread, void *main(void *), void *data,
		    struct pl_err *err) PL_MUST_CHECK;

/*
 * Asks for slices of 0.1 ms for the calling thread, so that Linux (6.12 or later, no privileges
 * needed) runs it soon after it wakes while other threads compute. Does nothing elsewhere.
 */
void pl_thread_short_slices(void);

/* Adds `nice` to the nice value of the calling thread, where threads have one (Linux). */
void pl_thread_lower(int nice);

/* Owned by the thread's creator; any thread may end it. */
struct pl_pause {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool over; /* guarded by lock */
};

void pl_pause_init(struct pl_pause *pause);
void pl_pause_done(struct pl_pause *pause);
/* Waits until CLOCK_MONOTONIC reaches due_ns. Returns false if the pauses were ended. */
bool pl_pause_until(struct pl_pause *pause, int64_t due_ns);
/* Wakes all waiting threads; later pauses return at once. */
void pl_pause_end(struct pl_pause *pause);
