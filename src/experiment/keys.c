/*
 * The sections made from tbl/experiment_keys.h: all except `server` and `benchmark`. A row has the
 * offset of its value in struct exp_config; `profiling` has no members there and is one JSON
 * object.
 */
#include "experiment/config_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/row_words.h"
#include "vllm/secret.h"

/* clang-format off */
static const struct option_row rows[] = {
#define KEY(type_, key_, member_, default_, min_, max_, help_, ...)                                \
	{ .name = key_, .type = OPTION_##type_, .default_json = #default_, .min = min_,              \
	  .max = max_, .help = help_, .offset = offsetof(struct exp_config, member_),                \
	  .number_text = true, __VA_ARGS__ },
#include "tbl/experiment_keys.h"
#undef KEY
};
/* clang-format on */

size_t exp_key_count(void)
{
	return PL_ARRAY_SIZE(rows);
}

const struct option_row *exp_key_at(size_t i)
{
	return &rows[i];
}

static bool in_profiling(const struct option_row *row)
{
	return row->offset == offsetof(struct exp_config, profiling);
}

static bool is_json(const struct option_row *row)
{
	return row->type == OPTION_LIST || row->type == OPTION_JSON;
}

/* The one list that a word can stand for. */
static bool is_gpus(const struct option_row *row)
{
	return row->type == OPTION_LIST && row->special_values != NULL;
}

/* "ready_timeout" of "launch.ready_timeout" when the section is "launch"; NULL for other
 * sections. */
static const char *name_in_section(const struct option_row *row, const char *section)
{
	size_t len = strlen(section);

	if (len == 0)
		return strchr(row->name, '.') == NULL ? row->name : NULL;
	return strncmp(row->name, section, len) == 0 && row->name[len] == '.' ? row->name + len + 1
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

/* profiling stays NULL until something of it is set. */
static void store(struct exp_config *experiment, const struct option_row *row, const json_t *value)
{
	if (!in_profiling(row)) {
		option_member_set(experiment, row, value);
		return;
	}
	if (experiment->profiling == NULL)
		experiment->profiling = json_object();
	json_object_set(experiment->profiling, strchr(row->name, '.') + 1, (json_t *)value);
}

void exp_keys_init(struct exp_config *experiment)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *value = option_member_default(&rows[i]);
		if (!in_profiling(&rows[i]))
			store(experiment, &rows[i], value);
	}
}

void exp_keys_done(struct exp_config *experiment)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (!in_profiling(&rows[i]))
			option_member_done(experiment, &rows[i]);
	}
	json_decref(experiment->profiling);
}

/* A mapping to texts: numbers and booleans are taken as they are written. Variables of an
 * environment are texts, whatever YAML makes of 1 and true. */
static json_t *read_texts(struct option_reader *reader, const struct option_row *row,
			  const struct pl_yaml *node)
{
	static const struct option_row text = { .type = OPTION_STRING, .number_text = true };
	auto_json json_t *texts = json_object();
	json_t *raw = json_object();
	bool refused = false;

	if (node->kind != PL_YAML_MAP) {
		option_reader_refuse(reader, node, row->name, NULL, "a mapping to strings");
		json_decref(raw);
		return NULL;
	}
	for (size_t i = 0; i < node->count; i++) {
		auto_free char *key = pl_asprintf("%s.%s", row->name, node->keys[i]->text);
		json_t *value = option_value_read(reader, node->items[i], key, &text);
		auto_free char *expanded = NULL;
		if (value != NULL && row->expand) {
			json_object_set(raw, node->keys[i]->text, value);
			expanded = exp_expand(reader, node->items[i], key,
					      json_string_value(value));
			json_decref(value);
			value = expanded != NULL ? json_string(expanded) : NULL;
		}
		refused = refused || value == NULL;
		if (value != NULL)
			json_object_set_new(texts, node->keys[i]->text, value);
	}
	if (row->expand)
		exp_raw_put(reader, row->name, node, json_incref(raw));
	json_decref(raw);
	return refused ? NULL : pl_take(texts);
}

/* GPUs are numbers or uuids, as far as these are clear: "GPU-1a2b", "MIG-…". Numbers that came
 * as texts ("0") become numbers, as the driver has them. */
static bool check_gpus(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		       json_t *gpus)
{
	PL_JSON_EACH(item, gpus) {
		const char *text = json_string_value(item);
		auto_free char *item_key = pl_asprintf("%s[%zu]", key, item_at);
		int64_t number;
		if (text != NULL && pl_text_to_i64(text, &number) && number >= 0) {
			json_array_set_new(gpus, item_at, json_integer(number));
		} else if (text == NULL ||
			   (!pl_text_starts(text, "GPU-") && !pl_text_starts(text, "MIG-"))) {
			option_reader_refuse(reader,
					     item_at < node->count ? node->items[item_at] : node,
					     item_key, NULL,
					     "a GPU number from 0, or a uuid such as GPU-1a2b3c");
			return false;
		}
	}
	return true;
}

static json_t *read_value(struct option_reader *reader, const struct option_row *row,
			  const struct pl_yaml *node)
{
	if (row->texts)
		return read_texts(reader, row, node);
	/* one text with blanks is a command line, which this is not */
	if (row->type == OPTION_LIST && !is_gpus(row) && node->kind == PL_YAML_SCALAR &&
	    strchr(node->text, ' ')) {
		option_reader_refuse(reader, node, row->name, NULL,
				     "a list of arguments such as [vllm, serve]");
		return NULL;
	}
	if (is_gpus(row) && node->kind != PL_YAML_LIST && strcmp(node->text, "auto") != 0 &&
	    strcmp(node->text, "all") != 0) {
		option_reader_refuse(reader, node, row->name, NULL,
				     "auto, all or a list of GPUs such as [0, 1] or [GPU-1a2b3c]");
		return NULL;
	}
	auto_json json_t *value = option_value_read(reader, node, row->name, row);
	if (value != NULL && is_gpus(row) && json_is_array(value) &&
	    !check_gpus(reader, node, row->name, value))
		return NULL;
	if (value == NULL || !row->expand)
		return pl_take(value);
	exp_raw_put(reader, row->name, node, json_incref(value));
	auto_free char *path = exp_expand(reader, node, row->name, json_string_value(value));
	return path != NULL ? json_string(path) : NULL;
}

