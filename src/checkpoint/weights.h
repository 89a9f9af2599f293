/*
 * Sizes and formats from the headers of a model's weight files. The weights themselves are never
 * read. Only regular files in the directory are opened, and at most CKPT_WEIGHTS_HEAD_BYTES_MAX of
 * each header is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "checkpoint/dtype.h"

#define CKPT_WEIGHTS_HEAD_BYTES_MAX  (32u << 20)
#define CKPT_WEIGHTS_INDEX_BYTES_MAX (64u << 20)
#define CKPT_WEIGHTS_FILES_MAX       2048

struct ckpt_weights {
	bool known;      /* weight files exist, or an index with their size */
	bool heads_read; /* every file's header was read: the sums below are exact */
	int64_t files;   /* number of existing weight files */
	int64_t missing; /* number of missing files that the index names */
	/* total of existing files, or the index's total_size if there are none */
	double file_bytes;

	/* from the headers, without tensors that are not loaded */
	double float_numbers;  /* in float16, bfloat16, float32, float64 */
	double other_bytes;    /* packed and quantized tensors, scales that are not plain floats */
	double head_numbers;   /* in a separate output matrix (lm_head) */
	double skipped_bytes;  /* tensors of layers after the first `layers` (drafting heads) */
	enum ckpt_dtype dtype; /* of the majority of plain floats */
};

/* `layers`: tensors of later layers are not loaded; 0: unknown. */
int ckpt_weights_read(const char *folder, const char *root, int64_t layers,
		      struct ckpt_weights *ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Parses the first bytes of a safetensors file: its length and JSON header. file_bytes -1: unknown.
 */
int ckpt_weights_head_parse(const char *data, size_t len, int64_t file_bytes, int64_t layers,
			    struct ckpt_weights *add, struct pl_err *err) PL_MUST_CHECK;

/*
 * Reads a whole regular file, at most max_bytes. Returns -1 for anything else (a FIFO, a directory, a loop of
 * links), and for a file outside of `root` after resolving links (NULL: anywhere).
 */
int ckpt_read_plain(const char *path, const char *root, size_t max_bytes, char **ret_text,
		    size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;
