#include "base/rng.h"

#include <math.h>

#include "base/mem.h"

enum { MT_WORDS = 624, MT_MIDDLE = 397 };

/* Knuth's linear start: numpy's legacy seeding, and the first half of init_by_array. */
static void mt_start(struct pl_mt19937 *mt, uint32_t seed)
{
	mt->state[0] = seed;
	for (uint32_t i = 1; i < MT_WORDS; i++)
		mt->state[i] = 1812433253u * (mt->state[i - 1] ^ mt->state[i - 1] >> 30) + i;
	mt->at = MT_WORDS;
}

static uint32_t mt_mixed(const struct pl_mt19937 *mt, unsigned i, uint32_t factor)
{
	uint32_t before = mt->state[i - 1];

	return mt->state[i] ^ (before ^ before >> 30) * factor;
}

/* The Mersenne Twister's init_by_array. */
static void mt_start_words(struct pl_mt19937 *mt, const uint32_t *key, unsigned words)
{
	unsigned i = 1;
	unsigned j = 0;

	mt_start(mt, 19650218u);
	for (unsigned k = 0; k < MT_WORDS; k++) {
		mt->state[i] = mt_mixed(mt, i, 1664525u) + key[j] + j;
		j = (j + 1) % words;
		if (++i == MT_WORDS) {
			mt->state[0] = mt->state[MT_WORDS - 1];
			i = 1;
		}
	}
	for (unsigned k = 1; k < MT_WORDS; k++) {
		mt->state[i] = mt_mixed(mt, i, 1566083941u) - i;
		if (++i == MT_WORDS) {
			mt->state[0] = mt->state[MT_WORDS - 1];
			i = 1;
		}
	}
	mt->state[0] = 0x80000000u;
}

static void mt_refill(struct pl_mt19937 *mt)
{
	uint32_t *state = mt->state;

	for (unsigned i = 0; i < MT_WORDS; i++) {
		uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % MT_WORDS] & 0x7fffffffu);
		state[i] = state[(i + MT_MIDDLE) % MT_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
	}
	mt->at = 0;
}

