/*
 * random: prompts of generated tokens, with the random draws of numpy's PCG64 in vLLM's order: all
 * input lengths, all output lengths, all offsets, and then the draws for corrections. Prompt i is a
 * run of the vocabulary that starts at its offset + i: two prompts rarely start alike, so prefix
 * caching does not help by accident. The text of such ids rarely has the same number of tokens
 * (adjacent tokens merge, halves of characters are lost), so it is corrected until it has; sent as
 * ids, the length is exact at once.
 */
#include "bench/data/dataset_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/rng.h"
#include "experiment/values.h"

struct bounds {
	int64_t in_low, in_high;
	int64_t out_low, out_high;
};

/* The random draws of the whole dataset, and the tokens allowed in prompts. */
struct plan {
	struct pl_pcg64 pcg;
	int64_t vocab_size;
	uint32_t *allowed;
	size_t allowed_count;
	size_t count;
	int64_t *input_lens;
	int64_t *output_lens;
	int64_t *offsets;
	struct bench_ids prefix;
};

static void plan_done(struct plan *plan)
{
	free(plan->allowed);
	free(plan->input_lens);
	free(plan->output_lens);
	free(plan->offsets);
	free(plan->prefix.ids);
}
#define auto_plan __attribute__((cleanup(plan_done), unused)) struct plan

static int64_t input_len(const struct vllm_bench *bench)
{
	return bench->input_len != OPTION_NO_I64 ? bench->input_len : bench->random_input_len;
}

/* The ids 0 .. vocab_size - 1 without those of special tokens. */
static int plan_vocabulary(const struct bench_dataset_work *work, struct plan *plan,
			   struct pl_err *err)
{
	const uint32_t *special = NULL;
	size_t special_count = 0;

	if (bench_dataset_vocabulary(work, &plan->vocab_size, err) < 0)
		return -1;
	if (work->tokenizer != NULL)
		special = bench_tokenizer_special_ids(work->tokenizer, &special_count);
	auto_free bool *left_out = pl_alloc_array((size_t)plan->vocab_size, sizeof(bool));
	for (size_t i = 0; i < special_count; i++) {
		if (special[i] < plan->vocab_size)
			left_out[special[i]] = true;
	}
	plan->allowed = pl_alloc_array((size_t)plan->vocab_size, sizeof(uint32_t));
	for (int64_t id = 0; id < plan->vocab_size; id++) {
		if (!left_out[id])
			plan->allowed[plan->allowed_count++] = (uint32_t)id;
	}
	if (plan->allowed_count == 0)
		return pl_err_invalid(err, "a vocabulary of %lld tokens has only special tokens",
				      (long long)plan->vocab_size);
	return 0;
}

static int64_t *draw(struct plan *plan, int64_t low, int64_t end)
{
	int64_t *out = pl_alloc_array(plan->count, sizeof(int64_t));

	for (size_t i = 0; i < plan->count; i++)
		out[i] = pl_pcg64_integers(&plan->pcg, low, end);
	return out;
}

static struct bench_ids tokens_of(const struct plan *plan, size_t i)
{
	size_t body = (size_t)plan->input_lens[i];
	struct bench_ids ids = { .count = plan->prefix.count + body };
	uint64_t start = (uint64_t)plan->offsets[i] + i;

	ids.ids = pl_alloc_array(ids.count, sizeof(uint32_t));
	if (plan->prefix.count > 0)
		memcpy(ids.ids, plan->prefix.ids, plan->prefix.count * sizeof(uint32_t));
	for (size_t j = 0; j < body; j++)
		ids.ids[plan->prefix.count + j] = plan->allowed[(start + j) % plan->allowed_count];
	return ids;
}

static int64_t draw_id(void *rng, int64_t end)
{
	return pl_pcg64_integers(rng, 0, end);
}

static struct bench_drawer drawer_of(struct plan *plan)
{
	return (struct bench_drawer){ draw_id, &plan->pcg, plan->vocab_size };
}

static int fit_prefix(const struct bench_tokenizer *tokenizer, struct plan *plan,
		      struct pl_err *err)
{
	struct bench_drawer drawer = drawer_of(plan);
	struct bench_fit fit = { .ids = plan->prefix };
	size_t target = plan->prefix.count;

	if (target == 0)
		return 0;
	plan->prefix = (struct bench_ids){ 0 };
	if (bench_fit_all(tokenizer, &fit, 1, err) < 0 ||
	    bench_fit_rest(tokenizer, &drawer, target, &fit, err) < 0) {
		bench_fit_done(&fit);
		return -1;
	}
	plan->prefix = fit.ids;
	free(fit.text);
	return 0;
}

/*
 * Processes all prompts in one batch. Only prompts with a wrong length continue, one by one in
 * order, because each correction draws from the same generator.
 */
