/* The contrasts of one input: differences of its values in the cells that have both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "result/change/rank.h"
#include "result/impact/shift.h"
#include "result/impact/work_priv.h"

#define LEVELS RES_IMPACT_LEVELS_MAX

/* The rows of one cell with one of the compared values. */
struct part {
	size_t level; /* index of the value */
	size_t start, count;
	double median;
};

struct pairing {
	double *differences;
	size_t count, room;
	size_t pairs;
	double *sides[2]; /* logarithms of the first cell's rows; NULL: not needed */
	size_t side_counts[2];
};

struct frequent {
	uint32_t code;
	size_t rows;
};

static int compare_frequent(const void *a, const void *b)
{
	const struct frequent *one = a, *other = b;

	if (one->rows != other->rows)
		return one->rows > other->rows ? -1 : 1;
	return one->code < other->code ? -1 : 1;
}

static int compare_codes(const void *a, const void *b)
{
	const struct frequent *one = a, *other = b;

	return one->code < other->code ? -1 : one->code > other->code;
}

/* Chooses the most frequent recorded values, in their order. Returns their number. */
static size_t choose_levels(const struct impact_factor *factor, uint32_t level_count,
			    struct frequent ret[LEVELS], size_t *ret_more)
{
	auto_free struct frequent *all = pl_alloc_array(level_count + 1, sizeof(*all));
	size_t count = 0;

	for (uint32_t code = 1; code < level_count; code++) {
		if (factor->counts[code] > 0)
			all[count++] = (struct frequent){ code, factor->counts[code] };
	}
	qsort(all, count, sizeof(*all), compare_frequent);
	*ret_more = count > LEVELS ? count - LEVELS : 0;
	count = count < LEVELS ? count : LEVELS;
	qsort(all, count, sizeof(*all), compare_codes);
	memcpy(ret, all, count * sizeof(*all));
	return count;
}

static void keep_sides(const struct impact_work *work, struct pairing *pairing, const size_t *rows,
		       const struct part *from, const struct part *to)
{
	const struct part *parts[] = { from, to };

	for (size_t side = 0; side < 2; side++) {
		size_t count = parts[side]->count;
		pairing->sides[side] = pl_alloc_array(count, sizeof(double));
		pairing->side_counts[side] = count;
		for (size_t i = 0; i < count; i++)
			pairing->sides[side][i] = work->logs[rows[parts[side]->start + i]];
	}
}

/* Divides the rows of a cell by the value. Returns the number of parts. */
static size_t part_cell(const struct impact_work *work, size_t lead, const unsigned char *level_of,
			size_t *rows, size_t count, struct part parts[LEVELS], double *room)
{
	const uint32_t *codes = work->factors[lead].codes;
	size_t found = 0, end;
	bool differs = false;

	for (size_t i = 1; i < count && !differs; i++)
		differs = codes[rows[i]] != codes[rows[0]];
	if (!differs)
		return 0;
	res_impact_sort_rows(work, lead, rows, count);
	for (size_t i = 0; i < count; i = end) {
		uint32_t code = codes[rows[i]];
		for (end = i; end < count && codes[rows[end]] == code; end++)
			continue;
		if (level_of[code] > 0)
			parts[found++] = (struct part){ level_of[code] - 1u, i, end - i,
							res_impact_median(work, rows + i, end - i,
									  room) };
	}
	return found;
}

static void add_cell(const struct impact_work *work, const size_t *rows, const struct part *parts,
		     size_t count, struct pairing (*pairings)[LEVELS])
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			struct pairing *pairing = &pairings[parts[i].level][parts[k].level];
			if (pairing->count == 0)
				keep_sides(work, pairing, rows, &parts[i], &parts[k]);
			*PL_PUSH(pairing->differences, pairing->count,
				 pairing->room) = parts[k].median - parts[i].median;
			pairing->pairs += parts[i].count * parts[k].count;
		}
	}
}

