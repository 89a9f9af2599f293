/*
 * All series together. Each test of the analysis is one hypothesis: the permutation test of each
 * change, or, for a series whose newest part has none, of that part. Tail checks are a second
 * family.
 *
 * A permutation test of R orders cannot show less than 1/(R+1), and Benjamini-Hochberg rejects k of
 * N hypotheses only if p <= q·k/N. So the k candidates draw about 2·N/(q·k) orders, in total 2·N/q
 * whatever k is. Those that only chance made candidates stop early, which leaves a smaller k.
 */
#include "result/change/change_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/change/divide.h"
#include "result/change/rank.h"

#define ROUNDS_MAX 8
#define ORDERS_MAX 1000000

/* The hypotheses of a family, each with the place for its q. */
struct tests {
	double *p;
	double **q;
	size_t count, p_room, q_room;
};

static void tests_done(struct tests *tests)
{
	free(tests->p);
	free(tests->q);
}

static void add_test(struct tests *tests, double p, double *q)
{
	*PL_PUSH(tests->p, tests->count, tests->p_room) = p;
	tests->count--;
	*PL_PUSH(tests->q, tests->count, tests->q_room) = q;
}

static void compute_q(const struct tests *tests)
{
	auto_free double *q = pl_alloc_array(tests->count, sizeof(q[0]));

	res_rank_discoveries(tests->p, tests->count, q);
	for (size_t i = 0; i < tests->count; i++)
		*tests->q[i] = q[i];
}

static void collect(struct res_change_analysis *analyses, size_t count, struct tests *ret)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < analyses[i].change_count; j++)
			add_test(ret, analyses[i].changes[j].p, &analyses[i].changes[j].q);
		if (!isnan(analyses[i].p))
			add_test(ret, analyses[i].p, &analyses[i].q);
	}
}

/* The same test was repeated before. */
static bool find_repeated(struct res_change *change, double alpha, size_t orders)
{
	for (size_t i = 0; i < RES_CHANGE_TESTS_MAX; i++) {
		const struct res_change_test *test = &change->repeated[i];

		if (test->orders != orders || test->alpha < alpha || test->alpha > alpha)
			continue;
		change->p = test->p;
		change->permutations = test->drawn;
		return true;
	}
	return false;
}

static void draw_more(const struct res_change_analysis *analysis,
		      const struct res_change_options *options, double alpha, size_t orders,
		      struct res_change *change)
{
	const double *y = analysis->y + change->from;
	size_t n = change->end - change->from, side_min = options->side_min;
	auto_free double *distances = NULL;

	if (find_repeated(change, alpha, orders))
		return;
	if (change->is_spread) {
		distances = res_change_distances(y, n);
		side_min *= RES_SPREAD_SIDES;
	}
	struct res_permutation test = res_cut_test(
		distances != NULL ? distances : y, n, side_min, change->cut_q, alpha, orders,
		change->is_correlated ? options->block : 1, change->seed);

	change->p = test.p;
	change->permutations = test.drawn;
	memmove(&change->repeated[1], &change->repeated[0],
		sizeof(change->repeated) - sizeof(change->repeated[0]));
	change->repeated[0] = (struct res_change_test){ alpha, orders, test.p, test.drawn };
}

static void sharpen(struct res_change_analysis *analyses, size_t count, size_t tests,
		    const struct res_change_options *options)
{
	double limit = options->alpha, orders = (double)options->permutations;

	for (size_t round = 0; round < ROUNDS_MAX; round++) {
		size_t candidates = 0;

		for (size_t i = 0; i < count; i++) {
			for (size_t j = 0; j < analyses[i].change_count; j++)
				candidates += analyses[i].changes[j].p <= limit;
		}
		if (candidates == 0)
			return;
		double next = options->q * (double)candidates / (double)tests;
		double wanted = fmin(ceil(2 / next), ORDERS_MAX);
		if (next >= limit || wanted <= orders)
			return;
		for (size_t i = 0; i < count; i++) {
			for (size_t j = 0; j < analyses[i].change_count; j++) {
				struct res_change *change = &analyses[i].changes[j];
				if (change->p <= limit)
					draw_more(&analyses[i], options, next, (size_t)wanted,
						  change);
			}
		}
		limit = next;
		orders = wanted;
	}
}

static bool is_active(const struct res_change *change)
{
	return change->state != RES_CHANGE_STABLE;
}

static void conclude(struct res_change_analysis *analysis, const struct res_change_options *options)
{
	for (size_t i = 0; i < analysis->change_count; i++) {
		struct res_change *change = &analysis->changes[i];

		if (change->q > options->q)
			change->state = RES_CHANGE_STABLE;
		if (is_active(change) && analysis->state != RES_CHANGE_INSUFFICIENT)
			analysis->state = change->state;
	}
	if (analysis->tail.is_hit && analysis->tail.q > options->q)
		analysis->tail.is_hit = false;
	if (analysis->tail.is_hit && analysis->state == RES_CHANGE_STABLE)
		analysis->state = RES_CHANGE_SUSPECT;
}

void res_change_family(struct res_change_analysis *analyses, size_t count,
		       const struct res_change_options *options)
{
	__attribute__((cleanup(tests_done))) struct tests tests = { 0 }, tails = { 0 };

	collect(analyses, count, &tests);
	sharpen(analyses, count, tests.count, options);
	tests.count = 0;
	collect(analyses, count, &tests);
	compute_q(&tests);
	for (size_t i = 0; i < count; i++) {
		if (analyses[i].tail.is_tested)
			add_test(&tails, analyses[i].tail.p, &analyses[i].tail.q);
	}
	compute_q(&tails);
	for (size_t i = 0; i < count; i++) {
		conclude(&analyses[i], options);
		res_change_explain(&analyses[i], options, tests.count);
	}
}
