#include "sweep/slots.h"

#include <stdlib.h>

#include "base/log.h"
#include "host/cpus.h"

/* Returns the number of servers that the GPUs allow at once; 0: unlimited, because some use none or name them. */
static size_t allowed_by_gpus(const struct sweep_batches *units, size_t gpus, bool *ret_takes)
{
	size_t least = 0;
	bool others = false;

	for (size_t i = 0; i < units->count; i++) {
		size_t gpu_count = units->jobs[i].gpus;
		others = others || gpu_count == 0;
		if (gpu_count > 0 && (least == 0 || gpu_count < least))
			least = gpu_count;
	}
	*ret_takes = least > 0;
	if (least == 0 || others)
		return 0;
	return gpus > least ? gpus / least : 1;
}

static size_t wished(const struct sweep_batches *units, size_t gpus, int64_t jobs)
{
	bool takes;
	size_t allowed = allowed_by_gpus(units, gpus, &takes);
	size_t wanted = jobs > 0 ? (size_t)jobs : takes ? gpus : 1;

	if (allowed > 0 && wanted > allowed)
		wanted = allowed;
	if (wanted > units->count)
		wanted = units->count;
	return wanted > 0 ? wanted : 1;
}

void sweep_slots_make(const struct sweep_batches *units, size_t gpus,
		      const struct sweep_settings *settings, struct sweep_slots *ret)
{
	size_t wanted = wished(units, gpus, settings->jobs);
	size_t least = (size_t)settings->job_cpus;
	cpu_set_t ours;

	*ret = (struct sweep_slots){ .count = wanted };
	if (wanted == 1 || least == 0 || sched_getaffinity(0, sizeof(ours), &ours) < 0)
		return;
	ret->cpus = pl_alloc_array(wanted, sizeof(*ret->cpus));
	ret->count = host_cpus_part(HOST_CPUS_FOLDER, &ours, wanted, least, ret->cpus);
	ret->bound = ret->count > 1;
	if (ret->count < wanted)
		pl_log(PL_LOG_WARNING,
		       "%zu servers at a time need %zu CPUs each for server and load, but the host "
		       "has %d: using %zu (--job-cpus)",
		       wanted, least, CPU_COUNT(&ours), ret->count);
}

void sweep_slots_done(struct sweep_slots *slots)
{
	free(slots->cpus);
	slots->cpus = NULL;
}
