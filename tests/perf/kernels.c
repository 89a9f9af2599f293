/*
 * Measures each set of kernels (src/mirror/kernels) on a segment of 65,536 rows in the processor's
 * caches. Prints a table in Markdown: the best of some rounds, in microseconds, and the ratio to
 * plain C. Run it alone, on a release build:
 *
 * kernel_times [KERNEL…]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "mirror/kernels/kernels.h"

enum { ROWS = MIRROR_SEGMENT_ROWS, WORDS = ROWS / MIRROR_WORD_ROWS, ROUNDS = 40, SPARSE = 50 };

#define ROUND_NS (200 * PL_NS_PER_US)
#define SETS     PL_ARRAY_SIZE(names)

static const char *const names[] = { "plain", "sse2", "avx2" };

enum mask { ALL, HALF, FEW, NEIGHBORS };
enum spread { EVEN, SKEWED, SORTED };

static const char *const mask_names[] = { "all rows", "every other row at random", "1 row of 50",
					  "half, side by side" };
static const char *const spread_names[] = { "even", "nine of ten one code", "side by side" };

/* The input of a kernel; its output goes to `bits`, `counts` and `sink`. */
struct segment {
	uint8_t u8[ROWS];
	uint16_t u16[ROWS];
	uint32_t u32[ROWS];
	double numbers[ROWS];
	double gathered[ROWS + MIRROR_GATHER_MORE];
	uint64_t mask[WORDS];
	uint64_t other[WORDS];
	uint8_t wanted[ROWS];
	size_t distinct;
	uint16_t list[ROWS];
	size_t listed;
	struct mirror_run runs[ROWS];
	size_t run_count;
	uint32_t ranks[WORDS + 1];
	uint64_t bits[WORDS];
	uint32_t counts[ROWS];
	struct mirror_sums sums;
	size_t sink;
};

typedef void run_fn(const struct mirror_kernels *set, struct segment *segment);

static void run_count(const struct mirror_kernels *set, struct segment *s)
{
	s->sink += set->count(s->mask, WORDS);
}

static void run_count_and(const struct mirror_kernels *set, struct segment *s)
{
	s->sink += set->count_and(s->mask, s->other, WORDS);
}

static void run_and(const struct mirror_kernels *set, struct segment *s)
{
	set->and (s->bits, s->mask, s->other, WORDS);
}

static void run_and_in_place(const struct mirror_kernels *set, struct segment *s)
{
	set->and (s->bits, s->bits, s->other, WORDS);
}

static void run_list(const struct mirror_kernels *set, struct segment *s)
{
	s->sink += set->list(s->mask, WORDS, s->list);
}

static void run_rank(const struct mirror_kernels *set, struct segment *s)
{
	set->rank(s->mask, WORDS, s->ranks);
}

static void run_match_u8(const struct mirror_kernels *set, struct segment *s)
{
	set->match_u8(s->u8, ROWS, s->wanted, s->distinct, s->bits);
}

static void run_match_u16(const struct mirror_kernels *set, struct segment *s)
{
	set->match_u16(s->u16, ROWS, s->wanted, s->distinct, s->bits);
}

static void run_match_u32(const struct mirror_kernels *set, struct segment *s)
{
	set->match_u32(s->u32, ROWS, s->wanted, s->distinct, s->bits);
}

static void run_match_runs(const struct mirror_kernels *set, struct segment *s)
{
	set->match_runs(s->runs, s->run_count, s->wanted, s->bits);
}

static void run_match_f64(const struct mirror_kernels *set, struct segment *s)
{
	set->match_f64(s->numbers, ROWS, 100, 300, s->bits);
}

static void run_tally_u8(const struct mirror_kernels *set, struct segment *s)
{
	set->tally_u8(s->u8, ROWS, s->mask, s->counts, s->distinct);
}

static void run_tally_u16(const struct mirror_kernels *set, struct segment *s)
{
	set->tally_u16(s->u16, ROWS, s->mask, s->counts, s->distinct);
}

static void run_tally_u32(const struct mirror_kernels *set, struct segment *s)
{
	set->tally_u32(s->u32, ROWS, s->mask, s->counts, s->distinct);
}

static void run_tally_runs(const struct mirror_kernels *set, struct segment *s)
{
	set->tally_runs(s->runs, s->run_count, s->mask, s->ranks, s->counts);
}

static void run_gather_u8(const struct mirror_kernels *set, struct segment *s)
{
	set->gather_u8(s->u8, s->list, s->listed, s->counts);
}

static void run_gather_u16(const struct mirror_kernels *set, struct segment *s)
{
	set->gather_u16(s->u16, s->list, s->listed, s->counts);
}

