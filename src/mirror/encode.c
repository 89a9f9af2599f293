/*
 * Chooses the form of a sealed chunk: of the possible ones, that in which a facet is counted fastest, by estimated
 * cost. Runs occur in sweeps, whose rows are adjacent; bitmaps are for few values in mixed order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mirror/chunk.h"

/* approximate ns: only the order matters */
#define NS_EXCEPTION 1.0
#define NS_RUN       2.0
#define NS_BITMAP    0.006 /* per row */
#define NS_CODE_U8   0.4
#define NS_CODE      0.8

#define BITMAPS_MAX        12 /* 8 KiB each */
#define EXCEPTIONS_BY_HAND 64 /* at most this number is searched for one row */
#define RUNS_BY_HAND       256
#define BITMAPS_BY_HAND    3
#define TOTALS_MAX         4096

struct facts {
	uint32_t *codes;  /* of all rows */
	uint32_t *counts; /* by code */
	uint32_t distinct;
	uint32_t present; /* codes that occur */
	uint32_t most;    /* the most frequent code */
	uint32_t runs;
	size_t rows;
};

static void facts_done(struct facts *facts)
{
	free(facts->codes);
	free(facts->counts);
}
#define auto_facts __attribute__((cleanup(facts_done), unused)) struct facts

static enum chunk_form best_form(const struct chunk *open, const struct facts *facts)
{
	enum chunk_form best = CHUNK_CODES;
	double rows = (double)facts->rows;
	double least = rows * (open->width == 1 ? NS_CODE_U8 : NS_CODE);
	double exceptions = NS_EXCEPTION * (rows - facts->counts[facts->most]);
	double runs = NS_RUN * facts->runs;
	double bitmaps = NS_BITMAP * rows * (facts->present - 1);

	if (facts->present == 1)
		return CHUNK_CONSTANT;
	if (runs < least) {
		least = runs;
		best = CHUNK_RUNS;
	}
	if (exceptions < least) {
		least = exceptions;
		best = CHUNK_EXCEPTIONS;
	}
	if (bitmaps < least && facts->present - 1 <= BITMAPS_MAX)
		best = CHUNK_BITMAPS;
	return best;
}

/* ---- encoding -------------------------------------------------------------------------------- */

static void *of_bytes(struct chunk *chunk, size_t count, size_t size)
{
	chunk->bytes += count * size;
	return pl_alloc_array(count, size);
}

/* Numbers the parts: all codes except the most frequent one. free() */
static uint32_t *number_parts(const struct facts *facts, struct chunk *ret)
{
	uint32_t *part_of = pl_alloc_array(facts->distinct, sizeof(*part_of));

	ret->base = facts->most;
	ret->part_codes = of_bytes(ret, facts->present - 1, sizeof(*ret->part_codes));
	for (uint32_t code = 0; code < facts->distinct; code++) {
		if (code == facts->most || facts->counts[code] == 0)
			continue;
		part_of[code] = ret->parts;
		ret->part_codes[ret->parts++] = code;
	}
	return part_of;
}

static void make_exceptions(const struct facts *facts, struct chunk *ret)
{
	auto_free uint32_t *part_of = number_parts(facts, ret);
	uint32_t rows = 0;

	ret->part_ends = of_bytes(ret, ret->parts, sizeof(*ret->part_ends));
	/* first the start of each part, then incremented with each row */
	for (uint32_t part = 0; part < ret->parts; part++) {
		ret->part_ends[part] = rows;
		rows += facts->counts[ret->part_codes[part]];
	}
	ret->part_rows = of_bytes(ret, rows, sizeof(*ret->part_rows));
	for (size_t row = 0; row < facts->rows; row++) {
		uint32_t code = facts->codes[row];
		if (code != facts->most)
			ret->part_rows[ret->part_ends[part_of[code]]++] = (uint16_t)row;
	}
}

