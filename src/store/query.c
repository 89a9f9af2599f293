/*
 * A request is read twice: first for the ids in it, so that the view can make all columns in one pass,
 * then for what it asks, each fault told where it stands. Only then rows are looked at.
 */
#include "store/query.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/facet_priv.h"
#include "store/faults_priv.h"
#include "store/filter.h"
#include "store/option.h"
#include "store/rows_priv.h"

#define ROWS_DEFAULT   50
#define VALUES_DEFAULT 50
#define FIELDS_MAX     2000 /* that one list may name */
#define OFFSET_MAX     1000000000

/* What a request asks, once it is read. */
struct query {
	struct store_view *view;
	struct place place;
	struct store_ids ids;
	struct store_filter *filter;
	struct store_needle *needle;
	json_int_t limit;
	json_int_t offset;
	struct rows_key keys[STORE_QUERY_KEYS_MAX];
	size_t key_count;
	const struct store_column **columns; /* of cells */
	size_t column_count;
	const struct store_column **facets;
	size_t facet_count;
	bool all_columns;
	bool all_facets;
	bool with_controls;

	uint64_t *rows;
	size_t count;
};

static void query_done(struct query *query)
{
	store_filter_free(query->filter);
	store_needle_free(query->needle);
	store_view_free(query->view);
	place_done(&query->place);
	free(query->ids.items);
	free(query->columns);
	free(query->facets);
	free(query->rows);
}
#define auto_query __attribute__((cleanup(query_done), unused)) struct query

/* What is null is left out. */
static const json_t *member(const json_t *request, const char *key)
{
	const json_t *value = json_object_get(request, key);

	return json_is_null(value) ? NULL : value;
}

/* ---- the ids --------------------------------------------------------------------------------- */

/* Of texts, or of objects that have a field. */
static void collect_ids(const json_t *list, struct store_ids *ids)
{
	for (size_t i = 0; i < json_array_size(list) && i < FIELDS_MAX; i++) {
		const json_t *item = json_array_get(list, i);
		const json_t *field = json_object_get(item, "field");
		const char *id = json_string_value(field != NULL ? field : item);
		if (id != NULL)
			*PL_PUSH(ids->items, ids->count, ids->room) = id;
	}
}

static int open_view(struct query *query, const struct store_columns *columns,
		     const json_t *request, struct pl_err *err)
{
	static const char *const lists[] = { "sort", "columns", "facets", "fields" };

	store_filter_fields(member(request, "filter"), &query->ids);
	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++)
		collect_ids(member(request, lists[i]), &query->ids);
	return store_view_new(columns, &query->ids, &query->view, err);
}

/* ---- what is asked --------------------------------------------------------------------------- */

static bool read_column(struct query *query, const json_t *field, const struct store_column **ret)
{
	const char *id = json_string_value(field);

	if (id == NULL)
		return place_fault(&query->place, "type", field, "the id of a field", NULL);
	*ret = store_view_column(query->view, id);
	if (*ret == NULL)
		return place_fault(&query->place, "field", field, "the id of a field",
				   res_fields_nearest(store_view_fields(query->view), id));
	return true;
}

static bool read_columns(struct query *query, const json_t *request, const char *key,
			 const struct store_column ***ret, size_t *ret_count)
{
	const json_t *list = member(request, key);
	size_t before = place_enter(&query->place, key);
	size_t count = json_array_size(list);
	bool fits = json_is_array(list) && count <= FIELDS_MAX;

	if (!json_is_array(list))
		place_fault(&query->place, "type", list, "a list of ids of fields", NULL);
	else if (!fits)
		place_limit(&query->place, list, FIELDS_MAX, "fields");
	*ret = pl_alloc_array(count, sizeof(**ret));
	*ret_count = count;
	for (size_t i = 0; i < count && count <= FIELDS_MAX; i++) {
		size_t outside = place_enter_item(&query->place, i);
		fits = read_column(query, json_array_get(list, i), &(*ret)[i]) && fits;
		place_leave(&query->place, outside);
	}
	place_leave(&query->place, before);
	return fits;
}

static bool read_facets(struct query *query, const json_t *request)
{
	const json_t *facets = member(request, "facets");

	query->all_facets = json_is_true(facets);
	if (facets == NULL || json_is_boolean(facets))
		return true;
	return read_columns(query, request, "facets", &query->facets, &query->facet_count);
}

