/* Texts with a given number of tokens, shared by the generated datasets. */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>

#include "experiment/kinds.h"

/* How often a prompt is corrected before its length is taken as it is. */
#define FIT_TRIES 10

void bench_fit_done(struct bench_fit *fit)
{
	free(fit->text);
	free(fit->ids.ids);
	*fit = (struct bench_fit){ 0 };
}

int bench_fit_all(const struct bench_tokenizer *tokenizer, struct bench_fit *fits, size_t count,
		  struct pl_err *err)
{
	auto_free struct bench_ids *ids = pl_alloc_array(count, sizeof(*ids));
	auto_free char **texts = pl_alloc_array(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		ids[i] = fits[i].ids;
	if (bench_tokenizer_decode(tokenizer, ids, count, texts, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		bench_fit_done(&fits[i]);
		fits[i].text = texts[i];
	}
	if (bench_tokenizer_encode(tokenizer, (const char *const *)texts, count, false, ids, err) <
	    0)
		return -1;
	for (size_t i = 0; i < count; i++)
		fits[i].ids = ids[i];
	return 0;
}

int bench_fit_rest(const struct bench_tokenizer *tokenizer, const struct bench_drawer *drawer,
		   size_t target, struct bench_fit *fit, struct pl_err *err)
{
	for (int tries = FIT_TRIES; tries > 0 && fit->ids.count != target; tries--) {
		if (fit->ids.count < target) {
			fit->ids.ids = pl_realloc_array(fit->ids.ids, target,
							sizeof(*fit->ids.ids));
			for (size_t i = fit->ids.count; i < target; i++)
				fit->ids.ids[i] = (uint32_t)drawer->draw(drawer->rng,
									 drawer->vocab_size);
		}
		fit->ids.count = target;
		if (bench_fit_all(tokenizer, fit, 1, err) < 0)
			return -1;
	}
	return 0;
}

int bench_dataset_vocabulary(const struct bench_dataset_work *work, int64_t *ret,
			     struct pl_err *err)
{
	int64_t size = work->bench->vocab_size != OPTION_NO_I64 ? work->bench->vocab_size : 0;

	if (size == 0 && work->tokenizer != NULL)
		size = bench_tokenizer_vocab_size(work->tokenizer);
	if (size <= 0)
		return pl_err_invalid(err,
				      "dataset '%s' needs the size of the vocabulary; set "
				      "{benchmark.tokenizer} or {benchmark.vocab_size}",
				      work->bench->dataset_name);
	*ret = size;
	return 0;
}

int bench_dataset_ids(const struct bench_dataset_work *work, uint32_t **ret, size_t *ret_count,
		      struct pl_err *err)
{
	const uint32_t *special = NULL;
	size_t special_count = 0, count = 0;
	int64_t vocab_size = 0;

	if (bench_dataset_vocabulary(work, &vocab_size, err) < 0)
		return -1;
	if (work->tokenizer != NULL)
		special = bench_tokenizer_special_ids(work->tokenizer, &special_count);
	auto_free bool *left_out = pl_alloc_array((size_t)vocab_size, sizeof(bool));
	for (size_t i = 0; i < special_count; i++) {
		if (special[i] < vocab_size)
			left_out[special[i]] = true;
	}
	auto_free uint32_t *ids = pl_alloc_array((size_t)vocab_size, sizeof(uint32_t));
	for (int64_t id = 0; id < vocab_size; id++) {
		if (!left_out[id])
			ids[count++] = (uint32_t)id;
	}
	if (count == 0)
		return pl_err_invalid(err, "a vocabulary of %lld tokens has only special tokens",
				      (long long)vocab_size);
	*ret = pl_take(ids);
	*ret_count = count;
	return 0;
}

int bench_dataset_form(struct bench_dataset_work *work, bool *ret_as_ids, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;

	*ret_as_ids = bench->prompt_token_ids || work->tokenizer == NULL;
	if (!*ret_as_ids)
		return 0;
	if (!exp_backend_has(bench->backend, EXP_BACKEND_TAKES_IDS))
		return pl_err_invalid(
			err,
			"dataset '%s' needs a tokenizer: backend '%s' accepts no token ids, and "
			"the server has no usable /tokenize and /detokenize%s",
			bench->dataset_name, bench->backend,
			exp_backend_has(bench->backend, EXP_BACKEND_PAIRS)
				? ""
				: "; use the dataset 'custom'");
	work->into->prompt_form = "token_ids";
	if (!bench->prompt_token_ids)
		bench_dataset_note(
			work->into,
			"prompts are sent as token ids: no tokenizer is available to make text");
	return 0;
}

bool bench_dataset_takes_objects(const struct vllm_bench *bench)
{
	return exp_backend_has(bench->backend, EXP_BACKEND_OBJECTS);
}

bool bench_dataset_wants_media(const struct vllm_bench *bench)
{
	return exp_backend_has(bench->backend, EXP_BACKEND_OF_MEDIA);
}

int bench_dataset_decode(struct bench_dataset_work *work, struct pl_err *err)
{
	struct bench_dataset *into = work->into;
	auto_free struct bench_ids *ids = pl_alloc_array(into->count, sizeof(*ids));
	auto_free char **texts = pl_alloc_array(into->count, sizeof(*texts));

	for (size_t i = 0; i < into->count; i++)
		ids[i] = (struct bench_ids){ into->samples[i].ids, into->samples[i].id_count };
	if (bench_tokenizer_decode(work->tokenizer, ids, into->count, texts, err) < 0)
		return -1;
	for (size_t i = 0; i < into->count; i++) {
		into->samples[i].prompt = texts[i];
		free(pl_take(into->samples[i].ids));
		into->samples[i].id_count = 0;
	}
	return 0;
}
