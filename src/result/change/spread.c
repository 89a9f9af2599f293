/*
 * The distances of the values from their median show a change of variation as a change of level, so
 * the same steps find it. Twice as many values per side as for a level: spreads of few values vary.
 */
#include "result/change/change_priv.h"

#include <math.h>
#include <stdlib.h>

#include "result/change/rank.h"

double *res_change_distances(const double *y, size_t n)
{
	double *distances = pl_alloc_array(n, sizeof(distances[0]));
	double median = res_rank_median(y, n);

	for (size_t i = 0; i < n; i++)
		distances[i] = fabs(y[i] - median);
	return distances;
}

static const struct res_change *find_best(const struct res_change_list *list)
{
	const struct res_change *best = NULL;

	for (size_t i = 0; i < list->count; i++) {
		if (best == NULL || list->items[i].cut_q > best->cut_q)
			best = &list->items[i];
	}
	return best;
}

void res_change_check_spread(const struct res_change_part *part, struct res_change_list *list)
{
	size_t from = list->count > 0 ? list->items[list->count - 1].index : part->from;
	size_t n = part->end - from;
	auto_free double *distances = res_change_distances(part->y + from, n);
	struct res_change_options options = *part->options;
	struct res_change_part spread = { part->series, &options, distances, 0, n };
	struct res_change_list cuts = { .count = 0 };

	options.side_min *= RES_SPREAD_SIDES;
	res_change_split(&spread, &cuts);
	const struct res_change *best = find_best(&cuts);
	if (best != NULL) {
		size_t at = best->index;
		struct res_rank_test test = res_rank_compare(distances, at, distances + at, n - at);
		struct res_change change = *best;

		change.index += from;
		change.from += from;
		change.end += from;
		change.is_spread = true;
		res_change_size(part, from, part->end, &change);
		double before = change.before.spread, after = change.after.spread;
		change.rank_p = res_rank_correct(test.p, res_clean_neighbors(distances, n));
		change.delta = test.delta;
		change.state = RES_CHANGE_NOISIER;
		if (change.rank_p < options.rank_alpha && before > 0 &&
		    after > options.noisier * before)
			*PL_PUSH(list->items, list->count, list->room) = change;
	}
	free(cuts.items);
}
