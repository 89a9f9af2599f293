/*
 * The words of a flag as the typed value of its argument. The values are read by the reader of the
 * experiment file (option/value.h), each word as a YAML scalar, so both have the same types, limits
 * and messages. This file handles only what command lines add: Python's numbers and None, human
 * numbers within JSON, lists of several words, repeated flags.
 */
#include "vllm/command/command_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/yaml.h"
#include "option/dotted.h"
#include "option/value.h"
#include "vllm/rules.h"
#include "vllm/server_args.h"

/* One value being read. */
struct value {
	struct vllm_parse *parse;
	const struct option_row *arg;
	const struct option_argv_word *flag;
	const struct option_argv_word *at; /* location of the value */
	struct option_reader reader;
	char *key;
};

/* Plain, as without quotes in YAML: 8 is a number and true a bool. Else all of it is a text. */
static struct pl_yaml node_of(const struct value *value, const char *text, bool plain)
{
	return (struct pl_yaml){
		.kind = PL_YAML_SCALAR,
		.plain = plain,
		.text = text,
		.line = value->at->line,
		.column = value->at->column,
	};
}

static json_t *read_node(struct value *value, const struct option_row *spec, const char *text,
			 bool plain)
{
	struct pl_yaml node = node_of(value, text, plain);

	return option_value_read(&value->reader, &node, value->key, spec);
}

/* Reads numbers like Python's int() and float(); errors show invalid ones unchanged. */
static json_t *read_number(struct value *value, const struct option_row *spec, const char *text)
{
	auto_free char *number = option_number_text(text);
	char shown[PL_F64_TEXT_BYTES];
	int64_t whole;
	double real;

	if (number != NULL && spec->type == OPTION_HUMAN_INT)
		return read_node(value, spec, number, number[0] != '\0');
	if (spec->type == OPTION_INT && pl_text_to_i64(number, &whole))
		snprintf(shown, sizeof(shown), "%lld", (long long)whole);
	else if (spec->type == OPTION_FLOAT && pl_text_to_f64(number, &real))
		pl_text_from_f64(real, shown);
	else
		return read_node(value, spec, text, false);
	return read_node(value, spec, shown, true);
}

/*
 * Returns whether the parser accepts any JSON and leaves the keys to the engine. Then no numbers in
 * it are expanded: 80m is not JSON there either.
 */
static bool takes_any_json(const struct option_row *arg)
{
	static const char *const names[] = { "speculative_config", "diffusion_config",
					     "watermark_config" };

	return PL_TEXT_IS_ONE_OF(arg->name, names) || option_field_next(arg, NULL) == NULL;
}

static bool ends_number(char c)
{
	return c == '\0' || c == ',' || c == '}' || c == ']' || isspace((unsigned char)c);
}

/* Length of a bare 80m or 1.5k at `at`; 0: none. */
static size_t human_len(const char *at, const char *begin)
{
	size_t whole = strspn(at, "0123456789");
	size_t len = whole;

	if (whole == 0 || (at > begin && (isalnum((unsigned char)at[-1]) || at[-1] == '.')))
		return 0;
	if (at[len] == '.')
		len += 1 + strspn(at + len + 1, "0123456789");
	if (at[len] == '\0' || strchr("kKmMgGtT", at[len]) == NULL || !ends_number(at[len + 1]))
		return 0;
	return len + 1;
}

/* Numbers such as 80m and 1K outside of the texts of a JSON text, written out. */
static char *expand_numbers(const char *text)
{
	struct pl_buf buf;
	bool in_text = false;
	int64_t number;

	/* "1t" becomes thirteen digits */
	pl_buf_init(&buf, 64 + 8 * strlen(text));
	for (const char *at = text; *at != '\0';) {
		size_t len = in_text ? 0 : human_len(at, text);
		auto_free char *human = pl_strndup(at, len);
		if (len > 0 && pl_text_to_human_int(human, &number)) {
			pl_buf_addf(&buf, "%lld", (long long)number);
			at += len;
			continue;
		}
		if (in_text && *at == '\\' && at[1] != '\0')
			pl_buf_add_char(&buf, *at++);
		else if (*at == '"')
			in_text = !in_text;
		pl_buf_add_char(&buf, *at++);
	}
	return pl_buf_take(&buf);
}

