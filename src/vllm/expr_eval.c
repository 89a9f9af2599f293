/*
 * Kleene's three-valued logic. An unknown value is null; a comparison with it is unknown; `and` and
 * `or` are known only if the known operands decide. Values are compared and tested as in Python,
 * because the rules are vLLM's checks, which are Python.
 */
#include "vllm/expr_eval.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const struct vllm_value null_value = { .kind = VLLM_VALUE_NULL };

static struct vllm_value bool_value(bool yes)
{
	return (struct vllm_value){ .kind = VLLM_VALUE_BOOL, .number = yes };
}

static struct vllm_value value_of_truth(enum vllm_truth truth)
{
	return truth == VLLM_UNKNOWN ? null_value : bool_value(truth == VLLM_TRUE);
}

static enum vllm_truth truth_of_bool(bool yes)
{
	return yes ? VLLM_TRUE : VLLM_FALSE;
}

static enum vllm_truth truth_not(enum vllm_truth truth)
{
	return truth == VLLM_UNKNOWN ? VLLM_UNKNOWN : truth_of_bool(truth == VLLM_FALSE);
}

struct vllm_value vllm_value_of_json(const json_t *json)
{
	if (json == NULL)
		return null_value;
	switch (json_typeof(json)) {
	case JSON_TRUE:
	case JSON_FALSE:
		return bool_value(json_is_true(json));
	case JSON_INTEGER:
	case JSON_REAL:
		return (struct vllm_value){ .kind = VLLM_VALUE_NUMBER,
					    .number = json_number_value(json) };
	case JSON_STRING:
		return (struct vllm_value){ .kind = VLLM_VALUE_TEXT,
					    .text = json_string_value(json) };
	case JSON_ARRAY:
		return (struct vllm_value){ .kind = VLLM_VALUE_LIST, .json = json };
	case JSON_OBJECT:
		return (struct vllm_value){ .kind = VLLM_VALUE_OBJECT, .json = json };
	default:
		return null_value;
	}
}

/* Python's bool is an int: True == 1. */
static bool is_number(struct vllm_value value)
{
	return value.kind == VLLM_VALUE_NUMBER || value.kind == VLLM_VALUE_BOOL;
}

static struct vllm_value value_of_literal(const struct vllm_expr *literal)
{
	switch (literal->op) {
	case VLLM_EXPR_BOOL:
		return bool_value(literal->number != 0);
	case VLLM_EXPR_NUMBER:
		return (struct vllm_value){ .kind = VLLM_VALUE_NUMBER, .number = literal->number };
	case VLLM_EXPR_TEXT:
		return (struct vllm_value){ .kind = VLLM_VALUE_TEXT, .text = literal->text };
	case VLLM_EXPR_LIST:
		return (struct vllm_value){ .kind = VLLM_VALUE_LIST, .list = literal };
	default:
		return null_value;
	}
}

/*
 * Walks a list of either source: start with *at NULL and *i 0. Returns false after the last item.
 */
static bool list_next(struct vllm_value list, const struct vllm_expr **at, size_t *i,
		      struct vllm_value *ret)
{
	if (list.json != NULL) {
		if (*i >= json_array_size(list.json))
			return false;
		*ret = vllm_value_of_json(json_array_get(list.json, *i));
	} else {
		*at = *i == 0 ? list.list->first : (*at)->next;
		if (*at == NULL)
			return false;
		*ret = value_of_literal(*at);
	}
	(*i)++;
	return true;
}

static enum vllm_truth equal(struct vllm_value a, struct vllm_value b);

static enum vllm_truth equal_lists(struct vllm_value a, struct vllm_value b)
{
	const struct vllm_expr *at_a = NULL;
	const struct vllm_expr *at_b = NULL;
	size_t i = 0;
	size_t k = 0;
	enum vllm_truth truth = VLLM_TRUE;
	struct vllm_value x;
	struct vllm_value y;

