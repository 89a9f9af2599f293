/*
 * Samples: what is asked of the server, before it becomes HTTP.
 */
#pragma once

#include "base/err.h"
#include "vllm/bench_options.h"
#include "result/record.h"

struct pl_nplegacy;
struct pl_pyrandom;

struct bench_sample {
	char *prompt; /* text (UTF-8; U+0000: see pl_json_to_ctext()), or NULL when ids are given */
	uint32_t *ids; /* token ids, or NULL */
	size_t id_count;
	json_t *messages; /* chat messages of the data set, or NULL */
	/* Asked, as vLLM counts it: random without the special tokens that the server adds,
	 * sharegpt and custom with those of the tokenizer; RES_NO_COUNT: not known. */
	int64_t prompt_tokens;
	int64_t output_tokens; /* asked */
	int64_t index;         /* of the request id; RES_NO_COUNT: it has none */
};

struct bench_dataset {
	struct bench_sample *samples;
	size_t count;
	const char *prompt_form; /* "text" or "token_ids" (static) */
	/* Who laid it over the prompts: "server", "none"; NULL: the data set knows none
	 * (static). */
	const char *chat_template;
	char *sha256;  /* of the file; NULL for generated data */
	json_t *notes; /* array of texts to tell the user (mismatches …) */
};

/* Where lengths and texts come from: nothing local yet, so a server's /tokenize and /detokenize. */
struct bench_tokenizer;

/*
 * Builds the data set that `bench` asks for, with vLLM's draws (docs/reference/datasets.md).
 * Reseeds `pyrandom` and `nplegacy` as vLLM's data set does. `tokenizer` may be NULL: then data
 * sets that need lengths fall back (ids for random) or fail before anything is sent.
 */
int bench_dataset_build(const struct vllm_bench *bench, const struct bench_tokenizer *tokenizer,
			struct pl_pyrandom *pyrandom, struct pl_nplegacy *nplegacy,
			struct bench_dataset **ret, struct pl_err *err) PL_MUST_CHECK;
void bench_dataset_free(struct bench_dataset *dataset);
PL_AUTO_DEFINE(struct bench_dataset, bench_dataset_free);

/* -1: its file cannot be read or is none: to be called before a server is started. The options were
 * checked (experiment/check.h). */
int bench_dataset_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
