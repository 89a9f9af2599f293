#include "query/groups/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "query/facets/tally_priv.h"
#include "query/filter.h"
#include "query/groups/cells_priv.h"
#include "query/groups/compared_priv.h"
#include "query/groups/matching_priv.h"
#include "query/request_priv.h"
#include "result/compare/documents.h"
#include "tbl/request_bounds.h"

#define IDS_SHOWN_MAX 100
#define SIMULATED     "environment.engine.simulated"

_Static_assert(BOUND_SIDES_MAX == RES_COMPARE_SIDES_MAX, "a request's sides can all be compared");

struct side {
	uint64_t *rows; /* owned */
	bool is_filter;
	size_t count;
	struct facet_rows *facet_rows;
	json_t *document; /* of a single run; NULL: it was removed meanwhile */
	char *name;
	json_t *about;
};

struct comparison {
	struct mirror_view *view;
	struct query_pointer pointer;
	struct mirror_ids ids;
	struct side sides[RES_COMPARE_SIDES_MAX];
	size_t count;
	struct request_fields metrics;
	struct res_field *metric_fields;
	double effect;
	bool with_simulated;
	bool match;
	json_t *matched;      /* the matched cells; NULL: matching was not requested */
	json_int_t budget_ms; /* 0: none */
	int64_t began_ns;
	struct tally tally;
	struct pl_err ended; /* queries were ended */
};

static void comparison_done(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		struct side *side = &comparison->sides[i];
		free(side->rows);
		query_facet_rows_free(side->facet_rows);
		json_decref(side->document);
		json_decref(side->about);
		free(side->name);
	}
	query_tally_done(&comparison->tally);
	json_decref(comparison->matched);
	mirror_view_free(comparison->view);
	query_pointer_done(&comparison->pointer);
	free(comparison->ids.items);
	free(comparison->metrics.items);
	free(comparison->metric_fields);
}
#define auto_comparison __attribute__((cleanup(comparison_done), unused)) struct comparison

/* ---- rows of a side ------------------------------------------------------------------------------ */

typedef void row_fn(void *context, size_t row);

static void each_row(const uint64_t *rows, size_t words, row_fn *take, void *context)
{
	for (size_t word = 0; word < words; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1)
			take(context, word * MIRROR_WORD_ROWS + (size_t)__builtin_ctzll(bits));
	}
}

/* A requested id, its index in the list, and whether such a row exists. */
struct wanted {
	int64_t id;
	size_t at;
	bool is_there;
};

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *one = a, *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

static int compare_positions(const void *a, const void *b)
{
	const struct wanted *one = a, *other = b;

	return (one->at > other->at) - (one->at < other->at);
}

static void read_ids(const json_t *list, struct wanted *wanted)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		wanted[i] = (struct wanted){ json_integer_value(json_array_get(list, i)), i,
					     false };
}

/* A repeated id is found once; its other entry has no row, and the adjacent entry shows why. */
static bool report_missing(struct comparison *comparison, const json_t *list, struct wanted *wanted,
			   size_t count)
{
	bool fits = true;

	for (size_t i = 1; i < count; i++)
		wanted[i].is_there = wanted[i].is_there ||
				     (wanted[i].id == wanted[i - 1].id && wanted[i - 1].is_there);
	for (size_t i = count; i-- > 1;)
		wanted[i - 1].is_there = wanted[i - 1].is_there ||
					 (wanted[i].id == wanted[i - 1].id && wanted[i].is_there);
	qsort(wanted, count, sizeof(*wanted), compare_positions);
	for (size_t i = 0; i < count; i++) {
		size_t before = query_pointer_enter_item(&comparison->pointer, i);
		if (!wanted[i].is_there)
			fits = query_pointer_fault(&comparison->pointer, "id",
						   json_array_get(list, i),
						   "the id of a stored result", NULL);
		query_pointer_leave(&comparison->pointer, before);
	}
	return fits;
}

