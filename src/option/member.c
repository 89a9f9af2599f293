/*
 * A typed value in a struct's member, located by the row's offset. Unset values are NULL, -1 (of
 * three), OPTION_NO_I64 or NAN, and null in JSON.
 */
#include "option/member.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

/* Rows are macros, in which durations and objects are texts: a comma within braces would part
 * the arguments. */
json_t *option_member_default(const struct option_row *row)
{
	auto_json json_t *value = pl_json_of_text(row->default_json);
	int64_t ns;

	if (!json_is_string(value))
		return pl_take(value);
	if (row->type == OPTION_DURATION && pl_text_to_duration_ns(json_string_value(value), &ns))
		return json_integer(ns);
	if (row->type == OPTION_JSON)
		return json_loads(json_string_value(value), 0, NULL);
	return pl_take(value);
}

/* "inf" is a text, as JSON has no number for it. */
static double to_f64(const json_t *value)
{
	double number = NAN;

	if (json_is_string(value))
		(void)pl_text_to_f64(json_string_value(value), &number);
	else if (json_is_number(value))
		number = json_number_value(value);
	return number;
}

static void *member(const void *object, const struct option_row *row)
{
	return (char *)object + row->offset;
}

void option_member_set(void *object, const struct option_row *row, const json_t *value)
{
	void *into = member(object, row);
	json_t *copy;

	switch (row->type) {
	case OPTION_BOOL:
		*(bool *)into = json_is_true(value);
		break;
	case OPTION_TRI:
		*(int *)into = json_is_null(value) ? -1 : json_is_true(value);
		break;
	case OPTION_INT:
	case OPTION_DURATION:
		*(int64_t *)into = json_is_integer(value) ? json_integer_value(value)
							  : OPTION_NO_I64;
		break;
	case OPTION_FLOAT:
		*(double *)into = to_f64(value);
		break;
	case OPTION_STRING:
		free(*(char **)into);
		*(char **)into = pl_strdup(json_string_value(value));
		break;
	default:
		copy = json_is_null(value) ? NULL : json_deep_copy(value);
		json_decref(*(json_t **)into);
		*(json_t **)into = copy;
	}
}

static json_t *f64_to_json(double value)
{
	if (isinf(value))
		return json_string(value > 0 ? "inf" : "-inf");
	return pl_json_number(value);
}

json_t *option_member_get(const void *object, const struct option_row *row)
{
	const void *from = member(object, row);
	const json_t *json;

	switch (row->type) {
	case OPTION_BOOL:
		return json_boolean(*(const bool *)from);
	case OPTION_TRI:
		return *(const int *)from < 0 ? json_null() : json_boolean(*(const int *)from);
	case OPTION_INT:
		if (*(const int64_t *)from == OPTION_NO_I64)
			return json_null();
		return json_integer(*(const int64_t *)from);
	case OPTION_DURATION:
		return option_duration_to_json(*(const int64_t *)from);
	case OPTION_FLOAT:
		return f64_to_json(*(const double *)from);
	case OPTION_STRING:
		return pl_json_text(*(char *const *)from);
	default:
		json = *(json_t *const *)from;
		return pl_json_or_null(json_deep_copy(json));
	}
}

void option_member_done(void *object, const struct option_row *row)
{
	void *from = member(object, row);

	if (row->type == OPTION_STRING)
		free(*(char **)from);
	else if (row->type == OPTION_JSON || row->type == OPTION_LIST)
		json_decref(*(json_t **)from);
}
