/* One table of keys for both ways: a row as the JSON that people and tools read, and an
 * overlay's entry back into a row. A key that is not in the table can neither be seen nor set. */
#include "vllm/arg_json.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/member.h"

#define WORDS_BYTES_MAX 65536

enum kind {
	TEXT,   /* or null */
	WORDS,  /* a list of texts; in the row one text with blanks */
	JSON,   /* anything; in the row its JSON text */
	LIST,   /* the same, a list or null */
	OTHERS, /* a list or null; in the row also the choices of other releases */
	BOOL,
	NOT, /* a bool with the opposite value of the row's */
	NUMBER,
	TYPE,
	STYLE,
};

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	bool rare; /* omitted if it has no content */
};

#define AT(member) offsetof(struct option_row, member)

static const struct key keys[] = {
	{ "name", TEXT, AT(name), false },
	{ "flag", TEXT, AT(flag), false },
	{ "aliases", WORDS, AT(aliases), false },
	{ "negative_flag", TEXT, AT(negative_flag), false },
	{ "group", TEXT, AT(group), false },
	{ "type", TYPE, AT(type), false },
	{ "choices", LIST, AT(choices), false },
	{ "choices_open", BOOL, AT(choices_open), false },
	{ "choices_origin", TEXT, AT(choices_origin), false },
	{ "nullable", BOOL, AT(nullable), false },
	{ "default", JSON, AT(default_json), false },
	{ "min", NUMBER, AT(min), false },
	{ "max", NUMBER, AT(max), false },
	{ "exclusive", TEXT, AT(exclusive), false },
	{ "deprecated", BOOL, AT(deprecated), false },
	{ "removed_in", TEXT, AT(removed_in), false },
	{ "cli_style", STYLE, AT(style), false },
	{ "help", TEXT, AT(help), false },
	{ "in_reference", NOT, AT(gone), false },
	{ "choices_note", TEXT, AT(choices_note), true },
	{ "older_choices", OTHERS, AT(older_choices), true },
	{ "special_values", LIST, AT(special_values), true },
	{ "also_accepts", WORDS, AT(also_accepts), true },
	{ "item_accepts", WORDS, AT(item_accepts), true },
	{ "negative_aliases", WORDS, AT(negative_aliases), true },
	{ "const", JSON, AT(const_json), true },
	{ "any_case", BOOL, AT(any_case), true },
	{ "null_on_cli", NOT, AT(no_null_on_cli), true },
	{ "replaced_by", TEXT, AT(replaced_by), true },
	{ "since", TEXT, AT(since), true },
	{ "default_env", TEXT, AT(default_env), true },
	{ "reference_group", TEXT, AT(reference_group), true },
	{ "note", TEXT, AT(note), true },
};

/* Keys of rows other than server arguments, and secrets. */
static const struct key more_keys[] = {
	{ "secret", BOOL, AT(secret), true },
	{ "of", TEXT, AT(of), true },
	{ "required", BOOL, AT(required), true },
	{ "lenient", BOOL, AT(lenient), true },
	{ "number_text", BOOL, AT(number_text), true },
	{ "infinite", BOOL, AT(infinite), true },
	{ "commas", BOOL, AT(commas), true },
	{ "literal", BOOL, AT(literal), true },
	{ "command_default", JSON, AT(serve_default), true },
	{ "expand", BOOL, AT(expand), true },
	{ "texts", BOOL, AT(texts), true },
	{ "joined", BOOL, AT(joined), true },
	{ "later", BOOL, AT(later), true },
	{ "instead", TEXT, AT(instead), true },
	{ "ours", BOOL, AT(ours), true },
	{ "columnless", BOOL, AT(columnless), true },
	{ "file_choices", LIST, AT(file_choices), true },
	{ "after", TEXT, AT(after), true },
	{ "remark", TEXT, AT(remark), true },
};

static const char *text_at(const struct option_row *arg, const struct key *key)
{
	return *(const char *const *)((const char *)arg + key->offset);
}

/* Writes an integer without ".0"; beyond the limit a double is not exact. */
static json_t *number_json(double value)
{
	if (isfinite(value) && value == floor(value) && fabs(value) < 9e15)
		return json_integer((json_int_t)value);
	return pl_json_number(value);
}