static void find_rows(const struct mirror_view *view, struct wanted *wanted, size_t count,
		      uint64_t *ret_rows)
{
	for (size_t i = 0; i < mirror_view_segments(view); i++) {
		uint64_t live[MIRROR_SEGMENT_WORDS];
		mirror_view_live(view, i, live);
		for (size_t row = 0; row < mirror_view_rows(view, i); row++) {
			size_t pointer = i * MIRROR_SEGMENT_ROWS + row;
			struct wanted key = { .id = mirror_view_id(view, pointer) };
			if ((live[row / MIRROR_WORD_ROWS] >> row % MIRROR_WORD_ROWS & 1) == 0)
				continue;
			struct wanted *found = bsearch(&key, wanted, count, sizeof(*wanted),
						       compare_wanted);
			if (found == NULL)
				continue;
			found->is_there = true;
			ret_rows[pointer / MIRROR_WORD_ROWS] |= 1ull << pointer % MIRROR_WORD_ROWS;
		}
	}
}

void query_compared_simulated(const struct mirror_view *view, uint64_t *ret_rows)
{
	const struct mirror_column *column = mirror_view_column(view, SIMULATED);

	for (size_t i = 0; i < mirror_view_segments(view); i++) {
		auto_free uint8_t *wanted = pl_alloc(column->distinct);
		for (uint32_t code = 0; code < column->distinct; code++)
			wanted[code] = mirror_column_value(column, code)->class == MIRROR_YES;
		mirror_chunk_match(mirror_column_chunk(column, i), mirror_view_rows(view, i),
				   wanted, column->distinct, ret_rows + i * MIRROR_SEGMENT_WORDS);
	}
}

static bool rows_of_filter(struct comparison *comparison, const json_t *side, uint64_t *ret_rows)
{
	size_t words = mirror_view_words(comparison->view);
	size_t before = query_pointer_enter(&comparison->pointer, "filter");
	auto_filter struct query_filter *filter = NULL;
	bool fits = query_filter_new(comparison->view, query_request_member(side, "filter"),
				     pl_buf_text(&comparison->pointer.pointer), &filter,
				     comparison->pointer.faults) == 0;

	query_pointer_leave(&comparison->pointer, before);
	if (fits && words > 0)
		memcpy(ret_rows, query_filter_rows(filter), words * sizeof(*ret_rows));
	return fits;
}

/* ---- sides --------------------------------------------------------------------------------------- */

struct listing {
	const struct mirror_view *view;
	json_t *ids;
	size_t last;
};

static void list_id(void *context, size_t row)
{
	struct listing *listing = context;

	json_array_append_new(listing->ids, json_integer(mirror_view_id(listing->view, row)));
	listing->last = row;
}

/* Reads its ids, and the document of a single run. */
static int look_at(const struct comparison *comparison, struct side *side, struct pl_err *err)
{
	const struct mirror_view *view = comparison->view;
	struct listing listing = { .view = view, .ids = json_array() };

	side->count = mirror_kernels()->count(side->rows, mirror_view_words(view));
	side->facet_rows = query_facet_rows_new(view, side->rows);
	if (side->count <= IDS_SHOWN_MAX)
		each_row(side->rows, mirror_view_words(view), list_id, &listing);
	if (side->count <= IDS_SHOWN_MAX)
		json_object_set(side->about, "ids", listing.ids);
	json_decref(listing.ids);
	if (side->count != 1)
		return 0;
	json_object_set_new(side->about, "run_id",
			    pl_json_text(mirror_view_run_id(view, listing.last)));
	return mirror_view_document(view, listing.last, &side->document, err);
}

static char *name_of(const struct side *side, const char *label)
{
	json_int_t id = json_integer_value(json_array_get(json_object_get(side->about, "ids"), 0));

	if (label != NULL)
		return pl_strdup(label);
	return side->count == 1 ? pl_asprintf("experiment %lld", (long long)id)
				: pl_asprintf("%zu experiments", side->count);
}

