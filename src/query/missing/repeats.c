/* Repeats of measured configurations that settle whether a point is on the frontier, or narrow its interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "base/text.h"
#include "query/missing/missing_priv.h"

#define RUNS_MORE_MAX 20    /* per configuration */
#define SPREAD_RUNS   3     /* with fewer, nothing is known about the spread */
#define Z_SURE        1.645 /* 95 % of a normal distribution are below it */
#define MANY          1e6   /* degrees of freedom: normal */

struct id_row {
	int64_t id;
	size_t row;
};

static int compare_ids(const void *a, const void *b)
{
	const struct id_row *one = a, *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

/* Returns the number of more runs after which a share as far from one half is beyond 95 %: its z grows with √runs. */
static size_t runs_to_settle(double share, size_t runs)
{
	double z = pl_student_t(fmin(1, 2 * fmin(share, 1 - share)), MANY);
	double more = (double)runs * (Z_SURE * Z_SURE / (z * z) - 1);

	if (!(more < RUNS_MORE_MAX))
		return SIZE_MAX;
	return more < 1 ? 1 : (size_t)ceil(more);
}

/* Returns the widest relative half-width of the metrics; NaN: no interval. */
static double half_width_of(const json_t *point, size_t *ret_metric)
{
	double widest = NAN;

	PL_JSON_EACH(value, json_object_get(point, "values")) {
		const json_t *low = json_object_get(value, "low"),
			     *high = json_object_get(value, "high");
		double mean = json_number_value(json_object_get(value, "mean"));
		double half = (json_number_value(high) - json_number_value(low)) / 2 / fabs(mean);
		if (!json_is_number(low) || !json_is_number(high) || !isfinite(half) ||
		    half <= widest)
			continue;
		widest = half;
		*ret_metric = value_at;
	}
	return widest;
}

static double factor(size_t runs)
{
	return pl_student_t(0.05, (double)runs - 1) / sqrt((double)runs);
}

static json_t *repeat_of(const json_t *point, const char *reason, size_t more, bool settles)
{
	return json_pack("{s:O, s:s, s:O, s:O, s:I, s:I, s:b}", "ids",
			 json_object_get(point, "ids"), "reason", reason, "membership",
			 json_object_get(point, "membership"), "share",
			 json_object_get(point, "share"), "runs",
			 (json_int_t)json_array_size(json_object_get(point, "ids")), "more_runs",
			 (json_int_t)more, "settles", (int)settles);
}

/* Returns NULL if more runs of it decide nothing. */
static json_t *choose(const json_t *point)
{
	const char *membership = pl_json_get_text(point, "membership");
	bool is_on = pl_json_get_true(point, "frontier");
	size_t runs = json_array_size(json_object_get(point, "ids"));

	if (pl_text_equal(membership, "perhaps")) {
		size_t more = runs_to_settle(pl_json_get_f64(point, "share"), runs);
		return more == SIZE_MAX ? repeat_of(point, "settle", RUNS_MORE_MAX, false)
					: repeat_of(point, "settle", more, true);
	}
	if (is_on && runs < SPREAD_RUNS)
		return repeat_of(point, "spread", SPREAD_RUNS - runs, false);
	return is_on ? repeat_of(point, "narrow", 1, false) : NULL;
}

static void add_gain(json_t *repeat, const json_t *point, const json_t *metrics, double seconds)
{
	size_t metric = 0;
	size_t runs = (size_t)pl_json_get_i64(repeat, "runs"),
	       more = (size_t)pl_json_get_i64(repeat, "more_runs");
	double half = runs > 1 ? half_width_of(point, &metric) : NAN;
	double after = half * factor(runs + more) / factor(runs);
	double minutes = seconds * (double)more / 60;
	const char *field = pl_json_get_text(json_array_get(metrics, metric), "field");

	json_object_set_new(repeat, "seconds", pl_json_number(seconds));
	json_object_set_new(repeat, "metric", isnan(half) ? json_null() : pl_json_text(field));
	json_object_set_new(repeat, "half_width", pl_json_number(half));
	json_object_set_new(repeat, "half_width_after", pl_json_number(after));
	json_object_set_new(repeat, "gain_per_minute",
			    pl_json_number(minutes > 0 ? (half - after) / minutes : NAN));
}

static int rank_of(const json_t *repeat)
{
	const char *reason = pl_json_get_text(repeat, "reason");

	if (strcmp(reason, "settle") == 0)
		return pl_json_get_true(repeat, "settles") ? 0 : 2;
	return strcmp(reason, "spread") == 0 ? 1 : 3;
}

static double cost_of(const json_t *repeat)
{
	const json_t *seconds = json_object_get(repeat, "seconds"),
		     *gain = json_object_get(repeat, "gain_per_minute");

	if (rank_of(repeat) == 3)
		return json_is_number(gain) ? -json_number_value(gain) : INFINITY;
	return json_is_number(seconds)
		       ? json_number_value(seconds) * (double)pl_json_get_i64(repeat, "more_runs")
		       : INFINITY;
}

static int compare_repeats(const void *a, const void *b)
{
	const json_t *one = *(json_t *const *)a, *other = *(json_t *const *)b;
	double x = cost_of(one), y = cost_of(other);

	if (rank_of(one) != rank_of(other))
		return rank_of(one) - rank_of(other);
	if (x < y || x > y)
		return x < y ? -1 : 1;
	json_int_t id = json_integer_value(json_array_get(json_object_get(one, "ids"), 0)),
		   other_id = json_integer_value(json_array_get(json_object_get(other, "ids"), 0));
	return (id > other_id) - (id < other_id);
}

static const struct id_row *find_row(const struct id_row *rows, size_t count, const json_t *point)
{
	const json_t *ids = json_object_get(point, "ids");
	struct id_row wanted = { json_integer_value(json_array_get(ids, json_array_size(ids) - 1)),
				 0 };

	return bsearch(&wanted, rows, count, sizeof(*rows), compare_ids);
}

json_t *query_repeats(const struct grid *grid, const json_t *pareto)
{
	const json_t *metrics = json_object_get(pareto, "metrics");
	auto_free struct id_row *rows = pl_alloc_array(grid->row_count + 1, sizeof(*rows));
	auto_json json_t *all = json_array();
	json_t *ret = json_array();

	for (size_t i = 0; i < grid->row_count; i++)
		rows[i] = (struct id_row){ mirror_view_id(grid->view, grid->places[i]), i };
	qsort(rows, grid->row_count, sizeof(*rows), compare_ids);
	PL_JSON_EACH(group, json_object_get(pareto, "groups")) {
		PL_JSON_EACH(point, json_object_get(group, "points")) {
			const struct id_row *row = find_row(rows, grid->row_count, point);
			json_t *repeat = row != NULL ? choose(point) : NULL;
			if (repeat == NULL)
				continue;
			size_t cell = grid->cell_of[row->row];
			add_gain(repeat, point, metrics, grid->median[cell]);
			json_object_set_new(repeat, "cell", json_integer((json_int_t)cell));
			json_object_set_new(repeat, "row", json_integer((json_int_t)row->row));
			json_array_append_new(all, repeat);
		}
	}
	size_t count = json_array_size(all);
	auto_free json_t **sorted = pl_alloc_array(count + 1, sizeof(json_t *));
	for (size_t i = 0; i < count; i++)
		sorted[i] = json_array_get(all, i);
	qsort(sorted, count, sizeof(json_t *), compare_repeats);
	for (size_t i = 0; i < count; i++)
		json_array_append(ret, sorted[i]);
	return ret;
}
