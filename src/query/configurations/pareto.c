#include "query/configurations/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stats.h"
#include "base/student.h"
#include "mirror/instant.h"
#include "mirror/kernels/kernels.h"
#include "query/configurations/configurations_priv.h"
#include "query/filter.h"
#include "query/groups/cells_priv.h"
#include "query/out_priv.h"
#include "query/rows_priv.h"
#include "result/frontier/bootstrap.h"
#include "tbl/request_bounds.h"
#include "vllm/version.h"

#define SURE             0.05
#define DIMENSIONS_MAX   RES_FRONTIER_DIMENSIONS_MAX
#define DOMINATED_BY_MAX 5
#define TIME_FIELD       "run.timestamp"
#define VERSION_FIELD    "environment.engine.version"

static const char *const default_metrics[] = { "derived.tokens_per_s_per_user",
					       "derived.output_throughput_per_gpu" };

struct pareto {
	struct query_pointer pointer;
	struct mirror_view *view;
	struct mirror_ids ids;
	struct query_filter *filter;
	struct configurations configurations;
	const struct mirror_column *metrics[DIMENSIONS_MAX];
	struct res_frontier_space space;
	struct res_frontier_limit limits[RES_FRONTIER_LIMITS_MAX];
	size_t limit_count;
	double reference[DIMENSIONS_MAX];
	bool has_reference;
	const struct mirror_column *since_column; /* NULL: no since */
	int64_t since_us;
	struct vllm_version since_version;
	size_t unmeasured;
	struct request_fields columns;
	struct rows_writer *row_writer; /* NULL: no columns */
	double *values;                 /* of each run, in the order of configurations.runs */
	size_t points_left;
	json_int_t budget_ms;
	int64_t began_ns;
	bool is_late;
};

static void pareto_done(struct pareto *pareto)
{
	free(pareto->values);
	query_rows_writer_free(pareto->row_writer);
	free(pareto->columns.items);
	query_configurations_done(&pareto->configurations);
	query_filter_free(pareto->filter);
	mirror_view_free(pareto->view);
	query_pointer_done(&pareto->pointer);
	free(pareto->ids.items);
}
#define auto_pareto __attribute__((cleanup(pareto_done), unused)) struct pareto

/* ---- the request --------------------------------------------------------------------------------- */

static bool read_metric(struct pareto *pareto, const json_t *metric, unsigned at)
{
	struct query_pointer *pointer = &pareto->pointer;
	const char *direction = json_string_value(query_request_member(metric, "direction"));
	size_t before = query_pointer_enter(pointer, "field");
	bool fits = query_request_column(pointer, pareto->view, json_object_get(metric, "field"),
					 &pareto->metrics[at]);

	for (unsigned i = 0; fits && i < at; i++) {
		if (pareto->metrics[i] == pareto->metrics[at])
			fits = query_pointer_fault(pointer, "field",
						   json_object_get(metric, "field"),
						   "different metrics", NULL);
	}
	query_pointer_leave(pointer, before);
	if (!fits)
		return false;
	if (direction == NULL && pareto->metrics[at]->field->direction == RES_FIELD_NEITHER) {
		before = query_pointer_enter(pointer, "direction");
		fits = query_pointer_fault(
			pointer, "type", query_request_member(metric, "direction"),
			"higher or lower, because the field has no better direction", NULL);
		query_pointer_leave(pointer, before);
	}
	pareto->space.higher[at] = direction != NULL ? strcmp(direction, "higher") == 0
						     : pareto->metrics[at]->field->direction ==
							       RES_FIELD_HIGHER;
	return fits;
}

static bool read_metrics(struct pareto *pareto, const json_t *request)
{
	const json_t *list = query_request_member(request, "metrics");
	size_t before = query_pointer_enter(&pareto->pointer, "metrics");
	bool fits = true;

	pareto->space.dimensions = list == NULL ? PL_ARRAY_SIZE(default_metrics)
						: (unsigned)json_array_size(list);
	for (unsigned i = 0; list == NULL && i < PL_ARRAY_SIZE(default_metrics); i++) {
		pareto->metrics[i] = mirror_view_column(pareto->view, default_metrics[i]);
		pareto->space.higher[i] = true;
	}
	for (unsigned i = 0; i < json_array_size(list); i++) {
		size_t outside = query_pointer_enter_item(&pareto->pointer, i);
		fits = read_metric(pareto, json_array_get(list, i), i) && fits;
		query_pointer_leave(&pareto->pointer, outside);
	}
	query_pointer_leave(&pareto->pointer, before);
	return fits;
}

