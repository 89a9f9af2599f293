#include "host/gpu/gpu_nvml.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#define BYTES_PER_KIB   1024.0
#define UINT32_STEPS    4294967296.0
#define SYSFS_BYTES_MAX 64
#define PROCESSES_FIRST 32
#define PROCESSES_MAX   65536

/* Calls the function if the library has it. False: the value is unknown. */
#define REPORTED(nvml, member, ...) \
	((nvml)->member != NULL && (nvml)->member(__VA_ARGS__) == NVML_SUCCESS)

/* ---- facts ------------------------------------------------------------------------------- */

/*
 * One byte less is offered than there is: the text ends whatever a library does with a full buffer.
 */
static char *text_of(int (*ask)(struct nvml_device *, char *, unsigned), struct nvml_device *device)
{
	char text[NVML_UUID_BYTES] = "";

	if (ask == NULL || ask(device, text, sizeof(text) - 1) != NVML_SUCCESS || text[0] == '\0')
		return NULL;
	return host_gpu_clean_text(text);
}

/*
 * "00000000:C1:00.0" is 0000:c1:00.0 in sysfs: NVML writes the domain with eight digits. Also
 * returns -1 if the kernel does, as on hosts with one node.
 */
static int numa_node_of_bus(const char *bus_id)
{
	const char *colon = bus_id != NULL ? strchr(bus_id, ':') : NULL;
	int64_t node;

	if (colon == NULL || strchr(bus_id, '/') != NULL)
		return -1;
	if (colon - bus_id == 8 && memcmp(bus_id, "0000", 4) == 0)
		bus_id += 4;
	auto_free char *path = pl_asprintf("/sys/bus/pci/devices/%s/numa_node", bus_id);
	for (char *at = path; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	auto_free char *text = pl_file_text(path, SYSFS_BYTES_MAX, NULL);
	if (text == NULL || !pl_text_to_i64(pl_text_trim(text), &node) || node < 0)
		return -1;
	return (int)node;
}

/* The one node that the GPU's memory is nearest to; -1: none or several. */
static int numa_node_of_affinity(const struct host_nvml *nvml, struct nvml_device *device)
{
	unsigned long words[NVML_NUMA_WORDS] = { 0 };
	int node = -1;

	if (!REPORTED(nvml, memory_affinity, device, NVML_NUMA_WORDS, words, NVML_AFFINITY_NODE))
		return -1;
	for (int i = 0; i < NVML_NUMA_WORDS; i++) {
		if (words[i] == 0)
			continue;
		if (node >= 0 || (words[i] & (words[i] - 1)) != 0)
			return -1;
		node = i * (int)(8 * sizeof(words[i])) + __builtin_ctzl(words[i]);
	}
	return node;
}

static int active_nvlinks(const struct host_nvml *nvml, struct nvml_device *device)
{
	bool reported = false;
	int count = 0;

	/*
	 * Links that a GPU does not have answer with an error: "told" is that one of them answered
	 * at all.
	 */
	for (unsigned link = 0; link < NVML_NVLINKS_MAX; link++) {
		unsigned active = 0;
		if (!REPORTED(nvml, nvlink_state, device, link, &active))
			continue;
		reported = true;
		count += active != 0;
	}
	return reported ? count : -1;
}

/* Returns false if both forms fail (GPUs that share the host's memory). */
static bool read_memory(const struct host_nvml *nvml, struct nvml_device *device, double *total,
			double *used)
{
	/*
	 * Tries the newer form first: the older one counts memory reserved by the driver as used.
	 */
	struct nvml_memory_v2 memory = { .version = NVML_MEMORY_V2 };
	struct nvml_memory older = { 0 };

	if (REPORTED(nvml, memory_v2, device, &memory)) {
		*total = (double)memory.total;
		*used = (double)memory.used;
		return true;
	}
	if (REPORTED(nvml, memory, device, &older)) {
		*total = (double)older.total;
		*used = (double)older.used;
		return true;
	}
	return false;
}

static void read_links(const struct host_nvml *nvml, struct nvml_device *device,
		       struct host_gpu_facts *facts)
{
	struct nvml_pci pci = { 0 };
	unsigned value = 0;

	if (REPORTED(nvml, pci, device, &pci)) {
		pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
		facts->pci_bus_id = host_gpu_clean_text(pci.bus_id);
	}
	if (REPORTED(nvml, pcie_generation, device, &value))
		facts->pcie_generation = (int)value;
	if (REPORTED(nvml, pcie_lanes, device, &value))
		facts->pcie_lanes = (int)value;
	facts->nvlinks = active_nvlinks(nvml, device);
	facts->numa_node = numa_node_of_bus(facts->pci_bus_id);
	if (facts->numa_node < 0)
		facts->numa_node = numa_node_of_affinity(nvml, device);
}

static void read_facts(const struct host_nvml *nvml, struct nvml_device *device,
		       struct host_gpu_facts *facts)
{
	double used;
	int major = 0;
	int minor = 0;
	unsigned value = 0;
	unsigned pending = 0;

	facts->uuid = text_of(nvml->uuid, device);
	facts->name = text_of(nvml->name, device);
	facts->simulated = nvml->pretend_version != NULL;
	read_memory(nvml, device, &facts->memory_bytes, &used);
	if (REPORTED(nvml, power_limit, device, &value))
		facts->power_limit_w = value / 1000.0;
	if (REPORTED(nvml, capability, device, &major, &minor))
		facts->compute_capability = major + minor / 10.0;
	if (REPORTED(nvml, ecc_mode, device, &value, &pending)) {
		facts->ecc = value != 0;
		facts->ecc_reported = true;
	}
	read_links(nvml, device, facts);
}

/* An instance's own answers, and its GPU's where NVML answers for whole GPUs only. */
static void add_instance(const struct host_nvml *nvml, struct host_gpu_list *list, size_t parent,
			 unsigned mig_index, struct nvml_device *device)
{
	struct host_gpu_look *look = host_gpu_list_add(list);
	const struct host_gpu_facts *whole = &list->looks[parent].facts;
	struct host_gpu_facts *facts = &look->facts;
	double used;

	look->device = device;
	facts->index = whole->index;
	facts->mig_index = (int)mig_index;
	facts->uuid = text_of(nvml->uuid, device);
	facts->name = text_of(nvml->name, device);
	facts->pci_bus_id = pl_strdup(whole->pci_bus_id);
	facts->mig_parent = pl_strdup(whole->uuid);
	facts->compute_capability = whole->compute_capability;
	facts->numa_node = whole->numa_node;
	facts->pcie_generation = whole->pcie_generation;
	facts->pcie_lanes = whole->pcie_lanes;
	facts->ecc = whole->ecc;
	facts->ecc_reported = whole->ecc_reported;
	facts->mig_reported = true;
	facts->simulated = whole->simulated;
	read_memory(nvml, device, &facts->memory_bytes, &used);
}

static void find_instances(const struct host_nvml *nvml, struct host_gpu_list *list, size_t parent)
{
	struct nvml_device *device = list->looks[parent].device;
	unsigned count = 0;

	if (!REPORTED(nvml, mig_count, device, &count))
		return;
	for (unsigned i = 0; i < count; i++) {
		struct nvml_device *instance = NULL;
		if (REPORTED(nvml, mig_handle, device, i, &instance))
			add_instance(nvml, list, parent, i, instance);
	}
}

static void find_gpu(const struct host_nvml *nvml, struct host_gpu_list *list, unsigned index)
{
	struct nvml_device *device = NULL;
	unsigned mode = 0;
	unsigned pending = 0;

	/* skip a GPU that is lost or not accessible */
	if (nvml->handle(index, &device) != NVML_SUCCESS)
		return;
	struct host_gpu_look *look = host_gpu_list_add(list);
	look->device = device;
	look->facts.index = (int)index;
	read_facts(nvml, device, &look->facts);
	/* `pending` applies only after the next reset: use the current mode. */
	if (!REPORTED(nvml, mig_mode, device, &mode, &pending))
		return;
	look->facts.mig_reported = true;
	look->facts.mig = mode != 0;
	if (look->facts.mig)
		find_instances(nvml, list, list->count - 1);
}

void host_gpu_nvml_find(const struct host_nvml *nvml, struct host_gpu_list *list)
{
	char driver[NVML_VERSION_BYTES + 1] = "";
	unsigned count = 0;
	int cuda = 0;

	if (REPORTED(nvml, driver_version, driver, NVML_VERSION_BYTES) && driver[0] != '\0')
		list->driver = host_gpu_clean_text(driver);
	/* 12040 is 12.4 */
	if (REPORTED(nvml, cuda_version, &cuda))
		list->cuda = pl_asprintf("%d.%d", cuda / 1000, cuda % 1000 / 10);
	if (nvml->count(&count) != NVML_SUCCESS)
		return;
	for (unsigned i = 0; i < count; i++)
		find_gpu(nvml, list, i);
}

/* ---- state ------------------------------------------------------------------------------- */

static double field_value(const struct nvml_field *field)
{
	if (field->result != NVML_SUCCESS)
		return NAN;
	/* The driver chooses the type: some give the PCIe counters as 32 bits, some as 64. */
	switch (field->type) {
	case NVML_VALUE_DOUBLE:
		return field->value.real;
	case NVML_VALUE_UINT:
		return field->value.uint;
	case NVML_VALUE_ULONG:
		return (double)field->value.ulong;
	case NVML_VALUE_ULONGLONG:
		return (double)field->value.ulonglong;
	case NVML_VALUE_LONGLONG:
		return (double)field->value.longlong;
	default:
		return NAN;
	}
}

/*
 * Bytes a second in one direction, from above: 8 GT/s and more lose 2 in 130 bits, the older rates
 * 2 in 10. A lane of generation 1 carries 0.25 GB/s, and each generation doubles that.
 */
static double pcie_rate_max(const struct host_gpu_facts *facts)
{
	if (facts->pcie_generation <= 0 || facts->pcie_lanes <= 0)
		return INFINITY;
	return 0.25e9 * facts->pcie_lanes * ldexp(1.0, facts->pcie_generation - 1);
}

/*
 * A 32-bit counter wraps, so a decrease is a wrap; the link must be too slow for more than one wrap
 * between two reads.
 */
static double traffic_rate(double before, double now, double seconds, bool narrow,
			   const struct host_gpu_facts *facts)
{
	if (!(seconds > 0) || (narrow && pcie_rate_max(facts) * seconds >= UINT32_STEPS))
		return NAN;
	double bytes = now - before;
	if (bytes < 0 && narrow)
		bytes += UINT32_STEPS;
	return bytes < 0 ? NAN : bytes / seconds;
}

static void read_traffic(const struct host_nvml *nvml, struct host_gpu_look *look,
			 struct host_gpu_state *ret)
{
	struct nvml_field fields[] = {
		{ .field = NVML_FIELD_PCIE_RX_BYTES, .result = NVML_ERROR_NOT_SUPPORTED },
		{ .field = NVML_FIELD_PCIE_TX_BYTES, .result = NVML_ERROR_NOT_SUPPORTED },
		{ .field = NVML_FIELD_NVLINK_RX_KIB,
		  .scope = NVML_FIELD_ALL_LINKS,
		  .result = NVML_ERROR_NOT_SUPPORTED },
		{ .field = NVML_FIELD_NVLINK_TX_KIB,
		  .scope = NVML_FIELD_ALL_LINKS,
		  .result = NVML_ERROR_NOT_SUPPORTED },
	};
	/* missing links would count as zero */
	int count = look->facts.nvlinks > 0 ? 4 : 2;
	struct host_gpu_traffic before = look->traffic;

	/*
	 * A read that fails leaves no counters, and the next one no rate: a rate over a gap would
	 * be a mean of the unknown.
	 */
	look->traffic.at_ns = 0;
	if (!REPORTED(nvml, fields, look->device, count, fields))
		return;
	ret->nvlink_rx_bytes = field_value(&fields[2]) * BYTES_PER_KIB;
	ret->nvlink_tx_bytes = field_value(&fields[3]) * BYTES_PER_KIB;
	look->traffic = (struct host_gpu_traffic){
		.at_ns = pl_clock_now_ns(),
		.rx_bytes = field_value(&fields[0]),
		.tx_bytes = field_value(&fields[1]),
	};
	if (before.at_ns == 0)
		return;
	double seconds = (double)(look->traffic.at_ns - before.at_ns) / PL_NS_PER_S;
	ret->pcie_rx_bytes_per_s = traffic_rate(before.rx_bytes, look->traffic.rx_bytes, seconds,
						fields[0].type == NVML_VALUE_UINT, &look->facts);
	ret->pcie_tx_bytes_per_s = traffic_rate(before.tx_bytes, look->traffic.tx_bytes, seconds,
						fields[1].type == NVML_VALUE_UINT, &look->facts);
}

void host_gpu_nvml_read(const struct host_nvml *nvml, struct host_gpu_look *look,
			struct host_gpu_state *ret)
{
	unsigned long long errors = 0;
	double total;

	read_memory(nvml, look->device, &total, &ret->memory_used_bytes);
	/* the other values belong to the whole GPU: an instance has no separate meters */
	if (look->facts.mig_index >= 0)
		return;
	struct nvml_device *device = look->device;
	struct nvml_utilization utilization = { 0 };
	unsigned long long wide = 0;
	unsigned value = 0;
	if (REPORTED(nvml, utilization, device, &utilization)) {
		ret->utilization = utilization.gpu / 100.0;
		ret->memory_utilization = utilization.memory / 100.0;
	}
	if (REPORTED(nvml, power, device, &value))
		ret->power_w = value / 1000.0;
	if (REPORTED(nvml, energy, device, &wide))
		ret->energy_j = (double)wide / 1000.0;
	if (REPORTED(nvml, temperature, device, NVML_TEMPERATURE_GPU, &value))
		ret->temperature_c = value;
	if (REPORTED(nvml, clock, device, NVML_CLOCK_SM, &value))
		ret->sm_clock_mhz = value;
	if (REPORTED(nvml, clock, device, NVML_CLOCK_MEM, &value))
		ret->memory_clock_mhz = value;
	if (REPORTED(nvml, reasons, device, &wide))
		ret->throttle = host_gpu_throttle_bits(wide);
	if (look->facts.ecc && REPORTED(nvml, ecc_errors, look->device, NVML_ECC_UNCORRECTED,
					NVML_ECC_VOLATILE, &errors))
		ret->ecc_uncorrected = (double)errors;
	read_traffic(nvml, look, ret);
}

void host_gpu_nvml_read_pcie(const struct host_nvml *nvml, const struct host_gpu_look *look,
			     struct host_gpu_state *state)
{
	unsigned rate = 0;

	if (look->facts.mig_index >= 0)
		return;
	if (isnan(state->pcie_rx_bytes_per_s) &&
	    REPORTED(nvml, pcie_rate, look->device, NVML_PCIE_RX, &rate))
		state->pcie_rx_bytes_per_s = rate * 1000.0;
	if (isnan(state->pcie_tx_bytes_per_s) &&
	    REPORTED(nvml, pcie_rate, look->device, NVML_PCIE_TX, &rate))
		state->pcie_tx_bytes_per_s = rate * 1000.0;
}

/* ---- processes --------------------------------------------------------------------------- */

/* One of NVML's two lists: the newer and the older form of its function. */
struct list_function {
	int (*newer)(struct nvml_device *, unsigned *, struct nvml_process *);
	int (*older)(struct nvml_device *, unsigned *, struct nvml_process_v1 *);
	bool compute;
};

static char *process_name(const struct host_nvml *nvml, unsigned pid)
{
	char name[NVML_PROCESS_NAME_BYTES] = "";

	if (nvml->process_name == NULL ||
	    nvml->process_name(pid, name, sizeof(name) - 1) != NVML_SUCCESS || name[0] == '\0')
		return NULL;
	return host_gpu_clean_text(name);
}

static void add_process(const struct host_nvml *nvml, struct host_gpu_process_list *into,
			unsigned pid, unsigned long long used, bool compute)
{
	double bytes = used == NVML_VALUE_NOT_AVAILABLE ? NAN : (double)used;

	/* one that computes and draws is in both lists */
	for (size_t i = 0; i < into->count; i++) {
		if (into->items[i].pid == pid)
			return;
	}
	host_gpu_process_add(into, pid, bytes, process_name(nvml, pid), compute);
}

/* NVML's code. */
static int read_form(const struct host_nvml *nvml, struct nvml_device *device,
		     const struct list_function *function, bool newer,
		     struct host_gpu_process_list *into)
{
	size_t size = newer ? sizeof(struct nvml_process) : sizeof(struct nvml_process_v1);
	auto_free void *list = NULL;
	unsigned room = PROCESSES_FIRST;
	unsigned count;
	int code;

	do {
		list = pl_realloc_array(list, room, size);
		count = room;
		/*
		 * NVML returns the number of processes, but more may start before the next call:
		 * the array doubles until they fit.
		 */
		code = newer ? function->newer(device, &count, list)
			     : function->older(device, &count, list);
		room *= 2;
	} while (code == NVML_ERROR_INSUFFICIENT_SIZE && room <= PROCESSES_MAX);
	if (code != NVML_SUCCESS)
		return code;
	for (unsigned i = 0; i < count; i++) {
		/* the newer struct starts with the fields of the older one */
		const struct nvml_process_v1 *process = (void *)((char *)list + i * size);
		add_process(nvml, into, process->pid, process->used, function->compute);
	}
	return code;
}

static bool read_list(const struct host_nvml *nvml, struct nvml_device *device,
		      const struct list_function *function, struct host_gpu_process_list *into)
{
	int code = NVML_ERROR_FUNCTION_NOT_FOUND;

	if (function->newer != NULL)
		code = read_form(nvml, device, function, true, into);
	/* A newer library on an older driver has the symbol but not the implementation. */
	if (code == NVML_ERROR_FUNCTION_NOT_FOUND && function->older != NULL)
		code = read_form(nvml, device, function, false, into);
	return code == NVML_SUCCESS;
}

void host_gpu_nvml_processes(const struct host_nvml *nvml, const struct host_gpu_look *look,
			     struct host_gpu_process_list *list)
{
	const struct list_function compute = {
		.newer = nvml->compute_processes,
		.older = nvml->compute_processes_v1,
		.compute = true,
	};
	const struct list_function graphics = {
		.newer = nvml->graphics_processes,
		.older = nvml->graphics_processes_v1,
	};

	list->reported = read_list(nvml, look->device, &compute, list);
	/* instances have no graphics processes: no answer means none */
	if (list->reported)
		read_list(nvml, look->device, &graphics, list);
}
