#include "bench/data/dataset_priv.h"

#include <math.h>

#include "base/json.h"
#include "base/text.h"

/* In custom_output_len: use the length in each record. */
#define FROM_RECORDS (-1)

/*
 * Converts like Python's int(): a number without its fraction, or a text with an integer; 0:
 * neither.
 */
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

static int64_t output_len(const struct vllm_bench *bench)
{
	return bench_dataset_output_len(bench, bench->custom_output_len);
}

int bench_custom_output(const struct vllm_bench *bench, const json_t *json, size_t line_no,
			int64_t *ret, struct pl_err *err)
{
	if (output_len(bench) != FROM_RECORDS)
		return 0;
	*ret = whole_of(json_object_get(json, "output_tokens"));
	if (*ret >= 1)
		return 0;
	return pl_err_invalid(err,
			      "%s:%zu: 'output_tokens': expected an integer of at least 1, "
			      "because {benchmark.custom_output_len} is -1",
			      bench->dataset_path, line_no);
}

static int take_line(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		     struct bench_entries *into, struct pl_err *err)
{
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };
	const json_t *prompt = json_object_get(json, "prompt");

	bool is_object = json_is_object(prompt) && bench_dataset_takes_objects(bench);

	if (!json_is_string(prompt) && !is_object)
		return pl_err_invalid(err, "%s:%zu: expected an object with a string 'prompt'",
				      bench->dataset_path, line_no);
	if (bench_custom_output(bench, json, line_no, &entry.output_tokens, err) < 0)
		return -1;
	if (is_object)
		entry.object = json_incref((json_t *)prompt);
	else
		entry.prompt = pl_json_to_ctext(prompt);
	bench_entries_add(into, &entry);
	return 0;
}

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	return bench_json_lines(bench, text, len, JSON_REJECT_DUPLICATES, take_line, into, err);
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	const struct bench_sampling how = {
		.seed = (uint64_t)bench->seed,
		.output_len = output_len(bench) == FROM_RECORDS ? RES_NO_COUNT : output_len(bench),
		.templated = !bench->skip_chat_template && !bench->skip_tokenizer_init,
		.template_args = bench->chat_template_kwargs,
		.output_uncounted = true,
		.without = "; use --skip-chat-template (skip_chat_template: true) to send prompts "
			   "without a template",
	};

	return bench_entries_sample(work, &how, err);
}

const struct bench_dataset_kind bench_dataset_custom = { .parse = parse,
							 .nothing = "no prompts",
							 .build = build };
