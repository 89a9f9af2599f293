#include "host/telemetry/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/*
 * Rows of one source are consecutive in tbl/telemetry.h; the index of a value counts from the first
 * one.
 */
#define AT(name) (HOST_Q_gpu_##name - HOST_Q_gpu_memory_used_bytes)

struct host_gpu_watch {
	struct host_gpus *gpus; /* NULL: GPUs were not searched for */
	struct host_telemetry_gpu *entries;
	size_t *positions; /* index of each entry in `gpus` */
	size_t count;
	bool pids_are_ours;
};

static bool is_wanted(const json_t *which, const struct host_gpu_facts *facts)
{
	/*
	 * an instance is selected only by its name; nothing computes on a partitioned GPU as a
	 * whole
	 */
	if (which == NULL)
		return facts->mig_parent == NULL;
	PL_JSON_EACH(item, which) {
		if (json_is_integer(item) && facts->mig_parent == NULL &&
		    json_integer_value(item) == facts->index)
			return true;
		if (json_is_string(item) && pl_text_equal(json_string_value(item), facts->uuid))
			return true;
	}
	return false;
}

int host_gpu_watch_open(const json_t *which, int64_t gap_ns, struct host_gpu_watch **ret,
			struct pl_err *err)
{
	struct host_gpu_watch *watch = pl_alloc(sizeof(*watch));

	/* An empty list means that the run uses no GPU: the driver is not queried. */
	if (which == NULL || json_array_size(which) > 0) {
		if (host_gpus_open(&watch->gpus, err) < 0) {
			host_gpu_watch_free(watch);
			return -1;
		}
		size_t count = host_gpus_count(watch->gpus);
		watch->entries = pl_alloc_array(count, sizeof(*watch->entries));
		watch->positions = pl_alloc_array(count, sizeof(*watch->positions));
		for (size_t i = 0; i < count; i++) {
			const struct host_gpu_facts *facts = host_gpus_facts(watch->gpus, i);
			if (!is_wanted(which, facts))
				continue;
			watch->entries[watch->count].facts = facts;
			host_sums_init(&watch->entries[watch->count].sums, HOST_SOURCE_gpu, gap_ns);
			watch->positions[watch->count++] = i;
		}
	}
	watch->pids_are_ours = watch->count > 0 && host_gpu_pids_are_ours(watch->entries[0].facts);
	*ret = watch;
	return 0;
}

void host_gpu_watch_free(struct host_gpu_watch *watch)
{
	if (watch == NULL)
		return;
	host_gpus_free(watch->gpus);
	free(watch->entries);
	free(watch->positions);
	free(watch);
}

size_t host_gpu_watch_count(const struct host_gpu_watch *watch)
{
	return watch->count;
}

struct host_telemetry_gpu *host_gpu_watch_at(const struct host_gpu_watch *watch, size_t i)
{
	return &watch->entries[i];
}

const struct host_gpus *host_gpu_watch_gpus(const struct host_gpu_watch *watch)
{
	return watch->gpus;
}

bool host_gpu_watch_is_slow(const struct host_gpu_watch *watch)
{
	return watch->count > 0 && host_gpus_source(watch->gpus) == HOST_GPU_NVIDIA_SMI;
}

void host_gpu_watch_read(struct host_gpu_watch *watch, size_t i, int64_t *ret_t_ns, double *values)
{
	struct host_gpu_state state;
	int64_t before_ns = pl_clock_now_ns();

	host_gpus_read(watch->gpus, watch->positions[i], &state);
	/* nvidia-smi takes up to seconds: its values are from some time in between. */
	*ret_t_ns = before_ns + (pl_clock_now_ns() - before_ns) / 2;
	values[AT(memory_used_bytes)] = state.memory_used_bytes;
	values[AT(utilization)] = state.utilization;
	values[AT(memory_utilization)] = state.memory_utilization;
	values[AT(power_w)] = state.power_w;
	values[AT(energy_j)] = state.energy_j;
	values[AT(temperature_c)] = state.temperature_c;
	values[AT(sm_clock_mhz)] = state.sm_clock_mhz;
	values[AT(memory_clock_mhz)] = state.memory_clock_mhz;
	values[AT(pcie_rx_bytes_per_s)] = state.pcie_rx_bytes_per_s;
	values[AT(pcie_tx_bytes_per_s)] = state.pcie_tx_bytes_per_s;
	values[AT(nvlink_rx_bytes)] = state.nvlink_rx_bytes;
	values[AT(nvlink_tx_bytes)] = state.nvlink_tx_bytes;
	values[AT(ecc_uncorrected)] = state.ecc_uncorrected;
	values[AT(throttle)] = state.throttle >= 0 ? (double)state.throttle : NAN;
}

/* Alive, as far as we may see. */
static bool is_there(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return access(path, F_OK) == 0;
}

double host_gpu_watch_foreign(struct host_gpu_watch *watch, bool (*is_ours)(void *data, pid_t pid),
			      void *data)
{
	double foreign = watch->count > 0 && watch->pids_are_ours ? 0 : NAN;

	for (size_t i = 0; i < watch->count && watch->pids_are_ours; i++) {
		struct host_gpu_process *processes = NULL;
		size_t count = 0;
		/* A GPU with unknown processes makes "none" unknown, but not "found". */
		if (host_gpus_processes(watch->gpus, watch->positions[i], &processes, &count) < 0) {
			foreign = foreign > 0 ? foreign : NAN;
			continue;
		}
		for (size_t k = 0; k < count; k++) {
			pid_t pid = (pid_t)processes[k].pid;
			/* ignore processes that have ended since */
			if (processes[k].compute && is_there(pid) && !is_ours(data, pid))
				foreign = 1;
		}
		host_gpu_processes_free(processes, count);
	}
	return foreign;
}
