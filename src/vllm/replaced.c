/*
 * A replacement is found step by step: each step converts one key and value to others, until the
 * release has all of them. A step without data makes the whole unknown: a partial replacement would
 * be another configuration.
 */
#include "vllm/replaced.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/row_words.h"
#include "vllm/secret.h"
#include "vllm/shell/words.h"
#include "vllm/yaml_out.h"

#define STEPS_MAX        8 /* the longest way in the tables has 3 */
#define THIS_VALUE_TEXT  "*"
#define VALUE_OF_ITS_OWN " with a value that you choose"

/* clang-format off */
static const struct vllm_replacement replacements[] = {
#define REPLACED_VALUE(key_, value_, by_, why_) { key_, value_, by_, why_ },
#include "tbl/replacements.h"
};
/* clang-format on */

size_t vllm_replacement_count(void)
{
	return PL_ARRAY_SIZE(replacements);
}

const struct vllm_replacement *vllm_replacement_at(size_t i)
{
	return &replacements[i];
}

const struct vllm_history *vllm_history_of(const char *key)
{
	const char *dot = strchr(key, '.');
	auto_free char *argument = dot != NULL ? pl_strndup(key, (size_t)(dot - key)) : NULL;

	return vllm_history_find(argument, dot != NULL ? dot + 1 : key);
}

enum vllm_presence vllm_presence(const char *key, const struct vllm_version *release)
{
	const struct vllm_history *history = vllm_history_of(key);
	bool known;

	if (history == NULL || vllm_history_range(history, release) != NULL)
		return VLLM_PRESENT;
	return vllm_release_compare(release, vllm_history_since(history), &known) < 0 ? VLLM_NOT_YET
										      : VLLM_GONE;
}

/* Returns the row that defines the key's values; NULL: unknown. */
static const struct option_row *row_of(const struct vllm_catalog *catalog, const char *key)
{
	auto_free char *argument = pl_strndup(key, strcspn(key, "."));
	const struct option_row *row = vllm_arg_find(catalog, argument);

	if (row == NULL || key[strlen(argument)] == '\0')
		return row;
	return option_field_find(row, key + strlen(argument) + 1);
}

static bool has_value(const json_t *list, const json_t *value, bool any_case)
{
	PL_JSON_EACH(item, list) {
		const char *one = json_string_value(item), *other = json_string_value(value);
		if (json_equal(item, value) ||
		    (any_case && one != NULL && other != NULL && strcasecmp(one, other) == 0))
			return true;
	}
	return false;
}

bool vllm_is_taken(const struct vllm_catalog *catalog, const char *key, const json_t *value)
{
	const struct option_row *row = row_of(catalog, key);
	auto_json json_t *choices = row != NULL ? option_row_choices(row) : NULL;
	auto_json json_t *special = row != NULL ? pl_json_of_text(row->special_values) : NULL;

	if (choices == NULL || option_row_is_open(row) || json_is_null(value))
		return true;
	if (!json_is_string(value) && !json_is_integer(value))
		return true;
	return has_value(choices, value, row->any_case) || has_value(special, value, true);
}

/* Returns whether an earlier release had the value in its list. */
static bool was_choice(const char *key, const json_t *value, const struct vllm_version *release)
{
	const struct vllm_history *history = vllm_history_of(key);
	bool known;

	for (const struct vllm_range *range = history != NULL ? history->ranges : NULL;
	     range != NULL && range->since != NULL; range++) {
		auto_json json_t *choices = pl_json_of_text(range->choices);
		if (has_value(choices, value, false) &&
		    vllm_release_compare(release, range->until, &known) >= 0 && known)
			return true;
	}
	return false;
}

struct search {
	const struct vllm_replacing *for_whom;
	json_t *found;
	int steps;
};

static bool take_step(struct search *search, const char *key, const json_t *value);

static const struct vllm_replacement *row_for(const char *key, const json_t *value)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(replacements); i++) {
		const struct vllm_replacement *row = &replacements[i];
		if (strcmp(row->key, key) != 0)
			continue;
		auto_json json_t *wanted = pl_json_of_text(row->value);
		if (row->value == NULL || (value != NULL && json_equal(wanted, value)))
			return row;
	}
	return NULL;
}

bool vllm_is_old_name(const struct vllm_replacing *replacing, const char *key, const json_t *value)
{
	if (row_for(key, value) == NULL)
		return false;
	const struct option_row *row = row_of(replacing->catalog, key);
	auto_json json_t *choices = row != NULL ? option_row_choices(row) : NULL;

	return row != NULL && was_choice(key, value, replacing->release) &&
	       !has_value(choices, value, row->any_case);
}

static bool take_row(struct search *search, const struct vllm_replacement *row, const json_t *value)
{
	auto_json json_t *by = pl_json_of_text(row->by);

	PL_JSON_EACH_MEMBER(key, set, by) {
		bool is_same = pl_text_equal(json_string_value(set), THIS_VALUE_TEXT);
		if (!take_step(search, key, is_same ? value : json_is_null(set) ? NULL : set))
			return false;
	}
	return true;
}

