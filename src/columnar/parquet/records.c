/*
 * Assembles records from the columns of a row group. Every leaf is a sequence of entries: a value, or the level at
 * which something around it is null or empty. A list continues while the repetition level of the next entry is its own.
 */
#include <stdlib.h>

#include "columnar/parquet/parquet_priv.h"
#include "columnar/records_priv.h"

/* The entries of a leaf in the open row group. */
struct leaf {
	struct columnar_parquet_cursor *cursor; /* NULL: not requested */
	struct columnar_values values;          /* of the page */
	const uint32_t *defs;
	const uint32_t *reps;
	size_t at;
	size_t file_at; /* offset of the next page */
};

struct parquet_records {
	struct columnar_parquet *parquet;
	bool *requested; /* of each node; only those of the top are used */
	struct leaf *leaves;
	size_t group; /* the next one */
	int64_t rows; /* that the open group still has */
	int64_t done;
	size_t read_bytes;
	struct record_budget budget; /* of the open record */
};

static void close_group(struct parquet_records *records)
{
	for (size_t i = 0; i < records->parquet->schema.count; i++) {
		columnar_parquet_cursor_free(records->leaves[i].cursor);
		records->leaves[i] = (struct leaf){ 0 };
	}
}

void columnar_parquet_records_free(struct parquet_records *records)
{
	if (records == NULL)
		return;
	if (records->leaves != NULL)
		close_group(records);
	free(records->leaves);
	free(records->requested);
	columnar_parquet_free(records->parquet);
	free(records);
}
PL_AUTO_DEFINE(struct parquet_records, columnar_parquet_records_free);

/* ---- columns --------------------------------------------------------------------------------- */

static int check_column(const struct columnar_parquet *parquet, size_t leaf, struct pl_err *err)
{
	const char *name = parquet->schema.fields[leaf].name, *fault = parquet->columns[leaf].fault;

	if (fault != NULL)
		return pl_err_invalid(
			err,
			"column '%s': found %s, which is not supported" COLUMNAR_CONVERSION_OF(
				"parquet"),
			name, fault);
	for (size_t group = 0; group < parquet->group_count; group++) {
		const struct parquet_part *part =
			&parquet->parts[group * parquet->schema.count + leaf];
		fault = columnar_parquet_codec_fault(part);
		if (fault != NULL)
			return pl_err_invalid(
				err,
				"column '%s': found compression %d (%s), expected none, Snappy, "
				"gzip or zstd" COLUMNAR_CONVERSION_OF("parquet"),
				name, (int)part->codec, fault);
	}
	return 0;
}

static int request(struct parquet_records *records, const char *const *columns, struct pl_err *err)
{
	const struct columnar_parquet *parquet = records->parquet;
	bool any = false;

	for (size_t i = 0; i < parquet->node_count; i += parquet->nodes[i].span) {
		const struct parquet_node *node = &parquet->nodes[i];
		any = any || columnar_is_requested(columns, node->name);
		records->requested[i] = columnar_is_requested(columns, node->name);
		for (size_t k = 0; records->requested[i] && k < node->leaf_count; k++) {
			if (check_column(parquet, node->first_leaf + k, err) < 0)
				return -1;
		}
	}
	return columnar_records_check(any, err);
}

int columnar_parquet_records_open(const void *bytes, size_t len, const char *const *columns,
				  const struct columnar_limits *limits,
				  struct parquet_records **ret, struct pl_err *err)
{
	PL_AUTO(columnar_parquet_records_free)
	struct parquet_records *records = pl_alloc(sizeof(*records));

	*records = (struct parquet_records){ .budget.bytes_max = limits->bytes };
	if (columnar_parquet_open_nested(bytes, len, limits, &records->parquet, err) < 0)
		return -1;
	records->requested = pl_alloc_array(records->parquet->node_count, sizeof(bool));
	records->leaves = pl_alloc_array(records->parquet->schema.count, sizeof(struct leaf));
	memset(records->leaves, 0, records->parquet->schema.count * sizeof(struct leaf));
	if (request(records, columns, err) < 0)
		return -1;
	*ret = pl_take(records);
	return 0;
}

void columnar_parquet_records_names(const struct parquet_records *records, struct pl_buf *out)
{
	const struct columnar_parquet *parquet = records->parquet;

	for (size_t i = 0; i < parquet->node_count; i += parquet->nodes[i].span)
		pl_buf_addf(out, "%s%s", i > 0 ? ", " : "", parquet->nodes[i].name);
}

int64_t columnar_parquet_records_count(const struct parquet_records *records)
{
	return records->parquet->rows;
}

size_t columnar_parquet_records_read_bytes(const struct parquet_records *records)
{
	return records->read_bytes;
}

