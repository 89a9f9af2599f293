#include "host/gpu/nvidia_smi_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BYTES_PER_MIB   (1024.0 * 1024.0)
#define NUMBER_BYTES    32
#define REASON_PREFIXES 4

enum kind {
	KIND_TEXT,   /* char * */
	KIND_BYTES,  /* double */
	KIND_NUMBER, /* double, times the row's scale */
	KIND_ADD,    /* as KIND_NUMBER, parts of a sum */
	KIND_INT,    /* int */
	KIND_ECC,
	KIND_MIG,
};

/* `fallback`: only where nothing better was told before. */
static const struct row {
	const char *csv;
	const char *xml;
	enum kind kind;
	size_t offset;
	double scale;
	bool fallback;
} rows[] = {
#define FACT(field)  offsetof(struct host_gpu_look, facts.field)
#define STATE(field) offsetof(struct host_gpu_look, state.field)
	{ "name", "product_name", KIND_TEXT, FACT(name), 0, false },
	{ "gpu_name", NULL, KIND_TEXT, FACT(name), 0, false },
	{ "uuid", "uuid", KIND_TEXT, FACT(uuid), 0, false },
	{ "gpu_uuid", NULL, KIND_TEXT, FACT(uuid), 0, false },
	{ "pci.bus_id", "pci/pci_bus_id", KIND_TEXT, FACT(pci_bus_id), 0, false },
	{ "gpu_bus_id", NULL, KIND_TEXT, FACT(pci_bus_id), 0, false },
	{ "index", NULL, KIND_INT, FACT(index), 0, false },
	{ "memory.total", "fb_memory_usage/total", KIND_BYTES, FACT(memory_bytes), 0, false },
	{ "memory.used", "fb_memory_usage/used", KIND_BYTES, STATE(memory_used_bytes), 0, false },
	{ "enforced.power.limit", "power_readings/enforced_power_limit", KIND_NUMBER,
	  FACT(power_limit_w), 1, false },
	{ NULL, "gpu_power_readings/current_power_limit", KIND_NUMBER, FACT(power_limit_w), 1,
	  false },
	{ "power.limit", "power_readings/power_limit", KIND_NUMBER, FACT(power_limit_w), 1, true },
	{ "power.draw", "power_readings/power_draw", KIND_NUMBER, STATE(power_w), 1, false },
	{ NULL, "gpu_power_readings/power_draw", KIND_NUMBER, STATE(power_w), 1, false },
	{ "power.draw.average", "gpu_power_readings/average_power_draw", KIND_NUMBER,
	  STATE(power_w), 1, true },
	{ "power.draw.instant", "gpu_power_readings/instant_power_draw", KIND_NUMBER,
	  STATE(power_w), 1, true },
	{ "compute_cap", NULL, KIND_NUMBER, FACT(compute_capability), 1, false },
	{ "pcie.link.gen.max", "pci/pci_gpu_link_info/pcie_gen/max_link_gen", KIND_INT,
	  FACT(pcie_generation), 0, false },
	{ "pcie.link.width.max", "pci/pci_gpu_link_info/link_widths/max_link_width", KIND_INT,
	  FACT(pcie_lanes), 0, false },
	{ "ecc.mode.current", "ecc_mode/current_ecc", KIND_ECC, 0, 0, false },
	{ "mig.mode.current", "mig_mode/current_mig", KIND_MIG, 0, 0, false },
	{ "utilization.gpu", "utilization/gpu_util", KIND_NUMBER, STATE(utilization), 0.01, false },
	{ "utilization.memory", "utilization/memory_util", KIND_NUMBER, STATE(memory_utilization),
	  0.01, false },
	{ "temperature.gpu", "temperature/gpu_temp", KIND_NUMBER, STATE(temperature_c), 1, false },
	{ "clocks.current.sm", "clocks/sm_clock", KIND_NUMBER, STATE(sm_clock_mhz), 1, false },
	{ "clocks.sm", NULL, KIND_NUMBER, STATE(sm_clock_mhz), 1, false },
	{ "clocks.current.memory", "clocks/mem_clock", KIND_NUMBER, STATE(memory_clock_mhz), 1,
	  false },
	{ "clocks.mem", NULL, KIND_NUMBER, STATE(memory_clock_mhz), 1, false },
	{ NULL, "pci/rx_util", KIND_NUMBER, STATE(pcie_rx_bytes_per_s), 1000, false },
	{ NULL, "pci/tx_util", KIND_NUMBER, STATE(pcie_tx_bytes_per_s), 1000, false },
	{ "ecc.errors.uncorrected.volatile.total", "ecc_errors/volatile/double_bit/total",
	  KIND_NUMBER, STATE(ecc_uncorrected), 1, false },
	{ NULL, "ecc_errors/volatile/sram_uncorrectable", KIND_ADD, STATE(ecc_uncorrected), 1,
	  false },
	{ NULL, "ecc_errors/volatile/sram_uncorrectable_parity", KIND_ADD, STATE(ecc_uncorrected),
	  1, false },
	{ NULL, "ecc_errors/volatile/sram_uncorrectable_secded", KIND_ADD, STATE(ecc_uncorrected),
	  1, false },
	{ NULL, "ecc_errors/volatile/dram_uncorrectable", KIND_ADD, STATE(ecc_uncorrected), 1,
	  false },
#undef FACT
#undef STATE
};

