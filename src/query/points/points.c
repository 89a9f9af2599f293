#include "query/points/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "query/out_priv.h"
#include "query/points/points_priv.h"
#include "query/request_priv.h"

#define LIMIT_MIN  500 /* that the selected and a frontier find room in */
#define DIGITS_MIN 3   /* fewer would move a mark by more than a pixel */

static const char *const form_names[POINTS_FORM_COUNT] = { "points", "groups", "bins",
							   "near",   "grid",   "parallel" };

static const char *const part_names[POINTS_PART_COUNT] = { "colour",   "shape",  "size",
							   "frontier", "labels", "near" };

static const char *const reason_names[POINTS_REASON_COUNT] = {
	"simulated", "x_missing", "x_null",     "x_word",  "x_infinite", "x_other",   "y_missing",
	"y_null",    "y_word",    "y_infinite", "y_other", "too_few",    "unmatched",
};

static void axis_done(struct points_axis *axis)
{
	query_points_cells_done(&axis->cells);
	query_points_kinds_done(&axis->kinds);
	free(axis->at);
}

static void points_done(struct points *points)
{
	axis_done(&points->x);
	axis_done(&points->y);
	axis_done(&points->value);
	for (size_t i = 0; i < points->axis_count; i++)
		axis_done(&points->axes[i]);
	query_points_kinds_done(&points->colours);
	query_points_kinds_done(&points->shapes);
	query_points_cells_done(&points->sizes);
	json_decref(points->matched);
	free(points->rows);
	query_filter_free(points->filter);
	mirror_view_free(points->view);
	place_done(&points->place);
	free(points->ids.items);
}
#define auto_points __attribute__((cleanup(points_done), unused)) struct points

/* What is null is left out. */
static const json_t *member(const json_t *request, const char *key)
{
	const json_t *value = json_object_get(request, key);

	return json_is_null(value) ? NULL : value;
}

/* ---- what is asked ----------------------------------------------------------------------------------- */

static void add_id(struct mirror_ids *ids, const json_t *field)
{
	const char *id = json_string_value(field);

	if (id != NULL)
		*PL_PUSH(ids->items, ids->count, ids->room) = id;
}

static int open_view(struct points *points, const struct mirror_snapshot *snapshot,
		     const json_t *request, struct pl_err *err)
{
	static const char *const keys[] = { "x", "y", "value", "colour", "shape", "size" };
	const json_t *labels = member(request, "labels"), *axes = member(request, "axes");
	const json_t *choices = member(request, "choices");
	const json_t *colours = member(request, "colour_choices");
	struct mirror_ids *ids = &points->ids;

	query_filter_fields(member(request, "filter"), ids);
	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++)
		add_id(ids, member(request, keys[i]));
	for (size_t i = 0; i < json_array_size(labels) && i < POINTS_LABELS_MAX; i++)
		add_id(ids, json_array_get(labels, i));
	for (size_t i = 0; i < json_array_size(axes) && i < POINTS_AXES_MAX; i++)
		add_id(ids, json_array_get(axes, i));
	for (size_t i = 0; i < json_array_size(choices) && i < POINTS_CHOICES_MAX; i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(keys); k++)
			add_id(ids, member(json_array_get(choices, i), keys[k]));
	}
	for (size_t i = 0; i < json_array_size(colours) && i < POINTS_COLOURS_MAX; i++)
		add_id(ids, json_array_get(colours, i));
	return mirror_view_new(snapshot, ids, &points->view, err);
}

/* At the place of the value. */
static bool read_field(struct points *points, const json_t *field, const struct mirror_column **ret)
{
	const char *id = json_string_value(field);

	if (id == NULL)
		return query_place_fault(&points->place, "type", field, "the id of a field", NULL);
	*ret = mirror_view_column(points->view, id);
	return *ret != NULL ||
	       query_place_fault(&points->place, "field", field, "the id of a field",
				 res_fields_nearest(mirror_view_fields(points->view), id));
}

