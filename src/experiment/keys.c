/* The sections made from tbl/experiment_keys.h. */
#include "experiment/config_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/secret.h"

enum key_type {
	KEY_TEXT,
	KEY_PATH,
	KEY_BOOL,
	KEY_INT,
	KEY_DUR,
	KEY_LIST,
	KEY_TEXTS,
	KEY_ENV,
	KEY_OBJECT,
	KEY_GPUS,
	KEY_PORT,
};

struct key_row {
	enum key_type type;
	const char *key;
	size_t offset;
	const char *def;
	const char *min;
	const char *max;
	const char *choices;
	bool later;
};

#define STATE_NOW   false
#define STATE_LATER true

static const struct key_row rows[] = {
#define KEY(type_, key_, member_, def_, min_, max_, choices_, state_, help_)                  \
	{ KEY_##type_, key_,          offsetof(struct exp_config, member_), def_, min_, max_, \
	  choices_,    STATE_##state_ },
#include "tbl/experiment_keys.h"
#undef KEY
};

/* Where a row's value stands. */
static void *member(const struct exp_config *experiment, const struct key_row *row)
{
	return (char *)experiment + row->offset;
}

static bool in_profiling(const struct key_row *row)
{
	return row->offset == offsetof(struct exp_config, profiling);
}

static bool is_json(const struct key_row *row)
{
	return row->type == KEY_LIST || row->type == KEY_TEXTS || row->type == KEY_ENV ||
	       row->type == KEY_OBJECT || row->type == KEY_GPUS;
}

/* "ready_timeout" of "launch.ready_timeout" when the section is "launch"; NULL for other
 * sections. */
static const char *name_in_section(const struct key_row *row, const char *section)
{
	size_t len = strlen(section);

	if (len == 0)
		return strchr(row->key, '.') == NULL ? row->key : NULL;
	return strncmp(row->key, section, len) == 0 && row->key[len] == '.' ? row->key + len + 1
									    : NULL;
}

bool exp_section_exists(const char *section)
{
	for (size_t i = 0; section[0] != '\0' && i < PL_ARRAY_SIZE(rows); i++) {
		if (name_in_section(&rows[i], section) != NULL)
			return true;
	}
	return false;
}

static void store(struct exp_config *experiment, const struct key_row *row, json_t *value)
{
	void *into = member(experiment, row);
	bool is_number = json_is_integer(value);

	if (in_profiling(row)) {
		if (experiment->profiling == NULL)
			experiment->profiling = json_object();
		json_object_set(experiment->profiling, strchr(row->key, '.') + 1, value);
		return;
	}
	switch (row->type) {
	case KEY_TEXT:
	case KEY_PATH:
		free(*(char **)into);
		*(char **)into = pl_strdup(json_string_value(value));
		break;
	case KEY_BOOL:
		*(bool *)into = json_is_true(value);
		break;
	case KEY_INT:
	case KEY_DUR:
	case KEY_PORT:
		*(int64_t *)into = is_number ? json_integer_value(value) : OPTION_NO_I64;
		break;
	default:
		json_decref(*(json_t **)into);
		*(json_t **)into = json_is_null(value) ? NULL : json_incref(value);
	}
}

static json_t *default_value(const struct key_row *row)
{
	int64_t number = 0;

	if (strcmp(row->def, "null") == 0)
		return json_null();
	switch (row->type) {
	case KEY_BOOL:
		return json_boolean(strcmp(row->def, "true") == 0);
	case KEY_INT:
		return pl_text_to_i64(row->def, &number) ? json_integer(number) : json_null();
	case KEY_DUR:
		return pl_text_to_duration_ns(row->def, &number) ? json_integer(number)
								 : json_null();
	case KEY_LIST:
	case KEY_TEXTS:
	case KEY_ENV:
	case KEY_OBJECT:
		return json_loads(row->def, 0, NULL);
	default:
		return json_string(row->def);
	}
}

void exp_keys_init(struct exp_config *experiment)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *value = default_value(&rows[i]);
		if (!in_profiling(&rows[i]))
			store(experiment, &rows[i], value);
	}
}

void exp_keys_done(struct exp_config *experiment)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const struct key_row *row = &rows[i];
		if (in_profiling(row))
			continue;
		if (row->type == KEY_TEXT || row->type == KEY_PATH)
			free(*(char **)member(experiment, row));
		else if (is_json(row))
			json_decref(*(json_t **)member(experiment, row));
	}
	json_decref(experiment->profiling);
}

static double bound(const char *text, enum key_type type, double none)
{
	int64_t ns;
	double number;

	if (type == KEY_DUR && pl_text_to_duration_ns(text, &ns))
		return (double)ns;
	return type != KEY_DUR && pl_text_to_f64(text, &number) ? number : none;
}