static bool read_side(struct comparison *comparison, const json_t *json)
{
	struct side *side = &comparison->sides[comparison->count++];
	const json_t *ids = query_request_member(json, "ids");

	side->rows = pl_alloc_array(mirror_view_words(comparison->view), sizeof(*side->rows));
	side->about = json_object();
	if ((ids != NULL) == (query_request_member(json, "filter") != NULL))
		return query_pointer_fault(&comparison->pointer, "type", json,
					   "ids or a filter, but not both", NULL);
	if (ids != NULL) {
		size_t count = json_array_size(ids),
		       before = query_pointer_enter(&comparison->pointer, "ids");
		auto_free struct wanted *wanted = pl_alloc_array(count, sizeof(*wanted));
		read_ids(ids, wanted);
		qsort(wanted, count, sizeof(*wanted), compare_wanted);
		find_rows(comparison->view, wanted, count, side->rows);
		bool fits = report_missing(comparison, ids, wanted, count);
		query_pointer_leave(&comparison->pointer, before);
		return fits;
	}
	side->is_filter = true;
	return rows_of_filter(comparison, json, side->rows);
}

/* ---- the request --------------------------------------------------------------------------------- */

static bool read_metrics(struct comparison *comparison, const json_t *request)
{
	struct request_fields *metrics = &comparison->metrics;

	if (query_request_member(request, "metrics") == NULL)
		return true;
	if (!query_request_columns(&comparison->pointer, comparison->view, request, "metrics",
				   metrics))
		return false;
	comparison->metric_fields = pl_alloc_array(metrics->count + 1,
						   sizeof(*comparison->metric_fields));
	for (size_t i = 0; i < metrics->count; i++)
		comparison->metric_fields[i] = *metrics->items[i]->field;
	return true;
}

/* ---- values of the sides ------------------------------------------------------------------------- */

static void add_cell(const struct cell *cell, struct res_sample *ret)
{
	const struct res_value value = {
		.state = cell->class == MIRROR_MISSING ? RES_VALUE_NOT_RECORDED
			 : cell->class == MIRROR_NULL  ? RES_VALUE_NULL
						       : RES_VALUE_PRESENT,
		.kind = cell->class == MIRROR_NUMBER ? RES_VALUE_NUMBER : RES_VALUE_TEXT,
		.number = cell->number,
	};

	res_sample_add(ret, &value);
}

static void sample_of(void *context, size_t at, const struct res_field *field,
		      struct res_sample *ret)
{
	const struct comparison *comparison = context;
	const struct side *side = &comparison->sides[at];
	const struct mirror_column *column = mirror_view_column(comparison->view, field->id);
	auto_free struct cell *cells = pl_alloc_array(side->count, sizeof(*cells));

	*ret = (struct res_sample){ 0 };
	if (column != NULL) /* NULL: no row of the store records the field */
		query_cells_read(comparison->view, column, side->rows, cells);
	for (size_t i = 0; i < side->count; i++)
		add_cell(column != NULL ? &cells[i] : &(struct cell){ .class = MIRROR_MISSING },
			 ret);
	res_sample_settle(ret);
	if (side->document != NULL)
		ret->has_within = res_compare_within(mirror_view_fields(comparison->view), field,
						     side->document, &ret->within);
}

