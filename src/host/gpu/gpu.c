#include "host/gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "host/gpu/gpu_priv.h"
#include "host/gpu/nvidia_smi.h"
#include "host/proc/program.h"

/* The inode of the first process namespace. */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCU

void host_gpu_facts_init(struct host_gpu_facts *facts)
{
	*facts = (struct host_gpu_facts){
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
}

void host_gpu_state_init(struct host_gpu_state *state)
{
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

bool host_gpu_pids_are_ours(const struct host_gpu_facts *facts)
{
	struct stat st;

	return facts->simulated ||
	       (stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PID_NAMESPACE);
}

struct host_gpu_look *host_gpus_add(struct host_gpus *gpus)
{
	pl_grow((void **)&gpus->looks, &gpus->room, gpus->count + 1, sizeof(*gpus->looks));
	struct host_gpu_look *look = &gpus->looks[gpus->count++];
	host_gpu_facts_init(&look->facts);
	host_gpu_state_init(&look->state);
	return look;
}

void host_gpu_add_process(struct host_gpu_look *look, int64_t pid, double memory_bytes, char *name,
			  bool compute)
{
	pl_grow((void **)&look->processes, &look->process_room, look->process_count + 1,
		sizeof(*look->processes));
	look->processes[look->process_count++] = (struct host_gpu_process){
		.pid = pid,
		.memory_bytes = memory_bytes,
		.name = name,
		.compute = compute,
	};
}

void host_gpu_clear_processes(struct host_gpu_look *look)
{
	host_gpu_processes_free(look->processes, look->process_count);
	look->processes = NULL;
	look->process_count = 0;
	look->process_room = 0;
}

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
	/* older drivers say no more than that hardware slows it down */
	if ((nvml_bits & NVML_REASON_HW_SLOWDOWN) &&
	    !(nvml_bits & (NVML_REASON_HW_THERMAL | NVML_REASON_HW_POWER_BRAKE)))
		ours |= HOST_GPU_THROTTLE_BRAKE;
	return ours;
}

void host_gpu_processes_free(struct host_gpu_process *processes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(processes[i].name);
	free(processes);
}

void host_gpu_look_done(struct host_gpu_look *look)
{
	free(look->facts.uuid);
	free(look->facts.name);
	free(look->facts.pci_bus_id);
	free(look->facts.mig_parent);
	host_gpu_clear_processes(look);
}

void host_gpus_free(struct host_gpus *gpus)
{
	if (gpus == NULL)
		return;
	for (size_t i = 0; i < gpus->count; i++)
		host_gpu_look_done(&gpus->looks[i]);
	free(gpus->looks);
	host_nvml_free(gpus->nvml);
	free(gpus->program);
	free(gpus->why);
	free(gpus->driver);
	free(gpus->cuda);
	free(gpus);
}

/* The driver's library is not there: its program may be. */
static void open_nvidia_smi(struct host_gpus *gpus, const struct pl_err *why_no_library)
{
	struct pl_err err = PL_ERR_INIT;

	if (host_program_find("nvidia-smi", &gpus->program, &err) == 0 &&
	    host_gpus_smi_read(gpus, &err) == 0) {
		gpus->source = HOST_GPU_NVIDIA_SMI;
		gpus->why = pl_strdup("nvidia-smi knows of no GPU");
		return;
	}
	gpus->why = pl_asprintf("%s; %s", why_no_library->text, err.text);
}

int host_gpus_open(struct host_gpus **ret, struct pl_err *err)
{
	auto_gpus struct host_gpus *gpus = pl_alloc(sizeof(*gpus));
	const char *named = getenv("PROFLLM_NVML_LIB");
	struct pl_err why = PL_ERR_INIT;

	if (named != NULL && named[0] == '\0')
		named = NULL;
	const char *library = named != NULL ? named : NVML_LIBRARY;
	if (host_nvml_open(library, &gpus->nvml, &why) == 0) {
		gpus->source = HOST_GPU_NVML;
		gpus->why = pl_asprintf("'%s' knows of no GPU", library);
		host_gpus_nvml_find(gpus);
	} else if (named != NULL) {
		return pl_err_set(err, PL_ERR_INVALID, "PROFLLM_NVML_LIB: %s", why.text);
	} else {
		open_nvidia_smi(gpus, &why);
	}
	*ret = pl_take(gpus);
	return 0;
}

int host_gpus_from_text(const char *text, size_t len, const char *source, struct host_gpus **ret,
			struct pl_err *err)
{
	auto_gpus struct host_gpus *gpus = pl_alloc(sizeof(*gpus));

	gpus->source = HOST_GPU_NVIDIA_SMI;
	gpus->why = pl_asprintf("'%s' names no GPU", source);
	if (host_nvidia_smi_parse(text, len, source, gpus, err) < 0)
		return -1;
	*ret = pl_take(gpus);
	return 0;
}

enum host_gpu_source host_gpus_source(const struct host_gpus *gpus)
{
	return gpus->source;
}

const char *host_gpus_why(const struct host_gpus *gpus)
{
	return gpus->why;
}

const char *host_gpus_driver(const struct host_gpus *gpus)
{
	return gpus->driver;
}

const char *host_gpus_cuda(const struct host_gpus *gpus)
{
	return gpus->cuda;
}

size_t host_gpus_count(const struct host_gpus *gpus)
{
	return gpus->count;
}

const struct host_gpu_facts *host_gpus_facts(const struct host_gpus *gpus, size_t i)
{
	return &gpus->looks[i].facts;
}

/* A second read of anything needs a new call; one that fails tells nothing. */
static void refresh(struct host_gpus *gpus, bool given)
{
	struct pl_err err = PL_ERR_INIT;

	if (!given || gpus->program == NULL || host_gpus_smi_read(gpus, &err) == 0)
		return;
	for (size_t i = 0; i < gpus->count; i++) {
		host_gpu_state_init(&gpus->looks[i].state);
		host_gpu_clear_processes(&gpus->looks[i]);
		gpus->looks[i].processes_told = false;
	}
}

void host_gpus_read(struct host_gpus *gpus, size_t i, struct host_gpu_state *ret)
{
	struct host_gpu_look *look = &gpus->looks[i];

	host_gpu_state_init(ret);
	if (gpus->nvml != NULL) {
		host_gpus_nvml_read(gpus, look, ret);
		return;
	}
	refresh(gpus, look->state_given);
	look->state_given = true;
	*ret = look->state;
}

void host_gpus_read_pcie(struct host_gpus *gpus, size_t i, struct host_gpu_state *state)
{
	if (gpus->nvml != NULL)
		host_gpus_nvml_read_pcie(gpus, &gpus->looks[i], state);
}

int host_gpus_processes(struct host_gpus *gpus, size_t i, struct host_gpu_process **ret,
			size_t *ret_count)
{
	struct host_gpu_look *look = &gpus->looks[i];

	if (gpus->nvml != NULL)
		return host_gpus_nvml_processes(gpus, look, ret, ret_count);
	refresh(gpus, look->processes_given);
	look->processes_given = true;
	if (!look->processes_told)
		return -1;
	struct host_gpu_look copy = { 0 };
	for (size_t j = 0; j < look->process_count; j++)
		host_gpu_add_process(&copy, look->processes[j].pid, look->processes[j].memory_bytes,
				     pl_strdup(look->processes[j].name),
				     look->processes[j].compute);
	*ret = copy.processes;
	*ret_count = copy.process_count;
	return 0;
}
