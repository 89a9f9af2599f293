/* prefix_repetition: a few long prefixes, each with many suffixes. */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

struct plan {
	struct bench_dataset_work *work;
	struct bench_drawer drawer;
	bool as_ids;
};

static int64_t draw_id(void *rng, int64_t end)
{
	return pl_nplegacy_randint(rng, 0, end);
}

/* `len` random tokens, so chosen that their text has as many again. */
static int draw_part(struct plan *plan, int64_t len, struct bench_ids *ret, struct pl_err *err)
{
	struct bench_fit fit = { .ids = { .count = (size_t)len } };

	fit.ids.ids = pl_alloc_array(fit.ids.count, sizeof(uint32_t));
	for (size_t i = 0; i < fit.ids.count; i++)
		fit.ids.ids[i] = (uint32_t)draw_id(plan->drawer.rng, plan->drawer.vocab_size);
	if (len > 0 && !plan->as_ids &&
	    (bench_fit_all(plan->work->tokenizer, &fit, 1, err) < 0 ||
	     bench_fit_rest(plan->work->tokenizer, &plan->drawer, (size_t)len, &fit, err) < 0)) {
		bench_fit_done(&fit);
		return -1;
	}
	*ret = fit.ids;
	free(fit.text);
	return 0;
}

static void add_joined(struct plan *plan, const struct bench_ids *prefix,
		       const struct bench_ids *suffix)
{
	size_t count = prefix->count + suffix->count;
	struct bench_sample sample = {
		.ids = pl_alloc_array(count, sizeof(uint32_t)),
		.id_count = count,
		.prompt_tokens = (int64_t)count,
		.output_tokens = bench_dataset_output_len(
			plan->work->bench, plan->work->bench->prefix_repetition_output_len),
	};

	memcpy(sample.ids, prefix->ids, prefix->count * sizeof(uint32_t));
	memcpy(sample.ids + prefix->count, suffix->ids, suffix->count * sizeof(uint32_t));
	bench_dataset_add(plan->work, &sample);
}

static int add_group(struct plan *plan, struct pl_err *err)
{
	const struct vllm_bench *bench = plan->work->bench;
	struct bench_ids prefix = { 0 };
	int64_t prefix_len = bench->prefix_repetition_prefix_len;
	int64_t suffix_len = bench->prefix_repetition_suffix_len;

	if (bench_dataset_take_tokens(plan->work, prefix_len, err) < 0)
		return -1;
	int done = draw_part(plan, prefix_len, &prefix, err);
	for (int64_t i = 0;
	     i < bench->num_prompts / bench->prefix_repetition_num_prefixes && done == 0; i++) {
		struct bench_ids suffix = { 0 };
		if (bench_dataset_take_tokens(plan->work, prefix_len, err) < 0 ||
		    bench_dataset_take_tokens(plan->work, suffix_len, err) < 0)
			done = -1;
		else
			done = draw_part(plan, suffix_len, &suffix, err);
		if (done == 0)
			add_joined(plan, &prefix, &suffix);
		free(suffix.ids);
	}
	free(prefix.ids);
	return done;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	struct plan plan = { .work = work, .drawer = { .draw = draw_id, .rng = work->nplegacy } };

	if (bench_dataset_form(work, &plan.as_ids, err) < 0 ||
	    bench_dataset_vocabulary(work, &plan.drawer.vocab_size, err) < 0)
		return -1;
	for (int64_t i = 0; i < bench->prefix_repetition_num_prefixes; i++) {
		if (add_group(&plan, err) < 0)
			return pl_err_wrap(err, "prefix_repetition prompts");
	}
	if (!plan.as_ids && bench_dataset_decode(work, err) < 0)
		return pl_err_wrap(err, "prefix_repetition prompts");
	if (!bench->disable_shuffle)
		pl_pyrandom_shuffle(work->pyrandom, work->into->samples, work->into->count,
				    sizeof(*work->into->samples));
	for (size_t i = 0; i < work->into->count; i++)
		work->into->samples[i].index = RES_NO_COUNT;
	if ((int64_t)work->into->count < bench->num_prompts)
		bench_dataset_note(work->into,
				   "sending %zu prompts instead of num_prompts (%lld): the number "
				   "must be the same for each prefix",
				   work->into->count, (long long)bench->num_prompts);
	return 0;
}

const struct bench_dataset_kind bench_dataset_prefix_repetition = { .build = build };
