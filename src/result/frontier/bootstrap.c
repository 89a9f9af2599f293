/*
 * A bootstrap over runs. The mean of a resample deviates from the mean of the runs by too little: by
 * √((n-1)/n), and like a normal distribution, although few runs know their spread badly. Deviations
 * are widened by √(n/(n-1)) · t(0.975, n-1)/z(0.975), so that the middle 95 % of the draws are as
 * wide as Student's interval.
 *
 * A configuration is left out of the draws if another one dominates it in every possible draw: it is
 * never on the frontier, and whatever it dominates is dominated without it.
 */
#include "result/frontier/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/student.h"

#define SURE       0.05
#define CHECK_EACH 64 /* configurations */

const char *res_frontier_membership_name(enum res_frontier_membership membership)
{
	static const char *const names[] = { "unknown", "not", "perhaps", "surely" };

	return names[membership];
}

void res_frontier_analysis_done(struct res_frontier_analysis *analysis)
{
	free(analysis->means);
	free(analysis->states);
	free(analysis->memberships);
	free(analysis->shares);
	*analysis = (struct res_frontier_analysis){ 0 };
}

/* The runs of a configuration that the draws need. */
struct candidate {
	size_t index;
	const double *mean;
	const double *deviations; /* widened, `pool` points; owned unless it is the common pool */
	double *own;
	size_t pool;
	size_t runs;
	bool is_relative; /* to the mean's absolute value */
	double least[RES_FRONTIER_DIMENSIONS_MAX], most[RES_FRONTIER_DIMENSIONS_MAX];
	size_t on; /* draws */
};

struct draws {
	const struct res_frontier_question *question;
	struct res_frontier_analysis *analysis;
	unsigned dimensions;
	double *common; /* relative deviations of all configurations with several runs */
	size_t common_count;
	struct candidate *candidates;
	size_t count;
};

static void draws_done(struct draws *draws)
{
	for (size_t i = 0; draws->candidates != NULL && i < draws->question->count; i++)
		free(draws->candidates[i].own);
	free(draws->candidates);
	free(draws->common);
}
#define auto_draws __attribute__((cleanup(draws_done), unused)) struct draws

/* ---- runs ---------------------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b, void *context)
{
	const double *one = a, *other = b;
	const unsigned *dimensions = context;

	for (unsigned i = 0; i < *dimensions; i++) {
		if (one[i] < other[i])
			return -1;
		if (one[i] > other[i])
			return 1;
	}
	return 0;
}

/* Returns the runs in an order that depends only on their values. The caller frees them. */
static double *sorted_runs(const struct res_frontier_configuration *configuration,
			   unsigned dimensions)
{
	size_t size = dimensions * sizeof(double);
	double *runs = pl_alloc_array(configuration->count * dimensions, sizeof(*runs));

	memcpy(runs, configuration->runs, configuration->count * size);
	qsort_r(runs, configuration->count, size, compare_runs, &dimensions);
	return runs;
}

static void take_means(const struct res_frontier_configuration *configuration, unsigned dimensions,
		       double *ret)
{
	auto_free double *runs = sorted_runs(configuration, dimensions);
	auto_free double *column = pl_alloc_array(configuration->count, sizeof(*column));

	for (unsigned k = 0; k < dimensions; k++) {
		for (size_t i = 0; i < configuration->count; i++)
			column[i] = runs[i * dimensions + k];
		ret[k] = pl_stats_mean(column, configuration->count);
	}
}

static double widening(size_t runs)
{
	double n = (double)runs;

	return sqrt(n / (n - 1)) * pl_student_t(SURE, n - 1) / pl_student_t(SURE, 1e9);
}

/* Adds the relative deviations of a configuration, without those of means of 0. */
static void add_common(struct draws *draws, size_t index)
{
	const struct res_frontier_configuration *configuration =
		&draws->question->configurations[index];
	const double *mean = draws->analysis->means + index * draws->dimensions;
	double factor = sqrt((double)configuration->count / ((double)configuration->count - 1));

	for (unsigned k = 0; k < draws->dimensions; k++) {
		if (!(fabs(mean[k]) > 0))
			return;
	}
	for (size_t i = 0; i < configuration->count; i++) {
		for (unsigned k = 0; k < draws->dimensions; k++)
			draws->common[draws->common_count * draws->dimensions + k] =
				factor *
				(configuration->runs[i * draws->dimensions + k] - mean[k]) /
				fabs(mean[k]);
		draws->common_count++;
	}
}

