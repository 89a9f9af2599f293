/*
 * The generators against vLLM's published vectors (short, readable) and against CPython 3.11 and
 * numpy 1.24 over many seeds: thousands of draws folded into one number, any bit of which counts.
 */
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static uint64_t fold(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 1099511628211u;
}

static uint64_t fold_f64(uint64_t hash, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return fold(hash, bits);
}

#define FOLD_START 14695981039346656037u

static void assert_f64(double found, double expected)
{
	assert_memory_equal(&found, &expected, sizeof(found));
}

static void assert_sizes(const size_t *found, const size_t *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(found[i], expected[i]);
}

static void test_base_rng__pyrandom_vectors(void **state)
{
	static const size_t shuffled[] = { 7, 8, 1, 5, 3, 4, 2, 0, 9, 6 };
	static const size_t chosen[] = { 84, 75, 42, 25, 51, 40 };
	static const uint64_t below[] = { 6, 3, 6, 3, 0, 2, 4, 3 };
	struct pl_pyrandom rng;
	size_t items[10];

	(void)state;
	pl_pyrandom_seed(&rng, 0);
	assert_f64(pl_pyrandom_random(&rng), 0.8444218515250481);
	assert_f64(pl_pyrandom_random(&rng), 0.7579544029403025);

	pl_pyrandom_seed(&rng, 0);
	for (size_t i = 0; i < 10; i++)
		items[i] = i;
	pl_pyrandom_shuffle(&rng, items, 10, sizeof(size_t));
	assert_sizes(items, shuffled, 10);

	pl_pyrandom_seed(&rng, 0);
	pl_pyrandom_choices(&rng, 100, 6, items);
	assert_sizes(items, chosen, 6);

	pl_pyrandom_seed(&rng, 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(below); i++)
		assert_int_equal(pl_pyrandom_below(&rng, 7), below[i]);
}

static void test_base_rng__pyrandom_seeded_choices_over_a_range(void **state)
{
	/* random.Random(12345).choices(range(2, 1000), k=6) */
	static const size_t expected[] = { 417, 12, 825, 300, 369, 195 };
	struct pl_pyrandom rng;
	size_t found[6];

	(void)state;
	pl_pyrandom_seed(&rng, 12345);
	pl_pyrandom_choices(&rng, 998, 6, found);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(found[i] + 2, expected[i]);
}

static void test_base_rng__pyrandom_shuffle_of_none_and_one(void **state)
{
	struct pl_pyrandom rng;
	size_t one = 5;

	(void)state;
	pl_pyrandom_seed(&rng, 0);
	pl_pyrandom_shuffle(&rng, &one, 0, sizeof(size_t));
	pl_pyrandom_shuffle(&rng, &one, 1, sizeof(size_t));
	assert_int_equal(one, 5);
	assert_f64(pl_pyrandom_random(&rng), 0.8444218515250481); /* nothing was drawn */
}

static const struct pyrandom_row {
	uint64_t seed;
	uint64_t random;  /* 2000 random() */
	uint64_t below;   /* 100 × below(each of the counts) */
	uint64_t shuffle; /* of 0..999 */
	uint64_t choices; /* 500 of 997 */
} pyrandom_rows[] = {
	{ 0u, 0xc525b3efb2466900u, 0x7fd0e77aad0b38f0u, 0x3fe005eef8df8c1du, 0xf9b7808a720eee3bu },
	{ 1u, 0x0f9879b8583c6b67u, 0xf7355f1dd58e5baau, 0xf1b94ad64b95e805u, 0x963feb548b829d43u },
	{ 2u, 0x57a67916a49c0c27u, 0xc29ec2041532847cu, 0x100805e9dee0550bu, 0x5a4bdb51d3381ab8u },
	{ 42u, 0x79089daba087b4a4u, 0x30f0a3800d024cf3u, 0x2ef8e21cc78a7ad7u, 0x27056f18ba0ce560u },
	{ 1234567890u, 0x7dc201220dafd175u, 0x6f6eaaf564af7de6u, 0x5d20255abc7f9a3fu,
	  0x032a68fa0d2f4475u },
	{ 4294967295u, 0xab195f7a211a0a7du, 0xb295bfe59a922030u, 0x3845fa4a80781eadu,
	  0x295c39410e7ac3ccu },
	{ 4294967296u, 0x1971c44ceba24bd9u, 0x9577a136eb5c78dbu, 0xb821f1bf670db7efu,
	  0x75e47dcc4d5dd465u },
	{ 1099511627783u, 0xba7d25a9369b322au, 0x2f93735fc0e280e8u, 0x073597b5b8790f0fu,
	  0x2df2472a89873e40u },
	{ 9223372036854775813u, 0xaf85a18689b7c7b2u, 0xf525e1ae3d88eab3u, 0xc82c33e99aab9285u,
	  0xf33cedce435c65b6u },
	{ 18446744073709551615u, 0x4ac8c6a992bedeaeu, 0x33f80e725fd8da1bu, 0xe4103f45d1ffe621u,
	  0xeb8f6bda4e9e5593u },
};

