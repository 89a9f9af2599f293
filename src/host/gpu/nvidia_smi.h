/*
 * NVIDIA's command-line program, used if its library is unavailable: runs `nvidia-smi -q -x` and
 * parses the XML.
 *
 * - "N/A" and similar texts are unknown values, as are values without an XML element: energy,
 *   NVLinks, NUMA node. Compute capability comes from the table of hardware, by the GPU's name.
 * - The text is untrusted: no external resource is opened, declared entities are rejected, depth
 *   and sizes are limited.
 */
#pragma once

#include "host/gpu/look.h"

/*
 * Parses into `list`, which must be empty and stays empty on failure. Errors name `source` and the
 * line, or the format found instead of XML.
 */
int host_nvidia_smi_parse(const char *text, size_t len, const char *source,
			  struct host_gpu_list *list, struct pl_err *err) PL_MUST_CHECK;

/*
 * Runs `program` and parses its output. After 5 s it is killed together with its children. Errors:
 * it cannot be started, exceeds the time or size limit, or exits with a status other than 0.
 */
int host_nvidia_smi_read(const char *program, struct host_gpu_list *list,
			 struct pl_err *err) PL_MUST_CHECK;
