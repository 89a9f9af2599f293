/*
 * random: prompts of generated tokens. Prompt i is a run of the vocabulary that starts at its offset + i:
 * two prompts rarely start alike, so prefix caching does not help by accident. The text of such ids
 * rarely has the same number of tokens (adjacent tokens merge, halves of characters are lost), so it is
 * corrected until it has; sent as ids, the length is exact at once.
 */
#include "bench/data/random_prompts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t input_len(const struct vllm_bench *bench)
{
	return bench->input_len != OPTION_NO_I64 ? bench->input_len : bench->random_input_len;
}

/* One prompt per request. */
static void add_one(struct bench_dataset_work *work, const struct bench_random *random,
		    int64_t output_len, struct bench_fit *fit)
{
	struct bench_sample sample = {
		.prompt_tokens = (int64_t)fit->ids.count,
		.output_tokens = output_len,
	};

	if (bench_random_sends_ids(random)) {
		sample.id_count = fit->ids.count;
		sample.ids = pl_take(fit->ids.ids);
	} else {
		sample.prompt = pl_take(fit->text);
	}
	bench_dataset_add(work, &sample);
}

/*
 * Warm prompts, spread evenly, start with the same tokens: the first ones of a generated prompt. Lengths stay as they
 * are.
 */
static void warm(const struct vllm_bench *bench, struct bench_fit *fits, size_t count)
{
	const struct bench_ids *first = NULL;

	for (size_t i = 0; i < count; i++) {
		struct bench_ids *ids = &fits[i].ids;
		double share = bench->random_cache_hit_fraction;
		if (floor((double)(i + 1) * share) <= floor((double)i * share))
			continue;
		size_t len = (size_t)(bench->random_cache_ratio * (double)ids->count);
		if (first == NULL)
			first = ids;
		/* a longer prompt shares no more than the first one has */
		len = len < first->count ? len : first->count;
		if (ids != first && len > 0)
			memcpy(ids->ids, first->ids, len * sizeof(*ids->ids));
	}
}

static void add_all(struct bench_dataset_work *work, const struct bench_random *random,
		    const struct bench_random_draws *draws, struct bench_fit *fits)
{
	size_t size = (size_t)work->bench->random_batch_size;

	for (size_t i = 0; i < draws->count && size == 1; i++)
		add_one(work, random, draws->output_lens[i], &fits[i]);
	/* lists of prompts, for pooling backends */
	for (size_t i = 0; i < draws->count && size > 1; i += size) {
		size_t count = draws->count - i < size ? draws->count - i : size;
		struct bench_sample sample = { .output_tokens = 0 };
		sample.inputs = bench_random_list(random, fits + i, count, &sample.prompt_tokens);
		bench_dataset_add(work, &sample);
	}
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	size_t prefix_len = (size_t)bench->random_prefix_len;
	struct bench_ids prefix = { 0 };
	auto_random *random = NULL;
	auto_draws draws = { 0 };

	if (bench_random_new(work, &random, err) < 0 ||
	    bench_random_draw(work, random, (size_t)bench->num_prompts, input_len(bench),
			      bench_dataset_output_len(bench, bench->random_output_len),
			      bench->random_prefix_len, &draws, err) < 0 ||
	    bench_dataset_take_tokens(work, bench->random_prefix_len, err) < 0)
		return -1;
	if (bench_random_make_prefix(work, random, prefix_len, &prefix, err) < 0)
		return pl_err_wrap(err, "prefix of the random prompts");
	auto_free struct bench_fit *fits = pl_alloc_array(draws.count, sizeof(*fits));
	int done = bench_random_make(work, random, &draws, &prefix, 0, NULL, fits, err);
	if (done == 0) {
		if (bench_random_sends_ids(random))
			warm(bench, fits, draws.count);
		add_all(work, random, &draws, fits);
		bench_random_note(work, random);
	}
	for (size_t i = 0; i < draws.count; i++)
		bench_fit_done(&fits[i]);
	free(prefix.ids);
	return done < 0 ? pl_err_wrap(err, "random prompts") : 0;
}

const struct bench_dataset_kind bench_dataset_random = { .build = build };
