#include "query/configurations/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mirror/kernels/kernels.h"
#include "query/configurations/lines_priv.h"
#include "query/filter.h"
#include "query/groups/cells_priv.h"
#include "query/out_priv.h"
#include "result/compare/ratio.h"
#include "tbl/request_bounds.h"

#define METRIC     "results.output_throughput"
#define GPU_NAME   "system.hardware_info.gpu_name"
#define MIG        "MIG" /* in the driver's name of an instance: "NVIDIA A100-SXM4-40GB MIG 1g.5gb" */
#define PANELS_MAX 8

static const char *const default_panels[] = { "system.peak_gpu_memory_gb",
					      "launch.facts.kv_cache_tokens",
					      "launch.phases.ready_s" };

struct scaling {
	struct query_pointer pointer;
	struct mirror_view *view;
	struct mirror_ids ids;
	struct query_filter *filter;
	struct configurations configurations;
	struct lines lines;
	const struct mirror_column *metric;
	bool higher;
	struct request_fields panels;
	double gain_limit;
	size_t unmeasured;
	double *values;                /* of the metric by index in the bitmap */
	double *panels_of[PANELS_MAX]; /* the same of each panel; NaN: none */
	size_t points_left;
	json_int_t budget_ms;
	int64_t began_ns;
	bool is_late;
};

static void scaling_done(struct scaling *scaling)
{
	for (size_t i = 0; i < PANELS_MAX; i++)
		free(scaling->panels_of[i]);
	free(scaling->values);
	free(scaling->panels.items);
	query_lines_done(&scaling->lines);
	query_configurations_done(&scaling->configurations);
	query_filter_free(scaling->filter);
	mirror_view_free(scaling->view);
	query_pointer_done(&scaling->pointer);
	free(scaling->ids.items);
}
#define auto_scaling __attribute__((cleanup(scaling_done), unused)) struct scaling

/* ---- the request --------------------------------------------------------------------------------- */

static int open_view(struct scaling *scaling, const struct mirror_snapshot *snapshot,
		     const json_t *request, struct pl_err *err)
{
	struct mirror_ids *ids = &scaling->ids;
	const char *metric = json_string_value(
		json_object_get(query_request_member(request, "metric"), "field"));

	query_filter_fields(query_request_member(request, "filter"), ids);
	query_request_ids(query_request_member(request, "group_by"), ids);
	query_request_ids(query_request_member(request, "vary"), ids);
	query_request_ids(query_request_member(request, "panels"), ids);
	*PL_PUSH(ids->items, ids->count, ids->room) = metric != NULL ? metric : METRIC;
	for (size_t i = 0; i < PL_ARRAY_SIZE(default_panels); i++)
		*PL_PUSH(ids->items, ids->count, ids->room) = default_panels[i];
	query_configurations_ids(ids);
	query_lines_ids(ids);
	if (mirror_view_new(snapshot, ids, &scaling->view, err) < 0)
		return -1;
	scaling->configurations.view = scaling->view;
	return 0;
}

static bool read_metric(struct scaling *scaling, const json_t *request)
{
	struct query_pointer *pointer = &scaling->pointer;
	const json_t *metric = query_request_member(request, "metric");
	const json_t *direction = query_request_member(metric, "direction");
	size_t before = query_pointer_enter(pointer, "metric");
	bool fits = true;

	scaling->metric = mirror_view_column(scaling->view, METRIC);
	if (metric != NULL)
		fits = query_request_field(pointer, scaling->view, metric, "field",
					   &scaling->metric);
	if (fits && direction == NULL && scaling->metric->field->direction == RES_FIELD_NEITHER) {
		size_t outside = query_pointer_enter(pointer, "direction");
		fits = query_pointer_fault(
			pointer, "type", direction,
			"higher or lower, because the field has no better direction", NULL);
		query_pointer_leave(pointer, outside);
	}
	if (fits)
		scaling->higher = direction != NULL
					  ? strcmp(json_string_value(direction), "higher") == 0
					  : scaling->metric->field->direction == RES_FIELD_HIGHER;
	query_pointer_leave(pointer, before);
	return fits;
}

static bool read_panels(struct scaling *scaling, const json_t *request)
{
	size_t count = PL_ARRAY_SIZE(default_panels);

	if (query_request_member(request, "panels") != NULL)
		return query_request_columns(&scaling->pointer, scaling->view, request, "panels",
					     &scaling->panels);
	scaling->panels.items = pl_alloc_array(count, sizeof(struct mirror_column *));
	for (size_t i = 0; i < count; i++)
		scaling->panels.items[i] = mirror_view_column(scaling->view, default_panels[i]);
	scaling->panels.count = count;
	return true;
}

