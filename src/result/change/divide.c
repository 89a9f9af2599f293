#include "result/change/divide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"

#define LANES         8
#define ENUMERATE_MAX 8
#define ROUNDING      1e-9
#define ROUNDING_F32  1e-4 /* of sums of n² single-precision numbers, with a margin */

/*
 * One value of each of LANES orders in single precision: a vector of processors with AVX2, two of
 * others. The compiler knows these types for every processor. Each lane has the same operations in
 * the same order everywhere, so results do not depend on the processor.
 */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_bits __attribute__((vector_size(LANES * sizeof(int32_t))));

/*
 * With T the sum of |a - b| over all pairs of a prefix of κ values, L and R those of the left and
 * the right side: across the cut it is T - L - R, and
 *
 *     Q = 2/κ · (T - (κ-1)·(L/(m-1) + R/(k-1)))
 */
bool res_cut_find(const double *y, size_t n, size_t side_min, struct res_cut *ret)
{
	if (n < 2 * side_min)
		return false;
	/* right[i]: pairs among i..j; prefix[i]: pairs among the first i */
	auto_free double *right = pl_alloc_array(n, sizeof(right[0]));
	auto_free double *prefix = pl_alloc_array(n + 1, sizeof(prefix[0]));
	*ret = (struct res_cut){ .q = -INFINITY };
	for (size_t j = 0; j < n; j++) {
		size_t end = j + 1;
		double sum = 0;

		for (size_t i = j; i-- > 0;) {
			sum += fabs(y[i] - y[j]);
			right[i] += sum;
		}
		prefix[end] = right[0];
		for (size_t at = side_min; at + side_min <= end; at++) {
			double within = prefix[at] / (double)(at - 1) +
					right[at] / (double)(end - at - 1);
			double q = 2 / (double)end * (prefix[end] - (double)j * within);
			if (q > ret->q)
				*ret = (struct res_cut){ at, end, q };
		}
	}
	return true;
}

/* Memory and factors of a test, allocated once for all its orders. */
struct test {
	size_t n;
	size_t side_min;
	float *values;  /* centered, in units of their mean distance from the center */
	float *inverse; /* [i]: 1/i */
	float *limit;   /* [κ]: Q is reached if L/(m-1) + R/(k-1) is at most T/(κ-1) minus this */
	lanes *y;
	lanes *right; /* [i]: pairs among i..j */
	lanes *left;  /* [i]: L/(i-1) of the first i */
};

static inline __attribute__((always_inline)) bool are_all_set(const lane_bits *bits)
{
	int32_t all = -1;

	for (size_t lane = 0; lane < LANES; lane++)
		all &= (*bits)[lane];
	return all != 0;
}

static void *alloc_lanes(size_t count)
{
	return pl_must(aligned_alloc(sizeof(lanes), count * sizeof(lanes)));
}

static void test_init(struct test *test, const double *y, size_t n, size_t side_min, double q)
{
	double mean = pl_stats_mean(y, n), unit = 0;

	*test = (struct test){ .n = n, .side_min = side_min };
	for (size_t i = 0; i < n; i++)
		unit += fabs(y[i] - mean) / (double)n;
	unit = unit > 0 ? unit : 1;
	double limit = (q - fabs(q) * ROUNDING_F32) / unit;
	test->values = pl_alloc_array(n, sizeof(float));
	test->inverse = pl_alloc_array(n + 1, sizeof(float));
	test->limit = pl_alloc_array(n + 1, sizeof(float));
	for (size_t i = 0; i < n; i++)
		test->values[i] = (float)((y[i] - mean) / unit);
	for (size_t i = 1; i <= n; i++)
		test->inverse[i] = (float)(1 / (double)i);
	for (size_t end = 2; end <= n; end++)
		test->limit[end] = (float)(limit * (double)end / 2 / (double)(end - 1));
	test->y = alloc_lanes(n);
	test->right = alloc_lanes(n);
	test->left = alloc_lanes(n + 1);
}

static void test_done(struct test *test)
{
	free(test->values);
	free(test->inverse);
	free(test->limit);
	free(test->y);
	free(test->right);
	free(test->left);
}

/* Sets reached[i] to whether the order in lane i has a cut that reaches the limit. */
static inline __attribute__((always_inline)) void try_lanes(struct test *test, bool reached[LANES])
{
	const lane_bits magnitude = (lane_bits){ 0 } + INT32_MAX;
	size_t side_min = test->side_min;
	lanes *right = test->right;
	lane_bits hit = { 0 };

	memset(right, 0, test->n * sizeof(right[0]));
	for (size_t j = 0; j < test->n; j++) {
		const lanes last = test->y[j];
		lanes sum = { 0 }, least = (lanes){ 0 } + INFINITY;
		size_t end = j + 1;
		/* cuts from side_min to last_cut are possible; the others only add to the sums */
		size_t last_cut = end < 2 * side_min ? 0 : end - side_min;

		for (size_t i = j; i-- > (last_cut > 0 ? last_cut + 1 : 0);) {
			sum += (lanes)((lane_bits)(test->y[i] - last) & magnitude);
			right[i] += sum;
		}
		if (last_cut > 0) {
			for (size_t i = last_cut; i >= side_min; i--) {
				sum += (lanes)((lane_bits)(test->y[i] - last) & magnitude);
				right[i] += sum;
				lanes within = test->left[i] + right[i] * test->inverse[j - i];
				lane_bits less = (lane_bits)(within < least);
				least = (lanes)((less & (lane_bits)within) |
						(~less & (lane_bits)least));
			}
			for (size_t i = side_min; i-- > 0;) {
				sum += (lanes)((lane_bits)(test->y[i] - last) & magnitude);
				right[i] += sum;
			}
		}
		test->left[end] = right[0] * test->inverse[j];
		hit |= (lane_bits)(least <= test->left[end] - test->limit[end]);
		if (are_all_set(&hit))
			break;
	}
	for (size_t lane = 0; lane < LANES; lane++)
		reached[lane] = hit[lane] != 0;
}