	for (;;) {
		bool more = list_next(a, &at_a, &i, &x);
		if (more != list_next(b, &at_b, &k, &y))
			return VLLM_FALSE;
		if (!more)
			return truth;
		enum vllm_truth one = equal(x, y);
		if (one != VLLM_TRUE)
			truth = truth == VLLM_FALSE ? VLLM_FALSE : one;
	}
}

/* null == null is also unknown: two unknown values need not be equal. is_set() tests for null. */
static enum vllm_truth equal(struct vllm_value a, struct vllm_value b)
{
	if (a.kind == VLLM_VALUE_NULL || b.kind == VLLM_VALUE_NULL)
		return VLLM_UNKNOWN;
	if (is_number(a) && is_number(b))
		return truth_of_bool(a.number == b.number);
	if (a.kind != b.kind)
		return VLLM_FALSE;
	if (a.kind == VLLM_VALUE_TEXT)
		return truth_of_bool(strcmp(a.text, b.text) == 0);
	if (a.kind == VLLM_VALUE_LIST)
		return equal_lists(a, b);
	return truth_of_bool(json_equal(a.json, b.json));
}

/* Texts by their bytes, which for ASCII is Python's order. */
static enum vllm_truth order(enum vllm_expr_op op, struct vllm_value a, struct vllm_value b)
{
	double sign;

	if (is_number(a) && is_number(b))
		sign = (a.number > b.number) - (a.number < b.number);
	else if (a.kind == VLLM_VALUE_TEXT && b.kind == VLLM_VALUE_TEXT)
		sign = strcmp(a.text, b.text);
	else
		return VLLM_UNKNOWN;
	switch (op) {
	case VLLM_EXPR_LT:
		return truth_of_bool(sign < 0);
	case VLLM_EXPR_LE:
		return truth_of_bool(sign <= 0);
	case VLLM_EXPR_GT:
		return truth_of_bool(sign > 0);
	default:
		return truth_of_bool(sign >= 0);
	}
}

/* An unknown item makes the result unknown, unless a later one matches. */
static enum vllm_truth contains(struct vllm_value list, struct vllm_value item)
{
	const struct vllm_expr *at = NULL;
	size_t i = 0;
	struct vllm_value other;
	enum vllm_truth truth = VLLM_FALSE;

	if (list.kind != VLLM_VALUE_LIST || item.kind == VLLM_VALUE_NULL)
		return VLLM_UNKNOWN;
	while (truth != VLLM_TRUE && list_next(list, &at, &i, &other)) {
		enum vllm_truth one = equal(item, other);
		truth = one == VLLM_FALSE ? truth : one;
	}
	return truth;
}

