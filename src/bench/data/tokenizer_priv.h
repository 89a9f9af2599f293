/*
 * How a tokenizer is made: a local one or a test's puts its functions here and this struct first.
 */
#pragma once

#include "bench/data/tokenizer.h"

#include <stdbool.h>

struct bench_tokenizer_calls {
	int (*encode)(const struct bench_tokenizer *tokenizer, const char *const *texts,
		      size_t count, bool specials, struct bench_ids *ret, struct pl_err *err);
	int (*decode)(const struct bench_tokenizer *tokenizer, const struct bench_ids *ids,
		      size_t count, char **ret, struct pl_err *err);
	/* NULL: it knows no chat template */
	int (*template)(const struct bench_tokenizer *tokenizer, const char *const *texts,
			size_t count, const json_t *kwargs, struct bench_templated *ret,
			struct pl_err *err);
	void (*free)(struct bench_tokenizer *tokenizer);
};

struct bench_tokenizer {
	const struct bench_tokenizer_calls *calls;
	int64_t vocab_size;    /* 0: not told */
	size_t special_count;  /* that encoding with specials adds */
	uint32_t *special_ids; /* never drawn for random prompts; freed by calls->free */
	size_t special_id_count;
};