/* The spec of a row; `choices` keeps its list alive. */
static struct option_row row_spec(const struct key_row *row, const char *choices)
{
	static const enum option_type kinds[] = {
		[KEY_TEXT] = OPTION_STRING, [KEY_PATH] = OPTION_STRING,  [KEY_BOOL] = OPTION_BOOL,
		[KEY_INT] = OPTION_INT,     [KEY_DUR] = OPTION_DURATION, [KEY_LIST] = OPTION_LIST,
		[KEY_TEXTS] = OPTION_JSON,  [KEY_ENV] = OPTION_JSON,     [KEY_OBJECT] = OPTION_JSON,
		[KEY_GPUS] = OPTION_LIST,   [KEY_PORT] = OPTION_INT,
	};

	return (struct option_row){
		.type = kinds[row->type],
		.items = OPTION_STRING,
		.nullable = strcmp(row->def, "null") == 0 ||
			    strcmp(row->key, "telemetry.server_metrics") == 0,
		.number_text = true,
		.min = bound(row->min, row->type, -INFINITY),
		.max = bound(row->max, row->type, INFINITY),
		.choices = choices,
		.special_values = row->type == KEY_GPUS   ? "[\"auto\", \"all\"]"
				  : row->type == KEY_PORT ? "[\"auto\"]"
							  : NULL,
	};
}

/* A mapping to texts: numbers and booleans are taken as they are written. */
static json_t *read_texts(struct option_reader *reader, const struct key_row *row,
			  const struct pl_yaml *node)
{
	static const struct option_row text = { .type = OPTION_STRING, .number_text = true };
	auto_json json_t *texts = json_object();
	bool refused = false;

	if (node->kind != PL_YAML_MAP) {
		option_reader_add(reader, OPTION_ERROR, node, row->key, NULL, "a mapping to texts",
				  NULL);
		return NULL;
	}
	for (size_t i = 0; i < node->count; i++) {
		auto_free char *key = pl_asprintf("%s.%s", row->key, node->keys[i]->text);
		json_t *value = option_value_read(reader, node->items[i], key, &text);
		auto_free char *expanded = NULL;
		if (value != NULL && row->type == KEY_ENV) {
			expanded = exp_expand(reader, node->items[i], key,
					      json_string_value(value));
			json_decref(value);
			value = expanded != NULL ? json_string(expanded) : NULL;
		}
		refused = refused || value == NULL;
		if (value != NULL)
			json_object_set_new(texts, node->keys[i]->text, value);
	}
	return refused ? NULL : pl_take(texts);
}

/* GPUs are numbers or uuids, as far as these are clear: "GPU-1a2b", "MIG-…". */
static bool check_gpus(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		       json_t *gpus)
{
	size_t i;
	json_t *item;

	json_array_foreach(gpus, i, item)
	{
		const char *text = json_string_value(item);
		auto_free char *item_key = pl_asprintf("%s[%zu]", key, i);
		int64_t number;
		if (text != NULL && pl_text_to_i64(text, &number) && number >= 0) {
			json_array_set_new(gpus, i, json_integer(number));
		} else if (text == NULL ||
			   (!pl_text_starts(text, "GPU-") && !pl_text_starts(text, "MIG-"))) {
			option_reader_add(reader, OPTION_ERROR,
					  i < node->count ? node->items[i] : node, item_key, NULL,
					  "a GPU number from 0, or a uuid such as GPU-1a2b3c",
					  NULL);
			return false;
		}
	}
	return true;
}

static json_t *read_value(struct option_reader *reader, const struct key_row *row,
			  const struct pl_yaml *node)
{
	auto_free char *choices = exp_choices_of_bars(row->choices);
	struct option_row spec = row_spec(row, choices);

	if (row->type == KEY_TEXTS || row->type == KEY_ENV)
		return read_texts(reader, row, node);
	/* one text with blanks is a command line, which this is not */
	if (row->type == KEY_LIST && node->kind == PL_YAML_SCALAR && strchr(node->text, ' ')) {
		option_reader_add(reader, OPTION_ERROR, node, row->key, NULL,
				  "a list of words such as [vllm, serve]", NULL);
		return NULL;
	}
	if (row->type == KEY_GPUS && node->kind != PL_YAML_LIST &&
	    strcmp(node->text, "auto") != 0 && strcmp(node->text, "all") != 0) {
		option_reader_add(reader, OPTION_ERROR, node, row->key, NULL,
				  "auto, all or a list of GPUs such as [0, 1] or [GPU-1a2b3c]",
				  NULL);
		return NULL;
	}
	auto_json json_t *value = option_value_read(reader, node, row->key, &spec);
	if (value != NULL && row->type == KEY_GPUS && json_is_array(value) &&
	    !check_gpus(reader, node, row->key, value))
		return NULL;
	if (value == NULL || row->type != KEY_PATH)
		return pl_take(value);
	auto_free char *path = exp_expand(reader, node, row->key, json_string_value(value));
	return path != NULL ? json_string(path) : NULL;
}

