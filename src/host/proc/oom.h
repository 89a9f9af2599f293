/* The kernel's counters of out-of-memory kills, to compare before and after. */
#pragma once

#include <stdint.h>

/*
 * Returns the number of processes killed so far in our control group (version 2 or 1), or on the
 * whole host if the group has no such counter; -1: unknown. A child's group is ours or inside it.
 */
int64_t host_oom_kills(void);

/*
 * Reads the count from a file with a line "oom_kill 3". Returns -1 if the file or the line is
 * missing.
 */
int64_t host_oom_kills_in(const char *path);
