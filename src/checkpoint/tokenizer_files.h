/*
 * What the files of a tokenizer tell of its vocabulary: tokenizer.json and the two files beside it
 * that name special tokens, where a model's folder is here or lies in the Hugging Face cache.
 *
 * Not the vocabulary of config.json: that has the rows of the embedding, which models pad and
 * lengthen by added tokens (128,256 beside a tokenizer of 128,000).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "checkpoint/facts.h"

struct ckpt_vocabulary {
	int64_t size; /* without added tokens; 0: not known */
	uint32_t *
		special_ids; /* of the tokens that have a role: bos_token, extra_special_tokens … */
	size_t special_count;
};

void ckpt_vocabulary_done(struct ckpt_vocabulary *vocabulary);
#define auto_vocabulary \
	__attribute__((cleanup(ckpt_vocabulary_done), unused)) struct ckpt_vocabulary

/* False, and all zeros: no such folder, no tokenizer.json in it, or none that can be read. */
bool ckpt_vocabulary_load(const struct ckpt_source *source, struct ckpt_vocabulary *ret);