static void open_group(struct parquet_records *records)
{
	const struct columnar_parquet *parquet = records->parquet;

	close_group(records);
	for (size_t i = 0; i < parquet->node_count; i += parquet->nodes[i].span) {
		const struct parquet_node *node = &parquet->nodes[i];
		for (size_t k = 0; records->requested[i] && k < node->leaf_count; k++) {
			struct leaf *leaf = &records->leaves[node->first_leaf + k];
			leaf->cursor = columnar_parquet_cursor_new(parquet, records->group,
								   node->first_leaf + k);
			leaf->file_at = columnar_parquet_cursor_at(leaf->cursor);
		}
	}
	records->rows = parquet->group_rows[records->group++];
}

/* ---- entries --------------------------------------------------------------------------------- */

/* Returns 1 if the leaf has another entry, 0 at the end of the group, or -1. */
static int look(struct parquet_records *records, struct leaf *leaf, struct pl_err *err)
{
	if (leaf->at < leaf->values.count)
		return 1;
	leaf->at = 0;
	if (columnar_parquet_next(leaf->cursor, &leaf->values, err) < 0) {
		leaf->values.count = 0;
		return -1;
	}
	leaf->defs = columnar_parquet_defs(leaf->cursor);
	leaf->reps = columnar_parquet_reps(leaf->cursor);
	size_t at = columnar_parquet_cursor_at(leaf->cursor);
	records->read_bytes += at - leaf->file_at;
	leaf->file_at = at;
	return leaf->values.count > 0;
}

static int need(struct parquet_records *records, struct leaf *leaf, struct pl_err *err)
{
	int has = look(records, leaf, err);

	return has == 0 ? pl_err_invalid(err, "a column has fewer values than the others") : has;
}

static uint32_t def_of(const struct leaf *leaf)
{
	return leaf->defs != NULL ? leaf->defs[leaf->at] : 0;
}

static uint32_t rep_of(const struct leaf *leaf)
{
	return leaf->reps != NULL ? leaf->reps[leaf->at] : 0;
}

/* Takes one entry of all leaves of a node that is null or empty. */
static int skip(struct parquet_records *records, const struct parquet_node *node,
		struct pl_err *err)
{
	uint32_t def = def_of(&records->leaves[node->first_leaf]);

	for (size_t i = 0; i < node->leaf_count; i++) {
		struct leaf *leaf = &records->leaves[node->first_leaf + i];
		if (need(records, leaf, err) < 0)
			return -1;
		if (def_of(leaf) != def)
			return pl_err_invalid(err, "the columns of '%s' disagree about a null",
					      node->name);
		leaf->at++;
	}
	return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static json_t *json_of(const struct columnar_values *values, enum columnar_type type, uint32_t at)
{
	switch (type) {
	case COLUMNAR_YES:
		return json_boolean(values->yes[at]);
	case COLUMNAR_F64:
		return columnar_json_of_double(values->f64[at]);
	case COLUMNAR_TEXT:
		return columnar_json_of_bytes(values->texts[at].bytes, values->texts[at].len);
	default:
		return json_integer(values->i64[at]);
	}
}

static int read_leaf(struct parquet_records *records, size_t index, json_t **ret,
		     struct pl_err *err)
{
	struct leaf *leaf = &records->leaves[index];
	enum columnar_type type = records->parquet->schema.fields[index].type;
	uint32_t at = columnar_values_at(&leaf->values, leaf->at);

	if (at == COLUMNAR_NULL)
		return pl_err_invalid(err, "found a null that no level announces");
	if (columnar_record_take(&records->budget,
				 type == COLUMNAR_TEXT ? leaf->values.texts[at].len : 8, err) < 0)
		return -1;
	*ret = json_of(&leaf->values, type, at);
	leaf->at++;
	return 0;
}

static int read_node(struct parquet_records *records, size_t at, json_t **ret, struct pl_err *err);
static int read_value(struct parquet_records *records, size_t at, json_t **ret, struct pl_err *err);

/*
 * The items of a list are those of the only child of the node that repeats. Older writers have no such node: there, the
 * node that repeats is the item.
 */
static size_t item_of(const struct parquet_records *records, size_t list, size_t repeated)
{
	const struct parquet_node *nodes = records->parquet->nodes, *node = &nodes[repeated];
	const char *name = nodes[list].name;
	size_t len = strlen(name);

	if (list == repeated || node->is_leaf || nodes[list].is_map ||
	    nodes[repeated + 1].span != node->span - 1 || nodes[repeated + 1].is_repeated ||
	    strcmp(node->name, "array") == 0 ||
	    (strncmp(node->name, name, len) == 0 && strcmp(node->name + len, "_tuple") == 0))
		return repeated;
	return repeated + 1;
}

/* Returns whether all leaves of the node continue the list of this level: 1, 0 or -1. */
static int continues(struct parquet_records *records, const struct parquet_node *node,
		     struct pl_err *err)
{
	int result = -1;