static bool read_column(struct points *points, const json_t *request, const char *key,
			const struct mirror_column **ret)
{
	const json_t *field = member(request, key);
	size_t before = query_place_enter(&points->place, key);
	bool fits = field == NULL || read_field(points, field, ret);

	query_place_leave(&points->place, before);
	return fits;
}

static bool read_number(struct points *points, const json_t *number, json_int_t low,
			json_int_t high, json_int_t *ret)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "a whole number from %lld to %lld", (long long)low,
		 (long long)high);
	if (!json_is_integer(number) || json_integer_value(number) < low ||
	    json_integer_value(number) > high)
		return query_place_fault(&points->place, "value", number, expected, NULL);
	*ret = json_integer_value(number);
	return true;
}

static bool read_bounds(struct points *points, const json_t *request)
{
	json_int_t limit = QUERY_POINTS_MARKS_MAX, digits = PL_F64_DIGITS_MAX;
	bool fits = query_request_number(&points->place, request, "limit", LIMIT_MIN,
					 QUERY_POINTS_MARKS_MAX, &limit);

	fits = query_request_number(&points->place, request, "significant_digits", DIGITS_MIN,
				    PL_F64_DIGITS_MAX, &digits) &&
	       fits;
	points->limit = (size_t)limit;
	points->digits = (int)digits;
	return query_request_number(&points->place, request, "budget_ms", 1, REQUEST_BUDGET_MS_MAX,
				    &points->budget_ms) &&
	       fits;
}

static bool read_fields(struct points *points, const json_t *request, const char *key, size_t most,
			const struct mirror_column **ret, size_t *ret_count)
{
	const json_t *list = member(request, key);
	size_t count = json_array_size(list), before = query_place_enter(&points->place, key);
	bool fits = list == NULL || json_is_array(list);

	if (!fits)
		query_place_fault(&points->place, "type", list, "a list of ids of fields", NULL);
	else if (count > most)
		fits = query_place_limit(&points->place, list, most, "fields");
	for (size_t i = 0; fits && i < count; i++) {
		size_t outside = query_place_enter_item(&points->place, i);
		fits = read_field(points, json_array_get(list, i), &ret[i]);
		*ret_count += fits;
		query_place_leave(&points->place, outside);
	}
	query_place_leave(&points->place, before);
	return fits;
}

static bool read_axes(struct points *points, const json_t *request)
{
	const json_t *list = member(request, "axes");
	size_t count = json_array_size(list), before = query_place_enter(&points->place, "axes");
	bool fits = list == NULL || json_is_array(list);

	if (!fits)
		query_place_fault(&points->place, "type", list, "a list of ids of fields", NULL);
	else if (count > POINTS_AXES_MAX)
		fits = query_place_limit(&points->place, list, POINTS_AXES_MAX, "fields");
	else if (list != NULL && count < POINTS_AXES_MIN)
		fits = query_place_fault(&points->place, "minItems", list, "at least 2 fields",
					 NULL);
	for (size_t i = 0; fits && i < count; i++) {
		struct points_axis *axis = &points->axes[i];
		size_t outside = query_place_enter_item(&points->place, i);
		fits = read_field(points, json_array_get(list, i), &axis->column);
		points->axis_count += fits;
		query_place_leave(&points->place, outside);
	}
	query_place_leave(&points->place, before);
	return fits;
}

static bool read_selected(struct points *points, const json_t *request)
{
	const json_t *list = member(request, "selected");
	size_t count = json_array_size(list),
	       before = query_place_enter(&points->place, "selected");
	bool fits = list == NULL || json_is_array(list);

	if (!fits)
		query_place_fault(&points->place, "type", list, "a list of numbers of experiments",
				  NULL);
	else if (count > POINTS_SELECTED_MAX)
		fits = query_place_limit(&points->place, list, POINTS_SELECTED_MAX, "experiments");
	for (size_t i = 0; fits && i < count; i++) {
		json_int_t number = 0;
		size_t outside = query_place_enter_item(&points->place, i);
		fits = read_number(points, json_array_get(list, i), 1, INT64_MAX, &number);
		points->selected[points->selected_count++] = number;
		query_place_leave(&points->place, outside);
	}
	query_place_leave(&points->place, before);
	return fits;
}