/* Words and variables have separate locations: "launch.command[1]", "launch.env.NAME". */
static void place_value(struct option_reader *reader, const struct option_row *row,
			const struct pl_yaml *node)
{
	option_reader_locate(reader, row->name, node);
	for (size_t i = 0; row->type == OPTION_LIST && !is_gpus(row) && i < node->count; i++) {
		auto_free char *key = pl_asprintf("%s[%zu]", row->name, i);
		option_reader_locate(reader, key, node->items[i]);
	}
	for (size_t i = 0; row->texts && row->expand && i < node->count; i++) {
		auto_free char *key = pl_asprintf("%s.%s", row->name, node->keys[i]->text);
		option_reader_locate(reader, key, node->keys[i]);
	}
}

/*
 * A mapping without a line comes from a dotted name (--set launch.env.A=1): it is merged into the
 * existing value, while one in the file replaces it.
 */
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
		bool is_laid_over = is_json(&rows[i]) && value->kind == PL_YAML_MAP &&
				    value->line == 0;
		auto_json json_t *merged = is_laid_over ? option_member_get(experiment, &rows[i])
							: NULL;
		if (typed != NULL && json_is_object(merged))
			json_object_update_recursive(merged, typed);
		if (typed != NULL)
			store(experiment, &rows[i], json_is_object(merged) ? merged : typed);
		json_decref(typed);
		return;
	}
	struct pl_nearest nearest = { .name = name->text };
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *known = name_in_section(&rows[i], section);
		if (known != NULL)
			pl_nearest_try(&nearest, known);
	}
	auto_free char *key = pl_asprintf("%s.%s", section, name->text);
	option_reader_add(reader, OPTION_ERROR, name, key, "unknown key", NULL, nearest.found);
}

/* "${HF_TOKEN}": names a secret and holds none. */
static bool is_reference(const char *text)
{
	size_t len = strlen(text);

	return len > 3 && pl_text_starts(text, "${") && strcspn(text + 2, "$}") == len - 3;
}

/* Values of secret variables hidden; a name tells, whatever the text is. */
static json_t *env_shown(const json_t *env)
{
	json_t *shown = json_object();

	PL_JSON_EACH_MEMBER(name, value, env) {
		bool is_hidden = option_secret_is_name(name) &&
				 !is_reference(json_string_value(value));
		json_object_set_new(shown, name,
				    is_hidden ? json_string(OPTION_SECRET_SHOWN)
					      : vllm_secret_json_shown(value));
	}
	return shown;
}

/* Hides private values: passwords in URLs, secrets among words and variables. */
static json_t *shown(const struct option_row *row, const json_t *value)
{
	if (json_is_string(value)) {
		auto_free char *text = option_secret_urls_shown(json_string_value(value));
		return json_string(text);
	}
	if (row->texts && row->expand)
		return env_shown(value);
	return row->texts || is_gpus(row) ? json_deep_copy(value) : vllm_secret_json_shown(value);
}

static json_t *value_to_json(const struct exp_config *experiment, const struct option_row *row)
{
	if (in_profiling(row)) {
		json_t *given = json_object_get(experiment->profiling, strchr(row->name, '.') + 1);
		auto_json json_t *value = given != NULL ? json_incref(given)
							: option_member_default(row);
		return row->type == OPTION_DURATION
			       ? option_duration_to_json(json_integer_value(value))
			       : pl_take(value);
	}
	auto_json json_t *value = option_member_get(experiment, row);
	/* a port that is not given: "auto" */
	if (json_is_null(value) && row->special_values != NULL)
		return option_member_default(row);
	return shown(row, value);
}

void exp_keys_to_json(const struct exp_config *experiment, const char *section, json_t *into)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *name = name_in_section(&rows[i], section);
		if (name != NULL)
			json_object_set_new(into, name, value_to_json(experiment, &rows[i]));
	}
}

/* The value in its raw form, where it has one. The raw one is before "${…}" was expanded. */
static json_t *explicit_value(const struct exp_config *experiment, const struct option_row *row)
{
	json_t *value = value_to_json(experiment, row);
	const json_t *raw = json_object_get(experiment->raw, row->name);

	if (raw == NULL || json_is_null(value))
		return value;
	json_decref(value);
	return shown(row, raw);
}

/* Rows with a location were set. */
void exp_keys_explicit(const struct exp_config *experiment, const char *section, json_t *into)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *name = name_in_section(&rows[i], section);
		if (name != NULL &&
		    option_locations_find(&experiment->locations, rows[i].name) != NULL)
			json_object_set_new(into, name, explicit_value(experiment, &rows[i]));
	}
}

void exp_keys_each_later(const struct exp_config *experiment,
			 void (*fn)(void *user, const struct option_row *row), void *user)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (!rows[i].later)
			continue;
		auto_json json_t *value = value_to_json(experiment, &rows[i]);
		auto_json json_t *plain = option_member_default(&rows[i]);
		if (!json_equal(value, plain))
			fn(user, &rows[i]);
	}
}
