/* Objects: their keys, which the table has for some, and values that nobody types. */
#include "vllm/validate_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/dotted.h"

#define FIELDS_MAX 128

/* A number that no double holds, or none: JSON cannot say it, and a text would be another value. */
static bool is_beyond_json(const struct pl_yaml *node)
{
	const char *at = node->text + (node->text[0] == '-' || node->text[0] == '+');
	double number;
	char *end;

	if (!node->plain)
		return false;
	if (at[0] == '.' && isalpha((unsigned char)at[1]))
		return pl_yaml_to_f64(node, &number);
	if (!isdigit((unsigned char)at[at[0] == '.']))
		return false;
	return isinf(strtod(node->text, &end)) && *end == '\0';
}

static bool is_sayable(struct vllm_reader *reader, const struct pl_yaml *node, const char *key)
{
	bool sayable = true;

	if (node->kind == PL_YAML_SCALAR && is_beyond_json(node)) {
		auto_free char *found = pl_asprintf("number %.60s", node->text);
		vllm_reader_add(reader, OPTION_ERROR, node, key, found, "a finite number", NULL);
		return false;
	}
	for (size_t i = 0; node->kind != PL_YAML_SCALAR && i < node->count; i++) {
		auto_free char *inner = node->kind == PL_YAML_MAP
						? pl_asprintf("%s.%s", key, node->keys[i]->text)
						: pl_asprintf("%s[%zu]", key, i);
		sayable &= is_sayable(reader, node->items[i], inner);
	}
	return sayable;
}

json_t *vllm_value_any(struct vllm_reader *reader, const struct pl_yaml *node, const char *key)
{
	return is_sayable(reader, node, key) ? pl_yaml_to_json(node) : NULL;
}

/* Are the keys of this object known? */
static bool has_fields(const struct vllm_spec *spec)
{
	size_t prefix = spec->path != NULL ? strlen(spec->path) : 0;

	for (size_t i = 0; spec->arg != NULL && i < vllm_field_count(); i++) {
		const struct vllm_field *field = vllm_field_at(i);
		if (strcmp(field->arg, spec->arg) == 0 &&
		    (prefix == 0 ||
		     (strncmp(field->path, spec->path, prefix) == 0 && field->path[prefix] == '.')))
			return true;
	}
	return false;
}

static const struct vllm_field *find_field(const struct vllm_spec *spec, const char *name,
					   char **ret_path)
{
	*ret_path = spec->path[0] == '\0' ? pl_strdup(name)
					  : pl_asprintf("%s.%s", spec->path, name);
	return vllm_field_find(spec->arg, *ret_path);
}

/* The field of this object whose name is nearest. The caller's (free()). */
static char *nearest_field(const struct vllm_spec *spec, const char *name)
{
	const char *names[FIELDS_MAX];
	size_t count = 0;
	size_t prefix = strlen(spec->path);

	for (size_t i = 0; i < vllm_field_count() && count < PL_ARRAY_SIZE(names); i++) {
		const struct vllm_field *field = vllm_field_at(i);
		const char *rest = field->path + (prefix > 0 ? prefix + 1 : 0);
		if (strcmp(field->arg, spec->arg) == 0 &&
		    strncmp(field->path, spec->path, prefix) == 0 &&
		    (prefix == 0 || field->path[prefix] == '.') && strchr(rest, '.') == NULL)
			names[count++] = rest;
	}
	return pl_strdup(pl_text_nearest(name, names, count));
}

/* Errors from the problem `first` on become warnings. */
static void soften(struct option_problems *problems, size_t first)
{
	for (size_t i = first; i < problems->count; i++) {
		problems->errors -= problems->items[i].severity == OPTION_ERROR;
		problems->items[i].severity = OPTION_WARNING;
	}
}

/* A key that older releases have in this object, as far as their default shows. */
static bool is_older_key(const struct vllm_spec *spec, const char *name)
{
	const struct vllm_arg *arg = vllm_arg_find(spec->arg);
	auto_json json_t *keys = arg != NULL && arg->older_default != NULL
					 ? json_loads(arg->older_default, 0, NULL)
					 : NULL;

	return spec->path[0] == '\0' && json_object_get(keys, name) != NULL;
}

/* Why a text that begins as an object is none, where it is worth saying; NULL: no word on it. */
static char *reason_of(const char *text, const char *fault)
{
	const char *excess = option_json_excess(text);

	if (excess == NULL && strstr(fault, "duplicate object key") != NULL)
		excess = "a key that is there twice";
	return excess != NULL ? pl_asprintf("a JSON object with %s", excess) : NULL;
}

static bool read_member(struct vllm_reader *reader, const struct pl_yaml *map, size_t i,
			const char *key, const struct vllm_spec *spec, json_t *object)
{
	const char *name = map->keys[i]->text;
	auto_free char *member_key = pl_asprintf("%s.%s", key, name);
	auto_free char *path = NULL;
	const struct vllm_field *field = find_field(spec, name, &path);

	if (field == NULL && reader->fields_open && is_older_key(spec, name)) {
		json_object_set_new(object, name, pl_yaml_to_json(map->items[i]));
		return true;
	}
	if (field == NULL) {
		auto_free char *nearest = nearest_field(spec, name);
		vllm_reader_add(reader, reader->fields_open ? OPTION_WARNING : OPTION_ERROR,
				map->keys[i], member_key, "an unknown key",
				"one that this object has", nearest);
		if (reader->fields_open)
			json_object_set_new(object, name, pl_yaml_to_json(map->items[i]));
		return reader->fields_open;
	}
	struct vllm_spec member = vllm_spec_of_field(field);
	size_t first = reader->problems->count;
	json_t *value = vllm_value_read(reader, map->items[i], member_key, &member);
	if (value == NULL && !reader->fields_open)
		return false;
	if (value == NULL) {
		soften(reader->problems, first);
		value = pl_yaml_to_json(map->items[i]);
	}
	json_object_set_new(object, name, value);
	return true;
}

static json_t *value_mapping(struct vllm_reader *reader, const struct pl_yaml *node,
			     const char *key, const struct vllm_spec *spec)
{
	auto_json json_t *object = json_object();
	bool refused = false;

	if (!has_fields(spec))
		return vllm_value_any(reader, node, key);
	for (size_t i = 0; i < node->count; i++)
		refused |= !read_member(reader, node, i, key, spec, object);
	return refused ? NULL : pl_take(object);
}

json_t *vllm_value_object(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct vllm_spec *spec)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;
	auto_json json_t *json = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (node->kind == PL_YAML_MAP)
		return value_mapping(reader, node, key, spec);
	if (node->kind != PL_YAML_SCALAR || node->text[0] != '{' ||
	    pl_json_parse(node->text, strlen(node->text), key, &json, &err) < 0 ||
	    pl_yaml_parse(node->text, strlen(node->text), key, &doc, &err) < 0) {
		auto_free char *reason = reason_of(node->text, err.text);
		return vllm_value_refuse(reader, node, key, spec, reason);
	}
	if (!has_fields(spec))
		return pl_take(json);
	/* places inside the text are no places of the file */
	struct vllm_reader inside = *reader;
	size_t first = reader->problems->count;
	json_t *object = value_mapping(&inside, pl_yaml_root(doc), key, spec);
	for (size_t i = first; i < reader->problems->count; i++) {
		reader->problems->items[i].line = node->line;
		reader->problems->items[i].column = node->column;
	}
	return object;
}
