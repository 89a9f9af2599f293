/*
 * The data that the GPU sources (NVML, nvidia-smi) fill in and gpu.c returns. Independent of both.
 */
#pragma once

#include "host/gpu/gpu.h"

struct nvml_device;

struct host_gpu_process_list {
	struct host_gpu_process *items;
	size_t count;
	size_t room;
	bool reported;
};

/* Counters of the previous reading, for rates. */
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
	/* nvidia-smi only: results of the last run */
	struct host_gpu_state state;
	struct host_gpu_process_list processes;
	bool state_given; /* the next reading of `state` runs nvidia-smi again */
	bool processes_given;
};

/* All zero: no GPU, nothing known. */
struct host_gpu_list {
	char *driver;
	char *cuda;
	struct host_gpu_look *looks; /* an instance follows its GPU */
	size_t count;
	size_t room;
};

/* Sets every value to unknown. */
void host_gpu_state_init(struct host_gpu_state *state);
/* Appends a GPU with unknown values; the pointer is valid until the next call. */
struct host_gpu_look *host_gpu_list_add(struct host_gpu_list *list);
void host_gpu_list_done(struct host_gpu_list *list);
/* Takes ownership of `name`. */
void host_gpu_process_add(struct host_gpu_process_list *list, int64_t pid, double memory_bytes,
			  char *name, bool compute);
void host_gpu_process_list_done(struct host_gpu_process_list *list);
/*
 * Returns a copy that is safe to show and to write as JSON: '?' replaces control characters and
 * bytes that are not UTF-8. Process names are untrusted. NULL gives NULL.
 */
char *host_gpu_clean_text(const char *text);
/* Converts NVML's bits, which nvidia-smi also uses, to HOST_GPU_THROTTLE_*. */
int64_t host_gpu_throttle_bits(uint64_t nvml_bits);
/* Returns the compute capability of a GPU model by its name; NaN: not in the table of hardware. */
double host_gpu_capability(const char *name);
