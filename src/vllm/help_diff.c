/*
 * Compares another vLLM's help with the table. A help text has less data than the table (no limits,
 * hardly a type), so only certain differences are changes: a wrong one would make an overlay that
 * overrides a correct row.
 *
 *   help_text -> vllm_help_diff: new, removed, already_removed, changed -> vllm_help_overlay -> catalog
 */
#include "vllm/help_diff.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/arg_json.h"
#include "vllm/python_literal.h"

/* vLLM's own words in the help of arguments whose type they tell. */
#define JSON_WORDS  "valid JSON string"
#define HUMAN_WORDS "human-readable"
/* vLLM handles it before its parser, so the help never shows it. */
#define UNSHOWN_ALIAS "-O"

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

/* ---- values in a help text -------------------------------------------------------------- */

static char *without_blanks(const char *text)
{
	char *copy = pl_strdup(text);
	size_t used = 0;

	for (size_t i = 0; text[i] != '\0'; i++) {
		if (!isspace((unsigned char)text[i]))
			copy[used++] = text[i];
	}
	copy[used] = '\0';
	return copy;
}

/* Compares without blanks, which line breaks add. */
static bool same_text(const char *a, const char *b)
{
	auto_free char *left = without_blanks(a);
	auto_free char *right = without_blanks(b);

	return strcmp(left, right) == 0;
}

/* Returns whether it is an object as printed by Python: "Config(a=1)", "{'a': 1}". */
static bool is_object_text(const char *text)
{
	size_t name = strspn(text, NAME_LETTERS);

	return text[0] == '{' || (name > 0 && text[name] == '(');
}

/* The default that the help prints, as JSON; a word is a text. NULL: it prints none. Python
 * prints it with str(): texts without quotes, sets and objects as they would be made. */
static json_t *help_default(const struct vllm_help_arg *arg)
{
	if (arg->default_text == NULL)
		return NULL;
	json_t *value = vllm_python_literal(arg->default_text);
	if (value != NULL)
		return value;
	if (strcmp(arg->default_text, "set()") == 0)
		return json_array();
	/* an object of whose keys each has its own default */
	if (is_object_text(arg->default_text))
		return json_object();
	return json_string(arg->default_text);
}

static bool same_values(const json_t *a, const json_t *b);

static bool same_lists(const json_t *a, const json_t *b)
{
	if (json_array_size(a) != json_array_size(b))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++) {
		if (!same_values(json_array_get(a, i), json_array_get(b, i)))
			return false;
	}
	return true;
}

static bool same_values(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b))
		return json_number_value(a) == json_number_value(b);
	if (json_is_string(a) && json_is_string(b))
		return same_text(json_string_value(a), json_string_value(b));
	if (json_is_array(a) && json_is_array(b))
		return same_lists(a, b);
	/* the table has {} where an object's keys have their own defaults */
	if (json_is_object(a) && json_is_object(b))
		return json_object_size(a) == 0 || json_object_size(b) == 0 || json_equal(a, b);
	return json_equal(a, b);
}

/* A member of an enumeration: "MambaBackendEnum.TRITON" is "triton". */
static bool is_member_text(const char *text, const char *name)
{
	const char *member = strrchr(text, '.');

	return member != NULL && isupper((unsigned char)text[0]) &&
	       strspn(text, NAME_LETTERS ".") == strlen(text) && strcasecmp(member + 1, name) == 0;
}

static bool same_default(const struct option_row *row, const struct vllm_help_arg *arg,
			 const json_t *value)
{
	auto_json json_t *table = vllm_arg_json_value(row, "default");

	if (json_is_string(table) && is_member_text(arg->default_text, json_string_value(table)))
		return true;

	/* "0" as a text is printed without quotes */
	if (json_is_string(table) && !json_is_string(value))
		return same_text(json_string_value(table), arg->default_text);
	return same_values(table, value);
}

/* ---- types ------------------------------------------------------------------------------ */

static bool are_integers(const json_t *choices)
{
	int64_t number;

	for (size_t i = 0; i < json_array_size(choices); i++) {
		if (!pl_text_to_i64(json_string_value(json_array_get(choices, i)), &number))
			return false;
	}
	return json_array_size(choices) > 0;
}

