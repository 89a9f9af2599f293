/* Reads a nested schema: its nodes in preorder, with the levels at which they exist and repeat. */
#include <stdlib.h>

#include "columnar/parquet/parquet_priv.h"

#define DEPTH_MAX 32

struct building {
	struct columnar_parquet *parquet;
	struct thrift_in *in;
	size_t left; /* elements that were not read */
	size_t room;
	struct pl_buf path; /* "conversations.list.element" */
};

static void add_leaf(struct building *building, const struct parquet_element *element,
		     const struct parquet_node *node)
{
	struct columnar_parquet *parquet = building->parquet;
	struct parquet_column *column = &parquet->columns[parquet->schema.count];
	struct columnar_field *field = columnar_schema_add(
		&parquet->schema, pl_buf_text(&building->path), COLUMNAR_TEXT, node->def > 0);

	column->fault = columnar_parquet_type_fault(element, field, column);
	column->max_def = node->def;
	column->max_rep = node->rep;
	column->fixed_len = element->type_len;
	bool is_plain = element->logical == PARQUET_LOGICAL_NONE &&
			element->converted == PARQUET_CONVERTED_NONE;
	bool is_fixed = element->type == PARQUET_FIXED_LEN_BYTE_ARRAY && element->type_len > 0;
	bool is_bytes = (element->type == PARQUET_BYTE_ARRAY && is_plain) ||
			(is_fixed && (is_plain || element->logical == PARQUET_LOGICAL_UUID));
	if (is_bytes) {
		field->type = COLUMNAR_TEXT;
		column->is_bytes = true;
		column->fault = NULL;
	}
}

static void fill_node(const struct parquet_element *element, const struct parquet_node *parent,
		      struct parquet_node *ret)
{
	ret->is_leaf = element->type >= 0;
	ret->is_repeated = element->repetition == PARQUET_REPEATED;
	ret->def = parent->def + (element->repetition != PARQUET_REQUIRED);
	ret->rep = parent->rep + ret->is_repeated;
	if (!ret->is_leaf) {
		ret->is_map = element->logical == PARQUET_LOGICAL_MAP ||
			      element->converted == PARQUET_CONVERTED_MAP ||
			      element->converted == PARQUET_CONVERTED_MAP_KEY_VALUE;
		ret->is_list = ret->is_map || element->logical == PARQUET_LOGICAL_LIST ||
			       element->converted == PARQUET_CONVERTED_LIST;
	}
}

static int read_name(const struct parquet_element *element, char **ret, struct pl_err *err)
{
	if (!columnar_is_utf8(element->name, element->name_len) ||
	    memchr(element->name, '\0', element->name_len) != NULL)
		return pl_err_invalid(err, "the name of a column is not UTF-8");
	*ret = pl_strndup(element->name, element->name_len);
	return 0;
}

static int read_node(struct building *building, struct parquet_node parent, unsigned depth,
		     struct pl_err *err)
{
	struct columnar_parquet *parquet = building->parquet;
	struct parquet_node node = { .first_leaf = parquet->schema.count };
	struct parquet_element element;
	size_t at = parquet->node_count, path_len = building->path.len;

	if (building->left == 0 || depth == 0) {
		columnar_thrift_fail(building->in, depth == 0 ? "the schema is nested too deeply"
							      : "the schema ends early");
		return 0;
	}
	building->left--;
	columnar_parquet_element_read(building->in, &element);
	fill_node(&element, &parent, &node);
	if (!node.is_leaf && element.children <= 0)
		columnar_thrift_fail(building->in, "a group of the schema has no columns");
	if (building->in->fault != NULL)
		return 0;
	if (read_name(&element, &node.name, err) < 0)
		return -1;
	*PL_PUSH(parquet->nodes, parquet->node_count, building->room) = node;
	pl_buf_addf(&building->path, "%s%s", path_len > 0 ? "." : "", node.name);
	if (node.is_leaf)
		add_leaf(building, &element, &node);
	for (int64_t i = 0; !node.is_leaf && i < element.children; i++) {
		if (read_node(building, node, depth - 1, err) < 0)
			return -1;
		if (building->in->fault != NULL)
			return 0;
	}
	building->path.len = path_len;
	if (building->path.data != NULL)
		building->path.data[path_len] = '\0';
	parquet->nodes[at].span = parquet->node_count - at;
	parquet->nodes[at].leaf_count = parquet->schema.count - node.first_leaf;
	return 0;
}

int columnar_parquet_tree_read(struct columnar_parquet *parquet, struct thrift_in *in, size_t count,
			       struct pl_err *err)
{
	struct building building = {
		.parquet = parquet, .in = in, .left = count, .path = PL_BUF(1 << 20)
	};
	int status = 0;

	while (status == 0 && building.left > 0 && in->fault == NULL)
		status = read_node(&building, (struct parquet_node){ 0 }, DEPTH_MAX, err);
	pl_buf_done(&building.path);
	return status;
}
