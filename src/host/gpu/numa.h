/*
 * NUMA nodes: keeping a server on the processors next to its GPUs.
 */
#pragma once

#include "base/mem.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#define HOST_NUMA_FOLDER "/sys/devices/system/node"

struct host_numa {
	int node;
	cpu_set_t cpus; /* of the node, as far as we may use them */
};

/* How many there are; 0: not to be known. `folder`: HOST_NUMA_FOLDER. */
size_t host_numa_count(const char *folder);

/*
 * A binding to `node`. False where there is nothing to bind: no such node, only one, or none of its
 * processors is ours. `folder`: HOST_NUMA_FOLDER.
 */
bool host_numa_find(const char *folder, int node, struct host_numa *ret);

/*
 * Binds a process and what it starts from now on to the processors. Memory follows: the kernel
 * takes it from the node that asks for it first. False: the kernel does not allow it.
 */
bool host_numa_bind(const struct host_numa *numa, pid_t pid);

/* "0-3,8" as the kernel writes lists of processors. False: no such list. */
bool host_numa_parse_cpus(const char *text, cpu_set_t *ret);
