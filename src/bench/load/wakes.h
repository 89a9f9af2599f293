/*
 * Since when what a pass of the loop reads can have come. The kernel keeps one stamp of all that a
 * read takes: of events with others behind them the time has only this other bound.
 *
 *	looked: nothing there ──asleep──> first byte comes ──> runs again, and reads
 *	└──────────── any time ──────────┘└── this long: what the kernel counts as waiting
 *	                                      for a processor, and a wake-up's own time ──┘
 *
 * A worker's own, to be opened and asked by its thread.
 */
#pragma once

#include "io/loop.h"

#include <stdbool.h>

struct bench_wakes {
	int fd;             /* of the thread's counters; -1: the kernel keeps none */
	int64_t delayed_ns; /* the thread waited for a processor, as it was told last */
	int64_t asked_ns;   /* when that was */
	int64_t late_ns;    /* by so much that had grown since the time before */
	int64_t pass_ns;    /* the pass that since_ns is of */
	int64_t since_ns;
	bool held_up; /* the thread stood still in it, where nothing counts that */
};

void bench_wakes_open(struct bench_wakes *wakes);
void bench_wakes_close(struct bench_wakes *wakes);
/*
 * What the loop's current pass reads came then at the earliest. t_ns: when the last byte of this read
 * did. One that came long before shows that the thread stood still where nothing counts it (stopped,
 * out of its control group's time, its processor taken by the host): for the rest of the pass
 * *ret_sure_ns is when nothing had come for sure, and what is returned holds for bytes that were sent
 * together, on the grounds that the thread did not stand still for much longer than it is seen to.
 */
int64_t bench_wakes_since(struct bench_wakes *wakes, const struct io_loop *loop, int64_t t_ns,
			  int64_t *ret_sure_ns);
