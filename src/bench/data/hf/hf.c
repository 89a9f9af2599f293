/*
 * hf: datasets of the Hugging Face hub, from files on this host. Records are read and shuffled as Python's `datasets`
 * does, and the first ones whose lengths fit make the samples.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "bench/data/hf/hf_priv.h"

#define CHUNK_MAX      1024
#define HASH_BYTES_MAX ((int64_t)8 << 30)

/* Lengths in tokens outside of which vLLM drops a record. */
#define TOKENS_MIN      4
#define PROMPT_MAX      1024
#define TOTAL_MAX       2048
#define LONG_PROMPT_MAX 2048
#define LONG_TOTAL_MAX  32000

static int open_dataset(const struct vllm_bench *bench, const struct hf_class **ret_class,
			struct pl_strv *ret_files, struct pl_err *err)
{
	auto_free char *name = bench_hf_name(bench);

	if (bench_hf_class_find(name, ret_class, err) < 0)
		return -1;
	if ((*ret_class)->traits & HF_TOOLS)
		return bench_hf_bfcl_files(bench, ret_files, err);
	return bench_hf_find(bench, (*ret_class)->split, ret_files, err);
}

static void entry_done(struct bench_entry *entry)
{
	free(entry->prompt);
	free(entry->completion);
	free(entry->system);
	json_decref(entry->object);
}

/* Finds the files, and reads the first record that is used. */
static int probe(const struct vllm_bench *bench, struct pl_err *err)
{
	const struct hf_class *class;
	struct vllm_bench unshuffled = *bench;
	auto_strv files = { 0 };
	struct bench_entry entry = { 0 };

	unshuffled.disable_shuffle = true;
	if (open_dataset(bench, &class, &files, err) < 0)
		return -1;
	if (class->traits & HF_TOOLS)
		return 0;
	PL_AUTO(bench_hf_order_free)
	struct hf_order *order = bench_hf_order_new(&files, class, &unshuffled);
	int status = bench_hf_order_next(order, &entry, err);
	if (status < 0)
		return -1;
	entry_done(&entry);
	return status == 1 ? 0 : pl_err_invalid(err, "%s: holds no record", bench->dataset_path);
}

/* Hashes the names and contents of the files. */
static int hash(const struct vllm_bench *bench, char **ret_sha256, struct pl_err *err)
{
	const struct hf_class *class;
	auto_strv files = { 0 };
	char hex[PL_SHA256_HEX_BYTES];
	int64_t bytes = 0;

	*ret_sha256 = NULL;
	if (open_dataset(bench, &class, &files, err) < 0)
		return -1;
	for (size_t i = 0; i < files.count; i++)
		bytes += pl_file_size(files.items[i]);
	if (bytes > HASH_BYTES_MAX)
		return 0;
	auto_digest *digest = pl_digest_new();
	for (size_t i = 0; i < files.count; i++) {
		auto_free char *name = pl_file_name(files.items[i]);
		if (pl_file_sha256(files.items[i], hex, err) < 0)
			return -1;
		pl_digest_add(digest, hex, strlen(hex));
		pl_digest_add(digest, name, strlen(name) + 1);
	}
	if (files.count > 1)
		pl_digest_end(digest, hex);
	*ret_sha256 = pl_strdup(hex);
	return 0;
}

/* ---- samples --------------------------------------------------------------------------------- */

static int64_t output_len(const struct vllm_bench *bench, const struct hf_class *class)
{
	int64_t set = bench_dataset_output_len(bench, bench->hf_output_len);

	if (set != OPTION_NO_I64 && !(class->traits & HF_ANY_LENGTH))
		return set;
	return class->traits & HF_MEASURED ? RES_NO_COUNT : class->output_len;
}

static bool is_usable(const struct hf_class *class, int64_t prompt, int64_t output, bool is_set)
{
	bool is_long = (class->traits & HF_LONG) != 0,
	     is_bare = (class->traits & HF_BARE_OUTPUT) != 0;

	if ((class->traits & HF_ANY_LENGTH) || (is_set && !is_bare))
		return true;
	return prompt >= TOKENS_MIN && prompt <= (is_long ? LONG_PROMPT_MAX : PROMPT_MAX) &&
	       output >= TOKENS_MIN && prompt + output <= (is_long ? LONG_TOTAL_MAX : TOTAL_MAX);
}