static bool read_near(struct points *points, const json_t *request)
{
	const json_t *near = member(request, "near");
	json_int_t number = 0;
	size_t before;
	bool fits;

	if (points->form != POINTS_NEAR)
		return true;
	if (near == NULL)
		return query_place_missing(&points->place, "near", "the number of an experiment");
	before = query_place_enter(&points->place, "near");
	fits = read_number(points, near, 1, INT64_MAX, &number);
	query_place_leave(&points->place, before);
	points->near = number;
	return fits;
}

const char *query_points_form_name(enum points_form form)
{
	return form_names[form];
}

static bool read_form(struct points *points, const json_t *request, enum points_form *ret)
{
	const json_t *form = member(request, "form");
	size_t before;

	if (form == NULL)
		return true;
	for (size_t i = 0; i < POINTS_FORM_COUNT; i++) {
		if (!pl_text_equal(json_string_value(form), form_names[i]))
			continue;
		*ret = (enum points_form)i;
		return true;
	}
	before = query_place_enter(&points->place, "form");
	query_place_fault(&points->place, "enum", form,
			  "points, groups, bins, near, grid or parallel",
			  json_is_string(form) ? pl_text_nearest(json_string_value(form),
								 form_names, POINTS_FORM_COUNT)
					       : NULL);
	query_place_leave(&points->place, before);
	return false;
}

/* Which fields a form cannot be without. */
static bool has_axes(struct points *points, const json_t *request, enum points_form form)
{
	static const struct {
		const char *key;
		bool is_needed[POINTS_FORM_COUNT];
		const char *expected;
	} rows[] = {
		{ "x",
		  { [POINTS_POINTS] = 1, [POINTS_BINS] = 1, [POINTS_NEAR] = 1, [POINTS_GRID] = 1 },
		  "the id of a field" },
		{ "y",
		  { [POINTS_POINTS] = 1,
		    [POINTS_GROUPS] = 1,
		    [POINTS_NEAR] = 1,
		    [POINTS_GRID] = 1 },
		  "the id of a field" },
		{ "value", { [POINTS_GRID] = 1 }, "the id of a field of numbers" },
		{ "axes", { [POINTS_PARALLEL] = 1 }, "a list of ids of fields" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].is_needed[form] && member(request, rows[i].key) == NULL)
			return query_place_missing(&points->place, rows[i].key, rows[i].expected);
	}
	return true;
}

/* Figures are of numbers. */
static bool has_numbers(struct points *points, const json_t *request,
			const struct points_choice *of)
{
	enum points_role role = of->form == POINTS_GRID ? POINTS_ROLE_VALUE : POINTS_ROLE_Y;
	const char *key = role == POINTS_ROLE_VALUE ? "value" : "y";
	const struct mirror_column *column = of->columns[role];
	size_t before;

	if ((of->form != POINTS_GROUPS && of->form != POINTS_GRID) || column == NULL ||
	    column->field->type == RES_FIELD_NUMBER || column->field->type == RES_FIELD_COUNT ||
	    column->field->type == RES_FIELD_JSON)
		return true;
	before = query_place_enter(&points->place, key);
	query_place_fault(&points->place, "field", member(request, key), "a field of numbers",
			  NULL);
	query_place_leave(&points->place, before);
	return false;
}

