#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* Uses the vDSO, about 20 ns, for all clocks except CPU times, which take a system call. */
static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * PL_NS_PER_S + ts.tv_nsec;
}

int64_t pl_clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t pl_clock_real_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t pl_clock_cpu_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t pl_clock_cpu_process_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/*
 *
 *     before ──── real ──── after      real was read somewhere in between:
 *        └──────  width  ──────┘       the middle is off by at most half of the width
 *
 * The tightest of five readings is one during which the thread was not preempted.
 */
int64_t pl_clock_offset_ns(void)
{
	int64_t best_width = INT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 5; i++) {
		int64_t before = pl_clock_now_ns();
		int64_t real = pl_clock_real_ns();
		int64_t after = pl_clock_now_ns();
		if (after - before < best_width) {
			best_width = after - before;
			offset = real - (before + (after - before) / 2);
		}
	}
	return offset;
}

void pl_clock_sleep_until(int64_t due_ns)
{
	struct timespec ts = pl_clock_timespec(due_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

void pl_clock_format(int64_t real_ns, const char *format, int utc, char *text, size_t room)
{
	/* Division rounds towards zero, a calendar downwards: before 1970 they differ. */
	time_t seconds = real_ns / PL_NS_PER_S - (real_ns % PL_NS_PER_S < 0);
	struct tm parts;

	if (utc)
		gmtime_r(&seconds, &parts);
	else
		localtime_r(&seconds, &parts);
/* Callers pass the format as a literal. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (strftime(text, room, format, &parts) == 0 && room > 0)
		text[0] = '\0';
#pragma GCC diagnostic pop
}

void pl_clock_rfc3339(int64_t real_ns, char text[32])
{
	char seconds[24];
	int64_t part_ns = (real_ns % PL_NS_PER_S + PL_NS_PER_S) % PL_NS_PER_S;

	pl_clock_format(real_ns, "%Y-%m-%dT%H:%M:%S", 1, seconds, sizeof(seconds));
	snprintf(text, 32, "%s.%03dZ", seconds, (int)(part_ns / PL_NS_PER_MS));
}
