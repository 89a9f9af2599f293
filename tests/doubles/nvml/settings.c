#include "nvml/world.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvml/words.h"

/* Keys whose value is one number; `bytes`: with a unit. */
static const struct {
	const char *key;
	size_t offset;
	bool bytes;
} numbers[] = {
#define NUMBER(key, field, bytes)                                 \
	{                                                         \
		key, offsetof(struct pretend_state, field), bytes \
	}
	NUMBER("memory_used", memory_used_bytes, true),
	NUMBER("utilization", utilization, false),
	NUMBER("memory_utilization", memory_utilization, false),
	NUMBER("temperature", temperature_c, false),
	NUMBER("sm_clock", sm_clock_mhz, false),
	NUMBER("memory_clock", memory_clock_mhz, false),
	NUMBER("ecc_uncorrected", ecc_uncorrected, false),
	NUMBER("pcie_rx", pcie_rx_bytes_per_s, true),
	NUMBER("pcie_tx", pcie_tx_bytes_per_s, true),
	NUMBER("nvlink_rx", nvlink_rx_bytes_per_s, true),
	NUMBER("nvlink_tx", nvlink_tx_bytes_per_s, true),
	NUMBER("energy_wrap", energy_wrap_j, false),
#undef NUMBER
};

struct named_bits {
	const char *word;
	unsigned long bits;
};

static const struct named_bits throttles[] = {
	{ "none", 0 },
	{ "idle", NVML_REASON_GPU_IDLE },
	{ "applications_clocks", NVML_REASON_APPLICATION_CLOCKS },
	{ "sw_power_cap", NVML_REASON_SW_POWER_CAP },
	{ "hw_slowdown", NVML_REASON_HW_SLOWDOWN },
	{ "sync_boost", NVML_REASON_SYNC_BOOST },
	{ "sw_thermal", NVML_REASON_SW_THERMAL },
	{ "hw_thermal", NVML_REASON_HW_THERMAL | NVML_REASON_HW_SLOWDOWN },
	{ "hw_power_brake", NVML_REASON_HW_POWER_BRAKE | NVML_REASON_HW_SLOWDOWN },
	{ "display_clock", NVML_REASON_DISPLAY_CLOCK },
	{ NULL, 0 },
};

static const struct named_bits codes[] = {
	{ "not_supported", NVML_ERROR_NOT_SUPPORTED },
	{ "no_permission", NVML_ERROR_NO_PERMISSION },
	{ "driver", NVML_ERROR_DRIVER_NOT_LOADED },
	{ "missing", NVML_ERROR_FUNCTION_NOT_FOUND },
	{ "lost", NVML_ERROR_GPU_IS_LOST },
	{ "version", NVML_ERROR_LIB_RM_VERSION },
	{ "unknown", NVML_ERROR_UNKNOWN },
	{ NULL, 0 },
};

static const struct named_bits *find_word(const struct named_bits *list, const char *word)
{
	for (; list->word != NULL; list++) {
		if (strcmp(list->word, word) == 0)
			return list;
	}
	return NULL;
}

static bool set_throttle(struct pretend_state *state, const char *text)
{
	unsigned long bits = 0;
	char word[32];

	do {
		pretend_word(&text, ",", word, sizeof(word));
		const struct named_bits *row = find_word(throttles, word);
		if (row == NULL)
			return false;
		bits |= row->bits;
	} while (pretend_skip(&text, ','));
	state->throttle = bits;
	return true;
}

/* "nvmlDeviceGetPowerUsage=lost@100,nvmlDeviceGetUtilizationRates"; calls counted so far stay. */
static bool set_fails(struct pretend_state *state, const char *text)
{
	struct pretend_fail fails[PRETEND_FAILS_MAX] = { 0 };
	size_t count = 0;

	while (*text != '\0') {
		char word[32] = "not_supported";
		double after = 0;
		if (count == PRETEND_FAILS_MAX)
			return false;
		struct pretend_fail *fail = &fails[count++];
		pretend_word(&text, "=@,", fail->function, sizeof(fail->function));
		if (pretend_skip(&text, '='))
			pretend_word(&text, "@,", word, sizeof(word));
		if (pretend_skip(&text, '@') && !pretend_number(&text, &after))
			return false;
		const struct named_bits *code = find_word(codes, word);
		if (code == NULL || (*text != '\0' && !pretend_skip(&text, ',')))
			return false;
		fail->code = (int)code->bits;
		fail->after = (unsigned long)after;
		for (size_t i = 0; i < state->fail_count; i++) {
			if (strcmp(state->fails[i].function, fail->function) == 0)
				fail->calls = state->fails[i].calls;
		}
	}
	memcpy(state->fails, fails, sizeof(fails));
	state->fail_count = count;
	return true;
}

