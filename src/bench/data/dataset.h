/* Samples: the content of requests, independent of HTTP. */
#pragma once

#include "base/err.h"
#include "result/record.h"
#include "vllm/bench_options.h"

struct pl_nplegacy;
struct pl_pyrandom;

struct bench_sample {
	char *prompt;  /* text (UTF-8; U+0000: see pl_json_to_ctext()), or NULL if ids are set */
	uint32_t *ids; /* token ids, or NULL */
	size_t id_count;
	json_t *messages;  /* chat messages of the dataset, or NULL */
	json_t *overrides; /* keys of a chat's body that precede extra_body, or NULL */
	/*
	 * Instead of prompt and ids, the prompts of one pooling request: an array of texts or of
	 * arrays of ids, or a query and its documents; or an object with the keys of the body; NULL:
	 * one prompt.
	 */
	json_t *inputs;
	/*
	 * Images and videos: the parts of a chat message {"type": "image_url", "image_url": {"url": …}}
	 * that follow the prompt; NULL: none.
	 */
	json_t *media;
	json_t *audio; /* the recording in the media (bench/media/audio.h); NULL: none */
	/*
	 * Requested, as counted by vLLM: for random without the special tokens that the server
	 * adds, for sharegpt and custom with those of the tokenizer; RES_NO_COUNT: unknown.
	 */
	int64_t prompt_tokens;
	int64_t output_tokens; /* requested */
	int64_t index;         /* for the request id; RES_NO_COUNT: none */
	double time_s;         /* of a trace: after its first request, unscaled */
	/* of a session (bench/load/sessions.h); all 0: of none */
	uint32_t session;    /* from 1 */
	uint32_t turn;       /* from 0 */
	double gap_s;        /* from the end of the turn before it until this one is due */
	bool grows;          /* the conversation is sent before its messages */
	bool keeps_response; /* the server's response becomes a message of the conversation */
	bool min_tokens;     /* asks for output_tokens at least */
	json_t *tools;       /* of the body; NULL: none */
};

struct bench_dataset {
	struct bench_sample *samples;
	size_t count;
	size_t session_count;    /* samples of a session are in order; 0: there are none */
	const char *prompt_form; /* "text" or "token_ids" (static) */
	/* Where it was applied to the prompts: "server", "none"; NULL: the dataset uses none (static). */
	const char *chat_template;
	char *sha256;  /* of the file; NULL for generated data */
	json_t *notes; /* array of texts for the user (mismatches …) */
};

/*
 * The source of lengths and texts: a server's /tokenize and /detokenize, because there is no local
 * tokenizer yet.
 */
struct bench_tokenizer;

/*
 * Builds the dataset for `bench`, with vLLM's random draws (docs/reference/datasets.md). Reseeds
 * `pyrandom` and `nplegacy` as vLLM's dataset does. `tokenizer` may be NULL: datasets that need
 * lengths then fall back (ids for random) or fail before anything is sent.
 */
int bench_dataset_build(const struct vllm_bench *bench, const struct bench_tokenizer *tokenizer,
			struct pl_pyrandom *pyrandom, struct pl_nplegacy *nplegacy,
			struct bench_dataset **ret, struct pl_err *err) PL_MUST_CHECK;
void bench_dataset_free(struct bench_dataset *dataset);
PL_AUTO_DEFINE(struct bench_dataset, bench_dataset_free);

/*
 * Returns -1 if its file cannot be read or is invalid. Call it before a server is started. The
 * options must be validated (experiment/check.h).
 */
int bench_dataset_check(const struct vllm_bench *bench, struct pl_err *err) PL_MUST_CHECK;
/*
 * Hashes the dataset's file or files as the result records it, for a dataset with a path. *ret is
 * NULL if they are too large to be hashed; the caller owns it.
 */
int bench_dataset_sha256(const struct vllm_bench *bench, char **ret,
			 struct pl_err *err) PL_MUST_CHECK;
