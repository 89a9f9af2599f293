/*
 * The data that a run and its starter exchange during the run, in memory shared by both processes. It is for one run at
 * a time. The starter writes the number of other runs and the CPU binding, the run everything else.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct run_live {
	atomic_uint concurrent;     /* number of other active runs */
	atomic_uint concurrent_max; /* their maximum since the run began */
	atomic_uint over;           /* finished requests of the run */
	atomic_uint requests;       /* all requests of the run; 0: none sent yet */
	bool bound;                 /* the run and its server are bound to `cpus` */
	cpu_set_t cpus;
};

/* Resets the counters at the start of a run. */
static inline void run_live_begin(struct run_live *live)
{
	atomic_store(&live->concurrent_max, atomic_load(&live->concurrent));
	atomic_store(&live->requests, 0);
}

/* Sets the number of finished requests. */
static inline void run_live_set_requests(struct run_live *live, unsigned over, unsigned all)
{
	atomic_store(&live->over, over);
	atomic_store(&live->requests, all);
}

/* Sets the number of other active runs. */
static inline void run_live_set_concurrent(struct run_live *live, unsigned others)
{
	atomic_store(&live->concurrent, others);
	if (others > atomic_load(&live->concurrent_max))
		atomic_store(&live->concurrent_max, others);
}
