/*
 * Prints the differences between another vLLM's help and our rows:
 *
 *	new      --flag  int, default 8, one of 8, 16  (CacheConfig)
 *	changed  --flag  default 1 -> 2
 *	removed  --flag
 *	unclear  --flag  may switch --other on or off (line 12)
 *
 * Arguments that the rows mark as removed come last, because they are expected.
 */
#include "cli/cmd_params_priv.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = pl_json_get_text(object, key);

	return text != NULL ? text : "";
}

static size_t count_of(const json_t *diff, const char *key)
{
	return json_array_size(json_object_get(diff, key));
}

static void add_new(const json_t *diff, struct pl_buf *text)
{
	PL_JSON_EACH(entry, json_object_get(diff, "new")) {
		const json_t *choices = json_object_get(entry, "choices");
		pl_buf_addf(text, "new      %s  %s, default ", text_of(entry, "flag"),
			    text_of(entry, "type"));
		cli_params_value(json_object_get(entry, "default"), text);
		if (json_is_array(choices)) {
			pl_buf_add_text(text, ", one of ");
			cli_params_list(choices, text);
		}
		pl_buf_addf(text, "  (%s)\n", text_of(entry, "group"));
	}
}

/* For lists, only the differences are shown. */
static void add_items_less(const char *words, const json_t *list, const json_t *other,
			   struct pl_buf *text)
{
	bool is_first = true;

	PL_JSON_EACH(item, list) {
		if (pl_json_has(other, item))
			continue;
		pl_buf_add_text(text, is_first ? words : ", ");
		cli_params_value(item, text);
		is_first = false;
	}
}

void cli_params_change(const char *key, const json_t *old, const json_t *new, struct pl_buf *text)
{
	pl_buf_add_text(text, key);
	if (strcmp(key, "default") != 0 && json_is_array(old) && json_is_array(new)) {
		add_items_less(", new: ", new, old, text);
		add_items_less(", removed: ", old, new, text);
		return;
	}
	pl_buf_add_text(text, " ");
	cli_params_value(old, text);
	pl_buf_add_text(text, " -> ");
	cli_params_value(new, text);
}

static void add_changed(const json_t *diff, struct pl_buf *text)
{
	PL_JSON_EACH(entry, json_object_get(diff, "changed")) {
		PL_JSON_EACH(change, json_object_get(entry, "changes")) {
			pl_buf_addf(text, "changed  %s  ", text_of(entry, "flag"));
			cli_params_change(text_of(change, "key"), json_object_get(change, "table"),
					  json_object_get(change, "help"), text);
			pl_buf_add_char(text, '\n');
		}
	}
}

static void add_removed(const json_t *diff, const char *key, const char *words, struct pl_buf *text)
{
	PL_JSON_EACH(entry, json_object_get(diff, key))
		pl_buf_addf(text, "removed  %s%s\n", text_of(entry, "flag"), words);
}

static void add_undecided(const json_t *diff, struct pl_buf *text)
{
	PL_JSON_EACH(entry, json_object_get(diff, "undecided"))
		pl_buf_addf(text, "unclear  %s  may switch %s on or off (line %lld)\n",
			    text_of(entry, "flag"), text_of(entry, "of"),
			    (long long)pl_json_get_i64(entry, "line"));
}

/* Lists the arguments that the overlay does not change. */
static void add_not_learned(const json_t *diff, struct pl_buf *text)
{
	const json_t *lists = json_object_get(diff, "not_learned");

	pl_buf_addf(text,
		    "a help text does not show bounds, deprecations, the keys of %zu JSON "
		    "arguments and the choices of %zu arguments (--json lists both)\n",
		    count_of(lists, "keys"), count_of(lists, "choices"));
}

void cli_params_diff(const json_t *diff, struct pl_buf *text)
{
	add_new(diff, text);
	add_removed(diff, "removed", "", text);
	add_changed(diff, text);
	add_undecided(diff, text);
	add_removed(diff, "already_removed", "  (already listed)", text);
	add_not_learned(diff, text);
	pl_buf_addf(text,
		    "%lld arguments in the help: %zu new, %zu removed, %zu changed; the table "
		    "lists %zu more as removed\n",
		    (long long)pl_json_get_i64(diff, "found"), count_of(diff, "new"),
		    count_of(diff, "removed"), count_of(diff, "changed"),
		    count_of(diff, "already_removed"));
}
