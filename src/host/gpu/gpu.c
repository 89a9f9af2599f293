#include "host/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/gpu/gpu_nvml.h"
#include "host/gpu/nvidia_smi.h"
#include "host/proc/program.h"

/*
 * The inode of the first process namespace: PROC_PID_INIT_INO of the kernel's
 * include/linux/proc_ns.h.
 */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCU

/*
 *
 *     NVML (gpu_nvml) ──┐
 *                       ├──> looks (look.h) ──> host_gpus_read(), host_gpus_processes()
 *     nvidia-smi      ──┘
 *
 * One of the sources is chosen once. Each reading queries NVML again. A run of nvidia-smi reports
 * all GPUs at once, so each GPU's part of it is returned once, and only a second reading of a GPU
 * runs the program again.
 */
struct host_gpus {
	enum host_gpu_source source;
	char *why;
	struct host_gpu_list list;
	struct host_nvml *nvml; /* NULL: not the source */
	char *program;          /* nvidia-smi; NULL: a saved text that is never refreshed */
};

/* ---- finding them -------------------------------------------------------- */

void host_gpus_free(struct host_gpus *gpus)
{
	if (gpus == NULL)
		return;
	host_gpu_list_done(&gpus->list);
	host_nvml_free(gpus->nvml);
	free(gpus->program);
	free(gpus->why);
	free(gpus);
}

/* Tries the program because the driver's library is missing. */
static void open_nvidia_smi(struct host_gpus *gpus, const struct pl_err *why_no_library)
{
	struct pl_err err = PL_ERR_INIT;

	if (host_program_find("nvidia-smi", &gpus->program, &err) == 0 &&
	    host_nvidia_smi_read(gpus->program, &gpus->list, &err) == 0) {
		gpus->source = HOST_GPU_NVIDIA_SMI;
		gpus->why = pl_strdup("nvidia-smi reports no GPU");
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
		gpus->why = pl_asprintf("'%s' reports no GPU", library);
		host_gpu_nvml_find(gpus->nvml, &gpus->list);
	} else if (named != NULL) {
		return pl_err_invalid(err, "PROFLLM_NVML_LIB: %s", why.text);
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
	gpus->why = pl_asprintf("'%s' lists no GPU", source);
	if (host_nvidia_smi_parse(text, len, source, &gpus->list, err) < 0)
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
	return gpus->list.driver;
}

const char *host_gpus_cuda(const struct host_gpus *gpus)
{
	return gpus->list.cuda;
}

size_t host_gpus_count(const struct host_gpus *gpus)
{
	return gpus->list.count;
}

const struct host_gpu_facts *host_gpus_facts(const struct host_gpus *gpus, size_t i)
{
	return &gpus->list.looks[i].facts;
}

bool host_gpu_pids_are_ours(const struct host_gpu_facts *facts)
{
	struct stat st;

	return facts->simulated ||
	       (stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PID_NAMESPACE);
}

/* ---- a look at them ------------------------------------------------------ */

/*
 * Finds the GPU in the output of another run: a lost GPU changes the numbers of later ones.
 * Compares the bus ids if both are known, because they do not change.
 */
static struct host_gpu_look *find_same(const struct host_gpu_list *list,
				       const struct host_gpu_facts *facts)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct host_gpu_facts *other = &list->looks[i].facts;
		bool by_bus = facts->pci_bus_id != NULL && other->pci_bus_id != NULL;
		if (other->mig_index == facts->mig_index &&
		    (by_bus ? strcmp(other->pci_bus_id, facts->pci_bus_id) == 0
			    : other->index == facts->index))
			return &list->looks[i];
	}
	return NULL;
}

/* Runs nvidia-smi again before a second reading; values missing from its output become unknown. */
static void refresh(struct host_gpus *gpus, bool given)
{
	struct host_gpu_list now = { 0 };

	if (!given || gpus->program == NULL)
		return;
	/* Does not repeat earlier values: an old value with a new time would be wrong. */
	if (host_nvidia_smi_read(gpus->program, &now, PL_ERR_IGNORED) < 0)
		now.count = 0;
	for (size_t i = 0; i < gpus->list.count; i++) {
		struct host_gpu_look *look = &gpus->list.looks[i];
		struct host_gpu_look *same = find_same(&now, &look->facts);
		host_gpu_process_list_done(&look->processes);
		host_gpu_state_init(&look->state);
		look->state_given = false;
		look->processes_given = false;
		if (same == NULL)
			continue;
		look->state = same->state;
		look->processes = same->processes;
		same->processes = (struct host_gpu_process_list){ 0 };
	}
	host_gpu_list_done(&now);
}

void host_gpus_read(struct host_gpus *gpus, size_t i, struct host_gpu_state *ret)
{
	struct host_gpu_look *look = &gpus->list.looks[i];

	host_gpu_state_init(ret);
	if (gpus->nvml != NULL) {
		host_gpu_nvml_read(gpus->nvml, look, ret);
		return;
	}
	refresh(gpus, look->state_given);
	look->state_given = true;
	*ret = look->state;
}

void host_gpus_read_pcie(struct host_gpus *gpus, size_t i, struct host_gpu_state *state)
{
	if (gpus->nvml != NULL)
		host_gpu_nvml_read_pcie(gpus->nvml, &gpus->list.looks[i], state);
}

