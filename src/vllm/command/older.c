/*
 * Reads the spellings of older releases: boolean arguments, and options of offline benchmarks.
 * Releases write the same argument as a switch with a negative ("--x", "--no-x"), as a switch
 * alone, or with a value ("--x false"). A spelling that the target lacks keeps its meaning if the
 * argument was removed or is to be converted; otherwise it is rejected.
 */
#include "vllm/command/command_priv.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/yaml.h"
#include "option/row_words.h"
#include "vllm/history.h"

/*
 * Returns whether a release had the argument as a switch with a negative, or (`alone`) as any
 * switch.
 */
static bool was_switch(const struct option_row *arg, bool alone)
{
	const struct vllm_history *history = vllm_history_find(NULL, arg->name);
	const struct option_row *today = vllm_arg_find(vllm_catalog_reference(), arg->name);

	for (const struct vllm_range *range = history != NULL ? history->ranges : NULL;
	     range != NULL && range->since != NULL && today != NULL; range++) {
		enum option_style style = today->style;
		if (range->style != NULL)
			(void)option_style_find(range->style, &style);
		if (style == OPTION_STYLE_TOGGLE || (alone && style == OPTION_STYLE_FLAG))
			return true;
	}
	return false;
}

/* Returns whether older spellings of this argument keep their meaning. */
static bool is_kept(const struct vllm_parse *parse, const struct option_row *arg)
{
	return arg->type == OPTION_BOOL && (arg->absent || parse->allow_removed);
}

void vllm_command_older_negative(struct vllm_parse *parse, const struct option_row *arg)
{
	if (!is_kept(parse, arg) || arg->negative_flag != NULL || !was_switch(arg, false))
		return;
	auto_free char *flag = pl_asprintf("--no-%s", arg->flag + 2);
	option_argv_add_negative(&parse->argv, arg, flag, true);
}

bool vllm_command_is_truth(const char *text)
{
	const struct pl_yaml node = { .kind = PL_YAML_SCALAR, .plain = true, .text = text };
	bool truth;

	return pl_yaml_to_bool(&node, &truth) || strcmp(text, "None") == 0;
}

void vllm_command_older_switches(struct vllm_parse *parse)
{
	for (size_t i = 0; i < parse->argv.count; i++) {
		struct option_argv_word *word = &parse->argv.words[i];
		if (word->flag == NULL || word->joined != NULL ||
		    option_argv_is_switch(word->flag) || !is_kept(parse, word->flag->row) ||
		    !was_switch(word->flag->row, true))
			continue;
		/* another word is not the value: it is the model, or one too many */
		if (word->values > 0 && vllm_command_is_truth(word[1].text))
			continue;
		if (word->values > 0)
			word[1].kind = OPTION_ARGV_WORD;
		word->kind = OPTION_ARGV_FLAG;
		word->values = 0;
		word->joined = "true";
	}
}

/* A known release rejects what it has removed. */
static enum option_severity severity_of(const struct vllm_parse *parse, const char *until)
{
	bool known;

	return parse->target_known && !parse->allow_removed &&
			       vllm_release_compare(&parse->target, until, &known) >= 0
		       ? OPTION_ERROR
		       : OPTION_WARNING;
}

/* Writes today's flag in its place; false: it has none, and the word is to go. */
static bool replace_old(struct vllm_parse *parse, struct option_argv_word *word,
			const struct vllm_bench_old *old)
{
	auto_free char *found = pl_asprintf("an option that vLLM %s removed", old->until);
	auto_free char *expected = old->by != NULL ? pl_asprintf("'%s': %s", old->by, old->why)
						   : pl_asprintf("no argument: %s", old->why);

	vllm_parse_add(parse, severity_of(parse, old->until), word, found, expected, NULL);
	if (old->by == NULL)
		return false;
	option_argv_set_text(word, pl_asprintf("%s%s", old->by, word->text + strlen(old->flag)));
	return true;
}

void vllm_command_older_options(struct vllm_parse *parse)
{
	struct option_argv *argv = &parse->argv;

	for (size_t i = 0; parse->kind != NULL && i < argv->count;) {
		const struct vllm_bench_old *old = vllm_bench_kind_old(parse->kind,
								       argv->words[i].text);
		if (old != NULL && !replace_old(parse, &argv->words[i], old))
			option_argv_drop(argv, i, 1);
		else
			i++;
	}
}

char *vllm_command_negative_expected(const struct vllm_parse *parse, const char *text)
{
	const struct option_row *arg = pl_text_starts(text, "--no-") && strchr(text, '=') == NULL
					       ? vllm_arg_find(parse->catalog,
							       text + strlen("--no-"))
					       : NULL;

	if (arg == NULL || arg->absent || arg->type != OPTION_BOOL)
		return NULL;
	if (arg->style == OPTION_STYLE_FLAG)
		return pl_asprintf("no flag: '%s' is off by default", arg->flag);
	return pl_asprintf("'%s false'", arg->flag);
}