static uint32_t mt_next(struct pl_mt19937 *mt)
{
	if (mt->at >= MT_WORDS)
		mt_refill(mt);
	uint32_t y = mt->state[mt->at++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680u;
	y ^= y << 15 & 0xefc60000u;
	return y ^ y >> 18;
}

/*
 * 53 random bits in [0, 1): the same construction in CPython (random_random) and numpy
 * (mt19937_next_double), from two words: 27 bits and 26.
 */
static double mt_double(struct pl_mt19937 *mt)
{
	uint32_t high = mt_next(mt) >> 5;
	uint32_t low = mt_next(mt) >> 6;

	return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* Uniform in 0..max: draws under the smallest mask until one fits. */
static uint32_t mt_masked(struct pl_mt19937 *mt, uint32_t max)
{
	if (max == 0)
		return 0;
	uint32_t mask = UINT32_MAX >> __builtin_clz(max);
	uint32_t value;
	do {
		value = mt_next(mt) & mask;
	} while (value > max);
	return value;
}

void pl_pyrandom_seed(struct pl_pyrandom *rng, uint64_t seed)
{
	/*
	 * CPython takes a seed as its absolute value in 32-bit words, least first, without leading
	 * zeros: one word or two.
	 */
	uint32_t words[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };

	mt_start_words(&rng->mt, words, words[1] != 0 ? 2 : 1);
}

double pl_pyrandom_random(struct pl_pyrandom *rng)
{
	return mt_double(&rng->mt);
}

static uint64_t pyrandom_bits(struct pl_pyrandom *rng, unsigned bits)
{
	if (bits <= 32)
		return mt_next(&rng->mt) >> (32 - bits);
	uint64_t low = mt_next(&rng->mt);
	return low | (uint64_t)(mt_next(&rng->mt) >> (64 - bits)) << 32;
}

/*
 * CPython's _randbelow_with_getrandbits(): draws as many bits as n has, until the number is below
 * n. For a power of two that is one bit more than in numpy's mask of n - 1.
 */
uint64_t pl_pyrandom_below(struct pl_pyrandom *rng, uint64_t n)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(n);
	uint64_t value;

	do {
		value = pyrandom_bits(rng, bits);
	} while (value >= n);
	return value;
}

/* Fisher-Yates from the end, as random.shuffle() of Python 3. */
void pl_pyrandom_shuffle(struct pl_pyrandom *rng, void *items, size_t n, size_t item_size)
{
	for (size_t i = n; i-- > 1;) {
		char *a = (char *)items + i * item_size;
		char *b = (char *)items + pl_pyrandom_below(rng, i + 1) * item_size;
		for (size_t k = 0; k < item_size; k++) {
			char held = a[k];
			a[k] = b[k];
			b[k] = held;
		}
	}
}

/* random.choices() multiplies and cuts off; it does not use the draws of randrange(). */
void pl_pyrandom_choices(struct pl_pyrandom *rng, size_t n, size_t k, size_t *out)
{
	for (size_t i = 0; i < k; i++)
		out[i] = (size_t)(pl_pyrandom_random(rng) * (double)n);
}

void pl_nplegacy_seed(struct pl_nplegacy *rng, uint32_t seed)
{
	mt_start(&rng->mt, seed);
	rng->has_gauss = false;
	rng->gauss = 0;
}

double pl_nplegacy_double(struct pl_nplegacy *rng)
{
	return mt_double(&rng->mt);
}

/* The polar method makes two values at a time; the second is returned by the next call. */
double pl_nplegacy_gauss(struct pl_nplegacy *rng)
{
	if (rng->has_gauss) {
		rng->has_gauss = false;
		return rng->gauss;
	}
	double x1;
	double x2;
	double r;
	do {
		x1 = 2.0 * mt_double(&rng->mt) - 1.0;
		x2 = 2.0 * mt_double(&rng->mt) - 1.0;
		r = x1 * x1 + x2 * x2;
	} while (r >= 1.0 || r == 0.0);
	double factor = sqrt(-2.0 * log(r) / r);
	rng->gauss = factor * x1;
	rng->has_gauss = true;
	return factor * x2;
}

/* 1 - u, since u may be 0 and never 1. */
static double nplegacy_exponential(struct pl_nplegacy *rng)
{
	return -log(1.0 - mt_double(&rng->mt));
}

/*
 * numpy's legacy_standard_gamma() for a shape below 1; above it, Marsaglia and Tsang's method. The
 * order of draws must not change: each rejected try also draws from the stream.
 */
static double gamma_below_one(struct pl_nplegacy *rng, double shape)
{
	for (;;) {
		double u = mt_double(&rng->mt);
		double v = nplegacy_exponential(rng);
		if (u <= 1.0 - shape) {
			double x = pow(u, 1.0 / shape);
			if (x <= v)
				return x;
			continue;
		}
		double y = -log((1.0 - u) / shape);
		double x = pow(1.0 - shape + shape * y, 1.0 / shape);
		if (x <= v + y)
			return x;
	}
}

static double gamma_above_one(struct pl_nplegacy *rng, double shape)
{
	double b = shape - 1.0 / 3.0;
	double c = 1.0 / sqrt(9 * b);

	for (;;) {
		double x;
		double v;
		do {
			x = pl_nplegacy_gauss(rng);
			v = 1.0 + c * x;
		} while (v <= 0.0);
		v = v * v * v;
		double u = mt_double(&rng->mt);
		if (u < 1.0 - 0.0331 * (x * x) * (x * x) ||
		    log(u) < 0.5 * x * x + b * (1.0 - v + log(v)))
			return b * v;
	}
}

double pl_nplegacy_gamma(struct pl_nplegacy *rng, double shape, double scale)
{
	if (shape == 1.0)
		return scale * nplegacy_exponential(rng);
	if (shape == 0.0)
		return 0;
	return scale * (shape < 1.0 ? gamma_below_one(rng, shape) : gamma_above_one(rng, shape));
}

int64_t pl_nplegacy_randint(struct pl_nplegacy *rng, int64_t lo, int64_t hi)
{
	/* Unsigned, so that a range from below zero does not overflow. */
	uint32_t span = (uint32_t)((uint64_t)hi - (uint64_t)lo - 1);

	return (int64_t)((uint64_t)lo + mt_masked(&rng->mt, span));
}

void pl_nplegacy_sample(struct pl_nplegacy *rng, size_t rows, size_t n, bool replace, size_t *out)
{
	if (replace) {
		for (size_t i = 0; i < n; i++)
			out[i] = mt_masked(&rng->mt, (uint32_t)(rows - 1));
		return;
	}
	/*
	 * Without replacement, pandas calls RandomState.choice(), which shuffles all row numbers
	 * and takes the first n: it draws for all rows even if only one is needed.
	 */
	auto_free size_t *order = pl_alloc_array(rows, sizeof(*order));
	for (size_t i = 0; i < rows; i++)
		order[i] = i;
	for (size_t i = rows; i-- > 1;) {
		size_t j = mt_masked(&rng->mt, (uint32_t)i);
		size_t swapped = order[i];
		order[i] = order[j];
		order[j] = swapped;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = order[i];
}

/* numpy's SeedSequence: a pool of four words stirred from the seed, then stretched. */
enum { POOL_WORDS = 4 };

struct seed_hash {
	uint32_t constant;
	uint32_t factor;
};

/* O'Neill's seed_seq_fe, with numpy's constants: SeedSequence in numpy/random/bit_generator.pyx. */
static uint32_t seed_hash_next(struct seed_hash *hash, uint32_t value)
{
	value ^= hash->constant;
	hash->constant *= hash->factor;
	value *= hash->constant;
	return value ^ value >> 16;
}

static uint32_t seed_mix(uint32_t x, uint32_t y)
{
	uint32_t mixed = 0xca01f9ddu * x - 0x4973f715u * y;

	return mixed ^ mixed >> 16;
}

static void seed_pool(uint64_t seed, uint32_t pool[POOL_WORDS])
{
	struct seed_hash hash = { .constant = 0x43b0d7e5u, .factor = 0x931e8875u };
	uint32_t words[POOL_WORDS] = { (uint32_t)seed, (uint32_t)(seed >> 32) };

	for (int i = 0; i < POOL_WORDS; i++)
		pool[i] = seed_hash_next(&hash, words[i]);
	for (int from = 0; from < POOL_WORDS; from++) {
		for (int to = 0; to < POOL_WORDS; to++) {
			if (to != from)
				pool[to] = seed_mix(pool[to], seed_hash_next(&hash, pool[from]));
		}
	}
}

static void pcg64_step(struct pl_pcg64 *rng)
{
	/* The multiplier of PCG XSL RR 128/64, as in O'Neill's paper. */
	const unsigned __int128 factor = (unsigned __int128)0x2360ED051FC65DA4u << 64 |
					 0x4385DF649FCCF645u;

	rng->state = rng->state * factor + rng->inc;
}

void pl_pcg64_seed(struct pl_pcg64 *rng, uint64_t seed)
{
	struct seed_hash hash = { .constant = 0x8b51f9ddu, .factor = 0x58f38dedu };
	uint32_t pool[POOL_WORDS];
	uint64_t s[4];

	seed_pool(seed, pool);
	for (int i = 0; i < 4; i++) {
		uint64_t low = seed_hash_next(&hash, pool[2 * i % POOL_WORDS]);
		s[i] = low | (uint64_t)seed_hash_next(&hash, pool[(2 * i + 1) % POOL_WORDS]) << 32;
	}
	*rng = (struct pl_pcg64){ .inc = ((unsigned __int128)s[2] << 64 | s[3]) << 1 | 1 };
	pcg64_step(rng);
	rng->state += (unsigned __int128)s[0] << 64 | s[1];
	pcg64_step(rng);
}

uint64_t pl_pcg64_next64(struct pl_pcg64 *rng)
{
	pcg64_step(rng);
	/* XSL RR: the halves are folded, and turned by the state's top six bits. */
	uint64_t folded = (uint64_t)(rng->state >> 64) ^ (uint64_t)rng->state;
	unsigned turn = (unsigned)(rng->state >> 122);
	return folded >> turn | folded << (-turn & 63);
}

/*
 * numpy returns the lower half first and keeps the upper one for the next call, regardless of
 * 64-bit draws in between.
 */
uint32_t pl_pcg64_next32(struct pl_pcg64 *rng)
{
	if (rng->has_high) {
		rng->has_high = false;
		return rng->high;
	}
	uint64_t fresh = pl_pcg64_next64(rng);
	rng->has_high = true;
	rng->high = (uint32_t)(fresh >> 32);
	return (uint32_t)fresh;
}

/* Lemire's multiplication method; max is the largest value, count = max + 1 does not overflow. */
static uint32_t pcg64_lemire32(struct pl_pcg64 *rng, uint32_t max)
{
	uint32_t count = max + 1;
	uint64_t m = (uint64_t)pl_pcg64_next32(rng) * count;

	if ((uint32_t)m < count) {
		uint32_t threshold = (UINT32_MAX - max) % count;
		while ((uint32_t)m < threshold)
			m = (uint64_t)pl_pcg64_next32(rng) * count;
	}
	return (uint32_t)(m >> 32);
}

static uint64_t pcg64_lemire64(struct pl_pcg64 *rng, uint64_t max)
{
	uint64_t count = max + 1;
	unsigned __int128 m = (unsigned __int128)pl_pcg64_next64(rng) * count;

	if ((uint64_t)m < count) {
		uint64_t threshold = (UINT64_MAX - max) % count;
		while ((uint64_t)m < threshold)
			m = (unsigned __int128)pl_pcg64_next64(rng) * count;
	}
	return (uint64_t)(m >> 64);
}

int64_t pl_pcg64_integers(struct pl_pcg64 *rng, int64_t lo, int64_t hi)
{
	/*
	 * numpy draws nothing where only one value can come, and takes 64-bit draws only where it
	 * must: each branch below spends another number of draws.
	 */
	uint64_t max = (uint64_t)hi - (uint64_t)lo - 1;
	uint64_t value;

	if (max == 0)
		value = 0;
	else if (max < UINT32_MAX)
		value = pcg64_lemire32(rng, (uint32_t)max);
	else if (max == UINT32_MAX)
		value = pl_pcg64_next32(rng);
	else
		value = pcg64_lemire64(rng, max);
	return (int64_t)((uint64_t)lo + value);
}

double pl_pcg64_double(struct pl_pcg64 *rng)
{
	return (double)(pl_pcg64_next64(rng) >> 11) * 0x1p-53;
}

void pl_pcg64_bytes(struct pl_pcg64 *rng, uint8_t *out, size_t len)
{
	uint32_t word = 0;

	for (size_t i = 0; i < len; i++) {
		word = i % 4 == 0 ? pl_pcg64_next32(rng) : word >> 8;
		out[i] = (uint8_t)word;
	}
}

/* Draws by masks, unlike integers(). */
static uint64_t pcg64_interval(struct pl_pcg64 *rng, uint64_t max)
{
	uint64_t mask = UINT64_MAX >> __builtin_clzll(max), value;

	do {
		value = (max <= UINT32_MAX ? pl_pcg64_next32(rng) : pl_pcg64_next64(rng)) & mask;
	} while (value > max);
	return value;
}

void pl_pcg64_shuffle(struct pl_pcg64 *rng, void **items, size_t n)
{
	for (size_t i = n; i-- > 1;) {
		size_t other = (size_t)pcg64_interval(rng, i);
		void *held = items[i];
		items[i] = items[other];
		items[other] = held;
	}
}