static bool read_dimension(struct pareto *pareto, const json_t *limit, const char *key,
			   unsigned *ret)
{
	const json_t *field = json_object_get(limit, key);
	const struct mirror_column *column = NULL;
	size_t before = query_pointer_enter(&pareto->pointer, key);
	bool fits = query_request_column(&pareto->pointer, pareto->view, field, &column);

	for (unsigned i = 0; fits && i < pareto->space.dimensions; i++) {
		if (pareto->metrics[i] != column)
			continue;
		*ret = i;
		query_pointer_leave(&pareto->pointer, before);
		return true;
	}
	if (fits)
		query_pointer_fault(&pareto->pointer, "field", field, "one of the metrics", NULL);
	query_pointer_leave(&pareto->pointer, before);
	return false;
}

static bool read_limits(struct pareto *pareto, const json_t *request)
{
	const json_t *list = query_request_member(request, "limits");
	size_t before = query_pointer_enter(&pareto->pointer, "limits");
	bool fits = true;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *limit = json_array_get(list, i);
		size_t outside = query_pointer_enter_item(&pareto->pointer, i);
		struct res_frontier_limit *ret = &pareto->limits[i];
		fits = read_dimension(pareto, limit, "field", &ret->limited) && fits;
		ret->value = json_number_value(json_object_get(limit, "value"));
		ret->wanted = ret->limited == 0 ? 1 : 0;
		if (query_request_member(limit, "wanted") != NULL)
			fits = read_dimension(pareto, limit, "wanted", &ret->wanted) && fits;
		query_pointer_leave(&pareto->pointer, outside);
	}
	pareto->limit_count = json_array_size(list);
	query_pointer_leave(&pareto->pointer, before);
	return fits;
}

static bool read_reference(struct pareto *pareto, const json_t *request)
{
	const json_t *list = query_request_member(request, "reference");
	size_t before = query_pointer_enter(&pareto->pointer, "reference");
	bool fits = true;

	if (list != NULL && json_array_size(list) != pareto->space.dimensions)
		fits = query_pointer_fault(&pareto->pointer, "type", list,
					   "as many numbers as metrics", NULL);
	for (unsigned i = 0; fits && i < json_array_size(list); i++)
		pareto->reference[i] = json_number_value(json_array_get(list, i));
	pareto->has_reference = list != NULL;
	query_pointer_leave(&pareto->pointer, before);
	return fits;
}

static bool read_since(struct pareto *pareto, const json_t *request)
{
	const json_t *since = query_request_member(request, "since");
	const json_t *time = query_request_member(since, "time"),
		     *version = query_request_member(since, "version");
	struct query_pointer *pointer = &pareto->pointer;
	struct pl_err err = PL_ERR_INIT;
	bool fits = true;

	if (since == NULL)
		return true;
	size_t before = query_pointer_enter(pointer, "since");
	if ((time == NULL) == (version == NULL)) {
		fits = query_pointer_fault(pointer, "type", since,
					   "a time or a version, but not both", NULL);
	} else if (time != NULL &&
		   !mirror_instant_parse(json_string_value(time), &pareto->since_us) &&
		   !mirror_instant_parse_relative(json_string_value(time),
						  pl_clock_real_ns() / PL_NS_PER_US,
						  &pareto->since_us)) {
		size_t outside = query_pointer_enter(pointer, "time");
		fits = query_pointer_fault(pointer, "format", time,
					   "a time, such as 2026-11-01T00:00:00Z or now-30d", NULL);
		query_pointer_leave(pointer, outside);
	} else if (version != NULL && vllm_version_parse(json_string_value(version),
							 &pareto->since_version, &err) < 0) {
		size_t outside = query_pointer_enter(pointer, "version");
		fits = query_pointer_fault(pointer, "format", version, "a release, such as 0.11.0",
					   NULL);
		query_pointer_leave(pointer, outside);
	}
	pareto->since_column = mirror_view_column(pareto->view,
						  time != NULL ? TIME_FIELD : VERSION_FIELD);
	query_pointer_leave(pointer, before);
	return fits;
}