static void make_runs(const struct facts *facts, struct chunk *ret)
{
	ret->runs = of_bytes(ret, facts->runs, sizeof(*ret->runs));
	for (size_t row = 0; row < facts->rows; row++) {
		if (row == 0 || facts->codes[row] != facts->codes[row - 1])
			ret->parts++;
		ret->runs[ret->parts - 1] = (struct mirror_run){ .end = (uint32_t)row + 1,
								 .code = facts->codes[row] };
	}
}

static void make_bitmaps(const struct facts *facts, struct chunk *ret)
{
	auto_free uint32_t *part_of = number_parts(facts, ret);

	size_t words = mirror_bitmap_words(facts->rows);
	ret->bitmaps = of_bytes(ret, ret->parts * words, sizeof(*ret->bitmaps));
	for (size_t row = 0; row < facts->rows; row++) {
		uint32_t code = facts->codes[row];
		if (code != facts->most)
			ret->bitmaps[part_of[code] * words + row / 64] |= 1ull << row % 64;
	}
}

static void keep_totals(const struct facts *facts, struct chunk *ret)
{
	uint32_t above = 0;

	for (uint32_t code = 0; code < facts->distinct; code++)
		above = facts->counts[code] > 0 ? code + 1 : above;
	if (above > TOTALS_MAX)
		return;
	ret->total_count = above;
	ret->totals = of_bytes(ret, above, sizeof(*ret->totals));
	memcpy(ret->totals, facts->counts, above * sizeof(*ret->totals));
}

/* Returns whether the codes are needed in addition to the form. */
static bool wants_codes(const struct facts *facts, enum chunk_form form)
{
	switch (form) {
	case CHUNK_CONSTANT:
		return false;
	case CHUNK_EXCEPTIONS:
		return facts->rows - facts->counts[facts->most] > EXCEPTIONS_BY_HAND;
	case CHUNK_RUNS:
		return facts->runs > RUNS_BY_HAND;
	case CHUNK_BITMAPS:
		return facts->present - 1 > BITMAPS_BY_HAND;
	default:
		return true;
	}
}

void mirror_chunk_seal(const struct chunk *open, size_t rows, uint32_t distinct, struct chunk *ret)
{
	auto_facts facts = { .distinct = distinct, .rows = rows };
	enum chunk_form form = CHUNK_CONSTANT;

	*ret = (struct chunk){ .is_sealed = true, .rows = (uint32_t)rows, .base = open->base };
	if (open->form != CHUNK_CONSTANT) {
		facts.codes = pl_alloc_array(facts.rows, sizeof(*facts.codes));
		facts.counts = pl_alloc_array(facts.distinct, sizeof(*facts.counts));
		mirror_chunk_decode(open, facts.rows, facts.codes);
		facts.most = facts.codes[0];
		for (size_t row = 0; row < facts.rows; row++) {
			uint32_t code = facts.codes[row];
			facts.present += facts.counts[code]++ == 0;
			facts.runs += row == 0 || code != facts.codes[row - 1];
		}
		for (uint32_t code = 0; code < facts.distinct; code++) {
			if (facts.counts[code] > facts.counts[facts.most])
				facts.most = code;
		}
		form = best_form(open, &facts);
		keep_totals(&facts, ret);
		if (wants_codes(&facts, form)) {
			ret->width = open->width;
			ret->room = ret->rows;
			ret->codes = of_bytes(ret, ret->rows, ret->width);
			memcpy(ret->codes, open->codes, (size_t)ret->rows * ret->width);
		}
	}
	if (form == CHUNK_EXCEPTIONS)
		make_exceptions(&facts, ret);
	else if (form == CHUNK_RUNS)
		make_runs(&facts, ret);
	else if (form == CHUNK_BITMAPS)
		make_bitmaps(&facts, ret);
	ret->form = (unsigned char)form;
	if (open->numbers == NULL)
		return;
	ret->number_room = open->number_room < ret->rows ? open->number_room : ret->rows;
	ret->numbers = of_bytes(ret, ret->number_room, sizeof(*ret->numbers));
	memcpy(ret->numbers, open->numbers, ret->number_room * sizeof(*ret->numbers));
}
