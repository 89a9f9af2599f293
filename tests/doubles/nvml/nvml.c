#include "nvml/calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * The functions under NVML's names. Each one answers as a driver would: INSUFFICIENT_SIZE with the
 * count needed, NOT_SUPPORTED for what the GPU or instance does not have.
 * With PRETEND_OLD (libnvml-pretend-old.so) the newer forms are left out, as in drivers of 2018.
 */

#define DRIVER "580.65.06"
#define CUDA   13000
/* ---- the library --------------------------------------------------------- */

PRETEND_FUNCTION(nvmlPretendVersion, void)
{
	return 1;
}

PRETEND_FUNCTION(nvmlInit_v2, void)
{
	struct pretend_world *world = pretend_world_lock();
	int code = pretend_world_init(world);

	if (code == NVML_SUCCESS)
		code = pretend_planned_failure(&world->system, __func__);
	if (code != NVML_SUCCESS && world->users > 0)
		world->users--;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlShutdown, void)
{
	struct pretend_world *world;
	int code = pretend_enter(__func__, NULL, &world);

	if (world->users > 0 && --world->users == 0)
		pretend_world_done(world);
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlSystemGetDriverVersion, char *text, unsigned room)
{
	int code = pretend_enter(__func__, NULL, NULL);

	return pretend_leave(code == NVML_SUCCESS ? pretend_put_text(text, room, DRIVER) : code);
}

PRETEND_FUNCTION(nvmlSystemGetCudaDriverVersion, int *version)
{
	int code = pretend_enter(__func__, NULL, NULL);

	*version = CUDA;
	return pretend_leave(code);
}

static const char *name_in(const struct pretend_state *state, unsigned pid)
{
	for (size_t i = 0; i < state->process_count; i++) {
		if (state->processes[i].pid == pid && state->processes[i].name[0] != '\0')
			return state->processes[i].name;
	}
	return NULL;
}

static const char *given_name(const struct pretend_world *world, unsigned pid)
{
	for (unsigned i = 0; i < world->count; i++) {
		const struct nvml_device *gpu = &world->gpus[i];
		const char *name = name_in(&gpu->state, pid);
		for (unsigned j = 0; name == NULL && j < gpu->instance_count; j++)
			name = name_in(&gpu->instances[j].state, pid);
		if (name != NULL)
			return name;
	}
	return NULL;
}

/* The settings' name, or the kernel's for a process that lives. */
PRETEND_FUNCTION(nvmlSystemGetProcessName, unsigned pid, char *text, unsigned room)
{
	struct pretend_world *world;
	int code = pretend_enter(__func__, NULL, &world);
	char comm[64] = "";
	char path[64];

	if (code != NVML_SUCCESS)
		return pretend_leave(code);
	const char *name = given_name(world, pid);
	if (name != NULL)
		return pretend_leave(pretend_put_text(text, room, name));
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	FILE *stream = fopen(path, "re");
	if (stream == NULL)
		return pretend_leave(NVML_ERROR_NOT_FOUND);
	if (fgets(comm, sizeof(comm), stream) == NULL)
		code = NVML_ERROR_NOT_FOUND;
	fclose(stream);
	comm[strcspn(comm, "\n")] = '\0';
	return pretend_leave(code == NVML_SUCCESS ? pretend_put_text(text, room, comm) : code);
}

PRETEND_FUNCTION(nvmlDeviceGetCount_v2, unsigned *count)
{
	struct pretend_world *world;
	int code = pretend_enter(__func__, NULL, &world);

	*count = world->count;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetHandleByIndex_v2, unsigned index, struct nvml_device **device)
{
	struct pretend_world *world;
	int code = pretend_enter(__func__, NULL, &world);

	if (code == NVML_SUCCESS && index >= world->count)
		code = NVML_ERROR_INVALID_ARGUMENT;
	if (code == NVML_SUCCESS)
		*device = &world->gpus[index];
	return pretend_leave(code);
}

/* ---- facts of a GPU ------------------------------------------------------ */

