#include "model/expr_eval.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const struct md_value null_value = { .kind = MD_VALUE_NULL };

static struct md_value bool_value(bool yes)
{
	return (struct md_value){ .kind = MD_VALUE_BOOL, .number = yes };
}

static struct md_value value_of_truth(enum md_truth truth)
{
	return truth == MD_UNKNOWN ? null_value : bool_value(truth == MD_TRUE);
}

static enum md_truth truth_of_bool(bool yes)
{
	return yes ? MD_TRUE : MD_FALSE;
}

static enum md_truth truth_not(enum md_truth truth)
{
	return truth == MD_UNKNOWN ? MD_UNKNOWN : truth_of_bool(truth == MD_FALSE);
}

struct md_value md_value_of_json(const json_t *json)
{
	if (json == NULL)
		return null_value;
	switch (json_typeof(json)) {
	case JSON_TRUE:
	case JSON_FALSE:
		return bool_value(json_is_true(json));
	case JSON_INTEGER:
	case JSON_REAL:
		return (struct md_value){ .kind = MD_VALUE_NUMBER,
					  .number = json_number_value(json) };
	case JSON_STRING:
		return (struct md_value){ .kind = MD_VALUE_TEXT, .text = json_string_value(json) };
	case JSON_ARRAY:
		return (struct md_value){ .kind = MD_VALUE_LIST, .json = json };
	case JSON_OBJECT:
		return (struct md_value){ .kind = MD_VALUE_OBJECT, .json = json };
	default:
		return null_value;
	}
}

static bool is_number(struct md_value value)
{
	return value.kind == MD_VALUE_NUMBER || value.kind == MD_VALUE_BOOL;
}

static struct md_value value_of_literal(const struct md_expr *literal)
{
	switch (literal->op) {
	case MD_EXPR_BOOL:
		return bool_value(literal->number != 0);
	case MD_EXPR_NUMBER:
		return (struct md_value){ .kind = MD_VALUE_NUMBER, .number = literal->number };
	case MD_EXPR_TEXT:
		return (struct md_value){ .kind = MD_VALUE_TEXT, .text = literal->text };
	case MD_EXPR_LIST:
		return (struct md_value){ .kind = MD_VALUE_LIST, .list = literal };
	default:
		return null_value;
	}
}

/* Walks a list of either origin: start with *at NULL and *i 0. False behind the last item. */
static bool list_next(struct md_value list, const struct md_expr **at, size_t *i,
		      struct md_value *ret)
{
	if (list.json != NULL) {
		if (*i >= json_array_size(list.json))
			return false;
		*ret = md_value_of_json(json_array_get(list.json, *i));
	} else {
		*at = *i == 0 ? list.list->first : (*at)->next;
		if (*at == NULL)
			return false;
		*ret = value_of_literal(*at);
	}
	(*i)++;
	return true;
}

static enum md_truth equal(struct md_value a, struct md_value b);

static enum md_truth equal_lists(struct md_value a, struct md_value b)
{
	const struct md_expr *at_a = NULL;
	const struct md_expr *at_b = NULL;
	size_t i = 0;
	size_t k = 0;
	enum md_truth truth = MD_TRUE;
	struct md_value x;
	struct md_value y;

	for (;;) {
		bool more = list_next(a, &at_a, &i, &x);
		if (more != list_next(b, &at_b, &k, &y))
			return MD_FALSE;
		if (!more)
			return truth;
		enum md_truth one = equal(x, y);
		if (one != MD_TRUE)
			truth = truth == MD_FALSE ? MD_FALSE : one;
	}
}

static enum md_truth equal(struct md_value a, struct md_value b)
{
	if (a.kind == MD_VALUE_NULL || b.kind == MD_VALUE_NULL)
		return MD_UNKNOWN;
	if (is_number(a) && is_number(b))
		return truth_of_bool(a.number == b.number);
	if (a.kind != b.kind)
		return MD_FALSE;
	if (a.kind == MD_VALUE_TEXT)
		return truth_of_bool(strcmp(a.text, b.text) == 0);
	if (a.kind == MD_VALUE_LIST)
		return equal_lists(a, b);
	return truth_of_bool(json_equal(a.json, b.json));
}

static enum md_truth order(enum md_expr_op op, struct md_value a, struct md_value b)
{
	double sign;

	if (is_number(a) && is_number(b))
		sign = (a.number > b.number) - (a.number < b.number);
	else if (a.kind == MD_VALUE_TEXT && b.kind == MD_VALUE_TEXT)
		sign = strcmp(a.text, b.text);
	else
		return MD_UNKNOWN;
	switch (op) {
	case MD_EXPR_LT:
		return truth_of_bool(sign < 0);
	case MD_EXPR_LE:
		return truth_of_bool(sign <= 0);
	case MD_EXPR_GT:
		return truth_of_bool(sign > 0);
	default:
		return truth_of_bool(sign >= 0);
	}
}

static enum md_truth contains(struct md_value list, struct md_value item)
{
	const struct md_expr *at = NULL;
	size_t i = 0;
	struct md_value other;
	enum md_truth truth = MD_FALSE;

