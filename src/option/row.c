/*
 * Texts for rows: their types, limits and choices in messages, help, JSON and overlays. All are
 * derived from the row, so they agree with the checks in value.c.
 */
#include "option/row.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

enum { CHOICES_SHOWN_MAX = 16 };

/* The names are those of the JSON and of overlays: people's files have them. */
static const char *const type_names[] = {
	[OPTION_ANY] = "any",
	[OPTION_BOOL] = "bool",
	[OPTION_TRI] = "bool",
	[OPTION_INT] = "int",
	[OPTION_HUMAN_INT] = "int_or_human",
	[OPTION_FLOAT] = "float",
	[OPTION_STRING] = "string",
	[OPTION_ENUM] = "enum",
	[OPTION_JSON] = "json",
	[OPTION_LIST] = "list",
	[OPTION_DURATION] = "duration",
};

static const char *const list_names[] = {
	[OPTION_ANY] = "list",          [OPTION_INT] = "list<int>",
	[OPTION_FLOAT] = "list<float>", [OPTION_STRING] = "list<string>",
	[OPTION_ENUM] = "list<enum>",
};

static const char *const style_names[] = {
	[OPTION_STYLE_VALUE] = "value",
	[OPTION_STYLE_TOGGLE] = "toggle",
	[OPTION_STYLE_FLAG] = "flag",
	[OPTION_STYLE_LIST] = "list",
	[OPTION_STYLE_OPTIONAL_VALUE] = "optional_value",
	[OPTION_STYLE_REPEAT] = "repeat",
	[OPTION_STYLE_WORDS] = "words",
};

/* -1: it is not among them; pl_text_equal() knows no name that is NULL. */
static int find_name(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count && name != NULL; i++) {
		if (pl_text_equal(names[i], name))
			return (int)i;
	}
	return -1;
}

const char *option_type_name(enum option_type type)
{
	return type_names[type];
}

const char *option_type_words(const struct option_row *row)
{
	bool is_named = row->items < PL_ARRAY_SIZE(list_names) && list_names[row->items] != NULL;

	return row->type == OPTION_LIST && is_named ? list_names[row->items]
						    : type_names[row->type];
}

int option_type_read(const char *words, struct option_row *row)
{
	int items = find_name(list_names, PL_ARRAY_SIZE(list_names), words);
	int type = items > 0 ? OPTION_LIST
			     : find_name(type_names, PL_ARRAY_SIZE(type_names), words);

	if (type < 0)
		return -1;
	row->type = (enum option_type)type;
	row->items = items > 0 ? (enum option_type)items : OPTION_ANY;
	return 0;
}

const char *option_style_name(enum option_style style)
{
	return style_names[style];
}

int option_style_find(const char *name, enum option_style *ret)
{
	int style = find_name(style_names, PL_ARRAY_SIZE(style_names), name);

	if (style < 0)
		return -1;
	*ret = (enum option_style)style;
	return 0;
}

/* vLLM may accept more than the list: plugins add to it, or the parser does not check. */
bool option_row_is_open(const struct option_row *row)
{
	return row->choices_open ||
	       (row->choices_note != NULL && pl_text_starts(row->choices_note, "not checked"));
}

/* argparse's nargs '+': a flag alone is an error, unless no item is the default. */
bool option_row_needs_item(const struct option_row *row)
{
	return row->type == OPTION_LIST && row->style == OPTION_STYLE_LIST &&
	       !pl_text_equal(row->default_json, "[]");
}

/* A field's name is the whole path below its argument ("pass_config.fuse_norm"), so that keys of
 * any depth are one flat table. */
const char *option_field_in(const struct option_row *object, const struct option_row *field)
{
	/* the object is an argument, or itself a key of one */
	const char *of = object->of != NULL ? object->of : object->name;
	size_t len = object->of != NULL ? strlen(object->name) : 0;

	if (strcmp(field->of, of) != 0)
		return NULL;
	if (len == 0)
		return field->name;
	return strncmp(field->name, object->name, len) == 0 && field->name[len] == '.'
		       ? field->name + len + 1
		       : NULL;
}

