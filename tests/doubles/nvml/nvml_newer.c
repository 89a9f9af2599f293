#include "nvml/calls.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The forms that drivers have had for some years: left out of libnvml-pretend-old.so. */
#ifndef PRETEND_OLD

PRETEND_FUNCTION(nvmlSystemGetCudaDriverVersion_v2, int *version)
{
	return nvmlSystemGetCudaDriverVersion(version);
}

PRETEND_FUNCTION(nvmlDeviceGetMemoryInfo_v2, NVML_DEVICE, struct nvml_memory_v2 *memory)
{
	int code = pretend_enter_memory(__func__, device);
	double total = device->memory_mib * PRETEND_BYTES_PER_MIB;

	if (code == NVML_SUCCESS && memory->version != NVML_MEMORY_V2)
		code = NVML_ERROR_INVALID_ARGUMENT;
	if (code != NVML_SUCCESS)
		return pretend_leave(code);
	memory->total = (unsigned long long)total;
	memory->reserved = (unsigned long long)(total * PRETEND_RESERVED_SHARE);
	memory->used = (unsigned long long)fmin(pretend_used_bytes(device),
						total * (1 - PRETEND_RESERVED_SHARE));
	memory->free = memory->total - memory->reserved - memory->used;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetEnforcedPowerLimit, NVML_DEVICE, unsigned *mw)
{
	return pretend_put_fact(__func__, device, (unsigned)(device->kind->power_limit_w * 1000),
				mw);
}

PRETEND_FUNCTION(nvmlDeviceGetCurrentClocksEventReasons, NVML_DEVICE, unsigned long long *bits)
{
	return nvmlDeviceGetCurrentClocksThrottleReasons(device, bits);
}

PRETEND_FUNCTION(nvmlDeviceGetMigMode, NVML_DEVICE, unsigned *current, unsigned *pending)
{
	int code = pretend_enter(__func__, device, NULL);

	if (code == NVML_SUCCESS && device->parent != NULL)
		code = NVML_ERROR_NOT_SUPPORTED;
	if (code == NVML_SUCCESS)
		*current = *pending = device->instance_count > 0;
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetMaxMigDeviceCount, NVML_DEVICE, unsigned *count)
{
	return pretend_put_fact(__func__, device,
				device->instance_count > 0 ? PRETEND_INSTANCES_MAX : 0, count);
}

PRETEND_FUNCTION(nvmlDeviceGetMigDeviceHandleByIndex, NVML_DEVICE, unsigned index,
		 struct nvml_device **instance)
{
	int code = pretend_enter(__func__, device, NULL);

	if (code == NVML_SUCCESS && index >= device->instance_count)
		code = NVML_ERROR_NOT_FOUND;
	if (code == NVML_SUCCESS)
		*instance = &device->instances[index];
	return pretend_leave(code);
}

PRETEND_FUNCTION(nvmlDeviceGetMemoryAffinity, NVML_DEVICE, unsigned words, unsigned long *nodes,
		 unsigned scope)
{
	int code = pretend_enter(__func__, device, NULL);
	const unsigned bits = 8 * sizeof(*nodes);

	if (code == NVML_SUCCESS && scope != NVML_AFFINITY_NODE)
		code = NVML_ERROR_INVALID_ARGUMENT;
	if (code == NVML_SUCCESS &&
	    (device->numa_node < 0 || (unsigned)device->numa_node >= words * bits))
		code = NVML_ERROR_NOT_SUPPORTED;
	if (code != NVML_SUCCESS)
		return pretend_leave(code);
	memset(nodes, 0, words * sizeof(*nodes));
	nodes[(unsigned)device->numa_node / bits] = 1ul << ((unsigned)device->numa_node % bits);
	return pretend_leave(code);
}

/* The counters are rates times CLOCK_MONOTONIC; PCIe's are of 32 bits, as on real GPUs. */
static void put_field(const struct nvml_device *device, struct nvml_field *field)
{
	const struct pretend_state *state = &device->state;
	bool links = field->field == NVML_FIELD_NVLINK_RX_KIB ||
		     field->field == NVML_FIELD_NVLINK_TX_KIB;
	double t_s = pretend_now_s();
	double rate = 0;

	field->result = NVML_ERROR_NOT_SUPPORTED;
	if (pretend_is_vanished(state, links ? PRETEND_NVLINK : PRETEND_PCIE) ||
	    (links && device->kind->nvlinks == 0))
		return;
	if (field->field == NVML_FIELD_PCIE_RX_BYTES)
		rate = state->pcie_rx_bytes_per_s;
	else if (field->field == NVML_FIELD_PCIE_TX_BYTES)
		rate = state->pcie_tx_bytes_per_s;
	else if (links)
		rate = field->field == NVML_FIELD_NVLINK_RX_KIB ? state->nvlink_rx_bytes_per_s
								: state->nvlink_tx_bytes_per_s;
	else
		return;
	field->result = NVML_SUCCESS;
	field->type = links ? NVML_VALUE_ULONGLONG : NVML_VALUE_UINT;
	if (links)
		field->value.ulonglong = (unsigned long long)(rate * t_s / 1024);
	else
		field->value.uint = (unsigned)((unsigned long long)(rate * t_s) & UINT32_MAX);
}

PRETEND_FUNCTION(nvmlDeviceGetFieldValues, NVML_DEVICE, int count, struct nvml_field *fields)
{
	int code = pretend_enter(__func__, device, NULL);

	if (code == NVML_SUCCESS && device->parent != NULL)
		code = NVML_ERROR_NOT_SUPPORTED;
	for (int i = 0; code == NVML_SUCCESS && i < count; i++)
		put_field(device, &fields[i]);
	return pretend_leave(code);
}

static void put_newer(void *list, unsigned i, const struct pretend_process *process,
		      const struct nvml_device *device)
{
	bool whole = device->parent == NULL;

	((struct nvml_process *)list)[i] = (struct nvml_process){
		.pid = process->pid,
		.used = (unsigned long long)process->bytes,
		.gpu_instance = whole ? UINT32_MAX : device->index + 1,
		.compute_instance = whole ? UINT32_MAX : 0,
	};
}

PRETEND_FUNCTION(nvmlDeviceGetComputeRunningProcesses_v3, NVML_DEVICE, unsigned *count,
		 struct nvml_process *list)
{
	return pretend_put_processes(__func__, device, false, count, list, put_newer);
}

PRETEND_FUNCTION(nvmlDeviceGetGraphicsRunningProcesses_v3, NVML_DEVICE, unsigned *count,
		 struct nvml_process *list)
{
	return pretend_put_processes(__func__, device, true, count, list, put_newer);
}

#endif