static void check_pyrandom(const struct pyrandom_row *row)
{
	static const uint64_t counts[] = { 1,
					   2,
					   3,
					   7,
					   10,
					   1000,
					   0xffffffff,
					   0x100000000,
					   0x100000001,
					   0x10000000000,
					   0x8000000000000001 };
	struct pl_pyrandom rng;
	uint64_t hash = FOLD_START;
	size_t items[1000];

	pl_pyrandom_seed(&rng, row->seed);
	for (int i = 0; i < 2000; i++)
		hash = fold_f64(hash, pl_pyrandom_random(&rng));
	assert_int_equal(hash, row->random);

	hash = FOLD_START;
	for (int i = 0; i < 100; i++) {
		for (size_t j = 0; j < PL_ARRAY_SIZE(counts); j++)
			hash = fold(hash, pl_pyrandom_below(&rng, counts[j]));
	}
	assert_int_equal(hash, row->below);

	hash = FOLD_START;
	for (size_t i = 0; i < 1000; i++)
		items[i] = i;
	pl_pyrandom_shuffle(&rng, items, 1000, sizeof(size_t));
	for (size_t i = 0; i < 1000; i++)
		hash = fold(hash, items[i]);
	assert_int_equal(hash, row->shuffle);

	hash = FOLD_START;
	pl_pyrandom_choices(&rng, 997, 500, items);
	for (size_t i = 0; i < 500; i++)
		hash = fold(hash, items[i]);
	assert_int_equal(hash, row->choices);
}

static void test_base_rng__pyrandom_equals_cpython(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(pyrandom_rows); i++)
		check_pyrandom(&pyrandom_rows[i]);
}

static void test_base_rng__nplegacy_vectors(void **state)
{
	static const struct {
		double shape;
		double expected[4];
		size_t count;
	} gammas[] = {
		{ 1,
		  { 0.79587450816311, 1.2559307629658378, 0.9232231458040688, 0.7872011523172707 },
		  4 },
		{ .5, { 0.3040018897607044, 0.37827172006781556 }, 2 },
		{ 2, { 5.138829576340244, 2.2384809117925344 }, 2 },
	};
	static const int64_t wide[] = { 68268, 43567, 42613, 45891, 21243 };
	static const int64_t narrow[] = { 2732, 9845, 3264, 4859, 9225, 7891, 4373, 5874 };
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 0);
	assert_f64(pl_nplegacy_double(&rng), 0.5488135039273248);
	assert_f64(pl_nplegacy_double(&rng), 0.7151893663724195);
	for (size_t i = 0; i < PL_ARRAY_SIZE(gammas); i++) {
		pl_nplegacy_seed(&rng, 0);
		for (size_t j = 0; j < gammas[i].count; j++)
			assert_f64(pl_nplegacy_gamma(&rng, gammas[i].shape, 1),
				   gammas[i].expected[j]);
	}
	pl_nplegacy_seed(&rng, 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(wide); i++)
		assert_int_equal(pl_nplegacy_randint(&rng, 0, 100000), wide[i]);
	pl_nplegacy_seed(&rng, 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(narrow); i++)
		assert_int_equal(pl_nplegacy_randint(&rng, 0, 10000), narrow[i]);
}