static json_t *parsed(const char *text)
{
	return pl_json_or_null(pl_json_of_text(text));
}

/* Appends the items that are in neither list. */
static void add_others(json_t *list, const json_t *choices, const char *more)
{
	auto_json json_t *others = parsed(more);

	PL_JSON_EACH(other, others) {
		if (!pl_json_has(list, other) && !pl_json_has(choices, other))
			json_array_append(list, other);
	}
}

/* Returns the choices that only other releases have; null: none. */
static json_t *other_choices(const struct option_row *arg)
{
	auto_json json_t *choices = parsed(arg->choices);
	json_t *list = json_array();

	add_others(list, choices, arg->older_choices);
	for (const char *const *at = arg->release_choices; at != NULL && *at != NULL; at++)
		add_others(list, choices, *at);
	if (json_array_size(list) > 0)
		return list;
	json_decref(list);
	return json_null();
}

static json_t *value_json(const struct option_row *arg, const struct key *key)
{
	const char *at = (const char *)arg + key->offset;

	switch (key->kind) {
	case TEXT:
		return pl_json_text(text_at(arg, key));
	case WORDS:
		return pl_json_words(text_at(arg, key));
	case JSON:
	case LIST:
		return parsed(text_at(arg, key));
	case OTHERS:
		return other_choices(arg);
	case BOOL:
		return json_boolean(*(const bool *)at);
	case NOT:
		return json_boolean(!*(const bool *)at);
	case NUMBER:
		return number_json(*(const double *)at);
	case TYPE:
		return json_string(option_type_words(arg));
	case STYLE:
		return json_string(option_style_name(arg->style));
	}
	return json_null();
}

/* Returns whether a rare key has no content: a switch that is off, a missing text. */
static bool is_silent(const struct option_row *arg, const struct key *key)
{
	if (!key->rare)
		return false;
	if (key->kind == BOOL || key->kind == NOT)
		return !*(const bool *)((const char *)arg + key->offset);
	if (key->kind == OTHERS && arg->release_choices != NULL) {
		auto_json json_t *others = other_choices(arg);
		return json_is_null(others);
	}
	return text_at(arg, key) == NULL;
}

static void put_bound(json_t *object, const char *inclusive, const char *exclusive, bool excluded,
		      double value)
{
	if (isfinite(value))
		json_object_set_new(object, excluded ? exclusive : inclusive, number_json(value));
}

static json_t *field_json(const struct option_row *field)
{
	json_t *object = json_object();
	const char *exclusive = field->exclusive != NULL ? field->exclusive : "";
	bool both = strcmp(exclusive, "both") == 0;

	json_object_set_new(object, "type", json_string(option_type_name(field->type)));
	if (field->type == OPTION_LIST && field->items != OPTION_ANY)
		json_object_set_new(object, "items", json_string(option_type_name(field->items)));
	if (field->also_accepts != NULL)
		json_object_set_new(object, "also_accepts", pl_json_words(field->also_accepts));
	if (field->choices != NULL)
		json_object_set_new(object, "choices", parsed(field->choices));
	if (field->choices_open)
		json_object_set_new(object, "choices_open", json_true());
	if (field->any_case)
		json_object_set_new(object, "any_case", json_true());
	json_object_set_new(object, "nullable", json_boolean(field->nullable));
	put_bound(object, "min", "above", both || strcmp(exclusive, "min") == 0, field->min);
	put_bound(object, "max", "below", both || strcmp(exclusive, "max") == 0, field->max);
	if (field->default_json != NULL)
		json_object_set_new(object, "default", parsed(field->default_json));
	if (field->default_json == NULL || field->required)
		json_object_set_new(object, "required", json_boolean(field->required));
	return object;
}

/* Stores a field at its dotted path; an object's row precedes those of its keys. */
static void put_field(json_t *fields, const struct option_row *field)
{
	auto_free char *path = pl_strdup(field->name);
	char *rest = path;
	const char *name = strsep(&rest, ".");

	for (; rest != NULL; name = strsep(&rest, ".")) {
		json_t *object = json_object_get(fields, name);
		fields = json_object_get(object, "fields");
		if (fields == NULL) {
			fields = json_object();
			json_object_set_new(object, "fields", fields);
		}
	}
	json_object_set_new(fields, name, field_json(field));
}

