/*
 * A request is read twice: first for its ids, so that the view can make all columns in one pass, and then completely,
 * reporting each fault with its location. Rows are read only if there is no fault.
 */
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "query/cursor_priv.h"
#include "query/facets/facet_priv.h"
#include "query/facets/metrics_priv.h"
#include "query/filter.h"
#include "query/out_priv.h"
#include "query/pointer.h"
#include "query/request_priv.h"
#include "tbl/request_bounds.h"

/* A parsed request. */
struct query {
	struct mirror_view *view;
	struct query_pointer pointer;
	struct mirror_ids ids;
	struct query_filter *filter;
	struct query_needle *needle;
	json_int_t limit;
	json_int_t offset;
	json_int_t budget_ms; /* 0: none */
	const char *cursor;   /* NULL: none */
	struct rows_key keys[BOUND_SORT_KEYS_MAX];
	size_t key_count;
	struct request_fields columns; /* columns of the cells */
	struct request_fields facets;
	struct request_fields metrics;
	const struct mirror_column *field; /* field of query_values() */

	int64_t began_ns;
	int64_t facets_began_ns; /* start of the budget, which covers facets and metrics */
	const uint64_t *rows;
	struct facet_rows *facet_rows;
	struct mirror_ids not_ready;
};

static void query_done(struct query *query)
{
	query_filter_free(query->filter);
	query_needle_free(query->needle);
	mirror_view_free(query->view);
	query_pointer_done(&query->pointer);
	free(query->ids.items);
	free(query->columns.items);
	free(query->facets.items);
	free(query->metrics.items);
	query_facet_rows_free(query->facet_rows);
	free(query->not_ready.items);
}
#define auto_query __attribute__((cleanup(query_done), unused)) struct query

/* ---- the ids --------------------------------------------------------------------------------- */

static int open_view(struct query *query, const struct mirror_snapshot *snapshot,
		     const json_t *request, struct pl_err *err)
{
	static const char *const lists[] = { "sort", "columns", "facets", "fields", "metrics" };
	const char *field = json_string_value(query_request_member(request, "field"));

	query_filter_fields(query_request_member(request, "filter"), &query->ids);
	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++)
		query_request_ids(query_request_member(request, lists[i]), &query->ids);
	if (field != NULL)
		*PL_PUSH(query->ids.items, query->ids.count, query->ids.room) = field;
	return mirror_view_new(snapshot, &query->ids, &query->view, err);
}

/* ---- the request ----------------------------------------------------------------------------- */

/* Without a list, every field. */
static bool read_fields_or_all(struct query *query, const json_t *request, const char *key,
			       struct request_fields *ret)
{
	ret->are_all = query_request_member(request, key) == NULL;
	return ret->are_all ||
	       query_request_columns(&query->pointer, query->view, request, key, ret);
}

static bool read_facets(struct query *query, const json_t *request)
{
	const json_t *facets = query_request_member(request, "facets");

	query->facets.are_all = json_is_true(facets);
	if (facets == NULL || json_is_boolean(facets))
		return true;
	return query_request_columns(&query->pointer, query->view, request, "facets",
				     &query->facets);
}

static bool read_sort(struct query *query, const json_t *request)
{
	const json_t *sort = query_request_member(request, "sort");
	size_t before = query_pointer_enter(&query->pointer, "sort");
	bool fits = true;

	for (size_t i = 0; fits && i < json_array_size(sort); i++) {
		const json_t *key = json_array_get(sort, i);
		struct rows_key *read = &query->keys[query->key_count++];
		size_t outside = query_pointer_enter_item(&query->pointer, i);
		fits = query_request_field(&query->pointer, query->view, key, "field",
					   &read->column);
		read->descends = pl_text_equal(pl_json_get_text(key, "dir"), "desc");
		query_pointer_leave(&query->pointer, outside);
	}
	query_pointer_leave(&query->pointer, before);
	return fits;
}

static void read_search(struct query *query, const json_t *request)
{
	const char *search = pl_json_get_text(request, "search");

	if (search != NULL)
		query->needle = query_needle_new(search, false);
}

static bool read_filter(struct query *query, const json_t *request)
{
	return query_filter_new(query->view, query_request_member(request, "filter"), "/filter",
				&query->filter, query->pointer.faults) == 0;
}

static bool read_cursor(struct query *query, const json_t *request)
{
	const json_t *cursor = query_request_member(request, "cursor");
	size_t before = query_pointer_enter(&query->pointer, "cursor");
	bool fits = cursor == NULL || query_request_member(request, "offset") == NULL ||
		    query_pointer_fault(&query->pointer, "cursor", cursor,
					"no offset together with cursor", NULL);

	query->cursor = json_string_value(cursor);
	query_pointer_leave(&query->pointer, before);
	return fits;
}

