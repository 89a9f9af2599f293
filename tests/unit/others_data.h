/*
 * Tests against others' data begin with skip_without_others_data(): before anything is allocated,
 * as cmocka's skip() leaves the function without running its cleanups.
 */
#pragma once

#include <unistd.h>

#define skip_without_others_data()                                           \
	do {                                                                 \
		if (access(PROFLLM_SOURCE_DIR "/../shared/data", F_OK) != 0) \
			skip();                                              \
	} while (0)
