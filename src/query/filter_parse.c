/*
 * Converts a filter that is valid by api/openapi.yaml to a checked tree: fields exist and accept the operator and the
 * value. All faults are reported at once, each with its location, except consequences of another fault (the value of a
 * predicate whose field is unknown).
 *
 * A value is accepted by the field's type, and also if some result has a value of its kind there: documents come from
 * many sources, and every value in the options of a field must be a valid filter.
 */
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "mirror/instant.h"
#include "mirror/unify.h"
#include "query/filter_priv.h"
#include "query/request_priv.h"
#include "result/fields/former.h"

#define OPS_BYTES_MAX 1024

/* Bits: error messages list sets of them. */
enum op_about { ABOUT_EQUAL = 1, ABOUT_ORDER = 2, ABOUT_WORD = 4, ABOUT_STATE = 8 };
enum op_value { VALUE_NONE, VALUE_ONE, VALUE_LIST, VALUE_PAIR, VALUE_WORD };

static const struct {
	const char *name;
	enum op_about about;
	enum op_value value;
} ops[] = {
#define FILTER_OP(ID, name, about, value) { #name, ABOUT_##about, VALUE_##value },
#include "tbl/filter_ops.h"
#undef FILTER_OP
};

struct parse {
	const struct mirror_view *view;
	struct query_pointer *pointer;
	struct pl_arena *arena;
	int64_t now_us; /* the same time for the complete tree */
	size_t values;  /* number of values that predicates evaluate */
};

static bool is_order(enum filter_op op)
{
	return ops[op].about == ABOUT_ORDER;
}

/* ---- accepted operands ---------------------------------------------------------------------- */

static bool is_numeric(const struct res_field *field)
{
	return field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT;
}

static bool has_texts(const struct mirror_column *column)
{
	return mirror_column_has(column, MIRROR_TEXT) || mirror_column_has(column, MIRROR_JSON);
}

/* Returns whether the field may have such values, or some result has one. */
static bool takes(const struct mirror_column *column, enum mirror_class class, bool is_time)
{
	const struct res_field *field = column->field;

	switch (field->type) {
	case RES_FIELD_NUMBER:
	case RES_FIELD_COUNT:
		if (class == MIRROR_NUMBER || (class == MIRROR_TEXT && field->words))
			return true;
		break;
	case RES_FIELD_YES:
		if (class == MIRROR_NO || class == MIRROR_YES)
			return true;
		break;
	case RES_FIELD_TEXT:
		if (class == MIRROR_TEXT)
			return true;
		break;
	case RES_FIELD_TIME:
		if (class == MIRROR_TEXT)
			return is_time || column->has_odd_times;
		break;
	case RES_FIELD_JSON:
		return true;
	}
	if (class == MIRROR_NO || class == MIRROR_YES)
		return mirror_column_has(column, MIRROR_NO) ||
		       mirror_column_has(column, MIRROR_YES);
	return mirror_column_has(column, class);
}

/* Words have no order among numbers or times. */
static bool takes_in_order(const struct mirror_column *column, enum mirror_class class,
			   bool is_time)
{
	if (class == MIRROR_TEXT &&
	    (is_numeric(column->field) || (column->field->type == RES_FIELD_TIME && !is_time)))
		return false;
	return (class == MIRROR_NUMBER || class == MIRROR_TEXT) && takes(column, class, is_time);
}

static const char *expected_of(const struct mirror_column *column, enum filter_op op)
{
	const struct res_field *field = column->field;

	switch (field->type) {
	case RES_FIELD_NUMBER:
	case RES_FIELD_COUNT:
		if (field->option != NULL && field->option->type == OPTION_DURATION)
			return "a number of seconds, or a duration such as \"30s\"";
		return !is_order(op) && field->words ? "a number or a string" : "a number";
	case RES_FIELD_YES:
		return "true or false";
	case RES_FIELD_TEXT:
		return "a text";
	case RES_FIELD_TIME:
		return "a time such as \"2026-11-19T14:12:00Z\", \"now-12h\" or \"today-30d\"";
	default:
		return is_order(op) ? "a number or a string" : "a value";
	}
}

/* Reports "one of eq, ne, …": the operators of these kinds. Returns false. */
static bool op_fault(struct parse *p, const json_t *found, unsigned about)
{
	auto_buf expected = PL_BUF(OPS_BYTES_MAX);
	size_t before = query_pointer_enter(p->pointer, "op");

	for (size_t i = 0; i < FILTER_OP_COUNT; i++) {
		if (ops[i].about & about)
			pl_buf_addf(&expected, "%s%s", expected.len > 0 ? ", " : "one of ",
				    ops[i].name);
	}
	query_pointer_fault(p->pointer, "op", found, pl_buf_text(&expected), NULL);
	query_pointer_leave(p->pointer, before);
	return false;
}

