/*
 * sharegpt: real conversations. The first turn is the prompt, the length of the second one the
 * requested output length, so lengths have a realistic distribution. The selection is vLLM's
 * (is_valid_sequence() of its datasets): conversations that are too short or too long for vLLM are
 * dropped here, too, or the later samples would differ.
 */
#include "bench/data/conversations.h"

/* Texts per call of the tokenizer. */
#define CHUNK_MAX 4096

/* Lengths in tokens outside of which vLLM drops a conversation. */
#define PROMPT_TOKENS_MIN 4
#define PROMPT_TOKENS_MAX 1024
#define OUTPUT_TOKENS_MIN 4
#define TOTAL_TOKENS_MAX  2048

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	return bench_conversations_parse(bench->dataset_path, text, len, into, err);
}

static int read_file(const struct vllm_bench *bench, int fd, struct bench_entries *into,
		     struct pl_err *err)
{
	return bench_conversations_read(bench->dataset_path, fd, into, err);
}

static bool is_usable(int64_t prompt, int64_t output, bool fixed)
{
	return prompt >= PROMPT_TOKENS_MIN && prompt <= PROMPT_TOKENS_MAX &&
	       (fixed || output >= OUTPUT_TOKENS_MIN) && prompt + output <= TOTAL_TOKENS_MAX;
}

/* Counts the tokens of prompts or of completions. */
static int count_tokens(const struct bench_tokenizer *tokenizer, const struct bench_entry *entries,
			size_t count, bool completions, int64_t *ret, struct pl_err *err)
{
	auto_free const char **texts = pl_alloc_array(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = completions ? entries[i].completion : entries[i].prompt;
	return bench_count_tokens(tokenizer, texts, count, ret, err);
}

static int add_chunk(struct bench_dataset_work *work, struct bench_entry *entries, size_t count,
		     struct pl_err *err)
{
	int64_t fixed = bench_dataset_output_len(work->bench, work->bench->sharegpt_output_len);
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

/* Slightly more than is missing, because some are dropped. */
static size_t chunk_size(size_t missing, size_t left)
{
	size_t size = missing < CHUNK_MAX ? missing + missing / 4 + 16 : CHUNK_MAX;

	return size < left ? size : left;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	size_t wanted = (size_t)work->bench->num_prompts;
	struct bench_entries *entries = &work->entries;

	if (work->tokenizer == NULL)
		return pl_err_invalid(
			err, "dataset 'sharegpt' needs a tokenizer to choose conversations by "
			     "length; the server has no usable /tokenize and /detokenize");
	bench_entries_shuffle(work, (uint64_t)work->bench->seed);
	for (size_t at = 0; at < entries->count && work->into->count < wanted;) {
		size_t size = chunk_size(wanted - work->into->count, entries->count - at);
		if (add_chunk(work, entries->items + at, size, err) < 0)
			return pl_err_wrap(err, "dataset '%s'", work->bench->dataset_path);
		at += size;
	}
	if (work->into->count == 0)
		return pl_err_invalid(
			err,
			"%s: no conversation has a usable length (prompt %d to %d tokens, "
			"with its output at most %d)",
			work->bench->dataset_path, PROMPT_TOKENS_MIN, PROMPT_TOKENS_MAX,
			TOTAL_TOKENS_MAX);
	if (entries->with_media > 0 && bench_dataset_wants_media(work->bench))
		return pl_err_invalid(
			err,
			"%s: %zu conversations have an image or a video, which this "
			"version does not send; use backend openai-embeddings-chat or "
			"infinity-embeddings to send their texts",
			work->bench->dataset_path, entries->with_media);
	if (entries->with_media > 0)
		bench_dataset_note(work->into,
				   "%zu conversations have an image or a video, which is not sent",
				   entries->with_media);
	bench_dataset_oversample(work, (uint64_t)work->bench->seed);
	return 0;
}

const struct bench_dataset_kind bench_dataset_sharegpt = {
	.parse = parse,
	.read = read_file,
	.nothing = "no conversation has two or more turns",
	.build = build
};
