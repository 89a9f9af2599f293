/*
 * Whether the threads of the HTTP server make progress, for the watchdog. Each thread notes when it enters and leaves a
 * callback; a probe connects to the server and waits until it closes the connection.
 */
#pragma once

#include "io/sock.h"

#include <stdatomic.h>

#define DASH_ALIVE_THREADS_MAX 16

/* Zero-initialized: no thread yet. */
struct dash_alive {
	atomic_int count;
	atomic_int_fast64_t entered_ns[DASH_ALIVE_THREADS_MAX]; /* 0: in no callback */
};

/* Called by a thread of the server around each callback. One server per process. */
void dash_alive_enter(struct dash_alive *alive);
void dash_alive_leave(struct dash_alive *alive);
/* Returns whether no thread has been in a callback for max_ns. */
bool dash_alive_moves(const struct dash_alive *alive, int64_t max_ns);
/* Returns whether a connection to `addr` that sends nothing is accepted and closed within max_ns. */
bool dash_alive_probe(const struct io_addr *addr, int64_t max_ns);
