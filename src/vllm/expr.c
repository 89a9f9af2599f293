/*
 * The expressions of the rules (src/tbl/constraints.h) as a tree:
 *
 *   or       and {"or" and}
 *   and      not {"and" not}
 *   not      "not" not | compare
 *   compare  sum [("==" | "!=" | "<=" | ">=" | "<" | ">" | "in" | "not" "in") sum]
 *   sum      product {("+" | "-") product}
 *   product  primary {("*" | "/" | "%") primary}
 *   primary  literal | name | name.key | env.fact | "(" or ")"
 *            | is_set(name) | any_set(name, …) | starts_with(or, or)
 *
 * Bytes, nodes and depth have limits: the text may be anybody's. Nodes are the arena's, so that a
 * fault only returns; the first one is in `err`.
 */
#include "vllm/expr.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* Every number is a double; up to here a whole one is exact. */
#define INTEGER_MAX 9007199254740992.0 /* 2^53 */

struct parser {
	const char *text;
	const char *at;
	struct pl_arena *arena;
	size_t nodes;
	int depth;
	struct pl_err *err;
};

/* Operands in the order that they were read. */
struct operands {
	struct vllm_expr *first;
	struct vllm_expr *last;
	size_t count;
};

static struct vllm_expr *parse_or(struct parser *parser);

/* Always NULL. */
static struct vllm_expr *fault(struct parser *parser, const char *what)
{
	pl_err_invalid(parser->err, "character %zu: %s", (size_t)(parser->at - parser->text) + 1,
		       what);
	return NULL;
}

/* The same, with the word at the fault. Always NULL. */
static struct vllm_expr *unexpected(struct parser *parser, const char *expected)
{
	int len = (int)strcspn(parser->at, " \t\n");

	if (*parser->at == '\0')
		pl_err_invalid(parser->err, "character %zu: found the end, expected %s",
			       (size_t)(parser->at - parser->text) + 1, expected);
	else
		pl_err_invalid(parser->err, "character %zu: found '%.*s', expected %s",
			       (size_t)(parser->at - parser->text) + 1, len, parser->at, expected);
	return NULL;
}

static struct vllm_expr *new_node(struct parser *parser, enum vllm_expr_op op)
{
	if (++parser->nodes > VLLM_EXPR_NODES_MAX)
		return fault(parser, "the expression is too long");
	struct vllm_expr *node = pl_arena_alloc(parser->arena, sizeof(*node));
	node->op = op;
	return node;
}

static void add_operand(struct operands *operands, struct vllm_expr *operand)
{
	if (operands->last == NULL)
		operands->first = operand;
	else
		operands->last->next = operand;
	operands->last = operand;
	operands->count++;
}

static struct vllm_expr *new_operation(struct parser *parser, enum vllm_expr_op op,
				       struct vllm_expr *left, struct vllm_expr *right)
{
	struct vllm_expr *node = right != NULL ? new_node(parser, op) : NULL;

	if (node == NULL)
		return NULL;
	left->next = right;
	node->first = left;
	return node;
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(parser->at, " \t\r\n");
}

static size_t word_length(const char *at)
{
	size_t len = 0;

	while (is_word_char(at[len]))
		len++;
	return len;
}

/* Takes the word or sign when it comes next. A word ends where no letter follows: "in" is not
 * taken from "index". */
static bool take(struct parser *parser, const char *token)
{
	size_t len = strlen(token);

	skip_blanks(parser);
	if (strncmp(parser->at, token, len) != 0 ||
	    (is_word_char(token[0]) && is_word_char(parser->at[len])))
		return false;
	parser->at += len;
	return true;
}

