#include "nvml/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvml/words.h"

#define BYTES_PER_MIB 1048576.0

static const struct pretend_kind kinds[] = {
	/* word, name, MiB, limit, idle, capability, PCIe, NVLinks, ECC, clocks */
	{ "H100", "NVIDIA H100 80GB HBM3", 81559, 700, 70, 9, 0, 5, 16, 18, true, 1980, 2619 },
	{ "H200", "NVIDIA H200", 143771, 700, 75, 9, 0, 5, 16, 18, true, 1980, 3201 },
	{ "B200", "NVIDIA B200", 183359, 1000, 140, 10, 0, 5, 16, 18, true, 1965, 3996 },
	{ "A100", "NVIDIA A100-SXM4-80GB", 81920, 400, 50, 8, 0, 4, 16, 12, true, 1410, 1593 },
	{ "L40S", "NVIDIA L40S", 46068, 350, 35, 8, 9, 4, 16, 0, true, 2520, 9001 },
	{ "L4", "NVIDIA L4", 23034, 72, 16, 8, 9, 4, 16, 0, true, 2040, 6251 },
	{ "T4", "Tesla T4", 15360, 70, 10, 7, 5, 3, 16, 0, true, 1590, 5001 },
	{ "RTX4090", "NVIDIA GeForce RTX 4090", 24564, 450, 20, 8, 9, 4, 16, 0, false, 3105,
	  10501 },
	{ "GB10", "NVIDIA GB10", 0, 140, 5, 12, 1, 5, 1, 0, false, 3003, 0 },
};

static const struct pretend_kind *find_kind(const char *word)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (strcasecmp(kinds[i].word, word) == 0)
			return &kinds[i];
	}
	return NULL;
}

static void state_init(struct pretend_state *state, const struct pretend_kind *kind)
{
	*state = (struct pretend_state){
		.temperature_c = 35,
		.sm_clock_mhz = kind->sm_clock_mhz,
		.memory_clock_mhz = kind->memory_clock_mhz,
		.throttle = NVML_REASON_GPU_IDLE,
		.power = { .shape = PRETEND_CONST, .low_w = kind->idle_w },
	};
}

/* "1g.10gb*7+2g.20gb": the number before "gb" is the memory. */
static bool add_instances(struct nvml_device *gpu, const char *text)
{
	gpu->instances = calloc(PRETEND_INSTANCES_MAX, sizeof(*gpu->instances));
	if (gpu->instances == NULL)
		return false;
	do {
		char profile[sizeof(gpu->profile)];
		double count = 1;
		pretend_word(&text, "*+", profile, sizeof(profile));
		const char *dot = strchr(profile, '.');
		if (dot == NULL || (pretend_skip(&text, '*') && !pretend_number(&text, &count)) ||
		    count < 1 || gpu->instance_count + count > PRETEND_INSTANCES_MAX)
			return false;
		for (unsigned i = 0; i < (unsigned)count; i++) {
			struct nvml_device *instance = &gpu->instances[gpu->instance_count];
			instance->kind = gpu->kind;
			instance->parent = gpu;
			instance->index = gpu->instance_count++;
			instance->memory_mib = strtod(dot + 1, NULL) * 1024;
			memcpy(instance->profile, profile, sizeof(profile));
			state_init(&instance->state, gpu->kind);
		}
	} while (pretend_skip(&text, '+'));
	return *text == '\0';
}

static bool add_gpu(struct pretend_world *world, const struct pretend_kind *kind,
		    const char *options)
{
	if (world->count == PRETEND_GPUS_MAX)
		return false;
	struct nvml_device *gpu = &world->gpus[world->count];
	*gpu = (struct nvml_device){
		.kind = kind,
		.index = world->count++,
		.numa_node = -1,
		.memory_mib = kind->memory_mib,
	};
	state_init(&gpu->state, kind);
	while (pretend_skip(&options, ':')) {
		char option[128];
		double bytes;
		pretend_word(&options, ":", option, sizeof(option));
		const char *value = strchr(option, '=');
		if (value++ == NULL)
			return false;
		if (strncmp(option, "mig=", 4) == 0 && gpu->instances == NULL) {
			if (!add_instances(gpu, value))
				return false;
		} else if (strncmp(option, "numa=", 5) == 0) {
			gpu->numa_node = atoi(value);
		} else if (strncmp(option, "memory=", 7) == 0 && pretend_bytes(&value, &bytes)) {
			gpu->memory_mib = bytes / BYTES_PER_MIB;
		} else {
			return false;
		}
	}
	return *options == '\0';
}

/* "2xH100:numa=0" */
static bool add_group(struct pretend_world *world, const char *text)
{
	double count = 1;
	char word[32];
	const char *at = text;

	if (!pretend_number(&at, &count) || !pretend_skip(&at, 'x')) {
		at = text;
		count = 1;
	}
	pretend_word(&at, ":", word, sizeof(word));
	const struct pretend_kind *kind = find_kind(word);
	if (kind == NULL || count < 0 || count > PRETEND_GPUS_MAX)
		return false;
	for (unsigned i = 0; i < (unsigned)count; i++) {
		if (!add_gpu(world, kind, at))
			return false;
	}
	return true;
}

bool pretend_world_add_gpus(struct pretend_world *world, const char *text)
{
	char group[256];

	while (*text != '\0') {
		pretend_word(&text, ",", group, sizeof(group));
		if (group[0] != '\0' && !add_group(world, group))
			return false;
		pretend_skip(&text, ',');
	}
	return true;
}
