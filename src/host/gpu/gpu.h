/*
 * The host's GPUs: what they are, how busy they are, who uses them.
 *
 * - Read through NVML (opened at run time, PROFLLM_NVML_LIB names another library) or, where there
 *   is none, through nvidia-smi. Nothing is changed on a GPU.
 * - NaN, NULL and -1 stand for what the driver does not tell; zero is never a stand-in.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

enum host_gpu_source { HOST_GPU_NONE, HOST_GPU_NVML, HOST_GPU_NVIDIA_SMI };

/* A process that has memory on a GPU. */
struct host_gpu_process {
	int64_t pid;
	double memory_bytes;
	char *name;   /* owned; NULL: not told */
	bool compute; /* computes; false: draws only */
};

/* What does not change while the host is up. */
struct host_gpu_facts {
	int index;     /* in PCI order, of an instance its GPU's; -1: not told */
	int mig_index; /* of an instance on its GPU; -1: a whole GPU */
	char *uuid;
	char *name;
	char *pci_bus_id;
	double memory_bytes;
	double power_limit_w;
	double compute_capability; /* 9.0 */
	int numa_node;             /* -1: not told */
	int pcie_generation;       /* at most, of GPU and host; -1: not told */
	int pcie_lanes;            /* as above */
	int nvlinks;               /* active links; -1: not told */
	bool ecc;                  /* on */
	bool ecc_told;             /* false: `ecc` says nothing */
	bool mig;                  /* partitioned: only its instances can be used */
	bool mig_told;             /* false: `mig` says nothing */
	char *mig_parent; /* uuid of the GPU that this instance is part of; NULL: a whole GPU */
	bool simulated;   /* a pretend library's */
};

/* What changes: one look. */
struct host_gpu_state {
	double memory_used_bytes;
	double utilization;        /* 0..1, of the time with a kernel running */
	double memory_utilization; /* 0..1, of the time with memory read or written */
	double power_w;
	double energy_j; /* since the driver was loaded */
	double temperature_c;
	double sm_clock_mhz;
	double memory_clock_mhz;
	double pcie_rx_bytes_per_s; /* since the read before; NaN in the first */
	double pcie_tx_bytes_per_s;
	double nvlink_rx_bytes; /* counters */
	double nvlink_tx_bytes;
	double ecc_uncorrected; /* errors since the driver was loaded */
	int64_t throttle;       /* HOST_GPU_THROTTLE_* bits; -1: not told */
};

#define HOST_GPU_THROTTLE_POWER   0x01 /* software power cap */
#define HOST_GPU_THROTTLE_THERMAL 0x02 /* slowed down for heat, by software or hardware */
#define HOST_GPU_THROTTLE_BRAKE   0x04 /* hardware power brake, or hardware that does not say why */
#define HOST_GPU_THROTTLE_OTHER   0x08 /* sync boost, display, application clocks */
#define HOST_GPU_THROTTLE_IDLE    0x10 /* nothing to do: no throttling in our sense */

struct host_gpus;
/*
 * Finds the driver. 0 also where there is none: host_gpus_count() is then 0 and host_gpus_why()
 * says what was tried. -1 only where PROFLLM_NVML_LIB names a library that cannot be used.
 */
int host_gpus_open(struct host_gpus **ret, struct pl_err *err) PL_MUST_CHECK;
#define HOST_GPU_TEXT_BYTES_MAX (64u << 20)
/*
 * What `nvidia-smi -q -x` once printed: reads give what stands there. Errors name `source` and the
 * line, or what was found in place of XML.
 */
int host_gpus_from_text(const char *text, size_t len, const char *source, struct host_gpus **ret,
			struct pl_err *err) PL_MUST_CHECK;
void host_gpus_free(struct host_gpus *gpus);
PL_AUTO_DEFINE(struct host_gpus, host_gpus_free);
#define auto_gpus PL_AUTO(host_gpus_free)

enum host_gpu_source host_gpus_source(const struct host_gpus *gpus);
const char *host_gpus_why(const struct host_gpus *gpus);
const char *host_gpus_driver(const struct host_gpus *gpus); /* NULL: not told */
const char *host_gpus_cuda(const struct host_gpus *gpus);   /* "12.4"; NULL: not told */
/* MIG instances follow their GPU as entries of their own. */
size_t host_gpus_count(const struct host_gpus *gpus);
const struct host_gpu_facts *host_gpus_facts(const struct host_gpus *gpus, size_t i);
/*
 * Reads anew; one thread at a time a `struct host_gpus`. Through NVML well under a millisecond;
 * through nvidia-smi a program runs (up to seconds) whenever a GPU is read a second time.
 */
void host_gpus_read(struct host_gpus *gpus, size_t i, struct host_gpu_state *ret);
/* PCIe traffic of one short moment, where host_gpus_read() told none: NVML measures for some 40
 * ms. */
void host_gpus_read_pcie(struct host_gpus *gpus, size_t i, struct host_gpu_state *state);
/* Processes now, of all users as far as the driver shows them. *ret: host_gpu_processes_free(). -1:
 * the driver does not tell. */
int host_gpus_processes(struct host_gpus *gpus, size_t i, struct host_gpu_process **ret,
			size_t *ret_count);
void host_gpu_processes_free(struct host_gpu_process *processes, size_t count);
/*
 * Are the numbers of its processes this one's too? A driver counts as the host does: in a container
 * the same number is another's. A pretend library tells ours.
 */
bool host_gpu_pids_are_ours(const struct host_gpu_facts *facts);
/* "power", "thermal", "brake", "other", "idle": the words of the bits. New reference, null for
 * -1. */
json_t *host_gpu_throttle_to_json(int64_t throttle);
/* An object with every field by its name, null where not told. New reference. */
json_t *host_gpu_to_json(const struct host_gpu_facts *facts, const struct host_gpu_state *state);
