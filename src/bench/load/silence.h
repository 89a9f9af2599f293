/*
 * Decides what silence means: no byte came from any stream for stall_timeout. The server is asked on a thread
 * of its own, because a server that does not answer keeps its asker waiting, and workers must go on reading.
 *
 *	IDLE ──silent──> ASKING ──at work──> IDLE, and the wait for a byte begins again
 *	                    └────hung────> HUNG: the load ends
 *
 * Any worker may call; one of them starts the asking.
 */
#pragma once

#include "bench/load/load.h"

#include <pthread.h>

struct bench_silence {
	const struct bench_load *load;
	_Atomic int state;
	_Atomic int64_t excused_ns; /* when the server was last seen at work; INT64_MIN: never */
	struct bench_open asked;
	pthread_t thread;
	bool has_thread;
	atomic_int stop;
};

void bench_silence_init(struct bench_silence *silence, const struct bench_load *load);
/* Gives up an asking that is under way, within 100 ms. */
void bench_silence_done(struct bench_silence *silence);
/* Called while there is silence; `open` says which requests are. Returns whether the load has to end. */
bool bench_silence_ends(struct bench_silence *silence, struct bench_open open);
/* A byte came: an answer to an earlier silence counts no more. */
void bench_silence_broken(struct bench_silence *silence);
int64_t bench_silence_excused_ns(const struct bench_silence *silence);
