/*
 * Points are visited from the best to the worst in lexicographic order, so only earlier points can
 * dominate a later one. In two dimensions one number describes them: the best second coordinate so
 * far. In three dimensions a Fenwick tree over the ranks of the second coordinate holds the best
 * third coordinate of all points at least as good in the second (Kung, Luccio, Preparata 1975).
 * Many points are sorted by the bits of one coordinate, and only ties are compared.
 */
#include "result/frontier/frontier.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

/* Most dominated points are found by a comparison with a few good points, and not sorted. */
enum { GUARDS_MAX = 16, SAMPLE = 256 };

/* From this number of points on, bits are sorted. */
#define SORT_BY_BITS_MIN 1024

/* A point with all directions turned: higher is better. */
struct turned {
	double at[RES_FRONTIER_DIMENSIONS_MAX];
	size_t index;
};

/* Returns false if it is incomplete. -0 is 0. */
static bool turn(const struct res_frontier_space *space, const double *point, size_t index,
		 struct turned *ret)
{
	*ret = (struct turned){ .index = index };
	for (unsigned i = 0; i < space->dimensions; i++) {
		if (isnan(point[i]))
			return false;
		ret->at[i] = (space->higher[i] ? point[i] : -point[i]) + 0.0;
	}
	return true;
}

/* The best first; equal points by their index. */
static int compare_turned(const void *a, const void *b)
{
	const struct turned *one = a, *other = b;

	for (unsigned i = 0; i < RES_FRONTIER_DIMENSIONS_MAX; i++) {
		if (one->at[i] > other->at[i])
			return -1;
		if (one->at[i] < other->at[i])
			return 1;
	}
	return (one->index > other->index) - (one->index < other->index);
}

static bool equal_turned(const struct turned *a, const struct turned *b)
{
	return !(a->at[0] < b->at[0]) && !(a->at[0] > b->at[0]) && !(a->at[1] < b->at[1]) &&
	       !(a->at[1] > b->at[1]) && !(a->at[2] < b->at[2]) && !(a->at[2] > b->at[2]);
}

/* Sorts by a coordinate, the best first, and ties by all coordinates. Returns the points in a new or the same array. */
static struct turned *sort_turned(struct turned *turned, size_t count, unsigned by,
				  int (*compare)(const void *, const void *))
{
	if (count < SORT_BY_BITS_MIN) {
		qsort(turned, count, sizeof(*turned), compare);
		return turned;
	}
	auto_free struct pl_sort_item *items = pl_alloc_array(count, sizeof(*items));
	struct turned *sorted = pl_alloc_array(count + 1, sizeof(*sorted));
	for (size_t i = 0; i < count; i++)
		items[i] = (struct pl_sort_item){ ~pl_sort_key(turned[i].at[by]), i };
	pl_sort_items(items, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = turned[items[i].at];
	for (size_t from = 0, to = 0; from < count; from = to) {
		while (to < count && items[to].key == items[from].key)
			to++;
		if (to - from > 1)
			qsort(sorted + from, to - from, sizeof(*sorted), compare);
	}
	free(turned);
	return sorted;
}

static bool is_dominated_by(const struct turned *a, const struct turned *b)
{
	return b->at[0] >= a->at[0] && b->at[1] >= a->at[1] && b->at[2] >= a->at[2] &&
	       !equal_turned(a, b);
}

static bool is_dominated(const struct turned *point, const struct turned *others, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_dominated_by(point, &others[i]))
			return true;
	}
	return false;
}

/* Collects some points of a sample that dominate many others. Returns their number. */
static size_t take_guards(const struct turned *turned, size_t count, struct turned ret[GUARDS_MAX])
{
	size_t step = count / SAMPLE + 1, guards = 0;

	for (size_t i = 0; i < count; i += step) {
		if (is_dominated(&turned[i], ret, guards))
			continue;
		size_t retained = 0;
		for (size_t k = 0; k < guards; k++) {
			if (!is_dominated_by(&ret[k], &turned[i]))
				ret[retained++] = ret[k];
		}
		guards = retained;
		if (guards < GUARDS_MAX)
			ret[guards++] = turned[i];
	}
	return guards;
}

/*
 * Returns the complete points, sorted, without most of the dominated ones. Sets ret_states, unless it
 * is NULL, to dominated or incomplete.
 */
