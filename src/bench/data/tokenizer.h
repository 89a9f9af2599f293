/*
 * Text <-> token ids for building prompts. One implementation so far: the server's /tokenize and
 * /detokenize, batched over a few connections; local tokenizers join behind the same functions.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct bench_tokenizer;
struct io_addr;

struct bench_ids {
	uint32_t *ids;
	size_t count;
};

/*
 * `prefix` stands in front of every path, "" mostly.
 * Asks /tokenizer_info (vocab_size) and tries both calls once; -1 NOT_FOUND when the server has
 * none. *stop_signal becoming non-zero (NULL: never) ends any call with INTERRUPTED.
 */
int bench_tokenizer_open_server(const struct io_addr *addr, const char *host, const char *prefix,
				const char *headers, const char *model,
				const atomic_int *stop_signal, struct bench_tokenizer **ret,
				struct pl_err *err) PL_MUST_CHECK;
void bench_tokenizer_free(struct bench_tokenizer *tokenizer);
PL_AUTO_DEFINE(struct bench_tokenizer, bench_tokenizer_free);

/* 0: not told. */
int64_t bench_tokenizer_vocab_size(const struct bench_tokenizer *tokenizer);
/* Special tokens that encoding with specials adds to one sequence. */
size_t bench_tokenizer_special_count(const struct bench_tokenizer *tokenizer);
/* Ids of special tokens as far as they are known, for random prompts to leave out; borrowed. */
const uint32_t *bench_tokenizer_special_ids(const struct bench_tokenizer *tokenizer,
					    size_t *ret_count);
/* What files of the same tokenizer tell, which goes before what the server does; ids are copied. */
void bench_tokenizer_learn(struct bench_tokenizer *tokenizer, int64_t vocab_size,
			   const uint32_t *special_ids, size_t special_count);
/* encode: texts[i] -> ret[i] (ids are the caller's); `specials` adds special tokens. */
int bench_tokenizer_encode(const struct bench_tokenizer *tokenizer, const char *const *texts,
			   size_t count, bool specials, struct bench_ids *ret,
			   struct pl_err *err) PL_MUST_CHECK;
/* decode: ids[i] -> ret[i] (texts are the caller's). */
int bench_tokenizer_decode(const struct bench_tokenizer *tokenizer, const struct bench_ids *ids,
			   size_t count, char **ret, struct pl_err *err) PL_MUST_CHECK;

/* A text with the chat template over it, and how many tokens the template made; 0: not told. */
struct bench_templated {
	char *text;
	size_t tokens;
};

/*
 * The model's chat template over each text as the one message of a user, with the beginning of the
 * answer behind it (texts are the caller's). kwargs: object of the template's arguments, or NULL.
 * -1 NOT_FOUND: nobody here lays templates; INVALID: refused, in the words of who refuses.
 */
int bench_tokenizer_template(const struct bench_tokenizer *tokenizer, const char *const *texts,
			     size_t count, const json_t *kwargs, struct bench_templated *ret,
			     struct pl_err *err) PL_MUST_CHECK;
