#include "vllm/validate_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/secret.h"

#define EXPECTED_BYTES_MAX 1024
#define FOUND_BYTES        160

void vllm_reader_add(struct vllm_reader *reader, enum option_severity severity,
		     const struct pl_yaml *node, const char *key, const char *found,
		     const char *expected, const char *nearest)
{
	char described[FOUND_BYTES];

	if (found == NULL && node != NULL && node->kind == PL_YAML_SCALAR &&
	    vllm_secret_is_held(key, node->text)) {
		found = "a value that is not shown";
	} else if (found == NULL && node != NULL) {
		pl_yaml_describe(node, described, sizeof(described));
		found = described;
	}
	option_problems_add(reader->problems, &(struct option_problem){
						      .severity = severity,
						      .source = reader->source,
						      .line = node != NULL ? node->line : 0,
						      .column = node != NULL ? node->column : 0,
						      .key = key,
						      .found = found,
						      .expected = expected,
						      .nearest = nearest,
					      });
}

void vllm_reader_place(struct vllm_reader *reader, const char *key, const struct pl_yaml *node)
{
	if (reader->places != NULL)
		option_places_set(reader->places, key, reader->source,
				  reader->no_lines ? 0 : node->line,
				  reader->no_lines ? 0 : node->column);
}

const char *vllm_key_nearest(const char *key, const char *const *keys)
{
	size_t count = 0;

	while (keys[count] != NULL)
		count++;
	return pl_text_nearest(key, keys, count);
}

/* Equal by case and hyphen, where any_case says so. */
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

/* The choice that the node is, as it stands in the list (borrowed from `list`); NULL. */
static json_t *find_choice(const json_t *list, const struct pl_yaml *node, bool any_case)
{
	size_t i;
	json_t *choice;

	json_array_foreach((json_t *)list, i, choice)
	{
		if (is_choice(choice, node, any_case))
			return choice;
	}
	return NULL;
}

bool vllm_choices_have(const char *choices, const struct pl_yaml *node, bool any_case)
{
	auto_json json_t *list = choices != NULL ? json_loads(choices, 0, NULL) : NULL;

	return find_choice(list, node, any_case) != NULL;
}

char *vllm_choices_nearest(const char *choices, const char *text)
{
	auto_json json_t *list = choices != NULL ? json_loads(choices, 0, NULL) : NULL;
	size_t count = json_array_size(list);
	auto_free const char **names = pl_alloc_array(count + 1, sizeof(*names));
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = json_string_value(json_array_get(list, i));
		if (name != NULL && name[0] != '\0')
			names[used++] = name;
	}
	return pl_strdup(pl_text_nearest(text, names, used));
}

json_t *vllm_value_refuse(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct vllm_spec *spec, const char *found)
{
	auto_buf expected = { 0 };
	auto_free char *nearest = NULL;

	pl_buf_init(&expected, EXPECTED_BYTES_MAX);
	vllm_spec_describe(spec, &expected);
	if (spec->choices != NULL && node->kind == PL_YAML_SCALAR && !pl_yaml_is_null(node))
		nearest = vllm_choices_nearest(spec->choices, node->text);
	if (spec->hidden)
		found = pl_yaml_is_null(node) ? "null" : "a value that is not shown";
	vllm_reader_add(reader, OPTION_ERROR, node, key, found, pl_buf_text(&expected), nearest);
	return NULL;
}

static bool accepts(const struct vllm_spec *spec, const char *type)
{
	return spec->also_accepts != NULL && strstr(spec->also_accepts, type) != NULL;
}

static bool in_bounds(const struct vllm_spec *spec, double value)
{
	const char *exclusive = spec->exclusive != NULL ? spec->exclusive : "";
	bool above = strcmp(exclusive, "min") == 0 || strcmp(exclusive, "both") == 0;
	bool below = strcmp(exclusive, "max") == 0 || strcmp(exclusive, "both") == 0;

	return (above ? value > spec->min : value >= spec->min) &&
	       (below ? value < spec->max : value <= spec->max);
}

