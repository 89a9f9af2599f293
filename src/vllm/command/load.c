/*
 * The words of a load's options: like arguments.c, with the rows of `bench serve`. They are typed
 * as in `bench serve` (vllm/bench/line.h); errors are reported like those of a server's words.
 */
#include "vllm/command/command_priv.h"

#include <string.h>

#include "base/mem.h"
#include "vllm/secret.h"

enum { EXPECTED_BYTES_MAX = 8192, NEAREST_MAX = 100 };

struct load {
	struct vllm_parse *parse;
	struct option_argv argv;
	struct vllm_bench_line line;
	bool after_unknown; /* the following words may be its values */
};

/* An option or flag that `profllm bench serve` alone has. */
static bool is_ours(const char *text)
{
	auto_argv argv = { 0 };

	vllm_bench_line_rows(&argv, VLLM_BENCH_OF_OURS);
	const struct option_argv_flag *flag = option_argv_find(&argv, text);
	return flag != NULL && flag->row->ours;
}

static void report_unknown(struct load *load, const struct option_argv_word *word)
{
	struct option_problem problem = { .found = "unknown option",
					  .expected = "an option of vllm bench serve" };
	const char *hint = vllm_bench_flag_hint(word->text);

	json_array_append_new(load->parse->command->unknown, json_string(word->written));
	if (hint != NULL) {
		problem.expected = hint;
		problem.expected_is_reason = true;
	} else if (load->parse->load_program == VLLM_BENCH_OF_VLLM && is_ours(word->text)) {
		problem.found = "an option that only 'profllm bench serve' has";
	} else if (load->parse->problems->errors < NEAREST_MAX) {
		/* looking through all flags takes its time */
		problem.nearest = option_argv_nearest(&load->argv,
						      word->text + strspn(word->text, "-"));
	}
	vllm_parse_report(load->parse, word, &problem);
}

static void report_ambiguous(struct load *load, const struct option_argv_word *word)
{
	const char *hint = vllm_bench_flag_hint(word->text);

	if (hint == NULL) {
		vllm_report_ambiguous(load->parse, word);
		return;
	}
	vllm_parse_report(load->parse, word,
			  &(struct option_problem){ .found = "an option of older releases",
						    .expected = hint,
						    .expected_is_reason = true });
}

/* A word of no option: a switch's value, or the model as `vllm serve` takes it. */
static void report_word(struct load *load, size_t at)
{
	const struct option_argv_word *word = &load->argv.words[at];
	const struct option_argv_flag *before = at > 0 ? word[-1].flag : NULL;
	auto_free char *alone = NULL;
	const char *expected = "an option; name the model with '--model MODEL'";
	const char *nearest = NULL;

	if (before != NULL && option_argv_is_switch(before)) {
		alone = pl_asprintf("'%s' alone, because it takes no value", before->text);
		expected = alone;
	} else if (vllm_has_wide_dash(word->text)) {
		nearest = option_argv_nearest(&load->argv, word->text + strlen("\xE2\x80\x93"));
		load->after_unknown = true;
	}
	json_array_append_new(load->parse->command->unknown, json_string(word->text));
	vllm_parse_add(load->parse, OPTION_ERROR, word, NULL, expected, nearest);
}

/* The value's own word, or the part of the flag's. A secret among the words is not shown. */
void vllm_report_bench_value(struct vllm_parse *parse, const struct vllm_bench_line *line,
			     const struct option_argv_word *flag)
{
	const struct vllm_bench_fault *fault = &line->faults[line->fault_count - 1];
	const struct option_argv_word *at = flag->joined == NULL ? flag + 1 : flag;
	auto_free char *key = vllm_word_key(flag);
	auto_free char *shown = vllm_secret_word_shown(option_argv_value(flag, 0));
	auto_free char *found = pl_asprintf("text '%.60s'", shown);
	auto_buf expected = PL_BUF(EXPECTED_BYTES_MAX);

	/* Describes the values of the row that a user can type. */
	struct option_row typed = *flag->flag->row;
	/* a word cannot be null */
	typed.nullable = false;
	if (flag->flag->row->literal)
		pl_buf_add_text(&expected, "a mapping such as '{(256, 256, 1): 1.0}'");
	else if (flag->flag->row->type == OPTION_JSON)
		pl_buf_add_text(&expected, "JSON such as '{\"key\": 1}'");
	else
		option_row_describe(&typed, &expected);
	if (fault->hint != NULL)
		pl_buf_addf(&expected, ": %s", fault->hint);
	vllm_parse_report(parse, at,
			  &(struct option_problem){ .key = key,
						    .found = found,
						    .expected = pl_buf_text(&expected),
						    .nearest = fault->nearest });
}