/* Python's: the sign is the divisor's, that of fmod() the dividend's. */
static double modulo(double a, double b)
{
	double rest = fmod(a, b);

	return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* If Python would raise an exception (a division by zero) or overflow, the result is unknown. */
static struct vllm_value arithmetic(enum vllm_expr_op op, struct vllm_value a, struct vllm_value b)
{
	double number = NAN;

	if (!is_number(a) || !is_number(b))
		return null_value;
	if (op == VLLM_EXPR_ADD)
		number = a.number + b.number;
	else if (op == VLLM_EXPR_SUBTRACT)
		number = a.number - b.number;
	else if (op == VLLM_EXPR_MULTIPLY)
		number = a.number * b.number;
	else if (b.number != 0)
		number = op == VLLM_EXPR_DIVIDE ? a.number / b.number : modulo(a.number, b.number);
	return isfinite(number) ? (struct vllm_value){ .kind = VLLM_VALUE_NUMBER, .number = number }
				: null_value;
}

static struct vllm_value value_of(const struct vllm_expr *expr,
				  const struct vllm_expr_scope *scope);

static struct vllm_value pair_value(const struct vllm_expr *expr,
				    const struct vllm_expr_scope *scope)
{
	struct vllm_value a = value_of(expr->first, scope);
	struct vllm_value b = value_of(expr->first->next, scope);

	switch (expr->op) {
	case VLLM_EXPR_EQ:
		return value_of_truth(equal(a, b));
	case VLLM_EXPR_NE:
		return value_of_truth(truth_not(equal(a, b)));
	case VLLM_EXPR_LT:
	case VLLM_EXPR_LE:
	case VLLM_EXPR_GT:
	case VLLM_EXPR_GE:
		return value_of_truth(order(expr->op, a, b));
	case VLLM_EXPR_IN:
		return value_of_truth(contains(b, a));
	case VLLM_EXPR_NOT_IN:
		return value_of_truth(truth_not(contains(b, a)));
	case VLLM_EXPR_STARTS_WITH:
		return a.kind == VLLM_VALUE_TEXT && b.kind == VLLM_VALUE_TEXT
			       ? bool_value(pl_text_starts(a.text, b.text))
			       : null_value;
	default:
		return arithmetic(expr->op, a, b);
	}
}

/*
 * `or` looks for a true operand, `and` for a false one; without it, any unknown operand makes the
 * result unknown. Operands after the decisive one are not evaluated.
 */
static enum vllm_truth words_truth(const struct vllm_expr *expr,
				   const struct vllm_expr_scope *scope, enum vllm_truth wanted)
{
	enum vllm_truth truth = truth_not(wanted);

	for (const struct vllm_expr *at = expr->first; at != NULL; at = at->next) {
		enum vllm_truth one = vllm_expr_truth(at, scope);
		if (one == wanted)
			return wanted;
		if (one == VLLM_UNKNOWN)
			truth = VLLM_UNKNOWN;
	}
	return truth;
}

static bool any_set(const struct vllm_expr *expr, const struct vllm_expr_scope *scope)
{
	for (const struct vllm_expr *at = expr->first; at != NULL; at = at->next) {
		if (scope->is_set(scope->user, at->text, at->key))
			return true;
	}
	return false;
}

static struct vllm_value value_of(const struct vllm_expr *expr, const struct vllm_expr_scope *scope)
{
	switch (expr->op) {
	case VLLM_EXPR_NULL:
	case VLLM_EXPR_BOOL:
	case VLLM_EXPR_NUMBER:
	case VLLM_EXPR_TEXT:
	case VLLM_EXPR_LIST:
		return value_of_literal(expr);
	case VLLM_EXPR_ARG:
	case VLLM_EXPR_SUB:
	case VLLM_EXPR_ENV:
		if (expr->op == VLLM_EXPR_ENV)
			return scope->env(scope->user, expr->text);
		return scope->value(scope->user, expr->text, expr->key);
	case VLLM_EXPR_OR:
		return value_of_truth(words_truth(expr, scope, VLLM_TRUE));
	case VLLM_EXPR_AND:
		return value_of_truth(words_truth(expr, scope, VLLM_FALSE));
	case VLLM_EXPR_NOT:
		return value_of_truth(truth_not(vllm_expr_truth(expr->first, scope)));
	case VLLM_EXPR_IS_SET:
	case VLLM_EXPR_ANY_SET:
		return bool_value(any_set(expr, scope));
	default:
		return pair_value(expr, scope);
	}
}

/* As in Python's bool(): 0, "", [] and {} are false. */
enum vllm_truth vllm_expr_truth(const struct vllm_expr *expr, const struct vllm_expr_scope *scope)
{
	struct vllm_value value = value_of(expr, scope);

	switch (value.kind) {
	case VLLM_VALUE_NULL:
		return VLLM_UNKNOWN;
	case VLLM_VALUE_BOOL:
	case VLLM_VALUE_NUMBER:
		return truth_of_bool(value.number != 0);
	case VLLM_VALUE_TEXT:
		return truth_of_bool(value.text[0] != '\0');
	case VLLM_VALUE_LIST:
		return truth_of_bool(value.json != NULL ? json_array_size(value.json) > 0
							: value.list->first != NULL);
	default:
		return truth_of_bool(json_object_size(value.json) > 0);
	}
}