static enum option_type items_type(const struct vllm_help_arg *arg, const json_t *value)
{
	if (arg->choices != NULL)
		return are_integers(arg->choices) ? OPTION_INT : OPTION_ENUM;
	return json_is_integer(json_array_get(value, 0)) ? OPTION_INT : OPTION_STRING;
}

/*
 * Guesses from choices, words and default, in order of certainty: a switch shows by its flags, a
 * text by nothing.
 */
static enum option_type guess_type(const struct vllm_help_arg *arg, const json_t *value)
{
	if (arg->style == OPTION_STYLE_TOGGLE || arg->style == OPTION_STYLE_FLAG)
		return OPTION_BOOL;
	if (arg->style == OPTION_STYLE_LIST)
		return OPTION_LIST;
	if (arg->choices != NULL)
		return are_integers(arg->choices) ? OPTION_INT : OPTION_ENUM;
	if (json_is_object(value) || strstr(arg->help, JSON_WORDS) != NULL)
		return OPTION_JSON;
	if (strstr(arg->help, HUMAN_WORDS) != NULL)
		return OPTION_HUMAN_INT;
	if (json_is_integer(value))
		return OPTION_INT;
	return json_is_real(value) ? OPTION_FLOAT : OPTION_STRING;
}

/* The type in words, "list<int>". */
static const char *guess_words(const struct vllm_help_arg *arg, const json_t *value)
{
	const struct option_row row = { .type = guess_type(arg, value),
					.items = items_type(arg, value) };

	return option_type_words(&row);
}

/* Returns whether the row's style agrees with the help. */
static bool same_style(const struct option_row *row, const struct vllm_help_arg *arg)
{
	return row->style == arg->style ||
	       (row->style == OPTION_STYLE_REPEAT && arg->style == OPTION_STYLE_VALUE);
}

/* Considers only what the help shows with certainty. */
static bool same_type(const struct option_row *row, const struct vllm_help_arg *arg,
		      const json_t *value)
{
	enum option_type guess = guess_type(arg, value);

	if (!same_style(row, arg))
		return row->type == guess &&
		       (guess != OPTION_LIST || row->items == items_type(arg, value));
	if (guess == OPTION_JSON)
		return row->type == OPTION_JSON || row->also_accepts != NULL;
	if (guess == OPTION_HUMAN_INT)
		return row->type != OPTION_INT;
	if (guess == OPTION_FLOAT)
		return row->type != OPTION_INT && row->type != OPTION_HUMAN_INT;
	if (json_is_string(value))
		return row->type != OPTION_INT && row->type != OPTION_FLOAT;
	return true;
}

/* ---- one argument ----------------------------------------------------------------------- */

/* The choices as the table would have them: numbers for arguments of numbers. */
static json_t *typed_choices(const struct vllm_help_arg *arg)
{
	if (arg->choices == NULL)
		return json_null();
	if (!are_integers(arg->choices))
		return json_deep_copy(arg->choices);
	json_t *list = json_array();
	PL_JSON_EACH(choice, arg->choices) {
		int64_t number = 0;
		pl_text_to_i64(json_string_value(choice), &number);
		json_array_append_new(list, json_integer(number));
	}
	return list;
}

/* Items of `list` that `other` does not have. New reference. */
static json_t *items_less(const json_t *list, const json_t *other)
{
	json_t *rest = json_array();

	PL_JSON_EACH(item, list) {
		if (!pl_json_has(other, item))
			json_array_append(rest, item);
	}
	return rest;
}

static bool same_set(const json_t *a, const json_t *b)
{
	auto_json json_t *less = items_less(a, b);
	auto_json json_t *more = items_less(b, a);

	return json_array_size(less) == 0 && json_array_size(more) == 0;
}

/* The table has choices that the parser does not check; the help cannot show them. */
static bool choices_are_ours(const struct option_row *row)
{
	return row->choices_note != NULL || !pl_text_equal(row->choices_origin, "flag");
}

/* ---- spellings -------------------------------------------------------------------------- */

