/*
 * Shared by all sections: merging of values, names in either spelling, duplicate keys, expansion of
 * "${…}", and mappings from dotted names.
 */
#include "experiment/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define EXPANDED_BYTES_MAX (1 << 16)

/*
 * A mapping without a line comes from a dotted name and is merged into the existing value; one in
 * the file replaces it.
 */
void exp_object_put(json_t *object, const char *name, const struct pl_yaml *node, json_t *value)
{
	json_t *there = json_object_get(object, name);

	if (node->kind == PL_YAML_MAP && node->line == 0 && json_is_object(there) &&
	    json_is_object(value)) {
		json_object_update_recursive(there, value);
		json_decref(value);
		return;
	}
	json_object_set_new(object, name, value);
}

void exp_raw_put(struct option_reader *reader, const char *key, const struct pl_yaml *node,
		 json_t *value)
{
	if (reader->raw != NULL)
		exp_object_put(reader->raw, key, node, value);
	else
		json_decref(value);
}

/* vLLM's own YAML has hyphens, and people copy from it. */
bool exp_same_name(const char *a, const char *b)
{
	for (; *a != '\0' && *b != '\0'; a++, b++) {
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	}
	return *a == *b;
}

const struct pl_yaml *exp_map_get(const struct pl_yaml *map, const char *name)
{
	if (map == NULL || map->kind != PL_YAML_MAP)
		return NULL;
	for (size_t i = 0; i < map->count; i++) {
		if (exp_same_name(map->keys[i]->text, name))
			return map->items[i];
	}
	return NULL;
}

/* YAML forbids it, but libraries take the last one without a word: a setting would be lost. */
bool exp_key_is_repeated(struct option_reader *reader, const struct pl_yaml *map, size_t i,
			 const char *key)
{
	for (size_t k = 0; k < i; k++) {
		if (map->keys[k]->text[0] != map->keys[i]->text[0] ||
		    !exp_same_name(map->keys[k]->text, map->keys[i]->text))
			continue;
		option_reader_refuse(reader, map->keys[i], key, "a duplicate key",
				     "each key only once");
		return true;
	}
	return false;
}

/* A variable that is not set is an error: an empty text would be another path or another secret.
 * A lone "$" stays. */
char *exp_expand(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		 const char *text)
{
	auto_buf out = PL_BUF(EXPANDED_BYTES_MAX);

	for (const char *at = text; *at != '\0';) {
		const char *end = strncmp(at, "${", 2) == 0 ? strchr(at, '}') : NULL;
		if (end == NULL) {
			pl_buf_add_char(&out, *at++);
			continue;
		}
		auto_free char *name = pl_strndup(at + 2, (size_t)(end - at) - 2);
		const char *value = getenv(name);
		if (value == NULL || !pl_text_is_utf8(value)) {
			auto_free char *found = pl_asprintf(
				"${%s}, %s", name,
				value == NULL ? "which is not set"
					      : "whose value is not valid UTF-8");
			option_reader_refuse(reader, node, key, found,
					     value == NULL ? "a variable of the environment"
							   : "a variable with a text value");
			return NULL;
		}
		pl_buf_add_text(&out, value);
		at = end + 1;
	}
	if (!out.full)
		return pl_buf_take(&out);
	option_reader_refuse(reader, node, key, "a text that is too long", "at most 64 KiB");
	return NULL;
}

void exp_config_add(const struct exp_config *experiment, const struct option_location *location,
		    const struct option_problem *problem, struct option_problems *problems)
{
	struct option_problem placed = *problem;

	placed.source = location != NULL ? location->source : experiment->source;
	placed.line = location != NULL ? location->line : 0;
	placed.column = location != NULL ? location->column : 0;
	option_problems_add(problems, &placed);
}

/*
 * All nodes are in the caller's `nest`, so nothing needs to be freed. They borrow the parts of
 * `path`, which is modified.
 */
const struct pl_yaml *exp_nest(struct exp_nest *nest, char *path, const struct pl_yaml *at,
			       const struct pl_yaml *value)
{
	char *rest = path;

	for (size_t depth = 0; depth < EXP_SECTION_DEPTH_MAX; depth++) {
		nest->names[depth] = *at;
		nest->names[depth].text = strsep(&rest, ".");
		nest->keys[depth] = &nest->names[depth];
		nest->items[depth] = (struct pl_yaml *)value;
		nest->maps[depth] = (struct pl_yaml){
			.kind = PL_YAML_MAP,
			.text = "",
			.count = 1,
			.items = &nest->items[depth],
			.keys = &nest->keys[depth],
		};
		if (depth > 0)
			nest->items[depth - 1] = &nest->maps[depth];
		if (rest == NULL)
			return &nest->maps[0];
	}
	return NULL;
}