static int open_view(struct pareto *pareto, const struct mirror_snapshot *snapshot,
		     const json_t *request, struct pl_err *err)
{
	query_filter_fields(query_request_member(request, "filter"), &pareto->ids);
	query_request_ids(query_request_member(request, "group_by"), &pareto->ids);
	query_request_ids(query_request_member(request, "metrics"), &pareto->ids);
	query_request_ids(query_request_member(request, "columns"), &pareto->ids);
	query_configurations_ids(&pareto->ids);
	for (size_t i = 0; i < PL_ARRAY_SIZE(default_metrics); i++)
		*PL_PUSH(pareto->ids.items, pareto->ids.count,
			 pareto->ids.room) = default_metrics[i];
	if (mirror_view_new(snapshot, &pareto->ids, &pareto->view, err) < 0)
		return -1;
	pareto->configurations.view = pareto->view;
	return 0;
}

static bool read_request(struct pareto *pareto, const json_t *request)
{
	bool fits = query_filter_new(pareto->view, query_request_member(request, "filter"),
				     "/filter", &pareto->filter, pareto->pointer.faults) == 0;

	fits = query_request_columns(&pareto->pointer, pareto->view, request, "group_by",
				     &pareto->configurations.by) &&
	       fits;
	fits = query_request_columns(&pareto->pointer, pareto->view, request, "columns",
				     &pareto->columns) &&
	       fits;
	bool has_metrics = read_metrics(pareto, request);
	fits = has_metrics && read_limits(pareto, request) && fits;
	fits = has_metrics && read_reference(pareto, request) && fits;
	fits = read_since(pareto, request) && fits;
	if (fits && pareto->columns.count > 0)
		pareto->row_writer = query_rows_writer_new(pareto->view, pareto->columns.items,
							   pareto->columns.count);
	pareto->points_left = (size_t)query_request_number(request, "limit",
							   BOUND_FRONTIER_DEFAULT);
	pareto->budget_ms = query_request_number(request, "budget_ms", 0);
	return fits;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

/* Removes rows that lack a finite number in a metric. */
static void drop_unmeasured(struct pareto *pareto)
{
	uint64_t *rows = pareto->configurations.rows;
	size_t words = mirror_view_words(pareto->view);
	size_t before = mirror_kernels()->count(rows, words);
	auto_free struct cell *cells = pl_alloc_array(before + 1, sizeof(*cells));

	for (unsigned k = 0; k < pareto->space.dimensions; k++) {
		size_t at = 0;
		query_cells_read(pareto->view, pareto->metrics[k], rows, cells);
		for (size_t word = 0; word < words; word++) {
			for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
				const struct cell *cell = &cells[at++];
				if (cell->class != MIRROR_NUMBER || !isfinite(cell->number))
					rows[word] &= ~(bits & -bits);
			}
		}
	}
	pareto->unmeasured = before - mirror_kernels()->count(rows, words);
}

static void read_values(struct pareto *pareto)
{
	const struct configurations *configurations = &pareto->configurations;
	unsigned dimensions = pareto->space.dimensions;
	size_t count = configurations->parts.row_count;
	auto_free struct cell *cells = pl_alloc_array(count + 1, sizeof(*cells));

	pareto->values = pl_alloc_array(count * dimensions + 1, sizeof(*pareto->values));
	for (unsigned k = 0; k < dimensions; k++) {
		query_cells_read(pareto->view, pareto->metrics[k], configurations->rows, cells);
		for (size_t i = 0; i < count; i++)
			pareto->values[i * dimensions + k] = cells[configurations->runs[i]].number;
	}
}

