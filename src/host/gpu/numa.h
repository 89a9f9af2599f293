/* NUMA nodes: binding a server to the CPUs next to its GPUs. */
#pragma once

#include "base/mem.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#define HOST_NUMA_FOLDER "/sys/devices/system/node"

struct host_numa {
	int node;
	cpu_set_t cpus; /* CPUs of the node that this process may use */
};

/* Returns the number of nodes; 0: unknown. `folder`: HOST_NUMA_FOLDER. */
size_t host_numa_count(const char *folder);

/*
 * Finds the CPUs for binding to `node`. Returns false if binding is impossible or pointless: the
 * node does not exist, is the only one, or has no CPU that this process may use. `folder`:
 * HOST_NUMA_FOLDER.
 */
bool host_numa_find(const char *folder, int node, struct host_numa *ret);

/*
 * Binds a process and its future children to the CPUs. Memory follows, because the kernel allocates
 * on the node of the CPU that first uses it. Returns false if the kernel refuses.
 */
bool host_numa_bind(const struct host_numa *numa, pid_t pid);

/* Parses the kernel's CPU list notation: "0-3,8". Returns false if the text is not such a list. */
bool host_numa_parse_cpus(const char *text, cpu_set_t *ret);
