#include "query/points/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "query/out_priv.h"
#include "query/points/points_priv.h"
#include "query/request_priv.h"

static const char *const part_names[POINTS_PART_COUNT] = { "color",    "shape",  "size",
							   "frontier", "labels", "neighbors" };

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
	query_points_kinds_done(&points->colors);
	query_points_kinds_done(&points->shapes);
	query_points_cells_done(&points->sizes);
	json_decref(points->matched);
	free(points->rows);
	query_filter_free(points->filter);
	mirror_view_free(points->view);
	query_pointer_done(&points->pointer);
	free(points->ids.items);
}
#define auto_points __attribute__((cleanup(points_done), unused)) struct points

/* ---- the request ------------------------------------------------------------------------------------- */

/* Adds x, y, value and other fields of the request, or of one choice. */
static void add_ids(const json_t *request, struct mirror_ids *ids)
{
	static const char *const keys[] = { "x", "y", "value", "color", "shape", "size" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		const char *id = pl_json_get_text(request, keys[i]);
		if (id != NULL)
			*PL_PUSH(ids->items, ids->count, ids->room) = id;
	}
}

static bool read_column(struct points *points, const json_t *request, const char *key,
			const struct mirror_column **ret)
{
	return query_request_field(&points->pointer, points->view, request, key, ret);
}

static bool read_fields(struct points *points, const json_t *request, const char *key,
			const struct mirror_column **ret, size_t *ret_count)
{
	const json_t *list = query_request_member(request, key);
	size_t before = query_pointer_enter(&points->pointer, key);
	bool fits = true;

	for (size_t i = 0; fits && i < json_array_size(list); i++) {
		size_t outside = query_pointer_enter_item(&points->pointer, i);
		fits = query_request_column(&points->pointer, points->view, json_array_get(list, i),
					    &ret[i]);
		*ret_count += fits;
		query_pointer_leave(&points->pointer, outside);
	}
	query_pointer_leave(&points->pointer, before);
	return fits;
}

static bool read_axes(struct points *points, const json_t *request)
{
	const struct mirror_column *columns[BOUND_AXES_MAX];
	bool fits = read_fields(points, request, "axes", columns, &points->axis_count);

	for (size_t i = 0; i < points->axis_count; i++)
		points->axes[i].column = columns[i];
	return fits;
}

static bool read_subject(struct points *points, const json_t *request)
{
	points->subject = query_request_number(request, "neighbors", 0);
	return points->form != POINTS_NEIGHBORS || points->subject > 0 ||
	       query_pointer_missing(&points->pointer, "neighbors", "the number of an experiment");
}

static enum points_form form_of(const json_t *request, enum points_form otherwise)
{
	const char *name = pl_json_get_text(request, "form");

	for (size_t i = 0; i < POINTS_FORM_COUNT; i++) {
		if (pl_text_equal(name, query_points_form_name((enum points_form)i)))
			return (enum points_form)i;
	}
	return otherwise;
}

/* Checks the required fields of a form. */
static bool has_axes(struct points *points, const json_t *request, enum points_form form)
{
	static const struct {
		const char *key;
		bool is_needed[POINTS_FORM_COUNT];
		const char *expected;
	} rows[] = {
		{ "x",
		  { [POINTS_POINTS] = 1,
		    [POINTS_BINS] = 1,
		    [POINTS_NEIGHBORS] = 1,
		    [POINTS_GRID] = 1 },
		  "the id of a field" },
		{ "y",
		  { [POINTS_POINTS] = 1,
		    [POINTS_GROUPS] = 1,
		    [POINTS_NEIGHBORS] = 1,
		    [POINTS_GRID] = 1 },
		  "the id of a field" },
		{ "value", { [POINTS_GRID] = 1 }, "the id of a numeric field" },
		{ "axes", { [POINTS_PARALLEL] = 1 }, "a list of field ids" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].is_needed[form] && query_request_member(request, rows[i].key) == NULL)
			return query_pointer_missing(&points->pointer, rows[i].key,
						     rows[i].expected);
	}
	return true;
}

/* Statistics need numbers. */
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
	before = query_pointer_enter(&points->pointer, key);
	query_pointer_fault(&points->pointer, "field", query_request_member(request, key),
			    "a numeric field", NULL);
	query_pointer_leave(&points->pointer, before);
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
	ret->form = form_of(item, points->form);
	if (ret->form == POINTS_NEIGHBORS || ret->form == POINTS_PARALLEL) {
		static const char expected[] = "points, groups, bins or grid";
		const json_t *found = query_request_member(item, "form");
		/* without one, a choice has the form of the request */
		return found == NULL ? query_pointer_missing(&points->pointer, "form", expected)
				     : query_pointer_fault(&points->pointer, "enum", found,
							   expected, NULL);
	}
	return has_axes(points, item, ret->form) && read_columns(points, item, ret) &&
	       has_numbers(points, item, ret);
}

static bool read_choices(struct points *points, const json_t *request)
{
	const json_t *list = query_request_member(request, "choices");
	size_t before = query_pointer_enter(&points->pointer, "choices");
	bool fits = true;

	for (size_t i = 0; fits && i < json_array_size(list); i++) {
		size_t outside = query_pointer_enter_item(&points->pointer, i);
		fits = read_choice(points, json_array_get(list, i), &points->choices[i]);
		points->choice_count += fits;
		query_pointer_leave(&points->pointer, outside);
	}
	query_pointer_leave(&points->pointer, before);
	return fits;
}

