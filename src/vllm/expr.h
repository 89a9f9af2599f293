/*
 * The expressions of constraint rules: parses infix text into a tree.
 *
 *   expr  := or, and, not, == != < <= > >= in "not in", + - * / %, ( )   (precedence as in Python)
 *   atom  := number | "text" | true | false | null | [literal, …] | name | name.key | env.name | call
 *   call  := is_set(name or name.key) | any_set(name or name.key, …) | starts_with(expr, expr)
 *
 * - Comparisons do not chain. A minus may precede only numbers.
 * - Texts are printable ASCII, with \" and \\ and no other escapes.
 * - Nodes and texts are in the arena passed to the parser, and are immutable.
 * - Evaluation: vllm/expr_eval.h.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"

#define VLLM_EXPR_BYTES_MAX 4096
#define VLLM_EXPR_NODES_MAX 512
#define VLLM_EXPR_DEPTH_MAX 32 /* nested brackets, calls and nots */

enum vllm_expr_op {
	VLLM_EXPR_NULL, /* literals */
	VLLM_EXPR_BOOL,
	VLLM_EXPR_NUMBER,
	VLLM_EXPR_TEXT,
	VLLM_EXPR_LIST,
	VLLM_EXPR_ARG, /* names */
	VLLM_EXPR_SUB,
	VLLM_EXPR_ENV,
	VLLM_EXPR_OR, /* at least two operands */
	VLLM_EXPR_AND,
	VLLM_EXPR_NOT,
	VLLM_EXPR_EQ,
	VLLM_EXPR_NE,
	VLLM_EXPR_LT,
	VLLM_EXPR_LE,
	VLLM_EXPR_GT,
	VLLM_EXPR_GE,
	VLLM_EXPR_IN,
	VLLM_EXPR_NOT_IN,
	VLLM_EXPR_ADD,
	VLLM_EXPR_SUBTRACT,
	VLLM_EXPR_MULTIPLY,
	VLLM_EXPR_DIVIDE,
	VLLM_EXPR_MODULO,
	VLLM_EXPR_IS_SET,
	VLLM_EXPR_ANY_SET,
	VLLM_EXPR_STARTS_WITH,
};

struct vllm_expr {
	enum vllm_expr_op op;
	const char *text;              /* TEXT, and the name of ARG, SUB, ENV */
	const char *key;               /* SUB */
	double number;                 /* NUMBER, BOOL (0 or 1) */
	const struct vllm_expr *first; /* operands, items of a LIST */
	const struct vllm_expr *next;  /* the next operand or item */
};

/* Errors contain the column. */
int vllm_expr_parse(const char *text, struct pl_arena *arena, const struct vllm_expr **ret,
		    struct pl_err *err) PL_MUST_CHECK;

/* Returns the tree as a prefix array: ["<=", ["arg", "a"], ["lit", 3]]. New reference. */
json_t *vllm_expr_to_json(const struct vllm_expr *expr);

/* Calls `visit` for each ARG, SUB and ENV of the tree, in the order of the text. */
typedef void vllm_expr_visit_fn(void *user, const struct vllm_expr *name);
void vllm_expr_each_name(const struct vllm_expr *expr, vllm_expr_visit_fn *visit, void *user);