static const struct {
	const char *name;
	uint64_t bit;
} reasons[] = {
	{ "gpu_idle", NVML_REASON_GPU_IDLE },
	{ "applications_clocks_setting", NVML_REASON_APPLICATION_CLOCKS },
	{ "sw_power_cap", NVML_REASON_SW_POWER_CAP },
	{ "hw_slowdown", NVML_REASON_HW_SLOWDOWN },
	{ "hw_thermal_slowdown", NVML_REASON_HW_THERMAL },
	{ "hw_power_brake_slowdown", NVML_REASON_HW_POWER_BRAKE },
	{ "sync_boost", NVML_REASON_SYNC_BOOST },
	{ "sw_thermal_slowdown", NVML_REASON_SW_THERMAL },
	{ "display_clocks_setting", NVML_REASON_DISPLAY_CLOCK },
};

/* What drivers up to 530 called throttle reasons are event reasons since. */
static const char *const reason_prefixes[REASON_PREFIXES] = {
	"clocks_event_reasons.",
	"clocks_throttle_reasons.",
	"clocks_event_reasons/clocks_event_reason_",
	"clocks_throttle_reasons/clocks_throttle_reason_",
};

double host_smi_number(const char *text)
{
	char number[NUMBER_BYTES];
	size_t len = strspn(text, "+-.0123456789");
	double value;

	if (len == 0 || len >= sizeof(number))
		return NAN;
	memcpy(number, text, len);
	number[len] = '\0';
	return pl_text_to_f64(number, &value) ? value : NAN;
}

double host_smi_bytes(const char *text)
{
	static const struct {
		const char *unit;
		double bytes;
	} units[] = {
		{ "", BYTES_PER_MIB }, { "MiB", BYTES_PER_MIB },
		{ "KiB", 1024.0 },     { "GiB", 1024.0 * BYTES_PER_MIB },
		{ "B", 1.0 },
	};
	const char *unit = text + strspn(text, "+-.0123456789");

	unit += strspn(unit, " ");
	for (size_t i = 0; i < PL_ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].unit) == 0)
			return host_smi_number(text) * units[i].bytes;
	}
	return NAN;
}

/* "N/A", "Requested functionality has been …", and all that nvidia-smi puts into brackets. */
static bool says_nothing(const char *text)
{
	static const char *const words[] = {
		"", "N/A", "Not Supported", "Not Available", "Unknown Error", "ERR!",
	};

	if (text[0] == '[' || pl_text_starts(text, "Requested functionality"))
		return true;
	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	return false;
}