static void try_orders_anywhere(struct test *test, bool reached[LANES])
{
	try_lanes(test, reached);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void try_orders_avx2(struct test *test, bool reached[LANES])
{
	try_lanes(test, reached);
}
#endif

typedef void try_fn(struct test *test, bool reached[LANES]);

static try_fn *choose_try(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return try_orders_avx2;
#endif
	return try_orders_anywhere;
}

/* Advances to the next order of the numbers below n in lexicographic order; false: it was the last. */
static bool next_order(size_t *order, size_t n)
{
	size_t i = n - 1, j = n - 1;

	while (i > 0 && order[i - 1] > order[i])
		i--;
	if (i == 0)
		return false;
	while (order[j] < order[i - 1])
		j--;
	size_t swapped = order[i - 1];
	order[i - 1] = order[j];
	order[j] = swapped;
	for (j = n - 1; i < j; i++, j--) {
		swapped = order[i];
		order[i] = order[j];
		order[j] = swapped;
	}
	return true;
}

static struct res_permutation enumerate(const double *y, size_t n, size_t side_min, double q)
{
	struct res_permutation found = { .drawn = 0 };
	size_t order[ENUMERATE_MAX];

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	do {
		double ordered[ENUMERATE_MAX];
		struct res_cut cut;

		for (size_t i = 0; i < n; i++)
			ordered[i] = y[order[i]];
		found.reached += res_cut_find(ordered, n, side_min, &cut) &&
				 cut.q >= q - fabs(q) * ROUNDING;
		found.drawn++;
	} while (next_order(order, n));
	found.p = (double)found.reached / (double)found.drawn;
	return found;
}

static size_t draw_below(struct pl_pcg64 *rng, size_t n)
{
	return (size_t)pl_pcg64_integers(rng, 0, (int64_t)n);
}

/* Sets `order` to a random order of blocks; `blocks` has room for their numbers. */
static void draw_order(struct pl_pcg64 *rng, size_t n, size_t block, size_t *blocks, size_t *order)
{
	size_t count = (n + block - 1) / block, start = block > 1 ? draw_below(rng, n) : 0, at = 0;

	for (size_t i = 0; i < count; i++) {
		size_t j = draw_below(rng, i + 1);

		blocks[i] = blocks[j];
		blocks[j] = i;
	}
	for (size_t i = 0; i < count; i++) {
		size_t from = blocks[i] * block, to = from + block < n ? from + block : n;

		for (; from < to; from++)
			order[at++] = start + from < n ? start + from : start + from - n;
	}
}

struct res_permutation res_cut_test(const double *y, size_t n, size_t side_min, double q,
				    double alpha, size_t count, size_t block, uint64_t seed)
{
	__attribute__((cleanup(test_done))) struct test test = { 0 };
	struct res_permutation found = { .p = 1 };

	if (n < 2 * side_min)
		return found;
	if (n <= ENUMERATE_MAX)
		return enumerate(y, n, side_min, q);
	test_init(&test, y, n, side_min, q);

	/* p <= alpha as long as fewer than this many orders reach q */
	size_t limit = (size_t)(alpha * (double)(count + 1) * (1 + ROUNDING));
	auto_free size_t *blocks = pl_alloc_array(n, sizeof(blocks[0]));
	auto_free size_t *order = pl_alloc_array(n, sizeof(order[0]));
	struct pl_pcg64 rng;
	try_fn *try_orders = choose_try();
	pl_pcg64_seed(&rng, seed);
	while (found.drawn < count) {
		bool reached[LANES];

		for (size_t lane = 0; lane < LANES; lane++) {
			draw_order(&rng, n, block, blocks, order);
			for (size_t i = 0; i < n; i++)
				test.y[i][lane] = test.values[order[i]];
		}
		try_orders(&test, reached);
		/* one by one, so that the number of lanes does not change what is found */
		for (size_t lane = 0; lane < LANES && found.drawn < count; lane++) {
			found.drawn++;
			found.reached += reached[lane];
			if (found.reached >= limit && found.reached > 0) {
				found.p = (double)found.reached / (double)found.drawn;
				return found;
			}
		}
	}
	found.p = (double)(1 + found.reached) / (double)(count + 1);
	return found;
}