PRETEND_FUNCTION(nvmlDeviceGetName, NVML_DEVICE, char *text, unsigned room)
{
	int code = pretend_enter(__func__, device, NULL);
	char name[NVML_NAME_BYTES];

	snprintf(name, sizeof(name), "%s%s%s", device->kind->name, device->parent ? " MIG " : "",
		 device->profile);
	return pretend_leave(code == NVML_SUCCESS ? pretend_put_text(text, room, name) : code);
}

PRETEND_FUNCTION(nvmlDeviceGetUUID, NVML_DEVICE, char *text, unsigned room)
{
	struct pretend_world *world;
	int code = pretend_enter(__func__, device, &world);
	const struct nvml_device *gpu = device->parent != NULL ? device->parent : device;
	char uuid[NVML_UUID_BYTES];

	/* "pretend" in hexadecimal, the seed, the GPU and the instance */
	snprintf(uuid, sizeof(uuid), "%s-70726574-656e-6400-%04x-%04x0000%04x",
		 device->parent != NULL ? "MIG" : "GPU", world->seed & 0xffff, gpu->index,
		 device->parent != NULL ? device->index + 1 : 0);
	return pretend_leave(code == NVML_SUCCESS ? pretend_put_text(text, room, uuid) : code);
}

/* A PCI domain that hosts do not use, so that nothing real is found under it. */
PRETEND_FUNCTION(nvmlDeviceGetPciInfo_v3, NVML_DEVICE, struct nvml_pci *pci)
{
	int code = pretend_enter(__func__, device, NULL);

	*pci = (struct nvml_pci){ .domain = 0xfade, .bus = device->index + 1 };
	snprintf(pci->bus_id, sizeof(pci->bus_id), "%08X:%02X:00.0", pci->domain, pci->bus & 0xff);
	snprintf(pci->bus_id_legacy, sizeof(pci->bus_id_legacy), "%04X:%02X:00.0", pci->domain,
		 pci->bus & 0xff);
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetMemoryInfo, NVML_DEVICE, struct nvml_memory *memory)
{
	int code = pretend_enter_memory(__func__, device);
	double total = device->memory_mib * PRETEND_BYTES_PER_MIB;

	if (code != NVML_SUCCESS)
		return pretend_leave(code);
	memory->total = (unsigned long long)total;
	memory->used = (unsigned long long)fmin(total, pretend_used_bytes(device) +
							       total * PRETEND_RESERVED_SHARE);
	memory->free = memory->total - memory->used;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetCudaComputeCapability, NVML_DEVICE, int *major, int *minor)
{
	int code = pretend_enter(__func__, device, NULL);

	*major = device->kind->major;
	*minor = device->kind->minor;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetPowerManagementLimit, NVML_DEVICE, unsigned *mw)
{
	return pretend_put_fact(__func__, device, (unsigned)(device->kind->power_limit_w * 1000),
				mw);
}

PRETEND_FUNCTION(nvmlDeviceGetMaxPcieLinkGeneration, NVML_DEVICE, unsigned *generation)
{
	return pretend_put_fact(__func__, device, device->kind->pcie_generation, generation);
}

PRETEND_FUNCTION(nvmlDeviceGetMaxPcieLinkWidth, NVML_DEVICE, unsigned *lanes)
{
	return pretend_put_fact(__func__, device, device->kind->pcie_lanes, lanes);
}

PRETEND_FUNCTION(nvmlDeviceGetNvLinkState, NVML_DEVICE, unsigned link, unsigned *active)
{
	int code = pretend_enter(__func__, device, NULL);

	if (code == NVML_SUCCESS && (device->parent != NULL || device->kind->nvlinks == 0))
		code = NVML_ERROR_NOT_SUPPORTED;
	if (code == NVML_SUCCESS && link >= device->kind->nvlinks)
		code = NVML_ERROR_INVALID_ARGUMENT;
	if (code == NVML_SUCCESS)
		*active = 1;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetEccMode, NVML_DEVICE, unsigned *current, unsigned *pending)
{
	int code = pretend_enter(__func__, device, NULL);

	if (code == NVML_SUCCESS && (device->parent != NULL || !device->kind->ecc))
		code = NVML_ERROR_NOT_SUPPORTED;
	if (code == NVML_SUCCESS)
		*current = *pending = 1;
	return pretend_leave(code);
}

/* ---- state of a GPU ------------------------------------------------------ */

