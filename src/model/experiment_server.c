/* `server:`, vLLM's arguments. */
#include "model/experiment_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void unknown_argument(struct md_reader *reader, const struct pl_yaml *name, const char *key)
{
	md_reader_add(reader, MD_ERROR, name, key, "an unknown argument",
		      "one of vLLM's (others go into launch.extra_args)",
		      md_arg_nearest(name->text));
}

/* Arguments that a release lacks are told where the release is known: md_target_check_args(). */
static void warn_deprecated(struct md_reader *reader, const struct pl_yaml *node, const char *key,
			    const struct md_arg *arg)
{
	if (arg->in_reference && arg->deprecated)
		md_reader_add(reader, MD_WARNING, node, key, "a deprecated argument", "a newer one",
			      arg->replaced_by);
}

/* What single values cannot tell. */
static bool is_usable(struct md_reader *reader, const struct pl_yaml *node, const char *key,
		      const struct md_arg *arg, const json_t *value)
{
	if (strcmp(arg->name, "api_key") == 0 && json_array_size(value) > 1) {
		md_reader_add(reader, MD_ERROR, node, key, "several keys",
			      "one: it reaches the server by its environment", NULL);
		return false;
	}
	return true;
}

/* The spec of an argument for words: quotes make no difference, but true and false are flags. */
static struct md_spec spec_of_words(const struct md_arg *arg, struct pl_yaml *node)
{
	struct md_spec spec = md_spec_of_arg(arg);
	bool truth;

	if (node->kind == PL_YAML_SCALAR && node->text[0] != '\0')
		node->plain = true;
	spec.number_text = !pl_yaml_to_bool(node, &truth);
	return spec;
}

/* An object before its values were typed: "3" stays a text. */
static void keep_given(struct md_reader *reader, const struct md_arg *arg,
		       const struct pl_yaml *node)
{
	json_t *given = node->kind == PL_YAML_MAP      ? pl_yaml_to_json(node)
			: node->kind == PL_YAML_SCALAR ? json_loads(node->text, 0, NULL)
						       : NULL;

	if (json_is_object(given))
		md_object_put(reader->given, arg->name, node, given);
	else
		json_decref(given);
}

static void read_arg(struct md_reader *reader, const struct pl_yaml *name,
		     const struct pl_yaml *node, const struct md_arg *arg, bool inverted,
		     json_t *server)
{
	auto_free char *key = pl_asprintf("server.%s", name->text);
	auto_free char *place = pl_asprintf("server.%s", arg->name);
	struct pl_yaml word = *node;
	struct md_spec spec = reader->as_words ? spec_of_words(arg, &word) : md_spec_of_arg(arg);
	json_t *value = md_value_read(reader, &word, key, &spec);

	if (value == NULL)
		return;
	if (!is_usable(reader, node, key, arg, value)) {
		json_decref(value);
		return;
	}
	warn_deprecated(reader, name, key, arg);
	if (inverted && json_is_boolean(value)) {
		json_t *other = json_boolean(!json_is_true(value));
		json_decref(value);
		value = other;
	}
	md_reader_place(reader, place, node->line > 0 ? node : name);
	if (reader->given != NULL && json_is_object(value))
		keep_given(reader, arg, node);
	md_object_put(server, arg->name, node, value);
}

/* "compilation_config.pass_config.x: v" as the mappings it means; the nodes have no line. */
static void read_dotted(struct md_reader *reader, const struct pl_yaml *name,
			const struct pl_yaml *node, json_t *server)
{
	struct pl_yaml maps[MD_SECTION_DEPTH_MAX];
	struct pl_yaml names[MD_SECTION_DEPTH_MAX];
	struct pl_yaml *keys[MD_SECTION_DEPTH_MAX];
	struct pl_yaml *items[MD_SECTION_DEPTH_MAX];
	auto_free char *text = pl_strdup(name->text);
	char *rest = text;
	const char *first = strsep(&rest, ".");
	const struct md_arg *arg = md_arg_find(first);
	size_t depth = 0;

	if (arg == NULL || arg->type != MD_ARG_JSON) {
		auto_free char *key = pl_asprintf("server.%s", name->text);
		unknown_argument(reader, name, key);
		return;
	}
	for (; rest != NULL && depth < MD_SECTION_DEPTH_MAX; depth++) {
		names[depth] = *name;
		names[depth].text = strsep(&rest, ".");
		keys[depth] = &names[depth];
		items[depth] = rest != NULL && depth + 1 < MD_SECTION_DEPTH_MAX
				       ? &maps[depth + 1]
				       : (struct pl_yaml *)node;
		maps[depth] = (struct pl_yaml){
			.kind = PL_YAML_MAP,
			.text = "",
			.count = 1,
			.items = &items[depth],
			.keys = &keys[depth],
		};
	}
	struct pl_yaml arg_name = *name;
	arg_name.text = first;
	read_arg(reader, &arg_name, &maps[0], arg, false, server);
}

void md_server_read(struct md_reader *reader, const struct pl_yaml *map, json_t *server)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct pl_yaml *name = map->keys[i];
		auto_free char *key = pl_asprintf("server.%s", name->text);
		const struct md_arg *arg = md_arg_find(name->text);
		const struct md_arg *negative = arg == NULL ? md_arg_find_negative(name->text)
							    : NULL;

		if (md_key_is_repeated(reader, map, i, key))
			continue;
		if (arg != NULL)
			read_arg(reader, name, map->items[i], arg, false, server);
		else if (negative != NULL)
			read_arg(reader, name, map->items[i], negative, true, server);
		else if (strchr(name->text, '.') != NULL)
			read_dotted(reader, name, map->items[i], server);
		else
			unknown_argument(reader, name, key);
	}
}
