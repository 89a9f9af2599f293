/*
 * Pseudorandom numbers that depend on a seed, a use and a number within that use, so each document can be made without
 * the preceding ones.
 */
#pragma once

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct demo_dice {
	struct pl_pcg64 rng;
};

static inline struct demo_dice demo_dice(uint64_t seed, uint64_t use, uint64_t number)
{
	struct demo_dice dice;

	/* arbitrary odd constants, so that adjacent numbers get distant states */
	pl_pcg64_seed(&dice.rng, seed * 0x9e3779b97f4a7c15u + use * 0xc2b2ae3d27d4eb4fu + number);
	return dice;
}

/* 0 <= share < 1 */
static inline double demo_share(struct demo_dice *dice)
{
	return (double)(pl_pcg64_next64(&dice->rng) >> 11) * 0x1p-53;
}

static inline bool demo_chance(struct demo_dice *dice, double share)
{
	return demo_share(dice) < share;
}

/* 0 … count - 1 */
static inline size_t demo_below(struct demo_dice *dice, size_t count)
{
	return (size_t)pl_pcg64_integers(&dice->rng, 0, (int64_t)count);
}

/* Returns a factor around 1 with noise of this relative width. */
static inline double demo_noise(struct demo_dice *dice, double width)
{
	double sum = 0;

	/* the sum of four uniform numbers is close to a normal distribution, and bounded */
	for (int i = 0; i < 4; i++)
		sum += demo_share(dice) - 0.5;
	return exp(width * sum * 1.732);
}
