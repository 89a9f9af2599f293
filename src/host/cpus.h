/*
 * Partitioning of the CPUs that this process may use, for programs that must not disturb each
 * other.
 */
#pragma once

#include "base/buf.h"

#include <sched.h>

#define HOST_CPUS_FOLDER "/sys/devices/system"

/*
 * Splits `ours` into at most `count` (>= 1) disjoint parts of about equal size. Threads of one core
 * stay together as long as there are enough cores, and each part gets its share of every NUMA node.
 * Makes fewer parts, but at least one, if a part would have fewer than `least` CPUs. Returns the
 * number of parts; sets: [count]. `folder`: HOST_CPUS_FOLDER. CPUs without topology data count as
 * one core each, on one node.
 */
size_t host_cpus_part(const char *folder, const cpu_set_t *ours, size_t count, size_t least,
		      cpu_set_t *sets);

/* Appends the list in the kernel's notation: "0-3,8". */
void host_cpus_text(const cpu_set_t *cpus, struct pl_buf *buf);
