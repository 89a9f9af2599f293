/*
 * The sets, and what a file of one is made of: static functions that are called as the members of
 * struct mirror_kernels are, each in all files, so that MIRROR_KERNELS_SET() names them all.
 */
#pragma once

#include "mirror/kernels/kernels.h"

extern const struct mirror_kernels mirror_kernels_plain;
#ifdef __x86_64__
extern const struct mirror_kernels mirror_kernels_sse2;
extern const struct mirror_kernels mirror_kernels_avx2;
#endif

#define MIRROR_KERNELS_OF_WIDTH(width)                                  \
	.match_##width = match_##width, .tally_##width = tally_##width, \
	.gather_##width = gather_##width, .tally_listed_##width = tally_listed_##width

#define MIRROR_KERNELS_SET(set)                                                             \
	{                                                                                   \
		.name = set, .count = count, .count_and = count_and, .and = and_words,      \
		.or = or_words, .and_not = and_not_words, .list = list, .rank = rank,       \
		.count_range = count_range, MIRROR_KERNELS_OF_WIDTH(u8),                    \
		MIRROR_KERNELS_OF_WIDTH(u16), MIRROR_KERNELS_OF_WIDTH(u32),                 \
		.match_runs = match_runs, .tally_runs = tally_runs, .match_f64 = match_f64, \
		.gather_f64 = gather_f64, .sum_f64 = sum_f64,                               \
	}