/* Flags of `profllm bench serve` itself. */
static void report_profllm_option(struct load *load, const struct option_argv_word *word)
{
	if (strcmp(word->flag->row->name, "help") == 0)
		vllm_parse_add(load->parse, OPTION_ERROR, word, "a request for help",
			       "the options of a load, because this command sends none", NULL);
	else
		vllm_parse_add(load->parse, OPTION_WARNING, word, "a flag of profllm",
			       "this flag on the command line of 'profllm run', because the file "
			       "cannot hold it",
			       NULL);
}

/* Reports a repeated flag only if it changes the value. */
static void take_flag(struct load *load, const struct option_argv_word *word)
{
	const struct option_row *row = word->flag->row;
	auto_json json_t *known = json_incref(json_object_get(load->line.set, row->name));

	if (word->kind == OPTION_ARGV_TAKES_NONE) {
		vllm_report_joined(load->parse, word);
	} else if (word->kind == OPTION_ARGV_NO_VALUE) {
		vllm_report_no_value(load->parse, word);
	} else if (!vllm_bench_line_take(&load->line, word)) {
		if (vllm_value_is_unknown(load->parse, &load->argv, word)) {
			vllm_report_unknown_value(load->parse, word);
			return;
		}
		vllm_report_bench_value(load->parse, &load->line, word);
	} else if (vllm_bench_find(row->name) == VLLM_BENCH_COUNT) {
		report_profllm_option(load, word);
	} else {
		if (known != NULL && !json_equal(known, json_object_get(load->line.set, row->name)))
			vllm_parse_add(load->parse, OPTION_WARNING, word,
				       "an option that appears twice",
				       "the option once; the last one is used", NULL);
		json_object_set_new(load->parse->command->load_locations, row->name,
				    json_integer(word->line));
	}
}

static void read_word(struct load *load, size_t at)
{
	const struct option_argv_word *word = &load->argv.words[at];

	switch (word->kind) {
	case OPTION_ARGV_VALUE:
		return;
	case OPTION_ARGV_WORD:
	case OPTION_ARGV_SEPARATOR:
		/* a variable that is not known may hold no word, or flags */
		if (!load->after_unknown && !vllm_word_is_unknown(load->parse, word, true))
			report_word(load, at);
		return;
	case OPTION_ARGV_UNKNOWN:
		report_unknown(load, word);
		load->after_unknown = true;
		return;
	case OPTION_ARGV_AMBIGUOUS:
		load->after_unknown = true;
		return;
	default:
		take_flag(load, word);
		load->after_unknown = false;
	}
}

void vllm_command_load(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;
	struct load load = { .parse = parse };
	struct option_argv *argv = &load.argv;

	vllm_bench_line_init(&load.line);
	vllm_bench_line_rows(argv, parse->load_program);
	for (size_t i = parse->load.first; i < parse->load.end; i++) {
		const struct vllm_word *word = &command->words.items[i];
		(void)option_argv_add_word(argv, word->text, command->source, (int)i + 1,
					   word->column);
	}
	option_argv_read(argv);
	/* in the order in which vLLM's parser meets them */
	for (size_t i = 0; i < argv->refused_count; i++)
		vllm_report_dotted(parse, &argv->refused[i]);
	for (size_t i = 0; i < argv->count; i++) {
		if (argv->words[i].kind == OPTION_ARGV_AMBIGUOUS)
			report_ambiguous(&load, &argv->words[i]);
	}
	for (size_t i = 0; i < argv->count; i++)
		read_word(&load, i);
	command->load = vllm_bench_line_options(&load.line);
	option_argv_done(argv);
	vllm_bench_line_done(&load.line);
}