/* Sets the reference to the worst mean of each metric. */
static void take_reference(struct pareto *pareto)
{
	const struct configurations *configurations = &pareto->configurations;
	unsigned dimensions = pareto->space.dimensions;

	if (pareto->has_reference)
		return;
	for (unsigned k = 0; k < dimensions; k++)
		pareto->reference[k] = NAN;
	for (size_t i = 0; i < configurations->parts.count; i++) {
		size_t runs = configurations_runs(configurations, i);
		auto_free double *column = pl_alloc_array(runs, sizeof(*column));
		for (unsigned k = 0; k < dimensions; k++) {
			for (size_t r = 0; r < runs; r++)
				column[r] = pareto->values[(configurations->starts[i] + r) *
								   dimensions +
							   k];
			pl_stats_sort(column, runs);
			double mean = pl_stats_mean(column, runs), *worst = &pareto->reference[k];
			if (isnan(*worst) ||
			    (pareto->space.higher[k] ? mean < *worst : mean > *worst))
				*worst = mean;
		}
	}
}

/* ---- one group ----------------------------------------------------------------------------------- */

/* Configurations `first` to `first + count`. */
struct part {
	size_t first;
	size_t count;
	struct res_frontier_configuration *runs;
	struct res_frontier_analysis analysis;
	enum res_frontier_state *before; /* states before `since`; NULL: not requested */
	size_t *order;                   /* of the points in the response */
};

static void part_done(struct part *part)
{
	free(part->runs);
	res_frontier_analysis_done(&part->analysis);
	free(part->before);
	free(part->order);
}
#define auto_part __attribute__((cleanup(part_done), unused)) struct part

static bool is_before(const struct pareto *pareto, size_t run)
{
	struct mirror_value value = mirror_column_at(pareto->since_column,
						     pareto->configurations.places[run]);
	struct vllm_version version;
	struct pl_err err = PL_ERR_INIT;

	if (value.class != MIRROR_TEXT)
		return false;
	if (strcmp(pareto->since_column->field->id, TIME_FIELD) == 0)
		return value.is_time && value.time_us < pareto->since_us;
	return vllm_version_parse(value.text, &version, &err) == 0 &&
	       vllm_version_compare(&version, &pareto->since_version) < 0;
}

/* Finds the frontier of the means of the runs before `since`. */
static void find_before(const struct pareto *pareto, struct part *part)
{
	unsigned dimensions = pareto->space.dimensions;
	auto_free double *points = pl_alloc_array(part->count * dimensions + 1, sizeof(*points));

	part->before = pl_alloc_array(part->count + 1, sizeof(*part->before));
	for (size_t i = 0; i < part->count; i++) {
		size_t start = pareto->configurations.starts[part->first + i],
		       end = pareto->configurations.starts[part->first + i + 1];
		auto_free double *column = pl_alloc_array(end - start, sizeof(*column));
		for (unsigned k = 0; k < dimensions; k++) {
			size_t count = 0;
			for (size_t run = start; run < end; run++) {
				if (is_before(pareto, run))
					column[count++] = pareto->values[run * dimensions + k];
			}
			pl_stats_sort(column, count);
			points[i * dimensions + k] = count > 0 ? pl_stats_mean(column, count) : NAN;
		}
	}
	res_frontier_find(&pareto->space, points, part->count, part->before);
}

static int rank_of(const struct part *part, size_t at)
{
	if (part->analysis.states[at] == RES_FRONTIER_ON)
		return 0;
	return part->analysis.memberships[at] == RES_FRONTIER_PERHAPS ? 1 : 2;
}

struct ordering {
	const struct pareto *pareto;
	const struct part *part;
};

static int compare_points(const void *a, const void *b, void *context)
{
	const struct ordering *ordering = context;
	const struct res_frontier_space *space = &ordering->pareto->space;
	size_t one = *(const size_t *)a, other = *(const size_t *)b;
	int ranks = rank_of(ordering->part, one) - rank_of(ordering->part, other);

	for (unsigned k = 0; ranks == 0 && k < space->dimensions; k++) {
		double x = ordering->part->analysis.means[one * space->dimensions + k],
		       y = ordering->part->analysis.means[other * space->dimensions + k];
		ranks = ((x < y) - (x > y)) * (space->higher[k] ? 1 : -1);
	}
	return ranks != 0 ? ranks : (one > other) - (one < other);
}

/* Returns false once the time has ended, or the client has left. */
static bool has_time(void *data)
{
	struct pareto *pareto = data;
	int64_t used_ns = pl_clock_now_ns() - pareto->began_ns;

	return (pareto->budget_ms <= 0 || used_ns < pareto->budget_ms * PL_NS_PER_MS) &&
	       mirror_view_has_time(pareto->view);
}

