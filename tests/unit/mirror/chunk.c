#include "mirror/chunk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

#define NUMBER_OF(row) ((double)(row)*0.5)

typedef uint32_t code_fn(struct pl_pyrandom *rng, size_t row);

static uint32_t same(struct pl_pyrandom *rng, size_t row)
{
	(void)rng;
	(void)row;
	return 7;
}

static uint32_t but_a_few(struct pl_pyrandom *rng, size_t row)
{
	(void)row;
	return pl_pyrandom_below(rng, 3000) == 0 ? (uint32_t)pl_pyrandom_below(rng, 5) : 1;
}

static uint32_t but_more(struct pl_pyrandom *rng, size_t row)
{
	(void)row;
	return pl_pyrandom_below(rng, 60) == 0 ? 2 + (uint32_t)pl_pyrandom_below(rng, 100) : 1;
}

static uint32_t long_runs(struct pl_pyrandom *rng, size_t row)
{
	(void)rng;
	return (uint32_t)(row / 3000);
}

static uint32_t short_runs(struct pl_pyrandom *rng, size_t row)
{
	(void)rng;
	return (uint32_t)(row / 20 % 37) * 30;
}

static uint32_t of_two(struct pl_pyrandom *rng, size_t row)
{
	(void)row;
	return 3 + (uint32_t)pl_pyrandom_below(rng, 2);
}

static uint32_t of_eight(struct pl_pyrandom *rng, size_t row)
{
	(void)row;
	return (uint32_t)pl_pyrandom_below(rng, 8);
}

static uint32_t of_200(struct pl_pyrandom *rng, size_t row)
{
	(void)row;
	return (uint32_t)pl_pyrandom_below(rng, 200);
}

static uint32_t of_50000(struct pl_pyrandom *rng, size_t row)
{
	(void)row;
	return (uint32_t)pl_pyrandom_below(rng, 50000);
}

/* Wider and wider codes, so that each array is replaced. */
static uint32_t all_different(struct pl_pyrandom *rng, size_t row)
{
	(void)rng;
	return (uint32_t)row * 2;
}

#define DISTINCT (2 * MIRROR_SEGMENT_ROWS)

static const struct {
	const char *name;
	code_fn *code;
	enum chunk_form sealed;
	bool has_codes; /* codes in addition to its form */
} cases[] = {
	{ "the same", same, CHUNK_CONSTANT, false },
	{ "a few others", but_a_few, CHUNK_EXCEPTIONS, false },
	{ "more others", but_more, CHUNK_EXCEPTIONS, true },
	{ "long runs", long_runs, CHUNK_RUNS, false },
	{ "short runs", short_runs, CHUNK_RUNS, true },
	{ "one of two", of_two, CHUNK_BITMAPS, false },
	{ "one of eight", of_eight, CHUNK_BITMAPS, true },
	{ "one of 200", of_200, CHUNK_CODES, true },
	{ "one of 50,000", of_50000, CHUNK_CODES, true },
	{ "all different", all_different, CHUNK_CODES, true },
};

static bool is_in(const uint64_t *rows, size_t row)
{
	return rows[row / 64] >> row % 64 & 1;
}

/* One row of `of` each; 0: none. */
static void fill_mask(struct pl_pyrandom *rng, size_t rows, size_t of, uint64_t *ret)
{
	memset(ret, 0, MIRROR_SEGMENT_WORDS * sizeof(*ret));
	for (size_t row = 0; of > 0 && row < rows; row++) {
		if (pl_pyrandom_below(rng, of) == 0)
			ret[row / 64] |= 1ull << row % 64;
	}
}

static void check_count(const struct chunk *chunk, const uint32_t *codes, size_t rows,
			const uint64_t *words)
{
	auto_free uint32_t *wanted = pl_alloc_array(DISTINCT, sizeof(*wanted));
	auto_free uint32_t *counts = pl_alloc_array(DISTINCT, sizeof(*counts));
	struct mask mask;

	/* it is added to the existing values */
	for (size_t i = 0; i < DISTINCT; i++)
		wanted[i] = counts[i] = 5;
	for (size_t row = 0; row < rows; row++)
		wanted[codes[row]] += is_in(words, row);
	mirror_mask_init(&mask, words, rows);
	mirror_chunk_count(chunk, &mask, DISTINCT, counts);
	mirror_mask_done(&mask);
	assert_memory_equal(counts, wanted, DISTINCT * sizeof(*counts));
}

/* Rows near each other and far apart, up and down, some of them twice. */
static void check_gather(struct pl_pyrandom *rng, const struct chunk *chunk, const uint32_t *codes,
			 size_t rows)
{
	uint32_t wanted[40], got[40];

	for (size_t play = 0; play < 50; play++) {
		size_t count = pl_pyrandom_below(rng, PL_ARRAY_SIZE(wanted) + 1);
		size_t width = play % 2 == 0 ? rows : 50 < rows ? 50 : rows;
		size_t first = pl_pyrandom_below(rng, rows - width + 1);
		for (size_t i = 0; i < count; i++)
			wanted[i] = (uint32_t)(first + (play % 3 == 0
								? (width - 1 - i % width)
								: pl_pyrandom_below(rng, width)));
		mirror_chunk_gather(chunk, wanted, count, got);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(got[i], codes[wanted[i]]);
	}
}

/*
 * One code of each `of` is wanted. Drawing the codes takes most of the time, so that each check takes
 * a part of twice as many.
 */