static void put_keys(json_t *entry, const struct option_row *row, const struct key *which,
		     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_silent(row, &which[i]))
			json_object_set_new(entry, which[i].name, value_json(row, &which[i]));
	}
}

json_t *vllm_arg_to_json(const struct option_row *arg)
{
	json_t *entry = json_object();
	json_t *fields = NULL;
	for (const struct option_row *field = option_field_next(arg, NULL); field != NULL;
	     field = option_field_next(arg, field)) {
		if (fields == NULL)
			fields = json_object();
		put_field(fields, field);
	}

	put_keys(entry, arg, keys, PL_ARRAY_SIZE(keys));
	if (fields != NULL)
		json_object_set_new(entry, "fields", fields);
	return entry;
}

static void put_bound_text(json_t *entry, const char *key, const struct option_row *row,
			   double bound)
{
	auto_free char *text = option_row_bound_text(row, bound);

	if (isfinite(bound))
		json_object_set_new(entry, key, json_string(text));
}

/* Adds the comparison with vLLM's option, and the current names of values of older releases. */
static void put_notes(json_t *entry, const struct option_row *row)
{
	static const char *const verdicts[] = { "equal", "more", "different", "not_yet" };
	const struct option_note *note = row->value_notes;
	const struct option_hint *older = row->older_values;
	json_t *notes = json_array();
	json_t *hints = json_array();

	for (; note != NULL && note->value != NULL; note++)
		json_array_append_new(notes,
				      json_pack("{s:s, s:s, s:s}", "value", note->value, "verdict",
						verdicts[note->verdict], "remark", note->remark));
	for (; older != NULL && older->value != NULL; older++)
		json_array_append_new(
			hints, json_pack("{s:s, s:s}", "value", older->value, "hint", older->hint));
	json_object_set_new(entry, "verdict", json_string(verdicts[row->verdict]));
	json_object_set_new(entry, "value_notes", notes);
	json_object_set_new(entry, "older_values", hints);
}

json_t *vllm_option_to_json(const struct option_row *row)
{
	json_t *entry = json_object();
	const char pairs[] = { row->pairs, '\0' };

	put_keys(entry, row, keys, PL_ARRAY_SIZE(keys));
	put_keys(entry, row, more_keys, PL_ARRAY_SIZE(more_keys));
	/* commas within a macro's braces would part its arguments: such an object is a text there */
	if (row->default_json == NULL)
		json_object_del(entry, "default");
	else if (row->type == OPTION_JSON)
		json_object_set_new(entry, "default", option_member_default(row));
	if (row->type == OPTION_LIST && row->items != OPTION_ANY)
		json_object_set_new(entry, "items", json_string(option_type_name(row->items)));
	if (row->type == OPTION_DURATION) {
		put_bound_text(entry, "min", row, row->min);
		put_bound_text(entry, "max", row, row->max);
	}
	if (row->style == OPTION_STYLE_WORDS)
		json_object_set_new(entry, "words_least", json_integer(row->words_least));
	if (row->pairs != '\0')
		json_object_set_new(entry, "pairs", json_string(pairs));
	if (row->verdict != OPTION_EQUAL || row->remark != NULL || row->older_values != NULL)
		put_notes(entry, row);
	return entry;
}

json_t *vllm_arg_json_value(const struct option_row *arg, const char *key)
{
	const struct key *known = PL_ROW_FIND(keys, name, key);

	return known != NULL ? value_json(arg, known) : json_null();
}

static int refuse(const struct key *key, const json_t *value, const char *expected,
		  struct pl_err *err)
{
	auto_free char *found = pl_json_to_text(value, PL_JSON_COMPACT);

	return pl_err_invalid(err, "'%s': found %.200s, expected %s", key->name, found, expected);
}

/* The row parts words by blanks, so that none may have one. */
static int set_words(const char **slot, const struct key *key, const json_t *value,
		     struct pl_arena *arena, struct pl_err *err)
{
	auto_buf words = PL_BUF(WORDS_BYTES_MAX);