void query_compared_values(struct tally *tally, const struct mirror_column *column,
			   const struct facet_rows *rows, size_t most,
			   struct res_compare_values *ret)
{
	query_tally_column(tally, column, rows);
	query_tally_list_others(tally, column);
	query_tally_list_words(tally, column);
	query_tally_find_numbers(tally, column, rows);
	/* Before they are listed, which modifies the tally. */
	for (size_t i = 0; i < tally->counted_count; i++)
		res_compare_reach(ret, tally->counted[i].number);
	for (size_t i = 0; i < tally->rising.count; i++) {
		if (tally->rising.counts[i] > 0)
			res_compare_reach(ret, tally->rising.numbers[i]);
	}
	size_t distinct = tally->value_count + tally_distinct_numbers(tally);
	size_t listed = distinct < most ? distinct : most;
	query_tally_list_numbers(tally, most);
	if (listed < distinct)
		query_tally_put_first(tally, column, listed, TALLY_BY_COUNT);
	for (size_t i = 0; i < listed; i++) {
		const struct tally_value *tallied = &tally->values[i];
		const struct mirror_value *value = &tallied->value;
		switch ((enum mirror_class)value->class) {
		case MIRROR_NO:
		case MIRROR_YES:
			res_compare_add_yes(ret, value->class == MIRROR_YES, tallied->count);
			break;
		case MIRROR_NUMBER:
			res_compare_add_number(ret, value->number, tallied->count);
			break;
		case MIRROR_TEXT:
			res_compare_add_text(ret, value->text, tallied->count);
			break;
		case MIRROR_JSON:
			res_compare_add_json(ret, value->text, tallied->count);
			break;
		default:
			break;
		}
	}
	ret->more = distinct - listed;
	ret->null = tally->class_counts[MIRROR_NULL];
	ret->not_recorded = tally->class_counts[MIRROR_MISSING];
}

static void values_of(void *context, size_t at, const struct res_field *field,
		      struct res_compare_values *ret)
{
	struct comparison *comparison = context;
	const struct side *side = &comparison->sides[at];

	query_compared_values(&comparison->tally, mirror_view_column(comparison->view, field->id),
			      side->facet_rows, SIZE_MAX, ret);
}

static bool is_in_time(void *context)
{
	struct comparison *comparison = context;
	int64_t used_ns = pl_clock_now_ns() - comparison->began_ns;

	if (mirror_view_goes_on(comparison->view, &comparison->ended) < 0)
		return false;
	return mirror_view_has_time(comparison->view) &&
	       (comparison->budget_ms == 0 || used_ns < comparison->budget_ms * PL_NS_PER_MS);
}

/* ---- the response -------------------------------------------------------------------------------- */

static json_t *compare(struct comparison *comparison, bool list_equal)
{
	struct res_compare_side sides[RES_COMPARE_SIDES_MAX];
	size_t shared[RES_COMPARE_SIDES_MAX][RES_COMPARE_SIDES_MAX] = { 0 };
	size_t words = mirror_view_words(comparison->view);

	for (size_t i = 0; i < comparison->count; i++) {
		const struct side *side = &comparison->sides[i];
		sides[i] = (struct res_compare_side){ side->name, side->count, side->about };
		for (size_t k = i + 1; k < comparison->count; k++)
			shared[i][k] = mirror_kernels()->count_and(
				side->rows, comparison->sides[k].rows, words);
	}
	const struct res_compare_source source = { .context = comparison,
						   .fields = mirror_view_fields(comparison->view),
						   .sides = sides,
						   .side_count = comparison->count,
						   .sample = sample_of,
						   .values = values_of,
						   .shared = shared,
						   .is_in_time = is_in_time };
	return res_compare(&source,
			   &(struct res_compare_options){ .metrics = comparison->metric_fields,
							  .metric_count = comparison->metrics.count,
							  .effect = comparison->effect,
							  .list_equal = list_equal });
}

static int look_at_sides(struct comparison *comparison, const json_t *request, struct pl_err *err)
{
	const json_t *sides = json_object_get(request, "sides");

	for (size_t i = 0; i < comparison->count; i++) {
		const char *label = pl_json_get_text(json_array_get(sides, i), "label");
		if (mirror_view_goes_on(comparison->view, err) < 0 ||
		    look_at(comparison, &comparison->sides[i], err) < 0)
			return -1;
		comparison->sides[i].name = name_of(&comparison->sides[i], label);
	}
	return 0;
}

