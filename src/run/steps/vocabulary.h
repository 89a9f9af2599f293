/*
 * How many tokens made-up prompts may be drawn from: what files here and the server tell of it.
 */
#pragma once

#include "experiment/config.h"

struct bench_tokenizer;
struct run_identity;

/*
 * For data sets that draw tokens: the vocabulary of the tokenizer's own files, where they are here,
 * as vLLM's client draws from it; else of config.json, where neither `bench` nor `tokenizer` (NULL:
 * none) knows one.
 */
void run_vocabulary_learn(const struct exp_config *experiment, const struct run_identity *identity,
			  struct bench_tokenizer *tokenizer, struct vllm_bench *bench);
