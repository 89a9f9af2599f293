#include "query/missing/missing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "mirror/kernels/kernels.h"
#include "query/configurations/configurations_priv.h"
#include "query/configurations/pareto.h"
#include "query/filter.h"
#include "query/missing/missing_priv.h"
#include "result/fields/fields.h"
#include "tbl/request_bounds.h"

#define PARETO_BYTES_MAX (64u << 20)
#define PARETO_POINTS    5000
#define REPEATS_MAX      20 /* in the response */

struct missing {
	struct query_pointer pointer;
	struct mirror_view *view;
	struct mirror_ids ids;
	struct query_filter *filter;
	struct configurations configurations; /* only the choice of its rows */
	struct request_fields chosen;
	struct grid grid;
	struct grid_files files;
	json_t *pareto;
	json_t *repeats;
	int64_t *
		on_frontier; /* of each cell: the newest run of a point that is surely or perhaps on it; 0: none */
	size_t limit;
	json_int_t budget_ms;
	int64_t began_ns;
	bool is_late;
};

static void missing_done(struct missing *missing)
{
	free(missing->on_frontier);
	json_decref(missing->repeats);
	json_decref(missing->pareto);
	query_files_done(&missing->files);
	query_grid_done(&missing->grid);
	free(missing->chosen.items);
	query_configurations_done(&missing->configurations);
	query_filter_free(missing->filter);
	mirror_view_free(missing->view);
	query_pointer_done(&missing->pointer);
	free(missing->ids.items);
}
#define auto_missing __attribute__((cleanup(missing_done), unused)) struct missing

/* ---- rows ------------------------------------------------------------------------------------- */

static int open_view(struct missing *missing, const struct mirror_snapshot *snapshot,
		     const json_t *request, struct pl_err *err)
{
	query_filter_fields(query_request_member(request, "filter"), &missing->ids);
	query_request_ids(query_request_member(request, "fields"), &missing->ids);
	if (mirror_view_new(snapshot, &missing->ids, &missing->view, err) < 0)
		return -1;
	missing->configurations.view = missing->view;
	missing->grid.view = missing->view;
	return 0;
}

static bool read_request(struct missing *missing, const json_t *request)
{
	bool fits = query_filter_new(missing->view, query_request_member(request, "filter"),
				     "/filter", &missing->filter, missing->pointer.faults) == 0;
	fits = query_request_columns(&missing->pointer, missing->view, request, "fields",
				     &missing->chosen) &&
	       fits;

	missing->limit = (size_t)query_request_number(request, "limit", BOUND_MISSING_DEFAULT);
	missing->budget_ms = query_request_number(request, "budget_ms", 0);
	return fits;
}

static void list_rows(struct missing *missing, const json_t *request)
{
	struct configurations *configurations = &missing->configurations;
	struct grid *grid = &missing->grid;
	size_t words = mirror_view_words(missing->view);

	configurations->rows = pl_alloc_array(words + 1, sizeof(*configurations->rows));
	if (words > 0)
		memcpy(configurations->rows, query_filter_rows(missing->filter),
		       words * sizeof(*configurations->rows));
	query_configurations_choose(configurations,
				    json_is_true(json_object_get(request, "simulated")),
				    json_is_true(json_object_get(request, "untrusted")));
	size_t count = mirror_kernels()->count(configurations->rows, words);
	grid->places = pl_alloc_array(count + 1, sizeof(*grid->places));
	for (size_t word = 0; word < words; word++) {
		for (uint64_t bits = configurations->rows[word]; bits != 0; bits &= bits - 1)
			grid->places[grid->row_count++] = word * MIRROR_WORD_ROWS +
							  (size_t)__builtin_ctzll(bits);
	}
}

static bool varies_seed(const struct missing *missing)
{
	const struct mirror_column *column = mirror_view_column(missing->view, "benchmark.seed");
	const struct grid *grid = &missing->grid;

	for (size_t i = 1; column != NULL && i < grid->row_count; i++) {
		struct mirror_value one = mirror_column_at(column, grid->places[0]),
				    other = mirror_column_at(column, grid->places[i]);
		if (one.class != other.class || one.same != other.same)
			return true;
	}
	return false;
}

