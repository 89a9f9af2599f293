/*
 * GPUs that a person can name instead of having them: the rows of tbl/hardware.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

#define CKPT_HARDWARE_COUNT_MAX 4096

struct ckpt_gpu {
	const char *name;     /* "h100" */
	const char *aliases;  /* separated by blanks; "": none */
	const char *titles;   /* beginnings of the driver's name, separated by '|' */
	int64_t memory_bytes; /* what the driver offers a program */
	const char *platform; /* "cuda" or "rocm" */
	int capability;       /* CUDA compute capability times ten; 0: none */
	double bandwidth_bytes_per_s;
	double bf16_flops; /* dense; float16 where the chip has no bfloat16 */
	bool large;        /* vLLM's larger default batch */
};

/* The GPUs of one run, all of a kind. */
struct ckpt_hardware {
	struct ckpt_gpu gpu;
	int64_t count;
};

size_t ckpt_gpu_count(void);
const struct ckpt_gpu *ckpt_gpu_at(size_t i);
/* The row whose title the driver's name of a device begins with (the longest); NULL. */
const struct ckpt_gpu *ckpt_gpu_find_title(const char *title);

/*
 * "h100", "h100x8", "8xh100", "h100:8"; letters of either case, '-', '_' and ' ' left out or not.
 * -1 with PL_ERR_INVALID and the nearest name.
 */
int ckpt_hardware_find(const char *text, struct ckpt_hardware *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* GPUs that were found on a host: what the row of that title says, with the host's own figures.
 * memory_bytes 0: the row's. -1: the title is in no row and memory or platform is not given. */
int ckpt_hardware_from_host(const char *title, int64_t memory_bytes, const char *platform,
			    int64_t count, struct ckpt_hardware *ret,
			    struct pl_err *err) PL_MUST_CHECK;

/* [{name, aliases, memory_bytes, platform, compute_capability, …}] for --hardware list --json. */
json_t *ckpt_hardware_to_json(void);
/* The same as a table for people. */
void ckpt_hardware_text(struct pl_buf *buf);
