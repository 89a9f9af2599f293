#include "model/expr.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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
	struct md_expr *first;
	struct md_expr *last;
	size_t count;
};

static struct md_expr *parse_or(struct parser *parser);

/* Always NULL. */
static struct md_expr *fault(struct parser *parser, const char *what)
{
	pl_err_set(parser->err, PL_ERR_INVALID, "column %zu: %s",
		   (size_t)(parser->at - parser->text) + 1, what);
	return NULL;
}

static struct md_expr *new_node(struct parser *parser, enum md_expr_op op)
{
	if (++parser->nodes > MD_EXPR_NODES_MAX)
		return fault(parser, "the expression is too long");
	struct md_expr *node = pl_arena_alloc(parser->arena, sizeof(*node));
	node->op = op;
	return node;
}

static void add_operand(struct operands *operands, struct md_expr *operand)
{
	if (operands->last == NULL)
		operands->first = operand;
	else
		operands->last->next = operand;
	operands->last = operand;
	operands->count++;
}

static struct md_expr *new_operation(struct parser *parser, enum md_expr_op op,
				     struct md_expr *left, struct md_expr *right)
{
	struct md_expr *node = right != NULL ? new_node(parser, op) : NULL;

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

/* Takes the word or sign when it comes next. */
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
	if (++parser->depth <= MD_EXPR_DEPTH_MAX)
		return true;
	fault(parser, "too many brackets inside each other");
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* digits[.digits][e[+-]digits] */
static struct md_expr *parse_number(struct parser *parser, double sign)
{
	const char *from = parser->at;
	const char *to = from;
	auto_free char *copy = NULL;
	struct md_expr *node = NULL;

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
		return fault(parser, "not a number");
	copy = pl_strndup(from, (size_t)(to - from));
	node = new_node(parser, MD_EXPR_NUMBER);
	if (node == NULL)
		return NULL;
	if (!pl_text_to_f64(copy, &node->number) || !isfinite(node->number))
		return fault(parser, "a number that is too large");
	node->number *= sign;
	parser->at = to;
	return node;
}

static struct md_expr *parse_text(struct parser *parser)
{
	const char *from = parser->at + 1;
	const char *to = from;
	size_t len = 0;

	for (; *to != '"' && *to != '\0'; to++) {
		if (*to < ' ' || *to > '~')
			return fault(parser, "a text with other than printable ASCII characters");
		if (*to == '\\' && to[1] != '"' && to[1] != '\\')
			return fault(parser, "an escape other than \\\" and \\\\ in a text");
		to += *to == '\\';
	}
	if (*to == '\0')
		return fault(parser, "a text without its end");
	struct md_expr *node = new_node(parser, MD_EXPR_TEXT);
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

static struct md_expr *parse_literal(struct parser *parser);

static struct md_expr *parse_list(struct parser *parser)
{
	struct operands items = { 0 };
	struct md_expr *node = new_node(parser, MD_EXPR_LIST);

	if (node == NULL || !enter(parser))
		return NULL;
	take(parser, "[");
	if (!take(parser, "]")) {
		do {
			struct md_expr *item = parse_literal(parser);
			if (item == NULL)
				return NULL;
			add_operand(&items, item);
		} while (take(parser, ","));
		if (!take(parser, "]"))
			return fault(parser, "',' or ']' is missing");
	}
	parser->depth--;
	node->first = items.first;
	return node;
}

/* NULL with the error untouched where no literal stands. */
static struct md_expr *try_literal(struct parser *parser, bool *ret_found)
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
		struct md_expr *node = new_node(parser, MD_EXPR_BOOL);
		if (node != NULL)
			node->number = yes;
		return node;
	}
	if (take(parser, "null"))
		return new_node(parser, MD_EXPR_NULL);
	*ret_found = false;
	return NULL;
}

static struct md_expr *parse_literal(struct parser *parser)
{
	bool found;
	struct md_expr *node = try_literal(parser, &found);

	return found ? node : fault(parser, "not a literal");
}

/* name, name.key or env.fact */
static struct md_expr *parse_name(struct parser *parser)
{
	static const char *const reserved[] = {
		"and",   "or",   "not",    "in",      "true",
		"false", "null", "is_set", "any_set", "starts_with"
	};
	skip_blanks(parser);
	size_t len = word_length(parser->at);
	struct md_expr *node = NULL;

	if (len == 0 || is_digit(*parser->at))
		return fault(parser, *parser->at == '\0' ? "a value is missing" : "not a value");
	for (size_t i = 0; i < PL_ARRAY_SIZE(reserved); i++) {
		if (len == strlen(reserved[i]) && strncmp(parser->at, reserved[i], len) == 0)
			return fault(parser, "a value is missing");
	}
	node = new_node(parser, MD_EXPR_ARG);
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
	node->op = MD_EXPR_SUB;
	if (strcmp(node->text, "env") == 0) {
		node->op = MD_EXPR_ENV;
		node->text = pl_take(node->key);
	}
	return node;
}

