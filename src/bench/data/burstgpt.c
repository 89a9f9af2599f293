/*
 * burstgpt: lengths from a trace of real traffic, tokens made up. Only GPT-4's rows with an answer, as
 * vLLM takes them: a failed request of the trace has no answer, and would ask for none.
 */
#include "bench/data/dataset_priv.h"

#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "bench/data/csv.h"

/* Columns that vLLM takes by place: request and response tokens. */
#define INPUT_COLUMN  2
#define OUTPUT_COLUMN 3

static int64_t tokens_in(const char *field)
{
	double value;

	return pl_text_to_f64(field, &value) && value >= 0 && value <= 1e9 ? (int64_t)value : -1;
}

static int read_header(char *line, const char *source, int *ret_model, struct pl_err *err)
{
	char *names[BENCH_CSV_COLUMNS_MAX];
	size_t count = bench_csv_split(line, names);

	*ret_model = bench_csv_find(names, count, "Model");
	if (*ret_model < 0 || count <= OUTPUT_COLUMN ||
	    bench_csv_find(names, count, "Response tokens") != OUTPUT_COLUMN)
		return pl_err_invalid(
			err,
			"%s:1: found other columns, expected a 'Model' column, 'Request "
			"tokens' as third and 'Response tokens' as fourth column",
			source);
	return 0;
}

static int read_row(char *line, int model, const char *source, size_t line_no,
		    struct bench_entries *into, struct pl_err *err)
{
	char *fields[BENCH_CSV_COLUMNS_MAX];
	size_t count = bench_csv_split(line, fields);

	if (count <= OUTPUT_COLUMN || count <= (size_t)model)
		return pl_err_invalid(err, "%s:%zu: found %zu columns, expected more", source,
				      line_no, count);
	if (strcmp(fields[model], "GPT-4") != 0)
		return 0;
	struct bench_entry row = { .input_tokens = tokens_in(fields[INPUT_COLUMN]),
				   .output_tokens = tokens_in(fields[OUTPUT_COLUMN]) };
	if (row.input_tokens < 0 || row.output_tokens < 0)
		return pl_err_invalid(err, "%s:%zu: expected token counts as integers", source,
				      line_no);
	if (row.output_tokens > 0)
		bench_entries_add(into, &row);
	return 0;
}

static int parse(const struct vllm_bench *bench, char *text, size_t len, struct bench_entries *into,
		 struct pl_err *err)
{
	size_t line_no = 0;
	int model = -1;

	if (bench_csv_check(bench->dataset_path, text, len, err) < 0)
		return -1;
	for (char *rest = bench_csv_start(text); rest != NULL;) {
		char *line = strsep(&rest, "\n");
		line_no++;
		if (line_no == 1) {
			if (read_header(line, bench->dataset_path, &model, err) < 0)
				return -1;
		} else if (*pl_text_trim(line) != '\0' &&
			   read_row(line, model, bench->dataset_path, line_no, into, err) < 0) {
			return -1;
		}
	}
	return 0;
}

/* Prompt i: the ids i, i + 1, … of the vocabulary, turning round at its end. */
static int add_rows(struct bench_dataset_work *work, const size_t *chosen, int64_t vocab_size,
		    struct pl_err *err)
{
	size_t wanted = (size_t)work->bench->num_prompts;

	for (size_t i = 0; i < wanted; i++) {
		if (bench_dataset_take_tokens(work, work->entries.items[chosen[i]].input_tokens,
					      err) < 0)
			return -1;
	}
	for (size_t i = 0; i < wanted; i++) {
		const struct bench_entry *row = &work->entries.items[chosen[i]];
		struct bench_sample sample = {
			.ids = pl_alloc_array((size_t)row->input_tokens + 1, sizeof(uint32_t)),
			.id_count = (size_t)row->input_tokens,
			.prompt_tokens = row->input_tokens,
			.output_tokens = row->output_tokens,
		};
		for (int64_t j = 0; j < row->input_tokens; j++)
			sample.ids[j] = (uint32_t)(((int64_t)i + j) % vocab_size);
		bench_dataset_add(work, &sample);
	}
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	size_t wanted = (size_t)work->bench->num_prompts;
	auto_free size_t *chosen = pl_alloc_array(wanted, sizeof(*chosen));
	struct pl_nplegacy legacy;
	int64_t vocab_size = 0;
	bool as_ids = false;

	if (bench_dataset_form(work, &as_ids, err) < 0 ||
	    bench_dataset_vocabulary(work, &vocab_size, err) < 0)
		return pl_err_wrap(err, "dataset '%s'", work->bench->dataset_path);
	/* a separate generator, as in pandas' sample(): the global one stays unused */
	pl_nplegacy_seed(&legacy, (uint32_t)work->bench->seed);
	pl_nplegacy_sample(&legacy, work->entries.count, wanted, wanted > work->entries.count,
			   chosen);
	if (add_rows(work, chosen, vocab_size, err) < 0 ||
	    (!as_ids && bench_dataset_decode(work, err) < 0))
		return pl_err_wrap(err, "dataset '%s'", work->bench->dataset_path);
	return 0;
}

const struct bench_dataset_kind bench_dataset_burstgpt = {
	.parse = parse, .nothing = "no request of model GPT-4 has a response", .build = build
};