/* Returns whether every configuration has a spread. */
static bool take_common(struct draws *draws)
{
	const struct res_frontier_question *question = draws->question;
	size_t room = 0;
	bool needs = false;

	for (size_t i = 0; i < question->count; i++) {
		room += question->configurations[i].count;
		needs = needs || question->configurations[i].count < RES_FRONTIER_OWN_RUNS;
	}
	draws->common = pl_alloc_array(room * draws->dimensions + 1, sizeof(*draws->common));
	for (size_t i = 0; i < question->count; i++) {
		if (question->configurations[i].count > 1)
			add_common(draws, i);
	}
	qsort_r(draws->common, draws->common_count, draws->dimensions * sizeof(double),
		compare_runs, &draws->dimensions);
	return !needs || draws->common_count >= RES_FRONTIER_POOL_MIN;
}

static void take_deviations(struct draws *draws, size_t index, struct candidate *ret)
{
	const struct res_frontier_configuration *configuration =
		&draws->question->configurations[index];
	unsigned dimensions = draws->dimensions;

	*ret = (struct candidate){ .index = index,
				   .mean = draws->analysis->means + index * dimensions,
				   .runs = configuration->count };
	if (configuration->count < RES_FRONTIER_OWN_RUNS) {
		ret->deviations = draws->common;
		ret->pool = draws->common_count;
		ret->is_relative = true;
	} else {
		double factor = widening(configuration->count);
		ret->own = sorted_runs(configuration, dimensions);
		ret->deviations = ret->own;
		ret->pool = configuration->count;
		for (size_t i = 0; i < ret->pool * dimensions; i++)
			ret->own[i] = factor * (ret->own[i] - ret->mean[i % dimensions]);
	}
	for (unsigned k = 0; k < dimensions; k++) {
		double scale = ret->is_relative ? fabs(ret->mean[k]) : 1;
		ret->least[k] = INFINITY;
		ret->most[k] = -INFINITY;
		for (size_t i = 0; i < ret->pool; i++) {
			double at = ret->mean[k] + scale * ret->deviations[i * dimensions + k];
			ret->least[k] = fmin(ret->least[k], at);
			ret->most[k] = fmax(ret->most[k], at);
		}
	}
}

/* ---- candidates ---------------------------------------------------------------------------------- */

static bool goes_on(const struct draws *draws)
{
	const struct res_frontier_question *question = draws->question;

	return question->goes_on == NULL || question->goes_on(question->data);
}

/* Keeps the configurations that no other one dominates in every draw. Returns false if it was cut. */
static bool keep_candidates(struct draws *draws)
{
	const struct res_frontier_space *space = draws->question->space;
	unsigned dimensions = draws->dimensions;
	size_t count = draws->question->count, floors = 0;
	auto_free double *worst = pl_alloc_array(count * dimensions + 1, sizeof(*worst));
	auto_free enum res_frontier_state *states = pl_alloc_array(count + 1, sizeof(*states));

	for (size_t i = 0; i < count; i++) {
		for (unsigned k = 0; k < dimensions; k++)
			worst[i * dimensions + k] = space->higher[k] ? draws->candidates[i].least[k]
								     : draws->candidates[i].most[k];
	}
	res_frontier_find(space, worst, count, states);
	for (size_t i = 0; i < count; i++) {
		if (states[i] == RES_FRONTIER_ON)
			memmove(worst + floors++ * dimensions, worst + i * dimensions,
				dimensions * sizeof(*worst));
	}
	for (size_t i = 0; i < count; i++) {
		struct candidate candidate = draws->candidates[i];
		double best[RES_FRONTIER_DIMENSIONS_MAX];
		bool is_hopeless = false;
		if (i % CHECK_EACH == 0 && !goes_on(draws))
			return false;
		for (unsigned k = 0; k < dimensions; k++)
			best[k] = space->higher[k] ? candidate.most[k] : candidate.least[k];
		for (size_t j = 0; j < floors && !is_hopeless; j++)
			is_hopeless = res_frontier_dominates(space, worst + j * dimensions, best);
		if (is_hopeless) {
			free(candidate.own);
			draws->candidates[i].own = NULL;
			continue;
		}
		draws->candidates[i].own = NULL;
		draws->candidates[draws->count++] = candidate;
	}
	return true;
}