static void unknown_key(struct option_reader *reader, const char *section,
			const struct pl_yaml *name)
{
	const char *names[PL_ARRAY_SIZE(rows)];
	size_t count = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *known = name_in_section(&rows[i], section);
		if (known != NULL)
			names[count++] = known;
	}
	auto_free char *key = pl_asprintf("%s.%s", section, name->text);
	auto_free char *expected = pl_asprintf("a key of '%s'", section);
	option_reader_add(reader, OPTION_ERROR, name, key, "an unknown key", expected,
			  pl_text_nearest(name->text, names, count));
}

/* Words and variables have places of their own: "launch.command[1]", "launch.env.NAME". */
static void place_value(struct option_reader *reader, const struct key_row *row,
			const struct pl_yaml *node)
{
	option_reader_place(reader, row->key, node);
	for (size_t i = 0; row->type == KEY_LIST && i < node->count; i++) {
		auto_free char *key = pl_asprintf("%s[%zu]", row->key, i);
		option_reader_place(reader, key, node->items[i]);
	}
	for (size_t i = 0; row->type == KEY_ENV && i < node->count; i++) {
		auto_free char *key = pl_asprintf("%s.%s", row->key, node->keys[i]->text);
		option_reader_place(reader, key, node->keys[i]);
	}
}

void exp_key_read(struct option_reader *reader, const char *section, const struct pl_yaml *name,
		  const struct pl_yaml *value, struct exp_config *experiment)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *known = name_in_section(&rows[i], section);
		if (known == NULL || !exp_same_name(known, name->text))
			continue;
		json_t *typed = read_value(reader, &rows[i], value);
		if (typed != NULL)
			place_value(reader, &rows[i], value);
		json_t **into = member(experiment, &rows[i]);
		if (typed != NULL && is_json(&rows[i]) && value->kind == PL_YAML_MAP &&
		    value->line == 0 && *into != NULL)
			json_object_update_recursive(*into, typed);
		else if (typed != NULL)
			store(experiment, &rows[i], typed);
		json_decref(typed);
		return;
	}
	unknown_key(reader, section, name);
}

/* Values of secret variables hidden; a name tells, whatever the text is. */
static json_t *env_shown(const json_t *env)
{
	json_t *shown = json_object();
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)env, name, value)
		json_object_set_new(shown, name,
				    option_secret_is_name(name) ? json_string(OPTION_SECRET_SHOWN)
								: vllm_secret_json_shown(value));
	return shown;
}

/* A password in a URL is nobody's business. */
static json_t *text_shown(const char *text)
{
	auto_free char *shown = text != NULL ? option_secret_urls_shown(text) : NULL;

	return pl_json_text(shown);
}

static json_t *value_to_json(const struct exp_config *experiment, const struct key_row *row)
{
	const void *from = member(experiment, row);
	json_t *value = in_profiling(row)
				? json_object_get(experiment->profiling, strchr(row->key, '.') + 1)
				: NULL;

	if (in_profiling(row))
		return value != NULL ? json_incref(value) : default_value(row);
	switch (row->type) {
	case KEY_TEXT:
	case KEY_PATH:
		return text_shown(*(char *const *)from);
	case KEY_BOOL:
		return json_boolean(*(const bool *)from);
	case KEY_INT:
		return json_integer(*(const int64_t *)from);
	case KEY_DUR:
		return option_duration_to_json(*(const int64_t *)from);
	case KEY_PORT:
		return *(const int64_t *)from == OPTION_NO_I64
			       ? json_string("auto")
			       : json_integer(*(const int64_t *)from);
	case KEY_ENV:
		return env_shown(*(json_t *const *)from);
	case KEY_LIST:
	case KEY_OBJECT:
		value = *(json_t *const *)from;
		return value != NULL ? vllm_secret_json_shown(value) : json_null();
	default:
		value = *(json_t *const *)from;
		return value != NULL ? json_deep_copy(value) : json_null();
	}
}

void exp_keys_to_json(const struct exp_config *experiment, const char *section, json_t *into)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *name = name_in_section(&rows[i], section);
		if (name != NULL)
			json_object_set_new(into, name, value_to_json(experiment, &rows[i]));
	}
}

int exp_keys_check_supported(const struct exp_config *experiment, struct pl_err *err)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (!rows[i].later)
			continue;
		auto_json json_t *value = value_to_json(experiment, &rows[i]);
		auto_json json_t *plain = default_value(&rows[i]);
		if (!json_equal(value, plain))
			return pl_err_set(err, PL_ERR_INVALID, "'%s' is not in this version",
					  rows[i].key);
	}
	return 0;
}
