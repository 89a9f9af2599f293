/*
 * What an expression says about given values.
 *
 * - Three-valued: a null operand makes arithmetic, comparison, `in` and starts_with() unknown, and
 *   so do / and % by zero and operands of a kind that the operation does not take. and, or and not
 *   are Kleene's. Values that are not true or false count as Python counts them: 0, "" and empty
 *   lists are false.
 * - Numbers are doubles, exact for whole numbers to 2^53; true and false count as 1 and 0. % has
 *   the sign of the divisor. Values of different kinds are not equal.
 * - is_set() and any_set() ask for what the user gave, never for defaults, and are never unknown.
 */
#ifndef MODEL_EXPR_EVAL_H
#define MODEL_EXPR_EVAL_H

#include "model/expr.h"

#include <stdbool.h>

enum md_truth { MD_FALSE, MD_TRUE, MD_UNKNOWN };

enum md_value_kind {
	MD_VALUE_NULL,
	MD_VALUE_BOOL,
	MD_VALUE_NUMBER,
	MD_VALUE_TEXT,
	MD_VALUE_LIST,
	MD_VALUE_OBJECT,
};

/* Borrows from the tree or from the JSON that it came from. */
struct md_value {
	enum md_value_kind kind;
	double number; /* NUMBER, BOOL */
	const char *text;
	const struct md_expr *list; /* LIST written in the expression */
	const json_t *json;         /* LIST or OBJECT from elsewhere */
};

struct md_value md_value_of_json(const json_t *json); /* NULL gives null */

/* Where names are looked up; any function may find nothing, which is null. */
struct md_expr_scope {
	/* The user's value, or the default; key NULL: the argument itself. */
	struct md_value (*value)(void *user, const char *arg, const char *key);
	/* Did the user give it, and not null? */
	bool (*is_set)(void *user, const char *arg, const char *key);
	struct md_value (*env)(void *user, const char *name);
	void *user;
};

enum md_truth md_expr_truth(const struct md_expr *expr, const struct md_expr_scope *scope);
struct md_value md_expr_value(const struct md_expr *expr, const struct md_expr_scope *scope);

#endif