static struct turned *turned_new(const struct res_frontier_space *space, const double *points,
				 size_t count, enum res_frontier_state *ret_states,
				 size_t *ret_count)
{
	struct turned *turned = pl_alloc_array(count + 1, sizeof(*turned)), guards[GUARDS_MAX];
	size_t complete = 0, retained = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_complete = turn(space, points + i * space->dimensions, i,
					&turned[complete]);
		complete += is_complete;
		if (ret_states != NULL)
			ret_states[i] = is_complete ? RES_FRONTIER_DOMINATED
						    : RES_FRONTIER_INCOMPLETE;
	}
	size_t guard_count = take_guards(turned, complete, guards);
	for (size_t i = 0; i < complete; i++) {
		if (!is_dominated(&turned[i], guards, guard_count))
			turned[retained++] = turned[i];
	}
	*ret_count = retained;
	return sort_turned(turned, retained, 0, compare_turned);
}

/* ---- the best third coordinate by rank of the second ------------------------------------------ */

struct best {
	size_t *ranks; /* of the second coordinate of each point, the best is 1 */
	uint64_t
		*tree; /* Fenwick tree over ranks: the greatest key of the third coordinate, or 0 */
	size_t count;
};

static void best_done(struct best *best)
{
	free(best->ranks);
	free(best->tree);
}
#define auto_best __attribute__((cleanup(best_done), unused)) struct best

static void best_init(struct best *best, const struct turned *turned, size_t count)
{
	auto_free struct pl_sort_item *items = pl_alloc_array(count + 1, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct pl_sort_item){ ~pl_sort_key(turned[i].at[1]), i };
	pl_sort_items(items, count);
	best->ranks = pl_alloc_array(count + 1, sizeof(*best->ranks));
	for (size_t i = 0; i < count; i++) {
		best->count += i == 0 || items[i].key != items[i - 1].key;
		best->ranks[items[i].at] = best->count;
	}
	best->tree = pl_alloc_array(best->count + 1, sizeof(*best->tree));
}

/* 0: no point was added so far that is at least as good in the second coordinate. */
static uint64_t best_to(const struct best *best, size_t rank)
{
	uint64_t most = 0;

	for (; rank > 0; rank &= rank - 1)
		most = best->tree[rank] > most ? best->tree[rank] : most;
	return most;
}

static void best_add(struct best *best, size_t rank, uint64_t key)
{
	for (; rank <= best->count; rank += rank & -rank)
		best->tree[rank] = best->tree[rank] > key ? best->tree[rank] : key;
}

/* Returns whether no point so far is at least as good in the second and third coordinate, and adds this one if so. */
static bool best_accepts(struct best *best, size_t rank, double third)
{
	uint64_t key = pl_sort_key(third);

	/* a point that is not better adds nothing to the tree */
	if (best_to(best, rank) >= key)
		return false;
	best_add(best, rank, key);
	return true;
}

/* ---- the frontier ------------------------------------------------------------------------------ */

size_t res_frontier_find(const struct res_frontier_space *space, const double *points, size_t count,
			 enum res_frontier_state *ret_states)
{
	size_t complete, on = 0;
	auto_free struct turned *turned = turned_new(space, points, count, ret_states, &complete);
	auto_best best = { 0 };
	double second = NAN;

	if (space->dimensions == 3)
		best_init(&best, turned, complete);
	for (size_t i = 0; i < complete; i++) {
		const struct turned *point = &turned[i];
		enum res_frontier_state *state = &ret_states[point->index];
		if (i > 0 && equal_turned(&turned[i - 1], point)) {
			*state = ret_states[turned[i - 1].index];
			on += *state == RES_FRONTIER_ON;
			continue;
		}
		bool is_on = space->dimensions == 3
				     ? best_accepts(&best, best.ranks[i], point->at[2])
				     : !(second >= point->at[1]);
		*state = is_on ? RES_FRONTIER_ON : RES_FRONTIER_DOMINATED;
		on += is_on;
		second = is_on ? point->at[1] : second;
	}
	return on;
}

bool res_frontier_dominates(const struct res_frontier_space *space, const double *a,
			    const double *b)
{
	struct turned one, other;
	bool is_better = false;

	if (!turn(space, a, 0, &one) || !turn(space, b, 0, &other))
		return false;
	for (unsigned i = 0; i < space->dimensions; i++) {
		if (one.at[i] < other.at[i])
			return false;
		is_better = is_better || one.at[i] > other.at[i];
	}
	return is_better;
}

/* ---- hypervolume ------------------------------------------------------------------------------- */

/* A staircase: the first coordinate falls, the second rises. Coordinates are above 0. */
struct stairs {
	double (*at)[2];
	size_t count;
	double area; /* between the staircase and 0 */
};