/* Selects the rows if the request is valid. */
static int settle(struct query *query, bool fits, struct pl_err *err)
{
	if (!fits)
		return query_request_refuse(&query->pointer, err);
	query->rows = query_filter_rows(query->filter);
	if (mirror_view_goes_on(query->view, err) < 0)
		return -1;
	query->facet_rows = query_facet_rows_new(query->view, query->rows);
	return 0;
}

/* ---- responses ------------------------------------------------------------------------------- */

static void write_counts(const struct query *query, struct pl_buf *out)
{
	out_count(out, "count", query_facet_rows_count(query->facet_rows));
	out_count(out, "total", mirror_view_count(query->view));
}

static int write_rows(struct query *query, const json_t *request, struct pl_buf *out,
		      struct pl_err *err)
{
	size_t found[BOUND_ROWS_MAX];
	uint64_t after[BOUND_SORT_KEYS_MAX + 1];
	uint64_t question = query_cursor_question(query_request_member(request, "filter"),
						  query_request_member(request, "sort"),
						  mirror_view_epoch(query->view));
	struct rows_page page = { .offset = (size_t)query->offset,
				  .limit = (size_t)query->limit,
				  .rows = found };
	auto_rows_order struct rows_order *order = query_rows_order_new(query->view, query->keys,
									query->key_count);
	auto_rows_writer struct rows_writer *writer = query_rows_writer_new(
		query->view, query->columns.items, query->columns.count);

	if (query->cursor != NULL) {
		query_pointer_enter(&query->pointer, "cursor");
		page.after = after;
		if (!query_cursor_read(query->cursor, query->keys, query->key_count, question,
				       query->view, order, after)) {
			query_pointer_fault(
				&query->pointer, "cursor", query_request_member(request, "cursor"),
				"the next_cursor of a response to the same filter and sort, "
				"from the present database",
				NULL);
			return query_request_refuse(&query->pointer, err);
		}
	}
	query_rows_of_page(order, query->rows, &page);
	query_out_key(out, "rows");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < page.count; i++) {
		query_out_next(out);
		query_rows_write(writer, page.rows[i], out);
	}
	pl_buf_add_char(out, ']');
	query_out_key(out, "next_cursor");
	if (page.left > 0 && page.count > 0)
		query_cursor_write(query->keys, query->key_count, question, query->view,
				   page.rows[page.count - 1], out);
	else
		pl_buf_add_text(out, "null");
	return 0;
}

/* A list may name a field twice. */
static bool is_named_before(const struct request_fields *fields, size_t at)
{
	for (size_t i = 0; !fields->are_all && i < at; i++) {
		if (fields->items[i] == fields->items[at])
			return true;
	}
	return false;
}

/* Returns false if the budget is used up, and lists the field as incomplete. The first one is always computed. */
static bool is_in_time(struct query *query, const struct mirror_column *column, size_t before)
{
	if (before == 0 || (mirror_view_has_time(query->view) &&
			    (query->budget_ms == 0 || pl_clock_now_ns() - query->facets_began_ns <
							      query->budget_ms * PL_NS_PER_MS)))
		return true;
	*PL_PUSH(query->not_ready.items, query->not_ready.count,
		 query->not_ready.room) = column->field->id;
	return false;
}

static int write_facets(struct query *query, const char *key, struct facet_options options,
			struct pl_buf *out, struct pl_err *err)
{
	const struct request_fields *fields = &query->facets;
	auto_facets struct facet_scratch *scratch = query_facet_scratch_new();
	size_t count = fields->are_all ? mirror_view_column_count(query->view) : fields->count;

	options.needle = query->needle;
	options.only_varying = options.counts_only = fields->are_all;
	query_out_key(out, key);
	pl_buf_add_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *column = fields->are_all
							     ? mirror_view_at(query->view, i)
							     : fields->items[i];
		if (mirror_view_goes_on(query->view, err) < 0)
			return -1;
		if ((fields->are_all && !mirror_column_is_recorded(column)) ||
		    is_named_before(fields, i) || !is_in_time(query, column, i))
			continue;
		const uint64_t *rows = query_filter_rows_without(query->filter, column);
		auto_facet_rows struct facet_rows *all_rows =
			rows != query->rows ? query_facet_rows_new(query->view, rows) : NULL;
		query_facet_of(scratch, column, all_rows != NULL ? all_rows : query->facet_rows,
			       &options, out);
	}
	pl_buf_add_char(out, '}');
	return 0;
}

static int write_metrics(struct query *query, struct pl_buf *out, struct pl_err *err)
{
	auto_metrics scratch = { .count = 0 };

	query_out_key(out, "metrics");
	pl_buf_add_char(out, '{');
	for (size_t i = 0; i < query->metrics.count; i++) {
		const struct mirror_column *column = query->metrics.items[i];
		if (mirror_view_goes_on(query->view, err) < 0)
			return -1;
		if (is_named_before(&query->metrics, i) || !is_in_time(query, column, i))
			continue;
		query_out_key(out, column->field->id);
		query_metrics_write(&scratch, column, query->facet_rows, out);
	}
	pl_buf_add_char(out, '}');
	return 0;
}