/* Moves problems of a joined object to the dotted key they are about. Their line and column are
 * those of the first key so far, which stands for the whole object. */
static void locate_problems(struct value *value, size_t first)
{
	const struct option_argv_dotted *dotted =
		&value->parse->argv.dotted[value->flag->dotted - 1];
	size_t prefix = strlen(value->key) + 1;

	for (size_t i = first; i < value->parse->problems->count; i++) {
		struct option_problem *problem = &value->parse->problems->items[i];
		const char *path = strlen(problem->key) > prefix ? problem->key + prefix : "";
		for (size_t j = 0; j < dotted->count; j++) {
			const struct option_argv_key *key = &dotted->keys[j];
			size_t len = strlen(key->path);
			if (strncmp(path, key->path, len) != 0 || strchr(".[", path[len]) == NULL)
				continue;
			problem->line = key->line;
			problem->column = key->column;
		}
	}
}

static void refuse(struct value *value, const struct option_row *spec, const char *text)
{
	const char *excess = option_json_excess(text);
	auto_free char *found = excess != NULL ? pl_asprintf("a JSON object with %s", excess)
					       : NULL;
	auto_buf expected = PL_BUF(1024);
	struct pl_yaml node = node_of(value, text, false);

	pl_buf_add_text(&expected, "a JSON object such as '{\"key\": 1}'");
	if (spec->nullable)
		pl_buf_add_text(&expected, ", or None");
	option_reader_refuse(&value->reader, &node, value->key, found, pl_buf_text(&expected));
}

static json_t *read_object(struct value *value, const struct option_row *spec, const char *text)
{
	auto_free char *expanded = takes_any_json(value->arg) ? pl_strdup(text)
							      : expand_numbers(text);
	auto_json json_t *given = pl_json_of_text(expanded);
	struct option_row object = *spec;
	size_t first = value->parse->problems->count;

	/* a bare compilation level: whether the target accepts it is reported with its keys */
	if (json_is_integer(given) && spec->also_accepts != NULL)
		return pl_take(given);
	if (!json_is_object(given)) {
		refuse(value, spec, text);
		return NULL;
	}
	/* texts are members of the object here, and no numbers in disguise */
	object.also_accepts = NULL;
	auto_free char *canonical = pl_json_to_text(given, PL_JSON_PYTHON);
	json_t *typed = read_node(value, &object, canonical, false);
	if (value->flag->dotted > 0)
		locate_problems(value, first);
	if (typed != NULL)
		json_object_set_new(value->parse->command->given, value->arg->name,
				    json_deep_copy(given));
	return typed;
}

static json_t *read_text(struct value *value, const struct option_row *spec, const char *text)
{
	struct option_row plain = *spec;

	if (spec->also_accepts != NULL && strstr(spec->also_accepts, "json") != NULL &&
	    text[strspn(text, " \t\r\n")] == '{') {
		json_t *json = json_loads(text, 0, NULL);
		if (json == NULL)
			refuse(value, spec, text);
		return json;
	}
	/*
	 * argparse does not convert words to numbers by itself: "--served-model-name 8" is the text
	 */
	plain.number_text = true;
	return read_node(value, &plain, text, false);
}

static json_t *read_adapter(struct value *value, const char *text)
{
	auto_json json_t *named = json_string(text);
	struct pl_yaml node = node_of(value, text, false);

	if (vllm_is_adapter(named)) {
		json_t *object = json_loads(text, 0, NULL);
		return object != NULL ? object : pl_take(named);
	}
	option_reader_refuse(&value->reader, &node, value->key, NULL, VLLM_ADAPTER_EXPECTED);
	return NULL;
}

