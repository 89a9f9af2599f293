#include "base/thread.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The least that Linux takes (it cuts what is asked for to 0.1 … 100 ms). A thread with a short
 * slice is let in before ones with longer slices left, which is what a tick wants beside a worker
 * that never sleeps.
 */
#define SLICE_NS 100000

/* The kernel's struct sched_attr, which Debian's C library does not declare. */
struct attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns; /* of an ordinary thread: its slice */
	uint64_t deadline_ns;
	uint64_t period_ns;
	uint32_t util_min;
	uint32_t util_max;
};

void pl_thread_short_slices(void)
{
	struct attributes now = { .size = sizeof(now) };

	/*
	 * Before Linux 6.12 the runtime of an ordinary thread reads as 0, and setting it does
	 * nothing. What the user has asked for (nice, another policy) stays.
	 */
	if (syscall(SYS_sched_getattr, 0, &now, (unsigned)sizeof(now), 0U) != 0 ||
	    now.policy != 0 || now.runtime_ns == 0)
		return;
	now.runtime_ns = SLICE_NS;
	syscall(SYS_sched_setattr, 0, &now, 0U);
}
