/*
 * Conversion between text and token ids, for building prompts. The only implementation uses the
 * server's /tokenize and /detokenize, batched over a few connections; local tokenizers will have
 * the same interface.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_tokenizer;
struct io_addr;

struct bench_ids {
	uint32_t *ids;
	size_t count;
};

/*
 * Requests /tokenizer_info (vocab_size) and tries both calls once; -1 NOT_FOUND if the server has
 * none. `prefix` precedes every path, usually "". A non-zero *stop_signal (NULL: never) ends any
 * call with INTERRUPTED.
 */
int bench_tokenizer_open_server(const struct io_addr *addr, const char *host, const char *prefix,
				const char *headers, const char *model,
				const atomic_int *stop_signal, struct bench_tokenizer **ret,
				struct pl_err *err) PL_MUST_CHECK;
void bench_tokenizer_free(struct bench_tokenizer *tokenizer);
PL_AUTO_DEFINE(struct bench_tokenizer, bench_tokenizer_free);

/* 0: unknown. */
int64_t bench_tokenizer_vocab_size(const struct bench_tokenizer *tokenizer);
/* Returns the number of special tokens that encoding with specials adds to one sequence. */
size_t bench_tokenizer_special_count(const struct bench_tokenizer *tokenizer);
/* Returns the known ids of special tokens, which random prompts must not contain; borrowed. */
const uint32_t *bench_tokenizer_special_ids(const struct bench_tokenizer *tokenizer,
					    size_t *ret_count);
/* Sets data from files of the same tokenizer, which override the server's; copies the ids. */
void bench_tokenizer_learn(struct bench_tokenizer *tokenizer, int64_t vocab_size,
			   const uint32_t *special_ids, size_t special_count);
/* Encodes texts[i] into ret[i] (the caller owns the ids); `specials` adds special tokens. */
int bench_tokenizer_encode(const struct bench_tokenizer *tokenizer, const char *const *texts,
			   size_t count, bool specials, struct bench_ids *ret,
			   struct pl_err *err) PL_MUST_CHECK;
/* Decodes ids[i] into ret[i] (the caller owns the texts). */
int bench_tokenizer_decode(const struct bench_tokenizer *tokenizer, const struct bench_ids *ids,
			   size_t count, char **ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * A text with the chat template applied, and the number of tokens that the template added; 0:
 * unknown.
 */
struct bench_templated {
	char *text;
	size_t tokens;
};

/*
 * Applies the model's chat template to each text as a single user message, including the start of
 * the response (the caller owns the texts). `systems` has a system message that precedes each text;
 * NULL: none. kwargs: object of the template's arguments, or NULL. -1
 * NOT_FOUND: no template support; INVALID: rejected, with the server's message.
 */
int bench_tokenizer_template(const struct bench_tokenizer *tokenizer, const char *const *systems,
			     const char *const *texts, size_t count, const json_t *kwargs,
			     struct bench_templated *ret, struct pl_err *err) PL_MUST_CHECK;
