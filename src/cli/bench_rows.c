/*
 * The rows of `bench serve --help`, of completion and of the manual page, made from the rows of load options. They are
 * only for display: vllm/bench/line.h reads the command line by vLLM's rules. All are in arrays of fixed size, made
 * before main(), so the command is a constant like the others.
 */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/cli.h"
#include "experiment/kinds.h"
#include "vllm/bench_options.h"

enum { TEXTS_BYTES = 4096, CHOICES_MAX = 256 };

static const char *const actions[] = { "serve",
#define KIND(id, name, server, logs_requests, summary) name,
#include "tbl/bench_kinds.h"
				       NULL };

static const char *const groups[] = {
#define BENCH_GROUP(title) title,
#include "tbl/bench_groups.h"
};

/* vllm/bench/line.h reads these, so offsets are unused. */
static const struct pl_opt flags[] = {
#define BENCH_FLAG(name_, arg_, choices_, help_)              \
	{ .name = name_,                                      \
	  .type = (arg_) != NULL ? PL_OPT_TEXT : PL_OPT_FLAG, \
	  .arg = arg_,                                        \
	  .help = help_ },
#include "tbl/bench_flags.h"
};

static const char *const flag_choices[] = {
#define BENCH_FLAG(name, arg, choices, help) choices,
#include "tbl/bench_flags.h"
};

static struct pl_opt rows[VLLM_BENCH_COUNT + PL_ARRAY_SIZE(flags) + 1];
static char texts[TEXTS_BYTES];
static const char *choices[CHOICES_MAX];

/* The ends of the filled parts of all three arrays. */
struct filling {
	struct pl_opt *row;
	char *text;
	const char **choice;
};

static const char *keep(struct filling *filling, const char *text)
{
	char *retained = filling->text;

	filling->text = stpcpy(retained, text) + 1;
	assert(filling->text <= texts + TEXTS_BYTES);
	return retained;
}

/* Returns whether this version supports a choice. */
static bool is_offered(const struct option_row *row, const char *choice)
{
	if (row == vllm_bench_row(VLLM_BENCH_backend))
		return !exp_backend_find(choice)->later;
	return row != vllm_bench_row(VLLM_BENCH_dataset_name) || !exp_dataset_find(choice)->later;
}

static const char *const *choices_of(struct filling *filling, const struct option_row *row)
{
	auto_json json_t *list = pl_json_of_text(row->choices);
	const char **first = filling->choice;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *choice = json_string_value(json_array_get(list, i));
		if (is_offered(row, choice))
			*filling->choice++ = keep(filling, choice);
	}
	*filling->choice++ = NULL;
	assert(filling->choice <= choices + CHOICES_MAX);
	return list != NULL ? first : NULL;
}

/* Splits a text at bars; NULL for NULL. */
static const char *const *split_choices(struct filling *filling, const char *text)
{
	const char **first = filling->choice;

	if (text == NULL)
		return NULL;
	auto_free char *copy = pl_strdup(text);
	for (char *rest = copy; rest != NULL;)
		*filling->choice++ = keep(filling, strsep(&rest, "|"));
	*filling->choice++ = NULL;
	assert(filling->choice <= choices + CHOICES_MAX);
	return first;
}

static const char *default_of(struct filling *filling, const struct option_row *row)
{
	struct option_row serve = *row;

	if (row->type == OPTION_BOOL)
		return NULL;
	if (row->serve_default != NULL)
		serve.default_json = row->serve_default;
	auto_free char *text = option_row_default_text(&serve);
	return text != NULL ? keep(filling, text) : NULL;
}

static const struct {
	enum pl_opt_type type;
	const char *word;
} types[] = {
	[OPTION_BOOL] = { PL_OPT_FLAG, NULL },      [OPTION_TRI] = { PL_OPT_FLAG, NULL },
	[OPTION_INT] = { PL_OPT_INT, "N" },         [OPTION_FLOAT] = { PL_OPT_F64, "X" },
	[OPTION_STRING] = { PL_OPT_TEXT, "TEXT" },  [OPTION_JSON] = { PL_OPT_TEXT, "JSON" },
	[OPTION_LIST] = { PL_OPT_TEXT, "WORD..." }, [OPTION_DURATION] = { PL_OPT_DURATION, "TIME" },
};