/* Removes rows without a match before the sides are read. */
static int match_sides(struct comparison *comparison, struct pl_err *err)
{
	struct matching_side sides[RES_COMPARE_SIDES_MAX];
	struct matching matching;

	for (size_t i = 0; i < comparison->count; i++) {
		uint64_t *rows = comparison->sides[i].rows;
		sides[i] = (struct matching_side){
			rows, mirror_kernels()->count(rows, mirror_view_words(comparison->view)), 0
		};
	}
	int result = query_matching_keep(comparison->view, sides, comparison->count, &matching,
					 err);
	comparison->matched = json_pack("{s:o, s:o, s:I}", "inputs", matching.by,
					"unmatched_inputs", matching.apart, "cell_count",
					(json_int_t)matching.cells);
	for (size_t i = 0; i < comparison->count; i++)
		json_object_set_new(comparison->sides[i].about, "unmatched",
				    json_integer((json_int_t)sides[i].fell_out));
	return result;
}

int query_compare(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_comparison comparison = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
						    .faults = faults },
				       .began_ns = pl_clock_now_ns() };

	PL_JSON_EACH(side, query_request_member(request, "sides"))
		query_filter_fields(query_request_member(side, "filter"), &comparison.ids);
	query_request_ids(query_request_member(request, "metrics"), &comparison.ids);
	if (mirror_view_new(snapshot, &comparison.ids, &comparison.view, err) < 0)
		return -1;
	const json_t *sides = query_request_member(request, "sides");
	size_t before = query_pointer_enter(&comparison.pointer, "sides");
	bool fits = true;
	for (size_t i = 0; i < json_array_size(sides); i++) {
		size_t outside = query_pointer_enter_item(&comparison.pointer, i);
		fits = read_side(&comparison, json_array_get(sides, i)) && fits;
		query_pointer_leave(&comparison.pointer, outside);
	}
	query_pointer_leave(&comparison.pointer, before);
	fits = read_metrics(&comparison, request) && fits;
	comparison.effect = json_number_value(json_object_get(request, "effect"));
	comparison.match = json_is_true(json_object_get(request, "match"));
	comparison.with_simulated = json_is_true(json_object_get(request, "simulated"));
	comparison.budget_ms = query_request_number(request, "budget_ms", 0);
	if (!fits)
		return query_request_refuse(&comparison.pointer, err);
	/* As on a chart: removes simulated rows of filters if the sides have others and they were not requested. */
	const struct mirror_kernels *kernels = mirror_kernels();
	size_t words = mirror_view_words(comparison.view), others = 0;
	auto_free uint64_t *simulated = pl_alloc_array(words, sizeof(*simulated));
	query_compared_simulated(comparison.view, simulated);
	for (size_t i = 0; i < comparison.count; i++) {
		const uint64_t *rows = comparison.sides[i].rows;
		others += kernels->count(rows, words) - kernels->count_and(rows, simulated, words);
	}
	for (size_t i = 0; i < comparison.count; i++) {
		struct side *side = &comparison.sides[i];
		size_t left_out = 0;
		if (!side->is_filter)
			continue;
		if (!comparison.with_simulated && others > 0) {
			left_out = kernels->count_and(side->rows, simulated, words);
			kernels->and_not(side->rows, side->rows, simulated, words);
		}
		json_object_set_new(side->about, "excluded", json_integer((json_int_t)left_out));
	}
	if ((comparison.match && match_sides(&comparison, err) < 0) ||
	    look_at_sides(&comparison, request, err) < 0 ||
	    mirror_view_settle(comparison.view, err) < 0)
		return -1;
	auto_json json_t *answer = compare(&comparison,
					   json_is_true(json_object_get(request, "equal")));
	if (comparison.ended.code != PL_ERR_NONE) {
		*err = comparison.ended;
		return -1;
	}
	if (comparison.matched != NULL)
		json_object_set(answer, "matched", comparison.matched);
	json_object_set_new(answer, "data_version",
			    json_integer(mirror_snapshot_version(snapshot)));
	if (!pl_json_write(answer, PL_JSON_COMPACT, ret_json))
		return pl_err_set(err, PL_ERR_INVALID,
				  "the response is larger than %zu bytes; request fewer metrics",
				  ret_json->max);
	return 0;
}
