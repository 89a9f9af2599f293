/*
 * Timestamps at the start of a log line, in the formats of loggers, containers and journald.
 *
 * - Each function moves `*at` past the time that it parses, and leaves it unchanged if there is
 *   none.
 * - Time zones are parsed and ignored: all times of one log are in one zone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct host_log_stamp {
	int year; /* 0: missing */
	int month, day, hour, minute, second;
	int64_t fraction_ns;
};

/* Skips one of the characters of `any`. */
bool host_log_skip_char(const char **at, const char *any);
/* "2026-01-02T03:04:05.678Z", "2026/01/02 03:04:05,678", "Fri 2026-01-02 03:04:05 UTC" */
bool host_log_stamp_iso(const char **at, struct host_log_stamp *stamp);
/* "Jan  2 03:04:05" */
bool host_log_stamp_syslog(const char **at, struct host_log_stamp *stamp);
/* "01-02 03:04:05" */
bool host_log_stamp_short(const char **at, struct host_log_stamp *stamp);
/* "0102 03:04:05.678", "102 03:04:05.678" */
bool host_log_stamp_glog(const char **at, struct host_log_stamp *stamp);
/* "03:04:05.678" */
bool host_log_stamp_clock(const char **at, struct host_log_stamp *stamp);
/*
 * Returns the time in the log's calendar, treated as UTC. A timestamp without a year gets the year
 * that brings it closest to `real_ns`.
 */
int64_t host_log_stamp_ns(const struct host_log_stamp *stamp, int64_t real_ns);
