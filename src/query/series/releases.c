/*
 * Two releases over all configurations that both were measured with. A configuration is the same if all inputs that were set,
 * the engine, and the model and number of GPUs are equal, except for the compared field and those of `vary`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "query/out_priv.h"
#include "query/series/set_priv.h"
#include "result/compare/compare.h"
#include "result/match/grid.h"
#include "result/match/heat.h"

#define UNMATCHED_MAX 200
#define AXES_MAX      2
#define IDS_MAX       50  /* listed experiments of a configuration and side */
#define VALUES_MAX    200 /* listed values of the field */

/* Parts of the key in addition to inputs, as in result/match/match.c. */
static const char *const facts[] = { "system.hardware_info.gpu_name", "derived.gpu_count",
				     "environment.engine.simulated" };

struct releases {
	struct series_set set;
	json_t *wanted;             /* [a, b]; null: unknown */
	json_t *values;             /* of the field, in their order: [{value, label, count}] */
	struct request_fields axes; /* of the heat map, if the request chooses them */
	const struct mirror_column **columns;
	struct res_field *metrics; /* of the columns */
	double **numbers;          /* by metric and row in the bitmap */
	size_t metric_count;
	bool are_chosen; /* by the request: metrics without a number stay */
	json_int_t budget_ms;
	int64_t began_ns; /* of the metrics: configurations are always matched */
};

static void releases_done(struct releases *releases)
{
	for (size_t i = 0; releases->numbers != NULL && i < releases->metric_count; i++)
		free(releases->numbers[i]);
	free(releases->numbers);
	free(releases->columns);
	free(releases->metrics);
	free(releases->axes.items);
	json_decref(releases->wanted);
	json_decref(releases->values);
	query_series_set_done(&releases->set);
}
#define auto_releases __attribute__((cleanup(releases_done), unused)) struct releases

/* ---- the request --------------------------------------------------------------------------------- */

static void add_metric(struct releases *releases, const struct mirror_column *column)
{
	for (size_t i = 0; i < releases->metric_count; i++) {
		if (releases->columns[i] == column)
			return;
	}
	releases->columns[releases->metric_count++] = column;
}

static bool read_metrics(struct releases *releases, const json_t *request)
{
	const struct res_field *fields[RES_COMPARE_HEADLINE_MAX];
	struct series_set *set = &releases->set;
	struct request_fields chosen = { 0 };
	size_t count = 0;

	releases->are_chosen = query_request_member(request, "metrics") != NULL;
	bool fits = !releases->are_chosen ||
		    query_request_columns(&set->pointer, set->view, request, "metrics", &chosen);
	if (!releases->are_chosen)
		count = res_compare_headline(mirror_view_fields(set->view), fields);
	releases->columns = pl_alloc_array(chosen.count + count + 1, sizeof(*releases->columns));
	for (size_t i = 0; fits && i < chosen.count; i++)
		add_metric(releases, chosen.items[i]);
	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *column = mirror_view_column(set->view, fields[i]->id);
		if (column != NULL && fields[i]->direction != RES_FIELD_NEITHER)
			add_metric(releases, column);
	}
	free(chosen.items);
	return fits;
}

/* 1 and 1.0 are the same value. */
static bool is_same_value(const json_t *one, const json_t *other)
{
	double a = json_number_value(one), b = json_number_value(other);

	if (json_is_number(one) && json_is_number(other))
		return !(a < b) && !(a > b);
	return json_equal(one, other);
}

static bool read_values(struct releases *releases, const json_t *request)
{
	json_t *a = (json_t *)query_request_member(request, "a");
	json_t *b = (json_t *)query_request_member(request, "b");
	struct query_pointer *pointer = &releases->set.pointer;
	bool fits = true;

	releases->wanted = json_pack("[O?, O?]", a, b);
	if (a != NULL && b != NULL && is_same_value(a, b)) {
		size_t before = query_pointer_enter(pointer, "b");
		fits = query_pointer_fault(pointer, "type", b, "another value than a", NULL);
		query_pointer_leave(pointer, before);
	}
	return fits;
}

