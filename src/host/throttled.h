/*
 * The time for which limits on CPU time (cpu.max, cpu.cfs_quota_us) held back the control groups of
 * a process, as counted by the kernel.
 *
 * A group's file counts only its own limit, so the counts of all its ancestors are added. Files
 * with a count stay open: reading takes one pread() each. One thread at a time.
 */
#pragma once

#include "base/mem.h"

#define HOST_CGROUP_FOLDER "/sys/fs/cgroup"

struct host_throttled;
/* Opens the groups of this process, which must not be moved during a measurement. */
struct host_throttled *host_throttled_new(void);
/*
 * Opens the groups of a process whose /proc/PID/cgroup contains `groups` (NULL: nothing);
 * `mounted`: HOST_CGROUP_FOLDER.
 */
struct host_throttled *host_throttled_new_of(const char *groups, const char *mounted);
void host_throttled_free(struct host_throttled *throttled);
PL_AUTO_DEFINE(struct host_throttled, host_throttled_free);

/* Returns microseconds so far; NaN: not counted. */
double host_throttled_us(const struct host_throttled *throttled);
