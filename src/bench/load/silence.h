/*
 * Decides what silence means: no byte arrived on any stream for stall_timeout. A separate thread
 * queries the server, because a server that does not respond would block the caller, and workers
 * must continue to read.
 *
 *  IDLE ──silent──> ASKING ──at work──> IDLE, and the wait for a byte begins again
 *                      └────hung────> HUNG: the load ends
 *
 * Any worker may call it; one of them starts the query.
 */
#pragma once

#include "bench/load/load.h"

#include <pthread.h>

struct bench_silence {
	const struct bench_load *load;
	_Atomic int state;
	_Atomic int64_t excused_ns; /* when the server was last seen working; INT64_MIN: never */
	struct bench_open last_open;
	pthread_t thread;
	bool has_thread;
	atomic_int stop;
};

void bench_silence_init(struct bench_silence *silence, const struct bench_load *load);
/* Cancels a running query within 100 ms. */
void bench_silence_done(struct bench_silence *silence);
/* Called during silence; `open` describes the open requests. Returns whether the load must end. */
bool bench_silence_ends(struct bench_silence *silence, struct bench_open open);
/* Notes that a byte arrived: the result of an earlier query no longer counts. */
void bench_silence_broken(struct bench_silence *silence);
int64_t bench_silence_excused_ns(const struct bench_silence *silence);
