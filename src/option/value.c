/*
 * Checks a value against its row and returns the typed JSON value, or NULL with a problem that says
 * what was found and expected. All inputs (file, --set, command line, API) arrive here as YAML
 * nodes, so the same limits apply to all. Values that another release may accept are not an error
 * here: only callers that know the target can decide.
 */
#include "option/value.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/dotted.h"
#include "option/secret.h"

#define EXPECTED_BYTES_MAX 1024
#define FOUND_BYTES        160

void option_reader_add(struct option_reader *reader, enum option_severity severity,
		       const struct pl_yaml *node, const char *key, const char *found,
		       const char *expected, const char *nearest)
{
	char described[FOUND_BYTES];

	if (found == NULL && node != NULL && node->kind == PL_YAML_SCALAR &&
	    option_secret_is_held(key, node->text)) {
		found = "a hidden value";
	} else if (found == NULL && node != NULL) {
		pl_yaml_describe(node, described, sizeof(described));
		found = described;
	}
	option_problem_report(reader->problems, .severity = severity, .source = reader->source,
			      .line = node != NULL ? node->line : 0,
			      .column = node != NULL ? node->column : 0, .key = key, .found = found,
			      .expected = expected, .nearest = nearest);
}

void option_reader_refuse(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const char *found, const char *expected)
{
	option_reader_add(reader, OPTION_ERROR, node, key, found, expected, NULL);
}

void option_reader_locate(struct option_reader *reader, const char *key, const struct pl_yaml *node)
{
	if (reader->locations != NULL)
		option_locations_set(reader->locations, key, reader->source,
				     reader->no_lines ? 0 : node->line,
				     reader->no_lines ? 0 : node->column);
}

const char *option_key_nearest(const char *key, const char *const *keys)
{
	size_t count = 0;

	while (keys[count] != NULL)
		count++;
	return pl_text_nearest(key, keys, count);
}

/*
 * Compares, ignoring case and hyphens if any_case is set. The distance is 0 if only case and
 * hyphens differ; the length excludes an additional hyphen.
 */
static bool same_text(const char *a, const char *b, bool any_case)
{
	return any_case ? pl_text_distance(a, b) == 0 && strlen(a) == strlen(b) : strcmp(a, b) == 0;
}

static bool is_choice(const json_t *choice, const struct pl_yaml *node, bool any_case)
{
	int64_t number;

	if (node->kind != PL_YAML_SCALAR)
		return false;
	if (json_is_string(choice))
		return same_text(json_string_value(choice), node->text, any_case);
	return json_is_integer(choice) && pl_text_to_i64(node->text, &number) &&
	       number == json_integer_value(choice);
}

/* Returns the choice that matches the node, as in the list (borrowed from `list`), or NULL. */
static json_t *find_choice(const json_t *list, const struct pl_yaml *node, bool any_case)
{
	PL_JSON_EACH(choice, list) {
		if (is_choice(choice, node, any_case))
			return choice;
	}
	return NULL;
}

static bool have_choice(const char *choices, const struct pl_yaml *node, bool any_case)
{
	auto_json json_t *list = pl_json_of_text(choices);

	return find_choice(list, node, any_case) != NULL;
}

char *option_choice_nearest(const struct option_row *row, const char *text)
{
	auto_json json_t *list = option_row_choices(row);
	struct pl_nearest nearest = { .name = text };

	PL_JSON_EACH(choice, list) {
		if (json_string_length(choice) > 0)
			pl_nearest_try(&nearest, json_string_value(choice));
	}
	return pl_strdup(nearest.found);
}