/* Returns the value of a pair [this, that]; NULL: none. */
static const json_t *paired(const json_t *pairs, const json_t *value)
{
	PL_JSON_EACH(pair, pairs) {
		if (value != NULL && json_equal(json_array_get(pair, 0), value))
			return json_array_get(pair, 1);
	}
	return NULL;
}

/* Each of the keys that replaced it. */
static bool take_keys(struct search *search, const char *keys, const json_t *value)
{
	auto_free char *copy = pl_strdup(keys);

	for (char *rest = copy; rest != NULL;) {
		const char *key = pl_text_trim(strsep(&rest, ","));
		/* a choice left to the user is made if the user has set it */
		if (value == NULL && pl_json_get_path(search->for_whom->values, key) != NULL)
			continue;
		if (!take_step(search, key, value))
			return false;
	}
	return true;
}

static bool take_rule(struct search *search, const struct vllm_history *history,
		      const json_t *value)
{
	auto_json json_t *text = pl_json_of_text(history->value);
	auto_json json_t *other = json_is_boolean(value) ? json_boolean(!json_is_true(value))
							 : NULL;

	switch (history->map) {
	case VLLM_MAP_NONE:
		return false;
	case VLLM_MAP_SAME:
		return take_keys(search, history->replaced_by, value);
	case VLLM_MAP_NEGATED:
		return take_keys(search, history->replaced_by, other);
	case VLLM_MAP_CONSTANT:
		/* switched off, it equals a missing argument */
		return json_is_false(value) || take_keys(search, history->replaced_by, text);
	case VLLM_MAP_VALUES:
		return take_keys(search, history->replaced_by, paired(text, value));
	case VLLM_MAP_OTHER:
		break;
	}
	return take_keys(search, history->replaced_by, NULL);
}

/* The keys of an object have their own histories. */
static bool take_members(struct search *search, const char *argument, const json_t *object)
{
	PL_JSON_EACH_MEMBER(name, value, object) {
		auto_free char *key = pl_asprintf("%s.%s", argument, name);
		if (!take_step(search, key, value))
			return false;
	}
	return true;
}

static bool has_keys(const struct search *search, const char *key)
{
	const struct option_row *row = row_of(search->for_whom->catalog, key);

	return row != NULL && option_field_next(row, NULL) != NULL;
}

/* The argument of a key must also exist. */
static enum vllm_presence presence_of(const struct search *search, const char *key)
{
	auto_free char *argument = pl_strndup(key, strcspn(key, "."));
	enum vllm_presence presence = vllm_presence(argument, search->for_whom->release);

	return presence == VLLM_PRESENT ? vllm_presence(key, search->for_whom->release) : presence;
}

static bool take_present(struct search *search, const char *key, const json_t *value)
{
	if (json_object_size(value) > 0 && has_keys(search, key))
		return take_members(search, key, value);
	if (value != NULL && !vllm_is_taken(search->for_whom->catalog, key, value)) {
		const struct vllm_replacement *row = row_for(key, value);
		if (row != NULL)
			return take_row(search, row, value);
		value = NULL;
	}
	auto_json json_t *setting = json_object();
	json_object_set_new(setting, "key", json_string(key));
	if (value != NULL)
		json_object_set_new(setting, "value", json_deep_copy(value));
	if (!pl_json_has(search->found, setting))
		json_array_append(search->found, setting);
	return true;
}

/* Continues from a deprecated key, whether or not it exists. */
static bool leave(struct search *search, const char *key, const json_t *value)
{
	const struct vllm_replacement *row = row_for(key, value);
	const struct vllm_history *history = vllm_history_of(key);

	search->steps++;
	bool taken = row != NULL       ? take_row(search, row, value)
		     : history != NULL ? take_rule(search, history, value)
				       : false;
	search->steps--;
	return taken;
}

static bool take_step(struct search *search, const char *key, const json_t *value)
{
	enum vllm_presence presence = presence_of(search, key);

	if (search->steps >= STEPS_MAX || presence == VLLM_NOT_YET)
		return false;
	return presence == VLLM_PRESENT ? take_present(search, key, value)
					: leave(search, key, value);
}

json_t *vllm_replaced_by(const struct vllm_replacing *replacing, const char *key,
			 const json_t *value)
{
	auto_json json_t *found = json_array();
	struct search search = { .for_whom = replacing, .found = found };
	bool is_choice = presence_of(&search, key) == VLLM_PRESENT;
	const struct vllm_replacement *row = is_choice ? row_for(key, value) : NULL;

	if (is_choice)
		return row != NULL && take_row(&search, row, value) ? pl_take(found) : NULL;
	return take_step(&search, key, value) ? pl_take(found) : NULL;
}

json_t *vllm_deprecated_by(const struct vllm_replacing *replacing, const char *key,
			   const json_t *value)
{
	auto_json json_t *found = json_array();
	struct search search = { .for_whom = replacing, .found = found };

	return leave(&search, key, value) ? pl_take(found) : NULL;
}

