/*
 * What the readers of GPUs (NVML, nvidia-smi) fill in and gpu.c gives out.
 */
#ifndef HOST_GPU_GPU_PRIV_H
#define HOST_GPU_GPU_PRIV_H

#include "host/gpu/gpu.h"
#include "host/gpu/nvml.h"

/* Counters at the read before, for rates. */
struct host_gpu_traffic {
	int64_t at_ns; /* 0: none yet */
	double rx_bytes;
	double tx_bytes;
};

/* One GPU or instance. */
struct host_gpu_look {
	struct host_gpu_facts facts;
	struct nvml_device *device; /* NVML only */
	struct host_gpu_traffic traffic;
	/* nvidia-smi only: what the last call told */
	struct host_gpu_state state;
	struct host_gpu_process *processes;
	size_t process_count;
	size_t process_room;
	bool processes_told;
	bool state_given; /* a second read of it runs nvidia-smi again */
	bool processes_given;
};

struct host_gpus {
	enum host_gpu_source source;
	char *why;
	char *driver;
	char *cuda;
	struct host_gpu_look *looks;
	size_t count;
	size_t room;
	struct host_nvml *nvml;
	char *program; /* nvidia-smi; NULL: a text that is never read anew */
};

/* All of it not told. */
void host_gpu_facts_init(struct host_gpu_facts *facts);
void host_gpu_state_init(struct host_gpu_state *state);
/* A new GPU behind the others; the pointer is good until the next. */
struct host_gpu_look *host_gpus_add(struct host_gpus *gpus);
/* Takes over `name`. */
void host_gpu_add_process(struct host_gpu_look *look, int64_t pid, double memory_bytes, char *name,
			  bool compute);
void host_gpu_look_done(struct host_gpu_look *look);
void host_gpu_clear_processes(struct host_gpu_look *look);
/* A copy that can be shown and written as JSON: control characters, and bytes that are no UTF-8,
 * are '?'. Names of processes are anybody's choice. NULL gives NULL. */
char *host_gpu_clean_text(const char *text);
/* NVML's bits as HOST_GPU_THROTTLE_*. */
int64_t host_gpu_throttle_bits(uint64_t nvml_bits);

/* Runs nvidia-smi (gpus->program); the GPUs of the call before, if any, stay in their places. */
int host_gpus_smi_read(struct host_gpus *gpus, struct pl_err *err) PL_MUST_CHECK;

/* Finds the GPUs of gpus->nvml. */
void host_gpus_nvml_find(struct host_gpus *gpus);
void host_gpus_nvml_read(struct host_gpus *gpus, struct host_gpu_look *look,
			 struct host_gpu_state *ret);
void host_gpus_nvml_read_pcie(struct host_gpus *gpus, struct host_gpu_look *look,
			      struct host_gpu_state *state);
int host_gpus_nvml_processes(struct host_gpus *gpus, struct host_gpu_look *look,
			     struct host_gpu_process **ret, size_t *ret_count);

#endif
