#include "host/gpu/gpu_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_FIRST 32
#define PROCESSES_MAX   65536

/* One of NVML's two lists: the newer and the older form of its function. */
struct list_function {
	int (*newer)(struct nvml_device *, unsigned *, struct nvml_process *);
	int (*older)(struct nvml_device *, unsigned *, struct nvml_process_v1 *);
	bool compute;
};

static char *process_name(const struct host_nvml *nvml, unsigned pid)
{
	char name[NVML_PROCESS_NAME_BYTES] = "";

	if (nvml->process_name == NULL ||
	    nvml->process_name(pid, name, sizeof(name) - 1) != NVML_SUCCESS || name[0] == '\0')
		return NULL;
	return host_gpu_clean_text(name);
}

static void add(const struct host_nvml *nvml, struct host_gpu_look *into, unsigned pid,
		unsigned long long used, bool compute)
{
	double bytes = used == NVML_VALUE_NOT_AVAILABLE ? NAN : (double)used;

	/* one that computes and draws is in both lists */
	for (size_t i = 0; i < into->process_count; i++) {
		if (into->processes[i].pid == pid)
			return;
	}
	host_gpu_add_process(into, pid, bytes, process_name(nvml, pid), compute);
}

/* NVML's code. */
static int read_form(const struct host_nvml *nvml, struct nvml_device *device,
		     const struct list_function *function, bool newer, struct host_gpu_look *into)
{
	size_t size = newer ? sizeof(struct nvml_process) : sizeof(struct nvml_process_v1);
	auto_free void *list = NULL;
	unsigned room = PROCESSES_FIRST;
	unsigned count;
	int code;

	do {
		list = pl_realloc_array(list, room, size);
		count = room;
		code = newer ? function->newer(device, &count, list)
			     : function->older(device, &count, list);
		room *= 2;
	} while (code == NVML_ERROR_INSUFFICIENT_SIZE && room <= PROCESSES_MAX);
	if (code != NVML_SUCCESS)
		return code;
	for (unsigned i = 0; i < count; i++) {
		/* the newer form goes on behind what the older one has */
		const struct nvml_process_v1 *process = (void *)((char *)list + i * size);
		add(nvml, into, process->pid, process->used, function->compute);
	}
	return code;
}

static bool read_list(const struct host_nvml *nvml, struct nvml_device *device,
		      const struct list_function *function, struct host_gpu_look *into)
{
	int code = NVML_ERROR_FUNCTION_NOT_FOUND;

	if (function->newer != NULL)
		code = read_form(nvml, device, function, true, into);
	if (code == NVML_ERROR_FUNCTION_NOT_FOUND && function->older != NULL)
		code = read_form(nvml, device, function, false, into);
	return code == NVML_SUCCESS;
}

int host_gpus_nvml_processes(struct host_gpus *gpus, struct host_gpu_look *look,
			     struct host_gpu_process **ret, size_t *ret_count)
{
	const struct host_nvml *nvml = gpus->nvml;
	const struct list_function compute = {
		.newer = nvml->compute_processes,
		.older = nvml->compute_processes_v1,
		.compute = true,
	};
	const struct list_function graphics = {
		.newer = nvml->graphics_processes,
		.older = nvml->graphics_processes_v1,
	};
	struct host_gpu_look list = { 0 };

	if (!read_list(nvml, look->device, &compute, &list))
		return -1;
	/* instances cannot draw: no answer is no process */
	read_list(nvml, look->device, &graphics, &list);
	*ret = list.processes;
	*ret_count = list.process_count;
	return 0;
}