/* One JSON array in a single word. */
static json_t *read_json_list(struct value *value, const struct option_row *spec, const char *text)
{
	json_t *list = pl_json_of_text(text);
	bool texts = json_is_array(list);

	PL_JSON_EACH(item, list)
		texts &= json_is_string(item);
	if (texts)
		return list;
	json_decref(list);
	struct pl_yaml node = node_of(value, text, false);
	option_reader_refuse(&value->reader, &node, value->key, NULL,
			     spec->nullable ? "a JSON array of strings, or None"
					    : "a JSON array of strings such as '[\"*\"]'");
	return NULL;
}

static json_t *read_one(struct value *value, const struct option_row *spec, const char *text)
{
	bool none = strcmp(text, "None") == 0 || text[0] == '\0';

	if (none && spec->nullable && !spec->no_null_on_cli)
		return json_null();
	switch (spec->type) {
	case OPTION_INT:
	case OPTION_HUMAN_INT:
	case OPTION_FLOAT:
		return read_number(value, spec, text);
	case OPTION_JSON:
		return read_object(value, spec, text);
	case OPTION_BOOL:
		return read_node(value, spec, text, true);
	case OPTION_LIST:
		return read_json_list(value, spec, text);
	default:
		return read_text(value, spec, text);
	}
}

static bool add_item(struct value *value, const struct option_row *spec, const char *text,
		     json_t *list)
{
	struct option_row item = *spec;

	item.type = spec->items;
	item.nullable = false;
	json_t *read = spec->item_accepts != NULL ? read_adapter(value, text)
						  : read_one(value, &item, text);
	if (read == NULL)
		return false;
	json_array_append_new(list, read);
	return true;
}

/* "a" or, of a list of choices, "a,b". One bad item does not end it: each has its own problem. */
static bool add_items(struct value *value, const struct option_row *spec, const char *text,
		      json_t *list)
{
	auto_free char *copy = pl_strdup(text);
	bool taken = true;

	if (spec->items != OPTION_ENUM)
		return add_item(value, spec, text, list);
	for (char *rest = copy; rest != NULL;)
		taken &= add_item(value, spec, strsep(&rest, ","), list);
	return taken;
}

static json_t *read_list(struct value *value, const struct option_row *spec)
{
	const struct option_argv_word *flag = value->flag;
	auto_json json_t *list = json_array();
	bool taken = true;

	for (size_t i = 0; i < option_argv_value_count(flag); i++) {
		value->at = flag->joined != NULL ? flag : &flag[1 + i];
		taken &= add_items(value, spec, option_argv_value(flag, i), list);
	}
	return taken ? pl_take(list) : NULL;
}

/* Reads a repeatable flag, one item each. Appends to the list from its previous occurrences. */
static json_t *read_repeated(struct value *value, const struct option_row *spec, const char *text)
{
	json_t *known = json_object_get(value->parse->command->values, value->arg->name);
	auto_json json_t *list = known != NULL ? json_incref(known) : json_array();

	return add_items(value, spec, text, list) ? pl_take(list) : NULL;
}

static json_t *read_values(struct value *value)
{
	const struct option_row *arg = value->arg;
	const struct option_argv_word *flag = value->flag;

	/* a negative takes no value, whatever the style of its row */
	if (flag->flag != NULL && option_argv_is_switch(flag->flag))
		return json_boolean(!flag->flag->negative);
	if (arg->style == OPTION_STYLE_LIST)
		return read_list(value, arg);
	/* argparse's const: the value of the flag alone */
	if (option_argv_value_count(flag) == 0)
		return arg->const_json != NULL ? pl_json_of_text(arg->const_json) : json_true();
	if (flag->joined == NULL)
		value->at = flag + 1;
	const char *text = option_argv_value(flag, 0);
	return arg->style == OPTION_STYLE_REPEAT ? read_repeated(value, arg, text)
						 : read_one(value, arg, text);
}

