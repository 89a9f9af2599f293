/*
 * The phases of a server's start, by the lines that mark them: the rows LOG_PHASE and LOG_MARK of
 * tbl/log_lines.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct host_log_line;

enum host_log_phase {
#define LOG_PHASE(id, name, which) HOST_LOG_##id,
#include "tbl/log_lines.h"
	HOST_LOG_PHASE_COUNT
};

/* The time at which bytes were seen: both clocks at the same moment. */
struct host_log_time {
	int64_t mono_ns; /* CLOCK_MONOTONIC */
	int64_t real_ns; /* CLOCK_REALTIME */
};

struct host_log_moment {
	bool reached;
	bool stamped; /* the line had a timestamp */
	struct host_log_time seen;
	int64_t stamp_ns; /* in the log's calendar, treated as UTC */
};

/* `moments` has one for each phase. */
void host_log_phases_take(struct host_log_moment *moments, const struct host_log_line *line,
			  const struct host_log_time *seen);
/*
 * Returns the CLOCK_MONOTONIC time of a phase: when its line was seen, or the time in the log if
 * that is more than its one-second resolution earlier. INT64_MIN: not reached.
 */
int64_t host_log_phases_ns(const struct host_log_moment *moments, enum host_log_phase phase);