static void run_gather_f64(const struct mirror_kernels *set, struct segment *s)
{
	s->sink += set->gather_f64(s->numbers, ROWS, s->mask, s->gathered);
}

static void run_sum_f64(const struct mirror_kernels *set, struct segment *s)
{
	set->sum_f64(s->numbers, ROWS, s->mask, 200, &s->sums);
}

static const struct {
	const char *kernel;
	run_fn *run;
	size_t distinct; /* 0: it knows no codes */
	size_t wanted;   /* of these */
	enum mask mask;
	enum spread spread;
} cases[] = {
	{ "count", run_count, 0, 0, HALF, EVEN },
	{ "count_and", run_count_and, 0, 0, HALF, EVEN },
	{ "and", run_and, 0, 0, HALF, EVEN },
	{ "and, in place", run_and_in_place, 0, 0, HALF, EVEN },
	{ "list", run_list, 0, 0, HALF, EVEN },
	{ "list", run_list, 0, 0, FEW, EVEN },
	{ "rank", run_rank, 0, 0, HALF, EVEN },
	{ "match_u8", run_match_u8, 5, 1, ALL, EVEN },
	{ "match_u8", run_match_u8, 40, 4, ALL, EVEN },
	{ "match_u8", run_match_u8, 200, 10, ALL, EVEN },
	{ "match_u8", run_match_u8, 200, 100, ALL, EVEN },
	{ "match_u16", run_match_u16, 1000, 1, ALL, EVEN },
	{ "match_u16", run_match_u16, 1000, 999, ALL, EVEN },
	{ "match_u16", run_match_u16, 1000, 8, ALL, EVEN },
	{ "match_u16", run_match_u16, 1000, 16, ALL, EVEN },
	{ "match_u16", run_match_u16, 20000, 300, ALL, EVEN },
	{ "match_u32", run_match_u32, 60000, 1, ALL, EVEN },
	{ "match_u32", run_match_u32, 60000, 8, ALL, EVEN },
	{ "match_u32", run_match_u32, 60000, 300, ALL, EVEN },
	{ "match_runs", run_match_runs, 5, 2, ALL, SORTED },
	{ "match_f64", run_match_f64, 0, 0, ALL, EVEN },
	{ "tally_u8", run_tally_u8, 2, 0, ALL, EVEN },
	{ "tally_u8", run_tally_u8, 5, 0, ALL, EVEN },
	{ "tally_u8", run_tally_u8, 5, 0, HALF, EVEN },
	{ "tally_u8", run_tally_u8, 5, 0, FEW, EVEN },
	{ "tally_u8", run_tally_u8, 5, 0, NEIGHBORS, EVEN },
	{ "tally_u8", run_tally_u8, 9, 0, HALF, EVEN },
	{ "tally_u8", run_tally_u8, 17, 0, HALF, EVEN },
	{ "tally_u8", run_tally_u8, 33, 0, HALF, EVEN },
	{ "tally_u8", run_tally_u8, 34, 0, HALF, EVEN },
	{ "tally_u8", run_tally_u8, 200, 0, ALL, EVEN },
	{ "tally_u8", run_tally_u8, 200, 0, HALF, EVEN },
	{ "tally_u8", run_tally_u8, 200, 0, HALF, SKEWED },
	{ "tally_u8", run_tally_u8, 200, 0, HALF, SORTED },
	{ "tally_u16", run_tally_u16, 5000, 0, ALL, EVEN },
	{ "tally_u16", run_tally_u16, 5000, 0, HALF, EVEN },
	{ "tally_u16", run_tally_u16, 5000, 0, HALF, SKEWED },
	{ "tally_u16", run_tally_u16, 5000, 0, HALF, SORTED },
	{ "tally_u32", run_tally_u32, 60000, 0, HALF, EVEN },
	{ "tally_u32", run_tally_u32, 60000, 0, HALF, SORTED },
	{ "tally_runs", run_tally_runs, 5, 0, HALF, SORTED },
	{ "gather_u8", run_gather_u8, 5, 0, FEW, EVEN },
	{ "gather_u8", run_gather_u8, 200, 0, FEW, SORTED },
	{ "gather_u16", run_gather_u16, 5000, 0, FEW, EVEN },
	{ "gather_f64", run_gather_f64, 0, 0, ALL, EVEN },
	{ "gather_f64", run_gather_f64, 0, 0, HALF, EVEN },
	{ "gather_f64", run_gather_f64, 0, 0, FEW, EVEN },
	{ "sum_f64", run_sum_f64, 0, 0, ALL, EVEN },
	{ "sum_f64", run_sum_f64, 0, 0, HALF, EVEN },
};

static struct pl_pcg64 rng;