int host_gpus_processes(struct host_gpus *gpus, size_t i, struct host_gpu_process **ret,
			size_t *ret_count)
{
	struct host_gpu_look *look = &gpus->list.looks[i];
	struct host_gpu_process_list list = { 0 };

	if (gpus->nvml != NULL) {
		host_gpu_nvml_processes(gpus->nvml, look, &list);
	} else {
		refresh(gpus, look->processes_given);
		look->processes_given = true;
		list.reported = look->processes.reported;
		for (size_t j = 0; j < look->processes.count; j++) {
			const struct host_gpu_process *process = &look->processes.items[j];
			host_gpu_process_add(&list, process->pid, process->memory_bytes,
					     pl_strdup(process->name), process->compute);
		}
	}
	if (!list.reported)
		return -1;
	*ret = list.items;
	*ret_count = list.count;
	return 0;
}

void host_gpu_processes_free(struct host_gpu_process *processes, size_t count)
{
	struct host_gpu_process_list list = { .items = processes, .count = count };

	host_gpu_process_list_done(&list);
}

/* ---- as JSON ------------------------------------------------------------- */

json_t *host_gpu_throttle_to_json(int64_t throttle)
{
	static const struct {
		int64_t bit;
		const char *word;
	} words[] = {
		{ HOST_GPU_THROTTLE_POWER, "power" }, { HOST_GPU_THROTTLE_THERMAL, "thermal" },
		{ HOST_GPU_THROTTLE_BRAKE, "brake" }, { HOST_GPU_THROTTLE_OTHER, "other" },
		{ HOST_GPU_THROTTLE_IDLE, "idle" },
	};

	if (throttle < 0)
		return json_null();
	json_t *list = json_array();
	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		if (throttle & words[i].bit)
			json_array_append_new(list, json_string(words[i].word));
	}
	return list;
}

static json_t *int_or_null(int value)
{
	return pl_json_i64(value, value >= 0);
}

static json_t *bool_or_null(bool value, bool reported)
{
	return reported ? json_boolean(value) : json_null();
}

static void add_state(json_t *object, const struct host_gpu_state *state)
{
	json_object_set_new(object, "memory_used_bytes", pl_json_count(state->memory_used_bytes));
	json_object_set_new(object, "utilization", pl_json_number(state->utilization));
	json_object_set_new(object, "memory_utilization",
			    pl_json_number(state->memory_utilization));
	json_object_set_new(object, "power_w", pl_json_number(state->power_w));
	json_object_set_new(object, "energy_j", pl_json_number(state->energy_j));
	json_object_set_new(object, "temperature_c", pl_json_number(state->temperature_c));
	json_object_set_new(object, "sm_clock_mhz", pl_json_number(state->sm_clock_mhz));
	json_object_set_new(object, "memory_clock_mhz", pl_json_number(state->memory_clock_mhz));
	json_object_set_new(object, "pcie_rx_bytes_per_s",
			    pl_json_number(state->pcie_rx_bytes_per_s));
	json_object_set_new(object, "pcie_tx_bytes_per_s",
			    pl_json_number(state->pcie_tx_bytes_per_s));
	json_object_set_new(object, "nvlink_rx_bytes", pl_json_count(state->nvlink_rx_bytes));
	json_object_set_new(object, "nvlink_tx_bytes", pl_json_count(state->nvlink_tx_bytes));
	json_object_set_new(object, "ecc_uncorrected", pl_json_count(state->ecc_uncorrected));
	json_object_set_new(object, "throttle", host_gpu_throttle_to_json(state->throttle));
}

json_t *host_gpu_to_json(const struct host_gpu_facts *facts, const struct host_gpu_state *state)
{
	json_t *object = json_object();

	json_object_set_new(object, "index", int_or_null(facts->index));
	json_object_set_new(object, "mig_index", int_or_null(facts->mig_index));
	json_object_set_new(object, "uuid", pl_json_text(facts->uuid));
	json_object_set_new(object, "name", pl_json_text(facts->name));
	json_object_set_new(object, "pci_bus_id", pl_json_text(facts->pci_bus_id));
	json_object_set_new(object, "memory_bytes", pl_json_count(facts->memory_bytes));
	json_object_set_new(object, "power_limit_w", pl_json_number(facts->power_limit_w));
	json_object_set_new(object, "compute_capability",
			    pl_json_number(facts->compute_capability));
	json_object_set_new(object, "numa_node", int_or_null(facts->numa_node));
	json_object_set_new(object, "pcie_generation", int_or_null(facts->pcie_generation));
	json_object_set_new(object, "pcie_lanes", int_or_null(facts->pcie_lanes));
	json_object_set_new(object, "nvlinks", int_or_null(facts->nvlinks));
	json_object_set_new(object, "ecc", bool_or_null(facts->ecc, facts->ecc_reported));
	json_object_set_new(object, "mig", bool_or_null(facts->mig, facts->mig_reported));
	json_object_set_new(object, "mig_parent", pl_json_text(facts->mig_parent));
	json_object_set_new(object, "simulated", json_boolean(facts->simulated));
	if (state != NULL)
		add_state(object, state);
	return object;
}