const struct option_row *option_field_next(const struct option_row *object,
					   const struct option_row *previous)
{
	size_t i = previous != NULL ? (size_t)(previous - object->fields) + 1 : 0;

	while (i < object->field_count &&
	       (object->fields[i].absent || option_field_in(object, &object->fields[i]) == NULL))
		i++;
	return i < object->field_count ? &object->fields[i] : NULL;
}

const struct option_row *option_field_find(const struct option_row *object, const char *name)
{
	for (size_t i = 0; i < object->field_count; i++) {
		const char *known = option_field_in(object, &object->fields[i]);
		if (known != NULL && strcmp(known, name) == 0)
			return &object->fields[i];
	}
	return NULL;
}

json_t *option_row_choices(const struct option_row *row)
{
	json_t *choices = pl_json_of_text(row->choices);
	auto_json json_t *more = pl_json_of_text(row->file_choices);

	if (more != NULL)
		json_array_extend(choices, more);
	return choices;
}

char *option_row_default_text(const struct option_row *row)
{
	auto_json json_t *value = pl_json_of_text(row->default_json);

	if (json_is_null(value))
		return NULL;
	return pl_strdup(json_is_string(value) ? json_string_value(value) : row->default_json);
}

/* Uses the largest unit without a remainder; shows "1e-05" as "1e-5". */
char *option_row_bound_text(const struct option_row *row, double bound)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "d", 86400e9 }, { "h", 3600e9 }, { "s", 1e9 }, { "ms", 1e6 } };
	char number[PL_F64_TEXT_BYTES];

	for (size_t i = 0; row->type == OPTION_DURATION && i < PL_ARRAY_SIZE(units); i++) {
		if (bound > 0 && fmod(bound, units[i].ns) == 0)
			return pl_asprintf("%.0f%s", bound / units[i].ns, units[i].unit);
	}
	if (row->type == OPTION_DURATION)
		return pl_asprintf("%.0fs", bound / 1e9);
	if (isinf(bound) || bound == floor(bound))
		return pl_asprintf("%.0f", bound);
	pl_text_from_f64(bound, number);
	char *exponent = strstr(number, "e-0");
	if (exponent != NULL)
		memmove(exponent + 2, exponent + 3, strlen(exponent + 2));
	return pl_strdup(number);
}

/* Writes no fractions: the text is read back to the same nanosecond. */
json_t *option_duration_to_json(int64_t ns)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {
		{ "s", PL_NS_PER_S }, { "ms", PL_NS_PER_MS }, { "us", PL_NS_PER_US }, { "ns", 1 }
	};
	size_t i = 0;

	if (ns == OPTION_NO_I64)
		return json_null();
	while (ns % units[i].ns != 0)
		i++;
	return json_sprintf("%" JSON_INTEGER_FORMAT "%s", (json_int_t)(ns / units[i].ns),
			    units[i].unit);
}

static void add_number(struct pl_buf *buf, const struct option_row *row, double value)
{
	char number[PL_F64_TEXT_BYTES];

	if (row->type == OPTION_DURATION) {
		auto_json json_t *duration = option_duration_to_json((int64_t)value);
		pl_buf_add_text(buf, json_string_value(duration));
		return;
	}
	if (value == floor(value) && fabs(value) < 1e15) {
		pl_buf_addf(buf, "%.0f", value);
		return;
	}
	pl_text_from_f64(value, number);
	pl_buf_add_text(buf, number);
}

#define TINY_MAX 1e-6 /* a minimum up to this only excludes 0 */

static void add_bounds(struct pl_buf *buf, const struct option_row *row)
{
	const char *exclusive = row->exclusive != NULL ? row->exclusive : "";
	bool above = strcmp(exclusive, "min") == 0 || strcmp(exclusive, "both") == 0;
	bool below = strcmp(exclusive, "max") == 0 || strcmp(exclusive, "both") == 0;
	bool has_min = isfinite(row->min);
	bool has_max = isfinite(row->max);
	/* the smallest value of a setting that only has to be positive */
	bool tiny = has_min && row->min > 0 && row->min <= TINY_MAX;

	if (has_min && has_max && !above && !below) {
		pl_buf_add_text(buf, " from ");
		add_number(buf, row, row->min);
		pl_buf_add_text(buf, " to ");
		add_number(buf, row, row->max);
		return;
	}
	if (tiny) {
		pl_buf_add_text(buf, " above 0");
	} else if (has_min) {
		pl_buf_add_text(buf, above ? " above " : " of at least ");
		add_number(buf, row, row->min);
	}
	if (has_max) {
		pl_buf_add_text(buf, has_min ? " and" : below ? "" : " of");
		pl_buf_add_text(buf, below ? " below " : " at most ");
		add_number(buf, row, row->max);
	}
}

