#include "bench/data/dataset_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* In custom_output_len: each record tells its own. */
#define FROM_RECORDS (-1)

/* As Python's int(): a number without its fraction, or a text of a whole one; 0: it is neither. */
static int64_t whole_of(const json_t *value)
{
	int64_t whole = 0;

	if (json_is_integer(value))
		return json_integer_value(value);
	if (json_is_real(value))
		return fabs(json_real_value(value)) < 1e15 ? (int64_t)json_real_value(value) : 0;
	return json_is_string(value) && pl_text_to_i64(json_string_value(value), &whole) ? whole
											 : 0;
}

static int parse_output_tokens(const json_t *json, const char *source, size_t line_no, int64_t *ret,
			       struct pl_err *err)
{
	*ret = whole_of(json_object_get(json, "output_tokens"));
	if (*ret < 1)
		return pl_err_set(err, PL_ERR_INVALID,
				  "%s:%zu: 'output_tokens': expected a whole number from 1 "
				  "({benchmark.custom_output_len} is -1)",
				  source, line_no);
	return 0;
}

struct parse {
	const char *source;
	bool need_output_tokens;
	struct bench_entries *entries;
	struct pl_err *err;
};

static int parse_line(void *data, const char *line, size_t len, size_t line_no)
{
	struct parse *parse = data;
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };
	json_error_t fault;
	auto_json json_t *json = json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
					    &fault);

	if (json == NULL)
		return pl_err_set(parse->err, PL_ERR_INVALID, "%s:%zu:%d: not valid JSON: %s",
				  parse->source, line_no, fault.column, fault.text);
	const json_t *prompt = json_object_get(json, "prompt");
	if (!json_is_string(prompt))
		return pl_err_set(parse->err, PL_ERR_INVALID,
				  "%s:%zu: expected an object with a text 'prompt'", parse->source,
				  line_no);
	if (parse->need_output_tokens &&
	    parse_output_tokens(json, parse->source, line_no, &entry.output_tokens, parse->err) < 0)
		return -1;
	entry.prompt = pl_json_to_ctext(prompt);
	bench_entries_add(parse->entries, &entry);
	return 0;
}

int bench_custom_parse(const char *text, size_t len, const char *source, bool need_output_tokens,
		       struct bench_entries *ret, struct pl_err *err)
{
	auto_entries entries = { 0 };
	struct parse parse = { source, need_output_tokens, &entries, err };

	if (bench_lines_walk(text, len, parse_line, &parse) < 0)
		return -1;
	if (entries.count == 0)
		return pl_err_set(err, PL_ERR_INVALID, "%s: holds no prompts", source);
	*ret = entries;
	entries = (struct bench_entries){ 0 };
	return 0;
}

static int64_t output_len(const struct vllm_bench *bench)
{
	return bench_dataset_output_len(bench, bench->custom_output_len);
}

static int load(const struct vllm_bench *bench, char **ret_sha256, struct bench_entries *ret,
		struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (bench_dataset_read(bench, &text, &len, ret_sha256, err) < 0)
		return -1;
	return bench_custom_parse(text, len, bench->dataset_path, output_len(bench) == FROM_RECORDS,
				  ret, err);
}

static int check(const struct vllm_bench *bench, struct pl_err *err)
{
	auto_entries entries = { 0 };

	return load(bench, NULL, &entries, err);
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	const struct bench_sampling how = {
		.seed = (uint64_t)bench->seed,
		.output_len = output_len(bench) == FROM_RECORDS ? RES_NO_COUNT : output_len(bench),
		.templated = !bench->skip_chat_template && !bench->skip_tokenizer_init,
		.template_args = bench->chat_template_kwargs,
		.without =
			" (with --skip-chat-template, skip_chat_template: true, prompts go out as "
			"they are)",
	};
	auto_entries entries = { 0 };

	if (load(bench, &work->into->sha256, &entries, err) < 0)
		return -1;
	return bench_entries_sample(work, &entries, &how, err);
}

const struct bench_dataset_kind bench_dataset_custom = { .check = check, .build = build };