/* Checks the operator for the field. If a valid operator has an invalid value, the value is the fault. */
static bool check_op(struct parse *p, const struct mirror_column *column, enum filter_op op,
		     const json_t *found)
{
	const struct res_field *field = column->field;
	unsigned about = ABOUT_EQUAL | ABOUT_STATE;

	if (field->type != RES_FIELD_YES || takes_in_order(column, MIRROR_NUMBER, false) ||
	    takes_in_order(column, MIRROR_TEXT, false))
		about |= ABOUT_ORDER;
	if ((field->type != RES_FIELD_YES && !is_numeric(field)) || field->words ||
	    has_texts(column))
		about |= ABOUT_WORD;
	return (ops[op].about & about) ? true : op_fault(p, found, about);
}

/* ---- values --------------------------------------------------------------------------------- */

static enum mirror_class class_of(const struct res_value *value)
{
	switch (value->kind) {
	case RES_VALUE_NUMBER:
		return MIRROR_NUMBER;
	case RES_VALUE_YES:
		return value->yes ? MIRROR_YES : MIRROR_NO;
	case RES_VALUE_TEXT:
		return MIRROR_TEXT;
	default:
		return MIRROR_JSON;
	}
}

static bool value_fault(struct parse *p, const json_t *found, const char *expected)
{
	auto_free char *more = json_is_null(found)
				       ? pl_asprintf("%s; use is_null to match null", expected)
				       : NULL;

	return query_pointer_fault(p->pointer, "value", found, more != NULL ? more : expected,
				   NULL);
}

static bool parse_operand(struct parse *p, const struct predicate *predicate, const json_t *json,
			  struct operand *ret)
{
	const struct mirror_column *column = predicate->column;
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };
	json_t *present = json_is_string(json)
				  ? json_string(res_field_former_value(column->field->id,
								       json_string_value(json)))
				  : json_incref((json_t *)json);

	res_field_value_of(column->field, present, &value);
	*ret = (struct operand){ .class = class_of(&value), .number = value.number };
	if (value.state == RES_VALUE_PRESENT && ret->class >= MIRROR_TEXT) {
		auto_free char *unified = ret->class == MIRROR_JSON ? mirror_json_unify(value.text)
								    : NULL;
		const char *text = unified != NULL ? unified : value.text;
		ret->text = pl_arena_strndup(p->arena, text, strlen(text));
		ret->is_time = column->field->type == RES_FIELD_TIME && ret->class == MIRROR_TEXT &&
			       (mirror_instant_parse(ret->text, &ret->time_us) ||
				mirror_instant_parse_relative(ret->text, p->now_us, &ret->time_us));
	}
	if (value.state != RES_VALUE_PRESENT ||
	    !(is_order(predicate->op) ? takes_in_order(column, ret->class, ret->is_time)
				      : takes(column, ret->class, ret->is_time)))
		return value_fault(p, json, expected_of(column, predicate->op));
	return true;
}

static bool parse_list(struct parse *p, struct predicate *predicate, const json_t *list)
{
	size_t count = json_array_size(list);
	bool is_pair = ops[predicate->op].value == VALUE_PAIR, fits = true;

	if (!json_is_array(list) || count == 0 || (is_pair && count != 2))
		return query_pointer_fault(p->pointer, "value", list,
					   is_pair ? "a list of two values: low and high"
						   : "a list of at least one value",
					   NULL);
	predicate->operands = pl_arena_alloc(p->arena, count * sizeof(*predicate->operands));
	predicate->operand_count = count;
	for (size_t i = 0; i < count; i++) {
		size_t before = query_pointer_enter_item(p->pointer, i);
		fits = parse_operand(p, predicate, json_array_get(list, i),
				     &predicate->operands[i]) &&
		       fits;
		if (fits && is_pair && i == 1 &&
		    predicate->operands[1].class != predicate->operands[0].class)
			fits = value_fault(p, json_array_get(list, i),
					   "a value of the same type as the first");
		query_pointer_leave(p->pointer, before);
	}
	return fits;
}

static bool parse_word(struct parse *p, struct predicate *predicate, const json_t *value)
{
	if (!json_is_string(value))
		return value_fault(p, value, "a text");
	predicate->operands = pl_arena_alloc(p->arena, sizeof(*predicate->operands));
	predicate->operand_count = 1;
	predicate->operands[0].class = MIRROR_TEXT;
	predicate->operands[0].text = pl_arena_strndup(p->arena, json_string_value(value),
						       json_string_length(value));
	return true;
}

