/*
 * The earliest arrival of data that a pass of the loop reads. The kernel reports one timestamp per
 * read: for events followed by others this is the only other bound.
 *
 *  looked: no data ──asleep──> first byte arrives ──> runs again, and reads
 *  └──────────── any time ──────────┘└── this long: what the kernel counts as waiting
 *                                        for a CPU, and the wake-up's own time ──┘
 *
 * One object per worker, opened and used by its thread.
 */
#pragma once

#include "io/loop.h"

#include <stdbool.h>

struct bench_wakes {
	int fd;             /* of the thread's counters; -1: not provided by the kernel */
	int64_t delayed_ns; /* total time that the thread waited for a CPU, at the last query */
	int64_t request_ns; /* time of that query */
	int64_t late_ns;    /* growth of delayed_ns between the last two queries */
	int64_t pass_ns;    /* the pass of since_ns */
	int64_t since_ns;
	bool held_up; /* the thread was stopped during it, which no counter shows */
};

void bench_wakes_open(struct bench_wakes *wakes);
void bench_wakes_close(struct bench_wakes *wakes);
/*
 * Returns the earliest arrival of data that the loop's current pass reads. t_ns: arrival of the
 * last byte of this read. If that was long before, the thread was stopped in a way that no counter
 * shows (SIGSTOP, its control group's limit, its CPU taken by the hypervisor): for the rest of the
 * pass *ret_sure_ns is the last time at which no data had certainly arrived, and the returned time
 * applies to bytes sent together, assuming that the thread was not stopped for much longer than
 * observed.
 */
int64_t bench_wakes_since(struct bench_wakes *wakes, const struct io_loop *loop, int64_t t_ns,
			  int64_t *ret_sure_ns);
