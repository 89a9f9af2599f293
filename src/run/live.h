/*
 * What a run and its starter tell each other while it goes on, in memory that both processes have.
 *
 * - One run at a time; its starter writes `beside` and what it is bound to, the run all else.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct run_live {
	atomic_uint beside;      /* others that go on now */
	atomic_uint beside_most; /* since the run began */
	atomic_uint over;        /* requests of the run */
	atomic_uint requests;    /* of them all; 0: none was sent yet */
	bool bound;              /* it was given processors of its own, with its server: */
	cpu_set_t cpus;
};

/* A run begins. */
static inline void run_live_begin(struct run_live *live)
{
	atomic_store(&live->beside_most, atomic_load(&live->beside));
	atomic_store(&live->requests, 0);
}

/* So many of its requests are over. */
static inline void run_live_set_requests(struct run_live *live, unsigned over, unsigned all)
{
	atomic_store(&live->over, over);
	atomic_store(&live->requests, all);
}

/* So many go on beside it from now on. */
static inline void run_live_set_beside(struct run_live *live, unsigned others)
{
	atomic_store(&live->beside, others);
	if (others > atomic_load(&live->beside_most))
		atomic_store(&live->beside_most, others);
}