static bool read_list(struct scaling *scaling, const json_t *request, const char *key,
		      struct request_fields *ret)
{
	return query_request_member(request, key) == NULL ||
	       query_request_columns(&scaling->pointer, scaling->view, request, key, ret);
}

static bool read_request(struct scaling *scaling, const json_t *request)
{
	const json_t *limit = query_request_member(request, "gain_limit");
	bool fits = query_filter_new(scaling->view, query_request_member(request, "filter"),
				     "/filter", &scaling->filter, scaling->pointer.faults) == 0;

	fits = read_list(scaling, request, "group_by", &scaling->configurations.by) && fits;
	fits = read_list(scaling, request, "vary", &scaling->lines.vary) && fits;
	fits = read_metric(scaling, request) && fits;
	fits = read_panels(scaling, request) && fits;
	scaling->lines.configurations = &scaling->configurations;
	scaling->lines.axis = query_lines_axis(
		json_string_value(query_request_member(request, "axis")));
	scaling->gain_limit = limit != NULL ? json_number_value(limit) : RES_SCALING_GAIN;
	scaling->points_left = (size_t)query_request_number(request, "limit",
							    BOUND_SCALING_DEFAULT);
	scaling->budget_ms = query_request_number(request, "budget_ms", 0);
	return fits;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

/* Returns the numbers of the rows in the bitmap; NaN: none. */
static double *read_numbers(const struct scaling *scaling, const struct mirror_column *column)
{
	const uint64_t *rows = scaling->configurations.rows;
	size_t count = mirror_kernels()->count(rows, mirror_view_words(scaling->view));
	auto_free struct cell *cells = pl_alloc_array(count + 1, sizeof(*cells));
	double *ret = pl_alloc_array(count + 1, sizeof(*ret));

	query_cells_read(scaling->view, column, rows, cells);
	for (size_t i = 0; i < count; i++)
		ret[i] = cells[i].class == MIRROR_NUMBER && isfinite(cells[i].number)
				 ? cells[i].number
				 : NAN;
	return ret;
}

/* Removes rows that lack a finite number in the metric. */
static void drop_unmeasured(struct scaling *scaling)
{
	uint64_t *rows = scaling->configurations.rows;
	auto_free double *numbers = read_numbers(scaling, scaling->metric);
	size_t at = 0;

	for (size_t word = 0; word < mirror_view_words(scaling->view); word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
			if (!isnan(numbers[at++]))
				continue;
			rows[word] &= ~(bits & -bits);
			scaling->unmeasured++;
		}
	}
}

static int read_rows(struct scaling *scaling, const json_t *request, struct pl_err *err)
{
	struct configurations *configurations = &scaling->configurations;
	size_t bytes = mirror_view_words(scaling->view) * sizeof(*configurations->rows);

	configurations->rows = pl_alloc(bytes);
	if (bytes > 0)
		memcpy(configurations->rows, query_filter_rows(scaling->filter), bytes);
	query_configurations_choose(configurations,
				    json_is_true(json_object_get(request, "simulated")),
				    json_is_true(json_object_get(request, "untrusted")));
	drop_unmeasured(scaling);
	scaling->values = read_numbers(scaling, scaling->metric);
	for (size_t i = 0; i < scaling->panels.count; i++)
		scaling->panels_of[i] = read_numbers(scaling, scaling->panels.items[i]);
	if (query_configurations_make(configurations, err) < 0)
		return -1;
	return query_lines_make(&scaling->lines, err);
}

static bool has_time(struct scaling *scaling)
{
	int64_t used_ns = pl_clock_now_ns() - scaling->began_ns;

	scaling->is_late = scaling->is_late || !mirror_view_has_time(scaling->view) ||
			   (scaling->budget_ms > 0 && used_ns >= scaling->budget_ms * PL_NS_PER_MS);
	return !scaling->is_late;
}

/* ---- one line ------------------------------------------------------------------------------------ */

struct analyzed {
	double *values; /* of the runs, point by point */
	struct res_scaling_runs *runs;
	struct res_scaling_point *points;
	size_t stop;
};

static void analyzed_done(struct analyzed *analyzed)
{
	free(analyzed->values);
	free(analyzed->runs);
	free(analyzed->points);
}
#define auto_analyzed __attribute__((cleanup(analyzed_done), unused)) struct analyzed