/* x, y and value: those of the request, or of one choice. */
static bool read_columns(struct points *points, const json_t *request, struct points_choice *ret)
{
	bool fits = read_column(points, request, "x", &ret->columns[POINTS_ROLE_X]);

	fits = read_column(points, request, "y", &ret->columns[POINTS_ROLE_Y]) && fits;
	return read_column(points, request, "value", &ret->columns[POINTS_ROLE_VALUE]) && fits;
}

static bool read_choice(struct points *points, const json_t *item, struct points_choice *ret)
{
	static const char *const keys[] = { "form", "x", "y", "value", NULL };

	ret->form = points->form;
	if (!json_is_object(item))
		return query_place_fault(&points->place, "type", item, "an object", NULL);
	if (!query_place_keys(&points->place, item, keys) || !read_form(points, item, &ret->form))
		return false;
	if (ret->form == POINTS_NEAR || ret->form == POINTS_PARALLEL)
		return query_place_fault(&points->place, "enum", member(item, "form"),
					 "points, groups, bins or grid", NULL);
	return has_axes(points, item, ret->form) && read_columns(points, item, ret) &&
	       has_numbers(points, item, ret);
}

static bool read_choices(struct points *points, const json_t *request)
{
	const json_t *list = member(request, "choices");
	size_t count = json_array_size(list), before = query_place_enter(&points->place, "choices");
	bool fits = list == NULL || json_is_array(list);

	if (!fits)
		query_place_fault(&points->place, "type", list, "a list of axes to choose from",
				  NULL);
	else if (count > POINTS_CHOICES_MAX)
		fits = query_place_limit(&points->place, list, POINTS_CHOICES_MAX, "choices");
	for (size_t i = 0; fits && i < count; i++) {
		size_t outside = query_place_enter_item(&points->place, i);
		fits = read_choice(points, json_array_get(list, i), &points->choices[i]);
		points->choice_count += fits;
		query_place_leave(&points->place, outside);
	}
	query_place_leave(&points->place, before);
	return fits;
}

/* The axes that are drawn; none of them is needed if the request has choices. */
static bool read_drawn(struct points *points, const json_t *request)
{
	struct points_choice drawn = { .form = points->form };
	bool fits = read_choices(points, request) && read_columns(points, request, &drawn);
	bool is_chosen = drawn.columns[POINTS_ROLE_X] == NULL &&
			 drawn.columns[POINTS_ROLE_Y] == NULL && points->choice_count > 0 &&
			 points->form != POINTS_NEAR && points->form != POINTS_PARALLEL;

	points->x.column = drawn.columns[POINTS_ROLE_X];
	points->y.column = drawn.columns[POINTS_ROLE_Y];
	points->value.column = drawn.columns[POINTS_ROLE_VALUE];
	return fits && (is_chosen || (has_axes(points, request, points->form) &&
				      has_numbers(points, request, &drawn)));
}

/* true, false or "auto". */
static bool read_log(struct points *points, const json_t *request, const char *key,
		     struct points_axis *axis)
{
	const json_t *value = member(request, key);
	size_t before = query_place_enter(&points->place, key);
	bool fits = true;

	axis->asks_log = json_is_true(value);
	axis->can_be_log = value != NULL && pl_text_equal(json_string_value(value), "auto");
	if (value != NULL && !json_is_boolean(value) && !axis->can_be_log)
		fits = query_place_fault(&points->place, "type", value, "true, false or \"auto\"",
					 NULL);
	query_place_leave(&points->place, before);
	return fits;
}