/* A secret's value is not shown, whatever was wrong with it. */
static json_t *refuse(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		      const struct option_row *row, const char *found)
{
	auto_buf expected = PL_BUF(EXPECTED_BYTES_MAX);
	auto_free char *nearest = NULL;

	option_row_describe(row, &expected);
	if (row->choices != NULL && node->kind == PL_YAML_SCALAR && !pl_yaml_is_null(node))
		nearest = option_choice_nearest(row, node->text);
	if (row->secret)
		found = pl_yaml_is_null(node) ? "null" : "a hidden value";
	option_reader_add(reader, OPTION_ERROR, node, key, found, pl_buf_text(&expected), nearest);
	return NULL;
}

static bool accepts(const struct option_row *row, const char *type)
{
	return row->also_accepts != NULL && strstr(row->also_accepts, type) != NULL;
}

static bool in_bounds(const struct option_row *row, double value)
{
	const char *exclusive = row->exclusive != NULL ? row->exclusive : "";
	bool above = strcmp(exclusive, "min") == 0 || strcmp(exclusive, "both") == 0;
	bool below = strcmp(exclusive, "max") == 0 || strcmp(exclusive, "both") == 0;

	return (above ? value > row->min : value >= row->min) &&
	       (below ? value < row->max : value <= row->max);
}

/* More than YAML's own words only for options of a command that takes them. */
static bool read_bool(const struct pl_yaml *node, const struct option_row *row, bool *ret)
{
	static const char *const yes[] = { "true", "on", "yes", "1", NULL };
	static const char *const no[] = { "false", "off", "no", "0", NULL };

	if (pl_yaml_to_bool(node, ret))
		return true;
	for (size_t i = 0; row->lenient && node->kind == PL_YAML_SCALAR && yes[i] != NULL; i++) {
		*ret = strcasecmp(node->text, yes[i]) == 0;
		if (*ret || strcasecmp(node->text, no[i]) == 0)
			return true;
	}
	return false;
}

static bool read_int(const struct pl_yaml *node, const struct option_row *row, int64_t *ret)
{
	double number;
	bool truth;

	if (node->kind != PL_YAML_SCALAR)
		return false;
	if (pl_yaml_to_i64(node, ret))
		return true;
	if (row->type == OPTION_HUMAN_INT)
		return pl_text_to_human_int(node->text, ret);
	if (!row->lenient)
		return false;
	if (pl_text_to_i64(node->text, ret))
		return true;
	if (pl_text_to_f64(node->text, &number) && number == floor(number) && fabs(number) < 9e18) {
		*ret = (int64_t)number;
		return true;
	}
	if (!pl_yaml_to_bool(node, &truth))
		return false;
	*ret = truth;
	return true;
}

/*
 * A plain scalar that is a number or true/false is not a text unless requested as written: the
 * intended text is unknown (1.10, 0x10, True).
 */
static bool reads_as_text(const struct pl_yaml *node, const struct option_row *row)
{
	double number;

	if (node->kind != PL_YAML_SCALAR || pl_yaml_is_null(node))
		return false;
	if (row->number_text || !node->plain)
		return true;
	if (pl_yaml_to_f64(node, &number) && isfinite(number))
		return false;
	return strcasecmp(node->text, "true") != 0 && strcasecmp(node->text, "false") != 0;
}

static json_t *value_bool(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct option_row *row)
{
	bool truth;

	if (read_bool(node, row, &truth))
		return json_boolean(truth);
	return refuse(reader, node, key, row, NULL);
}

static json_t *value_int(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			 const struct option_row *row)
{
	int64_t number;

	if (!read_int(node, row, &number) || !in_bounds(row, (double)number))
		return refuse(reader, node, key, row, NULL);
	return json_integer(number);
}

/* JSON can express infinity only as a text. */
static bool reads_as_infinity(const struct pl_yaml *node, double *ret)
{
	return node->kind == PL_YAML_SCALAR && pl_text_to_f64(node->text, ret) && isinf(*ret);
}

