/* spec_bench: the first turn of each question, of one category or of all. */
#include "bench/data/dataset_priv.h"

#include "base/json.h"
#include "base/text.h"

/* vLLM does not pass the seed to this dataset. */
#define FIXED_SEED 0

static int take_line(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		     struct bench_entries *into, struct pl_err *err)
{
	struct bench_entry entry = { .output_tokens = RES_NO_COUNT };
	const json_t *prompt = json_array_get(json_object_get(json, "turns"), 0);
	const char *category = pl_json_get_text(json, "category");

	if (!json_is_string(prompt))
		return pl_err_invalid(err,
				      "%s:%zu: expected an object with 'turns', a list of strings",
				      bench->dataset_path, line_no);
	if (bench->spec_bench_category != NULL &&
	    !pl_text_equal(category, bench->spec_bench_category))
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
	if (into->count == 0 && bench->spec_bench_category != NULL)
		return pl_err_invalid(err, "%s: has no question of category '%s'",
				      bench->dataset_path, bench->spec_bench_category);
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	/* vLLM hands neither skip_chat_template nor the template's arguments on to it */
	const struct bench_sampling how = {
		.seed = FIXED_SEED,
		.output_len = bench_dataset_output_len(work->bench,
						       work->bench->spec_bench_output_len),
		.templated = true,
	};

	return bench_entries_sample(work, &how, err);
}

const struct bench_dataset_kind bench_dataset_spec_bench = { .parse = parse,
							     .nothing = "no questions",
							     .build = build };
