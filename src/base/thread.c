#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/*
 * The minimum that Linux accepts (it clamps to 0.1 … 100 ms). A thread with a short slice preempts
 * threads with longer remaining slices, as a timer thread needs next to a worker that never sleeps.
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
	 * Before Linux 6.12 the runtime of an ordinary thread reads as 0, and setting it has no
	 * effect. User settings (nice, another policy) remain.
	 */
	if (syscall(SYS_sched_getattr, 0, &now, (unsigned)sizeof(now), 0U) != 0 ||
	    now.policy != 0 || now.runtime_ns == 0)
		return;
	now.runtime_ns = SLICE_NS;
	syscall(SYS_sched_setattr, 0, &now, 0U);
}

void pl_thread_lower(int nice)
{
	/* Linux has a value for each thread; other systems would change the whole process. */
#ifdef __linux__
	id_t thread = (id_t)syscall(SYS_gettid);

	errno = 0;
	int now = getpriority(PRIO_PROCESS, thread);
	if (errno == 0)
		setpriority(PRIO_PROCESS, thread, now + nice);
#else
	(void)nice;
#endif
}

int pl_thread_start(pthread_t *thread, void *main(void *), void *data, struct pl_err *err)
{
	sigset_t all, before;

	/* a thread begins with the mask of the one that starts it */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int code = pthread_create(thread, NULL, main, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = code;
	return code == 0 ? 0 : pl_err_errno(err, "could not start a thread");
}

void pl_pause_init(struct pl_pause *pause)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&pause->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pause->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pause->over = false;
}

void pl_pause_done(struct pl_pause *pause)
{
	pthread_cond_destroy(&pause->wake);
	pthread_mutex_destroy(&pause->lock);
}

bool pl_pause_until(struct pl_pause *pause, int64_t due_ns)
{
	struct timespec due = { .tv_sec = due_ns / PL_NS_PER_S, .tv_nsec = due_ns % PL_NS_PER_S };

	pthread_mutex_lock(&pause->lock);
	while (!pause->over &&
	       pthread_cond_timedwait(&pause->wake, &pause->lock, &due) != ETIMEDOUT)
		continue;
	bool goes_on = !pause->over;
	pthread_mutex_unlock(&pause->lock);
	return goes_on;
}

void pl_pause_end(struct pl_pause *pause)
{
	pthread_mutex_lock(&pause->lock);
	pause->over = true;
	pthread_cond_broadcast(&pause->wake);
	pthread_mutex_unlock(&pause->lock);
}