static void test_base_rng__nplegacy_seed_drops_the_cached_gauss(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 3);
	double first = pl_nplegacy_gauss(&rng);
	assert_true(rng.has_gauss);
	pl_nplegacy_seed(&rng, 3);
	assert_false(rng.has_gauss);
	assert_f64(pl_nplegacy_gauss(&rng), first);
}

static const struct nplegacy_row {
	uint32_t seed;
	uint64_t doubles; /* 2000 */
	uint64_t gauss;   /* 1001: one is left in the cache */
	uint64_t gamma;   /* 200 of each shape, scale 0.37 */
	uint64_t randint; /* 100 of each span, from -5 */
	uint64_t after;   /* one more double */
} nplegacy_rows[] = {
	{ 0u, 0xc7e4d003d0db9768u, 0xa9df3d9c16826785u, 0x02595a377a7bb96fu, 0xcb11022c6d686658u,
	  0x5749237273084bf6u },
	{ 1u, 0x60d2f84c15f92290u, 0x3f51bd8bd3f7e5f7u, 0x16869576bedb0bceu, 0xb4ad25f99a5e834du,
	  0xd8e34a1e65627f3au },
	{ 42u, 0x0b175aa03a3e8335u, 0x99d352743a1fcf45u, 0xe4e1c780430e2ed0u, 0x785f14458cbb7b11u,
	  0xedbcb0d4c5b60687u },
	{ 12345u, 0xc3184bd001b5a690u, 0x53e7ae71357a361au, 0xd95b11e845c9a1ebu,
	  0x69c136327262e902u, 0x30df7ee2afbfb2e1u },
	{ 2147483648u, 0xc5d8f2c950ba27c7u, 0x9076d0685adf9abfu, 0x7c0d05dc928f8c31u,
	  0xbb816316633dd6ddu, 0xf79c7cfbdd0096b3u },
	{ 4294967295u, 0x2a167984c07db082u, 0x258a547a7aaedcc1u, 0xcfd4e61f9fcaed4cu,
	  0x76258ae782d18d2bu, 0x685acde1eaec9ab7u },
};

static void check_nplegacy(const struct nplegacy_row *row)
{
	static const double shapes[] = { 0, 0.01, .1, .5, .9, 1, 1.5, 2, 3.7, 10, 100 };
	static const int64_t spans[] = { 1, 2, 10, 1000, 0x80000000, 0x100000000 };
	struct pl_nplegacy rng;
	uint64_t hash = FOLD_START;

	pl_nplegacy_seed(&rng, row->seed);
	for (int i = 0; i < 2000; i++)
		hash = fold_f64(hash, pl_nplegacy_double(&rng));
	assert_int_equal(hash, row->doubles);

	hash = FOLD_START;
	for (int i = 0; i < 1001; i++)
		hash = fold_f64(hash, pl_nplegacy_gauss(&rng));
	assert_int_equal(hash, row->gauss);

	hash = FOLD_START;
	for (size_t i = 0; i < PL_ARRAY_SIZE(shapes); i++) {
		for (int j = 0; j < 200; j++)
			hash = fold_f64(hash, pl_nplegacy_gamma(&rng, shapes[i], 0.37));
	}
	assert_int_equal(hash, row->gamma);

	hash = FOLD_START;
	for (size_t i = 0; i < PL_ARRAY_SIZE(spans); i++) {
		for (int j = 0; j < 100; j++)
			hash = fold(hash, (uint64_t)pl_nplegacy_randint(&rng, -5, -5 + spans[i]));
	}
	assert_int_equal(hash, row->randint);
	assert_int_equal(fold_f64(FOLD_START, pl_nplegacy_double(&rng)), row->after);
}

static void test_base_rng__nplegacy_equals_numpy(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(nplegacy_rows); i++)
		check_nplegacy(&nplegacy_rows[i]);
}