json_t *vllm_replaced_in_file(const json_t *replaced_by)
{
	json_t *settings = replaced_by != NULL ? json_deep_copy(replaced_by) : NULL;

	PL_JSON_EACH(setting, settings) {
		const char *key = pl_json_get_text(setting, "key");
		auto_free char *placed = pl_asprintf("server.%s", key);
		json_object_set_new(setting, "key", json_string(placed));
	}
	return settings;
}

char *vllm_flag_of(const char *key)
{
	char *flag = pl_asprintf("--%s", key);

	for (char *at = flag; *at != '\0' && *at != '.'; at++)
		*at = *at == '_' ? '-' : *at;
	return flag;
}

/* ---- words --------------------------------------------------------------------------------- */

static void add_setting(const char *key, const json_t *value, struct pl_buf *buf)
{
	auto_json json_t *shown = vllm_secret_json_shown(value);

	pl_buf_addf(buf, "'%s: ", key);
	vllm_yaml_add_inline(buf, shown);
	pl_buf_add_char(buf, '\'');
}

static bool is_switch(const struct option_row *arg, const json_t *value)
{
	return arg != NULL && json_is_boolean(value) &&
	       (arg->style == OPTION_STYLE_TOGGLE || arg->style == OPTION_STYLE_FLAG);
}

/*
 * Returns the release's spelling; NULL: a switch without a negative that is off. The caller frees
 * it.
 */
static char *spelling(const struct vllm_catalog *flags, const char *key, const json_t *value)
{
	const struct option_row *arg = vllm_arg_find(flags, key);

	if (arg == NULL)
		return vllm_flag_of(key);
	return pl_strdup(is_switch(arg, value) && json_is_false(value) ? arg->negative_flag
								       : arg->flag);
}

/* Appends "--x v", or a switch alone, after `gap`. */
static void add_flag(const struct vllm_catalog *flags, const char *key, const json_t *value,
		     const char *gap, struct pl_buf *buf)
{
	auto_free char *flag = spelling(flags, key, value);
	auto_json json_t *shown = vllm_secret_json_shown(value);

	if (flag == NULL)
		return;
	pl_buf_addf(buf, "%s%s", gap, flag);
	if (value == NULL) {
		pl_buf_add_text(buf, VALUE_OF_ITS_OWN);
		return;
	}
	if (is_switch(vllm_arg_find(flags, key), value))
		return;
	auto_free char *word = pl_json_to_plain(shown);
	pl_buf_add_char(buf, ' ');
	vllm_word_quote(word, buf);
}

void vllm_replaced_words(const json_t *replaced_by, const struct vllm_catalog *flags,
			 struct pl_buf *buf)
{
	size_t count = json_array_size(replaced_by);
	size_t before = buf->len;

	for (size_t i = 0; i < count; i++) {
		const json_t *setting = json_array_get(replaced_by, i);
		const char *key = pl_json_get_text(setting, "key");
		const json_t *value = json_object_get(setting, "value");
		if (flags != NULL) {
			add_flag(flags, key, value, buf->len > before ? " " : "", buf);
			continue;
		}
		if (i > 0)
			pl_buf_add_text(buf, i + 1 == count ? " and " : ", ");
		if (value == NULL)
			pl_buf_addf(buf, "'%s'" VALUE_OF_ITS_OWN, key);
		else
			add_setting(key, value, buf);
	}
}

void vllm_replaced_sentence(const char *key, const json_t *replaced_by,
			    const struct vllm_catalog *flags, struct pl_buf *buf)
{
	const struct vllm_history *history = vllm_history_of(key);
	const char *note = history != NULL ? history->note : NULL;
	size_t before = buf->len;

	vllm_replaced_words(replaced_by, flags, buf);
	if (buf->len > before)
		return;
	if (replaced_by != NULL) {
		pl_buf_add_text(buf, "no argument; vLLM does this by default");
	} else if (history != NULL && history->replaced_by != NULL) {
		pl_buf_addf(buf, "no argument; its replacement '%s' was removed, too",
			    history->replaced_by);
	} else {
		pl_buf_add_text(buf, "no argument; it has no replacement");
		if (note != NULL)
			pl_buf_addf(buf, " (%s)", note);
	}
}

void vllm_deprecated_sentence(const char *key, const json_t *replaced_by,
			      const struct vllm_catalog *flags, struct pl_buf *buf)
{
	const struct vllm_history *history = vllm_history_of(key);
	size_t before = buf->len;

	vllm_replaced_words(replaced_by, flags, buf);
	if (buf->len > before)
		return;
	if (replaced_by != NULL)
		pl_buf_add_text(buf, "no argument; vLLM does this by default");
	else if (history != NULL && history->replaced_by != NULL)
		pl_buf_addf(buf, "no argument yet; vLLM does not have its replacement '%s'",
			    history->replaced_by);
	else if (history != NULL && history->note != NULL)
		pl_buf_addf(buf, "no argument (%s)", history->note);
	else
		pl_buf_add_text(buf, "no argument");
}
