#include "bench/data/random_prompts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/rng.h"
#include "experiment/kinds.h"
#include "experiment/values.h"

struct bench_random {
	struct pl_pcg64 pcg;
	int64_t vocab_size;
	uint32_t *allowed;
	size_t allowed_count;
	int64_t specials;  /* tokens that the server adds to a text */
	bool as_ids;       /* prompts are sent as token ids */
	size_t mismatches; /* prompts without the requested length */
	int64_t off;       /* sum of their differences */
};

static int take_vocabulary(const struct bench_dataset_work *work, struct bench_random *random,
			   struct pl_err *err)
{
	if (bench_dataset_vocabulary(work, &random->vocab_size, err) < 0)
		return -1;
	return bench_dataset_ids(work, &random->allowed, &random->allowed_count, err);
}

int bench_random_new(struct bench_dataset_work *work, struct bench_random **ret, struct pl_err *err)
{
	auto_random *random = pl_alloc(sizeof(*random));

	if (bench_dataset_form(work, &random->as_ids, err) < 0)
		return -1;
	/* A server adds no special tokens to ids. */
	if (!random->as_ids)
		random->specials = (int64_t)bench_tokenizer_special_count(work->tokenizer);
	if (take_vocabulary(work, random, err) < 0)
		return -1;
	pl_pcg64_seed(&random->pcg, (uint64_t)work->bench->seed);
	*ret = pl_take(random);
	return 0;
}

void bench_random_free(struct bench_random *random)
{
	if (random == NULL)
		return;
	free(random->allowed);
	free(random);
}

bool bench_random_sends_ids(const struct bench_random *random)
{
	return random->as_ids;
}

void bench_random_draws_done(struct bench_random_draws *draws)
{
	free(draws->input_lens);
	free(draws->output_lens);
	free(draws->offsets);
	*draws = (struct bench_random_draws){ 0 };
}

static int64_t *draw(struct bench_random *random, size_t count, int64_t low, int64_t end)
{
	int64_t *out = pl_alloc_array(count, sizeof(int64_t));

	for (size_t i = 0; i < count; i++)
		out[i] = pl_pcg64_integers(&random->pcg, low, end);
	return out;
}

int bench_random_draw(struct bench_dataset_work *work, struct bench_random *random, size_t count,
		      int64_t input_len, int64_t output_len, int64_t prefix,
		      struct bench_random_draws *ret, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	struct exp_range_ratio ratio = { 0, 0 };
	int64_t real = input_len > random->specials ? input_len - random->specials : 0;
	double out = (double)output_len;

	if (bench->random_range_ratio != NULL)
		(void)exp_range_ratio_parse(bench->random_range_ratio, &ratio);
	int64_t in_low = (int64_t)floor((double)real * (1 - ratio.input));
	int64_t in_high = (int64_t)ceil((double)real * (1 + ratio.input));
	int64_t out_low = (int64_t)fmax(1, floor(out * (1 - ratio.output)));
	int64_t out_high = (int64_t)fmax(1, ceil(out * (1 + ratio.output)));
	if (prefix + in_low < 1 && !exp_dataset_has(bench->dataset_name, EXP_DATASET_IMAGES))
		return pl_err_invalid(err,
				      "{benchmark.random_input_len} is too small: %lld minus %lld "
				      "special tokens and the range ratio leaves an empty prompt",
				      (long long)input_len, (long long)random->specials);
	*ret = (struct bench_random_draws){ .count = count };
	ret->input_lens = draw(random, count, in_low, in_high + 1);
	ret->output_lens = draw(random, count, out_low, out_high + 1);
	ret->offsets = draw(random, count, 0, random->vocab_size);
	return 0;
}

static struct bench_ids tokens_of(const struct bench_random *random,
				  const struct bench_random_draws *draws,
				  const struct bench_ids *prefix, size_t i, size_t first)
{
	size_t body = (size_t)draws->input_lens[i];
	struct bench_ids ids = { .count = prefix->count + body };
	uint64_t start = (uint64_t)draws->offsets[i] + first + i;

	ids.ids = pl_alloc_array(ids.count, sizeof(uint32_t));
	if (prefix->count > 0)
		memcpy(ids.ids, prefix->ids, prefix->count * sizeof(uint32_t));
	for (size_t j = 0; j < body; j++)
		ids.ids[prefix->count + j] = random->allowed[(start + j) % random->allowed_count];
	return ids;
}