static bool read_key(struct query *query, const json_t *key, struct rows_key *ret)
{
	static const char *const known[] = { "field", "dir", NULL };
	static const char *const ways[] = { "asc", "desc" };
	const json_t *field = json_object_get(key, "field"), *way = member(key, "dir");
	bool fits;
	size_t before;

	if (!json_is_object(key))
		return place_fault(&query->place, "type", key, "an object with field and dir",
				   NULL);
	fits = place_keys(&query->place, key, known);
	if (field == NULL)
		return place_missing(&query->place, "field", "the id of a field");
	before = place_enter(&query->place, "field");
	fits = read_column(query, field, &ret->column) && fits;
	place_leave(&query->place, before);
	ret->descends = pl_text_equal(json_string_value(way), "desc");
	if (way == NULL || ret->descends || pl_text_equal(json_string_value(way), "asc"))
		return fits;
	before = place_enter(&query->place, "dir");
	place_fault(&query->place, "enum", way, "asc or desc",
		    json_is_string(way) ? pl_text_nearest(json_string_value(way), ways, 2) : NULL);
	place_leave(&query->place, before);
	return false;
}

static bool read_sort(struct query *query, const json_t *request)
{
	const json_t *sort = member(request, "sort");
	size_t before = place_enter(&query->place, "sort");
	size_t count = json_array_size(sort);
	bool fits = (sort == NULL || json_is_array(sort)) && count <= STORE_QUERY_KEYS_MAX;

	if (sort != NULL && !json_is_array(sort))
		place_fault(&query->place, "type", sort, "a list of objects with field and dir",
			    NULL);
	else if (!fits)
		place_limit(&query->place, sort, STORE_QUERY_KEYS_MAX, "keys");
	for (size_t i = 0; fits && i < count; i++) {
		size_t outside = place_enter_item(&query->place, i);
		fits = read_key(query, json_array_get(sort, i), &query->keys[i]);
		place_leave(&query->place, outside);
		query->key_count++;
	}
	place_leave(&query->place, before);
	return fits;
}

static bool read_number(struct query *query, const json_t *request, const char *key, json_int_t low,
			json_int_t high, json_int_t *number)
{
	const json_t *value = member(request, key);
	char expected[64];
	size_t before;

	if (value == NULL)
		return true;
	if (json_is_integer(value) && json_integer_value(value) >= low &&
	    json_integer_value(value) <= high) {
		*number = json_integer_value(value);
		return true;
	}
	snprintf(expected, sizeof(expected), "a whole number from %lld to %lld", (long long)low,
		 (long long)high);
	before = place_enter(&query->place, key);
	place_fault(&query->place, "value", value, expected, NULL);
	place_leave(&query->place, before);
	return false;
}

static bool read_search(struct query *query, const json_t *request)
{
	const json_t *search = member(request, "search");
	size_t before;

	if (search == NULL)
		return true;
	if (json_is_string(search) && json_string_length(search) <= STORE_NEEDLE_BYTES_MAX) {
		query->needle = store_needle_new(json_string_value(search), false);
		return true;
	}
	before = place_enter(&query->place, "search");
	if (json_is_string(search))
		place_limit(&query->place, search, STORE_NEEDLE_BYTES_MAX, "bytes");
	else
		place_fault(&query->place, "type", search, "a text", NULL);
	place_leave(&query->place, before);
	return false;
}

static bool read_filter(struct query *query, const json_t *request)
{
	return store_filter_new(query->view, member(request, "filter"), "/filter", &query->filter,
				query->place.faults) == 0;
}

/* The rows that are meant, once nothing is wrong. */
static int settle(struct query *query, bool fits, struct pl_err *err)
{
	auto_buf line = PL_BUF(sizeof(err->text));
	size_t words = store_view_words(query->view);

	if (!fits) {
		res_schema_fault_text(&query->place.faults->items[0], &line);
		return pl_err_set(err, PL_ERR_INVALID, "%s", pl_buf_text(&line));
	}
	query->rows = pl_alloc_array(words, sizeof(*query->rows));
	store_filter_rows(query->filter, query->rows);
	for (size_t i = 0; i < words; i++)
		query->count += (size_t)__builtin_popcountll(query->rows[i]);
	return 0;
}