/* ---- the frontier ----------------------------------------------------------------------------- */

/* Asks for the frontier of the same results. Faults in metrics and group_by have the pointers of this request. */
static int find_frontier(struct missing *missing, const struct mirror_snapshot *snapshot,
			 const json_t *request, struct pl_err *err)
{
	static const char *const same[] = { "filter", "metrics", "group_by", "simulated",
					    "untrusted" };
	auto_json json_t *question = json_pack("{s:i}", "limit", PARETO_POINTS);
	auto_buf text = PL_BUF(PARETO_BYTES_MAX);

	for (size_t i = 0; i < PL_ARRAY_SIZE(same); i++) {
		if (json_object_get(request, same[i]) != NULL)
			json_object_set(question, same[i], json_object_get(request, same[i]));
	}
	if (missing->budget_ms > 0)
		json_object_set_new(question, "budget_ms",
				    json_integer(missing->budget_ms / 2 + 1));
	if (query_pareto(snapshot, question, &text, missing->pointer.faults, err) < 0)
		return -1;
	return pl_json_parse(pl_buf_text(&text), text.len, "frontier", &missing->pareto, err);
}

/* Marks the cells of repeats that may be on the frontier. */
static void mark_frontier(struct missing *missing)
{
	const struct grid *grid = &missing->grid;

	missing->on_frontier = pl_alloc_array((size_t)grid->size + 1, sizeof(int64_t));
	PL_JSON_EACH(repeat, missing->repeats) {
		const json_t *ids = json_object_get(repeat, "ids");
		int64_t *newest = &missing->on_frontier[pl_json_get_i64(repeat, "cell")];
		int64_t id = json_integer_value(json_array_get(ids, json_array_size(ids) - 1));
		if (id > *newest)
			*newest = id;
	}
}

/* ---- combinations ----------------------------------------------------------------------------- */

struct absent {
	size_t cell;
	size_t neighbors; /* on the frontier */
};

static int compare_absent(const void *a, const void *b)
{
	const struct absent *one = a, *other = b;

	if (one->neighbors != other->neighbors)
		return one->neighbors < other->neighbors ? 1 : -1;
	return (one->cell > other->cell) - (one->cell < other->cell);
}

/* Lists the frontier points that differ from a cell in the next or previous value of one axis. ids may be NULL. */
static size_t find_neighbors(const struct missing *missing, size_t cell, json_t *ids)
{
	const struct grid *grid = &missing->grid;
	size_t count = 0;

	for (size_t k = 0; k < grid->axis_count; k++) {
		size_t code = grid_code(grid, cell, k);
		size_t last = grid->fields[grid->axes[k]].count - 1;
		int64_t before = code > 0 ? missing->on_frontier[cell - grid->strides[k]] : 0;
		int64_t after = code < last ? missing->on_frontier[cell + grid->strides[k]] : 0;
		count += (before != 0) + (after != 0);
		if (before != 0)
			json_array_append_new(ids, json_integer(before));
		if (after != 0)
			json_array_append_new(ids, json_integer(after));
	}
	return count;
}

static bool has_time(struct missing *missing)
{
	int64_t used_ns = pl_clock_now_ns() - missing->began_ns;

	if (!mirror_view_has_time(missing->view) ||
	    (missing->budget_ms > 0 && used_ns > missing->budget_ms * PL_NS_PER_MS))
		missing->is_late = true;
	return !missing->is_late;
}

static json_t *differing(const struct grid *grid, size_t cell, size_t other)
{
	json_t *list = json_array();

	for (size_t k = 0; k < grid->axis_count; k++) {
		if (grid_code(grid, cell, k) != grid_code(grid, other, k))
			json_array_append_new(
				list, json_string(grid->fields[grid->axes[k]].column->field->id));
	}
	return list;
}

