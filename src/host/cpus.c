#include "host/cpus.h"

#include <stdlib.h>

#include "base/file.h"
#include "host/gpu/numa.h"

#define LIST_BYTES_MAX 65536

/* A core: its threads that are ours. */
struct core {
	cpu_set_t threads;
	int node;
	size_t first;
};

static bool read_list(const char *path, cpu_set_t *ret)
{
	auto_free char *text = pl_file_text(path, LIST_BYTES_MAX, NULL);

	return text != NULL && host_numa_parse_cpus(text, ret);
}

/* Sets the node of each CPU, 0 if unknown. */
static void read_nodes(const char *folder, int nodes[CPU_SETSIZE])
{
	auto_free char *path = pl_asprintf("%s/node", folder);
	size_t count = host_numa_count(path);

	for (int node = 0; node < (int)count; node++) {
		auto_free char *list = pl_asprintf("%s/node%d/cpulist", path, node);
		cpu_set_t cpus;
		if (!read_list(list, &cpus))
			continue;
		for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (CPU_ISSET(cpu, &cpus))
				nodes[cpu] = node;
		}
	}
}

static int compare(const void *a, const void *b)
{
	const struct core *one = a;
	const struct core *other = b;

	if (one->node != other->node)
		return one->node - other->node;
	return one->first < other->first ? -1 : one->first > other->first;
}

/* by_thread: each CPU counts as a core. Sorted by node and number. */
static size_t read_cores(const char *folder, const cpu_set_t *ours, bool by_thread,
			 struct core *cores)
{
	int nodes[CPU_SETSIZE] = { 0 };
	cpu_set_t seen;
	size_t count = 0;

	read_nodes(folder, nodes);
	CPU_ZERO(&seen);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, ours) || CPU_ISSET(cpu, &seen))
			continue;
		auto_free char *path = pl_asprintf("%s/cpu/cpu%zu/topology/thread_siblings_list",
						   folder, cpu);
		struct core *core = &cores[count++];
		*core = (struct core){ .node = nodes[cpu], .first = cpu };
		if (by_thread || !read_list(path, &core->threads))
			CPU_ZERO(&core->threads);
		CPU_SET(cpu, &core->threads);
		CPU_AND(&core->threads, &core->threads, ours);
		CPU_OR(&seen, &seen, &core->threads);
	}
	qsort(cores, count, sizeof(*cores), compare);
	return count;
}

static size_t emptiest(const cpu_set_t *sets, size_t count, const bool *had)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		if (!had[i] && (best == count || CPU_COUNT(&sets[i]) < CPU_COUNT(&sets[best])))
			best = i;
	}
	return best;
}

/*
 * Splits the cores of one node, keeping adjacent ones together; the remainder goes to the smallest
 * sets.
 */
static void deal(const struct core *cores, size_t core_count, cpu_set_t *sets, size_t count)
{
	auto_free bool *had = pl_alloc_array(count, sizeof(*had));
	size_t each = core_count / count, at = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < each; k++, at++)
			CPU_OR(&sets[i], &sets[i], &cores[at].threads);
	}
	for (; at < core_count; at++) {
		size_t i = emptiest(sets, count, had);
		CPU_OR(&sets[i], &sets[i], &cores[at].threads);
		had[i] = true;
	}
}

static size_t smallest(const cpu_set_t *sets, size_t count)
{
	size_t least = CPU_SETSIZE;

	for (size_t i = 0; i < count; i++) {
		size_t has = (size_t)CPU_COUNT(&sets[i]);
		least = has < least ? has : least;
	}
	return least;
}

size_t host_cpus_part(const char *folder, const cpu_set_t *ours, size_t count, size_t least,
		      cpu_set_t *sets)
{
	size_t all = (size_t)CPU_COUNT(ours);
	size_t most = all / (least > 0 ? least : 1);

	count = count > most ? most : count;
	for (count = count > 0 ? count : 1;; count--) {
		auto_free struct core *cores = pl_alloc_array(CPU_SETSIZE, sizeof(*cores));
		size_t core_count = read_cores(folder, ours, false, cores);
		if (core_count < count)
			core_count = read_cores(folder, ours, true, cores);
		for (size_t i = 0; i < count; i++)
			CPU_ZERO(&sets[i]);
		for (size_t at = 0, end; at < core_count; at = end) {
			for (end = at; end < core_count && cores[end].node == cores[at].node;)
				end++;
			deal(&cores[at], end - at, sets, count);
		}
		if (count == 1 || smallest(sets, count) >= least)
			return count;
	}
}

void host_cpus_text(const cpu_set_t *cpus, struct pl_buf *buf)
{
	const char *comma = "";

	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		size_t last = cpu;
		if (!CPU_ISSET(cpu, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		pl_buf_addf(buf, "%s%zu", comma, cpu);
		if (last > cpu)
			pl_buf_addf(buf, "-%zu", last);
		comma = ",";
		cpu = last;
	}
}