/* Uses copies of the problems and given texts, because the value is only inspected. */
json_t *vllm_command_value(const struct vllm_parse *parse, const struct option_row *arg,
			   const struct option_argv_word *flag)
{
	struct vllm_parse quiet = *parse;
	struct vllm_command command = *parse->command;
	auto_problems ignored = { 0 };
	auto_json json_t *given = json_object();
	auto_free char *key = vllm_word_key(flag);
	struct value value = { .parse = &quiet, .arg = arg, .flag = flag, .at = flag, .key = key };

	if (flag->kind != OPTION_ARGV_FLAG)
		return NULL;
	quiet.problems = &ignored;
	quiet.command = &command;
	command.given = given;
	value.reader = (struct option_reader){ .source = flag->source,
					       .problems = &ignored,
					       .fields_open = true };
	return read_values(&value);
}

bool vllm_word_is_unknown(const struct vllm_parse *parse, const struct option_argv_word *word,
			  bool optional)
{
	const struct vllm_words *words = &parse->command->words;
	bool is_own = pl_text_equal(word->source, parse->command->source);
	const struct vllm_word *target = is_own && word->line > 0 &&
							 (size_t)word->line <= words->count
						 ? &words->items[word->line - 1]
						 : NULL;

	return target != NULL && (optional ? target->optional : target->unknown);
}

/* For a joined object, checks any key's word and the one after it. */
static bool has_unknown_key(const struct vllm_parse *parse, const struct option_argv *argv,
			    const struct option_argv_word *flag)
{
	const struct vllm_words *words = &parse->command->words;
	const struct option_argv_dotted *dotted = &argv->dotted[flag->dotted - 1];

	for (size_t i = 0; i < dotted->count; i++) {
		size_t word = (size_t)dotted->keys[i].line;
		if ((word > 0 && word <= words->count && words->items[word - 1].unknown) ||
		    (word > 0 && word < words->count && words->items[word].unknown))
			return true;
	}
	return false;
}

bool vllm_value_is_unknown(const struct vllm_parse *parse, const struct option_argv *argv,
			   const struct option_argv_word *flag)
{
	if (!pl_text_equal(flag->source, parse->command->source))
		return false;
	if (flag->dotted > 0)
		return has_unknown_key(parse, argv, flag);
	if (vllm_word_is_unknown(parse, flag, false))
		return true;
	for (size_t i = 1; flag->joined == NULL && i <= flag->values; i++) {
		if (vllm_word_is_unknown(parse, flag + i, false))
			return true;
	}
	return false;
}

void vllm_report_unknown_value(struct vllm_parse *parse, const struct option_argv_word *flag)
{
	const struct option_argv_word *at = flag->joined == NULL && flag->values > 0 ? flag + 1
										     : flag;
	auto_free char *key = vllm_word_key(flag);

	vllm_parse_report(
		parse, at,
		&(struct option_problem){ .severity = OPTION_WARNING,
					  .key = key,
					  .expected = "a literal value; profllm omits the argument "
						      "and does not check it" });
}

/* Returns the location of a key of a joined object, otherwise that of the value. */
static void find_location(void *user, const char *key, struct vllm_rule_location *ret)
{
	const struct value *value = user;
	const char *path = strchr(key, '.') != NULL ? strchr(key, '.') + 1 : "";

	*ret = (struct vllm_rule_location){ .source = value->at->source,
					    .line = value->at->line,
					    .column = value->at->column,
					    .flag = value->key };
	if (value->flag->dotted == 0)
		return;
	const struct option_argv_dotted *dotted =
		&value->parse->argv.dotted[value->flag->dotted - 1];
	for (size_t i = 0; i < dotted->count; i++) {
		if (strcmp(dotted->keys[i].path, path) != 0)
			continue;
		ret->line = dotted->keys[i].line;
		ret->column = dotted->keys[i].column;
	}
}