static bool read_request(struct points *points, const json_t *request)
{
	static const char *const keys[] = { "form",       "filter",
					    "x",          "y",
					    "value",      "axes",
					    "x_log",      "y_log",
					    "colour",     "shape",
					    "size",       "labels",
					    "near",       "limit",
					    "selected",   "simulated",
					    "budget_ms",  "match",
					    "choices",    "colour_choices",
					    "count_only", "significant_digits",
					    NULL };
	bool fits = query_place_keys(&points->place, request, keys);

	fits = query_filter_new(points->view, member(request, "filter"), "/filter", &points->filter,
				points->place.faults) == 0 &&
	       fits;
	fits = read_form(points, request, &points->form) && read_drawn(points, request) && fits;
	fits = read_axes(points, request) && fits;
	fits = read_column(points, request, "colour", &points->colour) && fits;
	fits = read_column(points, request, "shape", &points->shape) && fits;
	fits = read_column(points, request, "size", &points->size) && fits;
	fits = read_log(points, request, "x_log", &points->x) && fits;
	fits = read_log(points, request, "y_log", &points->y) && fits;
	fits = query_request_flag(&points->place, request, "simulated", &points->with_simulated) &&
	       fits;
	fits = query_request_flag(&points->place, request, "match", &points->asks_match) && fits;
	fits = query_request_flag(&points->place, request, "count_only", &points->count_only) &&
	       fits;
	fits = read_fields(points, request, "labels", POINTS_LABELS_MAX, points->labels,
			   &points->label_count) &&
	       fits;
	fits = read_fields(points, request, "colour_choices", POINTS_COLOURS_MAX,
			   points->colour_choices, &points->colour_choice_count) &&
	       fits;
	fits = read_selected(points, request) && fits;
	fits = read_near(points, request) && fits;
	fits = read_bounds(points, request) && fits;
	return fits;
}

/* ---- the answer -------------------------------------------------------------------------------------- */

static void write_kind(const struct points_kind *kind, struct pl_buf *out)
{
	static const char *const states[] = { "value", "range", "null", "missing", "other" };

	pl_buf_addf(out, "{\"state\":\"%s\"", states[kind->state]);
	if (kind->state == POINTS_VALUE) {
		query_out_key(out, "value");
		query_out_value(out, &kind->value);
	} else if (kind->state == POINTS_RANGE) {
		query_out_key(out, "low");
		query_out_f64(out, kind->low);
		query_out_key(out, "high");
		query_out_f64(out, kind->high);
	}
	out_count(out, "count", kind->count);
	if (kind->rank != SIZE_MAX)
		out_count(out, "rank", kind->rank);
	pl_buf_add_char(out, '}');
}

void query_points_write_kinds(const char *key, const struct points_kinds *kinds, struct pl_buf *out)
{
	query_out_key(out, key);
	if (kinds->column == NULL) {
		pl_buf_add_text(out, "null");
		return;
	}
	pl_buf_add_text(out, "{\"field\":");
	query_out_text(out, kinds->column->field->id);
	query_out_key(out, "kinds");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < kinds->count; i++) {
		query_out_next(out);
		write_kind(&kinds->items[i], out);
	}
	pl_buf_add_text(out, "]}");
}

void query_points_write_axis(const struct points_axis *axis, struct pl_buf *out)
{
	static const char *const kinds[] = { "number", "time", "kinds" };
	bool is_none = axis->least > axis->most;

	if (axis->column == NULL) {
		pl_buf_add_text(out, "null");
		return;
	}
	pl_buf_add_text(out, "{\"field\":");
	query_out_text(out, axis->column->field->id);
	query_out_key(out, "kind");
	query_out_text(out, kinds[axis->kind]);
	query_out_key(out, "log");
	pl_buf_add_text(out, axis->is_log ? "true" : "false");
	out_count(out, "not_positive", axis->not_positive);
	query_out_key(out, "min");
	query_out_f64(out, is_none ? NAN : axis->least);
	query_out_key(out, "max");
	query_out_f64(out, is_none ? NAN : axis->most);
	query_points_write_kinds("kinds", &axis->kinds, out);
	pl_buf_add_char(out, '}');
}

void query_points_write_reasons(const char *const *names, const size_t *counts, size_t count,
				struct pl_buf *out)
{
	pl_buf_add_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (counts[i] > 0)
			out_count(out, names[i], counts[i]);
	}
	pl_buf_add_char(out, '}');
}