static int add_combination(struct missing *missing, size_t cell, json_t *list, struct pl_err *err)
{
	const struct grid *grid = &missing->grid;
	struct grid_estimate estimate;
	int64_t file;

	query_grid_estimate(grid, cell, &estimate);
	if (query_files_add(&missing->files, cell, estimate.nearest, false, 1, estimate.seconds,
			    &file, err) < 0)
		return -1;
	json_t *near = json_array();
	find_neighbors(missing, cell, near);
	json_array_append_new(
		list,
		json_pack("{s:I, s:o, s:{s:I, s:o}, s:o, s:o, s:o, s:o, s:I, s:I}", "cell",
			  (json_int_t)cell, "values", query_grid_values(grid, cell), "nearest",
			  "id",
			  (json_int_t)mirror_view_id(grid->view, grid->places[estimate.nearest]),
			  "differs", differing(grid, cell, grid->cell_of[estimate.nearest]),
			  "near_frontier", near, "seconds", pl_json_number(estimate.seconds),
			  "seconds_low", pl_json_number(estimate.low), "seconds_high",
			  pl_json_number(estimate.high), "seconds_runs", (json_int_t)estimate.runs,
			  "file", (json_int_t)file));
	return 0;
}

/* Adds the first missing combinations to `list`. Returns their number in all. */
static int list_missing(struct missing *missing, json_t *list, struct pl_err *err)
{
	const struct grid *grid = &missing->grid;
	size_t size = (size_t)grid->size, count = 0;
	auto_free struct absent *all = pl_alloc_array(size + 1, sizeof(*all));

	for (size_t cell = 0; cell < size; cell++) {
		if (grid->newest[cell] == NO_CELL)
			all[count++] = (struct absent){ cell, find_neighbors(missing, cell, NULL) };
	}
	qsort(all, count, sizeof(*all), compare_absent);
	for (size_t i = 0; i < count && i < missing->limit && has_time(missing); i++) {
		if (mirror_view_goes_on(missing->view, err) < 0 ||
		    add_combination(missing, all[i].cell, list, err) < 0)
			return -1;
	}
	return 0;
}

static int add_repeat_files(struct missing *missing, struct pl_err *err)
{
	PL_JSON_EACH(repeat, missing->repeats) {
		int64_t file;
		const json_t *seconds = json_object_get(repeat, "seconds");
		if (query_files_add(&missing->files, (size_t)pl_json_get_i64(repeat, "cell"),
				    (size_t)pl_json_get_i64(repeat, "row"), true,
				    pl_json_get_i64(repeat, "more_runs"),
				    json_is_number(seconds) ? json_number_value(seconds) : NAN,
				    &file, err) < 0)
			return -1;
		json_object_set_new(repeat, "file", json_integer((json_int_t)file));
		json_object_set_new(
			repeat, "values",
			query_grid_values(&missing->grid, (size_t)pl_json_get_i64(repeat, "cell")));
	}
	return 0;
}

/* ---- the response ----------------------------------------------------------------------------- */

static json_t *axes_json(const struct grid *grid)
{
	json_t *list = json_array();

	for (size_t k = 0; k < grid->axis_count; k++) {
		const struct grid_field *axis = &grid->fields[grid->axes[k]];
		const struct res_field *field = axis->column->field;
		json_t *values = json_array(), *followers = json_array();
		for (size_t i = 0; i < axis->count; i++)
			json_array_append_new(values, query_grid_value(&axis->values[i]));
		for (size_t i = 0; i < grid->field_count; i++) {
			const struct res_field *other = grid->fields[i].column->field;
			if (grid->fields[i].leader == grid->axes[k])
				json_array_append_new(followers,
						      json_pack("{s:s, s:s}", "field", other->id,
								"label", other->label));
		}
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "field",
						      field->id, "label", field->label, "unit",
						      field->unit, "settable",
						      (int)query_grid_is_settable(field), "values",
						      values, "followers", followers));
	}
	return list;
}