/* "1234:16GiB:python3, 77:20MiB:graphics, 88:1GiB:alive:vllm" */
static bool set_processes(struct pretend_state *state, const char *text)
{
	struct pretend_process list[PRETEND_PROCESSES_MAX] = { 0 };
	size_t count = 0;

	while (*text != '\0') {
		double pid;
		if (count == PRETEND_PROCESSES_MAX)
			return false;
		struct pretend_process *process = &list[count++];
		while (pretend_skip(&text, ' '))
			;
		if (!pretend_number(&text, &pid) || !pretend_skip(&text, ':') ||
		    !pretend_bytes(&text, &process->bytes))
			return false;
		process->pid = (unsigned)pid;
		while (pretend_skip(&text, ':')) {
			char word[sizeof(process->name)];
			pretend_word(&text, ":,", word, sizeof(word));
			if (strcmp(word, "graphics") == 0)
				process->graphics = true;
			else if (strcmp(word, "alive") == 0)
				process->while_alive = true;
			else
				memcpy(process->name, word, sizeof(word));
		}
		if (*text != '\0' && !pretend_skip(&text, ','))
			return false;
	}
	memcpy(state->processes, list, sizeof(list));
	state->process_count = count;
	return true;
}

/* The counter continues from its value. */
static bool set_power(struct pretend_state *state, const char *text)
{
	double now = pretend_now_s();
	double before = pretend_energy_j(state, now);
	struct pretend_curve curve;

	if (!pretend_curve_parse(text, &curve))
		return false;
	state->power = curve;
	state->energy_offset_j += before - pretend_energy_j(state, now);
	return true;
}

static bool set_key(struct pretend_state *state, const char *key, const char *value)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++) {
		double number;
		if (strcmp(numbers[i].key, key) != 0)
			continue;
		if (!(numbers[i].bytes ? pretend_bytes(&value, &number)
				       : pretend_number(&value, &number)) ||
		    *value != '\0')
			return false;
		memcpy((char *)state + numbers[i].offset, &number, sizeof(number));
		return true;
	}
	if (strcmp(key, "power") == 0)
		return set_power(state, value);
	if (strcmp(key, "throttle") == 0)
		return set_throttle(state, value);
	if (strcmp(key, "processes") == 0)
		return set_processes(state, value);
	if (strcmp(key, "fail") == 0)
		return set_fails(state, value);
	if (strcmp(key, "vanish") == 0) {
		snprintf(state->vanish, sizeof(state->vanish), ",%s,", value);
		return true;
	}
	return false;
}

/* "1.0.processes": GPU 1, its instance 0; "power": all GPUs and the functions without one. */
static bool set_line(struct pretend_world *world, const char *key, const char *value)
{
	char *end;

	if (!isdigit((unsigned char)key[0])) {
		bool good = set_key(&world->system, key, value);
		for (unsigned i = 0; i < world->count; i++)
			good = good && set_key(&world->gpus[i].state, key, value);
		return good;
	}
	unsigned long gpu = strtoul(key, &end, 10);
	if (*end != '.' || gpu >= world->count)
		return false;
	key = end + 1;
	if (!isdigit((unsigned char)key[0]))
		return set_key(&world->gpus[gpu].state, key, value);
	unsigned long instance = strtoul(key, &end, 10);
	return *end == '.' && instance < world->gpus[gpu].instance_count &&
	       set_key(&world->gpus[gpu].instances[instance].state, end + 1, value);
}

static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

bool pretend_world_set(struct pretend_world *world, const char *text, char *fault, size_t room)
{
	char line[4096];

	while (*text != '\0') {
		pretend_word(&text, ";\n", line, sizeof(line));
		if (*text != '\0')
			text++;
		char *value = strchr(line, '=');
		char *key = trim(line);
		if (*key == '\0' || *key == '#')
			continue;
		if (value != NULL)
			*value++ = '\0';
		if (value != NULL && set_line(world, trim(key), trim(value)))
			continue;
		snprintf(fault, room, "'%s'", trim(key));
		return false;
	}
	return true;
}
