/*
 * Prompts of generated tokens, shared by the datasets random and random-rerank: the random draws of
 * numpy's PCG64 in vLLM's order. Each set of draws is all input lengths, all output lengths, then all
 * offsets; corrections of texts draw from the same generator afterwards.
 */
#pragma once

#include "bench/data/dataset_priv.h"

/* The generator, and the tokens allowed in prompts. */
struct bench_random;
struct pl_pcg64;

/* Draws more for prompt i from the generator, after its text is complete. NULL: nothing. */
struct bench_random_more {
	int (*draw)(void *user, size_t i, struct pl_pcg64 *rng, struct pl_err *err);
	void *user;
};

struct bench_random_draws {
	size_t count;
	int64_t *input_lens;
	int64_t *output_lens;
	int64_t *offsets;
};

/* Decides the form of prompts, and sets the vocabulary and the seed. */
int bench_random_new(struct bench_dataset_work *work, struct bench_random **ret,
		     struct pl_err *err) PL_MUST_CHECK;
void bench_random_free(struct bench_random *random);
PL_AUTO_DEFINE(struct bench_random, bench_random_free);
#define auto_random PL_AUTO(bench_random_free) struct bench_random
/* Returns whether prompts are sent as token ids. */
bool bench_random_sends_ids(const struct bench_random *random);

/*
 * Draws `count` lengths around these means, and the offsets. `prefix`: tokens before each prompt. Returns
 * -1 if a prompt could be empty, which random-mm allows. *ret must be freed with bench_random_draws_done().
 */
int bench_random_draw(struct bench_dataset_work *work, struct bench_random *random, size_t count,
		      int64_t input_len, int64_t output_len, int64_t prefix,
		      struct bench_random_draws *ret, struct pl_err *err) PL_MUST_CHECK;
void bench_random_draws_done(struct bench_random_draws *draws);
#define auto_draws \
	__attribute__((cleanup(bench_random_draws_done), unused)) struct bench_random_draws

/*
 * Fills fits[count] with the tokens of each prompt after `prefix`. The index of prompt i in its run of the
 * vocabulary is i + first. Texts are corrected until they have the drawn length; `more` is called after each
 * (NULL: not at all).
 */
int bench_random_make(struct bench_dataset_work *work, struct bench_random *random,
		      const struct bench_random_draws *draws, const struct bench_ids *prefix,
		      size_t first, const struct bench_random_more *more, struct bench_fit *fits,
		      struct pl_err *err) PL_MUST_CHECK;
/* The same for a prefix, whose tokens are drawn one by one. */
int bench_random_make_prefix(struct bench_dataset_work *work, struct bench_random *random,
			     size_t len, struct bench_ids *ret, struct pl_err *err) PL_MUST_CHECK;
/* Notes prompts without the requested length. */
void bench_random_note(struct bench_dataset_work *work, const struct bench_random *random);
/*
 * Returns the prompts of one request as a list of texts or of lists of ids; *ret_tokens: the sum of their
 * lengths. New reference.
 */
json_t *bench_random_list(const struct bench_random *random, const struct bench_fit *fits,
			  size_t count, int64_t *ret_tokens);
