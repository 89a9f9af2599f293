/*
 * NVIDIA's program, where its library is not to be had: run as `nvidia-smi -q -x`, its XML read.
 *
 * - "N/A" and its likes are values not told, as are those that the XML has no element for: energy,
 *   NVLinks, NUMA node. Compute capability comes from the table of hardware, by the GPU's name.
 * - The text may be anybody's: nothing outside of it is opened, entities that it declares are
 *   refused, depth and sizes have limits.
 */
#pragma once

#include "host/gpu/look.h"

/* Into `list`, which is empty and stays so on failure. Errors name `source` and the line, or what
 * was found in place of XML. */
int host_nvidia_smi_parse(const char *text, size_t len, const char *source,
			  struct host_gpu_list *list, struct pl_err *err) PL_MUST_CHECK;

/*
 * The same of what `program` prints now. It has 5 s; then it is killed, with its children. Errors:
 * it cannot be started, is late, prints too much, or ends with another status than 0.
 */
int host_nvidia_smi_read(const char *program, struct host_gpu_list *list,
			 struct pl_err *err) PL_MUST_CHECK;
