/* Samples from the entries of a file, as in dataset custom. */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>

/* vLLM's length of an answer where it has no tokenizer. */
#define OUTPUT_UNCOUNTED 1

static int refuse_template(const struct bench_sampling *how, struct pl_err *err)
{
	auto_free char *words = pl_strdup(err->text);

	return pl_err_invalid(err, "chat template: %s%s", words,
			      how->without != NULL ? how->without : "");
}

int bench_entries_template(struct bench_dataset_work *work, struct bench_entry *entries,
			   size_t count, const struct bench_sampling *how, struct pl_err *err)
{
	auto_free const char **texts = pl_alloc_array(count, sizeof(*texts));
	auto_free const char **systems = pl_alloc_array(count, sizeof(*systems));
	bool has_systems = count > 0 && entries[0].system != NULL;
	auto_free struct bench_templated *made = pl_alloc_array(count, sizeof(*made));
	struct pl_err why = PL_ERR_INIT;
	int rc = -1;

	work->into->chat_template = "none";
	for (size_t i = 0; i < count; i++)
		texts[i] = entries[i].prompt;
	for (size_t i = 0; has_systems && i < count; i++)
		systems[i] = entries[i].system;
	if (work->tokenizer == NULL)
		pl_err_set(&why, PL_ERR_NOT_FOUND, "no tokenizer is available");
	else
		rc = bench_tokenizer_template(work->tokenizer, has_systems ? systems : NULL, texts,
					      count, how->template_args, made, &why);
	if (rc == 0) {
		for (size_t i = 0; i < count; i++) {
			free(entries[i].prompt);
			entries[i].prompt = made[i].text;
			entries[i].templated = made[i].tokens;
		}
		work->into->chat_template = "server";
		return 0;
	}
	if (why.code == PL_ERR_NOT_FOUND) {
		bench_dataset_note(work->into, "prompts are sent without a chat template: %s",
				   why.text);
		return 0;
	}
	*err = why;
	return why.code == PL_ERR_INVALID ? refuse_template(how, err) : -1;
}

static int count_prompts(struct bench_dataset_work *work, size_t count, int64_t *ret,
			 struct pl_err *err)
{
	auto_free const char **texts = pl_alloc_array(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = work->entries.items[i].prompt;
	return work->tokenizer != NULL ? bench_count_tokens(work->tokenizer, texts, count, ret, err)
				       : 0;
}

static struct bench_sample take_entry(const struct bench_dataset_work *work,
				      const struct bench_sampling *how, struct bench_entry *entry,
				      int64_t tokens)
{
	struct bench_sample sample = {
		.prompt = pl_take(entry->prompt),
		.inputs = pl_take(entry->object),
		.messages = pl_take(entry->messages),
		.media = pl_take(entry->media),
		.prompt_tokens = tokens,
		.output_tokens = how->output_len == RES_NO_COUNT ? entry->output_tokens
								 : how->output_len,
	};

	if (work->bench->skip_tokenizer_init && how->output_uncounted)
		sample.output_tokens = OUTPUT_UNCOUNTED;
	return sample;
}

/* Notes tokens lost by the server's decoding of the templated tokens, if the lengths show it. */
static void note_losses(struct bench_dataset_work *work, const int64_t *tokens, size_t count)
{
	const struct bench_entry *entries = work->entries.items;
	size_t special = work->tokenizer != NULL ? bench_tokenizer_special_count(work->tokenizer)
						 : 0;
	size_t lossy = 0;

	for (size_t i = 0; i < count; i++)
		lossy += entries[i].templated != 0 &&
			 tokens[i] != (int64_t)(entries[i].templated + special);
	if (lossy > 0)
		bench_dataset_note(work->into,
				   "%zu of %zu templated prompts are tokenized differently as text",
				   lossy, count);
}

int bench_entries_sample(struct bench_dataset_work *work, const struct bench_sampling *how,
			 struct pl_err *err)
{
	struct bench_entries *entries = &work->entries;
	int64_t requested = work->bench->num_prompts;
	bool all = requested < 1 || (uint64_t)requested > entries->count;
	size_t count = all ? entries->count : (size_t)requested;
	auto_free int64_t *tokens = pl_alloc_array(count, sizeof(*tokens));

	/* Shuffled before it is cut: another num_prompts takes more or fewer of the same order. */
	if (!how->in_order)
		bench_entries_shuffle(work, how->seed);
	work->into->chat_template = "none";
	/* only a model knows the text of an object, and its length */
	bool texts = entries->objects == 0;
	for (size_t i = 0; i < count; i++)
		tokens[i] = RES_NO_COUNT;
	if ((how->templated && texts &&
	     bench_entries_template(work, entries->items, count, how, err) < 0) ||
	    (texts && count_prompts(work, count, tokens, err) < 0))
		return pl_err_wrap(err, "dataset '%s'", work->bench->dataset_path);
	/* Counted after applying the template: the reported length is that of the sent text. */
	if (texts)
		note_losses(work, tokens, count);
	for (size_t i = 0; i < count; i++) {
		struct bench_sample sample = take_entry(work, how, &entries->items[i], tokens[i]);
		bench_dataset_add(work, &sample);
	}
	if (work->bench->skip_tokenizer_init)
		bench_dataset_note(work->into,
				   "the tokenizer is turned off: prompt lengths are unknown before "
				   "the run%s",
				   how->output_uncounted ? ", and each request asks for one token"
							 : "");
	else if (work->tokenizer == NULL)
		bench_dataset_note(
			work->into,
			"prompt lengths are unknown before the run: no tokenizer is available");
	bench_dataset_oversample(work, how->seed);
	return 0;
}
