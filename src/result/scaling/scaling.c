#include "result/scaling/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "base/student.h"
#include "result/compare/ratio.h"

#define SURE     0.05
#define ROUNDING 1e-9 /* of a relative variance's root: smaller is no spread */

const char *res_scaling_pays_name(enum res_scaling_pays pays)
{
	static const char *const names[] = {
		[RES_SCALING_PAYS_NONE] = "none", [RES_SCALING_PAYS_UNKNOWN] = "unknown",
		[RES_SCALING_PAYS_YES] = "yes",   [RES_SCALING_PAYS_PERHAPS] = "perhaps",
		[RES_SCALING_PAYS_NO] = "no",
	};

	return names[pays];
}

/* ---- sizes -------------------------------------------------------------------------------------- */

static double or_one(double number)
{
	return isnan(number) ? 1 : number;
}

double res_scaling_gpus(const struct res_scaling_layout *layout)
{
	return layout->tensor * or_one(layout->pipeline) * or_one(layout->prefill_context) *
	       or_one(layout->data);
}

double res_scaling_experts(const struct res_scaling_layout *layout)
{
	if (!layout->is_expert)
		return 1;
	return layout->tensor * or_one(layout->prefill_context) * or_one(layout->data);
}

double res_scaling_nodes(const struct res_scaling_layout *layout)
{
	if (layout->nodes > 1)
		return layout->nodes;
	if (layout->data_local > 0 && layout->data > layout->data_local)
		return ceil(layout->data / layout->data_local);
	return or_one(layout->nodes);
}

/* ---- runs --------------------------------------------------------------------------------------- */

static const struct res_scaling_value unknown = { NAN, { NAN, NAN } };

/* A point while it is analyzed. */
struct work {
	struct res_sample sample; /* sorted copy of the runs */
	double mean;
	double variance; /* of the mean, relative to its square; NaN: unknown */
	double freedom;  /* of that variance */
	bool is_pooled;
};

struct analysis {
	const struct res_scaling_question *question;
	struct res_scaling_point *points;
	struct work *work;
	size_t *line; /* indices by size, one for each */
	size_t line_count;
};

static void read_runs(const struct res_scaling_runs *runs, struct work *ret)
{
	for (size_t i = 0; i < runs->count; i++)
		*PL_PUSH(ret->sample.numbers, ret->sample.count,
			 ret->sample.room) = runs->values[i];
	res_sample_settle(&ret->sample);
	ret->mean = res_sample_value(&ret->sample);
	double share = res_sample_deviation(&ret->sample) / ret->mean, n = (double)runs->count;
	ret->variance = share * share / n;
	ret->freedom = n - 1;
}

/* Gives the points with a single run the pooled variance of the others on the line. */
static void pool(struct analysis *analysis)
{
	double squares = 0, freedom = 0;

	for (size_t i = 0; i < analysis->line_count; i++) {
		const struct work *work = &analysis->work[analysis->line[i]];
		if (isnan(work->variance))
			continue;
		squares += work->variance * (work->freedom + 1) * work->freedom;
		freedom += work->freedom;
	}
	for (size_t i = 0; i < analysis->line_count; i++) {
		struct work *work = &analysis->work[analysis->line[i]];
		if (!isnan(work->variance) || freedom < RES_SCALING_POOL_MIN)
			continue;
		work->variance = squares / freedom;
		work->freedom = freedom;
		work->is_pooled = true;
	}
}

/* ---- the line ----------------------------------------------------------------------------------- */

/* By size; of one size the best mean first, then fewer GPUs, then the order of the runs. */
static int compare_points(const void *a, const void *b, void *context)
{
	const struct analysis *analysis = context;
	size_t one = *(const size_t *)a, other = *(const size_t *)b;
	const struct res_scaling_runs *runs = analysis->question->runs;
	double x = analysis->work[one].mean, y = analysis->work[other].mean;
	int by_mean = (x < y) - (x > y);

	if (runs[one].size < runs[other].size || runs[one].size > runs[other].size)
		return runs[one].size < runs[other].size ? -1 : 1;
	if (by_mean != 0)
		return analysis->question->higher ? by_mean : -by_mean;
	if (runs[one].gpus < runs[other].gpus || runs[one].gpus > runs[other].gpus)
		return runs[one].gpus < runs[other].gpus ? -1 : 1;
	return one < other ? -1 : one > other;
}

static void find_line(struct analysis *analysis)
{
	const struct res_scaling_runs *runs = analysis->question->runs;

	for (size_t i = 0; i < analysis->question->count; i++)
		analysis->line[i] = i;
	qsort_r(analysis->line, analysis->question->count, sizeof(*analysis->line), compare_points,
		analysis);
	for (size_t i = 0; i < analysis->question->count; i++) {
		size_t at = analysis->line[i];
		if (analysis->line_count > 0 &&
		    !(runs[at].size > runs[analysis->line[analysis->line_count - 1]].size))
			continue;
		analysis->points[at].is_on_line = true;
		analysis->line[analysis->line_count++] = at;
	}
}

/* ---- one point ---------------------------------------------------------------------------------- */

static struct res_scaling_value divided(struct res_scaling_value value, double by)
{
	if (!(by > 0))
		return unknown;
	return (struct res_scaling_value){ value.value / by,
					   { value.interval.low / by, value.interval.high / by } };
}

static double ideal_of(const struct res_scaling_question *question, size_t at, size_t base)
{
	const struct res_scaling_runs *one = &question->runs[at], *first = &question->runs[base];

	if (one->gpus > 0 && first->gpus > 0)
		return one->gpus / first->gpus;
	return question->multiplies && first->size > 0 ? one->size / first->size : NAN;
}