static void analyze(struct pareto *pareto, struct part *part)
{
	const struct configurations *configurations = &pareto->configurations;
	unsigned dimensions = pareto->space.dimensions;

	part->runs = pl_alloc_array(part->count + 1, sizeof(*part->runs));
	part->order = pl_alloc_array(part->count + 1, sizeof(*part->order));
	for (size_t i = 0; i < part->count; i++) {
		size_t at = part->first + i;
		part->runs[i] = (struct res_frontier_configuration){
			pareto->values + configurations->starts[at] * dimensions,
			configurations_runs(configurations, at)
		};
		part->order[i] = i;
	}
	res_frontier_analyze(&(struct res_frontier_question){ .space = &pareto->space,
							      .configurations = part->runs,
							      .count = part->count,
							      .reference = pareto->reference,
							      .limits = pareto->limits,
							      .limit_count = pareto->limit_count,
							      .goes_on = has_time,
							      .data = pareto },
			     &part->analysis);
	pareto->is_late = pareto->is_late || part->analysis.is_cut;
	if (pareto->since_column != NULL)
		find_before(pareto, part);
	qsort_r(part->order, part->count, sizeof(*part->order), compare_points,
		&(struct ordering){ pareto, part });
}

/* ---- the response -------------------------------------------------------------------------------- */

/* A sum or a product of large numbers may be infinite, which is not a number in JSON: it is null. */
static void out_f64(struct pl_buf *out, const char *key, double number)
{
	query_out_key(out, key);
	query_out_f64(out, isfinite(number) ? number : NAN);
}

static void out_yes(struct pl_buf *out, const char *key, bool yes)
{
	query_out_key(out, key);
	pl_buf_add_text(out, yes ? "true" : "false");
}

static void write_ids(const struct pareto *pareto, const struct part *part, size_t at,
		      struct pl_buf *out)
{
	const size_t *starts = pareto->configurations.starts + part->first + at;

	query_configurations_write_ids(&pareto->configurations, starts[0], starts[1], out);
}

/* `part` NULL: without ids. */
static void write_figure(const struct pareto *pareto, const struct part *part,
			 const struct res_frontier_figure *figure, struct pl_buf *out)
{
	pl_buf_add_char(out, '{');
	out_f64(out, "value", figure->value);
	out_f64(out, "low", figure->interval.low);
	out_f64(out, "high", figure->interval.high);
	if (part != NULL) {
		out_f64(out, "feasible_share", figure->feasible_share);
		if (figure->configuration != SIZE_MAX)
			write_ids(pareto, part, figure->configuration, out);
		else
			pl_buf_add_text(out, ",\"ids\":[]");
	}
	pl_buf_add_char(out, '}');
}

/* Writes Student's 95 % intervals of the means over the runs. */
static void write_intervals(const struct pareto *pareto, const struct part *part, size_t at,
			    struct pl_buf *out)
{
	unsigned dimensions = pareto->space.dimensions;
	const struct res_frontier_configuration *runs = &part->runs[at];
	const double *means = part->analysis.means + at * dimensions;
	double n = (double)runs->count, halves[DIMENSIONS_MAX];
	auto_free double *column = pl_alloc_array(runs->count, sizeof(*column));

