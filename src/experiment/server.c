/*
 * `server:`, vLLM's arguments. Each key is an argument of the target's catalogue, in any spelling
 * vLLM takes: snake or kebab case, an alias, the negative form ("no_enable_x: true"), or dotted
 * ("compilation_config.mode: 3"). They meet under one name, so that one argument set in two
 * spellings is found out.
 */
#include "experiment/config_priv.h"

#include <string.h>

#include "base/mem.h"
#include "vllm/server_args.h"

#define PREFIX_MIN 4

/*
 * Returns the only argument with this prefix ("gpu_memory_util"), otherwise the most similar one.
 * argparse would accept the prefix on the command line; a file is not read that way, but it shows
 * what was meant.
 */
static const char *nearest_argument(const struct vllm_catalog *catalog, const char *name)
{
	const char *bare = name + strspn(name, "-");
	const char *found = NULL;

	for (size_t i = 0; i < vllm_arg_count(catalog) && strlen(bare) >= PREFIX_MIN; i++) {
		const char *known = vllm_arg_at(catalog, i)->name;
		auto_free char *head = pl_strndup(known, strlen(bare));
		if (!exp_same_name(head, bare))
			continue;
		if (found != NULL)
			return vllm_arg_nearest(catalog, bare);
		found = known;
	}
	return found != NULL ? found : vllm_arg_nearest(catalog, bare);
}

static void unknown_argument(const struct vllm_catalog *catalog, struct option_reader *reader,
			     const struct pl_yaml *name, const char *key)
{
	option_reader_add(reader, OPTION_ERROR, name, key, "unknown argument",
			  "; to pass an argument that ProfLLM does not know, put it in "
			  "launch.extra_args",
			  nearest_argument(catalog, name->text));
}

/* Tells each item of a list that does not fit; at the list itself where it was one text. */
static bool are_all(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		    const json_t *list, bool (*fits)(const json_t *item), const char *expected)
{
	bool all = true;

	for (size_t i = 0; i < json_array_size(list); i++) {
		bool is_item = node->kind == PL_YAML_LIST && i < node->count;
		auto_free char *item_key = is_item ? pl_asprintf("%s[%zu]", key, i)
						   : pl_strdup(key);
		if (fits(json_array_get(list, i)))
			continue;
		option_reader_refuse(reader, is_item ? node->items[i] : node, item_key, NULL,
				     expected);
		all = false;
	}
	return all;
}

/* In a list, a text that begins with '-' would be taken for a flag. */
static bool is_word(const json_t *item)
{
	const char *text = json_string_value(item);

	return text == NULL || text[0] != '-' || text[1] == '\0' || strchr(text, ' ') != NULL;
}

/* Checks what single values do not show. VLLM_API_KEY can hold one key. */
static bool is_usable(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		      const struct option_row *arg, const json_t *value)
{
	if (strcmp(arg->name, "api_key") == 0 && json_array_size(value) > 1) {
		option_reader_refuse(reader, node, key, "several keys",
				     "one key, because VLLM_API_KEY holds one");
		return false;
	}
	if (arg->style == OPTION_STYLE_LIST && json_array_size(value) > 1 &&
	    !are_all(reader, node, key, value, is_word,
		     "texts that do not begin with '-', or one item"))
		return false;
	return arg->item_accepts == NULL ||
	       are_all(reader, node, key, value, vllm_is_adapter, VLLM_ADAPTER_EXPECTED);
}

/* The spec of an argument for words: quotes make no difference, but true and false are flags. */
static struct option_row spec_of_words(const struct option_row *arg, struct pl_yaml *node)
{
	struct option_row spec = *arg;
	bool truth;

	if (node->kind == PL_YAML_SCALAR && node->text[0] != '\0')
		node->plain = true;
	spec.number_text = !pl_yaml_to_bool(node, &truth);
	return spec;
}

/* The result of a dotted name: it is merged into the existing value. */
static const struct pl_yaml laid_over = { .kind = PL_YAML_MAP, .text = "" };

/* Returns whether two values of an argument set something twice. Objects do if they share a key. */
static bool clash(const json_t *a, const json_t *b)
{
	if (!json_is_object(a) || !json_is_object(b))
		return true;
	PL_JSON_EACH_MEMBER(name, value, a) {
		const json_t *other = json_object_get(b, name);
		if (other != NULL && clash(value, other))
			return true;
	}
	return false;
}

/* Returns the first earlier key of the same argument, or NULL. `meant`: the meaning of each key. */
static const struct pl_yaml *earlier_key(const struct option_row *const *meant,
					 const struct pl_yaml *map, size_t i)
{
	for (size_t k = 0; k < i && meant[i] != NULL; k++) {
		if (meant[k] == meant[i])
			return map->keys[k];
	}
	return NULL;
}

