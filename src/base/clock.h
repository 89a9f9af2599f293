/*
 * Time: int64 nanoseconds of CLOCK_MONOTONIC everywhere; CLOCK_REALTIME only for dates and for
 * turning kernel receive stamps into monotonic time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define PL_NS_PER_US 1000LL
#define PL_NS_PER_MS 1000000LL
#define PL_NS_PER_S  1000000000LL

int64_t pl_clock_now_ns(void);        /* CLOCK_MONOTONIC */
int64_t pl_clock_real_ns(void);       /* CLOCK_REALTIME */
int64_t pl_clock_cpu_thread_ns(void); /* CPU time of the calling thread */
int64_t pl_clock_cpu_process_ns(void);

/*
 * Returns realtime - monotonic from the tightest of several readings; the error is at most the
 * width of that reading.
 */
int64_t pl_clock_offset_ns(void);

/* Converts a non-negative time or duration. */
static inline struct timespec pl_clock_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / PL_NS_PER_S, .tv_nsec = ns % PL_NS_PER_S };
}

/* Sleeps until the monotonic time, also if signals interrupt the sleep. */
void pl_clock_sleep_until(int64_t due_ns);

/* Formats RFC 3339 in UTC with milliseconds, "2026-01-02T03:04:05.678Z": 25 bytes with the NUL. */
void pl_clock_rfc3339(int64_t real_ns, char text[32]);
/* Formats a realtime with strftime(), in UTC or local time. */
void pl_clock_format(int64_t real_ns, const char *format, int utc, char *text, size_t room);
