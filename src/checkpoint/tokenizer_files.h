/*
 * The vocabulary from a tokenizer's files: tokenizer.json and two further files with special
 * tokens, in a model's local directory or in the Hugging Face cache.
 *
 * It differs from the vocabulary size in config.json, which is the number of rows of the embedding:
 * models pad it and extend it by added tokens (128,256 for a tokenizer of 128,000).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "checkpoint/facts.h"

struct ckpt_vocabulary {
	int64_t size;          /* without added tokens; 0: unknown */
	uint32_t *special_ids; /* tokens with a role: bos_token, extra_special_tokens … */
	size_t special_count;
};

void ckpt_vocabulary_done(struct ckpt_vocabulary *vocabulary);
#define auto_vocabulary \
	__attribute__((cleanup(ckpt_vocabulary_done), unused)) struct ckpt_vocabulary

/*
 * Returns false and all zeros if the directory or its tokenizer.json does not exist or cannot be
 * read.
 */
bool ckpt_vocabulary_load(const struct ckpt_source *source, struct ckpt_vocabulary *ret);