/* One cell: the runs in it are all there is to know. */
static void compare_runs(const struct pairing *pairing, struct res_impact_ratio *ret)
{
	size_t m = pairing->side_counts[0], k = pairing->side_counts[1];

	*ret = (struct res_impact_ratio){ .ratio = exp(pairing->differences[0]),
					  .interval = { NAN, NAN },
					  .p = NAN,
					  .cell_count = 1 };
	if (m < 2 || k < 2)
		return;
	struct res_rank_shift shift = res_rank_shift(pairing->sides[0], m, pairing->sides[1], k);
	if (!isfinite(shift.interval.low) || !isfinite(shift.interval.high))
		return;
	ret->method = RES_IMPACT_RUNS;
	ret->ratio = exp(shift.shift);
	ret->interval = (struct res_interval){ exp(shift.interval.low), exp(shift.interval.high) };
	ret->p = res_rank_compare(pairing->sides[0], m, pairing->sides[1], k).p;
}

/* Lists what the lead determines, and what differs between the two values. Returns false if that includes a host input. */
static bool find_with(const struct impact_work *work, size_t lead, const size_t rows[2],
		      struct res_impact_contrast *contrast)
{
	const struct impact_factor *factor = &work->factors[lead];

	for (size_t i = 0; i < work->factor_count; i++) {
		const struct impact_factor *other = &work->factors[i];
		if (!other->is_part || other->lead == lead || !factor->determines[other->lead] ||
		    other->codes[rows[0]] == other->codes[rows[1]])
			continue;
		if (work->about[i].is_host && !factor->has_host)
			return false;
		if (contrast->with_count < RES_IMPACT_WITH_MAX)
			contrast->with[contrast->with_count++] = i;
	}
	return true;
}

static int compare_contrasts(const void *a, const void *b)
{
	const struct res_impact_contrast *one = a, *other = b;
	uint32_t x = one->to - one->from, y = other->to - other->from;

	if (one->effect.cell_count != other->effect.cell_count)
		return one->effect.cell_count > other->effect.cell_count ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return one->from < other->from ? -1 : one->from > other->from;
}

static size_t first_row(const struct impact_work *work, size_t lead, uint32_t code)
{
	size_t row = 0;

	while (row < work->row_count && work->factors[lead].codes[row] != code)
		row++;
	return row;
}

bool res_impact_contrasts_make(const struct impact_work *work, size_t lead,
			       struct res_impact_effect *ret)
{
	const struct impact_factor *factor = &work->factors[lead];
	uint32_t level_count = work->about[lead].level_count;
	struct frequent levels[LEVELS];
	size_t count = choose_levels(factor, level_count, levels, &ret->more_levels), room = 0;
	auto_free unsigned char *level_of = pl_alloc_array(level_count + 1, 1);
	auto_free double *numbers = pl_alloc_array(work->row_count + 1, sizeof(*numbers));
	auto_free struct pairing(*pairings)[LEVELS] = pl_alloc_array(LEVELS, sizeof(*pairings));
	struct part parts[LEVELS];
	struct impact_cells cells;
	bool is_host_dropped = false;

	for (size_t i = 0; i < count; i++)
		level_of[levels[i].code] = (unsigned char)(i + 1);
	res_impact_cells_of(work, lead, SIZE_MAX, &cells);
	for (size_t i = 0; i < cells.count; i++) {
		size_t *rows = cells.rows + cells.starts[i];
		size_t found = part_cell(work, lead, level_of, rows,
					 cells.starts[i + 1] - cells.starts[i], parts, numbers);
		add_cell(work, rows, parts, found, pairings);
	}
	res_impact_cells_done(&cells);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			struct pairing *pairing = &pairings[i][k];
			if (pairing->count == 0)
				continue;
			struct res_impact_contrast contrast = { .from = levels[i].code,
								.to = levels[k].code };
			size_t rows[] = { first_row(work, lead, contrast.from),
					  first_row(work, lead, contrast.to) };
			if (find_with(work, lead, rows, &contrast)) {
				contrast.pair_count = pairing->pairs;
				if (pairing->count > 1)
					res_impact_shift_of(pairing->differences, pairing->count,
							    &contrast.effect);
				else
					compare_runs(pairing, &contrast.effect);
				res_impact_plain(work, lead, contrast.from, contrast.to,
						 contrast.means, contrast.run_counts,
						 &contrast.plain_ratio);
				*PL_PUSH(ret->contrasts, ret->contrast_count, room) = contrast;
			} else {
				is_host_dropped = true;
			}
			free(pairing->differences);
			free(pairing->sides[0]);
			free(pairing->sides[1]);
		}
	}
	if (ret->contrast_count > 0)
		qsort(ret->contrasts, ret->contrast_count, sizeof(*ret->contrasts),
		      compare_contrasts);
	return is_host_dropped;
}

