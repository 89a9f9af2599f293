/* Resources of this process. */
#pragma once

#include <stdint.h>

struct dash_process {
	uint64_t resident_bytes;
	double cpu_s; /* user and system time */
	uint64_t files;
	uint64_t files_max; /* UINT64_MAX: no limit */
};
/* Members that the system does not report are 0. */
void dash_process_read(struct dash_process *ret);
