#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "result/impact/work_priv.h"

void res_impact_cells_done(struct impact_cells *cells)
{
	free(cells->starts);
	free(cells->rows);
}

struct slot {
	uint64_t hash;
	size_t cell; /* + 1; 0: empty */
};

void res_impact_cells_make(const struct impact_work *work, const size_t *ignored,
			   size_t ignored_count, struct impact_cells *ret)
{
	size_t rows = work->row_count, room = 16;
	auto_free size_t *cell_of = pl_alloc_array(rows + 1, sizeof(*cell_of));

	while (room < 2 * rows)
		room *= 2;
	auto_free struct slot *slots = pl_alloc_array(room, sizeof(*slots));
	*ret = (struct impact_cells){ pl_alloc_array(rows + 2, sizeof(*ret->starts)),
				      pl_alloc_array(rows + 1, sizeof(*ret->rows)), 0 };
	for (size_t i = 0; i < rows; i++) {
		uint64_t hash = work->cells[i];
		for (size_t k = 0; k < ignored_count; k++) {
			const struct impact_factor *factor = &work->factors[ignored[k]];
			hash -= factor->hashes[factor->codes[i]];
		}
		size_t at = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
		while (slots[at].cell != 0 && slots[at].hash != hash)
			at = (at + 1) & (room - 1);
		if (slots[at].cell == 0)
			slots[at] = (struct slot){ hash, ++ret->count };
		cell_of[i] = slots[at].cell - 1;
		ret->starts[cell_of[i] + 1]++;
	}
	for (size_t i = 0; i < ret->count; i++)
		ret->starts[i + 1] += ret->starts[i];
	auto_free size_t *next = pl_alloc_array(ret->count + 1, sizeof(*next));
	memcpy(next, ret->starts, ret->count * sizeof(*next));
	for (size_t i = 0; i < rows; i++)
		ret->rows[next[cell_of[i]]++] = i;
}

void res_impact_cells_of(const struct impact_work *work, size_t lead, size_t other,
			 struct impact_cells *ret)
{
	auto_free size_t *ignored = pl_alloc_array(work->factor_count + 1, sizeof(*ignored));
	size_t count = 0;

	for (size_t i = 0; i < work->factor_count; i++) {
		if (work->factors[i].is_key &&
		    (i == lead || i == other || work->factors[lead].determines[i] ||
		     (other != SIZE_MAX && work->factors[other].determines[i])))
			ignored[count++] = i;
	}
	res_impact_cells_make(work, ignored, count, ret);
}

double res_impact_median(const struct impact_work *work, const size_t *rows, size_t count,
			 double *room)
{
	for (size_t i = 0; i < count; i++)
		room[i] = work->logs[rows[i]];
	if (count == 1)
		return room[0];
	pl_stats_sort(room, count);
	return pl_stats_median_sorted(room, count);
}

struct sorting {
	const uint32_t *codes;
};

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct sorting *sorting = context;
	size_t one = *(const size_t *)a, other = *(const size_t *)b;
	uint32_t x = sorting->codes[one], y = sorting->codes[other];

	if (x != y)
		return x < y ? -1 : 1;
	return one < other ? -1 : one > other;
}

void res_impact_sort_rows(const struct impact_work *work, size_t lead, size_t *rows, size_t count)
{
	qsort_r(rows, count, sizeof(*rows), compare_rows,
		&(struct sorting){ work->factors[lead].codes });
}

void res_impact_plain(const struct impact_work *work, size_t factor, uint32_t from, uint32_t to,
		      double ret_means[2], size_t ret_counts[2], double *ret_ratio)
{
	const uint32_t *codes = work->factors[factor].codes;
	double sums[2] = { 0 };

	ret_counts[0] = ret_counts[1] = 0;
	for (size_t i = 0; i < work->row_count; i++) {
		if (codes[i] != from && codes[i] != to)
			continue;
		sums[codes[i] == to] += work->values[i];
		ret_counts[codes[i] == to]++;
	}
	for (size_t side = 0; side < 2; side++)
		ret_means[side] = ret_counts[side] > 0 ? sums[side] / (double)ret_counts[side]
						       : NAN;
	*ret_ratio = ret_means[1] / ret_means[0];
}
