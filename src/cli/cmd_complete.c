/*
 * `profllm complete WORDS…`, called by the scripts that `profllm completion` prints (base/completion.h): completes what
 * rows of options do not describe, such as keys of an experiment and their values, vLLM's arguments, and its command
 * lines.
 */
#include "cli/cli.h"
#include "cli/sweep_vllm.h"

#include <string.h>

#include "base/completion.h"
#include "base/text.h"
#include "checkpoint/hardware.h"
#include "experiment/config.h"
#include "vllm/bench/kinds.h"
#include "vllm/bench_options.h"
#include "vllm/history.h"

struct answer {
	struct pl_completion common;
	const struct vllm_catalog *catalog;
	const struct vllm_bench_kind
		*kind; /* of an offline benchmark's command line; NULL: another one */
};

static void offer(struct answer *answer, const char *word, const char *help)
{
	pl_completion_offer(&answer->common, word, help);
}

/* Offers the choices in a JSON array of a row; NULL: any value is valid. */
static void offer_choices(struct answer *answer, const char *choices)
{
	auto_json json_t *list = pl_json_of_text(choices);

	PL_JSON_EACH(choice, list) {
		auto_free char *text = pl_json_to_plain(choice);
		offer(answer, text, NULL);
	}
}

static void offer_arguments(struct answer *answer)
{
	for (size_t i = 0; i < vllm_arg_count(answer->catalog); i++) {
		const struct option_row *arg = vllm_arg_at(answer->catalog, i);
		if (!arg->absent)
			offer(answer, arg->name, arg->help);
	}
}

static void offer_groups(struct answer *answer)
{
	for (size_t i = 0; i < vllm_arg_count(answer->catalog); i++) {
		if (i == 0 || strcmp(vllm_arg_at(answer->catalog, i - 1)->group,
				     vllm_arg_at(answer->catalog, i)->group) != 0)
			offer(answer, vllm_arg_at(answer->catalog, i)->group, NULL);
	}
}

static void offer_profiles(struct answer *answer)
{
	offer(answer, "list", "show them");
	for (size_t i = 0; i < ckpt_gpu_count(); i++)
		offer(answer, ckpt_gpu_at(i)->name, NULL);
}

/* Newest first, because old releases are rarely needed. */
static void offer_releases(struct answer *answer)
{
	for (size_t i = vllm_release_count(); i > 0; i--)
		offer(answer, vllm_release_at(i - 1), NULL);
}

/* Offers the key with '=', or the values of the `wanted` key. */
static void offer_key(struct answer *answer, const char *wanted, const char *key,
		      const struct option_row *row)
{
	bool is_bool = row->type == OPTION_BOOL || row->type == OPTION_TRI;
	auto_free char *assigned = pl_asprintf("%s=", key);

	if (wanted == NULL)
		offer(answer, assigned, row->help);
	else if (strcmp(wanted, key) == 0)
		offer_choices(answer, is_bool ? "[\"true\", \"false\"]" : row->choices);
}

static void offer_keys(struct answer *answer)
{
	const char *word = answer->common.line + answer->common.after;
	size_t len = strcspn(word, "=");
	auto_free char *wanted = word[len] == '=' ? pl_strndup(word, len) : NULL;

	answer->common.after += wanted != NULL ? len + 1 : 0;
	for (size_t i = 0; i < vllm_arg_count(answer->catalog); i++) {
		const struct option_row *arg = vllm_arg_at(answer->catalog, i);
		auto_free char *key = pl_asprintf("server.%s", arg->name);
		if (!arg->absent)
			offer_key(answer, wanted, key, arg);
	}
	for (size_t i = 0; i < vllm_field_count(); i++) {
		const struct option_row *field = vllm_field_at(i);
		auto_free char *key = pl_asprintf("server.%s.%s", field->of, field->name);
		offer_key(answer, wanted, key, field);
	}
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		auto_free char *key = pl_asprintf("benchmark.%s", row->name);
		offer_key(answer, wanted, key, row);
	}
	for (size_t i = 0; i < exp_key_count(); i++)
		offer_key(answer, wanted, exp_key_at(i)->name, exp_key_at(i));
}

/* Offers values by the kind that the row names. */
static void offer_values(struct pl_completion *completion, const char *name)
{
	static const struct {
		const char *name;
		void (*offer)(struct answer *answer);
	} kinds[] = {
		{ "GROUP", offer_groups },      { "KEY=VALUE", offer_keys },
		{ "PATTERN", offer_arguments }, { "PROFILE", offer_profiles },
		{ "RELEASE", offer_releases },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			kinds[i].offer(PL_CONTAINER_OF(completion, struct answer, common));
	}
}

/* Returns row `i` of a vLLM command: a server argument or a load option. NULL: no more. */
static const struct option_row *row_at(const struct answer *answer, bool is_load, size_t i)
{
	const struct vllm_bench_kind *kind = answer->kind;

	/* its own options, followed by the engine's arguments */
	if (kind != NULL && i < kind->count)
		return &kind->rows[i];
	if (kind != NULL)
		i -= kind->count;
	if (!is_load || kind != NULL)
		return i < vllm_arg_count(answer->catalog) ? vllm_arg_at(answer->catalog, i) : NULL;
	return i < VLLM_BENCH_COUNT ? vllm_bench_row((enum vllm_bench_id)i) : NULL;
}