/* Moves the combinations that the rules refuse from `list` to the returned one. */
static json_t *take_invalid(json_t *list, const json_t *invalid)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < json_array_size(list);) {
		json_t *item = json_array_get(list, i);
		char key[32];
		snprintf(key, sizeof(key), "%lld", (long long)pl_json_get_i64(item, "cell"));
		json_t *problems = json_object_get(invalid, key);
		json_object_del(item, "cell");
		if (problems == NULL) {
			i++;
			continue;
		}
		json_array_append_new(ret, json_pack("{s:O, s:O}", "values",
						     json_object_get(item, "values"), "problems",
						     problems));
		json_array_remove(list, i);
	}
	return ret;
}

static void write_answer(struct missing *missing, const struct mirror_snapshot *snapshot,
			 json_t *list, struct pl_buf *out)
{
	const struct grid *grid = &missing->grid;
	const struct configurations *configurations = &missing->configurations;
	bool is_large = !(grid->size <= GRID_CELLS_MAX);
	auto_json json_t *invalid = NULL;
	auto_json json_t *files = query_files_write(&missing->files, &invalid);
	double absent = grid->size - (double)grid->present;
	double listed = (double)json_array_size(list);
	json_t *refused = take_invalid(list, invalid);

	PL_JSON_EACH(repeat, missing->repeats) {
		json_object_del(repeat, "cell");
		json_object_del(repeat, "row");
	}
	auto_json json_t *all = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:o, s:O, s:o}", "count", (json_int_t)grid->row_count,
		"total", (json_int_t)mirror_view_count(missing->view), "simulated",
		(json_int_t)configurations->simulated, "excluded",
		(json_int_t)configurations->simulated_excluded, "untrusted_excluded",
		(json_int_t)configurations->untrusted_excluded, "fields", axes_json(grid),
		"skipped", grid->skipped, "others",
		missing->chosen.count > 0 ? query_grid_others(grid) : json_array());
	json_object_set_new(all, "grid_count", pl_json_number(grid->size));
	json_object_set_new(all, "present_count",
			    is_large ? json_null() : json_integer((json_int_t)grid->present));
	json_object_set_new(all, "missing_count",
			    is_large ? json_null() : json_integer((json_int_t)absent));
	json_object_set_new(all, "too_large", json_boolean(is_large));
	json_object_set(all, "missing", list);
	json_object_set_new(all, "invalid", refused);
	json_object_set_new(all, "more_count",
			    json_integer(is_large ? 0 : (json_int_t)(absent - listed)));
	json_object_set(all, "repeats", missing->repeats);
	json_object_set(all, "files", files);
	json_object_set_new(all, "incomplete",
			    missing->is_late ? json_pack("[s]", "missing") : json_array());
	json_object_set_new(all, "data_version",
			    json_integer((json_int_t)mirror_snapshot_version(snapshot)));
	pl_json_write(all, PL_JSON_COMPACT, out);
}

int query_missing(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_missing missing = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
					      .faults = faults },
				 .began_ns = pl_clock_now_ns(),
				 .repeats = json_array() };
	auto_json json_t *list = json_array();
	struct grid *grid = &missing.grid;

	if (open_view(&missing, snapshot, request, err) < 0)
		return -1;
	if (!read_request(&missing, request))
		return query_request_refuse(&missing.pointer, err);
	list_rows(&missing, request);
	query_grid_fields(grid, &missing.chosen);
	if (query_grid_make(grid, missing.chosen.count > 0, err) < 0 ||
	    find_frontier(&missing, snapshot, request, err) < 0 ||
	    mirror_view_settle(missing.view, err) < 0)
		return -1;
	missing.files = (struct grid_files){ .grid = grid, .varies_seed = varies_seed(&missing) };
	if (grid->size <= GRID_CELLS_MAX && grid->row_count > 0) {
		json_decref(missing.repeats);
		missing.repeats = query_repeats(grid, missing.pareto);
		mark_frontier(&missing);
		while (json_array_size(missing.repeats) > REPEATS_MAX)
			json_array_remove(missing.repeats, json_array_size(missing.repeats) - 1);
		if (list_missing(&missing, list, err) < 0 || add_repeat_files(&missing, err) < 0)
			return -1;
	}
	write_answer(&missing, snapshot, list, ret_json);
	return ret_json->full ? pl_err_invalid(err, "the response is too large; request fewer "
						    "combinations")
			      : 0;
}
