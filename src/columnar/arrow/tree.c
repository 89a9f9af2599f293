/* Reads a nested schema: its fields in preorder, which is the order of their arrays in a batch. */
#include <stdlib.h>

#include "columnar/arrow/arrow_priv.h"

#define FIELDS_MAX 100000
#define DEPTH_MAX  32

void columnar_arrow_tree_free(struct arrow_tree *tree)
{
	if (tree == NULL)
		return;
	for (size_t i = 0; i < tree->count; i++)
		free(tree->fields[i].name);
	free(tree->fields);
	free(tree);
}
PL_AUTO_DEFINE(struct arrow_tree, columnar_arrow_tree_free);

static bool is_int(int64_t bits)
{
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* Sets the width of values or offsets. Returns NULL, or what cannot be read but can be skipped. */
static const char *read_type(const struct flat_table *type, struct arrow_field *ret)
{
	int64_t detail;

	switch ((int)ret->type) {
	case ARROW_INT:
		detail = columnar_flat_int(type, 0, 4, 0);
		ret->bits = (unsigned char)detail;
		ret->is_unsigned = columnar_flat_int(type, 1, 1, 0) == 0;
		return is_int(detail) ? NULL : "an integer of unknown width";
	case ARROW_FLOAT:
		detail = columnar_flat_int(type, 0, 2, 0);
		ret->bits = detail == 2 ? 64 : 32;
		return detail == 1 || detail == 2 ? NULL : "half floats";
	case ARROW_TIMESTAMP:
		detail = columnar_flat_int(type, 0, 2, 0);
		ret->unit = (enum arrow_unit)detail;
		ret->bits = 64;
		return detail >= ARROW_SECOND && detail <= ARROW_NANO
			       ? NULL
			       : "a timestamp of unknown unit";
	case ARROW_BINARY:
	case ARROW_UTF8:
	case ARROW_LIST:
	case ARROW_MAP:
		ret->bits = 32;
		return NULL;
	case ARROW_LARGE_BINARY:
	case ARROW_LARGE_UTF8:
	case ARROW_LARGE_LIST:
		ret->bits = 64;
		return NULL;
	case ARROW_FIXED_BINARY:
	case ARROW_FIXED_LIST:
		ret->width = columnar_flat_int(type, 0, 4, 0);
		return ret->width >= 0 ? NULL : "a negative width";
	case ARROW_DECIMAL:
		return "a decimal";
	case ARROW_DATE:
	case ARROW_TIME:
	case ARROW_INTERVAL:
	case ARROW_DURATION:
		return "a date, a time of day or a duration";
	default:
		return NULL;
	}
}

/* Types whose arrays have no fixed number of buffers cannot even be skipped. */
static bool is_known(int64_t type)
{
	return type >= ARROW_NULL && type <= ARROW_LARGE_LIST && type != ARROW_UNION;
}

static const char *other_type(int64_t type)
{
	return type == ARROW_UNION        ? "a union"
	       : type == 22               ? "a run-end encoded column"
	       : type == 23 || type == 24 ? "a view of bytes"
	       : type == 25 || type == 26 ? "a list view"
					  : "an unknown type";
}

static void read_dictionary(const struct flat_table *from, struct arrow_field *ret)
{
	struct flat_table codes = columnar_flat_table_of(from, 1);
	int64_t bits = columnar_flat_int(&codes, 0, 4, 32);

	ret->has_dictionary = true;
	ret->dictionary = columnar_flat_int(from, 0, 8, 0);
	ret->code_bits = (unsigned char)bits;
	ret->code_is_unsigned = codes.at != 0 && columnar_flat_int(&codes, 1, 1, 0) == 0;
	if (!is_int(bits))
		ret->fault = "codes of unknown width";
}

static size_t expected_children(enum arrow_type type)
{
	return type == ARROW_LIST || type == ARROW_LARGE_LIST || type == ARROW_FIXED_LIST ||
	       type == ARROW_MAP;
}

static int read_field(const struct flat_table *from, struct arrow_tree *tree, unsigned depth,
		      bool is_coded, struct pl_err *err)
{
	struct flat_table type = columnar_flat_table_of(from, 3),
			  dictionary = columnar_flat_table_of(from, 4);
	struct flat_vector children = columnar_flat_vector_of(from, 5, 4);
	int64_t id = columnar_flat_int(from, 2, 1, 0);
	struct arrow_field field = { .name = columnar_flat_text_of(from, 0),
				     .type = (enum arrow_type)id };
	size_t at = tree->count;

	field.fault = read_type(&type, &field);
	if (dictionary.at != 0)
		read_dictionary(&dictionary, &field);
	if (is_coded && field.has_dictionary)
		field.fault = "a dictionary inside a dictionary";
	*PL_PUSH(tree->fields, tree->count, tree->room) = field;
	if (from->in->fault != NULL)
		return 0;
	if (!is_known(id))
		return pl_err_invalid(err,
				      "column '%s': found %s (type %lld), which is not supported",
				      field.name, other_type(id), (long long)id);
	if (depth == 0 || tree->count > FIELDS_MAX)
		return pl_err_invalid(err,
				      "column '%s': found more than %d levels or %d columns in all",
				      field.name, DEPTH_MAX, FIELDS_MAX);
	if (id != ARROW_STRUCT && children.count != expected_children(field.type))
		return pl_err_invalid(err, "column '%s': found %zu inner columns, expected %zu",
				      field.name, children.count, expected_children(field.type));
	for (size_t i = 0; i < children.count && from->in->fault == NULL; i++) {
		struct flat_table child = columnar_flat_item(&children, i);
		if (read_field(&child, tree, depth - 1, is_coded || field.has_dictionary, err) < 0)
			return -1;
	}
	tree->fields[at].span = tree->count - at;
	return 0;
}

int columnar_arrow_tree_read(const struct flat_table *from, struct arrow_tree **ret,
			     struct pl_err *err)
{
	struct flat_vector fields = columnar_flat_vector_of(from, 1, 4);
	PL_AUTO(columnar_arrow_tree_free) struct arrow_tree *tree = pl_alloc(sizeof(*tree));

	*tree = (struct arrow_tree){ 0 };
	if (columnar_flat_int(from, 0, 2, 0) != 0)
		return pl_err_invalid(err, "found numbers with the high byte first");
	for (size_t i = 0; i < fields.count && from->in->fault == NULL; i++) {
		struct flat_table field = columnar_flat_item(&fields, i);
		if (read_field(&field, tree, DEPTH_MAX, false, err) < 0)
			return -1;
	}
	if (from->in->fault != NULL)
		return pl_err_invalid(err, "%s", from->in->fault);
	*ret = pl_take(tree);
	return 0;
}
