#include "host/gpu/look.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/gpu/nvml.h"

void host_gpu_state_init(struct host_gpu_state *state)
{
	/* NaN and -1, never 0: a GPU with unknown power does not use zero power. */
	*state = (struct host_gpu_state){
		.memory_used_bytes = NAN,
		.utilization = NAN,
		.memory_utilization = NAN,
		.power_w = NAN,
		.energy_j = NAN,
		.temperature_c = NAN,
		.sm_clock_mhz = NAN,
		.memory_clock_mhz = NAN,
		.pcie_rx_bytes_per_s = NAN,
		.pcie_tx_bytes_per_s = NAN,
		.nvlink_rx_bytes = NAN,
		.nvlink_tx_bytes = NAN,
		.ecc_uncorrected = NAN,
		.throttle = -1,
	};
}

struct host_gpu_look *host_gpu_list_add(struct host_gpu_list *list)
{
	struct host_gpu_look *look = PL_PUSH(list->looks, list->count, list->room);
	/* The array may have moved: pointers returned earlier are invalid. */
	look->facts = (struct host_gpu_facts){
		.index = -1,
		.mig_index = -1,
		.memory_bytes = NAN,
		.power_limit_w = NAN,
		.compute_capability = NAN,
		.numa_node = -1,
		.pcie_generation = -1,
		.pcie_lanes = -1,
		.nvlinks = -1,
	};
	host_gpu_state_init(&look->state);
	return look;
}

void host_gpu_list_done(struct host_gpu_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->looks[i].facts.uuid);
		free(list->looks[i].facts.name);
		free(list->looks[i].facts.pci_bus_id);
		free(list->looks[i].facts.mig_parent);
		host_gpu_process_list_done(&list->looks[i].processes);
	}
	free(list->looks);
	free(list->driver);
	free(list->cuda);
	*list = (struct host_gpu_list){ 0 };
}

void host_gpu_process_add(struct host_gpu_process_list *list, int64_t pid, double memory_bytes,
			  char *name, bool compute)
{
	*PL_PUSH(list->items, list->count, list->room) = (struct host_gpu_process){
		.pid = pid,
		.memory_bytes = memory_bytes,
		.name = name,
		.compute = compute,
	};
}

void host_gpu_process_list_done(struct host_gpu_process_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
	*list = (struct host_gpu_process_list){ 0 };
}

char *host_gpu_clean_text(const char *text)
{
	if (text == NULL)
		return NULL;
	bool is_utf8 = pl_text_is_utf8(text);
	char *copy = pl_strdup(text);
	for (char *at = copy; *at != '\0'; at++) {
		unsigned char c = (unsigned char)*at;
		if (c < ' ' || c == 127 || (c > 127 && !is_utf8))
			*at = '?';
	}
	return copy;
}

/* NVML's nine reasons become five that a reader of a run can act on. */
int64_t host_gpu_throttle_bits(uint64_t nvml_bits)
{
	static const struct {
		uint64_t nvml;
		int64_t ours;
	} bits[] = {
		{ NVML_REASON_SW_POWER_CAP, HOST_GPU_THROTTLE_POWER },
		{ NVML_REASON_SW_THERMAL | NVML_REASON_HW_THERMAL, HOST_GPU_THROTTLE_THERMAL },
		{ NVML_REASON_HW_POWER_BRAKE, HOST_GPU_THROTTLE_BRAKE },
		{ NVML_REASON_SYNC_BOOST | NVML_REASON_APPLICATION_CLOCKS |
			  NVML_REASON_DISPLAY_CLOCK,
		  HOST_GPU_THROTTLE_OTHER },
		{ NVML_REASON_GPU_IDLE, HOST_GPU_THROTTLE_IDLE },
	};
	int64_t ours = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(bits); i++) {
		if (nvml_bits & bits[i].nvml)
			ours |= bits[i].ours;
	}
	/* older drivers report only that hardware slows the GPU down */
	if ((nvml_bits & NVML_REASON_HW_SLOWDOWN) &&
	    !(nvml_bits & (NVML_REASON_HW_THERMAL | NVML_REASON_HW_POWER_BRAKE)))
		ours |= HOST_GPU_THROTTLE_BRAKE;
	return ours;
}

double host_gpu_capability(const char *name)
{
	static const struct {
		const char *titles;
		int capability;
	} models[] = {
#define GPU(name, aliases, titles, memory, platform, capability, ...) { titles, capability },
#include "tbl/hardware.h"
#undef GPU
	};

	for (size_t i = 0; name != NULL && i < PL_ARRAY_SIZE(models); i++) {
		for (const char *at = models[i].titles; *at != '\0'; at += *at == '|') {
			size_t len = strcspn(at, "|");
			/* "NVIDIA A10" begins no "NVIDIA A100" */
			if (models[i].capability > 0 && strncmp(name, at, len) == 0 &&
			    !isalnum((unsigned char)name[len]))
				return models[i].capability / 10.0;
			at += len;
		}
	}
	return NAN;
}