static struct md_expr *parse_set_name(struct parser *parser)
{
	struct md_expr *name = parse_name(parser);

	return name == NULL || name->op != MD_EXPR_ENV ? name
						       : fault(parser, "only arguments can be set");
}

static struct md_expr *parse_call(struct parser *parser, enum md_expr_op op, size_t least,
				  size_t most)
{
	struct operands operands = { 0 };
	struct md_expr *node = new_node(parser, op);

	if (node == NULL || !enter(parser))
		return NULL;
	if (!take(parser, "("))
		return fault(parser, "'(' is missing");
	do {
		struct md_expr *operand = op == MD_EXPR_STARTS_WITH ? parse_or(parser)
								    : parse_set_name(parser);
		if (operand == NULL)
			return NULL;
		add_operand(&operands, operand);
	} while (take(parser, ","));
	if (!take(parser, ")"))
		return fault(parser, "')' is missing");
	if (operands.count < least || operands.count > most)
		return fault(parser, "a call with too many or too few values");
	parser->depth--;
	node->first = operands.first;
	return node;
}

static struct md_expr *parse_primary(struct parser *parser)
{
	bool found;
	struct md_expr *node = try_literal(parser, &found);

	if (found)
		return node;
	if (take(parser, "is_set"))
		return parse_call(parser, MD_EXPR_IS_SET, 1, 1);
	if (take(parser, "any_set"))
		return parse_call(parser, MD_EXPR_ANY_SET, 1, MD_EXPR_NODES_MAX);
	if (take(parser, "starts_with"))
		return parse_call(parser, MD_EXPR_STARTS_WITH, 2, 2);
	if (!take(parser, "("))
		return parse_name(parser);
	if (!enter(parser))
		return NULL;
	node = parse_or(parser);
	if (node != NULL && !take(parser, ")"))
		return fault(parser, "')' is missing");
	parser->depth--;
	return node;
}

static struct md_expr *parse_product(struct parser *parser)
{
	struct md_expr *left = parse_primary(parser);

	while (left != NULL) {
		enum md_expr_op op = take(parser, "*")   ? MD_EXPR_MULTIPLY
				     : take(parser, "/") ? MD_EXPR_DIVIDE
				     : take(parser, "%") ? MD_EXPR_MODULO
							 : MD_EXPR_NULL;
		if (op == MD_EXPR_NULL)
			return left;
		left = new_operation(parser, op, left, parse_primary(parser));
	}
	return NULL;
}

static struct md_expr *parse_sum(struct parser *parser)
{
	struct md_expr *left = parse_product(parser);

	while (left != NULL) {
		enum md_expr_op op = take(parser, "+")   ? MD_EXPR_ADD
				     : take(parser, "-") ? MD_EXPR_SUBTRACT
							 : MD_EXPR_NULL;
		if (op == MD_EXPR_NULL)
			return left;
		left = new_operation(parser, op, left, parse_product(parser));
	}
	return NULL;
}

/* MD_EXPR_NULL: no comparison comes next. */
static enum md_expr_op take_comparison(struct parser *parser)
{
	static const struct {
		const char *sign;
		enum md_expr_op op;
	} signs[] = { { "==", MD_EXPR_EQ }, { "!=", MD_EXPR_NE }, { "<=", MD_EXPR_LE },
		      { ">=", MD_EXPR_GE }, { "<", MD_EXPR_LT },  { ">", MD_EXPR_GT },
		      { "in", MD_EXPR_IN } };
	const char *from = parser->at;

	for (size_t i = 0; i < PL_ARRAY_SIZE(signs); i++) {
		if (take(parser, signs[i].sign))
			return signs[i].op;
	}
	if (take(parser, "not") && take(parser, "in"))
		return MD_EXPR_NOT_IN;
	parser->at = from;
	return MD_EXPR_NULL;
}

static struct md_expr *parse_comparison(struct parser *parser)
{
	struct md_expr *left = parse_sum(parser);
	enum md_expr_op op = left != NULL ? take_comparison(parser) : MD_EXPR_NULL;

	if (op == MD_EXPR_NULL)
		return left;
	left = new_operation(parser, op, left, parse_sum(parser));
	return left != NULL && take_comparison(parser) != MD_EXPR_NULL
		       ? fault(parser, "comparisons do not chain")
		       : left;
}

