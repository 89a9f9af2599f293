/*
 * The expressions of constraint rules: infix text to a tree.
 *
 *   expr  := or, and, not, == != < <= > >= in "not in", + - * / %, ( )   (binding as in Python)
 *   atom  := number | "text" | true | false | null | [literal, …] | name | name.key | env.name |
 *   call call  := is_set(name or name.key) | any_set(name or name.key, …) | starts_with(expr, expr)
 *
 * - Comparisons do not chain. A minus stands before numbers only.
 * - Texts are printable ASCII, with \" and \\ and no other escapes.
 * - Nodes and texts live in the arena that the parser was given, and are never changed.
 * - What an expression means: model/expr_eval.h.
 */
#ifndef MODEL_EXPR_H
#define MODEL_EXPR_H

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"

#define MD_EXPR_BYTES_MAX 4096
#define MD_EXPR_NODES_MAX 512
#define MD_EXPR_DEPTH_MAX 32 /* of brackets, calls and nots inside each other */

enum md_expr_op {
	MD_EXPR_NULL, /* literals */
	MD_EXPR_BOOL,
	MD_EXPR_NUMBER,
	MD_EXPR_TEXT,
	MD_EXPR_LIST,
	MD_EXPR_ARG, /* names */
	MD_EXPR_SUB,
	MD_EXPR_ENV,
	MD_EXPR_OR, /* two operands or more */
	MD_EXPR_AND,
	MD_EXPR_NOT,
	MD_EXPR_EQ,
	MD_EXPR_NE,
	MD_EXPR_LT,
	MD_EXPR_LE,
	MD_EXPR_GT,
	MD_EXPR_GE,
	MD_EXPR_IN,
	MD_EXPR_NOT_IN,
	MD_EXPR_ADD,
	MD_EXPR_SUBTRACT,
	MD_EXPR_MULTIPLY,
	MD_EXPR_DIVIDE,
	MD_EXPR_MODULO,
	MD_EXPR_IS_SET,
	MD_EXPR_ANY_SET,
	MD_EXPR_STARTS_WITH,
};

struct md_expr {
	enum md_expr_op op;
	const char *text;            /* TEXT, and the name of ARG, SUB, ENV */
	const char *key;             /* SUB */
	double number;               /* NUMBER, BOOL (0 or 1) */
	const struct md_expr *first; /* operands, items of a LIST */
	const struct md_expr *next;  /* the operand or item behind this one */
};

/* Errors say the column. */
int md_expr_parse(const char *text, struct pl_arena *arena, const struct md_expr **ret,
		  struct pl_err *err) PL_MUST_CHECK;

/* The tree as a prefix array: ["<=", ["arg", "a"], ["lit", 3]]. A new reference. */
json_t *md_expr_to_json(const struct md_expr *expr);

/* Calls `visit` for each ARG, SUB and ENV of the tree, in the order of the text. */
typedef void md_expr_visit_fn(void *user, const struct md_expr *name);
void md_expr_each_name(const struct md_expr *expr, md_expr_visit_fn *visit, void *user);

#endif
