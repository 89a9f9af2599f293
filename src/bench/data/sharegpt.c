#include "bench/data/dataset_priv.h"

#include <stdlib.h>

#include "base/json.h"

/* Texts asked of the tokenizer at once. */
#define CHUNK_MAX 4096

/* Lengths in tokens outside of which vLLM drops a conversation. */
#define PROMPT_TOKENS_MIN 4
#define PROMPT_TOKENS_MAX 1024
#define OUTPUT_TOKENS_MIN 4
#define TOTAL_TOKENS_MAX  2048

/* The caller's; NULL: no text. */
static char *turn_text(const json_t *turns, size_t i)
{
	return pl_json_to_ctext(json_object_get(json_array_get(turns, i), "value"));
}

int bench_sharegpt_parse(const char *text, size_t len, const char *source,
			 struct bench_entries *ret, struct pl_err *err)
{
	auto_json json_t *list = NULL;
	auto_entries entries = { 0 };
	json_t *item;
	size_t i;

	if (pl_json_parse_texts(text, len, source, &list, err) < 0)
		return -1;
	if (!json_is_array(list))
		return pl_err_set(err, PL_ERR_INVALID, "%s: expected an array of conversations",
				  source);
	json_array_foreach(list, i, item)
	{
		const json_t *turns = json_object_get(item, "conversations");
		if (json_array_size(turns) < 2)
			continue;
		auto_free char *prompt = turn_text(turns, 0);
		auto_free char *completion = turn_text(turns, 1);
		if (prompt == NULL || completion == NULL)
			return pl_err_set(err, PL_ERR_INVALID,
					  "%s: entry %zu: the first two turns need a text 'value'",
					  source, i + 1);
		entries.with_media += json_object_get(item, "image") != NULL ||
				      json_object_get(item, "video") != NULL;
		struct bench_entry entry = {
			.prompt = pl_take(prompt),
			.completion = pl_take(completion),
			.output_tokens = RES_NO_COUNT,
		};
		bench_entries_add(&entries, &entry);
	}
	if (entries.count == 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "%s: holds no conversation of two turns or more", source);
	*ret = entries;
	entries = (struct bench_entries){ 0 };
	return 0;
}

static int check(const struct vllm_bench *bench, struct pl_err *err)
{
	auto_entries entries = { 0 };

	return bench_entries_load(bench, bench_sharegpt_parse, NULL, &entries, err);
}

static int64_t fixed_output(const struct vllm_bench *bench)
{
	return bench_dataset_output_len(bench, bench->sharegpt_output_len);
}

static bool is_usable(int64_t prompt, int64_t output, bool fixed)
{
	return prompt >= PROMPT_TOKENS_MIN && prompt <= PROMPT_TOKENS_MAX &&
	       (fixed || output >= OUTPUT_TOKENS_MIN) && prompt + output <= TOTAL_TOKENS_MAX;
}

/* Token counts of prompts, or of completions, with special tokens. */
static int count_tokens(const struct bench_tokenizer *tokenizer, const struct bench_entry *entries,
			size_t count, bool completions, int64_t *ret, struct pl_err *err)
{
	auto_free const char **texts = pl_alloc_array(count, sizeof(*texts));
	auto_free struct bench_ids *ids = pl_alloc_array(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		texts[i] = completions ? entries[i].completion : entries[i].prompt;
	if (bench_tokenizer_encode(tokenizer, texts, count, true, ids, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		ret[i] = (int64_t)ids[i].count;
		free(ids[i].ids);
	}
	return 0;
}

static int add_chunk(struct bench_dataset_work *work, struct bench_entry *entries, size_t count,
		     struct pl_err *err)
{
	int64_t fixed = fixed_output(work->bench);
	auto_free int64_t *prompts = pl_alloc_array(count, sizeof(int64_t));
	auto_free int64_t *outputs = pl_alloc_array(count, sizeof(int64_t));

	if (count_tokens(work->tokenizer, entries, count, false, prompts, err) < 0 ||
	    (fixed == OPTION_NO_I64 &&
	     count_tokens(work->tokenizer, entries, count, true, outputs, err) < 0))
		return -1;
	for (size_t i = 0; i < count; i++) {
		int64_t output = fixed != OPTION_NO_I64 ? fixed : outputs[i];
		if (work->into->count == (size_t)work->bench->num_prompts)
			break;
		if (!is_usable(prompts[i], output, fixed != OPTION_NO_I64))
			continue;
		struct bench_sample sample = {
			.prompt = pl_take(entries[i].prompt),
			.prompt_tokens = prompts[i],
			.output_tokens = output,
		};
		bench_dataset_add(work, &sample);
	}
	return 0;
}

/* A little more than is missing, since some will be dropped. */
static size_t chunk_size(size_t missing, size_t left)
{
	size_t size = missing < CHUNK_MAX ? missing + missing / 4 + 16 : CHUNK_MAX;

	return size < left ? size : left;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	size_t wanted = (size_t)work->bench->num_prompts;
	auto_entries entries = { 0 };

	if (work->tokenizer == NULL)
		return pl_err_set(
			err, PL_ERR_INVALID,
			"data set 'sharegpt' needs a tokenizer to choose conversations by "
			"length: the server has no /tokenize and /detokenize");
	if (bench_entries_load(work->bench, bench_sharegpt_parse, &work->into->sha256, &entries,
			       err) < 0)
		return -1;
	bench_entries_shuffle(&entries, work, (uint64_t)work->bench->seed);
	for (size_t at = 0; at < entries.count && work->into->count < wanted;) {
		size_t size = chunk_size(wanted - work->into->count, entries.count - at);
		if (add_chunk(work, entries.items + at, size, err) < 0)
			return pl_err_wrap(err, "data set '%s'", work->bench->dataset_path);
		at += size;
	}
	if (work->into->count == 0)
		return pl_err_set(
			err, PL_ERR_INVALID,
			"%s: no conversation has a usable length (prompt %d to %d tokens, "
			"with its output at most %d)",
			work->bench->dataset_path, PROMPT_TOKENS_MIN, PROMPT_TOKENS_MAX,
			TOTAL_TOKENS_MAX);
	if (entries.with_media > 0)
		bench_dataset_note(work->into,
				   "%zu conversations carry an image or a video, which is not sent",
				   entries.with_media);
	bench_dataset_oversample(work, (uint64_t)work->bench->seed);
	return 0;
}

const struct bench_dataset_kind bench_dataset_sharegpt = { .check = check, .build = build };