static void analyze(struct scaling *scaling, const struct line *line, struct analyzed *ret)
{
	const struct lines_point *points = scaling->lines.points + line->first;
	size_t at = 0;

	ret->values = pl_alloc_array(line->run_count + 1, sizeof(*ret->values));
	ret->runs = pl_alloc_array(line->count + 1, sizeof(*ret->runs));
	ret->points = pl_alloc_array(line->count + 1, sizeof(*ret->points));
	for (size_t i = 0; i < line->count; i++) {
		ret->runs[i] = (struct res_scaling_runs){ points[i].size, points[i].sizes.gpus,
							  ret->values + at, points[i].count };
		for (size_t k = 0; k < points[i].count; k++)
			ret->values[at++] =
				scaling->values[scaling->lines.runs[points[i].first + k]];
	}
	ret->stop = res_scaling_analyze(
		&(struct res_scaling_question){
			.metric = scaling->metric->field->id,
			.higher = scaling->higher,
			.multiplies = query_lines_axis_multiplies(scaling->lines.axis),
			.gain_limit = scaling->gain_limit,
			.with_intervals = has_time(scaling),
			.runs = ret->runs,
			.count = line->count },
		ret->points);
}

/* ---- the response -------------------------------------------------------------------------------- */

/* A ratio of large numbers may be infinite, which is not a number in JSON: it is null. */
static void out_f64(struct pl_buf *out, const char *key, double number)
{
	query_out_key(out, key);
	query_out_f64(out, isfinite(number) ? number : NAN);
}

static void out_json(struct pl_buf *out, const char *key, const json_t *json)
{
	query_out_key(out, key);
	pl_json_write(json, PL_JSON_COMPACT, out);
}

/* `name`: of the value, "mean" or "value". */
static void write_value(const char *key, const char *name, const struct res_scaling_value *value,
			struct pl_buf *out)
{
	query_out_key(out, key);
	pl_buf_add_char(out, '{');
	out_f64(out, name, value->value);
	out_f64(out, "low", value->interval.low);
	out_f64(out, "high", value->interval.high);
	pl_buf_add_char(out, '}');
}

static void write_ids(const struct scaling *scaling, const struct lines_point *point,
		      struct pl_buf *out)
{
	query_out_key(out, "ids");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < point->count; i++) {
		query_out_next(out);
		query_out_i64(out, mirror_view_id(scaling->view,
						  scaling->lines.places[point->first + i]));
	}
	pl_buf_add_char(out, ']');
}

static void write_layout(const struct lines_sizes *sizes, struct pl_buf *out)
{
	query_out_key(out, "layout");
	pl_buf_add_char(out, '{');
	for (unsigned axis = LINES_AXIS_tensor; axis <= LINES_AXIS_expert; axis++)
		out_f64(out, query_lines_axis_name((enum lines_axis)axis), sizes->of[axis]);
	pl_buf_add_char(out, '}');
}