/* Counts the tokens of completions; those of a chat's output have no special tokens. */
static int count_completions(const struct bench_dataset_work *work, const struct hf_class *class,
			     size_t count, int64_t *ret, struct pl_err *err)
{
	auto_free const char **texts = pl_alloc_array(count, sizeof(*texts));
	auto_free struct bench_ids *ids = pl_alloc_array(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		texts[i] = work->entries.items[i].completion;
	if (bench_tokenizer_encode(work->tokenizer, texts, count, !(class->traits & HF_BARE_OUTPUT),
				   ids, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		ret[i] = (int64_t)ids[i].count;
		free(ids[i].ids);
	}
	return 0;
}

/* Adds the entries of `work` whose lengths fit, and empties it. */
static int add_chunk(struct bench_dataset_work *work, const struct hf_class *class,
		     const struct bench_sampling *how, struct pl_err *err)
{
	struct bench_entry *entries = work->entries.items;
	size_t count = work->entries.count;
	bool is_set = how->output_len != RES_NO_COUNT;
	auto_free int64_t *prompts = pl_alloc_array(count, sizeof(*prompts));
	auto_free int64_t *outputs = pl_alloc_array(count, sizeof(*outputs));
	auto_free const char **texts = pl_alloc_array(count, sizeof(*texts));

	if (how->templated && bench_entries_template(work, entries, count, how, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		texts[i] = entries[i].prompt;
		outputs[i] = how->output_len;
	}
	if (bench_count_tokens(work->tokenizer, texts, count, prompts, err) < 0 ||
	    (!is_set && count_completions(work, class, count, outputs, err) < 0))
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (work->into->count == (size_t)work->bench->num_prompts)
			break;
		if (outputs[i] < 1 || !is_usable(class, prompts[i], outputs[i], is_set))
			continue;
		struct bench_sample sample = { .prompt = pl_take(entries[i].prompt),
					       .prompt_tokens = prompts[i],
					       .output_tokens = outputs[i] };
		bench_dataset_add(work, &sample);
	}
	bench_entries_done(&work->entries);
	return 0;
}

/* Reads up to `count` entries. */
static int read_entries(struct hf_order *order, size_t count, struct bench_dataset_work *work,
			struct pl_err *err)
{
	struct bench_entry entry;
	int status = 1;

	while (status == 1 && work->entries.count < count) {
		status = bench_hf_order_next(order, &entry, err);
		if (status == 1)
			bench_entries_add(&work->entries, &entry);
	}
	return status < 0 ? -1 : 0;
}

/* The lengths decide which records are used, so more are read until there are enough. */
static int add_measured(struct bench_dataset_work *work, const struct hf_class *class,
			struct hf_order *order, const struct bench_sampling *how,
			struct pl_err *err)
{
	size_t wanted = (size_t)work->bench->num_prompts, chunk;

	if (work->tokenizer == NULL)
		return pl_err_invalid(
			err, "it needs a tokenizer to choose records by length; the server has no "
			     "usable /tokenize and /detokenize");
	do {
		chunk = wanted - work->into->count;
		chunk = chunk < 16 ? 16 : chunk > CHUNK_MAX ? CHUNK_MAX : chunk;
		if (read_entries(order, chunk, work, err) < 0)
			return -1;
		chunk = work->entries.count;
		if (chunk > 0 && add_chunk(work, class, how, err) < 0)
			return -1;
	} while (chunk > 0 && work->into->count < wanted);
	if (work->into->count == 0)
		return pl_err_invalid(err, "no record has a usable length");
	bench_dataset_oversample(work, how->seed);
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	const struct hf_class *class;
	auto_strv files = { 0 };
	int status;

	if (open_dataset(bench, &class, &files, err) < 0)
		return -1;
	if (class->traits & HF_TOOLS)
		return bench_hf_bfcl_build(work, output_len(bench, class), err);
	const struct bench_sampling how = {
		.seed = (uint64_t)bench->seed,
		.output_len = output_len(bench, class),
		.in_order = true,
		.templated = (class->traits & HF_TEMPLATED) && !bench->skip_chat_template,
	};
	PL_AUTO(bench_hf_order_free)
	struct hf_order *order = bench_hf_order_new(&files, class, bench);
	if (class->traits & HF_MEASURED) {
		status = add_measured(work, class, order, &how, err);
		return status < 0 ? pl_err_wrap(err, "dataset '%s'", bench->dataset_path) : 0;
	}
	if (read_entries(order, (size_t)bench->num_prompts, work, err) < 0)
		return pl_err_wrap(err, "dataset '%s'", bench->dataset_path);
	if (work->entries.count == 0)
		return pl_err_invalid(err, "%s: holds no record that is used", bench->dataset_path);
	return bench_entries_sample(work, &how, err);
}

const struct bench_dataset_kind bench_dataset_hf = {
	.nothing = "no records", .build = build, .probe = probe, .hash = hash
};