	for (unsigned k = 0; k < dimensions; k++) {
		for (size_t i = 0; i < runs->count; i++)
			column[i] = runs->runs[i * dimensions + k];
		pl_stats_sort(column, runs->count);
		halves[k] = runs->count > 1
				    ? pl_student_t(SURE, n - 1) *
					      pl_stats_std(column, runs->count) / sqrt(n - 1)
				    : NAN;
	}
	query_out_key(out, "values");
	pl_buf_add_char(out, '[');
	for (unsigned k = 0; k < dimensions; k++) {
		query_out_next(out);
		pl_buf_add_char(out, '{');
		out_f64(out, "mean", means[k]);
		out_f64(out, "low", means[k] - halves[k]);
		out_f64(out, "high", means[k] + halves[k]);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

/* Lists the newest run of configurations that dominate this one. */
static void write_dominating(const struct pareto *pareto, const struct part *part, size_t at,
			     struct pl_buf *out)
{
	const struct configurations *configurations = &pareto->configurations;
	unsigned dimensions = pareto->space.dimensions;
	const double *means = part->analysis.means;
	size_t count = 0;

	query_out_key(out, "dominated_by");
	pl_buf_add_char(out, '[');
	/* on the frontier, nothing does */
	for (size_t i = 0; i < part->count && count < DOMINATED_BY_MAX &&
			   part->analysis.states[at] != RES_FRONTIER_ON;
	     i++) {
		size_t other = part->order[i];
		if (part->analysis.states[other] != RES_FRONTIER_ON)
			break;
		if (!res_frontier_dominates(&pareto->space, means + other * dimensions,
					    means + at * dimensions))
			continue;
		size_t last = configurations->starts[part->first + other + 1] - 1;
		query_out_next(out);
		query_out_i64(out, mirror_view_id(pareto->view, configurations->places[last]));
		count++;
	}
	pl_buf_add_char(out, ']');
}

/* Writes the newest run. */
static void write_row(const struct pareto *pareto, const struct part *part, size_t at,
		      struct pl_buf *out)
{
	const struct configurations *configurations = &pareto->configurations;
	size_t last = configurations->starts[part->first + at + 1] - 1;

	query_out_key(out, "row");
	if (pareto->row_writer != NULL)
		query_rows_write(pareto->row_writer, configurations->places[last], out);
	else
		pl_buf_add_text(out, "null");
}

static void write_point(const struct pareto *pareto, const struct part *part, size_t at,
			struct pl_buf *out)
{
	query_out_next(out);
	pl_buf_add_char(out, '{');
	write_ids(pareto, part, at, out);
	write_intervals(pareto, part, at, out);
	out_yes(out, "frontier", part->analysis.states[at] == RES_FRONTIER_ON);
	query_out_key(out, "membership");
	query_out_text(out, res_frontier_membership_name(part->analysis.memberships[at]));
	out_f64(out, "share", part->analysis.shares[at]);
	out_yes(out, "knee", part->analysis.knee == at);
	write_dominating(pareto, part, at, out);
	write_row(pareto, part, at, out);
	pl_buf_add_char(out, '}');
}

/* Writes the configurations that are on one of the two frontiers only; null without `since`. */
static void write_moves(const struct pareto *pareto, const struct part *part, const char *key,
			bool entered, struct pl_buf *out)
{
	query_out_key(out, key);
	if (part->before == NULL) {
		pl_buf_add_text(out, "null");
		return;
	}
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < part->count; i++) {
		size_t at = part->order[i];
		bool is_on = part->analysis.states[at] == RES_FRONTIER_ON,
		     was_on = part->before[at] == RES_FRONTIER_ON;
		if (is_on == entered && was_on != entered)
			write_point(pareto, part, at, out);
	}
	pl_buf_add_char(out, ']');
}

static void write_group(struct pareto *pareto, size_t group, const struct part *part,
			struct pl_buf *out)
{
	const struct res_frontier_analysis *analysis = &part->analysis;
	size_t shown = part->count < pareto->points_left ? part->count : pareto->points_left;

	query_out_next(out);
	pl_buf_add_char(out, '{');
	query_configurations_write_key(&pareto->configurations, group, out);
	out_count(out, "count", pareto->configurations.groups.rows[group]);
	out_count(out, "configuration_count", part->count);
	out_count(out, "frontier_count", analysis->on_count);
	out_f64(out, "dominated_share",
		part->count > 0 ? 1 - (double)analysis->on_count / (double)part->count : NAN);
	out_yes(out, "has_spread", analysis->has_spread);
	query_out_key(out, "hypervolume");
	write_figure(pareto, NULL, &analysis->hypervolume, out);
	query_out_key(out, "limits");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < pareto->limit_count; i++) {
		query_out_next(out);
		write_figure(pareto, part, &analysis->limits[i], out);
	}
	pl_buf_add_char(out, ']');
	query_out_key(out, "points");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < shown; i++)
		write_point(pareto, part, part->order[i], out);
	pl_buf_add_char(out, ']');
	pareto->points_left -= shown;
	out_count(out, "more_count", part->count - shown);
	write_moves(pareto, part, "entered", true, out);
	write_moves(pareto, part, "left", false, out);
	pl_buf_add_char(out, '}');
}

