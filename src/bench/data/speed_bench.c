/* speed_bench: the first message of each record of a part of SPEED-Bench, of one category or of all. */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/text.h"

/* vLLM does not pass the seed to this dataset. */
#define FIXED_SEED 0

/* vLLM's directory has one file per part; a file is read as it is. */
static char *path_of(const struct vllm_bench *bench)
{
	struct stat file;

	if (stat(bench->dataset_path, &file) < 0 || !S_ISDIR(file.st_mode))
		return NULL;
	return pl_asprintf("%s/%s.jsonl", bench->dataset_path, bench->speed_bench_dataset_subset);
}

static int take_line(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		     struct bench_entries *into, struct pl_err *err)
{
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };
	const json_t *first = json_array_get(json_object_get(json, "messages"), 0);
	const json_t *prompt = json_object_get(first, "content");

	if (!json_is_string(prompt))
		return pl_err_invalid(err,
				      "%s:%zu: expected an object with 'messages', a list whose "
				      "first item has a string 'content'",
				      bench->dataset_path, line_no);
	if (bench->speed_bench_category != NULL &&
	    !pl_text_equal(pl_json_get_text(json, "category"), bench->speed_bench_category))
		return 0;
	entry.prompt = pl_json_to_ctext(prompt);
	bench_entries_add(into, &entry);
	return 0;
}

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	if (bench_json_lines(bench, text, len, 0, take_line, into, err) < 0)
		return -1;
	if (into->count == 0 && bench->speed_bench_category != NULL)
		return pl_err_invalid(err, "%s: has no record of category '%s'",
				      bench->dataset_path, bench->speed_bench_category);
	return 0;
}

/* Removes the prompts that are longer than speed_bench_max_input_len, before the template. */
static int drop_long(struct bench_dataset_work *work, struct pl_err *err)
{
	struct bench_entries *entries = &work->entries;
	auto_free const char **texts = pl_alloc_array(entries->count, sizeof(*texts));
	auto_free int64_t *tokens = pl_alloc_array(entries->count, sizeof(*tokens));
	size_t count = entries->count, kept = 0;

	if (work->tokenizer == NULL)
		return pl_err_invalid(err, "{benchmark.speed_bench_max_input_len} needs a "
					   "tokenizer; the server has no usable /tokenize");
	for (size_t i = 0; i < count; i++)
		texts[i] = entries->items[i].prompt;
	if (bench_count_tokens(work->tokenizer, texts, count, tokens, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (tokens[i] > work->bench->speed_bench_max_input_len)
			free(entries->items[i].prompt);
		else
			entries->items[kept++] = entries->items[i];
	}
	entries->count = kept;
	if (kept == 0)
		return pl_err_invalid(err,
				      "all %zu prompts have more than "
				      "{benchmark.speed_bench_max_input_len} (%lld) tokens",
				      count, (long long)work->bench->speed_bench_max_input_len);
	if (kept < count)
		bench_dataset_note(work->into, "%zu of %zu prompts are too long and were skipped",
				   count - kept, count);
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	const struct bench_sampling how = {
		.seed = FIXED_SEED,
		.output_len = bench_dataset_output_len(bench, bench->speed_bench_output_len),
		.templated = !bench->skip_chat_template,
		.template_args = bench->chat_template_kwargs,
	};

	if (bench->speed_bench_max_input_len != OPTION_NO_I64 && drop_long(work, err) < 0)
		return pl_err_wrap(err, "dataset '%s'", bench->dataset_path);
	return bench_entries_sample(work, &how, err);
}

const struct bench_dataset_kind bench_dataset_speed_bench = {
	.path = path_of, .parse = parse, .nothing = "no records", .build = build
};
