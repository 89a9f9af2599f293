/*
 * What a thread asks of the scheduler.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

/*
 * The calling thread would rather run often and briefly: slices of 0.1 ms, so that Linux (from 6.12
 * on, without privileges) lets it run soon after it wakes beside threads that compute. Elsewhere
 * nothing.
 */
void pl_thread_short_slices(void);

#endif
