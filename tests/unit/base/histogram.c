/* Bins against numpy.histogram(x, bins=30): counts, and the edges to the last bit. */
#include "base/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

#define BINS 30

struct vector {
	const char *name;
	double x[64];
	size_t n;
	size_t counts[BINS];
	/* edges 0, 1, 7, 29 and 30 */
	double edges[5];
};

static const struct vector
	vectors[] = {
		{ "apart",
		  { 819, 1230, 1024, 900, 901, 1229, 1000, 1111 },
		  8,
		  { [0] = 1, [5] = 2, [13] = 1, [14] = 1, [21] = 1, [29] = 2 },
		  { 819, 832.7, 914.9, 1216.3, 1230 } },
		{ "equal",
		  { 7, 7, 7 },
		  3,
		  { [15] = 3 },
		  { 6.5, 6.533333333333333, 6.733333333333333, 7.466666666666667, 7.5 } },
		{ "one",
		  { 0 },
		  1,
		  { [15] = 1 },
		  { -0.5, -0.4666666666666667, -0.26666666666666666, 0.4666666666666667, 0.5 } },
		{ "one far away",
		  { 1, 2, 3, 1000000 },
		  4,
		  { [0] = 3, [29] = 1 },
		  { 1, 33334.3, 233334.10000000003, 966666.7000000001, 1000000 } },
		{ "many",
		  { 142, 151, 101, 151, 130, 132, 140, 118, 162, 103, 117, 124, 136,
		    126, 108, 102, 100, 103, 109, 163, 112, 141, 148, 115, 118, 127,
		    116, 162, 111, 157, 151, 154, 107, 125, 140, 131, 142, 143, 142,
		    103, 161, 135, 157, 117, 123, 156, 111, 104, 123, 143 },
		  50,
		  { 3, 4, 0, 2, 1, 3, 0, 2, 4, 0, 2, 2, 2, 0, 2,
		    1, 1, 1, 0, 3, 5, 0, 1, 0, 3, 1, 1, 2, 0, 4 },
		  { 100, 102.1, 114.7, 160.9, 163 } },
	};

static void assert_bits(double found, double expected, const char *name)
{
	if (memcmp(&found, &expected, sizeof(found)) != 0)
		fail_msg("%s: found %.17g, expected %.17g", name, found, expected);
}

static void test_base_histogram__numpy_vectors(void **state)
{
	static const size_t reported[] = { 0, 1, 7, 29, 30 };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(vectors); i++) {
		const struct vector *vector = &vectors[i];
		double edges[BINS + 1];
		size_t counts[BINS];
		pl_histogram(vector->x, vector->n, BINS, counts, edges);
		for (size_t k = 0; k < BINS; k++) {
			if (counts[k] != vector->counts[k])
				fail_msg("%s: bin %zu has %zu, expected %zu", vector->name, k,
					 counts[k], vector->counts[k]);
		}
		for (size_t k = 0; k < PL_ARRAY_SIZE(reported); k++)
			assert_bits(edges[reported[k]], vector->edges[k], vector->name);
	}
}

/* Values on edges, where dividing rounds to the wrong side: numpy's counts. */
static void test_base_histogram__values_on_edges(void **state)
{
	static const size_t thirds[BINS] = { 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1, 2, 1,
					     1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 2, 1, 1, 2 };
	double x[61], edges[BINS + 1];
	size_t counts[BINS];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		x[i] = (double)i / 3;
	pl_histogram(x, 40, BINS, counts, edges);
	assert_memory_equal(counts, thirds, sizeof(thirds));
	for (size_t i = 0; i < 61; i++)
		x[i] = 0.1 * (double)i;
	pl_histogram(x, 61, BINS, counts, edges);
	for (size_t i = 0; i < BINS; i++)
		assert_int_equal(counts[i], i + 1 < BINS ? 2 : 3);
	for (size_t i = 0; i < 31; i++)
		x[i] = (double)i;
	pl_histogram(x, 31, BINS, counts, edges);
	for (size_t i = 0; i < BINS; i++)
		assert_int_equal(counts[i], i + 1 < BINS ? 1 : 2);
}

static void test_base_histogram__nothing(void **state)
{
	double edges[BINS + 1];
	size_t counts[BINS];

	(void)state;
	pl_histogram(NULL, 0, BINS, counts, edges);
	assert_bits(edges[0], 0, "first edge");
	assert_bits(edges[BINS], 1, "last edge");
	for (size_t i = 0; i < BINS; i++)
		assert_int_equal(counts[i], 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_histogram__numpy_vectors),
		cmocka_unit_test(test_base_histogram__values_on_edges),
		cmocka_unit_test(test_base_histogram__nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