static json_t *value_float(struct option_reader *reader, const struct pl_yaml *node,
			   const char *key, const struct option_row *row)
{
	double number;

	if (!pl_yaml_to_f64(node, &number) &&
	    !(row->infinite && reads_as_infinity(node, &number)) &&
	    !(row->lenient && node->kind == PL_YAML_SCALAR && pl_text_to_f64(node->text, &number)))
		return refuse(reader, node, key, row, NULL);
	if (isnan(number) || (isinf(number) && !row->infinite) || !in_bounds(row, number))
		return refuse(reader, node, key, row, NULL);
	if (isinf(number))
		return json_string(number > 0 ? "inf" : "-inf");
	return json_real(number);
}

/*
 * Returns whether it is a number that doubles cannot hold, or NaN: JSON cannot express it, and a
 * text would be another value.
 */
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

static bool is_sayable(struct option_reader *reader, const struct pl_yaml *node, const char *key)
{
	bool sayable = true;

	if (node->kind == PL_YAML_SCALAR && is_beyond_json(node)) {
		auto_free char *found = pl_asprintf("number %.60s", node->text);
		option_reader_refuse(reader, node, key, found, "a finite number");
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

static json_t *value_any(struct option_reader *reader, const struct pl_yaml *node, const char *key)
{
	return is_sayable(reader, node, key) ? pl_yaml_to_json(node) : NULL;
}

static json_t *value_text(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct option_row *row)
{
	bool truth;

	if (accepts(row, "bool") && node->plain && pl_yaml_to_bool(node, &truth))
		return json_boolean(truth);
	if (accepts(row, "json") && node->kind == PL_YAML_MAP)
		return value_any(reader, node, key);
	if (!reads_as_text(node, row))
		return refuse(reader, node, key, row, NULL);
	return json_string(node->text);
}

/* Returns whether other releases accept it. */
static bool have_other_choice(const struct option_row *row, const struct pl_yaml *node)
{
	if (have_choice(row->older_choices, node, row->any_case))
		return true;
	for (const char *const *at = row->release_choices; at != NULL && *at != NULL; at++) {
		if (have_choice(*at, node, row->any_case))
			return true;
	}
	return false;
}

/* Handles a value outside of the list; only a warning if it may be valid. */
static json_t *value_other(struct option_reader *reader, const struct pl_yaml *node,
			   const char *key, const struct option_row *row)
{
	auto_buf expected = PL_BUF(EXPECTED_BYTES_MAX);
	auto_free char *nearest = NULL;
	int64_t number;
	bool other = have_other_choice(row, node);
	bool is_number = row->type == OPTION_INT;

	if (!other && (!option_row_is_open(row) || (is_number && !read_int(node, row, &number)) ||
		       (!is_number && !reads_as_text(node, row))))
		return refuse(reader, node, key, row, NULL);
	/* callers that know the target report that it does not accept the value */
	if (!other && !row->choices_ruled) {
		option_row_describe(row, &expected);
		nearest = option_choice_nearest(row, node->text);
		option_reader_add(reader, OPTION_WARNING, node, key, NULL, pl_buf_text(&expected),
				  nearest);
	}
	return is_number && read_int(node, row, &number) ? json_integer(number)
							 : json_string(node->text);
}

static json_t *value_duration(struct option_reader *reader, const struct pl_yaml *node,
			      const char *key, const struct option_row *row)
{
	int64_t ns;

	if (node->kind != PL_YAML_SCALAR || pl_yaml_is_null(node) ||
	    !pl_text_to_duration_ns(node->text, &ns) || ns < 0 || !in_bounds(row, (double)ns))
		return refuse(reader, node, key, row, NULL);
	return json_integer(ns);
}

static bool add_item(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		     const struct option_row *item, json_t *list)
{
	json_t *value = option_value_read(reader, node, key, item);

	if (value == NULL)
		return false;
	json_array_append_new(list, value);
	return true;
}

/*
 * Reads one value as a whole list; choices may be joined by commas, as in vLLM. A part has the
 * location of the whole scalar.
 */
static bool add_scalar(struct option_reader *reader, const struct pl_yaml *node, const char *key,
		       const struct option_row *item, json_t *list)
{
	auto_free char *text = pl_strdup(node->text);
	struct pl_yaml part = *node;
	bool taken = true;

	if (item->type != OPTION_ENUM)
		return add_item(reader, node, key, item, list);
	for (char *rest = text; rest != NULL;) {
		part.text = strsep(&rest, ",");
		taken &= add_item(reader, &part, key, item, list);
	}
	return taken;
}

static json_t *value_list(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct option_row *row)
{
	struct option_row item = *row;
	auto_json json_t *list = json_array();
	bool taken = true;

	item.type = row->items;
	item.nullable = false;
	item.special_values = NULL;
	if (row->item_accepts != NULL)
		item.also_accepts = row->item_accepts;
	if (node->kind == PL_YAML_MAP || pl_yaml_is_null(node) ||
	    (option_row_needs_item(row) && node->kind == PL_YAML_LIST && node->count == 0))
		return refuse(reader, node, key, row,
			      node->kind == PL_YAML_LIST ? "an empty list" : NULL);
	if (node->kind == PL_YAML_SCALAR)
		taken = add_scalar(reader, node, key, &item, list);
	for (size_t i = 0; i < node->count; i++) {
		auto_free char *item_key = pl_asprintf("%s[%zu]", key, i);
		taken &= add_item(reader, node->items[i], item_key, &item, list);
	}
	return taken ? pl_take(list) : NULL;
}

/* The key of this object whose name is nearest; NULL. */
static const char *nearest_field(const struct option_row *row, const char *name)
{
	struct pl_nearest nearest = { .name = name };

	for (const struct option_row *field = option_field_next(row, NULL); field != NULL;
	     field = option_field_next(row, field)) {
		const char *known = option_field_in(row, field);
		if (strchr(known, '.') == NULL)
			pl_nearest_try(&nearest, known);
	}
	return nearest.found;
}

/* Turns errors from problem `first` on into warnings and corrects `errors`. */
static void soften(struct option_problems *problems, size_t first)
{
	for (size_t i = first; i < problems->count; i++) {
		problems->errors -= problems->items[i].severity == OPTION_ERROR;
		problems->items[i].severity = OPTION_WARNING;
	}
}

static bool read_member(struct option_reader *reader, const struct pl_yaml *map, size_t i,
			const char *key, const struct option_row *row, json_t *object)
{
	const char *name = map->keys[i]->text;
	auto_free char *member_key = pl_asprintf("%s.%s", key, name);
	const struct option_row *field = option_field_find(row, name);

	/* of another release: callers that know the target report it */
	if (field != NULL && field->absent) {
		json_t *given = value_any(reader, map->items[i], member_key);
		if (given == NULL)
			return false;
		json_object_set_new(object, name, given);
		if (map->keys[i]->line > 0)
			option_reader_locate(reader, member_key, map->keys[i]);
		return true;
	}
	if (field == NULL) {
		option_reader_add(reader, reader->fields_open ? OPTION_WARNING : OPTION_ERROR,
				  map->keys[i], member_key, "unknown key", NULL,
				  nearest_field(row, name));
		if (reader->fields_open)
			json_object_set_new(object, name, pl_yaml_to_json(map->items[i]));
		return reader->fields_open;
	}
	size_t first = reader->problems->count;
	json_t *value = option_value_read(reader, map->items[i], member_key, field);
	if (value == NULL && !reader->fields_open)
		return false;
	if (value == NULL) {
		soften(reader->problems, first);
		value = pl_yaml_to_json(map->items[i]);
	}
	json_object_set_new(object, name, value);
	return true;
}

static json_t *value_mapping(struct option_reader *reader, const struct pl_yaml *node,
			     const char *key, const struct option_row *row)
{
	auto_json json_t *object = json_object();
	bool refused = false;

	if (option_field_next(row, NULL) == NULL)
		return value_any(reader, node, key);
	for (size_t i = 0; i < node->count; i++)
		refused |= !read_member(reader, node, i, key, row, object);
	return refused ? NULL : pl_take(object);
}

static json_t *value_object(struct option_reader *reader, const struct pl_yaml *node,
			    const char *key, const struct option_row *row)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;
	auto_json json_t *json = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (node->kind == PL_YAML_MAP)
		return value_mapping(reader, node, key, row);
	/* read twice: as JSON, which it must be (YAML takes more), and as YAML, whose nodes are
	 * walked */
	if (node->kind != PL_YAML_SCALAR || node->text[0] != '{' ||
	    pl_json_parse(node->text, strlen(node->text), key, &json, &err) < 0 ||
	    pl_yaml_parse(node->text, strlen(node->text), key, &doc, &err) < 0) {
		const char *excess = option_json_excess(node->text);
		if (excess == NULL && strstr(err.text, "duplicate object key") != NULL)
			excess = "a duplicate key";
		auto_free char *reason = excess != NULL
						 ? pl_asprintf("a JSON object with %s", excess)
						 : NULL;
		return refuse(reader, node, key, row, reason);
	}
	if (option_field_next(row, NULL) == NULL)
		return pl_take(json);
	/* locations inside of the text are not locations in the file */
	struct option_reader inside = *reader;
	size_t first = reader->problems->count;
	json_t *object = value_mapping(&inside, pl_yaml_root(doc), key, row);
	for (size_t i = first; i < reader->problems->count; i++) {
		reader->problems->items[i].line = node->line;
		reader->problems->items[i].column = node->column;
	}
	return object;
}

static json_t *value_special(const struct pl_yaml *node, const struct option_row *row)
{
	auto_json json_t *list = pl_json_of_text(row->special_values);
	json_t *special = find_choice(list, node, true);
	double number;

	/* a quoted number is a text, and an empty plain scalar is null */
	if (special == NULL || pl_yaml_is_null(node) ||
	    (json_is_integer(special) && !pl_yaml_to_f64(node, &number)))
		return NULL;
	return json_incref(special);
}

/*
 * From the most to the least specific: null, special values, other accepted types, choices, the
 * type. Otherwise -1 for "no limit" would be out of bounds.
 */
json_t *option_value_read(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct option_row *row)
{
	typedef json_t *value_fn(struct option_reader *, const struct pl_yaml *, const char *,
				 const struct option_row *);
	static value_fn *const by_kind[] = {
		[OPTION_BOOL] = value_bool,   [OPTION_TRI] = value_bool,
		[OPTION_INT] = value_int,     [OPTION_HUMAN_INT] = value_int,
		[OPTION_FLOAT] = value_float, [OPTION_STRING] = value_text,
		[OPTION_ENUM] = value_text,   [OPTION_JSON] = value_object,
		[OPTION_LIST] = value_list,   [OPTION_DURATION] = value_duration,
	};
	int64_t number;

	if (row->type == OPTION_ANY)
		return value_any(reader, node, key);
	if (row->nullable && pl_yaml_is_null(node))
		return json_null();
	json_t *special = value_special(node, row);
	if (special != NULL)
		return special;
	if (accepts(row, "int") && pl_yaml_to_i64(node, &number))
		return json_integer(number);
	if (accepts(row, "string") && reads_as_text(node, row))
		return json_string(node->text);
	if (row->choices != NULL && row->type != OPTION_LIST) {
		auto_json json_t *list = option_row_choices(row);
		json_t *choice = find_choice(list, node, row->any_case);
		if (choice == NULL)
			return value_other(reader, node, key, row);
		/* as it was written: the server compares in its own way */
		return json_is_string(choice) ? json_string(node->text) : json_incref(choice);
	}
	return by_kind[row->type](reader, node, key, row);
}
