/*
 * What a person needs to know of the machine that measured, and what was taken from it meanwhile.
 */
#pragma once

#include "base/json.h"

#include <stdint.h>

/* {hostname, kernel, os, cpu, cpu_count, numa_nodes, memory_bytes}; null where not known. */
json_t *host_system_facts(void);

/* Counters of CPU time that the host or the cgroup kept from us. */
struct host_stolen {
	int64_t t_ns;
	double steal; /* clock ticks, all CPUs */
	double total;
	double throttled_us; /* of our cgroup; NaN: no such count */
};

void host_stolen_read(struct host_stolen *ret);
/* 0..1 of all processors' time, by the machine's own host; NaN: not known. */
double host_stolen_share(const struct host_stolen *before, const struct host_stolen *after);
/* 0..1 of the time between, by the cgroup; NaN: not known. */
double host_withheld_share(const struct host_stolen *before, const struct host_stolen *after);
