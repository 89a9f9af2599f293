/*
 * The processors that this process may use, cut into parts for programs that shall not disturb each
 * other.
 */
#pragma once

#include "base/buf.h"

#include <sched.h>

#define HOST_CPUS_FOLDER "/sys/devices/system"

/*
 * At most `count` (>= 1) parts without a processor in common, as equal as they come: threads of one core
 * are not parted as long as there are cores enough, and each part has its share of every NUMA node.
 * Fewer parts where each would have less than `least` processors, but one at least. Returns how many;
 * sets: [count]. `folder`: HOST_CPUS_FOLDER; what it does not tell is one core a processor on one node.
 */
size_t host_cpus_part(const char *folder, const cpu_set_t *ours, size_t count, size_t least,
		      cpu_set_t *sets);

/* "0-3,8", as the kernel writes it. */
void host_cpus_text(const cpu_set_t *cpus, struct pl_buf *buf);