/* The flags in the help by their meaning for the row: lists of texts. */
struct spelled {
	json_t *same;
	json_t *negative;
	json_t *undecided;
	bool flipped; /* the help's main flag means false to the row */
};

static void spelled_done(struct spelled *spelled)
{
	json_decref(spelled->same);
	json_decref(spelled->negative);
	json_decref(spelled->undecided);
}

/* One flag, which may be NULL, and those in `words`, separated by blanks. */
static json_t *list_of(const char *flag, const char *words)
{
	json_t *list = flag != NULL ? json_pack("[s]", flag) : json_array();
	auto_json json_t *more = pl_json_words(words);

	json_array_extend(list, more);
	return list;
}

static bool has_any(const json_t *list, const json_t *others)
{
	PL_JSON_EACH(other, others) {
		if (pl_json_has(list, other))
			return true;
	}
	return false;
}

static void swap_lists(json_t **a, json_t **b)
{
	json_t *held = *a;

	*a = *b;
	*b = held;
}

static bool is_switch(const struct vllm_help_arg *arg)
{
	return arg->style == OPTION_STYLE_TOGGLE || arg->style == OPTION_STYLE_FLAG;
}

/*
 * Returns whether the table defines the meaning of a switch that is on by default and cannot be
 * switched off.
 */
static bool knows_lone_switch(const struct option_row *row)
{
	return row != NULL && row->style == OPTION_STYLE_FLAG &&
	       pl_text_equal(row->default_json, "true");
}

/* The table knows spellings that have nothing in common. */
static void decide(const struct option_row *row, const struct vllm_help_arg *arg,
		   struct spelled *spelled)
{
	auto_json json_t *same = row != NULL ? list_of(row->flag, row->aliases) : json_array();
	auto_json json_t *negative = row != NULL
					     ? list_of(row->negative_flag, row->negative_aliases)
					     : json_array();
	auto_json json_t *open = pl_json_words(arg->undecided);

	PL_JSON_EACH(flag, open) {
		bool is_main = pl_text_equal(json_string_value(flag), arg->flag);
		if (is_main && knows_lone_switch(row))
			continue;
		json_array_append(is_main                       ? spelled->undecided
				  : pl_json_has(same, flag)     ? spelled->same
				  : pl_json_has(negative, flag) ? spelled->negative
								: spelled->undecided,
				  flag);
	}
}

/* `row` NULL: an argument that the table lacks. */
static void spell(const struct option_row *row, const struct vllm_help_arg *arg,
		  struct spelled *ret)
{
	*ret = (struct spelled){
		.same = list_of(arg->flag, arg->aliases),
		.negative = list_of(arg->negative_flag, arg->negative_aliases),
		.undecided = json_array(),
	};
	if (row != NULL && is_switch(arg)) {
		auto_json json_t *same = list_of(row->flag, row->aliases);
		auto_json json_t *negative = list_of(row->negative_flag, row->negative_aliases);
		ret->flipped = has_any(ret->negative, same) ||
			       (!has_any(ret->same, same) && has_any(ret->same, negative));
	}
	if (ret->flipped)
		swap_lists(&ret->same, &ret->negative);
	decide(row, arg, ret);
}

/* Returns the style of the flags after the table has decided their meaning. */
static enum option_style style_of(const struct vllm_help_arg *arg, const struct spelled *spelled)
{
	return is_switch(arg) && json_array_size(spelled->negative) > 0 ? OPTION_STYLE_TOGGLE
									: arg->style;
}

static json_t *without(const json_t *list, const char *flag)
{
	auto_json json_t *one = flag != NULL ? json_pack("[s]", flag) : json_array();

	return items_less(list, one);
}

/* Steals `help`. */
static void add_change(json_t *changes, const struct option_row *row, const char *key, json_t *help)
{
	json_array_append_new(changes, json_pack("{s:s, s:o, s:o}", "key", key, "table",
						 vllm_arg_json_value(row, key), "help", help));
}

/*
 * The help hides "--no-x" if it shows another negative flag. The shown flag is used; further flags
 * in the table are still accepted. There is no change if the table has all flags shown.
 */