static void write_panels(const struct scaling *scaling, const struct lines_point *point,
			 struct pl_buf *out)
{
	query_out_key(out, "panels");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < scaling->panels.count; i++) {
		auto_sample sample = { 0 };
		struct res_interval interval = { NAN, NAN };
		for (size_t k = 0; k < point->count; k++) {
			double number =
				scaling->panels_of[i][scaling->lines.runs[point->first + k]];
			if (!isnan(number))
				*PL_PUSH(sample.numbers, sample.count, sample.room) = number;
		}
		res_sample_settle(&sample);
		if (!res_sample_interval(&sample, &interval))
			interval = (struct res_interval){ NAN, NAN };
		query_out_next(out);
		pl_buf_add_char(out, '{');
		out_count(out, "count", sample.count);
		out_f64(out, "mean", sample.count > 0 ? res_sample_value(&sample) : NAN);
		out_f64(out, "low", interval.low);
		out_f64(out, "high", interval.high);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

static void write_point(const struct scaling *scaling, const struct lines_point *point,
			const struct res_scaling_point *analyzed, struct pl_buf *out)
{
	auto_json json_t *varied = query_lines_varied(&scaling->lines, point->row);

	query_out_next(out);
	pl_buf_add_char(out, '{');
	out_f64(out, "size", point->size);
	query_out_key(out, "on_line");
	pl_buf_add_text(out, analyzed->is_on_line ? "true" : "false");
	write_ids(scaling, point, out);
	write_layout(&point->sizes, out);
	out_json(out, "fields", varied);
	out_f64(out, "gpus", point->sizes.gpus);
	query_out_key(out, "gpus_source");
	query_out_text(out, query_lines_source_name(point->sizes.source));
	out_f64(out, "gpus_recorded", point->sizes.gpus_recorded);
	write_value("value", "mean", &analyzed->mean, out);
	write_value("per_gpu", "mean", &analyzed->per_gpu, out);
	write_value("speedup", "value", &analyzed->speedup, out);
	out_f64(out, "ideal", analyzed->ideal);
	write_value("efficiency", "value", &analyzed->efficiency, out);
	write_value("gain", "value", &analyzed->gain, out);
	query_out_key(out, "pays");
	query_out_text(out, res_scaling_pays_name(analyzed->pays));
	write_panels(scaling, point, out);
	pl_buf_add_char(out, '}');
}

/* Writes the point at which more GPUs stop paying, and the size before it on the line. */
static void write_stop(const struct scaling *scaling, const struct line *line,
		       const struct analyzed *analyzed, struct pl_buf *out)
{
	const struct lines_point *points = scaling->lines.points + line->first;
	double from = NAN;

	query_out_key(out, "stop");
	if (analyzed->stop == SIZE_MAX) {
		pl_buf_add_text(out, "null");
		return;
	}
	const struct res_scaling_point *stop = &analyzed->points[analyzed->stop];
	double to = points[analyzed->stop].size;
	for (size_t i = 0; i < line->count; i++) {
		if (analyzed->points[i].is_on_line && points[i].size < to)
			from = fmax(points[i].size, isnan(from) ? 0 : from);
	}
	pl_buf_add_char(out, '{');
	out_f64(out, "from", from);
	out_f64(out, "to", to);
	write_value("gain", "value", &stop->gain, out);
	query_out_key(out, "certainty");
	query_out_text(out, stop->pays == RES_SCALING_PAYS_NO        ? "surely"
			    : stop->pays == RES_SCALING_PAYS_PERHAPS ? "perhaps"
								     : "unknown");
	pl_buf_add_char(out, '}');
}

static void write_gpu(const struct scaling *scaling, const struct line *line, struct pl_buf *out)
{
	const struct mirror_column *column = mirror_view_column(scaling->view, GPU_NAME);
	struct mirror_value value = mirror_column_at(column, line->row);
	const char *name = value.class == MIRROR_TEXT ? value.text : NULL;

	query_out_key(out, "gpu");
	query_out_text_or_null(out, name);
	query_out_key(out, "gpu_unit");
	query_out_text(out, name != NULL && strstr(name, MIG) != NULL ? "mig_instance" : "gpu");
}

static void write_line(struct scaling *scaling, const struct line *line, const json_t *fields,
		       struct pl_buf *out)
{
	const struct lines_point *points = scaling->lines.points + line->first;
	auto_free char *label = query_lines_label(fields);
	auto_analyzed analyzed = { 0 };

	analyze(scaling, line, &analyzed);
	query_out_next(out);
	pl_buf_add_char(out, '{');
	query_out_key(out, "id");
	query_out_text(out, line->key);
	query_out_key(out, "label");
	query_out_text(out, label);
	out_json(out, "fields", fields);
	query_configurations_write_key(&scaling->configurations, line->group, out);
	write_gpu(scaling, line, out);
	out_count(out, "run_count", line->run_count);
	query_out_key(out, "points");
	pl_buf_add_char(out, '[');
	for (size_t i = 0, end; i < line->count; i = end) {
		for (end = i + 1; end < line->count && !(points[end].size > points[i].size); end++)
			continue;
		for (int pass = 0; pass < 2; pass++) {
			for (size_t k = i; k < end; k++) {
				if (analyzed.points[k].is_on_line == (pass == 0))
					write_point(scaling, &points[k], &analyzed.points[k], out);
			}
		}
	}
	pl_buf_add_char(out, ']');
	write_stop(scaling, line, &analyzed, out);
	pl_buf_add_char(out, '}');
}

static void write_axes(const struct scaling *scaling, struct pl_buf *out)
{
	const struct lines *lines = &scaling->lines;

	query_out_key(out, "axes");
	pl_buf_add_char(out, '[');
	for (unsigned axis = 0; axis < LINES_AXIS_COUNT; axis++) {
		query_out_next(out);
		pl_buf_add_char(out, '{');
		query_out_key(out, "axis");
		query_out_text(out, query_lines_axis_name((enum lines_axis)axis));
		query_out_key(out, "sizes");
		pl_buf_add_char(out, '[');
		for (size_t i = 0; i < lines->sizes_count[axis]; i++) {
			query_out_next(out);
			query_out_f64(out, lines->sizes[axis][i]);
		}
		pl_buf_add_char(out, ']');
		out_count(out, "more_count", lines->more_sizes_count[axis]);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

/* Reduces the rows to those of the first lines, and writes the cautions about them. */
static void write_cautions(struct scaling *scaling, size_t count, struct pl_buf *out)
{
	const struct lines *lines = &scaling->lines;
	uint64_t *rows = scaling->configurations.rows;
	const struct mirror_column *shown[] = { scaling->metric };

	if (mirror_view_words(scaling->view) > 0)
		memset(rows, 0, mirror_view_words(scaling->view) * sizeof(*rows));
	for (size_t i = 0; i < count; i++) {
		const struct lines_point *point = &lines->points[lines->items[i].first];
		for (size_t k = 0; k < lines->items[i].run_count; k++) {
			size_t place = lines->places[point->first + k];
			rows[place / MIRROR_WORD_ROWS] |= UINT64_C(1) << place % MIRROR_WORD_ROWS;
		}
	}
	auto_json json_t *cautions = query_configurations_cautions(&scaling->configurations, shown,
								   PL_ARRAY_SIZE(shown));
	out_json(out, "cautions", cautions);
}

static void write_head(const struct scaling *scaling, struct pl_buf *out)
{
	const struct configurations *configurations = &scaling->configurations;

	pl_buf_add_char(out, '{');
	out_count(out, "count", scaling->lines.run_count);
	out_count(out, "total", mirror_view_count(scaling->view));
	out_count(out, "simulated", configurations->simulated);
	out_count(out, "excluded", configurations->simulated_excluded);
	out_count(out, "untrusted_excluded", configurations->untrusted_excluded);
	out_count(out, "unmeasured", scaling->unmeasured);
	out_count(out, "unsized_count", scaling->lines.unsized);
	query_out_key(out, "axis");
	query_out_text(out, query_lines_axis_name(scaling->lines.axis));
	query_out_key(out, "metric");
	pl_buf_add_char(out, '{');
	query_configurations_write_metric(scaling->metric->field, scaling->higher, out);
	pl_buf_add_char(out, '}');
	query_out_key(out, "panels");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < scaling->panels.count; i++) {
		const struct res_field *field = scaling->panels.items[i]->field;
		query_out_next(out);
		pl_buf_add_char(out, '{');
		query_out_key(out, "field");
		query_out_text(out, field->id);
		query_out_key(out, "label");
		query_out_text(out, field->label);
		query_out_key(out, "unit");
		query_out_text(out, field->unit);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
	out_f64(out, "gain_limit", scaling->gain_limit);
	write_axes(scaling, out);
}

/* Returns how many lines have room in the response. */
static size_t fitting(const struct scaling *scaling)
{
	size_t count = 0, left = scaling->points_left;

	while (count < scaling->lines.count && count < BOUND_GROUPS_MAX &&
	       scaling->lines.items[count].count <= left)
		left -= scaling->lines.items[count++].count;
	return count;
}

static int write_answer(struct scaling *scaling, const struct mirror_snapshot *snapshot,
			struct pl_buf *out, struct pl_err *err)
{
	size_t count = fitting(scaling);
	auto_json json_t *fields = query_lines_fields(&scaling->lines, count);

	write_head(scaling, out);
	query_out_key(out, "lines");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (mirror_view_goes_on(scaling->view, err) < 0)
			return -1;
		write_line(scaling, &scaling->lines.items[i], json_array_get(fields, i), out);
	}
	pl_buf_add_char(out, ']');
	out_count(out, "more_count", scaling->lines.count - count);
	out_count(out, "single_count", scaling->lines.single_count);
	write_cautions(scaling, count, out);
	query_out_key(out, "incomplete");
	pl_buf_add_text(out, scaling->is_late ? "[\"intervals\"]" : "[]");
	return query_out_end(out, mirror_snapshot_version(snapshot), "; request fewer points", err);
}

int query_scaling(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_scaling scaling = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
					      .faults = faults },
				 .began_ns = pl_clock_now_ns() };

	if (open_view(&scaling, snapshot, request, err) < 0)
		return -1;
	if (!read_request(&scaling, request))
		return query_request_refuse(&scaling.pointer, err);
	if (read_rows(&scaling, request, err) < 0 || mirror_view_settle(scaling.view, err) < 0)
		return -1;
	return write_answer(&scaling, snapshot, ret_json, err);
}