static struct md_expr *parse_not(struct parser *parser)
{
	if (!take(parser, "not"))
		return parse_comparison(parser);
	struct md_expr *node = new_node(parser, MD_EXPR_NOT);
	if (node == NULL || !enter(parser))
		return NULL;
	node->first = parse_not(parser);
	parser->depth--;
	return node->first != NULL ? node : NULL;
}

/* One operand alone, or all between the same words in one node. */
static struct md_expr *parse_words(struct parser *parser, enum md_expr_op op, const char *word,
				   struct md_expr *(*parse)(struct parser *parser))
{
	struct operands operands = { 0 };

	do {
		struct md_expr *operand = parse(parser);
		if (operand == NULL)
			return NULL;
		add_operand(&operands, operand);
	} while (take(parser, word));
	if (operands.count == 1)
		return operands.first;
	struct md_expr *node = new_node(parser, op);
	if (node != NULL)
		node->first = operands.first;
	return node;
}

static struct md_expr *parse_and(struct parser *parser)
{
	return parse_words(parser, MD_EXPR_AND, "and", parse_not);
}

static struct md_expr *parse_or(struct parser *parser)
{
	return parse_words(parser, MD_EXPR_OR, "or", parse_and);
}

int md_expr_parse(const char *text, struct pl_arena *arena, const struct md_expr **ret,
		  struct pl_err *err)
{
	struct parser parser = { .text = text, .at = text, .arena = arena, .err = err };

	if (strlen(text) > MD_EXPR_BYTES_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "the expression is too long");
	const struct md_expr *expr = parse_or(&parser);
	if (expr == NULL)
		return -1;
	skip_blanks(&parser);
	if (*parser.at != '\0') {
		fault(&parser, "something behind the end of the expression");
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

static json_t *literal_to_json(const struct md_expr *literal)
{
	json_t *list;

	switch (literal->op) {
	case MD_EXPR_BOOL:
		return json_boolean(literal->number != 0);
	case MD_EXPR_NUMBER:
		return number_to_json(literal->number);
	case MD_EXPR_TEXT:
		return json_string(literal->text);
	case MD_EXPR_LIST:
		list = json_array();
		for (const struct md_expr *at = literal->first; at != NULL; at = at->next)
			json_array_append_new(list, literal_to_json(at));
		return list;
	default:
		return json_null();
	}
}

json_t *md_expr_to_json(const struct md_expr *expr)
{
	static const char *const words[] = {
		[MD_EXPR_NULL] = "lit",
		[MD_EXPR_BOOL] = "lit",
		[MD_EXPR_NUMBER] = "lit",
		[MD_EXPR_TEXT] = "lit",
		[MD_EXPR_LIST] = "lit",
		[MD_EXPR_ARG] = "arg",
		[MD_EXPR_SUB] = "sub",
		[MD_EXPR_ENV] = "env",
		[MD_EXPR_OR] = "or",
		[MD_EXPR_AND] = "and",
		[MD_EXPR_NOT] = "not",
		[MD_EXPR_EQ] = "==",
		[MD_EXPR_NE] = "!=",
		[MD_EXPR_LT] = "<",
		[MD_EXPR_LE] = "<=",
		[MD_EXPR_GT] = ">",
		[MD_EXPR_GE] = ">=",
		[MD_EXPR_IN] = "in",
		[MD_EXPR_NOT_IN] = "not in",
		[MD_EXPR_ADD] = "+",
		[MD_EXPR_SUBTRACT] = "-",
		[MD_EXPR_MULTIPLY] = "*",
		[MD_EXPR_DIVIDE] = "/",
		[MD_EXPR_MODULO] = "%",
		[MD_EXPR_IS_SET] = "is_set",
		[MD_EXPR_ANY_SET] = "any_set",
		[MD_EXPR_STARTS_WITH] = "starts_with",
	};
	json_t *json = json_array();

	json_array_append_new(json, json_string(words[expr->op]));
	if (expr->op <= MD_EXPR_LIST) {
		json_array_append_new(json, literal_to_json(expr));
		return json;
	}
	if (expr->text != NULL)
		json_array_append_new(json, json_string(expr->text));
	if (expr->key != NULL)
		json_array_append_new(json, json_string(expr->key));
	for (const struct md_expr *at = expr->first; at != NULL; at = at->next)
		json_array_append_new(json, md_expr_to_json(at));
	return json;
}

void md_expr_each_name(const struct md_expr *expr, md_expr_visit_fn *visit, void *user)
{
	if (expr->op == MD_EXPR_ARG || expr->op == MD_EXPR_SUB || expr->op == MD_EXPR_ENV)
		visit(user, expr);
	for (const struct md_expr *at = expr->first; at != NULL; at = at->next)
		md_expr_each_name(at, visit, user);
}