static void test_base_rng__sample_vectors(void **state)
{
	static const struct {
		uint32_t seed;
		bool replace;
		size_t n;
		size_t expected[20];
	} rows[] = {
		{ 0, false, 5, { 6, 11, 4, 10, 2 } },
		{ 1, false, 5, { 2, 3, 4, 10, 1 } },
		{ 42, false, 5, { 10, 9, 0, 8, 5 } },
		{ 0, true, 20, { 5, 0, 3, 11, 3, 7, 9, 3, 5, 2, 4, 7, 6, 8, 8, 10, 1, 6, 7, 7 } },
	};
	struct pl_nplegacy rng;
	size_t found[20];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		pl_nplegacy_seed(&rng, rows[i].seed);
		pl_nplegacy_sample(&rng, 12, rows[i].n, rows[i].replace, found);
		assert_sizes(found, rows[i].expected, rows[i].n);
	}
}

static void test_base_rng__sample_equals_numpy_choice(void **state)
{
	static const struct {
		uint32_t seed;
		uint64_t expected;
	} rows[] = {
		{ 0u, 0x625bc23c96a382b5u },
		{ 1u, 0xc2e2b520f9b8843bu },
		{ 42u, 0x6bd8c59a41343a32u },
		{ 4294967295u, 0x1ac82b66d753b5a3u },
	};
	static const struct {
		size_t rows;
		size_t n;
		bool replace;
	} draws[] = {
		{ 1, 1, false },      { 2, 2, false }, { 12, 5, false }, { 1000, 1000, false },
		{ 70000, 50, false }, { 1, 3, true },  { 12, 20, true }, { 5000, 100, true },
	};
	size_t found[1000];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		uint64_t hash = FOLD_START;
		for (size_t j = 0; j < PL_ARRAY_SIZE(draws); j++) {
			struct pl_nplegacy rng;
			pl_nplegacy_seed(&rng, rows[i].seed);
			pl_nplegacy_sample(&rng, draws[j].rows, draws[j].n, draws[j].replace,
					   found);
			for (size_t k = 0; k < draws[j].n; k++)
				hash = fold(hash, found[k]);
		}
		assert_int_equal(hash, rows[i].expected);
	}
}

static void assert_integers(struct pl_pcg64 *rng, int64_t lo, int64_t hi, const int64_t *expected)
{
	for (int i = 0; i < 5; i++)
		assert_int_equal(pl_pcg64_integers(rng, lo, hi), expected[i]);
}

static void test_base_rng__pcg64_vectors(void **state)
{
	static const int64_t first[] = { 1168, 1080, 1029, 929, 945 };
	static const int64_t second[] = { 104, 105, 102, 111, 145 };
	static const int64_t third[] = { 98479, 138412, 76371, 91992, 147206 };
	static const int64_t alone[] = { 128991, 96590, 77510, 40911, 46680 };
	static const int64_t same[] = { 819, 819, 819, 819, 819 };
	struct pl_pcg64 rng;

	(void)state;
	pl_pcg64_seed(&rng, 0);
	assert_true(pl_pcg64_next64(&rng) == 0xa30febcfd9c2825fu);
	assert_true(pl_pcg64_next64(&rng) == 0x4510bdf882d9d721u);

	pl_pcg64_seed(&rng, 0);
	assert_integers(&rng, 819, 1230, first);
	assert_integers(&rng, 102, 155, second);
	assert_integers(&rng, 0, 151643, third);

	pl_pcg64_seed(&rng, 0); /* a span of one draws nothing */
	assert_integers(&rng, 819, 820, same);
	assert_integers(&rng, 819, 820, same);
	assert_integers(&rng, 0, 151643, alone);
}

