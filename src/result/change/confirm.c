#include "result/change/change_priv.h"

#include <math.h>
#include <string.h>

#include "result/change/rank.h"

struct res_change_rest res_change_rest_of(const double *y, size_t from, size_t at, size_t end)
{
	size_t n = end - from;
	auto_free double *rest = pl_alloc_array(n, sizeof(rest[0]));
	double before = res_rank_median(y + from, at - from);
	double after = res_rank_median(y + at, end - at);

	for (size_t i = from; i < end; i++)
		rest[i - from] = y[i] - (i < at ? before : after);
	return (struct res_change_rest){ .noise = res_rank_spread(rest, n),
					 .correlation = res_clean_neighbors(rest, n) };
}

struct res_change_side res_change_side_of(enum res_change_scale scale, const double *y, size_t n)
{
	return (struct res_change_side){
		.count = n,
		.median = res_scale_revert(scale, res_rank_median(y, n)),
		.spread = res_rank_spread(y, n),
	};
}

double res_change_effect(enum res_change_scale scale, double shift)
{
	return scale == RES_SCALE_LINEAR ? fabs(shift) : fabs(expm1(shift));
}

double res_change_ratio(enum res_change_scale scale, double shift)
{
	return scale == RES_SCALE_LINEAR ? shift : exp(shift);
}

double res_change_effect_min(const struct res_change_part *part, double noise)
{
	return fmax(part->series->effect_min,
		    res_change_effect(part->series->scale, part->options->noise * noise));
}

bool res_change_size(const struct res_change_part *part, size_t from, size_t end,
		     struct res_change *change)
{
	const struct res_change_options *options = part->options;
	enum res_change_scale scale = part->series->scale;
	const double *before = part->y + from, *after = part->y + change->index;
	size_t m = change->index - from, k = end - change->index;
	struct res_rank_test test = res_rank_compare(before, m, after, k);
	struct res_rank_shift shift = res_rank_shift(before, m, after, k);
	struct res_change_rest rest = res_change_rest_of(part->y, from, change->index, end);

	change->before = res_change_side_of(scale, before, m);
	change->after = res_change_side_of(scale, after, k);
	change->ratio = res_change_ratio(scale, shift.shift);
	change->interval = (struct res_interval){ res_change_ratio(scale, shift.interval.low),
						  res_change_ratio(scale, shift.interval.high) };
	change->rank_p = res_rank_correct(test.p, rest.correlation);
	change->delta = test.delta;
	change->effect_min = res_change_effect_min(part, rest.noise);
	bool is_large = res_change_effect(scale, shift.shift) >= change->effect_min;
	bool is_level = change->rank_p < options->rank_alpha && is_large;
	bool is_noisier = !is_level && change->before.spread > 0 &&
			  change->after.spread > options->noisier * change->before.spread;
	change->state = is_noisier ? RES_CHANGE_NOISIER : RES_CHANGE_STABLE;
	return is_level || is_noisier;
}

void res_change_confirm(const struct res_change_part *part, struct res_change_list *list)
{
	for (;;) {
		size_t weakest = list->count;
		double p = -1;

		for (size_t i = 0; i < list->count; i++) {
			size_t from = i > 0 ? list->items[i - 1].index : part->from;
			size_t end = i + 1 < list->count ? list->items[i + 1].index : part->end;

			if (!res_change_size(part, from, end, &list->items[i]) &&
			    list->items[i].rank_p > p) {
				p = list->items[i].rank_p;
				weakest = i;
			}
		}
		if (weakest == list->count)
			return;
		/* its neighbors have longer sides then */
		list->count--;
		memmove(&list->items[weakest], &list->items[weakest + 1],
			(list->count - weakest) * sizeof(list->items[0]));
	}
}

void res_change_find(const struct res_change_part *part, struct res_change_list *list,
		     double *ret_p)
{
	*ret_p = res_change_split(part, list);
	res_change_confirm(part, list);
	res_change_check_spread(part, list);
}
