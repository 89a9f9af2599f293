/* vLLM's arguments among the words of launch.command and launch.extra_args, which nobody checks. */
#include "model/experiment_priv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* One of the two lists. */
struct words {
	const struct md_experiment *experiment;
	struct md_problems *problems;
	const json_t *list;
	const char *key; /* "launch.command" */
};

static bool has_flag(const char *flags, const char *flag)
{
	size_t want = strlen(flag);

	for (const char *at = flags; at != NULL && *at != '\0';) {
		size_t len = strcspn(at, " ");
		if (len == want && memcmp(at, flag, len) == 0)
			return true;
		at += len + strspn(at + len, " ");
	}
	return false;
}

/* The argument of "--port", "--port=1", "--no-x", "--x.key" or "-tp"; NULL. */
static const struct md_arg *arg_of(const char *word)
{
	auto_free char *flag = pl_strndup(word, strcspn(word, "=."));
	const struct md_arg *arg = NULL;

	if (pl_text_starts(flag, "--")) {
		arg = md_arg_find(flag + 2);
		return arg != NULL ? arg : md_arg_find_negative(flag + 2);
	}
	for (size_t i = 0; i < md_arg_count(); i++) {
		if (has_flag(md_arg_at(i)->aliases, flag))
			return md_arg_at(i);
	}
	return NULL;
}

/* What the run itself must know: the address it asks, the model it names. */
static bool is_of_the_run(const struct md_arg *arg)
{
	static const char *const names[] = { "host", "port", "uds", "model" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (strcmp(arg->name, names[i]) == 0)
			return true;
	}
	return false;
}

static void add(const struct words *words, enum md_severity severity, const char *word,
		const char *expected)
{
	const struct md_place *place = md_places_find(&words->experiment->places, words->key);
	auto_free char *found = pl_asprintf("'%s'", word);

	md_problems_add(words->problems,
			&(struct md_problem){
				.severity = severity,
				.source = place != NULL ? place->source : words->experiment->source,
				.line = place != NULL ? place->line : 0,
				.column = place != NULL ? place->column : 0,
				.key = words->key,
				.found = found,
				.expected = expected,
			});
}

static void check_flag(const struct words *words, const char *word, const struct md_arg *arg)
{
	bool refused = is_of_the_run(arg);
	auto_free char *flag = pl_strndup(word, strcspn(word, "="));
	auto_free char *expected = pl_asprintf(
		refused ? "server.%s" : "server.%s: these words are not checked", arg->name);

	/* secrets are refused elsewhere */
	if (!md_arg_is_secret(arg))
		add(words, refused ? MD_ERROR : MD_WARNING, flag, expected);
}

/* How many words behind a flag can be its values; of unknown flags nobody knows. */
static size_t values_of(const char *word, const struct md_arg *arg)
{
	bool alone = arg != NULL && (arg->style == MD_STYLE_TOGGLE || arg->style == MD_STYLE_FLAG ||
				     strchr(word, '=') != NULL);

	if (alone)
		return 0;
	return arg == NULL || arg->style == MD_STYLE_LIST ? SIZE_MAX : 1;
}

static void check_from(const struct words *words, size_t first)
{
	size_t values = 0;

	for (size_t i = first; i < json_array_size(words->list); i++) {
		const char *word = json_string_value(json_array_get(words->list, i));
		const struct md_arg *arg = word[0] == '-' ? arg_of(word) : NULL;
		if (arg != NULL)
			check_flag(words, word, arg);
		if (word[0] == '-')
			values = values_of(word, arg);
		else if (values > 0)
			values--;
		else
			add(words, MD_ERROR, word, "server.model, or a flag in front of it");
	}
}

/* What stands in front belongs to other programs. */
static size_t behind_program(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *word = json_string_value(json_array_get(list, i));
		if (strcmp(word, "serve") == 0 ||
		    strcmp(word, "vllm.entrypoints.openai.api_server") == 0)
			return i + 1;
	}
	return json_array_size(list);
}

void md_words_check(const struct md_experiment *experiment, struct md_problems *problems)
{
	struct words words = { .experiment = experiment,
			       .problems = problems,
			       .list = experiment->launch.command,
			       .key = "launch.command" };

	check_from(&words, behind_program(words.list));
	words.list = experiment->launch.extra_args;
	words.key = "launch.extra_args";
	check_from(&words, 0);
}