static size_t below(size_t end)
{
	return (size_t)pl_pcg64_integers(&rng, 0, (int64_t)end);
}

static bool in_mask(enum mask mask, bool before)
{
	switch (mask) {
	case ALL:
		return true;
	case HALF:
		return below(2) == 0;
	case FEW:
		return below(SPARSE) == 0;
	default:
		return below(1000) == 0 ? !before : before;
	}
}

static size_t code_at(enum spread spread, size_t distinct, size_t before)
{
	if (spread == SKEWED && below(10) > 0)
		return distinct / 2;
	return spread == SORTED && below(40) > 0 ? before : below(distinct);
}

static void fill(struct segment *segment, size_t i)
{
	size_t code = 0, distinct = cases[i].distinct == 0 ? 1 : cases[i].distinct;
	const struct mirror_kernels *plain = mirror_kernels_of("plain");
	bool is_in = true;

	pl_pcg64_seed(&rng, 1);
	memset(segment, 0, sizeof(*segment));
	segment->distinct = distinct;
	segment->sums = MIRROR_SUMS_NONE;
	for (size_t row = 0; row < ROWS; row++) {
		size_t before = code;
		uint64_t bit = 1ull << row % MIRROR_WORD_ROWS;
		is_in = in_mask(cases[i].mask, is_in);
		segment->mask[row / MIRROR_WORD_ROWS] |= is_in ? bit : 0;
		segment->other[row / MIRROR_WORD_ROWS] |= below(2) == 0 ? bit : 0;
		code = code_at(cases[i].spread, distinct, code);
		segment->run_count += row > 0 && code != before;
		segment->runs[segment->run_count] = (struct mirror_run){ (uint32_t)row + 1,
									 (uint32_t)code };
		segment->u8[row] = (uint8_t)code;
		segment->u16[row] = (uint16_t)code;
		segment->u32[row] = (uint32_t)code;
		segment->numbers[row] = (double)below(400000) / 1000;
	}
	segment->run_count++;
	for (size_t left = cases[i].wanted; left > 0;) {
		size_t wanted = below(distinct);
		left -= !segment->wanted[wanted];
		segment->wanted[wanted] = 1;
	}
	segment->listed = plain->list(segment->mask, WORDS, segment->list);
	plain->rank(segment->mask, WORDS, segment->ranks);
}

/* Returns the time per run in one round of sufficiently many runs. */
static double us_of(const struct mirror_kernels *set, struct segment *segment, run_fn *run)
{
	int64_t runs = 0, start_ns = pl_clock_now_ns(), end_ns;

	do {
		for (int i = 0; i < 8; i++, runs++)
			run(set, segment);
		end_ns = pl_clock_now_ns();
	} while (end_ns - start_ns < ROUND_NS);
	return (double)(end_ns - start_ns) / (double)PL_NS_PER_US / (double)runs;
}

/* The best of some rounds, in which the sets take turns, so that what disturbs one disturbs all. */
static void measure(struct segment *segment, run_fn *run, double *ret_us)
{
	for (size_t i = 0; i < SETS; i++)
		ret_us[i] = INFINITY;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < SETS; i++) {
			const struct mirror_kernels *set = mirror_kernels_of(names[i]);
			double us = set == NULL ? INFINITY : us_of(set, segment, run);
			ret_us[i] = us < ret_us[i] ? us : ret_us[i];
		}
	}
}

static void print_of(size_t i)
{
	printf("| %s | ", cases[i].kernel);
	if (cases[i].distinct > 0)
		printf("%zu codes, %s; ", cases[i].distinct, spread_names[cases[i].spread]);
	if (cases[i].wanted > 0)
		printf("%zu wanted", cases[i].wanted);
	else
		printf("%s", mask_names[cases[i].mask]);
}

static bool is_requested(size_t i, int argc, char **argv)
{
	for (int arg = 1; arg < argc; arg++) {
		if (strcmp(argv[arg], cases[i].kernel) == 0)
			return true;
	}
	return argc == 1;
}

int main(int argc, char **argv)
{
	auto_free struct segment *segment = pl_alloc(sizeof(*segment));

	printf("A segment of %d rows, µs (plain / this set)\n\n", ROWS);
	printf("| kernel | of | plain | sse2 | avx2 |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		double us[SETS];
		if (!is_requested(i, argc, argv))
			continue;
		fill(segment, i);
		measure(segment, cases[i].run, us);
		print_of(i);
		printf(" | %.2f", us[0]);
		for (size_t j = 1; j < SETS; j++)
			isinf(us[j]) ? printf(" | -")
				     : printf(" | %.2f (%.1f)", us[j], us[0] / us[j]);
		printf(" |\n");
		fflush(stdout);
	}
	return 0;
}