/* ---- interactions -------------------------------------------------------------------------------- */

/* Differences of the first input at each value of the second, and their differences. */
struct crossing {
	double *at[2], *both;
	size_t counts[2], both_count;
	size_t rooms[2], both_room;
};

/* Finds the median of the rows with both values; NaN: none. */
static double median_with(const struct impact_work *work, const size_t *rows, size_t count,
			  size_t first, uint32_t first_code, size_t second, uint32_t second_code,
			  size_t *found, double *room)
{
	size_t among = 0;

	for (size_t i = 0; i < count; i++) {
		if (work->factors[first].codes[rows[i]] == first_code &&
		    work->factors[second].codes[rows[i]] == second_code)
			found[among++] = rows[i];
	}
	return among > 0 ? res_impact_median(work, found, among, room) : NAN;
}

static bool interact(const struct impact_work *work, const struct res_impact_effect *one,
		     const struct res_impact_effect *other, struct res_impact_interaction *ret)
{
	size_t first = one->factors[0], second = other->factors[0];
	const struct res_impact_contrast *a = &one->contrasts[0], *b = &other->contrasts[0];
	auto_free size_t *found = pl_alloc_array(work->row_count + 1, sizeof(*found));
	auto_free double *room = pl_alloc_array(work->row_count + 1, sizeof(*room));
	struct crossing crossing = { 0 };
	struct impact_cells cells;

	if (work->factors[first].determines[second] || work->factors[second].determines[first])
		return false;
	res_impact_cells_of(work, first, second, &cells);
	for (size_t i = 0; i < cells.count; i++) {
		const size_t *rows = cells.rows + cells.starts[i];
		size_t count = cells.starts[i + 1] - cells.starts[i];
		double differences[2];
		for (size_t side = 0; side < 2; side++) {
			uint32_t code = side == 0 ? b->from : b->to;
			differences[side] = median_with(work, rows, count, first, a->to, second,
							code, found, room) -
					    median_with(work, rows, count, first, a->from, second,
							code, found, room);
			if (isfinite(differences[side]))
				*PL_PUSH(crossing.at[side], crossing.counts[side],
					 crossing.rooms[side]) = differences[side];
		}
		if (isfinite(differences[0]) && isfinite(differences[1]))
			*PL_PUSH(crossing.both, crossing.both_count,
				 crossing.both_room) = differences[1] - differences[0];
	}
	res_impact_cells_done(&cells);
	bool is_known = crossing.both_count > 1;
	if (is_known) {
		res_impact_shift_of(crossing.both, crossing.both_count, &ret->ratio);
		for (size_t side = 0; side < 2; side++)
			res_impact_shift_of(crossing.at[side], crossing.counts[side],
					    &ret->at[side]);
	}
	free(crossing.both);
	free(crossing.at[0]);
	free(crossing.at[1]);
	return is_known;
}

void res_impact_interactions_make(const struct impact_work *work,
				  struct res_impact_analysis *analysis)
{
	size_t room = 0, most = RES_IMPACT_STRONGEST;

	for (size_t i = 0; i < analysis->effect_count && i < most; i++) {
		if (analysis->effects[i].finding < RES_IMPACT_LOWER)
			break;
		for (size_t k = 0; k < i; k++) {
			struct res_impact_interaction found = { .first = k, .second = i };
			if (interact(work, &analysis->effects[k], &analysis->effects[i], &found))
				*PL_PUSH(analysis->interactions, analysis->interaction_count,
					 room) = found;
		}
	}
}
