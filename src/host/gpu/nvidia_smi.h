/*
 * What nvidia-smi prints, in the forms that people keep: XML (-q -x), CSV (--query-gpu=…, with
 * header; looks one after another), the table for people, and files that hold several of them:
 * captures in sections, JSON whose "stdout" is one of them.
 *
 * - A value that is not there ("N/A", "[Not Supported]", …) is not told; no form tells all of them.
 * - Of several looks the last counts; parts of one text fill each other's gaps.
 */
#ifndef HOST_GPU_NVIDIA_SMI_H
#define HOST_GPU_NVIDIA_SMI_H

#include "base/buf.h"
#include "host/gpu/gpu.h"

#define HOST_NVIDIA_SMI_BYTES_MAX (64u << 20)

/* Into `gpus`, which has none yet. Errors name `source` and, where there is one, the line. */
int host_nvidia_smi_parse(const char *text, size_t len, const char *source, struct host_gpus *gpus,
			  struct pl_err *err) PL_MUST_CHECK;

/*
 * Runs `program` with `args` (NULL-ended, without argv[0]) and gives what it wrote to standard
 * output. It has 5 s; then it is killed. Errors: it cannot be started, is late, or ends with
 * another status than 0.
 */
int host_nvidia_smi_run(const char *program, const char *const *args, struct pl_buf *output,
			struct pl_err *err) PL_MUST_CHECK;

#endif