static int add_texts(struct bench_dataset_work *work, struct plan *plan, size_t prefix_len,
		     struct bench_fit *fits, struct pl_err *err)
{
	struct bench_drawer drawer = drawer_of(plan);
	size_t mismatches = 0;
	int64_t total = 0;

	for (size_t i = 0; i < plan->count; i++)
		fits[i].ids = tokens_of(plan, i);
	if (bench_fit_all(work->tokenizer, fits, plan->count, err) < 0)
		return -1;
	for (size_t i = 0; i < plan->count; i++) {
		size_t target = prefix_len + (size_t)plan->input_lens[i];
		if (bench_fit_rest(work->tokenizer, &drawer, target, &fits[i], err) < 0)
			return -1;
		mismatches += fits[i].ids.count != target;
		total += (int64_t)fits[i].ids.count - (int64_t)target;
		struct bench_sample sample = {
			.prompt = pl_take(fits[i].text),
			.prompt_tokens = (int64_t)fits[i].ids.count,
			.output_tokens = plan->output_lens[i],
		};
		bench_dataset_add(work, &sample);
	}
	if (mismatches > 0)
		bench_dataset_note(
			work->into,
			"%zu prompts do not have the requested length: %+lld tokens in total",
			mismatches, (long long)total);
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	struct bounds bounds;
	auto_plan plan = { 0 };
	bool as_ids;

	if (bench_dataset_form(work, &as_ids, err) < 0)
		return -1;
	/* A server adds no special tokens to ids. */
	size_t special_count = as_ids ? 0 : bench_tokenizer_special_count(work->tokenizer);
	struct exp_range_ratio ratio = { 0, 0 };
	int64_t specials = (int64_t)special_count;
	int64_t real = input_len(bench) > specials ? input_len(bench) - specials : 0;
	double out = (double)bench_dataset_output_len(bench, bench->random_output_len);
	if (bench->random_range_ratio != NULL)
		(void)exp_range_ratio_parse(bench->random_range_ratio, &ratio);
	bounds.in_low = (int64_t)floor((double)real * (1 - ratio.input));
	bounds.in_high = (int64_t)ceil((double)real * (1 + ratio.input));
	bounds.out_low = (int64_t)fmax(1, floor(out * (1 - ratio.output)));
	bounds.out_high = (int64_t)fmax(1, ceil(out * (1 + ratio.output)));
	if (bench->random_prefix_len + bounds.in_low < 1)
		return pl_err_invalid(err,
				      "{benchmark.random_input_len} is too small: %lld minus %zu "
				      "special tokens and the range ratio leaves an empty prompt",
				      (long long)input_len(bench), special_count);
	if (plan_vocabulary(work, &plan, err) < 0)
		return -1;
	if (bench_dataset_take_tokens(work, bench->random_prefix_len, err) < 0)
		return -1;
	plan.count = (size_t)bench->num_prompts;
	pl_pcg64_seed(&plan.pcg, (uint64_t)bench->seed);
	plan.input_lens = draw(&plan, bounds.in_low, bounds.in_high + 1);
	plan.output_lens = draw(&plan, bounds.out_low, bounds.out_high + 1);
	plan.offsets = draw(&plan, 0, plan.vocab_size);
	plan.prefix.count = (size_t)bench->random_prefix_len;
	plan.prefix.ids = pl_alloc_array(plan.prefix.count, sizeof(uint32_t));
	for (size_t i = 0; i < plan.prefix.count; i++)
		plan.prefix.ids[i] =
			plan.allowed[pl_pcg64_integers(&plan.pcg, 0, (int64_t)plan.allowed_count)];
	for (size_t i = 0; i < plan.count; i++) {
		int64_t prefix = (int64_t)plan.prefix.count;
		if (bench_dataset_take_tokens(work, prefix, err) < 0 ||
		    bench_dataset_take_tokens(work, plan.input_lens[i], err) < 0)
			return -1;
	}
	if (!as_ids) {
		size_t prefix_len = plan.prefix.count;
		if (fit_prefix(work->tokenizer, &plan, err) < 0)
			return pl_err_wrap(err, "prefix of the random prompts");
		auto_free struct bench_fit *fits = pl_alloc_array(plan.count, sizeof(*fits));
		int rc = add_texts(work, &plan, prefix_len, fits, err);
		for (size_t i = 0; i < plan.count; i++)
			bench_fit_done(&fits[i]);
		return rc < 0 ? pl_err_wrap(err, "random prompts") : 0;
	}
	/* Prompts as token ids: sent as drawn, so that nothing is to be fitted. */
	for (size_t i = 0; i < plan.count; i++) {
		struct bench_ids ids = tokens_of(&plan, i);
		struct bench_sample sample = {
			.ids = ids.ids,
			.id_count = ids.count,
			.prompt_tokens = (int64_t)ids.count,
			.output_tokens = plan.output_lens[i],
		};
		bench_dataset_add(work, &sample);
	}
	return 0;
}

const struct bench_dataset_kind bench_dataset_random = { .build = build };
