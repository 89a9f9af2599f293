/*
 * The interface of a tokenizer implementation, for local and test ones. An implementation starts
 * with this struct.
 */
#pragma once

#include "bench/data/tokenizer.h"

#include <stdbool.h>

struct bench_tokenizer_calls {
	int (*encode)(const struct bench_tokenizer *tokenizer, const char *const *texts,
		      size_t count, bool specials, struct bench_ids *ret, struct pl_err *err);
	int (*decode)(const struct bench_tokenizer *tokenizer, const struct bench_ids *ids,
		      size_t count, char **ret, struct pl_err *err);
	/* NULL: no chat template support */
	int (*template)(const struct bench_tokenizer *tokenizer, const char *const *systems,
			const char *const *texts, size_t count, const json_t *kwargs,
			struct bench_templated *ret, struct pl_err *err);
	void (*free)(struct bench_tokenizer *tokenizer);
};

struct bench_tokenizer {
	const struct bench_tokenizer_calls *calls;
	int64_t vocab_size;    /* 0: unknown */
	size_t special_count;  /* added by encoding with specials */
	uint32_t *special_ids; /* never drawn for random prompts; freed by calls->free */
	size_t special_id_count;
};
