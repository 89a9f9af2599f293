/*
 * Shared by the functions with NVML's names.
 *
 *
 * - pretend_enter*() locks the world; pretend_leave() unlocks it, whatever enter returned, and
 *   passes a code on.
 */
#pragma once

#include "nvml/world.h"

/* Declares, then begins the definition. */
#define PRETEND_FUNCTION(name, ...)                                   \
	__attribute__((visibility("default"))) int name(__VA_ARGS__); \
	int name(__VA_ARGS__)

#define PRETEND_BYTES_PER_MIB 1048576.0
/* what a driver keeps of a GPU's memory */
#define PRETEND_RESERVED_SHARE 0.006

/* Values that can vanish. */
enum pretend_value {
	PRETEND_MEMORY_USED,
	PRETEND_UTILIZATION,
	PRETEND_MEMORY_UTILIZATION,
	PRETEND_POWER,
	PRETEND_ENERGY,
	PRETEND_TEMPERATURE,
	PRETEND_SM_CLOCK,
	PRETEND_MEMORY_CLOCK,
	PRETEND_THROTTLE,
	PRETEND_ECC,
	PRETEND_PCIE,
	PRETEND_NVLINK,
	PRETEND_PROCESSES,
};

/* Returns NVML_SUCCESS if the call may proceed; device NULL: a function without one. ret may be
 * NULL. */
int pretend_enter(const char *function, struct nvml_device *device, struct pretend_world **ret);
/* For a value that whole GPUs have and that can vanish. */
int pretend_enter_value(const char *function, struct nvml_device *device, enum pretend_value value);
int pretend_enter_memory(const char *function, struct nvml_device *device);
int pretend_leave(int code);

/* The code of a function's planned failure, NVML_SUCCESS for none; counts the call. */
int pretend_planned_failure(struct pretend_state *state, const char *function);
bool pretend_is_vanished(const struct pretend_state *state, enum pretend_value value);
double pretend_used_bytes(const struct nvml_device *device);
int pretend_put_text(char *into, unsigned room, const char *text);
/* A whole function: a number of whole GPUs. */
int pretend_put_fact(const char *function, struct nvml_device *device, unsigned fact,
		     unsigned *ret);
/* A whole function: a list in the older or the newer form; `put` writes one entry. */
int pretend_put_processes(const char *function, struct nvml_device *device, bool graphics,
			  unsigned *count, void *list,
			  void (*put)(void *list, unsigned i, const struct pretend_process *process,
				      const struct nvml_device *device));

/* The older names of what nvml_newer.c has in newer forms. */
int nvmlSystemGetCudaDriverVersion(int *version);
int nvmlDeviceGetCurrentClocksThrottleReasons(NVML_DEVICE, unsigned long long *bits);