static void write_not_ready(const struct query *query, struct pl_buf *out)
{
	query_out_key(out, "incomplete");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < query->not_ready.count; i++) {
		query_out_next(out);
		query_out_text(out, query->not_ready.items[i]);
	}
	pl_buf_add_char(out, ']');
}

static struct query begin(struct schema_faults *faults, json_int_t limit)
{
	return (struct query){
		.pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX), .faults = faults },
		.limit = limit,
		.began_ns = pl_clock_now_ns(),
	};
}

static bool read_apply(struct query *query, const json_t *request)
{
	bool fits = read_filter(query, request);

	fits = read_sort(query, request) && fits;
	fits = read_fields_or_all(query, request, "columns", &query->columns) && fits;
	fits = read_facets(query, request) && fits;
	if (query_request_member(request, "metrics") != NULL)
		fits = query_request_columns(&query->pointer, query->view, request, "metrics",
					     &query->metrics) &&
		       fits;
	query->limit = query_request_number(request, "limit", query->limit);
	query->offset = query_request_number(request, "offset", 0);
	query->budget_ms = query_request_number(request, "budget_ms", 0);
	return read_cursor(query, request) && fits;
}

int query_apply(const struct mirror_snapshot *snapshot, const json_t *request,
		struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_query query = begin(faults, BOUND_ROWS_DEFAULT);

	if (open_view(&query, snapshot, request, err) < 0 ||
	    settle(&query, read_apply(&query, request), err) < 0)
		return -1;
	pl_buf_add_char(ret_json, '{');
	write_counts(&query, ret_json);
	if (write_rows(&query, request, ret_json, err) < 0 ||
	    mirror_view_settle(query.view, err) < 0)
		return -1;
	query.facets_began_ns = pl_clock_now_ns();
	const struct facet_options options = { .limit = BOUND_VALUES_DEFAULT };
	if ((query.facets.are_all || query.facets.items != NULL) &&
	    write_facets(&query, "facets", options, ret_json, err) < 0)
		return -1;
	if (query.metrics.items != NULL && write_metrics(&query, ret_json, err) < 0)
		return -1;
	write_not_ready(&query, ret_json);
	query_out_key(ret_json, "elapsed_ms");
	query_out_f64(ret_json, (double)(pl_clock_now_ns() - query.began_ns) / PL_NS_PER_MS);
	return query_out_end(ret_json, mirror_snapshot_version(snapshot), "; request fewer columns",
			     err);
}

static bool read_options(struct query *query, const json_t *request)
{
	bool fits = read_filter(query, request);

	read_search(query, request);
	query->limit = query_request_number(request, "limit", query->limit);
	query->budget_ms = query_request_number(request, "budget_ms", 0);
	return read_fields_or_all(query, request, "fields", &query->facets) && fits;
}

int query_options(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_query query = begin(faults, BOUND_VALUES_DEFAULT);

	if (open_view(&query, snapshot, request, err) < 0 ||
	    settle(&query, read_options(&query, request), err) < 0)
		return -1;
	pl_buf_add_char(ret_json, '{');
	write_counts(&query, ret_json);
	if (mirror_view_settle(query.view, err) < 0)
		return -1;
	query.facets_began_ns = pl_clock_now_ns();
	const struct facet_options options = { .limit = (size_t)query.limit, .with_control = true };
	if (write_facets(&query, "options", options, ret_json, err) < 0)
		return -1;
	write_not_ready(&query, ret_json);
	return query_out_end(ret_json, mirror_snapshot_version(snapshot), "; request fewer columns",
			     err);
}

static bool read_values(struct query *query, const json_t *request)
{
	bool fits = read_filter(query, request);

	read_search(query, request);
	query->limit = query_request_number(request, "limit", query->limit);
	query->offset = query_request_number(request, "offset", 0);
	return query_request_field(&query->pointer, query->view, request, "field", &query->field) &&
	       fits;
}

int query_values(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_query query = begin(faults, BOUND_VALUES_DEFAULT);
	auto_facets struct facet_scratch *scratch = query_facet_scratch_new();

	if (open_view(&query, snapshot, request, err) < 0)
		return -1;
	if (!read_values(&query, request))
		return query_request_refuse(&query.pointer, err);
	auto_facet_rows struct facet_rows *rows = query_facet_rows_new(
		query.view, query_filter_rows_without(query.filter, query.field));
	const struct facet_options options = { .needle = query.needle,
					       .offset = (size_t)query.offset,
					       .limit = (size_t)query.limit };
	pl_buf_add_text(ret_json, "{\"field\":");
	query_out_text(ret_json, query.field->field->id);
	query_facet_values(scratch, query.field, rows, &options, ret_json);
	return query_out_end(ret_json, mirror_snapshot_version(snapshot), "; request fewer columns",
			     err);
}
