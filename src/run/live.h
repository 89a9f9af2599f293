/*
 * What a run and its starter tell each other while it goes on, in memory that both processes have.
 *
 * - One run at a time; its starter writes `beside`, the run all else.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct run_live {
	atomic_uint beside;      /* others that go on now */
	atomic_uint beside_most; /* since the run began */
	bool bound;              /* it was given processors of its own, with its server: */
	cpu_set_t cpus;
};

/* A run begins. */
static inline void run_live_begin(struct run_live *live)
{
	atomic_store(&live->beside_most, atomic_load(&live->beside));
}

/* So many go on beside it from now on. */
static inline void run_live_set_beside(struct run_live *live, unsigned others)
{
	atomic_store(&live->beside, others);
	if (others > atomic_load(&live->beside_most))
		atomic_store(&live->beside_most, others);
}
