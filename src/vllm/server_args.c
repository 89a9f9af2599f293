#include "vllm/server_args.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/arg_index.h"

#define INF        INFINITY
#define NAME_BYTES 128

#define RELEASE_CURRENT true
#define RELEASE_GONE    false

/* clang-format off */
static const struct vllm_arg reference_args[] = {
#define ARG(type_, style_, release_, name_, flag_, default_, min_, max_, help_, ...)               \
	{ .name = #name_, .flag = flag_, .group = ARG_GROUP, .type = VLLM_ARG_##type_,               \
	  .style = VLLM_STYLE_##style_, .in_reference = RELEASE_##release_,                          \
	  .default_json = #default_, .min = min_, .max = max_, .help = help_, __VA_ARGS__ },
#include "tbl/engine_args.h"
#undef ARG
};

static const struct vllm_field fields[] = {
#define FIELD(type_, arg_, path_, min_, max_, ...)                                                 \
	{ .arg = #arg_, .path = path_, .type = VLLM_FIELD_##type_, .min = min_, .max = max_,         \
	  __VA_ARGS__ },
#include "tbl/engine_fields.h"
#undef FIELD
};
/* clang-format on */

/* The rows that count: those of the reference release until vllm_args_install(). */
static const struct vllm_arg *args = reference_args;
static size_t arg_count = PL_ARRAY_SIZE(reference_args);

/* Secrets reach the server by its environment. */
static const struct {
	const char *name;
	const char *variable;
} secrets[] = { { "api_key", "VLLM_API_KEY" }, { "hf_token", "HF_TOKEN" } };

static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void build_index(void)
{
	vllm_arg_index_build(args, arg_count);
}

void vllm_args_install(const struct vllm_arg *rows, size_t count)
{
	pthread_once(&index_once, build_index);
	args = rows != NULL ? rows : reference_args;
	arg_count = rows != NULL ? count : PL_ARRAY_SIZE(reference_args);
	build_index();
}

size_t vllm_arg_count(void)
{
	return arg_count;
}

const struct vllm_arg *vllm_arg_at(size_t i)
{
	return &args[i];
}

/* snake_case of a name in either spelling; false when it is too long to be one of ours. */
static bool snake_name(const char *name, char snake[NAME_BYTES])
{
	size_t len = strlen(name);

	if (len >= NAME_BYTES)
		return false;
	for (size_t i = 0; i <= len; i++)
		snake[i] = name[i] == '-' ? '_' : name[i];
	return true;
}

/* Is `snake` one of the flags ("--long -s") in `flags`, dashes in front left out? */
static bool has_alias(const char *flags, const char *snake, bool short_too)
{
	while (flags != NULL && *flags != '\0') {
		size_t len = strcspn(flags, " ");
		size_t dashes = strspn(flags, "-");
		bool same = len - dashes == strlen(snake) && (dashes == 2 || short_too);
		for (size_t i = dashes; same && i < len; i++)
			same = (flags[i] == '-' ? '_' : flags[i]) == snake[i - dashes];
		if (same)
			return true;
		flags += len + strspn(flags + len, " ");
	}
	return false;
}

const struct vllm_arg *vllm_arg_find(const char *name)
{
	pthread_once(&index_once, build_index);
	return vllm_arg_index_find(name, VLLM_ARG_NAME | VLLM_ARG_LONG_ALIAS);
}

const struct vllm_arg *vllm_arg_find_negative(const char *name)
{
	pthread_once(&index_once, build_index);
	return vllm_arg_index_find(name, VLLM_ARG_NEGATIVE);
}

const char *vllm_arg_nearest(const char *name)
{
	auto_free const char **names = pl_alloc_array(arg_count, sizeof(*names));
	char snake[NAME_BYTES];

	if (!snake_name(name, snake))
		return NULL;
	for (size_t i = 0; i < arg_count; i++) {
		names[i] = args[i].name;
		if (has_alias(args[i].aliases, snake, true))
			return args[i].name;
	}
	return pl_text_nearest(snake, names, arg_count);
}

bool vllm_arg_is_secret(const struct vllm_arg *arg)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(secrets); i++) {
		if (strcmp(arg->name, secrets[i].name) == 0)
			return true;
	}
	return false;
}

