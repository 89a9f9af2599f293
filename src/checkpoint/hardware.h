/* GPUs that a user can name without having them: the rows of tbl/hardware.h. */
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
	const char *titles;   /* prefixes of the driver's name, separated by '|' */
	int64_t memory_bytes; /* as reported by the driver to programs */
	const char *platform; /* "cuda" or "rocm" */
	int capability;       /* CUDA compute capability times ten; 0: none */
	double bandwidth_bytes_per_s;
	double bf16_flops; /* dense; float16 if the chip lacks bfloat16 */
	bool large;        /* uses vLLM's larger default batch */
};

/* The GPUs of one run, all of one model. */
struct ckpt_hardware {
	struct ckpt_gpu gpu;
	int64_t count;
};

size_t ckpt_gpu_count(void);
const struct ckpt_gpu *ckpt_gpu_at(size_t i);
/*
 * Returns the row with the longest title that is a prefix of the driver's device name; NULL: none.
 */
const struct ckpt_gpu *ckpt_gpu_find_title(const char *title);

/*
 * Parses "h100", "h100x8", "8xh100", "h100:8"; ignores case, '-', '_' and ' '. Returns -1 with
 * PL_ERR_INVALID and the most similar name.
 */
int ckpt_hardware_find(const char *text, struct ckpt_hardware *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * Describes GPUs found on a host: the row with that title, with the host's values. memory_bytes 0:
 * the row's. Returns -1 if no row has the title and memory or platform is not given.
 */
int ckpt_hardware_from_host(const char *title, int64_t memory_bytes, const char *platform,
			    int64_t count, struct ckpt_hardware *ret,
			    struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns [{name, aliases, memory_bytes, platform, compute_capability, …}] for --hardware list
 * --json.
 */
json_t *ckpt_hardware_to_json(void);
/* Appends the same as a table for the terminal. */
void ckpt_hardware_text(struct pl_buf *buf);