static const size_t wanted_of[] = { 1, 7, 49 };
static uint8_t drawn[PL_ARRAY_SIZE(wanted_of)][2 * DISTINCT];

static void draw_wanted(struct pl_pyrandom *rng)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted_of); i++) {
		for (size_t code = 0; code < 2 * DISTINCT; code++)
			drawn[i][code] = pl_pyrandom_below(rng, wanted_of[i]) == 0;
	}
}

static void check_match(struct pl_pyrandom *rng, const struct chunk *chunk, const uint32_t *codes,
			size_t rows, const uint8_t *codes_drawn)
{
	auto_free uint8_t *wanted = pl_alloc(DISTINCT);
	uint64_t found[MIRROR_SEGMENT_WORDS];

	memcpy(wanted, codes_drawn + pl_pyrandom_below(rng, DISTINCT + 1), DISTINCT);
	memset(found, 0x5a, sizeof(found));
	mirror_chunk_match(chunk, rows, wanted, DISTINCT, found);
	for (size_t row = 0; row < rows; row++)
		assert_int_equal(is_in(found, row), wanted[codes[row]]);
	for (size_t row = rows; !chunk->is_sealed && row < MIRROR_SEGMENT_ROWS; row++)
		assert_false(is_in(found, row));
}

static void check(struct pl_pyrandom *rng, const struct chunk *chunk, const uint32_t *codes,
		  size_t rows)
{
	static const size_t parts[] = { 0, 1, 2, 40, 1000, 30000 };
	auto_free uint32_t *decoded = pl_alloc_array(rows, sizeof(*decoded));
	uint64_t words[MIRROR_SEGMENT_WORDS];

	mirror_chunk_decode(chunk, rows, decoded);
	assert_memory_equal(decoded, codes, rows * sizeof(*decoded));
	for (size_t row = 0; row < rows; row += 1 + row / 50)
		assert_int_equal(mirror_chunk_code(chunk, row), codes[row]);
	check_gather(rng, chunk, codes, rows);
	for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
		fill_mask(rng, rows, parts[i], words);
		check_count(chunk, codes, rows, words);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted_of); i++)
		check_match(rng, chunk, codes, rows, drawn[i]);
}

static void test_mirror_chunk__any_form_returns_its_values(void **state)
{
	static const size_t lengths[] = { 1, 63, 64, 65, 257, 4096, 4097, 65535, 65536 };
	auto_free uint32_t *codes = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*codes));
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 5);
	draw_wanted(&rng);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct chunk open = { 0 }, sealed;
		struct garbage garbage = { 0 };
		size_t next = 0;
		for (size_t row = 0; row < MIRROR_SEGMENT_ROWS; row++) {
			codes[row] = cases[i].code(&rng, row);
			mirror_chunk_set(&open, row, codes[row], &garbage);
			if (row % 3 == 0)
				mirror_chunk_set_number(&open, row, NUMBER_OF(row), &garbage);
			if (row + 1 != lengths[next])
				continue;
			next++;
			check(&rng, &open, codes, row + 1);
		}
		/* one that ends early */
		mirror_chunk_seal(&open, 10001, DISTINCT, &sealed);
		check(&rng, &sealed, codes, 10001);
		mirror_chunk_done(&sealed);
		mirror_chunk_seal(&open, MIRROR_SEGMENT_ROWS, DISTINCT, &sealed);
		mirror_chunk_done(&open);
		mirror_garbage_done(&garbage);
		assert_int_equal(sealed.form, cases[i].sealed);
		assert_int_equal(sealed.width > 0, cases[i].has_codes);
		check(&rng, &sealed, codes, MIRROR_SEGMENT_ROWS);
		/* who knows of fewer rows looks at those alone */
		check(&rng, &sealed, codes, 1001);
		for (size_t row = 0; row < MIRROR_SEGMENT_ROWS; row += 3)
			assert_memory_equal(&sealed.numbers[row], &(double){ NUMBER_OF(row) },
					    sizeof(double));
		mirror_chunk_done(&sealed);
	}
}

/* A reader's copy keeps its values, whatever happens to the chunk. */
static void test_mirror_chunk__a_copy_stays_what_it_was(void **state)
{
	struct chunk open = { 0 }, copies[8], sealed;
	struct garbage garbage = { 0 };
	size_t count = 0, lengths[8];
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 6);
	for (size_t row = 0; row < MIRROR_SEGMENT_ROWS; row++) {
		mirror_chunk_set(&open, row, all_different(&rng, row / 10 * 10), &garbage);
		mirror_chunk_set_number(&open, row, NUMBER_OF(row), &garbage);
		if (row % 9000 == 5) {
			lengths[count] = row + 1;
			copies[count++] = open;
		}
	}
	mirror_chunk_seal(&open, MIRROR_SEGMENT_ROWS, DISTINCT, &sealed);
	for (size_t i = 0; i < count; i++) {
		for (size_t row = 0; row < lengths[i]; row++) {
			assert_int_equal(mirror_chunk_code(&copies[i], row), row / 10 * 20);
			assert_memory_equal(&copies[i].numbers[row], &(double){ NUMBER_OF(row) },
					    sizeof(double));
		}
	}
	mirror_chunk_done(&open);
	mirror_chunk_done(&sealed);
	mirror_garbage_done(&garbage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_chunk__any_form_returns_its_values),
		cmocka_unit_test(test_mirror_chunk__a_copy_stays_what_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