static struct res_scaling_value speedup_of(const struct analysis *analysis, size_t at, size_t base)
{
	const struct res_scaling_question *question = analysis->question;
	const struct work *one = &analysis->work[at], *first = &analysis->work[base];
	struct res_scaling_value ret = unknown;

	if (!(one->mean > 0) || !(first->mean > 0))
		return ret;
	ret.value = question->higher ? one->mean / first->mean : first->mean / one->mean;
	if (at == base || !question->with_intervals)
		return ret;
	struct res_ratio ratio = res_ratio_of(question->metric, RES_FIELD_NEITHER,
					      RES_RATIO_SMALL_EFFECT, &first->sample, &one->sample);
	if (ratio.how == RES_RATIO_NONE)
		return ret;
	ret.interval = question->higher ? ratio.interval
					: (struct res_interval){ 1 / ratio.interval.high,
								 1 / ratio.interval.low };
	return ret;
}

static void measure(struct analysis *analysis, size_t at, size_t base)
{
	const struct res_scaling_question *question = analysis->question;
	struct res_scaling_point *point = &analysis->points[at];
	const struct res_sample *sample = &analysis->work[at].sample;

	point->mean = (struct res_scaling_value){ analysis->work[at].mean, { NAN, NAN } };
	if (!res_sample_interval(sample, &point->mean.interval))
		point->mean.interval = (struct res_interval){ NAN, NAN };
	point->per_gpu = question->higher ? divided(point->mean, question->runs[at].gpus) : unknown;
	point->ideal = ideal_of(question, at, base);
	point->speedup = speedup_of(analysis, at, base);
	point->efficiency = divided(point->speedup, point->ideal);
	point->gain = unknown;
}

/* ---- gain --------------------------------------------------------------------------------------- */

/*
 * The relative error d of a mean x changes S by S·d, and that of the base changes S by -S·d, or the other way round if
 * lower is better. So the variance of S - S' is S²·v + S'²·v' + (S - S')²·v0; if the previous point is the base, S' = 1
 * and both errors are the same one: S²·(v + v0).
 */
static double gain_error(const struct analysis *analysis, size_t at, size_t before, size_t base,
			 double *ret_freedom)
{
	double s = analysis->points[at].speedup.value, t = analysis->points[before].speedup.value;
	const size_t of[3] = { at, before, base };
	const double factors[3] = { s, before == base ? s : t, before == base ? 0 : s - t };
	double sum = 0, squares = 0, most = INFINITY;

	for (int i = 0; i < 3; i++) {
		const struct work *work = &analysis->work[of[i]];
		double variance = factors[i] * factors[i] * work->variance;
		if (isnan(variance))
			return NAN;
		sum += variance;
		squares += variance * variance / work->freedom;
		/* points with the pooled variance share one estimate */
		if (work->is_pooled)
			most = fmin(most, work->freedom);
	}
	*ret_freedom = fmin(sum * sum / squares, most);
	return sqrt(sum);
}

static enum res_scaling_pays pays_of(const struct res_scaling_value *gain, double limit)
{
	if (isnan(gain->interval.low))
		return RES_SCALING_PAYS_UNKNOWN;
	if (gain->interval.low >= limit)
		return RES_SCALING_PAYS_YES;
	return gain->interval.high < limit ? RES_SCALING_PAYS_NO : RES_SCALING_PAYS_PERHAPS;
}

static void measure_gain(struct analysis *analysis, size_t at, size_t before, size_t base)
{
	struct res_scaling_point *point = &analysis->points[at];
	const struct res_scaling_point *previous = &analysis->points[before];
	double added = point->ideal - previous->ideal, freedom = NAN;

	/* without added GPUs, such as for a size of expert parallelism, none can pay */
	if (!(added > 0) || isnan(point->speedup.value) || isnan(previous->speedup.value))
		return;
	point->gain.value = (point->speedup.value - previous->speedup.value) / added;
	double error = gain_error(analysis, at, before, base, &freedom);
	if (analysis->question->with_intervals && error > ROUNDING) {
		double half = pl_student_t(SURE, freedom) * error / added;
		point->gain.interval = (struct res_interval){ point->gain.value - half,
							      point->gain.value + half };
	}
	point->pays = pays_of(&point->gain, analysis->question->gain_limit);
}

size_t res_scaling_analyze(const struct res_scaling_question *question,
			   struct res_scaling_point *ret_points)
{
	auto_free struct work *work = pl_alloc_array(question->count + 1, sizeof(*work));
	auto_free size_t *line = pl_alloc_array(question->count + 1, sizeof(*line));
	struct analysis analysis = { question, ret_points, work, line, 0 };
	size_t stop = SIZE_MAX;

	for (size_t i = 0; i < question->count; i++) {
		ret_points[i] = (struct res_scaling_point){ 0 };
		read_runs(&question->runs[i], &work[i]);
	}
	find_line(&analysis);
	for (size_t i = 0; i < question->count; i++)
		measure(&analysis, i, line[0]);
	pool(&analysis);
	for (size_t i = 1; i < analysis.line_count; i++) {
		measure_gain(&analysis, line[i], line[i - 1], line[0]);
		if (stop == SIZE_MAX && ret_points[line[i]].gain.value < question->gain_limit)
			stop = line[i];
	}
	for (size_t i = 0; i < question->count; i++)
		res_sample_done(&work[i].sample);
	return stop;
}