PRETEND_FUNCTION(nvmlDeviceGetUtilizationRates, NVML_DEVICE, struct nvml_utilization *utilization)
{
	int code = pretend_enter_value(__func__, device, PRETEND_UTILIZATION);

	if (code == NVML_SUCCESS) {
		utilization->gpu = (unsigned)device->state.utilization;
		utilization->memory = (unsigned)device->state.memory_utilization;
	}
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetPowerUsage, NVML_DEVICE, unsigned *mw)
{
	int code = pretend_enter_value(__func__, device, PRETEND_POWER);

	if (code == NVML_SUCCESS)
		*mw = (unsigned)llround(
			1000 * pretend_curve_power_w(&device->state.power, pretend_now_s()));
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetTotalEnergyConsumption, NVML_DEVICE, unsigned long long *mj)
{
	int code = pretend_enter_value(__func__, device, PRETEND_ENERGY);

	if (code == NVML_SUCCESS)
		*mj = (unsigned long long)llround(
			1000 * pretend_energy_j(&device->state, pretend_now_s()));
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetTemperature, NVML_DEVICE, unsigned sensor, unsigned *celsius)
{
	int code = pretend_enter_value(__func__, device, PRETEND_TEMPERATURE);

	if (code == NVML_SUCCESS && sensor != NVML_TEMPERATURE_GPU)
		code = NVML_ERROR_INVALID_ARGUMENT;
	if (code == NVML_SUCCESS)
		*celsius = (unsigned)device->state.temperature_c;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetClockInfo, NVML_DEVICE, unsigned type, unsigned *mhz)
{
	int code = pretend_enter_value(__func__, device, PRETEND_SM_CLOCK);

	if (code == NVML_SUCCESS)
		*mhz = (unsigned)(type == NVML_CLOCK_MEM ? device->state.memory_clock_mhz
							 : device->state.sm_clock_mhz);
	/* a GPU on the host's memory has no clock of its own for it */
	if (code == NVML_SUCCESS && *mhz == 0)
		code = NVML_ERROR_NOT_SUPPORTED;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetCurrentClocksThrottleReasons, NVML_DEVICE, unsigned long long *bits)
{
	int code = pretend_enter_value(__func__, device, PRETEND_THROTTLE);

	if (code == NVML_SUCCESS)
		*bits = device->state.throttle;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetTotalEccErrors, NVML_DEVICE, unsigned type, unsigned counter,
		 unsigned long long *count)
{
	int code = pretend_enter_value(__func__, device, PRETEND_ECC);

	if (code == NVML_SUCCESS && !device->kind->ecc)
		code = NVML_ERROR_NOT_SUPPORTED;
	if (code == NVML_SUCCESS)
		*count = type == NVML_ECC_UNCORRECTED && counter == NVML_ECC_VOLATILE
				 ? (unsigned long long)device->state.ecc_uncorrected
				 : 0;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetPcieThroughput, NVML_DEVICE, unsigned counter, unsigned *kb_per_s)
{
	int code = pretend_enter_value(__func__, device, PRETEND_PCIE);

	if (code == NVML_SUCCESS)
		*kb_per_s = (unsigned)((counter == NVML_PCIE_TX
						? device->state.pcie_tx_bytes_per_s
						: device->state.pcie_rx_bytes_per_s) /
				       1000);
	return pretend_leave(code);
}

static void put_older(void *list, unsigned i, const struct pretend_process *process,
		      const struct nvml_device *device)
{
	(void)device;
	((struct nvml_process_v1 *)list)[i] = (struct nvml_process_v1){
		.pid = process->pid,
		.used = (unsigned long long)process->bytes,
	};
}

PRETEND_FUNCTION(nvmlDeviceGetComputeRunningProcesses, NVML_DEVICE, unsigned *count,
		 struct nvml_process_v1 *list)
{
	return pretend_put_processes(__func__, device, false, count, list, put_older);
}

PRETEND_FUNCTION(nvmlDeviceGetGraphicsRunningProcesses, NVML_DEVICE, unsigned *count,
		 struct nvml_process_v1 *list)
{
	return pretend_put_processes(__func__, device, true, count, list, put_older);
}