static void compare_negatives(const struct option_row *row, const json_t *shown, json_t *changes)
{
	auto_json json_t *known = list_of(row->negative_flag, row->negative_aliases);
	auto_json json_t *aliases = pl_json_words(row->negative_aliases);
	auto_json json_t *all = json_copy((json_t *)shown);
	auto_json json_t *news = items_less(shown, known);
	const char *flag = row->negative_flag;

	if (json_array_size(news) == 0 &&
	    (json_array_size(shown) > 0 || json_array_size(known) == 0))
		return;
	if (!pl_json_has_text(shown, flag))
		flag = json_string_value(json_array_get(shown, 0));
	if (json_array_size(shown) > 0) {
		auto_json json_t *hidden = items_less(known, shown);
		json_array_extend(all, hidden);
	}
	auto_json json_t *others = without(all, flag);
	if (!pl_text_equal(row->negative_flag, flag))
		add_change(changes, row, "negative_flag", pl_json_text(flag));
	if (!same_set(aliases, others))
		add_change(changes, row, "negative_aliases", json_incref(others));
}

static void compare_flags(const struct option_row *row, const struct vllm_help_arg *arg,
			  const struct spelled *spelled, json_t *changes)
{
	const char *flag = pl_json_has_text(spelled->same, row->flag)
				   ? row->flag
				   : json_string_value(json_array_get(spelled->same, 0));
	auto_json json_t *table = pl_json_words(row->aliases);
	auto_json json_t *aliases = without(spelled->same, flag);

	if (pl_json_has_text(table, UNSHOWN_ALIAS) && !pl_json_has_text(aliases, UNSHOWN_ALIAS))
		json_array_append_new(aliases, json_string(UNSHOWN_ALIAS));

	if (strcmp(flag, row->flag) != 0)
		add_change(changes, row, "flag", json_string(flag));
	if (!same_set(table, aliases))
		add_change(changes, row, "aliases", json_incref(aliases));
	if (!same_style(row, arg))
		add_change(changes, row, "cli_style", json_string(option_style_name(arg->style)));
	compare_negatives(row, spelled->negative, changes);
}

/* The choices in the help are the table's, or those that the table lists for the help. */
static bool choices_changed(const struct option_row *row, const struct vllm_help_arg *arg,
			    const json_t *table, const json_t *choices)
{
	auto_json json_t *named = pl_json_of_text(row->help_choices);

	if (arg->choices == NULL)
		return json_is_array(table) && !choices_are_ours(row);
	/* "{a,b} or another": names that come with the build */
	if (arg->choices_open && json_is_null(table))
		return named != NULL && !same_set(named, choices);
	return !same_set(table, choices) && !(named != NULL && same_set(named, choices));
}

/* If the table has no choices, those of the previous help are the changed ones. */
static void add_choices(json_t *changes, const struct option_row *row, json_t *choices)
{
	add_change(changes, row, "choices", json_incref(choices));
	json_t *change = json_array_get(changes, json_array_size(changes) - 1);
	if (row->choices == NULL && row->help_choices != NULL)
		json_object_set_new(change, "table", pl_json_of_text(row->help_choices));
}

static json_t *compare(const struct option_row *row, const struct vllm_help_arg *arg,
		       const struct spelled *spelled)
{
	json_t *changes = json_array();
	auto_json json_t *value = help_default(arg);
	auto_json json_t *choices = typed_choices(arg);
	auto_json json_t *table = vllm_arg_json_value(row, "choices");

	if (row->absent)
		add_change(changes, row, "in_reference", json_true());
	if (spelled->flipped && json_is_boolean(value)) {
		json_t *flipped = json_boolean(!json_is_true(value));
		json_decref(value);
		value = flipped;
	}
	compare_flags(row, arg, spelled, changes);
	if (!same_type(row, arg, value))
		add_change(changes, row, "type", json_string(guess_words(arg, value)));
	if (choices_changed(row, arg, table, choices))
		add_choices(changes, row, choices);
	if (value != NULL && !same_default(row, arg, value))
		add_change(changes, row, "default", json_incref(value));
	return changes;
}