	for (size_t i = 0; i < node->leaf_count; i++) {
		struct leaf *leaf = &records->leaves[node->first_leaf + i];
		int has = look(records, leaf, err);
		if (has < 0)
			return -1;
		uint32_t rep = has ? rep_of(leaf) : 0;
		if (rep > node->rep || (i > 0 && (rep == node->rep) != result))
			return pl_err_invalid(err, "the columns of '%s' disagree about a list",
					      node->name);
		result = rep == node->rep;
	}
	return result;
}

static int read_list(struct parquet_records *records, size_t list, size_t repeated, json_t **ret,
		     struct pl_err *err)
{
	const struct parquet_node *node = &records->parquet->nodes[repeated];
	struct leaf *leaf = &records->leaves[node->first_leaf];
	size_t item = item_of(records, list, repeated);
	int more = 1;

	if (need(records, leaf, err) < 0)
		return -1;
	json_t *items = json_array();
	*ret = items;
	if (def_of(leaf) < node->def)
		return skip(records, node, err);
	while (more == 1) {
		json_t *value = NULL;
		int status = item == repeated ? read_value(records, item, &value, err)
					      : read_node(records, item, &value, err);
		json_array_append_new(items, value != NULL ? value : json_null());
		if (status < 0)
			return -1;
		more = continues(records, node, err);
	}
	return more;
}

static int read_struct(struct parquet_records *records, size_t at, json_t **ret, struct pl_err *err)
{
	const struct parquet_node *nodes = records->parquet->nodes;

	if (columnar_record_take(&records->budget, 8, err) < 0)
		return -1;
	*ret = json_object();
	for (size_t i = at + 1; i < at + nodes[at].span; i += nodes[i].span) {
		json_t *value = NULL;
		int status = read_node(records, i, &value, err);
		json_object_set_new_nocheck(*ret, nodes[i].name,
					    value != NULL ? value : json_null());
		if (status < 0)
			return -1;
	}
	return 0;
}

/* Reads a value of a node, whether or not it repeats. *ret is NULL for a null; the caller owns it even after -1. */
static int read_value(struct parquet_records *records, size_t at, json_t **ret, struct pl_err *err)
{
	const struct parquet_node *nodes = records->parquet->nodes, *node = &nodes[at];
	struct leaf *leaf = &records->leaves[node->first_leaf];

	if (need(records, leaf, err) < 0)
		return -1;
	if (def_of(leaf) < node->def) {
		if (columnar_record_take(&records->budget, 0, err) < 0)
			return -1;
		return skip(records, node, err);
	}
	if (node->is_leaf)
		return read_leaf(records, node->first_leaf, ret, err);
	if (node->is_list && nodes[at + 1].is_repeated && nodes[at + 1].span == node->span - 1)
		return read_list(records, at, at + 1, ret, err);
	return read_struct(records, at, ret, err);
}

static int read_node(struct parquet_records *records, size_t at, json_t **ret, struct pl_err *err)
{
	return records->parquet->nodes[at].is_repeated ? read_list(records, at, at, ret, err)
						       : read_value(records, at, ret, err);
}

/* ---- records --------------------------------------------------------------------------------- */

static int read_record(struct parquet_records *records, json_t *record, struct pl_err *err)
{
	const struct columnar_parquet *parquet = records->parquet;

	records->budget.values = records->budget.bytes = 0;
	for (size_t i = 0; i < parquet->node_count; i += parquet->nodes[i].span) {
		const struct parquet_node *node = &parquet->nodes[i];
		json_t *value = NULL;
		if (!records->requested[i])
			continue;
		int status = read_node(records, i, &value, err);
		json_object_set_new_nocheck(record, node->name,
					    value != NULL ? value : json_null());
		for (size_t k = 0; status == 0 && k < node->leaf_count; k++) {
			struct leaf *leaf = &records->leaves[node->first_leaf + k];
			status = look(records, leaf, err);
			/* the next record starts here, or the group ends */
			if (status >= 0 && (status == 1) != (records->rows > 1))
				status = pl_err_invalid(
					err, "a column has not %lld records",
					(long long)parquet->group_rows[records->group - 1]);
			else if (status == 1)
				status = rep_of(leaf) == 0
						 ? 0
						 : pl_err_invalid(err, "a list has no start");
		}
		if (status < 0)
			return pl_err_wrap(err, "column '%s'", node->name);
	}
	return 0;
}

int columnar_parquet_records_next(struct parquet_records *records, json_t **ret, struct pl_err *err)
{
	while (records->rows == 0 && records->group < records->parquet->group_count)
		open_group(records);
	*ret = NULL;
	if (records->rows == 0)
		return 0;
	json_t *record = json_object();
	if (read_record(records, record, err) < 0) {
		json_decref(record);
		return pl_err_wrap(err, "record %lld", (long long)records->done + 1);
	}
	records->rows--;
	records->done++;
	*ret = record;
	return 0;
}
