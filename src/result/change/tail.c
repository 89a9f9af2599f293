#include "result/change/change_priv.h"

#include "result/change/rank.h"

void res_change_check_tail(const struct res_change_part *part, const uint32_t *versions,
			   struct res_change_tail *ret)
{
	const struct res_change_options *options = part->options;
	enum res_change_scale scale = part->series->scale;
	size_t n = part->end - part->from, newest = 0;

	*ret = (struct res_change_tail){ .index = part->end };
	if (n == 0)
		return;
	while (newest < n && versions[part->end - 1 - newest] == versions[part->end - 1])
		newest++;
	if (newest < options->tail && newest < n) {
		ret->missing = options->tail - newest;
		return;
	}
	if (n < options->tail + options->side_min)
		return;
	size_t k = options->tail;
	size_t m = n - k < options->tail_before ? n - k : options->tail_before;
	size_t at = part->end - k;
	const double *before = part->y + at - m, *after = part->y + at;
	struct res_rank_test test = res_rank_compare(before, m, after, k);
	double shift = res_rank_shift(before, m, after, k).shift;
	struct res_change_rest near = res_change_rest_of(part->y, at - m, at, part->end);
	struct res_change_rest all = res_change_rest_of(part->y, part->from, at, part->end);
	ret->is_tested = true;
	ret->index = at;
	ret->p = res_rank_correct(test.p, all.correlation);
	ret->ratio = res_change_ratio(scale, shift);
	ret->before = res_change_side_of(scale, before, m);
	ret->after = res_change_side_of(scale, after, k);
	ret->effect_min = res_change_effect_min(part, near.noise);
	ret->is_hit = ret->p < options->tail_alpha &&
		      res_change_effect(scale, shift) >= ret->effect_min;
}