char *host_smi_text(const char *text)
{
	return says_nothing(text) ? NULL : host_gpu_clean_text(text);
}

void host_smi_set_text(char **owner, const char *text)
{
	char *copy = host_smi_text(text);

	if (copy == NULL)
		return;
	free(*owner);
	*owner = copy;
}

void host_smi_set_int(int *field, const char *text)
{
	double number = host_smi_number(text);

	if (number >= 0 && number < 1e6)
		*field = (int)number;
}

bool host_smi_is_compute(const char *type)
{
	return strchr(type, 'C') != NULL;
}

static void set_number(const struct row *row, double *field, const char *text)
{
	double value = row->kind == KIND_BYTES ? host_smi_bytes(text)
					       : host_smi_number(text) * row->scale;

	if (isnan(value) || (row->fallback && !isnan(*field)))
		return;
	*field = row->kind == KIND_ADD && !isnan(*field) ? *field + value : value;
}

static void set_switch(bool *on, bool *told, const char *text)
{
	bool enabled = strcmp(text, "Enabled") == 0;

	if (!enabled && strcmp(text, "Disabled") != 0)
		return;
	*on = enabled;
	*told = true;
}

static void set_row(const struct row *row, struct host_gpu_look *look, const char *text)
{
	char *field = (char *)look + row->offset;

	switch (row->kind) {
	case KIND_TEXT:
		host_smi_set_text((char **)field, text);
		break;
	case KIND_BYTES:
	case KIND_NUMBER:
	case KIND_ADD:
		set_number(row, (double *)field, text);
		break;
	case KIND_INT:
		host_smi_set_int((int *)field, text);
		break;
	case KIND_ECC:
		set_switch(&look->facts.ecc, &look->facts.ecc_told, text);
		break;
	case KIND_MIG:
		set_switch(&look->facts.mig, &look->facts.mig_told, text);
		break;
	}
}

static void set_reason(struct host_smi_values *values, const char *name, const char *text)
{
	bool active = strcmp(text, "Active") == 0;

	if (strcmp(name, "active") == 0 && pl_text_starts(text, "0x")) {
		values->reasons |= strtoull(text, NULL, 16);
		values->reasons_told = true;
	}
	if (!active && strcmp(text, "Not Active") != 0)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(reasons); i++) {
		if (strcmp(reasons[i].name, name) != 0)
			continue;
		values->reasons |= active ? reasons[i].bit : 0;
		values->reasons_told = true;
	}
}

static const char *reason_name(const char *name)
{
	for (size_t i = 0; i < REASON_PREFIXES; i++) {
		if (pl_text_starts(name, reason_prefixes[i]))
			return name + strlen(reason_prefixes[i]);
	}
	return NULL;
}

static const struct row *find_row(const char *csv, const char *xml)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if ((csv != NULL && pl_text_equal(rows[i].csv, csv)) ||
		    (xml != NULL && pl_text_equal(rows[i].xml, xml)))
			return &rows[i];
	}
	return NULL;
}

bool host_smi_is_column(const char *column)
{
	return find_row(column, NULL) != NULL || strcmp(column, "driver_version") == 0 ||
	       strcmp(column, "kmd_version") == 0;
}

static void set(struct host_smi_values *values, const struct row *row, const char *name,
		const char *text)
{
	const char *reason = reason_name(name);

	if (reason != NULL)
		set_reason(values, reason, text);
	else if (row != NULL)
		set_row(row, values->look, text);
}

void host_smi_set_csv(struct host_smi_values *values, const char *column, const char *text)
{
	set(values, find_row(column, NULL), column, text);
}

void host_smi_set_xml(struct host_smi_values *values, const char *path, const char *text)
{
	set(values, find_row(NULL, path), path, text);
}

void host_smi_end_values(struct host_smi_values *values)
{
	if (values->reasons_told)
		values->look->state.throttle = host_gpu_throttle_bits(values->reasons);
	values->reasons = 0;
	values->reasons_told = false;
}