static int compare_candidates(const void *a, const void *b, void *context)
{
	const struct candidate *one = a, *other = b;
	int means = compare_runs(one->mean, other->mean, context);

	if (means != 0)
		return means;
	return (one->runs > other->runs) - (one->runs < other->runs);
}

static uint64_t seed_of(const struct draws *draws)
{
	uint64_t hash = PL_HASH_NONE;

	for (size_t i = 0; i < draws->count; i++)
		hash = pl_hash_bytes(hash, draws->candidates[i].mean,
				     draws->dimensions * sizeof(double));
	return hash;
}

/* ---- figures ------------------------------------------------------------------------------------- */

static double value_at(const struct res_frontier_space *space,
		       const struct res_frontier_limit *limit, const double *points, size_t count,
		       size_t *ret_index)
{
	double best = NAN;

	*ret_index = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		const double *point = points + i * space->dimensions;
		double wanted = point[limit->wanted];
		if (space->higher[limit->limited] ? !(point[limit->limited] >= limit->value)
						  : !(point[limit->limited] <= limit->value))
			continue;
		if (isnan(best) || (space->higher[limit->wanted] ? wanted > best : wanted < best)) {
			best = wanted;
			*ret_index = i;
		}
	}
	return best;
}

/*
 * reflect: mirrors the quantiles of the draws at the value. The volume of many noisy means is too
 * large, and that of their resamples again by as much.
 */
static void take_interval(struct res_frontier_figure *figure, bool reflect, double *drawn,
			  size_t count)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(drawn[i]))
			drawn[known++] = drawn[i];
	}
	figure->feasible_share = (double)known / (double)count;
	if (isnan(figure->value) || figure->feasible_share < RES_FRONTIER_SURE)
		return;
	pl_stats_sort(drawn, known);
	double low = pl_stats_percentile_sorted(drawn, known, 2.5);
	double high = pl_stats_percentile_sorted(drawn, known, 97.5);
	figure->interval = reflect ? (struct res_interval){ 2 * figure->value - high,
							    2 * figure->value - low }
				   : (struct res_interval){ low, high };
}

/* ---- draws --------------------------------------------------------------------------------------- */

static void draw_point(const struct candidate *candidate, unsigned dimensions, struct pl_pcg64 *rng,
		       double *ret)
{
	double sums[RES_FRONTIER_DIMENSIONS_MAX] = { 0 };

	for (size_t i = 0; i < candidate->runs; i++) {
		size_t at = (size_t)((uint64_t)pl_pcg64_next32(rng) * candidate->pool >> 32);
		for (unsigned k = 0; k < dimensions; k++)
			sums[k] += candidate->deviations[at * dimensions + k];
	}
	for (unsigned k = 0; k < dimensions; k++)
		ret[k] = candidate->mean[k] +
			 sums[k] / (double)candidate->runs *
				 (candidate->is_relative ? fabs(candidate->mean[k]) : 1);
}

/* Fewer draws for many runs, because each draws all of them. */
static size_t draw_count(const struct draws *draws)
{
	size_t runs = 1, count;

	for (size_t i = 0; i < draws->count; i++)
		runs += draws->candidates[i].runs;
	count = RES_FRONTIER_DRAWN_RUNS / runs;
	if (count < RES_FRONTIER_DRAWS_MIN)
		return RES_FRONTIER_DRAWS_MIN;
	return count < RES_FRONTIER_DRAWS ? count : RES_FRONTIER_DRAWS;
}

