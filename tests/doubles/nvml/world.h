/*
 * The simulated GPUs: made from PRETEND_GPUS at nvmlInit, changed by PRETEND_SET and, while the
 * program runs, by the file PRETEND_FILE.
 *
 *
 * - One world per process, as in NVML. Call pretend_world_lock() before any other function; it also
 *   rereads the file after a change.
 */
#pragma once

#include "host/gpu/nvml.h"
#include "nvml/curve.h"

#define PRETEND_GPUS_MAX      64
#define PRETEND_INSTANCES_MAX 8
#define PRETEND_PROCESSES_MAX 64
#define PRETEND_FAILS_MAX     16

struct pretend_kind {
	const char *word; /* as in PRETEND_GPUS */
	const char *name;
	double memory_mib; /* 0: unset, the host's memory is used */
	double power_limit_w;
	double idle_w;
	int major;
	int minor;
	unsigned pcie_generation;
	unsigned pcie_lanes;
	unsigned nvlinks;
	bool ecc;
	unsigned sm_clock_mhz;
	unsigned memory_clock_mhz;
};

struct pretend_process {
	unsigned pid;
	double bytes;
	bool graphics;
	bool while_alive; /* shown only as long as the process lives */
	char name[64];
};

/* A function that fails: with `code`, from the call after `after` on. */
struct pretend_fail {
	char function[64];
	int code;
	unsigned long after;
	unsigned long calls;
};

/* The state of a GPU or an instance. */
struct pretend_state {
	double memory_used_bytes; /* besides its processes' */
	double utilization;       /* percent */
	double memory_utilization;
	double temperature_c;
	double sm_clock_mhz;
	double memory_clock_mhz;
	double ecc_uncorrected;
	double pcie_rx_bytes_per_s;
	double pcie_tx_bytes_per_s;
	double nvlink_rx_bytes_per_s;
	double nvlink_tx_bytes_per_s;
	double energy_wrap_j; /* the counter restarts at this value; 0: never */
	unsigned long throttle;
	struct pretend_curve power;
	double energy_offset_j; /* keeps the counter steady when the curve changes */
	char vanish[128];       /* ",energy,power," */
	struct pretend_fail fails[PRETEND_FAILS_MAX];
	size_t fail_count;
	struct pretend_process processes[PRETEND_PROCESSES_MAX];
	size_t process_count;
};

/* The target of a handle. */
struct nvml_device {
	const struct pretend_kind *kind;
	struct nvml_device *parent; /* NULL: a whole GPU */
	unsigned index;             /* of an instance: on its GPU */
	int numa_node;
	double memory_mib;
	char profile[32]; /* "1g.10gb" */
	struct pretend_state state;
	struct nvml_device *instances;
	unsigned instance_count;
};

struct pretend_world {
	unsigned users; /* nvmlInit calls without nvmlShutdown */
	unsigned seed;
	struct nvml_device gpus[PRETEND_GPUS_MAX];
	unsigned count;
	struct pretend_state
		system; /* what settings for all GPUs say; for functions without a GPU */
};

struct pretend_world *pretend_world_lock(void);
void pretend_world_unlock(void);
/* NVML's code; says on standard error what is wrong with PRETEND_*. */
int pretend_world_init(struct pretend_world *world);
void pretend_world_done(struct pretend_world *world);

/* kinds.c: the GPUs of a text as "2xH100,1xL4:numa=1". */
bool pretend_world_add_gpus(struct pretend_world *world, const char *text);
/* settings.c: lines "KEY = VALUE" (also separated by ';'); false: `fault` says where. */
bool pretend_world_set(struct pretend_world *world, const char *text, char *fault, size_t room);

double pretend_now_s(void);
double pretend_energy_j(const struct pretend_state *state, double t_s);
/* Does the process of this row count now? */
bool pretend_process_shown(const struct pretend_process *process);
