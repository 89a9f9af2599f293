/* Holds a snapshot for the duration of the export, so later changes of results do not affect the file. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/export/export_priv.h"
#include "query/facets/tally_priv.h"
#include "query/filter.h"
#include "query/pointer.h"
#include "query/query.h"
#include "query/request_priv.h"
#include "query/rows_priv.h"
#include "tbl/request_bounds.h"

struct export_rows {
	struct mirror_snapshot *snapshot;
	struct mirror_view *view;
	const struct mirror_column **columns;
	size_t column_count;
	struct export_row_numbers *row_numbers; /* their codes */
	size_t *rows_in_order;                  /* of the rows, in order */
	size_t count;
};

/* A request while it is being read. */
struct parsed {
	struct query_pointer pointer;
	const struct mirror_view *view;
	struct query_filter *filter;
	struct rows_key keys[BOUND_SORT_KEYS_MAX];
	size_t key_count;
};

static void parsed_done(struct parsed *parsed)
{
	query_filter_free(parsed->filter);
	query_pointer_done(&parsed->pointer);
}
#define auto_parsed __attribute__((cleanup(parsed_done), unused)) struct parsed

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_sort(struct parsed *parsed, const json_t *sort)
{
	size_t before = query_pointer_enter(&parsed->pointer, "sort");
	bool fits = true;

	for (size_t i = 0; i < json_array_size(sort); i++) {
		const json_t *key = json_array_get(sort, i);
		struct rows_key *read = &parsed->keys[parsed->key_count++];
		size_t list = query_pointer_enter_item(&parsed->pointer, i);
		fits = query_request_field(&parsed->pointer, parsed->view, key, "field",
					   &read->column) &&
		       fits;
		read->descends = pl_text_equal(pl_json_get_text(key, "dir"), "desc");
		query_pointer_leave(&parsed->pointer, list);
	}
	query_pointer_leave(&parsed->pointer, before);
	return fits;
}

static bool read_columns(struct parsed *parsed, const json_t *request, struct export_rows *rows)
{
	struct request_fields fields = { 0 };
	bool fits = query_request_columns(&parsed->pointer, parsed->view, request, "columns",
					  &fields);

	rows->columns = fields.items;
	rows->column_count = fields.count;
	return fits;
}

/* ---- selection ------------------------------------------------------------------------------- */

/* Finds the columns with a recorded value in these rows. */
static int find_columns(const struct parsed *parsed, const uint64_t *found,
			struct export_rows *rows, struct pl_err *err)
{
	size_t count = mirror_view_column_count(parsed->view);
	auto_facet_rows struct facet_rows *masks = query_facet_rows_new(parsed->view, found);
	auto_tally tally = { .room = 0 };

	rows->columns = pl_alloc_array(count, sizeof(*rows->columns));
	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *column = mirror_view_at(parsed->view, i);
		if (mirror_view_goes_on(parsed->view, err) < 0)
			return -1;
		if (!mirror_column_is_recorded(column))
			continue;
		query_tally_column(&tally, column, masks);
		if (tally.class_counts[MIRROR_MISSING] < rows->count)
			rows->columns[rows->column_count++] = column;
	}
	return 0;
}

static void find_rows(const struct parsed *parsed, const uint64_t *found, struct export_rows *rows)
{
	auto_rows_order struct rows_order *order = query_rows_order_new(parsed->view, parsed->keys,
									parsed->key_count);
	struct rows_page page = {
		.limit = mirror_kernels()->count(found, mirror_view_words(parsed->view)),
	};

	rows->rows_in_order = page.rows = pl_alloc_array(page.limit, sizeof(*rows->rows_in_order));
	query_rows_of_page(order, found, &page);
	rows->count = page.count;
}

static int find(struct export_rows *rows, const json_t *request, struct schema_faults *faults,
		struct pl_err *err)
{
	auto_parsed parsed = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
					    .faults = faults } };
	const json_t *filter = json_object_get(request, "filter");
	const json_t *sort = json_object_get(request, "sort");
	const json_t *wanted = json_object_get(request, "columns");
	struct mirror_ids ids = { 0 };

	query_filter_fields(filter, &ids);
	query_request_ids(sort, &ids);
	query_request_ids(wanted, &ids);
	int status = mirror_view_new(rows->snapshot, &ids, &rows->view, err);
	free(ids.items);
	if (status < 0)
		return -1;
	parsed.view = rows->view;
	bool fits = query_filter_new(parsed.view, filter, "/filter", &parsed.filter, faults) == 0;
	fits = read_sort(&parsed, sort) && fits;
	if (json_is_array(wanted))
		fits = read_columns(&parsed, request, rows) && fits;
	if (!fits)
		return pl_err_invalid(err, "the request is invalid");
	const uint64_t *found = query_filter_rows(parsed.filter);
	find_rows(&parsed, found, rows);
	return json_is_array(wanted) ? 0 : find_columns(&parsed, found, rows, err);
}

static struct export_row_numbers numbers_of(const struct mirror_column *column)
{
	struct export_row_numbers row_numbers = { .codes = { UINT32_MAX, UINT32_MAX } };

	/* one explicit, one not */
	for (uint32_t code = 0, found = 0; code < column->distinct && found < 2; code++) {
		if (mirror_column_value(column, code)->is_elsewhere)
			row_numbers.codes[found++] = code;
	}
	return row_numbers;
}

int query_export_rows_new(struct mirror_snapshot *snapshot, const json_t *request,
			  struct export_rows **ret, struct schema_faults *faults,
			  struct pl_err *err)
{
	struct export_rows *rows = pl_alloc(sizeof(*rows));