/* Returns false, without a result, if it was cut. */
static bool draw(struct draws *draws)
{
	const struct res_frontier_question *question = draws->question;
	struct res_frontier_analysis *analysis = draws->analysis;
	size_t figures = question->limit_count + 1, count = draw_count(draws);
	auto_free double *points = pl_alloc_array(draws->count * draws->dimensions + 1,
						  sizeof(*points));
	auto_free enum res_frontier_state *states = pl_alloc_array(draws->count + 1,
								   sizeof(*states));
	auto_free double *drawn = pl_alloc_array(figures * count, sizeof(*drawn));
	struct pl_pcg64 rng;

	pl_pcg64_seed(&rng, seed_of(draws));
	for (size_t i = 0; i < count; i++) {
		size_t index;
		if (!goes_on(draws))
			return false;
		for (size_t k = 0; k < draws->count; k++)
			draw_point(&draws->candidates[k], draws->dimensions, &rng,
				   points + k * draws->dimensions);
		res_frontier_find(question->space, points, draws->count, states);
		for (size_t k = 0; k < draws->count; k++)
			draws->candidates[k].on += states[k] == RES_FRONTIER_ON;
		if (question->reference != NULL)
			drawn[i] = res_frontier_hypervolume(question->space, points, draws->count,
							    question->reference);
		for (size_t k = 0; k < question->limit_count; k++)
			drawn[(k + 1) * count + i] = value_at(question->space, &question->limits[k],
							      points, draws->count, &index);
	}
	for (size_t i = 0; i < draws->count; i++)
		analysis->shares[draws->candidates[i].index] = (double)draws->candidates[i].on /
							       count;
	if (question->reference != NULL)
		take_interval(&analysis->hypervolume, true, drawn, count);
	for (size_t k = 0; k < question->limit_count; k++)
		take_interval(&analysis->limits[k], false, drawn + (k + 1) * count, count);
	return true;
}

static enum res_frontier_membership membership_of(double share)
{
	if (isnan(share))
		return RES_FRONTIER_UNKNOWN;
	if (share >= RES_FRONTIER_SURE)
		return RES_FRONTIER_SURELY;
	return share <= 1 - RES_FRONTIER_SURE ? RES_FRONTIER_NOT : RES_FRONTIER_PERHAPS;
}

static void take_figures(const struct res_frontier_question *question,
			 struct res_frontier_analysis *ret)
{
	static const struct res_frontier_figure none = { NAN, NAN, { NAN, NAN }, SIZE_MAX };

	ret->hypervolume = none;
	if (question->reference != NULL)
		ret->hypervolume.value = res_frontier_hypervolume(
			question->space, ret->means, question->count, question->reference);
	for (size_t i = 0; i < question->limit_count; i++) {
		ret->limits[i] = none;
		ret->limits[i].value = value_at(question->space, &question->limits[i], ret->means,
						question->count, &ret->limits[i].configuration);
	}
}

/* Returns false if it was cut. */
static bool resample(struct draws *draws)
{
	size_t count = draws->question->count;

	draws->candidates = pl_alloc_array(count, sizeof(*draws->candidates));
	for (size_t i = 0; i < count; i++)
		take_deviations(draws, i, &draws->candidates[i]);
	if (keep_candidates(draws)) {
		qsort_r(draws->candidates, draws->count, sizeof(*draws->candidates),
			compare_candidates, &draws->dimensions);
		draws->analysis->is_cut = !draw(draws);
	} else {
		draws->analysis->is_cut = true;
	}
	return !draws->analysis->is_cut;
}

void res_frontier_analyze(const struct res_frontier_question *question,
			  struct res_frontier_analysis *ret)
{
	unsigned dimensions = question->space->dimensions;
	size_t count = question->count;

	*ret = (struct res_frontier_analysis){
		.means = pl_alloc_array(count * dimensions + 1, sizeof(*ret->means)),
		.states = pl_alloc_array(count + 1, sizeof(*ret->states)),
		.memberships = pl_alloc_array(count + 1, sizeof(*ret->memberships)),
		.shares = pl_alloc_array(count + 1, sizeof(*ret->shares)),
	};
	for (size_t i = 0; i < count; i++)
		take_means(&question->configurations[i], dimensions, ret->means + i * dimensions);
	ret->on_count = res_frontier_find(question->space, ret->means, count, ret->states);
	ret->knee = res_frontier_knee(question->space, ret->means, count, ret->states);
	take_figures(question, ret);

	auto_draws draws = { .question = question, .analysis = ret, .dimensions = dimensions };
	ret->has_spread = count > 0 && take_common(&draws) && resample(&draws);
	for (size_t i = 0; i < count && !ret->has_spread; i++)
		ret->shares[i] = NAN;
	for (size_t i = 0; i < count; i++)
		ret->memberships[i] = membership_of(ret->shares[i]);
}