/* An overlay's entry for an argument that the table does not have. */
static json_t *new_entry(const struct vllm_help_arg *arg)
{
	auto_json json_t *value = help_default(arg);
	enum option_type type = guess_type(arg, value);
	auto_free char *name = pl_strdup(arg->flag + 2);

	for (char *at = name; *at != '\0'; at++)
		*at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
	json_t *entry = json_pack(
		"{s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:o, s:b, s:b, s:o, s:s}", "name", name,
		"flag", arg->flag, "aliases", pl_json_words(arg->aliases), "negative_flag",
		pl_json_text(arg->negative_flag), "group",
		arg->group[0] != '\0' ? arg->group : "Serve", "type", guess_words(arg, value),
		"cli_style", option_style_name(arg->style), "choices", typed_choices(arg),
		"choices_open", arg->choices_open, "nullable",
		value == NULL || json_is_null(value) || arg->takes_none, "default",
		pl_json_or_null(json_incref(value)), "help", arg->help);
	if (arg->negative_aliases != NULL)
		json_object_set_new(entry, "negative_aliases",
				    pl_json_words(arg->negative_aliases));
	/* the help does not show the type: allow any value */
	if (type == OPTION_STRING && json_is_null(json_object_get(entry, "default")))
		json_object_set_new(entry, "also_accepts",
				    json_pack("[s,s,s]", "bool", "int", "json"));
	return entry;
}

/* ---- all of them ------------------------------------------------------------------------ */

static const struct option_row *find_by_any(const struct vllm_catalog *catalog, const json_t *flags)
{
	const struct option_row *row = NULL;

	for (size_t i = 0; row == NULL && i < json_array_size(flags); i++) {
		const char *flag = json_string_value(json_array_get(flags, i));
		if (pl_text_starts(flag, "--"))
			row = vllm_arg_find(catalog, flag + 2);
	}
	return row;
}

/*
 * Finds it by the main flag, otherwise by an alias, otherwise by a negative: a release may turn
 * "--enable-x" into "--disable-x".
 */
static const struct option_row *find_row(const struct vllm_catalog *catalog,
					 const struct vllm_help_arg *arg)
{
	auto_json json_t *same = list_of(arg->flag, arg->aliases);
	auto_json json_t *negative = list_of(arg->negative_flag, arg->negative_aliases);
	const struct option_row *row = find_by_any(catalog, same);

	if (row == NULL)
		row = find_by_any(catalog, negative);
	return row;
}

/* Arguments that the table already lists as removed are not reported. */
static void add_removed(const struct vllm_catalog *catalog, json_t *diff, const json_t *seen)
{
	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		const struct option_row *row = vllm_arg_at(catalog, i);
		const char *key = !row->absent ? "removed" : "already_removed";
		if (json_object_get(seen, row->name) == NULL)
			json_array_append_new(json_object_get(diff, key),
					      json_pack("{s:s, s:s, s:s}", "name", row->name,
							"flag", row->flag, "group", row->group));
	}
}

static void add_arg(const struct vllm_catalog *catalog, json_t *diff, json_t *seen,
		    const struct vllm_help_arg *arg)
{
	const struct option_row *row = find_row(catalog, arg);
	__attribute__((cleanup(spelled_done))) struct spelled spelled;

	spell(row, arg, &spelled);
	PL_JSON_EACH(flag, spelled.undecided)
		json_array_append_new(json_object_get(diff, "undecided"),
				      json_pack("{s:O, s:s, s:i}", "flag", flag, "of", arg->flag,
						"line", arg->line));
	if (row == NULL) {
		json_array_append_new(json_object_get(diff, "new"), new_entry(arg));
		return;
	}
	struct vllm_help_arg shown = *arg;
	shown.style = style_of(arg, &spelled);
	auto_json json_t *changes = compare(row, &shown, &spelled);
	json_object_set_new(seen, row->name, json_true());
	if (json_array_size(changes) == 0)
		return;
	json_array_append_new(json_object_get(diff, "changed"),
			      json_pack("{s:s, s:s, s:O}", "name", row->name, "flag", row->flag,
					"changes", changes));
}

