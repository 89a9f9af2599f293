#include "host/gpu/gpu.h"

#include <math.h>

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

/* Whole numbers as such: bytes, counters. */
static json_t *count_or_null(double value)
{
	if (!isfinite(value))
		return json_null();
	return json_integer((json_int_t)llround(value));
}

static json_t *int_or_null(int value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static json_t *bool_or_null(bool value, bool told)
{
	return told ? json_boolean(value) : json_null();
}

static void add_facts(json_t *object, const struct host_gpu_facts *facts)
{
	json_object_set_new(object, "index", int_or_null(facts->index));
	json_object_set_new(object, "mig_index", int_or_null(facts->mig_index));
	json_object_set_new(object, "uuid", pl_json_text(facts->uuid));
	json_object_set_new(object, "name", pl_json_text(facts->name));
	json_object_set_new(object, "pci_bus_id", pl_json_text(facts->pci_bus_id));
	json_object_set_new(object, "memory_bytes", count_or_null(facts->memory_bytes));
	json_object_set_new(object, "power_limit_w", pl_json_number(facts->power_limit_w));
	json_object_set_new(object, "compute_capability",
			    pl_json_number(facts->compute_capability));
	json_object_set_new(object, "numa_node", int_or_null(facts->numa_node));
	json_object_set_new(object, "pcie_generation", int_or_null(facts->pcie_generation));
	json_object_set_new(object, "pcie_lanes", int_or_null(facts->pcie_lanes));
	json_object_set_new(object, "nvlinks", int_or_null(facts->nvlinks));
	json_object_set_new(object, "ecc", bool_or_null(facts->ecc, facts->ecc_told));
	json_object_set_new(object, "mig", bool_or_null(facts->mig, facts->mig_told));
	json_object_set_new(object, "mig_parent", pl_json_text(facts->mig_parent));
	json_object_set_new(object, "simulated", json_boolean(facts->simulated));
}

static void add_state(json_t *object, const struct host_gpu_state *state)
{
	json_object_set_new(object, "memory_used_bytes", count_or_null(state->memory_used_bytes));
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
	json_object_set_new(object, "nvlink_rx_bytes", count_or_null(state->nvlink_rx_bytes));
	json_object_set_new(object, "nvlink_tx_bytes", count_or_null(state->nvlink_tx_bytes));
	json_object_set_new(object, "ecc_uncorrected", count_or_null(state->ecc_uncorrected));
	json_object_set_new(object, "throttle", host_gpu_throttle_to_json(state->throttle));
}

json_t *host_gpu_to_json(const struct host_gpu_facts *facts, const struct host_gpu_state *state)
{
	json_t *object = json_object();

	add_facts(object, facts);
	if (state != NULL)
		add_state(object, state);
	return object;
}
