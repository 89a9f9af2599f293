/*
 * What the sources of GPUs (NVML, nvidia-smi) fill in and gpu.c gives out. Knows neither of them.
 */
#pragma once

#include "host/gpu/gpu.h"

struct nvml_device;

struct host_gpu_process_list {
	struct host_gpu_process *items;
	size_t count;
	size_t room;
	bool told;
};

/* Counters at the read before, for rates. */
struct host_gpu_traffic {
	int64_t at_ns; /* 0: none yet */
	double rx_bytes;
	double tx_bytes;
};

/* One GPU or instance. */
struct host_gpu_look {
	struct host_gpu_facts facts;
	/* NVML only */
	struct nvml_device *device;
	struct host_gpu_traffic traffic;
	/* nvidia-smi only: what the last call told */
	struct host_gpu_state state;
	struct host_gpu_process_list processes;
	bool state_given; /* a second read of it runs nvidia-smi again */
	bool processes_given;
};

/* All zero: no GPU, nothing told. */
struct host_gpu_list {
	char *driver;
	char *cuda;
	struct host_gpu_look *looks; /* an instance follows its GPU */
	size_t count;
	size_t room;
};

/* All of it not told. */
void host_gpu_state_init(struct host_gpu_state *state);
/* A new GPU behind the others, nothing told of it; the pointer is good until the next. */
struct host_gpu_look *host_gpu_list_add(struct host_gpu_list *list);
void host_gpu_list_done(struct host_gpu_list *list);
/* Takes over `name`. */
void host_gpu_process_add(struct host_gpu_process_list *list, int64_t pid, double memory_bytes,
			  char *name, bool compute);
void host_gpu_process_list_done(struct host_gpu_process_list *list);
/* A copy that can be shown and written as JSON: control characters, and bytes that are no UTF-8,
 * are '?'. Names of processes are anybody's choice. NULL gives NULL. */
char *host_gpu_clean_text(const char *text);
/* NVML's bits, in which nvidia-smi answers too, as HOST_GPU_THROTTLE_*. */
int64_t host_gpu_throttle_bits(uint64_t nvml_bits);
/* By the name of the model, which has but one; NaN: not in the table of hardware. */
double host_gpu_capability(const char *name);