/* The draws of vLLM's random data set: three arrays in a row. */
/* Each item is its own number, from 1. */
static void assert_shuffled(uint64_t seed, size_t draws, size_t count, const size_t *first,
			    size_t first_count)
{
	struct pl_pcg64 rng;
	auto_free void **items = pl_alloc_array(count, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (void *)(uintptr_t)(i + 1);
	pl_pcg64_seed(&rng, seed);
	for (size_t i = 0; i < draws; i++)
		pl_pcg64_integers(&rng, 0, 1000);
	pl_pcg64_shuffle(&rng, items, count);
	for (size_t i = 0; i < first_count; i++)
		assert_int_equal((uintptr_t)items[i], first[i] + 1);
}

static void test_base_rng__pcg64_shuffles_like_numpy(void **state)
{
	static const size_t ten[] = { 4, 6, 2, 7, 3, 5, 9, 0, 8, 1 };
	static const size_t other[] = { 5, 6, 0, 7, 3, 2, 4, 9, 1, 8 };
	static const size_t many[] = { 256255, 165161, 137484, 168220 };

	(void)state;
	assert_shuffled(0, 0, 10, ten, 10);
	assert_shuffled(42, 0, 10, other, 10);
	/* an odd number of draws leaves half of a value for the shuffle */
	assert_shuffled(7, 3, 300000, many, 4);
	assert_shuffled(7, 0, 0, NULL, 0);
}

static void test_base_rng__pcg64_draws_of_the_random_dataset(void **state)
{
	static const struct {
		uint64_t seed;
		int64_t lo[3];
		int64_t hi[3];
		int64_t expected[3][6];
	} rows[] = {
		{ 0,
		  { 819, 102, 0 },
		  { 1230, 155, 151643 },
		  { { 1168, 1080, 1029, 929, 945, 835 },
		    { 105, 102, 111, 145, 136, 150 },
		    { 76371, 91992, 147206, 110623, 95879, 82436 } } },
		{ 42,
		  { 500, 50, 0 },
		  { 1501, 151, 128256 },
		  { { 589, 1274, 1155, 939, 933, 1359 },
		    { 58, 120, 70, 59, 103, 148 },
		    { 94364, 97620, 92020, 100817, 65824, 16431 } } },
	};
	struct pl_pcg64 rng;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		pl_pcg64_seed(&rng, rows[i].seed);
		for (int k = 0; k < 3; k++) {
			for (int j = 0; j < 6; j++)
				assert_int_equal(
					pl_pcg64_integers(&rng, rows[i].lo[k], rows[i].hi[k]),
					rows[i].expected[k][j]);
		}
	}
}

/* numpy's random() and integers(0, 256, dtype=uint8): one use each of 64 and of 32 bits. */
static double pcg64_random(struct pl_pcg64 *rng)
{
	return (double)(pl_pcg64_next64(rng) >> 11) * (1.0 / 9007199254740992.0);
}

static void pcg64_bytes(struct pl_pcg64 *rng, uint8_t *out, size_t n)
{
	uint32_t word = 0;

	for (size_t i = 0; i < n; i++) {
		word = i % 4 == 0 ? pl_pcg64_next32(rng) : word >> 8;
		out[i] = (uint8_t)word;
	}
}

static void test_base_rng__pcg64_random_leaves_the_cached_half(void **state)
{
	struct pl_pcg64 rng;

	(void)state;
	pl_pcg64_seed(&rng, 0);
	assert_int_equal(pl_pcg64_next32(&rng), 0xd9c2825f);
	assert_f64(pcg64_random(&rng), (double)(0x4510bdf882d9d721u >> 11) / 9007199254740992.0);
	assert_int_equal(pl_pcg64_next32(&rng), 0xa30febcf);
}

static const struct pcg64_row {
	uint64_t seed;
	uint64_t raw;      /* 1000 next64 */
	uint64_t integers; /* 51 of each span, from -7 */
	uint64_t random;   /* 101 */
	uint64_t bytes;    /* 7, 1, 4 and 30 bytes, each followed by an integer below 1000 */
	uint64_t after;    /* three more random() */
} pcg64_rows[] = {
	{ 0u, 0xf9f41c78cab60da4u, 0x466133e0f4de8d62u, 0xd4dca1747177542au, 0x751f5a5d34d5f1c4u,
	  0x8dde2dd2e04f9136u },
	{ 1u, 0x8acd11a25e831f7au, 0x102a766ac08596f5u, 0x6a18feff4fe9bb7du, 0xcb8146a13ef6e30eu,
	  0x0022e00c54146338u },
	{ 42u, 0xdb4a22e97b9620d0u, 0x9e18d2fdbb10a003u, 0xabe8254935425379u, 0x0f750cecde15f797u,
	  0xccdc96be40280536u },
	{ 4294967295u, 0xd56221c9fc2302cbu, 0x12e9767db9d5df3eu, 0xc3f4116143aa577cu,
	  0x148188f0807510a2u, 0x682654f525584854u },
	{ 4294967296u, 0xcda7a029b5a73bb1u, 0x3c6695399e8a672fu, 0x330a507832925c40u,
	  0x762e552502bb89afu, 0x154065ba05301467u },
	{ 9007199254740993u, 0x96ccd0fb59526c51u, 0xc23b34e5004cf542u, 0x24f0f52328178d7du,
	  0xa05152558fdfb094u, 0xad4f37dee87e086fu },
	{ 18446744073709551615u, 0x3db27415f40e7457u, 0x7e6e7d3fe03dafd5u, 0x33f54076a0118c95u,
	  0x79fe7ea584749f69u, 0xdc3e94bc2857278fu },
};