static void report_twins(struct option_reader *reader, const struct pl_yaml *name, const char *key,
			 const struct pl_yaml *earlier)
{
	auto_free char *line = earlier->line > 0 ? pl_asprintf(" (line %d)", earlier->line)
						 : pl_strdup("");
	auto_free char *reason = pl_asprintf("sets the same argument as '%s'%s; keep one of them",
					     earlier->text, line);

	option_problem_report(reader->problems, .source = reader->source, .line = name->line,
			      .column = name->column, .key = key, .expected = reason,
			      .expected_is_reason = true);
}

/*
 * Stores an object before its values were typed ("3" stays a text), so that the server gets it as
 * written.
 */
static void keep_given(struct option_reader *reader, const struct option_row *arg,
		       const struct pl_yaml *node, bool retry)
{
	json_t *given = node->kind == PL_YAML_MAP      ? pl_yaml_to_json(node)
			: node->kind == PL_YAML_SCALAR ? json_loads(node->text, 0, NULL)
						       : NULL;

	if (json_is_object(given))
		exp_object_put(reader->given, arg->name, retry ? &laid_over : node, given);
	else
		json_decref(given);
}

static void read_arg(struct option_reader *reader, const struct pl_yaml *name,
		     const struct pl_yaml *node, const struct option_row *arg, bool inverted,
		     const struct pl_yaml *earlier, json_t *server)
{
	bool retry = earlier != NULL;
	auto_free char *key = pl_asprintf("server.%s", name->text);
	auto_free char *location = pl_asprintf("server.%s", arg->name);
	struct pl_yaml word = *node;
	struct option_row spec = reader->as_words ? spec_of_words(arg, &word) : *arg;
	size_t first = reader->problems->count;
	json_t *value = option_value_read(reader, &word, key, &spec);

	/* Problems of the mappings that a dotted name stands for are at the name. */
	for (size_t i = first; i < reader->problems->count; i++) {
		struct option_problem *problem = &reader->problems->items[i];
		if (problem->line > 0)
			continue;
		problem->line = name->line;
		problem->column = name->column;
	}
	if (value == NULL)
		return;
	if (!is_usable(reader, node, key, arg, value)) {
		json_decref(value);
		return;
	}
	if (inverted && json_is_boolean(value)) {
		json_t *other = json_boolean(!json_is_true(value));
		json_decref(value);
		value = other;
	}
	const json_t *there = retry ? json_object_get(server, arg->name) : NULL;
	if (there != NULL && clash(there, value)) {
		report_twins(reader, name, key, earlier);
		json_decref(value);
		return;
	}
	option_reader_locate(reader, location, node->line > 0 ? node : name);
	if (reader->given != NULL && json_is_object(value))
		keep_given(reader, arg, node, retry);
	exp_object_put(server, arg->name, retry ? &laid_over : node, value);
}

/* "compilation_config.pass_config.x: v" as the mappings it means; the nodes have no line. */
static void read_dotted(const struct vllm_catalog *catalog, struct option_reader *reader,
			const struct pl_yaml *name, const struct pl_yaml *node,
			const struct pl_yaml *earlier, json_t *server)
{
	struct exp_nest nest;
	auto_free char *text = pl_strdup(name->text);
	char *rest = text;
	const char *first = strsep(&rest, ".");
	const struct option_row *arg = vllm_arg_find(catalog, first);
	auto_free char *key = pl_asprintf("server.%s", name->text);

	if (arg == NULL || arg->type != OPTION_JSON) {
		unknown_argument(catalog, reader, name, key);
		return;
	}
	const struct pl_yaml *value = exp_nest(&nest, rest, name, node);
	if (value == NULL) {
		option_reader_refuse(reader, name, key, "a key with too many parts",
				     EXP_NEST_EXPECTED);
		return;
	}
	struct pl_yaml arg_name = *name;
	arg_name.text = first;
	read_arg(reader, &arg_name, value, arg, false, earlier, server);
}

/*
 * Records the meaning of each key, so that one argument under two names is found; keys of one
 * object may each be dotted on separate lines.
 */
void exp_server_read(const struct vllm_catalog *catalog, struct option_reader *reader,
		     const struct pl_yaml *map, json_t *server)
{
	auto_free const struct option_row **meant = pl_alloc_array(map->count, sizeof(*meant));

	for (size_t i = 0; i < map->count; i++) {
		const struct pl_yaml *name = map->keys[i];
		auto_free char *key = pl_asprintf("server.%s", name->text);
		bool negative;
		/* The argument that a key means, in whatever form; NULL. A negative of an argument that the release
		 * has comes before an absent argument of the same name. */
		auto_free char *first = pl_strndup(name->text, strcspn(name->text, "."));
		const struct option_row *arg = vllm_arg_read_name(catalog, first, &negative);

		meant[i] = arg;
		const struct pl_yaml *earlier = earlier_key(meant, map, i);
		if (exp_key_is_repeated(reader, map, i, key))
			continue;
		if (strchr(name->text, '.') != NULL)
			read_dotted(catalog, reader, name, map->items[i], earlier, server);
		else if (arg != NULL)
			read_arg(reader, name, map->items[i], arg, negative, earlier, server);
		else
			unknown_argument(catalog, reader, name, key);
	}
}
