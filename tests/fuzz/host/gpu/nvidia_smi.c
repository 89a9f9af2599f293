/*
 * Any bytes as what nvidia-smi -q -x printed: what is taken has GPUs whose values are in their ranges
 * and can be written as JSON.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "host/gpu/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_processes(struct host_gpus *gpus, size_t i)
{
	struct host_gpu_process *processes;
	size_t count;

	if (host_gpus_processes(gpus, i, &processes, &count) < 0)
		return;
	for (size_t k = 0; k < count; k++) {
		json_t *name = pl_json_text(processes[k].name);
		if (processes[k].pid < 0 || name == NULL)
			abort();
		json_decref(name);
	}
	host_gpu_processes_free(processes, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_gpus struct host_gpus *gpus = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (host_gpus_from_text((const char *)data, size, "fuzz", &gpus, &err) < 0) {
		if (err.code == PL_ERR_NONE || err.text[0] == '\0')
			abort();
		return 0;
	}
	for (size_t i = 0; i < host_gpus_count(gpus); i++) {
		const struct host_gpu_facts *facts = host_gpus_facts(gpus, i);
		struct host_gpu_state state;
		host_gpus_read(gpus, i, &state);
		if (facts->index < -1 || facts->mig_index < -1 || state.throttle < -1)
			abort();
		auto_json json_t *json = host_gpu_to_json(facts, &state);
		auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
		if (text == NULL || json_object_size(json) != 30)
			abort();
		check_processes(gpus, i);
	}
	return 0;
}