static bool is_vllms(const struct answer *answer, const struct option_row *row, bool is_load)
{
	const struct vllm_bench_kind *kind = answer->kind;

	if (kind != NULL)
		return !row->absent && ((row >= kind->rows && row < kind->rows + kind->count) ||
					vllm_bench_kind_takes(kind, row));
	return row->flag != NULL && (is_load ? !row->gone && !row->ours : !row->absent);
}

/* Each of several flags, separated by blanks; `words` NULL: none. */
static void offer_words(struct answer *answer, const char *words, const char *help)
{
	auto_free char *copy = pl_strdup(words);

	for (char *rest = copy; rest != NULL;)
		offer(answer, strsep(&rest, " "), help);
}

static void offer_flags(struct answer *answer, bool is_load)
{
	const struct option_row *row;

	for (size_t i = 0; (row = row_at(answer, is_load, i)) != NULL; i++) {
		if (!is_vllms(answer, row, is_load))
			continue;
		offer(answer, row->flag, row->help);
		offer_words(answer, row->aliases, row->help);
		offer_words(answer, row->own_aliases, row->help);
		offer_words(answer, row->negative_flag, row->help);
		offer_words(answer, row->negative_aliases, row->help);
	}
}

/* Returns the vLLM option of a flag, if it takes a value. */
static const struct option_row *row_with_value(const struct answer *answer, bool is_load,
					       const char *flag)
{
	const struct option_row *row;

	for (size_t i = 0; (row = row_at(answer, is_load, i)) != NULL; i++) {
		bool is_alone = row->style == OPTION_STYLE_TOGGLE ||
				row->style == OPTION_STYLE_FLAG;
		if (is_vllms(answer, row, is_load) && !is_alone &&
		    (strcmp(row->flag, flag) == 0 || pl_text_has_word(row->aliases, ' ', flag) ||
		     pl_text_has_word(row->own_aliases, ' ', flag)))
			return row;
	}
	return NULL;
}

/* Completes a vLLM command line after "--"; the last word is the one at the cursor. */
static void complete_command(struct answer *answer, char **words, int count)
{
	bool is_bench = count > 2 && strcmp(words[1], "bench") == 0;
	answer->kind = is_bench && count > 3 ? vllm_bench_kind_find(words[2]) : answer->kind;
	const struct option_row *row = row_with_value(answer, is_bench, answer->common.name);

	if (count == 1) {
		offer(answer, "vllm", NULL);
	} else if (count == 2 && strcmp(answer->common.name, "vllm") == 0) {
		offer(answer, "serve", NULL);
		offer(answer, "bench", NULL);
	} else if (count == 3 && is_bench) {
		pl_completion_offer_texts(&answer->common, cli_bench_command.words);
	} else if (row != NULL && row->choices != NULL) {
		offer_choices(answer, row->choices);
	} else if (row == NULL && answer->common.line[answer->common.after] == '-') {
		offer_flags(answer, is_bench);
	} else {
		pl_completion_offer_files(&answer->common);
	}
}

/* Offers the flags of `profllm bench` itself. */
static void offer_program_flags(struct answer *answer)
{
#define BENCH_FLAG(name, arg, choices, help) offer(answer, "--" name, help);
#define OFFLINE_FLAG                         BENCH_FLAG
#include "tbl/bench_flags.h"
	offer(answer, "--help", "show this help and exit");
}

/* The last word is the one at the cursor. */
static void complete_line(struct answer *answer, char **words, int count)
{
	const struct pl_command *cmd = pl_command_find(&cli_commands, words[0]);
	int dashes = 1;

	if (count == 1) {
		pl_completion_offer_commands(&answer->common);
		offer(answer, "--help", "show the help and exit");
		offer(answer, "--version", "show the version and exit");
		return;
	}
	if (cmd == NULL)
		return;
	/* vLLM's sweeps have options of their own, also after bench */
	if (count > 2 && strcmp(words[0], "bench") == 0 && strcmp(words[1], "sweep") == 0) {
		words++;
		count--;
	}
	if (count > 2 && strcmp(words[0], "sweep") == 0 && cli_sweep_is_vllms(words[1])) {
		pl_completion_offer_options(&answer->common, cli_sweep_vllm_command(words[1]),
					    words + 2, count - 2);
		return;
	}
	while (dashes < count - 1 && strcmp(words[dashes], "--") != 0)
		dashes++;
	/* our command line of an offline benchmark is vLLM's with additional flags */
	if (count > 2 && strcmp(words[0], "bench") == 0)
		answer->kind = vllm_bench_kind_find(words[1]);
	if (answer->kind != NULL && row_with_value(answer, true, answer->common.name) == NULL &&
	    answer->common.line[answer->common.after] == '-')
		offer_program_flags(answer);
	if (answer->kind != NULL)
		complete_command(answer, words - 1, count + 1);
	else if (dashes < count - 1 && cmd->options != NULL && cmd->options->takes_command)
		complete_command(answer, words + dashes + 1, count - dashes - 1);
	else
		pl_completion_offer_options(&answer->common, cmd->options, words + 1, count - 1);
}

int cmd_complete(int argc, char **argv)
{
	struct answer answer = { .kind = NULL };
	auto_catalog const struct vllm_catalog *catalog = NULL;

	pl_completion_init(&answer.common, &cli_commands, argc, argv);
	answer.common.offer_values = offer_values;
	/* a message would be invisible here, so there is no output */
	if (cli_catalog_open(NULL, &catalog, PL_ERR_IGNORED) == 0) {
		answer.catalog = catalog;
		complete_line(&answer, argv + 1, argc - 1);
	}
	return pl_completion_done(&answer.common);
}
