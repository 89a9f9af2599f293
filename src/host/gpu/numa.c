#include "host/gpu/numa.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define LIST_BYTES_MAX 65536

/* The kernel's text ends with a line feed; an empty list is valid (a node with memory only). */
bool host_numa_parse_cpus(const char *text, cpu_set_t *ret)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	while (isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (first > last || last >= CPU_SETSIZE)
			return false;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, &cpus);
		text = *end == ',' ? end + 1 : end;
	}
	if (text[strspn(text, " \n")] != '\0')
		return false;
	*ret = cpus;
	return true;
}

size_t host_numa_count(const char *folder)
{
	auto_dir dir = opendir(folder);
	const char *name;
	size_t count = 0;

	while ((name = pl_dir_next(dir)) != NULL)
		count += strncmp(name, "node", 4) == 0 && isdigit((unsigned char)name[4]);
	return count;
}

bool host_numa_find(const char *folder, int node, struct host_numa *ret)
{
	auto_free char *path = pl_asprintf("%s/node%d/cpulist", folder, node);
	auto_free char *text = pl_file_text(path, LIST_BYTES_MAX, NULL);
	struct host_numa numa = { .node = node };
	cpu_set_t ours;

	/* With one node a binding has no benefit and only restricts the scheduler. */
	if (node < 0 || host_numa_count(folder) < 2 || text == NULL ||
	    !host_numa_parse_cpus(text, &numa.cpus) ||
	    sched_getaffinity(0, sizeof(ours), &ours) < 0)
		return false;
	/*
	 * Only CPUs assigned to this process (cpusets, taskset, Slurm): the kernel would reject a
	 * set without any of them.
	 */
	CPU_AND(&numa.cpus, &numa.cpus, &ours);
	if (CPU_COUNT(&numa.cpus) == 0)
		return false;
	*ret = numa;
	return true;
}

bool host_numa_bind(const struct host_numa *numa, pid_t pid)
{
	/*
	 * Binds only the main thread: children inherit the binding, and the guard, which is bound
	 * here, has no other thread yet.
	 */
	return sched_setaffinity(pid, sizeof(numa->cpus), &numa->cpus) == 0;
}
