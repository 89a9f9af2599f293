/*
 * The host's GPUs: their properties, their load and the processes that use them.
 *
 * - Data comes from NVML (loaded at run time; PROFLLM_NVML_LIB names another library) or, without
 *   NVML, from nvidia-smi. No GPU setting is changed.
 * - A value that the driver does not report is NaN, NULL or -1, never zero.
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
	char *name;   /* owned; NULL: unknown */
	bool compute; /* runs compute work; false: graphics only */
};

/* Properties that are constant while the host is up. */
struct host_gpu_facts {
	int index;     /* in PCI order; for an instance, the index of its GPU; -1: unknown */
	int mig_index; /* number of the instance on its GPU; -1: a whole GPU */
	char *uuid;
	char *name;
	char *pci_bus_id;
	double memory_bytes;
	double power_limit_w;
	double compute_capability; /* 9.0 */
	int numa_node;             /* -1: unknown */
	int pcie_generation;       /* the maximum that GPU and host support; -1: unknown */
	int pcie_lanes;            /* likewise */
	int nvlinks;               /* active links; -1: unknown */
	bool ecc;                  /* on */
	bool ecc_reported;         /* false: `ecc` is unknown */
	bool mig;                  /* partitioned: only its instances can be used */
	bool mig_reported;         /* false: `mig` is unknown */
	char *mig_parent;          /* uuid of the GPU of this instance; NULL: a whole GPU */
	bool simulated;            /* reported by a fake library */
};

/* Values that change: one reading. */
struct host_gpu_state {
	double memory_used_bytes;
	double utilization;        /* 0..1, share of time with a kernel running */
	double memory_utilization; /* 0..1, share of time with memory reads or writes */
	double power_w;
	double energy_j; /* since the driver was loaded */
	double temperature_c;
	double sm_clock_mhz;
	double memory_clock_mhz;
	double pcie_rx_bytes_per_s; /* since the previous reading; NaN in the first one */
	double pcie_tx_bytes_per_s;
	double nvlink_rx_bytes; /* counters */
	double nvlink_tx_bytes;
	double ecc_uncorrected; /* errors since the driver was loaded */
	int64_t throttle;       /* HOST_GPU_THROTTLE_* bits; -1: unknown */
};

#define HOST_GPU_THROTTLE_POWER   0x01 /* software power cap */
#define HOST_GPU_THROTTLE_THERMAL 0x02 /* thermal slowdown by software or hardware */
/* hardware power brake, or a hardware slowdown without a reason */
#define HOST_GPU_THROTTLE_BRAKE 0x04
#define HOST_GPU_THROTTLE_OTHER 0x08 /* sync boost, display, application clocks */
#define HOST_GPU_THROTTLE_IDLE  0x10 /* GPU idle: does not count as throttling */

struct host_gpus;
/*
 * Finds the driver. Also returns 0 without a driver: then host_gpus_count() is 0 and
 * host_gpus_why() says what was tried. Returns -1 only if PROFLLM_NVML_LIB names an unusable
 * library.
 */
int host_gpus_open(struct host_gpus **ret, struct pl_err *err) PL_MUST_CHECK;
#define HOST_GPU_TEXT_BYTES_MAX (64u << 20)
/*
 * Reads saved output of `nvidia-smi -q -x`: readings return the values of that text. Errors name
 * `source` and the line, or the format found instead of XML.
 */
int host_gpus_from_text(const char *text, size_t len, const char *source, struct host_gpus **ret,
			struct pl_err *err) PL_MUST_CHECK;
void host_gpus_free(struct host_gpus *gpus);
PL_AUTO_DEFINE(struct host_gpus, host_gpus_free);
#define auto_gpus PL_AUTO(host_gpus_free)

enum host_gpu_source host_gpus_source(const struct host_gpus *gpus);
const char *host_gpus_why(const struct host_gpus *gpus);
const char *host_gpus_driver(const struct host_gpus *gpus); /* NULL: unknown */
const char *host_gpus_cuda(const struct host_gpus *gpus);   /* "12.4"; NULL: unknown */
/* MIG instances are separate entries and follow their GPU. */
size_t host_gpus_count(const struct host_gpus *gpus);
const struct host_gpu_facts *host_gpus_facts(const struct host_gpus *gpus, size_t i);
/*
 * Takes a new reading; one thread at a time per `struct host_gpus`. Takes well under a millisecond
 * with NVML. With nvidia-smi, the second reading of a GPU runs the program again (up to seconds).
 */
void host_gpus_read(struct host_gpus *gpus, size_t i, struct host_gpu_state *ret);
/*
 * Measures PCIe traffic over a short interval if host_gpus_read() did not report it: NVML takes
 * about 40 ms.
 */
void host_gpus_read_pcie(struct host_gpus *gpus, size_t i, struct host_gpu_state *state);
/*
 * Lists the current processes of all users, as far as the driver shows them. Free *ret with
 * host_gpu_processes_free(). Returns -1 if the driver does not list them.
 */
int host_gpus_processes(struct host_gpus *gpus, size_t i, struct host_gpu_process **ret,
			size_t *ret_count);
void host_gpu_processes_free(struct host_gpu_process *processes, size_t count);
/*
 * Returns whether the driver's process ids are valid in this process's PID namespace. A driver
 * reports the host's ids, which mean other processes in a container. A fake library reports ours.
 */
bool host_gpu_pids_are_ours(const struct host_gpu_facts *facts);
/*
 * Returns the names of the bits: "power", "thermal", "brake", "other", "idle". New reference, null
 * for -1.
 */
json_t *host_gpu_throttle_to_json(int64_t throttle);
/* Returns an object with every field under its name, null if unknown. New reference. */
json_t *host_gpu_to_json(const struct host_gpu_facts *facts, const struct host_gpu_state *state);