	rows->snapshot = snapshot;
	if (find(rows, request, faults, err) < 0) {
		query_export_rows_free(rows);
		return -1;
	}
	rows->row_numbers = pl_alloc_array(rows->column_count, sizeof(*rows->row_numbers));
	for (size_t i = 0; i < rows->column_count; i++)
		rows->row_numbers[i] = numbers_of(rows->columns[i]);
	*ret = rows;
	return 0;
}

void query_export_rows_free(struct export_rows *rows)
{
	if (rows == NULL)
		return;
	mirror_view_free(rows->view);
	mirror_snapshot_put(rows->snapshot);
	free(rows->rows_in_order);
	free(rows->columns);
	free(rows->row_numbers);
	free(rows);
}

/* ---- access ---------------------------------------------------------------------------------- */

size_t query_export_rows_count(const struct export_rows *rows)
{
	return rows->count;
}

int64_t query_export_rows_version(const struct export_rows *rows)
{
	return mirror_snapshot_version(rows->snapshot);
}

size_t query_export_rows_columns(const struct export_rows *rows)
{
	return rows->column_count;
}

const char *query_export_rows_column(const struct export_rows *rows, size_t column)
{
	return rows->columns[column]->field->id;
}

int64_t query_export_rows_id(const struct export_rows *rows, size_t at)
{
	return mirror_view_id(rows->view, rows->rows_in_order[at]);
}

const char *query_export_rows_run_id(const struct export_rows *rows, size_t at)
{
	return mirror_view_run_id(rows->view, rows->rows_in_order[at]);
}

void query_export_rows_spot(const struct export_rows *rows, size_t at, size_t count,
			    struct export_spot *ret)
{
	const size_t *rows_in_order = rows->rows_in_order + at;

	*ret = (struct export_spot){ at, count, rows_in_order[0] / MIRROR_SEGMENT_ROWS, { 0 } };
	for (size_t i = 0; i < count; i++) {
		ret->within[i] = (uint32_t)(rows_in_order[i] % MIRROR_SEGMENT_ROWS);
		if (rows_in_order[i] / MIRROR_SEGMENT_ROWS != ret->segment)
			ret->segment = SIZE_MAX;
	}
}

static bool are_alike(const uint32_t *codes, size_t count)
{
	uint32_t differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= codes[i] ^ codes[0];
	return differ == 0;
}

bool query_export_rows_codes(const struct export_rows *rows, const struct export_spot *spot,
			     size_t column, uint32_t *ret_codes)
{
	const struct mirror_column *from = rows->columns[column];

	if (spot->segment == SIZE_MAX) {
		for (size_t i = 0; i < spot->count; i++)
			ret_codes[i] = mirror_chunk_code(
				mirror_column_chunk(from, rows->rows_in_order[spot->at + i] /
								  MIRROR_SEGMENT_ROWS),
				spot->within[i]);
		return are_alike(ret_codes, spot->count);
	}
	const struct chunk *chunk = mirror_column_chunk(from, spot->segment);
	mirror_chunk_gather(chunk, spot->within, spot->count, ret_codes);
	return chunk->form == CHUNK_CONSTANT || are_alike(ret_codes, spot->count);
}

uint32_t query_export_rows_distinct(const struct export_rows *rows, size_t column)
{
	return rows->columns[column]->distinct;
}

struct export_row_numbers query_export_rows_numbers(const struct export_rows *rows,
						    const struct export_spot *spot, size_t column)
{
	struct export_row_numbers row_numbers = rows->row_numbers[column];

	if (spot->segment != SIZE_MAX && row_numbers.codes[0] != UINT32_MAX)
		row_numbers.numbers =
			mirror_column_chunk(rows->columns[column], spot->segment)->numbers;
	return row_numbers;
}

bool query_export_rows_cell(const struct export_rows *rows, size_t at, size_t column, uint32_t code,
			    struct mirror_cell *ret)
{
	const struct mirror_column *from = rows->columns[column];
	struct mirror_value value = *mirror_column_value(from, code);
	size_t row = rows->rows_in_order[at];

	if (value.is_elsewhere)
		value.number = mirror_column_chunk(from, row / MIRROR_SEGMENT_ROWS)
				       ->numbers[row % MIRROR_SEGMENT_ROWS];
	*ret = mirror_dictionary_cell(&value);
	return !value.is_elsewhere;
}

/* ---- tables ---------------------------------------------------------------------------------- */

size_t (*query_export_rows_classes(const struct export_rows *rows))[MIRROR_CLASS_COUNT]
{
	size_t(*ret)[MIRROR_CLASS_COUNT] = pl_alloc_array(rows->column_count, sizeof(*ret));
	auto_free uint64_t *found = pl_alloc_array(mirror_view_words(rows->view), sizeof(*found));
	auto_tally tally = { .room = 0 };

	for (size_t i = 0; i < rows->count; i++)
		found[rows->rows_in_order[i] / 64] |= 1ull << rows->rows_in_order[i] % 64;
	auto_facet_rows struct facet_rows *masks = query_facet_rows_new(rows->view, found);
	for (size_t i = 0; i < rows->column_count; i++) {
		query_tally_column(&tally, rows->columns[i], masks);
		memcpy(ret[i], tally.class_counts, sizeof(ret[i]));
	}
	return ret;
}

const struct mirror_column *query_export_rows_source(const struct export_rows *rows, size_t column)
{
	return rows->columns[column];
}

size_t query_export_rows_place(const struct export_rows *rows, size_t at)
{
	return rows->rows_in_order[at];
}

size_t query_export_rows_segment_rows(const struct export_rows *rows, size_t segment)
{
	return mirror_view_rows(rows->view, segment);
}