/*
 * Reports keys that the target lacks; mere warnings are reported with the other facts about the
 * release.
 */
static bool has_refused_keys(struct value *value, const json_t *json)
{
	const struct vllm_parse *parse = value->parse;
	struct vllm_target target = { parse->target_known ? parse->target_text : NULL,
				      !parse->target_known, parse->catalog };
	auto_problems found = { 0 };

	if (parse->allow_removed || value->arg->type != OPTION_JSON ||
	    vllm_target_check_keys(value->arg, json, &target, false, find_location, value,
				   &found) == 0)
		return false;
	for (size_t i = 0; i < found.count; i++)
		option_problems_add(parse->problems, &found.items[i]);
	return true;
}

/*
 * Warns only about two flags on the command line: a flag in addition to --config is meant to
 * override the file. A location in the file is an array, which reads as the integer 0 here.
 */
static void put(struct vllm_parse *parse, const struct option_row *arg,
		const struct option_argv_word *at, json_t *value)
{
	struct vllm_command *command = parse->command;
	const json_t *known = json_object_get(command->values, arg->name);
	bool target = strcmp(at->source, command->source) == 0;

	if (known != NULL && target && arg->style != OPTION_STYLE_REPEAT &&
	    !json_equal(known, value) && pl_json_get_i64(command->locations, arg->name) > 0)
		vllm_parse_add(parse, OPTION_WARNING, at, "an argument that appears twice",
			       "the argument once; the last one is used", NULL);
	json_object_set_new(command->values, arg->name, value);
	json_object_set_new(command->locations, arg->name,
			    target ? json_integer(at->line)
				   : json_pack("[i, i]", at->line, at->column));
}

/* A model without a flag wins over every --model. */
static bool take_model(struct vllm_parse *parse, const struct option_argv_word *at)
{
	bool target = strcmp(at->source, parse->command->source) == 0;

	if (at->text[0] != '-')
		parse->has_positional = true;
	else if (parse->has_positional && target)
		vllm_parse_add(parse, OPTION_WARNING, at, "a second model",
			       "one model; the first one is used", NULL);
	return at->text[0] != '-' || !parse->has_positional;
}

void vllm_command_take(struct vllm_parse *parse, const struct option_row *arg,
		       const struct option_argv_word *flag)
{
	struct value value = {
		.parse = parse,
		.arg = arg,
		.flag = flag,
		.at = flag,
		.reader = { .source = flag->source,
			    .problems = parse->problems,
			    .fields_open = !vllm_catalog_knows_keys(parse->catalog) },
	};

	/* vLLM reads a file from "--config FILE" alone */
	if (strcmp(arg->name, "config") == 0) {
		vllm_parse_add(parse, OPTION_WARNING, flag, "a file that vLLM does not read here",
			       "'--config FILE' as two words", NULL);
		return;
	}
	if (vllm_value_is_unknown(parse, &parse->argv, flag)) {
		auto_json json_t *quiet = vllm_command_value(parse, arg, flag);
		if (quiet == NULL && flag->kind == OPTION_ARGV_FLAG) {
			vllm_report_unknown_value(parse, flag);
			return;
		}
	}
	value.key = flag->text[0] == '-' ? vllm_word_key(flag) : pl_strdup(arg->name);
	json_t *json = read_values(&value);
	if (json != NULL && has_refused_keys(&value, json)) {
		json_decref(json);
		json = NULL;
	}
	free(value.key);
	/* drop the previous value, too: the last one counts, and it is invalid */
	if (json == NULL) {
		json_object_del(parse->command->values, arg->name);
		return;
	}
	if (strcmp(arg->name, "model") == 0 && !take_model(parse, flag)) {
		json_decref(json);
		return;
	}
	put(parse, arg, flag, json);
}