static void add_value(struct pl_buf *buf, const json_t *value)
{
	auto_free char *text = json_is_string(value) && json_string_length(value) > 0
				       ? pl_strdup(json_string_value(value))
				       : pl_json_to_text(value, PL_JSON_COMPACT);

	pl_buf_add_text(buf, text);
}

/* "a, b or c"; long lists are cut. */
static void add_choices(struct pl_buf *buf, const json_t *list)
{
	size_t count = json_array_size(list);
	size_t shown = count > CHOICES_SHOWN_MAX ? CHOICES_SHOWN_MAX : count;

	for (size_t i = 0; i < shown; i++) {
		if (i > 0)
			pl_buf_add_text(buf, i + 1 == count ? " or " : ", ");
		add_value(buf, json_array_get(list, i));
	}
	if (shown < count)
		pl_buf_addf(buf, " … (%zu in all)", count);
}

static const char *noun(enum option_type kind)
{
	static const char *const nouns[] = {
		[OPTION_BOOL] = "true or false",
		[OPTION_TRI] = "true or false",
		[OPTION_INT] = "an integer",
		[OPTION_HUMAN_INT] = "an integer such as 4096, 32k, 1.5m or 4K",
		[OPTION_FLOAT] = "a number",
		[OPTION_STRING] = "a text",
		[OPTION_ENUM] = "a text",
		[OPTION_JSON] = "a mapping",
		[OPTION_LIST] = "a list",
		[OPTION_DURATION] = "a duration such as 30s or 100ms",
		[OPTION_ANY] = "any value",
	};

	return nouns[kind];
}

static bool has_bounds(enum option_type kind)
{
	return kind == OPTION_INT || kind == OPTION_HUMAN_INT || kind == OPTION_FLOAT ||
	       kind == OPTION_DURATION;
}

static void add_list(struct pl_buf *buf, const struct option_row *row, const json_t *choices)
{
	switch (row->items) {
	case OPTION_INT:
		pl_buf_add_text(buf, "a list of integers");
		return;
	case OPTION_FLOAT:
		pl_buf_add_text(buf, "a list of numbers");
		return;
	case OPTION_ENUM:
		pl_buf_add_text(buf, "a list of ");
		add_choices(buf, choices);
		return;
	case OPTION_ANY:
		pl_buf_add_text(buf, "a list");
		return;
	default:
		pl_buf_add_text(buf, "a list of strings");
	}
}

void option_row_describe(const struct option_row *row, struct pl_buf *buf)
{
	auto_json json_t *choices = option_row_choices(row);
	auto_json json_t *special = pl_json_of_text(row->special_values);

	if (row->type == OPTION_LIST)
		add_list(buf, row, choices);
	else if (choices != NULL)
		add_choices(buf, choices);
	else
		pl_buf_add_text(buf, noun(row->type));
	if (option_row_needs_item(row))
		pl_buf_add_text(buf, " with at least one item");
	if (row->choices == NULL && has_bounds(row->type))
		add_bounds(buf, row);
	if (row->type == OPTION_FLOAT && pl_text_equal(row->default_json, "\"inf\""))
		pl_buf_add_text(buf, ", or inf");
	if (row->also_accepts != NULL && strstr(row->also_accepts, "bool") != NULL)
		pl_buf_add_text(buf, ", or true or false");
	if (row->also_accepts != NULL && strstr(row->also_accepts, "json") != NULL)
		pl_buf_add_text(buf, ", or a mapping");
	if (special != NULL) {
		pl_buf_add_text(buf, ", or ");
		add_choices(buf, special);
	}
	if (row->nullable)
		pl_buf_add_text(buf, ", or null");
}
