/* Facts about the machine that measures, and CPU time taken from it during the measurement. */
#pragma once

#include "base/json.h"

#include <stdint.h>

/* Returns {hostname, kernel, os, cpu, cpu_count, numa_nodes, memory_bytes}; null if unknown. */
json_t *host_system_facts(void);

/* Counters of CPU time that the hypervisor or the cgroup withheld. */
struct host_stolen {
	int64_t t_ns;
	double steal; /* clock ticks, all CPUs */
	double total;
	double throttled_us; /* of our cgroup; NaN: not counted */
};

void host_stolen_read(struct host_stolen *ret);
/* Returns the share (0..1) of all CPUs' time that the hypervisor took; NaN: unknown. */
double host_stolen_share(const struct host_stolen *before, const struct host_stolen *after);
/* Returns the share (0..1) of the elapsed time that the cgroup withheld; NaN: unknown. */
double host_withheld_share(const struct host_stolen *before, const struct host_stolen *after);