/* Reads the axes to draw; none is required if the request has choices. */
static bool read_drawn(struct points *points, const json_t *request)
{
	struct points_choice drawn = { .form = points->form };
	bool fits = read_choices(points, request) && read_columns(points, request, &drawn);
	bool is_chosen = drawn.columns[POINTS_ROLE_X] == NULL &&
			 drawn.columns[POINTS_ROLE_Y] == NULL && points->choice_count > 0 &&
			 points->form != POINTS_NEIGHBORS && points->form != POINTS_PARALLEL;

	points->x.column = drawn.columns[POINTS_ROLE_X];
	points->y.column = drawn.columns[POINTS_ROLE_Y];
	points->value.column = drawn.columns[POINTS_ROLE_VALUE];
	return fits && (is_chosen || (has_axes(points, request, points->form) &&
				      has_numbers(points, request, &drawn)));
}

/* true, false or "auto". */
static void read_log(const json_t *request, const char *key, struct points_axis *axis)
{
	const json_t *value = query_request_member(request, key);

	axis->asks_log = json_is_true(value);
	axis->can_be_log = json_is_string(value);
}

static bool read_request(struct points *points, const json_t *request)
{
	const json_t *selected = query_request_member(request, "selected");
	bool fits = query_filter_new(points->view, query_request_member(request, "filter"),
				     "/filter", &points->filter, points->pointer.faults) == 0;

	points->form = form_of(request, POINTS_POINTS);
	fits = read_drawn(points, request) && fits;
	fits = read_axes(points, request) && fits;
	fits = read_column(points, request, "color", &points->color) && fits;
	fits = read_column(points, request, "shape", &points->shape) && fits;
	fits = read_column(points, request, "size", &points->size) && fits;
	fits = read_fields(points, request, "labels", points->labels, &points->label_count) && fits;
	fits = read_fields(points, request, "color_choices", points->colour_choices,
			   &points->color_choice_count) &&
	       fits;
	fits = read_subject(points, request) && fits;
	read_log(request, "x_log", &points->x);
	read_log(request, "y_log", &points->y);
	PL_JSON_EACH(id, selected)
		points->selected[points->selected_count++] = json_integer_value(id);
	points->with_simulated = json_is_true(json_object_get(request, "simulated"));
	points->asks_match = json_is_true(json_object_get(request, "match"));
	points->count_only = json_is_true(json_object_get(request, "count_only"));
	points->limit = (size_t)query_request_number(request, "limit", BOUND_MARKS_MAX);
	points->digits = (int)query_request_number(request, "significant_digits", BOUND_DIGITS_MAX);
	points->budget_ms = query_request_number(request, "budget_ms", 0);
	return fits;
}

/* ---- the response ------------------------------------------------------------------------------------ */

/* A point and its neighbors need not be comparable. */
static void write_cautions(const struct points *points, struct pl_buf *out)
{
	auto_json json_t *cautions = points->form == POINTS_NEIGHBORS || points->count_only
					     ? json_array()
					     : query_points_cautions(points);

	pl_json_write(cautions, PL_JSON_COMPACT, out);
}

static void write_head(const struct points *points, struct pl_buf *out)
{
	pl_buf_add_text(out, "{\"form\":");
	query_out_text(out, points_are_thinned(points) ? "thinned"
						       : query_points_form_name(points->form));
	out_count(out, "count", points->count);
	out_count(out, "total", mirror_view_count(points->view));
	out_count(out, "drawn", points->row_count);
	out_count(out, "simulated", points->simulated);
	query_out_key(out, "excluded");
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
	query_points_write_kinds("color", &points->colors, out);
	query_points_write_kinds("shape", &points->shapes, out);
}

int query_points(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	static void (*const write[POINTS_FORM_COUNT])(struct points *, struct pl_buf *) = {
		query_points_write_marks,     query_points_write_groups, query_points_write_bins,
		query_points_write_neighbors, query_points_write_grid,   query_points_write_parallel
	};
	auto_points points = { .x = { .name = "x" },
			       .y = { .name = "y" },
			       .value = { .name = "value" },
			       .began_ns = pl_clock_now_ns(),
			       .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
					    .faults = faults } };

	struct mirror_ids *ids = &points.ids;
	query_filter_fields(query_request_member(request, "filter"), ids);
	add_ids(request, ids);
	query_request_ids(query_request_member(request, "labels"), ids);
	query_request_ids(query_request_member(request, "axes"), ids);
	query_request_ids(query_request_member(request, "color_choices"), ids);
	PL_JSON_EACH(choice, query_request_member(request, "choices"))
		add_ids(choice, ids);
	if (mirror_view_new(snapshot, ids, &points.view, err) < 0)
		return -1;
	if (!read_request(&points, request))
		return query_request_refuse(&points.pointer, err);
	if (query_points_rows_read(&points, err) < 0)
		return -1;
	write_head(&points, ret_json);
	if (points.count_only)
		query_points_write_choices(&points, ret_json);
	else
		write[points.form](&points, ret_json);
	query_out_key(ret_json, "incomplete");
	pl_buf_add_char(ret_json, '[');
	for (size_t i = 0; i < POINTS_PART_COUNT; i++) {
		if (!points.not_ready[i])
			continue;
		query_out_next(ret_json);
		query_out_text(ret_json, part_names[i]);
	}
	pl_buf_add_char(ret_json, ']');
	query_out_key(ret_json, "elapsed_ms");
	query_out_f64(ret_json, (double)(pl_clock_now_ns() - points.began_ns) / PL_NS_PER_MS);
	if (points.ended.code != PL_ERR_NONE) {
		*err = points.ended;
		return -1;
	}
	return query_out_end(ret_json, mirror_snapshot_version(snapshot), "", err);
}