static void check_pcg64(const struct pcg64_row *row)
{
	static const uint64_t spans[] = { 1,
					  2,
					  10,
					  256,
					  151643,
					  0x80000001,
					  0xffffffff,
					  0x100000000,
					  0x100000001,
					  0x10000000000,
					  0x8000000000000000 };
	static const size_t lengths[] = { 7, 1, 4, 30 };
	struct pl_pcg64 rng;
	uint64_t hash = FOLD_START;

	pl_pcg64_seed(&rng, row->seed);
	for (int i = 0; i < 1000; i++)
		hash = fold(hash, pl_pcg64_next64(&rng));
	assert_int_equal(hash, row->raw);

	hash = FOLD_START;
	for (size_t i = 0; i < PL_ARRAY_SIZE(spans); i++) {
		int64_t hi = (int64_t)(spans[i] - 7);
		for (int j = 0; j < 51; j++)
			hash = fold(hash, (uint64_t)pl_pcg64_integers(&rng, -7, hi));
	}
	assert_int_equal(hash, row->integers);

	hash = FOLD_START;
	for (int i = 0; i < 101; i++)
		hash = fold_f64(hash, pcg64_random(&rng));
	assert_int_equal(hash, row->random);

	hash = FOLD_START;
	for (size_t i = 0; i < PL_ARRAY_SIZE(lengths); i++) {
		uint8_t bytes[30];
		pcg64_bytes(&rng, bytes, lengths[i]);
		for (size_t j = 0; j < lengths[i]; j++)
			hash = fold(hash, bytes[j]);
		hash = fold(hash, (uint64_t)pl_pcg64_integers(&rng, 0, 1000));
	}
	assert_int_equal(hash, row->bytes);

	hash = FOLD_START;
	for (int i = 0; i < 3; i++)
		hash = fold_f64(hash, pcg64_random(&rng));
	assert_int_equal(hash, row->after);
}

static void test_base_rng__pcg64_equals_numpy(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(pcg64_rows); i++)
		check_pcg64(&pcg64_rows[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_rng__pyrandom_vectors),
		cmocka_unit_test(test_base_rng__pyrandom_seeded_choices_over_a_range),
		cmocka_unit_test(test_base_rng__pyrandom_shuffle_of_none_and_one),
		cmocka_unit_test(test_base_rng__pyrandom_equals_cpython),
		cmocka_unit_test(test_base_rng__nplegacy_vectors),
		cmocka_unit_test(test_base_rng__nplegacy_seed_drops_the_cached_gauss),
		cmocka_unit_test(test_base_rng__nplegacy_equals_numpy),
		cmocka_unit_test(test_base_rng__sample_vectors),
		cmocka_unit_test(test_base_rng__sample_equals_numpy_choice),
		cmocka_unit_test(test_base_rng__pcg64_vectors),
		cmocka_unit_test(test_base_rng__pcg64_shuffles_like_numpy),
		cmocka_unit_test(test_base_rng__pcg64_draws_of_the_random_dataset),
		cmocka_unit_test(test_base_rng__pcg64_random_leaves_the_cached_half),
		cmocka_unit_test(test_base_rng__pcg64_equals_numpy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
