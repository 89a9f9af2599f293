/*
 * What the heads of a model's weight files say: how much of what. The numbers themselves are never
 * read. Only plain files in the folder are opened, each head at most CKPT_WEIGHTS_HEAD_BYTES_MAX.
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
	bool known;        /* there are weight files, or an index that tells their size */
	bool heads_read;   /* every file's head was read: the sums below are exact */
	int64_t files;     /* weight files that are there */
	int64_t missing;   /* named by the index and not there */
	double file_bytes; /* of the files there, or the index's total_size if none is */

	/* from the heads, without what is not loaded */
	double float_numbers;  /* in float16, bfloat16, float32, float64 */
	double other_bytes;    /* packed and quantized tensors, scales that are not plain floats */
	double head_numbers;   /* of a separate output matrix (lm_head) */
	double skipped_bytes;  /* tensors of layers beyond `layers` (drafting heads) */
	enum ckpt_dtype dtype; /* of most plain floats */
};

/* `layers`: tensors of higher layers are not loaded; 0: not known. */
int ckpt_weights_read(const char *folder, const char *root, int64_t layers,
		      struct ckpt_weights *ret, struct pl_err *err) PL_MUST_CHECK;
/* One safetensors file's first bytes: its length and JSON head. file_bytes -1: not known. */
int ckpt_weights_head_parse(const char *data, size_t len, int64_t file_bytes, int64_t layers,
			    struct ckpt_weights *add, struct pl_err *err) PL_MUST_CHECK;

/*
 * Opens a plain file for reading; -1 for anything else (a FIFO, a folder, a loop of links), and for
 * a file that lies outside of `root` once its links are followed (NULL: anywhere).
 */
int ckpt_open_plain(const char *path, const char *root, struct pl_err *err) PL_MUST_CHECK;
/* All of such a file, at most max_bytes. */
int ckpt_read_plain(const char *path, const char *root, size_t max_bytes, char **ret_text,
		    size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;
