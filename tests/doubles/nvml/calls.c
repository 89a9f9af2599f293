#include "nvml/calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The words of `vanish`. */
static const char *const value_words[] = {
	[PRETEND_MEMORY_USED] = "memory",
	[PRETEND_UTILIZATION] = "utilization",
	[PRETEND_MEMORY_UTILIZATION] = "utilization",
	[PRETEND_POWER] = "power",
	[PRETEND_ENERGY] = "energy",
	[PRETEND_TEMPERATURE] = "temperature",
	[PRETEND_SM_CLOCK] = "clocks",
	[PRETEND_MEMORY_CLOCK] = "clocks",
	[PRETEND_THROTTLE] = "throttle",
	[PRETEND_ECC] = "ecc",
	[PRETEND_PCIE] = "pcie",
	[PRETEND_NVLINK] = "nvlink",
	[PRETEND_PROCESSES] = "processes",
};

/* ---- what every function asks first --------------------------------------------------------- */

int pretend_planned_failure(struct pretend_state *state, const char *function)
{
	for (size_t i = 0; i < state->fail_count; i++) {
		struct pretend_fail *fail = &state->fails[i];
		if (strcmp(fail->function, function) == 0)
			return fail->calls++ >= fail->after ? fail->code : NVML_SUCCESS;
	}
	return NVML_SUCCESS;
}

bool pretend_is_vanished(const struct pretend_state *state, enum pretend_value value)
{
	char word[40];

	snprintf(word, sizeof(word), ",%s,", value_words[value]);
	return strstr(state->vanish, word) != NULL;
}

/* Locks the world. Returns NVML_SUCCESS if the call may proceed; pretend_leave() always follows. */
int pretend_enter(const char *function, struct nvml_device *device, struct pretend_world **ret)
{
	struct pretend_world *world = pretend_world_lock();

	if (ret != NULL)
		*ret = world;
	if (world->users == 0)
		return NVML_ERROR_UNINITIALIZED;
	struct nvml_device *gpu = device != NULL && device->parent != NULL ? device->parent
									   : device;
	return pretend_planned_failure(gpu != NULL ? &gpu->state : &world->system, function);
}

int pretend_leave(int code)
{
	pretend_world_unlock();
	return code;
}

/* As pretend_enter(), for a value that whole GPUs have and that can vanish. */
int pretend_enter_value(const char *function, struct nvml_device *device, enum pretend_value value)
{
	int code = pretend_enter(function, device, NULL);

	if (code == NVML_SUCCESS &&
	    (device->parent != NULL || pretend_is_vanished(&device->state, value)))
		return NVML_ERROR_NOT_SUPPORTED;
	return code;
}

int pretend_put_text(char *into, unsigned room, const char *text)
{
	if (strlen(text) >= room)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	memcpy(into, text, strlen(text) + 1);
	return NVML_SUCCESS;
}

static double processes_bytes(const struct pretend_state *state)
{
	double bytes = 0;

	for (size_t i = 0; i < state->process_count; i++) {
		if (pretend_process_shown(&state->processes[i]))
			bytes += state->processes[i].bytes;
	}
	return bytes;
}

double pretend_used_bytes(const struct nvml_device *device)
{
	double bytes = device->state.memory_used_bytes + processes_bytes(&device->state);

	for (unsigned i = 0; i < device->instance_count; i++)
		bytes += pretend_used_bytes(&device->instances[i]);
	return fmin(bytes, device->memory_mib * PRETEND_BYTES_PER_MIB);
}

int pretend_enter_memory(const char *function, struct nvml_device *device)
{
	int code = pretend_enter(function, device, NULL);

	if (code == NVML_SUCCESS &&
	    (device->memory_mib == 0 || pretend_is_vanished(&device->state, PRETEND_MEMORY_USED)))
		return NVML_ERROR_NOT_SUPPORTED;
	return code;
}

int pretend_put_fact(const char *function, struct nvml_device *device, unsigned fact, unsigned *ret)
{
	int code = pretend_enter(function, device, NULL);

	if (code == NVML_SUCCESS && device->parent != NULL)
		code = NVML_ERROR_NOT_SUPPORTED;
	if (code == NVML_SUCCESS)
		*ret = fact;
	return pretend_leave(code);
}

/* A list in the older or the newer form; `put` writes one entry. */
int pretend_put_processes(const char *function, struct nvml_device *device, bool graphics,
			  unsigned *count, void *list,
			  void (*put)(void *list, unsigned i, const struct pretend_process *process,
				      const struct nvml_device *device))
{
	int code = pretend_enter(function, device, NULL);
	unsigned room = *count;
	unsigned shown = 0;

	if (code == NVML_SUCCESS && pretend_is_vanished(&device->state, PRETEND_PROCESSES))
		code = NVML_ERROR_NOT_SUPPORTED;
	if (code != NVML_SUCCESS)
		return pretend_leave(code);
	for (size_t i = 0; i < device->state.process_count; i++) {
		const struct pretend_process *process = &device->state.processes[i];
		if (process->graphics != graphics || !pretend_process_shown(process))
			continue;
		if (shown < room)
			put(list, shown, process, device);
		shown++;
	}
	*count = shown;
	return pretend_leave(shown <= room ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE);
}