static void write_head(const struct pareto *pareto, struct pl_buf *out)
{
	const struct configurations *configurations = &pareto->configurations;

	pl_buf_add_char(out, '{');
	out_count(out, "count", configurations->parts.row_count);
	out_count(out, "total", mirror_view_count(pareto->view));
	out_count(out, "simulated", configurations->simulated);
	out_count(out, "excluded", configurations->simulated_excluded);
	out_count(out, "untrusted_excluded", configurations->untrusted_excluded);
	out_count(out, "unmeasured", pareto->unmeasured);
	out_count(out, "configuration_count", configurations->parts.count);
	query_out_key(out, "metrics");
	pl_buf_add_char(out, '[');
	for (unsigned k = 0; k < pareto->space.dimensions; k++) {
		query_out_next(out);
		pl_buf_add_char(out, '{');
		query_configurations_write_metric(pareto->metrics[k]->field,
						  pareto->space.higher[k], out);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
	query_out_key(out, "reference");
	pl_buf_add_char(out, '[');
	for (unsigned k = 0; k < pareto->space.dimensions; k++) {
		query_out_next(out);
		query_out_f64(out, isfinite(pareto->reference[k]) ? pareto->reference[k] : NAN);
	}
	pl_buf_add_char(out, ']');
	query_out_key(out, "limits");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < pareto->limit_count; i++) {
		query_out_next(out);
		pl_buf_add_char(out, '{');
		query_out_key(out, "field");
		query_out_text(out, pareto->metrics[pareto->limits[i].limited]->field->id);
		out_f64(out, "value", pareto->limits[i].value);
		query_out_key(out, "wanted");
		query_out_text(out, pareto->metrics[pareto->limits[i].wanted]->field->id);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
	auto_json json_t *cautions = query_configurations_cautions(configurations, pareto->metrics,
								   pareto->space.dimensions);
	query_out_key(out, "cautions");
	pl_json_write(cautions, PL_JSON_COMPACT, out);
}

static int write_answer(struct pareto *pareto, const struct mirror_snapshot *snapshot,
			struct pl_buf *out, struct pl_err *err)
{
	const struct configurations *configurations = &pareto->configurations;
	size_t groups = configurations->groups.count, at = 0;

	if (groups > BOUND_GROUPS_MAX)
		groups = BOUND_GROUPS_MAX;
	write_head(pareto, out);
	query_out_key(out, "groups");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < groups; i++) {
		auto_part part = { .first = at };
		if (mirror_view_goes_on(pareto->view, err) < 0)
			return -1;
		while (at < configurations->parts.count && configurations->group_of[at] == i)
			at++;
		part.count = at - part.first;
		analyze(pareto, &part);
		write_group(pareto, i, &part, out);
	}
	pl_buf_add_char(out, ']');
	out_count(out, "more_count", configurations->groups.count - groups);
	query_out_key(out, "incomplete");
	pl_buf_add_text(out, pareto->is_late ? "[\"membership\"]" : "[]");
	return query_out_end(out, mirror_snapshot_version(snapshot), "; request fewer points", err);
}

int query_pareto(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_pareto pareto = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
					    .faults = faults },
			       .began_ns = pl_clock_now_ns() };
	struct configurations *configurations = &pareto.configurations;

	if (open_view(&pareto, snapshot, request, err) < 0)
		return -1;
	if (!read_request(&pareto, request))
		return query_request_refuse(&pareto.pointer, err);
	size_t bytes = mirror_view_words(pareto.view) * sizeof(*configurations->rows);
	configurations->rows = pl_alloc(bytes);
	if (bytes > 0)
		memcpy(configurations->rows, query_filter_rows(pareto.filter), bytes);
	query_configurations_choose(configurations,
				    json_is_true(json_object_get(request, "simulated")),
				    json_is_true(json_object_get(request, "untrusted")));
	drop_unmeasured(&pareto);
	if (query_configurations_make(configurations, err) < 0)
		return -1;
	read_values(&pareto);
	take_reference(&pareto);
	if (mirror_view_settle(pareto.view, err) < 0)
		return -1;
	return write_answer(&pareto, snapshot, ret_json, err);
}