/* Of one point and its neighbours nobody asks whether they are alike. */
static void write_cautions(const struct points *points, struct pl_buf *out)
{
	auto_json json_t *cautions = points->form == POINTS_NEAR || points->count_only
					     ? json_array()
					     : query_points_cautions(points);

	pl_json_write(cautions, PL_JSON_COMPACT, out);
}

static void write_head(const struct points *points, struct pl_buf *out)
{
	pl_buf_add_text(out, "{\"form\":");
	query_out_text(out, points_are_thinned(points) ? "thinned" : form_names[points->form]);
	out_count(out, "count", points->count);
	out_count(out, "total", mirror_view_count(points->view));
	out_count(out, "drawn", points->row_count);
	out_count(out, "simulated", points->simulated);
	query_out_key(out, "left_out");
	query_points_write_reasons(reason_names, points->left_out, POINTS_REASON_COUNT, out);
	query_out_key(out, "matched");
	if (points->matched == NULL)
		pl_buf_add_text(out, "null");
	else
		pl_json_write(points->matched, PL_JSON_COMPACT, out);
	query_out_key(out, "cautions");
	write_cautions(points, out);
	query_out_key(out, "x");
	query_points_write_axis(&points->x, out);
	query_out_key(out, "y");
	query_points_write_axis(&points->y, out);
	query_points_write_kinds("colour", &points->colours, out);
	query_points_write_kinds("shape", &points->shapes, out);
}

bool query_points_is_in_time(struct points *points, enum points_part part)
{
	int64_t used_ns = pl_clock_now_ns() - points->began_ns;
	bool fits = mirror_view_goes_on(points->view, &points->ended) == 0 &&
		    (points->budget_ms == 0 || used_ns < points->budget_ms * PL_NS_PER_MS);

	points->not_ready[part] = !fits;
	return fits;
}

static void write_tail(const struct points *points, struct pl_buf *out)
{
	query_out_key(out, "not_ready");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < POINTS_PART_COUNT; i++) {
		if (!points->not_ready[i])
			continue;
		query_out_next(out);
		query_out_text(out, part_names[i]);
	}
	pl_buf_add_char(out, ']');
	query_out_key(out, "elapsed_ms");
	query_out_f64(out, (double)(pl_clock_now_ns() - points->began_ns) / PL_NS_PER_MS);
}

int query_points(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	static void (*const write[POINTS_FORM_COUNT])(struct points *, struct pl_buf *) = {
		query_points_write_marks, query_points_write_groups, query_points_write_bins,
		query_points_write_near,  query_points_write_grid,   query_points_write_parallel
	};
	auto_points points = { .x = { .name = "x" },
			       .y = { .name = "y" },
			       .value = { .name = "value" },
			       .began_ns = pl_clock_now_ns(),
			       .place = { .pointer = PL_BUF(PLACE_BYTES_MAX), .faults = faults } };

	if (!json_is_object(request)) {
		query_place_fault(&points.place, "type", request, "an object", NULL);
		return query_request_refuse(&points.place, err);
	}
	if (open_view(&points, snapshot, request, err) < 0)
		return -1;
	if (!read_request(&points, request))
		return query_request_refuse(&points.place, err);
	if (query_points_rows_read(&points, err) < 0)
		return -1;
	write_head(&points, ret_json);
	if (points.count_only)
		query_points_write_choices(&points, ret_json);
	else
		write[points.form](&points, ret_json);
	write_tail(&points, ret_json);
	if (points.ended.code != PL_ERR_NONE) {
		*err = points.ended;
		return -1;
	}
	query_out_key(ret_json, "data_version");
	query_out_i64(ret_json, mirror_snapshot_version(snapshot));
	pl_buf_add_char(ret_json, '}');
	if (ret_json->full)
		return pl_err_set(err, PL_ERR_INVALID, "the answer has more than %zu bytes",
				  ret_json->max);
	return 0;
}
