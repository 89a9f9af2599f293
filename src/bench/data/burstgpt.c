/* burstgpt: lengths from a trace of real traffic, tokens made up. */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { COLUMNS_MAX = 32 };

struct row {
	int64_t input;
	int64_t output;
};

struct rows {
	struct row *items;
	size_t count;
	size_t room;
};

/* Columns that vLLM takes by place: request and response tokens. */
#define INPUT_COLUMN  2
#define OUTPUT_COLUMN 3
/* Spreadsheets put it in front of UTF-8. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static int column_of(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return (int)i;
	}
	return -1;
}

static char *without_quotes(char *field)
{
	size_t len = strlen(field);

	if (len < 2 || field[0] != '"' || field[len - 1] != '"')
		return field;
	field[len - 1] = '\0';
	return field + 1;
}

/* Cuts a line at its commas; the fields of this trace hold none, quoted or not. */
static size_t split(char *line, char **fields)
{
	size_t count = 0;

	for (char *rest = line; rest != NULL && count < COLUMNS_MAX;)
		fields[count++] = without_quotes(pl_text_trim(strsep(&rest, ",")));
	return count;
}

static int64_t tokens_in(const char *field)
{
	double value;

	return pl_text_to_f64(field, &value) && value >= 0 && value <= 1e9 ? (int64_t)value : -1;
}

static int read_header(char *line, const char *source, int *ret_model, struct pl_err *err)
{
	char *names[COLUMNS_MAX];
	size_t count = split(line, names);

	*ret_model = column_of(names, count, "Model");
	if (*ret_model < 0 || count <= OUTPUT_COLUMN ||
	    column_of(names, count, "Response tokens") != OUTPUT_COLUMN)
		return pl_err_set(err, PL_ERR_INVALID,
				  "%s:1: expected columns with 'Model', 'Request tokens' third and "
				  "'Response tokens' fourth",
				  source);
	return 0;
}

static int read_row(char *line, int model, const char *source, size_t line_no, struct rows *rows,
		    struct pl_err *err)
{
	char *fields[COLUMNS_MAX];
	size_t count = split(line, fields);

	if (count <= OUTPUT_COLUMN || count <= (size_t)model)
		return pl_err_set(err, PL_ERR_INVALID, "%s:%zu: found %zu columns, expected more",
				  source, line_no, count);
	if (strcmp(fields[model], "GPT-4") != 0)
		return 0;
	struct row row = { tokens_in(fields[INPUT_COLUMN]), tokens_in(fields[OUTPUT_COLUMN]) };
	if (row.input < 0 || row.output < 0)
		return pl_err_set(err, PL_ERR_INVALID, "%s:%zu: expected whole numbers of tokens",
				  source, line_no);
	if (row.output == 0)
		return 0;
	*PL_PUSH(rows->items, rows->count, rows->room) = row;
	return 0;
}

static int parse(char *text, const char *source, struct rows *rows, struct pl_err *err)
{
	size_t line_no = 0;
	int model = -1;

	if (pl_text_starts(text, BYTE_ORDER_MARK))
		text += strlen(BYTE_ORDER_MARK);
	for (char *rest = text; rest != NULL;) {
		char *line = strsep(&rest, "\n");
		line_no++;
		if (line_no == 1) {
			if (read_header(line, source, &model, err) < 0)
				return -1;
		} else if (*pl_text_trim(line) != '\0' &&
			   read_row(line, model, source, line_no, rows, err) < 0) {
			return -1;
		}
	}
	if (rows->count == 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "%s: holds no request of model GPT-4 with an answer", source);
	return 0;
}

static int load(const struct vllm_bench *bench, char **ret_sha256, struct rows *rows,
		struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (bench_dataset_read(bench, &text, &len, ret_sha256, err) < 0)
		return -1;
	return parse(text, bench->dataset_path, rows, err);
}

static int check(const struct vllm_bench *bench, struct pl_err *err)
{
	struct rows rows = { 0 };
	int done = load(bench, NULL, &rows, err);

	free(rows.items);
	return done;
}

/* Prompt i: the ids i, i + 1, … of the vocabulary, turning round at its end. */
static void add_rows(struct bench_dataset_work *work, const struct rows *rows, const size_t *chosen,
		     int64_t vocab_size)
{
	for (size_t i = 0; i < (size_t)work->bench->num_prompts; i++) {
		const struct row *row = &rows->items[chosen[i]];
		struct bench_sample sample = {
			.ids = pl_alloc_array((size_t)row->input + 1, sizeof(uint32_t)),
			.id_count = (size_t)row->input,
			.prompt_tokens = row->input,
			.output_tokens = row->output,
		};
		for (int64_t j = 0; j < row->input; j++)
			sample.ids[j] = (uint32_t)(((int64_t)i + j) % vocab_size);
		bench_dataset_add(work, &sample);
	}
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	size_t wanted = (size_t)work->bench->num_prompts;
	auto_free size_t *chosen = pl_alloc_array(wanted, sizeof(*chosen));
	struct pl_nplegacy own;
	struct rows rows = { 0 };
	int64_t vocab_size = 0;
	bool as_ids = false;
	int done = load(work->bench, &work->into->sha256, &rows, err);

	if (done == 0)
		done = bench_dataset_form(work, &as_ids, err);
	if (done == 0)
		done = bench_dataset_vocabulary(work, &vocab_size, err);
	if (done == 0) {
		/* an instance of its own, as a data frame samples: the global one stays fresh */
		pl_nplegacy_seed(&own, (uint32_t)work->bench->seed);
		pl_nplegacy_sample(&own, rows.count, wanted, wanted > rows.count, chosen);
		add_rows(work, &rows, chosen, vocab_size);
		if (!as_ids)
			done = bench_dataset_decode(work, err);
	}
	free(rows.items);
	return done < 0 ? pl_err_wrap(err, "data set '%s'", work->bench->dataset_path) : 0;
}

const struct bench_dataset_kind bench_dataset_burstgpt = { .check = check, .build = build };