bool vllm_arg_choices_open(const struct vllm_arg *arg)
{
	return arg->choices_open ||
	       (arg->choices_note != NULL && pl_text_starts(arg->choices_note, "not checked"));
}

static const char *const type_names[] = {
	[VLLM_ARG_BOOL] = "bool",
	[VLLM_ARG_INT] = "int",
	[VLLM_ARG_FLOAT] = "float",
	[VLLM_ARG_STRING] = "string",
	[VLLM_ARG_ENUM] = "enum",
	[VLLM_ARG_JSON] = "json",
	[VLLM_ARG_HUMAN_INT] = "int_or_human",
	[VLLM_ARG_LIST_INT] = "list<int>",
	[VLLM_ARG_LIST_STRING] = "list<string>",
	[VLLM_ARG_LIST_ENUM] = "list<enum>",
};

static const char *const style_names[] = {
	[VLLM_STYLE_VALUE] = "value",
	[VLLM_STYLE_TOGGLE] = "toggle",
	[VLLM_STYLE_FLAG] = "flag",
	[VLLM_STYLE_LIST] = "list",
	[VLLM_STYLE_OPTIONAL_VALUE] = "optional_value",
	[VLLM_STYLE_REPEAT] = "repeat",
};

const char *vllm_arg_type_name(enum vllm_arg_type type)
{
	return type_names[type];
}

int vllm_arg_type_find(const char *name, enum vllm_arg_type *ret)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(type_names); i++) {
		if (!pl_text_equal(type_names[i], name))
			continue;
		*ret = (enum vllm_arg_type)i;
		return 0;
	}
	return -1;
}

const char *vllm_arg_style_name(enum vllm_arg_style style)
{
	return style_names[style];
}

int vllm_arg_style_find(const char *name, enum vllm_arg_style *ret)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(style_names); i++) {
		if (!pl_text_equal(style_names[i], name))
			continue;
		*ret = (enum vllm_arg_style)i;
		return 0;
	}
	return -1;
}

const char *vllm_field_type_name(enum vllm_field_type type)
{
	static const char *const names[] = {
		[VLLM_FIELD_ANY] = "any",       [VLLM_FIELD_BOOL] = "bool",
		[VLLM_FIELD_INT] = "int",       [VLLM_FIELD_FLOAT] = "float",
		[VLLM_FIELD_STRING] = "string", [VLLM_FIELD_ENUM] = "enum",
		[VLLM_FIELD_LIST] = "list",     [VLLM_FIELD_JSON] = "json",
	};

	return names[type];
}

size_t vllm_field_count(void)
{
	return PL_ARRAY_SIZE(fields);
}

const struct vllm_field *vllm_field_at(size_t i)
{
	return &fields[i];
}

const struct vllm_field *vllm_field_find(const char *arg, const char *path)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(fields); i++) {
		if (strcmp(fields[i].arg, arg) == 0 && strcmp(fields[i].path, path) == 0)
			return &fields[i];
	}
	return NULL;
}

/* A value as one word of a command line. The caller's (free()). */
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

/* "--x v"; "--x=v" where v looks like another flag. */
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

static void add_list(json_t *argv, const struct vllm_arg *arg, const json_t *value)
{
	size_t i;
	json_t *item;

	if (!json_is_array(value)) {
		add_flag_value(argv, arg->flag, value);
		return;
	}
	/* alone behind "=" a text may begin as a flag does */
	if (json_array_size(value) == 1 && arg->style == VLLM_STYLE_LIST) {
		add_flag_value(argv, arg->flag, json_array_get(value, 0));
		return;
	}
	if (json_array_size(value) > 0 && arg->style == VLLM_STYLE_LIST)
		add_word(argv, arg->flag);
	json_array_foreach((json_t *)value, i, item)
	{
		auto_free char *word = value_word(item);
		if (arg->style == VLLM_STYLE_REPEAT)
			add_flag_value(argv, arg->flag, item);
		else
			add_word(argv, word);
	}
}