static bool parse_value(struct parse *p, struct predicate *predicate, const json_t *value)
{
	switch (ops[predicate->op].value) {
	case VALUE_NONE:
		return true;
	case VALUE_LIST:
	case VALUE_PAIR:
		return parse_list(p, predicate, value);
	case VALUE_WORD:
		return parse_word(p, predicate, value);
	default:
		predicate->operands = pl_arena_alloc(p->arena, sizeof(*predicate->operands));
		predicate->operand_count = 1;
		return parse_operand(p, predicate, value, &predicate->operands[0]);
	}
}

/* ---- predicates ----------------------------------------------------------------------------- */

static enum filter_op op_of(const json_t *tree)
{
	const char *name = pl_json_get_text(tree, "op");
	size_t i = 0;

	while (i < FILTER_OP_COUNT - 1 && strcmp(ops[i].name, name) != 0)
		i++;
	return (enum filter_op)i;
}

static bool parse_predicate(struct parse *p, const json_t *tree, struct filter_node *ret)
{
	const json_t *value = json_object_get(tree, "value");
	struct predicate *predicate = &ret->predicate;
	enum filter_op op = op_of(tree);
	bool fits;

	ret->kind = FILTER_PREDICATE;
	predicate->op = op;
	if (!query_request_field(p->pointer, p->view, tree, "field", &predicate->column))
		return false;
	ret->only = predicate->column;
	if (!check_op(p, predicate->column, op, json_object_get(tree, "op")))
		return false;
	if (value == NULL && ops[op].value != VALUE_NONE)
		return query_pointer_missing(p->pointer, "value",
					     ops[op].value == VALUE_WORD
						     ? "a text"
						     : expected_of(predicate->column, op));
	size_t before = query_pointer_enter(p->pointer, "value");
	if (value != NULL && ops[op].value == VALUE_NONE)
		fits = query_pointer_fault(p->pointer, "value", value,
					   "no value, because this op has none", NULL);
	else
		fits = parse_value(p, predicate, value);
	query_pointer_leave(p->pointer, before);
	if (!fits)
		return false;
	p->values += predicate->column->distinct;
	if (p->values > QUERY_FILTER_VALUES_MAX)
		return query_pointer_limit(
			p->pointer, tree, QUERY_FILTER_VALUES_MAX,
			"values to be looked at, each of a field by each predicate of it");
	query_predicate_compile(predicate, p->arena);
	return true;
}

/* ---- trees ---------------------------------------------------------------------------------- */

static bool parse_node(struct parse *p, const json_t *tree, struct filter_node *ret);

static bool parse_children(struct parse *p, const json_t *children, struct filter_node *ret)
{
	bool fits = true;

	ret->count = ret->kind == FILTER_NOT ? 1 : json_array_size(children);
	ret->children = pl_arena_alloc(p->arena, ret->count * sizeof(*ret->children));
	for (size_t i = 0; i < ret->count; i++) {
		const json_t *child = ret->kind == FILTER_NOT ? children
							      : json_array_get(children, i);
		struct filter_node *node = &ret->children[i];
		size_t before = p->pointer->pointer.len;
		if (ret->kind != FILTER_NOT)
			query_pointer_enter_item(p->pointer, i);
		fits = parse_node(p, child, node) && fits;
		query_pointer_leave(p->pointer, before);
		ret->only = i == 0 || ret->only == node->only ? node->only : NULL;
	}
	return fits;
}

static bool parse_node(struct parse *p, const json_t *tree, struct filter_node *ret)
{
	static const struct {
		const char *key;
		enum filter_kind kind;
	} kinds[] = { { "and", FILTER_AND }, { "or", FILTER_OR }, { "not", FILTER_NOT } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		const json_t *children = json_object_get(tree, kinds[i].key);
		if (children == NULL)
			continue;
		size_t before = query_pointer_enter(p->pointer, kinds[i].key);
		ret->kind = kinds[i].kind;
		bool fits = parse_children(p, children, ret);
		query_pointer_leave(p->pointer, before);
		return fits;
	}
	return parse_predicate(p, tree, ret);
}

bool query_filter_parse(const struct mirror_view *view, const json_t *tree,
			struct query_pointer *pointer, struct pl_arena *arena,
			struct filter_node *ret)
{
	struct parse p = { .view = view,
			   .pointer = pointer,
			   .arena = arena,
			   .now_us = pl_clock_real_ns() / PL_NS_PER_US };

	return parse_node(&p, tree, ret);
}
