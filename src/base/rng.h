/*
 * The three random generators of vLLM's benchmark, bit for bit: CPython's `random`, numpy's
 * legacy global generator and numpy's default_rng (PCG64). Recipes: docs/reference/random.md.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_mt19937 {
	uint32_t state[624];
	unsigned at;
};

/* CPython's random. */
struct pl_pyrandom {
	struct pl_mt19937 mt;
};
void pl_pyrandom_seed(struct pl_pyrandom *rng, uint64_t seed);
double pl_pyrandom_random(struct pl_pyrandom *rng);
/* Uniform in 0..n-1; n >= 1. */
uint64_t pl_pyrandom_below(struct pl_pyrandom *rng, uint64_t n);
/* Shuffles in place. */
void pl_pyrandom_shuffle(struct pl_pyrandom *rng, void *items, size_t n, size_t item_size);
/* As random.choices(range(n), k=k): indices into out[k]. */
void pl_pyrandom_choices(struct pl_pyrandom *rng, size_t n, size_t k, size_t *out);

/* numpy's legacy generator (np.random.*). Seeds 0 .. 2^32-1. */
struct pl_nplegacy {
	struct pl_mt19937 mt;
	bool has_gauss;
	double gauss;
};
void pl_nplegacy_seed(struct pl_nplegacy *rng, uint32_t seed);
double pl_nplegacy_double(struct pl_nplegacy *rng);
double pl_nplegacy_gauss(struct pl_nplegacy *rng);
double pl_nplegacy_gamma(struct pl_nplegacy *rng, double shape, double scale);
/* lo <= value < hi, hi - lo <= 2^32 */
int64_t pl_nplegacy_randint(struct pl_nplegacy *rng, int64_t lo, int64_t hi);
/* pandas' df.sample(n, replace, random_state=this): row positions into out[n]. */
void pl_nplegacy_sample(struct pl_nplegacy *rng, size_t rows, size_t n, bool replace, size_t *out);

/* numpy's default_rng(seed). */
struct pl_pcg64 {
	unsigned __int128 state;
	unsigned __int128 inc;
	bool has_high;
	uint32_t high;
};
void pl_pcg64_seed(struct pl_pcg64 *rng, uint64_t seed);
uint64_t pl_pcg64_next64(struct pl_pcg64 *rng);
uint32_t pl_pcg64_next32(struct pl_pcg64 *rng);
/* integers(lo, hi): lo <= value < hi. A span of one draws nothing. */
int64_t pl_pcg64_integers(struct pl_pcg64 *rng, int64_t lo, int64_t hi);
/* random(): 0 <= value < 1. Leaves a buffered half of a 64-bit draw for the next 32-bit draw. */
double pl_pcg64_double(struct pl_pcg64 *rng);
/* integers(0, 256, len, uint8): the bytes of 32-bit draws; those left of the last one are dropped. */
void pl_pcg64_bytes(struct pl_pcg64 *rng, uint8_t *out, size_t len);
/* Shuffles pointers in place, as shuffle() and permutation() do. */
void pl_pcg64_shuffle(struct pl_pcg64 *rng, void **items, size_t n);