	if (list.kind != MD_VALUE_LIST || item.kind == MD_VALUE_NULL)
		return MD_UNKNOWN;
	while (truth != MD_TRUE && list_next(list, &at, &i, &other)) {
		enum md_truth one = equal(item, other);
		truth = one == MD_FALSE ? truth : one;
	}
	return truth;
}

static double modulo(double a, double b)
{
	double rest = fmod(a, b);

	return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static struct md_value arithmetic(enum md_expr_op op, struct md_value a, struct md_value b)
{
	double number = NAN;

	if (!is_number(a) || !is_number(b))
		return null_value;
	if (op == MD_EXPR_ADD)
		number = a.number + b.number;
	else if (op == MD_EXPR_SUBTRACT)
		number = a.number - b.number;
	else if (op == MD_EXPR_MULTIPLY)
		number = a.number * b.number;
	else if (b.number != 0)
		number = op == MD_EXPR_DIVIDE ? a.number / b.number : modulo(a.number, b.number);
	return isfinite(number) ? (struct md_value){ .kind = MD_VALUE_NUMBER, .number = number }
				: null_value;
}

static struct md_value name_value(const struct md_expr *name, const struct md_expr_scope *scope)
{
	if (name->op == MD_EXPR_ENV)
		return scope->env(scope->user, name->text);
	return scope->value(scope->user, name->text, name->key);
}

static struct md_value pair_value(const struct md_expr *expr, const struct md_expr_scope *scope)
{
	struct md_value a = md_expr_value(expr->first, scope);
	struct md_value b = md_expr_value(expr->first->next, scope);

	switch (expr->op) {
	case MD_EXPR_EQ:
		return value_of_truth(equal(a, b));
	case MD_EXPR_NE:
		return value_of_truth(truth_not(equal(a, b)));
	case MD_EXPR_LT:
	case MD_EXPR_LE:
	case MD_EXPR_GT:
	case MD_EXPR_GE:
		return value_of_truth(order(expr->op, a, b));
	case MD_EXPR_IN:
		return value_of_truth(contains(b, a));
	case MD_EXPR_NOT_IN:
		return value_of_truth(truth_not(contains(b, a)));
	case MD_EXPR_STARTS_WITH:
		return a.kind == MD_VALUE_TEXT && b.kind == MD_VALUE_TEXT
			       ? bool_value(pl_text_starts(a.text, b.text))
			       : null_value;
	default:
		return arithmetic(expr->op, a, b);
	}
}

/* `or` looks for a true operand, `and` for a false one; without it any unknown is the answer. */
static enum md_truth words_truth(const struct md_expr *expr, const struct md_expr_scope *scope,
				 enum md_truth wanted)
{
	enum md_truth truth = truth_not(wanted);

	for (const struct md_expr *at = expr->first; at != NULL; at = at->next) {
		enum md_truth one = md_expr_truth(at, scope);
		if (one == wanted)
			return wanted;
		if (one == MD_UNKNOWN)
			truth = MD_UNKNOWN;
	}
	return truth;
}

static bool any_set(const struct md_expr *expr, const struct md_expr_scope *scope)
{
	for (const struct md_expr *at = expr->first; at != NULL; at = at->next) {
		if (scope->is_set(scope->user, at->text, at->key))
			return true;
	}
	return false;
}

struct md_value md_expr_value(const struct md_expr *expr, const struct md_expr_scope *scope)
{
	switch (expr->op) {
	case MD_EXPR_NULL:
	case MD_EXPR_BOOL:
	case MD_EXPR_NUMBER:
	case MD_EXPR_TEXT:
	case MD_EXPR_LIST:
		return value_of_literal(expr);
	case MD_EXPR_ARG:
	case MD_EXPR_SUB:
	case MD_EXPR_ENV:
		return name_value(expr, scope);
	case MD_EXPR_OR:
		return value_of_truth(words_truth(expr, scope, MD_TRUE));
	case MD_EXPR_AND:
		return value_of_truth(words_truth(expr, scope, MD_FALSE));
	case MD_EXPR_NOT:
		return value_of_truth(truth_not(md_expr_truth(expr->first, scope)));
	case MD_EXPR_IS_SET:
	case MD_EXPR_ANY_SET:
		return bool_value(any_set(expr, scope));
	default:
		return pair_value(expr, scope);
	}
}

enum md_truth md_expr_truth(const struct md_expr *expr, const struct md_expr_scope *scope)
{
	struct md_value value = md_expr_value(expr, scope);

	switch (value.kind) {
	case MD_VALUE_NULL:
		return MD_UNKNOWN;
	case MD_VALUE_BOOL:
	case MD_VALUE_NUMBER:
		return truth_of_bool(value.number != 0);
	case MD_VALUE_TEXT:
		return truth_of_bool(value.text[0] != '\0');
	case MD_VALUE_LIST:
		return truth_of_bool(value.json != NULL ? json_array_size(value.json) > 0
							: value.list->first != NULL);
	default:
		return truth_of_bool(json_object_size(value.json) > 0);
	}
}
