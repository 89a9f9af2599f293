/*
 * Evaluation of an expression for given values.
 *
 * - Three-valued: arithmetic, comparison, `in` and starts_with() are unknown if an operand is null
 *   or has an unsupported type, and so are / and % by zero. and, or and not are Kleene's. Values
 *   other than true and false count as in Python: 0, "" and empty lists are false.
 * - Numbers are doubles, exact for integers up to 2^53; true and false count as 1 and 0. % has the
 *   sign of the divisor. Values of different types are not equal.
 * - is_set() and any_set() consider what the user set, never defaults, and are never unknown.
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

/* Borrows from the tree or from its JSON. */
struct vllm_value {
	enum vllm_value_kind kind;
	double number; /* NUMBER, BOOL */
	const char *text;
	const struct vllm_expr *list; /* LIST written in the expression */
	const json_t *json;           /* LIST or OBJECT from JSON */
};

struct vllm_value vllm_value_of_json(const json_t *json); /* NULL gives null */

/* Lookup of names; any function may return null for an unknown name. */
struct vllm_expr_scope {
	/* Returns the user's value, or the default; key NULL: the argument itself. */
	struct vllm_value (*value)(void *user, const char *arg, const char *key);
	/* Returns whether the user set it to a value other than null. */
	bool (*is_set)(void *user, const char *arg, const char *key);
	struct vllm_value (*env)(void *user, const char *name);
	void *user;
};

enum vllm_truth vllm_expr_truth(const struct vllm_expr *expr, const struct vllm_expr_scope *scope);