static bool read_bool(const struct pl_yaml *node, const struct vllm_spec *spec, bool *ret)
{
	static const char *const yes[] = { "true", "on", "yes", "1", NULL };
	static const char *const no[] = { "false", "off", "no", "0", NULL };

	if (pl_yaml_to_bool(node, ret))
		return true;
	for (size_t i = 0; spec->lenient && node->kind == PL_YAML_SCALAR && yes[i] != NULL; i++) {
		*ret = strcasecmp(node->text, yes[i]) == 0;
		if (*ret || strcasecmp(node->text, no[i]) == 0)
			return true;
	}
	return false;
}

static bool read_int(const struct pl_yaml *node, const struct vllm_spec *spec, int64_t *ret)
{
	double number;
	bool truth;

	if (node->kind != PL_YAML_SCALAR)
		return false;
	if (pl_yaml_to_i64(node, ret))
		return true;
	if (spec->kind == VLLM_KIND_HUMAN_INT)
		return pl_text_to_human_int(node->text, ret);
	if (!spec->lenient)
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

/* A plain scalar that is a number or true/false is no text unless asked for as it is written. */
static bool reads_as_text(const struct pl_yaml *node, const struct vllm_spec *spec)
{
	double number;

	if (node->kind != PL_YAML_SCALAR || pl_yaml_is_null(node))
		return false;
	if (spec->number_text || !node->plain)
		return true;
	if (pl_yaml_to_f64(node, &number) && isfinite(number))
		return false;
	return strcasecmp(node->text, "true") != 0 && strcasecmp(node->text, "false") != 0;
}

static json_t *value_bool(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct vllm_spec *spec)
{
	bool truth;

	if (read_bool(node, spec, &truth))
		return json_boolean(truth);
	return vllm_value_refuse(reader, node, key, spec, NULL);
}

static json_t *value_int(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			 const struct vllm_spec *spec)
{
	int64_t number;

	if (!read_int(node, spec, &number) || !in_bounds(spec, (double)number))
		return vllm_value_refuse(reader, node, key, spec, NULL);
	return json_integer(number);
}

/* JSON has no other way to say infinity than a text. */
static bool reads_as_infinity(const struct pl_yaml *node, double *ret)
{
	return node->kind == PL_YAML_SCALAR && pl_text_to_f64(node->text, ret) && isinf(*ret);
}

static json_t *value_float(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			   const struct vllm_spec *spec)
{
	double number;

	if (!pl_yaml_to_f64(node, &number) &&
	    !(spec->infinite && reads_as_infinity(node, &number)) &&
	    !(spec->lenient && node->kind == PL_YAML_SCALAR && pl_text_to_f64(node->text, &number)))
		return vllm_value_refuse(reader, node, key, spec, NULL);
	if (isnan(number) || (isinf(number) && !spec->infinite) || !in_bounds(spec, number))
		return vllm_value_refuse(reader, node, key, spec, NULL);
	if (isinf(number))
		return json_string(number > 0 ? "inf" : "-inf");
	return json_real(number);
}

static json_t *value_text(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct vllm_spec *spec)
{
	bool truth;

	if (accepts(spec, "bool") && node->plain && pl_yaml_to_bool(node, &truth))
		return json_boolean(truth);
	if (accepts(spec, "json") && node->kind == PL_YAML_MAP)
		return vllm_value_any(reader, node, key);
	if (!reads_as_text(node, spec))
		return vllm_value_refuse(reader, node, key, spec, NULL);
	return json_string(node->text);
}

/* A value outside of the list, told as a warning where it can be right. */
static json_t *value_other(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			   const struct vllm_spec *spec)
{
	auto_buf expected = { 0 };
	auto_free char *nearest = NULL;
	int64_t number;
	bool older = vllm_choices_have(spec->older_choices, node, spec->any_case);
	bool is_number = spec->kind == VLLM_KIND_INT;

	pl_buf_init(&expected, EXPECTED_BYTES_MAX);
	if (!older && (!spec->choices_open || (is_number && !read_int(node, spec, &number)) ||
		       (!is_number && !reads_as_text(node, spec))))
		return vllm_value_refuse(reader, node, key, spec, NULL);
	/* whether the target takes an older one is told where the target is known */
	if (!older) {
		vllm_spec_describe(spec, &expected);
		nearest = vllm_choices_nearest(spec->choices, node->text);
		vllm_reader_add(reader, OPTION_WARNING, node, key, NULL, pl_buf_text(&expected),
				nearest);
	}
	return is_number && read_int(node, spec, &number) ? json_integer(number)
							  : json_string(node->text);
}

static json_t *value_choice(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			    const struct vllm_spec *spec)
{
	auto_json json_t *list = json_loads(spec->choices, 0, NULL);
	json_t *choice = find_choice(list, node, spec->any_case);

	if (choice == NULL)
		return value_other(reader, node, key, spec);
	/* as it was written: the server compares in its own way */
	return json_is_string(choice) ? json_string(node->text) : json_incref(choice);
}

static json_t *value_duration(struct vllm_reader *reader, const struct pl_yaml *node,
			      const char *key, const struct vllm_spec *spec)
{
	int64_t ns;

	if (node->kind != PL_YAML_SCALAR || pl_yaml_is_null(node) ||
	    !pl_text_to_duration_ns(node->text, &ns) || ns < 0 || !in_bounds(spec, (double)ns))
		return vllm_value_refuse(reader, node, key, spec, NULL);
	return json_integer(ns);
}

static bool add_item(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
		     const struct vllm_spec *item, json_t *list)
{
	json_t *value = vllm_value_read(reader, node, key, item);

	if (value == NULL)
		return false;
	json_array_append_new(list, value);
	return true;
}

/* One value for a whole list; choices may be joined by commas, as vLLM takes them. */
static bool add_scalar(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
		       const struct vllm_spec *item, json_t *list)
{
	auto_free char *text = pl_strdup(node->text);
	struct pl_yaml part = *node;
	bool taken = true;

	if (item->kind != VLLM_KIND_ENUM)
		return add_item(reader, node, key, item, list);
	for (char *rest = text; rest != NULL;) {
		part.text = strsep(&rest, ",");
		taken &= add_item(reader, &part, key, item, list);
	}
	return taken;
}

static json_t *value_list(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct vllm_spec *spec)
{
	struct vllm_spec item = *spec;
	auto_json json_t *list = json_array();
	bool taken = true;

	item.kind = spec->items;
	item.nullable = false;
	item.not_empty = false;
	item.special_values = NULL;
	if (spec->item_accepts != NULL)
		item.also_accepts = spec->item_accepts;
	if (node->kind == PL_YAML_MAP || pl_yaml_is_null(node) ||
	    (spec->not_empty && node->kind == PL_YAML_LIST && node->count == 0))
		return vllm_value_refuse(reader, node, key, spec,
					 node->kind == PL_YAML_LIST ? "an empty list" : NULL);
	if (node->kind == PL_YAML_SCALAR)
		taken = add_scalar(reader, node, key, &item, list);
	for (size_t i = 0; i < node->count; i++) {
		auto_free char *item_key = pl_asprintf("%s[%zu]", key, i);
		taken &= add_item(reader, node->items[i], item_key, &item, list);
	}
	return taken ? pl_take(list) : NULL;
}

static json_t *value_special(const struct pl_yaml *node, const struct vllm_spec *spec)
{
	auto_json json_t *list = spec->special_values != NULL
					 ? json_loads(spec->special_values, 0, NULL)
					 : NULL;
	json_t *special = find_choice(list, node, true);
	double number;

	/* a quoted number is a text, and an empty plain scalar is null */
	if (special == NULL || pl_yaml_is_null(node) ||
	    (json_is_integer(special) && !pl_yaml_to_f64(node, &number)))
		return NULL;
	return json_incref(special);
}

json_t *vllm_value_read(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			const struct vllm_spec *spec)
{
	typedef json_t *value_fn(struct vllm_reader *, const struct pl_yaml *, const char *,
				 const struct vllm_spec *);
	static value_fn *const by_kind[] = {
		[VLLM_KIND_BOOL] = value_bool,          [VLLM_KIND_INT] = value_int,
		[VLLM_KIND_HUMAN_INT] = value_int,      [VLLM_KIND_FLOAT] = value_float,
		[VLLM_KIND_TEXT] = value_text,          [VLLM_KIND_ENUM] = value_text,
		[VLLM_KIND_OBJECT] = vllm_value_object, [VLLM_KIND_LIST] = value_list,
		[VLLM_KIND_DURATION] = value_duration,
	};
	int64_t number;

	if (spec->kind == VLLM_KIND_ANY)
		return vllm_value_any(reader, node, key);
	if (spec->nullable && pl_yaml_is_null(node))
		return json_null();
	json_t *special = value_special(node, spec);
	if (special != NULL)
		return special;
	if (accepts(spec, "int") && pl_yaml_to_i64(node, &number))
		return json_integer(number);
	if (accepts(spec, "string") && reads_as_text(node, spec))
		return json_string(node->text);
	if (spec->choices != NULL && spec->kind != VLLM_KIND_LIST)
		return value_choice(reader, node, key, spec);
	return by_kind[spec->kind](reader, node, key, spec);
}

struct vllm_spec vllm_spec_of_arg(const struct vllm_arg *arg)
{
	static const struct {
		enum vllm_kind kind;
		enum vllm_kind items;
	} kinds[] = {
		[VLLM_ARG_BOOL] = { VLLM_KIND_BOOL, 0 },
		[VLLM_ARG_INT] = { VLLM_KIND_INT, 0 },
		[VLLM_ARG_FLOAT] = { VLLM_KIND_FLOAT, 0 },
		[VLLM_ARG_STRING] = { VLLM_KIND_TEXT, 0 },
		[VLLM_ARG_ENUM] = { VLLM_KIND_ENUM, 0 },
		[VLLM_ARG_JSON] = { VLLM_KIND_OBJECT, 0 },
		[VLLM_ARG_HUMAN_INT] = { VLLM_KIND_HUMAN_INT, 0 },
		[VLLM_ARG_LIST_INT] = { VLLM_KIND_LIST, VLLM_KIND_INT },
		[VLLM_ARG_LIST_STRING] = { VLLM_KIND_LIST, VLLM_KIND_TEXT },
		[VLLM_ARG_LIST_ENUM] = { VLLM_KIND_LIST, VLLM_KIND_ENUM },
	};

	return (struct vllm_spec){
		.kind = kinds[arg->type].kind,
		.items = kinds[arg->type].items,
		.nullable = arg->nullable,
		.choices_open = vllm_arg_choices_open(arg),
		.any_case = arg->any_case,
		.hidden = vllm_arg_is_secret(arg),
		.not_empty = arg->style == VLLM_STYLE_LIST &&
			     !pl_text_equal(arg->default_json, "[]"),
		.min = arg->min,
		.max = arg->max,
		.exclusive = arg->exclusive,
		.choices = arg->choices,
		.older_choices = arg->older_choices,
		.special_values = arg->special_values,
		.also_accepts = arg->also_accepts,
		.item_accepts = arg->item_accepts,
		.arg = arg->name,
		.path = "",
	};
}

struct vllm_spec vllm_spec_of_field(const struct vllm_field *field)
{
	static const enum vllm_kind kinds[] = {
		[VLLM_FIELD_BOOL] = VLLM_KIND_BOOL,   [VLLM_FIELD_INT] = VLLM_KIND_INT,
		[VLLM_FIELD_FLOAT] = VLLM_KIND_FLOAT, [VLLM_FIELD_STRING] = VLLM_KIND_TEXT,
		[VLLM_FIELD_ENUM] = VLLM_KIND_ENUM,   [VLLM_FIELD_LIST] = VLLM_KIND_LIST,
		[VLLM_FIELD_JSON] = VLLM_KIND_OBJECT, [VLLM_FIELD_ANY] = VLLM_KIND_ANY,
	};

	return (struct vllm_spec){
		.kind = kinds[field->type],
		.items = kinds[field->items],
		.nullable = field->nullable,
		.choices_open = field->choices_open,
		.any_case = field->any_case,
		.lenient = true,
		.min = field->min,
		.max = field->max,
		.exclusive = field->exclusive,
		.choices = field->choices,
		.also_accepts = field->also_accepts,
		.arg = field->arg,
		.path = field->path,
	};
}