/* Returns the number of points whose first coordinate is greater. */
static size_t stairs_before(const struct stairs *stairs, double first)
{
	size_t low = 0, high = stairs->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (stairs->at[middle][0] > first)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds a point and removes those that it dominates. There must be room. */
static void stairs_add(struct stairs *stairs, double first, double second)
{
	size_t at = stairs_before(stairs, first), end = at;
	double below = at > 0 ? stairs->at[at - 1][1] : 0, added = 0;

	if (at < stairs->count && !(stairs->at[at][0] < first) && stairs->at[at][1] >= second)
		return;
	if (below >= second)
		return;
	/* strips of constant height from `below` to `second`, each minus what is covered already */
	for (; end < stairs->count && stairs->at[end][1] <= second; end++) {
		added += (first - stairs->at[end][0]) * (stairs->at[end][1] - below);
		below = stairs->at[end][1];
	}
	added += (first - (end < stairs->count ? stairs->at[end][0] : 0)) * (second - below);
	memmove(stairs->at + at + 1, stairs->at + end, (stairs->count - end) * sizeof(*stairs->at));
	stairs->at[at][0] = first;
	stairs->at[at][1] = second;
	stairs->count = stairs->count - (end - at) + 1;
	stairs->area += added;
}

static int compare_height(const void *a, const void *b)
{
	const struct turned *one = a, *other = b;

	if (one->at[2] > other->at[2])
		return -1;
	if (one->at[2] < other->at[2])
		return 1;
	return compare_turned(a, b);
}

double res_frontier_hypervolume(const struct res_frontier_space *space, const double *points,
				size_t count, const double *reference)
{
	struct turned origin;
	size_t complete, inside = 0;
	double volume = 0;

	if (!turn(space, reference, 0, &origin))
		return NAN;
	for (unsigned i = 0; i < space->dimensions; i++) {
		if (isinf(origin.at[i]))
			return NAN;
	}
	auto_free struct turned *turned = turned_new(space, points, count, NULL, &complete);
	for (size_t i = 0; i < complete; i++) {
		struct turned moved = { .at = { 0, 0, 1 }, .index = turned[i].index };
		bool is_inside = true;
		for (unsigned k = 0; k < space->dimensions; k++) {
			moved.at[k] = turned[i].at[k] - origin.at[k];
			is_inside = is_inside && moved.at[k] > 0;
		}
		for (unsigned k = 0; is_inside && k < space->dimensions; k++) {
			if (isinf(moved.at[k]))
				return NAN;
		}
		if (is_inside)
			turned[inside++] = moved;
	}
	/* from the greatest height down: each slice has the area of all points above it */
	if (space->dimensions == 3)
		turned = sort_turned(turned, inside, 2, compare_height);
	struct stairs stairs = { .at = pl_alloc_array(inside + 1, sizeof(*stairs.at)) };
	for (size_t i = 0; i < inside; i++) {
		stairs_add(&stairs, turned[i].at[0], turned[i].at[1]);
		volume += stairs.area *
			  (turned[i].at[2] - (i + 1 < inside ? turned[i + 1].at[2] : 0));
	}
	free(stairs.at);
	return volume;
}

/* ---- knee -------------------------------------------------------------------------------------- */

size_t res_frontier_knee(const struct res_frontier_space *space, const double *points, size_t count,
			 const enum res_frontier_state *states)
{
	auto_free double *on = pl_alloc_array(count * space->dimensions + 1, sizeof(*on));
	size_t on_count = 0, distinct = 0, complete, knee = SIZE_MAX;
	double worst[RES_FRONTIER_DIMENSIONS_MAX], best[RES_FRONTIER_DIMENSIONS_MAX], most = 1;
	auto_free size_t *index = pl_alloc_array(count + 1, sizeof(*index));

	for (size_t i = 0; i < count; i++) {
		if (states[i] != RES_FRONTIER_ON)
			continue;
		memcpy(on + on_count * space->dimensions, points + i * space->dimensions,
		       space->dimensions * sizeof(*on));
		index[on_count++] = i;
	}
	auto_free struct turned *turned = turned_new(space, on, on_count, NULL, &complete);
	for (size_t i = 0; i < complete; i++) {
		distinct += i == 0 || !equal_turned(&turned[i - 1], &turned[i]);
		for (unsigned k = 0; k < space->dimensions; k++) {
			double at = turned[i].at[k];
			if (isinf(at))
				return SIZE_MAX;
			worst[k] = i == 0 || at < worst[k] ? at : worst[k];
			best[k] = i == 0 || at > best[k] ? at : best[k];
		}
	}
	if (distinct < 3)
		return SIZE_MAX;
	for (size_t i = 0; i < complete; i++) {
		double sum = 0;
		for (unsigned k = 0; k < space->dimensions; k++) {
			if (best[k] > worst[k])
				sum += (turned[i].at[k] - worst[k]) / (best[k] - worst[k]);
		}
		/* equal sums that were rounded differently are equal */
		if (sum > most + 1e-9) {
			most = sum;
			knee = index[turned[i].index];
		}
	}
	return knee;
}