/* Returns whether the shell completes the value as a file or a directory. */
static const char *word_of(const struct option_row *row)
{
	if (row == vllm_bench_row(VLLM_BENCH_dataset_path) ||
	    row == vllm_bench_row(VLLM_BENCH_result_filename))
		return "FILE";
	if (row == vllm_bench_row(VLLM_BENCH_source_addresses))
		return "A,B,...";
	return row == vllm_bench_row(VLLM_BENCH_result_dir) ? "DIR" : types[row->type].word;
}

/* Adds a row, followed by the rows that come after it. */
static void add_row(struct filling *filling, const struct option_row *row, const char **group)
{
	*filling->row = (struct pl_opt){
		.name = row->flag != NULL ? row->flag + strlen("--") : row->name,
		.type = types[row->type].type,
		.arg = word_of(row),
		.negatable = row->negative_flag != NULL && !row->later,
		.help = row->help,
		.later = row->later,
		.hidden = row->later || row->gone || row->flag == NULL,
		.def = default_of(filling, row),
		.choices = choices_of(filling, row),
	};
	/* the first visible one has the group's title */
	if (!filling->row->hidden)
		filling->row->group = pl_take(*group);
	filling->row++;
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *next = vllm_bench_row((enum vllm_bench_id)i);
		if (next->after != NULL && strcmp(next->after, row->name) == 0)
			add_row(filling, next, group);
	}
}

static bool is_in(const struct option_row *row, size_t group)
{
	bool is_last = group + 1 == PL_ARRAY_SIZE(groups);

	return row->group != NULL ? strcmp(row->group, groups[group]) == 0 : is_last;
}

/* Done once, before main(): the rows in the order of the help. */
__attribute__((constructor)) static void make_rows(void)
{
	struct filling filling = { .row = rows, .text = texts, .choice = choices };

	for (size_t group = 0; group < PL_ARRAY_SIZE(groups); group++) {
		const char *title = groups[group];
		for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
			const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
			if (row->after == NULL && is_in(row, group))
				add_row(&filling, row, &title);
		}
	}
	memcpy(filling.row, flags, sizeof(flags));
	for (size_t i = 0; i < PL_ARRAY_SIZE(flags); i++)
		filling.row[i].choices = split_choices(&filling, flag_choices[i]);
}

const struct pl_opt_command cli_bench_command = {
	.name = "profllm bench",
	.usage = "serve|latency|throughput|startup|mm-processor [options]",
	.summary = "Run a benchmark with the options of vllm bench.",
	.details =
		"To run a command line of vllm bench, replace 'vllm' with 'profllm'. As in vLLM, "
		"flags accept dashes or underscores, '=' or a space, and unique abbreviations, and "
		"JSON options can be set key by key.\n\n"
		"Examples:\n"
		"  profllm bench serve --model org/model --num-prompts 200 --request-rate 10\n"
		"  profllm bench serve --backend openai-chat --dataset-name sharegpt \\\n"
		"      --dataset-path ShareGPT.json --max-concurrency 64 --save-result\n"
		"  profllm bench serve --random-input 512 --random-output 64 --dry-run\n"
		"  profllm bench serve --extra-body.top_k 20 --output r.json\n"
		"  profllm bench latency --model org/model --input-len 512\n\n"
		"The options above belong to 'serve'. For those of an offline benchmark, add "
		"--help "
		"to its name, as in 'profllm bench latency --help'.\n\n"
		"Exit status: 0 completed, 1 partial or failed, 2 invalid usage or input, 3 the "
		"server does not respond, 4 timeout, 5 --output in use, 6 verdict not accepted, 8 "
		"completed but not uploaded (--upload), 128 + N interrupted by signal N.",
	.options = rows,
	.words = actions,
};