/* Is null what the server has anyway, or a word it would refuse? */
static bool null_is_unsaid(const struct vllm_arg *arg)
{
	return arg->no_null_on_cli || arg->style != VLLM_STYLE_VALUE ||
	       pl_text_equal(arg->default_json, "null");
}

static int add_arg(json_t *argv, const struct vllm_arg *arg, const json_t *value,
		   struct pl_err *err)
{
	if (json_is_null(value) && null_is_unsaid(arg))
		return 0;
	switch (arg->style) {
	case VLLM_STYLE_TOGGLE:
	case VLLM_STYLE_FLAG:
		if (json_is_true(value))
			add_word(argv, arg->flag);
		else if (arg->negative_flag != NULL)
			add_word(argv, arg->negative_flag);
		else if (pl_text_equal(arg->default_json, "true"))
			return pl_err_set(err, PL_ERR_INVALID, "'%s' cannot be switched off",
					  arg->name);
		return 0;
	case VLLM_STYLE_LIST:
	case VLLM_STYLE_REPEAT:
		add_list(argv, arg, value);
		return 0;
	case VLLM_STYLE_OPTIONAL_VALUE:
		if (json_is_true(value))
			add_word(argv, arg->flag);
		else if (!json_is_false(value))
			add_flag_value(argv, arg->flag, value);
		return 0;
	case VLLM_STYLE_VALUE:
		break;
	}
	add_flag_value(argv, arg->flag, value);
	return 0;
}

/* Moves a secret into the environment; false when the value is none (a bare --hf-token). */
static bool add_secret(json_t *env, const struct vllm_arg *arg, const json_t *value)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(secrets); i++) {
		const json_t *text = json_is_array(value) ? json_array_get(value, 0) : value;
		if (strcmp(arg->name, secrets[i].name) != 0 || !json_is_string(text))
			continue;
		json_object_set(env, secrets[i].variable, (json_t *)text);
		return true;
	}
	return false;
}

int vllm_args_to_argv(const json_t *values, json_t *argv, json_t **ret_env, struct pl_err *err)
{
	auto_json json_t *words = json_array();
	auto_json json_t *env = json_object();
	const json_t *model = json_object_get(values, "model");
	const char *name;
	json_t *value;

	if (json_is_string(model))
		add_word(words, json_string_value(model));
	json_object_foreach((json_t *)values, name, value)
	{
		const struct vllm_arg *arg = vllm_arg_find(name);
		if (arg == NULL)
			return pl_err_set(err, PL_ERR_INVALID, "unknown server argument '%s'",
					  name);
		/* what `config` names was read: its values stand among these */
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

static json_t *default_value(const struct vllm_arg *arg)
{
	if (arg->default_json == NULL || !arg->in_reference)
		return NULL;
	return json_loads(arg->default_json, JSON_DECODE_ANY, NULL);
}

void vllm_args_effective(const json_t *values, json_t **ret_config, json_t **ret_source)
{
	json_t *config = json_object();
	json_t *source = json_object();

	for (size_t i = 0; i < arg_count; i++) {
		const struct vllm_arg *arg = &args[i];
		json_t *value = json_object_get(values, arg->name);
		bool is_set = value != NULL;
		bool shown = !vllm_arg_is_secret(arg) || json_is_boolean(value) ||
			     json_is_null(value);
		json_t *use = !is_set ? default_value(arg)
			      : shown ? json_deep_copy(value)
				      : json_string("***");
		json_object_set_new(source, arg->name,
				    json_string(is_set        ? "explicit"
						: use != NULL ? "default"
							      : "unknown"));
		json_object_set_new(config, arg->name, use != NULL ? use : json_null());
	}
	*ret_config = config;
	*ret_source = source;
}
