/*
 * Has the kernel killed for memory? Its counters, for a comparison before and after.
 */
#pragma once

#include <stdint.h>

/*
 * Processes killed so far, of our own control group (version 2 or 1), or of the whole host where
 * that has no such counter; -1: cannot be known. A child's group is ours or lies within it.
 */
int64_t host_oom_kills(void);

/* The same of given files: "oom_kill 3" stands on a line of its own. -1: no such file or line. */
int64_t host_oom_kills_in(const char *path);
