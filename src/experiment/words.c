/*
 * vLLM's arguments among the words of launch.command and launch.extra_args. The command defines how
 * the server is started, not its arguments: an argument in it would be missing from checks and
 * results, so it is rejected with its key in `server`. launch.extra_args is for words that are
 * intentionally not checked.
 */
#include "experiment/check_priv.h"
#include "experiment/config_priv.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/argv.h"
#include "vllm/catalog.h"
#include "vllm/secret.h"

/* One of the two lists. */
struct words {
	const struct exp_config *experiment;
	struct option_problems *problems;
	const json_t *list;
	const char *key;  /* "launch.command" */
	bool starts_only; /* it may hold no argument at all */
	struct option_argv flags;
};

/* The argument of "--port", "--port=1", "--no-x", "--x.key", "--gpu-mem", "-tp" or "-O3"; NULL. */
static const struct option_row *arg_of(const struct words *words, const char *word)
{
	const struct option_argv_flag *flag = option_argv_find(&words->flags, word);

	if (flag == NULL)
		return pl_text_starts(word, "-O")
			       ? vllm_arg_find(words->experiment->catalog, "optimization_level")
			       : NULL;
	return flag->row;
}

/* Returns whether the run itself needs the argument: the server's address, the model's name. */
static bool is_of_the_run(const struct option_row *arg)
{
	static const char *const names[] = { "host", "port", "uds", "model" };

	return PL_TEXT_IS_ONE_OF(arg->name, names);
}

/* A problem of the word at `at`. */
static void add(const struct words *words, enum option_severity severity, size_t at,
		const char *found, const char *expected)
{
	const struct option_locations *locations = &words->experiment->locations;
	auto_free char *key = pl_asprintf("%s[%zu]", words->key, at);
	const struct option_location *location = option_locations_find(locations, key);

	if (location == NULL)
		location = option_locations_find(locations, words->key);
	exp_config_add(words->experiment, location,
		       &(struct option_problem){ .severity = severity,
						 .key = words->key,
						 .found = found,
						 .expected = expected },
		       words->problems);
}

/* Returns whether it needs no quotes in YAML and is not a flag. */
static bool is_plain(const char *value)
{
	double number;

	return value[0] != '\0' && strpbrk(value, " \t{}[],:#'\"&*!|>%@`") == NULL &&
	       (value[0] != '-' || pl_text_to_f64(value, &number));
}

/*
 * Returns the value to write in the file instead of the flag: " 2" for "--tensor-parallel-size 2",
 * or "".
 */
static char *value_in_file(const struct words *words, size_t at, const char *word,
			   const struct option_row *arg)
{
	const char *joined = strchr(word, '=');
	const char *next = json_string_value(json_array_get(words->list, at + 1));
	const char *value = joined != NULL ? joined + 1 : next;
	bool is_switch = arg->style == OPTION_STYLE_TOGGLE || arg->style == OPTION_STYLE_FLAG;

	if (is_of_the_run(arg) || !pl_text_starts(word, "--"))
		return pl_strdup("");
	if (is_switch)
		return pl_strdup(option_argv_find(&words->flags, word)->negative ? " false"
										 : " true");
	/* only the user can convert a value of several words */
	if (arg->style == OPTION_STYLE_LIST || arg->type == OPTION_JSON || value == NULL ||
	    !is_plain(value))
		return pl_strdup("");
	return pl_asprintf(" %s", value);
}

static void check_flag(const struct words *words, size_t at, const char *word,
		       const struct option_row *arg)
{
	bool refused = words->starts_only || is_of_the_run(arg);
	auto_free char *flag = pl_strndup(word, strcspn(word, "="));
	auto_free char *found = pl_asprintf("'%s'", flag);
	auto_free char *value = refused ? value_in_file(words, at, word, arg) : NULL;
	auto_free char *expected =
		refused ? pl_asprintf("server.%s%s%s", arg->name, *value != '\0' ? ":" : "", value)
			: pl_asprintf("server.%s, because these arguments are not checked",
				      arg->name);

	/* secrets are refused already */
	if (!arg->secret)
		add(words, refused ? OPTION_ERROR : OPTION_WARNING, at, found, expected);
}

/* Secrets have their own keys; on a command line all users can read them. */
static void check_secrets(const struct words *words)
{
	for (size_t i = 0; i < json_array_size(words->list); i++) {
		const char *word = json_string_value(json_array_get(words->list, i));
		const struct option_row *arg = pl_text_starts(word, "--") ? arg_of(words, word)
									  : NULL;
		if (arg != NULL && arg->secret)
			add(words, OPTION_ERROR, i, "a secret",
			    "server.api_key or server.hf_token");
		else if (word != NULL && option_secret_is_assigned(word))
			add(words, OPTION_ERROR, i, "a secret",
			    "launch.env, which passes secrets to the server");
	}
}

/*
 * Returns how many words after a flag may be its values; for unknown flags the number is unknown.
 */
static size_t values_of(const char *word, const struct option_row *arg)
{
	bool alone = arg != NULL && (arg->style == OPTION_STYLE_TOGGLE ||
				     arg->style == OPTION_STYLE_FLAG || strchr(word, '=') != NULL);

	if (alone)
		return 0;
	return arg == NULL || arg->style == OPTION_STYLE_LIST ? SIZE_MAX : 1;
}

static void add_stray(const struct words *words, size_t at, const char *word)
{
	auto_free char *shown = vllm_secret_word_shown(word);
	auto_free char *found = pl_asprintf("'%s'", shown);

	add(words, OPTION_ERROR, at, found, "server.model, or a flag before it");
}

static void check_from(const struct words *words, size_t first)
{
	size_t values = 0;

	check_secrets(words);
	for (size_t i = first; i < json_array_size(words->list); i++) {
		const char *word = json_string_value(json_array_get(words->list, i));
		const struct option_row *arg = word[0] == '-' ? arg_of(words, word) : NULL;
		if (arg != NULL)
			check_flag(words, i, word, arg);
		if (word[0] == '-')
			values = values_of(word, arg);
		else if (values > 0)
			values--;
		else
			add_stray(words, i, word);
	}
}

/* The words before it belong to other programs. */
static size_t after_program(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *word = json_string_value(json_array_get(list, i));
		if (strcmp(word, "serve") == 0 ||
		    strcmp(word, "vllm.entrypoints.openai.api_server") == 0 ||
		    pl_text_ends(word, "vllm/entrypoints/openai/api_server.py"))
			return i + 1;
	}
	return json_array_size(list);
}

void exp_check_launch_words(struct exp_checker *c)
{
	const struct exp_config *experiment = c->experiment;
	struct words words = { .experiment = experiment,
			       .problems = c->problems,
			       .list = experiment->launch.command,
			       .key = "launch.command",
			       .starts_only = true };

	for (size_t i = 0; i < vllm_arg_count(experiment->catalog); i++) {
		const struct option_row *arg = vllm_arg_at(experiment->catalog, i);
		option_argv_add_row(&words.flags, arg, arg->absent);
	}
	check_from(&words, after_program(words.list));
	words.list = experiment->launch.extra_args;
	words.key = "launch.extra_args";
	words.starts_only = false;
	check_from(&words, 0);
	words.list = json_object_get(experiment->launch.container, "args");
	words.key = "launch.container";
	check_secrets(&words);
	option_argv_done(&words.flags);
}
