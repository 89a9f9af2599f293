#include "result/change/change_priv.h"

#include <math.h>
#include <stdlib.h>

static bool is_near(const struct res_change *a, const struct res_change *b, size_t drift)
{
	size_t distance = a->index > b->index ? a->index - b->index : b->index - a->index;

	return distance <= drift && (a->delta > 0) == (b->delta > 0) && a->state == b->state &&
	       a->is_spread == b->is_spread;
}

void res_change_persist(const struct res_change_part *part, struct res_change_list *list)
{
	const struct res_change_options *options = part->options;

	for (size_t i = 0; i < list->count; i++)
		list->items[i].seen = 1;
	for (size_t less = 1; less < options->persist && part->end - part->from > less; less++) {
		struct res_change_options fewer = *options;
		struct res_change_part earlier = *part;
		struct res_change_list found = { .count = 0 };
		bool is_any = false;
		double p;

		for (size_t i = 0; i < list->count; i++)
			is_any |= list->items[i].seen == less;
		if (!is_any)
			return;
		earlier.end -= less;
		earlier.options = &fewer;
		fewer.permutations = options->later_permutations;
		res_change_find(&earlier, &found, &p);
		for (size_t i = 0; i < list->count; i++) {
			struct res_change *change = &list->items[i];
			bool is_seen = false;

			for (size_t j = 0; j < found.count; j++)
				is_seen |= is_near(change, &found.items[j], options->drift);
			change->seen += is_seen && change->seen == less;
		}
		free(found.items);
	}
}