static int64_t draw_id(void *rng, int64_t end)
{
	return pl_pcg64_integers(rng, 0, end);
}

static struct bench_drawer drawer_of(struct bench_random *random)
{
	return (struct bench_drawer){ draw_id, &random->pcg, random->vocab_size };
}

/*
 * Processes all prompts in one batch. Only prompts with a wrong length continue, one by one in order,
 * because each correction draws from the same generator.
 */
static int fit(struct bench_dataset_work *work, struct bench_random *random,
	       const struct bench_random_draws *draws, size_t prefix_len,
	       const struct bench_random_more *more, struct bench_fit *fits, struct pl_err *err)
{
	struct bench_drawer drawer = drawer_of(random);

	if (bench_fit_all(work->tokenizer, fits, draws->count, err) < 0)
		return -1;
	for (size_t i = 0; i < draws->count; i++) {
		size_t target = prefix_len + (size_t)draws->input_lens[i];
		if (bench_fit_rest(work->tokenizer, &drawer, target, &fits[i], err) < 0)
			return -1;
		random->mismatches += fits[i].ids.count != target;
		random->off += (int64_t)fits[i].ids.count - (int64_t)target;
		if (more != NULL && more->draw(more->user, i, &random->pcg, err) < 0)
			return -1;
	}
	return 0;
}

int bench_random_make(struct bench_dataset_work *work, struct bench_random *random,
		      const struct bench_random_draws *draws, const struct bench_ids *prefix,
		      size_t first, const struct bench_random_more *more, struct bench_fit *fits,
		      struct pl_err *err)
{
	for (size_t i = 0; i < draws->count; i++) {
		if (bench_dataset_take_tokens(work, (int64_t)prefix->count, err) < 0 ||
		    bench_dataset_take_tokens(work, draws->input_lens[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < draws->count; i++)
		fits[i].ids = tokens_of(random, draws, prefix, i, first);
	if (!random->as_ids)
		return fit(work, random, draws, prefix->count, more, fits, err);
	/* ids are sent as drawn: nothing is to be fitted */
	for (size_t i = 0; i < draws->count && more != NULL; i++) {
		if (more->draw(more->user, i, &random->pcg, err) < 0)
			return -1;
	}
	return 0;
}

int bench_random_make_prefix(struct bench_dataset_work *work, struct bench_random *random,
			     size_t len, struct bench_ids *ret, struct pl_err *err)
{
	struct bench_drawer drawer = drawer_of(random);
	struct bench_fit one = { .ids = { .count = len } };

	one.ids.ids = pl_alloc_array(len, sizeof(uint32_t));
	for (size_t i = 0; i < len; i++)
		one.ids.ids[i] = random->allowed[pl_pcg64_integers(&random->pcg, 0,
								   (int64_t)random->allowed_count)];
	if (len > 0 && !random->as_ids &&
	    (bench_fit_all(work->tokenizer, &one, 1, err) < 0 ||
	     bench_fit_rest(work->tokenizer, &drawer, len, &one, err) < 0)) {
		bench_fit_done(&one);
		return -1;
	}
	*ret = one.ids;
	free(one.text);
	return 0;
}

void bench_random_note(struct bench_dataset_work *work, const struct bench_random *random)
{
	if (random->mismatches > 0)
		bench_dataset_note(
			work->into,
			"%zu prompts do not have the requested length: %+lld tokens in total",
			random->mismatches, (long long)random->off);
}

static json_t *ids_json(const struct bench_ids *ids)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ids->count; i++)
		json_array_append_new(list, json_integer(ids->ids[i]));
	return list;
}

json_t *bench_random_list(const struct bench_random *random, const struct bench_fit *fits,
			  size_t count, int64_t *ret_tokens)
{
	json_t *list = json_array();

	*ret_tokens = 0;
	for (size_t i = 0; i < count; i++) {
		json_array_append_new(list, random->as_ids ? ids_json(&fits[i].ids)
							   : pl_json_from_ctext(fits[i].text));
		*ret_tokens += (int64_t)fits[i].ids.count;
	}
	return list;
}
