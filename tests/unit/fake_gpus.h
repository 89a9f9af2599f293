/*
 * GPUs of the pretend library, for tests.
 */
#pragma once

#include <stdlib.h>

#include "host/gpu/gpu.h"

#define LIBRARY     PROFLLM_BUILD_DIR "/lib/libnvml-pretend.so"
#define OLD_LIBRARY PROFLLM_BUILD_DIR "/lib/libnvml-pretend-old.so"

static inline int clear_environment(void **state)
{
	static const char *const names[] = {
		"PRETEND_GPUS", "PRETEND_SET",  "PRETEND_FILE",     "PRETEND_POWER",
		"PRETEND_FAIL", "PRETEND_SEED", "PROFLLM_NVML_LIB", "PRETEND_VANISH",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
	return 0;
}

static inline struct host_gpus *open_gpus(const char *library, const char *gpus,
					  const char *settings)
{
	struct pl_err err = PL_ERR_INIT;
	struct host_gpus *ret = NULL;

	setenv("PROFLLM_NVML_LIB", library, 1);
	setenv("PRETEND_GPUS", gpus, 1);
	if (settings != NULL)
		setenv("PRETEND_SET", settings, 1);
	if (host_gpus_open(&ret, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(host_gpus_source(ret), HOST_GPU_NVML);
	return ret;
}
