/*
 * How long the control groups of a process were held back by their limits of processor time
 * (cpu.max, cpu.cfs_quota_us), by the kernel's count.
 *
 * A group's own limit only is counted in its file, so those of all groups above count too. Files
 * that have the count stay open: reading is one pread() each. One thread at a time.
 */
#pragma once

#include "base/mem.h"

#define HOST_CGROUP_FOLDER "/sys/fs/cgroup"

struct host_throttled;
/* Of this process, which nobody moves while it measures. */
struct host_throttled *host_throttled_new(void);
/* Of one whose /proc/PID/cgroup says `groups` (NULL: nothing); `mounted`: HOST_CGROUP_FOLDER. */
struct host_throttled *host_throttled_new_of(const char *groups, const char *mounted);
void host_throttled_free(struct host_throttled *throttled);
PL_AUTO_DEFINE(struct host_throttled, host_throttled_free);

/* Microseconds so far; NaN: no such count. */
double host_throttled_us(const struct host_throttled *throttled);