/* ---- answers --------------------------------------------------------------------------------- */

static json_t *rows_json(const struct query *query)
{
	size_t found[STORE_QUERY_ROWS_MAX];
	size_t count = rows_of_page(query->view, query->rows, query->count, query->keys,
				    query->key_count, (size_t)query->offset, (size_t)query->limit,
				    found);
	json_t *rows = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(rows, row_to_json(query->view, found[i],
							query->all_columns ? NULL : query->columns,
							query->column_count));
	return rows;
}

/* Of a facet as it was told: an option is one and the same with its control. */
static void add_control(const struct res_field *field, json_t *facet)
{
	size_t words = json_array_size(json_object_get(facet, "words"));
	size_t distinct = (size_t)pl_json_get_i64(facet, "distinct");
	const bool has_ends = json_object_get(facet, "min") != NULL;
	struct store_option_facts facts = {
		.distinct = distinct + words,
		.numbers = field->type != RES_FIELD_TIME && has_ends ? distinct : 0,
		.has_times = field->type == RES_FIELD_TIME && has_ends,
	};
	auto_json json_t *told = res_field_to_json(field);
	static const char *const keys[] = { "label", "group", "unit", "type", "direction" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++)
		json_object_set(facet, keys[i], json_object_get(told, keys[i]));
	json_object_set_new(facet, "widget", json_string(store_option_widget(field, &facts)));
}

static json_t *facets_json(const struct query *query, size_t limit)
{
	auto_facets struct facet_scratch *scratch = facet_scratch_new(query->view);
	auto_free uint64_t *without = pl_alloc_array(store_view_words(query->view),
						     sizeof(*without));
	const struct facet_options options = { .limit = limit,
					       .needle = query->needle,
					       .only_varying = query->all_facets };
	size_t count = query->all_facets ? store_view_column_count(query->view)
					 : query->facet_count;
	json_t *facets = json_object();

	for (size_t i = 0; i < count; i++) {
		const struct store_column *column = query->all_facets
							    ? store_view_at(query->view, i)
							    : query->facets[i];
		bool is_own = store_filter_rows_without(query->filter, column, without);
		json_t *facet = facet_of(scratch, column, is_own ? without : query->rows, &options);
		if (facet != NULL && query->with_controls)
			add_control(&column->field, facet);
		if (facet != NULL)
			json_object_set_new(facets, column->field.id, facet);
	}
	return facets;
}

static json_t *values_json(const struct query *query, const struct store_column *column)
{
	auto_facets struct facet_scratch *scratch = facet_scratch_new(query->view);
	auto_free uint64_t *without = pl_alloc_array(store_view_words(query->view),
						     sizeof(*without));
	const struct facet_options options = { .limit = (size_t)query->limit,
					       .offset = (size_t)query->offset,
					       .needle = query->needle,
					       .by_count = true };
	bool is_own = store_filter_rows_without(query->filter, column, without);

	return facet_values(scratch, column, is_own ? without : query->rows, &options);
}

static int not_an_object(const json_t *request, struct query *query, struct pl_err *err)
{
	place_fault(&query->place, "type", request, "an object", NULL);
	return pl_err_set(err, PL_ERR_INVALID, "the request is no object");
}

int store_query_apply(const struct store_columns *columns, const json_t *request, json_t **ret,
		      struct res_schema_faults *faults, struct pl_err *err)
{
	static const char *const keys[] = { "filter", "sort",   "columns", "limit",
					    "offset", "facets", NULL };
	int64_t began_ns = pl_clock_now_ns();
	auto_query query = { .place = { .pointer = PL_BUF(PLACE_BYTES_MAX), .faults = faults },
			     .limit = ROWS_DEFAULT };
	bool fits;

