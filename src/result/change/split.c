/* Cuts a part at its best cut, and each side of it, as long as the permutation test finds one. */
#include "result/change/change_priv.h"

#include <math.h>

#include "base/hash.h"
#include "result/change/divide.h"

static uint64_t seed_of(const struct res_change_part *part, size_t from, size_t end)
{
	uint64_t seed = pl_hash_text(PL_HASH_NONE, part->series->key);

	return pl_hash_bytes(pl_hash_bytes(seed, &from, sizeof(from)), &end, sizeof(end));
}

static bool is_constant(const double *y, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (y[i] != y[0])
			return false;
	}
	return true;
}

/* The depth is at most the number of values / side_min. */
static double split(const struct res_change_part *part, size_t from, size_t end,
		    struct res_change_list *list)
{
	const struct res_change_options *options = part->options;
	const double *y = part->y + from;
	size_t n = end - from;
	struct res_cut cut;

	if (n < 2 * options->side_min || is_constant(y, n) ||
	    !res_cut_find(y, n, options->side_min, &cut))
		return NAN;
	bool is_correlated = n >= RES_CLEAN_RELATED_MIN &&
			     res_clean_correlation(y, n) > RES_CLEAN_UNRELATED;
	uint64_t seed = seed_of(part, from, end);
	struct res_permutation test = res_cut_test(y, n, options->side_min, cut.q, options->alpha,
						   options->permutations,
						   is_correlated ? options->block : 1, seed);
	if (test.p > options->alpha)
		return test.p;
	split(part, from, from + cut.at, list);
	*PL_PUSH(list->items, list->count, list->room) = (struct res_change){
		.index = from + cut.at,
		.p = test.p,
		.q = NAN,
		.permutations = test.drawn,
		.is_correlated = is_correlated,
		.from = from,
		.end = end,
		.seed = seed,
		.cut_q = cut.q,
	};
	split(part, from + cut.at, end, list);
	return test.p;
}

double res_change_split(const struct res_change_part *part, struct res_change_list *list)
{
	return split(part, part->from, part->end, list);
}
