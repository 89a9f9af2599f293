/* Rules about a value itself: its type, magnitude, length and form. */

#include "base/text.h"
#include "schema/schema_priv.h"
#include "schema/value.h"

const char *const schema_types[SCHEMA_TYPES] = { "null",   "boolean", "integer", "number",
						 "string", "array",   "object" };

unsigned schema_type_of(const json_t *json)
{
	switch (json_typeof(json)) {
	case JSON_NULL:
		return SCHEMA_TYPE_NULL;
	case JSON_TRUE:
	case JSON_FALSE:
		return SCHEMA_TYPE_BOOLEAN;
	case JSON_INTEGER:
	case JSON_REAL:
		return SCHEMA_TYPE_NUMBER | (schema_value_is_whole(json) ? SCHEMA_TYPE_INTEGER : 0);
	case JSON_STRING:
		return SCHEMA_TYPE_STRING;
	case JSON_ARRAY:
		return SCHEMA_TYPE_ARRAY;
	case JSON_OBJECT:
		return SCHEMA_TYPE_OBJECT;
	}
	return 0;
}

static bool fits_const(const struct schema_rule *rule, const json_t *value)
{
	return schema_value_same(rule->value, value);
}

static bool fits_enum(const struct schema_rule *rule, const json_t *value)
{
	PL_JSON_EACH(choice, rule->value) {
		if (schema_value_same(choice, value))
			return true;
	}
	return false;
}

static bool fits_minimum(const struct schema_rule *rule, const json_t *value)
{
	return schema_value_compare(value, rule->value) >= 0;
}

static bool fits_exclusive_minimum(const struct schema_rule *rule, const json_t *value)
{
	return schema_value_compare(value, rule->value) > 0;
}

static bool fits_maximum(const struct schema_rule *rule, const json_t *value)
{
	return schema_value_compare(value, rule->value) <= 0;
}

static bool fits_exclusive_maximum(const struct schema_rule *rule, const json_t *value)
{
	return schema_value_compare(value, rule->value) < 0;
}

static bool fits_multiple_of(const struct schema_rule *rule, const json_t *value)
{
	return schema_value_is_multiple(value, rule->value);
}

static size_t characters(const json_t *value)
{
	return pl_text_columns(json_string_value(value), json_string_length(value));
}

static bool fits_min_length(const struct schema_rule *rule, const json_t *value)
{
	return characters(value) >= rule->count;
}

static bool fits_max_length(const struct schema_rule *rule, const json_t *value)
{
	return characters(value) <= rule->count;
}

static bool fits_pattern(const struct schema_rule *rule, const json_t *value)
{
	return schema_pattern_matches(rule->patterns[0], json_string_value(value),
				      json_string_length(value));
}

static bool fits_min_items(const struct schema_rule *rule, const json_t *value)
{
	return json_array_size(value) >= rule->count;
}

static bool fits_max_items(const struct schema_rule *rule, const json_t *value)
{
	return json_array_size(value) <= rule->count;
}

static bool fits_min_properties(const struct schema_rule *rule, const json_t *value)
{
	return json_object_size(value) >= rule->count;
}

static bool fits_max_properties(const struct schema_rule *rule, const json_t *value)
{
	return json_object_size(value) <= rule->count;
}

#define NUMBER SCHEMA_TYPE_NUMBER
#define TEXT   SCHEMA_TYPE_STRING
#define ARRAY  SCHEMA_TYPE_ARRAY
#define OBJECT SCHEMA_TYPE_OBJECT
#define EVERY  (~0u)

static const struct {
	unsigned types; /* of values that it is about */
	bool (*fits)(const struct schema_rule *, const json_t *);
} rules[SCHEMA_KEYWORD_COUNT] = {
	[SCHEMA_CONST] = { EVERY, fits_const },
	[SCHEMA_ENUM] = { EVERY, fits_enum },
	[SCHEMA_MINIMUM] = { NUMBER, fits_minimum },
	[SCHEMA_EXCLUSIVE_MINIMUM] = { NUMBER, fits_exclusive_minimum },
	[SCHEMA_MAXIMUM] = { NUMBER, fits_maximum },
	[SCHEMA_EXCLUSIVE_MAXIMUM] = { NUMBER, fits_exclusive_maximum },
	[SCHEMA_MULTIPLE_OF] = { NUMBER, fits_multiple_of },
	[SCHEMA_MIN_LENGTH] = { TEXT, fits_min_length },
	[SCHEMA_MAX_LENGTH] = { TEXT, fits_max_length },
	[SCHEMA_PATTERN] = { TEXT, fits_pattern },
	[SCHEMA_MIN_ITEMS] = { ARRAY, fits_min_items },
	[SCHEMA_MAX_ITEMS] = { ARRAY, fits_max_items },
	[SCHEMA_MIN_PROPERTIES] = { OBJECT, fits_min_properties },
	[SCHEMA_MAX_PROPERTIES] = { OBJECT, fits_max_properties },
};

bool schema_breaks(const struct schema_rule *rule, const json_t *value, unsigned types)
{
	if (rule->keyword == SCHEMA_TYPE)
		return (rule->types & types) == 0;
	return (rules[rule->keyword].types & types) && !rules[rule->keyword].fits(rule, value);
}