static bool enter(struct parser *parser)
{
	if (++parser->depth <= VLLM_EXPR_DEPTH_MAX)
		return true;
	fault(parser, "too many nested brackets");
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* digits[.digits][e[+-]digits] */
static struct vllm_expr *parse_number(struct parser *parser, double sign)
{
	const char *from = parser->at;
	const char *to = from;
	auto_free char *copy = NULL;
	struct vllm_expr *node = NULL;

	while (is_digit(*to))
		to++;
	if (to[0] == '.' && is_digit(to[1])) {
		for (to++; is_digit(*to);)
			to++;
	}
	if ((to[0] == 'e' || to[0] == 'E') && is_digit(to[1 + (to[1] == '+' || to[1] == '-')])) {
		for (to += 2; is_digit(*to);)
			to++;
	}
	if (to == from || is_word_char(*to) || *to == '.')
		return unexpected(parser, "a number");
	copy = pl_strndup(from, (size_t)(to - from));
	node = new_node(parser, VLLM_EXPR_NUMBER);
	if (node == NULL)
		return NULL;
	if (!pl_text_to_f64(copy, &node->number) || !isfinite(node->number))
		return fault(parser, "the number is too large");
	node->number *= sign;
	parser->at = to;
	return node;
}

static struct vllm_expr *parse_text(struct parser *parser)
{
	const char *from = parser->at + 1;
	const char *to = from;
	size_t len = 0;

	for (; *to != '"' && *to != '\0'; to++) {
		if (*to < ' ' || *to > '~')
			return fault(parser,
				     "the string has characters other than printable ASCII");
		if (*to == '\\' && to[1] != '"' && to[1] != '\\')
			return fault(parser, "the string has an escape other than \\\" and \\\\");
		to += *to == '\\';
	}
	if (*to == '\0')
		return fault(parser, "the string is not closed");
	struct vllm_expr *node = new_node(parser, VLLM_EXPR_TEXT);
	if (node == NULL)
		return NULL;
	char *text = pl_arena_strndup(parser->arena, from, (size_t)(to - from));
	for (; from < to; from++) {
		from += *from == '\\';
		text[len++] = *from;
	}
	text[len] = '\0';
	node->text = text;
	parser->at = to + 1;
	return node;
}

static struct vllm_expr *parse_literal(struct parser *parser);

static struct vllm_expr *parse_list(struct parser *parser)
{
	struct operands items = { 0 };
	struct vllm_expr *node = new_node(parser, VLLM_EXPR_LIST);

	if (node == NULL || !enter(parser))
		return NULL;
	take(parser, "[");
	if (!take(parser, "]")) {
		do {
			struct vllm_expr *item = parse_literal(parser);
			if (item == NULL)
				return NULL;
			add_operand(&items, item);
		} while (take(parser, ","));
		if (!take(parser, "]"))
			return unexpected(parser, "',' or ']'");
	}
	parser->depth--;
	node->first = items.first;
	return node;
}

/*
 * Returns NULL without an error if there is no literal. A minus is only part of a number: negate a
 * name with "0 - name".
 */
static struct vllm_expr *try_literal(struct parser *parser, bool *ret_found)
{
	bool yes = false;

	skip_blanks(parser);
	*ret_found = true;
	if (is_digit(*parser->at))
		return parse_number(parser, 1);
	if (parser->at[0] == '-' && is_digit(parser->at[1])) {
		parser->at++;
		return parse_number(parser, -1);
	}
	if (*parser->at == '"')
		return parse_text(parser);
	if (*parser->at == '[')
		return parse_list(parser);
	if ((yes = take(parser, "true")) || take(parser, "false")) {
		struct vllm_expr *node = new_node(parser, VLLM_EXPR_BOOL);
		if (node != NULL)
			node->number = yes;
		return node;
	}
	if (take(parser, "null"))
		return new_node(parser, VLLM_EXPR_NULL);
	*ret_found = false;
	return NULL;
}

static struct vllm_expr *parse_literal(struct parser *parser)
{
	bool found;
	struct vllm_expr *node = try_literal(parser, &found);

	return found ? node : unexpected(parser, "a number, string, list, true, false or null");
}

/* name, name.key or env.fact */
static struct vllm_expr *parse_name(struct parser *parser)
{
	static const char *const reserved[] = {
		"and",   "or",   "not",    "in",      "true",
		"false", "null", "is_set", "any_set", "starts_with"
	};
	skip_blanks(parser);
	size_t len = word_length(parser->at);
	struct vllm_expr *node = NULL;

	if (len == 0 || is_digit(*parser->at))
		return unexpected(parser, "a value");
	for (size_t i = 0; i < PL_ARRAY_SIZE(reserved); i++) {
		if (len == strlen(reserved[i]) && strncmp(parser->at, reserved[i], len) == 0)
			return unexpected(parser, "a value");
	}
	node = new_node(parser, VLLM_EXPR_ARG);
	if (node == NULL)
		return NULL;
	node->text = pl_arena_strndup(parser->arena, parser->at, len);
	parser->at += len;
	if (*parser->at != '.')
		return node;
	parser->at++;
	len = word_length(parser->at);
	if (len == 0 || parser->at[len] == '.')
		return fault(parser, "a name has at most one key");
	node->key = pl_arena_strndup(parser->arena, parser->at, len);
	parser->at += len;
	node->op = VLLM_EXPR_SUB;
	if (strcmp(node->text, "env") == 0) {
		node->op = VLLM_EXPR_ENV;
		node->text = pl_take(node->key);
	}
	return node;
}

/* Facts are known or not, never set. */
static struct vllm_expr *parse_set_name(struct parser *parser)
{
	struct vllm_expr *name = parse_name(parser);

	return name == NULL || name->op != VLLM_EXPR_ENV
		       ? name
		       : fault(parser, "a fact is never set; name an argument");
}

/*
 * is_set and any_set take names, not values: they test what the user set, which a value, possibly a
 * default, does not show.
 */
static struct vllm_expr *parse_call(struct parser *parser, enum vllm_expr_op op, size_t least,
				    size_t most)
{
	struct operands operands = { 0 };
	struct vllm_expr *node = new_node(parser, op);

	if (node == NULL || !enter(parser))
		return NULL;
	if (!take(parser, "("))
		return unexpected(parser, "'('");
	do {
		struct vllm_expr *operand = op == VLLM_EXPR_STARTS_WITH ? parse_or(parser)
									: parse_set_name(parser);
		if (operand == NULL)
			return NULL;
		add_operand(&operands, operand);
	} while (take(parser, ","));
	if (!take(parser, ")"))
		return unexpected(parser, "')'");
	if (operands.count < least || operands.count > most)
		return fault(parser, "the call has too many or too few values");
	parser->depth--;
	node->first = operands.first;
	return node;
}

static struct vllm_expr *parse_primary(struct parser *parser)
{
	bool found;
	struct vllm_expr *node = try_literal(parser, &found);

	if (found)
		return node;
	if (take(parser, "is_set"))
		return parse_call(parser, VLLM_EXPR_IS_SET, 1, 1);
	if (take(parser, "any_set"))
		return parse_call(parser, VLLM_EXPR_ANY_SET, 1, VLLM_EXPR_NODES_MAX);
	if (take(parser, "starts_with"))
		return parse_call(parser, VLLM_EXPR_STARTS_WITH, 2, 2);
	if (!take(parser, "("))
		return parse_name(parser);
	if (!enter(parser))
		return NULL;
	node = parse_or(parser);
	if (node != NULL && !take(parser, ")"))
		return unexpected(parser, "')'");
	parser->depth--;
	return node;
}

static struct vllm_expr *parse_product(struct parser *parser)
{
	struct vllm_expr *left = parse_primary(parser);

	while (left != NULL) {
		enum vllm_expr_op op = take(parser, "*")   ? VLLM_EXPR_MULTIPLY
				       : take(parser, "/") ? VLLM_EXPR_DIVIDE
				       : take(parser, "%") ? VLLM_EXPR_MODULO
							   : VLLM_EXPR_NULL;
		if (op == VLLM_EXPR_NULL)
			return left;
		left = new_operation(parser, op, left, parse_primary(parser));
	}
	return NULL;
}

static struct vllm_expr *parse_sum(struct parser *parser)
{
	struct vllm_expr *left = parse_product(parser);

	while (left != NULL) {
		enum vllm_expr_op op = take(parser, "+")   ? VLLM_EXPR_ADD
				       : take(parser, "-") ? VLLM_EXPR_SUBTRACT
							   : VLLM_EXPR_NULL;
		if (op == VLLM_EXPR_NULL)
			return left;
		left = new_operation(parser, op, left, parse_product(parser));
	}
	return NULL;
}

/* VLLM_EXPR_NULL: no comparison comes next. */
static enum vllm_expr_op take_comparison(struct parser *parser)
{
	/* a longer sign before its beginning */
	static const struct {
		const char *sign;
		enum vllm_expr_op op;
	} signs[] = { { "==", VLLM_EXPR_EQ }, { "!=", VLLM_EXPR_NE }, { "<=", VLLM_EXPR_LE },
		      { ">=", VLLM_EXPR_GE }, { "<", VLLM_EXPR_LT },  { ">", VLLM_EXPR_GT },
		      { "in", VLLM_EXPR_IN } };
	const char *from = parser->at;

	for (size_t i = 0; i < PL_ARRAY_SIZE(signs); i++) {
		if (take(parser, signs[i].sign))
			return signs[i].op;
	}
	if (take(parser, "not") && take(parser, "in"))
		return VLLM_EXPR_NOT_IN;
	parser->at = from;
	return VLLM_EXPR_NULL;
}

static struct vllm_expr *parse_not(struct parser *parser)
{
	if (!take(parser, "not")) {
		/* "a < b < c" means one thing in Python and another in C: it is refused. */
		struct vllm_expr *left = parse_sum(parser);
		enum vllm_expr_op op = left != NULL ? take_comparison(parser) : VLLM_EXPR_NULL;
		if (op == VLLM_EXPR_NULL)
			return left;
		left = new_operation(parser, op, left, parse_sum(parser));
		return left != NULL && take_comparison(parser) != VLLM_EXPR_NULL
			       ? fault(parser, "comparisons do not chain; join them with and")
			       : left;
	}
	struct vllm_expr *node = new_node(parser, VLLM_EXPR_NOT);
	if (node == NULL || !enter(parser))
		return NULL;
	node->first = parse_not(parser);
	parser->depth--;
	return node->first != NULL ? node : NULL;
}

/*
 * Returns a single operand, or one node with all operands between equal operators, so that a long
 * chain is not a deep tree.
 */
static struct vllm_expr *parse_words(struct parser *parser, enum vllm_expr_op op, const char *word,
				     struct vllm_expr *(*parse)(struct parser *parser))
{
	struct operands operands = { 0 };

	do {
		struct vllm_expr *operand = parse(parser);
		if (operand == NULL)
			return NULL;
		add_operand(&operands, operand);
	} while (take(parser, word));
	if (operands.count == 1)
		return operands.first;
	struct vllm_expr *node = new_node(parser, op);
	if (node != NULL)
		node->first = operands.first;
	return node;
}

static struct vllm_expr *parse_and(struct parser *parser)
{
	return parse_words(parser, VLLM_EXPR_AND, "and", parse_not);
}

static struct vllm_expr *parse_or(struct parser *parser)
{
	return parse_words(parser, VLLM_EXPR_OR, "or", parse_and);
}

int vllm_expr_parse(const char *text, struct pl_arena *arena, const struct vllm_expr **ret,
		    struct pl_err *err)
{
	struct parser parser = { .text = text, .at = text, .arena = arena, .err = err };

	if (strlen(text) > VLLM_EXPR_BYTES_MAX)
		return pl_err_invalid(err, "the expression is too long");
	const struct vllm_expr *expr = parse_or(&parser);
	if (expr == NULL)
		return -1;
	skip_blanks(&parser);
	if (*parser.at != '\0') {
		unexpected(&parser, "the end of the expression");
		return -1;
	}
	*ret = expr;
	return 0;
}

static json_t *number_to_json(double number)
{
	return fabs(number) <= INTEGER_MAX && number == trunc(number)
		       ? json_integer((json_int_t)number)
		       : json_real(number);
}

static json_t *literal_to_json(const struct vllm_expr *literal)
{
	json_t *list;

	switch (literal->op) {
	case VLLM_EXPR_BOOL:
		return json_boolean(literal->number != 0);
	case VLLM_EXPR_NUMBER:
		return number_to_json(literal->number);
	case VLLM_EXPR_TEXT:
		return json_string(literal->text);
	case VLLM_EXPR_LIST:
		list = json_array();
		for (const struct vllm_expr *at = literal->first; at != NULL; at = at->next)
			json_array_append_new(list, literal_to_json(at));
		return list;
	default:
		return json_null();
	}
}

/* [operator, operand, …]: ["<", ["arg", "block_size"], ["lit", 32]]. */
json_t *vllm_expr_to_json(const struct vllm_expr *expr)
{
	static const char *const words[] = {
		[VLLM_EXPR_NULL] = "lit",
		[VLLM_EXPR_BOOL] = "lit",
		[VLLM_EXPR_NUMBER] = "lit",
		[VLLM_EXPR_TEXT] = "lit",
		[VLLM_EXPR_LIST] = "lit",
		[VLLM_EXPR_ARG] = "arg",
		[VLLM_EXPR_SUB] = "sub",
		[VLLM_EXPR_ENV] = "env",
		[VLLM_EXPR_OR] = "or",
		[VLLM_EXPR_AND] = "and",
		[VLLM_EXPR_NOT] = "not",
		[VLLM_EXPR_EQ] = "==",
		[VLLM_EXPR_NE] = "!=",
		[VLLM_EXPR_LT] = "<",
		[VLLM_EXPR_LE] = "<=",
		[VLLM_EXPR_GT] = ">",
		[VLLM_EXPR_GE] = ">=",
		[VLLM_EXPR_IN] = "in",
		[VLLM_EXPR_NOT_IN] = "not in",
		[VLLM_EXPR_ADD] = "+",
		[VLLM_EXPR_SUBTRACT] = "-",
		[VLLM_EXPR_MULTIPLY] = "*",
		[VLLM_EXPR_DIVIDE] = "/",
		[VLLM_EXPR_MODULO] = "%",
		[VLLM_EXPR_IS_SET] = "is_set",
		[VLLM_EXPR_ANY_SET] = "any_set",
		[VLLM_EXPR_STARTS_WITH] = "starts_with",
	};
	json_t *json = json_array();

	json_array_append_new(json, json_string(words[expr->op]));
	if (expr->op <= VLLM_EXPR_LIST) {
		json_array_append_new(json, literal_to_json(expr));
		return json;
	}
	if (expr->text != NULL)
		json_array_append_new(json, json_string(expr->text));
	if (expr->key != NULL)
		json_array_append_new(json, json_string(expr->key));
	for (const struct vllm_expr *at = expr->first; at != NULL; at = at->next)
		json_array_append_new(json, vllm_expr_to_json(at));
	return json;
}

void vllm_expr_each_name(const struct vllm_expr *expr, vllm_expr_visit_fn *visit, void *user)
{
	if (expr->op == VLLM_EXPR_ARG || expr->op == VLLM_EXPR_SUB || expr->op == VLLM_EXPR_ENV)
		visit(user, expr);
	for (const struct vllm_expr *at = expr->first; at != NULL; at = at->next)
		vllm_expr_each_name(at, visit, user);
}
