/*
 * Values as words for vLLM's argparse, and the resulting configuration. argparse determines the
 * form: a value that begins with '-' must be joined with '='; a list consumes all words after its
 * flag, so the model precedes all flags.
 */
#include "vllm/server_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Returns a value as one word of a command line. The caller frees it with free(). */
static char *value_word(const json_t *value)
{
	char number[PL_F64_TEXT_BYTES];

	switch (json_typeof(value)) {
	case JSON_STRING:
		return pl_strdup(json_string_value(value));
	case JSON_REAL:
		pl_text_from_f64(json_real_value(value), number);
		return pl_strdup(number);
	case JSON_NULL:
		return pl_strdup("None");
	default:
		return pl_json_to_text(value, PL_JSON_COMPACT);
	}
}

static void add_word(json_t *argv, const char *word)
{
	json_array_append_new(argv, json_string(word));
}

/* Adds "--x v", or "--x=v" if v looks like a flag. */
static void add_flag_value(json_t *argv, const char *flag, const json_t *value)
{
	auto_free char *word = value_word(value);

	if (json_is_string(value) && word[0] == '-') {
		auto_free char *joined = pl_asprintf("%s=%s", flag, word);
		add_word(argv, joined);
		return;
	}
	add_word(argv, flag);
	add_word(argv, word);
}

/* Many values cannot be joined with "=": one that begins as a flag does is refused before it
 * comes here. */
static void add_list(json_t *argv, const struct option_row *arg, const json_t *value)
{
	if (!json_is_array(value)) {
		add_flag_value(argv, arg->flag, value);
		return;
	}
	/* a single value after "=" may begin like a flag */
	if (json_array_size(value) == 1 && arg->style == OPTION_STYLE_LIST) {
		add_flag_value(argv, arg->flag, json_array_get(value, 0));
		return;
	}
	if (json_array_size(value) > 0 && arg->style == OPTION_STYLE_LIST)
		add_word(argv, arg->flag);
	PL_JSON_EACH(item, value) {
		auto_free char *word = value_word(item);
		if (arg->style == OPTION_STYLE_REPEAT)
			add_flag_value(argv, arg->flag, item);
		else
			add_word(argv, word);
	}
}

/* Returns whether null is the server's default anyway, or a word that it would reject. */
static bool null_is_unsaid(const struct option_row *arg)
{
	return arg->no_null_on_cli || arg->style != OPTION_STYLE_VALUE ||
	       pl_text_equal(arg->default_json, "null");
}

/* A switch without a negative (store_true) is omitted if it is off: it is off without the flag. */
static int add_arg(json_t *argv, const struct option_row *arg, const json_t *value,
		   struct pl_err *err)
{
	if (json_is_null(value) && null_is_unsaid(arg))
		return 0;
	switch (arg->style) {
	case OPTION_STYLE_TOGGLE:
	case OPTION_STYLE_FLAG:
		if (json_is_true(value))
			add_word(argv, arg->flag);
		else if (arg->negative_flag != NULL)
			add_word(argv, arg->negative_flag);
		else if (pl_text_equal(arg->default_json, "true"))
			return pl_err_invalid(err, "'%s' cannot be turned off", arg->name);
		return 0;
	case OPTION_STYLE_LIST:
	case OPTION_STYLE_REPEAT:
	case OPTION_STYLE_WORDS:
		add_list(argv, arg, value);
		return 0;
	case OPTION_STYLE_OPTIONAL_VALUE:
		if (json_is_true(value))
			add_word(argv, arg->flag);
		else if (!json_is_false(value) || arg->type == OPTION_BOOL)
			add_flag_value(argv, arg->flag, value);
		return 0;
	case OPTION_STYLE_VALUE:
		break;
	}
	add_flag_value(argv, arg->flag, value);
	return 0;
}

/*
 * Moves a secret into the environment; false if the value is not one (a bare --hf-token). All users
 * of the machine can read a process's arguments, but only its owner its environment.
 */
static bool add_secret(json_t *env, const struct option_row *arg, const json_t *value)
{
	const json_t *text = json_is_array(value) ? json_array_get(value, 0) : value;

	if (arg->variable == NULL || !json_is_string(text))
		return false;
	json_object_set(env, arg->variable, (json_t *)text);
	return true;
}

int vllm_args_to_argv(const struct vllm_catalog *catalog, const json_t *values, json_t *argv,
		      json_t **ret_env, struct pl_err *err)
{
	auto_json json_t *words = json_array();
	auto_json json_t *env = json_object();
	const json_t *model = json_object_get(values, "model");

	if (json_is_string(model))
		add_word(words, json_string_value(model));
	PL_JSON_EACH_MEMBER(name, value, values) {
		const struct option_row *arg = vllm_arg_find(catalog, name);
		if (arg == NULL)
			return pl_err_invalid(err, "unknown server argument '%s'", name);
		/* the file in `config` was already read: its values are among these */
		if (strcmp(arg->name, "model") == 0 || strcmp(arg->name, "config") == 0 ||
		    add_secret(env, arg, value))
			continue;
		if (add_arg(words, arg, value, err) < 0)
			return -1;
	}
	json_array_extend(argv, words);
	*ret_env = pl_take(env);
	return 0;
}

static json_t *default_value(const struct option_row *arg, const json_t *env)
{
	const char *text = arg->default_env != NULL ? pl_json_get_text(env, arg->default_env)
						    : NULL;

	if (text == NULL && arg->default_env != NULL)
		text = getenv(arg->default_env);
	if (text != NULL)
		return arg->type == OPTION_STRING ? json_string(text) : NULL;
	return pl_json_of_text(arg->default_json);
}

/*
 * explicit: set; default: from the table or the variable; absent: the release lacks the argument;
 * unknown: vLLM computes it.
 */
void vllm_args_effective(const struct vllm_catalog *catalog, const json_t *values,
			 const json_t *env, json_t **ret_config, json_t **ret_source)
{
	json_t *config = json_object();
	json_t *source = json_object();

	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		const struct option_row *arg = vllm_arg_at(catalog, i);
		json_t *value = json_object_get(values, arg->name);
		bool is_set = value != NULL;
		bool shown = !arg->secret || json_is_boolean(value) || json_is_null(value);
		json_t *use = is_set        ? shown ? json_deep_copy(value) : json_string("***")
				     : arg->absent ? NULL
					    : default_value(arg, env);
		json_object_set_new(source, arg->name,
				    json_string(is_set        ? "explicit"
						: arg->absent ? "not_in_release"
						: use != NULL ? "default"
							      : "unknown"));
		json_object_set_new(config, arg->name, pl_json_or_null(use));
	}
	*ret_config = config;
	*ret_source = source;
}

/* "name=path", or JSON with both keys; to vLLM's LoRAParserAction a comma makes it JSON, and a
 * second '=' is an error. */
bool vllm_is_adapter(const json_t *module)
{
	const char *text = json_string_value(module);
	const char *equals = text != NULL ? strchr(text, '=') : NULL;
	auto_json json_t *parsed = NULL;

	if (equals != NULL && strchr(text, ',') == NULL && strchr(equals + 1, '=') == NULL)
		return true;
	parsed = pl_json_of_text(text);
	return json_is_string(json_object_get(text != NULL ? parsed : module, "name")) &&
	       json_is_string(json_object_get(text != NULL ? parsed : module, "path"));
}