static bool is_left_out(const struct series_set *set, const struct mirror_column *column)
{
	bool is_out = column == NULL || column == set->version;

	for (size_t i = 0; i < set->vary.count; i++)
		is_out |= set->vary.items[i] == column;
	return is_out;
}

static bool read_request(struct releases *releases, const json_t *request)
{
	struct series_set *set = &releases->set;
	bool fits = query_series_set_read(set, request);

	fits = read_values(releases, request) && fits;
	fits = read_metrics(releases, request) && fits;
	if (query_request_member(request, "axes") != NULL)
		fits = query_request_columns(&set->pointer, set->view, request, "axes",
					     &releases->axes) &&
		       fits;
	releases->budget_ms = query_request_number(request, "budget_ms", 0);
	set->is_each = true;
	set->keep.items = pl_alloc_array(PL_ARRAY_SIZE(facts), sizeof(*set->keep.items));
	for (size_t i = 0; i < PL_ARRAY_SIZE(facts); i++) {
		const struct mirror_column *column = mirror_view_column(set->view, facts[i]);
		if (!is_left_out(set, column))
			set->keep.items[set->keep.count++] = column;
	}
	return fits;
}

/* ---- the two values ------------------------------------------------------------------------------ */

static json_t *value_at(const struct releases *releases, size_t at)
{
	return json_object_get(json_array_get(releases->values, at), "value");
}

/* Returns the position of the value; SIZE_MAX: no result has it. */
static size_t position_of_value(const struct releases *releases, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(releases->values); i++) {
		if (is_same_value(value_at(releases, i), value))
			return i;
	}
	return SIZE_MAX;
}

static bool is_unknown(const struct releases *releases, enum res_grid_side side)
{
	return json_is_null(json_array_get(releases->wanted, side));
}

static void choose(struct releases *releases, enum res_grid_side side, size_t at)
{
	if (value_at(releases, at) != NULL)
		json_array_set(releases->wanted, side, value_at(releases, at));
}

/* An unknown b is the newest value other than a, and an unknown a the one before b. 1.0 becomes 1 if results have 1. */
static void choose_values(struct releases *releases)
{
	size_t count = json_array_size(releases->values), other;

	for (enum res_grid_side side = RES_GRID_A; side < RES_GRID_SIDES; side++) {
		other = position_of_value(releases, json_array_get(releases->wanted, side));
		if (!is_unknown(releases, side) && other != SIZE_MAX)
			choose(releases, side, other);
	}
	if (count < 2)
		return;
	if (is_unknown(releases, RES_GRID_B)) {
		other = position_of_value(releases, json_array_get(releases->wanted, RES_GRID_A));
		choose(releases, RES_GRID_B, other == count - 1 ? count - 2 : count - 1);
	}
	if (is_unknown(releases, RES_GRID_A)) {
		other = position_of_value(releases, json_array_get(releases->wanted, RES_GRID_B));
		other = other == SIZE_MAX ? count : other;
		choose(releases, RES_GRID_A, other > 0 ? other - 1 : 1);
	}
}

static int find_values(struct releases *releases, const json_t *request, struct pl_err *err)
{
	struct series_set *set = &releases->set;

	set->is_by_version = true;
	if (query_series_set_values(set, request, &releases->values, err) < 0)
		return -1;
	choose_values(releases);
	set->wanted = releases->wanted;
	return 0;
}

/* ---- the grid ------------------------------------------------------------------------------------ */

static bool has_number(const struct series_set *set, const double *numbers)
{
	for (size_t i = 0; i < set->row_count; i++) {
		if (isfinite(numbers[set->rows[i].index]))
			return true;
	}
	return false;
}

