/*
 * The sets. The file of a set defines one static function for each member of struct mirror_kernels, under the same name
 * in every file, so that MIRROR_KERNELS_SET() can list them.
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
