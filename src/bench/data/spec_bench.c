/* spec_bench: the first turn of each question, of one category or of all. */
#include "bench/data/dataset_priv.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* vLLM does not hand the seed on to this data set. */
#define FIXED_SEED 0

struct parse {
	const char *source;
	const char *category; /* NULL: all */
	struct bench_entries *entries;
	struct pl_err *err;
};

static int parse_line(void *data, const char *line, size_t len, size_t line_no)
{
	struct parse *parse = data;
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };
	json_error_t fault;
	auto_json json_t *json = json_loadb(line, len, JSON_ALLOW_NUL, &fault);

	if (json == NULL)
		return pl_err_set(parse->err, PL_ERR_INVALID, "%s:%zu:%d: not valid JSON: %s",
				  parse->source, line_no, fault.column, fault.text);
	const json_t *prompt = json_array_get(json_object_get(json, "turns"), 0);
	if (!json_is_string(prompt))
		return pl_err_set(parse->err, PL_ERR_INVALID,
				  "%s:%zu: expected an object with a list of texts 'turns'",
				  parse->source, line_no);
	const char *category = json_string_value(json_object_get(json, "category"));
	if (parse->category != NULL && !pl_text_equal(category, parse->category))
		return 0;
	entry.prompt = pl_json_to_ctext(prompt);
	bench_entries_add(parse->entries, &entry);
	return 0;
}

int bench_spec_bench_parse(const char *text, size_t len, const char *source, const char *category,
			   struct bench_entries *ret, struct pl_err *err)
{
	auto_entries entries = { 0 };
	struct parse parse = { source, category, &entries, err };

	if (bench_lines_walk(text, len, parse_line, &parse) < 0)
		return -1;
	if (entries.count == 0 && category != NULL)
		return pl_err_set(err, PL_ERR_INVALID, "%s: holds no question of category '%s'",
				  source, category);
	if (entries.count == 0)
		return pl_err_set(err, PL_ERR_INVALID, "%s: holds no questions", source);
	*ret = entries;
	entries = (struct bench_entries){ 0 };
	return 0;
}

static int64_t output_len(const struct vllm_bench *bench)
{
	return bench_dataset_output_len(bench, bench->spec_bench_output_len);
}

static int load(const struct vllm_bench *bench, char **ret_sha256, struct bench_entries *ret,
		struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (bench_dataset_read(bench, &text, &len, ret_sha256, err) < 0)
		return -1;
	return bench_spec_bench_parse(text, len, bench->dataset_path, bench->spec_bench_category,
				      ret, err);
}

static int check(const struct vllm_bench *bench, struct pl_err *err)
{
	auto_entries entries = { 0 };

	return load(bench, NULL, &entries, err);
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	/* vLLM hands neither skip_chat_template nor the template's arguments on to it */
	const struct bench_sampling how = {
		.seed = FIXED_SEED,
		.output_len = output_len(work->bench),
		.templated = true,
	};
	auto_entries entries = { 0 };

	if (load(work->bench, &work->into->sha256, &entries, err) < 0)
		return -1;
	return bench_entries_sample(work, &entries, &how, err);
}

const struct bench_dataset_kind bench_dataset_spec_bench = { .check = check, .build = build };