/* Reads the metrics, and forgets those without a number that the request does not name. */
static int read_numbers(struct releases *releases, struct pl_err *err)
{
	const struct series_set *set = &releases->set;
	size_t count = releases->metric_count;

	releases->numbers = pl_alloc_array(count + 1, sizeof(*releases->numbers));
	releases->metrics = pl_alloc_array(count + 1, sizeof(*releases->metrics));
	releases->metric_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (mirror_view_goes_on(set->view, err) < 0)
			return -1;
		double *numbers = pl_alloc_array(set->bitmap_count + 1, sizeof(*numbers));
		query_series_numbers(set, releases->columns[i], numbers);
		if (!releases->are_chosen && !has_number(set, numbers)) {
			free(numbers);
			continue;
		}
		releases->metrics[releases->metric_count] = *releases->columns[i]->field;
		releases->numbers[releases->metric_count++] = numbers;
	}
	return 0;
}

static size_t count_without_number(const struct releases *releases)
{
	size_t count = 0;

	for (size_t i = 0; i < releases->set.row_count; i++) {
		bool has = false;
		for (size_t k = 0; k < releases->metric_count && !has; k++)
			has = isfinite(releases->numbers[k][releases->set.rows[i].index]);
		count += !has;
	}
	return count;
}

static enum res_grid_side side_of(const struct releases *releases, const struct series_row *row)
{
	const struct mirror_value *value = &releases->set.versions[row->version - 1].value;

	return query_series_value_is(value, json_array_get(releases->wanted, RES_GRID_A))
		       ? RES_GRID_A
		       : RES_GRID_B;
}

static void fill_grid(const struct releases *releases, struct res_grid *grid)
{
	const struct series_set *set = &releases->set;
	auto_free double *values = pl_alloc_array(releases->metric_count + 1, sizeof(*values));

	for (size_t i = 0; i < set->configuration_count; i++) {
		const struct series_configuration *configuration = &set->configurations[i];
		size_t cells[RES_GRID_SIDES] = { SIZE_MAX, SIZE_MAX };
		for (size_t k = 0; k < configuration->count; k++) {
			const struct series_row *row = configuration->rows[k];
			enum res_grid_side side = side_of(releases, row);
			for (size_t m = 0; m < releases->metric_count; m++)
				values[m] = releases->numbers[m][row->index];
			if (cells[side] == SIZE_MAX)
				cells[side] = res_grid_cell(grid, side,
							    json_incref(configuration->inputs));
			res_grid_add_run(grid, side, cells[side], values);
			res_grid_add_id(grid, side, cells[side], row->id);
		}
	}
}

/* ---- the response -------------------------------------------------------------------------------- */

/* NULL: unknown. */
static char *name_of(const struct releases *releases, enum res_grid_side side)
{
	return is_unknown(releases, side)
		       ? NULL
		       : pl_json_to_plain(json_array_get(releases->wanted, side));
}

/* Adds the values of the sides, and the newest values of the field. */
static void add_values(const struct releases *releases, json_t *answer)
{
	json_t *values = json_array();
	size_t count = json_array_size(releases->values);

	for (size_t i = count > VALUES_MAX ? count - VALUES_MAX : 0; i < count; i++)
		json_array_append(values, json_array_get(releases->values, i));
	json_object_set_new(answer, "values", values);
	json_object_set(json_object_get(answer, "a"), "value",
			json_array_get(releases->wanted, RES_GRID_A));
	json_object_set(json_object_get(answer, "b"), "value",
			json_array_get(releases->wanted, RES_GRID_B));
}

/* Returns false once the time has ended, or the client has left. */
static bool has_time(void *data)
{
	const struct releases *releases = data;
	int64_t used_ns = pl_clock_now_ns() - releases->began_ns;

	return (releases->budget_ms <= 0 || used_ns < releases->budget_ms * PL_NS_PER_MS) &&
	       mirror_view_has_time(releases->set.view);
}