	if (!json_is_object(request))
		return not_an_object(request, &query, err);
	if (open_view(&query, columns, request, err) < 0)
		return -1;
	fits = place_keys(&query.place, request, keys);
	fits = read_filter(&query, request) && fits;
	fits = read_sort(&query, request) && fits;
	query.all_columns = member(request, "columns") == NULL;
	query.column_count = store_view_column_count(query.view);
	if (!query.all_columns)
		fits = read_columns(&query, request, "columns", &query.columns,
				    &query.column_count) &&
		       fits;
	fits = read_number(&query, request, "limit", 0, STORE_QUERY_ROWS_MAX, &query.limit) && fits;
	fits = read_number(&query, request, "offset", 0, OFFSET_MAX, &query.offset) && fits;
	fits = read_facets(&query, request) && fits;
	if (settle(&query, fits, err) < 0)
		return -1;
	json_t *answer = json_pack("{s:I, s:I, s:o}", "count", (json_int_t)query.count, "total",
				   (json_int_t)store_columns_count(columns), "rows",
				   rows_json(&query));
	if (query.all_facets || query.facets != NULL)
		json_object_set_new(answer, "facets", facets_json(&query, VALUES_DEFAULT));
	json_object_set_new(answer, "elapsed_ms",
			    json_real((double)(pl_clock_now_ns() - began_ns) / PL_NS_PER_MS));
	json_object_set_new(answer, "data_version",
			    json_integer((json_int_t)store_columns_version(columns)));
	*ret = answer;
	return 0;
}

int store_query_options(const struct store_columns *columns, const json_t *request, json_t **ret,
			struct res_schema_faults *faults, struct pl_err *err)
{
	static const char *const keys[] = { "fields", "filter", "search", "limit", NULL };
	auto_query query = { .place = { .pointer = PL_BUF(PLACE_BYTES_MAX), .faults = faults },
			     .limit = VALUES_DEFAULT,
			     .with_controls = true };
	bool fits;

	if (!json_is_object(request))
		return not_an_object(request, &query, err);
	if (open_view(&query, columns, request, err) < 0)
		return -1;
	fits = place_keys(&query.place, request, keys);
	fits = read_filter(&query, request) && fits;
	query.all_facets = member(request, "fields") == NULL;
	if (!query.all_facets)
		fits = read_columns(&query, request, "fields", &query.facets, &query.facet_count) &&
		       fits;
	fits = read_search(&query, request) && fits;
	fits = read_number(&query, request, "limit", 1, STORE_QUERY_VALUES_MAX, &query.limit) &&
	       fits;
	if (settle(&query, fits, err) < 0)
		return -1;
	*ret = json_pack("{s:I, s:I, s:I, s:o}", "count", (json_int_t)query.count, "total",
			 (json_int_t)store_columns_count(columns), "data_version",
			 (json_int_t)store_columns_version(columns), "options",
			 facets_json(&query, (size_t)query.limit));
	return 0;
}

int store_query_values(const struct store_columns *columns, const json_t *request, json_t **ret,
		       struct res_schema_faults *faults, struct pl_err *err)
{
	static const char *const keys[] = { "field", "search", "filter", "limit", "offset", NULL };
	auto_query query = { .place = { .pointer = PL_BUF(PLACE_BYTES_MAX), .faults = faults },
			     .limit = VALUES_DEFAULT };
	const json_t *field = json_object_get(request, "field");
	const struct store_column *column = NULL;
	bool fits;

	if (!json_is_object(request))
		return not_an_object(request, &query, err);
	if (json_is_string(field))
		*PL_PUSH(query.ids.items, query.ids.count,
			 query.ids.room) = json_string_value(field);
	if (open_view(&query, columns, request, err) < 0)
		return -1;
	fits = place_keys(&query.place, request, keys);
	fits = read_filter(&query, request) && fits;
	size_t before = place_enter(&query.place, "field");
	fits = read_column(&query, field, &column) && fits;
	place_leave(&query.place, before);
	fits = read_search(&query, request) && fits;
	fits = read_number(&query, request, "limit", 1, STORE_QUERY_VALUES_MAX, &query.limit) &&
	       fits;
	fits = read_number(&query, request, "offset", 0, OFFSET_MAX, &query.offset) && fits;
	if (settle(&query, fits, err) < 0)
		return -1;
	*ret = json_pack("{s:s}", "field", column->field.id);
	auto_json json_t *values = values_json(&query, column);
	json_object_update(*ret, values);
	json_object_set_new(*ret, "data_version",
			    json_integer((json_int_t)store_columns_version(columns)));
	return 0;
}