/* A help text shows neither the keys of an object nor choices that only the engine checks. */
static void add_not_learned(const struct vllm_catalog *catalog, json_t *diff,
			    const struct vllm_help_arg *arg)
{
	const struct option_row *row = find_row(catalog, arg);
	auto_json json_t *value = help_default(arg);
	json_t *lists = json_object_get(diff, "not_learned");
	enum option_type type = row != NULL ? row->type : guess_type(arg, value);

	if (type == OPTION_JSON)
		json_array_append_new(json_object_get(lists, "keys"), json_string(arg->flag));
	if (row != NULL && row->choices != NULL && arg->choices == NULL)
		json_array_append_new(json_object_get(lists, "choices"), json_string(arg->flag));
}

json_t *vllm_help_diff(const struct vllm_catalog *catalog, const struct vllm_help *help)
{
	json_t *diff = json_pack("{s:[], s:[], s:[], s:[], s:[], s:{s:[], s:[]}, s:i}", "new",
				 "removed", "already_removed", "changed", "undecided",
				 "not_learned", "keys", "choices", "found",
				 (int)vllm_help_count(help));
	auto_json json_t *seen = json_object();

	for (size_t i = 0; i < vllm_help_count(help); i++)
		add_arg(catalog, diff, seen, vllm_help_at(help, i));
	for (size_t i = 0; i < vllm_help_count(help); i++)
		add_not_learned(catalog, diff, vllm_help_at(help, i));
	add_removed(catalog, diff, seen);
	return diff;
}

/* Values that are no longer choices are kept as accepted by older releases only. */
static void keep_older_choices(const struct vllm_catalog *catalog, json_t *entry,
			       const json_t *change)
{
	const json_t *table = json_object_get(change, "table");
	const json_t *help = json_object_get(change, "help");
	const struct option_row *row = vllm_arg_find(catalog, pl_json_get_text(entry, "name"));

	if (!json_is_array(table) || !json_is_array(help) || row == NULL)
		return;
	json_t *older = items_less(table, help);
	auto_json json_t *known = vllm_arg_json_value(row, "older_choices");
	auto_json json_t *still = items_less(known, help);
	json_array_extend(older, still);
	if (json_array_size(older) > 0 || json_is_array(known))
		json_object_set_new(entry, "older_choices",
				    json_array_size(older) > 0 ? json_incref(older) : json_null());
	json_decref(older);
}

/* Returns only the changed keys: values that the help does not show remain those of the table. */
static json_t *changed_entry(const struct vllm_catalog *catalog, const json_t *changed)
{
	json_t *entry = json_object();

	const struct option_row *row = vllm_arg_find(catalog, pl_json_get_text(changed, "name"));

	json_object_set(entry, "name", json_object_get(changed, "name"));
	PL_JSON_EACH(change, json_object_get(changed, "changes")) {
		const char *key = pl_json_get_text(change, "key");
		json_object_set(entry, key, json_object_get(change, "help"));
		if (strcmp(key, "choices") == 0)
			keep_older_choices(catalog, entry, change);
		/* names that come with the build */
		if (strcmp(key, "choices") == 0 && row != NULL && row->choices == NULL &&
		    row->help_choices != NULL)
			json_object_set_new(entry, "choices_open", json_true());
		if (strcmp(key, "default") == 0 && json_is_null(json_object_get(change, "help")))
			json_object_set_new(entry, "nullable", json_true());
	}
	return entry;
}

/* Omits already_removed: the rows contain it. */
json_t *vllm_help_overlay(const struct vllm_catalog *catalog, const json_t *diff,
			  const char *made_from)
{
	json_t *args = json_deep_copy(json_object_get(diff, "new"));

	PL_JSON_EACH(item, json_object_get(diff, "removed"))
		json_array_append_new(args,
				      json_pack("{s:O, s:b}", "name", json_object_get(item, "name"),
						"in_reference", 0));
	PL_JSON_EACH(item, json_object_get(diff, "changed"))
		json_array_append_new(args, changed_entry(catalog, item));
	return json_pack("{s:i, s:s, s:o}", "profllm_overlay", 1, "made_from", made_from, "args",
			 args);
}