	if (!json_is_array(value))
		return refuse(key, value, "a list of strings", err);
	PL_JSON_EACH(item, value) {
		const char *word = json_string_value(item);
		if (word == NULL || word[0] == '\0' || strchr(word, ' ') != NULL)
			return refuse(key, value, "a list of non-empty strings without spaces",
				      err);
		pl_buf_addf(&words, "%s%s", item_at > 0 ? " " : "", word);
	}
	*slot = words.len > 0 ? pl_arena_strndup(arena, words.data, words.len) : NULL;
	return 0;
}

/* Texts are copied into the arena: the row outlives the JSON that it was set from. */
static int set_text(const char **slot, const struct key *key, const json_t *value,
		    struct pl_arena *arena, struct pl_err *err)
{
	auto_free char *text = NULL;

	if (key->kind == WORDS)
		return set_words(slot, key, value, arena, err);
	if (key->kind == TEXT && !json_is_string(value) && !json_is_null(value))
		return refuse(key, value, "a text", err);
	if ((key->kind == LIST || key->kind == OTHERS) && !json_is_array(value) &&
	    !json_is_null(value))
		return refuse(key, value, "a list", err);
	if (key->kind == TEXT)
		text = pl_strdup(json_string_value(value));
	else if (!json_is_null(value) || key->kind == JSON)
		text = pl_json_to_text(value, PL_JSON_COMPACT);
	*slot = text != NULL ? pl_arena_strndup(arena, text, strlen(text)) : NULL;
	return 0;
}

static int set_number(double *slot, const struct key *key, const json_t *value, struct pl_err *err)
{
	if (!json_is_number(value) && !json_is_null(value))
		return refuse(key, value, "a number or null", err);
	if (json_is_number(value))
		*slot = json_number_value(value);
	else
		*slot = strcmp(key->name, "min") == 0 ? -INFINITY : INFINITY;
	return 0;
}

/* Those that an argument can have. */
static int set_type(struct option_row *arg, const char *name)
{
	struct option_row typed = { 0 };

	if (option_type_read(name, &typed) < 0 || typed.type == OPTION_ANY ||
	    typed.type == OPTION_DURATION ||
	    (typed.type == OPTION_LIST && typed.items == OPTION_ANY))
		return -1;
	arg->type = typed.type;
	arg->items = typed.items;
	return 0;
}

static int set_value(struct option_row *arg, const struct key *key, const json_t *value,
		     struct pl_arena *arena, struct pl_err *err)
{
	char *at = (char *)arg + key->offset;
	const char *name = json_string_value(value);

	switch (key->kind) {
	case BOOL:
	case NOT:
		if (!json_is_boolean(value))
			return refuse(key, value, "true or false", err);
		*(bool *)at = json_is_true(value) == (key->kind == BOOL);
		return 0;
	case NUMBER:
		return set_number((double *)at, key, value, err);
	case TYPE:
		return set_type(arg, name) < 0 ? refuse(key, value, "a type", err) : 0;
	case STYLE:
		return option_style_find(name, &arg->style) < 0
			       ? refuse(key, value, "a style of the command line", err)
			       : 0;
	default:
		return set_text((const char **)at, key, value, arena, err);
	}
}

static const struct key *find_key(const char *name, struct pl_err *err)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
		pl_nearest_try(&nearest, keys[i].name);
	}
	if (nearest.found != NULL)
		pl_err_invalid(err, "unknown key '%s' (did you mean '%s'?)", name, nearest.found);
	else
		pl_err_invalid(err, "unknown key '%s'", name);
	return NULL;
}

int vllm_arg_set_json(struct option_row *arg, const json_t *entry, struct pl_arena *arena,
		      struct pl_err *err)
{
	PL_JSON_EACH_MEMBER(name, value, entry) {
		/* it has found the row */
		if (strcmp(name, "name") == 0)
			continue;
		const struct key *key = find_key(name, err);
		if (key == NULL || set_value(arg, key, value, arena, err) < 0)
			return -1;
	}
	if (arg->flag == NULL || arg->group == NULL || arg->help == NULL)
		return pl_err_invalid(err, "flag, group and help cannot be null");
	return 0;
}