/* Lists what there was no time for: metrics, and "unmatched" for the lists of unmatched configurations. */
static json_t *incomplete_of(const struct releases *releases, const json_t *answer)
{
	const json_t *unmatched = json_object_get(answer, "unmatched");
	json_t *list = json_array();

	for (size_t i = json_array_size(json_object_get(answer, "metrics"));
	     i < releases->metric_count; i++)
		json_array_append_new(list, json_string(releases->metrics[i].id));
	if ((json_array_size(json_object_get(unmatched, "a")) == 0 &&
	     json_integer_value(json_object_get(unmatched, "a_count")) > 0) ||
	    (json_array_size(json_object_get(unmatched, "b")) == 0 &&
	     json_integer_value(json_object_get(unmatched, "b_count")) > 0))
		json_array_append_new(list, json_string("unmatched"));
	return list;
}

static json_t *answer_of(struct releases *releases, double effect, struct pl_err *err)
{
	const struct res_fields *fields = mirror_view_fields(releases->set.view);
	auto_free char *a = name_of(releases, RES_GRID_A);
	auto_free char *b = name_of(releases, RES_GRID_B);
	struct res_grid_options options = { .metrics = releases->metrics,
					    .metric_count = releases->metric_count,
					    .effect = effect,
					    .names = { a, b },
					    .unmatched_max = UNMATCHED_MAX,
					    .ids_max = IDS_MAX,
					    .goes_on = has_time,
					    .data = releases };
	auto_grid struct res_grid *grid = res_grid_new(fields, &options);
	const char *axes[AXES_MAX];

	fill_grid(releases, grid);
	if (mirror_view_settle(releases->set.view, err) < 0)
		return NULL;
	releases->began_ns = pl_clock_now_ns();
	json_t *answer = res_grid_json(grid);
	for (size_t i = 0; i < releases->axes.count; i++)
		axes[i] = releases->axes.items[i]->field->id;
	res_heat_add(answer, releases->axes.items != NULL ? axes : NULL, releases->axes.count);
	return answer;
}

static json_t *field_json(const struct series_set *set)
{
	return json_pack("{s:s, s:s}", "field", set->version_id, "label",
			 set->version != NULL ? set->version->field->label : set->version_id);
}

int query_releases(const struct mirror_snapshot *snapshot, const json_t *request,
		   struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_releases releases = { .set = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
							 .faults = faults },
					    .points_max = SIZE_MAX } };
	struct series_set *set = &releases.set;
	json_t *filter = (json_t *)query_request_member(request, "filter");
	double effect = json_number_value(query_request_member(request, "effect"));

	if (query_series_set_open(snapshot, request, set, err) < 0)
		return -1;
	if (!read_request(&releases, request))
		return query_request_refuse(&set->pointer, err);
	if (find_values(&releases, request, err) < 0 ||
	    query_series_set_fill(set, request, err) < 0 || read_numbers(&releases, err) < 0)
		return -1;
	auto_json json_t *answer = answer_of(&releases, effect, err);
	if (answer == NULL || mirror_view_goes_on(set->view, err) < 0)
		return -1;
	add_values(&releases, answer);
	json_object_set_new(answer, "field", field_json(set));
	json_object_set_new(answer, "excluded",
			    query_series_excluded_json(set, count_without_number(&releases)));
	json_object_set_new(answer, "analysis_version", json_integer(QUERY_ANALYSIS_VERSION));
	if (filter != NULL)
		json_object_set(answer, "filter", filter);
	/* the last one, as dash/question.c expects */
	json_object_set_new(answer, "incomplete", incomplete_of(&releases, answer));
	pl_buf_add_char(ret_json, '{');
	PL_JSON_EACH_MEMBER(key, value, answer) {
		query_out_key(ret_json, key);
		pl_json_write(value, PL_JSON_COMPACT, ret_json);
	}
	return query_out_end(ret_json, mirror_snapshot_version(snapshot),
			     "; use a narrower filter or fewer metrics", err);
}
