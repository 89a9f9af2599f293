/* The number of tokens to draw synthetic prompts from, as known from files here and from the server. */
#pragma once

#include "experiment/config.h"

struct bench_tokenizer;
struct run_identity;

/*
 * For datasets that draw tokens: uses the vocabulary in the tokenizer's own files, if they are here, as vLLM's client
 * does. Otherwise uses config.json, if neither `bench` nor `tokenizer` (NULL: none) knows the number.
 */
void run_vocabulary_learn(const struct exp_config *experiment, const struct run_identity *identity,
			  struct bench_tokenizer *tokenizer, struct vllm_bench *bench);
