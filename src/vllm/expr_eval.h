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
#pragma once

#include "vllm/expr.h"

#include <stdbool.h>

enum vllm_truth { VLLM_FALSE, VLLM_TRUE, VLLM_UNKNOWN };

enum vllm_value_kind {
	VLLM_VALUE_NULL,
	VLLM_VALUE_BOOL,
	VLLM_VALUE_NUMBER,
	VLLM_VALUE_TEXT,
	VLLM_VALUE_LIST,
	VLLM_VALUE_OBJECT,
};

/* Borrows from the tree or from the JSON that it came from. */
struct vllm_value {
	enum vllm_value_kind kind;
	double number; /* NUMBER, BOOL */
	const char *text;
	const struct vllm_expr *list; /* LIST written in the expression */
	const json_t *json;           /* LIST or OBJECT from elsewhere */
};

struct vllm_value vllm_value_of_json(const json_t *json); /* NULL gives null */

/* Where names are looked up; any function may find nothing, which is null. */
struct vllm_expr_scope {
	/* The user's value, or the default; key NULL: the argument itself. */
	struct vllm_value (*value)(void *user, const char *arg, const char *key);
	/* Did the user give it, and not null? */
	bool (*is_set)(void *user, const char *arg, const char *key);
	struct vllm_value (*env)(void *user, const char *name);
	void *user;
};

enum vllm_truth vllm_expr_truth(const struct vllm_expr *expr, const struct vllm_expr_scope *scope);
struct vllm_value vllm_expr_value(const struct vllm_expr *expr,
				  const struct vllm_expr_scope *scope);
